//! Conditions that never or always hold, and rows that change nothing.

use situ_engine::model::{CompareOp, ModelBuilder};

use super::*;
use crate::source::Origins;

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
        ["warning C020: row `3` never acts: the other rows of `F` cover every case"]
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

/// The two rows for which a transition stands are one to its author.
#[test]
fn a_transition_at_the_start_repeats_nothing() {
    let text = r#"(format: 1, clock: (step: 0.1), reals: {"x": 0}, machines: {"m": (start: "a", states: {"a": [],
        "b": ["x = integral(1)"]}, transitions: ["a -> b when start"])})"#;
    let found = check_table(text, Budget::default());
    assert!(!found.iter().any(|one| one.code == "C031"), "{found:?}");
    // Of a model that was built nothing is known of what was written.
    let mut table = ModelBuilder::new("built");
    let x = table.real("x", 0.0);
    let low = table.range("low", [(x.into(), CompareOp::Less, 1.0.into())]);
    table.situation("n", [low.into()]);
    table.situation("n", [low.into()]);
    let found = check(
        &table.build().unwrap(),
        &Origins::default(),
        Budget::default(),
    );
    assert!(found.iter().any(|one| one.code == "C031"), "{found:?}");
}

/// A state that is shown has the values that its expressions have in it; where none is found nothing is said.
#[test]
fn states_with_expressions_that_are_not_linear_are_states() {
    let force = |ranges: &[&str], relations: &[&str]| {
        let mut relations = relations.to_vec();
        relations.extend(["v = integral(F - x + y)", "x = integral(v)"]);
        let lists = Lists {
            reals: r#""x": 0.5, "y": 1, "v": 1, "F": 0"#,
            ranges,
            relations: &relations,
            ..Lists::default()
        };
        let mut found = lists.with_code("C00");
        found.extend(lists.with_code("C01"));
        found
    };
    let three = ["F = 1 when inner", "F = 2 when outer", "F = 3 when left"];
    for inner in [
        "x^2 < 1",
        "x * x < 1",
        "abs(x) < 1",
        "exp(x^2) < exp(1)",
        "1 > x^4",
    ] {
        let ranges = [
            &format!("inner: {inner}")[..],
            "outer: x >= 1",
            "left: x <= -1",
        ];
        assert_eq!(force(&ranges, &three), Vec::<String>::new(), "{inner}");
    }
    // Those that are, are found: the rows overlap, or leave something out.
    for (ranges, code) in [
        (["inner: x^2 < 4", "outer: x >= 1", "left: x <= -2"], "C001"),
        (["inner: x^2 < 1", "outer: x >= 1", "left: x <= -2"], "C010"),
        (
            ["inner: x * y < 6", "outer: x + y > 5", "left: x < -9"],
            "C001",
        ),
    ] {
        let found = force(&ranges, &three);
        assert!(
            found.iter().any(|line| line.contains(code)),
            "{ranges:?} {found:?}"
        );
    }
    let found = force(
        &["small: x^2 < 1", "big: x^2 > 3"],
        &["F = 1 when small", "F = 2 when big"],
    );
    assert_eq!(
        found,
        [
            "warning C010: no row writes `F` at x^2 = 2: it keeps its last value | row `3` reads it there"
        ]
    );
}
