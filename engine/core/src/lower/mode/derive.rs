//! The time derivative of a slot, as operations on the same tape.
//!
//! Follows the operations back to what moves by itself (states, the time, delays) and emits for
//! each the rule of differentiation. A loop is differentiated as a whole: the slopes of its unknowns
//! are the unknowns of a linear loop. Jumps have no slope: `sign`, `floor` and their like count as
//! standing still.

use super::Cut;
use crate::tape::{Assembler, Code, Op, Slot};
use rustc_hash::FxHashMap;
use situ_solve::lookup;

/// Derivatives known so far.
#[derive(Debug, Default)]
pub(super) struct AffineMarginDerivatives {
    /// Slot -> position of the op that computes it.
    made_by: FxHashMap<u32, usize>,
    /// Number of ops that `made_by` covers.
    covered: usize,
    /// Slot -> its slope; `None` stands for 0.
    known: FxHashMap<u32, Option<Slot>>,
    /// Cuts that have been differentiated.
    cuts: Vec<bool>,
}

impl AffineMarginDerivatives {
    /// True if slots that are computed from a place on have been differentiated.
    pub(super) fn covers(&self, start: usize) -> bool {
        self.covered > start
    }
}

/// Task of the depth-first differentiation; the last is done first.
enum Task {
    Visit(u32),
    Op(usize),
    Cut(usize),
}

/// The slope of a slot; `None` if it stands still.
///
/// `input`: the slope of a slot that no op computes. Loops met on the way get one of their own,
/// added to `cuts`.
pub(super) fn derive(
    asm: &mut Assembler,
    of: Slot,
    slopes: &mut AffineMarginDerivatives,
    cuts: &mut Vec<Cut>,
    input: impl Fn(Slot) -> Option<Slot>,
) -> Option<Slot> {
    for (position, op) in asm.ops().iter().enumerate().skip(slopes.covered) {
        slopes.made_by.insert(op.out, position);
    }
    slopes.covered = asm.len();
    slopes.cuts.resize(cuts.len(), false);
    let unknowns: FxHashMap<u32, usize> = cuts
        .iter()
        .enumerate()
        .flat_map(|(cut, inner)| inner.unknowns.iter().map(move |(slot, _)| (slot.0, cut)))
        .collect();
    let mut tasks = vec![Task::Visit(of.0)];
    while let Some(task) = tasks.pop() {
        match task {
            Task::Visit(slot) if slopes.known.contains_key(&slot) => {}
            Task::Visit(slot) => {
                let position = slopes.made_by.get(&slot).copied();
                let inside = position.and_then(|at| {
                    cuts.iter()
                        .position(|cut| (cut.start..cut.end).contains(&at))
                });
                let cut = inside.or_else(|| unknowns.get(&slot).copied());
                match (cut, position) {
                    (Some(cut), _) => {
                        if slopes.cuts[cut] {
                            continue;
                        }
                        tasks.push(Task::Cut(cut));
                        let ops = &asm.ops()[cuts[cut].start..cuts[cut].end];
                        let within = |slot: u32| {
                            ops.iter().any(|op| op.out == slot) || unknowns.get(&slot) == Some(&cut)
                        };
                        let operands = ops.iter().flat_map(|op| [op.a, op.b]);
                        tasks.extend(operands.filter(|&slot| !within(slot)).map(Task::Visit));
                    }
                    (None, Some(position)) => {
                        let Op { a, b, .. } = asm.ops()[position];
                        tasks.extend([Task::Op(position), Task::Visit(a), Task::Visit(b)]);
                    }
                    (None, None) => {
                        slopes.known.insert(slot, input(Slot(slot)));
                    }
                }
            }
            Task::Op(position) => {
                let op = asm.ops()[position];
                let slope = rule(asm, &op, &slopes.known);
                slopes.known.insert(op.out, slope);
            }
            Task::Cut(cut) if slopes.cuts[cut] => {}
            Task::Cut(cut) => {
                slopes.cuts[cut] = true;
                let inner = &cuts[cut];
                let unknowns: Vec<_> = inner
                    .unknowns
                    .iter()
                    .map(|&(slot, real)| {
                        let slope = asm.slot();
                        slopes.known.insert(slot.0, Some(slope));
                        (slope, real)
                    })
                    .collect();
                let start = asm.len();
                for position in inner.start..inner.end {
                    let op = asm.ops()[position];
                    let slope = rule(asm, &op, &slopes.known);
                    slopes.known.insert(op.out, slope);
                }
                let results = inner
                    .results
                    .iter()
                    .map(|slot| {
                        let slope = slopes.known[&slot.0];
                        let slope = slope.unwrap_or_else(|| asm.number(0.0));
                        // A result must be computed in the loop.
                        let own = asm.slot();
                        asm.op_into(own, Code::Copy, slope, slope);
                        own
                    })
                    .collect();
                let (end, rows) = (asm.len(), inner.rows.clone());
                let (implicit, bounds) = (inner.implicit, vec![None; inner.implicit]);
                cuts.push(Cut {
                    implicit,
                    bounds,
                    start,
                    end,
                    unknowns,
                    roots: Vec::new(),
                    results,
                    rows,
                });
                slopes.cuts.push(true);
            }
        }
    }
    slopes.known.get(&of.0).copied().flatten()
}

/// The slope of an op's result from those of its operands.
fn rule(asm: &mut Assembler, op: &Op, known: &FxHashMap<u32, Option<Slot>>) -> Option<Slot> {
    let (a, b, out) = (Slot(op.a), Slot(op.b), Slot(op.out));
    let of = |slot: u32| known.get(&slot).copied().flatten();
    let (da, db) = (of(op.a), of(op.b));
    match op.code {
        Code::Copy => da,
        Code::Neg => Some(asm.unary(Code::Neg, da?)),
        Code::Abs => {
            let sign = asm.unary(Code::Sign, a);
            Some(asm.op(Code::Mul, sign, da?))
        }
        Code::Sqrt => {
            let two = asm.number(2.0);
            let twice = asm.op(Code::Mul, two, out);
            Some(asm.op(Code::Div, da?, twice))
        }
        Code::Exp => Some(asm.op(Code::Mul, out, da?)),
        Code::Ln => Some(asm.op(Code::Div, da?, a)),
        Code::Sin | Code::Cos | Code::SinDeg | Code::CosDeg => {
            let (other, sign, unit) = match op.code {
                Code::Sin => (Code::Cos, 1.0, 1.0),
                Code::Cos => (Code::Sin, -1.0, 1.0),
                Code::SinDeg => (Code::CosDeg, 1.0, RADIANS),
                _ => (Code::SinDeg, -1.0, RADIANS),
            };
            let steepness = asm.unary(other, a);
            let speed = scaled(asm, da?, sign * unit);
            Some(asm.op(Code::Mul, steepness, speed))
        }
        Code::Tan | Code::TanDeg => {
            let unit = if op.code == Code::Tan { 1.0 } else { RADIANS };
            let steepness = one_plus_square(asm, out, Code::Add);
            let speed = scaled(asm, da?, unit);
            Some(asm.op(Code::Mul, steepness, speed))
        }
        Code::Asin | Code::Acos => {
            let square = one_plus_square(asm, a, Code::Sub);
            let root = asm.unary(Code::Sqrt, square);
            let sign = if op.code == Code::Asin { 1.0 } else { -1.0 };
            let speed = scaled(asm, da?, sign);
            Some(asm.op(Code::Div, speed, root))
        }
        Code::Atan => {
            let square = one_plus_square(asm, a, Code::Add);
            Some(asm.op(Code::Div, da?, square))
        }
        Code::Add => match (da, db) {
            (Some(da), Some(db)) => Some(asm.op(Code::Add, da, db)),
            (one, other) => one.or(other),
        },
        Code::Sub => difference(asm, da, db),
        Code::Mul => {
            let left = da.map(|da| asm.op(Code::Mul, da, b));
            let right = db.map(|db| asm.op(Code::Mul, a, db));
            match (left, right) {
                (Some(left), Some(right)) => Some(asm.op(Code::Add, left, right)),
                (one, other) => one.or(other),
            }
        }
        Code::Div => {
            let right = db.map(|db| asm.op(Code::Mul, out, db));
            let rise = difference(asm, da, right)?;
            Some(asm.op(Code::Div, rise, b))
        }
        Code::Min | Code::Max => {
            // 1 where b is the smaller one.
            let switch = asm.op(Code::AtLeast, a, b);
            let (from, to) = if op.code == Code::Min {
                (da, db)
            } else {
                (db, da)
            };
            let change = difference(asm, to, from)?;
            let part = asm.op(Code::Mul, switch, change);
            Some(match from {
                Some(from) => asm.op(Code::Add, from, part),
                None => part,
            })
        }
        Code::Mod => match db {
            None => da,
            Some(db) => {
                let ratio = asm.op(Code::Div, a, b);
                let whole = asm.unary(Code::Floor, ratio);
                let right = asm.op(Code::Mul, whole, db);
                difference(asm, da, Some(right))
            }
        },
        Code::Pow => {
            let base = da.map(|da| {
                let one = asm.number(1.0);
                let less = asm.op(Code::Sub, b, one);
                let lower = asm.op(Code::Pow, a, less);
                let steepness = asm.op(Code::Mul, b, lower);
                asm.op(Code::Mul, steepness, da)
            });
            let exponent = db.map(|db| {
                let log = asm.unary(Code::Ln, a);
                let steepness = asm.op(Code::Mul, out, log);
                asm.op(Code::Mul, steepness, db)
            });
            match (base, exponent) {
                (Some(base), Some(exponent)) => Some(asm.op(Code::Add, base, exponent)),
                (one, other) => one.or(other),
            }
        }
        // 0 where the exponent is whole.
        Code::PowerBase => {
            let (zero, one) = (asm.number(0.0), asm.number(1.0));
            let is_whole = asm.op(Code::PowerBase, zero, b);
            let part = asm.op(Code::Sub, one, is_whole);
            da.map(|da| asm.op(Code::Mul, part, da))
        }
        Code::Atan2 | Code::Angle => {
            let left = da.map(|da| asm.op(Code::Mul, b, da));
            let right = db.map(|db| asm.op(Code::Mul, a, db));
            let turn = difference(asm, left, right)?;
            let (y, x) = (asm.op(Code::Mul, a, a), asm.op(Code::Mul, b, b));
            let square = asm.op(Code::Add, y, x);
            Some(asm.op(Code::Div, turn, square))
        }
        Code::Lookup => {
            let pieces = lookup::Pieces::of(asm.known_number(b)?)?;
            let slope = match pieces.form() {
                lookup::Form::Step => return None,
                lookup::Form::Same => return da,
                lookup::Form::Line => asm.number(pieces.derivative()?),
            };
            let steepness = asm.op(Code::Lookup, a, slope);
            Some(asm.op(Code::Mul, steepness, da?))
        }
        Code::Spline => {
            let spline = lookup::Spline::of(asm.known_number(b)?)?;
            let slope = asm.number(spline.derivative());
            let steepness = asm.op(Code::Spline, a, slope);
            Some(asm.op(Code::Mul, steepness, da?))
        }
        // Shares do not vary along a motion.
        Code::Gate => Some(asm.op(Code::Gate, a, db?)),
        Code::Sign
        | Code::Floor
        | Code::Entry
        | Code::AtLeast
        | Code::AddMul
        | Code::Approach
        | Code::LowerAt
        | Code::RaiseAt
        | Code::Less
        | Code::LessEqual
        | Code::Greater
        | Code::GreaterEqual
        | Code::AndLess
        | Code::AndLessEqual
        | Code::AndGreater
        | Code::AndGreaterEqual
        | Code::Test
        | Code::OrTest
        | Code::Rise
        | Code::SetBit
        | Code::ClearBit
        | Code::SkipUnless
        | Code::Push
        | Code::Solve
        | Code::Due => None,
    }
}

const RADIANS: f64 = std::f64::consts::PI / 180.0;

fn scaled(asm: &mut Assembler, slot: Slot, factor: f64) -> Slot {
    if factor == 1.0 {
        return slot;
    }
    let factor = asm.number(factor);
    asm.op(Code::Mul, factor, slot)
}

/// `1 + x^2` or `1 - x^2`.
fn one_plus_square(asm: &mut Assembler, x: Slot, code: Code) -> Slot {
    let one = asm.number(1.0);
    let square = asm.op(Code::Mul, x, x);
    asm.op(code, one, square)
}

fn difference(asm: &mut Assembler, a: Option<Slot>, b: Option<Slot>) -> Option<Slot> {
    match (a, b) {
        (Some(a), Some(b)) => Some(asm.op(Code::Sub, a, b)),
        (None, Some(b)) => Some(asm.unary(Code::Neg, b)),
        (one, None) => one,
    }
}
