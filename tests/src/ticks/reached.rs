//! Functions that jump where a time is reached, asked about times that ticks miss by rounding only: held against counts
//! in whole numbers, against the second tick run, and native code and lanes against both.

use situ_engine::model::{IntegralRule, Scan};

use super::oracle::Oracle;
use crate::engines::{lanes, native};
use crate::tables::{Run, Table, column};

const TICKS: i64 = 5000;

/// Ticks of a tenth. What each real is, tick by tick, is [`known`].
const TENTHS: &str = r#"(format: 1, clock: (step: 0.1, stop: 500), constants: {"T": 0.7, "three": 3},
    lookups: {
        "P": (x: [0, 0.3, 0.7], y: [0, 3, 9], kind: "previous", outside: "periodic"),
        "Q": (x: [0.2, 0.5, 0.9], y: [2, 5, 9], kind: "previous", outside: "periodic"),
        "S": (x: [0.2, 0.9], y: [0, 7], outside: "periodic"),
        "N": (x: [0, 1.4], y: [1, 2], kind: "nearest", outside: "hold"),
        "E": (x: [0, 0.3, 500], y: [1, 2, 3], kind: "previous"),
        "C": (x: [0, 0.1, 0.5, 0.7], y: [0, 1, 5, 7], kind: "pchip", outside: "periodic"),
    },
    reals: {"x": 0, "f": 0, "m": 0, "shifted": 0, "falling": 0, "whole": 0, "fast": 0, "p": 0, "q": 0, "s": 0, "n": 0,
        "e": 0, "c": 0, "twice": 0, "sum": 0},
    relations: ["f = floor(time / T)", "m = mod(time, T)", "shifted = mod(time - 0.3, T)",
        "falling = mod(three - time, T)", "whole = floor((three - time) / T)", "fast = mod(2 * time + 0.1, 0.7)",
        "p = P(time)", "q = Q(time - 0.4)", "s = S(time)", "n = N(time)", "e = E(time)", "c = C(time)",
        "twice = floor(10 * mod(time, 0.7))", "sum = integral(P(time) + mod(time, T))", "x = integral(1 + 0 * x)"])"#;

/// What a tick that begins after so many others computes, from whole numbers.
fn known(n: i64) -> [(&'static str, f64); 13] {
    let tenths = |tenths: i64| f64::from(i32::try_from(tenths).unwrap()) / 10.0;
    let whole = |whole: i64| 10.0 * tenths(whole);
    let phase = |n: i64| n.rem_euclid(7);
    [
        ("f", whole(n / 7)),
        ("m", tenths(phase(n))),
        ("shifted", tenths(phase(n - 3))),
        ("falling", tenths(phase(30 - n))),
        ("whole", whole((30 - n).div_euclid(7))),
        ("fast", tenths(phase(2 * n + 1))),
        ("p", if phase(n) < 3 { 0.0 } else { 3.0 }),
        ("q", if phase(n - 6) < 3 { 2.0 } else { 5.0 }),
        ("s", whole(phase(n - 2))),
        ("n", if n < 7 { 1.0 } else { 2.0 }),
        ("e", if n < 3 { 1.0 } else { 2.0 }),
        ("c", whole(phase(n))),
        ("twice", whole(phase(n))),
    ]
}

/// The second tick run has the bits of a run.
fn agrees_with_oracle(run: &Run, ticks: usize) {
    let model = &run.table.model;
    let mut oracle = Oracle::new(model, Scan::Sequential, IntegralRule::Rectangle, 0.1);
    let mut engine = run.simulation();
    for tick in 0..ticks {
        engine.advance(1).unwrap();
        oracle.step();
        let bits = |values: &[f64]| -> Vec<u64> { values.iter().map(|x| x.to_bits()).collect() };
        let found = engine.row().reals;
        assert_eq!(bits(found), bits(&oracle.reals), "tick {tick}");
    }
}

#[test]
fn what_jumps_at_a_time_has_jumped_where_ticks_reach_it() {
    let run = Table::from_text(TENTHS).into_run();
    let trace = run.trace();
    let course = |name: &str| column(&run.table.model, &trace, name).unwrap();
    for (at, (name, _)) in known(0).into_iter().enumerate() {
        let found = course(name);
        for n in 0..TICKS {
            let (found, known) = (found[usize::try_from(n).unwrap() + 1], known(n)[at].1);
            assert!((found - known).abs() < 1e-9, "{name}, {n}: {found} {known}");
        }
    }
    let sum = (0..TICKS).map(|n| 0.1 * (known(n)[1].1 + known(n)[6].1));
    let found = *course("sum").last().unwrap();
    assert!((found - sum.sum::<f64>()).abs() < 1e-8, "{found}");
    agrees_with_oracle(&run, usize::try_from(TICKS).unwrap());
}

#[test]
fn native_code_and_lanes_reach_the_same_times() {
    let run = Table::from_text(TENTHS).into_run();
    assert!(native::agrees(&run.table.model, &run.config) > 0);
    assert!(lanes::agrees(&run.table.model, &run.config, 80, 1) > 0);
}

/// A lookup that ends is asked up to its end, and where rounding has taken a tick beyond it.
#[test]
fn steps_that_end_hold_up_to_their_end() {
    for (step, end) in [(0.3, 0.9), (0.1, 0.3), (0.1, 0.7), (0.7, 2.1)] {
        let text = format!(
            r#"(format: 1, clock: (step: {step}, stop: {end}), lookups: {{"P": (x: [0, {end}], y: [1, 2],
            kind: "previous", outside: "error")}}, reals: {{"p": 0}}, relations: ["p = P(time + {step})"])"#
        );
        let run = Table::from_text(&text).into_run();
        let p = column(&run.table.model, &run.trace(), "p").unwrap();
        let (last, before) = p.split_last().unwrap();
        assert_eq!(*last, 2.0, "{step} {end}");
        assert!(before[1..].iter().all(|p| *p == 1.0), "{step} {end}: {p:?}");
    }
}

/// A number that is short of a jump by more than rounding has not reached it, and what does not jump keeps its bits.
#[test]
fn other_numbers_are_as_they_are() {
    let text = r#"(format: 1, clock: (step: 0.1, stop: 1), lookups: {"L": (x: [0, 0.3, 9], y: [0, 0.3, 9]),
            "P": (x: [0, 0.3], y: [1, 2], kind: "previous", outside: "hold")},
        reals: {"t": 0, "m": 0, "r": 0, "l": 0, "n": 0, "p": 0},
        relations: ["t = time", "m = mod(t, 0.3)", "r = mod(time, 5)", "l = L(time)",
            "n = floor(time * 10 - 1e-12)", "p = P(time - 1e-12)"])"#;
    let run = Table::from_text(text).into_run();
    let trace = run.trace();
    let course = |name: &str| column(&run.table.model, &trace, name).unwrap();
    assert_eq!(course("r"), course("t"));
    assert_eq!(
        course("n")[2..],
        [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]
    );
    assert_eq!(course("p")[1..6], [1.0, 1.0, 1.0, 1.0, 2.0]);
    // What a row has stored is a number like any other.
    let short: Vec<f64> = course("t").iter().map(|t| t.rem_euclid(0.3)).collect();
    assert_eq!(course("m"), short);
}
