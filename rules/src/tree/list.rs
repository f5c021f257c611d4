//! The lists of rules and their rows.

use super::{Assignment, Range, Reaction, Relation, Row, Shape, Situation};

/// The lists of rules.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum List {
    /// Rules (3).
    Ranges,
    /// Rules (1) as definitions.
    Situations,
    /// Rules (1) as actions.
    Assignments,
    /// Rules (2).
    Relations,
    /// Stages of reactions.
    Reactions,
    /// Shapes of the scene, which no run reads.
    Scene,
}

impl List {
    /// All of them, in the order in which a tick scans them, the scene last.
    pub const ALL: [List; 6] = [
        Self::Ranges,
        Self::Situations,
        Self::Assignments,
        Self::Relations,
        Self::Reactions,
        Self::Scene,
    ];

    /// Its field in a table.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ranges => "ranges",
            Self::Situations => "situations",
            Self::Assignments => "assignments",
            Self::Relations => "relations",
            Self::Reactions => "reactions",
            Self::Scene => "scene",
        }
    }
}

/// A row of any list.
#[derive(Clone, Debug)]
pub enum AnyRow {
    /// Of `ranges`.
    Range(Row<Range>),
    /// Of `situations`.
    Situation(Row<Situation>),
    /// Of `assignments`.
    Assignment(Row<Assignment>),
    /// Of `relations`.
    Relation(Row<Relation>),
    /// Of `reactions`.
    Reaction(Row<Reaction>),
    /// Of `scene`.
    Shape(Row<Shape>),
}

impl AnyRow {
    /// The list it belongs to.
    pub fn list(&self) -> List {
        match self {
            Self::Range(_) => List::Ranges,
            Self::Situation(_) => List::Situations,
            Self::Assignment(_) => List::Assignments,
            Self::Relation(_) => List::Relations,
            Self::Reaction(_) => List::Reactions,
            Self::Shape(_) => List::Scene,
        }
    }
}
