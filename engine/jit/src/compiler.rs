//! [`Jit`], the compiler that runs are given: what it compiles, and when.

use std::sync::{Arc, Mutex, OnceLock};

use situ_engine::backend::compiled::{BasicBlockCode, BasicBlockJob};
use situ_engine::sim::compiled::{CompileError, Compiler, Pending, TickCode, TickJob};

use crate::{Options, compile, compile_straight};

/// Time to interpret an operation [ns, about].
const INTERPRETED_NS: f64 = 1.5;

/// Time to compile anything, and an operation more [ns, about].
const COMPILED_NS: (f64, f64) = (3e6, 2e4);

/// A run goes over to native code if it would take so many times longer interpreted than it takes to compile.
const WORTH: f64 = 4.0;

/// The code of a larger table does not stay in the processor's caches, and the interpreter, whose operations are
/// shorter, is as fast: 100 000 rules take 2.6 ns per rule and tick natively and 3.2 interpreted, a million 12 and 4.3
/// (`cargo figures sizes`).
const MOST_OPS: f64 = 400_000.0;

/// Evaluations that take about as long as compiling what does them.
const PAYS_AFTER: u64 = 50_000;

/// Whose turn it is to compile operations: one at a time, since the run wants a processor, too.
static COMPILING: Mutex<()> = Mutex::new(());

/// Compiles what runs do.
#[derive(Clone, Copy, Debug)]
pub struct Jit {
    when: When,
}

#[derive(Clone, Copy, Debug)]
enum When {
    InBackground,
    AtOnce(Options),
}

impl Jit {
    /// Compiles where that pays, on threads of its own. Runs go over to the code when it is ready; one that ends sooner
    /// ends without it.
    pub fn in_background() -> Self {
        Self {
            when: When::InBackground,
        }
    }

    /// Compiles everything where it is first needed, and runs wait for it.
    pub fn at_once(options: Options) -> Self {
        Self {
            when: When::AtOnce(options),
        }
    }
}

impl Compiler for Jit {
    fn ticks(
        &self,
        job: TickJob,
        ticks: u64,
    ) -> Result<Option<Pending<dyn TickCode>>, CompileError> {
        Ok(match self.when {
            When::AtOnce(options) => Some(Pending::ready(compile(&job, &options)?)),
            When::InBackground => {
                pays(&job, ticks).then(|| on_a_thread(move || compile(&job, &Options::default())))
            }
        })
    }

    fn straight(&self, job: BasicBlockJob) -> Pending<dyn BasicBlockCode> {
        match self.when {
            When::AtOnce(_) => {
                let code = compile_straight(&job).ok();
                Pending::when(move || code.clone())
            }
            When::InBackground => on_a_thread(move || {
                let turn = COMPILING.lock();
                let code = compile_straight(&job);
                drop(turn);
                code
            }),
        }
    }

    fn pays_after(&self) -> u64 {
        match self.when {
            When::AtOnce(_) => 0,
            When::InBackground => PAYS_AFTER,
        }
    }
}

/// Whether it pays to compile so many ticks.
#[expect(clippy::cast_precision_loss, reason = "an estimate")]
fn pays(job: &TickJob, ticks: u64) -> bool {
    let n_ops = job.program.tape.ops.len() as f64;
    let (once, per_op) = COMPILED_NS;
    let interpreted = ticks as f64 * (job.single_ops as f64 + 4.0) * INTERPRETED_NS;
    n_ops <= MOST_OPS && interpreted > WORTH * (once + n_ops * per_op)
}

fn on_a_thread<C: ?Sized + Send + Sync + 'static>(
    compile: impl FnOnce() -> Result<Arc<C>, CompileError> + Send + 'static,
) -> Pending<C> {
    let place = Arc::new(OnceLock::new());
    let result = Arc::clone(&place);
    let thread = std::thread::Builder::new().name("native code".to_owned());
    // Without a thread there is no code, and the interpreter does the work.
    drop(thread.spawn(move || drop(result.set(compile().ok()))));
    Pending::when(move || place.get().cloned().flatten())
}
