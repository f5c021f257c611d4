//! Tables in, tables laid out or spelt anew out.

use insta::assert_snapshot;

use super::{Spelling, name, number, string};
use crate::layout::format;
use crate::resolve;
use crate::source::SourceMap;
use crate::tree::{Form, Relation};

/// The table laid out, with all rows in one spelling if one is asked for; laying it out again
/// changes nothing.
fn laid_out(text: &str, form: Option<Form>) -> String {
    let is_constant = |name: &str| ["m", "g", "K"].contains(&name);
    let columns = |relation: &Relation| resolve::columns(relation, &is_constant);
    let spelling = form.map(|form| Spelling {
        form,
        columns: &columns,
        is_constant: &is_constant,
    });
    let once = |text: &str| {
        let mut sources = SourceMap::default();
        let id = sources.add("table.ron", text);
        format(&sources, id, spelling.as_ref()).expect("the table has no mistakes")
    };
    let result = once(text);
    assert_eq!(once(&result), result);
    result
}

const TABLE: &str = r##"
// Before.
#![enable(implicit_some)]

/* More
   before. */
Table (format:1,name :"n",// why
clock:(step:1e-3,stop_when:"h<0&!on"),constants:{"m":1,"g":9.810,"K":+1.},
  reals:{ "h" : ( start : "m*( g )" , unit:"cm"  ),

    // A speed.


    "v":0.50, "a":-1}, switches:{},
  ranges:["low:h<1.50&v>-m#remark", (all:[("h" ,"<",1),"v   <= 2*h"],name:"`x`"),],
  situations:["event hit:low&!on   # \"quoted\" # twice", r"s:on", ],
  assignments:["when hit:on,!`off`" /* behind */, (set:["! on"],when:"low  &on"), // end
    ],
  relations:["[1]a=-m*g", "[2   after 1]   v=integral( a )otherwise"

    , // late
    // own
    (id:"3",real:"h",procedure:"integral",args:["2*v", 3, "!on"],when:["hit" , "a<1"] // inside
     , /* here */ note:"n"),
    "v , h:=-v,(h+1)*2^-2 when hit"],
  cases:{"one":(set:{"m":2,"h":"m+1"}),"two":(
    about:"broken"),
  }
  // last
)
// After.

"##;

#[test]
fn tables_are_laid_out() {
    assert_snapshot!(laid_out(TABLE, None), @r#"
// Before.
#![enable(implicit_some)]

/* More
   before. */
Table (
    format: 1,
    name: "n", // why
    clock: (step: 1e-3, stop_when: "h < 0 & !on"),
    constants: {"m": 1, "g": 9.810, "K": +1.},
    reals: {
        "h": (start: "m * (g)", unit: "cm"),

        // A speed.

        "v": 0.50,
        "a": -1,
    },
    switches: {},
    ranges: [
        "low: h < 1.50 & v > -m          # remark",
        (all: [("h", "<", 1), "v <= 2 * h"], name: "x"),
    ],
    situations: [
        "event hit:low&!on   # \"quoted\" # twice",
        r"s: on",
    ],
    assignments: [
        "when hit: on, !off", /* behind */
        (set: ["!on"], when: "low & on"), // end
    ],
    relations: [
        "[1] a = -m * g",
        "[2 after 1] v = integral(a) otherwise", // late
        // own
        (
            id: "3",
            real: "h",
            procedure: "integral",
            args: ["2 * v", 3, "!on"],
            when: ["hit", "a < 1"], // inside
            /* here */ note: "n",
        ),
        "v, h := -v, (h + 1) * 2^-2 when hit",
    ],
    cases: {"one": (set: {"m": 2, "h": "m + 1"}), "two": (about: "broken")},
    // last
)
// After.
"#);
}

const BOTH: &str = r#"(
    ranges: ["[r] band: 0 <= h & h < 2.50   # both", (name: "low", all: [("h", "<", "m + 1")])],
    situations: ["s: band & !low & h < 3", (id: "p[1].e", name: "hit", all: ["low"], event: true)],
    assignments: ["[1 after 0] when hit: on, !`a b`", (when: ["s"], set: ["!on"], note: "off")],
    relations: [
        "a = -m * g",
        "[2] a = K * h when low",
        "a = -h",
        "a = g",
        "a = 2 * g",
        "a = h * v * g / 2 - 3 * a",
        "v = integral(-K * a) otherwise",
        "v = smoothing(a, K)",
        "a = 3 * sin(h)",
        "a = timer(h < 2)",
        "v, h := -v, h + 1 when hit",
        "a = 1e-3   # with \"quotes\"",
        "a = 2 * (h + v)",
        // Inside of a row.
        (id: "x", real: "a", /* a comment */ procedure: "product", args: ["m", "h"], when: ["!low"]), // behind
        (real: ["v", "h"], procedure: "assignment", args: [0, "-v"], when: ["hit"], once: true),
        (real: "a", procedure: "proportional", coef: "-K", args: ["g"], note: "a \"note\"\nof two lines"),
    ],
)
"#;

#[test]
fn rows_become_columns() {
    assert_snapshot!(laid_out(BOTH, Some(Form::Columns)), @r##"
(
    ranges: [
        (id: "r", name: "band", all: [(0, "<=", "h"), ("h", "<", 2.50)], note: "both"),
        (name: "low", all: [("h", "<", "m + 1")]),
    ],
    situations: [
        (name: "s", all: ["band", "!low", "h < 3"]),
        (id: "p[1].e", name: "hit", all: ["low"], event: true),
    ],
    assignments: [
        (id: "1", after: "0", when: ["hit"], set: ["on", "!`a b`"]),
        (when: ["s"], set: ["!on"], note: "off"),
    ],
    relations: [
        (real: "a", procedure: "product", coef: -1, args: ["m", "g"]),
        (id: "2", real: "a", procedure: "proportional", coef: "K", args: ["h"], when: ["low"]),
        (real: "a", procedure: "proportional", coef: -1, args: ["h"]),
        (real: "a", procedure: "assignment", args: ["g"]),
        (real: "a", procedure: "proportional", coef: 2, args: ["g"]),
        (real: "a", procedure: "sum", args: ["h * v * g / 2", "a"], coef2: -3),
        (real: "v", procedure: "integral", coef: "-K", args: ["a"], otherwise: true),
        (real: "v", procedure: "smoothing", coef: "K", args: ["a"]),
        (real: "a", procedure: "sin", coef: 3, args: ["h"]),
        (real: "a", procedure: "timer", args: ["h < 2"]),
        (real: ["v", "h"], procedure: "assignment", args: ["-v", "h + 1"], when: ["hit"], once: true),
        (real: "a", procedure: "assignment", args: [0.001], note: r#"with "quotes""#),
        (real: "a", procedure: "proportional", coef: 2, args: ["h + v"]),
        // Inside of a row.
        (id: "x", real: "a", /* a comment */ procedure: "product", args: ["m", "h"], when: ["!low"]), // behind
        (real: ["v", "h"], procedure: "assignment", args: [0, "-v"], when: ["hit"], once: true),
        (real: "a", procedure: "proportional", coef: "-K", args: ["g"], note: "a \"note\"\nof two lines"),
    ],
)
"##);
}

#[test]
fn rows_become_lines() {
    assert_snapshot!(laid_out(BOTH, Some(Form::Line)), @r##"
(
    ranges: [
        "[r] band: 0 <= h & h < 2.50     # both",
        "low: h < m + 1",
    ],
    situations: [
        "s: band & !low & h < 3",
        "[p[1].e] event hit: low",
    ],
    assignments: [
        "[1 after 0] when hit: on, !`a b`",
        "when s: !on                     # off",
    ],
    relations: [
        "a = -m * g",
        "[2] a = K * h when low",
        "a = -h",
        "a = g",
        "a = 2 * g",
        "a = h * v * g / 2 - 3 * a",
        "v = integral(-K * a) otherwise",
        "v = smoothing(a, K)",
        "a = 3 * sin(h)",
        "a = timer(h < 2)",
        "v, h := -v, h + 1 when hit",
        "a = 1e-3   # with \"quotes\"",
        "a = 2 * (h + v)",
        // Inside of a row.
        /* a comment */
        "[x] a = 1 * m * h when !low", // behind
        "v, h := 0, -v when hit",
        r#"a = -K * (g)                    # a "note" of two lines"#,
    ],
)
"##);
    let back = laid_out(&laid_out(BOTH, Some(Form::Columns)), Some(Form::Line));
    assert_snapshot!(back, @r##"
(
    ranges: [
        "[r] band: 0 <= h & h < 2.50     # both",
        "low: h < m + 1",
    ],
    situations: [
        "s: band & !low & h < 3",
        "[p[1].e] event hit: low",
    ],
    assignments: [
        "[1 after 0] when hit: on, !`a b`",
        "when s: !on                     # off",
    ],
    relations: [
        "a = -m * g",
        "[2] a = K * h when low",
        "a = -h",
        "a = g",
        "a = 2 * g",
        "a = h * v * g / 2 - 3 * a",
        "v = integral(-K * a) otherwise",
        "v = smoothing(a, K)",
        "a = 3 * sin(h)",
        "a = timer(h < 2)",
        "v, h := -v, h + 1 when hit",
        r#"a = 0.001                       # with "quotes""#,
        "a = 2 * (h + v)",
        // Inside of a row.
        /* a comment */
        "[x] a = 1 * m * h when !low", // behind
        "v, h := 0, -v when hit",
        r#"a = -K * (g)                    # a "note" of two lines"#,
    ],
)
"##);
}

/// A row in columns whose comments follow one that stands in front of it on its line.
#[test]
fn comments_of_a_row_that_becomes_a_line_stand_behind_each_other() {
    let text = r#"(relations: [
        /* a */ (real: "a", /* b */ procedure: "product", args: ["m", "g"]),
    ])"#;
    let laid_out = laid_out(text, Some(Form::Line));
    assert!(laid_out.contains("\n        /* a */ /* b */"), "{laid_out}");
}

#[test]
fn line_ends_and_the_mark_of_the_encoding_stay() {
    let text = "\u{feff}(\r\n// a\r\nreals: {\"x\": 1,\r\n\r\n\"y\": 2})\r\n";
    let expected = "\u{feff}(\r\n    // a\r\n    reals: {\"x\": 1, \"y\": 2},\r\n)\r\n";
    assert_eq!(laid_out(text, None), expected);
}

#[test]
fn a_table_with_mistakes_is_left_alone() {
    let mut sources = SourceMap::default();
    let id = sources.add("table.ron", "(relations: [\"x = \"])");
    let mistakes = format(&sources, id, None).expect_err("there is a mistake");
    assert_eq!(mistakes.len(), 1);
}

#[test]
fn numbers() {
    let cases = [
        (0.0, "0"),
        (-0.0, "-0"),
        (1.0, "1"),
        (0.1, "0.1"),
        (-2.5, "-2.5"),
        (1e-4, "0.0001"),
        (1e-5, "1e-5"),
        (123_456_789.0, "123456789"),
        (1e15, "1000000000000000"),
        (1e16, "1e16"),
        (1.5e300, "1.5e300"),
        (0.1 + 0.2, "0.30000000000000004"),
    ];
    for (value, text) in cases {
        assert_eq!(number(value), text);
    }
}

#[test]
fn names_and_strings() {
    for (text, expected) in [
        ("x", "x"),
        ("a b", "`a b`"),
        ("time", "`time`"),
        ("угол", "угол"),
        ("2x", "`2x`"),
    ] {
        assert_eq!(name(text), expected);
    }
    for (text, expected) in [
        ("x", r#""x""#),
        ("a\"b", "r#\"a\"b\"#"),
        ("\\", r#"r"\""#),
        ("\"#", "r##\"\"#\"##"),
    ] {
        assert_eq!(string(text), expected);
        assert_eq!(ron::from_str::<String>(expected).as_deref(), Ok(text));
    }
}
