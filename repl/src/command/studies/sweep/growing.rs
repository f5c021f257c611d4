//! Files of a sweep while they grow: beside their target, so that what is there stays until the sweep is over, and
//! found again if the sweep is broken off, however that happens.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use situ_words::say;

use crate::command::Failure;
use crate::command::io::files::{self, Lock, LockError};

/// The end of the names of files that grow: `.runs.csv.Xa8Kq2.sweep`.
const ENDING: &str = ".sweep";

/// True if a file is one that was left while it grew, and may be put in order.
#[cfg(feature = "parquet")]
pub(super) fn is_part(path: &Path) -> bool {
    path.to_string_lossy().ends_with(ENDING)
}

/// The place of a sweep's file, which nobody else writes.
#[derive(Debug)]
pub(super) struct Place {
    target: PathBuf,
    /// Files that earlier sweeps that were broken off have left beside it.
    left: Vec<PathBuf>,
    /// Nothing of a device or a pipe can be locked, left or replaced.
    lock: Option<Lock>,
}

/// A file that grows.
#[derive(Debug)]
pub(super) struct Growing {
    place: Place,
    part: PathBuf,
    /// True if a part of the runs may take the place of what is at the target: nothing is, or all of that
    /// is in the part.
    may_replace: bool,
}

impl Place {
    /// Takes the place of a file.
    ///
    /// # Errors
    ///
    /// Another program is writing it; there can be no such file.
    pub(super) fn of(path: &Path) -> Result<Self, Failure> {
        let name = path.display().to_string();
        let unwritten = |error: io::Error| Failure::writing(&format!("`{name}`"), &error);
        let mut place = Self {
            target: path.to_owned(),
            left: Vec::new(),
            lock: None,
        };
        if fs::metadata(path).is_ok_and(|there| !there.is_file()) {
            return Ok(place);
        }
        let lock = Lock::of(path).map_err(|error| match error {
            LockError::Held(holder) => Failure::Run(say!(
                "sweep-being-written",
                name,
                holder = holder.to_string()
            )),
            LockError::System(error) => unwritten(error),
        });
        place.lock = Some(lock?);
        place.target = files::followed(path).map_err(unwritten)?;
        place.left = files::left_beside(&place.target, ENDING).map_err(unwritten)?;
        Ok(place)
    }

    /// The files in which there may be runs already: the target last.
    fn earlier(&self) -> impl Iterator<Item = &Path> {
        let target = Some(&self.target).filter(|target| target.is_file());
        self.left.iter().chain(target).map(PathBuf::as_path)
    }

    /// True if a file is the target and not one that was left beside it.
    pub(super) fn is_target(&self, path: &Path) -> bool {
        self.target == path
    }

    /// The earlier file with the most runs; `read` says how many one has.
    ///
    /// # Errors
    ///
    /// What is at the target cannot be gone on with, and nothing else can.
    pub(super) fn most(
        &self,
        read: &mut dyn FnMut(&Path) -> Result<u64, Failure>,
    ) -> Result<Option<(PathBuf, u64)>, Failure> {
        let mut most: Option<(PathBuf, u64)> = None;
        let mut refused = None;
        for path in self.earlier() {
            let is_target = self.is_target(path);
            let before = most.as_ref().map_or(0, |(_, before)| *before);
            match read(path) {
                // What is at the target is gone on with even if there is no run in it.
                Ok(runs) if runs >= before.max(u64::from(!is_target)) => {
                    most = Some((path.to_owned(), runs));
                }
                Err(failure) if is_target => refused = Some(failure),
                // What another sweep has left is not for this one.
                _ => {}
            }
        }
        match (most, refused) {
            (None, Some(refused)) => Err(refused),
            (most, _) => Ok(most),
        }
    }

    /// Begins a file that will take the place; `behind`: the one whose runs it takes over.
    ///
    /// # Errors
    ///
    /// There can be no such file.
    pub(super) fn grow(self, behind: Option<&Path>) -> io::Result<(File, Growing)> {
        if self.lock.is_none() {
            let stream = OpenOptions::new().write(true).open(&self.target)?;
            let growing = Growing {
                part: self.target.clone(),
                place: self,
                may_replace: false,
            };
            return Ok((stream, growing));
        }
        let may_replace = match behind {
            Some(behind) => self.is_target(behind),
            None => false,
        };
        let (file, part) = files::beside(&self.target, ENDING)?.keep()?;
        let growing = Growing {
            may_replace: may_replace || !self.target.exists(),
            part,
            place: self,
        };
        Ok((file, growing))
    }
}

impl Growing {
    /// All of an earlier file is on the disk in this one.
    pub(super) fn has_taken(&mut self, earlier: &Path) {
        if !self.place.is_target(earlier) {
            self.place.left.retain(|left| left != earlier);
            // One that stays is read again when it is looked for.
            let _ = fs::remove_file(earlier);
        }
    }

    /// Gives the file its name, if all runs are in it, or if that costs nothing; else it is left where
    /// `--resume` finds it.
    ///
    /// Result: whether it has its name.
    ///
    /// # Errors
    ///
    /// It does not get onto the disk.
    pub(super) fn finish(self, file: &File, is_whole: bool) -> io::Result<bool> {
        if self.place.lock.is_none() {
            return Ok(true);
        }
        file.sync_all()?;
        if !(is_whole || self.may_replace) {
            return Ok(false);
        }
        fs::rename(&self.part, &self.place.target)?;
        files::sync_folder(&self.place.target);
        if is_whole {
            for left in &self.place.left {
                // What was left is in nobody's way.
                let _ = fs::remove_file(left);
            }
        }
        Ok(true)
    }
}
