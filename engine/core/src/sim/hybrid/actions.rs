//! Rows that act at events: each is lowered once and then run on the values that stand.

use crate::backend::interpreter::run_setup;
use crate::backend::value;
use crate::ids::RealId;
use crate::lower::flow::Flow;
use crate::lower::row::{RowTape, row_tape};
use crate::model::{Model, Relation, StartValues};
use crate::slices::write;

/// The event rows of a model, in written order.
#[derive(Clone, Debug)]
pub(super) struct Actions {
    rows: Vec<Action>,
}

#[derive(Clone, Debug)]
struct Action {
    tape: RowTape,
    slots: Vec<f64>,
    targets: Vec<RealId>,
}

/// The value of a row's first argument with its coefficient, at the start values.
pub(super) fn first_value(model: &Model, relation: &Relation, start: &StartValues) -> f64 {
    let mut action = Action::new(model, relation, false, &start.constants);
    action.run(0.0, &start.reals);
    action.slots[action.tape.values[0].index()]
}

impl Action {
    fn new(model: &Model, relation: &Relation, counts: bool, constants: &[f64]) -> Self {
        let tape = row_tape(model, relation, counts);
        let mut slots = vec![0.0; tape.tape.n_slots as usize];
        slots[tape.constants_at..][..constants.len()].copy_from_slice(constants);
        for &(slot, value) in &tape.tape.numbers {
            slots[slot.index()] = value;
        }
        run_setup(&tape.tape, &mut slots);
        Self {
            tape,
            slots,
            targets: relation.targets.to_vec(),
        }
    }

    fn run(&mut self, t: f64, reals: &[f64]) {
        write(&mut self.slots[..reals.len()], reals);
        self.slots[self.tape.time.index()] = t;
        value::run_reals(&self.tape.tape.ops, &mut self.slots);
    }
}

impl Actions {
    pub(super) fn new(model: &Model, flow: &Flow, constants: &[f64]) -> Self {
        let rows = flow
            .events
            .iter()
            .map(|event| {
                let relation = &model.relations[event.relation.index()];
                Action::new(model, relation, event.counts.is_some(), constants)
            })
            .collect();
        Self { rows }
    }

    /// Does an event row: its values are computed first, then stored. `wrote` hears of each real, its
    /// value before and after.
    pub(super) fn perform(
        &mut self,
        row: usize,
        t: f64,
        reals: &mut [f64],
        mut wrote: impl FnMut(RealId, f64, f64),
    ) {
        let action = &mut self.rows[row];
        action.run(t, reals);
        for (&target, slot) in action.targets.iter().zip(&action.tape.values) {
            let value = action.slots[slot.index()];
            let before = std::mem::replace(&mut reals[target.index()], value);
            wrote(target, before, value);
        }
    }
}
