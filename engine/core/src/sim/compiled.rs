//! The seam for compiled code: a [`Compiler`] that runs are given, and what does ticks in place of the interpreter.
//!
//! Ticks are compiled from a [`TickJob`]. Their code does many ticks at a time, a [`TickBatch`], and
//! notes in a [`TickLog`] what the run wants to know of the ticks in between: when booleans changed,
//! the rows of the trajectory, what measures read. It finds no faults: a stretch after which a value
//! is not finite is done again by the interpreter, which does.

use std::fmt::Debug;
use std::ops::Range;
use std::sync::Arc;

use crate::backend::compiled::{BasicBlockCode, BasicBlockJob};
use crate::backend::interpreter::Line;
use crate::lower::Program;
use crate::tape::Bit;

/// Compiled ticks of one program.
pub trait TickCode: Debug + Send + Sync {
    /// Does the ticks of a stretch, with the bits that the interpreter would give, NaN counting as
    /// one value.
    fn run(&self, stretch: &mut TickBatch<'_>);
}

/// A compiler of what runs do: of the ticks of a tick run, and of straight operations of an event-accurate run. What
/// is worth compiling, when it is ready and on which thread is its own affair. Code has the bits of the interpreter, so
/// that nothing depends on when it takes over.
pub trait Compiler: Debug + Send + Sync {
    /// The ticks of runs that have so many ahead of them, compiled or being compiled; `None` where that does not pay.
    ///
    /// # Errors
    ///
    /// They were to be compiled at once, and cannot be.
    fn ticks(
        &self,
        job: TickJob,
        ticks: u64,
    ) -> Result<Option<Pending<dyn TickCode>>, CompileError>;

    /// Straight operations, compiled or being compiled.
    fn straight(&self, job: BasicBlockJob) -> Pending<dyn BasicBlockCode>;

    /// So many evaluations have to be done in a mode before what does them is compiled.
    fn pays_after(&self) -> u64;
}

/// Code that is there, or will be. Its clones are one.
pub struct Pending<C: ?Sized>(Arc<dyn Fn() -> Option<Arc<C>> + Send + Sync>);

impl<C: ?Sized + Send + Sync + 'static> Pending<C> {
    /// Code that is there.
    pub fn ready(code: Arc<C>) -> Self {
        Self::when(move || Some(Arc::clone(&code)))
    }

    /// Code that is there when it is given. It is asked for often, and must not be waited for.
    pub fn when(code: impl Fn() -> Option<Arc<C>> + Send + Sync + 'static) -> Self {
        Self(Arc::new(code))
    }

    /// The code, if it is there.
    pub fn code(&self) -> Option<Arc<C>> {
        (self.0)()
    }
}

impl<C: ?Sized> Clone for Pending<C> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<C: ?Sized> Debug for Pending<C> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pending").finish_non_exhaustive()
    }
}

/// Why there is no compiled code.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CompileError {
    /// The compiler makes no code for this machine; in its words.
    Machine(String),
    /// The table is too large.
    TooLarge,
    /// The compiler or the system refuses; in its words.
    Refused(String),
}

impl std::fmt::Display for CompileError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Machine(why) => write!(f, "no native code for this machine: {why}"),
            Self::TooLarge => f.write_str("the table is too large for native code"),
            Self::Refused(why) => write!(f, "native code could not be made: {why}"),
        }
    }
}

impl std::error::Error for CompileError {}

/// The ticks of a run, to be compiled.
#[derive(Clone, Debug)]
pub struct TickJob {
    /// The lowered model.
    pub program: Arc<Program>,
    /// Ops that the interpreter executes one by one; it is about as fast with the others as compiled code.
    pub single_ops: usize,
    /// Slots that are tested after every tick: one that is not finite spoils the stretch.
    pub watched: Arc<[u32]>,
    /// True if rows are read after every tick, for measures or to stop.
    pub probed: bool,
    /// True if the order of changes of booleans does not matter, so that they may be counted.
    pub counted: bool,
    /// The bit that ends the run, one of the probes.
    pub stop: Option<Bit>,
}

impl TickJob {
    /// Ops of a tick.
    pub fn tick(&self) -> Range<usize> {
        0..self.program.sections.relations.end
    }

    /// Ops that read a row after the tick; none if nobody reads rows.
    pub fn probes(&self) -> Range<usize> {
        if self.probed {
            self.program.sections.probes.clone()
        } else {
            0..0
        }
    }
}

/// Times of the ticks of a run: tick `n` begins at `time + (n - tick) * step`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Times {
    /// The tick from which ticks have their present length.
    pub tick: u64,
    /// Its time [units of `time`].
    pub time: f64,
}

/// Ticks to be done in one go.
#[derive(Debug)]
pub struct TickBatch<'a> {
    /// The slots of the tape. Those that no tick reads before it writes them, reals of the model
    /// apart, need not be kept.
    pub reals: &'a mut [f64],
    /// The bits of the tape, a byte each, 0 or 1. The bit of the start is 0.
    pub bits: &'a mut [u8],
    /// The delay lines.
    pub lines: &'a mut [Line],
    /// Ticks done, at least 2; moved on.
    pub tick: u64,
    /// Tick at which to end, at the latest: sooner if the log is full or the run is to stop.
    pub end: u64,
    /// Rows are noted after ticks whose number is a multiple.
    pub every: u64,
    /// Times of the ticks.
    pub times: Times,
    /// Log of these ticks; has room for at least one tick.
    pub log: &'a mut TickLog,
    /// Set if the bit to stop at holds after the last tick.
    pub stopped: bool,
    /// Set to false if a watched slot was not finite after some tick.
    pub finite: bool,
}

/// Log written by compiled code. The length of each vector is its capacity.
#[derive(Debug, Default)]
pub struct TickLog {
    /// True if changes were counted: then only those to a combination of bits that was not met before
    /// in the stretch are noted. The combination at the start has the number 0, noted ones follow.
    pub counted: bool,
    /// In how many ticks each combination stood.
    pub counts: Vec<u64>,
    /// The combination that stands at the end.
    pub standing: usize,
    /// The combination that stands in each noted row.
    pub row_standing: Vec<u64>,
    /// The numbers of combinations by the bits that tell them apart, for the code.
    pub numbers: Vec<u64>,
    /// Number of changes noted.
    pub n_changes: usize,
    /// Ticks done before those in which a bit changed that the tick writes.
    pub change_ticks: Vec<u64>,
    /// All bits after these ticks, one row of [`TickLog::stride`] bytes each.
    pub change_bits: Vec<u8>,
    /// Number of rows noted.
    pub n_rows: usize,
    /// The reals of these rows.
    pub row_reals: Vec<f64>,
    /// Values of the probes after each tick of the stretch.
    pub probe_values: Vec<f64>,
    /// Bits of the probes after each tick of the stretch, a byte each.
    pub probe_bits: Vec<u8>,
}

/// A clone has the same room and nothing in it.
impl Clone for TickLog {
    fn clone(&self) -> Self {
        Self {
            counted: false,
            counts: vec![0; self.counts.len()],
            standing: 0,
            row_standing: vec![0; self.row_standing.len()],
            numbers: vec![0; self.numbers.len()],
            n_changes: 0,
            change_ticks: vec![0; self.change_ticks.len()],
            change_bits: vec![0; self.change_bits.len()],
            n_rows: 0,
            row_reals: vec![0.0; self.row_reals.len()],
            probe_values: vec![0.0; self.probe_values.len()],
            probe_bits: vec![0; self.probe_bits.len()],
        }
    }
}

/// Room of a log [bytes, about, for each of its parts].
const LOG_BYTES: usize = 1 << 20;

/// So many combinations can be counted, those of six bits.
pub const COMBINATIONS: usize = 64;

/// Longest stretch.
const MAX_TICKS: usize = 4096;

/// A stretch takes about so many operations, some milliseconds.
const MAX_OPS: usize = 1 << 23;

impl TickLog {
    /// An empty log with room for stretches of [`TickLog::ticks`] ticks of a program.
    pub(crate) fn new(job: &TickJob) -> Self {
        let program = &job.program;
        let room = |bytes: usize| (LOG_BYTES / bytes.max(1)).clamp(2, MAX_TICKS);
        let n_bits = program.tape.n_bits as usize;
        let stride = Self::stride(n_bits);
        let (n_changes, n_rows) = (room(8 + stride), room(8 * program.n_reals));
        let n_probed = if job.probed { Self::ticks(job) } else { 0 };
        Self {
            counted: false,
            counts: vec![0; COMBINATIONS + 1],
            standing: 0,
            row_standing: vec![0; n_rows],
            numbers: vec![0; COMBINATIONS],
            n_changes: 0,
            change_ticks: vec![0; n_changes],
            change_bits: vec![0; n_changes * stride],
            n_rows: 0,
            row_reals: vec![0.0; n_rows * program.n_reals],
            probe_values: vec![0.0; n_probed * program.probes.values.len()],
            probe_bits: vec![0; n_probed * program.probes.watches.len()],
        }
    }

    /// Bytes of a row of bits: a multiple of 8, of which those beyond the bits are 0.
    pub fn stride(n_bits: usize) -> usize {
        n_bits.next_multiple_of(8)
    }

    /// Length of the longest stretch.
    pub(crate) fn ticks(job: &TickJob) -> usize {
        let program = &job.program;
        let per_tick = 8 * program.probes.values.len() + program.probes.watches.len();
        let by_room = if job.probed {
            LOG_BYTES / per_tick.max(1)
        } else {
            MAX_TICKS
        };
        let by_ops = MAX_OPS / program.tape.ops.len().max(1);
        by_room.min(by_ops).clamp(8, MAX_TICKS)
    }
}
