//! Tick runs against published numbers, what is known exactly, and a second tick run.

mod diagnoses;
mod located;
mod made;
pub(crate) mod oracle;
mod periods;
mod published;
