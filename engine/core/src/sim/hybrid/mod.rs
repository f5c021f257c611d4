//! The event-accurate run (FORMALISM 7): modes, borders, event instants.
//!
//! Between events all booleans are frozen and the state moves by the rates of one mode. A step of
//! the integration method is searched for the first crossing of a border; there the run stops, turns
//! sides, fires events and assignments until nothing changes, and goes on in another mode.
//!
//! `driver` moves time; `instant` is what happens at one time; `truth` keeps the booleans; `modes`
//! makes and keeps modes; `motion` is what is integrated, a mode or a slide between two; `search`
//! finds crossings inside a step; `enclose` bounds what loops compute there; `watching` and `seen` take
//! notes for measures and coverage; `state` is what a run can go back to; `finite` looks for values that are not.

mod actions;
mod curve;
mod driver;
mod enclose;
mod eval;
mod finite;
mod instant;
mod locate;
mod log;
mod loops;
mod modes;
mod motion;
mod past;
mod resume;
mod saved;
mod search;
mod seen;
mod shares;
mod state;
#[cfg(test)]
mod tests;
mod truth;
mod watching;
mod zeno;

pub use driver::{EventStats, Hybrid};
pub use saved::SavedEvents;
pub use state::EventState;
