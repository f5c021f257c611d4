//! Reports on texts that are no RON: one function per mistake, each the only place that words it.

use crate::diag::Diagnostic;
use crate::parse::report::{bad_number, foreign};
use crate::source::Span;

fn error(message: impl Into<String>, span: Span) -> Diagnostic {
    Diagnostic::error("P001", message, span)
}

/// What a table is, for those that are none.
const TABLE: &str = "a table is RON: `(`, fields such as `format: 1,`, and `)`; `situ new NAME` writes one to start from";

/// Bytes that are no text.
pub(super) fn no_text(span: Span) -> Diagnostic {
    error("this file is not text", span).with_help(TABLE)
}

/// Text of a format that has a name of its own.
pub(super) fn other_format(format: &str, span: Span) -> Diagnostic {
    error(format!("this is {format}, and a table is RON"), span).with_help(TABLE)
}

/// `{format: 1}`
pub(super) fn braces_around(span: Span) -> Diagnostic {
    error("a table stands in parentheses, not in braces", span)
        .with_help("write `(` here and `)` at the end")
}

/// `format: 1, ..`
pub(super) fn no_parentheses(span: Span) -> Diagnostic {
    error("a table stands in parentheses", span)
        .at(span, "`(` expected here")
        .with_help("write `(` before the first field and `)` behind the last one")
}

/// A table as it stands in a text of Markdown.
pub(super) fn fence(span: Span) -> Diagnostic {
    error("this line belongs to a text around the table", span)
        .with_help("leave it out, with the one at the end")
}

/// `,,`
pub(super) fn two_commas(span: Span) -> Diagnostic {
    error("nothing stands before this comma", span).with_edit("leave it out", span, "")
}

/// `(: 1)`
pub(super) fn no_name(span: Span) -> Diagnostic {
    error("a name is missing before this colon", span)
}

/// `start: ,`
pub(super) fn no_value(name: &str, span: Span) -> Diagnostic {
    let name = name.trim_matches('"');
    error(format!("`{name}` has no value"), span).at(span, "a value is missing here")
}

/// `"a" 1`
pub(super) fn no_colon(name: &str, span: Span) -> Diagnostic {
    let name = name.trim_matches('"');
    error(format!("a colon is missing after `{name}`"), span)
        .at(span, "`:` expected here")
        .with_edit("write `:` between a name and its value", span, ":")
}

/// `"a" = 1`
pub(super) fn equals(sign: &str, span: Span) -> Diagnostic {
    error(
        format!("a name and its value are separated by `:`, not by `{sign}`"),
        span,
    )
    .with_edit("write `:`", span, ":")
}

/// `[1: 2]`
pub(super) fn stray_colon(span: Span) -> Diagnostic {
    error("a colon does not stand here", span)
        .with_help("a name has one value: `name: value`, and then a comma")
}

/// Two entries without a comma between them.
pub(super) fn missing_comma(what: &str, behind: Span, next: Span) -> Diagnostic {
    error(format!("a comma is missing behind this {what}"), behind)
        .at(behind, "`,` expected here")
        .also(next, "before this")
        .with_edit("write a comma", behind, ",")
}

/// `;` for `,`
pub(super) fn semicolon(span: Span) -> Diagnostic {
    foreign(";", ",", "", span)
}

/// A comment as other languages write it.
pub(super) fn comment(sign: &str, span: Span) -> Diagnostic {
    let sign = sign.trim_end();
    let message = format!("`{sign}` begins no comment in a table");
    Diagnostic::error("P013", message, span).with_edit("a comment begins with `//`", span, "//")
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
        true => format!("`{bracket}` is never closed"),
        false => format!("`{bracket}` is not closed before this"),
    };
    error(message, at)
        .at(at, format!("`{missing}` expected here"))
        .also(opened, "opened here")
        .with_edit(format!("write `{missing}`"), at, missing)
}

/// `[1)`
pub(super) fn wrong_bracket(
    open: u8,
    [found, wanted]: [u8; 2],
    span: Span,
    opened: Span,
) -> Diagnostic {
    let [open, found, wanted] = [open, found, wanted].map(char::from);
    error(format!("`{open}` is closed by `{found}`"), span)
        .at(span, format!("`{wanted}` expected"))
        .also(opened, "opened here")
        .with_edit(format!("write `{wanted}`"), span, wanted)
}

/// A closing bracket without a partner.
pub(super) fn closes_nothing(span: Span) -> Diagnostic {
    error("this bracket closes nothing", span).with_edit("leave it out", span, "")
}

/// The table's bracket is closed, and its fields go on.
pub(super) fn closes_early(span: Span, rest: Span) -> Diagnostic {
    error(
        "this bracket closes the table, and more of it follows",
        span,
    )
    .also(rest, "follows here")
    .with_help("a bracket is closed too often above, or one is not opened")
}

/// Text behind the table.
pub(super) fn behind_the_table(span: Span) -> Diagnostic {
    error("the table ends before this", span)
        .with_help("a file has one table; a comment begins with `//`")
}

/// `ranges: {"a: b < c"}`
pub(super) fn takes_brackets(field: &str, span: Span) -> Diagnostic {
    error(format!("`{field}` takes a list, in brackets `[..]`"), span)
        .with_help("write `[` here and `]` at the end of the list")
}

/// `reals: ("x": 1)`
pub(super) fn takes_braces(field: &str, span: Span) -> Diagnostic {
    error(
        format!("`{field}` takes names and values, in braces `{{..}}`"),
        span,
    )
    .with_help("write `{` here and `}` at the end")
}

/// `reals: ["x": 1]`
pub(super) fn names_in_list(field: &str, span: Span) -> Diagnostic {
    match field {
        "" => error("names and values stand in braces `{..}`", span)
            .with_help("write `{` here and `}` at the end"),
        field => takes_braces(field, span),
    }
}

/// `("format": 1)`
pub(super) fn quoted_field(written: &str, span: Span) -> Diagnostic {
    let name = written.trim_matches(['"', '\'']);
    let report = error("the name of a field stands without quotes", span);
    match crate::lex::is_plain_name(name) {
        true => report.with_edit(format!("write `{name}`"), span, name),
        false => error("the name of a field is expected here", span)
            .with_help("fields in parentheses read `name: value`"),
    }
}

/// `{1, 2}`
pub(super) fn name_is_a_number(written: &str, span: Span) -> Diagnostic {
    error(
        format!("a name in quotes is expected here, and this is the number `{written}`"),
        span,
    )
    .with_help("names and values read `\"name\": value`")
}

/// `9,81`; `grouped`: the number without the comma, if it may separate thousands.
pub(super) fn decimal_comma(number: Span, comma: Span, grouped: Option<&str>) -> Diagnostic {
    let report = error("a number has a decimal point, not a comma", number);
    match grouped {
        Some(grouped) => report
            .with_note(format!(
                "if the comma separates thousands, write `{grouped}`"
            ))
            .with_edit("write `.`", comma, "."),
        None => report.with_edit("write `.`", comma, "."),
    }
}

/// A quote that is closed nowhere.
pub(super) fn unclosed_quote(open: Span, end: Span) -> Diagnostic {
    error("this quote is not closed", open).also(
        end,
        "`\"` expected here, at the end of its line at the latest",
    )
}

/// A string that goes on over the end of its line, or into the next field.
pub(super) fn no_closing_quote(string: Span, at: Span) -> Diagnostic {
    error("the closing quote is missing", string)
        .also(at, "`\"` expected here")
        .with_edit("close the string", at, "\"")
}

/// A string that begins without its quote.
pub(super) fn no_opening_quote(string: Span, at: Span) -> Diagnostic {
    error("the opening quote is missing", string)
        .also(at, "`\"` expected here")
        .with_edit("open the string", at, "\"")
}

/// `"a "b" c"`
pub(super) fn quotes_inside(span: Span) -> Diagnostic {
    error("this string ends where its text goes on", span)
        .with_help("inside a string a quote is written `\\\"`; behind a string stands a comma")
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
            format!("`{open}` and `{close}` are not the quotes of a table")
        }
        _ => format!("`{open}` is not the quote of a table"),
    };
    let report = Diagnostic::error("P013", message, span);
    let help = "text stands between straight double quotes";
    match inside {
        "" => report.with_help(help),
        _ if !inside.contains(['"', '\\']) => report.with_edit(help, span, format!("\"{inside}\"")),
        _ => report.with_help(help),
    }
}

/// A row without quotes.
pub(super) fn unquoted_row(row: &str, span: Span) -> Diagnostic {
    let report = error("a row stands in quotes", span);
    match row.contains(['"', '\\']) {
        true => report.with_help("write `\"` before and behind it"),
        false => report.with_edit("write it in quotes", span, format!("\"{row}\"")),
    }
}

/// `about: some text`
pub(super) fn unquoted_text(field: &str, written: &str, span: Span) -> Diagnostic {
    error(
        format!("`{field}` takes a text, which stands in quotes"),
        span,
    )
    .with_edit("write it in quotes", span, format!("\"{written}\""))
}

/// `start: 2 * x`
pub(super) fn unquoted_expression(written: &str, meant: &str, span: Span) -> Diagnostic {
    let report = error(
        format!("`{written}` is neither a number nor a word; an expression stands in quotes"),
        span,
    );
    match meant.contains(['"', '\\']) {
        true => report,
        false => report.with_edit("write it in quotes", span, format!("\"{meant}\"")),
    }
}

/// `5·10^6`
pub(super) fn power_of_ten(written: &str, meant: &str, span: Span) -> Diagnostic {
    bad_number(written, "the power of ten follows an `e`", span).with_edit(
        format!("write `{meant}`"),
        span,
        meant,
    )
}

/// `5%`
pub(super) fn percent(written: &str, meant: &str, span: Span) -> Diagnostic {
    bad_number(written, "there is no percent sign", span).with_edit(
        format!("write `{meant}`"),
        span,
        meant,
    )
}

/// `1 000`
pub(super) fn grouped_digits(written: &str, meant: &str, span: Span) -> Diagnostic {
    bad_number(written, "digits are not grouped", span).with_edit(
        format!("write `{meant}`"),
        span,
        meant,
    )
}

/// `5M`
pub(super) fn prefix(written: &str, letter: &str, meant: &str, span: Span) -> Diagnostic {
    let why = format!("`{letter}` does not stand for a power of ten");
    bad_number(written, &why, span).with_edit(format!("write `{meant}`"), span, meant)
}

/// A unit behind the number of a quantity.
pub(super) fn unit_behind(written: &str, unit: &str, meant: &str, span: Span) -> Diagnostic {
    bad_number(written, "the unit stands in a field of its own", span).with_edit(
        format!("write `unit: \"{unit}\"` behind the number"),
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
    bad_number(written, "the unit stands in the field `unit`", span).with_edit(
        format!("write `{number}`, without `{unit}`"),
        place,
        "",
    )
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
        true => "the times of a clock are numbers, in the unit of time of the table",
        false => "a number stands without its unit here",
    };
    bad_number(written, why, span).with_edit(
        format!("write `{number}`, without `{unit}`"),
        place,
        "",
    )
}
