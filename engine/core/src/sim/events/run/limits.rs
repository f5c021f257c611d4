//! Counts of the reals whose errors decide how long steps are.

/// Number of times that each real's error was the largest one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Limits {
    /// In a step that was taken: the real decided how long the next one is.
    pub steps: u64,
    /// In a trial that was rejected.
    pub rejections: u64,
}
