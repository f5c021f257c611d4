//! Times that ticks miss by rounding only: what jumps where such a time is reached has jumped there.
//!
//! Three ticks of 0.3 end a little below 0.9, which is one instant with it. A number that is affine in time carries the
//! rounding of its terms: one that lies below a jump by no more than [`UNITS`] units in the last place of the largest of
//! them stands on it. What is continuous has no need of that, and keeps its bits.

use super::{Assembler, Code, Slot};
use crate::times::UNITS;

impl Assembler {
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
        let size = self.unary(Code::Abs, time);
        self.moved(time, side, size)
    }

    /// The largest number that is one with another, if that follows from the time of a tick: what lies up to there is
    /// reached. Other numbers are as they are.
    pub(crate) fn reached(&mut self, value: Slot) -> Slot {
        if !(self.counts_ticks && self.is_of_time(value)) {
            return value;
        }
        let size = self.size_of_terms(value);
        self.moved(value, Code::Add, size)
    }

    /// What is left of `a` by whole multiples of `b`: nothing where a multiple is reached.
    pub(crate) fn remainder(&mut self, a: Slot, b: Slot) -> Slot {
        let reached = self.reached(a);
        let rest = self.op(Code::Mod, a, b);
        if reached == a {
            return rest;
        }
        // A larger number has less left only if a multiple lies between both.
        let ahead = self.op(Code::Mod, reached, b);
        let is_short = self.op(Code::AtLeast, ahead, rest);
        let kept = self.op(Code::Mul, rest, is_short);
        if let Some(op) = self.of_time.get(&rest).copied() {
            self.of_time.insert(kept, op);
        }
        kept
    }

    /// The largest whole number that is reached.
    pub(crate) fn whole(&mut self, a: Slot) -> Slot {
        let reached = self.reached(a);
        self.unary(Code::Floor, reached)
    }

    fn moved(&mut self, value: Slot, side: Code, size: Slot) -> Slot {
        let share = self.number(UNITS * f64::EPSILON);
        let width = self.op(Code::Mul, size, share);
        self.op(side, value, width)
    }

    /// The size of the largest of the terms that a number that follows from the time is the sum of, each in units of
    /// that number.
    fn size_of_terms(&mut self, value: Slot) -> Slot {
        let mut ops = Vec::new();
        let mut at = value;
        while let Some(op) = self.of_time.get(&at).copied() {
            let [a, b] = [Slot(op.a), Slot(op.b)];
            let [of_time, fixed] = if self.is_of_time(a) { [a, b] } else { [b, a] };
            ops.push((op.code, fixed));
            at = of_time;
        }
        let mut size = self.unary(Code::Abs, at);
        for (code, fixed) in ops.into_iter().rev() {
            let with = match code {
                Code::Add | Code::Sub => Code::Max,
                Code::Mul | Code::Div => code,
                _ => continue,
            };
            let fixed = self.unary(Code::Abs, fixed);
            size = self.op(with, size, fixed);
        }
        size
    }
}
