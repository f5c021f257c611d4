//! Pasts of reals: delayed values from before the start, against closed forms and the method of steps.

use situ_engine::Method;
use situ_engine::model::IntegralRule;

use crate::events::{Accuracy, Exact, History, known, list, number};
use crate::tables::{Table, column};

/// One explicit method of high order, one implicit one of each kind.
pub(crate) const METHODS: [Method; 3] = [Method::Dop853, Method::Radau, Method::Bdf];

/// The run of a table by a method at rtol 1e-10, with rows at these times.
pub(crate) fn tight(text: &str, method: Method, every: f64, stop: f64) -> History {
    let mut exact = Exact::new(Table::from_text(text), stop, Accuracy::Default).every(every);
    exact.config.settings.method = method;
    (exact.config.settings.rtol, exact.config.atol) = (1e-10, 1e-12);
    exact.run()
}

/// Checks a table against `tests/data/exact/NAME.json`: `most` is the largest error that each method may make at rtol
/// 1e-10; at default settings it is 1e-4.
pub(crate) fn meets(name: &str, text: &str, every: f64, most: [f64; 3], columns: &[&str]) {
    let known = known(name);
    let (times, values) = (list(&known["times"]), list(&known["y"]));
    // The time of the file at which the run begins.
    let start = if name == "state_dependent_delay" {
        1.0
    } else {
        0.0
    };
    let stop = number(times.last().unwrap()) - start;
    let largest = |run: &History| {
        let mut largest = 0.0_f64;
        for (time, value) in times.iter().zip(values) {
            let row = run.row_at(number(time) - start);
            for (at, column) in columns.iter().enumerate() {
                let exact = match value {
                    serde_json::Value::Array(all) => number(&all[at]),
                    one => number(one),
                };
                let error = (run.at_row(row, column) - exact).abs() / exact.abs().max(1.0);
                largest = largest.max(error);
            }
        }
        largest
    };
    for (method, most) in METHODS.into_iter().zip(most) {
        let error = largest(&tight(text, method, every, stop));
        assert!(error <= most, "{name} by {}: {error:e}", method.name());
    }
    let run = Exact::new(Table::from_text(text), stop, Accuracy::Default).every(every);
    let error = largest(&run.run());
    assert!(error <= 1e-4, "{name} by default: {error:e}");
}

/// x' = -x(t - pi/2), x = cos t before 0: the cosine goes on.
#[test]
fn a_cosine_goes_on() {
    let text = r#"(format: 1, name: "cosine",
        reals: {"late": 0, "x": (start: 1, before: "cos(time)")},
        relations: ["late = delay(x, pi / 2)", "x = integral(-late)"])"#;
    meets("cosine_history", text, 1.0, [1e-9, 1e-9, 1e-7], &["x"]);
}

/// Two delays, and two reals with different pasts.
#[test]
fn two_pasts() {
    let text = r#"(format: 1, name: "two", constants: {"a": 0.7, "b": 1.3, "w": 1},
        reals: {"x": (start: 1, before: "cos(w * time)"), "y": (start: 0, before: "time"), "u": 0, "v": 0},
        relations: ["u = delay(x, 1)", "v = delay(y, 0.5)",
            "x = integral(-a * u + y)", "y = integral(-b * v - x)"])"#;
    meets(
        "two_delays_history",
        text,
        0.5,
        [1e-9, 1e-9, 1e-7],
        &["x", "y"],
    );
}

#[test]
fn mackey_glass() {
    let text = r#"(format: 1, name: "mackey_glass",
        constants: {"beta": 0.2, "gamma": 0.1, "n": 10, "tau": 17}, reals: {"late": 0, "x": 1.2},
        relations: ["late = delay(x, tau)", "x = integral(beta * late / (1 + late^n) - gamma * x)"])"#;
    meets("mackey_glass", text, 17.0, [1e-6, 1e-6, 1e-5], &["x"]);
}

#[test]
fn wheldon() {
    let text = r#"(format: 1, name: "wheldon", constants: {"tau": 20},
        reals: {"late": 0, "y1": 0.35255675666666666666667, "y2": 0.343571163666666666666667},
        relations: ["late = delay(y1, tau)",
            "y1 = integral(1.1 / (1 + sqrt(10) * late^1.25) - 10 * y1 / (1 + 40 * y2))",
            "y2 = integral(100 * y1 / (1 + 40 * y2) - 2.43 * y2)"])"#;
    meets("wheldon", text, 10.0, [1e-8, 1e-8, 1e-6], &["y1", "y2"]);
}

/// Where the past has a kink, or jumps to the start value, the delayed value is not smooth a delay later: a step ends
/// there. In between quadratures of polynomials are exact.
#[test]
fn kinks_of_a_past_come_back() {
    let cases = [
        // x' = |s + 0.5|: kinks at s = -0.5 and, as the start is no limit of it, at 0.
        ("abs(time + 0.5)", "", 0.25, vec![0.5, 1.0]),
        // The integral of the steps 1, 2, 4 over a unit of time.
        (
            "steps",
            r#"lookups: {"steps": (x: [-1, -0.7, -0.2], y: [1, 2, 4], kind: "previous", outside: "hold")},"#,
            0.3 + 0.5 * 2.0 + 0.2 * 4.0,
            vec![0.3, 0.8, 1.0],
        ),
    ];
    for (before, lookups, integral, breaks) in cases {
        let text = format!(
            r#"(format: 1, name: "kinks", {lookups} reals: {{"x": (start: 7, before: "{before}"), "late": 0, "y": 0}},
            relations: ["late = delay(x, 1)", "x = 7", "y = integral(late)"])"#
        );
        let run = Exact::new(Table::from_text(&text), 1.5, Accuracy::Default)
            .every(0.5)
            .run();
        let y = run.at_row(run.row_at(1.0), "y");
        assert!((y - integral).abs() < 1e-12, "{before}: {y}");
        let pairs = run.trace.time.windows(2).filter(|pair| pair[0] == pair[1]);
        let instants: Vec<f64> = pairs.map(|pair| pair[0]).collect();
        assert_eq!(instants.len(), breaks.len(), "{before}: {instants:?}");
        for (instant, known) in instants.iter().zip(breaks) {
            assert!((instant - known).abs() < 1e-12, "{before}: {instants:?}");
        }
    }
}

/// A family with a past for each element.
#[test]
fn families_have_pasts() {
    let text = r#"(format: 1, name: "row", counters: {"j": "1..3"},
        reals: {"x[j]": (start: 1, before: "cos(j * time)"), "late[j]": 0},
        relations: ["late[j] = delay(x[j], pi / (2 * j))", "x[j] = integral(-j * late[j])"])"#;
    let run = tight(text, Method::Dop853, 1.0, 4.0);
    for j in 1..=3_u32 {
        let x = run.at_row(run.row_at(4.0), &format!("x[{j}]"));
        let exact = f64::cos(4.0 * f64::from(j));
        assert!((x - exact).abs() < 1e-8, "{j}: {x} {exact}");
    }
}

/// `time` in what is delayed is negative before the start if a real beside it has a past; else it stands at its start.
#[test]
fn time_beside_a_real_with_a_past() {
    let text = r#"(format: 1, clock: (step: 0.25, stop: 1.5), reals: {"x": (start: 1, before: "1 - time"), "u": 4,
        "beside": 0, "without": 0, "alone": 0},
        relations: ["beside = delay(x * time, 1)", "without = delay(u + time, 1)", "alone = delay(time, 1)", "x = 1"])"#;
    let of = |time: f64| [(1.0 - time) * time, 4.0, 0.0];
    let run = tight(text, Method::Dop853, 0.25, 0.75);
    let ticks = Table::from_text(text).ticks(0.25, 3, 1, IntegralRule::default());
    for (at, name) in ["beside", "without", "alone"].into_iter().enumerate() {
        let stepped = column(&ticks.table.model, &ticks.trace(), name).unwrap();
        for number in 1..=3_u8 {
            let time = 0.25 * f64::from(number);
            let row = run.row_at(time);
            assert!(
                (run.at_row(row, name) - of(time - 1.0)[at]).abs() < 1e-9,
                "{name} {time}"
            );
            // A tick reads what was a delay before it.
            let known = of(time - 0.25 - 1.0)[at];
            assert!(
                (stepped[usize::from(number)] - known).abs() < 1e-9,
                "{name} {time}"
            );
        }
    }
}

/// In ticks the line of a delay is filled from the past, at the times of earlier ticks.
#[test]
fn ticks_read_the_past() {
    let text = r#"(format: 1, name: "ticks", clock: (step: 0.25, stop: 1.5),
        reals: {"x": (start: 100, before: "3 * time"), "late": 0},
        relations: ["late = delay(x, 1)", "x = 100"])"#;
    let run = Table::from_text(text).ticks(0.25, 6, 1, IntegralRule::default());
    let late = column(&run.table.model, &run.trace(), "late").unwrap();
    assert_eq!(late, [0.0, -3.0, -2.25, -1.5, -0.75, 100.0, 100.0]);
}

/// What a tick hands over at its beginning is older by a tick than what it hands over behind the writer.
#[test]
fn ticks_read_the_past_above_and_below_the_writer() {
    let rows = r#""above = delay(x, 0.5)", "x = integral(4)", "below = delay(x, 0.5)""#;
    let text = format!(
        r#"(format: 1, clock: (step: 0.25, stop: 1.5), reals: {{"x": (start: 0, before: "4 * time"),
        "above": 0, "below": 0}}, relations: [{rows}])"#
    );
    let early = [0.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0];
    let late = [0.0, -1.0, 0.0, 1.0, 2.0, 3.0, 4.0];
    for (clock, below) in [
        ("scan: sequential", late),
        ("scan: simultaneous", early),
        ("locate: linear", late),
        ("step_formula: \"0.25\", every: 0.25", late),
    ] {
        let text = text.replace("1.5)", &format!("1.5, {clock})"));
        let run = Table::from_text(&text).into_run();
        let trace = run.trace();
        let column = |name| column(&run.table.model, &trace, name).unwrap();
        assert_eq!(column("above"), early, "{clock}");
        assert_eq!(column("below"), below, "{clock}");
    }
}
