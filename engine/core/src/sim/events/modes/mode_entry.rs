//! Mode entry: from booleans to a motion; the mode is found or made, and algebraic values are solved.

use std::sync::Arc;

use crate::lower::border::{BorderId, RangeViews, Side};
use crate::lower::flow::Action;
use crate::lower::mode::{Margin, Mode};
use crate::sim::RunFault;
use crate::sim::events::iteration::EventIteration;
use crate::sim::events::modes::evaluation::algebraic_loops::ValueFault;
use crate::sim::events::modes::evaluation::evaluator::Evaluator;
use crate::sim::events::motion::Dynamics;
use crate::sim::events::observe::Observation;
use crate::sim::events::run::fault::{mode_fault, step_fault, value_fault};
use crate::sim::events::state::HybridState;
use crate::sim::events::state::discrete_state::DiscreteState;
use situ_solve::StepError;
use smallvec::SmallVec;

/// Rounds in which the branches of kinks, and the mode that has them, must come to rest.
const KINK_ROUNDS: usize = 8;

fn index_of(at: usize) -> u32 {
    u32::try_from(at).expect("fewer than 2^32 rows")
}

impl EventIteration {
    /// Finds the mode of the present booleans, with its kinks on the branches that the values ask for; borders met for
    /// the first time take the side on which the state is.
    pub(crate) fn find_mode_by_value(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        observe: &mut Observation,
    ) -> Result<(), RunFault> {
        for _ in 0..KINK_ROUNDS {
            self.find_mode(state, dynamics, observe)?;
            let branched = self.find_branches(state, dynamics, observe, dynamics.mode)?;
            if !(self.follow_unwatched(state, dynamics)? || branched) {
                break;
            }
        }
        Ok(())
    }

    /// Bounds of states and edges of domains that the motion up to here has not watched, since their rows did not act, are on
    /// the sides of their values; so are bounds that a jump has left and whose margins are known in their mode only. Whether
    /// any side has changed.
    fn follow_unwatched(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
    ) -> Result<bool, RunFault> {
        let mode = Arc::clone(&dynamics.modes.at(dynamics.mode).mode);
        let watched = Arc::clone(&dynamics.modes.at(dynamics.motion.mode).mode);
        let is_anew = |border: BorderId| watched.margin(border).is_none();
        let is_bound = |margin: &&Margin| {
            let mut bounds = margin.bounds.iter();
            bounds.any(|bound| dynamics.modes.has_bound(dynamics.mode, bound))
        };
        let bounds = mode.margins.iter().filter(is_bound);
        let bounds = bounds.map(|margin| margin.border);
        let is_unknown = |border: BorderId| state.borders.form(border).is_none();
        let bounds = bounds.filter(|border| is_anew(*border) || is_unknown(*border));
        let edges = mode.margins.iter().filter(|margin| margin.edge);
        let edges = edges.map(|margin| margin.border);
        let followed: SmallVec<[BorderId; 4]> = bounds
            .chain(edges.filter(|border| is_anew(*border)))
            .collect();
        // Where the mode has no values, that is told when it is entered.
        if followed.is_empty() || dynamics.margins_in(state, dynamics.mode).is_err() {
            return Ok(false);
        }
        let evaluator = dynamics.modes.at(dynamics.mode);
        let margin = |border: BorderId| Some((border, evaluator.z_first(border)?[0]));
        let margins: SmallVec<[(BorderId, f64); 4]> =
            followed.into_iter().filter_map(margin).collect();
        let mut changed = false;
        for (border, z) in margins {
            let (index, side) = (border.index(), Side::of(z));
            if z == 0.0 {
                state.discrete.flags.set(index, true);
                continue;
            }
            let turns = side != Side::On && side != state.discrete.sides[index];
            // On a bound that moves, errors take a state off it.
            if is_anew(border) || turns && dynamics.is_off(state, border, z)? {
                state.discrete.flags.set(index, false);
                changed |= turns;
                if turns {
                    self.set_side(state, dynamics, border, side);
                }
            }
        }
        Ok(changed)
    }

    /// Finds the mode of the present booleans and branches.
    pub(crate) fn find_mode(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        observe: &mut Observation,
    ) -> Result<(), RunFault> {
        let mode =
            match (dynamics.modes).met(&self.plan.flow, &state.borders.kinked, &state.discrete) {
                Some(met) => met,
                None => self.make_mode(state, dynamics, observe)?,
            };
        if self.plan.flow.views_vary && mode != dynamics.mode {
            self.write_views(state, dynamics, mode);
        }
        dynamics.mode = mode;
        dynamics.sides_stand = true;
        Ok(())
    }

    /// Writes the views of comparisons on their borders; the same in all modes, but for values that are the size of
    /// another here and held there.
    pub(crate) fn write_views(
        &mut self,
        state: &HybridState,
        dynamics: &mut Dynamics,
        mode: usize,
    ) {
        let mode = &dynamics.modes.at(mode).mode;
        take_views(mode, &mut dynamics.views.ranges);
        dynamics.views.watched.clone_from(&mode.watched);
        self.iteration.seen_anew = dynamics.mode_is_known;
        for readers in &mut dynamics.views.ranges_by_border {
            readers.clear();
        }
        dynamics
            .views
            .ranges_by_border
            .resize(state.borders.len(), SmallVec::new());
        for &(range, _, view) in &mode.comparisons {
            let readers = &mut dynamics.views.ranges_by_border[view.border.index()];
            if readers.last() != Some(&range.0) {
                readers.push(range.0);
            }
            if dynamics.mode_is_known {
                self.todo.ranges.insert(range.index());
            }
        }
        for readers in &mut dynamics.views.relays_by_border {
            readers.clear();
        }
        dynamics
            .views
            .relays_by_border
            .resize(state.borders.len(), SmallVec::new());
        let relays = self.plan.flow.rows.iter().enumerate();
        for (row, flow_row) in relays {
            if let Action::Relay(relay) = flow_row.action {
                for view in mode.relay_views.get(relay).into_iter().flatten() {
                    let at = index_of(self.plan.scan.of_flow[row]);
                    dynamics.views.relays_by_border[view.border.index()].push(at);
                }
            }
        }
        dynamics.mode_is_known = true;
    }

    /// The mode of the present booleans, which have not been met.
    pub(super) fn make_mode(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        observe: &mut Observation,
    ) -> Result<usize, RunFault> {
        let mut discrete = std::mem::take(&mut state.discrete);
        let made = self.mode_of(state, dynamics, observe, &mut discrete);
        state.discrete = discrete;
        made
    }

    fn mode_of(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        observe: &mut Observation,
        truths: &mut DiscreteState,
    ) -> Result<usize, RunFault> {
        let (mut known, mut known_steps) = (state.borders.len(), state.steps.len());
        let mut rounds = 0;
        loop {
            let mode = dynamics
                .modes
                .find(self.plan.source(), &mut state.borders, truths)
                .map_err(mode_fault)?;
            if state.borders.len() == known {
                return Ok(mode);
            }
            state.steps.resize(state.borders.staircases.len(), 0.0);
            if known == 0 {
                self.write_views(state, dynamics, mode);
            }
            if let Err(fault) = dynamics.enter_for_new_borders(state, mode, truths, known_steps) {
                // Other kinks of the loop may have jumped with what lets the new ones be seen.
                std::mem::swap(&mut state.discrete, truths);
                state.discrete.grow(&state.borders);
                let changed = self.find_branches(state, dynamics, observe, mode);
                std::mem::swap(&mut state.discrete, truths);
                rounds += 1;
                if changed? && rounds < KINK_ROUNDS {
                    continue;
                }
                return Err(value_fault(state.t, fault));
            }
            let evaluator = dynamics.modes.at(mode);
            let new = evaluator.mode.margins.iter().map(|margin| margin.border);
            for border in new.filter(|border| border.index() >= known) {
                let z = evaluator.z(border).unwrap_or_default();
                let [beyond, _] = evaluator.z_first(border).unwrap_or_default();
                truths.sides[border.index()] = Side::of(z);
                truths.flags.set(border.index(), beyond == 0.0);
            }
            (known, known_steps) = (state.borders.len(), state.steps.len());
        }
    }

    /// Enters the mode of the present booleans, or the mixture along a slide, and solves what follows
    /// from others.
    pub(crate) fn enter(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        observe: &mut Observation,
    ) -> Result<(), RunFault> {
        self.find_bound_mode(state, dynamics, observe)?;
        self.assemble_and_enter(state, dynamics, observe)
    }

    /// Finds the mode of the present booleans, and what binds the motion there.
    pub(crate) fn find_bound_mode(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        observe: &mut Observation,
    ) -> Result<(), RunFault> {
        self.find_mode_by_value(state, dynamics, observe)?;
        state.discrete.grow(&state.borders);
        self.know_borders(state);
        self.find_steps_beside(state, dynamics, observe)?;
        self.unbind_unseen(state, dynamics, observe)
    }
}

impl Dynamics {
    /// Evaluates a mode whose borders or staircases, some of them, are new, with the steps on which the latter are.
    fn enter_for_new_borders(
        &mut self,
        state: &mut HybridState,
        mode: usize,
        truths: &DiscreteState,
        known_steps: usize,
    ) -> Result<(), ValueFault> {
        let t = state.t;
        let evaluator = self.modes.get(mode);
        evaluator.enter(state.t, &state.reals, &truths.relays, &state.steps);
        evaluator.states(&state.reals, &mut self.y);
        evaluator.first_order(&state.past, t, &self.y, &[], &[])?;
        for stair in &evaluator.mode.stairs {
            if stair.staircase >= known_steps {
                let height = evaluator.value(stair.slot);
                state.steps[stair.staircase] = stair.stairs.at(height);
            }
        }
        if state.steps.len() > known_steps {
            evaluator.enter(state.t, &state.reals, &truths.relays, &state.steps);
            evaluator.first_order(&state.past, t, &self.y, &[], &[])?;
        }
        Ok(())
    }

    /// Brings the reals up to date with the motion at the present point.
    pub(crate) fn write_reals(&mut self, state: &mut HybridState) -> Result<(), RunFault> {
        let mut y = std::mem::take(&mut self.y);
        y.clear();
        y.extend(
            self.motion
                .states
                .iter()
                .map(|real| state.reals[real.index()]),
        );
        let (t, motion) = (state.t, &mut self.motion);
        let written = motion.write(&mut self.modes, &state.past, t, &y, &mut state.reals);
        self.y = y;
        written.map_err(|_| {
            let fault = self.motion.fault.take();
            fault.map_or_else(
                || step_fault(&self.motion, StepError::Start { t, component: None }),
                |fault| value_fault(t, fault),
            )
        })
    }

    /// Bounds the margins of the motion at the present point, and how fast they move.
    pub(crate) fn bound_margins(&mut self, state: &HybridState) -> Result<(), RunFault> {
        let t = state.t;
        let rates = self.rates_now(state)?;
        let evaluator = self.modes.get(self.motion.mode);
        evaluator.states(&state.reals, &mut self.y);
        evaluator
            .first_order(&state.past, t, &self.y, &rates, &[])
            .map_err(|fault| value_fault(t, fault))
    }

    /// The rates of the states, each with its rounding error, if the motion is bound to borders; empty if the mode knows
    /// them.
    pub(crate) fn rates_now(&mut self, state: &HybridState) -> Result<Vec<[f64; 2]>, RunFault> {
        if self.motion.is_free() {
            return Ok(Vec::new());
        }
        let states = self.motion.states.iter();
        let y: Vec<f64> = states.map(|real| state.reals[real.index()]).collect();
        let mut rates = vec![0.0; y.len()];
        let t = state.t;
        self.motion
            .rates(&mut self.modes, &state.past, t, &y, &mut rates)
            .map_err(|_| step_fault(&self.motion, StepError::Start { t, component: None }))?;
        Ok(self.motion.with_errors(&rates))
    }

    /// Evaluates the margins of the motion at the present point.
    pub(crate) fn margins_now(&mut self, state: &HybridState) -> Result<&Evaluator, RunFault> {
        let t = state.t;
        let evaluator = self.modes.get(self.motion.mode);
        if !evaluator.stands_at(t, &state.reals) {
            evaluator.states(&state.reals, &mut self.y);
            evaluator
                .evaluate_margins(&state.past, t, &self.y)
                .map_err(|fault| value_fault(t, fault))?;
        }
        Ok(evaluator)
    }
}

/// Writes the views that the comparisons of each range have of their borders in a mode.
pub(super) fn take_views(mode: &Mode, views: &mut [RangeViews]) {
    for views in &mut *views {
        views.clear();
    }
    for &(range, _, view) in &mode.comparisons {
        views[range.index()].push(view);
    }
}
