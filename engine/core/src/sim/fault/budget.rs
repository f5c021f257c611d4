//! Budgets of a run: limits that end a run which would go on for ever, with what used them up.

use crate::ids::{RelationId, ScheduleId, SituationId};
use crate::sim::RunFault;

/// Budgets of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Budget {
    /// Instants of an event-accurate run.
    pub events: u64,
    /// Ticks, or steps of the method.
    pub steps: u64,
    /// Rows of the grid.
    pub rows: u64,
}

impl Default for Budget {
    fn default() -> Self {
        Self {
            events: 10_000_000,
            steps: 1_000_000_000,
            rows: 10_000_000_000,
        }
    }
}

/// Budget that was used up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Spent {
    /// Instants.
    Events,
    /// Ticks, or steps.
    Steps,
    /// Rows.
    Rows,
}

impl Spent {
    /// The setting that allows more.
    pub fn setting(self) -> &'static str {
        match self {
            Self::Events => "max_events",
            Self::Steps => "max_steps",
            Self::Rows => "max_rows",
        }
    }
}

/// Main consumer of a budget.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum SpentOn {
    /// Ticks of this length [units of `time`].
    Ticks(f64),
    /// Rows at this distance [units of `time`].
    Rows(f64),
    /// Beats of a schedule at this distance [units of `time`].
    Beats(ScheduleId, f64),
    /// Firings of an event.
    Firings(SituationId, u64),
    /// Steps that are no longer than a delay [units of `time`].
    Delay(RelationId, f64),
    /// Steps about as long as this, for the tolerance or as set [units of `time`].
    Length(f64),
    /// Instants of no event that has a name.
    Borders,
}

/// The error of a run that has spent a budget.
pub(in crate::sim) fn spent(time: f64, what: Spent, limit: u64, on: SpentOn) -> RunFault {
    RunFault::Budget {
        time,
        what,
        limit,
        on,
    }
}
