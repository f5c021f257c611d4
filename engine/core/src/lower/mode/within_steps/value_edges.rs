//! Edges of values: from the operations of rows that rates do not need to the places beyond which these have no value. A
//! method does not evaluate them: its steps lead over such a place whatever is there. So they lead over one behind which a
//! delay has a length below 0 until the next place at which they read it.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::backend::value::{Jet, Value};
use crate::ids::{RealId, RelationId};
use crate::lower::border::BorderSource;
use crate::lower::mode::within_steps::{poles, results_of};
use crate::lower::mode::{Segment, VaryingDelay};
use crate::tape::{Code, Op, Slot, Tape};
use situ_solve::interval::Interval;

/// The exponential of anything larger is infinite.
const LARGEST_EXPONENT: f64 = 709.782_712_893_384;

/// What bounds of functions may exceed their values by: no sine is larger than 1.
const ROUNDING: f64 = 4.0 * f64::EPSILON;

/// The row in which an operation stands, and what that row writes.
pub(in crate::lower::mode) type Owner = (RelationId, RealId);

/// An operation that rates do not need, in a row, which has no value where what it reads is beyond an edge; or the length of a
/// delay.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct ValueEdge {
    pub(crate) operand: Slot,
    pub(crate) kind: EdgeKind,
    pub(crate) relation: RelationId,
    pub(crate) target: RealId,
}

/// Where an operation has no value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum EdgeKind {
    /// Where its operand is negative.
    Negative,
    /// Where its operand is negative, the length of a delay.
    Length,
    /// Where its exponential is beyond the largest number.
    Overflow,
    /// Where its operand is larger than 1 in size.
    Large,
    /// Where its operand is 0, about which it grows without bound.
    Pole,
    /// Where the cosine of its operand is 0, by this code; there it grows without bound.
    Tangent(Code),
}

impl EdgeKind {
    /// True if it has values on both sides.
    pub(crate) fn is_pole(self) -> bool {
        matches!(self, Self::Pole | Self::Tangent(_))
    }

    /// What is 0 on the edge, and positive where an operation has values if it has none beyond.
    pub(crate) fn margin<V: Value>(self, operand: V) -> V {
        let zero = V::constant(0.0);
        match self {
            Self::Negative | Self::Length | Self::Pole => operand,
            Self::Overflow => {
                let largest = V::constant(LARGEST_EXPONENT);
                V::apply(Code::Sub, zero, largest, operand)
            }
            Self::Large => {
                let square = V::apply(Code::Mul, zero, operand, operand);
                V::apply(Code::Sub, zero, V::constant(1.0), square)
            }
            Self::Tangent(cosine) => V::apply(cosine, zero, operand, zero),
        }
    }
}

/// True if an operation does not have values everywhere.
pub(in crate::lower::mode) fn is_limited(code: Code) -> bool {
    let has_pole = matches!(code, Code::Ln | Code::Div | Code::Tan | Code::TanDeg);
    has_pole || code == Code::Exp || code.root().is_some()
}

/// The positions of quotients in rows whose divisors have kinks in them and keep their signs by their bounds, if nothing but
/// values of reals that move nothing is computed from them. Rounding may leave a state beyond a kink, and a divisor there with
/// the other sign.
///
/// Shapes: `sites`: positions of operations with kinks, ascending; `limited`, `bounds`: as in [`find`]; `told`: the results that
/// the motion follows from, asked for if it matters.
pub(in crate::lower::mode) fn keep_signs(
    ops: &[Op],
    sites: &[(usize, BorderSource)],
    (limited, bounds): (&FxHashMap<u32, Owner>, &[Jet<1, Interval>]),
    told: impl FnOnce() -> FxHashSet<u32>,
) -> FxHashSet<usize> {
    let mut kept = FxHashSet::default();
    if limited.is_empty() || sites.is_empty() {
        return kept;
    }
    let mut bent = vec![false; bounds.len()];
    let mut sites = sites.iter().peekable();
    for (position, op) in ops.iter().enumerate() {
        let is_site = sites.next_if(|(at, _)| *at == position).is_some();
        let divisor = bounds[op.b as usize].0[0];
        let keeps_sign = divisor.lo() > 0.0 || divisor.hi() < 0.0;
        if op.code == Code::Div
            && bent[op.b as usize]
            && keeps_sign
            && limited.contains_key(&op.out)
        {
            kept.insert(position);
        }
        bent[op.out as usize] |= is_site || bent[op.a as usize] || bent[op.b as usize];
    }
    if !kept.is_empty() {
        let told = told();
        kept.retain(|position| !told.contains(&ops[*position].out));
    }
    kept
}

/// The edges of values among all computations. A root that has a border needs none.
///
/// Shapes: `owners`: per result of an operation that may have one its row; `delays`: those that vary; `bounds`: per slot,
/// whatever the reals are.
pub(in crate::lower::mode) fn find(
    [all, flow]: [&[Segment]; 2],
    (owners, delays): (&FxHashMap<u32, Owner>, &[VaryingDelay]),
    moving: &[Slot],
    tape: &Tape,
    bounds: &[Jet<1, Interval>],
    has_border: impl Fn(Slot) -> bool,
) -> Vec<ValueEdge> {
    let (mut edges, mut known) = (Vec::new(), FxHashSet::default());
    if owners.is_empty() && delays.is_empty() {
        return edges;
    }
    let needed = results_of(flow);
    let owner = |out: u32| owners.get(&out).filter(|_| !needed.contains(&out));
    let bound = |slot: Slot| {
        bounds
            .get(slot.index())
            .map_or(Interval::ENTIRE, |b| b.0[0])
    };
    let mut tangents: FxHashMap<u32, (u32, Code)> = FxHashMap::default();
    let mut add = |operand: Slot, kind: EdgeKind, &(relation, target): &Owner| {
        let edge = ValueEdge {
            operand,
            kind,
            relation,
            target,
        };
        if known.insert(edge) {
            edges.push(edge);
        }
    };
    poles::follow(all, moving.iter().copied(), tape, |op, moved, _| {
        for delay in delays.iter().filter(|delay| delay.at.0 == op.out) {
            if moved[1] && bound(delay.length).lo() < 0.0 {
                add(
                    delay.length,
                    EdgeKind::Length,
                    &(delay.relation, delay.target),
                );
            }
        }
        let Some(owner) = owner(op.out) else {
            return;
        };
        let operand = Slot(op.a);
        let [of, exponent] = [operand, Slot(op.b)].map(bound);
        let is_whole = exponent.lo() == exponent.hi() && exponent.lo().fract() == 0.0;
        let kind = match op.code {
            Code::Tan => {
                tangents.insert(op.out, (op.a, Code::Cos));
                return;
            }
            Code::TanDeg => {
                tangents.insert(op.out, (op.a, Code::CosDeg));
                return;
            }
            Code::Pow if is_whole => return,
            Code::Ln | Code::Sqrt | Code::Pow if of.lo() < 0.0 => EdgeKind::Negative,
            Code::Asin | Code::Acos if of.lo() < -1.0 - ROUNDING || of.hi() > 1.0 + ROUNDING => {
                EdgeKind::Large
            }
            Code::Exp if of.hi() > LARGEST_EXPONENT => EdgeKind::Overflow,
            _ => return,
        };
        if moved[0] && !has_border(operand) {
            add(operand, kind, owner);
        }
    });
    for pole in poles::find(all, moving.iter().copied(), tape) {
        let Some(owner) = owner(pole.quotient.0) else {
            continue;
        };
        match tangents.get(&pole.quotient.0) {
            Some(&(angle, cosine)) => add(Slot(angle), EdgeKind::Tangent(cosine), owner),
            None => {
                let divisor = bound(pole.divisor);
                if divisor.lo() < 0.0 && divisor.hi() > 0.0 {
                    add(pole.divisor, EdgeKind::Pole, owner);
                }
            }
        }
    }
    edges
}
