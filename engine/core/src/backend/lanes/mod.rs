//! Many runs at once: a tape executed op by op, each op on the values of all runs.
//!
//! A run has a lane. A slot holds a value per lane ([`LaneVec`]), a bit is the set of lanes in which it
//! holds ([`Mask`]), so that a conjunction costs one operation per literal for all of them. What an op
//! costs besides its arithmetic is shared by [`LANES`] runs, and the arithmetic is done in the vector
//! instructions that the compiler finds in plain loops over lanes: [`execute`] is inlined into
//! functions that are compiled once for each kind of processor.
//!
//! Every lane does the operations that the interpreter does, in the same order, so it has the same bits.
//! A conditional part is executed if some lane is in it, and the lanes that are not keep what they have.
//! Functions without vector instructions are called lane by lane.

mod chain;
mod code;
mod instruction;
mod sincos;

pub(crate) use code::LaneCode;

use self::chain::{LEAST, Link, NOWHERE, Step, is_doubted, over, size, with_steps};
use self::code::{Conjunction, Literal};
use self::instruction::{ALWAYS, Action, Instruction};
use self::sincos::{Stages, turn};
use super::interpreter::{Line, due};
use crate::tape::{Code, TableFunction, Tape, with_real_ops};
use situ_solve::lanes::wide::{
    BITS, LANES, LaneVec, Mask, Rows, WIDTH, join, join_three, lanes_in, mask_of, put,
};

/// State of runs in lanes, handed from op to op.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    /// Slots of the tape.
    pub(crate) reals: Vec<LaneVec>,
    /// Bits of the tape.
    pub(crate) bits: Vec<Mask>,
    /// For each delay line of the tape that of each lane.
    pub(crate) lines: Vec<Vec<Line>>,
    /// Lanes that have a run. What is computed in the others does not matter.
    pub(crate) live: Mask,
    /// Ticks done before this one.
    pub(crate) ticks: LaneVec,
    /// Reciprocals of slots by which is divided.
    reciprocals: Vec<LaneVec>,
    /// The least [`size`]s of quotients by a reciprocal.
    least: [u64; WIDTH],
    /// One is NaN if such a quotient was not finite.
    lost: [f64; WIDTH],
    /// The active lanes of a chain as numbers: 0 in the others.
    spread: LaneVec,
    /// Room for sines and cosines.
    stages: Stages,
    /// Masks that were active outside of each conditional part that is open.
    outside: Vec<Mask>,
}

/// True if this processor gives the remainder of a product without a call, so that [`LaneCode::with_reciprocals`]
/// pays.
pub(crate) fn multiplies_and_adds() -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma")
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        false
    }
}

impl Block {
    /// Room for runs of a tape, in none of the lanes.
    pub(crate) fn new(tape: &Tape, codes: [&LaneCode; 3]) -> Self {
        let empty = Line {
            values: Vec::new(),
            oldest: 0,
            trail: None,
        };
        Self {
            reals: vec![LaneVec::splat(0.0); tape.n_slots as usize],
            bits: vec![0; tape.n_bits as usize],
            lines: tape
                .delays
                .iter()
                .map(|_| vec![empty.clone(); LANES])
                .collect(),
            live: 0,
            ticks: LaneVec::splat(0.0),
            reciprocals: Vec::new(),
            least: [u64::MAX; WIDTH],
            lost: [0.0; WIDTH],
            spread: LaneVec::splat(0.0),
            stages: Stages::new(),
            outside: vec![0; codes.map(|code| code.depth).into_iter().max().unwrap_or(0)],
        }
    }

    /// Takes the reciprocals of slots, for [`LaneCode::with_reciprocals`]. Doubted are divisors, too, with which
    /// quotients may be wrong.
    #[inline(always)]
    pub(crate) fn take_reciprocals(&mut self, divisors: &[u32]) {
        self.reciprocals.resize(divisors.len(), LaneVec::splat(0.0));
        let (least, most) = (LaneVec::splat(LEAST), LaneVec::splat(1.0 / LEAST));
        for (reciprocal, &slot) in self.reciprocals.iter_mut().zip(divisors) {
            let divisor = &self.reals[slot as usize];
            *reciprocal = LaneVec::from([divisor], |[y]| 1.0 / y);
            // Lanes without a run are not to make others doubted.
            for lane in lanes_in(!self.live) {
                reciprocal.set(lane, 0.0);
            }
            let plain = divisor.compare(&least, |y, least| y.abs() >= least)
                & divisor.compare(&most, |y, most| y.abs() <= most);
            if self.live & !plain != 0 {
                self.least = [0; WIDTH];
            }
        }
    }

    /// True if a quotient may have been wrong since the last call.
    pub(crate) fn doubted(&mut self) -> bool {
        let least = std::mem::replace(&mut self.least, [u64::MAX; WIDTH]);
        let lost = std::mem::take(&mut self.lost);
        least.iter().any(|&size| is_doubted(size)) || lost.iter().any(|lost| lost.is_nan())
    }
}

/// The lanes in which a test holds.
#[inline(always)]
fn holds(code: &LaneCode, test: u32, bits: &[Mask]) -> Mask {
    let Conjunction { first, rest } = &code.tests[test as usize];
    let held = |literal: &Literal| bits[literal.bit as usize] ^ literal.flip;
    let mut all = first.as_ref().map_or(!0, held);
    if !rest.is_empty() {
        let rest = &code.literals[rest.start as usize..rest.end as usize];
        all = rest.iter().map(held).fold(all, |all, one| all & one);
    }
    all
}

/// Does an op of two operands in each lane.
#[inline(always)]
fn each(reals: &mut [LaneVec], op: &Instruction, active: Mask, f: impl Fn(f64, f64, f64) -> f64) {
    let (a, b, out) = (op.a as usize, op.b as usize, op.out as usize);
    assert!(a < reals.len() && b < reals.len() && out < reals.len());
    // Rows are copied, because operands and result may be the same slot.
    if active != !0 {
        for (row, bits) in BITS.iter().enumerate() {
            let (x, y, old) = (reals[a].0[row], reals[b].0[row], reals[out].0[row]);
            let mut result = [0.0; WIDTH];
            for column in 0..WIDTH {
                let value = f(old[column], x[column], y[column]);
                let is_active = active & bits[column] != 0;
                result[column] = if is_active { value } else { old[column] };
            }
            reals[out].0[row] = result;
        }
    } else {
        for row in 0..LANES / WIDTH {
            let (x, y, old) = (reals[a].0[row], reals[b].0[row], reals[out].0[row]);
            let mut result = [0.0; WIDTH];
            for column in 0..WIDTH {
                result[column] = f(old[column], x[column], y[column]);
            }
            reals[out].0[row] = result;
        }
    }
}

/// Notes where quotients may be wrong. In this form, too, rows stay in registers.
#[inline(always)]
fn note_doubts(least: &mut [u64; WIDTH], lost: &mut [f64; WIDTH], quotients: &Rows) {
    let (mut small, mut sum) = (*least, *lost);
    for row in quotients {
        for column in 0..WIDTH {
            small[column] = small[column].min(size(row[column]));
        }
        for column in 0..WIDTH {
            sum[column] = row[column].mul_add(0.0, sum[column]);
        }
    }
    (*least, *lost) = (small, sum);
}

macro_rules! define_chain {
    ($($name:ident $code:ident $turned:literal |$x:ident, $y:ident| $does:expr;)*) => {
        /// Goes along a chain that begins with a slot. What a link is is found out once for all blocks.
        ///
        /// `store`: how a slot takes a value, with the active lanes of a chain as numbers.
        #[inline(always)]
        fn go_along<const B: usize>(
            blocks: &mut [&mut Block; B],
            start: u32,
            links: &[Link],
            store: impl Fn(&mut Rows, &Rows, &Rows),
        ) {
            let mut values = blocks.each_ref().map(|block| block.reals[start as usize].0);
            for link in links {
                let slot = link.slot as usize;
                match link.step {
                    $(Step::$name => {
                        for (value, block) in values.iter_mut().zip(&*blocks) {
                            *value = join(value, &block.reals[slot].0, |$x, $y| $does);
                        }
                    })*
                    Step::Over => {
                        for (value, block) in values.iter_mut().zip(&mut *blocks) {
                            let reciprocal = &block.reciprocals[link.reciprocal as usize].0;
                            *value = join_three(value, &block.reals[slot].0, reciprocal, over);
                            note_doubts(&mut block.least, &mut block.lost, value);
                        }
                    }
                }
                if link.store != NOWHERE {
                    for (value, block) in values.iter().zip(&mut *blocks) {
                        let slot = &mut block.reals[link.store as usize].0;
                        store(slot, value, &block.spread.0);
                    }
                }
            }
        }
    };
}
with_steps!(define_chain);

/// Does a chain of ops in each lane of some blocks.
#[inline(always)]
fn chain<const B: usize>(
    blocks: &mut [&mut Block; B],
    op: &Instruction,
    links: &[Link],
    active: [Mask; B],
) {
    let links = &links[op.b as usize..op.c as usize];
    if active == [!0; B] {
        go_along(blocks, op.a, links, |slot, value, _| *slot = *value);
        return;
    }
    for (block, active) in blocks.iter_mut().zip(active) {
        let spread = block.spread.values_mut();
        for (value, bit) in spread.iter_mut().zip(BITS.as_flattened()) {
            *value = if active & bit != 0 { 1.0 } else { 0.0 };
        }
    }
    go_along(blocks, op.a, links, |slot, value, spread| {
        put(slot, spread, value);
    });
}

/// Does an op by calls, in some lanes.
#[inline(never)]
fn called(reals: &mut [LaneVec], op: Instruction, code: Code, lanes: Mask) {
    let (a, b, out) = (op.a as usize, op.b as usize, op.out as usize);
    for lane in lanes_in(lanes) {
        let (x, y) = (reals[a].get(lane), reals[b].get(lane));
        let value = match code.function() {
            Some(TableFunction::Unary(f)) => f(x),
            Some(TableFunction::Binary(f)) => f(x, y),
            Some(TableFunction::Update(f)) => f(reals[out].get(lane), x, y),
            None => return,
        };
        reals[out].set(lane, value);
    }
}

/// Takes values into delay lines.
#[inline(never)]
fn push(block: &mut Block, op: Instruction, lanes: Mask) {
    for lane in lanes_in(lanes) {
        let value = block.reals[op.a as usize].get(lane);
        let oldest = block.lines[op.b as usize][lane].push(value);
        // Lines are rings: runs with other ones are done one by one. A ring of no length gives what it takes in.
        let oldest = oldest.unwrap_or(value);
        block.reals[op.out as usize].set(lane, oldest);
    }
}

/// The lanes in which a schedule is due; notes it there.
#[inline(never)]
fn due_in(block: &mut Block, op: Instruction, tape: &Tape, lanes: Mask) -> Mask {
    let schedule = &tape.periods[op.b as usize];
    let mut found = 0;
    for lane in lanes_in(lanes) {
        let value = |slot: u32| block.reals[slot as usize].get(lane);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a whole number of ticks"
        )]
        let tick = block.ticks.get(lane) as u64;
        let over = due(
            value(schedule.period.0),
            value(schedule.first.0),
            0.0,
            value(schedule.step.0),
            value(op.a),
            tick,
        );
        if let Some(over) = over {
            block.reals[op.a as usize].set(lane, over);
            found |= mask_of(lane);
        }
    }
    found
}

macro_rules! define_execute {
    (
        unary { $($unary:ident $uname:literal |$x:ident| $uvalue:expr, $ufacts:expr;)* }
        binary { $($binary:ident $bname:literal |$a:ident, $b:ident| $bvalue:expr, $bfacts:expr;)* }
        update { $($update:ident $wname:literal |$y:ident, $wa:ident, $wb:ident| $wvalue:expr, $wfacts:expr;)* }
    ) => {
        /// Executes a part of a tape once in every lane of some blocks. Nothing is starting.
        ///
        /// Each op is done in one block after the other: while the results of the first are on their
        /// way to memory and back there is work in the second.
        #[inline(always)]
        #[expect(unreachable_patterns, reason = "some ops are done in a way of their own")]
        pub(crate) fn execute<const B: usize>(
            code: &LaneCode,
            tape: &Tape,
            mut blocks: [&mut Block; B],
        ) {
            let live = blocks.each_ref().map(|block| block.live);
            // Lanes in the conditional parts that are open.
            let mut inside = [!0; B];
            let mut position = 0;
            while let Some(op) = code.ops.get(position) {
                position += 1;
                let mut active = inside;
                if op.guard != ALWAYS {
                    let mut some = 0;
                    for ((active, block), live) in active.iter_mut().zip(&blocks).zip(live) {
                        *active &= holds(code, op.guard, &block.bits);
                        some |= *active & live;
                        *active |= !live;
                    }
                    if some == 0 {
                        continue;
                    }
                }
                // Does something in every block.
                macro_rules! in_each {
                    (|$block:ident, $active:ident| $does:expr) => {
                        for ($block, $active) in blocks.iter_mut().zip(active) {
                            $does
                        }
                    };
                }
                macro_rules! compare {
                    ($block:ident, $f:expr) => {
                        $block.reals[op.a as usize].compare(&$block.reals[op.b as usize], $f)
                    };
                }
                // A bit as it is where lanes are active.
                macro_rules! put {
                    (|$block:ident| $held:expr) => {
                        in_each!(|$block, active| {
                            let held = $held;
                            let bit = &mut $block.bits[op.out as usize];
                            *bit = *bit & !active | held & active;
                        })
                    };
                }
                let op_code = match op.does {
                    Action::Chain => {
                        chain(&mut blocks, op, &code.links, active);
                        continue;
                    }
                    Action::Op(code) => code,
                    Action::SineAndCosine => {
                        in_each!(|block, active| turn(block, *op, active));
                        continue;
                    }
                    Action::Leave => {
                        for (inside, block) in inside.iter_mut().zip(&blocks) {
                            *inside = block.outside[op.b as usize];
                        }
                        continue;
                    }
                };
                match op_code {
                    Code::Sin | Code::Cos | Code::SinDeg | Code::CosDeg => {
                        in_each!(|block, active| turn(block, *op, active));
                    }
                    Code::Exp | Code::Ln | Code::Tan | Code::Asin | Code::Acos | Code::Atan
                    | Code::TanDeg | Code::Pow | Code::Mod | Code::Atan2 | Code::Angle => {
                        in_each!(|block, active| {
                            called(&mut block.reals, *op, op_code, active & block.live);
                        });
                    }
                    $(Code::$unary => in_each!(|block, active| {
                        each(&mut block.reals, op, active, |_, $x, _| $uvalue);
                    }),)*
                    $(Code::$binary => in_each!(|block, active| {
                        each(&mut block.reals, op, active, |_, $a, $b| $bvalue);
                    }),)*
                    $(Code::$update => in_each!(|block, active| {
                        each(&mut block.reals, op, active, |$y, $wa, $wb| $wvalue);
                    }),)*
                    Code::Less => put!(|block| compare!(block, |a, b| a < b)),
                    Code::LessEqual => put!(|block| compare!(block, |a, b| a <= b)),
                    Code::Greater => put!(|block| compare!(block, |a, b| a > b)),
                    Code::GreaterEqual => put!(|block| compare!(block, |a, b| a >= b)),
                    Code::AndLess => {
                        put!(|block| block.bits[op.out as usize] & compare!(block, |a, b| a < b));
                    }
                    Code::AndLessEqual => {
                        put!(|block| block.bits[op.out as usize] & compare!(block, |a, b| a <= b));
                    }
                    Code::AndGreater => {
                        put!(|block| block.bits[op.out as usize] & compare!(block, |a, b| a > b));
                    }
                    Code::AndGreaterEqual => {
                        put!(|block| block.bits[op.out as usize] & compare!(block, |a, b| a >= b));
                    }
                    Code::Test => put!(|block| holds(code, op.a, &block.bits)),
                    Code::OrTest => {
                        put!(|block| {
                            block.bits[op.out as usize] | holds(code, op.a, &block.bits)
                        });
                    }
                    Code::Rise => in_each!(|block, active| {
                        let now = holds(code, op.a, &block.bits);
                        let arises = now & !block.bits[op.b as usize];
                        let bit = &mut block.bits[op.out as usize];
                        *bit |= arises & active;
                        let remembered = &mut block.bits[op.b as usize];
                        *remembered = *remembered & !active | now & active;
                    }),
                    Code::SetBit => put!(|_block| !0),
                    Code::ClearBit => put!(|_block| 0),
                    Code::SkipUnless => {
                        let mut some = 0;
                        let mut holding = inside;
                        for ((holding, block), live) in holding.iter_mut().zip(&blocks).zip(live) {
                            *holding &= holds(code, op.a, &block.bits);
                            some |= *holding & live;
                        }
                        if some == 0 {
                            position = op.out as usize;
                            continue;
                        }
                        for (((inside, holding), block), live) in
                            inside.iter_mut().zip(holding).zip(&mut blocks).zip(live)
                        {
                            block.outside[op.b as usize] = *inside;
                            // What becomes of lanes without a run does not matter; without them it may
                            // be that all are inside.
                            *inside = holding | !live;
                        }
                    }
                    Code::Push => {
                        in_each!(|block, active| push(block, *op, active & block.live));
                    }
                    Code::Solve => unreachable!("rows that are solved are refused"),
                    Code::Due => in_each!(|block, active| {
                        let due = due_in(block, *op, tape, active & block.live);
                        let bit = &mut block.bits[op.out as usize];
                        *bit = *bit & !active | due & active;
                    }),
                }
            }
        }
    };
}
with_real_ops!(define_execute);
