//! Lines and tables in, trees or reports out.

use insta::assert_snapshot;

use super::{MAX_HEIGHT, MAX_NESTING, condition, expression, line, setting, table};
use crate::diag::{Diagnostic, Style, pages, render};
use crate::load::{load, standalone};
use crate::print;
use crate::source::{SourceMap, Span};
use crate::tree::{
    AnyRow, Expr, ExprKind, Guard, List, Literal, LiteralKind, Row, SettingValue, Side, Value,
};

/// An expression with all its structure.
fn shape(expr: &Expr) -> String {
    match &expr.kind {
        ExprKind::Number(value) => print::number(*value),
        ExprKind::Name(name) => print::name(name),
        ExprKind::Time => "time".to_owned(),
        ExprKind::Pi => "pi".to_owned(),
        ExprKind::Paren(inner) => format!("(paren {})", shape(inner)),
        ExprKind::Neg(inner) => format!("(- {})", shape(inner)),
        ExprKind::Binary(op, left, right) => format!("({op:?} {} {})", shape(left), shape(right)),
        ExprKind::Call(name, args) => {
            let args: Vec<String> = args.iter().map(shape).collect();
            format!("{}[{}]", name.value, args.join(", "))
        }
        ExprKind::Boolean(literal) => literal_shape(literal),
        ExprKind::Error => "?".to_owned(),
    }
}

fn literal_shape(literal: &Literal) -> String {
    let not = if literal.negated { "!" } else { "" };
    let what = match &literal.kind {
        LiteralKind::Name(name) => print::name(name),
        LiteralKind::Start => "START".to_owned(),
        LiteralKind::Every(args) => {
            let args: Vec<String> = args.iter().map(shape).collect();
            format!("EVERY[{}]", args.join(", "))
        }
        LiteralKind::Comparison(comparison) => {
            let (left, right) = (shape(&comparison.left), shape(&comparison.right));
            format!("{{{left} {} {right}}}", comparison.op.symbol())
        }
        LiteralKind::Error => "?".to_owned(),
    };
    format!("{not}{what}")
}

fn literals(all: &[Literal]) -> String {
    all.iter()
        .map(literal_shape)
        .collect::<Vec<_>>()
        .join(" & ")
}

fn head<T>(row: &Row<T>) -> String {
    let mut head = String::new();
    if let Some(id) = &row.id {
        head += &format!("[{}] ", id.value);
    }
    if let Some(place) = &row.place {
        let side = if place.side == Side::After {
            "after"
        } else {
            "before"
        };
        head += &format!("{side} {} ", place.id.value);
    }
    if let Some(note) = &row.note {
        head += &format!("({}) ", note.value);
    }
    head
}

fn row_shape(row: &AnyRow) -> String {
    match row {
        AnyRow::Range(row) => {
            let comparison = |all: &crate::tree::Comparison| {
                format!(
                    "{{{} {} {}}}",
                    shape(&all.left),
                    all.op.symbol(),
                    shape(&all.right)
                )
            };
            let all: Vec<String> = row.body.all.iter().map(comparison).collect();
            let mark = row.body.mark.as_ref();
            let mark = mark.map_or_else(String::new, |mark| format!("{} ", mark.value.name()));
            format!(
                "{mark}range {}{}: {}",
                head(row),
                row.body.name.value,
                all.join(" & ")
            )
        }
        AnyRow::Situation(row) => {
            let event = if row.body.event { "event" } else { "situation" };
            let all = literals(&row.body.all.literals);
            format!("{event} {}{}: {all}", head(row), row.body.name.value)
        }
        AnyRow::Assignment(row) => {
            let set: Vec<String> = row
                .body
                .set
                .iter()
                .map(|(name, value)| format!("{} {value}", name.value))
                .collect();
            let when = literals(&row.body.when.literals);
            format!("assignment {}{when}: {}", head(row), set.join(", "))
        }
        AnyRow::Relation(row) => {
            let targets: Vec<&str> = row.body.targets.iter().map(|name| &*name.value).collect();
            let once = if row.body.once { " once" } else { "" };
            let value = match &row.body.value {
                Value::Exprs(exprs) => exprs.iter().map(shape).collect::<Vec<_>>().join("; "),
                Value::Columns {
                    procedure,
                    coef,
                    args,
                    coef2,
                } => {
                    let args: Vec<String> = args.iter().map(shape).collect();
                    let [coef, coef2] =
                        [coef, coef2].map(|coef| coef.as_deref().map_or(String::new(), shape));
                    format!("{} <{coef}> {} <{coef2}>", procedure.value, args.join("; "))
                }
            };
            let guard = match &row.body.guard {
                Guard::Always => String::new(),
                Guard::When(condition) => format!(" when {}", literals(&condition.literals)),
                Guard::Otherwise(_) => " otherwise".to_owned(),
            };
            format!(
                "relation {}{}{once} = {value}{guard}",
                head(row),
                targets.join(", ")
            )
        }
    }
}

/// One line for each report: its code, the text it points at, the message, and what to do.
fn reports(sources: &SourceMap, diagnostics: &[Diagnostic]) -> String {
    let shown = |span: Span| sources.text(span).to_owned();
    diagnostics
        .iter()
        .map(|report| {
            let place = report
                .primary
                .as_ref()
                .map_or(String::new(), |label| shown(label.span));
            let help = report
                .help
                .as_ref()
                .map_or(String::new(), |help| format!("; {help}"));
            let edit = report.edit.as_ref().map_or(String::new(), |edit| {
                format!("; `{}` -> `{}`", shown(edit.span), edit.replacement)
            });
            format!(
                "\n    {} `{place}`: {}{help}{edit}",
                report.code, report.message
            )
        })
        .collect()
}

/// What each line is read as.
fn lines(list: Option<List>, texts: &[&str]) -> String {
    let mut shown = String::new();
    for text in texts {
        let mut sources = SourceMap::default();
        let id = sources.add("<line>", *text);
        let (row, diagnostics) = line(&sources, sources.span(id), list);
        let row = row.as_ref().map_or("nothing".to_owned(), row_shape);
        shown += &format!("{text}\n  {row}{}\n", reports(&sources, &diagnostics));
    }
    shown
}

fn expressions(texts: &[&str]) -> String {
    let mut shown = String::new();
    for text in texts {
        let mut sources = SourceMap::default();
        let id = sources.add("<expression>", *text);
        let (expr, diagnostics) = expression(&sources, sources.span(id));
        shown += &format!(
            "{text}\n  {}{}\n",
            shape(&expr),
            reports(&sources, &diagnostics)
        );
    }
    shown
}

/// The rows of a table and its reports.
fn tables(text: &str) -> String {
    let mut sources = SourceMap::default();
    let id = sources.add("table.ron", text);
    let (read, diagnostics) = table(&sources, id);
    let mut shown = String::new();
    if let Some(read) = read {
        for quantity in read.constants.iter().chain(&read.reals) {
            let start = quantity.start.as_ref().map_or("-".to_owned(), shape);
            shown += &format!("{} {start}\n", quantity.name.value);
        }
        for switch in &read.switches {
            let start = switch.start.as_ref().is_some_and(|start| start.value);
            shown += &format!("{} {start}\n", switch.name.value);
        }
        let rows = read.ranges.into_iter().map(AnyRow::Range);
        let rows = rows.chain(read.situations.into_iter().map(AnyRow::Situation));
        let rows = rows.chain(read.assignments.into_iter().map(AnyRow::Assignment));
        for row in rows.chain(read.relations.into_iter().map(AnyRow::Relation)) {
            shown += &format!("{}\n", row_shape(&row));
        }
    }
    shown + &reports(&sources, &diagnostics)
}

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
    P013 `or`: `or` has no meaning here; a condition cannot say `or`: write a situation with a row for each alternative
x = y ** 2 − z²
  relation x = (Sub (Pow y 2) (Pow z 2))
    P013 `**`: `**` is written `^` here; write `^`; `**` -> `^`
    P013 `−`: `−` is written `-` here; write `-`; `−` -> `-`
    P013 `²`: `²` is written `^2` here; write `^2`; `²` -> `^2`
x = |y| % 3
  relation x = ? when ?
    P013 `|`: `|` has no meaning here; an absolute value is `abs(x)`; a condition cannot say `or`: write a situation with a row for each alternative
x' = -x
  nothing
    P013 `'`: `'` has no meaning here; for `x' = f` write `x = integral(f)`
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
    P023 `(h < R)`: a condition does not stand in parentheses; leave them out, or name what is inside as a situation of its own
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
    P019 `=`: several reals are written at once only by `:=`; write `:=` with a `when` that is an event, or one row for each real
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
    P011 `x`: expected only switches follow a condition, found a relation; the condition of a relation comes last; `when a: x = 3` -> `x = 3 when a`
[1 x = 3
  nothing
    P022 `[`: the bracket before the row is not closed; an id is one word: `[3a]`, `[3a after 3]`, `[before 3]`
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
  relation x = a when ?
    P008 `?`: `?` cannot stand here; put names with unusual characters between backticks
dx/dt = 3
  nothing
    P011 `dx/dt`: expected the name of a real, found an expression; for a rate write `x = integral(..)`
der(x) = 3
  nothing
    P011 `der(x)`: expected the name of a real, found an expression; for a rate write `x = integral(..)`
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
fn names_are_compared_in_normal_form() {
    let mut sources = SourceMap::default();
    let id = sources.add("<expression>", "e\u{301} + `e\u{301} x`");
    let (expr, diagnostics) = expression(&sources, sources.span(id));
    assert!(diagnostics.is_empty());
    assert_eq!(shape(&expr), "(Add é `é x`)");
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
    P005 `"1"`: `stop` takes a number, found a string
    P007 `sequentail`: `scan` cannot be `sequentail`; did you mean `sequential`?; `sequentail` -> `sequential`
    P005 `1`: `stepping` takes `tick` or `events`, found a number
    P007 `"ode15s"`: `method` cannot be `ode15s`; did you mean `rodas5p`?; `"ode15s"` -> `"rodas5p"`
    P025 `-1`: `rtol` must be above zero
    P011 ``: expected a value after `<`, found the end
    P004 `m`: `m` is given twice; leave one of them out
    P011 `g`: expected a name in quotes, found the bare word `g`; write it in quotes; `g` -> `"g"`
    P005 `7`: a name takes a string, found a number
    P020 `a-b`: `a-b` is not a name: names consist of letters, digits and `_`; write any other name between backticks; `a-b` -> ``a-b``
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
    P022 `"1 2"`: an id holds no blanks and no brackets; an id is one word: `[3a]`, `[3a after 3]`, `[before 3]`
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
    P001 `(`: `(` is never closed
> (reals: {"x": 1)
    P001 `)`: `{` is closed by `)`
> (relations: ["x = 1" "y = 2"])
    P001 `"y = 2"`: expected `,` here
> (relations: ["x = 1, "y = 2"])
    P001 `"`: this quote is not closed
> (relations: [
    "x = 1,
    "y = 2",
])
    P001 `"`: this quote is not closed
> (reals: {"x" 1})
    P001 `1`: expected `:` and a value here
> (reals: {"x": 1}))
    P001 `)`: `)` closes nothing
> (reals: {"x": @})
    P001 `@`: a value cannot begin with `@`
> (/* reals: {})
    P001 `/*`: this comment is not closed
> ("a": 1)
    P001 `:`: a value is missing here; fields in parentheses are written without quotes: `name: ..`
> (name: "a)
    P001 `"`: this quote is not closed
> (name: "\q")
    P001 `"\q"`: a backslash in this string does not begin an escape sequence; write `\\` for a backslash, or a raw string `r".."`
> (name: r#"a")
    P001 `r`: this quote is not closed
> [1, 2
    P001 `[`: `[` is never closed
> (reals = 3)
    P001 `=`: expected `:` here
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
        tables("(format: 2)"),
        "\n    P021 `2`: tables of format 2 cannot be read; this program reads format 1"
    );
}

#[test]
fn pages_show_what_they_say() {
    for page in pages()
        .into_iter()
        .filter(|page| page.code.starts_with('P'))
    {
        let bad = load("table.ron", page.bad, &mut standalone);
        let codes: Vec<&str> = bad.diagnostics.iter().map(|report| report.code).collect();
        let shown = render(&bad.diagnostics, &bad.sources, Style::Plain);
        assert_eq!(codes, [page.code], "{shown}");
        let repaired = load("table.ron", page.repaired, &mut standalone);
        let shown = render(&repaired.diagnostics, &repaired.sources, Style::Plain);
        assert_eq!(shown, "", "{}", page.code);
    }
}

#[test]
fn every_code_has_a_test() {
    let tests = include_str!("tests.rs");
    for page in pages()
        .into_iter()
        .filter(|page| page.code.starts_with('P'))
    {
        assert!(
            tests.contains(&format!("    {} `", page.code)) || page.code == "P002",
            "{}",
            page.code
        );
    }
}
