//! Coefficients of polynomials: to the basis of Bernstein, to another interval, to a value with its slope.

use super::dd::Dd;
use super::to_bernstein;

/// [`to_bernstein`] in doubles, for the usual numbers of coefficients with loops that unroll and
/// without divisions; one rounding more per coefficient.
pub(super) fn quick_bernstein(coefficients: &mut [f64]) {
    fn of_degree<const N: usize>(coefficients: &mut [f64; N]) {
        let mut binomial = 1.0;
        for k in 1..N {
            binomial = binomial * (N - k) as f64 / k as f64;
            coefficients[k] *= 1.0 / binomial;
        }
        for level in 1..N {
            for i in (level..N).rev() {
                coefficients[i] += coefficients[i - 1];
            }
        }
    }
    macro_rules! of_length {
        ($($n:literal)*) => {
            match coefficients.len() {
                $($n => of_degree::<$n>(coefficients.try_into().expect("matched by its length")),)*
                _ => to_bernstein(coefficients, |c, binomial| c / binomial),
            }
        };
    }
    of_length!(2 3 4 5 6 7 8 9 10 11 12 13);
}

/// Replaces p(theta) by p(from + width u), coefficients in place.
pub(super) fn shift(p: &mut [Dd], from: f64, width: Dd) {
    let n = p.len();
    for level in 0..n {
        for i in (level..n - 1).rev() {
            p[i] = p[i] + p[i + 1] * from;
        }
    }
    let mut power = Dd::from(1.0);
    for c in p {
        *c = *c * power;
        power = power * width;
    }
}

/// The power of two that brings a size to between 1/2 and 1; sizes out of range come near it.
pub(super) fn power_of_two_near(size: f64) -> f64 {
    let exponent = (size.to_bits() >> 52) as i64 - 1022;
    f64::from_bits(((1023 - exponent).clamp(1, 2046) as u64) << 52)
}

pub(super) fn value_and_slope(coefficients: &[f64], x: f64) -> (f64, f64) {
    let (mut value, mut slope) = (0.0, 0.0);
    for c in coefficients.iter().rev() {
        slope = slope * x + value;
        value = value * x + c;
    }
    (value, slope)
}
