//! Reports on stages of reactions that are found while they are read.

use situ_words::say;

use crate::diag::Diagnostic;
use crate::source::Span;
use crate::tree::{RateLaw, Reaction};

/// A stage that does not say how fast it goes.
pub(crate) fn no_law(span: Span) -> Diagnostic {
    Diagnostic::error("S001", say!("stage-no-law"), span).with_help(say!("stage-no-law.help"))
}

/// A stage without species.
pub(crate) fn empty_stage(span: Span) -> Diagnostic {
    Diagnostic::error("S001", say!("stage-empty-stage"), span)
        .with_help(say!("stage-empty-stage.help"))
}

/// Too few or too many rates.
pub(crate) fn number_of_rates(reaction: &Reaction, wanted: usize, span: Span) -> Diagnostic {
    let n_written = reaction.law.values().len();
    let what = match reaction.law {
        RateLaw::MassAction(_) => "constant",
        RateLaw::Rate(_) => "rate",
    };
    let help = match wanted {
        1 => say!("stage-number-of-rates.help-one-way"),
        _ => say!("stage-number-of-rates.help-both-ways"),
    };
    let message = say!("stage-number-of-rates", wanted, what, n_written);
    Diagnostic::error("S001", message, span).with_help(help)
}

/// `S -> P : Vmax * S / (Km + S)`
pub(crate) fn reactant_as_constant(name: &str, span: Span, whole: Span) -> Diagnostic {
    let message = say!("stage-reactant-as-constant", name);
    Diagnostic::error("S002", message, span)
        .also(whole, say!("stage-reactant-as-constant.also"))
        .with_help(say!("stage-reactant-as-constant.help"))
}

/// A stage under `otherwise`.
pub(crate) fn stage_otherwise(span: Span) -> Diagnostic {
    Diagnostic::error("S003", say!("stage-stage-otherwise"), span)
        .with_help(say!("stage-stage-otherwise.help"))
}

/// A number of molecules that is none.
pub(crate) fn bad_amount(text: &str, span: Span) -> Diagnostic {
    let message = say!("stage-bad-amount", text);
    Diagnostic::error("S004", message, span).with_help(say!("stage-bad-amount.help"))
}
