//! Everything that an event-accurate run carries on, as one value that can be cloned and compared.
//!
//! The borders that the run knows are part of it, and so is the derivative at the last point: one that is found by
//! iteration has other last bits from another start. Modes are told from those of another past by the order in which
//! things were learned of borders (`Borders::common_age`).

use serde::{Deserialize, Serialize};
use std::sync::Arc;

use super::deeds::Deeds;
use super::discrete_state::DiscreteState;
use super::driver::{Begun, Hybrid};
use super::instant::Bound;
use super::iteration::Iteration;
use super::locate::Before;
use super::motion::Moving;
use super::pass::{At, Look};
use super::past::Past;
use super::zeno::Zeno;
use crate::lower::border::{BorderId, Borders, Side};
use crate::sim::validate::{StateError, must};
use situ_solve::Snapshot;

/// The state of an event-accurate run, inside a step or between two.
///
/// Everything in a run that is not here is made from it, or takes no part in what the run does: modes,
/// the step that was under way, workspace.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct EventState {
    /// The time [units of `time`].
    pub t: f64,
    /// Reals at the start of the step.
    pub(super) reals: Vec<f64>,
    /// If a step is under way: how many looks in it are over.
    pub(super) inside_step: Option<usize>,
    /// If the step is the rest of one of the method.
    pub(super) rest: Option<Rest>,
    /// The borders that the rest counts.
    #[serde(with = "shared")]
    pub(super) borders: Arc<Borders>,
    /// Truths at the start of the step.
    pub(super) truths: DiscreteState,
    pub(super) steps: Vec<f64>,
    pub(super) begun: Begun,
    /// On which of its solutions each loop of the mode was last.
    pub(super) branches: Vec<i8>,
    pub(super) leaving: Vec<(BorderId, Side, usize)>,
    pub(super) past: Past,
    pub(super) before: Before,
    pub(super) zeno: Zeno,
    pub(super) stepper: Snapshot,
    pub(super) beats: Vec<u64>,
    pub(super) instants: u64,
    pub(super) last_instant: f64,
    pub(super) stalled: u32,
    /// Borders at which events followed each other in no time.
    pub(super) quiet: Vec<BorderId>,
    pub(super) fired: Vec<u64>,
    pub(super) latest: Vec<u64>,
    pub(super) deeds: Deeds,
    pub(super) rows: u64,
    /// Steps and instants since a time.
    pub(super) work: (f64, u64),
}

/// What is left of a step of the method behind an instant that has not touched the motion.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub(super) struct Rest {
    /// Where in the step it begins [theta], and when.
    pub(super) from: f64,
    pub(super) begin: f64,
    /// The latest time at which the step might have ended.
    pub(super) limit: f64,
}

impl EventState {
    /// About how much memory it takes (in bytes).
    pub fn bytes(&self) -> usize {
        let reals = self.reals.len() + self.begun.reals.len() + 5 * self.stepper.y.len();
        let words = self.beats.len() + self.fired.len() + self.latest.len() + self.steps.len();
        size_of::<Self>() + 8 * (reals + words) + self.truths.bytes() + self.deeds.bytes()
    }
}

impl Hybrid {
    /// All that the rest of the run depends on, for [`Hybrid::restore`].
    pub fn state(&self) -> EventState {
        let inside_step = self.step.as_ref().map(|step| step.passed);
        let (mut truths, mut reals) = (self.discrete.clone(), &self.reals);
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
            rest: (self.rest_from > 0.0).then_some(Rest {
                from: self.rest_from,
                begin: self.rest_begin,
                limit: self.step_limit,
            }),
            borders: Arc::clone(&self.borders),
            truths,
            steps: self.steps.clone(),
            begun: Begun {
                reals: self.begun.reals.clone(),
                bound: Bound {
                    lambda: self.motion.shares().to_vec(),
                    rest: self.bound.rest.clone(),
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
            quiet: self.quiet.borders.clone(),
            fired: self.fired.clone(),
            latest: self.latest.clone(),
            deeds: self.deeds.clone(),
            rows: self.rows,
            work,
        }
    }

    /// Goes back, or on, to a state of the same model, also of another run of it. Coverage and measures
    /// are not taken back.
    ///
    /// Errors: [`StateError`], where the state is not one of this model and these settings.
    pub fn restore(&mut self, state: &EventState) -> Result<(), StateError> {
        self.seen.close(self.t);
        let known = self.borders.common_age(&state.borders);
        if known < self.borders.age() {
            self.modes.keep(known);
            self.standing.clear();
        }
        self.borders = Arc::clone(&state.borders);
        self.todo.clear();
        self.iteration = Iteration::default();
        self.discrete.clone_from(&state.truths);
        self.steps.clone_from(&state.steps);
        self.beats.clone_from(&state.beats);
        self.fired.clone_from(&state.fired);
        self.latest.clone_from(&state.latest);
        self.deeds.clone_from(&state.deeds);
        self.begun.clone_from(&state.begun);
        (self.rows, self.work) = (state.rows, state.work);
        (self.instants, self.last_instant, self.stalled) =
            (state.instants, state.last_instant, state.stalled);
        self.quiet.borders.clone_from(&state.quiet);
        (self.step, self.fault) = (None, None);
        self.watching.stopped = false;
        self.asked = f64::INFINITY;

        self.reals.clone_from(&state.begun.reals);
        self.t = state.stepper.t;
        self.leaving.clone_from(&state.leaving);
        self.past.clone_from(&state.past);
        self.before.clone_from(&state.before);
        self.zeno.clone_from(&state.zeno);
        self.bound.clone_from(&state.begun.bound);
        self.find_mode()?;
        self.write_views(self.mode);
        self.know_borders();
        self.todo.clear();
        self.iteration = Iteration::default();
        self.motion = self.assemble(&state.begun.bound, None)?;
        let n_moving = self.motion.states.len();
        must(
            state.stepper.y.len() == n_moving && state.stepper.dy.len() == n_moving,
            "other reals move in it",
        )?;
        self.branches.0 = self.motion.mode;
        self.moved_in = self.motion.is_free().then_some(self.motion.mode);
        self.branches.1.clone_from(&state.branches);
        self.write_tolerances();
        let mut moving = Moving {
            motion: &mut self.motion,
            modes: &mut self.modes,
            past: &self.past,
            fence: None,
        };
        self.stepper
            .resume(&mut moving, &state.stepper, &self.atol)
            .map_err(|_| StateError::Foreign("there is no motion from it"))?;
        (self.cut_at, self.rest_from) = (None, 0.0);
        if let Some(rest) = state.rest {
            self.step_limit = rest.limit;
            self.make_whole_step()?;
            (self.rest_from, self.rest_begin, self.t) = (rest.from, rest.begin, rest.begin);
        }
        self.reals.clone_from(&state.reals);
        self.modes.get(self.motion.mode).guess_from(&state.reals);
        self.write_words();
        self.seen.resume(&self.words, self.t);
        if let Some(passed) = state.inside_step {
            let mut step = self.find()?;
            step.passed = passed.min(step.looks.len());
            let over = &step.looks[..step.passed];
            for look in over {
                if let At::Border(border, side) = look.what {
                    self.discrete.sides[border.index()] = side;
                }
            }
            let places = |look: &&Look| !matches!(look.what, At::Turn { .. });
            let last = over.iter().rfind(places);
            let last = last.filter(|look| look.t == state.t);
            let theta = last.map_or_else(|| self.dense.theta(state.t), |look| look.theta);
            self.step = Some(step);
            self.place_at(theta, state.t)?;
        }
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
