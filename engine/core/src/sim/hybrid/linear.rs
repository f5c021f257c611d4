//! Rates that are affine in what moves: evaluated as the rows of a sparse matrix, not op by op.
//!
//! Circuits, springs and flights are of this kind in each of their modes. The weights are those that
//! [`crate::lower::affine`] finds in the tape; a rate then differs from what the tape computes by
//! rounding only.

use crate::ids::RealId;
use crate::lower::affine::Affine;
use crate::lower::mode::{Mode, Segment};
use crate::tape::Slot;

/// Fewest operations that a tape counts as: what it costs to run one at all.
const RUN: usize = 2;

/// Where the weights of an affine form stand.
#[derive(Clone, Debug)]
pub(super) struct FormSlots {
    pub(super) constant: Slot,
    pub(super) per_time: Slot,
    /// In the order of the form.
    pub(super) terms: Vec<TermSlot>,
}

/// Where the weight of a real stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct TermSlot {
    pub(super) weight: Slot,
    /// Whether the real is a state.
    pub(super) moves: bool,
}

/// The rates of a mode as a matrix.
#[derive(Clone, Debug)]
pub(in crate::sim) struct Linear {
    /// Per state the part that neither moves nor is held.
    constants: Vec<f64>,
    /// The same with what is held.
    pub(in crate::sim) offsets: Vec<f64>,
    /// What is held: state, real, weight.
    held: Vec<(usize, RealId, f64)>,
    /// Per state the weight of the time; empty if all are 0.
    pub(in crate::sim) per_time: Vec<f64>,
    /// Per state where its terms end.
    ends: Vec<u32>,
    /// Terms that move, state by state: position among the states, weight.
    pub(in crate::sim) terms: Vec<(u32, f64)>,
}

impl Linear {
    /// The matrix of a mode, if its rates have one that is no more work than its tape.
    pub(super) fn of(mode: &Mode) -> Option<Self> {
        let forms: Option<Vec<&Affine>> = mode.rate_forms.iter().map(Option::as_ref).collect();
        let forms = forms?;
        let mut linear = Self {
            constants: forms.iter().map(|form| form.constant).collect(),
            offsets: Vec::new(),
            held: Vec::new(),
            per_time: forms.iter().map(|form| form.per_time).collect(),
            ends: Vec::new(),
            terms: Vec::new(),
        };
        for (row, form) in forms.iter().enumerate() {
            for &(real, weight) in &form.terms {
                match mode.states.binary_search(&real) {
                    Ok(component) => linear.terms.push((component as u32, weight)),
                    Err(_) => linear.held.push((row, real, weight)),
                }
            }
            linear.ends.push(linear.terms.len() as u32);
        }
        let finite = |form: &&Affine| {
            let mut weights = form.terms.iter().map(|(_, weight)| weight);
            form.constant.is_finite()
                && form.per_time.is_finite()
                && weights.all(|weight| weight.is_finite())
        };
        let ops = mode.flow.iter().map(|segment| match segment {
            Segment::Ops(ops) => ops.len(),
            Segment::Loop(_) => 0,
        });
        let cheap = linear.terms.len() <= ops.sum::<usize>() + RUN * mode.states.len();
        if !(cheap && forms.iter().all(finite)) {
            return None;
        }
        if linear.per_time.iter().all(|&weight| weight == 0.0) {
            linear.per_time.clear();
        }
        linear.offsets.clone_from(&linear.constants);
        Some(linear)
    }

    /// The same matrix with other weights. Whether all of them are finite.
    ///
    /// Shapes: `forms`: the slots of the weights of each rate's form, whose terms are those of this one.
    pub(super) fn weigh(&mut self, forms: &[FormSlots], slots: &[f64]) -> bool {
        let mut all_finite = true;
        let mut value = |slot: Slot| {
            let value = slots[slot.index()];
            all_finite &= value.is_finite();
            value
        };
        let mut moving = self.terms.iter_mut().map(|(_, weight)| weight);
        let mut held = self.held.iter_mut().map(|(.., weight)| weight);
        for (row, form) in forms.iter().enumerate() {
            self.constants[row] = value(form.constant);
            let per_time = value(form.per_time);
            if let Some(weight) = self.per_time.get_mut(row) {
                *weight = per_time;
            }
            for term in &form.terms {
                let weight = if term.moves {
                    moving.next()
                } else {
                    held.next()
                };
                if let Some(weight) = weight {
                    *weight = value(term.weight);
                }
            }
        }
        self.offsets.clone_from(&self.constants);
        all_finite
    }

    /// Takes over what is held from the values of all reals.
    pub(super) fn hold(&mut self, reals: &[f64]) {
        if self.held.is_empty() {
            return;
        }
        self.offsets.copy_from_slice(&self.constants);
        for &(row, real, weight) in &self.held {
            self.offsets[row] += weight * reals[real.index()];
        }
    }

    /// Per state the number of its terms.
    pub(in crate::sim) fn counts(&self) -> impl Iterator<Item = u32> {
        let starts = std::iter::once(&0).chain(&self.ends);
        self.ends.iter().zip(starts).map(|(end, start)| end - start)
    }

    /// Writes the rates at a point.
    #[inline]
    pub(super) fn rates(&self, t: f64, y: &[f64], dy: &mut [f64]) {
        let mut begin = 0;
        for ((dy, &offset), &end) in dy.iter_mut().zip(&self.offsets).zip(&self.ends) {
            let mut sum = offset;
            for &(at, weight) in &self.terms[begin..end as usize] {
                sum += weight * y[at as usize];
            }
            *dy = sum;
            begin = end as usize;
        }
        for (dy, weight) in dy.iter_mut().zip(&self.per_time) {
            *dy += weight * t;
        }
    }

    /// A rate at a point, and the size of what it is the sum of.
    pub(super) fn sized_rate(&self, state: usize, t: f64, y: &[f64]) -> [f64; 2] {
        let begin = state.checked_sub(1).map_or(0, |before| self.ends[before]);
        let terms = &self.terms[begin as usize..self.ends[state] as usize];
        let terms = terms.iter().map(|&(at, weight)| weight * y[at as usize]);
        let in_time = self.per_time.get(state).map_or(0.0, |weight| weight * t);
        let all = terms.chain([self.offsets[state], in_time]);
        all.fold([0.0; 2], |[sum, size], part| {
            [sum + part, size + part.abs()]
        })
    }
}
