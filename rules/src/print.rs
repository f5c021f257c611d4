//! Writes trees back as text.

use crate::tree::{Expr, Guard, Name};

/// A relation in columns, as plain values: what stands between the two spellings of a row.
///
/// Resolving makes it out of a line's expression (only there it is known which names are constants
/// and what the procedures' signatures are); printing makes a row of either spelling out of it.
#[derive(Clone, Debug)]
pub struct Columns {
    /// What it writes; several only for `v1, v2 := e1, e2`, which is `assignment`, one argument each.
    pub targets: Vec<Name>,
    /// Whether it is done once, at an event.
    pub once: bool,
    /// Procedure by name.
    pub procedure: String,
    /// Coefficient: a number or a constant, with a sign. `None`: 1, not written.
    pub coef: Option<Expr>,
    /// Arguments.
    pub args: Vec<Expr>,
    /// Coefficient of the second argument. `None`: 1, not written.
    pub coef2: Option<Expr>,
    /// When it is active.
    pub guard: Guard,
}
