//! Steps whose stages are compiled elsewhere, as the stepper sees them.

use super::span::StepSpan;

/// Compiled code of the steps of a method in one system, which takes the place of the stages. It has their bits.
pub trait CompiledStep {
    /// A trial: reads the state and the derivative at the start, writes what [`ExplicitTrial`](crate::ExplicitTrial) calls so.
    fn trial(&mut self, span: &StepSpan<f64>, start: [&[f64]; 2], into: TrialResult<'_>);

    /// Reads a row of [`ExplicitTrial::rest`](crate::ExplicitTrial::rest) of the last trial.
    fn rest(&self, row: usize, into: &mut [f64]);

    /// What the dense output of the last trial needs that the trial does not give
    /// ([`ExplicitTrial::dense`](crate::ExplicitTrial::dense)).
    fn dense(&mut self) -> &[f64];
}

/// What a trial by [`CompiledStep`] writes, one entry per component each.
#[derive(Debug)]
pub struct TrialResult<'a> {
    /// The state at the end.
    pub y: &'a mut [f64],
    /// The derivative there.
    pub f: &'a mut [f64],
    /// The error estimate.
    pub error: &'a mut [f64],
}
