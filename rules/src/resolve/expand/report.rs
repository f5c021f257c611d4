//! Reports of tables with families (F): one function per mistake, each the only place that words it.

use situ_words::{phrase, say};

use super::cover::Elements;
use super::families::{Block, Family, Kind, Scope, block_text, plural};
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
        report = report.with_note(say!("family-with-values.note", all = all.join(", ")));
    }
    report
}

/// What a whole number is wanted for.
#[derive(Clone, Copy)]
pub(super) enum Whole<'a> {
    Index,
    /// The ends of the range of a counter or family.
    Begin(&'a str),
    End(&'a str),
}

pub(super) fn not_whole<'v>(
    what: Whole<'_>,
    value: f64,
    expr: &Expr,
    at: &[(&str, i64)],
    asked: impl Iterator<Item = (&'v str, f64)>,
) -> Diagnostic {
    let number = print::number(value);
    let message = match what {
        Whole::Index => say!("family-not-whole", expr = print::expression(expr), number),
        Whole::Begin(of) => say!("family-not-whole.begin", of, number),
        Whole::End(of) => say!("family-not-whole.end", of, number),
    };
    let why = match value.fract() == 0.0 {
        true => phrase!("family-not-whole.why-too-large"),
        false => phrase!("family-not-whole.why-no-whole"),
    };
    let report = Diagnostic::error("F002", format!("{message}, {why}"), expr.span);
    let asked: Vec<_> = asked.collect();
    with_values(report, at, &asked).with_help(say!("family-not-whole.help"))
}

pub(super) fn not_constant(span: Span) -> Diagnostic {
    Diagnostic::error("F002", say!("family-not-constant"), span)
        .with_help(say!("family-only-numbers-constants"))
}

pub(super) fn unknown_in_shape(name: &str, span: Span) -> Diagnostic {
    Diagnostic::error("F002", say!("family-unknown-in-shape", name), span)
        .with_help(say!("family-only-numbers-constants"))
}

pub(super) fn counter_in_range(end: &Expr) -> Diagnostic {
    let message = say!("family-counter-in-range", end = print::expression(end));
    Diagnostic::error("F002", message, end.span).with_help(say!("family-counter-in-range.help"))
}

pub(super) fn circular_shape(span: Span) -> Diagnostic {
    Diagnostic::error("F002", say!("family-circular-shape"), span)
}

pub(super) fn turned_round(
    of: &str,
    from: i64,
    to: i64,
    span: Span,
    asked: &Asked<'_>,
) -> Diagnostic {
    let message = say!("family-turned-round", of, from, to);
    with_values(Diagnostic::warning("F003", message, span), &[], asked)
        .with_help(say!("family-turned-round.help"))
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
        true => say!("family-outside", element, base, range),
        false => say!("family-outside.reaches-but", written, element, base, range),
    };
    let report =
        Diagnostic::error("F004", message, span).also(family.span, say!("family-declared-here"));
    with_values(report, at, asked).with_help(say!("family-outside.help"))
}

pub(super) fn index_count(
    name: &str,
    found: usize,
    wanted: usize,
    span: Span,
    declared: Span,
) -> Diagnostic {
    let message = say!("family-index-count", name, found, wanted);
    Diagnostic::error("F005", message, span).also(declared, say!("family-declared-here"))
}

pub(super) fn family_alone(name: &str, family: &Family, span: Span) -> Diagnostic {
    let (range, declared) = (family.range_text(), family.span);
    let all = match family.kind {
        Kind::Constant | Kind::Real => "sum",
        Kind::Switch | Kind::Range | Kind::Situation | Kind::Event => "any",
    };
    let message = say!("family-family-alone", name);
    Diagnostic::error("F005", message, span)
        .also(declared, say!("family-family-alone.also", range))
        .with_help(say!("family-family-alone.help", name, all))
}

/// `sin[x]`, where no family has the name of the procedure
pub(super) fn arguments_in_brackets(name: &Name) -> Diagnostic {
    let (procedure, written) = (name.base(), name.value.as_str());
    let arguments = written.get(procedure.len()..).unwrap_or_default();
    let arguments = arguments.trim_start_matches('[').trim_end_matches(']');
    let message = say!("foreign-arguments-in-brackets", procedure);
    Diagnostic::error("P013", message, name.span).with_edit(
        say!("foreign-arguments-in-brackets.help"),
        name.span,
        format!("{procedure}({arguments})"),
    )
}

pub(super) fn no_family(name: &Name, known: &[&str]) -> Diagnostic {
    let base = name.base();
    let report = Diagnostic::error("F005", say!("family-no-family", base), name.span);
    match nearest(base, known.iter().copied()) {
        Some(near) => report.with_help(say!("report-did-you-mean", near)),
        None => report.with_help(say!("family-no-family.help-declare-range", base)),
    }
}

pub(super) fn lookup_with_index(name: &Name, declared: Span) -> Diagnostic {
    let base = name.base();
    let inside = name.value.strip_prefix(base).unwrap_or_default();
    let inside = inside.trim_matches(['[', ']']);
    Diagnostic::error("F005", say!("family-lookup-with-index", base), name.span)
        .also(declared, say!("family-declared-here"))
        .with_help(say!("lookup-write", lookup = format!("{base}({inside})")))
}

pub(super) fn wrong_kind(name: &Name, found: Kind, wanted: Kind, declared: Span) -> Diagnostic {
    let writer = match wanted {
        Kind::Switch => phrase!("family-wrong-kind.assignment-sets"),
        _ => phrase!("family-wrong-kind.relation-writes"),
    };
    let message = say!(
        "family-wrong-kind",
        base = name.base(),
        plural = plural(found),
        writer,
        plural_2 = plural(wanted)
    );
    Diagnostic::error("F005", message, name.span).also(declared, say!("family-declared-here"))
}

pub(super) fn declared_twice(name: &Name, first: Span) -> Diagnostic {
    let message = say!("family-declared-twice", base = name.base());
    Diagnostic::error("F006", message, name.span)
        .also(first, say!("family-declared-twice.also"))
        .with_help(say!("family-declared-twice.help"))
}

pub(super) fn family_and_single(name: &Name, family: Span) -> Diagnostic {
    let base = situ_engine::model::element(&name.value).map_or(name.base(), |(base, _)| base);
    let message = say!("family-family-and-single", base);
    Diagnostic::error("F006", message, name.span)
        .also(family, say!("family-family-and-single.also"))
}

pub(super) fn counter_hides(name: &Name, other: Span) -> Diagnostic {
    let message = say!("family-counter-hides", name = name.value);
    Diagnostic::error("F006", message, name.span)
        .also(other, say!("family-declared-here"))
        .with_help(say!("family-counter-hides.help"))
}

pub(super) fn no_counter(name: &Name, known: &[&str]) -> Diagnostic {
    let report = Diagnostic::error(
        "F007",
        say!("family-no-counter", name = name.value),
        name.span,
    );
    match nearest(&name.value, known.iter().copied()) {
        Some(near) => report.with_edit(say!("report-did-you-mean", near), name.span, near),
        None => report.with_help(say!(
            "family-no-counter.help-declare-under",
            name = name.value
        )),
    }
}

pub(super) fn counter_alone(name: &str, span: Span) -> Diagnostic {
    Diagnostic::error("F007", say!("family-counter-alone", name), span)
        .with_help(say!("family-counter-alone.help", name))
}

pub(super) fn target_lacks(counter: &str, span: Span, target: &str) -> Diagnostic {
    let message = say!("family-target-lacks", counter, target);
    Diagnostic::error("F007", message, span).with_help(say!("family-target-lacks.help", counter))
}

pub(super) fn counted_twice(counter: &Name) -> Diagnostic {
    let message = say!("family-counted-twice", counter = counter.value);
    Diagnostic::error("F007", message, counter.span).with_help(say!("family-counted-twice.help"))
}

pub(super) fn diagonal_declared(span: Span, base: &str) -> Diagnostic {
    Diagnostic::error("F008", say!("family-diagonal-declared"), span)
        .with_help(say!("family-diagonal-declared.help", base))
}

pub(super) fn odd_index(span: Span) -> Diagnostic {
    Diagnostic::error("F008", say!("family-odd-index"), span)
        .with_help(say!("family-odd-index.help"))
}

pub(super) fn odd_declaration(span: Span) -> Diagnostic {
    Diagnostic::error("F008", say!("family-odd-declaration"), span)
        .with_help(say!("family-odd-declaration.help"))
}

pub(super) fn range_as_index(span: Span) -> Diagnostic {
    Diagnostic::error("F008", say!("family-range-as-index"), span)
        .with_help(say!("family-range-as-index.help"))
        .with_note(say!("family-range-as-index.note"))
}

pub(super) fn network_target(span: Span) -> Diagnostic {
    Diagnostic::error("F008", say!("family-network-target"), span)
        .with_help(say!("family-network-target.help"))
}

pub(super) fn too_large(n: u64, most: u64, span: Option<Span>, asked: &Asked<'_>) -> Diagnostic {
    let message = say!("family-too-large", n, most);
    let mut report = Diagnostic::new("F009", crate::diag::Severity::Error, message);
    if let Some(span) = span {
        report = report.at(span, "");
    }
    with_values(report, &[], asked).with_help(say!("family-too-large.help"))
}

pub(super) fn over_nothing(
    reduction: &Reduction,
    scope: &Scope<'_>,
    asked: &Asked<'_>,
) -> Diagnostic {
    let word = reduction.kind.word();
    let ranges = scope.iter().map(|(name, extent)| {
        say!(
            "family-over-nothing.goes",
            name,
            from = extent.from,
            to = extent.to
        )
    });
    let message = say!("family-over-nothing", word);
    let report = Diagnostic::error("F010", message, reduction.word)
        .with_note(ranges.collect::<Vec<_>>().join(", "));
    with_values(report, &[], asked)
}

pub(super) fn same_for_all(reduction: &Reduction, counter: &str, n: u64) -> Diagnostic {
    let word = reduction.kind.word();
    let message = say!("family-same-for-all", word, name = counter, n);
    let help = say!("family-same-for-all.help", name = counter);
    Diagnostic::warning("F015", message, reduction.body.span).with_help(help)
}

pub(super) fn names_itself(own: &str, span: Span, name: Span) -> Diagnostic {
    let message = say!("family-names-itself", own);
    Diagnostic::error("F011", message, span)
        .also(name, say!("family-names-itself.also"))
        .with_help(say!("family-names-itself.help"))
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
        1 => say!("family-gap", from),
        _ if super::size(first) == n && first.len() == 1 => {
            say!("family-gap.written-no", from, to)
        }
        _ => say!("family-gap.more-written", from, n = n - 1),
    };
    let mut report = Diagnostic::warning("F012", message, family.span);
    for (id, range, span) in rows.iter().take(3) {
        report = report.also(*span, say!("family-gap.also", id, range));
    }
    report.with_help(say!("family-gap.help"))
}

/// `1 .. 3, 2 .. 4`; of a diagonal its ends, `1, 2 .. 3, 4`
fn elements_text(elements: &Elements) -> String {
    if elements.ties.is_empty() || elements.size() == 1 {
        return block_text(&elements.block);
    }
    let ends = |at: &dyn Fn(&super::Extent) -> i64| {
        let ends = elements.block.iter().map(|extent| at(extent).to_string());
        ends.collect::<Vec<_>>().join(", ")
    };
    let (from, to) = (ends(&|extent| extent.from), ends(&|extent| extent.to));
    format!("{from} .. {to}")
}

pub(super) fn overlap(base: &str, both: &Elements, ids: [&str; 2], spans: [Span; 2]) -> Diagnostic {
    let message = say!(
        "family-overlap",
        ids = ids[0],
        ids_2 = ids[1],
        base,
        both = elements_text(both)
    );
    Diagnostic::warning("F013", message, spans[1])
        .also(spans[0], say!("family-overlap.also"))
        .with_help(say!("family-overlap.help"))
}

pub(super) fn two_starts(element: &str, first: &Name, second: &Name) -> Diagnostic {
    let message = say!(
        "family-two-starts",
        element,
        first = first.value,
        second = second.value
    );
    Diagnostic::warning("F013", message, second.span)
        .also(first.span, say!("family-two-starts.also"))
        .with_help(say!("family-two-starts.help"))
}

pub(super) fn reads_old_values(row: &Row<Relation>) -> Diagnostic {
    let target = row.body.targets.first().map_or("", |name| &name.value);
    let message = say!("family-reads-old-values.row-reads-what", target);
    Diagnostic::warning("F014", message, row.span).with_help(say!("family-reads-old-values.help"))
}
