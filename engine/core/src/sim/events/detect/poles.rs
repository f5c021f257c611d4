//! Poles of the rates within a step: quotients whose divisor changes its sign there (FORMALISM 10.6).
//!
//! No motion goes on through a pole. A method can step over one all the same: rates of either sign on its two sides need not
//! show in the error of a step, and where both lead back to it steps go to and fro for ever.

use crate::sim::RunFault;
use crate::sim::events::detect::Detection;
use crate::sim::events::detect::next_step::Stop;
use crate::sim::events::detect::restart::MOST_TRIALS;
use crate::sim::events::motion::Dynamics;
use crate::sim::events::state::HybridState;
use situ_solve::{Rejection, StepError};

/// Halvings of a step in which the zero of a divisor is looked for.
const HALVINGS: u32 = 52;

/// A quotient that is so many times as large beside the zero of its divisor as at either end of the step, and as at one of them,
/// has a pole there; it has none where its dividend vanishes as well, as that of `sin(x) / x`. It matters if a rate grows like
/// that, too: in `atan(1 / x)`, or behind a gate that is shut, it does not.
pub(super) const STEEP: [f64; 2] = [10.0, 1e6];

/// The divisors of the rates where the last step ended.
#[derive(Clone, Debug)]
pub(super) struct LastDivisors {
    /// The time and the mode.
    at: (f64, usize),
    values: Vec<f64>,
    /// Room for those where the present step ends.
    ends: Vec<f64>,
}

impl LastDivisors {
    /// None is known.
    pub(super) const NONE: Self = Self {
        at: (f64::NAN, 0),
        values: Vec::new(),
        ends: Vec::new(),
    };

    /// The motion goes on from another point.
    pub(super) fn forget(&mut self) {
        self.at.0 = f64::NAN;
    }
}

impl Detection {
    /// The first pole in the step that the method has done: its time, and why no step goes further.
    #[inline]
    pub(super) fn pole(
        &mut self,
        state: &HybridState,
        dynamics: &mut Dynamics,
    ) -> Result<Option<(f64, RunFault)>, RunFault> {
        let mode = &dynamics.modes.at(dynamics.motion.mode).mode;
        if mode.within_steps.poles.is_empty() || !dynamics.motion.is_free() {
            return Ok(None);
        }
        self.find_pole(state, dynamics)
    }

    /// The time at which a step that leads over a pole has to end, so that it does not: at what happens before it, or where
    /// the run stops; now, if it happens here already. `tried`: so many steps were too long.
    ///
    /// # Errors
    ///
    /// There is neither.
    pub(super) fn end_before_pole(
        &self,
        state: &HybridState,
        stop: &Option<Stop>,
        (pole, fault): (f64, RunFault),
        tried: u32,
    ) -> Result<f64, RunFault> {
        let happens = stop.as_ref().map(|stop| self.dense.time(stop.theta));
        if happens.is_some_and(|happens| happens <= state.t) {
            return Ok(state.t);
        }
        let ends = [happens, Some(self.plan.config.stop)];
        let before = ends.into_iter().flatten();
        let before = before.filter(|&end| state.t < end && end < pole);
        let first = before.min_by(f64::total_cmp);
        first.filter(|_| tried < MOST_TRIALS).ok_or(fault)
    }

    #[inline(never)]
    fn find_pole(
        &mut self,
        state: &HybridState,
        dynamics: &mut Dynamics,
    ) -> Result<Option<(f64, RunFault)>, RunFault> {
        let mut first: Option<(f64, RunFault)> = None;
        let mode = dynamics.motion.mode;
        let [t0, t1] = [self.dense.t0(), self.dense.t1()];
        let mut divisors = std::mem::replace(&mut self.divisors, LastDivisors::NONE);
        let LastDivisors { at, values, ends } = &mut divisors;
        if *at != (t0, mode) {
            dynamics.divisors(state, t0, self.stepper.y(), values);
        }
        dynamics.divisors(state, t1, self.stepper.y_end(), ends);
        for pole in 0..ends.len() {
            let begin = values[pole];
            let changes_sign = begin * ends[pole] < 0.0;
            if !changes_sign {
                continue;
            }
            self.make_dense(state, dynamics)?;
            let found = self.pole_at(state, dynamics, pole, begin);
            if let Some(t) = found.filter(|t| first.as_ref().is_none_or(|(first, _)| t < first)) {
                let component = dynamics.steepest();
                let error = StepError::TooShort {
                    t,
                    h: self.dense.h(),
                    reason: Rejection::NotFinite,
                    hmin: None,
                    component,
                };
                first = Some((t, dynamics.refused(state, error)));
            }
        }
        if first.is_none() {
            *at = (t1, mode);
            std::mem::swap(values, ends);
            self.divisors = divisors;
        }
        Ok(first)
    }

    /// The time just before a divisor's zero, if the quotient has a pole there; the rates are those of that time.
    fn pole_at(
        &self,
        state: &HybridState,
        dynamics: &mut Dynamics,
        pole: usize,
        begin: f64,
    ) -> Option<f64> {
        let mut y = vec![0.0; self.dense.dim()];
        let ends = [self.stepper.y(), self.stepper.y_end()];
        let mut is_straight = false;
        let mut at = |theta: f64, is_straight: bool, rates: &mut [f64]| {
            if is_straight {
                let chord = ends[0].iter().zip(ends[1]);
                let chord = chord.map(|(begin, end)| begin + theta * (end - begin));
                y.iter_mut().zip(chord).for_each(|(y, chord)| *y = chord);
            } else {
                self.dense.eval(theta, &mut y);
            }
            dynamics.quotient(state, self.dense.time(theta), &y, pole, rates)
        };
        let mut rates = [(); 3].map(|()| vec![0.0; self.dense.dim()]);
        let [first_rates, last_rates, rates_beside] = &mut rates;
        let [_, first] = at(0.0, false, first_rates);
        let [end, mut last] = at(1.0, false, last_rates);
        // A dense output that is far off need not come to the end of the step.
        if end * begin > 0.0 {
            is_straight = true;
            [_, last] = at(1.0, is_straight, last_rates);
        }
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..HALVINGS {
            let middle = 0.5 * (low + high);
            let [divisor, _] = at(middle, is_straight, rates_beside);
            if divisor * begin > 0.0 {
                low = middle;
            } else {
                high = middle;
            }
        }
        let [_, beside] = at(low, is_straight, rates_beside);
        let (first, last, beside) = (first.abs(), last.abs(), beside.abs());
        let steep = beside > STEEP[0] * first.max(last) && beside > STEEP[1] * first.min(last);
        let at_ends = first_rates.iter().zip(&*last_rates);
        let at_ends = at_ends.map(|(first, last)| first.abs().max(last.abs()));
        let mut grown = rates_beside.iter().zip(at_ends);
        let grown =
            grown.any(|(beside, at_ends)| !beside.is_finite() || beside.abs() > STEEP[0] * at_ends);
        ((steep || !beside.is_finite()) && grown).then(|| self.dense.time(low))
    }
}

impl Dynamics {
    /// What must not vanish in the rates at a point: per pole of the mode one value.
    fn divisors(&mut self, state: &HybridState, t: f64, y: &[f64], values: &mut Vec<f64>) {
        let evaluator = self.modes.get(self.motion.mode);
        // What cannot be computed is not finite: nothing passes there.
        drop(evaluator.evaluate_rates(&state.past, t, y));
        values.clear();
        let poles = evaluator.mode.within_steps.poles.iter();
        values.extend(poles.map(|pole| evaluator.value(pole.divisor)));
    }

    /// The divisor of a pole, and its quotient, at a point, with the rates there.
    fn quotient(
        &mut self,
        state: &HybridState,
        t: f64,
        y: &[f64],
        pole: usize,
        rates: &mut [f64],
    ) -> [f64; 2] {
        let evaluator = self.modes.get(self.motion.mode);
        drop(evaluator.evaluate_rates(&state.past, t, y));
        evaluator.write_rates(rates);
        let pole = evaluator.mode.within_steps.poles[pole];
        [pole.divisor, pole.quotient].map(|slot| evaluator.value(slot))
    }

    /// The state with the largest rate in the last evaluation.
    fn steepest(&self) -> Option<usize> {
        let evaluator = self.modes.at(self.motion.mode);
        let rates = evaluator.mode.rates.iter();
        let sizes = rates.map(|rate| evaluator.value(*rate).abs()).enumerate();
        let largest = sizes.max_by(|a, b| a.1.total_cmp(&b.1));
        largest.map(|(component, _)| component)
    }
}
