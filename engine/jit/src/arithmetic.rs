//! Arithmetic of the tape as instructions of Cranelift, and calls where there are none.

use cranelift_codegen::ir::condcodes::FloatCC;
use cranelift_codegen::ir::{InstBuilder, Value};
use situ_engine::tape::Code;

use crate::circular;
use crate::ops::Ops;

impl Ops<'_, '_> {
    pub(super) fn unary(&mut self, code: Code, x: Value) -> Value {
        match code {
            Code::Copy => x,
            Code::Neg => self.builder.ins().fneg(x),
            Code::Abs => self.builder.ins().fabs(x),
            Code::Sign => {
                let zero = self.number(0.0);
                let [one, minus] = [1.0, -1.0].map(|value| self.number(value));
                let above = self.builder.ins().fcmp(FloatCC::GreaterThan, x, zero);
                let below = self.builder.ins().fcmp(FloatCC::LessThan, x, zero);
                let other = self.builder.ins().select(below, minus, x);
                self.builder.ins().select(above, one, other)
            }
            Code::Sqrt => self.builder.ins().sqrt(x),
            Code::Floor => self.builder.ins().floor(x),
            Code::Sin => circular::sin(self, x),
            Code::Cos => circular::cos(self, x),
            _ => self.call(code, &[x]),
        }
    }

    pub(super) fn binary(&mut self, code: Code, slot_a: u32, slot_b: u32) -> Value {
        let a = self.slot(slot_a);
        if code == Code::Div
            && let Some(variable) = self.reciprocals.and_then(|known| known.get(&slot_b))
        {
            let reciprocal = self.builder.use_var(*variable);
            return self.quotient(a, reciprocal);
        }
        if code == Code::Pow
            && let Some(power) = self.product_power(slot_b)
        {
            return self.power(a, power);
        }
        let b = self.slot(slot_b);
        match code {
            Code::Add => self.sum(a, b),
            Code::Sub => self.difference(a, b),
            Code::Mul => self.product(a, b),
            Code::Div => self.builder.ins().fdiv(a, b),
            Code::Min => self.builder.ins().fmin(a, b),
            Code::Max => self.builder.ins().fmax(a, b),
            Code::AtLeast => {
                let [zero, one] = [0.0, 1.0].map(|value| self.number(value));
                let holds = self.builder.ins().fcmp(FloatCC::GreaterThanOrEqual, a, b);
                self.builder.ins().select(holds, one, zero)
            }
            Code::Gate => {
                let zero = self.number(0.0);
                let product = self.builder.ins().fmul(a, b);
                let shut = self.builder.ins().fcmp(FloatCC::Equal, a, zero);
                self.builder.ins().select(shut, zero, product)
            }
            _ => self.call(code, &[a, b]),
        }
    }

    pub(super) fn update(&mut self, code: Code, y: Value, a: Value, b: Value) -> Value {
        match code {
            Code::AddMul => self.add_product(y, a, b),
            Code::Approach => {
                let way = self.builder.ins().fsub(a, y);
                let part = self.builder.ins().fmul(way, b);
                self.builder.ins().fadd(y, part)
            }
            Code::LowerAt => {
                let zero = self.number(0.0);
                let low = self.builder.ins().fcmp(FloatCC::LessThanOrEqual, a, b);
                self.builder.ins().select(low, zero, y)
            }
            Code::RaiseAt => {
                let one = self.number(1.0);
                let high = self.builder.ins().fcmp(FloatCC::GreaterThanOrEqual, a, b);
                self.builder.ins().select(high, one, y)
            }
            _ => self.call(code, &[y, a, b]),
        }
    }

    /// The exponent in a slot, if the power is one of the products that the op table names.
    pub(super) fn product_power(&self, slot: u32) -> Option<f64> {
        let powers = [0.0, 1.0, 2.0, 3.0, 4.0, -1.0, -2.0];
        let power = self.numbers.get(&slot)?;
        powers.contains(power).then_some(*power)
    }

    pub(super) fn power(&mut self, a: Value, power: f64) -> Value {
        if power == 0.0 {
            return self.number(1.0);
        }
        let one = self.number(1.0);
        let square = self.builder.ins().fmul(a, a);
        match power {
            1.0 => a,
            2.0 => square,
            3.0 => self.builder.ins().fmul(square, a),
            4.0 => self.builder.ins().fmul(square, square),
            -1.0 => self.builder.ins().fdiv(one, a),
            _ => self.builder.ins().fdiv(one, square),
        }
    }
}

/// The condition of a comparison, and whether the bit must have held already.
pub(super) fn comparison(code: Code) -> (FloatCC, bool) {
    match code {
        Code::Less => (FloatCC::LessThan, false),
        Code::LessEqual => (FloatCC::LessThanOrEqual, false),
        Code::Greater => (FloatCC::GreaterThan, false),
        Code::GreaterEqual => (FloatCC::GreaterThanOrEqual, false),
        Code::AndLess => (FloatCC::LessThan, true),
        Code::AndLessEqual => (FloatCC::LessThanOrEqual, true),
        Code::AndGreater => (FloatCC::GreaterThan, true),
        Code::AndGreaterEqual => (FloatCC::GreaterThanOrEqual, true),
        _ => unreachable!("the shape of {} is another", code.name()),
    }
}

/// True if an op is done by a few instructions and calls nothing.
pub(super) fn is_instructions(code: Code) -> bool {
    matches!(
        code,
        Code::Copy
            | Code::Neg
            | Code::Abs
            | Code::Sign
            | Code::Sqrt
            | Code::Floor
            | Code::Add
            | Code::Sub
            | Code::Mul
            | Code::Div
            | Code::Min
            | Code::Max
            | Code::AtLeast
            | Code::Gate
            | Code::AddMul
            | Code::Approach
            | Code::LowerAt
            | Code::RaiseAt
    )
}
