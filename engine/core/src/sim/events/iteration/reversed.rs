//! An instant whose events are run one after the other, the last first, to show what depends on their order.

use crate::sim::RunFault;
use crate::sim::events::detect::Detection;
use crate::sim::events::iteration::EventIteration;
use crate::sim::events::iteration::event_iteration::EventCause;
use crate::sim::events::motion::Dynamics;
use crate::sim::events::observe::Observation;
use crate::sim::events::state::HybridState;

impl EventIteration {
    /// Runs the events of one instant in parts, the last first; a border that has been crossed or left
    /// by a jump meanwhile is not crossed any more.
    pub(super) fn one_after_the_other(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        detect: &mut Detection,
        observe: &mut Observation,
        reason: &EventCause,
    ) -> Result<(), RunFault> {
        let before = state.discrete.sides.clone();
        for &schedule in reason.due.iter().rev() {
            self.fire_schedule(state, observe, schedule);
            self.iterate(state, dynamics, detect, observe)?;
        }
        for &border in reason.borders.iter().rev() {
            let z = dynamics.modes.at(dynamics.motion.mode).z(border);
            let stands = state.discrete.sides[border.index()] == before[border.index()];
            if stands && !dynamics.is_off(state, border, z.unwrap_or_default())? {
                self.cross_border(state, dynamics, border)?;
                if reason.jumps.contains(&border) {
                    self.jump_over(state, dynamics, observe, &[border])?;
                }
                self.enter_domains(state, dynamics, observe, &[border])?;
                self.iterate(state, dynamics, detect, observe)?;
            }
        }
        Ok(())
    }
}
