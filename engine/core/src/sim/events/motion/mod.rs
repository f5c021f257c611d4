//! Dynamics: the modes of a run, the one that holds, and the motion in it.

pub(super) mod active_constraints;
pub(super) mod assembly;
pub(super) mod constraints;
pub(super) mod contact;
pub(super) mod contact_direction;
pub(super) mod contact_groups;
pub(super) mod exits;
pub(super) mod filippov_weights;
pub(super) mod mixed_values;
pub(super) mod singular_sliding;
pub(super) mod sliding;
pub(super) mod system;
pub(super) mod vector_field;

use smallvec::SmallVec;
use std::sync::Arc;

use crate::lower::border::{RangeViews, View};
use crate::sim::events::modes::cache::Modes;
use crate::sim::events::motion::active_constraints::ActiveConstraints;
use crate::sim::events::motion::vector_field::Motion;
use crate::sim::events::state::plan::Plan;

/// The modes that have been met, and the motion in the present one.
#[derive(Clone, Debug)]
pub(super) struct Dynamics {
    pub(crate) plan: Arc<Plan>,
    pub(super) modes: Modes,
    /// The mode of the present booleans.
    pub(super) mode: usize,
    /// Whether no side has turned since that mode was looked for.
    pub(super) sides_stand: bool,
    pub(super) views: BorderViews,
    /// True if views have been written.
    pub(super) mode_is_known: bool,
    pub(super) motion: Motion,
    /// Borders to which the motion is bound.
    pub(super) bound: ActiveConstraints,
    /// The mode of the motion in progress, if it is free.
    pub(super) moved_in: Option<usize>,
    /// On which of its solutions each loop of a mode was at the last commitment, and the mode.
    pub(super) branches: (usize, Vec<i8>),
    /// Room for a state.
    pub(super) y: Vec<f64>,
}

/// How what reads borders sees them in the present mode.
#[derive(Clone, Debug, Default)]
pub(super) struct BorderViews {
    /// Per range how its comparisons see their borders.
    pub(super) ranges: Vec<RangeViews>,
    /// Views of the comparisons that are only watched.
    pub(super) watched: Vec<View>,
    /// Per border the ranges that depend on it, and the rows of the scan whose latched values do.
    pub(super) ranges_by_border: Vec<SmallVec<[u32; 2]>>,
    pub(super) relays_by_border: Vec<SmallVec<[u32; 1]>>,
}

impl Dynamics {
    pub(super) fn new(plan: &Arc<Plan>) -> Self {
        Self {
            plan: Arc::clone(plan),
            modes: Modes::default(),
            mode: 0,
            sides_stand: false,
            views: BorderViews {
                ranges: vec![RangeViews::new(); plan.model.ranges.len()],
                ..BorderViews::default()
            },
            mode_is_known: false,
            motion: Motion::default(),
            bound: ActiveConstraints::default(),
            moved_in: None,
            branches: Default::default(),
            y: Vec::new(),
        }
    }
}
