//! Diagnosis of a text that is no RON: the crate's complaint in words, at its place.

use ron::error::{Position, SpannedError};

use super::lexer::{Token, Tokens, quote_after_prefix};
use crate::diag::Diagnostic;
use crate::parse::report;
use crate::source::{SourceId, SourceMap, Span};

/// Puts the crate's complaint into words and places; brackets that do not match are found here,
/// because the crate sees them only where it gives up.
pub(super) fn explain(
    error: &SpannedError,
    sources: &SourceMap,
    source: SourceId,
    begin: usize,
) -> Diagnostic {
    let text = sources.get(source).text.as_str();
    let at = byte_of(&error.span.end, sources, source, begin);
    let place = |start: usize, end: usize| Span::new(source, start, end.max(start));
    if Tokens::new(&text[begin..]).next_significant().is_none() {
        return report::broken_ron("the table is empty", place(0, 0))
            .with_help("a table begins with `(` and ends with `)`");
    }
    if error.code == ron::Error::ExceededRecursionLimit {
        return report::nested_table(place(at, at));
    }
    if let Some(report) = unbalanced(text, source) {
        return report;
    }
    let around = Tokens::new(text)
        .find(|(token, start, end)| *token == Token::Quoted && *start < at && at <= *end);
    if let (ron::Error::InvalidEscape(_), Some((_, start, end))) = (&error.code, around) {
        let message = "a backslash in this string does not begin an escape sequence";
        return report::broken_ron(message, place(start, end))
            .with_help("write `\\\\` for a backslash, or a raw string `r\"..\"`");
    }
    let (at, length) = match (Tokens {
        text,
        position: at.min(text.len()),
    })
    .next_significant()
    {
        Some((_, start, end)) => (start, end - start),
        None => (at.min(text.len()), 0),
    };
    use ron::Error as E;
    let wants_name = matches!(
        error.code,
        E::ExpectedMapColon | E::ExpectedIdentifier | E::SuggestRawIdentifier(_)
    );
    if let (true, Some((start, comma, end))) = (wants_name, decimal_comma(text, at)) {
        let message = "a number has a decimal point, not a comma";
        let comma = place(comma, comma + 1);
        return report::broken_ron(message, place(start, end)).with_edit("write `.`", comma, ".");
    }
    let found = &text[at..];
    let message = match &error.code {
        _ if found.starts_with('=') => "expected `:` here".to_owned(),
        _ if found.starts_with(':') => "a value is missing here".to_owned(),
        E::ExpectedArrayEnd => "expected `,` or `]` here".to_owned(),
        E::ExpectedMapEnd => "expected `,` or `}` here".to_owned(),
        E::ExpectedStructLikeEnd | E::ExpectedOptionEnd => "expected `,` or `)` here".to_owned(),
        E::ExpectedComma => "expected `,` here".to_owned(),
        E::ExpectedMapColon => "expected `:` and a value here".to_owned(),
        E::ExpectedIdentifier | E::SuggestRawIdentifier(_) => {
            "expected the name of a field here".to_owned()
        }
        E::TrailingCharacters => "the table ends before this".to_owned(),
        E::UnexpectedChar(c) => format!("a value cannot begin with `{}`", c.escape_debug()),
        E::Eof => "the table ends too early".to_owned(),
        other => format!("this is not RON: {other}"),
    };
    let mut report = report::broken_ron(&message, place(at, at + length));
    if found.starts_with(':') {
        report = report.with_help("fields in parentheses are written without quotes: `name: ..`");
    }
    if let Some((start, end)) = string_over_lines(text, at) {
        report = report.also(
            place(start, end),
            "this string continues past the end of its line",
        );
    }
    report
}

/// A number with a decimal comma whose last digits stand at a byte or right before it: its start, its
/// comma, its end.
fn decimal_comma(text: &str, at: usize) -> Option<(usize, usize, usize)> {
    let is_digit = |c: char| c.is_ascii_digit();
    let n_behind = text[at..].len() - text[at..].trim_start_matches(is_digit).len();
    let end = match n_behind {
        0 => text[..at].trim_end().len(),
        n => at + n,
    };
    let whole = text[..end].trim_end_matches(is_digit).strip_suffix(',')?;
    let start = whole.trim_end_matches(is_digit).len();
    (whole.len() + 1 < end && start < whole.len()).then_some((start, whole.len(), end))
}

/// The byte at a position that the crate reports; its columns count characters.
fn byte_of(position: &Position, sources: &SourceMap, source: SourceId, begin: usize) -> usize {
    let text = sources.get(source);
    let line = text.line_range(position.line);
    let start = if position.line == 1 {
        begin
    } else {
        line.start
    };
    let mut chars = text.text[start..line.end].char_indices();
    chars
        .nth(position.col.saturating_sub(1))
        .map_or(line.end, |(index, _)| start + index)
}

/// Finds brackets without partners.
fn unbalanced(text: &str, source: SourceId) -> Option<Diagnostic> {
    let partner = |open: u8| match open {
        b'(' => ')',
        b'[' => ']',
        _ => '}',
    };
    let mut open: Vec<usize> = Vec::new();
    let bytes = text.as_bytes();
    for (token, start, end) in Tokens::new(text) {
        let span = Span::new(source, start, end);
        match token {
            Token::Open => open.push(start),
            Token::Close => {
                let Some(last) = open.pop() else {
                    let message = format!("`{}` closes nothing", &text[start..end]);
                    return Some(report::broken_ron(&message, span));
                };
                let wanted = partner(bytes[last]);
                if text[start..].starts_with(wanted) {
                    continue;
                }
                let message = format!(
                    "`{}` is closed by `{}`",
                    char::from(bytes[last]),
                    &text[start..end]
                );
                let report = report::broken_ron(&message, span)
                    .at(span, format!("`{wanted}` expected"))
                    .also(Span::new(source, last, last + 1), "opened here");
                return Some(report);
            }
            Token::Quoted if end == text.len() && !closes(&text[start..]) => {
                let mut report = report::broken_ron(
                    "this quote is not closed",
                    Span::new(source, start, start + 1),
                );
                if let Some((start, end)) = string_over_lines(text, start) {
                    let place = Span::new(source, start, end);
                    report = report.also(place, "this string continues past the end of its line");
                }
                return Some(report);
            }
            Token::BlockComment if end == text.len() && !text.ends_with("*/") => {
                let place = Span::new(source, start, start + 2);
                return Some(report::broken_ron("this comment is not closed", place));
            }
            _ => {}
        }
    }
    let last = open.pop()?;
    let message = format!("`{}` is never closed", char::from(bytes[last]));
    Some(report::broken_ron(
        &message,
        Span::new(source, last, last + 1),
    ))
}

/// True if a quoted token that reaches the end of the text has its closing quote.
fn closes(quoted: &str) -> bool {
    let open = quote_after_prefix(quoted.as_bytes()).unwrap_or(0);
    let quote = char::from(quoted.as_bytes()[open]);
    let body = &quoted[open + 1..];
    if quoted[..open].contains('r') {
        return body.trim_end_matches('#').ends_with(quote);
    }
    let escapes = body
        .trim_end_matches(quote)
        .bytes()
        .rev()
        .take_while(|byte| *byte == b'\\')
        .count();
    body.ends_with(quote) && escapes.is_multiple_of(2)
}

/// The first line of the first plain string before `limit` that contains a line break: most often
/// its closing quote was forgotten.
fn string_over_lines(text: &str, limit: usize) -> Option<(usize, usize)> {
    Tokens::new(text)
        .take_while(|(_, start, _)| *start < limit)
        .filter(|(token, start, _)| *token == Token::Quoted && text[*start..].starts_with('"'))
        .find_map(|(_, start, end)| {
            let length = text[start..end].find('\n')?;
            Some((start, start + length))
        })
}
