//! Margins of a mode: zero-crossing functions with their derivatives, rounding bounds and enclosures along a step.

use crate::backend::value::{Jet, RunningError, Value};
use crate::lower::border::BorderId;
use crate::sim::events::delays::delay_history::DelayHistory;
use crate::sim::events::modes::evaluation::algebraic_loops::ValueFault;
use crate::sim::events::modes::evaluation::cones::{Coefficient, Leaf, OwnProgram, cone};
use crate::sim::events::modes::evaluation::evaluator::{Evaluator, take_inputs};
use crate::tape::Slot;
use situ_solve::Dense;
use situ_solve::interval::Interval;
use situ_solve::roots::Enclosure;

/// A coefficient below so many times its rounding bound counts as 0.
const SAFETY: f64 = 16.0;

/// Rounding error of the weight of a corner of a slide, a quotient of differences of rates.
const WEIGHT_ERROR: f64 = 64.0 * f64::EPSILON;

impl Evaluator {
    /// The z of a border in the last evaluation.
    pub(crate) fn z(&self, border: BorderId) -> Option<f64> {
        let margin = self.mode.margin(border)?;
        let value = self.value(margin.slot);
        Some(if margin.upright { value } else { -value })
    }

    /// Computes the rates of the z of borders along the mode's own motion, after [`Self::evaluate`]. Read
    /// the result with [`Self::z_rate`].
    pub(crate) fn margin_rates(&mut self) -> Result<(), ValueFault> {
        self.put_motion();
        self.tests
            .pass(&self.slots, &mut self.jets.duals, &mut self.work)
    }

    /// Sets all inputs with their rates along the mode's own motion.
    pub(super) fn put_motion(&mut self) {
        take_inputs(&self.mode, &self.slots, &mut self.jets.duals);
        for (index, real) in self.mode.states.iter().enumerate() {
            let value = self.slots[real.index()];
            self.jets.duals[real.index()] =
                Jet([value, self.slots[self.mode.rates[index].index()]]);
        }
        let time = self.mode.time.index();
        self.jets.duals[time] = Jet([self.slots[time], 1.0]);
        for &(_, value, slope) in &self.mode.delays.fixed {
            let (now, rate) = (self.slots[value.index()], self.slots[slope.index()]);
            self.jets.duals[value.index()] = Jet([now, rate]);
            self.jets.duals[slope.index()] = Jet([rate, 0.0]);
        }
    }

    /// True if the margin of a border is affine, so that its rate follows from those of the states.
    pub(crate) fn is_affine(&self, border: BorderId) -> bool {
        let margin = self.mode.margin(border);
        margin.is_some_and(|margin| margin.form.is_some())
    }

    /// Derivatives of the z of a border by the states it depends on, by position, if its margin is affine.
    pub(crate) fn affine_gradient(
        &self,
        border: BorderId,
    ) -> Option<impl Iterator<Item = (usize, f64)>> {
        let margin = self.mode.margin(border)?;
        let sign = if margin.upright { 1.0 } else { -1.0 };
        margin.form.as_ref()?;
        let terms = margin.moving.iter();
        Some(terms.map(move |&(component, weight)| (component, sign * weight)))
    }

    /// Rate of the z of a border; after [`Self::margin_rates`], unless it is affine.
    ///
    /// Shapes: `dy`: the rates of all states.
    pub(crate) fn z_rate(&self, border: BorderId, dy: &[f64]) -> Option<f64> {
        let margin = self.mode.margin(border)?;
        let rate = match &margin.form {
            Some(form) => {
                let terms = margin.moving.iter();
                let parts = terms.map(|&(component, weight)| weight * dy[component]);
                form.per_time + parts.sum::<f64>()
            }
            None => self.jets.duals[margin.slot.index()].0[1],
        };
        Some(if margin.upright { rate } else { -rate })
    }

    /// Computes margins and how fast they grow, with the rounding errors that they carry. Read the
    /// result with [`Self::z_first`].
    ///
    /// Shapes: `rates`: of all states, each with its rounding error; empty takes the mode's own. `pushes`: added to the
    /// mode's own.
    pub(crate) fn first_order(
        &mut self,
        past: &DelayHistory,
        t: f64,
        y: &[f64],
        rates: &[[f64; 2]],
        pushes: &[f64],
    ) -> Result<(), ValueFault> {
        self.evaluate(past, t, y)?;
        let mut noted = std::mem::take(&mut self.jets.bounded_at);
        let own = rates.is_empty() && pushes.is_empty();
        let known = own && self.is_at(&mut noted);
        if !own {
            noted.clear();
        }
        self.jets.bounded_at = noted;
        if known {
            return Ok(());
        }
        self.put_bounded(t);
        if rates.is_empty() {
            self.flow
                .pass(&self.slots, &mut self.jets.first, &mut self.work)?;
        }
        for (index, real) in self.mode.states.iter().enumerate() {
            let (mut rate, mut bound) = match rates.get(index) {
                Some([rate, error]) => (*rate, *error),
                None => {
                    let rate = self.jets.first[self.mode.rates[index].index()];
                    (rate.series.0[0], rate.bound[0])
                }
            };
            if let Some(push) = pushes.get(index) {
                rate += push;
                bound += push.abs() * f64::EPSILON;
            }
            let state = &mut self.jets.first[real.index()];
            state.series.0[1] = rate;
            state.bound[1] = bound;
        }
        self.tests
            .pass(&self.slots, &mut self.jets.first, &mut self.work)
    }

    /// Sets all inputs with their rounding errors, none of them moving but the time and what is delayed.
    fn put_bounded(&mut self, t: f64) {
        take_inputs(&self.mode, &self.slots, &mut self.jets.first);
        for weight in &self.mode.weights {
            self.jets.first[weight.index()].bound[0] = WEIGHT_ERROR;
        }
        for real in &self.mode.states {
            self.jets.first[real.index()] = Value::constant(self.slots[real.index()]);
        }
        self.jets.first[self.mode.time.index()] = RunningError::rounded(Jet([t, 1.0]));
        for &(_, value, slope) in &self.mode.delays.fixed {
            let (now, rate) = (self.slots[value.index()], self.slots[slope.index()]);
            self.jets.first[value.index()] = RunningError::rounded(Jet([now, rate]));
            self.jets.first[slope.index()] = RunningError::rounded(Jet([rate, 0.0]));
        }
    }

    /// As [`Self::first_order`], along the mode's own motion, of one margin; perhaps of others, too.
    fn first_order_of(
        &mut self,
        past: &DelayHistory,
        (t, y): (f64, &[f64]),
        margin: Slot,
    ) -> Result<(), ValueFault> {
        if !self.solve_own(past, (t, y), margin, true)? {
            return self.first_order(past, t, y, &[], &[]);
        }
        self.jets.bounded_at.clear();
        self.put_bounded(t);
        let Some(own) = self.jets.own.get_mut(&margin.0) else {
            return Ok(());
        };
        let (slots, work, first) = (&self.slots, &mut self.work, &mut self.jets.first);
        own.rates.pass(slots, first, work)?;
        for &state in &own.states {
            let rate = first[self.mode.rates[state].index()];
            let number = &mut first[self.mode.states[state].index()];
            (number.series.0[1], number.bound[1]) = (rate.series.0[0], rate.bound[0]);
        }
        own.program.pass(slots, first, work)
    }

    /// The z of a border and how fast it grows, after [`Self::first_order`]: 0 what is 0 up to
    /// rounding.
    pub(crate) fn z_first(&self, border: BorderId) -> Option<[f64; 2]> {
        let margin = self.mode.margin(border)?;
        let z = beyond_rounding(&self.jets.first[margin.slot.index()]);
        Some(if margin.upright { z } else { z.map(|c| -c) })
    }

    /// True if what stands a short way along the motion is known: [`Self::note_ahead`] has noted it for the present inputs.
    pub(crate) fn knows_ahead(&mut self) -> bool {
        let mut noted = std::mem::take(&mut self.jets.ahead_at);
        let known = self.is_at(&mut noted);
        self.jets.ahead_at = noted;
        known
    }

    /// Notes the z of every border after [`Self::first_order`] a short way along the motion; `defined`: there is such a way.
    pub(crate) fn note_ahead(&mut self, defined: bool) {
        let borders = 0..self.mode.margin_at.len();
        self.jets.ahead = defined.then(|| {
            let z = |border| self.z_first(BorderId::new(border)).unwrap_or_default()[0];
            borders.map(z).collect()
        });
    }

    /// The z of a border a short way along the motion; `None` if the motion is not defined there.
    pub(crate) fn z_ahead(&self, border: BorderId) -> Option<f64> {
        let all = self.jets.ahead.as_ref()?;
        Some(all.get(border.index()).copied().unwrap_or_default())
    }

    /// True if the z of a border is 0 up to rounding at a point, or there is none: as [`Self::first_order`] has it, but by
    /// the computations of this margin alone where these stand for themselves.
    pub(crate) fn is_on(
        &mut self,
        past: &DelayHistory,
        (t, y): (f64, &[f64]),
        border: BorderId,
    ) -> Result<bool, ValueFault> {
        let Some(slot) = self.mode.margin(border).map(|margin| margin.slot) else {
            return Ok(true);
        };
        if let Some(cone) = cone(&mut self.jets.cones, &self.mode, self.has_loops, slot) {
            let number = cone.run(|leaf| match leaf {
                Leaf::Time => RunningError::constant(t),
                Leaf::State(component) => RunningError::constant(y[component]),
                Leaf::Delayed(delay, coefficient) => {
                    RunningError::rounded(Jet([coefficient.of(past.series(delay, t))]))
                }
                Leaf::Held(slot) => RunningError::<1>::constant(self.slots[slot]),
            });
            return Ok(beyond_rounding(&number) == [0.0]);
        }
        self.first_order_of(past, (t, y), slot)?;
        Ok(self.z_first(border).is_none_or(|[z, _]| z == 0.0))
    }

    /// After [`Self::first_order`]: the z of a border, 0 where it is 0 up to rounding, and its rate as it was
    /// computed: where a slope is infinite rounding bounds no rate.
    pub(crate) fn z_computed(&self, border: BorderId) -> Option<[f64; 2]> {
        let margin = self.mode.margin(border)?;
        let number = &self.jets.first[margin.slot.index()];
        let z = [beyond_rounding(number)[0], number.series.0[1]];
        Some(if margin.upright { z } else { z.map(|c| -c) })
    }

    /// Up to here the z of a border is 0 but for rounding, after [`Self::first_order`].
    pub(crate) fn z_noise(&self, border: BorderId) -> Option<f64> {
        let margin = self.mode.margin(border)?;
        Some(SAFETY * self.jets.first[margin.slot.index()].bound[0])
    }

    /// Bound of the rounding error in the margin of a border when the state moves on from a point for a time.
    pub(crate) fn blur(
        &mut self,
        border: BorderId,
        past: &DelayHistory,
        (t, y): (f64, &[f64]),
        h: f64,
    ) -> Option<f64> {
        let [noise, per_time] = match self.size_of(border, t, y) {
            Some(sizes) => sizes.map(|size| f64::EPSILON * size),
            None => {
                let slot = self.mode.margin(border)?.slot;
                self.first_order_of(past, (t, y), slot).ok()?;
                self.jets.first[slot.index()].bound
            }
        };
        Some(SAFETY * (noise + h * per_time))
    }

    /// Prepares [`Self::enclose`]: takes over what is held.
    pub(crate) fn begin_enclosing(&mut self) {
        take_inputs(&self.mode, &self.slots, &mut self.jets.boxes);
    }

    /// Bounds of a slot over a piece of a step: value, slope and half the curvature, with respect to
    /// theta. Only for slots that are not opaque.
    ///
    /// Shapes: `y`: room for the state.
    pub(crate) fn enclose(
        &mut self,
        past: &DelayHistory,
        slot: Slot,
        dense: &Dense,
        theta: Interval,
        y: &mut [f64],
    ) -> [Interval; 3] {
        if let Some(bounds) = self.enclose_by_cone(past, slot, dense, theta) {
            return bounds;
        }
        let time = time_over(dense, theta);
        let state = |component: usize| state_over(dense, component, theta);
        // The bounds of a loop are sought around its solution at the middle.
        if self.has_loops {
            let middle = theta.mid();
            dense.eval(middle, y);
            let at = (dense.time(middle), &*y);
            if self.evaluate_margin(past, at, slot).is_err() {
                return [Interval::ENTIRE; 3];
            }
        }
        self.jets.boxes[self.mode.time.index()] = time;
        if self.find_own(slot)
            && let Some(own) = self.jets.own.get(&slot.0)
        {
            for &component in &own.states {
                self.jets.boxes[self.mode.states[component].index()] = state(component);
            }
            let boxes = &mut self.jets.boxes;
            (own.program).enclose(&self.slots, boxes, &mut self.work);
            return boxes[slot.index()].0;
        }
        for (component, real) in self.mode.states.iter().enumerate() {
            self.jets.boxes[real.index()] = state(component);
        }
        self.tests
            .enclose(&self.slots, &mut self.jets.boxes, &mut self.work);
        self.jets.boxes[slot.index()].0
    }

    /// The same of a slot that is computed from little, which may be opaque for what delays of constant length give.
    pub(crate) fn enclose_by_cone(
        &mut self,
        past: &DelayHistory,
        slot: Slot,
        dense: &Dense,
        theta: Interval,
    ) -> Option<[Interval; 3]> {
        let time = time_over(dense, theta);
        let cone = cone(&mut self.jets.cones, &self.mode, self.has_loops, slot)?;
        let bounds = cone.run(|leaf| match leaf {
            Leaf::Time => time,
            Leaf::State(component) => state_over(dense, component, theta),
            Leaf::Delayed(delay, Coefficient::Value) => {
                let value = past.enclose(delay, time.0[0]);
                Jet([value, Interval::ENTIRE, Interval::ENTIRE])
            }
            Leaf::Delayed(_, Coefficient::Rate) => Jet([Interval::ENTIRE; 3]),
            Leaf::Held(slot) => self.jets.boxes[slot],
        });
        Some(bounds.0)
    }

    /// True if a margin is computed from so little that [`Self::margin_along`] computes nothing else.
    pub(crate) fn has_cone(&mut self, slot: Slot) -> bool {
        cone(&mut self.jets.cones, &self.mode, self.has_loops, slot).is_some()
    }

    /// Computes one margin at a point; perhaps others, too.
    fn evaluate_margin(
        &mut self,
        past: &DelayHistory,
        (t, y): (f64, &[f64]),
        margin: Slot,
    ) -> Result<(), ValueFault> {
        match self.solve_own(past, (t, y), margin, false)? {
            true => Ok(()),
            false => self.evaluate_margins(past, t, y),
        }
    }

    /// Computes one margin at a point, and perhaps the rates of the states that it reads; false if all have to be computed.
    fn solve_own(
        &mut self,
        past: &DelayHistory,
        (t, y): (f64, &[f64]),
        margin: Slot,
        with_rates: bool,
    ) -> Result<bool, ValueFault> {
        if !self.find_own(margin) || self.work.near.are_wanted() {
            return Ok(false);
        }
        let is_placed = self.place(past, t, y)?;
        if let Some(own) = self.jets.own.get_mut(&margin.0).filter(|_| !is_placed) {
            let (slots, guess, work) = (&mut self.slots, &self.guess.reals, &mut self.work);
            if with_rates {
                own.rates.solve(slots, guess, work)?;
            }
            own.program.solve(slots, guess, work)?;
        }
        Ok(!self.work.near.are_wanted())
    }

    /// Finds what a margin is computed from, where there are several loops; whether that is known.
    pub(super) fn find_own(&mut self, margin: Slot) -> bool {
        if self.all.circles().nth(1).is_none() {
            return false;
        }
        let own = self.jets.own.entry(margin.0);
        own.or_insert_with(|| OwnProgram::of(&self.mode, &self.algebraic, &[margin]));
        true
    }

    /// The z of a border along a step; not a number if it cannot be computed.
    ///
    /// Shapes: `y`: room for the state.
    pub(crate) fn z_along(
        &mut self,
        past: &DelayHistory,
        border: BorderId,
        (dense, theta): (&Dense, f64),
        y: &mut [f64],
    ) -> f64 {
        let margin = self.mode.margin(border);
        let Some((slot, upright)) = margin.map(|margin| (margin.slot, margin.upright)) else {
            return f64::NAN;
        };
        let value = self.margin_along(past, slot, (dense, theta), y);
        value.map_or(f64::NAN, |value| if upright { value } else { -value })
    }

    /// The value of a slot of a margin along a step; `None` if it cannot be computed.
    ///
    /// Shapes: `y`: room for the state.
    pub(crate) fn margin_along(
        &mut self,
        past: &DelayHistory,
        slot: Slot,
        (dense, theta): (&Dense, f64),
        y: &mut [f64],
    ) -> Option<f64> {
        let t = dense.time(theta);
        if let Some(cone) = cone(&mut self.jets.cones, &self.mode, self.has_loops, slot) {
            return Some(cone.run(|leaf| match leaf {
                Leaf::Time => t,
                Leaf::State(component) => dense.value(component, theta),
                Leaf::Delayed(delay, coefficient) => coefficient.of(past.series(delay, t)),
                Leaf::Held(slot) => self.slots[slot],
            }));
        }
        dense.eval(theta, y);
        self.evaluate_margin(past, (t, y), slot).ok()?;
        Some(self.value(slot))
    }
}

/// The time over a piece of a step, as [`Evaluator::enclose`] has it.
fn time_over(dense: &Dense, theta: Interval) -> Jet<3, Interval> {
    let h = Interval::point(dense.h());
    Jet([Interval::point(dense.t0()) + theta * h, h, Interval::ZERO])
}

/// A state over a piece of a step.
fn state_over(dense: &Dense, component: usize, theta: Interval) -> Jet<3, Interval> {
    let Enclosure {
        value,
        slope,
        curvature,
    } = dense.enclose(component, theta);
    Jet([value, slope, curvature * Interval::point(0.5)])
}

/// A number whose coefficients below their rounding bounds are 0.
pub(super) fn beyond_rounding<const N: usize>(number: &RunningError<N>) -> [f64; N] {
    std::array::from_fn(|k| {
        let c = number.series.0[k];
        // Where a root begins there are no bounds, and its slope is infinite.
        let bound = number.bound[k];
        if bound.is_finite() && c.abs() <= SAFETY * bound {
            0.0
        } else {
            c
        }
    })
}
