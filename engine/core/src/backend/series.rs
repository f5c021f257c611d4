//! A list of operations becomes recurrences: the Taylor coefficients of everything it computes, order by
//! order.
//!
//! The coefficient of a result follows from those of the operands up to the same order and from its own before,
//! so that the coefficients of a motion are had one after the other: those of the rates give the next ones of
//! the states. [`super::value::Jet`] computes few coefficients of everything at once, on any operation; here
//! there are many, and operations with kinks have none.
//!
//! Source: A. Griewank, A. Walther, Evaluating Derivatives, SIAM (2008), chapter 13.

use std::collections::HashMap;

use super::value::Value;
use crate::tape::{Code, Op, Shape, Slot};

/// Coefficients kept of each quantity, the value included.
pub(crate) const COEFFICIENTS: usize = 13;

/// Exponents up to this one are multiplied out, so that they work at 0.
const MULTIPLIED_OUT: f64 = 16.0;

/// The coefficients of a quantity.
pub(crate) type Row = [f64; COEFFICIENTS];

/// A place in the array of rows.
pub(crate) type Place = u32;

/// How a coefficient of order 1 or above follows.
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
    /// What gives the value, from these places.
    first: Code,
    of: [Place; 2],
    rule: Rule,
    out: Place,
    a: Place,
    b: Place,
    c: Place,
}

/// What a slot is before the first operation.
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
    /// What gives the values, and of those steps the ones that go on.
    all: Vec<Step>,
    moving: Vec<Step>,
    /// Slots whose value is read before the list writes them, with their rows.
    given: Vec<(Slot, Place)>,
    numbers: Vec<(Place, f64)>,
    /// The rows of the results.
    pub(crate) results: Vec<Place>,
    n_rows: usize,
}

/// Makes recurrences.
struct Builder<G> {
    known: G,
    steps: Vec<Step>,
    given: Vec<(Slot, Place)>,
    numbers: Vec<(Place, f64)>,
    places: HashMap<u32, Place>,
    /// Per row whether it is constant, and its value if that never changes.
    constant: Vec<bool>,
    values: Vec<Option<f64>>,
    /// Sine and cosine by argument: in radians (false) or degrees.
    circular: HashMap<(Place, bool), [Place; 2]>,
    /// Slopes by what they are the slope of.
    slopes: HashMap<Place, Place>,
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
        let mut builder = Builder {
            known,
            steps: Vec::new(),
            given: Vec::new(),
            numbers: Vec::new(),
            places: HashMap::new(),
            constant: Vec::new(),
            values: Vec::new(),
            circular: HashMap::new(),
            slopes: HashMap::new(),
        };
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

impl<G: Fn(Slot) -> Given> Builder<G> {
    fn row(&mut self, constant: bool, value: Option<f64>) -> Place {
        self.constant.push(constant);
        self.values.push(value);
        u32::try_from(self.constant.len() - 1).expect("fewer rows than 2^32")
    }

    /// The row of what a slot holds now.
    fn read(&mut self, slot: u32) -> Place {
        if let Some(&place) = self.places.get(&slot) {
            return place;
        }
        let (constant, number) = match (self.known)(Slot(slot)) {
            Given::Moving => (false, None),
            Given::Held => (true, None),
            Given::Number(number) => (true, Some(number)),
        };
        let place = self.row(constant, number);
        self.given.push((Slot(slot), place));
        self.places.insert(slot, place);
        place
    }

    fn is_constant(&self, place: Place) -> bool {
        self.constant[place as usize]
    }

    /// A step whose value is `first` of two places, and which goes on by a rule.
    fn push(&mut self, (first, of): (Code, [Place; 2]), rule: Rule, on: [Place; 3]) -> Place {
        let out = self.row(rule == Rule::Zero, None);
        let [a, b, c] = on;
        self.steps.push(Step {
            first,
            of,
            rule,
            out,
            a,
            b,
            c,
        });
        out
    }

    /// A step that computes `code(a, b)` by a rule on the same places.
    fn plain(&mut self, code: Code, rule: Rule, a: Place, b: Place) -> Place {
        self.push((code, [a, b]), rule, [a, b, a])
    }

    fn product(&mut self, a: Place, b: Place) -> Place {
        self.product_as((Code::Mul, [a, b]), a, b)
    }

    fn product_as(&mut self, first: (Code, [Place; 2]), a: Place, b: Place) -> Place {
        match [a, b].map(|place| self.is_constant(place)) {
            [_, true] => self.push(first, Rule::Scale, [a, b, a]),
            [true, false] => self.push(first, Rule::Scale, [b, a, b]),
            [false, false] => self.push(first, Rule::Product, [a, b, a]),
        }
    }

    fn sum(&mut self, a: Place, b: Place) -> Place {
        match [a, b].map(|place| self.is_constant(place)) {
            [_, true] => self.plain(Code::Add, Rule::Copy, a, b),
            [true, false] => self.push((Code::Add, [a, b]), Rule::Copy, [b, b, b]),
            [false, false] => self.plain(Code::Add, Rule::Add, a, b),
        }
    }

    fn difference(&mut self, a: Place, b: Place) -> Place {
        match [a, b].map(|place| self.is_constant(place)) {
            [_, true] => self.plain(Code::Sub, Rule::Copy, a, b),
            [true, false] => self.push((Code::Sub, [a, b]), Rule::Neg, [b, b, b]),
            [false, false] => self.plain(Code::Sub, Rule::Sub, a, b),
        }
    }

    fn number(&mut self, value: f64) -> Place {
        let place = self.row(true, Some(value));
        self.numbers.push((place, value));
        place
    }

    fn slope(&mut self, of: Place) -> Place {
        if let Some(&slope) = self.slopes.get(&of) {
            return slope;
        }
        let slope = self.plain(Code::Copy, Rule::Slope, of, of);
        self.slopes.insert(of, slope);
        slope
    }

    /// Sine and cosine of what stands at a place.
    fn circular(&mut self, of: Place, degrees: bool) -> [Place; 2] {
        if let Some(&pair) = self.circular.get(&(of, degrees)) {
            return pair;
        }
        let (sine, cosine, along) = if degrees {
            let per_degree = self.number(std::f64::consts::PI / 180.0);
            let along = self.product(of, per_degree);
            (Code::SinDeg, Code::CosDeg, along)
        } else {
            (Code::Sin, Code::Cos, of)
        };
        // Its coefficients above the first are written with those of the sine.
        let cosine = self.push((cosine, [of; 2]), Rule::Zero, [of; 3]);
        self.constant[cosine as usize] = false;
        let slope = self.slope(along);
        let sine = self.push((sine, [of; 2]), Rule::Sine, [slope, cosine, along]);
        self.circular.insert((of, degrees), [sine, cosine]);
        [sine, cosine]
    }

    /// The row of an operation's result.
    fn take(&mut self, op: &Op) -> Option<Place> {
        let shape = op.code.shape();
        if shape == Shape::Update {
            return self.take_update(op);
        }
        if !matches!(shape, Shape::Unary | Shape::Binary) {
            return None;
        }
        let a = self.read(op.a);
        let b = if shape == Shape::Binary {
            self.read(op.b)
        } else {
            a
        };
        let code = op.code;
        if self.is_constant(a) && self.is_constant(b) {
            return Some(self.plain(code, Rule::Zero, a, b));
        }
        Some(match code {
            Code::Copy => self.plain(code, Rule::Copy, a, a),
            Code::Neg => self.plain(code, Rule::Neg, a, a),
            Code::Add => self.sum(a, b),
            Code::Sub => self.difference(a, b),
            Code::Mul => self.product(a, b),
            Code::Div if self.is_constant(b) => self.plain(code, Rule::Over, a, b),
            Code::Div => self.plain(code, Rule::Quotient, a, b),
            Code::Sqrt => self.plain(code, Rule::Root, a, a),
            Code::Exp => {
                let slope = self.slope(a);
                self.push((code, [a; 2]), Rule::Exp, [slope; 3])
            }
            Code::Ln => self.plain(code, Rule::Integral, a, a),
            Code::Sin | Code::SinDeg => self.circular(a, code == Code::SinDeg)[0],
            Code::Cos | Code::CosDeg => self.circular(a, code == Code::CosDeg)[1],
            Code::Tan | Code::TanDeg => {
                let [sine, cosine] = self.circular(a, code == Code::TanDeg);
                self.push((code, [a; 2]), Rule::Quotient, [sine, cosine, sine])
            }
            Code::Asin | Code::Acos => {
                let (square, one) = (self.product(a, a), self.number(1.0));
                let rest = self.difference(one, square);
                let speed = self.plain(Code::Sqrt, Rule::Root, rest, rest);
                let sine = self.push((Code::Asin, [a; 2]), Rule::Integral, [a, speed, a]);
                if code == Code::Asin {
                    return Some(sine);
                }
                self.push((code, [a; 2]), Rule::Neg, [sine; 3])
            }
            Code::Atan => {
                let (square, one) = (self.product(a, a), self.number(1.0));
                let speed = self.sum(one, square);
                self.push((code, [a; 2]), Rule::Integral, [a, speed, a])
            }
            Code::Atan2 => {
                let [y, x] = [a, b].map(|place| self.product(place, place));
                let square = self.sum(x, y);
                self.push((code, [a, b]), Rule::Angle, [a, b, square])
            }
            Code::Pow => self.power(a, b),
            _ => return None,
        })
    }

    fn take_update(&mut self, op: &Op) -> Option<Place> {
        let [old, a, b] = [op.out, op.a, op.b].map(|slot| self.read(slot));
        let more = match op.code {
            Code::AddMul => self.product(a, b),
            Code::Approach => {
                let way = self.difference(a, old);
                self.product(way, b)
            }
            _ => return None,
        };
        Some(self.sum(old, more))
    }

    fn power(&mut self, a: Place, exponent: Place) -> Place {
        let first = (Code::Pow, [a, exponent]);
        if !self.is_constant(exponent) {
            let log = self.plain(Code::Ln, Rule::Integral, a, a);
            let product = self.product(exponent, log);
            let slope = self.slope(product);
            return self.push(first, Rule::Exp, [slope; 3]);
        }
        let whole = |n: &f64| (0.0..=MULTIPLIED_OUT).contains(n) && n.fract() == 0.0;
        let Some(n) = self.values[exponent as usize].filter(whole) else {
            return self.push(first, Rule::Power, [a, exponent, a]);
        };
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a whole number from 0 to 16"
        )]
        let n = n as u32;
        match n {
            0 => return self.push(first, Rule::Zero, [a; 3]),
            1 => return self.push(first, Rule::Copy, [a; 3]),
            _ => {}
        }
        let mut power = a;
        for bit in (0..n.ilog2()).rev() {
            power = self.product(power, power);
            if n >> bit & 1 == 1 {
                power = self.product(power, a);
            }
        }
        let last = self.steps.last_mut().expect("it has been multiplied");
        (last.first, last.of) = first;
        power
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::value::{Jet, run, run_reals};
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
                let kinked = code.pieces().is_some() || matches!(code, Code::LowerAt | Code::RaiseAt);
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
