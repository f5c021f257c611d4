//! What a run shows: rows, measures, the log of instants, coverage. Nothing in the run follows from it.

use crate::sim::events::state::plan::Plan;
pub(super) mod at_stop;
pub(super) mod coverage;
pub(super) mod held_shares;
pub(super) mod log;
pub(super) mod microsteps;
pub(super) mod monitors;
pub(super) mod rows;
pub(super) mod slide_coverage;
pub(super) mod standing_rows;
pub(super) mod step_effects;

use crate::sim::events::motion::Dynamics;
use crate::sim::events::observe::coverage::ModeCoverage;
use crate::sim::events::observe::log::Log;
use crate::sim::events::observe::microsteps::Microstep;
use crate::sim::events::observe::monitors::Monitors;
use crate::sim::events::state::HybridState;
use std::sync::Arc;

/// What a recorder and measures are told from.
#[derive(Clone, Debug)]
pub(super) struct Observation {
    pub(crate) plan: Arc<Plan>,
    pub(super) watching: Monitors,
    pub(super) seen: ModeCoverage,
    /// Bits as rows show them.
    pub(super) words: Vec<u64>,
    /// Time of the last row, if nothing has changed since.
    pub(super) recorded: Option<f64>,
    pub(super) log: Log,
    /// Instants of the run before it was taken up here.
    pub(super) earlier_instants: u64,
    /// Where each microstep is kept, in a step that is done again.
    pub(super) microsteps: Option<Vec<Microstep>>,
}

impl Observation {
    pub(super) fn new(plan: &Arc<Plan>, watching: Monitors) -> Self {
        let model = &plan.model;
        let n_bits = model.switches.len() + model.ranges.len() + model.situations.len();
        Self {
            plan: Arc::clone(plan),
            watching,
            seen: ModeCoverage::new(model),
            words: vec![0; n_bits.div_ceil(64)],
            recorded: None,
            log: Log::default(),
            earlier_instants: 0,
            microsteps: None,
        }
    }

    /// Coverage, the log and the count of instants begin with what stands now.
    pub(super) fn begin_again(&mut self, state: &HybridState, dynamics: &Dynamics) {
        self.seen = ModeCoverage::new(&self.plan.model);
        self.log = Log::default();
        self.earlier_instants = state.progress.instants;
        self.note_combination(state, dynamics);
    }
}
