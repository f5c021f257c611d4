//! Kinds of numbers on which blocks are compiled, and the words that a number of a kind is made of.

use std::array::from_fn;

use crate::backend::value::{Jet, RunningError, Value};

/// A kind of numbers on which blocks are compiled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// `f64`
    Reals,
    /// `Jet<2>`: a value and its slope.
    Dual,
    /// `Bounded<2>`: both with bounds of their rounding errors.
    First,
    /// `Bounded<4>`: a series with bounds.
    Series,
    /// `Jet<2, Jet<2>>`: a displaced series.
    Twice,
}

/// Number of kinds.
pub(crate) const KINDS: usize = 5;

impl Kind {
    pub(crate) const ALL: [Self; KINDS] = [
        Self::Reals,
        Self::Dual,
        Self::First,
        Self::Series,
        Self::Twice,
    ];
}

/// A number that is made of words.
pub(crate) trait Words<S: Copy> {
    fn from_words(next: &mut impl FnMut() -> S) -> Self;
    fn each_word(self, put: &mut impl FnMut(S));
}

impl<const N: usize, S: Copy> Words<S> for Jet<N, S> {
    #[inline]
    fn from_words(next: &mut impl FnMut() -> S) -> Self {
        Self(from_fn(|_| next()))
    }

    #[inline]
    fn each_word(self, put: &mut impl FnMut(S)) {
        self.0.into_iter().for_each(put);
    }
}

impl<S: Copy> Words<S> for Jet<2, Jet<2, S>> {
    #[inline]
    fn from_words(next: &mut impl FnMut() -> S) -> Self {
        Self(from_fn(|_| Jet(from_fn(|_| next()))))
    }

    #[inline]
    fn each_word(self, put: &mut impl FnMut(S)) {
        self.0.into_iter().flat_map(|inner| inner.0).for_each(put);
    }
}

impl<const N: usize, S: Copy> Words<S> for RunningError<N, S> {
    #[inline]
    fn from_words(next: &mut impl FnMut() -> S) -> Self {
        Self {
            series: Jet(from_fn(|_| next())),
            bound: from_fn(|_| next()),
        }
    }

    #[inline]
    fn each_word(self, put: &mut impl FnMut(S)) {
        self.series.0.into_iter().chain(self.bound).for_each(put);
    }
}

/// A kind of numbers as a type.
pub(crate) trait OfKind: Value + Words<f64> {
    /// `None` if no code is ever compiled for it.
    const KIND: Option<Kind>;
}

impl<const N: usize> OfKind for Jet<N> {
    const KIND: Option<Kind> = match N {
        2 => Some(Kind::Dual),
        _ => None,
    };
}

impl<const N: usize> OfKind for RunningError<N> {
    const KIND: Option<Kind> = match N {
        2 => Some(Kind::First),
        4 => Some(Kind::Series),
        _ => None,
    };
}

impl OfKind for Jet<2, Jet<2>> {
    const KIND: Option<Kind> = Some(Kind::Twice);
}
