//! The same bits by every engine, however a run is cut into pieces, saved or continued.

mod determinism;
pub(crate) mod lanes;
pub(crate) mod native;
mod states;
mod suite;
