//! Projection of a state onto the constraints that hold, and what keeps it off them.

use smallvec::SmallVec;

use crate::backend::solved::{is_solved, solve_row};
use crate::ids::{RealId, RelationId};
use crate::lower::projection::Projection;
use crate::model::Model;
use crate::sim::RunFault;

/// Values of a model at a time, of which the states may be moved.
pub(super) struct Standing<'a> {
    pub(super) t: f64,
    pub(super) constants: &'a [f64],
    pub(super) reals: &'a [f64],
    /// The states, ascending, and their values; those in `reals` do not count.
    pub(super) states: &'a [RealId],
    pub(super) y: &'a mut [f64],
}

impl Standing<'_> {
    fn real(&self, real: RealId) -> f64 {
        match self.states.binary_search(&real) {
            Ok(at) => self.y[at],
            Err(_) => self.reals[real.index()],
        }
    }

    /// Moves the states onto the constraints; false if they are on them, up to rounding.
    ///
    /// # Errors
    ///
    /// No place was found on the constraints of these rows; the states may have been moved by then.
    pub(super) fn project(&mut self, onto: &Projection) -> Result<bool, Vec<RelationId>> {
        let mut moved = false;
        for stage in &onto.stages {
            let read = |slot| onto.read(slot, |real| self.real(real), self.constants, self.t);
            if is_solved(&stage.equations, read) {
                continue;
            }
            let found = solve_row(&stage.equations, read).map_err(|_| stage.rows.clone())?;
            for (real, value) in stage.moved.iter().zip(found) {
                if let Ok(at) = self.states.binary_search(real) {
                    self.y[at] = value;
                }
            }
            moved = true;
        }
        Ok(moved)
    }
}

/// States that were moved, with their values before and after.
pub(super) type Moves = Vec<(RealId, f64, f64)>;

/// States of constraints that differ from what they were by more than rounding: before and after, largest move first.
pub(super) fn moves(model: &Model, before: &[f64], after: &[f64]) -> Moves {
    let all = before.iter().zip(after).enumerate();
    let mut moves: Moves = all
        .filter(|(_, (from, to))| (*from - *to).abs() > ROUNDING * from.abs().max(to.abs()))
        .map(|(index, (from, to))| (RealId::new(index), *from, *to))
        .filter(|(real, ..)| {
            let levels = model.constraints.iter().flat_map(|one| &one.levels);
            let mut states = levels.flat_map(|level| &level.gradient);
            states.any(|(state, _)| state == real)
        })
        .collect();
    moves.sort_by(|(_, a, b), (_, c, d)| (d - c).abs().total_cmp(&(b - a).abs()));
    moves
}

/// A start value that is moved by less than this part of it was right.
const ROUNDING: f64 = 1e-14;

/// A state that does not satisfy constraints.
///
/// `stands`: values of all reals; `moves`: states with the values that would satisfy them.
pub(super) fn off_constraint(
    model: &Model,
    onto: &Projection,
    (t, constants, stands): (f64, &[f64], &[f64]),
    moves: Vec<(RealId, f64)>,
) -> RunFault {
    let rows = onto.stages.iter().flat_map(|stage| &stage.rows);
    let mut residuals: Vec<(RelationId, usize, SmallVec<[f64; 4]>)> = Vec::new();
    for &row in rows {
        for one in model.constraints.iter().filter(|one| one.relation == row) {
            let known = residuals
                .iter()
                .any(|(row, equation, _)| (*row, *equation) == (one.relation, one.equation));
            if !known {
                let levels = one.levels.iter();
                let all = levels.map(|level| model.value_at(level.residual, stands, constants, t));
                residuals.push((one.relation, one.equation, all.collect()));
            }
        }
    }
    RunFault::OffConstraint {
        time: t,
        residuals,
        moves,
    }
}
