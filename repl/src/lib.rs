//! The program `situ` as a library: its command line and its prompt.
//!
//! Whatever touches the disk or the terminal is in this crate and nowhere else.

pub mod command;
pub mod console;
pub mod engine;

/// What is said where something is asked for that the program has been built without: `what`, by leaving out a feature.
#[cfg(not(all(feature = "parquet", feature = "png", feature = "native")))]
fn without(what: &str, feature: &str) -> String {
    format!(
        "this program has been built without {what}; `cargo install --path repl --features {feature}` builds one that has it"
    )
}
