//! Delays that vary: their lengths are computed first, then the series of what they read are looked up.
//!
//! Where a length depends on what a delay gives, both are found in turns. A delay of no length reads what it takes
//! in at the same time, in turns as well.

use std::sync::Arc;

use crate::lower::mode::{Mode, TERMS, VaryingDelay};
use crate::sim::events::delays::LOCATED;
use crate::sim::events::delays::delay_history::DelayHistory;
use crate::sim::events::modes::evaluation::algebraic_loops::ValueFault;
use crate::sim::events::modes::evaluation::evaluator::Evaluator;

/// Turns in which places and values are found.
const MAX_TURNS: usize = 100;

/// After so many turns a place counts as found up to rounding, and what a delay gives if it is as exact as its place:
/// coefficients of a higher order may be rounding errors that change from turn to turn.
const PATIENCE: usize = 12;

/// A place is found if it moves by less than this part of the time.
const SETTLED: f64 = 4.0 * f64::EPSILON;

impl Evaluator {
    /// Sets the series of delays that vary, after time, states and other delayed values were set.
    ///
    /// # Errors
    ///
    /// A length is below zero, or none is found.
    #[inline(never)]
    pub(super) fn place_delays(&mut self, past: &DelayHistory, t: f64) -> Result<(), ValueFault> {
        let mode = Arc::clone(&self.mode);
        // The same point gives the same bits, whatever was evaluated before.
        for one in &mode.delays.varying {
            let terms = [past.newest(one.delay), 0.0, 0.0, 0.0];
            self.slots[one.about.index()] = t;
            for (slot, term) in one.terms.into_iter().zip(terms) {
                self.slots[slot.index()] = term;
            }
        }
        if self.places.circles().next().is_none() {
            return self.take_turns(past, t);
        }
        // A length that follows from what its own delay gives is sought along the past that its guess reads...
        self.places.run_at_guess(&mut self.slots, &self.guess.reals);
        for one in &mode.delays.varying {
            if let Ok(terms) = one.read(&mode, &self.slots, past, t) {
                one.put_terms(&mut self.slots, terms);
            }
        }
        // ...and in each turn from the one before on: solutions that differ by rounding would alternate.
        let before = self.guess.reals.clone();
        let outcome = self.take_turns(past, t);
        self.guess.reals = before;
        outcome
    }

    /// Reads the past where lengths lead, and finds lengths from what was read, in turns.
    fn take_turns(&mut self, past: &DelayHistory, t: f64) -> Result<(), ValueFault> {
        let mode = Arc::clone(&self.mode);
        for turn in 0..MAX_TURNS {
            self.places
                .solve(&mut self.slots, &self.guess.reals, &mut self.work)?;
            self.places
                .take_solutions(&self.slots, &mut self.guess.reals);
            let mut is_settled = true;
            for one in &mode.delays.varying {
                let terms = one.read(&mode, &self.slots, past, t)?;
                let [tau, at] = [one.length, one.at].map(|slot| self.slots[slot.index()]);
                let size = t.abs().max(tau.abs());
                let about = self.slots[one.about.index()];
                let enough = if turn < PATIENCE { SETTLED } else { LOCATED };
                is_settled &= (about - at).abs() <= enough * size;
                for (order, (slot, term)) in one.terms.into_iter().zip(terms).enumerate() {
                    let change = (self.slots[slot.index()] - term).abs();
                    let as_its_place = order > 0 || change <= LOCATED * size * terms[1].abs();
                    is_settled &= change <= SETTLED * term.abs()
                        || term.is_nan()
                        || turn >= PATIENCE && as_its_place;
                }
                one.put_terms(&mut self.slots, terms);
            }
            if is_settled {
                return Ok(());
            }
        }
        Err(ValueFault::Loop {
            rows: mode.delays.varying.iter().map(|one| one.relation).collect(),
            singular: false,
            at_bounds: None,
        })
    }
}

impl VaryingDelay {
    /// The series of what the delay gives, about the place that its length leads to.
    ///
    /// # Errors
    ///
    /// The length is below zero.
    pub(super) fn read(
        &self,
        mode: &Mode,
        slots: &[f64],
        past: &DelayHistory,
        t: f64,
    ) -> Result<[f64; TERMS], ValueFault> {
        let [tau, at] = [self.length, self.at].map(|slot| slots[slot.index()]);
        let size = t.abs().max(tau.abs());
        if tau < -LOCATED * size {
            return Err(ValueFault::NegativeDelay {
                relation: self.relation,
                tau,
            });
        }
        Ok(if tau <= SETTLED * size {
            let taken = slots[mode.delayed[self.delay].0.index()];
            past.present(self.delay, taken)
        } else {
            past.read(self.delay, at, size)
        })
    }

    /// Sets a series, about the place that the length leads to.
    pub(super) fn put_terms(&self, slots: &mut [f64], terms: [f64; TERMS]) {
        slots[self.about.index()] = slots[self.at.index()];
        for (slot, term) in self.terms.into_iter().zip(terms) {
            slots[slot.index()] = term;
        }
    }
}
