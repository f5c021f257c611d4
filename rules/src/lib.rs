//! Reads rule tables: text becomes a checked [`Model`](situ_engine::model::Model).
//!
//! `text -> parse -> Tree -> resolve -> Model -> check`. Every stage reports all it found as
//! [`Diagnostic`]s and hands on what it could build. Does no input or output: a table that
//! `extends` another, or has a lookup in a file, asks a [`Loader`] that the caller passes in.
//!
//! From a text to its trajectory, in one call ([`simulate`]) or step by step:
//!
//! ```
//! use situ_engine::sim::{Run, RunConfig};
//! use situ_engine::trace::TraceRecorder;
//!
//! let text = r#"(
//!     format: 1,
//!     clock: (step: 0.001, stop: 2, every: 0.1),
//!     reals: {"h": 10, "v": 0},
//!     ranges: ["low: h < 5"],
//!     relations: ["v = integral(-9.81)", "h = integral(v)"],
//! )"#;
//! let trace = situ_rules::simulate("fall.ron", text, &mut situ_rules::standalone)?;
//! let h = trace.column("h").expect("it is declared");
//! assert_eq!(trace.time[10], 1.0);
//! assert!((h[10] - (10.0 - 9.81 / 2.0)).abs() < 0.01);
//!
//! let loaded = situ_rules::load("fall.ron", text, &mut situ_rules::standalone);
//! let model = loaded.model.expect("the table has no mistakes");
//! let mut recorder = TraceRecorder::new(&model);
//! Run::new(model.clone(), RunConfig::from_clock(&model.clock)?, &[])?.run(&mut recorder)?;
//! assert_eq!(recorder.trace, trace);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod check;
mod conservation;
pub mod diag;
pub mod edit;
pub mod encoding;
pub mod layout;
pub mod letters;
mod lex;
mod load;
mod lookups;
pub mod mermaid;
pub mod parse;
pub mod print;
#[cfg(test)]
mod properties;
pub mod resolve;
mod simulate;
pub mod source;
pub mod tree;

pub use diag::{Diagnostic, Severity};
pub use lex::is_plain_name;
pub use load::{
    Choices, Loaded, Loader, MAX_TABLES, TableText, begin_with, chosen, load, load_as, standalone,
};
pub use lookups::{Data, DataFile};
pub use simulate::{SimulateError, simulate};
pub use source::{SourceId, SourceMap, Span};
