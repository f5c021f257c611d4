//! Ops as the interpreter executes them: with a note where the value of an operand is at hand.
//!
//! In a rule table most rows use the result of the row above. Read back from the array of reals, that
//! result costs the time of a store and a load, which on a chain of additions and multiplications
//! is most of the time of a tick. So the interpreter keeps the last result at hand, and
//! [`prepare`] marks the operands that are this result.

use std::ops::Range;

use super::SMALL_SLOTS;
use super::spans::{Span, roll};
use crate::tape::{Code, Op, Shape, Tape};

/// An op with the operands marked that are the last result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Instruction {
    /// Operation; `None`: the span `a`.
    pub(crate) code: Option<Code>,
    /// Slot a holds the last result.
    pub(super) a_is_last: bool,
    /// Slot b holds the last result.
    pub(super) b_is_last: bool,
    pub(crate) out: u32,
    pub(super) a: u32,
    pub(super) b: u32,
}

impl Instruction {
    fn span(number: u32) -> Self {
        Self {
            code: None,
            a_is_last: false,
            b_is_last: false,
            out: 0,
            a: number,
            b: 0,
        }
    }
}

/// Makes a part of a tape ready to be executed by itself, op by op in the same order.
///
/// Jumps must not leave the part but to its end.
pub(crate) fn prepare(tape: &Tape, part: Range<usize>) -> Box<[Instruction]> {
    instructions(&tape.ops[part.clone()], part.start, &[])
}

/// A part of a tape made ready, with statements of one shape as spans.
#[derive(Debug)]
pub(crate) struct Rolled {
    pub(crate) code: Box<[Instruction]>,
    pub(crate) spans: Box<[Span]>,
}

impl Rolled {
    /// Makes a part of a tape ready as [`prepare`] does. A small tape, whose bits may stand in a register, has no spans.
    pub(crate) fn new(tape: &Tape, part: Range<usize>) -> Self {
        let rolled = if tape.n_slots as usize > SMALL_SLOTS {
            roll(tape, part.clone())
        } else {
            Vec::new()
        };
        let (ranges, spans): (Vec<Range<usize>>, Vec<Span>) = rolled.into_iter().unzip();
        Self {
            code: instructions(&tape.ops[part.clone()], part.start, &ranges),
            spans: spans.into(),
        }
    }

    /// About how many instructions take as long.
    pub(crate) fn cost(&self) -> usize {
        self.code.len() + self.spans.iter().map(Span::cost).sum::<usize>()
    }
}

/// The instructions of ops the first of which stands at `start` of its tape; those of a span are one instruction.
fn instructions(ops: &[Op], start: usize, spans: &[Range<usize>]) -> Box<[Instruction]> {
    let target = |op: &Op| (op.out as usize).saturating_sub(start).min(ops.len());
    let mut landed = vec![false; ops.len() + 1];
    for op in ops.iter().filter(|op| op.code.shape() == Shape::Jump) {
        landed[target(op)] = true;
    }
    let places = places(ops.len(), start, spans);
    let mut instructions = Vec::with_capacity(places[ops.len()] as usize);
    let mut spans = (0..).zip(spans).peekable();
    let mut last_slot = None;
    let mut at = 0;
    while let Some(op) = ops.get(at) {
        if let Some((number, span)) = spans.next_if(|(_, span)| span.start == start + at) {
            instructions.push(Instruction::span(number));
            last_slot = None;
            at += span.len();
            continue;
        }
        if landed[at] {
            // The last result depends on the way that was taken.
            last_slot = None;
        }
        let shape = op.code.shape();
        let reads_a = !matches!(
            shape,
            Shape::Test | Shape::Rise | Shape::Bit | Shape::Jump | Shape::Due
        );
        let reads_b = matches!(shape, Shape::Binary | Shape::Update | Shape::Compare);
        instructions.push(Instruction {
            code: Some(op.code),
            a_is_last: reads_a && last_slot == Some(op.a),
            b_is_last: reads_b && last_slot == Some(op.b),
            out: match shape {
                Shape::Jump => places[target(op)],
                _ => op.out,
            },
            a: op.a,
            b: op.b,
        });
        match shape {
            // It writes several slots, none of which is at hand.
            Shape::Push if op.code == Code::Solve => last_slot = None,
            Shape::Unary | Shape::Binary | Shape::Update | Shape::Push => {
                last_slot = Some(op.out);
            }
            Shape::Due => last_slot = last_slot.filter(|&slot| slot != op.a),
            Shape::Compare | Shape::Test | Shape::Rise | Shape::Bit | Shape::Jump => {}
        }
        at += 1;
    }
    instructions.into()
}

/// For each of n ops, and their end, the place of the instruction that executes it.
fn places(n: usize, start: usize, spans: &[Range<usize>]) -> Vec<u32> {
    let mut places = Vec::with_capacity(n + 1);
    let (mut place, mut spans) = (0, spans.iter().peekable());
    for at in start..=start + n {
        places.push(place);
        while spans.next_if(|span| span.end <= at).is_some() {}
        let goes_on = |span: &&&Range<usize>| span.start <= at && at + 1 < span.end;
        place += u32::from(spans.peek().filter(goes_on).is_none());
    }
    places
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
        let marks: Vec<(bool, bool)> = instructions(&ops, 0, &[])
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
