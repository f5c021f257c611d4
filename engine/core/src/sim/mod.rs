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
mod end;
mod events;
mod fault;
mod found;
mod grid;
mod lanes;
mod monitor;
mod observe;
mod past;
mod projection;
mod run;
mod secant;
mod shared_code;
mod state;
mod template;
mod tick;

pub use config::{ConfigError, EventConfig, RunConfig, TickConfig};
pub use coverage::covered::{Acted, Covered, Visit};
pub use end::EndReason;
pub use events::{
    EventRun, EventState, EventStats, Limits, Microstep, MicrostepRow, PastSpan, SavedEventRun,
    StandingRow, StepEffect, WantedPast,
};
pub use fault::budget::{Budget, Spent, SpentOn};
pub use fault::{NoSlide, RunFault, SetupError};
pub use found::Found;
pub use lanes::{LaneEnd, Runs};
pub use monitor::Finding;
pub use observe::{Observed, RowDone};
pub use run::{Run, RunState, RunStats, SavedRun};
pub use state::State;
pub use state::defect::{StateDefect, StateError};
pub use state::named::NamedState;
pub use template::PreparedModel;
pub use tick::TickRun;
pub use tick::findings::beats_within_a_tick;
