//! Machines: states with rows of their own, and transitions between them.

use super::{Condition, Expr, Name, Relation, Row};
use crate::source::Span;

/// `"name": (start: "a", states: {..}, transitions: [..])`
#[derive(Clone, Debug)]
pub struct Machine {
    /// Its name.
    pub name: Name,
    /// Name and value.
    pub span: Span,
    /// The state in which it begins; the first one if left out.
    pub start: Option<Name>,
    /// Its states, in written order.
    pub states: Vec<State>,
    /// Its transitions.
    pub transitions: Vec<Row<Transition>>,
}

/// A state of a machine.
#[derive(Clone, Debug)]
pub struct State {
    /// Its name.
    pub name: Name,
    /// Rows that act while the machine is in it.
    pub rows: Vec<Row<Relation>>,
}

/// `a -> b when condition: x := 1; y := 2`
#[derive(Clone, Debug)]
pub struct Transition {
    /// The state that it leaves.
    pub from: Name,
    /// The state that it enters.
    pub to: Name,
    /// When it fires.
    pub when: Condition,
    /// What it writes, all of it read before.
    pub set: Vec<(Name, Expr)>,
}
