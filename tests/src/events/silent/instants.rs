//! What happens at one time, and at which.

use std::f64::consts::PI;

use situ_engine::model::Clock;
use situ_engine::sim::{EventConfig, EventRun};
use situ_engine::trace::Measure;
use situ_engine::{Locate, Method};

use super::{ADAPTIVE, Kind, clock, ends_at, instants_of, last, measures, rows, table, written};
use crate::tables::{Table, root};

#[test]
fn inside_of_stiff_steps() {
    let table = table("4_stiff_inside");
    let all = [1e-3, 1e-4, 1e-6, 1e-8, 1e-10];
    for (method, tolerances) in [
        (Method::Auto, &all[..]),
        (Method::Rodas5p, &all),
        (Method::Bdf, &all),
        (Method::Radau, &all),
        (Method::Mk21, &all[..3]),
    ] {
        for &rtol in tolerances {
            let mut clock = clock(12.0, method, rtol);
            clock.every = Some(0.003);
            let trace = rows(&table.model, &clock);
            let x = &trace.reals[table.real("x").index()];
            let off = trace.time.iter().zip(x);
            let off = off.map(|(t, x)| (x - t.cos()).abs()).fold(0.0, f64::max);
            assert!(off <= 10.0 * rtol, "{method:?} {rtol}: {off}");
        }
    }
}

#[test]
fn events_of_stiff_quantities() {
    for method in [Method::Auto, Method::Rodas5p] {
        for rtol in [1e-3, 1e-4, 1e-6] {
            // i' = 0 integrated by itself counts as many.
            let servo = table("4b_servo");
            assert_eq!(last(&servo, &clock(10.0, method, rtol), "n"), 4.0);
            assert_eq!(last(&servo, &clock(20.0, method, rtol), "n"), 7.0);
            let events = table("4c_stiff_events");
            let trace = rows(&events.model, &clock(12.0, method, rtol));
            let n = &trace.reals[events.real("n").index()];
            let at = |count: f64| trace.time[n.iter().position(|&n| n == count).unwrap()];
            for (count, known) in [(1.0, 0.5 * PI), (2.0, 2.5 * PI)] {
                assert!(
                    (at(count) - known).abs() < 30.0 * rtol,
                    "{rtol}: {}",
                    at(count)
                );
            }
            assert_eq!(n[n.len() - 1], 2.0);
        }
    }
}

/// Where stability bounds the steps of an explicit method, what rings at its border is not taken for events.
#[test]
fn events_of_stiff_quantities_by_explicit_methods() {
    let text = std::fs::read_to_string(root().join("tests/data/tables/4b_servo.ron")).unwrap();
    let servo = Table::from_text(&text.replace("\"L\": 1e-6", "\"L\": 1e-4"));
    for method in [
        Method::Taylor,
        Method::Tsit5,
        Method::Dop853,
        Method::Merson,
    ] {
        for rtol in [1e-3, 1e-4] {
            assert_eq!(
                last(&servo, &clock(10.0, method, rtol), "n"),
                4.0,
                "{method:?} {rtol}"
            );
        }
    }
}

#[test]
fn a_range_that_its_own_consequence_moves() {
    let table = table("5_self_jump");
    ends_at(&table, 1.25, "w", 0.0625, 1e-7);
    ends_at(&table, 2.0, "w", 0.75, 1e-7);
}

/// A jump ends such a slide where truths agree with their values again: the one that agrees is taken, whatever stood when
/// the slide began, and the one of then if both agree.
#[test]
fn a_jump_off_what_its_own_consequence_moves() {
    let consequence = |begin: f64, rows: &str| {
        written(
            &format!(r#""x": {begin}, "a": 0, "c": -0.5, "w": 0"#),
            r#""p: a > 1""#,
            &format!(r#"{rows}, "a = x when !p", "a = x + c when p", "w = integral(1) when p""#),
        )
    };
    // The share is 2 (x - 1) from 1 on, 0.5 at 1.25.
    let falls = [
        r#""x = integral(1)", "x := 0.2 when every(1.25)""#,
        r#""x = integral(1)", "x := -5 when every(1.25) & x > 0""#,
        r#""x = time - step(1.25)""#,
    ];
    for rows in falls {
        let table = consequence(0.0, rows);
        ends_at(&table, 2.0, "w", 0.0625, 1e-7);
        let x = last(&table, &clock(2.0, Method::Auto, 1e-8), "x");
        ends_at(&table, 2.0, "a", x, 1e-7);
    }
    let up = consequence(0.0, r#""x = integral(1)", "x := 9 when every(1.25)""#);
    ends_at(&up, 2.0, "w", 0.8125, 1e-7);
    let both = r#""x := 0.8 when every(1.25)", "c := 0.5 when every(1.25)""#;
    let rises = consequence(0.0, &format!(r#""x = integral(1)", {both}"#));
    ends_at(&rises, 2.0, "w", 0.8125, 1e-7);
    // From above the slide begins with the share 1, at 0.5.
    let both = both.replace("1.25", "0.75");
    let falls = consequence(2.0, &format!(r#""x = integral(-1)", {both}"#));
    ends_at(&falls, 1.0, "w", 0.6875, 1e-7);
}

#[test]
fn times_that_are_computed_are_one() {
    let table = table("7_beats");
    for (name, known) in [("n", 30.0), ("m", 10.0), ("b", 10.0)] {
        ends_at(&table, 3.05, name, known, 0.0);
    }
    ends_at(&table, 0.3, "n", 3.0, 0.0);
}

#[test]
fn a_microstep_is_a_tick_of_no_length() {
    let hold = table("8_hold");
    ends_at(&hold, 2.0, "a", 1.0, 1e-12);
    ends_at(&hold, 2.0, "b", 1.0, 1e-12);
    let below = Table::from_text(
        r#"(format: 1, name: "below", reals: {"x": 0, "b": 0}, ranges: ["p: x < 2", "q: x >= 1"],
        situations: ["event e: q"], relations: ["x = integral(1)", "x := 5 when e", "b = x when p"])"#,
    );
    ends_at(&below, 2.0, "b", 5.0, 1e-12);
    let chain = Table::from_text(
        r#"(format: 1, name: "chain", reals: {"x": 0, "c": 0, "y": 0, "n": 0},
        switches: {"s1": false, "s2": false}, ranges: ["q: x >= 1"],
        situations: ["event e: q", "event mid: s1 & !s2"],
        assignments: ["when s1: s2", "when q: s1"],
        relations: ["c = 3 when q", "y := c when e", "n := n + 1 when mid", "x = integral(1)"])"#,
    );
    ends_at(&chain, 2.0, "y", 3.0, 0.0);
    ends_at(&chain, 2.0, "n", 1.0, 0.0);
}

#[test]
fn an_event_at_the_stop() {
    let table = table("9_at_the_stop");
    for method in [Method::Rk4, Method::Gauss, Method::Euler] {
        let mut clock = clock(1.0, method, 1e-6);
        clock.step = Some(0.01);
        assert_eq!(last(&table, &clock, "n"), 1.0, "{method:?}");
    }
    ends_at(&table, 1.0, "n", 1.0, 0.0);
}

/// An event turns off what a level turns on: off for a microstep, and a switch that it sets is cleared by that. No pass is
/// undone for ever.
#[test]
fn assignments_that_undo_each_other_once() {
    let table = Table::from_text(
        r#"(format: 1, name: "undone", reals: {"a": 0, "b": 0, "n": 0}, switches: {"s": false, "r": false},
            ranges: ["always: time >= 0"], situations: ["event e: every(0.3)", "event gone: !s"],
            assignments: ["when always: s", "when e: !s", "when e: r", "when !s: !r"],
            relations: ["a = integral(1) when s", "b = integral(1) when r", "n = counter(gone)"])"#,
    );
    ends_at(&table, 1.0, "a", 1.0, 1e-9);
    ends_at(&table, 1.0, "b", 0.0, 0.0);
    ends_at(&table, 1.0, "n", 3.0, 0.0);
}

/// A pass sets a switch and clears it again; that rows below set and clear another one in it does not follow from that.
#[test]
fn assignments_that_undo_each_other_in_one_pass() {
    let table = Table::from_text(
        r#"(format: 1, reals: {"a": 0, "b": 0}, switches: {"s": true, "r": false},
            ranges: ["late: time >= 0.7", "later: time >= 1.4"],
            assignments: ["when later: s", "when late: !s", "when !s: r", "when !s: !r"],
            relations: ["a = integral(1) when s", "b = integral(1) when r"])"#,
    );
    ends_at(&table, 2.0, "a", 0.7, 1e-9);
    ends_at(&table, 2.0, "b", 0.0, 0.0);
}

/// A counter among the rows that act where bounces accumulate on a curved floor: the bead stays in the bowl y = x^2.
#[test]
fn a_counter_of_bounces_that_gather_on_a_curve() {
    let table = Table::from_text(
        r#"(format: 1,
            reals: {"x": 0.5, "y": 1, "vx": 0, "vy": 0, "g": 0, "n": 0, "k": 0},
            situations: ["event hit: g <= 0 & vy - 2 * x * vx < 0"],
            relations: ["x = integral(vx)", "y = integral(vy)", "vx = integral(0)", "vy = integral(-9.81)", "g = y - x * x",
                "k = 1.5 * (vy - 2 * x * vx) / (1 + 4 * x * x)", "n = counter(hit)",
                "vx, vy := vx + 2 * x * k, vy - k when hit"])"#,
    );
    ends_at(&table, 3.0, "g", 0.0, 1e-6);
}

/// A condition of a measure that begins on its border: v = -sin t.
#[test]
fn a_measure_that_begins_on_its_border() {
    let table = written(
        r#""v": 0, "x": 1"#,
        "",
        r#""v = integral(-x)", "x = integral(v)""#,
    );
    for method in ADAPTIVE {
        let mut table = table.clone();
        let measures = [
            Measure::First(table.watch("v > 0")),
            Measure::Count(table.watch("v > 0")),
            Measure::Count(table.watch("sin(v) > 0")),
            Measure::First(table.watch("v < 0")),
            Measure::Count(table.watch("v < 0")),
        ];
        let config = EventConfig::from_clock(&clock(20.0, method, 1e-9)).unwrap();
        let mut run = EventRun::with_measures(table.model.clone(), config, &measures).unwrap();
        run.run(&mut ()).unwrap();
        let found: Vec<f64> = run.measured().into_iter().map(Option::unwrap).collect();
        assert!((found[0] - PI).abs() < 1e-7, "{method:?}: {found:?}");
        assert_eq!(found[1..], [3.0, 3.0, 0.0, 4.0], "{method:?}");
    }
}

/// A condition that holds in the first microstep arises in it, as in the first tick; one that held before does not.
#[test]
fn what_the_start_brings_about_is_counted() {
    let mut table = Table::from_text(
        r#"(format: 1, clock: (step: 0.1, stop: 1), reals: {"x": 0, "n": 0}, switches: {"s": false},
            ranges: ["low: x < 9", "high: x > 2"],
            situations: ["begin: start", "event ev: start", "event beat: every(0.5, 0)", "up: high"],
            assignments: ["when low: s"],
            relations: ["x = integral(0.01)", "x := 5 when ev", "n := n + 1 when ev"])"#,
    );
    let wanted = ["begin", "ev", "beat", "up", "s", "low", "x > 2"];
    let wanted = wanted.map(|name| (Measure::Count as Kind, name));
    measures(
        &mut table,
        1.0,
        &wanted,
        &[1.0, 1.0, 3.0, 1.0, 1.0, 0.0, 1.0],
    );
    let wanted = [
        (Measure::First as Kind, "begin"),
        (Measure::Duration, "begin"),
    ];
    measures(&mut table, 1.0, &wanted, &[0.0, 0.0]);
    let config = EventConfig::from_clock(&clock(1.0, Method::Auto, 1e-6)).unwrap();
    let mut run = EventRun::new(table.model.clone(), config).unwrap();
    run.run(&mut ()).unwrap();
    let covered = run.covered();
    // One switch and two ranges stand before it.
    assert!(covered.ever(3), "it held in a microstep");
    assert_eq!(covered.fired[1..3], [1, 3]);
}

/// Beats at the start and before it are one, in the first tick and at the start.
#[test]
fn schedules_that_have_begun() {
    for (first, stop, known) in [
        (0.0, 0.9, 2.0),
        (0.0, 1.0, 3.0),
        (-0.25, 1.0, 3.0),
        (-1.25, 1.0, 3.0),
        (-3.0, 1.0, 3.0),
        (0.25, 1.0, 2.0),
    ] {
        let relations = format!("\"a := a + 1 when every(0.5, {first})\"");
        ends_at(&written("\"a\": 0", "", &relations), stop, "a", known, 0.0);
    }
    let often = written("\"a\": 0", "", "\"a := a + 1 when every(0.1, -0.7)\"");
    ends_at(&often, 0.95, "a", 10.0, 0.0);
}

/// What leaves its border with a derivative of high order only.
#[test]
fn a_border_that_is_left_slowly() {
    for order in [3, 5, 8] {
        let relations = format!(
            "\"x = integral({order} * time ^ {})\", \"w = integral(1) when up\"",
            order - 1
        );
        let table = written(r#""x": 0, "w": 0"#, r#""up: x > 0""#, &relations);
        ends_at(&table, 2.0, "w", 2.0, 1e-2);
    }
}

/// A jump that brings a value exactly onto a border, on one side of which it would stay: strictness decides, as in
/// ticks.
#[test]
fn a_jump_onto_a_border() {
    for (op, after, late) in [(">=", 0.31, 0.31), (">", 0.06, -0.18)] {
        let table = Table::from_text(&format!(
            r#"(format: 1, name: "onto", reals: {{"y": -1}}, ranges: ["p: y {op} 0.31"],
                relations: ["y := 0.31 when every(0.5, 0.5)", "y = integral(-1) when !p"])"#
        ));
        ends_at(&table, 0.75, "y", after, 1e-9);
        ends_at(&table, 0.99, "y", late, 1e-9);
    }
}

/// Edges of pulses and knots of periodic lookups are landed on (FORMALISM 10.3), whatever is recorded and however
/// crossings are located.
#[test]
fn edges_in_time_are_landed_on() {
    let lookup = "lookups: {\"f\": (x: [0, 1, 2, 3, 5], y: [1, 3, 2, 5, 1], outside: periodic)},";
    let beats = |first: f64, period: f64, phases: &[f64], stop: f64| {
        let beats = (0..1000).map(|k| first + f64::from(k) * period);
        let edges = beats.flat_map(|beat| phases.iter().map(move |phase| beat + phase));
        let edges = edges.filter(|&edge| edge > 0.0 && edge <= stop);
        edges.collect::<Vec<f64>>()
    };
    for (row, edges) in [
        ("pulse(1, 0.25, 0.5)", beats(0.5, 1.0, &[0.0, 0.25], 8.0)),
        ("pulse(1.3, 0.4)", beats(0.0, 1.3, &[0.0, 0.4], 8.0)),
        ("pulse(0.3, 0.1)", beats(0.0, 0.3, &[0.0, 0.1], 8.0)),
        ("f(time)", beats(0.0, 5.0, &[0.0, 1.0, 2.0, 3.0], 8.0)),
        ("floor(time)", beats(0.0, 1.0, &[0.0], 8.0)),
    ] {
        let table = Table::from_text(&format!(
            r#"(format: 1, name: "edges", reals: {{"z": 0, "y": 0}}, {lookup}
                relations: ["z = {row}", "y = integral(z)"])"#
        ));
        let mut ends = Vec::new();
        for (method, every, locate) in [
            (Method::Auto, None, Locate::Root),
            (Method::Dop853, Some(8.0), Locate::Root),
            (Method::Auto, Some(0.7), Locate::Linear),
            (Method::Auto, Some(0.7), Locate::Quadratic),
            (Method::Rk4, Some(0.7), Locate::None),
        ] {
            let mut clock = clock(8.0, method, 1e-8);
            clock.every = every;
            clock.step = (method == Method::Rk4).then_some(0.37);
            let mut config = EventConfig::from_clock(&clock).unwrap();
            config.locate = locate;
            let (log, reals) = instants_of(&table, config);
            let mut times: Vec<f64> = log.iter().map(|(time, _)| *time).collect();
            times.dedup();
            let case = format!("{row} {method:?} {every:?} {locate:?}");
            assert_eq!(times.len(), edges.len(), "{case}: {times:?}");
            for (time, edge) in times.iter().zip(&edges) {
                assert!(
                    (time - edge).abs() <= f64::EPSILON * edge,
                    "{case}: {time}, not {edge}"
                );
            }
            ends.push(reals[table.real("y").index()]);
        }
        let [first, others @ ..] = &ends[..] else {
            unreachable!()
        };
        assert!(
            others.iter().all(|end| (end - first).abs() < 1e-12),
            "{row}: {ends:?}"
        );
    }
}

/// An event that leads solved rows to another solution ends the step: the old motion does not go on in its dense output.
#[test]
fn a_solution_that_an_event_chooses_holds_at_once() {
    let rows = [
        (0, r#""solve y: y^2 = 1 + x""#),
        (0, r#""y = y + w", "w = 0.1 * (1 + x - y^2)""#),
        (
            1,
            r#""solve y, w: y + w = 0, y * w = -1 - x", "w := -1 when e""#,
        ),
    ];
    let exact = 2.0 / 3.0 * (3f64.powf(1.5) - 2.0 * 2f64.powf(1.5) + 1.0);
    for (w, row) in rows {
        for method in ADAPTIVE.into_iter().chain([Method::Radau, Method::Bdf]) {
            let table = Table::from_text(&format!(
                r#"(format: 1, name: "branches", clock: (stepping: events, stop: 2),
                    reals: {{"x": 0, "y": -1, "w": {w}, "z": 0}}, situations: ["event e: x >= 1"],
                    relations: ["x = integral(1)", {row}, "z = integral(y)", "y := 1 when e"])"#
            ));
            ends_with(&table, method, "z", exact);
        }
    }
}

/// A hysteresis goes on from what an event writes into its real, as it does in ticks.
#[test]
fn a_hysteresis_goes_on_from_what_an_event_writes() {
    for (high, h, z) in [(5.0, 0.3, 0.3), (1.5, 1.0, 0.65)] {
        for method in ADAPTIVE {
            let table = Table::from_text(&format!(
                r#"(format: 1, name: "latch", clock: (stepping: events, stop: 2),
                    reals: {{"x": 0, "h": 0, "z": 0}}, situations: ["event e: x >= 1"],
                    relations: ["x = integral(1)", "h = hysteresis(x, -5, {high})", "h := 0.3 when e",
                        "z = integral(h)"])"#
            ));
            ends_with(&table, method, "h", h);
            ends_with(&table, method, "z", z);
        }
    }
}

fn ends_with(table: &Table, method: Method, real: &str, exact: f64) {
    let config = EventConfig::from_clock(&clock(2.0, method, 1e-9)).unwrap();
    let mut run = EventRun::new(table.model.clone(), config).unwrap();
    run.run(&mut ()).unwrap();
    let found = run.row().reals[table.model.real(real).unwrap().index()];
    assert!(
        (found - exact).abs() < 1e-6,
        "{method:?} {real}: {found} {exact}"
    );
}

/// A value that holds between events is given again once an event row has written it: by rows below at once, by rows above
/// and "otherwise" in the next microstep, as in the ticks that follow.
#[test]
fn values_between_events_hold_again() {
    let ends = |relations: &str, known: &[(&str, f64)]| {
        let table = Table::from_text(&format!(
            r#"(format: 1, reals: {{"x0": 0, "x": 0, "u": 0, "sh": 0, "n": 0}}, switches: {{"on": true}},
                ranges: ["neg: x < 0", "big: x > 2"], situations: ["event e: x0 >= 1", "event b: big"],
                relations: ["x0 = integral(1)", {relations}])"#
        ));
        for &(name, value) in known {
            ends_at(&table, 4.0, name, value, 1e-9);
        }
    };
    ends(
        r#""x := 3 when e", "x = 1 when on", "n = counter(big)""#,
        &[("x", 1.0), ("n", 0.0)],
    );
    ends(
        r#""sh = x when neg", "u = x0 * x0", "x = u", "x := -5 when e", "n = counter(neg)""#,
        &[("x", 16.0), ("sh", -5.0), ("n", 1.0)],
    );
    ends(
        r#""x := 5 when e", "x = 1 when neg", "x = 0 otherwise", "n := n + 1 when b""#,
        &[("x", 0.0), ("n", 1.0)],
    );
}

/// A beat puts x back to 1 at the very times at which an earlier jump comes out of a delay: each span in which the delayed
/// value is above 0.9 has its length, ln(1 / 0.9) / 2, but for what the stop cuts off.
#[test]
fn jumps_that_come_out_of_delays_at_beats_are_seen_once() {
    let mut table = Table::from_text(
        r#"(format: 1, reals: {"x": 0, "u": 0, "n": 0}, ranges: ["high: u > 0.9"], situations: ["event e: every(0.1)"],
            relations: ["x := 1 when e", "x = integral(-2 * x)", "u = delay(x, 0.1)", "n = counter(high)"])"#,
    );
    let span = (1.0_f64 / 0.9).ln() / 2.0;
    let wanted: [(Kind, &str); 2] = [(Measure::Duration, "high"), (Measure::Count, "high")];
    measures(&mut table, 5.05, &wanted, &[48.0 * span + 0.05, 49.0]);
}

/// A reset in proportion to a number that has just been located at 0 leaves it at 0: the motion goes on across the border,
/// and what the search left of 0 is no way back. The event fires once.
#[test]
fn a_factor_does_not_move_what_is_at_0() {
    for (rate, known) in [
        ("1 + 0.5 * sin(x)", 2.241_055_558),
        ("exp(-x)", 1.214_283_3),
    ] {
        for factor in [-2.0, -1.0, -0.5, -0.164, 0.0, 0.5, 2.0] {
            let table = Table::from_text(&format!(
                r#"(format: 1, reals: {{"x": -1, "n": 0}}, situations: ["event e: x > 0"],
                    relations: ["x = integral({rate})", "x := {factor} * x when e", "n := n + 1 when e"])"#
            ));
            ends_at(&table, 3.0, "n", 1.0, 0.0);
            ends_at(&table, 3.0, "x", known, 1e-6);
        }
    }
}

/// An implicit method crosses a border of a motion that is not stiff like any other: to the error of its trajectory, not to
/// the tolerance.
#[test]
fn implicit_methods_leave_borders_when_their_motion_does() {
    let slow = Table::from_text(
        r#"(format: 1, reals: {"x": 1000, "w": 0, "n": 0}, ranges: ["high: x > 1000.0002"], situations: ["event up: high"],
            relations: ["x = integral(0.0005 * cos(time))", "w = integral(1) when high", "n := n + 1 when up"])"#,
    );
    let arch = Table::from_text(
        r#"(format: 1, reals: {"v": 1, "x": 999.5, "w": 0}, ranges: ["high: x > 999.9995"],
            relations: ["v = integral(-1)", "x = integral(v)", "w = integral(1) when high"])"#,
    );
    let pi = std::f64::consts::PI;
    let known = 3.0 * (pi - 2.0 * 0.4_f64.asin()) + 20.0 - 6.0 * pi - 0.4_f64.asin();
    for method in [Method::Rodas5p, Method::Radau, Method::Mk21, Method::Gauss] {
        let fine = Clock {
            step: (method == Method::Gauss).then_some(0.01),
            hmax: (method != Method::Gauss).then_some(0.02),
            ..clock(20.0, method, 1e-6)
        };
        let found = [last(&slow, &fine, "w"), last(&slow, &fine, "n")];
        assert!(
            (found[0] - known).abs() < 1e-3 && found[1] == 4.0,
            "{method:?}: {found:?}"
        );
        let fine = Clock {
            stop: Some(2.0),
            ..fine
        };
        let found = last(&arch, &fine, "w");
        let known = 2.0 * 0.001_f64.sqrt();
        assert!(
            (found - known).abs() < 1e-6,
            "{method:?}: {found}, not {known}"
        );
    }
}

/// What an event sets onto the border on which it was fired, and nothing moves there, compares as the numbers do.
#[test]
fn what_is_set_onto_its_border_compares_as_a_number() {
    for (range, known) in [
        ("h > 1", 0.0),
        ("h <= 1", 5.0),
        ("h >= 1", 3.0),
        ("h < 1", 2.0),
    ] {
        let table = Table::from_text(&format!(
            r#"(format: 1, reals: {{"h": 0, "w": 0}}, switches: {{"up": true}}, ranges: ["over: {range}"],
                situations: ["event arrive: up & h >= 1"], assignments: ["when arrive: !up"],
                relations: ["h = integral(0.5) when up", "h := 1 when arrive", "w = integral(1) when over"])"#
        ));
        ends_at(&table, 5.0, "w", known, 1e-9);
    }
    let stop = Table::from_text(
        r#"(format: 1, reals: {"v": 0.3, "x": 0, "w": 0}, ranges: ["beyond: x > 1"], situations: ["event hit: x >= 1"],
            relations: ["v, x := 0, 1 when hit", "v = integral(0)", "x = integral(v)", "w = integral(1) when beyond"])"#,
    );
    ends_at(&stop, 5.0, "w", 0.0, 1e-9);
}

/// What a kink at the start has on one side of it holds from the start: no event fires for it.
#[test]
fn a_kink_at_the_start_fires_no_event() {
    for value in ["max(x, 0)", "clamp(x, 0, 5)", "x + abs(x)", "x"] {
        let table = Table::from_text(&format!(
            r#"(format: 1, reals: {{"x": 0, "i": 0, "n": 0, "c": 0}}, ranges: ["pos: i > 0"], situations: ["event e: pos"],
                relations: ["x = integral(1)", "i = {value}", "n := n + 1 when e", "c = counter(pos)"])"#
        ));
        ends_at(&table, 1.0, "n", 0.0, 0.0);
        ends_at(&table, 1.0, "c", 0.0, 0.0);
    }
}

/// A value on its border after a row has come into force leaves it as its square does, whatever the sign of the base.
#[test]
fn powers_of_negative_numbers_leave_their_borders() {
    for power in [
        "(y - 1.8)^2",
        "power(y - 1.8, 2)",
        "(1.8 - y)^2",
        "(y - 1.8) * (y - 1.8)",
    ] {
        let table = Table::from_text(&format!(
            r#"(format: 1, reals: {{"l": 1, "y": 1.5, "n": 0}}, switches: {{"st": false}},
                situations: ["event touch: !st & y <= 0.8", "event e: st & l >= 1"], assignments: ["when touch: st"],
                relations: ["y = integral(-1)", "l = {power} + 4 * (y - 0.8) when st", "l = 1 otherwise", "n := n + 1 when e"])"#
        ));
        ends_at(&table, 2.0, "n", 0.0, 0.0);
    }
}
