//! Names that nothing declares, that clash, or that stand for another kind of thing.

use situ_engine::procedure::ProcedureId;

use super::{count_uses, declared_here, error};
use crate::diag::Diagnostic;
use crate::letters;
use crate::print;
use crate::resolve::binder::Known;
use crate::resolve::edits;
use crate::resolve::names::{Declared, Symbol, UnknownName, Use};
use crate::source::{SourceMap, Span};
use crate::tree::{Name, Table};

/// `table`: the table that uses the name; none at the prompt, where nothing can be declared.
pub(in crate::resolve) fn unknown_name(
    unknown: &UnknownName,
    near: Option<&str>,
    sources: &SourceMap,
    table: Option<&Table>,
) -> Diagnostic {
    let UnknownName {
        name,
        span,
        role,
        n_uses,
    } = *unknown;
    let (code, message, label) = match role {
        Use::Written => (
            "N005",
            format!("`{name}` is written, but the table has no real of that name"),
            "written here",
        ),
        Use::Set => (
            "N005",
            format!("`{name}` is set, but the table has no switch of that name"),
            "set here",
        ),
        Use::Condition => (
            "N001",
            format!("unknown name `{name}`"),
            "used as a condition here",
        ),
        Use::Value => (
            "N001",
            format!("unknown name `{name}`"),
            "used as a number here",
        ),
        Use::Setting => (
            "N001",
            format!("unknown name `{name}`"),
            "there is nothing of this name to set",
        ),
    };
    let mut diagnostic = error(code, message, span).at(span, label);
    count_uses(&mut diagnostic, n_uses);
    if let ("true" | "false" | "EverTrue", Use::Condition | Use::Value) = (name, role) {
        return diagnostic.with_help(match role {
            Use::Condition => "a row without `when` always holds",
            _ => "a truth value is not a number; conditions follow `when`",
        });
    }
    let word = WORDS.iter().find(|(other, _)| *other == name);
    if let (Some((_, word)), Use::Condition | Use::Value) = (word, role) {
        let help = match *word {
            "time" => format!("the time of the run is written `{word}`"),
            _ => format!("the number is written `{word}`"),
        };
        return match edits::renamed(sources, span, name, word) {
            Some((span, text)) => diagnostic.with_edit(help, span, text),
            None => diagnostic.with_help(help),
        };
    }
    if let Some(near) = near {
        let help = match same_look(name, near) {
            true => {
                let mut pairs = near.chars().zip(name.chars());
                let other = pairs.find(|(that, this)| that != this);
                let (that, this) = match other.is_some_and(|(that, _)| letters::is_cyrillic(that)) {
                    true => ("Cyrillic", "Latin"),
                    false => ("Latin", "Cyrillic"),
                };
                format!(
                    "did you mean `{near}`? It looks the same, but has {that} letters where this has {this} ones"
                )
            }
            false => format!("did you mean `{near}`?"),
        };
        return match edits::renamed(sources, span, name, &print::name(near)) {
            Some((span, text)) => diagnostic.with_edit(help, span, text),
            None => diagnostic.with_help(help),
        };
    }
    if let (Some(procedure), Use::Value) = (ProcedureId::named(name), role) {
        let call = procedure.get().call();
        return diagnostic.with_help(format!("`{name}` is a procedure: write `{call}`"));
    }
    let Some(table) = table else {
        return diagnostic;
    };
    let (list, value) = match role {
        Use::Written => ("reals", "0"),
        Use::Value => ("constants", "0"),
        Use::Set => ("switches", "false"),
        Use::Condition => {
            return diagnostic.with_help(format!(
                "define it with a row `{}: ..`, or declare it in `switches`",
                print::name(name)
            ));
        }
        Use::Setting => return diagnostic,
    };
    let help = format!("declare it in `{list}`");
    let entry = format!("\"{}\": {value}", print::name(name));
    match edits::declared(sources, table, list, &entry) {
        Some((span, text)) => diagnostic.with_edit(help, span, text),
        None => diagnostic.with_help(help),
    }
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
    ("e", "exp(1)"),
];

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
        format!("the name `{}` is used twice", name.value),
        name.span,
    )
    .at(name.span, format!("{} here", symbol.kind()))
    .also(first, format!("{} here", first_symbol.kind()));
    match (symbol, first_symbol) {
        (Symbol::Range(_) | Symbol::Situation(_), Symbol::Range(_)) => diagnostic.with_help(
            "a range has one row: for one name true in several cases, name each range and write a \
             situation with a row for each case",
        ),
        _ => diagnostic.with_help("give one of them another name"),
    }
}

pub(in crate::resolve) fn look_alike(name: &Name, other: &Name) -> Diagnostic {
    Diagnostic::warning(
        "N003",
        format!("two names look like `{}`", name.value),
        name.span,
    )
    .at(name.span, spelling(&name.value))
    .also(other.span, spelling(&other.value))
    .with_help("give one of them another name, or write both with the same letters")
}

pub(in crate::resolve) fn mixed_scripts(name: &Name, word: &str) -> Diagnostic {
    Diagnostic::warning(
        "N004",
        format!("`{word}` mixes Latin and Cyrillic letters that look alike"),
        name.span,
    )
    .at(name.span, spelling(word))
    .with_help("write the word with letters of one alphabet")
}

/// Alphabet of a name: which of its letters are Cyrillic.
fn spelling(name: &str) -> String {
    let is_cyrillic = |letter: &char| letters::is_cyrillic(*letter);
    let cyrillic: String = name.chars().filter(is_cyrillic).collect();
    let letters = name.chars().filter(|letter| letter.is_alphabetic()).count();
    match cyrillic.chars().count() {
        0 => "all letters are Latin".to_owned(),
        count if count == letters => "all letters are Cyrillic".to_owned(),
        _ => format!("Cyrillic: {cyrillic}"),
    }
}

pub(in crate::resolve) fn condition_for_number(
    span: Span,
    name: Option<(&str, Declared)>,
) -> Diagnostic {
    match name {
        Some((name, declared)) => {
            let kind = declared.symbol.kind();
            let diagnostic = error(
                "N008",
                format!("`{name}` is {kind}, but a number is needed"),
                span,
            )
            .at(span, "a number is needed here")
            .with_help(format!(
                "a condition selects rows: write `when {}` behind one",
                print::name(name)
            ));
            declared_here(diagnostic, declared)
        }
        None => error("N008", "a condition stands where a number is needed", span)
            .at(span, "a number is needed here"),
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
        format!("`{name}` is {kind}, but a condition is needed"),
        span,
    )
    .at(span, "a condition is needed here")
    .with_help(format!(
        "compare it with something, as in `{} > 0`",
        print::name(name)
    ));
    declared_here(diagnostic, declared)
}

pub(in crate::resolve) fn invariant_used(span: Span, name: &str, declared: Declared) -> Diagnostic {
    let message = format!("`{name}` is an invariant, which no rule can read");
    let diagnostic = error("N037", message, span)
        .at(span, "a quantity or a condition is needed here")
        .with_help("make it a real with a rule of its own, and state that real as the invariant");
    declared_here(diagnostic, declared)
}

/// An index that is no number, where no table is written out.
pub(in crate::resolve) fn not_written_out(span: Span) -> Diagnostic {
    error("F008", "counters stand in tables only", span)
        .with_help("name an element by numbers, such as `u[3]`")
}

/// `what`: what is asked for.
pub(in crate::resolve) fn start_not_supported(what: &str, span: Span) -> Diagnostic {
    error("N038", format!("{what} is not supported yet"), span).with_help(
        "write `steady` at reals, or in the clock of the table, to start in the equilibrium; other start values are given",
    )
}

pub(in crate::resolve) fn number_for_condition(span: Span) -> Diagnostic {
    error("N009", "a number stands where a condition is needed", span)
        .at(span, "a condition is needed here")
        .with_help("write a name of a range, situation or switch, or a comparison")
}

/// `edit`: the change that makes it a real.
pub(in crate::resolve) fn constant_written(
    name: &Name,
    declared: Declared,
    edit: Option<(Span, String)>,
) -> Diagnostic {
    let diagnostic = error(
        "N010",
        format!("the constant `{}` is written", name.value),
        name.span,
    )
    .at(name.span, "written here");
    let diagnostic = match declared.span {
        Some(span) => diagnostic.also(span, "a constant here"),
        None => diagnostic,
    };
    let help = "move it to `reals`";
    match edit {
        Some((span, text)) => diagnostic.with_edit(help, span, text),
        None => diagnostic.with_help(help),
    }
}

pub(in crate::resolve) fn not_a_real(name: &Name, declared: Declared) -> Diagnostic {
    let kind = declared.symbol.kind();
    let diagnostic = error(
        "N011",
        format!("`{}` is {kind}; a relation writes reals only", name.value),
        name.span,
    )
    .at(name.span, "a real is needed here");
    let diagnostic = declared_here(diagnostic, declared);
    match declared.symbol {
        Symbol::Switch(_) => diagnostic.with_help(format!(
            "a switch is set by an assignment: `when condition: {}`",
            print::name(&name.value)
        )),
        _ => diagnostic,
    }
}

pub(in crate::resolve) fn not_a_switch(name: &Name, declared: Declared) -> Diagnostic {
    let kind = declared.symbol.kind();
    let diagnostic = error(
        "N012",
        format!(
            "`{}` is {kind}; an assignment sets switches only",
            name.value
        ),
        name.span,
    )
    .at(name.span, "a switch is needed here");
    declared_here(diagnostic, declared)
}

pub(in crate::resolve) fn past_reads(span: Span, name: &str, declared: &Declared) -> Diagnostic {
    let diagnostic = error(
        "N080",
        format!("the past of a real cannot read `{name}`"),
        span,
    )
    .at(span, "has no past of its own here")
    .with_help("write it in terms of `time`, constants and lookups");
    match declared.span {
        Some(declared) => diagnostic.also(declared, "a real here"),
        None => diagnostic,
    }
}

pub(in crate::resolve) fn rate_of_the_past(span: Span, real: &str) -> Diagnostic {
    error(
        "N081",
        format!("a delay of `rate({real})`: equations of neutral type are not supported"),
        span,
    )
    .at(span, "a rate of the past")
    .with_help(format!(
        "give the rate a row and a name of its own, `v = ..` and `{real} = integral(v)`, and delay `v`"
    ))
}

pub(in crate::resolve) fn not_known_before(
    span: Span,
    name: &str,
    known: Known,
    declared: Option<Span>,
) -> Diagnostic {
    let needed = match known {
        Known::AtStart => "a start value may use numbers, constants and other start values",
        Known::Before | Known::InPast | Known::Running => {
            "only numbers and constants may stand here"
        }
    };
    let diagnostic = error(
        "N022",
        format!("`{name}` is not known before the run"),
        span,
    )
    .at(span, "changes during the run")
    .with_help(needed);
    match declared {
        Some(declared) => diagnostic.also(declared, "a real here"),
        None => diagnostic,
    }
}
