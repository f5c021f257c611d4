//! Rows that are solved: each target must be found from an equation of its own, as it is written or after it was
//! differentiated.

use std::collections::BTreeMap;

use situ_engine::ids::RealId;
use situ_engine::model::{Guard, Model, Reach, Relation, Unreached};

use crate::diag::Diagnostic;
use crate::resolve::report;
use crate::source::Origins;

/// Reports targets that no equation can give, and reals that two rows solve for at once.
///
/// `unreached`: equations of which no derivative has a target in it.
pub(super) fn check(
    model: &Model,
    unreached: &[Unreached],
    origins: &Origins,
    diagnostics: &mut Vec<Diagnostic>,
) {
    for one in unreached {
        diagnostics.extend(report::unreached(model, one, origins));
    }
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
        let is_reported = unreached.iter().any(|one| one.relation.index() == at);
        if let Some(target) = unmatched(model, &reach, relation).filter(|_| !is_reported) {
            let name = &model.reals[relation.targets[target].index()].name;
            let equations = 0..relation.targets.len();
            let depends = equations.map(|at| reach.reads(model, relation, at));
            let occurs = depends
                .flatten()
                .any(|real| real == relation.targets[target]);
            let place = origins.get(relation.origin);
            diagnostics.extend(report::not_in_equation(name, &relation.id, occurs, place));
        }
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
