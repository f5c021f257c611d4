//! Ticks of changing length: a formula says how long each one is, and a tick in which a range turns
//! ends where that range turns. The ways are those of the teaching stand.
//!
//! A tick is done in full, from what stands after the events at its start. The reals then go along a
//! straight line (`linear`) or along the parabola through the start of the tick before too
//! (`quadratic`, while the same relations act), and the tick ends where the first margin that changes
//! its sign is zero on its own line or parabola, or just beyond, where the range is found turned. What
//! follows are ticks of full length again, counted from there. Only the ends of a tick are looked
//! at: a range that turns twice in one tick does not turn.
//!
//! To do the tick again with a shorter step would be another scheme: where a row is semi-implicit its result is not
//! on the line. What turned in the last tick and turns back at the very start of the next one is being left and is
//! not located; anything else that turns there was reached but for rounding, and the tick ends at once. The run ends
//! with the first tick that reaches the stop, because stopping never alters a tick. Delays keep their past with
//! times, and rows come after the first tick that reaches each multiple of `every`, and where a tick was cut.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::finite::all_finite;
use super::grid::Grid;
use super::run::Ended;
use super::trial::{Comparisons, Said, Sheet, Way};
use super::validate::{StateError, must};
use super::zero::{line, parabola};
use super::{RunFault, Simulation, TickConfig};
use crate::backend::interpreter::{Bits, NoObserver, holds, run_setup};
use crate::ids::SituationId;
use crate::lower::{Probes, Program};
use crate::model::{Argument, Expr, Guard, Model, Relation};
use crate::procedure::Motion;
use crate::solve::{Locate, StepError};
use crate::times::Known;
use crate::trace::Recorder;

/// What happens within this part of a tick happens at one time.
const TOGETHER: f64 = 1e-9;

/// The same in rounding errors of the time.
const ROUNDINGS: f64 = 8.0;

/// In the time of one tick of full length at most so many are cut short.
const MOST_CUTS: u32 = 10_000;

/// What ticks of changing length remember.
#[derive(PartialEq, Debug, Default, Serialize, Deserialize)]
pub(super) struct Recent {
    /// Where the last tick began.
    earlier: Option<Point>,
    /// The comparisons that turned in the last tick.
    turned: Vec<u32>,
    /// So many ticks were cut short since that time.
    cuts: (f64, u32),
}

/// Reals after what happened at the start of a tick, with its time.
#[derive(PartialEq, Debug, Default, Serialize, Deserialize)]
struct Point {
    time: f64,
    reals: Vec<f64>,
}

/// Written out, because `clone_from` must not allocate.
impl Clone for Recent {
    fn clone(&self) -> Self {
        let earlier = self.earlier.as_ref();
        Self {
            earlier: earlier.map(|point| Point {
                time: point.time,
                reals: point.reals.clone(),
            }),
            turned: self.turned.clone(),
            cuts: self.cuts,
        }
    }

    fn clone_from(&mut self, source: &Self) {
        match (&mut self.earlier, &source.earlier) {
            (Some(point), Some(source)) => point.set(source.time, &source.reals),
            _ => *self = source.clone(),
        }
        self.turned.clone_from(&source.turned);
        self.cuts = source.cuts;
    }
}

impl Recent {
    pub(super) fn size(&self) -> usize {
        self.earlier.as_ref().map_or(0, |point| point.reals.len())
    }

    /// Errors: it does not fit so many reals, and so many comparisons that are located.
    pub(super) fn check(&self, n_reals: usize, n_comparisons: usize) -> Result<(), StateError> {
        let fits = |point: &Point| {
            point.reals.len() == n_reals
                && point.time.is_finite()
                && point.reals.iter().all(|value| value.is_finite())
        };
        must(
            self.earlier.as_ref().is_none_or(fits),
            "the tick before cannot have been",
        )?;
        let turned = self.turned.iter();
        must(
            turned
                .map(|&index| index as usize)
                .all(|index| index < n_comparisons),
            "it names a range that is not there",
        )?;
        must(self.cuts.0.is_finite(), "its times cannot be")
    }

    /// The start of the last tick, with the values of the reals at it.
    pub(super) fn earlier(&self) -> Option<(f64, &[f64])> {
        let point = self.earlier.as_ref()?;
        Some((point.time, &point.reals))
    }

    /// Whether a comparison turned in the last tick.
    pub(super) fn has_turned(&self, comparison: usize) -> bool {
        let same = |&turned: &u32| turned as usize == comparison;
        self.turned.iter().any(same)
    }

    /// Goes on from a run that was left.
    pub(super) fn set_turned(&mut self, turned: impl Iterator<Item = u32>) {
        self.turned.clear();
        self.turned.extend(turned);
    }

    /// Goes on from a run that was left.
    pub(super) fn set_earlier(&mut self, time: f64, reals: &[f64]) {
        self.earlier.get_or_insert_default().set(time, reals);
    }
}

impl Point {
    fn set(&mut self, time: f64, reals: &[f64]) {
        self.time = time;
        self.reals.clear();
        self.reals.extend_from_slice(reals);
    }
}

/// What ticks of changing length need besides the tape.
#[derive(Clone, Debug)]
pub(super) struct Uneven {
    way: Locate,
    /// Position of the formula among the probes.
    formula: Option<usize>,
    comparisons: Comparisons,
    course: Course,
    before: Sheet,
    still: Sheet,
    trial: Sheet,
    /// What is said at the earlier point, the start and the end.
    said: [Said; 3],
    found: Said,
}

/// What makes and what breaks the way of the reals from tick to tick.
#[derive(Clone, Debug)]
struct Course {
    /// Per relation.
    roles: Vec<Role>,
    /// Reals that relations or ranges read and that move by jumps only.
    steps: Vec<usize>,
    /// Per real whether it is written by a relation whose results move steadily.
    bends: Vec<bool>,
}

/// What a relation has to do with the way of the reals from tick to tick.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Role {
    /// It makes the way: another begins where it starts or ceases to act.
    Makes,
    /// It acts at events and changes what the way depends on.
    Breaks,
    /// It acts at events and writes what nothing on the way reads.
    Notes,
}

/// A tick that is to be done.
#[derive(Clone, Copy)]
struct Span {
    from: f64,
    to: f64,
    length: f64,
}

/// Where something turns in a tick.
#[derive(Clone, Copy)]
struct Turn {
    part: f64,
    what: Turning,
}

#[derive(Clone, Copy)]
enum Turning {
    /// A comparison.
    Comparison(usize),
    /// A schedule that is due at a time.
    Schedule(f64),
}

/// Where a tick ends that is cut short.
struct Cut {
    part: f64,
    time: f64,
}

impl Uneven {
    /// What a run needs; what it has to compute is added to what is read off rows.
    pub(super) fn new(model: &Model, config: &TickConfig, probes: &mut Probes) -> Self {
        let formula = config.step_formula.map(|formula| {
            probes.values.push(formula);
            probes.values.len() - 1
        });
        let comparisons = Comparisons::new(model, probes);
        Self {
            way: config.locate,
            formula,
            comparisons,
            course: Course::new(model),
            before: Sheet::default(),
            still: Sheet::default(),
            trial: Sheet::default(),
            said: Default::default(),
            found: Said::default(),
        }
    }

    /// Whether the reals go on as they did in the tick before: the same relations act, and nothing
    /// jumps that they or the ranges read.
    fn goes_on(&self, program: &Program, now: &[u64]) -> bool {
        let tests = &program.tape.tests;
        let before = self.before.bits.as_slice();
        let mut rows = program.relation_tests.iter().zip(&self.course.roles);
        let mut reals = self.course.steps.iter();
        rows.all(|(test, role)| {
            test.is_none_or(|test| match role {
                Role::Makes => holds(tests, test, now) == holds(tests, test, before),
                Role::Breaks => !holds(tests, test, now),
                Role::Notes => true,
            })
        }) && reals.all(|&real| self.before.reals[real] == self.still.reals[real])
    }
}

impl Course {
    fn new(model: &Model) -> Self {
        let acts_at_events = |row: &Relation| match &row.guard {
            Guard::When(all) => all
                .iter()
                .any(|literal| !literal.negated && model.is_event(literal.what)),
            Guard::Always | Guard::Otherwise => false,
        };
        let made = || model.relations.iter().filter(|row| !acts_at_events(row));
        let mut is_read = vec![false; model.reals.len()];
        let sides = model.ranges.iter().flat_map(|range| &range.all);
        let sides = sides.flat_map(|comparison| [comparison.left, comparison.right]);
        let arguments = made().flat_map(|row| &row.args);
        let arguments = arguments.filter_map(|argument| match argument {
            Argument::Real(expr) => Some(*expr),
            Argument::Boolean(_) => None,
        });
        for expr in sides.chain(arguments) {
            model.exprs.visit(expr, |_, node| {
                if let Expr::Real(id) = node {
                    is_read[id.index()] = true;
                }
            });
        }
        let mut bends = vec![false; model.reals.len()];
        let bending = made().filter(|row| row.procedure.get().motion() != Motion::Held);
        for target in bending.flat_map(|row| &row.targets) {
            bends[target.index()] = true;
        }
        let role = |row: &Relation| {
            let mut targets = row.targets.iter().map(|real| real.index());
            if !acts_at_events(row) {
                Role::Makes
            } else if targets.any(|real| is_read[real] || bends[real]) {
                Role::Breaks
            } else {
                Role::Notes
            }
        };
        let steps = 0..model.reals.len();
        Self {
            roles: model.relations.iter().map(role).collect(),
            steps: steps
                .filter(|&real| is_read[real] && !bends[real])
                .collect(),
            bends,
        }
    }
}

impl Simulation {
    /// How many comparisons are located in ticks.
    pub(super) fn comparisons(&self) -> usize {
        let room = self.uneven.as_ref();
        room.map_or(0, |room| room.comparisons.len())
    }

    /// Runs as [`Simulation::run`] does, until a time is reached.
    pub(super) fn run_uneven(
        &mut self,
        until: f64,
        is_last: Last,
        recorder: &mut impl Recorder,
    ) -> Result<Ended, RunFault> {
        let step = self.config.step;
        let slack = TOGETHER * step;
        if recorder.row(&self.row()).is_break() {
            return Ok(Ended::Recorder);
        }
        #[expect(clippy::cast_precision_loss, reason = "ticks are fewer than 2^53")]
        let distance = self.config.every as f64 * step;
        let limit = match is_last {
            Last::Before => until,
            Last::Beyond => f64::INFINITY,
        };
        let mut row_at = self.state.tick;
        let mut ended = None;
        while ended.is_none() && !self.stopped && self.time() < until - slack {
            if self.state.tick == row_at {
                self.fired.fill(0);
            }
            self.check_budget(self.config.budget.steps)?;
            let last = self.time();
            let outcome = self.uneven_tick(limit);
            let done = match outcome {
                Ok(None) => break,
                Ok(Some(done)) => done,
                Err(_) => Done::Full,
            };
            let time = self.time();
            let passed = |time: f64| ((time + slack) / distance).floor();
            let is_row = passed(time) > passed(last) || done == Done::Cut;
            let is_end = self.stopped || outcome.is_err() || time >= until - slack;
            let mut broken = recorder
                .poll(whole(time / step), whole(until / step))
                .is_break();
            if self.state.tick > row_at && (is_row || is_end || broken) {
                row_at = self.state.tick;
                broken |= recorder.row(&self.row()).is_break();
            }
            outcome?;
            ended = broken.then_some(Ended::Recorder);
        }
        let at_rest = if self.stopped {
            Ended::Condition
        } else {
            Ended::Stop
        };
        if self.state.tick > row_at && ended.is_none() {
            // The tick that would have been next ends behind the time asked for.
            let broken = recorder.row(&self.row()).is_break();
            ended = broken.then_some(Ended::Recorder);
        }
        Ok(ended.unwrap_or(at_rest))
    }

    /// Does a tick, unless it ends behind a time: whether it was cut short.
    ///
    /// Errors: [`RunFault`]; the state is then the one before the tick.
    pub(super) fn uneven_tick(&mut self, until: f64) -> Result<Option<Done>, RunFault> {
        let mut room = self
            .uneven
            .take()
            .expect("it is there where ticks are uneven");
        let done = self.try_tick(&mut room, until);
        self.uneven = Some(room);
        done
    }

    fn try_tick(&mut self, room: &mut Uneven, until: f64) -> Result<Option<Done>, RunFault> {
        let (program, code) = (Arc::clone(&self.program), Arc::clone(&self.code));
        room.before.copy(&self.state.reals, &self.state.bits);
        let span = self.set_up(room)?;
        let n_reals = program.n_reals;
        let locates = room.way != Locate::None;
        if locates {
            self.pass(None);
            let step = self.config.step;
            self.state.scan(&program, &code.tick, step, &mut NoObserver);
            std::mem::swap(&mut self.state.reals, &mut room.still.reals);
            std::mem::swap(&mut self.state.bits, &mut room.still.bits);
            self.state.reals.clone_from(&room.before.reals);
            self.state.bits.clone_from(&room.before.bits);
            self.set_step(span);
            self.pass(Some(span));
        }
        let step = self.config.step;
        self.state.scan(&program, &code.tick, step, &mut NoObserver);
        if !all_finite(&self.state.reals[..n_reals]) {
            self.undo(room);
            return Err(self.uneven_fault(room));
        }
        let cut = if locates {
            self.first_turn(room, span)
        } else {
            None
        };
        let (part, to) = cut
            .as_ref()
            .map_or((1.0, span.to), |cut| (cut.part, cut.time));
        if to > until + TOGETHER * self.config.step {
            self.undo(room);
            return Ok(None);
        }
        if cut.is_some() {
            let (since, cuts) = self.state.recent.cuts;
            let begins = to - since > self.config.step;
            let cuts = if begins { (to, 1) } else { (since, cuts + 1) };
            if cuts.1 > MOST_CUTS {
                let situations = self.situations_of(&room.before.bits);
                self.undo(room);
                return Err(RunFault::Endless {
                    time: self.time(),
                    situations,
                });
            }
            self.state.recent.cuts = cuts;
            let reals = &room.trial.reals[..n_reals];
            self.state.reals[..n_reals].copy_from_slice(reals);
            // What a derivative read goes along a line, too.
            for &(_, slot, _) in &program.derived {
                let (from, to) = (
                    room.before.reals[slot.index()],
                    &mut self.state.reals[slot.index()],
                );
                *to = from + part * (*to - from);
            }
        }
        for line in &mut self.state.lines {
            if let Some(trail) = &mut line.trail {
                trail.end(part, to);
            }
        }
        if locates {
            let said = room.comparisons.len();
            let now = if cut.is_some() {
                &room.found
            } else {
                &room.said[2]
            };
            let turned = (0..said).filter(|&index| now.holds[index] != room.said[1].holds[index]);
            let turned = turned.map(|index| u32::try_from(index).expect("fewer than 2^32 ranges"));
            self.state.recent.set_turned(turned);
        }
        if room.way == Locate::Quadratic {
            let start = &room.still.reals[..n_reals];
            self.state.recent.set_earlier(span.from, start);
        }
        self.state.tick += 1;
        if cut.is_some() || room.formula.is_some() {
            self.state.grid = Grid {
                tick: self.state.tick,
                time: to,
                before: span.from,
            };
        }
        self.look(span.from);
        Ok(Some(if cut.is_some() { Done::Cut } else { Done::Full }))
    }

    /// Makes the next tick ready: its length, which a formula may say, and the delays.
    fn set_up(&mut self, room: &mut Uneven) -> Result<Span, RunFault> {
        let (program, code) = (Arc::clone(&self.program), Arc::clone(&self.code));
        let (tick, step) = (self.state.tick, self.config.step);
        let from = self.state.grid.time_of(tick, step);
        let span = match room.formula {
            None => Span {
                from,
                to: self.state.grid.time_of(tick + 1, step),
                length: step,
            },
            Some(formula) => {
                room.trial.copy(&self.state.reals, &self.state.bits);
                room.trial.probe(&program, &code, from);
                let length = room.trial.reals[program.probe_values[formula].index()];
                let to = from + length;
                if !(to > from && to.is_finite()) {
                    return Err(RunFault::Step {
                        error: StepError::NoRoom { t: from, until: to },
                        real: None,
                    });
                }
                Span { from, to, length }
            }
        };
        self.set_step(span);
        self.pass(Some(span));
        Ok(span)
    }

    /// Writes the length of the tick, and what is computed from it once.
    fn set_step(&mut self, span: Span) {
        let slot = self.program.step.index();
        if self.state.reals[slot].to_bits() != span.length.to_bits() {
            self.state.reals[slot] = span.length;
            run_setup(&self.program.tape, &mut self.state.reals);
        }
    }

    /// The time of a tick is going to pass, or none.
    fn pass(&mut self, span: Option<Span>) {
        if let Some(bit) = self.program.moving_bit {
            self.state.bits.as_mut_slice().set_bit(bit, span.is_some());
        }
        let lines = self.state.lines.iter_mut();
        for trail in lines.filter_map(|line| line.trail.as_mut()) {
            match span {
                Some(span) => trail.begin(span.from, span.to),
                None => trail.hold(),
            }
        }
    }

    /// Takes back a tick that was scanned.
    fn undo(&mut self, room: &Uneven) {
        self.state.reals.clone_from(&room.before.reals);
        self.state.bits.clone_from(&room.before.bits);
        for line in &mut self.state.lines {
            if let Some(trail) = &mut line.trail {
                trail.undo();
            }
        }
    }

    /// Where the tick that was just scanned is to end, if not where it does: at the first place where
    /// a range turns or a schedule is due. The reals there are then in `room.trial`.
    fn first_turn(&mut self, room: &mut Uneven, span: Span) -> Option<Cut> {
        let (program, code) = (Arc::clone(&self.program), Arc::clone(&self.code));
        let n_reals = program.n_reals;
        let around = (&*program, &*code);
        let goes_on = room.goes_on(&program, &self.state.bits);
        let Uneven {
            way,
            comparisons,
            still,
            trial,
            said: [earlier, start, end],
            found,
            course,
            ..
        } = room;
        trial.copy(&still.reals, &still.bits);
        trial.ask(comparisons, around, span.from, start);
        trial.copy(&self.state.reals, &self.state.bits);
        trial.ask(comparisons, around, span.to, end);
        let before = match (&*way, self.state.recent.earlier()) {
            (Locate::Quadratic, Some((time, reals))) if goes_on => {
                Some(((time - span.from) / span.length, time, reals))
            }
            _ => None,
        };
        let near = TOGETHER.max(ROUNDINGS * f64::EPSILON * span.to.abs() / span.length);
        let mut turns = self.due_within(span);
        if (0..comparisons.len()).any(|index| start.holds[index] != end.holds[index]) {
            if let Some((_, time, reals)) = before {
                trial.reals[..n_reals].copy_from_slice(reals);
                trial.ask(comparisons, around, time, earlier);
            }
            for index in 0..comparisons.len() {
                if start.holds[index] == end.holds[index] {
                    continue;
                }
                let sign = 1.0_f64.copysign(start.margins[index]);
                let z = |said: &Said| sign * said.margins[index];
                let part = match before {
                    Some((back, ..)) => parabola(back, [z(earlier), z(start), z(end)]),
                    None => line(z(start), z(end)),
                };
                let what = Turning::Comparison(index);
                turns.push(Turn { part, what });
            }
        }
        let just_turned = |turn: &Turn| match turn.what {
            Turning::Comparison(index) => self.state.recent.has_turned(index),
            Turning::Schedule(_) => true,
        };
        // What turned a moment ago and turns back at once is being left. What the tick before reached
        // but for rounding errors turns at once too.
        turns.retain(|turn| turn.part < 1.0 - near && (turn.part > near || !just_turned(turn)));
        turns.sort_by(|a, b| a.part.total_cmp(&b.part));
        let start_reals = &still.reals[..n_reals];
        let path = Way {
            start: start_reals,
            end: &self.state.reals[..n_reals],
            before: before.map(|(back, _, reals)| (back, reals)),
            bent: &course.bends,
        };
        let mut rest = turns.as_slice();
        while let Some(first) = rest.first() {
            let n_group = rest.partition_point(|turn| turn.part <= first.part + near);
            let (group, others) = rest.split_at(n_group);
            rest = others;
            let due = group.iter().find_map(|turn| match turn.what {
                Turning::Schedule(time) => Some(time),
                Turning::Comparison(_) => None,
            });
            let mut is_turned = |part: f64| {
                let time = due
                    .map_or(0.0, |due| due)
                    .max(span.from + part * span.length);
                trial.reals.copy_from_slice(&self.state.reals);
                path.at(part, &mut trial.reals[..n_reals]);
                trial.ask(comparisons, around, time, found);
                group.iter().all(|turn| match turn.what {
                    Turning::Comparison(index) => found.holds[index] == end.holds[index],
                    Turning::Schedule(due) => due <= time,
                })
            };
            let last = group.last().expect("a group has a first member");
            let Some(part) = just_beyond(last.part, 1.0 - near, &mut is_turned) else {
                continue;
            };
            if !is_turned(part) {
                continue;
            }
            let time = due
                .map_or(0.0, |due| due)
                .max(span.from + part * span.length);
            if due.is_some() || found.ranges != start.ranges {
                return Some(Cut { part, time });
            }
        }
        None
    }

    /// Schedules that are due inside the tick.
    fn due_within(&self, span: Span) -> Vec<Turn> {
        let program = &*self.program;
        let counts = program.schedule_counts.iter().zip(&program.tape.periods);
        let turns = counts.map(|(count, period)| {
            let value = |slot: crate::tape::Slot| self.state.reals[slot.index()];
            let due = Known::beat(value(period.first), value(period.period), value(*count)).value;
            Turn {
                part: (due - span.from) / span.length,
                what: Turning::Schedule(due),
            }
        });
        turns.collect()
    }

    /// Takes in the row that stands after a tick that began at a time: events, coverage, measures.
    fn look(&mut self, from: f64) {
        let program = Arc::clone(&self.program);
        let tick = self.state.tick - 1;
        let bits = std::mem::take(&mut self.state.bits);
        self.collect_events(&program, bits.as_slice());
        self.coverage.at_time(from);
        if bits != self.noted {
            self.words.copy_from_slice(&bits);
            self.coverage.change(&self.words, tick, &program.tape.tests);
            if super::tick::is_logged() {
                self.log_changes(tick);
            }
            self.noted.copy_from_slice(&bits);
        }
        self.coverage.close(self.state.tick);
        self.state.bits = bits;
        self.coverage.lasted(from, self.time());
        if self.is_probed() {
            self.read_present_row();
        }
    }

    /// Names the row that fails in the next tick.
    fn uneven_fault(&mut self, room: &mut Uneven) -> RunFault {
        let before = self.state.clone();
        if let Err(fault) = self.set_up(room) {
            return fault;
        }
        let ready = std::mem::replace(&mut self.state, before);
        self.blame(&ready)
    }

    /// The situations that held in this tick or the one before.
    fn situations_of(&self, before: &[u64]) -> Vec<SituationId> {
        let now = self.state.bits.as_slice();
        let all = (0..self.model.situations.len()).map(SituationId::new);
        all.filter(|&id| {
            let bit = self.program.situation(id);
            before.bit(bit) || now.bit(bit)
        })
        .collect()
    }
}

/// Which tick is the last of a run up to a time.
#[derive(Clone, Copy)]
pub(super) enum Last {
    /// The last one that does not end behind it.
    Before,
    /// The first one that reaches it.
    Beyond,
}

/// How a tick ended.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Done {
    /// With its full length.
    Full,
    /// Sooner.
    Cut,
}

/// The first place from `part` on, as near as numbers allow, at which something is turned; `None` if
/// it is not before `end`.
fn just_beyond(part: f64, end: f64, is_turned: &mut impl FnMut(f64) -> bool) -> Option<f64> {
    if is_turned(part) {
        return Some(part);
    }
    let mut before = part;
    let mut reach = f64::EPSILON * part.max(f64::EPSILON);
    let mut beyond = part + reach;
    while !is_turned(beyond) {
        before = beyond;
        reach *= 2.0;
        beyond = part + reach;
        if beyond >= end {
            return None;
        }
    }
    loop {
        let middle = before + 0.5 * (beyond - before);
        if middle <= before || middle >= beyond {
            return Some(beyond);
        }
        if is_turned(middle) {
            beyond = middle;
        } else {
            before = middle;
        }
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the cast saturates"
)]
fn whole(ratio: f64) -> u64 {
    ratio.round() as u64
}
