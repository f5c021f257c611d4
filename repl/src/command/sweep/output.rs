//! The table of a sweep's results as CSV, and what of it is there already.
//!
//! One line per run: its number, the values that vary, the measures (empty where there is none), the time
//! at its end, how it ended, and why it failed.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use situ_engine::model::Model;
use situ_rules::diag::{fault, setup_error};
use situ_rules::source::Origins;
use situ_sweep::{Design, Done, Ending};

use crate::command::Failure;
use crate::view::number::exact;

/// The names of the columns.
pub(super) fn header(names: &[String], measures: &[String]) -> Vec<String> {
    let first = ["run".to_owned()].into_iter();
    let last = ["time", "ended", "fault"].map(str::to_owned);
    let all = first.chain(names.iter().cloned());
    all.chain(measures.iter().cloned()).chain(last).collect()
}

/// A line of the table.
pub(super) fn record(
    done: &Done,
    n_measures: usize,
    model: &Model,
    origins: &Origins,
) -> Vec<String> {
    let report = match &done.ending {
        Ending::Stop | Ending::Condition => None,
        Ending::Failed(why) => Some(fault(why, model, origins)),
        Ending::Refused(why) => Some(setup_error(why, model, origins)),
    };
    let ended = match &done.ending {
        Ending::Stop => "stop",
        Ending::Condition => "condition",
        Ending::Failed(_) => "failed",
        Ending::Refused(_) => "refused",
    };
    let why = report.map(|report| format!("{}: {}", report.code, report.message));
    let mut fields = vec![(done.row + 1).to_string()];
    fields.extend(done.values.iter().map(|value| exact(*value)));
    let measure = |index| done.measured.get(index).copied().flatten();
    fields.extend((0..n_measures).map(|index| measure(index).map_or_else(String::new, exact)));
    fields.extend([exact(done.time), ended.to_owned(), why.unwrap_or_default()]);
    fields
}

/// Where the table goes.
pub(super) struct Table {
    writer: csv::Writer<Box<dyn Write + Send>>,
    /// For messages.
    name: String,
}

impl Table {
    /// To standard output, or a new file.
    ///
    /// Errors: the file cannot be made.
    pub(super) fn new(path: Option<&Path>, header: &[String]) -> Result<Self, Failure> {
        let (sink, name): (Box<dyn Write + Send>, String) = match path {
            None => (Box::new(io::stdout()), "to standard output".to_owned()),
            Some(path) => {
                let name = path.display().to_string();
                let file = File::create(path).map_err(|error| Failure::writing(&name, &error))?;
                (Box::new(file), name)
            }
        };
        let mut table = Self {
            writer: csv::Writer::from_writer(sink),
            name,
        };
        table.lines([header.to_vec()])?;
        Ok(table)
    }

    /// Behind what is in a file.
    fn behind(path: &Path, length: u64) -> Result<Self, Failure> {
        let name = path.display().to_string();
        let opened = OpenOptions::new().write(true).open(path).and_then(|file| {
            file.set_len(length)?;
            let mut file = file;
            io::Seek::seek(&mut file, io::SeekFrom::End(0))?;
            Ok(file)
        });
        let file = opened.map_err(|error| Failure::writing(&name, &error))?;
        Ok(Self {
            writer: csv::Writer::from_writer(Box::new(file)),
            name,
        })
    }

    /// Adds lines, which are in the file when this is over.
    ///
    /// Errors: they cannot be written.
    pub(super) fn lines(
        &mut self,
        lines: impl IntoIterator<Item = Vec<String>>,
    ) -> Result<(), Failure> {
        let write = || {
            for line in lines {
                self.writer.write_record(&line).map_err(io::Error::from)?;
            }
            self.writer.flush()
        };
        write().map_err(|error| Failure::writing(&self.name, &error))
    }
}

/// What an interrupted sweep left.
pub(super) struct Left {
    /// The table, ready for more lines.
    pub(super) table: Table,
    /// Number of lines that are there.
    pub(super) rows: u64,
    /// The last of them.
    pub(super) last: Option<Vec<String>>,
}

/// Opens the table of a sweep that was broken off. A last line that is not whole is taken away.
///
/// Errors: it cannot be read, or belongs to another sweep.
pub(super) fn reopen(path: &Path, header: &[String], design: &Design) -> Result<Left, Failure> {
    let name = path.display().to_string();
    let text = std::fs::read(path).map_err(|error| Failure::reading(&name, &error))?;
    let whole = text.iter().rposition(|byte| *byte == b'\n');
    let text = &text[..whole.map_or(0, |at| at + 1)];
    let other = |why: String| {
        Failure::Wrong(format!(
            "{name} is of another sweep: {why}; give another --out, or leave out --resume"
        ))
    };
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .from_reader(text);
    let mut records = reader.records();
    match records.next() {
        Some(Ok(first)) if first.iter().eq(header) => {}
        _ => return Err(other("its columns are others".to_owned())),
    }
    let (mut rows, mut last) = (0_u64, None);
    let mut expected = design.rows(0);
    for record in records {
        let record = record.map_err(|error| other(error.to_string()))?;
        let values = expected.next();
        let fits = values.as_ref().is_some_and(|values| {
            let written = record.iter().skip(1).map(str::parse::<f64>);
            let mut pairs = written.zip(values);
            record.len() == header.len()
                && pairs
                    .all(|(written, value)| written.is_ok_and(|w| w.to_bits() == value.to_bits()))
        });
        if !fits {
            return Err(other(format!("its run {} has other values", rows + 1)));
        }
        rows += 1;
        last = Some(record.iter().map(str::to_owned).collect());
    }
    let table = Table::behind(path, text.len() as u64)?;
    Ok(Left { table, rows, last })
}
