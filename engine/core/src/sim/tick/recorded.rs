//! Ticks -> rows for a recorder: a run to its end, to a time, or for so many ticks.

use super::TickRun;
use super::located::Last;
use crate::sim::RunFault;
use crate::sim::end::EndReason;
use crate::sim::fault::budget::{Spent, SpentOn, spent};
use crate::trace::Recorder;
use situ_solve::slices::fill;

impl TickRun {
    /// Runs to the end of the settings, or until the recorder breaks off or `stop_when` holds.
    /// Rows go to the recorder at the start, every so many ticks, and at the end.
    ///
    /// # Errors
    ///
    /// [`RunFault`]; the rows up to there have been handed over.
    pub fn run(&mut self, recorder: &mut impl Recorder) -> Result<EndReason, RunFault> {
        if self.uneven.is_some() {
            return self.run_uneven(self.config.stop(), Last::Beyond, recorder);
        }
        self.run_from_here(self.config.ticks, recorder)
    }

    /// Runs as [`TickRun::run`] to the last tick that is not after a time.
    ///
    /// # Errors
    ///
    /// As [`TickRun::run`].
    pub fn run_to(
        &mut self,
        until: f64,
        recorder: &mut impl Recorder,
    ) -> Result<EndReason, RunFault> {
        if self.uneven.is_some() {
            return self.run_uneven(until, Last::Before, recorder);
        }
        let ticks = self.state.grid.ticks_until(until, self.config.step);
        self.run_from_here(ticks, recorder)
    }

    fn run_from_here(
        &mut self,
        ticks: u64,
        recorder: &mut impl Recorder,
    ) -> Result<EndReason, RunFault> {
        let every = self.config.every;
        let may = self.allowed(every);
        if recorder.row(&self.row()).is_break() {
            return Ok(EndReason::Recorder);
        }
        self.run_ticks(ticks, (every, may), recorder)
    }

    /// Does ticks as [`TickRun::advance`], and hands over a row after each of them.
    ///
    /// # Errors
    ///
    /// As [`TickRun::advance`].
    pub fn advance_recorded(
        &mut self,
        ticks: u64,
        recorder: &mut impl Recorder,
    ) -> Result<(), RunFault> {
        let end = self.state.tick + ticks;
        self.stopped = false;
        if self.uneven.is_none() {
            let may = self.config.budget.steps;
            return self.run_ticks(end, (1, may), recorder).map(drop);
        }
        while self.state.tick < end && !self.stopped {
            self.advance(1)?;
            if recorder.row(&self.present()).is_break() {
                break;
            }
        }
        Ok(())
    }

    /// Runs to a tick, at most to the one that the budgets allow, with rows after every so many ticks.
    fn run_ticks(
        &mut self,
        ticks: u64,
        (every, may): (u64, u64),
        recorder: &mut impl Recorder,
    ) -> Result<EndReason, RunFault> {
        let mut last_row = self.state.tick;
        while !self.stopped && self.state.tick < ticks {
            if self.state.tick == last_row {
                fill(&mut self.fired, 0);
            }
            self.check_budget(may)?;
            let end = ticks.min(may);
            let goal = ((last_row / every + 1) * every).min(end);
            let mut broken = false;
            let mut outcome = Ok(());
            if self.is_native(end - self.state.tick) {
                let stretched = self.stretch(end, every, ticks, recorder);
                broken = stretched.broken;
                last_row = stretched.last_row.unwrap_or(last_row);
            } else {
                let ticks = (goal - self.state.tick).min(self.piece());
                outcome = self.interpret(ticks);
            }
            broken |= recorder.poll(self.state.tick, ticks).is_break();
            let is_row = self.state.tick.is_multiple_of(every) || self.state.tick == ticks;
            let is_last = self.stopped || broken || outcome.is_err();
            if self.state.tick > last_row && (is_row || is_last) {
                last_row = self.state.tick;
                broken |= recorder.row(&self.row()).is_break();
            }
            outcome?;
            if broken {
                return Ok(EndReason::Recorder);
            }
        }
        Ok(if self.stopped {
            EndReason::Condition
        } else {
            EndReason::Stop
        })
    }

    /// The tick up to which the budgets reach, with rows after every so many ticks.
    fn allowed(&self, every: u64) -> u64 {
        let budget = self.config.budget;
        budget.steps.min(budget.rows.saturating_mul(every))
    }

    /// Whether a further tick is allowed.
    ///
    /// # Errors
    ///
    /// No further tick is allowed.
    pub(super) fn check_budget(&self, may: u64) -> Result<(), RunFault> {
        if self.state.tick < may {
            return Ok(());
        }
        let (budget, step) = (self.config.budget, self.config.step);
        let (what, limit, on) = if may == budget.steps {
            (Spent::Steps, budget.steps, SpentOn::Ticks(step))
        } else {
            #[expect(clippy::cast_precision_loss, reason = "ticks are fewer than 2^53")]
            let distance = self.config.every as f64 * step;
            (Spent::Rows, budget.rows, SpentOn::Rows(distance))
        };
        Err(spent(self.time(), what, limit, on))
    }

    /// Does up to `ticks` ticks; fewer if `stop_when` comes true.
    ///
    /// # Errors
    ///
    /// [`RunFault`]; the state is then the one before the failing tick.
    pub fn advance(&mut self, ticks: u64) -> Result<(), RunFault> {
        let end = self.state.tick + ticks;
        self.stopped = false;
        while self.state.tick < end && !self.stopped {
            self.check_budget(self.config.budget.steps)?;
            let left = end.min(self.config.budget.steps) - self.state.tick;
            if self.uneven.is_some() {
                self.uneven_tick(f64::INFINITY)?;
            } else if self.is_native(left) {
                self.stretch(self.state.tick + left, u64::MAX, end, &mut ());
            } else {
                self.interpret(left.min(self.piece()))?;
            }
        }
        Ok(())
    }
}
