//! The scan of a microstep over rows, in written order: resets, latched values, and what follows from others, each reading what stands.

use crate::backend::value::{self, Stairs};
use crate::ids::{RealId, RelationId};
use crate::lower::border::{BorderSource, Side};
use crate::lower::flow::Action;
use crate::lower::scan::ScanKind;
use crate::model::Order;
use crate::sim::RunFault;
use crate::sim::events::delays::LOCATED;
use crate::sim::events::iteration::EventIteration;
use crate::sim::events::iteration::progress::Chained;
use crate::sim::events::iteration::row_programs::Values;
use crate::sim::events::motion::Dynamics;
use crate::sim::events::observe::Observation;
use crate::sim::events::observe::step_effects::StepEffect;
use crate::sim::events::state::HybridState;
use crate::sim::events::state::plan::Plan;
use crate::tape::Pieces;
use crate::trace::What;

impl EventIteration {
    /// Does the rows that something has changed for, in written order, each reading what stands. Result: whether an
    /// event row acted, and whether a latched value changed.
    pub(super) fn scan_rows(
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
        let mut rows = std::mem::take(&mut self.iteration.scan.rows);
        rows.clear();
        rows.extend(self.todo.rows.iter().map(|at| at as u32));
        self.todo.rows.clear();
        self.todo.gone_through += rows.len() as u64;
        if self.plan.config.order == Order::Reversed {
            self.reverse_events(&mut rows);
        }
        let (mut acted, mut latched) = (false, false);
        let mut outcome = Ok(());
        let mut group = None;
        for (position, &at) in rows.iter().enumerate() {
            let at = at as usize;
            let begin = self.plan.scan.begins[at];
            if group != Some(begin) {
                group = Some(begin);
                self.iteration.scan.replaced.clear();
            }
            let done = match self.plan.scan.rows[at].kind {
                ScanKind::Level(row) => self
                    .do_level(state, dynamics, observe, at, row, &rows[position + 1..])
                    .map(|latches| latched |= latches),
                ScanKind::Event(row) => self
                    .do_event(state, dynamics, observe, at, row)
                    .map(|acts| acted |= acts),
            };
            if done.is_err() {
                outcome = done;
                break;
            }
        }
        if acted {
            latched |= self.take_over_latches(state);
        }
        self.iteration.scan.replaced.clear();
        self.iteration.scan.rows = rows;
        self.mark_behind_chains(state, dynamics);
        outcome.map(|()| (acted, latched))
    }

    /// Hysteresis rows go on from what events have written into their reals; true if that is another value.
    fn take_over_latches(&self, state: &mut HybridState) -> bool {
        let targets = self.plan.flow.relay_targets(&self.plan.model);
        let mut is_other = false;
        for (relay, target) in state.discrete.relays.iter_mut().zip(targets) {
            let value = state.reals[target.index()];
            is_other |= std::mem::replace(relay, value) != value;
        }
        is_other
    }

    /// Adds the rows that those which are to be done may reach: rows below that read what they write, and those that
    /// write one real in turn with them.
    fn close_rows(&mut self, state: &HybridState) {
        let mut stack = std::mem::take(&mut self.iteration.scan.stack);
        stack.clear();
        stack.extend(self.todo.rows.iter().map(|at| at as u32));
        while let Some(at) = stack.pop() {
            let at = at as usize;
            let scan = &self.plan.scan;
            let groups = [
                scan.chains.of[at].map(|group| &scan.chains.groups[group]),
                scan.loops[at].map(|group| &scan.loop_rows[group]),
            ];
            for group in groups.into_iter().flatten() {
                // A group is added whole with its first row: the others need not go through it again.
                let first = group[0] as usize;
                if first != at && self.todo.rows.contains(first) {
                    continue;
                }
                for &other in group {
                    if !self.todo.rows.contains(other as usize) {
                        self.todo.rows.insert(other as usize);
                        stack.push(other);
                    }
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
            for &group in &scan.chains.around[at] {
                for &other in &scan.chains.groups[group] {
                    if !self.todo.rows.contains(other as usize) {
                        self.todo.rows.insert(other as usize);
                        stack.push(other);
                    }
                }
            }
            for real in &row.writes {
                if let ScanKind::Event(_) = row.kind {
                    for &other in &scan.rewriters[real.index()] {
                        let below = other as usize;
                        let holds = match scan.rows[below].kind {
                            // Beside an event row that acts no row acts "otherwise".
                            ScanKind::Level(row) => {
                                state.is_active(&self.plan, row) && !self.plan.is_otherwise(below)
                            }
                            ScanKind::Event(_) => false,
                        };
                        if below > at && holds && !self.todo.rows.contains(below) {
                            self.todo.rows.insert(below);
                            stack.push(other);
                        }
                    }
                }
                for &reader in &scan.readers[real.index()] {
                    if scan.begins[reader as usize] as usize > at
                        && !self.todo.rows.contains(reader as usize)
                    {
                        self.todo.rows.insert(reader as usize);
                        stack.push(reader);
                    }
                }
            }
        }
        self.iteration.scan.stack = stack;
    }

    /// Neighbours among the rows that act at events change places.
    fn reverse_events(&self, rows: &mut [u32]) {
        let is_event =
            |at: u32| matches!(self.plan.scan.rows[at as usize].kind, ScanKind::Event(_));
        for block in rows.chunk_by_mut(|&a, &b| (a..=b).all(is_event)) {
            block.reverse();
        }
    }

    /// Does a row between events; whether a latched value changed. `below`: the rows of the scan that are still to be done.
    fn do_level(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        observe: &mut Observation,
        at: usize,
        row: usize,
        below: &[u32],
    ) -> Result<bool, RunFault> {
        if let Some(group) = self.plan.scan.loops[at] {
            let is_last = !below
                .iter()
                .any(|&other| self.plan.scan.loops[other as usize] == Some(group));
            if is_last {
                self.do_loop(state, dynamics, observe, at, group)?;
            }
            return Ok(false);
        }
        let flow_row = &self.plan.flow.rows[row];
        let (action, target) = (flow_row.action, flow_row.target);
        if self.plan.scan.rows[at].writes.is_empty() || !state.is_active(&self.plan, row) {
            return Ok(false);
        }
        let mut latched = false;
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
                latched = std::mem::replace(&mut state.discrete.relays[relay], value) != value;
                value
            }
            Action::Delay(delay) => self.delayed(state, dynamics, at, delay)?,
            // What is solved is done with its loop, above.
            Action::Solved(_)
            | Action::Rate
            | Action::Smoothing
            | Action::Steady(_)
            | Action::Derivative => {
                return Ok(false);
            }
        };
        self.write_real(state, dynamics, target, value, at)?;
        Ok(latched)
    }

    /// The value of a delay.
    ///
    /// # Errors
    ///
    /// [`RunFault::NegativeDelay`].
    fn delayed(
        &mut self,
        state: &HybridState,
        dynamics: &Dynamics,
        at: usize,
        delay: usize,
    ) -> Result<f64, RunFault> {
        if !state.past.varies(delay) {
            return Ok(state.past.series::<1>(delay, state.t)[0]);
        }
        self.compute(state, dynamics, at);
        let program = self.row_programs.known(at);
        let values: Values = program.map_or_else(Values::new, |program| program.values().collect());
        let (present, tau, t) = (values[0], values[1], state.t);
        let size = t.abs().max(tau.abs());
        if tau < -LOCATED * size {
            return Err(RunFault::NegativeDelay {
                time: t,
                relation: self.plan.scan.rows[at].relation,
                tau,
            });
        }
        Ok(if tau <= LOCATED * size {
            present
        } else {
            state.past.read::<1>(delay, t - tau, size)[0]
        })
    }

    /// The latched value of a hysteresis row, which goes on from what stands in its real: borders on which its argument
    /// lies up to rounding decide by their sides.
    fn latch(&mut self, state: &HybridState, dynamics: &Dynamics, at: usize, relay: usize) -> f64 {
        self.compute(state, dynamics, at);
        let mut args = Values::new();
        if let Some(program) = self.row_programs.known(at) {
            args.extend(program.values());
        }
        let real = self.plan.scan.rows[at].writes[0];
        let mut value = match self.plan.scan.is_made_over(at) {
            true => state.discrete.relays[relay],
            false => state.reals[real.index()],
        };
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
            let owner = BorderSource::RowKink(relation, number);
            let (side, step) = match pieces {
                Pieces::Whole | Pieces::Remainder | Pieces::Knots => {
                    let staircase = staircases.known_staircase(owner)?;
                    let (ends, step) = (staircases.staircases[staircase], steps[staircase]);
                    let stairs = Stairs::of(pieces, b)?;
                    let height = value::height(pieces, a, b);
                    let is_held = stairs.holds(step, height)
                        || [ends.low, ends.high]
                            .iter()
                            .any(|&end| self.iteration.has_met(end));
                    let step = if is_held { step } else { stairs.at(height) };
                    (Side::On, step)
                }
                Pieces::Bend(..) | Pieces::Jump(..) => {
                    let kink = mode.kinks.iter().find(|kink| kink.owner == owner)?;
                    (kink.view.side(sides[kink.view.border.index()]), 0.0)
                }
            };
            Some(value::piece(pieces, side as usize, step, a, b))
        };
        program.run(state.t, &state.reals, &self.iteration.scan.replaced, held);
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
        self.taken.relations.add(relation.index(), relation);
        observe.seen.acts(relation);
        observe.log.note(|| What::Acted(relation));
        let mut values = Values::new();
        match self.plan.flow.events[row].delay {
            Some(delay) => values.push(self.delayed(state, dynamics, at, delay)?),
            None => {
                self.compute(state, dynamics, at);
                let program = self.row_programs.known(at);
                values.extend(program.iter().flat_map(|program| program.values()));
            }
        }
        let read = observe.microsteps.is_some().then(|| self.as_read(state));
        let targets = &self.plan.model.relations[relation.index()].targets;
        let mut writes = targets.iter().zip(&values);
        if let Some((&real, &value)) = writes.find(|(_, value)| !value.is_finite()) {
            return Err(self.not_finite(state, relation, (real, value)));
        }
        values.truncate(targets.len());
        for (target, value) in values.into_iter().enumerate() {
            let real = self.plan.model.relations[relation.index()].targets[target];
            state.shown.deeds.written.push(StepEffect {
                relation,
                real,
                before: state.reals[real.index()],
                after: value,
            });
            self.write_real(state, dynamics, real, value, at)?;
        }
        if let Some(read) = read {
            observe.acted(relation, read, state);
        }
        Ok(true)
    }

    /// All reals as the rows of the present group read them.
    fn as_read(&self, state: &HybridState) -> Vec<f64> {
        let replaced = &self.iteration.scan.replaced;
        let reals = state.reals.iter().enumerate();
        let reals = reals.map(|(index, value)| *replaced.get(&RealId::new(index)).unwrap_or(value));
        reals.collect()
    }

    /// The fault of a row that is about to write a value that is not finite.
    fn not_finite(
        &self,
        state: &HybridState,
        relation: RelationId,
        written: (RealId, f64),
    ) -> RunFault {
        let read = self.as_read(state);
        state.not_finite_in_scan(&self.plan, relation, written, &read)
    }

    /// Writes a real, by a row of the scan; what reads it further up is done in the next scan.
    ///
    /// # Errors
    ///
    /// [`RunFault::NotFinite`].
    fn write_real(
        &mut self,
        state: &mut HybridState,
        dynamics: &Dynamics,
        real: RealId,
        value: f64,
        at: usize,
    ) -> Result<(), RunFault> {
        if !value.is_finite() {
            let relation = self.plan.scan.rows[at].relation;
            return Err(self.not_finite(state, relation, (real, value)));
        }
        let place = &mut state.reals[real.index()];
        if place.to_bits() == value.to_bits() {
            return Ok(());
        }
        let before = std::mem::replace(place, value);
        let begin = self.plan.scan.begins[at] as usize;
        let in_group =
            begin < at || self.plan.scan.begins.get(at + 1) == Some(&self.plan.scan.begins[at]);
        if in_group {
            self.iteration.scan.replaced.entry(real).or_insert(before);
        }
        match self.plan.scan.chains.of[at] {
            None => self.mark_behind(dynamics, real, at),
            // What several rows write in turn counts as it stands when all of them are done.
            Some(_) => (self.iteration.scan.chained).push(Chained { real, before, at }),
        }
        Ok(())
    }

    /// Marks what a real moves that several rows have written in turn, if it is not what it was before.
    fn mark_behind_chains(&mut self, state: &HybridState, dynamics: &Dynamics) {
        let mut chained = std::mem::take(&mut self.iteration.scan.chained);
        chained.sort_by_key(|one| one.real);
        for writes in chained.chunk_by(|one, other| one.real == other.real) {
            let (real, before) = (writes[0].real, writes[0].before);
            if state.reals[real.index()].to_bits() != before.to_bits() {
                self.mark_behind(dynamics, real, writes[writes.len() - 1].at);
            }
        }
        chained.clear();
        self.iteration.scan.chained = chained;
    }
}

impl HybridState {
    /// True if a row between events is active.
    fn is_active(&self, plan: &Plan, row: usize) -> bool {
        let guard = &plan.flow.rows[row].guard;
        guard.holds(|literal| self.discrete.holds(literal))
    }
}
