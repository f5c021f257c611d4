//! A run: what it holds, how it begins, and how it goes on from step to step and from instant to instant.

use crate::sim::events::observe::monitors::{Monitors, Point};
pub(super) mod budget;
pub(super) mod fault;
pub(super) mod finite;
mod instant;
pub(super) mod limits;

use crate::sim::events::detect::Detection;
use crate::sim::events::detect::within_step::StepAdvance;
use crate::sim::events::equilibrium;
use crate::sim::events::iteration::EventIteration;
use crate::sim::events::motion::Dynamics;
use crate::sim::events::observe::Observation;
use crate::sim::events::run::limits::Limits;
use crate::sim::events::state::plan::Plan;
use crate::sim::events::state::{EventState, HybridState};
use std::sync::Arc;

use crate::ids::{ConstantId, RealId};
use crate::model::{Input, Literal, Model, StartValues};
use crate::sim::events::detect::next_step::TOGETHER;
use crate::sim::events::iteration::interruption::Interruption;
use crate::sim::events::modes::cache::Modes;
use crate::sim::events::modes::shared_modes::SharedModes;
use crate::sim::state::start::{check_period, check_start};
use crate::sim::{EndReason, EventConfig, RunFault, SetupError};
use crate::trace::{Gap, Measure, Recorder, Row};
use situ_solve::slices::fill;
use situ_solve::{Stats, Stepper};

/// Parts of a run in which its progress is told.
pub(super) const PARTS: u64 = 1000;

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "between 0 and 1000"
)]
pub(super) fn parts(t: f64, until: f64) -> u64 {
    (t / until * 1000.0) as u64
}

/// Statistics of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct EventStats {
    /// Statistics of the method.
    pub method: Stats,
    /// Instants at which something happened.
    pub instants: u64,
    /// Ranges, rows of all kinds and margins that instants have gone through: those that their crossings reach.
    pub gone_through: u64,
    /// Modes made.
    pub modes: usize,
    /// Evaluations of the rates beyond a border, where they are counted: with one-sided location, and
    /// after [`EventRun::count_beyond`]. Along a slide and at rest there are none on one side only.
    pub beyond: Option<u64>,
}

/// A model being run with events located.
///
/// ```
/// use situ_engine::model::{Clock, CompareOp, ModelBuilder, Stepping};
/// use situ_engine::sim::{EventConfig, EventRun};
///
/// // A ball falls from 1 m and stops the clock when it hits the floor.
/// let mut table = ModelBuilder::new("fall");
/// let [h, v] = [("h", 1.0), ("v", 0.0)].map(|(name, start)| table.real(name, start));
/// table.relation(v, "integral", [-9.81]);
/// table.relation(h, "integral", [v]);
/// let down = table.range("down", [(h.into(), CompareOp::LessEqual, 0.0.into())]);
/// table.stop_when([down.into()]);
/// let clock = Clock { stop: Some(10.0), stepping: Some(Stepping::Events), ..Clock::default() };
///
/// let mut run = EventRun::new(table.build()?, EventConfig::from_clock(&clock)?)?;
/// run.run(&mut ())?;
/// assert!((run.time() - (2.0_f64 / 9.81).sqrt()).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct EventRun {
    pub(super) plan: Arc<Plan>,
    pub(super) state: HybridState,
    pub(super) dynamics: Dynamics,
    pub(super) events: EventIteration,
    pub(super) detect: Detection,
    pub(super) observe: Observation,
    /// Time at which the run was last asked to stop: an event that rounding puts behind it counts as there.
    pub(super) stop_requested: f64,
    /// Why the run cannot go on.
    pub(super) fault: Option<RunFault>,
    /// The state before the instant that is interrupted.
    pub(super) before_instant: Option<Box<EventState>>,
}

/// Reason for which the run paused.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Pause {
    /// A step is over.
    Step,
    /// An instant is over.
    Instant,
    /// The time asked for has been reached inside a step.
    Until,
    /// `stop_when` came true.
    Condition,
    /// The recorder breaks off.
    Recorder,
}

impl EventRun {
    /// Prepares a run from the model's start values: all that happens at the start has happened.
    ///
    /// # Errors
    ///
    /// [`SetupError`].
    pub fn new(model: impl Into<Arc<Model>>, config: EventConfig) -> Result<Self, SetupError> {
        Self::with_measures(model, config, &[])
    }

    /// Prepares a run that also takes measures.
    ///
    /// # Errors
    ///
    /// As [`EventRun::new`].
    pub fn with_measures(
        model: impl Into<Arc<Model>>,
        config: EventConfig,
        measures: &[Measure],
    ) -> Result<Self, SetupError> {
        Self::with_inputs(model.into(), config, measures, &[], None)
    }

    /// Prepares a run with some start values given from outside; the modes that other runs of the model with
    /// these settings and measures have made come from shared modes.
    ///
    /// # Errors
    ///
    /// As [`EventRun::new`].
    pub(crate) fn with_inputs(
        model: Arc<Model>,
        config: EventConfig,
        measures: &[Measure],
        given: &[(Input, f64)],
        shared: Option<&SharedModes>,
    ) -> Result<Self, SetupError> {
        let start = model.start_values_given(given).map_err(SetupError::Start)?;
        let start = equilibrium::find(&model, given, start)?;
        let switches = model.switches_given(given).map_err(SetupError::Start)?;
        let mut hybrid = Self::prepared(model, config, measures, start)?;
        if let Some(shared) = shared {
            shared.enter(&hybrid.plan.constants);
            hybrid.dynamics.modes = Modes::with(shared.clone());
        }
        for (id, value) in switches {
            hybrid.state.discrete.switches.set(id.index(), value);
        }
        hybrid.start()?;
        hybrid.observe.look(&hybrid.state, &hybrid.dynamics);
        Ok(hybrid)
    }

    /// A run with these values, in which nothing has happened yet.
    pub(super) fn prepared(
        model: Arc<Model>,
        config: EventConfig,
        measures: &[Measure],
        start: StartValues,
    ) -> Result<Self, SetupError> {
        check_start(&model, &start, true)?;
        for schedule in &model.schedules {
            let [length, first] =
                [schedule.period, schedule.first].map(|expr| model.evaluate(expr, &start));
            check_period(length, first, schedule)?;
        }
        let mut model = model;
        let watching = Monitors::new(&mut model, &start.constants, measures);
        let plan = Arc::new(Plan::new(model, config, &watching, start.constants.clone()));
        let state = HybridState::new(&plan, start)?;
        let settings = &plan.config.settings;
        let checked = settings.check(&[plan.config.atol]);
        checked.map_err(SetupError::Settings)?;
        let stepper = Stepper::new(settings.clone()).map_err(SetupError::Settings)?;
        Ok(Self {
            state,
            dynamics: Dynamics::new(&plan),
            events: EventIteration::new(&plan),
            detect: Detection::new(&plan, stepper),
            observe: Observation::new(&plan, watching),
            stop_requested: f64::INFINITY,
            fault: None,
            before_instant: None,
            plan,
        })
    }

    /// The model.
    pub fn model(&self) -> &Model {
        &self.plan.model
    }

    /// The settings.
    pub fn config(&self) -> &EventConfig {
        &self.plan.config
    }

    /// The time [units of `time`].
    pub fn time(&self) -> f64 {
        self.state.t.min(self.stop_requested)
    }

    /// The present value of a real.
    pub fn real(&self, id: RealId) -> f64 {
        self.state.reals[id.index()]
    }

    /// The value of a constant.
    pub fn constant(&self, id: ConstantId) -> f64 {
        self.plan.constants[id.index()]
    }

    /// True if a literal holds now.
    pub fn holds(&self, literal: Literal) -> bool {
        self.state.discrete.holds(literal)
    }

    /// The row of the trajectory that stands now.
    pub fn row(&self) -> Row<'_> {
        Row {
            tick: self.state.progress.instants,
            time: self.time(),
            reals: &self.state.reals,
            constants: &self.plan.constants,
            words: &self.observe.words,
            fired: &self.state.shown.fired,
        }
    }

    /// Statistics of the work done so far.
    pub fn stats(&self) -> EventStats {
        let mut method = *self.detect.stepper.stats();
        // The step in which the state lies counts as one of which a part is taken.
        method.steps += u64::from(self.state.t > self.detect.stepper.t());
        EventStats {
            method,
            instants: (self.state.progress.instants).saturating_sub(self.observe.earlier_instants),
            gone_through: self.events.todo.gone_through,
            modes: self.dynamics.modes.len(),
            beyond: self
                .detect
                .beyond
                .wanted
                .then_some(self.detect.beyond.count),
        }
    }

    /// Per real how often it was the one that limited the step of the method, since this value was made.
    pub fn limits(&self) -> &[Limits] {
        &self.detect.limits
    }

    /// Counts from here on the evaluations of the rates beyond a border ([`EventStats::beyond`]); the
    /// run stays the same, bit for bit.
    ///
    /// Cost: an evaluation of all margins for each of the rates.
    pub fn count_beyond(&mut self) {
        self.detect.beyond.wanted = true;
    }

    /// Results of the measures so far, in their order; `None` if one has no value yet.
    pub fn measured(&self) -> Vec<Option<f64>> {
        self.watched_to_now().measured(self.time())
    }

    /// Per measure the times at which what an extreme is taken of had no value.
    pub fn gaps(&self) -> Vec<Option<Gap>> {
        self.watched_to_now().gaps()
    }

    /// The measures with what stands now.
    fn watched_to_now(&self) -> Monitors {
        let mut watching = self.observe.watching.clone();
        if !watching.is_idle() {
            self.hold_up_to_now(&mut watching);
            self.dynamics.show(&self.state, &mut watching, Point::Last);
        }
        watching
    }

    /// True if `stop_when` has come true.
    pub fn stopped(&self) -> bool {
        self.observe.watching.stopped
    }

    /// Runs to the end of the settings, or until the recorder breaks off or `stop_when` holds.
    /// Rows go to the recorder at the start, as often as the settings say, on both sides of every
    /// instant, and at the end. Where `stop_when` comes true in an instant, the run stops behind the rows of that microstep.
    ///
    /// # Errors
    ///
    /// [`RunFault`]; the rows up to there have been handed over.
    pub fn run(&mut self, recorder: &mut impl Recorder) -> Result<EndReason, RunFault> {
        self.run_to(self.plan.config.stop, recorder)
    }

    /// Runs to a time as [`EventRun::run`] does to the end. Where a run is stopped and goes on leaves
    /// no trace in it.
    ///
    /// # Errors
    ///
    /// As [`EventRun::run`].
    pub fn run_to(
        &mut self,
        until: f64,
        recorder: &mut impl Recorder,
    ) -> Result<EndReason, RunFault> {
        self.observe.log.wanted = recorder.wants_instants();
        self.stop_requested = until.max(self.state.t);
        if self.observe.tell(recorder) || self.record(recorder) {
            return Ok(EndReason::Recorder);
        }
        self.observe.log.instant.events.clear();
        while !self.observe.watching.stopped && (self.state.t < until || self.happens_at(until)) {
            self.events.interruption = Interruption::AtStop;
            let pause = self.go_on(until, recorder);
            self.events.interruption = Interruption::Never;
            match pause? {
                Pause::Recorder => return Ok(EndReason::Recorder),
                Pause::Instant => {}
                Pause::Step if self.state.t < until => {}
                Pause::Condition | Pause::Until | Pause::Step => {
                    if self.record_once(recorder) {
                        return Ok(EndReason::Recorder);
                    }
                }
            }
            if recorder.poll(parts(self.state.t, until), PARTS).is_break() {
                self.record_once(recorder);
                return Ok(EndReason::Recorder);
            }
        }
        // Rows on the grid only do not show an instant, unless it is the last thing that happens.
        let is_shown = self.observe.recorded.is_some();
        if !is_shown && self.record(recorder)
            || self
                .detect
                .tell_passed(&self.state, &mut self.observe, recorder)
        {
            return Ok(EndReason::Recorder);
        }
        Ok(if self.observe.watching.stopped {
            EndReason::Condition
        } else {
            EndReason::Stop
        })
    }

    /// True if something is due at a time that is reached: a crossing that rounding hides at the end of the last
    /// step shows at the start of the next.
    fn happens_at(&mut self, until: f64) -> bool {
        if self.fault.is_some() || self.state.t > until + TOGETHER * until.abs() {
            return false;
        }
        if self.events.is_interrupted() {
            return true;
        }
        if self.detect.step.is_none() {
            if !self.dynamics.lies_on_border(&self.state) {
                return false;
            }
            match self.detect.find(
                &mut self.state,
                &mut self.dynamics,
                &mut self.events,
                &mut self.observe,
            ) {
                Ok(step) => self.detect.step = Some(step),
                Err(_) => return false,
            }
        }
        let mut step = self.detect.step.iter();
        step.any(|step| step.reason.is_some() && step.end <= until + TOGETHER * until.abs())
    }

    /// Goes to the end of the present step of the method, or to a time inside it; sooner if
    /// `stop_when` comes true. `stop_when` may come true again.
    ///
    /// # Errors
    ///
    /// [`RunFault`].
    pub fn advance(&mut self, until: f64, recorder: &mut impl Recorder) -> Result<(), RunFault> {
        self.observe.log.wanted = recorder.wants_instants();
        self.observe.watching.stopped = false;
        if self.state.t < until {
            self.stop_requested = until;
            fill(&mut self.state.shown.latest, 0);
            self.state.shown.deeds.clear();
            self.go_on(until, recorder)?;
            // A Zeno limit lies behind what was asked for by more than rounding.
            if self.state.t > until + TOGETHER * until.abs() {
                self.stop_requested = f64::INFINITY;
            }
        }
        Ok(())
    }

    /// The time inside the present step of the method, or the next one, at which `stop_when` comes true; if it holds
    /// now, comes true again [units of `time`]. The run stays as it is.
    pub fn stop_inside(&self) -> Option<f64> {
        if !self.observe.watching.may_stop() {
            return None;
        }
        let mut ahead = self.clone();
        loop {
            ahead.begin_measures();
            ahead.advance(f64::INFINITY, &mut ()).ok()?;
            if !ahead.stopped() || ahead.detect.step.is_none() {
                return None;
            }
            // A run that was brought to the place at which it comes true stands right before it.
            if ahead.time() > self.time() {
                return Some(ahead.time());
            }
        }
    }

    /// The row that stands now; an event holds in it if it fired in the last step.
    pub fn present(&self) -> Row<'_> {
        Row {
            fired: &self.state.shown.latest,
            ..self.row()
        }
    }

    /// True if the state lies inside a step of the method, or inside the instant at its end.
    pub fn is_inside_step(&self) -> bool {
        self.detect.step.is_some() || self.events.is_interrupted()
    }

    pub(super) fn go_on(
        &mut self,
        until: f64,
        recorder: &mut impl Recorder,
    ) -> Result<Pause, RunFault> {
        if let Some(fault) = &self.fault {
            return Err(fault.clone());
        }
        self.detect.check_steps(&self.state)?;
        let pause = if self.events.is_interrupted() {
            self.go_on_with_instant(recorder)
        } else {
            match self.advance_to_step_end(until, recorder) {
                Ok(StepAdvance::Paused(pause)) => Ok(pause),
                Ok(StepAdvance::End(before)) => self.finish_step(before, recorder),
                Err(fault) => Err(fault),
            }
        };
        if let Err(fault) = &pause {
            self.fault = Some(fault.clone());
        }
        pause
    }
}

impl Dynamics {
    /// True if the state lies on a border that it has not been seen to reach, up to rounding.
    fn lies_on_border(&mut self, state: &HybridState) -> bool {
        if self.bound_margins(state).is_err() {
            return false;
        }
        let evaluator = self.modes.at(self.motion.mode);
        evaluator.mode.margins.iter().any(|margin| {
            let index = margin.border.index();
            let z = evaluator.z_first(margin.border);
            margin.is_searched()
                && !state.discrete.flags.get(index)
                && !state.borders.only_watched[index]
                && z.is_some_and(|[z, rate]| z == 0.0 && rate != 0.0)
        })
    }
}
