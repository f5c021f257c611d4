//! Ops as lanes execute them: conditional parts have an end, conjunctions are lists of bits, and what the
//! ticks of 64 runs need not do twice is done once.

use std::collections::HashMap;
use std::ops::Range;

use super::chain::{Chained, Link, Step};
use super::instruction::{ALWAYS, Action, Instruction, number};
use crate::tape::{Code, Op, Shape, Slot, Tape, Test};

/// A bit with the value that it must have.
#[derive(Clone, Copy, Debug)]
pub(super) struct Literal {
    pub(super) bit: u32,
    /// All ones if it must be false.
    pub(super) flip: u64,
}

/// Literals all of which hold. Most have one, which is at hand.
#[derive(Clone, Debug)]
pub(super) struct Conjunction {
    pub(super) first: Option<Literal>,
    /// Positions of the other literals.
    pub(super) rest: Range<u32>,
}

/// A part of a tape made ready for lanes.
#[derive(Clone, Debug)]
pub(crate) struct LaneCode {
    pub(super) ops: Box<[Instruction]>,
    /// Links of the chains.
    pub(super) links: Box<[Link]>,
    /// The test at each place.
    pub(super) tests: Box<[Conjunction]>,
    /// Further literals of tests.
    pub(super) literals: Box<[Literal]>,
    /// Nesting depth of conditional parts.
    pub(super) depth: usize,
}

impl LaneCode {
    /// Makes ops of a tape ready. `None` if they jump out of a conditional part elsewhere than at its end,
    /// or beyond the last of them.
    pub(crate) fn new(tape: &Tape, part: Range<usize>) -> Option<Self> {
        let ops: Vec<(usize, Op)> = part.clone().zip(tape.ops[part].iter().copied()).collect();
        Self::of(tape, &ops)
    }

    /// The ticks that follow the first one: as [`LaneCode::new`] without ops that give in every tick what
    /// they gave in the first. Slots that are set from outside of the tape are named.
    ///
    /// `kept`: whether what an op writes into a slot is read by others than the ops of the tape; the op may
    /// stand in a conditional part.
    pub(crate) fn after_first(
        tape: &Tape,
        part: Range<usize>,
        set: &[Slot],
        kept: impl Fn(u32, bool) -> bool,
    ) -> Option<Self> {
        let ops = part.clone().zip(tape.ops[part.clone()].iter().copied());
        let (steady, _) = steady(tape, part, set);
        let ops: Vec<(usize, Op)> = ops
            .zip(steady)
            .filter(|(_, steady)| !steady)
            .map(|(op, _)| op)
            .collect();
        let mut code = Self::of(tape, &ops)?;
        let schedules = tape.periods.iter();
        let schedules = schedules.flat_map(|own| [own.period.0, own.first.0, own.step.0]);
        let schedules: Vec<u32> = schedules.collect();
        let kept = |slot, conditional| kept(slot, conditional) || schedules.contains(&slot);
        code.chain(&reads(tape, &tape.ops), kept);
        Some(code)
    }

    /// The slots by which ops of a part divide and which hold, after the first tick, the same for the whole run.
    pub(crate) fn divisors(tape: &Tape, part: Range<usize>, set: &[Slot]) -> Vec<u32> {
        let (_, is_fixed) = steady(tape, part.clone(), set);
        let divides = tape.ops[part].iter().filter(|op| op.code == Code::Div);
        let fixed = divides
            .map(|op| op.b)
            .filter(|&slot| is_fixed[slot as usize]);
        let mut slots: Vec<u32> = fixed.collect();
        slots.sort_unstable();
        slots.dedup();
        slots
    }

    /// The same with chains that divide by some slots by means of their reciprocals.
    pub(crate) fn with_reciprocals(&self, divisors: &[u32]) -> Self {
        let mut code = self.clone();
        for link in &mut code.links {
            if let (Step::Div, Ok(place)) = (link.step, divisors.binary_search(&link.slot)) {
                (link.step, link.reciprocal) = (Step::Over, number(place));
            }
        }
        code
    }

    /// Makes ops of no tape ready, which go straight on.
    ///
    /// `kept`: whether a slot is read by others than these ops.
    pub(crate) fn of_ops(tape: &Tape, ops: &[Op], kept: impl Fn(u32) -> bool) -> Option<Self> {
        let list: Vec<(usize, Op)> = ops.iter().copied().enumerate().collect();
        let mut code = Self::of(tape, &list)?;
        code.chain(&reads(tape, ops), |slot, _| kept(slot));
        Some(code)
    }

    /// Puts arithmetic into chains.
    ///
    /// Shapes: `reads`: per slot how many operands read it.
    fn chain(&mut self, reads: &[u32], kept: impl Fn(u32, bool) -> bool) {
        let chained = Chained::new(&self.ops, |slot, conditional| {
            reads.get(slot as usize) == Some(&1) && !kept(slot, conditional)
        });
        (self.ops, self.links) = (chained.ops.into(), chained.links.into());
    }

    /// Ops with their positions in the tape.
    fn of(tape: &Tape, ops: &[(usize, Op)]) -> Option<Self> {
        let end_of_part = ops.last().map_or(0, |(position, _)| position + 1);
        let mut list: Vec<Instruction> = Vec::with_capacity(ops.len());
        // Where each open part ends, and the instruction that enters it.
        let mut open: Vec<(usize, usize)> = Vec::new();
        let mut depth = 0;
        let mut known = Known::default();
        for &(position, op) in ops {
            close(&mut list, &mut open, position);
            if op.code.shape() == Shape::Jump {
                let end = op.out as usize;
                let outer = open.last().map_or(end_of_part, |&(end, _)| end);
                if end > outer {
                    return None;
                }
                list.push(Instruction {
                    does: Action::Op(op.code),
                    guard: ALWAYS,
                    out: 0,
                    a: op.a,
                    b: number(open.len()),
                    c: 0,
                });
                open.push((end, list.len() - 1));
                depth = depth.max(open.len());
            } else if !known.holds_already(&op, open.is_empty()) {
                append(&mut list, op);
            }
        }
        close(&mut list, &mut open, end_of_part);
        let mut literals = Vec::new();
        let mut tests = Vec::with_capacity(tape.tests.len());
        for first in 0..tape.tests.len() {
            let rest = tape.tests[first].rest as usize;
            let words = &tape.tests[first..=first + rest];
            let mut own = words.iter().flat_map(literals_of);
            let (first, begin) = (own.next(), number(literals.len()));
            literals.extend(own);
            let rest = begin..number(literals.len());
            tests.push(Conjunction { first, rest });
        }
        Some(Self {
            ops: list.into(),
            links: Box::default(),
            tests: tests.into(),
            literals: literals.into(),
            depth,
        })
    }
}

/// Ends the parts that end here.
fn close(list: &mut Vec<Instruction>, open: &mut Vec<(usize, usize)>, position: usize) {
    while let Some((_, enters)) = open.pop_if(|(end, _)| *end <= position) {
        let [enter, inside @ ..] = &mut list[enters..] else {
            return;
        };
        match inside {
            [] => drop(list.pop()),
            [only] if only.guard == ALWAYS && only.does != Action::Leave => {
                only.guard = enter.a;
                list.remove(enters);
            }
            _ => {
                let kept = enter.b;
                enter.out = number(enters + inside.len() + 2);
                list.push(Instruction {
                    does: Action::Leave,
                    guard: ALWAYS,
                    out: 0,
                    a: 0,
                    b: kept,
                    c: 0,
                });
            }
        }
    }
}

/// Appends an op; sine and cosine of one angle become one instruction.
fn append(list: &mut Vec<Instruction>, op: Op) {
    let Op { code, out, a, b } = op;
    if let Some(last) = list.last_mut()
        && last.guard == ALWAYS
        && last.a == a
        && last.out != a
        && last.out != out
    {
        let (sine, cosine) = match (last.does, code) {
            (Action::Op(Code::Sin), Code::Cos) => (last.out, out),
            (Action::Op(Code::Cos), Code::Sin) => (out, last.out),
            _ => (out, out),
        };
        if sine != cosine {
            (last.does, last.out, last.b) = (Action::SineAndCosine, sine, cosine);
            return;
        }
    }
    list.push(Instruction {
        does: Action::Op(code),
        guard: ALWAYS,
        out,
        a,
        b,
        c: 0,
    });
}

/// An operation, its operands, each a slot in a version, and the slot of its result.
type Operation = (Code, [(u32, u32); 2], u32);

/// Operations computed outside of conditional parts whose results are still in their slots.
#[derive(Default)]
struct Known {
    /// Number of times each slot was written.
    versions: HashMap<u32, u32>,
    /// The version of each operation's result.
    results: HashMap<Operation, u32>,
}

impl Known {
    fn version(&self, slot: u32) -> u32 {
        self.versions.get(&slot).copied().unwrap_or(0)
    }

    /// True if the slot of the op's result holds just that already; if not, notes what it will hold.
    fn holds_already(&mut self, op: &Op, is_outside: bool) -> bool {
        let Op { code, out, a, b } = *op;
        let key = match code.shape() {
            Shape::Unary => Some((code, [a, a].map(|slot| (slot, self.version(slot))), out)),
            Shape::Binary => Some((code, [a, b].map(|slot| (slot, self.version(slot))), out)),
            _ => None,
        };
        if let Some(key) = key
            && self.results.get(&key) == Some(&self.version(out))
        {
            return true;
        }
        let Some(written) = written(op) else {
            return false;
        };
        let version = self.version(written) + 1;
        self.versions.insert(written, version);
        if let Some(key) = key
            && is_outside
        {
            self.results.insert(key, version);
        }
        false
    }
}

/// The slot that an op writes.
fn written(op: &Op) -> Option<u32> {
    match op.code.shape() {
        Shape::Unary | Shape::Binary | Shape::Update | Shape::Push => Some(op.out),
        Shape::Due => Some(op.a),
        Shape::Compare | Shape::Test | Shape::Rise | Shape::Bit | Shape::Jump => None,
    }
}

/// Per slot how many operands of some ops read it.
fn reads(tape: &Tape, ops: &[Op]) -> Vec<u32> {
    let mut reads = vec![0_u32; tape.n_slots as usize];
    let mut note = |slot: u32| {
        if let Some(reads) = reads.get_mut(slot as usize) {
            *reads += 1;
        }
    };
    for op in ops {
        match op.code.shape() {
            Shape::Unary | Shape::Push | Shape::Due => note(op.a),
            Shape::Binary | Shape::Compare => [op.a, op.b].into_iter().for_each(&mut note),
            Shape::Update => [op.a, op.b, op.out].into_iter().for_each(&mut note),
            Shape::Test | Shape::Rise | Shape::Bit | Shape::Jump => {}
        }
    }
    reads
}

/// For each op whether it gives in every tick what it gave in the first: an operation on values that are
/// the same for the whole run, whose result nobody else writes. And for each slot whether it holds the same from then on.
fn steady(tape: &Tape, part: Range<usize>, set: &[Slot]) -> (Vec<bool>, Vec<bool>) {
    let mut writers = vec![0_u32; tape.n_slots as usize];
    for slot in set {
        writers[slot.index()] += 1;
    }
    let ops = &tape.ops[part.clone()];
    for slot in ops.iter().filter_map(written) {
        writers[slot as usize] += 1;
    }
    let mut is_fixed: Vec<bool> = writers.iter().map(|&writers| writers == 0).collect();
    let mut jumped_to = 0;
    let steady = (part.start..).zip(ops).map(|(position, op)| {
        let is_conditional = position < jumped_to;
        let fixed = |slot: u32| is_fixed[slot as usize];
        let is_steady = match op.code.shape() {
            Shape::Jump => {
                jumped_to = jumped_to.max(op.out as usize);
                false
            }
            Shape::Unary => fixed(op.a),
            Shape::Binary => fixed(op.a) && fixed(op.b),
            _ => false,
        };
        let is_steady = is_steady && !is_conditional && writers[op.out as usize] == 1;
        if is_steady {
            is_fixed[op.out as usize] = true;
        }
        is_steady
    });
    let steady = steady.collect();
    (steady, is_fixed)
}

/// Literals that a test requires. A value outside of the mask never comes: a bit that must be true
/// and false.
fn literals_of(test: &Test) -> impl Iterator<Item = Literal> {
    let Test {
        word, mask, value, ..
    } = *test;
    let ones = |word: u64| (0..64).filter(move |bit| word >> bit & 1 == 1);
    let literal = move |bit: u32, wanted: bool| Literal {
        bit: word * 64 + bit,
        flip: if wanted { 0 } else { !0 },
    };
    let possible = ones(mask).map(move |bit| literal(bit, value >> bit & 1 == 1));
    let impossible = ones(value & !mask);
    let impossible = impossible.flat_map(move |bit| [literal(bit, true), literal(bit, false)]);
    possible.chain(impossible)
}

#[cfg(test)]
mod tests {
    use super::super::chain::NOWHERE;
    use super::*;

    fn op(code: Code, out: u32, a: u32, b: u32) -> Op {
        Op { code, out, a, b }
    }

    fn tape(ops: Vec<Op>) -> Tape {
        let test = Test {
            word: 0,
            rest: 0,
            mask: 0,
            value: 0,
        };
        Tape {
            rows: vec![0; ops.len()],
            ops,
            tests: vec![test],
            n_slots: 10,
            n_bits: 4,
            ..Tape::default()
        }
    }

    fn done(code: &LaneCode) -> Vec<Action> {
        code.ops.iter().map(|op| op.does).collect()
    }

    #[test]
    fn conditional_parts_end_where_jumps_land() {
        let set = |bit| op(Code::SetBit, bit, 0, 0);
        let tape = tape(vec![
            op(Code::SkipUnless, 5, 0, 0),
            set(0),
            op(Code::SkipUnless, 5, 0, 0),
            set(1),
            set(2),
            set(3),
        ]);
        let code = LaneCode::new(&tape, 0..6).unwrap();
        let (skip, set) = (Action::Op(Code::SkipUnless), Action::Op(Code::SetBit));
        assert_eq!(
            done(&code),
            [skip, set, skip, set, set, Action::Leave, Action::Leave, set]
        );
        assert_eq!((code.ops[0].out, code.ops[2].out, code.depth), (7, 6, 2));
        assert_eq!((code.ops[5].b, code.ops[6].b), (1, 0));
    }

    #[test]
    fn a_part_of_one_op_becomes_its_guard() {
        let tape = tape(vec![
            op(Code::SkipUnless, 2, 0, 0),
            op(Code::Mul, 3, 1, 2),
            op(Code::SkipUnless, 3, 0, 0),
        ]);
        let code = LaneCode::new(&tape, 0..3).unwrap();
        assert_eq!(done(&code), [Action::Op(Code::Mul)]);
        assert_eq!(code.ops[0].guard, 0);
    }

    #[test]
    fn parts_that_overlap_are_refused() {
        let tape = tape(vec![
            op(Code::SkipUnless, 2, 0, 0),
            op(Code::SkipUnless, 3, 0, 0),
            op(Code::SetBit, 0, 0, 0),
            op(Code::SetBit, 0, 0, 0),
        ]);
        assert!(LaneCode::new(&tape, 0..4).is_none());
        let jumps_out = LaneCode::new(&tape, 0..1);
        assert!(jumps_out.is_none());
    }

    #[test]
    fn what_is_known_is_not_computed_again() {
        let tape = tape(vec![
            op(Code::Div, 5, 1, 2),
            op(Code::Sin, 3, 5, 5),
            op(Code::Div, 5, 1, 2),
            op(Code::Cos, 4, 5, 5),
            op(Code::Add, 1, 1, 2),
            op(Code::Div, 5, 1, 2),
            op(Code::SkipUnless, 8, 0, 0),
            op(Code::Neg, 6, 5, 5),
            op(Code::Neg, 6, 5, 5),
        ]);
        let code = LaneCode::new(&tape, 0..9).unwrap();
        let [div, neg] = [Code::Div, Code::Neg].map(Action::Op);
        assert_eq!(
            done(&code),
            [
                div,
                Action::SineAndCosine,
                Action::Op(Code::Add),
                div,
                neg,
                neg
            ]
        );
        assert_eq!((code.ops[1].out, code.ops[1].a, code.ops[1].b), (3, 5, 4));
    }

    #[test]
    fn what_is_steady_is_left_out_after_the_first_tick() {
        let tape = tape(vec![
            op(Code::Neg, 4, 3, 3),
            op(Code::Mul, 3, 1, 2),
            op(Code::Add, 5, 3, 1),
            op(Code::Add, 6, 9, 1),
            op(Code::SkipUnless, 6, 0, 0),
            op(Code::Copy, 7, 1, 1),
        ]);
        let code = LaneCode::after_first(&tape, 0..6, &[Slot(9)], |_, _| true).unwrap();
        let ops: Vec<u32> = code.ops.iter().map(|op| op.out).collect();
        assert_eq!(ops, [4, 6, 7]);
    }

    #[test]
    fn what_only_the_next_op_reads_is_not_stored() {
        let ops = [
            op(Code::Mul, 3, 1, 2),
            op(Code::Sub, 4, 1, 3),
            op(Code::AddMul, 5, 2, 4),
            op(Code::Div, 6, 5, 5),
            op(Code::Copy, 7, 6, 6),
            op(Code::Floor, 8, 7, 7),
            op(Code::Add, 9, 1, 2),
        ];
        let tape = tape(Vec::new());
        let code = LaneCode::of_ops(&tape, &ops, |slot| slot == 4).unwrap();
        assert_eq!(
            done(&code),
            [
                Action::Chain,
                Action::Op(Code::Floor),
                Action::Op(Code::Add)
            ]
        );
        assert_eq!(code.ops[0].a, 1);
        let links = code
            .links
            .iter()
            .map(|link| (link.step, link.slot, link.store));
        assert_eq!(
            links.collect::<Vec<_>>(),
            [
                (Step::Mul, 2, NOWHERE),
                (Step::From, 1, 4),
                (Step::Mul, 2, NOWHERE),
                (Step::Add, 5, 5),
                (Step::Div, 5, 7),
            ]
        );
    }

    #[test]
    fn a_chain_has_one_guard() {
        let mut tape = tape(vec![
            op(Code::Mul, 3, 1, 2),
            op(Code::SkipUnless, 3, 0, 0),
            op(Code::Mul, 4, 3, 2),
            op(Code::SkipUnless, 5, 0, 0),
            op(Code::Mul, 3, 4, 2),
        ]);
        tape.n_slots = 5;
        let code = LaneCode::after_first(&tape, 0..5, &[Slot(1)], |_, _| false).unwrap();
        assert_eq!(done(&code), [Action::Op(Code::Mul), Action::Chain]);
        let guards: Vec<u32> = code.ops.iter().map(|op| op.guard).collect();
        assert_eq!(guards, [ALWAYS, 0]);
    }
}
