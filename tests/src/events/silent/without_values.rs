//! Comparisons that do not have a value everywhere: they do not hold where they have none, and the edge of their domain is
//! an event. As ranges and as conditions of measures, by closed forms.

use std::f64::consts::TAU;

use situ_engine::model::Clock;
use situ_engine::sim::{EventConfig, EventRun};
use situ_engine::trace::Measure;
use situ_engine::{Locate, Method};

use super::{ADAPTIVE, Kind, clock, measures};
use crate::tables::Table;

/// A table whose motion is `row`, with an event for the comparison that counts.
fn counted(start: f64, row: &str, comparison: &str) -> Table {
    Table::from_text(&format!(
        r#"(format: 1, reals: {{"x": {start}, "n": 0}}, ranges: ["r: {comparison}"], situations: ["event e: r"],
            relations: ["x = {row}", "n := n + 1 when e"])"#
    ))
}

/// For how long the comparison holds up to 10, how often, and when first; read as a range, and as a condition only.
#[track_caller]
pub(super) fn holds(start: f64, row: &str, comparison: &str, [duration, count, first]: [f64; 3]) {
    for condition in ["r", comparison] {
        let mut table = counted(start, row, comparison);
        let wanted = [Measure::Duration as Kind, Measure::Count, Measure::First];
        let wanted = wanted.map(|measure| (measure, condition));
        measures(&mut table, 10.0, &wanted, &[duration, count, first]);
    }
    // Nothing in the model reads it.
    let mut table = Table::from_text(&format!(
        r#"(format: 1, reals: {{"x": {start}}}, relations: ["x = {row}"])"#
    ));
    let wanted = [Measure::Duration as Kind, Measure::Count, Measure::First];
    let wanted = wanted.map(|measure| (measure, comparison));
    measures(&mut table, 10.0, &wanted, &[duration, count, first]);
}

#[test]
fn a_root_begins_and_ends() {
    // It grows through the edge, through the limit.
    holds(0.0, "integral(0.2)", "sqrt(x - 1) <= 0.5", [1.25, 1.0, 5.0]);
    holds(
        0.3,
        "integral(0.2)",
        "sqrt(x - 0.5) > 0.5",
        [7.75, 1.0, 2.25],
    );
    holds(-0.3, "integral(0.2)", "x ^ 0.5 > 1", [3.5, 1.0, 6.5]);
    // The limit is the value at the edge.
    holds(0.0, "integral(0.2)", "sqrt(x - 1) > 0", [5.0, 1.0, 5.0]);
    // Out of the domain between 1 and 2, beyond 0.2 from (3 + sqrt(1.16)) / 2 on.
    let far = 5.0 * (0.5 * (3.0 + 1.16_f64.sqrt()) - 1.3);
    let rises = "integral(0.2)";
    holds(
        1.3,
        rises,
        "sqrt((x - 1) * (x - 2)) > 0.2",
        [10.0 - far, 1.0, far],
    );
    holds(
        1.3,
        rises,
        "sqrt((x - 1) * (x - 2)) < 0.2",
        [far - 3.5, 1.0, 3.5],
    );
}

/// A power has values below 0 while its exponent is whole, also if that is no constant.
#[test]
fn powers_have_values_below_zero_while_their_exponents_are_whole() {
    let from = 5.0 * (1.0 - 0.25_f64.powf(0.4));
    for (p, row, comparison, known) in [
        (
            2.0,
            "p := 3 when every(20)",
            "x ^ p <= 0.25",
            [5.0, 1.0, 2.5],
        ),
        (
            2.0,
            "p := 3 when every(20)",
            "x ^ p > 0.25",
            [5.0, 1.0, 0.0],
        ),
        (
            2.0,
            "p := 3 when every(6)",
            "x ^ p <= 0.25",
            [7.5, 1.0, 2.5],
        ),
        (
            2.0,
            "p := 2.5 when every(6)",
            "x ^ p <= 0.25",
            [3.5, 1.0, 2.5],
        ),
        (
            2.5,
            "p := 2 when every(6)",
            "x ^ p <= 0.25",
            [6.5 - from, 2.0, from],
        ),
        (
            3.0,
            "p = 4 when late",
            "x ^ (p - 1) <= 0.25",
            [7.0, 2.0, 2.5],
        ),
        (3.0, "p = 2.5 when late", "x ^ p >= -0.25", [8.0, 0.0, 0.0]),
        (
            -1.0,
            "p := 3 when every(20)",
            "x ^ p <= -2",
            [2.5, 1.0, 5.0],
        ),
    ] {
        let mut table = Table::from_text(&format!(
            r#"(format: 1, reals: {{"x": 1, "p": {p}}}, ranges: ["r: {comparison}", "late: time >= 8"],
                relations: ["x = integral(-0.2)", "{row}"])"#
        ));
        let wanted = [Measure::Duration as Kind, Measure::Count, Measure::First];
        let wanted = wanted.map(|measure| (measure, "r"));
        measures(&mut table, 10.0, &wanted, &known);
    }
}

#[test]
fn a_root_begins_again_and_again() {
    // x - 1 = cos(t): below 0.25 and not negative from acos(0.25) to a quarter turn, and back.
    let (narrow, quarter) = (0.25_f64.acos(), 0.25 * TAU);
    let below = quarter - narrow;
    holds(
        2.0,
        "1 + cos(time)",
        "sqrt(x - 1) < 0.5",
        [3.0 * below, 3.0, narrow],
    );
    let lit = 0.3_f64.asin();
    let bright = 0.55_f64.asin();
    let dim = 4.0 * (bright - lit);
    holds(
        0.0,
        "integral(1)",
        "sqrt(sin(time) - 0.3) <= 0.5",
        [dim, 4.0, lit],
    );
    let shines = 2.0 * (0.5 * TAU - 2.0 * bright);
    holds(
        0.0,
        "integral(1)",
        "sqrt(sin(time) - 0.3) > 0.5",
        [shines, 2.0, bright],
    );
}

#[test]
fn logarithms_and_arcs_begin() {
    let from = (1.0 + (-1.0_f64).exp() - 0.3) / 0.2;
    holds(
        0.3,
        "integral(0.2)",
        "ln(x - 1) > -1",
        [10.0 - from, 1.0, from],
    );
    // x = sin(t): the root of 0.3 to that of 0.3 + 1 / e, in each quarter turn.
    let [edge, limit] = [0.3_f64, 0.3 + (-1.0_f64).exp()].map(|square| square.sqrt().asin());
    let spans = 6.0 * (limit - edge);
    holds(
        0.0,
        "integral(cos(time))",
        "ln(x ^ 2 - 0.3) < -1",
        [spans, 6.0, edge],
    );
    let from = 5.0 * (0.5_f64.sin() + 1.2);
    holds(
        -1.2,
        "integral(0.2)",
        "asin(x) > 0.5",
        [10.0 - from, 1.0, from],
    );
    let from = 2.0 * (1.0_f64.cos() + 2.0);
    holds(
        -2.0,
        "integral(0.5)",
        "acos(x) <= 1",
        [6.0 - from, 1.0, from],
    );
}

/// Steps, kinks and remainders of functions that begin: x grows to 10 with speed 1.
#[test]
fn what_stands_over_a_function_that_begins() {
    let rises = |comparison: &str, exact| holds(0.0, "integral(1)", comparison, exact);
    rises("floor(sqrt(x - 1)) >= 1", [8.0, 1.0, 2.0]);
    // Five steps of 0.5 and the sixth from 2.7 on: each from 0.2 on.
    let steps = (0..6).map(|k| 0.5 * f64::from(k));
    let spans = steps.map(|low| (low + 0.5_f64).powi(2) - (low + 0.2).powi(2));
    rises("mod(sqrt(x - 1), 0.5) > 0.2", [spans.sum(), 6.0, 1.04]);
    rises("sqrt(max(x - 1, 0)) > 0", [9.0, 1.0, 1.0]);
    rises("max(x - 1, 0) ^ 1.5 > 0", [9.0, 1.0, 1.0]);
    rises("sqrt(abs(x - 1) + x - 1) > 0", [9.0, 1.0, 1.0]);
    // asin(2 - x) falls from a quarter turn at 1 to the negative of it at 3.
    let part = 0.5_f64.sin();
    rises("abs(asin(2 - x)) < 0.5", [2.0 * part, 1.0, 2.0 - part]);
    rises("max(asin(2 - x), 0) < 0.5", [1.0 + part, 1.0, 2.0 - part]);
    // acos(x - 2) falls from half a turn to 0.
    rises("sqrt(acos(x - 2)) > 0.5", [0.25_f64.cos() + 1.0, 1.0, 1.0]);
    rises("sqrt(2 - sqrt(x - 1)) > 0.5", [1.75 * 1.75, 1.0, 1.0]);
    // A root of an arc sine, which begins at 3 already and is negative up to 2.
    let turn = |y: f64| 2.0 - y.sin();
    let falls = |comparison: &str, exact| holds(4.0, "integral(-1)", comparison, exact);
    let low = 0.65_f64.powi(2).sin();
    falls(
        "sqrt(asin(2 - x)) > 0.65",
        [1.0 - low, 1.0, 4.0 - turn(0.65_f64.powi(2))],
    );
    let low = 0.65_f64.powi(4).sin();
    falls(
        "sqrt(sqrt(asin(2 - x))) > 0.65",
        [1.0 - low, 1.0, 2.0 + low],
    );
}

/// Steps of arcs that begin and end again and again: sin(2 t) + 0.165 lies between the cosine of 1 / 3 and 1 seven times.
#[test]
fn steps_of_an_arc_that_comes_and_goes() {
    let limit = (1.0_f64 / 3.0).cos();
    let [from, to] = [limit, 1.0].map(|cosine| 0.5 * (cosine - 0.165).asin());
    holds(
        0.0,
        "integral(1)",
        "floor(3 * acos(sin(2 * x) + 0.165)) <= 0.9",
        [7.0 * (to - from), 7.0, from],
    );
}

/// Saw teeth from -0.5 to 1, the first from 0.8 to 2.3, the last up to 0.5: each enters the domain by itself and leaves it
/// by a jump.
#[test]
fn jumps_out_of_a_domain() {
    let bright = 1.5 + 5.0 * (1.0 - (-0.5_f64).exp());
    for (comparison, exact) in [
        ("ln(x) > -0.5", [bright, 5.0]),
        ("sqrt(x) <= 0.5", [6.0 * 0.25, 6.0]),
    ] {
        let mut table = Table::from_text(&format!(
            r#"(format: 1, reals: {{"x": 0.8}}, ranges: ["r: {comparison}"],
                relations: ["x = integral(1)", "x := -0.5 when every(1.5)"])"#
        ));
        for condition in ["r", comparison] {
            let wanted = [Measure::Duration as Kind, Measure::Count];
            measures(
                &mut table,
                10.0,
                &wanted.map(|measure| (measure, condition)),
                &exact,
            );
        }
    }
}

/// Each way of location that sees the way through a step, and every method.
#[test]
fn one_sided_location_does_not_leave_the_domain() {
    // Values begin, and end where the slope is infinite.
    let arc = 1.0 - 0.2_f64.sin();
    for (comparison, held) in [
        ("sqrt(x - 1) <= 0.5", 1.25),
        ("asin(x - 0.5) > 0.2", 5.0 * arc),
    ] {
        for method in ADAPTIVE {
            let mut table = counted(0.0, "integral(0.2)", comparison);
            let clock = Clock {
                locate: Some(Locate::OneSided),
                ..clock(10.0, method, 1e-6)
            };
            let wanted = [
                Measure::Duration(table.watch("r")),
                Measure::Count(table.watch("r")),
            ];
            let config = EventConfig::from_clock(&clock).unwrap();
            let mut run = EventRun::with_measures(table.model.clone(), config, &wanted).unwrap();
            run.run(&mut ()).unwrap();
            let found: Vec<f64> = run.measured().into_iter().map(Option::unwrap).collect();
            assert!(
                (found[0] - held).abs() < 1e-6 && found[1] == 1.0,
                "{comparison} {method:?}: {found:?}"
            );
        }
    }
    let mut table = counted(0.0, "integral(0.2)", "sqrt(x - 1) <= 0.5");
    let stop = table.watch("sqrt(x - 1) > 0.25");
    table.model.clock.stop_when = Some(stop);
    let config = EventConfig::from_clock(&clock(10.0, Method::Auto, 1e-9)).unwrap();
    let mut run = EventRun::new(table.model, config).unwrap();
    run.run(&mut ()).unwrap();
    assert!((run.time() - 5.3125).abs() < 1e-9, "{}", run.time());
}

/// Where the motion stays on the edge the comparison has its value there, and it has had it on the way: nothing changes.
#[test]
fn a_tank_that_has_run_dry_is_at_the_edge() {
    for (reals, relations, dry, slow) in [
        (r#""h": 1"#, r#""h = integral(-1) when wet""#, 1.0, 0.75),
        (r#""h": 1"#, r#""h = integral(-sqrt(h))""#, 2.0, 1.0),
        (
            r#""h": 1, "out": 0"#,
            r#""out = sqrt(h) when wet", "out = 0 otherwise", "h = integral(-out)""#,
            2.0,
            1.0,
        ),
    ] {
        let mut table = Table::from_text(&format!(
            r#"(format: 1, reals: {{{reals}}}, ranges: ["wet: h > 0", "slow: sqrt(h) <= 0.5"], relations: [{relations}])"#
        ));
        for condition in ["slow", "sqrt(h) <= 0.5"] {
            let wanted = [Measure::Duration as Kind, Measure::Count, Measure::First];
            let wanted = wanted.map(|measure| (measure, condition));
            measures(
                &mut table,
                dry + 2.0,
                &wanted,
                &[dry + 2.0 - slow, 1.0, slow],
            );
        }
    }
}
