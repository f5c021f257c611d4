//! Reports on rows that are written as in other languages.

use situ_words::{phrase, say};

use crate::diag::Diagnostic;
use crate::parse::report::{bad_number, foreign, missing_operator};
use crate::source::{SourceMap, Span};
use crate::tree::Table;

/// `3 T = ..`
pub(super) fn id_without_brackets(id: &str, span: Span) -> Diagnostic {
    Diagnostic::error("P022", say!("foreign-id-without-brackets", id), span).with_edit(
        say!("foreign-id-without-brackets.help", id),
        span,
        format!("[{id}] "),
    )
}

/// `x = a ? b : c`
pub(super) fn choice(
    target: &str,
    condition: &str,
    first: &str,
    second: &str,
    span: Span,
) -> Diagnostic {
    let report = Diagnostic::error("P013", say!("foreign-choice"), span);
    let nests = [first, second]
        .iter()
        .any(|part| part.contains(['?']) || part.contains("else"));
    report.with_help(
        match nests || condition.contains(['|', '=']) || second.is_empty() {
            true => say!("foreign-choice.help"),
            false => say!(
                "foreign-choice.write-two-rows",
                target,
                first,
                condition,
                second
            ),
        },
    )
}

/// `5%`
pub(super) fn percent(number: &str, span: Span) -> Diagnostic {
    let report = bad_number(
        &format!("{number}%"),
        phrase!("phrase-no-percent-sign"),
        span,
    );
    match number.parse::<f64>() {
        Ok(value) => {
            let meant = format!("{}", value / 100.0);
            report.with_edit(say!("foreign-write", meant), span, meant)
        }
        Err(_) => report,
    }
}

/// `3 +- 5%`
pub(super) fn percent_of(number: &str, value: &str, span: Span) -> Diagnostic {
    let written = format!("{number}%");
    let report = bad_number(&written, phrase!("phrase-no-percent-sign"), span);
    match number.parse::<f64>() {
        Ok(part) if is_value(value) => {
            let meant = format!("{} * {value}", part / 100.0);
            report.with_edit(say!("foreign-write", meant), span, meant)
        }
        _ => report.with_help(say!("foreign-percent-of", value)),
    }
}

/// True of a number or name, which needs no parentheses in a product.
fn is_value(text: &str) -> bool {
    text.chars()
        .all(|c| c.is_alphanumeric() || "._".contains(c))
}

/// `45°`
pub(super) fn degrees(number: &str, is_number: bool, span: Span) -> Diagnostic {
    let help = phrase!("phrase-sind-cosd-tand");
    match is_number {
        true => bad_number(
            &format!("{number}°"),
            phrase!("phrase-no-degree-sign"),
            span,
        )
        .with_help(help),
        false => foreign("°", "", Some(help), span),
    }
}

/// `20 degC`
pub(super) fn unit_behind_number(number: &str, unit: &str, span: Span) -> Diagnostic {
    let message = say!("foreign-unit-behind-number", unit, number);
    Diagnostic::error("P026", message, span)
        .with_note(say!("foreign-unit-behind-number.note"))
        .with_help(say!("foreign-unit-behind-number.help"))
}

/// Offers a product where what stands behind a number is the name of a quantity: `2m`.
pub(in crate::parse) fn products(table: &Table, sources: &SourceMap, found: &mut [Diagnostic]) {
    let quantities = || table.constants.iter().chain(&table.reals);
    for report in found {
        let place = report.primary.as_ref().map(|label| label.span);
        let (Some(place), "P026", None) = (place, report.code, &report.edit) else {
            continue;
        };
        let written = sources.text(place);
        let name = written.trim_start();
        if quantities().any(|quantity| quantity.name.value == name) {
            let begin = place.start as usize;
            let gap = Span::new(place.source, begin, begin + written.len() - name.len());
            let before = &sources.get(place.source).text[..begin];
            let number = before.rsplit(|c: char| !c.is_alphanumeric() && c != '.');
            let number = number.into_iter().next().unwrap_or_default();
            let span = Span {
                start: gap.end,
                ..place
            };
            *report = missing_operator(number, name, gap, span);
        }
    }
}

/// `5k`
pub(super) fn prefix(digits: &str, letter: &str, exponent: usize, span: Span) -> Diagnostic {
    let meant = format!("{digits}e{exponent}");
    let why = say!("foreign-prefix.why", letter);
    bad_number(&format!("{digits}{letter}"), &why, span)
        .with_note(say!("foreign-prefix.note", letter, digits))
        .with_edit(say!("foreign-write", meant), span, meant)
}

/// `5x10`
pub(super) fn power_of_ten(written: &str, digits: &str, exponent: &str, span: Span) -> Diagnostic {
    let meant = format!("{digits}e{exponent}");
    bad_number(written, phrase!("phrase-power-ten-follows"), span).with_edit(
        say!("foreign-write", meant),
        span,
        meant,
    )
}

/// `x = 2 * y // twice`
pub(super) fn comment(is_line: bool, span: Span) -> Diagnostic {
    let sign = if is_line { "//" } else { "/*" };
    let report = Diagnostic::error("P013", say!("foreign-comment", sign), span);
    let help = say!("foreign-comment.help");
    match is_line {
        true => report
            .with_note(say!("foreign-comment.note"))
            .with_edit(help, span, "#"),
        false => report.with_help(help),
    }
}

/// `x: 2 * y` among the relations, `high = x > 2` among the ranges.
pub(super) fn sign_of_another_list(list: &str, sign: &str, span: Span) -> Diagnostic {
    let (row, meant) = match list {
        "relations" => (phrase!("phrase-relation"), "="),
        "ranges" => (phrase!("phrase-range"), ":"),
        _ => (phrase!("phrase-situation"), ":"),
    };
    Diagnostic::error(
        "P013",
        say!("foreign-sign-of-another-list", row, meant, sign),
        span,
    )
    .with_edit(say!("foreign-write", meant), span, meant)
}

/// `low: x = 2` among the relations
pub(super) fn condition_in_front(condition: &str, row: &str, span: Span) -> Diagnostic {
    let report = Diagnostic::error("P013", say!("foreign-condition-in-front"), span);
    let meant = format!("{row} when {condition}");
    match row.contains(" when ") || row.contains(" otherwise") {
        true => report,
        false => report.with_edit(say!("ron-write", meant), span, &meant),
    }
}

/// `pump = true`
pub(in crate::parse) fn truth_compared(meant: &str, span: Span) -> Diagnostic {
    Diagnostic::error("P013", say!("parse-truth-compared"), span).with_edit(
        say!("ron-write", meant),
        span,
        meant,
    )
}

/// `der(x) = f`
pub(super) fn rate_on_the_left(real: &str, value: &str, left: Span, row: Span) -> Diagnostic {
    let message = say!("foreign-rate-on-the-left", real);
    let value = integrated(value).unwrap_or(value);
    Diagnostic::error("P011", message, left).with_edit(
        say!("foreign-rate-on-the-left.help"),
        row,
        format!("{real} = integral({value})"),
    )
}

/// What is integrated by a value that is one integral.
fn integrated(value: &str) -> Option<&str> {
    let inside = value.strip_prefix("integral(")?.strip_suffix(')')?;
    let mut depth = 0_i32;
    let is_one = inside.chars().all(|c| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        depth >= 0
    });
    is_one.then_some(inside)
}
