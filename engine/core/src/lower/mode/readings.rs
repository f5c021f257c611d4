//! Expressions that are read off a mode: what measures look at, as operations behind those of the mode.

use super::{Mode, Segment};
use crate::backend::interpreter::run_setup;
use crate::ids::{ExprId, RealId};
use crate::lower::emit::{Emitter, Reader};
use crate::model::Model;
use crate::tape::{Assembler, Code, Op, Shape, Slot};

/// Expressions of a mode.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Readings {
    /// For each its slot, and the operations, from states and what is held on, that it needs.
    pub(crate) each: Vec<(Slot, Vec<Op>)>,
    /// Slots behind those of the mode that never change, with their values.
    pub(crate) numbers: Vec<(Slot, f64)>,
    /// Number of slots, those of the mode included.
    pub(crate) n_slots: usize,
}

/// The versions of reals that stand in rows.
struct Standing<'m> {
    mode: &'m Mode,
    time: Slot,
}

impl Reader for Standing<'_> {
    fn real(&mut self, id: RealId, _: &mut Assembler) -> Slot {
        let mut algebraic = self.mode.algebraic.iter();
        let computed = algebraic.find(|(real, _)| *real == id);
        computed.map_or(Slot::new(id.index()), |(_, slot)| *slot)
    }

    fn time(&mut self, _: &mut Assembler) -> Slot {
        self.time
    }
}

impl Readings {
    /// `None` if the mode's computations go in circles.
    pub(crate) fn new(model: &Model, mode: &Mode, exprs: &[ExprId]) -> Option<Self> {
        let mut asm = Assembler::new(mode.tape.n_slots as usize);
        // Procedures ask the assembler for the time.
        let time = asm.time();
        asm.op_into(time, Code::Copy, mode.time, mode.time);
        let mut emitter = Emitter {
            model,
            asm,
            constants_at: mode.constants_at,
        };
        let mut reader = Standing { mode, time };
        let slots = exprs.iter().map(|&expr| emitter.expr(expr, &mut reader));
        let slots: Vec<Slot> = slots.collect();
        let tape = emitter.asm.finish();
        let mut ops = Vec::new();
        for segment in &mode.all {
            match segment {
                Segment::Ops(straight) => ops.extend_from_slice(straight),
                Segment::Loop(_) => return None,
            }
        }
        ops.extend_from_slice(&tape.ops);
        let mut values = vec![0.0; tape.n_slots as usize];
        for &(slot, value) in &tape.numbers {
            values[slot.index()] = value;
        }
        run_setup(&tape, &mut values);
        let computed = tape.setup.iter().map(|op| Slot(op.out));
        let computed = computed.map(|slot| (slot, values[slot.index()]));
        Some(Self {
            each: slots
                .iter()
                .map(|&slot| (slot, needed(&ops, slot)))
                .collect(),
            numbers: tape.numbers.iter().copied().chain(computed).collect(),
            n_slots: tape.n_slots as usize,
        })
    }
}

/// Those of some operations that the value of a slot behind all of them needs.
fn needed(ops: &[Op], slot: Slot) -> Vec<Op> {
    let mut wanted = std::collections::HashSet::from([slot.0]);
    let mut kept = Vec::new();
    for op in ops.iter().rev() {
        if !wanted.remove(&op.out) {
            continue;
        }
        wanted.insert(op.a);
        if op.code.shape() != Shape::Unary {
            wanted.insert(op.b);
        }
        if op.code.shape() == Shape::Update {
            wanted.insert(op.out);
        }
        kept.push(*op);
    }
    kept.reverse();
    kept
}
