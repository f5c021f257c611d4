//! Dependence of the rates of a mode on the states: from its computations to the pattern of its Jacobian,
//! and to groups of columns that one pass with derivatives gives together.
//!
//! Source: A. R. Curtis, M. J. D. Powell, J. K. Reid, Journal of the Institute of Mathematics and its
//! Applications 13 (1974) 117.

use std::rc::Rc;
use std::sync::Arc;

use crate::lower::mode::{Loop, Mode, Segment};
use crate::sim::events::modes::evaluation::affine_rates::Linear;
use crate::tape::{Op, Shape};
use situ_solve::Pattern;

/// The structure of a mode's Jacobian.
#[derive(Clone, Debug)]
pub(crate) struct Sparsity {
    pub(crate) pattern: Arc<Pattern>,
    /// Columns of which no two have an entry in the same row.
    pub(super) groups: Vec<Group>,
    /// Rows that depend on the time.
    pub(super) in_time: Vec<usize>,
}

/// Columns that are computed together.
#[derive(Clone, Debug, Default)]
pub(super) struct Group {
    pub(super) columns: Vec<usize>,
    /// Their entries: position in the pattern, row.
    pub(super) entries: Vec<(usize, usize)>,
}

impl Sparsity {
    /// Of a mode that is computed op by op.
    pub(super) fn of(mode: &Mode) -> Self {
        let n = mode.states.len();
        let mut dependence = Dependence {
            sets: vec![None; mode.tape.n_slots as usize],
        };
        for (index, real) in mode.states.iter().enumerate() {
            dependence.sets[real.index()] = Some(Rc::new(vec![index]));
        }
        let time = Some(Rc::new(vec![n]));
        dependence.sets[mode.time.index()].clone_from(&time);
        for (_, value, slope) in &mode.delays.fixed {
            dependence.sets[value.index()].clone_from(&time);
            dependence.sets[slope.index()] = None;
        }
        for segment in &mode.flow {
            match segment {
                Segment::Ops(ops) => dependence.follow(ops),
                Segment::Loop(inner) => dependence.follow_loop(inner),
            }
        }
        let mut in_time = Vec::new();
        let rows: Vec<Vec<usize>> = mode
            .rates
            .iter()
            .enumerate()
            .map(|(row, rate)| {
                let mut columns = dependence.sets[rate.index()].as_deref().cloned();
                let columns = columns.get_or_insert_default();
                if columns.last() == Some(&n) {
                    columns.pop();
                    in_time.push(row);
                }
                std::mem::take(columns)
            })
            .collect();
        let pattern = Pattern::from_rows(&rows);
        Self {
            groups: groups(&pattern),
            pattern: Arc::new(pattern),
            in_time,
        }
    }

    /// Of rates that are a matrix; its entries are known, and there is nothing to group.
    pub(super) fn of_matrix(linear: &Linear) -> Self {
        let columns = |row| {
            let terms = linear.row(row).iter();
            terms.map(|term| term.column as usize).collect()
        };
        let rows: Vec<Vec<usize>> = (0..linear.offsets.len()).map(columns).collect();
        Self {
            pattern: Arc::new(Pattern::from_rows(&rows)),
            groups: Vec::new(),
            in_time: Vec::new(),
        }
    }
}

/// Per slot what it depends on: positions of states, and their number for the time; ascending.
struct Dependence {
    sets: Vec<Set>,
}

type Set = Option<Rc<Vec<usize>>>;

impl Dependence {
    fn follow(&mut self, ops: &[Op]) {
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

    /// In a loop each unknown depends on all that comes in.
    fn follow_loop(&mut self, inner: &Loop) {
        for (slot, _) in &inner.unknowns {
            self.sets[slot.index()] = None;
        }
        self.follow(&inner.ops);
        let results = inner.results.iter();
        let all = results.fold(None, |all, slot| union(&all, &self.sets[slot.index()]));
        for (slot, _) in &inner.unknowns {
            self.sets[slot.index()].clone_from(&all);
        }
        self.follow(&inner.ops);
    }
}

fn union(a: &Set, b: &Set) -> Set {
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
fn groups(pattern: &Pattern) -> Vec<Group> {
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
