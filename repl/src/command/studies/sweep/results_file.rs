//! The file of a sweep whose rows another one runs: what `--out` writes, with its resume.

use std::path::Path;

use situ_sweep::Design;
use situ_views::columns::cells::Cell;

use super::output::{Results, Table};
use crate::command::Failure;

/// A CSV or Parquet file that grows beside its place, and takes its name when all runs are in it.
pub struct ResultsFile {
    table: Table,
    /// Runs that are in it.
    rows: u64,
}

impl std::fmt::Debug for ResultsFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ResultsFile")
            .field("rows", &self.rows)
            .finish_non_exhaustive()
    }
}

impl ResultsFile {
    /// Begins a file, Parquet if its name ends in `.parquet`. With `resume` it goes on with what an earlier sweep has left.
    ///
    /// # Errors
    ///
    /// There can be no such file, another program is writing it, or it belongs to another sweep: a message.
    pub fn open(
        path: &Path,
        resume: bool,
        results: &Results<'_>,
        design: &Design,
    ) -> Result<Self, String> {
        let opened = Table::open(path, resume, results, design, &mut |_| {});
        let (table, rows) = opened.map_err(message)?;
        Ok(Self { table, rows })
    }

    /// Number of runs in it: the next to be added has this number, counted from 0.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Adds runs in their order.
    ///
    /// # Errors
    ///
    /// They cannot be written: a message.
    pub fn add(&mut self, rows: Vec<Vec<Cell>>) -> Result<(), String> {
        self.rows += rows.len() as u64;
        self.table.add(rows.into_iter()).map_err(message)
    }

    /// Closes the file and gives it its name, if all runs are in it or nothing is there.
    ///
    /// # Errors
    ///
    /// It does not get onto the disk: a message.
    pub fn finish(self, is_whole: bool) -> Result<(), String> {
        self.table.finish(is_whole).map(drop).map_err(message)
    }
}

fn message(failure: Failure) -> String {
    match failure {
        Failure::Run(message) | Failure::Wrong(message) | Failure::Unsupported(message) => message,
        other => format!("{other:?}"),
    }
}
