//! Reactions and what they consist of.

use super::{declared_here, error};
use crate::diag::{Diagnostic, nearest};
use crate::print;
use crate::resolve::names::Declared;
use crate::source::{Span, Spanned};
use crate::tree::{Name, Reaction};

pub(in crate::resolve) fn formula_of_no_species<'a>(
    species: &Name,
    known: impl Iterator<Item = &'a str>,
) -> Diagnostic {
    let message = format!("no stage has a species `{}`", species.value);
    let report = error("S005", message, species.span);
    match nearest(&species.value, known) {
        Some(near) => report.with_help(format!("did you mean `{near}`?")),
        None => report.with_help("leave its formula out"),
    }
}

pub(in crate::resolve) fn bad_formula(text: &Spanned<String>, why: &str) -> Diagnostic {
    let message = format!("`{}` is no formula: {why} cannot be read", text.value);
    error("S005", message, text.span)
        .with_help("write elements with their numbers: `C8 H10`, `Ca(OH)2`, `SO4 2-`")
}

pub(in crate::resolve) fn no_formula(species: &str, span: Span) -> Diagnostic {
    let message = format!("what `{species}` consists of is not known: its stages are not balanced");
    Diagnostic::warning("S006", message, span).with_help(format!(
        "add it to `formulas`: `\"{}\": \"C2 H6\"`",
        print::name(species)
    ))
}

pub(in crate::resolve) fn not_balanced(
    id: &str,
    body: &Reaction,
    differences: &[(&str, f64, f64)],
) -> Diagnostic {
    let (element, left, right) = differences[0];
    let message = format!(
        "stage `{id}` is not balanced: {element} {} left, {} right",
        print::number(left),
        print::number(right)
    );
    let mut report = error("S007", message, body.equation);
    for (element, left, right) in &differences[1..] {
        report = report.with_note(format!(
            "{element} {} left, {} right",
            print::number(*left),
            print::number(*right)
        ));
    }
    report.with_help("correct the numbers of molecules, or the formulas")
}

pub(in crate::resolve) fn stage_at_event(id: &str, condition: Span) -> Diagnostic {
    let message = format!("stage `{id}` stands at an event, and goes on through time");
    error("S003", message, condition)
        .with_help("write a row `A, B := A - n, B + n when event` for what happens at once")
}

pub(in crate::resolve) fn no_such_stage<'a>(
    name: &str,
    span: Span,
    known: impl Iterator<Item = &'a str>,
) -> Diagnostic {
    let report = error(
        "S008",
        format!("there is no stage of the rate `{name}`"),
        span,
    );
    match nearest(name, known) {
        Some(near) => report.with_edit(format!("did you mean `{near}`?"), span, near),
        None => {
            report.with_help("`flux(4)` is the rate of the stage `[4]`, `flux(4r)` of its way back")
        }
    }
}

pub(in crate::resolve) fn amount_no_constant(name: &Name, declared: Declared) -> Diagnostic {
    let message = format!(
        "`{}` is {}, not a number of molecules",
        name.value,
        declared.symbol.kind()
    );
    declared_here(error("S004", message, name.span), declared)
        .with_help("a number of molecules is a number or a constant; what depends on the state stands in a rate law")
}

pub(in crate::resolve) fn rate_written(target: &Name, id: &str) -> Diagnostic {
    let message = format!(
        "`{}` is the rate of stage `{id}`, which no other row writes",
        target.value
    );
    error("S010", message, target.span)
        .with_help("change the stage: its rate law stands after `at`")
}
