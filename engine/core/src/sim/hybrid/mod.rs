//! The event-accurate run (FORMALISM 7): modes, borders, event instants.
//!
//! Between events all booleans are frozen and the state moves by the rates of one mode. A step of
//! the integration method is searched for the first crossing of a border; there the run stops, turns
//! sides, fires events and assignments until nothing changes, and goes on in another mode.
//!
//! - `driver` is the run and its loop: `find` finds the next step, `pass` goes through it, `rows` tells of it.
//!   `search`, with `curve` and `enclose`, finds crossings inside a step, `locate` in other ways; `state` is what
//!   a run can go back to, `resume` begins with what another has, `carry` what that one remembers.
//! - `instant` is what happens at one time; `iteration` does its microsteps: `discrete_state` keeps the booleans,
//!   `worklist` what is to be gone through, `row_programs` evaluates rows, `standing_margins` margins from the reals
//!   that stand, `kink_branches` finds branches of kinks. `decide` says on which sides the motion goes on, `suppose`
//!   asks for the mode on others, `jumps` where a jump has carried it, `lift` where it slides along what is not defined
//!   beyond, `gather` ends infinitely many events; `zeno` recognises them, `quiet` those that are only errors.
//! - `enter` goes from truths to a motion: `modes` makes and keeps modes, `shared_modes` has those that runs share,
//!   `motion` is what is integrated (a mode, a `slide` with its `shares`, a rest), `eval` evaluates it with `loops`
//!   (`linear` where its rates are a matrix, `slopes` tells how margins move then) and the `past` of delays, whose jumps `echo`; `program`
//!   runs its operations on any kind of number, `code` has them compiled.
//! - `smooth_batch` is for sweeps of smooth models, whose weights `parametric_affine` has.
//! - `watching` and `seen` take notes for measures and coverage, `log` for the record of instants,
//!   `deeds` of what rules did in the last step; `finite` looks for values that are not, `fault` puts
//!   refusals into words.

mod budget;
mod carry;
mod code;
mod curve;
mod decide;
mod deeds;
mod detection;
mod discrete_state;
mod driver;
mod dynamics;
mod echo;
mod enclose;
mod enter;
mod eval;
mod event_iteration;
mod fault;
mod find;
mod finite;
mod gather;
mod held_shares;
mod instant;
mod iteration;
mod jumps;
mod kink_branches;
mod lift;
mod linear;
mod locate;
mod log;
mod loops;
mod modes;
mod motion;
mod observation;
mod parametric_affine;
mod pass;
mod past;
mod plan;
mod program;
mod quiet;
mod resume;
mod row_programs;
mod rows;
mod saved;
mod search;
mod seen;
mod series;
mod shared_modes;
mod shares;
mod slide;
mod slopes;
mod smooth_batch;
mod sparsity;
mod standing_margins;
mod standing_rows;
mod state;
mod suppose;
#[cfg(test)]
mod tests;
mod touches;
mod turning;
mod validate;
mod watching;
mod worklist;
mod zeno;

pub(super) use carry::Memory;
pub use deeds::Deed;
pub use driver::{EventStats, Hybrid, Limits};
pub(super) use past::Line;
pub use saved::SavedEvents;
pub(super) use shared_modes::SharedModes;
pub(super) use smooth_batch::{Own, Room, SmoothBatch, SmoothRun};
pub use standing_rows::StandingRow;
pub use state::EventState;
