//! Texts that all views share: numbers, columns, paragraphs, names that are safe to show.

pub mod listing;
pub mod number;
pub mod prose;
pub mod visible;
