//! Bounds, and motion along borders, with the share that a range has of it.

use std::f64::consts::PI;
use std::ops::RangeInclusive;

use situ_engine::Method;
use situ_engine::model::Clock;
use situ_engine::sim::{EventConfig, EventRun, Finding, NoSlide, RunFault};
use situ_engine::trace::{Measure, What};

use super::{ADAPTIVE, Kind, clock, ends_at, instants, last, measures, written};
use crate::tables::Table;

/// `y = integral(cos(time))` between bounds (FORMALISM 10.5), with its sides seen by ranges.
#[test]
fn a_state_rests_on_its_bounds() {
    let table = written(
        r#""y": 0, "w": 0, "n": 0, "u": 0"#,
        r#""full: y >= 0.8", "over: y > 0.8", "low: y <= -0.5""#,
        r#""y = integral(cos(time))", "y = clamp(y, -0.5, 0.8)", "w = integral(y)", "n = counter(full)",
           "u = integral(1) when low", "u = integral(100) when over""#,
    );
    ends_at(&table, 8.0, "y", 8.0_f64.sin() - 0.2, 1e-7);
    ends_at(&table, 8.0, "n", 2.0, 0.0);
    // It is at -0.5 from sin t = -0.3 on, while the cosine is negative.
    let reached = PI + 0.3_f64.asin();
    ends_at(&table, 8.0, "u", 1.5 * PI - reached, 1e-7);
    // y = sin t + shift between the bounds.
    let moved = |from: f64, to: f64, shift: f64| from.cos() - to.cos() + shift * (to - from);
    let (up, again) = (0.8_f64.asin(), 2.0 * PI + 0.3_f64.asin());
    let known = moved(0.0, up, 0.0) + 0.8 * (0.5 * PI - up) + moved(0.5 * PI, reached, -0.2)
        - 0.5 * (1.5 * PI - reached)
        + moved(1.5 * PI, again, 0.5)
        + 0.8 * (2.5 * PI - again)
        + moved(2.5 * PI, 8.0, -0.2);
    ends_at(&table, 8.0, "w", known, 1e-6);
}

/// One bound, which moves or stands on the other side of `min`, and one that is there in a situation only.
#[test]
fn bounds_that_move_or_go() {
    for row in ["min(y, b)", "min(b, y)"] {
        let relations =
            format!("\"b = 0.5 + 0.4 * sin(2 * time)\", \"y = integral(1)\", \"y = {row}\"");
        let table = written("\"y\": 0, \"b\": 0", "", &relations);
        ends_at(&table, 6.0, "y", 0.5 + 0.4 * 12.0_f64.sin(), 1e-6);
    }
    let table = written(
        "\"y\": 0",
        "\"held: time < 3\"",
        r#""y = integral(1)", "y = min(y, 0.5) when held""#,
    );
    ends_at(&table, 2.0, "y", 0.5, 1e-9);
    ends_at(&table, 4.0, "y", 1.5, 1e-7);
    let jumps = Table::from_text(
        r#"(format: 1, name: "jumps", reals: {"y": 2}, situations: ["event e: every(1)"],
            relations: ["y = integral(-1)", "y := y + 7 when e", "y = clamp(y, 1.5, 3)"])"#,
    );
    ends_at(&jumps, 0.75, "y", 1.5, 1e-9);
    ends_at(&jumps, 1.25, "y", 2.75, 1e-7);
}

/// A regulator whose integral stops where its actuator does: as one that is written with a range for each reason.
#[test]
fn an_integral_that_does_not_wind_up() {
    let regulator = |integral: &str, ranges: &str| {
        let relations = format!(
            "\"e = 1 - x\", {integral}, \"u = y + 0.5 * e\", \"x = integral(u - 0.4 * x)\""
        );
        written(r#""y": 0, "u": 0, "x": 0, "e": 0"#, ranges, &relations)
    };
    let short = regulator(r#""y = integral(2 * e)", "y = clamp(y, -0.6, 0.6)""#, "");
    let long = regulator(
        r#""y = integral(2 * e) when !full", "y = integral(2 * e) when full & back""#,
        r#""full: y >= 0.6", "back: e < 0""#,
    );
    for stop in [0.5, 2.0, 10.0] {
        let known = last(&long, &clock(stop, Method::Dop853, 1e-10), "x");
        ends_at(&short, stop, "x", known, 1e-6);
    }
}

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

/// Along a border a range holds with its share: half of the time here, while `count` and `first` see its truth on entry.
#[test]
fn a_duration_along_a_border() {
    let mut table = written(
        r#""T": 18"#,
        r#""cold: T < 20""#,
        r#""T = integral(2 - 0.1 * (T - 10)) when cold", "T = integral(-0.1 * (T - 10)) otherwise""#,
    );
    // T = 30 - 12 exp(-t / 10) up to 20.
    let reached = 10.0 * 1.2_f64.ln();
    let known = reached + 0.5 * (10.0 - reached);
    let wanted: [(Kind, &str); 5] = [
        (Measure::Duration, "cold"),
        (Measure::Duration, "!cold"),
        (Measure::Duration, "T < 20"),
        (Measure::Count, "!cold"),
        (Measure::First, "!cold"),
    ];
    measures(
        &mut table,
        10.0,
        &wanted,
        &[known, 10.0 - known, known, 1.0, reached],
    );
}

/// A share that changes along the way: a sliding state follows sin t, between rates of 3 and -2, so that the share is
/// (2 + cos t) / 5.
#[test]
fn a_duration_with_a_share_that_changes() {
    let mut table = written(
        r#""x": 1"#,
        r#""low: x < sin(time)", "late: time >= 4""#,
        r#""x = integral(3) when low", "x = integral(-2) otherwise""#,
    );
    // It falls onto sin t where 1 - 2 t = sin t.
    let mut reached = 0.3_f64;
    for _ in 0..40 {
        reached -= (1.0 - 2.0 * reached - reached.sin()) / (-2.0 - reached.cos());
    }
    let held = |from: f64, to: f64| 0.4 * (to - from) + 0.2 * (to.sin() - from.sin());
    let known = held(reached, 7.0);
    let wanted: [(Kind, &str); 4] = [
        (Measure::Duration, "low"),
        (Measure::Duration, "low & late"),
        (Measure::Duration, "!low & time >= 4"),
        (Measure::Duration, "low & time < 4"),
    ];
    let late = held(4.0, 7.0);
    measures(
        &mut table,
        7.0,
        &wanted,
        &[known, late, 3.0 - late, known - late],
    );
}

/// A range that contradicts itself holds with the share 2 (x - 1) from x = 1 to 1.5.
#[test]
fn a_duration_of_a_contradiction() {
    let mut table = written(
        r#""x": 0, "a": 0"#,
        r#""high: a > 1""#,
        r#""x = integral(1)", "a = x when !high", "a = x - 0.5 when high""#,
    );
    let wanted: [(Kind, &str); 3] = [
        (Measure::Duration, "high"),
        (Measure::Duration, "!high"),
        (Measure::Duration, "high & x > 1.2"),
    ];
    measures(&mut table, 2.0, &wanted, &[0.75, 1.25, 0.71]);
    let log = instants(&table, 2.0);
    let entered = log.iter().find_map(|(time, what)| match what {
        What::SlideEntered { borders, .. } => Some((*time, borders[0].1)),
        _ => None,
    });
    let (time, share) = entered.unwrap();
    assert!(
        (time - 1.0).abs() < 1e-9 && share.abs() < 1e-9,
        "{time} {share}"
    );
}

/// Of two borders the shares multiply, in a conjunction and in what the rows make of it.
#[test]
fn a_duration_on_two_borders() {
    let mut table = Table::from_text(
        r#"(format: 1, name: "two", reals: {"x": 1, "y": 0.5}, ranges: ["p: x < 0", "q: y > 0"],
            situations: ["both: p & q", "any: p", "any: q"],
            relations: ["x = integral(1) when p", "x = integral(-1) otherwise",
                "y = integral(-1) when q", "y = integral(3) otherwise"])"#,
    );
    // y is on its border from 0.5 on, with the share 3/4, x from 1 on with 1/2.
    let wanted: [(Kind, &str); 4] = [
        (Measure::Duration, "p & q"),
        (Measure::Duration, "both"),
        (Measure::Duration, "any"),
        (Measure::Duration, "!p & q"),
    ];
    let (q, both) = (0.5 + 0.5 * 0.75, 2.0 * 0.375);
    measures(
        &mut table,
        3.0,
        &wanted,
        &[both, both, q + 2.0 * 0.875, q + both],
    );
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

/// Ranges on one border that are not written alike: x comes to 0.3 at 0.3 and slides there, a third of the time above it,
/// until 1.5, where it leaves it upwards; y grows with the share above.
#[test]
fn borders_that_are_the_same_in_a_mode() {
    for (low, high) in [
        ("max(x, -3 * x) <= 0.3", "x > 0.3"),
        ("x <= 0.3", "max(x, 0.017) > 0.3"),
        ("a < 0.3", "x >= 0.3"),
        ("x < 0.3", "-0.3 > -a"),
        ("x * exp(x) < 0.3 * exp(0.3)", "a * exp(a) > 0.3 * exp(0.3)"),
        ("min(x, 7) < 0.3", "2 * abs(a) - 0.4 > 0.2"),
    ] {
        for (when, share) in [("high", 1.0), ("high & !low", 1.0), ("high & low", 0.0)] {
            let mut table = written(
                r#""x": 0, "y": 0, "a": 0"#,
                &format!("\"low: {low}\", \"high: {high}\""),
                &format!(
                    r#""a = x", "x = integral(1) when low", "x = integral(time - 1.5) otherwise", "y = integral(1) when {when}""#
                ),
            );
            let known = share * 2.2_f64.ln();
            ends_at(&table, 1.4, "x", 0.3, 1e-7);
            ends_at(&table, 1.5, "y", known, 1e-6);
            ends_at(&table, 2.0, "x", 0.425, 1e-6);
            ends_at(&table, 2.0, "y", known + 0.5 * share, 1e-6);
            let wanted: [(Kind, &str); 2] =
                [(Measure::Duration, "high"), (Measure::Duration, "low")];
            let high = 2.2_f64.ln() + 0.5;
            measures(&mut table, 2.0, &wanted, &[high, 2.0 - high]);
        }
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

/// A range that stands exactly on its border while another one contradicts itself agrees with either truth, and keeps
/// one all along, by all methods, whatever rounding makes of its margin: a = 0.3 from x = 0.3 to 0.8, and b is 0.3 or
/// 0.35.
#[test]
fn a_range_that_stands_beside_a_contradiction() {
    let table = written(
        r#""x": 0, "a": 0, "b": 0, "w": 0"#,
        r#""p: a > 0.3", "q: b > 0.3""#,
        r#""x = integral(1)", "a = x when !p", "a = x - 0.5 when p", "b = a when !q", "b = a + 0.05 when q", "w = integral(b)""#,
    );
    let kept = last(&table, &clock(1.0, Method::Auto, 1e-8), "w");
    let known = if kept < 0.3 { 0.285 } else { 0.31 };
    ends_at(&table, 1.0, "w", known, 1e-7);
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

/// A slide along a border that its margin jumps across, with the share y / 0.43, does not keep another part of the model
/// from sliding along its own border.
#[test]
fn a_slide_begins_beside_one_of_a_margin_that_jumps() {
    let table = written(
        r#""y": 0.2, "a": 0, "x": 0.5, "w": 0, "u": 0"#,
        r#""up: a > 0", "right: x > 0""#,
        r#""y = integral(0.01)", "a = y when !up", "a = y - 0.43 when up", "w = integral(1) when up",
           "x = integral(-1) when right", "x = integral(1) when !right", "u = integral(1) when right""#,
    );
    ends_at(&table, 2.0, "a", 0.0, 1e-12);
    ends_at(&table, 2.0, "w", 0.42 / 0.43, 1e-7);
    ends_at(&table, 2.0, "x", 0.0, 1e-12);
    ends_at(&table, 2.0, "u", 1.25, 1e-7);
}

/// Nor does a slide that goes on keep such a one from beginning, or ending by a jump.
#[test]
fn a_margin_jumps_beside_a_slide() {
    let table = |jump: &str| {
        written(
            r#""x": 0, "a": 0, "w": 0, "z": 0.3, "u": 0"#,
            r#""p: a > 1", "up: z > 0""#,
            &format!(
                r#""a = x when !p", "a = x - 0.5 when p", "w = integral(1) when p", "x = integral(1)"{jump},
                   "z = integral(-2) when up", "z = integral(1) when !up", "u = integral(1) when up""#
            ),
        )
    };
    let jumps = r#", "x := 0.2 when every(1.25)""#;
    for (jump, w) in [("", 0.75), (jumps, 0.0625)] {
        ends_at(&table(jump), 2.0, "w", w, 1e-7);
        ends_at(&table(jump), 2.0, "z", 0.0, 1e-12);
        ends_at(&table(jump), 2.0, "u", 0.15 + 1.85 / 3.0, 1e-7);
    }
}

/// Two ranges that their own consequences move slide at once, from 1 to 1.5 and from 1.2 to 1.7 with the shares 2 (x - 1)
/// and 2 (x - 1.2), which multiply where a condition reads both.
#[test]
fn margins_jump_across_two_borders_at_once() {
    let table = |jump: &str| {
        written(
            r#""x": 0, "a": 0, "b": 0, "v": 0, "w": 0, "both": 0"#,
            r#""p: a > 1", "q: b > 1.2""#,
            &format!(
                r#""x = integral(1)"{jump}, "a = x when !p", "a = x - 0.5 when p", "b = x when !q", "b = x - 0.5 when q",
                   "v = integral(1) when p", "w = integral(1) when q", "both = integral(1) when p & q""#
            ),
        )
    };
    let jumps = r#", "x := 0.2 when every(1.25)""#;
    for (jump, [v, w, both]) in [
        ("", [0.75, 0.55, 0.072 + 0.16 + 0.3]),
        (jumps, [0.0625, 0.0025, 0.002 / 3.0 * 0.25 + 0.001]),
    ] {
        ends_at(&table(jump), 2.0, "v", v, 1e-7);
        ends_at(&table(jump), 2.0, "w", w, 1e-7);
        ends_at(&table(jump), 2.0, "both", both, 1e-7);
    }
    let mut table = table("");
    measures(
        &mut table,
        2.0,
        &[(Measure::Duration, "p"), (Measure::Duration, "p & q")],
        &[0.75, 0.532],
    );
}

/// Such ranges that move each other have shares p and q with x - 0.5 p - 0.2 q = 1 and x - 0.2 p - 0.5 q = 1.2: alone p
/// grows as 2 (x - 1) up to 2/3 at 4/3, then to 1 while q grows to 1/3, then q alone as 2 (x - 1.4).
#[test]
fn margins_that_jump_move_each_other() {
    let table = written(
        r#""x": 0, "a": 0, "b": 0, "v": 0, "w": 0"#,
        r#""p: a > 1", "q: b > 1.2""#,
        r#""x = integral(1)", "v = integral(1) when p", "w = integral(1) when q",
           "a = x when !p & !q", "a = x - 0.5 when p & !q", "a = x - 0.2 when !p & q", "a = x - 0.7 when p & q",
           "b = x when !p & !q", "b = x - 0.2 when p & !q", "b = x - 0.5 when !p & q", "b = x - 0.7 when p & q""#,
    );
    ends_at(&table, 2.0, "v", 0.7388888889, 1e-7);
    ends_at(&table, 2.0, "w", 0.3611111111, 1e-7);
}

/// A slide that such a range moves is refused by name.
#[test]
fn a_slide_that_a_jumping_margin_moves_is_named() {
    let table = written(
        r#""x": 0, "a": 0, "z": 0.3"#,
        r#""p: a > 1", "up: z > 0""#,
        r#""x = integral(1)", "a = x when !p", "a = x - 0.5 when p",
           "z = integral(-2) when up", "z = integral(a) when !up""#,
    );
    let config = EventConfig::from_clock(&clock(2.0, Method::Auto, 1e-6)).unwrap();
    let mut run = EventRun::new(table.model, config).unwrap();
    match run.run(&mut ()) {
        Err(RunFault::Chattering { time, why, .. }) => {
            assert!((time - 1.0).abs() < 1e-9, "{time}");
            assert_eq!(why, NoSlide::Coupled);
        }
        other => panic!("{other:?}"),
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

/// A range sets the threshold that it compares with, by a margin that is not affine: it is crossed once.
#[test]
fn a_range_that_sets_its_own_threshold_is_crossed_once() {
    let table = written(
        r#""x": -1, "a": 0.5, "b": 0.4"#,
        r#""r: x >= a""#,
        r#""a = sin(b) when r", "x = integral(0.5)""#,
    );
    ends_at(&table, 6.0, "x", 2.0, 1e-9);
    ends_at(&table, 6.0, "a", 0.4_f64.sin(), 1e-12);
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

/// Slides that move each other's margins in nothing stay apart where a row adds their shares up, and one more reads the
/// sum: each share is 2/3.
#[test]
fn a_sum_over_slides_leaves_them_apart() {
    let table = Table::from_text(
        r#"(format: 1, name: "sum", counters: {"j": "1 .. 8"}, reals: {"x[j]": "0.1 * j", "n": 0, "h": 0, "y": 0},
            ranges: ["above[j]: x[j] > 0"],
            relations: ["x[j] = integral(-1) when above[j]", "x[j] = integral(2) when !above[j]",
                "n = number(above[j] for j)", "h = 3 - n / 2", "y = integral(2 * h + 1)"])"#,
    );
    ends_at(&table, 3.0, "n", 16.0 / 3.0, 1e-9);
    ends_at(&table, 3.0, "h", 1.0 / 3.0, 1e-9);
    // Between the beginnings of the slides at 0.1, 0.2 .. the sum falls by thirds.
    let n = |k: f64| 8.0 - k / 3.0;
    let before: f64 = (0..8).map(|k| 0.1 * (7.0 - n(f64::from(k)))).sum();
    ends_at(&table, 3.0, "y", before + 2.2 * (7.0 - n(8.0)), 1e-6);
}

/// Where the sum moves the margins, the slides are found together: with too many of them the run says so.
#[test]
fn a_sum_over_slides_that_moves_them_joins_them() {
    let text = |n: usize| {
        format!(
            r#"(format: 1, name: "joined", clock: (stop: 3, stepping: events), counters: {{"j": "1 .. {n}"}},
            reals: {{"x[j]": "0.1 * j", "n": 0}}, ranges: ["above[j]: x[j] > 0"],
            relations: ["n = number(above[j] for j)", "x[j] = integral(-1 - 0.1 * n) when above[j]",
                "x[j] = integral(2) when !above[j]"])"#
        )
    };
    let two = Table::from_text(&text(2));
    // While a range holds it is counted itself: each share p has p (-1.1 - 0.1 p) + 2 (1 - p) = 0.
    let share = (-3.1 + (3.1_f64.powi(2) + 0.8).sqrt()) / 0.2;
    ends_at(&two, 3.0, "n", 2.0 * share, 1e-7);
    let eight = Table::from_text(&text(8));
    let config = EventConfig::from_clock(&eight.model.clock).unwrap();
    let mut run = EventRun::new(eight.model, config).unwrap();
    let refused = run.run(&mut ());
    assert!(
        matches!(
            refused,
            Err(RunFault::Chattering {
                why: NoSlide::TooMany(_),
                ..
            })
        ),
        "{refused:?}"
    );
}

/// Rows act for the shares of the modes around a slide in which their ranges hold, whatever these ranges read: u is -4
/// for (4 + sin t) / 8 of the time and else 4, from 4 t = cos t on, where the slide begins.
#[test]
fn ranges_of_what_jumps_hold_for_shares() {
    let table = written(
        r#""x": -1, "u": 0, "on": 0, "held": 0, "open": 0, "big": 0"#,
        r#""above: x > 0", "is_on: on > 0.5", "opens: u > 0", "is_big: abs(u) > 3""#,
        r#""u = -4 when above", "u = 4 otherwise", "on = 1 when above", "on = 0 otherwise", "x = integral(u + sin(time))",
            "held = integral(1) when is_on", "open = integral(1) when opens", "big = integral(1) when is_big""#,
    );
    let held = (16.0 - 4.0_f64.cos()) / 8.0;
    ends_at(&table, 4.0, "held", held, 1e-5);
    ends_at(&table, 4.0, "open", 4.0 - held, 1e-5);
    ends_at(&table, 4.0, "big", 4.0, 1e-9);
}

/// The friction work of blocks that never go back is the way that they have gone together: on its border a bend has one value,
/// whatever the share, and joins no slides.
#[test]
fn a_row_that_bends_on_the_borders_of_slides_leaves_them_apart() {
    let table = Table::from_text(
        r#"(format: 1, name: "work", counters: {"j": "1 .. 8"},
            reals: {"v[j]": 0, "x[j]": 0, "work": 0, "back": 0, "off": 0, "lost": 0},
            relations: ["v[j] = integral(2 * (0.4 * time * (1 + 0.1 * j) - x[j]) - sign(v[j]))",
                "x[j] = integral(v[j])", "work = integral(sum(abs(v[j]) for j))",
                "back = sum(min(v[j], 0) for j)", "lost = sum(max(v[j], -v[j]) - v[j] for j)",
                "off = work - sum(x[j] for j)"])"#,
    );
    for (real, tolerance) in [("off", 1e-7), ("back", 1e-12), ("lost", 1e-12)] {
        ends_at(&table, 5.0, real, 0.0, tolerance);
    }
}
