//! Tables in, models or reports out.

use insta::assert_snapshot;
use situ_engine::model::{
    Argument, Boolean, Coefficient, Expr, Guard, Literal, Model, Setting, WatchLiteral,
};
use situ_engine::ids::ExprId;

use super::*;
use crate::diag::{PAGES, Style, render};
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
    relations: [{}],
)"#,
        rows.join(", ")
    )
}

/// The relations of a model in functional form: `x = procedure(coef; arguments; coef2) guard`.
fn relations(model: &Model) -> Vec<String> {
    model
        .relations
        .iter()
        .map(|relation| {
            let targets: Vec<&str> =
                relation.targets.iter().map(|real| &*model.reals[real.index()].name).collect();
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
                    let literals: Vec<String> =
                        all.iter().map(|literal| literal_text(model, literal)).collect();
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
            format!("every({}, {})", formula(model, schedule.period), formula(model, schedule.first))
        }
        what => model.boolean_name(what),
    };
    format!("{sign}{name}")
}

/// An expression with all its brackets.
fn formula(model: &Model, expr: ExprId) -> String {
    let binary = |left, op, right| format!("({} {op} {})", formula(model, left), formula(model, right));
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
    for page in PAGES.iter().copied().flatten().filter(|page| page.code.starts_with('N')) {
        let mut loader = |path: &str, _: &str| match page.base {
            Some(base) if path == "base.ron" => {
                Ok(TableText { name: path.to_owned(), text: base.to_owned() })
            }
            _ => Err("there is no such file".to_owned()),
        };
        let bad = load("table.ron", page.bad, &mut loader);
        let codes: Vec<&str> = bad.diagnostics.iter().map(|report| report.code).collect();
        assert_eq!(codes, [page.code], "{}", render(&bad.diagnostics, &bad.sources, Style::Plain));
        let repaired = load("table.ron", page.repaired, &mut loader);
        let found = render(&repaired.diagnostics, &repaired.sources, Style::Plain);
        assert_eq!(found, "", "{}", page.code);
    }
}
