//! Sessions at the prompt.

mod elements;
pub(crate) mod random;
mod renames;
mod story;
mod terminal;
