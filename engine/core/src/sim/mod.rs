//! Running: a model and a [`RunConfig`] become a trajectory.
//!
//! [`Simulation`] holds a model, its tape and the state, and advances it; [`Simulation::run`] takes
//! it to the end and hands rows to a [`Recorder`](crate::trace::Recorder). Nothing here reads a
//! clock, prints or writes files.

#[cfg(test)]
mod allocation;
mod config;
mod coverage;
mod fault;
mod finite;
mod hybrid;
mod observe;
mod resume;
mod state;
mod tick;

pub use config::{ConfigError, RunConfig};
pub use coverage::{Coverage, Visit};
pub use fault::{RunFault, SetupError};
pub use hybrid::{EventConfig, EventStats, Hybrid, HybridFault};
pub use observe::{Observed, RowDone};
pub use resume::Carried;
pub use state::State;
pub use tick::{Ended, Simulation};
