//! Starts in an equilibrium that cannot be (N074).

use situ_words::say;

use super::error;
use crate::diag::Diagnostic;
use crate::source::Span;

const CODE: &str = "N074";

pub(in crate::resolve) fn steady_constant(name: &str, start: Span) -> Diagnostic {
    error(CODE, say!("equation-steady-constant", name), start)
        .at(start, say!("equation-steady-constant.label"))
        .with_help(say!("equation-steady-constant.help"))
}

pub(in crate::resolve) fn two_guesses(second: Span) -> Diagnostic {
    error(CODE, say!("equation-two-guesses"), second)
        .at(second, say!("equation-two-guesses.label"))
        .with_help(say!("equation-two-guesses.help"))
}

pub(in crate::resolve) fn steady_with_past(name: &str, before: Span, start: Span) -> Diagnostic {
    error(CODE, say!("equation-steady-with-past", name), before)
        .at(before, say!("equation-steady-with-past.label"))
        .also(start, say!("equation-steady-with-past.also"))
        .with_help(say!("equation-steady-with-past.help"))
}

pub(in crate::resolve) fn steady_at_rest(name: &str, start: Span) -> Diagnostic {
    error(CODE, say!("equation-steady-at-rest", name), start)
        .at(start, say!("equation-steady-at-rest.label"))
        .with_help(say!("equation-steady-at-rest.help"))
}

pub(in crate::resolve) fn start_needs_steady(name: &str, needed: &str, start: Span) -> Diagnostic {
    error(
        CODE,
        say!("equation-start-needs-steady", name, needed),
        start,
    )
    .at(start, say!("equation-start-needs-steady.label", needed))
    .with_help(say!("equation-start-needs-steady.help", name, needed))
}
