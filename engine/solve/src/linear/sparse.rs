//! Sparse linear systems: LU factors by columns, in an order of elimination that keeps them sparse.
//!
//! The order is found once per structure (approximate minimum degree, by `amd`), and with it the structure of the
//! factors with pivots on the diagonal. Finding factors is then a pass over known places (Gilbert and Peierls 1988,
//! without the search). Where a pivot on the diagonal is too small beside its column, that matrix is factored with
//! exchanges of rows. Which of both happens follows from the matrix alone, so that a resumed run has the same bits; all
//! sums are in a fixed order.

use super::{SOLUTIONS, Singular};
use crate::step::all_finite;
use crate::system::Pattern;

/// A pivot on the diagonal is taken if it is not smaller than this part of the largest entry below it...
const DIAGONAL: f64 = 1e-3;
/// ...and where rows are exchanged, if it is not smaller than this part.
const EXCHANGED: f64 = 0.1;

/// No row, no pivot yet.
const NONE: usize = usize::MAX;

/// A sparse square matrix and its factors.
#[derive(Clone, Debug)]
pub(crate) struct Sparse {
    matrix: Columns,
    /// For each entry of the pattern, row after row, where it is among the values; the diagonal likewise.
    places: Vec<usize>,
    diagonal: Vec<usize>,
    /// The columns in the order of elimination.
    order: Vec<usize>,
    /// Factors with pivots on the diagonal, and those with exchanged rows if they are in use.
    usual: Factors,
    exchanged: Option<Factors>,
    work: Vec<f64>,
}

/// Entries by columns.
#[derive(Clone, Debug, Default)]
struct Columns {
    /// For each column the position of its first entry, and the number of entries at the end.
    starts: Vec<usize>,
    rows: Vec<usize>,
    values: Vec<f64>,
}

impl Columns {
    /// The entries of a pattern and the diagonal, all of them 0.
    fn of(pattern: &Pattern) -> Self {
        let n = pattern.dim();
        let mut columns: Vec<Vec<usize>> = (0..n).map(|column| vec![column]).collect();
        for row in 0..n {
            let others = pattern.row(row).filter(|&(_, column)| column != row);
            others.for_each(|(_, column)| columns[column].push(row));
        }
        let mut matrix = Columns::default();
        matrix.starts.push(0);
        for mut column in columns {
            column.sort_unstable();
            matrix.rows.extend(column);
            matrix.end_column();
        }
        matrix.values.resize(matrix.rows.len(), 0.0);
        matrix
    }

    fn entries(&self, column: usize) -> std::ops::Range<usize> {
        self.starts[column]..self.starts[column + 1]
    }

    fn end_column(&mut self) {
        self.starts.push(self.rows.len());
    }
}

/// Factors of a matrix whose rows and columns are ordered by their pivots: L with a unit diagonal that is not stored, U
/// without its diagonal.
#[derive(Clone, Debug, Default)]
struct Factors {
    lower: Columns,
    upper: Columns,
    /// Reciprocals of the diagonal of U.
    reciprocals: Vec<f64>,
    /// For each pivot its row in the matrix, and the other way round.
    rows: Vec<usize>,
    place: Vec<usize>,
}

impl Sparse {
    /// Estimated work of elimination with pivots on the diagonal, and of solutions, in pairs of a multiplication and an
    /// addition; `None` if no order of elimination is found.
    pub(super) fn work(pattern: &Pattern) -> Option<f64> {
        let (_, work) = order_of_elimination(&Columns::of(pattern));
        let work = work?;
        #[expect(clippy::cast_precision_loss, reason = "an estimate")]
        let [elimination, entries] =
            [work.n_mult_subs_lu, 2 * work.n_div].map(|count| count as f64);
        Some(elimination + SOLUTIONS * 2.0 * entries)
    }

    /// Room for the entries of a pattern and the diagonal.
    pub(super) fn new(pattern: &Pattern) -> Self {
        let n = pattern.dim();
        let matrix = Columns::of(pattern);
        let place = |row: usize, column: usize| {
            let entries = matrix.entries(column);
            let found = matrix.rows[entries.clone()].binary_search(&row);
            entries.start + found.expect("the entry is one of the pattern")
        };
        let mut places = Vec::with_capacity(pattern.len());
        for row in 0..n {
            places.extend(pattern.row(row).map(|(_, column)| place(row, column)));
        }
        let diagonal = (0..n).map(|row| place(row, row)).collect();
        let (order, _) = order_of_elimination(&matrix);
        let mut sparse = Self {
            usual: Factors::default(),
            exchanged: None,
            work: vec![0.0; n],
            matrix,
            places,
            diagonal,
            order,
        };
        sparse.usual = Elimination::of(&sparse, false).unwrap_or_default();
        sparse
    }

    pub(super) fn clear(&mut self) {
        self.matrix.values.fill(0.0);
    }

    pub(super) fn add(&mut self, row: usize, column: usize, value: f64) {
        let entries = self.matrix.entries(column);
        let found = self.matrix.rows[entries.clone()].binary_search(&row);
        let at = found.expect("the entry is one of the pattern");
        self.matrix.values[entries.start + at] += value;
    }

    /// Becomes a number times the unit matrix less the entries of its pattern.
    pub(super) fn set_shifted(&mut self, shift: f64, entries: &[f64]) {
        self.clear();
        let values = &mut self.matrix.values;
        for (&place, entry) in self.places.iter().zip(entries) {
            values[place] = -entry;
        }
        for &place in &self.diagonal {
            values[place] += shift;
        }
    }

    /// Takes the entries of its pattern.
    pub(super) fn set(&mut self, entries: &[f64]) {
        self.clear();
        for (&place, entry) in self.places.iter().zip(entries) {
            self.matrix.values[place] = *entry;
        }
    }

    /// The sign of the determinant of the matrix that was factored last; `None` if a pivot is smaller than `least`.
    pub(super) fn sign(&self, least: f64) -> Option<i8> {
        let factors = self.exchanged.as_ref().unwrap_or(&self.usual);
        let mut is_negative = is_odd(&factors.rows) ^ is_odd(&self.order);
        for reciprocal in &factors.reciprocals {
            // A pivot that is not finite has no such reciprocal either.
            if !(reciprocal.abs() * least < 1.0) || *reciprocal == 0.0 {
                return None;
            }
            is_negative ^= *reciprocal < 0.0;
        }
        Some(if is_negative { -1 } else { 1 })
    }

    /// Finds the factors.
    ///
    /// # Errors
    ///
    /// A matrix that is singular up to rounding only may pass; its solutions are then not
    /// finite, or large.
    pub(super) fn factor(&mut self) -> Result<(), Singular> {
        self.exchanged = None;
        if !all_finite(&self.matrix.values) {
            return Err(Singular);
        }
        if self.refactor() {
            return Ok(());
        }
        self.work.fill(0.0);
        self.exchanged = Some(Elimination::of(self, true)?);
        Ok(())
    }

    /// Finds the factors with pivots on the diagonal; false if one is too small.
    fn refactor(&mut self) -> bool {
        let Factors {
            lower,
            upper,
            reciprocals,
            place,
            ..
        } = &mut self.usual;
        let x = &mut self.work;
        for (pivot, &column) in self.order.iter().enumerate() {
            for at in self.matrix.entries(column) {
                x[place[self.matrix.rows[at]]] = self.matrix.values[at];
            }
            for at in upper.entries(pivot) {
                let row = upper.rows[at];
                let weight = std::mem::take(&mut x[row]);
                upper.values[at] = weight;
                let below = lower.entries(row);
                let entries = lower.rows[below.clone()].iter().zip(&lower.values[below]);
                for (&row, value) in entries {
                    x[row] -= value * weight;
                }
            }
            let diagonal = std::mem::take(&mut x[pivot]);
            let reciprocal = 1.0 / diagonal;
            let mut largest = 0.0_f64;
            for at in lower.entries(pivot) {
                let value = std::mem::take(&mut x[lower.rows[at]]);
                largest = largest.max(value.abs());
                lower.values[at] = value * reciprocal;
            }
            if !(diagonal.abs() >= DIAGONAL * largest && reciprocal.is_finite()) {
                return false;
            }
            reciprocals[pivot] = reciprocal;
        }
        true
    }

    pub(super) fn solve(&mut self, b: &mut [f64]) {
        let factors = self.exchanged.as_ref().unwrap_or(&self.usual);
        let Factors {
            lower,
            upper,
            reciprocals,
            rows,
            ..
        } = factors;
        let x = &mut self.work;
        for (x, &row) in x.iter_mut().zip(rows) {
            *x = b[row];
        }
        for pivot in 0..x.len() {
            let weight = x[pivot];
            let below = lower.entries(pivot);
            for (&row, value) in lower.rows[below.clone()].iter().zip(&lower.values[below]) {
                x[row] -= value * weight;
            }
        }
        for pivot in (0..x.len()).rev() {
            let weight = x[pivot] * reciprocals[pivot];
            x[pivot] = weight;
            let above = upper.entries(pivot);
            for (&row, value) in upper.rows[above.clone()].iter().zip(&upper.values[above]) {
                x[row] -= value * weight;
            }
        }
        for (&column, x) in self.order.iter().zip(x) {
            b[column] = std::mem::take(x);
        }
    }
}

/// True if a permutation is one of an odd number of exchanges.
fn is_odd(permutation: &[usize]) -> bool {
    let mut seen = vec![false; permutation.len()];
    let mut is_odd = false;
    for first in 0..permutation.len() {
        let mut at = first;
        // A cycle of n places is n - 1 exchanges.
        while !std::mem::replace(&mut seen[at], true) {
            at = permutation[at];
            is_odd ^= at != first;
        }
    }
    is_odd
}

/// Columns in an order in which elimination on the diagonal leaves few entries, and its work; as they are where none can
/// be found.
fn order_of_elimination(matrix: &Columns) -> (Vec<usize>, Option<amd::Info>) {
    let n = matrix.starts.len() - 1;
    match amd::order(n, &matrix.starts, &matrix.rows, &amd::Control::default()) {
        Ok((order, _, work)) => (order, Some(work)),
        Err(_) => ((0..n).collect(), None),
    }
}

/// The search for the structure of factors, column after column, while their rows have the numbers of the matrix.
struct Elimination<'a> {
    of: &'a Sparse,
    lower: Columns,
    upper: Columns,
    reciprocals: Vec<f64>,
    rows: Vec<usize>,
    /// For each row its pivot.
    place: Vec<usize>,
    /// The column in work, and the rows in which it can differ from zero: each after those that it depends on, from the
    /// end.
    x: Vec<f64>,
    reached: Vec<usize>,
    /// The last pivot whose search came to a row.
    seen: Vec<usize>,
    /// Rows on the way, with the next entry to look at.
    way: Vec<(usize, usize)>,
}

impl<'a> Elimination<'a> {
    /// The factors; with pivots on the diagonal, whatever they are, or with exchanged rows.
    fn of(sparse: &'a Sparse, exchanges: bool) -> Result<Factors, Singular> {
        let n = sparse.work.len();
        let mut search = Self {
            of: sparse,
            lower: Columns::default(),
            upper: Columns::default(),
            reciprocals: Vec::with_capacity(n),
            rows: Vec::with_capacity(n),
            place: vec![NONE; n],
            x: vec![0.0; n],
            reached: Vec::new(),
            seen: vec![NONE; n],
            way: Vec::new(),
        };
        search.lower.starts.push(0);
        search.upper.starts.push(0);
        for pivot in 0..n {
            search.column(pivot, exchanges)?;
        }
        // By the numbers of pivots from here on, in which ascending rows are in the order of what they depend on.
        let Self {
            mut lower,
            upper,
            reciprocals,
            rows,
            place,
            ..
        } = search;
        for row in &mut lower.rows {
            *row = place[*row];
        }
        Ok(Factors {
            lower: sorted(&lower),
            upper: sorted(&upper),
            reciprocals,
            rows,
            place,
        })
    }

    fn column(&mut self, pivot: usize, exchanges: bool) -> Result<(), Singular> {
        let column = self.of.order[pivot];
        let matrix = &self.of.matrix;
        self.reached.clear();
        for at in matrix.entries(column) {
            self.reach(matrix.rows[at], pivot);
        }
        for at in matrix.entries(column) {
            self.x[matrix.rows[at]] = matrix.values[at];
        }
        let (mut best, mut largest) = (NONE, 0.0_f64);
        for number in (0..self.reached.len()).rev() {
            let row = self.reached[number];
            let earlier = self.place[row];
            if earlier == NONE {
                continue;
            }
            let weight = self.x[row];
            self.upper.rows.push(earlier);
            self.upper.values.push(weight);
            for at in self.lower.entries(earlier) {
                self.x[self.lower.rows[at]] -= self.lower.values[at] * weight;
            }
        }
        self.upper.end_column();
        for &row in &self.reached {
            let size = self.x[row].abs();
            if self.place[row] == NONE && size > largest {
                (best, largest) = (row, size);
            }
        }
        let is_free = self.place[column] == NONE;
        if !exchanges || is_free && self.x[column].abs() >= EXCHANGED * largest && largest > 0.0 {
            best = column;
        }
        if best == NONE {
            return Err(Singular);
        }
        let reciprocal = 1.0 / self.x[best];
        self.place[best] = pivot;
        self.rows.push(best);
        self.reciprocals.push(reciprocal);
        for &row in &self.reached {
            let value = std::mem::take(&mut self.x[row]);
            if self.place[row] == NONE {
                self.lower.rows.push(row);
                self.lower.values.push(value * reciprocal);
            }
        }
        self.lower.end_column();
        Ok(())
    }

    /// Adds a row and all that follow from it to those that are reached.
    fn reach(&mut self, row: usize, pivot: usize) {
        if self.seen[row] == pivot {
            return;
        }
        self.seen[row] = pivot;
        self.way.push((row, 0));
        while let Some((row, next)) = self.way.pop() {
            let below = match self.place[row] {
                NONE => 0..0,
                earlier => self.lower.entries(earlier),
            };
            let unseen = below
                .clone()
                .skip(next)
                .find(|&at| self.seen[self.lower.rows[at]] != pivot);
            match unseen {
                Some(at) => {
                    let other = self.lower.rows[at];
                    self.seen[other] = pivot;
                    self.way.push((row, at + 1 - below.start));
                    self.way.push((other, 0));
                }
                None => self.reached.push(row),
            }
        }
    }
}

/// The same entries, those of each column by ascending rows.
fn sorted(columns: &Columns) -> Columns {
    let mut sorted = Columns::default();
    sorted.starts.push(0);
    let mut entries = Vec::new();
    for column in 0..columns.starts.len() - 1 {
        let range = columns.entries(column);
        entries.clear();
        entries.extend(range.map(|at| (columns.rows[at], columns.values[at])));
        entries.sort_unstable_by_key(|&(row, _)| row);
        sorted.rows.extend(entries.iter().map(|&(row, _)| row));
        sorted
            .values
            .extend(entries.iter().map(|&(_, value)| value));
        sorted.end_column();
    }
    sorted
}
