//! Rows of a scene that count become shapes of single elements.
//!
//! A scene adds nothing to the rules: a sum or condition over elements that would need a quantity of its own is
//! refused.

use super::families::{Block, Env, Scope, size};
use super::rows::{element_of, envs};
use super::{Expander, each_env};
use crate::resolve::merged::Merged;
use crate::tree::{
    Attribute, AttributeValue, Expr, Name, Over, Paint, Point, Row, Scene, Shape, TextPart,
};

impl<'a> Expander<'a> {
    /// Checks the indices of a scene.
    pub(super) fn check_scene(&mut self, merged: &Merged<'a>) {
        for side in merged.scene.view.into_iter().flatten() {
            self.check_expr(side, &Scope::new());
        }
        for entry in &merged.scene.shapes {
            let row = entry.row;
            if row.each.is_some() && row.body.name.is_none() {
                self.report(crate::resolve::report::counting_shape_without_name(row));
                continue;
            }
            let Some(scope) = self.shape_scope(row, true) else {
                continue;
            };
            let mut nodes = 1_u64;
            for attribute in &row.body.attributes {
                for (expr, over) in attribute.exprs() {
                    let Some(inner) = self.scope_of_point(&scope, over) else {
                        continue;
                    };
                    self.check_expr(expr, &inner);
                    let points: Block = inner[scope.len()..].iter().map(|(_, all)| *all).collect();
                    let all = self.nodes(expr).saturating_mul(size(&points));
                    nodes = nodes.saturating_add(all);
                }
                if let Some(when) = &attribute.when {
                    self.check_condition(when, &scope);
                    nodes = nodes.saturating_add(self.nodes_of_condition(when));
                }
            }
            self.count(&scope, nodes);
        }
    }

    /// The counters of a row: those that its name has.
    fn shape_scope(&mut self, row: &'a Row<Shape>, reported: bool) -> Option<Scope<'a>> {
        let targets: Vec<&'a Name> = row.body.name.iter().collect();
        self.row_scope(&targets, row.each.as_deref(), reported)
    }

    /// The counters of a row and of a point in it.
    fn scope_of_point(&mut self, scope: &Scope<'a>, over: &'a [Over]) -> Option<Scope<'a>> {
        let mut inner = scope.clone();
        for over in over {
            let name = over.counter.value.as_str();
            let extent = match &over.range {
                Some((from, to)) => self.extent(from, to, name),
                None => self.counter(&over.counter),
            };
            inner.push((name, extent?));
        }
        Some(inner)
    }

    /// The scene for single elements. Comes behind all rules, so that nothing of theirs depends on it.
    pub(super) fn scene(&mut self, merged: &Merged<'a>) -> Option<Scene> {
        let first = merged.scene.view.map(|view| view[0].span);
        let span = first.or_else(|| Some(merged.scene.shapes.first()?.row.span))?;
        let view = merged.scene.view.map(|sides| {
            let sides = sides.each_ref();
            sides.map(|side| self.expression(side, &Env::new()))
        });
        let mut rows = Vec::new();
        for entry in &merged.scene.shapes {
            let row = entry.row;
            let scope = self.shape_scope(row, false).unwrap_or_default();
            for env in envs(&scope) {
                let body = self.shape(&row.body, &env);
                rows.push(element_of(row, &entry.id, &env, body));
            }
            if self.parts.take_all() {
                self.report(crate::resolve::report::needs_a_quantity(row.span));
            }
        }
        Some(Scene { span, view, rows })
    }

    fn shape(&mut self, shape: &'a Shape, env: &Env<'a>) -> Shape {
        let attributes = shape.attributes.iter();
        Shape {
            kind: shape.kind.clone(),
            name: shape.name.as_ref().map(|name| self.name(name, env)),
            group: shape.group.as_ref().map(|name| self.name(name, env)),
            attributes: attributes.map(|one| self.attribute(one, env)).collect(),
        }
    }

    fn attribute(&mut self, attribute: &'a Attribute, env: &Env<'a>) -> Attribute {
        let value = match &attribute.value {
            AttributeValue::Points(points) => {
                let mut all = Vec::new();
                for point in points {
                    self.point(point, env, &mut all);
                }
                AttributeValue::Points(all)
            }
            AttributeValue::Number(number) => AttributeValue::Number(self.expression(number, env)),
            AttributeValue::Paint(Paint::Mix(first, second, share)) => {
                let share = self.expression(share, env);
                AttributeValue::Paint(Paint::Mix(*first, *second, share))
            }
            AttributeValue::Text(parts) => {
                let parts = parts.iter().map(|part| match part {
                    TextPart::Number(number, digits) => {
                        TextPart::Number(self.expression(number, env), *digits)
                    }
                    TextPart::Letters(letters) => TextPart::Letters(letters.clone()),
                });
                AttributeValue::Text(parts.collect())
            }
            AttributeValue::Paint(Paint::Plain(_)) | AttributeValue::Align(_) => {
                attribute.value.clone()
            }
        };
        Attribute {
            span: attribute.span,
            kind: attribute.kind,
            value,
            when: attribute
                .when
                .as_ref()
                .map(|when| self.condition(when, env)),
        }
    }

    /// Adds a point, or those of all elements.
    fn point(&mut self, point: &'a Point, env: &Env<'a>, into: &mut Vec<Point>) {
        let mut inner: Vec<Env<'a>> = vec![env.clone()];
        // What is wrong has been reported by the check.
        if !point.over.is_empty()
            && let Some(scope) = self.scope_of_point(&Scope::new(), &point.over)
        {
            inner.clear();
            each_env(&scope, |own| {
                inner.push(env.iter().chain(own).copied().collect());
            });
        }
        for env in inner {
            let mut both = |side: &'a Expr| self.expression(side, &env);
            let (x, y) = (both(&point.x), both(&point.y));
            into.push(Point {
                x,
                y,
                over: Vec::new(),
            });
        }
    }
}
