//! Motion along borders: where it begins, where it ends, and what lies beside it.

use std::f64::consts::PI;
use std::ops::RangeInclusive;

use situ_engine::Method;
use situ_engine::model::Clock;
use situ_engine::sim::{EventConfig, EventRun, Finding, RunFault};
use situ_engine::trace::Measure;

use super::{ADAPTIVE, Kind, clock, ends_at, instants, last, measures, written};
use crate::tables::Table;

/// Runs to 2 by some methods at relative tolerances of so many digits: u at the end is known.
fn u_ends_at(table: &Table, methods: &[Method], digits: RangeInclusive<i32>, known: f64) {
    for &method in methods {
        for digits in digits.clone() {
            let rtol = 0.1_f64.powi(digits);
            let u = last(table, &clock(2.0, method, rtol), "u");
            assert!(
                (u - known).abs() <= 100.0 * rtol,
                "{method:?} at {rtol}: {u}, not {known}"
            );
        }
    }
}

/// A slide that ends because nothing moves any more leaves x on its border up to rounding: x stays where it is, on the
/// side it has come to, at whatever tolerance.
#[test]
fn a_slide_that_ends_at_rest_keeps_its_side() {
    let relations = r#""x = integral(-x) when above & !late", "x = integral(1) when !above & !late",
        "u = integral(1) when above""#;
    let ranges = r#""above: 2.94 * x * (2.94 * x) + 0.83 >= 1.03", "late: time >= 1""#;
    let edge = 0.2_f64.sqrt() / 2.94;
    let shares = 1.0 / (1.0 + edge);
    // From below it comes to the upper side, from above to the lower one.
    for start in [0.02, 0.05, 0.09, 0.2, 0.25, 0.31_f64] {
        let (reached, after) = match start < edge {
            true => (edge - start, 1.0),
            false => ((start / edge).ln(), 0.0),
        };
        let table = written(&format!("\"x\": {start}, \"u\": 0"), ranges, relations);
        let before = if start > edge { reached } else { 0.0 };
        let known = before + shares * (1.0 - reached) + after;
        u_ends_at(&table, &ADAPTIVE, 5..=12, known);
    }
}

/// A reset while y slides along its border brings a staircase to another step that stands in the row below it only.
#[test]
fn a_reset_along_a_slide_reaches_the_rows_on_both_sides() {
    let table = |reset: &str, height: &str| {
        Table::from_text(&format!(
            r#"(format: 1, reals: {{"x": 0, "y": 0.07, "u": 0}}, ranges: ["low: y < 0.07", "far: x > 0.31"],
                situations: ["event turn: far"],
                relations: ["x = integral(1)", "x := {reset} when turn", "y = integral(-y) when !low",
                    "y = integral(0.4 * cos(floor({height}))) when low", "u = integral(1) when low"])"#
        ))
    };
    // The shares at which y stands still while the floor is 0 and while it is -1.
    let [wide, narrow] = [0.4, 0.4 * 1.0_f64.cos()].map(|up| 0.07 / (up + 0.07));
    let turns = 0.17 / 0.66;
    let known = 6.0 * (wide * turns + narrow * (0.31 - turns)) + wide * (2.0 - 6.0 * 0.31);
    u_ends_at(
        &table("x - 0.31", "0.17 - 0.66 * x"),
        &ADAPTIVE,
        6..=10,
        known,
    );
    // A reset onto the end of a step, which is left at once.
    u_ends_at(&table("0", "-3 * x"), &ADAPTIVE, 6..=10, 2.0 * narrow);
}

/// A range begins to contradict itself where its share is 1 up to rounding: that is no end of the slide.
#[test]
fn a_share_that_begins_at_its_end() {
    let table = written(
        r#""y": 1, "a": 0, "u": 0"#,
        r#""p: a > 0.34""#,
        r#""y = integral(-0.7 * cos(3 * time))", "a = y when !p", "a = y - 0.43 when p", "u = integral(1) when p""#,
    );
    // While y = 1 - 0.7 / 3 sin 3t is below 0.77 the share is (y - 0.34) / 0.43.
    let begins = (0.23_f64 / 0.7 * 3.0).asin() / 3.0;
    let lasts = PI / 3.0 - 2.0 * begins;
    let slid = (0.66 * lasts - 1.4 / 9.0 * (3.0 * begins).cos()) / 0.43;
    let known = 2.0 - lasts + slid;
    u_ends_at(&table, &ADAPTIVE, 6..=10, known);
    u_ends_at(&table, &[Method::Bdf, Method::Radau], 6..=10, known);
}

/// y stands still beyond its border; that its rate there would lead back does not bring it back.
#[test]
fn a_side_on_which_nothing_moves() {
    let table = written(
        r#""x": 0, "y": 0"#,
        r#""late: time >= 1", "low: y < 0.31""#,
        r#""x = integral(1) when late", "y = integral(sin(y + 3.1 * time)) when low""#,
    );
    ends_at(&table, 2.0, "y", 0.31, 1e-9);
}

/// A coil runs dry through a diode: where it blocks, nothing moves a current of 0, and one of rounding's size goes back to
/// 0. That is no slide, so that the range may drive events; a slide that comes to this ends there.
#[test]
fn a_side_on_which_nothing_moves_a_state_that_is_on_the_border() {
    let coil = |blocked: &str, more: &str| {
        let relations = format!(
            r#""u = {blocked} when !flow", "u = -0.5 when flow", "i = integral(u - 5 - 0.05 * i)",
               "n := n + 1 when every(0.37)", "w = integral(i)"{more}"#
        );
        let reals = r#""i": 1.758, "u": 0, "n": 0, "m": 0, "w": 0"#;
        written(reals, "\"flow: i > 0\"", &relations)
    };
    // i = (1.758 + 110) exp(-0.05 t) - 110 until it is 0.
    let dry = 20.0 * (111.758_f64 / 110.0).ln();
    let charge = 20.0 * 1.758 - 110.0 * dry;
    for table in [
        coil("5", ", \"m = counter(flow)\""),
        coil("5 + max(1 - time, 0)", ""),
    ] {
        ends_at(&table, 2.0, "i", 0.0, 1e-15);
        ends_at(&table, 2.0, "n", 5.0, 0.0);
        ends_at(&table, 2.0, "m", 0.0, 0.0);
        ends_at(&table, 2.0, "w", charge, 1e-7);
    }
}

/// Along sin(x + 2 t) = 0.8 x goes with -2, though above it nothing moves x, and below it not alike everywhere.
#[test]
fn a_slide_beside_a_mode_that_holds_what_moves() {
    let table = written(
        r#""x": 0"#,
        r#""low: sin(x + 2 * time) < 0.8", "late: time >= 0.4""#,
        r#""x = integral(3.1 * cos(3 * time) - 0.5 * x) when late & low", "x = integral(1) when low & !late""#,
    );
    ends_at(&table, 1.2, "x", PI - 0.8_f64.asin() - 2.4, 1e-6);
}

/// A block on a belt, at friction 1: it slips until sin t = 0.2, sticks until its spring pulls as hard as friction can,
/// and slips again. While it sticks its speed is the belt's, and no force results: rounding makes no events of margins
/// that vanish there.
#[test]
fn margins_that_vanish_along_a_slide() {
    let (belt, stop) = (0.2_f64, 6.0);
    let caught = belt.asin();
    // Caught at x = 1 - cos(caught), it goes with the belt up to x = 1.
    let let_go = caught + caught.cos() / belt;
    let slips = caught + stop - let_go;
    for (range, known) in [
        ("abs(w) > 0", slips),
        ("abs(w) <= 0", let_go - caught),
        ("max(w, -w) > 0", slips),
        ("F >= x", let_go),
        ("F - x < 0", stop - let_go),
        ("2 * F < x + F", stop - let_go),
    ] {
        let mut table = written(
            r#""x": 0, "v": 0, "w": 0, "F": 0"#,
            &format!("\"seen: {range}\""),
            r#""w = 0.2 - v", "F = sign(w)", "v = integral(F - x)", "x = integral(v)""#,
        );
        let wanted: [(Kind, &str); 2] = [(Measure::Duration, "seen"), (Measure::Duration, "!seen")];
        measures(&mut table, stop, &wanted, &[known, stop - known]);
        let x = 1.0 + belt * (stop - let_go).sin();
        ends_at(&table, stop, "x", x, 1e-9);
        assert!(instants(&table, stop).len() < 20, "{range}");
    }
}

/// Neither of two ranges on the border along which x would slide may have a part in an event.
#[test]
fn an_event_of_a_border_that_is_the_same_chatters() {
    let table = written(
        r#""x": 0, "n": 0"#,
        r#""low: max(x, -3 * x) <= 0.3", "high: x > 0.3""#,
        r#""x = integral(1) when low", "x = integral(-2) otherwise", "n = counter(high)""#,
    );
    for method in ADAPTIVE {
        let config = EventConfig::from_clock(&clock(1.0, method, 1e-6)).unwrap();
        let mut run = EventRun::new(table.model.clone(), config).unwrap();
        match run.run(&mut ()) {
            Err(RunFault::Chattering { time, .. }) => {
                assert!((time - 0.3).abs() < 1e-9, "{method:?}: {time}");
            }
            other => panic!("{method:?}: {other:?}"),
        }
    }
}

/// A slide whose state comes to rest because nothing moves it any more: which truth then stands is a convention, and a
/// summary says so.
#[test]
fn a_slide_that_comes_to_rest() {
    let table = written(
        r#""x": 0, "y": 0"#,
        r#""low: x < 0.3", "late: time >= 1""#,
        r#""x = integral(1) when low & !late", "x = integral(-1) when !low & !late", "y = integral(1) when low""#,
    );
    ends_at(&table, 2.0, "y", 0.65, 1e-7);
    let config = EventConfig::from_clock(&clock(2.0, Method::Auto, 1e-8)).unwrap();
    let mut run = EventRun::new(table.model.clone(), config).unwrap();
    run.run(&mut ()).unwrap();
    let rests = run.findings().iter().find_map(|found| match found {
        Finding::Sliding { rests, .. } => *rests,
        _ => None,
    });
    assert_eq!(rests, Some(1.0));
}

/// Where a slide begins a condition on what it mixes holds as before and behind it: no microstep shows the other side.
#[test]
fn conditions_see_no_other_side_where_a_slide_begins() {
    let mut table = Table::from_text(
        r#"(format: 1, name: "slide", constants: {"F": 0.8}, reals: {"x": 1, "v": 0.5, "f": 0},
            relations: ["f = -0.5 * sign(v)", "v = integral(f - x + F * sin(0.7 * time))", "x = integral(v)"])"#,
    );
    let measures = [
        Measure::Count(table.watch("f > 0")),
        Measure::Period(table.watch("f > 0")),
        Measure::First(table.watch("f < 0 & time > 1")),
    ];
    for method in ADAPTIVE {
        let config = EventConfig::from_clock(&clock(12.0, method, 1e-9)).unwrap();
        let mut run = EventRun::with_measures(table.model.clone(), config, &measures).unwrap();
        run.run(&mut ()).unwrap();
        let found = run.measured();
        assert_eq!(found[..2], [Some(1.0), None], "{method:?}");
        assert!(
            (found[2].unwrap() - 7.878).abs() < 1e-3,
            "{method:?}: {found:?}"
        );
    }
}

/// Behind a slide a kink has the branch of the value that stands there, not that of the mode which is left: u is 0.4 below
/// the border, so that k moves z by 0.4 outside of two slides of together 0.4953.
#[test]
fn a_kink_has_its_branch_where_a_slide_ends() {
    let table = written(
        r#""x": 0.2, "u": 0, "k": 0, "z": 0"#,
        r#""up: x > 0""#,
        r#""u = -0.5 when up", "u = 0.4 otherwise", "k = max(u, -0.4)", "z = integral(k)",
           "x = integral(-0.7 * x + 0.7 * u - 0.8 * sin(2.9 * time) - 0.4)""#,
    );
    super::ends_at(&table, 5.0, "k", 0.4, 1e-12);
    super::ends_at(&table, 5.0, "z", 1.60376, 2e-4);
}

/// A border of two that slide together stops mattering, so that it has no share any more: z, which rises by 1 less 1.5 times
/// the half of the time for which it is cold, leaves it; where nothing moves it at first, it does so when something does.
#[test]
fn a_slide_ends_where_its_border_decides_nothing() {
    for (late, end) in [("1", 0.75), ("0.75 + max(time - 2.5, 0)", 0.625)] {
        let table = Table::from_text(&format!(
            r#"(format: 1, name: "mixed", reals: {{"T": 0, "z": 0.2}}, ranges: ["cold: T < 0", "pos: z > 0.5", "late: time >= 2"],
            situations: ["mix: cold", "mix: !late & pos"],
            relations: ["T = integral(1) when cold", "T = integral(-1) otherwise", "z = integral(1) when !late",
                "z = integral({late}) when late", "z = integral(-1.5) when mix"])"#
        ));
        ends_at(&table, 3.0, "z", end, 1e-6);
    }
}

/// A jump off a slide leaves each border that was one with it there, however it is written.
#[test]
fn a_jump_leaves_all_borders_of_a_slide() {
    for (ranges, rate, level) in [
        (r#""p: x > 0""#, "-sign(z)", 0.0),
        (r#""p: x > 0", "q: z > 0""#, "1 - 2 * q1", 0.0),
        (r#""p: x > 0.3", "q: max(z, -z) > 0.3""#, "1 - 2 * q1", 0.3),
    ] {
        let table = written(
            r#""x": 1, "z": 0, "w": 0, "q1": 0"#,
            ranges,
            &format!(
                r#""z = x", "q1 = 1 when {}", "q1 = 0 otherwise", "x = integral({rate})", "w = integral(1) when p",
                "x := {level} + 0.5 when every(2)""#,
                if ranges.contains('q') { "q" } else { "p" },
            ),
        );
        ends_at(&table, 3.0, "x", level, 1e-9);
        // It falls to the level twice, and has half a share along it.
        let falls = [1.0 - level, 0.5];
        let along = 3.0 - falls[0] - falls[1];
        ends_at(&table, 3.0, "w", falls[0] + falls[1] + 0.5 * along, 1e-6);
    }
}

/// A slide that reaches a second border at which no mixture keeps it on both goes on along that one alone.
#[test]
fn a_slide_goes_on_along_the_border_it_reaches() {
    let table = written(
        r#""x": 0.07, "y": 1, "s": 1, "r": 1"#,
        r#""p: x > 0", "q: y > 0""#,
        r#""s = 1 when p", "s = -1 when !p", "r = 1 when q", "r = -1 when !q",
           "x = integral(1.4381 - 1.39 * s - 0.8212 * r)", "y = integral(0.9158 - 1.2142 * s - 1.3222 * r)""#,
    );
    // Down to x = 0, along it with the share of p at which x stands, and off along y = 0.
    let rate = |at: [f64; 3], s: f64, r: f64| at[0] + at[1] * s + at[2] * r;
    let (x, y) = ([1.4381, -1.39, -0.8212], [0.9158, -1.2142, -1.3222]);
    let s = (x[0] + x[2]) / -x[1];
    let reached = -0.07 / rate(x, 1.0, 1.0);
    let along = -(1.0 + reached * rate(y, 1.0, 1.0)) / rate(y, s, 1.0);
    let r = (y[0] + y[1]) / -y[2];
    ends_at(&table, 2.0, "y", 0.0, 1e-9);
    ends_at(&table, 2.0, "r", r, 1e-9);
    ends_at(
        &table,
        2.0,
        "x",
        (2.0 - reached - along) * rate(x, 1.0, r),
        1e-9,
    );
}

/// A slide that reaches a second border from which nothing leads away stays on both, though the first one is only crossed
/// beyond: with the one mixture that keeps it there.
#[test]
fn a_slide_stays_where_it_meets_a_border_that_is_crossed() {
    // Fields below left, above left, below right, above right of the corner; the shares of the right and of the upper side.
    for (start, fields, [right, above]) in [
        (
            [0.43, 0.89],
            [[0.31, -0.45], [2.81, -2.78], [0.58, 2.87], [-2.62, -0.64]],
            [0.601_458, 0.508_876],
        ),
        (
            [0.61, 0.3],
            [[0.01, -0.71], [2.1, -1.72], [0.1, 1.65], [-2.69, -0.51]],
            [0.469_917, 0.257_354],
        ),
        (
            [-0.89, 0.4],
            [[0.31, 3.26], [2.99, -1.58], [1.1, 0.7], [-2.14, 0.75]],
            [0.599_125, 0.903_659],
        ),
    ] {
        let places = ["!X & !Y", "!X & Y", "X & !Y", "X & Y"];
        let rows = places.iter().zip(fields).enumerate();
        let rows = rows.map(|(number, (place, [x, y]))| {
            format!(r#""x = integral({x}) when {place}", "y = integral({y}) when {place}", "z = integral({number}) when {place}""#)
        });
        let rows: Vec<String> = rows.collect();
        let [x, y] = start;
        let table = written(
            &format!(r#""x": {x}, "y": {y}, "z": 0"#),
            r#""X: x > 0", "Y: y > 0""#,
            &rows.join(", "),
        );
        for name in ["x", "y"] {
            ends_at(&table, 6.0, name, 0.0, 1e-9);
        }
        let z = |stop| last(&table, &clock(stop, Method::Auto, 1e-9), "z");
        let rate = (1.0 - right) * above + 2.0 * right * (1.0 - above) + 3.0 * right * above;
        assert!(
            (z(6.0) - z(5.0) - rate).abs() < 1e-5,
            "{start:?}: {}",
            z(6.0) - z(5.0)
        );
    }
}

/// A jump takes the state off the kink of a row along which it slides: by a reset, or by a level that moves, in whatever
/// order the rows stand.
#[test]
fn jumps_off_a_kink_that_is_slid_along() {
    for argument in [
        "v^3",
        "min(v, 9)",
        "v",
        "clamp(v, -9, 9)",
        "v / (1 + abs(v))",
    ] {
        let table = Table::from_text(&format!(
            r#"(format: 1, reals: {{"v": 0.5}},
            relations: ["v := v - 0.5 when every(9, 1)", "v = integral(-sign({argument}))"])"#
        ));
        ends_at(&table, 1.2, "v", -0.3, 1e-8);
        ends_at(&table, 2.0, "v", 0.0, 1e-8);
    }
    let rows = [
        "v = integral(f)",
        "f = -sign(w)",
        "w = v - b",
        "b = 0.3 * step(1)",
    ];
    for order in [
        [0, 1, 2, 3],
        [1, 0, 3, 2],
        [3, 2, 1, 0],
        [1, 2, 3, 0],
        [2, 1, 0, 3],
    ] {
        let rows = order.map(|row| format!("{:?}", rows[row])).join(", ");
        let table = written(r#""v": 0.5, "w": 0, "f": 0, "b": 0"#, "", &rows);
        ends_at(&table, 1.1, "v", 0.1, 1e-8);
        ends_at(&table, 2.0, "v", 0.3, 1e-8);
    }
}

/// A kink of a row that only shows a value lies on the border of a range along which the state slides, until a jump of what
/// both compare: both are left.
#[test]
fn jumps_off_a_slide_with_a_kink_on_it() {
    for shown in [
        "clamp(p, -1, 1)",
        "min(p, 1)",
        "abs(p - 1)",
        "max(min(p, 1), -1)",
    ] {
        let table = Table::from_text(&format!(
            r#"(format: 1, reals: {{"x": 0, "p": 0, "u": 0}}, ranges: ["over: p > 1"],
            relations: ["p = x - 3 * step(2)", "x = integral(1) when !over", "x = integral(-1) when over", "u = {shown}"])"#
        ));
        ends_at(&table, 4.0, "p", 0.0, 1e-8);
    }
}

/// Two blocks that stick on each other and on the floor, by `sign` as by ranges: each row has a part of what holds the other.
#[test]
fn slides_hold_each_other() {
    for (start, rows, stop) in [
        (
            r#""a": 0, "b": 0"#,
            r#""a = integral(0.2 - sign(a) + 0.6 * sign(b - a))", "b = integral(0.4 - 0.6 * sign(b - a))""#,
            5.0,
        ),
        (
            r#""a": -0.1, "b": 0.4"#,
            r#""a = integral(0.2 - sign(a) + 0.6 * sign(b - a))", "b = integral(0.4 - 0.6 * sign(b - a))""#,
            5.0,
        ),
        (
            r#""b": 0, "a": 0"#,
            r#""b = integral(-0.7 - 0.8 * sign(b) + 0.5 * sign(a))", "a = integral(0.7 + 0.8 * sign(b) - sign(a))""#,
            2.0,
        ),
    ] {
        let table = written(start, "", rows);
        ends_at(&table, stop, "a", 0.0, 1e-9);
        ends_at(&table, stop, "b", 0.0, 1e-9);
    }
    let pulsed = written(
        r#""v": 0, "f": 0, "p": 0"#,
        "",
        r#""f = -0.3 * sign(v)", "p = 0.8 * pulse(2, 1)", "v = integral(-0.7 + p + f)""#,
    );
    ends_at(&pulsed, 1.5, "v", -0.2, 1e-8);
}

/// The root of a size that is 0 along a slide is 0 there, on whichever side of 0 rounding has left the state, and whatever is
/// shown of the run.
#[test]
fn roots_of_what_is_slid_along() {
    let table = written(
        r#""v": 1, "x": 0.3, "u": 0, "f": 0, "w": 0"#,
        r#""p: v > 0""#,
        r#""f = -1 when p", "f = 1 otherwise", "v = integral(f - 0.7 * x + 0.3 * cos(time))", "x = integral(v)",
        "u = sqrt(abs(v))", "w = sqrt(max(v, 0)) + min(v, 0)""#,
    );
    for every in [0.004, 0.1, 1.0, 4.0] {
        for method in ADAPTIVE {
            let clock = Clock {
                every: Some(every),
                ..clock(4.0, method, 1e-8)
            };
            assert_eq!(last(&table, &clock, "u"), 0.0, "{method:?} {every}");
            assert_eq!(last(&table, &clock, "w"), 0.0, "{method:?} {every}");
        }
    }
}

/// A block with dry friction, and a stop far away: while it sticks, the stop is no event. From 2 it is thrown back at 1 with
/// sqrt(3) / 2 and comes to rest 3/4 before it. What looks at `v > 0` while it sticks has no answer.
#[test]
fn a_stop_beside_dry_friction() {
    let block = |v: f64, hit: &str| {
        Table::from_text(&format!(
            r#"(format: 1, name: "block", reals: {{"x": 0, "v": {v}}}, situations: ["event hit: {hit}"],
            relations: ["v := -0.5 * v when hit", "v = integral(-0.5 * sign(v))", "x = integral(v)"])"#
        ))
    };
    for v in [0.5, 2.0] {
        let table = block(v, "x >= 1 & v > 0");
        ends_at(&table, 10.0, "x", 0.25, 1e-7);
        ends_at(&table, 10.0, "v", 0.0, 1e-9);
    }
    for method in ADAPTIVE {
        let config = EventConfig::from_clock(&clock(10.0, method, 1e-6)).unwrap();
        let table = block(0.5, "time >= 5 & v > 0");
        let mut run = EventRun::new(table.model.clone(), config).unwrap();
        let ended = run.run(&mut ());
        let Err(RunFault::Chattering { time, .. }) = ended else {
            panic!("{method:?}: {ended:?}");
        };
        assert!((time - 5.0).abs() < 1e-9, "{method:?}: {time}");
    }
}
