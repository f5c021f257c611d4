//! Expectations: what runs of a table are checked for.

use situ_engine::model::CompareOp;

use super::{Condition, Expr};
use crate::source::Span;

/// `"max(h) = 2 +- 1e-6"` or `"h >= 0"`
#[derive(Clone, Debug)]
pub struct Expectation {
    /// All of it.
    pub span: Span,
    /// As it is written.
    pub text: String,
    /// What it says; `None` if it could not be read.
    pub what: Option<Expected>,
}

impl Expectation {
    /// Its expressions, outside of its condition.
    pub fn exprs(&self) -> Vec<&Expr> {
        let Some(Expected::Measured(measured)) = &self.what else {
            return Vec::new();
        };
        let mut exprs = vec![&measured.value];
        exprs.extend(&measured.tolerance);
        if let Measure::OfValue(_, value) | Measure::At(value, _) = &measured.measure {
            exprs.push(value);
        }
        exprs
    }

    /// The condition that it or its measure has.
    pub fn condition(&self) -> Option<&Condition> {
        match self.what.as_ref()? {
            Expected::Throughout(condition) => Some(condition),
            Expected::Measured(measured) => match &measured.measure {
                Measure::OfCondition(_, condition) => Some(condition),
                Measure::OfValue(..) | Measure::At(..) => None,
            },
        }
    }
}

/// What an expectation says.
#[derive(Clone, Debug)]
pub enum Expected {
    /// A condition holds throughout the run.
    Throughout(Condition),
    /// A measure of the run has a value.
    Measured(Box<MeasuredValue>),
}

/// `measure op value [+- tolerance]`
#[derive(Clone, Debug)]
pub struct MeasuredValue {
    /// What is measured.
    pub measure: Measure,
    /// How it compares with the value; `None` is `=`.
    pub op: Option<CompareOp>,
    /// The value, of numbers and constants.
    pub value: Expr,
    /// The largest difference, of numbers and constants; none is 0.
    pub tolerance: Option<Expr>,
}

/// `kind(..)`
#[derive(Clone, Debug)]
pub enum Measure {
    /// `final(expr)` and its like.
    OfValue(MeasureOfValue, Expr),
    /// `at(expr, time)`
    At(Expr, f64),
    /// `first(condition)` and its like.
    OfCondition(MeasureOfCondition, Condition),
}

/// What is measured of a value over the whole run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MeasureOfValue {
    /// The last one.
    Final,
    /// The smallest one.
    Min,
    /// The largest one.
    Max,
    /// The largest distance from the first one.
    Drift,
}

impl MeasureOfValue {
    /// All of them, with the names by which they are written.
    pub const ALL: [(&'static str, Self); 4] = [
        ("final", Self::Final),
        ("min", Self::Min),
        ("max", Self::Max),
        ("drift", Self::Drift),
    ];
}

/// What is measured of a condition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MeasureOfCondition {
    /// The first time at which it holds.
    First,
    /// The time for which it holds.
    Duration,
    /// How often it arises.
    Count,
    /// The mean time between two arisings.
    Period,
}

impl MeasureOfCondition {
    /// All of them, with the names by which they are written.
    pub const ALL: [(&'static str, Self); 4] = [
        ("first", Self::First),
        ("duration", Self::Duration),
        ("count", Self::Count),
        ("period", Self::Period),
    ];
}

/// The name of the measure of a value at a time.
pub const AT: &str = "at";

/// The names of all measures.
pub fn measures() -> impl Iterator<Item = &'static str> {
    let values = MeasureOfValue::ALL.iter().map(|(name, _)| *name);
    let conditions = MeasureOfCondition::ALL.iter().map(|(name, _)| *name);
    values.chain([AT]).chain(conditions)
}
