//! Reports of the reader about scenes (family D): one function per mistake.

use situ_engine::model::scene::{AttributeKind, ShapeKind};

use crate::diag::{Diagnostic, nearest};
use crate::source::Span;
use crate::tree::Attribute;

fn error(code: &'static str, message: impl Into<String>, span: Span) -> Diagnostic {
    Diagnostic::error(code, message, span)
}

fn listed<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    let words: Vec<String> = words.into_iter().map(|word| format!("`{word}`")).collect();
    words.join(", ")
}

/// `report` with the nearest word as an edit, or with all of them.
fn suggested(report: Diagnostic, word: &str, known: &[&str], span: Span) -> Diagnostic {
    match nearest(word, known.iter().copied()) {
        Some(near) => report.with_edit(format!("did you mean `{near}`?"), span, near),
        None => report.with_help(format!("there are {}", listed(known.iter().copied()))),
    }
}

/// A row that begins with no shape.
pub(in crate::parse) fn no_shape(word: &str, span: Span) -> Diagnostic {
    let known = ShapeKind::ALL.map(ShapeKind::name);
    let message = match word {
        "" => "this row is empty".to_owned(),
        _ => format!("`{word}` is no shape: a row of a scene begins with one"),
    };
    suggested(error("D001", message, span), word, &known, span)
}

fn attribute_words(known: &[AttributeKind]) -> Vec<&'static str> {
    let words = known.iter().map(|kind| kind.name());
    words.filter(|word| !word.is_empty()).collect()
}

/// A word that is no attribute.
pub(super) fn unknown_attribute(
    shape: ShapeKind,
    word: &str,
    known: &[AttributeKind],
    span: Span,
) -> Diagnostic {
    let message = format!("`{word}` is no attribute of a {}", shape.name());
    suggested(
        error("D002", message, span),
        word,
        &attribute_words(known),
        span,
    )
}

/// An attribute that another shape has.
pub(super) fn attribute_of_another(
    shape: ShapeKind,
    kind: AttributeKind,
    known: &[AttributeKind],
    span: Span,
) -> Diagnostic {
    let message = match kind {
        AttributeKind::Text => format!("a {} has no text", shape.name()),
        AttributeKind::Points => format!("a {} has no points", shape.name()),
        _ => format!("a {} has no `{}`", shape.name(), kind.name()),
    };
    let examples: Vec<&str> = known.iter().map(|kind| kind.example()).collect();
    error("D002", message, span).with_help(format!("it may have {}", listed(examples)))
}

/// A point in front of which a word is missing.
pub(super) fn point_without_word(shape: ShapeKind, meant: AttributeKind, span: Span) -> Diagnostic {
    let word = meant.name();
    let message = format!("the place of a {} stands behind `{word}`", shape.name());
    let at = Span {
        end: span.start,
        ..span
    };
    error("D002", message, span).with_edit(format!("write `{word}`"), at, format!("{word} "))
}

/// Two attributes without a comma between them.
pub(super) fn missing_comma(word: &str, span: Span, gap: Span) -> Diagnostic {
    let message = format!("a comma is missing before `{word}`");
    error("D002", message, span).with_edit("separate attributes by commas", gap, ",")
}

/// A shape that cannot be drawn as it stands.
pub(super) fn lacks(
    shape: ShapeKind,
    needed: AttributeKind,
    example: &str,
    span: Span,
) -> Diagnostic {
    let what = match needed {
        AttributeKind::Points => "points".to_owned(),
        AttributeKind::Text => "text".to_owned(),
        _ => format!("`{}`", needed.name()),
    };
    error(
        "D003",
        format!("this {} lacks its {what}", shape.name()),
        span,
    )
    .with_help(format!("write it as `{example}`"))
}

/// A point of one or three coordinates.
pub(super) fn not_two_coordinates(n: &str, span: Span) -> Diagnostic {
    error(
        "D004",
        format!("a point has two coordinates, not {n}"),
        span,
    )
    .with_help("write it as `(x, y)`")
}

/// Too many or too few points.
pub(super) fn number_of_points(shape: ShapeKind, n: usize, counts: bool, span: Span) -> Diagnostic {
    let name = shape.name();
    let article = if name.starts_with('a') { "an" } else { "a" };
    let found = if counts {
        "those of a family".to_owned()
    } else {
        n.to_string()
    };
    let report = |wanted: &str| {
        error(
            "D004",
            format!("{article} {name} joins {wanted} points, not {found}"),
            span,
        )
    };
    match shape {
        ShapeKind::Polyline => report("two or more")
            .with_help("write `(0, 0) to (x, y)`, or `(x[j], y[j]) for j` for a family"),
        _ => report("two").with_help("a `polyline` joins more points, and those of a family"),
    }
}

/// A word that is no colour.
pub(super) fn unknown_colour(word: &str, known: &[&str], span: Span) -> Diagnostic {
    if word.is_empty() {
        let report = error("D005", "a colour is missing", span);
        return report.with_help(format!("there are {}", listed(known.iter().copied())));
    }
    let message = format!("`{word}` is no colour");
    let report = suggested(error("D005", message, span), word, known, span);
    match word.starts_with('\'') {
        true => {
            report.with_note("colours have names, each with a shade for light and for dark ground")
        }
        false => report,
    }
}

/// A word that is no side.
pub(super) fn unknown_side(word: &str, known: &[&str], span: Span) -> Diagnostic {
    let message = match word {
        "" => "a side is missing".to_owned(),
        _ => format!("`{word}` is no side of a text"),
    };
    suggested(error("D005", message, span), word, known, span)
}

/// A text without its closing quote.
pub(super) fn unclosed_letters(span: Span) -> Diagnostic {
    error("D006", "this text is not closed", span)
        .with_help("end it with `'`; a quote inside of it is written twice, `''`")
}

/// `{` without `}`.
pub(super) fn unclosed_brace(span: Span) -> Diagnostic {
    error("D006", "the brace in this text is not closed", span)
        .with_help("write `{x}` for the value of x, or `{{` for a brace")
}

/// `}` without `{`.
pub(super) fn stray_brace(span: Span) -> Diagnostic {
    error("D006", "this brace closes nothing", span).with_help("write `}}` for a brace")
}

/// Digits that cannot be shown.
pub(super) fn digits(text: &str, most: u8, span: Span) -> Diagnostic {
    let message = format!("`{text}` does not say how many digits are shown");
    error("D006", message, span).with_help(format!(
        "write `{{x:.2}}` for two digits behind the point, {most} at most"
    ))
}

/// An attribute below one of its kind that always counts.
pub(super) fn never_counts(attribute: &Attribute, earlier: Span) -> Diagnostic {
    let name = match attribute.kind {
        AttributeKind::Points => "points",
        AttributeKind::Text => "text",
        kind => kind.name(),
    };
    let message = format!("this `{name}` never counts: the one before it always does");
    Diagnostic::warning("D008", message, attribute.span)
        .also(earlier, "holds without a condition")
        .with_help("of each attribute the first whose condition holds counts: put this one first, with a `when`")
}

/// The view is no group of four values.
pub(super) fn view(found: &str, span: Span) -> Diagnostic {
    error(
        "D009",
        format!("the view has four borders, not {found}"),
        span,
    )
    .with_help("write `view: (left, upper, right, lower)`, e.g. `view: (-1, 6, 11, -0.5)`")
}

/// A row of a scene in columns.
pub(in crate::parse) fn shape_in_columns(span: Span) -> Diagnostic {
    let message = "a row of a scene is a line in quotes";
    let example = ShapeKind::Circle.example();
    error("D001", message, span).with_help(format!("write it as `\"{example}\"`"))
}
