//! Where in a tick a range turns, or a schedule is due: the first zero of the lines or parabolas through the margins at
//! the ends of ticks, moved on until the range is found turned.

use std::sync::Arc;

use super::TickRun;
use super::continuation::Course;
use super::sample::{ComparisonSample, Comparisons, Sheet, Way};
use crate::lower::Probes;
use crate::model::Model;
use crate::sim::TickConfig;
use crate::sim::secant::zero;
use crate::times::Known;
use situ_solve::Locate;

/// Events within this part of a tick are simultaneous.
pub(super) const TOGETHER: f64 = 1e-9;

/// The same in rounding errors of the time.
const ROUNDINGS: f64 = 8.0;

/// State that ticks of changing length need besides the tape.
#[derive(Clone, Debug)]
pub(in crate::sim) struct Uneven {
    pub(super) way: Locate,
    /// Position of the formula among the probes.
    pub(super) formula: Option<usize>,
    pub(super) comparisons: Comparisons,
    course: Course,
    pub(super) before: Sheet,
    pub(super) still: Sheet,
    pub(super) trial: Sheet,
    /// Comparisons at the earlier point, the start and the end.
    pub(super) said: [ComparisonSample; 3],
    pub(super) found: ComparisonSample,
}

/// A tick that is to be done.
#[derive(Clone, Copy)]
pub(super) struct Span {
    pub(super) from: f64,
    pub(super) to: f64,
    pub(super) length: f64,
}

/// Place in a tick at which a comparison changes or a schedule is due.
#[derive(Clone, Copy)]
struct Turn {
    part: f64,
    what: Turning,
}

#[derive(Clone, Copy)]
enum Turning {
    /// A comparison.
    Comparison(usize),
    /// A schedule that is due at a time.
    Schedule(f64),
}

/// End of a tick that is cut short.
pub(super) struct Cut {
    pub(super) part: f64,
    pub(super) time: f64,
}

impl Uneven {
    /// State for a run; expressions that it needs are added to the probes.
    pub(super) fn new(model: &Model, config: &TickConfig, probes: &mut Probes) -> Self {
        let formula = config.step_formula.map(|formula| {
            probes.values.push(formula);
            probes.values.len() - 1
        });
        let comparisons = Comparisons::new(model, probes);
        Self {
            way: config.locate,
            formula,
            comparisons,
            course: Course::new(model),
            before: Sheet::default(),
            still: Sheet::default(),
            trial: Sheet::default(),
            said: Default::default(),
            found: ComparisonSample::default(),
        }
    }
}

impl TickRun {
    /// End of the tick that was just scanned, if it is to be cut short: the first place where
    /// a range changes or a schedule is due. The reals there are then in `room.trial`.
    pub(super) fn first_turn(&mut self, room: &mut Uneven, span: Span) -> Option<Cut> {
        let (program, code) = (Arc::clone(&self.program), Arc::clone(&self.code));
        let n_reals = program.n_reals;
        let around = (&*program, &*code);
        let around_start = (&room.before, &room.still);
        let goes_on = (room.course).goes_on(&program, around_start, &self.state.bits);
        let Uneven {
            way,
            comparisons,
            still,
            trial,
            said: [earlier, start, end],
            found,
            course,
            ..
        } = room;
        trial.copy(&still.reals, &still.bits);
        trial.ask(comparisons, around, span.from, start);
        trial.copy(&self.state.reals, &self.state.bits);
        trial.ask(comparisons, around, span.to, end);
        let before = match (&*way, self.state.recent.earlier()) {
            (Locate::Quadratic, Some((time, reals))) if goes_on => {
                Some(((time - span.from) / span.length, time, reals))
            }
            _ => None,
        };
        let near = TOGETHER.max(ROUNDINGS * f64::EPSILON * span.to.abs() / span.length);
        let mut turns = self.due_within(span);
        if (0..comparisons.len()).any(|index| start.holds[index] != end.holds[index]) {
            if let Some((_, time, reals)) = before {
                trial.reals[..n_reals].copy_from_slice(reals);
                trial.ask(comparisons, around, time, earlier);
            }
            for index in 0..comparisons.len() {
                if start.holds[index] == end.holds[index] {
                    continue;
                }
                let sign = 1.0_f64.copysign(start.margins[index]);
                let z = |said: &ComparisonSample| sign * said.margins[index];
                let before = before.map(|(back, ..)| (back, z(earlier)));
                let part = zero(before, z(start), z(end));
                let what = Turning::Comparison(index);
                turns.push(Turn { part, what });
            }
        }
        let just_turned = |turn: &Turn| match turn.what {
            Turning::Comparison(index) => self.state.recent.has_turned(index),
            Turning::Schedule(_) => true,
        };
        // What turned a moment ago and turns back at once is being left. What the tick before reached
        // but for rounding errors turns at once too.
        turns.retain(|turn| turn.part < 1.0 - near && (turn.part > near || !just_turned(turn)));
        turns.sort_by(|a, b| a.part.total_cmp(&b.part));
        let start_reals = &still.reals[..n_reals];
        let path = Way {
            start: start_reals,
            end: &self.state.reals[..n_reals],
            before: before.map(|(back, _, reals)| (back, reals)),
            bent: &course.bends,
        };
        let mut rest = turns.as_slice();
        while let Some(first) = rest.first() {
            let n_group = rest.partition_point(|turn| turn.part <= first.part + near);
            let (group, others) = rest.split_at(n_group);
            rest = others;
            let due = group.iter().find_map(|turn| match turn.what {
                Turning::Schedule(time) => Some(time),
                Turning::Comparison(_) => None,
            });
            let mut is_turned = |part: f64| {
                let time = due
                    .map_or(0.0, |due| due)
                    .max(span.from + part * span.length);
                trial.reals.copy_from_slice(&self.state.reals);
                path.at(part, &mut trial.reals[..n_reals]);
                trial.ask(comparisons, around, time, found);
                group.iter().all(|turn| match turn.what {
                    Turning::Comparison(index) => found.holds[index] == end.holds[index],
                    Turning::Schedule(due) => due <= time,
                })
            };
            let last = group.last().expect("a group has a first member");
            let Some(part) = just_beyond(last.part, 1.0 - near, &mut is_turned) else {
                continue;
            };
            if !is_turned(part) {
                continue;
            }
            let time = due
                .map_or(0.0, |due| due)
                .max(span.from + part * span.length);
            if due.is_some() || found.ranges != start.ranges {
                return Some(Cut { part, time });
            }
        }
        None
    }

    /// Schedules that are due inside the tick.
    fn due_within(&self, span: Span) -> Vec<Turn> {
        let program = &*self.program;
        let counts = program.schedule_counts.iter().zip(&program.tape.periods);
        let turns = counts.map(|(count, period)| {
            let value = |slot: crate::tape::Slot| self.state.reals[slot.index()];
            let due = Known::beat(value(period.first), value(period.period), value(*count)).value;
            Turn {
                part: (due - span.from) / span.length,
                what: Turning::Schedule(due),
            }
        });
        turns.collect()
    }
}

/// The first place from `part` on, as near as numbers allow, at which something has changed; `None` if
/// it is not before `end`.
fn just_beyond(part: f64, end: f64, is_turned: &mut impl FnMut(f64) -> bool) -> Option<f64> {
    if is_turned(part) {
        return Some(part);
    }
    let mut before = part;
    let mut reach = f64::EPSILON * part.max(f64::EPSILON);
    let mut beyond = part + reach;
    while !is_turned(beyond) {
        before = beyond;
        reach *= 2.0;
        beyond = part + reach;
        if beyond >= end {
            return None;
        }
    }
    loop {
        let middle = before + 0.5 * (beyond - before);
        if middle <= before || middle >= beyond {
            return Some(beyond);
        }
        if is_turned(middle) {
            beyond = middle;
        } else {
            before = middle;
        }
    }
}
