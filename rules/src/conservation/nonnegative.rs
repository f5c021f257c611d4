//! Weights without negative numbers: all those whose species are a set that no other such weights have part of.
//!
//! Farkas' elimination, as Petri nets use it (Martínez and Silva, 1982): every species begins as a weight alone; stage
//! by stage weights that gain are combined with those that lose, so that the stage changes none, and combinations whose
//! species contain those of another one are dropped. Their number may grow without measure, so there is a budget; with
//! a basis without negative numbers nothing needs to be found.

use super::nullspace::reduced;
use super::{Sparse, gcd, product};

/// Most species for which this is tried, combinations that are kept, and steps of work.
const MAX_SPECIES: usize = 400;
const MAX_KEPT: usize = 600;
const BUDGET: usize = 3_000_000;

/// The shortest weights without negative numbers that could be found, the shortest first.
pub(super) fn shortest(n_species: usize, changes: &[Sparse], basis: &[Sparse]) -> Vec<Sparse> {
    let mut found = match n_species <= MAX_SPECIES && basis.len() > 1 {
        true => all(n_species, changes).unwrap_or_default(),
        false => Vec::new(),
    };
    if found.is_empty() {
        let positive = |vector: &&Sparse| vector.iter().all(|(_, by)| *by > 0);
        found = basis.iter().filter(positive).cloned().collect();
    }
    found.sort_by_key(|law| {
        (
            law.len(),
            law.iter().map(|(_, by)| *by).sum::<i64>(),
            law.clone(),
        )
    });
    found
}

fn all(n_species: usize, changes: &[Sparse]) -> Option<Vec<Sparse>> {
    let mut kept: Vec<Sparse> = (0_u32..).take(n_species).map(|at| vec![(at, 1)]).collect();
    let mut budget = BUDGET;
    for change in changes {
        let mut next: Vec<Sparse> = Vec::new();
        let (mut gaining, mut losing) = (Vec::new(), Vec::new());
        for weights in kept {
            let by = i64::try_from(product(&weights, change)?).ok()?;
            budget = budget.checked_sub(weights.len())?;
            match by {
                0 => next.push(weights),
                1.. => gaining.push((weights, by)),
                _ => losing.push((weights, by)),
            }
        }
        for (gains, up) in &gaining {
            for (loses, down) in &losing {
                let divisor = gcd(*up, *down);
                let combined = combined(gains, -down / divisor, loses, up / divisor)?;
                budget = budget.checked_sub(combined.len())?;
                next.push(combined);
            }
        }
        next.sort_by(|a, b| a.len().cmp(&b.len()).then_with(|| a.cmp(b)));
        let mut minimal: Vec<Sparse> = Vec::new();
        for weights in next {
            let mut covered = false;
            for other in &minimal {
                budget = budget.checked_sub(other.len())?;
                covered |= contains(&weights, other);
            }
            if !covered {
                minimal.push(weights);
            }
        }
        if minimal.len() > MAX_KEPT {
            return None;
        }
        kept = minimal;
    }
    Some(kept)
}

/// True if the species of one are among those of the other.
fn contains(weights: &Sparse, part: &Sparse) -> bool {
    let mut rest = weights.iter();
    part.iter()
        .all(|(at, _)| rest.any(|(other, _)| other == at))
}

fn combined(a: &Sparse, times_a: i64, b: &Sparse, times_b: i64) -> Option<Sparse> {
    let mut sum = std::collections::BTreeMap::new();
    for (vector, times) in [(a, times_a), (b, times_b)] {
        for (at, by) in vector {
            let total: &mut i64 = sum.entry(*at).or_default();
            *total = total.checked_add(by.checked_mul(times)?)?;
        }
    }
    Some(reduced(sum.into_iter().collect()))
}
