//! Tsitouras' explicit 5(4) pair: seven stages of which the last is the first of the next step,
//! free dense output of order 4, and a free measure of stiffness.
//!
//! Chosen against Dormand and Prince's 5(4) pair in the same loop: over five problems (pendulum,
//! Brusselator, Arenstorf's orbit, Lorenz, a forced linear one) at tolerances 1e-4 to 1e-10 it took
//! 0.79 of the evaluations for the same error in the geometric mean (0.53 to 1.34).

pub(super) mod tableau;

use super::combine::{Number, Rates, Way, advance_by, sum_of, with_width};
use super::control::{Law, LawKind};
use super::dense::{Dense, hermite_with_bow};
use super::engine::Formula;
use super::method::{About, Method, Steps};
use super::step::{Counted, Failure, Outcome, Span, Start};
use super::system::System;

pub(super) static ABOUT: About = About {
    name: "tsit5",
    about: "explicit 5(4) pair by Tsitouras, for problems that are not stiff",
    order: 5,
    dense_order: 4,
    dense_degree: 4,
    steps: Steps::Adaptive,
    stiff: false,
    source: "C. Tsitouras, Computers and Mathematics with Applications 62 (2011) 770",
    others: &["rk45", "ode45", "dopri5"],
};

/// Evaluations of the rates in a trial.
const RATES: u64 = 6;

/// Length of the interval of stability on the negative real axis, a little shortened.
pub(super) const STABLE: f64 = 3.3;

#[derive(Clone, Debug, Default)]
pub(super) struct Tsit5 {
    /// Argument of a stage; after a trial that of the sixth.
    u: Vec<f64>,
    /// Stages two to six; the first and the seventh are the derivatives at the ends.
    k: [Vec<f64>; 5],
    /// The last trial was done by compiled code, which has its stages.
    compiled: bool,
}

impl Tsit5 {
    /// Estimates h times the largest eigenvalue's absolute value from the last trial: stages six
    /// and seven stand at the same time at two different points (Hairer and Wanner, IV.2).
    ///
    /// Shapes: `scale`: sizes of the components that count alike.
    pub(super) fn stiffness(
        &self,
        span: &Span,
        out: &Outcome,
        scale: impl Fn(usize) -> f64,
    ) -> f64 {
        let (mut change, mut distance) = (0.0, 0.0);
        for i in 0..self.u.len() {
            let scale = scale(i);
            let (df, dy) = (
                (out.f[i] - self.k[4][i]) / scale,
                (out.y[i] - self.u[i]) / scale,
            );
            change += df * df;
            distance += dy * dy;
        }
        if distance > 0.0 {
            span.h * (change / distance).sqrt()
        } else {
            0.0
        }
    }
}

/// What the stages of a step read and write, one entry per component each.
pub(super) struct Stages<'a, T> {
    pub(super) y: &'a [T],
    pub(super) k1: &'a [T],
    /// Argument of a stage; afterwards that of the sixth.
    pub(super) u: &'a mut [T],
    /// Stages two to six.
    pub(super) k: [&'a mut [T]; 5],
    pub(super) end: &'a mut [T],
    pub(super) end_rates: &'a mut [T],
    pub(super) error: &'a mut [T],
}

/// All stages, the state at the end and the error estimate of a system of `n` components.
#[inline(always)]
pub(super) fn stages<T: Number>(
    n: usize,
    rates: &mut Rates<'_, T>,
    way: &Way<T>,
    on: Stages<'_, T>,
) -> Result<(), Failure> {
    use tableau::{A2, A3, A4, A5, A6, B, C, E};
    let (y, k1, u) = (&on.y[..n], &on.k1[..n], &mut on.u[..n]);
    let (end, end_rates) = (&mut on.end[..n], &mut on.end_rates[..n]);
    let h = way.h;
    let [k2, k3, k4, k5, k6] = on.k;
    let (k2, k3, k4) = (&mut k2[..n], &mut k3[..n], &mut k4[..n]);
    let (k5, k6) = (&mut k5[..n], &mut k6[..n]);
    advance_by!(u, y, h, A2, [k1]);
    rates(way.at(C[0]), u, k2)?;
    advance_by!(u, y, h, A3, [k1, k2]);
    rates(way.at(C[1]), u, k3)?;
    advance_by!(u, y, h, A4, [k1, k2, k3]);
    rates(way.at(C[2]), u, k4)?;
    advance_by!(u, y, h, A5, [k1, k2, k3, k4]);
    rates(way.at(C[3]), u, k5)?;
    advance_by!(u, y, h, A6, [k1, k2, k3, k4, k5]);
    rates(way.t1, u, k6)?;
    advance_by!(end, y, h, B, [k1, k2, k3, k4, k5, k6]);
    rates(way.t1, end, end_rates)?;
    let error = &mut on.error[..n];
    for i in 0..n {
        error[i] = h * sum_of!(i, E, [k1, k2, k3, k4, k5, k6, end_rates]);
    }
    Ok(())
}

/// What of the dense output is not the Hermite cubic. `k`: the stages but the first.
#[inline(always)]
pub(super) fn bow<T: Number>(i: usize, h: T, k1: &[T], k: [&[T]; 6]) -> T {
    let k1 = k1[i];
    // Differences, so that what the weights lose in rounding is not multiplied by the whole
    // derivative.
    let term = |j: usize| (k[j][i] - k1).weighted(tableau::DENSE[j]);
    h * (term(0) + term(1) + term(2) + term(3) + term(4) + term(5))
}

/// The same of numbers: stages one, two to six, and the derivative at the end.
#[inline(always)]
pub(super) fn bow_of(h: f64, k1: f64, k: [f64; 5], end: f64) -> f64 {
    let [k2, k3, k4, k5, k6] = k;
    let k = [&[k2][..], &[k3], &[k4], &[k5], &[k6], &[end]];
    bow(0, h, &[k1], k)
}

impl Formula for Tsit5 {
    const LAW: Option<Law> = Some(Law {
        power: 5.0,
        kind: LawKind::Pi {
            alpha: 0.14,
            beta: 0.08,
        },
        safety: 0.9,
        grow: 10.0,
        shrink: 0.2,
        first: 100.0,
    });
    const ENDS_WITH_DERIVATIVE: bool = true;

    fn resize<S: System>(&mut self, system: &mut S) {
        for values in self.k.iter_mut().chain([&mut self.u]) {
            values.resize(system.dim(), 0.0);
        }
    }

    fn trial<S: System>(
        &mut self,
        system: &mut Counted<'_, S>,
        span: &Span,
        start: &Start<'_>,
        out: &mut Outcome,
    ) -> Result<(), Failure> {
        let n = start.y.len();
        self.compiled = false;
        if let Some(step) = system.compiled(Method::Tsit5, RATES) {
            step.trial(&span.into(), [start.y, start.f], out.trial());
            step.rest(0, &mut self.u);
            step.rest(1, &mut self.k[4]);
            self.compiled = true;
            return Ok(());
        }
        let rates: &mut Rates<'_, f64> = &mut |t, y, dy| system.rhs(t, y, dy);
        let on = Stages {
            y: start.y,
            k1: start.f,
            u: &mut self.u,
            k: self.k.each_mut().map(|k| &mut k[..]),
            end: &mut out.y,
            end_rates: &mut out.f,
            error: &mut out.error,
        };
        with_width!(n => stages(n, rates, &Way::from(span), on))
    }

    fn dense<S: System>(
        &mut self,
        system: &mut Counted<'_, S>,
        span: &Span,
        start: &Start<'_>,
        out: &Outcome,
        dense: &mut Dense,
    ) -> Result<(), Failure> {
        let ends = [start.y, start.f, &out.y, &out.f];
        if self.compiled
            && let Some(step) = system.compiled(Method::Tsit5, 0)
        {
            let bows = step.dense();
            hermite_with_bow(dense, span, ends, |i| bows[i]);
            return Ok(());
        }
        let [k2, k3, k4, k5, k6] = &self.k;
        let stages: [&[f64]; 6] = [k2, k3, k4, k5, k6, &out.f];
        hermite_with_bow(dense, span, ends, |i| bow(i, span.h, start.f, stages));
        Ok(())
    }
}
