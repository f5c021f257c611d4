//! Blocks of operations that are run again and again, on several kinds of numbers: interpreted, or by
//! compiled code once there is some.
//!
//! A number of any [`Kind`] is a few words, each an `f64`. The formulas of a kind are run on recorded
//! words ([`super::record`]), which gives the straight operations that are compiled.

mod kinds;

use std::collections::{HashMap, HashSet};
use std::fmt::Debug;
use std::ops::Range;
use std::sync::Arc;

pub(crate) use self::kinds::{KINDS, Kind, OfKind, Words};
use super::compiled::{BasicBlockCode, BasicBlockJob};
use super::interpreter::{Room, StraightSpans};
use super::record::{TapeRecorder, TracedValue};
use super::value::{Jet, RunningError, Value, run, run_reals};
use crate::tape::{Op, Shape, Slot};

/// The most operations on words of a block that is compiled.
const MOST_WORD_OPS: usize = 30_000;

/// Operations on reals, with what was compiled of them.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    pub(crate) ops: Arc<[Op]>,
    code: [Option<Arc<BlockCode>>; KINDS],
    /// For which kinds code was asked for.
    asked: [bool; KINDS],
    /// Spans among the operations, for plain reals.
    spans: Option<Arc<StraightSpans>>,
}

impl Block {
    pub(crate) fn new(ops: &Arc<[Op]>) -> Self {
        Self {
            ops: Arc::clone(ops),
            code: Default::default(),
            asked: [false; KINDS],
            spans: None,
        }
    }

    /// Looks for spans; from here on slots that nobody reads besides this block are not written on plain reals. Room for
    /// them, if there are any.
    pub(crate) fn roll(&mut self, slots: &impl Slots) -> Option<Room> {
        let is_read = |slot: u32| slots.is_read(slot);
        let spans = StraightSpans::of(&self.ops, slots.n_slots(), &is_read)?;
        let room = spans.room();
        self.spans = Some(Arc::new(spans));
        Some(room)
    }

    /// True if most of it is spans, which on plain reals are as fast as code.
    pub(crate) fn is_rolled(&self) -> bool {
        (self.spans.as_ref()).is_some_and(|spans| spans.are_most(&self.ops))
    }

    /// Does the operations on plain reals, spans in this room.
    #[inline]
    pub(crate) fn run_rolled(&self, slots: &mut [f64], room: &mut Room) {
        match &self.spans {
            Some(spans) if self.code[Kind::Reals as usize].is_none() => {
                spans.run(&self.ops, slots, room);
            }
            _ => self.run_reals(slots),
        }
    }

    /// Code for a kind of numbers is wanted. Whether that is new.
    pub(crate) fn ask(&mut self, kind: Kind) -> bool {
        !std::mem::replace(&mut self.asked[kind as usize], true)
    }

    /// Does the operations on plain reals.
    #[inline]
    pub(crate) fn run_reals(&self, slots: &mut [f64]) {
        match &self.code[Kind::Reals as usize] {
            Some(compiled) => compiled.code.run(compiled.place.part, slots),
            None => run_reals(&self.ops, slots),
        }
    }

    /// Does the operations. `words` is room.
    #[inline]
    pub(crate) fn run<V: OfKind>(&self, numbers: &mut [V], words: &mut Vec<f64>) {
        let code = V::KIND.and_then(|kind| self.code[kind as usize].as_ref());
        match code {
            Some(code) => code.run(numbers, words),
            None => run(&self.ops, numbers),
        }
    }

    /// From here on this code does the operations on a kind of numbers.
    pub(crate) fn plug_in(&mut self, kind: Kind, code: &Arc<dyn BasicBlockCode>, place: Place) {
        let code = Arc::clone(code);
        self.code[kind as usize] = Some(Arc::new(BlockCode { code, place }));
    }

    /// True if there is code for some kind of numbers.
    pub(crate) fn is_compiled(&self) -> bool {
        self.code.iter().any(Option::is_some)
    }
}

/// Position of a block in compiled code.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    part: usize,
    /// The slots that are read, and the first word of them; and those that are written.
    inputs: Vec<u32>,
    first_input: usize,
    outputs: Vec<u32>,
    first_output: usize,
    /// Words of the code.
    n_words: usize,
}

#[derive(Debug)]
struct BlockCode {
    code: Arc<dyn BasicBlockCode>,
    place: Place,
}

impl BlockCode {
    fn run<V: OfKind>(&self, numbers: &mut [V], words: &mut Vec<f64>) {
        let place = &self.place;
        if words.len() < place.n_words {
            words.resize(place.n_words, 0.0);
        }
        let mut room = words[place.first_input..].iter_mut();
        for &slot in &place.inputs {
            numbers[slot as usize].each_word(&mut |word| {
                if let Some(place) = room.next() {
                    *place = word;
                }
            });
        }
        self.code.run(place.part, words);
        let mut results = words[place.first_output..].iter();
        for &slot in &place.outputs {
            let mut next = || results.next().copied().unwrap_or_default();
            numbers[slot as usize] = V::from_words(&mut next);
        }
    }
}

/// Facts about the slots of blocks that are compiled together.
pub(crate) trait Slots {
    /// Number of slots.
    fn n_slots(&self) -> u32;
    /// Value of a slot that is constant as long as the code is used; `None` if it is not.
    fn fixed(&self, slot: u32) -> Option<f64>;
    /// True if a slot that a block has written is read afterwards.
    fn is_read(&self, slot: u32) -> bool;
}

/// Code to compile for some blocks, each on a kind of numbers. Result: with it, for each block
/// where it stands in the code; `None` if it cannot be compiled, or would be long.
pub(crate) fn record(
    blocks: &[(&Block, Kind)],
    slots: &impl Slots,
) -> (BasicBlockJob, Vec<Option<Place>>) {
    // Blocks on plain reals work on the slots themselves.
    let recorder = TapeRecorder::new(slots.n_slots());
    let mut kept = Vec::new();
    let mut parts: Vec<Range<usize>> = Vec::new();
    let mut places = Vec::new();
    for &(block, kind) in blocks {
        let start = recorder.len();
        let ops = &block.ops;
        let place = match kind {
            Kind::Reals => record_reals(ops, &recorder),
            Kind::Dual => record_numbers::<Jet<2, TracedValue<'_>>>(ops, slots, &recorder),
            Kind::First => {
                record_numbers::<RunningError<2, TracedValue<'_>>>(ops, slots, &recorder)
            }
            Kind::Series => {
                record_numbers::<RunningError<4, TracedValue<'_>>>(ops, slots, &recorder)
            }
            Kind::Twice => record_numbers::<Jet<2, Jet<2, TracedValue<'_>>>>(ops, slots, &recorder),
        };
        let undecided = recorder.was_undecided();
        if undecided || recorder.len() - start > MOST_WORD_OPS {
            recorder.cut(start);
            places.push(None);
            continue;
        }
        let (mut place, outputs) = place;
        place.part = parts.len();
        parts.push(start..recorder.len());
        kept.extend(outputs);
        places.push(Some(place));
    }
    let mut tape = recorder.into_tape();
    let n_words = tape.n_slots as usize;
    for place in places.iter_mut().flatten() {
        place.n_words = n_words;
    }
    let known = (0..slots.n_slots()).filter_map(|slot| Some((slot, slots.fixed(slot)?)));
    tape.numbers
        .extend(known.map(|(slot, value)| (Slot(slot), value)));
    let job = BasicBlockJob {
        tape: Arc::new(tape),
        parts,
        kept,
    };
    (job, places)
}

/// The slots that ops read before they write them, and those that they write, in order.
fn read_and_written(ops: &[Op]) -> [Vec<u32>; 2] {
    let (mut read, mut written) = (Vec::new(), Vec::new());
    let (mut seen, mut stored) = (HashSet::new(), HashSet::new());
    for op in ops {
        let operands = match op.code.shape() {
            Shape::Unary => [Some(op.a), None, None],
            Shape::Binary => [Some(op.a), Some(op.b), None],
            _ => [Some(op.a), Some(op.b), Some(op.out)],
        };
        read.extend(
            operands
                .into_iter()
                .flatten()
                .filter(|&slot| seen.insert(slot)),
        );
        seen.insert(op.out);
        written.extend(Some(op.out).filter(|&slot| stored.insert(slot)));
    }
    [read, written]
}

fn record_reals(ops: &[Op], recorder: &TapeRecorder) -> (Place, Vec<u32>) {
    for op in ops {
        recorder.push(op.code, op.out, op.a, op.b);
    }
    let [inputs, outputs] = read_and_written(ops);
    let place = Place {
        part: 0,
        inputs,
        first_input: 0,
        outputs: outputs.clone(),
        first_output: 0,
        n_words: 0,
    };
    (place, outputs)
}

fn record_numbers<'r, V: Value + Words<TracedValue<'r>>>(
    ops: &[Op],
    slots: &impl Slots,
    recorder: &'r TapeRecorder,
) -> (Place, Vec<u32>) {
    let [mut inputs, mut outputs] = read_and_written(ops);
    inputs.retain(|&slot| slots.fixed(slot).is_none());
    outputs.retain(|&slot| slots.is_read(slot));
    let mut width = 0;
    V::constant(0.0).each_word(&mut |_| width += 1);
    let [first_input, first_output] =
        [&inputs, &outputs].map(|slots| recorder.row(slots.len() * width));
    let mut words = first_input..;
    let mut numbers: HashMap<u32, V> = HashMap::new();
    for &slot in &inputs {
        let mut next = || recorder.at(words.next().expect("it has no end"));
        numbers.insert(slot, V::from_words(&mut next));
    }
    for op in ops {
        let number = |slot: u32| {
            let fixed = || V::constant(slots.fixed(slot).unwrap_or_default());
            numbers.get(&slot).copied().unwrap_or_else(fixed)
        };
        let b = match op.code.shape() {
            Shape::Unary => op.a,
            _ => op.b,
        };
        let value = V::apply(op.code, number(op.out), number(op.a), number(b));
        numbers.insert(op.out, value);
    }
    let mut results = Vec::new();
    for slot in &outputs {
        numbers[slot].each_word(&mut |word| results.push(word));
    }
    recorder.store(first_output, &results);
    let kept = (first_output..).take(results.len()).collect();
    let place = Place {
        part: 0,
        inputs,
        first_input: first_input as usize,
        outputs,
        first_output: first_output as usize,
        n_words: 0,
    };
    (place, kept)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tape::Code;

    /// Recorded operations, interpreted.
    #[derive(Debug)]
    struct Interpreted(BasicBlockJob);

    impl BasicBlockCode for Interpreted {
        fn run(&self, part: usize, slots: &mut [f64]) {
            let Self(BasicBlockJob { tape, parts, .. }) = self;
            let mut all = slots.to_vec();
            all.resize(tape.n_slots as usize, f64::NAN);
            for &(slot, value) in &tape.numbers {
                all[slot.index()] = value;
            }
            run_reals(&tape.ops[parts[part].clone()], &mut all);
            slots.copy_from_slice(&all[..slots.len()]);
        }
    }

    /// Slots 0 to 3 vary, 4 to 6 are fixed, the rest is computed.
    struct Mode(Vec<f64>);

    const VARYING: u32 = 4;
    const FIXED: u32 = 7;

    impl Slots for Mode {
        fn n_slots(&self) -> u32 {
            self.0.len() as u32
        }

        fn fixed(&self, slot: u32) -> Option<f64> {
            (VARYING..FIXED)
                .contains(&slot)
                .then(|| self.0[slot as usize])
        }

        fn is_read(&self, slot: u32) -> bool {
            slot % 2 == 1
        }
    }

    struct Random(u64);

    impl Random {
        fn below(&mut self, n: usize) -> usize {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            (self.0 % n as u64) as usize
        }

        fn real(&mut self) -> f64 {
            const SPECIAL: [f64; 12] = [
                0.0,
                -0.0,
                1.0,
                -1.0,
                2.0,
                3.0,
                0.5,
                f64::INFINITY,
                f64::NEG_INFINITY,
                f64::NAN,
                1e308,
                5e-324,
            ];
            match self.below(3) {
                0 => SPECIAL[self.below(SPECIAL.len())],
                _ => (self.below(4_000_001) as f64 - 2e6) / 7e5,
            }
        }

        fn number<V: Words<f64>>(&mut self) -> V {
            V::from_words(&mut || self.real())
        }
    }

    fn bits<V: Words<f64>>(number: V) -> Vec<u64> {
        let mut bits = Vec::new();
        number.each_word(&mut |word| {
            bits.push(if word.is_nan() { f64::NAN } else { word }.to_bits());
        });
        bits
    }

    fn random_ops(random: &mut Random, n_slots: usize) -> Arc<[Op]> {
        let codes: Vec<Code> = Code::ALL
            .iter()
            .copied()
            .filter(|code| code.function().is_some())
            .collect();
        let mut op = |_| {
            let code = codes[random.below(codes.len())];
            let [a, b] = [0, 0].map(|_| random.below(n_slots) as u32);
            Op {
                code,
                out: FIXED + random.below(n_slots - FIXED as usize) as u32,
                a,
                b: match code.shape() {
                    Shape::Unary => a,
                    _ => b,
                },
            }
        };
        (0..8).map(&mut op).collect()
    }

    /// Result: how many blocks had code.
    fn agrees<V: OfKind + std::fmt::Debug>(random: &mut Random, rounds: usize) -> usize {
        const N: usize = 14;
        let kind = V::KIND.expect("it is compiled");
        let mut compiled = 0;
        for _ in 0..rounds {
            let mode = Mode((0..N).map(|_| random.real()).collect());
            let mut block = Block::new(&random_ops(random, N));
            let (job, mut places) = record(&[(&block, Kind::Reals), (&block, kind)], &mode);
            let Some(place) = places.pop().flatten() else {
                continue;
            };
            compiled += 1;
            let mut numbers: Vec<V> = (0..N).map(|_| random.number()).collect();
            for slot in VARYING..FIXED {
                numbers[slot as usize] = V::constant(mode.0[slot as usize]);
            }
            let mut expected = numbers.clone();
            block.run(&mut expected, &mut Vec::new());
            let code: Arc<dyn BasicBlockCode> = Arc::new(Interpreted(job));
            block.plug_in(kind, &code, place);
            let before = numbers.clone();
            block.run(&mut numbers, &mut Vec::new());
            for slot in 0..N as u32 {
                let is_written = block.ops.iter().any(|op| op.out == slot);
                let [found, expected, before] =
                    [&numbers, &expected, &before].map(|all| bits(all[slot as usize]));
                if mode.is_read(slot) || !is_written {
                    assert_eq!(found, expected, "slot {slot} of {:?}", block.ops);
                } else {
                    assert_eq!(found, before, "nobody reads slot {slot}");
                }
            }
        }
        compiled
    }

    #[test]
    fn recorded_numbers_have_the_bits_of_computed_ones() {
        let mut random = Random(0x9e37_79b9_7f4a_7c15);
        let rounds = 3000;
        let compiled = [
            agrees::<Jet<2>>(&mut random, rounds),
            agrees::<RunningError<2>>(&mut random, rounds),
            agrees::<RunningError<4>>(&mut random, rounds),
            agrees::<Jet<2, Jet<2>>>(&mut random, rounds),
        ];
        assert!(
            compiled.iter().all(|&n| n > rounds / 2),
            "{compiled:?} of {rounds} blocks could be compiled"
        );
    }

    #[test]
    fn what_depends_on_an_unknown_exponent_is_not_compiled() {
        let mode = Mode(vec![2.0; 9]);
        let power = |b| {
            let op = Op {
                code: Code::Pow,
                out: 7,
                a: 0,
                b,
            };
            let block = Block::new(&Arc::from([op]));
            record(&[(&block, Kind::First)], &mode).1[0].is_some()
        };
        assert!(power(4) && !power(1));
    }
}
