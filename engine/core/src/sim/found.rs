//! The booleans that one look at a tick or a microstep finds.

/// Booleans as a tick or a microstep finds them.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Found {
    /// Per assignment whether it was executed.
    pub executed: Vec<bool>,
    /// Switches as situations and assignments found them, i.e. before the assignments.
    pub switches: Vec<bool>,
    /// Ranges.
    pub ranges: Vec<bool>,
    /// Levels, and events that fired.
    pub situations: Vec<bool>,
    /// Per row of a situation, for events: whether its conjunction held before; `None` if that is not known.
    pub remembered: Vec<Option<bool>>,
    /// Per schedule whether it was due.
    pub due: Vec<bool>,
}
