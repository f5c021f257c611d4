//! The computations of all margins -> those that one of them follows from (its cone of influence), run with rounding bounds.

use rustc_hash::FxHashMap;

use crate::backend::value::{RunningError, Value};
use crate::lower::mode::{Mode, Segment};
use crate::tape::{Op, Shape, Slot};

/// A margin that needs more operations is computed with all others.
const MOST: usize = 64;

/// What each margin is computed from.
#[derive(Clone, Debug)]
pub(super) struct Cones {
    ops: Vec<Op>,
    /// The operation that gives a slot.
    by_result: FxHashMap<u32, u32>,
    /// Positions of the operations that follow from [`Cones::find`], in their order.
    needed: Vec<u32>,
    results: FxHashMap<u32, RunningError<1>>,
}

impl Cones {
    /// Looks through the computations that margins need, in which no loop is.
    pub(super) fn of(mode: &Mode) -> Self {
        let segments = mode.tests.iter().filter_map(|segment| match segment {
            Segment::Ops(ops) => Some(ops.iter()),
            Segment::Loop(_) => None,
        });
        let ops: Vec<Op> = segments.flatten().copied().collect();
        let numbered = ops.iter().zip(0..);
        Self {
            by_result: numbered.map(|(op, number)| (op.out, number)).collect(),
            ops,
            needed: Vec::new(),
            results: FxHashMap::default(),
        }
    }

    /// Finds what a slot is computed from; false if that is much, or is no plain list of operations.
    pub(super) fn find(&mut self, slot: Slot) -> bool {
        self.needed.clear();
        self.needed.extend(self.by_result.get(&slot.0));
        let mut next = 0;
        while let Some(&position) = self.needed.get(next) {
            let op = self.ops[position as usize];
            if self.needed.len() > MOST || op.code.shape() == Shape::Update {
                return false;
            }
            for operand in operands(op) {
                self.needed.extend(self.by_result.get(&operand));
            }
            next += 1;
        }
        self.needed.sort_unstable();
        self.needed.dedup();
        true
    }

    /// The value of the slot that was found last.
    ///
    /// Shapes: `slots`: plain reals, inputs of the mode known.
    pub(super) fn run(&mut self, slot: Slot, slots: &[f64]) -> RunningError<1> {
        let results = &mut self.results;
        results.clear();
        let value = |results: &FxHashMap<u32, RunningError<1>>, slot: u32| {
            let known = results.get(&slot).copied();
            known.unwrap_or_else(|| RunningError::constant(slots[slot as usize]))
        };
        for &position in &self.needed {
            let op = self.ops[position as usize];
            let [a, b] = operands(op).map(|operand| value(results, operand));
            let old = RunningError::constant(0.0);
            results.insert(op.out, RunningError::apply(op.code, old, a, b));
        }
        value(results, slot.0)
    }
}

/// Both operands; the only one twice.
fn operands(op: Op) -> [u32; 2] {
    match op.code.shape() {
        Shape::Unary => [op.a, op.a],
        _ => [op.a, op.b],
    }
}
