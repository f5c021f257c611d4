//! Test for values that are not finite, after every tick and at little cost.
//!
//! A value that is not finite mostly spreads: whatever is added to it, its integral is not finite
//! either, and an integral stays so for good. So only those reals have to be tested after every
//! tick from which nothing spreads ([`watched`]); the others are tested now and then, and when
//! one of them is found, the ticks since the last test are run again to find the first.
//!
//! The alternative, a test of the result of every operation, costs a third of the speed.

use std::ops::Range;

use crate::backend::interpreter::Reals;
use crate::ids::{ConstantId, RealId, RelationId};
use crate::lower::Program;
use crate::model::{Argument, Coefficient, Expr, Model};
use crate::tape::{Op, Shape, Tape};

/// Number of ticks through which the path of a value is followed.
const ROUNDS: usize = 4;

/// From so many slots side by side on they are tested together.
const ROW: usize = 64;

/// True if the values of these slots are finite.
///
/// `x * 0` is 0 for a finite x and NaN for any other, and a NaN survives every sum.
#[inline(always)]
fn finite(reals: &(impl Reals + ?Sized), slots: &[u32]) -> bool {
    let mut sum = 0.0;
    for &slot in slots {
        sum += reals.value(slot) * 0.0;
    }
    sum == 0.0
}

/// The slots that are tested after every tick, as the interpreter tests them: those of families side by side.
#[derive(Debug)]
pub(in crate::sim) struct Tested {
    single: Box<[u32]>,
    rows: Box<[Range<u32>]>,
    /// True if all reals are among them.
    all: bool,
}

impl Tested {
    /// `slots`: in rising order, some of so many reals first.
    pub(in crate::sim) fn new(slots: &[u32], n_reals: usize) -> Self {
        let (mut single, mut rows) = (Vec::new(), Vec::new());
        for row in slots.chunk_by(|one, next| one + 1 == *next) {
            match row {
                [first, .., last] if row.len() >= ROW => rows.push(*first..*last + 1),
                _ => single.extend_from_slice(row),
            }
        }
        Self {
            single: single.into(),
            rows: rows.into(),
            all: slots.partition_point(|slot| (*slot as usize) < n_reals) == n_reals,
        }
    }

    /// True if all reals are finite, where those that are tested are.
    #[inline(always)]
    pub(in crate::sim) fn are_others_finite(&self, reals: &[f64]) -> bool {
        self.all || all_finite(reals)
    }

    /// True if their values are finite.
    #[inline(always)]
    pub(in crate::sim) fn are_finite(&self, reals: &(impl Reals + ?Sized)) -> bool {
        finite(reals, &self.single)
            && self.rows.iter().all(|row| {
                let row = row.start as usize..row.end as usize;
                all_finite(&reals.values()[row])
            })
    }
}

/// The quantities a relation reads, each once, with their values.
#[expect(clippy::type_complexity, reason = "two lists of pairs")]
pub(in crate::sim) fn read_by(
    model: &Model,
    relation: RelationId,
    real: impl Fn(RealId) -> f64,
    constant: impl Fn(ConstantId) -> f64,
) -> (Vec<(RealId, f64)>, Vec<(ConstantId, f64)>) {
    let relation = &model.relations[relation.index()];
    let (mut reals, mut constants) = (Vec::new(), Vec::new());
    for coefficient in [relation.coef, relation.coef2] {
        if let Coefficient::Constant { id, .. } = coefficient {
            constants.push((id, constant(id)));
        }
    }
    for arg in &relation.args {
        if let Argument::Real(expr) = arg {
            model.exprs.visit(*expr, |_, node| match node {
                Expr::Real(id) => reals.push((*id, real(*id))),
                Expr::Constant(id) => constants.push((*id, constant(*id))),
                _ => {}
            });
        }
    }
    reals.sort_unstable_by_key(|(id, _)| *id);
    reals.dedup_by_key(|(id, _)| *id);
    constants.sort_unstable_by_key(|(id, _)| *id);
    constants.dedup_by_key(|(id, _)| *id);
    (reals, constants)
}

/// True if all these values are finite.
pub(in crate::sim) fn all_finite(values: &[f64]) -> bool {
    const LANES: usize = 8;
    if values.len() <= 2 * LANES {
        return values.iter().all(|value| value.is_finite());
    }
    let (chunks, rest) = values.as_chunks::<LANES>();
    let mut sums = [0.0; LANES];
    for chunk in chunks {
        for (sum, value) in sums.iter_mut().zip(chunk) {
            *sum += value * 0.0;
        }
    }
    for (sum, value) in sums.iter_mut().zip(rest) {
        *sum += value * 0.0;
    }
    sums.iter().sum::<f64>() == 0.0
}

/// The reals that have to be tested after every tick, and behind them the lookups whose values go no further.
///
/// Promise: if after some tick a real is not finite, then after that tick one of these is not, or
/// after every later tick some real is not.
///
/// Cost: linear in the length of the tape.
pub(in crate::sim) fn watched(program: &Program) -> Box<[u32]> {
    let tape = &program.tape;
    let ops = &tape.ops[..program.sections.relations.end];
    let conditional = conditional(ops);
    let mut last_writer = vec![None; program.n_reals];
    // Reals that, once not finite, never become finite again. A real without a writer is finite.
    let mut noticed = vec![true; program.n_reals];
    for (position, op) in ops.iter().enumerate() {
        let Some(writer) = written(op).and_then(|slot| last_writer.get_mut(slot)) else {
            continue;
        };
        *writer = Some(position);
        let spreading = spreading(op);
        noticed[op.out as usize] &= spreading.contains(&Some(op.out));
    }
    for _ in 0..ROUNDS {
        let before = noticed.clone();
        one_round(tape, ops, &conditional, &last_writer, &mut noticed);
        if noticed == before {
            break;
        }
    }
    (0..)
        .zip(&noticed)
        .filter(|(_, noticed)| !**noticed)
        .map(|(slot, _)| slot)
        .chain(program.asked.iter().map(|asked| asked.value.0))
        .collect()
}

/// Adds the reals whose value at the end of a tick spreads, in that tick or in the next one, to a
/// real that is noticed already.
fn one_round(
    tape: &Tape,
    ops: &[Op],
    conditional: &[bool],
    last_writer: &[Option<usize>],
    noticed: &mut [bool],
) {
    // Whether the value of a slot, as it stands between two ops, spreads to the end of the tick.
    let mut spreads = vec![false; tape.n_slots as usize];
    spreads[..noticed.len()].copy_from_slice(noticed);
    for (position, op) in ops.iter().enumerate().rev() {
        let Some(out) = written(op) else { continue };
        let result_spreads = spreads[out];
        if last_writer.get(out) == Some(&Some(position)) {
            noticed[out] |= result_spreads;
        }
        let spreading = spreading(op);
        let keeps_itself = spreading.contains(&Some(op.out));
        spreads[out] = result_spreads && keeps_itself;
        if result_spreads && !conditional[position] {
            for slot in spreading.into_iter().flatten() {
                spreads[slot as usize] = true;
            }
        }
    }
    for (noticed, spreads) in noticed.iter_mut().zip(spreads) {
        *noticed |= spreads;
    }
}

/// For each op whether there is a way around it.
fn conditional(ops: &[Op]) -> Vec<bool> {
    let mut jumped_to = 0;
    ops.iter()
        .enumerate()
        .map(|(position, op)| {
            let skipped = position < jumped_to;
            if op.code.shape() == Shape::Jump {
                jumped_to = jumped_to.max(op.out as usize);
            }
            skipped
        })
        .collect()
}

/// The slot that an op writes.
fn written(op: &Op) -> Option<usize> {
    match op.code.shape() {
        Shape::Unary | Shape::Binary | Shape::Update | Shape::Push => Some(op.out as usize),
        Shape::Due => Some(op.a as usize),
        Shape::Compare | Shape::Test | Shape::Rise | Shape::Bit | Shape::Jump => None,
    }
}

/// The operands of an op that, if not finite, make its result not finite whatever the others are.
fn spreading(op: &Op) -> [Option<u32>; 3] {
    let [old, a, b] = op.code.facts().map_or([false; 3], |facts| facts.spreads);
    [(old, op.out), (a, op.a), (b, op.b)].map(|(spreads, slot)| spreads.then_some(slot))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::{RangeId, RealId};
    use crate::lower;
    use crate::model::{Boolean, Clock, CompareOp, Model, ModelBuilder, Term};
    use crate::sim::{RunFault, TickConfig, TickRun};

    /// `x` counts 3, 2, 1, 0, -1, ..; `y = 1 / x` is infinite once.
    fn reciprocal(extend: impl FnOnce(&mut ModelBuilder, RealId, RealId)) -> Model {
        let mut table = ModelBuilder::new("reciprocal");
        let [x, y] = ["x", "y"].map(|name| table.real(name, 4.0));
        table.relation(x, "sum", [Term::from(x), Term::Number(-1.0)]);
        table.relation(y, "quotient", [Term::Number(1.0), x.into()]);
        extend(&mut table, x, y);
        table.build().unwrap()
    }

    fn watched_names(model: &Model) -> Vec<&str> {
        let program = lower::tick(model, &Default::default(), &Default::default());
        let watched = watched(&program);
        watched
            .iter()
            .map(|&slot| model.reals[slot as usize].name.as_str())
            .collect()
    }

    fn simulation(model: Model) -> TickRun {
        let clock = Clock {
            step: Some(1.0),
            stop: Some(1000.0),
            ..Clock::default()
        };
        TickRun::new(model, TickConfig::from_clock(&clock).unwrap()).unwrap()
    }

    #[test]
    fn what_reaches_an_integral_is_not_watched() {
        let model = reciprocal(|table, _, y| {
            let [scaled, sum, other] = ["scaled", "sum", "other"].map(|n| table.real(n, 0.0));
            table.relation(sum, "integral", [scaled]);
            table.relation(scaled, "proportional", [y]).coef(2.0);
            table.relation(other, "exp", [y]);
        });
        assert_eq!(watched_names(&model), ["other"]);
    }

    #[test]
    fn what_ends_at_a_condition_a_divisor_or_a_limit_is_watched() {
        let model = reciprocal(|table, x, y| {
            let [sum, share, least] = ["sum", "share", "least"].map(|n| table.real(n, 0.0));
            let high = table.range("high", [(x.into(), CompareOp::Greater, 0.0.into())]);
            table.relation(sum, "integral", [y]).when([high.into()]);
            table.relation(share, "quotient", [x, y]);
            table.relation(least, "min", [share, x]);
        });
        assert_eq!(watched_names(&model), ["y", "share", "least"]);
    }

    #[test]
    fn the_first_failing_tick_is_named_wherever_the_value_shows_up() {
        let alone = reciprocal(|_, _, _| ());
        let integrated = reciprocal(|table, x, y| {
            let sum = table.real("sum", 0.0);
            table.relation(sum, "integral", [y]);
            // Changes in the failing tick and later on.
            table.range(
                "odd",
                [(
                    Term::Call("mod", vec![x.into(), Term::Number(2.0)]),
                    CompareOp::Greater,
                    0.0.into(),
                )],
            );
            table.range("bounded", [(sum.into(), CompareOp::Less, 1e9.into())]);
        });
        for model in [alone, integrated] {
            let mut run = simulation(model);
            let fault = run.advance(900).unwrap_err();
            let RunFault::NotFinite {
                tick, real, value, ..
            } = fault
            else {
                panic!("{fault}");
            };
            assert_eq!((tick, real, value), (Some(4), RealId(1), f64::INFINITY));
            assert_eq!((run.tick(), run.real(RealId(0))), (3, 1.0));
        }
    }

    #[test]
    fn coverage_ends_before_the_failing_tick() {
        let mut run = simulation(reciprocal(|table, x, y| {
            let sum = table.real("sum", 0.0);
            table.relation(sum, "integral", [y]);
            table.range(
                "odd",
                [(
                    Term::Call("mod", vec![x.into(), Term::Number(2.0)]),
                    CompareOp::Greater,
                    0.0.into(),
                )],
            );
        }));
        assert!(run.advance(900).is_err());
        let times = run
            .covered()
            .visits
            .iter()
            .map(|visit| visit.time)
            .sum::<f64>();
        assert_eq!(times, 3.0 * run.config().step);
        let odd = Boolean::Range(RangeId(0));
        assert!(!run.boolean(odd), "tick 3 found x = 2");
    }

    const N_REALS: usize = 5;

    /// A row of a random table: target, procedure, two arguments, under which range, if any.
    type Row = (usize, usize, usize, usize, Option<bool>);

    fn random_table(rows: &[Row]) -> Model {
        let mut table = ModelBuilder::new("random");
        let reals: Vec<RealId> = (0..N_REALS)
            .map(|index| table.real(&format!("x{index}"), [0.5, -1.0, 0.0, 2.0, 30.0][index]))
            .collect();
        let high = table.range(
            "high",
            [(reals[0].into(), CompareOp::Greater, reals[1].into())],
        );
        for &(target, procedure, one, other, guard) in rows {
            let [target, one, other] = [target, one, other].map(|index| reals[index]);
            let names = [
                "integral", "sum", "product", "quotient", "exp", "ln", "min", "sqrt", "floor",
            ];
            let name = names[procedure % names.len()];
            let two = matches!(name, "sum" | "product" | "quotient" | "min");
            let args = if two { vec![one, other] } else { vec![one] };
            let row = table.relation(target, name, args);
            match guard {
                None => {}
                Some(true) => drop(row.when([high.into()])),
                Some(false) => drop(row.when([!high])),
            }
        }
        table.build().unwrap()
    }

    proptest::proptest! {
        #![proptest_config(proptest::test_runner::Config::with_cases(2000))]

        /// Tick by tick every real is tested; in one go, most are only now and then.
        #[test]
        fn a_run_in_one_go_fails_where_a_run_tick_by_tick_does(
            rows in proptest::collection::vec(
                (
                    0..N_REALS,
                    0..9_usize,
                    0..N_REALS,
                    0..N_REALS,
                    proptest::option::weighted(0.3, proptest::bool::ANY),
                ),
                1..10,
            ),
        ) {
            let mut in_one_go = simulation(random_table(&rows));
            let mut by_ticks = in_one_go.clone();
            let together = in_one_go.advance(900);
            let one_by_one = (0..900).try_for_each(|_| by_ticks.advance(1));
            // NaN differs from itself: compare as text.
            proptest::prop_assert_eq!(format!("{together:?}"), format!("{one_by_one:?}"));
            proptest::prop_assert_eq!(in_one_go.state(), by_ticks.state());
            let (these, those) = (in_one_go.covered().visits, by_ticks.covered().visits);
            proptest::prop_assert_eq!(these, those);
        }
    }

    #[test]
    fn sums_see_every_value() {
        for n in 0..40 {
            let mut values = vec![1e308; n];
            assert!(all_finite(&values));
            for index in 0..n {
                for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
                    let good = std::mem::replace(&mut values[index], bad);
                    assert!(!all_finite(&values), "{n} {index}");
                    values[index] = good;
                }
            }
        }
    }
}
