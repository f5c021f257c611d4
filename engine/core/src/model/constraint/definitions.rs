//! What gives a real while a row holds: the rows of its rate, a row of its value, or nothing.
//!
//! Decided from what is written, for all runs at once: a row acts while another one does if its condition follows from
//! the other's, literal by literal.

use smallvec::{SmallVec, smallvec};

use super::{Obstacle, algebra, terms};
use crate::ids::{ExprId, RealId, RelationId};
use crate::model::expr::Exprs;
use crate::model::{Argument, Boolean, Expr, Guard, Literal, Model, Relation};
use crate::procedure::{Body, CoefRole, Memory};

/// What gives a real.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Definition {
    /// The row itself solves for it.
    Target,
    /// Nothing does: it stands still between events.
    Held,
    /// It is integrated: these rows give its rate.
    State(SmallVec<[RelationId; 1]>),
    /// A row computes it.
    Value(RelationId),
    /// It cannot be said, or its derivative cannot.
    Blocked(Obstacle),
}

/// Activity of a row while another one holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Activity {
    Always,
    Never,
    Sometimes,
    /// At events only.
    AtEvents,
}

/// The definitions that hold together with a row.
pub(super) struct Definitions<'m> {
    pub(super) model: &'m Model,
    row: RelationId,
    holds: &'m [Literal],
}

/// True if a relation acts at events only.
pub(super) fn acts_at_events(model: &Model, relation: &Relation) -> bool {
    let fires = |literal: &Literal| !literal.negated && model.is_event(literal.what);
    matches!(&relation.guard, Guard::When(all) if all.iter().any(fires))
}

impl<'m> Definitions<'m> {
    pub(super) fn beside(model: &'m Model, row: RelationId) -> Self {
        let holds = match &model.relations[row.index()].guard {
            Guard::When(all) => &all[..],
            Guard::Always | Guard::Otherwise => &[],
        };
        Self { model, row, holds }
    }

    pub(super) fn of(&self, real: RealId) -> Definition {
        if self.is_own(real) {
            return match self.side(self.row, real) {
                Some(_) => Definition::Value(self.row),
                None => Definition::Target,
            };
        }
        let (mut rates, mut values) = (SmallVec::new(), SmallVec::<[RelationId; 2]>::new());
        for row in self.model.writers(real) {
            let relation = &self.model.relations[row.index()];
            let activity = self.activity(relation);
            if matches!(activity, Activity::Never | Activity::AtEvents) {
                continue;
            }
            let body = relation.procedure.get().body;
            match body {
                Body::Solve if self.side(row, real).is_none() => {
                    return Definition::Blocked(Obstacle::Solved(row));
                }
                Body::Memory(Memory::Counter) => continue,
                Body::Memory(Memory::Integral | Memory::Smoothing) => rates.push(row),
                Body::Memory(_) => return Definition::Blocked(Obstacle::Memory(row)),
                Body::Value(_) | Body::Solve => values.push(row),
            }
            if activity == Activity::Sometimes {
                return Definition::Blocked(Obstacle::Sometimes(row));
            }
        }
        match (&rates[..], &values[..]) {
            ([], []) => Definition::Held,
            (_, []) => Definition::State(rates),
            ([], [row]) => Definition::Value(*row),
            ([], [_, second, ..]) => Definition::Blocked(Obstacle::Several(*second)),
            (_, [row, ..]) => Definition::Blocked(Obstacle::Clamped(*row)),
        }
    }

    /// True if the row itself is solved for a real.
    pub(super) fn is_own(&self, real: RealId) -> bool {
        let own = &self.model.relations[self.row.index()];
        own.targets.contains(&real)
    }

    /// What a row that is solved says a real is, in an equation `real = ..` without anything else that it is solved for.
    fn side(&self, row: RelationId, real: RealId) -> Option<ExprId> {
        side(&self.model.exprs, &self.model.relations[row.index()], real)
    }

    /// The expressions from which a row computes a real.
    pub(super) fn read_for(&self, row: RelationId, real: RealId) -> SmallVec<[ExprId; 3]> {
        match self.side(row, real) {
            Some(side) => smallvec![side],
            None => arguments(&self.model.relations[row.index()]),
        }
    }

    /// All rows that compute the value of a real between events, be it for a part of the time.
    pub(super) fn values(&self, real: RealId) -> impl Iterator<Item = RelationId> {
        let writers = self.model.writers(real);
        writers.filter(|row| {
            let relation = &self.model.relations[row.index()];
            let is_value = matches!(relation.procedure.get().body, Body::Value(_));
            let activity = self.activity(relation);
            is_value && matches!(activity, Activity::Always | Activity::Sometimes)
        })
    }

    fn activity(&self, relation: &Relation) -> Activity {
        if acts_at_events(self.model, relation) {
            return Activity::AtEvents;
        }
        match &relation.guard {
            Guard::Always => Activity::Always,
            Guard::When(all) => self.conjunction(all),
            Guard::Otherwise => {
                let target = relation.targets[0];
                let others = self.model.writers(target).filter_map(|row| {
                    let other = &self.model.relations[row.index()];
                    match &other.guard {
                        Guard::When(all) if !acts_at_events(self.model, other) => {
                            Some(self.conjunction(all))
                        }
                        _ => None,
                    }
                });
                let mut activity = Activity::Always;
                for other in others {
                    match other {
                        Activity::Always => return Activity::Never,
                        Activity::Sometimes => activity = Activity::Sometimes,
                        Activity::Never | Activity::AtEvents => {}
                    }
                }
                activity
            }
        }
    }

    fn conjunction(&self, all: &[Literal]) -> Activity {
        let mut activity = Activity::Always;
        for literal in all {
            match self.literal(*literal) {
                Some(true) => {}
                Some(false) => return Activity::Never,
                None => activity = Activity::Sometimes,
            }
        }
        activity
    }

    /// The truth of a literal while the row holds; `None` if that leaves it open.
    fn literal(&self, literal: Literal) -> Option<bool> {
        let own = self.holds.iter().find(|own| own.what == literal.what);
        if let Some(own) = own {
            return Some(own.negated == literal.negated);
        }
        // One state of a machine is true at a time.
        let Boolean::Switch(state) = literal.what else {
            return None;
        };
        let machines = self.model.structure.machines.iter();
        let mut machines = machines.filter(|machine| machine.states.contains(&state));
        let machine = machines.next()?;
        let in_another = self.holds.iter().any(|own| {
            matches!(own.what, Boolean::Switch(other) if !own.negated && machine.states.contains(&other))
        });
        in_another.then_some(literal.negated)
    }
}

/// The expressions of a row's arguments that are real.
fn arguments(relation: &Relation) -> SmallVec<[ExprId; 3]> {
    let real = |argument: &Argument| match argument {
        Argument::Real(expr) => Some(*expr),
        Argument::Boolean(_) => None,
    };
    relation.args.iter().filter_map(real).collect()
}

/// The other side of an equation of a row whose one side is a real; if nothing stands there that the row is solved for.
fn side(exprs: &Exprs, relation: &Relation, real: RealId) -> Option<ExprId> {
    if !relation.procedure.solves() || relation.bounds().is_some() {
        return None;
    }
    let is_known = |side: &ExprId| {
        let mut reals = algebra::reals(exprs, *side).into_iter();
        !reals.any(|real| relation.targets.contains(&real))
    };
    let own = Expr::Real(real);
    let sides = arguments(relation).into_iter().filter_map(|equation| {
        let Expr::Sub(left, right) = exprs.get(equation) else {
            return None;
        };
        match (exprs.get(left) == own, exprs.get(right) == own) {
            (true, _) => Some(right),
            (_, true) => Some(left),
            _ => None,
        }
    });
    let mut known = sides.filter(is_known);
    known.next()
}

/// The value that a row computes for a real, as an expression.
pub(super) fn value_of(exprs: &mut Exprs, relation: &Relation, real: RealId) -> ExprId {
    if let Some(side) = side(exprs, relation, real) {
        return side;
    }
    let mut args = arguments(relation);
    let role = relation.procedure.get().coef;
    let coef = terms::coefficient(exprs, relation.coef);
    if matches!(role, CoefRole::ScalesFirst | CoefRole::ScalesBoth) {
        args[0] = terms::product(exprs, coef, args[0]);
    }
    if role == CoefRole::ScalesBoth {
        let second = terms::coefficient(exprs, relation.coef2);
        args[1] = terms::product(exprs, second, args[1]);
    }
    let value = terms::called(exprs, relation.procedure, &args);
    match role {
        CoefRole::ScalesResult => terms::product(exprs, coef, value),
        _ => value,
    }
}

/// The rate that a row gives its target, as an expression.
pub(super) fn rate_of(exprs: &mut Exprs, relation: &Relation) -> ExprId {
    let argument = arguments(relation)[0];
    let coef = terms::coefficient(exprs, relation.coef);
    match relation.procedure.get().body {
        Body::Memory(Memory::Smoothing) => {
            let state = exprs.push(Expr::Real(relation.targets[0]));
            let distance = exprs.push(Expr::Sub(argument, state));
            terms::quotient(exprs, distance, coef)
        }
        _ => terms::product(exprs, coef, argument),
    }
}
