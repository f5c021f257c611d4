//! Whole tables.

use insta::assert_snapshot;

use super::{reports, tables};
use crate::parse::table;
use crate::source::SourceMap;

#[test]
fn tables_in_both_spellings() {
    assert_snapshot!(tables(r##"#![enable(implicit_some)]
// A comment.
Table(
    format: 1, /* another */
    constants: {"m": 2, "g": (start: 9.81, unit: "m/s^2"), "`a b`": "m * g"},
    reals: {"x": -1.5e3, "y": (about: "no start")},
    switches: {"on": true, "off": (start: false)},
    ranges: [
        (name: "low", all: [("x", "<", 1), "y > -2 * m"], note: "both"), // end
        "[r] high: x >= 1 + y",
    ],
    situations: [(id: 7, name: "s", all: ["on", "!low", "x < 3"], event: true), "t: !s"],
    assignments: [(when: "low & on", set: ["!on", "`off`"]), r#"when s: on # "quoted""#],
    relations: [
        (id: "a", before: "b", real: "x", procedure: "integral", coef: "-m", args: ["y", 2, "!low"],
         coef2: -1, when: ["s"], once: true),
        (real: ["x", "y"], procedure: "assignment", args: ["y", "x"], once: true, when: ["s"]),
        (real: "x", procedure: "delay", args: [], otherwise: true),
        "y = x # with an \"escape\" and \u{e9}",
    ],
)
"##), @r#"
m 2
g 9.81
a b (Mul m g)
x -1500
y -
on true
off false
range (both) low: {x < 1} & {y > (Mul (- 2) m)}
range [r] high: {x >= (Add 1 y)}
event [7] s: on & !low & {x < 3}
situation t: !s
assignment low & on: on false, off true
assignment ("quoted") s: on true
relation [a] before b x once = integral <(- m)> y; 2; !low <-1> when s
relation x, y once = assignment <> y; x <> when s
relation x = delay <>  <> otherwise
relation (with an "escape" and é) y = x
"#);
}

#[test]
fn all_mistakes_of_a_table_at_once() {
    assert_snapshot!(tables(r##"(
    formt: 1,
    name: 3,
    clock: (step: 0, stop: "1", scan: sequentail, stepping: 1, method: "ode15s", rtol: -1, stop_when: "x < "),
    constants: {"m": 2, "m": 3, g: 1, 7: 2, "a-b": 1, "pi": 3, "k": true, "n": NaN},
    reals: (x: 1),
    switches: {"on": 1, "off": (start: 1, unit: "V")},
    ranges: [3, (name: "low"), (name: "r", all: []), (name: "q", all: [("x", "=<", 1), ("x", "<"), "on"])],
    situations: "s: on",
    assignments: [(when: [], set: "on"), (when: ["on", 3], set: [])],
    relations: [
        {"real": "x"},
        (id: "1 2", real: "x", procedure: integral, args: "x", when: ["a"], otherwise: true, after: "1", before: 2),
        (real: [], procedure: "sum", args: [(1, 2), true, "x +"], coef: [1]),
        Relation(id: "3", reel: "x", procedure: "sum", args: ["x", "y"]),
        "y = 2 x",
    ],
    cases: {"": (), "c": 1, "d": (set: {"m": [1], "x": true}, clok: ())},
    invariants: ["x + y"],
    params: {},
)"##), @r#"
m 2
g 1
a-b 1
pi 3
k ?
n ?
x 1
on false
off false
range low: 
range r: 
range q: {x <= 1}
assignment ?: 
assignment on & ?: 
relation x = ?
relation after 1 x = ? when a
relation [3] x = sum <> x; y <>
relation y = ?

    P003 `formt`: a table has no field `formt`; did you mean `format`?; `formt` -> `format`
    P005 `3`: `name` takes a string, found a number
    P025 `0`: `step` must be above zero
    P005 `"1"`: `stop` takes a number, found a string; write `1`, without quotes and unit; `"1"` -> `1`
    P007 `sequentail`: `scan` cannot be `sequentail`; did you mean `sequential`?; `sequentail` -> `sequential`
    P005 `1`: `stepping` takes `tick` or `events`, found a number
    P007 `"ode15s"`: `method` cannot be `ode15s`; did you mean `bdf`?; `"ode15s"` -> `"bdf"`
    P025 `-1`: `rtol` must be above zero
    P011 ``: expected a value after `<`, found the end
    P004 `m`: `m` is given twice; leave one of them out
    P011 `g`: expected a name in quotes, found the bare word `g`; write it in quotes; `g` -> `"g"`
    P005 `7`: a name takes a string, found a number
    P020 `a-b`: `a-b` is not a name: names begin with a letter or `_`, and consist of letters, digits and `_`; write any other name between backticks; `a-b` -> ``a-b``
    P017 `"pi"`: `pi` is a word of the language and cannot be a name; choose another name
    P005 `true`: `k` takes a number, an expression or `(start: .., unit: ..)`, found a truth value
    P010 `NaN`: `NaN` is not a number: it is not a finite decimal number
    P005 `(x: 1)`: `reals` takes braces, found parentheses; write `{"name": value}`
    P005 `1`: `on` takes `true` or `false`, found a number; write `true`; `1` -> `true`
    P005 `1`: `start` takes `true` or `false`, found a number; write `true`; `1` -> `true`
    P003 `unit`: a switch has no field `unit`
    P005 `3`: a row of `ranges` takes a line in quotes or columns such as `(id: "1", ..)`, found a number
    P006 `(name: "low")`: a range lacks the field `all`
    P028 `[]`: `all` is empty; a range has at least one comparison
    P013 `=<`: `=<` is written `<=` here; write `<=`; `=<` -> `<=`
    P005 `("x", "<")`: a comparison takes three values such as `("h", "<", "R")`, found 2
    P015 `on`: a situation stands among the ranges; move it to `situations`
    P005 `"s: on"`: `situations` takes a list of rows, found a string
    P028 `[]`: `when` is empty; name at least one range, situation or switch, or leave it out
    P005 `"on"`: `set` takes a list of switches such as `["together", "!apart"]`, found a string
    P005 `3`: a literal takes a name or comparison in quotes, found a number
    P028 `[]`: `set` is empty; name the switches that the row sets
    P005 `{`: a relation takes parentheses, found braces; write `(name: ..)`, field names without quotes
    P006 `{"real": "x"}`: a relation lacks the field `procedure`
    P022 `"1 2"`: an id holds no blanks; an id is one word: `[3a]`, `[3a after 3]`, `[before 3]`
    P005 `integral`: `procedure` takes a string, found a bare word; write it in quotes; `integral` -> `"integral"`
    P005 `"x"`: `args` takes a list of names, numbers and expressions, found a string
    P018 `true`: `when` and `otherwise` exclude each other; leave one of them out
    P018 `2`: `after` and `before` exclude each other; leave one of them out
    P028 `[]`: `real` is empty; name the real that the row writes
    P005 `(1, 2)`: an argument takes a name, a number or an expression, found values in parentheses
    P005 `true`: an argument takes a name, a number or an expression, found a truth value
    P011 ``: expected a value after `+`, found the end
    P005 `[1]`: `coef` takes a number or an expression in quotes, found a list
    P003 `reel`: a relation has no field `reel`; did you mean `real`?; `reel` -> `real`
    P026 `x`: missing operator between `2` and `x`; if a product is meant, write `*`; ` ` -> ` * `
    P020 `""`: a name is empty
    P005 `1`: a case takes fields in parentheses such as `(name: ..)`, found a number
    P005 `[1]`: `m` takes a number, an expression, `true` or `false`, found a list
    P003 `clok`: a case has no field `clok`; did you mean `clock`?; `clok` -> `clock`
    P005 `["x + y"]`: `invariants` takes names and values such as `{"name": "x + y"}`, found a list
    P003 `params`: a table has no field `params`; did you mean `constants`?; `params` -> `constants`
"#);
}

#[test]
fn broken_ron_is_reported_alone() {
    let broken = [
        "",
        "  ",
        "(format: 1",
        "(reals: {\"x\": 1)",
        "(relations: [\"x = 1\" \"y = 2\"])",
        "(relations: [\"x = 1, \"y = 2\"])",
        "(relations: [\n    \"x = 1,\n    \"y = 2\",\n])",
        "(reals: {\"x\" 1})",
        "(reals: {\"x\": 1}))",
        "(reals: {\"x\": @})",
        "(/* reals: {})",
        "(\"a\": 1)",
        "(name: \"a)",
        "(name: \"\\q\")",
        "(name: r#\"a\")",
        "[1, 2",
        "(reals = 3)",
        "(reals: {\"x\": 9,81})",
        "(clock: (step: 0,01, stop: 1))",
        "(clock: (step: 0,5))",
    ];
    let mut shown = String::new();
    for text in broken {
        let mut sources = SourceMap::default();
        let id = sources.add("table.ron", text);
        let (read, diagnostics) = table(&sources, id);
        assert!(
            read.is_none() && diagnostics.len() == 1,
            "{text}: {diagnostics:?}"
        );
        shown += &format!("> {text}{}\n", reports(&sources, &diagnostics));
    }
    assert_snapshot!(shown, @r#"
> 
    P001 ``: the table is empty; a table begins with `(` and ends with `)`
>   
    P001 ``: the table is empty; a table begins with `(` and ends with `)`
> (format: 1
    P001 ``: `(` is never closed; write `)`; `` -> `)`
> (reals: {"x": 1)
    P001 ``: `{` is not closed before this; write `},`; `` -> `},`
> (relations: ["x = 1" "y = 2"])
    P001 ``: a comma is missing behind this row; write a comma; `` -> `,`
> (relations: ["x = 1, "y = 2"])
    P001 `"x = 1, "`: this string ends where its text goes on; inside a string a quote is written `\"`; behind a string stands a comma
> (relations: [
    "x = 1,
    "y = 2",
])
    P001 `"x = 1`: the closing quote is missing; close the string; `` -> `"`
> (reals: {"x" 1})
    P001 ``: a colon is missing after `x`; write `:` between a name and its value; `` -> `:`
> (reals: {"x": 1}))
    P001 `)`: this bracket closes nothing; leave it out; `)` -> ``
> (reals: {"x": @})
    P001 `@`: `@` is neither a number nor a word; an expression stands in quotes; write it in quotes; `@` -> `"@"`
> (/* reals: {})
    P001 `/*`: this comment is not closed; close it with `*/`
> ("a": 1)
    P001 `"a"`: the name of a field stands without quotes; write `a`; `"a"` -> `a`
> (name: "a)
    P001 `"`: this quote is not closed
> (name: "\q")
    P001 `"\q"`: a backslash in this string does not begin an escape sequence; write `\\` for a backslash, or a raw string `r".."`
> (name: r#"a")
    P001 `r`: this quote is not closed
> [1, 2
    P001 ``: `[` is never closed; write `]`; `` -> `]`
> (reals = 3)
    P001 ` =`: a name and its value are separated by `:`, not by `=`; write `:`; ` =` -> `:`
> (reals: {"x": 9,81})
    P001 `9,81`: a number has a decimal point, not a comma; write `.`; `,` -> `.`
> (clock: (step: 0,01, stop: 1))
    P001 `0,01`: a number has a decimal point, not a comma; write `.`; `,` -> `.`
> (clock: (step: 0,5))
    P001 `0,5`: a number has a decimal point, not a comma; write `.`; `,` -> `.`
"#);
}

#[test]
fn what_is_ron_but_no_table() {
    for text in ["3", "[]", "{}", "\"x = 1\"", "Table", "(1, 2)", "Some(3)"] {
        let shown = tables(text);
        assert!(
            shown.contains("P005 `") && shown.lines().count() == 2,
            "{text}: {shown}"
        );
    }
    assert_eq!(tables("()"), "");
    assert_eq!(tables("\u{feff}()"), "");
    assert_eq!(
        tables("/* a\n()"),
        "\n    P001 `/*`: this comment is not closed; close it with `*/`"
    );
    assert_eq!(
        tables("(format: 2)"),
        "\n    P021 `2`: tables of format 2 cannot be read; this program reads format 1"
    );
}

/// A comma in a row may also separate thousands.
#[test]
fn a_comma_in_a_row_may_separate_thousands() {
    let loaded = crate::load(
        "t.ron",
        "(relations: [\"x = 1,000\"])",
        &mut crate::standalone,
    );
    let mut errors = loaded.diagnostics.iter();
    let error = errors.find(|error| error.code == "P010");
    assert_eq!(
        error.expect("it is no number").notes,
        ["if the comma separates thousands, write `1000`"]
    );
}

/// What is offered says what was meant, or nothing is offered.
#[test]
fn repairs_do_not_change_what_is_meant() {
    for (text, offered) in [
        // Cyrillic `о`.
        ("(clock: (st\u{43e}p: 2))", "`st\u{43e}p` -> `stop`"),
        ("(situation: [])", "`situation` -> `situations`"),
        ("(switch: {})", "`switch` -> `switches`"),
        ("(clock: (stop: \"2 s\"))", "`\"2 s\"` -> `2`"),
        ("(clock: (stop: \"2*pi\"))", ""),
        ("(clock: (stop: \"2 ms\"))", ""),
        ("(clock: (stop: 2 ms))", ""),
        ("(clock: (stop: 2 s))", "` s` -> ``"),
        ("(clock: (stop: \"2 s\", unit: h))", ""),
        ("(clock: (stop: 2 s, unit: h))", ""),
        ("(clock: (stop: 2 h, unit: h))", "` h` -> ``"),
        ("(reals: {\"x\": (start: 5 km, unit: \"m\")})", ""),
        ("(reals: {\"x\": (start: 5 m, unit: \"m\")})", "` m` -> ``"),
        ("(relations: [\"F = 5 m/s\"])", ""),
        ("(relations: [\"x = sin(30 deg)\"])", ""),
        (
            "(constants: {\"m\": 2}, relations: [\"E = 2m * g\"])",
            "`` -> ` * `",
        ),
        (
            "(constants: {\"A\": 2}, relations: [\"E = 3 A\"])",
            "` ` -> ` * `",
        ),
        ("(relations: [\"x = sin 2 * time\"])", ""),
        ("(relations: [\"x = sin y\"])", "` y` -> `(y)`"),
        ("(relations: [\"x = 1 when !(a & b)\"])", ""),
        ("(expect: [\"max(h) = 3 +- 1%\"])", "`1%` -> `0.01 * 3`"),
        (
            "(assignments: [\"when low: on = true, b = false\"])",
            "-> `when low: on, !b`",
        ),
        ("(assignments: [\"when low: n := n + 1\"])", ""),
        ("(relations: [\"F = 2 when on else 3\"])", ""),
        ("(format: 1, reals= {\"x\": 1})", "`=` -> `:`"),
        ("(reals: {\"x\": 0.5 \"y\": 1})", "`` -> `,`"),
        ("(clock: (stop: \"1 000\"))", ""),
    ] {
        let shown = tables(text);
        assert!(shown.contains(offered), "{text}: {shown}");
        assert_eq!(
            shown.contains(" -> "),
            !offered.is_empty(),
            "{text}: {shown}"
        );
    }
}
