//! Time events: when the next schedule, delay or border of time alone is due, and which are due together.

use crate::ids::ScheduleId;
use crate::lower::border::BorderId;
use crate::sim::events::detect::next_step::is_same_time;
use crate::sim::events::iteration::event_iteration::EventCause;
use crate::sim::events::motion::Dynamics;
use crate::sim::events::state::HybridState;
use crate::sim::events::state::plan::Plan;

/// Times known in advance that differ by so many units in the last place of their largest term are one.
pub(super) const SAME_TIME: f64 = 8.0 * f64::EPSILON;

impl Dynamics {
    /// The next time that is known in advance; the stop, if it is one with that.
    pub(super) fn next_due(&self, state: &HybridState) -> f64 {
        let beats = (0..state.progress.schedule_counts.len())
            .map(|index| state.beat_time(&self.plan, index));
        let borders = self.timed_borders(state).map(|(_, [time, _])| time);
        let all = beats.chain(borders).chain([state.past.next_break()]);
        let due = all.fold(f64::INFINITY, f64::min);
        let stop = self.plan.config.stop;
        let is_stop = state.t < stop && stop < due && due.is_finite();
        match is_stop && is_same_time(stop, due, due.abs()) {
            true => stop,
            false => due,
        }
    }

    /// Adds what is due at a time, the earliest of all known ones: times that are computed differ from each other by
    /// rounding (FORMALISM 10.3).
    pub(super) fn add_due(&self, state: &HybridState, at: f64, reason: &mut EventCause) {
        for index in 0..state.progress.schedule_counts.len() {
            if is_same_time(
                at,
                state.beat_time(&self.plan, index),
                state.size_of_beat(&self.plan, index),
            ) {
                reason.due.push(ScheduleId::new(index));
            }
        }
        for (border, [time, size]) in self.timed_borders(state) {
            // The search at the ends of steps may have found it.
            if is_same_time(at, time, size) {
                let known = reason.borders.contains(&border);
                reason.borders.extend((!known).then_some(border));
            }
        }
    }

    /// Borders that time alone moves, with everything else held: the later time at which they lie, and the largest term
    /// in it.
    pub(super) fn timed_borders(
        &self,
        state: &HybridState,
    ) -> impl Iterator<Item = (BorderId, [f64; 2])> {
        let mode = &self.modes.at(self.motion.mode).mode;
        let timed = mode.timed.iter().map(|&at| &mode.margins[at as usize]);
        timed.filter_map(move |margin| {
            let time = match (&margin.form, &margin.timing) {
                (Some(form), _) if form.per_time != 0.0 => {
                    let held = margin.held.iter();
                    let held: f64 = held
                        .map(|(real, weight)| weight * state.reals[real.index()])
                        .sum();
                    let time = -(margin.constant(form, &state.steps) + held) / form.per_time;
                    [time, time.abs()]
                }
                (None, Some(timing)) => timing.when(&state.steps, &state.reals),
                _ => return None,
            };
            let index = margin.border.index();
            let ahead = time[0] > state.t && !state.discrete.flags.get(index);
            let ahead = ahead && !state.borders.only_watched[index];
            ahead.then_some((margin.border, time))
        })
    }
}

impl HybridState {
    /// The larger of the two terms of the next time of a schedule.
    fn size_of_beat(&self, plan: &Plan, index: usize) -> f64 {
        let schedule = &plan.model.schedules[index];
        let first = plan
            .model
            .value_at(schedule.first, &[], &plan.constants, 0.0);
        first.abs().max((self.beat_time(plan, index) - first).abs())
    }

    pub(super) fn beat_time(&self, plan: &Plan, index: usize) -> f64 {
        let schedule = &plan.model.schedules[index];
        let value = |expr| plan.model.value_at(expr, &[], &plan.constants, 0.0);
        let (period, first) = (value(schedule.period), value(schedule.first));
        #[expect(clippy::cast_precision_loss, reason = "fewer than 2^53 instants")]
        let count = self.progress.schedule_counts[index] as f64;
        if schedule.first == schedule.period {
            (count + 1.0) * period
        } else {
            first + count * period
        }
    }
}
