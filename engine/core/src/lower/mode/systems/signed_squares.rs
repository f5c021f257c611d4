//! Equations in which an unknown q stands in `q * abs(q)` or `sign(q) * q^2` alone -> the same in that signed square.
//!
//! So is the drop of pressure along a pipe given by its flow. Where the flow turns, q has an infinite slope and the equation
//! none, so that no solution is followed through; its square passes 0 as the pressures do, and q is the signed root of that.

use rustc_hash::FxHashSet;
use smallvec::{SmallVec, smallvec};

use crate::tape::{Code, Op, Shape, Slot};

/// Operations of an equation, in the signed square of its unknown.
#[derive(Debug)]
pub(in crate::lower::mode) struct InSquare {
    pub(in crate::lower::mode) ops: Vec<Op>,
    /// The places of the size or sign of the unknown, and of its square or product, which are no more.
    pub(in crate::lower::mode) gone: [usize; 2],
}

/// Rewrites operations that read an unknown in one signed square; `None` if they read it otherwise.
///
/// Shapes: `square`: the slot of the signed square; `one`: a slot that holds 1; `is_two`: whether a slot holds 2.
pub(in crate::lower::mode) fn in_signed_square(
    ops: &[Op],
    unknown: Slot,
    [square, one]: [Slot; 2],
    is_two: impl Fn(Slot) -> bool,
) -> Option<InSquare> {
    let readers = |slot: u32| -> Vec<usize> {
        let all = ops.iter().enumerate();
        let reading = all.filter(|(_, op)| operands(op).contains(&slot));
        reading.map(|(at, _)| at).collect()
    };
    let q = unknown.0;
    let [first, second] = readers(q)[..] else {
        return None;
    };
    let is_kink = |at: usize| matches!(ops[at].code, Code::Abs | Code::Sign);
    let (kink, other) = match (is_kink(first), is_kink(second)) {
        (true, false) => (first, second),
        (false, true) => (second, first),
        _ => return None,
    };
    let is_square = |op: &Op| match op.code {
        Code::Mul => op.a == q && op.b == q,
        Code::Pow => op.a == q && is_two(Slot(op.b)),
        _ => false,
    };
    // The factor with which the size or the sign of the unknown is to be multiplied, before it is read.
    let factor = match (ops[kink].code, is_square(&ops[other])) {
        (Code::Abs, false) => q,
        (Code::Sign, true) => ops[other].out,
        _ => return None,
    };
    let mut moving = FxHashSet::from_iter([q]);
    for op in ops {
        if operands(op).iter().any(|slot| moving.contains(slot)) {
            moving.insert(op.out);
        }
    }
    // Follows a factor through products with what does not depend on the unknown, to the one with what does.
    let meets = |mut slot: u32| loop {
        let own = readers(slot).into_iter().filter(|at| *at != kink);
        let [at] = own.collect::<Vec<_>>()[..] else {
            return None;
        };
        let Op { code, out, a, b } = ops[at];
        let partner = match code {
            Code::Neg => {
                slot = out;
                continue;
            }
            Code::Mul if a == slot => b,
            Code::Mul => a,
            Code::Div if a == slot && !moving.contains(&b) => b,
            _ => return None,
        };
        if moving.contains(&partner) {
            return Some(at);
        }
        slot = out;
    };
    if meets(factor)? != meets(ops[kink].out)? {
        return None;
    }
    let mut ops = ops.to_vec();
    let copy = |out: u32, of: Slot| Op {
        code: Code::Copy,
        out,
        a: of.0,
        b: of.0,
    };
    ops[kink] = copy(ops[kink].out, one);
    match ops[other].out == factor {
        true => ops[other] = copy(factor, square),
        false => {
            let Op { a, b, .. } = &mut ops[other];
            *(if *a == q { a } else { b }) = square.0;
        }
    }
    Some(InSquare {
        ops,
        gone: [kink, other],
    })
}

/// The slots that an operation reads.
fn operands(op: &Op) -> SmallVec<[u32; 3]> {
    match op.code.shape() {
        Shape::Unary => smallvec![op.a],
        Shape::Binary => smallvec![op.a, op.b],
        _ => smallvec![op.a, op.b, op.out],
    }
}
