//! The event iteration of a run: what an instant has reached, and what its rows are evaluated with.

use super::echo::Echoes;
use super::instant::Taken;
use super::iteration::{Iteration, Todo};
use super::plan::Plan;
use super::row_programs::RowPrograms;
use super::standing_margins::StandingMargins;
use super::suppose::Supposed;

/// What is done at one time.
#[derive(Clone, Debug)]
pub(super) struct EventIteration {
    pub(super) iteration: Iteration,
    pub(super) todo: Todo,
    pub(super) standing: StandingMargins,
    pub(super) row_programs: RowPrograms,
    pub(super) supposed: Supposed,
    /// Rules that took part in the present instant, and reals before it.
    pub(super) taken: Taken,
    pub(super) before_jump: Vec<f64>,
    /// Whether the motion goes on smoothly over the present instant.
    pub(super) smooth: bool,
    pub(super) echoes: Echoes,
}

impl EventIteration {
    pub(super) fn new(plan: &Plan) -> Self {
        Self {
            iteration: Iteration::default(),
            todo: Todo::new(&plan.model, &plan.scan),
            standing: StandingMargins::default(),
            row_programs: RowPrograms::new(&plan.scan),
            supposed: Supposed::default(),
            taken: Taken::default(),
            before_jump: Vec::new(),
            smooth: false,
            echoes: Echoes::default(),
        }
    }

    /// Nothing is under way any more.
    pub(super) fn forget(&mut self) {
        self.todo.clear();
        self.iteration = Iteration::default();
    }
}
