//! Names that nothing declares, that clash, or that stand for another kind of thing.

use situ_engine::procedure::ProcedureId;
use situ_words::{Phrase, phrase, say};
use unicode_normalization::UnicodeNormalization;

use super::{count_uses, declared_here, error};
use crate::diag::Diagnostic;
use crate::resolve::edits;
use crate::resolve::symbol::{Declared, Known, Symbol, UnknownName, Use};
use crate::source::{SourceMap, Span};
use crate::tree::{Name, Table};
use crate::{letters, print};

/// `table`: the table that uses the name; none at the prompt, where nothing can be declared.
pub(in crate::resolve) fn unknown_name(
    unknown: &UnknownName,
    near: Option<&str>,
    sources: &SourceMap,
    table: Option<&Table>,
) -> Diagnostic {
    let UnknownName {
        ref name,
        span,
        role,
        n_uses,
    } = *unknown;
    let name = name.as_str();
    let (code, message, label) = match role {
        Use::Written => (
            "N005",
            say!("names-unknown-name.written-but-table", name),
            phrase!("names-written-here"),
        ),
        Use::Set => (
            "N005",
            say!("names-unknown-name.set-but-table", name),
            phrase!("names-unknown-name.set-here"),
        ),
        Use::Condition => (
            "N001",
            say!("names-unknown-name.unknown-name", name),
            phrase!("names-unknown-name.used-condition-here"),
        ),
        Use::Value => (
            "N001",
            say!("names-unknown-name.unknown-name", name),
            phrase!("names-unknown-name.used-number-here"),
        ),
        Use::Setting => (
            "N001",
            say!("names-unknown-name.unknown-name", name),
            phrase!("names-unknown-name.nothing-name-set"),
        ),
    };
    let mut diagnostic = error(code, message, span).at(span, label);
    count_uses(&mut diagnostic, n_uses);
    if let ("true" | "false" | "EverTrue" | "истина" | "ложь", Use::Condition | Use::Value) =
        (name, role)
    {
        return diagnostic.with_help(match role {
            Use::Condition => phrase!("names-unknown-name.row-without-when"),
            _ => phrase!("names-unknown-name.truth-value-not"),
        });
    }
    let word = WORDS.iter().find(|(other, _)| *other == name);
    if let (Some((_, word)), Use::Condition | Use::Value) = (word, role) {
        let help = match *word {
            "time" => say!("names-unknown-name.help-time-run", word),
            "start" => say!("names-unknown-name.help-start-run", word),
            _ => say!("names-unknown-name.help-number-written", word),
        };
        return match edits::renamed(sources, span, name, word) {
            Some((span, text)) => diagnostic.with_edit(help, span, text),
            None => diagnostic.with_help(help),
        };
    }
    if let (Some(real), Use::Value) = (rate_quotient(sources, span), role) {
        return diagnostic.with_help(say!("names-unknown-name.help-rate", real));
    }
    if let (Some(real), Use::Written) = (changed(name), role) {
        return diagnostic.with_help(say!("names-unknown-name.help-change", real));
    }
    if let ("dt", Use::Value) = (name, role) {
        return diagnostic.with_help(say!("names-unknown-name.help-dt"));
    }
    // A name that a row writes and others use is meant.
    let is_meant = |near: &str| role == Use::Written && n_uses > 1 && !same_look(name, near);
    if let Some(near) = near.filter(|near| !is_meant(near)) {
        let help = match same_look(name, near) {
            true => {
                let mut pairs = near.chars().zip(name.chars());
                let other = pairs.find(|(that, this)| that != this);
                let (that, this) = match other.is_some_and(|(that, _)| letters::is_cyrillic(that)) {
                    true => ("Cyrillic", "Latin"),
                    false => ("Latin", "Cyrillic"),
                };
                say!("names-unknown-name.did-you-mean", near, that, this)
            }
            false => say!("report-did-you-mean", near),
        };
        return match edits::renamed(sources, span, name, &print::name(near)) {
            Some((span, text)) => diagnostic.with_edit(help, span, text),
            None => diagnostic.with_help(help),
        };
    }
    if let (Some(procedure), Use::Value) = (ProcedureId::named(name), role) {
        let call = procedure.get().call();
        return diagnostic.with_help(say!("names-unknown-name.help-procedure-write", name, call));
    }
    let Some(table) = table else {
        return diagnostic;
    };
    let (list, value) = match role {
        Use::Written => ("reals", "0"),
        Use::Value => ("constants", "0"),
        Use::Set => ("switches", "false"),
        Use::Condition => {
            return diagnostic.with_help(say!(
                "names-unknown-name.help-define-row",
                name = print::name(name)
            ));
        }
        Use::Setting => return diagnostic,
    };
    let help = say!("names-unknown-name.help-declare", list);
    let entry = format!("\"{}\": {value}", print::name(name));
    match edits::declared(sources, table, list, &entry) {
        Some((span, text)) => diagnostic.with_edit(help, span, text),
        None => diagnostic.with_help(help),
    }
}

/// The real whose change or rate a name stands for elsewhere: `dv`, `v` with a dot above it.
fn changed(name: &str) -> Option<String> {
    if let Some(real) = name
        .strip_prefix('d')
        .filter(|real| real.chars().count() == 1)
    {
        return Some(real.to_owned());
    }
    let mut letters = name.nfd().collect::<String>();
    let is_dotted = letters.ends_with(['\u{307}', '\u{308}']);
    letters.pop();
    let is_one = letters.chars().count() == 1;
    // Letters of an alphabet that have two dots of their own: `ё`, `ä`.
    let is_letter = name.ends_with(['ё', 'Ё', 'ä', 'ö', 'ü', 'Ä', 'Ö', 'Ü', 'ë', 'ï', 'ÿ']);
    (is_dotted && is_one && !is_letter).then_some(letters)
}

/// Names under which others know what has a word in this language.
const WORDS: &[(&str, &str)] = &[
    ("t", "time"),
    ("Time", "time"),
    ("TIME", "time"),
    ("PI", "pi"),
    ("Pi", "pi"),
    ("π", "pi"),
    ("время", "time"),
    ("Время", "time"),
    ("пи", "pi"),
    ("старт", "start"),
    ("начало", "start"),
    ("e", "exp(1)"),
];

/// The real of whose rate a name is a part, `dx` or `dt` in `dx/dt`.
fn rate_quotient(sources: &SourceMap, span: Span) -> Option<&str> {
    let text = &sources.get(span.source).text;
    let (before, behind) = (&text[..span.range().start], &text[span.range().end..]);
    let (real, time) = match before.trim_end().strip_suffix('/') {
        Some(above) => {
            let above = above.trim_end();
            let is_part = |c: char| c.is_alphanumeric() || "_.".contains(c);
            let begin = above.trim_end_matches(is_part).len();
            (&above[begin..], sources.text(span))
        }
        None => {
            let below = behind.trim_start().strip_prefix('/')?.trim_start();
            let end = below.find(|c: char| !c.is_alphanumeric() && c != '_');
            (sources.text(span), &below[..end.unwrap_or(below.len())])
        }
    };
    let real = real.strip_prefix('d').filter(|real| !real.is_empty())?;
    (time == "dt").then_some(real)
}

fn same_look(name: &str, near: &str) -> bool {
    name != near && letters::skeleton(name) == letters::skeleton(near)
}

pub(in crate::resolve) fn name_clash(
    name: &Name,
    symbol: Symbol,
    first: Span,
    first_symbol: Symbol,
) -> Diagnostic {
    let diagnostic = error(
        "N002",
        say!("names-name-clash", name = name.value),
        name.span,
    )
    .at(
        name.span,
        say!("names-name-clash.label", kind = symbol.kind()),
    )
    .also(
        first,
        say!("names-name-clash.also", kind = first_symbol.kind()),
    );
    match (symbol, first_symbol) {
        (Symbol::Range(_) | Symbol::Situation(_), Symbol::Range(_)) => {
            diagnostic.with_help(say!("names-name-clash.help-range-row"))
        }
        _ => diagnostic.with_help(say!("names-name-clash.help-give-them")),
    }
}

pub(in crate::resolve) fn look_alike(name: &Name, other: &Name) -> Diagnostic {
    Diagnostic::warning(
        "N003",
        say!("names-look-alike", name = name.value),
        name.span,
    )
    .at(name.span, spelling(&name.value))
    .also(other.span, spelling(&other.value))
    .with_help(say!("names-look-alike.help"))
}

pub(in crate::resolve) fn mixed_scripts(name: &Name, word: &str) -> Diagnostic {
    Diagnostic::warning("N004", say!("names-mixed-scripts", word), name.span)
        .at(name.span, spelling(word))
        .with_help(say!("names-mixed-scripts.help"))
}

/// Alphabet of a name: which of its letters are Cyrillic.
fn spelling(name: &str) -> String {
    let is_cyrillic = |letter: &char| letters::is_cyrillic(*letter);
    let cyrillic: String = name.chars().filter(is_cyrillic).collect();
    let letters = name.chars().filter(|letter| letter.is_alphabetic()).count();
    match cyrillic.chars().count() {
        0 => say!("names-spelling.all-letters-latin"),
        count if count == letters => say!("names-spelling.all-letters-cyrillic"),
        _ => say!("names-spelling.cyrillic", cyrillic),
    }
}

pub(in crate::resolve) fn condition_for_number(
    span: Span,
    name: Option<(&str, Declared)>,
) -> Diagnostic {
    match name {
        Some((name, declared)) => {
            let kind = declared.symbol.kind();
            let diagnostic = error("N008", say!("names-condition-for-number", name, kind), span)
                .at(span, say!("names-condition-for-number.label"))
                .with_help(say!(
                    "names-condition-for-number.help",
                    name = print::name(name)
                ));
            declared_here(diagnostic, declared)
        }
        None => error(
            "N008",
            say!("names-condition-for-number.condition-where"),
            span,
        )
        .at(span, say!("names-condition-for-number.label"))
        .with_help(say!("names-condition-for-number.help-count")),
    }
}

pub(in crate::resolve) fn quantity_for_condition(
    span: Span,
    name: &str,
    declared: Declared,
) -> Diagnostic {
    let kind = declared.symbol.kind();
    let diagnostic = error(
        "N009",
        say!("names-quantity-for-condition", name, kind),
        span,
    )
    .at(span, say!("names-condition-needed-here"))
    .with_help(say!(
        "names-quantity-for-condition.help",
        name = print::name(name)
    ));
    declared_here(diagnostic, declared)
}

pub(in crate::resolve) fn invariant_used(span: Span, name: &str, declared: Declared) -> Diagnostic {
    let message = say!("names-invariant-used", name);
    let diagnostic = error("N037", message, span)
        .at(span, say!("names-invariant-used.label"))
        .with_help(say!("names-invariant-used.help"));
    declared_here(diagnostic, declared)
}

/// An index that is no number, where no table is written out.
pub(in crate::resolve) fn not_written_out(span: Span) -> Diagnostic {
    error("F008", say!("names-not-written-out"), span).with_help(say!("names-not-written-out.help"))
}

/// `what`: what is asked for.
pub(in crate::resolve) fn start_not_supported(what: Phrase, span: Span) -> Diagnostic {
    error("N038", say!("names-start-not-supported", what), span)
        .with_help(say!("names-start-not-supported.help"))
}

pub(in crate::resolve) fn number_for_condition(span: Span) -> Diagnostic {
    error("N009", say!("names-number-for-condition"), span)
        .at(span, say!("names-condition-needed-here"))
        .with_help(say!("names-number-for-condition.help"))
}

/// `edit`: the change that makes it a real.
pub(in crate::resolve) fn constant_written(
    name: &Name,
    declared: Declared,
    edit: Option<(Span, String)>,
) -> Diagnostic {
    let diagnostic = error(
        "N010",
        say!("names-constant-written", name = name.value),
        name.span,
    )
    .at(name.span, say!("names-written-here"));
    let diagnostic = match declared.span {
        Some(span) => diagnostic.also(span, say!("names-constant-written.also")),
        None => diagnostic,
    };
    let help = say!("names-constant-written.help");
    match edit {
        Some((span, text)) => diagnostic.with_edit(help, span, text),
        None => diagnostic.with_help(help),
    }
}

pub(in crate::resolve) fn not_a_real(name: &Name, declared: Declared) -> Diagnostic {
    let kind = declared.symbol.kind();
    let diagnostic = error(
        "N011",
        say!("names-not-a-real", name = name.value, kind),
        name.span,
    )
    .at(name.span, say!("names-not-a-real.label"));
    let diagnostic = declared_here(diagnostic, declared);
    match declared.symbol {
        Symbol::Switch(_) => diagnostic.with_help(say!(
            "names-not-a-real.help",
            value = print::name(&name.value)
        )),
        _ => diagnostic,
    }
}

pub(in crate::resolve) fn not_a_switch(name: &Name, declared: Declared) -> Diagnostic {
    let kind = declared.symbol.kind();
    let diagnostic = error(
        "N012",
        say!("names-not-a-switch", name = name.value, kind),
        name.span,
    )
    .at(name.span, say!("names-not-a-switch.label"));
    declared_here(diagnostic, declared)
}

pub(in crate::resolve) fn past_reads(span: Span, name: &str, declared: &Declared) -> Diagnostic {
    let diagnostic = error("N080", say!("names-past-reads", name), span)
        .at(span, say!("names-past-reads.label"))
        .with_help(say!("names-past-reads.help"));
    match declared.span {
        Some(declared) => diagnostic.also(declared, say!("names-real-here")),
        None => diagnostic,
    }
}

pub(in crate::resolve) fn rate_of_the_past(span: Span, real: &str) -> Diagnostic {
    error("N081", say!("names-rate-of-the-past", real), span)
        .at(span, say!("names-rate-of-the-past.label"))
        .with_help(say!("names-rate-of-the-past.help", real))
}

pub(in crate::resolve) fn not_known_before(
    span: Span,
    name: &str,
    known: Known,
    declared: Option<Span>,
) -> Diagnostic {
    let needed = match known {
        Known::AtStart => phrase!("names-not-known-before.start-value-may"),
        Known::Before | Known::InPast | Known::Running => {
            phrase!("names-not-known-before.only-numbers-constants")
        }
    };
    let diagnostic = error("N022", say!("names-not-known-before", name), span)
        .at(span, say!("names-not-known-before.label"))
        .with_help(needed);
    match declared {
        Some(declared) => diagnostic.also(declared, say!("names-real-here")),
        None => diagnostic,
    }
}

/// A procedure that runs into its argument, whose parenthesis is closed: `integralv)`.
pub(in crate::resolve) fn missing_open(procedure: &str, name: Span) -> Diagnostic {
    let begin = name.start + crate::lex::position(procedure.len());
    let place = Span {
        start: begin,
        end: begin,
        ..name
    };
    Diagnostic::error("P012", say!("parse-missing-open", procedure), name).with_edit(
        say!("parse-missing-open.help"),
        place,
        "(",
    )
}
