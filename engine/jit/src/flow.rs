//! Data flow of ops: the slots and bits that they read and write, and those that are read before they are written.

use situ_engine::tape::{Code, Op, Shape, Tape};
use smallvec::{SmallVec, smallvec};
use std::ops::Range;

/// Slots of an op.
pub(crate) type Slots = SmallVec<[u32; 4]>;

/// The slots that an op reads; a schedule's own are found at its period, those of equations at these.
pub(crate) fn slots_read(tape: &Tape, op: &Op) -> Slots {
    let (a, b) = (op.a, op.b);
    match op.code.shape() {
        Shape::Push if op.code == Code::Solve => {
            let row = &tape.solves[b as usize];
            let inputs = row.inputs.iter().map(|(from, _)| from.0);
            inputs
                .chain(row.unknowns.iter().map(|unknown| unknown.from.0))
                .collect()
        }
        Shape::Unary | Shape::Push => smallvec![a],
        Shape::Binary | Shape::Compare => smallvec![a, b],
        Shape::Update => smallvec![a, b, op.out],
        Shape::Due => {
            let period = tape.periods[b as usize];
            smallvec![a, period.period.0, period.first.0, period.step.0]
        }
        Shape::Test | Shape::Rise | Shape::Bit | Shape::Jump => Slots::new(),
    }
}

/// The slots that an op writes.
pub(crate) fn slots_written(tape: &Tape, op: &Op) -> Slots {
    match op.code.shape() {
        Shape::Push if op.code == Code::Solve => {
            let unknowns = tape.solves[op.b as usize].unknowns.iter();
            unknowns.map(|unknown| unknown.to.0).collect()
        }
        Shape::Unary | Shape::Binary | Shape::Update | Shape::Push => smallvec![op.out],
        Shape::Due => smallvec![op.a],
        Shape::Compare | Shape::Test | Shape::Rise | Shape::Bit | Shape::Jump => Slots::new(),
    }
}

/// The bits that an op writes.
pub(crate) fn bits_written(op: &Op) -> [Option<u32>; 2] {
    match op.code.shape() {
        Shape::Compare | Shape::Test | Shape::Bit | Shape::Due => [Some(op.out), None],
        Shape::Rise => [Some(op.out), Some(op.b)],
        Shape::Unary | Shape::Binary | Shape::Update | Shape::Push | Shape::Jump => [None; 2],
    }
}

/// The bits that an op reads besides those of its test.
fn own_bits_read(op: &Op) -> [Option<u32>; 2] {
    match op.code {
        Code::AndLess
        | Code::AndLessEqual
        | Code::AndGreater
        | Code::AndGreaterEqual
        | Code::OrTest => [Some(op.out), None],
        Code::Rise => [Some(op.out), Some(op.b)],
        _ => [None; 2],
    }
}

/// The test that an op reads.
pub(crate) fn test_read(op: &Op) -> Option<u32> {
    let looks = matches!(op.code.shape(), Shape::Test | Shape::Rise | Shape::Jump);
    looks.then_some(op.a)
}

/// The bits of a conjunction with the values they must have; `None` if it never holds.
pub(crate) fn literals(tape: &Tape, test: u32) -> Option<Vec<(u32, bool)>> {
    let first = test as usize;
    let last = first + tape.tests[first].rest as usize;
    let mut literals = Vec::new();
    for test in &tape.tests[first..=last] {
        if test.value & !test.mask != 0 {
            return None;
        }
        let bits = (0..64).filter(|bit| test.mask >> bit & 1 == 1);
        literals.extend(bits.map(|bit| (test.word * 64 + bit, test.value >> bit & 1 == 1)));
    }
    Some(literals)
}

/// A set of small numbers.
#[derive(Clone, Debug)]
pub(crate) struct Set(Vec<bool>);

impl Set {
    pub(crate) fn new(size: u32) -> Self {
        Self(vec![false; size as usize])
    }

    pub(crate) fn has(&self, index: u32) -> bool {
        self.0[index as usize]
    }

    pub(crate) fn add(&mut self, index: u32) {
        self.0[index as usize] = true;
    }

    /// Its members, in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = u32> {
        (0..)
            .zip(&self.0)
            .filter(|(_, has)| **has)
            .map(|(index, _)| index)
    }
}

/// A part of a tape.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Part {
    pub(crate) ops: Range<usize>,
    /// Ops before this one are done only if this test holds: the jump stands before the part.
    pub(crate) within: Option<(u32, usize)>,
}

impl Part {
    /// A part that no jump leads into.
    pub(crate) fn whole(ops: Range<usize>) -> Self {
        Self { ops, within: None }
    }

    /// Cuts ops into parts of about so many ops. A conditional part is cut only if its condition
    /// cannot have changed, so that it may be asked again.
    pub(crate) fn cut(tape: &Tape, ops: Range<usize>, size: usize) -> Vec<Self> {
        let mut parts = Vec::new();
        let mut part = Self::whole(ops.start..ops.start);
        let mut open: Vec<(u32, usize)> = Vec::new();
        let mut changes_bits = false;
        for position in ops.clone() {
            let op = &tape.ops[position];
            while open.last().is_some_and(|&(_, end)| end <= position) {
                open.pop();
            }
            let can_cut = open.is_empty() || open.len() == 1 && !changes_bits;
            if position - part.ops.start >= size && can_cut {
                part.ops.end = position;
                let next = Self {
                    ops: position..position,
                    within: open.first().copied(),
                };
                parts.push(std::mem::replace(&mut part, next));
            }
            if op.code.shape() == Shape::Jump {
                changes_bits &= !open.is_empty();
                open.push((op.a, op.out as usize));
            }
            changes_bits |= bits_written(op).iter().any(Option::is_some);
        }
        part.ops.end = ops.end;
        if !part.ops.is_empty() {
            parts.push(part);
        }
        parts
    }
}

/// Slots and bits that a part of a tape reads and writes.
#[derive(Clone, Debug)]
pub(crate) struct Flow {
    /// Slots whose value from before may be read.
    pub(crate) slots_needed: Set,
    /// Slots that are written.
    pub(crate) slots_written: Set,
    /// Bits whose value from before may be read.
    pub(crate) bits_needed: Set,
    /// Bits that are written.
    pub(crate) bits_written: Set,
}

impl Flow {
    /// Of the ops of a part. `given`: slots that have been written before it.
    pub(crate) fn of(tape: &Tape, part: &Part, given: &[u32]) -> Self {
        let mut flow = Self {
            slots_needed: Set::new(tape.n_slots),
            slots_written: Set::new(tape.n_slots),
            bits_needed: Set::new(tape.n_bits),
            bits_written: Set::new(tape.n_bits),
        };
        // Up to which op what was last written is certain to have been written.
        let mut slot_known = vec![0; tape.n_slots as usize];
        let mut bit_known = vec![0; tape.n_bits as usize];
        for &slot in given {
            slot_known[slot as usize] = usize::MAX;
        }
        let mut open: Vec<usize> = part.within.iter().map(|&(_, end)| end).collect();
        if let Some((test, _)) = part.within {
            for (bit, _) in literals(tape, test).unwrap_or_default() {
                flow.bits_needed.add(bit);
            }
        }
        for position in part.ops.clone() {
            let op = &tape.ops[position];
            while open.last().is_some_and(|&end| end <= position) {
                open.pop();
            }
            for slot in slots_read(tape, op) {
                if slot_known[slot as usize] <= position {
                    flow.slots_needed.add(slot);
                }
            }
            let tested = test_read(op).and_then(|test| literals(tape, test));
            let tested = tested.into_iter().flatten().map(|(bit, _)| bit);
            for bit in tested.chain(own_bits_read(op).into_iter().flatten()) {
                if bit_known[bit as usize] <= position {
                    flow.bits_needed.add(bit);
                }
            }
            let known_to = open.last().copied().unwrap_or(usize::MAX);
            for slot in slots_written(tape, op) {
                flow.slots_written.add(slot);
                let known = &mut slot_known[slot as usize];
                *known = known_to.max(*known);
            }
            for bit in bits_written(op).into_iter().flatten() {
                flow.bits_written.add(bit);
                let known = &mut bit_known[bit as usize];
                *known = known_to.max(*known);
            }
            if op.code.shape() == Shape::Jump {
                open.push(op.out as usize);
            }
        }
        flow
    }
}

/// True if every jump ends within the one around it.
pub(crate) fn is_nested(tape: &Tape) -> bool {
    let mut open: Vec<usize> = Vec::new();
    for (position, op) in tape.ops.iter().enumerate() {
        while open.last().is_some_and(|&end| end <= position) {
            open.pop();
        }
        if op.code.shape() == Shape::Jump {
            let end = op.out as usize;
            if open.last().is_some_and(|&around| end > around) {
                return false;
            }
            open.push(end);
        }
    }
    true
}

/// Bits of the ticks' ops such that, if none of them changes in a tick, no bit that the tick writes
/// does: a test of bits that do not change any more in the tick need not be done.
pub(crate) fn telling_bits(tape: &Tape, tick: Range<usize>) -> Vec<u32> {
    let n_bits = tape.n_bits as usize;
    let mut last_write = vec![None; n_bits];
    for (position, op) in tape.ops[tick.clone()].iter().enumerate() {
        for bit in bits_written(op).into_iter().flatten() {
            last_write[bit as usize] = Some(position);
        }
    }
    // Bits that follow from others in the same tick.
    let mut follows = vec![true; n_bits];
    let mut begun = vec![false; n_bits];
    let mut jumped_to = 0;
    for (position, op) in tape.ops[tick.clone()].iter().enumerate() {
        let is_test = match op.code {
            Code::Test => true,
            Code::OrTest => begun[op.out as usize],
            _ => false,
        };
        let settled = |bit: u32| last_write[bit as usize].is_none_or(|last| last < position);
        let tested = test_read(op)
            .and_then(|test| literals(tape, test))
            .unwrap_or_default();
        let fixed = is_test
            && tick.start + position >= jumped_to
            && tested.iter().all(|&(bit, _)| settled(bit));
        for bit in bits_written(op).into_iter().flatten() {
            follows[bit as usize] &= fixed;
            begun[bit as usize] = true;
        }
        if op.code.shape() == Shape::Jump {
            jumped_to = jumped_to.max(op.out as usize);
        }
    }
    (0..tape.n_bits)
        .filter(|&bit| last_write[bit as usize].is_some() && !follows[bit as usize])
        .collect()
}
