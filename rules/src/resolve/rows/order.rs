//! The order of rows that join those of a base: each beside the row that it names, else at the end.

use std::collections::hash_map::Entry as IdEntry;
use std::collections::{HashMap, HashSet};

use rustc_hash::{FxBuildHasher, FxHashMap};
use situ_engine::model::element;

use super::{Body, ListFates, MAX_SUGGESTIONS};
use crate::diag::Diagnostic;
use crate::resolve::merged::Entry;
use crate::resolve::report;
use crate::tree::{Place, Side, Table};

/// A list while the rows of a table join it: first those of the base, then its own.
pub(super) struct Layer<'l, 'a, T> {
    pub(super) table: &'l Table,
    /// Beside these rows are put when parts become rows; until then they stand where they are written.
    pub(super) parts: &'l HashSet<&'l str>,
    pub(super) entries: &'l [Entry<'a, T>],
    pub(super) n_base: usize,
    pub(super) fates: &'l ListFates<'l>,
}

impl<'l, 'a, T: Body> Layer<'l, 'a, T> {
    /// The rows that stay, with their positions.
    fn staying(&self) -> impl Iterator<Item = (usize, &'l Entry<'a, T>)> + use<'l, 'a, T> {
        let Self { entries, fates, .. } = *self;
        entries
            .iter()
            .enumerate()
            .filter(|(index, _)| !fates.contains_key(index))
    }

    /// The rows that stay, by id. Reports ids that stand twice.
    pub(super) fn ids(&self, diagnostics: &mut Vec<Diagnostic>) -> FxHashMap<&'l str, usize> {
        let mut ids = FxHashMap::with_capacity_and_hasher(self.entries.len(), FxBuildHasher);
        for (index, entry) in self.staying() {
            match ids.entry(&*entry.id) {
                IdEntry::Vacant(vacant) => {
                    vacant.insert(index);
                }
                // Two rows of the base were reported when they were added.
                IdEntry::Occupied(_) if index < self.n_base => {}
                IdEntry::Occupied(occupied) => {
                    let first = *occupied.get();
                    diagnostics.push(report::id_clash(
                        &entry.id,
                        entry.row,
                        self.entries[first].row,
                        (first < self.n_base).then_some((self.table, T::LIST)),
                    ));
                }
            }
        }
        ids
    }

    /// The rows that stay, in their order; a row that replaces another stands in its place.
    pub(super) fn order(
        &self,
        ids: &FxHashMap<&str, usize>,
        successors: &HashMap<usize, usize>,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Vec<usize> {
        let mut beside = Beside::default();
        let mut placed = vec![false; self.entries.len()];
        let mut names = None;
        for (index, entry) in self.entries.iter().enumerate().skip(self.n_base) {
            let Some(Place { side, id }) = entry.row.place.as_deref() else {
                if let Some(&replaced) = successors.get(&(index - self.n_base)) {
                    placed[index] = true;
                    beside.after.entry(replaced).or_default().push(index);
                }
                continue;
            };
            let anchor = ids.get(&*id.value).copied().or_else(|| {
                let (first, last) = *names.get_or_insert_with(|| self.names()).get(&*id.value)?;
                Some(if *side == Side::Before { first } else { last })
            });
            match anchor {
                Some(anchor) => {
                    placed[index] = true;
                    beside.of(*side).entry(anchor).or_default().push(index);
                }
                None if self.is_part(&id.value) => {}
                None => {
                    let ids = self.entries.iter().map(|entry| &*entry.id);
                    let suggest = diagnostics.len() < MAX_SUGGESTIONS;
                    let part = super::of_part(&id.value, self.parts.iter().copied());
                    diagnostics.push(match part {
                        Some(part) => report::row_of_part(id, part),
                        None => report::unknown_row(id, ids, suggest),
                    });
                }
            }
        }
        let roots = (0..self.entries.len()).filter(|index| !placed[*index]);
        let mut order = beside.around(roots, self.entries.len());
        if order.len() < self.entries.len() {
            let mut reached = vec![false; self.entries.len()];
            order.iter().for_each(|index| reached[*index] = true);
            let lost = reached.iter().position(|reached| !reached);
            diagnostics.extend(lost.map(|lost| report::places_in_a_circle(self.entries[lost].row)));
        }
        order.retain(|index| !self.fates.contains_key(index));
        order
    }

    fn is_part(&self, id: &str) -> bool {
        let base = element(id).map_or(id, |(base, _)| base);
        self.parts.contains(base)
    }

    /// The first and the last row that defines each name.
    fn names(&self) -> HashMap<&'l str, (usize, usize)> {
        let mut names = HashMap::new();
        for (index, entry) in self.staying() {
            if let Some(name) = entry.row.body.defines() {
                names.entry(&*name.value).or_insert((index, index)).1 = index;
            }
        }
        names
    }
}

/// Rows that stand beside others.
#[derive(Default)]
struct Beside {
    before: HashMap<usize, Vec<usize>>,
    after: HashMap<usize, Vec<usize>>,
}

/// Task that is left while rows are put in order.
enum Step {
    Row(usize),
    Around(usize),
}

impl Beside {
    fn of(&mut self, side: Side) -> &mut HashMap<usize, Vec<usize>> {
        match side {
            Side::Before => &mut self.before,
            Side::After => &mut self.after,
        }
    }

    /// The rows given, each with those beside it, and so on.
    fn around(&self, roots: impl Iterator<Item = usize>, n_rows: usize) -> Vec<usize> {
        let mut order = Vec::with_capacity(n_rows);
        let mut stack = Vec::new();
        let steps = |rows: &HashMap<usize, Vec<usize>>, row: &usize| {
            let rows = rows.get(row).map_or(&[][..], Vec::as_slice);
            rows.iter()
                .rev()
                .map(|row| Step::Around(*row))
                .collect::<Vec<_>>()
        };
        for root in roots {
            stack.push(Step::Around(root));
            while let Some(step) = stack.pop() {
                match step {
                    Step::Row(row) => order.push(row),
                    Step::Around(row) => {
                        stack.extend(steps(&self.after, &row));
                        stack.push(Step::Row(row));
                        stack.extend(steps(&self.before, &row));
                    }
                }
            }
        }
        order
    }
}
