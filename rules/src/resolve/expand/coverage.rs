//! Elements of reals that the rows of their family leave out, and those that two rows write.

use super::check::{Written, each_element_of, integrates};
use super::families::{Block, block_text, size};
use super::{Expander, cover, report};
use crate::resolve::merged::Merged;
use crate::tree::{Expr, Guard};

impl<'a> Expander<'a> {
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
            let blocks: Vec<Block> = rows.iter().map(|one| one.block.clone()).collect();
            let rest = cover::rest(&family.blocks[0], &blocks);
            if let Some(first) = rest.first() {
                let n = rest.iter().map(size).sum();
                let rows: Vec<(&str, String, crate::source::Span)> = rows
                    .iter()
                    .map(|one| (one.id.as_str(), block_text(&one.block), one.row.span))
                    .collect();
                self.report(report::gap(&index.base, first, n, &family, &rows));
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
                if let Some(both) = cover::common(&first.block, &second.block)
                    && (size(&first.block) > 1 || size(&second.block) > 1)
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
