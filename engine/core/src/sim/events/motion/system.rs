//! The system that an integration method sees: rates of the present motion at any time and state.

use crate::sim::events::delays::delay_history::DelayHistory;
use crate::sim::events::detect::locators::DomainGuard;
use crate::sim::events::modes::cache::Modes;
use crate::sim::events::motion::vector_field::Motion;
use crate::sim::events::run::EventRun;
use situ_solve::{CompiledStep, Derivatives, LinearWork, Method, Pattern, Refusal, System};
use std::sync::Arc;

/// A motion with what it needs to be integrated.
pub(crate) struct Moving<'a> {
    pub(crate) motion: &'a mut Motion,
    pub(crate) modes: &'a mut Modes,
    pub(crate) past: &'a DelayHistory,
    /// Guard against evaluations beyond a border.
    pub(crate) fence: Option<DomainGuard<'a>>,
}

impl Moving<'_> {
    /// Refuses a point beyond the guarded borders, if that is wanted.
    #[inline]
    fn guard(&mut self, t: f64, y: &[f64]) -> Result<(), Refusal> {
        let refuses = self.fence.as_ref().is_some_and(|fence| fence.refuses);
        if refuses && self.is_beyond(t, y) {
            return Err(Refusal::Outside);
        }
        Ok(())
    }

    /// Counts a point at which the rates have been evaluated, if it is beyond the guarded borders.
    #[inline]
    fn count(&mut self, t: f64, y: &[f64]) {
        if self.fence.is_some() && self.is_beyond(t, y) {
            let fence = self.fence.as_mut().expect("looked at above");
            *fence.beyond += 1;
        }
    }

    /// True if a point is beyond a border; a point at which margins cannot be computed counts as beyond.
    fn is_beyond(&mut self, t: f64, y: &[f64]) -> bool {
        let Some(fence) = self.fence.as_ref().filter(|_| self.motion.is_free()) else {
            return false;
        };
        if fence.committed == Some(t) {
            return false;
        }
        let evaluator = self.modes.get(self.motion.mode);
        if evaluator.evaluate_margins(self.past, t, y).is_err() {
            return true;
        }
        let margins = evaluator.mode.margins.iter();
        let mut margins = margins.map(|margin| (margin.border, evaluator.z(margin.border)));
        margins.any(|(border, z)| z.is_none_or(|z| fence.is_beyond(border, z)))
    }
}

impl EventRun {
    /// How the linear systems of the run's method are solved in the present mode; `None` if no matrix was factored so far.
    pub fn linear_work(&mut self) -> Option<LinearWork> {
        if self.stats().method.factorisations == 0 {
            return None;
        }
        let mut moving = Moving {
            motion: &mut self.dynamics.motion,
            modes: &mut self.dynamics.modes,
            past: &self.state.past,
            fence: None,
        };
        let pattern = moving.pattern();
        let method = self.plan.config.settings.method;
        let sizes = [moving.dim(), moving.n_algebraic()];
        LinearWork::of(method, sizes, pattern.as_deref())
    }
}

impl System for Moving<'_> {
    fn dim(&self) -> usize {
        self.motion.states.len() + self.motion.algebraic.len()
    }

    fn n_algebraic(&self) -> usize {
        self.motion.algebraic.len()
    }

    fn algebraic_rates(&mut self, t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), Refusal> {
        let evaluator = self.modes.get(self.motion.mode);
        evaluator.algebraic_rates(self.past, t, y, dy)
    }

    fn rhs(&mut self, t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), Refusal> {
        self.guard(t, y)?;
        self.motion.rates(self.modes, self.past, t, y, dy)?;
        self.count(t, y);
        Ok(())
    }

    fn pattern(&mut self) -> Option<Arc<Pattern>> {
        let mode = self.motion.mode;
        let is_free = self.motion.is_free();
        let is_algebraic = self.n_algebraic() > 0;
        is_free.then(|| {
            let evaluator = self.modes.get(mode);
            let sparsity = match is_algebraic {
                true => evaluator.algebraic_sparsity(),
                false => evaluator.sparsity(),
            };
            sparsity.pattern.clone()
        })
    }

    fn linearise(
        &mut self,
        t: f64,
        y: &[f64],
        jacobian: &mut [f64],
        df_dt: &mut [f64],
    ) -> Result<Derivatives, Refusal> {
        if !self.motion.is_free() {
            return Ok(Derivatives::Unknown);
        }
        self.guard(t, y)?;
        let evaluator = self.modes.get(self.motion.mode);
        evaluator.linearise(self.past, t, y, jacobian, df_dt)?;
        self.count(t, y);
        Ok(Derivatives::Exact)
    }

    fn has_roots(&mut self) -> bool {
        self.modes.get(self.motion.mode).has_roots()
    }

    fn has_series(&mut self, affine: bool) -> bool {
        self.motion.is_free() && self.modes.get(self.motion.mode).has_series(affine)
    }

    fn series(&mut self, t: f64, last: usize, coefficients: &mut [f64]) -> usize {
        (self.modes.get(self.motion.mode)).series(t, last, coefficients)
    }

    #[inline]
    fn compiled(&mut self, method: Method) -> Option<&mut dyn CompiledStep> {
        if self.fence.is_some() || !self.motion.is_free() {
            return None;
        }
        let step = self.modes.get(self.motion.mode).compiled(method)?;
        Some(step)
    }
}
