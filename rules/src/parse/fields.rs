//! Fields and values of RON: what every part of a table is read with.
//!
//! [`Reader::fields`] reports unknown and repeated fields and hands back the known ones; what is of
//! the wrong type is reported where it stands.

use std::borrow::Cow;
use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::report;
use super::ron::{Kind, Value as Ron};
use super::tokens::{Parser, Text};
use crate::diag::Diagnostic;
use crate::lex::{KEYWORDS, Lexeme, is_plain_name, normalised};
use crate::source::{Span, Spanned};
use crate::tree::{Expr, ExprKind, Literal, LiteralKind, Name};

/// What a struct is called in messages, and the name that may stand in front of its bracket.
#[derive(Clone, Copy)]
pub(super) struct Shape {
    pub(super) called: &'static str,
    pub(super) type_name: &'static str,
}

/// Reads values and collects what is wrong with them.
#[derive(Default)]
pub(super) struct Reader {
    pub(super) diagnostics: Vec<Diagnostic>,
    /// Working space.
    lexemes: Vec<Lexeme>,
    /// Places of what is left out, see [`Table::unread`](crate::tree::Table::unread).
    pub(super) unread: Vec<Span>,
}

/// A field that was found: its name and its value.
#[derive(Clone, Copy)]
pub(super) struct Field<'a> {
    pub(super) name: &'static str,
    pub(super) value: Ron<'a>,
}

impl Reader {
    /// The fields of a struct in the order of `names`; unknown and repeated ones are reported.
    /// `None` after a report, if it is no struct.
    pub(super) fn fields<'a, const N: usize>(
        &mut self,
        value: Ron<'a>,
        shape: Shape,
        names: [&'static str; N],
    ) -> Option<[Option<Field<'a>>; N]> {
        let kind = value.kind();
        if !matches!(kind, Kind::Struct | Kind::Map) {
            let expected = "fields in parentheses such as `(name: ..)`";
            self.wrong_type(shape.called, expected, kind, value);
            return None;
        }
        if kind == Kind::Map {
            let brace = Span {
                end: value.span().start + 1,
                ..value.span()
            };
            self.report(
                report::wrong_type(shape.called, "parentheses", "braces", brace)
                    .with_help("write `(name: ..)`, field names without quotes"),
            );
        }
        if let Some(name) = value.type_name()
            && name.written() != shape.type_name
        {
            let what = format!("`{}`", name.written());
            self.report(
                report::expected(shape.called, &what, name.span()).with_edit(
                    "leave it out",
                    name.span(),
                    "",
                ),
            );
        }
        let mut found: [Option<Field<'a>>; N] = [None; N];
        let mut keys: [Option<Span>; N] = [None; N];
        let mut misspelt: Vec<(usize, Ron<'a>)> = Vec::new();
        for (key, value) in value.entries() {
            let Some(key) = key else { continue };
            let written = key.written().trim_matches('"');
            let Some(index) = names.iter().position(|name| *name == written) else {
                self.report(report::unknown_field(
                    shape.called,
                    written,
                    &names,
                    key.span(),
                ));
                let near = report::field_meant(written, &names);
                match names.iter().position(|name| near == Some(*name)) {
                    Some(index) => misspelt.push((index, value)),
                    None => self.unread.push(value.span()),
                }
                continue;
            };
            if let Some(first) = keys[index] {
                self.report(report::repeated_key(written, first, key.span()));
                continue;
            }
            keys[index] = Some(key.span());
            found[index] = Some(Field {
                name: names[index],
                value,
            });
        }
        // Read as what they are most likely meant to be, so that nothing is reported as missing.
        for (index, value) in misspelt {
            found[index].get_or_insert(Field {
                name: names[index],
                value,
            });
        }
        Some(found)
    }

    /// The fields; those that are absent are reported.
    pub(super) fn required<'a, const N: usize>(
        &mut self,
        value: Ron<'a>,
        shape: Shape,
        fields: [(&'static str, Option<Field<'a>>); N],
    ) -> [Option<Field<'a>>; N] {
        fields.map(|(name, field)| {
            if field.is_none() {
                self.report(report::missing_field(shape.called, name, value.span()));
            }
            field
        })
    }

    /// Names and values; a name given twice is reported and left out.
    pub(super) fn named<'a>(&mut self, field: Field<'a>) -> Vec<(Name, Ron<'a>)> {
        self.entries(field, Reader::key_name)
    }

    pub(super) fn entries<'a>(
        &mut self,
        field: Field<'a>,
        name: impl Fn(&mut Reader, Ron<'a>) -> Option<Name>,
    ) -> Vec<(Name, Ron<'a>)> {
        let value = field.value;
        match value.kind() {
            Kind::Map => {}
            Kind::Struct => self.report(
                report::wrong_type(
                    &format!("`{}`", field.name),
                    "braces",
                    "parentheses",
                    value.span(),
                )
                .with_help("write `{\"name\": value}`"),
            ),
            found => {
                let example = match field.name {
                    "switches" => "true",
                    "invariants" => "\"x + y\"",
                    "cases" => "(set: {\"k\": 1.0})",
                    _ => "1.0",
                };
                let expected = format!("names and values such as `{{\"name\": {example}}}`");
                self.wrong_type(&format!("`{}`", field.name), &expected, found, value);
                self.unread.push(value.span());
                return Vec::new();
            }
        }
        let is_map = value.kind() == Kind::Map;
        let mut entries: Vec<(Name, Ron<'a>)> = Vec::new();
        for (key, value) in value.entries() {
            let Some(key) = key else { continue };
            let key_name = match key.kind() {
                Kind::String => name(self, key),
                Kind::Word => {
                    if is_map {
                        let quoted = format!("\"{}\"", key.written());
                        let what = format!("the bare word `{}`", key.written());
                        self.report(
                            report::expected("a name in quotes", &what, key.span()).with_edit(
                                "write it in quotes",
                                key.span(),
                                quoted,
                            ),
                        );
                    }
                    let text = normalised(key.written()).into_owned();
                    Some(Name::new(text, key.span()))
                }
                found => {
                    self.wrong_type("a name", "a string", found, key);
                    None
                }
            };
            match key_name {
                Some(name) => entries.push((name, value)),
                None => self.unread.push(key.span().to(value.span())),
            }
        }
        self.without_repetitions(entries)
    }

    pub(super) fn without_repetitions<'a>(
        &mut self,
        entries: Vec<(Name, Ron<'a>)>,
    ) -> Vec<(Name, Ron<'a>)> {
        let mut first: HashMap<&str, Span> = HashMap::with_capacity(entries.len());
        let mut repeated = Vec::new();
        for (index, (name, _)) in entries.iter().enumerate() {
            match first.entry(&name.value) {
                Entry::Vacant(entry) => {
                    entry.insert(name.span);
                }
                Entry::Occupied(entry) => {
                    repeated.push(index);
                    self.diagnostics.push(report::repeated_key(
                        &name.value,
                        *entry.get(),
                        name.span,
                    ));
                }
            }
        }
        if repeated.is_empty() {
            return entries;
        }
        let mut repeated = repeated.into_iter().peekable();
        let kept = entries.into_iter().enumerate();
        kept.filter(|(index, _)| repeated.next_if_eq(index).is_none())
            .map(|(_, entry)| entry)
            .collect()
    }

    pub(super) fn contradiction(&mut self, first: Field<'_>, second: Field<'_>) {
        let spans = (first.value.span(), second.value.span());
        self.report(report::contradiction(
            first.name,
            second.name,
            spans.1,
            spans.0,
        ));
    }

    // Values.

    /// The name that a key of a map spells, by the rules of the lines.
    pub(super) fn key_name(&mut self, key: Ron<'_>) -> Option<Name> {
        if let Some((text, _)) = key.string()
            && KEYWORDS.contains(&&*text)
        {
            // What is declared under it is not reported as unknown as well.
            self.report(report::keyword(&text, key.span()));
            return Some(Name::new(text.into_owned(), key.span()));
        }
        let field = Field {
            name: "name",
            value: key,
        };
        self.name(field)
    }

    /// The name of a case: any text.
    pub(super) fn case_name(&mut self, key: Ron<'_>) -> Option<Name> {
        let text = self.text(Field {
            name: "name",
            value: key,
        })?;
        let name = text.value.trim();
        if name.is_empty() {
            self.report(report::empty_name(text.span));
            return None;
        }
        if name.contains(char::is_control) {
            let shown = name.escape_debug().to_string();
            self.report(report::bad_name(
                &shown,
                "it holds an invisible character",
                text.span,
            ));
            return None;
        }
        Some(Name::new(normalised(name).into_owned(), text.span))
    }

    pub(super) fn name(&mut self, field: Field<'_>) -> Option<Name> {
        let value = field.value;
        if value.kind() != Kind::String {
            self.wrong_type(
                &format!("`{}`", field.name),
                "a name in quotes",
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
            return None;
        }
        self.diagnostics.truncate(reports);
        if written.is_empty() {
            self.report(report::empty_name(value.span()));
            return None;
        }
        let why = "names consist of letters, digits and `_`";
        let help = "write any other name between backticks";
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
            &format!("`{}`", field.name),
            field.value,
            "a number or an expression in quotes",
        )
    }

    pub(super) fn value(&mut self, what: &str, value: Ron<'_>, expected: &str) -> Expr {
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
                self.wrong_type(&format!("`{}`", field.name), "a number", found, value);
                None
            }
        }
    }

    pub(super) fn finite(&mut self, value: Ron<'_>) -> Option<f64> {
        let number = value.number().filter(|number| number.is_finite());
        if number.is_none() {
            let why = "it is not a finite decimal number";
            self.report(report::bad_number(value.written(), why, value.span()));
        }
        number
    }

    pub(super) fn positive(&mut self, field: Option<Field<'_>>) -> Option<Spanned<f64>> {
        self.bounded(field, "above zero", |number| number > 0.0)
    }

    pub(super) fn not_negative(&mut self, field: Option<Field<'_>>) -> Option<Spanned<f64>> {
        self.bounded(field, "zero or above", |number| number >= 0.0)
    }

    pub(super) fn bounded(
        &mut self,
        field: Option<Field<'_>>,
        expected: &str,
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
                let expected = known.join(" or ");
                self.wrong_type(&format!("`{}`", field.name), &expected, found, value);
                return None;
            }
        };
        let found = words.iter().find(|(word, _)| *word == written);
        if found.is_none() {
            let known: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
            self.report(report::unknown_word(
                &format!("`{}`", field.name),
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
                let (what, expected) = (format!("`{name}`"), "`true` or `false`");
                let meant = ["0", "1"]
                    .iter()
                    .position(|digit| *digit == value.written());
                match meant {
                    Some(digit) => {
                        let truth = if digit == 1 { "true" } else { "false" };
                        let report =
                            report::wrong_type(&what, expected, found.describe(), value.span());
                        self.report(report.with_edit(
                            format!("write `{truth}`"),
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
                &format!("`{}`", field.name),
                "a string",
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
        expected: &str,
    ) -> Option<impl Iterator<Item = Ron<'a>> + use<'a>> {
        let value = field.value;
        if value.kind() != Kind::List {
            self.wrong_type(&format!("`{}`", field.name), expected, value.kind(), value);
            return None;
        }
        Some(value.items())
    }

    pub(super) fn string<'a>(&mut self, value: Ron<'a>) -> Option<Written<'a>> {
        let Some((text, start)) = value.string() else {
            self.wrong_type("it", "a string of text", Kind::Other, value);
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

    pub(super) fn wrong_type(&mut self, what: &str, expected: &str, found: Kind, value: Ron<'_>) {
        let mut report = report::wrong_type(what, expected, found.describe(), value.span());
        if found == Kind::Word
            && ["string", "quotes", "name", "expression"]
                .iter()
                .any(|word| expected.contains(word))
        {
            let quoted = format!("\"{}\"", value.written());
            report = report.with_edit("write it in quotes", value.span(), quoted);
        }
        self.report(report);
    }

    pub(super) fn report(&mut self, report: Diagnostic) {
        self.diagnostics.push(report);
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
    pub(super) fn places(&self) -> Text<'_> {
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
