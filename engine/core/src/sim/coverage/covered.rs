//! Coverage of a run, the same for both steppings.

/// Combinations of booleans and for how long, rows that acted.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Covered {
    /// The combinations in the order in which they were first seen.
    pub visits: Vec<Visit>,
    /// Per boolean, as in a combination, whether it ever held, if only in a microstep.
    pub(crate) ever: Vec<u64>,
    /// Time spent in combinations that were too many to keep apart [units of `time`].
    pub elsewhere: f64,
    /// For each situation how often it fired, if it is an event.
    pub fired: Vec<u64>,
    /// For each assignment whether it was ever executed.
    pub assignments: Vec<bool>,
    /// The relations, each.
    pub relations: Vec<Acted>,
}

impl Covered {
    /// True if a boolean ever held, if only in a microstep: switches, then ranges, then situations.
    pub fn ever(&self, index: usize) -> bool {
        let word = self.ever.get(index / 64);
        word.is_some_and(|word| word >> (index % 64) & 1 == 1)
    }
}

/// One combination of booleans.
#[derive(Clone, PartialEq, Debug)]
pub struct Visit {
    pub(crate) words: Box<[u64]>,
    /// The time of the row in which it was first seen: of a tick the one at its end [units of `time`].
    pub first: f64,
    /// For how long it stood [units of `time`].
    pub time: f64,
}

impl Visit {
    /// The value of a boolean: switches, then ranges, then situations.
    pub fn bit(&self, index: usize) -> bool {
        self.words[index / 64] >> (index % 64) & 1 == 1
    }
}

/// Activity of a relation in a run.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Acted {
    /// True if it was ever active or, at an event, done.
    pub ever: bool,
    /// For how long it was active, in combinations that were kept apart [units of `time`]; 0 for a
    /// row that acts at events.
    pub time: f64,
}
