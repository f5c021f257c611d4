//! The closed-form checks of the semantics (`micro.json`).

use situ_engine::sim::RunFault;

use crate::events::{Accuracy, Exact, Judge, at_both, known, list, number};
use crate::tables::{Run, Table, column};

/// A table in exact time.
fn exact(text: &str, stop: f64, accuracy: Accuracy) -> Exact {
    Exact::new(Table::from_text(text), stop, accuracy)
}

/// The times of a list.
fn times(events: &serde_json::Value) -> Vec<f64> {
    let time = |event: &serde_json::Value| number(event.get("t").unwrap_or(event));
    list(events).iter().map(time).collect()
}

#[test]
fn hysteresis_thermostat() {
    at_both(|accuracy| {
        let known = known("micro");
        let tolerance = number(&known["tolerance"]["abs"]);
        let known = &known["hysteresis_thermostat"];
        let table = Table::at("thermostat/table.ron").case("main");
        let run = Exact::new(table, 18.0, accuracy).run();
        let (off, on) = (run.rises("!heater"), run.rises("heater"));
        let mut rows = [off.clone(), on.clone()].concat();
        rows.sort_unstable();
        let mut judge = Judge::new(accuracy);
        judge.all_near(
            "switched",
            &run.times(&rows),
            &times(&known["events"]),
            tolerance,
        );
        for (&row, event) in rows.iter().zip(list(&known["events"])) {
            judge.near("T", run.at_row(row, "T"), number(&event["T"]), tolerance);
            assert_eq!(on.contains(&row), event["heater_after"] == true);
        }
        for pair in run.times(&off).windows(2) {
            judge.near(
                "period",
                pair[1] - pair[0],
                number(&known["period"]),
                tolerance,
            );
        }
        judge.finish(19);
    });
}

#[test]
fn sliding() {
    const TABLE: &str = r#"(
        format: 1,
        name: "sliding",
        reals: {"x": -1, "y": 0},
        ranges: ["left: x < 0"],
        relations: [
            "x = integral(1) when left",
            "x = integral(-2) when !left",
            "y = integral(3) when left",
        ],
    )"#;
    at_both(|accuracy| {
        let known = known("micro");
        let tolerance = number(&known["tolerance"]["abs"]);
        let known = &known["sliding"];
        let run = exact(TABLE, 4.0, accuracy).every(0.5).run();
        let mut judge = Judge::new(accuracy);
        for sample in list(&known["samples"]) {
            let row = run.row_at(number(&sample["t"]));
            judge.near("x", run.at_row(row, "x"), number(&sample["x"]), tolerance);
            judge.near("y", run.at_row(row, "y"), number(&sample["y"]), tolerance);
        }
        let arrival = number(&known["reach_time"]);
        let row = run.row_at(arrival);
        judge.near(
            "arrival",
            run.at_row(row, "y"),
            number(&known["y_at_reach"]),
            tolerance,
        );
        let rate = run.last("y") - run.at(3.0, "y");
        judge.near("rate", rate, number(&known["sliding_y_rate"]), tolerance);
        let weight = number(&known["filippov_weight_minus"]);
        judge.near("share", rate / 3.0, weight, tolerance);
        judge.finish(11);
    });
}

#[test]
fn simultaneous_events() {
    let ball = |n: usize, e: &str| {
        format!(
            r#""v{n} := -{e} * v{n} when hit{n}", "v{n} = integral(-9.81)", "h{n} = integral(v{n})""#
        )
    };
    let table = format!(
        r#"(
        format: 1,
        name: "two_balls",
        reals: {{"h1": 5, "h2": 5, "v1": 0, "v2": 0}},
        ranges: ["floor1: h1 <= 0", "floor2: h2 <= 0"],
        situations: ["event hit1: floor1", "event hit2: floor2"],
        relations: [{}, {}],
    )"#,
        ball(1, "0.8"),
        ball(2, "0.5")
    );
    at_both(|accuracy| {
        let known = known("micro");
        let tolerance = number(&known["tolerance"]["abs"]);
        let known = &known["simultaneous_events"];
        // The second ball comes to rest at 3.03 s.
        let run = exact(&table, 2.95, accuracy).run();
        let mut judge = Judge::new(accuracy);
        for (event, contacts) in [("hit1", "contacts_ball1"), ("hit2", "contacts_ball2")] {
            let mut known = times(&known[contacts]);
            known.retain(|&t| t < 2.95);
            judge.all_near(event, &run.times(&run.fired(event)), &known, tolerance);
        }
        // In one instant: one row shows both.
        assert_eq!(run.fired("hit1")[0], run.fired("hit2")[0]);
        judge.finish(7);
    });
}

#[test]
fn start_up() {
    const TABLE: &str = r#"(
        format: 1,
        name: "start_up",
        reals: {"x": 1},
        ranges: ["p: x >= 0.5"],
        situations: ["event again: p"],
        relations: ["x = cos(time)"],
    )"#;
    at_both(|accuracy| {
        let known = known("micro");
        let tolerance = number(&known["tolerance"]["abs"]);
        let known = &known["start_up"];
        let run = exact(TABLE, 18.0, accuracy).run();
        let mut judge = Judge::new(accuracy);
        let fired = run.times(&run.fired("again"));
        judge.all_near("fired", &fired, &times(&known["fires_at"]), tolerance);
        assert!(!fired.contains(&number(&known["does_not_fire_at"])));
        let falls = run.times(&run.rises("!p"));
        judge.near("fall", falls[0], number(&known["p_false_from"]), tolerance);
        judge.finish(4);
    });
}

const CHAIN: &str = r#"(
    format: 1,
    name: "chain",
    clock: (step: 0.1, stop: 2),
    reals: {"x": 0},
    switches: {"q1": false, "q2": false, "q3": false},
    ranges: ["g: x >= 1"],
    assignments: ["when q2: q3", "when q1: q2", "when g: q1"],
    relations: ["x = integral(1)"],
)"#;

#[test]
fn fixed_point_chain() {
    let known = known("micro");
    let known = number(&known["fixed_point_chain"]["time"]);
    let run = exact(CHAIN, 2.0, Accuracy::Tight).run();
    let at = ["q1", "q2", "q3"].map(|switch| run.rises(switch));
    assert_eq!(at[0], at[1]);
    assert_eq!(at[0], at[2]);
    let time = run.times(&at[0]);
    assert!((time[0] - known).abs() < 1e-12, "{time:?}");

    // In ticks each switch takes one of its own.
    let run: Run = Table::from_text(CHAIN).into_run();
    let trace = run.trace();
    let tick = |switch| {
        let values = column(&run.table.model, &trace, switch).unwrap();
        values.iter().position(|&value| value != 0.0).unwrap()
    };
    assert_eq!(tick("q2"), tick("q1") + 1);
    assert_eq!(tick("q3"), tick("q1") + 2);
}

#[test]
fn dead_loop() {
    const TABLE: &str = r#"(
        format: 1,
        name: "dead_loop",
        reals: {"x": 0},
        switches: {"q": true},
        ranges: ["late: x >= 1"],
        assignments: ["when q & late: !q", "when !q & late: q"],
        relations: ["x = integral(1)"],
    )"#;
    let (run, fault) = exact(TABLE, 2.0, Accuracy::Tight).outcome();
    let Some(RunFault::Cycle { time, assignments }) = fault else {
        panic!("{fault:?}");
    };
    assert!((time - 1.0).abs() < 1e-12);
    assert_eq!(assignments, [0, 1]);
    assert!(run.trace.time.last().is_some_and(|&last| last <= time));
}

#[test]
fn grazing() {
    const TABLE: &str = r#"(
        format: 1,
        name: "grazing",
        reals: {"x": 1, "s": -1},
        ranges: ["below: x < 0", "touching: x <= 0"],
        situations: ["event graze: touching"],
        relations: ["s = integral(1)", "x = s * s"],
    )"#;
    let run = exact(TABLE, 2.0, Accuracy::Tight).every(0.25).run();
    for name in ["below", "touching"] {
        assert_eq!(run.rises(name), [0; 0], "{name}");
    }
    assert_eq!(run.fired("graze"), [0; 0]);
    let known = known("micro");
    let touch = number(&known["grazing"]["t_touch"]);
    assert!(run.at(touch, "x").abs() < 1e-14);
}

#[test]
fn missed_double_crossing() {
    const TABLE: &str = r#"(
        format: 1,
        name: "double_crossing",
        clock: (step: 0.25, stop: 3),
        reals: {"x": -0.999},
        ranges: ["p: x >= 0"],
        relations: ["x = sin(time) - 0.999"],
    )"#;
    at_both(|accuracy| {
        let known = known("micro");
        let tolerance = number(&known["tolerance"]["abs"]);
        let known = &known["missed_double_crossing"];
        let run = exact(TABLE, 3.0, accuracy).run();
        let mut judge = Judge::new(accuracy);
        for (literal, time) in [("p", "rise"), ("!p", "fall")] {
            let found = run.times(&run.rises(literal));
            judge.all_near(time, &found, &[number(&known[time])], tolerance);
        }
        judge.finish(2);
    });
    // Ticks of 0.25 jump over it.
    let run = Table::from_text(TABLE).into_run();
    let p = column(&run.table.model, &run.trace(), "p").unwrap();
    assert!(p.iter().all(|&p| p == 0.0));
}
