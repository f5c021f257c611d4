//! The rows of a table join those of its base: added at the end or beside a row, replacing one,
//! dropping one.
//!
//! A row without an id is numbered by its place in the list; in a table that extends another the
//! numbers go on behind those of the base. Where a row is meant by id, a row that defines a boolean
//! may be meant by that name.
//!
//! Counted from 1 in each table, every row without an id would clash with one of the base. Ids are unique per list,
//! because the paper numbers situations and rules both from 1; `drop` and `replace` look among the relations first,
//! and `"situations.2"` names the list.

mod columns;
mod order;

use std::borrow::Cow;
use std::collections::btree_map::Entry as FateEntry;
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};

use situ_engine::model::element;

pub use self::columns::has_columns;
use self::order::Layer;
use super::merged::{Entry, Merged};
use super::report;
use crate::diag::Diagnostic;
use crate::source::Spanned;
use crate::tree::{
    Assignment, List, Name, Range, Reaction, Relation, Row, Shape, Situation, Table,
};

/// After so many reports no nearest ids are looked for: that costs a look at every row.
const MAX_SUGGESTIONS: usize = 50;

/// Content of a row.
pub(in crate::resolve) trait Body: Sized {
    /// The list of such rows.
    const LIST: List;

    /// The rows of a table.
    fn rows(table: &Table) -> &[Row<Self>];

    /// The boolean that the row defines.
    fn defines(&self) -> Option<&Name>;
}

impl Body for Range {
    const LIST: List = List::Ranges;

    fn rows(table: &Table) -> &[Row<Self>] {
        &table.ranges
    }

    fn defines(&self) -> Option<&Name> {
        Some(&self.name)
    }
}

impl Body for Situation {
    const LIST: List = List::Situations;

    fn rows(table: &Table) -> &[Row<Self>] {
        &table.situations
    }

    fn defines(&self) -> Option<&Name> {
        Some(&self.name)
    }
}

impl Body for Assignment {
    const LIST: List = List::Assignments;

    fn rows(table: &Table) -> &[Row<Self>] {
        &table.assignments
    }

    fn defines(&self) -> Option<&Name> {
        None
    }
}

impl Body for Relation {
    const LIST: List = List::Relations;

    fn rows(table: &Table) -> &[Row<Self>] {
        &table.relations
    }

    fn defines(&self) -> Option<&Name> {
        None
    }
}

impl Body for Reaction {
    const LIST: List = List::Reactions;

    fn rows(table: &Table) -> &[Row<Self>] {
        &table.scheme.reactions
    }

    fn defines(&self) -> Option<&Name> {
        None
    }
}

impl Body for Shape {
    const LIST: List = List::Scene;

    fn rows(table: &Table) -> &[Row<Self>] {
        table.shapes()
    }

    fn defines(&self) -> Option<&Name> {
        self.name.as_ref()
    }
}

/// Changes that a table makes to rows of its base, by their positions.
#[derive(Default)]
pub(in crate::resolve) struct Fates<'a> {
    pub(in crate::resolve) ranges: ListFates<'a>,
    pub(in crate::resolve) situations: ListFates<'a>,
    pub(in crate::resolve) assignments: ListFates<'a>,
    pub(in crate::resolve) relations: ListFates<'a>,
    pub(in crate::resolve) reactions: ListFates<'a>,
    pub(in crate::resolve) shapes: ListFates<'a>,
}

type ListFates<'a> = BTreeMap<usize, Fate<'a>>;

/// Change that a table makes to a row of its base, with the id by which it says so.
#[derive(Clone, Copy, Debug)]
pub(in crate::resolve) enum Fate<'a> {
    Replaced(&'a Spanned<String>),
    Dropped(&'a Spanned<String>),
}

/// Reads `replace` and `drop` of a table.
pub(in crate::resolve) fn fates<'a>(
    base: &Merged,
    table: &'a Table,
    diagnostics: &mut Vec<Diagnostic>,
) -> Fates<'a> {
    let mut fates = Fates::default();
    if table.replace.is_empty() && table.drop.is_empty() {
        return fates;
    }
    let finder = Finder::of(base);
    let replaced = table.replace.iter().map(|id| (id, Fate::Replaced(id)));
    let dropped = table.drop.iter().map(|id| (id, Fate::Dropped(id)));
    for (id, fate) in replaced.chain(dropped) {
        let (list, row) = match finder.find(id, diagnostics.len() < MAX_SUGGESTIONS) {
            Ok(found) => found,
            Err(diagnostic) => {
                let parts = base.parts.iter().map(|part| part.name.base());
                diagnostics.push(match of_part(&id.value, parts) {
                    Some(part) => report::row_of_part(id, part),
                    None => *diagnostic,
                });
                continue;
            }
        };
        let list_fates = match list {
            List::Ranges => &mut fates.ranges,
            List::Situations => &mut fates.situations,
            List::Assignments => &mut fates.assignments,
            List::Relations => &mut fates.relations,
            List::Reactions => &mut fates.reactions,
            List::Scene => &mut fates.shapes,
        };
        match list_fates.entry(row) {
            FateEntry::Vacant(vacant) => {
                vacant.insert(fate);
            }
            FateEntry::Occupied(occupied) => {
                let (Fate::Replaced(first) | Fate::Dropped(first)) = *occupied.get();
                diagnostics.push(report::row_named_twice(id, first.span));
            }
        }
    }
    fates
}

/// The part to which the row of an id would belong.
fn of_part<'i>(id: &'i str, mut parts: impl Iterator<Item = &'i str>) -> Option<&'i str> {
    let (part, _) = id.split_once('.')?;
    let base = element(part).map_or(part, |(base, _)| base);
    parts.any(|known| known == base).then_some(part)
}

/// Looks up rows of the base over all lists.
struct Finder<'a> {
    ranges: Index<'a>,
    situations: Index<'a>,
    assignments: Index<'a>,
    relations: Index<'a>,
    reactions: Index<'a>,
    shapes: Index<'a>,
}

/// The rows of a list by id and by what they define.
struct Index<'a> {
    ids: HashMap<&'a str, usize>,
    names: HashMap<&'a str, Vec<usize>>,
    in_order: Vec<&'a str>,
}

impl<'a> Index<'a> {
    fn of<T: Body>(entries: &'a [Entry<'_, T>]) -> Self {
        let mut names: HashMap<&str, Vec<usize>> = HashMap::new();
        for (position, entry) in entries.iter().enumerate() {
            if let Some(name) = entry.row.body.defines() {
                names.entry(&name.value).or_default().push(position);
            }
        }
        let in_order: Vec<&str> = entries.iter().map(|entry| &*entry.id).collect();
        let ids = in_order
            .iter()
            .enumerate()
            .map(|(position, id)| (*id, position))
            .collect();
        Self {
            ids,
            names,
            in_order,
        }
    }

    /// The rows that an id or a name may mean.
    fn find(&self, text: &str) -> Vec<usize> {
        match self.ids.get(text) {
            Some(&position) => vec![position],
            None => self.names.get(text).cloned().unwrap_or_default(),
        }
    }
}

impl<'a> Finder<'a> {
    fn of(base: &'a Merged) -> Self {
        Self {
            ranges: Index::of(&base.ranges),
            situations: Index::of(&base.situations.rows),
            assignments: Index::of(&base.assignments),
            relations: Index::of(&base.relations),
            reactions: Index::of(&base.scheme.reactions),
            shapes: Index::of(&base.scene.shapes),
        }
    }

    fn index(&self, list: List) -> &Index<'a> {
        match list {
            List::Ranges => &self.ranges,
            List::Situations => &self.situations,
            List::Assignments => &self.assignments,
            List::Relations => &self.relations,
            List::Reactions => &self.reactions,
            List::Scene => &self.shapes,
        }
    }

    /// The row that an id of `replace` or `drop` means: `list.id`, the relation of that id, or the
    /// only row of another list with that id or name.
    ///
    /// Shapes: `suggest`, whether to look for the nearest id if there is none.
    fn find(&self, id: &Spanned<String>, suggest: bool) -> Result<(List, usize), Box<Diagnostic>> {
        let text = &*id.value;
        if let Some(&row) = self.relations.ids.get(text) {
            return Ok((List::Relations, row));
        }
        let qualified = text.split_once('.').and_then(|(name, rest)| {
            let list = List::ALL.into_iter().find(|list| list.name() == name)?;
            Some((list, rest))
        });
        let in_list = |list: List, text: &str| {
            self.index(list)
                .find(text)
                .into_iter()
                .map(move |row| (list, row))
                .collect::<Vec<_>>()
        };
        let found = match qualified {
            Some((list, rest)) => in_list(list, rest),
            None => {
                let lists = List::ALL.into_iter();
                let all: Vec<_> = lists.flat_map(|list| in_list(list, text)).collect();
                // What is drawn makes no id of a rule ambiguous.
                let rules = all.iter().filter(|(list, _)| *list != List::Scene);
                let rules: Vec<_> = rules.copied().collect();
                if rules.is_empty() { all } else { rules }
            }
        };
        match found.as_slice() {
            [one] => Ok(*one),
            [] => {
                let ids = List::ALL
                    .into_iter()
                    .flat_map(|list| &self.index(list).in_order);
                Err(Box::new(report::unknown_row(id, ids.copied(), suggest)))
            }
            several => {
                let choices = several.iter().map(|&(list, row)| {
                    format!("{}.{}", list.name(), self.index(list).in_order[row])
                });
                Err(Box::new(report::ambiguous_row(id, choices)))
            }
        }
    }
}

/// Adds the rows of a table to a list of its base; rows may stand beside the parts too.
pub(in crate::resolve) fn add_rows<'a, T: Body>(
    list: &mut Vec<Entry<'a, T>>,
    table: &'a Table,
    parts: &HashSet<&str>,
    mut fates: ListFates,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let own = T::rows(table);
    let n_base = list.len();
    let successors = successors(list, own, &mut fates, diagnostics);
    number_rows(list, own, &successors);
    let in_place = own.iter().all(|row| row.place.is_none()) && fates.is_empty();
    if in_place && n_base == 0 && own.iter().all(|row| row.id.is_none()) {
        return;
    }
    let entries = std::mem::take(list);
    let layer = Layer {
        table,
        parts,
        entries: &entries,
        n_base,
        fates: &fates,
    };
    let ids = layer.ids(diagnostics);
    if in_place {
        *list = entries;
        return;
    }
    let order = layer.order(&ids, &successors, diagnostics);
    let mut entries: Vec<Option<Entry<'a, T>>> = entries.into_iter().map(Some).collect();
    list.extend(order.into_iter().filter_map(|index| entries[index].take()));
}

/// The rows of a table that replace rows of its base, with the positions of those. A row that nothing
/// replaces stays, after a report.
fn successors<T: Body>(
    base: &[Entry<T>],
    own: &[Row<T>],
    fates: &mut ListFates,
    diagnostics: &mut Vec<Diagnostic>,
) -> HashMap<usize, usize> {
    let mut successors = HashMap::new();
    if fates.is_empty() {
        return successors;
    }
    let mut by_id: HashMap<&str, usize> = HashMap::new();
    let mut by_name: HashMap<&str, VecDeque<usize>> = HashMap::new();
    for (index, row) in own.iter().enumerate() {
        match (&row.id, row.body.defines()) {
            (Some(id), _) => {
                by_id.entry(&id.value).or_insert(index);
            }
            (None, Some(name)) => by_name.entry(&name.value).or_default().push_back(index),
            (None, None) => {}
        }
    }
    fates.retain(|&position, fate| {
        let Fate::Replaced(id) = *fate else {
            return true;
        };
        let old = &base[position];
        let of_name = || {
            by_name
                .get_mut(&*old.row.body.defines()?.value)?
                .pop_front()
        };
        match by_id.get(&*old.id).copied().or_else(of_name) {
            Some(new) => {
                successors.insert(new, position);
                true
            }
            None => {
                diagnostics.push(report::nothing_replaces(id, &old.id, T::LIST, old.row.span));
                false
            }
        }
    });
    successors
}

/// Appends the rows with their ids.
fn number_rows<'a, T>(
    entries: &mut Vec<Entry<'a, T>>,
    own: &'a [Row<T>],
    successors: &HashMap<usize, usize>,
) {
    let highest = entries
        .iter()
        .filter_map(|entry| entry.id.parse::<usize>().ok())
        .max();
    let n_before = highest.unwrap_or(0).max(entries.len());
    entries.reserve(own.len());
    for (index, row) in own.iter().enumerate() {
        let id = match (&row.id, successors.get(&index)) {
            (Some(id), _) => Cow::Borrowed(&*id.value),
            (None, Some(&replaced)) => entries[replaced].id.clone(),
            (None, None) => Cow::Owned((n_before + index + 1).to_string()),
        };
        entries.push(Entry { id, row });
    }
}
