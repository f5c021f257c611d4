//! Many runs of one model.
//!
//! A [`Design`] says which start values vary and how, and gives rows of values; a [`Slice`] runs some of
//! these rows on all cores and gives one [`Done`] for each, in the order of the rows, with the same bits
//! on any number of threads; [`sweep`] goes through a whole design slice by slice in bounded memory. Values
//! that decide the size of families take a model for each size, which [`Resize`] makes. [`Over`] reads what varies from a
//! text: `K=1..5/9`, `m~uniform(1,5)`.
//!
//! A slice is a plain value, and so is its result: what runs it need not be the process that made it.
//!
//! ```
//! use situ_engine::model::{Clock, Input, ModelBuilder, Term};
//! use situ_engine::sim::{PreparedModel, RunConfig};
//! use situ_engine::trace::Measure;
//! use situ_sweep::{Axis, Design, Keep, Sampling, Values, sweep};
//! use std::ops::ControlFlow;
//!
//! let mut table = ModelBuilder::new("decay");
//! let rate = table.constant("rate", 1.0);
//! let x = table.real("x", 1.0);
//! table.relation(x, "integral", [-(Term::from(rate) * x)]);
//! let end = table.expr(x);
//! let clock = Clock { step: Some(0.001), stop: Some(1.0), ..Clock::default() };
//! let config = RunConfig::from_clock(&clock)?;
//! let template = PreparedModel::new(table.build()?, config, &[Measure::Final(end)])?;
//!
//! let rates = Values::Grid { from: 0.0, to: 2.0, points: 5 };
//! let design = Design::new(vec![Axis { input: Input::Constant(rate), values: rates }], Sampling::None)?;
//! let mut ends = Vec::new();
//! sweep(&template, &design, 0, Keep::Measures, None, &|| false, &mut |done| {
//!     ends.extend(done.iter().map(|run| run.measured[0].unwrap()));
//!     ControlFlow::Continue(())
//! });
//! assert_eq!(ends.len(), 5);
//! assert!((ends[4] - (-2.0_f64).exp()).abs() < 1e-3);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod design;
mod sampling;
mod sizes;
mod slice;
mod sweep;
#[cfg(test)]
mod tests;
mod text;

pub use design::{Axis, Design, DesignError, Rows, Values};
pub use sampling::Sampling;
pub use sizes::{OtherSize, Resize, sizing_constants};
pub use slice::{Done, Ending, Keep, Slice};
pub use sweep::sweep;
pub use text::{MOST_POINTS, Over, OverError, value};
