//! Kinks, and loops through them.

use situ_engine::Method;
use situ_engine::model::IntegralRule;
use situ_engine::trace::Measure;

use super::{ADAPTIVE, Kind, clock, ends_at, last, measures, rows, table, written};
use crate::tables::Table;

#[test]
fn a_delay_beside_an_affine_model() {
    ends_at(&table("1_delay_panic"), 2.0, "a", (-1.73_f64).exp(), 1e-7);
}

#[test]
fn kinks_in_the_arguments_of_kinks() {
    ends_at(&table("2_floor_of_kink"), 0.2, "a", 0.5, 1e-12);
    ends_at(&table("2b_hysteresis_of_two_kinks"), 1.0, "a", 0.0, 0.0);
    for (start, stop, row, known) in [
        (-1.7, 0.2, "floor(max(x, -3 * x))", 4.0),
        (-1.7, 0.2, "floor(clamp(x, -1, 1) + 5.5)", 4.0),
        (-1.7, 0.2, "floor(2 + 3.3 * sign(x))", -2.0),
    ] {
        let reals = format!("\"x\": {start}, \"a\": 0");
        let relations = format!("\"x = integral(1)\", \"a = {row}\"");
        ends_at(&written(&reals, "", &relations), stop, "a", known, 0.0);
    }
}

#[test]
fn loops_through_kinks() {
    ends_at(&table("3_kink_in_loop"), 2.0, "y", 2.0 / 3.0, 1e-9);
    for (kink, known) in [("max(y, 0)", 2.0 / 3.0), ("sign(y)", 0.5)] {
        let relations = format!("\"x = integral(1)\", \"y = x - 0.5 * {kink}\"");
        let table = written("\"y\": -2, \"x\": -1", "", &relations);
        ends_at(&table, 2.0, "y", known, 1e-9);
        if kink == "sign(y)" {
            ends_at(&table, 1.25, "y", 0.0, 1e-9);
        }
    }
    // Where the slide along the sign begins and ends rounding decides which branch the values ask for.
    for (start, rate, jump) in [
        (0.49, "-2.5009 * cos(1.3 * time)", 1.23815),
        (0.19, "2.7383 * cos(1.3 * time)", 0.795),
        (-0.1, "2.14 * cos(1.3 * time)", 0.446),
        (1.89, "-2.2551 - 0.5 * x", 0.963),
        (-1.7, "0.9", 0.123_456),
        (-1.3, "sin(x) + 1.1", 0.7),
    ] {
        let reals = format!("\"x\": {start}, \"y\": 0");
        let relations = format!("\"x = integral({rate})\", \"y = x - {jump} * sign(y) - 0.2 * y\"");
        let table = written(&reals, "", &relations);
        for method in ADAPTIVE.into_iter().chain([Method::Rk4]) {
            let mut clock = clock(3.0, method, 1e-8);
            clock.step = (method == Method::Rk4).then_some(0.0007);
            let trace = rows(&table.model, &clock);
            let [x, y] =
                ["x", "y"].map(|name| *trace.reals[table.real(name).index()].last().unwrap());
            let known = (x.abs() - jump).max(0.0).copysign(x) / 1.2;
            assert!(
                (y - known).abs() < 1e-9,
                "{method:?} {rate}: {y}, not {known}"
            );
        }
    }
    ends_at(&table("3b_hydraulic"), 2.0, "q", -0.307_412_907_3, 1e-7);
}

#[test]
fn a_loop_that_has_one_solution_always() {
    let table = table("6_false_R006");
    for method in ADAPTIVE {
        for rtol in [1e-3, 1e-5, 1e-6, 1e-7, 1e-9] {
            let found = last(&table, &clock(2.0, method, rtol), "x");
            let off = (found - -0.389_154_777_5).abs();
            assert!(off <= 10.0 * rtol, "{method:?} {rtol}: {found}");
        }
    }
}

/// A kink that the start leaves at once: the sign of x is 1 from there on.
#[test]
fn kinks_on_which_a_run_begins() {
    let table = written(
        r#""x": 0, "n": 0"#,
        r#""p: sign(x) > 0.31""#,
        r#""x = integral(1)", "n = integral(1) when p""#,
    );
    ends_at(&table, 1.0, "n", 1.0, 1e-9);
}

/// A sign of what has come to 0 by a jump is 0; that of a hysteresis' argument is seen by it.
#[test]
fn kinks_of_values_that_jump() {
    let table = written(
        r#""y": 0, "a": 0"#,
        "",
        r#""y = integral(cos(time))", "a = sign(floor(2 * y + 0.17))""#,
    );
    ends_at(&table, 2.5, "a", 1.0, 0.0);
    ends_at(&table, 3.0, "a", 0.0, 0.0);
    let table = written(
        r#""x": -0.5, "a": 0"#,
        "",
        r#""x = integral(1)", "a = hysteresis(sign(x), -0.2, 0.28)""#,
    );
    ends_at(&table, 0.4, "a", 0.0, 0.0);
    ends_at(&table, 0.6, "a", 1.0, 0.0);
}

/// A loop through kinks that reads the past: a = y(t - 0.13) with y = -t goes down through each of its branches.
#[test]
fn a_loop_through_kinks_of_what_is_delayed() {
    let table = written(
        r#""y": 0, "a": 0, "b": 0"#,
        "",
        r#""y = integral(-1)", "a = delay(y, 0.13)", "b = a - 0.4 * clamp(b, -0.2, 0.3) + 0.2 * abs(b - 0.1)""#,
    );
    ends_at(&table, 0.23, "b", (-0.1 + 0.02) / 1.6, 1e-7);
    ends_at(&table, 0.63, "b", (-0.5 + 0.1) / 1.2, 1e-7);
}

/// A row that becomes active where the branch of a loop jumps: x is what y was, and 1.2 a + 0.3 a |a| = x goes from one
/// side of its kink to the other, at the time at which a kink of x's rate is met for the first time.
#[test]
fn a_kink_that_is_new_where_a_loop_jumps() {
    let table = written(
        r#""x": 0.017, "y": -0.83, "a": 0"#,
        r#""late: time >= 0.7", "large: x > 0.8""#,
        r#""x = integral(0.4 * cos(max(x, 0.017))) when late & !large", "y = integral(-1.6 * cos(0.33 * time))",
            "x, y := y, x when every(0.7)", "a = (x - 0.3 * a * abs(a)) / 1.2""#,
    );
    let x = -0.83 - 1.6 / 0.33 * 0.231_f64.sin() + 0.3 * 0.4 * 0.017_f64.cos();
    ends_at(
        &table,
        1.0,
        "a",
        (1.2 - (1.44 - 1.2 * x).sqrt()) / 0.6,
        1e-7,
    );
}

/// Beyond its kink a comparison of two equal numbers holds as its strictness says, reached by motion or by a jump:
/// h falls from 10 m, is reflected at 0, and at t = 3 is put to 1 m, where it stays until the end.
#[test]
fn comparisons_of_equal_branches() {
    const G: f64 = 9.81;
    let ranges = r#""low: max(h, 2) < 2", "at_most: max(h, 2) <= 2", "row: m < 2", "row_too: m <= 2", "ground: h <= 0", "late: time >= 3""#;
    let relations = r#""h := 1 when put", "v := 0 when put", "v := -v when hit", "v = integral(-9.81) when !late", "h = integral(v)", "m = max(h, 2)""#;
    let mut table = Table::from_text(&format!(
        r#"(format: 1, name: "equal", reals: {{"h": 10, "v": 0, "m": 10}}, ranges: [{ranges}],
            situations: ["event hit: ground", "event put: late"], relations: [{relations}])"#
    ));
    let from = |height: f64| (2.0 * (10.0 - height) / G).sqrt();
    // Below 2 m on the way down and up, and from the jump on.
    let below = 2.0 * (from(0.0) - from(2.0)) + 1.0;
    let above_3 = from(3.0) + (3.0 - (2.0 * from(0.0) - from(3.0)));
    let wanted: [(Kind, &str); 8] = [
        (Measure::Duration, "low"),
        (Measure::Duration, "row"),
        (Measure::Duration, "max(h, 2) < 2"),
        (Measure::Duration, "at_most"),
        (Measure::Duration, "row_too"),
        (Measure::Duration, "max(h, 2) <= 2"),
        (Measure::Duration, "max(2, h) > 2"),
        (Measure::Duration, "clamp(h, 2, 3) >= 3"),
    ];
    let known = [0.0, 0.0, 0.0, below, below, below, 4.0 - below, above_3];
    measures(&mut table, 4.0, &wanted, &known);
}

/// Kinks of what a kink has made: the outer one does not turn with the inner one.
#[test]
fn a_size_of_a_size() {
    for row in ["abs(abs(x))", "max(abs(x), -x)", "abs(max(x, -x))"] {
        let relations =
            format!("\"x = integral(-cos(time))\", \"a = {row}\", \"n = integral(1) when far\"");
        let table = written(
            r#""x": 0.5, "a": 0, "n": 0"#,
            r#""far: max(x, -x) > 0", "low: x < 0""#,
            &relations,
        );
        ends_at(&table, 1.0, "a", 1.0_f64.sin() - 0.5, 1e-7);
        ends_at(&table, 1.0, "n", 1.0, 1e-7);
    }
}

/// A row whose border is reached is on its new piece in the microstep of what happens there, as in a tick (FORMALISM
/// 10.1).
#[test]
fn rows_jump_in_the_microstep_of_their_border() {
    for (row, known) in [
        ("floor(x)", 2.0),
        ("2 * sign(x - 2)", 2.0),
        ("clamp(3 * step(2), -1, 1)", 1.0),
        ("x - mod(x, 2)", 2.0),
        ("s(x)", 7.0),
    ] {
        let table = Table::from_text(&format!(
            r#"(format: 1, name: "border", reals: {{"x": 0, "z": 0, "u": 0, "w": 0, "n": 0, "m": 0, "k": 0}},
                lookups: {{"s": (x: [0, 1, 2, 9], y: [3, 4, 7, 1], kind: previous)}},
                ranges: ["c: x >= 2"], situations: ["event e: c"],
                relations: ["x = integral(1)", "z = {row}", "u = 10 * z", "w = 2 when c",
                    "n := z when e", "m := u when e", "k := w when e"])"#
        ));
        ends_at(&table, 4.5, "n", known, 1e-12);
        ends_at(&table, 4.5, "m", 10.0 * known, 1e-11);
        ends_at(&table, 4.5, "k", 2.0, 0.0);
        let run = table.ticks(0.125, 36, 1, IntegralRule::Rectangle);
        let trace = run.trace();
        let end = |name: &str| *trace.reals[run.table.real(name).index()].last().unwrap();
        assert_eq!(
            [end("n"), end("m"), end("k")],
            [known, 10.0 * known, 2.0],
            "{row}"
        );
    }
}

/// Beats at the edges of sources in time read what holds from there on.
#[test]
fn beats_read_the_right_side_of_edges() {
    for (row, beat, stop, known) in [
        ("step(2)", "every(1)", 6.0, 5.0),
        ("floor(time)", "every(1)", 6.0, 21.0),
        ("pulse(1, 0.5, 0.5)", "every(1)", 6.0, 0.0),
        ("pulse(1, 0.25, 0.5)", "every(1, 0.5)", 30.0, 30.0),
        ("pulse(1, 0.25, 0.5)", "every(1, 0.75)", 30.0, 0.0),
        ("pulse(0.3, 0.1)", "every(0.3)", 30.0, 100.0),
        ("pulse(0.3, 0.1)", "every(0.3, 0.1)", 30.0, 0.0),
    ] {
        let table = Table::from_text(&format!(
            r#"(format: 1, name: "beats", reals: {{"z": 0, "n": 0, "y": 0}}, situations: ["event b: {beat}"],
                relations: ["z = {row}", "n := n + z when b", "y = integral(cos(time))"])"#
        ));
        ends_at(&table, stop, "n", known, 0.0);
    }
}

/// A state stays on a bound that moves, however long and by whatever method, and leaves it where its own rate does.
#[test]
fn a_state_rests_on_a_bound_that_moves() {
    let left = 0.75 * std::f64::consts::PI;
    for relations in [
        "\"u = integral(-u)\", \"u = max(u, sin(time))\"",
        "\"w = sin(time)\", \"u = integral(-u)\", \"u = max(u, w)\"",
    ] {
        let table = written("\"u\": 0, \"w\": 0", "", relations);
        let all = [Method::Mk21, Method::Auto, Method::Rodas5p, Method::Bdf];
        for method in all {
            for rtol in [1e-4, 1e-6, 1e-7] {
                let mut clock = clock(3.0, method, rtol);
                clock.every = Some(0.01);
                let trace = rows(&table.model, &clock);
                let u = &trace.reals[table.real("u").index()];
                for (t, u) in trace.time.iter().zip(u) {
                    let known = if *t <= left {
                        t.sin()
                    } else {
                        left.sin() * (left - t).exp()
                    };
                    let off = (u - known).abs();
                    assert!(off < 30.0 * rtol, "{method:?} {rtol} at {t}: {off}");
                }
            }
        }
    }
}

/// Bounds with kinks, over which a state rests on them: the slope of the bound changes there.
#[test]
fn a_state_rests_on_a_bound_with_kinks() {
    let rises = written(
        r#""y": -1, "z": 0"#,
        "",
        r#""y = integral(1)", "z = integral(1)", "z = min(z, 0.4 + 0.3 * abs(y))""#,
    );
    let turns = |bound: &str| {
        written(
            r#""x": 1, "y": 0, "z": 0"#,
            "",
            &format!(
                r#""x = integral(-y)", "y = integral(x)", "z = integral(1)", "z = min(z, {bound})""#
            ),
        )
    };
    for method in ADAPTIVE {
        for rtol in [1e-5, 1e-7, 1e-9] {
            let clock = clock(5.0, method, rtol);
            let found = last(&rises, &clock, "z");
            assert!((found - 1.6).abs() < 1e-12, "{method:?} {rtol}: {found}");
            for (bound, exact) in [
                ("0.4 + 0.3 * abs(y)", 0.4 + 0.3 * 5.0_f64.sin().abs()),
                ("0.4 + max(y, -0.3)", 0.1),
            ] {
                let found = last(&turns(bound), &clock, "z");
                let within = 1e-8 + 300.0 * rtol;
                assert!(
                    (found - exact).abs() < within,
                    "{bound} {method:?} {rtol}: {found}"
                );
            }
        }
    }
}

/// Where a kink turns back the argument of a staircase or of another kink, its border is touched and not crossed.
#[test]
fn touches_at_kinks_within_kinks() {
    let count: Kind = Measure::Count;
    for rate in ["1", "1 + 0.1 * x", "1 + time", "cos(x)"] {
        for (row, least) in [
            ("floor(abs(x))", 0.0),
            ("floor(max(x, -x))", 0.0),
            ("floor(2 * abs(x) - 1)", -1.0),
            ("sign(abs(x))", 0.0),
            ("previous(abs(x))", 0.0),
        ] {
            let mut table = Table::from_text(&format!(
                r#"(format: 1, lookups: {{"previous": (x: [0, 1.5], y: [0, 5], kind: "previous", outside: "extend")}},
                reals: {{"x": -0.7, "y": 0, "n": 0}}, ranges: ["below: {row} < {least}"], situations: ["event hit: y < {least}"],
                relations: ["x = integral({rate})", "y = {row}", "n := n + 1 when hit"])"#
            ));
            ends_at(&table, 2.0, "n", 0.0, 0.0);
            measures(&mut table, 2.0, &[(count, "below")], &[0.0]);
        }
    }
}

/// A value that jumps within the argument of a delay jumps where the delay brings it.
#[test]
fn staircases_in_the_arguments_of_delays() {
    let [held, count]: [Kind; 2] = [Measure::Duration, Measure::Count];
    for (argument, known) in [
        ("mod(p, 1)", [1.6, 3.0]),
        ("p - floor(p)", [1.6, 3.0]),
        ("mod(p, 1) + 0 * sign(p - 1)", [1.6, 3.0]),
    ] {
        let mut table = Table::from_text(&format!(
            r#"(format: 1, reals: {{"p": 0, "a": 0}}, ranges: ["low: a < 0.2"],
            relations: ["p = integral(1)", "a = delay({argument}, 1)"])"#
        ));
        measures(
            &mut table,
            4.1,
            &[(held, "low"), (count, "low")],
            &[known[0] + 0.1, known[1]],
        );
    }
    // On the branch of `min` that it has left the delayed value would be 1.5.
    let mut table = Table::from_text(
        r#"(format: 1, lookups: {"steps": (x: [0, 1.5], y: [0.72, -0.93], kind: "previous", outside: "hold")},
        reals: {"p": 0, "a": 0}, ranges: ["high: a > 0.9"],
        relations: ["p = integral(1)", "a = delay(min(p, steps(p)), 1)"])"#,
    );
    measures(&mut table, 4.0, &[(count, "high")], &[0.0]);
}

/// An angle jumps where its point crosses the negative half of the x axis, and nowhere else.
#[test]
fn angles_at_their_cut() {
    let [held, count]: [Kind; 2] = [Measure::Duration, Measure::Count];
    // The angle is above 3 as far as this from the half axis.
    let above = (std::f64::consts::PI - 3.0).tan();
    for (start, rate) in [(-0.99, 1.0), (0.99, -1.0)] {
        let mut table = Table::from_text(&format!(
            r#"(format: 1, reals: {{"y": {start:?}}}, relations: ["y = integral({rate:?})"],
            ranges: ["high: atan2(y, -1) > 3", "step: floor(atan2d(y, -1) / 45) > 2.5", "on_axis: atan2(y, 0) > 0",
                "right: atan2(y, 2) > 0.1"])"#
        ));
        let up = if rate > 0.0 { 1.0 } else { 0.99 };
        measures(
            &mut table,
            1.99,
            &[
                (held, "high"),
                (count, "high"),
                (held, "step"),
                (held, "on_axis"),
                (held, "right"),
            ],
            &[above, 1.0, up, up, up - 2.0 * 0.1_f64.tan()],
        );
    }
    // Around the origin more than once.
    let circle = written(
        r#""x": 1, "y": 0, "z": 0"#,
        "",
        r#""x = integral(-y)", "y = integral(x)", "z = integral(atan2(y, x))""#,
    );
    let turns = 2.0 * std::f64::consts::PI;
    ends_at(&circle, 2.0 * turns + 1.0, "z", 0.5, 1e-6);
    // Led to the cut from both sides.
    let slide = written(
        r#""x": -1, "y": 1, "z": 0"#,
        "",
        r#""x = integral(0.5)", "y = integral(-atan2(y, x))", "z = integral(atan2(y, x))""#,
    );
    ends_at(&slide, 1.9, "y", 0.0, 1e-9);
    ends_at(&slide, 4.0, "z", 1.0, 1e-7);
}

/// A step lies on the border of a range: the step alone leads back from there, what turns with it leads on.
#[test]
fn a_step_and_a_range_at_one_place() {
    for (row, range) in [
        ("1 - 1.5 * floor(x)", "x < 1"),
        ("1 - 1.5 * floor(x)", "x * x < 1"),
        ("1 - 1.5 * steps(x)", "2 * x - 2 < 0"),
    ] {
        let table = Table::from_text(&format!(
            r#"(format: 1, lookups: {{"steps": (x: [-1, 0, 1, 2], y: [-1, 0, 1, 2], kind: "previous", outside: "extend")}},
            reals: {{"x": 0.5, "n": 0}}, ranges: ["p: {range}"], situations: ["event e: !p"],
            relations: ["x = integral({row})", "x = integral(2) when !p", "n := n + 1 when e"])"#
        ));
        ends_at(&table, 1.0, "x", 1.75, 1e-8);
        ends_at(&table, 1.0, "n", 1.0, 0.0);
    }
}

/// A limit that moves takes its quantity along while the integral is switched off, as in ticks.
#[test]
fn limits_go_on_while_the_integral_is_off() {
    let table = written(
        r#""y": -0.5, "z": 0, "cap": 1, "s": 0"#,
        r#""never: time > 10", "early: time < 0.5""#,
        r#""cap = integral(-0.5)", "z = integral(1) when early", "z = min(z, cap)",
            "y = integral(1) when never", "y = max(y, sin(time))", "s = integral(z)""#,
    );
    ends_at(&table, 4.0, "z", -1.0, 1e-6);
    ends_at(&table, 4.0, "y", 1.0, 1e-6);
    // It rises up to 0.5, rests there, and is taken along from 1 on.
    ends_at(&table, 4.0, "s", 0.125 + 0.25 - 0.75, 1e-6);
}

/// What is proportional to a limited integral comes to its border together with the bound, and rests there.
#[test]
fn events_of_what_follows_a_limited_integral() {
    for (value, bound, reached) in [
        ("x", 1, ">="),
        ("2 * x", 2, ">="),
        ("1 - x", 0, "<="),
        ("x - 0.5 - 0.5", 0, ">="),
        ("u + x", 2, ">="),
    ] {
        for comparison in ["<", "<=", ">", ">="] {
            let table = Table::from_text(&format!(
                r#"(format: 1, name: "limited", reals: {{"x": 0, "u": 0, "y": 0, "n": 0}},
                situations: ["event reached: y {comparison} {bound}"],
                relations: ["x = integral(1)", "x = min(x, 1)", "u = x", "y = {value}", "n := n + 1 when reached"])"#
            ));
            let fired = f64::from(u8::from(comparison == reached));
            ends_at(&table, 3.0, "n", fired, 0.0);
            ends_at(&table, 3.0, "x", 1.0, 0.0);
        }
    }
}

/// A kink that does not depend on the unknowns of a loop slides inside of it as in a row of its own: friction by a normal
/// force that the friction bears on, and a rate that is solved for. References: DOP853 of SciPy from turn to turn.
#[test]
fn a_sign_slides_inside_a_loop() {
    for (reals, relations, end) in [
        (
            r#""v": 0, "N": 10, "f": 0"#,
            r#""N = 10 + 0.3 * f", "f = -0.2 * N * sign(v)", "v = integral(f + 4 * cos(2 * time))""#,
            0.446_248_512_805,
        ),
        (
            r#""v": 0"#,
            r#""solve rate(v): rate(v) + 0.1 * rate(v)^3 = 4 * cos(2 * time) - 2 * sign(v)""#,
            0.290_407_067_469,
        ),
        (
            r#""v": 0, "s": 0"#,
            r#""s = sign(v)", "solve rate(v): rate(v) + 0.1 * rate(v)^3 = 4 * cos(2 * time) - 2 * s""#,
            0.290_407_067_469,
        ),
    ] {
        ends_at(&written(reals, "", relations), 3.0, "v", end, 2e-7);
    }
}

/// The least of the gaps between cars, which are alike but for errors as soon as these have found their distance: nothing reads
/// it, and which of them it is taken for does not matter. Reference: the run without that row at a tolerance of 1e-10, by three
/// methods.
#[test]
fn the_least_of_values_that_are_alike_ends_no_run() {
    let traffic = Table::from_text(
        r#"(format: 1, name: "traffic", clock: (stepping: events, stop: 30),
            constants: {"N": 8, "L": 5, "tau": 1.2, "vmax": 15, "a": 1.5, "b": 3, "d0": 7}, counters: {"j": "1 .. N"},
            reals: {"p[j]": "-12 * (j - 1)", "v[j]": 10, "acc[j]": 0, "gap[j]": 20, "vs[j]": 0, "least": 0},
            switches: {"red": false}, ranges: ["near: p[1] > 300 & p[1] < 305"],
            situations: ["event go: every(60, 50)", "event st: near"], assignments: ["when st: red", "when go: !red"],
            relations: ["gap[j] = p[j - 1] - p[j] - L for j in 2 .. N", "gap[1] = 1000 when !red",
                "gap[1] = max(350 - p[1], 0) when red", "vs[j] = clamp((gap[j] - d0) / tau, 0, vmax)",
                "acc[j] = clamp(2 * (vs[j] - v[j]), -b, a)", "v[j] = integral(acc[j])", "v[j] = max(v[j], 0)",
                "p[j] = integral(v[j])", "least = min(gap[j] for j in 2 .. N)"])"#,
    );
    for method in [Method::Auto, Method::Tsit5, Method::Radau] {
        for rtol in [1e-5, 1e-6, 1e-8] {
            for (name, known) in [("least", -8.987_008_39), ("p[8]", 188.477_727_84)] {
                let off = (last(&traffic, &clock(30.0, method, rtol), name) - known).abs();
                assert!(off < 100.0 * rtol, "{method:?} {rtol}: {name} off by {off}");
            }
        }
    }
}

/// Friction beside sizes whose margins are multiples of its own: the body slows down by 0.5 until it stands, and the size
/// adds up to c 0.66^2.
#[test]
fn sizes_beside_friction_end_no_run() {
    for (size, c) in [
        ("abs(0.13 * v)", 0.13),
        ("abs(-2 * v)", 2.0),
        ("abs(v / 3)", 1.0 / 3.0),
        ("max(v, -v) + abs(0.1 * v + 0.3 * v)", 1.4),
    ] {
        for rows in [
            r#""f = sign(v)", "d = {size}""#,
            r#""d = {size}", "f = sign(v)""#,
        ] {
            let rows = rows.replace("{size}", size);
            let rows = format!(r#"{rows}, "v = integral(-0.5 * f)", "s = integral(d)""#);
            let table = written(r#""v": 0.66, "d": 0, "f": 0, "s": 0"#, "", &rows);
            ends_at(&table, 3.0, "v", 0.0, 1e-9);
            ends_at(&table, 3.0, "s", c * 0.66 * 0.66, 1e-7);
        }
    }
}
