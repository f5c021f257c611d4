//! Borders that were touched from one side, and on which what has happened keeps the margin: two equal numbers compare by
//! strictness there, as on a border that was reached through a crossing.

use smallvec::SmallVec;

use crate::lower::border::{BorderId, Side};
use crate::lower::mode::Margin;
use crate::sim::RunFault;
use crate::sim::events::iteration::EventIteration;
use crate::sim::events::motion::Dynamics;
use crate::sim::events::state::HybridState;

impl EventIteration {
    /// Margins of no affine form that are 0, and stay so, are on their borders from here on.
    pub(super) fn rest_on_touched(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
    ) -> Result<(), RunFault> {
        let mode = dynamics.motion.mode;
        let margins = dynamics.modes.at(mode).mode.margins.iter();
        // An affine margin comes to its border at a rate, and is found to cross it.
        let may_rest = |margin: &&Margin| {
            let index = margin.border.index();
            margin.form.is_none()
                && margin.timing.is_none()
                && !self.iteration.has_met(margin.border)
                && !self.iteration.borders.unbound.contains(&margin.border)
                && state.discrete.sides[index] != Side::On
                && !state.borders.is_step_end(margin.border)
                && !state.borders.kinked.get(index)
                && !dynamics.motion.bound_to(margin.border)
                && !self.is_untouched(state, margin.border)
        };
        let candidates: SmallVec<[BorderId; 8]> =
            margins.filter(may_rest).map(|one| one.border).collect();
        for border in candidates {
            if dynamics.z_now(state, border)? == 0.0
                && dynamics.lean_of_motion(state, border)?.sign == 0
            {
                state.discrete.flags.set(border.index(), true);
                self.set_side(state, dynamics, border, Side::On);
            }
        }
        Ok(())
    }
}
