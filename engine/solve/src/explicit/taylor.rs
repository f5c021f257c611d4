//! The Taylor series of a motion, for systems that know it: where the rates are affine, y' = A y + b + c t,
//! each coefficient is the product of the one before with A; elsewhere coefficients follow from recurrences of
//! what the rates are computed by.
//!
//! A step is as long as its last terms allow, and the series is the dense output. Where the rates are affine no
//! trial is rejected for its error, and a polynomial motion, like a flight, is exact. Elsewhere a series whose
//! last terms vanish proves nothing: there the rates at the end are compared with the slope of the series, which
//! differ by the first term that was left out. Where a series does not exist at a point (a square root at 0), the
//! step is taken by the other method.
//!
//! The last terms say before a trial how long the step may be, to a tenth of the tolerance; after an event the step
//! is the shorter one of the last and the planned. Where the series ends, as in a flight, only the growth of steps
//! limits them. In modes that are not affine `auto` does not take the series: for a step of 12 orders a product costs
//! as much as for some steps of `tsit5`.

use crate::about::{About, Steps};
use crate::dense::Dense;
use crate::integration_method::IntegrationMethod;
use crate::slices::write;
use crate::span::StepSpan;
use crate::step::control::{ControllerKind, StepController, power};
use crate::step::{Counted, Failure, Start, StepResult, all_finite};
use crate::system::System;

pub(crate) static ABOUT: About = About {
    name: "taylor",
    about: "Taylor series of order 12; dop853 in loops, delays, slides, which have none",
    order: ORDER as u32,
    dense_order: ORDER as u32,
    dense_degree: ORDER,
    steps: Steps::Adaptive,
    stiff: false,
    source: "A. Jorba, M. Zou, Experimental Mathematics 14 (2005) 99",
    others: &[],
};

/// The last term that is kept.
pub(crate) const ORDER: usize = 12;

/// Length of the interval of stability on the negative real axis.
pub(crate) const STABLE: f64 = 5.8;

/// Estimated error for which a step is planned, in units of the tolerance. A tenth of the error costs a
/// fifth more steps; with it runs come out about as exact as those of `tsit5`.
const PLANNED: f64 = 0.1;

/// The estimated error of a component in a step: the last term that is kept, and the one before with a weight
/// that counts only where the last one happens to vanish.
///
/// Shapes: the coefficients and the powers of the step's length, of the last order but one and of the last.
#[inline(always)]
pub(crate) fn error_of([c, d]: [f64; 2], [before, last]: [f64; 2]) -> f64 {
    d.abs() * last + c.abs() * before / ORDER as f64
}

/// The powers of a step's length that the estimate needs.
#[inline(always)]
pub(crate) fn last_powers(h: f64) -> [f64; 2] {
    let square = h * h;
    let fourth = square * square;
    let before = h * square * (fourth * fourth);
    [before, before * h]
}

/// The powers of which [`planned`] asks the largest estimated errors, in units of the tolerances.
pub(crate) const UNITS: [[f64; 2]; 2] = [[1.0, 0.0], [0.0, 1.0]];

/// The longest step, from the largest estimated errors for the [`UNITS`].
#[inline(always)]
pub(crate) fn planned(largest: [f64; 2]) -> f64 {
    let [before, last] = largest.map(|largest| 0.5 * PLANNED / largest);
    power(before, 1.0 / (ORDER - 1) as f64).min(power(last, 1.0 / ORDER as f64))
}

/// The same; mostly the last term decides, by so much that the power of the other need not be found.
#[inline]
fn planned_alone(largest: [f64; 2]) -> f64 {
    let [before, last] = largest.map(|largest| 0.5 * PLANNED / largest);
    let h = power(last, 1.0 / ORDER as f64);
    let [asked, _] = last_powers(h);
    if 1.01 * asked <= before {
        h
    } else {
        planned(largest)
    }
}

/// h times the largest eigenvalue's absolute value, from the largest coefficients of the last order but one
/// and of the last.
#[inline(always)]
pub(crate) fn stiffness_of(h: f64, [before, last]: [f64; 2]) -> f64 {
    if before > 0.0 {
        h * ORDER as f64 * last / before
    } else {
        0.0
    }
}

/// A series that does not hold for so long, in units of the present time, counts as none: a square root is near its end.
const SHORTEST: f64 = 1e3 * f64::EPSILON;

#[derive(Clone, Debug, Default)]
pub(crate) struct Taylor {
    /// True if it is used only where the rates are affine.
    only_affine: bool,
    /// True if the system knows its series.
    known: bool,
    /// True if its rates are affine.
    affine: bool,
    /// True if there is no series at the present start.
    fails: bool,
    /// Coefficients in powers of time at the start of the step: for each order one per component.
    coefficients: Vec<f64>,
    /// True if they are those of the present start.
    ready: bool,
    /// The longest step from there, once it has been asked for.
    planned: Option<f64>,
    /// The highest order with a coefficient that is not 0.
    degree: usize,
}

impl Taylor {
    #[inline]
    pub(crate) fn new(only_affine: bool) -> Self {
        Self {
            only_affine,
            ..Self::default()
        }
    }

    /// True if the rates are affine.
    #[inline]
    pub(crate) fn is_affine(&self) -> bool {
        self.affine
    }

    /// True if steps from the present start are taken by it.
    #[inline]
    pub(crate) fn applies(&self) -> bool {
        self.known && !self.fails
    }

    /// The coefficients of one order.
    #[inline]
    fn order(&self, order: usize, n: usize) -> &[f64] {
        &self.coefficients[order * n..][..n]
    }

    /// Estimates h times the largest eigenvalue's absolute value from the last coefficients of a trial, to
    /// which that eigenvalue contributes most.
    #[inline]
    pub(crate) fn stiffness(&self, h: f64, start: &Start<'_>) -> f64 {
        let n = start.y.len();
        let orders = [ORDER - 1, ORDER].map(|order| self.order(order, n));
        let mut sizes = [0.0_f64; 2];
        for i in 0..n {
            let scale = start.scale(i);
            for (size, order) in sizes.iter_mut().zip(orders) {
                *size = size.max((order[i] / scale).abs());
            }
        }
        stiffness_of(h, sizes)
    }

    /// Computes the coefficients at the start of a step, if that has not been done.
    fn expand<S: System>(&mut self, system: &mut Counted<'_, S>, start: &Start<'_>) {
        if std::mem::replace(&mut self.ready, true) {
            return;
        }
        self.planned = None;
        let n = start.y.len();
        write(&mut self.coefficients[..n], start.y);
        write(&mut self.coefficients[n..2 * n], start.f);
        self.degree = system.series(start.t, ORDER, &mut self.coefficients);
        self.fails = !(self.affine || all_finite(&self.coefficients));
    }

    /// The longest step whose last terms are small enough.
    fn longest(&self, start: &Start<'_>) -> f64 {
        if self.degree < ORDER - 1 {
            return f64::INFINITY;
        }
        let mut largest = [0.0_f64; 2];
        for (i, last_two) in self.last_two(start.y.len()).enumerate() {
            let scale = start.scale(i);
            for (largest, unit) in largest.iter_mut().zip(UNITS) {
                *largest = largest.max(error_of(last_two, unit) / scale);
            }
        }
        planned_alone(largest)
    }

    /// Writes the value and the slope of `N` components behind the first ones at a time after the start, by Horner's rule
    /// side by side: each sum alone would wait for its additions. Result: `N`.
    ///
    /// Shapes: `ends`: values and slopes, `N` or more.
    #[inline(always)]
    fn sum<const N: usize>(&self, h: f64, first: usize, ends: [&mut [f64]; 2]) -> usize {
        let n = self.coefficients.len() / (ORDER + 1);
        let (known, last) = self.coefficients[..(self.degree + 1) * n].split_at(self.degree * n);
        let (mut y, mut slope) = ([0.0; N], [0.0; N]);
        y.copy_from_slice(&last[first..][..N]);
        for order in known.rchunks_exact(n) {
            let order = &order[first..][..N];
            for i in 0..N {
                slope[i] = slope[i] * h + y[i];
                y[i] = y[i] * h + order[i];
            }
        }
        let [y_out, slope_out] = ends;
        y_out[..N].copy_from_slice(&y);
        slope_out[..N].copy_from_slice(&slope);
        N
    }

    /// The last coefficients of each component.
    fn last_two(&self, n: usize) -> impl Iterator<Item = [f64; 2]> {
        let (before, last) = self.coefficients[(ORDER - 1) * n..][..2 * n].split_at(n);
        before
            .iter()
            .zip(last)
            .map(|(&before, &last)| [before, last])
    }
}

impl IntegrationMethod for Taylor {
    const CONTROLLER: Option<StepController> = Some(StepController {
        power: ORDER as f64,
        kind: ControllerKind::Planned,
        safety: 0.9,
        grow: 32.0,
        shrink: 0.1,
        first: 0.0,
    });

    const ENDS_WITH_DERIVATIVE: bool = true;

    fn resize<S: System>(&mut self, system: &mut S) {
        self.affine = system.has_series(true);
        self.known = self.affine || !self.only_affine && system.has_series(false);
        self.restarted();
        if self.known {
            self.coefficients.resize((ORDER + 1) * system.dim(), 0.0);
        }
    }

    #[inline]
    fn restarted(&mut self) {
        (self.ready, self.fails) = (false, false);
    }

    fn plan<S: System>(&mut self, system: &mut Counted<'_, S>, start: &Start<'_>) -> Option<f64> {
        self.expand(system, start);
        if self.fails {
            return None;
        }
        let planned = self.planned.unwrap_or_else(|| self.longest(start));
        self.planned = Some(planned);
        self.fails = !self.affine && planned < SHORTEST * start.t.abs();
        (!self.fails).then_some(planned)
    }

    fn trial<S: System>(
        &mut self,
        system: &mut Counted<'_, S>,
        span: &StepSpan,
        start: &Start<'_>,
        out: &mut StepResult,
    ) -> Result<(), Failure> {
        self.expand(system, start);
        let n = start.y.len();
        let h = span.h;
        let StepResult { y, f, error } = out;
        // The slope at the end is computed where the error goes.
        let mut first = 0;
        while first < n {
            let ends = [&mut y[first..], &mut error[first..]];
            first += match n - first {
                4.. => self.sum::<4>(h, first, ends),
                2.. => self.sum::<2>(h, first, ends),
                _ => self.sum::<1>(h, first, ends),
            };
        }
        system.rhs(span.t1, y, f)?;
        let powers = last_powers(h);
        for ((error, f), last_two) in error.iter_mut().zip(f).zip(self.last_two(n)) {
            let left_out = h * (*error - *f) / (ORDER + 1) as f64;
            *error = error_of(last_two, powers);
            if !self.affine {
                *error = error.max(left_out.abs());
            }
        }
        Ok(())
    }

    fn dense<S: System>(
        &mut self,
        _system: &mut Counted<'_, S>,
        span: &StepSpan,
        start: &Start<'_>,
        _out: &StepResult,
        dense: &mut Dense,
    ) -> Result<(), Failure> {
        let n = start.y.len();
        let mut powers = [1.0; ORDER + 1];
        for order in 1..=self.degree {
            powers[order] = powers[order - 1] * span.h;
        }
        for (i, out) in dense.begin(span, self.degree, n).enumerate() {
            let coefficients = self.coefficients[i..].iter().step_by(n);
            for ((out, c), power) in out.iter_mut().zip(coefficients).zip(&powers) {
                *out = c * power;
            }
        }
        Ok(())
    }
}
