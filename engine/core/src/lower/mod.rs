//! Lowering: a model becomes a tape.

pub mod tick;

pub use tick::{Program, TickOptions, tick};
