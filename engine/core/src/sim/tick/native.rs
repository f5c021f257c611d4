//! Ticks in compiled code: what a run does between a stretch of them and the next.
//!
//! Compiled code takes over at a tick boundary as soon as it is ready, does a stretch of ticks and
//! notes what happened in them; here the notes are read, in the order of the ticks, as if the
//! interpreter had done them one by one. The interpreter does what is left: the first two ticks, a few
//! ticks at a time, ticks that are logged, and every stretch after which a value is not finite, because
//! it finds the row that did it.

use std::ops::Range;
use std::sync::Arc;

use super::TickRun;
use super::interpreted::is_logged;
use crate::sim::compiled::{
    CompileError, Compiler, Pending, TickBatch, TickCode, TickJob, TickLog, Times,
};
use crate::sim::fault::finite::all_finite;
use crate::sim::monitor::{next_sample, sample_end};
use crate::trace::{Recorder, Row};
use situ_solve::slices::fill;

/// The first two ticks belong to the interpreter: in them the bit of the start changes.
const FIRST_TICK: u64 = 2;

/// Fewer ticks than this are not worth going over to compiled code.
const FEW: u64 = 16;

/// Compiled code of a run, and how far it may be used.
#[derive(Clone, Debug)]
pub(in crate::sim) struct Native {
    pending: Pending<dyn TickCode>,
    code: Option<Arc<dyn TickCode>>,
    log: TickLog,
    /// Length of the longest stretch.
    longest: u64,
    /// Room for the bits of the tape, a byte each.
    bits: Vec<u8>,
    /// Ticks done in compiled code.
    ticks: u64,
    /// Up to here the interpreter does the work, because a value becomes one that is not finite.
    interpreted_to: u64,
}

impl TickRun {
    /// The ticks of the run, for a compiler.
    pub fn tick_job(&self) -> TickJob {
        let program = Arc::clone(&self.program);
        TickJob {
            single_ops: self.code.tick.code.len(),
            watched: Arc::clone(&self.code.watched),
            probed: self.reads_every_row(),
            counted: !self.plan.watches(),
            stop: self.stop_bit(),
            program,
        }
    }

    /// All slots of the tape, for those who hold compiled code against the tape.
    pub fn slots(&self) -> &[f64] {
        &self.state.reals
    }

    /// From here on ticks are done in compiled code where that pays and as soon as it is there. Results stay
    /// the same to the bit. A run whose ticks may have other lengths than the settings say stays with the
    /// interpreter.
    ///
    /// # Errors
    ///
    /// [`CompileError`].
    pub fn compile_with(&mut self, compiler: &dyn Compiler) -> Result<(), CompileError> {
        if self.uneven.is_none() {
            let ticks = self.config.ticks.saturating_sub(self.state.tick);
            let code = compiler.ticks(self.tick_job(), ticks)?;
            self.take_code(code);
        }
        Ok(())
    }

    /// Ticks are done in this code, which was made of [`TickRun::tick_job`] or that of another run of the
    /// same template.
    pub(in crate::sim) fn take_code(&mut self, code: Option<Pending<dyn TickCode>>) {
        let Some(pending) = code else {
            return;
        };
        let job = self.tick_job();
        self.native = Some(Box::new(Native {
            pending,
            code: None,
            log: TickLog::default(),
            longest: TickLog::ticks(&job) as u64,
            bits: Vec::new(),
            ticks: 0,
            interpreted_to: 0,
        }));
    }

    /// Number of ticks done in compiled code.
    pub fn native_ticks(&self) -> u64 {
        self.native.as_ref().map_or(0, |native| native.ticks)
    }

    /// Number of ticks that the interpreter has to do at least before compiled code may take over.
    pub(in crate::sim) fn ticks_before_native(&self) -> u64 {
        let Some(native) = &self.native else {
            return u64::MAX;
        };
        let begin = FIRST_TICK.max(native.interpreted_to);
        let begin = begin.max(self.watched_until());
        match begin.saturating_sub(self.state.tick) {
            0 => u64::MAX,
            ticks => ticks,
        }
    }

    /// Tick up to which changes of booleans are counted one by one; where compiled code may count them together, the
    /// interpreter does these.
    fn watched_until(&self) -> u64 {
        match self.plan.samples() {
            true => sample_end(self.state.tick),
            false => 0,
        }
    }

    /// True if the next ticks can be done in compiled code.
    pub(in crate::sim) fn is_native(&mut self, ticks: u64) -> bool {
        let Some(native) = &mut self.native else {
            return false;
        };
        let tick = self.state.tick;
        // Compiled code stops wherever `stop_when` holds.
        if self.waits || ticks < FEW || tick < FIRST_TICK.max(native.interpreted_to) || is_logged()
        {
            return false;
        }
        if tick < self.watched_until() {
            return false;
        }
        let Some(native) = &mut self.native else {
            return false;
        };
        if native.code.is_none()
            && let Some(code) = native.pending.code()
        {
            native.code = Some(code);
            native.bits = vec![0; self.program.tape.n_bits as usize];
            let job = self.tick_job();
            if let Some(native) = &mut self.native {
                native.log = TickLog::new(&job);
            }
        }
        self.native
            .as_ref()
            .is_some_and(|native| native.code.is_some())
    }

    /// Does a stretch of ticks in compiled code, at most up to `end`; rows go to the recorder after
    /// ticks whose number is a multiple of `every`. If a value was not finite nothing is done, but the
    /// interpreter is told to do these ticks.
    ///
    /// Result: whether the recorder breaks off, with the last tick of which it has a row, if any.
    pub(in crate::sim) fn stretch(
        &mut self,
        end: u64,
        every: u64,
        all: u64,
        recorder: &mut impl Recorder,
    ) -> Stretched {
        let nothing = Stretched::default();
        let Some(mut native) = self.native.take() else {
            return nothing;
        };
        let Some(code) = native.code.clone() else {
            self.native = Some(native);
            return nothing;
        };
        self.snapshot.clone_from(&self.state);
        let from = self.state.tick;
        let mut end = end.min(from + native.longest);
        if self.plan.samples() {
            end = end.min(next_sample(from));
        }
        let stopped = self.run_code(&*code, &mut native, end, every);
        let mut stretched = nothing;
        match stopped {
            None => native.interpreted_to = end,
            Some(stopped) => {
                let done = self.state.tick;
                native.ticks += done - from;
                let read = self.read_log(&native.log, from, every, all, recorder);
                stretched = read.stretched;
                if read.done < done {
                    // The recorder wants no more: back to its last row.
                    self.state.clone_from(&self.snapshot);
                    self.run_code(&*code, &mut native, read.done, u64::MAX);
                } else {
                    self.stopped = stopped;
                }
                if native.log.counted {
                    self.read_counts(&native.log);
                }
                if self.is_probed() && !self.reads_every_row() {
                    self.read_present_row();
                }
            }
        }
        self.coverage.close(self.state.tick);
        self.native = Some(native);
        stretched
    }

    /// Lets the code do ticks. Result: whether the run is to stop; `None` if a value was not finite,
    /// and the state is then as before.
    fn run_code(
        &mut self,
        code: &dyn TickCode,
        native: &mut Native,
        end: u64,
        every: u64,
    ) -> Option<bool> {
        unpack(&self.state.bits, &mut native.bits);
        let mut stretch = TickBatch {
            reals: &mut self.state.reals,
            bits: &mut native.bits,
            lines: &mut self.state.lines,
            tick: self.state.tick,
            end,
            every,
            times: Times {
                tick: self.state.grid.tick,
                time: self.state.grid.time,
            },
            log: &mut native.log,
            stopped: false,
            finite: true,
        };
        code.run(&mut stretch);
        let TickBatch {
            tick,
            stopped,
            finite,
            ..
        } = stretch;
        if !(finite && all_finite(&self.state.reals[..self.program.n_reals])) {
            self.state.clone_from(&self.snapshot);
            return None;
        }
        self.state.tick = tick;
        pack(&native.bits, &mut self.state.bits);
        Some(stopped)
    }

    /// Reads what was noted in the ticks from `from` to the present one, and hands on rows.
    fn read_log(
        &mut self,
        log: &TickLog,
        from: u64,
        every: u64,
        all: u64,
        recorder: &mut impl Recorder,
    ) -> Read {
        let n_reals = self.program.n_reals;
        let mut read = Read {
            done: from,
            change: 0,
            stretched: Stretched::default(),
        };
        for row in 0..log.n_rows {
            let tick = (read.done / every + 1) * every;
            self.read_ticks(log, from, tick, &mut read);
            let broken = recorder.poll(tick, all).is_break();
            let standing = if log.counted {
                log.row_standing[row]
            } else {
                0
            };
            let words = if standing == 0 {
                &self.noted
            } else {
                pack(self.noted_bits(log, standing), &mut self.words);
                &self.words
            };
            let row = Row {
                tick,
                time: self.state.grid.time_of(tick, self.config.step),
                reals: &log.row_reals[row * n_reals..][..n_reals],
                constants: &self.state.reals[n_reals..][..self.program.n_constants],
                words,
                fired: &self.fired,
            };
            let broken = broken | recorder.row(&row).is_break();
            read.stretched.last_row = Some(tick);
            if broken {
                read.stretched.broken = true;
                return read;
            }
            if tick < self.state.tick {
                fill(&mut self.fired, 0);
            }
        }
        self.read_ticks(log, from, self.state.tick, &mut read);
        read
    }

    /// Reads what was noted up to a tick: changes of booleans, then measures.
    fn read_ticks(&mut self, log: &TickLog, from: u64, to: u64, read: &mut Read) {
        if read.done == to {
            return;
        }
        if !log.counted {
            self.read_changes(log, to, read);
        }
        if self.reads_every_row() {
            self.read_probes(log, from, read.done..to);
        }
        read.done = to;
    }

    /// Reads what combinations were met and for how long, and which one stands.
    fn read_counts(&mut self, log: &TickLog) {
        self.coverage.begin_counted(log.counts[0], self.state.tick);
        let tests = &self.program.tape.tests;
        let stride = TickLog::stride(self.program.tape.n_bits as usize);
        for index in 0..log.n_changes {
            pack(
                &log.change_bits[index * stride..][..stride],
                &mut self.words,
            );
            let stands = log.standing == index + 1;
            let ticks = (log.change_ticks[index], log.counts[index + 1]);
            self.coverage
                .take_in_counted(&self.words, ticks, stands, tests);
            if stands {
                self.noted.copy_from_slice(&self.words);
            }
        }
    }

    /// The bits of a combination that was noted.
    fn noted_bits<'l>(&self, log: &'l TickLog, number: u64) -> &'l [u8] {
        let stride = TickLog::stride(self.program.tape.n_bits as usize);
        #[expect(clippy::cast_possible_truncation, reason = "there are few")]
        let place = (number as usize - 1) * stride;
        &log.change_bits[place..][..stride]
    }

    /// Reads the changes of booleans up to a tick.
    fn read_changes(&mut self, log: &TickLog, to: u64, read: &mut Read) {
        let program = &*self.program;
        let changes = &log.change_ticks[read.change..log.n_changes];
        if changes.first() != Some(&read.done) {
            // What stood before the first of these ticks stands in it too.
            add_events(&mut self.fired, &self.noted, &program.event_bits);
        }
        let n_changes = match changes.last() {
            Some(&last) if last >= to => changes.partition_point(|&tick| tick < to),
            _ => changes.len(),
        };
        let stride = TickLog::stride(program.tape.n_bits as usize);
        let rows = &log.change_bits[read.change * stride..][..n_changes * stride];
        read.change += n_changes;
        let changes = changes[..n_changes].iter().copied();
        let tests = program.tape.tests.as_slice();
        if stride == 8 {
            let words = rows.as_chunks().0.iter().map(packed);
            if let Some(last) = words.clone().next_back() {
                self.noted[0] = last;
            }
            if let (Some(fired), Some(&mask)) = (self.fired.first_mut(), program.event_bits.first())
                && mask != 0
            {
                *fired |= words.clone().fold(0, |all, word| all | word) & mask;
            }
            self.coverage.take_in(changes.zip(words), tests);
        } else {
            for (tick, row) in changes.zip(rows.chunks_exact(stride)) {
                pack(row, &mut self.noted);
                add_events(&mut self.fired, &self.noted, &program.event_bits);
                if !self.coverage.change_to_recent(self.noted.as_slice(), tick) {
                    self.coverage.change(&self.noted, tick, tests);
                }
            }
        }
    }

    /// Takes the measures of some ticks of a stretch that has begun at `from`.
    fn read_probes(&mut self, log: &TickLog, from: u64, ticks: Range<u64>) {
        let n_values = self.program.probes.values.len();
        let n_watches = self.program.probes.watches.len();
        for tick in ticks {
            #[expect(clippy::cast_possible_truncation, reason = "a stretch is short")]
            let place = (tick - from) as usize;
            let values = &log.probe_values[place * n_values..][..n_values];
            let bits = &log.probe_bits[place * n_watches..][..n_watches];
            let time = self.state.grid.time_of(tick + 1, self.config.step);
            for measured in &mut self.measures {
                measured.take(time, true, |probe| values[probe], |probe| bits[probe] != 0);
            }
        }
    }
}

/// Notes the events among the booleans that stand.
fn add_events(fired: &mut [u64], standing: &[u64], events: &[u64]) {
    for (fired, (word, mask)) in fired.iter_mut().zip(standing.iter().zip(events)) {
        *fired |= word & mask;
    }
}

/// Outcome of a stretch.
#[derive(Clone, Copy, Default)]
pub(in crate::sim) struct Stretched {
    /// The recorder wants no more.
    pub(in crate::sim) broken: bool,
    /// The last tick of which the recorder has a row.
    pub(in crate::sim) last_row: Option<u64>,
}

/// Position in a log that is being read.
struct Read {
    /// Ticks read.
    done: u64,
    /// Changes read.
    change: usize,
    stretched: Stretched,
}

/// Words to a byte per bit.
fn unpack(words: &[u64], bits: &mut [u8]) {
    for (chunk, &word) in bits.chunks_mut(64).zip(words) {
        for (shift, bit) in chunk.iter_mut().enumerate() {
            *bit = u8::from(word >> shift & 1 == 1);
        }
    }
}

/// A byte per bit to words.
fn pack(bits: &[u8], words: &mut [u64]) {
    for (chunk, word) in bits.chunks(64).zip(words) {
        *word = 0;
        let (eights, rest) = chunk.as_chunks();
        for (place, eight) in eights.iter().enumerate() {
            *word |= packed(eight) << (8 * place);
        }
        for (place, &bit) in rest.iter().enumerate() {
            *word |= u64::from(bit) << (8 * eights.len() + place);
        }
    }
}

/// Eight bytes, each 0 or 1, to eight bits.
fn packed(bytes: &[u8; 8]) -> u64 {
    // Each product of a byte and a power of two lands on a bit of its own; the top byte has one of each.
    u64::from_le_bytes(*bytes).wrapping_mul(0x0102_0408_1020_4080) >> 56
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_packed_and_unpacked() {
        let words = [0x8000_0000_0000_0005, 0x6];
        let mut bits = vec![9; 67];
        unpack(&words, &mut bits);
        assert_eq!((bits[0], bits[1], bits[2], bits[63]), (1, 0, 1, 1));
        assert_eq!(bits[64..], [0, 1, 1]);
        let mut packed = [7, 7];
        pack(&bits, &mut packed);
        assert_eq!(packed, words);
    }
}
