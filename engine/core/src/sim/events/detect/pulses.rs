//! Pulses of the rates within a step: exponentials of what varies in time by itself, which are small at both ends of the step
//! and large inside.
//!
//! The error of a step is estimated from its stages. What a diode conducts for a short time at the crest of an alternating
//! voltage lies between them where the step is as long as a period.

use std::sync::Arc;

use situ_solve::Dense;

use crate::lower::mode::within_steps::pulses::Pulses;
use crate::sim::events::detect::Detection;
use crate::sim::events::motion::Dynamics;
use crate::sim::events::state::HybridState;

/// An exponent that is larger by this inside of a step than at its ends may be a pulse...
const RISES: f64 = 1.0;
/// ...which has been passed if the rates there lead away from the dense output by more than so many tolerances...
const PASSED: f64 = 100.0;
/// ...over this part of the step.
const WIDTH: f64 = 0.05;
/// About so many crests, troughs and zeros of a sine are looked at in a step.
const SAMPLES: f64 = 64.0;

/// The largest exponent is sought until two places in a row differ by so little.
const FLAT: f64 = 0.05;
/// A place so near to another one tells whether an exponent rises there.
const NEAR: f64 = 1e-7;
/// Where a pulse is still at its height at the end of a step, the next one is this part of it.
const SHORTER: f64 = 0.25;

impl Detection {
    /// The time at which the step that the method has done ends at the latest: it has passed a mark of a delay, or a pulse.
    #[inline]
    pub(super) fn passed_unseen(
        &mut self,
        state: &HybridState,
        dynamics: &mut Dynamics,
    ) -> Option<f64> {
        if state.past.was_read_far()
            && let Some([_, reached]) = dynamics.first_mark(state, &self.dense, 1.0)
        {
            return Some(self.dense.time(reached));
        }
        let mode = &dynamics.modes.at(dynamics.motion.mode).mode;
        let has_pulses =
            !mode.within_steps.pulses.exponents.is_empty() && dynamics.motion.is_free();
        match has_pulses && !self.stepper.has_fixed_steps() {
            true => self.find_pulse(state, dynamics),
            false => None,
        }
    }

    #[inline(never)]
    fn find_pulse(&mut self, state: &HybridState, dynamics: &mut Dynamics) -> Option<f64> {
        let mode = Arc::clone(&dynamics.modes.at(dynamics.motion.mode).mode);
        let ends = [self.stepper.y(), self.stepper.y_end()];
        let chord = Dense::through(&self.dense, &[0.0, 1.0], &ends);
        let tolerances = (&*self.atol, self.plan.config.settings.rtol);
        let inside = Inside::of(
            state,
            dynamics,
            &chord,
            &mode.within_steps.pulses,
            tolerances,
        )?;
        if !inside.may_have_pulses() {
            return None;
        }
        self.make_dense(state, dynamics).ok()?;
        let tolerances = (&*self.atol, self.plan.config.settings.rtol);
        let mut inside = Inside::of(
            state,
            dynamics,
            &self.dense,
            &mode.within_steps.pulses,
            tolerances,
        )?;
        let mut passed = inside.find();
        // One stage in a pulse can lead the dense output far away.
        if passed.is_none() && inside.strays(&chord) {
            inside.path = &chord;
            passed = inside.find();
        }
        passed.map(|theta| self.dense.time(theta))
    }
}

/// The inside of a step.
struct Inside<'a> {
    state: &'a HybridState,
    dynamics: &'a mut Dynamics,
    /// The way of the states.
    path: &'a Dense,
    pulses: &'a Pulses,
    /// Absolute tolerances by component, and the relative one.
    tolerances: (&'a [f64], f64),
    /// The exponents, and behind them the phases: at both ends, and next to them.
    ends: [Vec<f64>; 4],
    /// Of each exponent the height that a pulse is above.
    above: Vec<f64>,
    rates: Vec<f64>,
}

impl<'a> Inside<'a> {
    fn of(
        state: &'a HybridState,
        dynamics: &'a mut Dynamics,
        path: &'a Dense,
        pulses: &'a Pulses,
        tolerances: (&'a [f64], f64),
    ) -> Option<Self> {
        let mut inside = Inside {
            state,
            dynamics,
            path,
            pulses,
            tolerances,
            ends: Default::default(),
            above: Vec::new(),
            rates: vec![0.0; path.dim()],
        };
        let [begin, end] = [inside.exponents(0.0)?, inside.exponents(1.0)?];
        let [first, last] = [inside.exponents(NEAR)?, inside.exponents(1.0 - NEAR)?];
        inside.ends = [begin, first, last, end];
        Some(inside)
    }

    /// The exponents that rise at the beginning of the step and fall at its end.
    fn rising_then_falling(&self) -> impl Iterator<Item = usize> + use<> {
        let [begin, first, last, end] = self.ends.clone();
        (0..self.pulses.exponents.len()).filter(move |&exponent| {
            first[exponent] > begin[exponent] && end[exponent] < last[exponent]
        })
    }

    /// The places at which sines have crests, troughs and zeros.
    fn quarters(&self) -> impl Iterator<Item = f64> + use<> {
        let [begin, .., end] = self.ends.clone();
        let phases = begin.into_iter().zip(end).skip(self.pulses.exponents.len());
        let quarters: Vec<f64> = (self.pulses.phases.iter())
            .map(|&(_, quarter)| quarter)
            .collect();
        phases.zip(quarters).flat_map(|((begin, end), quarter)| {
            places_of_whole_numbers([begin / quarter, end / quarter])
        })
    }

    /// True if some exponent is larger at the end than at the beginning, or may be so inside.
    fn may_have_pulses(&self) -> bool {
        let [begin, .., end] = &self.ends;
        let mut exponents = begin.iter().zip(end).take(self.pulses.exponents.len());
        exponents.any(|(begin, end)| *end > begin + RISES)
            || self.rising_then_falling().next().is_some()
            || self.quarters().next().is_some()
    }

    /// Where a step ends that does not pass the first pulse that is found.
    fn find(&mut self) -> Option<f64> {
        let n = self.pulses.exponents.len();
        let [begin, .., end] = self.ends.clone();
        self.above = begin[..n].to_vec();
        let (_, is_passed) = self.look(1.0)?;
        if is_passed {
            return Some(SHORTER);
        }
        let ends = begin.iter().zip(&end).take(n);
        self.above = ends.map(|(begin, end)| begin.max(*end)).collect();
        let passed = (self.quarters())
            .filter(|theta| self.look(*theta).is_some_and(|(_, is_passed)| is_passed))
            .min_by(f64::total_cmp);
        passed.or_else(|| {
            self.rising_then_falling()
                .find_map(|exponent| self.climb(exponent))
        })
    }

    /// True if the states go further away from their chord than its ends are apart.
    fn strays(&self, chord: &Dense) -> bool {
        let (atol, rtol) = self.tolerances;
        (0..chord.dim()).any(|component| {
            let &[begin, rise] = chord.component(component) else {
                return false;
            };
            let least = PASSED * (atol[component] + rtol * begin.abs());
            [0.25, 0.5, 0.75].into_iter().any(|theta| {
                let off = self.path.value(component, theta) - chord.value(component, theta);
                off.abs() > rise.abs() + least
            })
        })
    }

    /// The exponents at a place, and behind them the phases; none where the rates are not defined. `rates` has those of the
    /// place then.
    fn exponents(&mut self, theta: f64) -> Option<Vec<f64>> {
        let dynamics = &mut *self.dynamics;
        let mut y = std::mem::take(&mut dynamics.y);
        y.resize(self.path.dim(), 0.0);
        self.path.eval(theta, &mut y);
        let evaluator = dynamics.modes.get(dynamics.motion.mode);
        let evaluated = evaluator.evaluate_rates(&self.state.past, self.path.time(theta), &y);
        dynamics.y = y;
        evaluated.ok()?;
        evaluator.write_rates(&mut self.rates);
        let phases = self.pulses.phases.iter().map(|(slot, _)| slot);
        let slots = self.pulses.exponents.iter().chain(phases);
        Some(slots.map(|slot| evaluator.value(*slot)).collect())
    }

    /// The same, and whether the way of the states passes a pulse there.
    fn look(&mut self, theta: f64) -> Option<(Vec<f64>, bool)> {
        let exponents = self.exponents(theta)?;
        let is_passed = self.is_passed(theta, &exponents);
        Some((exponents, is_passed))
    }

    /// Whether `rates`, those of the place, lead away from the way of the states in a pulse.
    fn is_passed(&self, theta: f64, exponents: &[f64]) -> bool {
        let mut exponents = exponents.iter().zip(&self.above);
        if !exponents.any(|(here, end)| *here > end + RISES) {
            return false;
        }
        let (atol, rtol) = self.tolerances;
        let mut rates = self.rates.iter().zip(atol).enumerate();
        rates.any(|(component, (rate, atol))| {
            let off = self.path.h() * rate - self.path.slope(component, theta);
            let size = self.path.value(component, theta).abs();
            // What is not finite is not followed either.
            let is_followed = WIDTH * off.abs() <= PASSED * (atol + rtol * size);
            !is_followed
        })
    }

    /// Seeks the highest point of an exponent that rises at the beginning of the step and falls at its end: the first place on
    /// the way in a pulse that is passed.
    fn climb(&mut self, exponent: usize) -> Option<f64> {
        let (mut low, mut high) = (0.0, 1.0);
        let (mut last, mut flat) = (f64::NEG_INFINITY, 0);
        while flat < 2 && high - low > NEAR {
            let theta = 0.5 * (low + high);
            let (exponents, is_passed) = self.look(theta)?;
            if is_passed {
                return Some(theta);
            }
            let here = exponents[exponent];
            flat = match (here - last).abs() <= FLAT {
                true => flat + 1,
                false => 0,
            };
            last = here;
            let is_rising = self.exponents(theta + NEAR)?[exponent] > here;
            *(if is_rising { &mut low } else { &mut high }) = theta;
        }
        None
    }
}

/// Where a phase comes by whole numbers on its way, not by all of them if these are many.
fn places_of_whole_numbers([begin, end]: [f64; 2]) -> impl Iterator<Item = f64> {
    let way = end - begin;
    // With an odd stride crests, troughs and zeros come in turns.
    let stride = 2.0 * (way.abs() / (2.0 * SAMPLES)).floor() + 1.0;
    let first = begin.min(end).floor() + 1.0;
    let numbers = std::iter::successors(Some(first), move |at| Some(at + stride));
    let numbers = numbers.take_while(move |at| *at < begin.max(end));
    let most = 2 * SAMPLES as usize;
    numbers.take(most).map(move |at| (at - begin) / way)
}
