//! Parquet files of a sweep: rows that are added, and what an earlier sweep has left.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;
use situ_views::columns::cells::{Cell, Column, Holds};
use situ_views::columns::parquet::{Sheet, Source, recover, sweep_of};
use situ_words::say;

use super::growing::{Growing, is_part};
use super::identity::Identity;
use super::lines::text;
use super::words::other;
use crate::command::Failure;

/// Rows of so long a time are not lost, whatever happens.
const PATIENCE: Duration = Duration::from_secs(10);

/// A file that grows.
pub(super) struct GrowingSheet {
    sheet: Sheet<File>,
    file: File,
    growing: Growing,
    noted: Instant,
    /// For messages.
    name: String,
}

impl GrowingSheet {
    /// A file without rows.
    ///
    /// # Errors
    ///
    /// It cannot be written.
    pub(super) fn new(
        name: &str,
        file: File,
        growing: Growing,
        source: Source<'_>,
        columns: &[Column],
    ) -> Result<Self, Failure> {
        let copy = file.try_clone();
        let copy = copy.map_err(|error| Failure::writing(name, &error))?;
        let sheet = Sheet::new(copy, source, columns);
        Ok(Self {
            sheet: sheet.map_err(|error| unwritten(name, error))?,
            file,
            growing,
            noted: Instant::now(),
            name: name.to_owned(),
        })
    }

    /// Takes over all rows of an earlier file.
    ///
    /// # Errors
    ///
    /// One of the files cannot be read or written.
    pub(super) fn take(&mut self, earlier: &Path) -> Result<(), Failure> {
        let Some(file) = closed(earlier, &self.name)? else {
            return Ok(());
        };
        let copy = file.try_clone();
        let copy = copy.map_err(|error| Failure::reading(&self.name, &error))?;
        let reader = SerializedFileReader::new(file);
        let reader = reader.map_err(|error| unread(&self.name, error))?;
        let taken = self.sheet.append(&copy, reader.metadata());
        taken.map_err(|error| unwritten(&self.name, error))?;
        self.note()?;
        self.growing.has_taken(earlier);
        Ok(())
    }

    /// Adds the rows of a run.
    ///
    /// # Errors
    ///
    /// The file cannot be written.
    pub(super) fn run(&mut self, rows: impl IntoIterator<Item = Vec<Cell>>) -> Result<(), Failure> {
        for row in rows {
            let written = self.sheet.row(row);
            written.map_err(|error| unwritten(&self.name, error))?;
        }
        match self.sheet.has_news() || self.noted.elapsed() >= PATIENCE {
            true => self.note(),
            false => Ok(()),
        }
    }

    /// Sees to it that what has been added is found again.
    fn note(&mut self) -> Result<(), Failure> {
        let noted = self.sheet.note();
        noted.map_err(|error| unwritten(&self.name, error))?;
        let synced = self.file.sync_data();
        synced.map_err(|error| Failure::writing(&self.name, &error))?;
        self.noted = Instant::now();
        Ok(())
    }

    /// Closes the file and gives it its name: see [`Growing::finish`].
    ///
    /// # Errors
    ///
    /// It cannot be written.
    pub(super) fn finish(self, is_whole: bool) -> Result<bool, Failure> {
        let file = self.sheet.finish();
        let file = file.map_err(|error| unwritten(&self.name, error))?;
        let finished = self.growing.finish(&file, is_whole);
        finished.map_err(|error| Failure::writing(&self.name, &error))
    }
}

/// The rows of an earlier file, as CSV has them.
///
/// # Errors
///
/// It cannot be read, or belongs to another sweep; what `seen` says.
pub(super) fn read(
    path: &Path,
    name: &str,
    columns: &[Column],
    identity: &Identity,
    seen: &mut dyn FnMut(&[String]) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let Some(file) = closed(path, name)? else {
        return Ok(());
    };
    let reader = SerializedFileReader::new(file).map_err(|error| unread(name, error))?;
    let metadata = reader.metadata();
    let fields = metadata.file_metadata().schema_descr().columns().iter();
    let types = |column: &Column| match column.holds {
        Holds::Integers => parquet::basic::Type::INT64,
        Holds::Reals => parquet::basic::Type::DOUBLE,
        Holds::Truths => parquet::basic::Type::BOOLEAN,
        Holds::Texts => parquet::basic::Type::BYTE_ARRAY,
    };
    let same = fields
        .map(|field| (field.name(), field.physical_type()))
        .eq(columns.iter().map(|column| (&*column.name, types(column))));
    if !same {
        return Err(other(name, &say!("sweep-other.columns")));
    }
    let rows = reader.get_row_iter(None);
    for row in rows.map_err(|error| unread(name, error))? {
        let row = row.map_err(|error| unread(name, error))?;
        let fields = row.get_column_iter().map(|(_, field)| match field {
            Field::Long(value) => text(Cell::Integer(*value)),
            Field::Double(value) => text(Cell::Real(Some(*value))),
            Field::Bool(value) => text(Cell::Truth(*value)),
            Field::Str(value) => value.clone(),
            _ => String::new(),
        });
        seen(&fields.collect::<Vec<String>>())?;
    }
    match identity.difference(sweep_of(metadata).as_deref()) {
        Some(why) => Err(other(name, &why)),
        None => Ok(()),
    }
}

/// A file that can be read to its end; one that was broken off is closed behind what is whole. `None` if
/// nothing is.
fn closed(path: &Path, name: &str) -> Result<Option<File>, Failure> {
    let unread = |error: io::Error| Failure::reading(name, &error);
    let mut file = File::open(path).map_err(unread)?;
    let is_empty = file.metadata().map_err(unread)?.len() == 0;
    if is_empty {
        return Ok(None);
    }
    if SerializedFileReader::new(file.try_clone().map_err(unread)?).is_ok() {
        return Ok(Some(file));
    }
    let unwhole = || Failure::Wrong(say!("sweep-no-whole-run", name));
    if !is_part(path) {
        return Err(unwhole());
    }
    let opened = OpenOptions::new().read(true).write(true).open(path);
    file = opened.map_err(unread)?;
    match recover(&mut file).map_err(unread)? {
        true => Ok(Some(file)),
        false => Err(unwhole()),
    }
}

fn unread(name: &str, error: ParquetError) -> Failure {
    Failure::reading(name, &io::Error::other(error))
}

fn unwritten(name: &str, error: ParquetError) -> Failure {
    match error {
        ParquetError::External(error) => match error.downcast::<io::Error>() {
            Ok(error) => Failure::writing(name, &error),
            Err(error) => Failure::writing(name, &io::Error::other(error)),
        },
        error => Failure::writing(name, &io::Error::other(error)),
    }
}
