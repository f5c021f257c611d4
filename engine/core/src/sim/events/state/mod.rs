//! Everything that an event-accurate run carries on, as one value that can be cloned and compared.
//!
//! The borders that the run knows are part of it, and so is the derivative at the last point: one that is found by
//! iteration has other last bits from another start. Modes are told from those of another past by the order in which
//! things were learned of borders (`Borders::common_age`).

use crate::sim::events::motion::system::Moving;
pub(super) mod discrete_state;
pub(super) mod plan;
pub(super) mod saved;
pub(super) mod validate;

use crate::lower::flow::Flow;
use crate::model::{Argument, Model, StartValues};
use crate::sim::SetupError;
use crate::sim::events::iteration::row_programs::first_value;
use crate::sim::events::state::plan::Plan;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

use crate::lower::border::{BorderId, Borders, Side};
use crate::lower::history;
use crate::sim::events::delays::delay_history::DelayHistory;
use crate::sim::events::detect::locators::Before;
use crate::sim::events::detect::within_step::{SampleKind, SamplePoint};
use crate::sim::events::iteration::zeno::Zeno;
use crate::sim::events::motion::active_constraints::ActiveConstraints;
use crate::sim::past::line::Line;
use crate::sim::state::start::check_past;

use crate::sim::events::observe::step_effects::StepEffects;
use crate::sim::events::run::EventRun;
use crate::sim::events::state::discrete_state::DiscreteState;
use crate::sim::state::defect::{StateDefect, StateError, must};
use situ_solve::Snapshot;

/// The hybrid state: reals, truths, the sides of borders, and the memory of rows and of the run.
///
/// Everything in a run that is not here is made from it, or takes no part in what the run does: modes,
/// the step that was under way, workspace.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(super) struct HybridState {
    /// The time [units of `time`].
    pub(super) t: f64,
    pub(super) reals: Vec<f64>,
    pub(super) discrete: DiscreteState,
    /// Step of each staircase on which the state stands.
    pub(super) steps: Vec<f64>,
    /// The borders that the run knows.
    #[serde(with = "shared")]
    pub(super) borders: Arc<Borders>,
    pub(super) begun: MotionStart,
    /// Borders that are being left, with the side and how many derivatives of z are known to vanish.
    pub(super) leaving: Vec<(BorderId, Side, usize)>,
    /// Borders at which events followed each other in no time.
    pub(super) quiet: Vec<BorderId>,
    /// History of the delays.
    pub(super) past: DelayHistory,
    /// What is known of the borders at the end of the last step, for locators that look at ends only.
    pub(super) before: Before,
    pub(super) zeno: Zeno,
    pub(super) progress: Progress,
    pub(super) shown: Shown,
}

/// Reals when the present motion began, and what bound it.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub(super) struct MotionStart {
    pub(super) reals: Vec<f64>,
    pub(super) bound: ActiveConstraints,
}

/// Counts of what is over.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub(super) struct Progress {
    /// Per schedule how many of its instants are over.
    pub(super) schedule_counts: Vec<u64>,
    pub(super) instants: u64,
    /// Steps of the method, those that are done again not counted; states of an earlier program have none.
    #[serde(default)]
    pub(super) steps: u64,
    /// Time of the last instant, and how many before it were at about the same time.
    pub(super) last_instant: f64,
    pub(super) stalled: u32,
    /// Rows of the grid.
    pub(super) rows: u64,
}

/// What the next row tells of events.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub(super) struct Shown {
    /// Events since the last row, in bits as rows show them.
    pub(super) fired: Vec<u64>,
    /// Events of the last step.
    pub(super) latest: Vec<u64>,
    /// Effects of rules at the instant of the last step.
    pub(super) deeds: StepEffects,
}

/// The state of an event-accurate run, inside a step or between two.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct EventState {
    /// The hybrid state; of what a step in progress has changed, as it was at the start of the step.
    pub(super) hybrid: HybridState,
    pub(super) step: StepState,
    /// Borders on which comparisons that are watched compare the numbers, each with the side of these.
    #[serde(default)]
    pub(super) landed: Vec<(BorderId, Side)>,
}

/// How far the integration method is.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(super) struct StepState {
    pub(super) stepper: Snapshot,
    /// If a step is under way: number of sample points in it that are over.
    pub(super) inside: Option<usize>,
    /// If the step is the rest of one of the method.
    pub(super) rest: Option<Rest>,
    /// On which of its solutions each loop of the mode was last.
    pub(super) branches: Vec<i8>,
    /// If the state lies in the instant at the end of the step: number of microsteps that are over.
    #[serde(default)]
    pub(super) microsteps: Option<u32>,
}

/// Rest of a step of the method behind an instant that has not touched the motion.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub(super) struct Rest {
    /// Start of the rest in the step [theta], and its time.
    pub(super) from: f64,
    pub(super) begin: f64,
    /// The latest time at which the step might have ended.
    pub(super) limit: f64,
    /// The reals where it began, from which its loops were solved.
    #[serde(default)]
    pub(super) guess: Vec<f64>,
}

impl HybridState {
    /// The start values, at which nothing has happened yet.
    ///
    /// # Errors
    ///
    /// [`SetupError::BadInterval`] if a delay has no length.
    pub(super) fn new(plan: &Plan, start: StartValues) -> Result<Self, SetupError> {
        let (model, flow) = (&plan.model, &plan.flow);
        let past = past_of(model, flow, &start)?;
        let n_bits = model.switches.len() + model.ranges.len() + model.situations.len();
        let words = vec![0; n_bits.div_ceil(64)];
        let latched = flow.relay_targets(model);
        let latched = latched.map(|real| start.reals[real.index()]).collect();
        Ok(Self {
            t: 0.0,
            discrete: DiscreteState::new(model, latched, flow.events.len()),
            reals: start.reals,
            steps: Vec::new(),
            borders: Arc::default(),
            begun: MotionStart::default(),
            leaving: Vec::new(),
            quiet: Vec::new(),
            past,
            before: Before::default(),
            zeno: Zeno::default(),
            progress: Progress {
                schedule_counts: vec![0; model.schedules.len()],
                ..Progress::default()
            },
            shown: Shown {
                fired: words.clone(),
                latest: words,
                deeds: StepEffects::default(),
            },
        })
    }
}

/// The histories of the delays, as they are before the start.
fn past_of(model: &Model, flow: &Flow, start: &StartValues) -> Result<DelayHistory, SetupError> {
    let mut lines = Vec::with_capacity(flow.delays.len());
    for &row in &flow.delays {
        let relation = &model.relations[flow.rows[row].relation.index()];
        let Argument::Real(length) = relation.args[1] else {
            unreachable!("the signature says that the length is a number");
        };
        let before = history::before(model, flow.rows[row].relation, start);
        let first = first_value(model, relation, start);
        if !model.exprs.is_constant(length) {
            lines.push(Line::new(None, first, before));
            continue;
        }
        let tau = model.evaluate(length, start);
        if !(tau > 0.0 && tau.is_finite()) {
            return Err(SetupError::BadInterval {
                what: "delay",
                value: tau,
                origin: relation.origin,
            });
        }
        check_past(&before, tau, relation.origin)?;
        lines.push(Line::new(Some(tau), first, before));
    }
    Ok(DelayHistory::new(lines))
}

impl EventState {
    /// The time [units of `time`].
    pub fn time(&self) -> f64 {
        self.hybrid.t
    }

    /// About how much memory it takes (in bytes).
    pub fn bytes(&self) -> usize {
        let Self { hybrid, step, .. } = self;
        let (progress, shown) = (&hybrid.progress, &hybrid.shown);
        let reals = hybrid.reals.len() + hybrid.begun.reals.len() + 5 * step.stepper.y.len();
        let words = shown.fired.len() + shown.latest.len();
        let counts = progress.schedule_counts.len() + hybrid.steps.len();
        let lists = hybrid.discrete.bytes() + shown.deeds.bytes();
        size_of::<Self>() + 8 * (reals + words + counts) + lists
    }
}

impl EventRun {
    /// All that the rest of the run depends on, for [`EventRun::restore`].
    pub fn state(&self) -> EventState {
        if let Some(before) = &self.before_instant {
            let mut state = EventState::clone(before);
            state.step.microsteps = Some(self.events.n_microsteps());
            state.landed = self.observe.watching.landed_sides().to_vec();
            return state;
        }
        let (dynamics, detect) = (&self.dynamics, &self.detect);
        let mut hybrid = self.state.clone();
        hybrid.begun.bound.lambda = dynamics.motion.shares().to_vec();
        hybrid.begun.bound.rest.clone_from(&dynamics.bound.rest);
        if detect.step.is_some() {
            let start = &detect.step_start;
            hybrid.reals.clone_from(&start.reals);
            hybrid.discrete.sides.clone_from(&start.sides);
            hybrid.discrete.flags.clone_from(&start.flags);
        }
        EventState {
            hybrid,
            step: StepState {
                stepper: detect.stepper.save().clone(),
                inside: detect.step.as_ref().map(|step| step.passed),
                rest: (detect.rest.from > 0.0).then(|| detect.rest.clone()),
                branches: match &dynamics.branches {
                    (mode, branches) if *mode == dynamics.motion.mode => branches.clone(),
                    _ => Vec::new(),
                },
                microsteps: None,
            },
            landed: self.observe.watching.landed_sides().to_vec(),
        }
    }

    /// Goes back, or on, to a state of the same model, also of another run of it. Coverage and measures
    /// are not taken back.
    ///
    /// # Errors
    ///
    /// [`StateError`], where the state is not one of this model and these settings.
    pub fn restore(&mut self, state: &EventState) -> Result<(), StateError> {
        let EventState { hybrid, step, .. } = state;
        self.observe.seen.close(self.state.t);
        let known = self.state.borders.common_age(&hybrid.borders);
        if known < self.state.borders.age() {
            self.dynamics.modes.keep(known);
            self.events.standing.clear();
        }
        let own = std::mem::take(&mut self.state.past);
        let mut zeno = std::mem::take(&mut self.state.zeno);
        self.state.clone_from(hybrid);
        self.state.past.take_functions(&own);
        // What it has room for is kept.
        zeno.clone_from(&hybrid.zeno);
        self.state.zeno = zeno;
        (self.detect.step, self.fault) = (None, None);
        self.before_instant = None;
        self.observe.watching.stopped = false;
        self.stop_requested = f64::INFINITY;
        self.begin_again(hybrid, step)?;
        self.events.mark_risen(&self.state);
        if let Some(rest) = &step.rest {
            self.detect.rest.limit = rest.limit;
            let evaluator = self.dynamics.modes.get(self.dynamics.motion.mode);
            evaluator.guess_from(self.state.t, &rest.guess);
            self.detect
                .make_whole_step(&mut self.state, &mut self.dynamics)?;
            self.detect.rest.clone_from(rest);
            self.state.t = rest.begin;
        }
        self.state.reals.clone_from(&hybrid.reals);
        let evaluator = self.dynamics.modes.get(self.dynamics.motion.mode);
        evaluator.guess_from(self.state.t, &hybrid.reals);
        self.observe.write_words(&self.state);
        let observe = &mut self.observe;
        observe.seen.resume(&observe.words, self.state.t);
        if let Some(passed) = step.inside {
            self.go_into_step(passed, hybrid.t)?;
        }
        if let Some(microsteps) = step.microsteps {
            self.interrupt_after(microsteps)?;
            self.observe.write_words(&self.state);
        }
        self.observe.watching.land_on(&state.landed);
        Ok(())
    }

    /// The motion of a state begins again, at the place where the method stood.
    fn begin_again(&mut self, hybrid: &HybridState, step: &StepState) -> Result<(), StateError> {
        self.events.forget();
        self.state.t = step.stepper.t;
        self.state.reals.clone_from(&hybrid.begun.reals);
        self.dynamics.bound.clone_from(&hybrid.begun.bound);
        self.events
            .find_mode(&mut self.state, &mut self.dynamics, &mut self.observe)?;
        let mode = self.dynamics.mode;
        // The mode of the motion that is left may be forgotten by now.
        self.dynamics.motion.mode = mode;
        self.events
            .write_views(&self.state, &mut self.dynamics, mode);
        self.events.know_borders(&self.state);
        self.events.forget();
        // What jumps along a slide is seen from its motion, which is there the second time.
        let times = if hybrid.begun.bound.slides.is_empty() {
            1
        } else {
            2
        };
        for _ in 0..times {
            let motion = self.events.assemble(
                &mut self.state,
                &mut self.dynamics,
                &mut self.observe,
                &hybrid.begun.bound,
                None,
            )?;
            self.dynamics.motion = motion;
        }
        let method = self.plan.config.settings.method;
        (self.dynamics.motion).set_algebraic(&self.dynamics.modes, method);
        let n_moving = self.dynamics.motion.components().count();
        must(
            step.stepper.y.len() == n_moving && step.stepper.dy.len() == n_moving,
            StateDefect::Movers,
        )?;
        let motion = &self.dynamics.motion;
        self.dynamics.branches.0 = motion.mode;
        self.dynamics.branches.1.clone_from(&step.branches);
        self.dynamics.moved_in = motion.is_free().then_some(motion.mode);
        self.detect.write_tolerances(&self.dynamics);
        let mut moving = Moving {
            motion: &mut self.dynamics.motion,
            modes: &mut self.dynamics.modes,
            past: &self.state.past,
            fence: None,
        };
        let detect = &mut self.detect;
        let resumed = (detect.stepper).resume(&mut moving, &step.stepper, &detect.atol);
        resumed.map_err(|_| StateError::Foreign(StateDefect::Motion))?;
        (detect.cut_at, detect.rest.from) = (None, 0.0);
        Ok(())
    }

    /// Finds the step again that was under way, and goes on to where so many of its looks are over.
    fn go_into_step(&mut self, passed: usize, t: f64) -> Result<(), StateError> {
        let mut step = self.detect.find(
            &mut self.state,
            &mut self.dynamics,
            &mut self.events,
            &mut self.observe,
        )?;
        step.passed = passed.min(step.looks.len());
        if step.still {
            self.detect.step = Some(step);
            return Ok(());
        }
        let over = &step.looks[..step.passed];
        for look in over {
            if let SampleKind::Border(border, side) = look.what {
                self.state.discrete.sides[border.index()] = side;
            }
        }
        let places = |look: &&SamplePoint| !matches!(look.what, SampleKind::Turn { .. });
        let last = over.iter().rfind(places);
        let last = last.filter(|look| look.t == t);
        let theta = last.map_or_else(|| self.detect.dense.theta(t), |look| look.theta);
        self.detect.step = Some(step);
        self.detect
            .place_at(&mut self.state, &mut self.dynamics, theta, t)?;
        Ok(())
    }
}

/// Writes what is shared as if it were not.
mod shared {
    use std::sync::Arc;

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(super) fn serialize<T: Serialize, S: Serializer>(
        value: &Arc<T>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        (**value).serialize(serializer)
    }

    pub(super) fn deserialize<'de, T, D>(deserializer: D) -> Result<Arc<T>, D::Error>
    where
        T: Deserialize<'de>,
        D: Deserializer<'de>,
    {
        T::deserialize(deserializer).map(Arc::new)
    }
}
