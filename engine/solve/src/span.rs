//! The span of a step, in numbers of any kind.

use std::ops::{Add, Mul, Sub};

/// Number in a step: a value, or a recorded operation that is to be compiled
/// ([`ExplicitTrial`](crate::ExplicitTrial)). The formula of a method is written once for both.
pub trait Number: Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> {
    /// A number that is known.
    fn number(value: f64) -> Self;

    /// `weight * self`.
    fn weighted(self, weight: f64) -> Self;
}

impl Number for f64 {
    #[inline(always)]
    fn number(value: f64) -> Self {
        value
    }

    #[inline(always)]
    fn weighted(self, weight: f64) -> Self {
        weight * self
    }
}

/// Span of a step: its start, its end and its length.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct StepSpan<T = f64> {
    /// The start.
    pub t0: T,
    /// The end, exactly: not always `t0 + h` rounded.
    pub t1: T,
    /// The length.
    pub h: T,
}

impl<T: Number> StepSpan<T> {
    /// Time at a fraction of the step that is not its end.
    #[inline(always)]
    pub(crate) fn at(&self, fraction: f64) -> T {
        self.t0 + self.h.weighted(fraction)
    }
}
