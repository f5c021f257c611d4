//! Files that take their name only when all of them stands on the disk.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use situ_views::columns::csv::Sink;
use situ_words::say;
use tempfile::{Builder, NamedTempFile};

use super::claims::{folder, followed};

/// Destination of output.
///
/// Text for a file is written to another one beside it, with a name that nobody can foresee. [`Output::commit`]
/// gives it the target's name at once: whoever reads the target finds the old file or the new one,
/// and if anything fails, the old one. A link stays a link. Devices and pipes are written as they are.
#[derive(Debug)]
pub(crate) enum Output {
    /// A file in the making, and its target.
    Beside(NamedTempFile, PathBuf),
    /// A device or a pipe.
    Stream(File),
    /// Standard output.
    Standard(io::Stdout),
    /// Nowhere; only what would be written is of interest.
    Nowhere,
}

impl Output {
    /// Standard output.
    ///
    /// # Errors
    ///
    /// It was closed before the program began.
    pub(crate) fn standard() -> io::Result<Self> {
        if is_closed(&io::stdout()) {
            return Err(io::Error::other(say!("cli-standard.closed")));
        }
        Ok(Self::Standard(io::stdout()))
    }

    /// Begins a file that will stand at a path.
    ///
    /// # Errors
    ///
    /// What is there may not be written, or there is no folder for it.
    pub(crate) fn create(path: &Path) -> io::Result<Self> {
        match fs::metadata(path) {
            // By its own name: where the link `/dev/stdout` leads to a pipe, that has none.
            Ok(metadata) if !metadata.is_file() => {
                let stream = OpenOptions::new().write(true).open(path)?;
                return Ok(Self::Stream(stream));
            }
            _ => {}
        }
        let target = followed(path)?;
        sweep_up(&target);
        let file = beside(&target, PART)?;
        // Whoever sweeps up sees that it is being written; without a lock it is left alone for a while.
        let _ = file.as_file().try_lock();
        Ok(Self::Beside(file, target))
    }

    /// Puts the file in its place.
    ///
    /// # Errors
    ///
    /// It does not get onto the disk; the target is then as it was.
    pub(crate) fn commit(self) -> io::Result<()> {
        match self {
            Self::Beside(file, target) => {
                file.as_file().sync_all()?;
                file.persist(&target).map_err(|error| error.error)?;
                sync_folder(&target);
                Ok(())
            }
            mut stream => stream.flush(),
        }
    }

    /// Puts the file in its place unless something is there already.
    ///
    /// # Errors
    ///
    /// As [`Output::commit`]; [`io::ErrorKind::AlreadyExists`].
    pub(crate) fn commit_new(self) -> io::Result<()> {
        match self {
            Self::Beside(file, target) => {
                file.as_file().sync_all()?;
                file.persist_noclobber(&target)
                    .map_err(|error| error.error)?;
                sync_folder(&target);
                Ok(())
            }
            _ => Err(io::ErrorKind::AlreadyExists.into()),
        }
    }

    /// Puts the file in its place, and what was there under another name beside it.
    ///
    /// # Errors
    ///
    /// As [`Output::commit`].
    pub(crate) fn commit_keeping(self, older: &Path) -> io::Result<()> {
        if let Self::Beside(_, target) = &self
            && target.exists()
        {
            match fs::remove_file(older) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
            // The target is there at every moment.
            if fs::hard_link(target, older).is_err() {
                fs::copy(target, older)?;
            }
        }
        self.commit()
    }
}

/// The end of the names of files that are being written.
const PART: &str = ".part";

/// Nobody is about to lock a file that has stood for so long.
const LEFT_BEHIND: Duration = Duration::from_secs(60);

/// Takes away what programs that were killed have left of a file: nobody holds its lock. What cannot be taken away stays.
fn sweep_up(target: &Path) {
    for path in left_beside(target, PART).unwrap_or_default() {
        let Ok(file) = File::open(&path) else {
            continue;
        };
        let modified = file.metadata().and_then(|metadata| metadata.modified());
        let age = modified.ok().and_then(|time| time.elapsed().ok());
        if age.is_some_and(|age| age > LEFT_BEHIND) && file.try_lock().is_ok() {
            let _ = fs::remove_file(&path);
        }
    }
}

/// A new file beside another one; hidden, with an ending, and with the permissions that the other one has or
/// that a new file gets.
///
/// # Errors
///
/// The other one may not be written, or its folder takes no files.
pub(in crate::command) fn beside(target: &Path, ending: &str) -> io::Result<NamedTempFile> {
    let permissions = match OpenOptions::new().write(true).open(target) {
        Ok(file) => Some(file.metadata()?.permissions()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    let name = target.file_name().ok_or(io::ErrorKind::InvalidFilename)?;
    let mut prefix = std::ffi::OsString::from(".");
    prefix.push(name);
    prefix.push(".");
    let mut builder = Builder::new();
    builder.prefix(&prefix).suffix(ending);
    let for_all = everybody();
    if let Some(for_all) = for_all {
        builder.permissions(for_all);
    }
    let file = builder.tempfile_in(folder(target))?;
    if let Some(permissions) = permissions {
        file.as_file().set_permissions(permissions)?;
    }
    Ok(file)
}

/// The files that [`beside`] made for a target with an ending, and that are still there; in the order of their names.
///
/// # Errors
///
/// The folder cannot be read.
pub(in crate::command) fn left_beside(target: &Path, ending: &str) -> io::Result<Vec<PathBuf>> {
    let name = target.file_name().ok_or(io::ErrorKind::InvalidFilename)?;
    let prefix = format!(".{}.", name.to_string_lossy());
    let mut left = Vec::new();
    for entry in fs::read_dir(folder(target))? {
        let entry = entry?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let middle = name.strip_prefix(&prefix);
        let middle = middle.and_then(|rest| rest.strip_suffix(ending));
        let is_one = middle.is_some_and(|middle| !middle.contains('.'));
        if is_one && entry.file_type()?.is_file() {
            left.push(target.with_file_name(entry.file_name()));
        }
    }
    left.sort();
    Ok(left)
}

/// Permissions of a new file, less what the user's mask takes away.
#[cfg(unix)]
fn everybody() -> Option<Permissions> {
    use std::os::unix::fs::PermissionsExt;
    Some(Permissions::from_mode(0o666))
}

#[cfg(not(unix))]
fn everybody() -> Option<Permissions> {
    None
}

/// Sees to it that a name stands on the disk. Where a folder cannot be opened for that the name is there all the same.
pub(in crate::command) fn sync_folder(file: &Path) {
    if let Ok(folder) = File::open(folder(file)) {
        let _ = folder.sync_all();
    }
}

/// True if a stream was closed when the program began.
///
/// Rust then opens the null device in its place, for reading and writing, so that writing goes well. Whoever
/// wants no output gives that device for writing only.
#[cfg(unix)]
fn is_closed(stream: &impl std::os::fd::AsFd) -> bool {
    use std::os::unix::fs::MetadataExt;
    let Ok(null) = fs::metadata("/dev/null") else {
        return false;
    };
    let is_null = |stat: rustix::fs::Stat| (stat.st_dev, stat.st_rdev) == (null.dev(), null.rdev());
    let reads = |flags: rustix::fs::OFlags| flags.contains(rustix::fs::OFlags::RDWR);
    rustix::fs::fstat(stream).is_ok_and(is_null) && rustix::fs::fcntl_getfl(stream).is_ok_and(reads)
}

#[cfg(not(unix))]
fn is_closed(_: &io::Stdout) -> bool {
    false
}

/// Writes a whole file.
///
/// # Errors
///
/// It cannot be written; what was there before is then still there.
pub(crate) fn write(path: &Path, bytes: impl AsRef<[u8]>) -> io::Result<()> {
    let mut file = Output::create(path)?;
    file.write_all(bytes.as_ref())?;
    file.commit()
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Beside(file, _) => file.as_file_mut().write(bytes),
            Self::Stream(file) => file.write(bytes),
            Self::Standard(stdout) => stdout.write(bytes),
            Self::Nowhere => Ok(bytes.len()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Beside(file, _) => file.as_file_mut().flush(),
            Self::Stream(file) => file.flush(),
            Self::Standard(stdout) => stdout.flush(),
            Self::Nowhere => Ok(()),
        }
    }
}

impl Sink for Output {
    fn cut(&mut self, length: u64) -> io::Result<()> {
        match self {
            Self::Beside(file, _) => file.as_file_mut().cut(length),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name());
        names
            .map(|name| name.to_string_lossy().into_owned())
            .collect()
    }

    #[test]
    fn a_file_is_there_when_it_is_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.csv");
        fs::write(&path, "old").unwrap();
        let mut file = Output::create(&path).unwrap();
        file.write_all(b"ne").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        file.write_all(b"w").unwrap();
        file.commit().unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        drop(Output::create(&path).unwrap());
        assert_eq!(names(folder.path()), ["run.csv"]);
        let again = Output::create(&path).unwrap().commit_new();
        assert_eq!(again.unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(names(folder.path()), ["run.csv"]);
    }

    /// Of a program that was killed; neither of one that writes nor of another file.
    #[test]
    fn what_was_left_behind_is_swept_up() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let long_ago = std::time::SystemTime::now() - 2 * LEFT_BEHIND;
        let old = |name: &str| {
            let file = File::create(at(name)).unwrap();
            file.set_modified(long_ago).unwrap();
            file
        };
        drop([old(".run.csv.Xa8Kq2.part"), old(".ran.csv.Xa8Kq2.part")]);
        drop([old(".run.csv.Xa8Kq2.sweep"), old("run.csv.part")]);
        File::create(at(".run.csv.fresh1.part")).unwrap();
        let held = old(".run.csv.held12.part");
        held.lock().unwrap();
        write(&at("run.csv"), "new").unwrap();
        let mut left = names(folder.path());
        left.sort();
        let known = [
            ".ran.csv.Xa8Kq2.part",
            ".run.csv.Xa8Kq2.sweep",
            ".run.csv.fresh1.part",
            ".run.csv.held12.part",
            "run.csv",
            "run.csv.part",
        ];
        assert_eq!(left, known);
    }

    #[cfg(unix)]
    #[test]
    fn links_and_permissions_stay() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("table.ron"), "old").unwrap();
        fs::set_permissions(at("table.ron"), Permissions::from_mode(0o640)).unwrap();
        symlink("table.ron", at("link")).unwrap();
        write(&at("link"), "new").unwrap();
        assert!(at("link").is_symlink());
        assert_eq!(fs::read_to_string(at("table.ron")).unwrap(), "new");
        let mode = fs::metadata(at("table.ron")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o640);
        fs::write(at("plain"), "").unwrap();
        write(&at("fresh"), "").unwrap();
        let mode = |name: &str| fs::metadata(at(name)).unwrap().permissions().mode();
        assert_eq!(mode("fresh"), mode("plain"));
        symlink("not_yet", at("leads_on")).unwrap();
        write(&at("leads_on"), "there").unwrap();
        assert_eq!(fs::read_to_string(at("not_yet")).unwrap(), "there");
    }

    #[test]
    fn where_nothing_can_be_written_nothing_is() {
        let folder = tempfile::tempdir().unwrap();
        assert!(write(folder.path(), "x").is_err());
        assert!(write(&folder.path().join("no/x"), "x").is_err());
        assert!(names(folder.path()).is_empty());
    }
}
