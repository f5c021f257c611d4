//! Rows that want different things of one real.

use super::*;

#[test]
fn rows_that_overlap() {
    let two = |first, second| {
        let lists = Lists {
            reals: r#""x": 0, "v": 0, "F": 0"#,
            ranges: &[
                "near: x < 1",
                "far: x >= 1",
                "edge: x <= 1",
                "slow: v < 2",
                "slower: v < 1",
            ],
            situations: &["both: near & slow"],
            relations: &[first, second, "v = integral(F)", "x = integral(v)"],
            ..Lists::default()
        };
        lists.with_code("C00")
    };
    let clash = |at: &str| {
        vec![format!(
            "warning C001: rows `1` and `2` can write `F` at the same time | for example at {at}"
        )]
    };
    let order = |at: &str| {
        vec![format!(
            "note C002: rows `1` and `2` write `F` in one tick, their order matters{at}"
        )]
    };
    for (first, second, expected) in [
        ("F = 1 when near", "F = 2 when slow", clash("x = 0, v = 0")),
        (
            "F = 1 when slow & far",
            "F = 2 when edge & slower",
            order(" | for example at v = 0, x = 1"),
        ),
        // The lower one is the special case.
        (
            "F = 1 when near",
            "F = 2 when both",
            order(" | for example at x = 0, v = 0"),
        ),
        (
            "F = 1 when slow",
            "F = 2 when slower & near",
            order(" | for example at v = 0, x = 0"),
        ),
        ("F = 1", "F = 2 when near", order(" | for example at x = 0")),
        (
            "F = 1",
            "F = F + 2 when near",
            order(" | for example at x = 0"),
        ),
        ("F = 1", "F = F + x", order("")),
        // They exclude each other, or say the same.
        ("F = 1 when near", "F = 2 when far", vec![]),
        ("F = 1 when both", "F = 2 when far & slow", vec![]),
        ("F = 1 when both", "F = 2 when !both", vec![]),
        ("F = 1 when near", "F = 2 otherwise", vec![]),
        ("F = 1 when near", "F = 1 when slow", vec![]),
        ("F = integral(1)", "F = integral(x) when near", vec![]),
    ] {
        assert_eq!(two(first, second), expected, "{first}; {second}");
    }
}

#[test]
fn three_rows_are_one_finding() {
    let found = Lists {
        reals: r#""x": 0, "v": 0, "F": 0"#,
        ranges: &["near: x < 1", "slow: v < 2", "slower: v < 1"],
        relations: &[
            "F = 1",
            "F = 2 when slow",
            "F = 3 when slower",
            "v = integral(F)",
            "x = integral(v) when near",
        ],
        ..Lists::default()
    };
    expect(
        found,
        &[
            "note C002: rows `1`, `2` and `3` write `F` in one tick, their order matters | for example at v = 0",
        ],
    );
}

#[test]
fn events_and_rows_of_one_real() {
    let bounce = |relations: &[&str]| {
        Lists {
            reals: r#""h": 5, "v": 0, "w": 0"#,
            ranges: &["floor: h <= 0", "down: v < 0", "top: h > 9"],
            situations: &[
                "event hit: floor & down",
                "event apex: !down",
                "event up: top",
                "event low: !top & floor",
            ],
            relations,
            ..Lists::default()
        }
        .with_code("C00")
    };
    let with = |rows: &[&str]| {
        let all: Vec<&str> = FALL.iter().chain(rows).copied().collect();
        bounce(&all)
    };
    // A jump at an event is what events are for; unrelated events may coincide.
    assert_eq!(with(&["v := -0.8 * v when hit"]), Vec::<String>::new());
    assert_eq!(
        with(&[
            "v := -0.8 * v when hit",
            "v := 0 when up",
            "w := 1 when apex",
            "w := 2 when up"
        ]),
        Vec::<String>::new()
    );
    // These can arise by the same crossing.
    assert_eq!(
        with(&["w := 1 when hit", "w := 2 when low"]),
        [
            "note C002: rows `3` and `4` write `w` in one tick, their order matters \
          | for example at h = -1, v = -1, event hit, event low"
        ]
    );
}

#[test]
fn in_a_simultaneous_scan_the_last_row_wins() {
    let with = |rows: &[&str]| {
        let lists = Lists {
            reals: r#""x": 0, "v": 0"#,
            ranges: &["near: x < 1", "slow: v < 2"],
            relations: rows,
            rest: "clock: (scan: simultaneous)",
            ..Lists::default()
        };
        lists.findings()
    };
    assert_eq!(
        with(&[
            "x = integral(v) when slow",
            "x = integral(1) when near",
            "v = integral(x)"
        ]),
        [
            "warning C001: rows `1` and `2` can write `x` at the same time | for example at v = 0, x = 0"
        ]
    );
    assert_eq!(
        with(&["v = 2 * x", "x = integral(v)", "v = v + x when slow & near"]),
        [
            "warning C052: row `3` changes `v` again in every tick | the result depends on the length of the tick"
        ]
    );
    assert_eq!(
        with(&["x = integral(v)", "v = integral(x)", "x = integral(1)"]),
        [
            "note C043: no rule reads range `near`",
            "note C043: no rule reads range `slow`",
            "warning C030: row `1` never acts: row `3` always writes `x` after it",
        ]
    );
}

#[test]
fn constants_take_part_with_their_values() {
    let stops = |left: f64| {
        Lists {
            constants: &format!(r#""left": {left}, "right": 1.5, "drag": 0"#),
            reals: r#""x": 0, "a": 0"#,
            ranges: &[
                "at_left: x < left",
                "at_right: 0 < x - right",
                "dragged: drag > 0",
            ],
            relations: &[
                "a = 1 when at_left",
                "a = 2 when at_right",
                "a = 3 when dragged",
                "a = 0 otherwise",
                "x = integral(a)",
            ],
            ..Lists::default()
        }
        .findings()
    };
    // A comparison between constants is a setting: nothing is said of it, and what it excludes now
    // is not shown as possible.
    assert_eq!(stops(-10.0), Vec::<String>::new());
    assert_eq!(
        stops(2.0),
        [
            "warning C001: rows `1` and `2` can write `a` at the same time | for example at x = 1.8",
            "warning C020: row `4` never acts: the other rows of `a` cover every case"
        ]
    );
}

#[test]
fn states_that_switches_cannot_reach_are_no_findings() {
    let phases = |assignments: &[&str]| {
        Lists {
            reals: r#""level": 0, "flow": 0"#,
            switches: r#""filling": true, "draining": false"#,
            ranges: &["full: level > 9", "empty: level < 1"],
            assignments,
            relations: &[
                "flow = 2 when filling",
                "flow = -1 when draining",
                "level = integral(flow)",
            ],
            ..Lists::default()
        }
        .findings()
    };
    assert_eq!(
        phases(&[
            "when filling & full: draining, !filling",
            "when draining & empty: filling, !draining"
        ]),
        Vec::<String>::new()
    );
    assert_eq!(
        phases(&["when full: draining, !filling", "when empty: !draining"]),
        [
            "note C042: `filling` is cleared but never set",
            "warning C010: no row writes `flow` at not filling, not draining: it keeps its last value | row `3` reads it there"
        ]
    );
    assert_eq!(
        phases(&[
            "when full: draining",
            "when empty: !draining, filling",
            "when full: !filling"
        ]),
        [
            "warning C010: no row writes `flow` at not filling, not draining: it keeps its last value | row `3` reads it there",
            "warning C001: rows `1` and `2` can write `flow` at the same time | for example at filling, draining"
        ]
    );
}

/// A machine does one transition in a tick, also where two lead out of its state: it is never in two states.
#[test]
fn states_of_a_machine_exclude_each_other() {
    for transitions in [
        r#""a -> b when x >= 1", "b -> a when x < 0", "b -> c when x >= 3", "c -> a when x >= 4""#,
        r#""a -> b when x >= 1", "a -> c when x < -3", "b -> a when x < 0", "c -> a when x > 0""#,
    ] {
        let text = format!(
            r#"(format: 1, clock: (step: 0.1, stop: 1), reals: {{"f": 0, "x": 0}},
                machines: {{"m": (start: "a", states: {{"a": ["f = 0"], "b": ["f = 1"], "c": ["f = 2"]}},
                    transitions: [{transitions}])}},
                relations: ["x = integral(f + 1)"])"#
        );
        let found = check_table(&text, Budget::default());
        let found: Vec<String> = found
            .iter()
            .map(line)
            .filter(|line| line.contains(" C00"))
            .collect();
        assert_eq!(found, Vec::<String>::new(), "{transitions}");
    }
}

/// What a transition writes is lost where the state that it enters writes the same afterwards.
#[test]
fn rows_of_a_state_that_overwrite_its_transition_are_found() {
    let found = |scan: &str, rows: &str, to: &str| {
        let text = format!(
            r#"(format: 1, clock: (scan: {scan}, step: 0.1, stop: 3), reals: {{"x": 0}},
                machines: {{"m": (start: "a", states: {{"a": ["x = integral(1)"], "b": [{rows}]}},
                    transitions: ["a -> {to} when x > 1: x := 0.5", "b -> a when time > 2"])}})"#
        );
        let found = check_table(&text, Budget::default());
        let found = found.iter().map(line);
        found
            .filter(|line| line.contains(" C030"))
            .collect::<Vec<String>>()
    };
    let by = |row: &str| {
        let always = format!("row `{row}` always writes `x` after it");
        vec![format!(
            "warning C030: row `m.1` never has an effect: {always}"
        )]
    };
    let none = Vec::<String>::new();
    for (rows, to, sequential, simultaneous) in [
        (r#""x = integral(-1)""#, "b", none.clone(), by("m.b.1")),
        (r#""x = integral(-1)""#, "a", none.clone(), by("m.a.1")),
        (r#""x = 3""#, "b", by("m.b.1"), by("m.b.1")),
        (r#""x = 3 when time > 1""#, "b", none.clone(), none.clone()),
        ("", "b", none.clone(), none),
    ] {
        assert_eq!(found("sequential", rows, to), sequential, "{rows} {to}");
        assert_eq!(found("simultaneous", rows, to), simultaneous, "{rows} {to}");
    }
}

/// A machine of phases in a circle, one switch each, and a real that each phase drives in its way.
fn machine(phases: usize, over_situations: bool) -> Vec<String> {
    let next = |at: usize| (at + 1) % phases;
    let numbers = 0..phases;
    let switches: Vec<String> = numbers
        .clone()
        .map(|at| format!("\"p{at}\": {}", at == 0))
        .collect();
    let situations: Vec<String> = if over_situations {
        numbers
            .clone()
            .map(|at| format!("end{at}: p{at} & x > {at}"))
            .collect()
    } else {
        Vec::new()
    };
    let assignments: Vec<String> = numbers
        .clone()
        .map(|at| {
            let end = if over_situations {
                format!("end{at}")
            } else {
                format!("p{at} & x > {at}")
            };
            format!("when {end}: !p{at}, p{}", next(at))
        })
        .collect();
    let mut relations: Vec<String> = numbers
        .map(|at| format!("F = {at} * x when p{at}"))
        .collect();
    relations.push("x = integral(F)".to_owned());
    fn all(list: &[String]) -> Vec<&str> {
        list.iter().map(String::as_str).collect()
    }
    let lists = Lists {
        reals: r#""x": 0, "F": 0"#,
        switches: &switches.join(", "),
        situations: &all(&situations),
        assignments: &all(&assignments),
        relations: &all(&relations),
        ..Lists::default()
    };
    lists.findings()
}

#[test]
fn phases_exclude_each_other() {
    for phases in [2, 3, 12, 30] {
        assert_eq!(machine(phases, false), Vec::<String>::new(), "{phases}");
        assert_eq!(machine(phases, true), Vec::<String>::new(), "{phases}");
    }
}
