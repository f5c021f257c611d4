//! One step, as the methods and the loop around them see it.
//!
//! `control` says how long it is to be, `history` has what methods carry on to the next one; `sums` are the weighted
//! sums of stages, `difference` the derivatives of a system that has none of its own.

pub(crate) mod control;
mod difference;
pub(crate) mod history;
pub(crate) mod sums;

use std::sync::Arc;

use self::control::power;
use self::history::History;
use crate::compiled::{CompiledStep, TrialResult};
use crate::method::Method;
use crate::system::{Derivatives, Pattern, Refusal, System};

/// The start of a step: time, state and derivative.
#[derive(Clone, Debug)]
pub(crate) struct Start<'a> {
    pub(crate) t: f64,
    pub(crate) y: &'a [f64],
    pub(crate) f: &'a [f64],
    /// What the method carries on from the steps before.
    pub(crate) history: &'a History,
    /// Absolute tolerances: sizes below which a component does not matter.
    pub(crate) atol: &'a [f64],
    pub(crate) rtol: f64,
}

impl Start<'_> {
    /// Size of an error in a component that is just tolerated.
    #[inline]
    pub(crate) fn scale(&self, component: usize) -> f64 {
        scale_of(self.atol[component], self.rtol, self.y[component])
    }
}

/// Slopes are steep if they tell of more than so many times the change that is seen...
const STEEP: f64 = 4.0;

/// ...and this part of the rate, which is rounding.
const EDGE_NOISE: f64 = 1e-12;

/// A displacement in tolerances, another one for each component, so that differences of components change as well.
fn part_of_tolerance(component: usize) -> f64 {
    let digits = component
        .wrapping_mul(0x9E37_79B9)
        .wrapping_add(0x7F4A_7C15)
        & 0xFFFF;
    0.5 + digits as f64 / 65536.0
}

/// Size of an error in a component that is just tolerated.
#[inline(always)]
pub(crate) fn scale_of(atol: f64, rtol: f64, y: f64) -> f64 {
    (atol + rtol * y.abs()).max(f64::MIN_POSITIVE.sqrt())
}

/// Result of a trial of a step.
#[derive(Clone, Debug, Default)]
pub(crate) struct StepResult {
    /// State at the end.
    pub(crate) y: Vec<f64>,
    /// Derivative at the end.
    pub(crate) f: Vec<f64>,
    /// Estimate of the local error per component; unused by methods of fixed step.
    pub(crate) error: Vec<f64>,
}

impl StepResult {
    /// What compiled code writes.
    #[inline]
    pub(crate) fn trial(&mut self) -> TrialResult<'_> {
        TrialResult {
            y: &mut self.y,
            f: &mut self.f,
            error: &mut self.error,
        }
    }

    #[inline]
    pub(crate) fn resize(&mut self, n: usize) {
        for values in [&mut self.y, &mut self.f, &mut self.error] {
            values.resize(n, 0.0);
        }
    }
}

/// Why a trial was not accepted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rejection {
    /// The estimated error is above the tolerance.
    Error,
    /// The system refused a point.
    Outside,
    /// A result was not finite.
    NotFinite,
    /// The iteration for implicit stages did not converge.
    NotConverged,
    /// The matrix of the implicit stages is singular.
    Singular,
    /// The Jacobian has more entries than there is room for.
    TooLarge,
}

/// Why a trial has no result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Failure {
    /// A shorter step may succeed.
    Retry(Rejection),
    /// The system asked to stop.
    Stop,
}

impl From<Refusal> for Failure {
    #[inline]
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Outside => Self::Retry(Rejection::Outside),
            Refusal::Stop => Self::Stop,
        }
    }
}

/// Statistics of the work done so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Stats {
    /// Steps taken, whole or cut by an event.
    pub steps: u64,
    /// Trials whose estimated error was too large.
    pub rejected_error: u64,
    /// Trials in which the system refused a point.
    pub rejected_outside: u64,
    /// Trials with a result that was not finite.
    pub rejected_not_finite: u64,
    /// Trials whose implicit stages did not converge or had a singular matrix.
    pub rejected_implicit: u64,
    /// Evaluations of the right-hand side, those for difference quotients included.
    pub rhs: u64,
    /// Evaluations of the Jacobian.
    pub jacobians: u64,
    /// Factorisations of a matrix.
    pub factorisations: u64,
    /// Starts and restarts.
    pub restarts: u64,
    /// Changes between the explicit and the implicit method of `auto`.
    pub switches: u64,
}

impl Stats {
    /// Trials that came to points where values are not defined.
    pub fn undefined(&self) -> u64 {
        self.rejected_outside + self.rejected_not_finite
    }

    /// All trials that were not accepted.
    pub fn rejected(&self) -> u64 {
        self.rejected_error
            + self.rejected_outside
            + self.rejected_not_finite
            + self.rejected_implicit
    }

    #[inline]
    pub(crate) fn count(&mut self, rejection: Rejection) {
        match rejection {
            Rejection::Error => self.rejected_error += 1,
            Rejection::Outside => self.rejected_outside += 1,
            Rejection::NotFinite => self.rejected_not_finite += 1,
            Rejection::NotConverged | Rejection::Singular | Rejection::TooLarge => {
                self.rejected_implicit += 1;
            }
        }
    }
}

/// A system whose evaluations are counted.
pub(crate) struct Counted<'a, S> {
    pub(crate) system: &'a mut S,
    pub(crate) stats: &'a mut Stats,
}

impl<S: System> Counted<'_, S> {
    #[inline]
    pub(crate) fn rhs(&mut self, t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), Refusal> {
        self.stats.rhs += 1;
        self.system.rhs(t, y, dy)
    }

    /// The Taylor series of the solution through a point; each order counts as an evaluation.
    #[inline]
    pub(crate) fn series(&mut self, t: f64, last: usize, coefficients: &mut [f64]) -> usize {
        let degree = self.system.series(t, last, coefficients);
        self.stats.rhs += degree.saturating_sub(1) as u64;
        degree
    }

    /// Code that does a whole trial of a method, or its dense output, which takes so many evaluations.
    #[inline]
    pub(crate) fn compiled(&mut self, method: Method, rates: u64) -> Option<&mut dyn CompiledStep> {
        let step = self.system.compiled(method)?;
        self.stats.rhs += rates;
        Some(step)
    }

    /// Jacobian and time derivative, exact if the system has them, else by differences.
    pub(crate) fn linearise(
        &mut self,
        t: f64,
        start: &Start<'_>,
        into: &mut Linearisation,
    ) -> Result<(), Refusal> {
        self.stats.jacobians += 1;
        let exact = self
            .system
            .linearise(t, start.y, &mut into.jacobian, &mut into.df_dt)?;
        if exact == Derivatives::Unknown {
            difference::linearise(self, t, start, into)?;
        }
        into.at_edge =
            into.is_finite() && self.system.has_roots() && self.is_at_edge(t, start, into)?;
        Ok(())
    }

    /// Makes numbers of slopes that are infinite, where there are any.
    pub(crate) fn bound_slopes(
        &mut self,
        t: f64,
        start: &Start<'_>,
        into: &mut Linearisation,
    ) -> Result<(), Refusal> {
        if into.is_finite() {
            return Ok(());
        }
        match difference::linearise_coarsely(self, t, start, into) {
            Ok(()) if into.is_finite() => Ok(()),
            _ => self.linearise_ahead(t, start, into),
        }
    }

    /// True if slopes are much steeper than what displacements by parts of the tolerances make of the rates: those beside the
    /// edge of a root.
    fn is_at_edge(
        &mut self,
        t: f64,
        start: &Start<'_>,
        into: &mut Linearisation,
    ) -> Result<bool, Refusal> {
        let n = start.y.len();
        let mut scratch = std::mem::take(&mut into.scratch);
        let (displaced, rates) = scratch.split_at_mut(n);
        let mut outcome = Err(Refusal::Outside);
        for sign in [1.0, -1.0] {
            for (i, (u, y)) in displaced.iter_mut().zip(start.y).enumerate() {
                *u = y + sign * part_of_tolerance(i) * start.scale(i);
            }
            outcome = self.rhs(t, displaced, rates);
            if outcome.is_ok() && !all_finite(rates) {
                outcome = Err(Refusal::Outside);
            }
            if outcome != Err(Refusal::Outside) {
                break;
            }
        }
        let is_steep = |row: usize| {
            let entries = into.row(row);
            let change =
                entries.map(|(column, slope)| slope * (displaced[column] - start.y[column]));
            let (told, seen) = (change.sum::<f64>(), rates[row] - start.f[row]);
            told.abs() > STEEP * seen.abs() + EDGE_NOISE * start.f[row].abs()
        };
        let found = match outcome {
            Ok(()) => Ok((0..n).any(is_steep)),
            // Outside to both sides it stands between two edges.
            Err(Refusal::Outside) => Ok(true),
            Err(Refusal::Stop) => Err(Refusal::Stop),
        };
        into.scratch = scratch;
        found
    }

    /// The Jacobian a little ahead, where roots of several components have begun one after the other: at the start a
    /// component may be the upper end of one root and the lower end of another, so that no difference is defined.
    ///
    /// # Errors
    ///
    /// [`Refusal`] if there is none within as many steps of Euler's method as there are components.
    #[cold]
    fn linearise_ahead(
        &mut self,
        t: f64,
        start: &Start<'_>,
        into: &mut Linearisation,
    ) -> Result<(), Refusal> {
        let times = start.f.iter().enumerate();
        let times = times.map(|(component, f)| start.scale(component) / f.abs());
        let way = times.fold(f64::INFINITY, f64::min);
        if !way.is_finite() {
            return Err(Refusal::Outside);
        }
        let (mut y, mut f) = (start.y.to_vec(), start.f.to_vec());
        for _ in 0..=y.len() {
            for (y, f) in y.iter_mut().zip(&f) {
                *y += way * f;
            }
            let exact = (self.system).linearise(t, &y, &mut into.jacobian, &mut into.df_dt)?;
            if exact == Derivatives::Exact && into.is_finite() {
                return Ok(());
            }
            self.rhs(t, &y, &mut f)?;
        }
        Err(Refusal::Outside)
    }
}

/// Jacobian and time derivative at one point.
#[derive(Clone, Debug, Default)]
pub(crate) struct Linearisation {
    /// Entries of the Jacobian that can differ from zero; `None` for all.
    pub(crate) pattern: Option<Arc<Pattern>>,
    /// In the order of the pattern.
    pub(crate) jacobian: Vec<f64>,
    pub(crate) df_dt: Vec<f64>,
    /// True if slopes hold for a part of a tolerance alone.
    pub(crate) at_edge: bool,
    /// Room for differences.
    pub(crate) scratch: Vec<f64>,
}

impl Linearisation {
    /// True if all entries are numbers.
    #[inline]
    pub(crate) fn is_finite(&self) -> bool {
        let mut entries = self.jacobian.iter().chain(&self.df_dt);
        entries.all(|entry| entry.is_finite())
    }

    /// Room for a system's. Whether the structure is another one than before.
    pub(crate) fn fit<S: System>(&mut self, system: &mut S) -> bool {
        let (n, pattern) = (system.dim(), system.pattern());
        let same = match (&self.pattern, &pattern) {
            (None, None) => self.df_dt.len() == n,
            (Some(old), Some(new)) => Arc::ptr_eq(old, new),
            _ => false,
        };
        if same {
            return false;
        }
        let entries = pattern.as_ref().map_or(n * n, |pattern| pattern.len());
        self.pattern = pattern;
        self.jacobian.clear();
        self.jacobian.resize(entries, 0.0);
        self.df_dt.clear();
        self.df_dt.resize(n, 0.0);
        self.scratch.clear();
        self.scratch.resize(2 * n, 0.0);
        true
    }

    /// The entries of a row that can differ from zero: column and value.
    pub(crate) fn row(&self, row: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let n = self.df_dt.len();
        let (all, sparse) = match &self.pattern {
            None => (Some(&self.jacobian[row * n..][..n]), None),
            Some(pattern) => (None, Some(pattern.row(row))),
        };
        let all = all.into_iter().flatten().copied().enumerate();
        let sparse = sparse.into_iter().flatten();
        all.chain(sparse.map(|(at, column)| (column, self.jacobian[at])))
    }

    /// The Jacobian's spectral radius, estimated by a few products with it.
    ///
    /// Shapes: `room`: one value per component each; `scale`: sizes of the components that count alike.
    /// Cost: twelve products of matrix and vector; no allocation.
    pub(crate) fn spectral_radius(
        &self,
        room: &mut [Vec<f64>; 3],
        scale: impl Fn(usize) -> f64,
    ) -> f64 {
        const PRODUCTS: i32 = 12;
        /// Products in the mean; several, because a complex pair makes the growth swing.
        const MEAN: i32 = 6;
        let [v, w, per_size] = room;
        let n = v.len();
        // Any vector with a part in the dominant direction will do.
        for i in 0..n {
            let size = scale(i);
            (v[i], per_size[i]) = (size * (0.5 + (i as f64 * 0.618).fract()), 1.0 / size);
        }
        let mut radius = 1.0;
        for product in 0..PRODUCTS {
            self.product(v, w);
            let sizes = w.iter().zip(&*per_size).map(|(w, per_size)| w * per_size);
            let length = sizes.fold(0.0_f64, |most, size| most.max(size.abs()));
            if !(length > 0.0 && length.is_finite()) {
                return if length == 0.0 { 0.0 } else { f64::INFINITY };
            }
            let per_length = 1.0 / length;
            for (v, w) in v.iter_mut().zip(w.iter()) {
                *v = w * per_length;
            }
            if product >= PRODUCTS - MEAN {
                radius *= power(length, 1.0 / f64::from(MEAN));
            }
        }
        radius
    }

    /// Writes the Jacobian times a vector.
    pub(crate) fn product(&self, v: &[f64], into: &mut [f64]) {
        let n = v.len();
        for (row, into) in into.iter_mut().enumerate() {
            *into = match &self.pattern {
                None => {
                    let entries = self.jacobian[row * n..][..n].iter();
                    entries.zip(v).map(|(entry, v)| entry * v).sum()
                }
                Some(pattern) => {
                    let entries = pattern.row(row);
                    entries
                        .map(|(at, column)| self.jacobian[at] * v[column])
                        .sum()
                }
            };
        }
    }
}

#[inline]
pub(crate) fn all_finite(values: &[f64]) -> bool {
    values.iter().all(|value| value.is_finite())
}
