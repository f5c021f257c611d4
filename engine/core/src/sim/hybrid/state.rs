//! Everything that an event-accurate run carries on, as one value that can be cloned and compared.

use std::sync::Arc;

use super::driver::Begun;
use super::locate::Before;
use super::past::Past;
use super::truth::Truths;
use super::zeno::Zeno;
use crate::lower::border::{BorderId, Borders, Side};
use crate::solve::Snapshot;
use serde::{Deserialize, Serialize};

/// The state of an event-accurate run, inside a step or between two.
///
/// Everything in a run that is not here is made from it, or takes no part in what the run does: modes,
/// the step that was under way, workspace.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct EventState {
    /// The time [units of `time`].
    pub t: f64,
    /// Reals at the start of the step.
    pub(super) reals: Vec<f64>,
    /// If a step is under way: how many looks in it are over.
    pub(super) inside_step: Option<usize>,
    /// The borders that the rest counts.
    #[serde(with = "shared")]
    pub(super) borders: Arc<Borders>,
    /// Truths at the start of the step.
    pub(super) truths: Truths,
    pub(super) steps: Vec<f64>,
    pub(super) begun: Begun,
    /// On which of its solutions each loop of the mode was last.
    pub(super) branches: Vec<i8>,
    pub(super) leaving: Vec<(BorderId, Side, usize)>,
    pub(super) past: Past,
    pub(super) before: Before,
    pub(super) zeno: Zeno,
    pub(super) stepper: Snapshot,
    pub(super) beats: Vec<u64>,
    pub(super) instants: u64,
    pub(super) last_instant: f64,
    pub(super) stalled: u32,
    pub(super) fired: Vec<u64>,
    pub(super) latest: Vec<u64>,
    pub(super) rows: u64,
    /// Steps and instants since a time.
    pub(super) work: (f64, u64),
}

impl EventState {
    /// About how much memory it takes (in bytes).
    pub fn bytes(&self) -> usize {
        let reals = self.reals.len() + self.begun.reals.len() + 5 * self.stepper.y.len();
        let words = self.beats.len() + self.fired.len() + self.latest.len() + self.steps.len();
        size_of::<Self>() + 8 * (reals + words) + self.truths.bytes()
    }
}

/// Writes what is shared as if it were not.
mod shared {
    use std::sync::Arc;

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(super) fn serialize<T: Serialize, S: Serializer>(
        value: &Arc<T>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        (**value).serialize(serializer)
    }

    pub(super) fn deserialize<'de, T, D>(deserializer: D) -> Result<Arc<T>, D::Error>
    where
        T: Deserialize<'de>,
        D: Deserializer<'de>,
    {
        T::deserialize(deserializer).map(Arc::new)
    }
}
