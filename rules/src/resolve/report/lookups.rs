//! Lookups and their calls.

use situ_engine::model::Lookup;
use situ_words::{phrase, say};

use super::{declared_here, error};
use crate::diag::Diagnostic;
use crate::resolve::symbol::Declared;
use crate::source::Span;
use crate::tree::{self, Name};

/// Form of a call, e.g. `torque(x)`.
fn call(lookup: &Lookup) -> String {
    let args = match lookup.interpolation.n_args() {
        1 => "x",
        _ => "x, y",
    };
    format!("{}({args})", lookup.name)
}

pub(in crate::resolve) fn lookup_without_arguments(
    span: Span,
    lookup: &Lookup,
    declared: Declared,
) -> Diagnostic {
    let message = say!("lookup-lookup-without-arguments", lookup = lookup.name);
    declared_here(error("N063", message, span), declared)
        .with_help(say!("lookup-write", lookup = call(lookup)))
}

/// `comma`: a comma that may be meant as a decimal point.
pub(in crate::resolve) fn lookup_argument_count(
    span: Span,
    n_written: usize,
    lookup: &Lookup,
    comma: Option<Span>,
) -> Diagnostic {
    let wanted = match lookup.interpolation.n_args() {
        1 => phrase!("lookup-lookup-argument-count.argument"),
        _ => phrase!("lookup-lookup-argument-count.arguments"),
    };
    let name = &lookup.name;
    let message = say!("lookup-lookup-argument-count", name, wanted, n_written);
    let diagnostic = error("N007", message, span);
    match comma {
        Some(comma) => diagnostic.with_edit(
            say!("lookup-lookup-argument-count.help-numbers-written"),
            comma,
            ".",
        ),
        None => diagnostic.with_help(say!("lookup-write", lookup = call(lookup))),
    }
}

pub(in crate::resolve) fn lookup_named_as_procedure(name: &Name) -> Diagnostic {
    let message = say!("lookup-lookup-named-as-procedure", name = name.value);
    error("N064", message, name.span).with_help(say!("lookup-lookup-named-as-procedure.help"))
}

pub(in crate::resolve) fn lookup_units(written: &tree::Lookup, wanted: usize) -> Diagnostic {
    let message = say!(
        "lookup-lookup-units",
        written = written.name.value,
        wanted,
        n = written.units.len()
    );
    let span = written.units[0].span;
    error("N064", message, span).with_help(say!("lookup-lookup-units.help"))
}
