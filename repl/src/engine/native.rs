//! Native code for runs: at once if it was asked for, else where it pays.

use std::sync::Arc;

use situ_engine::sim::{Run, RunConfig, Template};
use situ_jit::{InBackground, Options, Ready, StepsAtOnce, StepsInBackground, compile};

use super::{EngineArg, EngineError, Outcome};

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

/// Whether there is native code on this machine.
///
/// Errors: there is none.
pub(crate) fn supported() -> Outcome {
    situ_jit::supported().map_err(EngineError::wrong)
}

/// Lets a run go over to native code.
///
/// Errors: it has none, and it was asked for.
pub(super) fn plug_in(run: &mut Run, engine: EngineArg, fast_math: bool) -> Outcome {
    let Some(job) = run.tick_job() else {
        if engine == EngineArg::Auto {
            run.plug_in_steps(Arc::new(StepsInBackground::default()));
        } else if engine == EngineArg::Native {
            run.plug_in_steps(Arc::new(StepsAtOnce));
        }
        return Ok(());
    };
    if engine == EngineArg::Native {
        let code = compile(&job, &options(fast_math)).map_err(EngineError::wrong)?;
        run.plug_in(Arc::new(Ready::new(code)));
    } else if engine == EngineArg::Auto && is_long(run) {
        run.plug_in(Arc::new(InBackground::begin(job)));
    }
    Ok(())
}

/// Lets the runs of a sweep go over to native code.
///
/// Errors: they have none, and it was asked for.
pub(super) fn plug_into(template: &mut Template, engine: EngineArg, fast_math: bool) -> Outcome {
    let Some(job) = template.tick_job() else {
        if engine == EngineArg::Auto {
            template.plug_in_steps(Arc::new(StepsInBackground::patient(SWEEP_PATIENCE)));
        } else if engine == EngineArg::Native {
            template.plug_in_steps(Arc::new(StepsAtOnce));
        }
        return Ok(());
    };
    if engine == EngineArg::Native {
        let code = compile(&job, &options(fast_math)).map_err(EngineError::wrong)?;
        template.plug_in(Arc::new(Ready::new(code)));
    } else if engine == EngineArg::Auto {
        template.plug_in(Arc::new(InBackground::begin(job)));
    }
    Ok(())
}

fn options(fast_math: bool) -> Options {
    Options {
        fast_math,
        ..Options::default()
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
