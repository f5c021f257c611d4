//! Reports of the reader about scenes (family D): one function per mistake.

use situ_engine::model::scene::{AttributeKind, ShapeKind};
use situ_words::{Argument, phrase, say};

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
        Some(near) => report.with_edit(say!("report-did-you-mean", near), span, near),
        None => report.with_help(say!(
            "scene-there-are",
            copied = listed(known.iter().copied())
        )),
    }
}

/// A row that begins with no shape.
pub(in crate::parse) fn no_shape(word: &str, span: Span) -> Diagnostic {
    let known = ShapeKind::ALL.map(ShapeKind::name);
    let message = match word {
        "" => say!("scene-no-shape"),
        _ => say!("scene-no-shape.no-shape", word),
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
    let message = say!("scene-unknown-attribute", word, shape = shape.name());
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
        AttributeKind::Text => say!("scene-attribute-of-another", shape = shape.name()),
        AttributeKind::Points => say!("scene-attribute-of-another.no-points", shape = shape.name()),
        _ => say!(
            "scene-attribute-of-another.no",
            shape = shape.name(),
            kind = kind.name()
        ),
    };
    let examples: Vec<&str> = known.iter().map(|kind| kind.example()).collect();
    error("D002", message, span).with_help(say!(
        "scene-attribute-of-another.help",
        examples = listed(examples)
    ))
}

/// A point in front of which a word is missing.
pub(super) fn point_without_word(shape: ShapeKind, meant: AttributeKind, span: Span) -> Diagnostic {
    let word = meant.name();
    let message = say!("scene-point-without-word", shape = shape.name(), word);
    let at = Span {
        end: span.start,
        ..span
    };
    error("D002", message, span).with_edit(
        say!("scene-point-without-word.help", word),
        at,
        format!("{word} "),
    )
}

/// Two attributes without a comma between them.
pub(super) fn missing_comma(word: &str, span: Span, gap: Span) -> Diagnostic {
    let message = say!("scene-missing-comma", word);
    error("D002", message, span).with_edit(say!("scene-missing-comma.help"), gap, ",")
}

/// A shape that cannot be drawn as it stands.
pub(super) fn lacks(
    shape: ShapeKind,
    needed: AttributeKind,
    example: &str,
    span: Span,
) -> Diagnostic {
    let what = match needed {
        AttributeKind::Points => say!("scene-lacks.points"),
        AttributeKind::Text => say!("scene-lacks.text"),
        _ => format!("`{}`", needed.name()),
    };
    error(
        "D003",
        say!("scene-lacks", shape = shape.name(), what),
        span,
    )
    .with_help(say!("scene-lacks.help", example))
}

/// A point of one or three coordinates.
pub(super) fn not_two_coordinates(n: &str, span: Span) -> Diagnostic {
    error("D004", say!("scene-not-two-coordinates", n), span)
        .with_help(say!("scene-not-two-coordinates.help"))
}

/// Too many or too few points.
pub(super) fn number_of_points(shape: ShapeKind, n: usize, counts: bool, span: Span) -> Diagnostic {
    let name = shape.name();
    let found = if counts {
        say!("scene-number-of-points.of-a-family")
    } else {
        n.to_string()
    };
    let report = |wanted: String| {
        error(
            "D004",
            say!("scene-number-of-points", name, wanted, found),
            span,
        )
    };
    match shape {
        ShapeKind::Polyline => report(phrase!("phrase-two-more").into())
            .with_help(say!("scene-number-of-points.help-write-x")),
        _ => report(phrase!("phrase-two").into())
            .with_help(say!("scene-number-of-points.help-polyline-joins")),
    }
}

/// A word that is no colour.
pub(super) fn unknown_colour(word: &str, known: &[&str], span: Span) -> Diagnostic {
    if word.is_empty() {
        let report = error("D005", say!("scene-unknown-colour"), span);
        return report.with_help(say!(
            "scene-there-are",
            copied = listed(known.iter().copied())
        ));
    }
    let message = say!("scene-unknown-colour.no-colour", word);
    let report = suggested(error("D005", message, span), word, known, span);
    match word.starts_with('\'') {
        true => report.with_note(say!("scene-unknown-colour.note")),
        false => report,
    }
}

/// A word that is no side.
pub(super) fn unknown_side(word: &str, known: &[&str], span: Span) -> Diagnostic {
    let message = match word {
        "" => say!("scene-unknown-side"),
        _ => say!("scene-unknown-side.no-side", word),
    };
    suggested(error("D005", message, span), word, known, span)
}

/// A text without its closing quote.
pub(super) fn unclosed_letters(span: Span) -> Diagnostic {
    error("D006", say!("scene-unclosed-letters"), span)
        .with_help(say!("scene-unclosed-letters.help"))
}

/// `{` without `}`.
pub(super) fn unclosed_brace(span: Span) -> Diagnostic {
    error("D006", say!("scene-unclosed-brace"), span).with_help(say!("scene-unclosed-brace.help"))
}

/// `}` without `{`.
pub(super) fn stray_brace(span: Span) -> Diagnostic {
    error("D006", say!("scene-stray-brace"), span).with_help(say!("scene-stray-brace.help"))
}

/// Digits that cannot be shown.
pub(super) fn digits(text: &str, most: u8, span: Span) -> Diagnostic {
    let message = say!("scene-digits", text);
    error("D006", message, span).with_help(say!("scene-digits.help", most))
}

/// An attribute below one of its kind that always counts.
pub(super) fn never_counts(attribute: &Attribute, earlier: Span) -> Diagnostic {
    let name = match attribute.kind {
        AttributeKind::Points => "points",
        AttributeKind::Text => "text",
        kind => kind.name(),
    };
    let message = say!("scene-never-counts", name);
    Diagnostic::warning("D008", message, attribute.span)
        .also(earlier, say!("scene-never-counts.also"))
        .with_help(say!("scene-never-counts.help"))
}

/// The view is no group of four values.
pub(super) fn view(found: impl Argument, span: Span) -> Diagnostic {
    error("D009", say!("scene-view", found), span).with_help(say!("scene-view.help"))
}

/// A row of a scene in columns.
pub(in crate::parse) fn shape_in_columns(span: Span) -> Diagnostic {
    let message = say!("scene-shape-in-columns");
    let example = ShapeKind::Circle.example();
    error("D001", message, span).with_help(say!("scene-shape-in-columns.help", example))
}
