//! Sessions at the prompt.

pub(crate) mod random;
mod renames;
mod story;
mod terminal;
