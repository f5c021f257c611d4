//! Reports of tables with families (F): one function per mistake, each the only place that words it.

use super::families::{Block, Family, Kind, Scope, block_text};
use crate::diag::{Diagnostic, nearest};
use crate::print;
use crate::source::Span;
use crate::tree::{Expr, Name, Reduction, Relation, Row};

/// Constants with the values that they had.
type Asked<'v> = [(&'v str, f64)];

fn with_values(mut report: Diagnostic, at: &[(&str, i64)], asked: &Asked<'_>) -> Diagnostic {
    let counters = at.iter().map(|(name, value)| format!("{name} = {value}"));
    let constants = asked
        .iter()
        .map(|(name, value)| format!("{name} = {value}"));
    let all: Vec<String> = counters.chain(constants.take(4)).collect();
    if !all.is_empty() {
        report = report.with_note(format!("here {}", all.join(", ")));
    }
    report
}

pub(super) fn not_whole<'v>(
    what: &str,
    value: f64,
    expr: &Expr,
    asked: impl Iterator<Item = (&'v str, f64)>,
) -> Diagnostic {
    let number = print::number(value);
    let message = match what {
        "an index" => format!("the index `{}` is {number}", print::expression(expr)),
        _ => format!("{what} {number}"),
    };
    let why = match value.fract() == 0.0 {
        true => "which is too large to count",
        false => "which is no whole number",
    };
    let report = Diagnostic::error("F002", format!("{message}, {why}"), expr.span);
    let asked: Vec<_> = asked.collect();
    with_values(report, &[], &asked).with_help("give a whole number, or round it with `floor(..)`")
}

pub(super) fn not_constant(span: Span) -> Diagnostic {
    Diagnostic::error("F002", "this is not known before the run", span)
        .with_help("only numbers, constants and counters decide how many elements there are")
}

pub(super) fn unknown_in_shape(name: &str, span: Span) -> Diagnostic {
    Diagnostic::error("F002", format!("`{name}` is no constant"), span)
        .with_help("only numbers, constants and counters decide how many elements there are")
}

pub(super) fn circular_shape(span: Span) -> Diagnostic {
    Diagnostic::error(
        "F002",
        "this constant needs itself, or too many others",
        span,
    )
}

pub(super) fn turned_round(
    of: &str,
    from: i64,
    to: i64,
    span: Span,
    asked: &Asked<'_>,
) -> Diagnostic {
    let message = format!("{of} is turned round: it goes from {from} to {to}");
    with_values(Diagnostic::warning("F003", message, span), &[], asked)
        .with_help("it has no elements; give the smaller end first")
}

pub(super) fn outside(
    written: &str,
    element: &str,
    family: &Family,
    span: Span,
    at: &[(&str, i64)],
    asked: &Asked<'_>,
) -> Diagnostic {
    let range = family.range_text();
    let in_part = element
        .split_once("].")
        .and_then(|(part, _)| part.split_once('['));
    let base = match situ_engine::model::element(element) {
        Some((base, _)) => base,
        None => in_part.map_or(element, |(part, _)| part),
    };
    let message = match written == element {
        true => format!("`{element}` lies outside of `{base}`, which goes over {range}"),
        false => format!("`{written}` reaches `{element}`, but `{base}` goes over {range}"),
    };
    let report = Diagnostic::error("F004", message, span).also(family.span, "declared here");
    with_values(report, at, asked)
        .with_help("narrow the row with `for .. in ..`, or declare more elements")
}

pub(super) fn index_count(
    name: &str,
    found: usize,
    wanted: usize,
    span: Span,
    declared: Span,
) -> Diagnostic {
    let count = |n: usize| format!("{n} {}", if n == 1 { "index" } else { "indices" });
    let message = format!(
        "`{name}` has {}, its family {}",
        count(found),
        count(wanted)
    );
    Diagnostic::error("F005", message, span).also(declared, "declared here")
}

pub(super) fn family_alone(name: &str, family: &Family, span: Span) -> Diagnostic {
    let (range, declared) = (family.range_text(), family.span);
    let all = match family.kind {
        Kind::Constant | Kind::Real => "sum",
        Kind::Switch | Kind::Range | Kind::Situation | Kind::Event => "any",
    };
    let message = format!("`{name}` is a family: it needs an index");
    Diagnostic::error("F005", message, span)
        .also(declared, format!("goes over {range}"))
        .with_help(format!(
            "name an element such as `{name}[j]`, or all of them: `{all}({name}[j] for j)`"
        ))
}

pub(super) fn no_family(name: &Name, known: &[&str]) -> Diagnostic {
    let base = name.base();
    let report = Diagnostic::error("F005", format!("there is no family `{base}`"), name.span);
    match nearest(base, known.iter().copied()) {
        Some(near) => report.with_help(format!("did you mean `{near}`?")),
        None => report.with_help(format!(
            "declare it with its range, such as `\"{base}[1 .. N]\": 0`"
        )),
    }
}

pub(super) fn wrong_kind(name: &Name, found: Kind, wanted: Kind, declared: Span) -> Diagnostic {
    let writer = match wanted {
        Kind::Switch => "an assignment sets",
        _ => "a relation writes",
    };
    let message = format!(
        "`{}` is a family of {}; {writer} {} only",
        name.base(),
        found.plural(),
        wanted.plural()
    );
    Diagnostic::error("F005", message, name.span).also(declared, "declared here")
}

pub(super) fn declared_twice(name: &Name, first: Span) -> Diagnostic {
    let message = format!("the family `{}` is declared twice", name.base());
    Diagnostic::error("F006", message, name.span)
        .also(first, "here first")
        .with_help("give one of them another name; a single element such as `u[3]` may have a start of its own")
}

pub(super) fn family_and_single(name: &Name, family: Span) -> Diagnostic {
    let base = situ_engine::model::element(&name.value).map_or(name.base(), |(base, _)| base);
    let message = format!("`{base}` is declared with indices and without");
    Diagnostic::error("F006", message, name.span).also(family, "with indices here")
}

pub(super) fn counter_hides(name: &Name, other: Span) -> Diagnostic {
    let message = format!(
        "the counter `{}` has the name of something else",
        name.value
    );
    Diagnostic::error("F006", message, name.span)
        .also(other, "declared here")
        .with_help("give the counter another name")
}

pub(super) fn no_counter(name: &Name, known: &[&str]) -> Diagnostic {
    let report = Diagnostic::error(
        "F007",
        format!("there is no counter `{}`", name.value),
        name.span,
    );
    match nearest(&name.value, known.iter().copied()) {
        Some(near) => report.with_edit(format!("did you mean `{near}`?"), name.span, near),
        None => report.with_help(format!(
            "declare it under `counters`, or give its range here: `for {} in 1 .. 10`",
            name.value
        )),
    }
}

pub(super) fn counter_alone(name: &str, span: Span) -> Diagnostic {
    Diagnostic::error("F007", format!("`{name}` counts nothing here"), span).with_help(format!(
        "the row writes nothing with the index `{name}`: write such a target, or take a sum `sum(.. for {name})`"
    ))
}

pub(super) fn target_lacks(counter: &str, span: Span, target: &str) -> Diagnostic {
    let message = format!("the row counts `{counter}`, but its target `{target}` does not");
    Diagnostic::error("F007", message, span).with_help(format!(
        "give the target the index `{counter}`, or take a sum `sum(.. for {counter})`"
    ))
}

pub(super) fn odd_index(span: Span) -> Diagnostic {
    Diagnostic::error("F008", "an index is a counter and a whole number at most", span).with_help(
        "write `j`, `j + 1`, `N` or an element of a family of constants, `left[j]`: it may hold any whole numbers",
    )
}

pub(super) fn odd_declaration(span: Span) -> Diagnostic {
    Diagnostic::error(
        "F008",
        "a family is declared with a counter or a range",
        span,
    )
    .with_help("write `u[j]` or `u[0 .. N + 1]`")
}

pub(super) fn range_as_index(span: Span) -> Diagnostic {
    Diagnostic::error(
        "F008",
        "a range of indices stands where a family is declared",
        span,
    )
    .with_help("name one element, and count with `for j in ..` behind the row")
}

pub(super) fn network_target(span: Span) -> Diagnostic {
    Diagnostic::error(
        "F008",
        "a row does not write elements that are looked up",
        span,
    )
    .with_help("turn it round: let each element look up what it reads")
}

pub(super) fn too_large(n: u64, most: u64, span: Option<Span>, asked: &Asked<'_>) -> Diagnostic {
    let message = format!("written out the table would have {n} terms; {most} are the most");
    let mut report = Diagnostic::new("F009", crate::diag::Severity::Error, message);
    if let Some(span) = span {
        report = report.at(span, "");
    }
    with_values(report, &[], asked).with_help("make it smaller")
}

pub(super) fn over_nothing(
    reduction: &Reduction,
    scope: &Scope<'_>,
    asked: &Asked<'_>,
) -> Diagnostic {
    let word = reduction.kind.word();
    let ranges = scope
        .iter()
        .map(|(name, extent)| format!("`{name}` goes from {} to {}", extent.from, extent.to));
    let message = format!("`{word}` over no elements has no value");
    let report = Diagnostic::error("F010", message, reduction.word)
        .with_note(ranges.collect::<Vec<_>>().join(", "));
    with_values(report, &[], asked)
}

pub(super) fn names_itself(own: &str, span: Span, name: Span) -> Diagnostic {
    let message = format!("a condition of the family `{own}` names the family itself");
    Diagnostic::error("F011", message, span)
        .also(name, "defined here")
        .with_help("elements are decided one by one; use a switch for what was true before")
}

pub(super) fn gap(
    base: &str,
    first: &Block,
    n: u64,
    family: &Family,
    rows: &[(&str, String, Span)],
) -> Diagnostic {
    let element = |at: &dyn Fn(&super::Extent) -> i64| {
        let indices: Vec<i64> = first.iter().map(at).collect();
        crate::tree::element_name(base, &indices)
    };
    let (from, to) = (element(&|extent| extent.from), element(&|extent| extent.to));
    let message = match n {
        1 => format!("`{from}` is written by no row"),
        _ if super::size(first) == n && first.len() == 1 => {
            format!("`{from}` to `{to}` are written by no row")
        }
        _ => format!("`{from}` and {} more are written by no row", n - 1),
    };
    let mut report = Diagnostic::warning("F012", message, family.span);
    for (id, range, span) in rows.iter().take(3) {
        report = report.also(*span, format!("row [{id}] writes {range}"));
    }
    report.with_help("write them in a row of their own; without one they keep their start values")
}

pub(super) fn overlap(base: &str, both: &Block, ids: [&str; 2], spans: [Span; 2]) -> Diagnostic {
    let message = format!(
        "rows [{}] and [{}] both write `{base}` over {}",
        ids[0],
        ids[1],
        block_text(both)
    );
    Diagnostic::warning("F013", message, spans[1])
        .also(spans[0], "what this writes is replaced")
        .with_help("narrow one of them with `for .. in ..`")
}

pub(super) fn reads_old_values(row: &Row<Relation>) -> Diagnostic {
    let target = row.body.targets.first().map_or("", |name| &name.value);
    let message =
        format!("the row of `{target}` reads what it writes at another index, as it stood before");
    Diagnostic::warning("F014", message, row.span)
        .with_help("write `one after another` behind it if each element shall read the new value of the one before")
}
