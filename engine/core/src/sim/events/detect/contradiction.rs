//! A crossing at which an event resets the state -> whether the rates there contradict it.
//!
//! The dense output of an implicit method is as exact as its tolerances. Of a flight that is lower than these the height
//! may come down where the speed still goes up: a reset that turns the speed would push the body through the floor. Such a
//! step is tried again, shorter, until height and speed agree.

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
    /// states there, and the step has not been made shorter too often.
    pub(super) fn is_contradicted(
        &mut self,
        state: &HybridState,
        dynamics: &mut Dynamics,
        stop: &Stop,
        tried: u32,
    ) -> bool {
        if tried >= MOST_TRIALS || !self.stepper.is_implicit() {
            return false;
        }
        let evaluator = dynamics.modes.at(dynamics.motion.mode);
        let affine = stop.reason.borders.iter().copied();
        let mut borders: SmallVec<[BorderId; 4]> = affine
            .filter(|border| evaluator.is_affine(*border))
            .collect();
        borders.retain(|border| !rows_that_depend(*border, &self.plan, &dynamics.views).is_empty());
        if borders.is_empty() {
            return false;
        }
        let components = 0..self.dense.dim();
        let slopes: Vec<f64> = components
            .map(|component| self.dense.slope(component, stop.theta) / self.dense.h())
            .collect();
        let (mut y, mut dy) = (vec![0.0; slopes.len()], vec![0.0; slopes.len()]);
        self.dense.eval(stop.theta, &mut y);
        let mut moving = Moving {
            motion: &mut dynamics.motion,
            modes: &mut dynamics.modes,
            past: &state.past,
            fence: None,
        };
        if moving
            .rhs(self.dense.time(stop.theta), &y, &mut dy)
            .is_err()
        {
            return false;
        }
        let evaluator = dynamics.modes.at(dynamics.motion.mode);
        borders.into_iter().any(|border| {
            let [Some(rate), Some(slope)] = [&dy, &slopes].map(|dy| evaluator.z_rate(border, dy))
            else {
                return false;
            };
            let turns_back = match state.discrete.sides[border.index()] {
                Side::Plus => rate > 0.0 && slope < 0.0,
                Side::Minus => rate < 0.0 && slope > 0.0,
                Side::On => false,
            };
            turns_back && rate.abs() < FADES * slope.abs()
        })
    }
}
