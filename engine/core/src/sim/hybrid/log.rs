//! Takes notes of what happens, for a recorder that wants them.

use crate::lower::border::{BorderId, Borders, Owner, Side};
use crate::trace::{Direction, Event, Instant, Place, What};

/// The instant being written down.
#[derive(Clone, Debug, Default)]
pub(super) struct Log {
    /// Whether anybody reads it.
    pub(super) wanted: bool,
    pub(super) instant: Instant,
    microstep: u32,
}

impl Log {
    /// A new instant, or remarks on a step, begins.
    pub(super) fn begin(&mut self, number: u64, time: f64) {
        self.instant.events.clear();
        self.instant.microsteps = 0;
        (self.instant.number, self.instant.time) = (number, time);
        self.microstep = 0;
    }

    /// Another microstep begins.
    pub(super) fn microstep(&mut self) {
        self.microstep += 1;
        self.instant.microsteps = self.microstep;
    }

    /// Notes something; it is only made up if somebody reads it.
    pub(super) fn note(&mut self, what: impl FnOnce() -> What) {
        if self.wanted {
            let microstep = self.microstep;
            let what = what();
            self.instant.events.push(Event { microstep, what });
        }
    }
}

/// By whom a border is named.
pub(super) fn place(borders: &Borders, border: BorderId) -> Option<Place> {
    match borders.owners[border.index()] {
        Owner::Comparison(range, _) | Owner::RangeKink(range, _) => Some(Place::Range(range)),
        Owner::RowKink(relation, _) | Owner::Relay(relation, _) => Some(Place::Relation(relation)),
        Owner::Watch(_) | Owner::WatchKink(..) => None,
    }
}

/// The direction in which a side lies.
pub(super) fn direction(side: Side) -> Direction {
    match side {
        Side::Minus => Direction::Down,
        Side::On | Side::Plus => Direction::Up,
    }
}
