//! Why a run could not start or go on: data with ids, for others to put into words.

use crate::ids::{ConstantId, Origin, RealId, RelationId};
use crate::model::StartError;

/// Why a run cannot start.
#[derive(Clone, PartialEq, Debug)]
pub enum SetupError {
    /// Start values depend on themselves.
    Start(StartError),
    /// A start value is infinite or no number.
    StartNotFinite {
        /// Name of the quantity.
        name: String,
        /// Its value.
        value: f64,
        /// Where the quantity was written.
        origin: Origin,
    },
    /// A period is not positive, or a delay is negative.
    BadInterval {
        /// What it belongs to: `every` or `delay`.
        what: &'static str,
        /// Its value [units of `time`].
        value: f64,
        /// Where it was written.
        origin: Origin,
    },
    /// A delay of so many ticks cannot be kept.
    DelayTooLong {
        /// Length, in ticks.
        ticks: f64,
        /// Where the row was written.
        origin: Origin,
    },
}

impl std::fmt::Display for SetupError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Start(error) => error.fmt(f),
            Self::StartNotFinite { name, value, .. } => {
                write!(f, "the start value of `{name}` is {value}")
            }
            Self::BadInterval { what, value, .. } => {
                write!(f, "`{what}` cannot have the length {value}")
            }
            Self::DelayTooLong { ticks, .. } => {
                write!(f, "a delay of {ticks} ticks is too long")
            }
        }
    }
}

impl std::error::Error for SetupError {}

impl SetupError {
    /// The row or quantity that is to blame, if it is one.
    pub fn origin(&self) -> Option<Origin> {
        match self {
            Self::Start(_) => None,
            Self::StartNotFinite { origin, .. }
            | Self::BadInterval { origin, .. }
            | Self::DelayTooLong { origin, .. } => Some(*origin),
        }
    }
}

/// Why a run stopped before its end. The state is the one before the failing tick; the run cannot
/// go on from it unless something is changed.
#[derive(Clone, PartialEq, Debug)]
pub enum RunFault {
    /// A relation gave a value that is infinite or no number.
    NotFinite {
        /// The tick that failed, counted from 1.
        tick: u64,
        /// The time it started from [units of `time`].
        time: f64,
        /// The row.
        relation: RelationId,
        /// What it wrote.
        real: RealId,
        /// The value.
        value: f64,
        /// The reals it read with their values.
        reals: Vec<(RealId, f64)>,
        /// The constants it read with their values.
        constants: Vec<(ConstantId, f64)>,
    },
}

impl std::fmt::Display for RunFault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NotFinite {
                tick,
                time,
                relation,
                value,
                ..
            } => {
                write!(
                    f,
                    "relation {} gave {value} in tick {tick} (t = {time})",
                    relation.0
                )
            }
        }
    }
}

impl std::error::Error for RunFault {}
