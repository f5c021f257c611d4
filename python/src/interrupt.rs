//! Ctrl-C: long work asks the interpreter now and then whether it is to stop.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use pyo3::prelude::*;
use situ_explain::ProgressSink;

/// Time between two questions, each of which waits for the lock of the interpreter.
const PAUSE: Duration = Duration::from_millis(25);

/// Asks for signals while work is done without the lock; only the main thread hears any.
#[derive(Debug)]
pub(crate) struct Watch {
    asked: Instant,
    /// Calls that are passed over between two looks at the clock, and those left.
    calls: u32,
    left: u32,
    /// The exception that a signal has raised.
    pub(crate) raised: Option<PyErr>,
}

impl Watch {
    /// Begins now.
    pub(crate) fn begin() -> Self {
        Self {
            asked: Instant::now(),
            calls: 0,
            left: 0,
            raised: None,
        }
    }

    /// Goes on unless a signal has raised an exception. May be called as often as one likes.
    pub(crate) fn look(&mut self) -> ControlFlow<()> {
        if self.left > 0 {
            self.left -= 1;
            return ControlFlow::Continue(());
        }
        let waited = self.asked.elapsed();
        // Few looks at the clock where calls come quickly, one each where they do not.
        self.calls = match waited < PAUSE / 16 {
            true => (2 * self.calls + 1).min(1 << 10),
            false => self.calls / 2,
        };
        self.left = self.calls;
        match waited < PAUSE {
            true => ControlFlow::Continue(()),
            false => self.ask(),
        }
    }

    /// Asks at once.
    pub(crate) fn ask(&mut self) -> ControlFlow<()> {
        let asked = Python::try_attach(|py| py.check_signals());
        self.asked = Instant::now();
        match asked {
            Some(Err(error)) => {
                self.raised = Some(error);
                ControlFlow::Break(())
            }
            _ => ControlFlow::Continue(()),
        }
    }
}

impl ProgressSink for Watch {
    fn poll(&mut self, _: u64, _: u64) -> ControlFlow<()> {
        self.look()
    }
}
