//! The linear systems of implicit stages: entries in, factors, solution out.
//!
//! Few unknowns, and those that are coupled with most others, are factored as a dense matrix; many that are
//! coupled sparsely have sparse factors, whose order of elimination and structure are found once per structure.
//!
//! With sparse factors a step of a chain of 1000 masses takes a fortieth of the time. Along slides the Jacobian comes
//! from differences and is dense.

mod dense;
mod factors;
mod krylov;
mod sparse;
mod work;

use self::dense::Lu;
pub use self::factors::SparseFactors;
use self::krylov::Krylov;
pub(super) use self::krylov::Wanted;
use self::sparse::Sparse;
pub use self::work::{LinearWay, LinearWork};
use super::compiled::DenseFactors;
use super::step::Linearisation;
use super::system::{Pattern, System};

/// No pivot other than zero (or one that is not finite) was left in some column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Singular;

/// A square matrix of known structure and, after [`Matrix::factor`], its LU factors.
#[derive(Clone, Debug)]
pub(super) enum Matrix {
    Dense(Lu),
    Sparse(Box<Sparse>),
}

impl Default for Matrix {
    fn default() -> Self {
        Self::Dense(Lu::default())
    }
}

/// Most entries of a Jacobian, or of a matrix made of it: a gigabyte.
const ROOM: usize = 1 << 27;

/// True if there is room for a matrix with so many entries for each of a system's Jacobian.
pub(super) fn has_room_for<S: System>(system: &mut S, times: usize) -> bool {
    let (n, room) = (system.dim(), ROOM / times);
    n.saturating_mul(n) <= room
        || system
            .pattern()
            .is_some_and(|pattern| pattern.len() <= room)
}

/// Up to so many unknowns the dense factors are as fast.
pub(crate) const FEW: usize = 64;
/// Solutions with the same factors that estimates of the work count.
const SOLUTIONS: f64 = 20.0;
/// A pattern with a larger part of all entries is no sparse one.
const SPARSE: f64 = 0.1;

/// True if sparse factors of matrices with this structure are worth their indices.
fn is_sparse(n: usize, pattern: &Pattern) -> bool {
    n > FEW && (pattern.len() as f64) < SPARSE * (n * n) as f64
}

impl Matrix {
    /// Room for matrices of n rows in which only the entries of a pattern differ from zero.
    pub(super) fn fit(&mut self, n: usize, pattern: Option<&Pattern>) {
        match (pattern.filter(|pattern| is_sparse(n, pattern)), &mut *self) {
            (Some(pattern), _) => *self = Self::Sparse(Box::new(Sparse::new(pattern))),
            (None, Self::Dense(lu)) => lu.resize(n),
            (None, Self::Sparse(_)) => {
                let mut lu = Lu::default();
                lu.resize(n);
                *self = Self::Dense(lu);
            }
        }
    }

    /// Exchanges rows of dense matrices only where they have to be.
    pub(super) fn keep_order(&mut self) {
        if let Self::Dense(lu) = self {
            lu.keep_order();
        }
    }

    /// Sets all entries to zero.
    pub(super) fn clear(&mut self) {
        match self {
            Self::Dense(lu) => lu.entries_mut().fill(0.0),
            Self::Sparse(sparse) => sparse.clear(),
        }
    }

    /// Adds to an entry, which is one of the pattern or on the diagonal.
    #[inline]
    pub(super) fn add(&mut self, row: usize, column: usize, value: f64) {
        match self {
            Self::Dense(lu) => lu.add(row, column, value),
            Self::Sparse(sparse) => sparse.add(row, column, value),
        }
    }

    /// Becomes a shift less a Jacobian, and finds its factors.
    pub(super) fn factor_shifted(
        &mut self,
        shift: impl Into<Shift>,
        jacobian: &Linearisation,
    ) -> Result<(), Singular> {
        let shift = shift.into();
        if let (Self::Sparse(sparse), Some(_)) = (&mut *self, &jacobian.pattern) {
            sparse.set_shifted(shift.value, &jacobian.jacobian);
            return sparse.factor();
        }
        self.clear();
        for row in 0..jacobian.df_dt.len() {
            for (column, value) in jacobian.row(row) {
                self.add(row, column, -value);
            }
            if row < shift.differential {
                self.add(row, row, shift.value);
            }
        }
        self.factor()
    }

    /// Finds the factors, which may take the place of the entries.
    pub(super) fn factor(&mut self) -> Result<(), Singular> {
        match self {
            Self::Dense(lu) => lu.factor(),
            Self::Sparse(sparse) => sparse.factor(),
        }
    }

    /// Dense factors, if no rows were exchanged.
    #[inline]
    pub(super) fn in_order(&self) -> Option<DenseFactors<'_>> {
        match self {
            Self::Dense(lu) => lu.in_order(),
            Self::Sparse(_) => None,
        }
    }

    /// Replaces the right-hand side by the solution.
    #[inline]
    pub(super) fn solve(&mut self, b: &mut [f64]) {
        match self {
            Self::Dense(lu) => lu.solve(b),
            Self::Sparse(sparse) => sparse.solve(b),
        }
    }
}

/// The linear systems of Newton's method, whose solutions need not be exact.
#[derive(Clone, Debug)]
pub(super) enum NewtonMatrix {
    /// By factors.
    Factored(Matrix),
    /// By iteration, where that is less work.
    Iterated(Box<Krylov>),
    /// By sparse factors of a matrix whose rows have no common size, as those of residuals and rates.
    Scaled(Box<SparseFactors>),
}

/// The part of a system's Jacobian to which a shift is added: the diagonal of all components but the algebraic ones, which are
/// the last.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shift {
    pub(super) value: f64,
    /// Number of components that are not algebraic.
    pub(super) differential: usize,
}

impl From<f64> for Shift {
    /// Of the whole diagonal.
    fn from(value: f64) -> Self {
        Self {
            value,
            differential: usize::MAX,
        }
    }
}

impl Default for NewtonMatrix {
    fn default() -> Self {
        Self::Factored(Matrix::default())
    }
}

impl NewtonMatrix {
    /// Room as of [`Matrix::fit`], for a system that may have algebraic components.
    pub(super) fn fit(&mut self, n: usize, n_algebraic: usize, pattern: Option<&Pattern>) {
        let sparse = pattern.filter(|pattern| n_algebraic > 0 && is_sparse(n, pattern));
        let iterated = pattern.filter(|_| n_algebraic == 0);
        *self = match (sparse, iterated.and_then(Krylov::for_less_work)) {
            (Some(pattern), _) => Self::Scaled(Box::new(SparseFactors::new(pattern))),
            (None, Some(krylov)) => Self::Iterated(krylov.into()),
            (None, None) => {
                let mut matrix = Matrix::default();
                matrix.fit(n, pattern);
                Self::Factored(matrix)
            }
        }
    }

    /// Becomes a shift less a Jacobian, and finds factors, which may be incomplete.
    pub(super) fn factor_shifted(
        &mut self,
        shift: Shift,
        jacobian: &Linearisation,
    ) -> Result<(), Singular> {
        match self {
            Self::Factored(matrix) => matrix.factor_shifted(shift, jacobian),
            Self::Iterated(krylov) => {
                krylov.set_shifted(shift.value, &jacobian.jacobian);
                krylov.factor()
            }
            Self::Scaled(factors) => {
                let pattern = jacobian.pattern.as_deref().ok_or(Singular)?;
                let mut entries: Vec<f64> = jacobian.jacobian.iter().map(|value| -value).collect();
                for row in 0..shift.differential {
                    let own = pattern.row(row).find(|&(_, column)| column == row);
                    let (at, _) = own.expect("the pattern has the diagonal");
                    entries[at] += shift.value;
                }
                factors
                    .factor(pattern, &entries)
                    .map(|_| ())
                    .ok_or(Singular)
            }
        }
    }

    /// Replaces the right-hand side by the solution, as exact as is wanted.
    #[inline]
    pub(super) fn solve(&mut self, b: &mut [f64], wanted: &Wanted<'_>) {
        match self {
            Self::Factored(matrix) => matrix.solve(b),
            Self::Iterated(krylov) => krylov.solve(b, wanted),
            Self::Scaled(factors) => factors.solve(b),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Rows of a sparse matrix with a strong diagonal here and there, and a right-hand side.
    fn systems() -> impl Strategy<Value = (Vec<Vec<(usize, f64)>>, Vec<f64>)> {
        (2_usize..150).prop_flat_map(|n| {
            let row = prop::collection::vec((0..n, -10.0..10.0), 0..5);
            let b = prop::collection::vec(-5.0..5.0, n);
            (prop::collection::vec(row, n), b)
        })
    }

    fn solved(matrix: &mut Matrix, rows: &[Vec<(usize, f64)>], b: &[f64]) -> Option<Vec<f64>> {
        matrix.clear();
        for (row, entries) in rows.iter().enumerate() {
            matrix.add(row, row, 3.0);
            for &(column, value) in entries {
                matrix.add(row, column, value);
            }
        }
        matrix.factor().ok()?;
        let mut x = b.to_vec();
        matrix.solve(&mut x);
        Some(x)
    }

    proptest! {
        #[test]
        fn sparse_and_dense_solve_the_same_systems((rows, b) in systems()) {
            let n = rows.len();
            let columns: Vec<Vec<usize>> = rows
                .iter()
                .map(|entries| entries.iter().map(|&(column, _)| column).collect())
                .collect();
            let pattern = Pattern::from_rows(&columns);
            let mut dense = Matrix::default();
            dense.fit(n, None);
            let mut sparse = Matrix::Sparse(Box::new(Sparse::new(&pattern)));
            // Twice, as factors take the place of others.
            for factor in [1.0, 0.5] {
                let b: Vec<f64> = b.iter().map(|b| factor * b).collect();
                let found = [&mut dense, &mut sparse].map(|matrix| solved(matrix, &rows, &b));
                let [Some(a), Some(b_found)] = found else {
                    continue;
                };
                let size = a.iter().fold(1.0_f64, |size, x| size.max(x.abs()));
                // What is nearly singular has no common digits.
                if size > 1e6 {
                    continue;
                }
                for (x, y) in a.iter().zip(&b_found) {
                    prop_assert!((x - y).abs() <= 1e-9 * size * size, "{x} {y}");
                }
            }
        }
    }

    #[test]
    fn what_is_singular_has_no_finite_solution_sparse_as_well() {
        let n = 100;
        let rows: Vec<[usize; 1]> = (0..n).map(|row| [(row + 1) % n]).collect();
        let mut matrix = Matrix::default();
        matrix.fit(n, Some(&Pattern::from_rows(&rows)));
        assert!(matches!(matrix, Matrix::Sparse(_)));
        matrix.clear();
        let mut x = vec![1.0; n];
        if matrix.factor().is_ok() {
            matrix.solve(&mut x);
            assert!(!x.iter().all(|x| x.is_finite()));
        }
        for row in 0..n {
            matrix.add(row, (row + 1) % n, f64::NAN);
        }
        assert_eq!(matrix.factor(), Err(Singular));
    }
}
