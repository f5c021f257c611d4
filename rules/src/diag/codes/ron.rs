//! Pages of family P: the RON of a table, its fields and their values.

use super::CodePage;

pub(super) const PAGES: &[CodePage] = &[
    CodePage {
        code: "P001",
        title: "the table is not RON",
        what: "A bracket, quote, comma or colon of the table is missing or stands in the wrong place.",
        why: "Nothing behind such a place can be understood, so this is the only report about the table.",
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
        title: "an expression or the table nests too deeply",
        what: "Brackets, signs or powers lie more than 128 deep in each other, or one expression chains more than 512 operations.",
        why: "Nobody can read such an expression, and every later step would need memory for each level. A part of it with a name of its own is a row that can be looked at in the output.",
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
        title: "a field is not known",
        what: "The table, a row or another group of fields has a field of a name that means nothing there.",
        why: "It is most likely a typing mistake; ignoring it silently would change the model.",
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
        title: "a key is given twice",
        what: "The same field or name stands twice in one group.",
        why: "Only one of the two could count, and it would not be clear which one.",
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
        title: "a value is of the wrong type",
        what: "A field holds another kind of value than it takes: a number where a list belongs, a bare name where quotes belong.",
        why: "The value cannot be used as it stands.",
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
        title: "a field is missing",
        what: "A row lacks a field without which it says nothing.",
        why: "No value can be assumed for it.",
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
        title: "a word is not among those that may stand here",
        what: "A field that takes one of a few words holds another one.",
        why: "Each of the words selects a way of working; there is no other.",
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
        title: "two fields exclude each other",
        what: "A row has both `when` and `otherwise`, or both `after` and `before`.",
        why: "Only one of them can hold.",
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
        title: "this is not a name",
        what: "A name is empty or contains signs that names do not have.",
        why: "Names consist of letters, digits and `_`, so that expressions can be read; any other name needs backticks.",
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
        title: "the format is of another version",
        what: "The field `format` has a value that this program does not know.",
        why: "Rows may mean something else in another version of the format.",
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
        title: "a truth value stands in the place of a number",
        what: "A negation, a condition, `start`, `true` or `false` stands in an expression.",
        why: "Expressions compute numbers. A truth value selects rows by `when`, or is an argument of a procedure that takes one.",
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
        title: "a number makes no sense in its field",
        what: "A step, tolerance or other setting is outside the range that it may have.",
        why: "The run could not start.",
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
        title: "a list is empty that must not be",
        what: "A condition without literals, a range without comparisons, an assignment without switches.",
        why: "A row that always holds is written without a condition; the others would say nothing.",
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
