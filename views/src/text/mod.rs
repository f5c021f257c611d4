//! Texts that all views share: numbers, columns, paragraphs, names that are safe to show.

pub mod listing;
pub mod number;
pub mod prose;
pub mod visible;

use std::io;

use situ_words::say;

/// Message of the system, without its number.
pub fn plain(error: &io::Error) -> String {
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or(&text);
    let mut letters = text.chars();
    let first = letters
        .next()
        .map(|c| c.to_lowercase().collect::<String>())
        .unwrap_or_default();
    let text = first + letters.as_str();
    say!("report-system", text, kind = format!("{:?}", error.kind()))
}
