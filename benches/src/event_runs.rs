//! Runs in exact time of a model, interpreted and as native code, and how long they take.

use std::sync::Arc;

use situ_engine::model::Model;
use situ_engine::sim::{EventConfig, EventRun, EventState};
use situ_jit::{Jit, Options};

use crate::timing::{Times, summary, timed};

/// Who does the steps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Engine {
    /// The interpreter.
    Interpreter,
    /// Native code, where a mode has it.
    Native,
}

impl Engine {
    /// All, each with the name of its lines.
    pub const ALL: [(Self, &str); 2] = [(Self::Interpreter, "situ"), (Self::Native, "situ native")];
}

/// A run at its start.
///
/// # Panics
/// If it cannot start.
pub fn start(model: &Arc<Model>, config: &EventConfig, engine: Engine) -> EventRun {
    let mut run = EventRun::new(Arc::clone(model), config.clone()).expect("starts");
    if engine == Engine::Native {
        run.compile_with(Arc::new(Jit::at_once(Options::default())));
    }
    run
}

/// Goes back to a state and runs to the end. What was made on the way the last time is there.
///
/// # Panics
/// If the run fails.
pub fn rerun(run: &mut EventRun, start: &EventState) {
    run.restore(start).expect("it is a state of this run");
    run.run(&mut ()).expect("ran before");
    std::hint::black_box(run.time());
}

/// Time of a run with all modes and their code made (in seconds of processor time), from its start values to its end;
/// `None` if no mode has native code, which was asked for.
///
/// # Panics
/// If the run fails.
pub fn time(
    model: &Arc<Model>,
    config: &EventConfig,
    engine: Engine,
    rounds: usize,
) -> Option<Times> {
    let mut run = start(model, config, engine);
    let begin = run.state();
    rerun(&mut run, &begin);
    if engine == Engine::Native && run.native_modes() == 0 {
        return None;
    }
    let mut once = || rerun(&mut run, &begin);
    let first = timed(&mut once).0;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "at most 10^5"
    )]
    let repeats = (0.02 / first.max(1e-7)).ceil().min(1e5) as u32;
    let mut times: Vec<f64> = (0..rounds)
        .map(|_| {
            let all = timed(|| (0..repeats).for_each(|_| once())).0;
            all / f64::from(repeats)
        })
        .collect();
    Some(summary(&mut times))
}

/// Time from the model to the end of the first run, modes and their code made on the way (in seconds of processor time).
///
/// # Panics
/// If the run fails.
pub fn cold(model: &Arc<Model>, config: &EventConfig, engine: Engine) -> f64 {
    timed(|| start(model, config, engine).run(&mut ()).expect("runs")).0
}
