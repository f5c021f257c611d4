//! Files of the user that are written.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Puts a text in the place of a file's, all of it or, if that fails, nothing.
///
/// The text goes to a new file beside the old one and takes its name and permissions, so that a full
/// disk does not cost the author their table. A link stays a link.
pub(crate) fn replace(path: &Path, text: &str) -> io::Result<()> {
    let path = path.canonicalize()?;
    let beside = beside(&path);
    let written = write_new(&beside, text)
        .and_then(|()| fs::set_permissions(&beside, fs::metadata(&path)?.permissions()))
        .and_then(|()| fs::rename(&beside, &path));
    if written.is_err() {
        // What went wrong first is what counts.
        let _ = fs::remove_file(&beside);
    }
    written
}

/// Whether there is a folder for a file that will be written later.
pub(super) fn check_folder(file: &Path) -> io::Result<()> {
    let folder = file.parent().unwrap_or(Path::new("/"));
    let is_here = folder.as_os_str().is_empty();
    if is_here || fs::metadata(folder)?.is_dir() {
        Ok(())
    } else {
        Err(io::ErrorKind::NotADirectory.into())
    }
}

fn beside(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.new", std::process::id()));
    path.with_file_name(name)
}

fn write_new(path: &Path, text: &str) -> io::Result<()> {
    let mut file = fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(path)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_or_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("table.ron");
        assert!(
            replace(&path, "new").is_err(),
            "there is nothing to replace"
        );
        fs::write(&path, "old").unwrap();
        replace(&path, "new").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        fs::create_dir(beside(&path)).unwrap();
        assert!(replace(&path, "newer").is_err());
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
    }
}
