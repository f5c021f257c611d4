//! Claims on files: those that a command reads and those that it writes are compared before it does anything.
//!
//! Files are told apart by device and inode, so that a link, a second name or a way around through
//! other folders is the same file. One that is not there yet is known by its folder and its name.

use std::ffi::OsString;
use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};

use situ_views::text::plain;
use situ_words::say;

/// The files of a command.
#[derive(Debug, Default)]
pub(crate) struct Claims {
    read: Vec<Place>,
    /// With the options that name them.
    written: Vec<(String, Place)>,
}

/// File to which a path leads.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Place {
    There(FileId),
    /// In a folder, under a name that nothing has.
    New(FileId, OsString),
}

/// Device and inode.
#[cfg(unix)]
type FileId = (u64, u64);

/// The path without links.
#[cfg(not(unix))]
type FileId = PathBuf;

#[cfg(unix)]
fn id(_: &Path, metadata: &Metadata) -> io::Result<FileId> {
    use std::os::unix::fs::MetadataExt;
    Ok((metadata.dev(), metadata.ino()))
}

#[cfg(not(unix))]
fn id(path: &Path, _: &Metadata) -> io::Result<FileId> {
    path.canonicalize()
}

impl Claims {
    /// A command that reads these files. Those that are not there are of no interest.
    pub(crate) fn reading<'p>(paths: impl IntoIterator<Item = &'p Path>) -> Self {
        let mut claims = Self::default();
        paths.into_iter().for_each(|path| claims.reads(path));
        claims
    }

    /// It reads this file, too.
    pub(crate) fn reads(&mut self, path: &Path) {
        if let Ok(Some(place)) = place(path) {
            self.read.push(place);
        }
    }

    /// It reads what another one reads, too.
    pub(crate) fn join(&mut self, other: Self) {
        self.read.extend(other.read);
        self.written.extend(other.written);
    }

    /// It reads standard input, which may be a file.
    #[cfg(unix)]
    pub(crate) fn reads_standard_input(&mut self) {
        use std::os::fd::AsFd;
        let copy = io::stdin().as_fd().try_clone_to_owned();
        let metadata = copy.and_then(|input| fs::File::from(input).metadata());
        if let Ok(metadata) = metadata
            && metadata.is_file()
            && let Ok(id) = id(Path::new(""), &metadata)
        {
            self.read.push(Place::There(id));
        }
    }

    /// It reads standard input, of which nothing can be said here.
    #[cfg(not(unix))]
    pub(crate) fn reads_standard_input(&mut self) {}

    /// It is to write this file, which `what` names: an option, a command.
    ///
    /// # Errors
    ///
    /// It is read or written by something else, it is a folder, or there is no folder for it; in words.
    pub(crate) fn writes(&mut self, what: &str, path: &Path) -> Result<(), ClaimError> {
        let place = match place(path) {
            Ok(Some(place)) => place,
            // What streams take and give can be neither overwritten nor lost.
            Ok(None) => return Ok(()),
            Err(error) => {
                return Err(ClaimError::Unwritable(say!(
                    "cli-writes.cannot-write",
                    path = path.display(),
                    error = plain(&error)
                )));
            }
        };
        if self.read.contains(&place) {
            return Err(ClaimError::Taken(say!(
                "cli-writes.would-write-over",
                what,
                path = path.display()
            )));
        }
        if let Some((other, _)) = self.written.iter().find(|(_, other)| *other == place) {
            return Err(ClaimError::Taken(say!(
                "cli-writes.both-write",
                other,
                what,
                path = path.display()
            )));
        }
        self.written.push((what.to_owned(), place));
        Ok(())
    }
}

/// Why a file cannot be written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum ClaimError {
    /// Something else reads or writes it.
    Taken(String),
    /// The system does not allow it.
    Unwritable(String),
}

impl ClaimError {
    /// Message of the error.
    pub(crate) fn message(&self) -> &str {
        match self {
            Self::Taken(message) | Self::Unwritable(message) => message,
        }
    }
}

/// File to which a path leads; `None` if that is a device or a pipe.
fn place(path: &Path) -> io::Result<Option<Place>> {
    // By its own name: where the link `/dev/stdout` leads to a pipe, that has none.
    if fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir()) {
        return Ok(None);
    }
    let path = followed(path)?;
    match fs::metadata(&path) {
        Ok(metadata) if metadata.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
        Ok(metadata) => Ok(Some(Place::There(id(&path, &metadata)?))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let folder = folder(&path);
            let metadata = fs::metadata(folder)?;
            if !metadata.is_dir() {
                return Err(io::ErrorKind::NotADirectory.into());
            }
            let name = path.file_name().ok_or(io::ErrorKind::InvalidFilename)?;
            Ok(Some(Place::New(id(folder, &metadata)?, name.to_owned())))
        }
        Err(error) => Err(error),
    }
}

/// The folder that a file is in.
pub(super) fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        Some(_) => Path::new("."),
        None => Path::new("/"),
    }
}

/// The path behind links, also where it leads to nothing.
///
/// # Errors
///
/// The links lead in a circle.
pub(in crate::command) fn followed(path: &Path) -> io::Result<PathBuf> {
    const MOST_LINKS: usize = 40;
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
        match fs::read_link(&path) {
            Ok(next) => path = folder(&path).join(next),
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::other(say!("cli-followed.links-lead-circle")))
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn taken(claims: &mut Claims, path: &Path) -> bool {
        matches!(claims.writes("--out", path), Err(ClaimError::Taken(_)))
    }

    #[test]
    fn a_file_is_known_under_all_its_names() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("inner")).unwrap();
        fs::write(at("table.ron"), "()").unwrap();
        symlink("table.ron", at("link")).unwrap();
        symlink("link", at("link_to_link")).unwrap();
        symlink(folder.path(), at("inner/around")).unwrap();
        fs::hard_link(at("table.ron"), at("other_name")).unwrap();
        for name in [
            "table.ron",
            "./table.ron",
            "inner/../table.ron",
            "inner/around/table.ron",
            "link",
            "link_to_link",
            "other_name",
        ] {
            let mut claims = Claims::reading([&*at("table.ron")]);
            assert!(taken(&mut claims, &at(name)), "{name}");
            let mut claims = Claims::reading([&*at(name)]);
            assert!(taken(&mut claims, &at("table.ron")), "{name}");
        }
        assert!(!taken(
            &mut Claims::reading([&*at("table.ron")]),
            &at("new")
        ));
    }

    #[test]
    fn two_outputs_have_two_names() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        symlink("x", at("leads_to_x")).unwrap();
        symlink("circle", at("circle")).unwrap();
        let mut claims = Claims::default();
        claims.writes("--out", &at("x")).unwrap();
        claims.writes("--plot", &at("y.svg")).unwrap();
        for name in ["x", "./x", "leads_to_x"] {
            let error = claims.writes("--record", &at(name)).unwrap_err();
            assert!(
                error.message().starts_with("--out and --record both write"),
                "{name}: {error:?}"
            );
        }
        for name in ["", "no/x", "circle"] {
            let error = claims.writes("--record", &at(name)).unwrap_err();
            assert!(
                matches!(error, ClaimError::Unwritable(_)),
                "{name}: {error:?}"
            );
        }
        for _ in 0..2 {
            claims.writes("--log", Path::new("/dev/null")).unwrap();
        }
    }
}
