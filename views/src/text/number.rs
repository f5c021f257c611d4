//! Numbers as text: exact and shortest for data, rounded for people.

use serde::{Serialize, Serializer};
use situ_words::say;

/// Appends the shortest decimal that reads back to the same bits.
///
/// Whole numbers have no point (`4`), very large and very small ones an exponent (`1.5e+300`);
/// what is not finite reads `NaN`, `inf`, `-inf`, as spreadsheets and data tools expect.
pub fn push_exact(out: &mut Vec<u8>, value: f64) {
    let mut buffer = zmij::Buffer::new();
    let text = buffer.format(value);
    out.extend_from_slice(text.strip_suffix(".0").unwrap_or(text).as_bytes());
}

/// The shortest decimal that reads back to the same bits, see [`push_exact`].
pub fn exact(value: f64) -> String {
    let mut buffer = zmij::Buffer::new();
    let text = buffer.format(value);
    text.strip_suffix(".0").unwrap_or(text).to_owned()
}

/// A number as JSON: what is not finite, for which JSON has no number, as the text of [`exact`].
///
/// # Errors
///
/// Those of the serializer.
pub fn for_json<S: Serializer>(value: &Option<f64>, serializer: S) -> Result<S::Ok, S::Error> {
    match value {
        Some(value) if !value.is_finite() => serializer.serialize_str(&exact(*value)),
        value => value.serialize(serializer),
    }
}

/// Six significant digits at most, trailing zeros left out: for people, not for data.
pub fn rounded(value: f64) -> String {
    const DIGITS: usize = 6;
    if value == 0.0 || !value.is_finite() {
        return exact(value + 0.0);
    }
    let scientific = format!("{value:.*e}", DIGITS - 1);
    let (mantissa, exponent) = scientific
        .split_once('e')
        .expect("`e` stands in the exponent form");
    let exponent: i32 = exponent.parse().expect("an exponent is a number");
    if !(-4..DIGITS as i32).contains(&exponent) {
        return format!("{}e{exponent}", without_trailing_zeros(mantissa));
    }
    let decimals = usize::try_from(DIGITS as i32 - 1 - exponent).unwrap_or(0);
    without_trailing_zeros(&format!("{value:.decimals$}")).to_owned()
}

fn without_trailing_zeros(text: &str) -> &str {
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.')
    } else {
        text
    }
}

/// A part of a whole, with two digits.
pub fn percent(part: f64) -> String {
    let percent = 100.0 * part;
    match percent {
        0.0 => "0 %".to_owned(),
        _ if percent >= 10.0 => format!("{percent:.0} %"),
        _ if percent >= 0.01 => format!(
            "{} %",
            rounded(format!("{percent:.1e}").parse().unwrap_or(percent))
        ),
        _ => format!("{percent:.0e} %"),
    }
}

/// A count with its noun: `1 row`, `2 rows`.
pub fn counted(count: u64, noun: &str) -> String {
    say!("summary-counted", n = count, noun)
}

/// A number with its unit, if it has one.
pub fn in_unit(number: String, unit: &str) -> String {
    match unit {
        "" => number,
        _ => format!("{number} {unit}"),
    }
}

pub use situ_rules::diag::time_text as time;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_text_reads_back_to_the_same_bits() {
        let mut values = vec![
            0.0,
            -0.0,
            1.0,
            4.0,
            0.1,
            -2.5,
            1e15,
            1e16,
            1e-5,
            1e-7,
            1.5e300,
            5e-324,
            f64::MAX,
            f64::MIN_POSITIVE,
            f64::INFINITY,
            f64::NEG_INFINITY,
        ];
        let mut bits = 0x9e37_79b9_7f4a_7c15_u64;
        for _ in 0..2000 {
            bits = bits
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            values.extend(Some(f64::from_bits(bits)).filter(|value| !value.is_nan()));
        }
        for value in values {
            let text = exact(value);
            assert_eq!(
                text.parse::<f64>().unwrap().to_bits(),
                value.to_bits(),
                "{text}"
            );
        }
        assert_eq!(exact(f64::NAN), "NaN");
    }

    #[test]
    fn exact_text_is_short() {
        for (value, expected) in [
            (4.0, "4"),
            (-0.0, "-0"),
            (0.1, "0.1"),
            (1e300, "1e+300"),
            (0.5, "0.5"),
            (1e-7, "1e-7"),
            (100.0, "100"),
        ] {
            assert_eq!(exact(value), expected);
        }
    }

    #[test]
    fn rounded_text_has_six_digits() {
        for (value, expected) in [
            (0.0, "0"),
            (-0.0, "0"),
            (1.0 / 3.0, "0.333333"),
            (252.885_896_243_2, "252.886"),
            (123_456.7, "123457"),
            (1_234_567.0, "1.23457e6"),
            (0.000_012_34, "1.234e-5"),
            (999_999.9, "1e6"),
            (-20.5, "-20.5"),
            (100.0, "100"),
            (f64::NAN, "NaN"),
        ] {
            assert_eq!(rounded(value), expected);
        }
    }
}
