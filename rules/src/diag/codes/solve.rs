//! Codes of rows that are solved, and of constraints. See `diag::codes`.

use super::CodePage;

pub(super) static PAGES: &[CodePage] = &[
    CodePage {
        code: "N070",
        bad: r#"(
    format: 1,
    constants: {"c": 0.1},
    reals: {"x": 2, "drag": 0},
    relations: [
        "solve rate(x): rate(x) + c * rate(x)^3 + x = 0",
        "drag = 2 * rate(x)",
    ],
)"#,
        repaired: r#"(
    format: 1,
    constants: {"c": 0.1},
    reals: {"x": 2, "v": 0, "drag": 0},
    relations: [
        "solve v: v + c * v^3 + x = 0",
        "x = integral(v)",
        "drag = 2 * v",
    ],
)"#,
        base: None,
    },
    CodePage {
        code: "N071",
        bad: r#"(
    format: 1,
    constants: {"R1": 1, "R2": 2, "U": 5},
    reals: {"i": 0},
    relations: ["solve i: R1 * i = U", "solve i: R2 * i = U"],
)"#,
        repaired: r#"(
    format: 1,
    constants: {"R1": 1, "R2": 2, "U": 5},
    reals: {"i1": 0, "i2": 0},
    relations: ["solve i1: R1 * i1 = U", "solve i2: R2 * i2 = U"],
)"#,
        base: None,
    },
    CodePage {
        code: "N072",
        bad: r#"(
    format: 1,
    constants: {"R": 100, "U": 5},
    reals: {"u": 0, "i": 0},
    relations: ["solve i: R * u = U"],
)"#,
        repaired: r#"(
    format: 1,
    constants: {"R": 100, "U": 5},
    reals: {"u": 0, "i": 0},
    relations: ["u = R * i", "solve i: u = U"],
)"#,
        base: None,
    },
    CodePage {
        code: "P030",
        bad: r#"(
    format: 1,
    constants: {"R": 100, "U": 5},
    reals: {"u": 0, "i": 0},
    relations: ["solve i, u: u = R * i"],
)"#,
        repaired: r#"(
    format: 1,
    constants: {"R": 100, "U": 5},
    reals: {"u": 0, "i": 0},
    relations: ["solve i, u: u = R * i, u + 2 * R * i = U"],
)"#,
        base: None,
    },
    CodePage {
        code: "R012",
        bad: r#"(
    format: 1,
    clock: (stepping: events, stop: 3),
    reals: {"x": 1, "y": 1},
    relations: ["x = integral(-1)", "solve y: y^2 = x"],
)"#,
        repaired: r#"(
    format: 1,
    clock: (stepping: events, stop: 3),
    reals: {"x": 1, "y": 1},
    ranges: ["near: x < 0.01"],
    relations: ["x = integral(-1)", "solve y: y^2 = x when !near", "y = 0 when near"],
)"#,
        base: None,
    },
    CodePage {
        code: "C064",
        bad: r#"(
    format: 1,
    constants: {"m": 2.0},
    reals: {"v": 1.0, "F": 0.0},
    relations: [
        "solve F: v = 1 + time",
        "v = integral(F / m)",
    ],
)"#,
        repaired: r#"(
    format: 1,
    constants: {"m": 2.0},
    reals: {"v": 1.0, "F": 0.0},
    relations: [
        "solve F: F / m = 1",
        "v = integral(F / m)",
    ],
)"#,
        base: None,
    },
    CodePage {
        code: "N073",
        bad: r#"(
    format: 1,
    constants: {"L": 1, "g": 9.81},
    reals: {"lam": 0, "x": 1, "y": 0, "vx": 0, "vy": 0, "F": 0},
    ranges: ["low: y < 0.5"],
    relations: [
        "solve lam: x^2 + y^2 = L^2",
        "F = lam / L when low",
        "vx = integral(-F * x)",
        "vy = integral(-F * y - g)",
        "x = integral(vx)",
        "y = integral(vy)",
    ],
)"#,
        repaired: r#"(
    format: 1,
    constants: {"L": 1, "g": 9.81},
    reals: {"lam": 0, "x": 1, "y": 0, "vx": 0, "vy": 0, "F": 0},
    relations: [
        "solve lam: x^2 + y^2 = L^2",
        "F = lam / L",
        "vx = integral(-F * x)",
        "vy = integral(-F * y - g)",
        "x = integral(vx)",
        "y = integral(vy)",
    ],
)"#,
        base: None,
    },
    CodePage {
        code: "N074",
        bad: r#"(
    format: 1,
    reals: {"T": "steady", "hot": "T + 5", "loss": 0},
    relations: ["loss = 0.1 * (T - 20)", "T = integral(1 - loss)", "hot = integral(T - hot)"],
)"#,
        repaired: r#"(
    format: 1,
    reals: {"T": "steady", "hot": "steady", "loss": 0},
    relations: ["loss = 0.1 * (T - 20)", "T = integral(1 - loss)", "hot = integral(T - hot)"],
)"#,
        base: None,
    },
    CodePage {
        code: "R014",
        bad: r#"(
    format: 1,
    clock: (stepping: events, stop: 3),
    constants: {"L": 1, "g": 9.81},
    reals: {"lam": 0, "x": 0.6, "y": -0.7, "vx": 0, "vy": 0},
    relations: [
        "solve lam: x^2 + y^2 = L^2",
        "vx = integral(-lam * x)",
        "vy = integral(-lam * y - g)",
        "x = integral(vx)",
        "y = integral(vy)",
    ],
)"#,
        repaired: r#"(
    format: 1,
    clock: (stepping: events, stop: 3),
    constants: {"L": 1, "g": 9.81},
    reals: {"lam": 0, "x": 0.6, "y": "-sqrt(L^2 - x^2)", "vx": 0, "vy": 0},
    relations: [
        "solve lam: x^2 + y^2 = L^2",
        "vx = integral(-lam * x)",
        "vy = integral(-lam * y - g)",
        "x = integral(vx)",
        "y = integral(vy)",
    ],
)"#,
        base: None,
    },
    CodePage {
        code: "R015",
        bad: r#"(
    format: 1,
    clock: (stepping: events, stop: 10),
    reals: {"level": "steady"},
    relations: ["level = integral(2)"],
)"#,
        repaired: r#"(
    format: 1,
    clock: (stepping: events, stop: 10),
    reals: {"level": "steady"},
    relations: ["level = integral(2 - 0.5 * level)"],
)"#,
        base: None,
    },
];
