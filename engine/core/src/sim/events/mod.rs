//! The event-accurate run (FORMALISM 7): events are located between and at the steps of an integration method.
//!
//! Between events all booleans are frozen and the state moves by the rates of one mode. A step of the method is
//! searched for the first zero-crossing of a border; there the run stops, flips the side, iterates events until
//! no boolean changes, and goes on in another mode. A run ([`EventRun`]) is a loop over parts that own
//! their state:
//!
//! - `run`: the loop and the public face; the budget of steps and instants, refusals in words, values that are not finite.
//! - `state`: the hybrid state. What is saved is a clone of it, what is loaded is validated and assigned. The plan
//!   beside it (model, flow, scan, settings) is shared and never changes.
//! - `modes`: the modes met so far and their evaluation: tapes, affine rates, series, algebraic loops, compiled steps.
//!   `mode_entry` finds the mode of the present booleans.
//! - `motion`: the system that the method integrates: one mode, Filippov's mixture along a border, rest in contact.
//! - `detect`: the step of the method, its first crossing, grazing, locators.
//! - `iteration`: events at one time: microsteps, the side on which the motion leaves, Zeno limits, dead bands.
//! - `delays`: histories of delayed values (the lines of `sim/past/`) and the breaking points that they carry on.
//! - `equilibrium`: start values at which the motion rests.
//! - `observe`: rows, measures, the log of instants, coverage, what rules did. Nothing in a run follows from it.
//! - `transfer`: a run of a changed model goes on from what another run has, by names.
//!
//! `smooth_batch` is for sweeps of smooth models.

mod delays;
mod detect;
pub(super) mod equilibrium;
mod iteration;
mod modes;
mod motion;
mod observe;
mod run;
mod smooth_batch;
mod state;
#[cfg(test)]
mod tests;
mod transfer;

pub(super) use modes::shared_modes::SharedModes;
pub use observe::microsteps::{Microstep, MicrostepRow};
pub use observe::standing_rows::StandingRow;
pub use observe::step_effects::StepEffect;
pub use run::{EventRun, EventStats, limits::Limits};
pub(super) use smooth_batch::{Own, Room, SmoothBatch, SmoothRun};
pub use state::EventState;
pub use state::saved::SavedEventRun;
pub use transfer::given_past::{PastSpan, WantedPast};
