//! The table of a sweep as CSV, in a file that grows or on standard output.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

use situ_views::columns::cells::Cell;
use situ_views::columns::csv::io_error;
use situ_views::text::number::exact;

use super::growing::Growing;
use super::identity::Identity;
use crate::command::Failure;

/// A cell as CSV has it.
pub(super) fn text(cell: Cell) -> String {
    match cell {
        Cell::Integer(value) => value.to_string(),
        Cell::Real(value) => value.map_or_else(String::new, exact),
        Cell::Truth(value) => u8::from(value).to_string(),
        Cell::Text(value) => value.unwrap_or_default(),
    }
}

/// A CSV file, or standard output.
pub(super) struct Lines {
    writer: csv::Writer<Box<dyn Write + Send>>,
    /// For messages.
    name: String,
    /// Additional state of a file; standard output has none.
    file: Option<LineFile>,
}

struct LineFile {
    file: File,
    growing: Growing,
    /// Text on the sweep for the first line, until it has been written.
    identity: Option<String>,
}

impl Lines {
    pub(super) fn standard(name: String, sink: Box<dyn Write + Send>) -> Self {
        Self {
            writer: csv::Writer::from_writer(sink),
            name,
            file: None,
        }
    }

    pub(super) fn growing(
        name: &str,
        file: File,
        growing: Growing,
        identity: &Identity,
    ) -> Result<Self, Failure> {
        let copy = file.try_clone();
        let copy = copy.map_err(|error| Failure::writing(name, &error))?;
        Ok(Self {
            writer: csv::Writer::from_writer(Box::new(copy)),
            name: name.to_owned(),
            file: Some(LineFile {
                file,
                growing,
                identity: Some(identity.text().to_owned()),
            }),
        })
    }

    /// Takes over the whole lines of an earlier file.
    pub(super) fn take(&mut self, earlier: &Path, bytes: u64) -> Result<(), Failure> {
        let Some(LineFile {
            file,
            growing,
            identity,
        }) = &mut self.file
        else {
            return Ok(());
        };
        let copied = File::open(earlier).and_then(|source| {
            io::copy(&mut source.take(bytes), file)?;
            file.sync_all()
        });
        copied.map_err(|error| Failure::writing(&self.name, &error))?;
        growing.has_taken(earlier);
        *identity = None;
        Ok(())
    }

    pub(super) fn add(
        &mut self,
        lines: impl IntoIterator<Item = Vec<String>>,
    ) -> Result<(), Failure> {
        let Some(file) = &mut self.file else {
            return self.write(lines);
        };
        let mut identity = file.identity.take();
        let mut lines = lines.into_iter().peekable();
        if lines.peek().is_none() {
            file.identity = identity;
            return Ok(());
        }
        self.write(lines.map(|mut line| {
            line.push(identity.take().unwrap_or_default());
            line
        }))
    }

    pub(super) fn write(
        &mut self,
        lines: impl IntoIterator<Item = Vec<String>>,
    ) -> Result<(), Failure> {
        let write = || {
            for line in lines {
                self.writer.write_record(&line).map_err(io_error)?;
            }
            self.writer.flush()
        };
        write().map_err(|error| Failure::writing(&self.name, &error))
    }

    pub(super) fn finish(mut self, is_whole: bool) -> Result<bool, Failure> {
        let finished = self.writer.flush().and_then(|()| match self.file {
            Some(LineFile { file, growing, .. }) => growing.finish(&file, is_whole),
            None => Ok(true),
        });
        finished.map_err(|error| Failure::writing(&self.name, &error))
    }
}
