//! Numbers of the command line.

use std::ops::RangeInclusive;

use situ_words::say;

/// Up to here every whole number is a double.
const MOST_WHOLE: f64 = 9_007_199_254_740_992.0;

/// Reads a number with its sign. Whether it may be negative is for the run's settings to say, in words:
/// what begins with a minus would else be taken for an option.
pub(in crate::command) fn number(text: &str) -> Result<f64, String> {
    text.parse()
        .map_err(|_| say!("cli-number.number-needed-like"))
}

/// Reads whole numbers of a range, in any spelling: `1000`, `1e3`.
pub(in crate::command) fn whole<T: TryFrom<u64>>(
    range: RangeInclusive<u64>,
) -> impl Fn(&str) -> Result<T, String> + Clone {
    move |text| {
        let spelt = || {
            let number = text.parse::<f64>().ok()?;
            let is_whole = number.fract() == 0.0 && (0.0..=MOST_WHOLE).contains(&number);
            is_whole.then(|| format!("{number:.0}").parse().ok())?
        };
        text.parse()
            .ok()
            .or_else(spelt)
            .filter(|number| range.contains(number))
            .and_then(|number| T::try_from(number).ok())
            .ok_or_else(|| {
                let from = range.start();
                let is_beyond = text.parse().is_ok_and(|number: f64| number > MOST_WHOLE);
                match *range.end() {
                    u64::MAX if is_beyond => {
                        let to = format!("{MOST_WHOLE:.0}");
                        say!("cli-whole.whole-number-needed-2", from, to)
                    }
                    u64::MAX => say!("cli-whole.whole-number-needed", from),
                    to => say!("cli-whole.whole-number-needed-2", from, to),
                }
            })
    }
}

/// A budget as a setting of the clock; where a double has no room for all digits a few more or less do not matter.
#[expect(clippy::cast_precision_loss, reason = "see above")]
pub(super) fn as_number(count: u64) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_are_read_in_any_spelling() {
        let read = whole::<u16>(1..=1024);
        assert_eq!(read("16"), Ok(16));
        assert_eq!(read("1e3"), Ok(1000));
        for wrong in ["0", "1025", "1.5", "-1", "1e4", "nan", "inf", "x", ""] {
            let said = read(wrong).unwrap_err();
            assert_eq!(said, "a whole number from 1 to 1024 is needed", "{wrong}");
        }
        let read = whole::<u64>(0..=u64::MAX);
        assert_eq!(read("18446744073709551615"), Ok(u64::MAX));
        let said = read("1e20").unwrap_err();
        assert_eq!(said, "a whole number from 0 to 9007199254740992 is needed");
    }
}
