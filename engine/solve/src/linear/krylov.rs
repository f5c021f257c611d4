//! Large sparse systems without factors of their size: GMRES, preconditioned by an incomplete factorisation (Y. Saad,
//! Iterative Methods for Sparse Linear Systems, 2003, 6.5 and 10.3).
//!
//! A right-hand side becomes a solution as exact as its reader asks for, in units of the tolerances. Where that is not
//! reached in a few dozen iterations the system is solved by sparse factors. Each solution begins at zero, so that it
//! follows from the matrix and the right-hand side alone: a resumed run has the same bits.

use super::sparse::Sparse;
use super::{SOLUTIONS, Singular};
use crate::system::Pattern;

/// Most iterations, and vectors that are kept.
const MOST: usize = 30;
/// A correction is found up to this part of it.
const LEFT: f64 = 1e-3;
/// A pivot of the incomplete factorisation is no smaller than this part of the diagonal that it comes from.
const PIVOT: f64 = 1e-3;

/// Iterations for each solution, where nothing has been measured.
const ITERATIONS: f64 = 8.0;
/// Fewer unknowns have sparse factors.
const FEW: usize = 1000;

/// A sparse square matrix by rows, with its incomplete factors.
#[derive(Clone, Debug)]
pub(crate) struct Krylov {
    pattern: Pattern,
    /// For each row the position of its first entry, and the number of entries at the end; columns ascend.
    starts: Vec<usize>,
    columns: Vec<usize>,
    values: Vec<f64>,
    /// For each entry of the pattern where it is among the values; the diagonal likewise.
    places: Vec<usize>,
    diagonal: Vec<usize>,
    /// L with a unit diagonal that is not stored, and U, where the matrix has entries.
    incomplete: Vec<f64>,
    /// True if the incomplete factorisation has no small pivot.
    is_sound: bool,
    /// Sparse factors of the same matrix, once they have been asked for.
    direct: Option<Box<Sparse>>,
    has_factors: bool,
    search: Search,
}

/// Room for the vectors of a search.
#[derive(Clone, Debug, Default)]
struct Search {
    /// An orthonormal basis of the Krylov space, vector after vector.
    basis: Vec<f64>,
    /// The Hessenberg matrix by columns, made triangular by rotations.
    triangle: Vec<f64>,
    rotations: Vec<(f64, f64)>,
    /// The rotated right-hand side; the last one is the residual's size.
    residual: Vec<f64>,
    scale: Vec<f64>,
    work: Vec<f64>,
}

/// How exact a solution is to be: sizes of its components that count alike, and an error in these units that is small.
pub(crate) struct Wanted<'a> {
    pub(crate) scale: &'a dyn Fn(usize) -> f64,
    pub(crate) enough: f64,
}

impl Krylov {
    /// Room for the entries of a pattern and the diagonal, if that takes less work than sparse factors.
    pub(super) fn for_less_work(pattern: &Pattern) -> Option<Self> {
        if pattern.dim() < FEW {
            return None;
        }
        (Self::work(pattern) < Sparse::work(pattern)?).then(|| Self::new(pattern))
    }

    /// Estimated work of solutions, in pairs of a multiplication and an addition.
    pub(super) fn work(pattern: &Pattern) -> f64 {
        let (n, entries) = (pattern.dim() as f64, pattern.len() as f64);
        SOLUTIONS * ITERATIONS * (4.0 * entries + ITERATIONS * n)
    }

    fn new(pattern: &Pattern) -> Self {
        let n = pattern.dim();
        let (mut starts, mut columns) = (vec![0], Vec::with_capacity(pattern.len() + n));
        let (mut places, mut diagonal) = (Vec::with_capacity(pattern.len()), Vec::with_capacity(n));
        for row in 0..n {
            let begin = columns.len();
            columns.extend(pattern.row(row).map(|(_, column)| column));
            let place = match columns[begin..].binary_search(&row) {
                Ok(place) => place,
                Err(place) => {
                    columns.insert(begin + place, row);
                    place
                }
            };
            diagonal.push(begin + place);
            let is_entry = |at: &usize| {
                columns[*at] != row || columns.len() - begin == pattern.row(row).count()
            };
            places.extend((begin..columns.len()).filter(is_entry));
            starts.push(columns.len());
        }
        Self {
            pattern: pattern.clone(),
            values: vec![0.0; columns.len()],
            incomplete: vec![0.0; columns.len()],
            is_sound: false,
            direct: None,
            has_factors: false,
            search: Search::default(),
            starts,
            columns,
            places,
            diagonal,
        }
    }

    /// Becomes a number times the unit matrix less the entries of its pattern.
    pub(super) fn set_shifted(&mut self, shift: f64, entries: &[f64]) {
        self.values.fill(0.0);
        for (&place, entry) in self.places.iter().zip(entries) {
            self.values[place] = -entry;
        }
        for &place in &self.diagonal {
            self.values[place] += shift;
        }
    }

    /// Finds the incomplete factors: those without entries where the matrix has none.
    ///
    /// # Errors
    ///
    /// Entries that are not finite; a singular matrix is found by [`Krylov::solve`].
    pub(super) fn factor(&mut self) -> Result<(), Singular> {
        self.has_factors = false;
        if !crate::step::all_finite(&self.values) {
            return Err(Singular);
        }
        self.incomplete.copy_from_slice(&self.values);
        self.is_sound = true;
        let n = self.diagonal.len();
        let (columns, values) = (&self.columns, &mut self.incomplete);
        // For each column where the row in work has it.
        let mut place = vec![usize::MAX; n];
        for row in 0..n {
            let entries = self.starts[row]..self.starts[row + 1];
            for at in entries.clone() {
                place[columns[at]] = at;
            }
            for at in entries.start..self.diagonal[row] {
                let above = columns[at];
                let weight = values[at] / values[self.diagonal[above]];
                values[at] = weight;
                for other in self.diagonal[above] + 1..self.starts[above + 1] {
                    let to = place[columns[other]];
                    if to != usize::MAX {
                        values[to] -= weight * values[other];
                    }
                }
            }
            for at in entries {
                place[columns[at]] = usize::MAX;
            }
            let at = self.diagonal[row];
            self.is_sound &= values[at].abs() >= PIVOT * self.values[at].abs() && values[at] != 0.0;
        }
        Ok(())
    }

    /// Replaces the right-hand side by the solution; what is singular gives no numbers.
    pub(super) fn solve(&mut self, b: &mut [f64], wanted: &Wanted<'_>) {
        if self.is_sound && self.search(b, wanted) {
            return;
        }
        let direct = self
            .direct
            .get_or_insert_with(|| Sparse::new(&self.pattern).into());
        if !std::mem::replace(&mut self.has_factors, true) {
            direct.clear();
            for row in 0..self.diagonal.len() {
                for at in self.starts[row]..self.starts[row + 1] {
                    direct.add(row, self.columns[at], self.values[at]);
                }
            }
            self.has_factors = direct.factor().is_ok();
        }
        match self.has_factors {
            true => direct.solve(b),
            false => b.fill(f64::NAN),
        }
    }

    /// GMRES, preconditioned from the left, in units of the scales; false if it does not converge. The right-hand side
    /// is replaced if it does.
    fn search(&mut self, b: &mut [f64], wanted: &Wanted<'_>) -> bool {
        let n = b.len();
        let mut search = std::mem::take(&mut self.search);
        let Search {
            basis,
            triangle,
            rotations,
            residual,
            scale,
            work,
        } = &mut search;
        basis.resize((MOST + 1) * n, 0.0);
        triangle.resize(MOST * (MOST + 1), 0.0);
        rotations.resize(MOST, (0.0, 0.0));
        residual.resize(MOST + 1, 0.0);
        work.resize(n, 0.0);
        scale.clear();
        scale.extend((0..n).map(wanted.scale));
        work.copy_from_slice(b);
        self.precondition(work);
        for (i, (first, work)) in basis.iter_mut().zip(&*work).enumerate() {
            *first = work / scale[i];
        }
        let size = norm(&basis[..n]);
        if size == 0.0 {
            self.search = search;
            return true;
        }
        let enough = (LEFT * size).max(wanted.enough);
        basis[..n].iter_mut().for_each(|v| *v /= size);
        residual[0] = size;
        let (mut used, mut converged) = (0, false);
        while !converged && used < MOST && size.is_finite() {
            let (known, next) = basis.split_at_mut((used + 1) * n);
            let (last, next) = (&known[used * n..], &mut next[..n]);
            for (i, (work, v)) in work.iter_mut().zip(last).enumerate() {
                *work = v * scale[i];
            }
            self.apply(work, next);
            self.precondition(next);
            for (v, scale) in next.iter_mut().zip(&*scale) {
                *v /= scale;
            }
            let column = &mut triangle[used * (MOST + 1)..][..used + 2];
            for (weight, v) in column.iter_mut().zip(known.chunks_exact(n)) {
                *weight = dot(v, next);
                for (next, v) in next.iter_mut().zip(v) {
                    *next -= *weight * v;
                }
            }
            let left = norm(next);
            if left > 0.0 {
                next.iter_mut().for_each(|v| *v /= left);
            }
            for (at, (c, s)) in rotations[..used].iter().enumerate() {
                let [a, b] = [column[at], column[at + 1]];
                (column[at], column[at + 1]) = (c * a + s * b, c * b - s * a);
            }
            let length = column[used].hypot(left);
            let (c, s) = match length > 0.0 {
                true => (column[used] / length, left / length),
                false => (1.0, 0.0),
            };
            (rotations[used], column[used], column[used + 1]) = ((c, s), length, 0.0);
            (residual[used], residual[used + 1]) = (c * residual[used], -s * residual[used]);
            used += 1;
            converged = residual[used].abs() <= enough;
            if length == 0.0 || !length.is_finite() || left == 0.0 && !converged {
                break;
            }
        }
        if converged {
            for row in (0..used).rev() {
                let mut weight = residual[row];
                for column in row + 1..used {
                    weight -= triangle[column * (MOST + 1) + row] * residual[column];
                }
                residual[row] = weight / triangle[row * (MOST + 1) + row];
            }
            b.fill(0.0);
            for (weight, v) in residual[..used].iter().zip(basis.chunks_exact(n)) {
                for (b, v) in b.iter_mut().zip(v) {
                    *b += weight * v;
                }
            }
            for (b, scale) in b.iter_mut().zip(&*scale) {
                *b *= scale;
            }
        }
        self.search = search;
        converged
    }

    /// The product with the matrix.
    fn apply(&self, x: &[f64], into: &mut [f64]) {
        for (row, into) in into.iter_mut().enumerate() {
            let entries = self.starts[row]..self.starts[row + 1];
            let entries = self.columns[entries.clone()]
                .iter()
                .zip(&self.values[entries]);
            *into = entries.map(|(&column, value)| value * x[column]).sum();
        }
    }

    /// Solves with the incomplete factors.
    fn precondition(&self, x: &mut [f64]) {
        let n = x.len();
        let entries = |range: std::ops::Range<usize>| {
            self.columns[range.clone()]
                .iter()
                .zip(&self.incomplete[range])
        };
        for row in 0..n {
            let before = entries(self.starts[row]..self.diagonal[row]);
            let known: f64 = before.map(|(&column, value)| value * x[column]).sum();
            x[row] -= known;
        }
        for row in (0..n).rev() {
            let behind = entries(self.diagonal[row] + 1..self.starts[row + 1]);
            let known: f64 = behind.map(|(&column, value)| value * x[column]).sum();
            x[row] = (x[row] - known) / self.incomplete[self.diagonal[row]];
        }
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The heat equation on a square of `side` cells a side, and a reaction of two species in each.
    fn grid(side: usize) -> (Pattern, Vec<f64>) {
        let n = 2 * side * side;
        let mut rows: Vec<Vec<usize>> = Vec::with_capacity(n);
        let mut entries = Vec::new();
        for row in 0..n {
            let (cell, species) = (row % (side * side), row / (side * side));
            let (i, j) = (cell / side, cell % side);
            let mut row_of: Vec<(usize, f64)> =
                vec![(row, -4.0), ((row + side * side) % n, 0.3 + species as f64)];
            for (di, dj) in [(0, 1), (1, 0), (0, side - 1), (side - 1, 0)] {
                let (i, j) = ((i + di) % side, (j + dj) % side);
                row_of.push((species * side * side + i * side + j, 1.0));
            }
            row_of.sort_unstable_by_key(|one| one.0);
            entries.extend(row_of.iter().map(|one| one.1));
            rows.push(row_of.iter().map(|one| one.0).collect());
        }
        (Pattern::from_rows(&rows), entries)
    }

    fn solved(shift: f64, scale: impl Fn(usize) -> f64) -> (Vec<f64>, Vec<f64>, bool) {
        let (pattern, entries) = grid(30);
        let mut krylov = Krylov::new(&pattern);
        krylov.set_shifted(shift, &entries);
        krylov.factor().unwrap();
        let b: Vec<f64> = (0..pattern.dim())
            .map(|i| scale(i) * (i as f64 * 0.7).sin())
            .collect();
        let (mut found, mut exact) = (b.clone(), b);
        krylov.solve(
            &mut found,
            &Wanted {
                scale: &scale,
                enough: 0.0,
            },
        );
        let mut sparse = Sparse::new(&pattern);
        sparse.set_shifted(shift, &entries);
        sparse.factor().unwrap();
        sparse.solve(&mut exact);
        (found, exact, krylov.direct.is_some())
    }

    #[test]
    fn solutions_are_as_exact_as_is_asked_for() {
        for shift in [0.5, 5.0, 50.0] {
            let scale = |i: usize| if i < 900 { 1e-6 } else { 1e4 };
            let (found, exact, by_factors) = solved(shift, scale);
            assert!(!by_factors);
            let size = |of: &[f64]| {
                of.iter()
                    .enumerate()
                    .map(|(i, x)| (x / scale(i)).abs())
                    .fold(0.0, f64::max)
            };
            let off: Vec<f64> = found.iter().zip(&exact).map(|(a, b)| a - b).collect();
            assert!(
                size(&off) < 0.01 * size(&exact),
                "{shift}: {} of {}",
                size(&off),
                size(&exact)
            );
        }
    }

    #[test]
    fn what_has_no_pivots_is_solved_by_factors() {
        let (found, exact, by_factors) = solved(-4.0, |_| 1.0);
        assert!(by_factors);
        assert_eq!(found, exact);
    }

    #[test]
    fn large_grids_need_less_work_so() {
        assert!(Krylov::for_less_work(&grid(10).0).is_none());
        assert!(Krylov::for_less_work(&grid(100).0).is_some());
    }

    /// Heat in a square whose borders are joined: u = 1 + e^(-r t) cos(2 pi i / SIDE), with r = 2 - 2 cos(2 pi / SIDE).
    struct Heat {
        pattern: std::sync::Arc<Pattern>,
        entries: Vec<f64>,
    }

    const SIDE: usize = 128;

    impl crate::System for Heat {
        fn dim(&self) -> usize {
            SIDE * SIDE
        }

        fn rhs(&mut self, _t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), crate::Refusal> {
            for (row, dy) in dy.iter_mut().enumerate() {
                *dy = self
                    .pattern
                    .row(row)
                    .map(|(at, column)| self.entries[at] * y[column])
                    .sum();
            }
            Ok(())
        }

        fn pattern(&mut self) -> Option<std::sync::Arc<Pattern>> {
            Some(self.pattern.clone())
        }
    }

    #[test]
    fn large_systems_are_integrated_without_their_factors() {
        let wave = std::f64::consts::TAU / SIDE as f64;
        let mut entries = Vec::new();
        let rows: Vec<Vec<usize>> = (0..SIDE * SIDE)
            .map(|row| {
                let (i, j) = (row / SIDE, row % SIDE);
                let others = [(0, 1), (1, 0), (0, SIDE - 1), (SIDE - 1, 0)];
                let others = others.map(|(di, dj)| ((i + di) % SIDE) * SIDE + (j + dj) % SIDE);
                let mut of: Vec<(usize, f64)> = others.map(|other| (other, 1.0)).into();
                of.push((row, -4.0));
                of.sort_unstable_by_key(|one| one.0);
                entries.extend(of.iter().map(|one| one.1));
                of.into_iter().map(|one| one.0).collect()
            })
            .collect();
        let pattern = std::sync::Arc::new(Pattern::from_rows(&rows));
        assert!(Krylov::for_less_work(&pattern).is_some());
        let mut system = Heat { pattern, entries };
        let settings = crate::Settings {
            method: crate::Method::Bdf,
            rtol: 1e-6,
            ..crate::Settings::default()
        };
        let mut stepper = crate::Stepper::new(settings).unwrap();
        let start: Vec<f64> = (0..SIDE * SIDE)
            .map(|row| 1.0 + ((row / SIDE) as f64 * wave).cos())
            .collect();
        stepper
            .enter(&mut system, 0.0, &start, &vec![1e-6; SIDE * SIDE])
            .unwrap();
        while stepper.t() < 300.0 {
            stepper.attempt(&mut system, 300.0).unwrap();
            stepper.accept();
        }
        let left = libm::exp(-(2.0 - 2.0 * wave.cos()) * 300.0);
        for (row, y) in stepper.y().iter().enumerate() {
            let exact = 1.0 + left * ((row / SIDE) as f64 * wave).cos();
            assert!((y - exact).abs() < 2e-5, "{row}: {y} for {exact}");
        }
        let stats = stepper.stats();
        assert!(
            stats.steps < 200 && stats.rejected_implicit == 0,
            "{stats:?}"
        );
    }
}
