//! Runs situation-event models: a [`Model`](model::Model) becomes a tape of operations, the tape a
//! trajectory.
//!
//! `Model -> lower -> tape -> sim -> trace`. No text is read here and nothing is written: a model
//! comes from the crate `situ-rules` or from [`ModelBuilder`](model::ModelBuilder), a trajectory
//! goes to a [`Recorder`](trace::Recorder).

pub mod backend;
pub mod ids;
pub mod interval;
pub mod lower;
pub mod model;
pub mod procedure;
pub mod sim;
pub mod solve;
pub mod tape;
pub mod trace;
