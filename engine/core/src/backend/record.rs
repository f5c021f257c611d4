//! Operations in place of numbers: a formula that is run on them is written down as a tape, to be
//! compiled.
//!
//! The compiled code does the same operations in the same order as the formula does on numbers, and
//! has the same bits. What only numbers take part in is computed at once.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::fmt;
use std::ops::{Add, Mul, Sub};

use super::value::{Scalar, Value};
use crate::tape::{Code, Op, Shape, Slot, Tape};

/// Writes operations down.
#[derive(Debug)]
pub(crate) struct TapeRecorder {
    tape: RefCell<Tape>,
    /// Slots of numbers, by their bits.
    numbers: RefCell<HashMap<u64, u32>>,
    /// True if a decision depended on a value that is not known.
    undecided: Cell<bool>,
}

impl TapeRecorder {
    /// On a tape of whose slots some are in use.
    pub(crate) fn new(n_slots: u32) -> Self {
        let tape = Tape {
            n_slots,
            ..Tape::default()
        };
        Self {
            tape: RefCell::new(tape),
            numbers: RefCell::default(),
            undecided: Cell::new(false),
        }
    }

    /// Value of a slot.
    pub(crate) fn at(&self, slot: u32) -> TracedValue<'_> {
        TracedValue::Slot(slot, self)
    }

    /// A slot that has not been in use.
    fn fresh(&self) -> u32 {
        self.row(1)
    }

    /// So many slots in a row, the first of them.
    pub(crate) fn row(&self, n: usize) -> u32 {
        let mut tape = self.tape.borrow_mut();
        tape.n_slots += n as u32;
        tape.n_slots - n as u32
    }

    /// The slot that holds a value.
    pub(crate) fn slot_of(&self, value: TracedValue<'_>) -> u32 {
        let value = match value {
            TracedValue::Slot(slot, _) => return slot,
            TracedValue::Number(value) => value,
        };
        let mut numbers = self.numbers.borrow_mut();
        *numbers.entry(value.to_bits()).or_insert_with(|| {
            let slot = self.fresh();
            let place = (Slot::new(slot as usize), value);
            self.tape.borrow_mut().numbers.push(place);
            slot
        })
    }

    /// An operation; `old` is what an update reads.
    pub(crate) fn op(
        &self,
        code: Code,
        old: Option<TracedValue<'_>>,
        a: TracedValue<'_>,
        b: TracedValue<'_>,
    ) -> TracedValue<'_> {
        let [a, b] = [a, b].map(|value| self.slot_of(value));
        let out = self.fresh();
        if let Some(old) = old {
            let old = self.slot_of(old);
            self.push(Code::Copy, out, old, old);
        }
        self.push(code, out, a, b);
        self.at(out)
    }

    pub(crate) fn push(&self, code: Code, out: u32, a: u32, b: u32) {
        let mut tape = self.tape.borrow_mut();
        tape.ops.push(Op { code, out, a, b });
        tape.rows.push(0);
    }

    /// Number of operations.
    pub(crate) fn len(&self) -> usize {
        self.tape.borrow().ops.len()
    }

    /// Forgets the operations from this one on.
    pub(crate) fn cut(&self, len: usize) {
        let mut tape = self.tape.borrow_mut();
        tape.ops.truncate(len);
        tape.rows.truncate(len);
    }

    /// True if a decision depended on a value that is not known, since this was last
    /// asked: then what was written down is of no use.
    pub(crate) fn was_undecided(&self) -> bool {
        self.undecided.take()
    }

    /// Copies values into slots that follow each other.
    pub(crate) fn store(&self, first: u32, values: &[TracedValue<'_>]) {
        for (place, value) in (first..).zip(values) {
            let value = self.slot_of(*value);
            self.push(Code::Copy, place, value, value);
        }
    }

    /// TracedValue tape.
    pub(crate) fn into_tape(self) -> Tape {
        self.tape.into_inner()
    }
}

/// A value that operations give, or a number.
#[derive(Clone, Copy)]
pub(crate) enum TracedValue<'a> {
    Number(f64),
    Slot(u32, &'a TapeRecorder),
}

impl fmt::Debug for TracedValue<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(value) => write!(f, "{value}"),
            Self::Slot(slot, _) => write!(f, "slot {slot}"),
        }
    }
}

impl<'a> TracedValue<'a> {
    fn recorder(self) -> Option<&'a TapeRecorder> {
        match self {
            Self::Number(_) => None,
            Self::Slot(_, recorder) => Some(recorder),
        }
    }

    fn is(self, number: f64) -> bool {
        matches!(self, Self::Number(value) if value == number)
    }
}

impl Scalar for TracedValue<'_> {
    fn number(value: f64) -> Self {
        Self::Number(value)
    }

    fn unknown() -> Self {
        Self::Number(f64::NAN)
    }

    fn plus(self, other: Self) -> Self {
        Self::of(Code::Add, self, self, other)
    }

    fn minus(self, other: Self) -> Self {
        Self::of(Code::Sub, self, self, other)
    }

    /// Once a number is that number, to the bit.
    fn times(self, other: Self) -> Self {
        if self.is(1.0) {
            other
        } else if other.is(1.0) {
            self
        } else {
            Self::of(Code::Mul, self, self, other)
        }
    }

    fn over(self, other: Self) -> Self {
        if other.is(1.0) {
            self
        } else {
            Self::of(Code::Div, self, self, other)
        }
    }

    fn of(code: Code, old: Self, a: Self, b: Self) -> Self {
        let shape = code.shape();
        let is_update = shape == Shape::Update;
        let b = match shape {
            Shape::Unary => a,
            _ => b,
        };
        let recorder = a.recorder().or(b.recorder());
        let recorder = recorder.or(old.recorder().filter(|_| is_update));
        if let Some(recorder) = recorder {
            return recorder.op(code, is_update.then_some(old), a, b);
        }
        match (old, a, b) {
            (Self::Number(old), Self::Number(a), Self::Number(b)) => {
                Self::Number(Value::apply(code, old, a, b))
            }
            // What is no update does not read the old value.
            (_, Self::Number(a), Self::Number(b)) => Self::Number(Value::apply(code, a, a, b)),
            _ => unreachable!("one of them has a recorder"),
        }
    }

    fn exactly(self) -> Option<f64> {
        match self {
            Self::Number(value) => Some(value),
            Self::Slot(_, recorder) => {
                recorder.undecided.set(true);
                None
            }
        }
    }

    /// Decided by an operation.
    fn slope_at_kinks(slopes: impl Iterator<Item = Self>) -> Self {
        let zero = Self::Number(0.0);
        let sizes = slopes.map(|slope| Self::of(Code::Abs, slope, slope, slope));
        let most = sizes.reduce(|a, b| Self::of(Code::Max, a, a, b));
        Self::of(Code::LowerAt, Self::unknown(), most.unwrap_or(zero), zero)
    }
}

macro_rules! recorded {
    ($operation:ident, $function:ident, $method:ident) => {
        impl $operation for TracedValue<'_> {
            type Output = Self;

            fn $function(self, other: Self) -> Self {
                Scalar::$method(self, other)
            }
        }
    };
}
recorded!(Add, add, plus);
recorded!(Sub, sub, minus);
recorded!(Mul, mul, times);
