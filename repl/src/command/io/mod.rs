//! What goes in and out: files, standard streams, progress, log, and how a command ends.

pub(crate) mod failure;
pub(crate) mod files;
pub(super) mod live_screen;
pub(super) mod log;
pub(super) mod progress;
pub(super) mod streams;
