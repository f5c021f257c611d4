//! Random rows of scenes.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use situ_engine::model::scene::{Align, AttributeKind, Colour, Form, ShapeKind};

use super::NOWHERE;
use super::normal::{plain, plain_condition};
use super::trees::{a_condition, an_expr, named};
use crate::source::Spanned;
use crate::tree::{Attribute, AttributeValue, Paint, Point, Shape, TextPart};

fn a_point() -> impl Strategy<Value = Point> {
    (an_expr(), an_expr()).prop_map(|(x, y)| Point {
        x,
        y,
        over: Vec::new(),
    })
}

fn some_letters() -> impl Strategy<Value = Vec<TextPart>> {
    let letters = select(&["n = ", "it's {here}", "угол, #1", " "][..]);
    let number = (an_expr(), option::of(0..15_u8));
    vec((letters, number), 1..3).prop_map(|pairs| {
        let parts = pairs.into_iter().flat_map(|(letters, (number, digits))| {
            [
                TextPart::Letters(letters.to_owned()),
                TextPart::Number(number, digits),
            ]
        });
        parts.collect()
    })
}

fn a_value(shape: ShapeKind, kind: AttributeKind) -> BoxedStrategy<AttributeValue> {
    let colour = || select(&Colour::ALL[..]);
    match kind.form() {
        Form::Point => a_point()
            .prop_map(|at| AttributeValue::Points(vec![at]))
            .boxed(),
        Form::Points => {
            let most = if shape == ShapeKind::Polyline { 4 } else { 2 };
            vec(a_point(), 2..=most)
                .prop_map(AttributeValue::Points)
                .boxed()
        }
        Form::Number => an_expr().prop_map(AttributeValue::Number).boxed(),
        Form::Paint => prop_oneof![
            colour().prop_map(Paint::Plain),
            (colour(), colour(), an_expr()).prop_map(|(a, b, share)| Paint::Mix(a, b, share)),
        ]
        .prop_map(AttributeValue::Paint)
        .boxed(),
        Form::Text => some_letters().prop_map(AttributeValue::Text).boxed(),
        Form::Align => select(&Align::ALL[..])
            .prop_map(AttributeValue::Align)
            .boxed(),
    }
}

fn an_attribute(shape: ShapeKind, kind: AttributeKind) -> impl Strategy<Value = Attribute> {
    (a_value(shape, kind), option::of(a_condition())).prop_map(move |(value, when)| Attribute {
        span: NOWHERE,
        kind,
        value,
        when,
    })
}

/// A shape with all that it needs, and some of what it may have.
pub(super) fn a_shape() -> impl Strategy<Value = Shape> {
    let shape = select(&ShapeKind::ALL[..]).prop_flat_map(|shape| {
        let required = shape.required().to_vec();
        let more: Vec<AttributeKind> = shape
            .attributes()
            .filter(|kind| !required.contains(kind))
            .collect();
        let n = more.len();
        let kinds = proptest::sample::subsequence(more, 0..=n.min(3));
        kinds.prop_flat_map(move |more| {
            let kinds = required.iter().copied().chain(more);
            let attributes: Vec<_> = kinds
                .map(|kind| an_attribute(shape, kind).boxed())
                .collect();
            (Just(shape), attributes)
        })
    });
    let names = || option::of(select(&["ball", "air drag", "in", "мяч"][..]));
    (shape, names(), names()).prop_map(|((kind, attributes), name, group)| {
        // A shape of the name `in` cannot be told from one in a group.
        let name = name.filter(|name| *name != "in");
        let group = group.filter(|group| *group != "in");
        Shape {
            kind: Spanned::new(kind, NOWHERE),
            name: name.map(named),
            group: group.map(named),
            attributes,
        }
    })
}

/// A shape without what its spelling may change.
pub(super) fn plain_shape(shape: &Shape) -> Shape {
    let attributes = shape.attributes.iter().map(|one| Attribute {
        span: NOWHERE,
        kind: one.kind,
        value: match &one.value {
            AttributeValue::Points(points) => {
                let points = points.iter().map(|at| Point {
                    x: plain(&at.x),
                    y: plain(&at.y),
                    over: at.over.clone(),
                });
                AttributeValue::Points(points.collect())
            }
            AttributeValue::Number(number) => AttributeValue::Number(plain(number)),
            AttributeValue::Paint(Paint::Mix(a, b, share)) => {
                AttributeValue::Paint(Paint::Mix(*a, *b, plain(share)))
            }
            AttributeValue::Text(parts) => {
                let parts = parts.iter().map(|part| match part {
                    TextPart::Number(number, digits) => TextPart::Number(plain(number), *digits),
                    TextPart::Letters(letters) => TextPart::Letters(letters.clone()),
                });
                AttributeValue::Text(parts.collect())
            }
            other => other.clone(),
        },
        when: one.when.as_ref().map(plain_condition),
    });
    Shape {
        kind: Spanned::new(shape.kind.value, NOWHERE),
        name: shape.name.as_ref().map(|name| named(&name.value)),
        group: shape.group.as_ref().map(|name| named(&name.value)),
        attributes: attributes.collect(),
    }
}
