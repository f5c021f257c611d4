//! Names: what a name of a model stands for, what stands under names, and which names two models differ in.

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
    /// Which names of `old` are other ones here: old and new, in table order. `None` if the two differ in more than
    /// names and the ids of rows.
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
    /// let pairs = table("y", 1.0).renamed_from(&table("x", 1.0));
    /// assert_eq!(pairs, Some(vec![("x".to_owned(), "y".to_owned())]));
    /// assert_eq!(table("y", 2.0).renamed_from(&table("x", 1.0)), None);
    /// ```
    pub fn renamed_from(&self, old: &Model) -> Option<Vec<(String, String)>> {
        let (mut old, mut new) = (old.clone(), self.clone());
        let mut pairs = Vec::new();
        {
            let (before, after) = (old.written_names(), new.written_names());
            if before.len() != after.len() {
                return None;
            }
            for ((is_name, before), (_, after)) in before.into_iter().zip(after) {
                let pair = (std::mem::take(before), std::mem::take(after));
                if is_name && pair.0 != pair.1 {
                    pairs.push(pair);
                }
            }
        }
        (old == new).then_some(pairs)
    }

    /// Every text of the model that names something, and whether it is a name of the table; else it is the id of a row,
    /// or the text of a comparison or a stage.
    fn written_names(&mut self) -> Vec<(bool, &mut String)> {
        let mut names: Vec<(bool, &mut String)> = Vec::new();
        let quantities = self.constants.iter_mut().chain(&mut self.reals);
        names.extend(quantities.map(|one| (true, &mut one.name)));
        names.extend(self.lookups.iter_mut().map(|one| (true, &mut one.name)));
        names.extend(self.switches.iter_mut().map(|one| (true, &mut one.name)));
        for range in &mut self.ranges {
            names.push((!range.anonymous, &mut range.name));
            names.push((false, &mut range.id));
        }
        names.extend(self.situations.iter_mut().map(|one| (true, &mut one.name)));
        names.extend(self.invariants.iter_mut().map(|one| (true, &mut one.name)));
        for machine in &mut self.structure.machines {
            names.push((true, &mut machine.name));
            let transitions = machine.transitions.iter_mut();
            names.extend(transitions.map(|one| (false, &mut one.id)));
        }
        names.extend((self.structure.parts.iter_mut()).map(|part| (true, &mut part.name)));
        for stage in &mut self.scheme.stages {
            names.extend([(false, &mut stage.id), (false, &mut stage.text)]);
        }
        names.extend((self.situation_rows.iter_mut()).map(|row| (false, &mut row.id)));
        names.extend((self.assignments.iter_mut()).map(|row| (false, &mut row.id)));
        names.extend((self.relations.iter_mut()).map(|row| (false, &mut row.id)));
        names
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
