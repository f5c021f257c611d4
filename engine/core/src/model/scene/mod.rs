//! Scenes: how the rows of a trajectory are drawn.
//!
//! A [`Scene`] is data for views. No tape is made from it and no run reads it: its expressions stand in the arena of the
//! model, behind all others. What a word of a row means stands in two lists, [`ShapeKind`] and [`AttributeKind`], which
//! readers, printers and help read.

mod words;

use smallvec::SmallVec;

use super::{Comparison, Literal, Model, VerifyError, Watch, WatchAtom};
use crate::ids::{ExprId, Origin};

pub use words::{Align, AttributeKind, Colour, Form, ShapeKind};

/// A window of the plane and the shapes in it.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Scene {
    /// Left, upper, right and lower border of the window [units of the scene].
    pub view: Option<[ExprId; 4]>,
    /// Its shapes, the hindmost first.
    pub shapes: Vec<Shape>,
}

/// A row of a scene.
#[derive(Clone, PartialEq, Debug)]
pub struct Shape {
    /// The row's id.
    pub id: String,
    /// What is drawn.
    pub kind: ShapeKind,
    /// Its name; may be empty.
    pub name: String,
    /// The group in whose frame it stands: the number of a shape above it.
    pub group: Option<usize>,
    /// Its attributes, in written order: of each kind the first whose condition holds counts.
    pub attributes: Vec<Attribute>,
    /// The author's remark.
    pub note: String,
    /// Place in the source.
    pub origin: Origin,
}

/// An attribute of a shape.
#[derive(Clone, PartialEq, Debug)]
pub struct Attribute {
    /// Its kind.
    pub kind: AttributeKind,
    /// Its value.
    pub value: AttributeValue,
    /// When it counts; always if left out.
    pub when: Option<Watch>,
}

/// The value of an attribute, of the form that its kind has.
#[derive(Clone, PartialEq, Debug)]
pub enum AttributeValue {
    /// Points, or the only pair of numbers [units of the scene].
    Points(Vec<[ExprId; 2]>),
    /// A number.
    Number(ExprId),
    /// A colour.
    Paint(Paint),
    /// A text with numbers in it.
    Text(Vec<TextPart>),
    /// A side.
    Align(Align),
}

/// Colour of an area or a line.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Paint {
    /// A colour.
    Plain(Colour),
    /// The first colour at 0, the second at 1, a mixture in between.
    Mix(Colour, Colour, ExprId),
}

/// A piece of a text.
#[derive(Clone, PartialEq, Debug)]
pub enum TextPart {
    /// Letters.
    Letters(String),
    /// A number, with so many digits behind the point; as few as four leading digits ask for if it is left out.
    Number(ExprId, Option<u8>),
}

impl Scene {
    /// Calls `each` with every expression.
    pub fn each_expression(&self, mut each: impl FnMut(ExprId)) {
        self.view.iter().flatten().for_each(|&side| each(side));
        for shape in &self.shapes {
            shape.each_expression(&mut each);
        }
    }

    /// Calls `each` with every boolean that a condition names.
    pub fn each_literal(&self, mut each: impl FnMut(Literal)) {
        for shape in &self.shapes {
            shape.each_literal(&mut each);
        }
    }
}

impl Model {
    /// The shapes of its scene; none without one.
    pub fn shapes(&self) -> &[Shape] {
        self.scene.as_ref().map_or(&[], |scene| &scene.shapes)
    }
}

impl Shape {
    /// Calls `each` with every boolean that a condition names.
    pub fn each_literal(&self, each: &mut impl FnMut(Literal)) {
        for literal in self
            .attributes
            .iter()
            .flat_map(|one| one.when.iter().flatten())
        {
            literal.each_atom(&mut |atom| {
                if let WatchAtom::Boolean(literal) = atom {
                    each(literal);
                }
            });
        }
    }

    /// Calls `each` with every expression.
    pub fn each_expression(&self, each: &mut impl FnMut(ExprId)) {
        for attribute in &self.attributes {
            match &attribute.value {
                AttributeValue::Points(points) => points.iter().flatten().for_each(|&at| each(at)),
                AttributeValue::Number(number) => each(*number),
                AttributeValue::Paint(Paint::Mix(_, _, share)) => each(*share),
                AttributeValue::Text(parts) => {
                    for part in parts {
                        if let TextPart::Number(number, _) = part {
                            each(*number);
                        }
                    }
                }
                AttributeValue::Paint(Paint::Plain(_)) | AttributeValue::Align(_) => {}
            }
            for literal in attribute.when.iter().flatten() {
                literal.each_atom(&mut |atom| {
                    if let WatchAtom::Comparison(Comparison { left, right, .. }) = atom {
                        each(left);
                        each(right);
                    }
                });
            }
        }
    }
}

/// The promises of a scene: groups stand above their members, values have the form of their attribute, a shape has what
/// it needs and no attribute of another one.
pub(super) fn verify(model: &Model) -> Result<(), VerifyError> {
    let Some(scene) = &model.scene else {
        return Ok(());
    };
    let fail = |shape: &Shape, what: &str| {
        Err(VerifyError {
            message: format!("shape `{}` {what}", shape.id),
        })
    };
    let mut in_arena = true;
    scene.each_expression(|root| in_arena &= model.exprs.has(root));
    for (index, shape) in scene.shapes.iter().enumerate() {
        let is_group = |at: usize| scene.shapes[at].kind == ShapeKind::Group;
        if shape.group.is_some_and(|at| at >= index || !is_group(at)) {
            return fail(shape, "is in no group above it");
        }
        let written: SmallVec<[AttributeKind; 8]> =
            shape.attributes.iter().map(|one| one.kind).collect();
        if !(shape.kind.required().iter()).all(|kind| written.contains(kind)) {
            return fail(shape, "lacks an attribute");
        }
        if !in_arena || written.iter().any(|kind| !shape.kind.takes(*kind)) {
            return fail(shape, "has an attribute that it cannot have");
        }
        let fits = |one: &Attribute| match (&one.value, one.kind.form()) {
            (AttributeValue::Points(points), Form::Point) => points.len() == 1,
            (AttributeValue::Points(_), Form::Points)
            | (AttributeValue::Number(_), Form::Number)
            | (AttributeValue::Paint(_), Form::Paint)
            | (AttributeValue::Text(_), Form::Text)
            | (AttributeValue::Align(_), Form::Align) => true,
            _ => false,
        };
        if !shape.attributes.iter().all(fits) {
            return fail(shape, "has a value of another form");
        }
    }
    Ok(())
}
