//! Weighted sums of stages: the inner loops of Runge-Kutta methods.
//!
//! Most systems have a few components only. What a step does between two evaluations is compiled once
//! for each small number of them ([`with_width`]), so that loops over components unroll.

use crate::span::Number;
use crate::system::Refusal;

/// `out = y + h * sum_j weights[j] * k[j]`, component by component.
///
/// Weights are known at compile time and the sum over `j` is unrolled.
#[inline(always)]
pub(crate) fn advance<const M: usize>(
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
pub(crate) fn sum_at<const M: usize>(i: usize, weights: &[f64; M], k: [&[f64]; M]) -> f64 {
    let mut sum = 0.0;
    for j in 0..M {
        sum += weights[j] * k[j][i];
    }
    sum
}

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
pub(crate) use with_width;

/// The rates of a system: time, state -> derivative.
pub type Rates<'a, T> = dyn FnMut(T, &[T], &mut [T]) -> Result<(), Refusal> + 'a;

/// `sum_j weights[j] * k[j][i]`, in the order written, of numbers of any kind.
#[inline(always)]
pub(crate) fn sum_of<T: Number, const M: usize>(i: usize, weights: &[f64; M], k: [&[T]; M]) -> T {
    let mut sum = k[0][i].weighted(weights[0]);
    for j in 1..M {
        sum = sum + k[j][i].weighted(weights[j]);
    }
    sum
}
