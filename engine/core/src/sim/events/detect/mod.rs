//! Detection of events: a step of the integration method is cut at the first crossing in it.

mod continuation;
mod contradiction;
pub(super) mod crossing_search;
pub(in crate::sim::events) mod departure;
pub(super) mod first_crossing;
pub(super) mod grazing;
pub(super) mod locators;
pub(super) mod looks;
mod lookup_ends;
pub(super) mod next_step;
mod poles;
mod pulses;
pub(super) mod restart;
pub(super) mod schedules;
pub(super) mod within_step;

use std::sync::Arc;

use crate::lower::border::BorderId;
use crate::sim::RunFault;
use crate::sim::events::detect::crossing_search::Finder;
use crate::sim::events::detect::departure::Departures;
use crate::sim::events::detect::next_step::{Step, StepStart};
use crate::sim::events::detect::poles::LastDivisors;
use crate::sim::events::modes::evaluation::jit::Compiling;
use crate::sim::events::motion::Dynamics;
use crate::sim::events::observe::Observation;
use crate::sim::events::run::limits::Limits;
use crate::sim::events::state::plan::Plan;
use crate::sim::events::state::{HybridState, Rest};
use situ_solve::slices::copy;
use situ_solve::{Dense, Locate, Stepper};

/// The integration method and the step under way.
#[derive(Clone, Debug)]
pub(super) struct Detection {
    pub(crate) plan: Arc<Plan>,
    pub(super) stepper: Stepper,
    /// Absolute tolerances of the states.
    pub(super) atol: Vec<f64>,
    /// The step that has been found and not been gone through yet.
    pub(super) step: Option<Step>,
    /// State at the start of that step.
    pub(super) step_start: StepStart,
    pub(super) dense: Dense,
    /// True if the dense output of the step has been made; its end is known in any case.
    pub(super) dense_is_ready: bool,
    /// Place at which the step was cut, if it was [theta].
    pub(super) cut_at: Option<f64>,
    /// What the present step is of one of the method, from 0 if it is all of it.
    pub(super) rest: Rest,
    /// The step of the method of which the present one is the rest.
    pub(super) whole_step: Dense,
    pub(super) finder: Finder,
    /// Quiet borders, each with how far tolerances reach in its z where the present step begins.
    pub(super) quiet_reaches: Vec<(BorderId, f64)>,
    divisors: LastDivisors,
    /// Solutions of solved rows at places of the step, ascending, where they bend on the way [theta].
    followed: Vec<(f64, Vec<f64>)>,
    /// Memory for the departures of the next step.
    pub(super) room: Departures,
    /// Per real.
    pub(super) limits: Vec<Limits>,
    pub(super) beyond: BeyondCount,
    /// Compiler of steps, if there is one.
    pub(super) compiling: Option<Compiling>,
    /// Steps in which code could be taken over.
    pub(super) looks_at: u64,
}

/// Evaluations of the rates beyond a border.
#[derive(Clone, Copy, Debug)]
pub(super) struct BeyondCount {
    pub(super) wanted: bool,
    pub(super) count: u64,
}

impl Detection {
    /// Notes what stands at the start of a step.
    fn note_start(&mut self, state: &HybridState) {
        copy(&mut self.step_start.reals, &state.reals);
        copy(&mut self.step_start.sides, &state.discrete.sides);
        self.step_start.flags.clone_from(&state.discrete.flags);
    }

    /// The state has left no border that it would have left in the step: there is none, or a shorter one.
    fn leave_none(&self, state: &mut HybridState) {
        state.discrete.flags.clone_from(&self.step_start.flags);
    }

    /// Goes on in the method's step behind an instant that has not touched the motion.
    pub(super) fn find_rest(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        observe: &mut Observation,
    ) -> Result<Step, RunFault> {
        self.note_start(state);
        let due_at = dynamics.next_due(state);
        let mut departures = std::mem::take(&mut self.room);
        dynamics.departures(state, &mut departures)?;
        self.write_quiet(state, dynamics, &departures)?;
        let mut rest = std::mem::take(&mut self.dense);
        rest.restrict(&self.whole_step, self.rest.from);
        self.dense = rest;
        self.dense_is_ready = true;
        let lands = self.dense.t1() == due_at;
        let stop = self.search(state, dynamics, observe, &departures, lands);
        let due_at = lands.then_some(due_at);
        self.cut_at(state, dynamics, observe, stop, due_at, departures)
    }

    pub(super) fn new(plan: &Arc<Plan>, stepper: Stepper) -> Self {
        Self {
            plan: Arc::clone(plan),
            stepper,
            atol: Vec::new(),
            step: None,
            step_start: StepStart::default(),
            dense: Dense::default(),
            dense_is_ready: false,
            cut_at: None,
            rest: Rest::default(),
            whole_step: Dense::default(),
            finder: Finder::default(),
            quiet_reaches: Vec::new(),
            divisors: LastDivisors::NONE,
            followed: Vec::new(),
            room: Departures::default(),
            limits: vec![Limits::default(); plan.model.reals.len()],
            beyond: BeyondCount {
                wanted: plan.config.locate == Locate::OneSided,
                count: 0,
            },
            compiling: None,
            looks_at: 0,
        }
    }
}
