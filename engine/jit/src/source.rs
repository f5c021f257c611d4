//! Code that is there, and code that will be there.

use std::sync::{Arc, OnceLock};

use situ_engine::backend::compiled::{TickCode, TickJob, TickSource};

use crate::{JitError, Options, compile};

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
