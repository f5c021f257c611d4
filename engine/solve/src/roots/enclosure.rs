//! Bounds of a polynomial over a piece of the step.

use super::dd::{self, Dd};
use super::smooth::Enclosure;
use super::to_bernstein;
use crate::interval::Interval;

/// Bounds of a polynomial, its slope and its curvature over a piece of [0, 1].
///
/// The polynomial is moved to the piece, where its Bernstein coefficients bound it; over a point
/// its value is as narrow as rounding permits.
/// Cost: the square of the degree; allocates for degrees above 15.
pub fn enclose(coefficients: &[f64], theta: Interval) -> Enclosure {
    const FEW: usize = 16;
    let n = coefficients.len();
    if theta.is_empty() || coefficients.iter().all(|&c| c == 0.0) {
        return Enclosure {
            value: Interval::ZERO,
            slope: Interval::ZERO,
            curvature: Interval::ZERO,
        };
    }
    if theta.width() == 0.0 {
        return enclose_at(coefficients, theta.lo());
    }
    if n > FEW {
        return enclose_over(coefficients, theta, &mut vec![0.0; 3 * n]);
    }
    enclose_over(coefficients, theta, &mut [0.0; 3 * FEW][..3 * n])
}

/// More than what all operations of a bound lose below the smallest normal number.
const UNDERFLOW: f64 = 1e-321;

/// Bounds over a piece. `scratch` has three times as many places as there are coefficients.
fn enclose_over(coefficients: &[f64], theta: Interval, scratch: &mut [f64]) -> Enclosure {
    let n = coefficients.len();
    let (p, rest) = scratch.split_at_mut(n);
    let (sizes, b) = rest.split_at_mut(n);
    p.copy_from_slice(coefficients);
    for (size, c) in sizes.iter_mut().zip(coefficients) {
        *size = c.abs();
    }
    let (from, width) = (theta.lo(), theta.width());
    if from != 0.0 || width != 1.0 {
        shift_rounded(p, from, width);
        shift_rounded(sizes, from.abs(), width);
    }
    // Rounding of the shift, of the conversion and of the bounds: a few units per level, of the
    // sizes.
    let unit = (8.0 * n as f64 + 16.0) * f64::EPSILON;
    let mut bounds = [Interval::ZERO; 3];
    let mut per_width = 1.0;
    for (order, bound) in bounds.iter_mut().enumerate().take(n) {
        let b = &mut b[..n - order];
        let mut size = 0.0;
        for (i, b) in b.iter_mut().enumerate() {
            let k = (i + order) as f64;
            let factor = [1.0, k, k * (k - 1.0)][order];
            *b = p[i + order] * factor;
            size += sizes[i + order] * factor;
        }
        to_bernstein(b, |c, binomial| c / binomial);
        let (lo, hi) = b
            .iter()
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), &b| {
                (lo.min(b), hi.max(b))
            });
        let error = unit * size + UNDERFLOW;
        *bound = if size.is_finite() {
            Interval::new((lo - error) * per_width, (hi + error) * per_width)
        } else {
            Interval::ENTIRE
        };
        per_width /= width;
    }
    let [value, slope, curvature] = bounds;
    Enclosure {
        value,
        slope,
        curvature,
    }
}

/// Bounds at a point: the value with 32 digits, the derivatives with 16.
fn enclose_at(coefficients: &[f64], x: f64) -> Enclosure {
    let value = dd::horner(coefficients.iter().map(|&c| Dd::from(c)), x);
    let (mut quick, mut slope, mut half_curvature) = (0.0, 0.0, 0.0);
    let (mut value_size, mut slope_size, mut curvature_size) = (0.0, 0.0, 0.0);
    for &c in coefficients.iter().rev() {
        half_curvature = half_curvature * x + slope;
        curvature_size = curvature_size * x + slope_size;
        slope = slope * x + quick;
        slope_size = slope_size * x + value_size;
        quick = quick * x + c;
        value_size = value_size * x + c.abs();
    }
    let n = coefficients.len() as f64;
    let around = |value: f64, error: f64| {
        let error = error + UNDERFLOW;
        if (value + error).is_finite() {
            Interval::new(value - error, value + error)
        } else {
            Interval::ENTIRE
        }
    };
    let unit = 4.0 * n * f64::EPSILON;
    Enclosure {
        value: around(
            value,
            value.abs() * f64::EPSILON + n * n * dd::EPSILON * value_size,
        ),
        slope: around(slope, unit * slope_size),
        curvature: around(2.0 * half_curvature, 2.0 * unit * curvature_size),
    }
}

/// Replaces p(theta) by p(from + width u) in doubles.
fn shift_rounded(p: &mut [f64], from: f64, width: f64) {
    let n = p.len();
    for level in 0..n {
        for i in (level..n - 1).rev() {
            p[i] += p[i + 1] * from;
        }
    }
    let mut power = 1.0;
    for c in p {
        *c *= power;
        power *= width;
    }
}
