//! The table of a sweep's results as CSV or Parquet, and what of it is there already.
//!
//! One line per run: its number, the values that vary, the measures (empty where there is none), the time
//! at its end, how it ended, and why it failed. In a CSV file the first line says in a last column what was
//! swept ([`Identity`]); a Parquet file says it beside its columns.

use std::io;
use std::path::Path;

use situ_engine::model::{Input, Model};
use situ_rules::diag::{fault, in_a_cell, setup_error};
use situ_rules::encoding::not_utf8;
use situ_rules::resolve::measures_time;
use situ_rules::source::Origins;
use situ_sweep::{Design, Done, Ending};
use situ_words::say;

use super::growing::Place;
use super::identity::Identity;
use super::lines::{Lines, text};
use super::words::other;

#[cfg(feature = "parquet")]
use super::sheet::{self, GrowingSheet};
use crate::command::Failure;
use crate::command::io::files::Output;
use situ_views::columns::cells::{Cell, Column, Holds};
#[cfg(feature = "parquet")]
use situ_views::columns::parquet::Source;

/// Contents of the files of a sweep.
#[derive(Clone, Copy, Debug)]
pub struct Results<'a> {
    /// The columns: [`columns`].
    pub columns: &'a [Column],
    /// Number of measures.
    pub n_measures: usize,
    /// The model.
    pub model: &'a Model,
    /// The places of its rows.
    pub origins: &'a Origins,
    /// What the runs have in common.
    pub identity: &'a Identity,
}

/// The column of a CSV file that says in the first line what was swept.
const SWEEP: &str = "sweep";

/// The names of columns that every table has.
const OWN: [&str; 5] = ["run", "time", "ended", "fault", SWEEP];

/// The column of a value that varies; the kind stands before a name that another column has.
pub fn varied(name: &str, input: Input, model: &Model) -> Column {
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
        name: match OWN.contains(&name) {
            true => format!("{kind} {name}"),
            false => name.to_owned(),
        },
        holds: Holds::Reals,
        kind,
        unit: unit.to_owned(),
        about: about.to_owned(),
    }
}

/// The columns of the table: `varied`: those of the values that vary; `time_unit`: the unit of times, may be empty.
pub fn columns(varied: &[Column], measures: &[String], time_unit: &str) -> Vec<Column> {
    let column = |name: &str, holds, kind, about: &str| Column {
        name: name.to_owned(),
        holds,
        kind,
        unit: match kind == "time" || kind == "measure" && measures_time(name) {
            true => time_unit.to_owned(),
            false => String::new(),
        },
        about: about.to_owned(),
    };
    let number = say!("sweep-column.run");
    let mut columns = vec![column("run", Holds::Integers, "run", &number)];
    columns.extend_from_slice(varied);
    let measure = |text: &String| column(text, Holds::Reals, "measure", "");
    columns.extend(measures.iter().map(measure));
    let outcome = |name: &str, about: &str| column(name, Holds::Texts, "outcome", about);
    columns.extend([
        column("time", Holds::Reals, "time", &say!("sweep-column.time")),
        outcome("ended", &say!("sweep-column.ended")),
        outcome("fault", &say!("sweep-column.fault")),
    ]);
    columns
}

impl Results<'_> {
    /// A row of the table.
    pub fn cells(&self, done: &Done) -> Vec<Cell> {
        let why = match &done.ending {
            Ending::Stop | Ending::Condition => None,
            Ending::Failed(why) => Some(in_a_cell(&fault(why, self.model, self.origins))),
            Ending::Refused(why) => Some(in_a_cell(&setup_error(why, self.model, self.origins))),
            Ending::OtherFailed(why) | Ending::NoModel(why) => Some(why.clone()),
        };
        let number = i64::try_from(done.row + 1).unwrap_or(i64::MAX);
        let mut cells = vec![Cell::Integer(number)];
        cells.extend(done.values.iter().map(|value| Cell::Real(Some(*value))));
        let measure = |index| done.measured.get(index).copied().flatten();
        cells.extend((0..self.n_measures).map(|index| Cell::Real(measure(index))));
        cells.extend([
            Cell::Real(Some(done.time)),
            Cell::Text(Some(done.ending.word().to_owned())),
            Cell::Text(why),
        ]);
        cells
    }

    /// Source of a file, as the file states it.
    #[cfg(feature = "parquet")]
    fn source(&self) -> Source<'_> {
        Source {
            table: &self.model.name,
            sweep: self.identity.text(),
        }
    }

    /// A line of the table, as CSV has it.
    pub(super) fn line(&self, done: &Done) -> Vec<String> {
        line(self.cells(done))
    }

    fn header(&self) -> Vec<String> {
        self.columns
            .iter()
            .map(|column| column.name.clone())
            .collect()
    }
}

/// A row as CSV has it.
fn line(cells: Vec<Cell>) -> Vec<String> {
    cells.into_iter().map(text).collect()
}

/// True if a file of this name is one of Parquet.
pub(super) fn is_parquet(path: &Path) -> bool {
    path.extension()
        .is_some_and(|end| end.eq_ignore_ascii_case("parquet"))
}

/// Format in which a file is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Format {
    Csv,
    #[cfg(feature = "parquet")]
    Parquet,
}

impl Format {
    /// As the name of a file says.
    ///
    /// # Errors
    ///
    /// The program has been built without it.
    fn of(path: &Path) -> Result<Self, Failure> {
        match is_parquet(path) {
            false => Ok(Self::Csv),
            #[cfg(feature = "parquet")]
            true => Ok(Self::Parquet),
            #[cfg(not(feature = "parquet"))]
            true => Err(Failure::without("parquet")),
        }
    }
}

/// Destination of the table.
pub(super) enum Table {
    Csv(Box<Lines>),
    #[cfg(feature = "parquet")]
    Parquet(Box<GrowingSheet>),
    /// Nothing is to be written: all runs are there, or are told otherwise.
    Whole,
}

impl Table {
    /// To standard output.
    ///
    /// # Errors
    ///
    /// It is closed.
    pub(super) fn standard(results: &Results<'_>) -> Result<Self, Failure> {
        let name = say!("cli-to-standard-output");
        let sink = Output::standard().map_err(|error| Failure::writing(&name, &error))?;
        let mut lines = Lines::standard(name, Box::new(sink));
        lines.write([results.header()])?;
        Ok(Self::Csv(Box::new(lines)))
    }

    /// To a file: the table, and the number of runs that are in it already. With `resume` it goes on with
    /// what an earlier sweep has left; `seen` hears of every line of that, as CSV has it.
    ///
    /// # Errors
    ///
    /// There can be no such file, another program is writing it, or it belongs to another sweep.
    pub(super) fn open(
        path: &Path,
        resume: bool,
        results: &Results<'_>,
        design: &Design,
        seen: &mut dyn FnMut(&[String]),
    ) -> Result<(Self, u64), Failure> {
        let file = TableFile {
            name: path.display().to_string(),
            format: Format::of(path)?,
            results,
            design,
        };
        let place = Place::of(path)?;
        let most = match resume {
            true => place.most(&mut |path| Ok(file.read(path, &mut |_| {})?.rows))?,
            false => None,
        };
        let Some((path, _)) = most else {
            return Ok((file.grow(place, None)?, 0));
        };
        let found = file.read(&path, seen)?;
        if found.rows == design.len() && place.is_target(&path) {
            return Ok((Self::Whole, found.rows));
        }
        Ok((file.grow(place, Some((&path, &found)))?, found.rows))
    }

    /// Adds rows; in a CSV file they stand when this is over.
    ///
    /// # Errors
    ///
    /// They cannot be written.
    pub(super) fn add(&mut self, rows: impl Iterator<Item = Vec<Cell>>) -> Result<(), Failure> {
        match self {
            Self::Csv(lines) => lines.add(rows.map(line)),
            #[cfg(feature = "parquet")]
            Self::Parquet(sheet) => sheet.run(rows),
            Self::Whole => Ok(()),
        }
    }

    /// Gives the file its name: see [`Growing::finish`].
    ///
    /// # Errors
    ///
    /// It cannot be written.
    pub(super) fn finish(self, is_whole: bool) -> Result<bool, Failure> {
        match self {
            Self::Csv(lines) => lines.finish(is_whole),
            #[cfg(feature = "parquet")]
            Self::Parquet(sheet) => sheet.finish(is_whole),
            Self::Whole => Ok(true),
        }
    }
}

/// A file for a table.
struct TableFile<'a> {
    name: String,
    format: Format,
    results: &'a Results<'a>,
    design: &'a Design,
}

/// Part of an earlier sweep that is there.
#[derive(Default)]
struct Found {
    /// Lines.
    rows: u64,
    /// Bytes of whole lines of a CSV file.
    bytes: u64,
}

impl TableFile<'_> {
    /// Begins the file, with the runs of an earlier one.
    fn grow(&self, place: Place, earlier: Option<(&Path, &Found)>) -> Result<Table, Failure> {
        let unwritten = |error: io::Error| Failure::writing(&self.name, &error);
        let behind = earlier.map(|(path, _)| path);
        let (file, growing) = place.grow(behind).map_err(unwritten)?;
        let results = self.results;
        match self.format {
            Format::Csv => {
                let mut lines = Lines::growing(&self.name, file, growing, results.identity)?;
                match earlier {
                    Some((earlier, found)) if found.rows > 0 => lines.take(earlier, found.bytes)?,
                    _ => lines.write([[results.header(), vec![SWEEP.to_owned()]].concat()])?,
                }
                Ok(Table::Csv(Box::new(lines)))
            }
            #[cfg(feature = "parquet")]
            Format::Parquet => {
                let (name, source) = (&self.name, results.source());
                let mut sheet = GrowingSheet::new(name, file, growing, source, results.columns)?;
                if let Some(earlier) = behind {
                    sheet.take(earlier)?;
                }
                Ok(Table::Parquet(Box::new(sheet)))
            }
        }
    }

    /// Reads what an earlier sweep has left.
    ///
    /// # Errors
    ///
    /// It cannot be read, or belongs to another sweep.
    fn read(&self, path: &Path, seen: &mut dyn FnMut(&[String])) -> Result<Found, Failure> {
        let mut expected = self.design.rows(0);
        let mut rows = 0;
        let mut line = |line: &[String]| {
            let Some(values) = expected.next() else {
                return Err(other(&self.name, &say!("sweep-other.more", all = rows)));
            };
            let written = line.iter().skip(1).map(|field| field.parse::<f64>());
            let mut pairs = written.zip(values);
            let fits = pairs.all(|(written, value)| {
                written.is_ok_and(|written| written.to_bits() == value.to_bits())
            });
            if !fits {
                return Err(other(
                    &self.name,
                    &say!("sweep-other.values", run = rows + 1),
                ));
            }
            let mut cells = self.results.columns.iter().zip(line);
            let damaged = cells.find(|(column, text)| {
                let may_be_empty = column.kind == "measure";
                let is_number = text.parse::<f64>().is_ok() || may_be_empty && text.is_empty();
                column.holds != Holds::Texts && !is_number
            });
            if let Some((column, text)) = damaged {
                let (run, column) = (rows + 1, &column.name);
                return Err(other(
                    &self.name,
                    &say!("sweep-other.no-number", run, column, text),
                ));
            }
            rows += 1;
            seen(line);
            Ok(())
        };
        let bytes = match self.format {
            Format::Csv => self.read_csv(path, &mut line)?,
            #[cfg(feature = "parquet")]
            Format::Parquet => {
                let Results {
                    columns, identity, ..
                } = self.results;
                sheet::read(path, &self.name, columns, identity, &mut line)?;
                0
            }
        };
        Ok(Found { rows, bytes })
    }

    /// The bytes of its whole lines. A last line that is not whole does not count.
    fn read_csv(
        &self,
        path: &Path,
        line: &mut dyn FnMut(&[String]) -> Result<(), Failure>,
    ) -> Result<u64, Failure> {
        let text = std::fs::read(path).map_err(|error| Failure::reading(&self.name, &error))?;
        let whole = text.iter().rposition(|byte| *byte == b'\n');
        let whole = &text[..whole.map_or(0, |at| at + 1)];
        std::str::from_utf8(whole).map_err(|error| other(&self.name, &not_utf8(whole, error)))?;
        let header = [self.results.header(), vec![SWEEP.to_owned()]].concat();
        let mut reader = csv::ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .from_reader(whole);
        let mut records = reader.records();
        match records.next() {
            Some(Ok(first)) if first.iter().eq(&header) => {}
            // Broken off before its first line was whole.
            None if written(&header).starts_with(&text) || text == b"\n" => return Ok(0),
            _ => return Err(other(&self.name, &say!("sweep-other.columns"))),
        }
        let mut is_first = true;
        for record in records {
            let record = record.map_err(|error| other(&self.name, &error.to_string()))?;
            let fields: Vec<String> = record.iter().map(str::to_owned).collect();
            if fields.len() != header.len() {
                return Err(other(&self.name, &say!("sweep-other.lines")));
            }
            line(&fields)?;
            if std::mem::take(&mut is_first)
                && let Some(why) = self
                    .results
                    .identity
                    .difference(record.get(header.len() - 1))
            {
                return Err(other(&self.name, &why));
            }
        }
        Ok(whole.len() as u64)
    }
}

/// A line as CSV has it.
fn written(line: &[String]) -> Vec<u8> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let written = writer.write_record(line);
    written.expect("memory takes every line");
    writer.into_inner().expect("memory takes every line")
}
