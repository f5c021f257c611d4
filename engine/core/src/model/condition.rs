//! Conditions: comparisons of reals and booleans that are joined by "and".

use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

use super::Model;
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
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
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
#[derive(Clone, PartialEq, Debug)]
pub enum WatchLiteral {
    /// A boolean of the model or its negation.
    Boolean(Literal),
    /// A comparison, computed on the row.
    Comparison(Comparison),
    /// One of several conditions, or none of them.
    Any {
        /// The conditions.
        of: Box<[Watch]>,
        /// True if none of them holds.
        negated: bool,
    },
}

impl WatchLiteral {
    /// True if it holds.
    ///
    /// Shapes: `boolean`, whether a literal holds in the row; `value`, the value of an expression there.
    pub fn holds(
        &self,
        boolean: &impl Fn(Literal) -> bool,
        value: &impl Fn(ExprId) -> f64,
    ) -> bool {
        match self {
            Self::Boolean(literal) => boolean(*literal),
            Self::Comparison(one) => one.op.holds(value(one.left), value(one.right)),
            Self::Any { of, negated } => {
                let mut all = of.iter();
                all.any(|watch| watch_holds(watch, boolean, value)) != *negated
            }
        }
    }

    /// Calls `each` with every boolean literal and every comparison in it, those of conditions inside included.
    pub fn each_atom(&self, each: &mut impl FnMut(WatchAtom)) {
        match self {
            Self::Boolean(literal) => each(WatchAtom::Boolean(*literal)),
            Self::Comparison(comparison) => each(WatchAtom::Comparison(*comparison)),
            Self::Any { of, .. } => of.iter().flatten().for_each(|one| one.each_atom(each)),
        }
    }
}

/// What a [`Watch`] reads of a row.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum WatchAtom {
    /// A boolean of the model or its negation.
    Boolean(Literal),
    /// A comparison.
    Comparison(Comparison),
}

/// True if all literals of a condition hold.
///
/// Shapes: `boolean`, whether a literal holds in the row; `value`, the value of an expression there.
pub fn watch_holds(
    watch: &[WatchLiteral],
    boolean: &impl Fn(Literal) -> bool,
    value: &impl Fn(ExprId) -> f64,
) -> bool {
    watch.iter().all(|literal| literal.holds(boolean, value))
}

impl Model {
    /// True if the boolean is true for an instant only.
    pub fn is_event(&self, what: Boolean) -> bool {
        match what {
            Boolean::Situation(id) => self.situations[id.index()].event,
            Boolean::Schedule(_) | Boolean::Start => true,
            Boolean::Switch(_) | Boolean::Range(_) => false,
        }
    }

    /// True if an event is among what must hold: the conjunction is true for an instant only.
    pub fn names_event(&self, all: &[Literal]) -> bool {
        let mut held = all.iter().filter(|literal| !literal.negated);
        held.any(|literal| self.is_event(literal.what))
    }

    /// True if a condition names an event: it arises in each row in which it holds.
    pub fn is_instant(&self, watch: &[WatchLiteral]) -> bool {
        watch.iter().any(|literal| match literal {
            WatchLiteral::Boolean(literal) => !literal.negated && self.is_event(literal.what),
            WatchLiteral::Comparison(_) => false,
            WatchLiteral::Any { of, negated } => {
                !negated && !of.is_empty() && of.iter().all(|watch| self.is_instant(watch))
            }
        })
    }
}
