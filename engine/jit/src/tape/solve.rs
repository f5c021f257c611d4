//! A row that is solved in a tick -> Newton's method in native code, where one unknown is near its solution; the engine
//! solves all other rows, and what the code does not find.
//!
//! The code takes the steps that the engine would take, with their bits, as long as these are whole; the engine begins
//! where the code began.

use std::collections::HashMap;

use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::types::{F64, I64};
use cranelift_codegen::ir::{Block, InstBuilder, StackSlotData, StackSlotKind, Value};
use situ_engine::backend::equations::{MOST_LEFT, RESTS, ROUNDING_AFTER};
use situ_engine::tape::{JacobianOps, Op, Slot, Solve};

use crate::flow::Set;
use crate::functions::Function;
use crate::memory::PLAIN;
use crate::ops::{Ops, Place};

impl Ops<'_, '_> {
    /// Solves equations for what they are to find.
    pub(super) fn solve(&mut self, op: &Op) {
        let row = &self.tape.solves[op.b as usize];
        let inputs: Vec<Value> = row
            .inputs
            .iter()
            .map(|(from, _)| self.slot(from.0))
            .collect();
        let begin: Vec<Value> = (row.unknowns.iter())
            .map(|unknown| self.slot(unknown.from.0))
            .collect();
        let after = self.builder.create_block();
        for _ in &row.unknowns {
            self.builder.append_block_param(after, F64);
        }
        if let (Some(slopes), None, [begin]) = (&row.jacobian, row.near, &begin[..])
            && let [entry] = slopes.entries[..]
        {
            let otherwise = self.builder.create_block();
            self.builder.set_cold_block(otherwise);
            let ways = Ways { after, otherwise };
            self.newton(row, (slopes, entry.slot), &inputs, *begin, ways);
            self.builder.seal_block(otherwise);
            self.builder.switch_to_block(otherwise);
        }
        let given: Vec<Value> = inputs.into_iter().chain(begin).collect();
        let found = self.solve_by_engine(row, &given);
        let found: Vec<_> = found.into_iter().map(Into::into).collect();
        self.builder.ins().jump(after, &found);
        self.builder.seal_block(after);
        self.builder.switch_to_block(after);
        let found = self.builder.block_params(after).to_vec();
        for (unknown, value) in row.unknowns.iter().zip(found) {
            self.set_slot(unknown.to.0, value);
        }
    }

    /// Calls the engine; the unknowns.
    fn solve_by_engine(&mut self, row: &Solve, given: &[Value]) -> Vec<Value> {
        let size = u32::try_from(8 * given.len()).expect("a row reads less than 2^29 values");
        let place = StackSlotData::new(StackSlotKind::ExplicitSlot, size, 3);
        let place = self.builder.create_sized_stack_slot(place);
        for (at, &value) in (0..).step_by(8).zip(given) {
            self.builder.ins().stack_store(I64, value, place, at);
        }
        let values = self.builder.ins().stack_addr(I64, place, 0);
        let row_at = std::ptr::from_ref(row) as i64;
        let row_at = self.builder.ins().iconst(I64, row_at);
        self.rare_call(Function::Solve, &[row_at, values]);
        let found = (0..)
            .step_by(8)
            .skip(row.inputs.len())
            .take(row.unknowns.len());
        found
            .map(|at| self.builder.ins().load(F64, PLAIN, values, at))
            .collect()
    }

    /// Newton's method from near the solution.
    fn newton(
        &mut self,
        row: &Solve,
        slope: (&JacobianOps, Slot),
        inputs: &[Value],
        begin: Value,
        ways: Ways,
    ) {
        let numbers = row.numbers.iter().map(|&(slot, value)| (slot.0, value));
        let numbers: HashMap<u32, f64> = numbers.collect();
        let mut varying = Set::new(row.n_slots);
        let computed = (0..row.n_slots).filter(|slot| !numbers.contains_key(slot));
        computed.for_each(|slot| varying.add(slot));
        let no_bits = Set::new(0);
        let mut ops = Ops::on_slots(Place {
            builder: &mut *self.builder,
            tape: self.tape,
            functions: &mut *self.functions,
            frame: self.frame,
            varying_slots: &varying,
            varying_bits: &no_bits,
            numbers: &numbers,
        });
        ops.branches = true;
        ops.numbers_are_known = true;
        for ((_, own), &value) in row.inputs.iter().zip(inputs) {
            ops.set_slot(own.0, value);
        }
        row.setup.iter().for_each(|op| ops.straight(op));
        Newton {
            ops,
            row,
            slope,
            ways,
        }
        .write(begin);
    }
}

/// Where the code goes on: with the solution, or without.
#[derive(Clone, Copy)]
struct Ways {
    after: Block,
    otherwise: Block,
}

/// The steps of Newton's method for one unknown.
struct Newton<'a, 'b, 'f> {
    ops: Ops<'b, 'f>,
    row: &'a Solve,
    /// The operations for the slope, and its slot.
    slope: (&'a JacobianOps, Slot),
    ways: Ways,
}

impl Newton<'_, '_, '_> {
    fn write(&mut self, begin: Value) {
        self.holds_within_bounds(begin);
        let first = self.residual(begin);
        let builder = &mut *self.ops.builder;
        let step = builder.create_block();
        let [x, residual] = [F64; 2].map(|kind| builder.append_block_param(step, kind));
        let count = builder.append_block_param(step, I64);
        let none = builder.ins().iconst(I64, 0);
        builder
            .ins()
            .jump(step, &[begin.into(), first.into(), none.into()]);
        builder.switch_to_block(step);
        let zero = self.ops.number(0.0);
        let solves = self.compare(FloatCC::Equal, residual, zero);
        self.found_if(solves, x);
        let (slopes, slot) = self.slope;
        slopes.ops.iter().for_each(|op| self.ops.straight(op));
        let slope = self.ops.slot(slot.0);
        let has_slope = self.compare(FloatCC::OrderedNotEqual, slope, zero);
        self.go_on_if(has_slope);
        self.go_on_if_finite(slope);
        self.go_on_if_finite(residual);
        let change = self.newton_step(residual, slope);
        let rests = self.rests(x, change);
        self.found_if(rests, x);
        let [x_size, change_size] = [x, change].map(|value| self.ops.builder.ins().fabs(value));
        let size = self.ops.builder.ins().fmax(x_size, change_size);
        let whole = self.square(change, size);
        let trial = self.ops.builder.ins().fadd(x, change);
        self.holds_within_bounds(trial);
        let next_residual = self.residual(trial);
        self.go_on_if_finite(next_residual);
        let next = self.newton_step(next_residual, slope);
        let left = self.square(next, size);
        let most = self.ops.number(MOST_LEFT);
        let most = self.ops.builder.ins().fmul(most, whole);
        let shrinks = self.compare(FloatCC::LessThanOrEqual, left, most);
        self.go_on_if(shrinks);
        let rests = self.rests(trial, next);
        self.found_if(rests, trial);
        let builder = &mut *self.ops.builder;
        let count = builder.ins().iadd_imm_s(count, 1);
        let again = [trial.into(), next_residual.into(), count.into()];
        let steps = i64::try_from(ROUNDING_AFTER).expect("small");
        let few = (builder.ins()).icmp_imm_s(IntCC::NotEqual, count, steps);
        builder
            .ins()
            .brif(few, step, &again, self.ways.otherwise, &[]);
        builder.seal_block(step);
    }

    /// The residual at a point, from which the slope's operations can go on.
    fn residual(&mut self, x: Value) -> Value {
        self.ops.set_slot(self.row.unknowns[0].own.0, x);
        self.row.ops.iter().for_each(|op| self.ops.straight(op));
        self.ops.slot(self.row.residuals[0].0)
    }

    fn newton_step(&mut self, residual: Value, slope: Value) -> Value {
        let ins = &mut *self.ops.builder;
        let less = ins.ins().fneg(residual);
        ins.ins().fdiv(less, slope)
    }

    /// The square of a step in units of the unknown's size.
    fn square(&mut self, step: Value, size: Value) -> Value {
        let ins = &mut *self.ops.builder;
        let length = ins.ins().fdiv(step, size);
        ins.ins().fmul(length, length)
    }

    /// True if a step is lost in the rounding of the unknown.
    fn rests(&mut self, x: Value, step: Value) -> Value {
        let [x, step] = [x, step].map(|value| self.ops.builder.ins().fabs(value));
        let rounding = self.ops.number(RESTS);
        let rounding = self.ops.builder.ins().fmul(rounding, x);
        let least = self.ops.number(f64::MIN_POSITIVE);
        let rounding = self.ops.builder.ins().fmax(rounding, least);
        self.compare(FloatCC::LessThanOrEqual, step, rounding)
    }

    fn compare(&mut self, condition: FloatCC, left: Value, right: Value) -> Value {
        self.ops.builder.ins().fcmp(condition, left, right)
    }

    fn go_on_if_finite(&mut self, value: Value) {
        let size = self.ops.builder.ins().fabs(value);
        let infinity = self.ops.number(f64::INFINITY);
        let is_finite = self.compare(FloatCC::LessThan, size, infinity);
        self.go_on_if(is_finite);
    }

    fn holds_within_bounds(&mut self, x: Value) {
        let Some([low, high]) = self.row.bounds else {
            return;
        };
        let [low, high] = [low, high].map(|slot| self.ops.slot(slot.0));
        let above = self.compare(FloatCC::LessThanOrEqual, low, x);
        let below = self.compare(FloatCC::LessThanOrEqual, x, high);
        let inside = self.ops.builder.ins().band(above, below);
        self.go_on_if(inside);
    }

    /// What follows is done if a condition holds; otherwise the engine begins anew.
    fn go_on_if(&mut self, holds: Value) {
        let next = self.ops.builder.create_block();
        let otherwise = self.ways.otherwise;
        self.ops
            .builder
            .ins()
            .brif(holds, next, &[], otherwise, &[]);
        self.enter(next);
    }

    /// The search is over if a condition holds.
    fn found_if(&mut self, holds: Value, x: Value) {
        let next = self.ops.builder.create_block();
        let after = self.ways.after;
        self.ops
            .builder
            .ins()
            .brif(holds, after, &[x.into()], next, &[]);
        self.enter(next);
    }

    fn enter(&mut self, block: Block) {
        self.ops.builder.seal_block(block);
        self.ops.builder.switch_to_block(block);
    }
}
