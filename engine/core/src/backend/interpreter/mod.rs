//! The interpreter: executes a tape op by op.
//!
//! One loop serves all tapes. It is generic over where reals and bits are kept (`storage`) and
//! runs ops that `prepare` has checked; statements of one shape are executed together, as `spans`. The
//! meaning of every op is that of the op table.

mod code;
mod spans;
mod storage;
mod trail;

pub(crate) use code::{Instruction, Rolled, prepare};
pub(crate) use spans::{Room, Span, StraightSpans};
pub(crate) use storage::{Bits, Reals, SMALL_SLOTS};
pub use trail::DelayBuffer;

use super::solved::solve_row;
use super::value::{self, Value};
use crate::tape::{Code, Solve, Tape, Test, with_real_ops};
use crate::times::{self, Known};
use serde::{Deserialize, Serialize};

/// Buffer of a delay.
#[derive(PartialEq, Debug, Serialize, Deserialize)]
pub struct Line {
    /// The values of the last ticks, one more than the delay is long: the oldest is the one that was given out last.
    pub values: Vec<f64>,
    /// Position of the oldest.
    pub oldest: usize,
    /// Buffer used instead where ticks have no common length.
    pub trail: Option<Box<DelayBuffer>>,
}

/// Written out, because `clone_from` must not allocate.
impl Clone for Line {
    fn clone(&self) -> Self {
        Self {
            values: self.values.clone(),
            oldest: self.oldest,
            trail: self.trail.clone(),
        }
    }

    fn clone_from(&mut self, source: &Self) {
        self.values.clone_from(&source.values);
        self.oldest = source.oldest;
        self.trail.clone_from(&source.trail);
    }
}

impl Line {
    /// Takes a value in in the place of the oldest, and gives out the one that is the oldest then; `None` if the past
    /// is kept in no ring.
    #[inline(always)]
    pub(super) fn push(&mut self, value: f64) -> Option<f64> {
        let length = self.values.len();
        *self.values.get_mut(self.oldest)? = value;
        self.oldest = if self.oldest + 1 == length {
            0
        } else {
            self.oldest + 1
        };
        self.values.get(self.oldest).copied()
    }

    /// Kept out of the loop over ops, which is slower by half with it.
    #[cold]
    #[inline(never)]
    pub(super) fn push_to_trail(&mut self, value: f64, tau: f64) -> f64 {
        match &mut self.trail {
            Some(trail) => trail.push(value, tau),
            None => value,
        }
    }

    /// Number of values kept.
    pub(crate) fn size(&self) -> usize {
        self.values.len() + self.trail.as_ref().map_or(0, |trail| trail.size())
    }
}

/// Operands of ops besides reals and bits.
pub(crate) struct Context<'a> {
    pub(crate) tape: &'a Tape,
    pub(crate) spans: &'a [Span],
    pub(crate) room: &'a mut Room,
    pub(crate) lines: &'a mut [Line],
    /// Ticks done before this one.
    pub(crate) tick: u64,
    /// A tick, and its time, from which ticks are as long as they are now.
    pub(crate) since: (u64, f64),
    /// Nothing arises: events and schedules do not fire, but what they remember is brought up to
    /// date.
    pub(crate) starting: bool,
}

/// Looks on while ops are executed.
pub(crate) trait Observer {
    /// The op at this position of the part was executed.
    fn executed(&mut self, position: usize, done: &Instruction, reals: &(impl Reals + ?Sized));
}

/// Sees nothing and costs nothing.
pub(crate) struct NoObserver;

impl Observer for NoObserver {
    #[inline(always)]
    fn executed(&mut self, _: usize, _: &Instruction, _: &(impl Reals + ?Sized)) {}
}

/// True if the test at `first` holds.
#[inline(always)]
pub(crate) fn holds(tests: &[Test], first: u32, bits: &(impl Bits + ?Sized)) -> bool {
    let Some((head, rest)) = tests.get(first as usize..).and_then(<[Test]>::split_first) else {
        return false;
    };
    bits.word(head.word as usize) & head.mask == head.value
        && (head.rest == 0
            || rest[..head.rest as usize]
                .iter()
                .all(|test| bits.word(test.word as usize) & test.mask == test.value))
}

macro_rules! define_loop {
    (
        unary { $($unary:ident $uname:literal |$x:ident| $uvalue:expr, $ufacts:expr;)* }
        binary { $($binary:ident $bname:literal |$a:ident, $b:ident| $bvalue:expr, $bfacts:expr;)* }
        update { $($update:ident $wname:literal |$y:ident, $wa:ident, $wb:ident| $wvalue:expr, $wfacts:expr;)* }
    ) => {
        /// Executes `code` once.
        #[inline(always)]
        pub(crate) fn execute(
            code: &[Instruction],
            reals: &mut (impl Reals + ?Sized),
            bits: &mut (impl Bits + ?Sized),
            context: &mut Context<'_>,
            observer: &mut impl Observer,
        ) {
            let tests = context.tape.tests.as_slice();
            let mut last = 0.0;
            let mut position = 0;
            while let Some(op) = code.get(position) {
                macro_rules! a {
                    () => { if op.a_is_last { last } else { reals.value(op.a) } };
                }
                macro_rules! b {
                    () => { if op.b_is_last { last } else { reals.value(op.b) } };
                }
                macro_rules! store {
                    ($value:expr) => {{
                        last = $value;
                        reals.put(op.out, last);
                    }};
                }
                // A third of what tapes do; among all others they are found after six comparisons.
                if op.code == Some(Code::Mul) {
                    store!(f64::apply(Code::Mul, last, a!(), b!()));
                    observer.executed(position, op, reals);
                    position += 1;
                    continue;
                }
                match op.code {
                    $(Some(Code::$unary) => {
                        let $x = a!();
                        store!($uvalue);
                    })*
                    $(Some(Code::$binary) => {
                        let ($a, $b) = (a!(), b!());
                        store!($bvalue);
                    })*
                    $(Some(Code::$update) => {
                        let ($y, $wa, $wb) = (reals.value(op.out), a!(), b!());
                        store!($wvalue);
                    })*
                    Some(Code::Less) => bits.set_bit(op.out, a!() < b!()),
                    Some(Code::LessEqual) => bits.set_bit(op.out, a!() <= b!()),
                    Some(Code::Greater) => bits.set_bit(op.out, a!() > b!()),
                    Some(Code::GreaterEqual) => bits.set_bit(op.out, a!() >= b!()),
                    Some(Code::AndLess) => {
                        let held = bits.bit(op.out) & (a!() < b!());
                        bits.set_bit(op.out, held);
                    }
                    Some(Code::AndLessEqual) => {
                        let held = bits.bit(op.out) & (a!() <= b!());
                        bits.set_bit(op.out, held);
                    }
                    Some(Code::AndGreater) => {
                        let held = bits.bit(op.out) & (a!() > b!());
                        bits.set_bit(op.out, held);
                    }
                    Some(Code::AndGreaterEqual) => {
                        let held = bits.bit(op.out) & (a!() >= b!());
                        bits.set_bit(op.out, held);
                    }
                    Some(Code::Test) => {
                        let held = holds(tests, op.a, bits);
                        bits.set_bit(op.out, held);
                    }
                    Some(Code::OrTest) => {
                        let held = bits.bit(op.out) | holds(tests, op.a, bits);
                        bits.set_bit(op.out, held);
                    }
                    Some(Code::Rise) => {
                        let now = holds(tests, op.a, bits);
                        if !context.starting && now && !bits.bit(op.b) {
                            bits.set_bit(op.out, true);
                        }
                        bits.set_bit(op.b, now);
                    }
                    Some(Code::SetBit) => bits.set_bit(op.out, true),
                    Some(Code::ClearBit) => bits.set_bit(op.out, false),
                    Some(Code::SkipUnless) => {
                        if !holds(tests, op.a, bits) {
                            position = op.out as usize;
                            continue;
                        }
                    }
                    Some(Code::Push) => {
                        let line = &mut context.lines[op.b as usize];
                        let value = a!();
                        let late = match line.push(value) {
                            Some(late) => late,
                            None => {
                                let tau = context.tape.delays[op.b as usize].tau;
                                line.push_to_trail(value, reals.value(tau.0))
                            }
                        };
                        store!(late);
                    }
                    Some(Code::Solve) => solve(&context.tape.solves[op.b as usize], reals),
                    Some(Code::Due) => {
                        let schedule = &context.tape.periods[op.b as usize];
                        let instant = due(
                            reals.value(schedule.period.0),
                            reals.value(schedule.first.0),
                            context.since.1,
                            reals.value(schedule.step.0),
                            reals.value(op.a),
                            context.tick - context.since.0,
                        );
                        bits.set_bit(op.out, instant.is_some() && !context.starting);
                        if let Some(over) = instant && !context.starting {
                            reals.put(op.a, over);
                        }
                    }
                    None => {
                        let (reals, bits) = (reals.values_mut(), bits.words_mut());
                        context.spans[op.a as usize].run(reals, bits, context.starting, context.room);
                    }
                }
                observer.executed(position, op, reals);
                position += 1;
            }
        }
    };
}
with_real_ops!(define_loop);

/// Solves equations for what they are to find; NaN where there is no solution.
#[inline(never)]
fn solve(row: &Solve, reals: &mut (impl Reals + ?Sized)) {
    let found = solve_row(row, |slot| reals.value(slot.0));
    for (at, unknown) in row.unknowns.iter().enumerate() {
        let value = found.as_ref().map_or(f64::NAN, |values| values[at]);
        reals.put(unknown.to.0, value);
    }
}

/// If a beat of a schedule is due in a tick: how many beats are then over.
///
/// `since`: the time from which ticks of this length are counted [units of `time`]; `tick`: how many of them
/// are done.
#[inline(never)]
pub(crate) fn due(
    period: f64,
    first: f64,
    since: f64,
    step: f64,
    over: f64,
    tick: u64,
) -> Option<f64> {
    #[expect(clippy::cast_precision_loss, reason = "2^53 ticks are never run")]
    let passed = tick as f64 * step;
    times::due(period, first, over, Known::sum(since, passed))
}

/// As `due` with a negative number for none, for compiled code.
pub extern "C" fn due_or_negative(
    period: f64,
    first: f64,
    since: f64,
    step: f64,
    over: f64,
    tick: u64,
) -> f64 {
    due(period, first, since, step, over, tick).unwrap_or(-1.0)
}

/// Executes the setup of a tape.
pub(crate) fn run_setup(tape: &Tape, reals: &mut [f64]) {
    value::run_reals(&tape.setup, reals);
}
