//! Use of a run's budgets, and what it went into.

use crate::ids::{ScheduleId, SituationId};
use crate::model::Argument;
use crate::sim::RunFault;
use crate::sim::events::detect::Detection;
use crate::sim::events::observe::Observation;
use crate::sim::events::run::EventRun;
use crate::sim::events::state::HybridState;
use crate::sim::events::state::plan::Plan;
use crate::sim::fault::budget::{Spent, SpentOn, spent};

/// Of what uses up a budget at least one in so many is of the cause that is named.
const MAIN: f64 = 4.0;

impl EventRun {
    /// Whether what happens at the end of the step in hand is allowed. If not the step stays under way, with the state at
    /// its end.
    ///
    /// # Errors
    ///
    /// Instants are used up.
    pub(crate) fn check_instant_at_end(&mut self) -> Result<(), RunFault> {
        let step = self.detect.step.as_ref();
        let Some(step) = step.filter(|step| step.reason.is_some()) else {
            return Ok(());
        };
        let (end, points, still) = (step.end, [step.before, step.theta], step.still);
        let allowed = self.observe.check_instants(&self.state, end);
        if allowed.is_err() && !still {
            self.detect
                .place_at_crossing(&mut self.state, &mut self.dynamics, points, end)?;
        }
        allowed
    }
}

impl Observation {
    /// Whether a further instant is allowed, at this time.
    ///
    /// # Errors
    ///
    /// Instants are used up.
    pub(crate) fn check_instants(&self, state: &HybridState, time: f64) -> Result<(), RunFault> {
        let limit = self.plan.config.budget.events;
        if state.progress.instants < limit {
            return Ok(());
        }
        let on = self.most_frequent(state, limit);
        Err(spent(time, Spent::Events, limit, on))
    }
}

impl Detection {
    /// Whether a further step is allowed.
    ///
    /// # Errors
    ///
    /// Steps are used up.
    pub(super) fn check_steps(&self, state: &HybridState) -> Result<(), RunFault> {
        let limit = self.plan.config.budget.steps;
        if state.progress.steps < limit {
            return Ok(());
        }
        let on = self.short_steps(state);
        Err(spent(state.t, Spent::Steps, limit, on))
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
