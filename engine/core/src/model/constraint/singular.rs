//! Rates that enter with a constant matrix of lower rank, M x' = f: some combination of the equations has no rate in it, and
//! is a constraint.
//!
//! Gaussian elimination on the coefficients as expressions; which of them vanish is decided by the start values of the
//! constants.

use rustc_hash::FxHashMap;

use super::definitions::Definitions;
use super::{algebra, terms, written_out};
use crate::ids::{ExprId, RealId, RelationId};
use crate::model::{Argument, Coefficient, Expr, Model, StartValues};
use crate::procedure::{Body, Memory};

/// A coefficient smaller than this part of the largest one is 0.
const NEGLIGIBLE: f64 = 1e-12;

/// A row that solves for rates which its equations do not tell apart.
#[derive(Clone, PartialEq, Debug)]
pub struct SingularRates {
    /// The row.
    pub relation: RelationId,
    /// Its residuals as they were written, with values that follow from others written out.
    pub equations: Vec<ExprId>,
    /// The real whose rate each target is.
    pub states: Vec<RealId>,
}

/// A row of the matrix with what is left of its equation without rates.
struct Row {
    equation: usize,
    /// Coefficients of the targets, as expressions and as numbers.
    terms: Vec<(Option<ExprId>, f64)>,
    rest: Option<ExprId>,
}

/// The combinations of a row's equations that have no rate in them, each with the equation in whose place it stands, if
/// the matrix of the rates is constant and of lower rank. `integrals`: see [`integrals`].
pub(super) fn combinations(
    model: &mut Model,
    relation: RelationId,
    integrals: &FxHashMap<RealId, RelationId>,
) -> Option<(SingularRates, Vec<(usize, ExprId)>)> {
    let states = states_of(model, relation, integrals)?;
    let start = model.start_values().ok()?;
    let mut rows = matrix(model, relation, &start)?;
    let equations = rows.iter().map(|(_, equation)| *equation).collect();
    let mut open: Vec<Row> = rows.drain(..).map(|(row, _)| row).collect();
    let largest = open.iter().flat_map(|row| &row.terms);
    let largest = largest.fold(0.0_f64, |most, (_, value)| most.max(value.abs()));
    for column in 0..states.len() {
        let size = |row: &Row| row.terms[column].1.abs();
        let pivot = (0..open.len()).max_by(|&a, &b| size(&open[a]).total_cmp(&size(&open[b])))?;
        if size(&open[pivot]) <= NEGLIGIBLE * largest {
            continue;
        }
        let pivot = open.remove(pivot);
        for row in &mut open {
            take(model, row, &pivot, column, NEGLIGIBLE * largest);
        }
        if open.is_empty() {
            return None;
        }
    }
    let combinations = open.into_iter().map(|row| {
        let zero = |exprs| terms::number(exprs, 0.0);
        (
            row.equation,
            row.rest.unwrap_or_else(|| zero(&mut model.exprs)),
        )
    });
    let combinations = combinations.collect();
    let group = SingularRates {
        relation,
        equations,
        states,
    };
    Some((group, combinations))
}

/// Per real that is integrated as it is the row that does so.
pub(super) fn integrals(model: &Model) -> FxHashMap<RealId, RelationId> {
    let mut integrals = FxHashMap::default();
    for (at, relation) in model.relations.iter().enumerate() {
        let body = relation.procedure.get().body;
        if let ([Argument::Real(expr)], Body::Memory(Memory::Integral)) = (&relation.args[..], body)
            && let Expr::Real(rate) = model.exprs.get(*expr)
            && relation.coef == Coefficient::ONE
        {
            integrals.entry(rate).or_insert(RelationId::new(at));
        }
    }
    integrals
}

/// The reals whose rates a row solves for, if it solves for nothing else.
pub(super) fn states_of(
    model: &Model,
    relation: RelationId,
    integrals: &FxHashMap<RealId, RelationId>,
) -> Option<Vec<RealId>> {
    let row = &model.relations[relation.index()];
    let state = |rate: &RealId| {
        let integral = &model.relations[integrals.get(rate)?.index()];
        (integral.guard == row.guard).then(|| integral.targets[0])
    };
    row.targets.iter().map(state).collect()
}

/// The derivatives of an equation by the targets of its row, each if it is not 0; `None` if they cannot be formed.
pub(super) fn coefficients(
    model: &mut Model,
    written: ExprId,
    targets: &[RealId],
) -> Option<Vec<Option<ExprId>>> {
    let slope = |target: &RealId| {
        let found = algebra::derivative(
            &mut model.exprs,
            written,
            |_| String::new(),
            |exprs, node| Ok((*node == Expr::Real(*target)).then(|| terms::number(exprs, 1.0))),
        );
        found.ok()
    };
    targets.iter().map(slope).collect()
}

/// The matrix of a row's targets, with its equations; `None` if it is not constant.
fn matrix(
    model: &mut Model,
    relation: RelationId,
    start: &StartValues,
) -> Option<Vec<(Row, ExprId)>> {
    let targets = model.relations[relation.index()].targets.clone();
    let mut rows = Vec::new();
    for equation in 0..targets.len() {
        let Argument::Real(written) = model.relations[relation.index()].args[equation] else {
            return None;
        };
        let is_other = |definitions: &Definitions<'_>, real| !definitions.is_own(real);
        let written = written_out(model, relation, written, &mut Vec::new(), is_other).ok()?;
        let mut terms = Vec::new();
        for slope in coefficients(model, written, &targets)? {
            if !slope.is_none_or(|slope| model.exprs.is_constant(slope)) {
                return None;
            }
            let value = slope.map_or(0.0, |slope| model.evaluate(slope, start));
            terms.push((slope, value));
        }
        let rest = algebra::without(&mut model.exprs, written, &targets);
        let row = Row {
            equation,
            terms,
            rest,
        };
        rows.push((row, written));
    }
    Some(rows)
}

/// Takes so much of a pivot's equation from another that the target of a column is no longer in it.
fn take(model: &mut Model, row: &mut Row, pivot: &Row, column: usize, least: f64) {
    let (Some(coefficient), value) = row.terms[column] else {
        return;
    };
    let (Some(below), divisor) = pivot.terms[column] else {
        return;
    };
    let exprs = &mut model.exprs;
    let part = terms::ratio(exprs, coefficient, below);
    for ((own, number), (other, taken)) in row.terms.iter_mut().zip(&pivot.terms) {
        *number -= value / divisor * taken;
        let less = other.map(|other| terms::product(exprs, part, other));
        *own = match number.abs() <= least {
            true => None,
            false => terms::difference(exprs, *own, less),
        };
    }
    let less = pivot.rest.map(|rest| terms::product(exprs, part, rest));
    row.rest = terms::difference(exprs, row.rest, less);
}
