//! What jumps across the borders of slides: kinks, ranges and delays of it.

use situ_engine::Method;

use super::{ADAPTIVE, clock, ends_at, last, written};

/// Kinks of what jumps along a slide turn in each of the modes around by themselves: x rests at 0 with 0.65 of the rate
/// above and 0.35 of that below.
#[test]
fn kinks_turn_in_each_of_the_modes_around_a_slide() {
    let signs = [
        ("abs(sign(x) - 0.3 * time)", 0.65 * 1.65 + 0.35 * 4.35),
        ("min(sign(x), 0.3 * time)", 0.65 * 1.35 - 0.35 * 3.0),
        ("max(sign(x), time - 1.5)", 0.65 * 3.125 + 0.35 * 0.125),
        ("abs(sign(x) - time + 1.5)", 3.25),
    ];
    for (kink, exact) in signs {
        let relations = format!("\"x = integral(0.3 - sign(x))\", \"w = integral({kink})\"");
        let table = written("\"x\": 0, \"w\": 0", "", &relations);
        ends_at(&table, 3.0, "w", exact, 1e-6);
    }
    let table = written(
        "\"x\": 0, \"u\": 0, \"w\": 0",
        "\"r: x > 0\"",
        "\"u = 1 when r\", \"u = -1 otherwise\", \"x = integral(0.3 - u)\", \"w = integral(abs(u - time + 1.5))\"",
    );
    ends_at(&table, 3.0, "w", 3.25, 1e-6);
}

/// What a positioner with a dead band moves: along the edges of the band it moves on one side and stands still on the other,
/// whose rate of 0 is on the border of each kink.
#[test]
fn kinks_of_what_stands_still_beside_a_slide() {
    let positioner = |goal: &str, [band, time, start]: [f64; 3]| {
        let reals =
            format!(r#""err": 0, "rate": 0, "pos": {start}, "travel": 0, "up": 0, "down": 0"#);
        let relations = format!(
            r#""err = {goal} - pos", "rate = err / {time} when far", "rate = 0 otherwise", "pos = integral(rate)",
               "travel = integral(abs(rate))", "up = integral(max(rate, 0))", "down = integral(min(rate, 0))""#
        );
        written(&reals, &format!("\"far: abs(err) > {band}\""), &relations)
    };
    // The edges are left where the goal turns: the position is band below the goal or above, or where that was.
    let table = positioner("100 + 2 * sin(time)", [1.25, 0.1, 98.75]);
    let down = -1.5 - 0.75 + (2.0 * 10.0_f64.sin() + 1.25);
    for (name, known) in [("up", 3.5), ("down", down), ("travel", 3.5 - down)] {
        ends_at(&table, 10.0, name, known, 1e-6);
        for method in ADAPTIVE {
            let off = last(&table, &clock(10.0, method, 1e-4), name) - known;
            assert!(off.abs() < 2e-3, "{method:?}: {name} is off by {off}");
        }
    }
    // Where the goal is too fast, the position follows it by what solves its equation outside the band.
    let table = positioner("8 * sin(0.3 * time) + sin(1.3 * time)", [0.5, 0.3, 0.0]);
    ends_at(&table, 40.0, "travel", 60.239_191_283_215, 1e-5);
    ends_at(&table, 40.0, "pos", -3.949_377_286_554, 1e-5);
    for method in ADAPTIVE.into_iter().chain([Method::Radau, Method::Bdf]) {
        let travel = last(&table, &clock(40.0, method, 1e-6), "travel");
        let off = (travel - 60.239_191_283_215).abs();
        assert!(off < 1e-3, "{method:?}: {travel}");
    }
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

/// x is held at 0 by u, which is -1 above it for 3/4 of the time and 3 below it; w integrates something of u until a time.
#[track_caller]
fn gathers(more: &str, ranges: &str, rows: &str, (stop, known): (f64, f64)) {
    let relations =
        format!("\"u = -1 when above\", \"u = 3 otherwise\", \"x = integral(u)\", {rows}");
    let reals = format!("\"x\": 0, \"u\": 0, \"w\": 0{more}");
    let table = written(&reals, &format!("\"above: x > 0\"{ranges}"), &relations);
    ends_at(&table, stop, "w", known, 1e-6);
}

/// Kinks within kinks of what jumps: the outer one is on the side of what the inner one gives in each mode.
#[test]
fn kinks_within_kinks_of_what_jumps() {
    let kinks = [
        ("abs(abs(u) - 2)", 5.0),
        ("abs(abs(u) - time)", 0.75 * 8.5 + 0.25 * 6.5),
        ("abs(sign(abs(u) - time) + 0.5)", 0.75 * 3.5 + 0.25 * 5.5),
        ("min(abs(sign(u)), sign(sign(u + 0.5)))", -2.5),
        (
            "max(min(u, time - 2), -abs(u - 1))",
            -0.75 * 5.5 + 0.25 * 2.5,
        ),
    ];
    for (kink, known) in kinks {
        gathers("", "", &format!("\"w = integral({kink})\""), (5.0, known));
    }
    let rows = r#""y = sign(abs(u) - time)", "w = integral(abs(y + 0.5))""#;
    gathers(", \"y\": 0", "", rows, (5.0, 0.75 * 3.5 + 0.25 * 5.5));
}

/// Ranges of what jumps, with kinks in them or without, turn in each of the modes around by themselves.
#[test]
fn ranges_of_what_jumps_turn_in_each_of_the_modes() {
    let ranges = [
        ("u + time > 4", 0.75 + 0.25 * 5.0),
        ("u * (1 + time) > -4", 0.75 * 3.0 + 0.25 * 6.0),
        ("abs(u) > 2", 0.25 * 6.0),
        ("abs(u - time) > 2.5", 0.75 * 4.5 + 0.25),
        ("abs(abs(u) - 2) > time", 0.75 + 0.25),
    ];
    for (range, known) in ranges {
        let range = format!(", \"acts: {range}\"");
        gathers("", &range, "\"w = integral(1) when acts\"", (6.0, known));
    }
}

/// A range of what jumps across one of two slides that know nothing of each other holds for its share; a condition or a
/// range that reads both, for the product of shares. x2 is held at 0 by v, which is -3 above it for 1/4 of the time and 1 below it.
#[test]
fn ranges_of_what_jumps_belong_to_their_slides() {
    let conditions = [
        ("slow", 0.75 * 4.0),
        ("up", 0.25 * 4.0),
        ("slow & up", 0.75 * 0.25 * 4.0),
        ("both", 0.75 * 0.25 * 4.0),
    ];
    for (condition, known) in conditions {
        gathers(
            ", \"x2\": 0, \"v\": 0",
            r#", "above2: x2 > 0", "slow: v > -2", "up: u > 0", "both: u + v > 3""#,
            &format!(
                "\"v = -3 when above2\", \"v = 1 otherwise\", \"x2 = integral(v)\", \"w = integral(1) when {condition}\""
            ),
            (4.0, known),
        );
    }
}

/// A delay of a kink of what jumps takes in the mean of its values in the modes around, from the start on; before that the
/// start value of u counts.
#[test]
fn delays_of_kinks_of_what_jumps() {
    let delays = [
        ("abs(u)", 4.5 * (0.75 + 0.25 * 3.0)),
        ("abs(abs(u) - 2)", 0.5 * 2.0 + 4.5),
        ("abs(abs(u) - time)", 0.75 * 6.625 + 0.25 * 5.625),
    ];
    for (kink, known) in delays {
        let rows = format!("\"d = delay({kink}, 0.5)\", \"w = integral(d)\"");
        gathers(", \"d\": 0", "", &rows, (5.0, known));
    }
}

/// What jumps from 0 to 2 stands on the borders of kinks and ranges on one side of a slide, where equal numbers compare by
/// strictness: x is held at 0 by u, which is 0 above it for half of the time.
#[test]
fn what_jumps_to_a_border_stands_on_it() {
    let rows = [
        ("\"w = integral(1) when on\"", 0.5),
        ("\"w = integral(1) when off\"", 0.5),
        ("\"w = integral(1) when full\"", 0.5),
        ("\"w = integral(1) when over\"", 0.0),
        ("\"w = integral(sign(u))\"", 0.5),
        ("\"w = integral(sign(u - 2))\"", -0.5),
    ];
    for start in [0.0, 0.5, -0.5] {
        for (row, share) in rows {
            let table = written(
                &format!("\"x\": {start}, \"u\": 0, \"w\": 0"),
                r#""above: x > 0", "on: u > 0", "off: u <= 0", "full: u >= 2", "over: u > 2""#,
                &format!(
                    "\"u = 0 when above\", \"u = 2 otherwise\", \"x = integral(u - 1)\", {row}"
                ),
            );
            let gathered = |stop| last(&table, &clock(stop, Method::Auto, 1e-8), "w");
            let off = gathered(4.0) - gathered(1.0) - 3.0 * share;
            assert!(off.abs() < 1e-6, "{start} {row}: off by {off}");
        }
    }
}

/// A kink of what is held above the border of a slide and moves below it: x comes to 0 at 0.3, the latch opens where held is
/// 0.4 and closes where it is 1.28.
#[test]
fn kinks_of_what_is_held_beside_a_slide() {
    let table = written(
        r#""x": 0.3, "y": -0.27, "held": 0, "latch": 0, "w": 0"#,
        r#""low: x <= 0""#,
        r#""x = integral(1) when low", "x = integral(-1) otherwise", "y = integral(1)", "held = y when low",
            "latch = hysteresis(max(held - 0.5, 3 * (0.5 - held)) - 0.5, -0.2, 0.28)", "w = integral(latch)""#,
    );
    ends_at(&table, 2.0, "w", 1.12, 1e-6);
}
