//! Record of the events at one time of an event-accurate run: data with ids, for others to put into words.

use crate::ids::{RangeId, RealId, RelationId, ScheduleId, SituationId, SwitchId};

/// All that happened at one time, in order.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Instant {
    /// The time [units of `time`].
    pub time: f64,
    /// Its number: 0 is the start, instants are counted from 1. Remarks that belong to a step have
    /// the number of the instant before it.
    pub number: u64,
    /// Microsteps until nothing changed; 0 if these are remarks on a step.
    pub microsteps: u32,
    /// The events.
    pub events: Vec<Event>,
}

/// One thing that happened.
#[derive(Clone, PartialEq, Debug)]
pub struct Event {
    /// In which microstep, counted from 1; 0 is what brought the instant about.
    pub microstep: u32,
    /// Its kind.
    pub what: What,
}

/// Source of a border, by which it is named.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Place {
    /// A comparison of a range, or a kink in it.
    Range(RangeId),
    /// A kink in a relation, or one of the borders of a hysteresis.
    Relation(RelationId),
}

/// To which side of a border the margin goes, being `left - right` of the comparison or the
/// argument of the kink.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Direction {
    /// The margin becomes positive.
    Up,
    /// The margin becomes negative.
    Down,
}

/// Kind of event.
#[derive(Clone, PartialEq, Debug)]
pub enum What {
    /// The state reached a border and crosses it, as far as its own motion goes.
    Reached {
        /// The border.
        border: Place,
        /// Direction of the margin.
        direction: Direction,
        /// The margin where the crossing was located.
        margin: f64,
        /// Rate of the margin just before [per unit of `time`].
        rate: f64,
        /// Shift of the event's time per shift of the margin, `1 / rate`; infinite
        /// where the border is touched.
        sensitivity: f64,
    },
    /// A schedule is due.
    Due(ScheduleId),
    /// The state leaves a border to the other side than the one held, or jumped across it.
    Turned {
        /// The border.
        border: Place,
        /// To which side.
        direction: Direction,
    },
    /// An event fired.
    Fired(SituationId),
    /// A level came to hold or ceased to.
    Situation(SituationId, bool),
    /// A range came to hold or ceased to.
    Range(RangeId, bool),
    /// A switch was set.
    Switch(SwitchId, bool),
    /// An assignment was executed and changed something, by position.
    Assigned(usize),
    /// A relation acted once.
    Acted(RelationId),
    /// A place where a margin comes to its border and whether it crosses is below what rounding or
    /// the location tolerance can tell; the side held was kept.
    Marginal {
        /// The border.
        border: Place,
        /// Start and end of the place [units of `time`].
        between: [f64; 2],
        /// True if it only touches, as far as can be told.
        touch: bool,
    },
    /// Both sides of a border lead away from it; the present one was kept.
    NotUnique {
        /// The border.
        border: Place,
        /// The side kept.
        kept: Direction,
    },
    /// A slide along borders began.
    SlideEntered {
        /// The borders, each with the share of its upper side in the motion.
        borders: Vec<(Place, f64)>,
        /// True if these are the only shares that keep the state on the borders.
        unique: bool,
    },
    /// The slide along a border ended; along others it may go on.
    SlideLeft {
        /// The border.
        border: Place,
        /// The last share of its upper side.
        share: f64,
    },
    /// Infinitely many events in a finite time were taken together.
    Zeno {
        /// The end of them [units of `time`].
        limit: f64,
        /// The events.
        situations: Vec<SituationId>,
    },
    /// The state rests on a border, against a contact reaction.
    RestEntered {
        /// The border.
        border: Place,
        /// The contact reaction, in units of the jump that it stands for, per unit of `time`.
        push: f64,
    },
    /// The contact reaction became zero and the border was left.
    RestLeft {
        /// The border.
        border: Place,
    },
    /// Values that depend on each other went over to another of their solutions.
    Branch {
        /// The rows of the loop.
        rows: Vec<RelationId>,
    },
    /// Values that depend on each other have several solutions; the one nearest to the last was taken.
    SeveralSolutions {
        /// The rows of the loop.
        rows: Vec<RelationId>,
    },
    /// A jump of what a delay takes in comes out of it.
    Echo {
        /// The delayed real's row.
        relation: RelationId,
        /// The real.
        real: RealId,
    },
}
