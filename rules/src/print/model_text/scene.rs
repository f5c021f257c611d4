//! Shapes of a model's scene as lines.

use situ_engine::ids::ExprId;
use situ_engine::model::WatchLiteral;
use situ_engine::model::scene::{Attribute, AttributeValue, Paint, TextPart};

use super::{ModelText, NOWHERE};
use crate::print::Printer;
use crate::source::Spanned;
use crate::tree::{self, Condition, Literal, LiteralKind, Name};

impl ModelText<'_> {
    /// A row of the scene.
    pub fn shape(&self, index: usize) -> String {
        let Some(shape) = (self.model.scene.as_ref()).and_then(|scene| scene.shapes.get(index))
        else {
            return String::new();
        };
        let shapes = self.model.scene.iter().flat_map(|scene| &scene.shapes);
        let group = shape.group.and_then(|at| shapes.clone().nth(at));
        let named = |name: &str| Name::new(name.to_owned(), NOWHERE);
        let shape = tree::Shape {
            kind: Spanned::new(shape.kind, NOWHERE),
            name: Some(named(&shape.name)).filter(|name| !name.value.is_empty()),
            group: group.map(|group| named(&group.name)),
            attributes: shape
                .attributes
                .iter()
                .map(|one| self.attribute_tree(one))
                .collect(),
        };
        let mut printer = Printer::default();
        printer.shape(&shape);
        printer.text()
    }

    fn attribute_tree(&self, attribute: &Attribute) -> tree::Attribute {
        let expr = |root: ExprId| self.tree(root);
        let value = match &attribute.value {
            AttributeValue::Points(points) => {
                let points = points.iter().map(|[x, y]| tree::Point {
                    x: expr(*x),
                    y: expr(*y),
                    over: Vec::new(),
                });
                tree::AttributeValue::Points(points.collect())
            }
            AttributeValue::Number(number) => tree::AttributeValue::Number(expr(*number)),
            AttributeValue::Paint(Paint::Plain(colour)) => {
                tree::AttributeValue::Paint(tree::Paint::Plain(*colour))
            }
            AttributeValue::Paint(Paint::Mix(first, second, share)) => {
                tree::AttributeValue::Paint(tree::Paint::Mix(*first, *second, expr(*share)))
            }
            AttributeValue::Text(parts) => {
                let parts = parts.iter().map(|part| match part {
                    TextPart::Letters(letters) => tree::TextPart::Letters(letters.clone()),
                    TextPart::Number(number, digits) => {
                        tree::TextPart::Number(expr(*number), *digits)
                    }
                });
                tree::AttributeValue::Text(parts.collect())
            }
            AttributeValue::Align(side) => tree::AttributeValue::Align(*side),
        };
        let when = attribute.when.as_ref().map(|watch| Condition {
            span: NOWHERE,
            literals: watch
                .iter()
                .map(|literal| self.watch_tree(literal))
                .collect(),
        });
        tree::Attribute {
            span: NOWHERE,
            kind: attribute.kind,
            value,
            when,
        }
    }

    fn watch_tree(&self, literal: &WatchLiteral) -> Literal {
        match literal {
            WatchLiteral::Boolean(literal) => self.literal_tree(*literal),
            // Of a text only; conditions of tables have none.
            WatchLiteral::Any { .. } => Literal {
                span: NOWHERE,
                negated: false,
                kind: LiteralKind::Name(self.watch(std::slice::from_ref(literal))),
            },
            WatchLiteral::Comparison(comparison) => Literal {
                span: NOWHERE,
                negated: false,
                kind: LiteralKind::Comparison(Box::new(tree::Comparison {
                    span: NOWHERE,
                    left: self.tree(comparison.left),
                    op: comparison.op,
                    right: self.tree(comparison.right),
                })),
            },
        }
    }
}
