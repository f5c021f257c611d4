//! Commands that look at tables and run none.

pub(super) mod check;
pub(super) mod completions;
pub(super) mod emit;
pub(super) mod explain;
pub(super) mod fmt;
pub(super) mod graph;
pub(super) mod import;
pub(super) mod new;
pub(super) mod procedures;
pub(super) mod show;
