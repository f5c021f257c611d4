//! What happens at one time: sides turn, events fire, switches are set, until nothing changes.

use super::course::Cue;
use super::deeds::Deed;
use super::driver::Hybrid;
use super::fault::loop_fault;
use super::lift::Lift;
use super::log::{direction, place};
use super::motion::Push;
use super::truth::Truths;
use crate::bits::Bits;
use crate::ids::{RangeId, RelationId, ScheduleId, SituationId};
use crate::lower::border::{BorderId, Owner, Side};
use crate::model::{Mark, Order, Situation};
use crate::sim::RunFault;
use crate::slices::copy;
use crate::solve::Locate;
use crate::trace::What;
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

/// Microsteps at one time before the events count as endless, beyond one per rule.
const MICROSTEPS: usize = 64;

/// Instants closer than this part of the time do not count as progress.
const STALL: f64 = 1e3 * f64::EPSILON;

/// So many instants without progress count as endless.
const MAX_STALLED: u32 = 1000;

/// What brought an instant about.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Reason {
    /// Borders that are crossed.
    pub(super) borders: SmallVec<[BorderId; 4]>,
    /// Borders on which the state stood, and to which side it leaves them.
    pub(super) leaves: SmallVec<[(BorderId, Side); 2]>,
    /// A border along which the state slides though it has not got there, in doubles.
    pub(super) lift: Option<Lift>,
    /// Schedules that are due.
    pub(super) due: SmallVec<[ScheduleId; 2]>,
}

impl Reason {
    /// Nothing but the end of a step.
    pub(super) fn is_empty(&self) -> bool {
        self.borders.is_empty()
            && self.leaves.is_empty()
            && self.lift.is_none()
            && self.due.is_empty()
    }
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
    /// Where the fields beside one of them are looked at, if not on the border.
    pub(super) lift: Option<Lift>,
    /// The shares of their upper sides, where the motion began or was committed last.
    pub(super) lambda: Vec<f64>,
    /// What keeps the state on the borders on which it rests.
    pub(super) rest: Vec<Push>,
}

/// What stood before a microstep.
#[derive(Clone, Debug, Default)]
pub(super) struct Earlier {
    sides: Vec<Side>,
    switches: Bits,
    ranges: Bits,
    situations: Bits,
    pub(super) relays: Vec<f64>,
    reals: Vec<f64>,
    slides: Vec<BorderId>,
}

impl Earlier {
    fn note(&mut self, truths: &Truths, reals: &[f64], slides: &[BorderId]) {
        copy(&mut self.sides, &truths.sides);
        self.switches.clone_from(&truths.switches);
        self.ranges.clone_from(&truths.ranges);
        self.situations.clone_from(&truths.situations);
        copy(&mut self.relays, &truths.relays);
        copy(&mut self.reals, reals);
        copy(&mut self.slides, slides);
    }
}

impl Bound {
    pub(super) fn is_free(&self) -> bool {
        self.slides.is_empty() && self.rest.is_empty()
    }

    /// Whether the fields beside a border along which the state slides are looked at off it.
    pub(super) fn is_lifted(&self, border: BorderId) -> bool {
        self.lift.as_ref().is_some_and(|lift| lift.border == border)
    }

    /// All borders to which the motion is bound.
    pub(super) fn borders(&self) -> impl Iterator<Item = BorderId> {
        let rest = self.rest.iter().map(|push| push.border);
        self.slides.iter().copied().chain(rest)
    }
}

impl Hybrid {
    /// Everything that happens at the start.
    pub(super) fn start(&mut self) -> Result<(), RunFault> {
        self.truths.start = true;
        self.begin_with(|_| Ok(()))
    }

    /// Finds the booleans that stand where the run begins; `look` may move sides that values leave open.
    pub(super) fn begin_with(
        &mut self,
        look: impl FnOnce(&mut Self) -> Result<(), RunFault>,
    ) -> Result<(), RunFault> {
        let start = std::mem::take(&mut self.truths.start);
        self.log.wanted = true;
        self.log.begin(0, self.t);
        // Sides by value, until the mode that they give has these values. What a mode computes that
        // does not come to be leaves no trace in the reals.
        let given = self.reals.clone();
        self.truths
            .ranges_by_value(&self.model, &self.reals, &self.constants, self.t);
        self.truths.scan_situations(&self.model, false);
        for round in 0.. {
            let before = self.truths.clone();
            self.reals.clone_from(&given);
            self.enter()?;
            self.bound_margins()?;
            let evaluator = self.modes.at(self.motion.mode);
            for margin in evaluator.mode.margins.iter() {
                let index = margin.border.index();
                let z = evaluator.z(margin.border).unwrap_or_default();
                let [beyond, _] = evaluator.z_first(margin.border).unwrap_or_default();
                self.truths.sides[index] = Side::of(z);
                self.truths.flags.set(index, beyond == 0.0);
            }
            self.follow_sides();
            self.truths.scan_situations(&self.model, false);
            if self.truths == before || round > MICROSTEPS {
                break;
            }
        }
        self.check_motion()?;
        look(self)?;
        self.decide()?;
        self.follow_sides();
        self.truths.scan_situations(&self.model, false);
        self.note_counted();
        self.truths.start = start;
        self.microsteps()?;
        self.note_first_breaks();
        self.instants = 0;
        Ok(())
    }

    /// An instant at which borders are crossed or left, or schedules are due.
    pub(super) fn instant(&mut self, reason: &Reason) -> Result<(), RunFault> {
        self.instants += 1;
        self.log.begin(self.instants, self.t);
        self.count_stall()?;
        self.hush(&reason.borders)?;
        match self.lift_at_crossing(reason)? {
            None => self.happen(reason),
            lift => self.happen(&Reason {
                borders: SmallVec::new(),
                lift,
                ..reason.clone()
            }),
        }
    }

    /// What a reason brings about, as far as it goes.
    fn happen(&mut self, reason: &Reason) -> Result<(), RunFault> {
        self.note_reasons(reason)?;
        if self.config.locate == Locate::OneSided && self.motion.is_free() {
            self.step_onto(&reason.borders)?;
        }
        if let Some(lift) = &reason.lift {
            self.slide_between(lift)?;
        }
        copy(&mut self.before_jump, &self.reals);
        self.deeds.clear();
        if let Some(entered) = self.follow_course(reason) {
            self.begin(entered)?;
            return self.end_gathering(reason);
        }
        let before = self.pass_breaks();
        self.settle_to_leave(reason)?;
        for &(border, side) in &reason.leaves {
            self.truths.sides[border.index()] = side;
            self.truths.flags.set(border.index(), true);
            self.unbind(border, side);
        }
        match self.config.order {
            Order::Reversed if reason.borders.len() + reason.due.len() > 1 => {
                self.one_after_the_other(reason)?;
            }
            _ => {
                for &border in &reason.borders {
                    self.turn(border)?;
                }
                for &schedule in &reason.due {
                    self.fall_due(schedule);
                }
                self.smooth = self.is_smooth(reason);
                self.microsteps()?;
            }
        }
        if let Some(before) = before {
            self.note_breaks(&before, reason);
        }
        self.end_gathering(reason)
    }

    /// Instants that gather are taken together.
    fn end_gathering(&mut self, reason: &Reason) -> Result<(), RunFault> {
        match self.gathers(reason) {
            None => Ok(()),
            Some(limit) => self.gather(&limit),
        }
    }

    pub(super) fn fall_due(&mut self, schedule: ScheduleId) {
        self.beats[schedule.index()] += 1;
        self.truths.due.set(schedule.index(), true);
        self.deeds.due.push(schedule);
    }

    /// What falls on one instant is done in parts, the last first; a border that has turned or been left
    /// by a jump meanwhile is not crossed any more.
    fn one_after_the_other(&mut self, reason: &Reason) -> Result<(), RunFault> {
        let before = self.truths.sides.clone();
        for &schedule in reason.due.iter().rev() {
            self.fall_due(schedule);
            self.microsteps()?;
        }
        for &border in reason.borders.iter().rev() {
            let z = self.modes.at(self.motion.mode).z(border);
            let stands = self.truths.sides[border.index()] == before[border.index()];
            if stands && !self.is_off(border, z.unwrap_or_default())? {
                self.turn(border)?;
                self.microsteps()?;
            }
        }
        Ok(())
    }

    /// Whether only borders are crossed over which everything goes on smoothly.
    fn is_smooth(&self, reason: &Reason) -> bool {
        if !self.knows_smooth {
            return false;
        }
        let smooth = |border: &BorderId| {
            let owner = self.borders.owners[border.index()];
            let ranges = self.ranges_on(*border);
            let mut marks = ranges.iter().map(|id| self.model.ranges[id.index()].mark);
            matches!(owner, Owner::Comparison(..))
                && !self.borders.kinked[border.index()]
                && marks.all(|mark| mark == Some(Mark::Smooth))
        };
        let crosses = !reason.borders.is_empty() && reason.borders.iter().all(smooth);
        crosses && reason.leaves.is_empty() && reason.due.is_empty() && self.bound.is_free()
    }

    /// Counts instants that follow each other without the time moving on.
    fn count_stall(&mut self) -> Result<(), RunFault> {
        let moved =
            (self.t - self.last_instant).abs() > STALL * self.t.abs().max(f64::MIN_POSITIVE);
        self.stalled = if moved { 0 } else { self.stalled + 1 };
        self.last_instant = self.t;
        if self.stalled <= MAX_STALLED && self.spend() {
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
    pub(super) fn unbind(&mut self, border: BorderId, side: Side) {
        let bound = &mut self.bound;
        self.leaving.clear();
        if let Some(at) = bound.slides.iter().position(|&other| other == border) {
            // Of several that are left at once the shares of the later ones are gone.
            let end = f64::from(u8::from(side == Side::Plus));
            let share = bound.lambda.get(at).copied().unwrap_or(end);
            bound.slides.remove(at);
            bound.lambda.clear();
            let through = std::mem::take(&mut bound.through);
            if let Some(border) = place(&self.borders, border) {
                self.log.note(|| What::SlideLeft { border, share });
            }
            let beside = self.leave_between(border, side);
            if !(through || beside) {
                self.leaving.push((border, side, 2));
            }
        }
        let bound = &mut self.bound;
        if let Some(at) = bound.rest.iter().position(|push| push.border == border) {
            bound.rest.remove(at);
            self.leaving.push((border, side, 3));
            if let Some(border) = place(&self.borders, border) {
                self.log.note(|| What::RestLeft { border });
            }
        }
    }

    /// The motion is not bound to a border any more, though it has not moved off it.
    pub(super) fn let_go(&mut self, border: BorderId, side: Side) {
        self.bound.lift.take_if(|lift| lift.border == border);
        self.unbind(border, side);
        self.leaving.clear();
    }

    /// A border has been reached: its flag is set and its side turns.
    fn turn(&mut self, border: BorderId) -> Result<(), RunFault> {
        if self.turn_step(border) {
            return Ok(());
        }
        let index = border.index();
        self.truths.flags.set(index, true);
        self.truths.sides[index] = match self.truths.sides[index] {
            Side::On => match self.lean_of_motion(border)?.sign {
                1 => Side::Plus,
                -1 => Side::Minus,
                _ => {
                    self.courses.spoil();
                    Side::of(self.z_now(border)?)
                }
            },
            side => side.flipped(),
        };
        Ok(())
    }

    /// If the border is an end of a step of a staircase: goes to the next step.
    pub(super) fn turn_step(&mut self, border: BorderId) -> bool {
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
                self.truths.flags.set(end.index(), end == reached);
            }
            self.truths.sides[staircase.low.index()] = Side::Plus;
            self.truths.sides[staircase.high.index()] = Side::Minus;
            return true;
        }
        false
    }

    /// Repeats microsteps until nothing changes, then begins to move.
    pub(super) fn microsteps(&mut self) -> Result<(), RunFault> {
        let budget = MICROSTEPS + self.model.situation_rows.len() + self.model.assignments.len();
        self.earlier.clear();
        self.taken.clear();
        let mut is_defined = true;
        for step in 0.. {
            self.log.microstep();
            let mut before = self.mark.take().unwrap_or_default();
            before.note(&self.truths, &self.reals, &self.bound.slides);
            if step == 0 {
                self.write_margins()?;
            }
            // From here on delays have their right limits.
            self.past.step_from(self.t);
            self.follow_sides();
            self.truths.scan_situations(&self.model, true);
            self.note_arisen(&before);
            self.assign()?;
            self.note_switched(&before);
            let fired = self.note_fired();
            let acted = self.perform(step > 0)?;
            if acted {
                self.check_actions(&before.reals)?;
                self.leave_by_jump()?;
            }
            let momentary = fired || self.truths.start || self.truths.due.any();
            self.truths.due.clear();
            self.truths.start = false;
            let mode = self.motion.mode;
            self.find_bound_mode()?;
            let stands = step > 0 && !acted && is_defined && self.stands_in_mode(&before);
            let mut fault = None;
            if !stands {
                if step > 0 && !acted {
                    self.write_margins()?;
                }
                self.assemble_and_enter()?;
                fault = self.check_motion().err();
            }
            is_defined = fault.is_none();
            let moved = step == 0
                || acted
                || self.motion.mode != mode
                || (!stands && self.differs(&before));
            if moved {
                self.follow_values()?;
            }
            if let Some(fault) = fault {
                if self.truths.sides == before.sides {
                    return Err(fault);
                }
                self.courses.spoil();
                self.keep_defined(&before.reals);
            } else if moved || self.truths.sides != before.sides {
                // What was decided stands while nothing changes.
                self.decide()?;
            }
            self.note_turned(&before);
            let sees_anew = self.flow.views_vary && self.motion.mode != mode;
            let same = !(acted || sees_anew)
                && self.truths.sides == before.sides
                && self.truths.switches == before.switches
                && self.truths.relays == before.relays
                && self.bound.slides == before.slides
                && (stands
                    || (!momentary && self.stands_in_mode(&before))
                    || !self.differs(&before));
            let switched = !same && self.truths.switches != before.switches;
            let latched = !same && self.truths.relays != before.relays;
            let entered = same && self.stands_in_mode(&before);
            self.mark = Some(before);
            if same && !self.reads_anew() {
                self.truths.scan_situations(&self.model, false);
                // What holds for an instant only may have kept a row from being active.
                if !(fired && self.flow.heeds_events && self.mode_changes()?) {
                    self.keep_course(entered);
                    return self.begin(entered);
                }
                continue;
            }
            if acted || switched {
                self.leaving.clear();
                self.smooth = false;
            }
            self.smooth &= !latched;
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

    /// Whether the reals are not what they were.
    fn differs(&mut self, before: &Earlier) -> bool {
        self.courses.spoil();
        self.reals != before.reals
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
        let courses = &mut self.courses;
        let taken = &mut self.taken.assignments;
        let executed_now = &mut self.deeds.executed;
        let executed = |assignment, changed| {
            seen.assigned(assignment);
            courses.note_assigned(assignment);
            add(executed_now, assignment);
            if changed {
                add(taken, assignment);
                log.note(|| What::Assigned(assignment));
            }
        };
        self.truths
            .assign(&self.model, self.config.order, executed)
            .map_err(|cycle| RunFault::Cycle {
                time: t,
                assignments: cycle.assignments,
            })
    }

    /// Notes the ranges and situations that are not what they were, and the events.
    fn note_arisen(&mut self, before: &Earlier) {
        let (now, log) = (&self.truths, &mut self.log);
        let taken = &mut self.taken;
        now.situations.each_one(|index| {
            if self.model.situations[index].event {
                add(&mut taken.situations, SituationId::new(index));
            }
        });
        now.ranges.each_difference(&before.ranges, |index| {
            add(&mut taken.ranges, RangeId::new(index));
        });
        if !log.wanted {
            return;
        }
        now.ranges.each_difference(&before.ranges, |index| {
            let holds = now.ranges.get(index);
            log.note(|| What::Range(RangeId::new(index), holds));
        });
        for (index, situation) in self.model.situations.iter().enumerate() {
            let id = SituationId::new(index);
            let holds = now.situations.get(index);
            if situation.event && holds {
                log.note(|| What::Fired(id));
            } else if !situation.event && holds != before.situations.get(index) {
                log.note(|| What::Situation(id, holds));
            }
        }
    }

    /// Notes the switches that are not what they were.
    fn note_switched(&mut self, before: &Earlier) {
        let (now, log) = (&self.truths, &mut self.log);
        now.switches.each_difference(&before.switches, |index| {
            let on = now.switches.get(index);
            log.note(|| What::Switch(crate::ids::SwitchId::new(index), on));
        });
    }

    /// Notes the borders that have turned.
    fn note_turned(&mut self, before: &Earlier) {
        let (now, log) = (&self.truths, &mut self.log);
        if !log.wanted {
            return;
        }
        for (index, &side) in now.sides.iter().enumerate() {
            let was = before.sides.get(index);
            let border = BorderId::new(index);
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

    /// Whether a range without borders has another truth by value than it holds.
    pub(super) fn reads_anew(&self) -> bool {
        let ranges = &self.truths.ranges;
        let mut unbordered = self.unbordered.iter();
        unbordered.any(|&range| self.by_value(range) != ranges.get(range))
    }

    /// The truth of a range by the values of what it compares.
    fn by_value(&self, range: usize) -> bool {
        let mut comparisons = self.model.ranges[range].all.iter();
        comparisons.all(|comparison| {
            let [left, right] = [comparison.left, comparison.right]
                .map(|side| (self.model).value_at(side, &self.reals, &self.constants, self.t));
            comparison.op.holds(left, right)
        })
    }

    /// Ranges and relays follow the sides.
    pub(super) fn follow_sides(&mut self) {
        self.truths.scan_ranges(&self.model, &self.views);
        for index in 0..self.unbordered.len() {
            let range = self.unbordered[index];
            self.truths.ranges.set(range, self.by_value(range));
        }
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
                self.truths.counted.set(index, self.truths.holds(what));
            }
        }
    }

    /// Does the event rows that fire; whether there were any. `looks`: the margins before are to be kept.
    fn perform(&mut self, looks: bool) -> Result<bool, RunFault> {
        let mut fired = false;
        let rows = self.flow.events.len();
        for position in 0..rows {
            let index = match self.config.order {
                Order::Written => position,
                Order::Reversed => rows - 1 - position,
            };
            let row = &self.flow.events[index];
            let mut acts = self.truths.all_hold(&row.when);
            if let Some(what) = row.counts {
                let now = self.truths.holds(what);
                let instantaneous = !what.negated && self.model.is_event(what.what);
                acts &= now && (instantaneous || !self.truths.counted.get(index));
                self.truths.counted.set(index, now && !instantaneous);
            }
            if acts {
                let relation = row.relation;
                if looks && !fired {
                    self.write_margins()?;
                }
                add(&mut self.taken.relations, relation);
                self.seen.acts(relation);
                self.log.note(|| What::Acted(relation));
                self.courses.note(Cue::Act(index));
                self.act(index);
                fired = true;
            }
        }
        Ok(fired)
    }

    /// Does an event row.
    pub(super) fn act(&mut self, row: usize) {
        let relation = self.flow.events[row].relation;
        if self.deeds.written.is_empty() {
            copy(&mut self.deeds.left, &self.reals);
        }
        let written = &mut self.deeds.written;
        let wrote = |real, before, after| {
            written.push(Deed {
                relation,
                real,
                before,
                after,
            });
        };
        self.actions.perform(row, self.t, &mut self.reals, wrote);
    }

    /// The situations of a kind that hold now.
    pub(super) fn situations_now(&self, kind: impl Fn(&Situation) -> bool) -> Vec<SituationId> {
        let mut now = Vec::new();
        self.truths.situations.each_one(|index| {
            if kind(&self.model.situations[index]) {
                now.push(SituationId::new(index));
            }
        });
        now
    }

    /// Rows of loops that went over to another solution when a point was committed.
    pub(super) fn note_branch(&mut self, rows: &[RelationId]) {
        let rows = rows.to_vec();
        self.log.note(|| What::Branch { rows });
    }
}
