//! Lookups and their calls.

use situ_engine::model::Lookup;

use super::{declared_here, error};
use crate::diag::Diagnostic;
use crate::resolve::names::Declared;
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
    let message = format!("`{}` is a lookup and needs its argument", lookup.name);
    declared_here(error("N063", message, span), declared)
        .with_help(format!("write `{}`", call(lookup)))
}

/// `comma`: a comma that may be meant as a decimal point.
pub(in crate::resolve) fn lookup_argument_count(
    span: Span,
    n_written: usize,
    lookup: &Lookup,
    comma: Option<Span>,
) -> Diagnostic {
    let wanted = match lookup.interpolation.n_args() {
        1 => "1 argument",
        _ => "2 arguments",
    };
    let name = &lookup.name;
    let message = format!("the lookup `{name}` takes {wanted}, {n_written} given");
    let diagnostic = error("N007", message, span);
    match comma {
        Some(comma) => diagnostic.with_edit("numbers are written with a decimal point", comma, "."),
        None => diagnostic.with_help(format!("write `{}`", call(lookup))),
    }
}

pub(in crate::resolve) fn lookup_named_as_procedure(name: &Name) -> Diagnostic {
    let message = format!("`{}` is a procedure of situ", name.value);
    error("N064", message, name.span).with_help("give the lookup another name")
}

pub(in crate::resolve) fn lookup_units(written: &tree::Lookup, wanted: usize) -> Diagnostic {
    let message = format!(
        "lookup `{}` has {wanted} columns and {} units",
        written.name.value,
        written.units.len()
    );
    let span = written.units[0].span;
    error("N064", message, span)
        .with_help("give the units of the arguments, then that of the value")
}
