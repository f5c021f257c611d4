//! Elements of reals that the rows of their family leave out, and those that two rows write.

use super::check::{Written, each_element_of, integrates};
use super::cover::Elements;
use super::families::Scope;
use super::index::{Form, form};
use super::{Expander, cover, report};
use crate::resolve::merged::Merged;
use crate::tree::{Expr, Guard, IndexItem, Name};

impl<'a> Expander<'a> {
    /// Which indices of a target follow from earlier ones, because they have the same counter.
    pub(super) fn ties(&mut self, name: &'a Name, scope: &Scope<'a>) -> Vec<(usize, usize, i64)> {
        let items = name.index.iter().flat_map(|index| &index.items);
        let mut known: Vec<(usize, &str, i64)> = Vec::new();
        let mut ties = Vec::new();
        for (at, item) in items.enumerate() {
            let IndexItem::At(expr) = item else { continue };
            let Ok(Form::Counter(counter, _, by)) = form(expr, scope, &mut self.values) else {
                continue;
            };
            match known.iter().find(|(_, other, _)| *other == counter) {
                Some((of, _, first)) => ties.push((at, *of, by - first)),
                None => known.push((at, counter, by)),
            }
        }
        ties
    }

    /// Elements of reals that some rows of the family leave out, and those that two rows write.
    pub(super) fn check_coverage(&mut self, merged: &Merged<'a>, written: &[Written<'a>]) {
        let reals = merged
            .reals
            .iter()
            .filter_map(|one| one.name.index.as_ref());
        let mut seen: Vec<&str> = Vec::new();
        for index in reals {
            if seen.contains(&&*index.base) {
                continue;
            }
            seen.push(&index.base);
            let rows: Vec<&Written<'a>> = written
                .iter()
                .filter(|one| one.base == index.base)
                .collect();
            let Some(family) = self.families.get(&index.base) else {
                continue;
            };
            let family = family.clone();
            if rows.is_empty() {
                continue;
            }
            let elements: Vec<&Elements> = rows.iter().map(|one| &one.elements).collect();
            if let Some((first, n)) = cover::unwritten(&family.blocks[0], &elements) {
                let rows: Vec<(&str, String, crate::source::Span)> = rows
                    .iter()
                    .map(|one| (one.id.as_str(), one.shown.clone(), one.row.span))
                    .collect();
                self.report(report::gap(&index.base, &first, n, &family, &rows));
            }
            self.check_overlap(&index.base, &rows);
        }
    }

    pub(super) fn check_overlap(&mut self, base: &str, rows: &[&Written<'a>]) {
        for (at, second) in rows.iter().enumerate() {
            let alone = |one: &Written<'_>| {
                matches!(one.row.body.guard, Guard::Always) && !one.row.body.once
            };
            if !alone(second) || self.reads_own(second) || integrates(second.row) {
                continue;
            }
            for first in &rows[..at] {
                if !alone(first) || integrates(first.row) {
                    continue;
                }
                if let Some(both) = first.elements.common(&second.elements)
                    && (first.elements.size() > 1 || second.elements.size() > 1)
                {
                    let names = [first.id.as_str(), second.id.as_str()];
                    let spans = [first.row.span, second.row.span];
                    self.report(report::overlap(base, &both, names, spans));
                    return;
                }
            }
        }
    }

    /// True if a row reads what it writes, at the same index or another.
    pub(super) fn reads_own(&self, written: &Written<'a>) -> bool {
        let mut found = false;
        let mut look = |expr: &'a Expr| {
            each_element_of(expr, &mut |base, _, _| found |= base == written.base);
        };
        written
            .row
            .body
            .value
            .exprs()
            .into_iter()
            .for_each(&mut look);
        found
    }
}
