//! What happens at one time: sides turn, events fire, switches are set, until nothing changes.

use crate::ids::{RangeId, RelationId, ScheduleId, SituationId};
use crate::lower::border::{BorderId, Owner, Side};
use crate::model::{Mark, Order, Situation};
use crate::sim::RunFault;
use crate::sim::events::motion::singular_sliding::Lift;
use crate::sim::events::motion::vector_field::Push;
use crate::sim::events::observe::log::{direction, place};
use crate::sim::events::run::Hybrid;
use crate::sim::events::run::fault::loop_fault;
use crate::times::{Known, due};
use crate::trace::What;
use serde::{Deserialize, Serialize};
use situ_solve::Locate;
use situ_solve::slices::copy;
use smallvec::SmallVec;

/// Rounds in which the sides at the start must settle.
const ROUNDS: usize = 64;

/// Instants closer than this part of the time do not count as progress.
const STALL: f64 = 1e3 * f64::EPSILON;

/// So many instants without progress count as endless.
const MAX_STALLED: u32 = 1000;

/// What brought an instant about.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Reason {
    /// Borders that are crossed.
    pub(crate) borders: SmallVec<[BorderId; 4]>,
    /// Borders on which the state stood, and to which side it leaves them.
    pub(crate) leaves: SmallVec<[(BorderId, Side); 2]>,
    /// A border along which the state slides though it has not got there, in doubles.
    pub(crate) lift: Option<Lift>,
    /// Schedules that are due.
    pub(crate) due: SmallVec<[ScheduleId; 2]>,
}

impl Reason {
    /// Nothing but the end of a step.
    pub(crate) fn is_empty(&self) -> bool {
        self.borders.is_empty()
            && self.leaves.is_empty()
            && self.lift.is_none()
            && self.due.is_empty()
    }
}

/// Rules that took part in an instant, each once.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Taken {
    pub(super) situations: Vec<SituationId>,
    pub(super) assignments: Vec<usize>,
    pub(super) relations: Vec<RelationId>,
    pub(super) ranges: Vec<RangeId>,
}

impl Taken {
    pub(super) fn clear(&mut self) {
        self.situations.clear();
        self.assignments.clear();
        self.relations.clear();
        self.ranges.clear();
    }
}

/// What binds the motion to borders.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Bound {
    /// The borders along which the state slides.
    pub(crate) slides: Vec<BorderId>,
    /// The one of them whose margin jumps across it.
    pub(crate) through: bool,
    /// Where the fields beside one of them are looked at, if not on the border.
    pub(crate) lift: Option<Lift>,
    /// The shares of their upper sides, where the motion began or was committed last.
    pub(crate) lambda: Vec<f64>,
    /// What keeps the state on the borders on which it rests.
    pub(crate) rest: Vec<Push>,
}

impl Bound {
    pub(crate) fn is_free(&self) -> bool {
        self.slides.is_empty() && self.rest.is_empty()
    }

    /// Whether the fields beside a border along which the state slides are looked at off it.
    pub(super) fn is_lifted(&self, border: BorderId) -> bool {
        self.lift.as_ref().is_some_and(|lift| lift.border == border)
    }

    /// All borders to which the motion is bound.
    pub(crate) fn borders(&self) -> impl Iterator<Item = BorderId> {
        let rest = self.rest.iter().map(|push| push.border);
        self.slides.iter().copied().chain(rest)
    }
}

impl Hybrid {
    /// Everything that happens at the start.
    pub(crate) fn start(&mut self) -> Result<(), RunFault> {
        self.state.discrete.start = true;
        self.begin_with(|_| Ok(()))
    }

    /// Finds the booleans that stand where the run begins; `look` may move sides that values leave open.
    pub(crate) fn begin_with(
        &mut self,
        look: impl FnOnce(&mut Self) -> Result<(), RunFault>,
    ) -> Result<(), RunFault> {
        let start = std::mem::take(&mut self.state.discrete.start);
        self.observe.log.wanted = true;
        self.observe.log.begin(0, self.state.t);
        // Sides by value, until the mode that they give has these values. What a mode computes that
        // does not come to be leaves no trace in the reals.
        let given = self.state.reals.clone();
        self.state.discrete.ranges_by_value(
            &self.plan.model,
            &self.state.reals,
            &self.plan.constants,
            self.state.t,
        );
        self.state
            .discrete
            .settle_situations(&self.plan.model, &self.plan.scan);
        for round in 0.. {
            let before = self.state.discrete.clone();
            self.state.reals.clone_from(&given);
            self.enter()?;
            self.know_borders();
            self.bound_margins()?;
            let evaluator = self.dynamics.modes.at(self.dynamics.motion.mode);
            for margin in evaluator.mode.margins.iter() {
                let index = margin.border.index();
                let z = evaluator.z(margin.border).unwrap_or_default();
                let [beyond, _] = evaluator.z_first(margin.border).unwrap_or_default();
                self.state.discrete.sides[index] = Side::of(z);
                self.state.discrete.flags.set(index, beyond == 0.0);
            }
            self.follow_sides();
            if self.state.discrete == before || round > ROUNDS {
                break;
            }
        }
        self.check_motion()?;
        look(self)?;
        self.dynamics.sides_stand = false;
        self.decide()?;
        self.follow_sides();
        self.note_counted();
        self.observe
            .watching
            .follow_sides(&self.dynamics.views.watched, &self.state.discrete.sides);
        self.observe.watching.begin(&self.state.discrete);
        self.state.discrete.start = start;
        self.write_words();
        self.begin_iteration()?;
        if start {
            self.fire_first_beats();
        }
        // Kinks on whose border the run begins may have been left to one side.
        self.events.iteration.stepped = true;
        self.mark_all();
        self.iterate()?;
        self.note_first_breaks();
        self.state.progress.instants = 0;
        Ok(())
    }

    /// Schedules whose first beats lie at the start or before it are due, once, as in the first tick.
    fn fire_first_beats(&mut self) {
        for index in 0..self.state.progress.beats.len() {
            let schedule = &self.plan.model.schedules[index];
            let [period, first] = [schedule.period, schedule.first].map(|expr| {
                self.plan
                    .model
                    .value_at(expr, &[], &self.plan.constants, 0.0)
            });
            if let Some(over) = due(period, first, 0.0, Known::given(self.state.t)) {
                // This beat is counted where it fires.
                self.state.progress.beats[index] = whole(over) - 1;
                let id = ScheduleId::new(index);
                self.observe.log.note(|| What::Due(id));
                self.fire_schedule(id);
            }
        }
    }

    /// An instant at which borders are crossed or left, or schedules are due.
    pub(crate) fn instant(&mut self, reason: &Reason) -> Result<(), RunFault> {
        self.state.progress.instants += 1;
        self.observe
            .log
            .begin(self.state.progress.instants, self.state.t);
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
        if self.plan.config.locate == Locate::OneSided && self.dynamics.motion.is_free() {
            self.step_onto(&reason.borders)?;
        }
        if self.plan.config.locate == Locate::Root {
            self.project_onto(&reason.borders)?;
        }
        if let Some(lift) = &reason.lift {
            self.slide_between(lift)?;
        }
        copy(&mut self.events.before_jump, &self.state.reals);
        self.state.shown.deeds.clear();
        self.pass_breaks();
        self.settle_to_leave(reason)?;
        self.begin_iteration()?;
        for &(border, side) in &reason.leaves {
            self.set_side(border, side);
            self.state.discrete.flags.set(border.index(), true);
            self.mark_border(border);
            self.unbind(border, side);
        }
        match self.plan.config.order {
            Order::Reversed if reason.borders.len() + reason.due.len() > 1 => {
                self.one_after_the_other(reason)?;
            }
            _ => {
                for &border in &reason.borders {
                    self.turn(border)?;
                }
                for &schedule in &reason.due {
                    self.fire_schedule(schedule);
                }
                self.events.smooth = self.is_smooth(reason);
                self.iterate()?;
            }
        }
        self.note_breaks(reason);
        self.check_edges(&reason.borders)?;
        self.hush_if_stiff(&reason.borders);
        self.end_gathering(reason)
    }

    /// Instants that gather are taken together.
    fn end_gathering(&mut self, reason: &Reason) -> Result<(), RunFault> {
        match self.gathers(reason) {
            None => Ok(()),
            Some(limit) => self.gather(&limit),
        }
    }

    /// What falls on one instant is done in parts, the last first; a border that has turned or been left
    /// by a jump meanwhile is not crossed any more.
    fn one_after_the_other(&mut self, reason: &Reason) -> Result<(), RunFault> {
        let before = self.state.discrete.sides.clone();
        for &schedule in reason.due.iter().rev() {
            self.fire_schedule(schedule);
            self.iterate()?;
        }
        for &border in reason.borders.iter().rev() {
            let z = self.dynamics.modes.at(self.dynamics.motion.mode).z(border);
            let stands = self.state.discrete.sides[border.index()] == before[border.index()];
            if stands && !self.is_off(border, z.unwrap_or_default())? {
                self.turn(border)?;
                self.iterate()?;
            }
        }
        Ok(())
    }

    /// Whether only borders are crossed over which everything goes on smoothly.
    fn is_smooth(&self, reason: &Reason) -> bool {
        if !self.plan.knows_smooth {
            return false;
        }
        let smooth = |border: &BorderId| {
            let owner = self.state.borders.owners[border.index()];
            let ranges = self.ranges_on(*border);
            let mut marks = ranges
                .iter()
                .map(|id| self.plan.model.ranges[id.index()].mark);
            matches!(owner, Owner::Comparison(..))
                && !self.state.borders.kinked.get(border.index())
                && marks.all(|mark| mark == Some(Mark::Smooth))
        };
        let crosses = !reason.borders.is_empty() && reason.borders.iter().all(smooth);
        crosses
            && reason.leaves.is_empty()
            && reason.due.is_empty()
            && self.dynamics.bound.is_free()
    }

    /// Counts instants that follow each other without the time moving on.
    fn count_stall(&mut self) -> Result<(), RunFault> {
        let moved = (self.state.t - self.state.progress.last_instant).abs()
            > STALL * self.state.t.abs().max(f64::MIN_POSITIVE);
        self.state.progress.stalled = if moved {
            0
        } else {
            self.state.progress.stalled + 1
        };
        self.state.progress.last_instant = self.state.t;
        if self.state.progress.stalled <= MAX_STALLED && self.spend() {
            return Ok(());
        }
        Err(RunFault::Endless {
            time: self.state.t,
            situations: self.situations_now(|_| true),
        })
    }

    /// Notes what brought the instant about, seen from just before.
    fn note_reasons(&mut self, reason: &Reason) -> Result<(), RunFault> {
        if !self.observe.log.wanted {
            return Ok(());
        }
        if !reason.borders.is_empty() {
            let t = self.state.t;
            let rates = self.rates_now()?;
            let evaluator = self.dynamics.modes.get(self.dynamics.motion.mode);
            evaluator.states(&self.state.reals, &mut self.dynamics.y);
            evaluator
                .first_order(&self.state.past, t, &self.dynamics.y, &rates, &[])
                .map_err(|fault| loop_fault(t, fault))?;
        }
        for &border in &reason.borders {
            let Some(name) = place(&self.state.borders, border) else {
                continue;
            };
            let evaluator = self.dynamics.modes.at(self.dynamics.motion.mode);
            let margin = evaluator.z(border).unwrap_or_default();
            let [_, rate] = evaluator.z_first(border).unwrap_or_default();
            let side = self.state.discrete.sides[border.index()].flipped();
            self.observe.log.note(|| What::Reached {
                border: name,
                direction: direction(side),
                margin,
                rate,
                sensitivity: 1.0 / rate,
            });
        }
        for &schedule in &reason.due {
            self.observe.log.note(|| What::Due(schedule));
        }
        Ok(())
    }

    /// The motion leaves a border to which it was bound.
    pub(super) fn unbind(&mut self, border: BorderId, side: Side) {
        let bound = &mut self.dynamics.bound;
        self.state.leaving.clear();
        if let Some(at) = bound.slides.iter().position(|&other| other == border) {
            // Of several that are left at once the shares of the later ones are gone.
            let end = f64::from(u8::from(side == Side::Plus));
            let share = bound.lambda.get(at).copied().unwrap_or(end);
            bound.slides.remove(at);
            bound.lambda.clear();
            let through = std::mem::take(&mut bound.through);
            let unknown = through && std::mem::take(&mut self.events.iteration.slides_through);
            if let (false, Some(border)) = (unknown, place(&self.state.borders, border)) {
                self.observe.log.note(|| What::SlideLeft { border, share });
            }
            let beside = self.leave_between(border, side);
            if !(through || beside) {
                self.state.leaving.push((border, side, 2));
            }
        }
        let bound = &mut self.dynamics.bound;
        if let Some(at) = bound.rest.iter().position(|push| push.border == border) {
            bound.rest.remove(at);
            self.state.leaving.push((border, side, 3));
            if let Some(border) = place(&self.state.borders, border) {
                self.observe.log.note(|| What::RestLeft { border });
            }
        }
    }

    /// The motion is not bound to a border any more, though it has not moved off it.
    pub(crate) fn let_go(&mut self, border: BorderId, side: Side) {
        self.dynamics
            .bound
            .lift
            .take_if(|lift| lift.border == border);
        self.unbind(border, side);
        self.state.leaving.clear();
    }

    /// A border has been reached: its flag is set and its side turns.
    fn turn(&mut self, border: BorderId) -> Result<(), RunFault> {
        if self.turn_step(border) {
            return Ok(());
        }
        let index = border.index();
        let z = self.z_now(border)?;
        self.note_begun_on(border, z);
        self.state.discrete.flags.set(index, true);
        let side = match self.state.discrete.sides[index] {
            Side::On => match self.lean_of_motion(border)?.sign {
                1 => Side::Plus,
                -1 => Side::Minus,
                _ => Side::of(self.z_now(border)?),
            },
            side => side.flipped(),
        };
        self.set_side(border, side);
        Ok(())
    }

    /// If the border is an end of a step of a staircase: goes to the next step.
    pub(super) fn turn_step(&mut self, border: BorderId) -> bool {
        for (staircase, step) in self
            .state
            .borders
            .staircases
            .iter()
            .zip(&mut self.state.steps)
        {
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
                self.state.discrete.flags.set(end.index(), end == reached);
            }
            self.state.discrete.sides[staircase.low.index()] = Side::Plus;
            self.state.discrete.sides[staircase.high.index()] = Side::Minus;
            self.dynamics.sides_stand = false;
            // What the margin of the new end is where the old one has been reached.
            self.events.iteration.begun_on.push((reached, 0.0));
            self.events.iteration.reshaped = true;
            self.events.iteration.stepped = true;
            self.events.iteration.undecided = true;
            return true;
        }
        false
    }

    /// Whether a range without borders has another truth by value than it holds.
    pub(crate) fn reads_anew(&self) -> bool {
        let ranges = &self.state.discrete.ranges;
        let mut unbordered = self.plan.unbordered.iter();
        unbordered.any(|&range| self.by_value(range) != ranges.get(range))
    }

    /// The truth of a range by the values of what it compares.
    pub(super) fn by_value(&self, range: usize) -> bool {
        let mut comparisons = self.plan.model.ranges[range].all.iter();
        comparisons.all(|comparison| {
            let [left, right] = [comparison.left, comparison.right].map(|side| {
                (self.plan.model).value_at(
                    side,
                    &self.state.reals,
                    &self.plan.constants,
                    self.state.t,
                )
            });
            comparison.op.holds(left, right)
        })
    }

    /// All ranges, relays and levels follow the sides, where a run begins.
    pub(crate) fn follow_sides(&mut self) {
        self.state
            .discrete
            .scan_ranges(&self.plan.model, &self.dynamics.views.ranges);
        for index in 0..self.plan.unbordered.len() {
            let range = self.plan.unbordered[index];
            self.state.discrete.ranges.set(range, self.by_value(range));
        }
        let views = &self.dynamics.modes.at(self.dynamics.mode).mode.relay_views;
        for (relay, [low, high]) in self.state.discrete.relays.iter_mut().zip(views) {
            let side = |view: &crate::lower::border::View| {
                view.side(self.state.discrete.sides[view.border.index()])
            };
            if side(low) != Side::Plus {
                *relay = 0.0;
            }
            if side(high) != Side::Minus {
                *relay = 1.0;
            }
        }
        self.state
            .discrete
            .settle_situations(&self.plan.model, &self.plan.scan);
    }

    fn note_counted(&mut self) {
        for index in 0..self.plan.flow.events.len() {
            if let Some(what) = self.plan.flow.events[index].counts {
                self.state
                    .discrete
                    .counted
                    .set(index, self.state.discrete.holds(what));
            }
        }
    }

    /// The situations of a kind that hold now.
    pub(super) fn situations_now(&self, kind: impl Fn(&Situation) -> bool) -> Vec<SituationId> {
        let mut now = Vec::new();
        self.state.discrete.situations.each_one(|index| {
            if kind(&self.plan.model.situations[index]) {
                now.push(SituationId::new(index));
            }
        });
        now
    }

    /// Rows of loops that went over to another solution when a point was committed.
    pub(crate) fn note_branch(&mut self, rows: &[RelationId]) {
        let rows = rows.to_vec();
        self.observe.log.note(|| What::Branch { rows });
    }
}

/// A count, which is a whole number and at least 1.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a whole number of at most 2^53"
)]
fn whole(count: f64) -> u64 {
    count as u64
}
