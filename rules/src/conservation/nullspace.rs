//! A basis of the weights that every change leaves: elimination modulo a prime, then whole numbers.
//!
//! Each change is an equation on the weights. The shortest equation is solved for the weight that stands in the fewest
//! others, and put into those: sparse schemes stay sparse. What fills up all the same is few weights, and is solved as a
//! dense matrix ([`dense`]). Weights are read off as fractions with small numerators and denominators, and made whole;
//! whoever takes them multiplies them out.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use super::modular::{Equation, PRIME, add, modular, power, times};
use super::{Sparse, dense, gcd};

/// Most steps of work, of about a nanosecond each.
const BUDGET: usize = 1_000_000_000;
/// Longest equation that is put into others as a sparse one: beyond it what is left fills up.
const LONGEST_SPARSE: usize = 24;
/// Largest numerator and denominator.
const MAX_PART: u64 = 1 << 29;

/// What elimination leaves.
pub(super) struct Basis {
    pub(super) vectors: Vec<Sparse>,
    /// False if some could not be made whole.
    pub(super) complete: bool,
}

/// A basis of the weights; `None` if that takes too much work.
pub(super) fn basis(n_weights: usize, changes: &[Sparse]) -> Option<Basis> {
    let equation = |change: &Sparse| -> Equation {
        change.iter().map(|(at, by)| (*at, modular(*by))).collect()
    };
    let solved = solve(n_weights, changes.iter().map(equation).collect())?;
    let mut vectors: BTreeMap<u32, Equation> = BTreeMap::new();
    for (at, weight) in (0_u32..).zip(&solved) {
        for (free, part) in weight {
            vectors.entry(*free).or_default().push((at, *part));
        }
    }
    let found = vectors.len();
    let vectors: Vec<Sparse> = vectors
        .values()
        .filter_map(|vector| whole(vector))
        .collect();
    Some(Basis {
        complete: vectors.len() == found,
        vectors,
    })
}

/// Solves equations: every weight as a sum of those that stay free, each of which is itself.
fn solve(n_weights: usize, mut equations: Vec<Equation>) -> Option<Vec<Equation>> {
    let mut budget = BUDGET;
    let mut standing: Vec<Vec<u32>> = vec![Vec::new(); n_weights];
    for (index, equation) in (0_u32..).zip(&equations) {
        for (at, _) in equation {
            standing[*at as usize].push(index);
        }
    }
    let lengths = (0_u32..).zip(&equations);
    let mut queue: BinaryHeap<Reverse<(usize, u32)>> = lengths
        .map(|(index, equation)| Reverse((equation.len(), index)))
        .collect();
    let mut solved: Vec<(u32, Equation)> = Vec::new();
    while let Some(Reverse((length, index))) = queue.pop() {
        let equation = &equations[index as usize];
        if equation.len() != length {
            continue;
        }
        if length > LONGEST_SPARSE {
            break;
        }
        let fewest = |(at, _): &&(u32, u64)| (standing[*at as usize].len(), *at);
        let Some((weight, by)) = equation.iter().min_by_key(fewest).copied() else {
            continue;
        };
        let inverse = power(by, PRIME - 2);
        let mut pivot: Equation = std::mem::take(&mut equations[index as usize]);
        pivot
            .iter_mut()
            .for_each(|(_, part)| *part = times(*part, inverse));
        for other in std::mem::take(&mut standing[weight as usize]) {
            let target = &equations[other as usize];
            let Ok(at) = target.binary_search_by_key(&weight, |(at, _)| *at) else {
                continue;
            };
            let factor = PRIME - target[at].1;
            budget = budget.checked_sub(8 * (target.len() + pivot.len()))?;
            let sum = joined(target, &pivot, factor, |at| {
                standing[at as usize].push(other)
            });
            queue.push(Reverse((sum.len(), other)));
            equations[other as usize] = sum;
        }
        solved.push((weight, pivot));
    }
    equations.retain(|equation| !equation.is_empty());
    equations.sort_by_key(Vec::len);
    solved.extend(dense::solve(&equations, &mut budget)?);
    let mut weights: Vec<Equation> = (0_u32..).take(n_weights).map(|at| vec![(at, 1)]).collect();
    let mut sum = vec![0_u64; n_weights];
    for (weight, pivot) in solved.into_iter().rev() {
        let mut touched: Vec<u32> = Vec::new();
        for (at, by) in pivot.into_iter().filter(|(at, _)| *at != weight) {
            budget = budget.checked_sub(1 + 4 * weights[at as usize].len())?;
            for (free, part) in &weights[at as usize] {
                let total = &mut sum[*free as usize];
                if *total == 0 {
                    touched.push(*free);
                }
                *total = add(*total, times(PRIME - by, *part));
            }
        }
        touched.sort_unstable();
        touched.dedup();
        let parts = touched.into_iter();
        let parts = parts.map(|at| (at, std::mem::take(&mut sum[at as usize])));
        weights[weight as usize] = parts.filter(|(_, part)| *part != 0).collect();
    }
    Some(weights)
}

/// `target + factor * pivot`; `new` is told of weights that stood in the pivot only.
fn joined(target: &Equation, pivot: &Equation, factor: u64, mut new: impl FnMut(u32)) -> Equation {
    let mut sum = Equation::with_capacity(target.len() + pivot.len());
    let mut rest = target.as_slice();
    for (at, by) in pivot {
        let before = rest.partition_point(|(other, _)| other < at);
        sum.extend_from_slice(&rest[..before]);
        rest = &rest[before..];
        let moved = times(factor, *by);
        match rest.first() {
            Some((other, value)) if other == at => {
                let value = add(*value, moved);
                if value != 0 {
                    sum.push((*at, value));
                }
                rest = &rest[1..];
            }
            _ => {
                new(*at);
                sum.push((*at, moved));
            }
        }
    }
    sum.extend_from_slice(rest);
    sum
}

/// The vector with whole numbers that have no common divisor, the first one positive if there is none without a minus.
fn whole(vector: &[(u32, u64)]) -> Option<Sparse> {
    let fractions: Option<Vec<(u32, i64, i64)>> = vector
        .iter()
        .map(|(at, value)| fraction(*value).map(|(n, d)| (*at, n, d)))
        .collect();
    let fractions = fractions?;
    let mut common = 1_i64;
    for (_, _, denominator) in &fractions {
        common = common.checked_mul(denominator / gcd(common, *denominator))?;
    }
    let parts: Option<Sparse> = fractions
        .iter()
        .map(|(at, n, d)| Some((*at, n.checked_mul(common / d)?)))
        .collect();
    Some(reduced(parts?))
}

/// The same without a common divisor, with more plus than minus.
pub(super) fn reduced(mut vector: Sparse) -> Sparse {
    let divisor = vector
        .iter()
        .fold(0, |divisor, (_, by)| gcd(divisor, *by))
        .max(1);
    let negative = vector.iter().filter(|(_, by)| *by < 0).count();
    let first = vector.first().is_some_and(|(_, by)| *by < 0);
    let turn = 2 * negative > vector.len() || 2 * negative == vector.len() && first;
    let divisor = if turn { -divisor } else { divisor };
    vector.iter_mut().for_each(|(_, by)| *by /= divisor);
    vector
}

/// The fraction with small parts that a number modulo the prime stands for.
fn fraction(value: u64) -> Option<(i64, i64)> {
    let (mut a, mut b) = (i128::from(PRIME), i128::from(value));
    let (mut s, mut t) = (0_i128, 1_i128);
    while b > i128::from(MAX_PART) {
        let quotient = a / b;
        (a, b) = (b, a - quotient * b);
        (s, t) = (t, s - quotient * t);
    }
    let (n, d) = if t < 0 { (-b, -t) } else { (b, t) };
    (d > 0 && d <= i128::from(MAX_PART)).then_some(())?;
    Some((i64::try_from(n).ok()?, i64::try_from(d).ok()?))
}

/// Vectors that are independent of each other.
#[derive(Default)]
pub(super) struct Span {
    /// By the first number at which they are not zero, where they are 1.
    rows: BTreeMap<u32, Equation>,
}

impl Span {
    /// Takes a vector in; false if it follows from those that are in.
    pub(super) fn extend(&mut self, vector: &Sparse) -> bool {
        let mut rest: Equation = vector.iter().map(|(at, by)| (*at, modular(*by))).collect();
        while let Some((at, by)) = rest.first().copied() {
            match self.rows.get(&at) {
                Some(row) => rest = joined(&rest, row, PRIME - by, |_| {}),
                None => {
                    let inverse = power(by, PRIME - 2);
                    rest.iter_mut()
                        .for_each(|(_, part)| *part = times(*part, inverse));
                    self.rows.insert(at, rest);
                    return true;
                }
            }
        }
        false
    }
}
