//! Names: what a name of a model stands for, and what stands under names.

use super::{Boolean, CompareOp, Comparison, Model, Range};
use crate::ids::{ConstantId, ExprId, RangeId, RealId, SituationId, SwitchId};

/// Meaning of a name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Named {
    /// A constant.
    Constant(ConstantId),
    /// A real.
    Real(RealId),
    /// A switch, a range or a situation.
    Boolean(Boolean),
}

impl Model {
    /// Meaning of a name.
    pub fn find(&self, name: &str) -> Option<Named> {
        let mut reals = self.reals.iter();
        if let Some(index) = reals.position(|real| real.name == name) {
            return Some(Named::Real(RealId::new(index)));
        }
        let mut constants = self.constants.iter();
        if let Some(index) = constants.position(|constant| constant.name == name) {
            return Some(Named::Constant(ConstantId::new(index)));
        }
        let mut booleans = self.named_booleans();
        let found = booleans.find(|(other, _)| *other == name);
        found.map(|(_, what)| Named::Boolean(what))
    }

    /// Switches, named ranges and situations, in table order.
    pub fn named_booleans(&self) -> impl Iterator<Item = (&str, Boolean)> {
        let switches = self.switches.iter().enumerate();
        let ranges = self.ranges.iter().enumerate();
        let situations = self.situations.iter().enumerate();
        switches
            .map(|(index, row)| (&*row.name, Boolean::Switch(SwitchId::new(index))))
            .chain(
                ranges
                    .filter(|(_, range)| !range.anonymous)
                    .map(|(index, row)| (&*row.name, Boolean::Range(RangeId::new(index)))),
            )
            .chain(
                situations
                    .map(|(index, row)| (&*row.name, Boolean::Situation(SituationId::new(index)))),
            )
    }
}

impl Comparison {
    /// Margin: how far it is from turning, positive while it holds [unit of its sides].
    pub fn margin(&self, value: impl Fn(ExprId) -> f64) -> f64 {
        let (left, right) = (value(self.left), value(self.right));
        match self.op {
            CompareOp::Less | CompareOp::LessEqual => right - left,
            CompareOp::Greater | CompareOp::GreaterEqual => left - right,
        }
    }
}

impl Range {
    /// Margin: that of the comparison nearest to failing.
    pub fn margin(&self, value: impl Fn(ExprId) -> f64) -> f64 {
        let margins = self.all.iter().map(|comparison| comparison.margin(&value));
        margins.fold(f64::INFINITY, f64::min)
    }
}
