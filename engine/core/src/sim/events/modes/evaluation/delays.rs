//! Delays that vary: their lengths are computed first, then the series of what they read are looked up.
//!
//! Where a length depends on what a delay gives, both are found in turns. A delay of no length reads what it takes
//! in at the same time, in turns as well.

use std::sync::Arc;

use crate::lower::mode::TERMS;
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
        for turn in 0..MAX_TURNS {
            self.places
                .solve(&mut self.slots, &self.guess.reals, &mut self.work)?;
            let mut is_settled = true;
            for one in &mode.delays.varying {
                let [tau, at] = [one.length, one.at].map(|slot| self.slots[slot.index()]);
                let size = t.abs().max(tau.abs());
                if tau < -LOCATED * size {
                    return Err(ValueFault::NegativeDelay {
                        relation: one.relation,
                        tau,
                    });
                }
                let terms: [f64; TERMS] = if tau <= SETTLED * size {
                    let taken = self.slots[mode.delayed[one.delay].0.index()];
                    past.present(one.delay, taken)
                } else {
                    past.read(one.delay, at, size)
                };
                let about = &mut self.slots[one.about.index()];
                let enough = if turn < PATIENCE { SETTLED } else { LOCATED };
                is_settled &= (*about - at).abs() <= enough * size;
                *about = at;
                for (order, (slot, term)) in one.terms.into_iter().zip(terms).enumerate() {
                    let slot = &mut self.slots[slot.index()];
                    let change = (*slot - term).abs();
                    let as_its_place = order > 0 || change <= LOCATED * size * terms[1].abs();
                    is_settled &= change <= SETTLED * term.abs()
                        || term.is_nan()
                        || turn >= PATIENCE && as_its_place;
                    *slot = term;
                }
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
