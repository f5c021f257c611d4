//! Constraints along a motion: the state is put back onto them, and must be on them where a motion begins.

use std::sync::Arc;

use crate::ids::RealId;
use crate::lower::border::Side;
use crate::lower::mode::StateBound;
use crate::lower::projection::Projection;
use crate::sim::RunFault;
use crate::sim::events::motion::Dynamics;
use crate::sim::events::observe::Observation;
use crate::sim::events::run::fault::value_fault;
use crate::sim::events::state::HybridState;
use crate::sim::monitor::Finding;
use crate::sim::projection::{Standing, moves, off_constraint};

impl Dynamics {
    /// The projection onto the constraints of the present mode, if it has any.
    pub(crate) fn projection(&self) -> Option<Arc<Projection>> {
        let mode = &self.modes.at(self.motion.mode).mode;
        mode.projection.clone()
    }

    /// Puts a point of the motion back onto the constraints; true if it was off them by more than rounding.
    ///
    /// # Errors
    ///
    /// [`RunFault::OffConstraint`]: there is no place on them near it.
    #[inline]
    pub(crate) fn put_on_constraints(
        &self,
        state: &HybridState,
        t: f64,
        y: &mut [f64],
    ) -> Result<bool, RunFault> {
        match &self.modes.at(self.motion.mode).mode.projection {
            Some(onto) => self.put_on_all(onto, state, t, y),
            None => Ok(false),
        }
    }

    #[inline(never)]
    fn put_on_all(
        &self,
        onto: &Arc<Projection>,
        state: &HybridState,
        t: f64,
        y: &mut [f64],
    ) -> Result<bool, RunFault> {
        let mut standing = Standing {
            t,
            constants: &self.plan.constants,
            reals: &state.reals,
            states: &self.motion.states,
            y,
        };
        standing.project(onto).map_err(|_| {
            let mut reals = state.reals.clone();
            for (real, &value) in self.motion.states.iter().zip(&*y) {
                reals[real.index()] = value;
            }
            let at = (t, &self.plan.constants[..], &reals[..]);
            off_constraint(&self.plan.model, onto, at, Vec::new())
        })
    }

    /// Puts states that rest on bounds back onto them (FORMALISM 10.5), where the errors of steps have added up to
    /// more than the tolerance; true if there were any. (A bound that moves would lose its state with a method of low
    /// order.)
    #[inline]
    pub(crate) fn put_on_bounds(
        &mut self,
        state: &HybridState,
        t: f64,
        y: &mut [f64],
    ) -> Result<bool, RunFault> {
        let margins = &self.modes.at(self.motion.mode).mode.margins;
        let has_bounds = || margins.iter().any(|margin| !margin.bounds.is_empty());
        match self.motion.is_free() && has_bounds() {
            true => self.put_on_each(state, t, y),
            false => Ok(false),
        }
    }

    #[inline(never)]
    fn put_on_each(
        &mut self,
        state: &HybridState,
        t: f64,
        y: &mut [f64],
    ) -> Result<bool, RunFault> {
        let mode = Arc::clone(&self.modes.at(self.motion.mode).mode);
        let mut moved = false;
        for margin in mode.margins.iter() {
            let rests = || state.discrete.sides[margin.border.index()] == Side::On;
            let acts = |bound: &&StateBound| {
                !bound.view.folded && self.modes.has_bound(self.motion.mode, bound)
            };
            let Some(bound) = margin.bounds.iter().find(acts).filter(|_| rests()) else {
                continue;
            };
            let Ok(component) = mode.states.binary_search(&bound.state) else {
                continue;
            };
            let evaluator = self.modes.get(self.motion.mode);
            evaluator
                .evaluate_margins(&state.past, t, y)
                .map_err(|fault| value_fault(t, fault))?;
            let off = evaluator.value(margin.slot);
            let size = self.plan.config.settings.rtol * y[component].abs();
            if off.abs() > self.plan.atol_of(bound.state) + size {
                y[component] -= off;
                moved = true;
            }
        }
        Ok(moved)
    }

    /// The start values are on the constraints: off them by less than the tolerances they are put there, with a note.
    ///
    /// # Errors
    ///
    /// As [`Self::begin_on_constraints`].
    pub(crate) fn start_on_constraints(
        &mut self,
        state: &mut HybridState,
        observe: &mut Observation,
    ) -> Result<(), RunFault> {
        let written = state.reals.clone();
        self.begin_on_constraints(state)?;
        let moves = moves(&self.plan.model, &written, &state.reals);
        if !moves.is_empty() {
            observe.log.find(Finding::Projected { moves });
        }
        Ok(())
    }

    /// The state of which a motion begins is on the constraints: off them by less than the tolerances of its states it is
    /// put there.
    ///
    /// # Errors
    ///
    /// [`RunFault::OffConstraint`]: it is off by more.
    pub(crate) fn begin_on_constraints(&mut self, state: &mut HybridState) -> Result<(), RunFault> {
        let Some(onto) = self.projection() else {
            return Ok(());
        };
        let states = self.motion.states.clone();
        let mut y: Vec<f64> = states
            .iter()
            .map(|real| state.reals[real.index()])
            .collect();
        let moved = self.put_on_constraints(state, state.t, &mut y)?;
        if !moved {
            return Ok(());
        }
        let rtol = self.plan.config.settings.rtol;
        let moves: Vec<(RealId, f64)> = states.iter().copied().zip(y).collect();
        let within = moves.iter().all(|&(real, to)| {
            let stands = state.reals[real.index()];
            (to - stands).abs() <= self.plan.atol_of(real) + rtol * stands.abs()
        });
        if !within {
            let plan = Arc::clone(&self.plan);
            let at = (state.t, &plan.constants[..], &state.reals[..]);
            let changed = |&(real, to): &(RealId, f64)| state.reals[real.index()] != to;
            let moves = moves.iter().copied().filter(changed).collect();
            return Err(off_constraint(&plan.model, &onto, at, moves));
        }
        for (real, to) in moves {
            state.reals[real.index()] = to;
        }
        self.write_reals(state)
    }
}
