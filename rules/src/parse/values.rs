//! Values of RON: numbers, words, truth values and texts, each reported where it is of the wrong type.

use std::borrow::Cow;

use situ_words::{Argument, Phrase, phrase, say};

use super::fields::{Field, Reader};
use super::report;
use super::ron::{Kind, Value as Ron, number_length};
use super::tokens::{Parser, Text};
use crate::lex::{KEYWORDS, is_plain_name, normalised, vanishes};
use crate::source::{Span, Spanned};
use crate::tree::{Expr, ExprKind, Literal, LiteralKind, Name};

/// Words of other languages for a value that is not there, which in quotes would be names.
const NOTHING: [&str; 5] = ["null", "nil", "none", "undefined", "nan"];

impl Reader {
    pub(super) fn name(&mut self, field: Field<'_>) -> Option<Name> {
        let value = field.value;
        if value.kind() != Kind::String {
            self.wrong_type(
                format!("`{}`", field.name),
                phrase!("phrase-name-quotes"),
                value.kind(),
                value,
            );
            return None;
        }
        let text = self.string(value)?;
        if is_plain_name(&text.text) {
            return Some(Name::new(normalised(&text.text).into_owned(), text.whole()));
        }
        let reports = self.diagnostics.len();
        let name = self.parse(&text, |parser| parser.whole(Parser::name));
        if self.diagnostics.len() == reports {
            return Some(name);
        }
        let written = text.text.trim();
        if KEYWORDS.contains(&written) || written.contains(['`', '\n']) {
            return Some(name).filter(|name| !name.value.is_empty());
        }
        self.diagnostics.truncate(reports);
        if written.is_empty() {
            self.report(report::empty_name(value.span()));
            return None;
        }
        let why = phrase!("phrase-names-consist-letters");
        let help = say!("parse-name.help");
        let report = report::bad_name(&written.escape_debug().to_string(), why, text.whole());
        let report = match text.start {
            Some(_) => report.with_edit(help, text.whole(), format!("`{written}`")),
            None => report.with_help(help),
        };
        self.report(report);
        // Taken as it stands, so that its uses are not reported as well.
        Some(Name::new(normalised(written).into_owned(), text.whole()))
    }

    /// A number, or a string by the grammar of the lines.
    pub(super) fn expression(&mut self, field: Field<'_>) -> Expr {
        self.value(
            format!("`{}`", field.name),
            field.value,
            phrase!("phrase-number-expression-quotes"),
        )
    }

    pub(super) fn value(&mut self, what: impl Argument, value: Ron<'_>, expected: Phrase) -> Expr {
        let span = value.span();
        let read = match value.kind() {
            Kind::Number => self.finite(value).map(|number| Expr {
                span,
                kind: ExprKind::Number(number),
            }),
            Kind::String => self
                .string(value)
                .map(|text| self.parse(&text, |parser| parser.whole(Parser::expression))),
            found => {
                self.wrong_type(what, expected, found, value);
                None
            }
        };
        read.unwrap_or_else(|| unread(span))
    }

    pub(super) fn number(&mut self, field: Field<'_>) -> Option<Spanned<f64>> {
        let value = field.value;
        match value.kind() {
            Kind::Number => self
                .finite(value)
                .map(|number| Spanned::new(number, value.span())),
            found => {
                let what = format!("`{}`", field.name);
                let text = value.string().filter(|_| found == Kind::String);
                let digits = text
                    .as_ref()
                    .map_or("", |(text, _)| number_before_unit(text.trim()));
                if digits.is_empty() {
                    self.wrong_type(&what, phrase!("phrase-number"), found, value);
                } else {
                    let report = report::wrong_type(
                        &what,
                        phrase!("phrase-number"),
                        found.describe(),
                        value.span(),
                    );
                    let behind = text.as_ref().map_or("", |(text, _)| text.trim());
                    let behind = behind[digits.len()..].trim();
                    // Another unit would make it another number.
                    let is_number = behind.is_empty() || self.unit.as_deref() == Some(behind);
                    self.report(match is_number {
                        true => {
                            let help = say!("parse-number.help", digits);
                            report.with_edit(help, value.span(), digits)
                        }
                        false => report.with_help(say!("parse-number.help-unit")),
                    });
                }
                None
            }
        }
    }

    fn finite(&mut self, value: Ron<'_>) -> Option<f64> {
        let number = value.number().filter(|number| number.is_finite());
        let why = match number {
            Some(number) if vanishes(value.written(), number) => phrase!("phrase-too-small"),
            Some(number) => return Some(number),
            None => phrase!("phrase-not-finite-decimal"),
        };
        self.report(report::bad_number(value.written(), why, value.span()));
        None
    }

    pub(super) fn positive(&mut self, field: Option<Field<'_>>) -> Option<Spanned<f64>> {
        self.bounded(field, phrase!("phrase-above-zero"), |number| number > 0.0)
    }

    pub(super) fn not_negative(&mut self, field: Option<Field<'_>>) -> Option<Spanned<f64>> {
        self.bounded(field, phrase!("phrase-zero-above"), |number| number >= 0.0)
    }

    pub(super) fn bounded(
        &mut self,
        field: Option<Field<'_>>,
        expected: impl Argument,
        fits: fn(f64) -> bool,
    ) -> Option<Spanned<f64>> {
        let field = field?;
        let number = self.number(field)?;
        if !fits(number.value) {
            self.report(report::out_of_range(field.name, expected, number.span));
            return None;
        }
        Some(number)
    }

    /// Two numbers, the smaller one first.
    pub(super) fn range_of(&mut self, field: Field<'_>) -> Option<Spanned<[f64; 2]>> {
        let value = field.value;
        let ends: Vec<Ron<'_>> = match value.kind() {
            Kind::Tuple | Kind::List => value.items().take(3).collect(),
            _ => Vec::new(),
        };
        let [low, high] = ends[..] else {
            let expected = phrase!("phrase-least-greatest-number");
            self.wrong_type(format!("`{}`", field.name), expected, value.kind(), value);
            return None;
        };
        let mut end = |value| self.number(Field { value, ..field });
        let (low, high) = (end(low), end(high));
        let ends = [low?.value, high?.value];
        if ends[0] >= ends[1] {
            let expected = phrase!("phrase-smaller-number-then");
            self.report(report::out_of_range(field.name, expected, value.span()));
            return None;
        }
        Some(Spanned::new(ends, value.span()))
    }

    /// One of some words, in quotes or bare.
    pub(super) fn word<T: Copy>(
        &mut self,
        field: Option<Field<'_>>,
        words: &[(&'static str, T)],
    ) -> Option<Spanned<T>> {
        let field = field?;
        let value = field.value;
        let (written, quote) = match value.kind() {
            Kind::Word => (Cow::Borrowed(value.written()), ""),
            Kind::String => (self.string(value)?.text, "\""),
            found => {
                let known: Vec<String> =
                    words.iter().map(|(word, _)| format!("`{word}`")).collect();
                let expected = known.join(&say!("parse-or"));
                self.wrong_type(format!("`{}`", field.name), expected, found, value);
                return None;
            }
        };
        let found = words.iter().find(|(word, _)| *word == written);
        if found.is_none() {
            let known: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
            self.report(report::unknown_word(
                format!("`{}`", field.name),
                &written,
                &known,
                value.span(),
                quote,
            ));
        }
        found.map(|(_, word)| Spanned::new(*word, value.span()))
    }

    pub(super) fn boolean(&mut self, field: Field<'_>) -> Option<Spanned<bool>> {
        self.truth(field.name, field.value)
    }

    pub(super) fn truth(&mut self, name: &str, value: Ron<'_>) -> Option<Spanned<bool>> {
        match value.kind() {
            Kind::Bool => Some(Spanned::new(value.written() == "true", value.span())),
            found => {
                let (what, expected) = (format!("`{name}`"), phrase!("phrase-true-false"));
                let written = value.written().trim_matches('"').to_lowercase();
                match truth_meant(&written) {
                    Some(truth) => {
                        let report =
                            report::wrong_type(&what, expected, found.describe(), value.span());
                        self.report(report.with_edit(
                            say!("parse-truth.help", truth),
                            value.span(),
                            truth,
                        ));
                    }
                    None => self.wrong_type(&what, expected, found, value),
                }
                None
            }
        }
    }

    pub(super) fn optional_text(&mut self, field: Option<Field<'_>>) -> Option<Spanned<String>> {
        field.and_then(|field| self.text(field))
    }

    /// A string; its place is that of the value, quotes included.
    pub(super) fn text(&mut self, field: Field<'_>) -> Option<Spanned<String>> {
        let value = field.value;
        if value.kind() != Kind::String {
            self.wrong_type(
                format!("`{}`", field.name),
                phrase!("phrase-string"),
                value.kind(),
                value,
            );
            return None;
        }
        let text = self.string(value)?;
        Some(Spanned::new(text.text.into_owned(), value.span()))
    }

    pub(super) fn list<'a>(
        &mut self,
        field: Field<'a>,
        expected: Phrase,
    ) -> Option<impl Iterator<Item = Ron<'a>> + use<'a>> {
        let value = field.value;
        if value.kind() != Kind::List {
            self.wrong_type(format!("`{}`", field.name), expected, value.kind(), value);
            return None;
        }
        Some(value.items())
    }

    pub(super) fn string<'a>(&mut self, value: Ron<'a>) -> Option<Written<'a>> {
        let Some((text, start)) = value.string() else {
            self.wrong_type(
                phrase!("phrase-it"),
                phrase!("phrase-string-text"),
                Kind::Other,
                value,
            );
            return None;
        };
        Some(Written {
            text,
            start,
            span: value.span(),
        })
    }

    pub(super) fn parse<T>(
        &mut self,
        text: &Written<'_>,
        read: impl FnOnce(&mut Parser<'_>) -> T,
    ) -> T {
        read(&mut Parser::new(
            text.places(),
            &mut self.lexemes,
            &mut self.diagnostics,
        ))
    }

    pub(super) fn wrong_type(
        &mut self,
        what: impl Argument,
        expected: impl Into<Expected>,
        found: Kind,
        value: Ron<'_>,
    ) {
        let expected = expected.into();
        let mut report = report::wrong_type(what, &expected.words, found.describe(), value.span());
        let is_nothing = NOTHING.contains(&&*value.written().to_lowercase());
        if found == Kind::Word && expected.is_quoted && !is_nothing {
            let quoted = format!("\"{}\"", value.written());
            report = report.with_edit(say!("parse-write-quotes"), value.span(), quoted);
        }
        let written = value.written();
        if matches!(found, Kind::Tuple | Kind::Struct)
            && value.type_name().is_some()
            && expected.is_quoted
            && !written.contains('"')
        {
            let quoted = format!("\"{written}\"");
            report = report.with_edit(
                say!("parse-wrong-type.help-expression-quotes"),
                value.span(),
                quoted,
            );
        }
        if found == Kind::Other && written.starts_with('\'') && !written.contains(['"', '\\']) {
            let quoted = format!("\"{}\"", written.trim_matches('\''));
            let help = say!("parse-wrong-type.help-text-between");
            report = report.with_edit(help, value.span(), quoted);
        }
        self.report(report);
    }
}

/// What is expected in a place.
pub(super) struct Expected {
    words: String,
    /// True if it stands in quotes.
    is_quoted: bool,
}

impl From<Phrase> for Expected {
    fn from(phrase: Phrase) -> Self {
        Self {
            words: phrase.into(),
            is_quoted: QUOTED.contains(&phrase),
        }
    }
}

impl From<String> for Expected {
    fn from(words: String) -> Self {
        Self {
            words,
            is_quoted: false,
        }
    }
}

/// What stands in quotes.
const QUOTED: &[Phrase] = &[
    phrase!("phrase-string"),
    phrase!("phrase-string-text"),
    phrase!("phrase-strings"),
    phrase!("phrase-name-quotes"),
    phrase!("phrase-its-name-quotes"),
    phrase!("phrase-id-quotes"),
    phrase!("phrase-line-quotes"),
    phrase!("phrase-line-quotes-such"),
    phrase!("phrase-line-quotes-columns"),
    phrase!("phrase-list-lines-quotes"),
    phrase!("phrase-sign-quotes"),
    phrase!("phrase-name-comparison-quotes"),
    phrase!("phrase-number-expression-quotes"),
    phrase!("phrase-number-expression"),
    phrase!("phrase-number-expression-start"),
    phrase!("phrase-number-expression-true"),
    phrase!("phrase-name-number-expression"),
    phrase!("phrase-name-column-list"),
    phrase!("phrase-fields-parentheses-such"),
];

/// The truth value that a word stands for elsewhere.
fn truth_meant(word: &str) -> Option<&'static str> {
    match word {
        "1" | "true" | "yes" | "on" | "да" => Some("true"),
        "0" | "false" | "no" | "off" | "нет" => Some("false"),
        _ => None,
    }
}

/// An expression that could not be read.
pub(super) fn unread(span: Span) -> Expr {
    Expr {
        span,
        kind: ExprKind::Error,
    }
}

/// A literal that could not be read.
pub(super) fn unread_literal(span: Span) -> Literal {
    Literal {
        span,
        negated: false,
        kind: LiteralKind::Error,
    }
}

/// The text of a string and where it stands.
pub(super) struct Written<'a> {
    pub(super) text: Cow<'a, str>,
    /// Its first byte in the source, unless it was written with escapes.
    pub(super) start: Option<usize>,
    /// The string with its quotes.
    pub(super) span: Span,
}

impl Written<'_> {
    /// No text, for what is made of parts that were read.
    pub(super) fn nothing(span: Span) -> Self {
        Self {
            text: Cow::Borrowed(""),
            start: None,
            span,
        }
    }

    fn places(&self) -> Text<'_> {
        match self.start {
            Some(start) => {
                let start = u32::try_from(start).expect("a source has fewer than 2^32 bytes");
                Text::exact(&self.text, self.span.source, start)
            }
            None => Text::within(&self.text, self.span),
        }
    }

    pub(super) fn whole(&self) -> Span {
        self.places().whole()
    }
}

/// The number that a text begins with, if nothing but a unit stands behind it.
fn number_before_unit(text: &str) -> &str {
    let (number, rest) = text.split_at(number_length(text));
    let is_unit = rest.is_empty()
        || rest
            .trim_start()
            .starts_with(|c: char| c.is_alphabetic() || "°%µ".contains(c));
    if is_unit { number } else { "" }
}
