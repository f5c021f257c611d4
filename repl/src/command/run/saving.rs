//! `--save-state` and `--from`: a run put aside in a file, and taken up from it.
//!
//! The file is a line of JSON, which says what was run, the state as RON, in which numbers have all their
//! digits, and a line with the SHA-256 of both. A run that is taken up goes on with the same bits, so that it must be the same
//! run: the table, its case, all settings but the stop and the distance of rows, the measures.
//!
//! `--save-every` pauses a run at rows of its grid ([`Pauses`]), which leaves no trace in it, and keeps the
//! state before the last one beside it.

use std::io::Write;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use situ_engine::sim::{EndReason, Run, RunConfig, RunFault, SavedRun};
use situ_engine::trace::{Instant, Recorder, Row};
use situ_rules::diag::state_error;
use situ_rules::tree::with_parts;
use situ_views::columns::csv::hexadecimal;
use situ_views::run::manifest::{ClockUsed, TableHash};
use situ_words::say;

use crate::command::io::files::{Output, quoted, read_bytes};
use crate::command::settings::Settings;
use crate::command::table::Opened;
use crate::command::{Failure, Outcome};

/// Content of the first line.
#[derive(Debug, Serialize, Deserialize)]
struct Header {
    /// Settings of the run; equal for a run that can be taken up.
    run: Value,
    /// Time at which it was put aside [units of `time`].
    time: f64,
}

/// The name of the state before the last one.
pub(in crate::command) fn older(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".before");
    name.into()
}

/// Puts a run aside; with `keeps_older`, the state that stands in the file is kept as [`older`].
///
/// # Errors
///
/// The file cannot be written; what stands in it then stays.
pub(in crate::command) fn save(
    path: &Path,
    run: &Run,
    settings: &Settings,
    measures: &[String],
    opened: &Opened,
    keeps_older: bool,
) -> Outcome {
    let body = ron::to_string(&run.saved()).expect("a state has only numbers and truth values");
    let header = Header {
        run: identity(run, settings, measures, opened),
        time: run.time(),
    };
    let header = serde_json::to_string(&header).expect("a header has only texts and numbers");
    let content = format!("{header}\n{body}");
    let sha256 = hexadecimal(&Sha256::digest(&content));
    let written = Output::create(path).and_then(|mut file| {
        file.write_all(format!("{content}\n{sha256}\n").as_bytes())?;
        match keeps_older {
            true => file.commit_keeping(&older(path)),
            false => file.commit(),
        }
    });
    written.map_err(|error| Failure::writing(&quoted(path), &error))
}

/// When a run is put aside on its way: at every so-manieth row of its grid.
#[derive(Debug)]
pub(in crate::command) struct Pauses {
    /// Distance of rows [units of `time`].
    rows: f64,
    /// Rows from one pause to the next.
    n_rows: f64,
    /// True if rows may be off the grid, as with ticks of changing length and with events: a pause is then at the first
    /// row that is not before a place of the grid, so that it has no row of its own.
    at_rows: bool,
}

impl Pauses {
    /// At the rows that are a time apart or a little more.
    ///
    /// # Errors
    ///
    /// The time is none.
    pub(in crate::command) fn every(time: f64, config: &RunConfig) -> Result<Self, Failure> {
        if !(time > 0.0 && time.is_finite()) {
            let wrong = say!("cli-every.save-every-must", time);
            return Err(Failure::Wrong(wrong));
        }
        let at_rows = match config {
            RunConfig::Ticks(config) => config.is_uneven(),
            RunConfig::Events(_) => true,
        };
        let rows = match config {
            #[expect(clippy::cast_precision_loss, reason = "ticks are fewer than 2^53")]
            RunConfig::Ticks(config) => config.step * config.every as f64,
            RunConfig::Events(config) => config.every.unwrap_or(time),
        };
        let n_rows = (time / rows * (1.0 - TOGETHER)).ceil().max(1.0);
        Ok(Self {
            rows,
            n_rows,
            at_rows,
        })
    }

    /// Runs to the end as [`Run::run`] does, with a look at the run at every pause.
    ///
    /// # Errors
    ///
    /// `save` failed.
    pub(in crate::command) fn run(
        &self,
        run: &mut Run,
        recorder: &mut impl Recorder,
        save: &dyn Fn(&Run) -> Outcome,
    ) -> Result<Result<EndReason, RunFault>, Failure> {
        let stop = run.config().stop();
        let mut part = Part {
            recorder,
            begun: true,
            stop,
            until: stop,
            pauses: false,
            paused: false,
        };
        loop {
            part.until = self.after(run.time()).min(stop);
            part.pauses = self.at_rows && part.until < stop;
            if part.until >= stop {
                return Ok(run.run(&mut part));
            }
            let ended = match self.at_rows {
                true => run.run(&mut part),
                false => run.run_to(part.until, &mut part),
            };
            match ended {
                Ok(EndReason::Stop) if !self.at_rows => {}
                Ok(EndReason::Recorder) if std::mem::take(&mut part.paused) => {}
                ended => return Ok(ended),
            }
            save(run)?;
            part.begun = false;
        }
    }
}

/// Times nearer than this, in relation to themselves, are one pause.
const TOGETHER: f64 = 1e-9;

impl Pauses {
    /// The first pause after a time.
    fn after(&self, time: f64) -> f64 {
        let pause = |number: f64| self.rows * (self.n_rows * number);
        let passed = (time / pause(1.0)).floor().max(0.0);
        let next = [passed, passed + 1.0, passed + 2.0].map(pause);
        let is_after = |pause: &f64| *pause > time * (1.0 + TOGETHER);
        next.into_iter().find(is_after).unwrap_or(f64::INFINITY)
    }
}

/// Hands on the rows of a run that pauses: what stands at a pause is told once.
struct Part<'r, R> {
    recorder: &'r mut R,
    /// True if the row at the beginning is new.
    begun: bool,
    /// Ends of the run and of this part [units of `time`].
    stop: f64,
    until: f64,
    /// True if this part ends at the first row behind its end, and whether it has.
    pauses: bool,
    paused: bool,
}

impl<R: Recorder> Recorder for Part<'_, R> {
    fn row(&mut self, row: &Row<'_>) -> ControlFlow<()> {
        if std::mem::replace(&mut self.begun, true) {
            self.recorder.row(row)?;
        }
        self.paused = self.pauses && row.time * (1.0 + TOGETHER) >= self.until;
        match self.paused {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        clippy::cast_sign_loss,
        reason = "how far a run is, for a bar"
    )]
    fn poll(&mut self, done: u64, all: u64) -> ControlFlow<()> {
        let whole = match self.pauses {
            true => all as f64,
            false => all as f64 * (self.stop / self.until),
        };
        self.recorder.poll(done, whole as u64)
    }

    fn wants_instants(&self) -> bool {
        self.recorder.wants_instants()
    }

    fn instant(&mut self, instant: &Instant) -> ControlFlow<()> {
        if self.begun {
            self.recorder.instant(instant)
        } else {
            ControlFlow::Continue(())
        }
    }
}

/// The condition that ended or was to end the run of a state, if it says so.
///
/// # Errors
///
/// The file cannot be read, or is no such file.
pub(in crate::command) fn stop_when(path: &Path) -> Result<Option<String>, Failure> {
    let (header, _) = read(path)?;
    let condition = header.run["clock"]["stop_when"].as_str();
    Ok(condition.map(str::to_owned))
}

/// What was run, and the state as it is written.
///
/// # Errors
///
/// The file cannot be read, is no such file, or is not as it was written.
fn read(path: &Path) -> Result<(Header, String), Failure> {
    let name = quoted(path);
    let bytes = read_bytes(path).map_err(|error| Failure::reading(&name, &error))?;
    let (content, sha256) = parts(&bytes).ok_or_else(|| no_state(&name))?;
    if hexadecimal(&Sha256::digest(content)).as_bytes() != sha256 {
        return Err(Failure::Wrong(say!("cli-load.been-changed-since", name)));
    }
    let text = str::from_utf8(content).ok();
    let read = text
        .and_then(|text| text.split_once('\n'))
        .and_then(|(header, body)| Some((serde_json::from_str(header).ok()?, body.to_owned())));
    read.ok_or_else(|| no_state(&name))
}

/// What the SHA-256 in the last line is of, and that; `None` if the last line holds none.
fn parts(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let lines = bytes.strip_suffix(b"\n")?;
    let end = lines.iter().rposition(|byte| *byte == b'\n')?;
    let sha256 = &lines[end + 1..];
    let is_digest = sha256.len() == 64 && sha256.iter().all(u8::is_ascii_hexdigit);
    is_digest.then_some((&lines[..end], sha256))
}

fn no_state(name: &str) -> Failure {
    Failure::Wrong(say!("cli-load.not-state-written", name))
}

/// Takes up a run at its start from where another one was put aside.
///
/// # Errors
///
/// The file cannot be read, is no such file, or belongs to another run.
pub(in crate::command) fn load(
    path: &Path,
    run: &mut Run,
    settings: &Settings,
    measures: &[String],
    opened: &Opened,
) -> Outcome {
    let name = quoted(path);
    let (header, body) = read(path)?;
    let here = identity(run, settings, measures, opened);
    if let Some((what, there, here)) = difference(&header.run, &here) {
        return Err(Failure::Wrong(say!(
            "cli-load.belongs-another-run",
            name,
            what,
            there,
            here
        )));
    }
    let saved: SavedRun = ron::from_str(&body).map_err(|_| no_state(&name))?;
    run.load(&saved).map_err(|fault| {
        Failure::Run(say!(
            "cli-load.cannot-continued",
            name,
            fault = state_error(&fault, &opened.model, &opened.origins)
        ))
    })?;
    if run.time() > run.config().stop() {
        let (time, stop) = (run.time(), run.config().stop());
        return Err(Failure::Wrong(say!(
            "cli-load.after-stop-give",
            name,
            time,
            stop
        )));
    }
    Ok(())
}

/// All that must be equal.
fn identity(run: &Run, settings: &Settings, measures: &[String], opened: &Opened) -> Value {
    let tables = with_parts(&opened.tables).into_iter();
    let texts = tables.map(|table| &opened.sources.get(table.source_id).text);
    let tables: Vec<String> = texts
        .map(|text| hexadecimal(&Sha256::digest(text)))
        .collect();
    let free = ["stop", "every", "max_events", "max_steps", "max_rows"];
    let clock = ClockUsed::of(run.model(), &run.config()).without(&free);
    let mut identity = json!({
        "situ": env!("CARGO_PKG_VERSION"),
        "table": tables,
        "options": settings.options(),
        "clock": clock,
        "measures": measures,
    });
    let data = TableHash::of_data(&opened.model);
    if !data.is_empty() {
        identity["data"] = json!(data.iter().map(|file| &file.sha256).collect::<Vec<_>>());
    }
    identity
}

/// The first thing that is not equal, with both values.
fn difference(there: &Value, here: &Value) -> Option<(String, String, String)> {
    let empty = Map::new();
    let fields = |value: &'_ Value| value.as_object().cloned().unwrap_or_else(|| empty.clone());
    let (there, here) = (fields(there), fields(here));
    // Other settings follow from the stepping.
    let stepping = "stepping".to_owned();
    let names = [&stepping]
        .into_iter()
        .chain(here.keys())
        .chain(there.keys());
    for name in names {
        let [a, b] = [&there, &here].map(|side| side.get(name).cloned().unwrap_or(Value::Null));
        if a == b {
            continue;
        }
        if a.is_object() && b.is_object() {
            return difference(&a, &b);
        }
        let shown = |value: Value| match (name.as_str(), value) {
            ("table", _) => say!("cli-difference.another-text"),
            ("data", _) => say!("cli-difference.other-points-lookups"),
            (_, Value::Null) => say!("cli-difference.not-given"),
            (_, value) => value.to_string(),
        };
        return Some((format!("`{name}`"), shown(a), shown(b)));
    }
    None
}
