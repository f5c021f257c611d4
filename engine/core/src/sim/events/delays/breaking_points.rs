//! Breaking points of delays: at an instant, the places in the history of delays at which values
//! jump or have a kink; later, the other delays that these reach, and how much smoother they are there.
//!
//! That is one derivative higher for each integral on the shortest way, and no further than the seventh.

use crate::sim::events::iteration::EventIteration;
use crate::sim::events::motion::Dynamics;
use crate::sim::events::observe::Observation;
use crate::sim::events::state::HybridState;
use crate::sim::events::state::plan::Plan;
use std::collections::VecDeque;

use crate::ids::ExprId;
use crate::lower::border::{BorderId, BorderSource};
use crate::lower::flow::{Action, Flow};
use crate::model::{Argument, Boolean, Model, StartValues};
use crate::sim::events::iteration::event_iteration::EventCause;
use crate::sim::events::iteration::row_programs::first_value;
use crate::sim::past::marks::SAME;
use crate::trace::What;
use smallvec::SmallVec;

/// A change below this part of what is tolerated is rounding.
const ROUNDING: f64 = 1e-3;

/// Per delay what its breaks reach; found when the first of them comes.
#[derive(Clone, Debug, Default)]
pub(crate) struct BreakingPoints(Vec<Option<Reached>>);

/// The delays whose argument depends on a delay's result, with the number of integrals between: so many
/// derivatives higher a break of the one is in the other.
type Reached = Vec<(usize, u32)>;

/// Delays that give breaking points at an instant.
pub(crate) type BreakSources = SmallVec<[usize; 4]>;

impl BreakingPoints {
    fn of(&mut self, delay: usize, model: &Model, flow: &Flow) -> &Reached {
        if self.0.len() <= delay {
            self.0.resize(delay + 1, None);
        }
        self.0[delay].get_or_insert_with(|| reached(delay, model, flow))
    }
}

/// All rows are followed, active or not.
fn reached(delay: usize, model: &Model, flow: &Flow) -> Reached {
    let mut readers: Vec<Vec<(usize, usize)>> = vec![Vec::new(); model.reals.len()];
    for (index, row) in flow.rows.iter().enumerate() {
        let relation = &model.relations[row.relation.index()];
        for (position, arg) in relation.args.iter().enumerate() {
            if let Argument::Real(arg) = arg {
                model
                    .exprs
                    .each_real(*arg, |real| readers[real.index()].push((index, position)));
            }
        }
    }
    let mut levels: Vec<Option<u32>> = vec![None; model.reals.len()];
    let mut reached: Vec<Option<u32>> = vec![None; flow.delays.len()];
    let target = flow.rows[flow.delays[delay]].target;
    levels[target.index()] = Some(0);
    let mut waiting = VecDeque::from([target]);
    while let Some(real) = waiting.pop_front() {
        let Some(level) = levels[real.index()] else {
            continue;
        };
        for &(row, position) in &readers[real.index()] {
            let row = &flow.rows[row];
            let past = matches!(row.action, Action::Delay(_)) && position == 0;
            let (level, place) = match row.action {
                Action::Delay(other) if past => (level, &mut reached[other]),
                // A kink of its length is one of what it gives.
                Action::Delay(_) => (level, &mut levels[row.target.index()]),
                Action::Value | Action::Solved(_) | Action::Saturation => {
                    (level, &mut levels[row.target.index()])
                }
                Action::Rate | Action::Smoothing => (level + 1, &mut levels[row.target.index()]),
                Action::Derivative => (level.saturating_sub(1), &mut levels[row.target.index()]),
                // They change at instants only.
                Action::Steady(_) | Action::Zero | Action::Relay(_) => continue,
            };
            if place.is_none_or(|known| level < known) {
                *place = Some(level);
                if !past {
                    waiting.push_back(row.target);
                }
            }
        }
    }
    let reached = reached.into_iter().enumerate();
    reached
        .filter_map(|(other, level)| Some((other, level?)))
        .collect()
}

impl EventIteration {
    /// Passes the breaking points of delayed values that fall on an instant, and finds those that they reach in turn. Result:
    /// the delays that give them.
    pub(crate) fn pass_breaks(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        observe: &mut Observation,
    ) -> BreakSources {
        if state.past.is_empty() {
            return BreakSources::new();
        }
        let mut passed: Vec<(usize, u32)> = (state.past.take_breaks(state.t).into_iter())
            .map(|one| (one.delay, one.level))
            .collect();
        for (delay, at) in dynamics.delay_places(state) {
            let levels = state.past.pass(delay, state.t, at);
            passed.extend(levels.into_iter().map(|level| (delay, level)));
        }
        for &(delay, level) in &passed {
            if level == 0 {
                let row = &self.plan.flow.rows[self.plan.flow.delays[delay]];
                observe.log.note(|| What::Echo {
                    relation: row.relation,
                    real: row.target,
                });
            }
            for &(other, more) in self.echoes.of(delay, &self.plan.model, &self.plan.flow) {
                state.past.break_at(other, state.t, level + more);
            }
        }
        passed.into_iter().map(|(delay, _)| delay).collect()
    }

    /// Notes the breaking points of an instant: where its changes make the arguments of delays jump, or bend them.
    ///
    /// Shapes: `echoes`: of [`Self::pass_breaks`].
    pub(crate) fn note_breaks(
        &mut self,
        state: &mut HybridState,
        dynamics: &Dynamics,
        reason: &EventCause,
        echoes: &BreakSources,
    ) {
        let delays = 0..self.plan.flow.delays.len();
        if delays.is_empty() || reason.is_empty() && !self.iteration.changed {
            return;
        }
        let touched = self.plan.touched_by(state, reason, echoes);
        for delay in delays {
            let own = self.plan.subsystem_of(delay);
            if touched.as_ref().is_some_and(|all| !all.contains(&own)) {
                continue;
            }
            let argument = self.plan.argument_of(delay);
            let [before, after] = [&self.before_jump, &state.reals].map(|reals| {
                let (model, constants) = (&self.plan.model, &self.plan.constants);
                model.value_at(argument, reals, constants, state.t)
            });
            let jumps =
                self.plan.is_jump(before, after) || self.jumps_within(state, dynamics, delay);
            state.past.break_at(delay, state.t, u32::from(!jumps));
        }
    }

    /// True if a staircase or another kink that jumps has turned in the argument of a delay: what it reads has the same
    /// values before and after.
    fn jumps_within(&mut self, state: &HybridState, dynamics: &Dynamics, delay: usize) -> bool {
        let row = self.plan.flow.delays[delay];
        let relation = self.plan.flow.rows[row].relation;
        let is_own = |owner: BorderSource| matches!(owner, BorderSource::RowKink(other, _) if other == relation);
        let crossed = self.iteration.crossed();
        let kinks = &dynamics.modes.at(dynamics.mode).mode.kinks;
        let turned = |border: &BorderId| {
            let mut shared = kinks.iter().filter(|kink| kink.view.border == *border);
            is_own(state.borders.owners[border.index()]) || shared.any(|kink| is_own(kink.owner))
        };
        let source = (&*self.plan.model, &self.plan.scan);
        let at = self.plan.scan.of_flow[row];
        crossed.iter().any(turned)
            && (self.row_programs.of(at, source, &self.plan.constants)).jumps()
    }
}

impl HybridState {
    /// Notes the breaking point at the start of a run: the arguments of delays have at least a kink there.
    pub(crate) fn note_first_breaks(&mut self, plan: &Plan) {
        let start = StartValues {
            reals: self.reals.clone(),
            constants: plan.constants.clone(),
        };
        for delay in 0..plan.flow.delays.len() {
            let row = &plan.flow.rows[plan.flow.delays[delay]];
            let relation = &plan.model.relations[row.relation.index()];
            let now = first_value(&plan.model, relation, &start);
            let level = u32::from(!plan.is_jump(self.past.newest(delay), now));
            self.past.break_at(delay, self.t, level);
            self.past.break_before(delay);
        }
    }
}

impl Plan {
    /// The subsystem of a delay.
    fn subsystem_of(&self, delay: usize) -> usize {
        (self.subsystems).of_real(self.flow.rows[self.flow.delays[delay]].target)
    }

    /// The subsystems in which an instant can change something; `None` is all of them.
    fn touched_by(
        &self,
        state: &HybridState,
        reason: &EventCause,
        echoes: &BreakSources,
    ) -> Option<SmallVec<[usize; 4]>> {
        // Ranges without borders are read at each instant; and what has no cause may be anywhere.
        if !self.unbordered.is_empty() || reason.is_empty() && echoes.is_empty() {
            return None;
        }
        let leaves = reason.leaves.iter().map(|(border, _)| *border);
        let lift = reason.lift.iter().map(|lift| lift.border);
        let borders = reason.borders.iter().copied().chain(leaves).chain(lift);
        // The first source of a border may be a measure, which nothing depends on.
        let borders = borders.filter_map(|border| {
            let owner = state.borders.owners[border.index()];
            match state
                .borders
                .form(border)
                .filter(|form| !form.terms.is_empty())
            {
                Some(form) => Some(Some(self.subsystems.of_real(form.terms[0].0))),
                None if owner.is_watched() => None,
                None => Some(self.subsystems.of_border(&state.borders, border)),
            }
        });
        let due = reason.due.iter();
        let due = due.map(|&id| self.subsystems.of_boolean(Boolean::Schedule(id)));
        let echoes = echoes.iter().map(|&delay| Some(self.subsystem_of(delay)));
        borders.chain(due).chain(echoes).collect()
    }

    fn argument_of(&self, delay: usize) -> ExprId {
        let row = &self.flow.rows[self.flow.delays[delay]];
        match self.model.relations[row.relation.index()].args[0] {
            Argument::Real(argument) => argument,
            Argument::Boolean(_) => unreachable!("the signature says that a number is delayed"),
        }
    }

    /// True if two values differ by more than the methods would leave.
    fn is_jump(&self, before: f64, after: f64) -> bool {
        let size = before.abs().max(after.abs());
        let tolerated = self.config.settings.rtol * size + self.config.atol;
        let rounding = SAME * size;
        (after - before).abs() > rounding.max(ROUNDING * tolerated)
    }
}
