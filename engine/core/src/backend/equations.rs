//! Equations that hold -> the unknowns at which their residuals vanish.
//!
//! `solve` is Newton's method with the natural monotonicity test: a step counts if the next one, taken with the same
//! matrix, would be shorter; otherwise it is halved. The test does not depend on the units of equations and unknowns.
//! One unknown between bounds is bracketed where that fails: it is never asked for beyond them. Source: P. Deuflhard,
//! Newton Methods for Nonlinear Problems, 2004, chapter 3. Several with kinks in their equations are then sought from piece
//! to piece: a step that leads no nearer behind a kink ends just behind it, and the next one has the slopes there. Source:
//! J. Katzenelson, An algorithm for solving nonlinear resistor networks, Bell System Technical Journal 44, 1965.
//!
//! Unknowns that solve their equations already keep their bits.

use situ_solve::SparseFactors;
use smallvec::smallvec;

use super::factors::{Factors, Numbers};
use super::residuals::{Equations, Unsolved, bracket};

/// Newton steps before the search ends.
const MAX_STEPS: usize = 100;

/// So often a Newton step is halved.
const MAX_HALVINGS: usize = 40;

/// Newton steps from which on a residual may count as rounding alone.
pub const ROUNDING_AFTER: usize = 3;

/// Units in the last place of an unknown in which a step is lost.
pub const RESTS: f64 = 4.0 * f64::EPSILON;

/// A Newton step of which a share is taken has to be shorter by this part of the share, measured with its slopes.
const SHORTER: f64 = 0.25;

/// The square of the part of a Newton step that may be left after the whole of it.
pub const MOST_LEFT: f64 = (1.0 - SHORTER) * (1.0 - SHORTER);

/// Solutions that differ by a smaller part of the largest unknown are one.
const SAME: f64 = 1e-8;

/// So often a step is halved to where it meets a kink.
const HALVED_TO_KINK: usize = 60;

/// A kink within so small a share of a step is passed, wherever that leads.
const NEXT_TO: f64 = 1e-9;

/// A part of the largest unknown that does not matter to the question whether a step leads nearer.
const NEGLIGIBLE: f64 = 1e-10;

/// Newton steps that get no shorter are rounding errors up to so many units in the last place.
const STANDSTILL: f64 = 256.0;

/// If a Newton step leaves no more than this part of itself, the next ones are taken with the same sparse factors...
const KEPT: f64 = 0.1;

/// ...as long as each leaves no more than this part of itself. Derivatives and factors cost what dozens of residuals cost.
const CONTRACTS: f64 = 0.5;

/// Moves the unknowns to a solution near which they stand.
///
/// Shapes: `x`: one entry per unknown; `bounds`: lower and upper bound of each, infinite where there is none.
///
/// # Errors
///
/// [`Unsolved`]; the unknowns are then where the search began.
pub(crate) fn solve(
    equations: &mut impl Equations,
    x: &mut [f64],
    bounds: &[[f64; 2]],
) -> Result<(), Unsolved> {
    for (x, [low, high]) in x.iter_mut().zip(bounds) {
        *x = x.min(*high).max(*low);
    }
    let begin = Numbers::from_slice(x);
    let mut outcome = newton(equations, x, bounds, Shortened::Halved);
    let stopped = Numbers::from_slice(x);
    if let (Err(_), [[low, high]]) = (outcome, bounds)
        && low.is_finite()
        && high.is_finite()
    {
        outcome = bracket(equations, begin[0], [*low, *high]).map(|root| x[0] = root);
    }
    if outcome == Err(Unsolved::NotFound) {
        let is_solved_from = |from: &Numbers| {
            x.copy_from_slice(from);
            is_solved_up_to_rounding(equations, x, bounds)
        };
        if [&begin, &stopped].into_iter().any(is_solved_from) {
            outcome = Ok(());
        }
    }
    if let Err(Unsolved::NotFound | Unsolved::Singular) = outcome
        && equations.has_kinks()
    {
        x.copy_from_slice(&begin);
        let behind_kinks = newton(equations, x, bounds, Shortened::BehindKinks);
        let is_found = match behind_kinks {
            Err(Unsolved::Singular) => {
                x.copy_from_slice(&begin);
                is_found_from_both_sides(equations, x, bounds)
            }
            other => other.is_ok(),
        };
        if is_found {
            outcome = Ok(());
        }
    }
    if outcome.is_err() {
        x.copy_from_slice(&begin);
    }
    outcome
}

/// Moves unknowns to a solution that is near, by whole Newton steps until these are rounding errors of the largest of the
/// first `n` unknowns, which are of one kind, where it stands or stood: the speeds of what comes to rest are 0 but for
/// rounding errors of what they were. How large the others are does not count.
///
/// # Errors
///
/// As [`solve`].
pub(crate) fn solve_near(
    equations: &mut impl Equations,
    x: &mut [f64],
    n: usize,
) -> Result<(), Unsolved> {
    let begin = Numbers::from_slice(x);
    let outcome = whole_steps(equations, x, n);
    if outcome.is_err() {
        x.copy_from_slice(&begin);
    }
    outcome
}

fn whole_steps(equations: &mut impl Equations, x: &mut [f64], n: usize) -> Result<(), Unsolved> {
    let mut residuals: Numbers = smallvec![0.0; x.len()];
    let largest = |values: &[f64]| values.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    let stood = largest(&x[..n]);
    let mut before = f64::INFINITY;
    for _ in 0..MAX_STEPS {
        equations.residuals(x, &mut residuals);
        if !all_finite(&residuals) {
            return Err(Unsolved::NotFinite);
        }
        let mut factors = equations.factors(x).ok_or(Unsolved::Singular)?;
        let change = factors.step(&residuals);
        let way = largest(&change[..n]);
        let rounding = f64::EPSILON * largest(&x[..n]).max(stood);
        if way >= before {
            return match way <= STANDSTILL * rounding || equations.is_rounding(x) {
                true => Ok(()),
                false => Err(Unsolved::NotFound),
            };
        }
        for (x, change) in x.iter_mut().zip(&change) {
            *x += change;
        }
        if way <= 4.0 * rounding {
            return Ok(());
        }
        before = way;
    }
    Err(Unsolved::NotFound)
}

/// Where steps end that lead no nearer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Shortened {
    /// Half way.
    Halved,
    /// Just behind the first kink on the way, half way if there is none.
    BehindKinks,
}

/// Newton's method with shortened steps, within the bounds.
fn newton(
    equations: &mut impl Equations,
    x: &mut [f64],
    bounds: &[[f64; 2]],
    shortened: Shortened,
) -> Result<(), Unsolved> {
    let n = x.len();
    let mut residuals: Numbers = smallvec![0.0; n];
    let mut trial = Numbers::from_slice(x);
    equations.residuals(x, &mut residuals);
    if !all_finite(&residuals) {
        return Err(Unsolved::NotFinite);
    }
    for step in 0..MAX_STEPS {
        let solves = residuals.iter().all(|&r| r == 0.0);
        if solves || step >= ROUNDING_AFTER && equations.is_rounding(x) {
            return Ok(());
        }
        let Some(mut factors) = equations.factors(x) else {
            let found = equations.is_rounding(x);
            return if found {
                Ok(())
            } else {
                Err(Unsolved::Singular)
            };
        };
        let change = factors.step(&residuals);
        if rests(x, &change) {
            return Ok(());
        }
        let sizes = sizes(x, &change);
        let whole = length(&change, &sizes);
        let (mut share, mut is_behind_kink) = (1.0, false);
        let mut halvings = 0..MAX_HALVINGS;
        loop {
            let mut inside = true;
            for at in 0..n {
                trial[at] = x[at] + share * change[at];
                inside &= bounds[at][0] <= trial[at] && trial[at] <= bounds[at][1];
            }
            if inside {
                equations.residuals(&trial, &mut residuals);
                let most = 1.0 - SHORTER * share;
                if all_finite(&residuals) {
                    let next = factors.step(&residuals);
                    let left = length(&next, &sizes);
                    let passes = is_behind_kink && share <= NEXT_TO;
                    if left <= most * most * whole || passes {
                        if share == 1.0 && rests(&trial, &next) {
                            x.copy_from_slice(&trial);
                            return Ok(());
                        }
                        let is_near = share == 1.0 && left <= KEPT * KEPT * whole;
                        if let (true, Factors::Sparse(factors)) = (is_near, &mut factors) {
                            let mut near = trial.clone();
                            if quasi_newton(equations, &mut near, bounds, factors) {
                                x.copy_from_slice(&near);
                                return Ok(());
                            }
                            equations.residuals(&trial, &mut residuals);
                        }
                        break;
                    }
                }
            }
            if halvings.next().is_none() {
                equations.residuals(x, &mut residuals);
                // Where some unknowns stand still already, the steps of others are not seen in the length of all.
                let found = stands_still(&change, &sizes) || equations.is_rounding(x);
                return if found {
                    Ok(())
                } else {
                    Err(Unsolved::NotFound)
                };
            }
            let behind = (shortened == Shortened::BehindKinks)
                .then(|| share_behind_kink(equations, x, &change, share))
                .flatten();
            is_behind_kink = behind.is_some();
            share = behind.unwrap_or(0.5 * share);
        }
        x.copy_from_slice(&trial);
    }
    Err(Unsolved::NotFound)
}

/// Moves unknowns to the solution that is found from both sides of where they stand; false if these find none, or two. So a
/// search may begin where slopes vanish, as those of flows by their pressure drops do at rest.
fn is_found_from_both_sides(
    equations: &mut impl Equations,
    x: &mut [f64],
    bounds: &[[f64; 2]],
) -> bool {
    let size = x.iter().fold(1.0_f64, |most, x| most.max(x.abs()));
    let mut found = [1.0, -1.0].map(|side| {
        let mut way = 1.0;
        let begin = x.iter().zip(bounds).map(|(x, [low, high])| {
            // No two unknowns differ by what they did.
            way *= 1.25;
            (x + side * way * size).min(*high).max(*low)
        });
        let mut beside: Numbers = begin.collect();
        let outcome = newton(equations, &mut beside, bounds, Shortened::BehindKinks);
        outcome.is_ok().then_some(beside)
    });
    let [Some(one), Some(other)] = &mut found else {
        return false;
    };
    let largest = one.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    let mut pairs = one.iter().zip(other.iter());
    x.copy_from_slice(one);
    pairs.all(|(one, other)| (one - other).abs() <= SAME * largest)
}

/// The least share of a step that ends behind a kink, if it is less than a given one that does.
fn share_behind_kink(
    equations: &mut impl Equations,
    x: &[f64],
    change: &[f64],
    share: f64,
) -> Option<f64> {
    let mut is_before = |share: f64| {
        let parts = x.iter().zip(change);
        let trial: Numbers = parts.map(|(x, change)| x + share * change).collect();
        equations.are_on_one_piece([x, &trial])
    };
    let (mut before, mut behind) = (0.0, share);
    if is_before(share) {
        return None;
    }
    for _ in 0..HALVED_TO_KINK {
        let middle = 0.5 * (before + behind);
        match is_before(middle) {
            true => before = middle,
            false => behind = middle,
        }
    }
    (behind < share).then_some(behind)
}

/// Whole Newton steps until what they leave are rounding errors of the residuals, which no step of their size makes less: where
/// rates are as small as the rounding of the states that they move. False if some steps are not enough.
fn is_solved_up_to_rounding(
    equations: &mut impl Equations,
    x: &mut [f64],
    bounds: &[[f64; 2]],
) -> bool {
    let mut residuals: Numbers = smallvec![0.0; x.len()];
    for _ in 0..ROUNDING_AFTER {
        equations.residuals(x, &mut residuals);
        let Some(mut factors) = equations.factors(x) else {
            return false;
        };
        for (x, change) in x.iter_mut().zip(&factors.step(&residuals)) {
            *x += change;
        }
        let mut within = x.iter().zip(bounds);
        if !within.all(|(x, [low, high])| low <= x && x <= high) {
            return false;
        }
        equations.residuals(x, &mut residuals);
        if !all_finite(&residuals) {
            return false;
        }
        if equations.is_rounding(x) {
            return true;
        }
    }
    false
}

/// A quasi-Newton method with factors from a point nearby, which Broyden's updates correct: steps that shrink. False if they
/// do not; the unknowns are then anywhere. Source: Deuflhard, section 2.1.4.
///
/// Shapes: as in [`solve`].
pub(crate) fn quasi_newton(
    equations: &mut impl Equations,
    x: &mut [f64],
    bounds: &[[f64; 2]],
    factors: &mut SparseFactors,
) -> bool {
    let mut residuals: Numbers = smallvec![0.0; x.len()];
    let mut newton_step = |equations: &mut _, x: &[f64]| {
        Equations::residuals(equations, x, &mut residuals);
        let mut step: Numbers = residuals.iter().map(|r| -r).collect();
        factors.solve(&mut step);
        step
    };
    let mut steps = vec![newton_step(equations, x)];
    let sizes = sizes(x, &steps[0]);
    let product = |a: &[f64], b: &[f64]| product(a, b, &sizes);
    let mut squares = vec![product(&steps[0], &steps[0])];
    while let (Some(last), Some(square)) = (steps.last(), squares.last())
        && steps.len() < MAX_STEPS
    {
        if rests(x, last) {
            return true;
        }
        for (at, change) in last.iter().enumerate() {
            x[at] += change;
            if !(bounds[at][0] <= x[at] && x[at] <= bounds[at][1]) {
                return false;
            }
        }
        let mut next = newton_step(equations, x);
        for (pair, square) in steps.windows(2).zip(&squares) {
            let part = product(&next, &pair[0]) / square;
            let parts = next.iter_mut().zip(&pair[1]);
            parts.for_each(|(next, step)| *next += part * step);
        }
        let rest = 1.0 - product(&next, last) / square;
        next.iter_mut().for_each(|next| *next /= rest);
        let left = product(&next, &next);
        // False also for one that is not a number.
        let shrinks = left <= CONTRACTS * CONTRACTS * square;
        if !shrinks {
            return stands_still(&next, &sizes) || equations.is_rounding(x);
        }
        steps.push(next);
        squares.push(left);
    }
    false
}

/// True if a step is lost in the rounding of the unknowns; below the least normal number this is no part of them.
fn rests(x: &[f64], change: &[f64]) -> bool {
    let rests =
        |(x, change): (&f64, &f64)| change.abs() <= (RESTS * x.abs()).max(f64::MIN_POSITIVE);
    x.iter().zip(change).all(rests)
}

/// True if a step that did not get shorter is one of rounding errors.
fn stands_still(change: &[f64], sizes: &[f64]) -> bool {
    let stands = |(change, size): (&f64, &f64)| change.abs() <= STANDSTILL * f64::EPSILON * size;
    change.iter().zip(sizes).all(stands)
}

/// The sizes by which the parts of steps are measured. An unknown near 0 beside others counts with what its rounding errors
/// are to these: it may not decide alone.
fn sizes(x: &[f64], change: &[f64]) -> Numbers {
    let least = NEGLIGIBLE * x.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    let parts = x.iter().zip(change);
    parts
        .map(|(x, change)| x.abs().max(change.abs()).max(least))
        .collect()
}

/// The square of the length of a step.
fn length(change: &[f64], sizes: &[f64]) -> f64 {
    product(change, change, sizes)
}

/// The inner product of two steps.
fn product(a: &[f64], b: &[f64], sizes: &[f64]) -> f64 {
    let parts = a.iter().zip(b).zip(sizes);
    let parts = parts.filter(|(_, size)| **size > 0.0);
    parts.map(|((a, b), size)| (a / size) * (b / size)).sum()
}

fn all_finite(values: &[f64]) -> bool {
    values.iter().all(|value| value.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Of<F>(F);

    impl<F: FnMut(&[f64], &mut [f64])> Equations for Of<F> {
        fn residuals(&mut self, x: &[f64], residuals: &mut [f64]) {
            self.0(x, residuals);
        }

        fn jacobian(&mut self, x: &[f64], matrix: &mut [f64]) {
            let n = x.len();
            for column in 0..n {
                let step = 1e-6 * x[column].abs().max(1e-6);
                let mut sides = [vec![0.0; n], vec![0.0; n]];
                for (side, sign) in sides.iter_mut().zip([-1.0, 1.0]) {
                    let mut moved = x.to_vec();
                    moved[column] += sign * step;
                    self.0(&moved, side);
                }
                for row in 0..n {
                    matrix[row * n + column] = (sides[1][row] - sides[0][row]) / (2.0 * step);
                }
            }
            self.0(x, &mut vec![0.0; n]);
        }

        fn is_rounding(&mut self, x: &[f64]) -> bool {
            let mut residuals = vec![0.0; x.len()];
            self.0(x, &mut residuals);
            residuals.iter().all(|r| r.abs() < 1e-14)
        }
    }

    const FREE: [f64; 2] = [f64::NEG_INFINITY, f64::INFINITY];

    #[test]
    fn a_cubic_is_solved_and_its_solution_keeps_its_bits() {
        let mut cubic = Of(|x: &[f64], r: &mut [f64]| r[0] = x[0] + 0.1 * x[0].powi(3) + 2.0);
        let mut x = [5.0];
        solve(&mut cubic, &mut x, &[FREE]).unwrap();
        assert!((x[0] + 0.1 * x[0].powi(3) + 2.0).abs() < 1e-14, "{x:?}");
        let before = x;
        solve(&mut cubic, &mut x, &[FREE]).unwrap();
        assert_eq!(x, before);
    }

    #[test]
    fn a_diode_is_solved_from_afar() {
        let mut diode = Of(|x: &[f64], r: &mut [f64]| {
            r[0] = 1e-12 * ((x[0] / 0.025).exp() - 1.0) - (5.0 - x[0]) / 1000.0;
        });
        let mut x = [0.0];
        solve(&mut diode, &mut x, &[FREE]).unwrap();
        let current = 1e-12 * ((x[0] / 0.025).exp() - 1.0);
        assert!((current * 1000.0 + x[0] - 5.0).abs() < 1e-9, "{x:?}");
    }

    #[test]
    fn a_root_beside_a_bound_is_on_it_and_one_further_off_is_none() {
        let line = |root: f64| {
            let mut equation = Of(|x: &[f64], r: &mut [f64]| r[0] = x[0] - root);
            let mut x = [1.0];
            solve(&mut equation, &mut x, &[[0.0, 4.0]]).map(|()| x[0])
        };
        assert_eq!(line(-1e-12), Ok(0.0));
        assert_eq!(line(4.0 + 1e-12), Ok(4.0));
        assert!(matches!(line(-1e-8), Err(Unsolved::NoneBetween(_))));
        assert!(matches!(line(4.0 + 1e-8), Err(Unsolved::NoneBetween(_))));
    }

    #[test]
    fn one_unknown_never_leaves_its_bounds() {
        let mut asked = Vec::new();
        let mut root = Of(|x: &[f64], r: &mut [f64]| {
            asked.push(x[0]);
            r[0] = x[0].atan() - 1.0;
        });
        let mut x = [9.0];
        solve(&mut root, &mut x, &[[0.0, 10.0]]).unwrap();
        assert!((x[0] - 1.0_f64.tan()).abs() < 1e-12, "{x:?}");
        assert!(asked.iter().all(|x| (-1e-4..=10.0001).contains(x)));
        let mut none = Of(|x: &[f64], r: &mut [f64]| r[0] = x[0] * x[0] + 1.0);
        assert_eq!(
            solve(&mut none, &mut [0.5], &[[-1.0, 2.0]]),
            Err(Unsolved::NoneBetween([2.0, 5.0]))
        );
    }

    #[test]
    fn two_equations_of_far_different_size_are_solved_together() {
        let mut pair = Of(|x: &[f64], r: &mut [f64]| {
            r[0] = 1e-9 * (x[0] * x[0] - 4.0);
            r[1] = 1e6 * (x[0] * x[1] - 6e-3);
        });
        let mut x = [1.0, 1e-3];
        solve(&mut pair, &mut x, &[FREE, FREE]).unwrap();
        assert!(
            (x[0] - 2.0).abs() < 1e-12 && (x[1] - 3e-3).abs() < 1e-15,
            "{x:?}"
        );
    }

    #[test]
    fn equations_that_follow_from_each_other_are_singular() {
        let mut same = Of(|x: &[f64], r: &mut [f64]| {
            r[0] = x[0] + x[1] - 1.0;
            r[1] = 2.0 * x[0] + 2.0 * x[1] - 2.5;
        });
        let outcome = solve(&mut same, &mut [0.0, 0.0], &[FREE, FREE]);
        assert_eq!(outcome, Err(Unsolved::Singular));
    }
}
