//! The end of a step: what a recorder is given there, and the instant that happens.

use crate::sim::RunFault;
use crate::sim::events::iteration::event_iteration::EventCause;
use crate::sim::events::iteration::interruption::Interruption;
use crate::sim::events::run::{EventRun, Pause};
use crate::sim::events::state::EventState;
use crate::sim::state::defect::{StateDefect, StateError, must};
use crate::trace::Recorder;

impl EventRun {
    /// The step is over: what happens at its end. `before`: the state inside the step, if the instant may be interrupted.
    pub(super) fn finish_step(
        &mut self,
        before: Option<Box<EventState>>,
        recorder: &mut impl Recorder,
    ) -> Result<Pause, RunFault> {
        let row = self.state.next_row(&self.plan);
        let with_instant = row.is_some_and(|at| self.is_row_of_instant(at));
        let step = (self.detect.step.as_mut()).expect("a step has just been gone through");
        self.detect.room = std::mem::take(&mut step.departures);
        let (end, reason) = (step.end, step.reason.take());
        let last = step.looks.len();
        self.detect.take_held_spans(&mut self.observe, last, end);
        self.detect.step = None;
        if reason.is_none() {
            self.compare_at_stop();
        }
        self.observe.look(&self.state, &self.dynamics);
        if row.is_some_and(|at| at < end && !with_instant) {
            self.state.progress.rows = self.plan.rows_before(end);
        }
        let broken_off = self.observe.tell(recorder);
        if broken_off && reason.is_none() {
            return Ok(Pause::Recorder);
        }
        let reads = || self.state.reads_anew(&self.plan).then(EventCause::default);
        let Some(reason) = reason.or_else(reads) else {
            let on_grid = self.state.next_row(&self.plan) == Some(end);
            self.state.progress.rows += u64::from(on_grid);
            if (on_grid || self.plan.config.every.is_none()) && self.record(recorder) {
                return Ok(Pause::Recorder);
            }
            return Ok(if self.observe.watching.stopped {
                Pause::Condition
            } else {
                Pause::Step
            });
        };
        let on_grid = with_instant || self.state.next_row(&self.plan) == Some(end);
        self.state.progress.rows += u64::from(on_grid);
        let both_sides = !self.plan.config.grid_only;
        let broken = broken_off || (both_sides && self.record(recorder));
        self.observe.check_instants(&self.state, end)?;
        self.land_at_stop(end, &reason.borders)?;
        self.events.instant(
            &mut self.state,
            &mut self.dynamics,
            &mut self.detect,
            &mut self.observe,
            &reason,
        )?;
        self.before_instant = before;
        Ok(self.finish_instant(broken, row.filter(|_| on_grid), recorder))
    }

    /// The rest of an instant that is interrupted.
    pub(super) fn go_on_with_instant(
        &mut self,
        recorder: &mut impl Recorder,
    ) -> Result<Pause, RunFault> {
        self.events.go_on_with_instant(
            &mut self.state,
            &mut self.dynamics,
            &mut self.detect,
            &mut self.observe,
        )?;
        Ok(self.finish_instant(false, None, recorder))
    }

    /// An instant is over, or a part of it. `row`: the time of the row of the grid that lies there.
    fn finish_instant(
        &mut self,
        broken_off: bool,
        row: Option<f64>,
        recorder: &mut impl Recorder,
    ) -> Pause {
        if !self.events.is_interrupted() {
            self.before_instant = None;
        }
        self.compare_at_stop();
        self.observe.look(&self.state, &self.dynamics);
        let broken = broken_off | self.observe.tell(recorder) | self.record_instant(row, recorder);
        match (broken, self.observe.watching.stopped) {
            (true, _) => Pause::Recorder,
            (_, true) => Pause::Condition,
            _ => Pause::Instant,
        }
    }

    /// The state at the end of a step from which that is gone to again, if the instant there may be interrupted.
    pub(crate) fn state_before_instant(&self) -> Option<Box<EventState>> {
        let wanted = match self.events.interruption {
            Interruption::Never => false,
            Interruption::AtStop => self.observe.watching.may_stop(),
            Interruption::After(_) => true,
        };
        let step = self.detect.step.as_ref().filter(|_| wanted)?;
        let may_happen = step.reason.is_some() || !self.plan.unbordered.is_empty();
        may_happen.then(|| {
            let mut state = self.state();
            state.hybrid.t = step.end;
            Box::new(state)
        })
    }

    /// Goes to behind a microstep of the instant at the end of the present step of the method, from 1 on, or to the end of
    /// the step if it has fewer; whether the instant goes on from there.
    ///
    /// # Errors
    ///
    /// [`RunFault`].
    pub fn advance_to_microstep(&mut self, number: u32) -> Result<bool, RunFault> {
        loop {
            self.events.interruption = Interruption::After(number);
            let gone = self.advance(f64::INFINITY, &mut ());
            self.events.interruption = Interruption::Never;
            gone?;
            if self.detect.step.is_none() {
                return Ok(self.events.is_interrupted());
            }
        }
    }

    /// Goes on from the end of a step to behind a microstep of the instant there, of which nothing is told again.
    ///
    /// # Errors
    ///
    /// [`StateError`], if there is no such microstep.
    pub(crate) fn interrupt_after(&mut self, microstep: u32) -> Result<(), StateError> {
        let observed = self.observe.clone();
        self.events.interruption = Interruption::After(microstep);
        let gone = self.go_on(f64::INFINITY, &mut ());
        self.events.interruption = Interruption::Never;
        self.observe = observed;
        gone?;
        must(self.events.is_interrupted(), StateDefect::Microstep)
    }
}
