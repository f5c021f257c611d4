//! Reports of resolving: one function per mistake, each the only place that words it.

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

use super::names::{Declared, Symbol};
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
        diagnostic.notes.push(format!("used in {n_uses} places"));
    }
}

/// Shows where a name is declared, if the place is known.
fn declared_here(diagnostic: Diagnostic, declared: Declared) -> Diagnostic {
    match declared.span {
        Some(span) => diagnostic.also(span, format!("{}, declared here", declared.symbol.kind())),
        None => diagnostic,
    }
}

// Rows

pub(super) fn once_without_event(span: Span, form: Form, condition: Option<Span>) -> Diagnostic {
    let sign = match form {
        Form::Line => "`:=`",
        Form::Columns => "`once`",
    };
    let diagnostic = error("N013", format!("{sign} works at an event only"), span);
    let diagnostic = match condition {
        Some(condition) => diagnostic.also(condition, "no event"),
        None => diagnostic,
    };
    let help =
        "write `=`, or name an event in the condition, such as the situation `event hit: h < 0`";
    match form {
        Form::Line => diagnostic.with_edit(help, span, "="),
        Form::Columns => diagnostic.with_help(
            "leave out `once`, or name an event in `when`, such as the situation `event hit: h < 0`",
        ),
    }
}

pub(super) fn event_and_level(name: &Name, event: bool, first: Span) -> Diagnostic {
    let kind = |event| {
        if event {
            "an event here"
        } else {
            "a level here"
        }
    };
    error(
        "N016",
        format!("`{}` has rows with and without `event`", name.value),
        name.span,
    )
    .at(name.span, kind(event))
    .also(first, kind(!event))
    .with_help("use two names, or write all rows alike")
}

pub(super) fn forward_reference(span: Span, name: &str, row: Span) -> Diagnostic {
    error(
        "N017",
        format!("`{name}` is used above the row that defines it"),
        span,
    )
    .at(span, "not computed yet")
    .also(row, "computed here")
    .with_help("move this row below all rows of that name")
}

pub(super) fn self_reference(span: Span, name: &str) -> Diagnostic {
    error("N017", format!("`{name}` is defined by itself"), span)
        .with_help("what has to be remembered is a switch, set by assignments")
}

pub(super) fn second_otherwise(name: &str, span: Span, first: Span) -> Diagnostic {
    error(
        "N018",
        format!("`{name}` has two rows with `otherwise`"),
        span,
    )
    .also(first, "the first")
    .with_help("leave one")
}

pub(super) fn lonely_otherwise(name: &str, span: Span) -> Diagnostic {
    error(
        "N019",
        format!("`otherwise` without another row of `{name}` that has a condition"),
        span,
    )
    .with_help("leave it out, or give another row a condition")
}

pub(super) fn several_by_procedure(span: Span, procedure: &str) -> Diagnostic {
    error(
        "N023",
        format!("several reals are written by `assignment`, not by `{procedure}`"),
        span,
    )
    .with_help("write one row for each")
}

pub(super) fn value_count(span: Span, n_targets: usize, n_values: usize) -> Diagnostic {
    let plural = |count: usize| if count == 1 { "" } else { "s" };
    error(
        "N023",
        format!(
            "{n_targets} real{} on the left, {n_values} value{} on the right",
            plural(n_targets),
            plural(n_values)
        ),
        span,
    )
    .with_help("write one value for each real")
}

pub(super) fn written_twice(name: &Name, first: Span) -> Diagnostic {
    error(
        "N024",
        format!("`{}` is written twice by one row", name.value),
        name.span,
    )
    .also(first, "the first")
    .with_help("leave one")
}

// Values

pub(super) fn circular_start(circle: &[(&str, Span)], case: Option<&Name>) -> Diagnostic {
    let (first, span) = circle[0];
    let message = format!("the start value of `{first}` needs itself");
    let mut diagnostic = error("N025", message, span).with_help("give one of them a number");
    if circle.len() == 1 {
        diagnostic = diagnostic.with_help("give it a number");
    } else {
        let shown = circle.iter().take(MAX_PLACES).map(|(name, _)| *name);
        let mut path: Vec<&str> = shown.collect();
        if circle.len() > MAX_PLACES {
            path.push("..");
        }
        path.push(first);
        diagnostic = diagnostic.with_note(format!("the circle: {}", path.join(" -> ")));
    }
    for (name, span) in circle.iter().skip(1).take(MAX_PLACES) {
        diagnostic = diagnostic.also(*span, format!("so does `{name}`"));
    }
    match case {
        Some(case) => diagnostic.with_note(format!("in the case `{}`", case.value)),
        None => diagnostic,
    }
}

pub(super) fn no_period(span: Span, value: f64) -> Diagnostic {
    error(
        "N035",
        format!("the period of `every` must be above zero, but is {value}"),
        span,
    )
}

pub(super) fn no_format(table: &Table) -> Diagnostic {
    let start = table.span.start as usize;
    let open = Span::new(table.source_id, start, start + 1);
    let behind = Span::new(table.source_id, start + 1, start + 1);
    error("N036", "the table does not say its `format`", open).with_edit(
        "this version reads format 1",
        behind,
        "format: 1, ",
    )
}

pub(super) fn constant_without_value(name: &Name) -> Diagnostic {
    error(
        "N027",
        format!("the constant `{}` has no value", name.value),
        name.span,
    )
    .with_help("give it a `start`")
}

pub(super) fn setting_kind(name: &Name, span: Span, declared: Declared) -> Diagnostic {
    let kind = declared.symbol.kind();
    let (message, help) = match declared.symbol {
        Symbol::Switch(_) => (
            format!("`{}` is {kind} and starts as `true` or `false`", name.value),
            Some("0 and 1 stand for them too"),
        ),
        Symbol::Constant(_) | Symbol::Real(_) => (
            format!("`{}` is {kind} and starts as a number", name.value),
            None,
        ),
        _ => (
            format!(
                "`{}` is {kind}, which is computed and cannot be set",
                name.value
            ),
            Some("constants, reals and switches can be set"),
        ),
    };
    let diagnostic = declared_here(error("N026", message, span), declared);
    match help {
        Some(help) => diagnostic.with_help(help),
        None => diagnostic,
    }
}
