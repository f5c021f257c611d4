//! Operations without any decision as functions on an array of slots, one for each part.

use std::collections::HashMap;
use std::sync::Arc;

use cranelift_codegen::ir::{AbiParam, InstBuilder};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::JITBuilder;
use cranelift_jit::JITModule;
use cranelift_module::Module;
use situ_engine::backend::compiled::{StraightCode, StraightJob};
use situ_engine::tape::Shape;

use crate::call::Straight;
use crate::flow::{Flow, Part, Set};
use crate::functions::{self, Functions};
use crate::ops::{Ops, PLAIN, Place, word};
use crate::{JitError, isa};

impl StraightCode for Straight {
    fn run(&self, part: usize, slots: &mut [f64]) {
        self.call(part, slots);
    }
}

/// Compiles straight operations.
///
/// Errors: [`JitError`].
pub fn compile_straight(job: &StraightJob) -> Result<Arc<dyn StraightCode>, JitError> {
    check(job)?;
    let tape = &*job.tape;
    let flows: Vec<Flow> = job
        .parts
        .iter()
        .map(|part| Flow::of(tape, &Part::whole(part.clone()), &[]))
        .collect();
    let mut kept = Set::new(tape.n_slots);
    let read_later = flows.iter().flat_map(|flow| flow.slots_needed.iter());
    for slot in job.kept.iter().copied().chain(read_later) {
        kept.add(slot);
    }
    let numbers = tape.numbers.iter().map(|&(slot, value)| (slot.0, value));
    let numbers: HashMap<u32, f64> = numbers.collect();

    let mut builder = JITBuilder::with_isa(isa()?, cranelift_module::default_libcall_names());
    functions::name_all(&mut builder);
    let mut functions = Functions::of(JITModule::new(builder));
    let mut context = functions.module.make_context();
    let mut scratch = FunctionBuilderContext::new();
    let mut ids = Vec::with_capacity(job.parts.len());
    for (part, flow) in job.parts.iter().zip(&flows) {
        let pointer = functions.module.target_config().pointer_type();
        context.func.signature.params.push(AbiParam::new(pointer));
        let signature = context.func.signature.clone();
        let id = functions.module.declare_anonymous_function(&signature)?;
        let mut builder = FunctionBuilder::new(&mut context.func, &mut scratch);
        let block = builder.create_block();
        builder.append_block_params_for_function_params(block);
        builder.switch_to_block(block);
        builder.seal_block(block);
        let slots = builder.block_params(block)[0];
        let mut ops = Ops::on_slots(Place {
            builder: &mut builder,
            tape,
            functions: &mut functions,
            frame: slots,
            varying_slots: &flow.slots_written,
            varying_bits: &flow.bits_written,
            numbers: &numbers,
        });
        ops.branches = true;
        let written = flow.slots_written.iter();
        for slot in written.filter(|&slot| flow.slots_needed.has(slot)) {
            let value = ops.load_slot(slot);
            ops.set_slot(slot, value);
        }
        for op in &tape.ops[part.clone()] {
            ops.straight(op);
        }
        for slot in flow.slots_written.iter().filter(|&slot| kept.has(slot)) {
            let (value, slots) = (ops.slot(slot), ops.reals);
            ops.builder.ins().store(PLAIN, value, slots, word(slot));
        }
        ops.builder.ins().return_(&[]);
        builder.finalize(functions.module.target_config());
        functions.define(id, &mut context)?;
        ids.push(id);
    }
    let module = functions.finish()?;
    let addresses = ids.iter().map(|&id| module.get_finalized_function(id));
    let addresses: Vec<_> = addresses.collect();
    Ok(Arc::new(Straight::new(
        module,
        &addresses,
        tape.n_slots as usize,
    )))
}

/// Checks what the code relies on: operations are on reals, and the slots exist.
fn check(job: &StraightJob) -> Result<(), JitError> {
    let tape = &*job.tape;
    if tape.n_slots >= 1 << 27 {
        return Err(JitError::TooLarge);
    }
    let refused = |why: &str| Err(JitError::Refused(why.to_owned()));
    if let Err(error) = situ_engine::tape::verify(tape) {
        return refused(error.message);
    }
    let on_reals = tape.ops.iter().all(|op| {
        let shape = op.code.shape();
        matches!(shape, Shape::Unary | Shape::Binary | Shape::Update)
    });
    let exist = job.kept.iter().all(|&slot| slot < tape.n_slots)
        && job.parts.iter().all(|part| part.end <= tape.ops.len());
    if on_reals && exist {
        Ok(())
    } else {
        refused("an operation that is not on reals, or a slot that does not exist")
    }
}
