//! Event iteration: at one time, borders are crossed, events fire and switches are set until nothing changes.

use crate::ids::{ScheduleId, SituationId};
use crate::lower::border::{BorderId, BorderSource, Side, View};
use crate::lower::flow::Action;
use crate::model::{Mark, Order};
use crate::sim::RunFault;
use crate::sim::events::delays::breaking_points::BreakSources;
use crate::sim::events::detect::Detection;
use crate::sim::events::iteration::EventIteration;
use crate::sim::events::modes::evaluation::evaluator::Evaluator;
use crate::sim::events::motion::Dynamics;
use crate::sim::events::motion::singular_sliding::SingularSliding;
use crate::sim::events::observe::Observation;
use crate::sim::events::observe::log::{direction, place};
use crate::sim::events::run::EventRun;
use crate::sim::events::run::fault::value_fault;
use crate::sim::events::state::HybridState;
use crate::sim::events::state::plan::Plan;
use crate::times::{Known, due};
use crate::trace::What;
use situ_solve::Locate;
use situ_solve::slices::copy;
use smallvec::SmallVec;

/// Rounds in which the sides at the start must settle.
const ROUNDS: usize = 64;

/// Instants closer than this part of the time do not count as progress.
const STALL: f64 = 1e3 * f64::EPSILON;

/// So many instants without progress count as endless.
const MAX_STALLED: u32 = 1000;

/// Cause of an instant.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct EventCause {
    /// Borders that are crossed.
    pub(crate) borders: SmallVec<[BorderId; 4]>,
    /// Of these the ones over which margins jump.
    pub(crate) jumps: SmallVec<[BorderId; 2]>,
    /// Borders on which the state stood, and to which side it leaves them.
    pub(crate) leaves: SmallVec<[(BorderId, Side); 2]>,
    /// A border along which the state slides though it has not got there, in doubles.
    pub(crate) lift: Option<SingularSliding>,
    /// Schedules that are due.
    pub(crate) due: SmallVec<[ScheduleId; 2]>,
    /// True if a kink turns in one of the modes around a slide.
    pub(crate) turns: bool,
    /// True if the rates at a border lead away from it, however short the step is: errors hide the way there.
    pub(crate) contradicted: bool,
}

impl EventCause {
    /// Nothing but the end of a step.
    pub(crate) fn is_empty(&self) -> bool {
        self.borders.is_empty()
            && self.leaves.is_empty()
            && self.lift.is_none()
            && self.due.is_empty()
            && !self.turns
    }

    /// Takes in where a motion that is bound ends ([`crate::sim::events::motion::vector_field::Motion::exit`]).
    pub(crate) fn take_exit(&mut self, exit: Option<(BorderId, Side)>) {
        match exit {
            Some(exit) => self.leaves.push(exit),
            None => self.turns = true,
        }
    }
}

impl EventRun {
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
        self.settle_at_start(look)?;
        (self.dynamics).start_on_constraints(&mut self.state, &mut self.observe)?;
        self.state.note_first_breaks(&self.plan);
        self.state.progress.instants = 0;
        Ok(())
    }

    /// As [`Self::begin_with`], the state being off its constraints or not.
    pub(crate) fn settle_at_start(
        &mut self,
        look: impl FnOnce(&mut Self) -> Result<(), RunFault>,
    ) -> Result<(), RunFault> {
        let start = std::mem::take(&mut self.state.discrete.start);
        self.observe.log.wanted = true;
        self.observe.log.begin(0, self.state.t);
        // Sides by value, until the mode that they give has these values. What a mode computes that
        // does not come to be leaves no trace in the reals.
        let given = self.state.reals.clone();
        // No rows have acted yet.
        situ_solve::slices::copy(&mut self.events.before_rows, &given);
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
            self.events
                .enter(&mut self.state, &mut self.dynamics, &mut self.observe)?;
            self.events.know_borders(&self.state);
            self.dynamics.bound_margins(&self.state)?;
            let evaluator = self.dynamics.modes.at(self.dynamics.motion.mode);
            self.state.take_sides_of_values(evaluator, true);
            self.dynamics.follow_sides(&mut self.state);
            if self.state.discrete == before || round > ROUNDS {
                break;
            }
        }
        let evaluator = self.dynamics.modes.at(self.dynamics.motion.mode);
        (self.observe).look_for_values(&self.state.borders, evaluator, self.state.t);
        self.state.check_motion(&self.plan)?;
        self.land_watched();
        look(self)?;
        self.dynamics.sides_stand = false;
        for _ in 0..ROUNDS {
            self.events.iteration.undecided = false;
            self.events
                .decide(&mut self.state, &mut self.dynamics, &mut self.observe)?;
            if !self.events.iteration.undecided {
                break;
            }
            // A kink has taken its branch: what reads its value goes on from there, and no event fires for that.
            self.events
                .enter(&mut self.state, &mut self.dynamics, &mut self.observe)?;
            self.events.know_borders(&self.state);
            self.dynamics.bound_margins(&self.state)?;
            let evaluator = self.dynamics.modes.at(self.dynamics.motion.mode);
            self.state.take_sides_of_values(evaluator, false);
            self.dynamics.follow_sides(&mut self.state);
        }
        self.dynamics.follow_sides(&mut self.state);
        self.state.note_counted(&self.plan);
        self.observe
            .watching
            .follow_sides(&self.dynamics.views.watched, &self.state.discrete.sides);
        self.observe.watching.begin(&self.state.discrete);
        self.state.discrete.start = start;
        self.observe.write_words(&self.state);
        self.events
            .begin_iteration(&mut self.state, &mut self.dynamics)?;
        if start {
            self.events
                .fire_first_beats(&mut self.state, &mut self.observe);
        }
        self.events.given = Some(given);
        // Kinks on whose border the run begins may have been left to one side.
        self.events.iteration.stepped = true;
        self.events.mark_all();
        self.events.iterate(
            &mut self.state,
            &mut self.dynamics,
            &mut self.detect,
            &mut self.observe,
        )?;
        Ok(())
    }
}

impl EventIteration {
    /// Schedules whose first instants lie at the start or before it are due, once, as in the first tick.
    fn fire_first_beats(&mut self, state: &mut HybridState, observe: &mut Observation) {
        for index in 0..state.progress.schedule_counts.len() {
            let schedule = &self.plan.model.schedules[index];
            let [period, first] = [schedule.period, schedule.first].map(|expr| {
                self.plan
                    .model
                    .value_at(expr, &[], &self.plan.constants, 0.0)
            });
            if let Some(over) = due(period, first, 0.0, Known::given(state.t)) {
                // This beat is counted where it fires.
                state.progress.schedule_counts[index] = whole(over) - 1;
                let id = ScheduleId::new(index);
                observe.log.note(|| What::Due(id));
                self.fire_schedule(state, observe, id);
            }
        }
    }

    /// An instant at which borders are crossed or left, or schedules are due.
    pub(crate) fn instant(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        detect: &mut Detection,
        observe: &mut Observation,
        reason: &EventCause,
    ) -> Result<(), RunFault> {
        copy(&mut self.before_jump, &state.reals);
        state.progress.instants += 1;
        observe.log.begin(state.progress.instants, state.t);
        state.count_stall()?;
        dynamics.suppress(state, &reason.borders)?;
        let lift = self.lift_at_crossing(state, dynamics, observe, reason)?;
        let lifted = lift.is_some().then(|| EventCause {
            borders: SmallVec::new(),
            lift,
            ..reason.clone()
        });
        let reason = lifted.as_ref().unwrap_or(reason);
        let reached = dynamics.reached_at_jump(state, reason);
        let joined = (!reached.is_empty()).then(|| {
            let mut joined = reason.clone();
            joined.borders.extend(reached);
            joined
        });
        let reason = joined.as_ref().unwrap_or(reason);
        let happened = self.run_event(state, dynamics, detect, observe, reason);
        self.take_back_if_failed(state, happened)
    }

    /// Runs the event iteration that a cause brings about, as far as it goes.
    fn run_event(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        detect: &mut Detection,
        observe: &mut Observation,
        reason: &EventCause,
    ) -> Result<(), RunFault> {
        self.note_reasons(state, dynamics, observe, reason)?;
        self.begin_touching(state, reason);
        if self.plan.config.locate == Locate::OneSided && dynamics.motion.is_free() {
            detect.step_onto(state, dynamics, &reason.borders)?;
        }
        if self.plan.config.locate == Locate::Root {
            dynamics.project_onto(state, &reason.borders)?;
        }
        if let Some(lift) = &reason.lift {
            self.slide_between(state, dynamics, observe, lift)?;
        }
        copy(&mut self.before_jump, &state.reals);
        state.shown.deeds.clear();
        let arrived = dynamics.margins_on_arrival(state, &reason.borders)?;
        let echoes = self.pass_breaks(state, dynamics, observe);
        self.settle_at_instant(state, dynamics, observe)?;
        self.begin_iteration(state, dynamics)?;
        self.iteration.borders.arrived = arrived;
        self.note_stiff(state, dynamics, detect, reason);
        self.iteration.reshaped |= reason.turns;
        for &(border, side) in &reason.leaves {
            self.set_side(state, dynamics, border, side);
            for (twin, _) in dynamics.twins(border, side) {
                state.discrete.flags.set(twin.index(), true);
            }
            state.discrete.flags.set(border.index(), true);
            self.mark_border(state, dynamics, border);
            self.unbind(state, dynamics, observe, border, side);
        }
        match self.plan.config.order {
            Order::Reversed if reason.borders.len() + reason.due.len() > 1 => {
                self.one_after_the_other(state, dynamics, detect, observe, reason)?;
            }
            _ => {
                self.cross_borders(state, dynamics, observe, reason)?;
                // What holds where borders are reached has held, whatever the rows do then (FORMALISM 10.2).
                if !reason.borders.is_empty() {
                    observe.look(state, dynamics);
                }
                for &schedule in &reason.due {
                    self.fire_schedule(state, observe, schedule);
                }
                self.smooth = dynamics.is_smooth(state, reason);
                self.iteration.interruptible = true;
                self.iterate(state, dynamics, detect, observe)?;
            }
        }
        self.finish_or_interrupt(state, dynamics, detect, observe, (reason, echoes))
    }

    /// What follows from an event iteration that is over.
    pub(super) fn finish_event(
        &mut self,
        state: &mut HybridState,
        dynamics: &mut Dynamics,
        detect: &mut Detection,
        observe: &mut Observation,
        (reason, echoes): (&EventCause, &BreakSources),
    ) -> Result<(), RunFault> {
        self.note_stopped(state, dynamics, observe);
        dynamics.begin_on_constraints(state)?;
        self.note_breaks(state, dynamics, reason, echoes);
        dynamics.check_edges(state, &reason.borders)?;
        self.hush_if_stiff(state, dynamics, detect);
        // What comes out of a delay has happened before: finitely often, or with a limit that was passed.
        let is_echo = !echoes.is_empty() && reason.is_empty() && !self.iteration.absorbed;
        let limit = match is_echo {
            true => None,
            false => self.gathers(state, dynamics, reason),
        };
        match limit {
            None => Ok(()),
            // Instants that accumulate (Zeno) are taken together.
            Some(limit) => self.go_to_zeno_limit(state, dynamics, detect, observe, &limit),
        }
    }

    /// Notes what brought the instant about, seen from just before.
    fn note_reasons(
        &self,
        state: &HybridState,
        dynamics: &mut Dynamics,
        observe: &mut Observation,
        reason: &EventCause,
    ) -> Result<(), RunFault> {
        if !observe.log.wanted {
            return Ok(());
        }
        if !reason.borders.is_empty() {
            let t = state.t;
            let rates = dynamics.rates_now(state)?;
            let evaluator = dynamics.modes.get(dynamics.motion.mode);
            evaluator.states(&state.reals, &mut dynamics.y);
            evaluator
                .first_order(&state.past, t, &dynamics.y, &rates, &[])
                .map_err(|fault| value_fault(t, fault))?;
        }
        for &border in &reason.borders {
            let Some(name) = place(&state.borders, border) else {
                continue;
            };
            let evaluator = dynamics.modes.at(dynamics.motion.mode);
            let margin = evaluator.z(border).unwrap_or_default();
            let [_, rate] = evaluator.z_first(border).unwrap_or_default();
            let side = state.discrete.sides[border.index()].flipped();
            observe.log.note(|| What::Reached {
                border: name,
                direction: direction(side),
                margin,
                rate,
                sensitivity: 1.0 / rate,
            });
        }
        for &schedule in &reason.due {
            observe.log.note(|| What::Due(schedule));
        }
        Ok(())
    }
}

impl Dynamics {
    /// True if the cause is nothing but crossings of borders over which everything is smooth.
    fn is_smooth(&self, state: &HybridState, reason: &EventCause) -> bool {
        if !self.plan.knows_smooth {
            return false;
        }
        let smooth = |border: &BorderId| {
            let owner = state.borders.owners[border.index()];
            let ranges = self.ranges_on(*border);
            let mut marks = ranges
                .iter()
                .map(|id| self.plan.model.ranges[id.index()].mark);
            matches!(owner, BorderSource::Comparison(..))
                && !state.borders.kinked.get(border.index())
                && marks.all(|mark| mark == Some(Mark::Smooth))
        };
        let crosses = !reason.borders.is_empty() && reason.borders.iter().all(smooth);
        crosses && reason.leaves.is_empty() && reason.due.is_empty() && self.bound.is_free()
    }

    /// All ranges, levels and relays of active rows follow the sides, where a run begins.
    pub(crate) fn follow_sides(&self, state: &mut HybridState) {
        state
            .discrete
            .scan_ranges(&self.plan.model, &self.views.ranges);
        for index in 0..self.plan.unbordered.len() {
            let range = self.plan.unbordered[index];
            state
                .discrete
                .ranges
                .set(range, state.by_value(&self.plan, range));
        }
        state
            .discrete
            .settle_situations(&self.plan.model, &self.plan.scan);
        let views = &self.modes.at(self.mode).mode.relay_views;
        for row in &self.plan.flow.rows {
            let truths = &mut state.discrete;
            if let Action::Relay(relay) = row.action
                && let Some([low, high]) = views.get(relay)
                && row.guard.holds(|literal| truths.holds(literal))
            {
                let side = |view: &View| view.side(truths.sides[view.border.index()]);
                if side(low) != Side::Plus {
                    truths.relays[relay] = 0.0;
                }
                if side(high) != Side::Minus {
                    truths.relays[relay] = 1.0;
                }
            }
        }
    }
}

impl HybridState {
    /// Borders take the sides of the values of their margins, and are flagged at 0; if not all do, those of kinks and those
    /// at 0 keep theirs.
    fn take_sides_of_values(&mut self, evaluator: &Evaluator, all: bool) {
        for margin in evaluator.mode.margins.iter() {
            let index = margin.border.index();
            let z = evaluator.z(margin.border).unwrap_or_default();
            let [beyond, _] = evaluator.z_first(margin.border).unwrap_or_default();
            if all || beyond != 0.0 && !self.borders.kinked.get(index) {
                // What has no value has one where its domain begins.
                self.discrete.sides[index] = if z.is_nan() { Side::Minus } else { Side::of(z) };
                self.discrete.flags.set(index, beyond == 0.0);
            }
        }
    }

    /// Counts instants that follow each other without the time moving on.
    fn count_stall(&mut self) -> Result<(), RunFault> {
        let moved = (self.t - self.progress.last_instant).abs()
            > STALL * self.t.abs().max(f64::MIN_POSITIVE);
        self.progress.stalled = if moved { 0 } else { self.progress.stalled + 1 };
        self.progress.last_instant = self.t;
        if self.progress.stalled <= MAX_STALLED {
            return Ok(());
        }
        Err(RunFault::Endless {
            time: self.t,
            situations: self.situations_now(),
        })
    }

    /// True if the value of a range without borders differs from its held truth.
    pub(crate) fn reads_anew(&self, plan: &Plan) -> bool {
        let ranges = &self.discrete.ranges;
        let mut unbordered = plan.unbordered.iter();
        unbordered.any(|&range| self.by_value(plan, range) != ranges.get(range))
    }

    /// The truth of a range by the values of what it compares.
    pub(super) fn by_value(&self, plan: &Plan, range: usize) -> bool {
        let mut comparisons = plan.model.ranges[range].all.iter();
        comparisons.all(|comparison| {
            let [left, right] = [comparison.left, comparison.right]
                .map(|side| (plan.model).value_at(side, &self.reals, &plan.constants, self.t));
            comparison.op.holds(left, right)
        })
    }

    fn note_counted(&mut self, plan: &Plan) {
        for index in 0..plan.flow.events.len() {
            if let Some(what) = plan.flow.events[index].counts {
                self.discrete.counted.set(index, self.discrete.holds(what));
            }
        }
    }

    /// The situations that hold now.
    fn situations_now(&self) -> Vec<SituationId> {
        let mut now = Vec::new();
        let situations = &self.discrete.situations;
        situations.each_one(|index| now.push(SituationId::new(index)));
        now
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
