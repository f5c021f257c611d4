//! C053: ranges that are moved by what they bring about.
//!
//! A row that acts while a range holds computes a real from which, at the same time, follows what the range looks at. So the
//! range may ask for the opposite of what it is: ticks then alternate, and the event-accurate run slides between both
//! (FORMALISM 10.4). What moves in time, as an integral does, carries no consequence over at once.

use std::collections::BTreeSet;

use situ_engine::ids::{RangeId, RealId, RelationId};
use situ_engine::model::{Boolean, Expr, Guard, Literal};
use situ_engine::procedure::Effect;
use situ_words::{phrase, say};

use crate::check::Context;
use crate::diag::{Diagnostic, Severity};

/// Rows are looked at so often at most.
const MAX_VISITS: usize = 1_000_000;

/// Reports ranges on which a row depends that computes what they look at.
pub(in crate::check) fn check(context: &mut Context<'_>) {
    let behind = behind_situations(context);
    let guards: Vec<BTreeSet<RangeId>> = (0..context.model.relations.len())
        .map(RelationId::new)
        .map(|row| match computes(context, row) {
            true => ranges_of(&guard(context, row), &behind),
            false => BTreeSet::new(),
        })
        .collect();
    let shaping: BTreeSet<RangeId> = guards.iter().flatten().copied().collect();
    let mut visits = 0;
    for range in shaping {
        match moved_by(context, range, &guards, &mut visits) {
            Some(row) => context.report("C053", |context| moved(context, range, row)),
            None if visits > MAX_VISITS => {
                let name = context.model.ranges[range.index()].name.clone();
                context.leave_open(phrase!("check-consequence.whether-ranges-depend"), || name);
                return;
            }
            None => {}
        }
    }
}

/// True if a row computes its target in the same instant, from others: one that changes its own value is C052's, one
/// that sets what others move in time sets a state.
fn computes(context: &Context<'_>, row: RelationId) -> bool {
    let target = context.relation(row).targets[0];
    let mut reads = context.index.reads.of(row.index()).iter();
    let mut writers = context.index.writers.of(target.index()).iter();
    context.kind(row).is_computed()
        && reads.all(|read| read.of != target)
        && writers.all(|other| context.kind(*other).effect != Effect::Updates)
}

/// The literals on which a row depends; those of its siblings for `otherwise`.
fn guard(context: &Context<'_>, row: RelationId) -> Vec<Literal> {
    match &context.relation(row).guard {
        Guard::Always => Vec::new(),
        Guard::When(all) => all.to_vec(),
        Guard::Otherwise => {
            let target = context.relation(row).targets[0];
            let siblings = context.index.writers.of(target.index()).iter();
            let guards = siblings.filter_map(|other| match &context.relation(*other).guard {
                Guard::When(all) => Some(all.to_vec()),
                Guard::Always | Guard::Otherwise => None,
            });
            guards.flatten().collect()
        }
    }
}

/// Per situation the ranges on which it depends; none for an event, which holds for an instant only.
fn behind_situations(context: &Context<'_>) -> Vec<BTreeSet<RangeId>> {
    let model = context.model;
    let mut behind = vec![BTreeSet::new(); model.situations.len()];
    // A situation names those above it only.
    for row in &model.situation_rows {
        if !model.situations[row.situation.index()].event {
            let ranges = ranges_of(&row.all, &behind);
            behind[row.situation.index()].extend(ranges);
        }
    }
    behind
}

fn ranges_of(all: &[Literal], behind: &[BTreeSet<RangeId>]) -> BTreeSet<RangeId> {
    let mut ranges = BTreeSet::new();
    for literal in all {
        match literal.what {
            Boolean::Range(range) => drop(ranges.insert(range)),
            Boolean::Situation(situation) => ranges.extend(&behind[situation.index()]),
            Boolean::Switch(_) | Boolean::Schedule(_) | Boolean::Start => {}
        }
    }
    ranges
}

/// A row that depends on a range and computes what the range looks at, if there is one.
fn moved_by(
    context: &Context<'_>,
    range: RangeId,
    guards: &[BTreeSet<RangeId>],
    visits: &mut usize,
) -> Option<RelationId> {
    let mut seen = BTreeSet::new();
    let mut open: Vec<RealId> = Vec::new();
    for comparison in &context.model.ranges[range.index()].all {
        for side in [comparison.left, comparison.right] {
            context.model.exprs.visit(side, |_, node| {
                if let Expr::Real(real) = node {
                    open.push(*real);
                }
            });
        }
    }
    while let Some(real) = open.pop() {
        if !seen.insert(real) {
            continue;
        }
        for &row in context.index.writers.of(real.index()) {
            *visits += 1;
            if *visits > MAX_VISITS {
                return None;
            }
            if computes(context, row) {
                if guards[row.index()].contains(&range) {
                    return Some(row);
                }
                let reads = context.index.reads.of(row.index()).iter();
                open.extend(reads.map(|read| read.of));
            }
        }
    }
    None
}

fn moved(context: &Context<'_>, range: RangeId, row: RelationId) -> Diagnostic {
    let range = &context.model.ranges[range.index()];
    let message = say!("check-moved", range = range.name);
    let real = context.real_name(context.relation(row).targets[0]);
    let mut diagnostic = Diagnostic::new("C053", Severity::Note, message);
    diagnostic = context.at(diagnostic, range.origin, say!("check-moved.label", real));
    let origin = context.relation(row).origin;
    diagnostic = context.also(diagnostic, origin, say!("check-moved.also"));
    diagnostic
        .with_note(say!("check-moved.note"))
        .with_help(say!("check-moved.help"))
}
