//! A system that has its unknowns linearly -> operations that compute them: no iteration, and no loop.
//!
//! Gaussian elimination that is written down: with rows in fixed order, it eliminates by those whose coefficients are
//! constants, each by its largest, and divides by what is left for the last unknown. So no coefficient grows by more than
//! it would with pivots that are looked for in each evaluation.

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use crate::backend::value::run_reals;
use crate::tape::{Assembler, Code, Op, Shape, Slot};

/// A value as an affine function of the unknowns, whose graph is a plane; `None` stands for 0.
#[derive(Clone, Debug)]
struct Plane {
    /// Where all unknowns are 0.
    at_zero: Option<Slot>,
    slopes: SmallVec<[Option<Slot>; 2]>,
}

/// A part of the slopes of a row up to which one counts as 0.
const LEAST_PIVOT: f64 = 1e-14;

/// The values of slots that are fixed, as far as they have been asked for.
#[derive(Debug)]
pub(in crate::lower::mode) struct FixedNumbers {
    values: Vec<f64>,
    /// Numbers and operations of the setup that have been taken in.
    numbers: usize,
    setup: usize,
}

impl FixedNumbers {
    /// With the values of constants whose first has a slot.
    pub(in crate::lower::mode) fn new(constants: &[f64], at: usize) -> Self {
        let mut values = vec![0.0; at];
        values.extend_from_slice(constants);
        Self {
            values,
            numbers: 0,
            setup: 0,
        }
    }

    /// Those of everything that has been written.
    fn of(&mut self, asm: &Assembler) -> &[f64] {
        let tape = asm.tape();
        self.values.resize(tape.n_slots as usize, 0.0);
        for &(slot, value) in &tape.numbers[self.numbers..] {
            self.values[slot.index()] = value;
        }
        run_reals(&tape.setup[self.setup..], &mut self.values);
        (self.numbers, self.setup) = (tape.numbers.len(), tape.setup.len());
        &self.values
    }
}

/// Puts operations that compute unknowns before those from `start` on, which read them. False, and nothing is changed, unless
/// the residuals are planes over them, and all but one have constants for slopes.
///
/// The residuals vanish at the unknowns up to the rounding of their terms.
///
/// Shapes: `unknowns`, `residuals`: as many slots of each.
pub(in crate::lower::mode) fn solved(
    asm: &mut Assembler,
    start: usize,
    unknowns: &[Slot],
    residuals: &[Slot],
    fixed: &mut FixedNumbers,
) -> bool {
    let Some(reading) = reading(&asm.ops()[start..], unknowns) else {
        return false;
    };
    if !residuals.iter().all(|slot| reading.contains(&slot.0)) {
        return false;
    }
    let before = asm.len();
    let one = asm.number(1.0);
    let mut planes = Planes {
        of: FxHashMap::default(),
        one,
        n: unknowns.len(),
    };
    for (number, slot) in unknowns.iter().enumerate() {
        let mut slopes = SmallVec::from_elem(None, unknowns.len());
        slopes[number] = Some(one);
        let own = Plane {
            at_zero: None,
            slopes,
        };
        planes.of.insert(slot.0, own);
    }
    let all = asm.take_from(start);
    let (dependent, others): (Vec<Op>, Vec<Op>) =
        (all.iter().copied()).partition(|op| reading.contains(&op.out));
    asm.append(&others);
    for op in &dependent {
        let plane = planes.after(asm, op);
        planes.of.insert(op.out, plane);
    }
    let rows = residuals.iter().map(|slot| planes.of[&slot.0].clone());
    if !eliminated(asm, rows.collect(), unknowns, fixed) {
        asm.take_from(start);
        asm.append(&all);
        debug_assert_eq!(asm.len(), before, "the operations are those of before");
        return false;
    }
    asm.append(&dependent);
    true
}

/// True if operations compute planes over unknowns only: equations of them have one solution, or none.
pub(crate) fn are_planes(ops: &[Op], unknowns: &[Slot]) -> bool {
    reading(ops, unknowns).is_some()
}

/// The results that are planes over unknowns; `None` if one that depends on them is none.
fn reading(ops: &[Op], unknowns: &[Slot]) -> Option<FxHashSet<u32>> {
    let mut planes: FxHashSet<u32> = unknowns.iter().map(|slot| slot.0).collect();
    for op in ops {
        let of = |slot: u32| planes.contains(&slot);
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
        let is_plane = match op.code {
            Code::Copy | Code::Neg | Code::Add | Code::Sub => true,
            Code::Mul => !(of(op.a) && of(op.b)),
            Code::Div => !of(op.b),
            _ => false,
        };
        if !is_plane || !planes.insert(op.out) {
            return None;
        }
    }
    Some(planes)
}

/// The planes of slots that depend on unknowns.
struct Planes {
    of: FxHashMap<u32, Plane>,
    one: Slot,
    /// Number of unknowns.
    n: usize,
}

impl Planes {
    fn at(&self, slot: u32) -> Plane {
        let level = || Plane {
            at_zero: Some(Slot(slot)),
            slopes: SmallVec::from_elem(None, self.n),
        };
        self.of.get(&slot).cloned().unwrap_or_else(level)
    }

    /// The plane of an operation's result.
    fn after(&self, asm: &mut Assembler, op: &Op) -> Plane {
        let (a, b) = (self.at(op.a), self.at(op.b));
        let mut each = |left, right| part(asm, op.code, left, right, self.one);
        let at_zero = each(a.at_zero, b.at_zero);
        let a_is_level = a.slopes.iter().all(Option::is_none);
        let slopes = a.slopes.iter().zip(&b.slopes);
        let slopes = slopes.map(|(&left, &right)| match op.code {
            Code::Mul if a_is_level => each(a.at_zero, right),
            Code::Mul | Code::Div => each(left, b.at_zero),
            _ => each(left, right),
        });
        Plane {
            at_zero,
            slopes: slopes.collect(),
        }
    }
}

/// An operation on parts of planes.
fn part(
    asm: &mut Assembler,
    code: Code,
    left: Option<Slot>,
    right: Option<Slot>,
    one: Slot,
) -> Option<Slot> {
    match (code, left, right) {
        (Code::Copy, left, _) => left,
        (Code::Neg, left, _) => left.map(|left| asm.unary(Code::Neg, left)),
        (Code::Add, None, only) | (Code::Add | Code::Sub, only, None) => only,
        (Code::Sub, None, Some(right)) => Some(asm.unary(Code::Neg, right)),
        (Code::Mul, Some(left), Some(right)) if left == one => Some(right),
        (Code::Mul, Some(left), Some(right)) if right == one => Some(left),
        (code, Some(left), Some(right)) => Some(asm.op(code, left, right)),
        (_, None, _) | (_, _, None) => None,
    }
}

/// Writes the elimination of rows; false if there is none to begin with, or none to go on with.
fn eliminated(
    asm: &mut Assembler,
    mut rows: Vec<Plane>,
    unknowns: &[Slot],
    fixed: &mut FixedNumbers,
) -> bool {
    let one = asm.number(1.0);
    let mut left: Vec<usize> = (0..unknowns.len()).collect();
    let mut solved: Vec<(usize, Plane)> = Vec::new();
    let numbers = fixed.of(asm);
    let mut sizes: Vec<f64> = (rows.iter())
        .map(|row| largest(asm, row, numbers))
        .collect();
    while left.len() > 1 {
        let numbers = fixed.of(asm);
        let mut all = rows.iter().zip(&sizes).enumerate();
        let found =
            all.find_map(|(at, (row, size))| Some((at, pivot(asm, row, *size, &left, numbers)?)));
        let Some((row, column)) = found else {
            return false;
        };
        let by = rows.remove(row);
        sizes.remove(row);
        for other in &mut rows {
            let Some(slope) = other.slopes[column].take() else {
                continue;
            };
            let factor = part(asm, Code::Div, Some(slope), by.slopes[column], one);
            let mut less = |from: Option<Slot>, what: Option<Slot>| {
                let product = part(asm, Code::Mul, factor, what, one);
                part(asm, Code::Sub, from, product, one)
            };
            other.at_zero = less(other.at_zero, by.at_zero);
            for &at in left.iter().filter(|&&at| at != column) {
                other.slopes[at] = less(other.slopes[at], by.slopes[at]);
            }
        }
        left.retain(|&at| at != column);
        solved.push((column, by));
    }
    // One row is left for one unknown; Newton's method tells of a system that has no single solution.
    let [last] = &rows[..] else {
        return false;
    };
    let is_fixed = last.slopes[left[0]].is_none_or(|slope| asm.is_fixed(slope));
    let numbers = fixed.of(asm);
    if !solved.is_empty() && is_fixed && pivot(asm, last, sizes[0], &left, numbers).is_none() {
        return false;
    }
    solved.extend(left.into_iter().zip(rows));
    let zero = asm.number(0.0);
    for (column, row) in solved.iter().rev() {
        let mut sum = row.at_zero;
        for (at, &slope) in row.slopes.iter().enumerate().filter(|(at, _)| at != column) {
            let term = part(asm, Code::Mul, slope, slope.map(|_| unknowns[at]), one);
            sum = part(asm, Code::Add, sum, term, one);
        }
        let negative = asm.op(Code::Sub, zero, sum.unwrap_or(zero));
        asm.op_into(
            unknowns[*column],
            Code::Div,
            negative,
            row.slopes[*column].unwrap_or(zero),
        );
    }
    true
}

/// The unknown of which a row has the largest slope, if all of its slopes are constants.
///
/// `size`: that of its slopes before anything was eliminated.
fn pivot(
    asm: &Assembler,
    row: &Plane,
    size: f64,
    left: &[usize],
    numbers: &[f64],
) -> Option<usize> {
    let slope = |&at: &usize| row.slopes[at].map_or(0.0, |slope| numbers[slope.index()].abs());
    let fixed = |&at: &usize| row.slopes[at].is_none_or(|slope| asm.is_fixed(slope));
    let best = left.iter().max_by(|a, b| slope(a).total_cmp(&slope(b)))?;
    let counts = slope(best) > LEAST_PIVOT * size && slope(best).is_finite();
    (counts && left.iter().all(fixed)).then_some(*best)
}

/// The size of the largest slope of a row that is a constant.
fn largest(asm: &Assembler, row: &Plane, numbers: &[f64]) -> f64 {
    let fixed = row
        .slopes
        .iter()
        .flatten()
        .filter(|slope| asm.is_fixed(**slope));
    fixed.fold(0.0, |most, slope| most.max(numbers[slope.index()].abs()))
}
