//! C030: rows whose value is overwritten before anything reads it, whenever they act.

use situ_engine::ids::{RealId, RelationId};
use situ_engine::model::{Boolean, Scan};
use situ_engine::procedure::Effect;
use situ_words::{Phrase, phrase, say};

use crate::check::budget::OverBudget;
use crate::check::logic::atoms::View;
use crate::check::{Context, activity, index, machines, redundant};
use crate::diag::{Diagnostic, Severity};

const QUESTION: Phrase = phrase!("writer-shadowed.question");
/// A row is compared with so many rows below.
const MAX_BELOW: usize = 32;
/// In a real with more rows than this only unconditional rows below are looked at.
const MAX_WRITERS: usize = 48;

/// Reports the shadowed rows of a real and marks them in `settled`, with the repeated ones, so that
/// nothing else is said about them.
pub(in crate::check) fn check(context: &mut Context<'_>, real: RealId, settled: &mut [bool]) {
    let writers = context.index.writers.of(real.index());
    let few = writers.len() <= MAX_WRITERS;
    let mut skipped = false;
    for (at, &row) in writers.iter().enumerate() {
        let below = overwriting(context, real, row, &writers[at + 1..]);
        if below.is_empty() {
            continue;
        }
        if below
            .iter()
            .any(|other| redundant::repeats(context, row, *other))
        {
            settled[row.index()] = context.relation(row).targets.len() == 1;
            continue;
        }
        let by = match acts_with(context, row, &below) {
            Some(one) => Some(vec![one]),
            None if few => by_several(context, real, row, &below),
            None => {
                skipped = true;
                None
            }
        };
        if let Some(by) = by {
            settled[row.index()] = context.relation(row).targets.len() == 1;
            context.report("C030", |context| shadowed(context, real, row, &by));
        }
    }
    if skipped {
        let model = context.model;
        context.leave_open(QUESTION, || model.reals[real.index()].name.clone());
    }
}

/// The rows below that replace the value unread.
fn overwriting(
    context: &Context<'_>,
    real: RealId,
    row: RelationId,
    below: &[RelationId],
) -> Vec<RelationId> {
    let simultaneous = context.scan == Scan::Simultaneous;
    let readers = context.index.readers.of(real.index());
    let next = readers.partition_point(|read| read.of <= row);
    let read_at = readers.get(next).map_or(usize::MAX, |read| read.of.index());
    below
        .iter()
        .copied()
        .take(MAX_BELOW)
        .filter(|id| simultaneous || id.index() < read_at)
        .filter(|id| {
            let effect = context.kind(*id).effect;
            effect == Effect::Assigns || (simultaneous && effect == Effect::Updates)
        })
        .collect()
}

/// One of the rows below that acts whenever the row does, by its form: always, or in the state that a transition enters.
fn acts_with(context: &Context<'_>, row: RelationId, below: &[RelationId]) -> Option<RelationId> {
    let condition = |id: RelationId| index::condition(context.relation(id));
    let instant = context.kind(row).instant;
    let fired = condition(row).filter(|_| instant);
    let entered = fired.and_then(|all| machines::state_behind(context.model, all));
    let is_of_state = |id: RelationId| match condition(id) {
        Some(&[only]) => {
            !only.negated && entered.is_some_and(|state| only.what == Boolean::Switch(state))
        }
        _ => false,
    };
    let mut below = below.iter().copied();
    below.find(|id| context.kind(*id).always || is_of_state(*id))
}

/// The rows below, if the row never acts without one of them.
fn by_several(
    context: &mut Context<'_>,
    real: RealId,
    row: RelationId,
    below: &[RelationId],
) -> Option<Vec<RelationId>> {
    // An unconditional row is overwritten by conditional ones only if these cover everything.
    let may_cover = below.len() > 1 || below.iter().any(|other| related(context, row, *other));
    if !may_cover {
        return None;
    }
    let name = context.real_name(real).to_owned();
    let covered = context.ask(
        QUESTION,
        || name,
        |context| {
            let mut all = vec![row];
            all.extend(below);
            let (mut scope, active) = activity::scope(context, View::Loose, &all)?;
            let mut alone = active[0].clone();
            if !scope.is_possible(&alone)? {
                return Ok(None);
            }
            let mut by = Vec::new();
            for (id, over) in below.iter().zip(&active[1..]) {
                let both = scope.and(&active[0], over)?;
                if scope.is_possible(&both)? {
                    by.push(*id);
                }
                alone = scope.and_not(&alone, over)?;
            }
            let covered = !scope.is_possible(&alone)?;
            Ok::<_, OverBudget>(covered.then_some(by))
        },
    );
    covered.flatten()
}

fn related(context: &Context<'_>, one: RelationId, other: RelationId) -> bool {
    match (
        index::condition(context.relation(one)),
        index::condition(context.relation(other)),
    ) {
        (Some(one), Some(other)) => context.conditions.related(one, other),
        _ => true,
    }
}

fn shadowed(context: &Context<'_>, real: RealId, row: RelationId, by: &[RelationId]) -> Diagnostic {
    let name = context.real_name(real);
    let id = context.row_id(row);
    let over = context.rows(by);
    let (message, reason) = match context.kind(row).effect {
        Effect::Updates => (
            say!("writer-shadowed.acts", id, n = by.len(), over, name),
            phrase!("writer-shadowed.replaces-what-row"),
        ),
        _ => (
            say!("writer-shadowed", id, n = by.len(), over, name),
            phrase!("writer-shadowed.nothing-reads-value"),
        ),
    };
    let mut diagnostic = Diagnostic::new("C030", Severity::Warning, message);
    diagnostic = context.at(
        diagnostic,
        context.relation(row).origin,
        say!("writer-shadowed.label"),
    );
    for other in by {
        diagnostic = context.also(diagnostic, context.relation(*other).origin, reason);
    }
    diagnostic.with_help(say!("writer-shadowed.help", id, over))
}
