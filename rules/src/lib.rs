//! Reads rule tables: text becomes a checked [`Model`](situ_engine::model::Model).
//!
//! `text -> parse -> Tree -> resolve -> Model -> check`. Every stage reports all it found as
//! [`Diagnostic`]s and hands on what it could build. Does no input or output: a table that
//! `extends` another asks a [`Loader`] that the caller passes in.

pub mod check;
pub mod diag;
pub mod edit;
mod lex;
mod load;
pub mod parse;
pub mod print;
#[cfg(test)]
mod properties;
pub mod resolve;
pub mod source;
pub mod tree;

pub use diag::{Diagnostic, Severity};
pub use lex::is_plain_name;
pub use load::{Loaded, Loader, MAX_TABLES, TableText, load, standalone};
pub use source::{SourceId, SourceMap, Span};
