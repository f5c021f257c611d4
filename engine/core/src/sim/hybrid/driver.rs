//! Moves time: steps of the method, cut where a border is crossed or an instant is due.

use std::sync::Arc;

use super::actions::Actions;
use super::eval::Evaluator;
use super::modes::Modes;
use super::motion::{Motion, Slide};
use super::search::{Departure, Finder, first_change};
use super::seen::Seen;
use super::state::EventState;
use super::truth::Truths;
use super::watching::{Watching, turning_points};
use crate::ids::{ConstantId, RealId, ScheduleId};
use crate::lower::border::{BorderId, Borders, Side, View};
use crate::lower::flow::Flow;
use crate::model::{Literal, Model, StartValues};
use crate::sim::start::{check_period, check_start};
use crate::sim::{Covered, Ended, EventConfig, RunFault, SetupError};
use crate::solve::{Dense, EnterError, Stats, StepError, Stepper};
use crate::trace::{Measure, Recorder, Row};

/// Crossings within so many rounding errors of the time (or of the step) are one instant.
const TOGETHER: f64 = 64.0 * f64::EPSILON;

/// Parts of a run in which its progress is told.
const PARTS: u64 = 1000;

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "between 0 and 1000"
)]
fn parts(t: f64, until: f64) -> u64 {
    (t / until * 1000.0) as u64
}

/// What a run has done.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct EventStats {
    /// What the method did.
    pub method: Stats,
    /// Instants at which something happened.
    pub instants: u64,
    /// Modes made.
    pub modes: usize,
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
    pub(super) actions: Actions,
    pub(super) constants: Vec<f64>,
    pub(super) borders: Borders,
    pub(super) truths: Truths,
    /// Per range how its comparisons see their borders.
    pub(super) views: Vec<Vec<View>>,
    /// How the comparisons that are only watched see theirs.
    pub(super) watch_views: Vec<View>,
    /// Step of each staircase on which the state stands.
    pub(super) steps: Vec<f64>,
    pub(super) modes: Modes,
    pub(super) mode: usize,
    pub(super) motion: Option<Motion>,
    /// Reals when the motion began, and the borders along which it slides.
    pub(super) begun: Begun,
    pub(super) stepper: Stepper,
    finder: Finder,
    pub(super) t: f64,
    pub(super) reals: Vec<f64>,
    /// Per schedule how many of its instants are over.
    pub(super) beats: Vec<u64>,
    pub(super) instants: u64,
    /// Time of the last instant, and how many before it were at about the same time.
    pub(super) last_instant: f64,
    pub(super) stalled: u32,
    /// The step that has been found and not been gone through yet.
    step: Option<Step>,
    /// Reals at the start of that step.
    step_start: Vec<f64>,
    dense: Dense,
    pub(super) watching: Watching,
    pub(super) seen: Seen,
    /// Bits as rows show them, and events since the last row.
    pub(super) words: Vec<u64>,
    pub(super) fired: Vec<u64>,
    /// Events of the last step.
    pub(super) latest: Vec<u64>,
    rows: u64,
    /// Where the last row stands, if nothing has changed since.
    recorded: Option<f64>,
    /// Why the run cannot go on.
    fault: Option<RunFault>,
}

/// How the present motion began.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Begun {
    pub(super) reals: Vec<f64>,
    pub(super) slides: Vec<BorderId>,
}

/// A step that has been found: where it ends, and what is to be looked at on the way.
#[derive(Clone, Debug)]
struct Step {
    end: f64,
    /// The end as theta: exactly, where time is too coarse.
    theta: f64,
    cause: Option<Cause>,
    /// Schedules due at the end.
    due: Vec<ScheduleId>,
    departures: Vec<Departure>,
    /// In order; those before `passed` are over.
    looks: Vec<Look>,
    passed: usize,
}

/// A point inside a step that a measure or a condition looks at.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Look {
    theta: f64,
    t: f64,
    /// The border that is crossed there, with the side it gives.
    crosses: Option<(BorderId, Side)>,
}

/// The first thing that ends a step.
struct Stop {
    theta: f64,
    cause: Cause,
}

#[derive(Clone, Debug)]
enum Cause {
    Crossing(Vec<BorderId>),
    LeaveSlide(Side),
    Due,
}

/// How going on ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Pause {
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
        let model = model.into();
        let start = model.start_values().map_err(SetupError::Start)?;
        let mut hybrid = Self::prepared(model, config, measures, start)?;
        hybrid.start()?;
        hybrid.write_words();
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
        let actions = Actions::new(&model, &flow, &start.constants);
        let n_bits = model.switches.len() + model.ranges.len() + model.situations.len();
        let atol = [config.atol];
        config.settings.check(&atol).map_err(SetupError::Settings)?;
        let stepper = Stepper::new(config.settings.clone()).map_err(SetupError::Settings)?;
        Ok(Self {
            truths: Truths::new(&model, flow.relays.len(), flow.events.len()),
            watching: Watching::new(&model, measures),
            seen: Seen::new(&model),
            flow,
            actions,
            constants: start.constants,
            borders: Borders::default(),
            views: model.ranges.iter().map(|_| Vec::new()).collect(),
            watch_views: Vec::new(),
            steps: Vec::new(),
            modes: Modes::default(),
            mode: 0,
            motion: None,
            begun: Begun::default(),
            stepper,
            finder: Finder::default(),
            t: 0.0,
            reals: start.reals,
            beats: vec![0; model.schedules.len()],
            instants: 0,
            last_instant: 0.0,
            stalled: 0,
            step: None,
            step_start: Vec::new(),
            dense: Dense::default(),
            words: vec![0; n_bits.div_ceil(64)],
            fired: vec![0; n_bits.div_ceil(64)],
            latest: vec![0; n_bits.div_ceil(64)],
            rows: 0,
            recorded: None,
            fault: None,
            model,
            config,
        })
    }

    /// The model.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// The settings.
    pub fn config(&self) -> &EventConfig {
        &self.config
    }

    /// The time [units of `time`].
    pub fn time(&self) -> f64 {
        self.t
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
        self.truths.holds(literal)
    }

    /// The row of the trajectory that stands now.
    pub fn row(&self) -> Row<'_> {
        Row {
            tick: self.instants,
            time: self.t,
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
            modes: self.modes.len(),
        }
    }

    /// What was measured so far, in the order of the measures; `None` if it has no value yet.
    pub fn measured(&self) -> Vec<Option<f64>> {
        let mut watching = self.watching.clone();
        if !watching.is_idle() {
            self.show(&mut watching);
        }
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
        if self.record(recorder) {
            return Ok(Ended::Recorder);
        }
        while !self.watching.stopped && self.t < until {
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
        Ok(if self.watching.stopped {
            Ended::Condition
        } else {
            Ended::Stop
        })
    }

    /// Goes to the end of the present step of the method, or to a time inside it; sooner if
    /// `stop_when` comes true. `stop_when` may come true again.
    ///
    /// Errors: [`RunFault`].
    pub fn advance(&mut self, until: f64, recorder: &mut impl Recorder) -> Result<(), RunFault> {
        self.watching.stopped = false;
        if self.t < until {
            self.latest.fill(0);
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

    fn go_on(&mut self, until: f64, recorder: &mut impl Recorder) -> Result<Pause, RunFault> {
        if let Some(fault) = &self.fault {
            return Err(fault.clone());
        }
        let mut motion = self.motion.take().expect("a run moves between instants");
        let gone = self.go_on_along(&mut motion, until, recorder);
        self.motion = Some(motion);
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

    /// Up to the end of the step, not included; `None` there.
    fn go_on_along(
        &mut self,
        motion: &mut Motion,
        until: f64,
        recorder: &mut impl Recorder,
    ) -> Result<Option<Pause>, RunFault> {
        let step = match self.step.take() {
            Some(step) => step,
            None => self.find(motion)?,
        };
        let end = step.end;
        self.step = Some(step);
        let tolerance = TOGETHER * end.abs().max(self.dense.h());
        let reaches_end = end <= until + tolerance;
        let goal = if reaches_end { end } else { until };
        let pause = self.pass(motion, goal, recorder)?;
        if pause.is_some() {
            return Ok(pause);
        }
        let mut y = vec![0.0; motion.states().len()];
        if !reaches_end {
            self.dense.eval(self.dense.theta(until), &mut y);
            self.place(motion, until, &y)?;
            return Ok(Some(Pause::Until));
        }
        let step = self.step.take().expect("it was put there above");
        match &step.cause {
            Some(Cause::Crossing(_) | Cause::LeaveSlide(_)) => {
                self.dense.eval(step.theta, &mut y);
            }
            None | Some(Cause::Due) => {
                self.stepper.accept();
                y.copy_from_slice(self.stepper.y());
            }
        }
        self.place(motion, end, &y)?;
        self.clear_flags(&step.departures);
        self.step = Some(step);
        Ok(None)
    }

    /// Finds the next step of the method, cut at the first instant in it.
    fn find(&mut self, motion: &mut Motion) -> Result<Step, RunFault> {
        self.step_start.clone_from(&self.reals);
        let (due_at, due) = self.next_due(motion);
        let departures = self.departures(motion)?;
        let candidate = self.stepper.attempt(motion, due_at);
        let candidate = match candidate {
            Ok(candidate) => candidate,
            Err(error) => {
                let fault = self.loop_fault(motion);
                return Err(fault.unwrap_or_else(|| step_fault(motion, error)));
            }
        };
        let dense = self.stepper.dense(motion);
        self.dense
            .clone_from(dense.map_err(|_| step_fault(motion, StepError::Stopped { t: self.t }))?);
        let dense = std::mem::take(&mut self.dense);
        let stop = self.search(motion, &dense, &departures);
        let (theta, cause) = match stop {
            Some(stop) => (stop.theta, Some(stop.cause)),
            None if candidate.t1 == due_at => (1.0, Some(Cause::Due)),
            None => (1.0, None),
        };
        let end = dense.time(theta);
        let looks = self.looks(motion, &dense, &departures, theta);
        self.dense = dense;
        let due = if matches!(cause, Some(Cause::Due)) {
            due
        } else {
            Vec::new()
        };
        Ok(Step {
            end,
            theta,
            cause,
            due,
            departures,
            looks,
            passed: 0,
        })
    }

    /// Goes through what lies in the step before a point: rows and looks.
    fn pass(
        &mut self,
        motion: &mut Motion,
        goal: f64,
        recorder: &mut impl Recorder,
    ) -> Result<Option<Pause>, RunFault> {
        let mut y = vec![0.0; motion.states().len()];
        let (end, last) = match &self.step {
            Some(step) if step.end == goal => (goal, step.theta),
            Some(step) => (step.end, self.dense.theta(goal)),
            None => return Ok(None),
        };
        loop {
            let row = self.next_row().filter(|&at| at <= goal && at < end);
            let step = self.step.as_mut().expect("a step is being gone through");
            let look = step
                .looks
                .get(step.passed)
                .filter(|look| look.theta <= last)
                .copied();
            match (row, look) {
                (None, None) => return Ok(None),
                (Some(at), look) if look.is_none_or(|look| at <= look.t) => {
                    self.rows += 1;
                    self.dense.eval(self.dense.theta(at), &mut y);
                    self.place(motion, at, &y)?;
                    if self.record(recorder) {
                        return Ok(Some(Pause::Recorder));
                    }
                }
                (_, Some(look)) => {
                    step.passed += 1;
                    self.dense.eval(look.theta, &mut y);
                    self.place(motion, look.t, &y)?;
                    self.look();
                    if let Some((border, side)) = look.crosses {
                        self.truths.sides[border.index()] = side;
                        self.look();
                    }
                    if self.watching.stopped {
                        return Ok(Some(Pause::Condition));
                    }
                }
                (Some(_), None) => unreachable!("a row without a look comes first"),
            }
        }
    }

    /// The step is over: what happens at its end.
    fn finish(&mut self, recorder: &mut impl Recorder) -> Result<Pause, RunFault> {
        let step = self.step.take().expect("a step has just been gone through");
        self.look();
        while self.next_row().is_some_and(|at| at < step.end) {
            self.rows += 1;
        }
        let Some(cause) = step.cause else {
            let on_grid = self.next_row() == Some(step.end);
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
        let on_grid = self.next_row() == Some(step.end);
        self.rows += u64::from(on_grid);
        let both_sides = !self.config.grid_only;
        let mut broken = both_sides && self.record(recorder);
        let (group, leaves) = match cause {
            Cause::Crossing(group) => (group, None),
            Cause::LeaveSlide(side) => (Vec::new(), Some(side)),
            Cause::Due => (self.due_borders(step.end), None),
        };
        self.instant(&group, leaves, &step.due)?;
        self.write_words();
        self.look();
        broken |= (both_sides || on_grid) && self.record(recorder);
        Ok(match (broken, self.watching.stopped) {
            (true, _) => Pause::Recorder,
            (_, true) => Pause::Condition,
            _ => Pause::Instant,
        })
    }

    /// Measures and conditions look at the point where the state is.
    pub(super) fn look(&mut self) {
        if !self.watching.is_idle() {
            let mut watching = std::mem::take(&mut self.watching);
            self.show(&mut watching);
            self.watching = watching;
        }
    }

    fn show(&self, watching: &mut Watching) {
        watching.follow_sides(&self.watch_views, &self.truths.sides);
        watching.take(
            &self.model,
            &self.truths,
            &self.constants,
            &self.reals,
            self.t,
        );
    }

    /// The points inside a step that measures and conditions look at.
    fn looks(
        &mut self,
        motion: &mut Motion,
        dense: &Dense,
        departures: &[Departure],
        last: f64,
    ) -> Vec<Look> {
        let mut looks = Vec::new();
        if self.watching.is_idle() {
            return looks;
        }
        for (theta, border, side) in self.watched_crossings(motion, dense, departures, last) {
            looks.push(Look {
                theta,
                t: dense.time(theta),
                crosses: Some((border, side)),
            });
        }
        let plain = |theta, t| Look {
            theta,
            t,
            crosses: None,
        };
        looks.extend(
            self.watching
                .times(dense.t0(), dense.time(last))
                .map(|t| plain(dense.theta(t).min(last), t)),
        );
        let (mut y, mut reals) = (vec![0.0; dense.dim()], self.reals.clone());
        let mut turns = Vec::new();
        for expr in self.watching.extremes() {
            let value = |part: f64| {
                let (theta, t) = (part * last, dense.time(part * last));
                dense.eval(theta, &mut y);
                match motion.write(t, &y, &mut reals) {
                    Ok(()) => self.model.value_at(expr, &reals, &self.constants, t),
                    Err(_) => f64::NAN,
                }
            };
            turning_points(value, &mut turns);
        }
        let turns = turns.into_iter().map(|part| part * last);
        looks.extend(turns.map(|theta| plain(theta, dense.time(theta))));
        looks.sort_by(|a, b| a.theta.total_cmp(&b.theta));
        looks
    }

    /// The state is at a point of the motion.
    fn place(&mut self, motion: &mut Motion, t: f64, y: &[f64]) -> Result<(), RunFault> {
        self.t = t;
        motion
            .write(t, y, &mut self.reals)
            .map_err(|_| step_fault(motion, StepError::Start { t, component: None }))
    }

    /// All that the rest of the run depends on, for [`Hybrid::restore`].
    pub fn state(&self) -> EventState {
        let inside_step = self.step.is_some();
        let reals = if inside_step {
            &self.step_start
        } else {
            &self.reals
        };
        EventState {
            t: self.t,
            reals: reals.clone(),
            inside_step,
            truths: self.truths.clone(),
            steps: self.steps.clone(),
            n_modes: self.modes.len(),
            mode: self.mode,
            begun: self.begun.clone(),
            stepper: self.stepper.save().clone(),
            beats: self.beats.clone(),
            instants: self.instants,
            last_instant: self.last_instant,
            stalled: self.stalled,
            fired: self.fired.clone(),
            latest: self.latest.clone(),
            rows: self.rows,
        }
    }

    /// Goes back, or on, to a state of the same model. Coverage and measures are not taken back.
    ///
    /// Errors: [`RunFault`], where the state is not one of this model and these settings.
    pub fn restore(&mut self, state: &EventState) -> Result<(), RunFault> {
        self.seen.close(self.t);
        self.modes.truncate(state.n_modes);
        self.borders.truncate(state.truths.sides.len());
        self.truths.clone_from(&state.truths);
        self.steps.clone_from(&state.steps);
        self.beats.clone_from(&state.beats);
        self.fired.clone_from(&state.fired);
        self.latest.clone_from(&state.latest);
        self.begun.clone_from(&state.begun);
        (self.mode, self.rows) = (state.mode, state.rows);
        (self.instants, self.last_instant, self.stalled) =
            (state.instants, state.last_instant, state.stalled);
        (self.step, self.fault) = (None, None);
        self.watching.stopped = false;

        self.reals.clone_from(&state.begun.reals);
        let mut motion = self.motion_along(&state.begun.slides)?;
        let atol = vec![self.config.atol; motion.states().len()];
        self.stepper
            .resume(&mut motion, &state.stepper, &atol)
            .map_err(|error| enter_fault(&motion, error))?;
        self.reals.clone_from(&state.reals);
        self.t = state.stepper.t;
        self.write_words();
        self.seen.resume(&self.words, self.t);
        if state.inside_step {
            let mut step = self.find(&mut motion)?;
            let mut y = vec![0.0; motion.states().len()];
            let theta = self.dense.theta(state.t);
            step.passed = step.looks.partition_point(|look| look.theta <= theta);
            self.step = Some(step);
            self.dense.eval(theta, &mut y);
            self.place(&mut motion, state.t, &y)?;
            self.truths.clone_from(&state.truths);
        }
        self.motion = Some(motion);
        Ok(())
    }

    fn loop_fault(&self, motion: &Motion) -> Option<RunFault> {
        let Motion::Mode(evaluator) = motion else {
            return None;
        };
        let fault = evaluator.fault.clone()?;
        Some(RunFault::Loop {
            time: self.t,
            rows: fault.rows,
            singular: fault.singular,
        })
    }

    /// What is known of each border at the start of the step.
    fn departures(&mut self, motion: &mut Motion) -> Result<Vec<Departure>, RunFault> {
        let mut departures: Vec<Departure> = self
            .truths
            .sides
            .iter()
            .map(|&side| Departure::Off(side))
            .collect();
        if !self.truths.flags.iter().any(|&flag| flag) {
            return Ok(departures);
        }
        let evaluator = match motion {
            Motion::Mode(evaluator) => evaluator,
            Motion::Slide(slide) => {
                departures[slide.border.index()] = Departure::Stays;
                return Ok(departures);
            }
        };
        let y = evaluator.states(&self.reals);
        self.series(evaluator, &y)?;
        for margin in evaluator.mode.margins.iter() {
            let index = margin.border.index();
            if !self.truths.flags[index] {
                continue;
            }
            let series = evaluator.margin_series(margin.border).unwrap_or_default();
            let first = series.iter().enumerate().skip(1).find(|(_, c)| **c != 0.0);
            departures[index] = match first {
                Some((zeros, &c)) => Departure::Leaves(Side::of(c), zeros),
                None => Departure::Stays,
            };
        }
        Ok(departures)
    }

    pub(super) fn series(&self, evaluator: &mut Evaluator, y: &[f64]) -> Result<(), RunFault> {
        let t = self.t;
        evaluator.series(t, y).map_err(|fault| RunFault::Loop {
            time: t,
            rows: fault.rows,
            singular: fault.singular,
        })
    }

    /// After a step a border that the state has left is no longer flagged.
    fn clear_flags(&mut self, departures: &[Departure]) {
        for (flag, departure) in self.truths.flags.iter_mut().zip(departures) {
            if matches!(departure, Departure::Leaves(..)) {
                *flag = false;
            }
        }
    }

    /// Time of the next row of the grid.
    fn next_row(&self) -> Option<f64> {
        #[expect(clippy::cast_precision_loss, reason = "rows are fewer than 2^53")]
        let row = (self.rows + 1) as f64;
        self.config.every.map(|every| row * every)
    }

    /// Hands over the present row.
    fn record(&mut self, recorder: &mut impl Recorder) -> bool {
        let broken = recorder.row(&self.row()).is_break();
        self.fired.fill(0);
        self.recorded = Some(self.t);
        broken
    }

    /// Hands over the present row, unless it was the last one.
    fn record_once(&mut self, recorder: &mut impl Recorder) -> bool {
        self.recorded != Some(self.t) && self.record(recorder)
    }

    /// The booleans as rows show them.
    pub(super) fn write_words(&mut self) {
        let (switches, ranges) = (&self.truths.switches, &self.truths.ranges);
        self.words.fill(0);
        let all = switches.iter().chain(ranges).chain(&self.truths.situations);
        for (bit, &value) in all.enumerate() {
            self.words[bit / 64] |= u64::from(value) << (bit % 64);
        }
    }

    /// Notes the events that fire in a microstep, for the next row.
    pub(super) fn note_fired(&mut self) {
        let first = self.truths.switches.len() + self.truths.ranges.len();
        let mut any = false;
        for (index, situation) in self.model.situations.iter().enumerate() {
            if situation.event && self.truths.situations[index] {
                let bit = first + index;
                self.fired[bit / 64] |= 1 << (bit % 64);
                self.latest[bit / 64] |= 1 << (bit % 64);
                self.seen.event(index);
                any = true;
            }
        }
        if any {
            self.look();
        }
    }

    /// The next time that is known in advance, and the schedules due then.
    fn next_due(&self, motion: &Motion) -> (f64, Vec<ScheduleId>) {
        let mut at = f64::INFINITY;
        let mut due = Vec::new();
        for index in 0..self.beats.len() {
            let time = self.beat_time(index);
            if time < at {
                at = time;
                due.clear();
            }
            if time == at {
                due.push(ScheduleId::new(index));
            }
        }
        for (_, time) in self.timed_borders(motion) {
            if time < at {
                at = time;
                due.clear();
            }
        }
        (at, due)
    }

    pub(super) fn beat_time(&self, index: usize) -> f64 {
        let schedule = &self.model.schedules[index];
        let start = crate::model::StartValues {
            constants: self.constants.clone(),
            reals: Vec::new(),
        };
        let period = self.model.evaluate(schedule.period, &start);
        let first = self.model.evaluate(schedule.first, &start);
        #[expect(clippy::cast_precision_loss, reason = "fewer than 2^53 instants")]
        let count = self.beats[index] as f64;
        if schedule.first == schedule.period {
            (count + 1.0) * period
        } else {
            first + count * period
        }
    }

    /// Borders affine in time with everything else held, with the later time at which they lie.
    fn timed_borders(&self, motion: &Motion) -> Vec<(BorderId, f64)> {
        let Motion::Mode(evaluator) = motion else {
            return Vec::new();
        };
        let moves = |real| evaluator.state_of(real).is_some();
        evaluator
            .mode
            .margins
            .iter()
            .filter_map(|margin| {
                let form = margin.form.as_ref()?;
                if form.per_time == 0.0 || form.terms.iter().any(|(real, _)| moves(*real)) {
                    return None;
                }
                let held: f64 = form
                    .terms
                    .iter()
                    .map(|(real, weight)| weight * self.reals[real.index()])
                    .sum();
                let time = -(form.constant + held) / form.per_time;
                let index = margin.border.index();
                let ahead = time > self.t && !self.truths.flags[index];
                let ahead = ahead && !self.borders.only_watched[index];
                ahead.then_some((margin.border, time))
            })
            .collect()
    }

    fn due_borders(&self, at: f64) -> Vec<BorderId> {
        // The motion has not changed, but the time has: look from just before.
        let mut before = Vec::new();
        if let Some(Motion::Mode(evaluator)) = &self.motion {
            for margin in evaluator.mode.margins.iter() {
                let Some(form) = &margin.form else { continue };
                if form.per_time == 0.0
                    || form
                        .terms
                        .iter()
                        .any(|(real, _)| evaluator.state_of(*real).is_some())
                {
                    continue;
                }
                let held: f64 = form
                    .terms
                    .iter()
                    .map(|(real, weight)| weight * self.reals[real.index()])
                    .sum();
                if -(form.constant + held) / form.per_time == at {
                    before.push(margin.border);
                }
            }
        }
        before
    }

    /// All crossings, in no order, of the borders that are only watched, up to a part of the step:
    /// theta, border, the side that it gives.
    fn watched_crossings(
        &mut self,
        motion: &mut Motion,
        dense: &Dense,
        departures: &[Departure],
        last: f64,
    ) -> Vec<(f64, BorderId, Side)> {
        let mut found = Vec::new();
        let (finder, reals) = (&mut self.finder, &self.reals);
        let margins = match motion {
            Motion::Mode(evaluator) => evaluator.mode.margins.clone(),
            Motion::Slide(slide) => slide.plus.mode.margins.clone(),
        };
        for margin in margins.iter() {
            if !self.borders.only_watched[margin.border.index()] {
                continue;
            }
            let departure = departures[margin.border.index()];
            finder.all(motion, margin, dense, departure, reals, |theta, side| {
                if theta <= last {
                    found.push((theta, margin.border, side));
                }
            });
        }
        found
    }

    /// The first crossing inside a step, with all that fall on it.
    fn search(
        &mut self,
        motion: &mut Motion,
        dense: &Dense,
        departures: &[Departure],
    ) -> Option<Stop> {
        let mut found: Vec<(f64, BorderId)> = Vec::new();
        let states = motion.states().to_vec();
        let component = |real| states.binary_search(&real).ok();
        let (finder, reals) = (&mut self.finder, &self.reals);
        match motion {
            Motion::Mode(evaluator) => {
                let margins = evaluator.mode.margins.clone();
                for margin in margins.iter() {
                    if self.borders.only_watched[margin.border.index()] {
                        continue;
                    }
                    let departure = departures[margin.border.index()];
                    let theta = match &margin.form {
                        Some(form) => {
                            finder.affine(form, margin.upright, dense, departure, component, reals)
                        }
                        None => finder.any(evaluator, margin, dense, departure),
                    };
                    found.extend(theta.map(|theta| (theta, margin.border)));
                }
            }
            Motion::Slide(slide) => {
                let margins = slide.plus.mode.margins.clone();
                for margin in margins.iter() {
                    if self.borders.only_watched[margin.border.index()] {
                        continue;
                    }
                    let departure = departures[margin.border.index()];
                    let follows = |real| slide.algebraic.binary_search(real).is_ok();
                    let affine = margin
                        .form
                        .as_ref()
                        .filter(|form| !form.terms.iter().any(|(real, _)| follows(real)));
                    let theta = match affine {
                        Some(form) => {
                            finder.affine(form, margin.upright, dense, departure, component, reals)
                        }
                        None if departure == Departure::Stays => None,
                        None => {
                            let mut y = vec![0.0; states.len()];
                            first_change(|theta| {
                                dense.eval(theta, &mut y);
                                match slide.evaluate(dense.time(theta), &y) {
                                    Ok(_) => slide.plus.value(margin.slot),
                                    Err(_) => f64::NAN,
                                }
                            })
                        }
                    };
                    found.extend(theta.map(|theta| (theta, margin.border)));
                }
            }
        }
        let first = found
            .iter()
            .map(|(theta, _)| *theta)
            .fold(f64::INFINITY, f64::min);
        if let Motion::Slide(slide) = motion
            && let Some((theta, side)) = leaves(slide, dense)
            && theta <= first
        {
            return Some(Stop {
                theta,
                cause: Cause::LeaveSlide(side),
            });
        }
        if first.is_infinite() {
            return None;
        }
        let tau = TOGETHER * dense.t1().abs().max(dense.h()) / dense.h();
        let group = found
            .into_iter()
            .filter(|(theta, _)| *theta <= first + tau)
            .map(|(_, border)| border)
            .collect();
        Some(Stop {
            theta: first,
            cause: Cause::Crossing(group),
        })
    }
}

/// A refusal to begin, with the real that a component stands for.
pub(super) fn enter_fault(motion: &Motion, error: EnterError) -> RunFault {
    match error {
        EnterError::Step(error) => step_fault(motion, error),
        EnterError::Settings(_) => unreachable!("settings were checked before the start"),
    }
}

/// A refusal of the method, with the real that a component stands for.
pub(super) fn step_fault(motion: &Motion, error: StepError) -> RunFault {
    let component = match error {
        StepError::TooShort { component, .. } | StepError::Start { component, .. } => component,
        StepError::Stopped { .. } | StepError::NoRoom { .. } => None,
    };
    let real = component.map(|component| motion.states()[component]);
    RunFault::Step { error, real }
}

/// Where a slide is first left, and to which side: a mode no longer points at the border.
fn leaves(slide: &mut Slide, dense: &Dense) -> Option<(f64, Side)> {
    let mut y = vec![0.0; dense.dim()];
    let mut rates = |theta: f64| {
        dense.eval(theta, &mut y);
        slide
            .evaluate(dense.time(theta), &y)
            .unwrap_or((f64::NAN, f64::NAN))
    };
    let to_plus = first_change(|theta| rates(theta).0).map(|theta| (theta, Side::Plus));
    let to_minus = first_change(|theta| rates(theta).1).map(|theta| (theta, Side::Minus));
    [to_plus, to_minus]
        .into_iter()
        .flatten()
        .min_by(|a, b| a.0.total_cmp(&b.0))
}
