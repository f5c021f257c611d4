//! The Jacobian of a mode, by running its tape on derivatives.

use crate::backend::value::Jet;
use crate::sim::events::delays::delay_history::DelayHistory;
use crate::sim::events::modes::evaluation::evaluator::{Evaluator, take_inputs};
use crate::sim::events::modes::evaluation::sparsity::Sparsity;
use situ_solve::Refusal;
use std::sync::Arc;

impl Evaluator {
    /// The structure of the Jacobian, found when it is first asked for.
    pub(crate) fn sparsity(&mut self) -> &Sparsity {
        self.sparsity.get_or_insert_with(|| {
            let found = match &self.linear {
                Some(linear) => Sparsity::of_matrix(linear),
                None => Sparsity::of(&self.mode),
            };
            Arc::new(found)
        })
    }

    /// Writes the Jacobian, in the order of [`Sparsity::pattern`], and the time derivative at a point.
    pub(crate) fn linearise(
        &mut self,
        past: &DelayHistory,
        t: f64,
        y: &[f64],
        jacobian: &mut [f64],
        df_dt: &mut [f64],
    ) -> Result<(), Refusal> {
        df_dt.fill(0.0);
        if let Some(linear) = &self.linear {
            for (entry, term) in jacobian.iter_mut().zip(&linear.terms) {
                *entry = term.weight;
            }
            for (df_dt, weight) in df_dt.iter_mut().zip(&linear.per_time) {
                *df_dt = *weight;
            }
            return Ok(());
        }
        self.sparsity();
        let sparsity = self.sparsity.clone().expect("it has just been found");
        self.evaluate_rates(past, t, y)
            .map_err(|_| Refusal::Outside)?;
        take_inputs(&self.mode, &self.slots, &mut self.jets.duals);
        for group in &sparsity.groups {
            self.derive(t, y, &group.columns, 0.0)?;
            for &(at, row) in &group.entries {
                jacobian[at] = self.jets.duals[self.mode.rates[row].index()].0[1];
            }
        }
        if !sparsity.in_time.is_empty() {
            self.derive(t, y, &[], 1.0)?;
            for &row in &sparsity.in_time {
                df_dt[row] = self.jets.duals[self.mode.rates[row].index()].0[1];
            }
        }
        Ok(())
    }

    /// Derivatives of everything that the rates need, by some states together, or by the time.
    fn derive(
        &mut self,
        t: f64,
        y: &[f64],
        columns: &[usize],
        in_time: f64,
    ) -> Result<(), Refusal> {
        for (real, &y) in self.mode.states.iter().zip(y) {
            self.jets.duals[real.index()] = Jet([y, 0.0]);
        }
        for &column in columns {
            self.jets.duals[self.mode.states[column].index()].0[1] = 1.0;
        }
        self.jets.duals[self.mode.time.index()] = Jet([t, in_time]);
        for &(_, value, slope) in &self.mode.delays.fixed {
            let (now, rate) = (self.slots[value.index()], self.slots[slope.index()]);
            self.jets.duals[value.index()] = Jet([now, rate * in_time]);
            self.jets.duals[slope.index()] = Jet([rate, 0.0]);
        }
        self.flow
            .pass(&self.slots, &mut self.jets.duals, &mut self.work)
            .map_err(|_| Refusal::Outside)
    }
}
