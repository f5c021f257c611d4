//! What is wrong in a saved state.

use crate::sim::RunFault;

/// Why a state cannot be restored.
#[derive(Clone, PartialEq, Debug)]
pub enum StateError {
    /// It is of the other stepping.
    Stepping,
    /// It is not one of this model and these settings, with what is wrong in it.
    Foreign(StateDefect),
    /// The run cannot stand where it says.
    Fault(Box<RunFault>),
}

/// What is wrong in a state that is none of this model and these settings.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StateDefect {
    /// It has another number of reals.
    Reals,
    /// It has another number of values.
    Values,
    /// It has another number of booleans.
    Booleans,
    /// It has another number of delays.
    Delays,
    /// It has another number of schedules.
    Schedules,
    /// It has another number of events.
    Events,
    /// It has another number of sides.
    Sides,
    /// It has another number of staircases.
    Staircases,
    /// The tick before cannot have been.
    TickBefore,
    /// It names a range that is not there.
    Range,
    /// The breaks of a delay cannot be.
    Breaks,
    /// Its times cannot be.
    Times,
    /// The length of its next step cannot be.
    NextStep,
    /// What rules did last cannot have been.
    LastRows,
    /// It slides along what is not there.
    Slides,
    /// It rests on what is not there.
    Rests,
    /// It leaves a border that is not there.
    Leaves,
    /// Other reals move in it.
    Movers,
    /// Its last instants cannot have been.
    Instants,
    /// Its number of ticks cannot be.
    Ticks,
    /// A value is infinite or NaN.
    NotFinite,
    /// It has other constants or settings.
    Settings,
    /// Its instant has fewer microsteps.
    Microstep,
    /// Its number of beats cannot be.
    Beats,
    /// A delay has another length.
    DelayLength,
    /// The past of a delay is infinite or NaN.
    PastNotFinite,
    /// The past of a delay cannot be.
    Past,
    /// Its ticks are of another kind.
    TickKind,
    /// There is no step from it.
    Step,
    /// A count in it cannot be.
    Count,
    /// Its borders contradict each other.
    Borders,
    /// A border is of a row that is not there.
    BorderRow,
    /// There is no motion from it.
    Motion,
}

impl std::fmt::Display for StateDefect {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Reals => "it has another number of reals",
            Self::Values => "it has another number of values",
            Self::Booleans => "it has another number of booleans",
            Self::Delays => "it has another number of delays",
            Self::Schedules => "it has another number of schedules",
            Self::Events => "it has another number of events",
            Self::Sides => "it has another number of sides",
            Self::Staircases => "it has another number of staircases",
            Self::TickBefore => "the tick before cannot have been",
            Self::Range => "it names a range that is not there",
            Self::Breaks => "the breaks of a delay cannot be",
            Self::Times => "its times cannot be",
            Self::NextStep => "the length of its next step cannot be",
            Self::LastRows => "what rules did last cannot have been",
            Self::Slides => "it slides along what is not there",
            Self::Rests => "it rests on what is not there",
            Self::Leaves => "it leaves a border that is not there",
            Self::Movers => "other reals move in it",
            Self::Instants => "its last instants cannot have been",
            Self::Ticks => "its number of ticks cannot be",
            Self::NotFinite => "a value is infinite or NaN",
            Self::Settings => "it has other constants or settings",
            Self::Beats => "its number of beats cannot be",
            Self::DelayLength => "a delay has another length",
            Self::PastNotFinite => "the past of a delay is infinite or NaN",
            Self::Past => "the past of a delay cannot be",
            Self::TickKind => "its ticks are of another kind",
            Self::Step => "there is no step from it",
            Self::Count => "a count in it cannot be",
            Self::Borders => "its borders contradict each other",
            Self::BorderRow => "a border is of a row that is not there",
            Self::Motion => "there is no motion from it",
            Self::Microstep => "its instant has fewer microsteps",
        })
    }
}

impl From<RunFault> for StateError {
    fn from(fault: RunFault) -> Self {
        Self::Fault(Box::new(fault))
    }
}

impl std::fmt::Display for StateError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Stepping => f.write_str("it is a state of the other stepping"),
            Self::Foreign(what) => write!(f, "it is no state of this table: {what}"),
            Self::Fault(fault) => fault.fmt(f),
        }
    }
}

impl std::error::Error for StateError {}

/// Says what is wrong unless something holds.
pub(in crate::sim) fn must(holds: bool, wrong: StateDefect) -> Result<(), StateError> {
    if holds {
        Ok(())
    } else {
        Err(StateError::Foreign(wrong))
    }
}
