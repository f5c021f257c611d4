//! Names: what a name of a model stands for, what stands under names, and whether two models differ in names only.

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

impl Model {
    /// True if the other model is the same but for its names, and the ids of rows.
    ///
    /// ```
    /// use situ_engine::model::ModelBuilder;
    ///
    /// let table = |name: &str, start: f64| {
    ///     let mut table = ModelBuilder::new("one");
    ///     let x = table.real(name, start);
    ///     table.relation(x, "integral", [x]);
    ///     table.build().unwrap()
    /// };
    /// assert!(table("y", 1.0).differs_in_names_only(&table("x", 1.0)));
    /// assert!(!table("y", 2.0).differs_in_names_only(&table("x", 1.0)));
    /// ```
    pub fn differs_in_names_only(&self, other: &Model) -> bool {
        let [one, other] = [self, other].map(|model| {
            let mut nameless = model.clone();
            nameless.clear_names();
            nameless
        });
        one == other
    }

    /// Empties every text that names something, ids of rows and texts that names occur in among them.
    fn clear_names(&mut self) {
        let quantities = self.constants.iter_mut().chain(&mut self.reals);
        quantities.for_each(|one| one.name.clear());
        self.lookups.iter_mut().for_each(|one| one.name.clear());
        self.switches.iter_mut().for_each(|one| one.name.clear());
        for range in &mut self.ranges {
            range.name.clear();
            range.id.clear();
        }
        (self.situations.iter_mut()).for_each(|one| one.name.clear());
        (self.invariants.iter_mut()).for_each(|one| one.name.clear());
        for machine in &mut self.structure.machines {
            machine.name.clear();
            (machine.transitions.iter_mut()).for_each(|one| one.id.clear());
        }
        (self.structure.parts.iter_mut()).for_each(|one| one.name.clear());
        (self.structure.counters.iter_mut()).for_each(|one| one.name.clear());
        (self.structure.families.iter_mut()).for_each(|one| one.name.clear());
        for stage in &mut self.scheme.stages {
            stage.id.clear();
            stage.text.clear();
        }
        (self.situation_rows.iter_mut()).for_each(|row| row.id.clear());
        self.assignments.iter_mut().for_each(|row| row.id.clear());
        self.relations.iter_mut().for_each(|row| row.id.clear());
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
    /// Margin: that of the comparison nearest to failing; NaN if one has no value, and so does not hold.
    pub fn margin(&self, value: impl Fn(ExprId) -> f64) -> f64 {
        let margins = self.all.iter().map(|comparison| comparison.margin(&value));
        margins.fold(f64::INFINITY, |least, margin| match least.is_nan() {
            true => least,
            false if margin.is_nan() || margin < least => margin,
            false => least,
        })
    }
}
