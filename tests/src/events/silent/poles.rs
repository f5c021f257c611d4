//! Comparisons that jump over their limits at poles: what follows behind one is found, by closed forms.

use std::f64::consts::{E, FRAC_PI_2, FRAC_PI_4, LN_2, PI};

use situ_engine::Method;
use situ_engine::model::Clock;
use situ_engine::sim::{EventConfig, EventRun};
use situ_engine::trace::Measure;

use super::without_values::holds;
use super::{ADAPTIVE, clock, ends_at, last, written};
use crate::tables::Table;

const RISES: &str = "integral(1)";

#[test]
fn quotients_come_back_behind_their_poles() {
    for (comparison, known) in [
        ("1 / (x - 1) > 0.5", [2.0, 1.0, 1.0]),
        ("1 / (x - 1) < 0.5", [8.0, 1.0, 0.0]),
        ("1 / (1 - x) > 0.5", [1.0, 0.0, 0.0]),
        ("x / (x - 1) > 2", [1.0, 1.0, 1.0]),
        ("(x - 1) / (3 - x) > 1", [1.0, 1.0, 2.0]),
        ("(x - 2) / (x - 1) < 0", [1.0, 1.0, 1.0]),
        ("1 / (x - 1) > 1000", [0.001, 1.0, 1.0]),
        ("(x - 1) ^ (-1) > 0.5", [2.0, 1.0, 1.0]),
        ("(x - 1) ^ (-3) > 8", [0.5, 1.0, 1.0]),
        ("1 / (time - 1) > 0.5", [2.0, 1.0, 1.0]),
        // From pole to pole.
        ("1 / (x - 1) - 1 / (x - 2) > 3", [1.0, 1.0, 1.0]),
    ] {
        holds(0.0, RISES, comparison, known);
    }
    let root = 5.0_f64.sqrt();
    let twice = [root - 1.0, 2.0, 0.5 * (3.0 - root)];
    holds(0.0, RISES, "1 / ((x - 1) * (x - 2)) > 1", twice);
}

#[test]
fn other_functions_come_back_behind_their_poles() {
    for (comparison, known) in [
        ("tan(x) > 1", [3.0 * FRAC_PI_4, 3.0, FRAC_PI_4]),
        ("1 / ln(x) > 2", [E.sqrt() - 1.0, 1.0, 1.0]),
        ("1 / (sqrt(x) - 1) > 2", [1.25, 1.0, 1.0]),
        (
            "1 / (exp(x) - 3) > 0.2",
            [(8.0_f64 / 3.0).ln(), 1.0, 3.0_f64.ln()],
        ),
        // A jump, and one to infinity.
        ("atan(1 / (x - 1)) > 0.5", [1.0 / 0.5_f64.tan(), 1.0, 1.0]),
        ("exp(1 / (x - 1)) > 2", [1.0 / LN_2, 1.0, 1.0]),
    ] {
        holds(0.0, RISES, comparison, known);
    }
}

#[test]
fn poles_without_a_change_of_sign_are_passed() {
    for (comparison, known) in [
        ("1 / abs(x - 1) > 4", [0.5, 1.0, 0.75]),
        ("1 / (x - 1) ^ 2 > 4", [1.0, 1.0, 0.5]),
        ("(x - 1) ^ (-2) > 4", [1.0, 1.0, 0.5]),
        ("x / abs(x - 1) > 3", [0.75, 1.0, 0.75]),
    ] {
        holds(0.0, RISES, comparison, known);
    }
}

#[test]
fn poles_are_passed_from_above() {
    let root = E.sqrt();
    for (comparison, known) in [
        ("1 / (x - 1) > 0.5", [2.0, 1.0, 5.0]),
        ("1 / (x - 1) ^ 3 > 8", [0.5, 1.0, 6.5]),
        ("(x - 1) / (3 - x) > 1", [1.0, 1.0, 5.0]),
        ("1 / ln(x) > 2", [root - 1.0, 1.0, 8.0 - root]),
        ("tan(x) > 1", [FRAC_PI_4 + 2.0, 4.0, 8.0 - 5.0 * FRAC_PI_2]),
    ] {
        holds(8.0, "integral(-1)", comparison, known);
    }
}

/// x = 0.1 + sin(t) goes to and fro over the pole.
#[test]
fn poles_are_passed_again_and_again() {
    let [below, above] = [0.1_f64, 1.0 / 3.0 - 0.1].map(f64::asin);
    let known = [above + 3.0 * (below + above), 3.0, 0.0];
    holds(0.1, "integral(cos(time))", "1 / x > 3", known);
}

#[test]
fn what_acts_up_to_a_pole_does_so_by_every_method() {
    for (start, row, range, stop, exact) in [
        (0.0, RISES, "1 / (x - 1) > 0.5", 4.0, 2.0),
        (0.0, RISES, "1 / abs(x - 1) > 4", 4.0, 0.5),
        (3.3, "integral(-1)", "(x - 1) / (3 - x) > 1", 4.0, 1.0),
        (0.0, RISES, "tan(x) > 1", 4.0, 4.0 - PI),
    ] {
        let reals = format!(r#""x": {start}, "w": 0"#);
        let relations = format!(r#""x = {row}", "w = integral(1) when p""#);
        let table = written(&reals, &format!(r#""p: {range}""#), &relations);
        for method in [
            Method::Tsit5,
            Method::Dop853,
            Method::Rodas5p,
            Method::Radau,
            Method::Bdf,
            Method::Taylor,
            Method::Gauss,
            Method::Mk21,
        ] {
            for rtol in [1e-4, 1e-6, 1e-9] {
                // One of them has steps of one length.
                let clock = Clock {
                    step: Some(0.01),
                    ..clock(stop, method, rtol)
                };
                let found = last(&table, &clock, "w");
                assert!(
                    (found - exact).abs() < 1e-9,
                    "{range} {method:?} {rtol}: {found} {exact}"
                );
            }
        }
    }
}

/// A pole that lies behind an event, or behind the stop, is never reached, however long the steps are.
#[test]
fn poles_behind_what_happens_before_them() {
    let car = written(
        r#""v": 30, "T": 300"#,
        r#""moves: v > 0.5""#,
        r#""v = integral(-3) when moves", "T = integral(1e-4 / v) when moves""#,
    );
    ends_at(&car, 20.0, "T", 300.0 + 1e-4 / 3.0 * 60.0_f64.ln(), 1e-5);
    let early = written(
        r#""x": 0, "y": 0"#,
        r#""early: x < 2""#,
        r#""x = integral(1)", "y = integral(1e-3 / (3 - x)) when early""#,
    );
    ends_at(&early, 5.0, "y", 1e-3 * 3.0_f64.ln(), 1e-6);
    let stopped = written(
        r#""x": 0, "y": 0"#,
        "",
        r#""x = integral(1)", "y = integral(1e-3 / (3 - x))""#,
    );
    ends_at(&stopped, 1.0, "y", 1e-3 * 1.5_f64.ln(), 1e-6);
}

/// Where a size turns, rounding leaves nothing of what a pole behind it makes of it; the kink around that comes back.
#[test]
fn kinks_come_back_behind_poles() {
    let power = 3.3_f64.ln() + 2.0 + 5.7_f64.ln();
    let root = 2.0 * (1.1_f64.sqrt() + 1.9_f64.sqrt()) - 2.0 / 3.0;
    let log = |end: f64| end * (end.ln() - 1.0) + (-3.0_f64).exp();
    for (row, known) in [
        ("min(1 / (abs(1.1 - y) + 1e-20), 3)", power),
        ("min(1 / (abs(y - 1.1) + 1e-16), 3)", power),
        ("min(1 / (max(y - 1.1, 0) + 1e-17), 3)", 4.3 + 5.7_f64.ln()),
        (
            "clamp(1 / (abs(y - 1.1) + 1e-17), 1, 3)",
            3.0 + 2.0 * 3.0_f64.ln(),
        ),
        ("min(1 / sqrt(abs(y - 1.1) + 1e-16), 3)", root),
        ("max(ln(abs(y - 1.1) + 1e-17), -3)", log(1.1) + log(1.9)),
        ("sign(1 / (abs(y - 1.1) + 1e-17) - 3)", -5.0 / 3.0),
        // Its sign changes at the pole, too.
        ("sign(1 / (y - 1.1) - 3)", -7.0 / 3.0),
        ("sign(1 / (1.1 - y) - 3)", -7.0 / 3.0),
    ] {
        let relations = format!(r#""y = {RISES}", "c = {row}", "w = integral(c)""#);
        let table = written(r#""y": 0, "c": 0, "w": 0"#, "", &relations);
        ends_at(&table, 3.0, "w", known, 2e-6);
    }
}

/// An event that puts a state exactly where a size turns: the kink around a pole there takes the side of its value.
#[test]
fn events_put_a_state_onto_a_pole() {
    let log = |end: f64| end * (end.ln() - 1.0);
    let before = log(4.9) - log(3.9);
    let behind = log(2.0) + (-3.0_f64).exp();
    for (row, known) in [
        ("max(ln(abs(y - 1.1) + 1e-17), -3)", before + behind),
        (
            "min(1 / (abs(y - 1.1) + 1e-20), 3)",
            (4.9_f64 / 3.9).ln() + 1.0 + 6.0_f64.ln(),
        ),
    ] {
        let table = Table::from_text(&format!(
            r#"(format: 1, name: "silent", reals: {{"y": 5, "c": 0, "w": 0}}, ranges: ["late: time >= 1"],
            situations: ["event e: late"], relations: ["y = integral(1)", "y := 1.1 when e", "c = {row}", "w = integral(c)"])"#
        ));
        ends_at(&table, 3.0, "w", known, 2e-6);
    }
}

/// Where a size turns rounding leaves the state beyond it, where the size would be negative: its reciprocal is not.
#[test]
fn reciprocals_of_sizes_keep_their_signs() {
    for (row, least) in [
        ("1 / max(abs(1.1 - y), 1e-20)", 1.0 / 1.6),
        ("1 / (abs(y - 1.1) + 1e-20)", 1.0 / 1.6),
        ("-1 / (-abs(y - 1.1) - 1e-20)", 1.0 / 1.6),
        ("1 / (max(y - 1.1, 0) + 1e-17)", 1.0 / 1.6),
    ] {
        let relations = format!(r#""y = integral(0.9)", "u = {row}""#);
        let mut table = written(r#""y": 0, "u": 1"#, "", &relations);
        let value = table.expr("u");
        for method in ADAPTIVE {
            let config = EventConfig::from_clock(&clock(3.0, method, 1e-6)).unwrap();
            let measure = [Measure::Min(value)];
            let mut run = EventRun::with_measures(table.model.clone(), config, &measure).unwrap();
            run.run(&mut ()).unwrap();
            let found = run.measured()[0].unwrap();
            assert!((found - least).abs() < 1e-6, "{method:?} {row}: {found}");
        }
    }
}
