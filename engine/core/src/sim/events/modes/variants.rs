//! Variants of modes with gates: the same computations, of which other rows act, or on other branches.
//!
//! A variant is a mode to all that runs it. What it computes with belongs to all variants of its base, whose gates are
//! brought to the positions of the one that is asked for. Which variants are kept changes nothing but the time that it
//! takes to find one.

use std::sync::Arc;

use crate::lower::border::Side;
use crate::lower::flow::Flow;
use crate::lower::mode::{Gates, Mode, SlideGroups};
use crate::sim::events::modes::evaluation::evaluator::Evaluator;

/// Numbers of variants begin here, behind those of modes that have been made.
pub(super) const FIRST: usize = usize::MAX / 2 + 1;

/// So many variants are kept before those that are not in use are forgotten.
const MOST: usize = 128;

/// Variants that have been met.
#[derive(Clone, Debug, Default)]
pub(super) struct Variants {
    gates: Arc<Gates>,
    all: Vec<Variant>,
    /// Places whose variants are forgotten.
    free: Vec<usize>,
    /// Number of times that positions of gates were stated.
    stated: u64,
    /// Room for the positions of gates.
    positions: [Vec<f64>; 3],
}

/// What decides about gates.
#[derive(Clone, Debug, Default)]
struct Acting {
    /// Per row of the flow whether it acts.
    rows: Vec<bool>,
    /// Per gate of a branch whether it is open.
    branches: Vec<bool>,
}

/// A base with positions of its gates.
#[derive(Clone, Debug, Default)]
struct Variant {
    base: usize,
    /// What acts; nothing for a mixture.
    acting: Acting,
    /// The same for each corner of a mixture, and the weights of these.
    corners: Vec<Acting>,
    weights: Vec<f64>,
    /// Per gate the group of slides whose weights it counts with, and the number of groups; empty if that is one.
    groups: Vec<u32>,
    n_groups: usize,
    /// Which statement of positions this is.
    stated: u64,
}

impl Variants {
    /// A new variant of a mode, in which these rows act and borders are on these sides; its number.
    pub(super) fn add(
        &mut self,
        gates: &Arc<Gates>,
        (base, mode): (usize, &Mode),
        active: &[bool],
        sides: &[Side],
    ) -> usize {
        if !Arc::ptr_eq(&self.gates, gates) {
            self.gates = Arc::clone(gates);
        }
        let branches = mode.gates.branches.iter();
        let variant = Variant {
            base,
            acting: Acting {
                rows: active.to_vec(),
                branches: branches.map(|gate| gate.is_open(active, sides)).collect(),
            },
            ..Variant::default()
        };
        self.put(variant)
    }

    /// The mixture of variants of one mode; `None` if they are of several. `mode`: the mode that has been made for one.
    pub(super) fn mix<'m>(
        &mut self,
        corners: &[usize],
        groups: &SlideGroups,
        flow: &Flow,
        mode: impl FnOnce(usize) -> &'m Mode,
    ) -> Option<usize> {
        let base = self.get(*corners.first()?)?.base;
        let parts = corners.iter().map(|&corner| self.get(corner));
        let parts = parts.map(|part| part.filter(|part| part.base == base));
        let acting = parts.map(|part| part.map(|part| part.acting.clone()));
        let corners = acting.collect::<Option<Vec<_>>>()?;
        let n_groups = groups.len();
        Some(self.put(Variant {
            base,
            weights: vec![0.0; corners.len() * n_groups],
            groups: match n_groups {
                1 => Vec::new(),
                _ => self.gates.groups(flow, groups, &mode(base).gates.branches),
            },
            n_groups,
            corners,
            ..Variant::default()
        }))
    }

    fn put(&mut self, mut variant: Variant) -> usize {
        self.stated += 1;
        variant.stated = self.stated;
        let place = self.free.pop().unwrap_or(self.all.len());
        if place == self.all.len() {
            self.all.push(variant);
        } else {
            self.all[place] = variant;
        }
        FIRST + place
    }

    fn get(&self, mode: usize) -> Option<&Variant> {
        self.all.get(mode.checked_sub(FIRST)?)
    }

    /// The mode that has been made for a mode.
    #[inline]
    pub(super) fn base(&self, mode: usize) -> usize {
        match mode.checked_sub(FIRST) {
            None => mode,
            Some(place) => self.all[place].base,
        }
    }

    /// The rows that act in a variant.
    pub(super) fn active(&self, mode: usize) -> Option<&[bool]> {
        Some(&self.get(mode)?.acting.rows)
    }

    /// Sets the weights of the corners of a mixture.
    pub(super) fn weigh(&mut self, mode: usize, weights: &[f64]) {
        self.stated += 1;
        let variant = &mut self.all[mode - FIRST];
        variant.weights.clear();
        variant.weights.extend_from_slice(weights);
        variant.stated = self.stated;
    }

    /// Brings the gates of what a variant computes with to its positions.
    #[inline]
    pub(super) fn enter(&mut self, mode: usize, evaluator: &mut Evaluator) {
        let variant = &self.all[mode - FIRST];
        if evaluator.gates_stated == variant.stated {
            return;
        }
        let [positions, first_positions, corner] = &mut self.positions;
        match variant.corners.split_first() {
            None => self
                .gates
                .positions(&variant.acting.rows, &variant.acting.branches, positions),
            Some((first, others)) => {
                self.gates
                    .positions(&first.rows, &first.branches, positions);
                let n = variant.weights.len() / variant.n_groups;
                let weight = |gate: usize, corner: usize| {
                    let group = variant.groups.get(gate);
                    variant.weights[group.map_or(0, |group| *group as usize) * n + corner]
                };
                first_positions.clone_from(positions);
                // The weights of a group make 1: what all corners have stays as it is, to the last bit.
                for (number, acting) in (1..).zip(others) {
                    self.gates.positions(&acting.rows, &acting.branches, corner);
                    let corners = first_positions.iter().zip(&*corner);
                    for (gate, (sum, (first, position))) in
                        positions.iter_mut().zip(corners).enumerate()
                    {
                        *sum += weight(gate, number) * (position - first);
                    }
                }
                self.gates.share_out(positions);
            }
        }
        evaluator.set_gates(positions, variant.stated);
    }

    /// True if variants that are not in use are to be forgotten.
    pub(super) fn are_many(&self) -> bool {
        self.all.len() - self.free.len() > MOST
    }

    /// Forgets all variants but those in use.
    pub(super) fn forget(&mut self, is_used: impl Fn(usize) -> bool) {
        self.free.clear();
        for (place, variant) in self.all.iter_mut().enumerate() {
            if !is_used(FIRST + place) {
                *variant = Variant::default();
                self.free.push(place);
            }
        }
    }
}
