//! The tick run: the tape of [`crate::lower::tick()`] executed tick by tick (FORMALISM 6).
//!
//! `initial_state` is what stands before the first tick; `recorded` goes on from there, with rows. Ticks of one length are `interpreted`, or done by compiled code
//! (`native`). Those of changing length are `located`: `crossing` finds where one ends, from what `sample` says of points
//! in it and where `continuation` lets it lay a parabola. `blame` finds the row of a value that is not finite, `findings`
//! are told at the end. A run goes on from a saved state that `validate` has checked, or in a changed model (`resume`).

mod blame;
mod code;
mod continuation;
mod crossing;
pub(super) mod findings;
pub(super) mod initial_state;
mod interpreted;
mod located;
mod native;
mod recorded;
mod resume;
mod sample;
mod validate;

use std::sync::Arc;

use self::code::Code;
use self::crossing::Uneven;
use self::initial_state::{Beginning, start};
use self::native::Native;
use super::coverage::Coverage;
use super::monitor::Plan;
use super::{Covered, SetupError, State, TickConfig};
use crate::backend::interpreter::{Room, holds};
use crate::ids::{ConstantId, RealId, RelationId};
use crate::lower::{self, Probes, Program};
use crate::model::{Boolean, Model};
use crate::sim::projection::Moves;
use crate::trace::{Gap, Measure, Measured, Row};

/// A model being run tick by tick.
///
/// ```
/// use situ_engine::model::{Clock, ModelBuilder};
/// use situ_engine::sim::{TickConfig, TickRun};
///
/// let mut table = ModelBuilder::new("growth");
/// let x = table.real("x", 1.0);
/// table.relation(x, "integral", [x]);
/// let model = table.build()?;
/// let clock = Clock { step: Some(0.001), stop: Some(1.0), ..Clock::default() };
/// let config = TickConfig::from_clock(&clock)?;
///
/// let mut simulation = TickRun::new(model, config)?;
/// simulation.advance(1000)?;
/// assert!((simulation.real(x) - std::f64::consts::E).abs() < 2e-3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct TickRun {
    pub(super) model: Arc<Model>,
    pub(super) config: TickConfig,
    pub(super) program: Arc<Program>,
    pub(super) code: Arc<Code>,
    pub(super) state: State,
    pub(super) snapshot: State,
    /// Room for spans.
    pub(super) room: Room,
    /// Events that fired since they were last asked for.
    pub(super) fired: Vec<u64>,
    /// The same as it was before the ticks that are being done.
    pub(super) fired_before: Vec<u64>,
    /// The booleans as coverage knows them.
    pub(super) noted: Vec<u64>,
    /// Room for the booleans of a tick.
    pub(super) words: Vec<u64>,
    pub(super) coverage: Coverage,
    /// Plan of the booleans that are watched one by one.
    pub(super) plan: Arc<Plan>,
    pub(super) measures: Vec<Measured>,
    /// Position of the probe that stops the run.
    pub(super) stop: Option<usize>,
    pub(super) stopped: bool,
    /// `stop_when` holds since the run was taken up: it stops the run when it comes true again.
    pub(super) waits: bool,
    /// Start values that were moved onto constraints, with what they were and are.
    pub(super) moved: Moves,
    pub(super) native: Option<Box<Native>>,
    /// State for ticks whose lengths may differ from the settings.
    pub(super) uneven: Option<Box<Uneven>>,
}

impl TickRun {
    /// Prepares a run from the model's start values.
    ///
    /// # Errors
    ///
    /// [`SetupError`], if there are no start values to start from.
    pub fn new(model: impl Into<Arc<Model>>, config: TickConfig) -> Result<Self, SetupError> {
        Self::with_measures(model, config, &[])
    }

    /// Prepares a run that also takes measures.
    ///
    /// # Errors
    ///
    /// As [`TickRun::new`].
    pub fn with_measures(
        model: impl Into<Arc<Model>>,
        config: TickConfig,
        measures: &[Measure],
    ) -> Result<Self, SetupError> {
        let model = model.into();
        let beginning = Beginning::given(&model, &[])?;
        Self::starting_from(model, config, measures, &beginning)
    }

    /// Prepares a run that begins with these values.
    pub(super) fn starting_from(
        model: Arc<Model>,
        config: TickConfig,
        measures: &[Measure],
        beginning: &Beginning,
    ) -> Result<Self, SetupError> {
        let (mut probes, measures) = probed(&model, measures);
        let stop = model.clock.stop_when.is_some().then_some(0);
        let keeps_times = config.is_uneven() || model.has_varying_delays();
        let uneven = keeps_times.then(|| Box::new(Uneven::new(&model, &config, &mut probes)));
        let program = lower::tick(&model, &config.options, &probes);
        let code = Code::new(&program);
        let (state, moved) = start(&model, &program, &code, &config, beginning)?;
        let plan = Arc::new(Plan::new(&model, &program));
        let mut simulation = Self {
            fired: vec![0; program.event_bits.len()],
            fired_before: vec![0; program.event_bits.len()],
            noted: state.bits.clone(),
            words: state.bits.clone(),
            coverage: Coverage::new(&program, Arc::clone(&plan)),
            plan,
            snapshot: state.clone(),
            room: Room::new(&code.tick.spans),
            code: Arc::new(code),
            program: Arc::new(program),
            model,
            config,
            state,
            measures,
            stop,
            stopped: false,
            waits: false,
            moved,
            native: None,
            uneven,
        };
        simulation.begin();
        Ok(simulation)
    }

    /// A run of the same code, with the same measures, that begins with these values.
    ///
    /// # Errors
    ///
    /// [`SetupError`].
    pub(super) fn again(
        &self,
        measures: &[Measure],
        beginning: &Beginning,
    ) -> Result<Self, SetupError> {
        let (state, moved) = self.start_at(beginning)?;
        let mut simulation = Self {
            fired: vec![0; self.fired.len()],
            fired_before: vec![0; self.fired.len()],
            noted: state.bits.clone(),
            words: state.bits.clone(),
            coverage: Coverage::new(&self.program, Arc::clone(&self.plan)),
            plan: Arc::clone(&self.plan),
            snapshot: state.clone(),
            room: self.room.clone(),
            code: Arc::clone(&self.code),
            program: Arc::clone(&self.program),
            model: Arc::clone(&self.model),
            config: self.config.clone(),
            state,
            measures: probed(&self.model, measures).1,
            stop: self.stop,
            stopped: false,
            waits: false,
            moved,
            native: None,
            uneven: self.uneven.clone(),
        };
        simulation.begin();
        Ok(simulation)
    }

    /// The state before the first tick of a run of the same code that begins with these values.
    ///
    /// # Errors
    ///
    /// [`SetupError`].
    pub(super) fn start_of(&self, beginning: &Beginning) -> Result<State, SetupError> {
        self.start_at(beginning).map(|(state, _)| state)
    }

    fn start_at(&self, beginning: &Beginning) -> Result<(State, Moves), SetupError> {
        start(
            &self.model,
            &self.program,
            &self.code,
            &self.config,
            beginning,
        )
    }

    /// The model.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// The settings.
    pub fn config(&self) -> &TickConfig {
        &self.config
    }

    /// The lowered model.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// Ticks done.
    pub fn tick(&self) -> u64 {
        self.state.tick
    }

    /// The model's time after the ticks done [units of `time`].
    pub fn time(&self) -> f64 {
        self.state.grid.time_of(self.state.tick, self.config.step)
    }

    /// The present value of a real.
    pub fn real(&self, id: RealId) -> f64 {
        self.state.reals[id.index()]
    }

    /// The value of a constant.
    pub fn constant(&self, id: ConstantId) -> f64 {
        self.state.reals[self.program.n_reals + id.index()]
    }

    /// The present value of a boolean.
    pub fn boolean(&self, what: Boolean) -> bool {
        self.row().boolean(&self.model, what)
    }

    /// The row of the trajectory that stands now.
    pub fn row(&self) -> Row<'_> {
        Row {
            tick: self.state.tick,
            time: self.time(),
            reals: &self.state.reals[..self.program.n_reals],
            constants: &self.state.reals[self.program.n_reals..][..self.program.n_constants],
            words: &self.state.bits,
            fired: &self.fired,
        }
    }

    /// The row that stands now; an event holds in it if it fired in the last tick.
    pub fn present(&self) -> Row<'_> {
        Row {
            fired: &self.state.bits,
            ..self.row()
        }
    }

    /// True if the relation was active in the last tick; at the start, if it is going to be.
    pub fn was_active(&self, id: RelationId) -> bool {
        let tests = &self.program.tape.tests;
        self.program.relation_tests[id.index()]
            .is_none_or(|test| holds(tests, test, self.state.bits.as_slice()))
    }

    /// True if the assignment was executed in the last tick.
    pub fn was_executed(&self, assignment: usize) -> bool {
        let test = self.program.assignment_tests[assignment];
        holds(&self.program.tape.tests, test, self.state.bits.as_slice())
    }

    /// Coverage: combinations of booleans that were seen and rows that acted.
    pub fn covered(&self) -> Covered {
        let step = self.uneven.is_none().then_some(self.config.step);
        self.coverage.covered(&self.model, &self.program, step)
    }

    /// Results of the measures so far, in their order; `None` if one has no value yet.
    pub fn measured(&self) -> Vec<Option<f64>> {
        let now = self.time();
        self.measures
            .iter()
            .map(|measured| measured.value(now))
            .collect()
    }

    /// Per measure the times at which what an extreme is taken of had no value.
    pub fn gaps(&self) -> Vec<Option<Gap>> {
        self.measures.iter().map(Measured::gap).collect()
    }

    /// True if its ticks are done one by one: their lengths may differ, or delays vary.
    pub(in crate::sim) fn is_uneven(&self) -> bool {
        self.uneven.is_some()
    }

    /// True if `stop_when` has come true.
    pub fn stopped(&self) -> bool {
        self.stopped
    }

    /// The condition of `stop_when` ends the run no more, but that of a measure, if one is given.
    pub fn ignore_stop_when(&mut self, instead: Option<usize>) {
        self.stop = instead.map(|measure| self.measures[measure].probe);
    }

    /// The state, for [`TickRun::restore`].
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Goes back, or on, to a state of the same model. Coverage and measures are not taken back.
    pub fn restore(&mut self, state: &State) {
        self.coverage.close(self.state.tick);
        self.state.clone_from(state);
        self.snapshot.clone_from(state);
        self.noted.clone_from(&state.bits);
        self.coverage
            .resume(&self.state.bits, state.tick, &self.program.tape.tests);
    }

    /// True if rows are read while running. The probes of a measure may need no operations of
    /// their own: a real is read where it stands.
    pub(super) fn is_probed(&self) -> bool {
        self.stop.is_some() || !self.measures.is_empty()
    }

    /// The bit that stops the run, one of the probes.
    pub(super) fn stop_bit(&self) -> Option<u32> {
        self.stop.map(|probe| self.program.probes.watches[probe])
    }

    /// The time after so many ticks [units of `time`].
    pub(super) fn time_of(&self, tick: u64) -> f64 {
        self.state.grid.time_of(tick, self.config.step)
    }

    /// Slots that are tested after every tick.
    pub(super) fn watched(&self) -> &[u32] {
        &self.code.watched
    }

    /// True if rows before the last one matter.
    pub(super) fn reads_every_row(&self) -> bool {
        self.stop.is_some() || !self.measures.iter().all(Measured::is_final)
    }
}

/// Probes of a run: `stop_when` and measures.
fn probed(model: &Model, measures: &[Measure]) -> (Probes, Vec<Measured>) {
    let mut probes = Probes::default();
    probes.watches.extend(model.clock.stop_when.clone());
    let measures = measures.iter();
    let measured = measures.map(|measure| Measured::new(measure, model, &mut probes));
    let measured = measured.collect();
    (probes, measured)
}

#[cfg(test)]
mod tests;
