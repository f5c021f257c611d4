//! Operations without any decision as functions on an array of slots, for each part one or, if it is long,
//! several.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use cranelift_codegen::ir::{AbiParam, InstBuilder};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{FuncId, Module};
use situ_engine::backend::compiled::{BasicBlockCode, BasicBlockJob};
use situ_engine::sim::compiled::CompileError;
use situ_engine::tape::{Shape, Tape};

use crate::call::BasicBlock;
use crate::flow::{Flow, Part, Set};
use crate::functions::{self, Functions};
use crate::memory::{PLAIN, word};
use crate::ops::{self, Ops};
use crate::{isa, refused};

/// Ops of a function. The time to compile one grows faster than its size.
const OPS_OF_A_PIECE: usize = 2000;

impl BasicBlockCode for BasicBlock {
    fn run(&self, part: usize, slots: &mut [f64]) {
        self.call(part, slots);
    }
}

/// Compiles straight operations.
///
/// # Errors
///
/// [`CompileError`].
pub fn compile_straight(job: &BasicBlockJob) -> Result<Arc<dyn BasicBlockCode>, CompileError> {
    check(job)?;
    let tape = &*job.tape;
    let numbers = tape.numbers.iter().map(|&(slot, value)| (slot.0, value));
    let numbers: HashMap<u32, f64> = numbers.collect();
    let pieces = job.parts.iter().map(|part| {
        let starts = part.clone().step_by(OPS_OF_A_PIECE);
        let ends = starts.clone().skip(1).chain([part.end]);
        starts.zip(ends).map(|(start, end)| start..end).collect()
    });
    let pieces: Vec<Vec<Range<usize>>> = pieces.collect();
    let flows = pieces.iter().flatten();
    let flows = flows.map(|piece| Flow::of(tape, &Part::whole(piece.clone()), &[]));
    let flows: Vec<Flow> = flows.collect();
    let mut kept = Set::new(tape.n_slots);
    let read_later = flows.iter().flat_map(|flow| flow.slots_needed.iter());
    for slot in job.kept.iter().copied().chain(read_later) {
        kept.add(slot);
    }

    let mut builder = JITBuilder::with_isa(isa()?, cranelift_module::default_libcall_names());
    functions::name_all(&mut builder);
    let mut functions = Functions::of(JITModule::new(builder));
    let mut context = functions.module.make_context();
    let mut scratch = FunctionBuilderContext::new();
    let mut parts = Vec::with_capacity(pieces.len());
    let mut flows = flows.iter();
    for pieces in &pieces {
        let mut part = Place::default();
        for (piece, flow) in pieces.iter().zip(&mut flows) {
            let pointer = functions.module.target_config().pointer_type();
            context.func.signature.params.push(AbiParam::new(pointer));
            let signature = context.func.signature.clone();
            let id = functions
                .module
                .declare_anonymous_function(&signature)
                .map_err(refused)?;
            let mut builder = FunctionBuilder::new(&mut context.func, &mut scratch);
            let touched = write(
                tape,
                piece,
                flow,
                &kept,
                &numbers,
                &mut functions,
                &mut builder,
            );
            builder.finalize(functions.module.target_config());
            functions.define(id, &mut context)?;
            part.ids.push(id);
            part.n_slots = part.n_slots.max(touched);
        }
        parts.push(part);
    }
    let module = functions.finish()?;
    let parts: Vec<_> = parts
        .iter()
        .map(|part| {
            let addresses = part.ids.iter().map(|&id| module.get_finalized_function(id));
            (addresses.collect(), part.n_slots)
        })
        .collect();
    Ok(Arc::new(BasicBlock::new(module, parts)))
}

/// The functions of a part, and how many slots it needs.
#[derive(Default)]
struct Place {
    ids: Vec<FuncId>,
    n_slots: usize,
}

/// Writes ops as a function. Result: how many slots it needs.
fn write(
    tape: &Tape,
    piece: &Range<usize>,
    flow: &Flow,
    kept: &Set,
    numbers: &HashMap<u32, f64>,
    functions: &mut Functions,
    builder: &mut FunctionBuilder<'_>,
) -> usize {
    let block = builder.create_block();
    builder.append_block_params_for_function_params(block);
    builder.switch_to_block(block);
    builder.seal_block(block);
    let slots = builder.block_params(block)[0];
    let mut ops = Ops::on_slots(ops::Place {
        builder,
        tape,
        functions,
        frame: slots,
        varying_slots: &flow.slots_written,
        varying_bits: &flow.bits_written,
        numbers,
    });
    ops.branches = true;
    ops.numbers_are_known = true;
    let read = flow.slots_needed.iter();
    let read: Vec<u32> = read.filter(|slot| !numbers.contains_key(slot)).collect();
    let stored: Vec<u32> = flow
        .slots_written
        .iter()
        .filter(|&slot| kept.has(slot))
        .collect();
    for &slot in read.iter().filter(|&&slot| flow.slots_written.has(slot)) {
        let value = ops.load_slot(slot);
        ops.set_slot(slot, value);
    }
    for op in &tape.ops[piece.clone()] {
        ops.straight(op);
    }
    for &slot in &stored {
        let (value, slots) = (ops.slot(slot), ops.reals);
        ops.builder.ins().store(PLAIN, value, slots, word(slot));
    }
    ops.builder.ins().return_(&[]);
    let touched = read.iter().chain(&stored).max();
    touched.map_or(0, |&slot| slot as usize + 1)
}

/// Checks what the code relies on: operations are on reals, and the slots exist.
fn check(job: &BasicBlockJob) -> Result<(), CompileError> {
    let tape = &*job.tape;
    if tape.n_slots >= 1 << 27 {
        return Err(CompileError::TooLarge);
    }
    let refused = |why: &str| Err(CompileError::Refused(why.to_owned()));
    if let Err(error) = situ_engine::tape::verify(tape) {
        return refused(error.message);
    }
    let on_reals = tape.ops.iter().all(|op| {
        let shape = op.code.shape();
        matches!(shape, Shape::Unary | Shape::Binary | Shape::Update)
    });
    let numbers: HashSet<u32> = tape.numbers.iter().map(|(slot, _)| slot.0).collect();
    let are_fixed = tape.ops.iter().all(|op| !numbers.contains(&op.out));
    let exist = are_fixed
        && job.kept.iter().all(|&slot| slot < tape.n_slots)
        && job.parts.iter().all(|part| part.end <= tape.ops.len());
    if on_reals && exist {
        Ok(())
    } else {
        refused(
            "an operation that is not on reals, a slot that does not exist, or a number that changes",
        )
    }
}
