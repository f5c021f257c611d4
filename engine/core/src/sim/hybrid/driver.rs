//! A run: what it holds, how it begins, and how it goes on from step to step and from instant to instant.

use serde::{Deserialize, Serialize};
use smallvec::SmallVec;
use std::sync::Arc;

use super::code::Compiling;
use super::deeds::Deeds;
use super::discrete_state::DiscreteState;
use super::echo::Echoes;
use super::find::{Step, StepStart, TOGETHER};
use super::instant::{Bound, Reason, Taken};
use super::iteration::{Iteration, Todo};
use super::locate::Before;
use super::log::Log;
use super::modes::Modes;
use super::motion::Motion;
use super::past::Past;
use super::quiet::Quiet;
use super::row_programs::{RowPrograms, first_value};
use super::search::{Departures, Finder};
use super::seen::Seen;
use super::shared_modes::SharedModes;
use super::standing_margins::StandingMargins;
use super::suppose::Supposed;
use super::watching::Watching;
use super::zeno::Zeno;
use crate::ids::{ConstantId, RealId};
use crate::lower::border::{BorderId, Borders, RangeViews, Side, View};
use crate::lower::flow::Flow;
use crate::lower::scan::Scan;
use crate::model::{Argument, Input, Literal, Mark, Model, StartValues};
use crate::sim::start::{check_period, check_start};
use crate::sim::{Covered, Ended, EventConfig, RunFault, SetupError};
use crate::trace::{Measure, Recorder, Row};
use situ_solve::slices::fill;
use situ_solve::{Dense, Locate, Stats, Stepper};

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

/// What a run has done.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct EventStats {
    /// What the method did.
    pub method: Stats,
    /// Instants at which something happened.
    pub instants: u64,
    /// Ranges, rows of all kinds and margins that instants have gone through: those that their crossings reach.
    pub gone_through: u64,
    /// Modes made.
    pub modes: usize,
    /// Evaluations of the rates beyond a border, where they are counted: with one-sided location, and
    /// after [`Hybrid::count_beyond`]. Along a slide and at rest there are none on one side only.
    pub beyond: Option<u64>,
}

/// How often the error of a real was the largest one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Limits {
    /// In a step that was taken: the real decided how long the next one is.
    pub steps: u64,
    /// In a trial that was rejected.
    pub rejections: u64,
}

/// A model being run with events located.
///
/// ```
/// use situ_engine::model::{Clock, CompareOp, ModelBuilder, Stepping};
/// use situ_engine::sim::{EventConfig, Hybrid};
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
/// let mut run = Hybrid::new(table.build()?, EventConfig::from_clock(&clock)?)?;
/// run.run(&mut ())?;
/// assert!((run.time() - (2.0_f64 / 9.81).sqrt()).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Hybrid {
    pub(super) model: Arc<Model>,
    pub(super) config: EventConfig,
    pub(super) flow: Flow,
    pub(super) echoes: Echoes,
    pub(super) scan: Arc<Scan>,
    pub(super) row_programs: RowPrograms,
    pub(super) constants: Vec<f64>,
    pub(super) borders: Arc<Borders>,
    pub(super) discrete: DiscreteState,
    pub(super) standing: StandingMargins,
    pub(super) todo: Todo,
    pub(super) iteration: Iteration,
    pub(super) supposed: Supposed,
    /// Per range how its comparisons see their borders.
    pub(super) views: Vec<RangeViews>,
    /// Per border the ranges that look at it, and the rows of the scan whose latched values do.
    pub(super) ranges_by_border: Vec<SmallVec<[u32; 2]>>,
    pub(super) relays_by_border: Vec<SmallVec<[u32; 1]>>,
    /// Whether views have been written.
    pub(super) mode_is_known: bool,
    /// Whether there are ranges marked smooth.
    pub(super) knows_smooth: bool,
    /// Whether the motion goes on smoothly over the present instant.
    pub(super) smooth: bool,
    /// Ranges that are read by value.
    pub(super) unbordered: Vec<usize>,
    /// How the comparisons that are only watched see theirs.
    pub(super) watch_views: Vec<View>,
    /// Step of each staircase on which the state stands.
    pub(super) steps: Vec<f64>,
    pub(super) modes: Modes,
    pub(super) mode: usize,
    /// Whether no side has turned since that mode was looked for.
    pub(super) sides_stand: bool,
    /// Per real.
    pub(super) limits: Vec<Limits>,
    /// The mode of the motion in progress, if it is free.
    pub(super) moved_in: Option<usize>,
    pub(super) motion: Motion,
    /// What binds the motion to borders.
    pub(super) bound: Bound,
    /// Reals when the motion began, and what bound it.
    pub(super) begun: Begun,
    /// Borders that are being left, with the side and how many derivatives of z are known to vanish.
    pub(super) leaving: Vec<(BorderId, Side, usize)>,
    /// What delays remember.
    pub(super) past: Past,
    pub(super) zeno: Zeno,
    /// Rules that took part in the present instant, and reals before it.
    pub(super) taken: Taken,
    pub(super) before_jump: Vec<f64>,
    pub(super) log: Log,
    /// Room for a state.
    pub(super) y: Vec<f64>,
    pub(super) before: Before,
    /// Steps and instants since a time.
    pub(super) work: (f64, u64),
    /// Absolute tolerances of the states.
    pub(super) atol: Vec<f64>,
    /// On which of its solutions each loop of a mode was at the last commitment, and the mode.
    pub(super) branches: (usize, Vec<i8>),
    /// Memory for the departures of the next step.
    pub(super) room: Departures,
    /// What compiles steps, if anything does.
    pub(super) compiling: Option<Compiling>,
    /// Steps in which code could be taken over.
    pub(super) looks_at: u64,
    pub(super) stepper: Stepper,
    pub(super) finder: Finder,
    pub(super) t: f64,
    pub(super) reals: Vec<f64>,
    /// Per schedule how many of its instants are over.
    pub(super) beats: Vec<u64>,
    pub(super) instants: u64,
    /// Time of the last instant, and how many before it were at about the same time.
    pub(super) last_instant: f64,
    pub(super) stalled: u32,
    pub(super) quiet: Quiet,
    /// The step that has been found and not been gone through yet.
    pub(super) step: Option<Step>,
    /// What stood at the start of that step.
    pub(super) step_start: StepStart,
    pub(super) dense: Dense,
    /// Where the step has been cut, if it has [theta].
    pub(super) cut_at: Option<f64>,
    /// If the present step is the rest of one of the method: from where on [theta], and the whole.
    pub(super) rest_from: f64,
    /// When the rest begins.
    pub(super) rest_begin: f64,
    /// The latest time at which the method's step might have ended.
    pub(super) step_limit: f64,
    pub(super) whole_step: Dense,
    /// Whether the dense output of the step has been made; where it goes is known in any case.
    pub(super) dense_is_ready: bool,
    pub(super) watching: Watching,
    pub(super) seen: Seen,
    /// Bits as rows show them, and events since the last row.
    pub(super) words: Vec<u64>,
    pub(super) fired: Vec<u64>,
    /// Events of the last step.
    pub(super) latest: Vec<u64>,
    /// What rules did at the instant of the last step.
    pub(super) deeds: Deeds,
    pub(super) rows: u64,
    /// Where the last row stands, if nothing has changed since.
    pub(super) recorded: Option<f64>,
    /// Where the run was last asked to stop: what happens by rounding behind that counts as there.
    pub(super) asked: f64,
    pub(super) counts_beyond: bool,
    pub(super) beyond: u64,
    /// Why the run cannot go on.
    pub(super) fault: Option<RunFault>,
}

/// How the present motion began.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub(super) struct Begun {
    pub(super) reals: Vec<f64>,
    pub(super) bound: Bound,
}

/// How going on ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Pause {
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

impl Hybrid {
    /// Prepares a run from the model's start values: all that happens at the start has happened.
    ///
    /// Errors: [`SetupError`].
    pub fn new(model: impl Into<Arc<Model>>, config: EventConfig) -> Result<Self, SetupError> {
        Self::with_measures(model, config, &[])
    }

    /// Prepares a run that also takes measures.
    ///
    /// Errors: as [`Hybrid::new`].
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
    /// Errors: as [`Hybrid::new`].
    pub(in crate::sim) fn with_inputs(
        model: Arc<Model>,
        config: EventConfig,
        measures: &[Measure],
        given: &[(Input, f64)],
        shared: Option<&SharedModes>,
    ) -> Result<Self, SetupError> {
        let start = model.start_values_given(given).map_err(SetupError::Start)?;
        let mut hybrid = Self::prepared(model, config, measures, start)?;
        if let Some(shared) = shared {
            shared.enter(&hybrid.constants);
            hybrid.modes = Modes::with(shared.clone());
        }
        for &(input, value) in given {
            if let Input::Switch(id) = input {
                hybrid.discrete.switches.set(id.index(), value != 0.0);
            }
        }
        hybrid.start()?;
        hybrid.look();
        Ok(hybrid)
    }

    /// A run with these values, in which nothing has happened yet.
    pub(super) fn prepared(
        model: Arc<Model>,
        config: EventConfig,
        measures: &[Measure],
        start: StartValues,
    ) -> Result<Self, SetupError> {
        check_start(&model, &start)?;
        for schedule in &model.schedules {
            let [length, first] =
                [schedule.period, schedule.first].map(|expr| model.evaluate(expr, &start));
            check_period(length, first, schedule)?;
        }
        let flow = Flow::new(&model);
        let scan = Scan::new(&model, &flow);
        let past = past_of(&model, &flow, &start)?;
        let n_bits = model.switches.len() + model.ranges.len() + model.situations.len();
        let atol = [config.atol];
        config.settings.check(&atol).map_err(SetupError::Settings)?;
        let stepper = Stepper::new(config.settings.clone()).map_err(SetupError::Settings)?;
        Ok(Self {
            discrete: DiscreteState::new(
                &model,
                flow.relay_targets(&model)
                    .map(|real| start.reals[real.index()])
                    .collect(),
                flow.events.len(),
            ),
            watching: Watching::new(&model, measures),
            seen: Seen::new(&model),
            flow,
            echoes: Echoes::default(),
            row_programs: RowPrograms::new(&scan),
            standing: StandingMargins::default(),
            todo: Todo::new(&model, &scan),
            iteration: Iteration::default(),
            supposed: Supposed::default(),
            scan: Arc::new(scan),
            ranges_by_border: Vec::new(),
            relays_by_border: Vec::new(),
            mode_is_known: false,
            constants: start.constants,
            borders: Arc::default(),
            views: vec![RangeViews::new(); model.ranges.len()],
            knows_smooth: !marked(&model, Mark::Smooth).is_empty(),
            smooth: false,
            unbordered: marked(&model, Mark::NoEvent),
            watch_views: Vec::new(),
            steps: Vec::new(),
            modes: Modes::default(),
            mode: 0,
            sides_stand: false,
            limits: vec![Limits::default(); model.reals.len()],
            moved_in: None,
            motion: Motion::default(),
            bound: Bound::default(),
            begun: Begun::default(),
            leaving: Vec::new(),
            past,
            zeno: Zeno::default(),
            taken: Taken::default(),
            before_jump: Vec::new(),
            log: Log::default(),
            y: Vec::new(),
            before: Before::default(),
            work: (0.0, 0),
            atol: Vec::new(),
            branches: Default::default(),
            room: Departures::default(),
            compiling: None,
            looks_at: 0,
            stepper,
            finder: Finder::default(),
            t: 0.0,
            reals: start.reals,
            beats: vec![0; model.schedules.len()],
            instants: 0,
            last_instant: 0.0,
            stalled: 0,
            quiet: Quiet::default(),
            step: None,
            step_start: StepStart::default(),
            dense: Dense::default(),
            cut_at: None,
            rest_from: 0.0,
            rest_begin: 0.0,
            step_limit: 0.0,
            whole_step: Dense::default(),
            dense_is_ready: false,
            words: vec![0; n_bits.div_ceil(64)],
            fired: vec![0; n_bits.div_ceil(64)],
            latest: vec![0; n_bits.div_ceil(64)],
            deeds: Deeds::default(),
            rows: 0,
            recorded: None,
            asked: f64::INFINITY,
            counts_beyond: config.locate == Locate::OneSided,
            beyond: 0,
            fault: None,
            model,
            config,
        })
    }

    /// The model.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// The absolute tolerance of a real (in its unit).
    pub(super) fn atol_of(&self, real: RealId) -> f64 {
        atol_of(&self.model, &self.config, real)
    }

    /// The settings.
    pub fn config(&self) -> &EventConfig {
        &self.config
    }

    /// The time [units of `time`].
    pub fn time(&self) -> f64 {
        self.t.min(self.asked)
    }

    /// The present value of a real.
    pub fn real(&self, id: RealId) -> f64 {
        self.reals[id.index()]
    }

    /// The value of a constant.
    pub fn constant(&self, id: ConstantId) -> f64 {
        self.constants[id.index()]
    }

    /// Whether a literal holds now.
    pub fn holds(&self, literal: Literal) -> bool {
        self.discrete.holds(literal)
    }

    /// The row of the trajectory that stands now.
    pub fn row(&self) -> Row<'_> {
        Row {
            tick: self.instants,
            time: self.time(),
            reals: &self.reals,
            constants: &self.constants,
            words: &self.words,
            fired: &self.fired,
        }
    }

    /// What was done so far.
    pub fn stats(&self) -> EventStats {
        EventStats {
            method: *self.stepper.stats(),
            instants: self.instants,
            gone_through: self.todo.gone_through,
            modes: self.modes.len(),
            beyond: self.counts_beyond.then_some(self.beyond),
        }
    }

    /// Per real how often it was the one that limited the step of the method, since this value was made.
    pub fn limits(&self) -> &[Limits] {
        &self.limits
    }

    /// Counts from here on the evaluations of the rates beyond a border ([`EventStats::beyond`]); the
    /// run stays the same, bit for bit.
    ///
    /// Cost: an evaluation of all margins for each of the rates.
    pub fn count_beyond(&mut self) {
        self.counts_beyond = true;
    }

    /// What was measured so far, in the order of the measures; `None` if it has no value yet.
    pub fn measured(&self) -> Vec<Option<f64>> {
        let mut watching = self.watching.clone();
        if watching.is_idle() {
            return Vec::new();
        }
        self.hold_up_to_now(&mut watching);
        self.show(&mut watching, true);
        watching.measured()
    }

    /// Whether `stop_when` has come true.
    pub fn stopped(&self) -> bool {
        self.watching.stopped
    }

    /// Which combinations of booleans were seen and which rows acted.
    pub fn covered(&self) -> Covered {
        self.seen.covered(self.t)
    }

    /// Runs to the end of the settings, or until the recorder breaks off or `stop_when` holds.
    /// Rows go to the recorder at the start, as often as the settings say, on both sides of every
    /// instant, and at the end.
    ///
    /// Errors: [`RunFault`]; the rows up to there have been handed over.
    pub fn run(&mut self, recorder: &mut impl Recorder) -> Result<Ended, RunFault> {
        self.run_to(self.config.stop, recorder)
    }

    /// Runs to a time as [`Hybrid::run`] does to the end. Where a run is stopped and goes on leaves
    /// no trace in it.
    ///
    /// Errors: as [`Hybrid::run`].
    pub fn run_to(&mut self, until: f64, recorder: &mut impl Recorder) -> Result<Ended, RunFault> {
        self.log.wanted = recorder.wants_instants();
        self.asked = until.max(self.t);
        if self.tell(recorder) || self.record(recorder) {
            return Ok(Ended::Recorder);
        }
        self.log.instant.events.clear();
        while !self.watching.stopped && (self.t < until || self.happens_at(until)) {
            let pause = self.go_on(until, recorder);
            match pause? {
                Pause::Recorder => return Ok(Ended::Recorder),
                Pause::Condition | Pause::Until => {
                    if self.record_once(recorder) {
                        return Ok(Ended::Recorder);
                    }
                }
                Pause::Step if self.t >= until => {
                    if self.record_once(recorder) {
                        return Ok(Ended::Recorder);
                    }
                }
                Pause::Step | Pause::Instant => {}
            }
            if recorder.poll(parts(self.t, until), PARTS).is_break() {
                self.record_once(recorder);
                return Ok(Ended::Recorder);
            }
        }
        if self.tell_passed(recorder) {
            return Ok(Ended::Recorder);
        }
        Ok(if self.watching.stopped {
            Ended::Condition
        } else {
            Ended::Stop
        })
    }

    /// Whether something is due at a time that has been reached: a crossing that rounding hides at the end of the last
    /// step shows at the start of the next.
    fn happens_at(&mut self, until: f64) -> bool {
        if self.fault.is_some() || self.t > until + TOGETHER * until.abs() {
            return false;
        }
        if self.step.is_none() {
            if !self.lies_on_border() {
                return false;
            }
            match self.find() {
                Ok(step) => self.step = Some(step),
                Err(_) => return false,
            }
        }
        let mut step = self.step.iter();
        step.any(|step| step.reason.is_some() && step.end <= until + TOGETHER * until.abs())
    }

    /// Whether the state lies on a border that it has not been seen to reach, up to rounding.
    fn lies_on_border(&mut self) -> bool {
        if self.bound_margins().is_err() {
            return false;
        }
        let evaluator = self.modes.at(self.motion.mode);
        evaluator.mode.margins.iter().any(|margin| {
            let index = margin.border.index();
            let z = evaluator.z_first(margin.border);
            margin.is_searched()
                && !self.discrete.flags.get(index)
                && !self.borders.only_watched[index]
                && z.is_some_and(|[z, rate]| z == 0.0 && rate != 0.0)
        })
    }

    /// Goes to the end of the present step of the method, or to a time inside it; sooner if
    /// `stop_when` comes true. `stop_when` may come true again.
    ///
    /// Errors: [`RunFault`].
    pub fn advance(&mut self, until: f64, recorder: &mut impl Recorder) -> Result<(), RunFault> {
        self.log.wanted = recorder.wants_instants();
        self.watching.stopped = false;
        if self.t < until {
            self.asked = until;
            fill(&mut self.latest, 0);
            self.deeds.clear();
            self.go_on(until, recorder)?;
        }
        Ok(())
    }

    /// The row that stands now; an event holds in it if it fired in the last step.
    pub fn present(&self) -> Row<'_> {
        Row {
            fired: &self.latest,
            ..self.row()
        }
    }

    /// Whether the state lies inside a step of the method and not at its end.
    pub fn is_inside_step(&self) -> bool {
        self.step.is_some()
    }

    pub(super) fn go_on(
        &mut self,
        until: f64,
        recorder: &mut impl Recorder,
    ) -> Result<Pause, RunFault> {
        if let Some(fault) = &self.fault {
            return Err(fault.clone());
        }
        self.check_budget()?;
        let gone = self.go_on_along(until, recorder);
        let pause = match gone {
            Ok(Some(pause)) => Ok(pause),
            Ok(None) => self.finish(recorder),
            Err(fault) => Err(fault),
        };
        if let Err(fault) = &pause {
            self.fault = Some(fault.clone());
        }
        pause
    }

    /// The step is over: what happens at its end.
    fn finish(&mut self, recorder: &mut impl Recorder) -> Result<Pause, RunFault> {
        let step = (self.step.as_mut()).expect("a step has just been gone through");
        self.room = std::mem::take(&mut step.departures);
        let (end, reason) = (step.end, step.reason.take());
        let last = step.looks.len();
        self.take_held_spans(last, end);
        self.step = None;
        self.look();
        if self.next_row().is_some_and(|at| at < end) {
            self.rows = self.rows_before(end);
        }
        let broken_off = self.tell(recorder);
        if broken_off && reason.is_none() {
            return Ok(Pause::Recorder);
        }
        let reads = || self.reads_anew().then(Reason::default);
        let Some(reason) = reason.or_else(reads) else {
            let on_grid = self.next_row() == Some(end);
            self.rows += u64::from(on_grid);
            if (on_grid || self.config.every.is_none()) && self.record(recorder) {
                return Ok(Pause::Recorder);
            }
            return Ok(if self.watching.stopped {
                Pause::Condition
            } else {
                Pause::Step
            });
        };
        let on_grid = self.next_row() == Some(end);
        self.rows += u64::from(on_grid);
        let both_sides = !self.config.grid_only;
        let mut broken = broken_off || (both_sides && self.record(recorder));
        self.instant(&reason)?;
        self.look();
        broken |= self.tell(recorder);
        broken |= (both_sides || on_grid) && self.record(recorder);
        Ok(match (broken, self.watching.stopped) {
            (true, _) => Pause::Recorder,
            (_, true) => Pause::Condition,
            _ => Pause::Instant,
        })
    }
}

/// The absolute tolerance of a real (in its unit).
pub(super) fn atol_of(model: &Model, config: &EventConfig, real: RealId) -> f64 {
    let nominal = model.reals[real.index()].nominal;
    config.atol * nominal.unwrap_or(1.0)
}

/// Ranges that have a mark.
fn marked(model: &Model, mark: Mark) -> Vec<usize> {
    let ranges = model.ranges.iter().enumerate();
    ranges
        .filter(|(_, range)| range.mark == Some(mark))
        .map(|(index, _)| index)
        .collect()
}

/// The pasts of the delays, as they are before the start.
fn past_of(model: &Model, flow: &Flow, start: &StartValues) -> Result<Past, SetupError> {
    let mut lines = Vec::with_capacity(flow.delays.len());
    for &row in &flow.delays {
        let relation = &model.relations[flow.rows[row].relation.index()];
        let Argument::Real(length) = relation.args[1] else {
            unreachable!("the signature says that the length is a number");
        };
        let tau = model.evaluate(length, start);
        if !(tau > 0.0 && tau.is_finite()) {
            return Err(SetupError::BadInterval {
                what: "delay",
                value: tau,
                origin: relation.origin,
            });
        }
        lines.push((tau, first_value(model, relation, start)));
    }
    Ok(Past::new(lines.into_iter()))
}
