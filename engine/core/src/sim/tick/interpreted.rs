//! Ticks in the interpreter: the tape executed tick by tick, in blocks between snapshots of the state, with probes read
//! off every row.

use std::sync::Arc;

use super::TickRun;
use super::code::Code;
use crate::backend::interpreter::{
    Bits, Context, NoObserver, Reals, Room, SMALL_SLOTS, execute, holds,
};
use crate::ids::SituationId;
use crate::lower::Program;
use crate::sim::RunFault;
use crate::sim::grid::{Grid, set_time};
use crate::trace::Measured;

/// A snapshot is kept, and all reals tested, at least so often: a failing tick is found by running
/// again from the snapshot.
const SNAPSHOT_TICKS: u64 = 1024;

/// A long wait between two rows is broken into pieces of about so many operations, some
/// milliseconds, to look at the recorder.
const POLL_OPS: u64 = 1 << 21;

impl TickRun {
    /// After so many interpreted ticks the recorder is polled, and whether compiled code can go on.
    pub(super) fn piece(&self) -> u64 {
        let by_time = (POLL_OPS / (self.code.tick.cost() as u64 + 8)).max(1);
        by_time.min(self.ticks_before_native())
    }

    /// Does up to `ticks` ticks in the interpreter.
    pub(super) fn interpret(&mut self, ticks: u64) -> Result<(), RunFault> {
        let mut left = ticks;
        self.stopped = false;
        while left > 0 && !self.stopped {
            if self.state.tick >= self.snapshot.tick + SNAPSHOT_TICKS {
                self.snapshot.clone_from(&self.state);
            }
            let room = self.snapshot.tick + SNAPSHOT_TICKS - self.state.tick;
            let n = left.min(room);
            left -= n;
            let begin = self.state.tick;
            self.fired_before.clone_from(&self.fired);
            if !self.block(n) {
                return Err(self.find_fault(begin));
            }
            self.coverage.close(self.state.tick);
        }
        Ok(())
    }

    /// Does up to `n` ticks; false if a value was not finite after one of them.
    fn block(&mut self, n: u64) -> bool {
        let small = self.program.tape.n_slots as usize <= SMALL_SLOTS;
        let mut reals = std::mem::take(&mut self.state.reals);
        let mut words = std::mem::take(&mut self.state.bits);
        let good = match (small, words.as_mut_slice()) {
            (true, [word]) => {
                let mut bits = *word;
                let good = self.ticks(small_reals(&mut reals), &mut bits, n);
                *word = bits;
                good
            }
            (true, bits) => self.ticks(small_reals(&mut reals), bits, n),
            (false, bits) => self.ticks(reals.as_mut_slice(), bits, n),
        };
        self.state.reals = reals;
        self.state.bits = words;
        good
    }

    #[inline(never)]
    fn ticks(
        &mut self,
        reals: &mut (impl Reals + ?Sized),
        bits: &mut (impl Bits + ?Sized),
        n: u64,
    ) -> bool {
        let (program, code) = (Arc::clone(&self.program), Arc::clone(&self.code));
        let (clock, n_reals) = ((self.state.grid, self.config.step), program.n_reals);
        let probed = self.is_probed();
        let logged = is_logged();
        let has_events = program.event_bits.iter().any(|&word| word != 0);
        let mut lines = std::mem::take(&mut self.state.lines);
        let mut room = std::mem::take(&mut self.room);
        let mut context = Context {
            tape: &program.tape,
            spans: &code.tick.spans,
            room: &mut room,
            lines: &mut lines,
            tick: self.state.tick,
            since: self.state.grid.since(),
            starting: false,
        };
        let end = context.tick + n;
        let mut good = true;
        while context.tick < end {
            let tick = context.tick;
            set_time(&program, reals, tick, clock);
            if tick <= 1 {
                bits.set_bit(program.start_bit, tick == 0);
            }
            execute(&code.tick.code, reals, bits, &mut context, &mut NoObserver);
            context.tick = tick + 1;
            good = code.tested.are_finite(reals);
            if !good {
                break;
            }
            if has_events {
                self.collect_events(&program, bits);
            }
            if !bits.same_as(&self.noted) {
                // A combination known already may be taken back; a new one is looked at closely.
                if !self.coverage.change_to_recent(bits, tick) {
                    good = code.tested.are_others_finite(&reals.values()[..n_reals]);
                    if !good {
                        break;
                    }
                    bits.copy_to(&mut self.words);
                    self.coverage.change(&self.words, tick, &program.tape.tests);
                }
                if logged {
                    bits.copy_to(&mut self.words);
                    self.log_changes(tick);
                }
                bits.copy_to(&mut self.noted);
            }
            if probed {
                good = code.tested.are_others_finite(&reals.values()[..n_reals]);
                if !good {
                    break;
                }
                execute_probes(&program, &code, reals, bits, &mut context, clock);
                bits.copy_to(&mut self.words);
                self.take_measures(reals.values(), tick + 1);
                if self.stopped {
                    break;
                }
            }
        }
        self.state.tick = context.tick;
        self.state.lines = lines;
        self.room = room;
        good && code.tested.are_others_finite(&reals.values()[..n_reals])
    }

    #[inline(always)]
    pub(in crate::sim) fn collect_events(
        &mut self,
        program: &Program,
        bits: &(impl Bits + ?Sized),
    ) {
        let masks = program.event_bits.iter().enumerate();
        for (fired, (word, mask)) in self.fired.iter_mut().zip(masks) {
            *fired |= bits.word(word) & mask;
        }
    }

    /// The start counts as a row: probes are read off it, and the booleans that stand are noted.
    pub(super) fn begin(&mut self) {
        let program = Arc::clone(&self.program);
        self.coverage
            .resume(&self.state.bits, self.state.tick, &program.tape.tests);
        if !self.is_probed() {
            return;
        }
        self.read_present_row();
        self.noted.copy_from_slice(&self.words);
        self.snapshot.clone_from(&self.state);
    }

    /// Measures begin with the row that stands now; `stop_when`, if it holds there, stops the run when it comes true
    /// again.
    pub(super) fn begin_measures(&mut self) {
        if !self.is_probed() {
            return;
        }
        self.measures.iter_mut().for_each(Measured::restart);
        self.read_present_row();
        self.waits = std::mem::take(&mut self.stopped);
        self.snapshot.clone_from(&self.state);
    }

    /// Reads measures off the row that stands now.
    pub(in crate::sim) fn read_present_row(&mut self) {
        let (program, code) = (Arc::clone(&self.program), Arc::clone(&self.code));
        let mut reals = std::mem::take(&mut self.state.reals);
        let mut words = std::mem::take(&mut self.state.bits);
        let mut context = Context {
            tape: &program.tape,
            spans: &[],
            room: &mut Room::default(),
            lines: &mut [],
            tick: self.state.tick,
            since: self.state.grid.since(),
            starting: false,
        };
        execute_probes(
            &program,
            &code,
            reals.as_mut_slice(),
            words.as_mut_slice(),
            &mut context,
            (self.state.grid, self.config.step),
        );
        self.words.copy_from_slice(&words);
        self.take_measures(&reals, self.state.tick);
        self.state.reals = reals;
        self.state.bits = words;
    }

    /// Reads measures off a row; its booleans are in `self.words`.
    fn take_measures(&mut self, reals: &[f64], tick: u64) {
        let time = self.state.grid.time_of(tick, self.config.step);
        let (program, words) = (&self.program, self.words.as_slice());
        let holds_now = (self.stop).is_some_and(|probe| words.bit(program.probes.watches[probe]));
        self.stopped = holds_now && !self.waits;
        self.waits &= holds_now;
        for measured in &mut self.measures {
            measured.take(
                time,
                true,
                |probe| reals.value(program.probes.values[probe].0),
                |probe| words.bit(program.probes.watches[probe]),
            );
        }
    }

    /// Logs what `self.words` changes in `self.noted`.
    #[cold]
    pub(in crate::sim) fn log_changes(&self, tick: u64) {
        let (before, after) = (self.noted.as_slice(), self.words.as_slice());
        let (program, time) = (
            &self.program,
            self.state.grid.time_of(tick, self.config.step),
        );
        let tests = &program.tape.tests;
        let turned = |test: u32| {
            let is = holds(tests, test, after);
            (holds(tests, test, before) != is).then_some(is)
        };
        for (index, situation) in self.model.situations.iter().enumerate() {
            let bit = program.situation(SituationId::new(index));
            let is = after.bit(bit);
            if before.bit(bit) != is {
                tracing::debug!(target: "situ::rules", time, situation = situation.name, holds = is);
            }
        }
        for (assignment, &test) in self.model.assignments.iter().zip(&program.assignment_tests) {
            if turned(test) == Some(true) {
                tracing::debug!(target: "situ::rules", time, assignment = assignment.id, "executed");
            }
        }
        for (relation, test) in self.model.relations.iter().zip(&program.relation_tests) {
            if let Some(test) = test
                && let Some(active) = turned(*test)
            {
                tracing::debug!(target: "situ::rules", time, relation = relation.id, active);
            }
        }
    }
}

/// True if the log shows which rules become active.
pub(in crate::sim) fn is_logged() -> bool {
    tracing::enabled!(target: "situ::rules", tracing::Level::DEBUG)
}

fn execute_probes(
    program: &Program,
    code: &Code,
    reals: &mut (impl Reals + ?Sized),
    bits: &mut (impl Bits + ?Sized),
    context: &mut Context<'_>,
    (grid, step): (Grid, f64),
) {
    reals.put(program.clock.row_time.0, grid.time_of(context.tick, step));
    execute(&code.probes, reals, bits, context, &mut NoObserver);
}

fn small_reals(slots: &mut [f64]) -> &mut [f64; SMALL_SLOTS] {
    slots
        .first_chunk_mut()
        .expect("states have at least so many slots")
}
