//! Looking for values that are not finite, after every tick and at little cost.
//!
//! A value that is not finite mostly spreads: whatever is added to it, its integral is not finite
//! either, and an integral stays so for good. So only those reals have to be looked at after every
//! tick from which nothing spreads ([`watched`]); the others are looked at now and then, and when
//! one of them is found, the ticks since the last look are run again to find the first.

use crate::backend::interpreter::Reals;
use crate::lower::Program;
use crate::tape::{Code, Op, Shape, Tape};

/// How often the way of a value from tick to tick is followed.
const ROUNDS: usize = 4;

/// Whether the values of these slots are finite.
///
/// `x * 0` is 0 for a finite x and NaN for any other, and a NaN survives every sum.
#[inline(always)]
pub(super) fn finite(reals: &(impl Reals + ?Sized), slots: &[u32]) -> bool {
    let mut sum = 0.0;
    for &slot in slots {
        sum += reals.value(slot) * 0.0;
    }
    sum == 0.0
}

/// Whether all these values are finite.
pub(super) fn all_finite(values: &[f64]) -> bool {
    const LANES: usize = 8;
    let (chunks, rest) = values.as_chunks::<LANES>();
    let mut sums = [0.0; LANES];
    for chunk in chunks {
        for (sum, value) in sums.iter_mut().zip(chunk) {
            *sum += value * 0.0;
        }
    }
    for (sum, value) in sums.iter_mut().zip(rest) {
        *sum += value * 0.0;
    }
    sums.iter().sum::<f64>() == 0.0
}

/// The reals that have to be looked at after every tick.
///
/// Promise: if after some tick a real is not finite, then after that tick one of these is not, or
/// after every later tick some real is not.
///
/// Cost: linear in the length of the tape.
pub(super) fn watched(program: &Program) -> Box<[u32]> {
    let tape = &program.tape;
    let ops = &tape.ops[..program.relations.end];
    let conditional = conditional(ops);
    let mut last_writer = vec![None; program.n_reals];
    // Reals that, once not finite, never become finite again. A real without a writer is finite.
    let mut noticed = vec![true; program.n_reals];
    for (position, op) in ops.iter().enumerate() {
        let Some(writer) = written(op).and_then(|slot| last_writer.get_mut(slot)) else {
            continue;
        };
        *writer = Some(position);
        let spreading = spreading(op);
        noticed[op.out as usize] &= spreading.contains(&Some(op.out));
    }
    for _ in 0..ROUNDS {
        let before = noticed.clone();
        one_round(tape, ops, &conditional, &last_writer, &mut noticed);
        if noticed == before {
            break;
        }
    }
    (0..)
        .zip(&noticed)
        .filter(|(_, noticed)| !**noticed)
        .map(|(slot, _)| slot)
        .collect()
}

/// Adds the reals whose value at the end of a tick spreads, in that tick or in the next one, to a
/// real that is noticed already.
fn one_round(
    tape: &Tape,
    ops: &[Op],
    conditional: &[bool],
    last_writer: &[Option<usize>],
    noticed: &mut [bool],
) {
    // Whether the value of a slot, as it stands between two ops, spreads to the end of the tick.
    let mut spreads = vec![false; tape.n_slots as usize];
    spreads[..noticed.len()].copy_from_slice(noticed);
    for (position, op) in ops.iter().enumerate().rev() {
        let Some(out) = written(op) else { continue };
        let result_spreads = spreads[out];
        if last_writer.get(out) == Some(&Some(position)) {
            noticed[out] |= result_spreads;
        }
        let spreading = spreading(op);
        let keeps_itself = spreading.contains(&Some(op.out));
        spreads[out] = result_spreads && keeps_itself;
        if result_spreads && !conditional[position] {
            for slot in spreading.into_iter().flatten() {
                spreads[slot as usize] = true;
            }
        }
    }
    for (noticed, spreads) in noticed.iter_mut().zip(spreads) {
        *noticed |= spreads;
    }
}

/// For each op whether there is a way around it.
fn conditional(ops: &[Op]) -> Vec<bool> {
    let mut jumped_to = 0;
    ops.iter()
        .enumerate()
        .map(|(position, op)| {
            let skipped = position < jumped_to;
            if op.code.shape() == Shape::Jump {
                jumped_to = jumped_to.max(op.out as usize);
            }
            skipped
        })
        .collect()
}

/// The slot that an op writes.
fn written(op: &Op) -> Option<usize> {
    match op.code.shape() {
        Shape::Unary | Shape::Binary | Shape::Update | Shape::Push => Some(op.out as usize),
        Shape::Due => Some(op.a as usize),
        Shape::Compare | Shape::Test | Shape::Rise | Shape::Bit | Shape::Jump => None,
    }
}

/// The operands of an op that, if not finite, make its result not finite whatever the others are.
fn spreading(op: &Op) -> [Option<u32>; 3] {
    let (a, b, old) = (Some(op.a), Some(op.b), Some(op.out));
    match op.code {
        Code::Copy
        | Code::Neg
        | Code::Abs
        | Code::Sqrt
        | Code::Floor
        | Code::Ln
        | Code::Sin
        | Code::Cos
        | Code::Tan
        | Code::Asin
        | Code::Acos
        | Code::SinDeg
        | Code::CosDeg
        | Code::TanDeg
        | Code::Div
        | Code::Mod => [a, None, None],
        Code::Add | Code::Sub | Code::Mul => [a, b, None],
        Code::AddMul | Code::Approach => [old, a, b],
        _ => [None; 3],
    }
}
