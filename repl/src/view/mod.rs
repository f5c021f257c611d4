//! Views: what is shown of a model or a run, as text or as a picture.
//!
//! Every view is a function of data to text or bytes; none asks the terminal or opens a file.

pub mod bonds;
pub mod cells;
pub mod chart;
pub mod columns;
pub mod comparison;
pub mod condense;
pub mod convergence;
pub mod csv;
pub mod ensemble;
pub mod event_log;
pub mod graph;
pub mod kept;
pub mod listing;
pub mod manifest;
pub mod number;
pub mod observed;
pub mod pairing;
#[cfg(feature = "parquet")]
pub mod parquet;
pub mod profile;
pub mod prose;
pub mod selection;
pub mod series;
pub mod shown;
pub mod summary;
pub mod tree;
pub mod visible;
pub mod words;

/// What is said where something is asked for that the program has been built without: `what`, by leaving out a feature.
#[cfg(not(all(feature = "parquet", feature = "png", feature = "native")))]
pub fn without(what: &str, feature: &str) -> String {
    format!(
        "this program has been built without {what}; `cargo install --path repl --features {feature}` builds one that has it"
    )
}
