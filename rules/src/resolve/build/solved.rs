//! Rows that are solved: each target must be found from an equation of its own.
//!
//! An equation depends on a target if the target stands in it, or in a row whose value it reads, and so on: through
//! rows that compute values, not through those with a memory.

use std::collections::BTreeMap;

use situ_engine::ids::RealId;
use situ_engine::model::{Argument, Expr, Guard, Model, Relation};
use situ_engine::procedure::Body;

use crate::diag::Diagnostic;
use crate::resolve::report;
use crate::source::Origins;

/// Reports targets that no equation can give, and reals that two rows solve for at once.
pub(super) fn check(model: &Model, origins: &Origins, diagnostics: &mut Vec<Diagnostic>) {
    let solved: Vec<usize> = (0..model.relations.len())
        .filter(|&at| model.relations[at].procedure.solves())
        .collect();
    if solved.is_empty() {
        return;
    }
    let reach = Reach::of(model);
    let mut always: BTreeMap<RealId, usize> = BTreeMap::new();
    for &at in &solved {
        let relation = &model.relations[at];
        if relation.guard == Guard::Always {
            for &target in &relation.targets {
                if let Some(first) = always.insert(target, at) {
                    let name = &model.reals[target.index()].name;
                    let rows = [at, first].map(|at| &model.relations[at]);
                    let places = rows.map(|row| origins.get(row.origin));
                    diagnostics.extend(report::solved_twice(
                        name,
                        rows.map(|row| &*row.id),
                        places,
                    ));
                }
            }
        }
        if let Some(target) = unmatched(model, &reach, relation) {
            let name = &model.reals[relation.targets[target].index()].name;
            let occurs = (0..relation.targets.len()).any(|equation| {
                reach
                    .reads(model, relation, equation)
                    .contains(&relation.targets[target])
            });
            let place = origins.get(relation.origin);
            diagnostics.extend(report::not_in_equation(name, &relation.id, occurs, place));
        }
    }
}

/// Per real the reals from which it follows without time passing.
struct Reach {
    from: Vec<Vec<RealId>>,
}

impl Reach {
    fn of(model: &Model) -> Self {
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

    /// The reals on which an equation depends.
    fn reads(&self, model: &Model, relation: &Relation, equation: usize) -> Vec<RealId> {
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

/// A target without an equation of its own, by its position: none is left after as many as possible have one
/// (augmenting paths).
fn unmatched(model: &Model, reach: &Reach, relation: &Relation) -> Option<usize> {
    let n = relation.targets.len();
    let reads: Vec<Vec<RealId>> = (0..n)
        .map(|equation| reach.reads(model, relation, equation))
        .collect();
    let mut taken: Vec<Option<usize>> = vec![None; n];
    (0..n).find(|&target| !augment(relation, &reads, target, &mut taken, &mut vec![false; n]))
}

fn augment(
    relation: &Relation,
    reads: &[Vec<RealId>],
    target: usize,
    taken: &mut [Option<usize>],
    tried: &mut [bool],
) -> bool {
    // Without recursion: a path of targets, each with the equation that it asks for next.
    let mut path = vec![(target, 0)];
    while let Some(&(target, next)) = path.last() {
        let free = (next..reads.len()).find(|&equation| {
            !tried[equation] && reads[equation].contains(&relation.targets[target])
        });
        let Some(equation) = free else {
            path.pop();
            continue;
        };
        path.last_mut().expect("it was looked at").1 = equation + 1;
        tried[equation] = true;
        match taken[equation] {
            Some(other) => path.push((other, 0)),
            None => {
                for &(target, next) in &path {
                    taken[next - 1] = Some(target);
                }
                return true;
            }
        }
    }
    false
}
