//! Tables that once gave wrong numbers without a word (`tests/data/tables`), by their true values: closed forms,
//! integration at tight tolerances, ticks extrapolated to length 0.

use std::f64::consts::PI;
use std::ops::ControlFlow;

use situ_engine::model::{Clock, Model, Watch};
use situ_engine::sim::{EventConfig, EventRun, Finding, RunFault};
use situ_engine::trace::{Instant, Measure, Recorder, Row, Trace, TraceRecorder, What};
use situ_engine::{Locate, Method};

use crate::tables::{Table, root};

/// Methods that choose their steps.
const ADAPTIVE: [Method; 5] = [
    Method::Auto,
    Method::Tsit5,
    Method::Dop853,
    Method::Taylor,
    Method::Rodas5p,
];

/// A table of `tests/data/tables`.
fn table(name: &str) -> Table {
    let path = root().join(format!("tests/data/tables/{name}.ron"));
    Table::of(crate::tables::read(&path))
}

/// A table written out.
fn written(reals: &str, ranges: &str, relations: &str) -> Table {
    Table::from_text(&format!(
        "(format: 1, name: \"silent\", reals: {{{reals}}}, ranges: [{ranges}], relations: [{relations}])"
    ))
}

fn clock(stop: f64, method: Method, rtol: f64) -> Clock {
    Clock {
        stop: Some(stop),
        method: Some(method),
        rtol: Some(rtol),
        ..Clock::default()
    }
}

/// The rows of a run to its end.
#[track_caller]
fn rows(model: &Model, clock: &Clock) -> Trace {
    let mut recorder = TraceRecorder::new(model);
    let config = EventConfig::from_clock(clock).unwrap();
    let mut run = EventRun::new(model.clone(), config).unwrap();
    let ended = run.run(&mut recorder);
    assert!(ended.is_ok(), "{} {clock:?}: {ended:?}", model.name);
    recorder.trace
}

/// Events in a run, and their times.
#[track_caller]
fn instants(table: &Table, stop: f64) -> Vec<(f64, What)> {
    struct Log(Vec<(f64, What)>);
    impl Recorder for Log {
        fn row(&mut self, _: &Row<'_>) -> ControlFlow<()> {
            ControlFlow::Continue(())
        }
        fn instant(&mut self, instant: &Instant) -> ControlFlow<()> {
            let events = instant.events.iter();
            self.0
                .extend(events.map(|event| (instant.time, event.what.clone())));
            ControlFlow::Continue(())
        }
        fn wants_instants(&self) -> bool {
            true
        }
    }
    let mut log = Log(Vec::new());
    let config = EventConfig::from_clock(&clock(stop, Method::Auto, 1e-9)).unwrap();
    let mut run = EventRun::new(table.model.clone(), config).unwrap();
    run.run(&mut log).unwrap();
    log.0
}

/// The last value of a real.
#[track_caller]
fn last(table: &Table, clock: &Clock, name: &str) -> f64 {
    let trace = rows(&table.model, clock);
    let column = &trace.reals[table.real(name).index()];
    column[column.len() - 1]
}

/// A measure of a condition.
type Kind = fn(Watch) -> Measure;

/// Measures of a run, by all adaptive methods.
#[track_caller]
fn measures(table: &mut Table, stop: f64, wanted: &[(Kind, &str)], known: &[f64]) {
    let measures: Vec<Measure> = wanted
        .iter()
        .map(|(measure, condition)| measure(table.watch(condition)))
        .collect();
    for method in ADAPTIVE {
        let config = EventConfig::from_clock(&clock(stop, method, 1e-9)).unwrap();
        let mut run = EventRun::with_measures(table.model.clone(), config, &measures).unwrap();
        // Where a run is stopped and goes on leaves no trace in its measures.
        for part in [0.37, 0.81, 1.0] {
            run.run_to(part * stop, &mut ()).unwrap();
            run.measured();
        }
        for ((found, known), (_, condition)) in run.measured().iter().zip(known).zip(wanted) {
            let found = found.unwrap();
            let off = (found - known).abs();
            assert!(
                off <= 1e-6 * known.abs(),
                "{method:?} {condition}: {found}, not {known}"
            );
        }
    }
}

/// Checks a value at the end of a run by all adaptive methods.
#[track_caller]
fn ends_at(table: &Table, stop: f64, name: &str, known: f64, tolerance: f64) {
    for method in ADAPTIVE {
        let found = last(table, &clock(stop, method, 1e-8), name);
        let off = (found - known).abs();
        assert!(
            off <= tolerance,
            "{method:?}: {name} = {found}, not {known}"
        );
    }
}

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

#[test]
fn a_drain_that_runs_dry() {
    let table = table("10_drain");
    for method in ADAPTIVE {
        for rtol in [1e-6, 1e-8, 1e-11] {
            let found = last(&table, &clock(5.0, method, rtol), "h");
            assert!(found.abs() <= rtol, "{method:?} {rtol}: {found}");
        }
    }
}

/// Methods with a Jacobian, which is infinite where the root ends: h = (1 - t / 2)^2 up to 2.
#[test]
fn a_root_that_ends_beside_a_jacobian() {
    let bare = written("\"h\": 1", "", "\"h = integral(-sqrt(h))\"");
    for method in [Method::Rodas5p, Method::Bdf, Method::Radau, Method::Mk21] {
        for rtol in [1e-4, 1e-6, 1e-8] {
            let clock = clock(5.0, method, rtol);
            let found = last(&bare, &clock, "h");
            assert!(found.abs() <= rtol, "{method:?} {rtol}: {found}");
            let found = last(&table("10_drain"), &clock, "h");
            assert!(found.abs() <= rtol, "{method:?} {rtol}: {found}");
            let known = last(
                &table("11_sqrt_bounce"),
                &self::clock(3.0, Method::Dop853, 1e-9),
                "y",
            );
            let found = last(
                &table("11_sqrt_bounce"),
                &self::clock(3.0, method, rtol),
                "y",
            );
            assert!(
                (found - known).abs() < 1e-4 + 30.0 * rtol,
                "{method:?} {rtol}: {found} {known}"
            );
        }
    }
}

#[test]
fn a_root_that_ends_at_the_floor() {
    let table = table("11_sqrt_bounce");
    for method in ADAPTIVE {
        let mut one_sided = clock(3.0, method, 1e-8);
        let known = last(&table, &one_sided, "y");
        one_sided.locate = Some(Locate::OneSided);
        let found = last(&table, &one_sided, "y");
        assert!((found - known).abs() < 1e-5, "{method:?}: {found} {known}");
    }
}

/// Two tanks that level: z = h - k has z' = -sqrt(z), so they are level at 2 sqrt(0.8), and stay so.
#[test]
fn tanks_that_level() {
    let table = Table::from_text(
        r#"(format: 1, name: "level", reals: {"h": 1, "k": 0.2, "q": 0}, relations: [
            "h = integral(-q)", "k = integral(q)", "q = 0.5 * sign(h - k) * sqrt(abs(h - k))"])"#,
    );
    ends_at(&table, 3.0, "h", 0.6, 1e-7);
    ends_at(&table, 3.0, "q", 0.0, 1e-7);
    ends_at(&table, 1.0, "q", 0.5 * (0.8_f64.sqrt() - 0.5), 1e-7);
}

/// At abs(x) = 0 its root has no slope, and rounding leaves x on either side.
#[test]
fn roots_of_sizes() {
    let known = (1.3_f64.powf(1.5) + 1.7_f64.powf(1.5)) / 1.5;
    for rate in ["sqrt(abs(x))", "abs(x)^0.5", "sqrt(max(x, -x))"] {
        let relations = format!("\"x = integral(1)\", \"a = integral({rate})\"");
        let table = written("\"x\": -1.3, \"a\": 0", "", &relations);
        ends_at(&table, 3.0, "a", known, 1e-6);
    }
    let spring = written(
        "\"x\": 0.3, \"v\": 0, \"energy\": 0",
        "",
        r#""x = integral(v)", "v = integral(-9 * sign(x) * sqrt(abs(x)))",
           "energy = 0.5 * v * v + 6 * abs(x)^1.5""#,
    );
    ends_at(&spring, 3.0, "energy", 6.0 * 0.3_f64.powf(1.5), 1e-6);
}

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

/// Crossings before the place at which a root, a logarithm or an arc cosine ends to be defined, and behind kinks at which
/// they begin: each range holds for so long.
#[test]
fn crossings_beside_the_edges_of_domains() {
    let cases = [
        ("sqrt(1 - x) > 0.5", 0.9, 0.75),
        ("sqrt(1 - x) > 0.5", 1.0, 0.75),
        ("sqrt(1 - time) > 0.5", 0.9, 0.75),
        ("sqrt(4 - time) > 1", 4.0, 3.0),
        ("acos(time) > 1", 1.0, 1.0_f64.cos()),
        ("ln(2 - time) > -1", 1.99, 2.0 - (-1.0_f64).exp()),
        ("sqrt(abs(time - 0.5)) > 0.5", 1.0, 0.5),
        ("sqrt(abs(x - 0.5)) > 0.5", 2.0, 1.5),
        ("sqrt(max(x - 0.5, 0)) > 0.5", 2.0, 1.25),
        ("abs(x - 0.5) ^ 0.25 < 0.5", 2.0, 0.125),
        ("ln(abs(x - 0.5)) > -2", 2.0, 2.0 - 2.0 * (-2.0_f64).exp()),
        ("sqrt(abs(sin(3 * x))) > 0.5", 2.0, 2.0 - 0.25_f64.asin()),
        ("tan(x) < 3", 1.5, 3.0_f64.atan()),
    ];
    for (range, stop, known) in cases {
        let rows = r#""x = integral(1)", "s = integral(1) when open""#;
        let table = written(r#""x": 0, "s": 0"#, &format!(r#""open: {range}""#), rows);
        ends_at(&table, stop, "s", known, 1e-9);
    }
}

/// The argument of a root becomes negative at 1, whatever rows are written.
#[test]
fn a_root_of_what_becomes_negative() {
    for rates in [
        r#""x = integral(-1)", "y = sqrt(x)""#,
        r#""x = integral(-1)", "y = sqrt(x)", "z = integral(y)""#,
    ] {
        let table = written(r#""x": 1, "y": 0, "z": 0"#, "", rates);
        for (method, every) in ADAPTIVE
            .into_iter()
            .flat_map(|method| [(method, 0.7), (method, 2.0)])
        {
            let clock = Clock {
                every: Some(every),
                ..clock(2.0, method, 1e-6)
            };
            let config = EventConfig::from_clock(&clock).unwrap();
            let mut run = EventRun::new(table.model.clone(), config).unwrap();
            match run.run(&mut ()) {
                Err(RunFault::NotFinite { time, real, .. }) => {
                    assert!((time - 1.0).abs() < 1e-9, "{method:?}: {time}");
                    assert_eq!(real, table.real("y"), "{method:?}");
                }
                other => panic!("{method:?}: {other:?}"),
            }
        }
    }
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

/// Three tanks in a row that begin empty: how fast the second and the third fill has no derivative at the start, so that
/// no series tells which of them rises above the other. In the end each flow is the pump's.
#[test]
fn tanks_in_a_row_that_begin_empty() {
    let table = written(
        r#""h1": 0, "h2": 0, "h3": 0, "q12": 0, "q23": 0"#,
        "",
        r#""q12 = 0.01 * sign(h1 - h2) * sqrt(19.62 * abs(h1 - h2))",
            "q23 = 0.01 * sign(h2 - h3) * sqrt(19.62 * abs(h2 - h3))",
            "h1 = integral(0.02 - q12)", "h2 = integral(q12 - q23)",
            "h3 = integral(q23 - 0.01 * sqrt(19.62 * max(h3, 0)))""#,
    );
    let head = 4.0 / 19.62;
    for (name, known) in [("h1", 3.0 * head), ("h2", 2.0 * head), ("h3", head)] {
        ends_at(&table, 10_000.0, name, known, 1e-6);
    }
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
