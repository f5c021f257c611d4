//! One way to run a model, tick by tick or event-accurately.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::compiled::{CompileError, Compiler};
use super::{
    Covered, EndReason, EventConfig, EventRun, EventState, EventStats, Finding, NamedState,
    RunConfig, RunFault, SavedEventRun, SetupError, State, StateError, TickConfig, TickRun,
};
use crate::ids::{ConstantId, RealId, RelationId};
use crate::model::{Boolean, Model};
use crate::trace::{Gap, Measure, Recorder, Row};

/// A model being run, in either stepping.
///
/// ```
/// use situ_engine::model::{Clock, ModelBuilder, Stepping};
/// use situ_engine::sim::{Run, RunConfig};
///
/// let mut table = ModelBuilder::new("growth");
/// let x = table.real("x", 1.0);
/// table.relation(x, "integral", [x]);
/// let model = std::sync::Arc::new(table.build()?);
/// for (stepping, error) in [(Stepping::Tick, 2e-3), (Stepping::Events, 1e-5)] {
///     let clock = Clock {
///         stepping: Some(stepping),
///         step: Some(0.001),
///         stop: Some(1.0),
///         ..Clock::default()
///     };
///     let mut run = Run::new(model.clone(), RunConfig::from_clock(&clock)?, &[])?;
///     run.run(&mut ())?;
///     assert!((run.real(x) - std::f64::consts::E).abs() < error);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub enum Run {
    /// Tick by tick.
    Ticks(Box<TickRun>),
    /// Event-accurately.
    Events(Box<EventRun>),
}

/// All that the rest of a run depends on.
#[derive(Clone, PartialEq, Debug)]
pub enum RunState {
    /// Of a tick run.
    Ticks(State),
    /// Of an event-accurate run.
    Events(Box<EventState>),
}

/// A run put aside, for another process.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum SavedRun {
    /// A tick run.
    Ticks(State),
    /// An event-accurate run.
    Events(Box<SavedEventRun>),
}

/// Work done by a run so far.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum RunStats {
    /// Ticks done.
    Ticks(u64),
    /// Statistics of an event-accurate run.
    Events(EventStats),
}

impl Run {
    /// Prepares a run from the model's start values.
    ///
    /// # Errors
    ///
    /// [`SetupError`].
    pub fn new(
        model: impl Into<Arc<Model>>,
        config: RunConfig,
        measures: &[Measure],
    ) -> Result<Self, SetupError> {
        Ok(match config {
            RunConfig::Ticks(config) => {
                Self::Ticks(Box::new(TickRun::with_measures(model, config, measures)?))
            }
            RunConfig::Events(config) => {
                Self::Events(Box::new(EventRun::with_measures(model, config, measures)?))
            }
        })
    }

    /// Prepares a run that goes on from what another one has, also from one in the other stepping.
    ///
    /// Constants have the values that `model` gives them.
    ///
    /// # Errors
    ///
    /// [`SetupError`].
    pub fn resume(
        model: impl Into<Arc<Model>>,
        config: RunConfig,
        from: &NamedState,
    ) -> Result<Self, SetupError> {
        Ok(match config {
            RunConfig::Ticks(config) => {
                Self::Ticks(Box::new(TickRun::resume(model, config, from)?))
            }
            RunConfig::Events(config) => {
                Self::Events(Box::new(EventRun::resume(model, config, from)?))
            }
        })
    }

    /// State of the run at present, by the names of its model, for [`Run::resume`].
    pub fn carried(&self) -> NamedState {
        match self {
            Self::Ticks(run) => run.carried(),
            Self::Events(run) => run.carried(),
        }
    }

    /// The same by the names of a model that differs from its own in names only ([`Model::differs_in_names_only`]).
    pub fn carried_under(&self, model: &Model) -> NamedState {
        match self {
            Self::Ticks(run) => run.carried_under(model),
            Self::Events(run) => run.carried_under(model),
        }
    }

    /// The row that stands now; an event holds in it if it fired in the last tick or step.
    pub fn present(&self) -> Row<'_> {
        match self {
            Self::Ticks(run) => run.present(),
            Self::Events(run) => run.present(),
        }
    }

    /// True if the relation was active in the last tick; in event stepping, if it wrote something
    /// at the instant of the last step or takes part in the motion now.
    pub fn was_active(&self, id: RelationId) -> bool {
        match self {
            Self::Ticks(run) => run.was_active(id),
            Self::Events(run) => run.was_active(id),
        }
    }

    /// True if the assignment was executed in the last tick, or at the instant of the last step.
    pub fn was_executed(&self, assignment: usize) -> bool {
        match self {
            Self::Ticks(run) => run.was_executed(assignment),
            Self::Events(run) => run.was_executed(assignment),
        }
    }

    /// The model.
    pub fn model(&self) -> &Model {
        match self {
            Self::Ticks(run) => run.model(),
            Self::Events(run) => run.model(),
        }
    }

    /// The settings.
    pub fn config(&self) -> RunConfig {
        match self {
            Self::Ticks(run) => RunConfig::Ticks(TickConfig::clone(run.config())),
            Self::Events(run) => RunConfig::Events(EventConfig::clone(run.config())),
        }
    }

    /// The time [units of `time`].
    pub fn time(&self) -> f64 {
        match self {
            Self::Ticks(run) => run.time(),
            Self::Events(run) => run.time(),
        }
    }

    /// The present value of a real.
    pub fn real(&self, id: RealId) -> f64 {
        match self {
            Self::Ticks(run) => run.real(id),
            Self::Events(run) => run.real(id),
        }
    }

    /// The value of a constant.
    pub fn constant(&self, id: ConstantId) -> f64 {
        match self {
            Self::Ticks(run) => run.constant(id),
            Self::Events(run) => run.constant(id),
        }
    }

    /// The present value of a boolean; for an event, whether it fired since the last row.
    pub fn boolean(&self, what: Boolean) -> bool {
        self.row().boolean(self.model(), what)
    }

    /// The row of the trajectory that stands now.
    pub fn row(&self) -> Row<'_> {
        match self {
            Self::Ticks(run) => run.row(),
            Self::Events(run) => run.row(),
        }
    }

    /// True if `stop_when` has come true.
    pub fn stopped(&self) -> bool {
        match self {
            Self::Ticks(run) => run.stopped(),
            Self::Events(run) => run.stopped(),
        }
    }

    /// Results of the measures so far, in their order; `None` if one has no value yet.
    pub fn measured(&self) -> Vec<Option<f64>> {
        match self {
            Self::Ticks(run) => run.measured(),
            Self::Events(run) => run.measured(),
        }
    }

    /// Per measure the times at which what an extreme is taken of had no value so far; `None` if it always had one.
    pub fn gaps(&self) -> Vec<Option<Gap>> {
        match self {
            Self::Ticks(run) => run.gaps(),
            Self::Events(run) => run.gaps(),
        }
    }

    /// Coverage: combinations of booleans that were seen and rows that acted.
    pub fn covered(&self) -> Covered {
        match self {
            Self::Ticks(run) => run.covered(),
            Self::Events(run) => run.covered(),
        }
    }

    /// Findings of the run up to now: see [`Finding`].
    pub fn findings(&self) -> Vec<Finding> {
        match self {
            Self::Ticks(run) => run.findings(),
            Self::Events(run) => run.findings().to_vec(),
        }
    }

    /// Statistics of the work done so far.
    pub fn work(&self) -> RunStats {
        match self {
            Self::Ticks(run) => RunStats::Ticks(run.tick()),
            Self::Events(run) => RunStats::Events(run.stats()),
        }
    }

    /// Runs to the end of the settings, or until the recorder breaks off or `stop_when` holds.
    /// Rows go to the recorder at the start, as often as the settings say, and at the end; of an
    /// event-accurate run also on both sides of every instant.
    ///
    /// # Errors
    ///
    /// [`RunFault`]; the rows up to there have been handed over.
    pub fn run(&mut self, recorder: &mut impl Recorder) -> Result<EndReason, RunFault> {
        match self {
            Self::Ticks(run) => run.run(recorder),
            Self::Events(run) => run.run(recorder),
        }
    }

    /// Runs to a time, a tick run to the last tick that is not after it. Stopping and going on
    /// leaves no trace in what follows.
    ///
    /// # Errors
    ///
    /// As [`Run::run`].
    pub fn run_to(
        &mut self,
        until: f64,
        recorder: &mut impl Recorder,
    ) -> Result<EndReason, RunFault> {
        match self {
            Self::Ticks(run) => run.run_to(until, recorder),
            Self::Events(run) => run.run_to(until, recorder),
        }
    }

    /// One tick; or on to the end of the present step of the method, which the next instant cuts
    /// short, but not beyond a time. `stop_when` may end it sooner.
    ///
    /// # Errors
    ///
    /// [`RunFault`].
    pub fn step(&mut self, until: f64) -> Result<(), RunFault> {
        match self {
            Self::Ticks(run) => run.advance(1),
            Self::Events(run) => run.advance(until, &mut ()),
        }
    }

    /// From here on ticks and steps are done in compiled code, where that pays and as soon as it is there. Results
    /// stay the same to the bit. Ticks of changing length stay with the interpreter.
    ///
    /// # Errors
    ///
    /// [`CompileError`].
    pub fn compile_with(&mut self, compiler: Arc<dyn Compiler>) -> Result<(), CompileError> {
        match self {
            Self::Ticks(run) => run.compile_with(&*compiler),
            Self::Events(run) => {
                run.compile_with(compiler);
                Ok(())
            }
        }
    }

    /// Number of ticks done in compiled code.
    pub fn native_ticks(&self) -> u64 {
        match self {
            Self::Ticks(run) => run.native_ticks(),
            Self::Events(_) => 0,
        }
    }

    /// True if compiled code did some of its ticks, or has taken over some of the computations of its steps.
    pub fn is_native(&self) -> bool {
        match self {
            Self::Ticks(run) => run.native_ticks() > 0,
            Self::Events(run) => run.native_modes() > 0,
        }
    }

    /// The state for another process, for [`Run::load`].
    pub fn saved(&self) -> SavedRun {
        match self {
            Self::Ticks(run) => SavedRun::Ticks(run.state().clone()),
            Self::Events(run) => SavedRun::Events(Box::new(run.saved())),
        }
    }

    /// Goes on from what another process has put aside: a run of the same model with the same
    /// settings, measures and `stop_when`. Only the stop may be another, and the distance of rows. Measures begin
    /// where it goes on; `stop_when`, if it holds there, ends the run when it comes true again.
    ///
    /// # Errors
    ///
    /// [`StateError`], where the state is not one of this model and these settings.
    pub fn load(&mut self, saved: &SavedRun) -> Result<(), StateError> {
        match (self, saved) {
            (Self::Ticks(run), SavedRun::Ticks(state)) => run.load(state),
            (Self::Events(run), SavedRun::Events(saved)) => run.load(saved),
            _ => Err(StateError::Stepping),
        }
    }

    /// The condition of `stop_when` ends the run no more, as for one that goes on behind it, but the condition of a
    /// measure, if one is given. To be said before a state is loaded and compiled code asked for.
    pub fn ignore_stop_when(&mut self, instead: Option<usize>) {
        match self {
            Self::Ticks(run) => run.ignore_stop_when(instead),
            Self::Events(run) => run.ignore_stop_when(instead),
        }
    }

    /// The state, for [`Run::restore`].
    pub fn state(&self) -> RunState {
        match self {
            Self::Ticks(run) => RunState::Ticks(run.state().clone()),
            Self::Events(run) => RunState::Events(Box::new(run.state())),
        }
    }

    /// Goes back, or on, to a state of the same model and stepping. Coverage and measures are not
    /// taken back.
    ///
    /// # Errors
    ///
    /// [`StateError`], where the state is not one of this model and these settings.
    pub fn restore(&mut self, state: &RunState) -> Result<(), StateError> {
        match (self, state) {
            (Self::Ticks(run), RunState::Ticks(state)) => {
                run.validate(state)?;
                run.restore(state);
                Ok(())
            }
            (Self::Events(run), RunState::Events(state)) => {
                run.validate(state)?;
                run.restore(state)
            }
            _ => Err(StateError::Stepping),
        }
    }
}

impl RunState {
    /// About how much memory it takes (in bytes).
    pub fn bytes(&self) -> usize {
        match self {
            Self::Ticks(state) => state.bytes(),
            Self::Events(state) => state.bytes(),
        }
    }
}
