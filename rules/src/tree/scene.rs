//! Scenes: shapes that are drawn of every row of a trajectory.

use situ_engine::model::scene::{Align, AttributeKind, Colour, ShapeKind};

use super::{Condition, Expr, Name, Over, Row, Table};
use crate::source::{Span, Spanned};

/// `(view: (..), rows: [..])`
#[derive(Clone, Debug)]
pub struct Scene {
    /// Field and value.
    pub span: Span,
    /// Left, upper, right and lower border of what is shown.
    pub view: Option<[Expr; 4]>,
    /// Its rows, the hindmost shape first.
    pub rows: Vec<Row<Shape>>,
}

/// `circle ball in arm: at (x, y), radius 0.2, fill red when contact`
#[derive(Clone, Debug)]
pub struct Shape {
    /// What is drawn.
    pub kind: Spanned<ShapeKind>,
    /// Its name.
    pub name: Option<Name>,
    /// The group in whose frame it stands.
    pub group: Option<Name>,
    /// Its attributes.
    pub attributes: Vec<Attribute>,
}

/// `radius 0.2 when big`
#[derive(Clone, Debug)]
pub struct Attribute {
    /// All of it.
    pub span: Span,
    /// Its kind.
    pub kind: AttributeKind,
    /// Its value.
    pub value: AttributeValue,
    /// When it counts; always if left out.
    pub when: Option<Condition>,
}

/// The value of an attribute.
#[derive(Clone, Debug)]
pub enum AttributeValue {
    /// `(0, 0) to (x, y)`, or a single point.
    Points(Vec<Point>),
    /// A number.
    Number(Expr),
    /// A colour.
    Paint(Paint),
    /// `'n = {n}'`
    Text(Vec<TextPart>),
    /// A side.
    Align(Align),
}

/// `(x, y)` or `(x[j], y[j]) for j in 1 .. N`.
#[derive(Clone, Debug)]
pub struct Point {
    /// The coordinate to the right.
    pub x: Expr,
    /// The coordinate upwards.
    pub y: Expr,
    /// The counter whose elements are points; none for a single point.
    pub over: Vec<Over>,
}

/// A colour as it is written.
#[derive(Clone, Debug)]
pub enum Paint {
    /// `red`
    Plain(Colour),
    /// `mix(blue, red, share)`
    Mix(Colour, Colour, Expr),
}

/// A piece of a text.
#[derive(Clone, Debug)]
pub enum TextPart {
    /// Letters.
    Letters(String),
    /// `{x}` or `{x:.2}`: a number with so many digits behind the point.
    Number(Expr, Option<u8>),
}

impl Table {
    /// The rows of its scene; none without one.
    pub fn shapes(&self) -> &[Row<Shape>] {
        self.scene.as_ref().map_or(&[], |scene| &scene.rows)
    }
}

impl Attribute {
    /// The expressions of its value, each with the counter of its point.
    pub fn exprs(&self) -> Vec<(&Expr, &[Over])> {
        match &self.value {
            AttributeValue::Points(points) => {
                let points = points.iter();
                let both = points.flat_map(|at| [(&at.x, &*at.over), (&at.y, &*at.over)]);
                both.collect()
            }
            AttributeValue::Number(number) | AttributeValue::Paint(Paint::Mix(_, _, number)) => {
                vec![(number, &[])]
            }
            AttributeValue::Text(parts) => {
                let numbers = parts.iter().filter_map(|part| match part {
                    TextPart::Number(number, _) => Some((number, &[][..])),
                    TextPart::Letters(_) => None,
                });
                numbers.collect()
            }
            AttributeValue::Paint(Paint::Plain(_)) | AttributeValue::Align(_) => Vec::new(),
        }
    }
}
