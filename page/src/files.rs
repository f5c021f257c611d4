//! The part of the disk that a page sees: a folder and what is below it.
//!
//! A path that leads out, by `..`, from the root of the disk or over a link, is refused. A file is written beside its
//! place and renamed, and never over one that is not as this session has read or written it.

use std::collections::HashMap;
use std::fs;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use sha2::{Digest, Sha256};
use situ_console::{Files, NewFile, utf8_text};
use situ_views::columns::csv::Sink;
use situ_words::say;
use tempfile::NamedTempFile;

/// Longest file that is read [bytes].
const MOST_BYTES: u64 = 256 << 20;

/// Deepest folder in which tables are looked for.
const DEEPEST: usize = 4;

/// Most tables that are listed.
const MOST_TABLES: usize = 500;

/// Folders in which nobody keeps tables.
const PASSED_OVER: [&str; 2] = ["target", "node_modules"];

/// So many folders above that of a table its page sees at most: a table that names any file of the disk opens no door.
const MOST_ABOVE: usize = 2;

/// The hash of what a file holds.
type Hash = [u8; 32];

/// The files below a folder.
#[derive(Clone, Debug)]
pub struct Rooted {
    root: PathBuf,
    /// What each file held when it was read or written last.
    known: Arc<Mutex<HashMap<PathBuf, Hash>>>,
}

impl Rooted {
    /// For a folder.
    ///
    /// # Errors
    ///
    /// There is none of that name.
    pub fn new(folder: &Path) -> io::Result<Self> {
        Ok(Self {
            root: folder.canonicalize()?,
            known: Arc::default(),
        })
    }

    /// The tables below the folder, as paths from it, in order.
    pub fn tables(&self) -> Vec<String> {
        let mut found = Vec::new();
        let mut folders = vec![(self.root.clone(), 0)];
        while let Some((folder, depth)) = folders.pop() {
            for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
                let path = entry.path();
                let (Ok(kind), Ok(name)) = (entry.file_type(), entry.file_name().into_string())
                else {
                    continue;
                };
                let is_passed_over = name.starts_with('.') || PASSED_OVER.contains(&&*name);
                if kind.is_dir() && depth < DEEPEST && !is_passed_over {
                    folders.push((path, depth + 1));
                } else if kind.is_file()
                    && name.ends_with(".ron")
                    && let Some(below) = path.strip_prefix(&self.root).ok().and_then(Path::to_str)
                {
                    found.push(below.replace('\\', "/"));
                }
            }
            if found.len() >= MOST_TABLES {
                break;
            }
        }
        found.sort();
        found.truncate(MOST_TABLES);
        found
    }

    /// A path that exists, without links.
    fn existing(&self, path: &Path) -> io::Result<PathBuf> {
        let full = self.root.join(path).canonicalize()?;
        match full.starts_with(&self.root) {
            true => Ok(full),
            false => Err(outside()),
        }
    }

    /// A path at which a file may be put, without links.
    fn target(&self, path: &Path) -> io::Result<PathBuf> {
        let full = self.root.join(path);
        if full.symlink_metadata().is_ok() {
            // A link that leads nowhere is refused with the rest.
            return self.existing(path);
        }
        let (Some(folder), Some(name)) = (full.parent(), full.file_name()) else {
            return Err(outside());
        };
        Ok(self.existing(folder)?.join(name))
    }

    /// What a file holds, with its place without links.
    fn bytes(&self, path: &Path) -> io::Result<(PathBuf, Vec<u8>)> {
        let full = self.existing(path)?;
        let mut bytes = Vec::new();
        let n_bytes = opened(&full)?
            .take(MOST_BYTES + 1)
            .read_to_end(&mut bytes)?;
        if n_bytes as u64 > MOST_BYTES {
            return Err(io::Error::new(
                io::ErrorKind::FileTooLarge,
                say!("page-file-too-long"),
            ));
        }
        Ok((full, bytes))
    }

    fn remember(&self, path: PathBuf, hash: Hash) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.insert(path, hash);
    }

    /// True if there is no file at a path, or one that is as this session knows it.
    fn is_as_known(&self, path: &Path) -> io::Result<bool> {
        let mut file = match opened(path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(true),
            Err(error) => return Err(error),
        };
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        let now = Hash::from(Sha256::digest(bytes));
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(known.get(path) == Some(&now))
    }
}

/// A file, open for reading; a pipe or a folder is none.
fn opened(path: &Path) -> io::Result<fs::File> {
    match path.metadata()?.is_file() {
        true => fs::File::open(path),
        false => Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            say!("page-not-a-file"),
        )),
    }
}

/// The deepest folder that holds a table and the tables that it builds on, and the table's path from there.
///
/// Shapes: `others`: those tables; what cannot be found or lies too far away is left for the page to tell.
///
/// # Errors
///
/// The table cannot be found, or its path is no text.
pub fn folder_of<'a>(
    table: &Path,
    others: impl IntoIterator<Item = &'a Path>,
) -> io::Result<(PathBuf, String)> {
    let table = table.canonicalize()?;
    let own = table.parent().unwrap_or(&table);
    let mut folder = own;
    for other in others {
        let Ok(other) = other.canonicalize() else {
            continue;
        };
        let mut above = own.ancestors().take(1 + MOST_ABOVE);
        let common = above.find(|above| other.starts_with(above));
        folder = common
            .filter(|common| folder.starts_with(common))
            .unwrap_or(folder);
    }
    let below = table.strip_prefix(folder).ok().and_then(Path::to_str);
    let below = below.ok_or(io::ErrorKind::InvalidFilename)?;
    Ok((folder.to_owned(), below.replace('\\', "/")))
}

fn outside() -> io::Error {
    io::Error::new(io::ErrorKind::PermissionDenied, say!("page-outside"))
}

fn changed() -> io::Error {
    io::Error::new(io::ErrorKind::AlreadyExists, say!("page-changed"))
}

impl Files for Rooted {
    fn read(&self, path: &Path) -> io::Result<String> {
        utf8_text(self.read_bytes(path)?)
    }

    fn peek(&self, path: &Path) -> io::Result<Vec<u8>> {
        Ok(self.bytes(path)?.1)
    }

    fn read_bytes(&self, path: &Path) -> io::Result<Vec<u8>> {
        let (full, bytes) = self.bytes(path)?;
        self.remember(full, Sha256::digest(&bytes).into());
        Ok(bytes)
    }

    fn create(&self, path: &Path) -> io::Result<Box<dyn NewFile>> {
        let target = self.target(path)?;
        if !self.is_as_known(&target)? {
            return Err(changed());
        }
        let folder = target.parent().ok_or_else(outside)?;
        let mut builder = tempfile::Builder::new();
        builder.prefix(".situ-");
        #[cfg(unix)]
        let builder = {
            use std::os::unix::fs::PermissionsExt;
            // As any new file; the user's mask takes away what it should not have.
            builder.permissions(fs::Permissions::from_mode(0o666))
        };
        let temporary = builder.tempfile_in(folder)?;
        if let Ok(there) = target.metadata() {
            temporary.as_file().set_permissions(there.permissions())?;
        }
        Ok(Box::new(Unplaced {
            files: self.clone(),
            target,
            temporary,
        }))
    }

    fn claim(&self, what: &str, path: &Path, read: &[&Path]) -> Result<(), String> {
        let target = self.target(path).map_err(|error| {
            let error = error.to_string();
            say!("page-cannot-write", what, path = path.display(), error)
        })?;
        let is_read = |other: &&&Path| self.existing(other).is_ok_and(|other| other == target);
        match read.iter().find(is_read) {
            Some(_) => Err(say!("page-would-write-over", what, path = path.display())),
            None => Ok(()),
        }
    }

    fn list(&self, folder: &Path) -> Vec<(String, bool)> {
        let Ok(folder) = self.existing(folder) else {
            return Vec::new();
        };
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        let named = entries.filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            Some((name, entry.file_type().ok()?.is_dir()))
        });
        named.collect()
    }
}

/// A file that has not its name yet.
#[derive(Debug)]
struct Unplaced {
    files: Rooted,
    target: PathBuf,
    temporary: NamedTempFile,
}

impl Write for Unplaced {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.temporary.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.temporary.flush()
    }
}

impl Sink for Unplaced {
    fn cut(&mut self, length: u64) -> io::Result<()> {
        self.temporary.as_file_mut().cut(length)
    }
}

impl NewFile for Unplaced {
    fn commit(mut self: Box<Self>) -> io::Result<()> {
        let file = self.temporary.as_file_mut();
        file.sync_all()?;
        file.seek(SeekFrom::Start(0))?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        let hash: Hash = Sha256::digest(bytes).into();
        if !self.files.is_as_known(&self.target)? {
            return Err(changed());
        }
        self.temporary.persist(&self.target)?;
        self.files.remember(self.target, hash);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(files: &Rooted, path: &str, text: &str) -> io::Result<()> {
        let mut file = files.create(Path::new(path))?;
        file.write_all(text.as_bytes())?;
        file.commit()
    }

    #[test]
    fn a_table_is_opened_with_what_it_builds_on() {
        let disk = tempfile::tempdir().unwrap();
        let at = |path: &str| disk.path().join(path);
        fs::create_dir_all(at("a/b/c/d")).unwrap();
        fs::create_dir_all(at("a/b/other")).unwrap();
        for file in [
            "a/far.ron",
            "a/b/other/base.ron",
            "a/b/c/t.ron",
            "a/b/c/d/t.ron",
        ] {
            fs::write(at(file), "(format: 1)").unwrap();
        }
        let seen = |table: &str, others: &[&str]| {
            let others: Vec<PathBuf> = others.iter().map(|other| at(other)).collect();
            let (folder, table) = folder_of(&at(table), others.iter().map(|it| &**it)).unwrap();
            let root = disk.path().canonicalize().unwrap();
            let folder = folder.strip_prefix(root).unwrap().to_str().unwrap();
            (folder.to_owned(), table)
        };
        let own = |folder: &str, table: &str| (folder.to_owned(), table.to_owned());
        let table = "a/b/c/t.ron";
        assert_eq!(seen(table, &[]), own("a/b/c", "t.ron"));
        assert_eq!(seen(table, &["nowhere.ron"]), own("a/b/c", "t.ron"));
        let others = ["a/b/other/base.ron", "a/b/c/d/t.ron"];
        assert_eq!(seen(table, &others), own("a/b", "c/t.ron"));
        assert_eq!(seen(table, &["a/far.ron"]), own("a", "b/c/t.ron"));
        assert_eq!(
            seen("a/b/c/d/t.ron", &["a/far.ron"]),
            own("a/b/c/d", "t.ron")
        );
    }

    #[test]
    fn nothing_leads_out_of_the_folder() {
        let disk = tempfile::tempdir().unwrap();
        let (inner, outer) = (disk.path().join("open"), disk.path().join("secret"));
        fs::create_dir_all(inner.join("deep")).unwrap();
        fs::create_dir(&outer).unwrap();
        fs::write(outer.join("key.ron"), "(secret)").unwrap();
        fs::write(inner.join("deep/table.ron"), "(open)").unwrap();
        #[cfg(unix)]
        {
            use std::os::unix::fs::symlink;
            symlink(&outer, inner.join("link")).unwrap();
            symlink(outer.join("key.ron"), inner.join("key.ron")).unwrap();
            symlink(outer.join("none.ron"), inner.join("none.ron")).unwrap();
            symlink("deep", inner.join("near")).unwrap();
        }
        let files = Rooted::new(&inner).unwrap();
        let absolute = outer.join("key.ron");
        let out = [
            "../secret/key.ron",
            "deep/../../secret/key.ron",
            "link/key.ron",
            "key.ron",
            "none.ron",
            absolute.to_str().unwrap(),
        ];
        for path in out {
            let path = Path::new(path);
            assert!(files.read(path).is_err(), "{}", path.display());
            assert!(files.create(path).is_err(), "{}", path.display());
            assert!(files.claim("`save`", path, &[]).is_err());
        }
        for path in ["../new.ron", "link/new.ron", "/new.ron", "..", "deep"] {
            assert!(files.create(Path::new(path)).is_err(), "{path}");
        }
        assert!(files.list(Path::new("..")).is_empty() && files.list(Path::new("link")).is_empty());
        assert_eq!(files.read(Path::new("deep/table.ron")).unwrap(), "(open)");
        let inside = inner.canonicalize().unwrap().join("deep/table.ron");
        assert_eq!(files.read(&inside).unwrap(), "(open)");
        #[cfg(unix)]
        assert_eq!(files.read(Path::new("near/table.ron")).unwrap(), "(open)");
        assert_eq!(files.tables(), ["deep/table.ron"]);
        assert_eq!(fs::read(absolute).unwrap(), b"(secret)");
    }

    /// A pipe that nobody writes to is not waited for.
    #[cfg(unix)]
    #[test]
    fn nothing_is_written_over_a_pipe() {
        let disk = tempfile::tempdir().unwrap();
        let pipe = disk.path().join("pipe.csv");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.unwrap().success());
        let files = Rooted::new(disk.path()).unwrap();
        assert!(write(&files, "pipe.csv", "t\n").is_err());
        assert!(files.read(Path::new("pipe.csv")).is_err());
    }

    #[test]
    fn a_file_that_has_changed_is_left_alone() {
        let disk = tempfile::tempdir().unwrap();
        let path = disk.path().join("table.ron");
        fs::write(&path, "(one)").unwrap();
        let files = Rooted::new(disk.path()).unwrap();
        // It was never read.
        assert!(write(&files, "table.ron", "(new)").is_err());
        files.read(Path::new("table.ron")).unwrap();
        write(&files, "table.ron", "(two)").unwrap();
        write(&files, "table.ron", "(three)").unwrap();
        fs::write(&path, "(theirs)").unwrap();
        assert!(write(&files, "table.ron", "(four)").is_err());
        // It changes between the two.
        files.read(Path::new("table.ron")).unwrap();
        let mut file = files.create(Path::new("table.ron")).unwrap();
        file.write_all(b"(five)").unwrap();
        fs::write(&path, "(theirs again)").unwrap();
        assert!(file.commit().is_err());
        assert_eq!(fs::read_to_string(&path).unwrap(), "(theirs again)");
        write(&files, "new.csv", "t\n").unwrap();
        assert_eq!(
            fs::read_dir(disk.path()).unwrap().count(),
            2,
            "nothing is left behind"
        );
    }
}
