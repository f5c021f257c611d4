//! The subsystems that the present instant touches: only their borders are asked anew on which sides they go on.
//!
//! Along the motion up to the instant each other border stood on a side on which it stays: it would have been left by an
//! event of its own.

use crate::lower::border::BorderId;
use crate::lower::subsystems::Subsystems;
use crate::sim::events::iteration::EventIteration;
use crate::sim::events::iteration::event_iteration::EventCause;
use crate::sim::events::state::HybridState;
use situ_solve::Locate;

/// Subsystems in which something has happened at the present instant; all of them between instants.
#[derive(Clone, Debug, Default)]
pub(crate) struct Touched {
    /// True while only those that are marked are touched.
    some: bool,
    marked: Vec<bool>,
    list: Vec<usize>,
}

impl Touched {
    /// All of them, until the next instant.
    pub(super) fn all(&mut self) {
        self.some = false;
    }

    /// None of them yet.
    fn none(&mut self, subsystems: &Subsystems) {
        for subsystem in self.list.drain(..) {
            self.marked[subsystem] = false;
        }
        self.marked.resize(subsystems.len(), false);
        self.some = true;
    }

    /// One of them; `None` is all.
    pub(super) fn mark(&mut self, subsystem: Option<usize>) {
        match subsystem {
            _ if !self.some => {}
            None => self.all(),
            Some(subsystem) => {
                if !std::mem::replace(&mut self.marked[subsystem], true) {
                    self.list.push(subsystem);
                }
            }
        }
    }
}

impl EventIteration {
    /// An instant begins: only what its cause reaches is touched.
    ///
    /// Delays, staircases and constraints are not followed to what they reach; and where borders are not located, states
    /// are beyond borders without an event.
    pub(super) fn begin_touching(&mut self, state: &HybridState, cause: &EventCause) {
        let plan = &self.plan;
        let flow = &plan.flow;
        let varies = flow.views_vary || flow.heeds_events || !flow.delays.is_empty();
        let reaches = !state.borders.staircases.is_empty() || !plan.model.constraints.is_empty();
        if varies || reaches || plan.config.locate != Locate::Root {
            self.touched.all();
            return;
        }
        self.touched.none(&plan.subsystems);
        let leaves = cause.leaves.iter().map(|(border, _)| *border);
        let lift = cause.lift.iter().map(|lift| lift.border);
        for border in cause.borders.iter().copied().chain(leaves).chain(lift) {
            self.touch_border(state, border);
        }
    }

    pub(super) fn touch_border(&mut self, state: &HybridState, border: BorderId) {
        let subsystem = self.plan.subsystems.of_border(&state.borders, border);
        self.touched.mark(subsystem);
    }

    /// True if nothing has happened at the present instant in the subsystem of a border.
    pub(super) fn is_untouched(&self, state: &HybridState, border: BorderId) -> bool {
        let of_border = || self.plan.subsystems.of_border(&state.borders, border);
        self.touched.some && of_border().is_some_and(|subsystem| !self.touched.marked[subsystem])
    }
}
