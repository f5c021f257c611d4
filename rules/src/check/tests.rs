//! Tables with the findings they must have, and those they must not have.

mod brute_force;
mod random;

use crate::diag::{Diagnostic, PAGES, Severity};
use crate::{load, standalone};

use super::{Budget, check};

/// All findings of a table, which must be free of mistakes.
fn check_table(text: &str, budget: Budget) -> Vec<Diagnostic> {
    let loaded = load("table.ron", text, &mut standalone);
    let mistakes: Vec<&Diagnostic> = loaded
        .diagnostics
        .iter()
        .filter(|diagnostic| diagnostic.severity == Severity::Error)
        .collect();
    assert!(mistakes.is_empty(), "{text}: {mistakes:#?}");
    let model = loaded.model.unwrap();
    check(&model, &loaded.origins, budget)
}

/// A finding as one line: severity, code, message, notes.
fn line(finding: &Diagnostic) -> String {
    let mark = match finding.severity {
        Severity::Note => "note",
        Severity::Warning => "warning",
        Severity::Error => "error",
    };
    let mut line = format!("{mark} {}: {}", finding.code, finding.message);
    for note in &finding.notes {
        line.push_str(" | ");
        line.push_str(note);
    }
    line
}

/// Lists of a table; what is not given is empty.
#[derive(Default)]
struct Lists<'a> {
    constants: &'a str,
    reals: &'a str,
    switches: &'a str,
    ranges: &'a [&'a str],
    situations: &'a [&'a str],
    assignments: &'a [&'a str],
    relations: &'a [&'a str],
    rest: &'a str,
}

impl Lists<'_> {
    fn text(&self) -> String {
        format!(
            "(format: 1, constants: {{{}}}, reals: {{{}}}, switches: {{{}}}, ranges: {:?}, \
             situations: {:?}, assignments: {:?}, relations: {:?}, {})",
            self.constants,
            self.reals,
            self.switches,
            self.ranges,
            self.situations,
            self.assignments,
            self.relations,
            self.rest
        )
    }

    fn findings(&self) -> Vec<String> {
        self.with_code("")
    }

    /// The findings whose code begins so.
    fn with_code(&self, code: &str) -> Vec<String> {
        let found = check_table(&self.text(), Budget::default());
        let found = found
            .iter()
            .filter(|finding| finding.code.starts_with(code));
        found.map(line).collect()
    }
}

#[track_caller]
fn expect(lists: Lists<'_>, expected: &[&str]) {
    assert_eq!(lists.findings(), expected, "{}", lists.text());
}

const FALL: [&str; 2] = ["v = integral(-9.81)", "h = integral(v)"];

#[test]
fn a_table_beyond_the_budget_is_not_looked_at() {
    let lists = Lists {
        reals: r#""v": 0, "h": 9"#,
        relations: &FALL,
        ..Lists::default()
    };
    for (rows, expected) in [
        (2, None),
        (
            1,
            Some(
                "note C090: the check did not look at this table: it has 2 rows | the most that a brief check takes is 1",
            ),
        ),
    ] {
        let budget = Budget {
            rows,
            ..Budget::BRIEF
        };
        let found = check_table(&lists.text(), budget);
        assert_eq!(found.first().map(line).as_deref(), expected);
    }
}

#[test]
fn every_page_shows_its_code_and_how_to_mend_it() {
    for page in PAGES[2] {
        let budget = match page.code {
            "C090" => Budget {
                total: 10,
                question: 10,
                ..Budget::default()
            },
            _ => Budget::default(),
        };
        let codes = |text| -> Vec<&str> {
            check_table(text, budget)
                .iter()
                .map(|finding| finding.code)
                .collect()
        };
        assert!(
            codes(page.bad).contains(&page.code),
            "{}: {:?}",
            page.code,
            codes(page.bad)
        );
        let left = codes(page.repaired);
        assert!(left.is_empty(), "{}: {left:?} is left", page.code);
    }
}

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
            "warning C020: row `4` never acts: the other rows of `a` leave nothing over"
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

#[test]
fn values_that_go_stale() {
    let force = |rows: &[&str]| {
        let mut relations = rows.to_vec();
        relations.extend(["v = integral(F - 981)", "h = integral(v)"]);
        let found = Lists {
            reals: r#""F": 0, "v": 0, "h": 400, "shown": 0"#,
            switches: r#""on": true"#,
            ranges: &["contact: h < 30", "down: v < 0", "up: v > 0"],
            situations: &["event leaves: !contact", "event arrives: contact"],
            relations: &relations,
            ..Lists::default()
        };
        found.with_code("C010")
    };
    let stale = |at: &str, by: &str| {
        vec![format!(
            "warning C010: no row writes `F` at {at}: it keeps its last value | {by} reads it there"
        )]
    };
    assert_eq!(force(&["F = -h when contact"]), stale("h = 400", "row `2`"));
    assert_eq!(
        force(&["F = -h when contact", "F = 0 otherwise"]),
        Vec::<String>::new()
    );
    assert_eq!(
        force(&["F = -h when contact", "F = 0 when !contact"]),
        Vec::<String>::new()
    );
    assert_eq!(
        force(&[
            "F = -h when contact & down",
            "F = h when contact & up",
            "F = 0 when !contact"
        ]),
        [stale("h = 29, v = 0", "row `4`").remove(0) + " | this happens on the border only"]
    );
    // Written at an event on the way out, or held on purpose.
    assert_eq!(
        force(&["F = -h when contact", "F := 0 when leaves"]),
        Vec::<String>::new()
    );
    assert_eq!(
        force(&["F = -h when contact", "F := 0 when arrives"]),
        stale("h = 400", "row `3`")
    );
    assert_eq!(force(&["F := 0 when leaves"]), Vec::<String>::new());
    assert_eq!(
        force(&["F = integral(h) when contact"]),
        Vec::<String>::new()
    );
    assert_eq!(
        force(&["F = sample_and_hold(h, contact)"]),
        Vec::<String>::new()
    );
    // A setting that is not changed during a run leaves nothing behind.
    assert_eq!(force(&["F = -h when on"]), Vec::<String>::new());
    assert_eq!(
        force(&["F = -h when on & contact"]),
        stale("h = 400, on", "row `2`")
    );
    // Only the output reads it.
    assert_eq!(
        force(&["F = 0 * h", "shown = 2 * h when contact"]),
        [
            "note C010: no row writes `shown` at h = 400: it keeps its last value | nothing but the output reads it"
        ]
    );
}

#[test]
fn what_is_never_written_is_not_stale() {
    // x < 0 and y > 0 leave no room for x > y, which only all three together show.
    let found = |wide: &str| {
        let found = Lists {
            reals: r#""x": 0, "y": 0, "z": 0, "w": 0"#,
            ranges: &["left: x < 0", wide],
            situations: &["both: wide & left"],
            relations: &[
                "z = 1 when both",
                "w = integral(z)",
                "x = integral(1)",
                "y = integral(1)",
            ],
            ..Lists::default()
        };
        found.with_code("C010").len()
    };
    assert_eq!(found("wide: x - y > 0 & y > 0"), 0);
    assert_eq!(found("wide: x - y > 0 & y > -2"), 1);
}

#[test]
fn a_stale_value_matters_where_it_is_read() {
    let spin = |rows: &[&str]| {
        let mut relations = vec!["M = 3 * v when contact"];
        relations.extend(rows);
        relations.extend(["v = integral(-981)", "h = integral(v)"]);
        Lists {
            reals: r#""M": 0, "e": 0, "v": 0, "h": 400"#,
            ranges: &["contact: h < 30", "down: v < 0", "strong: M > 5"],
            situations: &["turning: contact & strong", "falling: down & strong"],
            relations: &relations,
            ..Lists::default()
        }
        .with_code("C010")
    };
    let stale = |by: &str, at: &str| {
        vec![format!(
            "warning C010: no row writes `M` at {at}: it keeps its last value | {by} it there"
        )]
    };
    assert_eq!(
        spin(&[
            "e = integral(M) when contact",
            "v = integral(1) when turning"
        ]),
        stale("`strong` compares", "h = 400, v = -1")
    );
    assert_eq!(
        spin(&["e = integral(M) when down"]),
        stale("row `2` reads", "h = 400, v = -1")
    );
    assert_eq!(
        spin(&["e = 0 * M"]),
        stale("`strong` compares", "h = 400, v = -1")
    );
}

#[test]
fn conditions_that_never_or_always_hold() {
    let with = |ranges: &[&str], situations: &[&str], when: &str| {
        let first = format!("v = integral(1) when {when}");
        let lists = Lists {
            constants: r#""a": 2, "b": 1, "k": 0"#,
            reals: r#""x": 0, "v": 0"#,
            switches: r#""q": false"#,
            ranges,
            situations,
            assignments: &["when start: q", "when v > 100: !q"],
            relations: &[&first, "x = integral(v + 0 * a * b * k)"],
            ..Lists::default()
        };
        lists.with_code("C02")
    };
    let never = |what: &str| vec![format!("warning C020: {what}")];
    let always = |what: &str| vec![format!("note C021: {what}")];
    for (ranges, situations, when, expected) in [
        (
            &["r: x >= 2", "s: x < 1"][..],
            &[][..],
            "r & s",
            never("row `1` never acts | `r` and `s` exclude each other"),
        ),
        (
            &["r: x >= a", "s: b > x"],
            &[],
            "r & s & q",
            never("row `1` never acts | `r` and `s` exclude each other"),
        ),
        (
            &["r: x < v", "s: v < x"],
            &[],
            "r & s",
            never("row `1` never acts | `r` and `s` exclude each other"),
        ),
        (&["r: x <= v", "s: v <= x"], &[], "r & s", vec![]),
        (
            &["r: 2 * x < 3", "s: 1.5 <= x"],
            &[],
            "!r & !s",
            never("row `1` never acts | `!r` and `!s` exclude each other"),
        ),
        (
            &["r: abs(x) < 2", "s: x > 3"],
            &[],
            "r & s",
            never("row `1` never acts | `r` and `s` exclude each other"),
        ),
        (
            &["r: abs(x) > 0", "s: x < 1", "t: x > 1"],
            &[],
            "!r & s",
            vec![],
        ),
        (
            &["r: abs(x) > 0", "s: x < 0", "t: x > 0"],
            &["n: r & !s"],
            "n & !t",
            never("row `1` never acts | `n` and `!t` exclude each other"),
        ),
        (
            &["r: x * v < 1", "s: v * x > 1"],
            &[],
            "r & s",
            never("row `1` never acts | `r` and `s` exclude each other"),
        ),
        (
            &["r: time < 0"],
            &[],
            "r",
            never("range `r` can never hold | no value satisfies time < 0"),
        ),
        (
            &["r: abs(x) < 0"],
            &[],
            "!r",
            never("range `r` can never hold | no value satisfies abs(x) < 0"),
        ),
        (
            &["r: x < 1"],
            &[],
            "r & x > a",
            never("row `1` never acts | `r` and `x > a` exclude each other"),
        ),
        (
            &["r: x < 1", "s: x < 2"],
            &["n: r", "n: s"],
            "!n & r",
            never("row `1` never acts | `!n` and `r` exclude each other"),
        ),
        (
            &[],
            &["n: q & x < 1", "m: !q & x < 1"],
            "n & m",
            never("row `1` never acts | `n` and `m` exclude each other"),
        ),
        // In the tick in which it changes, a switch has one value for situations and one for rows.
        (&[], &["n: q & x < 1"], "n & !q", vec![]),
        // Squares and their like are not negative.
        (
            &["r: x^2 < 0"],
            &[],
            "!r",
            never("range `r` can never hold | no value satisfies x^2 < 0"),
        ),
        (
            &["r: x * x >= 0"],
            &[],
            "!r",
            always("range `r` always holds"),
        ),
        (&["r: sqrt(x) <= 0"], &[], "r", vec![]),
        (&["r: x^3 < 0"], &[], "r", vec![]),
        // A name that never holds explains what hangs on it.
        (
            &["r: x >= 2", "s: x < 1"],
            &["n: r & s", "m: n & q"],
            "m",
            never("situation `n` can never hold | `r` and `s` exclude each other"),
        ),
        (
            &["r: x >= 2", "s: x < 1"],
            &["n: r & s", "n: q"],
            "n",
            never("row `1` of situation `n` never holds | `r` and `s` exclude each other"),
        ),
        // Settings are neither never nor always.
        (&["r: k > 0"], &[], "r", vec![]),
        (&["r: 1 > 0"], &[], "r", always("range `r` always holds")),
        (
            &["r: x < 1", "s: x >= 1"],
            &["n: r", "n: s"],
            "n",
            always("situation `n` always holds"),
        ),
        (
            &["r: x < 2", "s: x > 1"],
            &["n: r & q", "n: s", "n: !q"],
            "n",
            always("situation `n` always holds"),
        ),
    ] {
        assert_eq!(
            with(ranges, situations, when),
            expected,
            "{ranges:?} {situations:?} {when}"
        );
    }
}

#[test]
fn otherwise_is_what_the_others_leave() {
    let with = |rows: &[&str]| {
        let mut relations = rows.to_vec();
        relations.push("v = integral(F)");
        let lists = Lists {
            reals: r#""F": 0, "v": 0"#,
            ranges: &["neg: v < 0", "pos: v > 0", "rest: v >= 0"],
            relations: &relations,
            ..Lists::default()
        };
        [
            lists.with_code("C00"),
            lists.with_code("C01"),
            lists.with_code("C02"),
        ]
        .concat()
    };
    assert_eq!(
        with(&["F = 1 when neg", "F = 2 when pos", "F = 3 otherwise"]),
        Vec::<String>::new()
    );
    assert_eq!(
        with(&["F = 1 when neg", "F = 2 when rest", "F = 3 otherwise"]),
        ["warning C020: row `3` never acts: the other rows of `F` leave nothing over"]
    );
}

#[test]
fn rows_without_effect() {
    let with = |rows: &[&str]| {
        let mut relations = rows.to_vec();
        relations.push("v = integral(F + G)");
        let lists = Lists {
            reals: r#""F": 0, "G": 0, "v": 0"#,
            ranges: &[
                "slow: v < 1",
                "slower: v < 0",
                "fast: v >= 1",
                "wide: v < 2",
            ],
            relations: &relations,
            ..Lists::default()
        };
        lists.with_code("C03")
    };
    let shadowed = |by: &str| {
        vec![format!(
            "warning C030: row `1` never has an effect: {by} `F` after it"
        )]
    };
    let fine = Vec::<String>::new();
    assert_eq!(
        with(&["F = v", "F = 2 * v"]),
        shadowed("row `2` always writes")
    );
    assert_eq!(
        with(&["F = v when slow", "F = 2 * v"]),
        shadowed("row `2` always writes")
    );
    assert_eq!(
        with(&["F = v when slower", "F = 2 * v when slow"]),
        shadowed("row `2` always writes")
    );
    assert_eq!(
        with(&[
            "F = v when wide",
            "F = 2 * v when slow",
            "F = 3 * v when fast"
        ]),
        shadowed("rows `2` and `3` always write")
    );
    assert_eq!(with(&["F = v when slow", "F = 2 * v when slower"]), fine);
    assert_eq!(with(&["F = v", "G = 2 * F", "F = 2 * v"]), fine);
    assert_eq!(with(&["F = v", "F = F + v"]), fine);
    assert_eq!(
        with(&["F = integral(v)", "F = 2 * v"]),
        ["warning C030: row `1` never acts: row `2` always writes `F` after it"]
    );
}

#[test]
fn what_is_said_twice() {
    let lists = |relations: &[&str], situations: &[&str]| {
        let lists = Lists {
            reals: r#""v": 0, "h": 0"#,
            ranges: &[
                "low: h < 1",
                "down: v < 0",
                "lower: h < 0",
                "sinking: 0 > v",
            ],
            situations,
            relations,
            ..Lists::default()
        };
        lists.with_code("C031")
    };
    let same = "note C031: range `sinking` says the same as range `down`";
    assert_eq!(
        lists(
            &["v = integral(-9.81)", "h = integral(v)", "h = integral(v)"],
            &[]
        ),
        [
            same,
            "warning C031: row `3` repeats row `2` of `h` | both add to it, so that it counts twice"
        ]
    );
    assert_eq!(
        lists(
            &[
                "v = -h when low & down",
                "h = integral(v)",
                "v = -h when down & low"
            ],
            &[]
        ),
        [
            same,
            "note C031: row `3` repeats row `1` of `v` | once is enough"
        ]
    );
    assert_eq!(
        lists(&FALL, &["n: low", "n: low & down"]),
        [same, "note C031: row `2` of `n` adds nothing to row `1`"]
    );
    assert_eq!(
        lists(&FALL, &["n: low", "n: lower"]),
        [
            same,
            "note C031: row `2` of `n` adds nothing to the other rows"
        ]
    );
    assert_eq!(lists(&FALL, &["n: low & down", "n: low & !down"]), [same]);
    // A row of an event fires at its own arising.
    assert_eq!(
        lists(&FALL, &["event n: low", "event n: low & down"]),
        [same]
    );
}

#[test]
fn assignments_that_contradict_each_other() {
    let with = |assignments: &[&str]| {
        let lists = Lists {
            reals: r#""v": 0, "h": 0"#,
            switches: r#""q": false, "r": false"#,
            ranges: &["low: h < 1", "high: h > 2", "down: v < 0", "slow: v < 1"],
            situations: &[
                "event hit: low",
                "event beat: every(0.5)",
                "event fast: !slow",
            ],
            assignments,
            relations: &FALL,
            ..Lists::default()
        };
        [lists.with_code("C002"), lists.with_code("C003")].concat()
    };
    let fine = Vec::<String>::new();
    // The documented idiom of hysteresis.
    assert_eq!(with(&["when low: q", "when high: !q"]), fine);
    assert_eq!(
        with(&["when low: q", "when slow: !q"]),
        [
            "warning C003: assignments `1` and `2` can set and clear `q` at the same time | for example at h = 0, v = 0"
        ]
    );
    assert_eq!(
        with(&["when slow: q", "when down: !q"]),
        [
            "note C002: assignments `1` and `2` write `q` in one tick, their order matters | for example at v = -1"
        ]
    );
    assert_eq!(
        with(&["when hit: q", "when fast: !q", "when beat: !q"]),
        fine
    );
    assert_eq!(
        with(&["when hit & slow: q", "when hit & down: !q"]),
        [
            "note C002: assignments `1` and `2` write `q` in one tick, their order matters \
          | for example at h = 0, v = -1, event hit"
        ]
    );
    // A toggle in two rows toggles twice.
    assert_eq!(
        with(&["when beat & q: !q", "when beat & !q: q"]),
        [
            "warning C003: assignment `2` undoes `q` in the tick in which `1` writes it \
          | for example at event beat, event every(0.5), q"
        ]
    );
    assert_eq!(with(&["when beat & !q: q, r", "when beat & !r: !q"]), fine);
    // Going on at once from what the upper one did is no contradiction.
    assert_eq!(with(&["when hit: q", "when q & down: !q"]), fine);
}

#[test]
fn loops_and_late_reads() {
    let with = |relations: &[&str], rest: &str| {
        let lists = Lists {
            constants: r#""k": 0"#,
            reals: r#""x": 0, "y": 0, "z": 0, "s": 0"#,
            ranges: &["low: s < 1", "high: s >= 1"],
            relations,
            rest,
            ..Lists::default()
        };
        lists.with_code("C05")
    };
    let fine = Vec::<String>::new();
    let a_loop = |circle: &str, reader: &str, read: &str, writer: &str| {
        vec![format!(
            "warning C050: algebraic loop: {circle} | a tick run goes round once a tick: row `{reader}` \
             reads `{read}` before row `{writer}` writes it"
        )]
    };
    let tail = ["s = integral(x)"];
    let rows = |rows: &[&str]| with(&[rows, &tail].concat(), "");
    assert_eq!(
        rows(&["x = 0.5 * y + s", "y = -1 * x"]),
        a_loop("x -> y -> x", "1", "y", "2")
    );
    assert_eq!(
        rows(&["x = 0.5 * z + s", "y = -1 * x", "z = y + s"]),
        a_loop("x -> y -> z -> x", "1", "z", "3")
    );
    assert_eq!(rows(&["x = 0 * y + s", "y = -1 * x"]), fine);
    assert_eq!(rows(&["x = k * y * s", "y = -1 * x"]), fine);
    assert_eq!(rows(&["x = integral(y)", "y = -1 * x"]), fine);
    assert_eq!(rows(&["x = smoothing(y, 1)", "y = -1 * x"]), fine);
    // A circle needs all its rows at once.
    assert_eq!(
        rows(&[
            "x = 0.5 * y when low",
            "x = s when high",
            "y = -1 * x when high",
            "y = s when low"
        ]),
        fine
    );
    assert_eq!(
        rows(&["x = 0.5 * y when low", "x = s when high", "y = -1 * x"]),
        [a_loop("x -> y -> x", "1", "y", "3").remove(0) + " | for example at s = 0"]
    );
    assert_eq!(
        with(
            &["x = 0.5 * y + s", "y = -1 * x", "s = integral(x)"],
            "clock: (scan: simultaneous)"
        ),
        fine
    );

    let late = |reader: &str, read: &str, writer: &str| {
        vec![format!(
            "note C051: row `{reader}` reads `{read}` above row `{writer}`, which computes it | what \
             it is computed from has changed in between"
        )]
    };
    assert_eq!(
        with(&["s = integral(x)", "x = 2 * y", "y = 3 * s"], ""),
        late("2", "y", "3")
    );
    assert_eq!(
        with(&["x = 2 * y", "y = 3 * time", "s = integral(x)"], ""),
        late("1", "y", "2")
    );
    assert_eq!(
        with(&["x = 2 * y", "y = sine_wave(1, 2)", "s = integral(x)"], ""),
        late("1", "y", "2")
    );
    // Nothing has moved between the row and the next tick's read.
    assert_eq!(
        with(&["x = 2 * y", "s = integral(x)", "y = 3 * s"], ""),
        fine
    );
    assert_eq!(
        with(
            &["x = 2 * y", "s = integral(x)", "z = 3 * s", "y = 1 * z"],
            ""
        ),
        fine
    );
    assert_eq!(
        with(
            &["s = integral(x)", "z = 1 * y", "x = 2 * y", "y = 3 * s"],
            ""
        ),
        [
            "note C051: rows `2` and `3` read `y` above row `4`, which computes it | what it is computed \
          from has changed in between"
        ]
    );
}

#[test]
fn rows_that_add_up_tick_by_tick() {
    let with = |rows: &[&str]| {
        let mut relations = rows.to_vec();
        relations.push("v = integral(P)");
        let lists = Lists {
            reals: r#""P": 0, "v": 0, "F": 0"#,
            ranges: &["slow: v < 1", "fast: v >= 1", "faster: v > 2"],
            situations: &["event hit: fast"],
            relations: &relations,
            ..Lists::default()
        };
        lists.with_code("C052")
    };
    let fine = Vec::<String>::new();
    let adds = |row: &str, of: &str, note: &str| {
        vec![format!(
            "warning C052: row `{row}` changes `{of}` again in every tick{note} | the result depends \
             on the length of the tick"
        )]
    };
    assert_eq!(with(&["P = P + v"]), adds("1", "P", ""));
    assert_eq!(with(&["P = 0.5 * P when slow"]), adds("1", "P", ""));
    assert_eq!(with(&["P = v", "P = P + F"]), fine);
    assert_eq!(with(&["P = P + F", "P = v"]), adds("1", "P", ""));
    assert_eq!(with(&["P = v when fast", "P = P + F when faster"]), fine);
    assert_eq!(
        with(&["P = v when fast", "P = P + F when slow"]),
        adds("2", "P", " | no row above writes it at v = 0")
    );
    assert_eq!(with(&["v = -0.8 * v when fast"]), adds("1", "v", ""));
    assert_eq!(with(&["v := -0.8 * v when hit"]), fine);
    assert_eq!(with(&["v = -0.8 * v when hit"]), fine);
    assert_eq!(with(&["v = integral(-2 * v)"]), fine);
    // These give their own result back.
    assert_eq!(with(&["v = clamp(v, 0, 1)", "P = max(P, v)"]), fine);
    assert_eq!(with(&["v = 2 * max(v, 1)"]), adds("1", "v", ""));
}

#[test]
fn names_without_a_part_to_play() {
    expect(
        Lists {
            constants: r#""g": 9.81, "spare": 1"#,
            reals: r#""v": 0, "h": 4, "m": 1, "idle": 0"#,
            switches: r#""on": true, "set_on": true, "latched": false, "told": false, "extra": false"#,
            ranges: &["low: h < 1", "unread: h < 2", "watched: h < 3"],
            situations: &["event unheard: low", "event hit: low", "lost: low"],
            assignments: &[
                "when low: set_on",
                "when hit: latched",
                "when hit: told",
                "when h > 9: !told",
            ],
            relations: &[
                "v = integral(-g * m) when on & latched & set_on",
                "h = integral(v)",
            ],
            rest: r#"clock: (stop_when: "watched")"#,
        },
        &[
            "warning C040: constant `spare` is never used",
            "warning C041: no rule writes `m`",
            "warning C040: real `idle` is never used",
            "note C043: no rule reads switch `told`",
            "warning C040: switch `extra` is never used",
            "note C043: no rule reads range `unread`",
            "note C043: no rule reads event `unheard`",
            "note C043: no rule reads situation `lost`",
            "warning C042: `set_on` starts true and is only ever set",
            "note C042: `latched` is set but never cleared",
        ],
    );
}
