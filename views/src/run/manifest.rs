//! Manifests: what was run and what came out, so that a result can be checked later.
//!
//! `--record FILE` writes one as JSON. It holds no date and no name of a machine: the same table run
//! in the same way gives the same manifest.

use serde::Serialize;
use sha2::{Digest, Sha256};
use situ_engine::model::{IntegralRule, Scan};
use situ_engine::sim::{EventConfig, Run, RunConfig};
use situ_engine::solve::Locate;

use crate::columns::csv::{Written, hexadecimal};

/// A run and its result.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Manifest {
    /// Version of the program.
    pub situ: &'static str,
    /// Name of the model.
    pub model: String,
    /// The table and those it extends, each with its hash.
    pub tables: Vec<TableHash>,
    /// What the command line said.
    pub options: Options,
    /// How the run was stepped in the end.
    pub stepping: SteppingUsed,
    /// Who did the ticks or steps, see [`engine_used`].
    pub engine: &'static str,
    /// `--fast-math`
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub fast_math: bool,
    /// What came out.
    pub result: RunResult,
}

/// One text that was read.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct TableHash {
    /// Its name, a path.
    pub name: String,
    /// SHA-256 of its bytes in hexadecimal digits.
    pub sha256: String,
}

/// The options that change a result, as they were given.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Options {
    /// `--case`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub case: Option<String>,
    /// `--set`
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub set: Vec<String>,
    /// `--until`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
    /// `--step-formula`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step_formula: Option<String>,
}

/// How a run was stepped.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(tag = "stepping", rename_all = "lowercase")]
pub enum SteppingUsed {
    /// Tick by tick.
    Tick {
        /// Length of a tick [units of `time`].
        step: f64,
        /// Ticks of the whole run.
        ticks: u64,
        /// Ticks from row to row.
        every: u64,
        /// `sequential` or `simultaneous`.
        scan: &'static str,
        /// `rectangle` or `trapezoid`.
        integral: &'static str,
        /// How events were located, if they were.
        #[serde(skip_serializing_if = "Option::is_none")]
        locate: Option<&'static str>,
        /// Most ticks.
        max_steps: u64,
        /// Most rows.
        max_rows: u64,
    },
    /// Event-accurately.
    Events {
        /// The integration method.
        method: &'static str,
        /// Relative tolerance.
        rtol: f64,
        /// Absolute tolerance.
        atol: f64,
        /// First or fixed step [units of `time`].
        #[serde(skip_serializing_if = "Option::is_none")]
        h0: Option<f64>,
        /// Shortest step [units of `time`].
        hmin: f64,
        /// Longest step, if there is a limit [units of `time`].
        #[serde(skip_serializing_if = "Option::is_none")]
        hmax: Option<f64>,
        /// How events were located.
        locate: &'static str,
        /// Distance of rows [units of `time`].
        every: Option<f64>,
        /// End of the whole run [units of `time`].
        stop: f64,
        /// Most instants.
        max_events: u64,
        /// Most steps.
        max_steps: u64,
        /// Most rows.
        max_rows: u64,
    },
}

impl SteppingUsed {
    /// As the settings of a run say.
    pub fn of(config: RunConfig) -> Self {
        match config {
            RunConfig::Ticks(config) => Self::Tick {
                step: config.step,
                ticks: config.ticks,
                every: config.every,
                scan: match config.options.scan {
                    Scan::Sequential => "sequential",
                    Scan::Simultaneous => "simultaneous",
                },
                integral: match config.options.integral {
                    IntegralRule::Rectangle => "rectangle",
                    IntegralRule::Trapezoid => "trapezoid",
                },
                locate: located(config.locate),
                max_steps: config.budget.steps,
                max_rows: config.budget.rows,
            },
            RunConfig::Events(EventConfig {
                stop,
                every,
                settings,
                atol,
                locate,
                budget,
                ..
            }) => Self::Events {
                method: settings.method.name(),
                rtol: settings.rtol,
                atol,
                h0: settings.h0,
                hmin: settings.hmin,
                hmax: Some(settings.hmax).filter(|hmax| hmax.is_finite()),
                locate: locate.name(),
                every,
                stop,
                max_events: budget.events,
                max_steps: budget.steps,
                max_rows: budget.rows,
            },
        }
    }
}

/// The end of the run and the rows that were emitted.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct RunResult {
    /// Why it ended, see [`crate::run::summary::Summary::ended`].
    pub ended: &'static str,
    /// Time at the end [units of `time`].
    pub time: f64,
    /// Names of the columns after `time`.
    pub columns: Vec<String>,
    /// Rows, the start included.
    pub rows: u64,
    /// Size of the CSV text.
    pub bytes: u64,
    /// SHA-256 of the CSV text in hexadecimal digits: what `sha256sum` says of the file.
    pub sha256: String,
}

/// The way in which ticks end at events, if they do.
pub fn located(way: Locate) -> Option<&'static str> {
    (way != Locate::None).then(|| way.name())
}

/// Who did the ticks or steps of a run: `native` if native code did some of them, else `interpreter`.
pub fn engine_used(run: &Run) -> &'static str {
    match run.is_native() {
        true => "native",
        false => "interpreter",
    }
}

impl TableHash {
    /// Of a text.
    pub fn of(name: &str, text: &str) -> Self {
        Self {
            name: name.to_owned(),
            sha256: hexadecimal(&Sha256::digest(text)),
        }
    }
}

impl Manifest {
    /// Of a run that has ended, with the tables its model came from and the rows it gave.
    pub fn of(
        run: &Run,
        tables: Vec<TableHash>,
        options: Options,
        fast_math: bool,
        ended: &'static str,
        columns: Vec<String>,
        written: Written,
    ) -> Self {
        let Written {
            rows,
            bytes,
            sha256,
        } = written;
        Self {
            situ: env!("CARGO_PKG_VERSION"),
            model: run.model().name.clone(),
            tables,
            options,
            stepping: SteppingUsed::of(run.config()),
            engine: engine_used(run),
            fast_math,
            result: RunResult {
                ended,
                time: run.time(),
                columns,
                rows,
                bytes,
                sha256,
            },
        }
    }
}
