//! Effects of rules in the last step: which rows wrote what at its instant, which assignments were
//! executed there, and which rows take part in the motion since.

use serde::{Deserialize, Serialize};

use crate::ids::{RangeId, RealId, RelationId, ScheduleId};
use crate::lower::flow::{Action, bounds};
use crate::model::{Argument, Relation};
use crate::sim::events::run::EventRun;
use crate::trace::Row;

/// Write of an event row at an instant.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct StepEffect {
    /// The row.
    pub relation: RelationId,
    /// The real it wrote.
    pub real: RealId,
    /// The value before.
    pub before: f64,
    /// The value it gave.
    pub after: f64,
}

/// Effects of rules at the instant of the last step.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub(crate) struct StepEffects {
    pub(crate) written: Vec<StepEffect>,
    pub(crate) executed: Vec<usize>,
    pub(crate) due: Vec<ScheduleId>,
    /// Bits of booleans in each microstep, as a row has them, one microstep after the other.
    pub(crate) microsteps: Vec<u64>,
}

impl StepEffects {
    pub(crate) fn clear(&mut self) {
        self.written.clear();
        self.executed.clear();
        self.due.clear();
        self.microsteps.clear();
    }

    /// About how much memory it takes (in bytes).
    pub(crate) fn bytes(&self) -> usize {
        let words = self.executed.len() + self.due.len() + self.microsteps.len();
        self.written.len() * size_of::<StepEffect>() + 8 * words
    }
}

impl EventRun {
    /// Writes of event rows in the last step, in the order in which they were made.
    pub fn step_effects(&self) -> &[StepEffect] {
        &self.state.shown.deeds.written
    }

    /// Row of each microstep of the last step's instant: its booleans, beside the reals of now (FORMALISM 10.2).
    pub fn microsteps(&self) -> impl Iterator<Item = Row<'_>> {
        let steps = self
            .state
            .shown
            .deeds
            .microsteps
            .chunks(self.observe.words.len().max(1));
        steps.map(|words| Row {
            words,
            ..self.present()
        })
    }

    /// True if the relation wrote something in the last step or takes part in the motion now.
    pub fn was_active(&self, id: RelationId) -> bool {
        let mut deeds = self.state.shown.deeds.written.iter();
        deeds.any(|deed| deed.relation == id) || self.share(id) > 0.0
    }

    /// True if the assignment was executed at the instant of the last step.
    pub fn was_executed(&self, assignment: usize) -> bool {
        self.state.shown.deeds.executed.contains(&assignment)
    }

    /// True if the schedule was due at the instant of the last step.
    pub fn was_due(&self, schedule: ScheduleId) -> bool {
        self.state.shown.deeds.due.contains(&schedule)
    }

    /// True if the state slides along a border (Filippov sliding), on a mixture of the modes around it.
    pub fn slides(&self) -> bool {
        !self.dynamics.bound.slides.is_empty()
    }

    /// True if the state slides along a border of the range.
    pub fn slides_on(&self, range: RangeId) -> bool {
        let mut slides = self.dynamics.bound.slides.iter();
        slides.any(|&border| self.dynamics.ranges_on(border).contains(&range))
    }

    /// True if the state rests on a border of the range.
    pub fn rests_on(&self, range: RangeId) -> bool {
        let mut rest = self.dynamics.bound.rest.iter();
        rest.any(|push| self.dynamics.ranges_on(push.border).contains(&range))
    }

    /// True if the state is kept on a border on which it rests.
    pub fn rests(&self) -> bool {
        !self.dynamics.bound.rest.is_empty()
    }

    /// True if the target of the relation stands, up to the tolerances, on a bound that this sets to it while others move
    /// it: `y = clamp(y, 0, 2)`.
    pub fn holds_on_bound(&self, id: RelationId) -> bool {
        let mut rows = self.plan.flow.rows.iter();
        if !rows.any(|row| row.relation == id && row.action == Action::Saturation) {
            return false;
        }
        let model = self.model();
        let Relation { targets, args, .. } = &model.relations[id.index()];
        let target = targets[0];
        let value = self.real(target);
        let near = self.plan.atol_of(target) + self.plan.config.settings.rtol * value.abs();
        let reaches = |(at, _): (usize, bool)| match args[at] {
            Argument::Real(bound) => {
                let (reals, constants) = (&self.state.reals, &self.plan.constants);
                let bound = model.value_at(bound, reals, constants, self.state.t);
                (value - bound).abs() <= near
            }
            Argument::Boolean(_) => false,
        };
        self.share(id) > 0.0 && bounds(model, id).any(reaches)
    }

    /// Weight of a relation in the present motion: 1 if it is active, else 0; while sliding, the
    /// weight of the modes in which it is.
    pub fn share(&self, id: RelationId) -> f64 {
        let active = |mode: usize| self.acts_in(id, mode);
        match &self.dynamics.motion.slide {
            None => f64::from(u8::from(active(self.dynamics.motion.mode))),
            Some(slide) => slide
                .weighted(id)
                .filter(|(corner, _)| active(*corner))
                .map(|(_, weight)| weight)
                .sum(),
        }
    }

    /// True if a relation acts in a mode.
    pub(super) fn acts_in(&self, id: RelationId, mode: usize) -> bool {
        let rows = &self.plan.flow.rows;
        let first = rows.partition_point(|row| row.relation < id);
        let end = rows.partition_point(|row| row.relation <= id);
        (first..end).any(|row| self.dynamics.modes.active(mode)[row])
    }

    /// True if a row gives a real its value in a mode, or keeps it within bounds.
    pub(super) fn is_written_in(&self, real: RealId, mode: usize) -> bool {
        let flow = &self.plan.flow;
        let writes = |action: &Action| action.is_value() || *action == Action::Saturation;
        let mut writers = flow.writers[real.index()].iter();
        writers.any(|&row| writes(&flow.rows[row].action) && self.dynamics.modes.active(mode)[row])
    }
}
