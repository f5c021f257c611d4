//! Manifests: what was run and what came out, so that a result can be checked later.
//!
//! `--record FILE` writes one as JSON. It holds no date and no name of a machine: the same table run
//! in the same way gives the same manifest.

use serde::{Serialize, Serializer};
use serde_json::Value;
use sha2::{Digest, Sha256};
use situ_engine::Locate;
use situ_engine::model::{Clock, ClockKind, ClockValue, Model};
use situ_engine::sim::{Run, RunConfig};

use crate::columns::csv::{Written, hexadecimal};
use situ_rules::print::ModelText;

/// A run and its result.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Manifest {
    /// Version of the program.
    pub situ: &'static str,
    /// Name of the model.
    pub model: String,
    /// The table and those it extends, each with its hash.
    pub tables: Vec<TableHash>,
    /// The files with points of lookups, each with its hash.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub data: Vec<TableHash>,
    /// Options of the command line.
    pub options: Options,
    /// The clock of the run.
    pub clock: ClockUsed,
    /// Who did the ticks or steps, see [`engine_used`].
    pub engine: &'static str,
    /// `--fast-math`
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub fast_math: bool,
    /// Result of the run.
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

/// The options that change the table, as they were given.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Options {
    /// `--case`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub case: Option<String>,
    /// `--set`
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub set: Vec<String>,
}

/// The clock of a run, every setting with the value that the run used, as a table states it.
#[derive(Clone, PartialEq, Debug)]
pub struct ClockUsed(Vec<(&'static str, Value)>);

impl ClockUsed {
    /// Of a run of a model with settings.
    pub fn of(model: &Model, config: &RunConfig) -> Self {
        let words = ModelText::of(model);
        let clock = Clock {
            stop_when: model.clock.stop_when.clone(),
            unit: model.clock.unit,
            ..config.clock()
        };
        let stated = clock.stated().map(|(setting, value)| {
            let value = match (setting.kind, value) {
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "a budget is a whole number above zero; the cast saturates"
                )]
                (ClockKind::Count, ClockValue::Number(count)) => Value::from(count as u64),
                (_, ClockValue::Number(number)) => Value::from(number),
                (_, value) => Value::from(words.clock_value(&value)),
            };
            (setting.name, value)
        });
        Self(stated.collect())
    }

    /// The settings with their values.
    pub fn settings(&self) -> impl Iterator<Item = (&'static str, &Value)> {
        self.0.iter().map(|(name, value)| (*name, value))
    }

    /// Without some of the settings.
    pub fn without(mut self, names: &[&str]) -> Self {
        self.0.retain(|(name, _)| !names.contains(name));
        self
    }
}

impl Serialize for ClockUsed {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
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
    /// Those of the files with points of a model's lookups, once each.
    pub fn of_data(model: &Model) -> Vec<Self> {
        let mut files: Vec<Self> = Vec::new();
        for file in model
            .lookups
            .iter()
            .filter_map(|lookup| lookup.file.as_ref())
        {
            let hash = Self {
                name: file.name.clone(),
                sha256: file.sha256.clone(),
            };
            if !files.contains(&hash) {
                files.push(hash);
            }
        }
        files
    }

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
            data: TableHash::of_data(run.model()),
            options,
            clock: ClockUsed::of(run.model(), &run.config()),
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
