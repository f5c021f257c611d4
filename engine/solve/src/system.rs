//! System of equations that is integrated, seen from the methods: y' = f(t, y), or with algebraic components x' = f(t, x, z),
//! 0 = g(t, x, z).

use std::fmt;
use std::sync::Arc;

use super::compiled::CompiledStep;
use super::method::Method;

/// A system of ordinary differential equations, y' = f(t, y).
///
/// The methods know nothing else of a model. A system may refuse a point (a square root of a
/// negative number, the far side of a border that must not be crossed): the step is then tried
/// again shorter. Results that are not finite have the same effect. All functions must be pure: the
/// same point gives the same bits, so that a saved run continues exactly.
///
/// Shapes: `y`, `dy`, `df_dt` have one entry per component ([`System::dim`]); the Jacobian's values
/// stand in the order of [`System::pattern`].
pub trait System {
    /// Number of components. Constant between two restarts of the stepper.
    fn dim(&self) -> usize;

    /// Number of algebraic components, the last ones: their entries of [`System::rhs`] are residuals g(t, y) that vanish on
    /// solutions. The derivatives of these residuals by these components are a regular matrix (index 1). Only `bdf`
    /// integrates them; constant between two restarts of the stepper.
    #[inline]
    fn n_algebraic(&self) -> usize {
        0
    }

    /// Writes the time derivatives of algebraic components along the motion; only called if there are any, where a motion
    /// starts.
    ///
    /// Shapes: `dy`: the rates of the others, and residuals in whose place they are written.
    ///
    /// # Errors
    ///
    /// [`Refusal`] if there are none at this point.
    fn algebraic_rates(&mut self, _t: f64, _y: &[f64], _dy: &mut [f64]) -> Result<(), Refusal> {
        Ok(())
    }

    /// Evaluates f(t, y) into `dy`.
    ///
    /// # Errors
    ///
    /// [`Refusal`] if there is no value at this point.
    fn rhs(&mut self, t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), Refusal>;

    /// Entries of the Jacobian that can differ from zero; `None` stands for all of them. Constant
    /// between two restarts of the stepper. Only implicit methods ask, when they first need it. Beside algebraic components
    /// it has the diagonal of all others.
    #[inline]
    fn pattern(&mut self) -> Option<Arc<Pattern>> {
        None
    }

    /// Evaluates the Jacobian df/dy and the time derivative df/dt at one point.
    ///
    /// Shapes: `jacobian`: one value per entry of the pattern, or `dim * dim` values row by row if
    ///         there is no pattern. `df_dt`: `dim`.
    /// Result: [`Derivatives::Unknown`] if the system cannot tell; the solver then takes
    ///         differences of `rhs`, which costs `dim + 1` evaluations and half of the digits.
    ///
    /// # Errors
    ///
    /// [`Refusal`] as in [`System::rhs`].
    #[inline]
    fn linearise(
        &mut self,
        _t: f64,
        _y: &[f64],
        _jacobian: &mut [f64],
        _df_dt: &mut [f64],
    ) -> Result<Derivatives, Refusal> {
        Ok(Derivatives::Unknown)
    }

    /// True if slopes of the rates may be infinite, where roots begin: they are looked at closely then. Constant between two
    /// restarts of the stepper.
    #[inline]
    fn has_roots(&mut self) -> bool {
        false
    }

    /// True if the system knows the Taylor series of its solutions; `affine`: only if its rates are affine, so
    /// that a series that ends is the solution. Constant between two restarts of the stepper.
    #[inline]
    fn has_series(&mut self, _affine: bool) -> bool {
        false
    }

    /// Writes the Taylor coefficients of the solution through a point, in powers of time, from the second order
    /// on; only called if there are any.
    ///
    /// Shapes: `t`: the time of the point; `coefficients`: for each order up to `last` (12 at most) one per component; those of orders 0 and 1, the
    ///         state and the rates, are there.
    /// Result: the highest order with a coefficient that is not 0, at least 1.
    #[inline]
    fn series(&mut self, _t: f64, _last: usize, _coefficients: &mut [f64]) -> usize {
        1
    }

    /// Code that does whole trials of a method, with the bits that they would have with
    /// [`System::rhs`]; `None` if there is none.
    #[inline]
    fn compiled(&mut self, _method: Method) -> Option<&mut dyn CompiledStep> {
        None
    }
}

/// Result of [`System::linearise`]: whether it wrote anything.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Derivatives {
    /// Both were written and are exact.
    Exact,
    /// The system has none.
    Unknown,
}

/// Why a point has no right-hand side.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// The point lies outside of where the system is defined, or beyond a border that it must not
    /// cross. A shorter step may stay inside.
    Outside,
    /// Going on is pointless (interrupted, a budget is used up): the attempt ends at once.
    Stop,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Outside => "the point lies outside of the system's domain",
            Self::Stop => "the system asked to stop",
        })
    }
}

impl std::error::Error for Refusal {}

/// The sparsity of a Jacobian: for each row the columns of its entries, ascending.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Pattern {
    /// For each row the position of its first entry, and the number of entries at the end.
    starts: Vec<u32>,
    /// Columns of the entries, row after row.
    columns: Vec<u32>,
}

impl Pattern {
    /// A pattern from the columns of every row, in any order and possibly repeated.
    ///
    /// # Panics
    /// If a column is not below the number of rows: Jacobians are square.
    pub fn from_rows<R: AsRef<[usize]>>(rows: &[R]) -> Self {
        let mut pattern = Self {
            starts: vec![0],
            columns: Vec::new(),
        };
        for row in rows {
            let mut columns = row.as_ref().to_vec();
            columns.sort_unstable();
            columns.dedup();
            for column in columns {
                assert!(
                    column < rows.len(),
                    "column {column} of a Jacobian of {} rows",
                    rows.len()
                );
                pattern.columns.push(column as u32);
            }
            pattern.starts.push(pattern.columns.len() as u32);
        }
        pattern
    }

    /// Number of rows (and columns).
    #[inline]
    pub fn dim(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Number of entries: the length of the values.
    #[inline]
    pub fn len(&self) -> usize {
        self.columns.len()
    }

    /// True if no entry can differ from zero.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.columns.is_empty()
    }

    /// Positions of the values of one row, with their columns.
    pub fn row(&self, row: usize) -> impl Iterator<Item = (usize, usize)> + '_ {
        let (first, end) = (self.starts[row] as usize, self.starts[row + 1] as usize);
        (first..end).zip(
            self.columns[first..end]
                .iter()
                .map(|&column| column as usize),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::Pattern;

    #[test]
    fn pattern_sorts_the_columns_of_a_row_and_keeps_one_of_each() {
        let pattern = Pattern::from_rows(&[vec![2, 0, 2], vec![], vec![1]]);
        let rows: Vec<Vec<_>> = (0..pattern.dim())
            .map(|row| pattern.row(row).collect())
            .collect();
        assert_eq!(rows, [vec![(0, 0), (1, 2)], vec![], vec![(2, 1)]]);
        assert_eq!(pattern.len(), 3);
    }
}
