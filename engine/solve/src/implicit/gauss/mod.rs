//! The two-stage Gauss method: implicit, order 4, fixed step, keeps quadratic invariants.
//!
//! The stages are iterated to rounding, first by plain substitution; where that converges slowly,
//! by Newton's method with the Jacobian at the start of the step.

use crate::about::{About, Steps};
use crate::dense::{Dense, hermite};
use crate::integration_method::IntegrationMethod;
use crate::linear::{FEW, Matrix, has_room_for};
use crate::span::StepSpan;
use crate::step::{Counted, Failure, Linearisation, Rejection, Start, StepResult};
use crate::system::{Pattern, System};

pub(crate) static ABOUT: About = About {
    name: "gauss",
    about: "two-stage Gauss method, implicit, as in Kinetika",
    order: 4,
    dense_order: 3,
    dense_degree: 3,
    steps: Steps::Fixed,
    stiff: true,
    source: "J. C. Butcher, Mathematics of Computation 18 (1964) 50",
    others: &[],
};

/// sqrt(3) / 6
const ROOT: f64 = 0.28867513459481287;
const C: [f64; 2] = [0.5 - ROOT, 0.5 + ROOT];
const A: [[f64; 2]; 2] = [[0.25, 0.25 - ROOT], [0.25 + ROOT, 0.25]];

/// Iterations of either kind before the step is given up.
const ITERATIONS: usize = 50;
/// Substitution is left for Newton's method when its error shrinks less than this per iteration...
const SLOW: f64 = 0.3;
/// ...after so many iterations.
const PATIENCE: usize = 3;
/// Changes below this many units of rounding are convergence.
const ROUNDING: f64 = 2.0 * f64::EPSILON;
/// An iteration that stands still below this level has converged as far as rounding permits.
const STANDSTILL: f64 = 1e-11;

#[derive(Clone, Debug, Default)]
pub(crate) struct Gauss {
    u: Vec<f64>,
    /// Derivatives at the two stages.
    k: [Vec<f64>; 2],
    /// Newton's right-hand side and correction for both stages.
    correction: Vec<f64>,
    at_start: Linearisation,
    /// True if `at_start` belongs to the present start of the step.
    linearised: bool,
    matrix: Matrix,
    has_room: bool,
    /// True if Jacobian and matrix have the system's size: large ones get it when Newton's method is
    /// first used.
    fits: bool,
}

/// Convergence of an iteration so far.
#[derive(Default)]
struct Progress {
    last: Option<f64>,
    iterations: usize,
}

enum Verdict {
    Converged,
    GoOn,
    Slow,
    Diverging,
}

impl Progress {
    /// `change` is that of the state, relative to its size.
    fn judge(&mut self, change: f64) -> Verdict {
        let rate = self.last.map(|last| change / last);
        self.last = Some(change);
        self.iterations += 1;
        match rate {
            _ if change <= ROUNDING => Verdict::Converged,
            _ if !change.is_finite() => Verdict::Diverging,
            Some(rate) if rate > 0.5 && change <= STANDSTILL => Verdict::Converged,
            Some(rate) if rate > 2.0 || self.iterations >= ITERATIONS => Verdict::Diverging,
            Some(rate) if rate > SLOW && self.iterations >= PATIENCE && change > STANDSTILL => {
                Verdict::Slow
            }
            _ => Verdict::GoOn,
        }
    }
}

impl Gauss {
    /// Substitutes until converged. False if Newton's method should take over.
    fn substitute<S: System>(
        &mut self,
        system: &mut Counted<'_, S>,
        span: &StepSpan,
        start: &Start<'_>,
    ) -> Result<bool, Failure> {
        let mut progress = Progress::default();
        loop {
            let mut change: f64 = 0.0;
            for stage in 0..2 {
                self.stage_argument(stage, span, start);
                // The new derivative is used at once for the other stage.
                let fresh = &mut self.correction[..start.y.len()];
                system.rhs(span.at(C[stage]), &self.u, fresh)?;
                for ((k, fresh), scale) in self.k[stage]
                    .iter_mut()
                    .zip(fresh)
                    .zip(sizes(start, span.h))
                {
                    change = largest(change, span.h * (*fresh - *k) / scale);
                    *k = *fresh;
                }
            }
            match progress.judge(change) {
                Verdict::Converged => return Ok(true),
                Verdict::GoOn => {}
                Verdict::Slow | Verdict::Diverging => return Ok(false),
            }
        }
    }

    fn newton<S: System>(
        &mut self,
        system: &mut Counted<'_, S>,
        span: &StepSpan,
        start: &Start<'_>,
    ) -> Result<(), Failure> {
        let n = start.y.len();
        if !self.has_room {
            return Err(Failure::Retry(Rejection::TooLarge));
        }
        if !self.fits {
            self.fit(system.system);
        }
        if !self.linearised {
            system.linearise(span.t0, start, &mut self.at_start)?;
            system.bound_slopes(span.t0, start, &mut self.at_start)?;
            self.linearised = true;
        }
        self.fill_matrix(span.h, n);
        system.stats.factorisations += 1;
        self.matrix
            .factor()
            .map_err(|_| Failure::Retry(Rejection::Singular))?;
        for stage in &mut self.k {
            stage.copy_from_slice(start.f);
        }
        let mut progress = Progress::default();
        loop {
            for stage in 0..2 {
                self.stage_argument(stage, span, start);
                let residual = &mut self.correction[stage * n..(stage + 1) * n];
                system.rhs(span.at(C[stage]), &self.u, residual)?;
                for (residual, k) in residual.iter_mut().zip(&self.k[stage]) {
                    *residual -= k;
                }
            }
            self.matrix.solve(&mut self.correction);
            let mut change: f64 = 0.0;
            for (k, correction) in self
                .k
                .iter_mut()
                .zip(self.correction.chunks_exact(n.max(1)))
            {
                for ((k, correction), scale) in
                    k.iter_mut().zip(correction).zip(sizes(start, span.h))
                {
                    change = largest(change, span.h * correction / scale);
                    *k += correction;
                }
            }
            if !change.is_finite() {
                return Err(Failure::Retry(Rejection::NotFinite));
            }
            match progress.judge(change) {
                Verdict::Converged => return Ok(()),
                Verdict::GoOn | Verdict::Slow => {}
                Verdict::Diverging => return Err(Failure::Retry(Rejection::NotConverged)),
            }
        }
    }

    /// Makes room for the Jacobian and the matrix of both stages.
    fn fit<S: System>(&mut self, system: &mut S) {
        let n = system.dim();
        if self.at_start.fit(system) {
            let doubled = self.at_start.pattern.as_ref().map(|pattern| {
                let rows: Vec<Vec<usize>> = (0..2 * n)
                    .map(|row| {
                        let columns = pattern.row(row % n).map(|(_, column)| column);
                        columns.flat_map(|column| [column, n + column]).collect()
                    })
                    .collect();
                Pattern::from_rows(&rows)
            });
            self.matrix.fit(2 * n, doubled.as_ref());
        }
        self.fits = true;
    }

    /// Writes `1 - h A x J`, the matrix of both stages.
    fn fill_matrix(&mut self, h: f64, n: usize) {
        self.matrix.clear();
        for row in 0..n {
            for (column, value) in self.at_start.row(row) {
                for (i, a) in A.iter().enumerate() {
                    for (j, a) in a.iter().enumerate() {
                        self.matrix.add(i * n + row, j * n + column, -h * a * value);
                    }
                }
            }
        }
        for row in 0..2 * n {
            self.matrix.add(row, row, 1.0);
        }
    }

    /// Leaves the argument of a stage in `u`.
    fn stage_argument(&mut self, stage: usize, span: &StepSpan, start: &Start<'_>) {
        let [k1, k2] = &self.k;
        crate::step::sums::advance(&mut self.u, start.y, span.h, &A[stage], [k1, k2]);
    }
}

/// Sizes that changes of the components are compared with: rounding is relative to the state and to
/// what the step adds.
fn sizes<'a>(start: &Start<'a>, h: f64) -> impl Iterator<Item = f64> + use<'a> {
    let (y, f, atol) = (start.y, start.f, start.atol);
    (0..y.len()).map(move |i| {
        y[i].abs()
            .max((h * f[i]).abs())
            .max(atol[i])
            .max(f64::MIN_POSITIVE)
    })
}

/// The larger one; NaN if either is.
fn largest(a: f64, b: f64) -> f64 {
    let b = b.abs();
    if b > a || b.is_nan() { b } else { a }
}

impl IntegrationMethod for Gauss {
    fn resize<S: System>(&mut self, system: &mut S) {
        let n = system.dim();
        for values in self.k.iter_mut().chain([&mut self.u]) {
            values.clear();
            values.resize(n, 0.0);
        }
        self.correction.clear();
        self.correction.resize(2 * n, 0.0);
        self.has_room = has_room_for(system, 4);
        (self.fits, self.linearised) = (false, false);
        if n <= FEW {
            self.fit(system);
        }
    }

    fn restarted(&mut self) {
        self.linearised = false;
    }

    fn trial<S: System>(
        &mut self,
        system: &mut Counted<'_, S>,
        span: &StepSpan,
        start: &Start<'_>,
        out: &mut StepResult,
    ) -> Result<(), Failure> {
        for stage in &mut self.k {
            stage.copy_from_slice(start.f);
        }
        if !self.substitute(system, span, start)? {
            self.newton(system, span, start)?;
        }
        let [k1, k2] = &self.k;
        crate::step::sums::advance(&mut out.y, start.y, span.h, &[0.5, 0.5], [k1, k2]);
        Ok(())
    }

    fn dense<S: System>(
        &mut self,
        _system: &mut Counted<'_, S>,
        span: &StepSpan,
        start: &Start<'_>,
        out: &StepResult,
        dense: &mut Dense,
    ) -> Result<(), Failure> {
        hermite(dense, span, [start.y, start.f, &out.y, &out.f]);
        Ok(())
    }
}
