//! The Taylor series of a motion in one mode, from the recurrences of what its rates are computed by.
//!
//! Modes whose rates are affine have theirs from the matrix ([`super::affine::rates`]), at less cost.

use crate::backend::series::{Given, Place, Recurrences, Row};
use crate::ids::RealId;
use crate::lower::mode::{Mode, Segment};
use crate::sim::events::modes::evaluation::evaluator::Evaluator;
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
        if !(mode.delays.is_empty() && mode.weights.is_empty() && mode.gates.is_empty()) {
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
}
