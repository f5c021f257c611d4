//! Straight operations on reals, of which nobody says where statements begin -> the spans that they contain.
//!
//! Each operation has a slot of its own, as in the tape of a mode. Elements of a family then stand there as operations
//! whose codes repeat; a result that is read in its own repetition only gets a register.

use std::ops::Range;

use super::roll::{LEAST, roll};
use super::{Place, Room, Span, Step};
use crate::backend::value::run_reals;
use crate::tape::{Op, Shape, Slot, Tape};

/// Repetitions of more operations are not looked for.
const LONGEST: usize = 128;

/// Nothing writes it.
const NEVER: u32 = u32::MAX;

/// Straight operations, with the spans among them.
#[derive(Clone, Debug)]
pub(crate) struct StraightSpans {
    /// Operations that are done one by one, and the span behind them.
    parts: Box<[(Range<usize>, Option<usize>)]>,
    spans: Box<[Span]>,
    /// Operations in spans.
    n_rolled: usize,
    /// Slots that are not written, as their values are in registers.
    unwritten: Box<[u32]>,
}

impl StraightSpans {
    /// Of operations on so many slots; `None` if there are no spans.
    ///
    /// Shapes: `is_read`: whether somebody reads a slot besides these operations.
    pub(crate) fn of(ops: &[Op], n_slots: u32, is_read: &dyn Fn(u32) -> bool) -> Option<Self> {
        let uses = Uses::of(ops, n_slots)?;
        let (mut parts, mut spans) = (Vec::new(), Vec::new());
        let (mut at, mut done, mut n_rolled) = (0, 0, 0);
        let mut unwritten = Vec::new();
        while at + LEAST <= ops.len() {
            let Some(period) = period(ops, at).filter(|period| uses.is_closed(ops, at, *period))
            else {
                at += 1;
                continue;
            };
            let rolled = |n: usize| {
                let tape = statements(ops, (at, period, n), n_slots, &uses, is_read);
                let mut found = roll(&tape, 0..tape.ops.len());
                found.retain(|(_, span)| keeps_to(span, n_slots));
                (tape, found)
            };
            // The first ones tell for little work where statements begin, or that none may be rolled.
            if rolled(LEAST).1.is_empty() {
                at += 1;
                continue;
            }
            let n = repetitions(ops, at, period);
            let (tape, found) = rolled(n);
            for (of, span) in found {
                parts.push((done..at + of.start, Some(spans.len())));
                spans.push(span);
                done = at + of.end;
                n_rolled += of.len();
                let renamed = of.filter(|op| tape.ops[*op].out >= n_slots);
                unwritten.extend(renamed.map(|op| ops[at + op].out));
            }
            at += n * period;
        }
        parts.push((done..ops.len(), None));
        (!spans.is_empty()).then(|| Self {
            parts: parts.into(),
            spans: spans.into(),
            n_rolled,
            unwritten: unwritten.into(),
        })
    }

    /// True if most of the operations are in spans.
    pub(crate) fn are_most(&self, ops: &[Op]) -> bool {
        2 * self.n_rolled > ops.len()
    }

    /// Room to run them in.
    pub(crate) fn room(&self) -> Room {
        Room::new(&self.spans)
    }

    /// Does the operations, those they were made of.
    pub(crate) fn run(&self, ops: &[Op], slots: &mut [f64], room: &mut Room) {
        for (single, span) in &self.parts {
            run_reals(&ops[single.clone()], slots);
            if let Some(span) = span {
                self.spans[*span].run(slots, &mut [], false, room);
            }
        }
        if cfg!(debug_assertions) {
            // Whoever reads them all the same is found out.
            for slot in &self.unwritten {
                slots[*slot as usize] = f64::NAN;
            }
        }
    }
}

/// True if a span reads and writes true slots only, besides its registers: what is a local result in some statements may be
/// another slot in others.
fn keeps_to(span: &Span, n_slots: u32) -> bool {
    let last = span.len as i64 - 1;
    let is_true = |place: &Place| match place {
        Place::One(slot) => *slot < n_slots,
        Place::Slots { first, stride } => {
            let ends = [0, last].map(|at| i64::from(*first) + i64::from(*stride) * at);
            ends.iter()
                .all(|slot| (0..i64::from(n_slots)).contains(slot))
        }
        Place::Listed(slots) => slots.iter().all(|slot| *slot < n_slots),
        Place::Register(_) => true,
    };
    let mut steps = span.steps.iter();
    span.total.is_none()
        && steps.all(|step| match step {
            Step::Real { out, operands, .. } => is_true(out) && operands.iter().all(is_true),
            _ => false,
        })
}

/// Per slot where it is written and read.
struct Uses {
    written: Vec<u32>,
    read: Vec<[u32; 2]>,
}

impl Uses {
    /// `None` if a slot is written twice, or more than reals are worked on.
    fn of(ops: &[Op], n_slots: u32) -> Option<Self> {
        let mut uses = Self {
            written: vec![NEVER; n_slots as usize],
            read: vec![[NEVER, 0]; n_slots as usize],
        };
        for (at, op) in (0..).zip(ops) {
            if !matches!(op.code.shape(), Shape::Unary | Shape::Binary) {
                return None;
            }
            for operand in operands(op) {
                let [first, last] = &mut uses.read[operand as usize];
                (*first, *last) = ((*first).min(at), (*last).max(at));
            }
            let written = &mut uses.written[op.out as usize];
            if *written != NEVER {
                return None;
            }
            *written = at;
        }
        Some(uses)
    }

    /// True if of the repetitions from `at` on the second one reads nothing that the first one writes.
    fn is_closed(&self, ops: &[Op], at: usize, period: usize) -> bool {
        let first = at as u32..(at + period) as u32;
        let mut read = ops[at + period..at + 2 * period].iter().flat_map(operands);
        read.all(|slot| !first.contains(&self.written[slot as usize]))
    }

    /// True if what an op writes is read in a part of the ops only.
    fn is_local(&self, slot: u32, part: Range<usize>) -> bool {
        let [first, last] = self.read[slot as usize];
        first == NEVER || part.start <= first as usize && (last as usize) < part.end
    }
}

fn operands(op: &Op) -> impl Iterator<Item = u32> {
    let b = (op.code.shape() != Shape::Unary).then_some(op.b);
    std::iter::once(op.a).chain(b)
}

/// The least number of operations after which the codes from `at` on repeat, [`LEAST`] times.
fn period(ops: &[Op], at: usize) -> Option<usize> {
    let longest = LONGEST.min((ops.len() - at) / LEAST);
    (1..=longest).find(|period| {
        repeats(ops, at, *period)
            .take(LEAST * period - period)
            .all(|is| is)
    })
}

/// Whether each operation from `at` on has the code of that one period later.
fn repeats(ops: &[Op], at: usize, period: usize) -> impl Iterator<Item = bool> {
    let later = ops[at + period..].iter();
    ops[at..].iter().zip(later).map(|(a, b)| a.code == b.code)
}

/// How often the operations from `at` on are repeated.
fn repetitions(ops: &[Op], at: usize, period: usize) -> usize {
    1 + repeats(ops, at, period).take_while(|is| *is).count() / period
}

/// Repetitions as statements, local results in slots of which all of them have the same.
fn statements(
    ops: &[Op],
    (at, period, n): (usize, usize, usize),
    n_slots: u32,
    uses: &Uses,
    is_read: &dyn Fn(u32) -> bool,
) -> Tape {
    let part = |statement: usize| at + statement * period..at + (statement + 1) * period;
    let mut is_scratch = vec![true; period];
    for statement in 0..n {
        for (is_scratch, op) in is_scratch.iter_mut().zip(&ops[part(statement)]) {
            *is_scratch &= !is_read(op.out) && uses.is_local(op.out, part(statement));
        }
    }
    let mut all = Vec::with_capacity(n * period);
    for statement in 0..n {
        let part = part(statement);
        let renamed = |slot: u32| match uses.written[slot as usize] as usize {
            written if part.contains(&written) && is_scratch[written - part.start] => {
                n_slots + (written - part.start) as u32
            }
            _ => slot,
        };
        all.extend(ops[part.clone()].iter().map(|op| Op {
            code: op.code,
            out: renamed(op.out),
            a: renamed(op.a),
            b: renamed(op.b),
        }));
    }
    let scratch = (0..period).filter(|step| is_scratch[*step]);
    Tape {
        ops: all,
        statements: (0..n)
            .map(|statement| (statement * period) as u32)
            .collect(),
        scratch: scratch.map(|step| Slot(n_slots + step as u32)).collect(),
        n_slots: n_slots + period as u32,
        ..Tape::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tape::Code;

    /// Rates of a row of cells, each with its neighbours, between two single operations.
    fn cells(n: u32) -> (Vec<Op>, u32) {
        let mut next = n + 2;
        let mut ops = Vec::new();
        let mut op = |ops: &mut Vec<Op>, code, a, b| {
            let out = next;
            next += 1;
            ops.push(Op { code, out, a, b });
            out
        };
        let first = op(&mut ops, Code::Sin, 0, 0);
        let mut last = first;
        for j in 1..=n {
            let sum = op(&mut ops, Code::Add, j - 1, j + 1);
            let twice = op(&mut ops, Code::Add, j, j);
            let curvature = op(&mut ops, Code::Sub, sum, twice);
            let growth = op(&mut ops, Code::Mul, j, first);
            last = op(&mut ops, Code::Add, curvature, growth);
        }
        op(&mut ops, Code::Neg, last, 0);
        (ops, next)
    }

    #[test]
    fn cells_of_a_grid_are_rolled_wherever_they_begin() {
        for n in [LEAST as u32, 50, 700] {
            let (ops, n_slots) = cells(n);
            let is_rate = |slot: u32| slot >= n + 3 && (slot - n - 3) % 5 == 4;
            let spans = StraightSpans::of(&ops, n_slots, &is_rate).unwrap();
            assert_eq!(spans.spans.len(), 1);
            let single = spans.parts.iter().map(|(single, _)| single.len());
            assert_eq!(single.sum::<usize>(), 2);
            let begin: Vec<f64> = (0..n_slots)
                .map(|slot| 0.3 + f64::from(slot).cos())
                .collect();
            let (mut found, mut expected) = (begin.clone(), begin);
            spans.run(&ops, &mut found, &mut spans.room());
            run_reals(&ops, &mut expected);
            for slot in (0..n_slots).filter(|slot| is_rate(*slot) || *slot == n_slots - 1) {
                let [found, expected] = [&found, &expected].map(|all| all[slot as usize].to_bits());
                assert_eq!(found, expected, "slot {slot} of {n} cells");
            }
        }
    }

    #[test]
    fn what_goes_on_from_element_to_element_is_no_span() {
        let sum: Vec<Op> = (0..100)
            .map(|j| Op {
                code: Code::Add,
                out: 101 + j,
                a: j,
                b: if j == 0 { 100 } else { 100 + j },
            })
            .collect();
        assert!(StraightSpans::of(&sum, 201, &|_| false).is_none());
        let (few, n_slots) = cells(LEAST as u32 - 1);
        assert!(StraightSpans::of(&few, n_slots, &|_| false).is_none());
    }
}
