//! Tests that span the crates, one module per subject.
//!
//! The tables stand in `scenarios/` and `tests/faults/`, published numbers in `tests/data/`. No test
//! reads a clock, the network or the home folder.

#![expect(clippy::unwrap_used, reason = "a test fails by a panic")]

mod answers;
mod bits;
mod cli;
mod engines;
mod events;
mod families;
mod fuzz;
mod house;
mod language;
mod scenarios;
mod sessions;
mod shown;
mod sweeps;
mod tables;
mod ticks;
