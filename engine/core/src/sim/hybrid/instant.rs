//! What happens at one time: sides turn, events fire, switches are set, until nothing changes.

use super::driver::{Hybrid, enter_fault, loop_fault, mode_fault, step_fault};
use super::log::{direction, place};
use super::modes::Source;
use super::motion::{Motion, Moving, Push, Slide};
use super::search::Departure;
use super::shares;
use super::zeno::{Limit, Seen};
use crate::ids::{RangeId, RealId, RelationId, ScheduleId, SituationId};
use crate::lower::border::{BorderId, Side};
use crate::model::{Boolean, Literal, Situation};
use crate::sim::RunFault;
use crate::solve::StepError;
use crate::trace::What;
use serde::{Deserialize, Serialize};

/// Microsteps at one time before the events count as endless, beyond one per rule.
const MICROSTEPS: usize = 64;

/// Instants closer than this part of the time do not count as progress.
const STALL: f64 = 1e3 * f64::EPSILON;

/// So many instants without progress count as endless.
const MAX_STALLED: u32 = 1000;

/// The most borders along which the state can slide at once: there are 2^n modes around them.
const MAX_SLIDES: usize = 6;

/// What brought an instant about.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Reason {
    /// Borders that are crossed.
    pub(super) borders: Vec<BorderId>,
    /// Borders on which the state stood, and to which side it leaves them.
    pub(super) leaves: Vec<(BorderId, Side)>,
    /// Schedules that are due.
    pub(super) due: Vec<ScheduleId>,
}

/// Rules that took part in an instant, each once.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Taken {
    pub(super) situations: Vec<SituationId>,
    pub(super) assignments: Vec<usize>,
    pub(super) relations: Vec<RelationId>,
    pub(super) ranges: Vec<RangeId>,
}

impl Taken {
    fn clear(&mut self) {
        self.situations.clear();
        self.assignments.clear();
        self.relations.clear();
        self.ranges.clear();
    }
}

fn add<T: PartialEq>(all: &mut Vec<T>, one: T) {
    if !all.contains(&one) {
        all.push(one);
    }
}

/// What binds the motion to borders.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub(super) struct Bound {
    /// The borders along which the state slides.
    pub(super) slides: Vec<BorderId>,
    /// The one of them whose margin jumps across it.
    pub(super) through: bool,
    /// The shares of their upper sides, where the motion began or was committed last.
    pub(super) lambda: Vec<f64>,
    /// What keeps the state on the borders on which it rests.
    pub(super) rest: Vec<Push>,
}

/// How z leaves a border, as far as a motion tells: the sign of its first derivative that is not 0,
/// and which one it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Lean {
    sign: i8,
    order: usize,
}

impl Hybrid {
    /// Everything that happens at the start.
    pub(super) fn start(&mut self) -> Result<(), RunFault> {
        self.truths.start = true;
        self.begin_with(|_| {})
    }

    /// Finds the booleans that stand where the run begins; `look` may move sides that values leave open.
    pub(super) fn begin_with(&mut self, look: impl FnOnce(&mut Self)) -> Result<(), RunFault> {
        let start = std::mem::take(&mut self.truths.start);
        self.log.wanted = true;
        self.log.begin(0, self.t);
        self.past.kink_at(self.t, 0);
        // Sides by value, until the mode that they give has these values.
        for round in 0.. {
            let before = self.truths.clone();
            self.enter()?;
            self.bound_margins()?;
            let evaluator = self.modes.at(self.motion.mode);
            for margin in evaluator.mode.margins.iter() {
                let index = margin.border.index();
                let z = evaluator.z(margin.border).unwrap_or_default();
                let [beyond, _] = evaluator.z_first(margin.border).unwrap_or_default();
                self.truths.sides[index] = Side::of(z);
                self.truths.flags[index] = beyond == 0.0;
            }
            self.follow_sides();
            self.truths.scan_situations(&self.model, false);
            if self.truths == before || round > MICROSTEPS {
                break;
            }
        }
        look(self);
        self.decide()?;
        self.follow_sides();
        self.truths.scan_situations(&self.model, false);
        self.note_counted();
        self.truths.start = start;
        self.microsteps()?;
        self.instants = 0;
        Ok(())
    }

    /// An instant at which borders are crossed or left, or schedules are due.
    pub(super) fn instant(&mut self, reason: &Reason) -> Result<(), RunFault> {
        self.instants += 1;
        self.log.begin(self.instants, self.t);
        self.count_stall()?;
        self.note_reasons(reason)?;
        self.before_jump.clone_from(&self.reals);
        for &(border, side) in &reason.leaves {
            self.truths.sides[border.index()] = side;
            self.truths.flags[border.index()] = true;
            self.unbind(border, side);
        }
        for &border in &reason.borders {
            self.turn(border)?;
        }
        for &schedule in &reason.due {
            self.beats[schedule.index()] += 1;
            self.truths.due[schedule.index()] = true;
        }
        self.past.kink_at(self.t, 1);
        self.microsteps()?;
        match self.gathers(reason) {
            None => Ok(()),
            Some(limit) => self.gather(&limit),
        }
    }

    /// Counts instants that follow each other without the time moving on.
    fn count_stall(&mut self) -> Result<(), RunFault> {
        let moved =
            (self.t - self.last_instant).abs() > STALL * self.t.abs().max(f64::MIN_POSITIVE);
        self.stalled = if moved { 0 } else { self.stalled + 1 };
        self.last_instant = self.t;
        if self.stalled <= MAX_STALLED {
            return Ok(());
        }
        Err(RunFault::Endless {
            time: self.t,
            situations: self.situations_now(|_| true),
        })
    }

    /// Notes what brought the instant about, seen from just before.
    fn note_reasons(&mut self, reason: &Reason) -> Result<(), RunFault> {
        if !self.log.wanted {
            return Ok(());
        }
        if !reason.borders.is_empty() {
            let t = self.t;
            let rates = self.rates_now()?;
            let evaluator = self.modes.get(self.motion.mode);
            evaluator.states(&self.reals, &mut self.y);
            evaluator
                .first_order(&self.past, t, &self.y, &rates, &[])
                .map_err(|fault| loop_fault(t, fault))?;
        }
        for &border in &reason.borders {
            let Some(name) = place(&self.borders, border) else {
                continue;
            };
            let evaluator = self.modes.at(self.motion.mode);
            let margin = evaluator.z(border).unwrap_or_default();
            let [_, rate] = evaluator.z_first(border).unwrap_or_default();
            let side = self.truths.sides[border.index()].flipped();
            self.log.note(|| What::Reached {
                border: name,
                direction: direction(side),
                margin,
                rate,
                sensitivity: 1.0 / rate,
            });
        }
        for &schedule in &reason.due {
            self.log.note(|| What::Due(schedule));
        }
        Ok(())
    }

    /// The motion leaves a border to which it was bound.
    fn unbind(&mut self, border: BorderId, side: Side) {
        let bound = &mut self.bound;
        self.leaving.clear();
        if let Some(at) = bound.slides.iter().position(|&other| other == border) {
            let left: Vec<_> = bound
                .slides
                .iter()
                .zip(&bound.lambda)
                .filter_map(|(&slide, &share)| Some((place(&self.borders, slide)?, share)))
                .collect();
            self.log.note(|| What::SlideLeft { borders: left });
            bound.slides.remove(at);
            bound.lambda.clear();
            if !bound.through {
                self.leaving.push((border, side, 2));
            }
            bound.through = false;
        }
        if let Some(at) = bound.rest.iter().position(|push| push.border == border) {
            bound.rest.remove(at);
            self.leaving.push((border, side, 3));
            if let Some(border) = place(&self.borders, border) {
                self.log.note(|| What::RestLeft { border });
            }
        }
    }

    /// A border has been reached: its flag is set and its side turns.
    fn turn(&mut self, border: BorderId) -> Result<(), RunFault> {
        if self.turn_step(border) {
            return Ok(());
        }
        let index = border.index();
        self.truths.flags[index] = true;
        self.truths.sides[index] = match self.truths.sides[index] {
            Side::On => match self.lean_of_motion(border)?.sign {
                1 => Side::Plus,
                -1 => Side::Minus,
                _ => Side::of(
                    self.modes
                        .at(self.motion.mode)
                        .z(border)
                        .unwrap_or_default(),
                ),
            },
            side => side.flipped(),
        };
        Ok(())
    }

    /// If the border is an end of a step of a staircase: goes to the next step.
    fn turn_step(&mut self, border: BorderId) -> bool {
        for (staircase, step) in self.borders.staircases.iter().zip(&mut self.steps) {
            let reached = if staircase.low == border {
                *step -= 1.0;
                staircase.high
            } else if staircase.high == border {
                *step += 1.0;
                staircase.low
            } else {
                continue;
            };
            for end in [staircase.low, staircase.high] {
                self.truths.flags[end.index()] = end == reached;
            }
            self.truths.sides[staircase.low.index()] = Side::Plus;
            self.truths.sides[staircase.high.index()] = Side::Minus;
            return true;
        }
        false
    }

    /// Repeats microsteps until nothing changes, then begins to move.
    fn microsteps(&mut self) -> Result<(), RunFault> {
        let budget = MICROSTEPS + self.model.situation_rows.len() + self.model.assignments.len();
        self.earlier.clear();
        self.taken.clear();
        for step in 0.. {
            self.log.microstep();
            let mut before = std::mem::take(&mut self.mark);
            before.0.clone_from(&self.truths);
            before.1.clone_from(&self.reals);
            before.2.clone_from(&self.bound.slides);
            self.write_margins()?;
            // From here on delays have their right limits.
            self.past.step_from(self.t);
            self.follow_sides();
            self.truths.scan_situations(&self.model, true);
            self.assign()?;
            self.note_fired();
            let acted = self.perform();
            self.check_actions(&before.1)?;
            let fired = self.truths.situations.iter().zip(&self.model.situations);
            let fired = fired
                .into_iter()
                .any(|(now, situation)| *now && situation.event);
            self.truths.due.fill(false);
            self.truths.start = false;
            let mode = self.motion.mode;
            self.enter()?;
            self.check_motion()?;
            let moved = self.motion.mode != mode || self.reals != before.1;
            if moved || step == 0 {
                self.follow_values()?;
            }
            // What was decided stands while nothing changes.
            if moved || step == 0 || self.truths.sides != before.0.sides || acted {
                self.decide()?;
            }
            self.note_changes(&before.0);
            let same = self.truths.sides == before.0.sides
                && self.truths.switches == before.0.switches
                && self.truths.relays == before.0.relays
                && self.bound.slides == before.2
                && self.reals == before.1;
            self.mark = before;
            if same && !acted {
                self.truths.scan_situations(&self.model, false);
                // What holds for an instant only may have kept a row from being active.
                if !(fired && self.flow.heeds_events && self.mode_changes()?) {
                    return self.begin();
                }
                continue;
            }
            if acted || self.truths.switches != self.mark.0.switches {
                self.leaving.clear();
            }
            if step >= 2 {
                let now = (self.truths.clone(), self.reals.clone());
                if self.earlier.contains(&now) {
                    return Err(self.rule_cycle());
                }
                if self.earlier.is_empty() {
                    // What began it has no part in a circle.
                    self.taken.clear();
                }
                self.earlier.push(now);
            }
            if step > budget {
                return Err(self.rule_cycle());
            }
        }
        Ok(())
    }

    fn rule_cycle(&mut self) -> RunFault {
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
            time: self.t,
            situations,
            assignments,
            relations,
            ranges,
        }
    }

    fn assign(&mut self) -> Result<(), RunFault> {
        let (t, seen, log) = (self.t, &mut self.seen, &mut self.log);
        let taken = &mut self.taken.assignments;
        let executed = |assignment, changed| {
            seen.assigned(assignment);
            if changed {
                add(taken, assignment);
                log.note(|| What::Assigned(assignment));
            }
        };
        self.truths
            .assign(&self.model, executed)
            .map_err(|cycle| RunFault::Cycle {
                time: t,
                assignments: cycle.assignments,
            })
    }

    /// Notes events and booleans that are not what they were.
    fn note_changes(&mut self, before: &super::truth::Truths) {
        let (now, log) = (&self.truths, &mut self.log);
        for (index, situation) in self.model.situations.iter().enumerate() {
            if situation.event && now.situations[index] {
                add(&mut self.taken.situations, SituationId::new(index));
            }
        }
        for (index, holds) in now.ranges.iter().enumerate() {
            if *holds != before.ranges[index] {
                add(&mut self.taken.ranges, RangeId::new(index));
            }
        }
        if !log.wanted {
            return;
        }
        for (index, situation) in self.model.situations.iter().enumerate() {
            let id = SituationId::new(index);
            let holds = now.situations[index];
            if situation.event && holds {
                log.note(|| What::Fired(id));
            } else if !situation.event && holds != before.situations[index] {
                log.note(|| What::Situation(id, holds));
            }
        }
        for (index, &holds) in now.ranges.iter().enumerate() {
            if holds != before.ranges[index] {
                log.note(|| What::Range(RangeId::new(index), holds));
            }
        }
        for (index, &on) in now.switches.iter().enumerate() {
            if on != before.switches[index] {
                log.note(|| What::Switch(crate::ids::SwitchId::new(index), on));
            }
        }
        for (index, &side) in now.sides.iter().enumerate() {
            let was = before.sides.get(index);
            let border = BorderId(u32::try_from(index).expect("fewer than 2^32 borders"));
            if let (Some(&was), Some(name)) = (was, place(&self.borders, border))
                && was != side
            {
                log.note(|| What::Turned {
                    border: name,
                    direction: direction(side),
                });
            }
        }
    }

    /// Whether the present truths give another mode than the one entered.
    fn mode_changes(&mut self) -> Result<bool, RunFault> {
        let entered = self.mode;
        self.find_mode()?;
        Ok(self.mode != entered)
    }

    /// Ranges and relays follow the sides.
    pub(super) fn follow_sides(&mut self) {
        self.truths.scan_ranges(&self.model, &self.views);
        let views = &self.modes.at(self.mode).mode.relay_views;
        for (relay, [low, high]) in self.truths.relays.iter_mut().zip(views) {
            let side = |view: &crate::lower::border::View| {
                view.side(self.truths.sides[view.border.index()])
            };
            if side(low) != Side::Plus {
                *relay = 0.0;
            }
            if side(high) != Side::Minus {
                *relay = 1.0;
            }
        }
    }

    fn note_counted(&mut self) {
        for index in 0..self.flow.events.len() {
            if let Some(what) = self.flow.events[index].counts {
                self.truths.counted[index] = self.truths.holds(what);
            }
        }
    }

    /// Does the event rows that fire; whether there were any.
    fn perform(&mut self) -> bool {
        let mut fired = false;
        for index in 0..self.flow.events.len() {
            let row = &self.flow.events[index];
            let mut acts = self.truths.all_hold(&row.when);
            if let Some(what) = row.counts {
                let now = self.truths.holds(what);
                let instantaneous = !what.negated && self.model.is_event(what.what);
                acts &= now && (instantaneous || !self.truths.counted[index]);
                self.truths.counted[index] = now && !instantaneous;
            }
            if acts {
                let relation = row.relation;
                add(&mut self.taken.relations, relation);
                self.seen.acts(relation);
                self.log.note(|| What::Acted(relation));
                self.actions.perform(index, self.t, &mut self.reals);
                fired = true;
            }
        }
        fired
    }

    /// Finds the mode of the present truths; borders met for the first time take the side on which
    /// the state is.
    pub(super) fn find_mode(&mut self) -> Result<(), RunFault> {
        let mut truths = std::mem::take(&mut self.truths);
        let found = self.mode_of(&mut truths);
        self.truths = truths;
        self.mode = found?;
        Ok(())
    }

    /// The mode of some truths, as [`Self::find_mode`].
    fn mode_of(&mut self, truths: &mut super::truth::Truths) -> Result<usize, RunFault> {
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
            let evaluator = self.modes.get(mode);
            if self.views.iter().any(Vec::is_empty) {
                for views in &mut self.views {
                    views.clear();
                }
                for &(range, _, view) in &evaluator.mode.comparisons {
                    self.views[range.index()].push(view);
                }
            }
            if self.watch_views.is_empty() {
                self.watch_views.clone_from(&evaluator.mode.watched);
            }
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
                truths.flags[border.index()] = beyond == 0.0;
            }
        }
    }

    /// Enters the mode of the present truths, or the mixture along a slide, and solves what follows
    /// from others.
    pub(super) fn enter(&mut self) -> Result<(), RunFault> {
        self.find_mode()?;
        self.truths.grow(&self.borders);
        self.assemble_and_enter()
    }

    /// Brings the reals up to date with the motion at the present point.
    fn write_reals(&mut self) -> Result<(), RunFault> {
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

    /// The motion from the present point that is bound to borders; with one more border on a side
    /// that it does not have, if asked for.
    pub(super) fn assemble(
        &mut self,
        bound: &Bound,
        other: Option<(BorderId, Side)>,
    ) -> Result<Motion, RunFault> {
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
                Some((border, side)) => self.mode_on(&[(border, side)])?,
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
                corners.push(self.mode_on(&on)?);
                sides.push(self.trial.sides.clone());
            }
            for sides in &mut sides {
                sides.resize(self.borders.len(), Side::Plus);
            }
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
            let lambda = if bound.lambda.len() == m {
                bound.lambda.clone()
            } else {
                vec![0.5; m]
            };
            let slide = Slide::new(&bound.slides, corners, bound.through, lambda);
            (mixture, Some(slide))
        };
        let evaluator = self.modes.get(mode);
        evaluator.enter(&self.reals, &self.truths.relays, &self.steps);
        let rest = bound.rest.clone();
        Ok(Motion::new(&self.modes, mode, slide, rest, &self.reals))
    }

    /// The mode with some borders on other sides and all else as it is; its truths are left in
    /// `trial`.
    fn mode_on(&mut self, sides: &[(BorderId, Side)]) -> Result<usize, RunFault> {
        let mut trial = std::mem::take(&mut self.trial);
        trial.clone_from(&self.truths);
        for &(border, side) in sides {
            trial.sides[border.index()] = side;
        }
        trial.scan_ranges(&self.model, &self.views);
        trial.scan_situations(&self.model, false);
        let found = self.mode_of(&mut trial);
        for index in self.truths.sides.len()..trial.sides.len() {
            self.truths.sides.push(trial.sides[index]);
            self.truths.flags.push(trial.flags[index]);
        }
        self.trial = trial;
        found
    }

    /// Bounds the margins of the motion at the present point, and how fast they move.
    fn bound_margins(&mut self) -> Result<(), RunFault> {
        let t = self.t;
        let rates = self.rates_now()?;
        let evaluator = self.modes.get(self.motion.mode);
        evaluator.states(&self.reals, &mut self.y);
        evaluator
            .first_order(&self.past, t, &self.y, &rates, &[])
            .map_err(|fault| loop_fault(t, fault))
    }

    /// The rates of the states if the motion is bound to borders; empty if the mode knows them.
    fn rates_now(&mut self) -> Result<Vec<f64>, RunFault> {
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

    /// Keeps the present z of every border.
    fn write_margins(&mut self) -> Result<(), RunFault> {
        let t = self.t;
        let evaluator = self.modes.get(self.motion.mode);
        evaluator.states(&self.reals, &mut self.y);
        evaluator
            .evaluate_margins(&self.past, t, &self.y)
            .map_err(|fault| loop_fault(t, fault))?;
        self.margins.clear();
        self.margins.resize(self.borders.len(), None);
        for margin in evaluator.mode.margins.iter() {
            self.margins[margin.border.index()] = evaluator.z(margin.border);
        }
        Ok(())
    }

    /// Borders whose margin has jumped take the side of its value; those at 0 are flagged.
    fn follow_values(&mut self) -> Result<(), RunFault> {
        self.landed.clear();
        self.bound_margins()?;
        let margins = self.modes.at(self.motion.mode).mode.margins.clone();
        for margin in margins.iter() {
            let border = margin.border;
            let index = border.index();
            let evaluator = self.modes.at(self.motion.mode);
            let was = self.margins.get(index).copied().flatten();
            if was == evaluator.z(border) || self.motion.bound_to(border) {
                continue;
            }
            let [z, _] = evaluator.z_first(border).unwrap_or_default();
            if z == 0.0 {
                self.truths.flags[index] = true;
                // Where a jump brings it there and it stays, a comparison of two equal numbers decides
                // by its strictness.
                let exactly = evaluator.z(border) == Some(0.0) && !self.is_step_end(border);
                if exactly && self.is_off(border, was.unwrap_or_default())? {
                    self.landed.push(border);
                }
                continue;
            }
            self.truths.flags[index] = false;
            let side = Side::of(z);
            let held = self.truths.sides[index];
            if side == held {
                continue;
            }
            if self.jumps_back(border, side)? {
                self.bound.slides.push(border);
                self.bound.through = true;
                self.bound.lambda.clear();
                self.bound.lambda.push(0.5);
                self.truths.flags[index] = true;
                self.check_slides()?;
                self.note_slide(true);
                continue;
            }
            if !self.jump_steps(border, z) {
                self.truths.sides[index] = side;
            }
        }
        Ok(())
    }

    /// If the border is an end of a step of a staircase, goes to the step on which the state is.
    fn jump_steps(&mut self, border: BorderId, z: f64) -> bool {
        for (staircase, step) in self.borders.staircases.iter().zip(&mut self.steps) {
            let from_low = if staircase.low == border {
                z
            } else if staircase.high == border {
                z + 1.0
            } else {
                continue;
            };
            *step += from_low.floor();
            self.truths.sides[staircase.low.index()] = Side::Plus;
            self.truths.sides[staircase.high.index()] = Side::Minus;
            return true;
        }
        false
    }

    /// Whether the side that a margin's value asks for gives a value that asks for the other side.
    fn jumps_back(&mut self, border: BorderId, side: Side) -> Result<bool, RunFault> {
        if !self.bound.slides.is_empty() || self.is_step_end(border) {
            return Ok(false);
        }
        let mode = self.mode_on(&[(border, side)])?;
        if mode == self.mode {
            return Ok(false);
        }
        let t = self.t;
        let evaluator = self.modes.get(mode);
        evaluator.enter(&self.reals, &self.truths.relays, &self.steps);
        evaluator.states(&self.reals, &mut self.y);
        evaluator
            .first_order(&self.past, t, &self.y, &[], &[])
            .map_err(|fault| loop_fault(t, fault))?;
        let [z, rate] = evaluator.z_first(border).unwrap_or_default();
        let asks = if z == 0.0 { rate } else { z };
        Ok(Side::of(asks) == side.flipped())
    }

    fn is_step_end(&self, border: BorderId) -> bool {
        let mut staircases = self.borders.staircases.iter();
        staircases.any(|ends| ends.low == border || ends.high == border)
    }

    /// Decides on which side of each flagged border the motion goes on, and along which it slides.
    fn decide(&mut self) -> Result<(), RunFault> {
        self.decide_bound()?;
        let borders: Vec<BorderId> = self
            .modes
            .at(self.motion.mode)
            .mode
            .margins
            .iter()
            .map(|margin| margin.border)
            .filter(|border| self.truths.flags[border.index()])
            .filter(|border| !self.borders.only_watched[border.index()])
            .collect();
        for border in borders {
            if self.bound.slides.contains(&border)
                || self.bound.rest.iter().any(|push| push.border == border)
            {
                continue;
            }
            let [minus, plus] = self.leans(border)?;
            let index = border.index();
            let held = self.truths.sides[index];
            let chosen = match (plus.sign >= 0, minus.sign <= 0) {
                (true, false) => Side::Plus,
                (false, true) => Side::Minus,
                (true, true)
                    if held == Side::On
                        || (plus.sign == 0 && minus.sign == 0 && self.landed.contains(&border)) =>
                {
                    match self.lean_of_motion(border)?.sign {
                        1 => Side::Plus,
                        -1 => Side::Minus,
                        _ => Side::On,
                    }
                }
                (true, true) => {
                    if plus.sign != 0
                        && minus.sign != 0
                        && let Some(border) = place(&self.borders, border)
                    {
                        self.log.note(|| What::NotUnique {
                            border,
                            kept: direction(held),
                        });
                    }
                    held
                }
                (false, false) => {
                    if self.is_step_end(border) {
                        return Err(self.chattering(border));
                    }
                    self.bound.slides.push(border);
                    self.bound.lambda.clear();
                    self.check_slides()?;
                    let unique = self.first_shares()?;
                    self.note_slide(unique);
                    self.assemble_and_enter()?;
                    continue;
                }
            };
            if chosen != held && !self.turn_step_to(border, chosen) {
                self.truths.sides[index] = chosen;
            }
        }
        Ok(())
    }

    /// An end of a step on which the state stands: the step is the one to which it moves.
    fn turn_step_to(&mut self, border: BorderId, side: Side) -> bool {
        let staircases = self.borders.staircases.iter();
        let over = staircases
            .filter(|ends| ends.low == border || ends.high == border)
            .any(|ends| (ends.low == border) == (side == Side::Minus));
        over && self.turn_step(border)
    }

    /// Borders to which the motion is bound and no longer has to be are left.
    fn decide_bound(&mut self) -> Result<(), RunFault> {
        let slides = self.bound.slides.clone();
        for border in slides {
            let holds = if self.bound.through {
                self.stays_through(border)?
            } else {
                let [minus, plus] = self.leans(border)?;
                match (plus.sign >= 0, minus.sign <= 0) {
                    (false, false) => true,
                    (upper, _) => {
                        let side = if upper { Side::Plus } else { Side::Minus };
                        self.truths.sides[border.index()] = side;
                        false
                    }
                }
            };
            if !holds {
                let side = self.truths.sides[border.index()];
                self.unbind(border, side);
                self.leaving.clear();
                self.assemble_and_enter()?;
            }
        }
        if self.bound.rest.is_empty() {
            return Ok(());
        }
        // A rest ends where nothing pushes any more, or the border has been left by a jump.
        self.bound_margins()?;
        let mut exits = Vec::new();
        let y: Vec<f64> = self.y.clone();
        let t = self.t;
        let pushed = self
            .motion
            .exits(&mut self.modes, &self.past, t, &y, &mut exits);
        let first = exits.len() - self.bound.rest.len().min(exits.len());
        let rest = self.bound.rest.clone();
        for (number, push) in rest.iter().enumerate() {
            let evaluator = self.modes.at(self.motion.mode);
            let [z, rate] = evaluator.z_first(push.border).unwrap_or([1.0; 2]);
            let scale = self.config.atol + self.config.settings.rtol;
            let on_it = z.abs() <= scale && rate.abs() <= scale;
            let pressed =
                pushed.is_ok() && exits.get(first + number).is_some_and(|&exit| exit < 0.0);
            if !(on_it && pressed) {
                self.unbind(push.border, push.side);
                if !on_it {
                    self.leaving.clear();
                }
                self.assemble_and_enter()?;
            }
        }
        Ok(())
    }

    /// Makes the motion from the present point and solves what follows from others.
    fn assemble_and_enter(&mut self) -> Result<(), RunFault> {
        if self.bound.slides.is_empty() && self.bound.rest.is_empty() {
            let evaluator = self.modes.get(self.mode);
            evaluator.enter(&self.reals, &self.truths.relays, &self.steps);
            self.motion.set_free(&self.modes, self.mode);
            return self.write_reals();
        }
        let bound = std::mem::take(&mut self.bound);
        let motion = self.assemble(&bound, None);
        self.bound = bound;
        self.motion = motion?;
        self.write_reals()
    }

    /// Whether a margin still jumps across its border: the value on either side asks for the other.
    fn stays_through(&mut self, border: BorderId) -> Result<bool, RunFault> {
        let mut values = [0.0; 2];
        for (value, side) in values.iter_mut().zip([Side::Minus, Side::Plus]) {
            let mode = self.mode_on(&[(border, side)])?;
            let t = self.t;
            let evaluator = self.modes.get(mode);
            evaluator.enter(&self.reals, &self.truths.relays, &self.steps);
            evaluator.states(&self.reals, &mut self.y);
            evaluator
                .evaluate(&self.past, t, &self.y)
                .map_err(|fault| loop_fault(t, fault))?;
            *value = evaluator.z(border).unwrap_or_default();
        }
        let [minus, plus] = values;
        if minus > 0.0 && plus < 0.0 {
            return Ok(true);
        }
        let side = if plus >= 0.0 { Side::Plus } else { Side::Minus };
        self.truths.sides[border.index()] = side;
        Ok(false)
    }

    /// A slide must not drive events or assignments.
    fn check_slides(&mut self) -> Result<(), RunFault> {
        match self.bound.slides.last() {
            Some(&border) if self.drives_events(border) => Err(self.chattering(border)),
            _ => Ok(()),
        }
    }

    fn chattering(&self, border: BorderId) -> RunFault {
        RunFault::Chattering {
            time: self.t,
            ranges: self.ranges_on(border),
        }
    }

    /// Finds the shares with which a slide begins; whether they are the only ones.
    fn first_shares(&mut self) -> Result<bool, RunFault> {
        let bound = std::mem::take(&mut self.bound);
        let motion = self.assemble(&bound, None);
        self.bound = bound;
        let mut motion = motion?;
        let m = self.bound.slides.len();
        let t = self.t;
        let y: Vec<f64> = motion
            .states
            .iter()
            .map(|real| self.reals[real.index()])
            .collect();
        let corners = motion.corner_rates(&mut self.modes, &self.past, t, &y);
        let corners = corners.map_err(|_| self.chattering(self.bound.slides[m - 1]))?;
        if m == 1 {
            let [minus, plus] = [corners[0], corners[1]];
            let share = if minus > 0.0 && plus < 0.0 {
                minus / (minus - plus)
            } else {
                self.share_of_next_derivatives()?
            };
            self.bound.lambda = vec![share];
            return Ok(true);
        }
        let all = shares::all(&corners, m);
        let far = |lambda: &Vec<f64>| lambda.iter().map(|l| (l - 0.5).abs()).fold(0.0, f64::max);
        let nearest = all.iter().min_by(|a, b| far(a).total_cmp(&far(b)));
        let Some(nearest) = nearest else {
            return Err(self.chattering(self.bound.slides[m - 1]));
        };
        self.bound.lambda.clone_from(nearest);
        Ok(all.len() == 1)
    }

    /// The share of the upper side where both rates vanish: by the next derivatives that do not.
    fn share_of_next_derivatives(&mut self) -> Result<f64, RunFault> {
        let border = self.bound.slides[0];
        let mut series = [[0.0; super::eval::ORDERS]; 2];
        for (series, side) in series.iter_mut().zip([Side::Minus, Side::Plus]) {
            let mode = self.mode_on(&[(border, side)])?;
            let t = self.t;
            let evaluator = self.modes.get(mode);
            evaluator.enter(&self.reals, &self.truths.relays, &self.steps);
            evaluator.states(&self.reals, &mut self.y);
            evaluator
                .taylor(&self.past, t, &self.y, &[])
                .map_err(|fault| loop_fault(t, fault))?;
            *series = evaluator.z_series(border).unwrap_or_default();
        }
        let [minus, plus] = series;
        let pairs = minus.iter().zip(&plus).skip(1);
        let first = pairs
            .into_iter()
            .find(|(minus, plus)| **minus != 0.0 || **plus != 0.0);
        Ok(first.map_or(0.5, |(minus, plus)| {
            (minus / (minus - plus)).clamp(0.0, 1.0)
        }))
    }

    fn note_slide(&mut self, unique: bool) {
        let bound = &self.bound;
        let borders: Vec<_> = bound
            .slides
            .iter()
            .zip(&bound.lambda)
            .filter_map(|(&border, &share)| Some((place(&self.borders, border)?, share)))
            .collect();
        self.log.note(|| What::SlideEntered { borders, unique });
    }

    /// How z leaves a border under the motions that its sides give, the lower first.
    fn leans(&mut self, border: BorderId) -> Result<[Lean; 2], RunFault> {
        let [minus, plus] = [Side::Minus, Side::Plus];
        if self.bound.slides.is_empty() && self.bound.rest.is_empty() {
            let free = Bound::default();
            return Ok([
                self.lean(border, minus, &free)?,
                self.lean(border, plus, &free)?,
            ]);
        }
        let mut bound = self.bound.clone();
        if let Some(at) = bound.slides.iter().position(|&other| other == border) {
            bound.slides.remove(at);
            bound.lambda.clear();
        }
        Ok([
            self.lean(border, minus, &bound)?,
            self.lean(border, plus, &bound)?,
        ])
    }

    fn lean(&mut self, border: BorderId, side: Side, bound: &Bound) -> Result<Lean, RunFault> {
        let is_step_end = self.is_step_end(border);
        if bound.slides.is_empty() && bound.rest.is_empty() && !is_step_end {
            let mode = self.mode_on(&[(border, side)])?;
            let evaluator = self.modes.get(mode);
            evaluator.enter(&self.reals, &self.truths.relays, &self.steps);
            return self.lean_in(mode, border, Some(side));
        }
        let steps = self.steps.clone();
        if is_step_end {
            // Beyond an end the next step holds.
            let ends = self.borders.staircases.iter().zip(&mut self.steps);
            for (ends, step) in ends {
                match side {
                    Side::Minus if ends.low == border => *step -= 1.0,
                    Side::Plus if ends.high == border => *step += 1.0,
                    _ => {}
                }
            }
        }
        let motion = self.assemble(bound, Some((border, side)));
        let lean = motion.and_then(|mut motion| self.lean_along(&mut motion, border, Some(side)));
        // Staircases that were met for the first time on the way stay known.
        self.steps[..steps.len()].copy_from_slice(&steps);
        lean
    }

    /// How z leaves a border along the present motion.
    fn lean_of_motion(&mut self, border: BorderId) -> Result<Lean, RunFault> {
        let mut motion = std::mem::take(&mut self.motion);
        let evaluator = self.modes.get(motion.mode);
        evaluator.enter(&self.reals, &self.truths.relays, &self.steps);
        let lean = self.lean_along(&mut motion, border, None);
        self.motion = motion;
        lean
    }

    fn lean_along(
        &mut self,
        motion: &mut Motion,
        border: BorderId,
        side: Option<Side>,
    ) -> Result<Lean, RunFault> {
        let t = self.t;
        if !motion.is_free() {
            let zeros = self.known_zeros(border, side);
            let states = motion.states.iter();
            self.y.clear();
            self.y.extend(states.map(|real| self.reals[real.index()]));
            let mut rates = vec![0.0; self.y.len()];
            motion
                .rates(&mut self.modes, &self.past, t, &self.y, &mut rates)
                .map_err(|_| step_fault(motion, StepError::Start { t, component: None }))?;
            let evaluator = self.modes.get(motion.mode);
            evaluator
                .first_order(&self.past, t, &self.y, &rates, &[])
                .map_err(|fault| loop_fault(t, fault))?;
            let [_, rate] = evaluator.z_first(border).unwrap_or_default();
            let rate = if zeros > 1 { 0.0 } else { rate };
            return Ok(Lean {
                sign: sign(rate),
                order: 1,
            });
        }
        self.lean_in(motion.mode, border, side)
    }

    /// How many derivatives of z, and z itself, are known to vanish on the way to a side.
    fn known_zeros(&self, border: BorderId, side: Option<Side>) -> usize {
        let mut leaving = self.leaving.iter();
        let known = leaving.find(|(other, to, _)| *other == border && Some(*to) == side);
        known.map_or(1, |(.., zeros)| *zeros)
    }

    /// How z leaves a border in a mode, which has been entered.
    fn lean_in(
        &mut self,
        mode: usize,
        border: BorderId,
        side: Option<Side>,
    ) -> Result<Lean, RunFault> {
        let t = self.t;
        let zeros = self.known_zeros(border, side);
        let evaluator = self.modes.get(mode);
        evaluator.states(&self.reals, &mut self.y);
        evaluator
            .first_order(&self.past, t, &self.y, &[], &[])
            .map_err(|fault| loop_fault(t, fault))?;
        let [_, rate] = evaluator.z_first(border).unwrap_or_default();
        if rate != 0.0 && zeros == 1 {
            return Ok(Lean {
                sign: sign(rate),
                order: 1,
            });
        }
        evaluator
            .taylor(&self.past, t, &self.y, &[])
            .map_err(|fault| loop_fault(t, fault))?;
        let series = evaluator.z_series(border).unwrap_or_default();
        let orders = series.iter().enumerate().skip(zeros.max(1));
        let first = orders.into_iter().find(|(_, c)| **c != 0.0);
        Ok(first.map_or_else(Lean::default, |(order, &c)| Lean {
            sign: sign(c),
            order,
        }))
    }

    /// The absolute tolerances of the states.
    pub(super) fn write_tolerances(&mut self) {
        self.atol.clear();
        let states = self.motion.states.iter();
        self.atol.extend(states.map(|_| self.config.atol));
    }

    /// Begins to move.
    fn begin(&mut self) -> Result<(), RunFault> {
        // Looking at other sides may have left other values in the modes that are shared.
        self.assemble_and_enter()?;
        self.begun.reals.clone_from(&self.reals);
        self.begun.bound.clone_from(&self.bound);
        let states = self.motion.states.iter();
        let mut y = std::mem::take(&mut self.y);
        y.clear();
        y.extend(states.map(|real| self.reals[real.index()]));
        self.write_tolerances();
        self.past.step_from(self.t);
        let mut moving = Moving {
            motion: &mut self.motion,
            modes: &mut self.modes,
            past: &self.past,
            fence: None,
        };
        self.stepper
            .enter(&mut moving, self.t, &y, &self.atol)
            .map_err(|error| enter_fault(&self.motion, error))?;
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

    /// What is known of each border at the start of a step.
    pub(super) fn departures(&mut self, into: &mut Vec<Departure>) -> Result<(), RunFault> {
        into.clear();
        into.extend(self.truths.sides.iter().map(|&side| Departure::Off(side)));
        if !self.truths.flags.iter().any(|&flag| flag) {
            return Ok(());
        }
        let margins = self.modes.at(self.motion.mode).mode.margins.clone();
        for (index, &flag) in self.truths.flags.iter().enumerate() {
            if flag
                && self
                    .modes
                    .at(self.motion.mode)
                    .mode
                    .margin_at
                    .get(index)
                    .is_none_or(Option::is_none)
            {
                into[index] = Departure::Stays;
            }
        }
        for margin in margins.iter() {
            let border = margin.border;
            let index = border.index();
            if !self.truths.flags[index] {
                continue;
            }
            if self.motion.bound_to(border) {
                into[index] = Departure::Stays;
                continue;
            }
            let left = self.leaving.iter().find(|(other, ..)| *other == border);
            if let Some(&(_, side, zeros)) = left {
                into[index] = Departure::Leaves(side, zeros);
                continue;
            }
            let lean = self.lean_of_motion(border)?;
            into[index] = match lean.sign {
                1 => Departure::Leaves(Side::Plus, lean.order),
                -1 => Departure::Leaves(Side::Minus, lean.order),
                _ => Departure::Stays,
            };
            if into[index] == Departure::Stays && self.has_strayed(border)? {
                self.truths.flags[index] = false;
                // A state that rested on the border since the start crosses it now.
                into[index] = Departure::Off(match self.truths.sides[index] {
                    Side::On => Side::of(
                        -self
                            .modes
                            .at(self.motion.mode)
                            .z(border)
                            .unwrap_or_default(),
                    ),
                    side => side,
                });
            }
        }
        Ok(())
    }

    /// Whether a margin that stands still is further from its border than the errors of the states
    /// explain.
    fn has_strayed(&mut self, border: BorderId) -> Result<bool, RunFault> {
        let z = self.modes.at(self.motion.mode).z(border);
        self.is_off(border, z.unwrap_or_default())
    }

    /// Whether a z is further from 0 than the errors of the states explain.
    fn is_off(&mut self, border: BorderId, z: f64) -> Result<bool, RunFault> {
        if z == 0.0 {
            return Ok(false);
        }
        let t = self.t;
        let (atol, rtol) = (self.config.atol, self.config.settings.rtol);
        let evaluator = self.modes.get(self.motion.mode);
        evaluator.states(&self.reals, &mut self.y);
        let scales: Vec<f64> = self.y.iter().map(|y| atol + rtol * y.abs()).collect();
        let mut reach = 0.0;
        evaluator
            .evaluate(&self.past, t, &self.y)
            .map_err(|fault| loop_fault(t, fault))?;
        for component in 0..scales.len() {
            let along = |index: usize| {
                if index == component {
                    scales[index]
                } else {
                    0.0
                }
            };
            evaluator
                .displace(&self.y, along, 0.0)
                .map_err(|fault| loop_fault(t, fault))?;
            reach += evaluator.z_displaced(border).unwrap_or_default().0.abs();
        }
        Ok(z.abs() > 100.0 * f64::max(reach, f64::EPSILON * z.abs()))
    }

    pub(super) fn ranges_on(&self, border: BorderId) -> Vec<RangeId> {
        let on = |index: &usize| self.views[*index].iter().any(|view| view.border == border);
        (0..self.views.len()).filter(on).map(RangeId::new).collect()
    }

    /// The situations of a kind that hold now.
    fn situations_now(&self, kind: impl Fn(&Situation) -> bool) -> Vec<SituationId> {
        let situations = self.model.situations.iter().zip(&self.truths.situations);
        let now = situations
            .enumerate()
            .filter(|(_, (situation, holds))| **holds && kind(situation));
        now.map(|(index, _)| SituationId::new(index)).collect()
    }

    /// Whether a range on the border has a part in an event or an assignment.
    fn drives_events(&self, border: BorderId) -> bool {
        let model = &self.model;
        let on_border = |index: usize| self.views[index].iter().any(|view| view.border == border);
        let mut touched = vec![false; model.situations.len()];
        let touches = |all: &[Literal], touched: &[bool]| {
            all.iter().any(|literal| match literal.what {
                Boolean::Range(id) => on_border(id.index()),
                Boolean::Situation(id) => touched[id.index()],
                Boolean::Switch(_) | Boolean::Schedule(_) | Boolean::Start => false,
            })
        };
        for row in &model.situation_rows {
            if touches(&row.all, &touched) {
                touched[row.situation.index()] = true;
            }
        }
        let events = model
            .situations
            .iter()
            .zip(&touched)
            .any(|(s, touched)| s.event && *touched);
        let counts = self.flow.events.iter().filter_map(|row| row.counts);
        events
            || model
                .assignments
                .iter()
                .any(|assignment| touches(&assignment.when, &touched))
            || counts.into_iter().any(|what| touches(&[what], &touched))
    }

    /// Where the instants gather, if they do.
    fn gathers(&mut self, reason: &Reason) -> Option<Limit> {
        if !reason.due.is_empty() || !self.bound.rest.is_empty() || !self.bound.slides.is_empty() {
            self.zeno.clear();
            return None;
        }
        let jump: Vec<(RealId, f64)> = self
            .motion
            .states
            .iter()
            .map(|&real| {
                let index = real.index();
                (real, self.reals[index] - self.before_jump[index])
            })
            .filter(|(_, jump)| *jump != 0.0)
            .collect();
        let first = reason.borders.first();
        let seen = Seen {
            time: self.t,
            side: first.map_or(Side::On, |border| self.truths.sides[border.index()]),
            borders: reason.borders.clone(),
            reals: self.reals.clone(),
            jump,
        };
        let (atol, rtol) = (self.config.atol, self.config.settings.rtol);
        let tolerance = |value: f64| atol + rtol * value.abs();
        let tick = rtol * self.t.abs();
        let limit = self.zeno.take(seen, &self.motion.states, tick, tolerance)?;
        // What is left must not show, with some room for rounding.
        let shows = |(real, value): &(RealId, f64)| {
            let now = self.reals[real.index()];
            (value - now).abs() > 1e4 * tolerance(now)
        };
        (!limit.reals.iter().any(shows)).then_some(limit)
    }

    /// Takes the rest of the instants together: the state rests on their borders from their limit on.
    fn gather(&mut self, limit: &Limit) -> Result<(), RunFault> {
        self.zeno.clear();
        let situations = self.taken.situations.clone();
        let note = (limit.time, situations.clone());
        let time = self.t;
        let no_rest = || RunFault::Zeno {
            time,
            limit: limit.time,
            situations: situations.clone(),
        };
        self.log.note(|| What::Zeno {
            limit: note.0,
            situations: note.1,
        });
        if limit.jumps.is_empty() {
            return Err(no_rest());
        }
        self.t = limit.time.max(self.t);
        for &(real, value) in &limit.reals {
            self.reals[real.index()] = value;
        }
        let mut rest: Vec<Push> = Vec::new();
        for jump in &limit.jumps {
            if rest.iter().any(|push| push.border == jump.border) {
                continue;
            }
            let size = jump
                .by
                .iter()
                .map(|(_, part)| part.abs())
                .fold(0.0, f64::max);
            let along = jump.by.iter().map(|&(real, part)| (real, part / size));
            self.truths.sides[jump.border.index()] = jump.side;
            rest.push(Push::new(jump.border, jump.side, along.collect()));
        }
        self.settle_on(&mut rest)
            .map_err(|fault| fault.unwrap_or_else(no_rest))?;
        for push in &rest {
            self.truths.flags[push.border.index()] = true;
        }
        self.bound.rest = rest;
        self.enter()?;
        let strengths = self.strengths()?;
        if !strengths.iter().all(|&strength| strength >= 0.0) {
            return Err(no_rest());
        }
        let bound = &self.bound.rest;
        for (push, strength) in bound.iter().zip(strengths) {
            if let Some(border) = place(&self.borders, push.border) {
                self.log.note(|| What::RestEntered {
                    border,
                    push: strength,
                });
            }
        }
        self.microsteps()
    }

    /// How strongly the state is pushed, now.
    fn strengths(&mut self) -> Result<Vec<f64>, RunFault> {
        self.rates_now()?;
        let strengths = self.motion.rest.iter().map(|push| push.strength);
        Ok(strengths.collect())
    }

    /// Puts the state on the borders, without speed across them, along the directions of the jumps.
    /// `None` as an error: these directions do not lead there.
    fn settle_on(&mut self, rest: &mut [Push]) -> Result<(), Option<RunFault>> {
        self.find_mode().map_err(Some)?;
        let mode = self.mode;
        let t = self.t;
        let evaluator = self.modes.get(mode);
        evaluator.enter(&self.reals, &self.truths.relays, &self.steps);
        let states = evaluator.mode.states.clone();
        for push in rest.iter_mut() {
            self.modes.get(mode).states(&self.reals, &mut self.y);
            let along = |index: usize| {
                let part = push.along.iter().find(|(real, _)| *real == states[index]);
                part.map_or(0.0, |(_, part)| *part)
            };
            let evaluator = self.modes.get(mode);
            let run = evaluator
                .evaluate_rates(&self.past, t, &self.y)
                .and_then(|()| evaluator.evaluate(&self.past, t, &self.y))
                .and_then(|()| evaluator.margin_rates())
                .and_then(|()| evaluator.displace(&self.y, along, 0.0));
            run.map_err(|fault| Some(loop_fault(t, fault)))?;
            let rate = evaluator.z_rate(push.border).ok_or(None)?;
            let (across, bend) = evaluator.z_displaced(push.border).ok_or(None)?;
            // The jump must turn the speed and not the place.
            if bend == 0.0 || bend.is_nan() || across.abs() > 1e-9 * bend.abs() {
                return Err(None);
            }
            // The push leads away from the border, to the side on which the state is.
            if (bend > 0.0) != (push.side == Side::Plus) {
                return Err(None);
            }
            for &(real, part) in &push.along {
                self.reals[real.index()] -= rate / bend * part;
            }
            self.put_on(push.border, mode).map_err(Some)?;
        }
        Ok(())
    }

    /// Moves the state by the little that it is off a border, straight towards it.
    fn put_on(&mut self, border: BorderId, mode: usize) -> Result<(), RunFault> {
        let t = self.t;
        let evaluator = self.modes.get(mode);
        evaluator.states(&self.reals, &mut self.y);
        let mut gradient = Vec::with_capacity(self.y.len());
        let run = evaluator.evaluate(&self.past, t, &self.y);
        run.map_err(|fault| loop_fault(t, fault))?;
        for component in 0..self.y.len() {
            let along = |index: usize| f64::from(u8::from(index == component));
            evaluator
                .displace(&self.y, along, 0.0)
                .map_err(|fault| loop_fault(t, fault))?;
            gradient.push(evaluator.z_displaced(border).unwrap_or_default().0);
        }
        let z = evaluator.z(border).unwrap_or_default();
        let square: f64 = gradient.iter().map(|g| g * g).sum();
        if square > 0.0 {
            for (real, g) in evaluator.mode.states.iter().zip(&gradient) {
                self.reals[real.index()] -= z * g / square;
            }
        }
        Ok(())
    }

    /// Rows of loops that went over to another solution when a point was committed.
    pub(super) fn note_branch(&mut self, rows: &[RelationId]) {
        let rows = rows.to_vec();
        self.log.note(|| What::Branch { rows });
    }
}

fn sign(value: f64) -> i8 {
    if value > 0.0 {
        1
    } else if value < 0.0 {
        -1
    } else {
        0
    }
}
