//! Tables that extend others.

use insta::assert_snapshot;
use situ_engine::model::Quantity;

use super::{BASE, extended, formula, load_chain};
use crate::load::{TableText, load};

#[test]
fn rows_are_added_replaced_and_dropped() {
    assert_snapshot!(extended(""), @r"
        [1] x = integral(1; k)
        [2] y = assignment(1; x) when out
        [3] z = proportional(c; y)
        ");
    assert_snapshot!(extended(r#"relations: ["x = -x", "[2a after 2] y = 2 * x", "z = z"],"#), @r"
        [1] x = integral(1; k)
        [2] y = assignment(1; x) when out
        [2a] y = proportional(2; x)
        [3] z = proportional(c; y)
        [4] x = proportional(-1; x)
        [6] z = assignment(1; z)
        ");
    assert_snapshot!(extended(r#"relations: [
        "[a after 1] x = 2",
        "[b before 1] x = 3",
        "[c after 1] x = 4",
        "[d before 1] x = 5",
        "[e after c] x = 6",
    ],"#), @r"
        [b] x = assignment(1; 3)
        [d] x = assignment(1; 5)
        [1] x = integral(1; k)
        [a] x = assignment(1; 2)
        [c] x = assignment(1; 4)
        [e] x = assignment(1; 6)
        [2] y = assignment(1; x) when out
        [3] z = proportional(c; y)
        ");
    assert_snapshot!(
        extended(r#"replace: ["2"], relations: ["[2] y = 7", "[4 before 2] y = 8"],"#),
        @r"
        [1] x = integral(1; k)
        [4] y = assignment(1; 8)
        [2] y = assignment(1; 7)
        [3] z = proportional(c; y)
        "
    );
    assert_snapshot!(extended(r#"replace: ["1"], relations: ["[1 after 3] x = 7"],"#), @r"
        [2] y = assignment(1; x) when out
        [3] z = proportional(c; y)
        [1] x = assignment(1; 7)
        ");
    assert_snapshot!(
        extended(r#"drop: ["1", "3"], relations: ["[3] x = 7", "[4 before 2] z = x"],"#),
        @r"
        [4] z = assignment(1; x)
        [2] y = assignment(1; x) when out
        [3] x = assignment(1; 7)
        "
    );
}

#[test]
fn rows_that_are_not_there() {
    assert_snapshot!(extended(r#"
    replace: ["4", "out", "low"],
    drop: ["situations.7", "2", "2", "high"],
    ranges: ["high: x > 5"],
    relations: [
        "[3] z = 2",
        "[6 after nine] z = 2",
        "[7 after 8] z = 2",
        "[8 before 7] z = 3",
    ],"#), @r#"
        error[N031]: there is no row `4`
         --> table.ron:3:15
          |
        3 |     replace: ["4", "out", "low"],
          |               ^^^
          |
          = help: `situ show` lists the rows of a table with their ids

        error[N032]: `out` may mean several rows
         --> table.ron:3:20
          |
        3 |     replace: ["4", "out", "low"],
          |                    ^^^^^
          |
          = help: say which: `situations.1`, `situations.2`

        error[N033]: no row of this table replaces `low`
         --> table.ron:3:27
          |
        3 |     replace: ["4", "out", "low"],
          |                           ^^^^^
          |
         ::: base.ron:8:15
          |
        8 |     ranges: ["low: x < 1", "high: x > 2"],
          |               ---------- to be replaced
          |
          = help: write the new row as `[1] ..` in `ranges`, or use `drop`

        error[N031]: there is no row `situations.7`
         --> table.ron:4:12
          |
        4 |     drop: ["situations.7", "2", "2", "high"],
          |            ^^^^^^^^^^^^^^
          |
          = help: `situ show` lists the rows of a table with their ids

        error[N033]: the row `2` is replaced or dropped twice
         --> table.ron:4:33
          |
        4 |     drop: ["situations.7", "2", "2", "high"],
          |                            ---  ^^^
          |                            |
          |                            the first
          |
          = help: leave one

        error[N030]: the id `3` is used twice
          --> table.ron:7:11
           |
         7 |         "[3] z = 2",
           |           ^
           |
          ::: base.ron:10:55
           |
        10 |     relations: ["x = integral(k)", "y = x when out", "z = c * y"],
           |                                                       --------- the first: its number, as it has no id of its own
           |
           = help: give it another id, or put "3" into `replace` if it replaces that row

        error[N031]: there is no row `nine`
         --> table.ron:8:19
          |
        8 |         "[6 after nine] z = 2",
          |                   ^^^^
          |
          = help: `situ show` lists the rows of a table with their ids

        error[N034]: rows are placed beside each other in a circle
         --> table.ron:9:19
          |
        9 |         "[7 after 8] z = 2",
          |                   ^
          |
          = help: place one of them beside a row of the table that is extended
        "#);
}

#[test]
fn what_defines_a_boolean_is_replaced_by_name() {
    let text = r#"(format: 1, extends: "base.ron",
    replace: ["low", "situations.2"],
    drop: ["situations.1"],
    ranges: ["low: x < 5", "mid: x < 4"],
    situations: ["out: high & mid"],
)"#;
    let model = load_chain(&[("base.ron", BASE)], text).model.unwrap();
    let ranges: Vec<_> = model
        .ranges
        .iter()
        .map(|range| (&*range.id, &*range.name))
        .collect();
    assert_eq!(ranges, [("1", "low"), ("2", "high"), ("4", "mid")]);
    let rows: Vec<_> = model
        .situation_rows
        .iter()
        .map(|row| (&*row.id, row.all.len()))
        .collect();
    assert_eq!(rows, [("2", 2)]);
}

#[test]
fn later_tables_override() {
    let middle = r#"(format: 1, extends: "base.ron",
    name: "middle",
    clock: (step: 0.2, stop_when: "y > 3"),
    constants: {"c": 7},
    reals: {"x": 1},
    switches: {"on": (about: "the switch")},
)"#;
    let text = r#"(format: 1, extends: "middle.ron",
    name: "top",
    clock: (every: 0.4),
    constants: {"c": (about: "width"), "d": 3},
    reals: {"x": (unit: "m", output: false), "w": "d"},
    switches: {"on": false, "off": true},
    relations: ["w = d when off"],
    cases: {"fast": (set: {"k": 50}, clock: (stop: 9)), "new": (set: {"off": false, "x": "2 * d"})},
)"#;
    let loaded = load_chain(&[("base.ron", BASE), ("middle.ron", middle)], text);
    assert!(loaded.diagnostics.is_empty());
    assert_eq!(loaded.tables.len(), 3);
    let model = loaded.model.unwrap();
    assert_eq!((&*model.name, &*model.about), ("top", "three rows"));
    let clock = &model.clock;
    assert_eq!(
        (clock.step, clock.stop, clock.every),
        (Some(0.2), Some(1.0), Some(0.4))
    );
    assert_eq!(clock.stop_when.as_ref().unwrap().len(), 1);
    let quantity = |quantity: &Quantity| {
        let start = formula(&model, quantity.start);
        let Quantity {
            name,
            unit,
            about,
            output,
            ..
        } = quantity;
        format!("{name} {start} {unit:?} {about:?} {output}")
    };
    let constants: Vec<String> = model.constants.iter().map(quantity).collect();
    assert_eq!(
        constants,
        [
            r#"k 1 "" "" false"#,
            r#"c 7 "m" "width" false"#,
            r#"d 3 "" "" false"#,
        ]
    );
    let reals: Vec<String> = model.reals.iter().map(quantity).collect();
    assert_eq!(
        reals,
        [
            r#"x 1 "m" "" false"#,
            r#"y 0 "" "" true"#,
            r#"z 0 "" "" true"#,
            r#"w d "" "" true"#,
        ]
    );
    let switches: Vec<_> = model
        .switches
        .iter()
        .map(|row| (&*row.name, row.start, &*row.about))
        .collect();
    assert_eq!(switches, [("on", false, "the switch"), ("off", true, "")]);
    let cases: Vec<_> = model
        .cases
        .iter()
        .map(|case| (&*case.name, case.set.len(), case.clock.stop))
        .collect();
    assert_eq!(
        cases,
        [("fast", 1, Some(9.0)), ("slow", 1, None), ("new", 2, None)]
    );
}

#[test]
fn chains_that_do_not_end() {
    let circle = r#"(format: 1, extends: "table.ron", relations: ["x = integral(q)"])"#;
    let text = r#"(format: 1, extends: "a.ron", relations: ["y = x"])"#;
    let loaded = load_chain(&[("a.ron", circle), ("table.ron", text)], text);
    let codes: Vec<_> = loaded
        .diagnostics
        .iter()
        .map(|report| report.code)
        .collect();
    assert_eq!(codes, ["N029"], "names of a broken chain are not reported");

    let mut count = 0;
    let mut endless = |_: &str, _: &str| {
        count += 1;
        let text = r#"(format: 1, extends: "next.ron")"#.to_owned();
        Ok(TableText {
            name: format!("{count}.ron"),
            text,
        })
    };
    let loaded = load("table.ron", text, &mut endless);
    let codes: Vec<_> = loaded
        .diagnostics
        .iter()
        .map(|report| report.code)
        .collect();
    assert_eq!(codes, ["N029"]);
    assert_eq!(loaded.tables.len(), crate::MAX_TABLES);
}
