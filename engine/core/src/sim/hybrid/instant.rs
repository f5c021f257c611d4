//! What happens at one time: sides turn, events fire, switches are set, until nothing changes.

use super::driver::{Hybrid, enter_fault, step_fault};
use super::motion::{Motion, Slide};
use crate::ids::{RangeId, ScheduleId, SituationId};
use crate::lower::border::{BorderId, Side};
use crate::lower::mode::ModeError;
use crate::model::{Boolean, Situation};
use crate::sim::RunFault;
use crate::solve::StepError;

/// Microsteps at one time before the events count as endless, beyond one per rule.
const MICROSTEPS: usize = 64;

/// Instants closer than this part of the time do not count as progress.
const STALL: f64 = 1e3 * f64::EPSILON;

/// So many instants without progress count as endless.
const MAX_STALLED: u32 = 1000;

/// The margins of the mode at the last look: border -> z.
type Margins = Vec<(BorderId, f64)>;

impl Hybrid {
    /// Everything that happens at the start.
    pub(super) fn start(&mut self) -> Result<(), RunFault> {
        self.truths.start = true;
        self.begin_with(|_| {})
    }

    /// Finds the booleans that stand where the run begins; `look` may move sides that values leave open.
    pub(super) fn begin_with(&mut self, look: impl FnOnce(&mut Self)) -> Result<(), RunFault> {
        let start = std::mem::take(&mut self.truths.start);
        // Sides by value, until the mode that they give has these values.
        for round in 0.. {
            let before = self.truths.clone();
            self.enter()?;
            let margins = self.margins()?;
            for &(border, z) in &margins {
                self.truths.sides[border.index()] = Side::of(z);
                self.truths.flags[border.index()] = z == 0.0;
            }
            self.follow_sides();
            self.truths.scan_situations(&self.model, false);
            if self.truths == before || round > MICROSTEPS {
                break;
            }
        }
        look(self);
        self.decide_flagged()?;
        self.follow_sides();
        self.truths.scan_situations(&self.model, false);
        self.note_counted();
        self.truths.start = start;
        self.microsteps()?;
        self.instants = 0;
        Ok(())
    }

    /// An instant at which borders are crossed, a slide is left or schedules are due.
    pub(super) fn instant(
        &mut self,
        group: &[BorderId],
        leaves: Option<Side>,
        due: &[ScheduleId],
    ) -> Result<(), RunFault> {
        self.instants += 1;
        self.count_stall()?;
        let sliding = match &self.motion {
            Some(Motion::Slide(slide)) => Some(slide.border),
            _ => None,
        };
        if let (Some(border), Some(side)) = (sliding, leaves) {
            self.truths.sides[border.index()] = side;
            self.truths.flags[border.index()] = true;
        }
        for &border in group {
            self.turn(border)?;
        }
        for &schedule in due {
            self.beats[schedule.index()] += 1;
            self.truths.due[schedule.index()] = true;
        }
        self.microsteps()
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

    /// A border has been reached: its flag is set and its side turns.
    fn turn(&mut self, border: BorderId) -> Result<(), RunFault> {
        let index = border.index();
        self.truths.flags[index] = true;
        let ends = |staircase: &crate::lower::border::Piece| {
            (staircase.low == border, staircase.high == border)
        };
        for (staircase, step) in self.borders.staircases.iter().zip(&mut self.steps) {
            match ends(staircase) {
                (true, _) => *step -= 1.0,
                (_, true) => *step += 1.0,
                _ => continue,
            }
            for end in [staircase.low, staircase.high] {
                self.truths.flags[end.index()] = false;
            }
            self.truths.sides[staircase.low.index()] = Side::Plus;
            self.truths.sides[staircase.high.index()] = Side::Minus;
            return Ok(());
        }
        self.truths.sides[index] = match self.truths.sides[index] {
            Side::On => {
                let rate = self.rate_of(border)?;
                Side::of(rate)
            }
            side => side.flipped(),
        };
        Ok(())
    }

    fn rate_of(&mut self, border: BorderId) -> Result<f64, RunFault> {
        let Some(Motion::Mode(mut evaluator)) = self.motion.take() else {
            return Ok(0.0);
        };
        let y = evaluator.states(&self.reals);
        self.series(&mut evaluator, &y)?;
        let rate = evaluator.margin_rate(border).unwrap_or(0.0);
        self.motion = Some(Motion::Mode(evaluator));
        Ok(rate)
    }

    /// Repeats microsteps until nothing changes, then begins to move.
    fn microsteps(&mut self) -> Result<(), RunFault> {
        let budget = MICROSTEPS + self.model.situation_rows.len() + self.model.assignments.len();
        let mut fired_last: Vec<SituationId> = Vec::new();
        for step in 0.. {
            let before = (
                self.truths.sides.clone(),
                self.truths.switches.clone(),
                self.truths.relays.clone(),
                self.reals.clone(),
            );
            let margins = self.margins()?;
            self.follow_sides();
            self.truths.scan_situations(&self.model, true);
            let (t, seen) = (self.t, &mut self.seen);
            self.truths
                .assign(&self.model, |assignment| seen.assigned(assignment))
                .map_err(|cycle| RunFault::Cycle {
                    time: t,
                    assignments: cycle.assignments,
                })?;
            self.note_fired();
            let fired = self.perform();
            if fired {
                // What fires once at the beginning has no part in the circle.
                if 2 * step > budget {
                    fired_last.extend(self.situations_now(|situation| situation.event));
                }
            }
            self.truths.due.fill(false);
            self.truths.start = false;
            self.enter()?;
            self.follow_values(&margins)?;
            let slides = self.decide_flagged()?;
            let after = (
                self.truths.sides.clone(),
                self.truths.switches.clone(),
                self.truths.relays.clone(),
                self.reals.clone(),
            );
            if after == before && !fired {
                self.settle();
                return self.begin(slides);
            }
            if step > budget {
                fired_last.sort_unstable();
                fired_last.dedup();
                return Err(RunFault::Endless {
                    time: self.t,
                    situations: fired_last,
                });
            }
        }
        Ok(())
    }

    /// Ranges and relays follow the sides.
    fn follow_sides(&mut self) {
        self.truths.scan_ranges(&self.model, &self.views);
        let views = &self.modes.get(self.mode).mode.relay_views;
        for (relay, [low, high]) in self.truths.relays.iter_mut().zip(views) {
            let side = |view: &crate::lower::border::View| {
                view.side(self.truths.sides[view.border.index()])
            };
            if side(low) != Side::Plus {
                *relay = false;
            }
            if side(high) != Side::Minus {
                *relay = true;
            }
        }
    }

    /// The instant is over: nothing instantaneous holds any more.
    fn settle(&mut self) {
        self.truths.scan_situations(&self.model, false);
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
                self.seen.acts(row.relation);
                self.actions.perform(index, self.t, &mut self.reals);
                fired = true;
            }
        }
        fired
    }

    /// Finds the mode of the present truths and solves what follows from others.
    fn enter(&mut self) -> Result<(), RunFault> {
        loop {
            let known = self.borders.len();
            let known_steps = self.steps.len();
            self.mode = self
                .modes
                .find(
                    &self.model,
                    &self.flow,
                    &self.watching.comparisons,
                    &self.constants,
                    &mut self.borders,
                    &mut self.truths,
                )
                .map_err(|error| match error {
                    ModeError::ClampReadsItself(row) => RunFault::ClampReadsItself(row),
                    ModeError::NotSupported(row) => RunFault::NotSupported(row),
                })?;
            self.steps.resize(self.borders.staircases.len(), 0.0);
            let evaluator = self.modes.get(self.mode);
            evaluator.enter(&self.reals, &self.truths.relays, &self.steps);
            if self.views.iter().any(Vec::is_empty) {
                for &(range, _, view) in &evaluator.mode.comparisons {
                    self.views[range.index()].push(view);
                }
            }
            if self.watch_views.is_empty() {
                self.watch_views.clone_from(&evaluator.mode.watched);
            }
            let y = evaluator.states(&self.reals);
            let t = self.t;
            evaluator.evaluate(t, &y).map_err(|fault| RunFault::Loop {
                time: t,
                rows: fault.rows,
                singular: fault.singular,
            })?;
            evaluator.algebraic(&mut self.reals);
            if self.borders.len() == known {
                return Ok(());
            }
            // Borders met for the first time take the side on which the state is.
            let margins: Vec<_> = evaluator
                .mode
                .margins
                .iter()
                .filter(|margin| margin.border.index() >= known)
                .map(|margin| {
                    let value = evaluator.value(margin.slot);
                    (margin.border, if margin.upright { value } else { -value })
                })
                .collect();
            for (border, z) in margins {
                self.truths.sides[border.index()] = Side::of(z);
                self.truths.flags[border.index()] = z == 0.0;
            }
            for index in known_steps..self.steps.len() {
                let low = self.borders.staircases[index].low;
                let margin = evaluator
                    .mode
                    .margins
                    .iter()
                    .find(|margin| margin.border == low);
                let ratio = margin.map_or(0.0, |margin| evaluator.value(margin.slot));
                self.steps[index] = ratio.floor();
            }
        }
    }

    /// The present z of every border of the mode.
    fn margins(&mut self) -> Result<Margins, RunFault> {
        let (t, mode) = (self.t, self.mode);
        let evaluator = self.modes.get(mode);
        evaluator.enter(&self.reals, &self.truths.relays, &self.steps);
        let y = evaluator.states(&self.reals);
        evaluator.evaluate(t, &y).map_err(|fault| RunFault::Loop {
            time: t,
            rows: fault.rows,
            singular: fault.singular,
        })?;
        Ok(evaluator
            .mode
            .margins
            .iter()
            .map(|margin| {
                let value = evaluator.value(margin.slot);
                (margin.border, if margin.upright { value } else { -value })
            })
            .collect())
    }

    /// Borders whose margin has jumped take the side of its value; those at 0 are flagged.
    fn follow_values(&mut self, before: &Margins) -> Result<(), RunFault> {
        let (t, mode) = (self.t, self.mode);
        let evaluator = self.modes.get(mode);
        let y = evaluator.states(&self.reals);
        evaluator.series(t, &y).map_err(|fault| RunFault::Loop {
            time: t,
            rows: fault.rows,
            singular: fault.singular,
        })?;
        for margin in evaluator.mode.margins.iter() {
            let value = evaluator.value(margin.slot);
            let exact = if margin.upright { value } else { -value };
            let was = before.iter().find(|(border, _)| *border == margin.border);
            if was.is_some_and(|(_, was)| *was == exact) {
                continue;
            }
            let z = evaluator
                .margin_series(margin.border)
                .map_or(exact, |series| series[0]);
            let index = margin.border.index();
            if z == 0.0 {
                self.truths.flags[index] = true;
            } else {
                self.truths.flags[index] = false;
                self.truths.sides[index] = Side::of(z);
            }
        }
        Ok(())
    }

    /// Decides on which side of each flagged border the motion goes on; the borders along which it
    /// slides.
    fn decide_flagged(&mut self) -> Result<Vec<BorderId>, RunFault> {
        let mut slides = Vec::new();
        let margins = self.margins()?;
        for (border, _) in margins {
            if !self.truths.flags[border.index()] {
                continue;
            }
            let plus = self.sign_of_motion(border, Side::Plus)?;
            let minus = self.sign_of_motion(border, Side::Minus)?;
            let side = &mut self.truths.sides[border.index()];
            match (plus >= 0, minus <= 0) {
                (true, false) => *side = Side::Plus,
                (false, true) => *side = Side::Minus,
                (true, true) => {}
                (false, false) => slides.push(border),
            }
        }
        Ok(slides)
    }

    /// The sign of the first derivative of z that is not 0, in the mode that a side would give.
    fn sign_of_motion(&mut self, border: BorderId, side: Side) -> Result<i8, RunFault> {
        let mode = self.mode_on(border, side)?;
        let t = self.t;
        let evaluator = self.modes.get(mode);
        evaluator.enter(&self.reals, &self.truths.relays, &self.steps);
        let y = evaluator.states(&self.reals);
        evaluator.series(t, &y).map_err(|fault| RunFault::Loop {
            time: t,
            rows: fault.rows,
            singular: fault.singular,
        })?;
        let series = evaluator.margin_series(border).unwrap_or_default();
        Ok(match series[1..].iter().find(|&&c| c != 0.0) {
            Some(&c) if c > 0.0 => 1,
            Some(_) => -1,
            None => 0,
        })
    }

    /// The mode with the border on a side and all else as it is.
    fn mode_on(&mut self, border: BorderId, side: Side) -> Result<usize, RunFault> {
        let mut truths = self.truths.clone();
        truths.sides[border.index()] = side;
        truths.scan_ranges(&self.model, &self.views);
        truths.scan_situations(&self.model, false);
        let known = self.borders.len();
        let found = self.modes.find(
            &self.model,
            &self.flow,
            &self.watching.comparisons,
            &self.constants,
            &mut self.borders,
            &mut truths,
        );
        if self.borders.len() > known {
            self.truths.grow(&self.borders);
            self.steps.resize(self.borders.staircases.len(), 0.0);
        }
        found.map_err(|error| match error {
            ModeError::ClampReadsItself(row) => RunFault::ClampReadsItself(row),
            ModeError::NotSupported(row) => RunFault::NotSupported(row),
        })
    }

    /// Begins to move, in the mode or along borders.
    fn begin(&mut self, slides: Vec<BorderId>) -> Result<(), RunFault> {
        let mut motion = self.motion_along(&slides)?;
        let y: Vec<f64> = motion
            .states()
            .iter()
            .map(|real| self.reals[real.index()])
            .collect();
        self.begun.reals.clone_from(&self.reals);
        self.begun.slides = slides;
        let atol = vec![self.config.atol; y.len()];
        self.stepper
            .enter(&mut motion, self.t, &y, &atol)
            .map_err(|error| enter_fault(&motion, error))?;
        if motion.write(self.t, &y, &mut self.reals).is_err() {
            let error = StepError::Start {
                t: self.t,
                component: None,
            };
            return Err(step_fault(&motion, error));
        }
        self.motion = Some(motion);
        self.write_words();
        let active = self.flow.active(|literal| self.truths.holds(literal));
        let rows = self.flow.rows.iter().zip(active);
        let active = rows
            .filter(|(_, active)| *active)
            .map(|(row, _)| row.relation);
        self.seen.change(&self.words, active, self.t);
        Ok(())
    }

    /// The motion from the present reals, in the mode or along borders.
    pub(super) fn motion_along(&mut self, slides: &[BorderId]) -> Result<Motion, RunFault> {
        match *slides {
            [] => {
                let evaluator = self.modes.get(self.mode);
                evaluator.enter(&self.reals, &self.truths.relays, &self.steps);
                Ok(Motion::Mode(Box::new(evaluator.clone())))
            }
            [border] => {
                if self.drives_events(border) {
                    let ranges = self.ranges_on(border);
                    return Err(RunFault::Chattering {
                        time: self.t,
                        ranges,
                    });
                }
                let mut side = |side| -> Result<_, RunFault> {
                    let mode = self.mode_on(border, side)?;
                    let evaluator = self.modes.get(mode);
                    evaluator.enter(&self.reals, &self.truths.relays, &self.steps);
                    Ok(evaluator.clone())
                };
                let (plus, minus) = (side(Side::Plus)?, side(Side::Minus)?);
                Ok(Motion::Slide(Box::new(Slide::new(
                    border,
                    plus,
                    minus,
                    &self.reals,
                ))))
            }
            [border, ..] => {
                let ranges = self.ranges_on(border);
                Err(RunFault::Chattering {
                    time: self.t,
                    ranges,
                })
            }
        }
    }

    fn ranges_on(&self, border: BorderId) -> Vec<RangeId> {
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
        let touches = |all: &[crate::model::Literal], touched: &[bool]| {
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
        events
            || model
                .assignments
                .iter()
                .any(|assignment| touches(&assignment.when, &touched))
    }
}
