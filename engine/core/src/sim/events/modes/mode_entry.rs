//! From truths to a motion: the mode is found or made, what follows from others is solved.

use crate::lower::border::{BorderId, RangeViews, Side};
use crate::lower::flow::Action;
use crate::lower::mode::Mode;
use crate::sim::RunFault;
use crate::sim::events::detect::locators::Fence;
use crate::sim::events::iteration::event_iteration::Bound;
use crate::sim::events::modes::algebraic_loops::LoopFault;
use crate::sim::events::modes::cache::Source;
use crate::sim::events::modes::evaluator::Evaluator;
use crate::sim::events::motion::contact_direction::Turning;
use crate::sim::events::motion::sliding::Slide;
use crate::sim::events::motion::vector_field::{Motion, Moving};
use crate::sim::events::run::Hybrid;
use crate::sim::events::run::fault::{enter_fault, loop_fault, mode_fault, step_fault};
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

impl Hybrid {
    /// Finds the mode of the present booleans, with its kinks on the branches that the values ask for; borders met for
    /// the first time take the side on which the state is.
    fn find_mode_by_value(&mut self) -> Result<(), RunFault> {
        for _ in 0..KINK_ROUNDS {
            self.find_mode()?;
            if !self.find_branches(self.dynamics.mode)? {
                break;
            }
        }
        Ok(())
    }

    /// Finds the mode of the present booleans and branches.
    pub(crate) fn find_mode(&mut self) -> Result<(), RunFault> {
        let mode = match (self.dynamics.modes).met(
            &self.plan.flow,
            &self.state.borders.kinked,
            &self.state.discrete,
        ) {
            Some(met) => met,
            None => self.make_mode()?,
        };
        if self.plan.flow.views_vary && mode != self.dynamics.mode {
            self.write_views(mode);
        }
        self.dynamics.mode = mode;
        self.dynamics.sides_stand = true;
        Ok(())
    }

    /// How comparisons see their borders; the same in all modes, but for values that are the size of
    /// another here and held there.
    pub(crate) fn write_views(&mut self, mode: usize) {
        let mode = &self.dynamics.modes.at(mode).mode;
        take_views(mode, &mut self.dynamics.views.ranges);
        self.dynamics.views.watched.clone_from(&mode.watched);
        self.events.iteration.seen_anew = self.dynamics.mode_is_known;
        for readers in &mut self.dynamics.views.ranges_by_border {
            readers.clear();
        }
        self.dynamics
            .views
            .ranges_by_border
            .resize(self.state.borders.len(), SmallVec::new());
        for &(range, _, view) in &mode.comparisons {
            let readers = &mut self.dynamics.views.ranges_by_border[view.border.index()];
            if readers.last() != Some(&range.0) {
                readers.push(range.0);
            }
            if self.dynamics.mode_is_known {
                self.events.todo.ranges.insert(range.index());
            }
        }
        for readers in &mut self.dynamics.views.relays_by_border {
            readers.clear();
        }
        self.dynamics
            .views
            .relays_by_border
            .resize(self.state.borders.len(), SmallVec::new());
        let relays = self.plan.flow.rows.iter().enumerate();
        for (row, flow_row) in relays {
            if let Action::Relay(relay) = flow_row.action {
                for view in mode.relay_views.get(relay).into_iter().flatten() {
                    let at = index_of(self.plan.scan.of_flow[row]);
                    self.dynamics.views.relays_by_border[view.border.index()].push(at);
                }
            }
        }
        self.dynamics.mode_is_known = true;
    }

    /// The mode of the present booleans, which have not been met.
    pub(super) fn make_mode(&mut self) -> Result<usize, RunFault> {
        let mut discrete = std::mem::take(&mut self.state.discrete);
        let made = self.mode_of(&mut discrete);
        self.state.discrete = discrete;
        made
    }

    fn mode_of(&mut self, truths: &mut DiscreteState) -> Result<usize, RunFault> {
        let (mut known, mut known_steps) = (self.state.borders.len(), self.state.steps.len());
        let mut rounds = 0;
        loop {
            let source = Source {
                model: &self.plan.model,
                flow: &self.plan.flow,
                watched: &self.plan.watched,
                constants: &self.plan.constants,
            };
            let mode = self
                .dynamics
                .modes
                .find(source, &mut self.state.borders, truths)
                .map_err(mode_fault)?;
            if self.state.borders.len() == known {
                return Ok(mode);
            }
            self.state
                .steps
                .resize(self.state.borders.staircases.len(), 0.0);
            if known == 0 {
                self.write_views(mode);
            }
            if let Err(fault) = self.enter_for_new_borders(mode, truths, known_steps) {
                // Other kinks of the loop may have jumped with what lets the new ones be seen.
                std::mem::swap(&mut self.state.discrete, truths);
                self.state.discrete.grow(&self.state.borders);
                let changed = self.find_branches(mode);
                std::mem::swap(&mut self.state.discrete, truths);
                rounds += 1;
                if changed? && rounds < KINK_ROUNDS {
                    continue;
                }
                return Err(loop_fault(self.state.t, fault));
            }
            let evaluator = self.dynamics.modes.at(mode);
            let new = evaluator.mode.margins.iter().map(|margin| margin.border);
            for border in new.filter(|border| border.index() >= known) {
                let z = evaluator.z(border).unwrap_or_default();
                let [beyond, _] = evaluator.z_first(border).unwrap_or_default();
                truths.sides[border.index()] = Side::of(z);
                truths.flags.set(border.index(), beyond == 0.0);
            }
            (known, known_steps) = (self.state.borders.len(), self.state.steps.len());
        }
    }

    /// Evaluates a mode whose borders or staircases, some of them, are new, with the steps on which the latter are.
    fn enter_for_new_borders(
        &mut self,
        mode: usize,
        truths: &DiscreteState,
        known_steps: usize,
    ) -> Result<(), LoopFault> {
        let t = self.state.t;
        let evaluator = self.dynamics.modes.get(mode);
        evaluator.enter(&self.state.reals, &truths.relays, &self.state.steps);
        evaluator.states(&self.state.reals, &mut self.dynamics.y);
        evaluator.first_order(&self.state.past, t, &self.dynamics.y, &[], &[])?;
        for index in known_steps..self.state.steps.len() {
            let low = self.state.borders.staircases[index].low;
            self.state.steps[index] = evaluator.z(low).unwrap_or_default().floor();
        }
        if self.state.steps.len() > known_steps {
            evaluator.enter(&self.state.reals, &truths.relays, &self.state.steps);
            evaluator.first_order(&self.state.past, t, &self.dynamics.y, &[], &[])?;
        }
        Ok(())
    }

    /// Enters the mode of the present truths, or the mixture along a slide, and solves what follows
    /// from others.
    pub(crate) fn enter(&mut self) -> Result<(), RunFault> {
        self.find_bound_mode()?;
        self.assemble_and_enter()
    }

    /// Finds the mode of the present truths, and what binds the motion there.
    pub(crate) fn find_bound_mode(&mut self) -> Result<(), RunFault> {
        self.find_mode_by_value()?;
        self.state.discrete.grow(&self.state.borders);
        self.know_borders();
        self.unbind_unseen()
    }

    /// Whether the modes around a border look at it; with one more border on a side, if asked for.
    fn is_seen(
        &mut self,
        border: BorderId,
        other: Option<(BorderId, Side)>,
    ) -> Result<bool, RunFault> {
        let mut seen = true;
        for side in [Side::Minus, Side::Plus] {
            let on: SmallVec<[(BorderId, Side); 2]> =
                [(border, side)].into_iter().chain(other).collect();
            let mode = self.mode_on(&on)?;
            seen &= self.dynamics.modes.at(mode).mode.margin(border).is_some();
        }
        Ok(seen)
    }

    /// Where the modes around do not look at a border any more, nothing is bound to it.
    fn unbind_unseen(&mut self) -> Result<(), RunFault> {
        if self.dynamics.bound.is_free() {
            return Ok(());
        }
        let bound: SmallVec<[BorderId; 4]> = self.dynamics.bound.borders().collect();
        for border in bound {
            if !self.is_seen(border, None)? {
                self.let_go(border, self.state.discrete.sides[border.index()]);
            }
        }
        Ok(())
    }

    /// Brings the reals up to date with the motion at the present point.
    pub(crate) fn write_reals(&mut self) -> Result<(), RunFault> {
        let mut y = std::mem::take(&mut self.dynamics.y);
        y.clear();
        y.extend(
            self.dynamics
                .motion
                .states
                .iter()
                .map(|real| self.state.reals[real.index()]),
        );
        let (t, motion) = (self.state.t, &mut self.dynamics.motion);
        let written = motion.write(
            &mut self.dynamics.modes,
            &self.state.past,
            t,
            &y,
            &mut self.state.reals,
        );
        self.dynamics.y = y;
        written.map_err(|_| {
            let fault = self.dynamics.motion.fault.take();
            fault.map_or_else(
                || {
                    step_fault(
                        &self.dynamics.motion,
                        StepError::Start { t, component: None },
                    )
                },
                |fault| loop_fault(t, fault),
            )
        })
    }

    /// The motion from the present point that is bound to the borders to which the state is.
    pub(crate) fn assemble_bound(&mut self) -> Result<Motion, RunFault> {
        let bound = std::mem::take(&mut self.dynamics.bound);
        let motion = self.assemble(&bound, None);
        self.dynamics.bound = bound;
        motion
    }

    /// The motion from the present point that is bound to borders; with one more border on a side
    /// that it does not have, if asked for.
    pub(crate) fn assemble(
        &mut self,
        bound: &Bound,
        other: Option<(BorderId, Side)>,
    ) -> Result<Motion, RunFault> {
        let mut bound = bound.clone();
        if other.is_some() {
            for border in bound.borders().collect::<Vec<_>>() {
                if !self.is_seen(border, other)? {
                    bound.slides.retain(|slide| *slide != border);
                    bound.rest.retain(|push| push.border != border);
                    bound.lambda.clear();
                }
            }
        }
        let m = bound.slides.len();
        if m > MAX_SLIDES {
            return Err(RunFault::Chattering {
                time: self.state.t,
                ranges: self.ranges_on(bound.slides[0]),
            });
        }
        let (mode, slide) = if m == 0 {
            let mode = match other {
                None => self.dynamics.mode,
                Some((border, side)) => self.mode_beside(&[(border, side)])?.0,
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
                let (mode, taken) = self.mode_beside(&on)?;
                corners.push(mode);
                sides.push(taken);
            }
            let sides: Vec<Vec<Side>> = sides
                .into_iter()
                .map(|taken| {
                    let mut all = self.state.discrete.sides.clone();
                    all.resize(self.state.borders.len(), Side::Plus);
                    for (border, side) in taken {
                        all[border.index()] = side;
                    }
                    all
                })
                .collect();
            let split = self.split_kinks(&bound.slides, &sides);
            for &corner in &corners {
                let evaluator = self.dynamics.modes.get(corner);
                evaluator.enter(
                    &self.state.reals,
                    &self.state.discrete.relays,
                    &self.state.steps,
                );
            }
            let source = Source {
                model: &self.plan.model,
                flow: &self.plan.flow,
                watched: &self.plan.watched,
                constants: &self.plan.constants,
            };
            let mixture = self
                .dynamics
                .modes
                .mixture(source, &mut self.state.borders, &corners, &sides)
                .map_err(mode_fault)?;
            self.state.discrete.grow(&self.state.borders);
            (mixture, Some(Slide::new(&bound, corners, split)))
        };
        let evaluator = self.dynamics.modes.get(mode);
        evaluator.enter(
            &self.state.reals,
            &self.state.discrete.relays,
            &self.state.steps,
        );
        let rest = bound.rest.clone();
        let mut motion = Motion::new(&self.dynamics.modes, mode, slide, rest, &self.state.reals);
        motion.turning = Turning::new(&motion.rest, &self.plan.model, &self.plan.constants);
        Ok(motion)
    }

    /// Bounds the margins of the motion at the present point, and how fast they move.
    pub(crate) fn bound_margins(&mut self) -> Result<(), RunFault> {
        let t = self.state.t;
        let rates = self.rates_now()?;
        let evaluator = self.dynamics.modes.get(self.dynamics.motion.mode);
        evaluator.states(&self.state.reals, &mut self.dynamics.y);
        evaluator
            .first_order(&self.state.past, t, &self.dynamics.y, &rates, &[])
            .map_err(|fault| loop_fault(t, fault))
    }

    /// The rates of the states if the motion is bound to borders; empty if the mode knows them.
    pub(crate) fn rates_now(&mut self) -> Result<Vec<f64>, RunFault> {
        let mut rates = Vec::new();
        if self.dynamics.motion.is_free() {
            return Ok(rates);
        }
        let states = self.dynamics.motion.states.iter();
        let y: Vec<f64> = states.map(|real| self.state.reals[real.index()]).collect();
        rates.resize(y.len(), 0.0);
        let t = self.state.t;
        self.dynamics
            .motion
            .rates(
                &mut self.dynamics.modes,
                &self.state.past,
                t,
                &y,
                &mut rates,
            )
            .map_err(|_| {
                step_fault(
                    &self.dynamics.motion,
                    StepError::Start { t, component: None },
                )
            })?;
        Ok(rates)
    }

    /// Evaluates the margins of the motion at the present point.
    pub(crate) fn margins_now(&mut self) -> Result<&Evaluator, RunFault> {
        let t = self.state.t;
        let evaluator = self.dynamics.modes.get(self.dynamics.motion.mode);
        if !evaluator.stands_at(t, &self.state.reals) {
            evaluator.states(&self.state.reals, &mut self.dynamics.y);
            evaluator
                .evaluate_margins(&self.state.past, t, &self.dynamics.y)
                .map_err(|fault| loop_fault(t, fault))?;
        }
        Ok(evaluator)
    }

    /// Whether the motion is that of the present mode already, so that entering it again at the point
    /// where it was entered before would change nothing.
    pub(crate) fn stands_in_mode(&self) -> bool {
        let plain = self.state.borders.staircases.is_empty() && self.state.past.is_empty();
        plain
            && self.dynamics.bound.is_free()
            && self.dynamics.motion.is_free()
            && self.dynamics.motion.mode == self.dynamics.mode
            && !self.dynamics.modes.at(self.dynamics.mode).has_loops()
    }

    /// Makes the motion from the present point and solves what follows from others.
    pub(crate) fn assemble_and_enter(&mut self) -> Result<(), RunFault> {
        if self.dynamics.bound.is_free() {
            let evaluator = self.dynamics.modes.get(self.dynamics.mode);
            evaluator.enter(
                &self.state.reals,
                &self.state.discrete.relays,
                &self.state.steps,
            );
            self.dynamics
                .motion
                .set_free(&self.dynamics.modes, self.dynamics.mode);
            return self.write_reals();
        }
        self.dynamics.motion = self.assemble_bound()?;
        self.write_reals()
    }

    /// The absolute tolerances of the states.
    pub(crate) fn write_tolerances(&mut self) {
        let mut atol = std::mem::take(&mut self.detect.atol);
        atol.clear();
        atol.extend(
            self.dynamics
                .motion
                .states
                .iter()
                .map(|&real| self.plan.atol_of(real)),
        );
        self.detect.atol = atol;
    }

    /// Begins to move. `entered`: the motion has been entered at the present point, and looking at others
    /// since has changed nothing in it.
    pub(crate) fn begin(&mut self, entered: bool) -> Result<(), RunFault> {
        if self.detect.cut_at.take().is_some() {
            self.detect.stepper.cut();
        }
        self.detect.rest.from = 0.0;
        if !entered {
            // Looking at other sides may have left other values in the modes that are shared.
            self.assemble_and_enter()?;
            self.check_motion()?;
        }
        self.note_slide_through();
        self.step_into_domain()?;
        copy(&mut self.state.begun.reals, &self.state.reals);
        if self.state.begun.bound != self.dynamics.bound {
            self.state.begun.bound.clone_from(&self.dynamics.bound);
        }
        let states = self.dynamics.motion.states.iter();
        let mut y = std::mem::take(&mut self.dynamics.y);
        y.clear();
        y.extend(states.map(|real| self.state.reals[real.index()]));
        self.state.past.step_from(self.state.t);
        let free = self
            .dynamics
            .motion
            .is_free()
            .then_some(self.dynamics.motion.mode);
        let same = free.is_some() && free == self.dynamics.moved_in;
        self.dynamics.moved_in = free;
        if !same {
            self.write_tolerances();
        }
        let mut departures = std::mem::take(&mut self.detect.room);
        let flagged = !same && self.state.discrete.flags.any();
        if self.detect.beyond.wanted || flagged {
            let flags = self.state.discrete.flags.clone();
            self.departures(&mut departures)?;
            self.state.discrete.flags = flags;
        }
        let closely = flagged && departures.leaves().any(|(.., zeros)| zeros >= 2);
        let slack = match self.detect.beyond.wanted {
            true => self.slacks(&departures)?,
            false => SmallVec::new(),
        };
        let mut moving = Moving {
            motion: &mut self.dynamics.motion,
            modes: &mut self.dynamics.modes,
            past: &self.state.past,
            fence: self.detect.beyond.wanted.then_some(Fence {
                departures: &departures,
                only_watched: &self.state.borders.only_watched,
                slack: &slack,
                committed: Some(self.state.t),
                refuses: self.plan.config.locate == Locate::OneSided,
                quiet: &self.state.quiet,
                beyond: &mut self.detect.beyond.count,
            }),
        };
        let entered = if std::mem::take(&mut self.events.smooth) {
            (self.detect.stepper).enter_smoothly(&mut moving, self.state.t, &y, &self.detect.atol)
        } else if same {
            let entered = self.detect.stepper.reenter(&mut moving, self.state.t, &y);
            entered.map_err(EnterError::Step)
        } else if closely {
            self.detect
                .stepper
                .enter_closely(&mut moving, self.state.t, &y, &self.detect.atol)
        } else {
            self.detect
                .stepper
                .enter(&mut moving, self.state.t, &y, &self.detect.atol)
        };
        entered.map_err(|error| enter_fault(&self.dynamics.motion, error))?;
        self.detect.room = departures;
        self.dynamics.y = y;
        self.note_combination();
        Ok(())
    }

    /// Where rounding has left the state behind a border at which values end, as that of `sqrt(abs(x))` at x = 0 does
    /// on either branch, it is brought onto the side on which the motion goes on.
    fn step_into_domain(&mut self) -> Result<(), RunFault> {
        if !self.dynamics.motion.is_free()
            || !self
                .dynamics
                .modes
                .at(self.dynamics.motion.mode)
                .has_roots()
        {
            return Ok(());
        }
        if self.is_defined_here() {
            return Ok(());
        }
        let mut borders: SmallVec<[BorderId; 4]> = SmallVec::new();
        (self.state.discrete.flags).each_one(|index| borders.push(BorderId::new(index)));
        for border in borders {
            let Some(along) = self.way_up(border) else {
                continue;
            };
            let z = self.z_now(border)?;
            let size = along.iter().map(|(real, part)| {
                self.state.reals[real.index()].abs() * f64::EPSILON / part.abs()
            });
            let beyond = size.fold(z.abs(), f64::max).max(f64::MIN_POSITIVE);
            let to = match self.state.discrete.sides[border.index()] {
                Side::Minus => -beyond,
                Side::On => 0.0,
                Side::Plus => beyond,
            };
            let moved = self.state.reals.clone();
            self.shift(&along, to - z);
            if self.is_defined_here() {
                return self.assemble_and_enter();
            }
            self.state.reals = moved;
        }
        Ok(())
    }

    /// Whether the present mode gives finite rates for the present state.
    fn is_defined_here(&mut self) -> bool {
        let mut y = std::mem::take(&mut self.dynamics.y);
        let evaluator = self.dynamics.modes.get(self.dynamics.motion.mode);
        evaluator.states(&self.state.reals, &mut y);
        let defined = evaluator.is_defined(&self.state.past, self.state.t, &y);
        self.dynamics.y = y;
        defined
    }

    /// Coverage sees the booleans that stand, and the rows that are active.
    fn note_combination(&mut self) {
        let mode = match &self.dynamics.motion.slide {
            None => self.dynamics.motion.mode,
            Some(_) => self.dynamics.mode,
        };
        let rows = self
            .plan
            .flow
            .rows
            .iter()
            .zip(self.dynamics.modes.active(mode));
        let active = rows
            .filter(|(_, active)| **active)
            .map(|(row, _)| row.relation);
        self.observe
            .seen
            .change(&self.observe.words, mode, active, self.state.t);
    }

    /// Whether an instant inside of a step has left the motion as it was. Then the step goes on:
    /// begun anew it would begin with the errors of the dense output, which the rates of a stiff motion magnify.
    /// Events that hang on these errors would fire again and again.
    pub(crate) fn goes_on_in_step(&mut self) -> bool {
        let Some(theta) = self.detect.cut_at else {
            return false;
        };
        let plain =
            !self.detect.stepper.has_fixed_steps() && self.plan.config.locate == Locate::Root;
        if !(plain && self.motion_is_untouched()) {
            return false;
        }
        if self.detect.rest.from == 0.0 {
            std::mem::swap(&mut self.detect.whole_step, &mut self.detect.dense);
        }
        self.detect.rest.from += (1.0 - self.detect.rest.from) * theta;
        self.detect.rest.begin = self.state.t;
        self.detect.cut_at = None;
        for border in self.events.iteration.crossed() {
            let side = self.state.discrete.sides[border.index()];
            self.state.leaving.push((border, side, 1));
        }
        self.note_combination();
        true
    }

    /// Whether the motion is the one that ended in this instant: in the same mode, from the same reals.
    pub(crate) fn motion_is_untouched(&self) -> bool {
        let same_mode = self.state.past.is_empty()
            && !self.events.iteration.stepped
            && self.dynamics.bound.is_free()
            && self.dynamics.motion.is_free()
            && self.dynamics.motion.mode == self.dynamics.mode
            && self.dynamics.moved_in == Some(self.dynamics.mode);
        let mode = &self.dynamics.modes.at(self.dynamics.mode).mode;
        let mut read = mode.inputs.iter().map(|real| real.index());
        same_mode && read.all(|real| self.state.reals[real] == self.events.before_jump[real])
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
