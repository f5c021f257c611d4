//! Who moved a value, and since when, against what can be computed by hand.

use super::past::{said, session};

/// The shares of an answer to `blame`, by the ids of rows.
#[track_caller]
fn are_shares(console: &mut crate::Console, line: &str, known: &[(&str, f64)]) {
    let reply = console.execute(line, &mut ());
    let shares = reply.data["result"]["shares"].as_array().unwrap().iter();
    let mut shares: Vec<(String, f64)> = shares
        .map(|one| {
            let rule = one["rule"].as_str().unwrap().to_owned();
            (rule, one["moved"].as_f64().unwrap())
        })
        .filter(|(_, moved)| moved.abs() > 1e-9)
        .collect();
    shares.sort_by(|a, b| a.0.cmp(&b.0));
    let names: Vec<&str> = shares.iter().map(|(rule, _)| &rule[..]).collect();
    let wanted: Vec<&str> = known.iter().map(|(rule, _)| *rule).collect();
    assert_eq!(names, wanted, "{line}: {}", reply.text);
    for ((_, moved), (_, known)) in shares.iter().zip(known) {
        assert!((moved - known).abs() < 1e-9, "{line}: {}", reply.text);
    }
}

/// Where a time is asked for, what rows have added before it is no part of what they move.
#[test]
fn what_rows_add_is_counted_from_where_blame_begins() {
    for stepping in ["tick", "events"] {
        let (_, mut console) = session(&format!(
            r#"(format: 1, clock: (stepping: {stepping}, step: 0.25, stop: 4), reals: {{"q": 0, "y": 0, "held": 0}},
            ranges: ["early: time < 1"], relations: ["[yi] y = integral(3)", "[q1] q = time", "[q2] q = q + 5",
            "[q3] q = q + y when early", "[q4] q = 2 * q", "[h1] held = 1 when early", "[h2] held = held + 4 when early"])"#
        ));
        said(&mut console, &["run to 3"]);
        // In ticks `time` is that at which they begin, and y what it is where they end.
        are_shares(&mut console, "blame q from 2", &[("q1", 1.0), ("q4", 1.0)]);
        let y = 1.5;
        are_shares(
            &mut console,
            "blame q from 0.5",
            &[("q1", 2.5), ("q3", -y), ("q4", 2.5 - y)],
        );
        are_shares(&mut console, "blame held from 2", &[]);
    }
}

/// What was set from outside ends where a row writes the value anew, which is that row's doing; others add as before.
#[test]
fn a_value_set_from_outside_is_ended_by_the_row_that_writes_anew() {
    let (_, mut console) = session(
        r#"(format: 1, clock: (step: 0.25, stop: 4), reals: {"q": 0}, relations: ["[q1] q = time", "[q2] q = q + 5"])"#,
    );
    let text = said(
        &mut console,
        &["run to 3", "set q = 100", "run to 3.5", "blame q from 2"],
    );
    // From 1.75 + 5 over 2.75 + 5, set to 100, to 3.25 + 5.
    for line in ["+92.25   at the prompt", "-90.75   [q1]", " 0   [q2]"] {
        assert!(text.contains(line), "{line}: {text}");
    }
}

/// Along a slide with the share 1/3 of the upper side a row of that side adds a third of what it reads.
#[test]
fn rows_that_add_count_by_their_shares_along_a_slide() {
    let (_, mut console) = session(
        r#"(format: 1, clock: (stepping: events, stop: 4), reals: {"x": 0, "q": 0, "y": 0, "w": 0},
        ranges: ["above: x > 0"], relations: ["[xd] x = integral(-2) when above", "[xu] x = integral(1) when !above",
        "[yi] y = integral(3)", "[q1] q = time", "[q2] q = q + y when above", "[q3] q = 2 * q",
        "[w1] w = time when above", "[w2] w = w + y when above"])"#,
    );
    said(&mut console, &["run to 2"]);
    // q = 2 (t + 3 t / 3)
    let shares = [("q1", 2.0), ("q2", 2.0), ("q3", 4.0)];
    are_shares(&mut console, "blame q", &shares);
    are_shares(
        &mut console,
        "blame q from 1",
        &shares.map(|(row, by)| (row, by / 2.0)),
    );
    // What only one side writes is as it is there.
    are_shares(&mut console, "blame w", &[("w1", 2.0), ("w2", 6.0)]);
    let why = said(&mut console, &["why q"]);
    let read: Vec<&str> = (why.lines().map(str::trim))
        .filter(|line| line.starts_with("q = "))
        .collect();
    assert_eq!(read, ["q = 8", "q = 2", "q = 4"], "{why}");
}

/// A reset interrupts no integral: they write on from its instant, and it takes no time.
#[test]
fn integrals_write_on_from_a_reset() {
    let (_, mut console) = session(
        r#"(format: 1, clock: (stepping: events, stop: 6), reals: {"z": 0.5}, situations: ["event kick: every(2)"],
        relations: ["[z1] z = integral(-0.5 * z)", "[z2] z = integral(1)", "[zk] z := z + 3 when kick"])"#,
    );
    let why = said(&mut console, &["run to 5", "why z"]);
    assert!(why.contains("written by these rows since t = 4\n"), "{why}");
    let reply = console.execute("trace z", &mut ());
    let spans: Vec<Vec<String>> = (reply.text.lines().skip(2))
        .map(|line| line.split_whitespace().take(4).map(str::to_owned).collect())
        .collect();
    let known = [
        ["0", "2", "[z1]", "[z2]"],
        ["2", "2", "[zk]", "4.44818"],
        ["2", "4", "[z1]", "[z2]"],
        ["4", "4", "[zk]", "5.90064"],
        ["4", "5", "[z1]", "[z2]"],
    ];
    assert_eq!(spans, known, "{}", reply.text);
}

/// A row that samples writes while its condition holds, in both steppings.
#[test]
fn a_sample_that_is_held_is_not_written() {
    for stepping in ["tick", "events"] {
        let (_, mut console) = session(&format!(
            r#"(format: 1, clock: (stepping: {stepping}, step: 0.01, stop: 4), reals: {{"x": 0, "y": 0}},
            ranges: ["q: x < 1"], relations: ["x = integral(1)", "[s] y = sample_and_hold(x, q)"])"#
        ));
        let why = said(&mut console, &["run to 4", "why y"]);
        assert!(
            why.contains("no rule writes it now; [s]"),
            "{stepping}: {why}"
        );
        if stepping == "tick" {
            let coverage = said(&mut console, &["coverage"]);
            // As many as begin with x < 1.
            assert!(
                coverage.contains("25.0 %") || coverage.contains("25.3 %"),
                "{coverage}"
            );
        }
    }
}

/// A comparison inside of a condition turns with the event that it makes, if only for a microstep.
#[test]
fn tight_events_are_not_next_to_their_own_border() {
    for stepping in ["tick", "events"] {
        let (_, mut console) = session(&format!(
            r#"(format: 1, clock: (stepping: {stepping}, step: 0.01, stop: 3), reals: {{"x": 0, "n": 0, "far": 0}},
            ranges: ["high: far > 8"], situations: ["event g: x > 0.5"],
            relations: ["far = integral(1)", "x = integral(1)", "x := 0 when g", "n := n + 1 when g"])"#
        ));
        let tight = said(&mut console, &["run to 2.3", "tight 9"]);
        assert!(tight.matches("far > 8").count() >= 4, "{stepping}: {tight}");
        assert!(!tight.contains("x > 0.5"), "{stepping}: {tight}");
    }
    let (_, mut console) = session(
        r#"(format: 1, clock: (stepping: events, stop: 3), reals: {"x": 0}, machines: {"m": (start: "a", states:
        {"a": ["x = integral(1)"], "b": ["x = integral(-1)"]}, transitions: ["a -> b when x > 0.5", "b -> a when x < 0.2"])})"#,
    );
    let tight = said(&mut console, &["run to 2.3", "tight 9"]);
    assert!(!tight.contains(" 0 %"), "{tight}");
    assert_eq!(tight.matches(" 60 %").count(), 7, "{tight}");
}
