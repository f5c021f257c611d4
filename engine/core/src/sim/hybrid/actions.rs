//! Rows that act at events: each is lowered once and then run on the values that stand.

use crate::backend::interpreter::run_setup;
use crate::backend::value;
use crate::ids::RealId;
use crate::lower::flow::Flow;
use crate::lower::row::{RowTape, row_tape};
use crate::model::Model;

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

impl Actions {
    pub(super) fn new(model: &Model, flow: &Flow, constants: &[f64]) -> Self {
        let rows = flow
            .events
            .iter()
            .map(|event| {
                let relation = &model.relations[event.relation.index()];
                let tape = row_tape(model, relation, event.counts.is_some());
                let mut slots = vec![0.0; tape.tape.n_slots as usize];
                slots[tape.constants_at..][..constants.len()].copy_from_slice(constants);
                for &(slot, value) in &tape.tape.numbers {
                    slots[slot.index()] = value;
                }
                run_setup(&tape.tape, &mut slots);
                Action {
                    tape,
                    slots,
                    targets: relation.targets.to_vec(),
                }
            })
            .collect();
        Self { rows }
    }

    /// Does an event row: its values are computed first, then stored.
    pub(super) fn perform(&mut self, row: usize, t: f64, reals: &mut [f64]) {
        let Action {
            tape,
            slots,
            targets,
        } = &mut self.rows[row];
        slots[..reals.len()].copy_from_slice(reals);
        slots[tape.time.index()] = t;
        value::run(&tape.tape.ops, slots);
        for (target, slot) in targets.iter().zip(&tape.values) {
            reals[target.index()] = slots[slot.index()];
        }
    }
}
