//! Constraints: equations in which what is solved for does not occur -> their derivatives along the motion, until it
//! does.
//!
//! `solve lam: x^2 + y^2 = L^2` says where a rod keeps a mass, and lam is the force that does it. Differentiated twice
//! along `x = integral(vx)`, `vx = integral(-lam * x)` and so on, lam stands in it: that equation is solved, and the
//! row is one like any other. What was differentiated holds as well, as [`Level`]s, which the stages of projection of
//! the crate's `lower` module keep from drifting. Source: E. Hairer, G. Wanner, Solving Ordinary Differential Equations II,
//! 1996, chapter VII.2.
//!
//! Values that follow from others are written out on the way; a real is differentiated through the rows that act
//! whenever the row of the constraint does ([`definitions`]).

mod algebra;
mod definitions;
mod dependent;
mod reach;
mod singular;
mod systems;
mod terms;

pub use dependent::DependentUnknowns;
pub use reach::Reach;
pub use singular::SingularRates;
pub use systems::System;

use rustc_hash::FxHashMap;

use self::definitions::{Definition, Definitions, acts_at_events, rate_of, value_of};
use super::{Argument, Expr, Model, Relation};
use crate::ids::{ExprId, RealId, RelationId};

/// An equation is differentiated at most so often.
pub const MAX_DERIVATIVES: usize = 4;

/// More nodes than an equation has after it was differentiated.
const MOST_NODES: u64 = 20_000;

/// Values that follow from others are written out so many rows deep.
const DEEPEST: usize = 64;

/// An equation of a row that is solved which was differentiated.
#[derive(Clone, PartialEq, Debug)]
pub struct Constraint {
    /// The row.
    pub relation: RelationId,
    /// The position of the equation among those of the row. What stands there now is its last derivative.
    pub equation: usize,
    /// Its residual, as it was written.
    pub written: ExprId,
    /// The equation and its derivatives below the one that is solved.
    pub levels: Vec<Level>,
}

impl Constraint {
    /// The residual that it keeps at 0: of the equation, or of a combination of the row's equations in which no rate is left.
    pub fn kept(&self, model: &Model) -> ExprId {
        let mut singular = model.singular.iter();
        match singular.any(|rates| rates.relation == self.relation) {
            true => self.levels[0].residual,
            false => self.written,
        }
    }

    /// The residual that is solved.
    pub fn solved(&self, model: &Model) -> Option<ExprId> {
        match model.relations[self.relation.index()].args[self.equation] {
            Argument::Real(residual) => Some(residual),
            Argument::Boolean(_) => None,
        }
    }
}

/// Something that vanishes along with an equation that is solved.
#[derive(Clone, PartialEq, Debug)]
pub struct Level {
    /// Over states, held reals, constants and the time.
    pub residual: ExprId,
    /// Its derivatives by the states in it.
    pub gradient: Vec<(RealId, ExprId)>,
}

/// Why no derivative of an equation has a target in it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unreached {
    /// The row.
    pub relation: RelationId,
    /// The position of the equation.
    pub equation: usize,
    /// The rows through which it was differentiated, in this order.
    pub rows: Vec<RelationId>,
    /// What stands in the way.
    pub why: Obstacle,
}

/// What stands in the way of a derivative.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Obstacle {
    /// No rows move what stands in the equation.
    Still,
    /// [`MAX_DERIVATIVES`] are not enough.
    TooMany,
    /// The equation gets too long.
    TooLarge,
    /// A row acts only for a part of the time for which the constraint holds.
    Sometimes(RelationId),
    /// Another row computes the same value.
    Several(RelationId),
    /// A row with a memory that has no derivative.
    Memory(RelationId),
    /// A row solves for a value.
    Solved(RelationId),
    /// A row fixes what others integrate.
    Clamped(RelationId),
    /// Values follow from each other in a circle, or through too many rows.
    Circle(RelationId),
    /// A procedure or lookup of this name has no derivative everywhere.
    Kink(String),
}

impl Relation {
    /// Bounds between which its target is looked for, if it is solved and has them.
    pub fn bounds(&self) -> Option<[ExprId; 2]> {
        match self.args[..] {
            [_, Argument::Real(low), Argument::Real(high)]
                if self.procedure.solves() && self.targets.len() == 1 =>
            {
                Some([low, high])
            }
            _ => None,
        }
    }
}

impl Model {
    /// Differentiates the equations of rows that are solved in which no target occurs; those that cannot be.
    pub fn constrain(&mut self) -> Vec<Unreached> {
        let mut unreached = Vec::new();
        if !self.relations.iter().any(|row| row.procedure.solves()) {
            return unreached;
        }
        let reach = Reach::of(self);
        let integrals = singular::integrals(self);
        for relation in (0..self.relations.len()).map(RelationId::new) {
            let row = &self.relations[relation.index()];
            if !row.procedure.solves() || acts_at_events(self, row) {
                continue;
            }
            let depends = reach.of_equations(self, row);
            let without_targets = |equation: usize| {
                let Argument::Real(residual) = row.args[equation] else {
                    return None;
                };
                let mut reads = depends.reads(equation).into_iter();
                let reads_none = !reads.any(|real| depends.is_target(real));
                reads_none.then_some((equation, residual))
            };
            let mut found: Vec<(usize, ExprId)> =
                (0..row.targets.len()).filter_map(without_targets).collect();
            let singular = match found.is_empty() {
                true => singular::combinations(self, relation, &integrals),
                false => None,
            };
            let mut group = None;
            if let Some((rates, combinations)) = singular {
                found = combinations;
                group = Some(rates);
            }
            for (equation, residual) in found {
                let mut rows = Vec::new();
                match reduced(self, relation, (equation, residual), &mut rows) {
                    Ok(reduced) => self.replace(reduced),
                    // Equations that contradict or repeat each other have no solution at the start, which says more.
                    Err(Obstacle::Still) if group.is_some() => group = None,
                    Err(why) => {
                        let mut seen = Vec::new();
                        rows.retain(|row| {
                            let is_new = !seen.contains(row);
                            seen.push(*row);
                            is_new
                        });
                        unreached.push(Unreached {
                            relation,
                            equation,
                            rows,
                            why,
                        });
                    }
                }
            }
            self.singular.extend(group);
        }
        unreached
    }

    /// Puts an equation that was differentiated in the place of the one that was written.
    fn replace(&mut self, (solved, constraint): (ExprId, Constraint)) {
        // Equations are kept as differences of their sides.
        let zero = terms::number(&mut self.exprs, 0.0);
        let solved = self.exprs.push(Expr::Sub(solved, zero));
        self.relations[constraint.relation.index()].args[constraint.equation] =
            Argument::Real(solved);
        self.constraints.push(constraint);
    }

    /// The derivative of an expression by a real in it; `None` if it has none.
    ///
    /// Shapes: `reals`, `constants`: one value per real and constant.
    /// Cost: a copy of all expressions.
    pub fn slope(
        &self,
        expr: ExprId,
        by: RealId,
        (reals, constants): (&[f64], &[f64]),
        time: f64,
    ) -> Option<f64> {
        let mut model = self.clone();
        let slope = algebra::derivative(
            &mut model.exprs,
            expr,
            |_| String::new(),
            |exprs, node| Ok((*node == Expr::Real(by)).then(|| terms::number(exprs, 1.0))),
        );
        let slope = slope.ok().flatten()?;
        Some(model.value_at(slope, reals, constants, time))
    }

    /// The constraint that an equation of a row is.
    pub fn constraint(&self, relation: RelationId, equation: usize) -> Option<&Constraint> {
        let mut all = self.constraints.iter();
        all.find(|one| one.relation == relation && one.equation == equation)
    }
}

/// The equation that is solved instead of one in which no target occurs, and the constraint that this one is.
///
/// `residual`: that of the equation, or of the combination with others that stands for it.
fn reduced(
    model: &mut Model,
    relation: RelationId,
    (equation, residual): (usize, ExprId),
    rows: &mut Vec<RelationId>,
) -> Result<(ExprId, Constraint), Obstacle> {
    let Argument::Real(written) = model.relations[relation.index()].args[equation] else {
        return Err(Obstacle::Still);
    };
    let mut constraint = Constraint {
        relation,
        equation,
        written,
        levels: Vec::new(),
    };
    let mut residual = written_out(model, relation, residual, rows, |_, _| true)?;
    for _ in 0..MAX_DERIVATIVES {
        let slope = along_motion(model, relation, residual, rows)?.ok_or(Obstacle::Still)?;
        let gradient = gradient(model, relation, residual)?;
        if gradient.is_empty() {
            return Err(Obstacle::Still);
        }
        constraint.levels.push(Level { residual, gradient });
        let reals = algebra::reals(&model.exprs, slope);
        match leads_from(&Definitions::beside(model, relation), reals) {
            Lead::Through(why) => return Err(why),
            Lead::Yes => {
                let solved = written_out(model, relation, slope, rows, |definitions, real| {
                    leads_from(definitions, vec![real]) == Lead::Yes
                })?;
                return Ok((solved, constraint));
            }
            Lead::No => residual = written_out(model, relation, slope, rows, |_, _| true)?,
        }
    }
    Err(Obstacle::TooMany)
}

/// The expression with the values that follow from others written out, those that are wanted.
fn written_out(
    model: &mut Model,
    relation: RelationId,
    root: ExprId,
    rows: &mut Vec<RelationId>,
    wanted: impl Fn(&Definitions<'_>, RealId) -> bool,
) -> Result<ExprId, Obstacle> {
    let mut root = root;
    for depth in 0.. {
        let definitions = Definitions::beside(model, relation);
        let reals = algebra::reals(&model.exprs, root);
        let values: Vec<(RealId, RelationId)> = (reals.into_iter())
            .filter_map(|real| match definitions.of(real) {
                Definition::Value(row) if wanted(&definitions, real) => Some((real, row)),
                _ => None,
            })
            .collect();
        let Some(&(_, first)) = values.first() else {
            break;
        };
        if depth == DEEPEST {
            return Err(Obstacle::Circle(first));
        }
        let mut written = FxHashMap::default();
        for (real, row) in values {
            rows.push(row);
            let value = value_of(&mut model.exprs, &model.relations[row.index()], real);
            written.insert(real, value);
        }
        root = algebra::substitute(&mut model.exprs, root, |real| written.get(&real).copied());
        if algebra::size(&model.exprs, root) > MOST_NODES {
            return Err(Obstacle::TooLarge);
        }
    }
    Ok(root)
}

/// The derivative of an expression along the motion; `None` if it stands still.
fn along_motion(
    model: &mut Model,
    relation: RelationId,
    root: ExprId,
    rows: &mut Vec<RelationId>,
) -> Result<Option<ExprId>, Obstacle> {
    let mut definitions = FxHashMap::default();
    let beside = Definitions::beside(model, relation);
    for real in algebra::reals(&model.exprs, root) {
        definitions.insert(real, beside.of(real));
    }
    let Model {
        exprs,
        relations,
        lookups,
        ..
    } = model;
    let name_of = |node: &Expr| match node {
        Expr::Lookup(id, _) => lookups[id.index()].name.clone(),
        Expr::Call(procedure, _) => procedure.get().name.to_owned(),
        _ => String::new(),
    };
    let slope = algebra::derivative(exprs, root, name_of, |exprs, node| match node {
        Expr::Real(real) => match &definitions[real] {
            Definition::Held => Ok(None),
            Definition::State(rates) => {
                let mut sum = None;
                for row in rates {
                    rows.push(*row);
                    let rate = rate_of(exprs, &relations[row.index()]);
                    sum = terms::sum(exprs, sum, Some(rate));
                }
                Ok(sum)
            }
            Definition::Target => Err(Obstacle::Solved(relation)),
            Definition::Value(row) => Err(Obstacle::Circle(*row)),
            Definition::Blocked(why) => Err(why.clone()),
        },
        _ => Ok(Some(terms::number(exprs, 1.0))),
    })?;
    match slope {
        Some(slope) if algebra::size(exprs, slope) > MOST_NODES => Err(Obstacle::TooLarge),
        slope => Ok(slope),
    }
}

/// The derivatives of a residual by the states in it.
fn gradient(
    model: &mut Model,
    relation: RelationId,
    residual: ExprId,
) -> Result<Vec<(RealId, ExprId)>, Obstacle> {
    let definitions = Definitions::beside(model, relation);
    let mut states = algebra::reals(&model.exprs, residual);
    states.retain(|real| matches!(definitions.of(*real), Definition::State(_)));
    let mut gradient = Vec::new();
    for state in states {
        let slope = algebra::derivative(
            &mut model.exprs,
            residual,
            |_| String::new(),
            |exprs, node| Ok((*node == Expr::Real(state)).then(|| terms::number(exprs, 1.0))),
        )?;
        gradient.extend(slope.map(|slope| (state, slope)));
    }
    Ok(gradient)
}

/// Way from reals to a target, through rows that compute values.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Lead {
    No,
    Yes,
    /// Only through what cannot be written out.
    Through(Obstacle),
}

/// Whether some reals lead to a target.
fn leads_from(definitions: &Definitions<'_>, from: Vec<RealId>) -> Lead {
    let model = definitions.model;
    let mut blocked = None;
    for through_all in [false, true] {
        let mut open = from.clone();
        let mut seen = vec![false; model.reals.len()];
        while let Some(real) = open.pop() {
            if std::mem::replace(&mut seen[real.index()], true) {
                continue;
            }
            let mut follow = |row: RelationId| {
                for expr in definitions.read_for(row, real) {
                    open.extend(algebra::reals(&model.exprs, expr));
                }
            };
            match definitions.of(real) {
                Definition::Target => return blocked.map_or(Lead::Yes, Lead::Through),
                Definition::Value(row) => follow(row),
                Definition::Blocked(why) if through_all => {
                    definitions.values(real).for_each(&mut follow);
                    blocked.get_or_insert(why);
                }
                Definition::Held | Definition::State(_) | Definition::Blocked(_) => {}
            }
        }
    }
    Lead::No
}
