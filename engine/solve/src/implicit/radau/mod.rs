//! Radau IIA methods of three and five stages, order 5 and 9: implicit, stiffly accurate, L-stable, with Newton's method
//! on the transformed stages (Hairer and Wanner, IV.8), a real system and a complex one for each pair of eigenvalues.
//!
//! The Jacobian is kept as long as Newton's method converges fast, the factors as long as the step is as well. The
//! stages begin on the polynomial of the step before. The dense output is the collocation polynomial. What the error
//! test estimates is of its order, but sees little of what is fast and follows an equilibrium: there the ends are right
//! however long the step is, and the inside has a test of its own.

mod newton;
mod tableau;

use self::tableau::{FIVE, THREE, Tableau};
use super::kept::Kept;
use super::polynomials::{POINTS, Weights, coefficients};
use crate::about::{About, Steps};
use crate::dense::Dense;
use crate::integration_method::IntegrationMethod;
use crate::linear::{FEW, Matrix, has_room_for};
use crate::span::StepSpan;
use crate::step::control::{ControllerKind, StepController, norm};
use crate::step::history::{Course, History};
use crate::step::{Counted, Failure, Linearisation, Rejection, Start, StepResult};
use crate::system::{Pattern, Refusal, System};

pub(crate) static ABOUT: About = About {
    name: "radau",
    about: "Radau IIA of order 5, of order 9 for rtol below 1e-5, for stiff problems and tight tolerances",
    order: 5,
    dense_order: 3,
    dense_degree: 5,
    steps: Steps::Adaptive,
    stiff: true,
    source: "E. Hairer, G. Wanner, Journal of Computational and Applied Mathematics 111 (1999) 93",
    others: &["radau", "radau5", "radauiia"],
};

/// Relative tolerances below this are met with five stages: with 1e-6 they take a third of the steps of three, and two
/// thirds of the evaluations.
pub(crate) const TIGHT: f64 = 1e-5;

pub(crate) type Radau5 = Radau<3, 1>;
pub(crate) type Radau9 = Radau<5, 2>;

/// Contraction of Newton's method up to which the Jacobian is kept.
const KEEP: f64 = 1e-3;
/// Steps for which it is kept at most.
const AGE: u32 = 50;
/// Growth of a step for which new factors are not worth while.
const SAME: f64 = 1.2;

#[derive(Clone, Debug)]
pub(crate) struct Radau<const S: usize, const P: usize> {
    tableau: &'static Tableau<S, P>,
    /// Stages, less the state at the start.
    z: [Vec<f64>; S],
    /// The same transformed.
    w: [Vec<f64>; S],
    /// Rates at the stages; then the corrections of `w`.
    f: [Vec<f64>; S],
    u: Vec<f64>,
    /// A pair of corrections, component by component.
    pair: Vec<f64>,
    /// Workspace of the estimate of the spectral radius.
    powers: [Vec<f64>; 3],
    course: Course,
    /// Length of the last trial.
    h: f64,
    failures: u32,
    kept: Kept,
    real: Matrix,
    complex: [Matrix; P],
    begins: bool,
    has_room: bool,
    fits: bool,
}

impl<const S: usize, const P: usize> Radau<S, P> {
    fn new(tableau: &'static Tableau<S, P>) -> Self {
        Self {
            tableau,
            z: std::array::from_fn(|_| Vec::new()),
            w: std::array::from_fn(|_| Vec::new()),
            f: std::array::from_fn(|_| Vec::new()),
            u: Vec::new(),
            pair: Vec::new(),
            powers: std::array::from_fn(|_| Vec::new()),
            course: Course::default(),
            h: 0.0,
            failures: 0,
            kept: Kept::default(),
            real: Matrix::default(),
            complex: std::array::from_fn(|_| Matrix::default()),
            begins: true,
            has_room: false,
            fits: false,
        }
    }
}

impl Default for Radau<3, 1> {
    fn default() -> Self {
        Self::new(&THREE)
    }
}

impl Default for Radau<5, 2> {
    fn default() -> Self {
        Self::new(&FIVE)
    }
}

impl<const S: usize, const P: usize> Radau<S, P> {
    /// True if the system's Jacobian has room.
    pub(crate) fn has_room(&self) -> bool {
        self.has_room
    }

    /// The spectral radius of the Jacobian in use, estimated.
    ///
    /// Shapes: `scale`: sizes of the components that count alike.
    pub(crate) fn spectral_radius(&mut self, scale: impl Fn(usize) -> f64) -> f64 {
        let jacobian = &self.kept.jacobian;
        jacobian.spectral_radius(&mut self.powers, scale)
    }

    fn fit<Y: System>(&mut self, system: &mut Y) {
        if self.kept.jacobian.fit(system) {
            let n = system.dim();
            let pattern = self.kept.jacobian.pattern.as_deref();
            self.real.fit(n, pattern);
            let doubled = pattern.map(doubled);
            for matrix in &mut self.complex {
                matrix.fit(2 * n, doubled.as_ref());
            }
        }
        self.fits = true;
    }

    /// Finds all factors for steps of length `1 / shift`.
    fn factor<Y: System>(
        &mut self,
        system: &mut Counted<'_, Y>,
        shift: f64,
    ) -> Result<(), Failure> {
        self.kept.factor(shift);
        self.find_factors(system)
    }

    fn find_factors<Y: System>(&mut self, system: &mut Counted<'_, Y>) -> Result<(), Failure> {
        system.stats.factorisations += 1 + P as u64;
        let (shift, jacobian) = (self.kept.at.shift, &self.kept.jacobian);
        let mut factored = self
            .real
            .factor_shifted(self.tableau.real * shift, jacobian);
        for (matrix, eigenvalue) in self.complex.iter_mut().zip(self.tableau.pairs) {
            factored = factored.and_then(|()| {
                fill_pair(matrix, eigenvalue.map(|part| part * shift), jacobian);
                matrix.factor()
            });
        }
        factored.map_err(|_| {
            self.kept.has_no_factors();
            Failure::Retry(Rejection::Singular)
        })
    }

    fn linearise<Y: System>(
        &mut self,
        system: &mut Counted<'_, Y>,
        start: &Start<'_>,
        shift: f64,
    ) -> Result<(), Failure> {
        let here = (start.t, start.y, start.f);
        self.kept.linearise(system, here, start)?;
        self.factor(system, shift)
    }

    fn begin_step<Y: System>(
        &mut self,
        system: &mut Counted<'_, Y>,
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

    /// Places of the start and of the stages.
    fn places(&self) -> Weights {
        let mut places: Weights = [0.0; POINTS + 1];
        places[1..=S].copy_from_slice(&self.tableau.c);
        places
    }

    /// Writes into `u` how far a Newton step on the residual of the collocation polynomial moves a state inside of the
    /// step: `(real / h - J)^-1 (f(u) - u')`.
    fn correction<Y: System>(
        &mut self,
        system: &mut Counted<'_, Y>,
        span: &StepSpan,
        start: &Start<'_>,
        theta: f64,
    ) -> Result<(), Refusal> {
        let weights = coefficients(&self.places()[..=S]);
        let values = value_and_slope(&weights[1..=S], theta);
        let [state, rates, ..] = &mut self.f[..] else {
            return Ok(());
        };
        for (i, (state, u)) in state.iter_mut().zip(&mut self.u).enumerate() {
            let stages = self.z.iter().zip(&values);
            let [value, slope] = stages.fold([0.0; 2], |[value, slope], (z, weights)| {
                [value + weights[0] * z[i], slope + weights[1] * z[i]]
            });
            (*state, *u) = (start.y[i] + value, slope / span.h);
        }
        system.rhs(span.at(theta), state, rates)?;
        for (u, rate) in self.u.iter_mut().zip(&*rates) {
            *u = rate - *u;
        }
        self.real.solve(&mut self.u);
        Ok(())
    }

    /// Adds the stages' part to the error estimate, where the rates are at the start or where the first estimate
    /// leads, and solves.
    fn estimate(&mut self, shift: f64, error: &mut [f64]) {
        for (i, error) in error.iter_mut().enumerate() {
            let weights = self.tableau.error.iter().zip(&self.z);
            let sum: f64 = weights.map(|(weight, z)| weight * z[i]).sum();
            *error += shift * sum;
        }
        self.real.solve(error);
    }
}

/// Polynomials and their slopes at a place, from their coefficients.
fn value_and_slope(polynomials: &[[f64; POINTS]], theta: f64) -> [[f64; 2]; POINTS] {
    let mut all = [[0.0; 2]; POINTS];
    for ([value, slope], powers) in all.iter_mut().zip(polynomials) {
        for power in powers.iter().rev() {
            *slope = *slope * theta + *value;
            *value = *value * theta + power;
        }
    }
    all
}

/// The pattern of the real form of a complex matrix: each unknown stands twice, side by side.
fn doubled(pattern: &Pattern) -> Pattern {
    let rows: Vec<Vec<usize>> = (0..2 * pattern.dim())
        .map(|row| {
            let columns = pattern.row(row / 2).map(|(_, column)| 2 * column + row % 2);
            columns.chain([2 * (row / 2), 2 * (row / 2) + 1]).collect()
        })
        .collect();
    Pattern::from_rows(&rows)
}

/// Writes `[alpha, beta; -beta, alpha]` on the diagonal less the Jacobian.
fn fill_pair(matrix: &mut Matrix, [alpha, beta]: [f64; 2], jacobian: &Linearisation) {
    matrix.clear();
    for row in 0..jacobian.df_dt.len() {
        for (column, value) in jacobian.row(row) {
            matrix.add(2 * row, 2 * column, -value);
            matrix.add(2 * row + 1, 2 * column + 1, -value);
        }
        matrix.add(2 * row, 2 * row, alpha);
        matrix.add(2 * row, 2 * row + 1, beta);
        matrix.add(2 * row + 1, 2 * row, -beta);
        matrix.add(2 * row + 1, 2 * row + 1, alpha);
    }
}

impl<const S: usize, const P: usize> IntegrationMethod for Radau<S, P> {
    const CONTROLLER: Option<StepController> = Some(StepController {
        power: (S + 1) as f64,
        kind: ControllerKind::Predictive,
        safety: 0.9,
        grow: 8.0,
        shrink: 0.2,
        first: 50.0,
    });

    fn is_at_edge(&self) -> bool {
        self.kept.jacobian.at_edge
    }

    fn resize<Y: System>(&mut self, system: &mut Y) {
        let n = system.dim();
        let anew = self.u.len() != n;
        let stages = [&mut self.z, &mut self.w, &mut self.f];
        let others = self.powers.iter_mut().chain([&mut self.u]);
        for values in stages.into_iter().flatten().chain(others) {
            values.clear();
            values.resize(n, 0.0);
        }
        self.pair.clear();
        self.pair.resize(2 * n, 0.0);
        self.kept.resize(n);
        self.has_room = has_room_for(system, 1 + 4 * P);
        (self.fits, self.begins) = (false, true);
        // Memory is found before the steps; what it holds fits when it is first needed.
        if anew && n <= FEW {
            self.fit(system);
        }
    }

    fn reserve(&self, history: &mut History, n: usize) {
        history.reserve(S, n);
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

    fn accepted(&mut self, (t, y, _): (f64, &[f64], &[f64]), history: &mut History) {
        history.remember(S, t, y);
        for (z, c) in self.z[..S - 1].iter().zip(self.tableau.c) {
            for ((u, y), z) in self.u.iter_mut().zip(y).zip(z) {
                *u = y + z;
            }
            history.remember(S, t + c * self.h, &self.u);
        }
        history.course = self.course;
        self.kept.accepted(history);
        self.begins = true;
    }

    fn trial<Y: System>(
        &mut self,
        system: &mut Counted<'_, Y>,
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
        self.h = span.h;
        let shift = 1.0 / span.h;
        let is_old = self.course.contraction > KEEP || self.kept.at.age >= AGE;
        let slow = is_old && !self.kept.is_fresh();
        if !self.kept.is_loaded() || slow {
            self.linearise(system, start, shift)?;
        } else if shift != self.kept.at.shift {
            self.factor(system, shift)?;
        }
        if let Err(failure) = self.newton(system, span, start, shift) {
            if self.kept.is_fresh() || failure == Failure::Stop {
                return Err(failure);
            }
            self.linearise(system, start, shift)?;
            self.newton(system, span, start, shift)?;
        }
        for ((out, y), z) in out.y.iter_mut().zip(start.y).zip(&self.z[S - 1]) {
            *out = y + z;
        }
        out.error.copy_from_slice(start.f);
        self.estimate(shift, &mut out.error);
        let is_first = start.history.is_empty() || self.failures > 0;
        if is_first && norm(&out.error, start, &out.y).0 > 1.0 {
            // In stiff components the first estimate is too large.
            for ((u, y), error) in self.u.iter_mut().zip(start.y).zip(&out.error) {
                *u = y + error;
            }
            system.rhs(span.t0, &self.u, &mut out.error)?;
            self.estimate(shift, &mut out.error);
        }
        Ok(())
    }

    fn shorter(&mut self, _error: f64, _h: f64) -> Option<f64> {
        self.failures += 1;
        None
    }

    fn next_step(
        &mut self,
        span: &StepSpan,
        _start: &Start<'_>,
        _out: &StepResult,
        clipped: bool,
        proposed: f64,
    ) -> f64 {
        let growth = proposed / span.h;
        let is_kept = self.course.contraction <= KEEP && (1.0..=SAME).contains(&growth);
        if is_kept && !clipped {
            span.h
        } else {
            proposed
        }
    }

    /// The error of the dense output: how far a Newton step on its residual moves a state between two stages, which in
    /// components that are stiff is about the error there. It costs two evaluations a step: 11 to 25 percent
    /// more where it refuses nothing.
    fn inside<Y: System>(
        &mut self,
        system: &mut Counted<'_, Y>,
        span: &StepSpan,
        start: &Start<'_>,
        out: &StepResult,
    ) -> (f64, usize) {
        let mut largest = (0.0, 0);
        let middle = S / 2;
        for pair in [middle - 1, middle] {
            let theta = 0.5 * (self.tableau.c[pair] + self.tableau.c[pair + 1]);
            // Where points inside are not defined nothing can be said of them.
            if self.correction(system, span, start, theta).is_err() {
                return (0.0, 0);
            }
            let error = norm(&self.u, start, &out.y);
            if error.0 > largest.0 {
                largest = error;
            }
        }
        largest
    }

    fn dense<Y: System>(
        &mut self,
        _system: &mut Counted<'_, Y>,
        span: &StepSpan,
        start: &Start<'_>,
        _out: &StepResult,
        dense: &mut Dense,
    ) -> Result<(), Failure> {
        let weights = coefficients(&self.places()[..=S]);
        for (i, powers) in dense.begin(span, S, start.y.len()).enumerate() {
            for (power, out) in powers.iter_mut().enumerate() {
                let stages = self.z.iter().zip(&weights[1..]);
                *out = stages.map(|(z, weights)| weights[power] * z[i]).sum();
            }
            powers[0] = start.y[i];
        }
        Ok(())
    }
}
