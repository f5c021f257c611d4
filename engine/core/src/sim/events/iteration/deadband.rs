//! Borders at which events follow each other in no time at all.
//!
//! Bodies that touch and do not move against each other (Newton's cradle at rest) are apart, or in each other, by
//! errors of the state, and so are their speeds. An elastic push between them turns a speed that is such an error,
//! and the next push follows in less than a rounding error of the time: that does not end, and tells nothing of
//! the motion. Such a border becomes quiet: it is not crossed while, in a whole step, its z gets no further than
//! the tolerances of the states reach. It is known again as soon as its z is beyond that.

use crate::lower::border::BorderId;
use crate::sim::RunFault;
use crate::sim::events::run::Hybrid;

/// After so many instants without progress of the time the borders that are crossed become quiet.
const PATIENCE: u32 = 8;

impl Hybrid {
    /// Borders that are crossed at an instant are quiet if the time has stood still for long, and are not if it
    /// has moved.
    pub(super) fn hush(&mut self, crossed: &[BorderId]) -> Result<(), RunFault> {
        if self.state.progress.stalled == 0 {
            self.state.quiet.retain(|border| !crossed.contains(border));
        }
        if self.state.progress.stalled < PATIENCE || !self.dynamics.motion.is_free() {
            return Ok(());
        }
        for &border in crossed {
            if !self.state.quiet.contains(&border) {
                let z = self.z_now(border)?;
                if !self.is_off(border, z)? {
                    self.state.quiet.push(border);
                }
            }
        }
        Ok(())
    }

    /// Where a motion is stiff it goes on from a crossing with the errors of the dense output, which fade in a time far
    /// shorter than the step: the border just crossed is quiet until the state has left it.
    pub(super) fn hush_if_stiff(&mut self, crossed: &[BorderId]) {
        let jumped = || {
            let mut states = self.dynamics.motion.states.iter().map(|real| real.index());
            states.any(|real| self.state.reals[real] != self.events.before_jump[real])
        };
        let goes_on = self.detect.rest.from > 0.0;
        if goes_on
            || !self.detect.stepper.is_implicit()
            || !self.dynamics.motion.is_free()
            || jumped()
        {
            return;
        }
        for &border in crossed {
            if !self.state.quiet.contains(&border) {
                self.state.quiet.push(border);
            }
        }
    }

    /// Looks how far tolerances reach at quiet borders; those that the state has left are quiet no more.
    pub(crate) fn write_quiet(&mut self) -> Result<(), RunFault> {
        self.detect.quiet_reaches.clear();
        for border in std::mem::take(&mut self.state.quiet) {
            let seen = self
                .dynamics
                .modes
                .at(self.dynamics.motion.mode)
                .mode
                .margin(border)
                .is_some();
            if !(seen && self.dynamics.motion.is_free()) {
                continue;
            }
            let z = self.z_now(border)?;
            if !self.is_off(border, z)? {
                self.state.quiet.push(border);
                let reach = self.reach(border)?;
                self.detect.quiet_reaches.push((border, reach));
            }
        }
        Ok(())
    }
}
