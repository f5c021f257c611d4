//! Tables in, models or reports out.

use insta::assert_snapshot;
use situ_engine::ids::ExprId;
use situ_engine::model::{
    Argument, Boolean, Coefficient, Expr, Guard, Literal, Model, Quantity, Setting, WatchLiteral,
};

use super::{condition, expression, setting};
use crate::diag::{Style, pages, render};
use crate::load::{Loaded, TableText, load, standalone};

/// The reports on a table, rendered.
fn reports(text: &str) -> String {
    let loaded = load("table.ron", text, &mut standalone);
    render(&loaded.diagnostics, &loaded.sources, Style::Plain)
}

/// The model of a table without mistakes.
fn model(text: &str) -> Model {
    let loaded = load("table.ron", text, &mut standalone);
    let reports = render(&loaded.diagnostics, &loaded.sources, Style::Plain);
    loaded.model.unwrap_or_else(|| panic!("{reports}"))
}

/// A table over the quantities of the tests, with these relations.
fn table(relations: &[&str]) -> String {
    let rows: Vec<String> = relations.iter().map(|row| format!("{row:?}")).collect();
    format!(
        r#"(format: 1,
    constants: {{"m": 2, "g": 9.81, "K": 8000}},
    reals: {{"x": 1, "y": 2, "z": 3, "v": 4}},
    switches: {{"on": true}},
    ranges: ["low: x < 1"],
    situations: ["event hit: x > 2"],
    relations: [
        {},
    ],
)"#,
        rows.join(",\n        ")
    )
}

/// The relations of a model in functional form: `x = procedure(coef; arguments; coef2) guard`.
fn relations(model: &Model) -> Vec<String> {
    model
        .relations
        .iter()
        .map(|relation| {
            let targets: Vec<&str> = relation
                .targets
                .iter()
                .map(|real| &*model.reals[real.index()].name)
                .collect();
            let args: Vec<String> = relation
                .args
                .iter()
                .map(|arg| match arg {
                    Argument::Real(expr) => formula(model, *expr),
                    Argument::Boolean(literal) => literal_text(model, literal),
                })
                .collect();
            let coef2 = match relation.coef2 {
                Coefficient::ONE => String::new(),
                coef2 => format!("; {}", coefficient(model, coef2)),
            };
            let guard = match &relation.guard {
                Guard::Always => String::new(),
                Guard::Otherwise => " otherwise".to_owned(),
                Guard::When(all) => {
                    let literals: Vec<String> = all
                        .iter()
                        .map(|literal| literal_text(model, literal))
                        .collect();
                    format!(" when {}", literals.join(" & "))
                }
            };
            format!(
                "{} {} {}({}; {}{coef2}){guard}",
                targets.join(", "),
                if relation.once { ":=" } else { "=" },
                relation.procedure.get().name,
                coefficient(model, relation.coef),
                args.join(", "),
            )
        })
        .collect()
}

fn coefficient(model: &Model, coef: Coefficient) -> String {
    match coef {
        Coefficient::Number(number) => number.to_string(),
        Coefficient::Constant { id, negative } => {
            let sign = if negative { "-" } else { "" };
            format!("{sign}{}", model.constants[id.index()].name)
        }
    }
}

fn literal_text(model: &Model, literal: &Literal) -> String {
    let sign = if literal.negated { "!" } else { "" };
    let name = match literal.what {
        Boolean::Schedule(id) => {
            let schedule = &model.schedules[id.index()];
            format!(
                "every({}, {})",
                formula(model, schedule.period),
                formula(model, schedule.first)
            )
        }
        what => model.boolean_name(what),
    };
    format!("{sign}{name}")
}

/// An expression with all its brackets.
fn formula(model: &Model, expr: ExprId) -> String {
    let binary =
        |left, op, right| format!("({} {op} {})", formula(model, left), formula(model, right));
    match model.exprs.get(expr) {
        Expr::Number(number) => number.to_string(),
        Expr::Constant(id) => model.constants[id.index()].name.clone(),
        Expr::Real(id) => model.reals[id.index()].name.clone(),
        Expr::Time => "time".to_owned(),
        Expr::Neg(a) => format!("-{}", formula(model, *a)),
        Expr::Add(a, b) => binary(*a, "+", *b),
        Expr::Sub(a, b) => binary(*a, "-", *b),
        Expr::Mul(a, b) => binary(*a, "*", *b),
        Expr::Div(a, b) => binary(*a, "/", *b),
        Expr::Call(procedure, args) => {
            let args: Vec<String> = args.iter().map(|arg| formula(model, *arg)).collect();
            format!("{}({})", procedure.get().name, args.join(", "))
        }
    }
}

#[test]
fn lines_become_columns() {
    let cases = [
        // Alone
        ("x", "assignment(1; x)"),
        ("m", "assignment(1; m)"),
        ("3", "assignment(1; 3)"),
        ("-3", "assignment(1; -3)"),
        ("-pi", "assignment(1; -3.141592653589793)"),
        ("time", "assignment(1; time)"),
        ("(x + y)", "assignment(1; (x + y))"),
        ("-x", "proportional(-1; x)"),
        ("-m", "proportional(-1; m)"),
        ("-(x + y)", "proportional(-1; (x + y))"),
        ("-(-x)", "proportional(-1; -x)"),
        // Two factors
        ("2 * x", "proportional(2; x)"),
        ("-2 * x", "proportional(-2; x)"),
        ("m * x", "proportional(m; x)"),
        ("-m * x", "proportional(-m; x)"),
        ("pi * x", "proportional(3.141592653589793; x)"),
        ("2 * (x + y)", "proportional(2; (x + y))"),
        ("2 * m", "proportional(2; m)"),
        ("-2 * m", "proportional(-2; m)"),
        ("2 * -m", "proportional(2; -m)"),
        ("2 * -x", "proportional(2; -x)"),
        ("m * g", "product(1; m, g)"),
        ("-m * g", "product(-1; m, g)"),
        ("m * 2", "product(1; m, 2)"),
        ("2 * 3", "product(1; 2, 3)"),
        ("-2 * 3", "product(-1; 2, 3)"),
        ("x * y", "product(1; x, y)"),
        ("-x * y", "product(-1; x, y)"),
        ("x * 2", "product(1; x, 2)"),
        ("(2) * x", "product(1; 2, x)"),
        ("(m) * x", "product(1; m, x)"),
        // A coefficient of the procedure that is called
        ("2 * sin(x)", "sin(2; x)"),
        ("-m * sin(x)", "sin(-m; x)"),
        ("-sin(x)", "sin(-1; x)"),
        ("2 * x^2", "power(2; x, 2)"),
        ("-x^2", "power(-1; x, 2)"),
        ("2 * (sin(x))", "proportional(2; sin(x))"),
        ("2 * product(x, y)", "proportional(2; product(x, y))"),
        ("2 * min(x, y) ", "min(2; x, y)"),
        ("x * sin(y)", "product(1; x, sin(y))"),
        // More factors
        ("2 * x * y", "product(2; x, y)"),
        ("-m * x * y", "product(-m; x, y)"),
        ("2 * 3 * x", "product(2; 3, x)"),
        ("m * g * x", "product(m; g, x)"),
        ("x * y * z", "product(1; (x * y), z)"),
        ("-x * y * z", "product(-1; (x * y), z)"),
        ("2 * x * y * z", "product(1; ((2 * x) * y), z)"),
        ("-2 * x * y * z", "product(-1; ((2 * x) * y), z)"),
        ("2 * m * sin(x)", "product(2; m, sin(x))"),
        // Quotients
        ("x / y", "quotient(1; x, y)"),
        ("-x / y", "quotient(-1; x, y)"),
        ("2 * x / y", "quotient(2; x, y)"),
        ("-m * x / y", "quotient(-m; x, y)"),
        ("m * g / x", "quotient(m; g, x)"),
        ("2 * 3 / x", "quotient(2; 3, x)"),
        ("1 / x", "quotient(1; 1, x)"),
        ("-1 / x", "quotient(-1; 1, x)"),
        ("m / x", "quotient(1; m, x)"),
        ("x * y / z", "quotient(1; (x * y), z)"),
        ("-x * y / z", "quotient(-1; (x * y), z)"),
        ("2 * x * y / z", "quotient(1; ((2 * x) * y), z)"),
        ("x / y / z", "quotient(1; (x / y), z)"),
        ("-x / y / z", "quotient(-1; (x / y), z)"),
        ("x / y * z", "product(1; (x / y), z)"),
        ("-x / y * z", "product(-1; (x / y), z)"),
        ("2 * (x / y)", "proportional(2; (x / y))"),
        // Sums
        ("x + y", "sum(1; x, y)"),
        ("x - y", "sum(1; x, y; -1)"),
        ("-x - y", "sum(-1; x, y; -1)"),
        ("2 * x - 3 * y", "sum(2; x, y; -3)"),
        ("m * x + g * y", "sum(m; x, y; g)"),
        ("x - m * y", "sum(1; x, y; -m)"),
        ("m * g + x", "sum(m; g, x)"),
        ("2 * 3 + x", "sum(1; (2 * 3), x)"),
        ("2 + x", "sum(1; 2, x)"),
        ("-2 + x", "sum(-1; 2, x)"),
        ("x * y - z", "sum(1; (x * y), z; -1)"),
        ("-x * y - z", "sum(-1; (x * y), z; -1)"),
        ("x - -y", "sum(1; x, y)"),
        ("x + y + z", "sum(1; (x + y), z)"),
        ("-x + y - z", "sum(1; (-x + y), z; -1)"),
        ("x - (y + z)", "sum(1; x, (y + z); -1)"),
        ("2 * (x + y) - z", "sum(2; (x + y), z; -1)"),
        ("2 * sin(x) + 1", "sum(2; sin(x), 1)"),
        // Calls
        ("sum(x, y)", "sum(1; x, y)"),
        ("-sum(x, y)", "sum(-1; x, y; -1)"),
        ("product(2 * x, y)", "product(1; (2 * x), y)"),
        ("sin(2 * x)", "sin(1; (2 * x))"),
        ("clamp(x, 0, 1)", "clamp(1; x, 0, 1)"),
        ("pulse(2, 1)", "pulse(1; 2, 1, 0)"),
        ("assignment(x + y)", "assignment(1; (x + y))"),
        // Memory
        ("integral(x)", "integral(1; x)"),
        ("integral(2 * x)", "integral(2; x)"),
        ("integral(-m * x)", "integral(-m; x)"),
        ("integral(m * g)", "integral(m; g)"),
        ("integral(-x)", "integral(-1; x)"),
        ("integral(-3)", "integral(-1; 3)"),
        ("integral(-x * y)", "integral(-1; (x * y))"),
        ("integral(2 * x * y)", "integral(1; ((2 * x) * y))"),
        ("integral((2 * x))", "integral(1; (2 * x))"),
        ("derivative(-x)", "derivative(-1; x)"),
        ("delay(2 * x, 0.5)", "delay(2; x, 0.5)"),
        ("smoothing(x, 2)", "smoothing(2; x)"),
        ("smoothing(2 * x, m)", "smoothing(m; (2 * x))"),
        ("sample_and_hold(2 * x, on)", "sample_and_hold(2; x, on)"),
        ("counter(!low)", "counter(1; !low)"),
        ("timer(x < 1)", "timer(1; x < 1)"),
        ("hysteresis(-x, 1, 2)", "hysteresis(1; -x, 1, 2)"),
    ];
    for (line, columns) in cases {
        let model = model(&table(&[&format!("v = {line}")]));
        assert_eq!(relations(&model), [format!("v = {columns}")], "{line}");
    }
}

#[test]
fn both_spellings_give_one_relation() {
    let columns = r#"(format: 1,
    constants: {"m": 2, "g": 9.81, "K": 8000},
    reals: {"x": 1, "y": 2, "z": 3, "v": 4},
    switches: {"on": true},
    ranges: [(name: "low", all: [("x", "<", 1)])],
    situations: [(name: "hit", event: true, all: ["x > 2"])],
    relations: [
        (real: "x", procedure: "product", coef: -1, args: ["m", "g"]),
        (real: "y", procedure: "sum", coef: 2, args: ["x", "y"], coef2: "-K", when: ["on", "!low"]),
        (real: "z", procedure: "integral", coef: "K", args: ["x"], otherwise: false),
        (real: "y", procedure: "assignment", args: [0], otherwise: true),
        (real: ["x", "v"], once: true, procedure: "assignment", args: ["v", "x * y"], when: ["hit"]),
        (real: "v", procedure: "counter", args: ["y >= 2"]),
    ],
)"#;
    let lines = table(&[
        "x = -m * g",
        "y = 2 * x - K * y when on & !low",
        "z = integral(K * x)",
        "y = 0 otherwise",
        "x, v := v, x * y when hit",
        "v = counter(y >= 2)",
    ]);
    let [columns, lines] = [model(columns), model(&lines)];
    assert_eq!(relations(&columns), relations(&lines));
    assert_eq!(columns.ranges.len(), lines.ranges.len());
}

#[test]
fn pages_show_what_they_say() {
    for page in pages()
        .into_iter()
        .filter(|page| page.code.starts_with('N'))
    {
        let mut loader = |path: &str, _: &str| match page.base {
            Some(base) if path == "base.ron" => Ok(TableText {
                name: path.to_owned(),
                text: base.to_owned(),
            }),
            _ => Err("there is no such file".to_owned()),
        };
        let bad = load("table.ron", page.bad, &mut loader);
        let codes: Vec<&str> = bad.diagnostics.iter().map(|report| report.code).collect();
        assert_eq!(
            codes,
            [page.code],
            "{}",
            render(&bad.diagnostics, &bad.sources, Style::Plain)
        );
        let repaired = load("table.ron", page.repaired, &mut loader);
        let found = render(&repaired.diagnostics, &repaired.sources, Style::Plain);
        assert_eq!(found, "", "{}", page.code);
    }
}

#[test]
fn names_are_reported_once_with_the_nearest_known_one() {
    assert_snapshot!(reports(&table(&[
        "x = integral(xx) when lo",
        "y = xx * K_brak",
        "v = -M * g when lo",
        "`pos x` = 3 when hitt",
        "u = integral(y)",
        "u = pos + m * sin",
    ])), @r#"
        error[N001]: unknown name `xx`
         --> table.ron:8:23
          |
        8 |         "x = integral(xx) when lo",
          |                       ^^ used as a number here
          |
          = note: used in 2 places
        help: did you mean `x`?
          |
        8 -         "x = integral(xx) when lo",
        8 +         "x = integral(x) when lo",
          |

        error[N001]: unknown name `lo`
         --> table.ron:8:32
          |
        8 |         "x = integral(xx) when lo",
          |                                ^^ used as a condition here
          |
          = note: used in 2 places
        help: did you mean `low`?
          |
        8 |         "x = integral(xx) when low",
          |                                  +

        error[N001]: unknown name `K_brak`
         --> table.ron:9:19
          |
        9 |         "y = xx * K_brak",
          |                   ^^^^^^ used as a number here
          |
        help: declare it in `constants`
          |
        2 |     constants: {"m": 2, "g": 9.81, "K": 8000, "K_brak": 0},
          |                                             +++++++++++++

        error[N001]: unknown name `M`
          --> table.ron:10:15
           |
        10 |         "v = -M * g when lo",
           |               ^ used as a number here
           |
        help: did you mean `m`?
           |
        10 -         "v = -M * g when lo",
        10 +         "v = -m * g when lo",
           |

        error[N005]: `pos x` is written, but the table has no real of that name
          --> table.ron:11:10
           |
        11 |         "`pos x` = 3 when hitt",
           |          ^^^^^^^ written here
           |
        help: declare it in `reals`
           |
         3 |     reals: {"x": 1, "y": 2, "z": 3, "v": 4, "`pos x`": 0},
           |                                           ++++++++++++++

        error[N001]: unknown name `hitt`
          --> table.ron:11:27
           |
        11 |         "`pos x` = 3 when hitt",
           |                           ^^^^ used as a condition here
           |
        help: did you mean `hit`?
           |
        11 -         "`pos x` = 3 when hitt",
        11 +         "`pos x` = 3 when hit",
           |

        error[N005]: `u` is written, but the table has no real of that name
          --> table.ron:12:10
           |
        12 |         "u = integral(y)",
           |          ^ written here
           |
           = note: used in 2 places
        help: declare it in `reals`
           |
         3 |     reals: {"x": 1, "y": 2, "z": 3, "v": 4, "u": 0},
           |                                           ++++++++

        error[N001]: unknown name `pos`
          --> table.ron:13:14
           |
        13 |         "u = pos + m * sin",
           |              ^^^ used as a number here
           |
        help: declare it in `constants`
           |
         2 |     constants: {"m": 2, "g": 9.81, "K": 8000, "pos": 0},
           |                                             ++++++++++

        error[N001]: unknown name `sin`
          --> table.ron:13:24
           |
        13 |         "u = pos + m * sin",
           |                        ^^^ used as a number here
           |
           = help: `sin` is a procedure: write `sin(a)`
        "#);
}

#[test]
fn names_that_look_alike() {
    assert_snapshot!(reports(r#"(format: 1,
    constants: {"с": 1, "рост": 2},
    reals: {"c": 0, "Fс": 1, "Fтр": 2},
    relations: ["c = рoст * Fс", "Fс = Fтр", "Fтр = -с"],
)"#), @r#"
        warning[N003]: two names look like `c`
         --> table.ron:3:14
          |
        2 |     constants: {"с": 1, "рост": 2},
          |                  - all letters are Cyrillic
        3 |     reals: {"c": 0, "Fс": 1, "Fтр": 2},
          |              ^ all letters are Latin
          |
          = help: give one of them another name, or write both with the same letters

        warning[N004]: `Fс` mixes Latin and Cyrillic letters that look alike
         --> table.ron:3:22
          |
        3 |     reals: {"c": 0, "Fс": 1, "Fтр": 2},
          |                      ^^ Cyrillic: с
          |
          = help: write the word with letters of one alphabet

        error[N001]: unknown name `рoст`
         --> table.ron:4:22
          |
        4 |     relations: ["c = рoст * Fс", "Fс = Fтр", "Fтр = -с"],
          |                      ^^^^ used as a number here
          |
        help: did you mean `рост`? It looks the same, but has Latin letters where this has Cyrillic ones or the reverse
          |
        4 -     relations: ["c = рoст * Fс", "Fс = Fтр", "Fтр = -с"],
        4 +     relations: ["c = рост * Fс", "Fс = Fтр", "Fтр = -с"],
          |
        "#);
}

#[test]
fn what_other_languages_allow_is_answered_in_kind() {
    let reports = reports(&table(&["x = max(1,2,3)", "y = 2 when EverTrue"]));
    for help in [
        "write `max(max(a1, a2), a3)`",
        "a row without `when` always holds",
    ] {
        assert!(reports.contains(help), "{reports}");
    }
}

#[test]
fn kinds() {
    assert_snapshot!(reports(&table(&[
        "x = 2 * low + y when z",
        "y = sin(x < 1)",
        "z = counter(x)",
        "v = counter(x + 1)",
        "m = 3 * x",
        "m = 4 * x",
        "on = 1",
        "hit = x",
        "x = integral(y) when hit",
        "y = 2 * integral(x)",
        "v = -smoothing(x, 2)",
        "x := 2",
        "x := 2 when on & !hit",
        "z = x(3)",
        "z = sinus(x)",
        "z = clamp(x)",
        "z = delay(x, y)",
        "z = smoothing(x)",
        "z = smoothing(x, y)",
        "z = smoothing(x, 2 * m)",
        "z = smoothing(x, 1, 2)",
        "x, x := 1, 2 when hit",
        "z = x when every(y) & every()",
    ])), @r#"
        error[N008]: `low` is a range, but a number is needed
         --> table.ron:8:18
          |
        5 |     ranges: ["low: x < 1"],
          |               --- a range, declared here
        ...
        8 |         "x = 2 * low + y when z",
          |                  ^^^ a number is needed here

        error[N009]: `z` is a real, but a condition is needed
         --> table.ron:8:31
          |
        3 |     reals: {"x": 1, "y": 2, "z": 3, "v": 4},
          |                              - a real, declared here
        ...
        8 |         "x = 2 * low + y when z",
          |                               ^ a condition is needed here
          |
          = help: compare it with something, as in `z > 0`

        error[N008]: a condition stands where a number is needed
         --> table.ron:9:18
          |
        9 |         "y = sin(x < 1)",
          |                  ^^^^^ a number is needed here

        error[N009]: `x` is a real, but a condition is needed
          --> table.ron:10:22
           |
         3 |     reals: {"x": 1, "y": 2, "z": 3, "v": 4},
           |              - a real, declared here
        ...
        10 |         "z = counter(x)",
           |                      ^ a condition is needed here
           |
           = help: compare it with something, as in `x > 0`

        error[N009]: a number stands where a condition is needed
          --> table.ron:11:22
           |
        11 |         "v = counter(x + 1)",
           |                      ^^^^^ a condition is needed here
           |
           = help: write a name of a range, situation or switch, or a comparison

        error[N010]: the constant `m` is written
          --> table.ron:12:10
           |
         2 |     constants: {"m": 2, "g": 9.81, "K": 8000},
           |                  - a constant here
        ...
        12 |         "m = 3 * x",
           |          ^ written here
           |
        help: move it to `reals`
           |
         2 ~     constants: {"g": 9.81, "K": 8000},
         3 ~     reals: {"x": 1, "y": 2, "z": 3, "v": 4, "m": 2},
           |

        error[N011]: `on` is a switch; a relation writes reals only
          --> table.ron:14:10
           |
         4 |     switches: {"on": true},
           |                 -- a switch, declared here
        ...
        14 |         "on = 1",
           |          ^^ a real is needed here
           |
           = help: a switch is set by an assignment: `when condition: on`

        error[N011]: `hit` is a situation; a relation writes reals only
          --> table.ron:15:10
           |
         6 |     situations: ["event hit: x > 2"],
           |                         --- a situation, declared here
        ...
        15 |         "hit = x",
           |          ^^^ a real is needed here

        error[N014]: `integral` has a memory and cannot run at an event
          --> table.ron:16:14
           |
        16 |         "x = integral(y) when hit",
           |              ^^^^^^^^^^^      --- true for an instant only
           |              |
           |              works through time
           |
           = help: use a situation that lasts

        error[N015]: `integral` has a memory and cannot stand inside an expression
          --> table.ron:17:18
           |
        17 |         "y = 2 * integral(x)",
           |                  ^^^^^^^^ must stand outermost in its row
           |
           = help: write a coefficient inside, `integral(2 * a)`, or give the integral a row and a name of its own

        error[N015]: `smoothing` has a memory and cannot stand inside an expression
          --> table.ron:18:15
           |
        18 |         "v = -smoothing(x, 2)",
           |               ^^^^^^^^^ must stand outermost in its row
           |
           = help: give it a row and a name of its own

        error[N013]: `:=` works at an event only
          --> table.ron:19:12
           |
        19 |         "x := 2",
           |            ^^
           |
        help: write `=`, or name an event in the condition, such as the situation `event hit: h < 0`
           |
        19 -         "x := 2",
        19 +         "x = 2",
           |

        error[N013]: `:=` works at an event only
          --> table.ron:20:12
           |
        20 |         "x := 2 when on & !hit",
           |            ^^        --------- no event
           |
        help: write `=`, or name an event in the condition, such as the situation `event hit: h < 0`
           |
        20 -         "x := 2 when on & !hit",
        20 +         "x = 2 when on & !hit",
           |

        error[N006]: unknown procedure `x`
          --> table.ron:21:14
           |
        21 |         "z = x(3)",
           |              ^ no procedure of this name
           |
           = help: `x` is a real; a product needs a `*`

        error[N006]: unknown procedure `sinus`
          --> table.ron:22:14
           |
        22 |         "z = sinus(x)",
           |              ^^^^^ no procedure of this name
           |
        help: did you mean `sin`?
           |
        22 -         "z = sinus(x)",
        22 +         "z = sin(x)",
           |

        error[N007]: `clamp` takes 3 arguments, 1 given
          --> table.ron:23:14
           |
        23 |         "z = clamp(x)",
           |              ^^^^^
           |
           = help: write `clamp(a, low, high)`

        error[N022]: `y` is not known before the run
          --> table.ron:24:23
           |
        24 |         "z = delay(x, y)",
           |                       ^ changes during the run
           |
          ::: table.ron:3:22
           |
         3 |     reals: {"x": 1, "y": 2, "z": 3, "v": 4},
           |                      - a real here
           |
           = help: only numbers and constants may stand here

        error[N021]: `smoothing` needs its `T`
          --> table.ron:25:14
           |
        25 |         "z = smoothing(x)",
           |              ^^^^^^^^^
           |
           = help: write `smoothing(a, T)`; in columns, `T` is the coefficient `coef`

        error[N020]: `T` of `smoothing` must be a number or a constant; `y` is a real
          --> table.ron:26:27
           |
        26 |         "z = smoothing(x, y)",
           |                           ^
           |
          ::: table.ron:3:22
           |
         3 |     reals: {"x": 1, "y": 2, "z": 3, "v": 4},
           |                      - a real, declared here

        error[N020]: `T` of `smoothing` must be a number or the name of a constant, with or without a sign
          --> table.ron:27:27
           |
        27 |         "z = smoothing(x, 2 * m)",
           |                           ^^^^^
           |
           = help: give the expression a name in `constants`

        error[N007]: `smoothing` takes 2 arguments, 3 given
          --> table.ron:28:14
           |
        28 |         "z = smoothing(x, 1, 2)",
           |              ^^^^^^^^^
           |
           = help: write `smoothing(a, T)`

        error[N024]: `x` is written twice by one row
          --> table.ron:29:13
           |
        29 |         "x, x := 1, 2 when hit",
           |          -  ^
           |          |
           |          the first
           |
           = help: leave one

        error[N022]: `y` is not known before the run
          --> table.ron:30:27
           |
        30 |         "z = x when every(y) & every()",
           |                           ^ changes during the run
           |
          ::: table.ron:3:22
           |
         3 |     reals: {"x": 1, "y": 2, "z": 3, "v": 4},
           |                      - a real here
           |
           = help: only numbers and constants may stand here

        error[N007]: `every` takes 1 to 2 arguments, 0 given
          --> table.ron:30:32
           |
        30 |         "z = x when every(y) & every()",
           |                                ^^^^^^^
           |
           = help: write `every(period)` or `every(period, first)`
        "#);
}

#[test]
fn columns_that_do_not_fit() {
    assert_snapshot!(reports(r#"(format: 1,
    constants: {"m": 2},
    reals: {"x": 0, "y": 1},
    situations: [(name: "go", event: true, all: ["x > 1"])],
    relations: [
        (real: "x", procedure: "mul", args: ["x", "y"]),
        (real: "x", procedure: "sum", coef: "x", args: ["x", "y"], coef2: "2 * m"),
        (real: "x", procedure: "product", args: ["x", "y"], coef2: 2),
        (real: "x", procedure: "counter", coef: 2, args: ["go"]),
        (real: "x", procedure: "counter", coef: 1, args: ["go"]),
        (real: "x", procedure: "smoothing", args: ["y"]),
        (real: "y", procedure: "assignment", once: true, args: ["x"]),
        (real: ["x", "y"], procedure: "sum", once: true, args: ["y", "x"], when: ["go"]),
        (real: ["x", "y"], procedure: "assignment", once: true, args: ["y"], when: ["go"]),
    ],
)"#), @r#"
        error[N006]: unknown procedure `mul`
         --> table.ron:6:32
          |
        6 |         (real: "x", procedure: "mul", args: ["x", "y"]),
          |                                ^^^^^ no procedure of this name
          |
        help: did you mean `product`?
          |
        6 -         (real: "x", procedure: "mul", args: ["x", "y"]),
        6 +         (real: "x", procedure: "product", args: ["x", "y"]),
          |

        error[N020]: a coefficient must be a number or a constant; `x` is a real
         --> table.ron:7:46
          |
        3 |     reals: {"x": 0, "y": 1},
          |              - a real, declared here
        ...
        7 |         (real: "x", procedure: "sum", coef: "x", args: ["x", "y"], coef2: "2 * m"),
          |                                              ^
          |
          = help: a product of two quantities is the procedure `product`

        error[N020]: a coefficient must be a number or the name of a constant, with or without a sign
         --> table.ron:7:76
          |
        7 |         (real: "x", procedure: "sum", coef: "x", args: ["x", "y"], coef2: "2 * m"),
          |                                                                            ^^^^^
          |
          = help: give the expression a name in `constants`

        error[N021]: `product` takes no second coefficient; only `sum` does
         --> table.ron:8:68
          |
        8 |         (real: "x", procedure: "product", args: ["x", "y"], coef2: 2),
          |                                                                    ^
          |
          = help: leave out `coef2`

        error[N021]: `counter` takes no coefficient
         --> table.ron:9:49
          |
        9 |         (real: "x", procedure: "counter", coef: 2, args: ["go"]),
          |                                                 ^
          |
          = help: leave it out, or scale the result in a row of its own

        error[N021]: `smoothing` needs its `T`
          --> table.ron:11:32
           |
        11 |         (real: "x", procedure: "smoothing", args: ["y"]),
           |                                ^^^^^^^^^^^
           |
           = help: write `smoothing(a, T)`; in columns, `T` is the coefficient `coef`

        error[N013]: `once` works at an event only
          --> table.ron:12:52
           |
        12 |         (real: "y", procedure: "assignment", once: true, args: ["x"]),
           |                                                    ^^^^
           |
           = help: leave out `once`, or name an event in `when`, such as the situation `event hit: h < 0`

        error[N023]: several reals are written by `assignment`, not by `sum`
          --> table.ron:13:39
           |
        13 |         (real: ["x", "y"], procedure: "sum", once: true, args: ["y", "x"], when: ["go"]),
           |                                       ^^^^^
           |
           = help: write one row for each

        error[N023]: 2 reals on the left, 1 value on the right
          --> table.ron:14:9
           |
        14 |         (real: ["x", "y"], procedure: "assignment", once: true, args: ["y"], when: ["go"]),
           |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
           |
           = help: write one value for each real
        "#);
}

#[test]
fn rows_in_an_impossible_order() {
    assert_snapshot!(reports(r#"(format: 1,
    reals: {"x": 0, "F": 0},
    switches: {"on": true},
    ranges: ["low: x < 1", "low: x > 3", "b: x > 4"],
    situations: [
        "a: b & c",
        "c: !low",
        "event c: on",
        "d: d & on",
        "b: on & low",
        "e: d",
    ],
    assignments: ["when d: on, x, !e", "when !d: on, !on"],
    relations: [
        "x = integral(1)",
        "F = 1 otherwise",
        "F = 2 otherwise",
    ],
)"#), @r#"
        error[N002]: the name `low` is used twice
         --> table.ron:4:29
          |
        4 |     ranges: ["low: x < 1", "low: x > 3", "b: x > 4"],
          |               ---           ^^^ a range here
          |               |
          |               a range here
          |
          = help: a range has one row: for one name true in several cases, name each range and write a situation with a row for each case

        error[N017]: `c` is used above the row that defines it
         --> table.ron:6:17
          |
        6 |         "a: b & c",
          |                 ^ not computed yet
        7 |         "c: !low",
        8 |         "event c: on",
          |          ----------- computed here
          |
          = help: move this row below all rows of that name

        error[N016]: `c` has rows with and without `event`
         --> table.ron:8:16
          |
        7 |         "c: !low",
          |          - a level here
        8 |         "event c: on",
          |                ^ an event here
          |
          = help: use two names, or write all rows alike

        error[N017]: `d` is defined by itself
         --> table.ron:9:13
          |
        9 |         "d: d & on",
          |             ^
          |
          = help: what has to be remembered is a switch, set by assignments

        error[N002]: the name `b` is used twice
          --> table.ron:10:10
           |
         4 |     ranges: ["low: x < 1", "low: x > 3", "b: x > 4"],
           |                                           - a range here
        ...
        10 |         "b: on & low",
           |          ^ a situation here
           |
           = help: a range has one row: for one name true in several cases, name each range and write a situation with a row for each case

        error[N012]: `x` is a real; an assignment sets switches only
          --> table.ron:13:32
           |
         2 |     reals: {"x": 0, "F": 0},
           |              - a real, declared here
        ...
        13 |     assignments: ["when d: on, x, !e", "when !d: on, !on"],
           |                                ^ a switch is needed here

        error[N012]: `e` is a situation; an assignment sets switches only
          --> table.ron:13:36
           |
        11 |         "e: d",
           |          - a situation, declared here
        12 |     ],
        13 |     assignments: ["when d: on, x, !e", "when !d: on, !on"],
           |                                    ^ a switch is needed here

        error[N024]: `on` is written twice by one row
          --> table.ron:13:55
           |
        13 |     assignments: ["when d: on, x, !e", "when !d: on, !on"],
           |                                                  --   ^^
           |                                                  |
           |                                                  the first
           |
           = help: leave one

        error[N019]: `otherwise` without another row of `F` that has a condition
          --> table.ron:16:16
           |
        16 |         "F = 1 otherwise",
           |                ^^^^^^^^^
           |
           = help: leave it out, or give another row a condition

        error[N018]: `F` has two rows with `otherwise`
          --> table.ron:17:16
           |
        16 |         "F = 1 otherwise",
           |                --------- the first
        17 |         "F = 2 otherwise",
           |                ^^^^^^^^^
           |
           = help: leave one
        "#);
}

#[test]
fn values() {
    assert_snapshot!(reports(r#"(
    constants: {"k": "2 * time", "R": "h + 1", "c": (unit: "m")},
    reals: {"h": "R - d", "d": "R - h", "e": "e", "f": "on + 1"},
    switches: {"on": true},
    situations: ["a: h < 1"],
    relations: ["h = integral(k * c)", "d = e", "f = 2 when every(0) & a & on"],
    cases: {
        "first": (set: {"k": "h", "on": 2, "R": true, "a": true, "q": 1}, clock: (stop_when: "h")),
    },
)"#), @r#"
        error[N036]: the table does not say its `format`
         --> table.ron:1:1
          |
        1 | (
          | ^
          |
        help: this version reads format 1
          |
        1 | (format: 1, 
          |  ++++++++++

        error[N022]: `time` is not known before the run
         --> table.ron:2:27
          |
        2 |     constants: {"k": "2 * time", "R": "h + 1", "c": (unit: "m")},
          |                           ^^^^ changes during the run
          |
          = help: a start value may use numbers, constants and other start values

        error[N027]: the constant `c` has no value
         --> table.ron:2:49
          |
        2 |     constants: {"k": "2 * time", "R": "h + 1", "c": (unit: "m")},
          |                                                 ^
          |
          = help: give it a `start`

        error[N025]: the start value of `h` needs itself
         --> table.ron:3:14
          |
        3 |     reals: {"h": "R - d", "d": "R - h", "e": "e", "f": "on + 1"},
          |              ^             - so does `d`
          |
          = note: the circle: h -> d -> h
          = help: give one of them a number

        error[N025]: the start value of `e` needs itself
         --> table.ron:3:42
          |
        3 |     reals: {"h": "R - d", "d": "R - h", "e": "e", "f": "on + 1"},
          |                                          ^
          |
          = help: give it a number

        error[N008]: `on` is a switch, but a number is needed
         --> table.ron:3:57
          |
        3 |     reals: {"h": "R - d", "d": "R - h", "e": "e", "f": "on + 1"},
          |                                                         ^^ a number is needed here
        4 |     switches: {"on": true},
          |                 -- a switch, declared here

        error[N035]: the period of `every` must be above zero, but is 0
         --> table.ron:6:67
          |
        6 |     relations: ["h = integral(k * c)", "d = e", "f = 2 when every(0) & a & on"],
          |                                                                   ^

        error[N026]: `on` is a switch and starts as `true` or `false`
         --> table.ron:8:41
          |
        4 |     switches: {"on": true},
          |                 -- a switch, declared here
        ...
        8 |         "first": (set: {"k": "h", "on": 2, "R": true, "a": true, "q": 1}, clock: (stop_when: "h")),
          |                                         ^
          |
          = help: 0 and 1 stand for them too

        error[N026]: `R` is a constant and starts as a number
         --> table.ron:8:49
          |
        2 |     constants: {"k": "2 * time", "R": "h + 1", "c": (unit: "m")},
          |                                   - a constant, declared here
        ...
        8 |         "first": (set: {"k": "h", "on": 2, "R": true, "a": true, "q": 1}, clock: (stop_when: "h")),
          |                                                 ^^^^

        error[N026]: `a` is a situation, which is computed and cannot be set
         --> table.ron:8:56
          |
        5 |     situations: ["a: h < 1"],
          |                   - a situation, declared here
        ...
        8 |         "first": (set: {"k": "h", "on": 2, "R": true, "a": true, "q": 1}, clock: (stop_when: "h")),
          |                                                        ^
          |
          = help: constants, reals and switches can be set

        error[N001]: unknown name `q`
         --> table.ron:8:67
          |
        8 |         "first": (set: {"k": "h", "on": 2, "R": true, "a": true, "q": 1}, clock: (stop_when: "h")),
          |                                                                   ^ there is nothing of this name to set

        error[N009]: `h` is a real, but a condition is needed
         --> table.ron:8:95
          |
        3 |     reals: {"h": "R - d", "d": "R - h", "e": "e", "f": "on + 1"},
          |              - a real, declared here
        ...
        8 |         "first": (set: {"k": "h", "on": 2, "R": true, "a": true, "q": 1}, clock: (stop_when: "h")),
          |                                                                                               ^ a condition is needed here
          |
          = help: compare it with something, as in `h > 0`
        "#);
}

#[test]
fn circles_that_a_case_makes() {
    assert_snapshot!(reports(r#"(format: 1,
    constants: {"k": 2, "c": "k + 1"},
    reals: {"h": "2 * c"},
    relations: ["h = integral(k)"],
    cases: {"small": (set: {"k": "h / 2"}), "large": (set: {"k": "2 * 3"})},
)"#), @r#"
        error[N025]: the start value of `k` needs itself
         --> table.ron:2:18
          |
        2 |     constants: {"k": 2, "c": "k + 1"},
          |                  ^       - so does `c`
        3 |     reals: {"h": "2 * c"},
          |              - so does `h`
          |
          = note: the circle: k -> h -> c -> k
          = note: in the case `small`
          = help: give one of them a number
        "#);
}

/// Reads a table that extends others, given by their paths.
fn load_chain(files: &[(&str, &str)], text: &str) -> Loaded {
    let mut loader = |path: &str, _: &str| {
        let found = files.iter().find(|(name, _)| *name == path);
        found
            .map(|(name, text)| TableText {
                name: (*name).to_owned(),
                text: (*text).to_owned(),
            })
            .ok_or_else(|| "there is no such file".to_owned())
    };
    load("table.ron", text, &mut loader)
}

/// A table of three relations that others extend.
const BASE: &str = r#"(format: 1,
    name: "base",
    about: "three rows",
    clock: (step: 0.1, stop: 1, stop_when: "x > 3"),
    constants: {"k": 1, "c": (start: "2 * k", unit: "m", about: "length")},
    reals: {"x": 0, "y": 0, "z": 0},
    switches: {"on": true},
    ranges: ["low: x < 1", "high: x > 2"],
    situations: ["out: !low & on", "out: high"],
    relations: ["x = integral(k)", "y = x when out", "z = c * y"],
    cases: {"fast": (set: {"k": 5}), "slow": (set: {"k": 0.1})},
)"#;

/// The ids and targets of the relations of a table that extends [`BASE`].
fn extended(fields: &str) -> String {
    let text = format!("(format: 1, extends: \"base.ron\",\n    {fields}\n)");
    let loaded = load_chain(&[("base.ron", BASE)], &text);
    let Some(model) = loaded.model else {
        return render(&loaded.diagnostics, &loaded.sources, Style::Plain);
    };
    let ids = model.relations.iter().map(|relation| &*relation.id);
    let rows = ids
        .zip(relations(&model))
        .map(|(id, row)| format!("[{id}] {row}"));
    rows.collect::<Vec<_>>().join("\n")
}

#[test]
fn rows_are_added_replaced_and_dropped() {
    assert_snapshot!(extended(""), @r"
        [1] x = integral(1; k)
        [2] y = assignment(1; x) when out
        [3] z = proportional(c; y)
        ");
    assert_snapshot!(extended(r#"relations: ["x = -x", "[2a after 2] y = 2 * x", "z = z"],"#), @r"
        [1] x = integral(1; k)
        [2] y = assignment(1; x) when out
        [2a] y = proportional(2; x)
        [3] z = proportional(c; y)
        [4] x = proportional(-1; x)
        [6] z = assignment(1; z)
        ");
    assert_snapshot!(extended(r#"relations: [
        "[a after 1] x = 2",
        "[b before 1] x = 3",
        "[c after 1] x = 4",
        "[d before 1] x = 5",
        "[e after c] x = 6",
    ],"#), @r"
        [b] x = assignment(1; 3)
        [d] x = assignment(1; 5)
        [1] x = integral(1; k)
        [a] x = assignment(1; 2)
        [c] x = assignment(1; 4)
        [e] x = assignment(1; 6)
        [2] y = assignment(1; x) when out
        [3] z = proportional(c; y)
        ");
    assert_snapshot!(
        extended(r#"replace: ["2"], relations: ["[2] y = 7", "[4 before 2] y = 8"],"#),
        @r"
        [1] x = integral(1; k)
        [4] y = assignment(1; 8)
        [2] y = assignment(1; 7)
        [3] z = proportional(c; y)
        "
    );
    assert_snapshot!(extended(r#"replace: ["1"], relations: ["[1 after 3] x = 7"],"#), @r"
        [2] y = assignment(1; x) when out
        [3] z = proportional(c; y)
        [1] x = assignment(1; 7)
        ");
    assert_snapshot!(
        extended(r#"drop: ["1", "3"], relations: ["[3] x = 7", "[4 before 2] z = x"],"#),
        @r"
        [4] z = assignment(1; x)
        [2] y = assignment(1; x) when out
        [3] x = assignment(1; 7)
        "
    );
}

#[test]
fn rows_that_are_not_there() {
    assert_snapshot!(extended(r#"
    replace: ["4", "out", "low"],
    drop: ["situations.7", "2", "2", "high"],
    ranges: ["high: x > 5"],
    relations: [
        "[3] z = 2",
        "[6 after nine] z = 2",
        "[7 after 8] z = 2",
        "[8 before 7] z = 3",
    ],"#), @r#"
        error[N031]: there is no row `4`
         --> table.ron:3:15
          |
        3 |     replace: ["4", "out", "low"],
          |               ^^^
          |
          = help: `situ show` lists the rows of a table with their ids

        error[N032]: `out` may mean several rows
         --> table.ron:3:20
          |
        3 |     replace: ["4", "out", "low"],
          |                    ^^^^^
          |
          = help: say which: `situations.1`, `situations.2`

        error[N033]: no row of this table replaces `low`
         --> table.ron:3:27
          |
        3 |     replace: ["4", "out", "low"],
          |                           ^^^^^
          |
         ::: base.ron:8:15
          |
        8 |     ranges: ["low: x < 1", "high: x > 2"],
          |               ---------- to be replaced
          |
          = help: write the new row as `[1] ..` in `ranges`, or use `drop`

        error[N031]: there is no row `situations.7`
         --> table.ron:4:12
          |
        4 |     drop: ["situations.7", "2", "2", "high"],
          |            ^^^^^^^^^^^^^^
          |
          = help: `situ show` lists the rows of a table with their ids

        error[N033]: the row `2` is replaced or dropped twice
         --> table.ron:4:33
          |
        4 |     drop: ["situations.7", "2", "2", "high"],
          |                            ---  ^^^
          |                            |
          |                            the first
          |
          = help: leave one

        error[N030]: the id `3` is used twice
          --> table.ron:7:11
           |
         7 |         "[3] z = 2",
           |           ^
           |
          ::: base.ron:10:55
           |
        10 |     relations: ["x = integral(k)", "y = x when out", "z = c * y"],
           |                                                       --------- the first: its number, as it has no id of its own
           |
           = help: give it another id, or put "3" into `replace` if it replaces that row

        error[N031]: there is no row `nine`
         --> table.ron:8:19
          |
        8 |         "[6 after nine] z = 2",
          |                   ^^^^
          |
          = help: `situ show` lists the rows of a table with their ids

        error[N034]: rows are placed beside each other in a circle
         --> table.ron:9:19
          |
        9 |         "[7 after 8] z = 2",
          |                   ^
          |
          = help: place one of them beside a row of the table that is extended
        "#);
}

#[test]
fn what_defines_a_boolean_is_replaced_by_name() {
    let text = r#"(format: 1, extends: "base.ron",
    replace: ["low", "situations.2"],
    drop: ["situations.1"],
    ranges: ["low: x < 5", "mid: x < 4"],
    situations: ["out: high & mid"],
)"#;
    let model = load_chain(&[("base.ron", BASE)], text).model.unwrap();
    let ranges: Vec<_> = model
        .ranges
        .iter()
        .map(|range| (&*range.id, &*range.name))
        .collect();
    assert_eq!(ranges, [("1", "low"), ("2", "high"), ("4", "mid")]);
    let rows: Vec<_> = model
        .situation_rows
        .iter()
        .map(|row| (&*row.id, row.all.len()))
        .collect();
    assert_eq!(rows, [("2", 2)]);
}

#[test]
fn later_tables_override() {
    let middle = r#"(format: 1, extends: "base.ron",
    name: "middle",
    clock: (step: 0.2, stop_when: "y > 3"),
    constants: {"c": 7},
    reals: {"x": 1},
    switches: {"on": (about: "the switch")},
)"#;
    let text = r#"(format: 1, extends: "middle.ron",
    name: "top",
    clock: (every: 0.4),
    constants: {"c": (about: "width"), "d": 3},
    reals: {"x": (unit: "m", output: false), "w": "d"},
    switches: {"on": false, "off": true},
    relations: ["w = d when off"],
    cases: {"fast": (set: {"k": 50}, clock: (stop: 9)), "new": (set: {"off": false, "x": "2 * d"})},
)"#;
    let loaded = load_chain(&[("base.ron", BASE), ("middle.ron", middle)], text);
    assert!(loaded.diagnostics.is_empty());
    assert_eq!(loaded.tables.len(), 3);
    let model = loaded.model.unwrap();
    assert_eq!((&*model.name, &*model.about), ("top", "three rows"));
    let clock = &model.clock;
    assert_eq!(
        (clock.step, clock.stop, clock.every),
        (Some(0.2), Some(1.0), Some(0.4))
    );
    assert_eq!(clock.stop_when.as_ref().unwrap().len(), 1);
    let quantity = |quantity: &Quantity| {
        let start = formula(&model, quantity.start);
        let Quantity {
            name,
            unit,
            about,
            output,
            ..
        } = quantity;
        format!("{name} {start} {unit:?} {about:?} {output}")
    };
    let constants: Vec<String> = model.constants.iter().map(quantity).collect();
    assert_eq!(
        constants,
        [
            r#"k 1 "" "" false"#,
            r#"c 7 "m" "width" false"#,
            r#"d 3 "" "" false"#,
        ]
    );
    let reals: Vec<String> = model.reals.iter().map(quantity).collect();
    assert_eq!(
        reals,
        [
            r#"x 1 "m" "" false"#,
            r#"y 0 "" "" true"#,
            r#"z 0 "" "" true"#,
            r#"w d "" "" true"#,
        ]
    );
    let switches: Vec<_> = model
        .switches
        .iter()
        .map(|row| (&*row.name, row.start, &*row.about))
        .collect();
    assert_eq!(switches, [("on", false, "the switch"), ("off", true, "")]);
    let cases: Vec<_> = model
        .cases
        .iter()
        .map(|case| (&*case.name, case.set.len(), case.clock.stop))
        .collect();
    assert_eq!(
        cases,
        [("fast", 1, Some(9.0)), ("slow", 1, None), ("new", 2, None)]
    );
}

#[test]
fn chains_that_do_not_end() {
    let circle = r#"(format: 1, extends: "table.ron", relations: ["x = integral(q)"])"#;
    let text = r#"(format: 1, extends: "a.ron", relations: ["y = x"])"#;
    let loaded = load_chain(&[("a.ron", circle), ("table.ron", text)], text);
    let codes: Vec<_> = loaded
        .diagnostics
        .iter()
        .map(|report| report.code)
        .collect();
    assert_eq!(codes, ["N029"], "names of a broken chain are not reported");

    let mut count = 0;
    let mut endless = |_: &str, _: &str| {
        count += 1;
        let text = r#"(format: 1, extends: "next.ron")"#.to_owned();
        Ok(TableText {
            name: format!("{count}.ron"),
            text,
        })
    };
    let loaded = load("table.ron", text, &mut endless);
    let codes: Vec<_> = loaded
        .diagnostics
        .iter()
        .map(|report| report.code)
        .collect();
    assert_eq!(codes, ["N029"]);
    assert_eq!(loaded.tables.len(), crate::MAX_TABLES);
}

#[test]
fn texts_are_bound_to_a_model() {
    let mut loaded = load("table.ron", &table(&["x = integral(y)"]), &mut standalone);
    let Loaded {
        model,
        origins,
        sources,
        ..
    } = &mut loaded;
    let model = model.as_mut().unwrap();
    let n_ranges = model.ranges.len();

    let watch = condition(
        model,
        origins,
        sources,
        "<--until>",
        "x < m & !low & hit & every(2)",
    );
    let watch = watch.unwrap();
    assert!(matches!(
        watch[..],
        [
            WatchLiteral::Comparison(_),
            WatchLiteral::Boolean(Literal {
                what: Boolean::Range(_),
                negated: true
            }),
            WatchLiteral::Boolean(Literal {
                what: Boolean::Situation(_),
                negated: false
            }),
            WatchLiteral::Boolean(Literal {
                what: Boolean::Schedule(_),
                negated: false
            }),
        ]
    ));
    assert_eq!(
        model.ranges.len(),
        n_ranges,
        "a condition that is watched adds no range"
    );

    let value = expression(model, origins, sources, "<--measure>", "x^2 + time").unwrap();
    assert_eq!(formula(model, value), "(power(x, 2) + time)");

    let changed = setting(model, origins, sources, "<--set>", "m=2*K").unwrap();
    let Setting::Constant(id, value) = changed else {
        panic!("{changed:?}")
    };
    assert_eq!(
        (id.index(), formula(model, value)),
        (0, "(2 * K)".to_owned())
    );
    for (text, expected) in [("on = false", false), ("on=0", false), ("on=1", true)] {
        let changed = setting(model, origins, sources, "<--set>", text).unwrap();
        assert!(matches!(changed, Setting::Switch(_, value) if value == expected));
    }
    let changed = setting(model, origins, sources, "<--set>", "x = -1").unwrap();
    assert!(matches!(changed, Setting::Real(_, _)));

    let mut mistakes = Vec::new();
    for text in ["lo & x", "x + 1", "!"] {
        mistakes.extend(condition(model, origins, sources, "<--until>", text).unwrap_err());
    }
    for text in ["low + u", "integral(x)"] {
        mistakes.extend(expression(model, origins, sources, "<--measure>", text).unwrap_err());
    }
    for text in ["on=2", "M=2", "low=true", "x=time"] {
        mistakes.extend(setting(model, origins, sources, "<--set>", text).unwrap_err());
    }
    assert_snapshot!(render(&mistakes, sources, Style::Plain), @r"
        error[N001]: unknown name `lo`
         --> <--until>:1:1
          |
        1 | lo & x
          | ^^ used as a condition here
          |
        help: did you mean `low`?
          |
        1 | low & x
          |   +

        error[N009]: `x` is a real, but a condition is needed
         --> <--until>:1:6
          |
        1 | lo & x
          |      ^ a condition is needed here
          |
          = help: compare it with something, as in `x > 0`

        error[P023]: this is a number, neither true nor false
         --> <--until>:1:1
          |
        1 | x + 1
          | ^^^^^
          |
          = help: compare it with another value, or name a range, situation or switch

        error[P011]: expected a value after `!`, found the end
         --> <--until>:1:2
          |
        1 | !
          |  ^

        error[N008]: `low` is a range, but a number is needed
         --> <--measure>:1:1
          |
        1 | low + u
          | ^^^ a number is needed here

        error[N001]: unknown name `u`
         --> <--measure>:1:7
          |
        1 | low + u
          |       ^ used as a number here

        error[N015]: `integral` has a memory and cannot stand inside an expression
         --> <--measure>:1:1
          |
        1 | integral(x)
          | ^^^^^^^^ must stand outermost in its row
          |
          = help: write a coefficient inside, `integral(2 * a)`, or give the integral a row and a name of its own

        error[N026]: `on` is a switch and starts as `true` or `false`
         --> <--set>:1:4
          |
        1 | on=2
          |    ^
          |
          = help: 0 and 1 stand for them too

        error[N001]: unknown name `M`
         --> <--set>:1:1
          |
        1 | M=2
          | ^ there is nothing of this name to set
          |
        help: did you mean `m`?
          |
        1 - M=2
        1 + m=2
          |

        error[N026]: `low` is a range, which is computed and cannot be set
         --> <--set>:1:1
          |
        1 | low=true
          | ^^^
          |
          = help: constants, reals and switches can be set

        error[N022]: `time` is not known before the run
         --> <--set>:1:3
          |
        1 | x=time
          |   ^^^^ changes during the run
          |
          = help: a start value may use numbers, constants and other start values
        ");
}

#[test]
fn comparisons_in_conditions_become_ranges_of_their_own() {
    let model = model(&table(&[
        "y = 1 when x<2 & on",
        "y = 2 when x  <  2 & z > 1 + x",
        "v = counter(x < 2)",
        "v := 3 when hit & every(0.5)",
        "v := 4 when every(0.5, 2)",
        "v := 5 when every( 0.5 ) & !start",
    ]));
    let ranges: Vec<_> = model
        .ranges
        .iter()
        .map(|range| (&*range.name, range.anonymous))
        .collect();
    assert_eq!(
        ranges,
        [
            ("low", false),
            ("x > 2", true),
            ("x < 2", true),
            ("z > 1 + x", true)
        ]
    );
    assert_eq!(model.schedules.len(), 2);
    assert_eq!(
        relations(&model)[3..],
        [
            "v := assignment(1; 3) when hit & every(0.5, 0.5)",
            "v := assignment(1; 4) when every(0.5, 2)",
            "v := assignment(1; 5) when every(0.5, 0.5) & !start",
        ]
    );
}

#[test]
fn origins_lead_back_to_the_rows() {
    let loaded = load("table.ron", &table(&["y = x when x<2"]), &mut standalone);
    let model = loaded.model.unwrap();
    let text = |origin| loaded.sources.text(loaded.origins.get(origin).unwrap());
    assert_eq!(text(model.relations[0].origin), "y = x when x<2");
    assert_eq!(text(model.ranges[0].origin), "low: x < 1");
    assert_eq!(text(model.ranges[2].origin), "x<2");
    assert_eq!(text(model.situation_rows[0].origin), "event hit: x > 2");
    assert_eq!(loaded.origins.get(situ_engine::ids::Origin::NONE), None);
}

#[test]
fn what_could_not_be_read_causes_no_further_reports() {
    let codes = |text: &str| {
        let loaded = load("table.ron", text, &mut standalone);
        assert!(loaded.model.is_none());
        let codes: Vec<_> = loaded
            .diagnostics
            .iter()
            .map(|report| report.code)
            .collect();
        let found = render(&loaded.diagnostics, &loaded.sources, Style::Plain);
        (codes.join(" "), found)
    };
    let check = |fields: &str, expected: &str| {
        let (codes, found) = codes(&format!("(format: 1, {fields})"));
        assert_eq!(codes, expected, "{fields}\n{found}");
    };
    let rows = r#"relations: ["x = integral(k) when low & on", "y = 2 otherwise"]"#;
    let reals = r#"reals: {"x": 0, "y": 0}, constants: {"k": 1}, switches: {"on": true}"#;
    let low = r#"ranges: ["low: x < 1"]"#;
    let y =
        r#"relations: ["x = integral(k) when low & on", "y = 2 otherwise", "y = 3 + when low"]"#;
    // A list of the wrong type, entries without a name, unknown fields.
    check(
        &format!(
            r#"reals: ["x", "y"], constants: {{"k": 1}}, switches: {{"on": true}}, {low}, {y}"#
        ),
        "P005 P011",
    );
    check(
        &format!(
            r#"constants: {{"k": 1}}, variables: {{"x": 0, "y": 0}}, switches: {{"on": true}}, {low}, {y}"#
        ),
        "P003 P011",
    );
    check(
        &format!(r#"{reals}, ranges: [(name: "low")], {y}"#),
        "P006 P011",
    );
    check(
        &format!(r#"{reals}, ranges: (low: "x < 1"), {y}"#),
        "P005 P011",
    );
    check(
        &format!(r#"{reals}, ranges: [("low", "x < 1")], {y}"#),
        "P005 P011",
    );
    // The row that `otherwise` differs from, a condition, a value.
    check(
        &format!(
            r#"{reals}, {low}, relations: ["x = integral(k) when on", "y = 2 otherwise", (real: "y", args: [1], when: ["low"])]"#
        ),
        "P006",
    );
    check(
        &format!(
            r#"{reals}, {low}, relations: [(real: "x", procedure: "assignment", once: true, args: [1], when: [3])]"#
        ),
        "P005",
    );
    check(
        &format!(r#"{reals}, {low}, relations: ["x := 3 when low &"]"#),
        "P011",
    );
    check(
        r#"constants: {"k": (start: [])}, reals: {"x": "k"}"#,
        "P005",
    );
    check(
        r#"switches: {"on": true}, cases: {"a": (set: {"on": []})}"#,
        "P005",
    );
    // Reals and values that do not match.
    check(
        &format!(
            r#"{reals}, relations: [(real: ["x", "y"], procedure: "assignment", args: ["y", "x"])]"#
        ),
        "P019",
    );
    check(&format!(r#"{reals}, relations: ["x, y = y, x"]"#), "P019");
    check(
        &format!(r#"{reals}, relations: ["x, y := y when every(1)"]"#),
        "P019",
    );
    // What has nothing to do with it is reported as ever.
    check(
        &format!(
            r#"{reals}, ranges: [(name: "low")], relations: ["x = integral(q) when low & of"]"#
        ),
        "P006 N001 N001",
    );
    check(&format!(r#"{reals}, {low}, {rows}"#), "N019");
}

/// Such a name has no words; it was taken for one that an unreadable row may declare.
#[test]
fn a_name_of_signs_alone_is_unknown_like_any_other() {
    let reports = reports(&table(&["x = m * `+`"]));
    assert!(reports.contains("`+`"), "{reports}");
}
