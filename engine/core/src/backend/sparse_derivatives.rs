//! Results that are computed from unknowns -> their derivatives by these, of which most are zero, in few passes.
//!
//! Columns of which no two have an entry in the same row are found in one pass. Source: A. R. Curtis, M. J. D. Powell, J. K.
//! Reid, Journal of the Institute of Mathematics and its Applications 13 (1974) 117.

use std::rc::Rc;

use situ_solve::{Pattern, SparseFactors};

use super::value::Jet;
use crate::tape::{Op, Shape, Slot};

/// So many unknowns are solved for with a dense matrix.
pub(crate) const FEW: usize = 19;

/// A pattern with a larger part of all entries is no sparse one.
const SPARSE: f64 = 0.25;

/// The structure of the derivatives of results by many unknowns.
#[derive(Clone, Debug)]
pub(crate) struct SparseDerivatives {
    pattern: Pattern,
    groups: Vec<Group>,
    /// Of each entry of the pattern its column.
    columns: Vec<usize>,
    unknowns: Vec<Slot>,
    results: Vec<Slot>,
    /// Room for factors, with an order of elimination.
    factors: SparseFactors,
}

impl SparseDerivatives {
    /// `None` where the unknowns are few, or most results read most of them.
    ///
    /// Shapes: `unknowns`, `results`: slots, as many of each; `on_diagonal`: results whose own unknown counts as read.
    pub(crate) fn of(
        ops: &[Op],
        unknowns: impl ExactSizeIterator<Item = Slot>,
        results: &[Slot],
        on_diagonal: std::ops::Range<usize>,
    ) -> Option<Self> {
        let n = unknowns.len();
        if n <= FEW {
            return None;
        }
        let unknowns: Vec<Slot> = unknowns.collect();
        let slots = ops.iter().flat_map(|op| [op.a, op.b, op.out]);
        let slots = slots.chain(unknowns.iter().chain(results).map(|slot| slot.0));
        let mut dependence = Dependence::new(slots.max().map_or(0, |most| most as usize + 1));
        for (number, slot) in unknowns.iter().enumerate() {
            dependence.sets[slot.index()] = Some(Rc::new(vec![number]));
        }
        dependence.follow(ops);
        let rows = results.iter().enumerate().map(|(row, slot)| {
            let read = dependence.sets[slot.index()].as_deref();
            let mut columns = read.cloned().unwrap_or_default();
            columns.extend(on_diagonal.contains(&row).then_some(row));
            columns
        });
        let rows: Vec<Vec<usize>> = rows.collect();
        let entries: usize = rows.iter().map(Vec::len).sum();
        #[expect(clippy::cast_precision_loss, reason = "a share")]
        let is_sparse = entries as f64 <= SPARSE * (n * n) as f64;
        is_sparse.then(|| {
            let pattern = Pattern::from_rows(&rows);
            let all = (0..n).flat_map(|row| pattern.row(row));
            Self {
                columns: all.map(|(_, column)| column).collect(),
                groups: groups(&pattern),
                factors: SparseFactors::new(&pattern),
                pattern,
                unknowns,
                results: results.to_vec(),
            }
        })
    }

    /// Finds the slopes of the results, a group of unknowns after the other.
    ///
    /// Shapes: `duals`: values of all slots, without slopes; `entries`: one per entry of the pattern. `entry`: what stands in
    /// the matrix for a slope in a row and column. `run`: the operations.
    pub(crate) fn fill(
        &self,
        duals: &mut [Jet<2>],
        entries: &mut Vec<f64>,
        entry: impl Fn(usize, usize, f64) -> f64,
        mut run: impl FnMut(&mut [Jet<2>]),
    ) {
        entries.clear();
        entries.resize(self.pattern.len(), 0.0);
        for group in &self.groups {
            let tangent = |slope: f64, duals: &mut [Jet<2>]| {
                for &column in &group.columns {
                    duals[self.unknowns[column].index()].0[1] = slope;
                }
            };
            tangent(1.0, duals);
            run(duals);
            for &(at, row) in &group.entries {
                let slope = duals[self.results[row].index()].0[1];
                entries[at] = entry(row, self.columns[at], slope);
            }
            tangent(0.0, duals);
        }
    }

    /// Factors of a matrix with such entries, and the sign of its determinant; `None` if it is singular up to rounding.
    pub(crate) fn factored(&self, entries: &[f64]) -> Option<(SparseFactors, i8)> {
        let mut factors = self.factors.clone();
        let sign = factors.factor(&self.pattern, entries)?;
        Some((factors, sign))
    }
}

/// Columns that are computed together.
#[derive(Clone, Debug, Default)]
pub(crate) struct Group {
    pub(crate) columns: Vec<usize>,
    /// Their entries: position in the pattern, row.
    pub(crate) entries: Vec<(usize, usize)>,
}

/// Per slot what it depends on: numbers that its user has given out, ascending.
pub(crate) struct Dependence {
    pub(crate) sets: Vec<Set>,
}

pub(crate) type Set = Option<Rc<Vec<usize>>>;

impl Dependence {
    /// Nothing depends on anything yet.
    pub(crate) fn new(n_slots: usize) -> Self {
        Self {
            sets: vec![None; n_slots],
        }
    }

    /// The same after some operations on reals.
    pub(crate) fn follow(&mut self, ops: &[Op]) {
        for op in ops {
            let [a, b, out] = [op.a, op.b, op.out].map(|slot| slot as usize);
            let set = match op.code.shape() {
                Shape::Unary => self.sets[a].clone(),
                Shape::Binary => union(&self.sets[a], &self.sets[b]),
                Shape::Update => union(&union(&self.sets[a], &self.sets[b]), &self.sets[out]),
                _ => unreachable!("modes compute reals only"),
            };
            self.sets[out] = set;
        }
    }
}

/// What two slots depend on.
pub(crate) fn union(a: &Set, b: &Set) -> Set {
    let (Some(a), Some(b)) = (a, b) else {
        return a.clone().or_else(|| b.clone());
    };
    if Rc::ptr_eq(a, b) {
        return Some(a.clone());
    }
    let mut both = Vec::with_capacity(a.len() + b.len());
    let (mut left, mut right) = (a.iter().peekable(), b.iter().peekable());
    while let (Some(&&x), Some(&&y)) = (left.peek(), right.peek()) {
        both.push(x.min(y));
        left.next_if(|_| x <= y);
        right.next_if(|_| y <= x);
    }
    both.extend(left);
    both.extend(right);
    Some(match both.len() {
        len if len == a.len() => a.clone(),
        len if len == b.len() => b.clone(),
        _ => Rc::new(both),
    })
}

/// Gives each column the first group in which no column shares a row with it.
pub(crate) fn groups(pattern: &Pattern) -> Vec<Group> {
    let n = pattern.dim();
    let mut entries: Vec<Vec<(usize, usize)>> = vec![Vec::new(); n];
    for row in 0..n {
        for (at, column) in pattern.row(row) {
            entries[column].push((at, row));
        }
    }
    let mut groups: Vec<Group> = Vec::new();
    let mut group_of: Vec<Option<usize>> = vec![None; n];
    // Per group the last column that could not join it.
    let mut barred: Vec<usize> = Vec::new();
    for (column, entries) in entries.into_iter().enumerate() {
        for &(_, row) in &entries {
            let others = pattern.row(row).filter_map(|(_, other)| group_of[other]);
            others.for_each(|group| barred[group] = column);
        }
        let free = barred.iter().position(|&last| last != column);
        let group = free.unwrap_or(groups.len());
        if group == groups.len() {
            groups.push(Group::default());
            barred.push(n);
        }
        group_of[column] = Some(group);
        groups[group].columns.push(column);
        groups[group].entries.extend(entries);
    }
    groups
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn unions_are_sorted_and_shared() {
        let set = |items: &[usize]| Some(Rc::new(items.to_vec()));
        assert_eq!(union(&set(&[1, 4]), &set(&[0, 4, 7])), set(&[0, 1, 4, 7]));
        assert_eq!(union(&None, &set(&[2])), set(&[2]));
        assert_eq!(union(&None, &None), None);
        let large = set(&[1, 2, 3]);
        let same = union(&large, &set(&[2]));
        assert!(Rc::ptr_eq(&large.unwrap(), &same.unwrap()));
    }

    #[test]
    fn a_band_needs_as_many_groups_as_it_is_wide() {
        let rows: Vec<Vec<usize>> = (0_usize..50)
            .map(|row| (row.saturating_sub(1)..(row + 2).min(50)).collect())
            .collect();
        assert_eq!(groups(&Pattern::from_rows(&rows)).len(), 3);
    }

    proptest! {
        #[test]
        fn every_entry_is_in_one_group_and_alone_in_its_row(
            rows in (1_usize..30).prop_flat_map(|n| prop::collection::vec(
                prop::collection::vec(0..n, 0..6), n,
            ))
        ) {
            let pattern = Pattern::from_rows(&rows);
            let groups = groups(&pattern);
            let mut seen = vec![0; pattern.len()];
            for group in &groups {
                let mut rows: Vec<usize> = group.entries.iter().map(|entry| entry.1).collect();
                rows.sort_unstable();
                prop_assert!(rows.windows(2).all(|pair| pair[0] < pair[1]));
                group.entries.iter().for_each(|&(at, _)| seen[at] += 1);
            }
            prop_assert!(seen.iter().all(|&times| times == 1));
            let columns: usize = groups.iter().map(|group| group.columns.len()).sum();
            prop_assert_eq!(columns, rows.len());
        }
    }
}
