//! `--engine`: who does the ticks or steps of a run, the interpreter or native code.

use std::sync::Arc;

use clap::{Args, ValueEnum};
use situ_engine::sim::{Run, RunConfig};
use situ_jit::{InBackground, Options, Ready, StepsAtOnce, StepsInBackground, compile};

use super::failure::{Failure, Outcome};

/// Who does the ticks or steps.
#[derive(Clone, Copy, Debug, Args)]
pub(super) struct EngineArgs {
    /// Who does the ticks or steps; the results are the same to the last bit [default: auto]
    #[arg(long, value_name = "NAME")]
    engine: Option<EngineArg>,
    /// Native code that divides and rounds faster: last digits change
    #[arg(long)]
    pub(super) fast_math: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum EngineArg {
    /// Interpreted at once; long runs go over to native code when it is ready
    Auto,
    /// No native code
    Interpreter,
    /// Native code from the beginning
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

impl EngineArgs {
    /// Sees to it that the run has the engine asked for.
    ///
    /// Errors: there is no native code for the run, and it was asked for.
    pub(super) fn plug_in(&self, run: &mut Run) -> Outcome {
        let Some(job) = run.tick_job() else {
            return self.plug_in_steps(run);
        };
        let engine = self.engine.unwrap_or(EngineArg::Auto);
        match engine {
            EngineArg::Interpreter if self.fast_math => Err(Failure::Wrong(
                "--fast-math belongs to native code; leave out --engine interpreter".to_owned(),
            )),
            EngineArg::Interpreter => Ok(()),
            // What the last digits are must not depend on when the code is ready.
            EngineArg::Auto if !self.fast_math => {
                if is_long(run) {
                    run.plug_in(Arc::new(InBackground::begin(job)));
                }
                Ok(())
            }
            EngineArg::Auto | EngineArg::Native => {
                let options = Options {
                    fast_math: self.fast_math,
                    ..Options::default()
                };
                let code = compile(&job, &options);
                let code = code.map_err(|error| Failure::Wrong(error.to_string()))?;
                run.plug_in(Arc::new(Ready::new(code)));
                Ok(())
            }
        }
    }

    fn plug_in_steps(&self, run: &mut Run) -> Outcome {
        if self.fast_math {
            return Err(Failure::Wrong(
                "--fast-math belongs to tick stepping; add --ticks".to_owned(),
            ));
        }
        match self.engine.unwrap_or(EngineArg::Auto) {
            EngineArg::Interpreter => {}
            EngineArg::Auto => run.plug_in_steps(Arc::new(StepsInBackground)),
            EngineArg::Native => {
                situ_jit::supported().map_err(|error| Failure::Wrong(error.to_string()))?;
                run.plug_in_steps(Arc::new(StepsAtOnce));
            }
        }
        Ok(())
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
