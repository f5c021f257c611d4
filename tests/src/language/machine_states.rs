//! States of machines: in which one a run begins.

use situ_engine::model::StartError;
use situ_engine::sim::{PreparedModel, RunConfig, SetupError};
use situ_rules::{TableText, load};

use crate::tables::{Table, column};

fn last(table: &Table, name: &str) -> f64 {
    let run = table.clone().into_run();
    let values = column(&run.table.model, &run.trace(), name).unwrap();
    *values.last().unwrap()
}

const DOOR: &str = r#"(format: 1, clock: (step: 0.1, stop: 3), reals: {"x": 0, "y": 0, "z": 0},
    relations: ["x = integral(1)"],
    machines: {"m": (start: "a", states: {"a": ["y = integral(1)"], "b": ["z = integral(1)"], "c": []},
        transitions: ["a -> b when x >= 99", "b -> c when x > 99", "c -> a when x > 99"])},
    cases: {"in b": (set: {"m.b": true}), "both": (set: {"m.b": true, "m.c": true})})"#;

#[test]
fn a_machine_begins_in_the_state_that_is_set_true() {
    let door = Table::from_text(DOOR);
    let ends =
        |table: &Table| ["m.a", "m.b", "m.c", "y", "z"].map(|name| last(table, name).round());
    assert_eq!(ends(&door), [1.0, 0.0, 0.0, 3.0, 0.0]);
    for table in [door.clone().set("m.b=true"), door.clone().case("in b")] {
        assert_eq!(ends(&table), [0.0, 1.0, 0.0, 0.0, 3.0]);
    }
    let again = door.case("in b").set("m.c=true");
    assert_eq!(ends(&again), [0.0, 0.0, 1.0, 0.0, 0.0]);
    let mut parts = |path: &str, _: &str| {
        Ok::<_, String>(TableText {
            name: path.to_owned(),
            text: DOOR.to_owned(),
        })
    };
    let text = r#"(format: 1, clock: (step: 0.1, stop: 3),
        parts: {"p": (file: "door.ron", set: {"m.b": true}), "q": (file: "door.ron", case: "in b")})"#;
    let table = Table::of(load("table.ron", text, &mut parts));
    for name in ["p.m.a", "p.y", "q.m.a", "q.y"] {
        assert_eq!(last(&table, name), 0.0, "{name}");
    }
    assert_eq!(last(&table, "p.m.b") + last(&table, "q.m.b"), 2.0);
}

#[test]
fn no_run_begins_in_two_states_or_in_none() {
    let door = Table::from_text(DOOR);
    let begins = |table: Table| {
        let config = RunConfig::from_clock(&table.model.clock).unwrap();
        PreparedModel::new(table.model, config, &[]).map(|_| ())
    };
    let states = |states: &[&str]| {
        Err(SetupError::Start(StartError::States {
            machine: "m".to_owned(),
            states: states.iter().map(|&state| state.to_owned()).collect(),
        }))
    };
    assert_eq!(begins(door.clone().set("m.b=false")), Ok(()));
    assert_eq!(begins(door.clone().set("m.a=false")), states(&[]));
    assert_eq!(begins(door.case("both")), states(&["`m.b`", "`m.c`"]));
}
