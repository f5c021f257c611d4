//! Why a run could not start or go on: data with ids, for others to put into words.

pub(super) mod budget;
pub(super) mod finite;

use crate::ids::{ConstantId, Origin, RangeId, RealId, RelationId, SituationId};
use crate::model::{Boolean, StartError};
use crate::sim::fault::budget::{Spent, SpentOn};
use situ_solve::{SettingsError, StepError};
use smallvec::SmallVec;

/// Why a run cannot start.
#[derive(Clone, PartialEq, Debug)]
pub enum SetupError {
    /// Start values depend on themselves.
    Start(StartError),
    /// A start value is infinite or NaN.
    StartNotFinite {
        /// Name of the quantity.
        name: String,
        /// Its value.
        value: f64,
        /// Place of the quantity in the source.
        origin: Origin,
    },
    /// A period is not positive, or a delay is negative.
    BadInterval {
        /// Field it belongs to: `every` or `delay`.
        what: &'static str,
        /// Its value [units of `time`].
        value: f64,
        /// Place in the source.
        origin: Origin,
    },
    /// A delay of so many ticks cannot be kept.
    DelayTooLong {
        /// Length, in ticks.
        ticks: f64,
        /// Place of the row in the source.
        origin: Origin,
    },
    /// What a delay took in before the start is infinite or NaN.
    PastNotFinite {
        /// A time at which it is [units of `time`].
        time: f64,
        /// Place of the delay's row in the source.
        origin: Origin,
    },
    /// A setting of the integration method cannot be used.
    Settings(SettingsError),
    /// Event iteration at the start has no end, or the first mode cannot be entered.
    Fault(Box<RunFault>),
}

impl From<RunFault> for SetupError {
    fn from(fault: RunFault) -> Self {
        Self::Fault(Box::new(fault))
    }
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
                // Digits by the hundred say less than a power of ten.
                match *ticks < 1e15 {
                    true => write!(f, "a delay of {ticks} ticks is too long"),
                    false => write!(f, "a delay of {ticks:e} ticks is too long"),
                }
            }
            Self::PastNotFinite { time, .. } => {
                write!(f, "the past of a delay has no value at {time}")
            }
            Self::Settings(error) => error.fmt(f),
            Self::Fault(fault) => fault.fmt(f),
        }
    }
}

impl std::error::Error for SetupError {}

impl SetupError {
    /// The row or quantity that is to blame, if it is one.
    pub fn origin(&self) -> Option<Origin> {
        match self {
            Self::Start(_) | Self::Settings(_) | Self::Fault(_) => None,
            Self::StartNotFinite { origin, .. }
            | Self::BadInterval { origin, .. }
            | Self::DelayTooLong { origin, .. }
            | Self::PastNotFinite { origin, .. } => Some(*origin),
        }
    }
}

/// Why a run stopped before its end. The state is the one before the failing tick, step or instant;
/// the run cannot go on from it unless something is changed.
#[derive(Clone, PartialEq, Debug)]
pub enum RunFault {
    /// A relation gave a value that is infinite or NaN.
    NotFinite {
        /// The tick that failed, counted from 1; `None` in an event-accurate run.
        tick: Option<u64>,
        /// The time it started from, or at which the value stands [units of `time`].
        time: f64,
        /// The row.
        relation: RelationId,
        /// The real it wrote.
        real: RealId,
        /// The value.
        value: f64,
        /// The reals it read with their values.
        reals: Vec<(RealId, f64)>,
        /// The constants it read with their values.
        constants: Vec<(ConstantId, f64)>,
        /// The event row that has just written what it read, at the same time.
        after: Option<RelationId>,
    },
    /// A motion goes on beyond the points of a lookup that is not defined there.
    OutsideLookup {
        /// The time at which it has come to the end [units of `time`].
        time: f64,
        /// The row that reads it, if it is a row.
        relation: Option<RelationId>,
        /// The range that reads it, if it is a range.
        range: Option<RangeId>,
        /// The argument there.
        argument: f64,
        /// First and last argument of the lookup.
        ends: [f64; 2],
    },
    /// A delay reads the future.
    NegativeDelay {
        /// The time [units of `time`].
        time: f64,
        /// The row.
        relation: RelationId,
        /// The length of the delay [units of `time`].
        tau: f64,
    },
    /// The time cannot tell a delay from none, so that no step is as short.
    ShortDelay {
        /// The time [units of `time`].
        time: f64,
        /// The row.
        relation: RelationId,
        /// The length of the delay [units of `time`].
        tau: f64,
    },
    /// A row takes the derivative of what depends on the row itself.
    DerivativeInLoop(RelationId),
    /// A row that fixes an integrated real reads that real.
    ClampReadsItself(RelationId),
    /// Values that depend on each other have no single solution, or none was found.
    Loop {
        /// The time [units of `time`].
        time: f64,
        /// The rows.
        rows: Vec<RelationId>,
        /// True: not a single solution; false: none found.
        singular: bool,
        /// What its equation is off by at the bounds of the one unknown, if it has one sign between them.
        at_bounds: Option<[f64; 2]>,
    },
    /// A state from which a motion begins does not satisfy constraints.
    OffConstraint {
        /// The time [units of `time`].
        time: f64,
        /// Rows and equations with the residuals of the equation and of its derivatives.
        residuals: Vec<(RelationId, usize, SmallVec<[f64; 4]>)>,
        /// States with values that would satisfy them; empty if none were found.
        moves: Vec<(RealId, f64)>,
    },
    /// No equilibrium was found for the reals that start in one.
    NoEquilibrium {
        /// The one that stays farthest from rest, if a row moves any.
        real: Option<RealId>,
        /// Its value where the search ended [its unit].
        value: f64,
        /// Its rate there [its unit per unit of `time`].
        rate: f64,
        /// Booleans that take turns: where one mode rests, another one holds.
        turned: Vec<Boolean>,
    },
    /// Assignments contradict each other for ever.
    Cycle {
        /// The time [units of `time`].
        time: f64,
        /// Positions of the assignments.
        assignments: Vec<usize>,
    },
    /// Event iteration at one time returns to an earlier state, again and again.
    RuleCycle {
        /// The time [units of `time`].
        time: f64,
        /// The events that fire on the way.
        situations: Vec<SituationId>,
        /// Positions of the assignments that change something.
        assignments: Vec<usize>,
        /// The relations that act.
        relations: Vec<RelationId>,
        /// The ranges that change.
        ranges: Vec<RangeId>,
    },
    /// Events follow each other without end at one time.
    Endless {
        /// The time [units of `time`].
        time: f64,
        /// The situations that fired or held.
        situations: Vec<SituationId>,
    },
    /// Both sides of a border lead back to it, and the state does not slide along it.
    Chattering {
        /// The time [units of `time`].
        time: f64,
        /// The ranges on the border.
        ranges: Vec<RangeId>,
        /// The relation in which the border is that of a kink or a step.
        relation: Option<RelationId>,
        /// Why it does not.
        why: NoSlide,
    },
    /// Infinitely many events accumulate (Zeno), and after them nothing holds the state where it would be.
    Zeno {
        /// The time [units of `time`].
        time: f64,
        /// Limit of the event times [units of `time`].
        limit: f64,
        /// The events.
        situations: Vec<SituationId>,
    },
    /// A run has done all that it may do: see [`Budget`](crate::sim::Budget).
    Budget {
        /// The time [units of `time`].
        time: f64,
        /// Budget that was used up.
        what: Spent,
        /// The budget.
        limit: u64,
        /// Main consumer of the budget.
        on: SpentOn,
    },
    /// The method found no next step.
    Step {
        /// Its content.
        error: StepError,
        /// The real that limits the step or has no finite rate, if it is one.
        real: Option<RealId>,
    },
}

/// Why a state does not slide along a border to which both sides lead back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NoSlide {
    /// The border drives an event or an assignment.
    Drives,
    /// The border is the end of a step, as of `floor`.
    StepEnd,
    /// No mixture of the modes around keeps the state there.
    NoShares,
    /// It would slide along so many borders at once that move each other, or that one value follows
    /// from, more than are followed.
    TooMany(usize),
    /// It would slide along it and along a border that a margin jumps across, and one has a part in the other.
    Coupled,
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
                write!(f, "relation {} gave {value}", relation.0)?;
                match tick {
                    Some(tick) => write!(f, " in tick {tick} (t = {time})"),
                    None => write!(f, " at t = {time}"),
                }
            }
            Self::OutsideLookup { time, ends, .. } => {
                let [low, high] = ends;
                write!(
                    f,
                    "a lookup has no value beyond {low} .. {high} at t = {time}"
                )
            }
            Self::NegativeDelay {
                time,
                relation,
                tau,
            } => {
                write!(
                    f,
                    "the delay of relation {} is {tau} at t = {time}",
                    relation.0
                )
            }
            Self::ShortDelay {
                time,
                relation,
                tau,
            } => {
                write!(
                    f,
                    "no step is as short as the delay of relation {}, {tau}, at t = {time}",
                    relation.0
                )
            }
            Self::DerivativeInLoop(row) => {
                write!(
                    f,
                    "relation {} takes the derivative of what depends on it",
                    row.0
                )
            }
            Self::ClampReadsItself(row) => {
                write!(
                    f,
                    "relation {} fixes an integrated real and reads it",
                    row.0
                )
            }
            Self::Loop { time, singular, .. } => {
                let what = if *singular { "no single" } else { "no" };
                write!(f, "an algebraic loop has {what} solution at t = {time}")
            }
            Self::OffConstraint { time, .. } => {
                write!(f, "a constraint does not hold at t = {time}")
            }
            Self::NoEquilibrium { .. } => f.write_str("no equilibrium was found to start in"),
            Self::Cycle { time, .. } => {
                write!(
                    f,
                    "assignments contradict each other without end at t = {time}"
                )
            }
            Self::RuleCycle { time, .. } => {
                write!(f, "rules undo each other without end at t = {time}")
            }
            Self::Endless { time, .. } => {
                write!(f, "events follow each other without end at t = {time}")
            }
            Self::Chattering { time, .. } => {
                write!(
                    f,
                    "a border is crossed to and fro without end at t = {time}"
                )
            }
            Self::Zeno { limit, .. } => {
                write!(f, "infinitely many events gather at t = {limit}")
            }
            Self::Budget {
                time, what, limit, ..
            } => {
                write!(
                    f,
                    "`{}` of {limit} is used up at t = {time}",
                    what.setting()
                )
            }
            Self::Step { error, .. } => error.fmt(f),
        }
    }
}

impl std::error::Error for RunFault {}
