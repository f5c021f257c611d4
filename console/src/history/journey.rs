//! Journeys: where a run is to go, what is looked for on the way, what came of it.

use std::sync::Arc;

use situ_engine::model::Model;
use situ_explain::{At, Cut, SegmentId};

use crate::history::stops::Probe;

/// Goal of a run.
#[derive(Clone, Debug)]
pub(crate) enum Goal {
    /// So many steps on.
    Steps(u64),
    /// To a time, or to the first step that is not before it.
    Time(f64),
    /// Until a condition arises, at most to the stop of the table if that lies ahead.
    Condition(String),
    /// Until any boolean changes or an event fires, at most to a time.
    EventBefore(Option<f64>),
    /// To the stop of the table.
    End,
}

/// Outcome of a journey.
#[derive(Clone, Debug, Default)]
pub(crate) struct Journey {
    /// Steps done.
    pub(crate) steps: u64,
    /// Why it ended, if not as it was asked to.
    pub(crate) why: Option<String>,
    /// True if it waited for a condition in vain.
    pub(super) missed: bool,
    pub(crate) failed: bool,
    pub(crate) interrupted: bool,
    /// Changes that were passed on the way through what is known.
    pub(super) passed: Vec<String>,
    /// Booleans that held before.
    pub(super) before: Vec<String>,
    /// True if the goal that was asked for was met.
    pub(crate) arrived: bool,
}

/// Conditions that are tested at every step in one segment.
pub(super) struct Lookout {
    pub(super) segment: SegmentId,
    pub(super) model: Arc<Model>,
    pub(super) goal: Option<Probe>,
    /// Index of the stop with its probe.
    pub(super) stops: Vec<(usize, Probe)>,
    /// Breakpoint that has stopped the run.
    pub(super) hit: Option<Hit>,
}

#[derive(Clone, Copy)]
pub(super) enum Hit {
    Goal,
    /// A place in `stops`.
    Stop(usize),
}

impl Journey {
    /// The lines that go the way again to the place at which it was broken off; a step that failed is not gone through
    /// again. None of a journey that was not.
    pub(super) fn again(&self, place: At) -> Vec<String> {
        let line = match place.cut {
            _ if !self.failed && !self.interrupted => None,
            Some(Cut::Time(cut)) if self.failed => Some(format!("run to {cut}")),
            _ => (self.steps > 0).then(|| format!("step {}", self.steps)),
        };
        line.into_iter().collect()
    }

    /// The journey that this one began and another went on with; steps are those of the other.
    pub(crate) fn followed_by(self, mut next: Journey) -> Journey {
        next.before = self.before;
        next.passed.splice(0..0, self.passed);
        next
    }
}

impl Lookout {
    /// Looks at the edit with which the segment begins, seen from the end of the one before: whether a goal or a stop
    /// is hit by it.
    pub(super) fn look_at_edit(&mut self, before: &Lookout) -> bool {
        let arises = |now: &Probe, before: &Probe| now.arises_by_edit(before);
        let stop = self.stops.iter().position(|(index, probe)| {
            let mut same = before.stops.iter().filter(|(other, _)| other == index);
            same.any(|(_, before)| arises(probe, before))
        });
        let goals = self.goal.as_ref().zip(before.goal.as_ref());
        let goal = goals.is_some_and(|(now, before)| arises(now, before));
        self.hit = stop.map(Hit::Stop).or(goal.then_some(Hit::Goal));
        self.hit.is_some()
    }

    pub(super) fn is_idle(&self) -> bool {
        self.goal.is_none() && self.stops.is_empty()
    }
}
