//! Direction of the contact reaction of a rest: the one in which the rows of its event turn the speed, at the
//! present point.
//!
//! At a straight border it is the direction of the last jump, for ever. At a curved border the
//! rows themselves give it: they are done on a state that moves towards the border, and on the present
//! one, which does not; what they change in the first and not in the second is the direction.

use crate::ids::{RealId, RelationId};
use crate::lower::row::row_tape;
use crate::model::Model;
use crate::sim::RunFault;
use crate::sim::events::delays::delay_history::DelayHistory;
use crate::sim::events::iteration::row_programs::{Replaced, RowProgram, Values};
use crate::sim::events::modes::evaluation::evaluator::Evaluator;
use crate::sim::events::motion::Dynamics;
use crate::sim::events::motion::contact::ContactReaction;

use crate::sim::events::run::fault::value_fault;
use crate::sim::events::state::HybridState;
use situ_solve::Refusal;

/// Directions that differ by less are the same.
const SAME: f64 = 1e-9;

/// Distances at which directions are compared, as parts of the values.
const TRIALS: [f64; 4] = [0.0, 0.1, -0.3, 1.7];

/// The rows that reverse the speed, for each contact reaction.
#[derive(Clone, Debug)]
pub(crate) struct ContactDirection {
    /// Event rows per reaction with what they write, in the order in which they acted; none if its direction stays.
    rows: Vec<Vec<(RowProgram, Vec<RealId>)>>,
    reals: Vec<f64>,
    y: Vec<f64>,
}

impl ContactDirection {
    /// Rows needed by a motion; `None` if no direction changes.
    pub(crate) fn new(
        rest: &[ContactReaction],
        model: &Model,
        constants: &[f64],
    ) -> Option<Box<Self>> {
        let row_of = |relation: &RelationId| {
            let relation = &model.relations[relation.index()];
            let program = RowProgram::new(row_tape(model, relation), constants);
            (program, relation.targets.to_vec())
        };
        let rows = |push: &ContactReaction| push.rows.iter().map(row_of).collect();
        let turns = rest.iter().any(|push| !push.rows.is_empty());
        turns.then(|| {
            Box::new(Self {
                rows: rest.iter().map(rows).collect(),
                reals: Vec::new(),
                y: Vec::new(),
            })
        })
    }

    /// True if the direction of a contact reaction changes from point to point.
    pub(super) fn turns(&self, push: usize) -> bool {
        !self.rows[push].is_empty()
    }

    /// The direction at a point, its largest part being 1, into the one that was known; the evaluator is
    /// left somewhere else.
    ///
    /// Shapes: `reals`: of all reals; `y`, `direction`: of the states.
    pub(super) fn turn(
        &mut self,
        push: usize,
        evaluator: &mut Evaluator,
        (past, t): (&DelayHistory, f64),
        (y, reals): (&[f64], &[f64]),
        direction: &mut [f64],
    ) -> Result<(), Refusal> {
        let speed = y.iter().zip(&*direction);
        let speed = speed
            .filter(|(_, part)| **part != 0.0)
            .fold(0.0_f64, |most, (y, _)| most.max(y.abs()));
        let speed = if speed > 0.0 { speed } else { 1.0 };
        let mut change = vec![0.0; y.len()];
        for (towards, sign) in [(speed, 1.0), (0.0, -1.0)] {
            self.y.clear();
            let moved = y.iter().zip(&*direction);
            self.y.extend(moved.map(|(y, part)| y - towards * part));
            evaluator
                .evaluate(past, t, &self.y)
                .map_err(|_| Refusal::Outside)?;
            self.reals.clear();
            self.reals.extend_from_slice(reals);
            for (real, value) in evaluator.mode.states.iter().zip(&self.y) {
                self.reals[real.index()] = *value;
            }
            evaluator.algebraic(&mut self.reals);
            for (program, targets) in &mut self.rows[push] {
                program.run(t, &self.reals, &Replaced::default(), |_, _, _| None);
                let values: Values = program.values().collect();
                for (real, value) in targets.iter().zip(values) {
                    self.reals[real.index()] = value;
                }
            }
            let states = evaluator.mode.states.iter().zip(&self.y);
            for (change, (real, y)) in change.iter_mut().zip(states) {
                *change += sign * (self.reals[real.index()] - y);
            }
        }
        let size = change
            .iter()
            .fold(0.0_f64, |most, part| most.max(part.abs()));
        if !(size > 0.0 && size.is_finite()) {
            return Err(Refusal::Outside);
        }
        for (part, change) in direction.iter_mut().zip(change) {
            *part = change / size;
        }
        Ok(())
    }
}

impl Dynamics {
    /// Brings the directions of contact reactions up to the present point.
    pub(crate) fn turn_pushes(
        &mut self,
        state: &HybridState,
        rest: &mut [ContactReaction],
        mode: usize,
    ) -> Result<(), RunFault> {
        let Some(mut turning) = ContactDirection::new(rest, &self.plan.model, &self.plan.constants)
        else {
            return Ok(());
        };
        let t = state.t;
        let evaluator = self.modes.get(mode);
        evaluator.states(&state.reals, &mut self.y);
        let states = evaluator.mode.states.clone();
        for (number, push) in rest.iter_mut().enumerate() {
            if !turning.turns(number) {
                continue;
            }
            let mut direction = push.by_state(&states);
            let at = (&self.y[..], &state.reals[..]);
            if turning
                .turn(number, evaluator, (&state.past, t), at, &mut direction)
                .is_ok()
            {
                push.along = along(&states, &direction);
            }
        }
        evaluator
            .evaluate(&state.past, t, &self.y)
            .map_err(|fault| value_fault(t, fault))
    }

    /// Forgets the rows of contact reactions whose direction is the same everywhere: that of the last jump stands.
    pub(crate) fn forget_straight(
        &mut self,
        state: &mut HybridState,
        rest: &mut [ContactReaction],
        mode: usize,
    ) -> Result<(), RunFault> {
        let present = state.reals.clone();
        let states = self.modes.at(mode).mode.states.clone();
        let mut turned = vec![false; rest.len()];
        for part in TRIALS {
            for (number, real) in states.iter().enumerate() {
                let value = &mut state.reals[real.index()];
                // No two states move alike.
                let by = if number.is_multiple_of(2) {
                    part
                } else {
                    0.7 * part
                };
                *value += by * value.abs().max(1.0);
            }
            let mut trial = rest.to_vec();
            let outcome = self.turn_pushes(state, &mut trial, mode);
            state.reals.clone_from(&present);
            if outcome.is_err() {
                continue;
            }
            for ((push, trial), turned) in rest.iter().zip(&trial).zip(&mut turned) {
                let (one, other) = (push.by_state(&states), trial.by_state(&states));
                let mut parts = one.iter().zip(&other);
                *turned |= parts.any(|(one, other)| (one - other).abs() > SAME);
            }
        }
        for (push, turned) in rest.iter_mut().zip(turned) {
            if !turned {
                push.rows.clear();
            }
        }
        let evaluator = self.modes.get(mode);
        evaluator.states(&state.reals, &mut self.y);
        let t = state.t;
        evaluator
            .evaluate(&state.past, t, &self.y)
            .map_err(|fault| value_fault(t, fault))
    }
}

/// The parts of a direction that are not 0, by real.
fn along(states: &[RealId], direction: &[f64]) -> Vec<(RealId, f64)> {
    let parts = states.iter().copied().zip(direction.iter().copied());
    parts.filter(|(_, part)| *part != 0.0).collect()
}
