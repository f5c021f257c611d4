//! Large loops that no border reads -> algebraic components of the system that a method integrates: their unknowns stand
//! behind the states, their gaps in the place of rates.
//!
//! Where a point comes with values of these components they are taken as they are; where it comes without, the loops are
//! solved.

use std::sync::Arc;

use smallvec::SmallVec;

use crate::backend::sparse_derivatives::FEW;
use crate::backend::value::Jet;
use crate::ids::RealId;
use crate::lower::mode::{Loop, Mode, Segment};
use crate::sim::events::modes::evaluation::algebraic_loops::keep_solution;
use crate::sim::events::modes::evaluation::evaluator::Evaluator;
use crate::sim::events::modes::evaluation::loop_matrix::{LoopProblem, Workspace};
use crate::sim::events::modes::evaluation::sparsity::Sparsity;
use crate::tape::Slot;

/// The unknowns of a mode that may be algebraic components; none where a border reads what follows from them, which has to
/// be exact where it is located.
#[derive(Clone, Debug, Default)]
pub(crate) struct AlgebraicComponents {
    /// The unknowns, with the reals of which they are versions.
    pub(super) unknowns: Vec<(Slot, RealId)>,
    /// For each loop the slot of its first unknown, and the component that this is.
    first: SmallVec<[(Slot, usize); 1]>,
    /// The structure of the Jacobian of states and components, once somebody has asked for it.
    pub(super) sparsity: Option<Arc<Sparsity>>,
}

impl AlgebraicComponents {
    pub(super) fn of(mode: &Mode) -> Self {
        let is_loop = |segment: &Segment| matches!(segment, Segment::Loop(_));
        let mut found = Self::default();
        if mode.tests.iter().any(is_loop) || !mode.delays.is_empty() {
            return found;
        }
        for segment in &mode.flow {
            let Segment::Loop(inner) = segment else {
                continue;
            };
            if inner.unknowns.len() <= FEW {
                continue;
            }
            if !is_of_reals(mode, inner) {
                return Self::default();
            }
            found
                .first
                .push((inner.unknowns[0].0, found.unknowns.len()));
            found.unknowns.extend(&inner.unknowns);
        }
        found
    }

    /// The component that the first unknown of a loop is, if it is one.
    pub(super) fn first_of(&self, inner: &Loop) -> Option<usize> {
        let first = inner.unknowns.first()?.0;
        let mut loops = self.first.iter();
        loops.find(|(slot, _)| *slot == first).map(|(_, at)| *at)
    }

    /// The reals of the components.
    pub(crate) fn reals(&self) -> impl Iterator<Item = RealId> {
        self.unknowns.iter().map(|&(_, real)| real)
    }
}

/// True if all unknowns of a loop are values of reals, without bounds.
fn is_of_reals(mode: &Mode, inner: &Loop) -> bool {
    let mut pairs = inner.unknowns.iter().zip(&inner.results);
    inner.bounds.iter().all(Option::is_none)
        && pairs.all(|((slot, real), result)| {
            let own = mode
                .algebraic
                .binary_search_by_key(real, |(other, _)| *other);
            own.is_ok_and(|at| [*slot, *result].contains(&mode.algebraic[at].1))
        })
}

/// What a point says of the algebraic components, and how far it is from a solution.
#[derive(Clone, Debug, Default)]
pub(super) struct Given {
    /// Their values; empty if the point has none.
    pub(super) values: Vec<f64>,
    /// The gaps there.
    pub(super) gaps: Vec<f64>,
    /// True while derivatives by the components are asked for, not along the solution.
    pub(super) is_direction: bool,
}

impl Given {
    /// Takes over the components of a point.
    pub(super) fn take(&mut self, values: &[f64]) {
        self.values.clear();
        self.values.extend_from_slice(values);
        self.gaps.resize(values.len(), 0.0);
    }
}

impl Evaluator {
    /// Writes the values of the algebraic reals that margins follow from, as the last [`Self::evaluate_margins`] has
    /// computed them.
    pub(crate) fn algebraic_of_margins(&self, reals: &mut [f64]) {
        let mode = &self.mode;
        let mut computed = vec![false; self.slots.len()];
        let states = mode.states.iter().map(|real| real.index());
        for slot in states.chain([mode.time.index()]) {
            computed[slot] = true;
        }
        for segment in &mode.tests {
            let (Segment::Ops(ops) | Segment::Loop(Loop { ops, .. })) = segment;
            ops.iter().for_each(|op| computed[op.out as usize] = true);
            if let Segment::Loop(inner) = segment {
                let unknowns = inner.unknowns.iter();
                unknowns.for_each(|(slot, _)| computed[slot.index()] = true);
            }
        }
        for &(real, slot) in &mode.algebraic {
            if computed[slot.index()] {
                reals[real.index()] = self.slots[slot.index()];
            }
        }
    }

    /// Writes the rates of the last evaluation, and the gaps of algebraic components if it was given any.
    #[inline]
    pub(crate) fn write_rates(&self, dy: &mut [f64]) {
        for (dy, rate) in dy.iter_mut().zip(&self.mode.rates) {
            *dy = self.slots[rate.index()];
        }
        let behind = dy.iter_mut().skip(self.mode.rates.len());
        for (dy, gap) in behind.zip(&self.work.given.gaps) {
            *dy = *gap;
        }
    }
}

impl LoopProblem {
    /// The component that its first unknown is, if the point has values of them.
    pub(super) fn given(&self, work: &Workspace) -> Option<usize> {
        self.component.filter(|_| !work.given.values.is_empty())
    }

    /// Computes what follows from given unknowns that are the components from `first` on.
    pub(super) fn take_given(&self, slots: &mut [f64], work: &mut Workspace, first: usize) {
        let inner = &self.inner;
        let Given { values, gaps, .. } = &mut work.given;
        for ((slot, _), value) in inner.unknowns.iter().zip(&values[first..]) {
            slots[slot.index()] = *value;
        }
        self.block.run_reals(slots);
        for (at, gap) in gaps[first..][..inner.unknowns.len()].iter_mut().enumerate() {
            *gap = inner.gap(at, slots);
        }
        keep_solution(inner, slots);
    }

    /// Takes over the slopes of the gaps, in a direction in which the unknowns were moved too.
    pub(super) fn take_given_slopes<const N: usize>(
        &self,
        numbers: &mut [Jet<N>],
        given: &mut Given,
        first: usize,
    ) {
        let inner = &self.inner;
        let pairs = inner.unknowns.iter().zip(&inner.results).enumerate();
        for (at, ((unknown, _), result)) in pairs {
            let slope = numbers[result.index()].0[1];
            given.gaps[first + at] = if at < inner.implicit {
                -slope
            } else {
                let own = numbers[unknown.index()];
                numbers[result.index()] = own;
                slope - own.0[1]
            };
        }
    }
}
