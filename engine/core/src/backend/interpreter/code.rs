//! Ops as the interpreter executes them: with a note where the value of an operand is at hand.
//!
//! In a rule table most rows use the result of the row above. Read back from the array of reals, that
//! result costs the time of a store and a load, which on a chain of additions and multiplications
//! is most of the time of a tick. So the interpreter keeps the last result at hand, and
//! [`prepare`] marks the operands that are this result.

use std::ops::Range;

use crate::tape::{Code, Op, Shape, Tape};

/// An op with the operands marked that are the last result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Instruction {
    pub(crate) code: Code,
    /// Slot a holds the last result.
    pub(super) a_is_last: bool,
    /// Slot b holds the last result.
    pub(super) b_is_last: bool,
    pub(crate) out: u32,
    pub(super) a: u32,
    pub(super) b: u32,
}

/// Makes a part of a tape ready to be executed by itself, op by op in the same order.
///
/// Jumps must not leave the part but to its end.
pub(crate) fn prepare(tape: &Tape, part: Range<usize>) -> Box<[Instruction]> {
    instructions(&tape.ops[part.clone()], part.start)
}

/// The instructions of ops the first of which stands at `start` of its tape.
pub(super) fn instructions(ops: &[Op], start: usize) -> Box<[Instruction]> {
    let target = |op: &Op| (op.out as usize).saturating_sub(start).min(ops.len());
    let mut landed = vec![false; ops.len() + 1];
    for op in ops.iter().filter(|op| op.code.shape() == Shape::Jump) {
        landed[target(op)] = true;
    }
    let mut last_slot = None;
    ops.iter()
        .zip(landed)
        .map(|(op, landed)| {
            if landed {
                // The last result depends on the way that was taken.
                last_slot = None;
            }
            let shape = op.code.shape();
            let reads_a = !matches!(
                shape,
                Shape::Test | Shape::Rise | Shape::Bit | Shape::Jump | Shape::Due
            );
            let reads_b = matches!(shape, Shape::Binary | Shape::Update | Shape::Compare);
            let instruction = Instruction {
                code: op.code,
                a_is_last: reads_a && last_slot == Some(op.a),
                b_is_last: reads_b && last_slot == Some(op.b),
                out: match shape {
                    Shape::Jump => u32::try_from(target(op)).expect("not after `op.out`"),
                    _ => op.out,
                },
                a: op.a,
                b: op.b,
            };
            match shape {
                // It writes several slots, none of which is at hand.
                Shape::Push if op.code == Code::Solve => last_slot = None,
                Shape::Unary | Shape::Binary | Shape::Update | Shape::Push => {
                    last_slot = Some(op.out);
                }
                Shape::Due => last_slot = last_slot.filter(|&slot| slot != op.a),
                Shape::Compare | Shape::Test | Shape::Rise | Shape::Bit | Shape::Jump => {}
            }
            instruction
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn op(code: Code, out: u32, a: u32, b: u32) -> Op {
        Op { code, out, a, b }
    }

    #[test]
    fn instructions_are_as_small_as_ops() {
        assert_eq!(size_of::<Op>(), 16);
        assert_eq!(size_of::<Instruction>(), 16);
    }

    #[test]
    fn the_last_result_is_marked_unless_a_jump_lands() {
        let ops = [
            op(Code::Less, 1, 1, 2),
            op(Code::Mul, 3, 1, 1),
            op(Code::Add, 4, 3, 3),
            op(Code::SkipUnless, 6, 0, 0),
            op(Code::Sub, 5, 2, 4),
            op(Code::AddMul, 4, 5, 4),
            op(Code::Neg, 6, 4, 4),
            op(Code::Greater, 1, 6, 2),
            op(Code::Div, 7, 2, 6),
        ];
        let marks: Vec<(bool, bool)> = instructions(&ops, 0)
            .iter()
            .map(|instruction| (instruction.a_is_last, instruction.b_is_last))
            .collect();
        let (yes, no) = (true, false);
        let expected = [
            (no, no),
            (no, no),
            (yes, yes),
            (no, no),
            (no, yes),
            (yes, no),
            (no, no),
            (yes, no),
            (no, yes),
        ];
        assert_eq!(marks, expected);
    }

    #[test]
    fn parts_jump_within_themselves() {
        let tape = Tape {
            ops: vec![
                op(Code::SetBit, 0, 0, 0),
                op(Code::SkipUnless, 3, 0, 0),
                op(Code::ClearBit, 0, 0, 0),
            ],
            ..Tape::default()
        };
        assert_eq!(prepare(&tape, 1..3)[0].out, 2);
        assert_eq!(
            prepare(&tape, 0..2)[1].out,
            2,
            "jumps out of the part end it"
        );
    }
}
