//! The paper's scenarios in exact time.

use serde_json::Value;

use crate::events::{Accuracy, Exact, History, Judge, at_both, entries, known, list, number};
use crate::tables::Table;

const DEG: f64 = 180.0 / std::f64::consts::PI;

/// The largest distance of two passages of the lowest point from a period.
fn period(judge: &mut Judge, what: &str, run: &History, period: f64, tolerance: f64) {
    let passages = run.times(&run.rises("below"));
    assert!(passages.len() >= 3, "{what}: {passages:?}");
    for pair in passages.windows(2) {
        judge.near(
            &format!("{what} period"),
            pair[1] - pair[0],
            period,
            tolerance,
        );
    }
}

/// Compares what an object has for each of the names of a table's reals. `names`: in the file, in
/// the table, and by what the file's value must be multiplied.
fn values(
    judge: &mut Judge,
    what: &str,
    run: &History,
    row: usize,
    known: &Value,
    names: &[(&str, &str, f64)],
    tolerance: f64,
) {
    for &(known_as, real, factor) in names {
        if let Some(value) = known[known_as].as_f64() {
            let found = run.at_row(row, real) / factor;
            judge.near(&format!("{what} {real}"), found, value, tolerance);
        }
    }
}

#[test]
fn hoop() {
    at_both(hoop_with);
}

fn hoop_with(accuracy: Accuracy) {
    let known = known("hoop");
    let mut judge = Judge::new(accuracy);
    for (case, known) in entries(&known["cases"]) {
        let table = Table::at("hoop/table.ron").case(case);
        let run = Exact::new(table, 8.0, accuracy).every(0.5).run();
        hoop_events(&mut judge, case, &run, known);
        let tolerance = &known["tolerance"];
        for sample in list(&known["samples"]) {
            let t = number(&sample["t"]);
            let h_abs = number(&tolerance["samples_h_abs"]);
            let v_abs = number(&tolerance["samples_V_abs"]);
            if t <= 8.0 {
                judge.near(
                    &format!("{case} h({t})"),
                    run.at(t, "h"),
                    number(&sample["h"]),
                    h_abs,
                );
                judge.near(
                    &format!("{case} V({t})"),
                    run.at(t, "Vy"),
                    number(&sample["V"]),
                    v_abs,
                );
            }
        }
        let rest = number(&known["rest"]["h_rest"]);
        judge.near(
            &format!("{case} rests"),
            run.last("h"),
            rest,
            number(&tolerance["h_abs"]),
        );
    }
    judge.finish(400);
}

/// Apexes, contacts and turning points of a hoop.
fn hoop_events(judge: &mut Judge, case: &str, run: &History, known: &Value) {
    let tolerance = &known["tolerance"];
    let (t_abs, h_abs) = (number(&tolerance["t_abs"]), number(&tolerance["h_abs"]));
    let v_abs = number(&tolerance["V_abs"]);
    let kinds = [
        ("contact_begin", run.rises("contact")),
        ("max_compression", run.rises("accelerating")),
        ("contact_end", run.rises("free_fall")),
        ("apex", {
            let mut rows = run.rises("V_neg");
            rows.retain(|&row| run.at_row(row, "h") > 30.0);
            rows
        }),
    ];
    let events = list(&known["events"]);
    for (kind, rows) in kinds {
        let known: Vec<&Value> = events
            .iter()
            .filter(|event| event["kind"] == kind)
            .collect();
        // The hoop starts at an apex.
        let known = &known[usize::from(kind == "apex")..];
        let what = format!("{case} {kind}");
        // Turning points in the last contact are listed apart.
        let rows = &rows[..rows.len().min(known.len())];
        let times: Vec<f64> = known.iter().map(|event| number(&event["t"])).collect();
        judge.all_near(&what, &run.times(rows), &times, t_abs);
        for (&row, known) in rows.iter().zip(known) {
            let (h, v) = (number(&known["h"]), number(&known["V"]));
            judge.near(&format!("{what} h"), run.at_row(row, "h"), h, h_abs);
            judge.near(&format!("{what} V"), run.at_row(row, "Vy"), v, v_abs);
        }
    }
}

#[test]
fn hoop_with_drag() {
    at_both(hoop_with_drag_with);
}

fn hoop_with_drag_with(accuracy: Accuracy) {
    let known = known("hoop_drag");
    let tables = [
        ("held_drag_in_contact", "hoop_drag/table.ron"),
        ("no_drag_in_contact", "hoop_drag/zero_in_contact.ron"),
    ];
    let mut judge = Judge::new(accuracy);
    for (case, path) in tables {
        let mut known_case = known["cases"][case].clone();
        known_case["tolerance"] = known["tolerance"].clone();
        let run = Exact::new(Table::at(path), 8.0, accuracy).run();
        hoop_events(&mut judge, case, &run, &known_case);
    }
    judge.finish(100);
}

#[test]
fn hoop_with_rotation() {
    at_both(hoop_with_rotation_with);
}

fn hoop_with_rotation_with(accuracy: Accuracy) {
    let known = known("hoop_rotation");
    let mut judge = Judge::new(accuracy);
    for (case, known) in entries(&known["cases"]) {
        let table = Table::at("hoop_rotation/table.ron").case(case);
        let run = Exact::new(table, 6.8, accuracy).run();
        let tolerance = |name: &str| number(&known["tolerance"][name]);
        let (begins, ends) = (run.rises("contact"), run.rises("free_fall"));
        let contacts = list(&known["contacts"]);
        let column = |name: &str, n: usize| -> Vec<f64> {
            contacts[..n]
                .iter()
                .map(|contact| number(&contact[name]))
                .collect()
        };
        let n = 11;
        judge.all_near(
            &format!("{case} begin"),
            &run.times(&begins[..n]),
            &column("t_begin", n),
            tolerance("t_abs"),
        );
        judge.all_near(
            &format!("{case} end"),
            &run.times(&ends[..n]),
            &column("t_end", n),
            tolerance("t_abs"),
        );
        for (side, rows) in [("before", &begins), ("after", &ends)] {
            for (name, real, tolerance_name) in [
                ("Vx", "Vx", "Vx_abs"),
                ("omega", "om", "omega_abs"),
                ("Vrim", "Vrim", "Vx_abs"),
            ] {
                for (contact, &row) in contacts.iter().zip(rows.iter()) {
                    if let Some(value) = contact[format!("{name}_{side}")].as_f64() {
                        let what = format!("{case} {name} {side}");
                        judge.near(
                            &what,
                            run.at_row(row, real),
                            value,
                            tolerance(tolerance_name),
                        );
                    }
                }
            }
        }
        let slip: Vec<f64> = run.column("Vrim");
        let stick = slip
            .iter()
            .position(|slip| slip.abs() < 1e-9)
            .expect("it rolls");
        judge.near(
            &format!("{case} sticks"),
            run.trace.time[stick],
            number(&known["stick_time"]),
            tolerance("t_abs"),
        );
        for (name, real) in [("Vx", "Vx"), ("omega", "om"), ("Vrim", "Vrim")] {
            judge.near(
                &format!("{case} final {name}"),
                run.last(real),
                number(&known["final"][name]),
                tolerance("Vx_abs"),
            );
        }
    }
    judge.finish(240);
}

#[test]
fn pendulum() {
    at_both(pendulum_with);
}

fn pendulum_with(accuracy: Accuracy) {
    let known = known("pendulum");
    let below = || Table::with_range("pendulum/table.ron", "below: ang < 0");
    let period_abs = number(&known["tolerance"]["period_abs"]);
    let angle_abs = number(&known["tolerance"]["angle_rad_abs"]);
    let names = [
        ("angle_rad", "ang", DEG),
        ("angular_velocity_rad_s", "om", DEG),
    ];
    let mut judge = Judge::new(accuracy);
    for case in list(&known["cases"]) {
        let amplitude = number(&case["amplitude_deg"]);
        let what = format!("{amplitude} degrees");
        let table = below().case(&format!("amplitude_{amplitude}"));
        let run = Exact::new(table, 10.0, accuracy).every(1.0).run();
        period(&mut judge, &what, &run, number(&case["period"]), period_abs);
        for sample in list(&case["samples"]) {
            let row = run.row_at(number(&sample["t"]));
            values(&mut judge, &what, &run, row, sample, &names, angle_abs);
        }
        let bottom = run.rises("below")[0];
        let speed = number(&case["max_speed_rad_s"]);
        judge.near(
            &what,
            run.at_row(bottom, "om").abs() / DEG,
            speed,
            angle_abs,
        );
    }
    for (coefficient, periods) in entries(&known["period_with_printed_degree_coefficient"]) {
        for (amplitude, known) in entries(periods) {
            let table = below()
                .case(&format!("printed_{coefficient}"))
                .set(&format!("ang={amplitude}"));
            let run = Exact::new(table, 10.0, accuracy).run();
            let what = format!("{coefficient} {amplitude} degrees");
            period(&mut judge, &what, &run, number(known), period_abs);
        }
    }
    judge.finish(60);
}

#[test]
fn elastic_thread() {
    at_both(elastic_thread_with);
}

fn elastic_thread_with(accuracy: Accuracy) {
    let known = known("elastic_thread");
    let mut judge = Judge::new(accuracy);
    for (case, known) in entries(&known["cases"]) {
        let range = "below: ang < 0";
        let table = match case {
            "c_F_deg75" => Table::with_range("elastic_thread/c_F_deg75.ron", range),
            _ => Table::with_range("elastic_thread/table.ron", range).case(case),
        };
        let run = Exact::new(table, 10.0, accuracy).every(1.0).run();
        let tolerance = number(&known["tolerance"]["angle_rad_abs"]);
        period(&mut judge, case, &run, number(&known["period"]), tolerance);
        let names = [
            ("angle_rad", "ang", DEG),
            ("angular_velocity_rad_s", "om", DEG),
            ("L_current", "Lcur", 1.0),
            ("delta_L", "dL", 1.0),
        ];
        let bottom = run.rises("below")[0];
        let quarter = run.trace.time[bottom];
        judge.near(case, quarter, number(&known["quarter_period"]), tolerance);
        values(
            &mut judge,
            case,
            &run,
            bottom,
            &known["at_bottom"],
            &names,
            tolerance,
        );
        values(
            &mut judge,
            case,
            &run,
            0,
            &known["initial"],
            &names,
            tolerance,
        );
        for sample in list(&known["samples"]) {
            let row = run.row_at(number(&sample["t"]));
            values(&mut judge, case, &run, row, sample, &names, tolerance);
        }
    }
    judge.finish(95);
}

#[test]
fn cart() {
    at_both(cart_with);
}

fn cart_with(accuracy: Accuracy) {
    let known = known("cart");
    let mut judge = Judge::new(accuracy);
    for (case, known) in entries(&known["cases"]) {
        let table = Table::with_range("cart/table.ron", "below: ang < 0").case(case);
        let run = Exact::new(table, 10.0, accuracy).every(1.0).run();
        let tolerance = number(&known["tolerance"]["angle_abs"]);
        let known = &known["table_as_written"];
        period(&mut judge, case, &run, number(&known["period"]), tolerance);
        let names = [
            ("angle_rad", "ang", DEG),
            ("angular_velocity_total_rad_s", "omT", DEG),
            ("V_cart", "VC", 1.0),
            ("X_cart", "XC", 1.0),
        ];
        let bottom = run.rises("below")[0];
        judge.near(
            case,
            run.at_row(bottom, "VC"),
            number(&known["V_at_bottom"]),
            tolerance,
        );
        for sample in list(&known["samples"]) {
            let row = run.row_at(number(&sample["t"]));
            values(&mut judge, case, &run, row, sample, &names, tolerance);
        }
    }
    judge.finish(80);
}

#[test]
fn cart_between_stops() {
    at_both(cart_between_stops_with);
}

fn cart_between_stops_with(accuracy: Accuracy) {
    let known = known("cart_stops");
    let mut judge = Judge::new(accuracy);
    for (case, known) in entries(&known["cases"]) {
        let table = Table::at("cart_stops/table.ron").case(case);
        let run = Exact::new(table, 8.0, accuracy).run();
        let tolerance = number(&known["tolerance"]["t_abs"]);
        let events = list(&known["table_as_written"]["events"]);
        let kinds = [
            ("Ostanov_begin", run.rises("Ostanov")),
            ("Ostanov_end", run.rises("!Ostanov")),
            ("Stop", run.fired("Stop")),
        ];
        for (kind, mut rows) in kinds {
            let known: Vec<&Value> = events
                .iter()
                .filter(|event| event["kind"] == kind)
                .collect();
            let times: Vec<f64> = known.iter().map(|event| number(&event["t"])).collect();
            if kind == "Stop" {
                // It fires once more at the end of each hold, where it changes nothing.
                let ends = run.times(&run.rises("!Ostanov"));
                rows.retain(|&row| !ends.contains(&run.trace.time[row]));
            }
            let what = format!("{case} {kind}");
            judge.all_near(&what, &run.times(&rows), &times, tolerance);
            for (&row, known) in rows.iter().zip(&known) {
                let after = [
                    ("X", "XC", 1.0),
                    ("angle_rad", "ang", DEG),
                    ("angular_velocity_total_after", "omT", DEG),
                ];
                values(&mut judge, &what, &run, row, known, &after, tolerance);
                let before = [
                    ("V_before", "VC", 1.0),
                    ("F", "Fcart", 1.0),
                    ("angular_velocity_total_before", "omT", DEG),
                ];
                values(&mut judge, &what, &run, row - 1, known, &before, tolerance);
            }
        }
    }
    judge.finish(95);
}

#[test]
fn rlc() {
    at_both(rlc_with);
}

fn rlc_with(accuracy: Accuracy) {
    let known = known("rlc");
    let table = Table::with_range("rlc/table.ron", "rising: IC > 0").case("main");
    let run = Exact::new(table, 2.0, accuracy).every(0.05).run();
    let tolerance = number(&known["tolerance"]["E_abs"]);
    let mut judge = Judge::new(accuracy);
    let names = [
        ("E", "E", 1.0),
        ("I", "I", 1.0),
        ("IR", "IR", 1.0),
        ("E_sum", "Es", 1.0),
    ];
    for sample in list(&known["samples"]) {
        let row = run.row_at(number(&sample["t"]));
        values(&mut judge, "rlc", &run, row, sample, &names, tolerance);
    }
    let overshoot = run.rises("rising")[0];
    judge.near(
        "overshoot",
        run.trace.time[overshoot],
        number(&known["first_overshoot_time"]),
        tolerance,
    );
    judge.near(
        "overshoot",
        run.at_row(overshoot, "E"),
        number(&known["E_at_first_overshoot"]),
        tolerance,
    );
    judge.finish(30);
}
