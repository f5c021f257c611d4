//! Calling native code: the only place with unsafe code.
//!
//! Native code gets the address of a [`Frame`] and finds all else through it. What it reads and writes
//! there are places whose number is known from the tape; that they exist is checked before each call.

#![expect(unsafe_code, reason = "native code is called through its address")]

use std::sync::Mutex;

use cranelift_jit::JITModule;
use situ_engine::backend::solved::solve_in_place;
use situ_engine::sim::compiled::{COMBINATIONS, TickBatch, TickJob, TickLog};
use situ_engine::tape::Solve;

/// Data that native code works on. It knows the offsets of the fields.
#[repr(C)]
#[derive(Debug)]
pub(crate) struct Frame {
    /// The slots.
    pub(crate) reals: *mut f64,
    /// The bits, a byte each.
    pub(crate) bits: *mut u8,
    pub(crate) lines: *mut RawLine,
    /// Ticks done.
    pub(crate) tick: u64,
    pub(crate) end: u64,
    /// The next tick after which a row is noted, and the distance of rows.
    pub(crate) next_row: u64,
    pub(crate) every: u64,
    /// The tick from which ticks are counted, and its time.
    pub(crate) since_tick: u64,
    pub(crate) since: f64,
    /// See [`TickLog`]: how combinations are counted.
    pub(crate) numbers: *mut u64,
    pub(crate) counts: *mut u64,
    pub(crate) standing: u64,
    /// The tick since which it stands.
    pub(crate) standing_since: u64,
    pub(crate) row_standing: *mut u64,
    pub(crate) change_ticks: *mut u64,
    pub(crate) change_bits: *mut u8,
    pub(crate) n_changes: u64,
    pub(crate) max_changes: u64,
    pub(crate) row_reals: *mut f64,
    pub(crate) n_rows: u64,
    pub(crate) max_rows: u64,
    pub(crate) probe_values: *mut f64,
    pub(crate) probe_bits: *mut u8,
    /// 0, or NaN if a watched slot was not finite.
    pub(crate) spoilt: f64,
    /// Not 0 if the run is to stop.
    pub(crate) stopped: u64,
}

/// A delay line.
#[repr(C)]
#[derive(Debug)]
pub(crate) struct RawLine {
    pub(crate) values: *mut f64,
    pub(crate) length: u64,
    pub(crate) oldest: u64,
}

/// Solves equations for native code, whose address this is; a number that says nothing.
///
/// Shapes: `values`: those of [`solve_in_place`].
pub(crate) extern "C" fn solve(row: *const Solve, values: *mut f64) -> f64 {
    // SAFETY: native code calls this with the address of equations of the program that it was made of, which its owner
    // keeps, and that of as many values as they have inputs and unknowns, which nobody else knows.
    let (row, values) = unsafe {
        let row = &*row;
        let n = row.inputs.len() + row.unknowns.len();
        (row, std::slice::from_raw_parts_mut(values, n))
    };
    solve_in_place(row, values);
    0.0
}

/// The signature of native code.
type Entry = unsafe extern "C" fn(*mut Frame);

/// Compiled code that can be called.
#[derive(Debug)]
pub(crate) struct Machine {
    entries: Vec<Entry>,
    /// Owns the memory of the code.
    _module: Owned,
}

/// A module with the memory of its code; none only while it is dropped.
#[derive(Debug)]
struct Owned(Mutex<Option<Module>>);

impl Owned {
    fn new(module: JITModule) -> Self {
        Self(Mutex::new(Some(Module(module))))
    }
}

struct Module(JITModule);

impl std::fmt::Debug for Module {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("JITModule")
    }
}

/// Sizes of all arrays that the code reads and writes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sizes {
    n_slots: usize,
    n_bits: usize,
    n_lines: usize,
    n_reals: usize,
    n_values: usize,
    n_watches: usize,
}

impl Sizes {
    pub(crate) fn of(job: &TickJob) -> Self {
        let program = &job.program;
        let n_probed = |n: usize| if job.probed { n } else { 0 };
        Self {
            n_slots: program.tape.n_slots as usize,
            n_bits: program.tape.n_bits as usize,
            n_lines: program.tape.delays.len(),
            n_reals: program.n_reals,
            n_values: n_probed(program.probes.values.len()),
            n_watches: n_probed(program.probes.watches.len()),
        }
    }

    /// True if the places that code of these sizes uses are there.
    fn fit(&self, stretch: &TickBatch<'_>) -> bool {
        let log = &stretch.log;
        let ticks = usize::try_from(stretch.end.saturating_sub(stretch.tick));
        let ticks = ticks.unwrap_or(usize::MAX);
        stretch.reals.len() >= self.n_slots
            && stretch.bits.len() >= self.n_bits
            && stretch.lines.len() >= self.n_lines
            && log.change_bits.len() >= log.change_ticks.len() * TickLog::stride(self.n_bits)
            && !log.change_ticks.is_empty()
            && log.row_reals.len() >= self.n_reals
            && !log.row_standing.is_empty()
            && log.numbers.len() >= COMBINATIONS
            && log.counts.len() > COMBINATIONS
            && log.probe_values.len() >= ticks.saturating_mul(self.n_values)
            && log.probe_bits.len() >= ticks.saturating_mul(self.n_watches)
            && stretch.tick < stretch.end
    }

    /// Number of rows that there is room for.
    fn rows(&self, stretch: &TickBatch<'_>) -> usize {
        let room = stretch.log.row_reals.len();
        let rows = room.checked_div(self.n_reals).unwrap_or(usize::MAX);
        rows.min(stretch.log.row_standing.len())
    }
}

impl Machine {
    /// The code at these addresses, which belongs to the module.
    pub(crate) fn new(module: JITModule, addresses: &[*const u8]) -> Self {
        // SAFETY: the addresses are those of finished functions of the module that were declared
        // with the signature of `Entry` and the calling convention of C.
        let entry = |&address| unsafe { std::mem::transmute::<*const u8, Entry>(address) };
        Self {
            entries: addresses.iter().map(entry).collect(),
            _module: Owned::new(module),
        }
    }

    /// Number of functions.
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Calls some of the functions, one after the other, on a stretch; the first one does all of its
    /// ticks, if it is a loop.
    ///
    /// # Panics
    ///
    /// If the stretch is too small for code of these sizes.
    pub(crate) fn call(
        &self,
        functions: std::ops::Range<usize>,
        sizes: &Sizes,
        stretch: &mut TickBatch<'_>,
    ) {
        assert!(
            sizes.fit(stretch),
            "a stretch is made for the job that was compiled"
        );
        let mut lines: Vec<RawLine> = stretch
            .lines
            .iter_mut()
            .map(|line| RawLine {
                values: line.values.as_mut_ptr(),
                length: line.values.len() as u64,
                oldest: line.oldest as u64,
            })
            .collect();
        let max_rows = sizes.rows(stretch) as u64;
        let log = &mut *stretch.log;
        let mut frame = Frame {
            reals: stretch.reals.as_mut_ptr(),
            bits: stretch.bits.as_mut_ptr(),
            lines: lines.as_mut_ptr(),
            tick: stretch.tick,
            end: stretch.end,
            next_row: (stretch.tick / stretch.every)
                .saturating_add(1)
                .saturating_mul(stretch.every),
            every: stretch.every,
            since_tick: stretch.times.tick,
            since: stretch.times.time,
            numbers: log.numbers.as_mut_ptr(),
            counts: log.counts.as_mut_ptr(),
            standing: 0,
            standing_since: stretch.tick,
            row_standing: log.row_standing.as_mut_ptr(),
            change_ticks: log.change_ticks.as_mut_ptr(),
            change_bits: log.change_bits.as_mut_ptr(),
            n_changes: log.n_changes as u64,
            max_changes: log.change_ticks.len() as u64,
            row_reals: log.row_reals.as_mut_ptr(),
            n_rows: log.n_rows as u64,
            max_rows,
            probe_values: log.probe_values.as_mut_ptr(),
            probe_bits: log.probe_bits.as_mut_ptr(),
            spoilt: 0.0,
            stopped: 0,
        };
        for entry in &self.entries[functions] {
            // SAFETY: the code was made for `sizes`, and the assertion above holds every place of
            // slots, bits, lines and log that it reads or writes within the vectors that the frame
            // points to, which are borrowed until the call is over. A delay line is written below its
            // length only. The module that owns the code lives as long as `self`.
            unsafe { entry(&raw mut frame) };
        }
        let count = |n: u64| usize::try_from(n).expect("it was a length");
        log.n_changes = count(frame.n_changes);
        log.n_rows = count(frame.n_rows);
        log.standing = count(frame.standing);
        log.counts[log.standing] += frame.tick - frame.standing_since;
        for (line, raw) in stretch.lines.iter_mut().zip(lines) {
            line.oldest = count(raw.oldest);
        }
        stretch.tick = frame.tick;
        stretch.stopped |= frame.stopped != 0;
        stretch.finite &= frame.spoilt == 0.0;
    }
}

/// The signature of operations on slots.
type OnSlots = unsafe extern "C" fn(*mut f64);

/// Compiled operations on slots that can be called.
#[derive(Debug)]
pub(crate) struct BasicBlock {
    /// The functions of each part, and how many slots they need.
    parts: Vec<(Vec<OnSlots>, usize)>,
    /// Owns the memory of the code.
    _module: Owned,
}

impl BasicBlock {
    /// The code at these addresses, which belongs to the module: for each part its functions, and how
    /// many slots they need.
    pub(crate) fn new(module: JITModule, parts: Vec<(Vec<*const u8>, usize)>) -> Self {
        // SAFETY: the addresses are those of finished functions of the module that were declared
        // with the signature of `OnSlots` and the calling convention of C.
        let function = |address| unsafe { std::mem::transmute::<*const u8, OnSlots>(address) };
        let part = |(addresses, n_slots): (Vec<*const u8>, usize)| {
            (addresses.into_iter().map(function).collect(), n_slots)
        };
        Self {
            parts: parts.into_iter().map(part).collect(),
            _module: Owned::new(module),
        }
    }

    /// Calls a part.
    ///
    /// # Panics
    ///
    /// If there are fewer slots than the part needs.
    pub(crate) fn call(&self, part: usize, slots: &mut [f64]) {
        let (functions, n_slots) = &self.parts[part];
        assert!(slots.len() >= *n_slots, "the slots are those of the tape");
        for function in functions {
            // SAFETY: the code reads and writes slots below `n_slots` only, which are there. The module
            // that owns the code lives as long as `self`.
            unsafe { function(slots.as_mut_ptr()) };
        }
    }
}

impl Drop for Owned {
    fn drop(&mut self) {
        let module = self.0.get_mut().map(Option::take);
        if let Ok(Some(Module(module))) = module {
            // SAFETY: the functions can only be called through the owner of `self`, which is being dropped.
            unsafe { module.free_memory() };
        }
    }
}
