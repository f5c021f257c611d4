//! One op after the other: tape -> Cranelift's intermediate form.
//!
//! The meaning of an op is that of the op table. What has an instruction of its own with the same
//! result is written as instructions, everything else calls the function of the table. Booleans are
//! bytes, 0 or 1. A conditional part becomes a branch if it is long or calls something; otherwise it is
//! computed in any case, and its results are selected.

mod solve;

use std::collections::HashSet;
use std::mem::offset_of;
use std::ops::Range;

use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::types::{F64, I8, I64};
use cranelift_codegen::ir::{InstBuilder, Value};
use situ_engine::tape::{Code, Op, Shape, Slot};

use crate::arithmetic::{comparison, is_instructions};
use crate::call::{Frame, RawLine};
use crate::flow::{bits_written, literals, slots_written};
use crate::functions::Function;
use crate::memory::PLAIN;
use crate::ops::Ops;

/// A conditional part of at most this weight is computed in any case.
const CHEAP: usize = 8;

impl Ops<'_, '_> {
    /// Writes the ops of a part, in a tick whose number is `tick`.
    pub(crate) fn part(&mut self, part: Range<usize>, tick: Value) {
        let mut position = part.start;
        while position < part.end {
            let op = self.tape.ops[position];
            position += 1;
            if op.code == Code::SkipUnless {
                let end = (op.out as usize).min(part.end);
                let holds = self.test(op.a);
                self.conditional(holds, position..end, tick);
                position = end;
            } else {
                self.op(&op, tick);
            }
        }
    }

    /// Writes ops that are done only if a condition holds.
    pub(crate) fn conditional(&mut self, holds: Value, part: Range<usize>, tick: Value) {
        let ops = &self.tape.ops[part.clone()];
        let weight: usize = ops.iter().map(|op| self.weight(op)).sum();
        let known = (self.slots_known.clone(), self.bits_known.clone());
        if weight <= CHEAP {
            let written: HashSet<u32> = ops
                .iter()
                .flat_map(|op| slots_written(self.tape, op))
                .collect();
            let mut slots: Vec<u32> = written.intersection(&known.0).copied().collect();
            slots.sort_unstable();
            let written: HashSet<u32> = ops.iter().flat_map(bits_written).flatten().collect();
            let mut bits: Vec<u32> = written.intersection(&known.1).copied().collect();
            bits.sort_unstable();
            let slots: Vec<_> = slots.iter().map(|&slot| (slot, self.slot(slot))).collect();
            let bits: Vec<_> = bits.iter().map(|&bit| (bit, self.bit(bit))).collect();
            self.part(part, tick);
            for (slot, before) in slots {
                let now = self.slot(slot);
                let value = self.choose(holds, now, before);
                self.set_slot(slot, value);
            }
            for (bit, before) in bits {
                let now = self.bit(bit);
                let value = self.builder.ins().select(holds, now, before);
                self.set_bit(bit, value);
            }
        } else {
            let (then, after) = (self.builder.create_block(), self.builder.create_block());
            self.builder.ins().brif(holds, then, &[], after, &[]);
            self.builder.seal_block(then);
            self.builder.switch_to_block(then);
            let outside = self.known.clone();
            self.part(part, tick);
            self.known = outside;
            self.builder.ins().jump(after, &[]);
            self.builder.seal_block(after);
            self.builder.switch_to_block(after);
        }
        (self.slots_known, self.bits_known) = known;
    }

    /// Cost of an op, where an addition costs 1.
    fn weight(&self, op: &Op) -> usize {
        let calls = CHEAP + 1;
        match op.code {
            Code::Push | Code::Solve | Code::Due | Code::SkipUnless => calls,
            Code::Div | Code::Sqrt => 4,
            Code::Pow if self.product_power(op.b).is_some() => 2,
            code if code.function().is_some() && !is_instructions(code) => calls,
            _ => 1,
        }
    }

    /// True if a conjunction holds.
    pub(crate) fn test(&mut self, test: u32) -> Value {
        let Some(literals) = literals(self.tape, test) else {
            return self.builder.ins().iconst(I8, 0);
        };
        let mut all = None;
        for (bit, wanted) in literals {
            let mut value = self.bit(bit);
            if !wanted {
                value = self.not(value);
            }
            all = Some(match all {
                None => value,
                Some(all) => self.builder.ins().band(all, value),
            });
        }
        all.unwrap_or_else(|| self.builder.ins().iconst(I8, 1))
    }

    fn not(&mut self, value: Value) -> Value {
        self.builder.ins().bxor_imm_u(value, 1)
    }

    /// Writes an operation on reals.
    pub(crate) fn straight(&mut self, op: &Op) {
        let nothing = self.frame;
        self.op(op, nothing);
    }

    fn op(&mut self, op: &Op, tick: Value) {
        let Op { code, out, a, b } = *op;
        match code.shape() {
            Shape::Unary => {
                let x = self.slot(a);
                let value = self.unary(code, x);
                self.set_slot(out, value);
            }
            Shape::Binary => {
                let value = self.binary(code, a, b);
                self.set_slot(out, value);
            }
            Shape::Update => {
                let [y, a, b] = [out, a, b].map(|slot| self.slot(slot));
                let value = self.update(code, y, a, b);
                self.set_slot(out, value);
            }
            Shape::Compare => {
                let [left, right] = [a, b].map(|slot| self.slot(slot));
                let (condition, adds) = comparison(code);
                let mut value = self.builder.ins().fcmp(condition, left, right);
                if adds {
                    let held = self.bit(out);
                    value = self.builder.ins().band(held, value);
                }
                self.set_bit(out, value);
            }
            Shape::Test => {
                let mut value = self.test(a);
                if code == Code::OrTest {
                    let held = self.bit(out);
                    value = self.builder.ins().bor(held, value);
                }
                self.set_bit(out, value);
            }
            Shape::Rise => {
                let now = self.test(a);
                let (held, before) = (self.bit(out), self.bit(b));
                let fresh = self.not(before);
                let arises = self.builder.ins().band(now, fresh);
                let value = self.builder.ins().bor(held, arises);
                self.set_bit(out, value);
                self.set_bit(b, now);
            }
            Shape::Bit => {
                let value = i64::from(code == Code::SetBit);
                let value = self.builder.ins().iconst(I8, value);
                self.set_bit(out, value);
            }
            Shape::Push if code == Code::Solve => self.solve(op),
            Shape::Push => self.push(out, a, b),
            Shape::Due => self.due(op, tick),
            Shape::Jump => unreachable!("jumps are written by `part`"),
        }
    }

    /// A delay line takes in a value in the place of its oldest one, and gives out the one that is the oldest then.
    fn push(&mut self, out: u32, a: u32, line: u32) {
        let value = self.slot(a);
        let lines = self.field(offset_of!(Frame, lines));
        let size = i32::try_from(size_of::<RawLine>()).expect("small");
        let base = i32::try_from(line).expect("tapes of this size are refused") * size;
        let offset = |field: usize| base + i32::try_from(field).expect("small");
        let length_at = offset(offset_of!(RawLine, length));
        let oldest_at = offset(offset_of!(RawLine, oldest));
        let values_at = offset(offset_of!(RawLine, values));
        let length = self.builder.ins().load(I64, PLAIN, lines, length_at);
        let oldest = self.builder.ins().load(I64, PLAIN, lines, oldest_at);
        let (shift, after) = (self.builder.create_block(), self.builder.create_block());
        self.builder.append_block_param(after, F64);
        let has_place = self
            .builder
            .ins()
            .icmp(IntCC::UnsignedLessThan, oldest, length);
        self.builder
            .ins()
            .brif(has_place, shift, &[], after, &[value.into()]);
        self.builder.seal_block(shift);
        self.builder.switch_to_block(shift);
        let values = self.builder.ins().load(I64, PLAIN, lines, values_at);
        let place = self.place_in(values, oldest);
        self.builder.ins().store(PLAIN, value, place, 0);
        let next = self.builder.ins().iadd_imm_s(oldest, 1);
        let zero = self.builder.ins().iconst(I64, 0);
        let at_end = self.builder.ins().icmp(IntCC::Equal, next, length);
        let next = self.builder.ins().select(at_end, zero, next);
        self.builder.ins().store(PLAIN, next, lines, oldest_at);
        let place = self.place_in(values, next);
        let given = self.builder.ins().load(F64, PLAIN, place, 0);
        self.builder.ins().jump(after, &[given.into()]);
        self.builder.seal_block(after);
        self.builder.switch_to_block(after);
        let given = self.builder.block_params(after)[0];
        self.set_slot(out, given);
    }

    /// The address of a number in a row of them.
    fn place_in(&mut self, values: Value, position: Value) -> Value {
        let distance = self.builder.ins().ishl_imm_u(position, 3);
        self.builder.ins().iadd(values, distance)
    }

    /// Test for a schedule that is due: it mostly is not, which a bound of the rounding of both times shows.
    fn due(&mut self, op: &Op, tick: Value) {
        /// More than eight units in the last place of any of the terms of a sum of sizes, and what the beat itself
        /// is rounded by.
        const SLACK: f64 = 16.0 * f64::EPSILON;
        let period = self.tape.periods[op.b as usize];
        let [length, first, step] =
            [period.period, period.first, period.step].map(|Slot(slot)| self.slot(slot));
        let over = self.slot(op.a);
        let since = self.field(offset_of!(Frame, since_tick));
        let begun =
            self.builder
                .ins()
                .load(F64, PLAIN, self.frame, offset_of!(Frame, since) as i32);
        let tick = self.builder.ins().isub(tick, since);
        let count = self.builder.ins().fcvt_from_sint(F64, tick);
        let elapsed = self.builder.ins().fmul(count, step);
        let time = self.builder.ins().fadd(begun, elapsed);
        let passed = self.builder.ins().fmul(over, length);
        let next = self.builder.ins().fadd(first, passed);
        let sizes = [first, passed, begun, elapsed].map(|term| self.builder.ins().fabs(term));
        let size = sizes[1..]
            .iter()
            .fold(sizes[0], |sum, &size| self.builder.ins().fadd(sum, size));
        let slack = self.number(SLACK);
        let slack = self.builder.ins().fmul(slack, size);
        let next = self.builder.ins().fsub(next, slack);
        let later = self.builder.ins().fcmp(FloatCC::GreaterThan, next, time);
        let (now, after) = (self.builder.create_block(), self.builder.create_block());
        self.builder.append_block_param(after, I8);
        self.builder.append_block_param(after, F64);
        let no = self.builder.ins().iconst(I8, 0);
        self.builder
            .ins()
            .brif(later, after, &[no.into(), over.into()], now, &[]);
        self.builder.seal_block(now);
        self.builder.set_cold_block(now);
        self.builder.switch_to_block(now);
        let counted = self.rare_call(Function::Due, &[length, first, begun, step, over, tick]);
        let zero = self.number(0.0);
        let is_due = self
            .builder
            .ins()
            .fcmp(FloatCC::GreaterThanOrEqual, counted, zero);
        let counted = self.builder.ins().select(is_due, counted, over);
        self.builder
            .ins()
            .jump(after, &[is_due.into(), counted.into()]);
        self.builder.seal_block(after);
        self.builder.switch_to_block(after);
        let params = self.builder.block_params(after);
        let (is_due, counted) = (params[0], params[1]);
        self.set_bit(op.out, is_due);
        self.set_slot(op.a, counted);
    }
}
