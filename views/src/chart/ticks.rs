//! Ticks: where an axis is marked, and with what text.

use super::extent::Extent;
use super::superscript;

/// Marks of one axis.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Ticks {
    /// Value and text of each mark, in order.
    pub(super) marks: Vec<(f64, String)>,
    /// The texts count multiples of ten to this power.
    pub(super) exponent: i32,
    /// Places of marks without a text.
    pub(super) minor: Vec<f64>,
}

/// The finest marks at multiples of 1, 2 or 5 times a power of ten, at most `at_most` of them; a few
/// more if there would be less than three otherwise.
///
/// Values of 10^5 and more or all below 10^-3 are counted in a power of ten divisible by three,
/// unless that takes more than two decimals.
pub(super) fn ticks(extent: &Extent, at_most: usize) -> Ticks {
    let (base, power) = step(extent, at_most.max(1));
    let exponent = common_exponent(extent, power);
    let decimals = usize::try_from(exponent - power).unwrap_or(0);
    let (first, last) = multiples(extent, base, power);
    let mut marks = Vec::new();
    // A range far from zero and very narrow has steps below its rounding: then `first + 1` may be
    // `first` again, and the count bounds the loop.
    for index in 0..MOST {
        let multiple = first + f64::from(index);
        if multiple > last {
            break;
        }
        let scaled = times_power_of_ten(multiple * base, power - exponent);
        // Adding zero turns -0 into 0.
        let text = format!("{:.decimals$}", scaled + 0.0);
        marks.push((times_power_of_ten(multiple * base, power), text));
    }
    Ticks {
        marks,
        exponent,
        minor: Vec::new(),
    }
}

/// Marks of a logarithmic axis, whose extent is that of the logarithms: at powers of ten, between which their
/// multiples are marked without a text; at multiples, too, where there is only a decade or two.
pub(super) fn log_ticks(extent: &Extent, at_most: usize) -> Ticks {
    /// An axis over more than this has marks at powers of ten only.
    const FEW_DECADES: f64 = 2.0;
    /// An axis over less than this is as good as linear.
    const LEAST_SPAN: f64 = 0.7;
    let (low, high) = (extent.low, extent.high);
    if extent.span() < LEAST_SPAN && high < 300.0 && low > -300.0 {
        let mut marks = ticks(
            &Extent::between(10_f64.powf(low), 10_f64.powf(high)),
            at_most,
        );
        marks.marks.retain(|(value, _)| *value > 0.0);
        marks
            .marks
            .iter_mut()
            .for_each(|(value, _)| *value = value.log10());
        return marks;
    }
    let decades = (low.floor() as i32)..=(high.ceil() as i32);
    let n_decades = (high.floor() - low.ceil() + 1.0).max(1.0);
    let step = (n_decades / at_most.max(1) as f64).ceil() as i32;
    let labelled: &[f64] = match extent.span() {
        span if span < FEW_DECADES => &[1.0, 2.0, 5.0],
        _ => &[1.0],
    };
    let is_plain = low >= -3.1 && high < 5.0;
    let mut marks = Vec::new();
    let mut minor = Vec::new();
    let inside = |place: f64| (low - 1e-9..=high + 1e-9).contains(&place);
    for decade in decades {
        for multiple in 1..=9 {
            let multiple = f64::from(multiple);
            let place = f64::from(decade) + multiple.log10();
            let has_text = labelled.contains(&multiple) && decade.rem_euclid(step) == 0;
            if !inside(place) {
                continue;
            }
            if has_text {
                marks.push((place, power_text(multiple, decade, is_plain)));
            } else if step == 1 || multiple == 1.0 {
                minor.push(place);
            }
        }
    }
    Ticks {
        marks,
        exponent: 0,
        minor,
    }
}

/// `0.02` or `2·10⁻²`
fn power_text(multiple: f64, decade: i32, is_plain: bool) -> String {
    if is_plain {
        let decimals = usize::try_from(-decade).unwrap_or(0);
        return format!("{:.decimals$}", times_power_of_ten(multiple, decade));
    }
    let power: String = decade.to_string().chars().map(superscript).collect();
    match multiple {
        1.0 => format!("10{power}"),
        _ => format!("{multiple}·10{power}"),
    }
}

/// Marks of one axis, whatever is asked for.
const MOST: i32 = 50;

/// The finest step `base * 10^power` with at most `at_most` multiples in the range, or the next
/// finer one if that has only one or two.
fn step(extent: &Extent, at_most: usize) -> (f64, i32) {
    const ENOUGH: f64 = 3.0;
    let finest = (extent.span() / (at_most as f64 + 1.0)).log10().floor() as i32;
    let still_good = (at_most as f64 * 5.0 / 3.0).floor();
    let mut finer = None;
    for power in finest..=finest + 2 {
        for base in [1.0, 2.0, 5.0] {
            let (first, last) = multiples(extent, base, power);
            let count = last - first + 1.0;
            if count <= at_most as f64 {
                return finer.filter(|_| count < ENOUGH).unwrap_or((base, power));
            }
            finer = (count <= still_good).then_some((base, power));
        }
    }
    (5.0, finest + 2)
}

/// First and last multiple of the step inside the range.
fn multiples(extent: &Extent, base: f64, power: i32) -> (f64, f64) {
    // Ends that are multiples up to rounding count.
    const SLACK: f64 = 1e-9;
    let low = times_power_of_ten(extent.low, -power) / base;
    let high = times_power_of_ten(extent.high, -power) / base;
    ((low - SLACK).ceil(), (high + SLACK).floor())
}

/// `value * 10^power`, rounded once for the usual powers.
fn times_power_of_ten(value: f64, power: i32) -> f64 {
    match power {
        // 10^308 is the greatest power that is a number.
        ..=-309 => value / 1e308 / 10_f64.powi(-308 - power),
        -308..0 => value / 10_f64.powi(-power),
        0..=308 => value * 10_f64.powi(power),
        _ => value * 1e308 * 10_f64.powi(power - 308),
    }
}

/// The power of ten that the texts are counted in, for steps of `10^power`.
fn common_exponent(extent: &Extent, power: i32) -> i32 {
    let size = extent.low.abs().max(extent.high.abs());
    let magnitude = size.log10().floor() as i32;
    let exponent = 3 * magnitude.div_euclid(3);
    let is_plain = (-3..5).contains(&magnitude) || (magnitude > 0 && exponent - power > 2);
    if is_plain { 0 } else { exponent }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(low: f64, high: f64, at_most: usize) -> (String, i32) {
        let Ticks {
            marks, exponent, ..
        } = ticks(&Extent { low, high }, at_most);
        assert!((2..=at_most * 5 / 3).contains(&marks.len()), "{marks:?}");
        assert!(marks.is_sorted_by(|a, b| a.0 < b.0), "{marks:?}");
        (
            marks
                .into_iter()
                .map(|(_, text)| text)
                .collect::<Vec<_>>()
                .join(" "),
            exponent,
        )
    }

    #[test]
    fn marks_are_round() {
        for (low, high, at_most, expected, exponent) in [
            (0.0, 10.0, 6, "0 2 4 6 8 10", 0),
            (-1.2, 1.3, 6, "-1.0 -0.5 0.0 0.5 1.0", 0),
            (0.0, 0.3, 4, "0.0 0.1 0.2 0.3", 0),
            (0.0, 7.0, 8, "0 1 2 3 4 5 6 7", 0),
            (-981.5, 80_000.0, 5, "0 20000 40000 60000 80000", 0),
            (0.0, 234_567.0, 5, "0 50 100 150 200", 3),
            (0.0, 2.4e-4, 5, "0 50 100 150 200", -6),
            (0.0, 0.024, 3, "0.00 0.01 0.02", 0),
            (101_325.0, 101_325.4, 3, "101325.0 101325.2 101325.4", 0),
            (3.1, 3.9, 3, "3.2 3.4 3.6 3.8", 0),
            (-408.0, 438.0, 4, "-400 -200 0 200 400", 0),
            (-4e10, 9e10, 4, "0 50", 9),
        ] {
            assert_eq!(
                labels(low, high, at_most),
                (expected.to_owned(), exponent),
                "{low} .. {high}"
            );
        }
    }

    #[test]
    fn powers_of_ten_are_marked() {
        let texts = |low: f64, high: f64, at_most| {
            let Ticks { marks, minor, .. } = log_ticks(&Extent { low, high }, at_most);
            let places = marks
                .iter()
                .map(|(place, _)| *place)
                .chain(minor.iter().copied());
            for place in places {
                assert!((low - 1e-6..=high + 1e-6).contains(&place), "{place}");
            }
            let texts: Vec<String> = marks.into_iter().map(|(_, text)| text).collect();
            (texts.join(" "), minor.len())
        };
        let expected = |text: &str, minor| (text.to_owned(), minor);
        assert_eq!(texts(-2.1, 2.1, 6), expected("0.01 0.1 1 10 100", 34));
        assert_eq!(
            texts(-16.0, 0.0, 6),
            expected("10⁻¹⁵ 10⁻¹² 10⁻⁹ 10⁻⁶ 10⁻³ 10⁰", 11)
        );
        assert_eq!(texts(0.0, 1.0, 6), expected("1 2 5 10", 6));
        assert_eq!(texts(2.0, 2.2, 6), expected("100 110 120 130 140 150", 0));
        assert_eq!(
            texts(5.5, 7.0, 6),
            expected("5·10⁵ 10⁶ 2·10⁶ 5·10⁶ 10⁷", 11)
        );
    }

    #[test]
    fn any_range_has_marks_inside() {
        for (low, high) in [
            (-f64::MAX / 4.0, f64::MAX / 4.0),
            (0.0, 1e-300),
            (0.0, 3e-308),
            (1e15, 1e15 + 2.0),
            (9.81, 9.81 + 2e-11),
            (-1e-20, 1e5),
            (5e-324, 1.0),
        ] {
            let Ticks { marks, .. } = ticks(&Extent { low, high }, 5);
            assert!((2..=9).contains(&marks.len()), "{low} .. {high}: {marks:?}");
            let slack = 1e-6 * (high - low);
            assert!(
                marks
                    .iter()
                    .all(|(at, _)| (low - slack..=high + slack).contains(at)),
                "{low} .. {high}: {marks:?}"
            );
        }
    }
}
