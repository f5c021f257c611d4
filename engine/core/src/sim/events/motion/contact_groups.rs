//! Groups of contacts that move each other: each group has a contact matrix of its own.
//!
//! A contact moves another one if its reaction, or what puts the state back onto its border, changes a state from which
//! the margin of the other or its rate follows. Contacts of different groups are displaced, weighed and settled at once:
//! so many balls at rest on a floor cost what they cost in a flight.

use crate::graph::DisjointSets;
use crate::sim::events::modes::evaluation::evaluator::Evaluator;
use crate::sim::events::motion::contact::ContactReaction;

/// The contacts at rest, by position, in groups; in each group, and the groups by their first, ascending.
#[derive(Clone, Debug, Default)]
pub(crate) struct ContactGroups {
    all: Vec<Vec<usize>>,
}

impl ContactGroups {
    /// The groups of some contacts in a mode, from the structure of its rates and margins.
    ///
    /// Where a margin is not affine, or a direction changes from point to point, all contacts are one group.
    pub(crate) fn of(evaluator: &mut Evaluator, rest: &[ContactReaction]) -> Self {
        let n = rest.len();
        if n < 2 {
            let all = (0..n).map(|number| vec![number]).collect();
            return Self { all };
        }
        let together = || Self {
            all: vec![(0..n).collect()],
        };
        let mode = std::sync::Arc::clone(&evaluator.mode);
        let pattern = std::sync::Arc::clone(&evaluator.sparsity().pattern);
        // Per state the first contact that moves it.
        let mut mover: Vec<Option<usize>> = vec![None; mode.states.len()];
        let mut sets = DisjointSets::new(n);
        let mut margins = Vec::with_capacity(n);
        for (number, push) in rest.iter().enumerate() {
            let margin = mode.margin(push.border);
            let Some(margin) = margin.filter(|it| it.form.is_some() && push.rows.is_empty()) else {
                return together();
            };
            margins.push(margin);
            let directed = push.along.iter();
            let directed = directed.filter_map(|(real, _)| mode.states.binary_search(real).ok());
            let put = margin.moving.iter().map(|(state, _)| *state);
            for state in directed.chain(put) {
                let first = *mover[state].get_or_insert(number);
                sets.join(first, number);
            }
        }
        for (number, margin) in margins.iter().enumerate() {
            for &(state, _) in &margin.moving {
                for (_, read) in pattern.row(state) {
                    if let Some(first) = mover[read] {
                        sets.join(first, number);
                    }
                }
            }
        }
        Self { all: sets.sets() }
    }

    /// The number of contacts in the longest group.
    pub(crate) fn longest(&self) -> usize {
        self.all.iter().map(Vec::len).max().unwrap_or_default()
    }

    /// Entries of all contact matrices.
    pub(super) fn n_entries(&self) -> usize {
        self.all.iter().map(|group| group.len() * group.len()).sum()
    }

    /// The contacts at a place of their groups.
    pub(crate) fn at(&self, place: usize) -> impl Iterator<Item = usize> {
        self.all
            .iter()
            .filter_map(move |group| group.get(place).copied())
    }

    /// The groups that have a column of this number, each with where its matrix begins.
    pub(super) fn with_column(&self, column: usize) -> impl Iterator<Item = (&[usize], usize)> {
        let mut next = 0;
        let matrices = self.all.iter().map(move |group| {
            let first = next;
            next += group.len() * group.len();
            (&group[..], first)
        });
        matrices.filter(move |(group, _)| column < group.len())
    }

    /// Writes the sum of the directions of the contacts at a place of their groups, one number per state.
    pub(crate) fn direction(
        &self,
        rest: &[ContactReaction],
        place: usize,
        n_states: usize,
        into: &mut Vec<f64>,
    ) {
        into.clear();
        into.resize(n_states, 0.0);
        for number in self.at(place) {
            for &(state, part) in &rest[number].direction {
                into[state] = part;
            }
        }
    }
}
