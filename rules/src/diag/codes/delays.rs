//! Pages of codes about delays and what was before the start.

use super::CodePage;

pub(super) const PAGES: &[CodePage] = &[
    CodePage {
        code: "N080",
        title: "the past of a real reads another real",
        what: "`before` says what a real was before the start, and reads a real.",
        why: "Before the start nothing was computed: reals have the values there that their own `before` gives, at any time. \
          It may use `time`, constants and lookups.",
        bad: r#"(format: 1,
    reals: {"x": 1, "late": 0, "y": (start: 1, before: "x * exp(time)")},
    relations: ["late = delay(y, 1)", "x = integral(-x)", "y = integral(-late)"],
)"#,
        repaired: r#"(format: 1,
    reals: {"x": 1, "late": 0, "y": (start: 1, before: "exp(time)")},
    relations: ["late = delay(y, 1)", "x = integral(-x)", "y = integral(-late)"],
)"#,
        base: None,
    },
    CodePage {
        code: "N081",
        title: "the rate of a real some time ago",
        what: "A delay takes in `rate(x)`.",
        why: "Equations whose rates depend on rates of the past, of neutral type, carry every jump of a rate on for ever, and \
              are not supported as such. A rate that has a row of its own is a real like any other and may be delayed.",
        bad: r#"(format: 1,
    reals: {"x": 1, "late": 0},
    relations: ["late = delay(rate(x), 1)", "x = integral(-late)"],
)"#,
        repaired: r#"(format: 1,
    reals: {"x": 1, "v": -1, "late": -1},
    relations: ["late = delay(v, 1)", "v = -0.5 * late - x", "x = integral(v)"],
)"#,
        base: None,
    },
    CodePage {
        code: "R013",
        title: "a delay below zero",
        what: "The length of a delay is an expression, and has come below zero.",
        why: "The row would read the future. At zero it reads the present.",
        bad: r#"(
    format: 1,
    clock: (stepping: events, stop: 3),
    reals: {"late": 0, "x": 0},
    relations: ["late = delay(x, 1 - time)", "x = integral(1)"],
)"#,
        repaired: r#"(
    format: 1,
    clock: (stepping: events, stop: 3),
    reals: {"late": 0, "x": 0},
    relations: ["late = delay(x, max(0, 1 - time))", "x = integral(1)"],
)"#,
        base: None,
    },
];
