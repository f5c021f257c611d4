//! Tests that span the crates, one module per subject.
//!
//! The tables stand in `scenarios/` and `tests/faults/`, published numbers in `tests/data/`. No test
//! reads a clock, the network or the home folder.

#![expect(clippy::unwrap_used, reason = "a test fails by a panic")]

mod bits;
mod browser;
mod cli;
mod determinism;
mod diagnoses;
mod documents;
mod engines;
mod events;
mod families;
mod faults;
mod findings;
mod fuzz;
mod lanes;
mod lookups;
mod measures;
mod modules;
mod native;
mod oracle;
mod parts;
mod periods;
mod procedures;
mod profile;
mod reasons;
mod renames;
mod report;
mod scenarios;
mod scenes;
mod sessions;
mod sizes;
mod stages;
mod states;
mod story;
mod sweeps;
mod tables;
mod terminal;
mod ticks;
mod tidy;
mod truths;
mod uneven;
mod vocabulary;
mod words;
