//! A blow onto a state that rests on a border, weaker than its tolerances -> it goes on to rest.
//!
//! A stronger one ends the rest, and the rows of the border act. A weaker one would bounce lower and shorter than can be
//! told; left as it is, the state would sink through the border with the speed that the blow gives it. What strikes what
//! rests so weakly comes to rest as well.

use crate::lower::border::BorderId;
use crate::sim::RunFault;
use crate::sim::events::iteration::EventIteration;
use crate::sim::events::motion::Dynamics;
use crate::sim::events::observe::Observation;
use crate::sim::events::run::fault::value_fault;
use crate::sim::events::state::HybridState;

/// A rate that a jump changes by fewer rounding errors of what it adds has not changed.
const ROUNDINGS: f64 = 64.0 * f64::EPSILON;

impl EventIteration {
    /// Undoes what the rows of the instant have added to margins of borders on which the state rests, and to the rates of
    /// these.
    pub(super) fn absorb(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        observe: &mut Observation,
    ) -> Result<(), RunFault> {
        let mut is_struck = false;
        let mut rest = dynamics.bound.rest.clone();
        for push in &rest {
            is_struck |= self.is_struck(state, dynamics, push.border)?;
        }
        if !is_struck {
            return Ok(());
        }
        let before = state.reals.clone();
        match self.settle_on(state, dynamics, observe, &mut rest) {
            Ok(()) => {
                self.assemble_and_enter(state, dynamics, observe)?;
                self.mark_changed(state, &before);
                self.iteration.absorbed = true;
                Ok(())
            }
            Err(Some(fault)) => Err(fault),
            Err(None) => {
                state.reals = before;
                Ok(())
            }
        }
    }

    /// True if the rows of the instant change the rate of a border's margin by more than rounding.
    fn is_struck(
        &self,
        state: &HybridState,
        dynamics: &mut Dynamics,
        border: BorderId,
    ) -> Result<bool, RunFault> {
        let evaluator = dynamics.modes.get(dynamics.motion.mode);
        let jump = |real: usize| state.reals[real] - self.before_rows[real];
        let states = evaluator.mode.states.clone();
        if states.iter().all(|real| jump(real.index()) == 0.0) {
            return Ok(false);
        }
        let fault = |fault| value_fault(state.t, fault);
        evaluator.states(&state.reals, &mut dynamics.y);
        evaluator
            .evaluate_rates(&state.past, state.t, &dynamics.y)
            .and_then(|()| evaluator.evaluate(&state.past, state.t, &dynamics.y))
            .and_then(|()| evaluator.margin_rates())
            .map_err(fault)?;
        let (mut change, mut rounding) = (0.0, 0.0);
        for (component, real) in states.iter().enumerate() {
            let by = jump(real.index());
            if by == 0.0 {
                continue;
            }
            let along = |index: usize| if index == component { by } else { 0.0 };
            evaluator.displace(&dynamics.y, along, 0.0).map_err(fault)?;
            let (_, part) = evaluator.z_displaced(border).unwrap_or_default();
            change += part;
            let size = state.reals[real.index()].abs() + by.abs();
            rounding += ROUNDINGS * (part / by).abs() * size;
        }
        Ok(change.abs() > rounding)
    }
}
