//! The teaching stand: its twelve combinations of scheme, step and location, as far as event
//! stepping has them.
//!
//! The scheme `parabola` is any method of order 2 or more, `euler` is explicit Euler. The dense
//! output of Euler's method is a straight line, so that its root is the stand's linear location;
//! that of a parabola through points of a parabola is the parabola's. Its variable step, a formula of
//! the height, is not among the settings of a run.

use serde_json::Value;
use situ_engine::solve::{Locate, Method};
use situ_rules::load;

use super::{Accuracy, Exact, History, Judge, at_both, entries, known, list, number};
use crate::tables::{Table, column, from_disk};

/// The table with the parameters of a case, and a stop behind its last known bounce.
fn case(name: &str, known: &Value) -> (Table, f64) {
    let last = list(&known["analytic"]).last().unwrap();
    (Table::at("stand/table.ron").case(name), number(&last["t"]))
}

/// Compares the bounces of a run with a list of the file.
fn bounces(judge: &mut Judge, what: &str, run: &History, known: &Value, tolerance: f64) {
    let rows = run.fired("hit");
    for (known, &row) in list(known).iter().zip(&rows) {
        let n = number(&known["n"]);
        let what = format!("{what} {n}");
        judge.near(&what, run.at_row(row, "n"), n, 0.1);
        judge.near(&what, run.trace.time[row], number(&known["t"]), tolerance);
        judge.near(
            &what,
            run.at_row(row, "x_hit"),
            number(&known["x"]),
            tolerance,
        );
    }
    let missing = list(known).len() - rows.len().min(list(known).len());
    assert_eq!(missing, 0, "{what}: too few bounces");
}

#[test]
fn predicted_and_obtained() {
    at_both(|accuracy| {
        let known = known("stand");
        let mut judge = Judge::new(accuracy);
        for (name, known) in entries(&known["cases"]) {
            let (table, last) = case(name, known);
            let run = Exact::new(table, last + 1e-3, accuracy).run();
            let tolerance = number(&known["tolerance"]["abs"]);
            bounces(&mut judge, name, &run, &known["analytic"], tolerance);
            for &row in &run.fired("hit") {
                let predicted = run.at_row(row, "x_true");
                judge.near("predicted", predicted, run.at_row(row, "x_hit"), tolerance);
                let error = run.at_row(row, "x_hit") - predicted;
                judge.near("error", run.at_row(row, "error"), error, tolerance);
            }
        }
        judge.finish(4 * 8 * 5);
    });
}

#[test]
fn schemes_with_fixed_steps() {
    let file = known("stand");
    let mut judge = Judge::new(Accuracy::Tight);
    for (name, known) in entries(&file["cases"]) {
        let tolerance = number(&known["tolerance"]["abs"]);
        let snapped = &file["snapped"][format!("{name}/fixed_dt")];
        let run_of = |name: &str| &known["runs"][name];
        for (method, locate, expected) in [
            (
                Method::Rk4,
                Locate::Root,
                run_of("parabola/fixed_dt/quadratic"),
            ),
            (
                Method::Rk4,
                Locate::Quadratic,
                run_of("parabola/fixed_dt/quadratic"),
            ),
            (
                Method::Rk4,
                Locate::Linear,
                run_of("parabola/fixed_dt/linear"),
            ),
            (Method::Rk4, Locate::None, snapped),
            (Method::Euler, Locate::Root, run_of("euler/fixed_dt/linear")),
            (
                Method::Euler,
                Locate::Linear,
                run_of("euler/fixed_dt/linear"),
            ),
            (
                Method::Euler,
                Locate::Quadratic,
                run_of("euler/fixed_dt/quadratic"),
            ),
        ] {
            // Without location the data have the first two cases only.
            if expected.is_null() {
                continue;
            }
            let last = list(expected).last().unwrap();
            let (table, _) = case(name, known);
            let mut exact = Exact::new(table, number(&last["t"]) + 1e-3, Accuracy::Tight);
            exact.config.settings.method = method;
            exact.config.settings.h0 = Some(number(&known["parameters"]["dt"]));
            exact.config.locate = locate;
            let what = format!("{name} by {} located {}", method.name(), locate.name());
            // After the eighth bounce with theta = 0.6 the flight is shorter than a step: the line from
            // the floor through the end of the step meets the floor where it begins.
            let (run, _) = exact.outcome();
            bounces(&mut judge, &what, &run, expected, tolerance);
        }
    }
    judge.finish((4 * 6 + 2) * 8 * 3);
}

/// The stand without location: what it finds at the end of a step it takes for the bounce, and
/// the ball goes on from below the floor, so that the next step may find it there again.
#[test]
fn no_location_is_a_tick_run() {
    let text = r#"(
        format: 1,
        extends: "table.ron",
        name: "stand_late",
        replace: ["hit", "1", "2", "3", "4", "5"],
        situations: ["hit: floor"],
        relations: [
            "[1] n = n + 1 when hit",
            "[2] x_hit = 1 * x when hit",
            "[3] error = x_hit - x_true when hit",
            "[4] next = 1 * next when hit",
            "[5] vy = theta^n * speed when hit",
        ],
    )"#;
    let known = known("stand");
    let mut judge = Judge::new(Accuracy::Tight);
    for (name, known) in entries(&known["cases"]) {
        let loaded = load("scenarios/stand/late.ron", text, &mut from_disk);
        let mut table = Table::of(loaded).case(name);
        let known_run = list(&known["runs"]["euler/fixed_dt/none"]);
        table.model.clock.stop = Some(8.0);
        let run = table.into_run();
        let trace = run.trace();
        let column = |name: &str| column(&run.table.model, &trace, name).unwrap();
        let (n, x_hit) = (column("n"), column("x_hit"));
        for event in known_run {
            let number_of = number(&event["n"]);
            let row = n.iter().position(|&n| n == number_of);
            let row = row.unwrap_or_else(|| panic!("{name}: no bounce {number_of}"));
            let what = format!("{name} {number_of}");
            judge.near(&what, x_hit[row], number(&event["x"]), 1e-9);
        }
    }
    judge.finish(4 * 8);
}
