//! The program `situ` as a library: views of models and runs.
//!
//! Whatever touches the disk or the terminal is in this crate and nowhere else.

#![cfg_attr(test, expect(clippy::unwrap_used, reason = "a test fails by panicking"))]

pub mod view;
