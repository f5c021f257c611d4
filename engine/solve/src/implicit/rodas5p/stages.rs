//! The stages of a step on numbers of any kind: for the method itself, and for those who write the operations down to
//! compile them ([`CompiledStep`](crate::CompiledStep)). What is compiled has the method's bits.

use super::tableau::{A2, A3, A4, A5, A6, C, C2, C3, C4, C5, C6, C7, C8, D};
use crate::linear::FEW;
use crate::span::{Number, StepSpan};
use crate::step::sums::sum_of;
use crate::system::{Pattern, Refusal};

/// What a step is computed from.
#[derive(Debug)]
pub struct RosenbrockStart<'a, T> {
    /// Where it goes.
    pub span: StepSpan<T>,
    /// The reciprocal of its length.
    pub per_h: T,
    /// The state at the start.
    pub y: &'a [T],
    /// The derivative there.
    pub f: &'a [T],
    /// The derivatives of the rates by the time; `None` if they are zero.
    pub df_dt: Option<&'a [T]>,
}

impl<T: Number> RosenbrockStart<'_, T> {
    /// Writes the stages, and the argument of the last one, whose sum is the end.
    pub(super) fn find_stages(
        &self,
        rates: &mut impl FnMut(T, &[T], &mut [T]) -> Result<(), Refusal>,
        solve: &mut impl FnMut(&mut [T]),
        k: &mut [Vec<T>; 8],
        u: &mut [T],
    ) -> Result<(), Refusal> {
        let (y, span) = (self.y, &self.span);
        let [k1, k2, k3, k4, k5, k6, k7, k8] = k;
        k1.copy_from_slice(self.f);
        self.add_earlier(k1, D[0], &[], []);
        solve(k1);
        advance(u, y, &A2, [k1]);
        rates(span.at(C[0]), u, k2)?;
        self.add_earlier(k2, D[1], &C2, [k1]);
        solve(k2);
        advance(u, y, &A3, [k1, k2]);
        rates(span.at(C[1]), u, k3)?;
        self.add_earlier(k3, D[2], &C3, [k1, k2]);
        solve(k3);
        advance(u, y, &A4, [k1, k2, k3]);
        rates(span.at(C[2]), u, k4)?;
        self.add_earlier(k4, D[3], &C4, [k1, k2, k3]);
        solve(k4);
        advance(u, y, &A5, [k1, k2, k3, k4]);
        rates(span.at(C[3]), u, k5)?;
        self.add_earlier(k5, D[4], &C5, [k1, k2, k3, k4]);
        solve(k5);
        advance(u, y, &A6, [k1, k2, k3, k4, k5]);
        rates(span.t1, u, k6)?;
        self.add_earlier(k6, 0.0, &C6, [k1, k2, k3, k4, k5]);
        solve(k6);
        // From here on each argument, and at last the end, is the one before plus the last stage.
        add(u, k6);
        rates(span.t1, u, k7)?;
        self.add_earlier(k7, 0.0, &C7, [k1, k2, k3, k4, k5, k6]);
        solve(k7);
        add(u, k7);
        rates(span.t1, u, k8)?;
        self.add_earlier(k8, 0.0, &C8, [k1, k2, k3, k4, k5, k6, k7]);
        solve(k8);
        Ok(())
    }

    /// Adds to a derivative what the earlier stages and the time give.
    #[inline(always)]
    fn add_earlier<const M: usize>(
        &self,
        k: &mut [T],
        d: f64,
        weights: &[f64; M],
        earlier: [&[T]; M],
    ) {
        let n = k.len();
        let earlier = earlier.map(|stage| &stage[..n]);
        let d = self.span.h.weighted(d);
        for i in 0..n {
            let of_stages = match M {
                0 => T::number(0.0),
                _ => sum_of(i, weights, earlier) * self.per_h,
            };
            let of_time = self.df_dt.map_or(T::number(0.0), |df_dt| d * df_dt[i]);
            k[i] = k[i] + (of_stages + of_time);
        }
    }
}

#[inline(always)]
fn advance<T: Number, const M: usize>(u: &mut [T], y: &[T], weights: &[f64; M], k: [&[T]; M]) {
    let n = u.len();
    let (y, k) = (&y[..n], k.map(|stage| &stage[..n]));
    for i in 0..n {
        u[i] = y[i] + sum_of(i, weights, k);
    }
}

/// Adds a stage.
#[inline(always)]
pub(super) fn add<T: Number>(u: &mut [T], k: &[T]) {
    for (u, k) in u.iter_mut().zip(k) {
        *u = *u + *k;
    }
}

/// LU factors of the matrix of a step, of which no rows were exchanged, without what is zero whatever the step.
#[derive(Clone, Debug)]
pub struct FactorsOf<T> {
    /// The entries of L below its diagonal, row by row: column, entry.
    lower: Vec<Vec<(usize, T)>>,
    /// Those of U above it.
    upper: Vec<Vec<(usize, T)>>,
    reciprocals: Vec<T>,
}

impl<T: Number> FactorsOf<T> {
    /// Where the factors of a Jacobian with this pattern have entries beside the diagonal, row by row; `None` if they are
    /// not kept as a dense matrix.
    pub fn structure(pattern: &Pattern, n: usize) -> Option<Vec<(usize, usize)>> {
        if n > FEW {
            return None;
        }
        let mut filled = vec![false; n * n];
        for row in 0..n {
            for (_, column) in pattern.row(row) {
                filled[row * n + column] = true;
            }
        }
        for column in 0..n {
            for row in column + 1..n {
                if filled[row * n + column] {
                    for behind in column + 1..n {
                        filled[row * n + behind] |= filled[column * n + behind];
                    }
                }
            }
        }
        let all = (0..n).flat_map(|row| (0..n).map(move |column| (row, column)));
        let entries = all.filter(|&(row, column)| row != column && filled[row * n + column]);
        Some(entries.collect())
    }

    /// Factors with this structure.
    ///
    /// Shapes: `entries`: as many as [`FactorsOf::structure`] has; `reciprocals`: of the diagonal of U.
    pub fn new(structure: &[(usize, usize)], entries: &[T], reciprocals: &[T]) -> Self {
        let n = reciprocals.len();
        let (mut lower, mut upper) = (vec![Vec::new(); n], vec![Vec::new(); n]);
        for (&(row, column), &entry) in structure.iter().zip(entries) {
            let half = if column < row { &mut lower } else { &mut upper };
            half[row].push((column, entry));
        }
        Self {
            lower,
            upper,
            reciprocals: reciprocals.to_vec(),
        }
    }

    /// Replaces a right-hand side by the solution: the operations of the dense factors, without those that add zero.
    fn solve(&self, b: &mut [T]) {
        let less = |b: &[T], i: usize, row: &[(usize, T)]| {
            row.iter()
                .fold(b[i], |sum, &(column, entry)| sum - entry * b[column])
        };
        for (i, row) in self.lower.iter().enumerate() {
            b[i] = less(b, i, row);
        }
        for (i, row) in self.upper.iter().enumerate().rev() {
            b[i] = less(b, i, row) * self.reciprocals[i];
        }
    }
}

/// A trial of `rodas5p`.
#[derive(Clone, Debug)]
pub struct RosenbrockTrial<T> {
    /// The state at the end.
    pub end: Vec<T>,
    /// The eight stages, one entry per component each; the last one is the error estimate.
    pub stages: Vec<T>,
}

impl<T: Number> RosenbrockTrial<T> {
    /// Does a trial; `None` if the rates are refused.
    pub fn new(
        start: &RosenbrockStart<'_, T>,
        factors: &FactorsOf<T>,
        rates: &mut impl FnMut(T, &[T], &mut [T]) -> Result<(), Refusal>,
    ) -> Option<Self> {
        let mut end = start.y.to_vec();
        let mut k: [Vec<T>; 8] = std::array::from_fn(|_| start.y.to_vec());
        let mut solve = |k: &mut [T]| factors.solve(k);
        let found = start.find_stages(rates, &mut solve, &mut k, &mut end);
        found.ok()?;
        add(&mut end, &k[7]);
        Some(Self {
            end,
            stages: k.concat(),
        })
    }

    /// How far a Newton step on the residual of the dense output moves a state inside of the step; `None` if the rates are
    /// refused.
    ///
    /// Shapes: the state and the slopes of the dense output there, by time.
    pub fn correction(
        t: T,
        [state, slopes]: [&[T]; 2],
        factors: &FactorsOf<T>,
        rates: &mut impl FnMut(T, &[T], &mut [T]) -> Result<(), Refusal>,
    ) -> Option<Vec<T>> {
        let mut moved = state.to_vec();
        rates(t, state, &mut moved).ok()?;
        for (moved, slope) in moved.iter_mut().zip(slopes) {
            *moved = *moved - *slope;
        }
        factors.solve(&mut moved);
        Some(moved)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linear::Matrix;

    #[test]
    fn sparse_factors_have_the_bits_of_dense_ones() {
        let n = 9;
        // An arrow beside a band, and an entry from which the factors fill in.
        let rows: Vec<Vec<usize>> = (0..n)
            .map(|row| match row {
                0 => vec![0, 3, n - 1],
                _ if row == n - 1 => (0..n).collect(),
                _ => vec![row - 1, row, n - 1],
            })
            .collect();
        let pattern = Pattern::from_rows(&rows);
        let mut matrix = Matrix::default();
        matrix.fit(n, None);
        matrix.keep_order();
        matrix.clear();
        for (row, columns) in rows.iter().enumerate() {
            for &column in columns {
                let value = ((row * 7 + column * 3) % 11) as f64 / 3.0 - 1.5;
                matrix.add(row, column, value);
            }
            matrix.add(row, row, 20.0);
        }
        matrix.factor().expect("the diagonal is large");
        let dense = matrix.in_order().expect("the diagonal is large");
        let structure = FactorsOf::<f64>::structure(&pattern, n).expect("they are few");
        let filled = |entry| structure.contains(&entry);
        assert!(filled((1, 3)) && filled((2, 3)), "what fills in is there");
        assert!(!filled((1, 4)), "zeros are left out");
        let entries = structure
            .iter()
            .map(|(row, column)| dense.entries[row * n + column]);
        let entries: Vec<f64> = entries.collect();
        let factors = FactorsOf::new(&structure, &entries, dense.reciprocals);
        let right: Vec<f64> = (0..n).map(|at| 1.0 - 0.3 * at as f64).collect();
        let (mut sparse, mut expected) = (right.clone(), right);
        factors.solve(&mut sparse);
        matrix.solve(&mut expected);
        assert_eq!(sparse, expected);
    }

    #[test]
    fn many_unknowns_have_no_dense_factors() {
        let rows: Vec<[usize; 1]> = (0..=FEW).map(|row| [row]).collect();
        let pattern = Pattern::from_rows(&rows);
        assert!(FactorsOf::<f64>::structure(&pattern, FEW + 1).is_none());
    }
}
