//! Sparse linear systems: LU factors by `faer`, on the calling thread.
//!
//! `faer` uses the widest vector instructions there are and adds in the order that they ask for: here,
//! and only here, the last digits may differ between machines. It allocates in every factorisation.

use faer::linalg::solvers::SolveCore;
use faer::sparse::linalg::solvers::{Lu, SymbolicLu};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use faer::{Conj, MatMut};

use super::Singular;
use crate::step::all_finite;
use crate::system::Pattern;

/// A sparse square matrix and its factors.
#[derive(Clone, Debug)]
pub(crate) struct Sparse {
    /// For each column the position of its first entry, and the number of entries at the end.
    starts: Vec<usize>,
    /// Rows of the entries, column after column, ascending.
    rows: Vec<usize>,
    values: Vec<f64>,
    /// The order of elimination; `None` if the structure is singular.
    order: Option<SymbolicLu<usize>>,
    factors: Option<Lu<usize, f64>>,
}

impl Sparse {
    /// Room for the entries of a pattern and the diagonal.
    pub(super) fn new(pattern: &Pattern) -> Self {
        let n = pattern.dim();
        let mut columns: Vec<Vec<usize>> = (0..n).map(|column| vec![column]).collect();
        for row in 0..n {
            let others = pattern.row(row).filter(|&(_, column)| column != row);
            others.for_each(|(_, column)| columns[column].push(row));
        }
        let mut starts = vec![0];
        let mut rows = Vec::new();
        for mut column in columns {
            column.sort_unstable();
            rows.extend(column);
            starts.push(rows.len());
        }
        let structure = SymbolicSparseColMatRef::new_checked(n, n, &starts, None, &rows);
        Self {
            order: SymbolicLu::try_new(structure).ok(),
            factors: None,
            values: vec![0.0; rows.len()],
            starts,
            rows,
        }
    }

    pub(super) fn clear(&mut self) {
        self.values.fill(0.0);
    }

    pub(super) fn add(&mut self, row: usize, column: usize, value: f64) {
        let entries = self.starts[column]..self.starts[column + 1];
        let found = self.rows[entries.clone()].binary_search(&row);
        let at = found.expect("the entry is one of the pattern");
        self.values[entries.start + at] += value;
    }

    ///
    /// # Errors
    ///
    /// A matrix that is singular up to rounding only may pass; its solutions are then not
    /// finite, or large.
    pub(super) fn factor(&mut self) -> Result<(), Singular> {
        self.factors = None;
        let order = self.order.clone().ok_or(Singular)?;
        if !all_finite(&self.values) {
            return Err(Singular);
        }
        let n = self.starts.len() - 1;
        let structure = SymbolicSparseColMatRef::new_checked(n, n, &self.starts, None, &self.rows);
        let matrix = SparseColMatRef::new(structure, &self.values);
        let factors = Lu::try_new_with_symbolic(order, matrix).map_err(|_| Singular)?;
        self.factors = Some(factors);
        Ok(())
    }

    pub(super) fn solve(&self, b: &mut [f64]) {
        let n = b.len();
        let factors = self.factors.as_ref().expect("the matrix was factored");
        factors.solve_in_place_with_conj(Conj::No, MatMut::from_column_major_slice_mut(b, n, 1));
    }
}
