//! Event cases on which published simulators failed (`events_hard.json`), and what was found to go
//! wrong in situ.

use serde_json::Value;

use crate::events::{Accuracy, DEFAULT_ERROR, Exact, History, Judge, known, list, number};
use crate::tables::Table;

/// Known values of a case.
fn case(name: &str) -> Value {
    let known = known("events_hard");
    let mut cases = list(&known["cases"]).iter();
    let found = cases.find(|case| case["name"] == name);
    found.unwrap_or_else(|| panic!("no case {name}")).clone()
}

/// A run with the tolerances that the file asks for; it also holds at others.
fn run(case: &Value, text: &str, stop: f64) -> History {
    let tolerance = case["rtol"].as_f64().unwrap_or(1e-10);
    let mut exact = Exact::new(Table::from_text(text), stop, Accuracy::Tight);
    exact.config.settings.rtol = tolerance;
    exact.config.atol = tolerance;
    exact.run()
}

/// Compares rises and falls of a range with those of a case, in a run as the file asks and in one
/// at the default tolerances.
fn check_edges(case: &Value, text: &str, stop: f64, range: &str) {
    compare_edges(&run(case, text, stop), case, range, 1e-9);
    let default = Exact::new(Table::from_text(text), stop, Accuracy::Default);
    compare_edges(&default.run(), case, range, DEFAULT_ERROR);
}

/// Compares rises and falls of a range with those of a case.
fn compare_edges(run: &History, case: &Value, range: &str, tolerance: f64) {
    let mut judge = Judge::new(Accuracy::Tight);
    for (edge, literal) in [("rise", range.to_owned()), ("fall", format!("!{range}"))] {
        let known = list(&case["events"])
            .iter()
            .filter(|event| event["edge"] == edge);
        let known: Vec<f64> = known.map(|event| number(&event["t"])).collect();
        judge.all_near(edge, &run.times(&run.rises(&literal)), &known, tolerance);
    }
    judge.finish(list(&case["events"]).len());
}

#[test]
fn three_roots_in_a_step() {
    let case = case("three_roots_in_a_step");
    check_edges(
        &case,
        r#"(format: 1, name: "roots", reals: {"x": -8, "y": -120}, ranges: ["up: y >= 0"],
            relations: ["x = integral(1)", "y = integral(3 * x * x + 12 * x - 4)"])"#,
        12.0,
        "up",
    );
}

#[test]
fn two_sign_changes_in_a_large_step() {
    let case = case("two_sign_changes_in_a_large_step");
    check_edges(
        &case,
        r#"(format: 1, name: "signs", reals: {"y": -1, "z": 0}, ranges: ["pos: z >= 0"],
            relations: ["y = integral(1)", "z = (2.5 - y) * (5 - y) * (-y)"])"#,
        8.0,
        "pos",
    );
}

#[test]
fn cosine_double_crossings() {
    let case = case("cosine_double_crossings");
    check_edges(
        &case,
        r#"(format: 1, name: "cosine", reals: {"s": 0, "c": 1}, ranges: ["on: c + 0.9 >= 0"],
            relations: ["s = integral(1)", "c = cos(s)"])"#,
        20.0,
        "on",
    );
}

#[test]
fn narrow_window() {
    let case = case("narrow_window");
    let text = r#"(format: 1, name: "window", reals: {"s": 0}, ranges: ["win: s >= 1 & s < 1.025"],
        relations: ["s = integral(1)"])"#;
    let run = |every: f64| {
        let exact = Exact::new(Table::from_text(text), 3.0, Accuracy::Tight);
        exact.every(every).run()
    };
    compare_edges(&run(0.1), &case, "win", 1e-9);
    // The events do not depend on the output: bit for bit.
    let edges = |every| {
        let run = run(every);
        [run.times(&run.rises("win")), run.times(&run.rises("!win"))]
    };
    assert_eq!(edges(0.1), edges(3.0));
    assert_eq!(edges(0.1), edges(0.0007));
}

/// x'' = -x from x = 0, and a range on x.
fn swing(range: &str) -> String {
    format!(
        r#"(format: 1, name: "swing", reals: {{"x": 0, "v": 1}}, ranges: ["top: {range}"],
            relations: ["x = integral(v)", "v = integral(-x)"])"#
    )
}

#[test]
fn thin_crossing() {
    let case = case("thin_crossing");
    let run = run(&case, &swing("x >= 0.999999"), 20.0);
    // Ten times the trajectory's error over the speed there, which is 1.4e-3.
    let error = (run.last("x") - 20.0_f64.sin()).abs().max(1e-12);
    compare_edges(&run, &case, "top", (10.0 * error / 1.4e-3).max(1e-9));
}

#[test]
fn graze() {
    let case = case("graze");
    let run = run(&case, &swing("x >= 1.0000001"), 20.0);
    compare_edges(&run, &case, "top", 1e-9);
    assert_eq!(run.rises("top"), [0; 0]);
}

#[test]
fn zeno_ball() {
    let case = case("zeno_ball");
    let table = Table::at("zeno_ball/table.ron").case("main");
    let run = Exact::new(table, 6.0, Accuracy::Tight).every(0.01).run();
    let known: Vec<f64> = list(&case["impacts"]).iter().map(number).collect();
    let impacts = run.times(&run.fired("impact"));
    let mut judge = Judge::new(Accuracy::Tight);
    judge.all_near("impact", &impacts[..known.len()], &known, 1e-9);
    judge.finish(8);
    // Then it rests, and never falls through.
    let accumulation = number(&case["accumulation"]);
    assert!(impacts.iter().all(|&t| t <= accumulation + 1e-9));
    for row in 0..run.trace.time.len() {
        let (t, h, v) = (
            run.trace.time[row],
            run.at_row(row, "h"),
            run.at_row(row, "v"),
        );
        assert!(h >= -1e-9, "{h} at {t}");
        if t > accumulation + 1e-6 {
            assert!(h.abs() < 1e-9 && v.abs() < 1e-9, "{h}, {v} at {t}");
        }
    }
}

#[test]
fn sliding_pair() {
    let case = case("sliding_pair");
    let table = Table::at("sliding_pair/table.ron").case("main");
    let run = Exact::new(table, 1.0, Accuracy::Tight).run();
    let mut judge = Judge::new(Accuracy::Tight);
    let arrival = number(&case["reach_time"]);
    let x = number(&case["x_at_reach"]);
    for name in ["x", "y"] {
        judge.near("arrival", run.at(arrival, name), x, 1e-9);
        judge.near("end", run.last(name), number(&case["x_at_1"]), 1e-9);
    }
    let rate = (run.last("x") - x) / (1.0 - arrival);
    judge.near("rate", rate, number(&case["rate"]), 1e-9);
    // x' = 2 w - 2 (1 - w) with the weight w of what holds below the line.
    judge.near(
        "weight",
        (rate + 2.0) / 4.0,
        number(&case["weight_below"]),
        1e-9,
    );
    judge.finish(6);
}

#[test]
fn sliding_half() {
    let case = case("sliding_half");
    let run = run(
        &case,
        r#"(format: 1, name: "half", reals: {"x": 0}, ranges: ["high: x > 0.5"],
            relations: ["x = integral(-1) when high", "x = integral(1) when !high"])"#,
        2.0,
    );
    let mut judge = Judge::new(Accuracy::Tight);
    judge.near("end", run.last("x"), number(&case["x_at_2"]), 1e-9);
    let half = number(&case["reach_time"]);
    judge.near("arrival", run.at(half, "x"), half, 1e-9);
    judge.finish(2);
}

#[test]
fn two_events_one_instant() {
    let case = case("two_events_one_instant");
    let run = run(
        &case,
        r#"(format: 1, name: "instant", reals: {"a": 0, "b": 0, "n1": 0, "n2": 0, "n3": 0},
            ranges: ["far_a: a >= 1", "far_b: b >= 2"],
            situations: ["event A: far_a", "event B: far_b", "event C: far_a & far_b"],
            relations: ["a = integral(1)", "b = integral(2)",
                "n1 := n1 + 1 when A", "n2 := n2 + 1 when B", "n3 := n3 + 1 when C"])"#,
        2.0,
    );
    for (event, counter) in [("A", "n1"), ("B", "n2"), ("C", "n3")] {
        let fired = run.times(&run.fired(event));
        assert_eq!(fired.len(), 1, "{event}");
        assert!((fired[0] - number(&case["at"])).abs() < 1e-9);
        assert_eq!(run.last(counter), number(&case[counter]));
    }
    assert_eq!(run.fired("A"), run.fired("C"));
    assert_eq!(run.fired("A"), run.fired("B"));
}

#[test]
fn event_at_stop() {
    let case = case("event_at_stop");
    let run = run(
        &case,
        r#"(format: 1, name: "stop", reals: {"x": 0, "n": 0}, ranges: ["far: x >= 1"],
            situations: ["event arrival: far"],
            relations: ["x = integral(1)", "n := n + 1 when arrival"])"#,
        1.0,
    );
    assert_eq!(run.last("n"), number(&case["n_at_stop"]));
    assert_eq!(run.trace.time.last(), Some(&1.0));
}

#[test]
fn restart_on_the_guard() {
    let case = case("restart_on_the_guard");
    let run = run(
        &case,
        r#"(format: 1, name: "ball", reals: {"h": 1, "v": 0, "energy": 9.81}, ranges: ["floor: h <= 0"],
            situations: ["event impact: floor"],
            relations: ["v := -v when impact", "v = integral(-9.81)", "h = integral(v)",
                "energy = v * v / 2 + 9.81 * h"])"#,
        100.0,
    );
    let (first, period) = (number(&case["first"]), number(&case["period"]));
    let known: Vec<f64> = (0..111).map(|k| first + period * k as f64).collect();
    let mut judge = Judge::new(Accuracy::Tight);
    judge.all_near("impact", &run.times(&run.fired("impact")), &known, 1e-9);
    for energy in run.column("energy") {
        judge.near("energy", energy / 9.81, 1.0, 1e-9);
    }
    judge.finish(300);
}

#[test]
fn corner_two_guards() {
    let case = case("corner_two_guards");
    let run = run(
        &case,
        r#"(format: 1, name: "corner", reals: {"x": 0, "y": 0},
            ranges: ["right: x >= 2", "near: x < 2.001", "high: y >= 0.6"],
            situations: ["in_corner: right & near & high", "event corner: right & near & high"],
            relations: ["x = integral(1)", "y = integral(0.3)"])"#,
        4.0,
    );
    compare_edges(&run, &case, "in_corner", 1e-9);
    assert_eq!(run.fired("corner").len(), 1);
}

#[test]
fn all_cases_are_here() {
    let known = known("events_hard");
    let names: Vec<&str> = list(&known["cases"])
        .iter()
        .map(|case| case["name"].as_str().unwrap())
        .collect();
    let source = include_str!("hard.rs");
    for name in &names {
        assert!(source.contains(&format!("case(\"{name}\")")), "{name}");
    }
    assert_eq!(names.len(), 13);
}
