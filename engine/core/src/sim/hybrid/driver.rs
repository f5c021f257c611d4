//! Moves time: steps of the method, cut where a border is crossed or an instant is due.

use std::sync::Arc;

use super::actions::Actions;
use super::eval::Evaluator;
use super::modes::Modes;
use super::motion::{Motion, Slide};
use super::search::{Departure, Finder, first_change};
use super::truth::Truths;
use crate::ids::{RelationId, ScheduleId};
use crate::lower::border::{BorderId, Borders, Side, View};
use crate::lower::flow::Flow;
use crate::model::{Literal, Model};
use crate::sim::tick::Ended;
use crate::sim::{RunFault, SetupError};
use crate::solve::{EnterError, Settings, SettingsError, Stats, StepError, Stepper};
use crate::trace::{Recorder, Row};

/// Crossings within so many rounding errors of the time (or of the step) are one instant.
const TOGETHER: f64 = 64.0 * f64::EPSILON;

/// The settings of an event-accurate run.
#[derive(Clone, PartialEq, Debug)]
pub struct EventConfig {
    /// End of the run [units of `time`].
    pub stop: f64,
    /// Distance of rows [units of `time`]; `None` gives a row per step.
    pub every: Option<f64>,
    /// Method, relative tolerance, limits of the step.
    pub settings: Settings,
    /// Absolute tolerance of every real [its unit].
    pub atol: f64,
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

/// Why an event-accurate run could not start or go on.
#[derive(Clone, PartialEq, Debug)]
pub enum HybridFault {
    /// There is nothing to start from.
    Setup(SetupError),
    /// A setting that cannot be used.
    Settings(SettingsError),
    /// A procedure, or a form of it, that event stepping does not know.
    NotSupported(RelationId),
    /// A row that fixes an integrated real reads that real.
    ClampReadsItself(RelationId),
    /// Values that depend on each other have no single solution, or none was found.
    Loop {
        /// The time.
        t: f64,
        /// The rows.
        rows: Vec<RelationId>,
        /// True: not a single solution; false: none found.
        singular: bool,
    },
    /// Assignments contradict each other for ever.
    Cycle {
        /// The time.
        t: f64,
        /// Positions of the assignments.
        assignments: Vec<usize>,
    },
    /// Events follow each other without end at one time.
    Endless {
        /// The time.
        t: f64,
        /// Names of the situations that fired.
        situations: Vec<String>,
    },
    /// Both sides of a border lead back to it, and it drives an event or an assignment.
    Chattering {
        /// The time.
        t: f64,
        /// Names of the ranges on the border.
        ranges: Vec<String>,
    },
    /// The method found no next step.
    Step(StepError),
    /// A value is not finite.
    Run(RunFault),
}

impl std::fmt::Display for HybridFault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Setup(error) => error.fmt(f),
            Self::Settings(error) => error.fmt(f),
            Self::NotSupported(row) => write!(f, "event stepping does not know relation {}", row.0),
            Self::ClampReadsItself(row) => {
                write!(f, "relation {} fixes an integrated real by itself", row.0)
            }
            Self::Loop { t, singular, .. } => {
                let what = if *singular { "no single" } else { "no" };
                write!(f, "an algebraic loop has {what} solution at t = {t}")
            }
            Self::Cycle { t, .. } => write!(f, "assignments go round in a circle at t = {t}"),
            Self::Endless { t, .. } => write!(f, "events follow each other without end at t = {t}"),
            Self::Chattering { t, .. } => write!(f, "a border is crossed to and fro at t = {t}"),
            Self::Step(error) => error.fmt(f),
            Self::Run(fault) => fault.fmt(f),
        }
    }
}

impl std::error::Error for HybridFault {}

impl From<StepError> for HybridFault {
    fn from(error: StepError) -> Self {
        Self::Step(error)
    }
}

impl From<EnterError> for HybridFault {
    fn from(error: EnterError) -> Self {
        match error {
            EnterError::Settings(error) => Self::Settings(error),
            EnterError::Step(error) => Self::Step(error),
        }
    }
}

/// A model being run with events located.
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
    /// Step of each staircase on which the state stands.
    pub(super) steps: Vec<f64>,
    pub(super) modes: Modes,
    pub(super) mode: usize,
    pub(super) motion: Option<Motion>,
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
    /// Bits as rows show them, and events since the last row.
    words: Vec<u64>,
    fired: Vec<u64>,
    rows: u64,
}

/// The first thing that ends a step.
struct Stop {
    theta: f64,
    cause: Cause,
}

enum Cause {
    Crossing(Vec<BorderId>),
    LeaveSlide(Side),
}

impl Hybrid {
    /// Prepares a run from the model's start values: all that happens at the start has happened.
    ///
    /// Errors: [`HybridFault`].
    pub fn new(model: impl Into<Arc<Model>>, config: EventConfig) -> Result<Self, HybridFault> {
        let model = model.into();
        let start = model
            .start_values()
            .map_err(|error| HybridFault::Setup(SetupError::Start(error)))?;
        let flow = Flow::new(&model);
        let actions = Actions::new(&model, &flow, &start.constants);
        let n_bits = model.switches.len() + model.ranges.len() + model.situations.len();
        let stepper = Stepper::new(config.settings.clone()).map_err(HybridFault::Settings)?;
        let mut hybrid = Self {
            truths: Truths::new(&model, flow.relays.len(), flow.events.len()),
            flow,
            actions,
            constants: start.constants,
            borders: Borders::default(),
            views: model.ranges.iter().map(|_| Vec::new()).collect(),
            steps: Vec::new(),
            modes: Modes::default(),
            mode: 0,
            motion: None,
            stepper,
            finder: Finder::default(),
            t: 0.0,
            reals: start.reals,
            beats: vec![0; model.schedules.len()],
            instants: 0,
            last_instant: 0.0,
            stalled: 0,
            words: vec![0; n_bits.div_ceil(64)],
            fired: vec![0; n_bits.div_ceil(64)],
            rows: 0,
            model,
            config,
        };
        hybrid.start()?;
        Ok(hybrid)
    }

    /// The model.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// The time [units of `time`].
    pub fn time(&self) -> f64 {
        self.t
    }

    /// The present value of a real.
    pub fn real(&self, id: crate::ids::RealId) -> f64 {
        self.reals[id.index()]
    }

    /// Whether a literal holds now.
    pub fn holds(&self, literal: Literal) -> bool {
        self.truths.holds(literal)
    }

    /// What was done so far.
    pub fn stats(&self) -> EventStats {
        EventStats {
            method: *self.stepper.stats(),
            instants: self.instants,
            modes: self.modes.len(),
        }
    }

    /// Runs to the end of the settings, or until the recorder breaks off. Both sides of every
    /// instant are rows with the same time.
    ///
    /// Errors: [`HybridFault`]; the rows up to there have been handed over.
    pub fn run(&mut self, recorder: &mut impl Recorder) -> Result<Ended, HybridFault> {
        if self.record(recorder) {
            return Ok(Ended::Recorder);
        }
        while self.t < self.config.stop {
            if self.step(recorder)? {
                return Ok(Ended::Recorder);
            }
        }
        Ok(Ended::Stop)
    }

    /// One step of the method, up to its end, the next instant or the stop; true if the recorder
    /// breaks off.
    fn step(&mut self, recorder: &mut impl Recorder) -> Result<bool, HybridFault> {
        let (due_at, due) = self.next_due();
        let mut motion = self.motion.take().expect("a run moves between instants");
        let departures = self.departures(&mut motion)?;
        let attempt = self.stepper.attempt(&mut motion, due_at);
        let candidate = match attempt {
            Ok(candidate) => candidate,
            Err(error) => {
                let fault = self.loop_fault(&motion).unwrap_or(HybridFault::Step(error));
                self.motion = Some(motion);
                return Err(fault);
            }
        };
        let dense = self
            .stepper
            .dense(&mut motion)
            .map_err(|_| HybridFault::Step(StepError::Stopped { t: self.t }))?
            .clone();
        let stop = self.search(&mut motion, &dense, &departures);
        let end = stop
            .as_ref()
            .map_or(candidate.t1, |stop| dense.time(stop.theta));
        let tolerance = TOGETHER * self.config.stop.abs().max(candidate.h);
        if end > self.config.stop + tolerance
            || (stop.is_none() && end >= self.config.stop && due_at > self.config.stop)
        {
            let broken = self.rows_within(&mut motion, &dense, self.config.stop, recorder)?;
            let theta = dense.theta(self.config.stop);
            let mut y = vec![0.0; motion.states().len()];
            dense.eval(theta, &mut y);
            self.place(&mut motion, self.config.stop, &y)?;
            self.motion = Some(motion);
            return Ok(broken | self.record(recorder));
        }
        let mut broken = self.rows_within(&mut motion, &dense, end, recorder)?;
        let mut y = vec![0.0; motion.states().len()];
        match &stop {
            None => {
                self.stepper.accept();
                y.copy_from_slice(self.stepper.y());
            }
            Some(stop) => dense.eval(stop.theta, &mut y),
        }
        self.place(&mut motion, end, &y)?;
        self.clear_flags(&departures);
        self.motion = Some(motion);
        let is_due = stop.is_none() && end == due_at;
        if stop.is_none() && !is_due {
            if self.config.every.is_none() {
                broken |= self.record(recorder);
            }
            return Ok(broken);
        }
        broken |= self.record(recorder);
        let (group, leaves) = match stop.map(|stop| stop.cause) {
            Some(Cause::Crossing(group)) => (group, None),
            Some(Cause::LeaveSlide(side)) => (Vec::new(), Some(side)),
            None => (self.due_borders(due_at), None),
        };
        let beats: Vec<ScheduleId> = if is_due { due } else { Vec::new() };
        self.instant(&group, leaves, &beats)?;
        Ok(broken | self.record(recorder))
    }

    /// The state is at a point of the motion.
    fn place(&mut self, motion: &mut Motion, t: f64, y: &[f64]) -> Result<(), HybridFault> {
        self.t = t;
        motion
            .write(t, y, &mut self.reals)
            .map_err(|_| HybridFault::Step(StepError::Start { t, component: None }))
    }

    fn loop_fault(&self, motion: &Motion) -> Option<HybridFault> {
        let Motion::Mode(evaluator) = motion else {
            return None;
        };
        let fault = evaluator.fault.clone()?;
        Some(HybridFault::Loop {
            t: self.t,
            rows: fault.rows,
            singular: fault.singular,
        })
    }

    /// What is known of each border at the start of the step.
    fn departures(&mut self, motion: &mut Motion) -> Result<Vec<Departure>, HybridFault> {
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

    pub(super) fn series(&self, evaluator: &mut Evaluator, y: &[f64]) -> Result<(), HybridFault> {
        let t = self.t;
        evaluator.series(t, y).map_err(|fault| HybridFault::Loop {
            t,
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

    /// Hands over the rows of the grid in the step, up to and not including its end.
    fn rows_within(
        &mut self,
        motion: &mut Motion,
        dense: &crate::solve::Dense,
        end: f64,
        recorder: &mut impl Recorder,
    ) -> Result<bool, HybridFault> {
        let Some(every) = self.config.every else {
            return Ok(false);
        };
        let mut y = vec![0.0; motion.states().len()];
        loop {
            #[expect(clippy::cast_precision_loss, reason = "rows are fewer than 2^53")]
            let at = (self.rows + 1) as f64 * every;
            if at > end || at > self.config.stop {
                return Ok(false);
            }
            self.rows += 1;
            if at == end {
                continue;
            }
            dense.eval(dense.theta(at), &mut y);
            self.place(motion, at, &y)?;
            if self.record(recorder) {
                return Ok(true);
            }
        }
    }

    /// Hands over the present row.
    fn record(&mut self, recorder: &mut impl Recorder) -> bool {
        let (switches, ranges) = (&self.truths.switches, &self.truths.ranges);
        self.words.fill(0);
        let all = switches.iter().chain(ranges).chain(&self.truths.situations);
        for (bit, &value) in all.enumerate() {
            self.words[bit / 64] |= u64::from(value) << (bit % 64);
        }
        let row = Row {
            tick: self.instants,
            time: self.t,
            reals: &self.reals,
            constants: &self.constants,
            words: &self.words,
            fired: &self.fired,
        };
        let broken = recorder.row(&row).is_break();
        self.fired.fill(0);
        broken
    }

    /// Notes the events that fire in a microstep, for the next row.
    pub(super) fn note_fired(&mut self) {
        let first = self.truths.switches.len() + self.truths.ranges.len();
        for (index, situation) in self.model.situations.iter().enumerate() {
            if situation.event && self.truths.situations[index] {
                let bit = first + index;
                self.fired[bit / 64] |= 1 << (bit % 64);
            }
        }
    }

    /// The next time that is known in advance, and the schedules due then.
    fn next_due(&self) -> (f64, Vec<ScheduleId>) {
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
        for (_, time) in self.timed_borders() {
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
    fn timed_borders(&self) -> Vec<(BorderId, f64)> {
        let Some(Motion::Mode(evaluator)) = &self.motion else {
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
                let ahead = time > self.t && !self.truths.flags[margin.border.index()];
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

    /// The first crossing inside a step, with all that fall on it.
    fn search(
        &mut self,
        motion: &mut Motion,
        dense: &crate::solve::Dense,
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

/// Where a slide is first left, and to which side: a mode no longer points at the border.
fn leaves(slide: &mut Slide, dense: &crate::solve::Dense) -> Option<(f64, Side)> {
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
