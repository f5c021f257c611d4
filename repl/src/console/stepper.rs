//! What moves: a run that is stepped, left and entered again at any of its states.

use situ_engine::ids::RelationId;
use situ_engine::model::Model;
use situ_engine::sim::{Carried, RunFault, SetupError, Simulation, State};
use situ_engine::trace::Row;

use super::document::Version;

/// A run of one version of a table.
#[derive(Clone, Debug)]
pub(super) struct Stepper {
    pub(super) simulation: Simulation,
}

impl Stepper {
    /// From the start values.
    pub(super) fn begin(version: &Version) -> Result<Self, SetupError> {
        let simulation = Simulation::new(version.model.clone(), version.config.clone())?;
        Ok(Self { simulation })
    }

    /// From what another run has.
    pub(super) fn resume(version: &Version, from: &Carried) -> Result<Self, SetupError> {
        let simulation = Simulation::resume(version.model.clone(), version.config.clone(), from)?;
        Ok(Self { simulation })
    }

    pub(super) fn model(&self) -> &Model {
        self.simulation.model()
    }

    pub(super) fn time(&self) -> f64 {
        self.simulation.time()
    }

    /// Steps done, counted from anywhere.
    pub(super) fn steps(&self) -> u64 {
        self.simulation.tick()
    }

    /// The row that stands; an event holds in it if it fired in the last step.
    pub(super) fn row(&self) -> Row<'_> {
        self.simulation.present()
    }

    /// Length of a tick [units of `time`].
    pub(super) fn step_length(&self) -> f64 {
        self.simulation.config().step
    }

    /// Up to so many steps; fewer if the table's `stop_when` comes true.
    pub(super) fn advance(&mut self, steps: u64) -> Result<(), RunFault> {
        self.simulation.advance(steps)
    }

    /// Whether the table's `stop_when` holds.
    pub(super) fn stopped(&self) -> bool {
        self.simulation.stopped()
    }

    pub(super) fn state(&self) -> State {
        self.simulation.state().clone()
    }

    pub(super) fn restore(&mut self, state: &State) {
        self.simulation.restore(state);
    }

    pub(super) fn carried(&self) -> Carried {
        self.simulation.carried()
    }

    /// Whether the relation was active in the last step.
    pub(super) fn is_active(&self, relation: RelationId) -> bool {
        self.simulation.was_active(relation)
    }

    /// Whether the assignment was executed in the last step.
    pub(super) fn is_executed(&self, assignment: usize) -> bool {
        self.simulation.was_executed(assignment)
    }
}
