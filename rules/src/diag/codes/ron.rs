//! Pages of family P: the RON of a table, its fields and their values.

use super::CodePage;

pub(super) const PAGES: &[CodePage] = &[
    CodePage {
        code: "P001",
        bad: r#"(
    format: 1,
    constants: {"g": 9.81},
    reals: {"v": 0.0, "h": 10.0,
    relations: [
        "v = integral(-g)",
        "h = integral(v)",
    ],
)
"#,
        repaired: r#"(
    format: 1,
    constants: {"g": 9.81},
    reals: {"v": 0.0, "h": 10.0},
    relations: [
        "v = integral(-g)",
        "h = integral(v)",
    ],
)
"#,
        base: None,
    },
    CodePage {
        code: "P002",
        bad: r#"(
    format: 1,
    reals: {"x": 0.0},
    relations: ["x = ----------------------------------------------------------------------------------------------------------------------------------1"],
)
"#,
        repaired: r#"(
    format: 1,
    reals: {"x": 0.0},
    relations: ["x = 1"],
)
"#,
        base: None,
    },
    CodePage {
        code: "P003",
        bad: r#"(
    format: 1,
    constants: {"g": 9.81},
    reals: {"v": 0.0},
    relations: [
        (id: "1", real: "v", proceedure: "integral", args: ["g"]),
    ],
)
"#,
        repaired: r#"(
    format: 1,
    constants: {"g": 9.81},
    reals: {"v": 0.0},
    relations: [
        (id: "1", real: "v", procedure: "integral", args: ["g"]),
    ],
)
"#,
        base: None,
    },
    CodePage {
        code: "P004",
        bad: r#"(
    format: 1,
    constants: {"g": 9.81},
    reals: {"v": 0.0, "v": 1.0, "h": 10.0},
    relations: [
        "v = integral(-g)",
        "h = integral(v)",
    ],
)
"#,
        repaired: r#"(
    format: 1,
    constants: {"g": 9.81},
    reals: {"v": 0.0, "h": 10.0},
    relations: [
        "v = integral(-g)",
        "h = integral(v)",
    ],
)
"#,
        base: None,
    },
    CodePage {
        code: "P005",
        bad: r#"(
    format: 1,
    constants: {"g": 9.81},
    reals: {"v": 0.0},
    relations: [
        (id: "1", real: "v", procedure: "integral", args: "g"),
    ],
)
"#,
        repaired: r#"(
    format: 1,
    constants: {"g": 9.81},
    reals: {"v": 0.0},
    relations: [
        (id: "1", real: "v", procedure: "integral", args: ["g"]),
    ],
)
"#,
        base: None,
    },
    CodePage {
        code: "P006",
        bad: r#"(
    format: 1,
    constants: {"g": 9.81},
    reals: {"v": 0.0},
    relations: [
        (id: "1", procedure: "integral", args: ["g"]),
    ],
)
"#,
        repaired: r#"(
    format: 1,
    constants: {"g": 9.81},
    reals: {"v": 0.0},
    relations: [
        (id: "1", real: "v", procedure: "integral", args: ["g"]),
    ],
)
"#,
        base: None,
    },
    CodePage {
        code: "P007",
        bad: r#"(
    format: 1,
    clock: (step: 0.01, stepping: "event"),
    constants: {"g": 9.81},
    reals: {"v": 0.0, "h": 10.0},
    relations: [
        "v = integral(-g)",
        "h = integral(v)",
    ],
)
"#,
        repaired: r#"(
    format: 1,
    clock: (step: 0.01, stepping: "events"),
    constants: {"g": 9.81},
    reals: {"v": 0.0, "h": 10.0},
    relations: [
        "v = integral(-g)",
        "h = integral(v)",
    ],
)
"#,
        base: None,
    },
    CodePage {
        code: "P018",
        bad: r#"(
    format: 1,
    reals: {"x": 1.0},
    ranges: ["high: x > 2"],
    relations: [
        (id: "1", real: "x", procedure: "integral", args: [-1], when: ["high"]),
        (id: "2", real: "x", procedure: "integral", args: [1], when: ["!high"], otherwise: true),
    ],
)
"#,
        repaired: r#"(
    format: 1,
    reals: {"x": 1.0},
    ranges: ["high: x > 2"],
    relations: [
        (id: "1", real: "x", procedure: "integral", args: [-1], when: ["high"]),
        (id: "2", real: "x", procedure: "integral", args: [1], otherwise: true),
    ],
)
"#,
        base: None,
    },
    CodePage {
        code: "P020",
        bad: r#"(
    format: 1,
    constants: {"g": 9.81},
    reals: {"air drag": 0.0, "v": 0.0, "h": 10.0},
    relations: [
        "v = integral(-g)",
        "h = integral(v)",
        "`air drag` = 2 * v",
    ],
)
"#,
        repaired: r#"(
    format: 1,
    constants: {"g": 9.81},
    reals: {"`air drag`": 0.0, "v": 0.0, "h": 10.0},
    relations: [
        "v = integral(-g)",
        "h = integral(v)",
        "`air drag` = 2 * v",
    ],
)
"#,
        base: None,
    },
    CodePage {
        code: "P021",
        bad: r#"(
    format: 2,
    constants: {"g": 9.81},
    reals: {"v": 0.0, "h": 10.0},
    relations: [
        "v = integral(-g)",
        "h = integral(v)",
    ],
)
"#,
        repaired: r#"(
    format: 1,
    constants: {"g": 9.81},
    reals: {"v": 0.0, "h": 10.0},
    relations: [
        "v = integral(-g)",
        "h = integral(v)",
    ],
)
"#,
        base: None,
    },
    CodePage {
        code: "P024",
        bad: r#"(
    format: 1,
    reals: {"x": 0.0},
    switches: {"filling": true},
    ranges: ["full: x > 1"],
    assignments: ["when full: !filling"],
    relations: ["x = integral(1 + !full)"],
)
"#,
        repaired: r#"(
    format: 1,
    reals: {"x": 0.0},
    switches: {"filling": true},
    ranges: ["full: x > 1"],
    assignments: ["when full: !filling"],
    relations: ["x = integral(1) when filling"],
)
"#,
        base: None,
    },
    CodePage {
        code: "P025",
        bad: r#"(
    format: 1,
    clock: (step: 0.0),
    constants: {"g": 9.81},
    reals: {"v": 0.0, "h": 10.0},
    relations: [
        "v = integral(-g)",
        "h = integral(v)",
    ],
)
"#,
        repaired: r#"(
    format: 1,
    clock: (step: 0.01),
    constants: {"g": 9.81},
    reals: {"v": 0.0, "h": 10.0},
    relations: [
        "v = integral(-g)",
        "h = integral(v)",
    ],
)
"#,
        base: None,
    },
    CodePage {
        code: "P028",
        bad: r#"(
    format: 1,
    reals: {"x": 1.0},
    ranges: ["high: x > 2"],
    relations: [
        (id: "1", real: "x", procedure: "integral", args: [-1], when: []),
        (id: "2", real: "x", procedure: "integral", args: [1], otherwise: true),
    ],
)
"#,
        repaired: r#"(
    format: 1,
    reals: {"x": 1.0},
    ranges: ["high: x > 2"],
    relations: [
        (id: "1", real: "x", procedure: "integral", args: [-1], when: ["high"]),
        (id: "2", real: "x", procedure: "integral", args: [1], otherwise: true),
    ],
)
"#,
        base: None,
    },
];
