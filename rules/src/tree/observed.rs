//! Texts about runs (expressions, conditions, measures, expectations) with other expressions in the place of their own.

use super::{Condition, Expected, Expr, Measure, MeasuredValue, Predicted};

/// Gives what stands in the place of the expressions and conditions of a text.
pub(crate) trait Rewrite<'a> {
    fn expression(&mut self, expr: &'a Expr) -> Expr;
    fn condition(&mut self, condition: &'a Condition) -> Condition;
}

/// A text about runs.
pub(crate) trait Observed: Sized {
    /// The same of other expressions and conditions.
    fn rewritten<'a>(&'a self, with: &mut dyn Rewrite<'a>) -> Self;
}

impl Observed for Expr {
    fn rewritten<'a>(&'a self, with: &mut dyn Rewrite<'a>) -> Self {
        with.expression(self)
    }
}

impl Observed for Condition {
    fn rewritten<'a>(&'a self, with: &mut dyn Rewrite<'a>) -> Self {
        with.condition(self)
    }
}

impl Observed for Measure {
    fn rewritten<'a>(&'a self, with: &mut dyn Rewrite<'a>) -> Self {
        match self {
            Self::OfValue(kind, value) => Self::OfValue(*kind, with.expression(value)),
            Self::At(value, time) => Self::At(with.expression(value), *time),
            Self::OfCondition(kind, condition) => {
                Self::OfCondition(*kind, with.condition(condition))
            }
        }
    }
}

impl Observed for Expected {
    fn rewritten<'a>(&'a self, with: &mut dyn Rewrite<'a>) -> Self {
        match self {
            Self::Throughout(condition) => Self::Throughout(with.condition(condition)),
            Self::Measured(measured) => {
                let tolerance = measured.tolerance.as_ref();
                Self::Measured(Box::new(MeasuredValue {
                    measure: measured.measure.rewritten(with),
                    op: measured.op,
                    value: with.expression(&measured.value),
                    tolerance: tolerance.map(|tolerance| with.expression(tolerance)),
                }))
            }
        }
    }
}

impl Observed for Predicted {
    fn rewritten<'a>(&'a self, with: &mut dyn Rewrite<'a>) -> Self {
        match self {
            Self::Measured(measure) => Self::Measured(measure.rewritten(with)),
            Self::Each { value, at, count } => Self::Each {
                value: with.expression(value),
                at: with.condition(at),
                count: count.clone(),
            },
        }
    }
}

impl<T: Observed> Observed for Option<T> {
    fn rewritten<'a>(&'a self, with: &mut dyn Rewrite<'a>) -> Self {
        self.as_ref().map(|text| text.rewritten(with))
    }
}
