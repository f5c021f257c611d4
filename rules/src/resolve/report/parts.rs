//! Parts: their tables, what stands in them, and what is written from outside.

use super::error;
use situ_engine::model::element;
use situ_words::{phrase, say};

use crate::diag::{Diagnostic, nearest};
use crate::source::{Span, Spanned};
use crate::tree::Name;

/// Code of the note on inputs that nothing connects.
pub(in crate::resolve) const UNCONNECTED: &str = "A007";

pub(crate) fn no_part_file(path: &Spanned<String>, why: &str) -> Diagnostic {
    let message = say!("part-no-part-file", path = path.value, why);
    error("A001", message, path.span).with_help(say!("part-no-part-file.help"))
}

pub(in crate::resolve) fn part_without_file(name: &Name) -> Diagnostic {
    let message = say!("part-part-without-file", base = name.base());
    error("A001", message, name.span).with_help(say!("part-part-without-file.help"))
}

pub(in crate::resolve) fn no_case_of_part(
    case: &Spanned<String>,
    part: &Name,
    known: &[&str],
) -> Diagnostic {
    let message = say!(
        "part-no-case-of-part",
        base = part.base(),
        case = case.value
    );
    let report = error("A001", message, case.span);
    match nearest(&case.value, known.iter().copied()) {
        Some(near) => report.with_edit(
            say!("report-did-you-mean", near),
            case.span,
            crate::print::string(near),
        ),
        None if known.is_empty() => report.with_help(say!("part-no-case-of-part.help-no-cases")),
        None => report.with_help(say!(
            "part-no-case-of-part.help-there-are",
            known = known.join(", ")
        )),
    }
}

pub(crate) fn contains_itself(path: &Spanned<String>, name: &str) -> Diagnostic {
    let message = say!("part-contains-itself", name);
    error("A002", message, path.span).with_help(say!("part-contains-itself.help"))
}

pub(crate) fn parts_too_deep(path: &Spanned<String>, limit: usize) -> Diagnostic {
    let message = say!("part-parts-too-deep", limit);
    error("A002", message, path.span)
}

pub(in crate::resolve) fn part_twice(name: &str, span: Span, first: Span) -> Diagnostic {
    error("A002", say!("part-part-twice", name), span)
        .also(first, say!("part-part-twice.also"))
        .with_help(say!("part-part-twice.help"))
}

pub(in crate::resolve) fn part_of_no_shape(name: &Name, numbers: &[(String, f64)]) -> Diagnostic {
    let values = numbers
        .iter()
        .map(|(name, value)| format!("`{name}` = {value}"));
    let values: Vec<String> = values.collect();
    let message = say!(
        "part-part-of-no-shape",
        base = name.base(),
        values = values.join(", ")
    );
    error("A004", message, name.span).with_help(say!("part-part-of-no-shape.help"))
}

pub(in crate::resolve) fn input_written_twice(target: &Name, row: Span, first: Span) -> Diagnostic {
    let message = say!("part-input-written-twice", target = target.value);
    error("A003", message, target.span)
        .also(
            if first == row { target.span } else { first },
            say!("part-input-written-twice.also"),
        )
        .with_help(say!("part-input-written-twice.help"))
}

pub(in crate::resolve) fn written_from_outside(
    target: &Name,
    part: &str,
    declared: &Name,
    inputs: &[&str],
) -> Diagnostic {
    let message = say!("part-written-from-outside", target = target.value, part);
    let report =
        error("A004", message, target.span).also(declared.span, say!("part-declared-here"));
    let help = match inputs {
        [] => say!("part-written-from-outside.help-only-inputs").to_owned(),
        inputs => say!(
            "part-written-from-outside.help-only-inputs-2",
            x = inputs
                .iter()
                .map(|name| format!("`{name}`"))
                .collect::<Vec<_>>()
                .join(", ")
        ),
    };
    report.with_help(help)
}

pub(in crate::resolve) fn set_of_condition(name: &Name, part: &Name) -> Diagnostic {
    let message = say!(
        "part-set-of-condition",
        name = name.value,
        base = part.base()
    );
    error("A004", message, name.span).with_help(say!("part-set-of-condition.help"))
}

pub(in crate::resolve) fn nothing_to_set<'k>(
    name: &Name,
    part: &Name,
    known: impl Iterator<Item = &'k str>,
) -> Diagnostic {
    let message = say!("part-nothing-to-set", base = part.base(), name = name.value);
    let report = error("A004", message, name.span);
    match nearest(&name.value, known) {
        Some(near) => report.with_help(say!("report-did-you-mean", near)),
        None => report.with_help(say!("part-nothing-to-set.help-set-names")),
    }
}

pub(in crate::resolve) fn set_of_wrong_kind(name: &Name, number: bool) -> Diagnostic {
    let (found, wanted) = match number {
        true => (
            phrase!("part-set-of-wrong-kind.truth-value"),
            phrase!("part-set-of-wrong-kind.number"),
        ),
        false => (
            phrase!("part-set-of-wrong-kind.number"),
            phrase!("part-set-of-wrong-kind.true-false"),
        ),
    };
    let message = say!("part-set-of-wrong-kind", name = name.value, found, wanted);
    error("A004", message, name.span)
}

pub(in crate::resolve) fn no_part<'k>(
    name: &str,
    span: Span,
    known: impl Iterator<Item = &'k str>,
) -> Diagnostic {
    let report = error("A005", say!("part-no-part", name), span);
    let known: Vec<&str> = known.collect();
    if let Some((base, _)) = element(name) {
        if known.contains(&base) {
            return report.with_help(say!("part-no-part.help-part-leave", base));
        }
        let is_one = |part: &&&str| element(part).is_some_and(|(other, _)| other == base);
        let mut same = known.iter().filter(is_one);
        if let (Some(first), Some(last)) = (same.next(), same.next_back()) {
            return report.with_help(say!("part-no-part.help-there-are", first, last));
        }
    }
    let bases = known
        .iter()
        .map(|part| element(part).map_or(*part, |(base, _)| base));
    match nearest(name, bases) {
        Some(near) => report.with_help(say!("report-did-you-mean", near)),
        None => report.with_help(say!("part-no-part.help-parts-declared")),
    }
}

/// `id`: of a row that belongs to a part.
pub(in crate::resolve) fn row_of_part(id: &Spanned<String>, part: &str) -> Diagnostic {
    let message = say!("part-row-of-part", id = id.value, part);
    error("A004", message, id.span).with_help(say!("part-row-of-part.help", part))
}

pub(in crate::resolve) fn part_without_index(name: &str, one: &str, span: Span) -> Diagnostic {
    let message = say!("part-part-without-index", name);
    error("A005", message, span).with_help(say!("part-part-without-index.help", one, name))
}

pub(in crate::resolve) fn lost_name<'k>(
    part: &str,
    name: &str,
    span: Span,
    known: impl Iterator<Item = &'k str>,
) -> Diagnostic {
    let report = error("A005", say!("part-lost-name", part, name), span);
    match nearest(name, known) {
        Some(near) => report.with_help(say!("part-lost-name.help-did-you", part, near)),
        None => report.with_help(say!("part-lost-name.help-names-those")),
    }
}

pub(in crate::resolve) fn input_written_inside(target: &Name, declared: &Name) -> Diagnostic {
    let message = say!("part-input-written-inside", target = target.value);
    error("A006", message, target.span)
        .also(declared.span, say!("part-declared-here"))
        .with_help(say!("part-input-written-inside.help"))
}

pub(in crate::resolve) fn unconnected(part: &str, inputs: &[&str], span: Span) -> Diagnostic {
    let names: Vec<String> = inputs
        .iter()
        .map(|name| format!("`{part}.{name}`"))
        .collect();
    let message = match names.as_slice() {
        [one] => say!("part-unconnected", one),
        several => say!("part-unconnected.no-rows", several = several.join(", ")),
    };
    let example = inputs.first().copied().unwrap_or_default();
    let target = crate::print::name(&format!("{part}.{example}"));
    Diagnostic::note(UNCONNECTED, message, span).with_help(say!("part-unconnected.help", target))
}

pub(in crate::resolve) fn other_unit_of_time(
    part: &Name,
    inner: &Spanned<&str>,
    outer: &Spanned<&str>,
) -> Diagnostic {
    let (base, inner_unit, outer_unit) = (part.base(), inner.value, outer.value);
    let message = say!("part-other-unit-of-time", base, inner_unit, outer_unit);
    Diagnostic::warning("A008", message, part.span)
        .also(inner.span, say!("part-other-unit-of-time.inner"))
        .also(outer.span, say!("part-other-unit-of-time.outer"))
        .with_help(say!("part-other-unit-of-time.help"))
}
