//! Trees become a model: tables that extend each other are merged, names are bound, every row is
//! checked for what may stand where.
//!
//! ```text
//! Tables --extends--> Merged --expand--> Merged --names--> Scope --desugar, bind--> --build--> Model
//! ```
//!
//! [`resolve`] does all of it; every mistake is reported in one pass, each once: what could not be
//! bound stays silent further on. [`condition`], [`expression`], [`setting`] and [`measure()`] bind a
//! text to a model that is built already. [`columns`] tells what the columns of a row are, in either spelling.
//!
//! Does not judge what a model does (that is the work of `check`) and does not read text.

mod binder;
mod build;
mod confusables;
mod consequences;
mod desugar;
mod edits;
mod expand;
mod extends;
pub(crate) mod machines;
mod merged;
mod names;
pub(crate) mod report;
mod rows;
mod scheme;
mod starts;
mod symbol;
mod texts;

use situ_engine::model::Model;

pub(crate) use consequences::drop_consequences;
pub use desugar::columns;
pub use expand::{Flat, flat};
pub(crate) use expand::{has_families, settle};
pub use rows::has_columns;
pub(crate) use texts::Expected;
pub use texts::{
    Expectation, Lab, LabField, LabInput, MeasureError, Obtained, Outcome, Reading, Text,
    clock_formula, column, condition, expectation, expression, input, invariant_measures, measure,
    measures_time, outcomes, setting, written_measures,
};

use crate::diag::Diagnostic;
use crate::lookups::Data;
use crate::source::{Origins, SourceMap};
use crate::tree::Table;

/// Result of resolving a chain of tables.
#[derive(Clone, Debug, Default)]
pub struct Resolved {
    /// The model; `None` if there are errors, here or in reading the tables.
    pub model: Option<Model>,
    /// The places of its rows.
    pub origins: Origins,
    /// What its runs are checked for.
    pub expectations: Vec<Expectation>,
    /// Its exercise.
    pub lab: Option<Lab>,
    /// All that was found, in the order of the places.
    pub diagnostics: Vec<Diagnostic>,
}

/// Turns tables into a model.
///
/// Shapes: `tables`, a table and all that it extends, base first; `sources`, their texts; `data`, the files of their
/// lookups.
pub fn resolve(tables: &[Table], sources: &SourceMap, data: &Data) -> Resolved {
    build::build(tables, sources, data)
}

/// Puts reports in the order of their places.
pub(crate) fn sort(diagnostics: &mut [Diagnostic]) {
    diagnostics.sort_by_key(|diagnostic| {
        let span = diagnostic.primary.as_ref().map(|label| label.span);
        span.map(|span| (span.source, span.start))
    });
}

/// Names of the constants of the tables; needed by [`columns`].
pub fn constants(tables: &[Table]) -> std::collections::HashSet<&str> {
    let constants = tables.iter().flat_map(|table| &table.constants);
    constants.map(|constant| &*constant.name.value).collect()
}

/// The names that may stand for constants or numbers in rows that are written out: counters, and families of constants.
pub fn open_names(tables: &[Table]) -> std::collections::HashSet<&str> {
    let counters = tables.iter().flat_map(|table| &table.counters);
    let constants = tables.iter().flat_map(|table| &table.constants);
    let families = constants.filter(|constant| constant.name.index.is_some());
    counters
        .map(|counter| &*counter.name.value)
        .chain(families.map(|constant| constant.name.base()))
        .collect()
}

#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;
