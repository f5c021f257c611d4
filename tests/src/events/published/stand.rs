//! The teaching stand: its combinations of scheme, step and location.
//!
//! The scheme `parabola` is any method of order 2 or more, `euler` is explicit Euler. The dense
//! output of Euler's method is a straight line, so that its root is the stand's linear location;
//! that of a parabola through points of a parabola is the parabola's.

use serde_json::Value;
use situ_engine::trace::Trace;
use situ_engine::{Locate, Method};
use situ_rules::load;

use crate::events::{Accuracy, Exact, History, Judge, at_both, entries, known, list, number};
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

/// A table of the stand that leaves the ball where it was found, be it below the floor.
fn left_below(path: &str) -> Table {
    let text = format!(
        r#"(format: 1, extends: "{path}.ron", name: "left_below", replace: ["5"],
            relations: ["[5] vy := theta^n * speed when hit"])"#
    );
    Table::of(load("scenarios/stand/below.ron", &text, &mut from_disk))
}

/// The stand's schemes with their steps and ways of location.
#[test]
fn schemes() {
    let file = known("stand");
    let mut judge = Judge::new(Accuracy::Tight);
    for (name, known) in entries(&file["cases"]) {
        let tolerance = number(&known["tolerance"]["abs"]);
        for (path, step) in [("table", "fixed_dt"), ("variable_step", "variable_dt")] {
            let table = Table::at(format!("stand/{path}.ron")).case(name);
            let below = left_below(path).case(name);
            let snapped = &file["snapped"][format!("{name}/{step}")];
            let run_of = |scheme: &str, way: &str| &known["runs"][format!("{scheme}/{step}/{way}")];
            let (rk4, euler) = (Method::Rk4, Method::Euler);
            for (table, method, locate, expected) in [
                (&table, rk4, Locate::Root, run_of("parabola", "quadratic")),
                (
                    &table,
                    rk4,
                    Locate::Quadratic,
                    run_of("parabola", "quadratic"),
                ),
                (&table, rk4, Locate::Linear, run_of("parabola", "linear")),
                (&table, rk4, Locate::None, snapped),
                (&below, rk4, Locate::None, run_of("parabola", "none")),
                (&table, euler, Locate::Root, run_of("euler", "linear")),
                (&table, euler, Locate::Linear, run_of("euler", "linear")),
                (
                    &table,
                    euler,
                    Locate::Quadratic,
                    run_of("euler", "quadratic"),
                ),
                (&below, euler, Locate::None, run_of("euler", "none")),
            ] {
                // On the floor without location: the data have the first two cases only.
                if expected.is_null() {
                    continue;
                }
                let last = list(expected).last().unwrap();
                let stop = number(&last["t"]) + 1e-3;
                let mut exact = Exact::new(table.clone(), stop, Accuracy::Tight);
                exact.config.settings.method = method;
                exact.config.settings.h0 = Some(number(&known["parameters"]["dt"]));
                exact.config.locate = locate;
                exact.config.step_formula = table.model.clock.step_formula;
                let (method, locate) = (method.name(), locate.name());
                let what = format!("{name} {step} by {method} located {locate}");
                // After the eighth bounce with theta = 0.6 the flight is shorter than a step of 50
                // ms: the next bounce is that step's end.
                let run = exact.run();
                bounces(&mut judge, &what, &run, expected, tolerance);
            }
        }
    }
    judge.finish((2 * 4 * 8 + 4) * 8 * 3);
}

/// A table of the stand in which a bounce is what a tick finds below the floor.
pub(crate) fn late(path: &str) -> Table {
    let text = r#"(
        format: 1,
        extends: "PATH.ron",
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
    let text = text.replace("PATH", path);
    Table::of(load("scenarios/stand/late.ron", &text, &mut from_disk))
}

/// Compares the bounces of a run in ticks with published numbers: `x` by the number of the bounce.
pub(crate) fn ticks_bounce(what: &str, (table, trace): &(Table, Trace), expected: &Value) {
    let column = |name: &str| column(&table.model, trace, name).unwrap();
    let (n, x_hit) = (column("n"), column("x_hit"));
    assert!(!list(expected).is_empty(), "{what}");
    for event in list(expected) {
        let number_of = number(&event["n"]);
        let row = n.iter().position(|&n| n == number_of);
        let row = row.unwrap_or_else(|| panic!("{what}: no bounce {number_of}"));
        let (found, known) = (x_hit[row], number(&event["x"]));
        assert!(
            (found - known).abs() < 1e-10,
            "{what} {number_of}: {found} {known}"
        );
    }
}

/// The stand without location: what it finds at the end of a step it takes for the bounce, and
/// the ball goes on from below the floor, so that the next step may find it there again.
#[test]
fn no_location_is_a_tick_run() {
    let known = known("stand");
    for (name, known) in entries(&known["cases"]) {
        let mut table = late("table").case(name);
        table.model.clock.stop = Some(8.0);
        let run = table.into_run();
        let trace = run.trace();
        ticks_bounce(
            name,
            &(run.table, trace),
            &known["runs"]["euler/fixed_dt/none"],
        );
    }
}
