//! Breakpoints of a run: their conditions, and what is compiled of them for one version of the table.

use situ_engine::ids::{RangeId, RelationId, ScheduleId};
use situ_engine::model::{
    Beats, Boolean, Comparison, Guard, Literal, Model, Watch, WatchAtom, WatchLiteral,
};
use situ_engine::trace::Row;
use situ_rules::tree::List;

use crate::document::Version;
use crate::names::{Named, find, spelt};
use crate::prompt::time;
use crate::reply::CommandError;
use crate::row_ids::RowRef;
use situ_explain::Stepper;
use situ_views::columns::observed::Values;
use situ_views::text::number::rounded;
use situ_words::say;

/// A border counts as reached at the end of a step where its margin, followed on a straight line through two places right
/// before, is at most this part of its change between them.
const NEAR: f64 = 1e-3;

/// A breakpoint or a watch.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Stop {
    /// Its number, for people.
    pub(crate) number: u32,
    pub(crate) on: StopOn,
    /// It goes away when it has stopped a run.
    pub(crate) once: bool,
    pub(crate) enabled: bool,
}

/// Condition on which a run stops; texts, because ids change when the table is edited.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum StopOn {
    /// A condition arises.
    Condition(String),
    /// A row becomes active, or a name it defines true.
    Rule(String),
    /// A value changes.
    Change(String),
    /// A time is reached.
    Time(f64),
    /// A range comes this near to turning.
    Margin(String, f64),
}

impl std::fmt::Display for StopOn {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Condition(text) => f.write_str(text),
            Self::Rule(id) => write!(f, "rule {id}"),
            Self::Change(name) => write!(f, "change {}", spelt(name)),
            Self::Time(at) => write!(f, "time {}", time(*at)),
            Self::Margin(range, distance) => {
                write!(f, "margin {} < {}", spelt(range), rounded(*distance))
            }
        }
    }
}

/// A stop as it is looked for at every step of one version.
#[derive(Debug)]
pub(crate) struct Probe {
    kind: Kind,
    /// Its truth a step before.
    held: bool,
    /// The value a step before.
    value: Option<Seen>,
    /// The time up to which it knows the beats of schedules that the run has not [units of `time`].
    looked_up_to: f64,
}

#[derive(Debug)]
enum Kind {
    Condition(Watch),
    /// The table's `stop_when`, whose place inside a step the run knows.
    StopWhen(Watch),
    /// One of these was active.
    Relations(Vec<RelationId>),
    /// One of these was executed.
    Assignments(Vec<usize>),
    Change(Named),
    Time(f64),
    Margin(RangeId, f64),
    /// Any boolean changes or an event fires.
    AnyEvent,
}

/// A value that may change.
#[derive(Clone, PartialEq, Debug)]
enum Seen {
    Number(u64),
    Truth(bool),
    Truths(Vec<bool>),
}

impl Probe {
    /// For a stop, with a model that has room for its expressions.
    ///
    /// # Errors
    ///
    /// It names what the table does not have.
    pub(crate) fn new(
        on: &StopOn,
        version: &Version,
        bind: &mut dyn FnMut(&str) -> Result<Watch, CommandError>,
    ) -> Result<Self, CommandError> {
        let model = &version.model;
        let kind = match on {
            StopOn::Condition(text) => Kind::Condition(bind(text)?),
            StopOn::Rule(id) => rule(version, &version.rows_meant(id)?)?,
            StopOn::Change(name) => Kind::Change(crate::names::named(model, name)?),
            StopOn::Time(at) => Kind::Time(*at),
            StopOn::Margin(name, distance) => match find(model, name) {
                Some(Named::Boolean(Boolean::Range(id))) => Kind::Margin(id, *distance),
                _ => return Err(CommandError::new(say!("console-no-range", name))),
            },
        };
        Ok(Self::of(kind))
    }

    /// For the next change of any boolean.
    pub(crate) fn any_event() -> Self {
        Self::of(Kind::AnyEvent)
    }

    /// For the table's `stop_when`.
    pub(crate) fn stop_when(watch: Watch) -> Self {
        Self::of(Kind::StopWhen(watch))
    }

    /// For a condition that is bound already.
    pub(crate) fn condition(watch: Watch) -> Self {
        Self::of(Kind::Condition(watch))
    }

    fn of(kind: Kind) -> Self {
        Self {
            kind,
            held: false,
            value: None,
            looked_up_to: f64::NEG_INFINITY,
        }
    }

    /// Looks at where the run stands before it goes on.
    pub(crate) fn begin(&mut self, model: &Model, run: &Stepper) {
        self.looked_up_to = found_at(run);
        self.held = self.holds_now(model, run);
        self.value = self.seen(model, run, &run.row());
    }

    /// True if it ends a run behind the microstep in which it is met, and not behind the whole instant.
    pub(crate) fn sees_microsteps(&self) -> bool {
        !matches!(self.kind, Kind::AnyEvent)
    }

    /// What a condition comes to in a row of a run. Of schedules that the run has those are due that were in its last step,
    /// of others those of which a beat has been reached since the last look.
    fn values<'r>(&self, model: &'r Model, run: &'r Stepper, row: Row<'r>) -> Values<'r> {
        let own = run.model().schedules.len();
        let is_due = |id: ScheduleId| match id.index() < own {
            true => run.holds(Boolean::Schedule(id)),
            false => {
                let beats = beats(model, id, row.constants);
                beats.reached(found_at(run)) > beats.reached(self.looked_up_to)
            }
        };
        let due = (0..model.schedules.len()).map(ScheduleId::new).map(is_due);
        let due = due.collect();
        Values::of(run.model(), model, row).with_due(due)
    }

    /// True if both sides of a comparison of its condition are equal, so that the motion tells on which side it begins.
    pub(crate) fn is_on_edge(&self, model: &Model, run: &Stepper) -> bool {
        let (Kind::Condition(watch) | Kind::StopWhen(watch)) = &self.kind else {
            return false;
        };
        let values = self.values(model, run, run.row());
        let mut on_edge = false;
        for literal in watch {
            literal.each_atom(&mut |atom| {
                if let WatchAtom::Comparison(one) = atom {
                    on_edge |= values.value(one.left) == values.value(one.right);
                }
            });
        }
        on_edge
    }

    /// What holds right behind the place at which the run stands has not arisen on the way.
    pub(crate) fn hold_if_ahead(&mut self, model: &Model, ahead: &Stepper) {
        self.held |= !self.is_instant(model) && self.holds_now(model, ahead);
    }

    /// Looks at where the run stands after a step: whether it is to stop. `before`: at two places right
    /// before the instant at its end, as far from each other as from the end.
    pub(crate) fn stops(
        &mut self,
        model: &Model,
        run: &Stepper,
        before: Option<&[Stepper; 2]>,
    ) -> bool {
        if matches!(self.kind, Kind::Change(_) | Kind::AnyEvent) {
            let now = self.seen(model, run, &run.row());
            let mut within = run.microsteps();
            let pulses = within.any(|row| self.seen(model, run, &row) != self.value);
            let changed = now != self.value || pulses || self.event_fired(model, run);
            self.value = now;
            return changed;
        }
        let now = self.holds_now(model, run);
        let has_held = || before.is_some_and(|before| self.has_held_at(model, before));
        let arises = (now || self.held_within(model, run) || has_held())
            && (!self.held || self.is_instant(model));
        self.held = now;
        self.looked_up_to = found_at(run);
        arises
    }

    /// True if what it waits for is there after an edit, and was not before it.
    pub(crate) fn arises_by_edit(&self, before: &Self) -> bool {
        let changed = match (&before.value, &self.value) {
            // An edit may give a table other booleans.
            (Some(Seen::Truths(before)), Some(Seen::Truths(now))) => {
                before.len() == now.len() && before != now
            }
            (Some(before), Some(now)) => before != now,
            _ => false,
        };
        changed || self.held && !before.held
    }

    /// Looks at where the run stands inside a step: whether what lasts begins to hold there.
    pub(crate) fn arises_now(&mut self, model: &Model, run: &Stepper) -> bool {
        let now = self.holds_now(model, run);
        let before = std::mem::replace(&mut self.held, now);
        now && !before
    }

    /// The distances from turning of comparisons that the run does not know, so that it does not end its steps where they
    /// turn [their units].
    pub(crate) fn distances(&self, model: &Model, run: &Stepper, into: &mut Vec<f64>) {
        match &self.kind {
            Kind::Condition(watch) => {
                let values = self.values(model, run, run.row());
                for literal in watch {
                    literal.each_atom(&mut |atom| {
                        if let WatchAtom::Comparison(one) = atom {
                            into.push(values.value(one.left) - values.value(one.right));
                        }
                    });
                }
            }
            Kind::Margin(id, distance) => into.push(Self::margin(model, run, *id) - distance),
            _ => {}
        }
    }

    /// How far a range is from turning.
    fn margin(model: &Model, run: &Stepper, range: RangeId) -> f64 {
        let row = run.row();
        let value = |expr| model.value_at(expr, row.reals, row.constants, row.time);
        model.ranges[range.index()].margin(value).abs()
    }

    /// True if what it waits for lasts, so that its beginning can be searched for inside a step.
    pub(crate) fn lasts(&self, model: &Model) -> bool {
        let is_level = matches!(
            self.kind,
            Kind::Condition(_) | Kind::Time(_) | Kind::Margin(..)
        );
        is_level && !self.is_instant(model)
    }

    /// True if it holds for an instant only, which may be a beat of a schedule inside a step.
    pub(crate) fn may_beat(&self, model: &Model) -> bool {
        matches!(self.kind, Kind::Condition(_)) && self.is_instant(model)
    }

    /// True if it holds right before an instant, or its borders are reached there (FORMALISM 10.2).
    fn has_held_at(&self, model: &Model, before: &[Stepper; 2]) -> bool {
        let (Kind::Condition(watch) | Kind::StopWhen(watch)) = &self.kind else {
            return self.lasts(model) && self.holds_now(model, &before[1]);
        };
        let [then, now] = [&before[0], &before[1]].map(|run| self.values(model, run, run.row()));
        let near = |one: &Comparison| {
            let difference = |values: &Values<'_>| values.value(one.left) - values.value(one.right);
            let way = difference(&now) - difference(&then);
            let at_end = difference(&now) + way;
            at_end.abs() < NEAR * way.abs()
        };
        reached(watch, &now, &near)
    }

    /// True if it waits for the table's `stop_when`.
    pub(crate) fn is_stop_when(&self) -> bool {
        matches!(self.kind, Kind::StopWhen(_))
    }

    /// True if it held in a microstep of the last step.
    fn held_within(&self, model: &Model, run: &Stepper) -> bool {
        match &self.kind {
            Kind::Condition(watch) | Kind::StopWhen(watch) => run
                .microsteps()
                .any(|row| self.values(model, run, row).holds(watch)),
            _ => false,
        }
    }

    /// True if it holds where the run stands.
    pub(crate) fn holds_now(&self, model: &Model, run: &Stepper) -> bool {
        match &self.kind {
            Kind::Condition(watch) | Kind::StopWhen(watch) => {
                self.values(model, run, run.row()).holds(watch)
            }
            Kind::Relations(ids) => ids.iter().any(|id| run.is_active(*id)),
            Kind::Assignments(rows) => rows.iter().any(|index| run.is_executed(*index)),
            Kind::Time(at) => run.time() >= at - 1e-9 * run.tick_length().unwrap_or(0.0),
            Kind::Margin(id, distance) => Self::margin(model, run, *id) < *distance,
            Kind::Change(_) | Kind::AnyEvent => false,
        }
    }

    /// A condition that names an event arises whenever it holds, and so does what rows do that have one.
    fn is_instant(&self, model: &Model) -> bool {
        match &self.kind {
            Kind::Condition(watch) | Kind::StopWhen(watch) => model.is_instant(watch),
            Kind::Assignments(rows) => {
                let mut conditions = rows.iter().map(|row| &model.assignments[*row].when);
                conditions.all(|when| model.names_event(when))
            }
            Kind::Relations(rows) => {
                let mut guards = rows.iter().map(|row| &model.relations[row.index()].guard);
                guards.all(|guard| matches!(guard, Guard::When(when) if model.names_event(when)))
            }
            _ => false,
        }
    }

    /// The value that may change; of an event of an event-accurate run there is none, for it has no length.
    fn seen(&self, model: &Model, run: &Stepper, row: &Row<'_>) -> Option<Seen> {
        let has_length = |what| !model.is_event(what) || run.ticks().is_some();
        match &self.kind {
            Kind::Change(Named::Real(id)) => Some(Seen::Number(row.real(*id).to_bits())),
            Kind::Change(Named::Constant(id)) => {
                Some(Seen::Number(row.constants[id.index()].to_bits()))
            }
            Kind::Change(Named::Boolean(what)) if has_length(*what) => {
                Some(Seen::Truth(row.boolean(model, *what)))
            }
            Kind::AnyEvent => {
                let levels = model
                    .named_booleans()
                    .filter(|(_, what)| !model.is_event(*what));
                Some(Seen::Truths(
                    levels.map(|(_, what)| row.boolean(model, what)).collect(),
                ))
            }
            _ => None,
        }
    }

    /// True if an event that it waits for fired in the last step, whether or not one did in the step before.
    fn event_fired(&self, model: &Model, run: &Stepper) -> bool {
        let row = run.row();
        let fired = |what| model.is_event(what) && row.boolean(model, what);
        match self.kind {
            Kind::AnyEvent => model.named_booleans().any(|(_, what)| fired(what)),
            Kind::Change(Named::Boolean(what)) => fired(what),
            _ => false,
        }
    }
}

/// The beats of a schedule, with these constants.
pub(super) fn beats(model: &Model, schedule: ScheduleId, constants: &[f64]) -> Beats {
    let schedule = &model.schedules[schedule.index()];
    let value = |expr| model.value_at(expr, &[], constants, 0.0);
    Beats {
        period: value(schedule.period),
        first: value(schedule.first),
    }
}

/// The time at which the last step of a run has found its booleans [units of `time`].
fn found_at(run: &Stepper) -> f64 {
    run.time() - run.ticks().map_or(0.0, |ticks| ticks.config().step)
}

/// True if a condition holds where comparisons whose borders are near count as true.
fn reached(
    watch: &[WatchLiteral],
    values: &Values<'_>,
    near: &impl Fn(&Comparison) -> bool,
) -> bool {
    watch.iter().all(|literal| match literal {
        WatchLiteral::Comparison(one) if near(one) => true,
        WatchLiteral::Any { of, negated: false } => {
            of.iter().any(|watch| reached(watch, values, near))
        }
        literal => values.holds(std::slice::from_ref(literal)),
    })
}

/// The stop at a rule, whose rows are those of its elements; a shape is none.
fn rule(version: &Version, rows: &[RowRef]) -> Result<Kind, CommandError> {
    let model = &version.model;
    let row = rows[0];
    let indices = rows.iter().map(|row| row.index);
    let boolean = |what| {
        let literal = Literal {
            what,
            negated: false,
        };
        Kind::Condition([WatchLiteral::Boolean(literal)].into_iter().collect())
    };
    Ok(match row.list {
        List::Relations => Kind::Relations(indices.map(RelationId::new).collect()),
        List::Reactions => {
            let stages = indices.map(|index| model.scheme.stages[index].row);
            Kind::Relations(stages.collect())
        }
        List::Assignments => Kind::Assignments(indices.collect()),
        List::Ranges => boolean(Boolean::Range(RangeId::new(row.index))),
        List::Situations => boolean(Boolean::Situation(
            model.situation_rows[row.index].situation,
        )),
        List::Scene => {
            let id = version.row_id(row);
            return Err(CommandError::new(say!("console-row-of-scene", id)));
        }
    })
}
