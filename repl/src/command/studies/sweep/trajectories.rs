//! Whole trajectories of a sweep as Parquet: a line per row of a run, with the number of the run.
//!
//! The file holds all rows of the runs up to the last one in it: a sweep that goes on does the runs it
//! lacks again.

use std::path::Path;

use situ_engine::model::{Boolean, Model};
use situ_engine::trace::Trace;
use situ_sweep::Done;
use situ_views::columns::Columns;
use situ_views::columns::cells::{Cell, Column, Holds};
use situ_views::columns::parquet::Source;
use situ_words::say;

use super::growing::Place;
use super::identity::Identity;
use super::output::is_parquet;
use super::sheet::{self, GrowingSheet};
use super::words::other;
use crate::command::Failure;

/// A file of trajectories that is being written.
pub(super) struct Trajectories {
    /// Destination of rows; `None` if all are there.
    sheet: Option<GrowingSheet>,
    columns: Columns,
    /// Number of runs whose rows are there.
    runs: u64,
}

impl Trajectories {
    /// The file for the rows of so many runs. With `resume` it goes on with what an earlier sweep has left.
    ///
    /// # Errors
    ///
    /// The name is not one of Parquet, there can be no such file, another program is writing it, or it belongs to
    /// another sweep.
    pub(super) fn open(
        path: &Path,
        resume: bool,
        model: &Model,
        identity: &Identity,
        runs: u64,
    ) -> Result<Self, Failure> {
        let name = path.display().to_string();
        if !is_parquet(path) {
            return Err(Failure::Wrong(say!("sweep-not-parquet", name)));
        }
        let columns = Columns::standard(model);
        let all = described(&columns, model);
        let place = Place::of(path)?;
        let read = |path: &Path| runs_of(path, &name, &all, identity);
        let most = match resume {
            true => place.most(&mut |path| read(path))?,
            false => None,
        };
        let there = most.as_ref().map_or(0, |(_, runs)| *runs);
        if let Some((path, _)) = &most
            && there == runs
            && place.is_target(path)
        {
            return Ok(Self {
                sheet: None,
                columns,
                runs,
            });
        }
        let behind = most.as_ref().map(|(path, _)| &**path);
        let grown = place.grow(behind);
        let (file, growing) = grown.map_err(|error| Failure::writing(&name, &error))?;
        let source = Source {
            table: &model.name,
            sweep: identity.text(),
        };
        let mut sheet = GrowingSheet::new(&name, file, growing, source, &all)?;
        if let Some(earlier) = behind {
            sheet.take(earlier)?;
        }
        Ok(Self {
            sheet: Some(sheet),
            columns,
            runs: there,
        })
    }

    /// Number of runs whose rows are there: those of the last one and of all before it.
    pub(super) fn runs(&self) -> u64 {
        self.runs
    }

    /// Adds the rows of runs, but for those that are there.
    ///
    /// # Errors
    ///
    /// They cannot be written.
    pub(super) fn add(&mut self, done: &[Done]) -> Result<(), Failure> {
        let Some(sheet) = &mut self.sheet else {
            return Ok(());
        };
        for done in done.iter().filter(|done| done.row >= self.runs) {
            sheet.run(cells(&self.columns, done))?;
        }
        Ok(())
    }

    /// Closes the file and gives it its name: see [`super::growing::Growing::finish`].
    ///
    /// # Errors
    ///
    /// It cannot be written.
    pub(super) fn finish(self, is_whole: bool) -> Result<bool, Failure> {
        match self.sheet {
            Some(sheet) => sheet.finish(is_whole),
            None => Ok(true),
        }
    }
}

/// The number of the last run in a file.
fn runs_of(
    path: &Path,
    name: &str,
    columns: &[Column],
    identity: &Identity,
) -> Result<u64, Failure> {
    let mut runs = 0;
    sheet::read(path, name, columns, identity, &mut |line| {
        let run = line.first().and_then(|run| run.parse::<u64>().ok());
        let run = run.filter(|run| *run >= runs.max(1));
        runs = run.ok_or_else(|| other(name, &say!("sweep-other.order")))?;
        Ok(())
    })?;
    Ok(runs)
}

/// The rows of a run.
fn cells(columns: &Columns, done: &Done) -> impl Iterator<Item = Vec<Cell>> {
    let run = i64::try_from(done.row + 1).unwrap_or(i64::MAX);
    let trace = done.trace.as_deref();
    let n_rows = trace.map_or(0, |trace| trace.time.len());
    let rows = (0..n_rows).filter_map(move |row| Some((row, trace?)));
    rows.map(move |(row, trace)| {
        let mut cells = vec![Cell::Integer(run), Cell::Real(Some(trace.time[row]))];
        let reals = columns.reals.iter();
        cells.extend(reals.map(|id| Cell::Real(Some(trace.reals[id.index()][row]))));
        let booleans = columns.booleans.iter();
        cells.extend(booleans.map(|what| Cell::Truth(holds(trace, *what, row))));
        cells
    })
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
        column("run", Holds::Integers, "run", "", &say!("sweep-column.run")),
        column(
            "time",
            Holds::Reals,
            "time",
            model.clock.time_unit(),
            &say!("sweep-column.row-time"),
        ),
    ];
    all.extend(columns.reals.iter().map(|id| {
        let real = &model.reals[id.index()];
        column(&real.name, Holds::Reals, "real", &real.unit, &real.about)
    }));
    all.extend(columns.booleans.iter().map(|what| {
        let named = model.named_booleans().find(|(_, other)| other == what);
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
