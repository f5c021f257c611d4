//! Witnesses: values of reals at which expressions that are not linear lie on the sides that a path asks for.
//!
//! Linear inequalities take each such expression as an unknown of its own; whether any state gives it the number that
//! they find is decided here, by evaluating it. The search moves one unknown at a time to where most sides are as they
//! should be: what it finds is a state, what it does not find may still be one.

use situ_engine::ids::ExprId;
use situ_engine::model::{Expr, Model};

use super::borders::{Borders, Side};
use super::conditions::Conditions;
use super::linear;
use super::terms::Unknown;
use crate::check::budget::{OverBudget, Work};

/// More moves of an unknown are not tried.
const MAX_MOVES: usize = 12;
/// Powers of two that are distances from 0 and from where an unknown stands, at which the expressions are looked at.
const DISTANCES: std::ops::RangeInclusive<i32> = -5..=12;
/// Halvings with which a border is found between two of these.
const HALVINGS: usize = 50;
/// An expression that differs from its number by a smaller part of it has it, up to rounding.
const NEAR: f64 = 1e-9;

/// Values of all unknowns of a model, with what is asked of them.
pub(super) struct Witness<'a> {
    model: &'a Model,
    borders: &'a Borders,
    reals: Vec<f64>,
    constants: Vec<f64>,
    time: f64,
    /// Sides with the truth that they should have.
    asked: Vec<(Side, bool)>,
    /// Expressions with the numbers that they would have best.
    wanted: Vec<(ExprId, f64)>,
    /// The unknowns that are moved.
    free: Vec<Unknown>,
}

impl<'a> Witness<'a> {
    /// Begins with the start values and with numbers that solve the inequalities; `asked` are sides with their truth.
    pub(super) fn new(
        conditions: &'a Conditions<'a>,
        asked: Vec<(Side, bool)>,
        solved: &[(Unknown, f64)],
    ) -> Self {
        let (model, borders) = (conditions.model, &conditions.borders);
        let start = conditions.start;
        let known = |values: Option<&Vec<f64>>, count: usize| match values {
            Some(values) => values.clone(),
            None => vec![f64::NAN; count],
        };
        let mut witness = Self {
            model,
            borders,
            reals: known(start.map(|start| &start.reals), model.reals.len()),
            constants: known(start.map(|start| &start.constants), model.constants.len()),
            time: 0.0,
            asked,
            wanted: Vec::new(),
            free: Vec::new(),
        };
        for &(unknown, number) in solved {
            match unknown {
                Unknown::Opaque(of) => {
                    let expr = borders.opaque_expr(of);
                    witness.wanted.push((expr, number));
                    model.exprs.visit(expr, |_, node| witness.free_leaf(node));
                }
                _ => {
                    witness.free(unknown);
                    witness.set(unknown, number);
                }
            }
        }
        witness
    }

    /// An unknown that stands in an expression can be moved; a constant can if its value is not known.
    fn free_leaf(&mut self, node: &Expr) {
        match *node {
            Expr::Real(id) => self.free(Unknown::Real(id)),
            Expr::Constant(id) if !self.constants[id.index()].is_finite() => {
                self.free(Unknown::Constant(id));
            }
            Expr::Time => self.free(Unknown::Time),
            _ => {}
        }
    }

    fn free(&mut self, unknown: Unknown) {
        if !self.free.contains(&unknown) {
            self.free.push(unknown);
        }
        if !self.value(unknown).is_finite() {
            self.set(unknown, 0.0);
        }
    }

    /// The number that an unknown has; that of an expression as it was wanted, if it differs by rounding only.
    pub(super) fn value(&self, unknown: Unknown) -> f64 {
        match unknown {
            Unknown::Real(id) => self.reals[id.index()],
            Unknown::Constant(id) => self.constants[id.index()],
            Unknown::Time => self.time,
            Unknown::Opaque(of) => {
                let expr = self.borders.opaque_expr(of);
                let value = self.evaluate(expr);
                let mut wanted = self.wanted.iter();
                let wanted = wanted.find(|(of, number)| *of == expr && is_near(value, *number));
                wanted.map_or(value, |(_, number)| *number)
            }
        }
    }

    fn set(&mut self, unknown: Unknown, value: f64) {
        match unknown {
            Unknown::Real(id) => self.reals[id.index()] = value,
            Unknown::Constant(id) => self.constants[id.index()] = value,
            Unknown::Time => self.time = value,
            Unknown::Opaque(_) => {}
        }
    }

    fn evaluate(&self, expr: ExprId) -> f64 {
        let (reals, constants) = (&self.reals, &self.constants);
        self.model.value_at(expr, reals, constants, self.time)
    }

    /// Distance of a quantity from its threshold.
    fn distance(&self, side: Side) -> f64 {
        let terms = self.borders.terms(side.quantity).iter();
        let values = terms.map(|&(unknown, factor)| match unknown {
            Unknown::Opaque(of) => factor * self.evaluate(self.borders.opaque_expr(of)),
            _ => factor * self.value(unknown),
        });
        values.sum::<f64>() - side.threshold
    }

    /// Sides that are not as they should be, and expressions that do not have their number.
    fn faults(&self) -> (usize, usize) {
        let wrong = |(side, truth): &(Side, bool)| {
            let distance = self.distance(*side);
            let below = distance < 0.0 || side.inclusive && distance == 0.0;
            below != *truth || !distance.is_finite()
        };
        let sides = self.asked.iter().filter(|one| wrong(one)).count();
        let sides = sides + usize::from(self.time < 0.0);
        let off = |(expr, number): &(ExprId, f64)| !is_near(self.evaluate(*expr), *number);
        (sides, self.wanted.iter().filter(|one| off(one)).count())
    }

    /// Looks for a state; false if none is found.
    pub(super) fn find(&mut self, work: &mut Work) -> Result<bool, OverBudget> {
        let mut faults = self.faults();
        for _ in 0..MAX_MOVES {
            if faults == (0, 0) {
                break;
            }
            let mut best = None;
            for unknown in self.free.clone() {
                let before = self.value(unknown);
                let numbers = self.numbers(unknown, work)?;
                work.spend(numbers.len() * self.cost())?;
                for number in numbers {
                    self.set(unknown, number);
                    let now = self.faults();
                    if now < faults {
                        faults = now;
                        best = Some((unknown, number));
                    }
                }
                self.set(unknown, before);
            }
            let Some((unknown, number)) = best else {
                break;
            };
            self.set(unknown, number);
        }
        Ok(faults.0 == 0)
    }

    /// Work of one evaluation of all that is asked.
    fn cost(&self) -> usize {
        4 * (self.asked.len() + self.wanted.len())
    }

    /// All that is compared: distances from thresholds and from wanted numbers.
    fn compared(&self) -> Vec<f64> {
        let sides = self.asked.iter().map(|(side, _)| self.distance(*side));
        let wanted = self.wanted.iter();
        let wanted = wanted.map(|(expr, number)| self.evaluate(*expr) - number);
        sides.chain(wanted).collect()
    }

    /// Numbers of an unknown between which nothing crosses a border, and the borders themselves, the nearest to where it
    /// stands first. The unknown is left anywhere.
    fn numbers(&mut self, unknown: Unknown, work: &mut Work) -> Result<Vec<f64>, OverBudget> {
        let stands = self.value(unknown);
        let mut looked: Vec<f64> = vec![0.0, stands];
        for power in DISTANCES {
            let distance = 2.0_f64.powi(power);
            looked.extend(
                [0.0, stands]
                    .iter()
                    .flat_map(|at| [at - distance, at + distance]),
            );
        }
        looked.sort_by(f64::total_cmp);
        looked.dedup();
        work.spend(looked.len() * self.cost())?;
        let mut borders = looked.clone();
        let mut before: Option<(f64, Vec<f64>)> = None;
        for at in looked {
            self.set(unknown, at);
            let compared = self.compared();
            if let Some((from, then)) = before {
                for (one, (a, b)) in then.iter().zip(&compared).enumerate() {
                    if (*a < 0.0) != (*b < 0.0) {
                        work.spend(HALVINGS * self.cost())?;
                        borders.extend(self.border(unknown, (from, at), one));
                    }
                }
            }
            before = Some((at, compared));
        }
        borders.sort_by(f64::total_cmp);
        borders.dedup();
        let between = borders.windows(2);
        let between = between.filter_map(|two| linear::between(two[0], two[1]));
        let mut numbers: Vec<f64> = between.chain(borders.iter().copied()).collect();
        let from = |number: &f64| (number - stands).abs();
        numbers.sort_by(|a, b| from(a).total_cmp(&from(b)));
        Ok(numbers)
    }

    /// Where one of what is compared changes its sign: the last number before, the first behind, and the roundest number
    /// near them.
    fn border(&mut self, unknown: Unknown, (low, high): (f64, f64), one: usize) -> [f64; 3] {
        let (mut low, mut high) = (low, high);
        self.set(unknown, low);
        let is_negative = self.compared()[one] < 0.0;
        for _ in 0..HALVINGS {
            let middle = low + (high - low) / 2.0;
            self.set(unknown, middle);
            match (self.compared()[one] < 0.0) == is_negative {
                true => low = middle,
                false => high = middle,
            }
        }
        let near = NEAR * low.abs().max(high.abs());
        let round = linear::between(low - near, high + near);
        [low, high, round.unwrap_or(high)]
    }
}

fn is_near(value: f64, number: f64) -> bool {
    (value - number).abs() <= NEAR * number.abs().max(1.0)
}
