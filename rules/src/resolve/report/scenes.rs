//! Scenes: groups, views, and what a scene cannot read.

use situ_engine::model::scene::ShapeKind;
use situ_words::say;

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
        let message = say!("scene-no-such-group", name = name.value);
        return error("D007", message, name.span)
            .also(below, say!("scene-no-such-group.also"))
            .with_help(say!("scene-no-such-group.help-move-group"));
    }
    let message = say!("scene-no-such-group.scene-no", name = name.value);
    let report = error("D007", message, name.span);
    match nearest(&name.value, known) {
        Some(near) => report.with_edit(say!("report-did-you-mean", near), name.span, near),
        None => report.with_help(say!(
            "scene-no-such-group.help-row-above",
            example = ShapeKind::Group.example()
        )),
    }
}

pub(in crate::resolve) fn no_group(name: &Name, kind: ShapeKind, shape: Span) -> Diagnostic {
    let message = say!("scene-no-group", name = name.value, kind = kind.name());
    error("D007", message, name.span)
        .also(shape, say!("scene-no-group.also"))
        .with_help(say!("scene-no-group.help"))
}

pub(in crate::resolve) fn no_view(span: Span) -> Diagnostic {
    error("D009", say!("scene-no-view"), span).with_help(say!("scene-no-view.help"))
}

pub(in crate::resolve) fn empty_view(what: &str, span: Span) -> Diagnostic {
    error("D009", say!("scene-empty-view", what), span).with_help(say!("scene-empty-view.help"))
}

pub(in crate::resolve) fn instant_in_scene(word: &str, span: Span) -> Diagnostic {
    error("D010", say!("scene-instant-in-scene", word), span)
        .with_help(say!("scene-instant-in-scene.help"))
}

pub(in crate::resolve) fn needs_a_quantity(span: Span) -> Diagnostic {
    error("D010", say!("scene-needs-a-quantity"), span)
        .with_note(say!("scene-needs-a-quantity.note"))
        .with_help(say!("scene-needs-a-quantity.help"))
}

pub(in crate::resolve) fn counting_shape_without_name(row: &Row<Shape>) -> Diagnostic {
    let each = row.each.iter().flat_map(|each| &each.over);
    let counter = each.map(|over| &*over.counter.value).next().unwrap_or("j");
    let kind = row.body.kind.value;
    let message = say!("scene-counting-shape-without-name", kind = kind.name());
    error("D007", message, row.body.kind.span).with_help(say!(
        "scene-counting-shape-without-name.help",
        kind = kind.name(),
        counter
    ))
}
