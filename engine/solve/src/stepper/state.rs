//! Where a run stands, and the step that it may take next.

use serde::{Deserialize, Serialize};

use crate::auto::StiffnessDetector;
use crate::span::StepSpan;
use crate::step::control::ControllerState;
use crate::step::history::History;

/// All that the future of a run depends on, apart from the system and the settings.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Snapshot {
    /// Time.
    pub t: f64,
    /// State at that time.
    pub y: Vec<f64>,
    /// Its derivative there, as the last step left it: a system that solves for it by iteration may
    /// find other last bits from another start.
    pub dy: Vec<f64>,
    /// Progress that the next step builds on: its proposed length and the memory of the control.
    pub progress: Progress,
    /// Points before this one; only with multistep methods.
    #[serde(default, skip_serializing_if = "History::is_empty")]
    pub history: History,
}

impl Snapshot {
    /// True if the next step builds on points before this one.
    pub fn builds_on_points(&self) -> bool {
        self.history.has_points()
    }

    /// The earliest time at which the system may be evaluated from here on: that of the Jacobian which is kept, or else
    /// the present one.
    pub fn looks_back_to(&self) -> f64 {
        let kept = &self.history.linearised;
        match kept.is_known() {
            true => kept.t.min(self.t),
            false => self.t,
        }
    }
}

/// Progress that the next step builds on: its proposed length and the memory of the control.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Progress {
    /// Proposed length of the next step.
    pub h: f64,
    /// Memory of the step size controller.
    pub memory: ControllerState,
    /// Stiffness met; with `auto` and explicit methods.
    pub watch: StiffnessDetector,
    /// Methods of fixed step count steps from here, so that times are products and not sums.
    pub anchor: f64,
    /// Steps since the anchor.
    pub steps: u64,
}

impl Progress {
    /// Nothing is known of the past.
    pub const FRESH: Self = Self {
        h: f64::INFINITY,
        memory: ControllerState::EMPTY,
        watch: StiffnessDetector::FRESH,
        anchor: 0.0,
        steps: 0,
    };
}

/// A step that passed the error test and has not been taken.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Candidate {
    /// Its start, the committed time.
    pub t0: f64,
    /// Its end.
    pub t1: f64,
    /// Its length.
    pub h: f64,
    /// Largest estimated error in units of the tolerance; 0 for methods of fixed step.
    pub error: f64,
    /// The component of that error.
    pub component: usize,
    /// True if it is shorter than proposed because of the caller's limit.
    pub clipped: bool,
    /// True if it is shorter than proposed because of trials that failed.
    pub rejected: bool,
}

impl Candidate {
    /// From where to where it goes.
    #[inline]
    pub(super) fn span(&self) -> StepSpan {
        StepSpan {
            t0: self.t0,
            t1: self.t1,
            h: self.h,
        }
    }
}
