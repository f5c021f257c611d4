//! Reports on rows that are written as in other languages.

use crate::diag::Diagnostic;
use crate::parse::report::{bad_number, foreign};
use crate::source::Span;

/// `3 T = ..`
pub(super) fn id_without_brackets(id: &str, span: Span) -> Diagnostic {
    Diagnostic::error(
        "P022",
        format!("the id `{id}` stands without its brackets"),
        span,
    )
    .with_edit(format!("write `[{id}]`"), span, format!("[{id}] "))
}

/// `x = a ? b : c`
pub(super) fn choice(
    target: &str,
    condition: &str,
    first: &str,
    second: &str,
    span: Span,
) -> Diagnostic {
    let report = Diagnostic::error(
        "P013",
        "a row has one value; which row holds is said by `when`",
        span,
    );
    let nests = [first, second]
        .iter()
        .any(|part| part.contains(['?']) || part.contains("else"));
    report.with_help(match nests || condition.contains(['|', '=']) || second.is_empty() {
        true => "write a row for each value, `x = a when condition`, and a last one `x = b otherwise`".to_owned(),
        false => format!(
            "write two rows: `{target} = {first} when {condition}` and `{target} = {second} otherwise`"
        ),
    })
}

/// `5%`
pub(super) fn percent(number: &str, span: Span) -> Diagnostic {
    let report = bad_number(&format!("{number}%"), "there is no percent sign", span);
    match number.parse::<f64>() {
        Ok(value) => {
            let meant = format!("{}", value / 100.0);
            report.with_edit(format!("write `{meant}`"), span, meant)
        }
        Err(_) => report,
    }
}

/// `45°`
pub(super) fn degrees(number: &str, is_number: bool, span: Span) -> Diagnostic {
    let help = "`sind`, `cosd` and `tand` take degrees; elsewhere write `* pi / 180`";
    match is_number {
        true => {
            bad_number(&format!("{number}°"), "there is no sign for degrees", span).with_help(help)
        }
        false => foreign("°", "", help, span),
    }
}

/// `20 degC`
pub(super) fn unit_behind_number(number: &str, unit: &str, span: Span) -> Diagnostic {
    let message = format!("the unit `{unit}` stands behind the number `{number}`");
    Diagnostic::error("P026", message, span)
        .with_note("if a product is meant, write `*` between them")
        .with_edit("leave the unit out: numbers in rows have none", span, "")
}

/// `5k`
pub(super) fn prefix(digits: &str, letter: &str, exponent: usize, span: Span) -> Diagnostic {
    let meant = format!("{digits}e{exponent}");
    let why = format!("`{letter}` does not stand for a power of ten");
    bad_number(&format!("{digits}{letter}"), &why, span)
        .with_note(format!(
            "if a product with `{letter}` is meant, write `{digits} * {letter}`"
        ))
        .with_edit(format!("write `{meant}`"), span, meant)
}

/// `5x10`
pub(super) fn power_of_ten(written: &str, digits: &str, exponent: &str, span: Span) -> Diagnostic {
    let meant = format!("{digits}e{exponent}");
    bad_number(written, "the power of ten follows an `e`", span).with_edit(
        format!("write `{meant}`"),
        span,
        meant,
    )
}

/// `x: 2 * y` among the relations, `high = x > 2` among the ranges.
pub(super) fn sign_of_another_list(list: &str, sign: &str, span: Span) -> Diagnostic {
    let (row, meant) = match list {
        "relations" => ("a relation", "="),
        "ranges" => ("a range", ":"),
        _ => ("a situation", ":"),
    };
    Diagnostic::error(
        "P013",
        format!("{row} is written with `{meant}`, not with `{sign}`"),
        span,
    )
    .with_edit(format!("write `{meant}`"), span, meant)
}

/// `sin[x]`
pub(super) fn arguments_in_brackets(procedure: &str, arguments: &str, span: Span) -> Diagnostic {
    let message = format!("the arguments of `{procedure}` stand in round parentheses");
    Diagnostic::error("P013", message, span).with_edit(
        "write `(` and `)`",
        span,
        format!("{procedure}({arguments})"),
    )
}

/// `der(x) = f`
pub(super) fn rate_on_the_left(real: &str, value: &str, left: Span, row: Span) -> Diagnostic {
    let message = format!("a row gives a real and not its rate: `{real}` is the integral of it");
    Diagnostic::error("P011", message, left).with_edit(
        "write the integral",
        row,
        format!("{real} = integral({value})"),
    )
}
