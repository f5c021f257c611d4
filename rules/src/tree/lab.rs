//! Exercises: what one may set, what one is to predict, what one is asked.

use super::{Condition, Expr, Measure, Name};
use crate::source::{Span, Spanned};

/// `(task: "..", set: {..}, predict: {..}, questions: [..])`
#[derive(Clone, Debug)]
pub struct Lab {
    /// All of it.
    pub span: Span,
    /// The exercise in words.
    pub task: Option<Words>,
    /// Quantities that one may set.
    pub inputs: Vec<LabInput>,
    /// What one is to predict.
    pub fields: Vec<LabField>,
    /// Questions to be answered in words.
    pub questions: Vec<Words>,
}

/// A text in English and in Russian: `(en: "height", ru: "высота")`, or one for both.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Words {
    /// In English.
    pub en: String,
    /// In Russian.
    pub ru: String,
}

/// `"H": (label: "height", range: (1, 10), step: 0.5)`
#[derive(Clone, Debug)]
pub struct LabInput {
    /// A constant, a real or a switch.
    pub name: Name,
    /// Its name for people.
    pub label: Option<Words>,
    /// Least and greatest value.
    pub range: Option<Spanned<[f64; 2]>>,
    /// Distance from one value to the next.
    pub step: Option<Spanned<f64>>,
}

/// `"place": (value: "x", at: "hit", count: 5)`, or `"time": (measure: "first(hit)")`
#[derive(Clone, Debug)]
pub struct LabField {
    /// Its name.
    pub name: Name,
    /// Its name for people.
    pub label: Option<Words>,
    /// Unit.
    pub unit: Option<Spanned<String>>,
    /// What is predicted.
    pub of: Predicted,
}

/// What is predicted.
#[derive(Clone, Debug)]
pub enum Predicted {
    /// A measure of the run.
    Measured(Measure),
    /// The value of an expression each time when a condition arises, so many times.
    Each {
        /// The value.
        value: Expr,
        /// The condition, as a rule an event.
        at: Condition,
        /// How often; once if left out.
        count: Option<Spanned<f64>>,
    },
}
