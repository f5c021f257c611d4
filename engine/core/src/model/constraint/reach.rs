//! What equations depend on: the reals in them, those in the rows that compute these, and so on, through rows that
//! compute values and not through those with a memory, but for the length of a delay.

use rustc_hash::FxHashSet;
use smallvec::SmallVec;

use crate::ids::RealId;
use crate::model::{Argument, Model, Relation};
use crate::procedure::Body;

/// Per real the reals from which it follows without time passing.
#[derive(Clone, Debug)]
pub struct Reach {
    /// Per row the reals that it reads.
    read: Vec<Vec<RealId>>,
    /// Per real the rows that compute it.
    writers: Vec<SmallVec<[u32; 1]>>,
}

/// What the equations of one row that is solved depend on.
#[derive(Clone, Debug)]
pub struct EquationReach<'m> {
    reach: &'m Reach,
    model: &'m Model,
    relation: &'m Relation,
    targets: FxHashSet<RealId>,
}

impl Reach {
    /// The reach of all reals of a model.
    pub fn of(model: &Model) -> Self {
        let mut read = vec![Vec::new(); model.relations.len()];
        let mut writers = vec![SmallVec::new(); model.reals.len()];
        for (number, (relation, read)) in (0..).zip(model.relations.iter().zip(&mut read)) {
            match relation.delay() {
                // How far back a delay reads it learns at the present time.
                Some(length) => model.exprs.each_real(length, |real| read.push(real)),
                None if matches!(relation.procedure.get().body, Body::Memory(_)) => continue,
                // What a row solves for follows from all that it reads; what is solved elsewhere is known there.
                None => {
                    for argument in &relation.args {
                        if let Argument::Real(expr) = argument {
                            model.exprs.each_real(*expr, |real| read.push(real));
                        }
                    }
                }
            }
            read.sort_unstable();
            read.dedup();
            for target in &relation.targets {
                writers[target.index()].push(number);
            }
        }
        Self { read, writers }
    }

    /// For the equations of a row that is solved.
    pub fn of_equations<'m>(
        &'m self,
        model: &'m Model,
        relation: &'m Relation,
    ) -> EquationReach<'m> {
        EquationReach {
            reach: self,
            model,
            relation,
            targets: relation.targets.iter().copied().collect(),
        }
    }
}

impl EquationReach<'_> {
    /// The reals on which an equation depends.
    pub fn reads(&self, equation: usize) -> Vec<RealId> {
        let mut open = Vec::new();
        if let Argument::Real(expr) = self.relation.args[equation] {
            self.model.exprs.each_real(expr, |real| open.push(real));
        }
        let mut seen = FxHashSet::default();
        let mut entered = FxHashSet::default();
        let mut all = Vec::new();
        while let Some(real) = open.pop() {
            if !seen.insert(real) {
                continue;
            }
            all.push(real);
            // A target of the row itself is an unknown there.
            if !self.is_target(real) {
                for &row in &self.reach.writers[real.index()] {
                    if entered.insert(row) {
                        open.extend(&self.reach.read[row as usize]);
                    }
                }
            }
        }
        all
    }

    /// True if the row is solved for this real.
    pub fn is_target(&self, real: RealId) -> bool {
        self.targets.contains(&real)
    }
}
