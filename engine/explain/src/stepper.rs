//! Run of a session: it is stepped, left and entered again at any of its states.
//!
//! A step is a tick, or a step of the method up to its end or to the next instant. A state inside a
//! step, where somebody wanted to look, leaves no trace in what follows.

use std::ops::ControlFlow;
use std::sync::Arc;

use situ_engine::ids::RelationId;
use situ_engine::model::{Boolean, Model};
use situ_engine::sim::{
    EventRun, Microstep, NamedState, Run, RunConfig, RunFault, RunState, SavedRun, SetupError,
    StateError, TickRun,
};
use situ_engine::trace::{Recorder, Row};

use crate::history::Cut;

/// What is done to a run before its first step, such as giving it a compiler; must not change its bits.
#[derive(Clone)]
pub struct Equipment(Arc<dyn Fn(&mut Run) + Send + Sync>);

impl Equipment {
    /// What is done to runs.
    pub fn new(equip: impl Fn(&mut Run) + Send + Sync + 'static) -> Self {
        Self(Arc::new(equip))
    }
}

/// Nothing is done.
impl Default for Equipment {
    fn default() -> Self {
        Self::new(|_| {})
    }
}

impl std::fmt::Debug for Equipment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Equipment").finish_non_exhaustive()
    }
}

/// A run of one model that can be left and entered again at any of its states.
#[derive(Clone, Debug)]
pub struct Stepper {
    model: Arc<Model>,
    run: Run,
}

/// A step that failed, and where it left the run.
#[derive(Clone, Debug)]
pub struct FailedStep {
    /// Reason of the failure.
    pub fault: RunFault,
    /// The time inside the step, or at its end, at which it failed; `None` at its start.
    pub inside: Option<f64>,
}

/// Hands rows on.
struct EachRow<'a>(&'a mut dyn FnMut(&Row<'_>));

impl Recorder for EachRow<'_> {
    fn row(&mut self, row: &Row<'_>) -> ControlFlow<()> {
        (self.0)(row);
        ControlFlow::Continue(())
    }
}

impl FailedStep {
    /// Of a tick, which leaves the run before it.
    fn tick(fault: RunFault) -> Self {
        let inside = None;
        Self { fault, inside }
    }

    /// Of a step that began at a time.
    fn of(fault: RunFault, run: &EventRun, begun: f64) -> Self {
        let inside = (run.time() > begun).then(|| run.time());
        Self { fault, inside }
    }
}

impl Stepper {
    /// From the start values, or from what another run has.
    ///
    /// # Errors
    ///
    /// The model cannot be run so.
    pub fn begin(
        model: &Arc<Model>,
        config: &RunConfig,
        from: Option<&NamedState>,
        equipment: &Equipment,
    ) -> Result<Self, SetupError> {
        let config = config.clone();
        let mut run = match from {
            None => Run::new(Arc::clone(model), config, &[])?,
            Some(carried) => Run::resume(Arc::clone(model), config, carried)?,
        };
        (equipment.0)(&mut run);
        let model = Arc::clone(model);
        Ok(Self { model, run })
    }

    /// The model.
    pub fn model(&self) -> &Arc<Model> {
        &self.model
    }

    /// The time [units of `time`].
    pub fn time(&self) -> f64 {
        self.run.time()
    }

    /// The row that stands; an event holds in it if it fired in the last step.
    pub fn row(&self) -> Row<'_> {
        self.run.present()
    }

    /// The tick run, if it is one.
    pub fn ticks(&self) -> Option<&TickRun> {
        match &self.run {
            Run::Ticks(run) => Some(run),
            Run::Events(_) => None,
        }
    }

    /// Length of a tick; `None` of steps whose length is not known in advance [units of `time`].
    pub fn tick_length(&self) -> Option<f64> {
        let config = self.ticks()?.config();
        (!config.is_uneven()).then_some(config.step)
    }

    /// Up to so many steps, of which the first may be the rest of one; fewer if the table's
    /// `stop_when` comes true. The number of steps done, and the fault if one came.
    pub fn advance(&mut self, steps: u64) -> (u64, Result<(), FailedStep>) {
        match &mut self.run {
            Run::Ticks(run) => {
                let before = run.tick();
                let outcome = run.advance(steps);
                (run.tick() - before, outcome.map_err(FailedStep::tick))
            }
            Run::Events(run) => {
                for done in 0..steps {
                    let begun = run.time();
                    // What ends a step early (`stop_when` inside of it) does not end it here.
                    loop {
                        if let Err(fault) = run.advance(f64::INFINITY, &mut ()) {
                            return (done, Err(FailedStep::of(fault, run, begun)));
                        }
                        if !run.is_inside_step() {
                            break;
                        }
                    }
                    if run.stopped() {
                        return (done + 1, Ok(()));
                    }
                }
                (steps, Ok(()))
            }
        }
    }

    /// Ticks that were done before, again, with a row after each; fewer if the table's `stop_when` comes true. The
    /// number of ticks done, and the fault if one came; `None` of a run that is none of ticks.
    pub(crate) fn repeat_ticks(
        &mut self,
        ticks: u64,
        each: &mut dyn FnMut(&Row<'_>),
    ) -> Option<(u64, Result<(), RunFault>)> {
        let Run::Ticks(run) = &mut self.run else {
            return None;
        };
        let before = run.tick();
        let outcome = run.advance_recorded(ticks, &mut EachRow(each));
        Some((run.tick() - before, outcome.map(|_| ())))
    }

    /// To a time inside the next step, or to the end of that step; whether it lies inside then.
    ///
    /// # Errors
    ///
    /// The step failed.
    pub fn advance_to(&mut self, until: f64) -> Result<bool, FailedStep> {
        match &mut self.run {
            Run::Ticks(run) => match run.advance(1) {
                Ok(()) => Ok(false),
                Err(fault) => Err(FailedStep::tick(fault)),
            },
            Run::Events(run) => {
                let begun = run.time();
                while run.time() < until {
                    if let Err(fault) = run.advance(until, &mut ()) {
                        return Err(FailedStep::of(fault, run, begun));
                    }
                    if !run.is_inside_step() {
                        break;
                    }
                }
                Ok(run.is_inside_step())
            }
        }
    }

    /// Behind a microstep of the instant at the end of the next step, from 1 on, or to the end of that step if it has
    /// fewer; whether the instant goes on from there.
    ///
    /// # Errors
    ///
    /// The step failed.
    pub fn advance_to_microstep(&mut self, number: u32) -> Result<bool, FailedStep> {
        match &mut self.run {
            Run::Ticks(_) => self.advance_to(f64::INFINITY),
            Run::Events(run) => {
                let begun = run.time();
                let advanced = run.advance_to_microstep(number);
                advanced.map_err(|fault| FailedStep::of(fault, run, begun))
            }
        }
    }

    /// To a place inside the next step, or to the end of that step; whether it lies inside then.
    ///
    /// # Errors
    ///
    /// The step failed.
    pub(crate) fn advance_into(&mut self, cut: Cut) -> Result<bool, FailedStep> {
        match cut {
            Cut::Time(until) => self.advance_to(until),
            Cut::Microstep(number) => self.advance_to_microstep(number),
        }
    }

    /// The time inside the present step of the method at which `stop_when` comes true [units of `time`]; `None` in ticks.
    pub fn stop_inside(&self) -> Option<f64> {
        self.events()?.stop_inside()
    }

    /// The run a very small part of the next step on; `None` in ticks, and if there is no next step.
    pub fn just_ahead(&self) -> Option<Self> {
        /// Part of the step.
        const PART: f64 = 1e-9;
        let begin = self.events()?.time();
        let (mut end, mut ahead) = (self.clone(), self.clone());
        end.advance(1).1.ok()?;
        ahead
            .advance_to(begin + (end.time() - begin) * PART)
            .ok()?
            .then_some(ahead)
    }

    /// The last time of the next step, which fails at a time, to which the run can be brought; `None` if it is the
    /// present one. The run stays as it is.
    pub(crate) fn defined_before(&self, failed: f64) -> Option<f64> {
        /// Halvings; more do not fit between two numbers.
        const MOST: u32 = 80;
        /// Nearer to where it fails, in relation to the time, rounding decides whether it does.
        const NEAR: f64 = 1e-12;
        let begin = self.time();
        let (mut low, mut high) = (begin, failed);
        let mut found = None;
        for _ in 0..MOST {
            let middle = low + (high - low) / 2.0;
            if middle <= low || middle >= high {
                break;
            }
            match self.clone().advance_to(middle) {
                Ok(true) => {
                    found = Some(middle);
                    low = middle;
                }
                Ok(false) | Err(_) => high = middle,
            }
        }
        let found = found?;
        let near = NEAR * found.abs().max(found - begin);
        // A run that stands there already stays there.
        (found - begin > 2.0 * near).then_some(found - near)
    }

    /// True if a boolean holds after the last step; for an event or a schedule, if it was in that step.
    pub fn holds(&self, what: Boolean) -> bool {
        match (what, &self.run) {
            (Boolean::Schedule(id), Run::Ticks(run)) => run.was_due(id),
            (Boolean::Schedule(id), Run::Events(run)) => run.was_due(id),
            _ => self.row().boolean(self.model(), what),
        }
    }

    /// Rows of the microsteps of the last step's instant; none in ticks.
    pub fn microsteps(&self) -> impl Iterator<Item = Row<'_>> {
        let run = match &self.run {
            Run::Ticks(_) => None,
            Run::Events(run) => Some(run),
        };
        run.into_iter().flat_map(|run| run.microsteps())
    }

    /// Microsteps of the instant at the end of the next step, up to the one of a number if it is given; the step is done
    /// again. None in ticks.
    pub(crate) fn observe_step(&self, number: Option<u32>) -> Vec<Microstep> {
        let observed = self.events().map(|run| match number {
            Some(number) => run.observe_to_microstep(number),
            None => run.observe_step(),
        });
        observed.and_then(Result::ok).unwrap_or_default()
    }

    /// Microsteps of the instant at the start of an event-accurate run, which is done again; none in ticks.
    pub(crate) fn observe_start(&self) -> Vec<Microstep> {
        let started = self
            .events()
            .map(|run| EventRun::observe_start(Arc::clone(&self.model), run.config().clone()));
        started.and_then(Result::ok).unwrap_or_default()
    }

    /// True if the table's `stop_when` holds.
    pub fn stopped(&self) -> bool {
        self.run.stopped()
    }

    /// All that a run is made of.
    pub(crate) fn state(&self) -> RunState {
        self.run.state()
    }

    pub(crate) fn restore(&mut self, state: &RunState) {
        self.run
            .restore(state)
            .expect("the state was taken from a run of this version");
    }

    /// What the same run under other names goes on with.
    pub(crate) fn saved(&self) -> SavedRun {
        self.run.saved()
    }

    /// Goes on from what a run has that differs in names only, or in the stop.
    ///
    /// # Errors
    ///
    /// It differs in more than that.
    pub(crate) fn load(&mut self, saved: &SavedRun) -> Result<(), StateError> {
        self.run.load(saved)
    }

    /// What a run of another version goes on with.
    pub fn carried(&self) -> NamedState {
        self.run.carried()
    }

    /// The same for a version that differs from its own in names only.
    pub fn carried_under(&self, model: &Model) -> NamedState {
        self.run.carried_under(model)
    }

    /// True if the relation was active in the last step.
    pub fn is_active(&self, relation: RelationId) -> bool {
        self.run.was_active(relation)
    }

    /// True if the assignment was executed in the last step.
    pub fn is_executed(&self, assignment: usize) -> bool {
        self.run.was_executed(assignment)
    }

    /// The event-accurate run, if it is one.
    pub fn events(&self) -> Option<&EventRun> {
        match &self.run {
            Run::Ticks(_) => None,
            Run::Events(run) => Some(run),
        }
    }
}
