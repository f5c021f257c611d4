//! The argument of a delay, and the pasts of the reals that it reads, -> a function of the time.

use crate::backend::history::{Before, HistoryFunction, TimeTape};
use crate::backend::interpreter::run_setup;
use crate::ids::RelationId;
use crate::lower::row::{RowTape, expression_tape, row_tape};
use crate::model::{Argument, Model, StartValues};

/// The past of what a delay takes in, if a real that it reads has one; others were what they are at the start.
pub(crate) fn before(model: &Model, delay: RelationId, start: &StartValues) -> Before {
    let relation = &model.relations[delay.index()];
    if !has_history_function(model, delay) {
        return Before::default();
    }
    let tape = row_tape(model, relation);
    let reals = tape.reads.iter().filter_map(|&(real, slot)| {
        let before = model.reals[real.index()].before?;
        Some((slot, time_tape(expression_tape(model, &[before]), start)))
    });
    let reals = reals.collect();
    Before::of(HistoryFunction::new(time_tape(tape, start), reals))
}

/// True if the argument of a delay reads a real of which the model tells what it was before the start.
pub(crate) fn has_history_function(model: &Model, delay: RelationId) -> bool {
    let Argument::Real(argument) = model.relations[delay.index()].args[0] else {
        return false;
    };
    let mut has_one = false;
    model.exprs.each_real(argument, |real| {
        has_one |= model.reals[real.index()].before.is_some();
    });
    has_one
}

fn time_tape(tape: RowTape, start: &StartValues) -> TimeTape {
    let mut slots = vec![0.0; tape.tape.n_slots as usize];
    for &(constant, slot) in &tape.constants {
        slots[slot.index()] = start.constants[constant.index()];
    }
    for &(real, slot) in &tape.reads {
        slots[slot.index()] = start.reals[real.index()];
    }
    for &(slot, value) in &tape.tape.numbers {
        slots[slot.index()] = value;
    }
    run_setup(&tape.tape, &mut slots);
    TimeTape {
        value: tape.values[0],
        time: tape.time,
        ops: tape.tape.ops,
        slots,
    }
}
