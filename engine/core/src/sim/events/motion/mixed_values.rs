//! Values along a slide, mixed from those of the modes around its borders.

use crate::lower::flow::Flow;
use crate::sim::events::delays::delay_history::DelayHistory;
use crate::sim::events::modes::cache::Modes;
use crate::sim::events::modes::evaluation::evaluator::Evaluator;
use crate::sim::events::motion::sliding::{GroupRoom, Sliding};
use situ_solve::Refusal;

impl Sliding {
    /// Writes what is mixed as the rates are; all else has been written.
    pub(super) fn write_mixed(
        &mut self,
        modes: &mut Modes,
        past: &DelayHistory,
        t: f64,
        reals: &mut [f64],
    ) -> Result<(), Refusal> {
        if self.mixed.is_empty() {
            return Ok(());
        }
        let groups: Vec<usize> = self
            .mixed
            .iter()
            .map(|real| self.groups.of_real(*real))
            .collect();
        let slots = std::mem::take(&mut self.slots);
        let mixed = self.mix(modes, past, (t, reals), &groups, |corner, at, evaluator| {
            evaluator.value(slots[corner][at])
        });
        self.slots = slots;
        mixed?;
        for (sum, real) in self.room.sums.iter().zip(&self.mixed) {
            reals[real.index()] = *sum;
        }
        Ok(())
    }

    /// Mixes what the delays take in where kinks of what jumps do not let the mixture compute it; the values are those of
    /// the mixture before.
    ///
    /// Shapes: `taken`: per delay.
    pub(crate) fn mix_delayed(
        &mut self,
        modes: &mut Modes,
        past: &DelayHistory,
        (t, reals): (f64, &[f64]),
        flow: &Flow,
        taken: &mut Vec<f64>,
    ) -> Result<(), Refusal> {
        if self.mixes_rows() {
            let rows = flow.delays.iter().map(|&row| flow.rows[row].relation);
            let groups: Vec<usize> = rows.map(|row| self.groups.of_relation(row)).collect();
            self.mix(modes, past, (t, reals), &groups, |_, at, evaluator| {
                evaluator.value(evaluator.mode.delayed[at].0)
            })?;
            taken.clone_from(&self.room.sums);
        }
        Ok(())
    }

    /// Mixes values of the corners, into the sums of the room.
    ///
    /// Shapes: `groups`: for each value the group that changes it.
    fn mix(
        &mut self,
        modes: &mut Modes,
        past: &DelayHistory,
        (t, reals): (f64, &[f64]),
        groups: &[usize],
        value: impl Fn(usize, usize, &Evaluator) -> f64,
    ) -> Result<(), Refusal> {
        self.room.sums.clear();
        self.room.firsts.clear();
        for number in 0..self.corners.len() {
            let evaluator = modes.get(self.corners[number]);
            evaluator.states(reals, &mut self.point.y);
            self.raise(number, evaluator, past, t)?;
            evaluator
                .evaluate(past, t, &self.point.y)
                .map_err(|_| Refusal::Outside)?;
            let values = (0..groups.len()).map(|at| value(number, at, evaluator));
            if number == 0 {
                self.room.firsts.extend(values);
                self.room.sums.clone_from(&self.room.firsts);
                continue;
            }
            // The weights of a group make 1: what all corners have stays as it is, to the last bit.
            let GroupRoom { sums, firsts, .. } = &mut self.room;
            let corner = groups.iter().zip(&*firsts).zip(values);
            for (sum, ((&group, &first), value)) in sums.iter_mut().zip(corner) {
                let weight = self.groups.weights_of(group, &self.weights)[number];
                if value != first {
                    *sum += weight * (value - first);
                }
            }
        }
        Ok(())
    }

    /// True if the mixture's own rows do not compute the mixture: off a border the modes have other values than on it, and
    /// kinks that lie within each other take different branches.
    pub(super) fn mixes_rows(&self) -> bool {
        !self.lifts.is_empty() || !self.split.borders.is_empty()
    }
}
