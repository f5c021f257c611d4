//! The hybrid examples of ISMA in exact time.

use situ_engine::Locate;

use crate::events::{Accuracy, Exact, Judge, at_both, known, list, number};
use crate::tables::Table;

#[test]
fn obstacle_pendulum() {
    at_both(|accuracy| {
        let known = known("pendulum_obstacle");
        let table = Table::at("obstacle_pendulum/table.ron").case("main");
        let run = Exact::new(table, 20.0, accuracy).run();
        let tolerance = number(&known["tolerance"]["t_abs"]);
        let impacts = list(&known["impacts"]);
        let times: Vec<f64> = impacts.iter().map(|impact| number(&impact["t"])).collect();
        let rows = run.fired("impact");
        let mut judge = Judge::new(accuracy);
        judge.all_near("impact", &run.times(&rows), &times, tolerance);
        for (&row, known) in rows.iter().zip(impacts) {
            let (before, after) = (run.at_row(row - 1, "omega"), run.at_row(row, "omega"));
            judge.near("before", before, number(&known["omega_before"]), tolerance);
            judge.near("after", after, number(&known["omega_after"]), tolerance);
        }
        let last = &known["final"];
        judge.near(
            "angle",
            run.last("angle"),
            number(&last["angle"]),
            tolerance,
        );
        judge.near(
            "omega",
            run.last("omega"),
            number(&last["omega"]),
            tolerance,
        );
        judge.finish(44);
    });
}

#[test]
fn breaking_pendulum() {
    at_both(|accuracy| {
        let known = known("pendulum_break");
        let table = Table::at("breaking_pendulum/table.ron").case("main");
        let run = Exact::new(table, 1.6, accuracy).run();
        let tolerance = number(&known["tolerance"]["abs"]);
        let mut judge = Judge::new(accuracy);
        let breaks = run.rises("broken");
        judge.all_near(
            "break",
            &run.times(&breaks),
            &[number(&known["break_time"])],
            tolerance,
        );
        let omega = number(&known["omega_at_break"]);
        judge.near("omega", run.at_row(breaks[0], "omega"), omega, tolerance);
        let apexes: Vec<usize> = run.rises("!rising");
        let apex = *apexes.last().unwrap();
        let landing = run.fired("landing");
        assert_eq!(landing.len(), 1);
        for (row, state) in [
            (breaks[0], "state_after_break"),
            (apex, "apex"),
            (landing[0], "ground"),
        ] {
            let state = &known[state];
            if let Some(t) = state["t"].as_f64() {
                judge.near("time", run.trace.time[row], t, tolerance);
            }
            for name in ["x", "y", "vx", "vy"] {
                if let Some(value) = state[name].as_f64() {
                    judge.near(name, run.at_row(row, name), value, tolerance);
                }
            }
        }
        judge.finish(12);
    });
}

#[test]
fn saddle() {
    at_both(|accuracy| {
        let known = known("saddle");
        let table = Table::at("saddle/table.ron").case("main");
        let run = Exact::new(table, 50.0, accuracy).run();
        let tolerance = number(&known["tolerance"]["abs"]);
        let mut rows: Vec<usize> = (1..=4)
            .flat_map(|i| run.fired(&format!("leave_{i}")))
            .collect();
        rows.sort_unstable();
        let events = list(&known["events"]);
        let times: Vec<f64> = events.iter().map(|event| number(&event["t"])).collect();
        let mut judge = Judge::new(accuracy);
        judge.all_near("passage", &run.times(&rows), &times, tolerance);
        for (&row, known) in rows.iter().zip(events) {
            for (index, name) in ["x1", "x2"].into_iter().enumerate() {
                let (before, after) = (&known["x_before"][index], &known["x_after"][index]);
                judge.near(name, run.at_row(row - 1, name), number(before), tolerance);
                judge.near(name, run.at_row(row, name), number(after), tolerance);
            }
        }
        judge.finish(80);
    });
}

#[test]
fn one_sided_ball() {
    at_both(|accuracy| {
        let known = &known("implicit")["bouncing_ball"];
        let table = Table::at("one_sided_ball/table.ron").case("main");
        let run = Exact::new(table, 12.4, accuracy).run();
        let tolerance = number(&known["tolerance"]["t_abs"]);
        let rows = run.fired("bounce");
        let bounces = list(&known["bounces"]);
        let times: Vec<f64> = bounces.iter().map(|bounce| number(&bounce["t"])).collect();
        let mut judge = Judge::new(accuracy);
        judge.all_near("bounce", &run.times(&rows), &times, tolerance);
        for (&row, known) in rows.iter().zip(bounces) {
            judge.near(
                "before",
                run.at_row(row - 1, "v"),
                number(&known["v_before"]),
                tolerance,
            );
            judge.near(
                "after",
                run.at_row(row, "v"),
                number(&known["v_after"]),
                tolerance,
            );
        }
        judge.finish(45);
        // After the accumulation it lies on the floor.
        let table = Table::at("one_sided_ball/table.ron").case("main");
        let run = Exact::new(table, 14.0, accuracy).run();
        let bounces = run.times(&run.fired("bounce"));
        let limit = number(&known["zeno_time"]);
        assert!(bounces.iter().all(|&t| t <= limit * (1.0 + 1e-6)));
        assert!(run.last("y").abs() < 1e-6 && run.last("v").abs() < 1e-6);
    });
}

/// The border is approached from inside only, and found where it is.
#[test]
fn one_sided_location() {
    let file = known("implicit");
    let known_ball = &file["bouncing_ball"];
    let mut judge = Judge::new(Accuracy::Tight);
    let table = || Table::at("one_sided_ball/table.ron").case("main");
    let mut exact = Exact::new(table(), 12.4, Accuracy::Tight);
    exact.config.locate = Locate::OneSided;
    let run = exact.every(0.01).run();
    let bounces = list(&known_ball["bounces"]);
    let times: Vec<f64> = bounces.iter().map(|bounce| number(&bounce["t"])).collect();
    let tolerance = number(&known_ball["tolerance"]["t_abs"]);
    judge.all_near(
        "bounce",
        &run.times(&run.fired("bounce")),
        &times,
        tolerance,
    );
    let lowest = run.column("y").into_iter().fold(f64::INFINITY, f64::min);
    assert!(lowest >= -1e-12, "{lowest}");

    // ISMA's example of the step formula: the event that its steps approach.
    let steps = known("one_sided_step");
    for gamma in ["0.5", "0.9"] {
        let case = &steps["cases"][gamma];
        let start = &list(&case["steps"])[0];
        let [y, v] = ["y", "v"].map(|name| number(&start[name]));
        let table = table().set(&format!("y={y}")).set(&format!("v={v}"));
        let mut exact = Exact::new(table, 0.2, Accuracy::Tight);
        exact.config.locate = Locate::OneSided;
        let run = exact.run();
        let event = run.times(&run.fired("bounce"));
        let known = number(&case["exact_event_time"]);
        judge.all_near(
            "event",
            &event,
            &[known],
            number(&steps["tolerance"]["abs"]),
        );
        for step in list(&case["steps"]) {
            // Each step that the formula proposes leaves the share gamma of the margin, to first
            // order, and so lies before the event.
            let [t, h, g] = ["t", "h", "g"].map(|name| number(&step[name]));
            let rate = -number(&step["v"]);
            let share: f64 = gamma.parse().unwrap();
            judge.near("step", h, (share - 1.0) * g / rate, 1e-10);
            assert!(t + h < event[0]);
        }
    }
    judge.finish(57);
}

/// Nothing is computed more than rounding beyond the border: there the rate has no value. Located at the root the same
/// run meets such points.
#[test]
fn one_sided_location_never_evaluates_beyond_the_border() {
    let file = known("implicit");
    let known_ball = &file["bouncing_ball"];
    let bounces = list(&known_ball["bounces"]);
    let times: Vec<f64> = bounces.iter().map(|bounce| number(&bounce["t"])).collect();
    let tolerance = number(&known_ball["tolerance"]["t_abs"]);
    let run_of = |locate| {
        let table = Table::from_text(
            r#"(
                format: 1,
                name: "floor_without_beyond",
                reals: {"y": 10, "v": 0},
                ranges: ["beyond: -y > 0", "down: v < 0"],
                situations: ["event bounce: beyond & down"],
                relations: [
                    "[1] v := -0.8 * v when bounce",
                    "[2] v = integral(-9.81)",
                    "[3] y = integral(v + 1e-300 * sqrt(y + 1e-9))",
                ],
            )"#,
        );
        let mut exact = Exact::new(table, 12.4, Accuracy::Tight);
        exact.config.locate = locate;
        exact.outcome()
    };
    let (run, fault) = run_of(Locate::OneSided);
    assert!(fault.is_none(), "{fault:?}");
    assert_eq!(run.stats.method.rejected_not_finite, 0);
    let mut judge = Judge::new(Accuracy::Tight);
    let found = run.times(&run.fired("bounce"));
    judge.all_near("bounce", &found, &times, tolerance);
    judge.finish(times.len());
    let (run, fault) = run_of(Locate::Root);
    assert!(fault.is_some() || run.stats.method.rejected_not_finite > 0);
}

/// A range in time and a schedule at one instant: what one-sided location reaches takes along what is due.
#[test]
fn one_sided_location_takes_along_what_is_due() {
    let table = Table::from_text(
        r#"(format: 1, name: "due", reals: {"n": 0, "y": 0},
            ranges: ["late: time >= 2"], situations: ["event beat: every(0.25)"],
            relations: ["n := n + 1 when beat", "y = integral(n) when late"])"#,
    );
    let mut exact = Exact::new(table, 4.0, Accuracy::Tight);
    exact.config.locate = Locate::OneSided;
    let run = exact.run();
    assert_eq!(run.fired("beat").len(), 16);
    // 8, 9, .. 15, a quarter each.
    assert!((run.at(4.0, "y") - 23.0).abs() < 1e-9);
}

/// A whole power of a negative number has a bound of its rounding errors: without one the way to the border is never told
/// from none.
#[test]
fn one_sided_location_follows_powers_of_negative_numbers() {
    let table = Table::from_text(
        r#"(format: 1, name: "powers", reals: {"x": 0.75, "c": -0.4}, ranges: ["p: sin(1 - c^2) > x"],
            relations: ["x = integral(-1)", "c = integral(-0.5)"])"#,
    );
    let mut exact = Exact::new(table, 1.5, Accuracy::Tight);
    exact.config.locate = Locate::OneSided;
    exact.config.budget.steps = 1000;
    let run = exact.run();
    let times = run.times(&run.rises("p"));
    let [t] = times[..] else {
        panic!("{times:?}");
    };
    let c = -0.4 - 0.5 * t;
    assert!(((1.0 - c * c).sin() - (0.75 - t)).abs() < 1e-9, "{t}");
}
