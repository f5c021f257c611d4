//! Conditions: comparisons of reals and booleans that are joined by "and".

use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

use crate::ids::{ExprId, RangeId, ScheduleId, SituationId, SwitchId};

/// `left op right`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Comparison {
    /// Left side.
    pub left: ExprId,
    /// Operator.
    pub op: CompareOp,
    /// Right side.
    pub right: ExprId,
}

/// The operators of a comparison.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CompareOp {
    /// `<`
    Less,
    /// `<=`
    LessEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterEqual,
}

impl CompareOp {
    /// As it is written in a table.
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Less => "<",
            Self::LessEqual => "<=",
            Self::Greater => ">",
            Self::GreaterEqual => ">=",
        }
    }

    /// The operator that says the same with the sides exchanged: `a < b` is `b > a`.
    pub fn mirrored(self) -> Self {
        match self {
            Self::Less => Self::Greater,
            Self::LessEqual => Self::GreaterEqual,
            Self::Greater => Self::Less,
            Self::GreaterEqual => Self::LessEqual,
        }
    }

    /// The operator that holds where this one does not.
    pub fn opposite(self) -> Self {
        match self {
            Self::Less => Self::GreaterEqual,
            Self::LessEqual => Self::Greater,
            Self::Greater => Self::LessEqual,
            Self::GreaterEqual => Self::Less,
        }
    }

    /// True if `left op right` holds; false if either is NaN.
    pub fn holds(self, left: f64, right: f64) -> bool {
        match self {
            Self::Less => left < right,
            Self::LessEqual => left <= right,
            Self::Greater => left > right,
            Self::GreaterEqual => left >= right,
        }
    }
}

/// A boolean or its negation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Literal {
    /// The boolean.
    pub what: Boolean,
    /// True for `!name`.
    pub negated: bool,
}

/// Whatever can stand in a condition.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Boolean {
    /// A latched boolean.
    Switch(SwitchId),
    /// A range.
    Range(RangeId),
    /// A situation or event.
    Situation(SituationId),
    /// True at a time `first + k * period`.
    Schedule(ScheduleId),
    /// True in the first tick only.
    Start,
}

/// A conjunction of literals; the empty one always holds.
pub type Conjunction = SmallVec<[Literal; 1]>;

/// A condition over a row of the trajectory: reals as they stand after the tick, booleans as that
/// tick found them. Used by `stop_when` and by measures; it does not take part in the model.
pub type Watch = SmallVec<[WatchLiteral; 2]>;

/// One literal of a [`Watch`].
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum WatchLiteral {
    /// A boolean of the model or its negation.
    Boolean(Literal),
    /// A comparison, computed on the row.
    Comparison(Comparison),
}
