//! Pages of family P: rows, conditions and expressions written as text.

use super::CodePage;

pub(super) const PAGES: &[CodePage] = &[
    CodePage {
        code: "P008",
        bad: r#"(
    format: 1,
    constants: {"g": 9.81},
    reals: {"v": 0.0, "h": 10.0},
    relations: [
        "v = integral(-g)",
        "h = integral(v) @",
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
        code: "P009",
        bad: r#"(
    format: 1,
    constants: {"g": 9.81},
    reals: {"v": 0.0, "h": 10.0},
    relations: [
        "`v = integral(-g)",
        "h = integral(v)",
    ],
)
"#,
        repaired: r#"(
    format: 1,
    constants: {"g": 9.81},
    reals: {"v": 0.0, "h": 10.0},
    relations: [
        "`v` = integral(-g)",
        "h = integral(v)",
    ],
)
"#,
        base: None,
    },
    CodePage {
        code: "P010",
        bad: r#"(
    format: 1,
    constants: {"g": 9.81},
    reals: {"v": 0.0, "h": 10.0},
    relations: [
        "v = integral(-g)",
        "h = integral(1.0.0 * v)",
    ],
)
"#,
        repaired: r#"(
    format: 1,
    constants: {"g": 9.81},
    reals: {"v": 0.0, "h": 10.0},
    relations: [
        "v = integral(-g)",
        "h = integral(1.0 * v)",
    ],
)
"#,
        base: None,
    },
    CodePage {
        code: "P011",
        bad: r#"(
    format: 1,
    constants: {"g": 9.81},
    reals: {"v": 0.0, "h": 10.0},
    relations: [
        "v = integral(-g)",
        "h = integral(v + )",
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
        code: "P012",
        bad: r#"(
    format: 1,
    constants: {"g": 9.81},
    reals: {"v": 0.0, "h": 10.0},
    relations: [
        "v = integral(-g)",
        "h = integral(2 * (v + 1)",
    ],
)
"#,
        repaired: r#"(
    format: 1,
    constants: {"g": 9.81},
    reals: {"v": 0.0, "h": 10.0},
    relations: [
        "v = integral(-g)",
        "h = integral(2 * (v + 1))",
    ],
)
"#,
        base: None,
    },
    CodePage {
        code: "P013",
        bad: r#"(
    format: 1,
    constants: {"g": 9.81, "k": 500.0},
    reals: {"a": 0.0, "v": 0.0, "h": 10.0},
    ranges: ["contact: h < 0", "down: v < 0"],
    situations: ["braking: contact and down"],
    relations: [
        "a = -g when !braking",
        "a = -k * h when braking",
        "v = integral(a)",
        "h = integral(v)",
    ],
)
"#,
        repaired: r#"(
    format: 1,
    constants: {"g": 9.81, "k": 500.0},
    reals: {"a": 0.0, "v": 0.0, "h": 10.0},
    ranges: ["contact: h < 0", "down: v < 0"],
    situations: ["braking: contact & down"],
    relations: [
        "a = -g when !braking",
        "a = -k * h when braking",
        "v = integral(a)",
        "h = integral(v)",
    ],
)
"#,
        base: None,
    },
    CodePage {
        code: "P014",
        bad: r#"(
    format: 1,
    constants: {"g": 9.81, "k": 500.0},
    reals: {"a": 0.0, "v": 0.0, "h": 10.0},
    ranges: ["contact: -1 < h < 0", "down: v < 0"],
    situations: ["braking: contact & down"],
    relations: [
        "a = -g when !braking",
        "a = -k * h when braking",
        "v = integral(a)",
        "h = integral(v)",
    ],
)
"#,
        repaired: r#"(
    format: 1,
    constants: {"g": 9.81, "k": 500.0},
    reals: {"a": 0.0, "v": 0.0, "h": 10.0},
    ranges: ["contact: -1 < h & h < 0", "down: v < 0"],
    situations: ["braking: contact & down"],
    relations: [
        "a = -g when !braking",
        "a = -k * h when braking",
        "v = integral(a)",
        "h = integral(v)",
    ],
)
"#,
        base: None,
    },
    CodePage {
        code: "P015",
        bad: r#"(
    format: 1,
    constants: {"g": 9.81, "k": 500.0},
    reals: {"a": 0.0, "v": 0.0, "h": 10.0},
    ranges: ["contact: h < 0", "down: v < 0", "braking: contact & down"],
    relations: [
        "a = -g when !braking",
        "a = -k * h when braking",
        "v = integral(a)",
        "h = integral(v)",
    ],
)
"#,
        repaired: r#"(
    format: 1,
    constants: {"g": 9.81, "k": 500.0},
    reals: {"a": 0.0, "v": 0.0, "h": 10.0},
    ranges: ["contact: h < 0", "down: v < 0"],
    situations: ["braking: contact & down"],
    relations: [
        "a = -g when !braking",
        "a = -k * h when braking",
        "v = integral(a)",
        "h = integral(v)",
    ],
)
"#,
        base: None,
    },
    CodePage {
        code: "P016",
        bad: r#"(
    format: 1,
    constants: {"g": 9.81},
    reals: {"v": 0.0, "h": 10.0},
    relations: [
        "v = integral(-g)",
        "h = integral(v) : h",
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
        code: "P017",
        bad: r#"(
    format: 1,
    constants: {"g": 9.81},
    reals: {"start": 1.0, "v": 0.0, "h": 10.0},
    relations: [
        "v = integral(-g)",
        "h = integral(v)",
    ],
)
"#,
        repaired: r#"(
    format: 1,
    constants: {"g": 9.81},
    reals: {"begin": 1.0, "v": 0.0, "h": 10.0},
    relations: [
        "v = integral(-g)",
        "h = integral(v)",
        "begin = 2 * v",
    ],
)
"#,
        base: None,
    },
    CodePage {
        code: "P019",
        bad: r#"(
    format: 1,
    reals: {"x": 1.0, "v": -1.0},
    situations: ["event bounce: x < 0"],
    relations: [
        "x = integral(v)",
        "x, v := 0 when bounce",
    ],
)
"#,
        repaired: r#"(
    format: 1,
    reals: {"x": 1.0, "v": -1.0},
    situations: ["event bounce: x < 0"],
    relations: [
        "x = integral(v)",
        "x, v := 0, -v when bounce",
    ],
)
"#,
        base: None,
    },
    CodePage {
        code: "P022",
        bad: r#"(
    format: 1,
    constants: {"g": 9.81},
    reals: {"v": 0.0, "h": 10.0},
    relations: [
        "[first row] v = integral(-g)",
        "h = integral(v)",
    ],
)
"#,
        repaired: r#"(
    format: 1,
    constants: {"g": 9.81},
    reals: {"v": 0.0, "h": 10.0},
    relations: [
        "[first] v = integral(-g)",
        "h = integral(v)",
    ],
)
"#,
        base: None,
    },
    CodePage {
        code: "P023",
        bad: r#"(
    format: 1,
    constants: {"g": 9.81, "k": 500.0},
    reals: {"a": 0.0, "v": 0.0, "h": 10.0},
    ranges: ["contact: h < 0"],
    situations: ["braking: contact & (v < 0)"],
    relations: [
        "a = -g when !braking",
        "a = -k * h when braking",
        "v = integral(a)",
        "h = integral(v)",
    ],
)
"#,
        repaired: r#"(
    format: 1,
    constants: {"g": 9.81, "k": 500.0},
    reals: {"a": 0.0, "v": 0.0, "h": 10.0},
    ranges: ["contact: h < 0"],
    situations: ["braking: contact & v < 0"],
    relations: [
        "a = -g when !braking",
        "a = -k * h when braking",
        "v = integral(a)",
        "h = integral(v)",
    ],
)
"#,
        base: None,
    },
    CodePage {
        code: "P026",
        bad: r#"(
    format: 1,
    constants: {"g": 9.81},
    reals: {"v": 0.0, "h": 10.0},
    relations: [
        "v = integral(-g)",
        "h = integral(2 v)",
    ],
)
"#,
        repaired: r#"(
    format: 1,
    constants: {"g": 9.81},
    reals: {"v": 0.0, "h": 10.0},
    relations: [
        "v = integral(-g)",
        "h = integral(2 * v)",
    ],
)
"#,
        base: None,
    },
    CodePage {
        code: "P027",
        bad: r#"(
    format: 1,
    constants: {"g": 9.81},
    reals: {"v": 0.0, "h": 10.0},
    relations: [
        "v = integral(-g)",
        "integral(v)",
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
        code: "P029",
        bad: r#"(
    format: 1,
    reals: {"x": 1.0},
    switches: {"on": true},
    ranges: ["high: x > 2"],
    situations: ["noevent heated: on & high"],
    relations: ["x = integral(1) when heated", "x = integral(2) otherwise"],
)
"#,
        repaired: r#"(
    format: 1,
    reals: {"x": 1.0},
    switches: {"on": true},
    ranges: ["noevent high: x > 2"],
    situations: ["heated: on & high"],
    relations: ["x = integral(1) when heated", "x = integral(2) otherwise"],
)
"#,
        base: None,
    },
];
