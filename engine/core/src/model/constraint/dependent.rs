//! Rates and other unknowns that equations cannot tell apart: in which combinations they enter, and the sum of equations that
//! has none of them; of rates its derivative would do in the place of one of these.
//!
//! What holds for every state is told by the coefficients at three of them.

use super::definitions::Definitions;
use super::singular::{coefficients, integrals, states_of};
use super::{algebra, terms, written_out};
use crate::ids::{ExprId, RealId, RelationId};
use crate::model::{Argument, Expr, Model, Obstacle, Relation, StartValues};

/// A coefficient smaller than this part of the largest one is 0.
const NEGLIGIBLE: f64 = 1e-11;

/// States beside the start values at which coefficients are compared.
const BESIDE: [f64; 3] = [0.0, 0.173, 0.419];

/// More unknowns than this are not looked at.
const MOST_UNKNOWNS: usize = 50;

/// Rates, or other unknowns, that enter equations in fewer combinations than there are of them.
#[derive(Clone, PartialEq, Debug)]
pub struct DependentUnknowns {
    /// Combinations in which they enter at the start: one weight per target, the first that is not 0 is 1.
    pub enter: Vec<Vec<f64>>,
    /// Weights of the equations in the sum that has no unknown in it.
    pub weights: Vec<f64>,
    /// That sum, which is to be 0; `None` if nothing is left of it.
    pub sum: Option<ExprId>,
    /// Its derivative, over rates that are the targets; `None` if there is none.
    pub derivative: Option<ExprId>,
}

impl Model {
    /// What is wrong with a row whose rates depend on each other with the same weights in every state; `None` if they do not.
    /// Expressions are added to the model.
    pub fn dependent_rates(&mut self, relation: RelationId) -> Option<DependentUnknowns> {
        let states = states_of(self, relation, &integrals(self))?;
        let targets = self.relations[relation.index()].targets.to_vec();
        let mut equations = Vec::new();
        for equation in 0..targets.len() {
            let Argument::Real(written) = self.relations[relation.index()].args[equation] else {
                return None;
            };
            let is_other = |definitions: &Definitions<'_>, real| !definitions.is_own(real);
            equations.push(written_out(self, relation, written, &mut Vec::new(), is_other).ok()?);
        }
        let mut found = self.dependent(&targets, &equations)?;
        found.derivative = self.rate_of(found.sum?, &states, &targets);
        Some(found)
    }

    /// What is wrong with rows whose unknowns enter their equations with coefficients that depend on each other with the
    /// same weights in every state; `None` if they do not. The equations are counted through all rows. Expressions are
    /// added to the model.
    pub fn dependent_unknowns(&mut self, rows: &[RelationId]) -> Option<DependentUnknowns> {
        let row = |row: &RelationId| &self.relations[row.index()];
        let rows: Vec<&Relation> = rows.iter().map(row).collect();
        // Unknowns may hide in what other rows give.
        if !rows.iter().all(|row| row.procedure.solves()) {
            return None;
        }
        let targets: Vec<RealId> = rows.iter().flat_map(|row| row.targets.clone()).collect();
        let written = rows.iter().flat_map(|row| &row.args[..row.targets.len()]);
        let equations = written.map(|written| match written {
            Argument::Real(written) => Some(*written),
            Argument::Boolean(_) => None,
        });
        let equations: Vec<ExprId> = equations.collect::<Option<_>>()?;
        if targets.len() > MOST_UNKNOWNS {
            return None;
        }
        self.dependent(&targets, &equations)
    }

    /// The combinations in which targets enter as many equations, if these are fewer.
    fn dependent(&mut self, targets: &[RealId], equations: &[ExprId]) -> Option<DependentUnknowns> {
        let (mut matrix, mut rests) = (Vec::new(), Vec::new());
        for &written in equations {
            let row = coefficients(self, written, targets)?;
            let is_linear = row.iter().flatten().all(|&slope| {
                let reads = algebra::reals(&self.exprs, slope);
                !targets.iter().any(|target| reads.contains(target))
            });
            if !is_linear {
                return None;
            }
            matrix.push(row);
            rests.push(algebra::without(&mut self.exprs, written, targets));
        }
        let start = self.start_values().ok()?;
        let at = |part: f64| -> Vec<Vec<f64>> {
            let mut values = start.clone();
            for (index, value) in values.reals.iter_mut().enumerate() {
                #[expect(clippy::cast_precision_loss, reason = "a number to tell reals apart")]
                let own = (index % 7) as f64;
                *value += part * (1.0 + own) * value.abs().max(1.0);
            }
            let number = |slope: &Option<ExprId>| self.slope_at(*slope, &values);
            matrix
                .iter()
                .map(|row| row.iter().map(number).collect())
                .collect()
        };
        let (enter, weights) = eliminated(at(BESIDE[0]))?;
        let holds = |part: &f64| vanishes(&weights, &at(*part));
        if !BESIDE[1..].iter().all(holds) {
            return None;
        }
        let mut sum = None;
        for (&weight, rest) in weights.iter().zip(rests) {
            if let (true, Some(rest)) = (weight != 0.0, rest) {
                let weight = terms::number(&mut self.exprs, weight);
                let term = terms::product(&mut self.exprs, weight, rest);
                sum = terms::sum(&mut self.exprs, sum, Some(term));
            }
        }
        Some(DependentUnknowns {
            enter,
            weights,
            sum,
            derivative: None,
        })
    }

    fn slope_at(&self, slope: Option<ExprId>, values: &StartValues) -> f64 {
        slope.map_or(0.0, |slope| self.evaluate(slope, values))
    }

    /// The derivative along the motion, where nothing but these states moves.
    fn rate_of(&mut self, sum: ExprId, states: &[RealId], rates: &[RealId]) -> Option<ExprId> {
        let input = |exprs: &mut crate::model::Exprs, node: &Expr| match node {
            Expr::Real(real) => match states.iter().position(|state| state == real) {
                Some(at) => Ok(Some(exprs.push(Expr::Real(rates[at])))),
                None => Err(Obstacle::TooMany),
            },
            Expr::Time => Ok(Some(terms::number(exprs, 1.0))),
            _ => Ok(None),
        };
        algebra::derivative(&mut self.exprs, sum, |_| String::new(), input).ok()?
    }
}

/// True if a weighted sum of rows is 0.
fn vanishes(weights: &[f64], rows: &[Vec<f64>]) -> bool {
    (0..weights.len()).all(|column| {
        let terms = || weights.iter().zip(rows).map(|(w, row)| w * row[column]);
        let size: f64 = terms().map(f64::abs).sum();
        let sum: f64 = terms().sum();
        sum.abs() <= NEGLIGIBLE * size
    })
}

/// The rows that are left of a matrix by elimination, and weights of its rows in a sum that is 0; `None` if there is none.
fn eliminated(mut rows: Vec<Vec<f64>>) -> Option<(Vec<Vec<f64>>, Vec<f64>)> {
    let n = rows.len();
    let largest = rows
        .iter()
        .flatten()
        .fold(0.0_f64, |most, x| most.max(x.abs()));
    // Behind the coefficients stands of which rows a row is made.
    for (index, row) in rows.iter_mut().enumerate() {
        row.extend((0..n).map(|other| f64::from(u8::from(other == index))));
    }
    let mut done = 0;
    for column in 0..n {
        let size = |row: &usize| rows[*row][column].abs();
        let pivot = (done..n).max_by(|a, b| size(a).total_cmp(&size(b)))?;
        let least = NEGLIGIBLE * largest;
        if rows[pivot][column].abs().partial_cmp(&least)? != std::cmp::Ordering::Greater {
            continue;
        }
        rows.swap(done, pivot);
        let own = rows[done].clone();
        for (index, row) in rows.iter_mut().enumerate() {
            let part = row[column] / own[column];
            if index == done || part == 0.0 {
                continue;
            }
            for (entry, own) in row.iter_mut().zip(&own) {
                *entry -= part * own;
            }
            row[column] = 0.0;
        }
        done += 1;
        if done == n {
            return None;
        }
    }
    let scaled = |values: &[f64]| -> Vec<f64> {
        let most = values.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
        let kept = values.iter().find(|x| x.abs() > NEGLIGIBLE * most);
        let first = kept.copied().unwrap_or(1.0);
        let part = |x: &f64| {
            if x.abs() > NEGLIGIBLE * most {
                x / first
            } else {
                0.0
            }
        };
        values.iter().map(part).collect()
    };
    let enter = rows[..done].iter().map(|row| scaled(&row[..n])).collect();
    Some((enter, scaled(&rows[done][n..])))
}
