//! The table of a sweep's results as CSV or Parquet, and what of it is there already.
//!
//! One line per run: its number, the values that vary, the measures (empty where there is none), the time
//! at its end, how it ended, and why it failed. A Parquet file can be read only when it is closed, so it has its
//! name only then.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;
use situ_engine::model::{Input, Model};
use situ_rules::diag::{fault, setup_error};
use situ_rules::source::Origins;
use situ_sweep::{Design, Done, Ending};

use crate::command::Failure;
use crate::view::number::exact;
use crate::view::parquet::{Cell, Column, Holds, Sheet};

/// What is written of a sweep.
pub(super) struct Results<'a> {
    pub(super) columns: &'a [Column],
    pub(super) n_measures: usize,
    pub(super) model: &'a Model,
    pub(super) origins: &'a Origins,
}

/// The column of a value that varies.
pub(super) fn varied(name: &str, input: Input, model: &Model) -> Column {
    let (kind, unit, about) = match input {
        Input::Constant(id) => {
            let one = &model.constants[id.index()];
            ("constant", &*one.unit, &*one.about)
        }
        Input::Real(id) => {
            let one = &model.reals[id.index()];
            ("start", &*one.unit, &*one.about)
        }
        Input::Switch(id) => ("switch", "", &*model.switches[id.index()].about),
    };
    Column {
        name: name.to_owned(),
        holds: Holds::Reals,
        kind,
        unit: unit.to_owned(),
        about: about.to_owned(),
    }
}

/// The columns of the table: `varied`: those of the values that vary.
pub(super) fn columns(varied: &[Column], measures: &[String]) -> Vec<Column> {
    let column = |name: &str, holds, kind, about: &str| Column {
        name: name.to_owned(),
        holds,
        kind,
        unit: String::new(),
        about: about.to_owned(),
    };
    let mut columns = vec![column("run", Holds::Integers, "run", "number of the run")];
    columns.extend_from_slice(varied);
    let measure = |text: &String| column(text, Holds::Reals, "measure", "");
    columns.extend(measures.iter().map(measure));
    columns.extend([
        column("time", Holds::Reals, "time", "when the run ended"),
        column("ended", Holds::Texts, "outcome", "how the run ended"),
        column("fault", Holds::Texts, "outcome", "why the run failed"),
    ]);
    columns
}

impl Results<'_> {
    /// A row of the table.
    fn cells(&self, done: &Done) -> Vec<Cell> {
        let report = match &done.ending {
            Ending::Stop | Ending::Condition => None,
            Ending::Failed(why) => Some(fault(why, self.model, self.origins)),
            Ending::Refused(why) => Some(setup_error(why, self.model, self.origins)),
        };
        let ended = match &done.ending {
            Ending::Stop => "stop",
            Ending::Condition => "condition",
            Ending::Failed(_) => "failed",
            Ending::Refused(_) => "refused",
        };
        let why = report.map(|report| format!("{}: {}", report.code, report.message));
        let number = i64::try_from(done.row + 1).unwrap_or(i64::MAX);
        let mut cells = vec![Cell::Integer(number)];
        cells.extend(done.values.iter().map(|value| Cell::Real(Some(*value))));
        let measure = |index| done.measured.get(index).copied().flatten();
        cells.extend((0..self.n_measures).map(|index| Cell::Real(measure(index))));
        cells.extend([
            Cell::Real(Some(done.time)),
            Cell::Text(Some(ended.to_owned())),
            Cell::Text(why),
        ]);
        cells
    }

    /// A line of the table, as CSV has it.
    pub(super) fn line(&self, done: &Done) -> Vec<String> {
        self.cells(done).into_iter().map(text).collect()
    }

    fn header(&self) -> Vec<String> {
        self.columns
            .iter()
            .map(|column| column.name.clone())
            .collect()
    }
}

/// A cell as CSV has it.
pub(super) fn text(cell: Cell) -> String {
    match cell {
        Cell::Integer(value) => value.to_string(),
        Cell::Real(value) => value.map_or_else(String::new, exact),
        Cell::Truth(value) => u8::from(value).to_string(),
        Cell::Text(value) => value.unwrap_or_default(),
    }
}

/// Whether a file of this name is one of Parquet.
pub(super) fn is_parquet(path: &Path) -> bool {
    path.extension()
        .is_some_and(|end| end.eq_ignore_ascii_case("parquet"))
}

/// A Parquet file that is being written: under another name until it is closed.
pub(super) struct Closing {
    sheet: Sheet<File>,
    part: PathBuf,
    path: PathBuf,
}

impl Closing {
    /// Errors: the file cannot be made.
    pub(super) fn new(path: &Path, table: &str, columns: &[Column]) -> Result<Self, Failure> {
        let mut part = path.as_os_str().to_owned();
        part.push(".part");
        let part = PathBuf::from(part);
        let file = File::create(&part)
            .map_err(|error| Failure::writing(&part.display().to_string(), &error))?;
        let sheet = Sheet::new(file, table, columns).map_err(|error| unwritten(path, error))?;
        let path = path.to_owned();
        Ok(Self { sheet, part, path })
    }

    /// A file with all rows of the one that is there; `seen` hears of each, as CSV has it.
    ///
    /// Errors: it cannot be read or written; `other`, if it has other columns; what `seen` says.
    pub(super) fn behind(
        path: &Path,
        table: &str,
        columns: &[Column],
        other: Failure,
        seen: &mut dyn FnMut(Vec<String>) -> Result<(), Failure>,
    ) -> Result<Self, Failure> {
        let name = path.display().to_string();
        let file = File::open(path).map_err(|error| Failure::reading(&name, &error))?;
        let copy = file.try_clone();
        let copy = copy.map_err(|error| Failure::reading(&name, &error))?;
        let unread = |error| Failure::reading(&name, &io::Error::other(error));
        let reader = SerializedFileReader::new(file).map_err(unread)?;
        let metadata = reader.metadata();
        let fields = metadata.file_metadata().schema_descr().columns().iter();
        let types = |column: &Column| match column.holds {
            Holds::Integers => parquet::basic::Type::INT64,
            Holds::Reals => parquet::basic::Type::DOUBLE,
            Holds::Truths => parquet::basic::Type::BOOLEAN,
            Holds::Texts => parquet::basic::Type::BYTE_ARRAY,
        };
        let wanted = columns.iter();
        let same = fields
            .map(|field| (field.name(), field.physical_type()))
            .eq(wanted.map(|column| (&*column.name, types(column))));
        if !same {
            return Err(other);
        }
        let rows = reader.get_row_iter(None);
        for row in rows.map_err(unread)? {
            let row = row.map_err(unread)?;
            let fields = row.get_column_iter().map(|(_, field)| match field {
                Field::Long(value) => text(Cell::Integer(*value)),
                Field::Double(value) => text(Cell::Real(Some(*value))),
                Field::Bool(value) => text(Cell::Truth(*value)),
                Field::Str(value) => value.clone(),
                _ => String::new(),
            });
            seen(fields.collect())?;
        }
        let mut closing = Self::new(path, table, columns)?;
        let copied = closing.sheet.append(&copy, metadata);
        copied.map_err(|error| unwritten(path, error))?;
        Ok(closing)
    }

    /// Adds rows.
    ///
    /// Errors: the file cannot be written.
    pub(super) fn rows(
        &mut self,
        rows: impl IntoIterator<Item = Vec<Cell>>,
    ) -> Result<(), Failure> {
        for row in rows {
            let written = self.sheet.row(row);
            written.map_err(|error| unwritten(&self.path, error))?;
        }
        Ok(())
    }

    /// Closes it.
    ///
    /// Errors: the file cannot be written.
    pub(super) fn finish(self) -> Result<(), Failure> {
        let closed = self.sheet.finish();
        closed.map_err(|error| unwritten(&self.path, error))?;
        std::fs::rename(&self.part, &self.path)
            .map_err(|error| Failure::writing(&self.path.display().to_string(), &error))
    }
}

fn unwritten(path: &Path, error: ParquetError) -> Failure {
    Failure::writing(&path.display().to_string(), &io::Error::other(error))
}

/// Where the table goes.
pub(super) enum Table {
    Csv(Lines),
    Parquet(Closing),
}

impl Table {
    /// To standard output, or a new file.
    ///
    /// Errors: the file cannot be made.
    pub(super) fn new(path: Option<&Path>, results: &Results<'_>) -> Result<Self, Failure> {
        match path {
            Some(path) if is_parquet(path) => {
                let closing = Closing::new(path, &results.model.name, results.columns)?;
                Ok(Self::Parquet(closing))
            }
            path => Ok(Self::Csv(Lines::new(path, &results.header())?)),
        }
    }

    /// Adds runs; in a CSV file they stand when this is over.
    ///
    /// Errors: they cannot be written.
    pub(super) fn add(&mut self, done: &[Done], results: &Results<'_>) -> Result<(), Failure> {
        match self {
            Self::Csv(lines) => lines.add(done.iter().map(|done| results.line(done))),
            Self::Parquet(closing) => closing.rows(done.iter().map(|done| results.cells(done))),
        }
    }

    /// Closes the file.
    ///
    /// Errors: it cannot be written.
    pub(super) fn finish(self) -> Result<(), Failure> {
        match self {
            Self::Csv(_) => Ok(()),
            Self::Parquet(closing) => closing.finish(),
        }
    }
}

/// A CSV file.
pub(super) struct Lines {
    writer: csv::Writer<Box<dyn Write + Send>>,
    /// For messages.
    name: String,
}

impl Lines {
    fn new(path: Option<&Path>, header: &[String]) -> Result<Self, Failure> {
        let (sink, name): (Box<dyn Write + Send>, String) = match path {
            None => (Box::new(io::stdout()), "to standard output".to_owned()),
            Some(path) => {
                let name = path.display().to_string();
                let file = File::create(path).map_err(|error| Failure::writing(&name, &error))?;
                (Box::new(file), name)
            }
        };
        let mut lines = Self {
            writer: csv::Writer::from_writer(sink),
            name,
        };
        lines.add([header.to_vec()])?;
        Ok(lines)
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

    fn add(&mut self, lines: impl IntoIterator<Item = Vec<String>>) -> Result<(), Failure> {
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
    /// The last of them, as CSV has it.
    pub(super) last: Option<Vec<String>>,
}

/// The lines of an earlier sweep, held against its design.
struct Earlier<'a, 's> {
    /// Hears of every line.
    seen: &'s mut dyn FnMut(&[String]),
    name: String,
    expected: situ_sweep::Rows<'a>,
    n_columns: usize,
    rows: u64,
    last: Option<Vec<String>>,
}

impl Earlier<'_, '_> {
    fn other(&self, why: &str) -> Failure {
        Failure::Wrong(format!(
            "{} is of another sweep: {why}; give another --out, or leave out --resume",
            self.name
        ))
    }

    fn line(&mut self, line: Vec<String>) -> Result<(), Failure> {
        let values = self.expected.next();
        let fits = values.as_ref().is_some_and(|values| {
            let written = line.iter().skip(1).map(|field| field.parse::<f64>());
            let mut pairs = written.zip(values);
            line.len() == self.n_columns
                && pairs
                    .all(|(written, value)| written.is_ok_and(|w| w.to_bits() == value.to_bits()))
        });
        if !fits {
            return Err(self.other(&format!("its run {} has other values", self.rows + 1)));
        }
        (self.seen)(&line);
        self.rows += 1;
        self.last = Some(line);
        Ok(())
    }
}

/// Opens the table of a sweep that was broken off; `seen` hears of every line that is there. A last line of CSV that is not whole is taken away.
///
/// Errors: it cannot be read, or belongs to another sweep.
pub(super) fn reopen(
    path: &Path,
    results: &Results<'_>,
    design: &Design,
    seen: &mut dyn FnMut(&[String]),
) -> Result<Left, Failure> {
    let mut earlier = Earlier {
        seen,
        name: path.display().to_string(),
        expected: design.rows(0),
        n_columns: results.columns.len(),
        rows: 0,
        last: None,
    };
    let table = if is_parquet(path) {
        reopen_parquet(path, results, &mut earlier)?
    } else {
        reopen_csv(path, results, &mut earlier)?
    };
    let Earlier { rows, last, .. } = earlier;
    Ok(Left { table, rows, last })
}

fn reopen_csv(
    path: &Path,
    results: &Results<'_>,
    earlier: &mut Earlier<'_, '_>,
) -> Result<Table, Failure> {
    let text = std::fs::read(path).map_err(|error| Failure::reading(&earlier.name, &error))?;
    let whole = text.iter().rposition(|byte| *byte == b'\n');
    let text = &text[..whole.map_or(0, |at| at + 1)];
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .from_reader(text);
    let mut records = reader.records();
    match records.next() {
        Some(Ok(first)) if first.iter().eq(results.header()) => {}
        _ => return Err(earlier.other("its columns are others")),
    }
    for record in records {
        let record = record.map_err(|error| earlier.other(&error.to_string()))?;
        earlier.line(record.iter().map(str::to_owned).collect())?;
    }
    Ok(Table::Csv(Lines::behind(path, text.len() as u64)?))
}

fn reopen_parquet(
    path: &Path,
    results: &Results<'_>,
    earlier: &mut Earlier<'_, '_>,
) -> Result<Table, Failure> {
    let other = earlier.other("its columns are others");
    let closing = Closing::behind(
        path,
        &results.model.name,
        results.columns,
        other,
        &mut |line| earlier.line(line),
    )?;
    Ok(Table::Parquet(closing))
}
