//! Numbers and times as reports show them.

use situ_engine::model::Model;

/// The shortest decimal that reads back to the same bits; very large and very small numbers with
/// an exponent.
pub(super) fn number(value: f64) -> String {
    let plain = value == 0.0 || !value.is_finite() || (1e-5..1e16).contains(&value.abs());
    if plain {
        format!("{value}")
    } else {
        format!("{value:e}")
    }
}

/// A time for people, with the digits that it deserves: one that is short, such as that of a tick, as it is; of one that
/// was located the first six digits, as of values, or all before the point: the others say nothing at the usual tolerances.
pub fn time_text(time: f64) -> String {
    /// Digits up to which a time is short: a thousand million ticks are told apart.
    const SHORT: usize = 9;
    /// Digits of a time that was located.
    const LOCATED: usize = 6;
    if !time.is_finite() {
        return number(time);
    }
    let all = rounded(time) + 0.0;
    let scientific = format!("{:e}", all.abs());
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    if mantissa.chars().filter(char::is_ascii_digit).count() <= SHORT {
        return number(all);
    }
    let before_point = exponent.parse::<usize>().map_or(0, |exponent| exponent + 1);
    let decimals = LOCATED.max(before_point) - 1;
    let located = format!("{time:.decimals$e}").parse();
    number(located.unwrap_or(all))
}

/// A time or a length of time of a model's run, with its unit if the clock states one.
pub(super) fn time(model: &Model, time: f64) -> String {
    let shown = time_text(time);
    match model.clock.time_unit() {
        "" => shown,
        unit => format!("{shown} {unit}"),
    }
}

/// Without the last digits, in which `tick * step` may be off.
pub(super) fn rounded(time: f64) -> f64 {
    format!("{time:.11e}")
        .parse()
        .expect("a formatted number reads back")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_the_digits_they_deserve() {
        for (time, expected) in [
            (0.0, "0"),
            (-0.0, "0"),
            (0.1 + 0.2, "0.3"),
            (100.0, "100"),
            (2.5e-9, "2.5e-9"),
            // A tick of a long run.
            (999_999.999, "999999.999"),
            (1e9, "1000000000"),
            // An impact: sqrt(2 / 9.81).
            (0.451_523_640_985_728_1, "0.451524"),
            (-2.886_579_864_025_407e-14, "-2.88658e-14"),
            (2.000_000_000_000_028_4, "2"),
            (123_456_789.123_456_79, "123456789"),
            (f64::NAN, "NaN"),
            (f64::INFINITY, "inf"),
        ] {
            assert_eq!(time_text(time), expected);
        }
    }
}
