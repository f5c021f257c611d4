//! The scene: shapes with bound expressions.

use std::collections::HashMap;

use situ_engine::model::scene::{
    Attribute, AttributeValue, Paint, Scene, Shape, ShapeKind, TextPart,
};
use situ_engine::model::{Expr, Watch};

use super::{Builder, note};
use crate::resolve::report;
use crate::resolve::symbol::Known;
use crate::source::Span;
use crate::tree::{self, LiteralKind};

impl<'a> Builder<'_, 'a> {
    /// Binds the scene. Its expressions stand behind those of the rules, and nothing of them depends on it.
    pub(super) fn scene(&mut self) {
        let (written, shapes) = (self.merged.scene.view, &self.merged.scene.shapes);
        let first = shapes.first().map(|entry| entry.row.span);
        let view = match (written, first) {
            (Some(sides), _) => self.view(sides),
            (None, None) => return,
            (None, Some(span)) => {
                // What could not be read has been reported.
                if self.unread.is_empty() {
                    self.report(report::no_view(span));
                }
                None
            }
        };
        let mut scene = Scene {
            view,
            shapes: Vec::with_capacity(shapes.len()),
        };
        let mut by_name: HashMap<&str, usize> = HashMap::new();
        for entry in shapes {
            let row = entry.row;
            let group = row.body.group.as_ref();
            let group = group.and_then(|name| self.frame_group(name, &by_name));
            let shape = Shape {
                id: entry.id.clone().into_owned(),
                kind: row.body.kind.value,
                name: (row.body.name.as_ref()).map_or_else(String::new, |name| name.value.clone()),
                group,
                attributes: row
                    .body
                    .attributes
                    .iter()
                    .map(|one| self.attribute(one))
                    .collect(),
                note: note(&row.note),
                origin: self.origin(row.span),
            };
            if let Some(name) = &row.body.name {
                by_name.insert(&name.value, scene.shapes.len());
            }
            scene.shapes.push(shape);
        }
        self.model().scene = Some(Box::new(scene));
    }

    fn view(&mut self, sides: &'a [tree::Expr; 4]) -> Option<[situ_engine::ids::ExprId; 4]> {
        let bound = sides
            .each_ref()
            .map(|side| self.binder.expr(side, Known::Running));
        for (low, high, what) in [(0, 2, "width"), (1, 3, "height")] {
            let number = |at: usize| match self.binder.model.exprs.get(bound[at]) {
                Expr::Number(value) => Some(value),
                _ => None,
            };
            if let (Some(a), Some(b)) = (number(low), number(high))
                && a == b
            {
                let span: Span = sides[0].span.to(sides[3].span);
                self.report(report::empty_view(what, span));
            }
        }
        Some(bound)
    }

    /// The group in which a shape stands; the shapes above it are known by name.
    fn frame_group(&mut self, name: &'a tree::Name, above: &HashMap<&str, usize>) -> Option<usize> {
        let shapes = &self.merged.scene.shapes;
        if let Some(&at) = above.get(&*name.value) {
            let shape = shapes[at].row;
            let kind = shape.body.kind.value;
            if kind != ShapeKind::Group {
                self.report(report::no_group(name, kind, shape.span));
                return None;
            }
            return Some(at);
        }
        if self.unread.may_declare(&name.value) {
            return None;
        }
        let groups = shapes.iter().map(|entry| entry.row);
        let groups = groups.filter(|row| row.body.kind.value == ShapeKind::Group);
        let named = |row: &&tree::Row<tree::Shape>| {
            row.body
                .name
                .as_ref()
                .is_some_and(|own| own.value == name.value)
        };
        let below = groups.clone().find(named).map(|row| row.span);
        let known = groups.filter_map(|row| row.body.name.as_ref());
        let known = known.map(|name| name.value.as_str());
        self.report(report::no_such_group(name, below, known));
        None
    }

    fn attribute(&mut self, attribute: &'a tree::Attribute) -> Attribute {
        let mut expr = |expr: &'a tree::Expr| self.binder.expr(expr, Known::Running);
        let value = match &attribute.value {
            tree::AttributeValue::Points(points) => {
                let points = points.iter().map(|at| [expr(&at.x), expr(&at.y)]);
                AttributeValue::Points(points.collect())
            }
            tree::AttributeValue::Number(number) => AttributeValue::Number(expr(number)),
            tree::AttributeValue::Paint(tree::Paint::Plain(colour)) => {
                AttributeValue::Paint(Paint::Plain(*colour))
            }
            tree::AttributeValue::Paint(tree::Paint::Mix(first, second, share)) => {
                AttributeValue::Paint(Paint::Mix(*first, *second, expr(share)))
            }
            tree::AttributeValue::Text(parts) => {
                let parts = parts.iter().map(|part| match part {
                    tree::TextPart::Letters(letters) => TextPart::Letters(letters.clone()),
                    tree::TextPart::Number(number, digits) => {
                        TextPart::Number(expr(number), *digits)
                    }
                });
                AttributeValue::Text(parts.collect())
            }
            tree::AttributeValue::Align(side) => AttributeValue::Align(*side),
        };
        Attribute {
            kind: attribute.kind,
            value,
            when: attribute
                .when
                .as_ref()
                .map(|when| self.watch_of_scene(when)),
        }
    }

    /// A condition that is read off rows; nothing that the model would have to keep a schedule for.
    fn watch_of_scene(&mut self, when: &'a tree::Condition) -> Watch {
        let mut sound = true;
        for literal in &when.literals {
            let word = match &literal.kind {
                LiteralKind::Start => "start",
                LiteralKind::Every(_) => "every",
                _ => continue,
            };
            sound = false;
            self.report(report::instant_in_scene(word, literal.span));
        }
        match sound {
            true => self.binder.watch(when),
            false => Watch::new(),
        }
    }
}
