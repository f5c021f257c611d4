//! What rules did in the last step: which rows wrote what at its instant, which assignments were
//! executed there, and which rows take part in the motion since.

use serde::{Deserialize, Serialize};

use crate::ids::{RangeId, RealId, RelationId, ScheduleId};
use crate::sim::events::run::Hybrid;
use crate::trace::Row;

/// What an event row wrote at an instant.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Deed {
    /// The row.
    pub relation: RelationId,
    /// What it wrote.
    pub real: RealId,
    /// The value before.
    pub before: f64,
    /// The value it gave.
    pub after: f64,
}

/// What rules did at the instant of the last step.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Deeds {
    /// Reals before the first of them.
    pub(crate) left: Vec<f64>,
    pub(crate) written: Vec<Deed>,
    pub(crate) executed: Vec<usize>,
    pub(crate) due: Vec<ScheduleId>,
    /// Bits of booleans in each microstep, as a row has them, one microstep after the other.
    pub(crate) microsteps: Vec<u64>,
}

impl Deeds {
    pub(crate) fn clear(&mut self) {
        self.left.clear();
        self.written.clear();
        self.executed.clear();
        self.due.clear();
        self.microsteps.clear();
    }

    /// About how much memory it takes (in bytes).
    pub(crate) fn bytes(&self) -> usize {
        let words = self.left.len() + self.executed.len() + self.due.len() + self.microsteps.len();
        self.written.len() * size_of::<Deed>() + 8 * words
    }
}

impl Hybrid {
    /// What event rows wrote in the last step, in the order in which they did.
    pub fn deeds(&self) -> &[Deed] {
        &self.state.shown.deeds.written
    }

    /// All reals as the row of a deed read them, by the deed's number: before it wrote any of its targets.
    pub fn before_deed(&self, number: usize) -> Vec<f64> {
        let mut reals = self.state.shown.deeds.left.clone();
        let Deed { relation, real, .. } = self.state.shown.deeds.written[number];
        let mut targets = self.plan.model.relations[relation.index()].targets.iter();
        let place = targets.position(|target| *target == real);
        let first = number - place.expect("a row writes its targets, one after the other");
        for deed in self.state.shown.deeds.written.iter().take(first) {
            reals[deed.real.index()] = deed.after;
        }
        reals
    }

    /// What stood in each microstep of the last step's instant: its booleans, beside the reals of now (FORMALISM 10.2).
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

    /// Whether the relation wrote something in the last step or takes part in the motion now.
    pub fn was_active(&self, id: RelationId) -> bool {
        let mut deeds = self.state.shown.deeds.written.iter();
        deeds.any(|deed| deed.relation == id) || self.share(id) > 0.0
    }

    /// Whether the assignment was executed at the instant of the last step.
    pub fn was_executed(&self, assignment: usize) -> bool {
        self.state.shown.deeds.executed.contains(&assignment)
    }

    /// Whether the schedule was due at the instant of the last step.
    pub fn was_due(&self, schedule: ScheduleId) -> bool {
        self.state.shown.deeds.due.contains(&schedule)
    }

    /// Whether the state slides along a border, on a mixture of the modes around it.
    pub fn slides(&self) -> bool {
        !self.dynamics.bound.slides.is_empty()
    }

    /// Whether the state slides along a border of the range.
    pub fn slides_on(&self, range: RangeId) -> bool {
        let mut slides = self.dynamics.bound.slides.iter();
        slides.any(|&border| self.dynamics.ranges_on(border).contains(&range))
    }

    /// Whether the state rests on a border of the range.
    pub fn rests_on(&self, range: RangeId) -> bool {
        let mut rest = self.dynamics.bound.rest.iter();
        rest.any(|push| self.dynamics.ranges_on(push.border).contains(&range))
    }

    /// Whether something keeps the state on a border on which it rests.
    pub fn rests(&self) -> bool {
        !self.dynamics.bound.rest.is_empty()
    }

    /// How much a relation counts in the present motion: 1 if it is active, else 0; along a slide the
    /// weight of the modes in which it is.
    pub fn share(&self, id: RelationId) -> f64 {
        let rows = &self.plan.flow.rows;
        let [first, end] = [
            rows.partition_point(|row| row.relation < id),
            rows.partition_point(|row| row.relation <= id),
        ];
        let rows = first..end;
        let active = |mode: usize| {
            rows.clone()
                .any(|row| self.dynamics.modes.active(mode)[row])
        };
        match &self.dynamics.motion.slide {
            None => f64::from(u8::from(active(self.dynamics.motion.mode))),
            Some(slide) => slide
                .weighted()
                .filter(|(corner, _)| active(*corner))
                .map(|(_, weight)| weight)
                .sum(),
        }
    }
}
