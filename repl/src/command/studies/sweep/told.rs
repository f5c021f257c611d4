//! What is told of a sweep beside its table: which runs failed, and all of it as JSON.

use serde_json::{Value, json};
use situ_rules::diag::to_json;
use situ_sweep::{Done, Ending};
use situ_views::columns::cells::Cell;
use situ_views::text::number::for_json;
use situ_words::say;

use super::output::Results;
use crate::command::Streams;
use crate::command::table::Opened;

/// Runs that failed.
#[derive(Default)]
pub(super) struct Failures {
    pub(super) count: u64,
    first: Option<Vec<String>>,
}

impl Failures {
    pub(super) fn note(&mut self, done: &Done, results: &Results<'_>) {
        if !matches!(done.ending, Ending::Stop | Ending::Condition) {
            self.count += 1;
            self.first.get_or_insert_with(|| results.line(done));
        }
    }

    /// Notes a run of an earlier sweep, as CSV has it.
    pub(super) fn note_line(&mut self, line: &[String], results: &Results<'_>) {
        let line = &line[..results.columns.len()];
        if line.last().is_some_and(|fault| !fault.is_empty()) {
            self.count += 1;
            self.first.get_or_insert_with(|| line.to_vec());
        }
    }

    /// Says how many of so many runs failed, and why the first did.
    pub(super) fn conclude(&self, runs: u64, streams: &mut Streams) {
        if let Some(first) = &self.first {
            streams.complain(&say!(
                "sweep-failed",
                n = self.count,
                runs,
                first = &first[0],
                why = &first[first.len() - 1]
            ));
        }
    }
}

/// A sweep as data. Shapes: `runs`, how many there are to do, and how many are done; `rows`, those of the table, unless
/// they stand in a file.
pub(super) fn data(
    results: &Results<'_>,
    [runs, done]: [u64; 2],
    failed: u64,
    rows: Option<Vec<Value>>,
    opened: &Opened,
) -> Value {
    let columns = results.columns.iter().map(|column| {
        json!({
            "name": column.name,
            "kind": column.kind,
            "unit": column.unit,
            "about": column.about,
        })
    });
    let mut data = json!({
        "model": opened.model.name,
        "runs": runs,
        "done": done,
        "failed": failed,
        "columns": columns.collect::<Vec<_>>(),
        "diagnostics": to_json(&opened.diagnostics, &opened.sources),
    });
    if let Some(rows) = rows {
        data["rows"] = Value::Array(rows);
    }
    data
}

/// A run as data: a list with a value for each column, null where there is none, texts where one is not finite.
pub(super) fn row(results: &Results<'_>, done: &Done) -> Value {
    let cells = results.cells(done).into_iter();
    let values = cells.map(|cell| match cell {
        Cell::Integer(value) => Value::from(value),
        Cell::Real(value) => {
            for_json(&value, serde_json::value::Serializer).expect("it is a number or a text")
        }
        Cell::Truth(value) => Value::from(value),
        Cell::Text(value) => value.map_or(Value::Null, Value::from),
    });
    values.collect()
}
