//! The tape: a model lowered to a flat list of three-address operations.
//!
//! Reals live in one array of slots, booleans as bits of one array of words; a conjunction is a
//! [`Test`] of masks. [`Assembler`] writes tapes, [`verify`] says what the ways of running one rely
//! on. A tape knows no names and no model; [`Tape::rows`] carries, for each op, the row it came
//! from, which is copied and never read while running.

mod assembler;
mod facts;
mod op;
mod print;
mod verify;

pub use assembler::Assembler;
pub(crate) use assembler::Literals;
pub use facts::{Branch, Facts, MarginOf, Pieces, Root};
pub(crate) use op::with_real_ops;
pub use op::{Code, Op, Shape, Slot, TableFunction};
pub use print::print;
pub use verify::{TapeError, verify};

/// A bit: its number counted over all words.
pub type Bit = u32;

/// One mask of a conjunction: it holds if `word & mask == value`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Test {
    /// Index of the word.
    pub word: u32,
    /// Number of the tests that follow and belong to the same conjunction.
    pub rest: u32,
    /// The bits that matter.
    pub mask: u64,
    /// The values they must have.
    pub value: u64,
}

/// The masks of the conjunction whose test stands at `first`.
pub(crate) fn conjunction(tests: &[Test], first: u32) -> &[Test] {
    let first = first as usize;
    &tests[first..=first + tests[first].rest as usize]
}

/// A periodic instant: ticks `m` (counted from 0) with `m = ceil((first + k * period) / dt)`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Period {
    /// Slot of the period [units of time].
    pub period: Slot,
    /// Slot of the first instant [units of time].
    pub first: Slot,
    /// Slot of the step [units of time].
    pub step: Slot,
}

/// A delay line: how long it is, and the value it is filled with at the start.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct DelayLine {
    /// Slot of the delay [units of time].
    pub tau: Slot,
    /// Slot of the step [units of time].
    pub step: Slot,
}

/// Equations that hold: operations that compute their residuals, on slots of their own.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Solve {
    /// Operations done once, before the unknowns are looked for.
    pub setup: Vec<Op>,
    /// Operations from the unknowns to the residuals.
    pub ops: Vec<Op>,
    /// Own slots that hold a number.
    pub numbers: Vec<(Slot, f64)>,
    /// Number of own slots.
    pub n_slots: u32,
    /// Slots of the tape that are read, each with its own slot.
    pub inputs: Vec<(Slot, Slot)>,
    /// What is looked for.
    pub unknowns: Vec<Unknown>,
    /// Own slots of the residuals, as many as there are unknowns.
    pub residuals: Vec<Slot>,
    /// Own slots of the bounds of the only unknown, computed in the setup.
    pub bounds: Option<[Slot; 2]>,
    /// The slopes of residuals by unknowns, if operations without a decision compute them.
    pub jacobian: Option<JacobianOps>,
    /// If the solution is near: so many of the first unknowns say how near, by the largest of them.
    pub near: Option<usize>,
}

/// The slopes of the residuals of [`Solve`].
#[derive(Clone, PartialEq, Debug)]
pub struct JacobianOps {
    /// Operations that compute them once those of the residuals are done.
    pub ops: Vec<Op>,
    /// Those that may differ from 0.
    pub entries: Vec<JacobianEntry>,
}

/// The slope of a residual by an unknown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct JacobianEntry {
    /// Number of the residual.
    pub row: usize,
    /// Number of the unknown.
    pub column: usize,
    /// Its own slot.
    pub slot: Slot,
}

/// An unknown of [`Solve`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Unknown {
    /// Slot of the tape from whose value it is looked for.
    pub from: Slot,
    /// Its own slot.
    pub own: Slot,
    /// Slot of the tape that takes its value.
    pub to: Slot,
}

/// A lowered list of rules.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Tape {
    /// Operations of one tick, in order.
    pub ops: Vec<Op>,
    /// For each op the row it came from, as the lowering numbers rows.
    pub rows: Vec<u32>,
    /// Positions of the ops with which statements begin: rows, and what is done before and behind them.
    pub statements: Vec<u32>,
    /// Slots of results that are read in the statement only in which they are computed.
    pub scratch: Vec<Slot>,
    /// Operations done once before the first tick: everything that depends on constants only.
    pub setup: Vec<Op>,
    /// Masks of conjunctions.
    pub tests: Vec<Test>,
    /// Periodic instants.
    pub periods: Vec<Period>,
    /// Delay lines.
    pub delays: Vec<DelayLine>,
    /// Equations that are solved.
    pub solves: Vec<Solve>,
    /// Slots that hold a number from the start.
    pub numbers: Vec<(Slot, f64)>,
    /// Number of slots.
    pub n_slots: u32,
    /// Number of bits.
    pub n_bits: u32,
}
