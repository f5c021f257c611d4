//! Errors: mistakes of tables, failed runs and panics become the exceptions of `situ/_errors.py`.

use std::panic::{AssertUnwindSafe, catch_unwind};

use pyo3::exceptions::{PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use situ_rules::diag::{Style, first_error, render, to_json};
use situ_rules::{Diagnostic, SourceMap};

/// Module that has the exceptions.
const ERRORS: &str = "situ._errors";

/// Why something was not done.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// A table, or a text beside it, has mistakes.
    Table(Reports),
    /// A run cannot begin.
    Run(Reports),
    /// A name that is not known.
    Name(String),
    /// A value that does not fit.
    Value(String),
    /// Something that another version has made.
    Version(String),
    /// An argument of another type than needed.
    Type(String),
    /// An error of the interpreter, such as Ctrl-C.
    Python(PyErr),
}

impl Refusal {
    /// What is wrong, in one line.
    pub(crate) fn in_one_line(&self) -> String {
        match self {
            Self::Table(reports) | Self::Run(reports) => reports.first.clone(),
            Self::Name(why) | Self::Value(why) | Self::Version(why) | Self::Type(why) => {
                why.clone()
            }
            Self::Python(error) => error.to_string(),
        }
    }
}

/// Reports with the texts that they point into.
#[derive(Clone, Debug)]
pub(crate) struct Reports {
    /// As a terminal shows them.
    pub(crate) text: String,
    /// A JSON array.
    pub(crate) json: String,
    /// The first error, in one line.
    pub(crate) first: String,
}

impl Reports {
    pub(crate) fn new(found: &[Diagnostic], sources: &SourceMap) -> Self {
        Self {
            first: first_error(found),
            text: render(found, sources, Style::Plain),
            json: to_json(found, sources).to_string(),
        }
    }
}

impl From<PyErr> for Refusal {
    fn from(error: PyErr) -> Self {
        Self::Python(error)
    }
}

impl From<Refusal> for PyErr {
    fn from(refusal: Refusal) -> Self {
        let raised = |class: &str, reports: Reports| raise(class, (reports.text, reports.json));
        match refusal {
            Refusal::Table(reports) => raised("TableError", reports),
            Refusal::Run(reports) => raised("RunError", reports),
            Refusal::Name(message) => raise("NameUnknown", (message,)),
            Refusal::Version(message) => raise("VersionError", (message,)),
            Refusal::Value(message) => PyValueError::new_err(message),
            Refusal::Type(message) => PyTypeError::new_err(message),
            Refusal::Python(error) => error,
        }
    }
}

/// An exception of the package.
pub(crate) fn raise<A>(class: &str, arguments: A) -> PyErr
where
    A: for<'py> pyo3::call::PyCallArgs<'py>,
{
    Python::attach(|py| {
        let made = (py.import(ERRORS))
            .and_then(|errors| errors.getattr(class))
            .and_then(|class| class.call1(arguments));
        made.map_or_else(|error| error, PyErr::from_value)
    })
}

/// Does work with the lock of the interpreter released. A panic becomes an exception.
pub(crate) fn working<T: Send>(py: Python<'_>, work: impl FnOnce() -> T + Send) -> PyResult<T> {
    let outcome = py.detach(|| catch_unwind(AssertUnwindSafe(work)));
    outcome.map_err(|panic| {
        let message = (panic.downcast_ref::<String>().map(String::as_str))
            .or_else(|| panic.downcast_ref::<&str>().copied())
            .unwrap_or("without a message");
        PyRuntimeError::new_err(format!("situ has a mistake, please report it: {message}"))
    })
}
