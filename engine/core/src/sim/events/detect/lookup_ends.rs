//! Lookups that end: a motion that goes on beyond their points has no value there.

use situ_solve::lookup::Pieces;

use crate::backend::value::Stairs;
use crate::lower::border::BorderSource;
use crate::sim::RunFault;
use crate::sim::events::motion::Dynamics;
use crate::sim::events::state::HybridState;

impl Dynamics {
    /// Checks before a step that no lookup is on a piece beyond its ends. Arriving at an end is no fault, going on is.
    ///
    /// # Errors
    ///
    /// [`RunFault::OutsideLookup`] with the row or range that reads it.
    pub(super) fn check_lookups(&self, state: &HybridState) -> Result<(), RunFault> {
        let evaluator = self.modes.at(self.motion.mode);
        for stair in &evaluator.mode.stairs {
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
                argument: evaluator.value(stair.slot),
                ends,
            });
        }
        Ok(())
    }
}
