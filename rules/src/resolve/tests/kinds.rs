//! What may stand where.

use insta::assert_snapshot;

use super::{reports, table};

#[test]
fn kinds() {
    assert_snapshot!(reports(&table(&[
        "x = 2 * low + y when z",
        "y = sin(x < 1)",
        "z = counter(x)",
        "v = counter(x + 1)",
        "m = 3 * x",
        "m = 4 * x",
        "on = 1",
        "hit = x",
        "x = integral(y) when hit",
        "y = 2 * integral(x)",
        "v = -smoothing(x, 2)",
        "x := 2",
        "x := 2 when on & !hit",
        "z = x(3)",
        "z = sinus(x)",
        "z = clamp(x)",
        "z = delay(x, y)",
        "z = smoothing(x)",
        "z = smoothing(x, y)",
        "z = smoothing(x, 2 * m)",
        "z = smoothing(x, 1, 2)",
        "x, x := 1, 2 when hit",
        "z = x when every(y) & every()",
    ])), @r#"
        error[N008]: `low` is a range, but a number is needed
         --> table.ron:8:18
          |
        5 |     ranges: ["low: x < 1"],
          |               --- a range, declared here
        ...
        8 |         "x = 2 * low + y when z",
          |                  ^^^ a number is needed here
          |
          = help: a condition selects rows: write `when low` behind one

        error[N009]: `z` is a real, but a condition is needed
         --> table.ron:8:31
          |
        3 |     reals: {"x": 1, "y": 2, "z": 3, "v": 4},
          |                              - a real, declared here
        ...
        8 |         "x = 2 * low + y when z",
          |                               ^ a condition is needed here
          |
          = help: compare it with something, as in `z > 0`

        error[N008]: a condition stands where a number is needed
         --> table.ron:9:18
          |
        9 |         "y = sin(x < 1)",
          |                  ^^^^^ a number is needed here
          |
          = help: give the condition a name as a situation, or count with `number(.. for ..)` how many hold

        error[N009]: `x` is a real, but a condition is needed
          --> table.ron:10:22
           |
         3 |     reals: {"x": 1, "y": 2, "z": 3, "v": 4},
           |              - a real, declared here
        ...
        10 |         "z = counter(x)",
           |                      ^ a condition is needed here
           |
           = help: compare it with something, as in `x > 0`

        error[N009]: a number stands where a condition is needed
          --> table.ron:11:22
           |
        11 |         "v = counter(x + 1)",
           |                      ^^^^^ a condition is needed here
           |
           = help: write a name of a range, situation or switch, or a comparison

        error[N010]: the constant `m` is written
          --> table.ron:12:10
           |
         2 |     constants: {"m": 2, "g": 9.81, "K": 8000},
           |                  - a constant here
        ...
        12 |         "m = 3 * x",
           |          ^ written here
           |
        help: move it to `reals`
           |
         2 ~     constants: {"g": 9.81, "K": 8000},
         3 ~     reals: {"x": 1, "y": 2, "z": 3, "v": 4, "m": 2},
           |

        error[N011]: `on` is a switch; a relation writes reals only
          --> table.ron:14:10
           |
         4 |     switches: {"on": true},
           |                 -- a switch, declared here
        ...
        14 |         "on = 1",
           |          ^^ a real is needed here
           |
           = help: a switch is set by an assignment: `when condition: on`

        error[N011]: `hit` is a situation; a relation writes reals only
          --> table.ron:15:10
           |
         6 |     situations: ["event hit: x > 2"],
           |                         --- a situation, declared here
        ...
        15 |         "hit = x",
           |          ^^^ a real is needed here

        error[N014]: `integral` has a memory and cannot run at an event
          --> table.ron:16:14
           |
        16 |         "x = integral(y) when hit",
           |              ^^^^^^^^^^^      --- true for an instant only
           |              |
           |              works through time
           |
           = help: use a situation that lasts

        error[N015]: `integral` has a memory and cannot stand inside an expression
          --> table.ron:17:18
           |
        17 |         "y = 2 * integral(x)",
           |                  ^^^^^^^^ must stand outermost in its row
           |
           = help: write a coefficient inside, `integral(2 * a)`, or give the integral a row and a name of its own

        error[N015]: `smoothing` has a memory and cannot stand inside an expression
          --> table.ron:18:15
           |
        18 |         "v = -smoothing(x, 2)",
           |               ^^^^^^^^^ must stand outermost in its row
           |
           = help: give it a row and a name of its own

        error[N013]: `:=` works at an event only
          --> table.ron:19:12
           |
        19 |         "x := 2",
           |            ^^
           |
        help: write `=`, or name an event in the condition, such as the situation `event hit: h < 0`
           |
        19 -         "x := 2",
        19 +         "x = 2",
           |

        error[N013]: `:=` works at an event only
          --> table.ron:20:12
           |
        20 |         "x := 2 when on & !hit",
           |            ^^        --------- no event
           |
        help: write `=`, or name an event in the condition, such as the situation `event hit: h < 0`
           |
        20 -         "x := 2 when on & !hit",
        20 +         "x = 2 when on & !hit",
           |

        error[N006]: `x` is a real, not a procedure
          --> table.ron:21:14
           |
        21 |         "z = x(3)",
           |              ^ called here
           |
        help: if a product is meant, write `*`
           |
        21 |         "z = x *(3)",
           |                +

        error[N006]: unknown procedure `sinus`
          --> table.ron:22:14
           |
        22 |         "z = sinus(x)",
           |              ^^^^^ no procedure of this name
           |
        help: did you mean `sin`?
           |
        22 -         "z = sinus(x)",
        22 +         "z = sin(x)",
           |

        error[N007]: `clamp` takes 3 arguments, 1 given
          --> table.ron:23:14
           |
        23 |         "z = clamp(x)",
           |              ^^^^^
           |
           = help: write `clamp(a, low, high)`

        error[N021]: `smoothing` needs its `T`
          --> table.ron:25:14
           |
        25 |         "z = smoothing(x)",
           |              ^^^^^^^^^
           |
           = help: write `smoothing(a, T)`; in columns, `T` is the coefficient `coef`

        error[N020]: `T` of `smoothing` must be a number or a constant; `y` is a real
          --> table.ron:26:27
           |
        26 |         "z = smoothing(x, y)",
           |                           ^
           |
          ::: table.ron:3:22
           |
         3 |     reals: {"x": 1, "y": 2, "z": 3, "v": 4},
           |                      - a real, declared here

        error[N020]: `T` of `smoothing` must be a number or the name of a constant, with or without a sign
          --> table.ron:27:27
           |
        27 |         "z = smoothing(x, 2 * m)",
           |                           ^^^^^
           |
           = help: give the expression a name in `constants`

        error[N007]: `smoothing` takes 2 arguments, 3 given
          --> table.ron:28:14
           |
        28 |         "z = smoothing(x, 1, 2)",
           |              ^^^^^^^^^
           |
           = help: write `smoothing(a, T)`

        error[N024]: `x` is written twice by one row
          --> table.ron:29:13
           |
        29 |         "x, x := 1, 2 when hit",
           |          -  ^
           |          |
           |          the first
           |
           = help: leave one

        error[N022]: `y` is not known before the run
          --> table.ron:30:27
           |
        30 |         "z = x when every(y) & every()",
           |                           ^ changes during the run
           |
          ::: table.ron:3:22
           |
         3 |     reals: {"x": 1, "y": 2, "z": 3, "v": 4},
           |                      - a real here
           |
           = help: only numbers and constants may stand here

        error[N007]: `every` takes 1 to 2 arguments, 0 given
          --> table.ron:30:32
           |
        30 |         "z = x when every(y) & every()",
           |                                ^^^^^^^
           |
           = help: write `every(period)` or `every(period, first)`
        "#);
}

#[test]
fn rows_in_an_impossible_order() {
    assert_snapshot!(reports(r#"(format: 1,
    reals: {"x": 0, "F": 0},
    switches: {"on": true},
    ranges: ["low: x < 1", "low: x > 3", "b: x > 4"],
    situations: [
        "a: b & c",
        "c: !low",
        "event c: on",
        "d: d & on",
        "b: on & low",
        "e: d",
    ],
    assignments: ["when d: on, x, !e", "when !d: on, !on"],
    relations: [
        "x = integral(1)",
        "F = 1 otherwise",
        "F = 2 otherwise",
    ],
)"#), @r#"
        error[N002]: the name `low` is used twice
         --> table.ron:4:29
          |
        4 |     ranges: ["low: x < 1", "low: x > 3", "b: x > 4"],
          |               ---           ^^^ a range here
          |               |
          |               a range here
          |
          = help: a range has one row: for one name true in several cases, name each range and write a situation with a row for each case

        error[N017]: `c` is used above the row that defines it
         --> table.ron:6:17
          |
        6 |         "a: b & c",
          |                 ^ not computed yet
        7 |         "c: !low",
        8 |         "event c: on",
          |          ----------- computed here
          |
          = help: move this row below all rows of that name

        error[N016]: `c` has rows with and without `event`
         --> table.ron:8:16
          |
        7 |         "c: !low",
          |          - a level here
        8 |         "event c: on",
          |                ^ an event here
          |
          = help: use two names, or write all rows alike

        error[N017]: `d` is defined by itself
         --> table.ron:9:13
          |
        9 |         "d: d & on",
          |             ^
          |
          = help: what has to be remembered is a switch, set by assignments

        error[N002]: the name `b` is used twice
          --> table.ron:10:10
           |
         4 |     ranges: ["low: x < 1", "low: x > 3", "b: x > 4"],
           |                                           - a range here
        ...
        10 |         "b: on & low",
           |          ^ a situation here
           |
           = help: a range has one row: for one name true in several cases, name each range and write a situation with a row for each case

        error[N012]: `x` is a real; an assignment sets switches only
          --> table.ron:13:32
           |
         2 |     reals: {"x": 0, "F": 0},
           |              - a real, declared here
        ...
        13 |     assignments: ["when d: on, x, !e", "when !d: on, !on"],
           |                                ^ a switch is needed here

        error[N012]: `e` is a situation; an assignment sets switches only
          --> table.ron:13:36
           |
        11 |         "e: d",
           |          - a situation, declared here
        12 |     ],
        13 |     assignments: ["when d: on, x, !e", "when !d: on, !on"],
           |                                    ^ a switch is needed here

        error[N024]: `on` is written twice by one row
          --> table.ron:13:55
           |
        13 |     assignments: ["when d: on, x, !e", "when !d: on, !on"],
           |                                                  --   ^^
           |                                                  |
           |                                                  the first
           |
           = help: leave one

        error[N018]: `F` has two rows with `otherwise`
          --> table.ron:17:16
           |
        16 |         "F = 1 otherwise",
           |                --------- the first
        17 |         "F = 2 otherwise",
           |                ^^^^^^^^^
           |
           = help: leave one
        "#);
}
