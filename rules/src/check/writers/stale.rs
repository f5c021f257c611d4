//! C010: a value that no row writes in some state, although somebody reads it there.
//!
//! Integrals and everything else with a memory are meant to keep their values, and so are reals
//! written at events only. What remains are quantities computed from others while a condition
//! holds; out of it they keep the last value, which is then about a state that is gone. That is
//! harmless as long as every reader is conditional too, so a *reader that counts* is looked for: a
//! row, or a condition that decides something, in the state where the value is stale.

use biodivine_lib_bdd::Bdd;
use situ_engine::ids::{RealId, RelationId};
use situ_engine::model::{Boolean, Guard, Literal};
use situ_engine::procedure::Effect;
use situ_words::{Phrase, phrase, say};

use crate::check::Context;
use crate::check::activity::Activity;
use crate::check::budget::OverBudget;
use crate::check::index::{self, Use};
use crate::check::logic::atoms::View;
use crate::check::logic::scope::Scope;
use crate::check::logic::state::State;
use crate::diag::{Diagnostic, Severity};

const QUESTION: Phrase = phrase!("writer-stale.question");
/// So many readers of a real are looked at.
const MAX_READERS: usize = 32;
/// A real with more rows than this is not analysed.
const MAX_WRITERS: usize = 64;

/// A reader of a stale value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Reader {
    Relation(RelationId),
    /// A range that decides where it stands.
    Range(situ_engine::ids::RangeId),
    Watch,
    /// Nobody but the person who looks at the output.
    Output,
}

pub(in crate::check) fn check(context: &mut Context<'_>, real: RealId) {
    let writers = context.index.writers.of(real.index());
    let (mut level, mut instant) = (Vec::new(), Vec::new());
    for &id in writers {
        let kind = context.kind(id);
        let keeps = kind.effect != Effect::Assigns;
        if keeps || kind.always || context.relation(id).guard == Guard::Otherwise {
            return;
        }
        if kind.instant {
            instant.push(id);
        } else {
            level.push(id);
        }
    }
    // Rows that read their own target only make it a state of its own.
    let computed = |id: &RelationId| !context.index.chains(*id, real);
    if !level.iter().any(computed) {
        return;
    }
    let model = context.model;
    let name = || model.reals[real.index()].name.clone();
    if writers.len() > MAX_WRITERS {
        context.leave_open(QUESTION, name);
        return;
    }
    let found = context.ask(QUESTION, name, |context| {
        let readers = readers(context, real)?;
        if readers.is_empty() {
            return Ok(None);
        }
        find(context, &level, &instant, &readers)
    });
    if let Some(Some((reader, state))) = found {
        context.report("C010", |context| {
            stale(context, real, &level, reader, &state)
        });
    }
}

/// A reader, and when its reading matters.
struct Reading {
    reader: Reader,
    matters: Activity,
}

fn readers(context: &Context<'_>, real: RealId) -> Result<Vec<Reading>, OverBudget> {
    let model = context.model;
    let mut readers: Vec<Reading> = Vec::new();
    let mut add = |reader, matters| readers.push(Reading { reader, matters });
    let relations = context.index.readers.of(real.index());
    let ranges = context.index.range_readers.of(real.index());
    if context.index.watched[real.index()] {
        add(Reader::Watch, Activity::always());
    }
    let others: Vec<RelationId> = relations
        .iter()
        .filter(|read| read.counts && !context.relation(read.of).targets.contains(&real))
        .map(|read| read.of)
        .collect();
    match others.iter().find(|id| context.kind(**id).always) {
        Some(always) => add(Reader::Relation(*always), Activity::always()),
        None => {
            for &id in others.iter().take(MAX_READERS) {
                add(Reader::Relation(id), Activity::of(context, id)?);
            }
        }
    }
    for &range in ranges.iter().take(MAX_READERS) {
        let uses = context.index.range_uses.of(range.index());
        for place in uses.iter().take(MAX_READERS) {
            let activity = match *place {
                Use::Situation(row) => Activity::while_all(&model.situation_rows[row].all),
                Use::Assignment(row) => Activity::while_all(&model.assignments[row].when),
                Use::Guard(id) | Use::Argument(id) => Activity::of(context, id)?,
                Use::Watch => Activity::always(),
                // What is drawn decides nothing.
                Use::Scene => continue,
            };
            let what = Boolean::Range(range);
            add(Reader::Range(range), activity.without(what));
        }
    }
    if relations.is_empty() && ranges.is_empty() && model.reals[real.index()].output {
        add(Reader::Output, Activity::always());
    }
    // One that always reads settles the question at once.
    readers.sort_by_key(|reading| !reading.matters.is_always());
    let settled = readers
        .first()
        .is_some_and(|first| first.matters.is_always());
    readers.truncate(if settled { 1 } else { MAX_READERS });
    Ok(readers)
}

fn find(
    context: &mut Context<'_>,
    level: &[RelationId],
    instant: &[RelationId],
    readers: &[Reading],
) -> Result<Option<(Reader, State)>, OverBudget> {
    let model = context.model;
    let conditions = context.conditions;
    let level: Vec<Activity> = activities(context, level)?;
    let jumps: Vec<Activity> = activities(context, instant)?;
    let read = readers.iter().map(|reading| &reading.matters);
    let all = level.iter().chain(&jumps).chain(read);
    let booleans = all.flat_map(Activity::booleans);
    let mut scope = Scope::new(conditions, View::Settled, booleans, &mut context.work)?;

    let mut written = scope.never();
    for row in &level {
        let active = row.function(&mut scope)?;
        written = scope.or(&written, &active)?;
    }
    // Only what was written before can be stale: switches that no rule assigns stay as they are.
    let quiet = scope.no_event()?;
    let once_written = scope.by_settings(&written)?;
    let mut gap = scope.and_not(&quiet, &written)?;
    gap = scope.and(&gap, &once_written)?;
    // A row at an event writes on the way into the states in which the event's condition holds.
    for &id in instant {
        let all = index::condition(&model.relations[id.index()]).unwrap_or_default();
        let entered = entered(&mut scope, conditions, model, all)?;
        gap = scope.and_not(&gap, &entered)?;
    }
    // Rows that contradict each other in numbers write nothing at any time.
    if !scope.is_possible(&gap)? || scope.state(&written)?.is_none() {
        return Ok(None);
    }
    for reading in readers {
        let reads = reading.matters.function(&mut scope)?;
        let stale = scope.and(&gap, &reads)?;
        if let Some(state) = scope.state(&stale)? {
            return Ok(Some((reading.reader, state)));
        }
    }
    Ok(None)
}

fn activities(context: &Context<'_>, rows: &[RelationId]) -> Result<Vec<Activity>, OverBudget> {
    rows.iter().map(|id| Activity::of(context, *id)).collect()
}

/// The states that are entered through the events of a conjunction.
fn entered(
    scope: &mut Scope<'_, '_>,
    conditions: &crate::check::logic::conditions::Conditions<'_>,
    model: &situ_engine::model::Model,
    all: &[Literal],
) -> Result<Bdd, OverBudget> {
    let mut entered = scope.always();
    for literal in all {
        let one = match literal.what {
            Boolean::Situation(id) if model.situations[id.index()].event && !literal.negated => {
                let mut rows = scope.never();
                for &row in conditions.rows.of(id.index()) {
                    let row = scope.before(&model.situation_rows[row].all)?;
                    rows = scope.or(&rows, &row)?;
                }
                rows
            }
            _ => scope.after(std::slice::from_ref(literal))?,
        };
        entered = scope.and(&entered, &one)?;
    }
    Ok(entered)
}

fn stale(
    context: &Context<'_>,
    real: RealId,
    writers: &[RelationId],
    reader: Reader,
    state: &State,
) -> Diagnostic {
    let model = context.model;
    let name = context.real_name(real);
    let severity = match reader {
        Reader::Output => Severity::Note,
        _ => Severity::Warning,
    };
    let shown = state.describe(model);
    let message = if shown.is_empty() {
        say!("writer-stale", name)
    } else {
        say!("writer-stale.no-row", name, shown)
    };
    let mut diagnostic = Diagnostic::new("C010", severity, message);
    diagnostic = match reader {
        Reader::Relation(id) => {
            let row = context.row_id(id);
            context
                .also(
                    diagnostic,
                    context.relation(id).origin,
                    say!("writer-stale.also-still-reads"),
                )
                .with_note(say!("writer-stale.note-row-reads", row))
        }
        Reader::Range(id) => {
            let range = &model.ranges[id.index()];
            context
                .also(
                    diagnostic,
                    range.origin,
                    say!("writer-stale.also-still-compares"),
                )
                .with_note(say!("writer-stale.note-compares", range = range.name))
        }
        Reader::Watch => diagnostic.with_note(say!("writer-stale.note-stop-when")),
        Reader::Output => diagnostic.with_note(say!("writer-stale.note-only-output")),
    };
    for (position, &writer) in writers.iter().enumerate() {
        let origin = context.relation(writer).origin;
        let label = say!("writer-stale.label");
        diagnostic = if position == 0 {
            context.at(diagnostic, origin, label)
        } else {
            context.also(diagnostic, origin, label)
        };
    }
    if state.on_border {
        diagnostic = diagnostic.with_note(say!("writer-stale.note-happens-border"));
        diagnostic.with_help(say!("writer-stale.help-let-conditions", name))
    } else {
        diagnostic.with_help(say!("writer-stale.help-add-row", name))
    }
}
