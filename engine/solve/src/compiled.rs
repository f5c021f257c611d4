//! Steps whose stages are compiled elsewhere, as the stepper sees them.

use super::span::StepSpan;

/// Compiled code of the steps of a method in one system, which takes the place of the stages. It has their bits.
pub trait CompiledStep {
    /// A trial: reads the state and the derivative at the start, writes what [`ExplicitTrial`](crate::ExplicitTrial) calls so.
    fn trial(&mut self, span: &StepSpan<f64>, start: [&[f64]; 2], into: TrialResult<'_>);

    /// What the next trials of a Rosenbrock method are linear in: factors of their matrix, derivatives of the rates by the
    /// time, and the step's reciprocal length.
    ///
    /// # Panics
    /// If it is the step of another method.
    fn linear(&mut self, factors: DenseFactors<'_>, df_dt: &[f64], per_h: f64);

    /// The factors' solution for the rates at a point less some slopes: [`RosenbrockTrial::correction`](crate::RosenbrockTrial::correction).
    ///
    /// # Panics
    /// If it is the step of another method.
    fn correction(&mut self, t: f64, point: [&[f64]; 2], into: &mut [f64]);

    /// Reads a row of [`ExplicitTrial::rest`](crate::ExplicitTrial::rest) of the last trial.
    fn rest(&self, row: usize, into: &mut [f64]);

    /// What the dense output of the last trial needs that the trial does not give
    /// ([`ExplicitTrial::dense`](crate::ExplicitTrial::dense)).
    fn dense(&mut self) -> &[f64];
}

/// LU factors of a dense matrix whose rows were not exchanged.
#[derive(Clone, Copy, Debug)]
pub struct DenseFactors<'a> {
    /// Row by row: below the diagonal those of L, whose diagonal is 1; above it those of U.
    pub entries: &'a [f64],
    /// Reciprocals of the diagonal of U.
    pub reciprocals: &'a [f64],
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
