//! The files of a session, wherever they are: on a disk, in a page, in memory.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

pub use situ_rules::encoding::utf8_text;
use situ_views::columns::csv::Sink;
use situ_words::say;

/// Files that commands read and write.
pub trait Files: Debug + Send + Sync {
    /// The text of a file.
    ///
    /// # Errors
    ///
    /// It cannot be read, or is no text.
    fn read(&self, path: &Path) -> io::Result<String>;

    /// The bytes of a file.
    ///
    /// # Errors
    ///
    /// It cannot be read.
    fn read_bytes(&self, path: &Path) -> io::Result<Vec<u8>>;

    /// The bytes of a file that is only compared with what is known of it: it does not count as read.
    ///
    /// # Errors
    ///
    /// As [`Files::read_bytes`].
    fn peek(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.read_bytes(path)
    }

    /// Begins a file that will stand at a path.
    ///
    /// # Errors
    ///
    /// It cannot be written.
    fn create(&self, path: &Path) -> io::Result<Box<dyn NewFile>>;

    /// Holds a file that a command is to write against those that it reads, before it does anything.
    ///
    /// Shapes: `what`: how messages name what is written.
    ///
    /// # Errors
    ///
    /// It is one of them, or cannot be written; in words.
    fn claim(&self, what: &str, path: &Path, read: &[&Path]) -> Result<(), String>;

    /// The names of what is in a folder, and whether each is a folder; nothing if it cannot be read.
    fn list(&self, folder: &Path) -> Vec<(String, bool)>;
}

/// A file in the making: it takes its name when all of it is there.
pub trait NewFile: Sink {
    /// Gives the file its name.
    ///
    /// # Errors
    ///
    /// It cannot be kept; what was there before is then still there.
    fn commit(self: Box<Self>) -> io::Result<()>;
}

/// Files in memory.
///
/// ```
/// use std::sync::Arc;
///
/// use situ_console::{Console, MemoryFiles};
///
/// let files = MemoryFiles::default();
/// files.put("decay.ron", r#"(format: 1, clock: (step: 0.1, stop: 1), reals: {"x": 1},
///     relations: ["x = integral(-x)"])"#);
/// let mut console = Console::new(Arc::new(files.clone()));
/// assert!(!console.execute("load decay.ron", &mut ()).failed);
/// console.execute("run", &mut ());
/// console.execute("export decay.csv x", &mut ());
/// assert_eq!(files.get("decay.csv").map(|rows| rows.lines().count()), Some(12));
/// ```
#[derive(Clone, Debug, Default)]
pub struct MemoryFiles(Arc<Mutex<BTreeMap<PathBuf, Vec<u8>>>>);

impl MemoryFiles {
    /// Puts a file.
    pub fn put(&self, path: impl AsRef<Path>, bytes: impl Into<Vec<u8>>) {
        self.all().insert(normal(path.as_ref()), bytes.into());
    }

    /// The text of a file, if it is there.
    pub fn get(&self, path: impl AsRef<Path>) -> Option<String> {
        self.read(path.as_ref()).ok()
    }

    fn all(&self) -> MutexGuard<'_, BTreeMap<PathBuf, Vec<u8>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Files for MemoryFiles {
    fn read(&self, path: &Path) -> io::Result<String> {
        let bytes = self.all().get(&normal(path)).cloned();
        let bytes = bytes.ok_or(io::ErrorKind::NotFound)?;
        utf8_text(bytes)
    }

    fn read_bytes(&self, path: &Path) -> io::Result<Vec<u8>> {
        let bytes = self.all().get(&normal(path)).cloned();
        bytes.ok_or(io::ErrorKind::NotFound.into())
    }

    fn create(&self, path: &Path) -> io::Result<Box<dyn NewFile>> {
        Ok(Box::new(InMemory {
            files: self.clone(),
            path: normal(path),
            bytes: Vec::new(),
        }))
    }

    fn claim(&self, what: &str, path: &Path, read: &[&Path]) -> Result<(), String> {
        match read.iter().any(|other| normal(other) == normal(path)) {
            true => Err(say!(
                "console-would-write-over",
                what,
                path = path.display().to_string()
            )),
            false => Ok(()),
        }
    }

    fn list(&self, folder: &Path) -> Vec<(String, bool)> {
        let folder = normal(folder);
        let mut entries: Vec<(String, bool)> = Vec::new();
        for path in self.all().keys() {
            let Ok(inside) = path.strip_prefix(&folder) else {
                continue;
            };
            let mut parts = inside.components();
            let name = parts.next();
            let is_folder = parts.next().is_some();
            let name = name.map(|name| name.as_os_str().to_string_lossy().into_owned());
            entries.extend(name.map(|name| (name, is_folder)));
        }
        entries.dedup();
        entries
    }
}

/// A file of [`MemoryFiles`] in the making.
#[derive(Debug)]
struct InMemory {
    files: MemoryFiles,
    path: PathBuf,
    bytes: Vec<u8>,
}

impl io::Write for InMemory {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bytes.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Sink for InMemory {
    fn cut(&mut self, length: u64) -> io::Result<()> {
        self.bytes
            .truncate(usize::try_from(length).unwrap_or(usize::MAX));
        Ok(())
    }
}

impl NewFile for InMemory {
    fn commit(self: Box<Self>) -> io::Result<()> {
        self.files.all().insert(self.path, self.bytes);
        Ok(())
    }
}

/// Writes a whole file.
pub(crate) fn write(files: &dyn Files, path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = files.create(path)?;
    file.write_all(bytes)?;
    file.commit()
}

/// The path without `.`, unless it is nothing else, and without `..` where that can be told from the path alone, so that a
/// file has one name however it is reached.
pub fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for component in path.components() {
        match (component, normal.components().next_back()) {
            (Component::CurDir, _) => {}
            (Component::ParentDir, Some(Component::Normal(_))) => {
                normal.pop();
            }
            _ => normal.push(component),
        }
    }
    if normal.as_os_str().is_empty() && !path.as_os_str().is_empty() {
        normal.push(Component::CurDir);
    }
    normal
}

/// A path as it reads from a directory, if that can be told from the names alone.
pub fn relative(path: &Path, from: &Path) -> PathBuf {
    let present = from.as_os_str().is_empty();
    let from = if present { Path::new(".") } else { from };
    let (path, from) = (normal(path), normal(from));
    let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let (path, from) = (normal(&absolute(&path)), normal(&absolute(&from)));
    let common = path
        .components()
        .zip(from.components())
        .take_while(|(a, b)| a == b)
        .count();
    let mut out = PathBuf::new();
    for _ in from.components().skip(common) {
        out.push("..");
    }
    out.extend(path.components().skip(common));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_one_name() {
        for (path, expected) in [
            ("./a.ron", "a.ron"),
            (".", "."),
            ("a/..", "."),
            ("", ""),
            (
                "scenarios/cart/../hoop/table.ron",
                "scenarios/hoop/table.ron",
            ),
            ("../a/./b.ron", "../a/b.ron"),
            ("../../a.ron", "../../a.ron"),
            ("/x/../a.ron", "/a.ron"),
        ] {
            assert_eq!(normal(Path::new(path)), Path::new(expected));
        }
    }

    #[test]
    fn paths_read_from_another_directory() {
        for (path, from, expected) in [
            ("/a/b/c.ron", "/a/b", "c.ron"),
            ("/a/b/c.ron", "/a/d/e", "../../b/c.ron"),
            ("/a/./x/../c.ron", "/a", "c.ron"),
            ("b/c.ron", "", "b/c.ron"),
            ("c.ron", "b", "../c.ron"),
        ] {
            assert_eq!(
                relative(Path::new(path), Path::new(from)),
                Path::new(expected)
            );
        }
    }
}
