//! Stiffness of the motions in lanes, as their trials show it.

use super::wide::{LANES, LaneVec, Mask, lanes_in, mask_of};
use super::{LaneMethod, LaneStepper, in_lanes};
use crate::auto::{self, Implicit, StiffnessDetector, Terms};
use crate::explicit::{Tableau, match_tableau, with_tableau};
use crate::method::Method;
use crate::settings::Settings;
use crate::stepper::Progress;

/// Rounding never makes stiffness speak for the implicit method if its square, times that of the lead, is at most this...
const CLEARLY_CALM: f64 = 0.9 * auto::STIFF * auto::STIFF;
/// ...if nothing has been lost in squaring what it is divided by.
const EXACT_SQUARES: [f64; 2] = [1e-280, 1e280];

/// Which runs are looked at, and what is found.
#[derive(Clone, Debug)]
pub(super) struct LaneStiffness {
    /// True if another method takes over where the problem is stiff.
    is_watched: bool,
    /// Terms on which it is tried.
    terms: Terms,
    /// Stiffness as the trials show it, in the lanes in which it may change what is known of it.
    pub(super) detectors: Vec<StiffnessDetector>,
    pub(super) watched: Mask,
    /// Lanes in which something speaks for the implicit method.
    hinted: Mask,
}

impl LaneStiffness {
    pub(super) fn new(settings: &Settings, n: usize, has_series: bool) -> Self {
        let (method, rtol) = (settings.method, settings.rtol);
        Self {
            is_watched: matches!(
                method,
                Method::Auto | Method::Taylor | Method::Tsit5 | Method::Dop853
            ),
            terms: match method {
                Method::Auto if !has_series => Implicit::new(rtol, [n, 0]).terms(rtol),
                _ => Terms::NO_TRIAL,
            },
            detectors: vec![Progress::FRESH.watch; LANES],
            watched: 0,
            hinted: 0,
        }
    }
}

impl LaneStepper {
    /// Notes whether the steps so far of the run in a lane speak for the implicit method.
    pub(super) fn note_hints(&mut self, lane: usize) {
        if self.progress[lane].watch.is_calm() {
            self.stiffness.hinted &= !mask_of(lane);
        } else {
            self.stiffness.hinted |= mask_of(lane);
        }
    }

    /// The lanes in which a step that has passed leaves the method in use; only `auto` has another one.
    #[inline(always)]
    pub fn not_stiff(&mut self, passed: Mask) -> Mask {
        if !self.stiffness.is_watched {
            return passed;
        }
        self.stiffness.watched = match self.stiffness.terms.is_tried_anyway {
            // All steps are counted.
            true => passed,
            false => (self.may_be_stiff() | self.stiffness.hinted) & passed,
        };
        if self.stiffness.watched == 0 {
            passed
        } else {
            passed & !self.look_for_stiffness()
        }
    }

    /// All lanes in which a step speaks for the implicit method, and others that are not far from it.
    #[inline(always)]
    fn may_be_stiff(&self) -> Mask {
        let (change, distance) = in_lanes!(
            &self.method,
            M => self.squared_stiffness::<M>(),
            series => series.squared_stiffness(&self.tried.h, &self.tolerances)
        );
        let [least, most] = EXACT_SQUARES;
        let calm = CLEARLY_CALM / (self.stiffness.terms.lead * self.stiffness.terms.lead);
        change.compare(&distance, |change, distance| {
            let is_exact = (distance >= least) & (distance <= most);
            !((change <= calm * distance) & is_exact)
        })
    }

    /// The lanes of those that are watched in which the implicit method would take over.
    #[inline(always)]
    fn look_for_stiffness(&mut self) -> Mask {
        let stiffness = in_lanes!(
            &self.method,
            M => self.stiffness::<M>(),
            series => series.stiffness(&self.tried.h, &self.tolerances)
        );
        let mut changes = 0;
        for lane in lanes_in(self.stiffness.watched) {
            let (before, h) = (&self.progress[lane].watch, self.tried.h.get(lane));
            let watch = before.after_auto(h, Some(stiffness.get(lane)), self.stiffness.terms);
            self.stiffness.detectors[lane] = watch;
            if watch.stiff {
                changes |= mask_of(lane);
            }
        }
        changes
    }

    /// The longest stable steps as the trials show them, if the method bounds its steps by them.
    #[inline(always)]
    pub(super) fn stable_steps(&self) -> Option<LaneVec> {
        let stiffness = in_lanes!(
            &self.method,
            M => M::CONTROLS_STABILITY.then(|| self.stiffness::<M>()),
            _ => None
        );
        let stiffness = stiffness?;
        Some(LaneVec::from(
            [&self.tried.h, &stiffness],
            |[h, stiffness]| h / stiffness,
        ))
    }
}
