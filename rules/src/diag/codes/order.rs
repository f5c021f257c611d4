//! Pages of family C: findings on rows that read what other rows compute.

use super::CodePage;

pub(super) const PAGES: &[CodePage] = &[
    CodePage {
        code: "C050",
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
