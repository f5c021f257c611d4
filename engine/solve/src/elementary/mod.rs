//! Functions of reals that are more than an operator, with the same bits on every machine.
//!
//! Most are those of `libm`; sine and cosine ([`circular`]) are written out so that other ways to
//! compute them (native code, lanes) have the same bits.

pub mod circular;

pub use circular::{cos, cos_deg, sin, sin_deg};

/// Functions taken from `libm`. They are not inlined, so that the loop of the interpreter, which
/// names each of them once, stays small.
macro_rules! from_libm {
    ($($about:literal $name:ident = $function:ident($($arg:ident),*);)*) => {$(
        #[doc = $about]
        #[inline(never)]
        pub fn $name($($arg: f64),*) -> f64 {
            libm::$function($($arg),*)
        }
    )*};
}
from_libm! {
    "The exponential function." exp = exp(x);
    "The natural logarithm." ln = log(x);
    "The tangent." tan = tan(x);
    "The arc sine." asin = asin(x);
    "The arc cosine." acos = acos(x);
    "The arc tangent." atan = atan(x);
    "The angle of the point (x, y)." atan2 = atan2(y, x);
}

/// -1, 0 or 1; NaN of NaN, and a zero keeps its sign.
#[inline]
pub fn sign(x: f64) -> f64 {
    if x > 0.0 {
        1.0
    } else if x < 0.0 {
        -1.0
    } else {
        x
    }
}

/// The smaller; NaN if one is NaN; -0 is smaller than +0.
#[inline]
pub fn min(a: f64, b: f64) -> f64 {
    if a < b {
        a
    } else if b < a {
        b
    } else if a == b {
        f64::from_bits(a.to_bits() | b.to_bits())
    } else {
        f64::NAN
    }
}

/// The larger; NaN if one is NaN; +0 is larger than -0.
#[inline]
pub fn max(a: f64, b: f64) -> f64 {
    if a > b {
        a
    } else if b > a {
        b
    } else if a == b {
        f64::from_bits(a.to_bits() & b.to_bits())
    } else {
        f64::NAN
    }
}

/// `a` to the power `b`; whole exponents up to 4 are products, all others `libm::pow`.
#[inline(never)]
pub fn pow(a: f64, b: f64) -> f64 {
    let square = a * a;
    match b {
        0.0 => 1.0,
        1.0 => a,
        2.0 => square,
        3.0 => square * a,
        4.0 => square * square,
        -1.0 => 1.0 / a,
        -2.0 => 1.0 / square,
        _ => libm::pow(a, b),
    }
}

/// The remainder of `a / b` that has the sign of `b`, `a - b * floor(a / b)`; NaN for `b = 0`.
#[inline(never)]
pub fn modulo(a: f64, b: f64) -> f64 {
    let remainder = libm::fmod(a, b);
    if remainder != 0.0 && (remainder < 0.0) != (b < 0.0) {
        remainder + b
    } else {
        // Nothing is left of a multiple, be it negative: +0.
        remainder + 0.0
    }
}

/// The angle of the point (x, y), continued from the upper half plane below the negative half of the x axis: from
/// -pi/2 to 3/2 pi.
#[inline(never)]
pub fn angle(y: f64, x: f64) -> f64 {
    use std::f64::consts::{FRAC_PI_2, PI};
    if x < 0.0 && y < 0.0 {
        libm::atan2(y, x) + 2.0 * PI
    } else if x == 0.0 && y < 0.0 {
        FRAC_PI_2
    } else {
        // A zero below 0 is one above.
        libm::atan2(y + 0.0, x + 0.0)
    }
}

/// Tangent of an angle in degrees; infinite at odd multiples of 90.
#[inline(never)]
pub fn tan_deg(degrees: f64) -> f64 {
    let (turns, rest) = circular::quarter_turns(degrees);
    let tangent = if rest.abs() == 45.0 {
        1.0_f64.copysign(rest)
    } else {
        libm::tan(rest * (std::f64::consts::PI / 180.0))
    };
    if turns % 2 == 0 {
        tangent
    } else {
        -1.0 / tangent
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn degrees_are_exact_at_quarter_turns() {
        for turns in -8..8_i32 {
            let angle = f64::from(turns) * 90.0;
            let expected = match turns.rem_euclid(4) {
                0 => (0.0, 1.0),
                1 => (1.0, 0.0),
                2 => (0.0, -1.0),
                _ => (-1.0, 0.0),
            };
            assert_eq!((sin_deg(angle), cos_deg(angle)), expected, "{angle}");
        }
        assert_eq!(tan_deg(45.0), 1.0);
        assert!(tan_deg(90.0).is_infinite());
        assert!(sin_deg(f64::INFINITY).is_nan() && cos_deg(f64::NAN).is_nan());
    }

    #[test]
    fn degrees_follow_radians() {
        for i in -2000..2000 {
            let degrees = f64::from(i) * 0.37;
            let radians = degrees.to_radians();
            assert!(
                (sin_deg(degrees) - radians.sin()).abs() < 2e-15,
                "{degrees}"
            );
            assert!(
                (cos_deg(degrees) - radians.cos()).abs() < 2e-15,
                "{degrees}"
            );
        }
    }

    #[test]
    fn extremes_propagate_nan_and_order_zeros() {
        assert!(min(f64::NAN, 1.0).is_nan() && max(1.0, f64::NAN).is_nan());
        assert!(min(0.0, -0.0).is_sign_negative() && max(-0.0, 0.0).is_sign_positive());
        assert_eq!((min(2.0, -1.0), max(2.0, -1.0)), (-1.0, 2.0));
        assert_eq!(
            (min(f64::NEG_INFINITY, 1.0), max(f64::INFINITY, 1.0)),
            (f64::NEG_INFINITY, f64::INFINITY)
        );
    }

    #[test]
    fn remainder_has_the_sign_of_the_divisor() {
        assert_eq!(modulo(-10.0, 360.0), 350.0);
        assert_eq!(modulo(10.0, -360.0), -350.0);
        for (a, b) in [
            (720.0, 360.0),
            (-360.0, 360.0),
            (-0.0, 1.0),
            (-2.0, -1.0),
            (2.0, -1.0),
        ] {
            assert_eq!(modulo(a, b).to_bits(), 0.0_f64.to_bits(), "{a} {b}");
        }
        assert!(modulo(1.0, 0.0).is_nan());
    }

    #[test]
    fn powers_agree_with_the_library() {
        for base in [-2.5, -1.0, 0.0, 0.3, 7.0] {
            for exponent in -2..5 {
                let exponent = f64::from(exponent);
                let expected = libm::pow(base, exponent);
                let got = pow(base, exponent);
                assert!(
                    got == expected || (got - expected).abs() <= 2e-15 * expected.abs(),
                    "{base}^{exponent}: {got} {expected}"
                );
            }
        }
    }
}
