//! Dense linear systems: LU factors with partial pivoting.
//!
//! The matrix is stored whole, but each row knows between which columns it can differ from zero, and
//! nothing outside is touched: for the few unknowns of most modes this is as fast as a sparse
//! factorisation, and a band matrix of some hundred unknowns is factored as one.

use super::Singular;
use crate::compiled::DenseFactors;

/// Where the order of rows is kept if possible, they are exchanged if the entry on the diagonal is less than this part of the
/// largest in its column: errors grow by no more than its reciprocal in what follows.
const KEPT: f64 = 0.1;

/// A square matrix and, after [`Lu::factor`], its LU factors.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Lu {
    n: usize,
    /// Row by row.
    entries: Vec<f64>,
    /// For each row the columns between which it can differ from zero, the end excluded.
    extents: Vec<(u32, u32)>,
    /// For each column the row that was exchanged with the diagonal's.
    pivots: Vec<u32>,
    /// Reciprocals of the diagonal of U.
    reciprocals: Vec<f64>,
    /// True if rows are exchanged only where they have to be, so that factors have the structure of their matrix.
    keeps_order: bool,
}

impl Lu {
    /// From here on rows are exchanged only where they have to be.
    pub(super) fn keep_order(&mut self) {
        self.keeps_order = true;
    }

    /// Room for matrices of n rows.
    pub(super) fn resize(&mut self, n: usize) {
        self.n = n;
        self.entries.clear();
        self.entries.resize(n * n, 0.0);
        self.extents.clear();
        self.extents.resize(n, (0, 0));
        self.pivots.clear();
        self.pivots.resize(n, 0);
        self.reciprocals.clear();
        self.reciprocals.resize(n, 0.0);
    }

    /// The matrix, row by row, to be written before [`Lu::factor`].
    pub(super) fn entries_mut(&mut self) -> &mut [f64] {
        &mut self.entries
    }

    /// Adds to an entry.
    #[inline]
    pub(super) fn add(&mut self, row: usize, column: usize, value: f64) {
        self.entries[row * self.n + column] += value;
    }

    /// Replaces the matrix by its factors.
    pub(super) fn factor(&mut self) -> Result<(), Singular> {
        let n = self.n;
        self.measure();
        for column in 0..n {
            let mut pivot = column;
            let mut largest = 0.0;
            for row in column..n {
                if self.extents[row].0 as usize <= column {
                    let size = self.entries[row * n + column].abs();
                    if size > largest {
                        (pivot, largest) = (row, size);
                    }
                }
            }
            if !(largest > 0.0 && largest.is_finite()) {
                return Err(Singular);
            }
            if self.keeps_order && self.entries[column * n + column].abs() >= KEPT * largest {
                pivot = column;
            }
            self.pivots[column] = pivot as u32;
            let (upper, lower) = self.entries.split_at_mut((column + 1) * n);
            let diagonal = &mut upper[column * n..];
            if pivot != column {
                let first = (pivot - column - 1) * n;
                diagonal.swap_with_slice(&mut lower[first..first + n]);
                self.extents.swap(column, pivot);
            }
            let reciprocal = 1.0 / diagonal[column];
            self.reciprocals[column] = reciprocal;
            let end = self.extents[column].1;
            let tail = &diagonal[column + 1..end as usize];
            let below = lower
                .chunks_exact_mut(n)
                .zip(&mut self.extents[column + 1..]);
            for (row, extent) in below {
                if extent.0 as usize > column || row[column] == 0.0 {
                    continue;
                }
                let factor = row[column] * reciprocal;
                row[column] = factor;
                for (entry, above) in row[column + 1..].iter_mut().zip(tail) {
                    *entry -= factor * above;
                }
                extent.1 = extent.1.max(end);
            }
        }
        Ok(())
    }

    /// The factors, if no rows were exchanged.
    pub(super) fn in_order(&self) -> Option<DenseFactors<'_>> {
        let mut pivots = self.pivots.iter().enumerate();
        let in_order = pivots.all(|(column, &pivot)| column == pivot as usize);
        in_order.then_some(DenseFactors {
            entries: &self.entries,
            reciprocals: &self.reciprocals,
        })
    }

    /// Finds the extent of every row.
    fn measure(&mut self) {
        /// Up to here the search would cost as much as it saves.
        const FEW: usize = 8;
        if self.n <= FEW {
            self.extents.fill((0, self.n as u32));
            return;
        }
        let rows = self.entries.chunks_exact(self.n.max(1));
        for (row, extent) in rows.zip(&mut self.extents) {
            let first = row
                .iter()
                .position(|&entry| entry != 0.0)
                .unwrap_or(row.len());
            let last = row.iter().rposition(|&entry| entry != 0.0);
            *extent = (first as u32, last.map_or(0, |last| last + 1) as u32);
        }
    }

    /// Replaces the right-hand side by the solution.
    pub(super) fn solve(&self, b: &mut [f64]) {
        let n = self.n;
        for (column, &pivot) in self.pivots.iter().enumerate() {
            b.swap(column, pivot as usize);
        }
        let rows = || {
            self.entries
                .chunks_exact(n.max(1))
                .zip(&self.extents)
                .enumerate()
        };
        for (i, (row, &(first, _))) in rows() {
            let first = (first as usize).min(i);
            let mut sum = b[i];
            for (entry, x) in row[first..i].iter().zip(&b[first..i]) {
                sum -= entry * x;
            }
            b[i] = sum;
        }
        for (i, (row, &(_, end))) in rows().rev() {
            let end = end as usize;
            let mut sum = b[i];
            for (entry, x) in row[i + 1..end].iter().zip(&b[i + 1..end]) {
                sum -= entry * x;
            }
            b[i] = sum * self.reciprocals[i];
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn solved(rows: &[Vec<f64>], b: &[f64]) -> Result<Vec<f64>, Singular> {
        let mut lu = Lu::default();
        lu.resize(rows.len());
        lu.entries_mut().copy_from_slice(&rows.concat());
        lu.factor()?;
        let mut x = b.to_vec();
        lu.solve(&mut x);
        Ok(x)
    }

    #[test]
    fn a_zero_on_the_diagonal_is_exchanged() {
        let rows = [
            vec![0.0, 2.0, 1.0],
            vec![1.0, 0.0, 0.0],
            vec![4.0, 1.0, 0.0],
        ];
        assert_eq!(solved(&rows, &[7.0, 1.0, 6.0]), Ok(vec![1.0, 2.0, 3.0]));
    }

    #[test]
    fn singular_matrices_are_refused() {
        assert_eq!(
            solved(&[vec![1.0, 2.0], vec![2.0, 4.0]], &[1.0, 1.0]),
            Err(Singular)
        );
        assert_eq!(solved(&[vec![f64::NAN]], &[1.0]), Err(Singular));
        assert_eq!(solved(&[vec![f64::INFINITY]], &[1.0]), Err(Singular));
    }

    #[test]
    fn a_band_keeps_its_zeros() {
        // A tridiagonal matrix whose rows have to be exchanged: the factors are two bands wider.
        let n = 50;
        let mut lu = Lu::default();
        lu.resize(n);
        for row in 0..n {
            for (column, value) in [(row.wrapping_sub(1), 3.0), (row, 1.0), (row + 1, -1.5)] {
                if column < n {
                    lu.entries_mut()[row * n + column] = value;
                }
            }
        }
        lu.factor().unwrap();
        for (row, &(first, end)) in lu.extents.iter().enumerate() {
            assert!(
                end as usize <= row + 3 && first as usize <= row,
                "{row}: {first} {end}"
            );
        }
        let mut x = vec![1.0; n];
        lu.solve(&mut x);
        for row in 1..n - 1 {
            let residual = 3.0 * x[row - 1] + x[row] - 1.5 * x[row + 1] - 1.0;
            assert!(residual.abs() < 1e-12, "{row}: {residual:e}");
        }
    }

    #[test]
    fn no_unknowns_no_work() {
        assert_eq!(solved(&[], &[]), Ok(vec![]));
    }

    fn systems() -> impl Strategy<Value = (Vec<Vec<f64>>, Vec<f64>)> {
        (1_usize..20).prop_flat_map(|n| {
            let entry = prop_oneof![2 => Just(0.0), 1 => -10.0..10.0];
            let matrix = prop::collection::vec(prop::collection::vec(entry, n), n);
            (matrix, prop::collection::vec(-5.0..5.0, n))
        })
    }

    proptest! {
        /// Partial pivoting is backward stable: the residual is small beside |A| |x|, whatever the
        /// condition of A.
        #[test]
        fn residual_is_rounding((rows, b) in systems()) {
            if let Ok(x) = solved(&rows, &b) {
                for (row, b) in rows.iter().zip(&b) {
                    let terms = row.iter().zip(&x).map(|(a, x)| a * x);
                    let residual = terms.clone().sum::<f64>() - b;
                    let largest_x = x.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
                    prop_assert!(residual.abs() <= 1e-12 * (1.0 + 10.0 * largest_x));
                }
            }
        }
    }
}
