//! Values that depend on each other: Newton's method, and series carried through its solution.

use crate::backend::block::OfKind;
use crate::backend::equations::{quasi_newton, solve};
use crate::backend::factors::Factors;
use crate::backend::residuals::{Equations, Unsolved};
use crate::backend::value::{Jet, RunningError, Value, run_bounded, run_reals};
use crate::ids::RelationId;
use crate::lower::mode::Loop;
use crate::sim::events::modes::evaluation::guess::{FactorsAtGuess, LoopFactors};
use crate::sim::events::modes::evaluation::krawczyk::enclose_loop;
use crate::sim::events::modes::evaluation::loop_matrix::{
    LoopProblem, MOST_ENCLOSED, Workspace, inverse_of, loop_matrix, solve_system, spread,
};
use crate::tape::Op;
use situ_solve::interval::Interval;
use smallvec::SmallVec;

/// Unknowns and results differ by rounding if by no more than so many rounding bounds.
const SAFETY: f64 = 16.0;

/// Newton steps before a loop counts as without solution.
const MAX_NEWTON: usize = 60;

/// Why values of a mode were not found.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum ValueFault {
    /// Values that depend on each other have no single solution, or none was found.
    Loop {
        /// The rows of the loop.
        rows: Vec<RelationId>,
        /// True if no single solution exists, false if none was found.
        singular: bool,
        /// What its equation is off by at the bounds of the one unknown, if it has one sign between them.
        at_bounds: Option<[f64; 2]>,
    },
    /// A delay reads the future.
    NegativeDelay {
        /// Its row.
        relation: RelationId,
        /// Its length [units of `time`].
        tau: f64,
    },
}

/// Solves one loop: the unknowns become equal to their results up to rounding, or their residuals vanish.
#[inline(never)]
pub(super) fn newton(
    circle: &LoopProblem,
    slots: &mut [f64],
    guess: &[f64],
    work: &mut Workspace,
) -> Result<(), ValueFault> {
    let LoopProblem { inner, block, .. } = circle;
    let fault = |singular| ValueFault::Loop {
        rows: inner.rows.clone(),
        singular,
        at_bounds: None,
    };
    inner.put_guess(slots, guess);
    if inner.implicit > 0 {
        return solve_equations(circle, slots, work);
    }
    for round in 0..MAX_NEWTON {
        block.run_reals(slots);
        work.right.clear();
        let pairs = inner.unknowns.iter().zip(&inner.results);
        let residual =
            pairs.map(|((unknown, _), result)| slots[result.index()] - slots[unknown.index()]);
        work.right.extend(residual);
        let scale = inner.results.iter().map(|slot| slots[slot.index()].abs());
        let scale = scale.fold(f64::MIN_POSITIVE, f64::max);
        let size = work.right.iter().fold(0.0_f64, |most, r| {
            if r.is_nan() {
                f64::NAN
            } else {
                most.max(r.abs())
            }
        });
        if size.is_nan() {
            return Err(fault(false));
        }
        let converged = size <= (4.0 * f64::EPSILON * scale).max(f64::MIN_POSITIVE);
        if converged || (round > 3 && is_rounding(&inner.ops, inner, slots)) {
            // The solution is what the loop was computed from, not what it gave: found again from
            // itself it then has the same bits.
            for ((unknown, _), result) in inner.unknowns.iter().zip(&inner.results) {
                slots[result.index()] = slots[unknown.index()];
            }
            return Ok(());
        }
        loop_matrix(circle, slots, work);
        if solve_system(circle, work) == 0 {
            return Err(fault(true));
        }
        for ((slot, _), change) in inner.unknowns.iter().zip(&work.right) {
            slots[slot.index()] += change;
        }
    }
    Err(fault(false))
}

impl Loop {
    /// Puts the unknowns where they are sought from: rates of which the guess says nothing at 0, signed roots where they
    /// follow from the others.
    pub(crate) fn put_guess(&self, slots: &mut [f64], guess: &[f64]) {
        for &(slot, real) in &self.unknowns {
            slots[slot.index()] = guess.get(real.index()).copied().unwrap_or_default();
        }
        let mut is_run = false;
        for &(at, of) in &self.roots {
            let (slot, real) = self.unknowns[at];
            if real.index() < guess.len() {
                continue;
            }
            if !is_run {
                run_reals(&self.ops, slots);
                is_run = true;
            }
            let of = slots[of.index()];
            slots[slot.index()] = of.abs().sqrt().copysign(of);
        }
    }
}

/// The gaps of a loop as equations in its unknowns.
pub(super) struct Gaps<'a> {
    pub(super) circle: &'a LoopProblem,
    pub(super) slots: &'a mut [f64],
    pub(super) work: &'a mut Workspace,
}

impl Equations for Gaps<'_> {
    fn residuals(&mut self, x: &[f64], residuals: &mut [f64]) {
        let LoopProblem { inner, block, .. } = self.circle;
        for ((slot, _), &x) in inner.unknowns.iter().zip(x) {
            self.slots[slot.index()] = x;
        }
        block.run_reals(self.slots);
        for (at, residual) in residuals.iter_mut().enumerate() {
            *residual = -inner.gap(at, self.slots);
        }
    }

    fn jacobian(&mut self, _: &[f64], matrix: &mut [f64]) {
        loop_matrix(self.circle, self.slots, self.work);
        matrix.copy_from_slice(&self.work.matrix);
    }

    fn factors(&mut self, x: &[f64]) -> Option<Factors> {
        let Some(derivatives) = &self.circle.derivatives else {
            return self.dense_factors(x);
        };
        loop_matrix(self.circle, self.slots, self.work);
        let (factors, _) = derivatives.factored(&self.work.matrix)?;
        Some(Factors::Sparse(Box::new(factors)))
    }

    fn is_rounding(&mut self, _: &[f64]) -> bool {
        let inner = &self.circle.inner;
        is_rounding(&inner.ops, inner, self.slots)
    }
}

/// Solves a loop in which equations stand.
fn solve_equations(
    circle: &LoopProblem,
    slots: &mut [f64],
    work: &mut Workspace,
) -> Result<(), ValueFault> {
    let inner = &circle.inner;
    let all = inner.unknowns.iter();
    let mut x: SmallVec<[f64; 4]> = all.map(|(slot, _)| slots[slot.index()]).collect();
    let bounds = bounds_of(inner, |slots| circle.block.run_reals(slots), slots);
    let outcome = if solve_nearby(circle, slots, work, &mut x, &bounds)? {
        Ok(())
    } else {
        let mut gaps = Gaps {
            circle,
            slots,
            work,
        };
        solve(&mut gaps, &mut x, &bounds)
    };
    for ((slot, _), x) in inner.unknowns.iter().zip(x) {
        slots[slot.index()] = x;
    }
    circle.block.run_reals(slots);
    keep_solution(inner, slots);
    outcome.map_err(|why| ValueFault::Loop {
        rows: inner.rows.clone(),
        singular: why == Unsolved::Singular,
        at_bounds: match why {
            Unsolved::NoneBetween(ends) => Some(ends),
            _ => None,
        },
    })
}

/// Solves a large loop with the factors at its guess; false, and the unknowns as they were, if that is too far away.
///
/// # Errors
///
/// These factors are not there yet; the loop is to be solved again when they are.
fn solve_nearby(
    circle: &LoopProblem,
    slots: &mut [f64],
    work: &mut Workspace,
    x: &mut [f64],
    bounds: &[[f64; 2]],
) -> Result<bool, ValueFault> {
    if !circle.is_large() {
        return Ok(false);
    }
    let mut known = match std::mem::take(&mut work.near) {
        FactorsAtGuess::Known(known) => known,
        FactorsAtGuess::Unknown | FactorsAtGuess::Wanted => {
            work.near = FactorsAtGuess::Wanted;
            return Err(ValueFault::Loop {
                rows: circle.inner.rows.clone(),
                singular: false,
                at_bounds: None,
            });
        }
    };
    let own = known.iter_mut().find(|own| own.first == circle.first());
    let mut solved = false;
    if let Some(LoopFactors { factors, .. }) = own {
        let mut gaps = Gaps {
            circle,
            slots,
            work,
        };
        let mut near: SmallVec<[f64; 4]> = SmallVec::from_slice(x);
        solved = quasi_newton(&mut gaps, &mut near, bounds, factors);
        if solved {
            x.copy_from_slice(&near);
        }
    }
    work.near = FactorsAtGuess::Known(known);
    Ok(solved)
}

/// Bounds of all unknowns of a loop, infinite where there are none. `run` computes the loop.
pub(crate) fn bounds_of(
    inner: &Loop,
    run: impl FnOnce(&mut [f64]),
    slots: &mut [f64],
) -> SmallVec<[[f64; 2]; 4]> {
    if inner.bounds.iter().any(Option::is_some) {
        run(slots);
    }
    let free = [f64::NEG_INFINITY, f64::INFINITY];
    let own = inner.bounds.iter().map(|bounds| match bounds {
        Some(bounds) => bounds.map(|slot| slots[slot.index()]),
        None => free,
    });
    let others = inner.unknowns.len() - inner.implicit;
    own.chain(std::iter::repeat_n(free, others)).collect()
}

/// The solution is what the loop was computed from, not what it gave: found again from itself it then has the same bits.
pub(crate) fn keep_solution(inner: &Loop, slots: &mut [f64]) {
    let pairs = inner.unknowns.iter().zip(&inner.results);
    for ((unknown, _), result) in pairs.skip(inner.implicit) {
        slots[result.index()] = slots[unknown.index()];
    }
}

/// True if the unknowns of a loop, whose results were computed, differ from these by rounding errors only: sums of
/// numbers far larger than the unknowns leave errors far larger than theirs.
pub(crate) fn is_rounding(ops: &[Op], inner: &Loop, slots: &[f64]) -> bool {
    let mut numbers: Vec<RunningError<1>> = slots
        .iter()
        .map(|&value| RunningError::constant(value))
        .collect();
    run_bounded(ops, &mut numbers);
    let mut pairs = inner.unknowns.iter().zip(&inner.results).enumerate();
    pairs.all(|(at, ((unknown, _), result))| {
        let (unknown, result) = (slots[unknown.index()], numbers[result.index()]);
        if at < inner.implicit {
            return result.series.0[0].abs() <= SAFETY * result.bound[0];
        }
        let bound = SAFETY * (result.bound[0] + f64::EPSILON * unknown.abs());
        (result.series.0[0] - unknown).abs() <= bound
    })
}

/// A kind of number that can be carried through a loop that was solved for plain reals.
pub(super) trait LoopValue: OfKind {
    /// Shapes: `slots`: plain reals of a mode, loops solved.
    fn follow(
        circle: &LoopProblem,
        slots: &[f64],
        work: &mut Workspace,
        numbers: &mut [Self],
    ) -> Result<(), ValueFault>;
}

/// Moves one coefficient of the unknowns to where it solves the loop, the others being right.
fn correct<V>(
    circle: &LoopProblem,
    work: &mut Workspace,
    numbers: &mut [V],
    coefficient: impl Fn(&mut V) -> &mut f64,
) -> Result<(), ValueFault> {
    let inner = &circle.inner;
    work.right.clear();
    for (at, ((unknown, _), result)) in inner.unknowns.iter().zip(&inner.results).enumerate() {
        let result = *coefficient(&mut numbers[result.index()]);
        work.right.push(match at < inner.implicit {
            true => -result,
            false => result - *coefficient(&mut numbers[unknown.index()]),
        });
    }
    if solve_system(circle, work) == 0 {
        return Err(ValueFault::Loop {
            rows: inner.rows.clone(),
            singular: true,
            at_bounds: None,
        });
    }
    for ((slot, _), change) in inner.unknowns.iter().zip(&work.right) {
        *coefficient(&mut numbers[slot.index()]) += change;
    }
    Ok(())
}

impl<const N: usize> LoopValue for Jet<N> {
    /// One order more with each round.
    fn follow(
        circle: &LoopProblem,
        slots: &[f64],
        work: &mut Workspace,
        numbers: &mut [Self],
    ) -> Result<(), ValueFault> {
        let LoopProblem { inner, block, .. } = circle;
        if work.given.is_direction
            && let Some(first) = circle.component
        {
            block.run(numbers, &mut work.words);
            circle.take_given_slopes(numbers, &mut work.given, first);
            return Ok(());
        }
        loop_matrix(circle, slots, work);
        for &(slot, _) in &inner.unknowns {
            numbers[slot.index()] = Jet::constant(slots[slot.index()]);
        }
        for order in 1..N {
            block.run(numbers, &mut work.words);
            correct(circle, work, numbers, |jet| &mut jet.0[order])?;
        }
        block.run(numbers, &mut work.words);
        Ok(())
    }
}

impl LoopValue for Jet<2, Jet<2>> {
    fn follow(
        circle: &LoopProblem,
        slots: &[f64],
        work: &mut Workspace,
        numbers: &mut [Self],
    ) -> Result<(), ValueFault> {
        let LoopProblem { inner, block, .. } = circle;
        loop_matrix(circle, slots, work);
        for &(slot, _) in &inner.unknowns {
            numbers[slot.index()] = Jet::constant(slots[slot.index()]);
        }
        // The second round finds the product term, which needs the others.
        for _ in 0..2 {
            block.run(numbers, &mut work.words);
            for (order, inner_order) in [(0, 1), (1, 0), (1, 1)] {
                correct(circle, work, numbers, |jet| {
                    &mut jet.0[order].0[inner_order]
                })?;
            }
        }
        block.run(numbers, &mut work.words);
        Ok(())
    }
}

impl<const N: usize> LoopValue for RunningError<N> {
    /// The unknowns get bounds of what rounding in the loop and the end of Newton's method leave open.
    fn follow(
        circle: &LoopProblem,
        slots: &[f64],
        work: &mut Workspace,
        numbers: &mut [Self],
    ) -> Result<(), ValueFault> {
        let LoopProblem { inner, block, .. } = circle;
        let m = inner.unknowns.len();
        let mut jets: Vec<Jet<N>> = numbers.iter().map(|bounded| bounded.series).collect();
        Jet::follow(circle, slots, work, &mut jets)?;
        for &(slot, _) in &inner.unknowns {
            numbers[slot.index()] = RunningError {
                series: jets[slot.index()],
                bound: [0.0; N],
            };
        }
        block.run(numbers, &mut work.words);
        let gaps = inner.unknowns.iter().zip(&inner.results).enumerate();
        let gaps: Vec<[f64; N]> = gaps
            .map(|(at, ((unknown, _), result))| {
                let (unknown, result) = (numbers[unknown.index()], numbers[result.index()]);
                std::array::from_fn(|order| {
                    let gap = match at < inner.implicit {
                        true => result.series.0[order],
                        false => result.series.0[order] - unknown.series.0[order],
                    };
                    gap.abs() + result.bound[order]
                })
            })
            .collect();
        if circle.derivatives.is_some() && m > MOST_ENCLOSED {
            spread(circle, work, &gaps, numbers);
        } else {
            let inverse = inverse_of(circle, work).unwrap_or_else(|| vec![f64::INFINITY; m * m]);
            for ((slot, _), row) in inner.unknowns.iter().zip(inverse.chunks(m)) {
                numbers[slot.index()].bound = std::array::from_fn(|order| {
                    let terms = row.iter().zip(&gaps);
                    terms.map(|(c, gap)| c.abs() * gap[order]).sum()
                });
            }
        }
        block.run(numbers, &mut work.words);
        Ok(())
    }
}

/// Bounds what a loop computes over a piece of a step, after it was solved at the middle.
pub(super) fn enclose(
    circle: &LoopProblem,
    slots: &[f64],
    work: &mut Workspace,
    boxes: &mut [Jet<3, Interval>],
) {
    loop_matrix(circle, slots, work);
    if work.slopes.len() < boxes.len() {
        work.slopes.resize(boxes.len(), Jet::constant(0.0));
    }
    let inverse = inverse_of(circle, work);
    enclose_loop(&circle.inner, slots, inverse, boxes, &mut work.slopes);
}
