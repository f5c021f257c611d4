//! What a value of a table means, which decides how it is laid out.

use situ_engine::model::{Clock, ClockKind};

use crate::tree::List;

/// Role of a value, which decides how it is laid out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Role {
    Table,
    Clock,
    Quantities,
    Quantity,
    Cases,
    Case,
    Parts,
    Part,
    Rows(List),
    Row(List),
    /// A condition or a list of literals.
    Condition,
    Comparisons,
    Comparison,
    /// An expression or a group of them.
    Expressions,
    /// An argument or a list of them.
    Arguments,
    /// A name or a list of them.
    Names,
    /// Switches to set.
    Switches,
    /// Ranges of counters.
    Counters,
    /// One of them.
    Range,
    /// Counters of a row with their ranges.
    Each,
    /// A view and rows.
    Scene,
    Other,
}

impl Role {
    /// The role of a part.
    pub(super) fn part(self, key: Option<&str>) -> Role {
        match (self, key) {
            (Self::Table | Self::Case, Some("clock")) => Self::Clock,
            (Self::Table, Some("constants" | "inputs" | "reals" | "invariants")) => {
                Self::Quantities
            }
            (Self::Table, Some("counters")) => Self::Counters,
            (Self::Table, Some("cases")) => Self::Cases,
            (Self::Table, Some("scene")) => Self::Scene,
            (Self::Scene, Some("rows")) => Self::Rows(List::Scene),
            (Self::Scene, Some("view")) => Self::Expressions,
            (Self::Table, Some("parts")) => Self::Parts,
            (Self::Table, Some(key)) => {
                let list = List::ALL.into_iter().find(|list| list.name() == key);
                list.map_or(Self::Other, Self::Rows)
            }
            (Self::Counters, _) => Self::Range,
            (Self::Quantities, _) => Self::Quantity,
            (Self::Cases, _) => Self::Case,
            (Self::Parts, _) => Self::Part,
            (Self::Rows(list), _) => Self::Row(list),
            (Self::Clock, Some(key)) => match Clock::setting(key).map(|setting| setting.kind) {
                Some(ClockKind::Condition) => Self::Condition,
                Some(ClockKind::Expression) => Self::Expressions,
                _ => Self::Other,
            },
            (Self::Quantity, Some("start")) | (Self::Case | Self::Part, Some("set")) => {
                Self::Expressions
            }
            (Self::Row(List::Ranges), Some("all")) => Self::Comparisons,
            (Self::Row(_), Some("all" | "when")) => Self::Condition,
            (Self::Row(_), Some("args")) => Self::Arguments,
            (Self::Row(_), Some("for")) => Self::Each,
            (Self::Row(_), Some("coef" | "coef2")) => Self::Expressions,
            (Self::Row(_), Some("real" | "name")) => Self::Names,
            (Self::Row(_), Some("set")) => Self::Switches,
            (Self::Comparisons, _) => Self::Comparison,
            (Self::Comparison, _) => Self::Expressions,
            (
                Self::Condition
                | Self::Expressions
                | Self::Arguments
                | Self::Names
                | Self::Switches,
                _,
            ) => self,
            _ => Self::Other,
        }
    }

    /// True if it always stands on one line, if its comments allow it.
    pub(super) fn is_flat(self) -> bool {
        !matches!(
            self,
            Self::Table
                | Self::Clock
                | Self::Quantities
                | Self::Quantity
                | Self::Counters
                | Self::Cases
                | Self::Case
                | Self::Parts
                | Self::Part
                | Self::Rows(_)
                | Self::Scene
                | Self::Other
        )
    }
}
