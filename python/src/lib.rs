//! The extension module `situ._situ`: tables, runs, sessions and sweeps as objects of Python.
//!
//! `Table -> Prepared -> Run`, and beside them `Live`, a session of the prompt, and slices of sweeps as bytes. What
//! these objects are called and how they print is said in Python, in `situ/`; here stands what the libraries do, with
//! the lock of the interpreter released, Ctrl-C heard and a panic turned into an exception. Columns leave without
//! being copied: as buffers (`frame`) for numpy, as a stream of Arrow's C interface (`arrow`) for everything else.

mod arrow;
mod error;
mod event_log;
mod frame;
mod interrupt;
mod live;
mod past;
mod results;
mod run;
mod setup;
mod study;
mod table;
mod wire;

use pyo3::prelude::*;

/// What the package `situ` is made of; nothing here is promised to anyone else.
#[pymodule(gil_used = false)]
mod _situ {
    #[pymodule_export]
    use super::frame::{Buffer, Frame};
    #[pymodule_export]
    use super::live::{Live, commands};
    #[pymodule_export]
    use super::past::Past;
    #[pymodule_export]
    use super::results::{Joined, StudyFile};
    #[pymodule_export]
    use super::run::Run;
    #[pymodule_export]
    use super::study::{Study, picture, run_slice};
    #[pymodule_export]
    use super::table::{Prepared, Table, read, read_text};

    use pyo3::prelude::*;
    use situ_engine::model::Clock;

    /// The version of the engine.
    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");

    /// The settings of a clock: name, placeholder, description, default and the words that there are.
    #[pyfunction]
    fn settings() -> Vec<(
        &'static str,
        &'static str,
        &'static str,
        &'static str,
        Vec<&'static str>,
    )> {
        let settings = Clock::SETTINGS.iter();
        let rows = settings.map(|setting| {
            let words = setting.kind.words().into_iter().map(|(word, _)| word);
            (
                setting.name,
                setting.placeholder,
                setting.about(),
                setting.default,
                words.collect(),
            )
        });
        rows.collect()
    }

    /// The nearest of some names, if one is near.
    #[pyfunction]
    #[expect(clippy::needless_pass_by_value, reason = "arguments come by value")]
    fn nearest(name: &str, known: Vec<String>) -> Option<String> {
        situ_rules::diag::nearest(name, known.iter().map(String::as_str)).map(str::to_owned)
    }

    /// The columns that a text names, separated by commas as `--vars` takes them.
    #[pyfunction]
    fn columns(text: &str) -> PyResult<Vec<String>> {
        use situ_views::columns::selection::Names;
        let names = text.parse().map(|Names(names)| names);
        names.map_err(|error| pyo3::exceptions::PyValueError::new_err(error.to_string()))
    }

    /// A name as rules write it: between backticks if it has to be.
    #[pyfunction]
    fn name(name: &str) -> String {
        situ_rules::print::name(name)
    }

    /// A text as tables write it, between quotes.
    #[pyfunction]
    fn string(text: &str) -> String {
        situ_rules::print::string(text)
    }

    /// A number as tables write it, the shortest that reads back to the same bits.
    #[pyfunction]
    fn number(value: f64) -> String {
        situ_rules::print::number(value)
    }

    /// Runs the program `situ` with a command line, whose first word is the program's name; its exit status.
    #[pyfunction]
    fn main(py: Python<'_>, words: Vec<std::ffi::OsString>) -> PyResult<u8> {
        crate::error::working(py, move || situ_repl::command::main_with(words))
    }
}
