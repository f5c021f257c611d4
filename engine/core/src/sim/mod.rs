//! Running: a model and a [`RunConfig`] become a trajectory.
//!
//! [`Run`] holds a model and its state, and advances it: as [`TickRun`] tick by tick, or as
//! [`EventRun`] with events located. [`Run::run`] takes it to the end and hands rows to a
//! [`Recorder`](crate::trace::Recorder). Nothing here reads a clock, prints or writes files.

#[cfg(test)]
mod allocation;
mod blame;
mod budget;
pub mod compiled;
mod config;
mod coverage;
mod covered;
mod events;
mod fault;
mod findings;
mod finite;
mod grid;
mod initial_state;
mod lanes;
mod monitor;
mod native;
mod observe;
mod resume;
mod run;
mod secant;
mod start;
mod state;
mod template;
mod tick;
mod validate;

pub use budget::{Budget, Spent, SpentOn};
pub use config::{ConfigError, EventConfig, RunConfig, TickConfig};
pub use covered::{Acted, Covered, Visit};
pub use events::{
    EventRun, EventState, EventStats, Limits, SavedEventRun, StandingRow, StepEffect,
};
pub use fault::{RunFault, SetupError};
pub use findings::beats_within_a_tick;
pub use lanes::{LaneEnd, Runs};
pub use monitor::Finding;
pub use observe::{Observed, RowDone};
pub use resume::NamedState;
pub use run::{EndReason, Run, RunState, RunStats, SavedRun};
pub use state::State;
pub use template::PreparedModel;
pub use tick::TickRun;
pub use validate::StateError;
