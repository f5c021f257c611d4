//! Scales of temperature: they differ in their zeros, so that no factor leads from one to another.

use std::collections::BTreeMap;

use situ_engine::ids::ExprId;
use situ_engine::model::{Argument, Coefficient, Expr, Model, Relation};

use super::symbols;

/// A scale of temperature.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Scale {
    Kelvin,
    Celsius,
    Fahrenheit,
}

impl Scale {
    /// The scale of a unit as it is written.
    pub(super) fn of(unit: &str) -> Option<Self> {
        match symbols::first_spelling(unit.trim())? {
            "K" => Some(Self::Kelvin),
            "°C" => Some(Self::Celsius),
            "°F" => Some(Self::Fahrenheit),
            _ => None,
        }
    }

    /// Its unit.
    pub(super) fn symbol(self) -> &'static str {
        match self {
            Self::Kelvin => "K",
            Self::Celsius => "°C",
            Self::Fahrenheit => "°F",
        }
    }

    /// What a temperature of this name on another scale is on this one.
    pub(super) fn converted(self, name: &str, from: Self) -> String {
        match (from, self) {
            (Self::Kelvin, Self::Kelvin)
            | (Self::Celsius, Self::Celsius)
            | (Self::Fahrenheit, Self::Fahrenheit) => name.to_owned(),
            (Self::Celsius, Self::Kelvin) => format!("{name} + 273.15"),
            (Self::Kelvin, Self::Celsius) => format!("{name} - 273.15"),
            (Self::Fahrenheit, Self::Celsius) => format!("({name} - 32) * 5 / 9"),
            (Self::Celsius, Self::Fahrenheit) => format!("{name} * 9 / 5 + 32"),
            (Self::Fahrenheit, Self::Kelvin) => format!("({name} - 32) * 5 / 9 + 273.15"),
            (Self::Kelvin, Self::Fahrenheit) => format!("({name} - 273.15) * 9 / 5 + 32"),
        }
    }
}

/// A temperature in degrees Celsius or Fahrenheit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Offset {
    pub(super) scale: Scale,
    /// Rows compute it by a difference.
    pub(super) is_difference: bool,
}

/// The temperatures in degrees Celsius or Fahrenheit, by their numbers.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Offsets(pub(super) BTreeMap<usize, Offset>);

impl Offsets {
    /// Those of a model.
    pub(super) fn of(model: &Model) -> Self {
        let n_constants = model.constants.len();
        let quantities = model.constants.iter().chain(&model.reals).enumerate();
        let temperatures = quantities.filter_map(|(number, quantity)| {
            let scale = Scale::of(&quantity.unit).filter(|scale| *scale != Scale::Kelvin)?;
            let is_difference = number < n_constants && subtracts(model, quantity.start);
            Some((
                number,
                Offset {
                    scale,
                    is_difference,
                },
            ))
        });
        let mut offsets = Self(temperatures.collect());
        if offsets.0.is_empty() {
            return offsets;
        }
        for relation in &model.relations {
            for target in &relation.targets {
                if let Some(offset) = offsets.0.get_mut(&(n_constants + target.index())) {
                    offset.is_difference |= is_difference(model, relation);
                }
            }
        }
        offsets
    }
}

/// True if a row computes a difference. The integral of one is a temperature again.
fn is_difference(model: &Model, relation: &Relation) -> bool {
    let is_minus = |coefficient| match coefficient {
        Coefficient::Number(number) => number < 0.0,
        Coefficient::Constant { negative, .. } => negative,
    };
    let mut args = arguments(relation);
    let is_number = |expr: ExprId| matches!(model.exprs.get(expr), Expr::Number(_));
    let name = relation.procedure.get().name;
    let is_sum = name == "sum";
    (is_sum && is_minus(relation.coef) != is_minus(relation.coef2) && !args.clone().any(is_number))
        || name != "integral" && args.any(|expr| subtracts(model, expr))
}

/// The expressions in a row.
pub(super) fn arguments(relation: &Relation) -> impl Iterator<Item = ExprId> + Clone {
    relation.args.iter().filter_map(|argument| match argument {
        Argument::Real(expr) => Some(*expr),
        Argument::Boolean(_) => None,
    })
}

/// True if something that is no number is subtracted in an expression.
fn subtracts(model: &Model, root: ExprId) -> bool {
    let mut found = false;
    model.exprs.visit(root, |_, node| {
        if let Expr::Sub(left, right) = node {
            let mut sides = [left, right].into_iter();
            found |= sides.all(|side| !matches!(model.exprs.get(*side), Expr::Number(_)));
        }
    });
    found
}
