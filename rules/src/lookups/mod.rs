//! Lookups of a table: what is written of them, with the cells of their files, becomes points.
//!
//! [`DataFile`]s are bytes that the caller's loader gives; [`cells`] says what stands in a sheet, [`text`] and
//! [`workbook`] read comma-separated text and spreadsheets into it, [`points`] takes columns and regions out of it.
//! Nothing here knows a model.

mod cells;
mod opendocument;
mod points;
mod text;
mod workbook;

pub(crate) use points::read;

use std::sync::Arc;

use sha2::{Digest, Sha256};

use self::cells::Sheet;

/// A file with points, as a loader gives it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DataFile {
    /// As it is shown in reports.
    pub name: String,
    /// Its content.
    pub bytes: Vec<u8>,
}

/// The files of the lookups of some tables, read.
#[derive(Clone, Debug, Default)]
pub struct Data {
    files: Vec<Entry>,
}

#[derive(Clone, Debug)]
struct Entry {
    path: String,
    from: String,
    file: Result<File, String>,
}

/// A file, read.
#[derive(Clone, Debug)]
pub(crate) struct File {
    pub(crate) source: Arc<DataFile>,
    pub(crate) sha256: String,
    sheets: Vec<Sheet>,
}

impl Data {
    /// The files that could be read, as they were loaded; one that several tables name may come more than once.
    pub fn files(&self) -> impl Iterator<Item = &DataFile> {
        let read = self
            .files
            .iter()
            .filter_map(|entry| entry.file.as_ref().ok());
        read.map(|file| &*file.source)
    }

    /// Reads a file unless it is known; `load` gives its content.
    pub(crate) fn add(
        &mut self,
        path: &str,
        from: &str,
        load: impl FnOnce() -> Result<DataFile, String>,
    ) {
        if self.get(path, from).is_some() {
            return;
        }
        let file = load().and_then(|file| {
            let sheets = if text::is_text(&file) {
                text::read(&file)?
            } else {
                workbook::read(&file)?
            };
            let hash = Sha256::digest(&file.bytes);
            Ok(File {
                sha256: hash.iter().map(|byte| format!("{byte:02x}")).collect(),
                source: Arc::new(file),
                sheets,
            })
        });
        self.files.push(Entry {
            path: path.to_owned(),
            from: from.to_owned(),
            file,
        });
    }

    fn get(&self, path: &str, from: &str) -> Option<&Result<File, String>> {
        let mut files = self.files.iter();
        let entry = files.find(|entry| entry.path == path && entry.from == from);
        entry.map(|entry| &entry.file)
    }
}
