//! Code that is there, and code that will be there.

use std::sync::{Arc, Mutex, OnceLock};

use situ_engine::backend::compiled::{StraightCode, StraightCompiler, StraightJob, StraightSource};
use situ_engine::sim::compiled::{TickCode, TickJob, TickSource};

use crate::{JitError, Options, compile, compile_straight};

/// Code that is there.
#[derive(Debug)]
pub struct Ready(Arc<dyn TickCode>);

impl Ready {
    /// As a source.
    pub fn new(code: Arc<dyn TickCode>) -> Self {
        Self(code)
    }
}

impl TickSource for Ready {
    fn code(&self) -> Option<Arc<dyn TickCode>> {
        Some(Arc::clone(&self.0))
    }
}

/// Code that a thread is compiling. Nobody waits for it: a run that ends sooner ends without it.
#[derive(Debug)]
pub struct InBackground(Arc<OnceLock<Result<Arc<dyn TickCode>, JitError>>>);

impl InBackground {
    /// Begins to compile.
    pub fn begin(job: TickJob) -> Self {
        let place = Arc::new(OnceLock::new());
        let result = Arc::clone(&place);
        let compile = move || drop(result.set(compile(&job, &Options::default())));
        // Without a thread there is no code, and the interpreter does the work.
        drop(
            std::thread::Builder::new()
                .name("native code".to_owned())
                .spawn(compile),
        );
        Self(place)
    }
}

impl TickSource for InBackground {
    fn code(&self) -> Option<Arc<dyn TickCode>> {
        self.0.get()?.as_ref().ok().map(Arc::clone)
    }
}

/// What is much used in event-accurate runs is compiled on threads of its own.
#[derive(Clone, Copy, Debug)]
pub struct StepsInBackground {
    pays_after: u64,
}

impl Default for StepsInBackground {
    fn default() -> Self {
        Self::patient(1)
    }
}

impl StepsInBackground {
    /// Begins only when the interpreter has taken about so many times as long as compiling takes.
    pub fn patient(times: u64) -> Self {
        Self {
            pays_after: PAYS_AFTER.saturating_mul(times),
        }
    }
}

/// Evaluations that take about as long as compiling what does them.
const PAYS_AFTER: u64 = 50_000;

/// Whose turn it is to compile.
static COMPILING: Mutex<()> = Mutex::new(());

type Place = OnceLock<Result<Arc<dyn StraightCode>, JitError>>;

#[derive(Debug)]
struct StraightInBackground(Arc<Place>);

impl StraightSource for StraightInBackground {
    fn code(&self) -> Option<Arc<dyn StraightCode>> {
        self.0.get()?.as_ref().ok().map(Arc::clone)
    }
}

impl StraightCompiler for StepsInBackground {
    fn begin(&self, job: StraightJob) -> Arc<dyn StraightSource> {
        let place = Arc::new(Place::new());
        let result = Arc::clone(&place);
        let compile = move || {
            // One at a time: the run wants a processor, too.
            let turn = COMPILING.lock();
            drop(result.set(compile_straight(&job)));
            drop(turn);
        };
        // Without a thread there is no code, and the interpreter does the work.
        drop(
            std::thread::Builder::new()
                .name("native code".to_owned())
                .spawn(compile),
        );
        Arc::new(StraightInBackground(place))
    }

    fn pays_after(&self) -> u64 {
        self.pays_after
    }
}

/// What event-accurate runs use is compiled where it is first needed, and waited for.
#[derive(Clone, Copy, Debug, Default)]
pub struct StepsAtOnce;

#[derive(Debug)]
struct StraightReady(Result<Arc<dyn StraightCode>, JitError>);

impl StraightSource for StraightReady {
    fn code(&self) -> Option<Arc<dyn StraightCode>> {
        self.0.as_ref().ok().map(Arc::clone)
    }
}

impl StraightCompiler for StepsAtOnce {
    fn begin(&self, job: StraightJob) -> Arc<dyn StraightSource> {
        Arc::new(StraightReady(compile_straight(&job)))
    }

    fn pays_after(&self) -> u64 {
        0
    }
}
