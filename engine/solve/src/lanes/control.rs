//! The step control in lanes.

use super::LaneStepper;
use super::wide::{LaneVec, Mask};
use crate::step::control::{ControllerKind, ControllerState};

/// The memory of the step control, per lane.
#[derive(Clone, Debug)]
pub(super) struct LaneControl {
    /// Proposed length of the next step.
    pub(super) h: LaneVec,
    /// What the controller keeps of the last step: the logarithm of its error, and its length.
    pub(super) log_error: LaneVec,
    pub(super) last_h: LaneVec,
    /// Length of the next trial where one was rejected.
    pub(super) shorter: LaneVec,
    pub(super) rejected: Mask,
}

impl LaneControl {
    pub(super) fn new() -> Self {
        let zero = LaneVec::splat(0.0);
        Self {
            h: LaneVec::splat(1.0),
            log_error: zero,
            last_h: zero,
            shorter: zero,
            rejected: 0,
        }
    }
}

impl LaneStepper {
    /// Proposes the next steps after steps that are taken.
    #[inline(always)]
    pub(super) fn propose(&mut self, taken: Mask) {
        let Some(law) = self.method.law() else { return };
        // A loop for each kind, in which nothing is asked.
        match law.kind {
            ControllerKind::Pi { alpha, beta } => self.propose_by(taken, |memory, error, h| {
                law.damped([alpha, beta], memory, error, h)
            }),
            _ => self.propose_by(taken, |memory, error, h| law.accepted(memory, error, h)),
        }
    }

    #[inline(always)]
    fn propose_by(
        &mut self,
        taken: Mask,
        law: impl Fn(&ControllerState, f64, f64) -> (f64, ControllerState),
    ) {
        let (hmin, hmax) = (self.hmin, self.hmax);
        let stable = self.stable_steps();
        let [mut next, mut logs, mut lasts] = [LaneVec::splat(0.0); 3];
        let (log_errors, last_h) = (
            self.control.log_error.values(),
            self.control.last_h.values(),
        );
        let (errors, lengths) = (self.tried.error.values(), self.tried.h.values());
        let results = next.values_mut().iter_mut().zip(logs.values_mut());
        let results = results.zip(lasts.values_mut());
        for (lane, ((next, log), last)) in results.enumerate() {
            let memory = ControllerState {
                log_error: log_errors[lane],
                h: last_h[lane],
            };
            let (length, memory) = law(&memory, errors[lane], lengths[lane]);
            (*next, *log, *last) = (length, memory.log_error, memory.h);
        }
        let h = &self.tried.h;
        if let Some(stable) = &stable {
            next.update([stable, h], |next, [stable, h]| next.min(stable.max(h)));
        }
        if self.control.rejected & taken != 0 {
            next.update_in(self.control.rejected, [h], |next, [h]| next.min(h));
        }
        self.control
            .h
            .update_in(taken, [&next], |_, [next]| next.clamp(hmin, hmax));
        self.control
            .log_error
            .update_in(taken, [&logs], |_, [log]| log);
        self.control
            .last_h
            .update_in(taken, [&lasts], |_, [last]| last);
    }

    /// Shorter trials where the error was too large. The lanes in which there is one.
    #[inline(always)]
    pub(super) fn reject(&mut self, shortest: &LaneVec, failed: Mask) -> Mask {
        let Some(law) = self.method.law() else {
            return 0;
        };
        let h = &self.tried.h;
        let mut shorter = *h;
        // A closure of this size would be a function of its own, without vectors.
        for (h, error) in shorter
            .values_mut()
            .iter_mut()
            .zip(self.tried.error.values())
        {
            *h = law.rejected(*error, *h);
        }
        let none = h.compare(shortest, |h, shortest| h <= shortest);
        let too_short = shorter.compare(h, |shorter, _| shorter < f64::MIN_POSITIVE);
        self.control
            .shorter
            .update_in(failed, [&shorter, shortest], |_, [shorter, shortest]| {
                shorter.max(shortest)
            });
        failed & !(none | too_short)
    }
}
