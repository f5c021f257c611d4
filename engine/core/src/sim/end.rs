//! How a run ends that no fault stops.

/// Reason for which a run ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EndReason {
    /// The time asked for is over.
    Stop,
    /// The condition `stop_when` came true.
    Condition,
    /// The recorder wanted no more.
    Recorder,
}
