//! The tick run against published numbers of the paper's tables (`tests/data/tick.json`): values
//! within 1e-8, and the ticks in which the conjunctions of situations change.

use std::collections::BTreeMap;

use serde::Deserialize;
use situ_engine::model::{IntegralRule, Model};
use situ_engine::trace::Trace;

use crate::tables::{Table, column, literal, root};

/// The file.
#[derive(Deserialize)]
struct Published {
    tolerance: Tolerance,
    runs: Vec<Known>,
}

#[derive(Deserialize)]
struct Tolerance {
    rel: f64,
    abs: f64,
}

/// Known values of a run.
#[derive(Deserialize)]
struct Known {
    scenario: String,
    table: String,
    /// Start values and constants other than the table's.
    set: BTreeMap<String, f64>,
    step: f64,
    ticks: u64,
    integral: String,
    samples: Vec<Sample>,
    changes: Vec<Change>,
}

/// Values of reals after a tick.
#[derive(Deserialize)]
struct Sample {
    tick: usize,
    #[serde(flatten)]
    values: BTreeMap<String, f64>,
}

/// A row of a situation turned true or false.
#[derive(Deserialize, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Change {
    tick: usize,
    /// The situation.
    name: String,
    /// The literals of the row.
    row: Vec<String>,
    to: bool,
}

#[test]
fn published_ticks_come_out() {
    let published = std::fs::read_to_string(root().join("tests/data/tick.json")).unwrap();
    let Published { tolerance, runs } = serde_json::from_str(&published).unwrap();
    let mut n_values = 0;
    for mut known in runs {
        let what = format!("{} with steps of {}", known.scenario, known.step);
        let (model, trace) = run(&known);
        for Sample { tick, values } in &known.samples {
            for (name, &value) in values {
                let found = column(&model, &trace, name).unwrap()[*tick];
                assert!(
                    (found - value).abs() <= tolerance.abs + tolerance.rel * value.abs(),
                    "{what}: {name} in tick {tick} is {found}, should be {value}"
                );
                n_values += 1;
            }
        }
        let mut changes = changes(&model, &trace);
        events_fire_when_rows_arise(&model, &trace, &changes, &what);
        changes.sort();
        known.changes.sort();
        assert_eq!(changes, known.changes, "{what}");
    }
    assert_eq!(n_values, 299);
}

/// Runs it with a row at every tick.
fn run(known: &Known) -> (Model, Trace) {
    let mut table = Table::at(format!("{}/{}", known.scenario, known.table));
    for (name, value) in &known.set {
        table = table.set(&format!("{name}={value}"));
    }
    let integral = match known.integral.as_str() {
        "rectangle" => IntegralRule::Rectangle,
        "trapezoid" => IntegralRule::Trapezoid,
        other => panic!("{other}"),
    };
    let run = table.ticks(known.step, known.ticks, 1, integral);
    let trace = run.trace();
    (run.table.model, trace)
}

/// Every change of a row of a situation.
fn changes(model: &Model, trace: &Trace) -> Vec<Change> {
    let mut changes = Vec::new();
    for row in &model.situation_rows {
        let literals = row.all.iter().map(|literal| {
            let not = if literal.negated { "!" } else { "" };
            format!("{not}{}", model.boolean_name(literal.what))
        });
        let literals: Vec<String> = literals.collect();
        let columns = literals.iter().map(|name| literal(model, trace, name));
        let columns: Vec<Vec<bool>> = columns.collect();
        let holds = |tick: usize| columns.iter().all(|column| column[tick]);
        for tick in 1..trace.time.len() {
            if holds(tick) != holds(tick - 1) {
                changes.push(Change {
                    tick,
                    name: model.situations[row.situation.index()].name.clone(),
                    row: literals.clone(),
                    to: holds(tick),
                });
            }
        }
    }
    changes
}

/// An event is true in the ticks in which one of its rows arises, and in no other.
fn events_fire_when_rows_arise(model: &Model, trace: &Trace, changes: &[Change], what: &str) {
    for event in model.situations.iter().filter(|row| row.event) {
        let arisings = changes
            .iter()
            .filter(|row| row.name == event.name && row.to);
        let expected: Vec<usize> = arisings.map(|row| row.tick).collect();
        let fired = literal(model, trace, &event.name);
        let found: Vec<usize> = (0..fired.len()).filter(|&tick| fired[tick]).collect();
        assert_eq!(found, expected, "{what}: {}", event.name);
    }
}
