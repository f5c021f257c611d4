//! A small table as one function: the loop over ticks with everything that changes in registers.
//!
//! Most ticks are *lean*: what they compute and no later tick reads is not stored, and mostly not even
//! computed. Before a row, and at the end, comes a *full* tick, which stores all it computes. If rows are
//! read after every tick all ticks are full.

use std::collections::HashMap;
use std::mem::offset_of;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{F64, I64};
use cranelift_codegen::ir::{Block, InstBuilder, Value};
use cranelift_frontend::{FunctionBuilder, Variable};
use situ_engine::sim::compiled::{COMBINATIONS, TickJob, TickLog};
use situ_engine::tape::Code;

use crate::Leave;
use crate::call::Frame;
use crate::flow::{Flow, Part, telling_bits};
use crate::functions::Functions;
use crate::memory::{PLAIN, byte, word};
use crate::ops::{Ops, Place};

/// Writes the function. Result: whether it counts combinations of bits.
pub(crate) fn write(
    job: &TickJob,
    leave: Leave,
    functions: &mut Functions,
    builder: &mut FunctionBuilder<'_>,
) -> bool {
    let (program, tape) = (&*job.program, &job.program.tape);
    let (tick, probes) = (job.tick(), job.probes());
    let given = [program.clock.time.0, program.clock.row_time.0];
    let given = if program.clock.is_read {
        &given[..]
    } else {
        &given[1..]
    };
    let mut flow = Flow::of(tape, &Part::whole(0..probes.end.max(tick.end)), given);
    for &slot in given {
        flow.slots_written.add(slot);
    }
    let numbers = tape.numbers.iter().map(|&(slot, value)| (slot.0, value));
    let numbers: HashMap<u32, f64> = numbers.collect();
    let telling = telling_bits(tape, tick);

    let entry = builder.create_block();
    builder.append_block_params_for_function_params(entry);
    builder.switch_to_block(entry);
    builder.seal_block(entry);
    let frame = builder.block_params(entry)[0];
    let [at, spoilt] = [I64, F64].map(|kind| builder.declare_var(kind));
    let mut ops = Ops::new(Place {
        builder,
        tape,
        functions,
        frame,
        varying_slots: &flow.slots_written,
        varying_bits: &flow.bits_written,
        numbers: &numbers,
    });
    let mut reciprocals = HashMap::new();
    if leave.reciprocals {
        let divisors = tape
            .ops
            .iter()
            .filter(|op| op.code == Code::Div)
            .map(|op| op.b);
        for slot in divisors.filter(|&slot| !flow.slots_written.has(slot)) {
            reciprocals.entry(slot).or_insert_with(|| {
                let variable = ops.builder.declare_var(F64);
                let (one, divisor) = (ops.number(1.0), ops.load_slot(slot));
                let value = ops.builder.ins().fdiv(one, divisor);
                ops.builder.def_var(variable, value);
                variable
            });
        }
        ops.reciprocals = Some(&reciprocals);
    }
    ops.contracts = leave.contracts;
    // Which events have fired between two rows is seen from the changes themselves.
    let has_events = program.event_bits.iter().any(|&word| word != 0);
    let counts = job.counted && !has_events && telling.len() <= COMBINATIONS.ilog2() as usize;
    let mut whole = Whole {
        counts,
        job,
        ops,
        at,
        spoilt,
        telling,
        kept: kept(job, &flow),
    };
    whole.begin(&flow);
    whole.ticks();
    counts
}

/// Slots that a full tick stores: all that it writes and somebody reads after it.
fn kept(job: &TickJob, flow: &Flow) -> Vec<u32> {
    let n_reals = job.program.n_reals;
    let is_kept = |slot: &u32| (*slot as usize) < n_reals || flow.slots_needed.has(*slot);
    flow.slots_written.iter().filter(is_kept).collect()
}

struct Whole<'a, 'f> {
    job: &'a TickJob,
    ops: Ops<'a, 'f>,
    /// Ticks done.
    at: Variable,
    /// Becomes NaN with a watched slot.
    spoilt: Variable,
    telling: Vec<u32>,
    /// Changes are counted, not noted one by one.
    counts: bool,
    kept: Vec<u32>,
}

impl Whole<'_, '_> {
    /// Loads all that may be read before it is written.
    fn begin(&mut self, flow: &Flow) {
        for slot in self.kept.clone() {
            let value = self.ops.load_slot(slot);
            self.ops.set_slot(slot, value);
        }
        for bit in flow.bits_written.iter() {
            let value = self.ops.load_bit(bit);
            self.ops.set_bit(bit, value);
        }
        if self.counts {
            let place = self.number_place();
            let first = self.ops.builder.ins().iconst(I64, 0);
            self.ops.builder.ins().store(PLAIN, first, place, 0);
        }
        let tick = self.ops.field(offset_of!(Frame, tick));
        self.ops.builder.def_var(self.at, tick);
        let zero = self.ops.number(0.0);
        self.ops.builder.def_var(self.spoilt, zero);
    }

    fn ticks(&mut self) {
        let [outer, full, exit] = std::array::from_fn(|_| self.ops.builder.create_block());
        self.ops.builder.ins().jump(outer, &[]);
        self.ops.builder.switch_to_block(outer);
        if self.job.probed {
            self.ops.builder.ins().jump(full, &[]);
        } else {
            let lean = self.ops.builder.create_block();
            let lean_end = self.lean_end();
            let at = self.ops.builder.use_var(self.at);
            self.go_on(at, lean_end, lean, full);
            self.ops.builder.switch_to_block(lean);
            let next = self.tick();
            self.go_on(next, lean_end, lean, full);
            self.ops.builder.seal_block(lean);
        }
        self.ops.builder.seal_block(full);
        self.ops.builder.switch_to_block(full);
        self.full(outer, exit);
        self.ops.builder.seal_block(outer);
        self.ops.builder.seal_block(exit);
        self.ops.builder.switch_to_block(exit);
        let at = self.ops.builder.use_var(self.at);
        self.ops.set_field(offset_of!(Frame, tick), at);
        let spoilt = self.ops.builder.use_var(self.spoilt);
        self.ops.set_field(offset_of!(Frame, spoilt), spoilt);
        self.ops.builder.ins().return_(&[]);
    }

    /// The tick before which the next full one comes: the one of a row, the last one, or one after
    /// which the log might be full.
    fn lean_end(&mut self) -> Value {
        let end = self.ops.field(offset_of!(Frame, end));
        let next_row = self.ops.field(offset_of!(Frame, next_row));
        let most = self.ops.field(offset_of!(Frame, max_changes));
        let changes = self.ops.field(offset_of!(Frame, n_changes));
        let at = self.ops.builder.use_var(self.at);
        let ins = &mut *self.ops.builder;
        let room = ins.ins().isub(most, changes);
        let by_room = ins.ins().iadd(at, room);
        let stop = ins.ins().umin(end, next_row);
        let stop = ins.ins().umin(stop, by_room);
        ins.ins().iadd_imm_s(stop, -1)
    }

    fn go_on(&mut self, at: Value, end: Value, again: Block, after: Block) {
        let ins = &mut *self.ops.builder;
        let more = ins.ins().icmp(IntCC::UnsignedLessThan, at, end);
        ins.ins().brif(more, again, &[], after, &[]);
    }

    /// One tick; the number of ticks then done.
    fn tick(&mut self) -> Value {
        let program = &*self.job.program;
        let tick = self.ops.builder.use_var(self.at);
        if program.clock.is_read {
            let time = self.time_of(tick);
            self.ops.set_slot(program.clock.time.0, time);
        }
        let telling = self.telling.clone();
        let before: Vec<Value> = telling.iter().map(|&bit| self.ops.bit(bit)).collect();
        self.ops.begin_tick();
        self.ops.part(self.job.tick(), tick);
        self.watch();
        let mut changed = None;
        for (&bit, before) in telling.iter().zip(before) {
            let now = self.ops.bit(bit);
            let ins = &mut *self.ops.builder;
            let differs = ins.ins().bxor(before, now);
            changed = Some(match changed {
                None => differs,
                Some(changed) => ins.ins().bor(changed, differs),
            });
        }
        if let Some(changed) = changed {
            self.note_change(changed, tick);
        }
        let next = self.ops.builder.ins().iadd_imm_s(tick, 1);
        self.ops.builder.def_var(self.at, next);
        next
    }

    /// The time at the start of a tick.
    fn time_of(&mut self, tick: Value) -> Value {
        let since_tick = self.ops.field(offset_of!(Frame, since_tick));
        let since = self.real_field(offset_of!(Frame, since));
        let step = self.ops.slot(self.job.program.clock.step.0);
        let ins = &mut *self.ops.builder;
        let count = ins.ins().isub(tick, since_tick);
        let count = ins.ins().fcvt_from_sint(F64, count);
        let passed = ins.ins().fmul(count, step);
        ins.ins().fadd(since, passed)
    }

    fn real_field(&mut self, offset: usize) -> Value {
        let offset = i32::try_from(offset).expect("a frame is small");
        let frame = self.ops.frame;
        self.ops.builder.ins().load(F64, PLAIN, frame, offset)
    }

    /// `x * 0` is NaN for an x that is not finite, and a sum with it stays NaN.
    fn watch(&mut self) {
        for &slot in self.job.watched.iter() {
            let (value, zero) = (self.ops.slot(slot), self.ops.number(0.0));
            let spoilt = self.ops.builder.use_var(self.spoilt);
            let ins = &mut *self.ops.builder;
            let nothing = ins.ins().fmul(value, zero);
            let spoilt = ins.ins().fadd(spoilt, nothing);
            self.ops.builder.def_var(self.spoilt, spoilt);
        }
    }

    /// Notes a change of bits, if there is one.
    fn note_change(&mut self, changed: Value, tick: Value) {
        let [note, after] = std::array::from_fn(|_| self.ops.builder.create_block());
        self.ops.builder.set_cold_block(note);
        self.ops.builder.ins().brif(changed, note, &[], after, &[]);
        self.enter(note);
        if self.counts {
            let place = self.number_place();
            self.count_standing(tick);
            let number = self.ops.builder.ins().load(I64, PLAIN, place, 0);
            self.ops.set_field(offset_of!(Frame, standing), number);
            let unknown = self.ops.builder.create_block();
            self.ops.builder.set_cold_block(unknown);
            let ins = &mut *self.ops.builder;
            let is_unknown = ins.ins().icmp_imm_s(IntCC::Equal, number, -1);
            ins.ins().brif(is_unknown, unknown, &[], after, &[]);
            self.enter(unknown);
            let number = self.note_bits(tick);
            self.ops.builder.ins().store(PLAIN, number, place, 0);
            self.ops.set_field(offset_of!(Frame, standing), number);
        } else {
            self.note_bits(tick);
        }
        self.ops.builder.ins().jump(after, &[]);
        self.enter(after);
    }

    /// Goes on in a block to which all ways lead already.
    fn enter(&mut self, block: Block) {
        self.ops.builder.seal_block(block);
        self.ops.builder.switch_to_block(block);
    }

    /// Address of the number of the combination that the bits form.
    fn number_place(&mut self) -> Value {
        let mut place = self.ops.field(offset_of!(Frame, numbers));
        for (bit, shift) in self.telling.clone().into_iter().zip(3..) {
            let value = self.ops.bit(bit);
            let ins = &mut *self.ops.builder;
            let wide = ins.ins().uextend(I64, value);
            let distance = ins.ins().ishl_imm_u(wide, shift);
            place = ins.ins().iadd(place, distance);
        }
        place
    }

    /// Counts the ticks of the combination that stood up to a tick; another one stands from there.
    fn count_standing(&mut self, tick: Value) {
        let standing = self.ops.field(offset_of!(Frame, standing));
        let since = self.ops.field(offset_of!(Frame, standing_since));
        let counts = self.ops.field(offset_of!(Frame, counts));
        let ins = &mut *self.ops.builder;
        let distance = ins.ins().ishl_imm_u(standing, 3);
        let place = ins.ins().iadd(counts, distance);
        let count = ins.ins().load(I64, PLAIN, place, 0);
        let ticks = ins.ins().isub(tick, since);
        let count = ins.ins().iadd(count, ticks);
        ins.ins().store(PLAIN, count, place, 0);
        self.ops.set_field(offset_of!(Frame, standing_since), tick);
    }

    /// Notes all bits; how many changes are then noted.
    fn note_bits(&mut self, tick: Value) -> Value {
        let n_bits = self.job.program.tape.n_bits;
        let n_changes = self.ops.field(offset_of!(Frame, n_changes));
        let ticks = self.ops.field(offset_of!(Frame, change_ticks));
        let bits = self.ops.field(offset_of!(Frame, change_bits));
        let ins = &mut *self.ops.builder;
        let distance = ins.ins().ishl_imm_u(n_changes, 3);
        let place = ins.ins().iadd(ticks, distance);
        ins.ins().store(PLAIN, tick, place, 0);
        let stride = TickLog::stride(n_bits as usize) as i64;
        let distance = ins.ins().imul_imm_s(n_changes, stride);
        let place = ins.ins().iadd(bits, distance);
        for bit in 0..n_bits {
            let value = self.ops.bit(bit);
            self.ops.builder.ins().store(PLAIN, value, place, byte(bit));
        }
        let n_changes = self.ops.builder.ins().iadd_imm_s(n_changes, 1);
        self.ops.set_field(offset_of!(Frame, n_changes), n_changes);
        n_changes
    }

    /// One tick that stores what it computes, with all that comes after a tick.
    fn full(&mut self, again: Block, exit: Block) {
        let next = self.tick();
        let mut stopped = None;
        if self.job.probed {
            stopped = self.probes(next);
        }
        for slot in self.kept.clone() {
            let value = self.ops.slot(slot);
            let reals = self.ops.reals;
            self.ops
                .builder
                .ins()
                .store(PLAIN, value, reals, word(slot));
        }
        let varying_bits = self.ops.varying_bits;
        for bit in varying_bits.iter() {
            let value = self.ops.bit(bit);
            let bits = self.ops.bits;
            self.ops.builder.ins().store(PLAIN, value, bits, byte(bit));
        }
        self.row(next);
        let mut more = self.is_less(next, offset_of!(Frame, end));
        for (count, most) in [
            (offset_of!(Frame, n_rows), offset_of!(Frame, max_rows)),
            (offset_of!(Frame, n_changes), offset_of!(Frame, max_changes)),
        ] {
            let count = self.ops.field(count);
            let room = self.is_less(count, most);
            more = self.ops.builder.ins().band(more, room);
        }
        if let Some(stopped) = stopped {
            let wide = self.ops.builder.ins().uextend(I64, stopped);
            self.ops.set_field(offset_of!(Frame, stopped), wide);
            let goes_on = self.ops.builder.ins().bxor_imm_u(stopped, 1);
            more = self.ops.builder.ins().band(more, goes_on);
        }
        self.ops.builder.ins().brif(more, again, &[], exit, &[]);
    }

    fn is_less(&mut self, value: Value, field: usize) -> Value {
        let most = self.ops.field(field);
        let ins = &mut *self.ops.builder;
        ins.ins().icmp(IntCC::UnsignedLessThan, value, most)
    }

    /// Reads the row after a tick; whether the run is to stop.
    fn probes(&mut self, next: Value) -> Option<Value> {
        let program = &*self.job.program;
        let time = self.time_of(next);
        self.ops.set_slot(program.clock.row_time.0, time);
        self.ops.part(self.job.probes(), next);
        let values = self.ops.field(offset_of!(Frame, probe_values));
        for (slot, place) in program.probes.values.iter().zip(0..) {
            let value = self.ops.slot(slot.0);
            self.ops
                .builder
                .ins()
                .store(PLAIN, value, values, word(place));
        }
        let bits = self.ops.field(offset_of!(Frame, probe_bits));
        for (&bit, place) in program.probes.watches.iter().zip(0..) {
            let value = self.ops.bit(bit);
            self.ops
                .builder
                .ins()
                .store(PLAIN, value, bits, byte(place));
        }
        let n_values = 8 * program.probes.values.len() as i64;
        let values = self.ops.builder.ins().iadd_imm_s(values, n_values);
        self.ops.set_field(offset_of!(Frame, probe_values), values);
        let n_bits = program.probes.watches.len() as i64;
        let bits = self.ops.builder.ins().iadd_imm_s(bits, n_bits);
        self.ops.set_field(offset_of!(Frame, probe_bits), bits);
        self.job.stop.map(|bit| self.ops.bit(bit))
    }

    /// Notes a row if it is time for one.
    fn row(&mut self, next: Value) {
        let next_row = self.ops.field(offset_of!(Frame, next_row));
        let (note, after) = (
            self.ops.builder.create_block(),
            self.ops.builder.create_block(),
        );
        let ins = &mut *self.ops.builder;
        let is_row = ins.ins().icmp(IntCC::Equal, next, next_row);
        ins.ins().brif(is_row, note, &[], after, &[]);
        ins.seal_block(note);
        ins.switch_to_block(note);
        let n_reals = self.job.program.n_reals;
        let rows = self.ops.field(offset_of!(Frame, row_reals));
        let n_rows = self.ops.field(offset_of!(Frame, n_rows));
        let ins = &mut *self.ops.builder;
        let distance = ins.ins().imul_imm_s(n_rows, 8 * n_reals as i64);
        let place = ins.ins().iadd(rows, distance);
        for slot in (0..).take(n_reals) {
            let value = self.ops.slot(slot);
            self.ops
                .builder
                .ins()
                .store(PLAIN, value, place, word(slot));
        }
        if self.counts {
            let standing = self.ops.field(offset_of!(Frame, standing));
            let numbers = self.ops.field(offset_of!(Frame, row_standing));
            let ins = &mut *self.ops.builder;
            let distance = ins.ins().ishl_imm_u(n_rows, 3);
            let place = ins.ins().iadd(numbers, distance);
            ins.ins().store(PLAIN, standing, place, 0);
        }
        let n_rows = self.ops.builder.ins().iadd_imm_s(n_rows, 1);
        self.ops.set_field(offset_of!(Frame, n_rows), n_rows);
        let every = self.ops.field(offset_of!(Frame, every));
        let next_row = self.ops.builder.ins().iadd(next_row, every);
        self.ops.set_field(offset_of!(Frame, next_row), next_row);
        let ins = &mut *self.ops.builder;
        ins.ins().jump(after, &[]);
        ins.seal_block(after);
        ins.switch_to_block(after);
    }
}
