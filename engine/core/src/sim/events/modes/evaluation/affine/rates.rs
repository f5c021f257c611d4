//! Rates that are affine in what moves: evaluated as the rows of a sparse matrix, not op by op.
//!
//! Circuits, springs and flights are of this kind in each of their modes. The weights are those that
//! [`crate::lower::affine`] finds in the tape; a rate then differs from what the tape computes by
//! rounding only.
//!
//! Any other way to evaluate such a mode (lanes, compiled code) does the same additions in the same order.

use crate::ids::RealId;
use crate::lower::affine::Affine;
use crate::lower::mode::{Mode, Segment};
use crate::sim::events::modes::evaluation::affine::margin_derivatives::Sum;
use crate::tape::Slot;
use situ_solve::slices::{fill, write};

/// Fewest operations that a tape counts as: what it costs to run one at all.
const RUN: usize = 2;

/// Slots of the weights of an affine form.
#[derive(Clone, Debug)]
pub(crate) struct FormSlots {
    pub(crate) constant: Slot,
    pub(crate) per_time: Slot,
    /// In the order of the form.
    pub(crate) terms: Vec<TermSlot>,
}

/// Slot of the weight of a real.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TermSlot {
    pub(crate) weight: Slot,
    /// True if the real is a state.
    pub(crate) moves: bool,
}

/// A part of a rate that moves.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Term {
    /// Position of the state whose rate it is part of.
    pub(crate) row: u32,
    /// Position of the state that it follows.
    pub(crate) column: u32,
    pub(crate) weight: f64,
}

/// The rates of a mode as a matrix.
#[derive(Clone, Debug)]
pub(crate) struct Linear {
    /// Per state the part that neither moves nor is held.
    constants: Vec<f64>,
    /// The same with what is held.
    pub(crate) offsets: Vec<f64>,
    /// Held terms: state, real, weight.
    held: Vec<(usize, RealId, f64)>,
    /// Terms of gates: state, number of the gate, weight.
    gated: Vec<(usize, usize, f64)>,
    /// Per state the constant with what gates let through; empty if there are none.
    let_through: Vec<f64>,
    /// The values of held terms, where there are gates.
    holds: Vec<f64>,
    /// Per state the weight of the time; empty if all are 0.
    pub(crate) per_time: Vec<f64>,
    /// Terms that move, state by state.
    pub(crate) terms: Vec<Term>,
}

impl Linear {
    /// The matrix of a mode, if its rates have one that is no more work than its tape.
    pub(crate) fn of(mode: &Mode) -> Option<Self> {
        let forms: Option<Vec<&Affine>> = mode.rate_forms.iter().map(Option::as_ref).collect();
        let forms = forms?;
        let mut linear = Self {
            constants: forms.iter().map(|form| form.constant).collect(),
            offsets: Vec::new(),
            held: Vec::new(),
            gated: Vec::new(),
            let_through: Vec::new(),
            holds: Vec::new(),
            per_time: forms.iter().map(|form| form.per_time).collect(),
            terms: Vec::new(),
        };
        for (row, form) in forms.iter().enumerate() {
            for &(real, weight) in &form.terms {
                match mode.states.binary_search(&real) {
                    Err(_) if real.index() >= mode.constants_at => {
                        let gate = real.index() - mode.constants_at;
                        linear.gated.push((row, gate, weight));
                    }
                    Ok(column) => linear.terms.push(Term {
                        row: row as u32,
                        column: column as u32,
                        weight,
                    }),
                    Err(_) => linear.held.push((row, real, weight)),
                }
            }
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
    pub(crate) fn weigh(&mut self, forms: &[FormSlots], slots: &[f64]) -> bool {
        let mut all_finite = true;
        let mut value = |slot: Slot| {
            let value = slots[slot.index()];
            all_finite &= value.is_finite();
            value
        };
        let mut moving = self.terms.iter_mut().map(|term| &mut term.weight);
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
    pub(crate) fn hold(&mut self, reals: &[f64]) {
        if self.held.is_empty() {
            return;
        }
        if !self.gated.is_empty() {
            self.holds.clear();
            let values = self.held.iter().map(|(_, real, _)| reals[real.index()]);
            self.holds.extend(values);
            return self.offset();
        }
        write(&mut self.offsets, &self.constants);
        for &(row, real, weight) in &self.held {
            self.offsets[row] += weight * reals[real.index()];
        }
    }

    /// Takes over the positions of gates.
    pub(crate) fn set_gates(&mut self, positions: &[f64]) {
        self.let_through.clone_from(&self.constants);
        for &(row, gate, weight) in &self.gated {
            self.let_through[row] += weight * positions[gate];
        }
        self.offset();
    }

    /// Adds up what does not move, where there are gates.
    fn offset(&mut self) {
        self.offsets.clone_from(&self.let_through);
        for (&(row, _, weight), value) in self.held.iter().zip(&self.holds) {
            self.offsets[row] += weight * value;
        }
    }

    /// The terms of a state's rate.
    pub(crate) fn row(&self, state: usize) -> &[Term] {
        let begin = self
            .terms
            .partition_point(|term| (term.row as usize) < state);
        let rest = &self.terms[begin..];
        &rest[..rest.partition_point(|term| term.row as usize == state)]
    }

    /// Writes the rates at a point.
    #[inline]
    pub(crate) fn rates(&self, t: f64, y: &[f64], dy: &mut [f64]) {
        write(dy, &self.offsets);
        // One loop over all terms: most rows have one or two.
        for term in &self.terms {
            dy[term.row as usize] += term.weight * y[term.column as usize];
        }
        for (dy, weight) in dy.iter_mut().zip(&self.per_time) {
            *dy += weight * t;
        }
    }

    /// Writes the Taylor coefficients of the motion through a point from order 2 to `last`. Result: the highest
    /// order with one that is not 0, at least 1.
    ///
    /// Shapes: `coefficients`: for each order one per state; those of orders 0 and 1 are given.
    pub(crate) fn series(&self, last: usize, coefficients: &mut [f64]) -> usize {
        let n = self.offsets.len();
        let mut degree = 1;
        for order in 2..=last {
            let (known, next) = coefficients.split_at_mut(order * n);
            let (before, next) = (&known[(order - 1) * n..], &mut next[..n]);
            #[expect(clippy::cast_precision_loss, reason = "orders are small")]
            let share = 1.0 / order as f64;
            let mut terms = self.terms.iter().peekable();
            let mut vanishes = true;
            for (row, next) in next.iter_mut().enumerate() {
                let mut sum = 0.0;
                while let Some(term) = terms.next_if(|term| term.row as usize == row) {
                    sum += term.weight * before[term.column as usize];
                }
                if order == 2 && !self.per_time.is_empty() {
                    sum += self.per_time[row];
                }
                *next = sum * share;
                vanishes &= *next == 0.0;
            }
            if vanishes {
                fill(&mut coefficients[(order + 1) * n..(last + 1) * n], 0.0);
                break;
            }
            degree = order;
        }
        degree
    }

    /// Writes the rates at a point, each with the size of what it is the sum of.
    pub(crate) fn sized_rates(&self, t: f64, y: &[f64], into: &mut Vec<Sum>) {
        into.clear();
        into.extend(self.offsets.iter().map(|&offset| Sum::of(offset)));
        for term in &self.terms {
            into[term.row as usize].add(Sum::of(term.weight * y[term.column as usize]));
        }
        for (rate, weight) in into.iter_mut().zip(&self.per_time) {
            rate.add(Sum::of(weight * t));
        }
    }

    /// The rate of a state at a point, with the size of what it is the sum of; to the bit as [`Self::sized_rates`].
    pub(crate) fn sized_rate(&self, state: usize, t: f64, y: &[f64]) -> Sum {
        let mut rate = Sum::of(self.offsets[state]);
        for term in self.row(state) {
            rate.add(Sum::of(term.weight * y[term.column as usize]));
        }
        if let Some(weight) = self.per_time.get(state) {
            rate.add(Sum::of(weight * t));
        }
        rate
    }

    /// The size of what a state's rate is the sum of.
    pub(crate) fn size_of_rate(&self, state: usize, t: f64, y: &[f64]) -> f64 {
        let terms = self.row(state).iter();
        let moving = terms.map(|term| (term.weight * y[term.column as usize]).abs());
        let per_time = self.per_time.get(state).copied().unwrap_or_default();
        self.offsets[state].abs() + (per_time * t).abs() + moving.sum::<f64>()
    }

    /// Writes the derivatives of the states of the order after that of others, which is given.
    pub(crate) fn next_order(&self, order: usize, from: &[Sum], into: &mut Vec<Sum>) {
        into.clear();
        into.resize(from.len(), Sum::default());
        for term in &self.terms {
            into[term.row as usize].add(from[term.column as usize].times(term.weight));
        }
        if order == 1 {
            for (slope, &weight) in into.iter_mut().zip(&self.per_time) {
                slope.add(Sum::of(weight));
            }
        }
    }
}
