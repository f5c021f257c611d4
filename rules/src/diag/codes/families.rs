//! Pages of family F: counters, indices, what is taken over elements.

use super::CodePage;

pub(super) const PAGES: &[CodePage] = &[
    CodePage {
        code: "F001",
        bad: r#"(
    format: 1,
    constants: {"N": 4},
    counters: {"j": "1 .. N"},
    reals: {"u[j]": 1, "total": 0},
    relations: ["u[j] = integral(-u[j])", "total = summ(u[j] for j)"],
)
"#,
        repaired: r#"(
    format: 1,
    constants: {"N": 4},
    counters: {"j": "1 .. N"},
    reals: {"u[j]": 1, "total": 0},
    relations: ["u[j] = integral(-u[j])", "total = sum(u[j] for j)"],
)
"#,
        base: None,
    },
    CodePage {
        code: "F002",
        bad: r#"(
    format: 1,
    constants: {"N": 2.5},
    counters: {"j": "1 .. N"},
    reals: {"u[j]": 1},
    relations: ["u[j] = integral(-u[j])"],
)
"#,
        repaired: r#"(
    format: 1,
    constants: {"N": 2},
    counters: {"j": "1 .. N"},
    reals: {"u[j]": 1},
    relations: ["u[j] = integral(-u[j])"],
)
"#,
        base: None,
    },
    CodePage {
        code: "F003",
        bad: r#"(
    format: 1,
    constants: {"N": 4},
    counters: {"j": "1 .. N"},
    reals: {"u[j]": 1, "inner": 0},
    relations: [
        "u[j] = integral(-u[j])",
        "inner = sum(u[j] for j in N .. 1)",
    ],
)
"#,
        repaired: r#"(
    format: 1,
    constants: {"N": 4},
    counters: {"j": "1 .. N"},
    reals: {"u[j]": 1, "inner": 0},
    relations: [
        "u[j] = integral(-u[j])",
        "inner = sum(u[j] for j in 1 .. N)",
    ],
)
"#,
        base: None,
    },
    CodePage {
        code: "F004",
        bad: r#"(
    format: 1,
    constants: {"N": 4},
    counters: {"j": "1 .. N"},
    reals: {"u[j]": 1},
    relations: ["u[j] = integral(u[j + 1] - u[j])"],
)
"#,
        repaired: r#"(
    format: 1,
    constants: {"N": 4},
    counters: {"j": "1 .. N"},
    reals: {"u[1 .. N + 1]": 1},
    relations: [
        "u[N + 1] = 0",
        "u[j] = integral(u[j + 1] - u[j])",
    ],
)
"#,
        base: None,
    },
    CodePage {
        code: "F005",
        bad: r#"(
    format: 1,
    constants: {"N": 4},
    counters: {"j": "1 .. N"},
    reals: {"u[j]": 1, "x": 0},
    relations: ["u[j] = integral(-u[j])", "x = u"],
)
"#,
        repaired: r#"(
    format: 1,
    constants: {"N": 4},
    counters: {"j": "1 .. N"},
    reals: {"u[j]": 1, "x": 0},
    relations: ["u[j] = integral(-u[j])", "x = u[N]"],
)
"#,
        base: None,
    },
    CodePage {
        code: "F006",
        bad: r#"(
    format: 1,
    constants: {"N": 4, "j": 1},
    counters: {"j": "1 .. N"},
    reals: {"u[j]": 1},
    relations: ["u[j] = integral(-u[j])"],
)
"#,
        repaired: r#"(
    format: 1,
    constants: {"N": 4},
    counters: {"j": "1 .. N"},
    reals: {"u[j]": 1},
    relations: ["u[j] = integral(-u[j])"],
)
"#,
        base: None,
    },
    CodePage {
        code: "F007",
        bad: r#"(
    format: 1,
    constants: {"N": 4},
    counters: {"j": "1 .. N"},
    reals: {"u[j]": 1, "x": 0},
    relations: ["u[j] = integral(-u[j])", "x = u[j]"],
)
"#,
        repaired: r#"(
    format: 1,
    constants: {"N": 4},
    counters: {"j": "1 .. N"},
    reals: {"u[j]": 1, "x": 0},
    relations: ["u[j] = integral(-u[j])", "x = max(u[j] for j)"],
)
"#,
        base: None,
    },
    CodePage {
        code: "F008",
        bad: r#"(
    format: 1,
    constants: {"N": 4},
    counters: {"j": "1 .. N"},
    reals: {"u[1 .. 2 * N]": 1, "v[j]": 0},
    relations: [
        "u[j] = integral(-u[j]) for j in 1 .. 2 * N",
        "v[j] = u[2 * j]",
    ],
)
"#,
        repaired: r#"(
    format: 1,
    constants: {"N": 4, "twice[j]": "2 * j"},
    counters: {"j": "1 .. N"},
    reals: {"u[1 .. 2 * N]": 1, "v[j]": 0},
    relations: [
        "u[j] = integral(-u[j]) for j in 1 .. 2 * N",
        "v[j] = u[twice[j]]",
    ],
)
"#,
        base: None,
    },
    CodePage {
        code: "F009",
        bad: r#"(
    format: 1,
    constants: {"N": 1000000000},
    counters: {"j": "1 .. N"},
    reals: {"u[j]": 1},
    relations: ["u[j] = integral(-u[j])"],
)
"#,
        repaired: r#"(
    format: 1,
    constants: {"N": 100},
    counters: {"j": "1 .. N"},
    reals: {"u[j]": 1},
    relations: ["u[j] = integral(-u[j])"],
)
"#,
        base: None,
    },
    CodePage {
        code: "F010",
        bad: r#"(
    format: 1,
    constants: {"N": 4},
    counters: {"j": "1 .. N"},
    reals: {"u[j]": 1, "x": 0},
    relations: ["u[j] = integral(-u[j])", "x = mean(u[j] for j in 3 .. 2)"],
)
"#,
        repaired: r#"(
    format: 1,
    constants: {"N": 4},
    counters: {"j": "1 .. N"},
    reals: {"u[j]": 1, "x": 0},
    relations: ["u[j] = integral(-u[j])", "x = mean(u[j] for j in 2 .. 3)"],
)
"#,
        base: None,
    },
    CodePage {
        code: "F011",
        bad: r#"(
    format: 1,
    constants: {"N": 4},
    counters: {"j": "2 .. N"},
    reals: {"u[1 .. N]": 1},
    ranges: ["low[j]: u[j] < 0.5 for j in 1 .. N"],
    situations: ["behind[j]: low[j]", "behind[j]: behind[j] & low[j]"],
    relations: ["u[j] = integral(-1) for j in 1 .. N", "u[j] = 0 when behind[j]"],
)
"#,
        repaired: r#"(
    format: 1,
    constants: {"N": 4},
    counters: {"j": "2 .. N"},
    reals: {"u[1 .. N]": 1},
    ranges: ["low[j]: u[j] < 0.5 for j in 1 .. N"],
    situations: ["behind[j]: low[j - 1] & low[j]"],
    relations: ["u[j] = integral(-1) for j in 1 .. N", "u[j] = 0 when behind[j]"],
)
"#,
        base: None,
    },
    CodePage {
        code: "F012",
        bad: r#"(
    format: 1,
    constants: {"N": 4},
    counters: {"j": "1 .. N"},
    reals: {"u[0 .. N]": 1},
    relations: ["u[j] = integral(u[j - 1] - u[j])"],
)
"#,
        repaired: r#"(
    format: 1,
    constants: {"N": 4},
    counters: {"j": "1 .. N"},
    reals: {"u[0 .. N]": 1},
    relations: ["u[0] = 1", "u[j] = integral(u[j - 1] - u[j])"],
)
"#,
        base: None,
    },
    CodePage {
        code: "F013",
        bad: r#"(
    format: 1,
    constants: {"N": 4},
    counters: {"j": "1 .. N"},
    reals: {"u[j]": 1, "v[j]": 0},
    relations: [
        "u[j] = integral(-u[j])",
        "v[j] = 2 * u[j]",
        "v[j] = 3 * u[j] for j in 3 .. N",
    ],
)
"#,
        repaired: r#"(
    format: 1,
    constants: {"N": 4},
    counters: {"j": "1 .. N"},
    reals: {"u[j]": 1, "v[j]": 0},
    relations: [
        "u[j] = integral(-u[j])",
        "v[j] = 2 * u[j] for j in 1 .. 2",
        "v[j] = 3 * u[j] for j in 3 .. N",
    ],
)
"#,
        base: None,
    },
    CodePage {
        code: "F014",
        bad: r#"(
    format: 1,
    constants: {"N": 4},
    counters: {"j": "1 .. N"},
    reals: {"m[j]": 1, "p[0 .. N]": 0},
    relations: [
        "m[j] = integral(-m[j])",
        "p[0] = 0",
        "p[j] = p[j - 1] + m[j]",
    ],
)
"#,
        repaired: r#"(
    format: 1,
    constants: {"N": 4},
    counters: {"j": "1 .. N"},
    reals: {"m[j]": 1, "p[0 .. N]": 0},
    relations: [
        "m[j] = integral(-m[j])",
        "p[0] = 0",
        "p[j] = p[j - 1] + m[j] one after another",
    ],
)
"#,
        base: None,
    },
    CodePage {
        code: "F015",
        bad: r#"(
    format: 1,
    constants: {"N": 4},
    counters: {"j": "1 .. N"},
    reals: {"u[j]": "j", "highest": 0},
    relations: [
        "u[j] = integral(-u[j])",
        "highest = max(u[1] for j)",
    ],
)
"#,
        repaired: r#"(
    format: 1,
    constants: {"N": 4},
    counters: {"j": "1 .. N"},
    reals: {"u[j]": "j", "highest": 0},
    relations: [
        "u[j] = integral(-u[j])",
        "highest = max(u[j] for j)",
    ],
)
"#,
        base: None,
    },
];
