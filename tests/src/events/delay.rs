//! Delays in exact time: method of steps, a delayed relay, Hutchinson's equation.

use super::{Accuracy, Exact, Judge, at_both, known, list, number};
use crate::tables::Table;

fn table(text: &str, stop: f64, accuracy: Accuracy) -> Exact {
    Exact::new(Table::from_text(text), stop, accuracy).every(0.5)
}

/// x' = -x(t - 1): a polynomial between whole times, with a jump in a derivative of higher order at
/// each.
#[test]
fn linear() {
    at_both(|accuracy| {
        let known = &known("delay")["linear"];
        let run = table(
            r#"(format: 1, name: "linear", reals: {"past": 1, "x": 1},
                relations: ["past = delay(x, 1)", "x = integral(-past)"])"#,
            12.0,
            accuracy,
        )
        .run();
        let mut judge = Judge::new(accuracy);
        for sample in list(&known["samples"]) {
            let t = number(&sample["t"]);
            let x = run.at_row(run.row_at(t), "x");
            judge.near(
                &format!("x({t})"),
                x,
                number(&sample["x"]),
                number(&known["tolerance"]),
            );
        }
        judge.finish(24);
    });
}

/// x' = -sign x(t - 1/2): the switch comes half a second after the crossing.
#[test]
fn relay() {
    at_both(|accuracy| {
        let known = &known("delay")["relay"];
        let run = table(
            r#"(format: 1, name: "relay", reals: {"past": 1, "x": 1},
                ranges: ["was_up: past >= 0", "up: x >= 0"],
                relations: ["past = delay(x, 0.5)", "x = integral(-1) when was_up",
                    "x = integral(1) when !was_up"])"#,
            9.0,
            accuracy,
        )
        .run();
        let tolerance = number(&known["tolerance"]);
        let mut crossings = [run.rises("up"), run.rises("!up")].concat();
        let mut switches = [run.rises("was_up"), run.rises("!was_up")].concat();
        crossings.sort_unstable();
        switches.sort_unstable();
        let mut judge = Judge::new(accuracy);
        for (index, known) in list(&known["switches"]).iter().enumerate() {
            let crossing = run.trace.time[crossings[index]];
            let row = switches[index];
            judge.near(
                "crossing",
                crossing,
                number(&known["zero_crossing"]),
                tolerance,
            );
            judge.near(
                "switch",
                run.trace.time[row],
                number(&known["switch"]),
                tolerance,
            );
            judge.near(
                "x",
                run.at_row(row, "x"),
                number(&known["x_at_switch"]),
                tolerance,
            );
        }
        judge.finish(24);
    });
}

/// x' = r x (1 - x(t - 1)).
#[test]
fn hutchinson() {
    at_both(|accuracy| {
        let known = &known("delay")["hutchinson"];
        let run = table(
            r#"(format: 1, name: "hutchinson", constants: {"r": 1.5}, reals: {"past": 0.5, "x": 0.5},
                relations: ["past = delay(x, 1)", "x = integral(r * x * (1 - past))"])"#,
            20.0,
            accuracy,
        )
        .run();
        let mut judge = Judge::new(accuracy);
        for sample in list(&known["samples"]) {
            let t = number(&sample["t"]);
            let x = run.at_row(run.row_at(t), "x");
            judge.near(
                &format!("x({t})"),
                x,
                number(&sample["x"]),
                number(&known["tolerance"]),
            );
        }
        judge.finish(40);
    });
}
