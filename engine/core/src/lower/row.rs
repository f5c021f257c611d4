//! One relation -> a tape of its own that computes the values it writes at an event.

use super::emit::{Emitter, Reader};
use crate::ids::RealId;
use crate::model::{Model, Relation};
use crate::procedure::Body;
use crate::tape::{Assembler, Code, Slot, Tape};

/// The tape of a row.
#[derive(Clone, Debug)]
pub(crate) struct RowTape {
    pub(crate) tape: Tape,
    /// Slot of each target's new value.
    pub(crate) values: Vec<Slot>,
    pub(crate) time: Slot,
    pub(crate) constants_at: usize,
}

struct Present {
    time: Slot,
}

impl Reader for Present {
    fn real(&mut self, id: RealId, _: &mut Assembler) -> Slot {
        Slot::new(id.index())
    }

    fn time(&mut self, _: &mut Assembler) -> Slot {
        self.time
    }
}

/// Lowers a row for execution at an event. With `counts` it adds 1 to its target.
pub(crate) fn row_tape(model: &Model, relation: &Relation, counts: bool) -> RowTape {
    let constants_at = model.reals.len();
    let mut asm = Assembler::new(constants_at);
    for _ in &model.constants {
        asm.fixed_slot();
    }
    let time = asm.time();
    let mut emitter = Emitter {
        model,
        asm,
        constants_at,
    };
    let mut reader = Present { time };
    let values = if counts {
        let one = emitter.asm.number(1.0);
        let target = Slot::new(relation.targets[0].index());
        vec![emitter.asm.op(Code::Add, target, one)]
    } else if relation.targets.len() > 1 {
        emitter.arguments(relation, &mut reader)
    } else {
        match relation.procedure.get().body {
            Body::Value(emit) => {
                let args = emitter.arguments(relation, &mut reader);
                vec![emitter.value(relation, emit, args)]
            }
            // A sample; the readers of tables refuse all other memory at events.
            Body::Memory(_) => {
                let value = emitter.argument(relation, 0, &mut reader);
                vec![emitter.scaled(value, relation.coef)]
            }
        }
    };
    RowTape {
        tape: emitter.asm.finish(),
        values,
        time,
        constants_at,
    }
}
