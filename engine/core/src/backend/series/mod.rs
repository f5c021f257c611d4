//! A list of operations becomes recurrences: the Taylor coefficients of everything it computes, order by
//! order.
//!
//! The coefficient of a result follows from those of the operands up to the same order and from its own before,
//! so that the coefficients of a motion are had one after the other: those of the rates give the next ones of
//! the states. [`super::value::Jet`] computes few coefficients of everything at once, on any operation; here
//! there are many, and operations with kinks have none.
//!
//! Source: A. Griewank, A. Walther, Evaluating Derivatives, SIAM (2008), chapter 13.

mod builder;

use self::builder::Builder;
use super::value::Value;
use crate::tape::{Code, Op, Slot};

/// Coefficients kept of each quantity, the value included.
pub(crate) const COEFFICIENTS: usize = 13;

/// The coefficients of a quantity.
pub(crate) type Row = [f64; COEFFICIENTS];

/// A place in the array of rows.
pub(crate) type Place = u32;

/// Recurrence for the coefficients of order 1 and above.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Rule {
    /// All operands are constant.
    Zero,
    Copy,
    Neg,
    Add,
    Sub,
    /// b is constant.
    Scale,
    /// b is constant.
    Over,
    Product,
    Quotient,
    Root,
    /// k times the coefficient of order k: that of the slope, one order lower.
    Slope,
    /// a is the slope of the exponent.
    Exp,
    /// The sine; a is the slope of the angle, the cosine stands at b.
    Sine,
    /// The integral of `a' / b`.
    Integral,
    /// The integral of `(b a' - a b') / c`.
    Angle,
    /// b is constant.
    Power,
}

/// One step of the recurrences.
#[derive(Clone, Copy, Debug)]
struct Step {
    /// Op that gives the value, from these places.
    first: Code,
    of: [Place; 2],
    rule: Rule,
    out: Place,
    a: Place,
    b: Place,
    c: Place,
}

/// State of a slot before the first operation.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Given {
    /// It moves, and its coefficients are given.
    Moving,
    /// It has a value that may be another one later.
    Held,
    /// It always has this value.
    Number(f64),
}

/// Operations as recurrences.
#[derive(Clone, Debug)]
pub(crate) struct Recurrences {
    /// Steps that give the values, and those of them that go on.
    all: Vec<Step>,
    moving: Vec<Step>,
    /// Slots whose value is read before the list writes them, with their rows.
    given: Vec<(Slot, Place)>,
    numbers: Vec<(Place, f64)>,
    /// The rows of the results.
    pub(crate) results: Vec<Place>,
    n_rows: usize,
}

impl Recurrences {
    /// `None` if an operation has no series: it has kinks, or is none on reals.
    ///
    /// `results`: slots whose content after the last operation is asked for; `known`: what a slot is that is
    /// read before it is written.
    pub(crate) fn of<'a>(
        ops: impl IntoIterator<Item = &'a Op>,
        results: &[Slot],
        known: impl Fn(Slot) -> Given,
    ) -> Option<Self> {
        let mut builder = Builder::new(known);
        for op in ops {
            let place = builder.take(op)?;
            builder.places.insert(op.out, place);
        }
        let results = results.iter().map(|slot| builder.read(slot.0)).collect();
        let moves = |step: &&Step| step.rule != Rule::Zero;
        Some(Self {
            moving: builder.steps.iter().filter(moves).copied().collect(),
            all: builder.steps,
            given: builder.given,
            numbers: builder.numbers,
            results,
            n_rows: builder.constant.len(),
        })
    }

    /// The row of what a slot held before the first operation, if anything reads it.
    pub(crate) fn given(&self, slot: Slot) -> Option<Place> {
        let mut given = self.given.iter();
        given
            .find(|(other, _)| *other == slot)
            .map(|&(_, place)| place)
    }

    /// Makes room, and takes over the values that are given.
    pub(crate) fn begin(&self, slots: &[f64], rows: &mut Vec<Row>) {
        rows.resize(self.n_rows, [0.0; COEFFICIENTS]);
        for &(slot, place) in &self.given {
            rows[place as usize][0] = slots[slot.index()];
        }
        for &(place, value) in &self.numbers {
            rows[place as usize][0] = value;
        }
    }

    /// Computes all values.
    pub(crate) fn values(&self, rows: &mut [Row]) {
        for step in &self.all {
            let [a, b] = step.of;
            let (a, b) = (rows[a as usize][0], rows[b as usize][0]);
            rows[step.out as usize][0] = <f64 as Value>::apply(step.first, 0.0, a, b);
        }
    }

    /// Computes all coefficients of an order, at least 1, after those below.
    pub(crate) fn order(&self, k: usize, rows: &mut [Row]) {
        let (order, share) = (NUMBERS[k], SHARES[k]);
        for step in &self.moving {
            let out = &rows[step.out as usize];
            let (a, b) = (&rows[step.a as usize], &rows[step.b as usize]);
            rows[step.out as usize][k] = match step.rule {
                Rule::Zero => continue,
                Rule::Copy => a[k],
                Rule::Neg => -a[k],
                Rule::Add => a[k] + b[k],
                Rule::Sub => a[k] - b[k],
                Rule::Scale => a[k] * b[0],
                Rule::Over => a[k] / b[0],
                Rule::Product => sum(k, 0..k + 1, |i, j| a[i] * b[j]),
                Rule::Quotient => (a[k] - sum(k, 1..k + 1, |i, j| b[i] * out[j])) / b[0],
                Rule::Root => (a[k] - sum(k, 1..k, |i, j| out[i] * out[j])) / (2.0 * out[0]),
                Rule::Slope => order * a[k],
                Rule::Exp => sum(k, 1..k + 1, |i, j| a[i] * out[j]) * share,
                Rule::Sine => {
                    let mut both = [a[k] * b[0], a[k] * out[0]];
                    for i in 1..k {
                        both[0] += a[k - i] * b[i];
                        both[1] += a[k - i] * out[i];
                    }
                    rows[step.b as usize][k] = -both[1] * share;
                    both[0] * share
                }
                Rule::Integral => {
                    let known = sum(k, 1..k, |i, j| NUMBERS[i] * out[i] * b[j]);
                    (order * a[k] - known) / (order * b[0])
                }
                Rule::Angle => {
                    let c = &rows[step.c as usize];
                    let turn = sum(k, 1..k + 1, |i, j| NUMBERS[i] * (a[i] * b[j] - b[i] * a[j]));
                    let known = sum(k, 1..k, |i, j| NUMBERS[i] * out[i] * c[j]);
                    (turn - known) / (order * c[0])
                }
                Rule::Power => {
                    // n sum i a_i c_(k-i) - sum (k-i) a_i c_(k-i).
                    let rise = sum(k, 1..k + 1, |i, j| NUMBERS[i] * a[i] * out[j]);
                    let fall = sum(k, 1..k, |i, j| NUMBERS[i] * out[i] * a[j]);
                    (b[0] * rise - fall) / (order * a[0])
                }
            };
        }
    }
}

const NUMBERS: Row = {
    let mut numbers = [0.0; COEFFICIENTS];
    let mut k = 0;
    while k < COEFFICIENTS {
        numbers[k] = k as f64;
        k += 1;
    }
    numbers
};

/// One over each order.
const SHARES: Row = {
    let mut shares = [0.0; COEFFICIENTS];
    let mut k = 1;
    while k < COEFFICIENTS {
        shares[k] = 1.0 / NUMBERS[k];
        k += 1;
    }
    shares
};

/// The sum of a term over pairs of indices whose sum is `k`, the first one in a range.
#[inline(always)]
fn sum(k: usize, first: std::ops::Range<usize>, term: impl Fn(usize, usize) -> f64) -> f64 {
    first.fold(0.0, |sum, i| sum + term(i, k - i))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::value::{Jet, run, run_reals};
    use crate::tape::Shape;
    use proptest::prelude::*;

    /// Slots 0 and 1 move, 2 is held, 3 is a number; results from 4 on.
    const N: usize = COEFFICIENTS;

    fn compare(ops: &[Op], moving: [Row; 2], held: f64, number: f64, tolerance: f64) {
        let known = |slot: Slot| match slot.0 {
            0 | 1 => Given::Moving,
            2 => Given::Held,
            _ => Given::Number(number),
        };
        let results = [Slot(ops.last().expect("some operations").out)];
        let recurrences = Recurrences::of(ops, &results, known).expect("they have series");
        let mut slots = vec![0.0; 32];
        (slots[2], slots[3]) = (held, number);
        let mut rows = Vec::new();
        recurrences.begin(&slots, &mut rows);
        for (slot, row) in moving.iter().enumerate() {
            if let Some(place) = recurrences.given(Slot::new(slot)) {
                rows[place as usize] = *row;
            }
        }
        recurrences.values(&mut rows);
        (1..N).for_each(|k| recurrences.order(k, &mut rows));
        let mut jets = vec![Jet::<N>([0.0; N]); 32];
        (jets[0], jets[1]) = (Jet(moving[0]), Jet(moving[1]));
        (jets[2].0[0], jets[3].0[0]) = (held, number);
        run(ops, &mut jets);
        (slots[0], slots[1]) = (moving[0][0], moving[1][0]);
        run_reals(ops, &mut slots);
        for (slot, &place) in results.iter().zip(&recurrences.results) {
            let (found, expected) = (rows[place as usize], jets[slot.index()].0);
            let value = slots[slot.index()];
            assert_eq!(found[0].to_bits(), value.to_bits(), "{ops:?}");
            if !value.is_finite() {
                continue;
            }
            let size = expected.iter().fold(1.0, |size: f64, c| size.max(c.abs()));
            for k in 1..N {
                let error = (found[k] - expected[k]).abs();
                assert!(
                    error <= tolerance * size,
                    "{ops:?} order {k}: {found:?} {expected:?}"
                );
            }
        }
    }

    fn op(code: Code, out: u32, a: u32, b: u32) -> Op {
        Op { code, out, a, b }
    }

    proptest! {
        #[test]
        fn recurrences_give_the_series_of_every_operation(
            first in prop::array::uniform13(-0.5_f64..0.5),
            second in prop::array::uniform13(-0.5_f64..0.5),
            held in 0.3_f64..0.9,
            whole in 0_u32..20,
        ) {
            let (mut first, mut second) = (first, second);
            (first[0], second[0]) = (0.5 + 0.5 * first[0], 1.5 + second[0]);
            for &code in Code::ALL {
                let unary = code.shape() == Shape::Unary;
                let kinked = code.pieces().is_some()
                    || code.names_lookup()
                    || matches!(code, Code::LowerAt | Code::RaiseAt);
                if kinked || !matches!(code.shape(), Shape::Unary | Shape::Binary | Shape::Update) {
                    continue;
                }
                let pairs: &[[u32; 2]] = match unary {
                    true => &[[0, 0], [2, 2]],
                    false => &[[0, 1], [1, 0], [0, 0], [0, 2], [2, 0], [2, 3], [0, 3]],
                };
                for &[a, b] in pairs {
                    // What is updated moves too, or is held.
                    for old in [0, 2] {
                        let ops = [op(Code::Copy, 4, old, old), op(code, 4, a, b)];
                        compare(&ops, [first, second], held, f64::from(whole), 1e-9);
                    }
                }
            }
        }
    }

    #[test]
    fn whole_powers_go_through_zero() {
        let mut line = [0.0; N];
        line[1] = 1.0;
        for n in 0..=16 {
            compare(
                &[op(Code::Pow, 4, 0, 3)],
                [line, line],
                1.0,
                f64::from(n),
                0.0,
            );
        }
    }

    #[test]
    fn sine_and_cosine_of_the_same_are_computed_together() {
        let ops = [
            op(Code::Cos, 4, 0, 0),
            op(Code::Sin, 5, 0, 0),
            op(Code::Mul, 6, 4, 5),
        ];
        let recurrences = Recurrences::of(&ops, &[Slot(6)], |_| Given::Moving);
        // The slope, sine with cosine, the product.
        assert_eq!(recurrences.unwrap().moving.len(), 3);
    }

    #[test]
    fn kinks_of_what_moves_have_no_series() {
        let ops = [op(Code::Min, 4, 0, 2)];
        assert!(Recurrences::of(&ops, &[Slot(4)], |_| Given::Moving).is_none());
        assert!(Recurrences::of(&ops, &[Slot(4)], |_| Given::Held).is_some());
    }
}
