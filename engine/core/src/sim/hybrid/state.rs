//! Everything that an event-accurate run carries on, as one value that can be cloned and compared.

use super::driver::Begun;
use super::locate::Before;
use super::past::Past;
use super::truth::Truths;
use super::zeno::Zeno;
use crate::lower::border::{BorderId, Side};
use crate::solve::Snapshot;
use serde::{Deserialize, Serialize};

/// The state of an event-accurate run, inside a step or between two.
///
/// What is found again from it is not kept: modes, borders, the step that was under way.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct EventState {
    /// The time [units of `time`].
    pub t: f64,
    /// Reals at the start of the step.
    pub(super) reals: Vec<f64>,
    /// Whether a step is under way.
    pub(super) inside_step: bool,
    pub(super) truths: Truths,
    pub(super) steps: Vec<f64>,
    pub(super) n_modes: usize,
    pub(super) mode: usize,
    pub(super) begun: Begun,
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
}

impl EventState {
    /// About how much memory it takes (in bytes).
    pub fn bytes(&self) -> usize {
        let reals = self.reals.len() + self.begun.reals.len() + 4 * self.stepper.y.len();
        let words = self.beats.len() + self.fired.len() + self.latest.len() + self.steps.len();
        size_of::<Self>() + 8 * (reals + words) + self.truths.bytes()
    }
}
