//! A list of operations becomes steps of recurrences: for each operation the rule by which its coefficients follow.

use std::collections::HashMap;

use super::{Given, Place, Rule, Step};
use crate::tape::{Code, Op, Shape, Slot};

/// Exponents up to this one are multiplied out, so that they work at 0.
const MULTIPLIED_OUT: f64 = 16.0;

/// Makes recurrences.
pub(super) struct Builder<G> {
    known: G,
    pub(super) steps: Vec<Step>,
    pub(super) given: Vec<(Slot, Place)>,
    pub(super) numbers: Vec<(Place, f64)>,
    pub(super) places: HashMap<u32, Place>,
    /// Per row whether it is constant, and its value if that never changes.
    pub(super) constant: Vec<bool>,
    values: Vec<Option<f64>>,
    /// Sine and cosine by argument: in radians (false) or degrees.
    circular: HashMap<(Place, bool), [Place; 2]>,
    /// Slopes by what they are the slope of.
    slopes: HashMap<Place, Place>,
}

impl<G: Fn(Slot) -> Given> Builder<G> {
    pub(super) fn new(known: G) -> Self {
        Self {
            known,
            steps: Vec::new(),
            given: Vec::new(),
            numbers: Vec::new(),
            places: HashMap::new(),
            constant: Vec::new(),
            values: Vec::new(),
            circular: HashMap::new(),
            slopes: HashMap::new(),
        }
    }

    fn row(&mut self, constant: bool, value: Option<f64>) -> Place {
        self.constant.push(constant);
        self.values.push(value);
        u32::try_from(self.constant.len() - 1).expect("fewer rows than 2^32")
    }

    /// The row of what a slot holds now.
    pub(super) fn read(&mut self, slot: u32) -> Place {
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
    pub(super) fn take(&mut self, op: &Op) -> Option<Place> {
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
            Code::Gate => self.product_as((code, [a, b]), a, b),
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
            Code::Atan2 | Code::Angle => {
                let [y, x] = [a, b].map(|place| self.product(place, place));
                let square = self.sum(x, y);
                self.push((code, [a, b]), Rule::Angle, [a, b, square])
            }
            Code::Pow => self.power(a, b),
            Code::PowerBase => {
                let (zero, one) = (self.number(0.0), self.number(1.0));
                let is_whole = self.push((code, [zero, b]), Rule::Zero, [zero; 3]);
                let part = self.difference(one, is_whole);
                self.push((code, [a, b]), Rule::Scale, [a, part, a])
            }
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
