//! Validation of saved states of event-accurate runs against their model, before anything reads them.
//!
//! A state may come from a file that somebody has changed. What it names must be there, lists must be as long
//! as the model says, times finite and in order. What follows from a mode (how many states move) is known only once the
//! mode has been entered, and is checked there.

use crate::ids::{RealId, RelationId};
use crate::lower::border::{BorderId, BorderSource};
use crate::model::Boolean;
use crate::sim::events::motion::contact::ContactReaction;

use crate::sim::events::observe::step_effects::StepEffect;
use crate::sim::events::run::EventRun;
use crate::sim::events::state::plan::Plan;
use crate::sim::events::state::{EventState, HybridState, Rest};
use crate::sim::state::defect::{StateDefect, StateError, must};

/// Counts are fewer than this: up to here every whole number is a double.
const MOST: u64 = 1 << 53;

impl EventRun {
    /// Checks that a state is one of this model and these settings.
    ///
    /// # Errors
    ///
    /// [`StateError::Foreign`].
    pub fn validate(&self, state: &EventState) -> Result<(), StateError> {
        self.state.check_values(&self.plan, state)?;
        self.plan.check_borders(state)?;
        self.state.check_truths(&self.plan, state)?;
        self.plan.check_bound(state)?;
        state.hybrid.past.check(&self.state.past)?;
        state
            .hybrid
            .zeno
            .check(&self.plan.model, state.hybrid.borders.len())
    }
}

impl HybridState {
    /// Numbers, times, counts.
    fn check_values(&self, plan: &Plan, state: &EventState) -> Result<(), StateError> {
        let model = &*plan.model;
        let n_reals = model.reals.len();
        must(
            state.hybrid.reals.len() == n_reals && state.hybrid.begun.reals.len() == n_reals,
            StateDefect::Reals,
        )?;
        let stepper = &state.step.stepper;
        let times = [
            state.hybrid.t,
            stepper.t,
            stepper.progress.anchor,
            state.hybrid.progress.last_instant,
            state.hybrid.before.t,
        ];
        let is_rest = |rest: &Rest| {
            rest.guess.len() == n_reals
                && rest.from > 0.0
                && rest.from < 1.0
                && rest.begin >= stepper.t
                && rest.begin <= rest.limit
        };
        must(
            times.iter().all(|time| time.is_finite())
                && state.hybrid.t >= stepper.t
                && state.step.rest.as_ref().is_none_or(is_rest),
            StateDefect::Times,
        )?;
        must(stepper.progress.h > 0.0, StateDefect::NextStep)?;
        let counts = [
            state.hybrid.progress.instants,
            state.hybrid.progress.steps,
            state.hybrid.progress.rows,
            stepper.progress.steps,
        ];
        let counts = counts
            .into_iter()
            .chain(state.hybrid.progress.schedule_counts.iter().copied());
        must(counts.max() < Some(MOST), StateDefect::Count)?;
        must(
            state.hybrid.progress.schedule_counts.len() == model.schedules.len(),
            StateDefect::Schedules,
        )?;
        must(
            state.hybrid.shown.fired.len() == self.shown.fired.len()
                && state.hybrid.shown.latest.len() == self.shown.latest.len(),
            StateDefect::Events,
        )?;
        let deeds = &state.hybrid.shown.deeds;
        let is_known = |deed: &StepEffect| {
            let row = model.relations.get(deed.relation.index());
            row.is_some_and(|row| row.targets.contains(&deed.real))
        };
        must(
            deeds.written.iter().all(is_known)
                && (deeds.executed.iter()).all(|&index| index < model.assignments.len())
                && (deeds.due.iter()).all(|id| id.index() < model.schedules.len()),
            StateDefect::LastRows,
        )
    }

    fn check_truths(&self, plan: &Plan, state: &EventState) -> Result<(), StateError> {
        let (model, truths, own) = (&*plan.model, &state.hybrid.discrete, &self.discrete);
        let n_borders = state.hybrid.borders.len();
        must(
            truths.sides.len() == n_borders && truths.flags.len() == n_borders,
            StateDefect::Sides,
        )?;
        must(
            truths.switches.len() == model.switches.len()
                && truths.ranges.len() == model.ranges.len()
                && truths.situations.len() == model.situations.len()
                && truths.due.len() == model.schedules.len()
                && truths.relays.len() == own.relays.len()
                && truths.n_held() == model.situation_rows.len()
                && truths.counted.len() == own.counted.len(),
            StateDefect::Booleans,
        )
    }
}

impl Plan {
    fn check_borders(&self, state: &EventState) -> Result<(), StateError> {
        let (model, borders) = (&*self.model, &*state.hybrid.borders);
        must(borders.is_consistent(), StateDefect::Borders)?;
        let owned = borders.owners.iter().all(|owner| match *owner {
            BorderSource::Comparison(id, place) => {
                let range = model.ranges.get(id.index());
                range.is_some_and(|range| place < range.all.len())
            }
            BorderSource::RangeKink(id, _) => id.index() < model.ranges.len(),
            BorderSource::RowKink(id, _)
            | BorderSource::Relay(id, _)
            | BorderSource::Edge(id, _)
            | BorderSource::Bound(id, _)
            | BorderSource::Push(id, _) => id.index() < model.relations.len(),
            BorderSource::Watch(place) | BorderSource::WatchKink(place, _) => {
                place < self.watched.len()
            }
        });
        let mut landed = state.landed.iter();
        must(
            owned && landed.all(|(border, _)| border.index() < borders.owners.len()),
            StateDefect::BorderRow,
        )?;
        must(
            state.hybrid.steps.len() == borders.staircases.len(),
            StateDefect::Staircases,
        )
    }

    /// Checks the borders to which the motion is bound, and those that are being left.
    fn check_bound(&self, state: &EventState) -> Result<(), StateError> {
        let (n_borders, bound) = (state.hybrid.borders.len(), &state.hybrid.begun.bound);
        let known = |id: BorderId| id.index() < n_borders;
        let mut slides = bound.slides.clone();
        slides.sort_unstable();
        slides.dedup();
        must(
            slides.len() == bound.slides.len()
                && slides.iter().all(|id| known(*id))
                && bound.through.iter().all(|id| slides.contains(id))
                && (bound.lambda.len() == slides.len() || bound.lambda.is_empty()),
            StateDefect::Slides,
        )?;
        let lifts = bound.lifts.iter().all(|lift| {
            known(lift.border) && lift.along.iter().all(|(real, _)| self.has_real(*real))
        });
        let is_push = |push: &ContactReaction| {
            known(push.border)
                && push.along.iter().all(|(real, _)| self.has_real(*real))
                && (push.rows.iter().chain(&push.made_by)).all(|row| self.has_row(*row))
                && (push.conditions.iter().flatten()).all(|literal| self.has_boolean(literal.what))
        };
        must(lifts && bound.rest.iter().all(is_push), StateDefect::Rests)?;
        let leaving = state.hybrid.leaving.iter().map(|(id, ..)| *id);
        must(
            leaving.chain(state.hybrid.quiet.iter().copied()).all(known),
            StateDefect::Leaves,
        )
    }

    pub(super) fn has_real(&self, real: RealId) -> bool {
        real.index() < self.model.reals.len()
    }

    fn has_boolean(&self, boolean: Boolean) -> bool {
        let model = &self.model;
        match boolean {
            Boolean::Switch(id) => id.index() < model.switches.len(),
            Boolean::Range(id) => id.index() < model.ranges.len(),
            Boolean::Situation(id) => id.index() < model.situations.len(),
            Boolean::Schedule(id) => id.index() < model.schedules.len(),
            Boolean::Start => true,
        }
    }

    pub(super) fn has_row(&self, row: RelationId) -> bool {
        row.index() < self.model.relations.len()
    }
}
