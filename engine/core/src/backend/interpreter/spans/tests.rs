//! Spans against the same ops one by one, on random statements.

use proptest::prelude::*;

use super::super::{Context, NoObserver, Rolled, execute, prepare};
use super::Room;
use crate::tape::{Assembler, Code, Literals, Slot, Tape};

/// Elements of a family; the tape is large enough to have spans.
const ELEMENTS: u32 = 1300;
const FAMILIES: u32 = 3;

/// An operand of a random operation.
#[derive(Clone, Debug)]
enum Operand {
    /// Of a family, so many elements further on.
    Element(u32, i32),
    /// One of a family for all.
    Same(u32, u32),
    /// Of a family, anywhere.
    Anywhere(u32, u32),
    /// A result of the statement.
    Result(usize),
}

fn operand() -> impl Strategy<Value = Operand> {
    let family = 0..FAMILIES;
    prop_oneof![
        4 => (family.clone(), -1..=1).prop_map(|(of, shift)| Operand::Element(of, shift)),
        1 => (family.clone(), 0..ELEMENTS).prop_map(|(of, at)| Operand::Same(of, at)),
        1 => (family, 1..97_u32).prop_map(|(of, by)| Operand::Anywhere(of, by)),
        3 => (0..4_usize).prop_map(Operand::Result),
    ]
}

/// A random statement of a row: its operations, the family that it writes, by which operation, under which bits.
#[derive(Clone, Debug)]
struct Row {
    ops: Vec<(Code, Operand, Operand)>,
    target: u32,
    update: bool,
    when: Option<(u32, bool)>,
    inner: bool,
}

fn row() -> impl Strategy<Value = Row> {
    let code = prop::sample::select(vec![
        Code::Add,
        Code::Sub,
        Code::Mul,
        Code::Div,
        Code::Min,
        Code::Neg,
        Code::Sqrt,
        Code::Sin,
    ]);
    (
        prop::collection::vec((code, operand(), operand()), 1..5),
        0..FAMILIES,
        any::<bool>(),
        proptest::option::weighted(0.6, (0..3_u32, any::<bool>())),
        any::<bool>(),
    )
        .prop_map(|(ops, target, update, when, inner)| Row {
            ops,
            target,
            update,
            when,
            inner,
        })
}

/// What is decided of each element before the rows.
#[derive(Clone, Debug)]
enum Decision {
    Compare(Code, Operand, Operand),
    Test(Code, u32, bool),
    Rise(u32, bool),
    Assign(u32, bool),
}

fn decision() -> impl Strategy<Value = Decision> {
    let compare = prop::sample::select(vec![Code::Less, Code::GreaterEqual, Code::AndGreater]);
    let plain = || operand().prop_filter("of a slot", |one| !matches!(one, Operand::Result(_)));
    prop_oneof![
        (compare, plain(), plain()).prop_map(|(code, a, b)| Decision::Compare(code, a, b)),
        (0..3_u32, any::<bool>(), any::<bool>()).prop_map(|(bit, value, or)| {
            Decision::Test(if or { Code::OrTest } else { Code::Test }, bit, value)
        }),
        (0..3_u32, any::<bool>()).prop_map(|(bit, value)| Decision::Rise(bit, value)),
        (0..3_u32, any::<bool>()).prop_map(|(bit, value)| Decision::Assign(bit, value)),
    ]
}

/// A tape of n elements: families of reals, then of bits 0 to 2, and what decisions decide.
fn tape(n: u32, decisions: &[(u32, Decision)], rows: &[Row]) -> Tape {
    let mut asm = Assembler::new((FAMILIES * ELEMENTS) as usize);
    let bits: Vec<u32> = (0..5 * ELEMENTS + 7).map(|_| asm.bit()).collect();
    let bit = |family: u32, at: u32| bits[(family * ELEMENTS + 7 + at) as usize];
    let slot = |results: &[Slot], operand: &Operand, at: u32| match *operand {
        Operand::Element(of, shift) => {
            Slot(of * ELEMENTS + (at + 1).saturating_add_signed(shift).min(ELEMENTS - 1))
        }
        Operand::Same(of, other) => Slot(of * ELEMENTS + other),
        Operand::Anywhere(of, by) => Slot(of * ELEMENTS + at * at * by % ELEMENTS),
        Operand::Result(number) => results.get(number).copied().unwrap_or(Slot(at)),
    };
    for (to, decision) in decisions {
        for at in 0..n {
            asm.begin_statement();
            let test = |asm: &mut Assembler, family, value| {
                asm.test(Literals::from_slice(&[
                    (bit(family, at), value),
                    (bits[3], false),
                ]))
            };
            match decision {
                Decision::Compare(code, a, b) => {
                    asm.compare(*code, bit(*to, at), slot(&[], a, at), slot(&[], b, at));
                }
                Decision::Test(code, family, value) => {
                    let test = test(&mut asm, *family, *value);
                    asm.bits(*code, bit(*to, at), test, 0);
                }
                Decision::Rise(family, value) => {
                    asm.bits(Code::ClearBit, bit(*to, at), 0, 0);
                    let test = test(&mut asm, *family, *value);
                    asm.bits(Code::Rise, bit(*to, at), test, bit(3, at));
                }
                Decision::Assign(family, value) => {
                    let test = test(&mut asm, *family, *value);
                    asm.bits(Code::Test, bit(4, at), test, 0);
                    let test = asm.test(Literals::from_slice(&[(bit(4, at), true)]));
                    let jump = asm.skip_unless(test);
                    asm.bits(Code::SetBit, bit(*to, at), 0, 0);
                    asm.land(jump);
                }
            }
        }
    }
    for (number, row) in (0..).zip(rows) {
        for at in 0..n {
            asm.begin_row(number * n + at);
            let outer = row.when.map(|(family, value)| {
                let test = asm.test(Literals::from_slice(&[(bit(family, at), value)]));
                asm.skip_unless(test)
            });
            let inner = row.inner.then(|| {
                let test = asm.test(Literals::from_slice(&[(bit(2, at), true)]));
                asm.skip_unless(test)
            });
            let since = asm.len();
            let mut results = Vec::new();
            for (code, a, b) in &row.ops {
                let (a, b) = (slot(&results, a, at), slot(&results, b, at));
                results.push(asm.op(*code, a, b));
            }
            let (out, value) = (
                Slot(row.target * ELEMENTS + at + 1),
                results[results.len() - 1],
            );
            if row.update {
                asm.op_into(out, Code::AddMul, value, slot(&results, &row.ops[0].1, at));
            } else {
                asm.store(out, value, since);
            }
            for jump in inner.into_iter().chain(outer) {
                asm.land(jump);
            }
        }
    }
    asm.finish()
}

/// Reals and bits after two executions, and how many spans there were.
fn after_two(tape: &Tape, rolled: bool, starts: &[f64]) -> (Vec<u64>, Vec<u64>, usize) {
    let whole = 0..tape.ops.len();
    let ready = if rolled {
        Rolled::new(tape, whole)
    } else {
        Rolled {
            code: prepare(tape, whole),
            spans: Box::default(),
        }
    };
    let mut reals: Vec<f64> = (0..tape.n_slots as usize)
        .map(|at| starts[at % starts.len()] + (at % 7) as f64 / 8.0)
        .collect();
    let mut bits = vec![0x9669_6996_F00F_0000; (tape.n_bits as usize).div_ceil(64)];
    let mut context = Context {
        tape,
        spans: &ready.spans,
        room: &mut Room::new(&ready.spans),
        lines: &mut [],
        tick: 0,
        since: (0, 0.0),
        starting: false,
    };
    for starting in [false, true] {
        context.starting = starting;
        let (reals, bits) = (reals.as_mut_slice(), bits.as_mut_slice());
        execute(&ready.code, reals, bits, &mut context, &mut NoObserver);
    }
    let given = reals[..(FAMILIES * ELEMENTS) as usize].iter();
    let bits_of = |value: &f64| {
        if value.is_nan() {
            u64::MAX
        } else {
            value.to_bits()
        }
    };
    (given.map(bits_of).collect(), bits, ready.spans.len())
}

proptest! {
    #![proptest_config(proptest::test_runner::Config::with_cases(400))]

    #[test]
    fn spans_do_what_their_statements_do(
        n in prop_oneof![0..71_u32, 500..530_u32, Just(ELEMENTS - 2)],
        decisions in prop::collection::vec((0..3_u32, decision()), 0..3),
        rows in prop::collection::vec(row(), 1..4),
        starts in prop::collection::vec(-2.0..2.0_f64, 1..9),
    ) {
        let tape = tape(n, &decisions, &rows);
        let (flat, flat_bits, _) = after_two(&tape, false, &starts);
        let (rolled, rolled_bits, _) = after_two(&tape, true, &starts);
        prop_assert_eq!(flat, rolled);
        prop_assert_eq!(flat_bits, rolled_bits);
    }
}

fn one(ops: Vec<(Code, Operand, Operand)>, when: Option<(u32, bool)>) -> Row {
    Row {
        ops,
        target: 0,
        update: true,
        when,
        inner: false,
    }
}

#[test]
fn rows_of_families_are_rolled() {
    let sum = || {
        let (a, b) = (Operand::Element(1, -1), Operand::Element(1, 1));
        vec![
            (Code::Add, a, b),
            (Code::Mul, Operand::Result(0), Operand::Same(2, 5)),
        ]
    };
    let network = vec![(Code::Sub, Operand::Anywhere(1, 3), Operand::Element(0, 0))];
    let ahead = vec![(Code::Neg, Operand::Element(0, 1), Operand::Element(0, 1))];
    let fires = Decision::Compare(Code::Less, Operand::Element(0, 0), Operand::Same(1, 3));
    let rises = Decision::Rise(0, true);
    let rows = [
        one(sum(), None),
        one(sum(), Some((1, true))),
        one(network, None),
        one(ahead, None),
    ];
    let tape = tape(700, &[(0, fires), (1, rises)], &rows);
    assert_eq!(after_two(&tape, true, &[1.0]).2, 6);
}

#[test]
fn a_recurrence_is_not() {
    let before = vec![(Code::Neg, Operand::Element(0, 0), Operand::Element(0, 0))];
    let mut row = one(before, None);
    row.update = false;
    row.ops[0].1 = Operand::Element(0, -1);
    let tape = tape(700, &[], &[row]);
    let (flat, _, _) = after_two(&tape, false, &[1.0]);
    let (rolled, _, spans) = after_two(&tape, true, &[1.0]);
    assert_eq!((flat, spans), (rolled, 0));
}

/// A tree of the combinations of a total.
enum Tree {
    Leaf(u32),
    Pair(Box<[Tree; 2]>),
}

impl Tree {
    /// Of all elements, in the order of families.
    fn of(n: u32) -> Self {
        let mut trees: Vec<Tree> = (0..n).map(Tree::Leaf).collect();
        while trees.len() > 1 {
            let (mut rest, mut sums) = (trees, Vec::new());
            while !rest.is_empty() {
                let behind = rest.split_off(rest.len().min(64));
                for half in [32, 16, 8, 4, 2, 1] {
                    let mut upper = rest.split_off(rest.len().min(half)).into_iter();
                    rest = (rest.into_iter())
                        .map(|lower| match upper.next() {
                            Some(upper) => Tree::Pair(Box::new([lower, upper])),
                            None => lower,
                        })
                        .collect();
                }
                sums.append(&mut rest);
                rest = behind;
            }
            trees = sums;
        }
        trees.swap_remove(0)
    }

    fn emit(&self, asm: &mut Assembler, code: Code, size: usize) -> Slot {
        match self {
            Self::Leaf(at) => {
                let mut value = Slot(*at);
                for number in 1..=size {
                    let other = Slot(if number == 1 {
                        ELEMENTS + *at
                    } else {
                        2 * ELEMENTS
                    });
                    let code = if number == 1 { Code::Mul } else { Code::Add };
                    value = asm.op(code, value, other);
                }
                value
            }
            Self::Pair(both) => {
                let [a, b] = both.each_ref().map(|part| part.emit(asm, code, size));
                asm.op(code, a, b)
            }
        }
    }
}

#[test]
fn totals_are_combined_as_they_are_written() {
    for n in (2..70).chain([127, 128, 129, 600, ELEMENTS]) {
        for (code, size) in [
            (Code::Add, 0),
            (Code::Add, 1),
            (Code::Max, 2),
            (Code::Min, 0),
        ] {
            for tail in [None, Some(Code::Div), Some(code)] {
                let mut asm = Assembler::new((FAMILIES * ELEMENTS) as usize);
                let bit = asm.bit();
                asm.begin_row(0);
                let test = asm.test(Literals::from_slice(&[(bit, n % 2 == 0)]));
                let jump = (n % 3 == 0).then(|| asm.skip_unless(test));
                let since = asm.len();
                let mut value = Tree::of(n).emit(&mut asm, code, size);
                if let Some(code) = tail {
                    value = asm.op(code, value, Slot(2 * ELEMENTS + 1));
                }
                asm.store(Slot(2 * ELEMENTS + 7), value, since);
                if let Some(jump) = jump {
                    asm.land(jump);
                }
                let tape = asm.finish();
                let starts = [0.3, -0.7, 1.1, 0.01, 12.5, -3.25, 1e-3];
                let (flat, ..) = after_two(&tape, false, &starts);
                let (rolled, _, spans) = after_two(&tape, true, &starts);
                assert_eq!(flat, rolled, "{n} {code:?} {size}");
                assert_eq!(spans, usize::from(n >= 16), "{n} {code:?} {size} {tail:?}");
            }
        }
    }
}
