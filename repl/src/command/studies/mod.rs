//! Commands that run a table to learn something of it: by other settings, many times, or where its time goes.

pub(super) mod compare;
pub(super) mod converge;
pub(super) mod coverage;
pub(super) mod lab;
pub(super) mod profile;
pub(super) mod sweep;
pub(super) mod test;

pub use sweep::{Identity, Results, ResultsFile, Swept, columns, varied};
