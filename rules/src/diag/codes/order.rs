//! Pages of family C: findings on rows that read what other rows compute.

use super::CodePage;

pub(super) const PAGES: &[CodePage] = &[
    CodePage {
        code: "C050",
        title: "rows need each other's results in one tick",
        what: "Following the values from row to row leads back to the first row without passing \
               an integral, or another procedure with memory.",
        why: "A tick run breaks the circle where a row reads a value from above the row that \
              writes it: that one is a tick old. The tick run then iterates once a tick; if the \
              loop amplifies, it runs away, and a smaller step does not help.",
        bad: r#"(
    format: 1,
    reals: {"F": 0.0, "x": 0.0, "v": 1.0},
    relations: [
        "F = -4 * x",
        "x = v - 0.1 * F",
        "v = integral(F)",
    ],
)"#,
        repaired: r#"(
    format: 1,
    reals: {"F": 0.0, "x": 0.0, "v": 1.0},
    relations: [
        "x = v / (1 - 0.4)",
        "F = -4 * x",
        "v = integral(F)",
    ],
)"#,
        base: None,
    },
    CodePage {
        code: "C051",
        title: "a value is read above the row that computes it",
        what: "A row reads a real above the row that computes it, and what that is computed from \
               has changed since. So the row gets the value of the tick before.",
        why: "Rows are scanned from above. The value lags by one tick, which costs accuracy and \
              can cost stability; often the rows only stand in the wrong order.",
        bad: r#"(
    format: 1,
    reals: {"v": 1.0, "F": 0.0, "a": 0.0},
    relations: [
        "v = integral(a)",
        "a = 0.5 * F",
        "F = -4 * v",
    ],
)"#,
        repaired: r#"(
    format: 1,
    reals: {"v": 1.0, "F": 0.0, "a": 0.0},
    relations: [
        "v = integral(a)",
        "F = -4 * v",
        "a = 0.5 * F",
    ],
)"#,
        base: None,
    },
    CodePage {
        code: "C052",
        title: "a row changes its own value again in every tick",
        what: "A row reads its own target, and no row above it has computed the value in the same \
               tick. So it works on its own result of the tick before.",
        why: "The value grows or shrinks with the number of ticks instead of with time, and a run \
              with another step gives another result. The event-accurate run refuses such a row.",
        bad: r#"(
    format: 1,
    reals: {"h": 5.0, "v": 0.0},
    ranges: ["floor: h < 0"],
    relations: [
        "v = integral(-9.81)",
        "v = -0.8 * v when floor",
        "h = integral(v)",
    ],
)"#,
        repaired: r#"(
    format: 1,
    reals: {"h": 5.0, "v": 0.0},
    ranges: ["floor: h < 0"],
    situations: ["event hit: floor"],
    relations: [
        "v = integral(-9.81)",
        "v := -0.8 * v when hit",
        "h = integral(v)",
    ],
)"#,
        base: None,
    },
    CodePage {
        code: "C053",
        title: "a range may depend on its own effect",
        what: "A row that acts while a range holds computes a real, and what the range looks at follows from that real in the same instant. \
               So the range may ask for the opposite of what it is.",
        why: "Where neither truth fits, ticks alternate between both. The event-accurate run slides: the range counts with the share at which \
              its two sides are equal, and may drive no event and no assignment there.",
        bad: r#"(
    format: 1,
    reals: {"x": 0.0, "a": 0.0, "w": 0.0},
    ranges: ["high: a > 1"],
    relations: [
        "x = integral(1)",
        "a = x when !high",
        "a = x - 0.5 when high",
        "w = integral(a)",
    ],
)"#,
        repaired: r#"(
    format: 1,
    reals: {"x": 0.0, "a": 0.0, "w": 0.0},
    ranges: ["high: x > 1"],
    relations: [
        "x = integral(1)",
        "a = x when !high",
        "a = x - 0.5 when high",
        "w = integral(a)",
    ],
)"#,
        base: None,
    },
    CodePage {
        code: "C054",
        title: "a range sees a jump one microstep late",
        what: "A row reads a value above the row that makes it jump, at an event or by its own condition, and a range \
               looks at what the reading row computes.",
        why: "At an instant rows go in written order, as in a tick, so that the row above still gives what follows \
              from the value before. The range turns in the next microstep, in ticks in the next tick: events that \
              arise together may come in another order than meant.",
        bad: r#"(
    format: 1,
    reals: {"x": 0.0, "load": 0.0, "n": 0.0},
    ranges: ["full: x >= 1", "heavy: load > 4"],
    situations: ["event filled: full", "event warned: heavy"],
    relations: [
        "load = 2 * x",
        "x = integral(1)",
        "x := 3 when filled",
        "n := n + 1 when warned",
    ],
)"#,
        repaired: r#"(
    format: 1,
    reals: {"x": 0.0, "load": 0.0, "n": 0.0},
    ranges: ["full: x >= 1", "heavy: load > 4"],
    situations: ["event filled: full", "event warned: heavy"],
    relations: [
        "x = integral(1)",
        "x := 3 when filled",
        "load = 2 * x",
        "n := n + 1 when warned",
    ],
)"#,
        base: None,
    },
];
