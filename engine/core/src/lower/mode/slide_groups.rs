//! Groups of borders along which the state slides that move each other: each group has shares of its own.
//!
//! Around m borders there are 2^m modes. Where the truths of one border change no row that another one's truths change,
//! and no rate from which the margin of the other follows, the two slides know nothing of each other: the same few modes,
//! in each of which every group is at one of its corners, serve them all.

use crate::ids::{RealId, RelationId};
use crate::lower::border::{BorderId, Side};

/// The borders of a slide in groups, with what each group has a part in.
#[derive(Clone, Debug)]
pub(crate) struct SlideGroups {
    /// The borders of each group, by position; in each group, and the groups by their first, ascending.
    members: Vec<Vec<usize>>,
    /// Per border its group, and its place there.
    places: Vec<(usize, usize)>,
    /// Per relation and per real the group that changes it; empty if there is one group.
    of_relation: Vec<u32>,
    of_real: Vec<u32>,
    /// Per real whether it adds up what several groups change.
    of_several: Vec<bool>,
}

impl Default for SlideGroups {
    fn default() -> Self {
        Self::one(0)
    }
}

impl SlideGroups {
    /// All borders as one group.
    pub(crate) fn one(n: usize) -> Self {
        Self::new(vec![(0..n).collect()], Vec::new(), Vec::new(), Vec::new())
    }

    /// Shapes: `members`: as the field; `of_relation`, `of_real`, `of_several`: per relation and per real of the model, or
    /// empty.
    pub(crate) fn new(
        members: Vec<Vec<usize>>,
        of_relation: Vec<u32>,
        of_real: Vec<u32>,
        of_several: Vec<bool>,
    ) -> Self {
        let n = members.iter().map(Vec::len).sum();
        let mut places = vec![(0, 0); n];
        for (group, borders) in members.iter().enumerate() {
            for (place, &border) in borders.iter().enumerate() {
                places[border] = (group, place);
            }
        }
        Self {
            members,
            places,
            of_relation,
            of_real,
            of_several,
        }
    }

    /// Number of groups.
    pub(crate) fn len(&self) -> usize {
        self.members.len()
    }

    /// The borders of the largest group.
    pub(crate) fn largest(&self) -> usize {
        self.members.iter().map(Vec::len).max().unwrap_or_default()
    }

    /// The group of a border.
    pub(crate) fn place(&self, border: usize) -> usize {
        self.places[border].0
    }

    /// The groups, each with the positions of its borders.
    pub(crate) fn members(&self) -> &[Vec<usize>] {
        &self.members
    }

    /// Number of modes around the borders: as many as the largest group has corners.
    pub(crate) fn n_corners(&self) -> usize {
        1 << self.largest()
    }

    /// True if a corner is above a border.
    pub(crate) fn is_above(&self, corner: usize, border: usize) -> bool {
        corner >> self.places[border].1 & 1 == 1
    }

    /// The sides of a corner. A group with fewer corners is at one of its own again.
    pub(crate) fn sides(&self, borders: &[BorderId], corner: usize) -> Vec<(BorderId, Side)> {
        let side = |(at, &border): (usize, &BorderId)| match self.is_above(corner, at) {
            true => (border, Side::Plus),
            false => (border, Side::Minus),
        };
        borders.iter().enumerate().map(side).collect()
    }

    /// The group that changes a row.
    pub(crate) fn of_relation(&self, relation: RelationId) -> usize {
        let group = self.of_relation.get(relation.index());
        group.map_or(0, |group| *group as usize)
    }

    /// The group that changes a real or its rate.
    pub(crate) fn of_real(&self, real: RealId) -> usize {
        let group = self.of_real.get(real.index());
        group.map_or(0, |group| *group as usize)
    }

    /// The group whose shares a real or its rate is mixed with; `None` if it follows from what several groups change.
    pub(crate) fn mover(&self, real: RealId) -> Option<usize> {
        let several = self.of_several.get(real.index());
        (!several.copied().unwrap_or_default()).then(|| self.of_real(real))
    }

    /// The weights of the corners of one group, among those of all.
    pub(crate) fn weights_of<'w, T>(&self, group: usize, weights: &'w [T]) -> &'w [T] {
        let n = weights.len() / self.len();
        &weights[group * n..][..n]
    }

    /// What tells mixtures of the same modes apart.
    pub(crate) fn key(&self) -> impl Iterator<Item = usize> {
        let changes = self.of_relation.iter().chain(&self.of_real);
        let changes = changes.map(|group| *group as usize);
        [self.len()].into_iter().chain(changes)
    }
}
