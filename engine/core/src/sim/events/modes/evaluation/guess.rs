//! The point from which loops are solved: guesses of their unknowns, of large ones the factors there, and on which of its
//! solutions each loop is.

use situ_solve::SparseFactors;

use crate::ids::RelationId;
use crate::sim::events::delays::delay_history::DelayHistory;
use crate::sim::events::modes::evaluation::evaluator::Evaluator;
use crate::sim::events::modes::evaluation::loop_matrix::{LoopProblem, branch};
use crate::tape::Slot;

/// Where the unknowns of loops are sought.
#[derive(Clone, Debug, Default)]
pub(super) struct Guess {
    /// Values of all reals, and their time.
    pub(super) reals: Vec<f64>,
    t: f64,
}

/// Factors of the large loops at the guess. What they are follows from the guess alone: the same point gives the same bits,
/// whatever was evaluated before.
#[derive(Clone, Debug, Default)]
pub(super) enum FactorsAtGuess {
    /// Nobody has asked since the guess changed.
    #[default]
    Unknown,
    /// A loop cannot be solved without.
    Wanted,
    /// Of the loops whose matrix there is not singular.
    Known(Vec<LoopFactors>),
}

/// Factors of one loop.
#[derive(Clone, Debug)]
pub(super) struct LoopFactors {
    /// The slot of its first unknown.
    pub(super) first: Slot,
    pub(super) factors: SparseFactors,
    /// The sign of the determinant.
    pub(super) sign: i8,
}

impl FactorsAtGuess {
    pub(super) fn are_wanted(&self) -> bool {
        matches!(self, Self::Wanted)
    }

    fn of(&self, circle: &LoopProblem) -> Option<&LoopFactors> {
        let Self::Known(known) = self else {
            return None;
        };
        known.iter().find(|own| own.first == circle.first())
    }
}

impl Evaluator {
    /// Algebraic loops start from the values of these reals at a time.
    pub(crate) fn guess_from(&mut self, t: f64, reals: &[f64]) {
        if self.has_loops {
            self.guess.t = t;
            self.guess.reals.clear();
            self.guess.reals.extend_from_slice(reals);
            self.work.near = FactorsAtGuess::Unknown;
        }
    }

    /// Finds the factors of large loops at the guess.
    #[cold]
    pub(super) fn factor_at_guess(&mut self, past: &DelayHistory) {
        self.work.near = FactorsAtGuess::Known(Vec::new());
        let states = self.mode.states.iter();
        let y: Vec<f64> = states.map(|real| self.guess.reals[real.index()]).collect();
        let placed = self.put_point(past, self.guess.t, &y);
        let (slots, work) = (&mut self.slots, &mut self.work);
        let guess = &self.guess.reals;
        let found = placed.and_then(|_| self.all.factor_at_guess(slots, guess, work));
        self.work.near = FactorsAtGuess::Known(found.unwrap_or_default());
    }

    /// The point of the last evaluation is committed: loops start to look there from now on. The
    /// rows of loops that have gone over to another solution are handed to `changed`.
    ///
    /// Shapes: `branches`: for each loop on which of its solutions it was at the last commitment; at
    ///         the first one empty.
    pub(crate) fn commit(
        &mut self,
        past: &DelayHistory,
        (t, reals): (f64, &[f64]),
        branches: &mut Vec<i8>,
        mut changed: impl FnMut(&[RelationId]),
    ) {
        if !self.has_loops {
            return;
        }
        self.guess_from(t, reals);
        let work = &self.work;
        let is_solved = |circle: &LoopProblem| circle.given(work).is_none();
        if self
            .all
            .circles()
            .any(|circle| circle.is_large() && is_solved(circle))
        {
            self.factor_at_guess(past);
        }
        for (number, circle) in self.all.circles().enumerate() {
            if circle.given(&self.work).is_some() {
                branches.resize(branches.len().max(number + 1), 0);
                continue;
            }
            // Rates that are unknown are sought from zero.
            let mut unknowns = circle.inner.unknowns.iter();
            let are_reals = unknowns.all(|(_, real)| real.index() < reals.len());
            let near = self.work.near.of(circle).filter(|_| are_reals);
            let known = near.map(|own| own.sign);
            let now = known.unwrap_or_else(|| branch(circle, &self.slots, &mut self.work));
            match branches.get_mut(number) {
                Some(before) => {
                    if *before != now {
                        changed(&circle.inner.rows);
                    }
                    *before = now;
                }
                None => branches.push(now),
            }
        }
    }
}
