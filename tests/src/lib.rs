//! The Rust examples of the manual, run as tests of documentation.

/// The chapter for those who embed the engine.
#[doc = include_str!("../../docs/src/embedding.md")]
pub struct Embedding;
