//! Travin's scenarios in exact time.

use serde_json::Value;

use crate::events::{Accuracy, Exact, History, Judge, at_both, entries, known, list, number};
use crate::tables::Table;

#[test]
fn reactor() {
    at_both(|accuracy| {
        let known = known("cstr");
        let mut judge = Judge::new(accuracy);
        for (case, known) in entries(&known["cases"]) {
            let table = match case {
                "printed_constants_no_heating" => Table::at(format!("reactor/{case}.ron")),
                _ => Table::at("reactor/table.ron").case(case),
            };
            let run = Exact::new(table, 10.0, accuracy).every(0.5).run();
            let tolerance = number(&known["tolerance"]["conc_abs"]);
            for sample in list(&known["samples"]) {
                let row = run.row_at(number(&sample["t"]));
                for name in ["A", "B", "C", "T", "k1", "k2", "v_in", "v_out"] {
                    let what = format!("{case} {name} at {}", sample["t"]);
                    let value = number(&sample[name]);
                    judge.near(&what, run.at_row(row, name), value, tolerance);
                }
            }
            assert_eq!(run.times(&run.fired("doubling")), [2.0]);
            assert_eq!(run.times(&run.rises("heated")), [5.0]);
        }
        judge.finish(280);
    });
}

#[test]
fn sticky_balls() {
    at_both(|accuracy| {
        let known = known("sticky_balls");
        let mut judge = Judge::new(accuracy);
        for (case, known) in entries(&known["cases"]) {
            let table = match case {
                "ptolemy" => Table::at("sticky_balls/ptolemy.ron"),
                _ => Table::at("sticky_balls/table.ron").case(case),
            };
            let run = Exact::new(table, 50.0, accuracy).every(0.5).run();
            let tolerance = number(&known["tolerance"]["t_abs"]);
            let events = list(&known["events"]);
            for kind in ["collision", "separation"] {
                let known: Vec<&Value> = events.iter().filter(|e| e["kind"] == kind).collect();
                let times: Vec<f64> = known.iter().map(|event| number(&event["t"])).collect();
                let rows = run.fired(kind);
                judge.all_near(
                    &format!("{case} {kind}"),
                    &run.times(&rows),
                    &times,
                    tolerance,
                );
                for (&row, known) in rows.iter().zip(known) {
                    let mut value = |row: usize, real: &str, name: &str| {
                        if let Some(value) = known[name].as_f64() {
                            let what = format!("{case} {kind} {name}");
                            judge.near(&what, run.at_row(row, real), value, tolerance);
                        }
                    };
                    value(row, "x1", "x");
                    value(row, "x2", "x");
                    value(row, "s", "s");
                    value(row - 1, "v1", "v1_before");
                    value(row - 1, "v2", "v2_before");
                    value(row, "v1", "v_after");
                    value(row, "v2", "v");
                    value(row - 1, "pull", "F1_minus_F2");
                }
            }
            for sample in list(&known["samples"]) {
                let row = run.row_at(number(&sample["t"]));
                for name in ["x1", "x2", "v1", "v2"] {
                    let what = format!("{case} {name} at {}", sample["t"]);
                    let value = number(&sample[name]);
                    judge.near(&what, run.at_row(row, name), value, tolerance);
                }
                let together = run.column("together")[row] != 0.0;
                assert_eq!(together, sample["mode"] == "together", "{case}");
            }
        }
        judge.finish(300);
    });
}

/// The stages of the billiard: case, table, events by surface.
const STAGES: [(&str, &str, &[&str]); 4] = [
    ("plane_only", "table", &["plane"]),
    ("right_wall", "right_wall", &["plane", "right_wall"]),
    (
        "two_walls",
        "two_walls",
        &["plane", "right_wall", "left_wall"],
    ),
    (
        "two_walls_and_ceiling",
        "two_walls_and_ceiling",
        &["plane", "right_wall", "left_wall", "ceiling"],
    ),
];

/// The bounces of a run in their order: row and surface.
fn bounces<'s>(run: &History, surfaces: &[&'s str]) -> Vec<(usize, &'s str)> {
    let of = |&surface: &&'s str| {
        run.fired(surface)
            .into_iter()
            .map(move |row| (row, surface))
    };
    let mut bounces: Vec<_> = surfaces.iter().flat_map(of).collect();
    bounces.sort_unstable();
    bounces
}

#[test]
fn fifty_bounces_on_the_slope() {
    at_both(fifty_bounces);
}

fn fifty_bounces(accuracy: Accuracy) {
    let known = known("inclined_plane");
    let mut judge = Judge::new(accuracy);
    for (case, table, surfaces) in STAGES {
        let known = &known["cases"][case];
        let events = list(&known["events"]);
        let end = number(&events.last().unwrap()["t"]) + 0.01;
        let table = Table::at(format!("slope_billiard/{table}.ron"));
        let run = Exact::new(table, end, accuracy).run();
        let found = bounces(&run, surfaces);
        assert_eq!(found.len(), 50, "{case}");
        for (&(row, surface), known) in found.iter().zip(events) {
            let what = format!("{case} {} {surface}", known["k"]);
            assert_eq!(known["surface"], surface, "{what}");
            // Errors of one bounce grow in those that follow; the reference allows for its own only.
            let tolerance = 2.0 * number(&known["tolerance_abs"]);
            judge.near(&what, run.trace.time[row], number(&known["t"]), tolerance);
            for (real, name) in [
                ("x", "x"),
                ("y", "y"),
                ("vx", "vx_after"),
                ("vy", "vy_after"),
            ] {
                // The tolerance is that of a time; in the plane alone speed and way grow to 330 m/s
                // and 16 km.
                let value = number(&known[name]);
                let tolerance = tolerance * value.abs().max(10.0);
                judge.near(
                    &format!("{what} {real}"),
                    run.at_row(row, real),
                    value,
                    tolerance,
                );
            }
        }
    }
    judge.finish(1000);
}

#[test]
fn the_billiard_keeps_its_energy_for_a_thousand_seconds() {
    for (case, table, surfaces) in STAGES {
        let table = Table::at(format!("slope_billiard/{table}.ron"));
        let run = Exact::new(table, 1000.0, Accuracy::Tight).every(10.0).run();
        let speeds = run.column("vx").into_iter().zip(run.column("vy"));
        let energy = run.column("energy");
        let start = energy[0];
        // Down the endless slope the parts of the sum grow without limit.
        let drift = energy.into_iter().zip(speeds).map(|(energy, (vx, vy))| {
            let kinetic = 0.5 * (vx * vx + vy * vy);
            (energy - start).abs() / start.max(kinetic)
        });
        let drift = drift.fold(0.0, f64::max);
        assert!(drift <= 1e-9, "{case}: {drift}");
        assert!(bounces(&run, surfaces).len() > 400, "{case}");
    }
}
