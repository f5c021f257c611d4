//! The disk as the files of a session at the prompt.

use std::path::Path;
use std::{fs, io};

use situ_console::{Files, NewFile};

use super::{Claims, Output, read_bytes, read_text};

/// The files of the disk.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Disk;

impl Files for Disk {
    fn read(&self, path: &Path) -> io::Result<String> {
        read_text(path)
    }

    fn read_bytes(&self, path: &Path) -> io::Result<Vec<u8>> {
        read_bytes(path)
    }

    fn create(&self, path: &Path) -> io::Result<Box<dyn NewFile>> {
        Ok(Box::new(Output::create(path)?))
    }

    fn claim(&self, what: &str, path: &Path, read: &[&Path]) -> Result<(), String> {
        let mut claims = Claims::default();
        read.iter().for_each(|path| claims.reads(path));
        let claimed = claims.writes(what, path);
        claimed.map_err(|error| error.message().to_owned())
    }

    fn list(&self, folder: &Path) -> Vec<(String, bool)> {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        let named = entries.filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            Some((name, entry.path().is_dir()))
        });
        named.collect()
    }
}

impl NewFile for Output {
    fn commit(self: Box<Self>) -> io::Result<()> {
        Output::commit(*self)
    }
}
