//! Fields and values of RON: what every part of a table is read with.
//!
//! [`Reader::fields`] reports unknown and repeated fields and hands back the known ones; what is of
//! the wrong type is reported where it stands.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use situ_engine::model::Clock;
use situ_words::{Phrase, phrase, say};

use super::report;
use super::ron::{Kind, Value as Ron};
use super::tokens::Parser;
use crate::diag::{Diagnostic, nearest};
use crate::letters::skeleton;
use crate::lex::{KEYWORDS, Lexeme, normalised};
use crate::source::Span;
use crate::tree::{Name, real_of_rate};

/// Name of a struct in messages, and the name that may stand in front of its bracket.
#[derive(Clone, Copy)]
pub(super) struct Shape {
    pub(super) called: Phrase,
    pub(super) type_name: &'static str,
}

/// Reads values and collects what is wrong with them.
#[derive(Default)]
pub(super) struct Reader {
    pub(super) diagnostics: Vec<Diagnostic>,
    /// Working space.
    pub(super) lexemes: Vec<Lexeme>,
    /// Places of what is left out, see [`Table::unread`](crate::tree::Table::unread).
    pub(super) unread: Vec<Span>,
    /// Unit of the numbers that are read, if one is known.
    pub(super) unit: Option<String>,
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
            let expected = phrase!("phrase-fields-parentheses-such");
            self.wrong_type(shape.called, expected, kind, value);
            return None;
        }
        if kind == Kind::Map {
            let brace = Span {
                end: value.span().start + 1,
                ..value.span()
            };
            self.report(
                report::wrong_type(
                    shape.called,
                    phrase!("phrase-parentheses"),
                    phrase!("phrase-braces"),
                    brace,
                )
                .with_help(say!("parse-fields.help-write-name")),
            );
        }
        if let Some(name) = value.type_name()
            && name.written() != shape.type_name
        {
            let what = format!("`{}`", name.written());
            self.report(
                report::expected(shape.called, &what, name.span()).with_edit(
                    say!("parse-leave-out"),
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
                let near = meant(written, &names);
                self.report(report::unknown_field(
                    shape.called,
                    written,
                    &names,
                    near,
                    key.span(),
                ));
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
                    format!("`{}`", field.name),
                    phrase!("phrase-braces"),
                    phrase!("phrase-parentheses"),
                    value.span(),
                )
                .with_help(say!("parse-entries.help-write")),
            ),
            found => {
                let example = match field.name {
                    "switches" => "true",
                    "invariants" => "\"x + y\"",
                    "machines" => "(start: \"a\", states: {\"a\": []})",
                    "states" => "[\"x = integral(1)\"]",
                    "formulas" => "\"C8 H10\"",
                    "parts" => "(file: \"tank.ron\")",
                    "cases" => "(set: {\"k\": 1.0})",
                    "lookups" => "(x: [0, 1], y: [0, 5])",
                    _ => "1.0",
                };
                let expected = say!("parse-entries.names-values-such", example);
                self.wrong_type(format!("`{}`", field.name), expected, found, value);
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
                        let what = say!("parse-entries.what", written = key.written());
                        self.report(
                            report::expected(phrase!("phrase-name-quotes"), &what, key.span())
                                .with_edit(say!("parse-write-quotes"), key.span(), quoted),
                        );
                    }
                    let text = normalised(key.written()).into_owned();
                    Some(Name::new(text, key.span()))
                }
                found => {
                    self.wrong_type(phrase!("phrase-name"), phrase!("phrase-string"), found, key);
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

    fn without_repetitions<'a>(&mut self, entries: Vec<(Name, Ron<'a>)>) -> Vec<(Name, Ron<'a>)> {
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
    fn key_name(&mut self, key: Ron<'_>) -> Option<Name> {
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
        // The guess of a rate for which a row solves.
        if let Some((text, _)) = key.string()
            && real_of_rate(&text).is_some()
        {
            let text = self.string(key)?;
            let name = self.parse(&text, |parser| parser.whole(Parser::solve_target));
            return Some(name).filter(|name| !name.value.is_empty());
        }
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
                phrase!("phrase-holds-invisible-character"),
                text.span,
            ));
            return None;
        }
        Some(Name::new(normalised(name).into_owned(), text.span))
    }

    pub(super) fn report(&mut self, report: Diagnostic) {
        self.diagnostics.push(report);
    }
}

/// The field that an unknown one is most likely meant to be: one of nearly that name, or of that
/// meaning.
fn meant<'k>(name: &str, known: &[&'k str]) -> Option<&'k str> {
    const MEANINGS: &[(&str, &str)] = &[
        ("when", "all"),
        ("all", "when"),
        ("if", "when"),
        ("if", "all"),
        ("condition", "when"),
        ("condition", "all"),
        ("conditions", "all"),
        ("situation", "when"),
        ("situation", "name"),
        ("variable", "real"),
        ("target", "real"),
        ("name", "real"),
        ("method", "procedure"),
        ("function", "procedure"),
        ("proc", "procedure"),
        ("coefficient", "coef"),
        ("factor", "coef"),
        ("arguments", "args"),
        ("inputs", "args"),
        ("value", "start"),
        ("initial", "start"),
        ("label", "name"),
        ("title", "name"),
        ("description", "about"),
        ("comment", "note"),
        ("remark", "note"),
        ("base", "extends"),
        ("parameters", "constants"),
        ("params", "constants"),
        ("variables", "reals"),
        ("booleans", "switches"),
        ("flags", "switches"),
        ("guards", "ranges"),
        ("events", "situations"),
        ("modes", "situations"),
        ("equations", "relations"),
        ("scenarios", "cases"),
        ("states", "reals"),
        ("predicates", "ranges"),
        ("rules", "relations"),
    ];
    const RUSSIAN: &[(&str, &str)] = &[
        ("формат", "format"),
        ("имя", "name"),
        ("название", "name"),
        ("описание", "about"),
        ("источник", "source"),
        ("часы", "clock"),
        ("основа", "extends"),
        ("константы", "constants"),
        ("счётчики", "counters"),
        ("счетчики", "counters"),
        ("входы", "inputs"),
        ("вещественные", "reals"),
        ("переменные", "reals"),
        ("величины", "reals"),
        ("вещества", "species"),
        ("переключатели", "switches"),
        ("части", "parts"),
        ("диапазоны", "ranges"),
        ("ситуации", "situations"),
        ("события", "situations"),
        ("присваивания", "assignments"),
        ("соотношения", "relations"),
        ("отношения", "relations"),
        ("уравнения", "relations"),
        ("правила", "relations"),
        ("реакции", "reactions"),
        ("формулы", "formulas"),
        ("автоматы", "machines"),
        ("инварианты", "invariants"),
        ("ожидания", "expect"),
        ("варианты", "cases"),
        ("сцена", "scene"),
        ("начало", "start"),
        ("значение", "start"),
        ("единица", "unit"),
        ("единицы", "unit"),
        ("шаг", "step"),
        ("конец", "stop"),
        ("метод", "method"),
        ("допуск", "rtol"),
    ];
    let named = |field: &str| known.iter().copied().find(|known| *known == field);
    let plural = || named(&format!("{name}s")).or_else(|| named(&format!("{name}es")));
    if let Some(field) = named(&skeleton(name)).or_else(plural) {
        return Some(field);
    }
    let meanings = MEANINGS.iter().chain(RUSSIAN);
    let meanings = meanings.filter(|(other, _)| *other == name);
    let of_clock = Clock::SETTINGS.iter();
    let of_clock = of_clock.filter(|setting| setting.others.contains(&name));
    meanings
        .map(|(_, field)| *field)
        .chain(of_clock.map(|setting| setting.name))
        .find_map(named)
        .or_else(|| nearest(name, known.iter().copied()))
}
