//! Series: the columns of one run, from wherever they come, for plots and comparisons.
//!
//! Made from a trace or read from a CSV file as `situ run --out` writes it. A CSV file has names
//! only; [`Series::describe`] adds units and descriptions when the table is known.

use std::collections::{HashMap, HashSet};
use std::io::Read;

use situ_engine::model::{Boolean, Model, Quantity};
use situ_engine::trace::Trace;
use situ_words::say;

use crate::text::number::counted;
use crate::text::plain;

/// The columns of one run. All have as many values as there are rows.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Series {
    /// Name of the run in a legend: a file, a case.
    pub label: String,
    /// Time of each row; never decreases.
    pub time: Vec<f64>,
    /// Unit of the time; empty if it has none or it is not known.
    pub time_unit: String,
    /// Real columns, in table order.
    pub reals: Vec<RealColumn>,
    /// Boolean columns, in table order.
    pub booleans: Vec<BooleanColumn>,
}

/// The values of one real.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct RealColumn {
    /// Name of the real.
    pub name: String,
    /// Its unit; empty if it has none or it is not known.
    pub unit: String,
    /// Description, one line; may be empty.
    pub about: String,
    /// One value per row; NaN where there is none.
    pub values: Vec<f64>,
}

/// The values of one boolean.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct BooleanColumn {
    /// Name of the boolean.
    pub name: String,
    /// Description, one line; may be empty.
    pub about: String,
    /// True: an event, its value says whether it fired since the row before.
    pub event: bool,
    /// One value per row.
    pub values: Vec<bool>,
}

/// Why a CSV file could not be read as a run.
#[derive(Debug)]
pub enum CsvError {
    /// The bytes could not be read at all.
    Io(std::io::Error),
    /// Nothing stands in it.
    Empty,
    /// The header is not that of a run; the text says why.
    Header(String),
    /// A row has more or fewer cells than the header.
    Width {
        /// Line of the file, counted from 1.
        line: u64,
        /// Cells in it.
        found: u64,
        /// Cells of the header.
        expected: u64,
    },
    /// A cell is not a number.
    NotANumber {
        /// Line of the file, counted from 1.
        line: u64,
        /// Name of the column.
        column: String,
        /// Text that stands there.
        text: String,
    },
    /// The time of a row is missing or less than that of the row before.
    Time {
        /// Line of the file, counted from 1.
        line: u64,
    },
    /// The bytes are not text in UTF-8.
    Encoding {
        /// Line of the file, counted from 1.
        line: u64,
    },
}

impl std::fmt::Display for CsvError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Io(error) => f.write_str(&plain(error)),
            Self::Empty => f.write_str(&say!("columns-file-empty")),
            Self::Header(why) => f.write_str(why),
            Self::Width {
                line,
                found,
                expected,
            } => {
                let found = counted(*found, "column");
                f.write_str(&say!("columns-width", line, found, expected))
            }
            Self::NotANumber { line, column, text } => {
                f.write_str(&say!("columns-not-a-number", line, column, text))
            }
            Self::Time { line } => f.write_str(&say!("columns-time", line)),
            Self::Encoding { line } => f.write_str(&say!("columns-encoding", line)),
        }
    }
}

impl std::error::Error for CsvError {}

impl Series {
    /// The rows of a model's run.
    pub fn of(model: &Model, trace: &Trace, label: impl Into<String>) -> Self {
        let reals = model.reals.iter().zip(&trace.reals);
        let values = |what: Boolean| match what {
            Boolean::Switch(id) => trace.switches.get(id.index()),
            Boolean::Range(id) => trace.ranges.get(id.index()),
            Boolean::Situation(id) => trace.situations.get(id.index()),
            Boolean::Schedule(_) | Boolean::Start => None,
        };
        Self {
            label: label.into(),
            time: trace.time.clone(),
            time_unit: model.clock.time_unit().to_owned(),
            reals: reals
                .map(|(real, values)| RealColumn {
                    name: real.name.clone(),
                    unit: real.unit.clone(),
                    about: real.about.clone(),
                    values: values.clone(),
                })
                .collect(),
            booleans: model
                .named_booleans()
                .filter_map(|(name, what)| {
                    Some(BooleanColumn {
                        name: name.to_owned(),
                        about: String::new(),
                        event: model.is_event(what),
                        values: values(what)?.clone(),
                    })
                })
                .collect(),
        }
    }

    /// Reads a CSV file as `situ run --out` writes it: a header, `time` first, numbers below.
    ///
    /// Reals and booleans look alike in it: the last columns are taken as booleans as far as they
    /// hold nothing but 0 and 1. An empty cell is a gap (NaN).
    pub fn read_csv(label: impl Into<String>, file: impl Read) -> Result<Self, CsvError> {
        let mut reader = csv::ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .from_reader(file);
        let mut record = csv::ByteRecord::new();
        if !reader.read_byte_record(&mut record).map_err(from_csv)? {
            return Err(CsvError::Empty);
        }
        let names = header(&record)?;
        let mut columns: Vec<Vec<f64>> = vec![Vec::new(); names.len()];
        let mut line_before = 1;
        let mut earliest = f64::NEG_INFINITY;
        while reader.read_byte_record(&mut record).map_err(from_csv)? {
            let line = record
                .position()
                .map_or(line_before + 1, csv::Position::line);
            line_before = line;
            if record.len() != names.len() {
                return Err(CsvError::Width {
                    line,
                    found: record.len() as u64,
                    expected: names.len() as u64,
                });
            }
            for (index, cell) in record.iter().enumerate() {
                let value = number(cell).ok_or_else(|| CsvError::NotANumber {
                    line,
                    column: names[index].clone(),
                    text: String::from_utf8_lossy(cell).into_owned(),
                })?;
                columns[index].push(value);
            }
            let time = *columns[0].last().expect("the row was just added");
            // Written so that NaN is refused too.
            if !(time >= earliest && time.is_finite()) {
                return Err(CsvError::Time { line });
            }
            earliest = time;
        }
        Ok(Self::from_columns(label.into(), names, columns))
    }

    /// Adds units and descriptions, and what is an event, from the model that gave the run; columns
    /// that were taken for booleans and are none become reals, and the other way round.
    pub fn describe(&mut self, model: &Model) {
        let booleans: HashMap<&str, Boolean> = model.named_booleans().collect();
        let quantities = model.constants.iter().chain(&model.reals);
        let quantities: HashMap<&str, &Quantity> =
            quantities.map(|row| (row.name.as_str(), row)).collect();
        let is_truth = |value: &f64| *value == 0.0 || *value == 1.0;
        self.take_for_reals(|name| quantities.contains_key(name));
        for column in std::mem::take(&mut self.reals) {
            if booleans.contains_key(column.name.as_str()) && column.values.iter().all(is_truth) {
                let values = column.values.iter().map(|value| *value == 1.0).collect();
                self.booleans.push(BooleanColumn {
                    name: column.name,
                    values,
                    ..BooleanColumn::default()
                });
            } else {
                self.reals.push(column);
            }
        }
        model.clock.time_unit().clone_into(&mut self.time_unit);
        for column in &mut self.reals {
            if let Some(quantity) = quantities.get(column.name.as_str()) {
                column.unit.clone_from(&quantity.unit);
                column.about.clone_from(&quantity.about);
            }
        }
        for column in &mut self.booleans {
            if let Some(what) = booleans.get(column.name.as_str()) {
                column.event = model.is_event(*what);
            }
        }
    }

    /// A column that is one of reals in one of several runs is one in all of them.
    pub fn agree(runs: &mut [Self]) {
        let reals = runs.iter().flat_map(|run| &run.reals);
        let reals: HashSet<String> = reals.map(|column| column.name.clone()).collect();
        for run in runs {
            run.take_for_reals(|name| reals.contains(name));
        }
    }

    /// Columns that were taken for booleans become reals.
    fn take_for_reals(&mut self, is_real: impl Fn(&str) -> bool) {
        for column in std::mem::take(&mut self.booleans) {
            if !is_real(&column.name) {
                self.booleans.push(column);
                continue;
            }
            let values = column.values.iter();
            let values = values.map(|truth| f64::from(u8::from(*truth)));
            self.reals.push(RealColumn {
                values: values.collect(),
                name: column.name,
                ..RealColumn::default()
            });
        }
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.time.len()
    }

    /// True without any row.
    pub fn is_empty(&self) -> bool {
        self.time.is_empty()
    }

    /// The real column with this name.
    pub fn real(&self, name: &str) -> Option<&RealColumn> {
        self.reals.iter().find(|column| column.name == name)
    }

    /// The boolean column with this name.
    pub fn boolean(&self, name: &str) -> Option<&BooleanColumn> {
        self.booleans.iter().find(|column| column.name == name)
    }

    /// Names of all columns but `time`.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let reals = self.reals.iter().map(|column| column.name.as_str());
        reals.chain(self.booleans.iter().map(|column| column.name.as_str()))
    }

    fn from_columns(label: String, names: Vec<String>, columns: Vec<Vec<f64>>) -> Self {
        let mut named: Vec<(String, Vec<f64>)> = names.into_iter().zip(columns).collect();
        let is_boolean = |(_, values): &(String, Vec<f64>)| {
            !values.is_empty() && values.iter().all(|value| *value == 0.0 || *value == 1.0)
        };
        let first_boolean = 1 + named[1..]
            .iter()
            .rposition(|column| !is_boolean(column))
            .map_or(0, |last| last + 1);
        let booleans = named.split_off(first_boolean);
        let mut reals = named.into_iter();
        let (_, time) = reals.next().expect("the header has a time column");
        Self {
            label,
            time,
            time_unit: String::new(),
            reals: reals
                .map(|(name, values)| RealColumn {
                    name,
                    values,
                    ..RealColumn::default()
                })
                .collect(),
            booleans: booleans
                .into_iter()
                .map(|(name, values)| BooleanColumn {
                    name,
                    values: values.into_iter().map(|value| value == 1.0).collect(),
                    ..BooleanColumn::default()
                })
                .collect(),
        }
    }
}

/// The names of the columns; the first one is `time`.
fn header(record: &csv::ByteRecord) -> Result<Vec<String>, CsvError> {
    const BYTE_ORDER_MARK: char = '\u{feff}';
    let mut names = Vec::with_capacity(record.len());
    for cell in record {
        let cell = std::str::from_utf8(cell).map_err(|_| CsvError::Encoding { line: 1 })?;
        names.push(cell.trim_start_matches(BYTE_ORDER_MARK).trim().to_owned());
    }
    let first = names.first().map(String::as_str).unwrap_or_default();
    if first != "time" {
        return Err(CsvError::Header(foreign(first, names.len())));
    }
    let mut sorted: Vec<&String> = names.iter().collect();
    sorted.sort();
    if let Some(pair) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(CsvError::Header(say!("columns-twice", name = pair[0])));
    }
    Ok(names)
}

/// Complaint about a header whose first column is not `time`.
fn foreign(first: &str, n_columns: usize) -> String {
    if n_columns == 1 && first.contains(';') {
        return say!("columns-separated.semicolons");
    }
    if n_columns == 1 && first.contains('\t') {
        return say!("columns-separated.tabs");
    }
    if first.parse::<f64>().is_ok() {
        return say!("columns-header-numbers");
    }
    say!("columns-first-column", first)
}

fn number(cell: &[u8]) -> Option<f64> {
    let text = std::str::from_utf8(cell).ok()?.trim();
    if text.is_empty() {
        return Some(f64::NAN);
    }
    text.parse().ok()
}

fn from_csv(error: csv::Error) -> CsvError {
    let line = error.position().map_or(1, csv::Position::line);
    match error.into_kind() {
        csv::ErrorKind::Io(error) => CsvError::Io(error),
        _ => CsvError::Encoding { line },
    }
}

#[cfg(test)]
mod tests {
    use situ_engine::model::{CompareOp, ModelBuilder};

    use super::*;

    fn read(text: &str) -> Result<Series, CsvError> {
        Series::read_csv("run", text.as_bytes())
    }

    #[test]
    fn trailing_columns_of_zeros_and_ones_are_booleans() {
        let series =
            read("time,h,zero,\"a, b\",contact,hit\n0,400,0,1,0,0\n0.5,1e-3,0,2.5,1,1\n").unwrap();
        assert_eq!(series.time, [0.0, 0.5]);
        let reals: Vec<&str> = series
            .reals
            .iter()
            .map(|column| column.name.as_str())
            .collect();
        assert_eq!(reals, ["h", "zero", "a, b"]);
        assert_eq!(series.real("h").unwrap().values, [400.0, 1e-3]);
        assert_eq!(series.boolean("hit").unwrap().values, [false, true]);
        assert_eq!(series.names().count(), 5);
    }

    #[test]
    fn reals_of_one_run_are_reals_of_all() {
        let mut runs = [
            read("time,x,n\n0,0.5,0\n1,2,1\n"),
            read("time,x,n\n0,0.5,0\n1,2,4\n"),
        ]
        .map(Result::unwrap);
        Series::agree(&mut runs);
        assert_eq!(
            runs.each_ref()
                .map(|run| run.real("n").unwrap().values.clone()),
            [[0.0, 1.0], [0.0, 4.0]]
        );
        assert!(runs.iter().all(|run| run.booleans.is_empty()));
    }

    #[test]
    fn empty_cells_are_gaps_and_a_byte_order_mark_is_skipped() {
        let series = read("\u{feff}time,x\r\n0,\r\n1,NaN\r\n2,-inf\r\n").unwrap();
        let x = &series.real("x").unwrap().values;
        assert!(x[0].is_nan() && x[1].is_nan() && x[2] == f64::NEG_INFINITY);
    }

    #[test]
    fn a_header_alone_is_a_run_without_rows() {
        let series = read("time,x\n").unwrap();
        assert!(series.is_empty());
        assert_eq!(series.reals.len(), 1);
    }

    #[test]
    fn a_model_describes_its_columns() {
        let mut table = ModelBuilder::new("described");
        let x = table.real("x", 0.0);
        table.real("still", 1.0);
        let low = table.range("low", [(x.into(), CompareOp::Less, 1.0.into())]);
        table.event("hit", [low.into()]);
        let mut model = table.build().unwrap();
        model.reals[0].unit = "m".to_owned();
        model.reals[0].about = "way".to_owned();
        let mut series = read("time,low,x,still,hit\n0,0,0.5,1,0\n1,1,2,1,1\n").unwrap();
        series.describe(&model);
        let x = series.real("x").unwrap();
        assert_eq!((x.unit.as_str(), x.about.as_str()), ("m", "way"));
        assert_eq!(series.real("still").unwrap().values, [1.0, 1.0]);
        assert_eq!(series.boolean("low").unwrap().values, [false, true]);
        assert!(series.boolean("hit").unwrap().event);
        assert_eq!((series.reals.len(), series.booleans.len()), (2, 2));
    }

    #[test]
    fn foreign_files_are_refused_with_a_reason() {
        for (text, expected) in [
            ("", "the file is empty"),
            ("t,x\n0,1\n", "the first column is `t`, not `time`"),
            (
                "time;x\n0;1\n",
                "the columns are separated by semicolons, not by commas",
            ),
            (
                "time\tx\n0\t1\n",
                "the columns are separated by tabs, not by commas",
            ),
            (
                "0,1\n1,2\n",
                "the first line holds numbers, not the names of columns",
            ),
            ("time,x,x\n0,1,2\n", "two columns are called `x`"),
            ("time,x\n0,1\n1\n", "line 3 has 1 column, the header has 2"),
            (
                "time,x\n0,1\n1,2,3\n",
                "line 3 has 3 columns, the header has 2",
            ),
            (
                "time,x\n0,one\n",
                "line 2, column `x`: `one` is not a number",
            ),
            (
                "time,x\n1,1\n0,1\n",
                "line 3: `time` must be a number not less than in the line before",
            ),
            (
                "time,x\nNaN,1\n",
                "line 2: `time` must be a number not less than in the line before",
            ),
        ] {
            assert_eq!(read(text).unwrap_err().to_string(), expected, "{text:?}");
        }
        assert_eq!(
            Series::read_csv("run", &b"time,\xff\n0,1\n"[..])
                .unwrap_err()
                .to_string(),
            "line 1 is not text in UTF-8"
        );
    }
}
