//! Entries of a sparse matrix -> its factors, the sign of its determinant, solutions of its systems.

use super::sparse::Sparse;
use crate::step::all_finite;
use crate::system::Pattern;

/// A pivot of a matrix with rows and columns of size 1 below which it counts as singular.
const LEAST_PIVOT: f64 = 1e-14;

/// A sparse square matrix of known structure, its rows and columns brought to size 1, as a product of triangles.
///
/// ```
/// use situ_solve::{Pattern, SparseFactors};
///
/// let pattern = Pattern::from_rows(&[vec![0, 1], vec![1]]);
/// let mut factors = SparseFactors::new(&pattern);
/// assert_eq!(factors.factor(&pattern, &[2.0, 1.0, -4.0]), Some(-1));
/// let mut x = [4.0, 8.0];
/// factors.solve(&mut x);
/// assert_eq!(x, [3.0, -2.0]);
/// ```
#[derive(Clone, Debug)]
pub struct SparseFactors {
    matrix: Sparse,
    /// What rows and columns are multiplied by.
    rows: Vec<f64>,
    columns: Vec<f64>,
    scaled: Vec<f64>,
}

impl SparseFactors {
    /// Room for matrices in which only the entries of a pattern differ from zero, and an order of elimination for them.
    pub fn new(pattern: &Pattern) -> Self {
        Self {
            matrix: Sparse::new(pattern),
            rows: vec![1.0; pattern.dim()],
            columns: vec![1.0; pattern.dim()],
            scaled: vec![0.0; pattern.len()],
        }
    }

    /// Finds the factors of a matrix; the sign of its determinant, `None` if it is singular up to rounding or not finite.
    ///
    /// Shapes: `entries`: one per entry of the pattern it was made for.
    pub fn factor(&mut self, pattern: &Pattern, entries: &[f64]) -> Option<i8> {
        if !all_finite(entries) {
            return None;
        }
        self.scaled.copy_from_slice(entries);
        for (row, scale) in self.rows.iter_mut().enumerate() {
            let own = || pattern.row(row).map(|(at, _)| at);
            let most = own().fold(0.0_f64, |most, at| most.max(entries[at].abs()));
            *scale = 1.0 / most;
            own().for_each(|at| self.scaled[at] *= *scale);
        }
        let all = || (0..pattern.dim()).flat_map(|row| pattern.row(row));
        self.columns.fill(0.0);
        for (at, column) in all() {
            let most = &mut self.columns[column];
            *most = most.max(self.scaled[at].abs());
        }
        self.columns.iter_mut().for_each(|most| *most = 1.0 / *most);
        for (at, column) in all() {
            self.scaled[at] *= self.columns[column];
        }
        // Of an empty row or column the scale is infinite.
        if !all_finite(&self.scaled) {
            return None;
        }
        self.matrix.set(&self.scaled);
        self.matrix.factor().ok()?;
        self.matrix.sign(LEAST_PIVOT)
    }

    /// Replaces a right side by the solution for the matrix that was factored last.
    pub fn solve(&mut self, right: &mut [f64]) {
        let parts = right.iter_mut().zip(&self.rows);
        parts.for_each(|(right, scale)| *right *= scale);
        self.matrix.solve(right);
        let parts = right.iter_mut().zip(&self.columns);
        parts.for_each(|(right, scale)| *right *= scale);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::linear::dense::Lu;

    /// A matrix row by row, with most entries zero.
    fn matrix() -> impl Strategy<Value = Vec<Vec<(usize, f64)>>> {
        (2_usize..12).prop_flat_map(|n| {
            let entry = (0..n, prop_oneof![-3.0..3.0_f64, Just(1.0)]);
            prop::collection::vec(prop::collection::vec(entry, 1..4), n)
        })
    }

    proptest! {
        #[test]
        fn solutions_and_signs_are_those_of_dense_factors(rows in matrix(), size in -8_i32..8) {
            let n = rows.len();
            let columns: Vec<Vec<usize>> = rows.iter().map(|row| row.iter().map(|one| one.0).collect()).collect();
            let pattern = Pattern::from_rows(&columns);
            let mut entries = vec![0.0; pattern.len()];
            let mut dense = vec![vec![0.0; n]; n];
            for (row, terms) in rows.iter().enumerate() {
                // Rows of far different size are brought to one.
                let scale = if row % 2 == 0 { 10.0_f64.powi(size) } else { 1.0 };
                for (at, column) in pattern.row(row) {
                    let term = terms.iter().rev().find(|one| one.0 == column);
                    entries[at] = scale * term.map_or(0.0, |one| one.1);
                    dense[row][column] = entries[at];
                }
            }
            let mut factors = SparseFactors::new(&pattern);
            let found = factors.factor(&pattern, &entries);
            let mut lu = Lu::default();
            lu.resize(n);
            for (row, values) in dense.iter().enumerate() {
                values.iter().enumerate().for_each(|(column, value)| lu.add(row, column, *value));
            }
            if found.is_none() || lu.factor().is_err() {
                return Ok(());
            }
            prop_assert_eq!(found.unwrap(), determinant_sign(&dense));
            let right: Vec<f64> = (0..n).map(|row| row as f64 - 1.5).collect();
            let mut x = right.clone();
            factors.solve(&mut x);
            // Small unknowns beside large ones have the errors of these: what is small is the residual of the whole.
            let largest = x.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
            for (values, right) in dense.iter().zip(right) {
                let row = values.iter().fold(0.0_f64, |most, a| most.max(a.abs()));
                let sum: f64 = values.iter().zip(&x).map(|(a, x)| a * x).sum();
                prop_assert!((sum - right).abs() <= 1e-10 * row * largest);
            }
        }
    }

    /// By Gaussian elimination with exchanges of rows.
    fn determinant_sign(matrix: &[Vec<f64>]) -> i8 {
        let mut rows = matrix.to_vec();
        let mut sign = 1;
        for column in 0..rows.len() {
            let size = |row: &usize| rows[*row][column].abs();
            let pivot = (column..rows.len())
                .max_by(|a, b| size(a).total_cmp(&size(b)))
                .unwrap();
            if pivot != column {
                rows.swap(pivot, column);
                sign = -sign;
            }
            if rows[column][column] < 0.0 {
                sign = -sign;
            }
            for row in column + 1..rows.len() {
                let weight = rows[row][column] / rows[column][column];
                for at in column..rows.len() {
                    let own = rows[column][at];
                    rows[row][at] -= weight * own;
                }
            }
        }
        sign
    }

    #[test]
    fn a_matrix_with_an_empty_row_or_equal_rows_is_singular() {
        let pattern = Pattern::from_rows(&[vec![0, 1], vec![0, 1]]);
        let mut factors = SparseFactors::new(&pattern);
        assert_eq!(factors.factor(&pattern, &[1.0, 2.0, 0.0, 0.0]), None);
        assert_eq!(factors.factor(&pattern, &[1.0, 2.0, 2.0, 4.0]), None);
        assert_eq!(factors.factor(&pattern, &[1.0, 2.0, f64::NAN, 4.0]), None);
        assert_eq!(factors.factor(&pattern, &[0.0, 2.0, 2.0, 4.0]), Some(-1));
    }
}
