//! Factors that make the units of rows agree, and where they go in the text.

use situ_engine::model::Model;

use super::agreement::Mismatch;
use super::rounded;
use super::rows::Rows;
use crate::diag::Edit;
use crate::source::{Origins, SourceMap, Span};

/// The changes of the text that multiply the right sides of rows by what their units lack; rows whose right side is not
/// found as it stands are left alone.
pub fn unit_factors(model: &Model, origins: &Origins, sources: &SourceMap) -> Vec<Edit> {
    let start = model.start_values().ok();
    let mut rows = Rows::new(model, start.as_ref(), &[]);
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
        let factor = rounded(factor);
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
    use super::place;

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
