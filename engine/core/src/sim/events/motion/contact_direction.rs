//! Direction of the contact reaction of a rest: the one in which the rows of its event turn the speed, at the
//! present point.
//!
//! At a straight border it is the direction of the last jump, for ever. At a curved border the
//! rows themselves give it: they are done on a state that moves towards the border, and on the present
//! one, which does not; what they change in the first and not in the second is the direction, in the limit of small
//! speeds: heat that a bounce leaves goes with the square of the speed, and rest leaves none.

use crate::ids::{RealId, RelationId};
use crate::lower::border::{BorderId, Side};
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

/// A bounce is looked at with this part of the values as its speed, and half of it: what grows with the square of the speed
/// has no part in the direction.
const SLOW: f64 = 1.0 / 256.0;

/// The rows that reverse the speed, for each contact reaction.
#[derive(Clone, Debug)]
pub(crate) struct ContactDirection {
    impacts: Vec<Impact>,
    reals: Vec<f64>,
    y: Vec<f64>,
}

/// What a bounce at a border does.
#[derive(Clone, Debug)]
struct Impact {
    border: BorderId,
    /// The side on which the state is.
    side: Side,
    /// Event rows with what they write, in the order in which they acted; none if the direction stays.
    rows: Vec<(RowProgram, Vec<RealId>)>,
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
        let impact = |push: &ContactReaction| Impact {
            border: push.border,
            side: push.side,
            rows: push.rows.iter().map(row_of).collect(),
        };
        let turns = rest.iter().any(|push| !push.rows.is_empty());
        turns.then(|| {
            Box::new(Self {
                impacts: rest.iter().map(impact).collect(),
                reals: Vec::new(),
                y: Vec::new(),
            })
        })
    }

    /// True if the direction of a contact reaction changes from point to point.
    pub(super) fn turns(&self, push: usize) -> bool {
        !self.impacts[push].rows.is_empty()
    }

    /// The direction at a point, its largest part being 1; the evaluator is left somewhere else.
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
        let Impact { border, side, rows } = &self.impacts[push];
        let states = evaluator.mode.states.clone();
        let is_written = |real: &RealId| rows.iter().any(|(_, targets)| targets.contains(real));
        let written = states.iter().map(is_written);
        let written: Vec<usize> = written
            .enumerate()
            .filter_map(|(at, is)| is.then_some(at))
            .collect();
        evaluator
            .evaluate(past, t, y)
            .map_err(|_| Refusal::Outside)?;
        let mut away = vec![0.0; y.len()];
        let is_constrained = evaluator.mode.projection.is_some();
        for &at in &written {
            // On constraints the state leaves the border as it did at the last jump, else the way that is fastest.
            if is_constrained {
                away[at] = direction[at];
                continue;
            }
            let along = |index: usize| f64::from(u8::from(index == at));
            evaluator
                .displace(y, along, 0.0)
                .map_err(|_| Refusal::Outside)?;
            let (_, bend) = evaluator.z_displaced(*border).ok_or(Refusal::Outside)?;
            away[at] = if *side == Side::Plus { bend } else { -bend };
        }
        scale_to_one(&mut away)?;
        let speed = written.iter().map(|&at| y[at].abs()).fold(0.0, f64::max);
        // Impulses under constraints are found by iteration, to a part of the usual size of values.
        let least = if is_constrained { 1.0 } else { 0.0 };
        let speed = SLOW * if speed > 0.0 { speed.max(least) } else { 1.0 };
        if is_constrained {
            // Where the constraints have turned since they do not allow that way; they allow what the rows leave.
            self.bounce(push, evaluator, (past, t), (y, reals), (speed, &away))?;
            for &at in &written {
                away[at] = self.reals[states[at].index()] - y[at];
            }
            scale_to_one(&mut away)?;
        }
        direction.fill(0.0);
        // Twice the change at half the speed less that at the whole one, from what there is without.
        for (towards, weight) in [(0.5 * speed, 4.0), (speed, -1.0), (0.0, -3.0)] {
            self.bounce(push, evaluator, (past, t), (y, reals), (towards, &away))?;
            for &at in &written {
                direction[at] += weight * (self.reals[states[at].index()] - self.y[at]);
            }
        }
        scale_to_one(direction)
    }

    /// Does the rows on a state that moves towards the border; what they leave is in `reals`, the state before in `y`.
    ///
    /// Shapes: as in [`Self::turn`]; the last is a speed and the way, by state, that leads away from the border.
    fn bounce(
        &mut self,
        push: usize,
        evaluator: &mut Evaluator,
        (past, t): (&DelayHistory, f64),
        (y, reals): (&[f64], &[f64]),
        (speed, away): (f64, &[f64]),
    ) -> Result<(), Refusal> {
        self.y.clear();
        let moved = y.iter().zip(away);
        self.y.extend(moved.map(|(y, part)| y - speed * part));
        evaluator
            .evaluate(past, t, &self.y)
            .map_err(|_| Refusal::Outside)?;
        self.reals.clear();
        self.reals.extend_from_slice(reals);
        for (real, value) in evaluator.mode.states.iter().zip(&self.y) {
            self.reals[real.index()] = *value;
        }
        evaluator.algebraic(&mut self.reals);
        for (program, targets) in &mut self.impacts[push].rows {
            program.run(t, &self.reals, &Replaced::default(), |_, _, _| None);
            let values: Values = program.values().collect();
            for (real, value) in targets.iter().zip(values) {
                self.reals[real.index()] = value;
            }
        }
        Ok(())
    }
}

/// Makes the largest part of a direction 1.
fn scale_to_one(direction: &mut [f64]) -> Result<(), Refusal> {
    let sizes = direction.iter().map(|part| part.abs());
    let size = sizes.fold(0.0, f64::max);
    if !(size > 0.0 && size.is_finite()) {
        return Err(Refusal::Outside);
    }
    direction.iter_mut().for_each(|part| *part /= size);
    Ok(())
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
            push.direction = push.by_state(&states);
            let mut direction = Vec::new();
            push.write_direction(states.len(), &mut direction);
            push.direction.clear();
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

    /// Forgets the rows of contact reactions whose direction is the same everywhere: that of the last jump stands, unless
    /// it has parts that vanish with the speed.
    pub(crate) fn forget_straight(
        &mut self,
        state: &mut HybridState,
        rest: &mut [ContactReaction],
        mode: usize,
    ) -> Result<(), RunFault> {
        let present = state.reals.clone();
        let states = self.modes.at(mode).mode.states.clone();
        let mut found: Vec<Option<Vec<(RealId, f64)>>> = vec![None; rest.len()];
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
            for ((trial, found), turned) in trial.iter().zip(&mut found).zip(&mut turned) {
                match found {
                    Some(found) => *turned |= differ(found, &trial.along),
                    None => *found = Some(trial.along.clone()),
                }
            }
        }
        for ((push, found), turned) in rest.iter_mut().zip(found).zip(turned) {
            if turned {
                continue;
            }
            push.rows.clear();
            if let Some(found) = found
                && differ(&found, &push.along)
            {
                push.along = found;
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

/// True if directions, by real, are not the same.
fn differ(one: &[(RealId, f64)], other: &[(RealId, f64)]) -> bool {
    let part_in = |along: &[(RealId, f64)], real: RealId| {
        let part = along.iter().find(|(other, _)| *other == real);
        part.map_or(0.0, |(_, part)| *part)
    };
    let mut reals = one.iter().chain(other).map(|(real, _)| *real);
    reals.any(|real| (part_in(one, real) - part_in(other, real)).abs() > SAME)
}

/// The parts of a direction that are not 0, by real.
fn along(states: &[RealId], direction: &[f64]) -> Vec<(RealId, f64)> {
    let parts = states.iter().copied().zip(direction.iter().copied());
    parts.filter(|(_, part)| *part != 0.0).collect()
}
