//! Sessions at the prompt.

mod elements;
mod faults;
pub(crate) mod random;
mod renames;
mod story;
mod terminal;
