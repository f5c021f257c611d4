//! Rest in contact: the reaction that keeps the state on a border, and its strength.

use crate::ids::{RealId, RelationId};
use crate::lower::border::{BorderId, Side};
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
    /// The direction by state of the motion, in the last evaluation.
    pub(super) direction: Vec<f64>,
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
            direction: Vec::new(),
            strength: 0.0,
        }
    }

    /// The direction by state.
    pub(super) fn by_state(&self, states: &[RealId]) -> Vec<f64> {
        let part = |real: &RealId| {
            let part = self.along.iter().find(|(other, _)| other == real);
            part.map_or(0.0, |(_, part)| *part)
        };
        states.iter().map(part).collect()
    }
}

impl Motion {
    /// Adds the contact reactions that keep the state on the borders on which it rests. The mode has been
    /// evaluated.
    pub(super) fn push(
        &mut self,
        modes: &mut Modes,
        y: &[f64],
        dy: &mut [f64],
    ) -> Result<(), Refusal> {
        let evaluator = modes.get(self.mode);
        let k = self.rest.len();
        evaluator
            .displace(y, |index| dy[index], 1.0)
            .map_err(|_| Refusal::Outside)?;
        self.right.clear();
        for push in &self.rest {
            let (_, bend) = evaluator.z_displaced(push.border).ok_or(Refusal::Outside)?;
            self.right.push(-bend);
        }
        self.matrix.clear();
        self.matrix.resize(k * k, 0.0);
        for column in 0..k {
            let direction = &self.rest[column].direction;
            evaluator
                .displace(y, |index| direction[index], 0.0)
                .map_err(|_| Refusal::Outside)?;
            for (row, push) in self.rest.iter().enumerate() {
                let (_, bend) = evaluator.z_displaced(push.border).ok_or(Refusal::Outside)?;
                self.matrix[row * k + column] = bend;
            }
        }
        if eliminate(&mut self.matrix, &mut self.right) == 0 {
            return Err(Refusal::Outside);
        }
        for (push, &strength) in self.rest.iter_mut().zip(&self.right) {
            push.strength = strength;
            for (dy, part) in dy.iter_mut().zip(&push.direction) {
                *dy += strength * part;
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
            evaluator
                .displace(y, |index| push.direction[index], 0.0)
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
                let at = (y, &self.reals[..]);
                turning.turn(number, evaluator, (past, t), at, &mut push.direction)?;
            }
        }
        evaluator.evaluate(past, t, y).map_err(|_| Refusal::Outside)
    }
}
