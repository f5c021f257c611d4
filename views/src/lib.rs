//! Views: what is shown of a model or a run, as text, as a picture or as a table of numbers.
//!
//! Every view is a function of data to text or bytes; none asks a terminal or opens a file. [`chart`] draws
//! figures (SVG, PNG, characters), [`columns`] writes the rows of runs (CSV, Parquet), [`run`] tells what a run
//! did, [`comparison`] how two runs differ, [`report`] writes a run as a page, [`model`] what a model says, [`scene`] draws its shapes at a row, [`lab`] its exercise, [`explanation`] why something is the case; [`text`] has what they share.
//!
//! From the text of a table to a picture of its run:
//!
//! ```
//! use situ_views::chart::{compose, svg};
//! use situ_views::columns::selection::Picks;
//! use situ_views::columns::series::Series;
//!
//! let text = r#"(
//!     format: 1,
//!     clock: (step: 0.001, stop: 2, every: 0.1),
//!     reals: {"h": 10, "v": 0},
//!     relations: ["v = integral(-9.81)", "h = integral(v)"],
//! )"#;
//! let trace = situ_rules::simulate("fall.ron", text, &mut situ_rules::standalone)?;
//! let loaded = situ_rules::load("fall.ron", text, &mut situ_rules::standalone);
//! let model = loaded.model.expect("the table has no mistakes");
//! let runs = [Series::of(&model, &trace, "a fall")];
//! let picks: Picks = "h".parse()?;
//! let picture = svg(&compose(&runs, &picks.0)?);
//! assert!(picture.starts_with("<svg"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod chart;
pub mod columns;
pub mod comparison;
pub mod explanation;
pub mod lab;
pub mod model;
pub mod report;
pub mod run;
pub mod scene;
pub mod text;
