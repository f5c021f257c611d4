//! Pages of family R: a run that failed or took a remarkable turn.

use super::CodePage;

pub(super) const PAGES: &[CodePage] = &[
    CodePage {
        code: "R001",
        title: "a value is infinite or no number",
        what: "A row gave a value that is infinite or no number: it divided by zero, took the root or \
           logarithm of a negative number, or grew beyond the largest number. The report says in \
           which tick, and what the row read.",
        why: "Everything computed from such a value is lost, so that the run ends before the tick that \
          failed; the rows up to there are kept. If the values grow without bound shortly before, a \
          shorter `step` may be the cure.",
        bad: r#"(format: 1,
    clock: (step: 0.125, stop: 2),
    reals: {"level": 1, "outflow": 0},
    relations: [
        "[1] outflow = sqrt(level)",
        "[2] level = integral(-outflow)",
    ],
)"#,
        repaired: r#"(format: 1,
    clock: (step: 0.125, stop: 2),
    reals: {"level": 1, "outflow": 0},
    ranges: ["full: level > 0"],
    relations: [
        "[1] outflow = sqrt(level) when full",
        "[1a] outflow = 0 otherwise",
        "[2] level = integral(-outflow)",
    ],
)"#,
        base: None,
    },
    CodePage {
        code: "R002",
        title: "a run cannot start",
        what: "A start value is infinite or no number, a period of `every` is not above zero, or a delay is \
           negative or too long to be kept, once the constants are put in.",
        why: "The values come from constants, which cases and `--set` can change, so that this shows only \
          when a run begins.",
        bad: r#"(format: 1,
    clock: (step: 0.1, stop: 2),
    constants: {"rate": 0},
    reals: {"n": 0},
    relations: ["n := n + 1 when every(1 / rate)"],
)"#,
        repaired: r#"(format: 1,
    clock: (step: 0.1, stop: 2),
    constants: {"rate": 2},
    reals: {"n": 0},
    relations: ["n := n + 1 when every(1 / rate)"],
)"#,
        base: None,
    },
    CodePage {
        code: "R003",
        title: "a delay is no whole number of ticks",
        what: "A tick run keeps the past tick by tick, so that a delay lasts a whole number of them. \
           The report says to what it is rounded.",
        why: "The trajectory is that of the rounded delay.",
        bad: r#"(
    format: 1,
    clock: (step: 0.1, stop: 1),
    reals: {"x": 0, "y": 0},
    relations: ["x = 2 * time", "y = delay(x, 0.25)"],
)"#,
        repaired: r#"(
    format: 1,
    clock: (step: 0.05, stop: 1),
    reals: {"x": 0, "y": 0},
    relations: ["x = 2 * time", "y = delay(x, 0.25)"],
)"#,
        base: None,
    },
];
