//! Lookups that end: a motion that goes on beyond their points has no value there, or another form.

use std::sync::Arc;

use situ_solve::lookup::Pieces;

use crate::backend::value::Stairs;
use crate::lower::border::BorderSource;
use crate::sim::RunFault;
use crate::sim::events::detect::next_step::Stop;
use crate::sim::events::motion::Dynamics;
use crate::sim::events::state::HybridState;

/// A step may reach beyond the end of a curve by so much of its length.
const BEYOND: f64 = 0.1;

/// Before a kink nearer than so much of a step, a cubic has had no room to grow: the step that was made up to a kink
/// ends beside it.
const BESIDE: f64 = 1e-6;

impl Dynamics {
    /// True if a step is cut at a kink, which may be the end of a curve, far before its own end: cubics grow fast beyond the
    /// ends of their curve, and the error test of a step that has followed them tells nothing of the part before.
    pub(super) fn leaves_curve(&self, state: &HybridState, stop: &Stop) -> bool {
        let mut borders = stop.reason.borders.iter();
        (BESIDE..1.0 - BEYOND).contains(&stop.theta)
            && borders.any(|border| {
                state.borders.kinked.get(border.index()) || state.borders.is_step_end(*border)
            })
            && self.modes.at(self.motion.mode).has_curves()
    }

    /// Checks before a step that no lookup is on a piece beyond its ends. Arriving at an end is no fault and staying there
    /// is none, going on is.
    ///
    /// # Errors
    ///
    /// [`RunFault::OutsideLookup`] with the row or range that reads it.
    #[inline]
    pub(super) fn check_lookups(&mut self, state: &HybridState) -> Result<(), RunFault> {
        match self.modes.at(self.motion.mode).mode.stairs.is_empty() {
            true => Ok(()),
            false => self.check_pieces(state),
        }
    }

    #[inline(never)]
    fn check_pieces(&mut self, state: &HybridState) -> Result<(), RunFault> {
        let mode = Arc::clone(&self.modes.at(self.motion.mode).mode);
        for stair in &mode.stairs {
            let Stairs::Knots(handle) = stair.stairs else {
                continue;
            };
            let Some(pieces) = Pieces::of(handle) else {
                continue;
            };
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "the number of a piece"
            )]
            let piece = state.steps[stair.staircase] as usize;
            let (true, Some(ends)) = (pieces.is_beyond(piece), pieces.domain()) else {
                continue;
            };
            let argument = self.modes.at(self.motion.mode).value(stair.slot);
            let steps = state.borders.staircases[stair.staircase];
            let (end, outward) = match piece {
                0 => (steps.high, -1),
                _ => (steps.low, 1),
            };
            if !pieces.is_outside(argument) && self.lean_of_motion(state, end)?.sign != outward {
                continue;
            }
            return Err(RunFault::OutsideLookup {
                time: state.t,
                relation: match stair.owner {
                    BorderSource::RowKink(relation, _) => Some(relation),
                    _ => None,
                },
                range: match stair.owner {
                    BorderSource::RangeKink(range, _) => Some(range),
                    _ => None,
                },
                argument,
                ends,
            });
        }
        Ok(())
    }
}
