//! Rows that are solved: each target must be found from an equation of its own, as it is written or after it was
//! differentiated.

use std::cell::OnceCell;
use std::collections::{BTreeMap, HashMap};

use situ_engine::graph::matching;
use situ_engine::ids::RealId;
use situ_engine::model::{Guard, Model, Reach, Relation, StartValues, Unreached};

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
    let start = OnceCell::new();
    for &at in &solved {
        diagnostics.extend(turned_bounds(model, at, &start, origins));
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
            let depends = reach.of_equations(model, relation);
            let occurs = equations
                .flat_map(|at| depends.reads(at))
                .any(|real| real == relation.targets[target]);
            let place = origins.get(relation.origin);
            diagnostics.extend(report::not_in_equation(name, &relation.id, occurs, place));
        }
    }
}

/// Reports bounds of numbers and constants of which the lower one is above the other. `start`: computed when it is first
/// asked for.
fn turned_bounds(
    model: &Model,
    row: usize,
    start: &OnceCell<Option<StartValues>>,
    origins: &Origins,
) -> Option<Diagnostic> {
    let relation = &model.relations[row];
    let bounds = relation.bounds()?;
    if !bounds.iter().all(|&bound| model.exprs.is_constant(bound)) {
        return None;
    }
    let start = start.get_or_init(|| model.start_values().ok()).as_ref()?;
    let [low, high] = bounds.map(|bound| model.evaluate(bound, start));
    let place = origins.get(relation.origin)?;
    (low > high).then(|| report::turned_bounds([low, high], place))
}

/// A target without an equation of its own, by its position: none is left after as many as possible have one.
fn unmatched(model: &Model, reach: &Reach, relation: &Relation) -> Option<usize> {
    let n = relation.targets.len();
    let position: HashMap<RealId, usize> = (relation.targets.iter().copied()).zip(0..).collect();
    // The equations that read a target; as a rule it is found from the one in its own place.
    let mut read_by: Vec<Vec<usize>> = vec![Vec::new(); n];
    let depends = reach.of_equations(model, relation);
    for equation in 0..n {
        for real in depends.reads(equation) {
            if let Some(&target) = position.get(&real) {
                let equations = &mut read_by[target];
                equations.push(equation);
                if equation == target {
                    let last = equations.len() - 1;
                    equations.swap(0, last);
                }
            }
        }
    }
    matching(&read_by).err()
}
