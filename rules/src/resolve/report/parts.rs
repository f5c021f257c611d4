//! Parts: their tables, what stands in them, and what is written from outside.

use super::error;
use situ_engine::model::element;

use crate::diag::{Diagnostic, nearest};
use crate::source::{Span, Spanned};
use crate::tree::Name;

/// Code of the note on inputs that nothing connects.
pub(in crate::resolve) const UNCONNECTED: &str = "A007";

pub(crate) fn no_part_file(path: &Spanned<String>, why: &str) -> Diagnostic {
    let message = format!("cannot read `{}`: {why}", path.value);
    error("A001", message, path.span).with_help("the path is relative to the file that names it")
}

pub(in crate::resolve) fn part_without_file(name: &Name) -> Diagnostic {
    let message = format!("part `{}` has no table", name.base());
    error("A001", message, name.span).with_help("write `(file: \"table.ron\")`")
}

pub(in crate::resolve) fn no_case_of_part(
    case: &Spanned<String>,
    part: &Name,
    known: &[&str],
) -> Diagnostic {
    let message = format!(
        "the table of part `{}` has no case `{}`",
        part.base(),
        case.value
    );
    let report = error("A001", message, case.span);
    match nearest(&case.value, known.iter().copied()) {
        Some(near) => report.with_edit(
            format!("did you mean `{near}`?"),
            case.span,
            crate::print::string(near),
        ),
        None if known.is_empty() => report.with_help("it has no cases: leave `case` out"),
        None => report.with_help(format!("there are {}", known.join(", "))),
    }
}

pub(crate) fn contains_itself(path: &Spanned<String>, name: &str) -> Diagnostic {
    let message = format!("the table contains itself as a part, through `{name}`");
    error("A002", message, path.span).with_help(
        "parts stand in each other without end: leave this one out, or put what both need into a table of its own",
    )
}

pub(crate) fn parts_too_deep(path: &Spanned<String>, limit: usize) -> Diagnostic {
    let message = format!("parts stand in each other more than {limit} deep");
    error("A002", message, path.span)
}

pub(in crate::resolve) fn part_twice(name: &str, span: Span, first: Span) -> Diagnostic {
    error("A002", format!("two parts have the name `{name}`"), span)
        .also(first, "the first")
        .with_help("give one of them another name")
}

pub(in crate::resolve) fn part_of_no_shape(name: &Name, numbers: &[(String, f64)]) -> Diagnostic {
    let values = numbers
        .iter()
        .map(|(name, value)| format!("`{name}` = {value}"));
    let values: Vec<String> = values.collect();
    let message = format!(
        "part `{}` cannot be built with {}",
        name.base(),
        values.join(", ")
    );
    error("A004", message, name.span).with_help(
        "run its table by itself with these values, as in `situ check TABLE --set NAME=VALUE`, to see why",
    )
}

pub(in crate::resolve) fn input_written_twice(target: &Name, row: Span, first: Span) -> Diagnostic {
    let message = format!("input `{}` is written twice", target.value);
    error("A003", message, target.span)
        .also(
            if first == row { target.span } else { first },
            "the first row",
        )
        .with_help(
            "an input has one row; add up what feeds it in that row, as in `left.inflow = a + b`",
        )
}

pub(in crate::resolve) fn written_from_outside(
    target: &Name,
    part: &str,
    declared: &Name,
    inputs: &[&str],
) -> Diagnostic {
    let message = format!("`{}` is no input of part `{part}`", target.value);
    let report = error("A004", message, target.span).also(declared.span, "declared here");
    let help = match inputs {
        [] => "only inputs can be written from outside: declare it under `inputs` of its table"
            .to_owned(),
        inputs => format!(
            "only inputs can be written from outside: it has {}",
            inputs
                .iter()
                .map(|name| format!("`{name}`"))
                .collect::<Vec<_>>()
                .join(", ")
        ),
    };
    report.with_help(help)
}

pub(in crate::resolve) fn set_of_condition(name: &Name, part: &Name) -> Diagnostic {
    let message = format!(
        "`{}` of part `{}` follows from its rules",
        name.value,
        part.base()
    );
    error("A004", message, name.span)
        .with_help("`set` gives values to constants, inputs, and starts of reals and switches")
}

pub(in crate::resolve) fn nothing_to_set<'k>(
    name: &Name,
    part: &Name,
    known: impl Iterator<Item = &'k str>,
) -> Diagnostic {
    let message = format!(
        "part `{}` has no constant, real or switch `{}`",
        part.base(),
        name.value
    );
    let report = error("A004", message, name.span);
    match nearest(&name.value, known) {
        Some(near) => report.with_help(format!("did you mean `{near}`?")),
        None => report.with_help("`set` names them as the table of the part does"),
    }
}

pub(in crate::resolve) fn set_of_wrong_kind(name: &Name, number: bool) -> Diagnostic {
    let (found, wanted) = match number {
        true => ("a truth value", "a number"),
        false => ("a number", "`true` or `false`"),
    };
    let message = format!("`{}` is given {found}, and needs {wanted}", name.value);
    error("A004", message, name.span)
}

pub(in crate::resolve) fn no_part<'k>(
    name: &str,
    span: Span,
    known: impl Iterator<Item = &'k str>,
) -> Diagnostic {
    let report = error("A005", format!("there is no part `{name}`"), span);
    let known: Vec<&str> = known.collect();
    if let Some((base, _)) = element(name) {
        if known.contains(&base) {
            return report.with_help(format!("there is one part `{base}`: leave the index out"));
        }
        let is_one = |part: &&&str| element(part).is_some_and(|(other, _)| other == base);
        let mut same = known.iter().filter(is_one);
        if let (Some(first), Some(last)) = (same.next(), same.next_back()) {
            return report.with_help(format!("there are `{first}` to `{last}`"));
        }
    }
    let bases = known
        .iter()
        .map(|part| element(part).map_or(*part, |(base, _)| base));
    match nearest(name, bases) {
        Some(near) => report.with_help(format!("did you mean `{near}`?")),
        None => report.with_help("parts are declared under `parts`"),
    }
}

/// `id`: of a row that belongs to a part.
pub(in crate::resolve) fn row_of_part(id: &Spanned<String>, part: &str) -> Diagnostic {
    let message = format!("row `{}` belongs to part `{part}`", id.value);
    error("A004", message, id.span).with_help(format!(
        "its rows are changed in its own table, or in one that extends that; `before {part}` and `after {part}` place \
         rows around it"
    ))
}

pub(in crate::resolve) fn part_without_index(name: &str, one: &str, span: Span) -> Diagnostic {
    let message = format!("there are many parts `{name}`: it needs an index");
    error("A005", message, span).with_help(format!(
        "name one, such as `{one}`, or all of them, as in `sum({name}[i].x for i)`"
    ))
}

pub(in crate::resolve) fn lost_name<'k>(
    part: &str,
    name: &str,
    span: Span,
    known: impl Iterator<Item = &'k str>,
) -> Diagnostic {
    let report = error("A005", format!("part `{part}` has no `{name}`"), span);
    match nearest(name, known) {
        Some(near) => report.with_help(format!("did you mean `{part}.{near}`?")),
        None => report.with_help("its names are those of its table"),
    }
}

pub(in crate::resolve) fn input_written_inside(target: &Name, declared: &Name) -> Diagnostic {
    let message = format!(
        "`{}` is an input, which no row of its own table writes",
        target.value
    );
    error("A006", message, target.span)
        .also(declared.span, "declared here")
        .with_help("move it to `reals` or `switches`, or write another one here")
}

pub(in crate::resolve) fn unconnected(part: &str, inputs: &[&str], span: Span) -> Diagnostic {
    let names: Vec<String> = inputs
        .iter()
        .map(|name| format!("`{part}.{name}`"))
        .collect();
    let message = match names.as_slice() {
        [one] => format!("no row connects input {one}: it keeps its start"),
        several => format!(
            "no rows connect inputs {}: they keep their starts",
            several.join(", ")
        ),
    };
    let example = inputs.first().copied().unwrap_or_default();
    Diagnostic::note(UNCONNECTED, message, span).with_help(format!(
        "write a row such as `{part}.{example} = ..`, or give it a value in `set`"
    ))
}
