//! Pages of family C: findings of the check.

use super::CodePage;

pub(super) const PAGES: &[CodePage] = &[
    CodePage {
        code: "C001",
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
        code: "C045",
        bad: r#"(
    format: 1,
    clock: (step: 0.1, stop: 20, stepping: events),
    reals: {"u": 0.0, "x": 0.0},
    relations: ["u = pulse(1, 5)", "x = integral(u - x)"],
)"#,
        repaired: r#"(
    format: 1,
    clock: (step: 0.1, stop: 20, stepping: events),
    reals: {"u": 0.0, "x": 0.0},
    relations: ["u = pulse(5, 1)", "x = integral(u - x)"],
)"#,
        base: None,
    },
    CodePage {
        code: "C090",
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
