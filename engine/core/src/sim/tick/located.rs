//! Ticks of changing length: a formula says how long each one is, and a tick in which a range changes
//! ends at that change. The ways are those of the teaching stand.
//!
//! A tick is done in full, from what stands after the events at its start. The reals then go along a
//! straight line (`linear`) or along the parabola through the start of the tick before too
//! (`quadratic`, while the same relations act), and the tick ends where the first margin that changes
//! its sign is zero on its own line or parabola, or just beyond, where the range is found changed. What
//! follows are ticks of full length again, counted from there. Only the ends of a tick are
//! evaluated: a range that changes twice in one tick does not change.
//!
//! To do the tick again with a shorter step would be another scheme: where a row is semi-implicit its result is not
//! on the line. A range that changed in the last tick and back at the very start of the next one is being left and is
//! not located; any other change there was reached but for rounding, and the tick ends at once. The run ends
//! with the first tick that reaches the stop, because stopping never alters a tick. Delays keep their past with
//! times, and rows come after the first tick that reaches each multiple of `every`, or after each one whose length a
//! formula says, and where a tick was cut.

use std::sync::Arc;

use super::TickRun;
use super::crossing::{Span, TOGETHER, Uneven};
use super::interpreted::is_logged;
use crate::backend::interpreter::{Bits, NoObserver, run_setup};
use crate::ids::SituationId;
use crate::sim::RunFault;
use crate::sim::end::EndReason;
use crate::sim::fault::finite::all_finite;
use crate::sim::grid::Grid;
use crate::trace::Recorder;
use situ_solve::{Locate, StepError};

/// In the time of one tick of full length at most so many are cut short.
const MOST_CUTS: u32 = 10_000;

impl TickRun {
    /// Number of comparisons located in ticks.
    pub(in crate::sim) fn comparisons(&self) -> usize {
        let room = self.uneven.as_ref();
        room.map_or(0, |room| room.comparisons.len())
    }

    /// Runs as [`TickRun::run`] does, until a time is reached.
    pub(super) fn run_uneven(
        &mut self,
        until: f64,
        is_last: Last,
        recorder: &mut impl Recorder,
    ) -> Result<EndReason, RunFault> {
        let step = self.config.step;
        let slack = TOGETHER * step;
        if recorder.row(&self.row()).is_break() {
            return Ok(EndReason::Recorder);
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
            let is_due = self.config.each_tick || passed(time) > passed(last);
            let is_row = is_due || done == Done::Cut;
            let is_end = self.stopped || outcome.is_err() || time >= until - slack;
            let mut broken = recorder
                .poll(whole(time / step), whole(until / step))
                .is_break();
            if self.state.tick > row_at && (is_row || is_end || broken) {
                row_at = self.state.tick;
                broken |= recorder.row(&self.row()).is_break();
            }
            outcome?;
            ended = broken.then_some(EndReason::Recorder);
        }
        let at_rest = if self.stopped {
            EndReason::Condition
        } else {
            EndReason::Stop
        };
        if self.state.tick > row_at && ended.is_none() {
            // The tick that would have been next ends behind the time asked for.
            let broken = recorder.row(&self.row()).is_break();
            ended = broken.then_some(EndReason::Recorder);
        }
        Ok(ended.unwrap_or(at_rest))
    }

    /// Does a tick, unless it ends behind a time: whether it was cut short.
    ///
    /// # Errors
    ///
    /// [`RunFault`]; the state is then the one before the tick.
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
        let flat = code.flat(&program);
        room.before.copy(&self.state.reals, &self.state.bits);
        let span = self.set_up(room)?;
        let n_reals = program.n_reals;
        let locates = room.way != Locate::None;
        if locates {
            self.pass(None);
            let step = self.config.step;
            self.state.scan(&program, flat, step, &mut NoObserver);
            std::mem::swap(&mut self.state.reals, &mut room.still.reals);
            std::mem::swap(&mut self.state.bits, &mut room.still.bits);
            self.state.reals.clone_from(&room.before.reals);
            self.state.bits.clone_from(&room.before.bits);
            self.set_step(span);
            self.pass(Some(span));
        }
        let step = self.config.step;
        self.state.scan(&program, flat, step, &mut NoObserver);
        let tested = code.tested.are_finite(self.state.reals.as_slice());
        if !(tested && all_finite(&self.state.reals[..n_reals])) {
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
                let length = room.trial.reals[program.probes.values[formula].index()];
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
        let slot = self.program.clock.step.index();
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
            if is_logged() {
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

/// Last tick of a run up to a time.
#[derive(Clone, Copy)]
pub(super) enum Last {
    /// The last one that does not end behind it.
    Before,
    /// The first one that reaches it.
    Beyond,
}

/// End of a tick.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Done {
    /// With its full length.
    Full,
    /// Sooner.
    Cut,
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the cast saturates"
)]
fn whole(ratio: f64) -> u64 {
    ratio.round() as u64
}
