//! Codes of rows that are solved. See `diag::codes`.

use super::CodePage;

pub(super) static PAGES: &[CodePage] = &[
    CodePage {
        code: "N070",
        title: "a rate that is found nowhere, or not there",
        what: "`rate(x)` stands for what a row `solve rate(x): ..` finds. It has a meaning in rows that are solved, if one of \
               them solves for it.",
        why: "Elsewhere the rate of a real has a name only if it is given one: a real that is integrated. So each value has \
              one row that gives it.",
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
        title: "two rows solve for one real",
        what: "Both rows hold always and say what one real must be so that their equations hold.",
        why: "One number fulfils two equations by accident only. A second equation finds a second real.",
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
        title: "a real cannot be found from its equation",
        what: "The equation does not depend on the real that it should give, neither directly nor through the rows whose values \
               it reads; or it does, and is the only one from which another real can be found.",
        why: "Whatever the real were, the equation would hold or not hold all the same.",
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
        title: "unknowns, equations and bounds do not fit together",
        what: "A row `solve x, y: ..` finds as many reals as it has equations, which are separated by commas. Bounds, `from 0 to \
               10`, are given for one real.",
        why: "With fewer equations the values are not determined, with more of them they contradict each other.",
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
        title: "a row that is solved has no solution there",
        what: "From the last values on, no values of the targets were found for which the equations of the row hold. Between \
               bounds: the equation has one sign from one bound to the other.",
        why: "Where two solutions meet and vanish, the motion does not go on as the row says: a real device jumps to another \
              law. A range on the solved value, which arises before, may switch to another row.",
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
];
