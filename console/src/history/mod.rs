//! The state of a session: everything that commands change and `undo` brings back.

pub(crate) mod inside;
pub(crate) mod journey;
mod navigation;
pub(crate) mod points;
pub(crate) mod stops;

use std::collections::BTreeMap;
use std::sync::Arc;

use situ_explain::{History, SegmentId};

use stops::Stop;

/// Everything that commands change and `undo` brings back.
#[derive(Clone, Debug)]
pub(crate) struct SessionState {
    pub(crate) history: History,
    /// The name of the present branch.
    pub(crate) branch: Arc<str>,
    /// The other branches.
    pub(crate) branches: Arc<BTreeMap<String, History>>,
    /// Named times.
    pub(crate) marks: Arc<BTreeMap<String, f64>>,
    pub(crate) stops: Arc<Vec<Stop>>,
    /// Expressions shown at every stop.
    pub(crate) shown: Arc<Vec<String>>,
}

impl SessionState {
    pub(crate) fn new(history: History) -> Self {
        Self {
            history,
            branch: "main".into(),
            branches: Arc::default(),
            marks: Arc::default(),
            stops: Arc::default(),
            shown: Arc::default(),
        }
    }

    /// True if nothing was changed since the other was cloned from it.
    pub(crate) fn same_as(&self, other: &SessionState) -> bool {
        self.history == other.history
            && self.branch == other.branch
            && Arc::ptr_eq(&self.branches, &other.branches)
            && Arc::ptr_eq(&self.marks, &other.marks)
            && Arc::ptr_eq(&self.stops, &other.stops)
            && Arc::ptr_eq(&self.shown, &other.shown)
    }

    /// Every segment that it needs.
    pub(crate) fn segments(&self) -> impl Iterator<Item = SegmentId> {
        let histories = self.branches.values().chain([&self.history]);
        histories.flat_map(|history| history.pieces().iter().map(|piece| piece.segment))
    }
}
