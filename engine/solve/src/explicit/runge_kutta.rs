//! Explicit Runge-Kutta methods: a [`Tableau`] becomes steps.

use std::marker::PhantomData;

use super::stages::{Buffers, Trial, estimate, find_levels, find_stages};
use super::tableau::{MOST_ESTIMATES, MOST_LEVELS, Tableau};
use crate::dense::Dense;
use crate::integration_method::IntegrationMethod;
use crate::span::StepSpan;
use crate::step::control::{StepController, norm};
use crate::step::sums::{Rates, with_width};
use crate::step::{Counted, Failure, Rejection, Start, StepResult, all_finite};
use crate::system::System;

/// The steps of an explicit Runge-Kutta method.
#[derive(Clone, Debug, Default)]
pub(crate) struct RungeKutta<M> {
    buffers: Buffers<f64>,
    /// The last trial was done by compiled code, which has its stages.
    compiled: bool,
    tableau: PhantomData<M>,
}

impl<M: Tableau> RungeKutta<M> {
    /// Estimates h times the largest eigenvalue's absolute value, as a part of what the method can do, from
    /// the last trial: the last two stages stand at the same time at two different points (Hairer and Wanner,
    /// IV.2). 0 where that is not so.
    ///
    /// Shapes: `scale`: sizes of the components that count alike.
    pub(crate) fn stiffness(
        &self,
        span: &StepSpan,
        out: &StepResult,
        scale: impl Fn(usize) -> f64,
    ) -> f64 {
        let Some(stable) = M::STABLE else { return 0.0 };
        let n = out.y.len();
        let last = &self.buffers.k[(M::STAGES - 2) * n..][..n];
        let (mut change, mut distance) = (0.0, 0.0);
        for i in 0..n {
            let scale = scale(i);
            let (df, dy) = (
                (out.f[i] - last[i]) / scale,
                (out.y[i] - self.buffers.u[i]) / scale,
            );
            change += df * df;
            distance += dy * dy;
        }
        let stiffness = if distance > 0.0 {
            span.h * (change / distance).sqrt()
        } else {
            0.0
        };
        stiffness / stable
    }
}

impl<M: Tableau> IntegrationMethod for RungeKutta<M> {
    const CONTROLLER: Option<StepController> = M::CONTROLLER;
    const ENDS_WITH_DERIVATIVE: bool = M::ENDS_WITH_DERIVATIVE;

    fn resize<S: System>(&mut self, system: &mut S) {
        self.buffers.resize::<M>(system.dim(), 0.0);
    }

    fn trial<S: System>(
        &mut self,
        system: &mut Counted<'_, S>,
        span: &StepSpan,
        start: &Start<'_>,
        out: &mut StepResult,
    ) -> Result<(), Failure> {
        let n = start.y.len();
        self.compiled = false;
        if let Some(step) = system.compiled(M::METHOD, M::STAGES as u64) {
            step.trial(span, [start.y, start.f], out.trial());
            self.buffers.take_rest::<M>(step);
            self.compiled = true;
            return Ok(());
        }
        let rates: &mut Rates<'_, f64> = &mut |t, y, dy| system.rhs(t, y, dy);
        let trial = Trial {
            span,
            start: [start.y, start.f],
            end: &mut out.y,
            end_rates: &mut out.f,
            error: &mut out.error,
        };
        with_width!(n => find_stages::<f64, M>(n, rates, trial, &mut self.buffers))
    }

    #[inline]
    fn next_step(
        &mut self,
        span: &StepSpan,
        start: &Start<'_>,
        out: &StepResult,
        _clipped: bool,
        proposed: f64,
    ) -> f64 {
        if !M::CONTROLS_STABILITY {
            return proposed;
        }
        // A limit of growth: estimates are rough, and what is accepted is stable enough.
        let stable = span.h / self.stiffness(span, out, |i| start.scale(i));
        proposed.min(stable.max(span.h))
    }

    #[inline]
    fn error(&self, h: f64, start: &Start<'_>, out: &StepResult) -> (f64, usize) {
        let (first, component) = norm(&out.error, start, &out.y);
        let mut largest = [0.0; MOST_ESTIMATES];
        largest[0] = first;
        for number in 1..M::ESTIMATES {
            let estimates = estimate(&self.buffers, number, out.y.len());
            (largest[number], _) = norm(estimates, start, &out.y);
        }
        (M::error(h, largest), component)
    }

    fn dense<S: System>(
        &mut self,
        system: &mut Counted<'_, S>,
        span: &StepSpan,
        start: &Start<'_>,
        out: &StepResult,
        dense: &mut Dense,
    ) -> Result<(), Failure> {
        let n = start.y.len();
        let ends = [start.y, start.f, &out.y, &out.f];
        if M::LEVELS > 0
            && self.compiled
            && let Some(step) = system.compiled(M::METHOD, M::MORE_STAGES as u64)
        {
            let levels = step.dense();
            check::<M>(levels)?;
            with_width!(n => polynomials::<M>(n, dense, span, ends, levels));
            return Ok(());
        }
        let rates: &mut Rates<'_, f64> = &mut |t, y, dy| system.rhs(t, y, dy);
        let buffers = &mut self.buffers;
        with_width!(n => find_levels::<f64, M>(n, rates, span, ends, buffers))?;
        let levels = &self.buffers.levels;
        check::<M>(levels)?;
        with_width!(n => polynomials::<M>(n, dense, span, ends, levels));
        Ok(())
    }
}

/// The points inside of the step may lie where the rates are not defined though those of the stages do not.
fn check<M: Tableau>(levels: &[f64]) -> Result<(), Failure> {
    if M::MORE_STAGES == 0 || all_finite(levels) {
        Ok(())
    } else {
        Err(Failure::Retry(Rejection::NotFinite))
    }
}

#[inline(always)]
fn polynomials<M: Tableau>(
    n: usize,
    dense: &mut Dense,
    span: &StepSpan,
    ends: [&[f64]; 4],
    levels: &[f64],
) {
    let (h, ends, levels) = (span.h, ends.map(|end| &end[..n]), &levels[..M::LEVELS * n]);
    for (i, into) in dense.begin(span, M::ABOUT.dense_degree, n).enumerate() {
        let mut at = [0.0; MOST_LEVELS];
        for level in 0..M::LEVELS {
            at[level] = levels[level * n + i];
        }
        M::polynomial(h, ends.map(|end| end[i]), at, into);
    }
}
