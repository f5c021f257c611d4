//! Start values that need themselves.

use std::collections::BTreeMap;

use situ_engine::ids::ExprId;
use situ_engine::model::{Expr, Model, Setting, StartError};

use super::merged::{Merged, declaration};
use super::report;
use crate::diag::Diagnostic;

/// Reports start values of a table, or of one of its cases, that need themselves.
pub(super) fn circular_starts(model: &Model, merged: &Merged, diagnostics: &mut Vec<Diagnostic>) {
    let n_constants = model.constants.len();
    let place = |quantity: &usize| {
        let (named, list, number) = match quantity.checked_sub(n_constants) {
            Some(real) => (&model.reals[real], &merged.reals, real),
            None => (&model.constants[*quantity], &merged.constants, *quantity),
        };
        let (written, _) = declaration(list, number)?;
        Some((&*named.name, written.name.span))
    };
    let circles = Starts::of(model, &[]).circles();
    let in_tables = !circles.is_empty();
    for circle in circles {
        let places: Vec<_> = circle.iter().filter_map(place).collect();
        diagnostics.push(report::circular_start(&places, None));
    }
    if in_tables {
        return;
    }
    // Through conditions of auxiliary reals.
    let has_auxiliary = model.reals.iter().any(|real| real.auxiliary);
    if has_auxiliary && let Err(StartError::Circular(names)) = model.start_values() {
        let all: Vec<&str> = model
            .constants
            .iter()
            .chain(&model.reals)
            .map(|one| &*one.name)
            .collect();
        let of = |name: &String| place(&all.iter().position(|one| one == name)?);
        let places: Vec<_> = names[1..].iter().filter_map(of).collect();
        diagnostics.push(report::circular_start(&places, None));
        return;
    }
    for (case, written) in model.cases.iter().zip(&merged.cases) {
        for circle in Starts::of(model, &case.set).circles() {
            let places: Vec<_> = circle.iter().filter_map(place).collect();
            diagnostics.push(report::circular_start(&places, Some(&written.name)));
        }
    }
}

/// The constants and reals of a model as one row of numbers: first the constants.
struct Starts<'m> {
    model: &'m Model,
    /// Start values that a case states.
    changed: BTreeMap<usize, ExprId>,
}

#[derive(Clone, Copy, PartialEq)]
enum Mark {
    Fresh,
    Open,
    Done,
}

impl<'m> Starts<'m> {
    fn of(model: &'m Model, settings: &[Setting]) -> Self {
        let mut changed = BTreeMap::new();
        for setting in settings {
            match *setting {
                Setting::Constant(id, value) => changed.insert(id.index(), value),
                Setting::Real(id, value) => {
                    changed.insert(model.constants.len() + id.index(), value)
                }
                Setting::Switch(..) => None,
            };
        }
        Self { model, changed }
    }

    /// The circles of start values, each quantity in one of them at most.
    fn circles(&self) -> Vec<Vec<usize>> {
        let n_quantities = self.model.constants.len() + self.model.reals.len();
        let n_read = |quantity| self.model.n_read(self.start_of(quantity));
        if (0..n_quantities).all(|quantity| n_read(quantity) <= quantity) {
            return Vec::new();
        }
        let mut marks = vec![Mark::Fresh; n_quantities];
        let mut circles: Vec<Vec<usize>> = Vec::new();
        let mut in_circle = vec![false; n_quantities];
        let mut path: Vec<(usize, Vec<usize>)> = Vec::new();
        for root in 0..n_quantities {
            if marks[root] != Mark::Fresh {
                continue;
            }
            marks[root] = Mark::Open;
            path.push((root, self.needed_by(root, &marks)));
            while let Some((quantity, needed)) = path.last_mut() {
                let quantity = *quantity;
                let Some(next) = needed.pop() else {
                    marks[quantity] = Mark::Done;
                    path.pop();
                    continue;
                };
                match marks[next] {
                    Mark::Done => {}
                    Mark::Fresh => {
                        marks[next] = Mark::Open;
                        path.push((next, self.needed_by(next, &marks)));
                    }
                    Mark::Open => {
                        let circle: Vec<usize> = path
                            .iter()
                            .map(|(quantity, _)| *quantity)
                            .skip_while(|quantity| *quantity != next)
                            .collect();
                        if !circle.iter().any(|quantity| in_circle[*quantity]) {
                            circle
                                .iter()
                                .for_each(|quantity| in_circle[*quantity] = true);
                            circles.push(circle);
                        }
                    }
                }
            }
        }
        circles
    }

    fn start_of(&self, quantity: usize) -> ExprId {
        let n_constants = self.model.constants.len();
        match self.changed.get(&quantity) {
            Some(changed) => *changed,
            None if quantity < n_constants => self.model.constants[quantity].start,
            None => self.model.reals[quantity - n_constants].start,
        }
    }

    /// What a start value reads that has not been looked at to its end.
    fn needed_by(&self, quantity: usize, marks: &[Mark]) -> Vec<usize> {
        let n_constants = self.model.constants.len();
        let start = self.start_of(quantity);
        let mut needed = Vec::new();
        if matches!(self.model.exprs.get(start), Expr::Number(_)) {
            return needed;
        }
        self.model.exprs.visit(start, |_, node| {
            let read = match node {
                Expr::Constant(id) => id.index(),
                Expr::Real(id) => n_constants + id.index(),
                _ => return,
            };
            if marks[read] != Mark::Done {
                needed.push(read);
            }
        });
        needed
    }
}
