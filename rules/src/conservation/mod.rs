//! What stages conserve: whole-number weights of species whose sum no stage changes.
//!
//! [`laws`] takes the changes that stages make and gives a basis of the weights that are orthogonal to all of them.
//! Weights without negative numbers are what a chemist means (atoms, groups, a catalyst in all its forms); where the
//! budget allows it all shortest ones are found ([`nonnegative`]) and as many of them as are independent are taken. The
//! rest of the basis is what elimination gives ([`nullspace`]).
//!
//! Knows numbers only. All that is handed on has been multiplied out with every stage.

mod dense;
mod modular;
mod nonnegative;
mod nullspace;

/// Weights, or changes: species by number, in rising order, with what is not zero.
pub(crate) type Sparse = Vec<(u32, i64)>;

/// Laws that were found.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Laws {
    /// A basis, the shortest first.
    pub(crate) laws: Vec<Sparse>,
    /// True if the budget did not suffice to find all.
    pub(crate) left_open: bool,
}

/// Finds what stages conserve.
///
/// Shapes: `changes`, by how much each stage changes each species, species below `n_species`.
pub(crate) fn laws(n_species: usize, changes: &[Sparse]) -> Laws {
    let Some(basis) = nullspace::basis(n_species, changes) else {
        return Laws {
            laws: Vec::new(),
            left_open: true,
        };
    };
    let found = basis.vectors.len();
    let mut laws = nonnegative::shortest(n_species, changes, &basis.vectors);
    let mut span = nullspace::Span::default();
    laws.retain(|law| span.extend(law));
    for law in basis.vectors {
        if laws.len() == found {
            break;
        }
        if span.extend(&law) {
            laws.push(law);
        }
    }
    laws.sort_by_key(|law| (law.len(), law.iter().map(|(_, by)| by.abs()).sum::<i64>()));
    let mut weights = vec![0_i128; n_species];
    laws.retain(|law| {
        law.iter()
            .for_each(|(at, by)| weights[*at as usize] = i128::from(*by));
        let gain = |change: &Sparse| {
            let mut parts = change.iter();
            parts.try_fold(0_i128, |sum, (at, by)| {
                sum.checked_add(weights[*at as usize] * i128::from(*by))
            })
        };
        let holds = changes.iter().all(|change| gain(change) == Some(0));
        law.iter().for_each(|(at, _)| weights[*at as usize] = 0);
        holds
    });
    Laws {
        left_open: laws.len() < found || !basis.complete,
        laws,
    }
}

/// The sum of products; `None` if it does not fit.
fn product(a: &Sparse, b: &Sparse) -> Option<i128> {
    let (mut sum, mut rest) = (0_i128, a.as_slice());
    for (at, value) in b {
        let index = rest.partition_point(|(other, _)| other < at);
        rest = &rest[index..];
        if let Some((other, weight)) = rest.first()
            && other == at
        {
            sum = sum.checked_add(i128::from(*value) * i128::from(*weight))?;
        }
    }
    Some(sum)
}

fn gcd(a: i64, b: i64) -> i64 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    i64::try_from(a).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(n_species: usize, changes: &[&[(u32, i64)]]) -> Vec<Sparse> {
        let changes: Vec<Sparse> = changes.iter().map(|change| change.to_vec()).collect();
        let found = laws(n_species, &changes);
        assert!(!found.left_open);
        found.laws
    }

    #[test]
    fn an_enzyme_keeps_its_two_sums() {
        // E + S <-> ES -> E + P, numbered E S ES P.
        let forth: &[(u32, i64)] = &[(0, -1), (1, -1), (2, 1)];
        let on: &[(u32, i64)] = &[(0, 1), (2, -1), (3, 1)];
        let laws = of(4, &[forth, on]);
        assert_eq!(laws, [vec![(0, 1), (2, 1)], vec![(1, 1), (2, 1), (3, 1)]]);
    }

    #[test]
    fn weights_are_whole_numbers() {
        // 2 A -> 3 B
        assert_eq!(of(2, &[&[(0, -2), (1, 3)]]), [vec![(0, 3), (1, 2)]]);
        // A -> B, B -> 2 A: nothing.
        assert!(of(2, &[&[(0, -1), (1, 1)], &[(0, 2), (1, -1)]]).is_empty());
        // -> A, A + B -> C: a difference.
        assert_eq!(
            of(3, &[&[(0, 1)], &[(0, -1), (1, -1), (2, 1)]]),
            [vec![(1, 1), (2, 1)]]
        );
        // A -> , B -> A + B + C ..: what can only be told with a minus.
        assert_eq!(of(2, &[&[(0, 1), (1, 1)]]), [vec![(0, 1), (1, -1)]]);
    }

    /// Two kinds of groups, each species one of each, exchanged: what fills up under elimination. Every group is kept,
    /// and all of one kind are as many as all of the other.
    #[test]
    fn exchanged_groups_are_kept_each() {
        const GROUPS: [u32; 2] = [12, 25];
        let species = |of: [u32; 2]| of[0] * GROUPS[1] + of[1];
        let mut seed = 1_u64;
        let mut next = |below: u32| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 33) as u32 % below
        };
        let mut changes = Vec::new();
        while changes.len() < 1200 {
            let [a, b] = [
                [next(GROUPS[0]), next(GROUPS[1])],
                [next(GROUPS[0]), next(GROUPS[1])],
            ];
            if a[0] != b[0] && a[1] != b[1] {
                let mut change: Sparse = vec![
                    (species(a), -1),
                    (species(b), -1),
                    (species([a[0], b[1]]), 1),
                    (species([b[0], a[1]]), 1),
                ];
                change.sort_unstable();
                changes.push(change);
            }
        }
        let n_species = (GROUPS[0] * GROUPS[1]) as usize;
        let found = laws(n_species, &changes);
        assert!(!found.left_open);
        assert_eq!(found.laws.len(), (GROUPS[0] + GROUPS[1] - 1) as usize);
        assert_eq!(found.laws.len(), n_species - rank(n_species, &changes));
    }

    #[test]
    fn random_schemes_have_as_many_laws_as_their_rank_leaves() {
        let mut seed = 1_u64;
        let mut next = |below: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 33) % below
        };
        for _ in 0..300 {
            let n_species = 2 + next(9) as usize;
            let changes: Vec<Sparse> = (0..1 + next(8))
                .map(|_| {
                    let mut change = std::collections::BTreeMap::new();
                    for _ in 0..1 + next(4) {
                        let by = next(5) as i64 - 2;
                        *change.entry(next(n_species as u64) as u32).or_insert(0) += by;
                    }
                    change.into_iter().filter(|(_, by)| *by != 0).collect()
                })
                .collect();
            let found = laws(n_species, &changes);
            assert!(!found.left_open);
            for law in &found.laws {
                assert!(changes.iter().all(|change| product(law, change) == Some(0)));
            }
            assert_eq!(found.laws.len(), n_species - rank(n_species, &changes));
            let mut span = nullspace::Span::default();
            assert!(found.laws.iter().all(|law| span.extend(law)));
        }
    }

    /// The rank by elimination in floating point, for small matrices.
    fn rank(n_species: usize, changes: &[Sparse]) -> usize {
        let mut rows: Vec<Vec<f64>> = changes
            .iter()
            .map(|change| {
                let mut row = vec![0.0; n_species];
                change
                    .iter()
                    .for_each(|(at, by)| row[*at as usize] = *by as f64);
                row
            })
            .collect();
        let mut rank = 0;
        for column in 0..n_species {
            let largest = (rank..rows.len())
                .max_by(|a, b| rows[*a][column].abs().total_cmp(&rows[*b][column].abs()));
            let Some(pivot) = largest.filter(|row| rows[*row][column].abs() > 1e-9) else {
                continue;
            };
            rows.swap(rank, pivot);
            for row in rank + 1..rows.len() {
                let factor = rows[row][column] / rows[rank][column];
                let above = rows[rank].clone();
                for (value, above) in rows[row].iter_mut().zip(above) {
                    *value -= factor * above;
                }
            }
            rank += 1;
        }
        rank
    }
}
