//! Runs situation-event models: a [`Model`](model::Model) becomes a tape of operations, the tape a
//! trajectory.
//!
//! `Model -> lower -> tape -> sim -> trace`. No text is read here and nothing is written: a model
//! comes from the crate `situ-rules` or from [`ModelBuilder`](model::ModelBuilder), a trajectory
//! goes to a [`Recorder`](trace::Recorder).
//!
//! ```
//! use situ_engine::model::{Clock, ModelBuilder};
//! use situ_engine::sim::{Run, RunConfig};
//!
//! let mut table = ModelBuilder::new("growth");
//! let x = table.real("x", 1.0);
//! table.relation(x, "integral", [x]);
//! let clock = Clock { step: Some(0.001), stop: Some(1.0), ..Clock::default() };
//! let mut run = Run::new(table.build()?, RunConfig::from_clock(&clock)?, &[])?;
//! run.run(&mut ())?;
//! assert!((run.real(x) - std::f64::consts::E).abs() < 2e-3);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod backend;
mod bits;
pub mod graph;
pub mod ids;
pub mod lower;
pub mod model;
pub mod procedure;
pub mod sim;
pub mod tape;
mod times;
pub mod trace;

pub use situ_solve::{
    LinearWay, LinearWork, Locate, Method, Rejection, Settings, SettingsError, Stats, StepError,
    Steps,
};
