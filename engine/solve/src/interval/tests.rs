//! Intervals contain the values they stand for.

use proptest::prelude::*;

use super::functions::DEGREE;
use super::*;
use std::f64::consts::{FRAC_PI_2, PI};

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

/// True if the exact value `value + lost` lies in the interval.
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
        let functions: [Function; 6] = [
            (Interval::min, elementary::min),
            (Interval::max, elementary::max),
            (Interval::atan2, libm::atan2),
            (Interval::pow, elementary::pow),
            (Interval::modulo, elementary::modulo),
            (Interval::angle, elementary::angle),
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
