//! The flight between two bounces -> how short it is when its height is lost in errors.

use crate::ids::RealId;
use crate::lower::border::{BorderId, Side};
use crate::sim::events::motion::Dynamics;
use crate::sim::events::state::HybridState;

/// Flights that take a smaller part of the time are compared with rounding errors.
const SHORT: f64 = 1e-3;

/// So many errors of the states hide a flight.
const NOISES: f64 = 16.0;

impl Dynamics {
    /// Length of a flight away from a border whose height is lost in the rounding error of the margin,
    /// if the last one was not much longer than that; 0 if it was.
    /// It needs bounds of all margins, a twentieth of the work of a ball in a box; so it is asked only where the last
    /// rounds may shrink alike.
    pub(super) fn blur(&mut self, state: &HybridState, border: BorderId) -> f64 {
        let Some(flight) = state.zeno.last_flight() else {
            return 0.0;
        };
        if flight > SHORT * state.t.abs() || self.bound_margins(state).is_err() {
            return 0.0;
        }
        let evaluator = self.modes.at(self.motion.mode);
        let (noise, first) = (evaluator.z_noise(border), evaluator.z_first(border));
        let (Some(noise), Some([_, rate])) = (noise, first) else {
            return 0.0;
        };
        let speed = match state.discrete.sides[border.index()] {
            Side::Minus => -rate,
            Side::On | Side::Plus => rate,
        };
        flight_as_high_as(noise, speed, flight)
    }

    /// Length of a flight away from a border whose height is lost in the errors of the states; 0 where the last rounds
    /// do not shrink alike, or that cannot be told.
    pub(super) fn hidden(
        &mut self,
        state: &HybridState,
        border: BorderId,
        tolerance: impl Fn(RealId, f64) -> f64,
    ) -> f64 {
        let Some(flight) = state.zeno.last_flight() else {
            return 0.0;
        };
        let mode = self.motion.mode;
        let Ok(gradient) = self.gradient(state, border, mode) else {
            return 0.0;
        };
        let evaluator = self.modes.get(mode);
        if !evaluator.is_affine(border) && evaluator.margin_rates().is_err() {
            return 0.0;
        }
        let states = &evaluator.mode.states;
        let parts = gradient.iter().map(|&(component, slope)| {
            let real = states[component];
            slope.abs() * tolerance(real, state.reals[real.index()])
        });
        let error: f64 = parts.sum();
        evaluator.write_rates(&mut self.y);
        let rate = evaluator.z_rate(border, &self.y).unwrap_or_default();
        flight_as_high_as(NOISES * error, rate.abs(), flight)
    }
}

/// Length of a flight that rises to a height, where one of a known length begins with a known speed.
fn flight_as_high_as(height: f64, speed: f64, flight: f64) -> f64 {
    let own = 0.25 * speed * flight;
    if own > 0.0 {
        flight * (height / own).sqrt()
    } else {
        f64::INFINITY
    }
}
