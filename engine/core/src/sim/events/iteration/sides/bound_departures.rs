//! Departures from a border while the state slides along others, or rests on them: along a motion that has no series.

use crate::lower::border::{BorderId, Side};
use crate::sim::RunFault;
use crate::sim::events::iteration::sides::departures::sign;
use crate::sim::events::iteration::sides::side_selection::DepartureSign;
use crate::sim::events::motion::Dynamics;
use crate::sim::events::motion::vector_field::Motion;
use crate::sim::events::run::fault::{step_fault, value_fault};
use crate::sim::events::state::HybridState;
use situ_solve::StepError;

/// A change below so many times the rounding error of the margin counts as none.
const NOISES: f64 = 16.0;

/// Short ways over which a margin that leaves its border without a rate is looked at, in times of
/// [`Dynamics::short_time`].
const WAYS: [f64; 3] = [1.0, 10.0, 100.0];

/// The least power of the way with which a change grows that is no error of a rate.
const LEAST_POWER: f64 = 1.5;

impl Dynamics {
    /// Sign with which z leaves a border along a motion, be it bound to borders.
    pub(super) fn lean_along(
        &mut self,
        state: &HybridState,
        motion: &mut Motion,
        border: BorderId,
        side: Option<Side>,
    ) -> Result<DepartureSign, RunFault> {
        if !motion.is_free() {
            let zeros = state.known_zeros(border, side);
            let rates = self.evaluate_along(state, motion)?;
            let evaluator = self.modes.at(motion.mode);
            let [_, rate] = evaluator.z_first(border).unwrap_or_default();
            let margin = evaluator.mode.margin(border);
            let follows_shares =
                margin.is_some_and(|margin| margin.opaque) && motion.slide.is_some();
            let rate = match zeros > 1 {
                true => 0.0,
                false if follows_shares => {
                    let change = self.change_along(state, motion, border, &rates);
                    change.unwrap_or(rate)
                }
                false => rate,
            };
            if rate == 0.0 && !follows_shares {
                let lean = self.lean_by_higher_orders(state, motion, border, &rates);
                return Ok(lean.unwrap_or_default());
            }
            return Ok(DepartureSign {
                sign: sign(rate),
                order: 1,
            });
        }
        self.lean_in(state, motion.mode, border, state.known_zeros(border, side))
    }

    /// The z of a border and its rate along a motion, be it bound to borders.
    pub(super) fn z_along(
        &mut self,
        state: &HybridState,
        motion: &mut Motion,
        border: BorderId,
    ) -> Result<[f64; 2], RunFault> {
        if motion.is_free() {
            return self.z_in(state, motion.mode, border);
        }
        self.evaluate_along(state, motion)?;
        let evaluator = self.modes.at(motion.mode);
        Ok(evaluator.z_first(border).unwrap_or_default())
    }

    /// Evaluates the margins and their rates along a motion that is bound to borders; the rates of the states.
    fn evaluate_along(
        &mut self,
        state: &HybridState,
        motion: &mut Motion,
    ) -> Result<Vec<f64>, RunFault> {
        let t = state.t;
        let states = motion.states.iter();
        self.y.clear();
        self.y.extend(states.map(|real| state.reals[real.index()]));
        let mut rates = vec![0.0; self.y.len()];
        motion
            .rates(&mut self.modes, &state.past, t, &self.y, &mut rates)
            .map_err(|_| step_fault(motion, StepError::Start { t, component: None }))?;
        let bounded = motion.with_errors(&rates);
        let evaluator = self.modes.get(motion.mode);
        evaluator
            .first_order(&state.past, t, &self.y, &bounded, &[])
            .map_err(|fault| value_fault(t, fault))?;
        Ok(rates)
    }

    /// The change of a border's z over a short way along a slide; 0 what is 0 up to rounding. `None` where the way is not
    /// defined.
    ///
    /// A margin that reads what the modes mix moves with their shares, too, whose rates nobody computes. (A block that
    /// sticks feels no resulting force, at any time: with the shares held the force would seem to grow.)
    fn change_along(
        &mut self,
        state: &HybridState,
        motion: &mut Motion,
        border: BorderId,
        rates: &[f64],
    ) -> Option<f64> {
        let noise = self.change_noise(motion, border);
        let y = self.y.clone();
        let way = self.short_time(state.t, &motion.states, &y, rates);
        let steps = y.iter().zip(rates);
        let there: Vec<f64> = steps.map(|(y, rate)| y + way * rate).collect();
        let there = self.z_on_motion(state, motion, border, (state.t + way, &there));
        // The shares found last are those of the present point.
        let here = self.z_on_motion(state, motion, border, (state.t, &y));
        let change = there.zip(here).map(|(there, here)| there - here)?;
        Some(if change.abs() <= noise { 0.0 } else { change })
    }

    /// Sign with which z leaves a border along a bound motion on which its rate is 0: that of its change over the shortest
    /// way on which it shows. A change that does not grow faster than the way is the error of a rate.
    #[cold]
    fn lean_by_higher_orders(
        &mut self,
        state: &HybridState,
        motion: &mut Motion,
        border: BorderId,
        rates: &[f64],
    ) -> Option<DepartureSign> {
        let margin = self.modes.at(motion.mode).mode.margin(border)?;
        if margin.still_from <= 2 {
            return None;
        }
        let noise = self.change_noise(motion, border);
        let y = self.y.clone();
        let short = self.short_time(state.t, &motion.states, &y, rates);
        let here = self.z_on_motion(state, motion, border, (state.t, &y))?;
        let mut found = None;
        for way in WAYS.map(|times| times * short) {
            let changes = [0.25, 0.5, 1.0].map(|part| {
                let there = self.moved_along(state, motion, &y, part * way)?;
                let there = (state.t + part * way, &there[..]);
                Some(self.z_on_motion(state, motion, border, there)? - here)
            });
            let [Some(quarter), Some(half), Some(whole)] = changes else {
                break;
            };
            if changes.iter().flatten().all(|change| change.abs() > noise) {
                let power = f64::min(half / quarter, whole / half).log2();
                found = (power > LEAST_POWER).then_some(DepartureSign {
                    sign: sign(whole),
                    order: power.round() as usize,
                });
                break;
            }
        }
        // The shares found last are those of the present point.
        motion
            .see_all(&mut self.modes, &state.past, state.t, &y)
            .ok()?;
        found
    }

    /// The states behind a step of the classical Runge-Kutta method along a motion.
    fn moved_along(
        &mut self,
        state: &HybridState,
        motion: &mut Motion,
        y: &[f64],
        way: f64,
    ) -> Option<Vec<f64>> {
        let mut rates = vec![0.0; y.len()];
        let (mut there, mut end) = (y.to_vec(), y.to_vec());
        for (before, weight) in [(0.0, 1.0), (0.5, 2.0), (0.5, 2.0), (1.0, 1.0)] {
            for ((there, y), rate) in there.iter_mut().zip(y).zip(&rates) {
                *there = y + before * way * rate;
            }
            let t = state.t + before * way;
            let seen = motion.rates(&mut self.modes, &state.past, t, &there, &mut rates);
            seen.ok()?;
            for (end, rate) in end.iter_mut().zip(&rates) {
                *end += weight / 6.0 * way * rate;
            }
        }
        Some(end)
    }

    fn z_on_motion(
        &mut self,
        state: &HybridState,
        motion: &mut Motion,
        border: BorderId,
        (t, y): (f64, &[f64]),
    ) -> Option<f64> {
        motion.see_all(&mut self.modes, &state.past, t, y).ok()?;
        let evaluator = self.modes.get(motion.mode);
        evaluator.evaluate_margins(&state.past, t, y).ok()?;
        evaluator.z(border)
    }

    /// What a change of a border's z is compared with, after [`Evaluator::first_order`].
    fn change_noise(&self, motion: &Motion, border: BorderId) -> f64 {
        let noise = self.modes.at(motion.mode).z_noise(border);
        NOISES * noise.unwrap_or_default()
    }
}
