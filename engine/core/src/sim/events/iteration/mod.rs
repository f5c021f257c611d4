//! The event iteration of a run: what an instant has reached, and what its rows are evaluated with.

use crate::sim::events::iteration::progress::{Iteration, PendingRows};
pub(super) mod event_iteration;
pub(super) mod interruption;
pub(super) mod microstep;
pub(super) mod participants;
pub(super) mod progress;
mod reversed;
pub(super) mod row_programs;
pub(super) mod row_scan;
pub(super) mod scans;
pub(super) mod settling;
pub(super) mod sides;
pub(super) mod standing_margins;
mod stopped;
pub(super) mod touched;
pub(super) mod worklist;
pub(super) mod zeno;

use crate::sim::events::delays::breaking_points::BreakingPoints;
use crate::sim::events::iteration::interruption::{Interrupted, Interruption};
use crate::sim::events::iteration::participants::Participants;
use crate::sim::events::iteration::row_programs::RowPrograms;
use crate::sim::events::iteration::standing_margins::StandingMargins;
use crate::sim::events::iteration::touched::Touched;
use crate::sim::events::modes::supposed_sides::TrialMode;
use crate::sim::events::state::plan::Plan;
use std::sync::Arc;

/// What is done at one time.
#[derive(Clone, Debug)]
pub(super) struct EventIteration {
    pub(crate) plan: Arc<Plan>,
    pub(super) iteration: Iteration,
    pub(super) todo: PendingRows,
    pub(super) standing: StandingMargins,
    pub(super) row_programs: RowPrograms,
    pub(super) supposed: TrialMode,
    /// Rules that took part in the present instant, and reals before it.
    pub(super) taken: Participants,
    pub(super) before_jump: Vec<f64>,
    /// Reals before the rows of the present instant, where the state rests on borders.
    pub(super) before_rows: Vec<f64>,
    /// The reals with which a run begins, until its first assignments are done.
    pub(super) given: Option<Vec<f64>>,
    /// Where something has happened at the present instant.
    pub(super) touched: Touched,
    /// True if the motion is smooth across the present instant.
    pub(super) smooth: bool,
    pub(super) echoes: BreakingPoints,
    pub(super) interruption: Interruption,
    /// The instant that is interrupted.
    pub(super) interrupted: Option<Box<Interrupted>>,
}

impl EventIteration {
    pub(super) fn new(plan: &Arc<Plan>) -> Self {
        Self {
            plan: Arc::clone(plan),
            iteration: Iteration::default(),
            todo: PendingRows::new(&plan.model, &plan.scan),
            standing: StandingMargins::default(),
            row_programs: RowPrograms::new(&plan.scan),
            supposed: TrialMode::default(),
            taken: Participants::default(),
            before_jump: Vec::new(),
            before_rows: Vec::new(),
            given: None,
            touched: Touched::default(),
            smooth: false,
            echoes: BreakingPoints::default(),
            interruption: Interruption::default(),
            interrupted: None,
        }
    }

    /// Nothing is under way any more.
    pub(super) fn forget(&mut self) {
        self.todo.clear();
        self.iteration = Iteration::default();
        self.interrupted = None;
    }
}
