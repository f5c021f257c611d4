//! The Taylor series of a motion in one mode, from the recurrences of what its rates are computed by.
//!
//! Modes whose rates are affine have theirs from the matrix ([`super::affine::rates`]), at less cost.

use std::sync::Arc;

use crate::backend::series::{Given, Place, Recurrences, Row};
use crate::backend::value::{Jet, RunningError, Value};
use crate::ids::RealId;
use crate::lower::border::BorderId;
use crate::lower::mode::{Mode, Segment};
use crate::sim::events::delays::delay_history::DelayHistory;
use crate::sim::events::modes::evaluation::algebraic_loops::ValueFault;
use crate::sim::events::modes::evaluation::cones::cone;
use crate::sim::events::modes::evaluation::evaluator::{
    Evaluator, FAR_ORDERS, ORDERS, take_inputs,
};
use crate::sim::events::modes::evaluation::margins::beyond_rounding;
use crate::sim::events::modes::evaluation::sparsity::{first_to_move, states_read_by};
use crate::tape::Slot;

/// Program for the series of a mode.
#[derive(Clone, Debug)]
pub(super) struct Expansion {
    recurrences: Recurrences,
    /// The rows of the states and of the time, as far as the rates read them.
    states: Vec<Option<Place>>,
    time: Option<Place>,
    rows: Vec<Row>,
}

impl Expansion {
    /// `None` where the rates have no series: they depend on the past, on loops, on shares of rows, or on kinks that stay.
    fn of(mode: &Mode, slots: &[f64]) -> Option<Self> {
        if !(mode.delays.is_empty() && mode.weights.is_empty() && mode.gates.slots.is_empty()) {
            return None;
        }
        let mut ops = Vec::new();
        for segment in &mode.flow {
            match segment {
                Segment::Ops(some) => ops.extend_from_slice(some),
                Segment::Loop(_) => return None,
            }
        }
        let slot_of = |real: &RealId| Slot::new(real.index());
        let latched = mode.relays.iter().chain(&mode.steps);
        let held: Vec<Slot> = (mode.inputs.iter().map(slot_of))
            .chain(latched.map(|(_, slot)| *slot))
            .collect();
        let states: Vec<Slot> = mode.states.iter().map(slot_of).collect();
        let known = |slot: Slot| match slot {
            slot if slot == mode.time || states.contains(&slot) => Given::Moving,
            slot if held.contains(&slot) => Given::Held,
            slot => Given::Number(slots[slot.index()]),
        };
        let recurrences = Recurrences::of(&ops, &mode.rates, known)?;
        Some(Self {
            states: states.iter().map(|&slot| recurrences.given(slot)).collect(),
            time: recurrences.given(mode.time),
            rows: Vec::new(),
            recurrences,
        })
    }

    /// As [`Evaluator::series`].
    fn expand(&mut self, slots: &[f64], t: f64, last: usize, coefficients: &mut [f64]) -> usize {
        let n = self.states.len();
        let rows = &mut self.rows;
        self.recurrences.begin(slots, rows);
        if let Some(time) = self.time {
            (rows[time as usize][0], rows[time as usize][1]) = (t, 1.0);
        }
        for (i, place) in self.states.iter().enumerate() {
            if let Some(place) = place {
                let row = &mut rows[*place as usize];
                (row[0], row[1]) = (coefficients[i], coefficients[n + i]);
            }
        }
        self.recurrences.values(rows);
        let mut degree = 1;
        for order in 2..=last {
            self.recurrences.order(order - 1, rows);
            #[expect(clippy::cast_precision_loss, reason = "orders are small")]
            let share = 1.0 / order as f64;
            let next = &mut coefficients[order * n..][..n];
            let places = self.recurrences.results.iter().zip(&self.states);
            for (next, (&rate, state)) in next.iter_mut().zip(places) {
                *next = rows[rate as usize][order - 1] * share;
                if let Some(state) = state {
                    rows[*state as usize][order] = *next;
                }
                if *next != 0.0 {
                    degree = order;
                }
            }
        }
        degree
    }
}

impl Evaluator {
    /// True if the motion in the mode has a Taylor series that is known; `affine`: only if the rates are affine.
    pub(crate) fn has_series(&mut self, affine: bool) -> bool {
        self.linear().is_some() || !affine && self.expansion().is_some()
    }

    fn expansion(&mut self) -> Option<&mut Expansion> {
        if self.expansion.is_none() {
            self.expansion = Some(Expansion::of(&self.mode, self.slots()).map(Box::new));
        }
        self.expansion.as_mut()?.as_deref_mut()
    }

    /// Writes the Taylor coefficients of the motion through a point from order 2 to `last`, as
    /// [`situ_solve::System::series`] says. Orders go up to those that recurrences keep.
    pub(crate) fn series(&mut self, t: f64, last: usize, coefficients: &mut [f64]) -> usize {
        if let Some(linear) = self.linear() {
            return linear.series(last, coefficients);
        }
        let Some(mut expansion) = self.expansion.take().flatten() else {
            return 1;
        };
        let degree = expansion.expand(self.slots(), t, last, coefficients);
        self.expansion = Some(Some(expansion));
        degree
    }

    /// Computes the Taylor series of everything along the mode's own motion, or with the rates of
    /// its states increased by `pushes`.
    pub(crate) fn taylor(
        &mut self,
        past: &DelayHistory,
        t: f64,
        y: &[f64],
        pushes: &[f64],
    ) -> Result<(), ValueFault> {
        self.evaluate(past, t, y)?;
        let mut noted = std::mem::take(&mut self.jets.expanded_at);
        let known = pushes.is_empty() && self.is_at(&mut noted);
        if !pushes.is_empty() {
            noted.clear();
        }
        self.jets.expanded_at = noted;
        if known {
            return Ok(());
        }
        let mut series = std::mem::take(&mut self.jets.series);
        let done = self.expand_all(past, t, pushes, &mut series);
        self.jets.series = series;
        done
    }

    fn expand_all<const N: usize>(
        &mut self,
        past: &DelayHistory,
        t: f64,
        pushes: &[f64],
        numbers: &mut Vec<RunningError<N>>,
    ) -> Result<(), ValueFault> {
        take_inputs(&self.mode, &self.slots, numbers);
        let mut time = Jet::constant(t);
        time.0[1] = 1.0;
        numbers[self.mode.time.index()] = RunningError::rounded(time);
        for &(delay, value, slope) in &self.mode.delays.fixed {
            let jet: [f64; N] = past.series(delay, t);
            numbers[value.index()] = RunningError::rounded(Jet(jet));
            numbers[slope.index()] = RunningError::rounded(derivative(jet));
        }
        for order in 1..N {
            self.flow.pass(&self.slots, numbers, &mut self.work)?;
            for (index, (real, rate)) in self.mode.states.iter().zip(&self.mode.rates).enumerate() {
                let rate = numbers[rate.index()];
                #[expect(clippy::cast_precision_loss, reason = "orders are small")]
                let share = 1.0 / order as f64;
                let state = &mut numbers[real.index()];
                state.series.0[order] = rate.series.0[order - 1] * share;
                state.bound[order] = rate.bound[order - 1] * share;
                if let (1, Some(&push)) = (order, pushes.get(index)) {
                    state.series.0[1] += push;
                    state.bound[1] += push.abs() * f64::EPSILON;
                }
            }
        }
        self.tests.pass(&self.slots, numbers, &mut self.work)
    }

    /// After [`Self::taylor`]: the Taylor coefficients of the z of a border, 0 where they are 0 up
    /// to rounding.
    pub(crate) fn z_series(&self, border: BorderId) -> Option<[f64; ORDERS]> {
        let margin = self.mode.margin(border)?;
        let coefficients = beyond_rounding(&self.jets.series[margin.slot.index()]);
        Some(if margin.upright {
            coefficients
        } else {
            coefficients.map(|c| -c)
        })
    }

    /// The first Taylor coefficient of the z of a border that is not 0, and its order, where [`Self::taylor`] has found none
    /// since what moves gets to the margin in a higher order only.
    pub(crate) fn late_coefficient(
        &mut self,
        past: &DelayHistory,
        t: f64,
        border: BorderId,
    ) -> Result<Option<(f64, usize)>, ValueFault> {
        let Some(margin) = self.mode.margin(border) else {
            return Ok(None);
        };
        let (slot, upright) = (margin.slot, margin.upright);
        let first = self.first_to_move(slot);
        if !first.is_some_and(|order| (ORDERS..FAR_ORDERS).contains(&order)) {
            return Ok(None);
        }
        let mut far = std::mem::take(&mut self.jets.far);
        let done = self.expand_all(past, t, &[], &mut far);
        let series = far.get(slot.index()).map(beyond_rounding);
        self.jets.far = far;
        done?;
        let mut coefficients = series.into_iter().flatten().enumerate().skip(ORDERS);
        let found = coefficients.find(|(_, c)| *c != 0.0 && !c.is_nan());
        Ok(found.map(|(order, c)| (if upright { c } else { -c }, order)))
    }

    /// As [`first_to_move`], for the states that a margin reads, after [`Self::taylor`].
    fn first_to_move(&mut self, margin: Slot) -> Option<usize> {
        let structure = Arc::clone(self.sparsity());
        let (rates, series) = (&self.mode.rates, &self.jets.series);
        let moves = |state: usize| beyond_rounding(&series[rates[state].index()])[0] != 0.0;
        let reads = |state: usize| structure.pattern.row(state).map(|(_, column)| column);
        let in_time = |state: usize| structure.in_time.contains(&state);
        let cone = cone(&mut self.jets.cones, &self.mode, self.has_loops, margin);
        let of = match cone {
            Some(cone) => cone.states().to_vec(),
            None => states_read_by(&self.mode, margin),
        };
        first_to_move(of, moves, reads, in_time)
    }
}

/// The coefficients of the derivative of a series; the last one is not known and counts as 0.
#[expect(clippy::cast_precision_loss, reason = "orders are small")]
fn derivative<const N: usize>(series: [f64; N]) -> Jet<N> {
    Jet(std::array::from_fn(|k| match series.get(k + 1) {
        Some(c) => (k + 1) as f64 * c,
        None => 0.0,
    }))
}
