//! Findings of a tick run at its end.

use super::TickRun;
use crate::backend::interpreter::NoObserver;
use crate::ids::{RangeId, RealId, ScheduleId, SituationId};
use crate::model::{Boolean, Guard, Model};
use crate::procedure::Motion;
use crate::sim::State;
use crate::sim::monitor::{Finding, Moment};
use crate::times::Known;

/// A quantity runs on if it is further beyond its border than this part of its distance at the start.
const BEYOND: f64 = 0.05;

/// An event fired at least so many ticks ago if its condition has stayed true.
const LASTING: u64 = 3;

impl TickRun {
    /// Findings of the run up to now, the same under every engine: see [`Finding`].
    ///
    /// Cost: as one tick, and a look at all combinations of booleans that were seen.
    pub fn findings(&self) -> Vec<Finding> {
        let (grid, step) = (self.state.grid, self.config.step);
        let time_of = |moment: Moment| {
            moment
                .time
                .unwrap_or_else(|| grid.time_of(moment.tick, step))
        };
        let mut found = self.coverage.findings(self.uneven.is_none(), &time_of);
        if !self.moved.is_empty() {
            let moves = self.moved.clone();
            found.push(Finding::Projected { moves });
        }
        found.extend(self.stuck(&time_of));
        found
    }

    /// Events whose conditions have stayed true since they fired.
    fn stuck(&self, time_of: &impl Fn(Moment) -> f64) -> Vec<Finding> {
        let mut found = Vec::new();
        if self.uneven.is_some() {
            return found;
        }
        let mut next: Option<State> = None;
        for (row, remembered) in self
            .model
            .situation_rows
            .iter()
            .zip(&self.program.remembered)
        {
            let holds = remembered.is_some_and(|bit| self.state.bit(bit as usize));
            let Some(fired) = self.coverage.last_fired(row.situation).filter(|_| holds) else {
                continue;
            };
            let is_known = |finding: &Finding| matches!(finding, Finding::Stuck { situation, .. } if *situation == row.situation);
            if self.state.tick < fired.tick + LASTING || found.iter().any(is_known) {
                continue;
            }
            let ranges = row.all.iter().filter_map(|literal| match literal.what {
                Boolean::Range(id) => Some(id),
                _ => None,
            });
            for range in ranges.filter(|&range| self.turns_back(row.situation, range)) {
                let next = next.get_or_insert_with(|| self.next_state());
                if let Some(margin) = self.runs_on(range, next) {
                    found.push(Finding::Stuck {
                        situation: row.situation,
                        range,
                        since: time_of(fired),
                        margin,
                    });
                    break;
                }
            }
        }
        found
    }

    /// True if an event sets, once, an integrated real on which the range depends and that depends on it: it is
    /// meant to turn the quantity back.
    fn turns_back(&self, situation: SituationId, range: RangeId) -> bool {
        let model = &*self.model;
        let is_integrated = |real: &RealId| {
            model.relations.iter().any(|row| {
                row.targets.contains(real) && row.procedure.get().motion() == Motion::Integrated
            })
        };
        let names_event = |guard: &Guard| match guard {
            Guard::When(all) => all
                .iter()
                .any(|literal| !literal.negated && literal.what == Boolean::Situation(situation)),
            Guard::Always | Guard::Otherwise => false,
        };
        self.plan.group_of_range(range).is_some()
            && model
                .relations
                .iter()
                .any(|row| names_event(&row.guard) && row.targets.iter().any(is_integrated))
    }

    /// The state after one more tick.
    fn next_state(&self) -> State {
        let mut next = self.state.clone();
        let step = self.config.step;
        let code = self.code.flat(&self.program);
        next.scan(&self.program, code, step, &mut NoObserver);
        next
    }

    /// The margin of a comparison of a range that the state is beyond and goes on from; `None` if there is none.
    fn runs_on(&self, range: RangeId, next: &State) -> Option<f64> {
        let model = &*self.model;
        let starts = model.start_values().ok()?;
        let (n_reals, n_constants) = (self.program.n_reals, self.program.n_constants);
        let constants = &self.state.reals[n_reals..][..n_constants];
        let value = |expr, reals: &[f64], tick| {
            model.value_at(expr, &reals[..n_reals], constants, self.time_of(tick))
        };
        model.ranges[range.index()]
            .all
            .iter()
            .find_map(|comparison| {
                let margin = |reals: &[f64], tick| {
                    value(comparison.left, reals, tick) - value(comparison.right, reals, tick)
                };
                let now = margin(&self.state.reals, self.state.tick);
                let then = margin(&next.reals, self.state.tick + 1);
                let start = margin(&starts.reals, 0);
                let goes_on = now * then > 0.0 && then.abs() > now.abs();
                let is_far = now.abs() > BEYOND * start.abs();
                (goes_on && is_far).then_some(now)
            })
    }
}

/// Schedules that beat more than once in a tick of some length, with their periods [units of `time`].
pub fn beats_within_a_tick(model: &Model, step: f64) -> Vec<(ScheduleId, f64)> {
    if model.schedules.is_empty() {
        return Vec::new();
    }
    let Ok(starts) = model.start_values() else {
        return Vec::new();
    };
    let schedules = model.schedules.iter().enumerate();
    let periods = schedules.map(|(index, schedule)| {
        let period = model.evaluate(schedule.period, &starts);
        (ScheduleId::new(index), period)
    });
    let is_dense = |&(_, period): &(ScheduleId, f64)| {
        period > 0.0 && period < step && !Known::given(period).is(Known::given(step))
    };
    periods.filter(is_dense).collect()
}
