//! Tick runs against published numbers, what is known exactly, and a second tick run.

mod auxiliary;
mod diagnoses;
mod located;
pub(crate) mod oracle;
mod periods;
mod published;
