//! Interval arithmetic: bounds of a real function over a box, rounding included.
//!
//! An [`Interval`] encloses every value that the exact operation takes on its operands, and every
//! value that the same operation computes in doubles: arithmetic is rounded outwards,
//! library functions are widened by a few units in the last place. What is not a number lies in no
//! interval: an operation that is defined on a part of its operand encloses the values on that
//! part, and is [`Interval::EMPTY`] if there is none.

use std::f64::consts::{FRAC_PI_2, PI};
use std::ops::{Add, Div, Mul, Neg, Sub};

use crate::elementary;

/// All reals between two bounds, the bounds included where they are finite.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Interval {
    lo: f64,
    hi: f64,
}

/// Units in the last place by which results of library functions are widened: `libm` states errors
/// below one for all of them, and so do others that a value may be compared with.
const LIBRARY_ULPS: u32 = 2;
/// The same for powers; those that [`elementary::pow`] multiplies out have up to three roundings.
const POWER_ULPS: u32 = 4;

/// Radians in a degree.
const DEGREE: Interval = Interval {
    lo: 0.017453292519943295,
    hi: 0.0174532925199433,
};

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

    /// Whether there is nothing in it.
    #[inline]
    pub fn is_empty(self) -> bool {
        self.lo > self.hi
    }

    /// Whether it is neither empty nor unbounded.
    #[inline]
    pub fn is_finite(self) -> bool {
        self.lo.is_finite() && self.hi.is_finite()
    }

    /// Whether a number lies in it.
    #[inline]
    pub fn contains(self, x: f64) -> bool {
        self.lo <= x && x <= self.hi
    }

    /// Whether all of it is above 0 (also true of nothing).
    #[inline]
    pub fn is_positive(self) -> bool {
        self.lo > 0.0
    }

    /// Whether all of it is below 0 (also true of nothing).
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

    /// What lies in both.
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

    /// Square root of what is not negative.
    pub fn sqrt(self) -> Self {
        let defined = self.intersect(Self::NOT_NEGATIVE);
        defined
            .monotone(f64::sqrt)
            .widened(1)
            .intersect(Self::NOT_NEGATIVE)
    }

    const NOT_NEGATIVE: Self = Self {
        lo: 0.0,
        hi: f64::INFINITY,
    };
    const SINES: Self = Self { lo: -1.0, hi: 1.0 };

    /// e^x
    pub fn exp(self) -> Self {
        self.monotone(libm::exp)
            .widened(LIBRARY_ULPS)
            .intersect(Self::NOT_NEGATIVE)
    }

    /// Natural logarithm of what is positive.
    pub fn ln(self) -> Self {
        self.intersect(Self::NOT_NEGATIVE)
            .monotone(libm::log)
            .widened(LIBRARY_ULPS)
    }

    /// Sine.
    pub fn sin(self) -> Self {
        self.wave(elementary::sin, FRAC_PI_2, -FRAC_PI_2)
    }

    /// Cosine.
    pub fn cos(self) -> Self {
        self.wave(elementary::cos, 0.0, PI)
    }

    /// Tangent; everything if there is a pole inside.
    pub fn tan(self) -> Self {
        if self.is_empty() {
            self
        } else if !self.is_finite() || self.meets(FRAC_PI_2, PI) {
            Self::ENTIRE
        } else {
            self.monotone(libm::tan).widened(LIBRARY_ULPS)
        }
    }

    /// Sine of degrees.
    pub fn sin_deg(self) -> Self {
        (self * DEGREE).sin()
    }

    /// Cosine of degrees.
    pub fn cos_deg(self) -> Self {
        (self * DEGREE).cos()
    }

    /// Tangent of degrees.
    pub fn tan_deg(self) -> Self {
        (self * DEGREE).tan()
    }

    /// Angle in [-pi/2, pi/2] with this sine.
    pub fn asin(self) -> Self {
        self.intersect(Self::SINES)
            .monotone(libm::asin)
            .widened(LIBRARY_ULPS)
    }

    /// Angle in [0, pi] with this cosine.
    pub fn acos(self) -> Self {
        let defined = self.intersect(Self::SINES);
        Self::new(libm::acos(defined.hi), libm::acos(defined.lo)).widened(LIBRARY_ULPS)
    }

    /// Angle in (-pi/2, pi/2) with this tangent.
    pub fn atan(self) -> Self {
        self.monotone(libm::atan).widened(LIBRARY_ULPS)
    }

    /// Angle of the point (x, y), y being `self`, in [-pi, pi].
    pub fn atan2(self, x: Self) -> Self {
        if self.is_empty() || x.is_empty() {
            return Self::EMPTY;
        }
        let all_around = Self { lo: -PI, hi: PI }.widened(LIBRARY_ULPS);
        if x.lo < 0.0 && self.lo <= 0.0 && self.hi >= 0.0 {
            // The box meets the negative half of the x axis, where the angle jumps.
            return all_around;
        }
        // Elsewhere the angle is monotone along every edge.
        let corners = [
            (self.lo, x.lo),
            (self.lo, x.hi),
            (self.hi, x.lo),
            (self.hi, x.hi),
        ];
        let angles = corners.map(|(y, x)| Self::point(libm::atan2(y, x)));
        let hull = angles.into_iter().fold(Self::EMPTY, Self::hull);
        // At the origin every angle of the half plane is near, and 0 is the value.
        if self.contains(0.0) && x.contains(0.0) {
            return hull.hull(Self::ZERO).widened(LIBRARY_ULPS);
        }
        hull.widened(LIBRARY_ULPS)
    }

    /// `self` to the power `exponent`. Negative bases have whole powers only.
    pub fn pow(self, exponent: Self) -> Self {
        if self.is_empty() || exponent.is_empty() {
            return Self::EMPTY;
        }
        let whole = exponent.lo == exponent.hi && exponent.lo.floor() == exponent.lo;
        if whole {
            let n = exponent.lo;
            let even = (0.5 * n).floor() == 0.5 * n;
            if n < 0.0 {
                let positive = Self { lo: -n, hi: -n };
                return (Self::point(1.0) / self.pow(positive)).widened(POWER_ULPS);
            }
            let base = if even { self.abs() } else { self };
            let result = base.monotone(|x| libm::pow(x, n)).widened(POWER_ULPS);
            return if even {
                result.intersect(Self::NOT_NEGATIVE)
            } else {
                result
            };
        }
        let of_size = |size: Self| {
            // Monotone in base and exponent alone, so the extremes stand at the corners.
            let corners = [
                libm::pow(size.lo, exponent.lo),
                libm::pow(size.lo, exponent.hi),
                libm::pow(size.hi, exponent.lo),
                libm::pow(size.hi, exponent.hi),
            ];
            let hull = corners
                .into_iter()
                .map(Self::point)
                .fold(Self::EMPTY, Self::hull);
            hull.widened(POWER_ULPS).intersect(Self::NOT_NEGATIVE)
        };
        let mut result = Self::EMPTY;
        let right = self.intersect(Self::NOT_NEGATIVE);
        if !right.is_empty() {
            result = of_size(right);
        }
        if self.lo < 0.0 && exponent.lo.ceil() <= exponent.hi {
            let left = of_size(-self.intersect(-Self::NOT_NEGATIVE));
            result = result.hull(left).hull(-left);
        }
        result
    }

    /// Remainder of `self / divisor`, with the sign of the divisor.
    pub fn modulo(self, divisor: Self) -> Self {
        if self.is_empty() || divisor.is_empty() || divisor == Self::ZERO {
            return Self::EMPTY;
        }
        let between = Self {
            lo: divisor.lo.min(0.0),
            hi: divisor.hi.max(0.0),
        };
        let turns = (self / divisor).floor();
        if turns.is_finite() && turns.lo == turns.hi {
            // No jump inside. Where the quotient is near one, its floor is not sure and this is not
            // reached.
            return (self - Self::point(turns.lo) * divisor).intersect(between);
        }
        between
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

    /// The image under an increasing function, before rounding is taken into account.
    fn monotone(self, function: impl Fn(f64) -> f64) -> Self {
        if self.is_empty() {
            self
        } else {
            Self::new(function(self.lo), function(self.hi))
        }
    }

    /// The image under sine or cosine, which are 1 at `top` and -1 at `bottom` and a full turn from
    /// there.
    fn wave(self, function: impl Fn(f64) -> f64, top: f64, bottom: f64) -> Self {
        if self.is_empty() {
            return self;
        }
        if !self.is_finite() {
            return Self::SINES;
        }
        let ends = Self::point(function(self.lo)).hull(Self::point(function(self.hi)));
        let mut image = ends.widened(LIBRARY_ULPS).intersect(Self::SINES);
        if self.meets(top, 2.0 * PI) {
            image.hi = 1.0;
        }
        if self.meets(bottom, 2.0 * PI) {
            image.lo = -1.0;
        }
        image
    }

    /// Whether `first + k * period` may lie inside for some whole k; rounding counts as yes.
    fn meets(self, first: f64, period: f64) -> bool {
        let (from, to) = ((self.lo - first) / period, (self.hi - first) / period);
        let slack = |turns: f64| 4.0 * f64::EPSILON * (turns.abs() + 1.0);
        (from - slack(from)).ceil() <= (to + slack(to)).floor()
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

/// Whether multiplication by this number only changes the exponent.
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
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn iv(lo: f64, hi: f64) -> Interval {
        Interval::new(lo, hi)
    }

    #[test]
    fn exact_sums_stay_exact_and_others_are_rounded_outwards() {
        assert_eq!(iv(1.0, 2.0) + iv(-1.0, 0.5), iv(0.0, 2.5));
        let third = iv(1.0, 1.0) / iv(3.0, 3.0);
        assert!(third.lo < third.hi && third.width() < 1.2e-16);
        assert_eq!(iv(0.1, 0.1) + iv(0.0, 0.0), iv(0.1, 0.1));
        let sum = iv(0.1, 0.1) + iv(0.2, 0.2);
        assert!(sum.lo < sum.hi && sum.contains(0.1 + 0.2));
    }

    #[test]
    fn unbounded_operands_do_not_make_nan() {
        let half = iv(0.0, f64::INFINITY);
        assert_eq!(half * Interval::ZERO, Interval::ZERO);
        assert_eq!(half - half, Interval::ENTIRE);
        assert_eq!(iv(1.0, 2.0) / iv(0.0, 4.0), iv(0.25, f64::INFINITY));
        assert_eq!(iv(1.0, 2.0) / iv(-4.0, 0.0), iv(f64::NEG_INFINITY, -0.25));
        assert_eq!(iv(1.0, 2.0) / iv(-1.0, 1.0), Interval::ENTIRE);
        assert!((iv(1.0, 2.0) / Interval::ZERO).is_empty());
        assert_eq!((half / half).lo, 0.0);
        assert_eq!(
            iv(f64::MAX, f64::MAX) + iv(f64::MAX, f64::MAX),
            iv(f64::MAX, f64::INFINITY)
        );
        assert_eq!(Interval::point(f64::INFINITY), iv(f64::MAX, f64::INFINITY));
        assert!(Interval::point(f64::NAN).is_empty());
    }

    #[test]
    fn functions_are_taken_on_the_part_where_they_are_defined() {
        assert_eq!(iv(-1.0, 4.0).sqrt().lo, 0.0);
        assert!(iv(-1.0, 4.0).sqrt().contains(2.0) && iv(-1.0, 4.0).sqrt().hi < 2.0000001);
        assert!(iv(-2.0, -1.0).sqrt().is_empty());
        assert_eq!(iv(-1.0, 1.0).ln().lo, f64::NEG_INFINITY);
        assert!(iv(-2.0, -1.0).ln().is_empty());
        assert!(iv(0.5, 3.0).asin().contains(FRAC_PI_2) && iv(2.0, 3.0).asin().is_empty());
        assert!(iv(-2.0, -1.0).pow(iv(0.5, 0.5)).is_empty());
        let both = iv(-2.0, 2.0).pow(iv(3.0, 3.0));
        assert!(both.contains(-8.0) && both.contains(8.0) && both.width() < 16.001);
        assert_eq!(iv(-2.0, 1.0).pow(iv(2.0, 2.0)).lo, 0.0);
        assert!(iv(-2.0, 1.0).pow(iv(-1.0, -1.0)) == Interval::ENTIRE);
    }

    #[test]
    fn a_degree_is_between_its_bounds() {
        // pi / 180 = 0.0174532925199432957692...; the lower bound times 180 is below pi.
        assert_eq!(DEGREE.hi, DEGREE.lo.next_up());
        assert_eq!(DEGREE.lo, PI / 180.0);
        assert!(180.0_f64.mul_add(DEGREE.lo, -PI) < 1.2246e-16);
        assert!(180.0_f64.mul_add(DEGREE.hi, -PI) > 1.2247e-16);
    }

    #[test]
    fn waves_reach_their_tops() {
        let narrow = iv(1.5, 1.6).sin();
        assert_eq!(narrow.hi, 1.0);
        assert!(narrow.lo > 0.99);
        assert_eq!(iv(-2.0, 2.0).sin(), Interval::SINES);
        assert_eq!(iv(0.0, 100.0).cos(), Interval::SINES);
        assert_eq!(iv(-0.1, 0.1).cos().hi, 1.0);
        assert_eq!(iv(1.5, 1.6).tan(), Interval::ENTIRE);
        assert!(iv(1.6, 1.7).tan().is_negative());
        assert!(iv(1e18, 1e18).sin().contains(libm::sin(1e18)));
        assert!(iv(89.0, 91.0).sin_deg().hi == 1.0 && iv(89.0, 91.0).tan_deg() == Interval::ENTIRE);
    }

    #[test]
    fn angles_of_boxes() {
        assert!(iv(-1.0, 1.0).atan2(iv(-1.0, 1.0)).width() > 6.0);
        let right = iv(-1.0, 1.0).atan2(iv(0.0, 1.0));
        assert!(right.contains(FRAC_PI_2) && right.contains(-FRAC_PI_2) && right.width() < 3.15);
        let above = iv(1.0, 2.0).atan2(iv(-1.0, 1.0));
        assert!(above.contains(FRAC_PI_2) && above.lo > 0.7 && above.hi < 2.4);
    }

    #[test]
    fn remainders_without_a_jump_are_narrow() {
        let narrow = iv(370.0, 371.0).modulo(iv(360.0, 360.0));
        assert!(narrow.contains(10.0) && narrow.contains(11.0) && narrow.width() < 1.1);
        assert_eq!(iv(359.0, 361.0).modulo(iv(360.0, 360.0)), iv(0.0, 360.0));
        assert!(iv(-10.0, -9.0).modulo(iv(360.0, 360.0)).contains(350.0));
        assert!(iv(1.0, 2.0).modulo(Interval::ZERO).is_empty());
    }

    /// An interval and a number in it, of all sizes.
    fn boxed() -> impl Strategy<Value = (Interval, f64)> {
        let size = prop_oneof![
            Just(0.0),
            Just(1.0),
            Just(-1.0),
            (-3.0..3.0),
            (-1e3..1e3),
            (-1e-9..1e-9),
            (-1e200..1e200),
            (1e-320..1e-300),
        ];
        let width = prop_oneof![Just(0.0), (0.0..1e-12), (0.0..1.0), (0.0..100.0)];
        (size, width, 0.0..=1.0).prop_map(|(lo, width, part): (f64, f64, f64)| {
            let interval = iv(lo, lo + width);
            (
                interval,
                (lo + part * width).clamp(interval.lo, interval.hi),
            )
        })
    }

    /// Whether the exact value `value + lost` lies in the interval.
    fn contains_exactly(interval: Interval, value: f64, lost: f64) -> bool {
        let above = value > interval.lo || (value == interval.lo && lost >= 0.0);
        let below = value < interval.hi || (value == interval.hi && lost <= 0.0);
        above && below
    }

    fn two_sum(a: f64, b: f64) -> (f64, f64) {
        let sum = a + b;
        let b_part = sum - a;
        (sum, (a - (sum - b_part)) + (b - b_part))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn arithmetic_contains_exact_results(((x_in, x), (y_in, y)) in (boxed(), boxed())) {
            let (sum, lost) = two_sum(x, y);
            prop_assert!(contains_exactly(x_in + y_in, sum, lost));
            let (difference, lost) = two_sum(x, -y);
            prop_assert!(contains_exactly(x_in - y_in, difference, lost));
            let product = x * y;
            if product.is_finite() && product.abs() > 1e-290 {
                prop_assert!(contains_exactly(x_in * y_in, product, x.mul_add(y, -product)));
            }
            prop_assert!((x_in * y_in).contains(product));
            let quotient = x / y;
            if !quotient.is_nan() {
                prop_assert!((x_in / y_in).contains(quotient) || y == 0.0);
            }
            if quotient.is_finite() && quotient.abs() > 1e-290 && x.abs() > 1e-290 {
                // The remainder has the sign of what the quotient lost, times that of the divisor.
                let lost = -quotient.mul_add(y, -x) * y.signum();
                prop_assert!(contains_exactly(x_in / y_in, quotient, lost));
            }
        }

        #[test]
        fn functions_of_one_number_contain_values((x_in, x) in boxed()) {
            type Function = (fn(Interval) -> Interval, fn(f64) -> f64, fn(f64) -> f64);
            // Two libraries each: the interval holds for the one in use and for the other.
            let functions: [Function; 14] = [
                (Interval::exp, libm::exp, f64::exp),
                (Interval::ln, libm::log, f64::ln),
                (Interval::sqrt, libm::sqrt, f64::sqrt),
                (Interval::sin, libm::sin, f64::sin),
                (Interval::cos, libm::cos, f64::cos),
                (Interval::tan, libm::tan, f64::tan),
                (Interval::asin, libm::asin, f64::asin),
                (Interval::acos, libm::acos, f64::acos),
                (Interval::atan, libm::atan, f64::atan),
                (Interval::floor, f64::floor, f64::floor),
                (Interval::abs, f64::abs, f64::abs),
                (Interval::square, |x| x * x, |x| x.powi(2)),
                (Interval::sign, crate::elementary::sign, crate::elementary::sign),
                (|x| -x, |x| -x, |x| -x),
            ];
            for (index, (on_interval, here, there)) in functions.into_iter().enumerate() {
                for value in [here(x), there(x)] {
                    if !value.is_nan() && x.is_finite() {
                        let image = on_interval(x_in);
                        prop_assert!(
                            image.contains(value) || value == f64::NEG_INFINITY,
                            "function {index} of {x}: {value} in {image:?}"
                        );
                    }
                }
            }
        }

        #[test]
        fn functions_of_degrees_contain_values((x_in, x) in boxed()) {
            use crate::elementary::{cos_deg, sin_deg, tan_deg};
            if x.abs() < 1e9 {
                prop_assert!(x_in.sin_deg().contains(sin_deg(x)));
                prop_assert!(x_in.cos_deg().contains(cos_deg(x)));
                let tangent = tan_deg(x);
                prop_assert!(x_in.tan_deg().contains(tangent) || tangent.is_infinite());
            }
        }

        #[test]
        fn functions_of_two_numbers_contain_values(((x_in, x), (y_in, y)) in (boxed(), boxed())) {
            use crate::elementary;
            type Function = (fn(Interval, Interval) -> Interval, fn(f64, f64) -> f64);
            let functions: [Function; 5] = [
                (Interval::min, elementary::min),
                (Interval::max, elementary::max),
                (Interval::atan2, libm::atan2),
                (Interval::pow, elementary::pow),
                (Interval::modulo, elementary::modulo),
            ];
            for (index, (on_interval, on_number)) in functions.into_iter().enumerate() {
                let value = on_number(x, y);
                // The quotient of a remainder has to be resolved for the remainder to mean
                // anything.
                let resolved = index != 4 || (x / y).abs() < 1e12;
                if !value.is_nan() && resolved {
                    let image = on_interval(x_in, y_in);
                    prop_assert!(
                        image.contains(value) || value.is_infinite(),
                        "function {index} of {x}, {y}: {value} in {image:?}"
                    );
                }
            }
        }

        #[test]
        fn whole_powers_contain_values((x_in, x) in boxed(), n in -5_i32..6) {
            let value = crate::elementary::pow(x, f64::from(n));
            let image = x_in.pow(Interval::point(f64::from(n)));
            prop_assert!(image.contains(value) || value.is_infinite(), "{x}^{n}: {value} in {image:?}");
        }
    }
}
