//! `--engine`: who does the ticks or steps of a run, the interpreter or native code. Wherever a model is run
//! the choice is made here.

use std::sync::Arc;

use clap::{Args, ValueEnum};
use situ_engine::sim::{Run, RunConfig, Template};
use situ_jit::{InBackground, Options, Ready, StepsAtOnce, StepsInBackground, compile};

/// Who does the ticks or steps.
#[derive(Clone, Copy, Debug, Default, Args)]
pub struct EngineArgs {
    /// Who does the ticks or steps; the results are the same to the last bit [default: auto]
    #[arg(long, value_name = "NAME")]
    pub(crate) engine: Option<EngineArg>,
    /// Native code that divides and rounds faster: last digits of ticks change
    #[arg(long)]
    pub(crate) fast_math: bool,
}

/// An engine.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum EngineArg {
    /// Interpreted at once; long runs go over to native code when it is ready, sweeps are done in lanes
    Auto,
    /// No native code, and no lanes
    Interpreter,
    /// Native code from the beginning, one run after the other
    Native,
}

/// Time to interpret an operation [ns, about].
const INTERPRETED_NS: f64 = 1.5;

/// Time to compile anything, and an operation more [ns, about].
const COMPILED_NS: (f64, f64) = (3e6, 2e4);

/// A run goes over to native code if it would take so many times longer interpreted than it takes
/// to compile.
const WORTH: f64 = 4.0;

/// The code of a larger table does not stay in the processor's caches, and the interpreter, whose
/// operations are shorter, is as fast: 100 000 rules take 2.6 ns per rule and tick natively and 3.2
/// interpreted, a million 12 and 4.3 (`cargo figures sizes`).
const MOST_OPS: f64 = 400_000.0;

/// In a sweep nobody but the runs has a processor: compiling what a run evaluates must not cost it more
/// than a tenth.
const SWEEP_PATIENCE: u64 = 10;

/// Why a run has not the engine that was asked for, in words.
type Outcome = Result<(), String>;

impl EngineArgs {
    /// Sees to it that the run has the engine asked for.
    ///
    /// Errors: there is no native code for the run, and it was asked for.
    pub(crate) fn plug_in(self, run: &mut Run) -> Outcome {
        let engine = self.checked(&run.config())?;
        let Some(job) = run.tick_job() else {
            if engine == EngineArg::Auto {
                run.plug_in_steps(Arc::new(StepsInBackground::default()));
            } else if engine == EngineArg::Native {
                run.plug_in_steps(Arc::new(StepsAtOnce));
            }
            return Ok(());
        };
        if engine == EngineArg::Native {
            let code = compile(&job, &self.options()).map_err(|error| error.to_string())?;
            run.plug_in(Arc::new(Ready::new(code)));
        } else if engine == EngineArg::Auto && is_long(run) {
            run.plug_in(Arc::new(InBackground::begin(job)));
        }
        Ok(())
    }

    /// Sees to it that the runs of a sweep have the engine asked for.
    ///
    /// Errors: there is no native code for them, and it was asked for.
    pub(crate) fn plug_into(self, template: &mut Template) -> Outcome {
        let engine = self.checked(template.config())?;
        if engine != EngineArg::Auto {
            template.one_by_one();
        }
        let Some(job) = template.tick_job() else {
            if engine == EngineArg::Auto {
                template.plug_in_steps(Arc::new(StepsInBackground::patient(SWEEP_PATIENCE)));
            } else if engine == EngineArg::Native {
                template.plug_in_steps(Arc::new(StepsAtOnce));
            }
            return Ok(());
        };
        if engine == EngineArg::Native {
            let code = compile(&job, &self.options()).map_err(|error| error.to_string())?;
            template.plug_in(Arc::new(Ready::new(code)));
        } else if engine == EngineArg::Auto {
            template.plug_in(Arc::new(InBackground::begin(job)));
        }
        Ok(())
    }

    /// An engine with the bits of the interpreter.
    pub(crate) fn only(engine: Option<EngineArg>) -> Self {
        Self {
            engine,
            fast_math: false,
        }
    }

    /// The engine, if what was asked for fits together and to the run.
    fn checked(self, config: &RunConfig) -> Result<EngineArg, String> {
        let engine = match self.engine {
            // What the last digits are must not depend on when the code is ready.
            None | Some(EngineArg::Auto) if self.fast_math => EngineArg::Native,
            engine => engine.unwrap_or(EngineArg::Auto),
        };
        if self.fast_math && engine == EngineArg::Interpreter {
            let wrong = "--fast-math belongs to native code; leave out --engine interpreter";
            return Err(wrong.to_owned());
        }
        if self.fast_math && matches!(config, RunConfig::Events(_)) {
            return Err("--fast-math belongs to tick stepping; add --ticks".to_owned());
        }
        if engine == EngineArg::Native {
            if matches!(config, RunConfig::Ticks(config) if config.is_uneven()) {
                return Err("ticks of changing length have no native code".to_owned());
            }
            situ_jit::supported().map_err(|error| error.to_string())?;
        }
        Ok(engine)
    }

    fn options(self) -> Options {
        Options {
            fast_math: self.fast_math,
            ..Options::default()
        }
    }
}

/// Whether it pays to compile.
#[expect(clippy::cast_precision_loss, reason = "an estimate")]
fn is_long(run: &Run) -> bool {
    let (RunConfig::Ticks(config), Some(job)) = (run.config(), run.tick_job()) else {
        return false;
    };
    let n_ops = job.program.tape.ops.len() as f64;
    let ticks = (config.stop() - run.time()) / config.step;
    let (once, per_op) = COMPILED_NS;
    let interpreted = ticks * (n_ops + 4.0) * INTERPRETED_NS;
    n_ops <= MOST_OPS && interpreted > WORTH * (once + n_ops * per_op)
}
