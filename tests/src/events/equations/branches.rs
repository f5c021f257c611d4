//! Solutions of rows that are solved, and where they end.

use situ_engine::sim::RunFault;

use crate::events::{Accuracy, Exact};
use crate::tables::Table;

fn table(reals: &str, relations: &str) -> Table {
    Table::from_text(&format!(
        "(format: 1, name: \"branches\", reals: {{{reals}}}, relations: [{relations}])"
    ))
}

fn exact(table: &Table, stop: f64) -> Exact {
    Exact::new(table.clone(), stop, Accuracy::Default)
}

/// The time at which a run ends because equations have no solution any more, or several.
#[track_caller]
fn end(exact: Exact) -> f64 {
    match exact.outcome() {
        (_, Some(RunFault::Loop { time, .. })) => time,
        (_, other) => panic!("{other:?}"),
    }
}

#[test]
fn no_solution_goes_on_from_a_kink_that_turns_back() {
    let step = "solve v: v + 4 * (v - 1.5 * max(v - 1, 0) + 1.5 * max(v - 2, 0)) = U";
    let tables = [
        (
            table(
                "\"x\": -1, \"p\": -1, \"S\": 0",
                "\"x = integral(1)\", \"solve p: p - 2 * abs(p) = x - 0.5\", \"S = integral(p)\"",
            ),
            1.5,
        ),
        (
            table(
                "\"U\": 0, \"v\": 0, \"I\": 0",
                &format!("\"U = time\", \"{step}\", \"I = integral(v)\""),
            ),
            5.0,
        ),
        (
            table(
                "\"U\": 0, \"v\": 0, \"I\": 0",
                &format!("\"U = integral(1)\", \"{step}\", \"I = integral(v)\""),
            ),
            5.0,
        ),
        (
            table(
                "\"x\": 0, \"rate(x)\": -1",
                "\"solve rate(x): rate(x) - 2 * abs(rate(x)) = time - 1.5 - 0 * x\"",
            ),
            1.5,
        ),
    ];
    for (table, turns) in tables {
        let found = end(exact(&table, 9.0));
        assert!((found - turns).abs() < 1e-6, "{turns}: {found}");
    }
}
