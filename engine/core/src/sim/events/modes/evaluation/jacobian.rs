//! The Jacobian of a mode, by running its tape on derivatives.

use crate::backend::value::Jet;
use crate::sim::events::delays::delay_history::DelayHistory;
use crate::sim::events::modes::evaluation::evaluator::{Evaluator, take_inputs};
use crate::sim::events::modes::evaluation::sparsity::Sparsity;
use situ_solve::Refusal;
use std::sync::Arc;

impl Evaluator {
    /// The structure of the Jacobian of states and algebraic components, found when it is first asked for.
    pub(crate) fn algebraic_sparsity(&mut self) -> &Arc<Sparsity> {
        let (mode, algebraic) = (&self.mode, &mut self.algebraic);
        let unknowns = &algebraic.unknowns;
        let find = || Arc::new(Sparsity::of(mode, unknowns));
        algebraic.sparsity.get_or_insert_with(find)
    }

    /// The structure of the Jacobian of the states, found when it is first asked for.
    pub(crate) fn sparsity(&mut self) -> &Arc<Sparsity> {
        self.sparsity.get_or_insert_with(|| {
            let found = match &self.linear {
                Some(linear) => Sparsity::of_matrix(linear),
                None => Sparsity::of(&self.mode, &[]),
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
        let sparsity = match y.len() > self.mode.states.len() {
            true => self.algebraic_sparsity(),
            false => self.sparsity(),
        };
        let sparsity = Arc::clone(sparsity);
        self.evaluate_rates(past, t, y)
            .map_err(|_| Refusal::Outside)?;
        take_inputs(&self.mode, &self.slots, &mut self.jets.duals);
        for group in &sparsity.groups {
            self.derive(t, y, &group.columns, 0.0)?;
            for &(at, row) in &group.entries {
                jacobian[at] = self.slope(row);
            }
        }
        if !sparsity.in_time.is_empty() {
            self.derive(t, y, &[], 1.0)?;
            for &row in &sparsity.in_time {
                df_dt[row] = self.slope(row);
            }
        }
        Ok(())
    }

    /// What was derived of a rate, or of a gap.
    fn slope(&self, row: usize) -> f64 {
        match self.mode.rates.get(row) {
            Some(rate) => self.jets.duals[rate.index()].0[1],
            None => self.work.given.gaps[row - self.mode.rates.len()],
        }
    }

    /// Writes the rates of algebraic components along the motion, behind those of the states.
    ///
    /// Shapes: `dy`: one value per component, those of the states known.
    pub(crate) fn algebraic_rates(
        &mut self,
        past: &DelayHistory,
        t: f64,
        y: &[f64],
        dy: &mut [f64],
    ) -> Result<(), Refusal> {
        self.evaluate_rates(past, t, y)
            .map_err(|_| Refusal::Outside)?;
        take_inputs(&self.mode, &self.slots, &mut self.jets.duals);
        let duals = &mut self.jets.duals;
        for ((real, &y), &rate) in self.mode.states.iter().zip(y).zip(&*dy) {
            duals[real.index()] = Jet([y, rate]);
        }
        duals[self.mode.time.index()] = Jet([t, 1.0]);
        let followed = self.flow.pass(&self.slots, duals, &mut self.work);
        followed.map_err(|_| Refusal::Outside)?;
        let rates = dy[self.mode.states.len()..].iter_mut();
        for (rate, (slot, _)) in rates.zip(&self.algebraic.unknowns) {
            *rate = self.jets.duals[slot.index()].0[1];
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
        let n = self.mode.states.len();
        let unknowns = self.algebraic.unknowns.iter();
        for ((slot, _), &value) in unknowns.zip(&y[n..]) {
            self.jets.duals[slot.index()] = Jet([value, 0.0]);
        }
        for &column in columns {
            let slot = match column.checked_sub(n) {
                None => self.mode.states[column].index(),
                Some(component) => self.algebraic.unknowns[component].0.index(),
            };
            self.jets.duals[slot].0[1] = 1.0;
        }
        self.jets.duals[self.mode.time.index()] = Jet([t, in_time]);
        for &(_, value, slope) in &self.mode.delays.fixed {
            let (now, rate) = (self.slots[value.index()], self.slots[slope.index()]);
            self.jets.duals[value.index()] = Jet([now, rate * in_time]);
            self.jets.duals[slope.index()] = Jet([rate, 0.0]);
        }
        self.work.given.is_direction = y.len() > n;
        let passed = self
            .flow
            .pass(&self.slots, &mut self.jets.duals, &mut self.work);
        self.work.given.is_direction = false;
        passed.map_err(|_| Refusal::Outside)
    }
}
