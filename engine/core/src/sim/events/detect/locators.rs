//! Ways to locate an event in a step.
//!
//! Besides the roots of margins on the dense output there are the cruder ways of teaching and of
//! other simulators, which see only the signs at the ends of steps, and a careful one that never
//! evaluates the rates beyond a border.

use crate::sim::events::detect::Detection;
use crate::sim::events::motion::Dynamics;
use crate::sim::events::state::HybridState;
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

use crate::lower::border::{BorderId, Side};
use crate::sim::events::detect::departure::{Departure, Departures};
use crate::sim::events::iteration::event_iteration::EventCause;
use crate::sim::events::motion::vector_field::Motion;
use crate::sim::events::run::fault::value_fault;
use crate::sim::{RunFault, secant};
use situ_solve::{Dense, Locate};

/// Of the way to a border so much is left by one step of one-sided location.
const LEFT: f64 = 1e-3;

/// A border nearer in time than so many rounding errors has been reached.
const REACHED: f64 = 8.0 * f64::EPSILON;

/// Times that the distance at which a border counts as reached is doubled to be beyond it.
const DOUBLINGS: u32 = 31;

/// The last end of a step before the present one, since the last event.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Before {
    pub(crate) t: f64,
    pub(super) y: Vec<f64>,
    pub(super) known: bool,
}

/// Guard on the evaluations of the rates of a free motion: margins and their sides.
#[derive(Debug)]
pub(crate) struct DomainGuard<'a> {
    pub(crate) departures: &'a Departures,
    /// Per border whether nothing in the model depends on it.
    pub(crate) only_watched: &'a [bool],
    /// Per border how far the state may still be on the other side, if it is being left.
    pub(crate) slack: &'a [f64],
    /// The time of a committed point, which is not beyond anything.
    pub(crate) committed: Option<f64>,
    /// True if points beyond a border are refused.
    pub(crate) refuses: bool,
    /// Borders beyond which the state may be by its errors.
    pub(crate) quiet: &'a [BorderId],
    /// Number of evaluations made beyond a border.
    pub(crate) beyond: &'a mut u64,
}

impl DomainGuard<'_> {
    /// True if a z is beyond its border, or has no value.
    pub(crate) fn is_beyond(&self, border: BorderId, z: f64) -> bool {
        if self.only_watched[border.index()] || self.quiet.contains(&border) {
            return false;
        }
        let signed = |side: Side| match side {
            Side::Minus => -z,
            Side::On | Side::Plus => z,
        };
        if border.index() >= self.departures.sides.len() {
            return false;
        }
        match self.departures.of(border) {
            Departure::Stays => false,
            _ if z.is_nan() => true,
            Departure::Off(Side::On) => false,
            Departure::Off(side) => signed(side) <= 0.0,
            Departure::Leaves(side, _) => signed(side) < -self.slack[border.index()],
        }
    }
}

/// Limit of the next step.
pub(super) enum Approach {
    /// To this time.
    Until(f64),
    /// Nowhere: these borders have been reached.
    Reached(Vec<BorderId>),
}

impl Dynamics {
    /// Longest step that does not meet a border, by the series of the margins.
    ///
    /// A margin that is 0 up to rounding is on its border: it comes no nearer, and one that leads away leaves
    /// it, since on the way rounding shows points on the border, too.
    pub(super) fn approach(
        &mut self,
        state: &HybridState,
        departures: &mut Departures,
    ) -> Result<Approach, RunFault> {
        let t = state.t;
        if !self.motion.is_free() {
            return Ok(Approach::Until(f64::INFINITY));
        }
        let evaluator = self.modes.get(self.motion.mode);
        evaluator.states(&state.reals, &mut self.y);
        evaluator
            .taylor(&state.past, t, &self.y, &[])
            .map_err(|fault| value_fault(t, fault))?;
        let mut nearest = f64::INFINITY;
        let mut reached = Vec::new();
        for margin in evaluator.mode.margins.iter() {
            let index = margin.border.index();
            let side = match departures.of(margin.border) {
                Departure::Off(side) if !state.borders.only_watched[index] => side,
                _ => continue,
            };
            if state.quiet.contains(&margin.border) {
                continue;
            }
            let sign = if side == Side::Minus { -1.0 } else { 1.0 };
            let z = sign * evaluator.z(margin.border).unwrap_or_default();
            let series = evaluator.z_series(margin.border).unwrap_or_default();
            // At the edge of its domain its slope tells nothing.
            if !series.iter().all(|c| c.is_finite()) {
                continue;
            }
            let way = first_root(z, sign * series[1], sign * series[2]);
            let near = way <= REACHED * t.abs().max(f64::MIN_POSITIVE);
            let mut orders = series.iter().enumerate();
            match orders.find(|(_, c)| **c != 0.0) {
                Some((order @ 1.., c)) if sign * c > 0.0 => {
                    departures.set(margin.border, Departure::Leaves(side, order));
                }
                Some((1.., _)) => reached.push(margin.border),
                None => departures.set(margin.border, Departure::Stays),
                Some(_) if near || z <= 0.0 => reached.push(margin.border),
                Some(_) => {}
            }
            nearest = nearest.min(way);
        }
        if reached.is_empty() {
            return Ok(Approach::Until(t + (1.0 - LEFT) * nearest));
        }
        Ok(Approach::Reached(reached))
    }

    /// Per border how far the state may be on the side that it is leaving, in an evaluation: no deeper than it
    /// is now, but for its errors.
    pub(crate) fn slacks(
        &mut self,
        state: &HybridState,
        departures: &Departures,
    ) -> Result<SmallVec<[f64; 8]>, RunFault> {
        if !self.motion.is_free() {
            return Ok(SmallVec::new());
        }
        let atol = self.plan.config.atol;
        let evaluator = self.margins_now(state)?;
        let mut slacks = SmallVec::from_elem(0.0, departures.sides.len());
        for (border, side, _) in departures.leaves() {
            let z = evaluator.z(border).unwrap_or_default();
            let beyond = if side == Side::Minus { z } else { -z };
            slacks[border.index()] = atol + beyond.max(0.0);
        }
        Ok(slacks)
    }

    /// The border that is reached first at the present rates, and how long that takes, where no step is let
    /// through.
    pub(super) fn nearest(
        &mut self,
        state: &HybridState,
        departures: &Departures,
    ) -> Result<(f64, Option<BorderId>), RunFault> {
        let t = state.t;
        let evaluator = self.modes.get(self.motion.mode);
        evaluator.states(&state.reals, &mut self.y);
        evaluator
            .first_order(&state.past, t, &self.y, &[], &[])
            .map_err(|fault| value_fault(t, fault))?;
        let mut nearest = (f64::INFINITY, None);
        for margin in evaluator.mode.margins.iter() {
            let border = margin.border;
            let Departure::Off(side) = departures.of(border) else {
                continue;
            };
            let quiet = state.quiet.contains(&border);
            if quiet || state.borders.only_watched[border.index()] {
                continue;
            }
            let sign = if side == Side::Minus { -1.0 } else { 1.0 };
            let first = evaluator.z_computed(border).unwrap_or_default();
            let [z, rate] = first.map(|c| sign * c);
            if rate.is_finite() && (rate < 0.0 || z < 0.0) {
                let way = (z / rate).abs();
                if way < nearest.0 {
                    nearest = (way, Some(border));
                }
            }
        }
        Ok(nearest)
    }

    /// Brings the state, which location left off some borders by rounding, onto them, where a root is taken of what may
    /// be their margin: that of `sqrt(abs(x))` at x = 0 is no number on either branch beyond.
    pub(crate) fn project_onto(
        &mut self,
        state: &mut HybridState,
        borders: &[BorderId],
    ) -> Result<(), RunFault> {
        if !self.modes.at(self.motion.mode).has_roots() {
            return Ok(());
        }
        for &border in borders {
            let z = self.z_now(state, border)?;
            let Some(along) = self.way_up(border).filter(|_| z != 0.0) else {
                continue;
            };
            let rounding = along.iter().map(|(real, part)| {
                16.0 * f64::EPSILON * state.reals[real.index()].abs() / part.abs()
            });
            if z.abs() <= rounding.sum::<f64>() + 16.0 * f64::EPSILON {
                state.shift(&along, -z);
                self.write_reals(state)?;
                let left = self.z_now(state, border)?;
                let (real, part) = along[0];
                let square: f64 = along.iter().map(|(_, part)| part * part).sum();
                state.reals[real.index()] -= left * square / part;
                self.write_reals(state)?;
            }
        }
        Ok(())
    }
}

impl Detection {
    /// Brings the state, which one-sided location left before some borders by rounding errors of the
    /// time, onto them: along the line or the dense output that led there, so that the rates are not
    /// evaluated. What the margins follow from goes with it: a hysteresis that reads `e = 1.1 - x` latches by that. What
    /// else follows from others is left as it is; the mode behind the border computes it. Left where it was, the state
    /// would decide what lies behind the border on its wrong side.
    pub(crate) fn step_onto(
        &self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        borders: &[BorderId],
    ) -> Result<(), RunFault> {
        let t = state.t;
        let still = t == self.stepper.t();
        let states = dynamics.motion.states.iter();
        let start: Vec<f64> = states.map(|real| state.reals[real.index()]).collect();
        let mut y = start.clone();
        for doubling in 0..DOUBLINGS {
            let h = f64::EPSILON * t.abs() * f64::from(1_u32 << doubling);
            if still {
                let line = start.iter().zip(self.stepper.dy());
                for (y, (start, rate)) in y.iter_mut().zip(line) {
                    *y = start + h * rate;
                }
            } else {
                self.dense.eval(self.dense.theta(t + h), &mut y);
            }
            let evaluator = dynamics.modes.get(dynamics.motion.mode);
            evaluator
                .evaluate_margins(&state.past, t + h, &y)
                .map_err(|fault| value_fault(t, fault))?;
            let mut borders = borders.iter();
            let passed = |border: &BorderId| {
                let side = state.discrete.sides[border.index()];
                evaluator.z(*border).is_none_or(|z| Side::of(z) != side)
            };
            if borders.all(passed) {
                // Where values end at the border itself the state stays before it.
                if evaluator.has_roots() && !evaluator.is_defined(&state.past, t + h, &y) {
                    break;
                }
                state.t = t + h;
                let evaluator = dynamics.modes.get(dynamics.motion.mode);
                evaluator
                    .evaluate_margins(&state.past, state.t, &y)
                    .map_err(|fault| value_fault(t, fault))?;
                evaluator.algebraic_of_margins(&mut state.reals);
                for (real, y) in dynamics.motion.states.iter().zip(&y) {
                    state.reals[real.index()] = *y;
                }
                break;
            }
        }
        Ok(())
    }

    /// The first event as the signs at the ends of the step tell: where [theta], and what; the state
    /// between the ends is then that of the line or parabola, and so is the dense output.
    ///
    /// A border that the step leaves and comes back over is taken at the end of the step: the line from the border
    /// would meet it where the step begins, without progress, and a parabola would come as near to that point as the
    /// slope there is to 0. Nothing is placed before the end of such a step, since the line does not show in which
    /// order borders are crossed.
    pub(super) fn search_ends(
        &mut self,
        state: &HybridState,
        dynamics: &mut Dynamics,
        departures: &Departures,
    ) -> Option<(f64, EventCause)> {
        let way = self.plan.config.locate;
        let dense = std::mem::take(&mut self.dense);
        let n = dense.dim();
        let back = if state.before.known && state.before.y.len() == n {
            dense.theta(state.before.t)
        } else {
            0.0
        };
        let points: Vec<f64> = if way == Locate::Quadratic && back < 0.0 {
            vec![back, 0.0, 1.0]
        } else {
            vec![0.0, 1.0]
        };
        let mut states = vec![vec![0.0; n]; points.len()];
        let mut values: Vec<Vec<f64>> = Vec::with_capacity(points.len());
        let margins = dynamics.modes.at(dynamics.motion.mode).mode.margins.clone();
        let mut reals = state.reals.clone();
        let mut exits = Vec::new();
        for (&theta, y) in points.iter().zip(&mut states) {
            let t = dense.time(theta);
            if theta < 0.0 {
                y.copy_from_slice(&state.before.y);
            } else {
                dense.eval(theta, y);
            }
            let (motion, modes): (&mut Motion, _) = (&mut dynamics.motion, &mut dynamics.modes);
            let seen = motion.write(modes, &state.past, t, y, &mut reals);
            let mut row: Vec<f64> = margins
                .iter()
                .map(|margin| match seen {
                    Ok(()) => modes.at(motion.mode).z(margin.border).unwrap_or(f64::NAN),
                    Err(_) => f64::NAN,
                })
                .collect();
            if motion.n_exits() > 0 {
                if motion.exits(modes, &state.past, t, y, &mut exits).is_err() {
                    exits.fill(f64::NAN);
                }
                row.extend(&exits);
            }
            values.push(row);
        }
        let mut found: Vec<(f64, usize)> = Vec::new();
        let mut comes_back = false;
        for index in 0..values[0].len() {
            let (held, leaves) = match margins.get(index) {
                None => (Side::Minus, false),
                Some(margin) => {
                    let border = margin.border;
                    // What is known in advance is landed on.
                    if state.borders.only_watched[border.index()]
                        || dynamics.motion.bound_to(border)
                        || margin.timing.is_some()
                    {
                        continue;
                    }
                    match departures.of(border) {
                        Departure::Off(side) => (side, false),
                        Departure::Leaves(side, _) => (side, true),
                        Departure::Stays => continue,
                    }
                }
            };
            let sign = match held {
                Side::Minus => -1.0,
                Side::On => continue,
                Side::Plus => 1.0,
            };
            let z: Vec<f64> = values.iter().map(|row| sign * row[index]).collect();
            let end = z[z.len() - 1];
            if end > 0.0 || end.is_nan() || (leaves && end == 0.0) {
                continue;
            }
            let theta = match (way, &z[..]) {
                // It has left the border and come back over it: from the ends no more is seen.
                _ if leaves => {
                    comes_back = true;
                    1.0
                }
                (Locate::None, _) => 1.0,
                (_, &[before, start, end]) => secant::zero(Some((points[0], before)), start, end),
                (_, &[start, end]) => secant::zero(None, start, end),
                _ => 1.0,
            };
            found.push((theta, index));
        }
        if comes_back {
            // Nor which came first of it and the others: `s < -1` would still hold where `s > 1` is reached.
            found.iter_mut().for_each(|(theta, _)| *theta = 1.0);
        }
        let first = found
            .iter()
            .map(|(theta, _)| *theta)
            .fold(f64::INFINITY, f64::min);
        if first.is_infinite() {
            self.dense = dense;
            return None;
        }
        let mut reason = EventCause::default();
        let together = 64.0 * f64::EPSILON * dense.t1().abs().max(dense.h()) / dense.h();
        for (_, index) in found.iter().filter(|(theta, _)| *theta <= first + together) {
            match margins.get(*index) {
                Some(margin) => reason.borders.push(margin.border),
                None => reason.take_exit(dynamics.motion.exit(index - margins.len())),
            }
        }
        self.dense = if way == Locate::None {
            dense
        } else {
            let states: Vec<&[f64]> = states.iter().map(|y| &y[..]).collect();
            Dense::through(&dense, &points, &states)
        };
        Some((first, reason))
    }
}

/// First s > 0 at which `z + a s + b s^2` becomes 0.
fn first_root(z: f64, a: f64, b: f64) -> f64 {
    let root = a * a - 4.0 * b * z;
    if root < 0.0 {
        return f64::INFINITY;
    }
    // Without cancellation; z is positive.
    let down = -0.5 * (a - root.sqrt());
    let way = if a < 0.0 {
        z / down
    } else {
        -0.5 * (a + root.sqrt()) / b
    };
    if way > 0.0 { way } else { f64::INFINITY }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_root_is_found() {
        // 1 - 3 s + 2 s^2 = (1 - s) (1 - 2 s).
        assert!((first_root(1.0, -3.0, 2.0) - 0.5).abs() < 1e-15);
        assert!((first_root(2.0, 1.0, -1.0) - 2.0).abs() < 1e-15);
        assert_eq!(first_root(1.0, 1.0, 1.0), f64::INFINITY);
    }
}
