//! What equations depend on: the reals in them, those in the rows that compute these, and so on, through rows that
//! compute values and not through those with a memory.

use crate::ids::RealId;
use crate::model::{Argument, Expr, Model, Relation};
use crate::procedure::Body;

/// Per real the reals from which it follows without time passing.
#[derive(Clone, Debug)]
pub struct Reach {
    from: Vec<Vec<RealId>>,
}

impl Reach {
    /// The reach of all reals of a model.
    pub fn of(model: &Model) -> Self {
        let mut from = vec![Vec::new(); model.reals.len()];
        for relation in &model.relations {
            if matches!(relation.procedure.get().body, Body::Memory(_)) {
                continue;
            }
            // What a row solves for follows from all that it reads; what is solved elsewhere is known there.
            let mut read = Vec::new();
            for argument in &relation.args {
                if let Argument::Real(expr) = argument {
                    model.exprs.visit(*expr, |_, node| {
                        if let Expr::Real(real) = node {
                            read.push(*real);
                        }
                    });
                }
            }
            for target in &relation.targets {
                from[target.index()].extend(&read);
            }
        }
        for list in &mut from {
            list.sort_unstable();
            list.dedup();
        }
        Self { from }
    }

    /// The reals on which an equation of a row that is solved depends.
    pub fn reads(&self, model: &Model, relation: &Relation, equation: usize) -> Vec<RealId> {
        let mut open = Vec::new();
        if let Argument::Real(expr) = relation.args[equation] {
            model.exprs.visit(expr, |_, node| {
                if let Expr::Real(real) = node {
                    open.push(*real);
                }
            });
        }
        let mut seen = vec![false; model.reals.len()];
        let mut all = Vec::new();
        while let Some(real) = open.pop() {
            if !std::mem::replace(&mut seen[real.index()], true) {
                all.push(real);
                // A target of the row itself is an unknown there.
                if !relation.targets.contains(&real) {
                    open.extend(&self.from[real.index()]);
                }
            }
        }
        all
    }
}
