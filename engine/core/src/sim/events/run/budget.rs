//! Use of a run's budgets, and what it went into.

use crate::ids::{ScheduleId, SituationId};
use crate::model::Argument;
use crate::sim::RunFault;
use crate::sim::events::detect::Detection;
use crate::sim::events::observe::Observation;
use crate::sim::events::state::HybridState;
use crate::sim::events::state::plan::Plan;
use crate::sim::fault::budget::{Spent, SpentOn, spent};

/// Of what uses up a budget at least one in so many is of the cause that is named.
const MAIN: f64 = 4.0;

impl HybridState {
    /// Counts a step or an instant; false if there are too many of them for the time that has passed.
    pub(crate) fn charge_budget(&mut self, plan: &Plan) -> bool {
        let (since, count) = &mut self.progress.work;
        if (self.t - *since).abs() >= 1.0 {
            (*since, *count) = (self.t, 0);
        }
        *count += 1;
        *count <= plan.config.budget.steps
    }
}

impl Detection {
    ///
    /// # Errors
    ///
    /// Instants or steps are used up.
    pub(super) fn check_budget(
        &self,
        state: &HybridState,
        observe: &Observation,
    ) -> Result<(), RunFault> {
        let budget = self.plan.config.budget;
        if state.progress.instants >= budget.events {
            let on = observe.most_frequent(state, budget.events);
            return Err(spent(state.t, Spent::Events, budget.events, on));
        }
        if state.progress.steps >= budget.steps {
            return Err(self.steps_spent(state));
        }
        Ok(())
    }

    /// The error of a run that has used up its steps.
    pub(crate) fn steps_spent(&self, state: &HybridState) -> RunFault {
        let limit = self.plan.config.budget.steps;
        spent(state.t, Spent::Steps, limit, self.short_steps(state))
    }

    /// Why steps are so short.
    #[expect(clippy::cast_precision_loss, reason = "a rough count will do")]
    fn short_steps(&self, state: &HybridState) -> SpentOn {
        let length = state.t / state.progress.steps as f64;
        let delays = self.plan.flow.delays.iter().filter_map(|&row| {
            let id = self.plan.flow.rows[row].relation;
            let Argument::Real(tau) = self.plan.model.relations[id.index()].args[1] else {
                return None;
            };
            Some((
                id,
                self.plan
                    .model
                    .value_at(tau, &state.reals, &self.plan.constants, state.t),
            ))
        });
        let shortest = delays.min_by(|a, b| a.1.total_cmp(&b.1));
        match shortest.filter(|(_, tau)| *tau <= MAIN * length) {
            Some((id, tau)) => SpentOn::Delay(id, tau),
            None => SpentOn::Length(length),
        }
    }
}

impl HybridState {
    ///
    /// # Errors
    ///
    /// There are more rows up to a time than there may be; up to the stop, if nothing else can end the run.
    pub(crate) fn check_rows(&self, plan: &Plan, goal: f64) -> Result<(), RunFault> {
        let (Some(every), limit) = (plan.config.every, plan.config.budget.rows) else {
            return Ok(());
        };
        let end = match plan.model.clock.stop_when {
            Some(_) => goal,
            None => goal.max(plan.config.stop),
        };
        #[expect(clippy::cast_precision_loss, reason = "a rough count will do")]
        let is_too_many = end / every > limit as f64;
        if self.progress.rows >= limit || is_too_many {
            return Err(spent(self.t, Spent::Rows, limit, SpentOn::Rows(every)));
        }
        Ok(())
    }
}

impl Observation {
    /// The most frequent kind of so many instants.
    #[expect(clippy::cast_precision_loss, reason = "a rough count will do")]
    fn most_frequent(&self, state: &HybridState, instants: u64) -> SpentOn {
        let value = |expr| {
            self.plan
                .model
                .value_at(expr, &[], &self.plan.constants, 0.0)
        };
        let schedules = self.plan.model.schedules.iter().enumerate();
        let beats = schedules.map(|(index, schedule)| {
            let id = ScheduleId::new(index);
            (
                state.progress.schedule_counts[index],
                SpentOn::Beats(id, value(schedule.period)),
            )
        });
        let fired = self.seen.covered(state.t).fired;
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
}
