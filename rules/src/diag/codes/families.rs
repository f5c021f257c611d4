//! Pages of family F: counters, indices, what is taken over elements.

use super::CodePage;

pub(super) const PAGES: &[CodePage] = &[
    CodePage {
        code: "F001",
        title: "something that is not taken over elements",
        what: "In front of `(.. for j)` stands a word that is neither `sum`, `mean`, `min`, `max`, `number`, `any` nor `all`.",
        why: "Only these are known over all elements of a family.",
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
        title: "a number of elements that is not known, or not whole",
        what: "The end of a range, or an index, has no whole value before the run.",
        why: "How many elements there are is decided by numbers and constants alone: by nothing that changes during a run.",
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
        title: "a range that is turned round",
        what: "A range ends below its beginning.",
        why: "It has no elements, and the rows that count over it do nothing. Constants with other values may have turned it round.",
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
        title: "an index that leaves its range",
        what: "A row reads or writes an element that the family does not have.",
        why: "The message names the element, the value of the counter and those of the constants. The row may need a narrower range, or the family elements at its border.",
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
        title: "a family without its index, or an index without a family",
        what: "A family is named without an index or with too many, or a name that is no family has one.",
        why: "A row reads and writes elements. All of them together are read by `sum`, `mean`, `min`, `max`, `number`, `any` and `all`.",
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
        title: "two things under one name",
        what: "A family has the name of a single quantity or of another family, or a counter has the name of something else.",
        why: "Each name stands for one thing. Starts of some elements may be given under the family's name.",
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
        title: "a counter that counts nothing",
        what: "A counter stands in a row whose target has no such index, or `for` names one that is not declared.",
        why: "A row is done for all values of the counters of its target. What is to be one value of many elements is a sum, a mean or the like.",
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
        title: "an index that is no counter and no number",
        what: "An index is a counter plus a whole number, a whole number, or an element of a family of constants.",
        why: "So it is known before the run which elements a row reads, and that all of them are there.",
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
        title: "more elements than memory holds",
        what: "The table would become too large. This is found before any memory is taken.",
        why: "Each element of a row takes room. A sum over all elements in a row for each element has their number squared of terms.",
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
        title: "a mean or a bound of no elements",
        what: "`mean`, `min` or `max` is taken over a range without elements.",
        why: "It has no value. A sum over nothing is 0, `number` too; `any` is false, `all` is true.",
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
        title: "a condition that names its own family",
        what: "A family of situations is defined by elements of itself.",
        why: "Elements are decided one by one, each by what is defined above its family.",
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
        title: "elements that no row writes",
        what: "Rows write some elements of a family and leave others out.",
        why: "These keep their start values. At a border that may be meant; a row of their own says so.",
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
        title: "elements that two rows write",
        what: "Two rows without a condition give the same elements a value.",
        why: "The later row replaces what the earlier one gives.",
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
        title: "a row that reads what it writes at another index",
        what: "A row over elements reads its own family at another index, and is no integral.",
        why: "All elements read what stood before the row, then all are stored. With `one after another` each reads the new value of the one before. The two differ.",
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
];
