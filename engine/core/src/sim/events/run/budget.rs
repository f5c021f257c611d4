//! What a run has used up of its budgets, and on what.

use crate::ids::{ScheduleId, SituationId};
use crate::model::Argument;
use crate::sim::RunFault;
use crate::sim::budget::{Spent, SpentOn, spent};
use crate::sim::events::run::Hybrid;

/// Of what uses up a budget at least one in so many is of the cause that is named.
const MAIN: f64 = 4.0;

impl Hybrid {
    /// Errors: instants or steps are used up.
    pub(super) fn check_budget(&self) -> Result<(), RunFault> {
        let budget = self.plan.config.budget;
        if self.state.progress.instants >= budget.events {
            let on = self.most_frequent(budget.events);
            return Err(spent(self.state.t, Spent::Events, budget.events, on));
        }
        if self.detect.stepper.stats().steps >= budget.steps {
            return Err(self.steps_spent());
        }
        Ok(())
    }

    /// The error of a run that has used up its steps.
    pub(crate) fn steps_spent(&self) -> RunFault {
        let limit = self.plan.config.budget.steps;
        spent(self.state.t, Spent::Steps, limit, self.short_steps())
    }

    /// Errors: there are more rows up to a time than there may be; up to the stop, if nothing else can end the run.
    pub(crate) fn check_rows(&self, goal: f64) -> Result<(), RunFault> {
        let (Some(every), limit) = (self.plan.config.every, self.plan.config.budget.rows) else {
            return Ok(());
        };
        let end = match self.plan.model.clock.stop_when {
            Some(_) => goal,
            None => goal.max(self.plan.config.stop),
        };
        #[expect(clippy::cast_precision_loss, reason = "a rough count will do")]
        let is_too_many = end / every > limit as f64;
        if self.state.progress.rows >= limit || is_too_many {
            return Err(spent(
                self.state.t,
                Spent::Rows,
                limit,
                SpentOn::Rows(every),
            ));
        }
        Ok(())
    }

    /// What most of so many instants were.
    #[expect(clippy::cast_precision_loss, reason = "a rough count will do")]
    fn most_frequent(&self, instants: u64) -> SpentOn {
        let value = |expr| {
            self.plan
                .model
                .value_at(expr, &[], &self.plan.constants, 0.0)
        };
        let schedules = self.plan.model.schedules.iter().enumerate();
        let beats = schedules.map(|(index, schedule)| {
            let id = ScheduleId::new(index);
            (
                self.state.progress.beats[index],
                SpentOn::Beats(id, value(schedule.period)),
            )
        });
        let fired = self.observe.seen.covered(self.state.t).fired;
        let firings = fired
            .iter()
            .enumerate()
            .map(|(index, &times)| (times, SpentOn::Firings(SituationId::new(index), times)));
        let is_main = |(times, _): &(u64, SpentOn)| *times as f64 * MAIN >= instants as f64;
        let most_beats = beats.max_by_key(|(times, _)| *times).filter(is_main);
        let most_firings = firings.max_by_key(|(times, _)| *times).filter(is_main);
        most_beats
            .or(most_firings)
            .map_or(SpentOn::Borders, |(_, on)| on)
    }

    /// Why steps are so short.
    #[expect(clippy::cast_precision_loss, reason = "a rough count will do")]
    fn short_steps(&self) -> SpentOn {
        let length = self.state.t / self.detect.stepper.stats().steps as f64;
        let delays = self.plan.flow.delays.iter().filter_map(|&row| {
            let id = self.plan.flow.rows[row].relation;
            let Argument::Real(tau) = self.plan.model.relations[id.index()].args[1] else {
                return None;
            };
            Some((
                id,
                self.plan.model.value_at(
                    tau,
                    &self.state.reals,
                    &self.plan.constants,
                    self.state.t,
                ),
            ))
        });
        let shortest = delays.min_by(|a, b| a.1.total_cmp(&b.1));
        match shortest.filter(|(_, tau)| *tau <= MAIN * length) {
            Some((id, tau)) => SpentOn::Delay(id, tau),
            None => SpentOn::Length(length),
        }
    }
}
