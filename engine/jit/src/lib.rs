//! Ticks as native code: the tape of a model, compiled with Cranelift.
//!
//! [`compile`] turns a [`TickJob`] into [`TickCode`], with the same bits as the interpreter; a small
//! table becomes one loop with its state in registers, a large one a row of functions on memory.
//! [`Jit`] does so for runs: on threads of its own while they go on interpreted, or at once.
//!
//! ```
//! use std::sync::Arc;
//! use situ_engine::model::{Clock, ModelBuilder};
//! use situ_engine::sim::{Run, RunConfig};
//! use situ_jit::{Jit, Options};
//!
//! let mut table = ModelBuilder::new("growth");
//! let x = table.real("x", 1.0);
//! table.relation(x, "integral", [x]);
//! let clock = Clock { step: Some(0.001), stop: Some(1.0), ..Clock::default() };
//! let (model, config) = (Arc::new(table.build()?), RunConfig::from_clock(&clock)?);
//!
//! let mut interpreted = Run::new(model.clone(), config.clone(), &[])?;
//! interpreted.run(&mut ())?;
//! let mut native = Run::new(model, config, &[])?;
//! native.compile_with(Arc::new(Jit::at_once(Options::default())))?;
//! native.run(&mut ())?;
//! assert_eq!(native.real(x).to_bits(), interpreted.real(x).to_bits());
//! assert_eq!(native.native_ticks(), 998);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod arithmetic;
mod call;
mod circular;
mod compiler;
mod contraction;
mod flow;
mod functions;
mod memory;
mod ops;
mod parts;
mod straight;
mod tape;
#[cfg(test)]
mod tests;
mod whole;

use std::sync::Arc;

use cranelift_codegen::ir::AbiParam;
use cranelift_codegen::isa::OwnedTargetIsa;
use cranelift_codegen::settings::{self, Configurable};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{Linkage, Module, ModuleError};
use situ_engine::lower::Program;
use situ_engine::sim::compiled::{CompileError, TickBatch, TickCode, TickJob};

pub use compiler::Jit;
pub use straight::compile_straight;

use call::{Machine, Sizes};
use functions::Functions;

/// A tape of more ops than this becomes several functions.
///
/// Beyond a few hundred ops nothing is left in registers from tick to tick, and the time to compile one
/// function grows faster than its size.
const MOST_OPS_OF_A_LOOP: usize = 400;

/// The same for bits.
const MOST_BITS_OF_A_LOOP: u32 = 256;

/// Ops of a function of a large table.
const OPS_OF_A_PART: usize = 500;

/// What the compiler says of a module that it refuses.
#[expect(clippy::needless_pass_by_value, reason = "an error is mapped")]
fn refused(error: ModuleError) -> CompileError {
    CompileError::Refused(error.to_string())
}

/// Options of the compiler.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// Divide by what is fixed with a multiplication and contract products with sums, which changes
    /// last bits. Without it the bits are those of the interpreter.
    pub fast_math: bool,
    /// In how many functions.
    pub layout: Layout,
}

/// Layout of the functions that a tape becomes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Layout {
    /// As its size demands.
    #[default]
    BySize,
    /// One loop, with what changes in registers.
    Loop,
    /// Functions of about so many ops each, with what changes in memory.
    Parts(usize),
}

/// Permissions of native code to change the last bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Leave {
    /// Divide by what is fixed with a multiplication.
    reciprocals: bool,
    /// Round a product and a sum once instead of twice.
    contracts: bool,
}

/// Compiles the ticks of a run.
///
/// # Errors
///
/// [`CompileError`].
pub fn compile(job: &TickJob, options: &Options) -> Result<Arc<dyn TickCode>, CompileError> {
    let tape = &job.program.tape;
    // Offsets have 31 bits.
    if tape.n_slots >= 1 << 27 || tape.n_bits >= 1 << 30 || tape.delays.len() >= 1 << 24 {
        return Err(CompileError::TooLarge);
    }
    check(job)?;
    let isa = isa()?;
    let leave = Leave {
        reciprocals: options.fast_math,
        contracts: options.fast_math && has_fma(&isa),
    };
    let mut builder = JITBuilder::with_isa(isa, cranelift_module::default_libcall_names());
    functions::name_all(&mut builder);
    let functions = Functions::of(JITModule::new(builder));
    let is_small = tape.ops.len() <= MOST_OPS_OF_A_LOOP && tape.n_bits <= MOST_BITS_OF_A_LOOP;
    let part = match options.layout {
        Layout::BySize if is_small => None,
        Layout::Loop => None,
        Layout::BySize => Some(OPS_OF_A_PART),
        Layout::Parts(ops) => Some(ops),
    };
    match part {
        Some(ops) => Ok(Arc::new(parts::compile(job, ops, leave, functions)?)),
        None => Ok(Arc::new(compile_loop(job, leave, functions)?)),
    }
}

/// Checks what the code relies on: every place that it reads or writes exists, jumps are nested.
fn check(job: &TickJob) -> Result<(), CompileError> {
    let program = &job.program;
    let tape = &program.tape;
    let refused = |why: &str| Err(CompileError::Refused(why.to_owned()));
    if let Err(error) = situ_engine::tape::verify(tape) {
        return refused(error.message);
    }
    if !flow::is_nested(tape) {
        return refused("a jump leaves the one around it");
    }
    let times = [program.clock.time, program.clock.row_time];
    let slots = times
        .iter()
        .chain([&program.clock.step])
        .chain(&program.probes.values);
    let mut slots = slots.map(|slot| slot.0).chain(job.watched.iter().copied());
    let mut bits = program.probes.watches.iter().chain(&job.stop);
    let exist = slots.all(|slot| slot < tape.n_slots)
        && bits.all(|&bit| bit < tape.n_bits)
        && program.n_reals <= tape.n_slots as usize;
    if exist {
        Ok(())
    } else {
        refused("a slot or bit that does not exist")
    }
}

/// A table as one loop.
#[derive(Debug)]
struct Loop {
    machine: Machine,
    /// The code knows the addresses of its equations.
    _program: Arc<Program>,
    sizes: Sizes,
    /// True if it counts combinations of bits.
    counts: bool,
}

impl TickCode for Loop {
    fn run(&self, stretch: &mut TickBatch<'_>) {
        stretch.log.n_changes = 0;
        stretch.log.n_rows = 0;
        stretch.log.counted = self.counts;
        stretch.log.counts.fill(0);
        stretch.log.numbers.fill(u64::MAX);
        self.machine.call(0..1, &self.sizes, stretch);
    }
}

fn compile_loop(
    job: &TickJob,
    leave: Leave,
    mut functions: Functions,
) -> Result<Loop, CompileError> {
    let mut context = functions.module.make_context();
    let mut scratch = FunctionBuilderContext::new();
    let pointer = functions.module.target_config().pointer_type();
    context.func.signature.params.push(AbiParam::new(pointer));
    let signature = context.func.signature.clone();
    let id = functions
        .module
        .declare_function("ticks", Linkage::Local, &signature)
        .map_err(refused)?;
    let mut builder = FunctionBuilder::new(&mut context.func, &mut scratch);
    let counts = whole::write(job, leave, &mut functions, &mut builder);
    builder.finalize(functions.module.target_config());
    functions.define(id, &mut context)?;
    let module = functions.finish()?;
    let address = module.get_finalized_function(id);
    Ok(Loop {
        machine: Machine::new(module, &[address]),
        _program: Arc::clone(&job.program),
        sizes: Sizes::of(job),
        counts,
    })
}

/// Checks that there is native code for this machine.
///
/// # Errors
///
/// [`CompileError::Machine`].
pub fn supported() -> Result<(), CompileError> {
    isa().map(drop)
}

fn isa() -> Result<OwnedTargetIsa, CompileError> {
    let machine = |why: &dyn std::fmt::Display| CompileError::Machine(why.to_string());
    let mut flags = settings::builder();
    let verifier = if cfg!(debug_assertions) {
        "true"
    } else {
        "false"
    };
    for (name, value) in [
        ("opt_level", "speed"),
        ("use_colocated_libcalls", "false"),
        ("is_pic", "false"),
        ("enable_verifier", verifier),
    ] {
        flags.set(name, value).map_err(|error| machine(&error))?;
    }
    let builder = cranelift_native::builder().map_err(|why| machine(&why))?;
    let isa = builder.finish(settings::Flags::new(flags));
    let isa = isa.map_err(|error| machine(&error))?;
    // Offsets and counts of the code are made for machines of 64 bits.
    if isa.pointer_bits() != 64 || isa.endianness() != cranelift_codegen::ir::Endianness::Little {
        return Err(CompileError::Machine(
            "it has no addresses of 64 bits".to_owned(),
        ));
    }
    Ok(isa)
}

/// True if a contracted product is one instruction.
fn has_fma(isa: &OwnedTargetIsa) -> bool {
    let mut flags = isa.isa_flags().into_iter();
    isa.name() != "x64" || flags.any(|flag| flag.name == "has_fma" && flag.as_bool() == Some(true))
}
