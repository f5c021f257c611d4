//! Steinebach's Rosenbrock method of order 5: eight stages, L-stable, stiffly accurate, one
//! Jacobian and one factorisation a step, no iteration, dense output of order 4 for nothing.

mod stages;
mod tableau;

use self::stages::add;
pub use self::stages::{FactorsOf, RosenbrockStart, RosenbrockTrial};
use crate::about::{About, Steps};
use crate::dense::Dense;
use crate::integration_method::IntegrationMethod;
use crate::linear::{FEW, Matrix, has_room_for};
use crate::method::Method;
use crate::span::StepSpan;
use crate::step::control::{ControllerKind, StepController, norm};
use crate::step::sums::sum_at;
use crate::step::{Counted, Failure, Linearisation, Rejection, Start, StepResult, all_finite};
use crate::system::{Refusal, System};

pub(crate) static ABOUT: About = About {
    name: "rodas5p",
    about: "Rosenbrock method of order 5 by Steinebach, L-stable, for stiff problems",
    order: 5,
    dense_order: 4,
    dense_degree: 4,
    steps: Steps::Adaptive,
    stiff: true,
    source: "G. Steinebach, BIT Numerical Mathematics 63 (2023) 27",
    others: &["ode23s"],
};

/// Evaluations in a trial; the derivative at its start is known.
const RATES: u64 = 7;

/// Places inside of the step at which the dense output is corrected, if it is, and those at which it is then checked.
const NODES: [f64; 3] = [0.25, 0.5, 0.75];
const CHECKS: [f64; 2] = [0.125, 0.875];

/// Places at which the method's own dense output is checked.
const FIRST_CHECK: [f64; 2] = [0.3, 0.7];

/// The method's own dense output is kept where its error is at most this part of the tolerance.
const KEPT: f64 = 0.5;

#[derive(Clone, Debug, Default)]
pub(crate) struct Rodas5p {
    u: Vec<f64>,
    k: [Vec<f64>; 8],
    /// Workspace of the estimate of the spectral radius; the stages are still needed then.
    powers: [Vec<f64>; 3],
    at_start: Linearisation,
    /// True if `at_start` belongs to the present start of the step.
    linearised: bool,
    matrix: Matrix,
    has_room: bool,
    /// The last trial was done by compiled code, which has its factors.
    compiled: bool,
    /// The dense output of the last trial, and whether it has been made.
    inner: Dense,
    is_inner_known: bool,
    /// States inside the step, at [`NODES`].
    inside: [Vec<f64>; 3],
    /// True if Jacobian and matrix have the system's size: large ones get it when the method is first
    /// used, which with `auto` is never for most.
    fits: bool,
}

impl Rodas5p {
    /// True if the system's Jacobian has room.
    pub(crate) fn has_room(&self) -> bool {
        self.has_room
    }

    /// Makes room for the Jacobian and its factors.
    fn fit<S: System>(&mut self, system: &mut S) {
        if self.at_start.fit(system) {
            self.matrix
                .fit(system.dim(), self.at_start.pattern.as_deref());
            self.matrix.keep_order();
        }
        self.fits = true;
    }

    /// The Jacobian's spectral radius at the start of the last trial, estimated.
    ///
    /// Shapes: `scale`: sizes of the components that count alike.
    pub(crate) fn spectral_radius(&mut self, scale: impl Fn(usize) -> f64) -> f64 {
        self.at_start.spectral_radius(&mut self.powers, scale)
    }
}

impl IntegrationMethod for Rodas5p {
    const CONTROLLER: Option<StepController> = Some(StepController {
        power: 5.0,
        kind: ControllerKind::Predictive,
        safety: 0.9,
        grow: 6.0,
        shrink: 0.2,
        first: 250.0,
    });

    fn is_at_edge(&self) -> bool {
        self.at_start.at_edge
    }

    fn resize<S: System>(&mut self, system: &mut S) {
        let n = system.dim();
        let workspace = self.k.iter_mut().chain(&mut self.powers);
        let anew = self.u.len() != n;
        if anew {
            for values in workspace.chain([&mut self.u]).chain(&mut self.inside) {
                values.resize(n, 0.0);
            }
        }
        if anew {
            self.inner.reserve(4, n);
        }
        self.has_room = has_room_for(system, 1);
        (self.fits, self.linearised) = (false, false);
        // Memory is found before the steps; what it holds fits when it is first needed.
        if anew && n <= FEW {
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
        let (y, h) = (start.y, span.h);
        if !self.has_room {
            return Err(Failure::Retry(Rejection::TooLarge));
        }
        if !self.fits {
            self.fit(system.system);
        }
        if !self.linearised {
            system.linearise(span.t0, start, &mut self.at_start)?;
            self.linearised = true;
            if !self.at_start.is_finite() {
                // A flow that is a root begins, or ends, with an infinite slope. Half a step ahead it has
                // one, or so far behind, if rounding shows that it is there.
                for direction in [1.0, -1.0] {
                    let there = start.y.iter().zip(start.f);
                    for (u, (y, f)) in self.u.iter_mut().zip(there) {
                        let way = (0.5 * h * f).abs().max(2.0 * f64::EPSILON * y.abs());
                        let way = if *f == 0.0 { 0.0 } else { way.copysign(*f) };
                        *u = y + direction * way;
                    }
                    let there = Start {
                        y: &self.u,
                        ..*start
                    };
                    match system.linearise(span.t0, &there, &mut self.at_start) {
                        Err(Refusal::Outside) if direction > 0.0 => {}
                        seen => {
                            seen?;
                            if self.at_start.is_finite() {
                                break;
                            }
                        }
                    }
                }
                system.bound_slopes(span.t0, start, &mut self.at_start)?;
                self.linearised = false;
            }
        }
        system.stats.factorisations += 1;
        self.matrix
            .factor_shifted(1.0 / (tableau::GAMMA * h), &self.at_start)
            .map_err(|_| Failure::Retry(Rejection::Singular))?;

        (self.is_inner_known, self.compiled) = (false, false);
        let per_h = 1.0 / h;
        let df_dt = &self.at_start.df_dt[..];
        if let Some(factors) = self.matrix.in_order()
            && let Some(step) = system.compiled(Method::Rodas5p, RATES)
        {
            step.linear(factors, df_dt, per_h);
            step.trial(span, [y, start.f], out.trial());
            for (row, stage) in self.k.iter_mut().enumerate() {
                step.rest(row, stage);
            }
            self.compiled = true;
            return Ok(());
        }
        let given = RosenbrockStart {
            span: *span,
            per_h,
            y,
            f: start.f,
            df_dt: Some(df_dt),
        };
        let matrix = &mut self.matrix;
        let mut rates = |t, y: &[f64], dy: &mut [f64]| system.rhs(t, y, dy);
        let mut solve = |k: &mut [f64]| matrix.solve(k);
        given.find_stages(&mut rates, &mut solve, &mut self.k, &mut self.u)?;
        let [.., last] = &self.k;
        out.y.copy_from_slice(&self.u);
        add(&mut out.y, last);
        out.error.copy_from_slice(last);
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
        if self.is_inner_known {
            dense.copy_from(&self.inner);
        } else {
            self.own_interpolant(span, start, out, dense);
        }
        Ok(())
    }

    /// The error of the dense output. In stiff components the method's own is of order 1 inside of the step, however
    /// small the errors at its ends: it is then put through states that a Newton step has taken back to where the rates
    /// allow them.
    /// A step is refused where the correction is larger than the tolerance: order conditions say nothing of what is
    /// fast. That costs 12 to 32 percent more rates on the stiff problems of `solve/verify/references.rs`, and no
    /// Jacobian.
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
        error.unwrap_or((0.0, 0))
    }
}

impl Rodas5p {
    fn own_interpolant(
        &self,
        span: &StepSpan,
        start: &Start<'_>,
        out: &StepResult,
        dense: &mut Dense,
    ) {
        let stages = self.k.each_ref().map(|stage| &stage[..]);
        interpolant(dense, span, start.y, &out.y, stages);
    }

    /// Corrects a dense output that is not good enough; its error in units of the tolerance, and the component.
    fn control<S: System>(
        &mut self,
        system: &mut Counted<'_, S>,
        start: &Start<'_>,
        out: &StepResult,
        dense: &mut Dense,
    ) -> Result<(f64, usize), Refusal> {
        let own = self.largest_correction(system, start, out, dense, FIRST_CHECK)?;
        if own.0 <= KEPT {
            return Ok((0.0, 0));
        }
        for (node, theta) in NODES.into_iter().enumerate() {
            self.correction(system, dense, theta)?;
            let inside = &mut self.inside[node];
            dense.eval(theta, inside);
            add(inside, &self.u);
        }
        let [a, b, c] = &self.inside;
        for (i, powers) in dense.polynomials().enumerate() {
            powers.copy_from_slice(&quartic([start.y[i], a[i], b[i], c[i], out.y[i]]));
        }
        self.largest_correction(system, start, out, dense, CHECKS)
    }

    /// The largest of some corrections in units of the tolerance, and its component.
    fn largest_correction<S: System>(
        &mut self,
        system: &mut Counted<'_, S>,
        start: &Start<'_>,
        out: &StepResult,
        dense: &Dense,
        at: [f64; 2],
    ) -> Result<(f64, usize), Refusal> {
        let mut largest = (0.0, 0);
        for theta in at {
            self.correction(system, dense, theta)?;
            let error = norm(&self.u, start, &out.y);
            if error.0 > largest.0 {
                largest = error;
            }
        }
        Ok(largest)
    }

    /// Writes into `u` how far a Newton step on the residual of the dense output moves a state inside of the step:
    /// `(1 / (gamma h) - J)^-1 (f(u) - u')`, which is about its error in components that are stiff.
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
        let [v, w, x] = &mut self.powers;
        dense.eval(theta, v);
        let (t, per_h) = (dense.time(theta), 1.0 / dense.h());
        for (i, slope) in x.iter_mut().enumerate() {
            *slope = dense.slope(i, theta) * per_h;
        }
        if self.compiled
            && let Some(step) = system.compiled(Method::Rodas5p, 1)
        {
            step.correction(t, [v, x], &mut self.u);
        } else {
            system.rhs(t, v, w)?;
            for (u, (rate, slope)) in self.u.iter_mut().zip(w.iter().zip(&*x)) {
                *u = rate - slope;
            }
            self.matrix.solve(&mut self.u);
        }
        // The dense output may lead out of the domain of a root whose edge is near.
        match all_finite(&self.u) {
            true => Ok(()),
            false => Err(Refusal::Outside),
        }
    }
}

/// The polynomial through values at 0, 1/4, 1/2, 3/4 and 1.
fn quartic([y0, a, b, c, y1]: [f64; 5]) -> [f64; 5] {
    // Differences from the start, so that the start is met to the last bit.
    let [a, b, c, d] = [a - y0, b - y0, c - y0, y1 - y0];
    [
        y0,
        16.0 * a - 12.0 * b + 16.0 / 3.0 * c - d,
        (-208.0 * a + 228.0 * b - 112.0 * c + 22.0 * d) / 3.0,
        96.0 * a - 128.0 * b + 224.0 / 3.0 * c - 16.0 * d,
        (-128.0 * a + 192.0 * b - 128.0 * c + 32.0 * d) / 3.0,
    ]
}

/// The polynomials `(1 - x) y0 + x (y1 + (1 - x) (H1 + x (H2 + x H3)))`, multiplied out.
fn interpolant(dense: &mut Dense, span: &StepSpan, y0: &[f64], y1: &[f64], stages: [&[f64]; 8]) {
    for (i, out) in dense.begin(span, 4, y0.len()).enumerate() {
        let [h1, h2, h3] = tableau::DENSE
            .each_ref()
            .map(|weights| sum_at(i, weights, stages));
        out.copy_from_slice(&[y0[i], y1[i] - y0[i] + h1, h2 - h1, h3 - h2, -h3]);
    }
}

/// The method in the form in which its order conditions are stated: `alpha` and `beta` = alpha +
/// gamma of Hairer and Wanner, IV.7.
#[cfg(test)]
pub(crate) struct Coefficients {
    pub(crate) alpha: Vec<Vec<f64>>,
    pub(crate) beta: Vec<Vec<f64>>,
    pub(crate) b: Vec<f64>,
    pub(crate) embedded: Vec<f64>,
    pub(crate) c: Vec<f64>,
    pub(crate) d: Vec<f64>,
    /// Weights of the dense output, per stage a polynomial.
    pub(crate) dense: Vec<Vec<f64>>,
}

/// Undoes the transformation of the tableau.
#[cfg(test)]
pub(crate) fn coefficients() -> Coefficients {
    use tableau::{A2, A3, A4, A5, A6, C, C2, C3, C4, C5, C6, C7, C8, D, GAMMA};
    let pad = |row: &[f64]| {
        let mut padded = row.to_vec();
        padded.resize(8, 0.0);
        padded
    };
    let a6 = A6.to_vec();
    let a7 = [&A6[..], &[1.0]].concat();
    let a8 = [&A6[..], &[1.0, 1.0]].concat();
    let m = [&A6[..], &[1.0, 1.0, 1.0]].concat();
    let a: Vec<Vec<f64>> = [&[][..], &A2, &A3, &A4, &A5, &a6, &a7, &a8]
        .into_iter()
        .map(pad)
        .collect();
    let c: Vec<Vec<f64>> = [&[][..], &C2, &C3, &C4, &C5, &C6, &C7, &C8]
        .into_iter()
        .map(pad)
        .collect();
    // The matrix of the gammas is the inverse of 1 / gamma - C, lower triangular.
    let mut gammas = vec![vec![0.0; 8]; 8];
    for column in 0..8 {
        for row in column..8 {
            let unit = if row == column { 1.0 } else { 0.0 };
            let sum: f64 = (column..row).map(|k| c[row][k] * gammas[k][column]).sum();
            gammas[row][column] = GAMMA * (unit + sum);
        }
    }
    let times_gammas = |row: &[f64]| -> Vec<f64> {
        (0..8)
            .map(|j| (0..8).map(|k| row[k] * gammas[k][j]).sum())
            .collect()
    };
    let alpha: Vec<Vec<f64>> = a.iter().map(|row| times_gammas(row)).collect();
    let beta = (0..8)
        .map(|i| (0..8).map(|j| alpha[i][j] + gammas[i][j]).collect())
        .collect();

    let unit_stages: Vec<Vec<f64>> = (0..8).map(|k| gammas[k].clone()).collect();
    let stages: [&[f64]; 8] = std::array::from_fn(|k| &unit_stages[k][..]);
    let b = times_gammas(&m);
    let mut output = Dense::default();
    let span = StepSpan {
        t0: 0.0,
        t1: 1.0,
        h: 1.0,
    };
    interpolant(&mut output, &span, &[0.0; 8], &b, stages);
    Coefficients {
        alpha,
        beta,
        embedded: times_gammas(&a8.iter().copied().chain([0.0]).collect::<Vec<f64>>()),
        b,
        c: [&[0.0], &C[..], &[1.0; 3]].concat(),
        d: pad(&D),
        dense: (0..8).map(|i| output.component(i).to_vec()).collect(),
    }
}
