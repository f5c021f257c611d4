//! Sine and cosine, of radians and of degrees.
//!
//! An angle is brought into [-pi/4, pi/4] by taking away quarter turns; the rest is kept as a sum of
//! two numbers, because one does not hold enough digits. Sine or cosine of the rest is a
//! polynomial. The error stays below 1 ulp (measured: 0.8).
//!
//! Everything is additions, multiplications, fused multiply-adds where they are written and comparisons of
//! `f64`, one after the other in the order written: the same bits come out on every machine, and from any
//! other code that does the same operations, on several angles at once too. A processor
//! without fused multiply-adds is told what they give by a function. The few angles that need more digits of
//! pi, large ones and those very near a multiple of pi/2, are left to `libm`.

use multiversion::multiversion;
use std::f64::consts::{FRAC_2_PI, FRAC_PI_4};

/// Up to here a count of quarter turns, times a number of 33 bits, is exact: 2^20 * pi/2.
pub const LARGE: f64 = 1_647_099.0;

/// A rest below this one, other than the angle itself, may have lost digits.
pub const TINY: f64 = 1.0 / (1_u64 << 30) as f64;

/// Added to a number and taken away again it leaves the nearest whole number; in between the last
/// bits of the sum are those of the whole number.
pub const ROUND: f64 = 6_755_399_441_055_744.0;

/// pi/2 as a sum: 33 bits, the next 33, the next 53.
pub const QUARTER: [f64; 3] = [
    1.570_796_326_734_125_6,
    6.077_100_506_303_966e-11,
    2.022_266_248_795_950_6e-21,
];

/// pi/180 as a sum: 53 bits, the next 53.
const DEGREE: [f64; 2] = [0.017_453_292_519_943_295, 2.948_652_270_870_168_7e-19];

/// (sin(y)/y - 1) / y^2 in powers of y^2, for |y| <= pi/4, to 2^-57.8 of the sine: minimax in the
/// weight of the result, each coefficient rounded before the next ones were fitted.
pub const SINE: [f64; 6] = [
    -0.166_666_666_666_666_3,
    0.008_333_333_333_321_84,
    -0.000_198_412_698_293_585_22,
    2.755_731_353_851_109_6e-6,
    -2.505_073_438_863_347_8e-8,
    1.589_543_324_624_316_2e-10,
];

/// (cos(y) - 1 + y^2/2) / y^4 in powers of y^2, for |y| <= pi/4, to 2^-63.9; found as [`SINE`].
pub const COSINE: [f64; 6] = [
    0.041_666_666_666_666_595,
    -0.001_388_888_888_887_334_2,
    2.480_158_728_900_21e-5,
    -2.755_731_421_705_158_7e-7,
    2.087_570_539_866_795_4e-9,
    -1.135_874_942_047_981_1e-11,
];

/// An angle less quarter turns.
#[derive(Clone, Copy)]
pub struct Rest {
    /// Quarter turns; only the last two bits count.
    pub turns: u64,
    /// What is left in radians, at most a little more than pi/4.
    pub y: f64,
    /// Rounding error of `y`, to be added to it: less than an ulp of it.
    pub tail: f64,
}

/// The sine of an angle in radians.
#[multiversion(targets("x86_64+fma"), dispatcher = "direct")]
#[inline(never)]
pub fn sin(x: f64) -> f64 {
    match rest(x) {
        Some(rest) => rest.sine(),
        None => libm::sin(x),
    }
}

/// The cosine of an angle in radians.
#[multiversion(targets("x86_64+fma"), dispatcher = "direct")]
#[inline(never)]
pub fn cos(x: f64) -> f64 {
    match rest(x) {
        Some(rest) => rest.quarter_further().sine(),
        None => libm::cos(x),
    }
}

/// The sine of an angle in degrees, exact at the multiples of 90.
#[multiversion(targets("x86_64+fma"), dispatcher = "direct")]
#[inline(never)]
pub fn sin_deg(degrees: f64) -> f64 {
    if degrees.abs() <= 45.0 {
        return rest_of_degrees(0, degrees).sine().copysign(degrees);
    }
    let (turns, degrees) = quarter_turns(degrees);
    rest_of_degrees(turns, degrees).sine() + 0.0
}

/// The cosine of an angle in degrees, exact at the multiples of 90.
#[multiversion(targets("x86_64+fma"), dispatcher = "direct")]
#[inline(never)]
pub fn cos_deg(degrees: f64) -> f64 {
    let (turns, degrees) = quarter_turns(degrees);
    rest_of_degrees(turns, degrees).quarter_further().sine() + 0.0
}

/// An angle in radians less quarter turns, without branches, for several angles at once; and whether more
/// digits are needed: the rest is then worth nothing.
#[inline(always)]
pub fn rest_or_hard(x: f64) -> (Rest, bool) {
    let small = x.abs() <= FRAC_PI_4;
    let Rest { turns, y, tail } = less_quarters(x);
    let exact = (x.abs() <= LARGE) & (y.abs() >= TINY);
    let rest = Rest {
        turns: if small { 0 } else { turns },
        y: if small { x } else { y },
        tail: if small { 0.0 } else { tail },
    };
    (rest, !(small | exact))
}

/// An angle in degrees: as [`rest_or_hard`].
#[inline(always)]
pub fn rest_of_degrees_or_hard(degrees: f64) -> (Rest, bool) {
    let (turns, rest, hard) = quarter_turns_or_hard(degrees);
    (rest_of_degrees(turns, rest), hard)
}

/// The sine of an angle in degrees, from what comes of its rest.
#[inline(always)]
pub fn signed_sine_of_degrees(degrees: f64, sine: f64) -> f64 {
    if degrees.abs() <= 45.0 {
        sine.copysign(degrees)
    } else {
        sine + 0.0
    }
}

/// As [`quarter_turns`] without branches, and whether whole turns have to be taken away first.
#[inline(always)]
fn quarter_turns_or_hard(degrees: f64) -> (u64, f64, bool) {
    let small = degrees.abs() <= 45.0;
    let (turns, rest) = less_quarters_of_degrees(degrees);
    let countable = degrees.abs() < COUNTABLE;
    (
        if small { 0 } else { turns },
        if small { degrees } else { rest },
        !countable,
    )
}

/// An angle less quarter turns; none if more digits are needed.
#[inline(always)]
fn rest(x: f64) -> Option<Rest> {
    if x.abs() <= FRAC_PI_4 {
        return Some(Rest {
            turns: 0,
            y: x,
            tail: 0.0,
        });
    }
    let rest = less_quarters(x);
    (x.abs() <= LARGE && rest.y.abs() >= TINY).then_some(rest)
}

/// An angle that is neither small nor hard less quarter turns.
#[inline(always)]
fn less_quarters(x: f64) -> Rest {
    let shifted = x.mul_add(FRAC_2_PI, ROUND);
    let turns = shifted - ROUND;
    // The last part is below the rounding errors of the others.
    let first = (-turns).mul_add(QUARTER[0], x);
    let (middle, last) = (turns * QUARTER[1], turns * QUARTER[2]);
    let part = middle + last;
    let y = first - part;
    // What rounding has lost: sine and cosine wait for it in the end only.
    let lent = y - first;
    let lost = (first - (y - lent)) - (part + lent);
    Rest {
        turns: shifted.to_bits(),
        y,
        tail: lost - ((middle - part) + last),
    }
}

/// Degrees are too many to count quarter turns in.
const COUNTABLE: f64 = 1e15;

/// An angle as a count of quarter turns, of which only the last two bits count, and the degrees left
/// over, exactly: from -45 to 45, or a trifle more.
#[inline(always)]
pub(super) fn quarter_turns(degrees: f64) -> (u64, f64) {
    if degrees.abs() <= 45.0 {
        return (0, degrees);
    }
    // Whole turns of what is too large to count quarters in.
    let degrees = if degrees.abs() < COUNTABLE {
        degrees
    } else {
        libm::fmod(degrees, 360.0)
    };
    less_quarters_of_degrees(degrees)
}

/// Quarter turns and the degrees left over, without a test of how many they are.
#[inline(always)]
fn less_quarters_of_degrees(degrees: f64) -> (u64, f64) {
    let shifted = degrees / 90.0 + ROUND;
    (shifted.to_bits(), (ROUND - shifted).mul_add(90.0, degrees))
}

/// Reduced angle in radians, from one in degrees.
#[inline(always)]
fn rest_of_degrees(turns: u64, degrees: f64) -> Rest {
    let y = degrees * DEGREE[0];
    let lost = degrees.mul_add(DEGREE[0], -y);
    Rest {
        turns,
        y,
        tail: degrees.mul_add(DEGREE[1], lost),
    }
}

impl Rest {
    /// A quarter turn further.
    #[inline(always)]
    pub fn quarter_further(self) -> Self {
        Self {
            turns: self.turns.wrapping_add(1),
            ..self
        }
    }

    /// The sine of the whole angle.
    #[inline(always)]
    fn sine(self) -> f64 {
        let Self { turns, y, tail } = self;
        let value = if turns & 1 == 0 {
            sine(y, tail)
        } else {
            cosine(y, tail)
        };
        turned(turns, value)
    }

    /// The sine of what is left.
    #[inline(always)]
    pub fn sine_of_rest(self) -> f64 {
        sine(self.y, self.tail)
    }

    /// The cosine of what is left.
    #[inline(always)]
    pub fn cosine_of_rest(self) -> f64 {
        cosine(self.y, self.tail)
    }

    /// The sine of the whole angle, from sine and cosine of what is left.
    #[inline(always)]
    pub fn sine_from(self, sine: f64, cosine: f64) -> f64 {
        // By bits: of a choice between two numbers compilers make a place in memory, lane by lane.
        let odd = (self.turns & 1).wrapping_neg();
        let value = sine.to_bits() & !odd | cosine.to_bits() & odd;
        turned(self.turns, f64::from_bits(value))
    }
}

/// Two quarter turns change the sign.
#[inline(always)]
fn turned(turns: u64, value: f64) -> f64 {
    f64::from_bits(value.to_bits() ^ (turns & 2) << 62)
}

/// The sine of `y + tail` [rad].
#[inline(always)]
fn sine(y: f64, tail: f64) -> f64 {
    let z = y * y;
    let little = tail * z.mul_add(-0.5, 1.0);
    let value = y + (z * y).mul_add(polynomial(SINE, z), little);
    // Only matters for -0.
    value.copysign(y)
}

/// The cosine of `y + tail` [rad].
#[inline(always)]
fn cosine(y: f64, tail: f64) -> f64 {
    let z = y * y;
    let half = 0.5 * z;
    let most = 1.0 - half;
    // What rounding took from 1 - z/2 is exact, as 1 is the larger one.
    let lost = (1.0 - most) - half;
    most + (z * z).mul_add(polynomial(COSINE, z), (-y).mul_add(tail, lost))
}

/// A polynomial in z, in the order that has the shortest chain of operations.
#[inline(always)]
fn polynomial(c: [f64; 6], z: f64) -> f64 {
    let square = z * z;
    let pair = |low: f64, high: f64| z.mul_add(high, low);
    let high = square.mul_add(pair(c[4], c[5]), pair(c[2], c[3]));
    square.mul_add(high, pair(c[0], c[1]))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A sum of two numbers, the second far below the first: twice the digits.
    #[derive(Clone, Copy)]
    struct Wide(f64, f64);

    impl Wide {
        fn sum(a: f64, b: f64) -> Self {
            let sum = a + b;
            let lent = sum - a;
            Self(sum, (a - (sum - lent)) + (b - lent))
        }

        fn product(a: f64, b: f64) -> Self {
            let product = a * b;
            Self(product, a.mul_add(b, -product))
        }

        fn add(self, other: Self) -> Self {
            let high = Self::sum(self.0, other.0);
            let low = Self::sum(self.1, other.1);
            let once = Self::sum(high.0, high.1 + low.0);
            Self::sum(once.0, once.1 + low.1)
        }

        fn mul(self, other: Self) -> Self {
            let most = Self::product(self.0, other.0);
            Self::sum(most.0, most.1 + (self.0 * other.1 + self.1 * other.0))
        }

        fn divided_by(self, divisor: f64) -> Self {
            let high = self.0 / divisor;
            let product = Self::product(high, divisor);
            let left = self.add(Self(-product.0, -product.1));
            Self::sum(high, left.0 / divisor)
        }
    }

    /// Sine and cosine of |y| <= pi/4, or a little more, by their series.
    fn series(y: Wide) -> (Wide, Wide) {
        let square = y.mul(y);
        let (mut sine, mut cosine) = (Wide(0.0, 0.0), Wide(0.0, 0.0));
        for k in (1..=14).rev() {
            let k = f64::from(k);
            let one = Wide(1.0, 0.0);
            let next = |sum: Wide, divisor: f64| {
                let term = square.mul(one.add(sum)).divided_by(divisor);
                Wide(-term.0, -term.1)
            };
            sine = next(sine, 2.0 * k * (2.0 * k + 1.0));
            cosine = next(cosine, (2.0 * k - 1.0) * 2.0 * k);
        }
        let one = Wide(1.0, 0.0);
        (y.mul(one.add(sine)), one.add(cosine))
    }

    fn turned(turns: i64, (sine, cosine): (Wide, Wide)) -> (Wide, Wide) {
        let minus = |x: Wide| Wide(-x.0, -x.1);
        match turns.rem_euclid(4) {
            0 => (sine, cosine),
            1 => (cosine, minus(sine)),
            2 => (minus(sine), minus(cosine)),
            _ => (minus(cosine), sine),
        }
    }

    #[expect(clippy::cast_possible_truncation, reason = "whole and small")]
    fn exact(x: f64) -> (Wide, Wide) {
        let turns = (x * FRAC_2_PI).round();
        let mut rest = Wide(x, 0.0);
        for part in [
            std::f64::consts::FRAC_PI_2,
            6.123_233_995_736_766e-17,
            -1.497_384_904_859_169_8e-33,
            5.562_271_104_316_826e-50,
        ] {
            let product = Wide::product(turns, part);
            rest = rest.add(Wide(-product.0, -product.1));
        }
        turned(turns as i64, series(rest))
    }

    #[expect(clippy::cast_possible_truncation, reason = "whole and small")]
    fn exact_degrees(degrees: f64) -> (Wide, Wide) {
        let turns = (degrees / 90.0).round();
        let rest = degrees - 90.0 * turns;
        let degree = Wide(0.017_453_292_519_943_295, 2.948_652_270_870_168_7e-19);
        turned(turns as i64, series(Wide(rest, 0.0).mul(degree)))
    }

    /// Error of a value against the exact one, in units of the last place.
    fn error(value: f64, exact: Wide) -> f64 {
        let magnitude = f64::from_bits(exact.0.to_bits() & (0x7ff << 52));
        (((value - exact.0) - exact.1) / (magnitude * f64::EPSILON)).abs()
    }

    /// Evenly spread numbers in 0..1, always the same.
    fn spread() -> impl Iterator<Item = f64> {
        (1..).map(|k: u32| (f64::from(k) * 0.618_033_988_749_894_9).fract())
    }

    #[test]
    fn radians_are_within_an_ulp() {
        let mut worst = [0.0_f64; 2];
        for (range, count) in [
            (0.9, 20_000),
            (7.0, 40_000),
            (900.0, 10_000),
            (1.6e6, 10_000),
        ] {
            for share in spread().take(count) {
                let x = (2.0 * share - 1.0) * range;
                let (sine, cosine) = exact(x);
                worst[0] = worst[0].max(error(sin(x), sine));
                worst[1] = worst[1].max(error(cos(x), cosine));
            }
        }
        assert!(worst[0] < 0.8 && worst[1] < 0.9, "{worst:?}");
    }

    #[test]
    fn degrees_are_within_an_ulp() {
        let mut worst = [0.0_f64; 2];
        for (range, count) in [(50.0, 20_000), (400.0, 40_000), (1e6, 10_000)] {
            for share in spread().take(count) {
                let x = (2.0 * share - 1.0) * range;
                let (sine, cosine) = exact_degrees(x);
                worst[0] = worst[0].max(error(sin_deg(x), sine));
                worst[1] = worst[1].max(error(cos_deg(x), cosine));
            }
        }
        assert!(worst[0] < 0.8 && worst[1] < 0.9, "{worst:?}");
    }

    #[test]
    fn hard_angles_are_within_an_ulp_of_the_library() {
        let near = (1..60).map(|k| f64::from(k) * std::f64::consts::FRAC_PI_2);
        let hard = [1e-320, 1e-9, LARGE, LARGE.next_up(), 1e22, 6e5, 1e308];
        let borders = [FRAC_PI_4, 45.0_f64.to_radians()];
        for x in near.chain(hard).chain(borders) {
            for x in [x, -x, x.next_up(), x.next_down()] {
                let ulp = |value: f64| value.abs().next_up() - value.abs();
                for (ours, theirs) in [(sin(x), libm::sin(x)), (cos(x), libm::cos(x))] {
                    assert!(
                        (ours - theirs).abs() <= ulp(theirs),
                        "{x:e} {ours:e} {theirs:e}"
                    );
                }
            }
        }
        for x in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert!(
                [sin(x), cos(x), sin_deg(x), cos_deg(x)]
                    .iter()
                    .all(|y| y.is_nan())
            );
        }
        assert!(sin(-0.0).is_sign_negative() && sin_deg(-0.0).is_sign_negative());
        assert_eq!((sin_deg(1e300), cos_deg(1e300)), {
            let rest = libm::fmod(1e300, 360.0);
            (sin_deg(rest), cos_deg(rest))
        });
    }

    #[test]
    fn the_bits_are_these_on_every_machine() {
        let mut hash = 0_u64;
        for share in spread().take(4000) {
            let x = (2.0 * share - 1.0) * 50.0;
            for value in [sin(x), cos(x), sin_deg(x), cos_deg(x)] {
                hash = hash.rotate_left(5) ^ value.to_bits();
            }
        }
        assert_eq!(hash, 5_093_170_925_206_370_131);
    }

    #[test]
    #[ignore = "a minute: the long version of the tests above"]
    fn soak_of_angles() {
        let mut worst = [0.0_f64; 4];
        for share in spread().take(4_000_000) {
            let x = (2.0 * share - 1.0) * 100.0;
            let (sine, cosine) = exact(x);
            worst[0] = worst[0].max(error(sin(x), sine));
            worst[1] = worst[1].max(error(cos(x), cosine));
            let (sine, cosine) = exact_degrees(x * 7.0);
            worst[2] = worst[2].max(error(sin_deg(x * 7.0), sine));
            worst[3] = worst[3].max(error(cos_deg(x * 7.0), cosine));
        }
        // Of 40 million angles the worst were 0.782, 0.777, 0.784 and 0.783 off.
        assert!(worst.iter().all(|&error| error < 0.79), "{worst:?}");
    }
}
