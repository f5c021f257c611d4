//! From truths to a motion: the mode is found or made, what follows from others is solved.

use super::course::Cue;
use super::driver::Hybrid;
use super::eval::Evaluator;
use super::fault::{enter_fault, loop_fault, mode_fault, step_fault};
use super::instant::{Bound, Earlier};
use super::locate::Fence;
use super::modes::Source;
use super::motion::{Motion, Moving};
use super::search::Departure;
use super::slide::Slide;
use super::turning::Turning;
use crate::lower::border::{BorderId, Side, View};
use crate::lower::mode::Mode;
use crate::sim::RunFault;
use crate::slices::copy;
use crate::solve::{EnterError, Locate, StepError};
use smallvec::SmallVec;

/// The most borders along which the state can slide at once: there are 2^n modes around them.
const MAX_SLIDES: usize = 6;

impl Hybrid {
    /// Whether the present truths give another mode than the one entered.
    pub(super) fn mode_changes(&mut self) -> Result<bool, RunFault> {
        let entered = self.mode;
        self.find_mode()?;
        Ok(self.mode != entered)
    }

    /// Finds the mode of the present truths; borders met for the first time take the side on which
    /// the state is.
    pub(super) fn find_mode(&mut self) -> Result<(), RunFault> {
        let kinked = &self.borders.kinked;
        let mode = match self.modes.met(&self.flow, kinked, &self.truths) {
            Some(met) => met,
            None => {
                let mut truths = std::mem::take(&mut self.truths);
                let found = self.mode_of(&mut truths);
                self.truths = truths;
                found?
            }
        };
        if self.flow.views_vary && mode != self.mode {
            self.write_views(mode);
        }
        self.mode = mode;
        copy(&mut self.entered, &self.truths.sides);
        Ok(())
    }

    /// How comparisons see their borders; the same in all modes, but for values that are the size of
    /// another here and held there.
    pub(super) fn write_views(&mut self, mode: usize) {
        self.shaping.clear();
        let mode = &self.modes.at(mode).mode;
        take_views(mode, &mut self.views);
        self.watch_views.clone_from(&mode.watched);
    }

    /// The mode of some truths, as [`Self::find_mode`].
    pub(super) fn mode_of(&mut self, truths: &mut super::truth::Truths) -> Result<usize, RunFault> {
        loop {
            let known = self.borders.len();
            let known_steps = self.steps.len();
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
            let evaluator = self.modes.get(mode);
            evaluator.enter(&self.reals, &truths.relays, &self.steps);
            evaluator.states(&self.reals, &mut self.y);
            let t = self.t;
            evaluator
                .first_order(&self.past, t, &self.y, &[], &[])
                .map_err(|fault| loop_fault(t, fault))?;
            for index in known_steps..self.steps.len() {
                let low = self.borders.staircases[index].low;
                self.steps[index] = evaluator.z(low).unwrap_or_default().floor();
            }
            if self.steps.len() > known_steps {
                evaluator.enter(&self.reals, &truths.relays, &self.steps);
                evaluator
                    .first_order(&self.past, t, &self.y, &[], &[])
                    .map_err(|fault| loop_fault(t, fault))?;
            }
            let new = evaluator.mode.margins.iter().map(|margin| margin.border);
            for border in new.filter(|border| border.index() >= known) {
                let z = evaluator.z(border).unwrap_or_default();
                let [beyond, _] = evaluator.z_first(border).unwrap_or_default();
                truths.sides[border.index()] = Side::of(z);
                truths.flags.set(border.index(), beyond == 0.0);
            }
        }
    }

    /// Enters the mode of the present truths, or the mixture along a slide, and solves what follows
    /// from others.
    pub(super) fn enter(&mut self) -> Result<(), RunFault> {
        self.find_bound_mode()?;
        self.assemble_and_enter()
    }

    /// Finds the mode of the present truths, and what binds the motion there.
    pub(super) fn find_bound_mode(&mut self) -> Result<(), RunFault> {
        self.find_mode()?;
        self.truths.grow(&self.borders);
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
                self.let_go(border, self.truths.sides[border.index()]);
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
        self.courses.spoil();
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
                Some((border, side)) => self.mode_beside(&[(border, side)])?,
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
                corners.push(self.mode_beside(&on)?);
                sides.push(self.trial.sides.clone());
            }
            for sides in &mut sides {
                sides.resize(self.borders.len(), Side::Plus);
            }
            let split = self.split_kinks(&bound.slides, &sides);
            for &corner in &corners {
                let evaluator = self.modes.get(corner);
                evaluator.enter(&self.reals, &self.truths.relays, &self.steps);
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
            self.truths.grow(&self.borders);
            (mixture, Some(Slide::new(&bound, corners, split)))
        };
        let evaluator = self.modes.get(mode);
        evaluator.enter(&self.reals, &self.truths.relays, &self.steps);
        let rest = bound.rest.clone();
        let mut motion = Motion::new(&self.modes, mode, slide, rest, &self.reals);
        motion.turning = Turning::new(&motion.rest, &self.actions, &self.flow);
        Ok(motion)
    }

    /// The mode with some borders on other sides and all else as it is; its truths are left in
    /// `trial`.
    pub(super) fn mode_on(&mut self, sides: &[(BorderId, Side)]) -> Result<usize, RunFault> {
        let trial = &mut self.trial;
        copy(&mut trial.sides, &self.truths.sides);
        for &(border, side) in sides {
            trial.sides[border.index()] = side;
        }
        let looked_up = !self.flow.views_vary;
        if looked_up {
            let beside = (self.modes).beside(&self.truths, &trial.sides, &self.unbordered);
            if let Some(mode) = beside {
                return Ok(mode);
            }
        }
        trial.clone_from(&self.truths);
        for &(border, side) in sides {
            trial.sides[border.index()] = side;
        }
        trial.scan_ranges(&self.model, &self.views);
        trial.scan_situations(&self.model, false);
        if looked_up
            && let Some(met) = (self.modes).met(&self.flow, &self.borders.kinked, &self.trial)
        {
            self.modes.note_beside(met);
            return Ok(met);
        }
        let mut trial = std::mem::take(&mut self.trial);
        let mut found = self.mode_of(&mut trial);
        if self.flow.views_vary {
            found = self.as_seen_there(found, &mut trial);
        }
        for index in self.truths.sides.len()..trial.sides.len() {
            self.truths.sides.push(trial.sides[index]);
            self.truths.flags.push(self.trial.flags.get(index));
        }
        self.trial = trial;
        found
    }

    /// The mode whose own way of looking at borders gives it, beginning with one found by that of the
    /// present mode.
    fn as_seen_there(
        &mut self,
        found: Result<usize, RunFault>,
        trial: &mut super::truth::Truths,
    ) -> Result<usize, RunFault> {
        let mut mode = found?;
        let mut views: Vec<Vec<View>> = self.views.iter().map(|_| Vec::new()).collect();
        for _ in 0..=self.views.len() {
            take_views(&self.modes.at(mode).mode, &mut views);
            trial.scan_ranges(&self.model, &views);
            trial.scan_situations(&self.model, false);
            let seen = self.mode_of(trial)?;
            if seen == mode {
                break;
            }
            mode = seen;
        }
        Ok(mode)
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
        evaluator.states(&self.reals, &mut self.y);
        evaluator
            .evaluate_margins(&self.past, t, &self.y)
            .map_err(|fault| loop_fault(t, fault))?;
        Ok(evaluator)
    }

    /// Keeps the present z of every border.
    pub(super) fn write_margins(&mut self) -> Result<(), RunFault> {
        self.courses.note(Cue::Keep);
        self.margins_now()?;
        let evaluator = self.modes.at(self.motion.mode);
        self.margins.clear();
        self.margins.resize(self.borders.len(), None);
        for margin in evaluator.mode.margins.iter() {
            self.margins[margin.border.index()] = evaluator.z(margin.border);
        }
        Ok(())
    }

    /// Whether the motion is that of the present mode already, so that entering it again at the point
    /// where it was entered before would change nothing.
    pub(super) fn stands_in_mode(&self, before: &Earlier) -> bool {
        let plain = self.borders.staircases.is_empty() && self.past.is_empty();
        plain
            && self.bound.is_free()
            && self.motion.is_free()
            && self.motion.mode == self.mode
            && !self.modes.at(self.mode).has_loops()
            && self.truths.relays == before.relays
    }

    /// Makes the motion from the present point and solves what follows from others.
    pub(super) fn assemble_and_enter(&mut self) -> Result<(), RunFault> {
        if self.bound.is_free() {
            self.courses.note(Cue::Enter(self.mode));
            let evaluator = self.modes.get(self.mode);
            evaluator.enter(&self.reals, &self.truths.relays, &self.steps);
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
        if !entered {
            // Looking at other sides may have left other values in the modes that are shared.
            self.assemble_and_enter()?;
            self.check_motion()?;
        }
        copy(&mut self.begun.reals, &self.reals);
        self.begun.bound.clone_from(&self.bound);
        let states = self.motion.states.iter();
        let mut y = std::mem::take(&mut self.y);
        y.clear();
        y.extend(states.map(|real| self.reals[real.index()]));
        self.write_tolerances();
        self.past.step_from(self.t);
        let free = self.motion.is_free().then_some(self.motion.mode);
        let same = free.is_some() && free == self.moved_in;
        self.moved_in = free;
        let mut departures = std::mem::take(&mut self.room);
        let flagged = !same && self.truths.flags.any();
        if self.counts_beyond || flagged {
            let flags = self.truths.flags.clone();
            self.departures(&mut departures)?;
            self.truths.flags = flags;
        }
        let leaves_slowly = |departure: &Departure| matches!(departure, Departure::Leaves(_, 2..));
        let closely = flagged && departures.iter().any(leaves_slowly);
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
        self.write_words();
        let active = match &self.motion.slide {
            None => self.modes.active(self.motion.mode),
            Some(_) => self.modes.active(self.mode),
        };
        let rows = self.flow.rows.iter().zip(active);
        let active = rows
            .filter(|(_, active)| **active)
            .map(|(row, _)| row.relation);
        self.seen.change(&self.words, active, self.t);
        Ok(())
    }
}

/// How the comparisons of each range see their borders in a mode.
fn take_views(mode: &Mode, views: &mut [Vec<View>]) {
    for views in &mut *views {
        views.clear();
    }
    for &(range, _, view) in &mode.comparisons {
        views[range.index()].push(view);
    }
}
