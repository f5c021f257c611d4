//! Bounds of states.

use std::f64::consts::PI;

use situ_engine::Method;

use super::{clock, ends_at, last, written};
use crate::tables::Table;

/// `y = integral(cos(time))` between bounds (FORMALISM 10.5), with its sides seen by ranges.
#[test]
fn a_state_rests_on_its_bounds() {
    let table = written(
        r#""y": 0, "w": 0, "n": 0, "u": 0"#,
        r#""full: y >= 0.8", "over: y > 0.8", "low: y <= -0.5""#,
        r#""y = integral(cos(time))", "y = clamp(y, -0.5, 0.8)", "w = integral(y)", "n = counter(full)",
           "u = integral(1) when low", "u = integral(100) when over""#,
    );
    ends_at(&table, 8.0, "y", 8.0_f64.sin() - 0.2, 1e-7);
    ends_at(&table, 8.0, "n", 2.0, 0.0);
    // It is at -0.5 from sin t = -0.3 on, while the cosine is negative.
    let reached = PI + 0.3_f64.asin();
    ends_at(&table, 8.0, "u", 1.5 * PI - reached, 1e-7);
    // y = sin t + shift between the bounds.
    let moved = |from: f64, to: f64, shift: f64| from.cos() - to.cos() + shift * (to - from);
    let (up, again) = (0.8_f64.asin(), 2.0 * PI + 0.3_f64.asin());
    let known = moved(0.0, up, 0.0) + 0.8 * (0.5 * PI - up) + moved(0.5 * PI, reached, -0.2)
        - 0.5 * (1.5 * PI - reached)
        + moved(1.5 * PI, again, 0.5)
        + 0.8 * (2.5 * PI - again)
        + moved(2.5 * PI, 8.0, -0.2);
    ends_at(&table, 8.0, "w", known, 1e-6);
}

/// One bound, which moves or stands on the other side of `min`, and one that is there in a situation only.
#[test]
fn bounds_that_move_or_go() {
    for row in ["min(y, b)", "min(b, y)"] {
        let relations =
            format!("\"b = 0.5 + 0.4 * sin(2 * time)\", \"y = integral(1)\", \"y = {row}\"");
        let table = written("\"y\": 0, \"b\": 0", "", &relations);
        ends_at(&table, 6.0, "y", 0.5 + 0.4 * 12.0_f64.sin(), 1e-6);
    }
    let table = written(
        "\"y\": 0",
        "\"held: time < 3\"",
        r#""y = integral(1)", "y = min(y, 0.5) when held""#,
    );
    ends_at(&table, 2.0, "y", 0.5, 1e-9);
    ends_at(&table, 4.0, "y", 1.5, 1e-7);
    let jumps = Table::from_text(
        r#"(format: 1, name: "jumps", reals: {"y": 2}, situations: ["event e: every(1)"],
            relations: ["y = integral(-1)", "y := y + 7 when e", "y = clamp(y, 1.5, 3)"])"#,
    );
    ends_at(&jumps, 0.75, "y", 1.5, 1e-9);
    ends_at(&jumps, 1.25, "y", 2.75, 1e-7);
}

/// A regulator whose integral stops where its actuator does: as one that is written with a range for each reason.
#[test]
fn an_integral_that_does_not_wind_up() {
    let regulator = |integral: &str, ranges: &str| {
        let relations = format!(
            "\"e = 1 - x\", {integral}, \"u = y + 0.5 * e\", \"x = integral(u - 0.4 * x)\""
        );
        written(r#""y": 0, "u": 0, "x": 0, "e": 0"#, ranges, &relations)
    };
    let short = regulator(r#""y = integral(2 * e)", "y = clamp(y, -0.6, 0.6)""#, "");
    let long = regulator(
        r#""y = integral(2 * e) when !full", "y = integral(2 * e) when full & back""#,
        r#""full: y >= 0.6", "back: e < 0""#,
    );
    for stop in [0.5, 2.0, 10.0] {
        let known = last(&long, &clock(stop, Method::Dop853, 1e-10), "x");
        ends_at(&short, stop, "x", known, 1e-6);
    }
}
