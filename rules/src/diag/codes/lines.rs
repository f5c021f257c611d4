//! Pages of family P: rows, conditions and expressions written as text.

use super::CodePage;

pub(super) const PAGES: &[CodePage] = &[
    CodePage {
        code: "P008",
        title: "a character cannot stand here",
        what: "A row, condition or expression contains a character with which nothing can begin.",
        why: "Names consist of letters, digits and `_`; names with other characters need backticks.",
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
        title: "a backtick is not closed",
        what: "A name begins with a backtick and has none at its end.",
        why: "Everything up to the next backtick belongs to the name, so its end must be marked.",
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
        title: "digits that are not a number",
        what: "Something begins like a number and does not end like one: two points, an exponent without digits, letters directly after a number, a decimal comma.",
        why: "It could be meant in several ways, and guessing one would change the model.",
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
        title: "something else was expected",
        what: "A row breaks the grammar: a value, a sign or a name is missing, or another thing stands in its place.",
        why: "The rest of the row cannot be understood without it.",
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
        title: "a parenthesis has no partner",
        what: "A parenthesis is opened and not closed, or closed and not opened.",
        why: "The result depends on where the group ends.",
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
        title: "a sign or word of another language",
        what: "An operator or keyword from elsewhere stands where it has no meaning here: `==`, `&&`, `and`, `if`, `**`.",
        why: "Most have an equivalent, which the report names. Alternatives have none in a condition: a situation may have several rows. Equality has none either, because computed values are hardly ever equal.",
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
        title: "a comparison has more than two sides",
        what: "Comparisons are chained as in `0 < h < R`.",
        why: "A comparison has two sides; two comparisons are joined by `&`.",
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
        title: "a row stands in the wrong list",
        what: "A line under `ranges`, `situations`, `assignments` or `relations` is a row of another list. A range consists of comparisons only.",
        why: "The lists are scanned one after another in every tick, so the list decides when a row is computed.",
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
        title: "text follows the end of a row",
        what: "Something follows that does not belong to the row.",
        why: "A row says one thing; what follows would be ignored otherwise.",
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
        title: "a keyword stands in the place of a name",
        what: "`event`, `when`, `otherwise`, `start`, `time` and `pi` are words of the language.",
        why: "The rows that use the name could not be read.",
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
        title: "the sides of a row have different lengths",
        what: "The numbers of reals, values and conditions of a row differ, or a row in columns writes several reals without `once: true`.",
        why: "A row of several reals gives each a value of its own, all of them from the values before it, and has one condition for all of them or one for each.",
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
        title: "an id or the bracket in front of a row is wrong",
        what: "The bracket in front of a line holds an id of one word, or a place such as `after 3`, or both. An id in columns is one word too.",
        why: "Ids tell the rows apart when a table is extended, and stand in brackets in front of a line.",
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
        title: "a condition contains something else than names and comparisons",
        what: "A part of a condition is a value, a group in parentheses or a negated comparison.",
        why: "A condition is a conjunction of names, negated names and comparisons; that is what makes it possible to say which situations exclude each other.",
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
        title: "two values stand next to each other",
        what: "No operator joins two values.",
        why: "A product is written with `*`; a row ends after its value or with `when` or `otherwise`.",
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
        title: "a line that is not a row",
        what: "A line has neither `:` nor `=` and is none of the four kinds of rows.",
        why: "It says nothing that could be computed.",
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
        title: "a mark stands in front of a situation",
        what: "`noevent` and `smooth` say how event stepping treats the borders of a range, and the row is no range.",
        why: "A situation has no border of its own: it turns when the ranges turn that it names.",
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
