//! Bounds of states and edges of domains in rows that act again: what moved there while they did not act, nothing watched.

use situ_engine::Method;

use super::{clock, last};
use crate::tables::Table;

const METHODS: [Method; 5] = [
    Method::Auto,
    Method::Dop853,
    Method::Radau,
    Method::Bdf,
    Method::Rk4,
];

/// Rows with values of a real at times. `a` holds up to 1 and from 2.5 on, `q` in between.
type Case<'a> = (&'a [&'a str], &'a [(f64, f64)]);

#[track_caller]
fn check(reals: &str, name: &str, cases: &[Case<'_>]) {
    for (rows, known) in cases {
        let table = Table::from_text(&format!(
            r#"(format: 1, reals: {{{reals}}},
                ranges: ["early: time < 1", "q: time >= 1 & time < 2.5", "late: time >= 2.5"],
                situations: ["a: early", "a: late"], relations: ["{}"])"#,
            rows.join("\", \""),
        ));
        each(&table, name, known, rows);
    }
}

#[track_caller]
fn each(table: &Table, name: &str, known: &[(f64, f64)], of: &[&str]) {
    for method in METHODS {
        for &(time, value) in known {
            let mut clock = clock(time, method, 1e-8);
            clock.step = Some(0.01);
            let found = last(table, &clock, name);
            assert!(
                (found - value).abs() < 1e-5,
                "{method:?} {of:?}: {name} = {found} at {time}, not {value}"
            );
        }
    }
}

/// A state that rested on a bound and moved away while the row of the bound did not act is off it when the row acts again.
#[test]
fn a_bound_that_acts_again_is_where_it_stands() {
    let falls = "y = integral(-1) when q";
    let [begun, wave] = [1.0, 4.0].map(|time: f64| 1.0 + 0.1 * time.sin());
    check(
        r#""y": 0, "b": 1"#,
        "y",
        &[
            (
                &["y = integral(2) when a", "y = min(y, 1) when a", falls],
                &[(1.0, 1.0), (2.5, -0.5), (2.75, 0.0), (4.0, 1.0)],
            ),
            (
                &[
                    "y = integral(2) when a",
                    "y = clamp(y, -1, 1) when a",
                    falls,
                ],
                &[(2.75, 0.0), (4.0, 1.0)],
            ),
            (
                &[
                    "y = integral(2)",
                    "y = min(y, 1) when a",
                    "y = integral(-3) when q",
                ],
                &[(2.75, 0.0), (4.0, 1.0)],
            ),
            (
                &[
                    "solve rate(y): rate(y) * 3 = 6 when a",
                    "y = min(y, 1) when a",
                    falls,
                ],
                &[(2.75, 0.0), (4.0, 1.0)],
            ),
            (
                &["y = smoothing(5, 1) when a", "y = min(y, 1) when a", falls],
                &[(2.6, 5.0 - 5.5 * (-0.1_f64).exp()), (4.0, 1.0)],
            ),
            (
                &[
                    "y = integral(3)",
                    "y = min(y, 1) when a",
                    "y = integral(-5) when q",
                    "y = max(y, 0) when q",
                ],
                &[(1.25, 0.5), (2.5, 0.0), (2.6, 0.3), (4.0, 1.0)],
            ),
            // The bound alone moves.
            (
                &[
                    "b = 1 + 0.3 * time",
                    "y = integral(3) when a",
                    "y = min(y, b) when a",
                ],
                &[(2.5, 1.3), (2.6, 1.6), (3.0, 1.9)],
            ),
            (
                &[
                    "y = integral(3) when a",
                    "y = min(y, 1 + 0.1 * sin(time)) when a",
                    falls,
                ],
                &[(2.5, begun - 1.5), (2.6, begun - 1.2), (4.0, wave)],
            ),
        ],
    );
    let family = Table::from_text(
        r#"(format: 1, counters: {"j": "1 .. 3"}, reals: {"y[j]": 0},
            ranges: ["early: time < 1", "q: time >= 1 & time < 2.5", "late: time >= 2.5"],
            situations: ["a: early", "a: late"],
            relations: ["y[j] = integral(2 * j) when a", "y[j] = min(y[j], 1) when a", "y[j] = integral(-j) when q"])"#,
    );
    each(&family, "y[2]", &[(2.75, -1.0), (4.0, 1.0)], &["family"]);
    let machine = Table::from_text(
        r#"(format: 1, reals: {"y": 0}, machines: {"m": (start: "a", states: {
                "a": ["y = integral(2)", "y = min(y, 1)"], "b": ["y = integral(-1)", "y = max(y, 0.4)"]},
            transitions: ["a -> b when every(1.25)", "b -> a when time >= 3"])})"#,
    );
    each(
        &machine,
        "y",
        &[(2.9, 0.4), (3.1, 0.6), (3.7, 1.0)],
        &["machine"],
    );
}

/// A jump leaves a bound that is known in its mode only, be it one of the state or one of the bound.
#[test]
fn a_jump_leaves_a_bound_of_any_form() {
    let [begun, wave] = [2.0, 3.0].map(|time: f64| 1.0 + 0.1 * time.sin());
    check(
        r#""y": 0, "l": 1"#,
        "y",
        &[
            (
                &[
                    "y = integral(3)",
                    "y = min(y, 1 + 0.1 * sin(time))",
                    "y = 0 when every(2, 2)",
                ],
                &[(1.9, 1.0 + 0.1 * 1.9_f64.sin()), (2.1, 0.3), (3.0, wave)],
            ),
            (
                &[
                    "l = 2 when every(2, 2)",
                    "y = integral(3)",
                    "y = min(y, l * (1 + 0.1 * sin(time)))",
                ],
                &[(2.1, begun + 0.3), (3.0, 2.0 * wave)],
            ),
        ],
    );
}

/// A tank that has run dry, was filled by another row, and runs dry once more.
#[test]
fn an_edge_that_acts_again_is_reached_again() {
    let fills = "x = integral(1) when q";
    let part = 2.0 / 3.0;
    let root = &[
        (1.0, 0.0),
        (2.5, 1.5),
        (3.0, (1.5_f64.sqrt() - 0.5).powi(2)),
        (4.0, 0.0),
    ];
    let cubic = &[
        (1.0, 0.0),
        (3.0, (1.5_f64.powf(part) - part).powf(1.5)),
        (4.0, 0.0),
    ];
    check(
        r#""x": 0.5, "s": 0"#,
        "x",
        &[
            (&["x = integral(-2 * sqrt(x)) when a", fills], root),
            (
                &[
                    "s = sqrt(x) when a",
                    "s = 0 when q",
                    "x = integral(-2 * s)",
                    fills,
                ],
                root,
            ),
            (&["x = integral(-2 * x^(1/3)) when a", fills], cubic),
        ],
    );
}
