//! The interpreter: executes a tape op by op.
//!
//! One loop serves all tapes. It is generic over where reals and bits are kept: up to
//! [`SMALL_SLOTS`] slots live in an array whose size is known, so that no index is checked, up to 64
//! bits in one word.

use crate::tape::{Code, Op, Tape, Test, with_real_ops};

/// Up to so many slots a tape runs without bounds checks.
pub(crate) const SMALL_SLOTS: usize = 256;

/// The reals of a model are padded to a multiple of this, so that they can be looked at together.
pub(crate) const LANES: usize = 8;

/// Where reals are kept.
pub(crate) trait Reals {
    fn get(&self, slot: u32) -> f64;
    fn set(&mut self, slot: u32, value: f64);
}

/// Slots 0 to 255; the runner has made sure that the tape names no other.
pub(crate) struct SmallReals<'a>(pub(crate) &'a mut [f64; SMALL_SLOTS]);

impl Reals for SmallReals<'_> {
    #[inline(always)]
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the tape names slots up to 255 only"
    )]
    fn get(&self, slot: u32) -> f64 {
        self.0[slot as u8 as usize]
    }

    #[inline(always)]
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the tape names slots up to 255 only"
    )]
    fn set(&mut self, slot: u32, value: f64) {
        self.0[slot as u8 as usize] = value;
    }
}

/// Any number of slots.
pub(crate) struct WideReals<'a>(pub(crate) &'a mut [f64]);

impl Reals for WideReals<'_> {
    #[inline(always)]
    fn get(&self, slot: u32) -> f64 {
        self.0[slot as usize]
    }

    #[inline(always)]
    fn set(&mut self, slot: u32, value: f64) {
        self.0[slot as usize] = value;
    }
}

/// Where bits are kept.
pub(crate) trait Bits {
    fn word(&self, word: u32) -> u64;
    fn get(&self, bit: u32) -> bool;
    fn set(&mut self, bit: u32, value: bool);
}

/// Up to 64 bits, kept in a register.
pub(crate) struct OneWord(pub(crate) u64);

impl Bits for OneWord {
    #[inline(always)]
    fn word(&self, _: u32) -> u64 {
        self.0
    }

    #[inline(always)]
    fn get(&self, bit: u32) -> bool {
        self.0 >> (bit & 63) & 1 == 1
    }

    #[inline(always)]
    fn set(&mut self, bit: u32, value: bool) {
        let shift = bit & 63;
        self.0 = self.0 & !(1 << shift) | u64::from(value) << shift;
    }
}

/// Any number of bits.
pub(crate) struct ManyWords<'a>(pub(crate) &'a mut [u64]);

impl Bits for ManyWords<'_> {
    #[inline(always)]
    fn word(&self, word: u32) -> u64 {
        self.0[word as usize]
    }

    #[inline(always)]
    fn get(&self, bit: u32) -> bool {
        self.0[(bit / 64) as usize] >> (bit % 64) & 1 == 1
    }

    #[inline(always)]
    fn set(&mut self, bit: u32, value: bool) {
        let word = &mut self.0[(bit / 64) as usize];
        let shift = bit % 64;
        *word = *word & !(1 << shift) | u64::from(value) << shift;
    }
}

/// What a delay line holds.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Line {
    /// The values of the last ticks; as long as the delay.
    pub(crate) values: Vec<f64>,
    /// Position of the oldest.
    pub(crate) oldest: usize,
}

impl Line {
    fn push(&mut self, value: f64) -> f64 {
        let length = self.values.len();
        let Some(place) = self.values.get_mut(self.oldest) else {
            return value;
        };
        self.oldest = if self.oldest + 1 == length {
            0
        } else {
            self.oldest + 1
        };
        std::mem::replace(place, value)
    }
}

/// What ops need besides reals and bits.
pub(crate) struct Context<'a> {
    pub(crate) tape: &'a Tape,
    pub(crate) lines: &'a mut [Line],
    /// Ticks done before this one.
    pub(crate) tick: u64,
}

/// Looks on while ops are executed.
pub(crate) trait Observer {
    /// The op at this position of the list was executed.
    fn executed(&mut self, position: usize, op: &Op, reals: &impl Reals);
}

/// Sees nothing and costs nothing.
pub(crate) struct NoObserver;

impl Observer for NoObserver {
    #[inline(always)]
    fn executed(&mut self, _: usize, _: &Op, _: &impl Reals) {}
}

/// Whether the test at `first` holds.
#[inline(always)]
pub(crate) fn holds(tests: &[Test], first: u32, bits: &impl Bits) -> bool {
    let Some((head, rest)) = tests.get(first as usize..).and_then(<[Test]>::split_first) else {
        return false;
    };
    bits.word(head.word) & head.mask == head.value
        && (head.rest == 0
            || rest[..head.rest as usize]
                .iter()
                .all(|test| bits.word(test.word) & test.mask == test.value))
}

macro_rules! define_loop {
    (
        unary { $($unary:ident $uname:literal |$x:ident| $uvalue:expr;)* }
        binary { $($binary:ident $bname:literal |$a:ident, $b:ident| $bvalue:expr;)* }
        update { $($update:ident $wname:literal |$y:ident, $wa:ident, $wb:ident| $wvalue:expr;)* }
    ) => {
        /// Executes `ops` once. With `STARTING` nothing arises: events and schedules do not fire,
        /// but what they remember is brought up to date.
        #[inline(always)]
        pub(crate) fn execute<const STARTING: bool>(
            ops: &[Op],
            reals: &mut impl Reals,
            bits: &mut impl Bits,
            context: &mut Context<'_>,
            observer: &mut impl Observer,
        ) {
            let tests = context.tape.tests.as_slice();
            let mut position = 0;
            while let Some(op) = ops.get(position) {
                match op.code {
                    $(Code::$unary => {
                        let $x = reals.get(op.a);
                        reals.set(op.out, $uvalue);
                    })*
                    $(Code::$binary => {
                        let ($a, $b) = (reals.get(op.a), reals.get(op.b));
                        reals.set(op.out, $bvalue);
                    })*
                    $(Code::$update => {
                        let ($y, $wa, $wb) = (reals.get(op.out), reals.get(op.a), reals.get(op.b));
                        reals.set(op.out, $wvalue);
                    })*
                    Code::Less => bits.set(op.out, reals.get(op.a) < reals.get(op.b)),
                    Code::LessEqual => bits.set(op.out, reals.get(op.a) <= reals.get(op.b)),
                    Code::Greater => bits.set(op.out, reals.get(op.a) > reals.get(op.b)),
                    Code::GreaterEqual => bits.set(op.out, reals.get(op.a) >= reals.get(op.b)),
                    Code::AndLess => {
                        let held = bits.get(op.out) & (reals.get(op.a) < reals.get(op.b));
                        bits.set(op.out, held);
                    }
                    Code::AndLessEqual => {
                        let held = bits.get(op.out) & (reals.get(op.a) <= reals.get(op.b));
                        bits.set(op.out, held);
                    }
                    Code::AndGreater => {
                        let held = bits.get(op.out) & (reals.get(op.a) > reals.get(op.b));
                        bits.set(op.out, held);
                    }
                    Code::AndGreaterEqual => {
                        let held = bits.get(op.out) & (reals.get(op.a) >= reals.get(op.b));
                        bits.set(op.out, held);
                    }
                    Code::Test => {
                        let held = holds(tests, op.a, bits);
                        bits.set(op.out, held);
                    }
                    Code::OrTest => {
                        let held = bits.get(op.out) | holds(tests, op.a, bits);
                        bits.set(op.out, held);
                    }
                    Code::Rise => {
                        let now = holds(tests, op.a, bits);
                        if !STARTING && now && !bits.get(op.b) {
                            bits.set(op.out, true);
                        }
                        bits.set(op.b, now);
                    }
                    Code::SetBit => bits.set(op.out, true),
                    Code::ClearBit => bits.set(op.out, false),
                    Code::SkipUnless => {
                        if !holds(tests, op.a, bits) {
                            position = op.out as usize;
                            continue;
                        }
                    }
                    Code::Push => {
                        let oldest = context.lines[op.b as usize].push(reals.get(op.a));
                        reals.set(op.out, oldest);
                    }
                    Code::Due => {
                        let due = !STARTING && due(reals, context, op);
                        bits.set(op.out, due);
                    }
                }
                observer.executed(position, op, reals);
                position += 1;
            }
        }
    };
}
with_real_ops!(define_loop);

/// Whether an instant of the schedule falls into this tick; counts the instants that are over.
fn due(reals: &mut impl Reals, context: &Context<'_>, op: &Op) -> bool {
    let schedule = context.tape.periods[op.b as usize];
    let (period, first) = (reals.get(schedule.period.0), reals.get(schedule.first.0));
    let step = reals.get(schedule.step.0);
    #[expect(clippy::cast_precision_loss, reason = "2^53 ticks are never run")]
    let tick = context.tick as f64;
    // A thousand-millionth of a tick early counts as on time: 3 * 0.1 is not 0.3.
    let tick_of = |count: f64| ((first + count * period) / step - 1e-9).ceil();
    let count = reals.get(op.a);
    if tick_of(count) > tick {
        return false;
    }
    let over = (((tick * step - first) / period) + 1.0)
        .floor()
        .max(count + 1.0);
    let next = if tick_of(over) > tick {
        over
    } else {
        over + 1.0
    };
    reals.set(op.a, next);
    true
}

/// Executes the setup of a tape.
pub(crate) fn run_setup(tape: &Tape, reals: &mut [f64]) {
    run_plain(&tape.setup, reals);
}

/// Executes ops that work on reals only.
pub(crate) fn run_plain(ops: &[Op], reals: &mut [f64]) {
    let tape = Tape::default();
    let mut context = Context {
        tape: &tape,
        lines: &mut [],
        tick: 0,
    };
    execute::<false>(
        ops,
        &mut WideReals(reals),
        &mut OneWord(0),
        &mut context,
        &mut NoObserver,
    );
}
