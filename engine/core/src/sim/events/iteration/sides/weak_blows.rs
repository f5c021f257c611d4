//! A blow onto a state that rests on a border, weaker than its tolerances -> it goes on to rest.
//!
//! A stronger one ends the rest, and the rows of the border act. A weaker one would bounce lower and shorter than can be
//! told; left as it is, the state would sink through the border with the speed that the blow gives it. What strikes what
//! rests so weakly comes to rest as well.

use crate::lower::border::BorderId;
use crate::sim::RunFault;
use crate::sim::events::iteration::EventIteration;
use crate::sim::events::motion::Dynamics;
use crate::sim::events::motion::contact::ContactReaction;
use crate::sim::events::observe::Observation;
use crate::sim::events::run::fault::value_fault;
use crate::sim::events::state::HybridState;

/// A blow that changes what is 0 by less than so many absolute tolerances is weak.
pub(super) const WEAK: f64 = 1e3;

/// A rate that a jump changes by fewer rounding errors of what it adds has not changed.
const ROUNDINGS: f64 = 64.0 * f64::EPSILON;

impl EventIteration {
    /// True if a state is on a border on which it rests, and does not move across it, up to its tolerances.
    pub(super) fn is_in_contact(
        &self,
        state: &HybridState,
        dynamics: &mut Dynamics,
        push: &ContactReaction,
        [z, rate]: [f64; 2],
    ) -> Result<bool, RunFault> {
        if z == 0.0 && rate == 0.0 {
            return Ok(true);
        }
        if z.abs() > dynamics.reach(state, push.border)? {
            return Ok(false);
        }
        let bend = self.bend_along(state, dynamics, push)?;
        let rtol = self.plan.config.settings.rtol;
        Ok(push.along.iter().all(|&(real, part)| {
            let value = state.reals[real.index()];
            let tolerance = WEAK * self.plan.atol_of(real) + rtol * value.abs();
            (rate / bend * part).abs() <= tolerance
        }))
    }

    /// What a contact reaction adds to the rate of its border's margin.
    fn bend_along(
        &self,
        state: &HybridState,
        dynamics: &mut Dynamics,
        push: &ContactReaction,
    ) -> Result<f64, RunFault> {
        let evaluator = dynamics.modes.get(dynamics.motion.mode);
        let states = &evaluator.mode.states;
        let mut direction = vec![0.0; states.len()];
        for (at, part) in push.by_state(states) {
            direction[at] = part;
        }
        evaluator.states(&state.reals, &mut dynamics.y);
        evaluator
            .evaluate_rates(&state.past, state.t, &dynamics.y)
            .and_then(|()| evaluator.evaluate(&state.past, state.t, &dynamics.y))
            .and_then(|()| evaluator.margin_rates())
            .and_then(|()| evaluator.displace(&dynamics.y, |index| direction[index], 0.0))
            .map_err(|fault| value_fault(state.t, fault))?;
        let (_, bend) = evaluator.z_displaced(push.border).unwrap_or_default();
        Ok(bend)
    }

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

    /// True if the rows of the instant change a border's margin, or its rate, by more than rounding.
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
        let (mut moved, mut change, mut rounding) = (0.0_f64, 0.0_f64, [0.0; 2]);
        for (component, real) in states.iter().enumerate() {
            let by = jump(real.index());
            if by == 0.0 {
                continue;
            }
            let along = |index: usize| if index == component { by } else { 0.0 };
            evaluator.displace(&dynamics.y, along, 0.0).map_err(fault)?;
            let (across, part) = evaluator.z_displaced(border).unwrap_or_default();
            moved += across;
            change += part;
            let size = ROUNDINGS * (state.reals[real.index()].abs() + by.abs()) / by.abs();
            rounding[0] += across.abs() * size;
            rounding[1] += part.abs() * size;
        }
        Ok(moved.abs() > rounding[0] || change.abs() > rounding[1])
    }
}
