//! Backward differentiation formulas of order 1 to 5, with fixed leading coefficient: the derivative of the
//! polynomial through the last points is corrected by the difference of the state from it.
//!
//! What is carried on are points of the solution; all differences are made of them, whatever the lengths of the steps.
//! Newton's method goes on with a Jacobian and factors of earlier steps as long as it converges. The point and the
//! step that these belong to are carried on as well, so that a resumed run finds them again.
//!
//! Of algebraic components the residuals vanish at the end of a step; in all else they are treated alike.
//!
//! At a start the order rises from step to step while the length doubles, until the errors tell the better order.
//! Afterwards length and order are changed at most once in `order + 1` steps, and only if it pays.

mod newton;
mod order;

use self::newton::AGE;
use super::kept::Kept;
use super::polynomials::{self, POINTS, Weights, at_end, coefficients, error_weight, leading};
use crate::about::{About, Steps};
use crate::dense::{Dense, hermite};
use crate::integration_method::IntegrationMethod;
use crate::linear::{FEW, NewtonMatrix, has_room_for};
use crate::span::StepSpan;
use crate::step::control::{ControllerKind, StepController};
use crate::step::history::{Course, History};
use crate::step::{Counted, Failure, Rejection, Start, StepResult, all_finite};
use crate::system::System;

pub(crate) static ABOUT: About = About {
    name: "bdf",
    about: "backward differentiation formulas of order 1 to 5, for stiff problems and large ones",
    order: polynomials::MOST as u32,
    dense_order: polynomials::MOST as u32,
    dense_degree: polynomials::MOST,
    steps: Steps::Adaptive,
    stiff: true,
    source: "K. E. Brenan, S. L. Campbell, L. R. Petzold, Numerical Solution of Initial-Value Problems in \
             Differential-Algebraic Equations, 1996, 5.2",
    others: &["bdf", "ode15s", "dassl", "ida"],
};

/// Points before the start of a step that are kept.
const KEPT: usize = POINTS - 1;

/// Points closer than this to the next one, in steps, are left out: rounding is all that their difference shows.
const CLOSE: f64 = 0.04;

#[derive(Clone, Debug, Default)]
pub(crate) struct Bdf {
    /// What the polynomial of the points says of the end: value and slope.
    predicted: [Vec<f64>; 2],
    /// What the end is away from there.
    away: Vec<f64>,
    /// Residuals of the prediction.
    residual: Vec<f64>,
    u: Vec<f64>,
    w: Vec<f64>,
    places: Places,
    /// Length of the last trial.
    h: f64,
    /// Weight of `away` in the error estimate.
    error_weight: f64,
    /// How this step is taken, and how the next one will be.
    course: Course,
    next: Course,
    /// Trials of this step whose error was too large.
    failures: u32,
    kept: Kept,
    /// Room for products with the Jacobian.
    powers: [Vec<f64>; 3],
    matrix: NewtonMatrix,
    /// True before the first trial of a step.
    begins: bool,
    has_room: bool,
    fits: bool,
    /// Number of components that are not algebraic.
    differential: usize,
}

/// The points that a step is made from.
#[derive(Clone, Copy, Debug, Default)]
struct Places {
    /// Where they are, the start first.
    at: Weights,
    /// Their numbers in the history.
    number: [usize; POINTS + 1],
    /// How many.
    count: usize,
    /// True if there is no point but the start, and its rates.
    starts: bool,
}

impl Places {
    fn at(&self) -> &[f64] {
        &self.at[..self.count]
    }
}

impl Bdf {
    /// True if the system's Jacobian has room.
    pub(crate) fn has_room(&self) -> bool {
        self.has_room
    }

    /// The spectral radius of the Jacobian, estimated, if it was evaluated for the last trial; none of a system with algebraic
    /// components, whose Jacobian is that of no rates.
    ///
    /// Shapes: `scale`: sizes of the components that count alike.
    pub(crate) fn new_spectral_radius(&mut self, scale: impl Fn(usize) -> f64) -> Option<f64> {
        let is_wanted = self.kept.is_fresh() && self.differential == self.kept.jacobian.df_dt.len();
        is_wanted.then(|| (self.kept.jacobian).spectral_radius(&mut self.powers, scale))
    }

    fn fit<S: System>(&mut self, system: &mut S) {
        if self.kept.jacobian.fit(system) {
            let pattern = self.kept.jacobian.pattern.as_deref();
            (self.matrix).fit(system.dim(), system.n_algebraic(), pattern);
        }
        self.fits = true;
    }

    /// Takes over what the step begins with, unless that has been done.
    fn begin_step<S: System>(
        &mut self,
        system: &mut Counted<'_, S>,
        start: &Start<'_>,
    ) -> Result<(), Failure> {
        if std::mem::take(&mut self.begins) {
            self.course = start.history.course;
            self.failures = 0;
            self.kept.begin();
        }
        if self.kept.reload(system, start)? {
            self.find_factors(system)?;
            self.kept.reloaded();
        }
        Ok(())
    }

    /// Chooses the points for a step of length `h`: one more than its order, fewer if there are not as many.
    fn choose_points(&mut self, h: f64, start: &Start<'_>) {
        let order = self.course.order.max(1) as usize;
        self.places = chosen(h, start, order + 1);
        if self.failures > order::LAST_FAILURE || self.places.count == 1 {
            self.places = Places {
                starts: true,
                count: 2,
                ..Places::default()
            };
            self.places.at[1] = -1.0;
        }
        self.course.order = self.places.count as u32 - 1;
    }

    /// Writes what the points say of the end.
    fn predict(&mut self, h: f64, start: &Start<'_>) {
        let [value, slope] = &mut self.predicted;
        if self.places.starts {
            for (i, (value, slope)) in value.iter_mut().zip(slope).enumerate() {
                *slope = start.f[i];
                *value = start.y[i] + h * start.f[i];
            }
            return;
        }
        let [to_value, to_slope] = at_end(self.places.at());
        let points = self.places.number;
        value.fill(0.0);
        slope.fill(0.0);
        let per_h = 1.0 / h;
        for point in 1..self.places.count {
            let (a, b) = (to_value[point], to_slope[point] * per_h);
            let row = row(start, points[point]);
            for (i, (value, slope)) in value.iter_mut().zip(&mut *slope).enumerate() {
                let way = row[i] - start.y[i];
                *value += a * way;
                *slope += b * way;
            }
        }
        for (value, y) in value.iter_mut().zip(start.y) {
            *value += y;
        }
    }
}

/// What is kept of a point.
fn row<'a>(start: &'a Start<'_>, number: usize) -> &'a [f64] {
    let point = start.history.point(number);
    point.expect("the point was chosen from the history").1
}

/// Points for a step of length `h`, the start first, `most` at most.
fn chosen(h: f64, start: &Start<'_>, most: usize) -> Places {
    let mut places = Places {
        count: 1,
        ..Places::default()
    };
    let mut last = 0.0;
    let mut number = 0;
    while places.count < most
        && let Some((t, _)) = start.history.point(number)
    {
        let place = (t - start.t) / h;
        if last - place >= CLOSE {
            (places.at[places.count], places.number[places.count]) = (place, number);
            places.count += 1;
            last = place;
        }
        number += 1;
    }
    places
}

impl IntegrationMethod for Bdf {
    const CONTROLLER: Option<StepController> = Some(StepController {
        power: 2.0,
        kind: ControllerKind::Predictive,
        safety: 0.9,
        grow: 2.0,
        shrink: 0.2,
        first: 0.1,
    });

    fn is_at_edge(&self) -> bool {
        self.kept.jacobian.at_edge
    }

    fn resize<S: System>(&mut self, system: &mut S) {
        let n = system.dim();
        let vectors = [&mut self.away, &mut self.residual, &mut self.u, &mut self.w];
        let more = self.predicted.iter_mut().chain(&mut self.powers);
        for values in vectors.into_iter().chain(more) {
            values.clear();
            values.resize(n, 0.0);
        }
        self.kept.resize(n);
        self.differential = n - system.n_algebraic();
        self.has_room = has_room_for(system, 1);
        (self.fits, self.begins) = (false, true);
        if n <= FEW {
            self.fit(system);
        }
    }

    fn reserve(&self, history: &mut History, n: usize) {
        history.reserve(KEPT, n);
    }

    fn begin(&mut self) {
        self.begins = true;
    }

    fn restarted(&mut self) {
        self.begins = true;
        self.kept.restarted();
    }

    fn corrected(&mut self) {
        self.begins = true;
    }

    fn accepted(&mut self, (t, y, f): (f64, &[f64], &[f64]), history: &mut History) {
        if self.places.starts {
            // A point before the start: where the motion would have come from, to second order.
            history.clear();
            for (i, u) in self.u.iter_mut().enumerate() {
                *u = y[i] - self.h * f[i] + 0.5 * self.away[i];
            }
            history.remember(KEPT, t - self.h, &self.u);
        }
        history.remember(KEPT, t, y);
        history.course = self.next;
        self.kept.accepted(history);
        self.begins = true;
    }

    fn trial<S: System>(
        &mut self,
        system: &mut Counted<'_, S>,
        span: &StepSpan,
        start: &Start<'_>,
        out: &mut StepResult,
    ) -> Result<(), Failure> {
        if !self.has_room {
            return Err(Failure::Retry(Rejection::TooLarge));
        }
        if !self.fits {
            self.fit(system.system);
        }
        self.begin_step(system, start)?;
        // As the points are apart: where time has few digits for so short a step, what was asked for is another.
        self.h = span.t1 - span.t0;
        self.choose_points(self.h, start);
        self.predict(self.h, start);
        self.error_weight = error_weight(self.places.at());
        let shift = leading(self.course.order as usize) / self.h;
        system.rhs(span.t1, &self.predicted[0], &mut self.w)?;
        if !all_finite(&self.w) {
            return Err(Failure::Retry(Rejection::NotFinite));
        }
        let mut is_fresh = false;
        if !self.kept.is_loaded() || self.kept.at.age >= AGE {
            self.linearise(system, span, start, shift)?;
            is_fresh = true;
        } else if self.is_algebraic() {
            if !self.factors_hold(system, span, start, shift)? {
                self.linearise(system, span, start, shift)?;
                is_fresh = true;
            }
        } else if self.needs_factors(shift) {
            self.factor(system, shift)?;
        }
        if let Err(failure) = self.newton(system, span, start, shift) {
            if is_fresh || failure == Failure::Stop {
                return Err(failure);
            }
            system.rhs(span.t1, &self.predicted[0], &mut self.w)?;
            self.linearise(system, span, start, shift)?;
            self.newton(system, span, start, shift)?;
        }
        out.y.copy_from_slice(&self.u);
        for (error, away) in out.error.iter_mut().zip(&self.away) {
            *error = self.error_weight * away;
        }
        Ok(())
    }

    fn shorter(&mut self, error: f64, h: f64) -> Option<f64> {
        Some(self.after_failure(error, h))
    }

    fn next_step(
        &mut self,
        span: &StepSpan,
        start: &Start<'_>,
        out: &StepResult,
        clipped: bool,
        _proposed: f64,
    ) -> f64 {
        self.choose_next(span, start, out, clipped)
    }

    fn inside<S: System>(
        &mut self,
        _system: &mut Counted<'_, S>,
        _span: &StepSpan,
        start: &Start<'_>,
        out: &StepResult,
    ) -> (f64, usize) {
        self.hidden_error(start, out)
    }

    fn dense<S: System>(
        &mut self,
        _system: &mut Counted<'_, S>,
        span: &StepSpan,
        start: &Start<'_>,
        out: &StepResult,
        dense: &mut Dense,
    ) -> Result<(), Failure> {
        let n = start.y.len();
        if self.places.starts {
            self.w.copy_from_slice(&out.f);
            // What stands for rates of algebraic components are residuals: a parabola.
            for i in self.differential..n {
                self.w[i] = 2.0 * (out.y[i] - start.y[i]) / span.h - start.f[i];
            }
            hermite(dense, span, [start.y, start.f, &out.y, &self.w]);
            return Ok(());
        }
        // The start, the end, and what lies before but the last point of those that predict.
        let order = self.course.order as usize;
        let mut places = self.places.at;
        places[1] = 1.0;
        places[2..=order].copy_from_slice(&self.places.at[1..order]);
        let weights = coefficients(&places[..=order]);
        for (i, powers) in dense.begin(span, order, n).enumerate() {
            let way = out.y[i] - start.y[i];
            for (power, weight) in powers.iter_mut().zip(&weights[1]) {
                *power = weight * way;
            }
            powers[0] = start.y[i];
        }
        for point in 2..=order {
            let row = row(start, self.places.number[point - 1]);
            for (i, powers) in dense.polynomials().enumerate() {
                let way = row[i] - start.y[i];
                for (power, weight) in powers.iter_mut().zip(&weights[point]) {
                    *power += weight * way;
                }
            }
        }
        Ok(())
    }
}
