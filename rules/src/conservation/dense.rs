//! Elimination of equations that have filled up: rows of a matrix modulo the prime, over the weights that are left.

use std::collections::BTreeMap;

use super::modular::{Equation, PRIME, add, power, times};

/// Equations in a row that follow from those before, after which the others are looked at together.
const DEPENDENT: usize = 8;

/// A row that is 1 at its weight and 0 at the weights of the rows before.
struct Pivot {
    column: usize,
    row: Vec<u64>,
}

/// Solves equations one after another: each is told for the first weight that it still has. `None` if that takes too
/// much work.
pub(super) fn solve(equations: &[Equation], budget: &mut usize) -> Option<Vec<(u32, Equation)>> {
    let weights: BTreeMap<u32, usize> = {
        let mut weights: Vec<u32> = equations.iter().flatten().map(|(at, _)| *at).collect();
        weights.sort_unstable();
        weights.dedup();
        weights.into_iter().zip(0..).collect()
    };
    let mut pivots: Vec<Pivot> = Vec::new();
    let mut waiting: Vec<&Equation> = equations.iter().collect();
    while !waiting.is_empty() {
        let mut dependent = 0;
        let mut rest = waiting.into_iter();
        while dependent < DEPENDENT
            && pivots.len() < weights.len()
            && let Some(equation) = rest.next()
        {
            *budget = budget.checked_sub(2 * (1 + pivots.len()) * weights.len())?;
            match reduced(equation, &weights, &pivots) {
                Some(pivot) => {
                    dependent = 0;
                    pivots.push(pivot);
                }
                None => dependent += 1,
            }
        }
        let probe = random_solution(&weights, &pivots);
        let fails = |equation: &&Equation| {
            let parts = equation
                .iter()
                .map(|(at, by)| times(*by, probe[weights[at]]));
            parts.fold(0, add) != 0
        };
        waiting = rest.filter(fails).collect();
    }
    let names: Vec<u32> = weights.into_keys().collect();
    let sparse = |pivot: Pivot| {
        let parts = names.iter().copied().zip(pivot.row);
        let parts: Equation = parts.filter(|(_, part)| *part != 0).collect();
        (names[pivot.column], parts)
    };
    Some(pivots.into_iter().map(sparse).collect())
}

/// What an equation says beyond the pivots; `None` if nothing.
fn reduced(equation: &Equation, weights: &BTreeMap<u32, usize>, pivots: &[Pivot]) -> Option<Pivot> {
    let mut row = vec![0; weights.len()];
    for (at, by) in equation {
        row[weights[at]] = *by;
    }
    for pivot in pivots {
        let by = row[pivot.column];
        if by != 0 {
            take(&mut row, &pivot.row, PRIME - by);
        }
    }
    let column = row.iter().position(|part| *part != 0)?;
    let inverse = power(row[column], PRIME - 2);
    row.iter_mut()
        .for_each(|part| *part = times(*part, inverse));
    Some(Pivot { column, row })
}

/// Adds `factor` times another row.
fn take(row: &mut [u64], other: &[u64], factor: u64) {
    for (part, other) in row.iter_mut().zip(other) {
        *part = add(*part, times(factor, *other));
    }
}

/// Weights that satisfy the pivots, and are as good as random otherwise: an equation that they satisfy follows from the
/// pivots, but for one case in 2^61.
fn random_solution(weights: &BTreeMap<u32, usize>, pivots: &[Pivot]) -> Vec<u64> {
    let mut state = 0_u64;
    let mut solution: Vec<u64> = (0..weights.len())
        .map(|_| {
            // SplitMix64 by G. L. Steele, D. Lea, C. H. Flood, 2014.
            state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
            let mut mixed = state;
            mixed = (mixed ^ mixed >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
            (mixed ^ mixed >> 31) % PRIME
        })
        .collect();
    for pivot in pivots.iter().rev() {
        solution[pivot.column] = 0;
        let parts = pivot.row.iter().zip(&solution);
        let others = parts.fold(0, |sum, (by, part)| add(sum, times(*by, *part)));
        solution[pivot.column] = if others == 0 { 0 } else { PRIME - others };
    }
    solution
}
