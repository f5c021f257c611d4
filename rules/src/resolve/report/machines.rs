//! Machines, their states and transitions.

use super::error;
use crate::diag::{Diagnostic, nearest};
use crate::source::Span;
use crate::tree::Name;

pub(in crate::resolve) fn machine_without_states(name: &Name) -> Diagnostic {
    let message = format!("machine `{}` has no states", name.value);
    error("M002", message, name.span).with_help("write `states: {\"name\": [rows]}`")
}

pub(in crate::resolve) fn no_such_state<'a>(
    name: &Name,
    machine: &str,
    known: impl Iterator<Item = &'a str>,
) -> Diagnostic {
    let message = format!("machine `{machine}` has no state `{}`", name.value);
    let report = error("M002", message, name.span);
    match nearest(&name.value, known) {
        Some(near) => report.with_edit(format!("did you mean `{near}`?"), name.span, near),
        None => report.with_help("add it to `states`, with an empty list if it has no rows"),
    }
}

pub(in crate::resolve) fn otherwise_in_state(span: Span) -> Diagnostic {
    error("M003", "a row of a state has no `otherwise`", span)
        .with_help("it acts while the machine is in the state: leave it out, or name the condition")
}

pub(in crate::resolve) fn place_in_state(span: Span) -> Diagnostic {
    error("M003", "a row of a state stands where it is written", span)
        .with_help("leave `after` or `before` out, and move the row")
}

pub(in crate::resolve) fn transition_id_twice(id: &str, span: Span, first: Span) -> Diagnostic {
    error("M004", format!("two transitions have the id `{id}`"), span)
        .also(first, "the first")
        .with_help("give one of them another id")
}

pub(in crate::resolve) fn transition_named_as_state(id: &str, span: Span) -> Diagnostic {
    let message = format!("transition `{id}` has the name of a state");
    error("M004", message, span).with_help("give it another id: both are names of conditions")
}

pub(in crate::resolve) fn state_without_a_way_in(name: &Name) -> Diagnostic {
    let message = format!("no transition leads into state `{}`", name.value);
    Diagnostic::warning("M005", message, name.span)
        .with_help("add a transition, or make it the state in which the machine starts")
}
