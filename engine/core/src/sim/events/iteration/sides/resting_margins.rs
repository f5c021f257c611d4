//! Borders on which the state rests: bounds of states, and those that were touched from one side and on which what has
//! happened keeps the margin.

use smallvec::SmallVec;

use crate::lower::border::{BorderId, BorderSource, Side};
use crate::lower::mode::{Margin, StateBound};
use crate::sim::RunFault;
use crate::sim::events::iteration::EventIteration;
use crate::sim::events::motion::Dynamics;
use crate::sim::events::state::HybridState;

impl EventIteration {
    /// Margins of no affine form that are 0, and stay so, are on their borders from here on: two equal numbers compare by
    /// strictness there, as on a border that was reached through a crossing.
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
                && !self.iteration.borders.slid.contains(&margin.border)
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

impl Dynamics {
    /// True if the state is off a border by more than rounding, and by no more than its errors explain.
    pub(super) fn is_beside(
        &mut self,
        state: &HybridState,
        border: BorderId,
    ) -> Result<bool, RunFault> {
        // Where a root or a logarithm begins, its slope explains any error.
        if matches!(state.borders.owners[border.index()], BorderSource::Edge(..)) {
            return Ok(false);
        }
        let z = self.z_now(state, border)?;
        Ok(!self.is_on(state, self.motion.mode, border) && !self.is_off(state, border, z)?)
    }

    /// True if a border is a bound of a state, on which the state rests exactly, or is reached together with one.
    pub(super) fn is_bound(&self, border: BorderId) -> bool {
        let mut twins = self.twins(border, Side::Plus).into_iter();
        let has_bounds = |border| self.bounds_on(border).next().is_some();
        has_bounds(border) || twins.any(|(twin, _)| has_bounds(twin))
    }

    /// True if a side of a border lies beyond the bound on which a state rests (FORMALISM 10.5).
    pub(super) fn is_beyond_bound(&self, border: BorderId, side: Side) -> bool {
        let mut all = self.twins(border, side);
        all.push((border, side));
        all.into_iter().any(|(border, side)| {
            self.bounds_on(border).any(|bound| {
                let outward = if bound.upper { Side::Plus } else { Side::Minus };
                bound.view.side(side) == outward
            })
        })
    }

    /// The bounds of states that have a border in the present mode.
    fn bounds_on(&self, border: BorderId) -> impl Iterator<Item = &StateBound> {
        let margin = self.modes.at(self.mode).mode.margin(border);
        let bounds = margin.into_iter().flat_map(|margin| &margin.bounds);
        bounds.filter(|bound| self.modes.has_bound(self.mode, bound))
    }
}
