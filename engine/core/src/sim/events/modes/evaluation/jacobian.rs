//! The Jacobian of a mode, and the gradients of its margins, by running its tape on derivatives.

use crate::backend::value::{Jet, Value};
use crate::ids::RealId;
use crate::lower::border::BorderId;
use crate::lower::mode::Margin;
use crate::sim::events::delays::delay_history::DelayHistory;
use crate::sim::events::modes::evaluation::algebraic_loops::ValueFault;
use crate::sim::events::modes::evaluation::cones::{Leaf, OwnProgram, cone};
use crate::sim::events::modes::evaluation::evaluator::{Evaluator, take_inputs};
use crate::sim::events::modes::evaluation::sparsity::Sparsity;
use crate::tape::Slot;
use situ_solve::Refusal;
use smallvec::SmallVec;
use std::sync::Arc;

/// A program of some margins has at most one in so many of all operations.
const PART: usize = 8;

/// Positions of states, each with a derivative by it.
pub(crate) type Gradient = SmallVec<[(usize, f64); 4]>;

impl Evaluator {
    /// Computes how margins and their rates change when the state is displaced, after
    /// [`Self::evaluate`]. Read the result with [`Self::z_displaced`].
    ///
    /// Shapes: `along`: one entry per state; `in_time`: how far the time is displaced.
    pub(crate) fn displace(
        &mut self,
        y: &[f64],
        along: impl Fn(usize) -> f64,
        in_time: f64,
    ) -> Result<(), ValueFault> {
        self.put_displaced(y, along, in_time);
        self.flow
            .pass(&self.slots, &mut self.jets.twice, &mut self.work)?;
        for (real, rate) in self.mode.states.iter().zip(&self.mode.rates) {
            self.jets.twice[real.index()].0[1] = self.jets.twice[rate.index()].0[0];
        }
        self.tests
            .pass(&self.slots, &mut self.jets.twice, &mut self.work)
    }

    /// The same of the margins that a program computes, if there is one.
    ///
    /// Shapes: as in [`Self::displace`].
    pub(crate) fn displace_own(
        &mut self,
        own: Option<&mut OwnProgram>,
        y: &[f64],
        along: impl Fn(usize) -> f64,
        in_time: f64,
    ) -> Result<(), ValueFault> {
        let Some(own) = own else {
            return self.displace(y, along, in_time);
        };
        self.put_displaced(y, along, in_time);
        let (slots, twice, work) = (&self.slots, &mut self.jets.twice, &mut self.work);
        own.rates.pass(slots, twice, work)?;
        for &state in &own.states {
            let [real, rate] = [
                self.mode.states[state].index(),
                self.mode.rates[state].index(),
            ];
            twice[real].0[1] = twice[rate].0[0];
        }
        own.program.pass(slots, twice, work)
    }

    /// The program of the margins of some borders alone, if it is a small part of all computations. (It is not compiled.)
    pub(crate) fn own_program(
        &self,
        borders: impl Iterator<Item = BorderId>,
    ) -> Option<OwnProgram> {
        if self.has_loops {
            return None;
        }
        let margins = borders.filter_map(|border| Some(self.mode.margin(border)?.slot));
        let margins: SmallVec<[Slot; 8]> = margins.collect();
        let own = OwnProgram::of(&self.mode, &self.algebraic, &margins);
        let n_ops = self.flow.n_ops() + self.tests.n_ops();
        (PART * own.n_ops() <= n_ops).then_some(own)
    }

    /// Sets all inputs, the states and the time displaced.
    fn put_displaced(&mut self, y: &[f64], along: impl Fn(usize) -> f64, in_time: f64) {
        take_inputs(&self.mode, &self.slots, &mut self.jets.twice);
        let zero = Jet::constant(0.0);
        for (index, real) in self.mode.states.iter().enumerate() {
            self.jets.twice[real.index()] = Jet([Jet([y[index], along(index)]), zero]);
        }
        let time = self.mode.time.index();
        self.jets.twice[time] = Jet([Jet([self.slots[time], in_time]), Jet::constant(1.0)]);
        for &(_, value, slope) in &self.mode.delays.fixed {
            let (now, rate) = (self.slots[value.index()], self.slots[slope.index()]);
            self.jets.twice[value.index()] = Jet([Jet([now, rate * in_time]), Jet::constant(rate)]);
            self.jets.twice[slope.index()] = Jet([Jet([rate, 0.0]), zero]);
        }
    }

    /// The derivatives of the z of a border by the states at a point, where it was evaluated last: positions of states,
    /// each with the derivative by it.
    ///
    /// # Errors
    ///
    /// Values that cannot be computed.
    pub(crate) fn gradient_of_z(
        &mut self,
        past: &DelayHistory,
        (t, y): (f64, &[f64]),
        border: BorderId,
    ) -> Result<Gradient, ValueFault> {
        if let Some(weights) = self.affine_gradient(border) {
            return Ok(weights.collect());
        }
        let Some(margin) = self.mode.margin(border) else {
            return Ok(Gradient::new());
        };
        let sign = if margin.upright { 1.0 } else { -1.0 };
        let slot = margin.slot;
        if let Some(cone) = cone(&mut self.jets.cones, &self.mode, self.has_loops, slot) {
            let slope = |along: usize| {
                let Jet([_, slope]) = cone.run(|leaf| match leaf {
                    Leaf::Time => Jet::constant(t),
                    Leaf::State(at) => Jet([y[at], f64::from(u8::from(at == along))]),
                    Leaf::Held(slot) => Jet::constant(self.slots[slot]),
                    Leaf::Delayed(delay, coefficient) => {
                        Jet::constant(coefficient.of(past.series(delay, t)))
                    }
                });
                (along, sign * slope)
            };
            let slopes = cone.states().into_iter().map(slope);
            return Ok(slopes.filter(|(_, slope)| *slope != 0.0).collect());
        }
        let mut gradient = Gradient::new();
        let has_own = self.find_own(slot);
        let own = self.jets.own.get(&slot.0).filter(|_| has_own);
        let components: Vec<usize> =
            own.map_or_else(|| (0..y.len()).collect(), |own| own.states.clone());
        for component in components {
            let along = |index: usize| f64::from(u8::from(index == component));
            self.displace(y, along, 0.0)?;
            let (slope, _) = self.z_displaced(border).unwrap_or_default();
            if slope != 0.0 {
                gradient.push((component, slope));
            }
        }
        Ok(gradient)
    }

    /// The reals from which the margin of a border is computed; all inputs of the mode where that takes more than a look.
    pub(crate) fn inputs_of(&mut self, border: BorderId) -> SmallVec<[RealId; 4]> {
        let Some(slot) = self.mode.margin(border).map(|margin| margin.slot) else {
            return SmallVec::new();
        };
        match cone(&mut self.jets.cones, &self.mode, self.has_loops, slot) {
            Some(cone) => cone.reals(self.mode.constants_at),
            None => self.mode.inputs.iter().copied().collect(),
        }
    }

    /// The z of a border with other values of the reals, which the mode may hold from then on.
    ///
    /// Shapes: `reals`: all of the model; `y`: room for the state.
    pub(crate) fn z_with(
        &mut self,
        past: &DelayHistory,
        (t, reals): (f64, &[f64]),
        border: BorderId,
        y: &mut Vec<f64>,
    ) -> Result<f64, ValueFault> {
        let Some(Margin { slot, upright, .. }) = self.mode.margin(border) else {
            return Ok(0.0);
        };
        if let Some(cone) = cone(&mut self.jets.cones, &self.mode, self.has_loops, *slot) {
            let z = cone.run(|leaf| match leaf {
                Leaf::Time => t,
                Leaf::State(component) => reals[self.mode.states[component].index()],
                Leaf::Delayed(delay, coefficient) => coefficient.of(past.series(delay, t)),
                Leaf::Held(slot) => reals.get(slot).copied().unwrap_or(self.slots[slot]),
            });
            return Ok(if *upright { z } else { -z });
        }
        self.hold(reals);
        self.states(reals, y);
        self.evaluate_margins(past, t, y)?;
        Ok(self.z(border).unwrap_or_default())
    }

    /// After [`Self::displace`]: how z, and how its rate along the mode's motion, change with the
    /// displacement.
    pub(crate) fn z_displaced(&self, border: BorderId) -> Option<(f64, f64)> {
        let margin = self.mode.margin(border)?;
        let Jet([z, rate]) = self.jets.twice[margin.slot.index()];
        let sign = if margin.upright { 1.0 } else { -1.0 };
        Some((sign * z.0[1], sign * rate.0[1]))
    }

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
