//! Moves time: steps of the method, cut where a border is crossed or an instant is due.

use serde::{Deserialize, Serialize};
use std::sync::Arc;

use smallvec::SmallVec;

use super::actions::Actions;
use super::instant::{Bound, Reason, Taken};
use super::locate::{Approach, Before, Fence};
use super::log::Log;
use super::loops::LoopFault;
use super::modes::Modes;
use super::motion::{Motion, Moving};
use super::past::{Past, Piece, WIDTH};
use super::search::{Crossed, Crossing, Departure, Field, Finder, Which};
use super::seen::Seen;
use super::state::EventState;
use super::truth::Truths;
use super::watching::{Watching, turning_points};
use super::zeno::Zeno;
use crate::ids::{ConstantId, RealId, ScheduleId};
use crate::lower::affine::Affine;
use crate::lower::border::{BorderId, Borders, Side, View};
use crate::lower::flow::Flow;
use crate::lower::mode::{Margin, ModeError};
use crate::model::{Argument, Literal, Mark, Model, StartValues};
use crate::sim::start::{check_period, check_start};
use crate::sim::{Covered, Ended, EventConfig, RunFault, SetupError};
use crate::solve::{Dense, EnterError, Locate, Refusal, Rejection, Stats, StepError, Stepper};
use crate::trace::{Measure, Recorder, Row};

/// Crossings within so many rounding errors of the time (or of the step) are one instant.
const TOGETHER: f64 = 64.0 * f64::EPSILON;

/// Steps and instants in one unit of time beyond which a run counts as hanging.
const WORK: u64 = 50_000_000;

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
    pub(super) borders: Arc<Borders>,
    pub(super) truths: Truths,
    /// Per range how its comparisons see their borders.
    pub(super) views: Vec<Vec<View>>,
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
    /// The sides for which that mode was looked for.
    pub(super) entered: Vec<Side>,
    /// Per border whether it is known to decide about a row between events; as many as were known
    /// when it was asked.
    pub(super) shaping: Vec<bool>,
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
    /// Truths with some border on its other side.
    pub(super) trial: Truths,
    /// Per border its z before the microstep.
    pub(super) margins: Vec<Option<f64>>,
    /// Borders on which the state has come to lie by a jump.
    pub(super) landed: Vec<BorderId>,
    /// What stood before the microstep.
    pub(super) mark: (Truths, Vec<f64>, Vec<BorderId>),
    /// What stood after the microsteps before.
    pub(super) earlier: Vec<(Truths, Vec<f64>)>,
    /// Room for a state.
    pub(super) y: Vec<f64>,
    pub(super) before: Before,
    /// Steps and instants since a time.
    work: (f64, u64),
    /// Absolute tolerances of the states.
    pub(super) atol: Vec<f64>,
    /// On which of its solutions each loop of a mode was at the last commitment, and the mode.
    branches: (usize, Vec<i8>),
    /// Memory for the departures of the next step.
    room: Vec<Departure>,
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
    /// What stood at the start of that step.
    step_start: StepStart,
    pub(super) dense: Dense,
    /// Whether the dense output of the step has been made; where it goes is known in any case.
    dense_is_ready: bool,
    pub(super) watching: Watching,
    pub(super) seen: Seen,
    /// Bits as rows show them, and events since the last row.
    pub(super) words: Vec<u64>,
    pub(super) fired: Vec<u64>,
    /// Events of the last step.
    pub(super) latest: Vec<u64>,
    pub(super) rows: u64,
    /// Where the last row stands, if nothing has changed since.
    recorded: Option<f64>,
    /// Why the run cannot go on.
    fault: Option<RunFault>,
}

/// How the present motion began.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub(super) struct Begun {
    pub(super) reals: Vec<f64>,
    pub(super) bound: Bound,
}

/// What finding a step and looking at points inside it changes.
#[derive(Clone, Debug, Default)]
struct StepStart {
    reals: Vec<f64>,
    sides: Vec<Side>,
    flags: Vec<bool>,
    work: (f64, u64),
}

/// A step that has been found: where it ends, and what is to be looked at on the way.
#[derive(Clone, Debug)]
struct Step {
    end: f64,
    /// The end as theta: exactly, where time is too coarse.
    theta: f64,
    /// Whether the method's step ends there too.
    whole: bool,
    /// Whether it ends where it begins: there is no step.
    still: bool,
    /// Whether something happens at the end, and what.
    reason: Option<Reason>,
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

/// What ends a step before its time.
#[derive(Clone, Debug)]
struct Stop {
    theta: f64,
    reason: Reason,
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
        let past = past_of(&model, &flow, &start)?;
        let n_bits = model.switches.len() + model.ranges.len() + model.situations.len();
        let atol = [config.atol];
        config.settings.check(&atol).map_err(SetupError::Settings)?;
        let stepper = Stepper::new(config.settings.clone()).map_err(SetupError::Settings)?;
        Ok(Self {
            truths: Truths::new(
                &model,
                flow.relay_targets(&model)
                    .map(|real| start.reals[real.index()])
                    .collect(),
                flow.events.len(),
            ),
            watching: Watching::new(&model, measures),
            seen: Seen::new(&model),
            flow,
            actions,
            constants: start.constants,
            borders: Arc::default(),
            views: model.ranges.iter().map(|_| Vec::new()).collect(),
            knows_smooth: !marked(&model, Mark::Smooth).is_empty(),
            smooth: false,
            unbordered: marked(&model, Mark::NoEvent),
            watch_views: Vec::new(),
            steps: Vec::new(),
            modes: Modes::default(),
            mode: 0,
            entered: Vec::new(),
            shaping: Vec::new(),
            motion: Motion::default(),
            bound: Bound::default(),
            begun: Begun::default(),
            leaving: Vec::new(),
            past,
            zeno: Zeno::default(),
            taken: Taken::default(),
            before_jump: Vec::new(),
            log: Log::default(),
            trial: Truths::default(),
            margins: Vec::new(),
            landed: Vec::new(),
            mark: Default::default(),
            earlier: Vec::new(),
            y: Vec::new(),
            before: Before::default(),
            work: (0.0, 0),
            atol: Vec::new(),
            branches: Default::default(),
            room: Vec::new(),
            stepper,
            finder: Finder::default(),
            t: 0.0,
            reals: start.reals,
            beats: vec![0; model.schedules.len()],
            instants: 0,
            last_instant: 0.0,
            stalled: 0,
            step: None,
            step_start: StepStart::default(),
            dense: Dense::default(),
            dense_is_ready: false,
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

    /// The absolute tolerance of a real (in its unit).
    pub(super) fn atol_of(&self, real: RealId) -> f64 {
        let nominal = self.model.reals[real.index()].nominal;
        self.config.atol * nominal.unwrap_or(1.0)
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
        self.log.wanted = recorder.wants_instants();
        if self.tell(recorder) || self.record(recorder) {
            return Ok(Ended::Recorder);
        }
        self.log.instant.events.clear();
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

    /// Up to the end of the step, not included; `None` there.
    fn go_on_along(
        &mut self,
        until: f64,
        recorder: &mut impl Recorder,
    ) -> Result<Option<Pause>, RunFault> {
        let step = match self.step.take() {
            Some(step) => step,
            None => self.find()?,
        };
        let end = step.end;
        if step.still {
            self.step = Some(step);
            return Ok(None);
        }
        self.step = Some(step);
        let tolerance = TOGETHER * end.abs().max(self.dense.h());
        let reaches_end = end <= until + tolerance;
        let goal = if reaches_end { end } else { until };
        let pause = self.pass(goal, recorder)?;
        if pause.is_some() {
            return Ok(pause);
        }
        if !reaches_end {
            self.place_at(self.dense.theta(until), until)?;
            return Ok(Some(Pause::Until));
        }
        let step = self.step.take().expect("it was put there above");
        if step.whole {
            self.stepper.accept();
            self.correct()?;
        } else {
            self.place_at(step.theta, end)?;
        }
        self.remember(end);
        self.commit();
        self.before.known = step.whole && step.reason.is_none();
        if self.before.known && self.config.locate == Locate::Quadratic {
            self.before.t = self.dense.t0();
            self.before.y.resize(self.dense.dim(), 0.0);
            self.dense.eval(0.0, &mut self.before.y);
        }
        for (flag, departure) in self.truths.flags.iter_mut().zip(&step.departures) {
            // A border that the state has left is no longer flagged.
            if matches!(departure, Departure::Leaves(..)) {
                *flag = false;
            }
        }
        self.leaving.clear();
        self.step = Some(step);
        Ok(None)
    }

    /// The state is at the end of the method's step; a slide is put back onto its borders.
    fn correct(&mut self) -> Result<(), RunFault> {
        let mut y = std::mem::take(&mut self.y);
        y.clear();
        y.extend_from_slice(self.stepper.y());
        let t = self.stepper.t();
        let moved = self
            .motion
            .project(&mut self.modes, &self.past, t, &mut y)
            .unwrap_or(false);
        if moved {
            let mut moving = Moving {
                motion: &mut self.motion,
                modes: &mut self.modes,
                past: &self.past,
                fence: None,
            };
            self.stepper
                .correct(&mut moving, &y)
                .map_err(|error| step_fault(&self.motion, error))?;
        }
        let placed = self.place(t, &y);
        self.y = y;
        placed
    }

    /// Delays take in the step up to a time.
    pub(super) fn remember(&mut self, end: f64) {
        if self.past.is_empty() {
            return;
        }
        let (begin, dense) = (self.dense.t0(), std::mem::take(&mut self.dense));
        let forms = self.modes.at(self.motion.mode).mode.delayed.clone();
        let mut values = vec![[0.0; WIDTH]; forms.len()];
        if forms.iter().any(|(_, form)| form.is_none()) {
            let mut y = vec![0.0; dense.dim()];
            let mut reals = self.reals.clone();
            for node in 0..WIDTH {
                let t = begin + (end - begin) * super::curve::place(node);
                dense.eval(dense.theta(t), &mut y);
                let (motion, modes) = (&mut self.motion, &mut self.modes);
                if motion.write(modes, &self.past, t, &y, &mut reals).is_err() {
                    continue;
                }
                for (values, (slot, _)) in values.iter_mut().zip(&forms) {
                    values[node] = modes.at(motion.mode).value(*slot);
                }
            }
        }
        for (delay, ((_, form), values)) in forms.iter().zip(&values).enumerate() {
            let (coefficients, t0, h) = match form {
                Some(form) => (self.along(form, &dense), dense.t0(), dense.h()),
                None => (super::curve::interpolate(values), begin, end - begin),
            };
            let piece = Piece {
                begin,
                end,
                t0,
                h,
                coefficients,
            };
            self.past.push(delay, piece);
        }
        self.dense = dense;
    }

    /// An affine form along a step, in powers of theta.
    fn along(&self, form: &Affine, dense: &Dense) -> [f64; WIDTH] {
        let mut constant = form.constant;
        let mut terms: SmallVec<[(usize, f64); 4]> = SmallVec::new();
        for &(real, weight) in &form.terms {
            match self.motion.states.binary_search(&real) {
                Ok(component) => terms.push((component, weight)),
                Err(_) => constant += weight * self.reals[real.index()],
            }
        }
        let mut coefficients = [0.0; WIDTH];
        let used = (dense.degree() + 1).max(2);
        dense.affine(constant, form.per_time, &terms, &mut coefficients[..used]);
        coefficients
    }

    /// The present point is committed: what is sought by iteration is sought from here.
    fn commit(&mut self) {
        self.motion.commit();
        self.bound.lambda.clear();
        self.bound.lambda.extend_from_slice(self.motion.shares());
        let (mode, branches) = &mut self.branches;
        if *mode != self.motion.mode {
            (*mode, _) = (self.motion.mode, branches.clear());
        }
        let mut changed = Vec::new();
        let evaluator = self.modes.get(self.motion.mode);
        evaluator.commit(&self.reals, branches, |rows| changed.push(rows.to_vec()));
        for rows in changed {
            self.note_branch(&rows);
        }
    }

    /// Finds the next step of the method, cut at the first instant in it.
    fn find(&mut self) -> Result<Step, RunFault> {
        self.step_start.reals.clone_from(&self.reals);
        self.step_start.sides.clone_from(&self.truths.sides);
        self.step_start.flags.clone_from(&self.truths.flags);
        self.step_start.work = self.work;
        if !self.spend() {
            let error = StepError::TooShort {
                t: self.t,
                h: self.dense.h(),
                reason: Rejection::Error,
                component: None,
            };
            return Err(step_fault(&self.motion, error));
        }
        if let Some(formula) = self.config.step_formula {
            let (t, model) = (self.t, &self.model);
            let h = model.value_at(formula, &self.reals, &self.constants, t);
            if !(h > 0.0 && h.is_finite()) {
                return Err(self.refused(StepError::NoRoom { t, until: t + h }));
            }
            self.stepper.set_step(h);
        }
        let due_at = self.next_due();
        let mut departures = std::mem::take(&mut self.room);
        self.departures(&mut departures)?;
        self.past.step_from(self.t);
        let mut until = due_at.min(self.t + self.past.shortest());
        let one_sided = self.config.locate == Locate::OneSided;
        if one_sided {
            match self.approach(&departures)? {
                Approach::Until(limit) => until = until.min(limit),
                Approach::Reached(borders) => return Ok(self.arrived(borders, departures)),
            }
        }
        let needs_dense = self.needs_dense();
        let candidate = loop {
            let mut moving = Moving {
                motion: &mut self.motion,
                modes: &mut self.modes,
                past: &self.past,
                fence: one_sided.then_some(Fence {
                    departures: &departures,
                    slack: self.config.atol,
                }),
            };
            let candidate = match self.stepper.attempt(&mut moving, until) {
                Ok(candidate) => candidate,
                Err(StepError::TooShort {
                    reason: Rejection::Outside,
                    ..
                }) if one_sided => {
                    let borders = self.nearest(&departures)?;
                    return Ok(self.arrived(borders, departures));
                }
                Err(error) => return Err(self.refused(error)),
            };
            self.dense_is_ready = needs_dense;
            if !needs_dense {
                self.dense.set_span(candidate.t0, candidate.t1, candidate.h);
                break candidate;
            }
            match self.stepper.take_dense(&mut moving, &mut self.dense) {
                Ok(()) => break candidate,
                // Points that only the dense output needs lie outside: a shorter step has them inside.
                Err(Refusal::Outside) => until = self.t + 0.5 * candidate.h,
                Err(Refusal::Stop) => {
                    return Err(self.refused(StepError::Stopped { t: self.t }));
                }
            }
        };
        let lands = candidate.t1 == due_at;
        let stop = if !needs_dense {
            None
        } else if self.config.locate.sees_ends_only() {
            let found = self.search_ends(&departures);
            found.map(|(theta, reason)| Stop { theta, reason })
        } else {
            self.search(&departures, lands)
        };
        let (theta, reason) = match stop {
            Some(stop) => (stop.theta, Some(stop.reason)),
            None if lands => (1.0, Some(Reason::default())),
            None => (1.0, None),
        };
        let whole = theta >= 1.0;
        let theta = theta.min(1.0);
        let reason = reason.map(|mut reason| {
            if whole && lands {
                self.add_due(due_at, &mut reason);
            }
            reason
        });
        let end = self.dense.time(theta);
        let looks = self.looks(&departures, theta);
        Ok(Step {
            end,
            theta,
            whole,
            still: false,
            reason,
            departures,
            looks,
            passed: 0,
        })
    }

    /// Whether the dense output decides where the step ends, or may be refused: then it is made in
    /// any case, so that looking at it changes nothing.
    fn needs_dense(&self) -> bool {
        let evaluator = self.modes.at(self.motion.mode);
        let margins = &evaluator.mode.margins;
        !self.motion.is_free()
            || evaluator.has_loops()
            || !self.past.is_empty()
            || !self.watching.is_idle()
            || self.config.locate != Locate::Root
            || margins.iter().any(Margin::is_searched)
    }

    /// Makes the dense output of the step, if that has not been done.
    fn make_dense(&mut self) -> Result<(), RunFault> {
        if self.dense_is_ready {
            return Ok(());
        }
        let mut moving = Moving {
            motion: &mut self.motion,
            modes: &mut self.modes,
            past: &self.past,
            fence: None,
        };
        let made = self.stepper.take_dense(&mut moving, &mut self.dense);
        self.dense_is_ready = true;
        made.map_err(|_| {
            let t = self.t;
            self.refused(StepError::Start { t, component: None })
        })
    }

    /// A border has been reached without a step: the instant is now.
    fn arrived(&mut self, borders: Vec<BorderId>, departures: Vec<Departure>) -> Step {
        let reason = Reason {
            borders,
            ..Reason::default()
        };
        Step {
            end: self.t,
            theta: 0.0,
            whole: false,
            still: true,
            reason: Some(reason),
            departures,
            looks: Vec::new(),
            passed: 0,
        }
    }

    /// Counts a step or an instant; false if there are too many of them for the time that has passed.
    pub(super) fn spend(&mut self) -> bool {
        let (since, count) = &mut self.work;
        if (self.t - *since).abs() >= 1.0 {
            (*since, *count) = (self.t, 0);
        }
        *count += 1;
        *count <= WORK
    }

    fn refused(&mut self, error: StepError) -> RunFault {
        let evaluator = self.modes.get(self.motion.mode);
        let fault = self.motion.fault.take().or(evaluator.fault.take());
        match fault {
            Some(fault) => loop_fault(self.t, fault),
            None => step_fault(&self.motion, error),
        }
    }

    /// Goes through what lies in the step before a point: rows and looks.
    fn pass(&mut self, goal: f64, recorder: &mut impl Recorder) -> Result<Option<Pause>, RunFault> {
        let Some(end) = self.step.as_ref().map(|step| step.end) else {
            return Ok(None);
        };
        loop {
            let row = self.next_row().filter(|&at| at <= goal && at < end);
            let step = self.step.as_mut().expect("a step is being gone through");
            let look = step
                .looks
                .get(step.passed)
                .filter(|look| goal == end || look.t <= goal)
                .copied();
            match (row, look) {
                (None, None) => return Ok(None),
                (Some(at), look) if look.is_none_or(|look| at <= look.t) => {
                    self.rows += 1;
                    self.place_at(self.dense.theta(at), at)?;
                    if self.record(recorder) {
                        return Ok(Some(Pause::Recorder));
                    }
                }
                (_, Some(look)) => {
                    step.passed += 1;
                    self.place_at(look.theta, look.t)?;
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
        self.room = step.departures;
        self.look();
        while self.next_row().is_some_and(|at| at < step.end) {
            self.rows += 1;
        }
        let remarks = step.reason.is_none() && !self.log.instant.events.is_empty();
        if remarks && self.tell(recorder) {
            return Ok(Pause::Recorder);
        }
        let reads = || self.reads_anew().then(Reason::default);
        let Some(reason) = step.reason.or_else(reads) else {
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
        self.pass_breaks();
        self.instant(&reason)?;
        self.write_words();
        self.look();
        broken |= self.tell(recorder);
        broken |= (both_sides || on_grid) && self.record(recorder);
        Ok(match (broken, self.watching.stopped) {
            (true, _) => Pause::Recorder,
            (_, true) => Pause::Condition,
            _ => Pause::Instant,
        })
    }

    /// Hands over what has been noted.
    fn tell(&mut self, recorder: &mut impl Recorder) -> bool {
        if !self.log.wanted || self.log.instant.events.is_empty() {
            return false;
        }
        let broken = recorder.instant(&self.log.instant).is_break();
        self.log.instant.events.clear();
        broken
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
    fn looks(&mut self, departures: &[Departure], last: f64) -> Vec<Look> {
        let mut looks = Vec::new();
        if self.watching.is_idle() {
            return looks;
        }
        let dense = std::mem::take(&mut self.dense);
        let mut field = Field {
            motion: &mut self.motion,
            modes: &mut self.modes,
            past: &self.past,
            dense: &dense,
            reals: &self.reals,
            departures,
            only_watched: &self.borders.only_watched,
            to: 1.0,
        };
        self.finder.search(&mut field, Which::Watched);
        for crossing in &self.finder.found {
            if let (Crossed::Border(border, side), true) = (crossing.what, crossing.theta <= last) {
                looks.push(Look {
                    theta: crossing.theta,
                    t: dense.time(crossing.theta),
                    crosses: Some((border, side)),
                });
            }
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
        let (motion, modes, past) = (&mut self.motion, &mut self.modes, &self.past);
        for expr in self.watching.extremes() {
            let value = |part: f64| {
                let (theta, t) = (part * last, dense.time(part * last));
                dense.eval(theta, &mut y);
                match motion.write(modes, past, t, &y, &mut reals) {
                    Ok(()) => self.model.value_at(expr, &reals, &self.constants, t),
                    Err(_) => f64::NAN,
                }
            };
            turning_points(value, &mut turns);
        }
        let turns = turns.into_iter().map(|part| part * last);
        looks.extend(turns.map(|theta| plain(theta, dense.time(theta))));
        looks.sort_by(|a, b| a.theta.total_cmp(&b.theta));
        self.dense = dense;
        looks
    }

    /// The state is at a point of the motion.
    fn place(&mut self, t: f64, y: &[f64]) -> Result<(), RunFault> {
        self.t = t;
        let (motion, modes) = (&mut self.motion, &mut self.modes);
        motion
            .write(modes, &self.past, t, y, &mut self.reals)
            .map_err(|_| self.refused(StepError::Start { t, component: None }))?;
        self.check_motion()
    }

    /// The state is at a point of the step.
    fn place_at(&mut self, theta: f64, t: f64) -> Result<(), RunFault> {
        self.make_dense()?;
        let mut y = std::mem::take(&mut self.y);
        y.resize(self.dense.dim(), 0.0);
        self.dense.eval(theta, &mut y);
        let placed = self.place(t, &y);
        self.y = y;
        placed
    }

    /// All that the rest of the run depends on, for [`Hybrid::restore`].
    pub fn state(&self) -> EventState {
        let inside_step = self.step.as_ref().map(|step| step.passed);
        let (mut truths, mut reals) = (self.truths.clone(), &self.reals);
        let mut work = self.work;
        if inside_step.is_some() {
            reals = &self.step_start.reals;
            truths.sides.clone_from(&self.step_start.sides);
            truths.flags.clone_from(&self.step_start.flags);
            work = self.step_start.work;
        }
        EventState {
            t: self.t,
            reals: reals.clone(),
            inside_step,
            borders: Arc::clone(&self.borders),
            truths,
            steps: self.steps.clone(),
            begun: Begun {
                reals: self.begun.reals.clone(),
                bound: Bound {
                    lambda: self.motion.shares().to_vec(),
                    ..self.begun.bound.clone()
                },
            },
            branches: match &self.branches {
                (mode, branches) if *mode == self.motion.mode => branches.clone(),
                _ => Vec::new(),
            },
            leaving: self.leaving.clone(),
            past: self.past.clone(),
            before: self.before.clone(),
            zeno: self.zeno.clone(),
            stepper: self.stepper.save().clone(),
            beats: self.beats.clone(),
            instants: self.instants,
            last_instant: self.last_instant,
            stalled: self.stalled,
            fired: self.fired.clone(),
            latest: self.latest.clone(),
            rows: self.rows,
            work,
        }
    }

    /// Goes back, or on, to a state of the same model, also of another run of it. Coverage and measures
    /// are not taken back.
    ///
    /// Errors: [`RunFault`], where the state is not one of this model and these settings.
    pub fn restore(&mut self, state: &EventState) -> Result<(), RunFault> {
        self.seen.close(self.t);
        self.modes.keep(self.borders.common_age(&state.borders));
        self.borders = Arc::clone(&state.borders);
        self.shaping.clear();
        self.truths.clone_from(&state.truths);
        self.steps.clone_from(&state.steps);
        self.beats.clone_from(&state.beats);
        self.fired.clone_from(&state.fired);
        self.latest.clone_from(&state.latest);
        self.begun.clone_from(&state.begun);
        (self.rows, self.work) = (state.rows, state.work);
        (self.instants, self.last_instant, self.stalled) =
            (state.instants, state.last_instant, state.stalled);
        (self.step, self.fault) = (None, None);
        self.watching.stopped = false;

        self.reals.clone_from(&state.begun.reals);
        self.t = state.stepper.t;
        self.leaving.clone_from(&state.leaving);
        self.past.clone_from(&state.past);
        self.before.clone_from(&state.before);
        self.zeno.clone_from(&state.zeno);
        self.bound.clone_from(&state.begun.bound);
        self.find_mode()?;
        self.write_views(self.mode);
        self.motion = self.assemble(&state.begun.bound, None)?;
        self.branches.0 = self.motion.mode;
        self.branches.1.clone_from(&state.branches);
        self.write_tolerances();
        let moving = Moving {
            motion: &mut self.motion,
            modes: &mut self.modes,
            past: &self.past,
            fence: None,
        };
        self.stepper
            .resume(&moving, &state.stepper, &self.atol)
            .expect("settings were checked before the start");
        self.reals.clone_from(&state.reals);
        self.modes.get(self.motion.mode).guess_from(&state.reals);
        self.write_words();
        self.seen.resume(&self.words, self.t);
        if let Some(passed) = state.inside_step {
            let mut step = self.find()?;
            step.passed = passed.min(step.looks.len());
            let over = &step.looks[..step.passed];
            for &(border, side) in over.iter().filter_map(|look| look.crosses.as_ref()) {
                self.truths.sides[border.index()] = side;
            }
            let last = over.last().filter(|look| look.t == state.t);
            let theta = last.map_or_else(|| self.dense.theta(state.t), |look| look.theta);
            self.step = Some(step);
            self.place_at(theta, state.t)?;
        }
        Ok(())
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

    /// The next time that is known in advance.
    fn next_due(&self) -> f64 {
        let beats = (0..self.beats.len()).map(|index| self.beat_time(index));
        let borders = self.timed_borders().map(|(_, time)| time);
        let all = beats.chain(borders).chain([self.past.next_break()]);
        all.fold(f64::INFINITY, f64::min)
    }

    /// What is due at a time.
    fn add_due(&self, at: f64, reason: &mut Reason) {
        let beats = (0..self.beats.len()).filter(|&index| self.beat_time(index) == at);
        reason.due.extend(beats.map(ScheduleId::new));
        for (border, time) in self.timed_borders() {
            if time == at {
                reason.borders.push(border);
            }
        }
    }

    /// Values that are delayed jump, or are not smooth, at the time of an instant.
    fn pass_breaks(&mut self) {
        let (t, log, flow) = (self.t, &mut self.log, &self.flow);
        self.past.pass_breaks(t, |delay| {
            let row = &flow.rows[flow.delays[delay]];
            log.note(|| crate::trace::What::Echo {
                relation: row.relation,
                real: row.target,
            });
        });
    }

    pub(super) fn beat_time(&self, index: usize) -> f64 {
        let schedule = &self.model.schedules[index];
        let value = |expr| self.model.value_at(expr, &[], &self.constants, 0.0);
        let (period, first) = (value(schedule.period), value(schedule.first));
        #[expect(clippy::cast_precision_loss, reason = "fewer than 2^53 instants")]
        let count = self.beats[index] as f64;
        if schedule.first == schedule.period {
            (count + 1.0) * period
        } else {
            first + count * period
        }
    }

    /// Borders affine in time with everything else held, with the later time at which they lie.
    fn timed_borders(&self) -> impl Iterator<Item = (BorderId, f64)> {
        let margins = &self.modes.at(self.motion.mode).mode.margins;
        margins.iter().filter_map(move |margin| {
            let form = margin.form.as_ref()?;
            if form.per_time == 0.0 || !margin.moving.is_empty() {
                return None;
            }
            let held = margin.held.iter();
            let held: f64 = held
                .map(|(real, weight)| weight * self.reals[real.index()])
                .sum();
            let time = -(form.constant + held) / form.per_time;
            let index = margin.border.index();
            let ahead = time > self.t && !self.truths.flags[index];
            let ahead = ahead && !self.borders.only_watched[index];
            ahead.then_some((margin.border, time))
        })
    }

    /// The first crossing inside a step, with all that fall on it.
    fn search(&mut self, departures: &[Departure], lands: bool) -> Option<Stop> {
        let dense = &self.dense;
        let tau = TOGETHER * dense.t1().abs().max(dense.h()) / dense.h();
        let mut field = Field {
            motion: &mut self.motion,
            modes: &mut self.modes,
            past: &self.past,
            dense,
            reals: &self.reals,
            departures,
            only_watched: &self.borders.only_watched,
            // What lies just behind an end that is landed on belongs to it.
            to: if lands { 1.0 + tau } else { 1.0 },
        };
        self.finder.search(&mut field, Which::First);
        let found = &self.finder.found;
        let one_sided = self.config.locate == Locate::OneSided;
        let place = |crossing: &Crossing| {
            if one_sided {
                crossing.before
            } else {
                crossing.theta
            }
        };
        let first = found.iter().map(place).fold(f64::INFINITY, f64::min);
        let at = if lands && first >= 1.0 - tau {
            1.0
        } else {
            first
        };
        if self.log.wanted {
            self.note_remarks(at);
        }
        let found = &self.finder.found;
        if first.is_infinite() {
            return None;
        }
        let mut reason = Reason::default();
        let group = found.iter().filter(|crossing| place(crossing) <= at + tau);
        for crossing in group {
            match crossing.what {
                Crossed::Border(border, _) => reason.borders.push(border),
                Crossed::Exit(number) => reason.leaves.push(self.motion.exit(number)),
            }
        }
        Some(Stop { theta: at, reason })
    }

    /// Places before a point of the step at which rounding decided.
    fn note_remarks(&mut self, last: f64) {
        self.log.begin(self.instants, self.dense.t1());
        for remark in &self.finder.remarks {
            let [from, to] = remark.between.map(|theta| self.dense.time(theta));
            let name = super::log::place(&self.borders, remark.border);
            if let (Some(border), true) = (name, remark.between[0] <= last) {
                self.log.note(|| crate::trace::What::Marginal {
                    border,
                    between: [from, to],
                    touch: remark.touch,
                });
            }
        }
    }
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
        lines.push((tau, super::actions::first_value(model, relation, start)));
    }
    Ok(Past::new(lines.into_iter()))
}

/// A refusal of loops.
pub(super) fn loop_fault(time: f64, fault: LoopFault) -> RunFault {
    RunFault::Loop {
        time,
        rows: fault.rows,
        singular: fault.singular,
    }
}

/// A mode without meaning.
pub(super) fn mode_fault(error: ModeError) -> RunFault {
    match error {
        ModeError::ClampReadsItself(row) => RunFault::ClampReadsItself(row),
        ModeError::DerivativeInLoop(row) => RunFault::DerivativeInLoop(row),
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
    let real = component.and_then(|component| motion.states.get(component).copied());
    RunFault::Step { error, real }
}
