//! One-line rules.

use insta::assert_snapshot;

use super::{lines, reports, shape};
use crate::parse::{expression, setting};
use crate::source::SourceMap;
use crate::tree::{List, SettingValue};

#[test]
fn rows_of_every_kind() {
    assert_snapshot!(lines(None, &[
        "[1] P = -m * g",
        "[3a after 3] Fel = 0 * def when free_fall  # ours",
        "[before 2] contact: h < R",
        "band: 0 <= h & h < R",
        "braking: contact & V_neg & h < 3",
        "event bounce: contact & !start",
        "event beat: every(0.01, 2 * T)",
        "when contact & !V_neg: together, !apart",
        "v1, v2 := -v1, (v1 + v2) / 2 when bounce",
        "x = 1 otherwise #",
        "`air drag` = -kc * `speed, m/s` when `in the air`",
        "x = timer(!a) + hold(x, h < R, start, every(2))",
        "угол = интеграл * π",
    ]), @r#"
[1] P = -m * g
  relation [1] P = (Mul (- m) g)
[3a after 3] Fel = 0 * def when free_fall  # ours
  relation [3a] after 3 (ours) Fel = (Mul 0 def) when free_fall
[before 2] contact: h < R
  range before 2 contact: {h < R}
band: 0 <= h & h < R
  range band: {0 <= h} & {h < R}
braking: contact & V_neg & h < 3
  situation braking: contact & V_neg & {h < 3}
event bounce: contact & !start
  event bounce: contact & !START
event beat: every(0.01, 2 * T)
  event beat: EVERY[0.01, (Mul 2 T)]
when contact & !V_neg: together, !apart
  assignment contact & !V_neg: together true, apart false
v1, v2 := -v1, (v1 + v2) / 2 when bounce
  relation v1, v2 once = (- v1); (Div (paren (Add v1 v2)) 2) when bounce
x = 1 otherwise #
  relation x = 1 otherwise
`air drag` = -kc * `speed, m/s` when `in the air`
  relation air drag = (Mul (- kc) `speed, m/s`) when `in the air`
x = timer(!a) + hold(x, h < R, start, every(2))
  relation x = (Add timer[!a] hold[x, {h < R}, START, EVERY[2]])
угол = интеграл * π
  relation угол = (Mul интеграл π)
"#);
}

#[test]
fn what_is_missing() {
    assert_snapshot!(lines(None, &[
        "x = ",
        "x = 2 * ",
        "x = * y + / z",
        "x = (a + b * (c - d) when e",
        "x = a + b) * c",
        "x = f(a, , b",
        "x = `y + 2",
        "x = a b (c)",
        "x = 2 * sin a + 1",
        "x = 3 when",
        "a:",
        "when a",
        "when a: ",
        "",
        "  # only a remark",
    ]), @r#"
x = 
  relation x = ?
    P011 ``: expected a value after `=`, found the end
x = 2 * 
  relation x = (Mul 2 ?)
    P011 ``: expected a value after `*`, found the end
x = * y + / z
  relation x = (Add (Mul ? y) (Div ? z))
    P011 `*`: expected a value after `=`, found `*`
    P011 `/`: expected a value after `+`, found `/`
x = (a + b * (c - d) when e
  relation x = (paren (Add a (Mul b (paren (Sub c d))))) when e
    P012 `(`: this parenthesis is not closed
x = a + b) * c
  relation x = (Add a b) when ?
    P012 `)`: no parenthesis is open here; leave it out; `)` -> ``
x = f(a, , b
  relation x = f[a, ?, b]
    P011 `,`: expected a value after `,`, found `,`
    P012 `(`: this parenthesis is not closed
x = `y + 2
  relation x = ?
    P009 ``y + 2`: the backtick that opens a name is not closed; close the name with a second backtick
x = a b (c)
  relation x = ?
    P026 `b`: missing operator between `a` and `b`; if a product is meant, write `*`; ` ` -> ` * `
x = 2 * sin a + 1
  relation x = (Add (Mul 2 ?) 1)
    P026 `a`: missing parentheses around `a`, the argument of `sin`; an argument stands in parentheses; ` a` -> `(a)`
x = 3 when
  relation x = 3 when ?
    P011 ``: expected a value after `when`, found the end
a:
  range a: 
    P011 ``: expected a value after `:`, found the end
when a
  assignment a: 
    P011 ``: expected `:` and the switches to set after `a`, found the end
when a: 
  assignment a: 
    P011 ``: expected a name after `:`, found the end

  nothing
    P027 ``: this row is empty; a row reads `name = expression when a`, `name: a & !b` or `when a: name`
  # only a remark
  nothing
    P027 `  # only a remark`: this row is empty; a row reads `name = expression when a`, `name: a & !b` or `when a: name`
"#);
}

#[test]
fn rows_that_are_none() {
    assert_snapshot!(lines(None, &[
        "x + y = 3 * @ 4",
        "a & b: c",
        "foo bar",
        "time = 3",
        "x, y = 1, 2",
        "x, y := 1",
        "x = 1, 2",
        "x = 3 otherwise when a",
        "when a: x = 3",
        "[1 x = 3",
        "[] x = 3",
        "[after] x = 3",
        "[a b c d] x = 3",
        "x = 1 # a\n + 2",
        "x = a ? b : c",
        "dx/dt = 3",
        "der(x) = 3",
    ]), @r#"
x + y = 3 * @ 4
  nothing
    P011 `x + y`: expected the name of a real, found an expression; left of `=` stands the real that the row writes, alone
    P008 `@`: `@` cannot stand here; put names with unusual characters between backticks
a & b: c
  assignment a & b: c true
    P011 `a`: expected a name before `:`, found a condition; an assignment of switches begins with `when`; `` -> `when `
foo bar
  nothing
    P027 `foo bar`: this is not a row; a row reads `name = expression when a`, `name: a & !b` or `when a: name`
time = 3
  nothing
    P017 `time`: `time` is a word of the language and cannot be a name; choose another name
x, y = 1, 2
  relation x, y = 1; 2
x, y := 1
  relation x, y once = ?; ?
    P019 `:=`: 2 reals on the left, 1 value on the right; write one value for each real
x = 1, 2
  relation x = ?
    P019 `=`: 1 real on the left, 2 values on the right; write one value for each real
x = 3 otherwise when a
  relation x = 3 when a
    P018 `when`: `otherwise` and `when` exclude each other; leave one of them out
when a: x = 3
  nothing
    P011 `x`: a relation begins with the real that it writes, and its condition comes last; turn it round; `when a: x = 3` -> `x = 3 when a`
[1 x = 3
  relation [1] x = 3
    P022 `[`: the bracket before the row is not closed; write `[1]`; `` -> `]`
[] x = 3
  relation x = 3
    P022 `[]`: the brackets hold no id; an id is one word: `[3a]`, `[3a after 3]`, `[before 3]`
[after] x = 3
  relation x = 3
    P022 `[after]`: the brackets lack the id of the row that is meant; an id is one word: `[3a]`, `[3a after 3]`, `[before 3]`
[a b c d] x = 3
  relation [a] x = 3
    P022 `[a b c d]`: the brackets hold more than an id; an id is one word: `[3a]`, `[3a after 3]`, `[before 3]`
x = 1 # a
 + 2
  relation (a) x = 1
    P016 `+`: the row should end here, found `+`
x = a ? b : c
  relation x = ?
    P013 `a ? b : c`: a row has one value; which row holds is said by `when`; write two rows: `x = b when a` and `x = c otherwise`
dx/dt = 3
  nothing
    P011 `dx/dt`: a row gives a real and not its rate: `x` is the integral of it; write the integral; `dx/dt = 3` -> `x = integral(3)`
der(x) = 3
  nothing
    P011 `der(x)`: a row gives a real and not its rate: `x` is the integral of it; write the integral; `der(x) = 3` -> `x = integral(3)`
"#);
}

#[test]
fn marks_of_ranges() {
    assert_snapshot!(lines(Some(List::Ranges), &["noevent a: h < 3", "[2] smooth a: h < 3 & h > 1 # gently", "smooth: h < 3", "noevent event a: h < 3", "smooth noevent: h < 3"]), @r#"
noevent a: h < 3
  noevent range a: {h < 3}
[2] smooth a: h < 3 & h > 1 # gently
  smooth range [2] (gently) a: {h < 3} & {h > 1}
smooth: h < 3
  range smooth: {h < 3}
noevent event a: h < 3
  event a: {h < 3}
    P029 `noevent`: `noevent` marks a range, and this is a situation; mark the ranges that the condition names
    P015 `noevent event a: h < 3`: a situation stands among the ranges; move it to `situations`
smooth noevent: h < 3
  smooth range noevent: {h < 3}
"#);
    assert_snapshot!(lines(Some(List::Situations), &["noevent a: h < 3", "smooth a: b", "smooth: b"]), @r#"
noevent a: h < 3
  situation a: {h < 3}
    P029 `noevent`: `noevent` marks a range, and this is a situation; mark the ranges that the condition names
smooth a: b
  situation a: b
    P029 `smooth`: `smooth` marks a range, and this is a situation; mark the ranges that the condition names
smooth: b
  situation smooth: b
"#);
}

#[test]
fn switches_set_as_reals_are() {
    let rows = [
        "on := true when a",
        "on, `the valve` := false, true when a & h < 3 # why",
        "on = true",
        "x = `true` when a",
    ];
    assert_snapshot!(lines(Some(List::Assignments), &rows), @r#"
on := true when a
  assignment a: on true
    P024 `on := true when a`: a relation gives numbers, not truth values; switches are set by an assignment; `on := true when a` -> `when a: on`
on, `the valve` := false, true when a & h < 3 # why
  assignment (why) a & {h < 3}: on false, the valve true
    P024 `on, `the valve` := false, true when a & h < 3`: a relation gives numbers, not truth values; switches are set by an assignment; `on, `the valve` := false, true when a & h < 3` -> `when a & h < 3: !on, `the valve``
on = true
  nothing
    P024 `on = true`: a relation gives numbers, not truth values; switches are set by an assignment, in `assignments`: `when condition: on`
x = `true` when a
  relation x = true when a
    P015 `x = `true` when a`: a relation stands among the assignments; move it to `relations`
"#);
    // Among the relations there is nothing to be put in its place.
    assert_snapshot!(lines(Some(List::Relations), &rows[..1]), @r#"
on := true when a
  nothing
    P024 `on := true when a`: a relation gives numbers, not truth values; switches are set by an assignment, in `assignments`: `when a: on`
"#);
}

#[test]
fn rows_in_the_wrong_list() {
    assert_snapshot!(lines(Some(List::Ranges), &["a: h < 3", "x = 3", "a: b & h < 3", "event a: h < 3", "when a: b"]), @r#"
a: h < 3
  range a: {h < 3}
x = 3
  relation x = 3
    P015 `x = 3`: a relation stands among the ranges; move it to `relations`
a: b & h < 3
  situation a: b & {h < 3}
    P015 `a: b & h < 3`: a situation stands among the ranges; move it to `situations`
event a: h < 3
  event a: {h < 3}
    P015 `event a: h < 3`: a situation stands among the ranges; move it to `situations`
when a: b
  assignment a: b true
    P015 `when a: b`: an assignment stands among the ranges; move it to `assignments`
"#);
    assert_snapshot!(lines(Some(List::Situations), &["a: h < 3", "event a: h < 3", "x = 3"]), @r#"
a: h < 3
  situation a: {h < 3}
event a: h < 3
  event a: {h < 3}
x = 3
  relation x = 3
    P015 `x = 3`: a relation stands among the situations; move it to `relations`
"#);
    assert_snapshot!(lines(Some(List::Relations), &["a: h < 3", "h"]), @r#"
a: h < 3
  range a: {h < 3}
    P015 `a: h < 3`: a range stands among the relations; move it to `ranges`
h
  nothing
    P027 `h`: this is not a row; a row reads `name = expression when a & !b`
"#);
}

#[test]
fn settings() {
    let mut shown = String::new();
    for text in [
        "x=3",
        "x = -R / 2",
        "on=true",
        "`a b`=false",
        "true=1",
        "x",
        "x:=3",
        "=3",
        "x=",
        "x=1 2",
    ] {
        let mut sources = SourceMap::default();
        let id = sources.add("--set", text);
        let (read, diagnostics) = setting(&sources, sources.span(id));
        let read = read.map_or("nothing".to_owned(), |setting| match setting.value {
            SettingValue::Bool(value) => format!("{} = {}", setting.name.value, value.value),
            SettingValue::Expr(expr) => format!("{} = {}", setting.name.value, shape(&expr)),
        });
        shown += &format!("{text}\n  {read}{}\n", reports(&sources, &diagnostics));
    }
    assert_snapshot!(shown, @r#"
x=3
  x = 3
x = -R / 2
  x = (Div (- R) 2)
on=true
  on = true
`a b`=false
  a b = false
true=1
  true = 1
x
  nothing
    P011 ``: expected `=` and a value after `x`, found the end
x:=3
  nothing
    P011 `:=`: expected `=` and a value after `x`, found `:=`
=3
  nothing
    P011 `=`: expected a name, found `=`
x=
  x = ?
    P011 ``: expected a value after `=`, found the end
x=1 2
  x = ?
    P026 `2`: missing operator between `1` and `2`; if a product is meant, write `*`; ` ` -> ` * `
"#);
}

#[test]
fn repairs_say_what_was_meant() {
    assert_snapshot!(lines(None, &["x=1 000", "x=12 345 + y", "x = 1 when every 0.5", "x = 1 when h << 2"]), @r"
x=1 000
  relation x = ?
    P010 `1 000`: `1 000` is not a number: digits are not grouped; write `1000`; `1 000` -> `1000`
x=12 345 + y
  relation x = (Add ? y)
    P010 `12 345`: `12 345` is not a number: digits are not grouped; write `12345`; `12 345` -> `12345`
x = 1 when every 0.5
  relation x = 1 when ?
    P026 `0.5`: missing parentheses around `0.5`, the argument of `every`; an argument stands in parentheses; ` 0.5` -> `(0.5)`
x = 1 when h << 2
  relation x = 1 when {h < 2}
    P013 `<<`: `<<` is written `<` here; write `<`; `<<` -> `<`
");
}

#[test]
fn names_are_compared_in_normal_form() {
    let mut sources = SourceMap::default();
    let id = sources.add("<expression>", "e\u{301} + `e\u{301} x`");
    let (expr, diagnostics) = expression(&sources, sources.span(id));
    assert!(diagnostics.is_empty());
    assert_eq!(shape(&expr), "(Add é `é x`)");
}

#[test]
fn rows_that_are_solved() {
    assert_snapshot!(lines(Some(List::Relations), &["solve i, u: u = R * i", "solve i, u from 0 to 10: u = R * i, u = i", "solve i from 0: u = i"]), @"
solve i, u: u = R * i
  relation i, u = ?; ?
    P030 `i, u`: 2 reals cannot be found from 1 equation; name as many reals as there are equations, which are separated by commas
solve i, u from 0 to 10: u = R * i, u = i
  relation i, u = solve u; (Mul R i); u; i
    P030 `0 to 10`: bounds are given for one target only; give each target a row of its own, with its bounds
solve i from 0: u = i
  relation i = solve u; i; 0; ?
    P011 `:`: expected `to` and the upper bound after `0`, found `:`
");
}

/// What stands behind `otherwise` may count, and a condition of a sum is none of the row.
#[test]
fn otherwise_before_what_counts() {
    for row in [
        "v[j] = sum(w[p] for p when !cell[j, p]) otherwise one after another",
        "v[j] = sum(w[p] for p when !cell[j, p]) otherwise for j in 1 .. 2",
        "v[j] = max(w[p] for p when hot[p]) otherwise",
        "v[j] = 2 * w[j] otherwise one after another",
    ] {
        let read = lines(Some(List::Relations), &[row]);
        assert_eq!(read.lines().count(), 2, "{read}");
    }
}
