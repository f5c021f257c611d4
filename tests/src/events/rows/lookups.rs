//! Lookups in exact time: knots as borders, values and slopes, ends.

use situ_engine::Method;
use situ_engine::ids::RelationId;
use situ_engine::sim::{EventConfig, EventRun, NoSlide, RunFault};

use crate::events::{Accuracy, Exact, list, number};
use crate::tables::{Table, root};

fn motor() -> serde_json::Value {
    let path = root().join("tests/data/lookups/motor_torque.json");
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

#[test]
fn the_motor_follows_its_5000_points() {
    let known = &motor()["motor"];
    let times = list(&known["t"]);
    let ranges: Vec<String> = (1..times.len() - 1)
        .map(|at| format!("\"r{at}: time > {}\"", times[at]))
        .collect();
    let text = format!(
        r#"(format: 1, extends: "../../../scenarios/loader/table.ron", ranges: [{}])"#,
        ranges.join(", ")
    );
    for method in [Method::Dop853, Method::Tsit5] {
        let mut run = Exact::new(
            Table::in_folder("tests/data/lookups", &text),
            10.0,
            Accuracy::Tight,
        );
        run.config.settings.method = method;
        let run = run.run();
        for (at, known) in times.iter().zip(list(&known["w"])).skip(1) {
            let row = run.trace.time.iter().rposition(|time| *time == number(at));
            let w = run.at_row(row.unwrap_or_else(|| panic!("no row at {at}")), "w");
            let error = (w - number(known)).abs() / number(known);
            assert!(error < 1e-12, "{method:?} {at}: {w} {known}");
        }
    }
    let run = Exact::new(Table::at("loader/table.ron"), 10.0, Accuracy::Default).run();
    assert!((run.last("w") - number(&known["w_end"])).abs() < 1e-4);
}

/// A run of a table with some lookups to a time, tight.
fn run(lookups: &str, reals: &str, rows: &str, stop: f64) -> crate::events::History {
    exact(lookups, reals, rows, stop).run()
}

fn exact(lookups: &str, reals: &str, rows: &str, stop: f64) -> Exact {
    let text =
        format!("(format: 1, lookups: {{{lookups}}}, reals: {{{reals}}}, relations: [{rows}])");
    Exact::new(Table::from_text(&text), stop, Accuracy::Tight)
}

const HAT: &str = r#""f": (x: [0, 1, 3], y: [0, 2, 0], outside: "hold")"#;

#[test]
fn knots_of_a_state_are_landed_on() {
    // x' = 1 + f(x): exponentials between the knots.
    let run = run(
        HAT,
        r#""x": -1, "v": 0"#,
        r#""v = 1 + f(x)", "x = integral(v)""#,
        3.0,
    );
    let x = run.column("x");
    for knot in [0.0, 1.0, 3.0] {
        let nearest = x
            .iter()
            .map(|x| (x - knot).abs())
            .fold(f64::INFINITY, f64::min);
        assert!(nearest < 1e-12, "{knot} {nearest}");
    }
    // To 0 at t = 1; then 1 + 2 x; from 1 on 4 - x; beyond 3 again 1.
    let first = 1.0 + 3.0_f64.ln() / 2.0;
    let second = first + 3.0_f64.ln();
    let exact = 3.0 + (3.0 - second);
    assert!(
        (run.last("x") - exact).abs() < 1e-10,
        "{} {exact}",
        run.last("x")
    );
}

#[test]
fn steps_jump_at_their_borders() {
    let lookups = r#""p": (x: [0, 1, 2], y: [1, 3, 8], kind: "previous", outside: "hold"),
        "n": (x: [0, 1, 2], y: [1, 3, 8], kind: "nearest", outside: "hold")"#;
    let run = run(
        lookups,
        r#""a": 0, "b": 0"#,
        r#""a = integral(p(time))", "b = integral(n(time))""#,
        2.5,
    );
    assert!((run.last("a") - (1.0 + 3.0 + 4.0)).abs() < 1e-12);
    assert!((run.last("b") - (0.5 + 3.0 + 8.0)).abs() < 1e-12);
}

#[test]
fn a_cubic_spline_has_no_events_inside() {
    let lookup =
        r#""f": (x: [0, 1, 2, 3, 4], y: [0, 1, 8, 27, 64], kind: "cubic", outside: "extend")"#;
    let run = run(lookup, r#""a": 0"#, r#""a = integral(f(time))""#, 4.0);
    assert_eq!(run.trace.time.len(), 2, "{:?}", run.trace.time);
    assert!((run.last("a") - 64.0).abs() < 1e-9);
}

/// Where monotone cubics are flat, are touched, or their slope turns at a point, for arguments that rise and fall.
#[test]
fn monotone_cubics_are_told_apart_at_their_points() {
    let run = |lookup: &str, relations: &str, ranges: &str, stop: f64| {
        let text = format!(
            r#"(format: 1, name: "pchip", lookups: {{"f": ({lookup}, kind: "pchip", outside: "hold")}},
            reals: {{"v": 0, "d": 0, "A": 0, "B": 0}}, ranges: [{ranges}], relations: [{relations}])"#
        );
        Exact::new(Table::from_text(&text), stop, Accuracy::Default).run()
    };
    let shares = r#""A = integral(1) when a", "B = integral(1) when b""#;
    // On the plateau for |2 sin t| <= 1, above it and below it for a third of a turn each.
    let plateau = "x: [-2, -1, 1, 3], y: [-1, 0.2, 0.2, 1]";
    let rows = format!(r#""v = f(2 * sin(time))", {shares}"#);
    let flat = run(plateau, &rows, r#""a: v >= 0.2", "b: v > 0.2""#, 6.0);
    let third = std::f64::consts::PI / 3.0;
    assert!((flat.last("A") - (6.0 - 2.0 * third)).abs() < 1e-6);
    assert!((flat.last("B") - 2.0 * third).abs() < 1e-6);
    // The top is touched; the slope turns where the points do.
    let top = "x: [0, 1, 2], y: [0, 1, 0]";
    for argument in ["time", "2 - time"] {
        let rows = format!(r#""v = f({argument})", "d = derivative(v)", {shares}"#);
        let touched = run(top, &rows, r#""a: v > 1", "b: d > 0""#, 2.0);
        assert!(touched.last("A").abs() < 1e-12, "{argument}");
        assert!(
            (touched.last("B") - 1.0).abs() < 1e-9,
            "{argument}: {}",
            touched.last("B")
        );
    }
}

/// A margin that comes to its border from one side with no rate, and rests there, is on it.
#[test]
fn what_comes_to_rest_on_a_border_is_on_it() {
    let ramp = r#""i": (x: [0, 1, 3, 4], y: [1, 0, 0, 1])"#;
    for square in ["i(time)^2", "i(time) * abs(i(time))", "1 - cos(i(time))"] {
        let text = format!(
            r#"(format: 1, name: "rest", lookups: {{{ramp}}}, reals: {{"P": 0, "h": 1, "A": 0, "B": 0}},
            ranges: ["a: P > 0", "b: P <= 0"],
            relations: ["P = {square}", "h = hysteresis(P, 0, 1)", "A = integral(1) when a", "B = integral(1) when b"])"#
        );
        let run = Exact::new(Table::from_text(&text), 3.5, Accuracy::Default).run();
        assert!(
            (run.last("A") - 1.5).abs() < 1e-9,
            "{square}: {}",
            run.last("A")
        );
        assert!(
            (run.last("B") - 2.0).abs() < 1e-9,
            "{square}: {}",
            run.last("B")
        );
        assert_eq!(run.last("h"), 0.0, "{square}");
    }
}

#[test]
fn periodic_lookups_repeat() {
    let lookup = r#""f": (x: [1, 2, 3], y: [0, 4, 0], outside: "periodic")"#;
    let run = run(
        lookup,
        r#""a": 0, "y": 0"#,
        r#""y = f(time)", "a = integral(y)""#,
        9.5,
    );
    // Half a period from the highest point on, four whole ones, a quarter of one.
    assert!((run.last("a") - (2.0 + 4.0 * 4.0 + 0.5)).abs() < 1e-9);
    assert!((run.last("y") - 2.0).abs() < 1e-12);
}

/// The last point falls on the first: its value is seen at no time, also where the argument falls through the seam.
#[test]
fn periodic_steps_begin_with_the_first_point() {
    for argument in ["1.5 - time", "time - 0.5"] {
        let text = format!(
            r#"(format: 1, lookups: {{"f": (x: [0, 1, 2], y: [1, 2, 7], kind: "previous", outside: "periodic")}},
            reals: {{"y": 0, "a": 0, "n": 0}}, ranges: ["high: y > 3"], situations: ["event hit: high"],
            relations: ["y = f({argument})", "a = integral(y)", "n := n + 1 when hit"])"#
        );
        let run = Exact::new(Table::from_text(&text), 6.0, Accuracy::Tight).run();
        assert!((run.last("a") - 9.0).abs() < 1e-9, "{argument}");
        assert_eq!(run.last("n"), 0.0, "{argument}");
    }
}

#[test]
fn lookups_are_differentiated_exactly() {
    let lookup = r#""f": (x: [0, 1, 3], y: [0, 2, 0], outside: "extend"),
        "g": (x: [0, 1, 2, 3], y: [0, 1, 8, 27], kind: "cubic", outside: "extend")"#;
    let run = run(
        lookup,
        r#""x": 0, "s": 2, "c": 0"#,
        r#""x = integral(0.5)", "s = derivative(f(x))", "c = derivative(g(x))""#,
        5.0,
    );
    assert!((run.last("s") + 0.5).abs() < 1e-12, "{}", run.last("s"));
    assert!(
        (run.last("c") - 0.5 * 3.0 * 6.25).abs() < 1e-9,
        "{}",
        run.last("c")
    );
}

#[test]
fn stiff_methods_have_the_jacobian_of_a_lookup() {
    // x' = -1000 f(x) with f through the origin: fast to rest.
    for kind in ["linear", "cubic", "pchip"] {
        let lookup = format!(
            r#""f": (x: [-2, -1, 0, 1, 2], y: [-3, -1, 0, 1, 3], kind: "{kind}", outside: "extend")"#
        );
        let mut exact = exact(
            &lookup,
            r#""x": 1.9"#,
            r#""x = integral(-1000 * f(x))""#,
            5.0,
        );
        exact.config.settings.method = Method::Rodas5p;
        (exact.config.settings.rtol, exact.config.atol) = (1e-6, 1e-6);
        let run = exact.run();
        assert!(run.last("x").abs() < 1e-6, "{kind}");
        assert!(
            run.stats.method.steps < 400,
            "{kind}: {:?}",
            run.stats.method.steps
        );
    }
}

#[test]
fn maps_cross_the_edges_of_their_cells() {
    let lookup = r#""f": (x: [0, 1, 2], y: [0, 1], z: [[0, 1], [2, 5], [2, 1]])"#;
    let run = run(
        lookup,
        r#""a": 0, "z": 0"#,
        r#""z = f(time, 0.5 * time)", "a = integral(z)""#,
        2.0,
    );
    assert!((run.last("z") - 1.0).abs() < 1e-12);
    // By hand: 0 + 2 t + 0.5 t + 0.5 t 2 t in the first cell, 2 .. in the second.
    let at = |time: f64| {
        let (x, y) = (time, 0.5 * time);
        if x <= 1.0 {
            2.0 * x + y + 2.0 * x * y
        } else {
            2.0 + 3.0 * y - 4.0 * (x - 1.0) * y
        }
    };
    let n = 2000;
    let h = 2.0 / f64::from(n);
    let parts = (0..n).map(|k| {
        let [a, b, c] = [0.0, 0.5, 1.0].map(|part| at((f64::from(k) + part) * h));
        h / 6.0 * (a + 4.0 * b + c)
    });
    let simpson: f64 = parts.sum();
    assert!(
        (run.last("a") - simpson).abs() < 1e-10,
        "{} {simpson}",
        run.last("a")
    );
}

#[test]
fn an_end_is_arrived_at_and_not_passed() {
    let lookup = r#""f": (x: [0, 1, 2], y: [1, 3, 8])"#;
    for kind in ["linear", "previous", "nearest", "cubic", "pchip"] {
        let lookup = lookup.replace("])", &format!("], kind: \"{kind}\")"));
        let table = |stop| {
            exact(
                &lookup,
                r#""a": 0, "y": 0"#,
                r#""y = f(time)", "a = integral(y)""#,
                stop,
            )
        };
        let run = table(2.0).run();
        assert_eq!(run.last("y"), 8.0, "{kind}");
        let (run, fault) = table(2.5).outcome();
        let Some(RunFault::OutsideLookup {
            time,
            argument,
            ends,
            ..
        }) = fault
        else {
            panic!("{kind}: {fault:?}");
        };
        assert_eq!((time, argument, ends), (2.0, 2.0, [0.0, 2.0]), "{kind}");
        assert!(run.trace.time.iter().all(|time| *time <= 2.0));
    }
    // From an end inwards, and resting on one.
    let run = run(
        r#""f": (x: [0, 1, 2], y: [1, 3, 8])"#,
        r#""x": 2, "y": 0, "r": 0, "s": 0"#,
        r#""x = integral(-0.5)", "y = f(x)", "s = f(r)""#,
        3.0,
    );
    assert!((run.last("y") - 2.0).abs() < 1e-12);
    assert_eq!(run.last("s"), 1.0);
}

#[test]
fn a_step_against_the_motion_is_named() {
    // x' = p(x), 1 below 1 and -1 above.
    let lookup = r#""p": (x: [0, 1], y: [1, -1], kind: "previous", outside: "hold")"#;
    let (_, fault) = exact(lookup, r#""x": 0"#, r#""x = integral(p(x))""#, 3.0).outcome();
    let Some(RunFault::Chattering {
        time,
        relation,
        why,
        ..
    }) = fault
    else {
        panic!("{fault:?}");
    };
    assert!((time - 1.0).abs() < 1e-12);
    assert_eq!(relation, Some(RelationId(0)));
    assert_eq!(why, NoSlide::StepEnd);
}

#[test]
fn ranges_read_lookups() {
    let text = format!(
        r#"(format: 1, lookups: {{{HAT}}}, reals: {{"x": 0, "n": 0}}, ranges: ["high: f(x) > 1"],
            relations: ["x = integral(1)", "n = integral(1) when high"])"#
    );
    let run = Exact::new(Table::from_text(&text), 4.0, Accuracy::Tight).run();
    assert!((run.last("n") - 1.5).abs() < 1e-12, "{}", run.last("n"));
    let rises = run.times(&run.rises("high"));
    assert!(
        rises.len() == 1 && (rises[0] - 0.5).abs() < 1e-12,
        "{rises:?}"
    );
}

/// A step that is made again up to a kink ends beside it by a rounding error: from there the kink is crossed.
#[test]
fn a_step_is_made_up_to_a_kink_once() {
    let text = r#"(format: 1, clock: (stop: 1, stepping: events, method: tsit5, max_steps: 1000),
        reals: {"v": 0.243, "x": 1, "y": 0, "n": 0},
        lookups: {"lk": (x: [-2, -0.5, 0, 1, 2], y: [1, 0, 0.5, 0.2, 3], kind: pchip)},
        relations: ["v = integral(-1.89 * x)", "x = integral(v)", "y = lk(x)", "n = mod(x, 0.25)"])"#;
    let model = Table::from_text(text).model;
    let x = model.real("x").unwrap();
    let config = EventConfig::from_clock(&model.clock).unwrap();
    let mut run = EventRun::new(model, config).unwrap();
    run.run(&mut ()).unwrap();
    let rate = 1.89_f64.sqrt();
    let exact = rate.cos() + 0.243 / rate * rate.sin();
    assert!((run.real(x) - exact).abs() < 1e-5, "{}", run.real(x));
}
