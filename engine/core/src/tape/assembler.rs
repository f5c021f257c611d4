//! Writes tapes: hands out slots and bits, shares numbers and conjunctions, and moves every
//! operation whose operands are fixed for the run out of the tick into the setup.

use smallvec::SmallVec;

use super::{Bit, Code, DelayLine, Op, Period, Shape, Slot, Solve, Tape, Test};
use rustc_hash::FxHashMap;

/// Bits with the values they must have.
pub(crate) type Literals = SmallVec<[(Bit, bool); 4]>;

/// Room for more ops is taken by the eighth from so many on.
const LARGE: usize = 1 << 16;

/// A tape being written.
///
/// The first slots belong to the caller (the reals of a model); all others are handed out here.
#[derive(Debug)]
pub struct Assembler {
    tape: Tape,
    numbers: FxHashMap<u64, Slot>,
    tests: FxHashMap<Literals, u32>,
    /// Slots below this belong to the caller and vary, those behind them up to the next number are fixed for the run.
    n_given: u32,
    n_known: u32,
    /// One entry per slot handed out here: fixed for the run.
    fixed: Vec<bool>,
    folded: FxHashMap<(Code, Slot, Slot), Slot>,
    time: Option<Slot>,
    /// Times are those of ticks: known up to rounding.
    counts_ticks: bool,
    row: u32,
    /// Number of scratch slots that the statement that is being written has used.
    used: usize,
}

impl Assembler {
    /// Starts a tape whose first `n_slots` slots vary during the run.
    pub fn new(n_slots: usize) -> Self {
        Self::with_fixed(n_slots, 0)
    }

    /// The same with slots behind these that the runner fills before the first tick and never changes.
    /// Cost: none for any of them, so that a row of a large model has a tape as soon as one of a small model.
    pub(crate) fn with_fixed(n_slots: usize, n_fixed: usize) -> Self {
        let n_known = Slot::new(n_slots + n_fixed).0;
        Self {
            tape: Tape {
                n_slots: n_known,
                ..Tape::default()
            },
            numbers: FxHashMap::default(),
            tests: FxHashMap::default(),
            n_given: Slot::new(n_slots).0,
            n_known,
            fixed: Vec::new(),
            folded: FxHashMap::default(),
            time: None,
            counts_ticks: false,
            row: u32::MAX,
            used: 0,
        }
    }

    /// The finished tape.
    pub fn finish(mut self) -> Tape {
        self.tape.ops.shrink_to_fit();
        self.tape.rows.shrink_to_fit();
        self.tape.statements.shrink_to_fit();
        self.tape
    }

    /// From here on ops belong to this row, and no op reads a result of [`Assembler::op`] on values
    /// that vary that came before: its slot may be taken again.
    pub(crate) fn begin_row(&mut self, row: u32) {
        self.row = row;
        self.begin_statement();
    }

    /// The same within what belongs to a row, or to none.
    pub(crate) fn begin_statement(&mut self) {
        self.used = 0;
        let begin = u32::try_from(self.tape.ops.len()).expect("fewer than 2^32 ops");
        if self.tape.statements.last() != Some(&begin) {
            self.tape.statements.push(begin);
        }
    }

    /// A new slot that varies during the run.
    pub(crate) fn slot(&mut self) -> Slot {
        self.new_slot(false)
    }

    /// A slot for a result that the row that is being written needs.
    fn result_slot(&mut self) -> Slot {
        if self.used == self.tape.scratch.len() {
            let slot = self.slot();
            self.tape.scratch.push(slot);
        }
        self.used += 1;
        self.tape.scratch[self.used - 1]
    }

    /// A new slot that the runner fills before the first tick and never changes.
    pub(crate) fn fixed_slot(&mut self) -> Slot {
        self.new_slot(true)
    }

    fn new_slot(&mut self, fixed: bool) -> Slot {
        let slot = Slot(self.tape.n_slots);
        self.tape.n_slots += 1;
        self.fixed.push(fixed);
        slot
    }

    /// A new bit.
    pub(crate) fn bit(&mut self) -> Bit {
        self.tape.n_bits += 1;
        self.tape.n_bits - 1
    }

    /// The slot that holds a number.
    pub(crate) fn number(&mut self, value: f64) -> Slot {
        if let Some(&slot) = self.numbers.get(&value.to_bits()) {
            return slot;
        }
        let slot = self.fixed_slot();
        self.numbers.insert(value.to_bits(), slot);
        self.tape.numbers.push((slot, value));
        slot
    }

    /// The number that a slot holds from the start.
    pub(crate) fn known_number(&self, slot: Slot) -> Option<f64> {
        let numbers = self.tape.numbers.iter();
        numbers
            .rev()
            .find(|(other, _)| *other == slot)
            .map(|(_, number)| *number)
    }

    /// The slot that holds the model's time.
    pub(crate) fn time(&mut self) -> Slot {
        if let Some(slot) = self.time {
            return slot;
        }
        let slot = self.slot();
        self.time = Some(slot);
        slot
    }

    /// From here on the model's time is read in this slot.
    pub(crate) fn read_time_in(&mut self, slot: Slot) {
        self.time = Some(slot);
    }

    /// From here on times that a number of ticks reaches up to rounding are reached.
    pub(crate) fn count_ticks(&mut self) {
        self.counts_ticks = true;
    }

    /// The time, behind which all lies that is one instant with it, as a tick sees it.
    pub(crate) fn time_reached(&mut self) -> Slot {
        let time = self.time();
        self.beside(time, Code::Add)
    }

    /// The earliest time that is one instant with another one (`Sub`), or the latest one (`Add`), if times are those of
    /// ticks.
    pub(crate) fn beside(&mut self, time: Slot, side: Code) -> Slot {
        if !self.counts_ticks {
            return time;
        }
        let share = self.number(crate::times::UNITS * f64::EPSILON);
        let size = self.unary(Code::Abs, time);
        let width = self.op(Code::Mul, size, share);
        self.op(side, time, width)
    }

    /// True if the model's time has been read.
    pub(crate) fn reads_time(&self) -> bool {
        self.time.is_some()
    }

    /// The ops of the tick so far.
    pub(crate) fn ops(&self) -> &[Op] {
        &self.tape.ops
    }

    /// True if the slot keeps its value during the run.
    pub(crate) fn is_fixed(&self, slot: Slot) -> bool {
        match slot.0.checked_sub(self.n_known) {
            None => slot.0 >= self.n_given,
            Some(own) => self.fixed[own as usize],
        }
    }

    /// Emits `code(a)`; the slot of its result.
    pub(crate) fn unary(&mut self, code: Code, a: Slot) -> Slot {
        self.op(code, a, a)
    }

    /// Emits `code(a, b)`; the slot of its result. Operations on fixed values go to the setup, once.
    pub(crate) fn op(&mut self, code: Code, a: Slot, b: Slot) -> Slot {
        if !(self.is_fixed(a) && self.is_fixed(b)) {
            let (code, b) = self.difference(code, a, b);
            let out = self.result_slot();
            self.op_into(out, code, a, b);
            return out;
        }
        if let Some(&known) = self.folded.get(&(code, a, b)) {
            return known;
        }
        let out = self.fixed_slot();
        self.tape.setup.push(Op {
            code,
            out: out.0,
            a: a.0,
            b: b.0,
        });
        self.folded.insert((code, a, b), out);
        out
    }

    /// `a + (-b)` is `a - b`, to the bit: takes back the change of sign just emitted, unless its
    /// result is read by somebody else, as that of a row is.
    fn difference(&mut self, code: Code, a: Slot, b: Slot) -> (Code, Slot) {
        let of_its_own = b.0 >= self.n_given && b != a;
        match self.tape.ops.last() {
            Some(last)
                if code == Code::Add && last.code == Code::Neg && last.out == b.0 && of_its_own =>
            {
                let b = Slot(last.a);
                self.tape.ops.pop();
                self.tape.rows.pop();
                (Code::Sub, b)
            }
            _ => (code, b),
        }
    }

    /// Emits `out := code(a, b)`, in the tick.
    pub(crate) fn op_into(&mut self, out: Slot, code: Code, a: Slot, b: Slot) {
        self.push(Op {
            code,
            out: out.0,
            a: a.0,
            b: b.0,
        });
    }

    /// Makes the op that computed `value` last write to `out` instead, or copies.
    ///
    /// `since` is the length of the tape before the value was computed: only an op emitted after it
    /// may be redirected, because nothing else can have read it.
    pub(crate) fn store(&mut self, out: Slot, value: Slot, since: usize) {
        if self.tape.ops.len() > since
            && let Some(last) = self.tape.ops.last_mut()
            && last.out == value.0
            && writes_fresh_slot(last.code)
        {
            last.out = out.0;
            return;
        }
        self.op_into(out, Code::Copy, value, value);
    }

    /// True if an op of the tick reads the slot as a value.
    pub(crate) fn reads(&self, slot: Slot) -> bool {
        let inputs = self.tape.solves.iter().flat_map(|solve| &solve.inputs);
        inputs.into_iter().any(|(from, _)| *from == slot)
            || self.tape.ops.iter().any(|op| match op.code.shape() {
                Shape::Unary | Shape::Push => op.a == slot.0,
                Shape::Binary | Shape::Update | Shape::Compare => op.a == slot.0 || op.b == slot.0,
                Shape::Test | Shape::Rise | Shape::Bit | Shape::Jump | Shape::Due => false,
            })
    }

    /// Takes back the ops of the tick from one on.
    pub(crate) fn take_from(&mut self, start: usize) -> Vec<Op> {
        self.tape.rows.truncate(start);
        self.tape.ops.split_off(start)
    }

    /// What has been written so far.
    pub(crate) fn tape(&self) -> &Tape {
        &self.tape
    }

    /// Adds ops on reals to the tick.
    pub(crate) fn append(&mut self, ops: &[Op]) {
        ops.iter().for_each(|op| self.push(*op));
    }

    /// Number of ops of the tick so far.
    pub(crate) fn len(&self) -> usize {
        self.tape.ops.len()
    }

    /// Emits `bit out := [bit out and] a op b`.
    pub(crate) fn compare(&mut self, code: Code, out: Bit, a: Slot, b: Slot) {
        self.push(Op {
            code,
            out,
            a: a.0,
            b: b.0,
        });
    }

    /// Emits an op on bits.
    pub(crate) fn bits(&mut self, code: Code, out: Bit, a: u32, b: u32) {
        self.push(Op { code, out, a, b });
    }

    /// The test of a conjunction of bits with the values they must have.
    pub(crate) fn test(&mut self, mut literals: Literals) -> u32 {
        literals.sort_unstable();
        literals.dedup();
        if let Some(&known) = self.tests.get(&literals) {
            return known;
        }
        let first = self.tape.tests.len();
        let index = u32::try_from(first).expect("fewer than 2^32 tests");
        for &(bit, value) in &literals {
            let (word, mask) = (bit / 64, 1_u64 << (bit % 64));
            let wanted = if value { mask } else { 0 };
            match self.tape.tests[first..].last_mut() {
                // A literal together with its negation: an impossible value, which never matches.
                Some(last) if last.word == word && last.mask & mask != 0 => {
                    last.mask &= !mask;
                    last.value |= mask;
                }
                Some(last) if last.word == word => {
                    last.mask |= mask;
                    last.value |= wanted;
                }
                _ => self.tape.tests.push(Test {
                    word,
                    rest: 0,
                    mask,
                    value: wanted,
                }),
            }
        }
        if literals.is_empty() {
            self.tape.tests.push(Test {
                word: 0,
                rest: 0,
                mask: 0,
                value: 0,
            });
        }
        self.tape.tests[first].rest =
            u32::try_from(self.tape.tests.len() - first - 1).expect("fewer than 2^32 tests");
        self.tests.insert(literals, index);
        index
    }

    /// Emits a jump over what follows unless the test holds; give the result to [`Self::land`].
    pub(crate) fn skip_unless(&mut self, test: u32) -> usize {
        self.push(Op {
            code: Code::SkipUnless,
            out: u32::MAX,
            a: test,
            b: 0,
        });
        self.tape.ops.len() - 1
    }

    /// Ends the part that [`Self::skip_unless`] jumps over.
    pub(crate) fn land(&mut self, jump: usize) {
        self.tape.ops[jump].out = u32::try_from(self.tape.ops.len()).expect("fewer than 2^32 ops");
    }

    /// A new delay line.
    pub(crate) fn delay_line(&mut self, line: DelayLine) -> u32 {
        self.tape.delays.push(line);
        u32::try_from(self.tape.delays.len() - 1).expect("fewer than 2^32 delay lines")
    }

    /// New equations.
    pub(crate) fn solve(&mut self, solve: Solve) -> u32 {
        self.tape.solves.push(solve);
        u32::try_from(self.tape.solves.len() - 1).expect("fewer than 2^32 rows")
    }

    /// A new periodic instant.
    pub(crate) fn period(&mut self, period: Period) -> u32 {
        self.tape.periods.push(period);
        u32::try_from(self.tape.periods.len() - 1).expect("fewer than 2^32 schedules")
    }

    fn push(&mut self, op: Op) {
        let ops = &mut self.tape.ops;
        if ops.len() == ops.capacity() && ops.len() >= LARGE {
            // Twice the room would be the largest part of the memory of a family of 10^6.
            ops.reserve_exact(ops.len() / 8);
            self.tape
                .rows
                .reserve_exact(self.tape.ops.capacity() - self.tape.rows.len());
        }
        self.tape.ops.push(op);
        self.tape.rows.push(self.row);
    }
}

/// True if the code writes its result without reading it first.
fn writes_fresh_slot(code: Code) -> bool {
    matches!(code.shape(), Shape::Unary | Shape::Binary)
}
