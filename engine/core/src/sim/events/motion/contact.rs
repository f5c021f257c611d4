//! Rest in contact: the reaction that keeps the state on a border, and its strength.

use crate::ids::{RealId, RelationId};
use crate::lower::border::{BorderId, Side};
use crate::model::Literal;
use crate::sim::events::delays::delay_history::DelayHistory;
use crate::sim::events::modes::cache::Modes;
use crate::sim::events::modes::evaluation::loop_matrix::eliminate;
use crate::sim::events::motion::vector_field::Motion;
use serde::{Deserialize, Serialize};
use situ_solve::Refusal;

/// Contact reaction that keeps the state on a border on which it rests.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct ContactReaction {
    pub(crate) border: BorderId,
    /// The side from which it rests there.
    pub(crate) side: Side,
    /// Direction of the jump that was repeated without end, by real; where it changes, at the last point
    /// that was committed.
    pub(crate) along: Vec<(RealId, f64)>,
    /// The event rows that made the jump, if its direction changes from point to point.
    pub(crate) rows: Vec<RelationId>,
    /// The event rows that made the jump: the rest lasts as long as one of them would act.
    pub(crate) made_by: Vec<RelationId>,
    /// Conjunctions of which one has to hold for that; none if nothing is known.
    pub(crate) conditions: Vec<Vec<Literal>>,
    /// The parts of the direction that are not 0, by state of the motion, in the last evaluation.
    pub(crate) direction: Vec<(usize, f64)>,
    /// Strength, in the last evaluation.
    pub(crate) strength: f64,
}

impl ContactReaction {
    pub(crate) fn new(border: BorderId, side: Side, along: Vec<(RealId, f64)>) -> Self {
        Self {
            border,
            side,
            along,
            rows: Vec::new(),
            made_by: Vec::new(),
            conditions: Vec::new(),
            direction: Vec::new(),
            strength: 0.0,
        }
    }

    /// The parts of the direction that are not 0, by state, ascending.
    pub(crate) fn by_state(&self, states: &[RealId]) -> Vec<(usize, f64)> {
        let along = self.along.iter().filter(|(_, part)| *part != 0.0);
        let place = |(real, part): &(RealId, f64)| Some((states.binary_search(real).ok()?, *part));
        let mut direction: Vec<(usize, f64)> = along.filter_map(place).collect();
        direction.sort_unstable_by_key(|(state, _)| *state);
        direction.dedup_by_key(|(state, _)| *state);
        direction
    }

    /// Its part of the rate of a state, in the last evaluation.
    pub(super) fn part(&self, state: usize) -> f64 {
        let at = self.direction.binary_search_by_key(&state, |(at, _)| *at);
        at.map_or(0.0, |at| self.strength * self.direction[at].1)
    }

    /// Writes the direction, one number per state.
    pub(super) fn write_direction(&self, n_states: usize, into: &mut Vec<f64>) {
        into.clear();
        into.resize(n_states, 0.0);
        for &(state, part) in &self.direction {
            into[state] = part;
        }
    }
}

impl Motion {
    /// Adds the contact reactions that keep the state on the borders on which it rests. The mode has been
    /// evaluated.
    ///
    /// Contacts that do not move each other have equations of their own, and are displaced together.
    pub(super) fn push(
        &mut self,
        modes: &mut Modes,
        y: &[f64],
        dy: &mut [f64],
    ) -> Result<(), Refusal> {
        let evaluator = modes.get(self.mode);
        let n_states = self.states.len();
        let (rest, groups) = (&mut self.rest, &self.groups);
        let mut own = self.contact_margins.as_mut();
        evaluator
            .displace_own(own.as_deref_mut(), y, |index| dy[index], 1.0)
            .map_err(|_| Refusal::Outside)?;
        for push in &mut *rest {
            let (_, bend) = evaluator.z_displaced(push.border).ok_or(Refusal::Outside)?;
            push.strength = -bend;
        }
        // One matrix per group, column by column.
        self.matrix.clear();
        self.matrix.resize(groups.n_entries(), 0.0);
        for column in 0..groups.longest() {
            groups.direction(rest, column, n_states, &mut self.displaced);
            let direction = &self.displaced;
            evaluator
                .displace_own(own.as_deref_mut(), y, |index| direction[index], 0.0)
                .map_err(|_| Refusal::Outside)?;
            for (group, first) in groups.with_column(column) {
                for (row, &number) in group.iter().enumerate() {
                    let border = rest[number].border;
                    let (_, bend) = evaluator.z_displaced(border).ok_or(Refusal::Outside)?;
                    self.matrix[first + row * group.len() + column] = bend;
                }
            }
        }
        for (group, first) in groups.with_column(0) {
            let matrix = &mut self.matrix[first..first + group.len() * group.len()];
            self.right.clear();
            (self.right).extend(group.iter().map(|&number| rest[number].strength));
            if eliminate(matrix, &mut self.right) == 0 {
                return Err(Refusal::Outside);
            }
            for (&number, &strength) in group.iter().zip(&self.right) {
                rest[number].strength = strength;
            }
        }
        for push in rest {
            for &(state, part) in &push.direction {
                dy[state] += push.strength * part;
            }
        }
        Ok(())
    }

    /// Contribution of the contact reactions to the rates of the borders along which the state slides.
    pub(super) fn pushed(&mut self, modes: &mut Modes, y: &[f64]) -> Result<Vec<f64>, Refusal> {
        let slide = self.slide.as_ref().expect("called along a slide");
        let evaluator = modes.get(self.mode);
        let mut more = vec![0.0; slide.borders.len()];
        for push in &self.rest {
            let direction = &mut self.displaced;
            push.write_direction(self.states.len(), direction);
            evaluator
                .displace(y, |index| direction[index], 0.0)
                .map_err(|_| Refusal::Outside)?;
            for (more, &border) in more.iter_mut().zip(&slide.borders) {
                let (rise, _) = evaluator.z_displaced(border).ok_or(Refusal::Outside)?;
                *more += push.strength * rise;
            }
        }
        Ok(more)
    }

    /// Brings the directions of contact reactions to a point; the mode has been evaluated there, and is again.
    pub(super) fn turn(
        &mut self,
        modes: &mut Modes,
        past: &DelayHistory,
        t: f64,
        y: &[f64],
    ) -> Result<(), Refusal> {
        let Some(turning) = &mut self.turning else {
            return Ok(());
        };
        let evaluator = modes.get(self.mode);
        for (number, push) in self.rest.iter_mut().enumerate() {
            if turning.turns(number) {
                push.direction = push.by_state(&self.states);
                push.write_direction(self.states.len(), &mut self.displaced);
                let at = (y, &self.reals[..]);
                turning.turn(number, evaluator, (past, t), at, &mut self.displaced)?;
                let parts = self.displaced.iter().copied().enumerate();
                push.direction = parts.filter(|(_, part)| *part != 0.0).collect();
            }
        }
        evaluator.evaluate(past, t, y).map_err(|_| Refusal::Outside)
    }
}
