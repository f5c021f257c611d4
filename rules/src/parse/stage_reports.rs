//! Reports on stages of reactions that are found while they are read.

use crate::diag::Diagnostic;
use crate::source::Span;
use crate::tree::{RateLaw, Reaction};

/// A stage that does not say how fast it goes.
pub(crate) fn no_law(span: Span) -> Diagnostic {
    Diagnostic::error("S001", "this stage does not say how fast it goes", span)
        .with_help("write `A -> B : k` for mass action, or `A -> B at rate`")
}

/// A stage without species.
pub(crate) fn empty_stage(span: Span) -> Diagnostic {
    Diagnostic::error("S001", "this stage has no species on either side", span)
        .with_help("`-> A : 15` is a source, `A -> : k` a sink")
}

/// Too few or too many rates.
pub(crate) fn number_of_rates(reaction: &Reaction, wanted: usize, span: Span) -> Diagnostic {
    let n_written = reaction.law.values().len();
    let what = match reaction.law {
        RateLaw::MassAction(_) => "constant",
        RateLaw::Rate(_) => "rate",
    };
    let (way, help) = match wanted {
        1 => ("one way", "write `<->` if it goes both ways"),
        _ => (
            "both ways",
            "write the one of the way forth, a comma, the one of the way back",
        ),
    };
    let plural = if wanted == 1 { "" } else { "s" };
    let message = format!("a stage that goes {way} has {wanted} {what}{plural}, {n_written} given");
    Diagnostic::error("S001", message, span).with_help(help)
}

/// `S -> P : Vmax * S / (Km + S)`
pub(crate) fn reactant_as_constant(name: &str, span: Span, whole: Span) -> Diagnostic {
    let message = format!("`{name}` is a reactant of this stage, and stands after `:`");
    Diagnostic::error("S002", message, span)
        .also(whole, "is multiplied by what the stage takes")
        .with_help("after `:` stands the constant of mass action; a rate law stands after `at`")
}

/// A stage under `otherwise`.
pub(crate) fn stage_otherwise(span: Span) -> Diagnostic {
    Diagnostic::error("S003", "a stage has no `otherwise`", span)
        .with_help("name the condition as a situation and write `when !situation`")
}

/// A number of molecules that is none.
pub(crate) fn bad_amount(text: &str, span: Span) -> Diagnostic {
    let message = format!("`{text}` is no number of molecules");
    Diagnostic::error("S004", message, span).with_help("write a number above zero")
}
