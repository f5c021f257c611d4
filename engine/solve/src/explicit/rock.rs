//! A stabilised explicit method of order 2 with any number of stages, for diffusion on large grids: the
//! Runge-Kutta-Chebyshev method. With s stages it is stable on the negative real axis up to about 0.65 s^2, so that a
//! step needs the root of what it would cost an ordinary explicit method.
//!
//! All coefficients are closed formulas in Chebyshev's polynomials. The methods of the same kind by Abdulle and
//! Medovikov (ROCK2, Numerische Mathematik 90, 2001) have intervals of 0.81 s^2, a tenth fewer stages, but live of tables of
//! some thousand coefficients, for numbers of stages that are tabulated.
//!
//! The spectral radius is estimated by the power method on differences of rates, begun with the vector of the last
//! estimate. It is good for [`AGE`] steps, and estimated anew when a trial fails. The estimate and its vector
//! are carried on, so that a resumed run finds them.
//!
//! The dense output is the cubic through both ends. The error estimate bounds its inside as well: the estimate contains the
//! rates at both ends with 2/5 of the step, the cubic with 4/27 at most, and what is fast is damped by positive factors
//! from 1/3 to 1, so that both rates have one sign in it. Where rates at both ends lead to the other end, slopes are limited so
//! that nothing inside lies beyond the ends (F. N. Fritsch, R. E. Carlson, SIAM J. Numer. Anal. 17, 1980): what
//! takes off from a border like a power of time does not seem to fall back behind it.

use crate::about::{About, Steps};
use crate::dense::{Dense, cubic};
use crate::integration_method::IntegrationMethod;
use crate::span::StepSpan;
use crate::step::control::{ControllerKind, StepController};
use crate::step::history::{History, Spectrum};
use crate::step::{Counted, Failure, Rejection, Start, StepResult};
use crate::system::{Refusal, System};

pub(crate) static ABOUT: About = About {
    name: "rock",
    about: "stabilised explicit method of order 2 (Chebyshev), any number of stages, for diffusion",
    order: 2,
    dense_order: 2,
    dense_degree: 3,
    steps: Steps::Adaptive,
    stiff: false,
    source: "B. P. Sommeijer, L. F. Shampine, J. G. Verwer, J. Comput. Appl. Math. 88 (1998) 315",
    others: &["rkc", "rock2", "rock4"],
};

/// Damping of the stability polynomial.
const DAMPING: f64 = 2.0 / 13.0;

/// Steps for which an estimate of the spectral radius is good.
const AGE: u32 = 25;

/// An estimate comes from below; it is taken to be larger by this factor.
const SAFETY: f64 = 1.2;
/// Products after which the power method is given up...
const PRODUCTS: u32 = 50;
/// ...and the change from one to the next at which it ends.
const SETTLED: f64 = 0.01;

/// Length of the differences, relative to the state.
const DELTA: f64 = 1.5e-8;

#[derive(Clone, Debug, Default)]
pub(crate) struct Rock {
    /// Argument of a stage, its rates, and the ways from the start to the last stages.
    u: Vec<f64>,
    f: Vec<f64>,
    ways: [Vec<f64>; 2],
    /// The direction of the largest eigenvalue, as far as it is known, and what sizes of components count alike.
    direction: Vec<f64>,
    per_size: Vec<f64>,
    /// What has been found at this start, if that was necessary.
    fresh: Option<f64>,
    /// What the last trial was done with.
    used: Spectrum,
    /// True before the first trial of a step.
    begins: bool,
}

/// Most stages: beyond, rounding errors in them, which grow like their square, are as large as the tolerance.
fn most_stages(rtol: f64) -> f64 {
    (rtol / (10.0 * f64::EPSILON)).sqrt().max(3.0)
}

/// Stages for a step of which h times the spectral radius is given. There are three at least: two do not see that
/// something at rest on which a force grows begins to move.
fn stages(stiffness: f64) -> f64 {
    (1.0 + (1.0 + 1.54 * stiffness).sqrt().floor()).max(3.0)
}

/// Chebyshev's polynomial of one degree and of the one before, their first and their second derivatives, at a point.
#[derive(Clone, Copy, Debug)]
struct Chebyshev {
    x: f64,
    value: [f64; 2],
    first: [f64; 2],
    second: [f64; 2],
}

impl Chebyshev {
    /// Of degree 1.
    fn new(x: f64) -> Self {
        Self {
            x,
            value: [x, 1.0],
            first: [1.0, 0.0],
            second: [0.0, 0.0],
        }
    }

    /// Goes on to the next degree.
    fn next(&mut self) {
        let [t, before] = self.value;
        let [d, d_before] = self.first;
        let [dd, dd_before] = self.second;
        self.value = [2.0 * self.x * t - before, t];
        self.first = [2.0 * self.x * d - d_before + 2.0 * t, d];
        self.second = [2.0 * self.x * dd - dd_before + 4.0 * d, dd];
    }
}

impl Rock {
    /// Estimates the spectral radius at the start of a step; 0 if nothing is seen of it.
    fn estimate<S: System>(
        &mut self,
        system: &mut Counted<'_, S>,
        start: &Start<'_>,
    ) -> Result<f64, Failure> {
        let n = start.y.len();
        for (i, per_size) in self.per_size.iter_mut().enumerate() {
            *per_size = start.rtol / start.scale(i);
        }
        match start.history.point(0) {
            Some((_, direction)) => self.direction.copy_from_slice(direction),
            None => self.direction.fill(0.0),
        }
        let mut length = size(&self.direction, &self.per_size);
        if !(length > 0.0 && length.is_finite()) {
            // Any vector with a part in the direction that is looked for will do.
            for i in 0..n {
                self.direction[i] = (0.5 + (i as f64 * 0.618).fract()) / self.per_size[i];
            }
            length = size(&self.direction, &self.per_size);
        }
        let (mut radius, mut side) = (0.0, DELTA);
        let mut product = 0;
        while product < PRODUCTS {
            let share = side / length;
            for (i, u) in self.u.iter_mut().enumerate() {
                *u = start.y[i] + share * self.direction[i];
            }
            match system.rhs(start.t, &self.u, &mut self.f) {
                Ok(()) => {}
                // A border is near: the other side may be free.
                Err(Refusal::Outside) if side > 0.0 => {
                    side = -side;
                    continue;
                }
                Err(Refusal::Outside) => break,
                Err(Refusal::Stop) => return Err(Failure::Stop),
            }
            for (f, at_start) in self.f.iter_mut().zip(start.f) {
                *f -= at_start;
            }
            let longer = size(&self.f, &self.per_size);
            if !longer.is_finite() {
                break;
            }
            let last = std::mem::replace(&mut radius, longer / DELTA);
            if longer == 0.0 {
                break;
            }
            std::mem::swap(&mut self.direction, &mut self.f);
            length = longer;
            product += 1;
            if product > 1 && (radius - last).abs() <= SETTLED * radius {
                break;
            }
        }
        Ok(SAFETY * radius)
    }

    /// The spectral radius for a trial.
    fn radius<S: System>(
        &mut self,
        system: &mut Counted<'_, S>,
        start: &Start<'_>,
    ) -> Result<f64, Failure> {
        let carried = start.history.spectrum;
        if std::mem::take(&mut self.begins) && (1..AGE).contains(&carried.age) {
            self.used = carried;
            return Ok(carried.radius);
        }
        let radius = match self.fresh {
            Some(radius) => radius,
            None => self.estimate(system, start)?,
        };
        self.fresh = Some(radius);
        self.used = Spectrum { radius, age: 0 };
        Ok(radius)
    }
}

/// The mean size of the entries of a vector.
fn size(vector: &[f64], per_size: &[f64]) -> f64 {
    let sizes = vector.iter().zip(per_size).map(|(x, per)| x * per);
    let sum: f64 = sizes.map(|size| size * size).sum();
    (sum / vector.len() as f64).sqrt()
}

impl IntegrationMethod for Rock {
    const CONTROLLER: Option<StepController> = Some(StepController {
        power: 3.0,
        kind: ControllerKind::Predictive,
        safety: 0.8,
        grow: 5.0,
        shrink: 0.1,
        first: 1.5,
    });
    const ENDS_WITH_DERIVATIVE: bool = true;

    fn resize<S: System>(&mut self, system: &mut S) {
        let n = system.dim();
        let vectors = [
            &mut self.u,
            &mut self.f,
            &mut self.direction,
            &mut self.per_size,
        ];
        for values in self.ways.iter_mut().chain(vectors) {
            values.clear();
            values.resize(n, 0.0);
        }
        self.restarted();
    }

    fn reserve(&self, history: &mut History, n: usize) {
        history.reserve(1, n);
    }

    fn begin(&mut self) {
        self.begins = true;
    }

    fn restarted(&mut self) {
        (self.begins, self.fresh) = (true, None);
    }

    fn accepted(&mut self, (t, _, _): (f64, &[f64], &[f64]), history: &mut History) {
        if self.used.age == 0 {
            history.remember(1, t, &self.direction);
        }
        history.spectrum = Spectrum {
            age: self.used.age + 1,
            ..self.used
        };
        self.restarted();
    }

    fn trial<S: System>(
        &mut self,
        system: &mut Counted<'_, S>,
        span: &StepSpan,
        start: &Start<'_>,
        out: &mut StepResult,
    ) -> Result<(), Failure> {
        let (h, n) = (span.h, start.y.len());
        let stages = stages(h * self.radius(system, start)?);
        if !(stages <= most_stages(start.rtol)) {
            return Err(Failure::Retry(Rejection::Error));
        }
        let w0 = 1.0 + DAMPING / (stages * stages);
        let mut at = Chebyshev::new(w0);
        for _ in 1..stages as usize {
            at.next();
        }
        let w1 = at.first[0] / at.second[0];
        // The stages of Sommeijer, Shampine and Verwer, less the start.
        let mut at = Chebyshev::new(w0);
        let first = 0.25 / (w0 * w0);
        let [mut b, mut b_before] = [first; 2];
        let [mut c, mut c_before] = [w1 * first, 0.0];
        let [way, before] = &mut self.ways;
        for i in 0..n {
            (way[i], before[i]) = (h * c * start.f[i], 0.0);
        }
        for _ in 1..stages as usize {
            let share = 1.0 - b * at.value[0];
            at.next();
            let b_next = at.second[0] / (at.first[0] * at.first[0]);
            let (mu, nu) = (2.0 * w0 * b_next / b, -b_next / b_before);
            let rate = mu * w1 / w0;
            for (u, (y, way)) in self.u.iter_mut().zip(start.y.iter().zip(&*way)) {
                *u = y + way;
            }
            system.rhs(span.at(c), &self.u, &mut self.f)?;
            for i in 0..n {
                let slope = self.f[i] - share * start.f[i];
                before[i] = mu * way[i] + nu * before[i] + h * rate * slope;
            }
            std::mem::swap(way, before);
            (c, c_before) = (mu * c + nu * c_before + rate * (1.0 - share), c);
            (b, b_before) = (b_next, b);
        }
        for i in 0..n {
            out.y[i] = start.y[i] + way[i];
        }
        system.rhs(span.t1, &out.y, &mut out.f)?;
        for i in 0..n {
            out.error[i] = 0.4 * h * (start.f[i] + out.f[i]) - 0.8 * way[i];
        }
        Ok(())
    }

    /// As long as the stages allow.
    fn next_step(
        &mut self,
        span: &StepSpan,
        start: &Start<'_>,
        _out: &StepResult,
        _clipped: bool,
        proposed: f64,
    ) -> f64 {
        let most = most_stages(start.rtol) - 1.0;
        let longest = (most * most - 1.0) / (1.54 * self.used.radius);
        proposed.min(longest.max(span.h))
    }

    fn dense<S: System>(
        &mut self,
        _system: &mut Counted<'_, S>,
        span: &StepSpan,
        start: &Start<'_>,
        out: &StepResult,
        dense: &mut Dense,
    ) -> Result<(), Failure> {
        for (i, powers) in dense.begin(span, 3, start.y.len()).enumerate() {
            let rise = 3.0 * (out.y[i] - start.y[i]) / span.h;
            let [mut f0, mut f1] = [start.f[i], out.f[i]];
            if f0 * rise >= 0.0 && f1 * rise >= 0.0 {
                let most = rise.abs();
                (f0, f1) = (f0.clamp(-most, most), f1.clamp(-most, most));
            }
            powers.copy_from_slice(&cubic(span.h, [start.y[i], f0, out.y[i], f1]));
        }
        Ok(())
    }
}
