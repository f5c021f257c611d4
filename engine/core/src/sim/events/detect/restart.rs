//! Restart of the integration method after events, or the rest of its step where nothing has touched the motion.

use crate::ids::RealId;
use crate::lower::border::{BorderId, Side};
use crate::lower::mode::{Mode, Segment};
use crate::sim::RunFault;
use crate::sim::events::detect::Detection;
use crate::sim::events::detect::locators::DomainGuard;
use crate::sim::events::iteration::EventIteration;
use crate::sim::events::modes::evaluation::guess::Look;
use crate::sim::events::modes::kink_branches::SAME_SOLUTION;
use crate::sim::events::motion::Dynamics;
use crate::sim::events::motion::system::Moving;
use crate::sim::events::observe::Observation;
use crate::sim::events::run::fault::enter_fault;
use crate::sim::events::state::HybridState;
use crate::sim::state::defect::{StateDefect, StateError, must};
use situ_solve::slices::copy;
use situ_solve::{Candidate, EnterError, Locate};
use smallvec::SmallVec;

/// A step that reads itself through a short delay is tried so often with what it gave the last time.
pub(super) const MOST_TRIALS: u32 = 12;

/// A state beyond a border is moved onto its side by so many times its rounding error, or less.
const FURTHEST: f64 = 1e4;

impl Detection {
    /// Makes the method's step again of which a run goes on with the rest.
    ///
    /// # Errors
    ///
    /// There is no such step.
    pub(crate) fn make_whole_step(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
    ) -> Result<(), StateError> {
        state.past.forget_ahead();
        dynamics.watch_marks(state);
        let mut trials = 0;
        let mut again: Option<Candidate> = None;
        loop {
            let mut moving = Moving {
                motion: &mut dynamics.motion,
                modes: &mut dynamics.modes,
                past: &state.past,
                fence: None,
            };
            let made = match again.take() {
                Some(before) => self.stepper.attempt_again(&mut moving, &before),
                None => self.stepper.attempt(&mut moving, self.rest.limit),
            };
            again = made.ok();
            must(again.is_some(), StateDefect::Step)?;
            let dense = self.stepper.take_dense(&mut moving, &mut self.dense);
            must(dense.is_ok(), StateDefect::Step)?;
            if self.is_settled(state, dynamics, &mut trials) {
                std::mem::swap(&mut self.dense, &mut self.whole_step);
                return Ok(());
            }
            must(trials <= MOST_TRIALS, StateDefect::Step)?;
        }
    }

    /// True if a step that was tried has read what it gives, where it has read anything of itself.
    pub(super) fn is_settled(
        &self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        trials: &mut u32,
    ) -> bool {
        *trials += 1;
        // Values that move nothing are read within the step as well.
        dynamics.read_end(state, &self.dense);
        if state.past.is_behind() {
            return true;
        }
        let pieces = dynamics.pieces(state, &self.dense, self.dense.t1());
        let config = &self.plan.config;
        let tolerances = [config.settings.rtol, config.atol];
        state.past.set_ahead(pieces, tolerances)
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
            state.progress.steps += 1;
        }
        self.rest.from = 0.0;
        self.divisors.forget();
        dynamics.forget_variants(observe);
        if !entered {
            // Looking at other sides may have left other values in the modes that are shared.
            events.assemble_and_enter(state, dynamics, observe)?;
            state.check_motion(&self.plan)?;
        }
        dynamics.check_bounds(state, Look::Everywhere)?;
        events.note_slide_through(state, dynamics, observe);
        // Elsewhere values that are not finite have been found where they were settled.
        if dynamics.modes.at(dynamics.motion.mode).has_roots() {
            events.step_into_domain(state, dynamics, observe)?;
        }
        copy(&mut state.begun.reals, &state.reals);
        // From here loops are solved in a run that is taken up.
        let evaluator = dynamics.modes.get(dynamics.motion.mode);
        evaluator.guess_from(state.t, &state.reals);
        if state.begun.bound != dynamics.bound {
            state.begun.bound.clone_from(&dynamics.bound);
        }
        let method = self.plan.config.settings.method;
        dynamics.motion.set_algebraic(&dynamics.modes, method);
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
        let mut y = std::mem::take(&mut dynamics.y);
        y.clear();
        let components = dynamics.motion.components();
        y.extend(components.map(|real| state.reals[real.index()]));
        let mut moving = Moving {
            motion: &mut dynamics.motion,
            modes: &mut dynamics.modes,
            past: &state.past,
            fence: self.beyond.wanted.then_some(DomainGuard {
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

    /// True if an instant inside of a step has left the motion as it was. Then the step goes on:
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
            copy(&mut self.rest.guess, &self.step_start.reals);
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

    /// The absolute tolerances of the states.
    pub(crate) fn write_tolerances(&mut self, dynamics: &Dynamics) {
        let mut atol = std::mem::take(&mut self.atol);
        atol.clear();
        let components = dynamics.motion.components();
        atol.extend(components.map(|real| self.plan.atol_of(real)));
        self.atol = atol;
    }
}

impl EventIteration {
    /// True if the motion is the one that ended in this instant: in the same mode, from the same reals.
    pub(crate) fn motion_is_untouched(&self, state: &HybridState, dynamics: &Dynamics) -> bool {
        let same_mode = state.past.is_empty()
            && !self.iteration.stepped
            && dynamics.bound.is_free()
            && dynamics.motion.is_free()
            && dynamics.motion.mode == dynamics.mode
            && dynamics.moved_in == Some(dynamics.mode);
        let mode = &dynamics.modes.at(dynamics.mode).mode;
        let mut read = mode.inputs.iter().map(|real| real.index());
        same_mode
            && read.all(|real| state.reals[real] == self.before_jump[real])
            && !self.has_other_solution(state, mode)
    }

    /// True if rows that are solved went over to another solution in this instant, by more than its rounding.
    fn has_other_solution(&self, state: &HybridState, mode: &Mode) -> bool {
        let loops = mode.all.iter().filter_map(|segment| match segment {
            Segment::Loop(inner) => Some(&inner.unknowns),
            Segment::Ops(_) => None,
        });
        let unknowns = loops.flatten();
        // Signed roots follow from what they are roots of.
        let mut reals = unknowns.filter(|(_, real)| real.index() < state.reals.len());
        reals.any(|&(_, real)| {
            let [before, now] = [self.before_jump[real.index()], state.reals[real.index()]];
            let size = before.abs().max(now.abs());
            (now - before).abs() > self.plan.atol_of(real) + SAME_SOLUTION * size
        })
    }

    /// Moves a state that rounding left beyond a border at which values end, as those of `sqrt(abs(x))` and `ln(abs(x))` at
    /// x = 0 do on either branch, onto the side on which the motion goes on; the time, where it alone moves x.
    pub(crate) fn step_into_domain(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        observe: &mut Observation,
    ) -> Result<(), RunFault> {
        if !dynamics.motion.is_free() || dynamics.is_defined_here(state) {
            return Ok(());
        }
        let mut borders: SmallVec<[BorderId; 4]> = SmallVec::new();
        (state.discrete.flags).each_one(|index| borders.push(BorderId::new(index)));
        for border in borders {
            let stood = (state.t, state.reals.clone());
            let z = dynamics.z_now(state, border)?;
            let straight = dynamics.way_up(border);
            let Some(along) = straight.or_else(|| dynamics.way_by_slopes(state, border)) else {
                continue;
            };
            let size = along
                .iter()
                .map(|(real, part)| state.reals[real.index()].abs() * f64::EPSILON / part.abs());
            let beyond = size.fold(z.abs(), f64::max).max(f64::MIN_POSITIVE);
            let sign = match state.discrete.sides[border.index()] {
                Side::Minus => -1.0,
                Side::On => 0.0,
                Side::Plus => 1.0,
            };
            // Of a margin that is no sum of states the rounding error is not known.
            let mut further = 1.0;
            while further < FURTHEST {
                match along.is_empty() {
                    true => state.t += further * f64::EPSILON * state.t.abs(),
                    false => state.shift(&along, sign * further * beyond - z),
                }
                if dynamics.is_defined_here(state) {
                    return self.assemble_and_enter(state, dynamics, observe);
                }
                (state.t, state.reals) = stood.clone();
                further *= 4.0;
            }
        }
        Ok(())
    }
}

impl Dynamics {
    /// Forgets variants of modes that are not in use, if there are many.
    fn forget_variants(&mut self, observe: &Observation) {
        let slide = self.motion.slide.as_ref();
        let corners = slide.map_or(&[][..], |slide| &slide.corners);
        let (mode, motion, branches) = (self.mode, self.motion.mode, self.branches.0);
        let moved_in = self.moved_in;
        self.modes.forget_variants(|other| {
            [mode, motion, branches].contains(&other)
                || moved_in == Some(other)
                || observe.seen.is_in(other)
                || corners.contains(&other)
        });
    }

    /// The way of the states along which the z of a border that is no sum of them grows by 1, to first order; empty if the
    /// time alone moves it.
    fn way_by_slopes(
        &mut self,
        state: &HybridState,
        border: BorderId,
    ) -> Option<Vec<(RealId, f64)>> {
        let mode = self.motion.mode;
        let gradient = self.gradient(state, border, mode).ok()?;
        let slopes = gradient.into_iter().filter(|(_, slope)| *slope != 0.0);
        let slopes: Vec<(usize, f64)> = slopes.collect();
        let square: f64 = slopes.iter().map(|(_, slope)| slope * slope).sum();
        let states = &self.motion.states;
        let along = slopes.into_iter();
        let along = along.map(|(at, slope)| (states[at], slope / square));
        Some(along.collect())
    }

    /// True if the present mode gives finite rates and values for the present state.
    fn is_defined_here(&mut self, state: &HybridState) -> bool {
        let mut y = std::mem::take(&mut self.y);
        let evaluator = self.modes.get(self.motion.mode);
        evaluator.states(&state.reals, &mut y);
        let has_rates = evaluator.is_defined(&state.past, state.t, &y);
        let mut values = evaluator.mode.algebraic.iter();
        let defined = has_rates && values.all(|(_, slot)| evaluator.value(*slot).is_finite());
        self.y = y;
        defined
    }
}

impl Observation {
    /// Coverage sees the booleans that stand, and the rows that are active.
    pub(crate) fn note_combination(&mut self, state: &HybridState, dynamics: &Dynamics) {
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
