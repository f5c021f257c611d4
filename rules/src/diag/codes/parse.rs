//! Pages of family P: what the readers of the text report.

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
        why: "It is most often a slip of the pen; leaving it out silently would change the model.",
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
        code: "P008",
        title: "a character cannot stand here",
        what: "A row, condition or expression contains a character that begins nothing.",
        why: "Names consist of letters, digits and `_`; names with other characters stand between backticks.",
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
        title: "digits make no number",
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
        why: "Where the group ends decides about the result.",
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
        title: "a row goes on behind its end",
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
        code: "P019",
        title: "the sides of a row have different lengths",
        what: "Several reals stand on the left of `=`, or the numbers of reals and values differ.",
        why: "One row writes several reals only at an event, by `:=`, all from the values before it. Elsewhere every real has rows of its own.",
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
        code: "P020",
        title: "this is not a name",
        what: "A name is empty or contains signs that names do not have.",
        why: "Names consist of letters, digits and `_`, so that expressions can be read; any other name stands between backticks.",
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
        what: "A step, tolerance or other setting lies outside of its possible values.",
        why: "The run could not begin.",
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
        title: "a line is no row",
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
