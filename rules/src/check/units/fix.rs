//! Factors that make the units of rows agree, and where they go in the text.

use std::f64::consts::PI;

use situ_engine::model::Model;

use super::agreement::Mismatch;
use super::rows::Rows;
use crate::check::Watchers;
use crate::diag::Edit;
use crate::source::{Origins, SourceMap, Span};

/// The changes of the text that multiply the right sides of rows and expectations by what their units lack; those whose
/// right side is not found as it stands are left alone.
pub fn unit_factors(
    model: &Model,
    watchers: Watchers<'_>,
    origins: &Origins,
    sources: &SourceMap,
) -> Vec<Edit> {
    let start = model.start_values().ok();
    let mut rows = Rows::new(model, start.as_ref(), watchers);
    rows.look();
    let found = std::mem::take(&mut rows.found);
    let edits = found.iter().filter_map(|found| {
        let Mismatch::Scale(scale) = found.mismatch else {
            return None;
        };
        let row = rows.place(found.row, origins)?;
        let (side, factor) = found.converted(scale)?;
        let side = side.trim_matches('`');
        let (start, end) = place(sources.text(row), side)?;
        let written = &sources.text(row)[start..end];
        let factor = self::written(factor);
        let replacement = match written.contains(['+', '-']) {
            true => format!("{factor} * ({written})"),
            false => format!("{factor} * {written}"),
        };
        let at = row.start as usize;
        let span = Span::new(row.source, at + start, at + end);
        Some(Edit { span, replacement })
    });
    edits.collect()
}

/// A factor as one writes it, exactly: a short decimal, a ratio of whole numbers, the same times or through pi; else with all of
/// its digits.
pub(super) fn written(factor: f64) -> String {
    // Sizes of units are known as logarithms.
    let is_factor = |value: f64| (value / factor - 1.0).abs() <= 1e-13;
    let decimal = format!("{factor:.9e}").parse().unwrap_or(factor);
    if is_factor(decimal) {
        return decimal.to_string();
    }
    let ratio = |factor: f64| {
        let whole = |below: &f64| {
            let above = (factor * below).round();
            (1.0..=1e4).contains(&above) && (above / below / factor - 1.0).abs() <= 1e-13
        };
        let below = (1..=86_400).map(f64::from).find(whole)?;
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
    factor.to_string()
}

/// The place of an expression in a row behind its sign, or in a schedule, however it is spaced; `None` if it stands there twice or not at all.
fn place(row: &str, side: &str) -> Option<(usize, usize)> {
    let sign = row.find(['=', ':', '<', '>']).map_or(0, |sign| sign + 1);
    let wanted: Vec<char> = side.chars().filter(|c| !c.is_whitespace()).collect();
    let rest: Vec<(usize, char)> = row[sign..]
        .char_indices()
        .filter(|(_, c)| !c.is_whitespace())
        .map(|(at, c)| (sign + at, c))
        .collect();
    let is_word =
        |c: Option<&(usize, char)>| c.is_some_and(|(_, c)| c.is_alphanumeric() || *c == '_');
    let fits = |from: &usize| {
        let until = from + wanted.len();
        let same = rest[*from..until]
            .iter()
            .map(|(_, c)| *c)
            .eq(wanted.iter().copied());
        same && !is_word(from.checked_sub(1).and_then(|before| rest.get(before)))
            && !is_word(rest.get(until))
    };
    let last = rest.len().checked_sub(wanted.len())?;
    let mut found = (0..=last).filter(fits);
    let (first, None) = (found.next()?, found.next()) else {
        return None;
    };
    let (end, c) = rest[first + wanted.len() - 1];
    Some((rest[first].0, end + c.len_utf8()))
}

#[cfg(test)]
mod tests {
    use super::{PI, place, written};

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
        check(PI / 180.0, "pi / 180");
        check(180.0 / PI, "180 / pi");
        check(2.0 * PI, "2 * pi");
        check(PI / 30.0, "pi / 30");
        check(0.5 / PI, "1 / 2 / pi");
        assert_eq!(written(0.123_456_789_012_345_6), "0.1234567890123456");
    }

    #[test]
    fn an_expression_is_found_however_it_is_spaced() {
        let check = |row: &str, side: &str, expected: Option<&str>| {
            let found = place(row, side).map(|(start, end)| &row[start..end]);
            assert_eq!(found, expected, "{row}");
        };
        check("h = d", "d", Some("d"));
        check("[d] h = 2*d + x", "2 * d", Some("2*d"));
        check("h = d + d", "d", None);
        check("h = day", "d", None);
        check("every(2 * T)", "2*T", Some("2 * T"));
        check("high: p > p0", "p0", Some("p0"));
    }
}
