//! Microsteps of a step, or of the start, that is done again: what each found, and what its event rows read and wrote, for those who
//! explain it.

use std::sync::Arc;

use crate::bits::Bits;
use crate::ids::RelationId;
use crate::model::Model;
use crate::sim::events::equilibrium;
use crate::sim::events::observe::Observation;
use crate::sim::events::run::EventRun;
use crate::sim::events::state::HybridState;
use crate::sim::found::Found;
use crate::sim::{EventConfig, RunFault, SetupError};

/// A microstep of an instant.
#[derive(Clone, PartialEq, Debug)]
pub struct Microstep {
    /// The time [units of `time`].
    pub time: f64,
    /// Reals as ranges read them, before the rows.
    pub reals: Vec<f64>,
    /// True in the first microstep of a run.
    pub start: bool,
    /// The booleans that it found.
    pub found: Found,
    /// Event rows that acted, in the order in which they did.
    pub rows: Vec<MicrostepRow>,
}

/// An event row that acted in a microstep.
#[derive(Clone, PartialEq, Debug)]
pub struct MicrostepRow {
    /// The row.
    pub relation: RelationId,
    /// All reals as it read them: rows of a group read what stood before the first of them.
    pub before: Vec<f64>,
    /// All reals when it was done.
    pub after: Vec<f64>,
}

impl Observation {
    /// Ranges, situations and assignments are about to be gone through.
    pub(crate) fn begin_microstep(&mut self, state: &HybridState) {
        let Some(microsteps) = &mut self.microsteps else {
            return;
        };
        let (model, truths) = (&self.plan.model, &state.discrete);
        let rows = model.situation_rows.iter().enumerate();
        let remembered = rows.map(|(at, row)| {
            let event = model.situations[row.situation.index()].event;
            (event && !self.plan.scan.instantaneous[at]).then(|| truths.held(at))
        });
        microsteps.push(Microstep {
            time: state.t,
            reals: state.reals.clone(),
            start: truths.start,
            found: Found {
                executed: vec![false; model.assignments.len()],
                switches: all(&truths.switches),
                remembered: remembered.collect(),
                ..Found::default()
            },
            rows: Vec::new(),
        });
    }

    /// An assignment is executed.
    pub(crate) fn assigned(&mut self, assignment: usize) {
        self.seen.assigned(assignment);
        if let Some(microstep) = self.microsteps.iter_mut().flatten().last() {
            microstep.found.executed[assignment] = true;
        }
    }

    /// All booleans have been found; the rows come next.
    pub(crate) fn found_booleans(&mut self, state: &HybridState) {
        if let Some(microstep) = self.microsteps.iter_mut().flatten().last() {
            let truths = &state.discrete;
            microstep.found.ranges = all(&truths.ranges);
            microstep.found.situations = all(&truths.situations);
            microstep.found.due = all(&truths.due);
        }
    }

    /// An event row is done that has read these values.
    pub(crate) fn acted(&mut self, relation: RelationId, before: Vec<f64>, state: &HybridState) {
        if let Some(microstep) = self.microsteps.iter_mut().flatten().last() {
            microstep.rows.push(MicrostepRow {
                relation,
                before,
                after: state.reals.clone(),
            });
        }
    }
}

fn all(bits: &Bits) -> Vec<bool> {
    (0..bits.len()).map(|index| bits.get(index)).collect()
}

impl EventRun {
    /// Microsteps of the instant at the start of a run from the model's start values, whose event rows have acted before
    /// the first step.
    ///
    /// # Errors
    ///
    /// [`SetupError`].
    pub fn observe_start(
        model: Arc<Model>,
        config: EventConfig,
    ) -> Result<Vec<Microstep>, SetupError> {
        let start = model.start_values_given(&[]).map_err(SetupError::Start)?;
        let start = equilibrium::find(&model, &[], start)?;
        let mut run = Self::prepared(model, config, &[], start)?;
        run.observe.microsteps = Some(Vec::new());
        run.start()?;
        Ok(run.observe.microsteps.take().unwrap_or_default())
    }

    /// Does the next step without moving on; the microsteps of the instant at its end, none if there is none.
    ///
    /// # Errors
    ///
    /// [`RunFault`], with which the step ends.
    pub fn observe_step(&self) -> Result<Vec<Microstep>, RunFault> {
        self.observe_to_microstep(u32::MAX)
    }

    /// As [`EventRun::observe_step`], up to a microstep.
    ///
    /// # Errors
    ///
    /// As there.
    pub fn observe_to_microstep(&self, number: u32) -> Result<Vec<Microstep>, RunFault> {
        let mut run = self.clone();
        run.observe.microsteps = Some(Vec::new());
        run.advance_to_microstep(number)?;
        Ok(run.observe.microsteps.take().unwrap_or_default())
    }
}
