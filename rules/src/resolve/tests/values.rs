//! Values of starts, settings and cases.

use insta::assert_snapshot;

use super::reports;

#[test]
fn values() {
    assert_snapshot!(reports(r#"(
    constants: {"k": "2 * time", "R": "h + 1", "c": (unit: "m")},
    reals: {"h": "R - d", "d": "R - h", "e": "e", "f": "on + 1"},
    switches: {"on": true},
    situations: ["a: h < 1"],
    relations: ["h = integral(k * c)", "d = e", "f = 2 when every(0) & a & on"],
    cases: {
        "first": (set: {"k": "h", "on": 2, "R": true, "a": true, "q": 1}, clock: (stop_when: "h")),
    },
)"#), @r#"
        error[N036]: the table does not say its `format`
         --> table.ron:1:1
          |
        1 | (
          | ^
          |
        help: this version reads format 1
          |
        1 | (format: 1, 
          |  ++++++++++

        error[N022]: `time` is not known before the run
         --> table.ron:2:27
          |
        2 |     constants: {"k": "2 * time", "R": "h + 1", "c": (unit: "m")},
          |                           ^^^^ changes during the run
          |
          = help: a start value may use numbers, constants and other start values

        error[N027]: the constant `c` has no value
         --> table.ron:2:49
          |
        2 |     constants: {"k": "2 * time", "R": "h + 1", "c": (unit: "m")},
          |                                                 ^
          |
          = help: give it a `start`

        error[N025]: the start value of `h` needs itself
         --> table.ron:3:14
          |
        3 |     reals: {"h": "R - d", "d": "R - h", "e": "e", "f": "on + 1"},
          |              ^             - so does `d`
          |
          = note: the circle: h -> d -> h
          = help: give one of them a number

        error[N025]: the start value of `e` needs itself
         --> table.ron:3:42
          |
        3 |     reals: {"h": "R - d", "d": "R - h", "e": "e", "f": "on + 1"},
          |                                          ^
          |
          = help: give it a number

        error[N008]: `on` is a switch, but a number is needed
         --> table.ron:3:57
          |
        3 |     reals: {"h": "R - d", "d": "R - h", "e": "e", "f": "on + 1"},
          |                                                         ^^ a number is needed here
        4 |     switches: {"on": true},
          |                 -- a switch, declared here
          |
          = help: a condition selects rows: write `when on` behind one

        error[N035]: the period of `every` must be above zero, but is 0
         --> table.ron:6:67
          |
        6 |     relations: ["h = integral(k * c)", "d = e", "f = 2 when every(0) & a & on"],
          |                                                                   ^

        error[N026]: `on` is a switch and starts as `true` or `false`
         --> table.ron:8:41
          |
        4 |     switches: {"on": true},
          |                 -- a switch, declared here
        ...
        8 |         "first": (set: {"k": "h", "on": 2, "R": true, "a": true, "q": 1}, clock: (stop_when: "h")),
          |                                         ^
          |
          = help: 0 and 1 stand for them too

        error[N026]: `R` is a constant and starts as a number
         --> table.ron:8:49
          |
        2 |     constants: {"k": "2 * time", "R": "h + 1", "c": (unit: "m")},
          |                                   - a constant, declared here
        ...
        8 |         "first": (set: {"k": "h", "on": 2, "R": true, "a": true, "q": 1}, clock: (stop_when: "h")),
          |                                                 ^^^^

        error[N026]: `a` is a situation, which is computed and cannot be set
         --> table.ron:8:56
          |
        5 |     situations: ["a: h < 1"],
          |                   - a situation, declared here
        ...
        8 |         "first": (set: {"k": "h", "on": 2, "R": true, "a": true, "q": 1}, clock: (stop_when: "h")),
          |                                                        ^
          |
          = help: constants, reals and switches can be set

        error[N001]: unknown name `q`
         --> table.ron:8:67
          |
        8 |         "first": (set: {"k": "h", "on": 2, "R": true, "a": true, "q": 1}, clock: (stop_when: "h")),
          |                                                                   ^ there is nothing of this name to set

        error[N009]: `h` is a real, but a condition is needed
         --> table.ron:8:95
          |
        3 |     reals: {"h": "R - d", "d": "R - h", "e": "e", "f": "on + 1"},
          |              - a real, declared here
        ...
        8 |         "first": (set: {"k": "h", "on": 2, "R": true, "a": true, "q": 1}, clock: (stop_when: "h")),
          |                                                                                               ^ a condition is needed here
          |
          = help: compare it with something, as in `h > 0`
        "#);
}

#[test]
fn circles_that_a_case_makes() {
    assert_snapshot!(reports(r#"(format: 1,
    constants: {"k": 2, "c": "k + 1"},
    reals: {"h": "2 * c"},
    relations: ["h = integral(k)"],
    cases: {"small": (set: {"k": "h / 2"}), "large": (set: {"k": "2 * 3"})},
)"#), @r#"
        error[N025]: the start value of `k` needs itself
         --> table.ron:2:18
          |
        2 |     constants: {"k": 2, "c": "k + 1"},
          |                  ^       - so does `c`
        3 |     reals: {"h": "2 * c"},
          |              - so does `h`
          |
          = note: the circle: k -> h -> c -> k
          = note: in the case `small`
          = help: give one of them a number
        "#);
}
