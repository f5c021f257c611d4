//! Rows of a version: by which ids and names they are called, and where they stand in its texts.

use situ_engine::model::element;
use situ_rules::Span;
use situ_rules::tree::{List, Row};
use situ_words::say;

use super::document::Version;
use super::reply::CommandError;

/// A row of a table, by its place in the model.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct RowRef {
    pub(super) list: List,
    pub(super) index: usize,
}

impl Version {
    /// The rows with an id, or a name that ranges and situations define.
    ///
    /// # Errors
    ///
    /// There is none, or there are several; the choices are named.
    pub(super) fn row(&self, id: &str) -> Result<RowRef, CommandError> {
        let called = |row| [Some(self.row_id(row)), self.row_name(row)];
        self.row_among(&self.rows().collect::<Vec<_>>(), id, called)
    }

    /// The rows with an id as it is written, one per element; of booleans, of which each element is one, and else the row with
    /// that id.
    ///
    /// # Errors
    ///
    /// As [`Self::row`].
    pub(super) fn rows_meant(&self, id: &str) -> Result<Vec<RowRef>, CommandError> {
        let rows = self.written_row(id).map(|first| {
            let is_of = |row: &RowRef| {
                row.list == first.list && self.written_id(*row) == self.written_id(first)
            };
            self.rows().filter(is_of).collect::<Vec<_>>()
        });
        let is_one = |rows: &Vec<RowRef>| {
            rows.len() == 1 || !matches!(rows[0].list, List::Ranges | List::Situations)
        };
        match rows.ok().filter(is_one) {
            Some(rows) => Ok(rows),
            None => self.row(id).map(|row| vec![row]),
        }
    }

    /// The row with an id as it is written, which may stand for many elements: what an edit changes.
    ///
    /// # Errors
    ///
    /// As [`Self::row`]; the id is that of one element.
    pub(super) fn written_row(&self, id: &str) -> Result<RowRef, CommandError> {
        if let Ok(row) = self.row(id)
            && self.written_id(row) != self.row_id(row)
        {
            let whole = self.written_id(row);
            let report = CommandError::new(say!("console-row-of-elements", id = id.trim(), whole));
            return Err(report.with_help(say!("console-row-of-elements.help", whole)));
        }
        let mut rows: Vec<RowRef> = self.rows().collect();
        rows.dedup_by_key(|row| (row.list, self.written_id(*row)));
        let called = |row| [Some(self.written_id(row)), self.row_name(row).map(whole)];
        self.row_among(&rows, id, called)
    }

    /// The id of a row without the indices of an element, or the name of one of several targets.
    pub(super) fn written_id(&self, row: RowRef) -> &str {
        let id = self.row_id(row);
        let target = match row.list {
            List::Relations => self.model.relations[row.index].targets.first(),
            _ => None,
        };
        let of_target = target.and_then(|real| {
            let name = &*self.model.reals[real.index()].name;
            let inside = id.strip_suffix(']')?.strip_suffix(name)?;
            inside.strip_suffix('[')
        });
        of_target.unwrap_or_else(|| whole(id))
    }

    fn row_among<'v>(
        &'v self,
        all: &[RowRef],
        id: &str,
        called: impl Fn(RowRef) -> [Option<&'v str>; 2],
    ) -> Result<RowRef, CommandError> {
        let wanted = id.trim().trim_matches('`');
        let (list, bare) = match wanted.split_once('.') {
            Some((list, bare)) => match List::ALL.into_iter().find(|one| one.name() == list) {
                Some(list) => (Some(list), bare),
                None => (None, wanted),
            },
            None => (None, wanted),
        };
        let named = |row: &&RowRef| {
            list.is_none_or(|list| list == row.list) && called(**row).contains(&Some(bare))
        };
        let found: Vec<RowRef> = all.iter().filter(named).copied().collect();
        let relations = found.iter().filter(|row| row.list == List::Relations);
        if let (None, Some(row)) = (list, relations.clone().next()) {
            return Ok(*row);
        }
        match found.as_slice() {
            [row] => Ok(*row),
            [] => {
                let ids: Vec<&str> = all
                    .iter()
                    .filter(|row| list.is_none_or(|list| list == row.list))
                    .filter_map(|row| called(*row)[0])
                    .collect();
                let near = situ_rules::diag::nearest(bare, ids);
                let trouble = CommandError::new(say!("console-no-row", wanted));
                Err(match near {
                    Some(near) => trouble.with_help(say!("report-did-you-mean", near)),
                    None => trouble.with_help(say!("console-no-row.help")),
                })
            }
            several => {
                let names: Vec<String> = several
                    .iter()
                    .filter_map(|row| Some(format!("`{}.{}`", row.list.name(), called(*row)[0]?)))
                    .collect();
                Err(
                    CommandError::new(say!("console-several-rows", wanted)).with_help(say!(
                        "console-say-one",
                        names = names.join(&format!(" {} ", say!("console-or")))
                    )),
                )
            }
        }
    }

    /// Every row that stands in a table.
    pub(super) fn rows(&self) -> impl Iterator<Item = RowRef> {
        let model = &self.model;
        let of = |list, count| (0..count).map(move |index| RowRef { list, index });
        of(List::Ranges, model.ranges.len())
            .filter(|row| !model.ranges[row.index].anonymous)
            .chain(of(List::Situations, model.situation_rows.len()))
            .chain(of(List::Assignments, model.assignments.len()))
            .chain(of(List::Relations, model.written_relations()))
            .chain(of(List::Reactions, model.scheme.stages.len()))
            .chain(of(List::Scene, model.shapes().len()))
    }

    pub(super) fn row_id(&self, row: RowRef) -> &str {
        let model = &self.model;
        match row.list {
            List::Ranges => &model.ranges[row.index].id,
            List::Situations => &model.situation_rows[row.index].id,
            List::Assignments => &model.assignments[row.index].id,
            List::Relations => &model.relations[row.index].id,
            List::Reactions => &model.scheme.stages[row.index].id,
            List::Scene => &model.shapes()[row.index].id,
        }
    }

    /// The boolean that the row defines, or the shape.
    fn row_name(&self, row: RowRef) -> Option<&str> {
        let model = &self.model;
        match row.list {
            List::Ranges => Some(&model.ranges[row.index].name),
            List::Situations => {
                let situation = model.situation_rows[row.index].situation;
                Some(&model.situations[situation.index()].name)
            }
            List::Scene => {
                Some(model.shapes()[row.index].name.as_str()).filter(|name| !name.is_empty())
            }
            List::Assignments | List::Relations | List::Reactions => None,
        }
    }

    /// Place of the row in the texts.
    pub(super) fn row_span(&self, row: RowRef) -> Option<Span> {
        let model = &self.model;
        self.origins.get(match row.list {
            List::Ranges => model.ranges[row.index].origin,
            List::Situations => model.situation_rows[row.index].origin,
            List::Assignments => model.assignments[row.index].origin,
            List::Relations => model.relations[row.index].origin,
            List::Reactions => model.scheme.stages[row.index].origin,
            List::Scene => model.shapes()[row.index].origin,
        })
    }

    /// The position of a row in its list of the table that is edited; `None` if a base has it.
    pub(super) fn own_entry(&self, row: RowRef) -> Option<usize> {
        let span = self.row_span(row)?;
        let table = self.tables.last()?;
        let spans: Vec<Span> = match row.list {
            List::Ranges => table.ranges.iter().map(|row| row.span).collect(),
            List::Situations => table.situations.iter().map(|row| row.span).collect(),
            List::Assignments => table.assignments.iter().map(|row| row.span).collect(),
            List::Relations => table.relations.iter().map(|row| row.span).collect(),
            List::Reactions => {
                let stages = table.scheme.reactions.iter();
                stages.map(|row| row.span).collect()
            }
            List::Scene => table.shapes().iter().map(|row| row.span).collect(),
        };
        let covers = |own: &Span| {
            own.source == span.source && own.start <= span.start && span.end <= own.end
        };
        spans.iter().position(covers)
    }

    /// The ids that rows of a list have in the text of the table that is edited.
    pub(super) fn given_ids(&self, list: List) -> Vec<&str> {
        fn ids<T>(rows: &[Row<T>]) -> Vec<&str> {
            let ids = rows.iter().filter_map(|row| row.id.as_ref());
            ids.map(|id| &*id.value).collect()
        }
        let Some(table) = self.tables.last() else {
            return Vec::new();
        };
        match list {
            List::Ranges => ids(&table.ranges),
            List::Situations => ids(&table.situations),
            List::Assignments => ids(&table.assignments),
            List::Relations => ids(&table.relations),
            List::Reactions => ids(&table.scheme.reactions),
            List::Scene => ids(table.shapes()),
        }
    }

    /// The name by which `replace` and `drop` know a row.
    pub(super) fn qualified(&self, row: RowRef) -> String {
        let id = self.written_id(row);
        let relation = row.list == List::Relations;
        if relation {
            id.to_owned()
        } else {
            format!("{}.{id}", row.list.name())
        }
    }
}

/// A name or an id without the indices of an element.
fn whole(name: &str) -> &str {
    element(name).map_or(name, |(base, _)| base)
}
