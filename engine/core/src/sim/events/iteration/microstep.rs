//! Event iteration: at a fixed time, microsteps repeat until no boolean or side changes and no event row acts.
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

use crate::ids::{RealId, ScheduleId};
use crate::lower::border::{BorderId, BorderSource, Side};
use crate::lower::scan::{Reader, Readers, ScanKind};
use crate::model::Boolean;
use crate::sim::RunFault;

/// Microsteps at one time before the events count as endless, beyond one per rule.
const MICROSTEPS: usize = 64;

/// After so many microsteps the discrete state is compared with an earlier one, to find a cycle.
const FIRST_LOOK: usize = 8;

impl EventIteration {
    /// A border is reached: its z there.
    pub(super) fn note_begun_on(&mut self, border: BorderId, z: f64) {
        self.iteration.borders.begun_on.push((border, z));
        self.iteration.borders.turned.push(border);
        self.iteration.borders.crossed.push(border);
    }

    /// A boolean changes: so do the bits that rows show, and what names it is to be gone through.
    pub(super) fn change(
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
    pub(super) fn mark_readers(&mut self, what: Boolean) {
        self.touched.mark(self.plan.subsystems.of_boolean(what));
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

    /// Puts a border on a side; what depends on the border is gone through in the next microstep.
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

    /// Marks all that depends on a border.
    pub(super) fn mark_border(
        &mut self,
        state: &HybridState,
        dynamics: &Dynamics,
        border: BorderId,
    ) {
        self.touch_border(state, border);
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
        if state.borders.kinked.get(index) {
            self.iteration.reshaped = true;
            self.iteration.stepped = true;
            let mode = &dynamics.modes.at(dynamics.mode).mode;
            let kinks = mode.kinks.iter().filter(|kink| kink.view.border == border);
            kinks.for_each(|kink| self.mark_jumping_rows(kink.owner));
        }
    }

    /// Marks the rows that have a kink, if their values may jump there: what reads them at this instant reads the piece
    /// that the side of the border has now, as in a tick (FORMALISM 10.1).
    pub(super) fn mark_jumping_rows(&mut self, owner: BorderSource) {
        let BorderSource::RowKink(relation, _) = owner else {
            return;
        };
        let scan = &self.plan.scan;
        let first = scan.rows.partition_point(|row| row.relation < relation);
        let rows = scan.rows[first..].iter();
        let rows = rows.take_while(|row| row.relation == relation);
        for at in (first..).zip(rows).map(|(at, _)| at) {
            let source = (&*self.plan.model, scan);
            if (self.row_programs.of(at, source, &self.plan.constants)).jumps() {
                self.todo.rows.insert(at);
            }
        }
    }

    /// Everything is to be gone through.
    pub(super) fn mark_all(&mut self) {
        self.touched.all();
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
        state.progress.schedule_counts[schedule.index()] += 1;
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
        iteration.absorbed = false;
        iteration.rounds = 0;
        iteration.microsteps = 0;
        iteration.interrupted = false;
        iteration.earlier = None;
        iteration.borders.clear();
        if state.discrete.flags.any() {
            dynamics.margins_now(state)?;
            let evaluator = dynamics.modes.at(dynamics.motion.mode);
            let begun_on = &mut self.iteration.borders.begun_on;
            state.discrete.flags.each_one(|index| {
                let border = BorderId::new(index);
                if let Some(z) = evaluator.z(border) {
                    begun_on.push((border, z));
                }
            });
        }
        if !dynamics.bound.rest.is_empty() {
            situ_solve::slices::copy(&mut self.before_rows, &state.reals);
        }
        for &range in &self.plan.unbordered {
            self.todo.ranges.insert(range);
        }
        // From here on delays have their right limits.
        state.past.step_from(state.t);
        state.past.release();
        for &row in &self.plan.flow.delays {
            self.todo.rows.insert(self.plan.scan.of_flow[row]);
        }
        Ok(())
    }

    /// Repeats microsteps until nothing changes, then begins to move; or until it is interrupted.
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
        self.iteration.undecided |= !std::mem::take(&mut self.iteration.interrupted);
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
                if self.is_to_be_interrupted(observe) {
                    return Ok(());
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
        let taken = std::mem::take(&mut self.taken);
        let (mut situations, mut assignments) = (taken.situations.list, taken.assignments.list);
        let (mut relations, mut ranges) = (taken.relations.list, taken.ranges.list);
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
        let given = self.given.take();
        let mut changed = self.end_momentary(state, observe);
        if !changed && self.is_idle(state) {
            return Ok(false);
        }
        observe.begin_microstep(state);
        changed |= self.scan_ranges(state, dynamics, observe);
        changed |= self.scan_situations(state, observe, false);
        let begun = given.map(|given| (given, state.discrete.clone()));
        changed |= self.scan_assignments(state, observe)?;
        changed |= self.scan_situations(state, observe, true);
        if let Some((given, discrete)) = begun {
            self.forget_ended_rows(state, dynamics, &given, discrete);
        }
        if changed {
            // What has begun to hold may let a slide drive events that it did not before.
            dynamics.check_slides(state)?;
        }
        observe.found_booleans(state);
        let fired = self.note_fired(state, observe);
        let (acted, latched) = self.scan_rows(state, dynamics, observe)?;
        let momentary = state.discrete.start || !self.iteration.due.is_empty();
        changed |= acted || latched || momentary || fired;
        if acted {
            self.iteration.borders.turned.clear();
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
            observe.look_at_microstep(state, dynamics);
        }
        Ok(changed)
    }

    /// Whether nothing is left that a microstep would go through.
    fn is_idle(&self, state: &HybridState) -> bool {
        self.todo.is_empty() && self.iteration.due.is_empty() && !state.discrete.start
    }

    /// Marks what a real moves which has changed in a scan: margins, and the rows above that read it, but for those
    /// that are done together with the row that wrote it.
    pub(super) fn mark_behind(&mut self, dynamics: &Dynamics, real: RealId, at: usize) {
        if !self.iteration.unsettled {
            let mode = &dynamics.modes.at(dynamics.mode).mode;
            self.iteration.unsettled = mode.concerns(real) || !dynamics.bound.is_free();
        }
        let chain = self.plan.scan.chains.of[at];
        for &reader in &self.plan.scan.readers[real.index()] {
            // A row of the same group has read what stood before.
            let above = self.plan.scan.begins[reader as usize] as usize <= at;
            if above && (chain.is_none() || self.plan.scan.chains.of[reader as usize] != chain) {
                self.todo.rows.insert(reader as usize);
            }
        }
        // What is written between events above an event row, or otherwise, holds again in the next microstep.
        if let ScanKind::Event(_) = self.plan.scan.rows[at].kind {
            for &other in &self.plan.scan.rewriters[real.index()] {
                if (other as usize) < at || self.plan.is_otherwise(other as usize) {
                    self.todo.rows.insert(other as usize);
                }
            }
        }
        self.mark_margins(real);
    }

    /// Marks the margins of reals that are not what they were: what the shares of a slide make of a value is neither that of
    /// the one side nor that of the other.
    pub(super) fn mark_changed(&mut self, state: &HybridState, before: &[f64]) {
        for (index, (before, now)) in before.iter().zip(&state.reals).enumerate() {
            if before.to_bits() != now.to_bits() {
                self.mark_margins(RealId::new(index));
            }
        }
    }

    /// Marks the margins that a real moves.
    pub(super) fn mark_margins(&mut self, real: RealId) {
        (self.touched).mark(Some(self.plan.subsystems.of_real(real)));
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
}

pub(crate) fn add<T: PartialEq>(all: &mut Vec<T>, one: T) {
    if !all.contains(&one) {
        all.push(one);
    }
}
