//! The examples in the help of every procedure, run as tables; and mistakes that procedures once made.

use std::fmt::Write as _;

use situ_engine::model::IntegralRule;
use situ_engine::procedure::{ALL, Example};

use crate::tables::Table;

/// Value of `y` after the example.
fn result(example: &Example) -> f64 {
    let mut reals = String::new();
    for (name, value) in example.given {
        write!(reals, "\"{name}\": {value:?}, ").unwrap();
    }
    if !example.given.iter().any(|(name, _)| *name == "y") {
        reals.push_str("\"y\": 0");
    }
    // A real that nobody writes would be a warning, not an error.
    let text = format!(
        "(format: 1, reals: {{{reals}}}, relations: [{:?}])",
        example.line
    );
    let table = Table::from_text(&text);
    let y = table.real("y");
    let ticks = u64::from(example.ticks);
    let run = table.ticks(example.dt, ticks, 1, IntegralRule::Rectangle);
    let mut simulation = run.simulation();
    simulation.advance(ticks).unwrap();
    simulation.real(y)
}

#[test]
fn every_example_gives_its_result() {
    for procedure in ALL {
        assert!(
            !procedure.examples.is_empty(),
            "{} has no example",
            procedure.name
        );
        for example in procedure.examples {
            let found = result(example);
            assert!(
                (found - example.result).abs() <= 1e-15 * example.result.abs(),
                "{}: {} gives {found}, not {}",
                procedure.name,
                example.line,
                example.result
            );
        }
    }
}

/// The value of `y` after so many ticks of 0.5.
fn after(ticks: u64, reals: &str, relations: &str) -> f64 {
    let text = format!("(format: 1, reals: {{{reals}}}, relations: [{relations}])");
    let table = Table::from_text(&text);
    let y = table.real("y");
    let run = table.ticks(0.5, ticks, 1, IntegralRule::Rectangle);
    let mut simulation = run.simulation();
    simulation.advance(ticks).unwrap();
    simulation.real(y)
}

#[test]
fn a_delay_below_a_row_that_does_not_act_keeps_its_past() {
    let rows = r#""z = 1 when x > 1e9", "y = delay(-(x / 2), 1)", "x = integral(2)""#;
    assert_eq!(after(5, r#""x": 4, "y": 0, "z": 0"#, rows), -3.0);
}

#[test]
fn a_row_that_changes_a_sign_is_written_before_it_is_added() {
    let reals = r#""x": 4, "y": 0, "z": 1"#;
    assert_eq!(after(1, reals, r#""z = -x", "y = z + z""#), -8.0);
    assert_eq!(
        after(1, reals, r#""z = -x", "x = 1 + z", "y = z * x""#),
        12.0
    );
}

#[test]
fn hysteresis_of_its_own_target_compares_it_as_it_stood() {
    assert_eq!(after(1, r#""y": -1"#, r#""y = hysteresis(y, 0, 0)""#), 0.0);
}
