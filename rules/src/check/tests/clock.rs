//! Settings of the clock that a run does not look at.

use super::{check_table, line};
use crate::check::Budget;

fn found(clock: &str) -> String {
    let text = format!(
        r#"(format: 1, clock: (step: 0.1, stop: 1{clock}), reals: {{"x": 1}}, relations: ["x = integral(-x)"])"#
    );
    let found = check_table(&text, Budget::default());
    let found = found.iter().find(|one| one.code == "C044");
    found.map_or(String::new(), line)
}

#[test]
fn settings_of_events_in_a_table_that_ticks_are_told() {
    for setting in ["method", "rtol"] {
        let value = if setting == "method" { "rk4" } else { "1e-3" };
        assert_eq!(
            found(&format!(", {setting}: {value}")),
            format!("warning C044: `{setting}` has no part in ticks, in which this table runs")
        );
        for stepping in ["events", "tick"] {
            let both = format!(", {setting}: {value}, stepping: {stepping}");
            assert_eq!(found(&both), "", "{both}");
        }
    }
    assert_eq!(found(", every: 0.2"), "");
}

#[test]
fn settings_of_ticks_in_a_table_of_events_are_told() {
    for setting in ["scan: simultaneous", "integral: trapezoid"] {
        let name = setting.split(':').next().unwrap_or_default();
        assert_eq!(
            found(&format!(", {setting}, stepping: events")),
            format!("note C044: `{name}` has no part in event-accurate runs, as this table is run")
        );
        for stepping in ["", ", stepping: tick"] {
            assert_eq!(found(&format!(", {setting}{stepping}")), "");
        }
    }
}
