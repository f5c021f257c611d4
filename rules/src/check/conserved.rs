//! What the stages of reactions conserve.

use super::Context;
use crate::diag::{Diagnostic, Severity};

/// Tells the laws that follow from the stages.
pub(super) fn check(context: &mut Context<'_>) {
    let model = context.model;
    let scheme = &model.scheme;
    let Some(first) = scheme.stages.first() else {
        return;
    };
    // Who states what is conserved does not need to be told.
    if model.invariants.len() > scheme.n_laws {
        return;
    }
    let laws = &model.invariants[model.invariants.len() - scheme.n_laws..];
    let names: Vec<&str> = laws.iter().map(|law| law.name.as_str()).collect();
    let shown = names.len().min(super::MAX_PER_CODE);
    let message = match names.as_slice() {
        [] if scheme.laws_left_open => {
            "what the stages conserve was not found: that takes too long"
        }
        [] => return,
        [_] => "the stages conserve a sum",
        _ => "the stages conserve several sums",
    };
    let mut report = Diagnostic::new("S009", Severity::Note, message);
    for name in &names[..shown] {
        report = report.with_note(*name);
    }
    if names.len() > shown {
        report = report.with_note(format!("and {} more", names.len() - shown));
    }
    if scheme.laws_left_open && !names.is_empty() {
        report = report.with_note("there may be more: to find all takes too long");
    }
    if let Some(span) = context.origins.get(first.origin) {
        report = report.at(span, "");
    }
    context.report("S009", |_| report);
}
