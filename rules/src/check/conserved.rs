//! What the stages of reactions conserve.

use situ_engine::model::{Expr, Invariant};
use situ_words::say;

use super::Context;
use crate::diag::{Diagnostic, Severity};

/// Terms of a long sum that are shown.
const SHOWN_TERMS: usize = 4;

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
    let shown = laws.len().min(super::MAX_PER_CODE);
    let message = match laws {
        [] if scheme.laws_left_open => {
            say!("check-conserved")
        }
        [] => return,
        [_] => say!("check-conserved.stages-conserve"),
        _ => say!("check-conserved.stages-conserve-2"),
    };
    let mut report = Diagnostic::new("S009", Severity::Note, message);
    for law in &laws[..shown] {
        report = report.with_note(words(context, law));
    }
    if laws.len() > shown {
        report = report.with_note(say!("check-conserved.note-more", n = laws.len() - shown));
    }
    if scheme.laws_left_open && !laws.is_empty() {
        report = report.with_note(say!("check-conserved.note-may-more"));
    }
    if let Some(span) = context.origins.get(first.origin) {
        report = report.at(span, "");
    }
    context.report("S009", |_| report);
}

/// The name of a law and, where that is a number only, how its sum begins.
fn words(context: &Context<'_>, law: &Invariant) -> String {
    if !law.name.starts_with("law ") {
        return law.name.clone();
    }
    let model = context.model;
    let (mut terms, mut waiting) = (Vec::new(), vec![law.value]);
    while let Some(term) = waiting.pop() {
        match model.exprs.get(term) {
            Expr::Add(left, right) => waiting.extend([right, left]),
            _ => terms.push(term),
        }
    }
    let shown = terms.len().min(SHOWN_TERMS);
    let begin: Vec<String> = terms[..shown]
        .iter()
        .map(|term| model.expr_text(*term))
        .collect();
    let begin = begin.join(" + ").replace("+ -", "- ");
    match terms.len() - shown {
        0 => format!("{}: {begin}", law.name),
        more => say!("check-words.more", law = law.name, begin, more),
    }
}
