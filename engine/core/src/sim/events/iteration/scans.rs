//! The scans of a microstep over booleans: ranges follow the sides of borders, situations their rows, then assignments are executed in one pass.

use crate::ids::{RangeId, RealId, SituationId, SwitchId};
use crate::lower::flow::Action;
use crate::lower::scan::Reader;
use crate::model::{Boolean, Literal, Mark, Order};
use crate::sim::RunFault;
use crate::sim::events::iteration::EventIteration;
use crate::sim::events::iteration::microstep::add;
use crate::sim::events::motion::Dynamics;
use crate::sim::events::observe::Observation;
use crate::sim::events::state::HybridState;
use crate::sim::events::state::discrete_state::DiscreteState;
use crate::sim::state::keys::{counter_key, row_key};
use crate::sim::state::named::NamedState;
use crate::trace::What;
use smallvec::SmallVec;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

impl EventIteration {
    /// Ranges follow the sides of their borders.
    pub(super) fn scan_ranges(
        &mut self,
        state: &mut HybridState,
        dynamics: &Dynamics,
        observe: &mut Observation,
    ) -> bool {
        let mut changed = false;
        while let Some(range) = self.todo.ranges.take_from(0) {
            self.todo.gone_through += 1;
            let holds = if self.plan.model.ranges[range].mark == Some(Mark::NoEvent) {
                state.by_value(&self.plan, range)
            } else {
                let views = &dynamics.views.ranges[range];
                state
                    .discrete
                    .range_by_sides(&self.plan.model, views, range)
            };
            if holds == state.discrete.ranges.get(range) {
                continue;
            }
            changed = true;
            let id = RangeId::new(range);
            self.taken.ranges.add(range, id);
            observe.log.note(|| What::Range(id, holds));
            self.change(state, observe, Boolean::Range(id), holds);
        }
        changed
    }

    /// Situations follow their rows, those scanned before the assignments or those `behind` them; rows of events fire if they
    /// have just come to hold.
    pub(super) fn scan_situations(
        &mut self,
        state: &mut HybridState,
        observe: &mut Observation,
        behind: bool,
    ) -> bool {
        let mut changed = false;
        // Of situations with several rows, how they stood before the first of these.
        let mut earlier: SmallVec<[(SituationId, bool); 4]> = SmallVec::new();
        let mut from = 0;
        while let Some(at) = self.todo.situation_rows.next_from(from) {
            from = at + 1;
            let row = &self.plan.model.situation_rows[at];
            let (id, situation) = (row.situation, row.situation.index());
            if self.plan.model.situations[situation].behind != behind {
                continue;
            }
            self.todo.situation_rows.remove(at);
            self.todo.gone_through += 1;
            let holds = state
                .discrete
                .row_holds(&self.plan.model, &self.plan.scan, at);
            let turns = state.discrete.set_held(at, holds);
            if self.plan.model.situations[situation].event {
                let arises = holds && (turns || self.plan.scan.instantaneous[at]);
                if arises && !state.discrete.situations.get(situation) {
                    self.iteration.fired.push(situation);
                    self.taken.situations.add(situation, id);
                    observe.log.note(|| What::Fired(id));
                    self.change(state, observe, Boolean::Situation(id), true);
                    changed = true;
                }
                continue;
            }
            let rows = &self.plan.scan.rows_of[situation];
            let now = state.discrete.any_row_held(rows);
            let several = rows.len() > 1;
            if now != state.discrete.situations.get(situation) {
                match several {
                    false => observe.log.note(|| What::Situation(id, now)),
                    true if earlier.iter().any(|(other, _)| *other == id) => {}
                    true => earlier.push((id, !now)),
                }
                self.change(state, observe, Boolean::Situation(id), now);
                changed = true;
            } else if turns && several {
                // Rows between its own read what those above them make of it.
                self.mark_readers(Boolean::Situation(id));
            }
        }
        for (id, before) in earlier {
            let now = state.discrete.situations.get(id.index());
            if now != before {
                observe.log.note(|| What::Situation(id, now));
            }
        }
        changed
    }

    /// Executes the assignments that something has changed for, in one pass, with all that write the same switches.
    ///
    /// # Errors
    ///
    /// [`RunFault::Cycle`] if one undoes what another has just done because that has done it.
    pub(super) fn scan_assignments(
        &mut self,
        state: &mut HybridState,
        observe: &mut Observation,
    ) -> Result<bool, RunFault> {
        if self.todo.assignments.is_empty() {
            return Ok(false);
        }
        self.close_assignments();
        let mut before: SmallVec<[(SwitchId, bool); 4]> = SmallVec::new();
        let mut wrote: SmallVec<[usize; 4]> = SmallVec::new();
        let mut undone = false;
        let mut at = match self.plan.config.order {
            Order::Written => 0,
            Order::Reversed => self.plan.model.assignments.len(),
        };
        loop {
            let next = match self.plan.config.order {
                Order::Written => self.todo.assignments.take_from(at),
                Order::Reversed => self.todo.assignments.take_before(at),
            };
            let Some(index) = next else { break };
            self.todo.gone_through += 1;
            at = match self.plan.config.order {
                Order::Written => index + 1,
                Order::Reversed => index,
            };
            let assignment = &self.plan.model.assignments[index];
            if !state.discrete.all_hold(&assignment.when) {
                continue;
            }
            let reads_changed = |literal: &Literal| match literal.what {
                Boolean::Switch(id) => before.iter().any(|&(other, was)| {
                    other == id && state.discrete.switches.get(id.index()) != was
                }),
                _ => false,
            };
            let follows = assignment.when.iter().any(reads_changed);
            let mut changes: SmallVec<[(SwitchId, bool); 2]> = SmallVec::new();
            for &(switch, value) in &assignment.set {
                if state.discrete.switches.get(switch.index()) != value {
                    changes.push((switch, value));
                }
            }
            observe.assigned(index);
            add(&mut state.shown.deeds.executed, index);
            if changes.is_empty() {
                continue;
            }
            self.taken.assignments.add(index, index);
            wrote.push(index);
            observe.log.note(|| What::Assigned(index));
            for (switch, value) in changes {
                self.change(state, observe, Boolean::Switch(switch), value);
                match before.iter().find(|(other, _)| *other == switch) {
                    Some(&(_, was)) => undone |= was == value && follows,
                    None => before.push((switch, !value)),
                }
            }
        }
        let mut changed = false;
        for (switch, was) in before {
            let on = state.discrete.switches.get(switch.index());
            if on != was {
                observe.log.note(|| What::Switch(switch, on));
                changed = true;
            }
        }
        if changed {
            state.leaving.clear();
            self.smooth = false;
            self.iteration.undecided = true;
        }
        // What a pass undoes that nothing of this microstep only has set off, every further one does and undoes again.
        let momentary = |&index: &usize| {
            let all = self.plan.model.assignments[index].when.iter();
            all.clone()
                .any(|literal| self.plan.model.is_event(literal.what))
        };
        if undone && !changed && !wrote.iter().any(momentary) {
            wrote.sort_unstable();
            return Err(RunFault::Cycle {
                time: state.t,
                assignments: wrote.to_vec(),
            });
        }
        Ok(changed)
    }

    /// At the start, behind its first assignments: a row that these end leaves no value, for in the first tick it does nothing.
    /// There ranges compare the reals that are given: what holds only by what the row computes ends it a tick later.
    ///
    /// Shapes: `discrete`: before the assignments.
    pub(super) fn forget_ended_rows(
        &mut self,
        state: &mut HybridState,
        dynamics: &Dynamics,
        given: &[f64],
        discrete: DiscreteState,
    ) {
        if discrete.switches == state.discrete.switches {
            return;
        }
        let mut first_tick = discrete;
        let (model, constants) = (&*self.plan.model, &self.plan.constants);
        first_tick.ranges_by_value(model, given, constants, state.t);
        first_tick.settle_levels(model, &self.plan.scan);
        let all = model.assignments.iter();
        match self.plan.config.order {
            Order::Written => all.for_each(|one| first_tick.execute(one)),
            Order::Reversed => all.rev().for_each(|one| first_tick.execute(one)),
        }
        let rows = self.plan.flow.rows.iter().filter(|row| {
            !matches!(row.action, Action::Rate | Action::Smoothing)
                && [&state.discrete, &first_tick]
                    .iter()
                    .any(|discrete| row.guard.holds(|literal| discrete.holds(literal)))
        });
        let computed: BTreeSet<RealId> = rows.map(|row| row.target).collect();
        let mode = Arc::clone(&dynamics.modes.at(dynamics.mode).mode);
        let ended = mode.algebraic.iter().map(|(real, _)| *real);
        for real in ended.filter(|real| !computed.contains(real)) {
            state.reals[real.index()] = given[real.index()];
            self.iteration.unsettled = true;
            self.mark_margins(real);
        }
    }

    /// Adds the assignments that those which are to be executed may reach: of the same switches, of what reads these, and
    /// those between which one reads a switch.
    fn close_assignments(&mut self) {
        let stack = &mut self.iteration.scan.stack;
        stack.clear();
        stack.extend(self.todo.assignments.iter().map(|at| at as u32));
        while let Some(at) = stack.pop() {
            let peers = &self.plan.scan.peers;
            let groups = peers.of[at as usize].iter();
            let groups = groups.chain(&peers.around[at as usize]);
            let peers = groups.flat_map(|&group| &peers.groups[group]);
            let read = self.plan.model.assignments[at as usize].set.iter();
            let read =
                read.flat_map(|(switch, _)| &self.plan.scan.of(Boolean::Switch(*switch)).all);
            let read = read.filter_map(|reader| match reader {
                Reader::Assignment(at) => Some(*at),
                Reader::SituationRow(_) | Reader::Row(_) => None,
            });
            for other in peers.copied().chain(read) {
                if !self.todo.assignments.contains(other as usize) {
                    self.todo.assignments.insert(other as usize);
                    stack.push(other);
                }
            }
        }
    }

    /// Ends the booleans that held in the last microstep only: events, schedules, the start.
    pub(super) fn end_momentary(
        &mut self,
        state: &mut HybridState,
        observe: &mut Observation,
    ) -> bool {
        if !std::mem::take(&mut self.iteration.over) {
            return false;
        }
        let mut changed = false;
        let mut fired = std::mem::take(&mut self.iteration.fired);
        for situation in fired.drain(..) {
            self.change(
                state,
                observe,
                Boolean::Situation(SituationId::new(situation)),
                false,
            );
            changed = true;
        }
        self.iteration.fired = fired;
        let mut due = std::mem::take(&mut self.iteration.due);
        for schedule in due.drain(..) {
            self.change(state, observe, Boolean::Schedule(schedule), false);
            changed = true;
        }
        self.iteration.due = due;
        if state.discrete.start {
            self.change(state, observe, Boolean::Start, false);
            changed = true;
        }
        changed
    }
}

impl EventIteration {
    /// Conjunctions of event rows and counters that hold now and did not in another run rise in an instant with which this one
    /// goes on.
    pub(crate) fn note_risen(&mut self, state: &mut HybridState, from: &NamedState) {
        let held = from.remembered.iter();
        let held: HashMap<&str, bool> = held.map(|(key, held)| (key.as_str(), *held)).collect();
        let did_not_hold = |key: String| held.get(&*key) == Some(&false);
        let (model, events) = (&self.plan.model, &self.plan.flow.events);
        for (at, row) in model.situation_rows.iter().enumerate() {
            if model.situations[row.situation.index()].event
                && state.discrete.held(at)
                && did_not_hold(row_key(model, row))
            {
                state.discrete.set_held(at, false);
            }
        }
        for (at, row) in events.iter().enumerate() {
            if row.counts.is_some()
                && state.discrete.counted.get(at)
                && did_not_hold(counter_key(model, row.relation))
            {
                state.discrete.counted.set(at, false);
            }
        }
        self.mark_risen(state);
    }

    /// Marks the rows of events and counters whose conjunctions hold and have not been seen to.
    pub(crate) fn mark_risen(&mut self, state: &HybridState) {
        let (model, scan) = (&self.plan.model, &self.plan.scan);
        for (at, row) in model.situation_rows.iter().enumerate() {
            if model.situations[row.situation.index()].event
                && !state.discrete.held(at)
                && state.discrete.row_holds(model, scan, at)
            {
                self.todo.situation_rows.insert(at);
            }
        }
        for (at, row) in self.plan.flow.events.iter().enumerate() {
            if let Some(what) = row.counts
                && !state.discrete.counted.get(at)
                && state.discrete.holds(what)
            {
                self.todo.rows.insert(scan.of_event[at]);
            }
        }
    }

    /// True if something has risen that is still to be gone through.
    pub(crate) fn has_risen(&self) -> bool {
        !self.todo.situation_rows.is_empty() || !self.todo.rows.is_empty()
    }
}
