//! Functions of intervals: each encloses the values on the part of its operand on which it is defined.

use std::f64::consts::{FRAC_PI_2, PI};

use super::Interval;
use crate::elementary;

/// Units in the last place by which results of library functions are widened: `libm` states errors
/// below one for all of them, and so do others that a value may be compared with.
const LIBRARY_ULPS: u32 = 2;
/// The same for powers; those that [`elementary::pow`] multiplies out have up to three roundings.
const POWER_ULPS: u32 = 4;

/// Radians in a degree.
pub(super) const DEGREE: Interval = Interval {
    lo: 0.017453292519943295,
    hi: 0.0174532925199433,
};

impl Interval {
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
    pub(super) const SINES: Self = Self { lo: -1.0, hi: 1.0 };

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

    /// Bounds of [`angle`](crate::elementary::angle), with `self` as y.
    pub fn angle(self, x: Self) -> Self {
        let [left, right] = [(f64::NEG_INFINITY, 0.0), (0.0, f64::INFINITY)];
        let half = |(lo, hi)| x.intersect(Self { lo, hi });
        let quarter = Self::point(0.5 * PI).widened(1);
        // A quarter turn away from the cut.
        let on_left = quarter + (-half(left)).atan2(self);
        let on_right = self.atan2(half(right));
        on_left.hull(on_right)
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

    /// The image under an increasing function, before rounding is taken into account.
    pub(super) fn monotone(self, function: impl Fn(f64) -> f64) -> Self {
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

    /// True if `first + k * period` may lie inside for some whole k; rounding counts as yes.
    fn meets(self, first: f64, period: f64) -> bool {
        let (from, to) = ((self.lo - first) / period, (self.hi - first) / period);
        let slack = |turns: f64| 4.0 * f64::EPSILON * (turns.abs() + 1.0);
        (from - slack(from)).ceil() <= (to + slack(to)).floor()
    }
}
