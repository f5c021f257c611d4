//! The commands, one file per group of the help, and one for declarations.

pub(super) mod back;
pub(super) mod change;
pub(super) mod declare;
pub(super) mod explain;
pub(super) mod lines;
pub(super) mod look;
pub(super) mod model;
pub(super) mod run;
pub(super) mod session;
pub(super) mod set;
pub(super) mod show;
pub(super) mod stop;
