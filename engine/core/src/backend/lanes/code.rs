//! Ops as lanes execute them: conditional parts have an end, conjunctions are lists of bits.

use std::ops::Range;

use crate::tape::{Code, Op, Shape, Tape, Test};

/// What an instruction does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Do {
    /// An op of the tape. [`Code::SkipUnless`] enters a conditional part.
    Op(Code),
    /// A conditional part ends.
    Leave,
}

/// An op made ready. What its numbers index depends on what it does, as for an [`Op`]; a conditional part
/// names in `out` the instruction behind its end, and has a number, in `b`, for what it keeps.
#[derive(Clone, Copy, Debug)]
pub(super) struct Instruction {
    pub(super) does: Do,
    /// Whether it stands in a conditional part.
    pub(super) conditional: bool,
    pub(super) out: u32,
    pub(super) a: u32,
    pub(super) b: u32,
}

/// A bit with the value that it must have.
#[derive(Clone, Copy, Debug)]
pub(super) struct Literal {
    pub(super) bit: u32,
    /// All ones if it must be false.
    pub(super) flip: u64,
}

/// A part of a tape made ready for lanes.
#[derive(Clone, Debug)]
pub(crate) struct LaneCode {
    pub(super) ops: Box<[Instruction]>,
    /// Where the literals of the test at each place begin and end.
    pub(super) tests: Box<[Range<u32>]>,
    pub(super) literals: Box<[Literal]>,
    /// How deep conditional parts stand in each other.
    pub(super) depth: usize,
}

impl LaneCode {
    /// Makes a part of a tape ready. `None` if it jumps out of a conditional part elsewhere than at its
    /// end, or out of the part.
    pub(crate) fn new(tape: &Tape, part: Range<usize>) -> Option<Self> {
        let mut ops: Vec<Instruction> = Vec::with_capacity(part.len());
        // Where each open part ends, and the instruction that enters it.
        let mut open: Vec<(usize, usize)> = Vec::new();
        let mut depth = 0;
        for position in part.start..=part.end {
            while let Some(&(end, enters)) = open.last()
                && end == position
            {
                open.pop();
                let kept = ops[enters].b;
                ops.push(Instruction {
                    does: Do::Leave,
                    conditional: false,
                    out: 0,
                    a: 0,
                    b: kept,
                });
                ops[enters].out = number(ops.len());
            }
            if position == part.end {
                break;
            }
            let Op { code, out, a, b } = tape.ops[position];
            let mut instruction = Instruction {
                does: Do::Op(code),
                conditional: !open.is_empty(),
                out,
                a,
                b,
            };
            if code.shape() == Shape::Jump {
                let end = out as usize;
                let outer = open.last().map_or(part.end, |&(end, _)| end);
                if end > outer {
                    return None;
                }
                instruction.b = number(open.len());
                open.push((end, ops.len()));
                depth = depth.max(open.len());
            }
            ops.push(instruction);
        }
        let mut literals = Vec::new();
        let mut tests = Vec::with_capacity(tape.tests.len());
        for first in 0..tape.tests.len() {
            let begin = number(literals.len());
            let rest = tape.tests[first].rest as usize;
            literals.extend(
                tape.tests[first..=first + rest]
                    .iter()
                    .flat_map(literals_of),
            );
            tests.push(begin..number(literals.len()));
        }
        Some(Self {
            ops: ops.into(),
            tests: tests.into(),
            literals: literals.into(),
            depth,
        })
    }
}

/// What must hold of the bits of a word. A value outside of the mask never comes: a bit that must be true
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

fn number(index: usize) -> u32 {
    u32::try_from(index).expect("a tape has fewer than 2^31 ops")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn op(code: Code, out: u32, a: u32) -> Op {
        Op { code, out, a, b: 0 }
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
            n_bits: 4,
            ..Tape::default()
        }
    }

    #[test]
    fn conditional_parts_end_where_jumps_land() {
        let tape = tape(vec![
            op(Code::SkipUnless, 4, 0),
            op(Code::SetBit, 0, 0),
            op(Code::SkipUnless, 4, 0),
            op(Code::SetBit, 1, 0),
            op(Code::SetBit, 2, 0),
        ]);
        let code = LaneCode::new(&tape, 0..5).unwrap();
        let does: Vec<(Do, u32)> = code.ops.iter().map(|op| (op.does, op.b)).collect();
        let skip = Do::Op(Code::SkipUnless);
        let set = (Do::Op(Code::SetBit), 0);
        assert_eq!(
            does,
            [
                (skip, 0),
                set,
                (skip, 1),
                set,
                (Do::Leave, 1),
                (Do::Leave, 0),
                set
            ]
        );
        assert_eq!((code.ops[0].out, code.ops[2].out, code.depth), (6, 5, 2));
    }

    #[test]
    fn parts_that_overlap_are_refused() {
        let tape = tape(vec![
            op(Code::SkipUnless, 2, 0),
            op(Code::SkipUnless, 3, 0),
            op(Code::SetBit, 0, 0),
            op(Code::SetBit, 0, 0),
        ]);
        assert!(LaneCode::new(&tape, 0..4).is_none());
        assert!(
            LaneCode::new(&tape, 0..1).is_none(),
            "a jump out of the part"
        );
    }
}
