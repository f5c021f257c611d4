//! Native code against the op table, one tick at a time, on values that a run would not let pass: NaN,
//! infinities, zeros of both signs, numbers at the ends of the range.

use std::sync::Arc;

use situ_engine::model::{Clock, CompareOp, ModelBuilder, Term};
use situ_engine::sim::compiled::{TickBatch, TickCode, TickJob, TickLog, Times};
use situ_engine::sim::{RunConfig, TickConfig, TickRun};
use situ_engine::tape::{Code, Op, Shape, TableFunction, Tape};

use crate::{Layout, Options, compile};

const SPECIAL: [f64; 31] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -2.0,
    3.0,
    1e-300,
    -4e-320,
    1e300,
    f64::MAX,
    f64::MIN_POSITIVE,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
    f64::EPSILON,
    std::f64::consts::FRAC_PI_4,
    std::f64::consts::FRAC_PI_2,
    -std::f64::consts::PI,
    1_647_099.0,
    1_647_099.000_000_000_2,
    1e22,
    1e-9,
    45.0,
    -90.0,
    0.785_398_163_397_448_4,
    100.7,
    -3.3,
    12_345.0 * std::f64::consts::FRAC_PI_2,
    -99_998.0 * std::f64::consts::FRAC_PI_2,
    1_048_575.0 * std::f64::consts::FRAC_PI_2,
];

/// The bits of a number, with one NaN for all.
fn bits(x: f64) -> u64 {
    if x.is_nan() { f64::NAN } else { x }.to_bits()
}

/// Reference for a tick by the op table: an interpreter made to be read.
fn by_the_table(tape: &Tape, ops: &[Op], reals: &mut [f64], bits: &mut [u8]) {
    let holds = |test: u32, bits: &[u8]| {
        let literals = crate::flow::literals(tape, test);
        literals.is_some_and(|all| all.iter().all(|&(bit, is)| (bits[bit as usize] == 1) == is))
    };
    let mut position = 0;
    while let Some(&Op { code, out, a, b }) = ops.get(position) {
        position += 1;
        let [out, left, right] = [out, a, b].map(|index| index as usize);
        match (code.function(), code) {
            (Some(TableFunction::Unary(function)), _) => reals[out] = function(reals[left]),
            (Some(TableFunction::Binary(function)), _) => {
                reals[out] = function(reals[left], reals[right]);
            }
            (Some(TableFunction::Update(function)), _) => {
                reals[out] = function(reals[out], reals[left], reals[right]);
            }
            (None, Code::SkipUnless) if !holds(a, bits) => position = out,
            (None, Code::SkipUnless) => {}
            (None, Code::Test) => bits[out] = holds(a, bits).into(),
            (None, Code::OrTest) => bits[out] |= u8::from(holds(a, bits)),
            (None, Code::SetBit) => bits[out] = 1,
            (None, Code::ClearBit) => bits[out] = 0,
            (None, Code::Rise) => {
                let now = holds(a, bits);
                bits[out] |= u8::from(now && bits[right] == 0);
                bits[right] = now.into();
            }
            (None, code) if code.shape() == Shape::Compare => {
                let (x, y) = (reals[left], reals[right]);
                let is = match code {
                    Code::Less | Code::AndLess => x < y,
                    Code::LessEqual | Code::AndLessEqual => x <= y,
                    Code::Greater | Code::AndGreater => x > y,
                    _ => x >= y,
                };
                let begins = matches!(
                    code,
                    Code::Less | Code::LessEqual | Code::Greater | Code::GreaterEqual
                );
                bits[out] = u8::from(is) & if begins { 1 } else { bits[out] };
            }
            (None, code) => panic!("no test has {}", code.name()),
        }
    }
}

/// Every operation on the reals `a` and `b`, with and without conditions.
fn every_operation() -> TickRun {
    let mut table = ModelBuilder::new("every operation");
    let (a, b) = (table.real("a", 1.0), table.real("b", 2.0));
    let c = table.constant("c", 3.0);
    let unary = [
        "abs", "sign", "sqrt", "floor", "exp", "ln", "sin", "cos", "tan", "asin", "acos", "atan",
        "sind", "cosd", "tand",
    ];
    let binary = [
        "min", "max", "power", "mod", "atan2", "sum", "product", "quotient",
    ];
    let less = table.range("less", [(a.into(), CompareOp::Less, b.into())]);
    let within = table.range(
        "within",
        [
            (a.into(), CompareOp::GreaterEqual, Term::Number(-1.0)),
            (a.into(), CompareOp::LessEqual, b.into()),
            (b.into(), CompareOp::Greater, Term::Number(0.0)),
        ],
    );
    let all = [
        (b.into(), CompareOp::LessEqual, a.into()),
        (b.into(), CompareOp::Less, Term::Number(1e22)),
        (b.into(), CompareOp::GreaterEqual, c.into()),
    ];
    let beyond = table.range("beyond", all);
    let above = table.range("above", [(a.into(), CompareOp::Greater, c.into())]);
    let event = table.event("event", [less.into()]);
    let some = table.situation("some", [less.into(), !within]);
    table.situation("some", [above.into(), !beyond]);
    let switch = table.switch("switch", false);
    table.assign([event.into()], [(switch, true)]);
    table.assign([some.into(), !less], [(switch, false)]);
    for (index, name) in unary.iter().enumerate() {
        let real = table.real(&format!("{name}_a"), 0.0);
        table.relation(real, name, [a]);
        let real = table.real(&format!("{name}_when"), 0.0);
        let guard = if index % 2 == 0 { less } else { within };
        table
            .relation(real, name, [b])
            .when([guard.into(), (!switch)]);
    }
    for name in binary {
        let real = table.real(&format!("{name}_ab"), 0.0);
        table.relation(real, name, [a, b]);
        let real = table.real(&format!("{name}_when"), 0.0);
        table
            .relation(real, name, [Term::from(b), c.into()])
            .coef(-0.5)
            .when([some.into()]);
        for number in [-2.0, -1.0, 0.0, 0.5, 1.0, 2.0, 3.0, 4.0] {
            let real = table.real(&format!("{name}_{number}"), 0.0);
            table.relation(real, name, [Term::from(a), Term::Number(number)]);
        }
    }
    let [copy, minus, difference, step] =
        ["copy", "minus", "difference", "step"].map(|name| table.real(name, 0.0));
    table.relation(step, "step", [a]);
    table.relation(copy, "assignment", [a]);
    table.relation(minus, "assignment", [-Term::from(b)]);
    table.relation(difference, "assignment", [Term::from(a) - b]);
    let [sum, kept, smooth, clamped] =
        ["integral", "hysteresis", "smoothing", "clamp"].map(|name| table.real(name, 0.25));
    table.relation(sum, "integral", [a]).coef(-2.0);
    table.relation(
        kept,
        "hysteresis",
        [Term::from(a), Term::Number(-1.0), b.into()],
    );
    table.relation(smooth, "smoothing", [a]).coef_of(c);
    table.relation(
        clamped,
        "clamp",
        [Term::from(a), Term::Number(-0.0), b.into()],
    );
    let clock = Clock {
        step: Some(0.125),
        stop: Some(1e6),
        ..Clock::default()
    };
    let RunConfig::Ticks(config) = RunConfig::from_clock(&clock).expect("a clock is given") else {
        panic!("ticks are the default");
    };
    let config = TickConfig::clone(&config);
    TickRun::new(Arc::new(table.build().expect("valid")), config).expect("starts")
}

fn room(job: &TickJob) -> TickLog {
    let tape = &job.program.tape;
    TickLog {
        counts: vec![0; 65],
        row_standing: vec![0; 2],
        numbers: vec![0; 64],
        change_ticks: vec![0; 2],
        change_bits: vec![0; 2 * TickLog::stride(tape.n_bits as usize)],
        row_reals: vec![0.0; 2 * job.program.n_reals],
        ..TickLog::default()
    }
}

/// Runs tick 7, which keeps a row, and gives the number of the tick after it.
fn tick_seven(code: &dyn TickCode, reals: &mut [f64], bits: &mut [u8], log: &mut TickLog) -> u64 {
    let mut stretch = TickBatch {
        reals,
        bits,
        lines: &mut [],
        tick: 7,
        end: 8,
        every: 8,
        times: Times { tick: 0, time: 0.0 },
        log,
        stopped: false,
        finite: true,
    };
    code.run(&mut stretch);
    stretch.tick
}

#[test]
fn every_operation_is_that_of_the_table_on_special_values() {
    let run = every_operation();
    let job = run.tick_job();
    let (program, tape) = (&job.program, &job.program.tape);
    // Lookups are compared where tables have them, gates, continued angles and limits of powers where modes do.
    let elsewhere = [
        Code::Push,
        Code::Solve,
        Code::Due,
        Code::Lookup,
        Code::Entry,
        Code::Spline,
        Code::Gate,
        Code::Angle,
        Code::PowerBase,
    ];
    let untested: Vec<&str> = (Code::ALL.iter())
        .filter(|code| !elsewhere.contains(code) && tape.ops.iter().all(|op| op.code != **code))
        .map(|code| code.name())
        .collect();
    assert_eq!(untested, [""; 0]);
    for layout in [Layout::Loop, Layout::Parts(5), Layout::Parts(10_000)] {
        let options = Options {
            layout,
            ..Options::default()
        };
        let code = compile(&job, &options).expect("this machine is supported");
        let mut log = room(&job);
        let mut number = 0_u64;
        for a in SPECIAL {
            for b in SPECIAL {
                let mut reals: Vec<f64> = run.slots().to_vec();
                reals.truncate(tape.n_slots as usize);
                (reals[0], reals[1]) = (a, b);
                // Bits of all kinds, always the same.
                number = number
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1);
                let mut words: Vec<u8> = (0..tape.n_bits)
                    .map(|bit| u8::from(number >> (bit % 60 + 3) & 1 == 1))
                    .collect();
                words[program.start_bit as usize] = 0;
                let (mut expected, mut expected_bits) = (reals.clone(), words.clone());
                expected[program.clock.time.index()] = 7.0 * 0.125;
                by_the_table(
                    tape,
                    &tape.ops[job.tick()],
                    &mut expected,
                    &mut expected_bits,
                );
                let end = tick_seven(&*code, &mut reals, &mut words, &mut log);
                assert_eq!((end, log.n_rows), (8, 1));
                for slot in 0..program.n_reals {
                    let (found, known) = (reals[slot], expected[slot]);
                    let name = &run.model().reals[slot].name;
                    assert_eq!(
                        bits(found),
                        bits(known),
                        "{name} of {a} and {b}: {found}, not {known} ({layout:?})"
                    );
                    assert_eq!(bits(log.row_reals[slot]), bits(known));
                }
                assert_eq!(words, expected_bits, "booleans of {a} and {b} ({layout:?})");
            }
        }
    }
}

/// A force of two springs, of which a condition each chooses, in sums and differences.
fn springs() -> TickRun {
    let mut table = ModelBuilder::new("springs");
    let d = table.real("d", 0.0);
    let [soft, hard, pull] =
        [("soft", 0.1), ("hard", 0.7), ("pull", -0.3)].map(|(name, x)| table.constant(name, x));
    let [force, sum, other_sum, less, rest, speed] =
        ["force", "sum", "other sum", "less", "rest", "speed"].map(|name| table.real(name, 0.0));
    let below = table.range("below", [(d.into(), CompareOp::Less, (-1.0).into())]);
    let above = table.range("above", [(d.into(), CompareOp::Greater, 1.0.into())]);
    table.relation(force, "assignment", [0.0]);
    for (spring, guard) in [(soft, below), (hard, above)] {
        table
            .relation(force, "product", [Term::from(spring), d.into()])
            .when([guard.into()]);
    }
    table.relation(sum, "sum", [Term::from(force), pull.into()]);
    table.relation(other_sum, "sum", [Term::from(pull), force.into()]);
    table
        .relation(less, "sum", [Term::from(force), pull.into()])
        .coef2(-1.0);
    table
        .relation(rest, "sum", [Term::from(pull), force.into()])
        .coef2(-1.0);
    table.relation(speed, "integral", [force]);
    let clock = Clock {
        step: Some(0.1),
        stop: Some(1e6),
        ..Clock::default()
    };
    let RunConfig::Ticks(config) = RunConfig::from_clock(&clock).expect("a clock is given") else {
        panic!("ticks are the default");
    };
    let config = TickConfig::clone(&config);
    TickRun::new(Arc::new(table.build().expect("valid")), config).expect("starts")
}

#[test]
fn fast_math_contracts_the_product_that_a_condition_chooses() {
    let run = springs();
    let job = run.tick_job();
    let has_fma = crate::has_fma(&crate::isa().expect("this machine is supported"));
    let add_product = |x: f64, y: f64, z: f64| if has_fma { x.mul_add(y, z) } else { x * y + z };
    for layout in [Layout::Loop, Layout::Parts(10_000)] {
        let options = Options {
            layout,
            fast_math: true,
        };
        let code = compile(&job, &options).expect("this machine is supported");
        let mut log = room(&job);
        let mut n_changed = 0;
        for d in (-40..=40).map(|k| f64::from(k) * 0.13) {
            let mut reals: Vec<f64> = run.slots().to_vec();
            reals.truncate(job.program.tape.n_slots as usize);
            reals[0] = d;
            let mut words = vec![0; job.program.tape.n_bits as usize];
            tick_seven(&*code, &mut reals, &mut words, &mut log);
            let spring = match d {
                d if d < -1.0 => 0.1,
                d if d > 1.0 => 0.7,
                _ => 0.0,
            };
            let sum = add_product(spring, d, -0.3);
            let less = add_product(spring, d, 0.3);
            let rest = add_product(-spring, d, -0.3);
            let value = |name: &str| {
                let real = run.model().reals.iter().position(|real| real.name == name);
                reals[real.expect("it exists")]
            };
            let found = ["force", "sum", "other sum", "less", "rest"].map(value);
            assert_eq!(found, [spring * d, sum, sum, less, rest], "{d} {layout:?}");
            assert_eq!(value("speed"), add_product(spring * d, 0.1, 0.0));
            n_changed += u32::from(sum != spring * d - 0.3);
        }
        assert_eq!(n_changed > 5, has_fma, "{n_changed}");
    }
}
