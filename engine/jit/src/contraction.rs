//! Products and sums as fused multiply-adds, where the last bits may change (`--fast-math`): which of a tick's
//! values are products, and the sums, differences and steps of integrals in which one is taken up.
//!
//! The step and the reciprocal of a constant are joined, too (`y + (x / c) * dt` is one contraction), and a sum after
//! a condition has chosen a summand becomes a choice among sums. C compilers do both with `-ffast-math`.

use cranelift_codegen::ir::{InstBuilder, Value};

use crate::ops::{Choice, Known, Ops};

/// A sum with one of several values, of which conditions choose, is written as the choice among at most so many sums.
const CHOICES: usize = 4;

impl Known {
    /// As in [`Choice`]; a value that no condition chooses is in one sum.
    fn sums(&self, value: Value) -> (usize, bool) {
        match self.chosen.get(&value) {
            Some(choice) => (choice.n_sums, choice.contracts),
            None => (1, self.products.contains_key(&value)),
        }
    }

    /// The choice of a value, if sums after it are few and one of them is contracted.
    fn choice(&self, value: Value) -> Option<Choice> {
        let choice = self.chosen.get(&value).copied();
        choice.filter(|choice| choice.contracts && choice.n_sums <= CHOICES)
    }
}

impl Ops<'_, '_> {
    pub(crate) fn product(&mut self, a: Value, b: Value) -> Value {
        let product = self.builder.ins().fmul(a, b);
        if self.contracts {
            self.known.products.insert(product, [a, b]);
        }
        product
    }

    /// The quotient by a number whose reciprocal is known.
    pub(crate) fn quotient(&mut self, dividend: Value, reciprocal: Value) -> Value {
        let quotient = self.product(dividend, reciprocal);
        if self.contracts {
            self.known.divided.insert(quotient, [dividend, reciprocal]);
        }
        quotient
    }

    /// The value where a condition holds, or the other one.
    pub(crate) fn choose(&mut self, holds: Value, then: Value, other: Value) -> Value {
        let value = self.builder.ins().select(holds, then, other);
        if self.contracts {
            let (one, two) = (self.known.sums(then), self.known.sums(other));
            let choice = Choice {
                holds,
                then,
                other,
                n_sums: one.0.saturating_add(two.0),
                contracts: one.1 || two.1,
            };
            self.known.chosen.insert(value, choice);
        }
        value
    }

    pub(crate) fn sum(&mut self, a: Value, b: Value) -> Value {
        for (value, other) in [(a, b), (b, a)] {
            if let Some(&[x, y]) = self.known.products.get(&value) {
                return self.builder.ins().fma(x, y, other);
            }
        }
        for (value, other) in [(a, b), (b, a)] {
            if let Some(choice) = self.known.choice(value) {
                return self.after(choice, |ops, value| ops.sum(value, other));
            }
        }
        self.builder.ins().fadd(a, b)
    }

    pub(crate) fn difference(&mut self, a: Value, b: Value) -> Value {
        if let Some(&[x, y]) = self.known.products.get(&a) {
            let minus = self.builder.ins().fneg(b);
            return self.builder.ins().fma(x, y, minus);
        }
        if let Some(&[x, y]) = self.known.products.get(&b) {
            let minus = self.builder.ins().fneg(x);
            return self.builder.ins().fma(minus, y, a);
        }
        if let Some(choice) = self.known.choice(a) {
            return self.after(choice, |ops, a| ops.difference(a, b));
        }
        if let Some(choice) = self.known.choice(b) {
            return self.after(choice, |ops, b| ops.difference(a, b));
        }
        self.builder.ins().fsub(a, b)
    }

    /// Applies an operation on a chosen value to each value before one is chosen.
    fn after(&mut self, choice: Choice, sum: impl Fn(&mut Self, Value) -> Value) -> Value {
        let (then, other) = (sum(self, choice.then), sum(self, choice.other));
        self.choose(choice.holds, then, other)
    }

    /// y + a * b, of which a tick's integral is made.
    pub(crate) fn add_product(&mut self, y: Value, a: Value, b: Value) -> Value {
        if !self.contracts {
            let product = self.builder.ins().fmul(a, b);
            return self.builder.ins().fadd(y, product);
        }
        match self.known.divided.get(&a) {
            // The step divided by a constant does not wait for anything.
            Some(&[dividend, reciprocal]) => {
                let factor = self.builder.ins().fmul(reciprocal, b);
                self.builder.ins().fma(dividend, factor, y)
            }
            None => self.builder.ins().fma(a, b, y),
        }
    }
}
