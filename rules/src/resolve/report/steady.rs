//! Starts in an equilibrium that cannot be (N074).

use super::error;
use crate::diag::Diagnostic;
use crate::source::Span;

const CODE: &str = "N074";

pub(in crate::resolve) fn steady_constant(name: &str, start: Span) -> Diagnostic {
    error(
        CODE,
        format!("the constant `{name}` has no equilibrium"),
        start,
    )
    .at(start, "only what is integrated comes to rest")
    .with_help("give it a value, or declare it among `reals` with a row that integrates it")
}

pub(in crate::resolve) fn two_guesses(second: Span) -> Diagnostic {
    error(CODE, "`steady` takes one guess".to_owned(), second)
        .at(second, "one more")
        .with_help("write `steady`, which looks from 0, or `steady(20)`, which looks from 20")
}

pub(in crate::resolve) fn steady_with_past(name: &str, before: Span, start: Span) -> Diagnostic {
    error(
        CODE,
        format!("`{name}` rests at the start and moves before it"),
        before,
    )
    .at(before, "a past of its own")
    .also(start, "at rest, it always was here")
    .with_help("leave out `before`, or give a start value")
}

pub(in crate::resolve) fn steady_at_rest(name: &str, start: Span) -> Diagnostic {
    error(CODE, format!("`{name}` has no rate that could be zero"), start)
        .at(start, "no row integrates it")
        .with_help("leave it out: what follows from others starts with the values that follow from the equilibrium")
}

pub(in crate::resolve) fn start_needs_steady(name: &str, needed: &str, start: Span) -> Diagnostic {
    error(
        CODE,
        format!("the start of `{name}` needs that of `{needed}`, which is not known yet"),
        start,
    )
    .at(
        start,
        format!("`{needed}` starts in the equilibrium, for which all other starts must be known"),
    )
    .with_help(format!(
        "let `{name}` follow from `{needed}` by a row, or start it in the equilibrium too"
    ))
}
