//! Whole trajectories of a sweep as Parquet: a line per row of a run, with the number of the run.

use std::path::Path;

use situ_engine::model::{Boolean, Model};
use situ_engine::trace::Trace;
use situ_sweep::Done;

use super::output::{Closing, is_parquet};
use crate::command::Failure;
use crate::view::columns::{Columns, named_booleans};
use crate::view::parquet::{Cell, Column, Holds};

/// A file of trajectories that is being written.
pub(super) struct Trajectories {
    closing: Closing,
    columns: Columns,
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
        Ok(Self { closing, columns })
    }

    /// Adds the rows of runs.
    ///
    /// Errors: they cannot be written.
    pub(super) fn add(&mut self, done: &[Done]) -> Result<(), Failure> {
        for done in done {
            let Some(trace) = &done.trace else { continue };
            let run = i64::try_from(done.row + 1).unwrap_or(i64::MAX);
            let rows = (0..trace.time.len()).map(|row| {
                let mut cells = vec![Cell::Integer(run), Cell::Real(Some(trace.time[row]))];
                let reals = self.columns.reals.iter();
                cells.extend(reals.map(|id| Cell::Real(Some(trace.reals[id.index()][row]))));
                let booleans = self.columns.booleans.iter();
                cells.extend(booleans.map(|what| Cell::Truth(holds(trace, *what, row))));
                cells
            });
            self.closing.rows(rows)?;
        }
        Ok(())
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
