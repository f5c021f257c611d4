//! Tables, and what options make of them.

use std::path::PathBuf;
use std::sync::Arc;

use pyo3::exceptions::{PyOSError, PyTypeError};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBool, PyBytes, PyDict, PyString};
use serde_json::json;
use situ_engine::model::{Boolean, Input, Model, Quantity};
use situ_rules::check::{Budget, check_with};
use situ_rules::{DataFile, Loaded, Loader, TableText};
use situ_sweep::sizing_constants;

use crate::error::{Refusal, Reports, raise, working};
use crate::past::Past;
use crate::run::Run;
use crate::setup::{self, Options, Ready};

/// A table that was read, immutable.
#[pyclass(frozen, module = "situ._situ")]
#[derive(Debug)]
pub(crate) struct Table {
    pub(crate) loaded: Arc<Loaded>,
}

/// Reads the table of a file and those that it extends.
#[pyfunction]
pub(crate) fn read(py: Python<'_>, path: PathBuf) -> PyResult<Table> {
    let loaded = working(py, || situ_repl::load(&path))?;
    let loaded = loaded.map_err(|error| match error.raw_os_error() {
        // With its number it becomes FileNotFoundError and the like.
        Some(number) => PyOSError::new_err((number, error.to_string(), path)),
        None => PyOSError::new_err(format!("cannot read {}: {error}", path.display())),
    })?;
    Table::new(loaded)
}

/// Reads a text as a table, and the files that it extends.
#[pyfunction]
pub(crate) fn read_text(py: Python<'_>, name: &str, text: &str) -> PyResult<Table> {
    Table::new(working(py, || situ_repl::loads(name, text))?)
}

impl Table {
    fn new(loaded: Loaded) -> PyResult<Self> {
        setup::loaded(&loaded)?;
        let loaded = Arc::new(loaded);
        Ok(Self { loaded })
    }

    pub(crate) fn model(&self) -> &Model {
        self.loaded.model.as_ref().expect("a table has a model")
    }
}

fn options(json: &str) -> PyResult<Options> {
    let options = serde_json::from_str(json);
    options.map_err(|error| PyTypeError::new_err(error.to_string()))
}

#[pymethods]
impl Table {
    /// The table of texts: its own and those that it extends or has as parts, as they were read, and of the files of its
    /// lookups, each with its name.
    #[staticmethod]
    fn of_texts(
        py: Python<'_>,
        texts: Vec<(String, String)>,
        files: Vec<(String, PyBackedBytes)>,
    ) -> PyResult<Self> {
        let files = files.into_iter().map(|(name, bytes)| DataFile {
            name,
            bytes: bytes.to_vec(),
        });
        let files = files.collect();
        Self::new(working(py, || of_texts(texts, files))?)
    }

    /// The files of its lookups, each with its name.
    fn files<'py>(&self, py: Python<'py>) -> Vec<(String, Bound<'py, PyBytes>)> {
        let mut files: Vec<_> = self.loaded.data.files().collect();
        files.sort_unstable_by_key(|file| &file.name);
        files.dedup_by_key(|file| &file.name);
        let files = files.into_iter();
        let files = files.map(|file| (file.name.clone(), PyBytes::new(py, &file.bytes)));
        files.collect()
    }

    /// Its own text and those that it extends or has as parts, each with its name.
    fn texts(&self) -> Vec<(String, String)> {
        let texts = self.loaded.sources.iter();
        let texts = texts.map(|source| (source.name.clone(), source.text.clone()));
        texts.collect()
    }

    /// Names of the constants that decide how many elements its families have.
    fn sizing(&self) -> Vec<String> {
        let model = self.model();
        let names = sizing_constants(model).into_iter();
        names
            .map(|id| model.constants[id.index()].name.clone())
            .collect()
    }

    /// What reading it and a check have found: a text and JSON.
    fn check(&self, py: Python<'_>) -> PyResult<(String, String)> {
        working(py, || {
            let Loaded {
                sources,
                origins,
                diagnostics,
                ..
            } = &*self.loaded;
            let mut found = diagnostics.clone();
            found.extend(check_with(
                self.model(),
                origins,
                self.loaded.watchers(),
                Budget::BRIEF,
            ));
            let loud: Vec<_> = (found.iter().filter(|found| setup::is_loud(found)))
                .cloned()
                .collect();
            let Reports { json, .. } = Reports::new(&found, sources);
            (Reports::new(&loud, sources).text, json)
        })
    }

    /// What stands in it, as JSON.
    fn content(&self) -> String {
        content(self.model()).to_string()
    }

    /// Applies options, which are JSON.
    fn prepare(&self, py: Python<'_>, options_json: &str) -> PyResult<Prepared> {
        let options = options(options_json)?;
        let ready = working(py, || Ready::new(&self.loaded, &options))??;
        Ok(Prepared(Arc::new(ready)))
    }

    /// The text as `situ fmt` lays it out.
    fn formatted(&self, py: Python<'_>) -> PyResult<String> {
        working(py, || {
            let sources = &self.loaded.sources;
            let own = self.loaded.tables.last().map(|table| table.source_id);
            let own = own.ok_or_else(|| Refusal::Value("there is no table".to_owned()))?;
            situ_rules::layout::format(sources, own, None)
                .map_err(|found| Refusal::Table(Reports::new(&found, sources)))
        })?
        .map_err(PyErr::from)
    }
}

/// What was handed over with a table instead of files on a disk.
struct HandedOver {
    texts: Vec<(String, String)>,
    files: Vec<DataFile>,
}

impl Loader for HandedOver {
    fn load(&mut self, path: &str, from: &str) -> Result<TableText, String> {
        let wanted = situ_repl::beside(path, from).display().to_string();
        let found = self.texts.iter().find(|(name, _)| *name == wanted);
        let found = found.map(|(name, text)| TableText {
            name: name.clone(),
            text: text.clone(),
        });
        found.ok_or_else(|| "its text was not handed over".to_owned())
    }

    fn data(&mut self, path: &str, from: &str) -> Result<DataFile, String> {
        let wanted = situ_repl::beside(path, from).display().to_string();
        let found = self.files.iter().find(|file| file.name == wanted);
        found
            .cloned()
            .ok_or_else(|| "it was not handed over".to_owned())
    }
}

/// A table from its own text, those that it extends or has as parts, and the files of its lookups.
pub(crate) fn of_texts(texts: Vec<(String, String)>, files: Vec<DataFile>) -> Loaded {
    let (name, text) = texts.first().cloned().unwrap_or_default();
    situ_rules::load(&name, &text, &mut HandedOver { texts, files })
}

fn content(model: &Model) -> serde_json::Value {
    let words = situ_rules::print::ModelText::of(model);
    let quantity = |one: &Quantity| {
        let mut fields = json!({
            "name": one.name,
            "start": words.expression(one.start),
            "unit": one.unit,
            "about": one.about,
        });
        if let Some(before) = one.before {
            fields["before"] = words.expression(before).into();
        }
        fields
    };
    let switch = |one: &situ_engine::model::Switch| json!({ "name": one.name, "start": one.start, "about": one.about });
    let booleans = model.named_booleans().map(|(name, what)| {
        let kind = match what {
            Boolean::Switch(_) => "switch",
            Boolean::Range(_) => "range",
            _ if model.is_event(what) => "event",
            _ => "situation",
        };
        json!({ "name": name, "kind": kind })
    });
    json!({
        "name": model.name,
        "about": model.about,
        "source": model.source,
        "constants": model.constants.iter().map(quantity).collect::<Vec<_>>(),
        "reals": model.reals.iter().map(quantity).collect::<Vec<_>>(),
        "switches": model.switches.iter().map(switch).collect::<Vec<_>>(),
        "booleans": booleans.collect::<Vec<_>>(),
        "cases": model.cases.iter().map(|case| (&case.name, &case.about)).collect::<Vec<_>>(),
        "relations": model.relations.len(),
    })
}

/// A table with options, ready to be run.
#[pyclass(frozen, module = "situ._situ")]
#[derive(Debug)]
pub(crate) struct Prepared(pub(crate) Arc<Ready>);

/// A value that is set.
fn value(name: &str, input: Input, value: &Bound<'_, PyAny>) -> Result<f64, Refusal> {
    if let Ok(truth) = value.cast::<PyBool>() {
        return match input {
            Input::Switch(_) => Ok(f64::from(u8::from(truth.is_true()))),
            _ => Err(Refusal::Type(format!("`{name}` is a number, not {value}"))),
        };
    }
    let number = match value.is_instance_of::<PyString>() {
        true => None,
        false => value.extract::<f64>().ok(),
    };
    match (input, number) {
        (Input::Switch(_), Some(number)) if number != 0.0 && number != 1.0 => Err(Refusal::Value(
            format!("`{name}` is a switch: it is True or False, not {number}"),
        )),
        (_, Some(number)) if number.is_finite() => Ok(number),
        (_, Some(number)) => Err(Refusal::Value(format!("`{name}` cannot be {number}"))),
        (_, None) => Err(Refusal::Type(format!(
            "`{name}` is set to a number, not to {value} of type {}",
            value.get_type()
        ))),
    }
}

#[pymethods]
impl Prepared {
    /// Texts of what is measured.
    fn measured(&self) -> Vec<String> {
        self.0.measured.clone()
    }

    /// True if events are located.
    fn is_event_accurate(&self) -> bool {
        matches!(
            self.0.template.config(),
            situ_engine::sim::RunConfig::Events(_)
        )
    }

    /// Runs from the start values, some of which are given.
    #[pyo3(signature = (given = None))]
    fn run(&self, py: Python<'_>, given: Option<&Bound<'_, PyDict>>) -> PyResult<Run> {
        let given = self.given(given)?;
        let (run, why) = working(py, || Run::of(&self.0, given))??;
        match why {
            None => Ok(run),
            Some(Refusal::Run(reports)) => {
                let rule = run.rule().map(str::to_owned);
                Err(raise("RunError", (reports.text, reports.json, run, rule)))
            }
            Some(Refusal::Python(error)) => {
                // What it came to until Ctrl-C.
                error.value(py).setattr("run", Bound::new(py, run)?)?;
                Err(error)
            }
            Some(other) => Err(other.into()),
        }
    }

    /// A run and its past.
    #[pyo3(signature = (given, until))]
    fn past(
        &self,
        py: Python<'_>,
        given: Option<&Bound<'_, PyDict>>,
        until: f64,
    ) -> PyResult<Past> {
        let given = self.given(given)?;
        Ok(working(py, || Past::of(&self.0, &given, until))??)
    }
}

impl Prepared {
    pub(crate) fn given(&self, given: Option<&Bound<'_, PyDict>>) -> PyResult<Vec<(Input, f64)>> {
        let Some(given) = given else {
            return Ok(Vec::new());
        };
        let mut values = Vec::with_capacity(given.len());
        for (name, one) in given.iter() {
            let name = name.cast::<PyString>()?.to_cow()?.into_owned();
            let input = self.0.input(&name)?;
            values.push((input, value(&name, input, &one)?));
        }
        Ok(values)
    }
}
