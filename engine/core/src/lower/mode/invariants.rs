//! Loops that compute all of their rows -> loops that compute what depends on their unknowns, with the rest before them: loop-invariant code motion.
//!
//! What stays in a loop is run for each residual, and on derivatives for each unknown.

use std::collections::{HashMap, HashSet};

use super::{Loop, Segment};
use crate::tape::{Op, Shape};

/// Moves operations that depend on no unknown out of loops.
pub(super) fn moved_out(segments: Vec<Segment>) -> Vec<Segment> {
    let mut all = Vec::with_capacity(segments.len());
    for segment in segments {
        let Segment::Loop(inner) = segment else {
            all.push(segment);
            continue;
        };
        let (dependent, fixed) = split(&inner);
        if !fixed.is_empty() {
            all.push(Segment::Ops(fixed.into()));
        }
        all.push(Segment::Loop(Loop {
            ops: dependent.into(),
            ..inner
        }));
    }
    all
}

/// The operations of a loop that depend on its unknowns, and the others.
fn split(inner: &Loop) -> (Vec<Op>, Vec<Op>) {
    let mut writes: HashMap<u32, usize> = HashMap::new();
    for op in &*inner.ops {
        *writes.entry(op.out).or_default() += 1;
    }
    let mut moving: HashSet<u32> = inner.unknowns.iter().map(|(slot, _)| slot.0).collect();
    inner.ops.iter().partition(|op| {
        let reads: &[u32] = match op.code.shape() {
            Shape::Unary => &[op.a],
            Shape::Binary => &[op.a, op.b],
            _ => &[op.a, op.b, op.out],
        };
        // A slot that is written again is one of the loop's own.
        let depends = writes[&op.out] > 1 || reads.iter().any(|slot| moving.contains(slot));
        if depends {
            moving.insert(op.out);
        }
        depends
    })
}
