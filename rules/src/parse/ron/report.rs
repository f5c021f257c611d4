//! Reports on texts that are no RON: one function per mistake, each the only place that words it.

use situ_words::{Phrase, phrase, say};

use crate::diag::Diagnostic;
use crate::parse::report::{bad_number, foreign};
use crate::source::Span;

fn error(message: impl Into<String>, span: Span) -> Diagnostic {
    Diagnostic::error("P001", message, span)
}

/// What a table is, for those that are none.
const TABLE: Phrase = phrase!("ron-a-table");

/// Bytes that are no text.
pub(super) fn no_text(span: Span) -> Diagnostic {
    error(say!("ron-no-text"), span).with_help(TABLE)
}

/// Text of a format that has a name of its own.
pub(super) fn other_format(format: &str, span: Span) -> Diagnostic {
    error(say!("ron-other-format", format), span).with_help(TABLE)
}

/// `{format: 1}`
pub(super) fn braces_around(span: Span) -> Diagnostic {
    error(say!("ron-braces-around"), span).with_help(say!("ron-braces-around.help"))
}

/// `format: 1, ..`
pub(super) fn no_parentheses(span: Span) -> Diagnostic {
    error(say!("ron-no-parentheses"), span)
        .at(span, say!("ron-no-parentheses.label"))
        .with_help(say!("ron-no-parentheses.help"))
}

/// A table as it stands in a text of Markdown.
pub(super) fn fence(span: Span) -> Diagnostic {
    error(say!("ron-fence"), span).with_help(say!("ron-fence.help"))
}

/// `,,`
pub(super) fn two_commas(span: Span) -> Diagnostic {
    error(say!("ron-two-commas"), span).with_edit(say!("ron-leave-out"), span, "")
}

/// `::`
pub(super) fn two_colons(span: Span) -> Diagnostic {
    error(say!("ron-stray-colon"), span).with_edit(say!("ron-leave-out"), span, "")
}

/// `},.`
pub(super) fn stray_point(span: Span) -> Diagnostic {
    error(say!("ron-stray-point"), span).with_edit(say!("ron-leave-out"), span, "")
}

/// `(: 1)`
pub(super) fn no_name(span: Span) -> Diagnostic {
    error(say!("ron-no-name"), span)
}

/// `start: ,`
pub(super) fn no_value(name: &str, span: Span) -> Diagnostic {
    let name = name.trim_matches('"');
    error(say!("ron-no-value", name), span).at(span, say!("ron-no-value.label"))
}

/// `"a" 1`
pub(super) fn no_colon(name: &str, span: Span) -> Diagnostic {
    let name = name.trim_matches('"');
    error(say!("ron-no-colon", name), span)
        .at(span, say!("ron-no-colon.label"))
        .with_edit(say!("ron-no-colon.help"), span, ":")
}

/// `"a" = 1`
pub(super) fn equals(sign: &str, span: Span) -> Diagnostic {
    error(say!("ron-equals", sign), span).with_edit(say!("ron-equals.help"), span, ":")
}

/// `[1: 2]`
pub(super) fn stray_colon(span: Span) -> Diagnostic {
    error(say!("ron-stray-colon"), span).with_help(say!("ron-stray-colon.help"))
}

/// Two entries without a comma between them.
pub(super) fn missing_comma(what: &str, behind: Span, next: Span) -> Diagnostic {
    error(say!("ron-missing-comma", what), behind)
        .at(behind, say!("ron-missing-comma.label"))
        .also(next, say!("ron-missing-comma.also"))
        .with_edit(say!("ron-missing-comma.help"), behind, ",")
}

/// `;` for `,`
pub(super) fn semicolon(span: Span) -> Diagnostic {
    foreign(";", ",", None, span)
}

/// A sign that looks like one of RON: `：` for `:`.
pub(super) fn instead(sign: char, meant: &str, span: Span) -> Diagnostic {
    foreign(&sign.to_string(), meant, None, span)
}

/// A comment as other languages write it.
pub(super) fn comment(sign: &str, span: Span) -> Diagnostic {
    let sign = sign.trim_end();
    let message = say!("ron-comment", sign);
    Diagnostic::error("P013", message, span).with_edit(say!("ron-comment.help"), span, "//")
}

/// `--1`
pub(super) fn two_signs(number: &str, span: Span) -> Diagnostic {
    let (written, meant) = (format!("--{number}"), format!("-{number}"));
    error(say!("ron-two-signs", written), span).with_help(say!("ron-two-signs.help", meant))
}

/// A bracket that is never closed, or too late.
pub(super) fn not_closed(
    bracket: u8,
    missing: &str,
    at: Span,
    opened: Span,
    at_end: bool,
) -> Diagnostic {
    let bracket = char::from(bracket);
    let message = match at_end {
        true => say!("ron-not-closed", bracket),
        false => say!("ron-not-closed.not-closed", bracket),
    };
    error(message, at)
        .at(at, say!("ron-not-closed.label", missing))
        .also(opened, say!("ron-opened-here"))
        .with_edit(say!("ron-not-closed.help", missing), at, missing)
}

/// `[1)`
pub(super) fn wrong_bracket(
    open: u8,
    [found, wanted]: [u8; 2],
    span: Span,
    opened: Span,
) -> Diagnostic {
    let [open, found, wanted] = [open, found, wanted].map(char::from);
    error(say!("ron-wrong-bracket", open, found), span)
        .at(span, say!("ron-wrong-bracket.label", wanted))
        .also(opened, say!("ron-opened-here"))
        .with_edit(say!("ron-wrong-bracket.help", wanted), span, wanted)
}

/// A closing bracket without a partner.
pub(super) fn closes_nothing(span: Span) -> Diagnostic {
    error(say!("ron-closes-nothing"), span).with_edit(say!("ron-leave-out"), span, "")
}

/// The table's bracket is closed, and its fields go on.
pub(super) fn closes_early(span: Span, rest: Span) -> Diagnostic {
    error(say!("ron-closes-early"), span)
        .also(rest, say!("ron-closes-early.also"))
        .with_help(say!("ron-closes-early.help"))
}

/// Text behind the table.
pub(super) fn behind_the_table(span: Span) -> Diagnostic {
    error(say!("ron-table-ends-before"), span).with_help(say!("ron-behind-the-table.help"))
}

/// A point or another sign behind the table.
pub(super) fn sign_behind_the_table(span: Span) -> Diagnostic {
    error(say!("ron-table-ends-before"), span).with_edit(say!("ron-leave-out"), span, "")
}

/// `ranges: {"a: b < c"}`
pub(super) fn takes_brackets(field: &str, span: Span) -> Diagnostic {
    error(say!("ron-takes-brackets", field), span).with_help(say!("ron-takes-brackets.help"))
}

/// `reals: ("x": 1)`
pub(super) fn takes_braces(field: &str, span: Span) -> Diagnostic {
    error(say!("ron-takes-braces", field), span).with_help(say!("ron-write-lb-here"))
}

/// `clock: step: 1)`
pub(super) fn takes_parentheses(field: &str, span: Span) -> Diagnostic {
    error(say!("ron-takes-parentheses", field), span).with_help(say!("ron-takes-parentheses.help"))
}

/// `reals: ["x": 1]`
pub(super) fn names_in_list(field: &str, span: Span) -> Diagnostic {
    match field {
        "" => error(say!("ron-names-in-list"), span).with_help(say!("ron-write-lb-here")),
        field => takes_braces(field, span),
    }
}

/// `("format": 1)`
pub(super) fn quoted_field(written: &str, span: Span) -> Diagnostic {
    let name = written.trim_matches(['"', '\'']);
    let report = error(say!("ron-quoted-field"), span);
    match crate::lex::is_plain_name(name) {
        true => report.with_edit(say!("ron-quoted-field.help-write", name), span, name),
        false => error(say!("ron-quoted-field.name-field"), span)
            .with_help(say!("ron-quoted-field.help-fields-parentheses")),
    }
}

/// `{1, 2}`
pub(super) fn name_is_a_number(written: &str, span: Span) -> Diagnostic {
    error(say!("ron-name-is-a-number", written), span).with_help(say!("ron-name-is-a-number.help"))
}

/// `9,81`; `grouped`: the number without the comma, if it may separate thousands.
pub(super) fn decimal_comma(number: Span, comma: Span, grouped: Option<&str>) -> Diagnostic {
    let report = error(say!("ron-decimal-comma"), number);
    match grouped {
        Some(grouped) => report
            .with_note(say!("ron-decimal-comma.note", grouped))
            .with_edit(say!("ron-decimal-comma.help"), comma, "."),
        None => report.with_edit(say!("ron-decimal-comma.help"), comma, "."),
    }
}

/// A quote that is closed nowhere.
pub(super) fn unclosed_quote(open: Span, end: Span) -> Diagnostic {
    error(say!("ron-unclosed-quote"), open).also(end, say!("ron-unclosed-quote.also"))
}

/// A string that goes on over the end of its line, or into the next field.
pub(super) fn no_closing_quote(string: Span, at: Span) -> Diagnostic {
    error(say!("ron-no-closing-quote"), string)
        .also(at, say!("ron-expected-here"))
        .with_edit(say!("ron-no-closing-quote.help"), at, "\"")
}

/// A string that begins without its quote.
pub(super) fn no_opening_quote(string: Span, at: Span) -> Diagnostic {
    error(say!("ron-no-opening-quote"), string)
        .also(at, say!("ron-expected-here"))
        .with_edit(say!("ron-no-opening-quote.help"), at, "\"")
}

/// `"a "b" c"`
pub(super) fn quotes_inside(span: Span) -> Diagnostic {
    error(say!("ron-quotes-inside"), span).with_help(say!("ron-quotes-inside.help"))
}

/// `“x = 1”`
pub(super) fn foreign_quotes(
    open: char,
    close: Option<char>,
    inside: &str,
    span: Span,
) -> Diagnostic {
    let message = match close {
        Some(close) if close != open && close != '"' => {
            say!("ron-foreign-quotes", open, close)
        }
        _ => say!("ron-foreign-quotes.not-quote", open),
    };
    let report = Diagnostic::error("P013", message, span);
    let help = say!("ron-foreign-quotes.help");
    match inside {
        "" => report.with_help(help),
        _ if !inside.contains(['"', '\\']) => report.with_edit(help, span, format!("\"{inside}\"")),
        _ => report.with_help(help),
    }
}

/// A row without quotes.
pub(super) fn unquoted_row(row: &str, span: Span) -> Diagnostic {
    let report = error(say!("ron-unquoted-row"), span);
    match row.contains(['"', '\\']) {
        true => report.with_help(say!("ron-unquoted-row.help-write-before")),
        false => report.with_edit(say!("ron-write-quotes"), span, format!("\"{row}\"")),
    }
}

/// `about: some text`
pub(super) fn unquoted_text(field: &str, written: &str, span: Span) -> Diagnostic {
    error(say!("ron-unquoted-text", field), span).with_edit(
        say!("ron-write-quotes"),
        span,
        format!("\"{written}\""),
    )
}

/// `start: 2 * x`
pub(super) fn unquoted_expression(written: &str, meant: &str, span: Span) -> Diagnostic {
    let report = error(say!("ron-unquoted-expression", written), span);
    match meant.contains(['"', '\\']) {
        true => report,
        false => report.with_edit(say!("ron-write-quotes"), span, format!("\"{meant}\"")),
    }
}

/// `stop: 1/2`
pub(super) fn computed_number(written: &str, value: Option<f64>, span: Span) -> Diagnostic {
    let report = bad_number(written, phrase!("phrase-no-expression-here"), span);
    match value.map(|value| value.to_string()) {
        Some(value) => report.with_edit(say!("ron-write", meant = value), span, &value),
        None => report.with_help(say!("ron-computed-number.help")),
    }
}

/// `5·10^6`
pub(super) fn power_of_ten(written: &str, meant: &str, span: Span) -> Diagnostic {
    bad_number(written, phrase!("phrase-power-ten-follows"), span).with_edit(
        say!("ron-write", meant),
        span,
        meant,
    )
}

/// `5%`
pub(super) fn percent(written: &str, meant: &str, span: Span) -> Diagnostic {
    bad_number(written, phrase!("phrase-no-percent-sign"), span).with_edit(
        say!("ron-write", meant),
        span,
        meant,
    )
}

/// `1 000`
pub(super) fn grouped_digits(written: &str, meant: &str, span: Span) -> Diagnostic {
    bad_number(written, phrase!("phrase-digits-not-grouped"), span).with_edit(
        say!("ron-write", meant),
        span,
        meant,
    )
}

/// `5M`
pub(super) fn prefix(written: &str, letter: &str, meant: &str, span: Span) -> Diagnostic {
    let why = say!("ron-prefix.why", letter);
    bad_number(written, &why, span).with_edit(say!("ron-write", meant), span, meant)
}

/// A unit behind the number of a quantity.
pub(super) fn unit_behind(written: &str, unit: &str, meant: &str, span: Span) -> Diagnostic {
    bad_number(written, phrase!("phrase-unit-field-own"), span).with_edit(
        say!("ron-unit-behind.help", unit),
        span,
        meant,
    )
}

/// A unit behind the number of a quantity that has a field for it.
pub(super) fn unit_twice(
    written: &str,
    number: &str,
    unit: &str,
    place: Span,
    span: Span,
) -> Diagnostic {
    bad_number(written, phrase!("phrase-unit-field-unit"), span).with_edit(
        say!("ron-write-without", number, unit),
        place,
        "",
    )
}

/// A unit behind a number that is in another one, or in one that nobody knows.
pub(super) fn other_unit(written: &str, unit: &str, in_clock: bool, span: Span) -> Diagnostic {
    let why = match in_clock {
        true => phrase!("phrase-times-clock-numbers"),
        false => phrase!("phrase-unit-field-unit"),
    };
    bad_number(written, why, span).with_help(say!("ron-other-unit", unit))
}

/// A unit behind a number that takes none.
pub(super) fn unit_without_field(
    written: &str,
    number: &str,
    unit: &str,
    in_clock: bool,
    place: Span,
    span: Span,
) -> Diagnostic {
    let why = match in_clock {
        true => phrase!("phrase-times-clock-numbers"),
        false => phrase!("phrase-number-without-unit"),
    };
    bad_number(written, why, span).with_edit(say!("ron-write-without", number, unit), place, "")
}
