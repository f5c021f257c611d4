//! Sessions: the commands of the prompt, done by a program.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use situ_console::{Command, Console, Files, NewFile, normal, utf8_text};

use crate::error::{Refusal, working};
use crate::interrupt::Watch;
use crate::setup::{Options, engine};

/// A session with a table.
#[pyclass(frozen, module = "situ._situ")]
#[derive(Debug)]
pub(crate) struct Live(Mutex<Console>);

/// The files of a table, as it was read, before those of the disk.
#[derive(Debug)]
struct OwnFirst {
    own: HashMap<PathBuf, Vec<u8>>,
    disk: Arc<dyn Files>,
}

impl Files for OwnFirst {
    fn read(&self, path: &Path) -> io::Result<String> {
        match self.own.get(&normal(path)) {
            Some(text) => utf8_text(text.clone()),
            None => self.disk.read(path),
        }
    }

    fn read_bytes(&self, path: &Path) -> io::Result<Vec<u8>> {
        match self.own.get(&normal(path)) {
            Some(file) => Ok(file.clone()),
            None => self.disk.read_bytes(path),
        }
    }

    fn create(&self, path: &Path) -> io::Result<Box<dyn NewFile>> {
        self.disk.create(path)
    }

    fn claim(&self, what: &str, path: &Path, read: &[&Path]) -> Result<(), String> {
        self.disk.claim(what, path, read)
    }

    fn list(&self, folder: &Path) -> Vec<(String, bool)> {
        self.disk.list(folder)
    }
}

/// The commands of the prompt: name, usage, description and help.
#[pyfunction]
pub(crate) fn commands() -> Vec<(&'static str, &'static str, String, String)> {
    let all = situ_console::commands();
    let about =
        |command: &'static Command| (command.name, command.usage, command.about(), command.help());
    all.map(about).collect()
}

#[pymethods]
impl Live {
    /// A session whose table has these texts, and these files of its lookups.
    #[new]
    #[pyo3(signature = (texts, files, engine_name = None))]
    fn new(
        texts: Vec<(String, String)>,
        files: Vec<(String, PyBackedBytes)>,
        engine_name: Option<String>,
    ) -> PyResult<Self> {
        let options = Options {
            engine: engine_name,
            ..Options::default()
        };
        let engine = engine(&options)?.engine;
        let texts = texts.into_iter();
        let texts = texts.map(|(name, text)| (name, text.into_bytes()));
        let files = files.into_iter().map(|(name, file)| (name, file.to_vec()));
        let files = OwnFirst {
            own: texts
                .chain(files)
                .map(|(name, file)| (normal(Path::new(&name)), file))
                .collect(),
            disk: situ_repl::disk(),
        };
        let console = situ_repl::console_over(Arc::new(files), engine);
        let console = console.map_err(|error| Refusal::Value(error.to_string()))?;
        Ok(Self(Mutex::new(console)))
    }

    /// Does what a line says: text and data of the reply, and whether it failed.
    fn execute(&self, py: Python<'_>, line: &str) -> PyResult<(String, String, bool)> {
        let (reply, raised) = working(py, || {
            let mut console = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let mut watch = Watch::begin();
            let reply = console.execute(line, &mut watch);
            (reply, watch.raised)
        })?;
        match raised {
            Some(error) => Err(error),
            None => Ok((reply.text, reply.data.to_string(), reply.failed)),
        }
    }

    /// The present value of a name, as JSON; `None` if the table has no such name.
    fn value(&self, py: Python<'_>, name: &str) -> PyResult<Option<String>> {
        let value = working(py, || {
            let mut console = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            console.value(name)
        })?;
        Ok(value.map(|value| value.to_string()))
    }

    /// The time, and that of the table's stop.
    fn time(&self, py: Python<'_>) -> PyResult<(f64, Option<f64>)> {
        working(py, || {
            let mut console = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            (console.time(), console.stop())
        })
    }
}
