//! Weighted sums of stages: the inner loops of explicit methods.
//!
//! Most systems have a few components only. What a step does between two evaluations is compiled once
//! for each small number of them ([`with_width`]), so that loops over components unroll.

use std::ops::{Add, Mul, Sub};

use super::step::Span;
use super::system::Refusal;

/// `out = y + h * sum_j weights[j] * k[j]`, component by component.
///
/// Weights are known at compile time and the sum over `j` is unrolled.
#[inline(always)]
pub(super) fn advance<const M: usize>(
    out: &mut [f64],
    y: &[f64],
    h: f64,
    weights: &[f64; M],
    k: [&[f64]; M],
) {
    let n = out.len();
    let (y, k) = (&y[..n], k.map(|stage| &stage[..n]));
    for i in 0..n {
        out[i] = y[i] + h * sum_at(i, weights, k);
    }
}

#[inline(always)]
pub(super) fn sum_at<const M: usize>(i: usize, weights: &[f64; M], k: [&[f64]; M]) -> f64 {
    let mut sum = 0.0;
    for j in 0..M {
        sum += weights[j] * k[j][i];
    }
    sum
}

/// `sum_j weights[j] * k_j[i]`, summed in the order written.
macro_rules! sum_of {
    ($i:expr, $weights:expr, [$first:expr $(, $k:expr)*]) => {{
        let mut weights = $weights.iter();
        let mut next = || weights.next().copied().unwrap_or_default();
        let sum = $first[$i].weighted(next());
        $(let sum = sum + $k[$i].weighted(next());)*
        sum
    }};
}
pub(super) use sum_of;

/// As [`advance`], for stages that are named: `$out = $y + $h * sum of weights times stages`. All have
/// as many components as `$out`.
macro_rules! advance_by {
    ($out:expr, $y:expr, $h:expr, $weights:expr, $k:tt) => {
        for i in 0..$out.len() {
            $out[i] = $y[i] + $h * sum_of!(i, $weights, $k);
        }
    };
}
pub(super) use advance_by;

/// Evaluates `$body` with `$n` a constant where it is small.
macro_rules! with_width {
    ($n:ident => $body:expr) => {
        match $n {
            1 => {
                let $n = 1;
                $body
            }
            2 => {
                let $n = 2;
                $body
            }
            3 => {
                let $n = 3;
                $body
            }
            4 => {
                let $n = 4;
                $body
            }
            5 => {
                let $n = 5;
                $body
            }
            6 => {
                let $n = 6;
                $body
            }
            _ => $body,
        }
    };
}
pub(super) use with_width;

/// The rates of a system: time, state -> derivative.
pub type Rates<'a, T> = dyn FnMut(T, &[T], &mut [T]) -> Result<(), Refusal> + 'a;

/// What a step is computed with: numbers, or operations that are written down to be compiled
/// ([`ExplicitTrial`](super::ExplicitTrial)). The formula of a method is written once for both.
pub trait Number: Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> {
    /// `weight * self`.
    fn weighted(self, weight: f64) -> Self;
}

impl Number for f64 {
    #[inline(always)]
    fn weighted(self, weight: f64) -> Self {
        weight * self
    }
}

/// Where a step goes: its start, its end and its length.
#[derive(Clone, Copy, Debug)]
pub struct Way<T> {
    /// The start.
    pub t0: T,
    /// The end, exactly: not always `t0 + h` rounded.
    pub t1: T,
    /// The length.
    pub h: T,
}

impl<T: Number> Way<T> {
    /// Time at a fraction of the step that is not its end.
    #[inline(always)]
    pub(super) fn at(&self, fraction: f64) -> T {
        self.t0 + self.h.weighted(fraction)
    }
}

impl From<&Span> for Way<f64> {
    #[inline]
    fn from(span: &Span) -> Self {
        Self {
            t0: span.t0,
            t1: span.t1,
            h: span.h,
        }
    }
}
