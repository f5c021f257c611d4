//! Reasons: answers as trees of facts.

use std::sync::Arc;

use situ_engine::ids::{ConstantId, RealId, RelationId};
use situ_engine::model::{Comparison, Literal, Model};

/// A fact with what it follows from.
#[derive(Clone, Debug)]
pub struct Reason {
    /// The model that its ids are those of.
    pub model: Arc<Model>,
    /// What is the case.
    pub fact: Fact,
    /// True if its subject holds; `None` for values.
    pub holds: Option<bool>,
    /// Margin of a comparison, its distance from changing: positive while it holds [unit of its sides].
    pub margin: Option<f64>,
    /// What it follows from.
    pub under: Vec<Reason>,
}

/// What is the case.
#[derive(Clone, PartialEq, Debug)]
pub enum Fact {
    /// A boolean or its negation.
    Literal {
        /// The boolean.
        literal: Literal,
        /// Its reasons stand further above.
        see_above: bool,
        /// When it is going to turn.
        turn: Option<Turn>,
    },
    /// The state slides along a border of the range above, which stays as when that began.
    SlidesAlong,
    /// The state rests on a border of the range above, which stays as when that began.
    RestsOn,
    /// A comparison with the values of its sides.
    Compared {
        /// The comparison.
        comparison: Comparison,
        /// Value of the left side.
        left: f64,
        /// Value of the right side.
        right: f64,
        /// The values do not say whether it holds: the state is on the border, and its side counts.
        on_border: bool,
    },
    /// A row of a situation.
    SituationRow {
        /// Its place in `situation_rows`.
        row: usize,
        /// How its event arose or why not.
        arising: Option<Arising>,
    },
    /// An assignment that would set a switch, by its place in `assignments`.
    AssignmentRow(usize),
    /// A switch was found as it was before the assignments, and has turned since.
    TurnedByAssignments,
    /// An assignment set a switch last.
    SetLast {
        /// When [units of `time`].
        time: f64,
        /// Its place in `assignments`.
        assignment: usize,
    },
    /// No assignment has written a switch: it has its start value, or what was set from outside.
    NeverSet,
    /// The condition holds, but the switch was set otherwise since.
    SetOtherwise,
    /// The conjunction holds, but at the start nothing arises.
    NothingArises,
    /// The conjunction holds, and held before: it has to end before it can arise again.
    HeldBefore,
    /// The value of a real.
    Value {
        /// The real.
        real: RealId,
        /// Its value.
        value: f64,
    },
    /// A quantity that did not exist when the last step was done: it has its start value.
    New,
    /// A boolean that did not exist when the last step was done: the present values say how it stands.
    NewlyFound,
    /// A value that is not what the rows gave: it was set from outside since the last step.
    SetFromOutside,
    /// A row that writes a real.
    WrittenBy {
        /// The row.
        relation: RelationId,
        /// What it gave, if it wrote once in the step.
        gave: Option<f64>,
        /// Its weight where the state slides along a border and the rows of several modes count.
        share: Option<f64>,
    },
    /// An equation of a row that is solved, by what it is off, and what decides about the real.
    Solved {
        /// The row.
        relation: RelationId,
        /// The position of the equation.
        equation: usize,
        /// Left side minus right side.
        residual: f64,
        /// The derivative of that by the real, if the real stands in it.
        slope: Option<f64>,
    },
    /// The projection onto constraints moved a real behind the rows of the last tick.
    PutOnConstraints {
        /// By how much [unit of the real].
        moved: f64,
    },
    /// A real that a row read.
    ReadReal {
        /// The real.
        real: RealId,
        /// Its value as the row read it.
        value: f64,
    },
    /// A constant that a row read.
    ReadConstant {
        /// The constant.
        constant: ConstantId,
        /// Its value.
        value: f64,
    },
    /// No row has written a real yet: it has its start value, or what was set from outside.
    NeverWritten,
    /// No row writes a real now.
    WrittenLast {
        /// The row that wrote it last.
        relation: RelationId,
        /// When [units of `time`].
        time: f64,
    },
    /// The rows above have written a real without a break.
    WrittenSince {
        /// How many they are.
        rows: usize,
        /// Since when [units of `time`]; `None` since the start.
        time: Option<f64>,
    },
}

/// How the row of an event arose, or why it did not.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Arising {
    /// At the start nothing arises.
    NotAtStart,
    /// It arose.
    Arose,
    /// What it follows from has turned since.
    TurnedSince,
    /// It held before, so it did not arise.
    HeldBefore,
    /// It did not hold before: it arose.
    DidNotHoldBefore,
}

/// When a literal turns, if nothing is changed.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Turn {
    /// At a time [units of `time`].
    At(f64),
    /// Not before a time, up to which was looked [units of `time`].
    NotBefore(f64),
}

/// A row that acts: of a model's `relations` or `assignments`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum RowRef {
    /// An assignment of switches, by its place.
    Assignment(usize),
    /// A relation.
    Relation(RelationId),
}

impl Reason {
    pub(crate) fn new(model: &Arc<Model>, fact: Fact) -> Self {
        Self {
            model: Arc::clone(model),
            fact,
            holds: None,
            margin: None,
            under: Vec::new(),
        }
    }

    pub(crate) fn of_truth(model: &Arc<Model>, fact: Fact, holds: bool) -> Self {
        Self {
            holds: Some(holds),
            ..Self::new(model, fact)
        }
    }

    pub(crate) fn of_literal(model: &Arc<Model>, literal: Literal, holds: bool) -> Self {
        let fact = Fact::Literal {
            literal,
            see_above: false,
            turn: None,
        };
        Self::of_truth(model, fact, holds)
    }

    /// The tree as a list, each reason with its depth, in the order in which it is read.
    pub fn flat(&self) -> Vec<(usize, &Reason)> {
        // As deep as situations name each other; a stack needs no recursion.
        let mut flat = Vec::new();
        let mut stack = vec![(0, self)];
        while let Some((depth, reason)) = stack.pop() {
            flat.push((depth, reason));
            stack.extend(reason.under.iter().rev().map(|under| (depth + 1, under)));
        }
        flat
    }
}
