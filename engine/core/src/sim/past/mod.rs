//! The past of a delay, as an event-accurate run keeps it and as any run hands it on.

pub(super) mod line;
pub(super) mod marks;

use serde::{Deserialize, Serialize};

/// A time at which a delayed value is not smooth.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct Break {
    pub(in crate::sim) time: f64,
    pub(in crate::sim) delay: usize,
    /// Order of the derivative that jumps; 0 for the value.
    pub(in crate::sim) level: u32,
}
