//! Views: what is shown of a model or a run, as text or as a picture.
//!
//! Every view is a function of data to text or bytes; none asks the terminal or opens a file.

pub mod bonds;
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
pub mod parquet;
pub mod profile;
pub mod prose;
pub mod selection;
pub mod series;
pub mod shown;
pub mod summary;
pub mod tree;
pub mod words;
