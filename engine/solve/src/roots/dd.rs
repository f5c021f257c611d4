//! Numbers of twice the precision of a double: the unevaluated sum of two doubles.
//!
//! Signs of polynomials near multiple roots are lost in rounding; with 32 digits they are not.
//! Sources: T. J. Dekker, Numerische Mathematik 18 (1971) 224; D. E. Knuth, The Art of Computer
//! Programming 2, 4.2.2.

use std::ops::{Add, Mul, Neg, Sub};

/// `hi + lo`, with `lo` below half a unit in the last place of `hi`.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(super) struct Dd {
    pub(super) hi: f64,
    lo: f64,
}

/// Bound of the relative error of one operation: a few units of 2^-104.
pub(super) const EPSILON: f64 = 2.465190328815662e-31;

impl Dd {
    /// The exact difference of two doubles.
    pub(super) fn difference(a: f64, b: f64) -> Self {
        let (hi, lo) = two_sum(a, -b);
        Self { hi, lo }
    }

    /// The quotient by a double.
    pub(super) fn over(self, divisor: f64) -> Self {
        let quotient = self.hi / divisor;
        let rest = self - Self::from(quotient) * divisor;
        let (hi, lo) = quick_two_sum(quotient, (rest.hi + rest.lo) / divisor);
        Self { hi, lo }
    }

    /// 1, -1, or 0 if the size is not above `bound`.
    pub(super) fn sign(self, bound: f64) -> i8 {
        i8::from(self.hi > bound) - i8::from(self.hi < -bound)
    }
}

impl From<f64> for Dd {
    fn from(x: f64) -> Self {
        Self { hi: x, lo: 0.0 }
    }
}

impl Neg for Dd {
    type Output = Self;

    fn neg(self) -> Self {
        Self {
            hi: -self.hi,
            lo: -self.lo,
        }
    }
}

impl Add for Dd {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        let (sum, lost) = two_sum(self.hi, other.hi);
        let (low, lost_low) = two_sum(self.lo, other.lo);
        let (sum, low) = quick_two_sum(sum, lost + low);
        let (hi, lo) = quick_two_sum(sum, low + lost_low);
        Self { hi, lo }
    }
}

impl Sub for Dd {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for Dd {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        let (product, lost) = two_product(self.hi, other.hi);
        let (hi, lo) = quick_two_sum(product, lost + (self.hi * other.lo + self.lo * other.hi));
        Self { hi, lo }
    }
}

impl Mul<f64> for Dd {
    type Output = Self;

    fn mul(self, other: f64) -> Self {
        let (product, lost) = two_product(self.hi, other);
        let (hi, lo) = quick_two_sum(product, lost + self.lo * other);
        Self { hi, lo }
    }
}

/// Value of a polynomial, constant coefficient first, rounded as if it were computed with 32
/// digits: the error is below `eps |value| + n^2 eps^2 sum |c x^k|`, n being the number of
/// coefficients.
///
/// Source: S. Graillat, P. Langlois, N. Louvet, Japan Journal of Industrial and Applied Mathematics
///         26 (2009) 191.
pub(super) fn horner(coefficients: impl DoubleEndedIterator<Item = Dd>, x: f64) -> f64 {
    let (mut sum, mut lost) = (0.0, 0.0);
    for c in coefficients.rev() {
        let (product, lost_product) = two_product(sum, x);
        let lost_sum;
        (sum, lost_sum) = two_sum(product, c.hi);
        lost = lost * x + (lost_product + (lost_sum + c.lo));
    }
    sum + lost
}

/// Sum and what its rounding lost.
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let b_part = sum - a;
    (sum, (a - (sum - b_part)) + (b - b_part))
}

/// The same for `|a| >= |b|`.
fn quick_two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    (sum, b - (sum - a))
}

/// Product and what its rounding lost, for sizes below 1e290.
fn two_product(a: f64, b: f64) -> (f64, f64) {
    let product = a * b;
    let ((a_hi, a_lo), (b_hi, b_lo)) = (split(a), split(b));
    (
        product,
        ((a_hi * b_hi - product) + a_hi * b_lo + a_lo * b_hi) + a_lo * b_lo,
    )
}

/// Two halves of 26 bits each.
fn split(x: f64) -> (f64, f64) {
    const FACTOR: f64 = 134_217_729.0; // 2^27 + 1
    let scaled = FACTOR * x;
    let hi = scaled - (scaled - x);
    (hi, x - hi)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn digits_beyond_a_double_are_kept() {
        let tiny = 1e-25;
        let sum = Dd::from(1.0) + Dd::from(tiny);
        assert_eq!((sum - Dd::from(1.0)).hi, tiny);
        assert_eq!(sum.sign(0.0), 1);
        assert_eq!((sum - Dd::from(1.0)).sign(1e-24), 0);
        let third = Dd::from(1.0).over(3.0);
        assert!((third * 3.0 - Dd::from(1.0)).hi.abs() < 4.0 * EPSILON);
        // (1 + 2^-30)^2 has a digit at 2^-60 that no double has.
        let x = Dd::from(1.0 + 2.0_f64.powi(-30));
        let square = x * x - Dd::from(1.0) - Dd::from(2.0_f64.powi(-29));
        assert_eq!(square.hi, 2.0_f64.powi(-60));
    }

    proptest! {
        #[test]
        fn products_lose_nothing(a in -1e3..1e3, b in -1e-3..1e3) {
            let (product, lost) = two_product(a, b);
            prop_assert_eq!(lost, a.mul_add(b, -product));
        }

        #[test]
        fn operations_undo_each_other(a in -1e3..1e3_f64, b in 0.01..1e3_f64, c in -1e-9..1e-9) {
            let x = Dd::from(a) + Dd::from(c);
            let size = a.abs().max(1e-3);
            prop_assert!(((x.over(b) * b) - x).hi.abs() <= 8.0 * EPSILON * size);
            prop_assert!(((x + Dd::from(b)) - Dd::from(b) - x).hi.abs() <= 8.0 * EPSILON * size.max(b));
        }
    }
}
