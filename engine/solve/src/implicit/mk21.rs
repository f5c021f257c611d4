//! Novikov's semi-implicit (2, 1) scheme of order 2, L-stable, with a frozen Jacobian: two linear systems and one
//! evaluation a step, and a Jacobian and its factors that serve for many steps.
//!
//! With `D = 1 - a h A` and `a = 1 - sqrt(1/2)`
//!
//! ```text
//! D k1 = h f(t, y),   D k2 = k1,   y1 = y + a k1 + (1 - a) k2
//! ```
//!
//! has the stability function `(1 + (1 - 2 a) z) / (1 - a z)^2`. The weights follow from two conditions: `1 - a` beside
//! `a` makes it vanish at infinity, and `a^2 - 2 a + 1/2 = 0` gives order 2, since the coefficient of `h^2 A f` is
//! `2 a - a^2`. It stays of order 2 as long as `A` is the Jacobian up to O(h): it is frozen.
//!
//! What is not in the printed scheme is derived here. In a system that depends on time the time is a component whose
//! rate is 1: its column of the Jacobian is taken from the rates at both ends of the step at the same state, so that
//! what is stiff follows a moving equilibrium to its end. The error estimate is the difference from the trapezoidal
//! rule, `D^-1 (y1 - y - h / 2 (f0 + f1))`: for linear rates -0.043 z^3 where the error is 0.040 z^3, bounded where z is
//! large, and it sees what a Jacobian that is too old does. Then the Jacobian is evaluated anew, and only if that does
//! not help the step is shortened.

use super::kept::Kept;
use crate::about::{About, Steps};
use crate::dense::Dense;
use crate::integration_method::IntegrationMethod;
use crate::linear::{FEW, Matrix, has_room_for};
use crate::span::StepSpan;
use crate::step::control::{ControllerKind, StepController, norm, power};
use crate::step::history::History;
use crate::step::{Counted, Failure, Rejection, Start, StepResult, all_finite};
use crate::system::{Refusal, System};

pub(crate) static ABOUT: About = About {
    name: "mk21",
    about: "semi-implicit method of order 2 by Novikov, L-stable, with a frozen Jacobian",
    order: 2,
    dense_order: 2,
    dense_degree: 3,
    steps: Steps::Adaptive,
    stiff: true,
    source: "E. A. Novikov, Yu. V. Shornikov, Computational Technologies 18 (2013), special issue; \
             E. A. Novikov, Explicit methods for stiff systems, 1997",
    others: &["mk22"],
};

/// 1 - sqrt(1/2).
pub(crate) const A: f64 = 0.292_893_218_813_452_5;

/// Steps that are taken with one Jacobian at most.
const AGE: u32 = 20;

/// As long as the step that the errors ask for lies between these multiples of the last one, that is taken again, and
/// the factors of the matrix are kept...
const SAME: std::ops::Range<f64> = 0.95..1.5;
/// ...else this part of what they ask for, so that it can be taken again.
const ROOM: f64 = 0.85;

/// Where a dense output that has been corrected in the middle is checked.
const CHECK: f64 = 0.2;

const CONTROLLER: StepController = StepController {
    power: 3.0,
    kind: ControllerKind::Predictive,
    safety: 0.9,
    grow: 5.0,
    shrink: 0.2,
    first: 2.5,
};

#[derive(Clone, Debug, Default)]
pub(crate) struct Mk21 {
    k: [Vec<f64>; 2],
    /// What the rates change by over the step at the same state, if they depend on time.
    change: Vec<f64>,
    u: Vec<f64>,
    w: Vec<f64>,
    kept: Kept,
    matrix: Matrix,
    /// True if the rates depend on time, as far as was seen with the Jacobian.
    is_timed: bool,
    /// True before the first trial of a step.
    begins: bool,
    /// The largest error of the last trial, its inside included.
    largest: f64,
    /// The dense output of the last trial, and whether it has been made.
    inner: Dense,
    is_inner_known: bool,
    has_room: bool,
    fits: bool,
}

impl Mk21 {
    fn fit<S: System>(&mut self, system: &mut S) {
        if self.kept.jacobian.fit(system) {
            let pattern = self.kept.jacobian.pattern.as_deref();
            self.matrix.fit(system.dim(), pattern);
        }
        self.fits = true;
    }

    /// Jacobian and factors at the start of a step.
    fn linearise<S: System>(
        &mut self,
        system: &mut Counted<'_, S>,
        start: &Start<'_>,
        shift: f64,
    ) -> Result<(), Failure> {
        self.kept
            .linearise(system, (start.t, start.y, start.f), start)?;
        self.kept.factor(shift);
        self.look_for_time(system)?;
        self.factor(system)
    }

    /// Finds out whether the rates depend on time. A derivative may be 0 at one time; rates that are the same a while
    /// later as well do not.
    fn look_for_time<S: System>(&mut self, system: &mut Counted<'_, S>) -> Result<(), Failure> {
        let (at, slopes) = (&self.kept.at, &self.kept.jacobian.df_dt);
        self.is_timed = slopes.iter().any(|slope| *slope != 0.0);
        if !self.is_timed {
            let later = at.t + 1.0 / at.shift;
            self.is_timed = match system.rhs(later, &at.y, &mut self.w) {
                Ok(()) => self.w != at.f,
                Err(Refusal::Outside) => true,
                Err(Refusal::Stop) => return Err(Failure::Stop),
            };
        }
        if !self.is_timed {
            self.change.fill(0.0);
        }
        Ok(())
    }

    fn factor<S: System>(&mut self, system: &mut Counted<'_, S>) -> Result<(), Failure> {
        system.stats.factorisations += 1;
        let (shift, jacobian) = (self.kept.at.shift, &self.kept.jacobian);
        self.matrix.factor_shifted(shift, jacobian).map_err(|_| {
            self.kept.has_no_factors();
            Failure::Retry(Rejection::Singular)
        })
    }

    /// Stages, end and error estimate with the factors that are there.
    fn solve<S: System>(
        &mut self,
        system: &mut Counted<'_, S>,
        span: &StepSpan,
        start: &Start<'_>,
        out: &mut StepResult,
    ) -> Result<(), Refusal> {
        let n = start.y.len();
        let (h, shift, [k1, k2]) = (span.h, self.kept.at.shift, &mut self.k);
        if self.is_timed {
            system.rhs(span.t1, start.y, &mut self.change)?;
            for (change, f) in self.change.iter_mut().zip(start.f) {
                *change -= f;
            }
        }
        for i in 0..n {
            k1[i] = (start.f[i] + A * self.change[i]) * (1.0 / A);
        }
        self.matrix.solve(k1);
        for i in 0..n {
            k2[i] = k1[i] * shift + self.change[i];
        }
        self.matrix.solve(k2);
        for i in 0..n {
            out.y[i] = start.y[i] + (A * k1[i] + (1.0 - A) * k2[i]);
        }
        system.rhs(span.t1, &out.y, &mut out.f)?;
        for i in 0..n {
            let rise = A * k1[i] + (1.0 - A) * k2[i];
            out.error[i] = shift * (rise - 0.5 * h * (start.f[i] + out.f[i]));
        }
        self.matrix.solve(&mut out.error);
        Ok(())
    }

    /// The cubic of the last trial: `y + (2 x - x^2 / (2 a)) k1 + (x^2 / (2 a) - x) k2`, which is of order 2, and
    /// `x^2 (x - 1)` times what `2 D^-1 - D^-2` leaves of the slope that it lacks at the end.
    fn own_interpolant(
        &mut self,
        span: &StepSpan,
        start: &Start<'_>,
        out: &StepResult,
        dense: &mut Dense,
    ) {
        let ([k1, k2], shift) = (&self.k, self.kept.at.shift);
        for (i, u) in self.u.iter_mut().enumerate() {
            let slope = (2.0 - 1.0 / A) * k1[i] + (1.0 / A - 1.0) * k2[i];
            *u = shift * (span.h * out.f[i] - slope);
        }
        // Filtered once more, what is left out of the slope is of the second order in h J.
        self.matrix.solve(&mut self.u);
        for (w, u) in self.w.iter_mut().zip(&self.u) {
            *w = shift * u;
        }
        self.matrix.solve(&mut self.w);
        let polynomials = dense.begin(span, ABOUT.dense_degree, start.y.len());
        for (i, powers) in polynomials.enumerate() {
            let (slope, lacks) = (2.0 * k1[i] - k2[i], 2.0 * self.u[i] - self.w[i]);
            let bow = out.y[i] - start.y[i] - slope;
            powers.copy_from_slice(&[start.y[i], slope, bow - lacks, lacks]);
        }
    }

    /// Corrects a dense output that is not good enough; its error in units of the tolerance, and the component.
    fn control<S: System>(
        &mut self,
        system: &mut Counted<'_, S>,
        start: &Start<'_>,
        out: &StepResult,
        dense: &mut Dense,
    ) -> Result<(f64, usize), Refusal> {
        self.correction(system, dense, 0.5)?;
        let own = norm(&self.u, start, &out.y);
        if own.0 <= 1.0 {
            return Ok(own);
        }
        for (powers, u) in dense.polynomials().zip(&self.u) {
            powers[1] += 4.0 * u;
            powers[2] -= 4.0 * u;
        }
        self.correction(system, dense, CHECK)?;
        Ok(norm(&self.u, start, &out.y))
    }

    /// Writes into `u` how far a Newton step on the residual of the dense output moves a state inside of the step.
    ///
    /// # Errors
    ///
    /// [`Refusal`] if the rates are not defined there.
    fn correction<S: System>(
        &mut self,
        system: &mut Counted<'_, S>,
        dense: &Dense,
        theta: f64,
    ) -> Result<(), Refusal> {
        dense.eval(theta, &mut self.w);
        system.rhs(dense.time(theta), &self.w, &mut self.u)?;
        let per_h = 1.0 / dense.h();
        for (i, u) in self.u.iter_mut().enumerate() {
            *u -= dense.slope(i, theta) * per_h;
        }
        self.matrix.solve(&mut self.u);
        // The dense output may lead out of the domain of a root whose edge is near.
        match all_finite(&self.u) {
            true => Ok(()),
            false => Err(Refusal::Outside),
        }
    }
}

impl IntegrationMethod for Mk21 {
    const CONTROLLER: Option<StepController> = Some(CONTROLLER);
    const ENDS_WITH_DERIVATIVE: bool = true;

    fn is_at_edge(&self) -> bool {
        self.kept.jacobian.at_edge
    }

    fn resize<S: System>(&mut self, system: &mut S) {
        let n = system.dim();
        let vectors = [&mut self.change, &mut self.u, &mut self.w];
        for values in self.k.iter_mut().chain(vectors) {
            values.clear();
            values.resize(n, 0.0);
        }
        self.inner.reserve(ABOUT.dense_degree, n);
        self.has_room = has_room_for(system, 1);
        self.fits = false;
        self.kept.resize(n);
        self.restarted();
        // Memory is found before the steps; what it holds fits when it is first needed.
        if n <= FEW {
            self.fit(system);
        }
    }

    fn reserve(&self, history: &mut History, n: usize) {
        history.reserve(0, n);
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

    fn accepted(&mut self, _start: (f64, &[f64], &[f64]), history: &mut History) {
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
        if std::mem::take(&mut self.begins) {
            self.kept.begin();
        }
        if self.kept.reload(system, start)? {
            self.look_for_time(system)?;
            self.factor(system)?;
            self.kept.reloaded();
        }
        self.is_inner_known = false;
        let shift = 1.0 / (A * span.h);
        if !self.kept.is_loaded() || self.kept.at.age >= AGE {
            self.linearise(system, start, shift)?;
        } else if self.kept.at.shift != shift {
            self.kept.factor(shift);
            self.factor(system)?;
        }
        self.solve(system, span, start, out)?;
        if self.kept.at.age > 0 && !(norm(&out.error, start, &out.y).0 <= 1.0) {
            self.linearise(system, start, shift)?;
            self.solve(system, span, start, out)?;
        }
        Ok(())
    }

    fn next_step(
        &mut self,
        span: &StepSpan,
        start: &Start<'_>,
        out: &StepResult,
        _clipped: bool,
        _proposed: f64,
    ) -> f64 {
        let error = norm(&out.error, start, &out.y).0.max(self.largest);
        let factor = CONTROLLER.safety * power(error, -1.0 / CONTROLLER.power);
        if SAME.contains(&factor) {
            span.h
        } else {
            span.h * (ROOM * factor).clamp(CONTROLLER.shrink, CONTROLLER.grow)
        }
    }

    /// The error of the dense output. What follows an equilibrium that moves is a straight line in it, however small
    /// the errors at the ends: in the middle a Newton step then takes it back to where the rates allow it, and a step
    /// is refused where that is not enough.
    fn inside<S: System>(
        &mut self,
        system: &mut Counted<'_, S>,
        span: &StepSpan,
        start: &Start<'_>,
        out: &StepResult,
    ) -> (f64, usize) {
        let mut dense = std::mem::take(&mut self.inner);
        self.own_interpolant(span, start, out, &mut dense);
        let error = self.control(system, start, out, &mut dense);
        self.inner = dense;
        self.is_inner_known = true;
        // Where points inside are not defined nothing can be said of them.
        let error = error.unwrap_or((0.0, 0));
        self.largest = error.0;
        error
    }

    fn dense<S: System>(
        &mut self,
        _system: &mut Counted<'_, S>,
        span: &StepSpan,
        start: &Start<'_>,
        out: &StepResult,
        dense: &mut Dense,
    ) -> Result<(), Failure> {
        if self.is_inner_known {
            dense.copy_from(&self.inner);
        } else {
            self.own_interpolant(span, start, out, dense);
        }
        Ok(())
    }
}
