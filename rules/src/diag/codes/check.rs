//! Pages of family C: findings of the check.

use super::CodePage;

pub(super) const PAGES: &[CodePage] = &[
    CodePage {
        code: "C001",
        title: "two rows can write one real at the same time",
        what: "Two rows replace the value of a real, and their conditions can hold together. \
               Neither condition is a special case of the other. The state named in the note is \
               one in which both rows act.",
        why: "The row that stands below wins, so that the result depends on the order of the rows \
              and not on anything that was said about the model.",
        bad: r#"(
    format: 1,
    reals: {"x": 0.0, "v": 1.0, "F": 0.0},
    ranges: ["near: x < 1", "slow: v < 2"],
    relations: [
        "F = 2 * x when near",
        "F = 3 * v when slow",
        "F = 0 otherwise",
        "v = integral(F)",
        "x = integral(v)",
    ],
)"#,
        repaired: r#"(
    format: 1,
    reals: {"x": 0.0, "v": 1.0, "F": 0.0},
    ranges: ["near: x < 1", "slow: v < 2"],
    relations: [
        "F = 2 * x when near",
        "F = 3 * v when slow & !near",
        "F = 0 otherwise",
        "v = integral(F)",
        "x = integral(v)",
    ],
)"#,
        base: None,
    },
    CodePage {
        code: "C002",
        title: "rows write one name in the same tick, and their order matters",
        what: "Several rows write one real (or assignments one switch) in the same tick, and it \
               looks meant: the lower one is the special case, works on the value the upper one \
               wrote, or holds an integral fast.",
        why: "Nothing is wrong. A row moved up or down changes the result, which is good to know \
              when the table is extended.",
        bad: r#"(
    format: 1,
    constants: {"m": 1.0, "k": 0.1},
    reals: {"P": 0.0, "v": 0.0},
    relations: [
        "P = -9.81 * m",
        "P = P - k * v",
        "v = integral(P)",
    ],
)"#,
        repaired: r#"(
    format: 1,
    constants: {"m": 1.0, "k": 0.1},
    reals: {"weight": 0.0, "P": 0.0, "v": 0.0},
    relations: [
        "weight = -9.81 * m",
        "P = weight - k * v",
        "v = integral(P)",
    ],
)"#,
        base: None,
    },
    CodePage {
        code: "C003",
        title: "assignments contradict each other",
        what: "One assignment sets a switch and another clears it, and both conditions can hold in \
               one tick; or the lower one holds only because of what the upper one has just \
               written, and takes it back.",
        why: "The assignment that stands below wins. Assignments are scanned from above and each \
              sees what those above it wrote, so that a toggle written as two rows toggles twice.",
        bad: r#"(
    format: 1,
    reals: {"T": 20.0},
    switches: {"heating": false},
    ranges: ["cool: T < 21", "warm: T > 19"],
    assignments: ["when cool: heating", "when warm: !heating"],
    relations: ["T = integral(1) when heating", "T = integral(-1) when !heating"],
)"#,
        repaired: r#"(
    format: 1,
    reals: {"T": 20.0},
    switches: {"heating": false},
    ranges: ["cool: T < 19", "warm: T > 21"],
    assignments: ["when cool: heating", "when warm: !heating"],
    relations: ["T = integral(1) when heating", "T = integral(-1) when !heating"],
)"#,
        base: None,
    },
    CodePage {
        code: "C010",
        title: "a value goes stale",
        what: "Every row of a real has a condition, and there is a state, named in the headline, \
               in which none of them holds although something reads the real there. It keeps the \
               value it had when a row last wrote it.",
        why: "The value is about a state that is gone: a force of contact that goes on acting in \
              flight. Integrals are left out, because they are meant to keep their values, and so \
              is what is written at events only.",
        bad: r#"(
    format: 1,
    constants: {"R": 30.0, "K": 8000.0},
    reals: {"F": 0.0, "v": 0.0, "h": 400.0},
    ranges: ["contact: h < R"],
    relations: [
        "F = K * (R - h) when contact",
        "v = integral(F - 981)",
        "h = integral(v)",
    ],
)"#,
        repaired: r#"(
    format: 1,
    constants: {"R": 30.0, "K": 8000.0},
    reals: {"F": 0.0, "v": 0.0, "h": 400.0},
    ranges: ["contact: h < R"],
    relations: [
        "F = K * (R - h) when contact",
        "F = 0 otherwise",
        "v = integral(F - 981)",
        "h = integral(v)",
    ],
)"#,
        base: None,
    },
    CodePage {
        code: "C020",
        title: "a condition can never hold",
        what: "No state satisfies the range, situation or condition: its parts exclude each other, \
               over their literals or over the intervals of their ranges. Constants count with \
               their present values, except in comparisons between constants.",
        why: "The rows that depend on it never act.",
        bad: r#"(
    format: 1,
    reals: {"h": 4.0, "v": 0.0},
    ranges: ["down: v < 0", "up: v > 0", "low: h < 1"],
    situations: ["turning: down & up & low"],
    relations: [
        "v = integral(-9.81) when !turning",
        "h = integral(v)",
    ],
)"#,
        repaired: r#"(
    format: 1,
    reals: {"h": 4.0, "v": 0.0},
    ranges: ["down: v < 0.1", "up: v > -0.1", "low: h < 1"],
    situations: ["turning: down & up & low"],
    relations: [
        "v = integral(-9.81) when !turning",
        "h = integral(v)",
    ],
)"#,
        base: None,
    },
    CodePage {
        code: "C021",
        title: "a condition always holds",
        what: "No state fails to satisfy the range, situation or condition.",
        why: "It can be left out, unless one of its borders is not what was meant.",
        bad: r#"(
    format: 1,
    reals: {"h": 4.0, "v": 0.0},
    ranges: ["down: v < 0", "up: v >= 0"],
    situations: ["moving: down", "moving: up"],
    relations: [
        "v = integral(-9.81) when moving",
        "h = integral(v)",
    ],
)"#,
        repaired: r#"(
    format: 1,
    reals: {"h": 4.0, "v": 0.0},
    ranges: ["down: v < 0", "up: v > 0"],
    situations: ["moving: down", "moving: up"],
    relations: [
        "v = integral(-9.81) when moving",
        "h = integral(v)",
    ],
)"#,
        base: None,
    },
    CodePage {
        code: "C030",
        title: "a row has no effect",
        what: "Whenever the row acts, a row below it writes the same real before anything reads \
               what the row wrote.",
        why: "Removing the row would change nothing; more likely the row below lacks a condition, \
              or was meant to work on the value (`x = x + ...`).",
        bad: r#"(
    format: 1,
    reals: {"F": 0.0, "v": 0.0},
    ranges: ["fast: v > 5"],
    relations: [
        "F = -2 * v when fast",
        "F = -1 * v",
        "v = integral(F)",
    ],
)"#,
        repaired: r#"(
    format: 1,
    reals: {"F": 0.0, "v": 0.0},
    ranges: ["fast: v > 5"],
    relations: [
        "F = -2 * v when fast",
        "F = -1 * v otherwise",
        "v = integral(F)",
    ],
)"#,
        base: None,
    },
    CodePage {
        code: "C031",
        title: "something is said twice",
        what: "A row repeats another one, a row of a situation holds only where other rows of it \
               hold anyway, or two ranges have the same comparisons.",
        why: "Mostly it is only longer than needed. A repeated integral, or a repeated row that \
              works on its own value, counts twice.",
        bad: r#"(
    format: 1,
    reals: {"v": 0.0, "h": 100.0},
    relations: [
        "v = integral(-9.81)",
        "h = integral(v)",
        "h = integral(v)",
    ],
)"#,
        repaired: r#"(
    format: 1,
    reals: {"v": 0.0, "h": 100.0},
    relations: [
        "v = integral(-9.81)",
        "h = integral(v)",
    ],
)"#,
        base: None,
    },
    CodePage {
        code: "C040",
        title: "a name is never used",
        what: "A constant, real or switch is declared, and no rule names it.",
        why: "Perhaps the rule that should use it is missing or names another one.",
        bad: r#"(
    format: 1,
    constants: {"g": 9.81, "m": 2.0},
    reals: {"v": 0.0},
    relations: ["v = integral(-g)"],
)"#,
        repaired: r#"(
    format: 1,
    constants: {"g": 9.81},
    reals: {"v": 0.0},
    relations: ["v = integral(-g)"],
)"#,
        base: None,
    },
    CodePage {
        code: "C041",
        title: "no rule writes a real",
        what: "A real is read, but no rule writes it, so that it keeps its start value.",
        why: "Either its row is missing, or it is a constant: then it can be changed by `--set`, by \
              cases and in sweeps, and stays out of the output.",
        bad: r#"(
    format: 1,
    reals: {"g": 9.81, "v": 0.0},
    relations: ["v = integral(-g)"],
)"#,
        repaired: r#"(
    format: 1,
    constants: {"g": 9.81},
    reals: {"v": 0.0},
    relations: ["v = integral(-g)"],
)"#,
        base: None,
    },
    CodePage {
        code: "C042",
        title: "a switch is latched for good",
        what: "Assignments only ever set a switch and never clear it, or the reverse. If it starts \
               with that value anyway, they change nothing.",
        why: "A switch keeps its value until a rule changes it, other than a situation, which ends \
              with its condition.",
        bad: r#"(
    format: 1,
    reals: {"T": 90.0},
    switches: {"alarm": false},
    ranges: ["hot: T > 100"],
    assignments: ["when hot: alarm"],
    relations: ["T = integral(1) when !alarm", "T = integral(-1) when alarm"],
)"#,
        repaired: r#"(
    format: 1,
    reals: {"T": 90.0},
    switches: {"alarm": false},
    ranges: ["hot: T > 100", "cold: T < 80"],
    assignments: ["when hot: alarm", "when cold: !alarm"],
    relations: ["T = integral(1) when !alarm", "T = integral(-1) when alarm"],
)"#,
        base: None,
    },
    CodePage {
        code: "C043",
        title: "no rule reads a condition",
        what: "A range, situation, event or switch is defined or written, and no condition names it.",
        why: "It still stands in the output, where it may be all that is wanted.",
        bad: r#"(
    format: 1,
    reals: {"h": 5.0, "v": 0.0},
    ranges: ["floor: h <= 0"],
    relations: ["v = integral(-9.81)", "h = integral(v)"],
)"#,
        repaired: r#"(
    format: 1,
    reals: {"h": 5.0, "v": 0.0},
    ranges: ["floor: h <= 0"],
    situations: ["event hit: floor"],
    relations: ["v = integral(-9.81)", "h = integral(v)", "v := -0.8 * v when hit"],
)"#,
        base: None,
    },
    CodePage {
        code: "C044",
        title: "a setting of the clock has no effect",
        what: "The clock has a `step_formula`, but the run is event-accurate and its method chooses its steps itself.",
        why: "Only ticks, and methods with fixed steps, read the formula. Whoever wrote it expects steps that the run does not take.",
        bad: r#"(
    format: 1,
    clock: (stepping: events, stop: 2, step_formula: "0.01 * h"),
    reals: {"h": 1.0},
    relations: ["h = integral(-0.5 * h)"],
)"#,
        repaired: r#"(
    format: 1,
    clock: (stepping: events, stop: 2, method: rk4, step: 0.01, step_formula: "0.01 * h"),
    reals: {"h": 1.0},
    relations: ["h = integral(-0.5 * h)"],
)"#,
        base: None,
    },
    CodePage {
        code: "C090",
        title: "the check left questions open",
        what: "Some questions about conditions would have taken long and were given up; the notes \
               say which. Or the table is so large that the brief check before a run did not look \
               at it.",
        why: "The check must not keep a run waiting. `situ check` takes more time than the check \
              before a run, `situ check --thorough` as much as it needs. Conditions over fewer \
              names, or situations with fewer rows, make the questions easier.",
        bad: r#"(
    format: 1,
    reals: {"x": 4.0, "v": 0.0, "F": 0.0},
    ranges: ["near: x < 1", "slow: v < 2"],
    relations: [
        "F = -2 * x when near & slow",
        "F = -1 * x otherwise",
        "v = integral(F)",
        "x = integral(v)",
    ],
)"#,
        repaired: r#"(
    format: 1,
    reals: {"x": 4.0, "v": 0.0, "F": 0.0},
    relations: [
        "F = -1 * x",
        "v = integral(F)",
        "x = integral(v)",
    ],
)"#,
        base: None,
    },
];
