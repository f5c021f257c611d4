//! RON as places: which parts a value has and where they stand.
//!
//! The crate `ron` decides whether a text is RON at all ([`check`]). Text that passed is cut up
//! here by brackets, commas and colons alone ([`Value::items`], [`Value::entries`]), one level at
//! a time and without copying, so that every row, key and value keeps its place; single strings
//! and numbers that are more than plain go back to the crate. A test holds the cuts against those
//! of the crate's own `RawValue`, which finds them too but reads every level twice.

mod bare;
mod broken;
mod expected;
mod formats;
mod lexer;
mod quotes;
mod report;
#[cfg(test)]
mod tests;
mod walk;

use std::borrow::Cow;

use ron::Options;
use serde::de::IgnoredAny;
use situ_words::{Phrase, phrase};

pub(crate) use self::bare::{is_invisible, number_length};
use self::broken::explain;
use self::lexer::is_raw_string;
pub(crate) use self::lexer::{Token, Tokens};
use crate::diag::Diagnostic;
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

/// Kind of a value.
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
    pub(crate) fn describe(self) -> Phrase {
        match self {
            Self::String => phrase!("phrase-string"),
            Self::Number => phrase!("phrase-number"),
            Self::Bool => phrase!("phrase-truth-value"),
            Self::List => phrase!("phrase-list"),
            Self::Map => phrase!("phrase-names-values-braces"),
            Self::Struct => phrase!("phrase-fields-parentheses"),
            Self::Tuple => phrase!("phrase-values-parentheses"),
            Self::Word => phrase!("phrase-bare-word"),
            Self::Other => phrase!("phrase-another-kind-value"),
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
    if text[start..].starts_with('{') {
        let first: Vec<_> = Tokens::new(&text[start..]).take(3).collect();
        let first: Vec<_> = first
            .into_iter()
            .map(|(token, from, to)| (token, from + start, to + start))
            .collect();
        if let Some(report) = formats::other_format(text, source, &first) {
            return Err(Box::new(report));
        }
    }
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

    /// Its kind, judged by its first characters.
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
