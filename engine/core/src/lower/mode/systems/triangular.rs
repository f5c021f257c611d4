//! Equations in several unknowns -> systems of fewer, each of which reads the unknowns of those before it: the block
//! triangular form. Loops in the tape -> what depends on their unknowns, and the rest before them.
//!
//! Source: I. S. Duff, J. K. Reid, ACM Transactions on Mathematical Software 4 (1978) 137.

use std::collections::{HashMap, HashSet};

use rustc_hash::FxHashMap;

use crate::backend::sparse_derivatives::FEW;
use crate::graph::{components, matching};
use crate::lower::mode::{Loop, Segment};
use crate::tape::{Op, Shape, Slot};

/// Systems in the order in which they are solved.
#[derive(Debug)]
pub(in crate::lower::mode) struct Triangular {
    /// Operations that read no unknown.
    pub(in crate::lower::mode) free: Vec<Op>,
    pub(in crate::lower::mode) systems: Vec<System>,
}

/// Equations that are solved together.
#[derive(Debug)]
pub(in crate::lower::mode) struct System {
    /// Its unknowns and equations, by their numbers in the whole.
    pub(in crate::lower::mode) unknowns: Vec<usize>,
    pub(in crate::lower::mode) equations: Vec<usize>,
    /// Operations from its unknowns to its residuals.
    pub(in crate::lower::mode) ops: Vec<Op>,
    /// What else follows from its unknowns.
    pub(in crate::lower::mode) behind: Vec<Op>,
}

/// Takes equations apart; `None` if they are one system, have no solution by their structure, or are too many for it to pay.
///
/// Shapes: `unknowns`, `residuals`: as many slots of each.
pub(in crate::lower::mode) fn taken_apart(
    ops: &[Op],
    unknowns: &[Slot],
    residuals: &[Slot],
) -> Option<Triangular> {
    let n = unknowns.len();
    if !(2..=FEW).contains(&n) {
        return None;
    }
    let reads = unknowns_read(ops, unknowns)?;
    let read = |slot: u32| reads.get(&slot).copied().unwrap_or(0);
    let has = |set: u32, unknown: usize| set >> unknown & 1 == 1;
    let equations: Vec<u32> = residuals.iter().map(|slot| read(slot.0)).collect();
    let read_by: Vec<Vec<usize>> = (0..n)
        .map(|unknown| {
            let all = [unknown]
                .into_iter()
                .chain((0..n).filter(|&at| at != unknown));
            all.filter(|&equation| has(equations[equation], unknown))
                .collect()
        })
        .collect();
    let equation_of = matching(&read_by).ok()?;
    let order = components(n, |unknown| {
        let set = equations[equation_of[unknown]];
        (0..n)
            .filter(|&other| other != unknown && has(set, other))
            .collect()
    });
    if order.len() == 1 {
        return None;
    }
    let mut place = vec![0; n];
    for (at, members) in order.iter().enumerate() {
        members.iter().for_each(|&unknown| place[unknown] = at);
    }
    let mut by_place: Vec<Vec<Op>> = vec![Vec::new(); order.len()];
    let mut free = Vec::new();
    for op in ops {
        let set = read(op.out);
        match (0..n)
            .filter(|&unknown| has(set, unknown))
            .map(|unknown| place[unknown])
            .max()
        {
            Some(place) => by_place[place].push(*op),
            None => free.push(*op),
        }
    }
    let systems = order.into_iter().zip(by_place).map(|(unknowns, ops)| {
        let equations: Vec<usize> = unknowns
            .iter()
            .map(|&unknown| equation_of[unknown])
            .collect();
        let (ops, behind) = divided(ops, equations.iter().map(|&at| residuals[at].0).collect());
        System {
            unknowns,
            equations,
            ops,
            behind,
        }
    });
    Some(Triangular {
        free,
        systems: systems.collect(),
    })
}

/// Of each slot that depends on unknowns the set of these; `None` if a slot is written more than once.
fn unknowns_read(ops: &[Op], unknowns: &[Slot]) -> Option<FxHashMap<u32, u32>> {
    let mut reads: FxHashMap<u32, u32> = FxHashMap::default();
    for (number, slot) in unknowns.iter().enumerate() {
        reads.insert(slot.0, 1 << number);
    }
    for op in ops {
        let of = |slot: u32| reads.get(&slot).copied().unwrap_or(0);
        let set = match op.code.shape() {
            Shape::Unary => of(op.a),
            Shape::Binary => of(op.a) | of(op.b),
            _ => return None,
        };
        if reads.insert(op.out, set).is_some() {
            return None;
        }
    }
    Some(reads)
}

/// The operations on which some slots depend, and the others.
fn divided(ops: Vec<Op>, mut wanted: Vec<u32>) -> (Vec<Op>, Vec<Op>) {
    let (mut needed, mut others) = (Vec::new(), Vec::new());
    for op in ops.into_iter().rev() {
        if wanted.contains(&op.out) {
            wanted.extend([op.a, op.b]);
            needed.push(op);
        } else {
            others.push(op);
        }
    }
    needed.reverse();
    others.reverse();
    (needed, others)
}

/// Moves operations that depend on no unknown out of loops (loop-invariant code motion): what stays in a loop is run for each
/// residual, and on derivatives for each unknown.
pub(in crate::lower::mode) fn moved_out(segments: Vec<Segment>) -> Vec<Segment> {
    let mut all = Vec::with_capacity(segments.len());
    for segment in segments {
        let Segment::Loop(inner) = segment else {
            all.push(segment);
            continue;
        };
        let unknowns = inner.unknowns.iter().map(|(slot, _)| *slot);
        let [dependent, fixed] = split(&inner.ops, unknowns, |op| *op);
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

/// What depends on the unknowns of a loop, and the rest, each in its order.
pub(in crate::lower::mode) fn split<T: Clone>(
    ops: &[T],
    unknowns: impl Iterator<Item = Slot>,
    op: impl Fn(&T) -> Op,
) -> [Vec<T>; 2] {
    let mut writes: HashMap<u32, usize> = HashMap::new();
    for one in ops {
        *writes.entry(op(one).out).or_default() += 1;
    }
    let mut moving: HashSet<u32> = unknowns.map(|slot| slot.0).collect();
    let (dependent, fixed) = ops.iter().cloned().partition(|one| {
        let op = op(one);
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
    });
    [dependent, fixed]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tape::Code;

    /// Unknowns 0 to 3, residuals 10 to 13: the first two together, then the third, then the last.
    #[test]
    fn what_is_found_first_stands_first() {
        let op = |code, out, a, b| Op { code, out, a, b };
        let ops = [
            op(Code::Mul, 10, 3, 2),
            op(Code::Add, 20, 0, 1),
            op(Code::Mul, 11, 20, 1),
            op(Code::Exp, 21, 5, 5),
            op(Code::Sub, 12, 20, 21),
            op(Code::Add, 13, 2, 0),
            op(Code::Sin, 22, 2, 2),
        ];
        let slots = |all: std::ops::Range<u32>| all.map(Slot).collect::<Vec<_>>();
        let found = taken_apart(&ops, &slots(0..4), &slots(10..14)).unwrap();
        let numbers = |one: &System| {
            let mut equations = one.equations.clone();
            equations.sort_unstable();
            (
                one.unknowns.clone(),
                equations,
                one.ops.len(),
                one.behind.len(),
            )
        };
        let systems: Vec<_> = found.systems.iter().map(numbers).collect();
        let expected = [
            (vec![0, 1], vec![1, 2], 3, 0),
            (vec![2], vec![3], 1, 1),
            (vec![3], vec![0], 1, 0),
        ];
        assert_eq!((systems, found.free.len()), (expected.to_vec(), 1));
        assert!(taken_apart(&ops[..5], &slots(0..4), &slots(10..14)).is_none());
    }
}
