//! Whole trajectories of a sweep as Parquet: a line per row of a run, with the number of the run.
//!
//! A file that was closed holds all rows of the runs up to the last one in it. One that was not closed is not
//! there ([`Closing`]): a sweep that goes on does the runs it lacks again.

use std::path::Path;

use situ_engine::model::{Boolean, Model};
use situ_engine::trace::Trace;
use situ_sweep::Done;

use super::output::{Closing, is_parquet, text};
use crate::command::Failure;
use crate::view::columns::{Columns, named_booleans};
use crate::view::parquet::{Cell, Column, Holds};

/// A file of trajectories that is being written.
pub(super) struct Trajectories {
    closing: Closing,
    columns: Columns,
    /// Number of runs whose rows are there.
    runs: u64,
}

/// A file of trajectories that an earlier sweep left.
pub(super) struct Left {
    pub(super) trajectories: Trajectories,
    /// The rows of its last run, as CSV has them.
    last: Vec<Vec<String>>,
    name: String,
}

impl Left {
    /// The number of its last run, counted from 0; `None` if it has none.
    pub(super) fn last_run(&self) -> Option<u64> {
        self.trajectories.runs.checked_sub(1)
    }

    /// The file, if its last run has come out again as it stands there.
    ///
    /// Errors: it has not.
    pub(super) fn held_against(self, again: &[Done]) -> Result<Trajectories, Failure> {
        let rows = again.iter().flat_map(|done| self.trajectories.cells(done));
        let rows = rows.map(|cells| cells.into_iter().map(text).collect::<Vec<String>>());
        if rows.eq(self.last.iter().cloned()) {
            return Ok(self.trajectories);
        }
        Err(Failure::Wrong(format!(
            "{} is of another table or other settings: its last run comes out differently",
            self.name
        )))
    }
}

impl Trajectories {
    /// Errors: the name is not one of Parquet, or the file cannot be made.
    pub(super) fn new(path: &Path, model: &Model) -> Result<Self, Failure> {
        if !is_parquet(path) {
            return Err(Failure::Wrong(format!(
                "trajectories are written as Parquet: give {} the ending .parquet",
                path.display()
            )));
        }
        let columns = Columns::standard(model);
        let closing = Closing::new(path, &model.name, &described(&columns, model))?;
        Ok(Self {
            closing,
            columns,
            runs: 0,
        })
    }

    /// Opens the file of a sweep that was broken off, to go on behind it.
    ///
    /// Errors: it cannot be read, or belongs to another sweep.
    pub(super) fn reopen(path: &Path, model: &Model) -> Result<Left, Failure> {
        let name = path.display().to_string();
        let other = |why: &str| {
            Failure::Wrong(format!(
                "{name} is of another sweep: {why}; give another --trajectories, or leave out --resume"
            ))
        };
        let (mut runs, mut last) = (0, Vec::new());
        let columns = Columns::standard(model);
        let all = described(&columns, model);
        let wrong = other("its columns are others");
        let closing = Closing::behind(path, &model.name, &all, wrong, &mut |line| {
            let run = line.first().and_then(|run| run.parse::<u64>().ok());
            let run = run.filter(|run| *run >= runs.max(1));
            let run = run.ok_or_else(|| other("its runs are out of order"))?;
            if run != runs {
                last.clear();
            }
            runs = run;
            last.push(line);
            Ok(())
        })?;
        let trajectories = Self {
            closing,
            columns,
            runs,
        };
        Ok(Left {
            trajectories,
            last,
            name,
        })
    }

    /// Number of runs whose rows are there: those of the last one and of all before it.
    pub(super) fn runs(&self) -> u64 {
        self.runs
    }

    /// Adds the rows of runs, but for those that are there.
    ///
    /// Errors: they cannot be written.
    pub(super) fn add(&mut self, done: &[Done]) -> Result<(), Failure> {
        for done in done.iter().filter(|done| done.row >= self.runs) {
            let rows: Vec<Vec<Cell>> = self.cells(done).collect();
            self.closing.rows(rows)?;
        }
        Ok(())
    }

    /// The rows of a run.
    fn cells(&self, done: &Done) -> impl Iterator<Item = Vec<Cell>> {
        let run = i64::try_from(done.row + 1).unwrap_or(i64::MAX);
        let trace = done.trace.as_deref();
        let n_rows = trace.map_or(0, |trace| trace.time.len());
        let rows = (0..n_rows).filter_map(move |row| Some((row, trace?)));
        rows.map(move |(row, trace)| {
            let mut cells = vec![Cell::Integer(run), Cell::Real(Some(trace.time[row]))];
            let reals = self.columns.reals.iter();
            cells.extend(reals.map(|id| Cell::Real(Some(trace.reals[id.index()][row]))));
            let booleans = self.columns.booleans.iter();
            cells.extend(booleans.map(|what| Cell::Truth(holds(trace, *what, row))));
            cells
        })
    }

    /// Closes the file.
    ///
    /// Errors: it cannot be written.
    pub(super) fn finish(self) -> Result<(), Failure> {
        self.closing.finish()
    }
}

fn holds(trace: &Trace, what: Boolean, row: usize) -> bool {
    match what {
        Boolean::Switch(id) => trace.switches[id.index()][row],
        Boolean::Range(id) => trace.ranges[id.index()][row],
        Boolean::Situation(id) => trace.situations[id.index()][row],
        Boolean::Schedule(_) | Boolean::Start => false,
    }
}

fn described(columns: &Columns, model: &Model) -> Vec<Column> {
    let column = |name: &str, holds, kind, unit: &str, about: &str| Column {
        name: name.to_owned(),
        holds,
        kind,
        unit: unit.to_owned(),
        about: about.to_owned(),
    };
    let mut all = vec![
        column("run", Holds::Integers, "run", "", "number of the run"),
        column("time", Holds::Reals, "time", "", "time of the row"),
    ];
    all.extend(columns.reals.iter().map(|id| {
        let real = &model.reals[id.index()];
        column(&real.name, Holds::Reals, "real", &real.unit, &real.about)
    }));
    all.extend(columns.booleans.iter().map(|what| {
        let named = named_booleans(model).find(|(_, other)| other == what);
        let (kind, about) = match what {
            Boolean::Switch(id) => ("switch", &*model.switches[id.index()].about),
            Boolean::Range(_) => ("range", ""),
            _ if model.is_event(*what) => ("event", ""),
            _ => ("situation", ""),
        };
        let name = named.map_or("", |(name, _)| name);
        column(name, Holds::Truths, kind, "", about)
    }));
    all
}
