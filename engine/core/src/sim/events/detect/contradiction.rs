//! A crossing at which an event resets the state -> whether the rates there contradict it.
//!
//! The dense output of an implicit method is as exact as its tolerances. Of a flight that is lower than these the height
//! may come down where the speed still goes up: a reset that turns the speed would push the body through the floor. Such a
//! step is tried again, shorter, until height and speed agree; where a shorter one has no room in time, or its height none in
//! the rounding errors of the margin, the flights are at their limit.

use crate::lower::border::{BorderId, Side};
use crate::sim::events::detect::Detection;
use crate::sim::events::detect::next_step::Stop;
use crate::sim::events::iteration::zeno::jumps::rows_that_depend;
use crate::sim::events::motion::Dynamics;
use crate::sim::events::motion::system::Moving;
use crate::sim::events::state::HybridState;
use situ_solve::System;
use smallvec::SmallVec;

/// A step is made shorter at most so many times.
const MOST_TRIALS: u32 = 16;

/// A rate that is so many times as large as the slope of the dense output tells nothing: in a stiff motion it is an error that
/// fades.
const FADES: f64 = 16.0;

impl Detection {
    /// True if the margin of a border that is crossed and at which a state is reset moves the other way by the rates of the
    /// states there, and the step has not been made shorter too often; if it has, the reason of the stop says so.
    pub(super) fn is_contradicted(
        &mut self,
        state: &HybridState,
        dynamics: &mut Dynamics,
        stop: &mut Option<Stop>,
        tried: u32,
    ) -> bool {
        let Some(stop) = stop.as_mut().filter(|_| self.stepper.is_implicit()) else {
            return false;
        };
        let mut borders: SmallVec<[BorderId; 4]> = stop.reason.borders.iter().copied().collect();
        borders.retain(|border| !rows_that_depend(*border, &self.plan, &dynamics.views).is_empty());
        if borders.is_empty() {
            return false;
        }
        let components = 0..self.dense.dim();
        let slopes: Vec<f64> = components
            .map(|component| self.dense.slope(component, stop.theta) / self.dense.h())
            .collect();
        let t = self.dense.time(stop.theta);
        let (mut y, mut dy) = (vec![0.0; slopes.len()], vec![0.0; slopes.len()]);
        self.dense.eval(stop.theta, &mut y);
        let mut moving = Moving {
            motion: &mut dynamics.motion,
            modes: &mut dynamics.modes,
            past: &state.past,
            fence: None,
        };
        if moving.rhs(t, &y, &mut dy).is_err() {
            return false;
        }
        let evaluator = dynamics.modes.get(dynamics.motion.mode);
        let mut rates_by = |dy: &[f64]| {
            let rates: Vec<[f64; 2]> = dy.iter().map(|&rate| [rate, 0.0]).collect();
            (evaluator.first_order(&state.past, t, &y, &rates, &[])).ok()?;
            let rates = borders.iter().map(|&border| {
                let [_, rate] = evaluator.z_first(border).unwrap_or_default();
                (rate, evaluator.z_noise(border).unwrap_or_default())
            });
            Some(rates.collect::<SmallVec<[(f64, f64); 4]>>())
        };
        let (Some(rates), Some(slopes)) = (rates_by(&dy), rates_by(&slopes)) else {
            return false;
        };
        let shorter = 0.5 * stop.theta * self.dense.h();
        let (mut is_contradicted, mut has_room) = (false, false);
        for ((border, (rate, noise)), (slope, _)) in borders.iter().zip(rates).zip(slopes) {
            let turns_back = match state.discrete.sides[border.index()] {
                Side::Plus => rate > 0.0,
                Side::Minus => rate < 0.0,
                Side::On => false,
            };
            if turns_back && rate.abs() < FADES * slope.abs() {
                is_contradicted = true;
                has_room |= rate.abs() * shorter > noise;
            }
        }
        let is_last = tried >= MOST_TRIALS || !has_room || state.t + shorter <= state.t;
        stop.reason.contradicted = is_contradicted && is_last;
        is_contradicted && !is_last
    }
}
