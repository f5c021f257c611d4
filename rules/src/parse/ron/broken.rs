//! Diagnosis of a text that is no RON: what was most likely meant ([`walk`](super::walk)), or else the crate's
//! complaint in words.

use ron::error::{Position, SpannedError};
use situ_words::{phrase, say};

use super::lexer::{Token, Tokens, quote_after_prefix};
use super::walk::mistake;
use crate::diag::Diagnostic;
use crate::parse::report;
use crate::source::{SourceId, SourceMap, Span};

/// The one report on a text that the crate does not read.
pub(super) fn explain(
    error: &SpannedError,
    sources: &SourceMap,
    source: SourceId,
    begin: usize,
) -> Diagnostic {
    let text = sources.get(source).text.as_str();
    let at = byte_of(&error.span.end, sources, source, begin);
    let place = |start: usize, end: usize| Span::new(source, start, end.max(start));
    let is_open_comment = |(token, _, end): &(Token, usize, usize)| {
        *token == Token::BlockComment && *end == text.len() && !text.ends_with("*/")
    };
    if let Some((_, start, _)) = Tokens::new(text).find(is_open_comment) {
        return report::broken_ron(
            phrase!("phrase-comment-not-closed"),
            place(start, start + 2),
        )
        .with_help(say!("ron-explain.help-close"));
    }
    if Tokens::new(&text[begin..]).next_significant().is_none() {
        return report::broken_ron(phrase!("phrase-table-empty"), place(0, 0))
            .with_help(say!("ron-explain.help-table-begins"));
    }
    if error.code == ron::Error::ExceededRecursionLimit {
        return report::nested_table(place(at, at));
    }
    if let Some(report) = mistake(text, source, begin) {
        return report;
    }
    let around = Tokens::new(text)
        .find(|(token, start, end)| *token == Token::Quoted && *start < at && at <= *end);
    if let (ron::Error::InvalidEscape(_), Some((_, start, end))) = (&error.code, around) {
        let message = say!("ron-explain");
        return report::broken_ron(message, place(start, end))
            .with_help(say!("ron-explain.help-write-backslash"));
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
    let message = match &error.code {
        E::TrailingCharacters => say!("ron-table-ends-before"),
        E::UnexpectedChar(c) => say!(
            "ron-explain.value-cannot",
            sign = c.escape_debug().to_string()
        ),
        E::Eof => say!("ron-explain.table-ends"),
        other => say!("ron-explain.not-ron", why = why(other)),
    };
    report::broken_ron(&message, place(at, at + length))
}

/// What the crate complains of, in words; what no table can bring about is a value that is missing.
fn why(error: &ron::Error) -> String {
    use ron::Error as E;
    match error {
        E::ExpectedMapColon => say!("ron-why.colon"),
        E::ExpectedComma => say!("ron-why.comma"),
        E::ExpectedArrayEnd => say!("ron-why.closing", bracket = "]"),
        E::ExpectedMapEnd => say!("ron-why.closing", bracket = "}"),
        E::ExpectedOptionEnd | E::ExpectedStructLikeEnd => say!("ron-why.closing", bracket = ")"),
        E::ExpectedArray => say!("ron-why.opening", bracket = "["),
        E::ExpectedMap => say!("ron-why.opening", bracket = "{"),
        E::ExpectedStructLike | E::ExpectedNamedStructLike(_) => {
            say!("ron-why.opening", bracket = "(")
        }
        E::ExpectedAttribute | E::ExpectedAttributeEnd => say!("ron-why.attribute"),
        E::NoSuchExtension(name) => say!("ron-why.extension", name),
        E::ExpectedChar => say!("ron-why.character"),
        E::ExpectedByteLiteral | E::ExpectedByteString => say!("ron-why.bytes"),
        E::ExpectedFloat | E::ExpectedInteger => say!("ron-why.number"),
        E::FloatUnderscore | E::UnderscoreAtBeginning => say!("ron-why.underscore"),
        E::IntegerOutOfBounds => say!("ron-why.too-large"),
        E::InvalidIntegerDigit { digit, .. } => say!("ron-why.digit", digit = digit.to_string()),
        E::ExpectedString => say!("ron-why.string"),
        E::ExpectedStringEnd => say!("ron-why.string-end"),
        E::ExpectedIdentifier => say!("ron-why.identifier"),
        E::InvalidIdentifier(name) | E::SuggestRawIdentifier(name) => {
            say!("ron-why.no-identifier", name)
        }
        E::Utf8Error(_) => say!("ron-why.text"),
        _ => say!("ron-why.value"),
    }
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

/// True if a quoted token that reaches the end of the text has its closing quote.
pub(super) fn closes(quoted: &str) -> bool {
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
