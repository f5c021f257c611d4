//! Expressions and conditions.

use insta::assert_snapshot;

use super::{expressions, lines};
use crate::parse::{MAX_HEIGHT, MAX_NESTING, condition, expression};
use crate::source::SourceMap;
use crate::tree::List;

#[test]
fn operators_bind_as_in_mathematics() {
    assert_snapshot!(expressions(&[
        "a - b - c * d / e",
        "-a^2 * -b",
        "2^-x^2",
        "a^b^c",
        "--a - -1e-3",
        "-(a + b) * c",
        "f(-a, (b), g())",
        "time * pi",
    ]), @r#"
a - b - c * d / e
  (Sub (Sub a b) (Div (Mul c d) e))
-a^2 * -b
  (Mul (- (Pow a 2)) (- b))
2^-x^2
  (Pow 2 (- (Pow x 2)))
a^b^c
  (Pow a (Pow b c))
--a - -1e-3
  (Sub (- (- a)) (- 0.001))
-(a + b) * c
  (Mul (- (paren (Add a b))) c)
f(-a, (b), g())
  f[(- a), (paren b), g[]]
time * pi
  (Mul time pi)
"#);
}

#[test]
fn numbers_that_are_none() {
    assert_snapshot!(lines(None, &[
        "x = 1.2.3 + 2x - 1e * 1_000 / 1e999",
        "x = 2,5 + 1",
        "x = min(2,5)",
        "a, b := 2,5 when c",
    ]), @r#"
x = 1.2.3 + 2x - 1e * 1_000 / 1e999
  relation x = (Sub (Add ? ?) (Div (Mul ? ?) ?))
    P010 `1.2.3`: `1.2.3` is not a number: it has a point too many
    P010 `2x`: `2x` is not a number: letters directly after a number; if a product is meant, write `*`; `2x` -> `2 * x`
    P010 `1e`: `1e` is not a number: the exponent lacks its digits; write it like `1e-3`
    P010 `1_000`: `1_000` is not a number: digits are not grouped; leave the `_` out; `1_000` -> `1000`
    P010 `1e999`: `1e999` is not a number: it is too large
x = 2,5 + 1
  relation x = (Add ? 1)
    P010 `2,5`: `2,5` is not a number: decimals begin with a point; write `2.5`; `2,5` -> `2.5`
x = min(2,5)
  relation x = min[2, 5]
a, b := 2,5 when c
  relation a, b once = 2; 5 when c
"#);
}

#[test]
fn signs_and_words_of_other_languages() {
    assert_snapshot!(lines(None, &[
        "x == 3",
        "a: x =< 3 && y => 4",
        "x = 1 if a and not b or c",
        "x = y ** 2 − z²",
        "x = |y| % 3",
        "x' = -x",
        "x += 2",
        "a: x ≠ 3 & y = 4",
        "when a, b: c",
        "if a: b",
        "x = y; z = 3",
    ]), @r#"
x == 3
  relation x = 3
    P013 `==`: `==` is written `=` here; write `=`; `==` -> `=`
a: x =< 3 && y => 4
  range a: {x <= 3} & {y >= 4}
    P013 `=<`: `=<` is written `<=` here; write `<=`; `=<` -> `<=`
    P013 `&&`: `&&` is written `&` here; write `&`; `&&` -> `&`
    P013 `=>`: `=>` is written `>=` here; write `>=`; `=>` -> `>=`
x = 1 if a and not b or c
  relation x = 1 when a & !b & c
    P013 `if`: `if` is written `when` here; write `when`; `if` -> `when`
    P013 `and`: `and` is written `&` here; write `&`; `and` -> `&`
    P013 `not `: `not` is written `!` here; write `!`; `not ` -> `!`
    P013 `or`: `or` has no meaning here; a condition cannot say `or`: write a situation with a row for each alternative, `either: a` and `either: b`
x = y ** 2 − z²
  relation x = (Sub (Pow y 2) (Pow z 2))
    P013 `**`: `**` is written `^` here; write `^`; `**` -> `^`
    P013 `−`: `−` is written `-` here; write `-`; `−` -> `-`
    P013 `²`: `²` is written `^2` here; write `^2`; `²` -> `^2`
x = |y| % 3
  relation x = ? when ?
    P013 `|`: `|` has no meaning here; a condition cannot say `or`: write a situation with a row for each alternative, `either: a` and `either: b`; an absolute value is `abs(x)`
x' = -x
  nothing
    P011 `x'`: a row gives a real and not its rate: `x` is the integral of it; write the integral; `x' = -x` -> `x = integral(-x)`
x += 2
  nothing
    P013 `+=`: `+=` has no meaning here; write `x = x + ..`, or `x = integral(..)` for a rate
a: x ≠ 3 & y = 4
  range a: 
    P013 `≠`: `≠` is not available: computed values are hardly ever equal; say on which side a value lies with `<`, `<=`, `>` or `>=`
    P013 `=`: `=` is not available: computed values are hardly ever equal; say on which side a value lies with `<`, `<=`, `>` or `>=`
when a, b: c
  assignment a & b: c true
    P013 `,`: `,` is written `&` here; write `&`; `,` -> ` &`
if a: b
  assignment a: b true
    P013 `if`: `if` is written `when` here; write `when`; `if` -> `when`
x = y; z = 3
  relation x = y when ?
    P013 `;`: `;` has no meaning here; write one row for each rule
"#);
}

#[test]
fn conditions_that_are_none() {
    assert_snapshot!(lines(None, &[
        "a: 0 < h < R <= 3",
        "a: !(h < R) & !h < 3 & (b)",
        "a: h + 3",
        "a: !!b",
        "x = !a + start",
        "x = (a < b)",
        "x = a < b",
        "x = f(a & b & c, d)",
        "x = f(d, 0 < h < R)",
        "x, y := 1, 2 when 0 < h < R",
    ]), @r#"
a: 0 < h < R <= 3
  range a: {0 < h} & {h < R} & {R <= 3}
    P014 `0 < h < R <= 3`: a comparison has two sides; write two comparisons; `0 < h < R <= 3` -> `0 < h & h < R & R <= 3`
a: !(h < R) & !h < 3 & (b)
  situation a: !? & !? & b
    P023 `(h < R)`: a condition does not stand in parentheses; name what is inside as a situation of its own, `both: a & b`, and write `!both`
    P023 `!h < 3`: `!` stands before names only; turn the comparison round: write `>=` and leave `!` out
    P023 `(b)`: a condition does not stand in parentheses; leave them out, or name what is inside as a situation of its own
a: h + 3
  range a: 
    P023 `h + 3`: this is a number, neither true nor false; compare it with another value, or name a range, situation or switch
a: !!b
  situation a: !b
    P023 `!!`: `!` is written once; two negations cancel out: leave both out
x = !a + start
  relation x = (Add ? ?)
    P024 `!`: a truth value stands where a number is needed
    P024 `start`: `start` is a truth value, not a number
x = (a < b)
  relation x = ?
    P024 `(a < b)`: a comparison stands where a number is needed; name it as a range, `name: a < b`, and let rows hold `when name`
x = a < b
  relation x = a when ?
    P024 `<`: a comparison stands where a number is needed; name it as a range, `name: a < b`, and let rows hold `when name`
x = f(a & b & c, d)
  relation x = f[a, d]
    P024 `&`: an argument is one literal, not a conjunction; name the conjunction as a situation and give its name
x = f(d, 0 < h < R)
  relation x = f[d, {0 < h}]
    P014 `0 < h < R`: a comparison has two sides; name it as a range, `name: 0 < h & h < R`, and give that name
x, y := 1, 2 when 0 < h < R
  relation x, y once = 1; 2 when {0 < h} & {h < R}
    P014 `0 < h < R`: a comparison has two sides; write two comparisons; `0 < h < R` -> `0 < h & h < R`
"#);
}

#[test]
fn depth_is_limited() {
    let nested = |depth: usize| {
        [
            format!("{}x{}", "(".repeat(depth), ")".repeat(depth)),
            format!("{}x", "-".repeat(depth)),
            vec!["x"; depth].join("^"),
            format!("{}x{}", "f(".repeat(depth), ")".repeat(depth)),
        ]
    };
    let codes = |text: &str| {
        let mut sources = SourceMap::default();
        let id = sources.add("<expression>", text);
        let (_, diagnostics) = expression(&sources, sources.span(id));
        diagnostics
            .iter()
            .map(|report| report.code)
            .collect::<Vec<_>>()
    };
    for text in nested(MAX_NESTING) {
        assert_eq!(codes(&text), [""; 0], "{text}");
    }
    for text in nested(MAX_NESTING + 2).into_iter().chain(nested(100_000)) {
        assert_eq!(codes(&text), ["P002"], "{}", &text[..20]);
    }
    let sum = |terms: usize| vec!["x"; terms].join(" + ");
    assert_eq!(codes(&sum(MAX_HEIGHT)), [""; 0]);
    assert_eq!(codes(&sum(MAX_HEIGHT + 1)), ["P002"]);
    assert_eq!(codes(&sum(100_000)), ["P002"]);
    // Not deep, only long.
    let mut sources = SourceMap::default();
    let id = sources.add("<condition>", vec!["a & h < 3"; 10_000].join(" & "));
    let (read, diagnostics) = condition(&sources, sources.span(id));
    assert_eq!((read.literals.len(), diagnostics.len()), (20_000, 0));
}

#[test]
fn repairs_of_conditions_and_rates_say_what_was_meant() {
    for (line, repair) in [
        ("x = 1 when low pump", "` ` -> ` & `"),
        ("x = 1 when h 2 < 3", "` ` -> ` * `"),
        ("x = 1 when pump is true", "write `pump`, or `!pump`"),
        ("x = 1 when pump == true", "`pump == true` -> `pump`"),
        ("x = 1 when pump != true", "`pump != true` -> `!pump`"),
        ("x = 1 when pump = 1", "P013"),
        (
            "x' = integral(v)",
            "`x' = integral(v)` -> `x = integral(v)`",
        ),
        ("x = 2 х y", "`х` -> `*`"),
        ("u[j] = 1 for j = 1 .. 3", "` = ` -> ` in `"),
    ] {
        let told = lines(None, &[line]);
        assert!(told.contains(repair), "{told}");
    }
    let told = lines(Some(List::Relations), &["low: x = v + 1"]);
    assert!(told.contains("-> `x = v + 1 when low`"), "{told}");
}
