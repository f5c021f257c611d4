//! Sine and cosine as instructions: those of the op table, operation by operation, so that the same
//! bits come out. Both of one angle share all they have in common, because equal operations are done
//! once. The few angles that the table's function leaves to `libm` are left to it here too.
//!
//! In a step sines branch (a small angle, an odd quarter turn), since each stage waits for the one before; in a tick
//! they select.

use cranelift_codegen::ir::condcodes::FloatCC;
use cranelift_codegen::ir::types::{F64, I64};
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Value};
use situ_engine::tape::Code;
use situ_solve::elementary::circular::{COSINE, LARGE, QUARTER, ROUND, SINE, TINY};
use std::f64::consts::{FRAC_2_PI, FRAC_PI_4};

use crate::functions::Function;
use crate::ops::Ops;

/// The sine of an angle in radians.
pub(crate) fn sin(ops: &mut Ops<'_, '_>, x: Value) -> Value {
    if ops.branches {
        return by_branch(ops, Code::Sin, x, 0);
    }
    let rest = Rest::of(ops, x);
    let value = rest.sine(ops, 0);
    rest.unless_hard(ops, Code::Sin, x, value)
}

/// The cosine of an angle in radians.
pub(crate) fn cos(ops: &mut Ops<'_, '_>, x: Value) -> Value {
    if ops.branches {
        return by_branch(ops, Code::Cos, x, 1);
    }
    let rest = Rest::of(ops, x);
    let value = rest.sine(ops, 1);
    rest.unless_hard(ops, Code::Cos, x, value)
}

/// The same with branches, where only one angle is waited for: what is not needed is not computed.
fn by_branch(ops: &mut Ops<'_, '_>, code: Code, x: Value, further: i64) -> Value {
    let [small, large, even, odd, signed, after] =
        std::array::from_fn(|_| ops.builder.create_block());
    for block in [signed, after] {
        ops.builder.append_block_param(block, F64);
    }
    let limit = ops.number(FRAC_PI_4);
    let size = ops.builder.ins().fabs(x);
    let ins = &mut *ops.builder;
    let is_small = ins.ins().fcmp(FloatCC::LessThanOrEqual, size, limit);
    ins.ins().brif(is_small, small, &[], large, &[]);
    let enter = |ops: &mut Ops<'_, '_>, block| {
        ops.builder.seal_block(block);
        ops.builder.switch_to_block(block);
    };

    enter(ops, small);
    let zero = ops.number(0.0);
    let none = ops.builder.ins().iconst(I64, 0);
    let rest = Rest {
        turns: none,
        y: x,
        tail: zero,
        easy: is_small,
    };
    let value = match further {
        0 => rest.sine_of_rest(ops),
        _ => rest.cosine_of_rest(ops),
    };
    ops.builder.ins().jump(after, &[value.into()]);

    enter(ops, large);
    let rest = Rest::of_large(ops, x);
    let ins = &mut *ops.builder;
    let turns = ins.ins().iadd_imm_s(rest.turns, further);
    let is_odd = ins.ins().band_imm_u(turns, 1);
    ins.ins().brif(is_odd, odd, &[], even, &[]);
    enter(ops, even);
    let value = rest.sine_of_rest(ops);
    ops.builder.ins().jump(signed, &[value.into()]);
    enter(ops, odd);
    let value = rest.cosine_of_rest(ops);
    ops.builder.ins().jump(signed, &[value.into()]);
    enter(ops, signed);
    let value = ops.builder.block_params(signed)[0];
    let value = with_sign_of(ops, turns, value);
    let value = rest.unless_hard(ops, code, x, value);
    ops.builder.ins().jump(after, &[value.into()]);
    enter(ops, after);
    ops.builder.block_params(after)[0]
}

/// Two quarter turns change the sign.
fn with_sign_of(ops: &mut Ops<'_, '_>, turns: Value, value: Value) -> Value {
    let ins = &mut *ops.builder;
    let half = ins.ins().band_imm_u(turns, 2);
    let sign = ins.ins().ishl_imm_u(half, 62);
    let sign = ins.ins().bitcast(F64, MemFlagsData::new(), sign);
    ins.ins().bxor(value, sign)
}

/// An angle less quarter turns.
struct Rest {
    /// Quarter turns; only the last two bits count.
    turns: Value,
    /// Reduced angle [rad].
    y: Value,
    /// Rounding error of `y`, to be added to it.
    tail: Value,
    /// True if no more digits are needed.
    easy: Value,
}

impl Rest {
    /// Of any angle.
    fn of(ops: &mut Ops<'_, '_>, x: Value) -> Self {
        let large = Self::of_large(ops, x);
        let small = ops.number(FRAC_PI_4);
        // A small angle is its own rest: there the operations above give no turns and no tail, but
        // wait for each other.
        let ins = &mut *ops.builder;
        let size = ins.ins().fabs(x);
        let is_small = ins.ins().fcmp(FloatCC::LessThanOrEqual, size, small);
        let zero = ins.ins().f64const(0.0);
        let none = ins.ins().iconst(I64, 0);
        Self {
            y: ins.ins().select(is_small, x, large.y),
            tail: ins.ins().select(is_small, zero, large.tail),
            turns: ins.ins().select(is_small, none, large.turns),
            easy: ins.ins().bor(large.easy, is_small),
        }
    }

    /// Of an angle that is not small.
    fn of_large(ops: &mut Ops<'_, '_>, x: Value) -> Self {
        let [two_by_pi, round, large, tiny] =
            [FRAC_2_PI, ROUND, LARGE, TINY].map(|value| ops.number(value));
        let quarter = QUARTER.map(|value| ops.number(value));
        let ins = &mut *ops.builder;
        let shifted = ins.ins().fma(x, two_by_pi, round);
        let turns = ins.ins().fsub(shifted, round);
        let back = ins.ins().fneg(turns);
        let first = ins.ins().fma(back, quarter[0], x);
        let middle = ins.ins().fmul(turns, quarter[1]);
        let last = ins.ins().fmul(turns, quarter[2]);
        let part = ins.ins().fadd(middle, last);
        let y = ins.ins().fsub(first, part);
        let lent = ins.ins().fsub(y, first);
        let kept = ins.ins().fsub(y, lent);
        let lost = ins.ins().fsub(first, kept);
        let taken = ins.ins().fadd(part, lent);
        let lost = ins.ins().fsub(lost, taken);
        let lacks = ins.ins().fsub(middle, part);
        let lacks = ins.ins().fadd(lacks, last);
        let tail = ins.ins().fsub(lost, lacks);
        let size = ins.ins().fabs(x);
        let rest_size = ins.ins().fabs(y);
        let is_exact = ins.ins().fcmp(FloatCC::GreaterThanOrEqual, rest_size, tiny);
        let in_range = ins.ins().fcmp(FloatCC::LessThanOrEqual, size, large);
        Self {
            turns: ins.ins().bitcast(I64, MemFlagsData::new(), shifted),
            y,
            tail,
            easy: ins.ins().band(in_range, is_exact),
        }
    }

    /// The sine of the whole angle and so many quarter turns more.
    fn sine(&self, ops: &mut Ops<'_, '_>, further: i64) -> Value {
        let (even, odd) = (self.sine_of_rest(ops), self.cosine_of_rest(ops));
        let ins = &mut *ops.builder;
        let turns = ins.ins().iadd_imm_s(self.turns, further);
        let is_odd = ins.ins().band_imm_u(turns, 1);
        let value = ins.ins().select(is_odd, odd, even);
        with_sign_of(ops, turns, value)
    }

    fn sine_of_rest(&self, ops: &mut Ops<'_, '_>) -> Value {
        let (y, tail) = (self.y, self.tail);
        let [minus_half, one] = [-0.5, 1.0].map(|value| ops.number(value));
        let z = ops.builder.ins().fmul(y, y);
        let polynomial = polynomial(ops, SINE, z);
        let ins = &mut *ops.builder;
        let slope = ins.ins().fma(z, minus_half, one);
        let little = ins.ins().fmul(tail, slope);
        let cube = ins.ins().fmul(z, y);
        let rest = ins.ins().fma(cube, polynomial, little);
        let value = ins.ins().fadd(y, rest);
        ins.ins().fcopysign(value, y)
    }

    fn cosine_of_rest(&self, ops: &mut Ops<'_, '_>) -> Value {
        let (y, tail) = (self.y, self.tail);
        let [half, one] = [0.5, 1.0].map(|value| ops.number(value));
        let z = ops.builder.ins().fmul(y, y);
        let polynomial = polynomial(ops, COSINE, z);
        let ins = &mut *ops.builder;
        let half = ins.ins().fmul(half, z);
        let most = ins.ins().fsub(one, half);
        let given = ins.ins().fsub(one, most);
        let lost = ins.ins().fsub(given, half);
        let minus = ins.ins().fneg(y);
        let little = ins.ins().fma(minus, tail, lost);
        let fourth = ins.ins().fmul(z, z);
        let rest = ins.ins().fma(fourth, polynomial, little);
        ins.ins().fadd(most, rest)
    }

    /// The value, or that of the table's function if more digits are needed.
    fn unless_hard(&self, ops: &mut Ops<'_, '_>, code: Code, x: Value, value: Value) -> Value {
        let (hard, after) = (ops.builder.create_block(), ops.builder.create_block());
        ops.builder.append_block_param(after, F64);
        ops.builder.set_cold_block(hard);
        ops.builder
            .ins()
            .brif(self.easy, after, &[value.into()], hard, &[]);
        ops.builder.seal_block(hard);
        ops.builder.switch_to_block(hard);
        let exact = ops.rare_call(Function::Table(code), &[x]);
        ops.builder.ins().jump(after, &[exact.into()]);
        ops.builder.seal_block(after);
        ops.builder.switch_to_block(after);
        ops.builder.block_params(after)[0]
    }
}

/// A polynomial in z, in the order of the table's function.
fn polynomial(ops: &mut Ops<'_, '_>, coefficients: [f64; 6], z: Value) -> Value {
    let c = coefficients.map(|value| ops.number(value));
    let ins = &mut *ops.builder;
    let square = ins.ins().fmul(z, z);
    let mut pair = |low: Value, high: Value| ins.ins().fma(z, high, low);
    let (low, middle, high) = (pair(c[0], c[1]), pair(c[2], c[3]), pair(c[4], c[5]));
    let high = ins.ins().fma(square, high, middle);
    ins.ins().fma(square, high, low)
}
