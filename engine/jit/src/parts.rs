//! A large table as many functions: slots and bits stay in memory, each function does some hundred ops
//! with what it needs in registers. Compiling takes time in proportion to the size of the table.

use std::collections::HashMap;
use std::ops::Range;

use cranelift_codegen::ir::{AbiParam, InstBuilder};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_module::{FuncId, Module};
use situ_engine::sim::compiled::{CompileError, TickBatch, TickCode, TickJob, TickLog};

use crate::call::{Machine, Sizes};
use crate::flow::{Flow, Part, Set};
use crate::functions::Functions;
use crate::memory::{PLAIN, byte, word};
use crate::ops::{Ops, Place};
use crate::{Leave, refused};

/// A table as a row of functions.
#[derive(Debug)]
pub(crate) struct Parts {
    /// The code knows the addresses of its program's equations.
    job: TickJob,
    machine: Machine,
    sizes: Sizes,
    /// Functions of the tick; the others read rows.
    n_tick: usize,
}

/// Compiles a table as functions of about `size` ops.
pub(crate) fn compile(
    job: &TickJob,
    size: usize,
    leave: Leave,
    mut functions: Functions,
) -> Result<Parts, CompileError> {
    let tape = &job.program.tape;
    let tick = Part::cut(tape, job.tick(), size);
    let n_tick = tick.len();
    let parts: Vec<Part> = tick
        .into_iter()
        .chain(Part::cut(tape, job.probes(), size))
        .collect();
    let kept = kept(job, &parts);
    let numbers = tape.numbers.iter().map(|&(slot, value)| (slot.0, value));
    let numbers: HashMap<u32, f64> = numbers.collect();
    let mut context = functions.module.make_context();
    let mut scratch = FunctionBuilderContext::new();
    let mut ids: Vec<FuncId> = Vec::with_capacity(parts.len());
    for part in &parts {
        let pointer = functions.module.target_config().pointer_type();
        context.func.signature.params.push(AbiParam::new(pointer));
        let signature = context.func.signature.clone();
        let id = functions
            .module
            .declare_anonymous_function(&signature)
            .map_err(refused)?;
        let mut builder = FunctionBuilder::new(&mut context.func, &mut scratch);
        write(
            job,
            part,
            &kept,
            &numbers,
            leave,
            &mut functions,
            &mut builder,
        );
        builder.finalize(functions.module.target_config());
        functions.define(id, &mut context)?;
        ids.push(id);
    }
    let module = functions.finish()?;
    let addresses: Vec<_> = ids
        .iter()
        .map(|&id| module.get_finalized_function(id))
        .collect();
    Ok(Parts {
        job: job.clone(),
        machine: Machine::new(module, &addresses),
        sizes: Sizes::of(job),
        n_tick,
    })
}

/// Slots whose values leave the part that writes them.
fn kept(job: &TickJob, parts: &[Part]) -> Set {
    let program = &job.program;
    let mut kept = Set::new(program.tape.n_slots);
    for slot in (0..).take(program.n_reals) {
        kept.add(slot);
    }
    for slot in &program.probes.values {
        kept.add(slot.0);
    }
    for &slot in job.watched.iter() {
        kept.add(slot);
    }
    for part in parts {
        for slot in Flow::of(&program.tape, part, &[]).slots_needed.iter() {
            kept.add(slot);
        }
    }
    kept
}

fn write(
    job: &TickJob,
    part: &Part,
    kept: &Set,
    numbers: &HashMap<u32, f64>,
    leave: Leave,
    functions: &mut Functions,
    builder: &mut FunctionBuilder<'_>,
) {
    let flow = Flow::of(&job.program.tape, part, &[]);
    let block = builder.create_block();
    builder.append_block_params_for_function_params(block);
    builder.switch_to_block(block);
    builder.seal_block(block);
    let frame = builder.block_params(block)[0];
    let mut ops = Ops::new(Place {
        builder,
        tape: &job.program.tape,
        functions,
        frame,
        varying_slots: &flow.slots_written,
        varying_bits: &flow.bits_written,
        numbers,
    });
    ops.contracts = leave.contracts;
    let stored: Vec<u32> = flow
        .slots_written
        .iter()
        .filter(|&slot| kept.has(slot))
        .collect();
    for &slot in &stored {
        let value = ops.load_slot(slot);
        ops.set_slot(slot, value);
    }
    for bit in flow.bits_written.iter() {
        let value = ops.load_bit(bit);
        ops.set_bit(bit, value);
    }
    let tick = ops.field(std::mem::offset_of!(crate::call::Frame, tick));
    let Range { start, end } = part.ops.clone();
    let mut begin = start;
    if let Some((test, until)) = part.within {
        begin = until.min(end);
        let holds = ops.test(test);
        ops.conditional(holds, start..begin, tick);
    }
    ops.part(begin..end, tick);
    for slot in stored {
        let (value, reals) = (ops.slot(slot), ops.reals);
        ops.builder.ins().store(PLAIN, value, reals, word(slot));
    }
    for bit in flow.bits_written.iter() {
        let (value, bits) = (ops.bit(bit), ops.bits);
        ops.builder.ins().store(PLAIN, value, bits, byte(bit));
    }
    ops.builder.ins().return_(&[]);
}

impl TickCode for Parts {
    fn run(&self, stretch: &mut TickBatch<'_>) {
        let program = &*self.job.program;
        let from = stretch.tick;
        let max_rows = stretch.log.row_reals.len() / program.n_reals.max(1);
        stretch.log.n_changes = 0;
        stretch.log.n_rows = 0;
        stretch.log.counted = false;
        let mut before = stretch.bits.to_vec();
        while stretch.tick < stretch.end && !stretch.stopped {
            let tick = stretch.tick;
            if program.clock.is_read {
                stretch.reals[program.clock.time.index()] = self.time_of(stretch, tick);
            }
            self.machine.call(0..self.n_tick, &self.sizes, stretch);
            let watched = self.job.watched.iter();
            let values = watched.map(|&slot| stretch.reals[slot as usize] * 0.0);
            stretch.finite &= values.sum::<f64>() == 0.0;
            if *stretch.bits != *before {
                note_change(stretch.log, tick, stretch.bits);
            }
            if self.job.probed {
                self.probe(stretch, from);
            }
            stretch.tick = tick + 1;
            before.copy_from_slice(stretch.bits);
            if stretch.tick.is_multiple_of(stretch.every) {
                let n_reals = program.n_reals;
                let place = stretch.log.n_rows * n_reals;
                let row = &mut stretch.log.row_reals[place..][..n_reals];
                row.copy_from_slice(&stretch.reals[..n_reals]);
                stretch.log.n_rows += 1;
            }
            let log = &stretch.log;
            if log.n_changes == log.change_ticks.len() || log.n_rows == max_rows {
                break;
            }
        }
    }
}

impl Parts {
    #[expect(clippy::cast_precision_loss, reason = "ticks are fewer than 2^53")]
    fn time_of(&self, stretch: &TickBatch<'_>, tick: u64) -> f64 {
        let times = &stretch.times;
        let step = stretch.reals[self.job.program.clock.step.index()];
        times.time + (tick - times.tick) as f64 * step
    }

    /// Reads the row after a tick of a stretch that has begun at `from`.
    fn probe(&self, stretch: &mut TickBatch<'_>, from: u64) {
        let program = &*self.job.program;
        stretch.reals[program.clock.row_time.index()] = self.time_of(stretch, stretch.tick + 1);
        let functions = self.n_tick..self.machine.len();
        self.machine.call(functions, &self.sizes, stretch);
        let place = usize::try_from(stretch.tick - from).expect("a stretch is short");
        let (n_values, n_watches) = (program.probes.values.len(), program.probes.watches.len());
        let values = &mut stretch.log.probe_values[place * n_values..][..n_values];
        for (value, slot) in values.iter_mut().zip(&program.probes.values) {
            *value = stretch.reals[slot.index()];
        }
        let bits = &mut stretch.log.probe_bits[place * n_watches..][..n_watches];
        for (value, &bit) in bits.iter_mut().zip(&program.probes.watches) {
            *value = stretch.bits[bit as usize];
        }
        let stop = self.job.stop.map(|bit| stretch.bits[bit as usize] != 0);
        stretch.stopped |= stop.unwrap_or(false);
    }
}

fn note_change(log: &mut TickLog, tick: u64, bits: &[u8]) {
    let place = log.n_changes * TickLog::stride(bits.len());
    log.change_ticks[log.n_changes] = tick;
    log.change_bits[place..][..bits.len()].copy_from_slice(bits);
    log.n_changes += 1;
}
