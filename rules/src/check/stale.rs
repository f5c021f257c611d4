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

use super::budget::OverBudget;
use super::index::{self, Effect, Use};
use super::logic::scope::{Scope, View};
use super::logic::state::State;
use super::{Context, conflicts};
use crate::diag::{Diagnostic, Severity};

const QUESTION: &str = "where a real keeps an old value";
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

pub(super) fn check(context: &mut Context<'_>, real: RealId) {
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
        let readers = readers(context, real);
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

/// A reader and the conjunctions that decide whether its reading matters: all literals of the
/// first, or for an `otherwise` row none of all.
struct Reading<'a> {
    reader: Reader,
    guard: (bool, Vec<&'a [Literal]>),
    /// Ranges that make no difference: the one that reads.
    except: Option<Boolean>,
}

impl Reading<'_> {
    fn is_always(&self) -> bool {
        let (otherwise, all) = &self.guard;
        let counts = |literal: &&Literal| Some(literal.what) != self.except;
        !otherwise && all.iter().copied().flatten().filter(counts).count() == 0
    }
}

/// Who reads the real, and under which conjunction the reading matters.
fn readers<'a>(context: &Context<'a>, real: RealId) -> Vec<Reading<'a>> {
    let model = context.model;
    let mut readers: Vec<Reading<'a>> = Vec::new();
    let always = |reader| Reading {
        reader,
        guard: (false, Vec::new()),
        except: None,
    };
    if context.index.watched[real.index()] {
        readers.push(always(Reader::Watch));
    }
    let relations = context.index.readers.of(real.index());
    let ranges = context.index.range_readers.of(real.index());
    for read in relations.iter().filter(|read| read.counts) {
        let relation = context.relation(read.of);
        if relation.targets.contains(&real) {
            continue;
        }
        readers.push(Reading {
            reader: Reader::Relation(read.of),
            guard: (
                relation.guard == Guard::Otherwise,
                context.deciding(read.of),
            ),
            except: None,
        });
    }
    for &range in ranges {
        for place in context.index.range_uses.of(range.index()) {
            let guard = match *place {
                Use::Situation(row) => (false, vec![&model.situation_rows[row].all[..]]),
                Use::Assignment(row) => (false, vec![&model.assignments[row].when[..]]),
                Use::Guard(id) | Use::Argument(id) => {
                    let otherwise = context.relation(id).guard == Guard::Otherwise;
                    (otherwise, context.deciding(id))
                }
                Use::Watch => (false, Vec::new()),
            };
            readers.push(Reading {
                reader: Reader::Range(range),
                guard,
                except: Some(Boolean::Range(range)),
            });
        }
    }
    if relations.is_empty() && ranges.is_empty() && model.reals[real.index()].output {
        readers.push(always(Reader::Output));
    }
    // Those that always read settle the question at once.
    readers.sort_by_key(|reading| !reading.is_always());
    readers.truncate(MAX_READERS);
    if readers.first().is_some_and(Reading::is_always) {
        readers.truncate(1);
    }
    readers
}

fn find(
    context: &mut Context<'_>,
    level: &[RelationId],
    instant: &[RelationId],
    readers: &[Reading<'_>],
) -> Result<Option<(Reader, State)>, OverBudget> {
    let model = context.model;
    let guards = conflicts::guards(context, level);
    let mut booleans = context.booleans(level);
    booleans.extend(context.booleans(instant));
    let read = readers.iter().flat_map(|reading| &reading.guard.1);
    booleans.extend(read.copied().flatten().map(|literal| literal.what));
    let conditions = context.conditions;
    let mut scope = Scope::new(conditions, View::Settled, booleans, &mut context.work)?;

    let mut written = scope.never();
    for active in conflicts::active(&mut scope, &guards)? {
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
        let entered = entered(&mut scope, context.conditions, model, all)?;
        gap = scope.and_not(&gap, &entered)?;
    }
    if !scope.is_possible(&gap)? {
        return Ok(None);
    }
    for reading in readers {
        let (otherwise, conjunctions) = &reading.guard;
        let mut reads = scope.never();
        for all in conjunctions {
            let counts = |literal: &&Literal| Some(literal.what) != reading.except;
            let all: Vec<Literal> = all.iter().filter(counts).copied().collect();
            let one = scope.after(&all)?;
            reads = scope.or(&reads, &one)?;
        }
        if *otherwise || conjunctions.is_empty() {
            reads = reads.into_not();
        }
        let stale = scope.and(&gap, &reads)?;
        if let Some(state) = scope.state(&stale)? {
            return Ok(Some((reading.reader, state)));
        }
    }
    Ok(None)
}

/// The states that are entered through the events of a conjunction.
fn entered(
    scope: &mut Scope<'_, '_>,
    conditions: &super::logic::conditions::Conditions<'_>,
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
        format!("no row writes `{name}`: it keeps its last value")
    } else {
        format!("no row writes `{name}` at {shown}: it keeps its last value")
    };
    let mut diagnostic = Diagnostic::new("C010", severity, message);
    diagnostic = match reader {
        Reader::Relation(id) => {
            let row = context.row_id(id);
            context
                .also(
                    diagnostic,
                    context.relation(id).origin,
                    "reads it all the same",
                )
                .with_note(format!("row `{row}` reads it there"))
        }
        Reader::Range(id) => {
            let range = &model.ranges[id.index()];
            context
                .also(diagnostic, range.origin, "compares it all the same")
                .with_note(format!("`{}` compares it there", range.name))
        }
        Reader::Watch => diagnostic.with_note("`stop_when` reads it there"),
        Reader::Output => diagnostic.with_note("nothing but the output reads it"),
    };
    for (position, &writer) in writers.iter().enumerate() {
        let origin = context.relation(writer).origin;
        let label = "writes it only while its condition holds";
        diagnostic = if position == 0 {
            context.at(diagnostic, origin, label)
        } else {
            context.also(diagnostic, origin, label)
        };
    }
    if state.on_border {
        diagnostic = diagnostic.with_note("this happens on the border only");
        diagnostic.with_help(format!(
            "let one of the conditions include the border (`<=`, `>=`), or add a row `{name} = ... otherwise`"
        ))
    } else {
        diagnostic.with_help(format!(
            "add a row `{name} = ... otherwise`, for example `{name} = 0 otherwise`"
        ))
    }
}
