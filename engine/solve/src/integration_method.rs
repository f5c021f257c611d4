//! Interface of a method to the step loop.

use super::dense::Dense;
use super::span::StepSpan;
use super::step::control::{StepController, norm};
use super::step::history::History;
use super::step::{Counted, Failure, Start, StepResult};
use super::system::System;

/// An integration method with its workspace.
///
/// What the trials between two calls of [`IntegrationMethod::begin`] give depends on the start of the step, the lengths
/// that are tried and what [`Start::history`] holds, and on nothing else of earlier steps: these are all that a saved
/// run has to hold. What a method is to find there after a step it writes in [`IntegrationMethod::accepted`]; every
/// event empties the history. What else a method keeps from trial to trial serves to save work only; it learns by
/// [`IntegrationMethod::accepted`], [`IntegrationMethod::restarted`] and [`IntegrationMethod::corrected`] that the start
/// is another one.
pub(super) trait IntegrationMethod {
    /// Step size controller; `None` for methods of fixed step.
    const CONTROLLER: Option<StepController> = None;

    /// Whether a trial leaves the derivative at its end in `StepResult::f`; otherwise the loop
    /// evaluates it for steps that pass the error test.
    const ENDS_WITH_DERIVATIVE: bool = false;

    /// Makes room for a system.
    fn resize<S: System>(&mut self, _system: &mut S) {}

    /// Makes room in the history, so that no step allocates.
    fn reserve(&self, _history: &mut History, _n: usize) {}

    /// The next trial is the first one of its step, or is the first one once more.
    fn begin(&mut self) {}

    /// The step of the last trial has been taken: the next one begins at its end. Writes what its trials shall know of
    /// the start `t`, `y`, of the rates there, `f`, and of the step.
    fn accepted(&mut self, _start: (f64, &[f64], &[f64]), _history: &mut History) {
        self.restarted();
    }

    /// The next trial begins at a point that no step of this method led to: after an event, in another system, in a
    /// run that is resumed.
    fn restarted(&mut self) {}

    /// The end of the step that was taken last is put elsewhere, by less than its errors: what was computed there is
    /// computed anew, what is kept over steps stays.
    fn corrected(&mut self) {
        self.restarted();
    }

    /// The longest step that meets the tolerances, of a method that knows it before the trial.
    fn plan<S: System>(&mut self, _system: &mut Counted<'_, S>, _start: &Start<'_>) -> Option<f64> {
        None
    }

    /// Computes the state at the end of the step and the error estimate.
    fn trial<S: System>(
        &mut self,
        system: &mut Counted<'_, S>,
        span: &StepSpan,
        start: &Start<'_>,
        out: &mut StepResult,
    ) -> Result<(), Failure>;

    /// The error of the last trial in units of its tolerance, and the component that limits the step.
    /// NaN if any estimate is not a number.
    #[inline]
    fn error(&self, _h: f64, start: &Start<'_>, out: &StepResult) -> (f64, usize) {
        norm(&out.error, start, &out.y)
    }

    /// The length of the next trial after one whose error was too large, of methods that choose their order with it.
    fn shorter(&mut self, _error: f64, _h: f64) -> Option<f64> {
        None
    }

    /// The length of the step after that of the last trial, `proposed` by the controller. A clipped one was shorter than
    /// the errors ask for.
    fn next_step(
        &mut self,
        _span: &StepSpan,
        _start: &Start<'_>,
        _out: &StepResult,
        _clipped: bool,
        proposed: f64,
    ) -> f64 {
        proposed
    }

    /// The error of the last trial that its own estimate, which was small enough, does not show: that of the dense output, or
    /// of equations that only seem to be solved. In units of the tolerance, with the component that limits the step; `out`
    /// is complete.
    fn inside<S: System>(
        &mut self,
        _system: &mut Counted<'_, S>,
        _span: &StepSpan,
        _start: &Start<'_>,
        _out: &StepResult,
    ) -> (f64, usize) {
        (0.0, 0)
    }

    /// True if the Jacobian of the last trial has slopes that hold for a part of a tolerance alone: neither its error estimate
    /// nor the residuals of its equations see what the rates are away from there.
    fn is_at_edge(&self) -> bool {
        false
    }

    /// Writes the dense output of the last trial, `out` being complete.
    fn dense<S: System>(
        &mut self,
        system: &mut Counted<'_, S>,
        span: &StepSpan,
        start: &Start<'_>,
        out: &StepResult,
        dense: &mut Dense,
    ) -> Result<(), Failure>;
}
