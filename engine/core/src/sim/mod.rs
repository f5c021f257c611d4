//! Running: a model and a [`RunConfig`] become a trajectory.
//!
//! [`Run`] holds a model and its state, and advances it: as [`TickRun`] tick by tick, or as
//! [`EventRun`] with events located. [`Run::run`] takes it to the end and hands rows to a
//! [`Recorder`](crate::trace::Recorder). Nothing here reads a clock, prints or writes files.

#[cfg(test)]
mod allocation;
pub mod compiled;
mod config;
mod coverage;
mod events;
mod fault;
mod grid;
mod lanes;
mod monitor;
mod native;
mod observe;
mod projection;
mod run;
mod secant;
mod shared_code;
mod state;
mod template;
mod tick;

pub use config::{ConfigError, EventConfig, RunConfig, TickConfig};
pub use coverage::covered::{Acted, Covered, Visit};
pub use coverage::findings::beats_within_a_tick;
pub use events::{
    EventRun, EventState, EventStats, Limits, Microstep, MicrostepRow, SavedEventRun, StandingRow,
    StepEffect,
};
pub use fault::budget::{Budget, Spent, SpentOn};
pub use fault::{RunFault, SetupError};
pub use lanes::{LaneEnd, Runs};
pub use monitor::Finding;
pub use observe::{Found, Observed, RowDone};
pub use run::{EndReason, Run, RunState, RunStats, SavedRun};
pub use state::State;
pub use state::resume::NamedState;
pub use state::validate::{StateDefect, StateError};
pub use template::PreparedModel;
pub use tick::TickRun;
