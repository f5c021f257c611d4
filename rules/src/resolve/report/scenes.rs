//! Scenes: groups, views, and what a scene cannot read.

use situ_engine::model::scene::ShapeKind;

use super::error;
use crate::diag::{Diagnostic, nearest};
use crate::source::Span;
use crate::tree::{Name, Row, Shape};

pub(in crate::resolve) fn no_such_group<'a>(
    name: &Name,
    below: Option<Span>,
    known: impl Iterator<Item = &'a str>,
) -> Diagnostic {
    if let Some(below) = below {
        let message = format!("group `{}` stands below its member", name.value);
        return error("D007", message, name.span)
            .also(below, "the group")
            .with_help("move the group above the shapes that stand in it");
    }
    let message = format!("the scene has no group `{}`", name.value);
    let report = error("D007", message, name.span);
    match nearest(&name.value, known) {
        Some(near) => report.with_edit(format!("did you mean `{near}`?"), name.span, near),
        None => report.with_help(format!(
            "a row above says what it is, such as `{}`",
            ShapeKind::Group.example()
        )),
    }
}

pub(in crate::resolve) fn no_group(name: &Name, kind: ShapeKind, shape: Span) -> Diagnostic {
    let message = format!("`{}` is a {}, not a group", name.value, kind.name());
    error("D007", message, name.span)
        .also(shape, "the shape")
        .with_help("only a `group` has a frame in which other shapes stand")
}

pub(in crate::resolve) fn no_view(span: Span) -> Diagnostic {
    error(
        "D009",
        "the scene does not say what is shown of the plane",
        span,
    )
    .with_help("add its borders, `view: (left, upper, right, lower)`")
}

pub(in crate::resolve) fn empty_view(what: &str, span: Span) -> Diagnostic {
    error("D009", format!("the view has no {what}"), span).with_help(
        "write `view: (left, upper, right, lower)`, each border apart from the opposite one",
    )
}

pub(in crate::resolve) fn instant_in_scene(word: &str, span: Span) -> Diagnostic {
    error("D010", format!("a scene cannot read `{word}`"), span).with_help(
        "it holds for an instant that a scene does not see: name a situation, or compare `time`",
    )
}

pub(in crate::resolve) fn needs_a_quantity(span: Span) -> Diagnostic {
    error("D010", "this shape needs a quantity of its own", span)
        .with_note("what is taken over elements under a condition is a real or a situation that rules compute; a scene adds none")
        .with_help("give it a name: a row of `relations` or `situations`, and draw that")
}

pub(in crate::resolve) fn counting_shape_without_name(row: &Row<Shape>) -> Diagnostic {
    let each = row.each.iter().flat_map(|each| &each.over);
    let counter = each.map(|over| &*over.counter.value).next().unwrap_or("j");
    let kind = row.body.kind.value;
    let message = format!(
        "a {} for every element has a name with the counter",
        kind.name()
    );
    error("D007", message, row.body.kind.span)
        .with_help(format!("write it as `{} name[{counter}]: ..`", kind.name()))
}
