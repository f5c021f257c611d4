//! Machines, their states and transitions.

use situ_words::say;

use super::error;
use crate::diag::{Diagnostic, nearest};
use crate::source::Span;
use crate::tree::Name;

pub(in crate::resolve) fn machine_without_states(name: &Name) -> Diagnostic {
    let message = say!("machine-machine-without-states", name = name.value);
    error("M002", message, name.span).with_help(say!("machine-machine-without-states.help"))
}

pub(in crate::resolve) fn family_of_machines(name: &Name) -> Diagnostic {
    let message = say!("machine-family-of-machines", name = name.value);
    error("M007", message, name.span).with_help(say!("machine-family-of-machines.help"))
}

pub(in crate::resolve) fn no_such_state<'a>(
    name: &Name,
    machine: &str,
    known: impl Iterator<Item = &'a str>,
) -> Diagnostic {
    let message = say!("machine-no-such-state", machine, name = name.value);
    let report = error("M002", message, name.span);
    match nearest(&name.value, known) {
        Some(near) => report.with_edit(say!("report-did-you-mean", near), name.span, near),
        None => report.with_help(say!("machine-no-such-state.help-add-states")),
    }
}

pub(in crate::resolve) fn otherwise_in_state(span: Span) -> Diagnostic {
    error("M003", say!("machine-otherwise-in-state"), span)
        .with_help(say!("machine-otherwise-in-state.help"))
}

pub(in crate::resolve) fn place_in_state(span: Span) -> Diagnostic {
    error("M003", say!("machine-place-in-state"), span)
        .with_help(say!("machine-place-in-state.help"))
}

pub(in crate::resolve) fn transition_id_twice(id: &str, span: Span, first: Span) -> Diagnostic {
    error("M004", say!("machine-transition-id-twice", id), span)
        .also(first, say!("machine-transition-id-twice.also"))
        .with_help(say!("machine-transition-id-twice.help"))
}

pub(in crate::resolve) fn transition_named_as_state(id: &str, span: Span) -> Diagnostic {
    let message = say!("machine-transition-named-as-state", id);
    error("M004", message, span).with_help(say!("machine-transition-named-as-state.help"))
}

pub(in crate::resolve) fn state_declared(state: &Name, machine: &Name) -> Diagnostic {
    let message = say!("machine-state-declared", state = state.value);
    let own = state.value.strip_prefix(&format!("{}.", machine.value));
    error("M008", message, state.span)
        .also(machine.span, say!("machine-state-assigned.also"))
        .with_help(say!(
            "machine-state-declared.help",
            state = own.unwrap_or(&state.value)
        ))
}

pub(in crate::resolve) fn state_assigned(state: &Name, machine: &Name) -> Diagnostic {
    let message = say!("machine-state-assigned", state = state.value);
    error("M008", message, state.span)
        .also(machine.span, say!("machine-state-assigned.also"))
        .with_help(say!("machine-state-assigned.help"))
}

pub(in crate::resolve) fn state_without_a_way_in(name: &Name) -> Diagnostic {
    let message = say!("machine-state-without-a-way-in", name = name.value);
    Diagnostic::warning("M005", message, name.span)
        .with_help(say!("machine-state-without-a-way-in.help"))
}
