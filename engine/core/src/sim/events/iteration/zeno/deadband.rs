//! Dead bands: borders at which events follow each other in no time at all are not crossed for a while.
//!
//! Bodies that touch and do not move against each other (Newton's cradle at rest) are apart, or in each other, by
//! errors of the state, and so are their speeds. An elastic push between them turns a speed that is such an error,
//! and the next push follows in less than a rounding error of the time: that does not end, and tells nothing of
//! the motion. Such a border gets a dead band: it is not crossed while, in a whole step, its z gets no further than
//! the tolerances of the states reach. It is known again as soon as its z is beyond that.

use crate::lower::border::BorderId;
use crate::sim::RunFault;
use crate::sim::events::detect::Detection;
use crate::sim::events::detect::departure::Departures;
use crate::sim::events::iteration::EventIteration;
use crate::sim::events::iteration::event_iteration::EventCause;
use crate::sim::events::motion::Dynamics;
use crate::sim::events::state::HybridState;
use situ_solve::Method;

/// After so many instants without progress of the time the borders that are crossed get a dead band.
const PATIENCE: u32 = 8;

/// In derivatives of higher order no dense output is trusted to tell how a margin leaves its border.
const HIGHEST: usize = 3;

/// A motion is stiff where the rates of the dense output differ from its own by more than this part.
const STIFF: f64 = 0.5;

impl Dynamics {
    /// Borders that are crossed at an instant get a dead band if the time has stood still for long, and lose it if it
    /// has moved.
    pub(crate) fn suppress(
        &mut self,
        state: &mut HybridState,
        crossed: &[BorderId],
    ) -> Result<(), RunFault> {
        if state.progress.stalled == 0 {
            state.quiet.retain(|border| !crossed.contains(border));
        }
        if state.progress.stalled < PATIENCE || !self.motion.is_free() {
            return Ok(());
        }
        for &border in crossed {
            if !state.quiet.contains(&border) {
                let z = self.z_now(state, border)?;
                if !self.is_off(state, border, z)? {
                    state.quiet.push(border);
                }
            }
        }
        Ok(())
    }
}

impl Dynamics {
    /// Gives borders at which instants gather dead bands, if they are kinks that bend values and decide nothing else: the least
    /// of several that are alike has nearly the same value whichever it is taken for. False, and nothing is changed, if not.
    pub(crate) fn suppress_bends(
        &mut self,
        state: &mut HybridState,
        borders: &[BorderId],
    ) -> Result<bool, RunFault> {
        if borders.is_empty() || !self.motion.is_free() {
            return Ok(false);
        }
        for &border in borders {
            let ranges = self.views.ranges_by_border.get(border.index());
            let kinks = &self.modes.at(self.motion.mode).mode.kinks;
            let mut own = kinks
                .iter()
                .filter(|kink| kink.view.border == border)
                .peekable();
            let bends = own.peek().is_some() && own.all(|kink| !kink.jumps);
            if !bends || ranges.is_some_and(|ranges| !ranges.is_empty()) {
                return Ok(false);
            }
            let z = self.z_now(state, border)?;
            if self.is_off(state, border, z)? {
                return Ok(false);
            }
        }
        for &border in borders {
            if !state.quiet.contains(&border) {
                state.quiet.push(border);
            }
        }
        Ok(true)
    }
}

impl EventIteration {
    /// Notes which of the borders just crossed the dense output crosses at another rate than the motion, as that of an
    /// implicit step does in a stiff motion.
    pub(crate) fn note_stiff(
        &mut self,
        state: &HybridState,
        dynamics: &mut Dynamics,
        detect: &Detection,
        reason: &EventCause,
    ) {
        if !detect.stepper.is_implicit() || !dynamics.motion.is_free() {
            return;
        }
        // Beside the end of a root no rate tells of the way on, nor behind a multistep method's low orders after a restart.
        let evaluator = dynamics.modes.at(dynamics.motion.mode);
        let is_rough = evaluator.has_roots() || self.plan.config.settings.method == Method::Bdf;
        for &border in &reason.borders {
            let agree =
                |[seen, own]: [f64; 2]| (seen - own).abs() <= STIFF * seen.abs().max(own.abs());
            let mut rates = || detect.rates_across(state, dynamics, border);
            let is_stiff = is_rough || !rates().is_some_and(agree);
            if is_stiff && !reason.jumps.contains(&border) {
                self.iteration.borders.stiff.push(border);
            }
        }
    }

    /// Gives the borders just crossed in a stiff motion a dead band until the state has left them: the motion goes on
    /// with the errors of the dense output, which fade in a time far shorter than the step.
    pub(crate) fn hush_if_stiff(
        &self,
        state: &mut HybridState,
        dynamics: &Dynamics,
        detect: &Detection,
    ) {
        let jumped = || {
            let mut states = dynamics.motion.states.iter().map(|real| real.index());
            states.any(|real| state.reals[real] != self.before_jump[real])
        };
        let stiff = &self.iteration.borders.stiff;
        let goes_on = detect.rest.from > 0.0;
        if stiff.is_empty() || goes_on || !dynamics.motion.is_free() || jumped() {
            return;
        }
        for &border in stiff {
            if !state.quiet.contains(&border) {
                state.quiet.push(border);
            }
        }
    }
}

impl Detection {
    /// The rates at which the dense output and the motion take the margin of a border across it, where the step has ended;
    /// `None` where they are not known.
    fn rates_across(
        &self,
        state: &HybridState,
        dynamics: &mut Dynamics,
        border: BorderId,
    ) -> Option<[f64; 2]> {
        let theta = self.cut_at.unwrap_or(1.0);
        let states = dynamics.motion.states.len();
        if !self.dense_is_ready || self.dense.dim() < states {
            return None;
        }
        let slopes =
            (0..states).map(|component| self.dense.slope(component, theta) / self.dense.h());
        let slopes: Vec<[f64; 2]> = slopes.map(|slope| [slope, 0.0]).collect();
        let evaluator = dynamics.modes.get(dynamics.motion.mode);
        evaluator.states(&state.reals, &mut dynamics.y);
        let mut rate = |rates: &[[f64; 2]]| {
            let computed = evaluator.first_order(&state.past, state.t, &dynamics.y, rates, &[]);
            computed.ok()?;
            evaluator.z_first(border).map(|[_, rate]| rate)
        };
        Some([rate(&slopes)?, rate(&[])?])
    }

    /// Updates the dead bands of borders, from the tolerances there; borders that the state has left lose theirs.
    #[inline]
    pub(crate) fn write_quiet(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        departures: &Departures,
    ) -> Result<(), RunFault> {
        // To which side a margin leaves in a higher order is hidden by the errors of the method for a while.
        let seen = self.stepper.dense_order().min(HIGHEST);
        for (border, _, zeros) in departures.leaves() {
            if zeros > seen && !state.quiet.contains(&border) {
                state.quiet.push(border);
            }
        }
        self.quiet_reaches.clear();
        match state.quiet.is_empty() {
            true => Ok(()),
            false => self.write_dead_bands(state, dynamics),
        }
    }

    #[inline(never)]
    fn write_dead_bands(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
    ) -> Result<(), RunFault> {
        for border in std::mem::take(&mut state.quiet) {
            let seen = dynamics
                .modes
                .at(dynamics.motion.mode)
                .mode
                .margin(border)
                .is_some();
            if !(seen && dynamics.motion.is_free()) {
                continue;
            }
            let z = dynamics.z_now(state, border)?;
            if !dynamics.is_off(state, border, z)? {
                state.quiet.push(border);
                let reach = dynamics.reach(state, border)?;
                self.quiet_reaches.push((border, reach));
            }
        }
        Ok(())
    }
}
