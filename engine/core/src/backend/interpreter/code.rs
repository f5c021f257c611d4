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
