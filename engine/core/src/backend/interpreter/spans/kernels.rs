//! Operations on blocks: loops without branches, compiled once for each kind of processor.

use multiversion::multiversion;

use super::{BLOCK, PORTION};
use crate::tape::{Code, with_real_ops};

/// How far apart the elements of a portion of a total are that are combined.
pub(super) fn halves() -> impl Iterator<Item = usize> {
    std::iter::successors(Some(PORTION / 2), |half| (*half > 1).then_some(half / 2))
}

/// Values of an operand in a block: one for all elements, or one for each.
pub(super) type Operand<'a> = &'a [f64];

/// Words of bits for a block.
pub(super) const WORDS: usize = BLOCK / 64;

/// A set of elements of a block.
pub(super) type Mask = [u64; WORDS];

#[inline(always)]
fn of_one(out: &mut [f64], a: Operand<'_>, f: impl Fn(f64) -> f64) {
    match *a {
        [a] => out.fill(f(a)),
        _ => {
            for (out, &a) in out.iter_mut().zip(a) {
                *out = f(a);
            }
        }
    }
}

/// The old values of `out` go in first.
#[inline(always)]
fn of_all(
    out: &mut [f64],
    a: Operand<'_>,
    b: Operand<'_>,
    f: impl Fn(f64, f64, f64) -> f64 + Copy,
) {
    match (a, b) {
        (&[a], &[b]) => {
            for out in out {
                *out = f(*out, a, b);
            }
        }
        (&[a], b) => {
            for (out, &b) in out.iter_mut().zip(b) {
                *out = f(*out, a, b);
            }
        }
        (a, &[b]) => {
            for (out, &a) in out.iter_mut().zip(a) {
                *out = f(*out, a, b);
            }
        }
        (a, b) => {
            for ((out, &a), &b) in out.iter_mut().zip(a).zip(b) {
                *out = f(*out, a, b);
            }
        }
    }
}

macro_rules! define_apply {
    (
        unary { $($unary:ident $uname:literal |$x:ident| $uvalue:expr, $ufacts:expr;)* }
        binary { $($binary:ident $bname:literal |$a:ident, $b:ident| $bvalue:expr, $bfacts:expr;)* }
        update { $($update:ident $wname:literal |$y:ident, $wa:ident, $wb:ident| $wvalue:expr, $wfacts:expr;)* }
    ) => {
        /// An operation on reals for each element.
        #[multiversion(targets(
            "x86_64+avx512f+avx512vl+avx512dq+avx512bw+avx512cd+avx2+bmi1+bmi2+lzcnt+popcnt",
            "x86_64+avx2+fma+bmi1+bmi2+lzcnt+popcnt"
        ))]
        pub(super) fn apply(code: Code, out: &mut [f64], a: Operand, b: Operand) {
            match code {
                $(Code::$unary => of_one(out, a, #[inline(always)] |$x| $uvalue),)*
                $(Code::$binary => of_all(out, a, b, #[inline(always)] |_, $a, $b| $bvalue),)*
                $(Code::$update => of_all(out, a, b, #[inline(always)] |$y, $wa, $wb| $wvalue),)*
                _ => unreachable!("no operation on reals"),
            }
        }
    };
}
with_real_ops!(define_apply);

/// Sets the bits of elements for which a condition holds.
#[inline(always)]
fn mark(held: &mut Mask, n: usize, f: impl Fn(usize) -> bool) {
    for (word, first) in held.iter_mut().zip((0..n).step_by(64)) {
        *word = (0..64.min(n - first)).fold(0, |word, at| word | u64::from(f(first + at)) << at);
    }
}

#[inline(always)]
fn mark_pairs(
    held: &mut Mask,
    n: usize,
    a: Operand<'_>,
    b: Operand<'_>,
    f: impl Fn(f64, f64) -> bool,
) {
    match (a, b) {
        (&[a], &[b]) => mark(held, n, |_| f(a, b)),
        (&[a], b) => {
            let b = &b[..n];
            mark(held, n, |at| f(a, b[at]));
        }
        (a, &[b]) => {
            let a = &a[..n];
            mark(held, n, |at| f(a[at], b));
        }
        (a, b) => {
            let (a, b) = (&a[..n], &b[..n]);
            mark(held, n, |at| f(a[at], b[at]));
        }
    }
}

/// The elements, of n, for which a comparison holds.
#[multiversion(targets(
    "x86_64+avx512f+avx512vl+avx512dq+avx512bw+avx512cd+avx2+bmi1+bmi2+lzcnt+popcnt",
    "x86_64+avx2+fma+bmi1+bmi2+lzcnt+popcnt"
))]
pub(super) fn compare(code: Code, a: Operand, b: Operand, n: usize, held: &mut Mask) {
    match code {
        Code::Less | Code::AndLess => mark_pairs(held, n, a, b, |a, b| a < b),
        Code::LessEqual | Code::AndLessEqual => mark_pairs(held, n, a, b, |a, b| a <= b),
        Code::Greater | Code::AndGreater => mark_pairs(held, n, a, b, |a, b| a > b),
        _ => mark_pairs(held, n, a, b, |a, b| a >= b),
    }
}

#[inline(always)]
fn in_halves(values: &mut [f64], f: impl Fn(f64, f64) -> f64) -> f64 {
    let mut length = values.len();
    for half in halves() {
        let (lower, upper) = values[..length].split_at_mut(half.min(length));
        for (lower, upper) in lower.iter_mut().zip(upper) {
            *lower = f(*lower, *upper);
        }
        length = length.min(half);
    }
    values[0]
}

/// What up to 64 values, at least one, come to.
#[multiversion(targets(
    "x86_64+avx512f+avx512vl+avx512dq+avx512bw+avx512cd+avx2+bmi1+bmi2+lzcnt+popcnt",
    "x86_64+avx2+fma+bmi1+bmi2+lzcnt+popcnt"
))]
pub(super) fn combine(code: Code, values: &mut [f64]) -> f64 {
    match code {
        Code::Min => in_halves(values, situ_solve::elementary::min),
        Code::Max => in_halves(values, situ_solve::elementary::max),
        _ => in_halves(values, |a, b| a + b),
    }
}

/// Puts values where elements are in the mask.
#[multiversion(targets(
    "x86_64+avx512f+avx512vl+avx512dq+avx512bw+avx512cd+avx2+bmi1+bmi2+lzcnt+popcnt",
    "x86_64+avx2+fma+bmi1+bmi2+lzcnt+popcnt"
))]
pub(super) fn put(out: &mut [f64], values: &[f64], mask: &Mask) {
    let words = out.chunks_mut(64).zip(values.chunks(64)).zip(mask);
    for ((out, values), &word) in words {
        if word.count_ones() < 16 {
            let mut left = word;
            while left != 0 {
                let at = left.trailing_zeros() as usize;
                out[at] = values[at];
                left &= left - 1;
            }
        } else {
            for (at, (out, &value)) in out.iter_mut().zip(values).enumerate() {
                *out = if word >> at & 1 == 1 { value } else { *out };
            }
        }
    }
}
