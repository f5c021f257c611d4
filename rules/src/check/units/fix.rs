//! Factors that make the units of rows agree, and where they go in the text.

use std::f64::consts::PI;

use situ_engine::model::Model;

use super::agreement::{Disagreement, Judged};
use super::place::{self, Place};
use super::rows::{Row, Rows};
use crate::check::Watchers;
use crate::diag::Edit;
use crate::source::{Origins, SourceMap};
use crate::tree::Table;

/// The changes of the text of a table that multiply what its units lack a factor of; what is not found as it stands is
/// left alone.
pub(crate) fn unit_factors(
    model: &Model,
    watchers: Watchers<'_>,
    origins: &Origins,
    sources: &SourceMap,
    table: &Table,
) -> Vec<Edit> {
    let start = model.start_values().ok();
    let mut rows = Rows::new(model, start.as_ref(), watchers);
    rows.look();
    let roots = place::roots(table);
    let edits = rows.found.iter().filter_map(|found| {
        let (side, factor) = found.converted()?;
        let row = rows.place(found.row, origins)?;
        // What a row depends on is judged for itself.
        let is_relation = matches!(rows.rows[found.row], Row::Relation(_));
        let own = roots
            .iter()
            .filter(|place| place.is_in(row) && !(is_relation && place.in_condition));
        let place = operand(found, side, own.copied())?;
        let span = place.expr.span;
        let replacement = place.times(&written(factor), sources.text(span));
        Some(Edit { span, replacement })
    });
    edits.collect()
}

/// The place of what is multiplied in a row.
fn operand<'t>(
    found: &Disagreement,
    side: &str,
    own: impl Iterator<Item = Place<'t>> + Clone,
) -> Option<Place<'t>> {
    // A number in front of the right side is no word of it.
    let is_value = found.judged == Judged::Value && side == found.right.0;
    let whole = own.clone().find(|place| is_value && place.is_value);
    whole.or_else(|| place::find(own, side))
}

/// A factor as one writes it, exactly: a short decimal, a ratio of whole numbers, the same times or through pi; else with all of
/// its digits.
pub(super) fn written(factor: f64) -> String {
    // Sizes of units are known as logarithms.
    let is_factor = |value: f64| (value / factor - 1.0).abs() <= 1e-13;
    let decimal = format!("{factor:.9e}").parse().unwrap_or(factor);
    if is_factor(decimal) {
        return number(decimal);
    }
    let ratio = |factor: f64| {
        let whole = |below: &f64| {
            let above = (factor * below).round();
            (1.0..=1e4).contains(&above) && (above / below / factor - 1.0).abs() <= 1e-13
        };
        let prefixes = [1.0, 1e3, 1e6, 1e9].into_iter();
        let mut below =
            prefixes.flat_map(|prefix| (1..=86_400).map(move |below| prefix * f64::from(below)));
        let below = below.find(whole)?;
        Some(((factor * below).round(), below))
    };
    if let Some((above, below)) = ratio(factor) {
        return format!("{above} / {below}");
    }
    if let Some((above, below)) = ratio(factor / PI) {
        return match (above == 1.0, below == 1.0) {
            (true, true) => "pi".to_owned(),
            (true, false) => format!("pi / {below}"),
            (false, true) => format!("{above} * pi"),
            (false, false) => format!("{above} / {below} * pi"),
        };
    }
    if let Some((above, below)) = ratio(factor * PI) {
        return match below == 1.0 {
            true => format!("{above} / pi"),
            false => format!("{above} / {below} / pi"),
        };
    }
    number(factor)
}

/// A number, with an exponent where it would have many zeros.
fn number(value: f64) -> String {
    match (1e-4..1e7).contains(&value) {
        true => value.to_string(),
        false => format!("{value:e}"),
    }
}

#[cfg(test)]
mod tests {
    use super::{PI, written};

    #[test]
    fn factors_are_written_exactly() {
        let check = |factor: f64, expected: &str| {
            // As it comes from the logarithms of two units.
            assert_eq!(written(factor.ln().exp()), expected, "{factor}");
        };
        check(0.01, "0.01");
        check(1000.0, "1000");
        check(0.0254, "0.0254");
        check(1.0 / 3600.0, "1 / 3600");
        check(5.0 / 18.0, "5 / 18");
        check(1.0 / 3.6e6, "1 / 3600000");
        check(1e-9, "1e-9");
        check(PI / 180.0, "pi / 180");
        check(180.0 / PI, "180 / pi");
        check(2.0 * PI, "2 * pi");
        check(PI / 30.0, "pi / 30");
        check(0.5 / PI, "1 / 2 / pi");
        assert_eq!(written(0.123_456_789_012_345_6), "0.1234567890123456");
    }
}
