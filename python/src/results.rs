//! Results of sweeps: columns that grow row by row, parts that are joined, and files.

use std::sync::{Arc, Mutex, PoisonError};

use pyo3::prelude::*;
use situ_repl::results::ResultsFile;
use situ_views::columns::cells::{self, Cell, Holds};

use crate::error::{Refusal, working};
use crate::frame::{About, Column, Frame, FrameData, Values};
use crate::wire::{self, Head, RESULT, opened};

/// A column of results without values.
pub(crate) fn empty(column: &cells::Column) -> Column {
    let about = About {
        name: column.name.clone(),
        kind: column.kind.to_owned(),
        unit: column.unit.clone(),
        about: column.about.clone(),
    };
    let values = match column.holds {
        Holds::Integers => Values::Integers(Vec::new()),
        Holds::Reals if column.kind == "measure" => Values::Gaps(Vec::new()),
        Holds::Reals => Values::Reals(Vec::new()),
        Holds::Truths => Values::Truths(Vec::new()),
        Holds::Texts => Values::texts::<&str>([]),
    };
    Column { about, values }
}

/// Adds a value; a number that is missing is NaN, a text that is missing is empty.
pub(crate) fn push(values: &mut Values, cell: Cell) {
    match (values, cell) {
        (Values::Integers(all), Cell::Integer(value)) => all.push(value),
        (Values::Reals(all) | Values::Gaps(all), Cell::Real(value)) => {
            all.push(value.unwrap_or(f64::NAN));
        }
        (Values::Truths(all), Cell::Truth(value)) => all.push(value),
        (values, Cell::Text(value)) => values.append(Values::texts([value.unwrap_or_default()])),
        (_, cell) => unreachable!("{cell:?} is no cell of this column"),
    }
}

/// The cell of a row of results; what is missing is empty.
fn cell(values: &Values, row: usize) -> Cell {
    match values {
        Values::Integers(all) => Cell::Integer(all[row]),
        Values::Reals(all) => Cell::Real(Some(all[row])),
        Values::Gaps(all) => Cell::Real(Some(all[row]).filter(|value| !value.is_nan())),
        Values::Truths(all) => Cell::Truth(all[row]),
        Values::Texts(..) => Cell::Text(values.text(row).filter(|text| !text.is_empty())),
    }
}

/// Sweep, first row, row behind the last, and columns of a result.
fn result(bytes: &[u8]) -> Result<(Head, FrameData), Refusal> {
    let payload = opened(RESULT, bytes)?;
    let damaged = || Refusal::Value("these bytes are no result of a slice".to_owned());
    let (head, mut columns) = wire::text_and_rest(payload).ok_or_else(damaged)?;
    let head: Head = serde_json::from_slice(head).map_err(|_| damaged())?;
    if head.version != wire::VERSION {
        return Err(Refusal::Version(format!(
            "situ {} has made this result, and here is situ {}",
            head.version,
            wire::VERSION
        )));
    }
    let frame = FrameData::read(&mut columns).ok_or_else(damaged)?;
    Ok((head, frame))
}

/// Results of one sweep that are being joined, in the order of rows.
#[pyclass(frozen, module = "situ._situ")]
#[derive(Debug, Default)]
pub(crate) struct Joined(Mutex<Parts>);

#[derive(Debug, Default)]
struct Parts {
    of: Option<String>,
    first: u64,
    next: Option<u64>,
    /// Number of rows of the whole sweep.
    all: u64,
    columns: Vec<Column>,
    source: String,
}

impl Joined {
    /// Columns without values, of which results are to come.
    pub(crate) fn of(columns: Vec<Column>) -> Self {
        Self(Mutex::new(Parts {
            columns,
            ..Parts::default()
        }))
    }
}

#[pymethods]
impl Joined {
    #[new]
    fn new() -> Self {
        Self::default()
    }

    /// Adds a result, which follows the one before it; the number of rows in all.
    fn add(&self, py: Python<'_>, bytes: &[u8]) -> PyResult<usize> {
        let bytes = bytes.to_vec();
        Ok(working(py, move || {
            let (head, frame) = result(&bytes)?;
            let mut parts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            if parts.of.as_ref().is_some_and(|of| *of != head.of) {
                return Err(Refusal::Value(
                    "results of two sweeps cannot be joined".to_owned(),
                ));
            }
            if parts.next.is_some_and(|next| next != head.from) {
                return Err(Refusal::Value(format!(
                    "rows {} to {} are missing, or results stand in another order",
                    parts.next.unwrap_or_default(),
                    head.from
                )));
            }
            let is_first = parts.next.is_none();
            parts.of = Some(head.of);
            parts.next = Some(head.to);
            if is_first {
                (parts.first, parts.all) = (head.from, head.all);
                parts.columns = frame.columns;
                parts.source = frame.source;
            } else {
                for (all, more) in parts.columns.iter_mut().zip(frame.columns) {
                    all.values.append(more.values);
                }
            }
            Ok(parts
                .columns
                .first()
                .map_or(0, |column| column.values.len()))
        })??)
    }

    /// Checks that all rows of the sweep are there.
    fn check_whole(&self) -> PyResult<()> {
        let parts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let missing = match parts.next {
            None => "there are no results to join".to_owned(),
            Some(_) if parts.first > 0 => format!("rows 0 to {} are missing", parts.first),
            Some(next) if next < parts.all => {
                format!("rows {next} to {} are missing", parts.all)
            }
            Some(_) => return Ok(()),
        };
        Err(Refusal::Value(missing).into())
    }

    /// The columns of all results, which are then no longer here.
    fn finish(&self) -> Frame {
        let parts = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        Frame(Arc::new(FrameData::new(&parts.source, parts.columns)))
    }
}

/// A file of results, as `situ sweep` writes it, that grows as they come.
#[pyclass(frozen, module = "situ._situ")]
#[derive(Debug)]
pub(crate) struct StudyFile {
    /// Hash of the sweep.
    of: String,
    /// Number of its runs.
    all: u64,
    /// `None` when it is closed.
    file: Mutex<Option<ResultsFile>>,
}

impl StudyFile {
    pub(crate) fn new(of: &str, all: u64, file: ResultsFile) -> Self {
        Self {
            of: of.to_owned(),
            all,
            file: Mutex::new(Some(file)),
        }
    }

    fn with<T>(
        &self,
        then: impl FnOnce(&mut ResultsFile) -> Result<T, Refusal>,
    ) -> Result<T, Refusal> {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let closed = || Refusal::Value("the file is closed".to_owned());
        then(file.as_mut().ok_or_else(closed)?)
    }
}

#[pymethods]
impl StudyFile {
    /// Number of runs that are in it.
    fn rows(&self) -> PyResult<u64> {
        Ok(self.with(|file| Ok(file.rows()))?)
    }

    /// Adds a result, which follows the one before it; the number of runs in the file.
    fn add(&self, py: Python<'_>, bytes: &[u8]) -> PyResult<u64> {
        let bytes = bytes.to_vec();
        Ok(working(py, move || {
            let (head, frame) = result(&bytes)?;
            self.with(|file| {
                if head.of != self.of || head.from != file.rows() {
                    let said = "this result does not follow the runs in the file";
                    return Err(Refusal::Value(said.to_owned()));
                }
                let count = frame
                    .columns
                    .first()
                    .map_or(0, |column| column.values.len());
                let row = |row| {
                    frame
                        .columns
                        .iter()
                        .map(|one| cell(&one.values, row))
                        .collect()
                };
                file.add((0..count).map(row).collect())
                    .map_err(Refusal::Value)?;
                Ok(file.rows())
            })
        })??)
    }

    /// Closes it; it takes its name if all runs are in it.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        let file = self
            .file
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        Ok(working(py, || match file {
            Some(file) => {
                let is_whole = file.rows() == self.all;
                file.finish(is_whole).map_err(Refusal::Value)
            }
            None => Ok(()),
        })??)
    }
}
