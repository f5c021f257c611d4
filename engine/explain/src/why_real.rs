//! Why a real has its value: which rows gave it, what they read, and since when.

use std::sync::Arc;

use situ_engine::ids::{RealId, RelationId};
use situ_engine::model::{Argument, Coefficient, Expr, Guard, Model, Relation};

use crate::moment::{Asker, Moment};
use crate::reason::{Fact, Reason, RowRef};
use crate::same_row::says_the_same;
use crate::stepper::Stepper;
use crate::why::Explained;
use crate::{Interrupted, Past, ProgressSink, STRETCH, look};

/// A row that wrote a real in the last step: all reals as it read them, what it gave if it wrote once, and the microstep
/// in which it did.
struct Write {
    relation: RelationId,
    before: Vec<f64>,
    gave: Option<f64>,
    microstep: Option<usize>,
}

/// The rows that wrote a real in a step, and when it ended.
struct Writers {
    model: Arc<Model>,
    rows: Vec<RelationId>,
    time: f64,
    /// True if the last of them goes on writing it, up to where the next step ends.
    goes_on: bool,
}

impl<T> Past<'_, T> {
    /// Which row gave a real its value, from what, and since when.
    ///
    /// # Errors
    ///
    /// The sink stops the work.
    pub fn why_real(
        &mut self,
        id: RealId,
        progress: &mut dyn ProgressSink,
    ) -> Result<Reason, Interrupted> {
        let now = self.run();
        let (value, model) = (now.row().real(id), Arc::clone(now.model()));
        let quantity = &model.reals[id.index()];
        let mut reason = Reason::new(&model, Fact::Value { real: id, value });
        let mut moment = self.moment();
        let wrote = Arc::clone(&moment.model);
        let Some(target) = real_named(&wrote, &quantity.name) else {
            reason.under.push(Reason::new(&model, Fact::New));
            return Ok(reason);
        };
        let (writes, projected) = writes(&moment, target);
        let instant = self.writes_before_change(&quantity.name);
        let earlier = instant.iter().flat_map(|(.., writes)| writes);
        let n_writes = earlier.clone().count() + writes.len();
        let after = projected.map(|(_, after)| after);
        let last = earlier.chain(&writes).last();
        let after = after.or_else(|| last.and_then(|write| write.gave));
        if after.is_some_and(|after| after.to_bits() != value.to_bits()) {
            reason.under.push(Reason::new(&model, Fact::SetFromOutside));
        }
        if let Some((mut instant, target, writes)) = instant {
            let told = self.told_of_writes(&mut instant, target, &writes);
            reason.under.extend(told);
        }
        let told = self.told_of_writes(&mut moment, target, &writes);
        reason.under.extend(told);
        if let Some((before, after)) = projected {
            let moved = after - before;
            reason
                .under
                .push(Reason::new(&wrote, Fact::PutOnConstraints { moved }));
        }
        let since = self.writers_before(&quantity.name, progress)?;
        let since = match (n_writes == 0, since) {
            (true, None) => Reason::new(&model, Fact::NeverWritten),
            (true, Some((writers, time))) => match writers.rows.last() {
                Some(&relation) => {
                    Reason::new(&writers.model, Fact::WrittenLast { relation, time })
                }
                None => Reason::new(&model, Fact::NeverWritten),
            },
            (false, since) => {
                let fact = Fact::WrittenSince {
                    rows: n_writes,
                    time: since.map(|(_, since)| since),
                };
                Reason::new(&wrote, fact)
            }
        };
        reason.under.push(since);
        Ok(reason)
    }

    /// What event rows wrote into a real in the instant behind which the run was changed here.
    fn writes_before_change(&mut self, name: &str) -> Option<(Moment, RealId, Vec<Write>)> {
        let history = self.history.clone();
        let instant = self.moment_before_change(&history)?;
        let target = real_named(&instant.model, name)?;
        let writes = instant_writes(&instant, target);
        Some((instant, target, writes))
    }

    /// Rows that wrote a real, each with what it read and why it did.
    fn told_of_writes(
        &mut self,
        moment: &mut Moment,
        target: RealId,
        writes: &[Write],
    ) -> Vec<Reason> {
        let time = self.run().time();
        let standing = moment.decided.clone();
        let wrote = Arc::clone(&moment.model);
        let mut told = Vec::new();
        for write in writes {
            let row = &wrote.relations[write.relation.index()];
            let share = moment.before.events().map(|run| run.share(write.relation));
            let fact = Fact::WrittenBy {
                relation: write.relation,
                gave: write.gave,
                share: share.filter(|share| write.gave.is_none() && *share < 1.0),
            };
            let mut by = Reason::new(&wrote, fact);
            let constants = moment.before.row().constants;
            if row.procedure.solves() {
                let at = (&write.before[..], constants);
                by.under = equations(&wrote, write.relation, target, at, time);
            }
            by.under
                .extend(read_by(&wrote, row, &write.before, constants));
            if let Guard::When(all) = &row.guard {
                moment.decided = match write.microstep {
                    Some(at) => moment.microsteps[at].0.clone(),
                    None => standing.clone(),
                };
                let mut explained = Explained::default();
                let literals = self.conjunction(moment, all, Asker::Relation, &mut explained);
                by.under.extend(literals);
            }
            told.push(by);
        }
        told
    }

    /// The last step in which other rows wrote a real than now, and when those of now began; if there are none now,
    /// when the others ended. `None` if the same rows wrote it since the start.
    fn writers_before(
        &mut self,
        name: &str,
        progress: &mut dyn ProgressSink,
    ) -> Result<Option<(Writers, f64)>, Interrupted> {
        let history = self.history.clone();
        let steps = history.steps_before();
        let mut now: Option<Writers> = None;
        self.each_decided((steps, steps), &mut |_, model, run| {
            now = Some(Writers::of((run, model), name));
        });
        let now = now.expect("the present step is one");
        // Rows of an event-accurate run act at its start, before the first step.
        let first = u64::from(self.run().events().is_none());
        let mut end = steps;
        while end > 0 {
            let begin = end.saturating_sub(STRETCH).max(first);
            let mut other: Option<Writers> = None;
            let mut since = None;
            self.each_decided((begin, end), &mut |_, model, run| {
                if now.are_those_of((run, model), name) {
                    since = since.or(Some(run.time()));
                } else {
                    // Rows that write along the motion go on from an instant in which others wrote as well.
                    let along = writers((run, model), name, is_along);
                    since = now.are((model, &along)).then(|| run.time());
                    other = Some(Writers::of((run, model), name));
                }
            });
            if let Some(other) = other {
                let since = since.filter(|_| other.goes_on || !now.rows.is_empty());
                let at = since.unwrap_or(other.time);
                return Ok(Some((other, at)));
            }
            if begin <= first {
                break;
            }
            end = begin;
            look(progress, steps - end, steps)?;
        }
        Ok(None)
    }
}

impl Writers {
    fn of((run, model): (&Stepper, &Arc<Model>), name: &str) -> Self {
        let rows = writers((run, model), name, Stepper::is_active);
        let last = run.events().zip(rows.last());
        Self {
            model: Arc::clone(model),
            goes_on: last.is_some_and(|(run, last)| run.share(*last) > 0.0),
            rows,
            time: run.time(),
        }
    }

    /// Whether the same rows write the real in a run.
    fn are_those_of(&self, (run, model): (&Stepper, &Arc<Model>), name: &str) -> bool {
        let rows = writers((run, model), name, Stepper::is_active);
        self.are((model, &rows))
    }

    /// Whether they are the same as some of a model.
    fn are(&self, (model, rows): (&Arc<Model>, &[RelationId])) -> bool {
        if Arc::ptr_eq(&self.model, model) {
            return rows == self.rows;
        }
        let same = |(a, b): (&RelationId, &RelationId)| {
            let (a, b) = (RowRef::Relation(*a), RowRef::Relation(*b));
            says_the_same((&self.model, a), (model, b))
        };
        rows.len() == self.rows.len() && self.rows.iter().zip(rows).all(same)
    }
}

/// The rows of a real that write it in a way.
fn writers(
    (run, model): (&Stepper, &Model),
    name: &str,
    write: impl Fn(&Stepper, RelationId) -> bool,
) -> Vec<RelationId> {
    let Some(real) = real_named(model, name) else {
        return Vec::new();
    };
    let writers = model.writers(real);
    writers.filter(|id| write(run, *id)).collect()
}

/// True if a row writes along the motion of an event-accurate run.
fn is_along(run: &Stepper, relation: RelationId) -> bool {
    let events = run.events();
    events.is_some_and(|events| events.share(relation) > 0.0)
}

pub(crate) fn real_named(model: &Model, name: &str) -> Option<RealId> {
    let mut reals = model.reals.iter();
    reals.position(|real| real.name == name).map(RealId::new)
}

/// The equations of a row that is solved.
fn equations(
    model: &Arc<Model>,
    relation: RelationId,
    target: RealId,
    at: (&[f64], &[f64]),
    time: f64,
) -> Vec<Reason> {
    let row = &model.relations[relation.index()];
    let equations = row.args.iter().take(row.targets.len()).enumerate();
    let facts = equations.filter_map(|(equation, argument)| match *argument {
        Argument::Real(residual) => Some(Fact::Solved {
            relation,
            equation,
            residual: model.value_at(residual, at.0, at.1, time),
            slope: model.slope(residual, target, at, time),
        }),
        Argument::Boolean(_) => None,
    });
    facts.map(|fact| Reason::new(model, fact)).collect()
}

/// What wrote a real in the step of a moment, in written order; its values before and after it was put back onto
/// constraints behind the rows of a tick, if it was.
fn writes(moment: &Moment, target: RealId) -> (Vec<Write>, Option<(f64, f64)>) {
    let relations = &moment.model.relations;
    let writes_it = |id: RelationId| relations[id.index()].targets.contains(&target);
    let mut writes: Vec<Write> = Vec::new();
    let mut projected = None;
    if let Some(run) = (moment.before.ticks()).filter(|_| !moment.decided.stands) {
        let observed = run.observe_tick(|row| {
            if writes_it(row.relation) {
                writes.push(Write {
                    relation: row.relation,
                    before: row.before.to_vec(),
                    gave: Some(row.after[target.index()]),
                    microstep: None,
                });
            }
        });
        let mut moved = observed.projected.iter();
        let moved = moved.find(|(real, ..)| *real == target);
        projected = moved.map(|&(_, before, after)| (before, after));
    }
    if let Some(run) = moment.before.events() {
        writes.extend(instant_writes(moment, target));
        run.standing_rows(|row| {
            if writes_it(row.relation) {
                writes.push(Write {
                    relation: row.relation,
                    before: row.before.to_vec(),
                    gave: None,
                    microstep: None,
                });
            }
        });
    }
    (writes, projected)
}

/// What event rows wrote into a real in the microsteps of a moment.
fn instant_writes(moment: &Moment, target: RealId) -> Vec<Write> {
    let relations = &moment.model.relations;
    let microsteps = moment.microsteps.iter().enumerate();
    let rows =
        microsteps.flat_map(|(microstep, (_, rows))| rows.iter().map(move |row| (microstep, row)));
    let writers = rows.filter(|(_, row)| relations[row.relation.index()].targets.contains(&target));
    let writes = writers.map(|(microstep, row)| Write {
        relation: row.relation,
        before: row.before.clone(),
        gave: Some(row.after[target.index()]),
        microstep: Some(microstep),
    });
    writes.collect()
}

/// What a row read: quantities, each once, with their values.
fn read_by(model: &Arc<Model>, row: &Relation, reals: &[f64], constants: &[f64]) -> Vec<Reason> {
    let mut read: Vec<Expr> = Vec::new();
    let mut note = |leaf: Expr| {
        if !read.contains(&leaf) {
            read.push(leaf);
        }
    };
    let coefficients = if row.procedure.get().name == "sum" {
        vec![row.coef, row.coef2]
    } else {
        vec![row.coef]
    };
    for coefficient in coefficients {
        if let Coefficient::Constant { id, .. } = coefficient {
            note(Expr::Constant(id));
        }
    }
    for argument in &row.args {
        if let Argument::Real(expr) = argument {
            model.exprs.visit(*expr, |_, node| {
                if matches!(node, Expr::Real(_) | Expr::Constant(_)) {
                    note(node.clone());
                }
            });
        }
    }
    let facts = read.into_iter().filter_map(|leaf| match leaf {
        Expr::Real(real) => Some(Fact::ReadReal {
            real,
            value: reals[real.index()],
        }),
        Expr::Constant(constant) => Some(Fact::ReadConstant {
            constant,
            value: constants[constant.index()],
        }),
        _ => None,
    });
    facts.map(|fact| Reason::new(model, fact)).collect()
}
