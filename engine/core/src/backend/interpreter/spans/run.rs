//! A span -> what its statements do to reals and bits, block by block.

use std::ops::Range;

use super::kernels::{Mask, Operand, WORDS, apply, combine, compare, put};
use super::{BLOCK, Literal, PORTION, Place, Span, Step, Total};
use crate::tape::{Code, Shape};

/// Elements are done one by one where at most one in so many is in: where operations are arithmetic only, which takes
/// little longer for a whole block, and where they are not.
const FEW: [usize; 2] = [200, 24];

/// Room for the values of a block.
#[derive(Clone, Debug, Default)]
pub(crate) struct Room {
    registers: Vec<Box<[f64]>>,
    /// Operands whose slots do not stand side by side, or are going to be written.
    gathered: [Box<[f64]>; 2],
    /// Results that are not stored side by side, or not all of them.
    results: Box<[f64]>,
    /// What portions of elements come to.
    totals: Vec<f64>,
}

impl Room {
    /// Room for each of these spans.
    pub(crate) fn new(spans: &[Span]) -> Self {
        let Some(n) = spans.iter().map(|span| span.n_registers).max() else {
            return Self::default();
        };
        let block = || vec![0.0; BLOCK].into_boxed_slice();
        Self {
            registers: (0..n).map(|_| block()).collect(),
            gathered: [block(), block()],
            results: block(),
            totals: Vec::with_capacity(
                spans.iter().map(|span| span.len).max().unwrap_or(0) / PORTION + 1,
            ),
        }
    }

    /// Has room for what this one has.
    pub(crate) fn grow(&mut self, other: Self) {
        if other.registers.len() > self.registers.len() || self.results.is_empty() {
            *self = Self {
                totals: std::mem::take(&mut self.totals),
                ..other
            };
        }
    }

    /// What the totals of portions come to, which are taken out.
    fn combined(&mut self, code: Code) -> f64 {
        let totals = &mut self.totals;
        while totals.len() > 1 {
            let n = totals.len().div_ceil(PORTION);
            for at in 0..n {
                let end = totals.len().min(PORTION * (at + 1));
                totals[at] = combine(code, &mut totals[PORTION * at..end]);
            }
            totals.truncate(n);
        }
        totals.pop().unwrap_or(0.0)
    }
}

impl Span {
    /// Executes the statements. If `starting`, nothing arises.
    pub(crate) fn run(&self, reals: &mut [f64], bits: &mut [u64], starting: bool, room: &mut Room) {
        for begin in (0..self.len).step_by(BLOCK) {
            let n = BLOCK.min(self.len - begin);
            let mut work = Work {
                reals: &mut *reals,
                bits: &mut *bits,
                starting,
                room: &mut *room,
                steps: &self.steps,
                begin,
            };
            work.steps(0..self.steps.len(), &(0..n), None);
            if let Some(total) = &self.total {
                work.add_to(total, n);
            }
        }
        if let Some(total) = &self.total {
            reals[total.out as usize] = room.combined(total.code);
        }
    }
}

/// A block in hand.
struct Work<'w> {
    reals: &'w mut [f64],
    bits: &'w mut [u64],
    starting: bool,
    room: &'w mut Room,
    steps: &'w [Step],
    /// First element of the block.
    begin: usize,
}

impl Work<'_> {
    /// Executes steps for elements of the block: all of these, or those in a mask whose first bit is the first of these.
    fn steps(&mut self, part: Range<usize>, elements: &Range<usize>, mask: Option<&Mask>) {
        let steps = self.steps;
        let mut at = part.start;
        while at < part.end {
            let step = &steps[at];
            at += 1;
            match step {
                Step::Real {
                    code,
                    out,
                    operands,
                } => self.real(*code, out, operands, elements, mask),
                Step::Compare {
                    code,
                    out,
                    operands,
                } => self.compare(*code, *out, operands, elements, mask),
                Step::Where { test, end } => {
                    let held = self.holds(test, elements, mask);
                    self.part(at..*end, elements, &held);
                    at = *end;
                }
                Step::Test { .. } | Step::Rise { .. } | Step::Set { .. } => {
                    self.truth(step, elements, mask);
                }
            }
        }
    }

    /// Combines the values of the block in portions.
    fn add_to(&mut self, total: &Total, n: usize) {
        let room = &mut *self.room;
        let values = &mut room.results[..n];
        match &total.of {
            Place::Register(register) => {
                values.copy_from_slice(&room.registers[*register as usize][..n]);
            }
            place => read(place, self.begin, self.reals, values),
        }
        let portions = values.chunks_mut(PORTION);
        room.totals
            .extend(portions.map(|portion| combine(total.code, portion)));
    }

    /// Executes conditional steps for the elements in a mask.
    fn part(&mut self, part: Range<usize>, elements: &Range<usize>, mask: &Mask) {
        let n: usize = mask.iter().map(|word| word.count_ones() as usize).sum();
        if n == elements.len() {
            self.steps(part, elements, None);
        } else if n * self.few(part.clone()) > elements.len() {
            self.steps(part, elements, Some(mask));
        } else {
            for (word, first) in mask.iter().zip((elements.start..).step_by(64)) {
                let mut left = *word;
                while left != 0 {
                    let element = first + left.trailing_zeros() as usize;
                    self.steps(part.clone(), &(element..element + 1), None);
                    left &= left - 1;
                }
            }
        }
    }

    /// Where at most one element in so many is in, these steps are done one by one.
    fn few(&self, part: Range<usize>) -> usize {
        let arithmetic = self.steps[part].iter().all(|step| match step {
            Step::Real { code, .. } => matches!(
                code,
                Code::Copy | Code::Neg | Code::Add | Code::Sub | Code::Mul | Code::AddMul
            ),
            _ => true,
        });
        FEW[usize::from(!arithmetic)]
    }

    fn real(
        &mut self,
        code: Code,
        out: &Place,
        operands: &[Place],
        elements: &Range<usize>,
        mask: Option<&Mask>,
    ) {
        let (at, n) = (self.begin + elements.start, elements.len());
        match (out, mask) {
            (Place::Register(register), _) => {
                let register = *register as usize;
                let mut values = std::mem::take(&mut self.room.registers[register]);
                let (sources, _) = self.sources(operands, elements, 0..0);
                let [a, b] = sources.operands(operands);
                apply(code, &mut values[elements.clone()], a, b);
                self.room.registers[register] = values;
            }
            (Place::Slots { first, stride: 1 }, None) => {
                let from = *first as usize + at;
                let (sources, out) = self.sources(operands, elements, from..from + n);
                let [a, b] = sources.operands(operands);
                apply(code, out, a, b);
            }
            _ => {
                let mut results = std::mem::take(&mut self.room.results);
                if code.shape() == Shape::Update {
                    read(out, at, self.reals, &mut results[..n]);
                }
                let (sources, _) = self.sources(operands, elements, 0..0);
                let [a, b] = sources.operands(operands);
                apply(code, &mut results[..n], a, b);
                self.store(out, at, &results[..n], mask);
                self.room.results = results;
            }
        }
    }

    /// What is read while some slots are written, and these slots.
    #[inline(always)]
    fn sources(
        &mut self,
        operands: &[Place],
        elements: &Range<usize>,
        written: Range<usize>,
    ) -> (Sources<'_>, &mut [f64]) {
        let (at, n) = (self.begin + elements.start, elements.len());
        for (place, gathered) in operands.iter().zip(&mut self.room.gathered) {
            if !is_side_by_side(place, at, n, &written) {
                read(place, at, self.reals, &mut gathered[..n]);
            }
        }
        let (before, rest) = self.reals.split_at_mut(written.start);
        let (out, behind) = rest.split_at_mut(written.len());
        let sources = Sources {
            before,
            behind,
            written,
            at,
            elements: elements.clone(),
            room: self.room,
        };
        (sources, out)
    }

    /// Stores values, those in the mask.
    fn store(&mut self, out: &Place, at: usize, values: &[f64], mask: Option<&Mask>) {
        match (out, mask) {
            (Place::Slots { first, stride: 1 }, Some(mask)) => {
                let from = *first as usize + at;
                put(&mut self.reals[from..from + values.len()], values, mask);
            }
            (Place::Slots { first, stride }, _) => {
                for (element, &value) in values.iter().enumerate() {
                    if mask.is_none_or(|mask| mask[element / 64] >> (element % 64) & 1 == 1) {
                        self.reals[slot(*first, *stride, at + element)] = value;
                    }
                }
            }
            (Place::One(_) | Place::Listed(_) | Place::Register(_), _) => {
                unreachable!("results go to registers, or to slots that go on")
            }
        }
    }

    fn compare(
        &mut self,
        code: Code,
        out: u32,
        operands: &[Place],
        elements: &Range<usize>,
        mask: Option<&Mask>,
    ) {
        let mut held = [0; WORDS];
        let (sources, _) = self.sources(operands, elements, 0..0);
        let [a, b] = sources.operands(operands);
        compare(code, a, b, elements.len(), &mut held);
        let joins = matches!(
            code,
            Code::AndLess | Code::AndLessEqual | Code::AndGreater | Code::AndGreaterEqual
        );
        let at = self.begin + elements.start;
        if joins {
            let before = bits_from(self.bits, out as usize + at, elements.len());
            and(&mut held, &before);
        }
        put_bits(self.bits, out as usize + at, &held, &within(elements, mask));
    }

    /// The elements for which a conjunction holds.
    fn holds(&self, test: &[Literal], elements: &Range<usize>, mask: Option<&Mask>) -> Mask {
        let at = self.begin + elements.start;
        let mut held = held_by(test, self.bits, at, elements.len());
        and(&mut held, &within(elements, mask));
        held
    }

    fn truth(&mut self, step: &Step, elements: &Range<usize>, mask: Option<&Mask>) {
        let (at, n) = (self.begin + elements.start, elements.len());
        let mask = within(elements, mask);
        let bits = &mut *self.bits;
        match step {
            Step::Test { joins, out, test } => {
                let mut held = held_by(test, bits, at, n);
                let out = *out as usize + at;
                if *joins {
                    let before = bits_from(bits, out, n);
                    held.iter_mut().zip(before).for_each(|(a, b)| *a |= b);
                }
                put_bits(bits, out, &held, &mask);
            }
            Step::Rise {
                out,
                test,
                remembered,
            } => {
                let now = held_by(test, bits, at, n);
                let remembered = *remembered as usize + at;
                if !self.starting {
                    let before = bits_from(bits, remembered, n).map(|word| !word);
                    let mut arisen = mask;
                    and(&mut arisen, &now);
                    and(&mut arisen, &before);
                    put_bits(bits, *out as usize + at, &[u64::MAX; WORDS], &arisen);
                }
                put_bits(bits, remembered, &now, &mask);
            }
            Step::Set { out, value } => {
                let value = if *value { u64::MAX } else { 0 };
                put_bits(bits, *out as usize + at, &[value; WORDS], &mask);
            }
            Step::Real { .. } | Step::Compare { .. } | Step::Where { .. } => {}
        }
    }
}

/// What is read by an operation.
struct Sources<'a> {
    /// Reals before and behind those that are written.
    before: &'a [f64],
    behind: &'a [f64],
    written: Range<usize>,
    /// The first element, counted from that of the span.
    at: usize,
    /// The elements, counted from that of the block.
    elements: Range<usize>,
    room: &'a Room,
}

impl Sources<'_> {
    /// Both operands; the only one twice.
    #[inline(always)]
    fn operands(&self, places: &[Place]) -> [Operand<'_>; 2] {
        let [of_a, of_b] = &self.room.gathered;
        let a = self.operand(&places[0], of_a);
        [a, places.get(1).map_or(a, |b| self.operand(b, of_b))]
    }

    #[inline(always)]
    fn operand<'o>(&'o self, place: &Place, gathered: &'o [f64]) -> Operand<'o> {
        let n = self.elements.len();
        match place {
            Place::One(slot) => self.slots(*slot as usize, 1),
            Place::Register(register) => {
                &self.room.registers[*register as usize][self.elements.clone()]
            }
            Place::Slots { first, .. } if is_side_by_side(place, self.at, n, &self.written) => {
                self.slots(*first as usize + self.at, n)
            }
            Place::Slots { .. } | Place::Listed(_) => &gathered[..n],
        }
    }

    /// Slots that are not written.
    #[inline(always)]
    fn slots(&self, from: usize, n: usize) -> &[f64] {
        if from < self.written.start {
            &self.before[from..from + n]
        } else {
            &self.behind[from - self.written.end..][..n]
        }
    }
}

/// True if the values of an operand are read where they stand.
fn is_side_by_side(place: &Place, at: usize, n: usize, written: &Range<usize>) -> bool {
    match place {
        Place::One(_) | Place::Register(_) => true,
        Place::Slots { first, stride: 1 } => {
            let from = *first as usize + at;
            from + n <= written.start || from >= written.end
        }
        Place::Slots { .. } | Place::Listed(_) => false,
    }
}

/// Reads the values of an operand from element `at` on.
fn read(place: &Place, at: usize, reals: &[f64], into: &mut [f64]) {
    match place {
        Place::Slots { first, stride: 1 } => {
            let from = *first as usize + at;
            into.copy_from_slice(&reals[from..from + into.len()]);
        }
        Place::Slots { first, stride } => {
            for (element, value) in into.iter_mut().enumerate() {
                *value = reals[slot(*first, *stride, at + element)];
            }
        }
        Place::Listed(slots) => {
            for (value, &slot) in into.iter_mut().zip(&slots[at..]) {
                *value = reals[slot as usize];
            }
        }
        Place::One(slot) => into.fill(reals[*slot as usize]),
        Place::Register(_) => {}
    }
}

/// The slot of an element.
fn slot(first: u32, stride: i32, element: usize) -> usize {
    (first as usize).wrapping_add_signed(stride as isize * element.cast_signed())
}

/// The elements themselves, or those of them in a mask.
fn within(elements: &Range<usize>, mask: Option<&Mask>) -> Mask {
    mask.copied().unwrap_or_else(|| {
        let n = elements.len();
        std::array::from_fn(|word| match n.saturating_sub(64 * word) {
            0 => 0,
            left => u64::MAX >> (64 - left.min(64)),
        })
    })
}

fn and(these: &mut Mask, those: &Mask) {
    these.iter_mut().zip(those).for_each(|(a, b)| *a &= b);
}

/// The elements, n from `at` on, for which a conjunction holds.
fn held_by(test: &[Literal], bits: &[u64], at: usize, n: usize) -> Mask {
    let mut held = [u64::MAX; WORDS];
    for literal in test {
        let first = literal.first as usize;
        let turned = if literal.value { 0 } else { u64::MAX };
        if literal.each {
            let words = bits_from(bits, first + at, n);
            and(&mut held, &words.map(|word| word ^ turned));
        } else if (bits[first / 64] >> (first % 64) & 1 == 1) != literal.value {
            return [0; WORDS];
        }
    }
    held
}

/// n bits from a bit on; those behind them have no meaning.
fn bits_from(bits: &[u64], at: usize, n: usize) -> Mask {
    let (word, shift) = (at / 64, at % 64);
    let mut here = [0; WORDS + 1];
    let n_words = (shift + n).div_ceil(64);
    here[..n_words].copy_from_slice(&bits[word..word + n_words]);
    // Shifted in two steps: not by 64.
    std::array::from_fn(|at| here[at] >> shift | here[at + 1] << 1 << (63 - shift))
}

/// Gives bits from a bit on, those in the mask, the values of a set.
fn put_bits(bits: &mut [u64], at: usize, values: &Mask, mask: &Mask) {
    let (word, shift) = (at / 64, at % 64);
    let mut carried = (0, 0);
    for (at, (value, mask)) in values.iter().zip(mask).enumerate() {
        let (value_here, mask_here) = (value << shift | carried.0, mask << shift | carried.1);
        if mask_here != 0 {
            let here = &mut bits[word + at];
            *here = *here & !mask_here | value_here & mask_here;
        }
        carried = (value >> 1 >> (63 - shift), mask >> 1 >> (63 - shift));
    }
    if carried.1 != 0 {
        let here = &mut bits[word + WORDS];
        *here = *here & !carried.1 | carried.0 & carried.1;
    }
}
