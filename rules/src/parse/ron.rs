//! RON as places: which parts a value has and where they stand.
//!
//! The crate `ron` decides whether a text is RON at all ([`check`]). Text that passed is cut up
//! here by brackets, commas and colons alone ([`Value::items`], [`Value::entries`]), one level at
//! a time and without copying, so that every row, key and value keeps its place; single strings
//! and numbers that are more than plain go back to the crate. A test holds the cuts against those
//! of the crate's own `RawValue`, which finds them too but reads every level twice.

use std::borrow::Cow;

use ron::Options;
use ron::error::{Position, SpannedError};
use serde::de::IgnoredAny;

use crate::diag::Diagnostic;
use crate::diag::codes::parse as report;
use crate::source::{SourceId, SourceMap, Span};

/// A value of well-formed RON: a part of the text, without comments around it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Value<'a> {
    /// The whole text.
    text: &'a str,
    source: SourceId,
    start: usize,
    end: usize,
}

/// What a value is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// `".."` or `r".."`
    String,
    /// `1.5`, `inf`, `NaN`
    Number,
    /// `true` or `false`
    Bool,
    /// `[..]`
    List,
    /// `{..}`
    Map,
    /// `(name: ..)` or `()`, with or without a name in front
    Struct,
    /// `(.., ..)`
    Tuple,
    /// An identifier alone.
    Word,
    /// Anything else that RON knows.
    Other,
}

impl Kind {
    /// For messages.
    pub(crate) fn describe(self) -> &'static str {
        match self {
            Self::String => "a string",
            Self::Number => "a number",
            Self::Bool => "a truth value",
            Self::List => "a list",
            Self::Map => "names and values in braces",
            Self::Struct => "fields in parentheses",
            Self::Tuple => "values in parentheses",
            Self::Word => "a bare word",
            Self::Other => "another kind of value",
        }
    }
}

/// The value that a text holds, if it is RON; otherwise the one report about it.
pub(crate) fn check(sources: &SourceMap, source: SourceId) -> Result<Value<'_>, Box<Diagnostic>> {
    let text = sources.get(source).text.as_str();
    let begin = if text.starts_with('\u{feff}') {
        '\u{feff}'.len_utf8()
    } else {
        0
    };
    if let Err(error) = Options::default().from_str::<IgnoredAny>(&text[begin..]) {
        return Err(Box::new(explain(&error, sources, source, begin)));
    }
    let mut tokens = Tokens {
        text,
        position: begin,
    };
    let mut next = tokens.next_significant();
    // `#![enable(..)]` and the like: a word `#!` and brackets.
    while let Some((Token::Word, start, _)) = next
        && text[start..].starts_with('#')
    {
        tokens.next_significant();
        tokens.skip_group();
        next = tokens.next_significant();
    }
    let start = next.map_or(text.len(), |(_, start, _)| start);
    tokens.position = start;
    let mut end = start;
    while let Some((_, _, token_end)) = tokens.next_significant() {
        end = token_end;
    }
    Ok(Value {
        text,
        source,
        start,
        end,
    })
}

impl<'a> Value<'a> {
    /// The value at a place of well-formed RON.
    pub(crate) fn at(sources: &'a SourceMap, span: Span) -> Self {
        let text = sources.get(span.source).text.as_str();
        Self {
            text,
            source: span.source,
            start: span.start as usize,
            end: span.end as usize,
        }
    }

    /// As it is written.
    pub(crate) fn written(&self) -> &'a str {
        &self.text[self.start..self.end]
    }

    /// Its place.
    pub(crate) fn span(&self) -> Span {
        Span::new(self.source, self.start, self.end)
    }

    /// What it is, judged by its first characters.
    pub(crate) fn kind(&self) -> Kind {
        let written = self.written();
        let bytes = written.as_bytes();
        match bytes.first() {
            Some(b'"') => Kind::String,
            Some(b'[') => Kind::List,
            Some(b'{') => Kind::Map,
            Some(b'(') => self.bracket_kind(),
            Some(b'0'..=b'9' | b'+' | b'-' | b'.') => Kind::Number,
            Some(b'r') if is_raw_string(bytes) => Kind::String,
            Some(b'b') if matches!(bytes.get(1), Some(b'"' | b'\'')) => Kind::Other,
            Some(b'b') if bytes.get(1) == Some(&b'r') && is_raw_string(&bytes[1..]) => Kind::Other,
            _ => match written {
                "true" | "false" => Kind::Bool,
                "inf" | "inff32" | "inff64" | "NaN" | "NaNf32" | "NaNf64" => Kind::Number,
                _ if written.ends_with(')') => self.bracket_kind(),
                _ if bytes.first() == Some(&b'\'') => Kind::Other,
                _ => Kind::Word,
            },
        }
    }

    fn bracket_kind(&self) -> Kind {
        let mut tokens = self.inside();
        match (tokens.next_significant(), tokens.next_significant()) {
            (Some((Token::Close, ..)), _) => Kind::Struct,
            (Some((Token::Word, ..)), Some((Token::Colon, ..))) => Kind::Struct,
            _ => Kind::Tuple,
        }
    }

    /// The name in front of the bracket: `Table` in `Table(..)`.
    pub(crate) fn type_name(&self) -> Option<Value<'a>> {
        let mut tokens = self.tokens();
        match tokens.next_significant()? {
            (Token::Word, start, end) => Some(Value {
                start,
                end,
                ..*self
            }),
            _ => None,
        }
    }

    /// The values of a list or tuple.
    pub(crate) fn items(self) -> impl Iterator<Item = Value<'a>> {
        self.entries().map(|(_, value)| value)
    }

    /// The keys and values of a struct or map; the values of a list or tuple, without keys.
    pub(crate) fn entries(self) -> Entries<'a> {
        Entries {
            tokens: self.inside(),
            within: self,
        }
    }

    /// The tokens behind its opening bracket.
    fn inside(&self) -> Tokens<'a> {
        let mut tokens = self.tokens();
        while let Some((token, ..)) = tokens.next_significant() {
            if token == Token::Open {
                break;
            }
        }
        tokens
    }

    fn tokens(&self) -> Tokens<'a> {
        Tokens {
            text: &self.text[..self.end],
            position: self.start,
        }
    }

    /// The text of a string and, if it stands in the source as it is, its first byte there.
    pub(crate) fn string(&self) -> Option<(Cow<'a, str>, Option<usize>)> {
        let written = self.written();
        if let Some(inside) = written.strip_prefix('"')
            && let Some(inside) = inside.strip_suffix('"')
            && !inside.contains('\\')
        {
            return Some((Cow::Borrowed(inside), Some(self.start + 1)));
        }
        if let Some(raw) = written.strip_prefix('r') {
            let inside = raw.trim_matches('#').strip_prefix('"')?.strip_suffix('"')?;
            let start = self.start + (inside.as_ptr() as usize - written.as_ptr() as usize);
            return Some((Cow::Borrowed(inside), Some(start)));
        }
        let text = Options::default().from_str::<String>(written).ok()?;
        Some((Cow::Owned(text), None))
    }

    /// The value of a number.
    pub(crate) fn number(&self) -> Option<f64> {
        let written = self.written();
        let plain =
            |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'.' | b'-' | b'e' | b'E' | b'+');
        if written.as_bytes().iter().all(plain) {
            return written.parse().ok();
        }
        Options::default().from_str::<f64>(written).ok()
    }
}

/// Iterator over the parts of a bracketed value.
pub(crate) struct Entries<'a> {
    tokens: Tokens<'a>,
    within: Value<'a>,
}

impl<'a> Iterator for Entries<'a> {
    type Item = (Option<Value<'a>>, Value<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        let mut key = None;
        let mut part: Option<(usize, usize)> = None;
        loop {
            let token = self.tokens.next_significant();
            match token {
                Some((Token::Colon, ..)) => {
                    key = part.take().map(|(start, end)| Value {
                        start,
                        end,
                        ..self.within
                    });
                }
                Some((Token::Comma | Token::Close, ..)) | None => {
                    let (start, end) = part?;
                    return Some((
                        key,
                        Value {
                            start,
                            end,
                            ..self.within
                        },
                    ));
                }
                Some((token, start, mut end)) => {
                    if token == Token::Open {
                        end = self.tokens.skip_group();
                    }
                    part = Some((part.map_or(start, |(first, _)| first), end));
                }
            }
        }
    }
}

/// A piece of RON.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Token {
    /// `(`, `[`, `{`
    Open,
    /// `)`, `]`, `}`
    Close,
    /// `,`
    Comma,
    /// `:`
    Colon,
    /// `".."`, `r".."`, `'c'` and the byte forms.
    Quoted,
    /// A run of anything else: numbers, identifiers.
    Word,
    /// `// ..` up to the end of the line.
    LineComment,
    /// `/* .. */`
    BlockComment,
}

/// Cuts RON into tokens; what is no RON gives some tokens too.
#[derive(Clone)]
pub(crate) struct Tokens<'a> {
    text: &'a str,
    position: usize,
}

impl<'a> Tokens<'a> {
    /// The tokens of a text.
    pub(crate) fn new(text: &'a str) -> Self {
        Self { text, position: 0 }
    }

    /// The next token that is no comment.
    fn next_significant(&mut self) -> Option<(Token, usize, usize)> {
        loop {
            let next = self.next()?;
            if !matches!(next.0, Token::LineComment | Token::BlockComment) {
                return Some(next);
            }
        }
    }

    /// Passes over everything up to the bracket that closes the one just read; the byte behind it.
    ///
    /// Most of a table is passed over so, once for each level it lies deep: only bytes that can
    /// open or close something are looked at.
    fn skip_group(&mut self) -> usize {
        let bytes = self.text.as_bytes();
        let mut open = 1_usize;
        let mut index = self.position;
        while open > 0 {
            let Some(length) = bytes[index..]
                .iter()
                .position(|byte| BORDERS[usize::from(*byte)])
            else {
                index = bytes.len();
                break;
            };
            index += length;
            match bytes[index] {
                b'(' | b'[' | b'{' => open += 1,
                b')' | b']' | b'}' => open -= 1,
                b'/' => {
                    index += comment_length(&bytes[index..]).unwrap_or(1);
                    continue;
                }
                _ => {
                    let hashes = bytes[..index]
                        .iter()
                        .rev()
                        .take_while(|byte| **byte == b'#')
                        .count();
                    let is_raw = bytes[..index - hashes].ends_with(b"r");
                    let start = if is_raw { index - hashes - 1 } else { index };
                    index = start + quoted_length(&bytes[start..]);
                    continue;
                }
            }
            index += 1;
        }
        self.position = index;
        index
    }
}

/// The bytes that open or close a bracket, a string or a comment.
const BORDERS: [bool; 256] = {
    let mut borders = [false; 256];
    let bytes = b"()[]{}\"'/";
    let mut index = 0;
    while index < bytes.len() {
        borders[bytes[index] as usize] = true;
        index += 1;
    }
    borders
};

impl Iterator for Tokens<'_> {
    /// Token, first byte and byte after the last.
    type Item = (Token, usize, usize);

    fn next(&mut self) -> Option<Self::Item> {
        let bytes = self.text.as_bytes();
        let mut start = self.position;
        let token = loop {
            match *bytes.get(start)? {
                b' ' | b'\t' | b'\n' | b'\r' | 0x0B | 0x0C => start += 1,
                b'(' | b'[' | b'{' => break Token::Open,
                b')' | b']' | b'}' => break Token::Close,
                b',' => break Token::Comma,
                b':' => break Token::Colon,
                b'"' | b'\'' => break Token::Quoted,
                b'/' if bytes.get(start + 1) == Some(&b'/') => break Token::LineComment,
                b'/' if bytes.get(start + 1) == Some(&b'*') => break Token::BlockComment,
                b'b' | b'r' if quote_after_prefix(&bytes[start..]).is_some() => {
                    break Token::Quoted;
                }
                0x80.. => match blank_length(&self.text[start..]) {
                    0 => break Token::Word,
                    length => start += length,
                },
                _ => break Token::Word,
            }
        };
        let end = match token {
            Token::Open | Token::Close | Token::Comma | Token::Colon => start + 1,
            Token::Quoted => start + quoted_length(&bytes[start..]),
            Token::LineComment | Token::BlockComment => {
                start + comment_length(&bytes[start..]).unwrap_or(1)
            }
            Token::Word => start + word_length(&self.text[start..]),
        };
        self.position = end;
        Some((token, start, end))
    }
}

/// Bytes of the blank that the text begins with, beyond the ASCII ones.
fn blank_length(text: &str) -> usize {
    match text.chars().next() {
        Some(
            blank @ ('\u{85}' | '\u{200E}' | '\u{200F}' | '\u{2028}' | '\u{2029}' | '\u{feff}'),
        ) => blank.len_utf8(),
        _ => 0,
    }
}

fn word_length(text: &str) -> usize {
    let mut chars = text.char_indices().skip(1).peekable();
    while let Some((index, c)) = chars.next() {
        let ends = match c {
            '(' | ')' | '[' | ']' | '{' | '}' | ',' | ':' | '"' | '\'' => true,
            '/' => matches!(chars.peek(), Some((_, '/' | '*'))),
            _ if c.is_ascii() => matches!(c, ' ' | '\t'..='\r'),
            _ => blank_length(&text[index..]) > 0,
        };
        if ends {
            return index;
        }
    }
    text.len()
}

/// Whether the bytes begin with `r"`, `r#"` and so on.
fn is_raw_string(bytes: &[u8]) -> bool {
    bytes[1..].iter().find(|byte| **byte != b'#') == Some(&b'"')
}

/// The index of the quote in `r#".."#`, `b".."`, `br".."` or `b'c'`.
fn quote_after_prefix(bytes: &[u8]) -> Option<usize> {
    let prefix = match bytes {
        [b'b', b'r', ..] => 2,
        [b'b', b'"' | b'\'', ..] => return Some(1),
        [b'r', ..] => 1,
        _ => return None,
    };
    let hashes = bytes[prefix..]
        .iter()
        .take_while(|byte| **byte == b'#')
        .count();
    (bytes.get(prefix + hashes) == Some(&b'"')).then_some(prefix + hashes)
}

/// The length of the string or character that the bytes begin with; all of them if it is not closed.
fn quoted_length(bytes: &[u8]) -> usize {
    let open = quote_after_prefix(bytes).unwrap_or(0);
    let quote = bytes[open];
    let is_raw = bytes[..open].contains(&b'r');
    if is_raw {
        let hashes = bytes[..open].iter().filter(|byte| **byte == b'#').count();
        let mut index = open + 1;
        while index < bytes.len() {
            let rest = &bytes[index + 1..];
            if bytes[index] == b'"'
                && rest.len() >= hashes
                && rest[..hashes].iter().all(|byte| *byte == b'#')
            {
                return index + 1 + hashes;
            }
            index += 1;
        }
        return bytes.len();
    }
    let mut index = open + 1;
    loop {
        let rest = bytes.get(index..).unwrap_or_default();
        let found = rest
            .iter()
            .position(|byte| *byte == quote || *byte == b'\\');
        match found.map(|length| index + length) {
            None => return bytes.len(),
            Some(end) if bytes[end] == quote => return end + 1,
            Some(backslash) => index = backslash + 2,
        }
    }
}

/// The length of the comment that the bytes begin with, if it is one; all of them if it is not
/// closed.
fn comment_length(bytes: &[u8]) -> Option<usize> {
    match bytes {
        [b'/', b'/', ..] => Some(
            bytes
                .iter()
                .position(|byte| *byte == b'\n')
                .unwrap_or(bytes.len()),
        ),
        [b'/', b'*', ..] => {
            let mut open = 0_usize;
            let mut index = 0;
            while index < bytes.len() {
                match &bytes[index..] {
                    [b'/', b'*', ..] => open += 1,
                    [b'*', b'/', ..] => open -= 1,
                    _ => {
                        index += 1;
                        continue;
                    }
                }
                index += 2;
                if open == 0 {
                    return Some(index);
                }
            }
            Some(bytes.len())
        }
        _ => None,
    }
}

// What is wrong with a text that is no RON.

/// Puts the crate's complaint into words and places; brackets that do not match are found here,
/// because the crate sees them only where it gives up.
fn explain(
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
        let message = "a backslash in this string begins no escape";
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
        _ if found.starts_with(':') => "no value stands here".to_owned(),
        E::ExpectedArrayEnd => "expected `,` or `]` here".to_owned(),
        E::ExpectedMapEnd => "expected `,` or `}` here".to_owned(),
        E::ExpectedStructLikeEnd | E::ExpectedOptionEnd => "expected `,` or `)` here".to_owned(),
        E::ExpectedComma => "expected `,` here".to_owned(),
        E::ExpectedMapColon => "expected `:` and a value here".to_owned(),
        E::ExpectedIdentifier | E::SuggestRawIdentifier(_) => {
            "expected the name of a field here".to_owned()
        }
        E::TrailingCharacters => "the table ends before this".to_owned(),
        E::UnexpectedChar(c) => format!("no value begins with `{}`", c.escape_debug()),
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
            "this string goes on over the end of its line",
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
                    report = report.also(place, "this string goes on over the end of its line");
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

/// Whether a quoted token that reaches the end of the text has its closing quote.
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

#[cfg(test)]
mod tests {
    use std::marker::PhantomData;

    use proptest::prelude::*;
    use ron::value::RawValue;
    use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};

    use super::*;

    /// Keys and values as the crate cuts them.
    struct Pairs<'a, K>(Vec<(K, &'a RawValue)>);

    struct PairsVisitor<K>(PhantomData<K>);

    impl<'de, K: Deserialize<'de>> Visitor<'de> for PairsVisitor<K> {
        type Value = Pairs<'de, K>;

        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("keys and values")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut pairs = Vec::new();
            while let Some(pair) = map.next_entry()? {
                pairs.push(pair);
            }
            Ok(Pairs(pairs))
        }
    }

    impl<'de> Deserialize<'de> for Pairs<'de, &'de RawValue> {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            deserializer.deserialize_map(PairsVisitor(PhantomData))
        }
    }

    /// The name of a field.
    struct Field(String);

    impl<'de> Deserialize<'de> for Field {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            struct FieldVisitor;
            impl Visitor<'_> for FieldVisitor {
                type Value = Field;

                fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                    f.write_str("a field")
                }

                fn visit_str<E>(self, name: &str) -> Result<Field, E> {
                    Ok(Field(name.to_owned()))
                }
            }
            deserializer.deserialize_identifier(FieldVisitor)
        }
    }

    impl<'de> Deserialize<'de> for Pairs<'de, Field> {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            deserializer.deserialize_struct("S", &[], PairsVisitor(PhantomData))
        }
    }

    fn gap() -> impl Strategy<Value = String> + Clone {
        const GAPS: &[&str] = &[
            "",
            "",
            "",
            " ",
            "\n\t",
            "// ,]\"\n",
            "/* ( /* ' } */ , */",
            "\u{85} \u{200e}",
        ];
        prop::sample::select(GAPS).prop_map(str::to_owned)
    }

    fn value() -> impl Strategy<Value = String> {
        const LEAVES: &[&str] = &[
            r#""a""#,
            r#""\" , [(""#,
            r###"r#"a"b]\"#"###,
            r#"r"\""#,
            "'('",
            r"'\''",
            r"'\u{41}'",
            r#"b"x\"]""#,
            "b'['",
            r###"br#"""#"###,
            "1.5",
            "-3",
            "+.5e-3",
            "0x1F",
            "1_000u8",
            "inf",
            "true",
            "word",
            "r#a.b",
            "()",
            "Unit",
            "brick",
            "rest",
            "\"/* no\"",
            "\"// no\"",
            "1..2",
        ];
        let leaf = prop::sample::select(LEAVES).prop_map(str::to_owned);
        leaf.prop_recursive(4, 32, 4, |inner| {
            let items = prop::collection::vec((gap(), inner.clone(), gap()), 0..4);
            let entries =
                prop::collection::vec((gap(), inner.clone(), gap(), inner.clone(), gap()), 0..4);
            let join = |parts: Vec<String>, comma: bool| {
                parts.join(",") + if comma && !parts.is_empty() { "," } else { "" }
            };
            prop_oneof![
                (
                    items.clone(),
                    any::<bool>(),
                    prop::sample::select(vec![("[", "]"), ("(", ")"), ("Name(", ")")])
                )
                    .prop_map(move |(items, comma, (open, close))| {
                        let items = items
                            .into_iter()
                            .map(|(before, item, after)| before + &item + &after);
                        format!("{open}{}{close}", join(items.collect(), comma))
                    }),
                (entries.clone(), any::<bool>()).prop_map(move |(entries, comma)| {
                    let entries =
                        entries
                            .into_iter()
                            .map(|(before, key, between, value, after)| {
                                format!("{before}{key}{between}:{between}{value}{after}")
                            });
                    format!("{{{}}}", join(entries.collect(), comma))
                }),
                (
                    entries,
                    any::<bool>(),
                    prop::sample::select(vec!["(", "S (", "S("])
                )
                    .prop_map(move |(entries, comma, open)| {
                        let entries = entries.into_iter().enumerate();
                        let entries = entries.map(|(index, (before, _, between, value, after))| {
                            format!("{before}f{index}{between}:{between}{value}{after}")
                        });
                        format!("{open}{})", join(entries.collect(), comma))
                    }),
            ]
        })
    }

    /// Keys, if there are any, and values as they are written.
    type Parts = Vec<(Option<String>, String)>;

    fn ours(text: &str) -> Option<(Kind, Parts)> {
        let mut sources = SourceMap::default();
        let id = sources.add("text", text);
        let value = check(&sources, id).ok()?;
        let owned = |value: Value<'_>| value.written().to_owned();
        let entries = value
            .entries()
            .map(|(key, value)| (key.map(owned), owned(value)));
        Some((value.kind(), entries.collect()))
    }

    fn raw(value: &RawValue) -> String {
        value.trim().get_ron().to_owned()
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(1000) })]

        #[test]
        fn parts_are_cut_as_the_crate_cuts_them(before in gap(), text in value(), after in gap()) {
            let text = before + &text + &after;
            let Some((kind, entries)) = ours(&text) else {
                // Some of what is made here is no RON, such as a repeated `..`.
                return Ok(());
            };
            match kind {
                Kind::List => {
                    let items: Vec<&RawValue> = ron::from_str(&text).expect("a list");
                    let items: Vec<_> = items.into_iter().map(|item| (None, raw(item))).collect();
                    prop_assert_eq!(entries, items, "{}", text);
                }
                Kind::Map => {
                    let Pairs(pairs) = ron::from_str::<Pairs<'_, &RawValue>>(&text).expect("a map");
                    let pairs: Vec<_> = pairs.into_iter().map(|(key, value)| (Some(raw(key)), raw(value))).collect();
                    prop_assert_eq!(entries, pairs, "{}", text);
                }
                Kind::Struct if text.contains(':') => {
                    let Ok(Pairs(pairs)) = ron::from_str::<Pairs<'_, Field>>(&text) else { return Ok(()) };
                    let pairs: Vec<_> = pairs.into_iter().map(|(key, value)| (Some(key.0), raw(value))).collect();
                    prop_assert_eq!(entries, pairs, "{}", text);
                }
                _ => {}
            }
        }
    }

    #[test]
    fn kinds() {
        let kinds = [
            (r#""a""#, Kind::String),
            ("r##\"a\"##", Kind::String),
            ("r#a", Kind::Word),
            ("rest", Kind::Word),
            ("b\"a\"", Kind::Other),
            ("br#\"a\"#", Kind::Other),
            ("b'a'", Kind::Other),
            ("'a'", Kind::Other),
            ("-1", Kind::Number),
            ("NaN", Kind::Number),
            ("false", Kind::Bool),
            ("[]", Kind::List),
            ("{}", Kind::Map),
            ("()", Kind::Struct),
            ("Table(a: 1)", Kind::Struct),
            ("(a)", Kind::Tuple),
            ("Some(\"a:\")", Kind::Tuple),
        ];
        for (text, kind) in kinds {
            assert_eq!(ours(text).map(|(kind, _)| kind), Some(kind), "{text}");
        }
    }

    #[test]
    fn strings_keep_their_place_unless_they_have_escapes() {
        let cases = [
            (r#""a b""#, "a b", Some(1)),
            ("r##\"a\"#\"##", "a\"#", Some(4)),
            ("r\"#\"", "#", Some(2)),
            (r#""a\tb""#, "a\tb", None),
        ];
        for (text, expected, start) in cases {
            let mut sources = SourceMap::default();
            let id = sources.add("text", text);
            let value = check(&sources, id).expect("it is RON");
            assert_eq!(
                value.string(),
                Some((Cow::Borrowed(expected), start)),
                "{text}"
            );
        }
    }
}
