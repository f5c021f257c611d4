//! `--save-state` and `--from`: a run put aside in a file, and taken up from it.
//!
//! The file is a line of JSON, which says what was run, and the state as RON, in which numbers have
//! all their digits. A run that is taken up goes on with the same bits, so that it must be the same
//! run: the table, its case, all settings but the stop and the distance of rows, the measures.

use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use situ_engine::sim::{Run, Saved};

use super::plot::quoted;
use super::settings::Settings;
use super::table::Opened;
use super::{Failure, Outcome};
use crate::view::csv::hexadecimal;
use crate::view::manifest::SteppingUsed;

/// What stands in the first line.
#[derive(Debug, Serialize, Deserialize)]
struct Header {
    /// What was run; equal for a run that can be taken up.
    run: Value,
    /// Time at which it was put aside [units of `time`].
    time: f64,
    /// SHA-256 of what follows the line, in hexadecimal digits.
    sha256: String,
}

/// Puts a run aside.
///
/// Errors: the file cannot be written.
pub(super) fn save(
    path: &Path,
    run: &Run,
    settings: &Settings,
    measures: &[String],
    opened: &Opened,
) -> Outcome {
    let body = ron::to_string(&run.saved()).expect("a state has only numbers and truth values");
    let header = Header {
        run: identity(run, settings, measures, opened),
        time: run.time(),
        sha256: hexadecimal(&Sha256::digest(&body)),
    };
    let header = serde_json::to_string(&header).expect("a header has only texts and numbers");
    let text = format!("{header}\n{body}\n");
    std::fs::write(path, text).map_err(|error| Failure::writing(&quoted(path), &error))
}

/// Takes up a run at its start from where another one was put aside.
///
/// Errors: the file cannot be read, is no such file, or belongs to another run.
pub(super) fn load(
    path: &Path,
    run: &mut Run,
    settings: &Settings,
    measures: &[String],
    opened: &Opened,
) -> Outcome {
    let name = quoted(path);
    let text = std::fs::read_to_string(path).map_err(|error| Failure::reading(&name, &error))?;
    let broken = || {
        Failure::Wrong(format!(
            "{name} is no state that `--save-state` has written"
        ))
    };
    let (header, body) = text.split_once('\n').ok_or_else(broken)?;
    let header: Header = serde_json::from_str(header).map_err(|_| broken())?;
    let body = body.strip_suffix('\n').ok_or_else(broken)?;
    if hexadecimal(&Sha256::digest(body)) != header.sha256 {
        return Err(Failure::Wrong(format!(
            "{name} has been changed since it was written"
        )));
    }
    let here = identity(run, settings, measures, opened);
    if let Some((what, there, here)) = difference(&header.run, &here) {
        return Err(Failure::Wrong(format!(
            "{name} is of another run: {what} was {there} there and is {here} here; a state goes on with the same bits or not at all"
        )));
    }
    let saved: Saved = ron::from_str(body).map_err(|_| broken())?;
    run.load(&saved)
        .map_err(|fault| Failure::Run(format!("{name} cannot be taken up: {fault}")))?;
    if run.time() > run.config().stop() {
        let (time, stop) = (run.time(), run.config().stop());
        return Err(Failure::Wrong(format!(
            "{name} stands at {time}, after the stop {stop}; give a later --stop"
        )));
    }
    Ok(())
}

/// All that must be equal.
fn identity(run: &Run, settings: &Settings, measures: &[String], opened: &Opened) -> Value {
    let texts = opened
        .tables
        .iter()
        .map(|table| &opened.sources.get(table.source_id).text);
    let tables: Vec<String> = texts
        .map(|text| hexadecimal(&Sha256::digest(text)))
        .collect();
    let mut stepping = json!(SteppingUsed::of(run.config()));
    if let Some(fields) = stepping.as_object_mut() {
        for free in ["stop", "every", "ticks"] {
            fields.remove(free);
        }
    }
    json!({
        "situ": env!("CARGO_PKG_VERSION"),
        "table": tables,
        "options": settings.options(),
        "stepping": stepping,
        "measures": measures,
    })
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
            ("table", _) => "another text".to_owned(),
            (_, Value::Null) => "not given".to_owned(),
            (_, value) => value.to_string(),
        };
        return Some((format!("`{name}`"), shown(a), shown(b)));
    }
    None
}
