//! Rules that took part in an instant: what a cycle of rules and a Zeno limit name.

use crate::bits::Bits;
use crate::ids::{RangeId, RelationId, SituationId};

/// Rules that took part in an instant, each once.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Participants {
    pub(super) situations: Once<SituationId>,
    pub(super) assignments: Once<usize>,
    pub(super) relations: Once<RelationId>,
    pub(super) ranges: Once<RangeId>,
}

/// A list in which each place of another one stands once.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Once<T> {
    pub(super) list: Vec<T>,
    places: Vec<usize>,
    seen: Bits,
}

impl<T> Default for Once<T> {
    fn default() -> Self {
        Self {
            list: Vec::new(),
            places: Vec::new(),
            seen: Bits::default(),
        }
    }
}

impl<T> Once<T> {
    /// Adds the one at a place, unless that has been done.
    pub(super) fn add(&mut self, place: usize, one: T) {
        if place >= self.seen.len() {
            self.seen.resize(place + 1);
        }
        if !self.seen.get(place) {
            self.seen.set(place, true);
            self.places.push(place);
            self.list.push(one);
        }
    }

    fn clear(&mut self) {
        if self.list.is_empty() {
            return;
        }
        for place in self.places.drain(..) {
            self.seen.set(place, false);
        }
        self.list.clear();
    }
}

impl Participants {
    pub(super) fn clear(&mut self) {
        self.situations.clear();
        self.assignments.clear();
        self.relations.clear();
        self.ranges.clear();
    }
}
