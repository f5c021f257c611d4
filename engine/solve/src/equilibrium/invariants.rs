//! Jacobians of lower rank: linear combinations of the equations that are zero for every state are what the motion
//! keeps, and take the places of equations that follow from others.

use crate::linear::Matrix;
use crate::step::Linearisation;

/// Rounding of an entry that elimination has made, in units of what it was made of.
const ROUNDING: f64 = 64.0;

/// A combination of equations counts as zero below this many times the noise of its terms.
const ZERO: f64 = 1e4;

/// Factors of a Jacobian with the invariants of the motion, and these.
pub(super) struct Reduced {
    matrix: Matrix,
    /// Sizes of the components, by which they are divided.
    scale: Vec<f64>,
    /// Row by row, what its entries were divided by.
    rows: Vec<f64>,
    invariants: Vec<Invariant>,
    noise: f64,
}

/// A weighted sum of the components that the motion keeps.
struct Invariant {
    /// The equation in the place of which it stands.
    row: usize,
    /// Weights of the components, divided by their sizes.
    weights: Vec<f64>,
}

impl Reduced {
    /// `None` if an equilibrium near the point is not single, even among those that keep what the motion keeps.
    pub(super) fn new(
        jacobian: &Linearisation,
        noise: f64,
        sizes: &[f64],
        y: &[f64],
    ) -> Option<Self> {
        let n = y.len();
        let scale: Vec<f64> = (y.iter().zip(sizes))
            .map(|(y, size)| y.abs().max(*size))
            .collect();
        let mut entries = vec![0.0; n * n];
        for row in 0..n {
            for (column, value) in jacobian.row(row) {
                entries[row * n + column] = value * scale[column] / scale[row];
            }
        }
        let invariants = invariants(&entries, n, noise);
        for invariant in &invariants {
            entries[invariant.row * n..][..n].copy_from_slice(&invariant.weights);
        }
        let mut matrix = Matrix::default();
        matrix.fit(n, None);
        matrix.clear();
        let mut rows = vec![1.0; n];
        for (row, size) in rows.iter_mut().enumerate() {
            let values = &entries[row * n..][..n];
            *size = values.iter().fold(0.0, |most, value| value.abs().max(most));
            for (column, value) in values.iter().enumerate() {
                matrix.add(row, column, value / *size);
            }
        }
        // Rows that depend on each other still are told by a solution that is no number, or a very long one.
        matrix.factor().ok()?;
        Some(Self {
            matrix,
            scale,
            rows,
            invariants,
            noise,
        })
    }

    /// The correction for rates at a point; `None` if the rates contradict a invariant.
    pub(super) fn correction(&mut self, f: &[f64], y: &[f64], kept: &[f64]) -> Option<Vec<f64>> {
        let mut right: Vec<f64> = (f.iter().zip(&self.scale).zip(&self.rows))
            .map(|((f, scale), row)| -f / scale / row)
            .collect();
        for invariant in &self.invariants {
            let terms = || invariant.weights.iter().zip(f).zip(&self.scale);
            let sum: f64 = terms().map(|((w, f), scale)| w * f / scale).sum();
            let size: f64 = terms().map(|((w, f), scale)| (w * f / scale).abs()).sum();
            if sum.abs() > ZERO * self.noise * size {
                return None;
            }
            let places = invariant.weights.iter().zip(y).zip(kept).zip(&self.scale);
            let off: f64 = places
                .map(|(((w, y), kept), scale)| w * (y - kept) / scale)
                .sum();
            right[invariant.row] = -off / self.rows[invariant.row];
        }
        self.matrix.solve(&mut right);
        for (step, scale) in right.iter_mut().zip(&self.scale) {
            *step *= scale;
        }
        Some(right)
    }
}

/// The combinations of rows that are zero, by elimination with complete pivoting; an entry is zero if it is no more
/// than the rounding of what it was made of.
fn invariants(entries: &[f64], n: usize, noise: f64) -> Vec<Invariant> {
    let mut a = entries.to_vec();
    // What each entry was made of.
    let mut of: Vec<f64> = a.iter().map(|entry| entry.abs()).collect();
    let (mut rows, mut columns): (Vec<usize>, Vec<usize>) = ((0..n).collect(), (0..n).collect());
    let mut rank = n;
    for k in 0..n {
        let mut largest = (0.0, k, k);
        for i in k..n {
            for j in k..n {
                let at = rows[i] * n + columns[j];
                let size = a[at].abs();
                if size > largest.0 && size > ROUNDING * noise * of[at] {
                    largest = (size, i, j);
                }
            }
        }
        let (size, i, j) = largest;
        if size == 0.0 {
            rank = k;
            break;
        }
        rows.swap(k, i);
        columns.swap(k, j);
        let pivot = rows[k] * n;
        for &row in &rows[k + 1..] {
            let at = row * n;
            let factor = a[at + columns[k]] / a[pivot + columns[k]];
            // The factor stands where the entry vanishes.
            a[at + columns[k]] = factor;
            if factor != 0.0 {
                for &column in &columns[k + 1..] {
                    a[at + column] -= factor * a[pivot + column];
                    of[at + column] += factor.abs() * of[pivot + column];
                }
            }
        }
    }
    let invariant = |&row: &usize| {
        let mut weights = vec![0.0; n];
        weights[row] = 1.0;
        // Backwards through the factors: which of the first rows it is made of.
        for k in (0..rank).rev() {
            let later = rows[k + 1..rank]
                .iter()
                .map(|&one| weights[one] * a[one * n + columns[k]]);
            weights[rows[k]] = -(a[row * n + columns[k]] + later.sum::<f64>());
        }
        Invariant { row, weights }
    };
    rows[rank..].iter().map(invariant).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn combinations_of_rows_that_vanish_are_found() {
        // The third row is the first less twice the second; the fourth is empty.
        let entries = [
            1.0, 2.0, 0.0, 3.0, //
            0.1, 0.7, 0.3, 0.0, //
            0.8, 0.6, -0.6, 3.0, //
            0.0, 0.0, 0.0, 0.0,
        ];
        let found = invariants(&entries, 4, f64::EPSILON);
        assert_eq!(found.len(), 2);
        for invariant in &found {
            for column in 0..4 {
                let sum: f64 = (0..4)
                    .map(|row| invariant.weights[row] * entries[row * 4 + column])
                    .sum();
                assert!(sum.abs() < 1e-14, "{sum} {:?}", invariant.weights);
            }
        }
        assert!(invariants(&[1.0, 1e-9, 0.0, 1e-9], 2, f64::EPSILON).is_empty());
    }
}
