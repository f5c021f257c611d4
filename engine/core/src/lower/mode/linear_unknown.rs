//! A circle with one unknown that its equation has linearly -> operations that compute it: no iteration, and no loop.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::tape::{Assembler, Code, Op, Shape, Slot};

/// A value as a line over the unknown; `None` stands for 0.
#[derive(Clone, Copy, Debug)]
struct Line {
    /// Where the unknown is 0.
    at_zero: Option<Slot>,
    slope: Option<Slot>,
}

/// Puts operations that compute an unknown before those from `start` on, which read it. False, and nothing is changed, unless
/// the residual is a line over it that is not level.
///
/// The residual vanishes at the unknown up to the rounding of its terms.
pub(super) fn solved(asm: &mut Assembler, start: usize, unknown: Slot, residual: Slot) -> bool {
    let Some(reading) = reading(&asm.ops()[start..], unknown) else {
        return false;
    };
    if !reading.contains(&residual.0) {
        return false;
    }
    let (dependent, others): (Vec<Op>, Vec<Op>) =
        (asm.take_from(start).into_iter()).partition(|op| reading.contains(&op.out));
    let emit =
        |asm: &mut Assembler, op: &Op| asm.op_into(Slot(op.out), op.code, Slot(op.a), Slot(op.b));
    others.iter().for_each(|op| emit(asm, op));
    let one = asm.number(1.0);
    let mut lines = FxHashMap::default();
    lines.insert(
        unknown.0,
        Line {
            at_zero: None,
            slope: Some(one),
        },
    );
    for op in &dependent {
        let line = line(asm, op, &lines, one);
        lines.insert(op.out, line);
    }
    let Line { at_zero, slope } = lines[&residual.0];
    let zero = asm.number(0.0);
    let negative = asm.op(Code::Sub, zero, at_zero.unwrap_or(zero));
    asm.op_into(unknown, Code::Div, negative, slope.unwrap_or(zero));
    dependent.iter().for_each(|op| emit(asm, op));
    true
}

/// The results that are lines over an unknown; `None` if one that depends on it is none.
fn reading(ops: &[Op], unknown: Slot) -> Option<FxHashSet<u32>> {
    let mut lines = FxHashSet::default();
    lines.insert(unknown.0);
    for op in ops {
        let of = |slot: u32| lines.contains(&slot);
        let depends = match op.code.shape() {
            Shape::Unary => of(op.a),
            Shape::Binary => of(op.a) || of(op.b),
            _ => of(op.a) || of(op.b) || of(op.out),
        };
        if !depends {
            // A slot that is written again has no one value.
            if of(op.out) {
                return None;
            }
            continue;
        }
        let is_line = match op.code {
            Code::Copy | Code::Neg | Code::Add | Code::Sub => true,
            Code::Mul => !(of(op.a) && of(op.b)),
            Code::Div => !of(op.b),
            _ => false,
        };
        if !is_line || !lines.insert(op.out) {
            return None;
        }
    }
    Some(lines)
}

/// The line of an operation's result.
fn line(asm: &mut Assembler, op: &Op, lines: &FxHashMap<u32, Line>, one: Slot) -> Line {
    let own = |slot: u32| {
        let level = Line {
            at_zero: Some(Slot(slot)),
            slope: None,
        };
        lines.get(&slot).copied().unwrap_or(level)
    };
    let (a, b) = (own(op.a), own(op.b));
    let mut each = |left: Option<Slot>, right: Option<Slot>| match (op.code, left, right) {
        (Code::Copy, left, _) => left,
        (Code::Neg, left, _) => left.map(|left| asm.unary(Code::Neg, left)),
        (Code::Add, None, only) | (Code::Add | Code::Sub, only, None) => only,
        (Code::Sub, None, Some(right)) => Some(asm.unary(Code::Neg, right)),
        (Code::Mul, Some(left), Some(right)) if left == one => Some(right),
        (Code::Mul, Some(left), Some(right)) if right == one => Some(left),
        (code, Some(left), Some(right)) => Some(asm.op(code, left, right)),
        (_, None, _) | (_, _, None) => None,
    };
    let at_zero = each(a.at_zero, b.at_zero);
    let slope = match op.code {
        Code::Mul if a.slope.is_none() => each(a.at_zero, b.slope),
        Code::Mul | Code::Div => each(a.slope, b.at_zero),
        _ => each(a.slope, b.slope),
    };
    Line { at_zero, slope }
}
