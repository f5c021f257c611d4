//! From truths to a motion: the mode is found or made, what follows from others is solved.

use crate::lower::border::{BorderId, RangeViews, Side};
use crate::lower::flow::Action;
use crate::lower::mode::Mode;
use crate::sim::RunFault;
use crate::sim::events::detect::Detection;
use crate::sim::events::detect::locators::Fence;
use crate::sim::events::iteration::EventIteration;
use crate::sim::events::iteration::event_iteration::Bound;
use crate::sim::events::modes::cache::Source;
use crate::sim::events::modes::evaluation::algebraic_loops::LoopFault;
use crate::sim::events::modes::evaluation::evaluator::Evaluator;
use crate::sim::events::motion::Dynamics;
use crate::sim::events::motion::contact_direction::Turning;
use crate::sim::events::motion::sliding::Slide;
use crate::sim::events::motion::system::Moving;
use crate::sim::events::motion::vector_field::Motion;
use crate::sim::events::observe::Observation;
use crate::sim::events::run::fault::{enter_fault, loop_fault, mode_fault, step_fault};
use crate::sim::events::state::HybridState;
use crate::sim::events::state::discrete_state::DiscreteState;
use situ_solve::slices::copy;
use situ_solve::{EnterError, Locate, StepError};
use smallvec::SmallVec;

/// The most borders along which the state can slide at once: there are 2^n modes around them.
const MAX_SLIDES: usize = 6;

/// Rounds in which the branches of kinks, and the mode that has them, must come to rest.
const KINK_ROUNDS: usize = 8;

fn index_of(at: usize) -> u32 {
    u32::try_from(at).expect("fewer than 2^32 rows")
}

impl EventIteration {
    /// Finds the mode of the present booleans, with its kinks on the branches that the values ask for; borders met for
    /// the first time take the side on which the state is.
    fn find_mode_by_value(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        observe: &mut Observation,
    ) -> Result<(), RunFault> {
        for _ in 0..KINK_ROUNDS {
            self.find_mode(state, dynamics, observe)?;
            if !self.find_branches(state, dynamics, observe, dynamics.mode)? {
                break;
            }
        }
        Ok(())
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

    /// How comparisons see their borders; the same in all modes, but for values that are the size of
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
            let source = Source {
                model: &self.plan.model,
                flow: &self.plan.flow,
                watched: &self.plan.watched,
                constants: &self.plan.constants,
            };
            let mode = dynamics
                .modes
                .find(source, &mut state.borders, truths)
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
                return Err(loop_fault(state.t, fault));
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

    /// Enters the mode of the present truths, or the mixture along a slide, and solves what follows
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

    /// Finds the mode of the present truths, and what binds the motion there.
    pub(crate) fn find_bound_mode(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        observe: &mut Observation,
    ) -> Result<(), RunFault> {
        self.find_mode_by_value(state, dynamics, observe)?;
        state.discrete.grow(&state.borders);
        self.know_borders(state);
        self.unbind_unseen(state, dynamics, observe)
    }

    /// Whether the modes around a border look at it; with one more border on a side, if asked for.
    fn is_seen(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        observe: &mut Observation,
        border: BorderId,
        other: Option<(BorderId, Side)>,
    ) -> Result<bool, RunFault> {
        let mut seen = true;
        for side in [Side::Minus, Side::Plus] {
            let on: SmallVec<[(BorderId, Side); 2]> =
                [(border, side)].into_iter().chain(other).collect();
            let mode = self.mode_on(state, dynamics, observe, &on)?;
            seen &= dynamics.modes.at(mode).mode.margin(border).is_some();
        }
        Ok(seen)
    }

    /// Where the modes around do not look at a border any more, nothing is bound to it.
    fn unbind_unseen(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        observe: &mut Observation,
    ) -> Result<(), RunFault> {
        if dynamics.bound.is_free() {
            return Ok(());
        }
        let bound: SmallVec<[BorderId; 4]> = dynamics.bound.borders().collect();
        for border in bound {
            if !self.is_seen(state, dynamics, observe, border, None)? {
                self.let_go(
                    state,
                    dynamics,
                    observe,
                    border,
                    state.discrete.sides[border.index()],
                );
            }
        }
        Ok(())
    }

    /// The motion from the present point that is bound to the borders to which the state is.
    pub(crate) fn assemble_bound(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        observe: &mut Observation,
    ) -> Result<Motion, RunFault> {
        let bound = std::mem::take(&mut dynamics.bound);
        let motion = self.assemble(state, dynamics, observe, &bound, None);
        dynamics.bound = bound;
        motion
    }

    /// The motion from the present point that is bound to borders; with one more border on a side
    /// that it does not have, if asked for.
    pub(crate) fn assemble(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        observe: &mut Observation,
        bound: &Bound,
        other: Option<(BorderId, Side)>,
    ) -> Result<Motion, RunFault> {
        let mut bound = bound.clone();
        if other.is_some() {
            for border in bound.borders().collect::<Vec<_>>() {
                if !self.is_seen(state, dynamics, observe, border, other)? {
                    bound.slides.retain(|slide| *slide != border);
                    bound.rest.retain(|push| push.border != border);
                    bound.lambda.clear();
                }
            }
        }
        let m = bound.slides.len();
        if m > MAX_SLIDES {
            return Err(RunFault::Chattering {
                time: state.t,
                ranges: dynamics.ranges_on(bound.slides[0]),
            });
        }
        let (mode, slide) = if m == 0 {
            let mode = match other {
                None => dynamics.mode,
                Some((border, side)) => {
                    self.mode_beside(state, dynamics, observe, &[(border, side)])?
                        .0
                }
            };
            (mode, None)
        } else {
            let mut corners = Vec::with_capacity(1 << m);
            let mut sides = Vec::with_capacity(1 << m);
            for corner in 0..1_usize << m {
                let mut on: Vec<(BorderId, Side)> = bound
                    .slides
                    .iter()
                    .enumerate()
                    .map(|(bit, &border)| {
                        let above = corner >> bit & 1 == 1;
                        (border, if above { Side::Plus } else { Side::Minus })
                    })
                    .collect();
                on.extend(other);
                let (mode, taken) = self.mode_beside(state, dynamics, observe, &on)?;
                corners.push(mode);
                sides.push(taken);
            }
            let sides: Vec<Vec<Side>> = sides
                .into_iter()
                .map(|taken| {
                    let mut all = state.discrete.sides.clone();
                    all.resize(state.borders.len(), Side::Plus);
                    for (border, side) in taken {
                        all[border.index()] = side;
                    }
                    all
                })
                .collect();
            let split = state.split_kinks(&bound.slides, &sides);
            for &corner in &corners {
                let evaluator = dynamics.modes.get(corner);
                evaluator.enter(&state.reals, &state.discrete.relays, &state.steps);
            }
            let source = Source {
                model: &self.plan.model,
                flow: &self.plan.flow,
                watched: &self.plan.watched,
                constants: &self.plan.constants,
            };
            let mixture = dynamics
                .modes
                .mixture(source, &mut state.borders, &corners, &sides)
                .map_err(mode_fault)?;
            state.discrete.grow(&state.borders);
            (mixture, Some(Slide::new(&bound, corners, split)))
        };
        let evaluator = dynamics.modes.get(mode);
        evaluator.enter(&state.reals, &state.discrete.relays, &state.steps);
        let rest = bound.rest.clone();
        let mut motion = Motion::new(&dynamics.modes, mode, slide, rest, &state.reals);
        motion.turning = Turning::new(&motion.rest, &self.plan.model, &self.plan.constants);
        Ok(motion)
    }

    /// Makes the motion from the present point and solves what follows from others.
    pub(crate) fn assemble_and_enter(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        observe: &mut Observation,
    ) -> Result<(), RunFault> {
        if dynamics.bound.is_free() {
            let evaluator = dynamics.modes.get(dynamics.mode);
            evaluator.enter(&state.reals, &state.discrete.relays, &state.steps);
            dynamics.motion.set_free(&dynamics.modes, dynamics.mode);
            return dynamics.write_reals(state);
        }
        dynamics.motion = self.assemble_bound(state, dynamics, observe)?;
        dynamics.write_reals(state)
    }

    /// Where rounding has left the state behind a border at which values end, as that of `sqrt(abs(x))` at x = 0 does
    /// on either branch, it is brought onto the side on which the motion goes on.
    fn step_into_domain(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        observe: &mut Observation,
    ) -> Result<(), RunFault> {
        if !dynamics.motion.is_free() || !dynamics.modes.at(dynamics.motion.mode).has_roots() {
            return Ok(());
        }
        if dynamics.is_defined_here(state) {
            return Ok(());
        }
        let mut borders: SmallVec<[BorderId; 4]> = SmallVec::new();
        (state.discrete.flags).each_one(|index| borders.push(BorderId::new(index)));
        for border in borders {
            let Some(along) = dynamics.way_up(border) else {
                continue;
            };
            let z = dynamics.z_now(state, border)?;
            let size = along
                .iter()
                .map(|(real, part)| state.reals[real.index()].abs() * f64::EPSILON / part.abs());
            let beyond = size.fold(z.abs(), f64::max).max(f64::MIN_POSITIVE);
            let to = match state.discrete.sides[border.index()] {
                Side::Minus => -beyond,
                Side::On => 0.0,
                Side::Plus => beyond,
            };
            let moved = state.reals.clone();
            state.shift(&along, to - z);
            if dynamics.is_defined_here(state) {
                return self.assemble_and_enter(state, dynamics, observe);
            }
            state.reals = moved;
        }
        Ok(())
    }

    /// Whether the motion is the one that ended in this instant: in the same mode, from the same reals.
    pub(crate) fn motion_is_untouched(&self, state: &HybridState, dynamics: &Dynamics) -> bool {
        let same_mode = state.past.is_empty()
            && !self.iteration.stepped
            && dynamics.bound.is_free()
            && dynamics.motion.is_free()
            && dynamics.motion.mode == dynamics.mode
            && dynamics.moved_in == Some(dynamics.mode);
        let mode = &dynamics.modes.at(dynamics.mode).mode;
        let mut read = mode.inputs.iter().map(|real| real.index());
        same_mode && read.all(|real| state.reals[real] == self.before_jump[real])
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
    ) -> Result<(), LoopFault> {
        let t = state.t;
        let evaluator = self.modes.get(mode);
        evaluator.enter(&state.reals, &truths.relays, &state.steps);
        evaluator.states(&state.reals, &mut self.y);
        evaluator.first_order(&state.past, t, &self.y, &[], &[])?;
        for index in known_steps..state.steps.len() {
            let low = state.borders.staircases[index].low;
            state.steps[index] = evaluator.z(low).unwrap_or_default().floor();
        }
        if state.steps.len() > known_steps {
            evaluator.enter(&state.reals, &truths.relays, &state.steps);
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
                |fault| loop_fault(t, fault),
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
            .map_err(|fault| loop_fault(t, fault))
    }

    /// The rates of the states if the motion is bound to borders; empty if the mode knows them.
    pub(crate) fn rates_now(&mut self, state: &HybridState) -> Result<Vec<f64>, RunFault> {
        let mut rates = Vec::new();
        if self.motion.is_free() {
            return Ok(rates);
        }
        let states = self.motion.states.iter();
        let y: Vec<f64> = states.map(|real| state.reals[real.index()]).collect();
        rates.resize(y.len(), 0.0);
        let t = state.t;
        self.motion
            .rates(&mut self.modes, &state.past, t, &y, &mut rates)
            .map_err(|_| step_fault(&self.motion, StepError::Start { t, component: None }))?;
        Ok(rates)
    }

    /// Evaluates the margins of the motion at the present point.
    pub(crate) fn margins_now(&mut self, state: &HybridState) -> Result<&Evaluator, RunFault> {
        let t = state.t;
        let evaluator = self.modes.get(self.motion.mode);
        if !evaluator.stands_at(t, &state.reals) {
            evaluator.states(&state.reals, &mut self.y);
            evaluator
                .evaluate_margins(&state.past, t, &self.y)
                .map_err(|fault| loop_fault(t, fault))?;
        }
        Ok(evaluator)
    }

    /// Whether the motion is that of the present mode already, so that entering it again at the point
    /// where it was entered before would change nothing.
    pub(crate) fn stands_in_mode(&self, state: &HybridState) -> bool {
        let plain = state.borders.staircases.is_empty() && state.past.is_empty();
        plain
            && self.bound.is_free()
            && self.motion.is_free()
            && self.motion.mode == self.mode
            && !self.modes.at(self.mode).has_loops()
    }

    /// Whether the present mode gives finite rates for the present state.
    fn is_defined_here(&mut self, state: &HybridState) -> bool {
        let mut y = std::mem::take(&mut self.y);
        let evaluator = self.modes.get(self.motion.mode);
        evaluator.states(&state.reals, &mut y);
        let defined = evaluator.is_defined(&state.past, state.t, &y);
        self.y = y;
        defined
    }
}

impl Detection {
    /// The absolute tolerances of the states.
    pub(crate) fn write_tolerances(&mut self, dynamics: &Dynamics) {
        let mut atol = std::mem::take(&mut self.atol);
        atol.clear();
        atol.extend(
            dynamics
                .motion
                .states
                .iter()
                .map(|&real| self.plan.atol_of(real)),
        );
        self.atol = atol;
    }

    /// Begins to move. `entered`: the motion has been entered at the present point, and looking at others
    /// since has changed nothing in it.
    pub(crate) fn begin(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        events: &mut EventIteration,
        observe: &mut Observation,
        entered: bool,
    ) -> Result<(), RunFault> {
        if self.cut_at.take().is_some() {
            self.stepper.cut();
        }
        self.rest.from = 0.0;
        if !entered {
            // Looking at other sides may have left other values in the modes that are shared.
            events.assemble_and_enter(state, dynamics, observe)?;
            state.check_motion(&self.plan)?;
        }
        events.note_slide_through(state, dynamics, observe);
        events.step_into_domain(state, dynamics, observe)?;
        copy(&mut state.begun.reals, &state.reals);
        if state.begun.bound != dynamics.bound {
            state.begun.bound.clone_from(&dynamics.bound);
        }
        let states = dynamics.motion.states.iter();
        let mut y = std::mem::take(&mut dynamics.y);
        y.clear();
        y.extend(states.map(|real| state.reals[real.index()]));
        state.past.step_from(state.t);
        let free = dynamics.motion.is_free().then_some(dynamics.motion.mode);
        let same = free.is_some() && free == dynamics.moved_in;
        dynamics.moved_in = free;
        if !same {
            self.write_tolerances(dynamics);
        }
        let mut departures = std::mem::take(&mut self.room);
        let flagged = !same && state.discrete.flags.any();
        if self.beyond.wanted || flagged {
            let flags = state.discrete.flags.clone();
            dynamics.departures(state, &mut departures)?;
            state.discrete.flags = flags;
        }
        let closely = flagged && departures.leaves().any(|(.., zeros)| zeros >= 2);
        let slack = match self.beyond.wanted {
            true => dynamics.slacks(state, &departures)?,
            false => SmallVec::new(),
        };
        let mut moving = Moving {
            motion: &mut dynamics.motion,
            modes: &mut dynamics.modes,
            past: &state.past,
            fence: self.beyond.wanted.then_some(Fence {
                departures: &departures,
                only_watched: &state.borders.only_watched,
                slack: &slack,
                committed: Some(state.t),
                refuses: self.plan.config.locate == Locate::OneSided,
                quiet: &state.quiet,
                beyond: &mut self.beyond.count,
            }),
        };
        let entered = if std::mem::take(&mut events.smooth) {
            (self.stepper).enter_smoothly(&mut moving, state.t, &y, &self.atol)
        } else if same {
            let entered = self.stepper.reenter(&mut moving, state.t, &y);
            entered.map_err(EnterError::Step)
        } else if closely {
            self.stepper
                .enter_closely(&mut moving, state.t, &y, &self.atol)
        } else {
            self.stepper.enter(&mut moving, state.t, &y, &self.atol)
        };
        entered.map_err(|error| enter_fault(&dynamics.motion, error))?;
        self.room = departures;
        dynamics.y = y;
        observe.note_combination(state, dynamics);
        Ok(())
    }

    /// Whether an instant inside of a step has left the motion as it was. Then the step goes on:
    /// begun anew it would begin with the errors of the dense output, which the rates of a stiff motion magnify.
    /// Events that hang on these errors would fire again and again.
    pub(crate) fn goes_on_in_step(
        &mut self,
        state: &mut HybridState,
        dynamics: &Dynamics,
        events: &EventIteration,
        observe: &mut Observation,
    ) -> bool {
        let Some(theta) = self.cut_at else {
            return false;
        };
        let plain = !self.stepper.has_fixed_steps() && self.plan.config.locate == Locate::Root;
        if !(plain && events.motion_is_untouched(state, dynamics)) {
            return false;
        }
        if self.rest.from == 0.0 {
            std::mem::swap(&mut self.whole_step, &mut self.dense);
        }
        self.rest.from += (1.0 - self.rest.from) * theta;
        self.rest.begin = state.t;
        self.cut_at = None;
        for border in events.iteration.crossed() {
            let side = state.discrete.sides[border.index()];
            state.leaving.push((border, side, 1));
        }
        observe.note_combination(state, dynamics);
        true
    }
}

impl Observation {
    /// Coverage sees the booleans that stand, and the rows that are active.
    fn note_combination(&mut self, state: &HybridState, dynamics: &Dynamics) {
        let mode = match &dynamics.motion.slide {
            None => dynamics.motion.mode,
            Some(_) => dynamics.mode,
        };
        let rows = self.plan.flow.rows.iter().zip(dynamics.modes.active(mode));
        let active = rows
            .filter(|(_, active)| **active)
            .map(|(row, _)| row.relation);
        self.seen.change(&self.words, mode, active, state.t);
    }
}

/// How the comparisons of each range see their borders in a mode.
pub(super) fn take_views(mode: &Mode, views: &mut [RangeViews]) {
    for views in &mut *views {
        views.clear();
    }
    for &(range, _, view) in &mode.comparisons {
        views[range.index()].push(view);
    }
}
