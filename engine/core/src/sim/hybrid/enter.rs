//! From truths to a motion: the mode is found or made, what follows from others is solved.

use super::discrete_state::DiscreteState;
use super::driver::Hybrid;
use super::eval::Evaluator;
use super::fault::{enter_fault, loop_fault, mode_fault, step_fault};
use super::instant::Bound;
use super::locate::Fence;
use super::loops::LoopFault;
use super::modes::Source;
use super::motion::{Motion, Moving};
use super::slide::Slide;
use super::turning::Turning;
use crate::lower::border::{BorderId, RangeViews, Side};
use crate::lower::flow::Action;
use crate::lower::mode::Mode;
use crate::sim::RunFault;
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
            if !self.find_branches(self.mode)? {
                break;
            }
        }
        Ok(())
    }

    /// Finds the mode of the present booleans and branches.
    pub(super) fn find_mode(&mut self) -> Result<(), RunFault> {
        let mode = match (self.modes).met(&self.flow, &self.borders.kinked, &self.discrete) {
            Some(met) => met,
            None => self.make_mode()?,
        };
        if self.flow.views_vary && mode != self.mode {
            self.write_views(mode);
        }
        self.mode = mode;
        self.sides_stand = true;
        Ok(())
    }

    /// How comparisons see their borders; the same in all modes, but for values that are the size of
    /// another here and held there.
    pub(super) fn write_views(&mut self, mode: usize) {
        let mode = &self.modes.at(mode).mode;
        take_views(mode, &mut self.views);
        self.watch_views.clone_from(&mode.watched);
        self.iteration.seen_anew = self.mode_is_known;
        for readers in &mut self.ranges_by_border {
            readers.clear();
        }
        self.ranges_by_border
            .resize(self.borders.len(), SmallVec::new());
        for &(range, _, view) in &mode.comparisons {
            let readers = &mut self.ranges_by_border[view.border.index()];
            if readers.last() != Some(&range.0) {
                readers.push(range.0);
            }
            if self.mode_is_known {
                self.todo.ranges.insert(range.index());
            }
        }
        for readers in &mut self.relays_by_border {
            readers.clear();
        }
        self.relays_by_border
            .resize(self.borders.len(), SmallVec::new());
        let relays = self.flow.rows.iter().enumerate();
        for (row, flow_row) in relays {
            if let Action::Relay(relay) = flow_row.action {
                for view in mode.relay_views.get(relay).into_iter().flatten() {
                    let at = index_of(self.scan.of_flow[row]);
                    self.relays_by_border[view.border.index()].push(at);
                }
            }
        }
        self.mode_is_known = true;
    }

    /// The mode of the present booleans, which have not been met.
    pub(super) fn make_mode(&mut self) -> Result<usize, RunFault> {
        let mut discrete = std::mem::take(&mut self.discrete);
        let made = self.mode_of(&mut discrete);
        self.discrete = discrete;
        made
    }

    fn mode_of(&mut self, truths: &mut DiscreteState) -> Result<usize, RunFault> {
        let (mut known, mut known_steps) = (self.borders.len(), self.steps.len());
        let mut rounds = 0;
        loop {
            let source = Source {
                model: &self.model,
                flow: &self.flow,
                watched: &self.watching.comparisons,
                constants: &self.constants,
            };
            let mode = self
                .modes
                .find(source, &mut self.borders, truths)
                .map_err(mode_fault)?;
            if self.borders.len() == known {
                return Ok(mode);
            }
            self.steps.resize(self.borders.staircases.len(), 0.0);
            if known == 0 {
                self.write_views(mode);
            }
            if let Err(fault) = self.enter_for_new_borders(mode, truths, known_steps) {
                // Other kinks of the loop may have jumped with what lets the new ones be seen.
                std::mem::swap(&mut self.discrete, truths);
                self.discrete.grow(&self.borders);
                let changed = self.find_branches(mode);
                std::mem::swap(&mut self.discrete, truths);
                rounds += 1;
                if changed? && rounds < KINK_ROUNDS {
                    continue;
                }
                return Err(loop_fault(self.t, fault));
            }
            let evaluator = self.modes.at(mode);
            let new = evaluator.mode.margins.iter().map(|margin| margin.border);
            for border in new.filter(|border| border.index() >= known) {
                let z = evaluator.z(border).unwrap_or_default();
                let [beyond, _] = evaluator.z_first(border).unwrap_or_default();
                truths.sides[border.index()] = Side::of(z);
                truths.flags.set(border.index(), beyond == 0.0);
            }
            (known, known_steps) = (self.borders.len(), self.steps.len());
        }
    }

    /// Evaluates a mode whose borders or staircases, some of them, are new, with the steps on which the latter are.
    fn enter_for_new_borders(
        &mut self,
        mode: usize,
        truths: &DiscreteState,
        known_steps: usize,
    ) -> Result<(), LoopFault> {
        let t = self.t;
        let evaluator = self.modes.get(mode);
        evaluator.enter(&self.reals, &truths.relays, &self.steps);
        evaluator.states(&self.reals, &mut self.y);
        evaluator.first_order(&self.past, t, &self.y, &[], &[])?;
        for index in known_steps..self.steps.len() {
            let low = self.borders.staircases[index].low;
            self.steps[index] = evaluator.z(low).unwrap_or_default().floor();
        }
        if self.steps.len() > known_steps {
            evaluator.enter(&self.reals, &truths.relays, &self.steps);
            evaluator.first_order(&self.past, t, &self.y, &[], &[])?;
        }
        Ok(())
    }

    /// Enters the mode of the present truths, or the mixture along a slide, and solves what follows
    /// from others.
    pub(super) fn enter(&mut self) -> Result<(), RunFault> {
        self.find_bound_mode()?;
        self.assemble_and_enter()
    }

    /// Finds the mode of the present truths, and what binds the motion there.
    pub(super) fn find_bound_mode(&mut self) -> Result<(), RunFault> {
        self.find_mode_by_value()?;
        self.discrete.grow(&self.borders);
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
            seen &= self.modes.at(mode).mode.margin(border).is_some();
        }
        Ok(seen)
    }

    /// Where the modes around do not look at a border any more, nothing is bound to it.
    fn unbind_unseen(&mut self) -> Result<(), RunFault> {
        if self.bound.is_free() {
            return Ok(());
        }
        let bound: SmallVec<[BorderId; 4]> = self.bound.borders().collect();
        for border in bound {
            if !self.is_seen(border, None)? {
                self.let_go(border, self.discrete.sides[border.index()]);
            }
        }
        Ok(())
    }

    /// Brings the reals up to date with the motion at the present point.
    pub(super) fn write_reals(&mut self) -> Result<(), RunFault> {
        let mut y = std::mem::take(&mut self.y);
        y.clear();
        y.extend(
            self.motion
                .states
                .iter()
                .map(|real| self.reals[real.index()]),
        );
        let (t, motion) = (self.t, &mut self.motion);
        let written = motion.write(&mut self.modes, &self.past, t, &y, &mut self.reals);
        self.y = y;
        written.map_err(|_| {
            let fault = self.motion.fault.take();
            fault.map_or_else(
                || step_fault(&self.motion, StepError::Start { t, component: None }),
                |fault| loop_fault(t, fault),
            )
        })
    }

    /// The motion from the present point that is bound to the borders to which the state is.
    pub(super) fn assemble_bound(&mut self) -> Result<Motion, RunFault> {
        let bound = std::mem::take(&mut self.bound);
        let motion = self.assemble(&bound, None);
        self.bound = bound;
        motion
    }

    /// The motion from the present point that is bound to borders; with one more border on a side
    /// that it does not have, if asked for.
    pub(super) fn assemble(
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
                time: self.t,
                ranges: self.ranges_on(bound.slides[0]),
            });
        }
        let (mode, slide) = if m == 0 {
            let mode = match other {
                None => self.mode,
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
                    let mut all = self.discrete.sides.clone();
                    all.resize(self.borders.len(), Side::Plus);
                    for (border, side) in taken {
                        all[border.index()] = side;
                    }
                    all
                })
                .collect();
            let split = self.split_kinks(&bound.slides, &sides);
            for &corner in &corners {
                let evaluator = self.modes.get(corner);
                evaluator.enter(&self.reals, &self.discrete.relays, &self.steps);
            }
            let source = Source {
                model: &self.model,
                flow: &self.flow,
                watched: &self.watching.comparisons,
                constants: &self.constants,
            };
            let mixture = self
                .modes
                .mixture(source, &mut self.borders, &corners, &sides)
                .map_err(mode_fault)?;
            self.discrete.grow(&self.borders);
            (mixture, Some(Slide::new(&bound, corners, split)))
        };
        let evaluator = self.modes.get(mode);
        evaluator.enter(&self.reals, &self.discrete.relays, &self.steps);
        let rest = bound.rest.clone();
        let mut motion = Motion::new(&self.modes, mode, slide, rest, &self.reals);
        motion.turning = Turning::new(&motion.rest, &self.model, &self.constants);
        Ok(motion)
    }

    /// Bounds the margins of the motion at the present point, and how fast they move.
    pub(super) fn bound_margins(&mut self) -> Result<(), RunFault> {
        let t = self.t;
        let rates = self.rates_now()?;
        let evaluator = self.modes.get(self.motion.mode);
        evaluator.states(&self.reals, &mut self.y);
        evaluator
            .first_order(&self.past, t, &self.y, &rates, &[])
            .map_err(|fault| loop_fault(t, fault))
    }

    /// The rates of the states if the motion is bound to borders; empty if the mode knows them.
    pub(super) fn rates_now(&mut self) -> Result<Vec<f64>, RunFault> {
        let mut rates = Vec::new();
        if self.motion.is_free() {
            return Ok(rates);
        }
        let states = self.motion.states.iter();
        let y: Vec<f64> = states.map(|real| self.reals[real.index()]).collect();
        rates.resize(y.len(), 0.0);
        let t = self.t;
        self.motion
            .rates(&mut self.modes, &self.past, t, &y, &mut rates)
            .map_err(|_| step_fault(&self.motion, StepError::Start { t, component: None }))?;
        Ok(rates)
    }

    /// Evaluates the margins of the motion at the present point.
    pub(super) fn margins_now(&mut self) -> Result<&Evaluator, RunFault> {
        let t = self.t;
        let evaluator = self.modes.get(self.motion.mode);
        if !evaluator.stands_at(t, &self.reals) {
            evaluator.states(&self.reals, &mut self.y);
            evaluator
                .evaluate_margins(&self.past, t, &self.y)
                .map_err(|fault| loop_fault(t, fault))?;
        }
        Ok(evaluator)
    }

    /// Whether the motion is that of the present mode already, so that entering it again at the point
    /// where it was entered before would change nothing.
    pub(super) fn stands_in_mode(&self) -> bool {
        let plain = self.borders.staircases.is_empty() && self.past.is_empty();
        plain
            && self.bound.is_free()
            && self.motion.is_free()
            && self.motion.mode == self.mode
            && !self.modes.at(self.mode).has_loops()
    }

    /// Makes the motion from the present point and solves what follows from others.
    pub(super) fn assemble_and_enter(&mut self) -> Result<(), RunFault> {
        if self.bound.is_free() {
            let evaluator = self.modes.get(self.mode);
            evaluator.enter(&self.reals, &self.discrete.relays, &self.steps);
            self.motion.set_free(&self.modes, self.mode);
            return self.write_reals();
        }
        self.motion = self.assemble_bound()?;
        self.write_reals()
    }

    /// The absolute tolerances of the states.
    pub(super) fn write_tolerances(&mut self) {
        let mut atol = std::mem::take(&mut self.atol);
        atol.clear();
        atol.extend(self.motion.states.iter().map(|&real| self.atol_of(real)));
        self.atol = atol;
    }

    /// Begins to move. `entered`: the motion has been entered at the present point, and looking at others
    /// since has changed nothing in it.
    pub(super) fn begin(&mut self, entered: bool) -> Result<(), RunFault> {
        if self.cut_at.take().is_some() {
            self.stepper.cut();
        }
        self.rest_from = 0.0;
        if !entered {
            // Looking at other sides may have left other values in the modes that are shared.
            self.assemble_and_enter()?;
            self.check_motion()?;
        }
        self.note_slide_through();
        self.step_into_domain()?;
        copy(&mut self.begun.reals, &self.reals);
        if self.begun.bound != self.bound {
            self.begun.bound.clone_from(&self.bound);
        }
        let states = self.motion.states.iter();
        let mut y = std::mem::take(&mut self.y);
        y.clear();
        y.extend(states.map(|real| self.reals[real.index()]));
        self.past.step_from(self.t);
        let free = self.motion.is_free().then_some(self.motion.mode);
        let same = free.is_some() && free == self.moved_in;
        self.moved_in = free;
        if !same {
            self.write_tolerances();
        }
        let mut departures = std::mem::take(&mut self.room);
        let flagged = !same && self.discrete.flags.any();
        if self.counts_beyond || flagged {
            let flags = self.discrete.flags.clone();
            self.departures(&mut departures)?;
            self.discrete.flags = flags;
        }
        let closely = flagged && departures.leaves().any(|(.., zeros)| zeros >= 2);
        let slack = match self.counts_beyond {
            true => self.slacks(&departures)?,
            false => SmallVec::new(),
        };
        let mut moving = Moving {
            motion: &mut self.motion,
            modes: &mut self.modes,
            past: &self.past,
            fence: self.counts_beyond.then_some(Fence {
                departures: &departures,
                only_watched: &self.borders.only_watched,
                slack: &slack,
                committed: Some(self.t),
                refuses: self.config.locate == Locate::OneSided,
                quiet: &self.quiet.borders,
                beyond: &mut self.beyond,
            }),
        };
        let entered = if std::mem::take(&mut self.smooth) {
            (self.stepper).enter_smoothly(&mut moving, self.t, &y, &self.atol)
        } else if same {
            let entered = self.stepper.reenter(&mut moving, self.t, &y);
            entered.map_err(EnterError::Step)
        } else if closely {
            self.stepper
                .enter_closely(&mut moving, self.t, &y, &self.atol)
        } else {
            self.stepper.enter(&mut moving, self.t, &y, &self.atol)
        };
        entered.map_err(|error| enter_fault(&self.motion, error))?;
        self.room = departures;
        self.y = y;
        self.note_combination();
        Ok(())
    }

    /// Where rounding has left the state behind a border at which values end, as that of `sqrt(abs(x))` at x = 0 does
    /// on either branch, it is brought onto the side on which the motion goes on.
    fn step_into_domain(&mut self) -> Result<(), RunFault> {
        if !self.motion.is_free() || !self.modes.at(self.motion.mode).has_roots() {
            return Ok(());
        }
        if self.is_defined_here() {
            return Ok(());
        }
        let mut borders: SmallVec<[BorderId; 4]> = SmallVec::new();
        (self.discrete.flags).each_one(|index| borders.push(BorderId::new(index)));
        for border in borders {
            let Some(along) = self.way_up(border) else {
                continue;
            };
            let z = self.z_now(border)?;
            let size = along
                .iter()
                .map(|(real, part)| self.reals[real.index()].abs() * f64::EPSILON / part.abs());
            let beyond = size.fold(z.abs(), f64::max).max(f64::MIN_POSITIVE);
            let to = match self.discrete.sides[border.index()] {
                Side::Minus => -beyond,
                Side::On => 0.0,
                Side::Plus => beyond,
            };
            let moved = self.reals.clone();
            self.shift(&along, to - z);
            if self.is_defined_here() {
                return self.assemble_and_enter();
            }
            self.reals = moved;
        }
        Ok(())
    }

    /// Whether the present mode gives finite rates for the present state.
    fn is_defined_here(&mut self) -> bool {
        let mut y = std::mem::take(&mut self.y);
        let evaluator = self.modes.get(self.motion.mode);
        evaluator.states(&self.reals, &mut y);
        let defined = evaluator.is_defined(&self.past, self.t, &y);
        self.y = y;
        defined
    }

    /// Coverage sees the booleans that stand, and the rows that are active.
    fn note_combination(&mut self) {
        let mode = match &self.motion.slide {
            None => self.motion.mode,
            Some(_) => self.mode,
        };
        let rows = self.flow.rows.iter().zip(self.modes.active(mode));
        let active = rows
            .filter(|(_, active)| **active)
            .map(|(row, _)| row.relation);
        self.seen.change(&self.words, mode, active, self.t);
    }

    /// Whether an instant inside of a step has left the motion as it was. Then the step goes on:
    /// begun anew it would begin with the errors of the dense output, which the rates of a stiff motion magnify.
    /// Events that hang on these errors would fire again and again.
    pub(super) fn goes_on_in_step(&mut self) -> bool {
        let Some(theta) = self.cut_at else {
            return false;
        };
        let plain = !self.stepper.has_fixed_steps() && self.config.locate == Locate::Root;
        if !(plain && self.motion_is_untouched()) {
            return false;
        }
        if self.rest_from == 0.0 {
            std::mem::swap(&mut self.whole_step, &mut self.dense);
        }
        self.rest_from += (1.0 - self.rest_from) * theta;
        self.rest_begin = self.t;
        self.cut_at = None;
        for border in self.iteration.crossed() {
            let side = self.discrete.sides[border.index()];
            self.leaving.push((border, side, 1));
        }
        self.note_combination();
        true
    }

    /// Whether the motion is the one that ended in this instant: in the same mode, from the same reals.
    pub(super) fn motion_is_untouched(&self) -> bool {
        let same_mode = self.past.is_empty()
            && !self.iteration.stepped
            && self.bound.is_free()
            && self.motion.is_free()
            && self.motion.mode == self.mode
            && self.moved_in == Some(self.mode);
        let mode = &self.modes.at(self.mode).mode;
        let mut read = mode.inputs.iter().map(|real| real.index());
        same_mode && read.all(|real| self.reals[real] == self.before_jump[real])
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
