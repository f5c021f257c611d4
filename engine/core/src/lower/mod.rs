//! Lowering: a model becomes a tape.

pub mod tick;

pub use tick::{Probes, Program, TickOptions, tick};
