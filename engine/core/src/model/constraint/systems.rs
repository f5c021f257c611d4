//! Rows that are solved together: each row that is solved, with those that stand in a circle with it, and circles of
//! rows without any.

use super::definitions::acts_at_events;
use crate::graph::components;
use crate::ids::{RealId, RelationId};
use crate::model::{Argument, Expr, Model};
use crate::procedure::Body;

/// Rows that are solved at once.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct System {
    /// The rows, in written order.
    pub rows: Vec<RelationId>,
    /// The reals that they find.
    pub unknowns: Vec<RealId>,
    /// The systems whose unknowns they read, by their place in the order of solution, be it through other rows.
    pub after: Vec<usize>,
}

impl Model {
    /// The systems of the rows between events, in the order in which they are solved, as if all rows acted at once.
    pub fn systems(&self) -> Vec<System> {
        let is_value = |row: &RelationId| {
            let relation = &self.relations[row.index()];
            let body = relation.procedure.get().body;
            !acts_at_events(self, relation) && matches!(body, Body::Value(_) | Body::Solve)
        };
        let all = (0..self.relations.len()).map(RelationId::new);
        let rows: Vec<RelationId> = all.filter(is_value).collect();
        let mut written: Vec<Vec<usize>> = vec![Vec::new(); self.reals.len()];
        for (at, row) in rows.iter().enumerate() {
            for target in &self.relations[row.index()].targets {
                written[target.index()].push(at);
            }
        }
        let reads: Vec<Vec<usize>> = (0..rows.len())
            .map(|at| self.rows_read(rows[at], at, &written))
            .collect();
        let mut systems: Vec<System> = Vec::new();
        // Per row the systems that it follows from.
        let mut follows: Vec<Vec<usize>> = vec![Vec::new(); rows.len()];
        for component in components(rows.len(), |at| reads[at].clone()) {
            let read = component.iter().flat_map(|&at| &reads[at]);
            let outside = read.filter(|other| !component.contains(other));
            let mut after: Vec<usize> = outside.flat_map(|&other| follows[other].clone()).collect();
            after.sort_unstable();
            after.dedup();
            let solves = |at: &usize| self.relations[rows[*at].index()].procedure.solves();
            let circular =
                component.len() > 1 || component.iter().any(|at| reads[*at].contains(at));
            if !circular && !component.iter().any(solves) {
                component
                    .iter()
                    .for_each(|&at| follows[at].clone_from(&after));
                continue;
            }
            let members: Vec<RelationId> = component.iter().map(|&at| rows[at]).collect();
            let targets = members
                .iter()
                .flat_map(|row| &self.relations[row.index()].targets);
            component
                .iter()
                .for_each(|&at| follows[at] = vec![systems.len()]);
            systems.push(System {
                unknowns: targets.copied().collect(),
                rows: members,
                after,
            });
        }
        systems
    }

    /// The rows whose values a row reads: of each real the nearest above, else the last below.
    fn rows_read(&self, row: RelationId, at: usize, written: &[Vec<usize>]) -> Vec<usize> {
        let relation = &self.relations[row.index()];
        let mut read = Vec::new();
        for argument in &relation.args {
            let Argument::Real(expr) = argument else {
                continue;
            };
            self.exprs.visit(*expr, |_, node| {
                let Expr::Real(real) = node else {
                    return;
                };
                if relation.procedure.solves() && relation.targets.contains(real) {
                    return;
                }
                let writers = &written[real.index()];
                let above = writers.iter().rfind(|other| **other < at);
                read.extend(above.or(writers.last()));
            });
        }
        read.sort_unstable();
        read.dedup();
        read
    }
}
