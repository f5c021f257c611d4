//! Reactions and what they consist of.

use situ_words::say;

use super::{declared_here, error};
use crate::diag::{Diagnostic, nearest};
use crate::print;
use crate::resolve::symbol::Declared;
use crate::source::{Span, Spanned};
use crate::tree::{Name, Reaction};

pub(in crate::resolve) fn formula_of_no_species<'a>(
    species: &Name,
    known: impl Iterator<Item = &'a str>,
) -> Diagnostic {
    let message = say!("stage-formula-of-no-species", species = species.value);
    let report = error("S005", message, species.span);
    match nearest(&species.value, known) {
        Some(near) => report.with_help(say!("report-did-you-mean", near)),
        None => report.with_help(say!("stage-formula-of-no-species.help-leave-formula")),
    }
}

pub(in crate::resolve) fn bad_formula(text: &Spanned<String>, why: &str) -> Diagnostic {
    let message = say!("stage-bad-formula", text = text.value, why);
    error("S005", message, text.span).with_help(say!("stage-bad-formula.help"))
}

pub(in crate::resolve) fn no_formula(species: &str, span: Span) -> Diagnostic {
    let message = say!("stage-no-formula", species);
    Diagnostic::warning("S006", message, span).with_help(say!(
        "stage-no-formula.help",
        species = print::name(species)
    ))
}

pub(in crate::resolve) fn not_balanced(
    id: &str,
    body: &Reaction,
    differences: &[(&str, f64, f64)],
) -> Diagnostic {
    let (element, left, right) = differences[0];
    let message = say!(
        "stage-not-balanced",
        id,
        element,
        left = print::number(left),
        right = print::number(right)
    );
    let mut report = error("S007", message, body.equation);
    for (element, left, right) in &differences[1..] {
        report = report.with_note(say!(
            "stage-not-balanced.note",
            element,
            left = print::number(*left),
            right = print::number(*right)
        ));
    }
    report.with_help(say!("stage-not-balanced.help"))
}

pub(in crate::resolve) fn stage_at_event(id: &str, condition: Span) -> Diagnostic {
    let message = say!("stage-stage-at-event", id);
    error("S003", message, condition).with_help(say!("stage-stage-at-event.help"))
}

pub(in crate::resolve) fn no_such_stage<'a>(
    name: &str,
    span: Span,
    known: impl Iterator<Item = &'a str>,
) -> Diagnostic {
    let report = error("S008", say!("stage-no-such-stage", name), span);
    match nearest(name, known) {
        Some(near) => report.with_edit(say!("report-did-you-mean", near), span, near),
        None => report.with_help(say!("stage-no-such-stage.help-flux-rate")),
    }
}

pub(in crate::resolve) fn amount_no_constant(name: &Name, declared: Declared) -> Diagnostic {
    let message = say!(
        "stage-amount-no-constant",
        name = name.value,
        kind = declared.symbol.kind()
    );
    declared_here(error("S004", message, name.span), declared)
        .with_help(say!("stage-amount-no-constant.help"))
}

pub(in crate::resolve) fn rate_written(target: &Name, id: &str) -> Diagnostic {
    let message = say!("stage-rate-written", target = target.value, id);
    error("S010", message, target.span).with_help(say!("stage-rate-written.help"))
}

pub(in crate::resolve) fn amount_below_zero(name: &Name, value: f64) -> Diagnostic {
    let message = say!(
        "stage-amount-below-zero",
        name = name.value,
        value = print::number(value)
    );
    error("S004", message, name.span).with_help(say!("stage-amount-below-zero.help"))
}
