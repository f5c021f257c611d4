//! The program `situ` as a library: its command line and the views of models and runs.
//!
//! Whatever touches the disk or the terminal is in this crate and nowhere else.

pub mod command;
pub mod console;
pub mod engine;
pub mod view;
