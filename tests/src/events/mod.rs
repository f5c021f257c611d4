//! Event-accurate runs against what is known exactly.
//!
//! `tests/data/exact/` holds numbers from closed forms or from integration with 40 digits, made
//! outside of situ, each with its tolerance. A run at tight tolerances must meet every one of them;
//! at the default tolerance the bound is the one that the tests state.

mod contact;
mod crossings;
mod delays;
mod equations;
pub(crate) mod published;
mod rows;
pub(crate) mod runs;
mod silent;
mod stiffness;

use serde_json::Value;
use situ_engine::Method;
use situ_engine::model::Clock;
use situ_engine::sim::{EventConfig, EventRun, EventStats, RunFault, SetupError};
use situ_engine::trace::{Trace, TraceRecorder};

use crate::tables::{Table, column, root};

/// Accuracy asked of a run, and what is then expected of it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Accuracy {
    /// Tolerances of 1e-12: every number of a file within the tolerance that stands there.
    Tight,
    /// Accuracy for a user who chooses nothing: every number within [`DEFAULT_ERROR`].
    Default,
}

/// Largest error of a run with default tolerances: this part of a number, or of 1 if it is smaller.
const DEFAULT_ERROR: f64 = 1e-4;

/// The same for each component of a stiff system, whose components may differ by many powers of ten:
/// this part of the component, and this much whatever its size.
const DEFAULT_STIFF_ERROR: (f64, f64) = (1e-3, 1e-8);

impl Accuracy {
    /// With rows at events only.
    fn config(self, stop: f64) -> EventConfig {
        let mut clock = Clock {
            stop: Some(stop),
            every: Some(stop),
            ..Clock::default()
        };
        if self == Self::Tight {
            clock.method = Some(Method::Dop853);
            (clock.rtol, clock.atol) = (Some(1e-12), Some(1e-12));
        }
        EventConfig::from_clock(&clock).unwrap()
    }

    /// Largest error of a number whose file states a tolerance.
    fn allows(self, known: f64, tolerance: f64) -> f64 {
        match self {
            Self::Tight => tolerance,
            Self::Default => DEFAULT_ERROR * known.abs().max(1.0),
        }
    }
}

/// The numbers of `tests/data/exact/NAME.json`.
pub(crate) fn known(name: &str) -> Value {
    let path = root().join(format!("tests/data/exact/{name}.json"));
    let text = std::fs::read_to_string(&path).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// A number of such a file.
#[track_caller]
pub(crate) fn number(value: &Value) -> f64 {
    value
        .as_f64()
        .unwrap_or_else(|| panic!("{value} is no number"))
}

/// A list of such a file.
#[track_caller]
pub(crate) fn list(value: &Value) -> &[Value] {
    value
        .as_array()
        .unwrap_or_else(|| panic!("{value} is no list"))
}

/// The entries of an object of such a file.
#[track_caller]
pub(crate) fn entries(value: &Value) -> impl Iterator<Item = (&str, &Value)> {
    let object = value.as_object();
    let object = object.unwrap_or_else(|| panic!("{value} is no object"));
    object.iter().map(|(name, value)| (name.as_str(), value))
}

/// Checks a scenario at both accuracies.
fn at_both(check: impl Fn(Accuracy)) {
    check(Accuracy::Tight);
    check(Accuracy::Default);
}

/// A table with the settings of an event-accurate run.
#[derive(Clone)]
pub(crate) struct Exact {
    table: Table,
    config: EventConfig,
}

impl Exact {
    /// A run with rows at its events only.
    pub(crate) fn new(table: Table, stop: f64, accuracy: Accuracy) -> Self {
        let config = accuracy.config(stop);
        Self { table, config }
    }

    /// The method.
    pub(crate) fn method(mut self, method: Method) -> Self {
        self.config.settings.method = method;
        self
    }

    /// Distance of further rows.
    pub(crate) fn every(mut self, every: f64) -> Self {
        self.config.every = Some(every);
        self
    }

    /// Runs to the end.
    #[track_caller]
    pub(crate) fn run(self) -> History {
        let name = self.table.model.name.clone();
        match self.outcome() {
            (history, None) => history,
            (history, Some(fault)) => {
                let time = history.trace.time.last();
                panic!("{name} ends at {time:?}: {fault}")
            }
        }
    }

    /// Runs to the end or to a fault.
    fn outcome(self) -> (History, Option<RunFault>) {
        let Self { table, config } = self;
        let mut recorder = TraceRecorder::new(&table.model);
        let (stats, fault) = match EventRun::new(table.model.clone(), config) {
            Ok(mut run) => {
                let fault = run.run(&mut recorder).err();
                (run.stats(), fault)
            }
            Err(SetupError::Fault(fault)) => (EventStats::default(), Some(*fault)),
            Err(error) => panic!("{}: {error}", table.model.name),
        };
        let trace = recorder.trace;
        let history = History {
            table,
            trace,
            stats,
        };
        (history, fault)
    }
}

/// Record that a run has left behind.
pub(crate) struct History {
    pub(crate) table: Table,
    pub(crate) trace: Trace,
    stats: EventStats,
}

impl History {
    fn column(&self, name: &str) -> Vec<f64> {
        column(&self.table.model, &self.trace, name).unwrap_or_else(|| panic!("no column {name}"))
    }

    /// Rows right after a boolean (`!` before it: its negation) came to hold.
    fn rises(&self, literal: &str) -> Vec<usize> {
        let holds = crate::tables::literal(&self.table.model, &self.trace, literal);
        (1..holds.len())
            .filter(|&row| holds[row] && !holds[row - 1])
            .collect()
    }

    /// Rows right after an event fired.
    fn fired(&self, event: &str) -> Vec<usize> {
        let fired = self.column(event);
        (0..fired.len()).filter(|&row| fired[row] != 0.0).collect()
    }

    /// The times of rows.
    fn times(&self, rows: &[usize]) -> Vec<f64> {
        rows.iter().map(|&row| self.trace.time[row]).collect()
    }

    /// The value of a real in a row.
    fn at_row(&self, row: usize, name: &str) -> f64 {
        self.trace.reals[self.table.real(name).index()][row]
    }

    /// The first row at a time: before anything happens there.
    #[track_caller]
    fn row_at(&self, time: f64) -> usize {
        let mut times = self.trace.time.iter();
        let row = times.position(|found| (found - time).abs() <= 1e-12 * time.abs());
        row.unwrap_or_else(|| panic!("no row at {time}"))
    }

    /// The value of a real at a time at which there is a row.
    #[track_caller]
    fn at(&self, time: f64, name: &str) -> f64 {
        self.at_row(self.row_at(time), name)
    }

    /// The last value of a real.
    fn last(&self, name: &str) -> f64 {
        self.at_row(self.trace.time.len() - 1, name)
    }
}

/// Compares numbers and tells of all that are off at once.
struct Judge {
    accuracy: Accuracy,
    compared: usize,
    off: Vec<String>,
}

impl Judge {
    fn new(accuracy: Accuracy) -> Self {
        Self {
            accuracy,
            compared: 0,
            off: Vec::new(),
        }
    }

    fn near(&mut self, what: &str, found: f64, known: f64, tolerance: f64) {
        self.compared += 1;
        let share = (found - known).abs() / self.accuracy.allows(known, tolerance);
        if share.is_nan() || share > 1.0 {
            let line = format!("{what}: {found} is not {known}, {share:.2} times the tolerance");
            self.off.push(line);
        }
    }

    /// Compares the lengths of two lists, and then what stands in both.
    fn all_near(&mut self, what: &str, found: &[f64], known: &[f64], tolerance: f64) {
        if found.len() != known.len() {
            let line = format!("{what}: {} instead of {}", found.len(), known.len());
            self.off.push(format!("{line}\n  {found:?}\n  {known:?}"));
        }
        for (index, (&found, &known)) in found.iter().zip(known).enumerate() {
            self.near(&format!("{what} {index}"), found, known, tolerance);
        }
    }

    #[track_caller]
    fn finish(self, at_least: usize) {
        assert!(self.off.is_empty(), "{}", self.off.join("\n"));
        let compared = self.compared;
        assert!(
            compared >= at_least,
            "only {compared} numbers were compared"
        );
    }
}
