//! Borders: where a comparison changes its truth or a kink its branch.
//!
//! A border is a margin z whose sign matters. Comparisons and kinks with proportional margins have
//! one border in common. Each border has a side, which the driver of the run keeps; the truth of a
//! comparison and the branch of a kink come from the side, never from comparing numbers.
//!
//! A comparison with a kink in it is one border in all branches, named by its place; only margins that are affine
//! without a branch are named by their form. Named by the form of the branch, `s < abs(pull)` would be two borders
//! and be read on the wrong one.

use serde::{Deserialize, Serialize};
use smallvec::SmallVec;
use std::collections::HashMap;

use super::affine::{Affine, NormalForm};
use crate::bits::Bits;
use crate::ids::{RangeId, RelationId};
use crate::model::CompareOp;

/// A border of a run.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub(crate) struct BorderId(pub(crate) u32);

impl BorderId {
    pub(crate) fn new(index: usize) -> Self {
        Self(u32::try_from(index).expect("fewer than 2^32 borders"))
    }

    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// On which side of a border the state is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub(crate) enum Side {
    /// z counts as negative.
    Minus,
    /// The state rests on the border since the start; strict comparisons are false, others true.
    #[default]
    On,
    /// z counts as positive.
    Plus,
}

impl Side {
    /// The side of a number; `On` for 0.
    pub(crate) fn of(z: f64) -> Self {
        if z > 0.0 {
            Self::Plus
        } else if z < 0.0 {
            Self::Minus
        } else {
            Self::On
        }
    }

    /// The other side.
    pub(crate) fn flipped(self) -> Self {
        match self {
            Self::Minus => Self::Plus,
            Self::On => Self::On,
            Self::Plus => Self::Minus,
        }
    }
}

/// Source of a border, which also names a margin that is not affine.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub(crate) enum BorderSource {
    /// A comparison of a range, by position.
    Comparison(RangeId, usize),
    /// A kink in a range's expressions, by position.
    RangeKink(RangeId, usize),
    /// A kink in a relation, by position.
    RowKink(RelationId, usize),
    /// The lower (false) or upper (true) border of a hysteresis.
    Relay(RelationId, bool),
    /// The edge of where an operation of a relation is defined, by position.
    Edge(RelationId, usize),
    /// The lower (false) or upper (true) bound of a state.
    Bound(RelationId, bool),
    /// The rate of a state on that bound, upwards and relative to the bound.
    Push(RelationId, bool),
    /// A comparison that is only watched, by position.
    Watch(usize),
    /// A kink in a comparison that is only watched, by position.
    WatchKink(usize, usize),
}

impl BorderSource {
    /// The relation in which it stands.
    pub(crate) fn relation(self) -> Option<RelationId> {
        match self {
            Self::RowKink(row, _)
            | Self::Relay(row, _)
            | Self::Edge(row, _)
            | Self::Bound(row, _)
            | Self::Push(row, _) => Some(row),
            Self::Comparison(..) | Self::RangeKink(..) | Self::Watch(_) | Self::WatchKink(..) => {
                None
            }
        }
    }

    /// True if it is in a comparison that is only watched.
    pub(crate) fn is_watched(self) -> bool {
        matches!(self, Self::Watch(_) | Self::WatchKink(..))
    }

    /// The comparison that is only watched in which it is a kink.
    pub(crate) fn kinks_watched(self) -> Option<usize> {
        match self {
            Self::WatchKink(own, _) => Some(own),
            _ => None,
        }
    }
}

/// Identity of a border: borders with equal keys are the same border.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
enum Key {
    Affine(NormalForm),
    Owned(BorderSource),
    /// A piece of a staircase: its lower (false) or upper (true) end.
    Piece(usize, bool),
}

/// A staircase (floor, mod): the step on which it stands and its two ends as borders.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct StairStep {
    pub(crate) low: BorderId,
    pub(crate) high: BorderId,
}

/// A border as one source sees it: `margin = factor * z`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct View {
    pub(crate) border: BorderId,
    /// True if the place's margin has the sign of z.
    pub(crate) upright: bool,
    /// The place's margin is the size of z, `abs(V) > 0` looking at the border of V: both sides are
    /// above (or, not upright, below).
    pub(crate) folded: bool,
}

/// How the comparisons of a range see their borders.
pub(crate) type RangeViews = SmallVec<[View; 2]>;

impl View {
    /// The side of the place's own margin.
    pub(crate) fn side(self, of_border: Side) -> Side {
        let side = match of_border {
            Side::Minus if self.folded => Side::Plus,
            side => side,
        };
        if self.upright { side } else { side.flipped() }
    }
}

/// Addition to the table of borders that came with the making of a mode.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
enum Change {
    Met(Key, BorderSource),
    /// A kink's branch depends on the border.
    Kinked(BorderId),
    /// Something in the model depends on the border.
    Needed(BorderId),
    /// The side of the border is part of the key of modes with gates.
    Keyed(BorderId),
}

/// All borders met so far in a run.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Borders {
    /// All that was learned, in order; the rest of the fields says the same.
    changes: Vec<Change>,
    #[serde(with = "in_order")]
    known: HashMap<Key, BorderId>,
    #[serde(with = "in_order")]
    pieces: HashMap<BorderSource, usize>,
    /// For each border its margin's form up to a factor, if that is affine.
    rays: Vec<Option<NormalForm>>,
    /// For each border its first source.
    pub(crate) owners: Vec<BorderSource>,
    /// For each staircase its ends.
    pub(crate) staircases: Vec<StairStep>,
    /// True if a kink's branch depends on the border.
    pub(crate) kinked: Bits,
    /// True if the border's side is part of the key of modes with gates: a branch of a kink without a gate depends on it.
    #[serde(default)]
    pub(crate) keyed: Bits,
    /// True if nothing in the model depends on the border: it is crossed without an event.
    pub(crate) only_watched: Vec<bool>,
}

impl Borders {
    /// Number of borders.
    pub(crate) fn len(&self) -> usize {
        self.owners.len()
    }

    /// True if all parts agree: replaying the changes gives the rest.
    pub(crate) fn is_consistent(&self) -> bool {
        let mut again = Self::default();
        for change in &self.changes {
            match change {
                Change::Met(Key::Piece(number, false), owner) => {
                    if again.staircase(*owner) != *number {
                        return false;
                    }
                }
                // Met together with the lower end.
                Change::Met(Key::Piece(..), _) => {}
                Change::Met(key, owner) => {
                    again.border(key.clone(), *owner);
                }
                Change::Kinked(border) => {
                    if border.index() >= again.len() {
                        return false;
                    }
                    again.kinked.set(border.index(), true);
                    again.changes.push(change.clone());
                }
                Change::Keyed(border) => {
                    if border.index() >= again.len() {
                        return false;
                    }
                    again.put_in_keys(*border);
                }
                Change::Needed(border) => match again.only_watched.get_mut(border.index()) {
                    Some(only_watched) => {
                        *only_watched = false;
                        again.changes.push(change.clone());
                    }
                    None => return false,
                },
            }
        }
        again == *self
    }

    /// Number of changes so far.
    pub(crate) fn age(&self) -> usize {
        self.changes.len()
    }

    /// The age up to which two runs have learned the same.
    pub(crate) fn common_age(&self, other: &Self) -> usize {
        let pairs = self.changes.iter().zip(&other.changes);
        pairs.take_while(|(one, another)| one == another).count()
    }

    /// The border of a margin.
    pub(crate) fn view(&mut self, owner: BorderSource, form: Option<&Affine>) -> View {
        let (key, upright) = match form {
            Some(form) => {
                let (ray, factor) = form.ray();
                (Key::Affine(ray), factor > 0.0)
            }
            None => (Key::Owned(owner), true),
        };
        let border = self.border(key, owner);
        let kink = matches!(
            owner,
            BorderSource::RowKink(..)
                | BorderSource::RangeKink(..)
                | BorderSource::WatchKink(..)
                | BorderSource::Bound(..)
                | BorderSource::Push(..)
        );
        if kink && !self.kinked.get(border.index()) {
            self.kinked.set(border.index(), true);
            self.changes.push(Change::Kinked(border));
        }
        if !matches!(owner, BorderSource::Watch(_)) {
            self.need(border);
        }
        View {
            border,
            upright,
            folded: false,
        }
    }

    /// Something depends on the border: crossing it is an event.
    pub(crate) fn need(&mut self, border: BorderId) {
        if std::mem::take(&mut self.only_watched[border.index()]) {
            self.changes.push(Change::Needed(border));
        }
    }

    /// From here on the side of the border is part of the key of modes with gates.
    pub(crate) fn put_in_keys(&mut self, border: BorderId) {
        let index = border.index();
        if !(index < self.keyed.len() && self.keyed.get(index)) {
            self.keyed.include(index);
            self.changes.push(Change::Keyed(border));
        }
    }

    /// The z of a border over the values of reals, if it is affine.
    pub(crate) fn form(&self, border: BorderId) -> Option<Affine> {
        self.rays[border.index()].as_ref().map(NormalForm::form)
    }

    /// True if no real moves the margin of a border, as far as is known: the time alone does.
    pub(crate) fn is_of_time(&self, border: BorderId) -> bool {
        let ray = self.rays[border.index()].as_ref();
        ray.is_some_and(NormalForm::is_of_time)
    }

    /// The staircase of a kink, if it has been met.
    pub(crate) fn known_staircase(&self, owner: BorderSource) -> Option<usize> {
        self.pieces.get(&owner).copied()
    }

    /// True if the border is an end of a step of a staircase.
    pub(crate) fn is_step_end(&self, border: BorderId) -> bool {
        let mut staircases = self.staircases.iter();
        staircases.any(|ends| ends.low == border || ends.high == border)
    }

    /// The staircase of a kink.
    pub(crate) fn staircase(&mut self, owner: BorderSource) -> usize {
        if let Some(&known) = self.pieces.get(&owner) {
            return known;
        }
        let number = self.staircases.len();
        let low = self.border(Key::Piece(number, false), owner);
        let high = self.border(Key::Piece(number, true), owner);
        self.staircases.push(StairStep { low, high });
        self.pieces.insert(owner, number);
        number
    }

    fn border(&mut self, key: Key, owner: BorderSource) -> BorderId {
        if let Some(&known) = self.known.get(&key) {
            return known;
        }
        let id = BorderId::new(self.owners.len());
        self.changes.push(Change::Met(key.clone(), owner));
        self.rays.push(match &key {
            Key::Affine(ray) => Some(ray.clone()),
            Key::Owned(_) | Key::Piece(..) => None,
        });
        self.known.insert(key, id);
        self.owners.push(owner);
        self.kinked.push(false);
        self.only_watched
            .push(matches!(owner, BorderSource::Watch(_)));
        id
    }
}

/// Writes a map as pairs in the order of their values, so that equal maps give equal texts.
mod in_order {
    use std::collections::HashMap;
    use std::hash::Hash;

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(super) fn serialize<K: Serialize, V: Serialize + Ord, S: Serializer>(
        map: &HashMap<K, V>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let mut pairs: Vec<(&K, &V)> = map.iter().collect();
        pairs.sort_by_key(|(_, value)| *value);
        pairs.serialize(serializer)
    }

    pub(super) fn deserialize<'de, K, V, D>(deserializer: D) -> Result<HashMap<K, V>, D::Error>
    where
        K: Deserialize<'de> + Eq + Hash,
        V: Deserialize<'de>,
        D: Deserializer<'de>,
    {
        let pairs = Vec::<(K, V)>::deserialize(deserializer)?;
        Ok(pairs.into_iter().collect())
    }
}

/// The truth of a comparison from the side of `left - right`.
pub(crate) fn truth(op: CompareOp, side: Side) -> bool {
    match (op, side) {
        (CompareOp::Less | CompareOp::LessEqual, Side::Minus)
        | (CompareOp::Greater | CompareOp::GreaterEqual, Side::Plus)
        | (CompareOp::LessEqual | CompareOp::GreaterEqual, Side::On) => true,
        (CompareOp::Less | CompareOp::LessEqual, _)
        | (CompareOp::Greater | CompareOp::GreaterEqual, _) => false,
    }
}
