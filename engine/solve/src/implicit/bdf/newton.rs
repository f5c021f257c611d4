//! The implicit equations of a step -> its end, by Newton's method with factors that are kept as long as they serve.

use super::Bdf;
use crate::implicit::polynomials::leading;
use crate::linear::{Shift, Wanted};
use crate::span::StepSpan;
use crate::step::control::norm;
use crate::step::{Counted, Failure, Rejection, Start, StepResult};
use crate::system::{Refusal, System};

/// Iterations of Newton's method before it is given up.
const ITERATIONS: usize = 4;
/// What it may leave of the error, as a part of the tolerance.
const LEFT: f64 = 0.03;
/// It diverges if a correction is larger than the one before by this factor.
const DIVERGES: f64 = 2.0;
/// With algebraic components factors are kept as long as they leave no more than this part of a displacement.
const HOLDS: f64 = 0.4;
/// What the solution of a linear system may leave of that.
const LINEAR: f64 = 0.1;
/// A residual that keeps more than this part has not been solved for...
const STAYS: f64 = 0.5;
/// ...but for what rounding leaves of it, relative to the state.
const NOISE: f64 = 64.0 * f64::EPSILON;
/// Rounding: no correction gets smaller than this relative to the state.
const ROUNDING: f64 = 16.0 * f64::EPSILON;

/// Factors are kept as long as the diagonal differs by less than this part...
const SHIFT: f64 = 0.2;
/// ...and for so many steps,
const FACTORS_AGE: u32 = 20;
/// a Jacobian for so many.
pub(super) const AGE: u32 = 50;

impl Bdf {
    /// Solves for the end. The rates at the prediction are in `w`.
    ///
    /// # Errors
    ///
    /// The iteration did not converge, or a point was refused. Cost: one evaluation for each iteration but the first.
    pub(super) fn newton<S: System>(
        &mut self,
        system: &mut Counted<'_, S>,
        span: &StepSpan,
        start: &Start<'_>,
        shift: f64,
    ) -> Result<(), Failure> {
        let enough = (LEFT / self.error_weight).max(ROUNDING / start.rtol);
        // With factors for another length stiff and slow components are met halfway.
        let ratio = self.kept.at.shift / shift;
        let mut scale = ratio * 2.0 / (1.0 + ratio);
        if self.is_algebraic() {
            (scale, self.course.contraction) = (1.0, HOLDS);
        }
        let [value, slope] = &self.predicted;
        self.away.fill(0.0);
        self.u.copy_from_slice(value);
        let wanted = Wanted {
            scale: &|i| start.scale(i),
            enough: LINEAR * enough,
        };
        let mut last = None;
        for iteration in 0..ITERATIONS {
            if iteration > 0 {
                system.rhs(span.t1, &self.u, &mut self.w)?;
            }
            for (i, w) in self.w[..self.differential].iter_mut().enumerate() {
                *w -= slope[i] + shift * self.away[i];
            }
            if iteration == 0 {
                self.residual.copy_from_slice(&self.w);
            }
            self.matrix.solve(&mut self.w, &wanted);
            for (i, w) in self.w.iter_mut().enumerate() {
                *w *= scale;
                self.away[i] += *w;
                self.u[i] = value[i] + self.away[i];
            }
            let (size, _) = norm(&self.w, start, &self.u);
            if !size.is_finite() {
                return Err(Failure::Retry(Rejection::NotFinite));
            }
            if let Some(last) = last {
                let kept = 0.3 * self.course.contraction;
                self.course.contraction = kept.max(size / last);
                if size > DIVERGES * last {
                    break;
                }
            }
            if size * self.course.contraction.min(1.0) <= enough {
                return Ok(());
            }
            last = Some(size);
        }
        Err(Failure::Retry(Rejection::NotConverged))
    }

    pub(super) fn is_algebraic(&self) -> bool {
        self.differential < self.u.len()
    }

    /// Finds the factors for a step.
    pub(super) fn factor<S: System>(
        &mut self,
        system: &mut Counted<'_, S>,
        shift: f64,
    ) -> Result<(), Failure> {
        self.course.contraction = 1.0;
        self.kept.factor(shift);
        self.find_factors(system)
    }

    pub(super) fn find_factors<S: System>(
        &mut self,
        system: &mut Counted<'_, S>,
    ) -> Result<(), Failure> {
        system.stats.factorisations += 1;
        let shift = Shift {
            value: self.kept.at.shift,
            differential: self.differential,
        };
        let factored = self.matrix.factor_shifted(shift, &self.kept.jacobian);
        factored.map_err(|_| {
            self.kept.has_no_factors();
            Failure::Retry(Rejection::Singular)
        })
    }

    /// Evaluates the Jacobian at the prediction, where the rates are in `w`, and finds the factors.
    pub(super) fn linearise<S: System>(
        &mut self,
        system: &mut Counted<'_, S>,
        span: &StepSpan,
        start: &Start<'_>,
        shift: f64,
    ) -> Result<(), Failure> {
        let there = (span.t1, &self.predicted[0][..], &self.w[..]);
        self.kept.linearise(system, there, start)?;
        self.factor(system, shift)
    }

    /// True if another step needs other factors.
    pub(super) fn needs_factors(&self, shift: f64) -> bool {
        (shift / self.kept.at.shift - 1.0).abs() > SHIFT || self.kept.at.factors_age >= FACTORS_AGE
    }

    /// True if the factors undo a displacement of all components from the prediction, each by its tolerance and to a side of
    /// its own. Residuals, unlike rates, have no motion that damps what is left of them, and with slopes that are too large, as
    /// those of an exponential further up, all corrections are small and seem to have converged. The rates at the prediction
    /// are in `w`.
    pub(super) fn factors_hold<S: System>(
        &mut self,
        system: &mut Counted<'_, S>,
        span: &StepSpan,
        start: &Start<'_>,
        shift: f64,
    ) -> Result<bool, Failure> {
        let displaced = |i: usize| match i.wrapping_mul(0x9E37_79B9) >> 16 & 1 {
            0 => start.scale(i),
            _ => -start.scale(i),
        };
        for (i, (u, y)) in self.u.iter_mut().zip(&self.predicted[0]).enumerate() {
            *u = y + displaced(i);
        }
        match system.rhs(span.t1, &self.u, &mut self.away) {
            Err(Refusal::Stop) => return Err(Failure::Stop),
            Err(Refusal::Outside) => return Ok(false),
            Ok(()) => {}
        }
        for (i, (away, w)) in self.away.iter_mut().zip(&self.w).enumerate() {
            *away = w - *away;
            if i < self.differential {
                *away += shift * displaced(i);
            }
        }
        let wanted = Wanted {
            scale: &|i| start.scale(i),
            enough: LINEAR,
        };
        self.matrix.solve(&mut self.away, &wanted);
        let mut found = self.away.iter().enumerate();
        Ok(found.all(|(i, found)| (found - displaced(i)).abs() <= HOLDS * start.scale(i)))
    }

    /// The error that a Jacobian of an earlier step has hidden, in units of the tolerance, and its component. With slopes that
    /// are too large by now, as those of `sqrt(x)` further up, all corrections are small and seem to have converged, but
    /// the residuals stay as they were at the prediction. What leaves such an error needs a new Jacobian.
    pub(super) fn hidden_error(&mut self, start: &Start<'_>, out: &StepResult) -> (f64, usize) {
        let mut largest = (0.0, 0);
        if self.kept.is_fresh() {
            return largest;
        }
        let shift = leading(self.course.order as usize) / self.h;
        self.w.fill(0.0);
        for (i, w) in self.w[..self.differential].iter_mut().enumerate() {
            *w = out.f[i] - self.predicted[1][i] - shift * self.away[i];
            let error = self.h * w.abs() / start.scale(i);
            if w.abs() > STAYS * self.residual[i].abs() && error > largest.0 {
                largest = (error, i);
            }
        }
        let (error, component) = largest;
        if error <= 1.0 {
            return (0.0, 0);
        }
        let wanted = Wanted {
            scale: &|i| start.scale(i),
            enough: LINEAR,
        };
        self.matrix.solve(&mut self.w, &wanted);
        // Very stiff components magnify what rounding leaves of them.
        if self.w[component].abs() <= NOISE * out.y[component].abs() {
            return (0.0, 0);
        }
        self.kept.has_no_factors();
        (error, component)
    }
}
