//! Locks: while one program grows a file no other one does.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

use super::claims::followed;

/// Says that somebody is writing a file, until it is dropped or the program ends, however it ends.
///
/// A file beside the one that is written (`.runs.csv.lock`) is locked by the system and holds the number of the
/// process, for messages. It is gone when nobody writes.
#[derive(Debug)]
pub(in crate::command) struct Lock {
    file: File,
    path: PathBuf,
}

/// Why there is no lock.
#[derive(Debug)]
pub(in crate::command) enum LockError {
    /// Another process has it, whose number this is.
    Held(String),
    /// The system does not give it.
    System(io::Error),
}

impl From<io::Error> for LockError {
    fn from(error: io::Error) -> Self {
        Self::System(error)
    }
}

impl Lock {
    /// Takes the lock of a file that is to be written.
    ///
    /// # Errors
    ///
    /// Somebody else has it, or there can be none.
    pub(in crate::command) fn of(target: &Path) -> Result<Self, LockError> {
        let target = followed(target)?;
        let no_name = || io::Error::from(io::ErrorKind::InvalidFilename);
        let name = target.file_name().ok_or_else(no_name)?;
        let mut hidden = std::ffi::OsString::from(".");
        hidden.push(name);
        hidden.push(".lock");
        let path = target.with_file_name(hidden);
        loop {
            let mut file = open(&path)?;
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => {
                    let mut holder = String::new();
                    // A number that cannot be read is one that nobody is told.
                    let _ = file.take(20).read_to_string(&mut holder);
                    return Err(LockError::Held(holder.trim().to_owned()));
                }
                Err(TryLockError::Error(error)) => return Err(error.into()),
            }
            // Whoever had it may have taken the file away since it was opened.
            if !is_at(&file, &path) {
                continue;
            }
            file.set_len(0)?;
            file.rewind()?;
            write!(file, "{}", std::process::id())?;
            return Ok(Self { file, path });
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        if is_at(&self.file, &self.path) {
            // A file that stays is locked by nobody.
            let _ = fs::remove_file(&self.path);
        }
    }
}

fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.custom_flags(rustix::fs::OFlags::NOFOLLOW.bits().cast_signed());
    }
    options.open(path)
}

#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    match (file.metadata(), fs::symlink_metadata(path)) {
        (Ok(open), Ok(there)) => (open.dev(), open.ino()) == (there.dev(), there.ino()),
        _ => false,
    }
}

/// Variant for systems on which open files cannot be taken away.
#[cfg(not(unix))]
fn is_at(_: &File, path: &Path) -> bool {
    path.exists()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_has_it_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("runs.csv");
        let lock = Lock::of(&target).unwrap();
        match Lock::of(&target) {
            Err(LockError::Held(holder)) => assert_eq!(holder, std::process::id().to_string()),
            other => panic!("{other:?}"),
        }
        assert!(Lock::of(&folder.path().join("other.csv")).is_ok());
        drop(lock);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        // One that was left by a program that was killed.
        fs::write(folder.path().join(".runs.csv.lock"), "1").unwrap();
        assert!(Lock::of(&target).is_ok());
    }

    #[test]
    fn many_that_want_it_get_it_one_after_the_other() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("runs.csv");
        let inside = std::sync::atomic::AtomicUsize::new(0);
        let count = |step: isize| {
            let order = std::sync::atomic::Ordering::SeqCst;
            inside.fetch_add(step.cast_unsigned(), order)
        };
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let mut had = 0;
                    while had < 50 {
                        if let Ok(lock) = Lock::of(&target) {
                            assert_eq!(count(1), 0);
                            assert_eq!(count(-1), 1);
                            had += 1;
                            drop(lock);
                        }
                    }
                });
            }
        });
    }
}
