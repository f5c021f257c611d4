//! Interval arithmetic: bounds of a real function over a box, rounding included.
//!
//! An [`Interval`] encloses every value that the exact operation takes on its operands, and every
//! value that the same operation computes in doubles: arithmetic is rounded outwards,
//! library functions are widened by a few units in the last place. What is not a number lies in no
//! interval: an operation that is defined on a part of its operand encloses the values on that
//! part, and is [`Interval::EMPTY`] if there is none.

use std::ops::{Add, Div, Mul, Neg, Sub};

mod functions;

/// All reals between two bounds, the bounds included where they are finite.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Interval {
    lo: f64,
    hi: f64,
}

impl Interval {
    /// No real at all: where nothing is defined.
    pub const EMPTY: Self = Self {
        lo: f64::INFINITY,
        hi: f64::NEG_INFINITY,
    };
    /// All reals: nothing is known.
    pub const ENTIRE: Self = Self {
        lo: f64::NEG_INFINITY,
        hi: f64::INFINITY,
    };
    /// The number 0.
    pub const ZERO: Self = Self { lo: 0.0, hi: 0.0 };
    /// The step: theta from 0 to 1.
    pub const UNIT: Self = Self { lo: 0.0, hi: 1.0 };

    /// From `lo` to `hi`; empty if they stand the wrong way round or are not numbers.
    #[inline]
    pub fn new(lo: f64, hi: f64) -> Self {
        if lo <= hi {
            // An infinite bound on the inner side stands for what overflowed.
            Self {
                lo: lo.min(f64::MAX),
                hi: hi.max(f64::MIN),
            }
        } else {
            Self::EMPTY
        }
    }

    /// One number; empty for NaN.
    #[inline]
    pub fn point(x: f64) -> Self {
        Self::new(x, x)
    }

    /// From `-radius` to `radius`.
    #[inline]
    pub fn around_zero(radius: f64) -> Self {
        Self::new(-radius, radius)
    }

    /// Lower bound.
    #[inline]
    pub fn lo(self) -> f64 {
        self.lo
    }

    /// Upper bound.
    #[inline]
    pub fn hi(self) -> f64 {
        self.hi
    }

    /// True if it contains no number.
    #[inline]
    pub fn is_empty(self) -> bool {
        self.lo > self.hi
    }

    /// True if it is neither empty nor unbounded.
    #[inline]
    pub fn is_finite(self) -> bool {
        self.lo.is_finite() && self.hi.is_finite()
    }

    /// True if a number lies in it.
    #[inline]
    pub fn contains(self, x: f64) -> bool {
        self.lo <= x && x <= self.hi
    }

    /// True if all of it is above 0 (also if it is empty).
    #[inline]
    pub fn is_positive(self) -> bool {
        self.lo > 0.0
    }

    /// True if all of it is below 0 (also if it is empty).
    #[inline]
    pub fn is_negative(self) -> bool {
        self.hi < 0.0
    }

    /// A number in the middle, finite unless it is empty.
    #[inline]
    pub fn mid(self) -> f64 {
        match (self.lo == f64::NEG_INFINITY, self.hi == f64::INFINITY) {
            (true, true) => 0.0,
            (true, false) => f64::MIN,
            (false, true) => f64::MAX,
            (false, false) => 0.5 * self.lo + 0.5 * self.hi,
        }
    }

    /// Distance of the bounds.
    #[inline]
    pub fn width(self) -> f64 {
        self.hi - self.lo
    }

    /// Largest absolute value in it.
    #[inline]
    pub fn magnitude(self) -> f64 {
        self.lo.abs().max(self.hi.abs())
    }

    /// Intersection of the two.
    #[inline]
    pub fn intersect(self, other: Self) -> Self {
        Self::new(self.lo.max(other.lo), self.hi.min(other.hi))
    }

    /// The smallest interval with both in it.
    #[inline]
    pub fn hull(self, other: Self) -> Self {
        Self {
            lo: self.lo.min(other.lo),
            hi: self.hi.max(other.hi),
        }
    }

    /// `|x|`
    pub fn abs(self) -> Self {
        if self.is_empty() || self.lo >= 0.0 {
            self
        } else if self.hi <= 0.0 {
            -self
        } else {
            Self {
                lo: 0.0,
                hi: self.magnitude(),
            }
        }
    }

    /// -1, 0 or 1
    #[inline]
    pub fn sign(self) -> Self {
        let sign = |x: f64| f64::from(i8::from(x > 0.0) - i8::from(x < 0.0));
        self.monotone(sign)
    }

    /// Largest whole number not above x.
    #[inline]
    pub fn floor(self) -> Self {
        self.monotone(f64::floor)
    }

    /// `x * x`; narrower than the product of two different numbers in the interval.
    #[inline]
    pub fn square(self) -> Self {
        let size = self.abs();
        size * size
    }

    /// The smaller of two numbers.
    #[inline]
    pub fn min(self, other: Self) -> Self {
        if self.is_empty() || other.is_empty() {
            return Self::EMPTY;
        }
        Self {
            lo: self.lo.min(other.lo),
            hi: self.hi.min(other.hi),
        }
    }

    /// The larger of two numbers.
    #[inline]
    pub fn max(self, other: Self) -> Self {
        if self.is_empty() || other.is_empty() {
            return Self::EMPTY;
        }
        Self {
            lo: self.lo.max(other.lo),
            hi: self.hi.max(other.hi),
        }
    }

    /// With bounds moved outwards by some units in the last place.
    pub fn widened(self, ulps: u32) -> Self {
        if self.is_empty() {
            return self;
        }
        let (mut lo, mut hi) = (self.lo, self.hi);
        for _ in 0..ulps {
            (lo, hi) = (lo.next_down(), hi.next_up());
        }
        Self { lo, hi }
    }
}

impl From<f64> for Interval {
    #[inline]
    fn from(x: f64) -> Self {
        Self::point(x)
    }
}

impl Neg for Interval {
    type Output = Self;

    #[inline]
    fn neg(self) -> Self {
        Self {
            lo: -self.hi,
            hi: -self.lo,
        }
    }
}

impl Add for Interval {
    type Output = Self;

    #[inline]
    fn add(self, other: Self) -> Self {
        if self.is_empty() || other.is_empty() {
            return Self::EMPTY;
        }
        Self {
            lo: add_down(self.lo, other.lo),
            hi: -add_down(-self.hi, -other.hi),
        }
    }
}

impl Sub for Interval {
    type Output = Self;

    #[inline]
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for Interval {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        if self.is_empty() || other.is_empty() {
            return Self::EMPTY;
        }
        let (a, b) = (self, other);
        let from = |(x, y): (f64, f64), (u, v): (f64, f64)| Self {
            lo: mul_down(x, y),
            hi: -mul_down(-u, v),
        };
        if a.lo < 0.0 && a.hi > 0.0 {
            if b.lo >= 0.0 {
                return from((a.lo, b.hi), (a.hi, b.hi));
            }
            if b.hi <= 0.0 {
                return from((a.hi, b.lo), (a.lo, b.lo));
            }
            return from((a.lo, b.hi), (a.lo, b.lo)).hull(from((a.hi, b.lo), (a.hi, b.hi)));
        }
        if a.lo < 0.0 {
            return -(-a * b);
        }
        let (low, high) = (
            if b.lo < 0.0 { a.hi } else { a.lo },
            if b.hi < 0.0 { a.lo } else { a.hi },
        );
        from((low, b.lo), (high, b.hi))
    }
}

impl Div for Interval {
    type Output = Self;

    fn div(self, other: Self) -> Self {
        if self.is_empty() || other.is_empty() || other == Self::ZERO {
            return Self::EMPTY;
        }
        let (a, b) = (self, other);
        if b.lo < 0.0 && b.hi > 0.0 {
            return if a == Self::ZERO { a } else { Self::ENTIRE };
        }
        if b.hi <= 0.0 {
            return -(a / -b);
        }
        // The divisor is positive but for a lower bound of zero, which is approached from above.
        let (small, large) = (b.lo.abs(), b.hi);
        Self {
            lo: div_down(a.lo, if a.lo >= 0.0 { large } else { small }),
            hi: -div_down(-a.hi, if a.hi > 0.0 { small } else { large }),
        }
    }
}

/// Lower bound of `a + b`, exact if the sum is.
fn add_down(a: f64, b: f64) -> f64 {
    let sum = a + b;
    // Knuth's two-sum: what rounding lost.
    let b_part = sum - a;
    let lost = (a - (sum - b_part)) + (b - b_part);
    if lost >= 0.0 {
        return sum;
    }
    match sum {
        f64::INFINITY if a.is_finite() && b.is_finite() => f64::MAX,
        _ if sum.is_infinite() => sum,
        // Infinities of both signs.
        _ if sum.is_nan() => f64::NEG_INFINITY,
        // `lost` is not a number where the intermediate sums overflow; then one step down is right
        // too.
        _ => sum.next_down(),
    }
}

/// Lower bound of `a * b`; a bound at infinity times zero is zero, since infinity itself is no
/// value.
#[inline]
fn mul_down(a: f64, b: f64) -> f64 {
    if a == 0.0 || b == 0.0 {
        return 0.0;
    }
    let product = a * b;
    let is_exact = product.is_normal() && (is_power_of_two(a) || is_power_of_two(b));
    if is_exact || (product.is_infinite() && (a.is_infinite() || b.is_infinite())) {
        return product;
    }
    product.next_down()
}

/// True if multiplication by this number only changes the exponent.
fn is_power_of_two(x: f64) -> bool {
    x.to_bits().trailing_zeros() >= 52 && x.is_normal()
}

/// Lower bound of `a / b` with `b` not negative, a zero being approached from above and infinity,
/// which meets no negative `a`, from below.
#[inline]
fn div_down(a: f64, b: f64) -> f64 {
    if a == 0.0 || b.is_infinite() {
        return 0.0;
    }
    let quotient = a / b;
    let is_exact = quotient.is_normal() && is_power_of_two(b);
    if is_exact || b == 0.0 || (quotient.is_infinite() && a.is_infinite()) {
        return quotient;
    }
    quotient.next_down()
}

#[cfg(test)]
mod tests;
