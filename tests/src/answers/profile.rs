//! Counts of `situ profile`: they are those of the run itself.

use serde_json::Value;

use crate::cli::{BALL, Folder};

fn profile(folder: &Folder, options: &str) -> Value {
    let said = folder.situ(&format!("profile ball.ron --json {options}"));
    serde_json::from_str(&said.expect(0, "").out).unwrap()
}

fn sum(list: &Value, field: &str) -> f64 {
    let items = list.as_array().unwrap().iter();
    items.map(|item| item[field].as_f64().unwrap()).sum()
}

/// Numbers of a run from its summary as JSON.
fn run(folder: &Folder, options: &str) -> Value {
    let said = folder.situ(&format!("run ball.ron --json {options}"));
    serde_json::from_str(&said.expect(0, "").out).unwrap()
}

#[test]
fn parts_of_an_event_accurate_run_are_the_whole() {
    let folder = Folder::with(&[("ball.ron", BALL)]);
    let (found, whole) = (profile(&folder, "--events"), run(&folder, "--events"));
    assert_eq!(found["steps"], whole["steps"], "{whole}");
    assert_eq!(found["evaluations"], whole["evaluations"], "{whole}");
    assert_eq!(
        sum(&found["modes"], "steps"),
        whole["steps"].as_f64().unwrap()
    );
    assert_eq!(
        sum(&found["modes"], "rejected"),
        whole["rejected"].as_f64().unwrap()
    );
    assert_eq!(
        sum(&found["instants"], "count"),
        whole["instants"].as_f64().unwrap()
    );
    assert_eq!(
        sum(&found["limits"], "rejections"),
        whole["rejected"].as_f64().unwrap()
    );
    let seconds = sum(&found["modes"], "seconds") + sum(&found["instants"], "seconds");
    assert!((seconds - found["seconds"].as_f64().unwrap()).abs() < 1e-12);
    // The ball bounces; the row that turns its speed is executed at each bounce, the integrals at each
    // evaluation.
    let bounces = found["instants"].as_array().unwrap().iter();
    let bounces: f64 = bounces
        .filter(|one| one["what"].as_str().unwrap().contains("bounce"))
        .map(|one| one["count"].as_f64().unwrap())
        .sum();
    let rules = found["rules"].as_array().unwrap();
    let executed = |row: &str| {
        let rule = rules
            .iter()
            .find(|rule| rule["rule"].as_str().unwrap().starts_with(row));
        rule.unwrap()["executions"].as_f64().unwrap()
    };
    assert_eq!(executed("[3]"), bounces);
    assert!(bounces >= 3.0);
    // The method evaluates the rates anew at the start and after instants, beside the steps.
    let evaluations = whole["evaluations"].as_f64().unwrap();
    assert!((evaluations - executed("[2]")).abs() <= 2.0 + 2.0 * bounces);
}

#[test]
fn rows_that_solve_for_rates_and_forces_have_their_price() {
    for name in ["amplifier", "pendulum_rod", "implicit_ball"] {
        let folder = Folder::with(&[]);
        let table = crate::tables::root().join(format!("scenarios/{name}/table.ron"));
        let said = folder.situ(&format!("profile {} --stop 0.01 --json", table.display()));
        let found: Value = serde_json::from_str(&said.expect(0, "").out).unwrap();
        let solved = found["rules"].as_array().unwrap().iter();
        let mut solved = solved.filter(|rule| rule["rule"].as_str().unwrap().contains("solve"));
        assert!(solved.next().unwrap()["each"].is_number(), "{name}");
    }
}

#[test]
fn rules_of_a_tick_run_are_counted_tick_by_tick() {
    let folder = Folder::with(&[("ball.ron", BALL)]);
    let found = profile(&folder, "");
    assert_eq!(found["steps"], 3000);
    let rules = found["rules"].as_array().unwrap();
    assert_eq!(rules.len(), 4, "{rules:?}");
    for rule in rules {
        // The ball bounces three times.
        let bounces = rule["rule"].as_str().unwrap().starts_with("[3]");
        let executions = if bounces { 3.0 } else { 3000.0 };
        assert_eq!(rule["executions"].as_f64(), Some(executions));
        let each = rule["each"].as_f64().unwrap();
        let seconds = rule["seconds"].as_f64().unwrap();
        assert!(each >= 0.0 && seconds == each * executions, "{rule}");
    }
    let said = folder
        .situ("profile ball.ron --events --method tsit5")
        .expect(0, "")
        .out;
    for heading in [
        "mode: what holds",
        "at an instant",
        "with the largest error",
        "executed",
    ] {
        assert!(said.contains(heading), "{said}");
    }
}
