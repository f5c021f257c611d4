//! What names stand for, and what their uses need: a kind of thing, a value that is known in time.

use situ_engine::ids::{ConstantId, LookupId, RangeId, RealId, SituationId, SwitchId};
use situ_words::{Phrase, phrase};

use crate::source::Span;

/// Meaning of a name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Symbol {
    Constant(ConstantId),
    Real(RealId),
    Lookup(LookupId),
    Switch(SwitchId),
    Range(RangeId),
    Situation(SituationId),
    Invariant,
    /// Two things share the name, or it could not be read; already reported, so that its uses stay
    /// silent.
    Unusable,
}

impl Symbol {
    /// Its kind, with its article.
    pub(super) fn kind(self) -> Phrase {
        match self {
            Self::Constant(_) => phrase!("names-kind.constant"),
            Self::Real(_) => phrase!("names-kind.real"),
            Self::Lookup(_) => phrase!("names-kind.lookup"),
            Self::Switch(_) => phrase!("names-kind.switch"),
            Self::Range(_) => phrase!("names-kind.range"),
            Self::Situation(_) => phrase!("names-kind.situation"),
            Self::Invariant => phrase!("names-kind.invariant"),
            Self::Unusable => phrase!("names-kind.name-used-twice"),
        }
    }

    /// The element of a family of which this is the first; `None` of what has no families here.
    pub(super) fn element(self, place: usize) -> Option<Self> {
        match self {
            Self::Constant(first) => Some(Self::Constant(ConstantId::new(first.index() + place))),
            Self::Real(first) => Some(Self::Real(RealId::new(first.index() + place))),
            _ => None,
        }
    }

    /// True if it has a start value.
    pub(super) fn is_settable(self) -> bool {
        matches!(self, Self::Constant(_) | Self::Real(_) | Self::Switch(_))
    }

    pub(super) fn same_kind(self, other: Self) -> bool {
        std::mem::discriminant(&self) == std::mem::discriminant(&other)
    }
}

/// A name with its meaning.
#[derive(Clone, Copy, Debug)]
pub(super) struct Declared {
    pub(super) symbol: Symbol,
    /// Place at which it was first written; absent in a model that was built earlier.
    pub(super) span: Option<Span>,
}

/// Use of an undeclared name; says what could declare it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Use {
    /// In a condition.
    Condition,
    /// In an expression.
    Value,
    /// Changed by a case or by `--set`.
    Setting,
    /// Set by an assignment: a switch.
    Set,
    /// Written by a relation: a real.
    Written,
}

impl Use {
    /// True if such a thing can be used that way.
    pub(super) fn fits(self, symbol: Symbol) -> bool {
        match self {
            Self::Condition => {
                matches!(
                    symbol,
                    Symbol::Switch(_) | Symbol::Range(_) | Symbol::Situation(_)
                )
            }
            Self::Value => matches!(symbol, Symbol::Constant(_) | Symbol::Real(_)),
            Self::Setting => symbol.is_settable(),
            Self::Set => matches!(symbol, Symbol::Switch(_)),
            Self::Written => matches!(symbol, Symbol::Real(_)),
        }
    }
}

/// A name that nothing declares.
#[derive(Debug)]
pub(super) struct UnknownName {
    pub(super) name: String,
    /// The place of the first use of that role.
    pub(super) span: Span,
    /// The use that says most about what it should be.
    pub(super) role: Use,
    pub(super) n_uses: usize,
}

/// When the value of an expression must be known.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Known {
    /// While it runs: anything may stand in it.
    Running,
    /// At the start: constants and start values of reals.
    AtStart,
    /// Before the start: constants only.
    Before,
    /// At any time before the start: constants and the time.
    InPast,
}

impl Known {
    /// True if the time, and sources with it, may stand in the expression.
    pub(super) fn is_timed(self) -> bool {
        matches!(self, Self::Running | Self::InPast)
    }
}
