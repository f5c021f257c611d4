//! What an explicit Runge-Kutta method is made of: the rows of its tableau.
//!
//! A [`Tableau`] names its rows one after the other to whoever asks ([`Rows`]): the stepper, which computes
//! them component by component, the lanes, and those who write operations down. Weights and stages of a row are
//! constants, so that its sum is unrolled, and weights that are zero are left out of it.

use std::fmt::Debug;

use crate::about::About;
use crate::method::Method;
use crate::step::Failure;
use crate::step::control::StepController;

/// Where a stage stands.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum At {
    /// At this part of the step.
    Part(f64),
    /// At its end.
    End,
}

/// Who is told the stages of a tableau. Stages count from 1, the derivative at the start; `of` are the stages that
/// the weights belong to.
pub(crate) trait Rows {
    /// The stage whose argument is `y + h * sum of weights times stages`.
    fn stage<const N: usize>(
        &mut self,
        stage: usize,
        at: At,
        weights: &[f64; N],
        of: [usize; N],
    ) -> Result<(), Failure>;
}

/// What is computed of a sum of stages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SumKind {
    /// The state at the end: `y + h * sum of weight * stage`.
    State,
    /// `h * sum of weight * stage`.
    Whole,
    /// `sum of weight * stage`.
    PerLength,
    /// `h * sum of weight * (stage - first stage)`: what the weights lose in rounding is not multiplied by the
    /// whole derivative.
    LessFirst,
}

/// Who is told the sums of stages that a method wants.
pub(crate) trait Sums {
    /// The sum with this number.
    fn sum<const N: usize>(
        &mut self,
        number: usize,
        kind: SumKind,
        weights: &[f64; N],
        of: [usize; N],
    );
}

/// An explicit Runge-Kutta method.
pub(crate) trait Tableau: Clone + Default + Debug + 'static {
    /// The method.
    const METHOD: Method;

    /// What a user wants to know of it.
    const ABOUT: About;

    /// Step size controller; `None` for methods of fixed step.
    const CONTROLLER: Option<StepController> = None;

    /// Stages without the derivative at the end.
    const STAGES: usize;

    /// Whether the derivative at the end is a stage, number `STAGES + 1`.
    const ENDS_WITH_DERIVATIVE: bool = Self::CONTROLLER.is_some();

    /// Stages that only the dense output needs, numbered from `STAGES + 2` on.
    const MORE_STAGES: usize = 0;

    /// Error estimates: the first is that of the step, others help to judge it.
    const ESTIMATES: usize = 1;

    /// Values per component that the dense output needs besides both ends.
    const LEVELS: usize = 0;

    /// Length of the interval of stability on the negative real axis, where the last stage before the end
    /// stands there too, so that stiffness can be measured; `None` if it is not.
    const STABLE: Option<f64> = None;

    /// The step is not allowed to grow beyond that length over the largest eigenvalue, as stages show it.
    const CONTROLS_STABILITY: bool = false;

    /// The sums of a step begin with a zero: a sum of negative zeros is a positive one.
    const FROM_ZERO: bool = false;

    /// Tells the stages of a trial, without the derivative at the end.
    fn stages<R: Rows>(rows: &mut R) -> Result<(), Failure>;

    /// Tells the state at the end, sum number 0.
    fn end<S: Sums>(sums: &mut S);

    /// Tells the error estimates.
    fn estimates<S: Sums>(_sums: &mut S) {}

    /// The error of a step, from the largest estimates in units of the tolerance.
    #[inline(always)]
    fn error(_h: f64, largest: [f64; MOST_ESTIMATES]) -> f64 {
        largest[0]
    }

    /// Tells the stages that only the dense output needs.
    #[inline(always)]
    fn more_stages<R: Rows>(_rows: &mut R) -> Result<(), Failure> {
        Ok(())
    }

    /// Tells the levels of the dense output.
    #[inline(always)]
    fn levels<S: Sums>(_sums: &mut S) {}

    /// The dense output of one component in powers of theta.
    ///
    /// Shapes: `ends`: value and rate at the start, then at the end; `into`: `dense_degree + 1`.
    fn polynomial(h: f64, ends: [f64; 4], levels: [f64; MOST_LEVELS], into: &mut [f64]);
}

/// Room for the estimates of a tableau.
pub(crate) const MOST_ESTIMATES: usize = 2;

/// Room for the levels of a tableau.
pub(crate) const MOST_LEVELS: usize = 4;
