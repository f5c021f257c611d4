//! Procedures with memory in rows that do not always act: beside a row for the rest, overruled by others, under a condition.

use crate::events::delays::read_back::{BOTH, at, run};

/// A row before a time is late by so much at most, in numbers that grow with the time.
const LATE: f64 = 0.021;

/// Rows that write y, with values of it at times. `u` falls from 1 by 0.5 per unit of time, `c` holds in the first half
/// of every two units of time, `up` in the second half of every half of one, and `late` from 1 to 2.
type Case<'a> = (f64, &'a [&'a str], &'a [(f64, f64)]);

#[track_caller]
fn check(cases: &[Case<'_>]) {
    for (start, rows, known) in cases {
        let text = format!(
            r#"(format: 1, reals: {{"u": 1, "y": {start:?}}},
                ranges: ["c: mod(time, 2) < 1", "up: mod(time, 0.5) >= 0.25", "late: time >= 1 & time < 2"],
                situations: ["event beat: every(0.5, 0.25)", "event begins: late"],
                relations: ["u = 1 - 0.5 * time", "{}"])"#,
            rows.join("\", \""),
        );
        for stepping in BOTH {
            let (table, trace, ended) = run(&text, stepping, 4.0);
            ended.unwrap();
            for &(time, value) in *known {
                let found = at(&table, &trace, "y", time);
                assert!(
                    (found - value).abs() <= LATE,
                    "{stepping:?} {rows:?}: {found} at {time}, not {value}"
                );
            }
        }
    }
}

/// A row acts while its condition holds, whether it counts or takes a sample just then or not.
#[test]
fn nothing_acts_otherwise_beside_what_counts_or_holds() {
    check(&[
        (
            0.5,
            &["y = counter(up) when c", "y = 7 otherwise"],
            &[
                (0.1, 0.5),
                (0.4, 1.5),
                (0.9, 2.5),
                (1.5, 7.0),
                (2.1, 7.0),
                (2.4, 8.0),
                (2.9, 9.0),
                (3.5, 7.0),
            ],
        ),
        (
            0.5,
            &["y = 7 otherwise", "y = counter(beat) when late"],
            &[(0.7, 7.0), (1.3, 8.0), (1.8, 9.0), (2.3, 7.0)],
        ),
        (
            0.5,
            &["y = sample_and_hold(time, beat) when c", "y = 7 otherwise"],
            &[
                (0.1, 0.5),
                (0.3, 0.25),
                (0.9, 0.75),
                (1.5, 7.0),
                (2.1, 7.0),
                (2.3, 2.25),
                (2.9, 2.75),
                (3.5, 7.0),
            ],
        ),
        (
            0.5,
            &["y = sample_and_hold(time, up) when c", "y = 7 otherwise"],
            &[
                (0.1, 0.5),
                (0.6, 0.5),
                (0.9, 0.9),
                (1.5, 7.0),
                (2.1, 7.0),
                (2.6, 2.5),
                (3.5, 7.0),
            ],
        ),
        (
            0.5,
            &["y = timer(up) when c", "y = 7 otherwise"],
            &[(0.1, 0.0), (0.4, 0.15), (0.6, 0.0), (1.5, 7.0), (2.4, 0.15)],
        ),
    ]);
}

/// A latch is kept in its real: what others write there holds until a border is reached.
#[test]
fn hysteresis_goes_on_from_its_real() {
    let latch = |rest: &str| format!("y = hysteresis(u, -0.8, 0.8){rest}");
    let [always, unless, late] = ["", " when !late", " when late"].map(latch);
    let leak = |row: String| -> &'static str { row.leak() };
    let [always, unless, late] = [always, unless, late].map(leak);
    check(&[
        // u is between the borders when the row begins to act.
        (0.0, &[late], &[(0.5, 0.0), (1.5, 0.0), (2.5, 0.0)]),
        (0.3, &[late], &[(0.5, 0.3), (1.5, 0.3), (3.9, 0.3)]),
        (
            0.0,
            &[unless, "y = 0 when late"],
            &[(0.5, 1.0), (1.5, 0.0), (2.5, 0.0)],
        ),
        (
            0.0,
            &[always, "y = 0 when late"],
            &[(0.5, 1.0), (1.5, 0.0), (2.5, 0.0)],
        ),
        (
            0.0,
            &["y = 0 when late", always],
            &[(0.5, 1.0), (1.5, 0.0), (2.5, 0.0)],
        ),
        (
            0.0,
            &["y := 0 when begins", always],
            &[(0.5, 1.0), (1.5, 0.0), (2.5, 0.0)],
        ),
        (
            0.0,
            &[always, "y := 0 when begins"],
            &[(0.5, 1.0), (1.5, 0.0), (2.5, 0.0)],
        ),
        (
            0.0,
            &[late, "y = 0.4 otherwise"],
            &[(0.5, 0.4), (1.5, 0.4), (2.5, 0.4)],
        ),
        // The lower border is reached at 3.6.
        (
            0.0,
            &[unless, "y = 0.6 when late"],
            &[(0.5, 1.0), (1.5, 0.6), (3.5, 0.6), (3.7, 0.0)],
        ),
    ]);
}

/// What a row computes that the first assignments end does not come to be; what these follow from does.
#[test]
fn a_row_that_the_first_assignments_end_leaves_no_value() {
    let table = |head: &str, rows: &str| {
        format!(
            r#"(format: 1, reals: {{"x": 1, "y": 0, "z": 0, "w": 5}}, switches: {{"sw": false, "two": false}},
                ranges: ["p: x > 0.5", "high: y > 2"], {head}, relations: ["x = 1 - 0.1 * time", {rows}])"#
        )
    };
    let plain = r#"assignments: ["when p: sw"]"#;
    let begins = r#"situations: ["event begins: start"], assignments: ["when begins: sw"]"#;
    let level = r#"situations: ["near: p"], assignments: ["when near: two", "when two: sw"]"#;
    let late = r#"assignments: ["when two: sw", "when p: two"]"#;
    let itself = r#"assignments: ["when high: sw"]"#;
    let held = r#""z = 2 * y", "y = 3 when !sw""#;
    let moved =
        r#""y = integral(1)", "y = 3 when !sw", "z = y", "w = y when !sw", "w = 4 when sw & two""#;
    for (head, rows, known) in [
        (plain, held, [0.0, 0.0, 5.0]),
        (begins, held, [0.0, 0.0, 5.0]),
        (level, held, [0.0, 0.0, 5.0]),
        // A tick later.
        (late, held, [3.0, 6.0, 5.0]),
        (itself, held, [3.0, 6.0, 5.0]),
        (plain, moved, [2.0, 2.0, 5.0]),
        (level, moved, [2.0, 2.0, 4.0]),
        (itself, moved, [5.0, 5.0, 3.0]),
    ] {
        let text = table(head, rows);
        for stepping in BOTH {
            let (table, trace, ended) = run(&text, stepping, 4.0);
            ended.unwrap();
            for (name, known) in ["y", "z", "w"].into_iter().zip(known) {
                let found = at(&table, &trace, name, 2.0);
                assert!(
                    (found - known).abs() <= LATE,
                    "{stepping:?} {head} {rows}: {name} is {found}, not {known}"
                );
            }
        }
    }
}
