//! Reports of resolving: one function per mistake, each the only place that words it.

use situ_engine::model::element;
use situ_words::{phrase, say};

mod bases;
mod constraints;
mod lookups;
mod machines;
mod names;
mod parts;
mod procedures;
mod scenes;
mod schemes;
mod steady;

use super::symbol::{Declared, Symbol};
use crate::diag::Diagnostic;
use crate::source::Span;
use crate::tree::{Form, Name, Table};
pub(crate) use bases::*;
pub(super) use constraints::*;
pub(super) use lookups::*;
pub(super) use machines::*;
pub(super) use names::*;
pub(crate) use parts::*;
pub(super) use procedures::*;
pub(super) use scenes::*;
pub(super) use schemes::*;
pub(super) use steady::*;

/// At most so many further places are shown in one report.
const MAX_PLACES: usize = 5;

fn error(code: &'static str, message: impl Into<String>, span: Span) -> Diagnostic {
    Diagnostic::error(code, message, span)
}

/// Says how often something is used that is reported once.
pub(super) fn count_uses(diagnostic: &mut Diagnostic, n_uses: usize) {
    if n_uses > 1 {
        diagnostic
            .notes
            .push(say!("names-count-uses.used-places", n_uses));
    }
}

/// Shows where a name is declared, if the place is known.
fn declared_here(diagnostic: Diagnostic, declared: Declared) -> Diagnostic {
    match declared.span {
        Some(span) => diagnostic.also(
            span,
            say!("names-declared-here.also", kind = declared.symbol.kind()),
        ),
        None => diagnostic,
    }
}

// Rows

pub(super) fn once_without_event(span: Span, form: Form, condition: Option<Span>) -> Diagnostic {
    let sign = match form {
        Form::Line => "`:=`",
        Form::Columns => "`once`",
    };
    let diagnostic = error("N013", say!("names-once-without-event", sign), span);
    let diagnostic = match condition {
        Some(condition) => diagnostic.also(condition, say!("names-once-without-event.also")),
        None => diagnostic,
    };
    let help = phrase!("names-once-without-event.write-name-event");
    match form {
        Form::Line => diagnostic.with_edit(help, span, "="),
        Form::Columns => diagnostic.with_help(say!("names-once-without-event.help")),
    }
}

pub(super) fn event_and_level(name: &Name, event: bool, first: Span) -> Diagnostic {
    let kind = |event| {
        if event {
            phrase!("names-event-and-level.event-here")
        } else {
            phrase!("names-event-and-level.level-here")
        }
    };
    error(
        "N016",
        say!("names-event-and-level", name = name.value),
        name.span,
    )
    .at(name.span, kind(event))
    .also(first, kind(!event))
    .with_help(say!("names-event-and-level.help"))
}

pub(super) fn forward_reference(span: Span, name: &str, row: Span) -> Diagnostic {
    error("N017", say!("names-forward-reference", name), span)
        .at(span, say!("names-forward-reference.label"))
        .also(row, say!("names-forward-reference.also"))
        .with_help(say!("names-forward-reference.help"))
}

pub(super) fn self_reference(span: Span, name: &str) -> Diagnostic {
    error("N017", say!("names-self-reference", name), span)
        .with_help(say!("names-self-reference.help"))
}

pub(super) fn second_otherwise(name: &str, span: Span, first: Span) -> Diagnostic {
    error("N018", say!("names-second-otherwise", name), span)
        .also(first, say!("names-first"))
        .with_help(say!("names-leave"))
}

pub(super) fn lonely_otherwise(name: &str, span: Span) -> Diagnostic {
    error("N019", say!("names-lonely-otherwise", name), span)
        .with_help(say!("names-lonely-otherwise.help"))
}

pub(super) fn several_by_procedure(span: Span, procedure: &str) -> Diagnostic {
    error("N023", say!("names-several-by-procedure", procedure), span)
        .with_help(say!("names-several-by-procedure.help"))
}

pub(super) fn value_count(span: Span, n_targets: usize, n_values: usize) -> Diagnostic {
    error(
        "N023",
        say!("names-value-count", targets = n_targets, values = n_values),
        span,
    )
    .with_help(say!("names-value-count.help"))
}

pub(super) fn written_twice(name: &Name, first: Span) -> Diagnostic {
    error(
        "N024",
        say!("names-written-twice", name = name.value),
        name.span,
    )
    .also(first, say!("names-first"))
    .with_help(match element(&name.value) {
        Some(_) => say!("names-written-twice.help-element"),
        None => say!("names-leave"),
    })
}

// Values

pub(super) fn circular_start(circle: &[(&str, Span)], case: Option<&Name>) -> Diagnostic {
    let (first, span) = circle[0];
    let message = say!("names-circular-start", first);
    let mut diagnostic =
        error("N025", message, span).with_help(say!("names-circular-start.help-give-them"));
    if circle.len() == 1 {
        diagnostic = diagnostic.with_help(say!("names-circular-start.help-give-number"));
    } else {
        let shown = circle.iter().take(MAX_PLACES).map(|(name, _)| *name);
        let mut path: Vec<&str> = shown.collect();
        if circle.len() > MAX_PLACES {
            path.push("..");
        }
        path.push(first);
        diagnostic = diagnostic.with_note(say!(
            "names-circular-start.note-circle",
            path = path.join(" -> ")
        ));
    }
    for (name, span) in circle.iter().skip(1).take(MAX_PLACES) {
        diagnostic = diagnostic.also(*span, say!("names-circular-start.also", name));
    }
    match case {
        Some(case) => {
            diagnostic.with_note(say!("names-circular-start.note-case", case = case.value))
        }
        None => diagnostic,
    }
}

pub(super) fn no_period(span: Span, value: f64) -> Diagnostic {
    error("N035", say!("names-no-period", value), span)
}

pub(super) fn no_format(table: &Table) -> Diagnostic {
    let start = table.span.start as usize;
    let open = Span::new(table.source_id, start, start + 1);
    let behind = Span::new(table.source_id, start + 1, start + 1);
    error("N036", say!("names-no-format"), open).with_edit(
        say!("names-no-format.help"),
        behind,
        "format: 1, ",
    )
}

pub(super) fn constant_without_value(name: &Name) -> Diagnostic {
    error(
        "N027",
        say!("names-constant-without-value", name = name.value),
        name.span,
    )
    .with_help(say!("names-constant-without-value.help"))
}

pub(super) fn setting_kind(name: &Name, span: Span, declared: Declared) -> Diagnostic {
    let kind = declared.symbol.kind();
    let (message, help) = match declared.symbol {
        Symbol::Switch(_) => (
            say!(
                "names-setting-kind.starts-true-false",
                name = name.value,
                kind
            ),
            Some(phrase!("names-setting-kind.them-too")),
        ),
        Symbol::Constant(_) | Symbol::Real(_) => (
            say!("names-setting-kind.starts-number", name = name.value, kind),
            None,
        ),
        _ => (
            say!(
                "names-setting-kind.computed-cannot-set",
                name = name.value,
                kind
            ),
            Some(phrase!("names-setting-kind.constants-reals-switches")),
        ),
    };
    let diagnostic = declared_here(error("N026", message, span), declared);
    match help {
        Some(help) => diagnostic.with_help(help),
        None => diagnostic,
    }
}

/// A tolerance with which no value is met.
pub(super) fn tolerance_below_zero(value: f64, span: Span) -> Diagnostic {
    let message = say!(
        "parse-tolerance.below-zero",
        value = crate::print::number(value)
    );
    error("X001", message, span)
}
