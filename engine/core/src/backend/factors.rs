//! Small matrices -> their factors, dense; large ones have those of the solver.

use situ_solve::SparseFactors;
use smallvec::{SmallVec, smallvec};

/// A pivot of a matrix with rows and columns of size 1 below which it counts as singular.
const LEAST_PIVOT: f64 = 1e-14;

/// Numbers of a search: few in most cases.
pub(crate) type Numbers = SmallVec<[f64; 8]>;

/// A matrix as a product of triangles, its rows and columns brought to size 1.
#[derive(Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "small ones, which are made in every step, take no memory of their own"
)]
pub(crate) enum Factors {
    /// Of one unknown.
    Slope(f64),
    Dense(DenseFactors),
    Sparse(Box<SparseFactors>),
}

#[derive(Debug)]
pub(crate) struct DenseFactors {
    matrix: Numbers,
    rows: Numbers,
    columns: Numbers,
    pivots: SmallVec<[usize; 8]>,
}

impl Factors {
    /// Of a dense matrix, row by row; `None` if it is singular up to rounding.
    pub(super) fn of(matrix: Numbers, n: usize) -> Option<Self> {
        match matrix[..] {
            [slope] => (slope.is_finite() && slope != 0.0).then_some(Self::Slope(slope)),
            _ => DenseFactors::of(matrix, n).map(Self::Dense),
        }
    }

    /// The Newton step that residuals ask for.
    pub(super) fn step(&mut self, residuals: &[f64]) -> Numbers {
        match self {
            Self::Slope(slope) => residuals.iter().map(|r| -r / *slope).collect(),
            Self::Dense(factors) => factors.step(residuals),
            Self::Sparse(factors) => {
                let mut step: Numbers = residuals.iter().map(|r| -r).collect();
                factors.solve(&mut step);
                step
            }
        }
    }
}

impl DenseFactors {
    fn of(mut matrix: Numbers, n: usize) -> Option<Self> {
        if !matrix.iter().all(|value| value.is_finite()) {
            return None;
        }
        let mut rows: Numbers = smallvec![1.0; n];
        let mut columns: Numbers = smallvec![1.0; n];
        for (row, scale) in rows.iter_mut().enumerate() {
            let most = matrix[row * n..][..n]
                .iter()
                .fold(0.0_f64, |m, v| m.max(v.abs()));
            *scale = 1.0 / most;
            matrix[row * n..][..n].iter_mut().for_each(|v| *v *= *scale);
        }
        for (column, scale) in columns.iter_mut().enumerate() {
            let most = (0..n).fold(0.0_f64, |m, row| m.max(matrix[row * n + column].abs()));
            *scale = 1.0 / most;
            (0..n).for_each(|row| matrix[row * n + column] *= *scale);
        }
        let mut pivots: SmallVec<[usize; 8]> = smallvec![0; n];
        for column in 0..n {
            let size = |row: usize| matrix[row * n + column].abs();
            let pivot = (column..n).max_by(|&a, &b| size(a).total_cmp(&size(b)))?;
            let largest = size(pivot);
            if largest <= LEAST_PIVOT || largest.is_nan() {
                return None;
            }
            pivots[column] = pivot;
            if pivot != column {
                (0..n).for_each(|k| matrix.swap(column * n + k, pivot * n + k));
            }
            for row in column + 1..n {
                let factor = matrix[row * n + column] / matrix[column * n + column];
                matrix[row * n + column] = factor;
                for k in column + 1..n {
                    matrix[row * n + k] -= factor * matrix[column * n + k];
                }
            }
        }
        Some(Self {
            matrix,
            rows,
            columns,
            pivots,
        })
    }

    fn step(&self, residuals: &[f64]) -> Numbers {
        let n = residuals.len();
        let parts = residuals.iter().zip(&self.rows);
        let mut step: Numbers = parts.map(|(r, scale)| -r * scale).collect();
        // Rows were exchanged with all that stood in them.
        for (column, &pivot) in self.pivots.iter().enumerate() {
            step.swap(column, pivot);
        }
        for column in 0..n {
            for row in column + 1..n {
                step[row] -= self.matrix[row * n + column] * step[column];
            }
        }
        for row in (0..n).rev() {
            let known: f64 = (row + 1..n)
                .map(|k| self.matrix[row * n + k] * step[k])
                .sum();
            step[row] = (step[row] - known) / self.matrix[row * n + row];
        }
        let parts = step.iter_mut().zip(&self.columns);
        parts.for_each(|(step, scale)| *step *= scale);
        step
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_that_are_exchanged_late_are_exchanged_as_a_whole() {
        let matrix = [1.0, 0.0, -1.4, 0.0, 1.0, 1.4, 1.4, -1.41, 0.1];
        let mut factors = Factors::of(Numbers::from_slice(&matrix), 3).unwrap();
        let residuals = [1.0, -2.0, 3.0];
        let step = factors.step(&residuals);
        for row in 0..3 {
            let product: f64 = (0..3).map(|k| matrix[row * 3 + k] * step[k]).sum();
            assert!((product + residuals[row]).abs() < 1e-14, "{row}: {product}");
        }
    }
}
