//! Departures from a border while the state slides along others, or rests on them: along a motion that has no series.

use crate::lower::border::{BorderId, Side};
use crate::sim::RunFault;
use crate::sim::events::iteration::sides::departures::sign;
use crate::sim::events::iteration::sides::side_selection::DepartureSign;
use crate::sim::events::modes::evaluation::evaluator::Evaluator;
use crate::sim::events::motion::Dynamics;
use crate::sim::events::motion::vector_field::Motion;
use crate::sim::events::run::fault::{step_fault, value_fault};
use crate::sim::events::state::HybridState;
use situ_solve::StepError;

/// Short ways over which a margin that leaves its border without a rate is looked at, in times of
/// [`Dynamics::short_time`].
const WAYS: [f64; 3] = [1.0, 10.0, 100.0];

/// Parts of each way behind which it is looked at.
const PARTS: [f64; 3] = [0.25, 0.5, 1.0];

/// The least power of the way with which a change grows that is no error of a rate.
const LEAST_POWER: f64 = 1.5;

/// A bound motion from a point on, looked at once for all borders on which it stands there.
#[derive(Debug, Default)]
pub(crate) struct MotionAhead {
    /// The states at the point, with their rates.
    y: Vec<f64>,
    rates: Vec<f64>,
    /// What [`Evaluator::z_first`] and [`Evaluator::z_noise`] give there, by border; empty before the look.
    first: Vec<([f64; 2], f64)>,
    /// The z of each border there.
    here: Option<Vec<f64>>,
    /// The same behind each of [`PARTS`] of the [`WAYS`] that have been followed; `None` for a way that is not defined.
    ways: Vec<Option<[Vec<f64>; PARTS.len()]>>,
}

impl Dynamics {
    /// Sign with which z leaves a border along a motion, be it bound to borders.
    ///
    /// `ahead`: of this motion and this point, or not looked at yet.
    pub(super) fn lean_along(
        &mut self,
        state: &HybridState,
        motion: &mut Motion,
        ahead: &mut MotionAhead,
        border: BorderId,
        side: Option<Side>,
    ) -> Result<DepartureSign, RunFault> {
        if !motion.is_free() {
            let zeros = state.known_zeros(border, side);
            self.look_along(state, motion, ahead)?;
            if ahead.first.len() <= border.index() {
                // The border is known since.
                *ahead = MotionAhead::default();
                self.look_along(state, motion, ahead)?;
            }
            let ([_, rate], _) = ahead.first[border.index()];
            let margin = self.modes.at(motion.mode).mode.margin(border);
            let follows_shares =
                margin.is_some_and(|margin| margin.opaque) && motion.slide.is_some();
            let rate = match zeros > 1 {
                true => 0.0,
                false if follows_shares => {
                    let change = self.change_along(state, motion, ahead, border);
                    change.unwrap_or(rate)
                }
                false => rate,
            };
            if rate == 0.0 && !follows_shares {
                let lean = self.lean_by_higher_orders(state, motion, ahead, border);
                return Ok(lean.unwrap_or_default());
            }
            return Ok(DepartureSign {
                sign: sign(rate),
                order: 1,
            });
        }
        self.lean_in(state, motion.mode, border, state.known_zeros(border, side))
    }

    /// Looks at the margins, and their rates, along a motion that is bound to borders.
    fn look_along(
        &mut self,
        state: &HybridState,
        motion: &mut Motion,
        ahead: &mut MotionAhead,
    ) -> Result<(), RunFault> {
        if ahead.first.is_empty() {
            ahead.rates = self.evaluate_along(state, motion)?;
            ahead.y.clone_from(&self.y);
            ahead.first = self.of_all_borders(motion, |evaluator, border| {
                let first = evaluator.z_first(border).unwrap_or_default();
                (first, evaluator.z_noise(border).unwrap_or_default())
            });
        }
        Ok(())
    }

    /// Something of each border in the mode of a motion, by border.
    fn of_all_borders<T>(&self, motion: &Motion, of: impl Fn(&Evaluator, BorderId) -> T) -> Vec<T> {
        let evaluator = self.modes.at(motion.mode);
        let borders = 0..evaluator.mode.margin_at.len();
        borders
            .map(|border| of(evaluator, BorderId::new(border)))
            .collect()
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
        ahead: &MotionAhead,
        border: BorderId,
    ) -> Option<f64> {
        let (_, noise) = ahead.first[border.index()];
        let (y, rates) = (&ahead.y, &ahead.rates);
        let way = self.short_time(state.t, &motion.states, y, rates);
        let steps = y.iter().zip(rates);
        let there: Vec<f64> = steps.map(|(y, rate)| y + way * rate).collect();
        let mut z = |dynamics: &mut Self, t, y: &[f64]| {
            dynamics.see_margins(state, motion, (t, y))?;
            dynamics.modes.at(motion.mode).z(border)
        };
        let there = z(self, state.t + way, &there);
        // The shares found last are those of the present point.
        let here = z(self, state.t, y);
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
        ahead: &mut MotionAhead,
        border: BorderId,
    ) -> Option<DepartureSign> {
        let margin = self.modes.at(motion.mode).mode.margin(border)?;
        if margin.still_from <= 2 {
            return None;
        }
        let at = border.index();
        let (_, noise) = ahead.first[at];
        if ahead.here.is_none() {
            ahead.here = self.z_on_motion(state, motion, (state.t, &ahead.y));
        }
        let here = ahead.here.as_ref()?[at];
        for (number, &times) in WAYS.iter().enumerate() {
            if ahead.ways.len() == number {
                let way = self.follow_way(state, motion, ahead, times);
                ahead.ways.push(way);
            }
            let there = ahead.ways[number].as_ref()?;
            let changes = [0, 1, 2].map(|part: usize| there[part][at] - here);
            if changes.iter().all(|change| change.abs() > noise) {
                let [quarter, half, whole] = changes;
                let power = f64::min(half / quarter, whole / half).log2();
                return (power > LEAST_POWER).then_some(DepartureSign {
                    sign: sign(whole),
                    order: power.round() as usize,
                });
            }
        }
        None
    }

    /// The z of each border behind the parts of a way along a motion, in times of the short time.
    fn follow_way(
        &mut self,
        state: &HybridState,
        motion: &mut Motion,
        ahead: &MotionAhead,
        times: f64,
    ) -> Option<[Vec<f64>; PARTS.len()]> {
        let y = &ahead.y;
        let way = times * self.short_time(state.t, &motion.states, y, &ahead.rates);
        let found = PARTS.map(|part| {
            let there = self.moved_along(state, motion, y, part * way)?;
            self.z_on_motion(state, motion, (state.t + part * way, &there))
        });
        // The shares found last are those of the present point.
        let seen = motion.see_all(&mut self.modes, &state.past, state.t, y);
        match found {
            [Some(quarter), Some(half), Some(whole)] if seen.is_ok() => {
                Some([quarter, half, whole])
            }
            _ => None,
        }
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

    /// The z of each border at a point of a motion.
    fn z_on_motion(
        &mut self,
        state: &HybridState,
        motion: &mut Motion,
        at: (f64, &[f64]),
    ) -> Option<Vec<f64>> {
        self.see_margins(state, motion, at)?;
        Some(self.of_all_borders(motion, |evaluator, border| {
            evaluator.z(border).unwrap_or_default()
        }))
    }

    /// Computes the margins at a point of a motion; `None` if they are not defined there.
    fn see_margins(
        &mut self,
        state: &HybridState,
        motion: &mut Motion,
        (t, y): (f64, &[f64]),
    ) -> Option<()> {
        motion.see_all(&mut self.modes, &state.past, t, y).ok()?;
        let evaluator = self.modes.get(motion.mode);
        evaluator.evaluate_margins(&state.past, t, y).ok()
    }
}
