//! Event iteration: at a fixed time, microsteps repeat until no boolean changes, no event row acts and no side turns.
//!
//! A microstep is a tick of no length (FORMALISM 10.1): ranges follow the sides of their borders, then come situations,
//! assignments in one pass and all rows in written order, each reading what stands; then sides follow the values. Only
//! what the crossings of the instant reach is gone through ([`crate::lower::scan`]): a row whose booleans and reals are
//! as they were would write what stands. When nothing changes any more, what follows from others is settled by
//! dependence in the mode that the booleans give, and [`super::side_selection`] says on which sides the motion goes on.

use crate::sim::events::detect::Detection;
use crate::sim::events::iteration::EventIteration;
use crate::sim::events::motion::Dynamics;
use crate::sim::events::observe::Observation;
use crate::sim::events::state::HybridState;
use crate::sim::events::state::plan::Plan;
use smallvec::SmallVec;

use crate::backend::value;
use crate::ids::{RangeId, RealId, ScheduleId, SituationId, SwitchId};
use crate::lower::border::{BorderId, Owner, Side};
use crate::lower::flow::{Action, FlowGuard};
use crate::lower::scan::{Reader, Readers, Scan, ScanKind};
use crate::model::{Boolean, Literal, Mark, Model, Order};
use crate::sim::RunFault;
use crate::sim::events::iteration::event_iteration::Taken;
use crate::sim::events::iteration::row_programs::Values;
use crate::sim::events::iteration::standing_margins::MarginSource;
use crate::sim::events::iteration::worklist::Worklist;
use crate::sim::events::observe::step_effects::Deed;
use crate::sim::events::state::discrete_state::DiscreteState;
use crate::tape::Pieces;
use crate::trace::What;

/// Microsteps at one time before the events count as endless, beyond one per rule.
const MICROSTEPS: usize = 64;

/// After so many microsteps the discrete state is compared with an earlier one, to find a circle.
const FIRST_LOOK: usize = 8;

/// What is still to be gone through at the present instant.
#[derive(Clone, Debug, Default)]
pub(crate) struct Todo {
    pub(crate) ranges: Worklist,
    pub(super) situation_rows: Worklist,
    pub(super) assignments: Worklist,
    pub(super) rows: Worklist,
    /// Borders whose margins have changed.
    pub(super) borders: Worklist,
    /// How many of all these were gone through so far.
    pub(crate) gone_through: u64,
}

impl Todo {
    pub(super) fn new(model: &Model, scan: &Scan) -> Self {
        Self {
            ranges: Worklist::new(model.ranges.len()),
            situation_rows: Worklist::new(model.situation_rows.len()),
            assignments: Worklist::new(model.assignments.len()),
            rows: Worklist::new(scan.rows.len()),
            borders: Worklist::default(),
            gone_through: 0,
        }
    }

    pub(super) fn clear(&mut self) {
        let Self {
            ranges,
            situation_rows,
            assignments,
            rows,
            borders,
            gone_through: _,
        } = self;
        for list in [ranges, situation_rows, assignments, rows, borders] {
            list.clear();
        }
    }

    /// Whether nothing is left.
    fn is_empty(&self) -> bool {
        let Self {
            ranges,
            situation_rows,
            assignments,
            rows,
            borders,
            gone_through: _,
        } = self;
        let mut lists = [ranges, situation_rows, assignments, rows, borders].into_iter();
        lists.all(Worklist::is_empty)
    }
}

/// The event iteration under way.
#[derive(Clone, Debug, Default)]
pub(crate) struct Iteration {
    /// Events that fire, and schedules that are due, in the present microstep.
    pub(crate) fired: Vec<usize>,
    due: Vec<ScheduleId>,
    /// Whether a boolean has changed by which rows between events are active or not, or a branch of a kink.
    pub(super) reshaped: bool,
    /// Whether reals have changed since what follows from others was settled.
    unsettled: bool,
    /// Whether a border of a hysteresis has turned.
    may_latch: bool,
    /// Whether comparisons see their borders in another way since what follows from others was settled.
    pub(crate) seen_anew: bool,
    /// Whether a staircase has gone to another step at this instant, a kink to its other branch, or a hysteresis has latched.
    pub(crate) stepped: bool,
    /// Whether something has changed since it was decided on which sides the motion goes on.
    pub(super) undecided: bool,
    /// Whether anything has changed at this instant.
    pub(crate) changed: bool,
    /// How often it was decided that a side turns.
    pub(super) rounds: usize,
    /// Borders on which the state lay when the instant began, with their z.
    pub(super) begun_on: SmallVec<[(BorderId, f64); 4]>,
    /// Borders that the motion has crossed.
    crossed: SmallVec<[BorderId; 4]>,
    /// A slide along a border that its margin jumps across begins, and its share is not known yet.
    pub(super) slides_through: bool,
    /// Borders that have turned since an event row acted.
    turned: SmallVec<[BorderId; 4]>,
    /// Borders on which the state has come to lie by a jump, exactly.
    pub(crate) landed: Vec<BorderId>,
    /// What stood at an earlier microstep.
    earlier: Option<Box<(DiscreteState, Vec<f64>)>>,
    /// Whether a microstep has been done: what held in it only is over.
    over: bool,
    /// Rows of the present scan, in order.
    rows: Vec<u32>,
    stack: Vec<u32>,
    /// Reals that several rows of the present scan have written in turn.
    chained: Vec<Chained>,
    /// Reals before what follows from others was settled.
    before: Vec<f64>,
}

/// A real that rows write in turn: what it was before the scan, and the last row that wrote it.
#[derive(Clone, Copy, Debug)]
struct Chained {
    real: RealId,
    before: f64,
    at: usize,
}

impl Iteration {
    /// Whether the margin of a border on which the state lay when the instant began has not moved, up to its sign.
    pub(crate) fn stays_begun(&self, border: BorderId, margin: f64) -> bool {
        let mut begun = self.begun_on.iter();
        begun.any(|(other, z)| *other == border && z.abs() == margin.abs())
    }
}

impl Iteration {
    /// Whether a border has been crossed at this instant and its margin, which is given, is as it was then.
    pub(super) fn was_crossed(&self, border: BorderId, margin: f64) -> bool {
        self.crossed.contains(&border) && self.stays_begun(border, margin)
    }
}

impl Iteration {
    /// The borders that the motion has crossed.
    pub(crate) fn crossed(&self) -> SmallVec<[BorderId; 4]> {
        self.crossed.clone()
    }
}

impl EventIteration {
    /// A border is reached: its z there.
    pub(super) fn note_begun_on(&mut self, border: BorderId, z: f64) {
        self.iteration.begun_on.push((border, z));
        self.iteration.turned.push(border);
        self.iteration.crossed.push(border);
    }

    /// A boolean changes: so do the bits that rows show, and what names it is to be gone through.
    fn change(
        &mut self,
        state: &mut HybridState,
        observe: &mut Observation,
        what: Boolean,
        value: bool,
    ) {
        let discrete = &mut state.discrete;
        let situations_at = discrete.switches.len() + discrete.ranges.len();
        let shown = match what {
            Boolean::Switch(id) => {
                discrete.switches.set(id.index(), value);
                Some(id.index())
            }
            Boolean::Range(id) => {
                discrete.ranges.set(id.index(), value);
                Some(discrete.switches.len() + id.index())
            }
            Boolean::Situation(id) => {
                discrete.situations.set(id.index(), value);
                Some(situations_at + id.index())
            }
            Boolean::Schedule(id) => {
                discrete.due.set(id.index(), value);
                None
            }
            Boolean::Start => {
                discrete.start = value;
                None
            }
        };
        if let Some(bit) = shown {
            let (word, mask) = (&mut observe.words[bit / 64], 1 << (bit % 64));
            *word = if value { *word | mask } else { *word & !mask };
        }
        self.mark_readers(what);
    }

    /// Marks all that names a boolean.
    fn mark_readers(&mut self, what: Boolean) {
        let Readers { all, shapes } = self.plan.scan.of(what);
        let todo = &mut self.todo;
        for &reader in all {
            match reader {
                Reader::SituationRow(at) => todo.situation_rows.insert(at as usize),
                Reader::Assignment(at) => todo.assignments.insert(at as usize),
                Reader::Row(at) => todo.rows.insert(at as usize),
            }
        }
        self.iteration.reshaped |= shapes;
    }

    /// Puts a border on a side; what looks at the border is gone through in the next microstep.
    pub(crate) fn set_side(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        border: BorderId,
        side: Side,
    ) {
        let index = border.index();
        if std::mem::replace(&mut state.discrete.sides[index], side) != side {
            dynamics.sides_stand = false;
            self.mark_border(state, dynamics, border);
        }
    }

    /// Marks all that looks at a border.
    pub(super) fn mark_border(
        &mut self,
        state: &HybridState,
        dynamics: &Dynamics,
        border: BorderId,
    ) {
        let index = border.index();
        for &range in dynamics
            .views
            .ranges_by_border
            .get(index)
            .into_iter()
            .flatten()
        {
            self.todo.ranges.insert(range as usize);
        }
        for &row in dynamics
            .views
            .relays_by_border
            .get(index)
            .into_iter()
            .flatten()
        {
            self.todo.rows.insert(row as usize);
            self.iteration.may_latch = true;
        }
        self.iteration.reshaped |= state.borders.kinked.get(index);
        self.iteration.stepped |= state.borders.kinked.get(index);
    }

    /// Everything is to be gone through.
    pub(super) fn mark_all(&mut self) {
        let todo = &mut self.todo;
        (0..self.plan.model.ranges.len()).for_each(|at| todo.ranges.insert(at));
        (0..self.plan.model.situation_rows.len()).for_each(|at| todo.situation_rows.insert(at));
        (0..self.plan.model.assignments.len()).for_each(|at| todo.assignments.insert(at));
        (0..self.plan.scan.rows.len()).for_each(|at| todo.rows.insert(at));
        self.iteration.reshaped = true;
        self.iteration.unsettled = true;
    }

    /// A schedule is due.
    pub(super) fn fire_schedule(
        &mut self,
        state: &mut HybridState,
        observe: &mut Observation,
        schedule: ScheduleId,
    ) {
        state.progress.beats[schedule.index()] += 1;
        state.shown.deeds.due.push(schedule);
        self.change(state, observe, Boolean::Schedule(schedule), true);
        self.iteration.due.push(schedule);
    }

    /// The event iteration of an instant begins.
    pub(super) fn begin_iteration(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
    ) -> Result<(), RunFault> {
        self.taken.clear();
        let iteration = &mut self.iteration;
        iteration.changed = false;
        iteration.stepped = false;
        iteration.rounds = 0;
        iteration.earlier = None;
        iteration.landed.clear();
        iteration.turned.clear();
        iteration.crossed.clear();
        iteration.begun_on.clear();
        if state.discrete.flags.any() {
            dynamics.margins_now(state)?;
            let evaluator = dynamics.modes.at(dynamics.motion.mode);
            let begun_on = &mut self.iteration.begun_on;
            state.discrete.flags.each_one(|index| {
                let border = BorderId::new(index);
                if let Some(z) = evaluator.z(border) {
                    begun_on.push((border, z));
                }
            });
        }
        for &range in &self.plan.unbordered {
            self.todo.ranges.insert(range);
        }
        // From here on delays have their right limits.
        state.past.step_from(state.t);
        for &row in &self.plan.flow.delays {
            self.todo.rows.insert(self.plan.scan.of_flow[row]);
        }
        Ok(())
    }

    /// Repeats microsteps until nothing changes, then begins to move.
    pub(super) fn iterate(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        detect: &mut Detection,
        observe: &mut Observation,
    ) -> Result<(), RunFault> {
        let budget =
            MICROSTEPS + self.plan.model.situation_rows.len() + self.plan.model.assignments.len();
        let mut microsteps = 0;
        let mut look_at = FIRST_LOOK;
        self.iteration.undecided = true;
        loop {
            while self.microstep(state, dynamics, observe)? {
                microsteps += 1;
                if microsteps > budget {
                    return Err(self.rule_cycle(state));
                }
                if microsteps >= FIRST_LOOK {
                    self.look_for_circle(state, microsteps, &mut look_at)?;
                }
                if self.iteration.reshaped && state.discrete.flags.any() {
                    self.leave_borders(state, dynamics, observe)?;
                }
            }
            if self.settle_values(state, dynamics, observe)? {
                microsteps += 1;
                if microsteps > budget {
                    return Err(self.rule_cycle(state));
                }
                continue;
            }
            if self.iteration.undecided {
                self.iteration.undecided = false;
                // Sides that have turned since the mode was entered and by which it is not another one.
                dynamics.sides_stand = true;
                self.decide(state, dynamics, observe)?;
                if self.has_turned() || self.iteration.undecided || self.iteration.reshaped {
                    self.iteration.rounds += 1;
                    microsteps += 1;
                    if microsteps > budget {
                        return Err(self.rule_cycle(state));
                    }
                    continue;
                }
            }
            break;
        }
        // What reads from below has been settled by dependence.
        self.todo.borders.clear();
        self.todo.rows.clear();
        if detect.goes_on_in_step(state, dynamics, self, observe) {
            return Ok(());
        }
        let entered = dynamics.stands_in_mode(state);
        detect.begin(state, dynamics, self, observe, entered)
    }

    /// Compares with what stood at an earlier microstep, which moves on less and less often (Brent's method).
    #[cold]
    fn look_for_circle(
        &mut self,
        state: &HybridState,
        microsteps: usize,
        look_at: &mut usize,
    ) -> Result<(), RunFault> {
        if let Some(earlier) = &self.iteration.earlier
            && earlier.0 == state.discrete
            && earlier.1 == state.reals
        {
            return Err(self.rule_cycle(state));
        }
        if microsteps >= *look_at {
            *look_at *= 2;
            // What began it has no part in a circle.
            self.taken.clear();
            self.iteration.earlier = Some(Box::new((state.discrete.clone(), state.reals.clone())));
        }
        Ok(())
    }

    fn rule_cycle(&mut self, state: &HybridState) -> RunFault {
        let Taken {
            mut situations,
            mut assignments,
            mut relations,
            mut ranges,
        } = std::mem::take(&mut self.taken);
        situations.sort_unstable();
        assignments.sort_unstable();
        relations.sort_unstable();
        ranges.sort_unstable();
        RunFault::RuleCycle {
            time: state.t,
            situations,
            assignments,
            relations,
            ranges,
        }
    }

    /// A microstep; whether a boolean has changed or an event row acted.
    fn microstep(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        observe: &mut Observation,
    ) -> Result<bool, RunFault> {
        observe.log.microstep();
        let mut changed = self.end_momentary(state, observe);
        if !changed && self.is_idle(state) {
            return Ok(false);
        }
        changed |= self.scan_ranges(state, dynamics, observe);
        changed |= self.scan_situations(state, observe);
        changed |= self.scan_assignments(state, observe)?;
        let fired = self.note_fired(state, observe);
        let (acted, latched) = self.scan_rows(state, dynamics, observe)?;
        let momentary = state.discrete.start || !self.iteration.due.is_empty();
        changed |= acted || latched || momentary || fired;
        if acted {
            self.iteration.turned.clear();
            state.leaving.clear();
            self.smooth = false;
        }
        self.smooth &= !latched;
        self.iteration.stepped |= latched;
        self.iteration.undecided |= acted || latched;
        self.follow_standing_values(state, dynamics, observe)?;
        self.iteration.changed |= changed;
        if changed {
            self.iteration.over = true;
            debug_assert!(observe.words_are_right(state), "each change is shown");
            observe.seen.microstep(&observe.words);
            state
                .shown
                .deeds
                .microsteps
                .extend_from_slice(&observe.words);
            observe.look(state, dynamics);
        }
        Ok(changed)
    }

    /// Whether nothing is left that a microstep would go through.
    fn is_idle(&self, state: &HybridState) -> bool {
        self.todo.is_empty() && self.iteration.due.is_empty() && !state.discrete.start
    }

    /// What held in the last microstep only holds no more: events, schedules, the start.
    fn end_momentary(&mut self, state: &mut HybridState, observe: &mut Observation) -> bool {
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

    /// Ranges follow the sides of their borders.
    fn scan_ranges(
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
            add(&mut self.taken.ranges, id);
            observe.log.note(|| What::Range(id, holds));
            self.change(state, observe, Boolean::Range(id), holds);
        }
        changed
    }

    /// Situations follow their rows; rows of events fire if they have just come to hold.
    fn scan_situations(&mut self, state: &mut HybridState, observe: &mut Observation) -> bool {
        let mut changed = false;
        let mut from = 0;
        while let Some(at) = self.todo.situation_rows.take_from(from) {
            from = at + 1;
            self.todo.gone_through += 1;
            let row = &self.plan.model.situation_rows[at];
            let (id, situation) = (row.situation, row.situation.index());
            let holds = state
                .discrete
                .row_holds(&self.plan.model, &self.plan.scan, at);
            let turns = state.discrete.set_held(at, holds);
            if self.plan.model.situations[situation].event {
                let arises = holds && (turns || self.plan.scan.instantaneous[at]);
                if arises && !state.discrete.situations.get(situation) {
                    self.iteration.fired.push(situation);
                    add(&mut self.taken.situations, id);
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
                observe.log.note(|| What::Situation(id, now));
                self.change(state, observe, Boolean::Situation(id), now);
                changed = true;
            } else if turns && several {
                // Rows between its own read what those above them make of it.
                self.mark_readers(Boolean::Situation(id));
            }
        }
        changed
    }

    /// Executes the assignments that something has changed for, in one pass, with all that write the same switches.
    ///
    /// Errors: [`RunFault::Cycle`] if one undoes what another has just done because that has done it.
    fn scan_assignments(
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
            let reads_written = |literal: &Literal| match literal.what {
                Boolean::Switch(id) => before.iter().any(|(other, _)| *other == id),
                _ => false,
            };
            let follows = assignment.when.iter().any(reads_written);
            let mut changes: SmallVec<[(SwitchId, bool); 2]> = SmallVec::new();
            for &(switch, value) in &assignment.set {
                if state.discrete.switches.get(switch.index()) != value {
                    changes.push((switch, value));
                }
            }
            observe.seen.assigned(index);
            add(&mut state.shown.deeds.executed, index);
            if changes.is_empty() {
                continue;
            }
            add(&mut self.taken.assignments, index);
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

    /// Adds the assignments that those which are to be executed may reach: of the same switches, and of what reads these.
    fn close_assignments(&mut self) {
        let stack = &mut self.iteration.stack;
        stack.clear();
        stack.extend(self.todo.assignments.iter().map(|at| at as u32));
        while let Some(at) = stack.pop() {
            let peers =
                self.plan.scan.peers[at as usize].map(|group| &self.plan.scan.peer_groups[group]);
            let read = self.plan.model.assignments[at as usize].set.iter();
            let read =
                read.flat_map(|(switch, _)| &self.plan.scan.of(Boolean::Switch(*switch)).all);
            let read = read.filter_map(|reader| match reader {
                Reader::Assignment(at) => Some(*at),
                Reader::SituationRow(_) | Reader::Row(_) => None,
            });
            for other in peers.into_iter().flatten().copied().chain(read) {
                if !self.todo.assignments.contains(other as usize) {
                    self.todo.assignments.insert(other as usize);
                    stack.push(other);
                }
            }
        }
    }

    /// Does the rows that something has changed for, in written order, each reading what stands. Result: whether an
    /// event row acted, and whether a latched value changed.
    fn scan_rows(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        observe: &mut Observation,
    ) -> Result<(bool, bool), RunFault> {
        self.iteration.may_latch = false;
        if self.todo.rows.is_empty() {
            return Ok((false, false));
        }
        self.close_rows(state);
        let mut rows = std::mem::take(&mut self.iteration.rows);
        rows.clear();
        rows.extend(self.todo.rows.iter().map(|at| at as u32));
        self.todo.rows.clear();
        self.todo.gone_through += rows.len() as u64;
        if self.plan.config.order == Order::Reversed {
            self.reverse_events(&mut rows);
        }
        let (mut acted, mut latched) = (false, false);
        let mut outcome = Ok(());
        for (position, &at) in rows.iter().enumerate() {
            let at = at as usize;
            let done = match self.plan.scan.rows[at].kind {
                ScanKind::Level(row) => self.do_level(
                    state,
                    dynamics,
                    observe,
                    at,
                    row,
                    &mut latched,
                    &rows[position + 1..],
                ),
                ScanKind::Event(row) => self
                    .do_event(state, dynamics, observe, at, row)
                    .map(|acts| acted |= acts),
            };
            if done.is_err() {
                outcome = done;
                break;
            }
        }
        self.iteration.rows = rows;
        self.mark_behind_chains(state, dynamics);
        outcome.map(|()| (acted, latched))
    }

    /// Adds the rows that those which are to be done may reach: rows below that read what they write, and those that
    /// write one real in turn with them.
    fn close_rows(&mut self, state: &HybridState) {
        let mut stack = std::mem::take(&mut self.iteration.stack);
        stack.clear();
        stack.extend(self.todo.rows.iter().map(|at| at as u32));
        while let Some(at) = stack.pop() {
            let at = at as usize;
            let scan = &self.plan.scan;
            let groups = [
                scan.chains[at].map(|group| &scan.chain_rows[group]),
                scan.loops[at].map(|group| &scan.loop_rows[group]),
            ];
            for &other in groups.into_iter().flatten().flatten() {
                if !self.todo.rows.contains(other as usize) {
                    self.todo.rows.insert(other as usize);
                    stack.push(other);
                }
            }
            let row = &scan.rows[at];
            if row.writes.is_empty() {
                continue;
            }
            let acts = match row.kind {
                ScanKind::Level(row) => state.is_active(&self.plan, row),
                ScanKind::Event(row) => state.discrete.all_hold(&self.plan.flow.events[row].when),
            };
            if !acts {
                continue;
            }
            for real in &row.writes {
                for &reader in &scan.readers[real.index()] {
                    if reader as usize > at && !self.todo.rows.contains(reader as usize) {
                        self.todo.rows.insert(reader as usize);
                        stack.push(reader);
                    }
                }
            }
        }
        self.iteration.stack = stack;
    }

    /// Neighbours among the rows that act at events change places.
    fn reverse_events(&self, rows: &mut [u32]) {
        let is_event =
            |at: u32| matches!(self.plan.scan.rows[at as usize].kind, ScanKind::Event(_));
        for block in rows.chunk_by_mut(|&a, &b| (a..=b).all(is_event)) {
            block.reverse();
        }
    }

    /// Does a row between events. `below`: the rows of the scan that are still to be done.
    fn do_level(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        observe: &mut Observation,
        at: usize,
        row: usize,
        latched: &mut bool,
        below: &[u32],
    ) -> Result<(), RunFault> {
        if let Some(group) = self.plan.scan.loops[at] {
            let is_last = !below
                .iter()
                .any(|&other| self.plan.scan.loops[other as usize] == Some(group));
            return if is_last {
                self.do_loop(state, dynamics, observe, at, group)
            } else {
                Ok(())
            };
        }
        let flow_row = &self.plan.flow.rows[row];
        let (action, target) = (flow_row.action, flow_row.target);
        if self.plan.scan.rows[at].writes.is_empty() || !state.is_active(&self.plan, row) {
            return Ok(());
        }
        let value = match action {
            Action::Value | Action::Saturation => {
                self.compute(state, dynamics, at);
                let program = self.row_programs.known(at);
                program
                    .and_then(|program| program.values().next())
                    .unwrap_or(f64::NAN)
            }
            Action::Zero => 0.0,
            Action::Relay(relay) => {
                let value = self.latch(state, dynamics, at, relay);
                *latched |= std::mem::replace(&mut state.discrete.relays[relay], value) != value;
                value
            }
            Action::Delay(delay) => state.past.series::<1>(delay, state.t)[0],
            Action::Rate | Action::Smoothing | Action::Steady(_) | Action::Derivative => {
                return Ok(());
            }
        };
        self.write_real(state, dynamics, target, value, at)
    }

    /// The latched value of a hysteresis row: borders on which its argument lies up to rounding decide by their sides.
    fn latch(&mut self, state: &HybridState, dynamics: &Dynamics, at: usize, relay: usize) -> f64 {
        self.compute(state, dynamics, at);
        let mut args = Values::new();
        if let Some(program) = self.row_programs.known(at) {
            args.extend(program.values());
        }
        let mut value = state.discrete.relays[relay];
        let views = dynamics
            .modes
            .at(dynamics.mode)
            .mode
            .relay_views
            .get(relay)
            .copied();
        for (limit, end) in [(1, 0.0), (2, 1.0)] {
            let margin = args[0] - args[limit];
            let size = args[0].abs() + args[limit].abs();
            let outward = if limit == 1 { -1.0 } else { 1.0 };
            let side = match views {
                Some(views)
                    if margin.abs() <= 64.0 * f64::EPSILON * size
                        || self.iteration.stays_begun(views[limit - 1].border, margin) =>
                {
                    let view = views[limit - 1];
                    view.side(state.discrete.sides[view.border.index()])
                }
                _ => Side::of(margin),
            };
            let reached = match side {
                Side::Minus => outward < 0.0,
                Side::On => true,
                Side::Plus => outward > 0.0,
            };
            if reached {
                value = end;
            }
        }
        value
    }

    /// Runs the program of a row on what stands.
    fn compute(&mut self, state: &HybridState, dynamics: &Dynamics, at: usize) {
        let relation = self.plan.scan.rows[at].relation;
        let program = self.row_programs.of(
            at,
            (&self.plan.model, &self.plan.scan),
            &self.plan.constants,
        );
        let mode = &dynamics.modes.at(dynamics.mode).mode;
        let (sides, steps, staircases) = (&state.discrete.sides, &state.steps, &state.borders);
        let held = |number: usize, pieces: Pieces, [a, b]: [f64; 2]| {
            let owner = Owner::RowKink(relation, number);
            let (side, step) = match pieces {
                Pieces::Whole | Pieces::Remainder => {
                    (Side::On, steps[staircases.known_staircase(owner)?])
                }
                Pieces::Bend(..) | Pieces::Jump(..) => {
                    let (_, view) = mode.kinks.iter().find(|(other, _)| *other == owner)?;
                    (view.side(sides[view.border.index()]), 0.0)
                }
            };
            Some(value::piece(pieces, side as usize, step, a, b))
        };
        program.run(state.t, &state.reals, held);
    }

    /// Rows that depend on each other are solved together, at the place of the last.
    fn do_loop(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        observe: &mut Observation,
        at: usize,
        group: usize,
    ) -> Result<(), RunFault> {
        let standing = state.reals.clone();
        self.find_bound_mode(state, dynamics, observe)?;
        self.assemble_and_enter(state, dynamics, observe)?;
        let solved = std::mem::replace(&mut state.reals, standing);
        let plan = std::sync::Arc::clone(&self.plan);
        let scan = &plan.scan;
        for &row in &scan.loop_rows[group] {
            let ScanKind::Level(level) = scan.rows[row as usize].kind else {
                continue;
            };
            if state.is_active(&self.plan, level) {
                for &real in &scan.rows[row as usize].writes {
                    self.write_real(state, dynamics, real, solved[real.index()], at)?;
                }
            }
        }
        Ok(())
    }

    /// Does an event row, if it acts.
    fn do_event(
        &mut self,
        state: &mut HybridState,
        dynamics: &Dynamics,
        observe: &mut Observation,
        at: usize,
        row: usize,
    ) -> Result<bool, RunFault> {
        let event = &self.plan.flow.events[row];
        let mut acts = state.discrete.all_hold(&event.when);
        if let Some(what) = event.counts {
            let now = state.discrete.holds(what);
            let instantaneous = !what.negated && self.plan.model.is_event(what.what);
            acts &= now && (instantaneous || !state.discrete.counted.get(row));
            state.discrete.counted.set(row, now && !instantaneous);
        }
        if !acts {
            return Ok(false);
        }
        let relation = self.plan.scan.rows[at].relation;
        add(&mut self.taken.relations, relation);
        observe.seen.acts(relation);
        observe.log.note(|| What::Acted(relation));
        self.compute(state, dynamics, at);
        let mut values = Values::new();
        if let Some(program) = self.row_programs.known(at) {
            values.extend(program.values());
        }
        if state.shown.deeds.written.is_empty() {
            situ_solve::slices::copy(&mut state.shown.deeds.left, &state.reals);
        }
        for (number, value) in values.into_iter().enumerate() {
            let targets = &self.plan.model.relations[relation.index()].targets;
            let Some(&real) = targets.get(number) else {
                break;
            };
            state.shown.deeds.written.push(Deed {
                relation,
                real,
                before: state.reals[real.index()],
                after: value,
            });
            self.write_real(state, dynamics, real, value, at)?;
        }
        Ok(true)
    }

    /// Writes a real, by a row of the scan; what reads it further up is done in the next scan.
    ///
    /// Errors: [`RunFault::NotFinite`].
    fn write_real(
        &mut self,
        state: &mut HybridState,
        dynamics: &Dynamics,
        real: RealId,
        value: f64,
        at: usize,
    ) -> Result<(), RunFault> {
        let place = &mut state.reals[real.index()];
        if place.to_bits() == value.to_bits() {
            return Ok(());
        }
        let before = std::mem::replace(place, value);
        if !value.is_finite() {
            let fault = state.not_finite_in_scan(
                &self.plan,
                self.plan.scan.rows[at].relation,
                real,
                before,
            );
            state.reals[real.index()] = before;
            return Err(fault);
        }
        if self.plan.scan.chains[at].is_none() {
            self.mark_behind(dynamics, real, at);
            return Ok(());
        }
        // What several rows write in turn counts as it stands when all of them are done.
        let chained = &mut self.iteration.chained;
        match chained.iter_mut().find(|chained| chained.real == real) {
            Some(known) => known.at = at,
            None => chained.push(Chained { real, before, at }),
        }
        Ok(())
    }

    /// Marks what a real moves that several rows have written in turn, if it is not what it was before.
    fn mark_behind_chains(&mut self, state: &HybridState, dynamics: &Dynamics) {
        for Chained { real, before, at } in std::mem::take(&mut self.iteration.chained) {
            if state.reals[real.index()].to_bits() != before.to_bits() {
                self.mark_behind(dynamics, real, at);
            }
        }
    }

    /// Marks what a real moves which has changed in a scan: margins, and the rows above that read it, but for those
    /// that are done together with the row that wrote it.
    fn mark_behind(&mut self, dynamics: &Dynamics, real: RealId, at: usize) {
        if !self.iteration.unsettled {
            let mode = &dynamics.modes.at(dynamics.mode).mode;
            self.iteration.unsettled = mode.concerns(real) || !dynamics.bound.is_free();
        }
        let chain = self.plan.scan.chains[at];
        for &reader in &self.plan.scan.readers[real.index()] {
            let above = reader as usize <= at;
            if above && (chain.is_none() || self.plan.scan.chains[reader as usize] != chain) {
                self.todo.rows.insert(reader as usize);
            }
        }
        self.mark_margins(real);
    }

    /// Marks the margins that a real moves.
    fn mark_margins(&mut self, real: RealId) {
        for border in self
            .standing
            .readers
            .get(real.index())
            .into_iter()
            .flatten()
        {
            self.todo.borders.insert(border.index());
        }
        for &range in &self.plan.scan.unbordered[real.index()] {
            self.todo.ranges.insert(range as usize);
        }
    }

    /// Marks the comparisons with kinks or staircases in them, those of hysteresis rows as well.
    fn mark_behind_kinks(&mut self, state: &HybridState, dynamics: &Dynamics) {
        let mode = &dynamics.modes.at(dynamics.mode).mode;
        let relay_views = &mode.relay_views;
        // Kinks with one border in common have one owner there; staircases have borders of their own.
        let kinks = mode.kinks.iter().map(|(owner, _)| owner);
        for &owner in state.borders.owners.iter().chain(kinks) {
            let views = match owner {
                Owner::RangeKink(range, _) => &dynamics.views.ranges[range.index()][..],
                Owner::WatchKink(place, _) => std::slice::from_ref(&dynamics.views.watched[place]),
                Owner::RowKink(row, _) => {
                    let relay = self.plan.flow.relays.iter().position(|relay| *relay == row);
                    relay.map_or(&[][..], |relay| &relay_views[relay])
                }
                _ => &[],
            };
            for view in views {
                self.todo.borders.insert(view.border.index());
            }
        }
    }

    /// Takes in borders met since the last time.
    pub(crate) fn know_borders(&mut self, state: &HybridState) {
        let from = MarginSource {
            model: &self.plan.model,
            constants: &self.plan.constants,
            watched: &self.plan.watched,
        };
        self.standing.grow(from, &state.borders);
        self.todo.borders.grow(state.borders.len());
    }

    /// Borders whose margins have jumped take the sides of the values that stand; those at 0 are flagged.
    fn follow_standing_values(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        observe: &mut Observation,
    ) -> Result<(), RunFault> {
        while let Some(index) = self.todo.borders.take_from(0) {
            self.todo.gone_through += 1;
            let border = BorderId::new(index);
            let Some(z) = self.standing.z(border, state.t, &state.reals) else {
                continue;
            };
            self.follow_value(state, dynamics, observe, border, z)?;
        }
        Ok(())
    }

    /// A border whose margin has changed follows its value: z, 0 where it is 0 up to rounding, and as it was computed.
    fn follow_value(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        observe: &mut Observation,
        border: BorderId,
        [z, computed]: [f64; 2],
    ) -> Result<(), RunFault> {
        let index = border.index();
        if z.is_nan() || self.iteration.stays_begun(border, computed) {
            return Ok(());
        }
        if dynamics.bound.slides.contains(&border) {
            // Where a margin jumps across its border itself, its values on both sides tell ([`Self::stays_through`]).
            if z != 0.0 && !dynamics.bound.through {
                let side = Side::of(z);
                self.set_side(state, dynamics, border, side);
                state.discrete.flags.set(index, false);
                self.let_go(state, dynamics, observe, border, side);
            }
            return Ok(());
        }
        if dynamics.motion.bound_to(border) {
            return Ok(());
        }
        if computed == 0.0 {
            add(&mut self.iteration.landed, border);
        }
        self.iteration.undecided = true;
        state.discrete.flags.set(index, z == 0.0);
        if z == 0.0 || self.jump_steps(state, dynamics, border, z) {
            return Ok(());
        }
        let side = Side::of(z);
        if side == state.discrete.sides[index] {
            return Ok(());
        }
        // It turns back because of what its turning has brought about (FORMALISM 10.4).
        if self.iteration.turned.contains(&border)
            && self.jumps_back(state, dynamics, observe, border, side)?
        {
            return self.slide_through(state, dynamics, observe, border);
        }
        self.iteration.turned.push(border);
        self.set_side(state, dynamics, border, side);
        Ok(())
    }

    /// What follows from others is settled by dependence, in the mode of the present booleans. Result: whether a side
    /// has turned by that, so that microsteps go on.
    fn settle_values(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        observe: &mut Observation,
    ) -> Result<bool, RunFault> {
        if !(self.iteration.reshaped || self.iteration.unsettled) {
            return Ok(false);
        }
        let reshaped = std::mem::take(&mut self.iteration.reshaped);
        self.iteration.unsettled = false;
        self.iteration.undecided = true;
        situ_solve::slices::copy(&mut self.iteration.before, &state.reals);
        let has_kinks = dynamics.modes.at(dynamics.mode).mode.unbranched.is_some();
        if reshaped || has_kinks || !dynamics.bound.is_free() {
            self.find_bound_mode(state, dynamics, observe)?;
        }
        self.assemble_and_enter(state, dynamics, observe)?;
        state.check_motion(&self.plan)?;
        self.know_borders(state);
        for border in &self.standing.unknown {
            self.todo.borders.insert(border.index());
        }
        if self.iteration.stepped {
            self.mark_behind_kinks(state, dynamics);
        }
        if std::mem::take(&mut self.iteration.seen_anew) {
            for view in dynamics.views.ranges.iter().flatten() {
                self.todo.borders.insert(view.border.index());
            }
        }
        let before = std::mem::take(&mut self.iteration.before);
        let algebraic = std::sync::Arc::clone(&dynamics.modes.at(dynamics.motion.mode).mode);
        for &(real, _) in &algebraic.algebraic {
            if before[real.index()].to_bits() != state.reals[real.index()].to_bits() {
                self.mark_margins(real);
            }
        }
        self.iteration.before = before;
        while let Some(index) = self.todo.borders.take_from(0) {
            self.todo.gone_through += 1;
            let border = BorderId::new(index);
            if state.borders.kinked.get(index) {
                continue;
            }
            let evaluator = dynamics.modes.at(dynamics.motion.mode);
            let z = match (evaluator.z(border), evaluator.sure_z(border)) {
                (Some(computed), Some(z)) => Some([z, computed]),
                (Some(computed), None) => {
                    dynamics.bound_margins(state)?;
                    let evaluator = dynamics.modes.at(dynamics.motion.mode);
                    let [z, _] = evaluator.z_first(border).unwrap_or_default();
                    Some([z, computed])
                }
                (None, _) => self.standing.z(border, state.t, &state.reals),
            };
            if let Some(z) = z {
                self.follow_value(state, dynamics, observe, border, z)?;
            }
        }
        Ok(self.has_turned())
    }

    /// Whether a side has turned on which something depends.
    fn has_turned(&self) -> bool {
        !self.todo.ranges.is_empty() || self.iteration.may_latch
    }

    /// Whether a jump has brought a margin onto its border, exactly.
    pub(super) fn has_landed(&self, state: &HybridState, border: BorderId) -> bool {
        let mut begun = self.iteration.begun_on.iter();
        self.iteration.landed.contains(&border)
            && !state.borders.is_step_end(border)
            && !begun.any(|(other, _)| *other == border)
    }
}

impl HybridState {
    /// Whether a row between events is active.
    fn is_active(&self, plan: &Plan, row: usize) -> bool {
        match &plan.flow.rows[row].guard {
            FlowGuard::All(all) => self.discrete.all_hold(all),
            FlowGuard::NoneOf(others) => !others.iter().any(|&other| self.is_active(plan, other)),
        }
    }
}

pub(crate) fn add<T: PartialEq>(all: &mut Vec<T>, one: T) {
    if !all.contains(&one) {
        all.push(one);
    }
}
