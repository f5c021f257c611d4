//! Pages of the reports on what a table expects of its runs.

use super::CodePage;

pub(super) const PAGES: &[CodePage] = &[
    CodePage {
        code: "X001",
        title: "a tolerance or a time that cannot stand there",
        what: "An expectation is a condition that holds throughout the run, or a measure with its value: `max(h) = 2 +- 1e-6`. A \
           tolerance belongs to a value that is to be met, not to a bound; the time of `at` is a number.",
        why: "What the run is checked for is not clear.",
        bad: r#"(
    format: 1,
    clock: (stepping: events, stop: 1),
    reals: {"h": 2, "v": 0},
    relations: ["v = integral(-9.81)", "h = integral(v)"],
    expect: ["max(h) <= 2 +- 1e-6"],
)"#,
        repaired: r#"(
    format: 1,
    clock: (stepping: events, stop: 1),
    reals: {"h": 2, "v": 0},
    relations: ["v = integral(-9.81)", "h = integral(v)"],
    expect: ["max(h) = 2 +- 1e-6"],
)"#,
        base: None,
    },
    CodePage {
        code: "X002",
        title: "a word that is no measure",
        what: "What an exercise asks to be predicted begins with no measure of a run.",
        why: "A measure is one number of a whole run: `final`, `min`, `max`, `drift` and `at` of a value, `first`, `duration`, \
              `count` and `period` of a condition.",
        bad: r#"(
    format: 1,
    clock: (stepping: events, stop: 1),
    reals: {"h": 2, "v": 0},
    relations: ["v = integral(-9.81)", "h = integral(v)"],
    lab: (predict: {"lowest": (measure: "minimum(h)")}),
)"#,
        repaired: r#"(
    format: 1,
    clock: (stepping: events, stop: 1),
    reals: {"h": 2, "v": 0},
    relations: ["v = integral(-9.81)", "h = integral(v)"],
    lab: (predict: {"lowest": (measure: "min(h)")}),
)"#,
        base: None,
    },
];
