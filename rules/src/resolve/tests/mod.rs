//! Tables in, models or reports out.

mod bases;
mod columns;
mod kinds;
mod names;
mod texts;
mod values;

use situ_engine::ids::ExprId;
use situ_engine::model::{Argument, Boolean, Coefficient, Expr, Guard, Literal, Model};

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
    match &model.exprs.get(expr) {
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
        Expr::Lookup(id, args) => {
            let args: Vec<String> = args.iter().map(|arg| formula(model, *arg)).collect();
            format!("{}({})", model.lookups[id.index()].name, args.join(", "))
        }
    }
}

/// The one file that a page reads beside its table.
struct Base(Option<&'static str>);

impl Base {
    fn read(&self, path: &str, wanted: &str) -> Result<String, String> {
        let base = self.0.filter(|_| path == wanted);
        base.map(str::to_owned)
            .ok_or_else(|| "there is no such file".to_owned())
    }
}

impl crate::Loader for Base {
    fn load(&mut self, path: &str, _: &str) -> Result<TableText, String> {
        Ok(TableText {
            text: self.read(path, "base.ron")?,
            name: path.to_owned(),
        })
    }

    fn data(&mut self, path: &str, _: &str) -> Result<crate::DataFile, String> {
        Ok(crate::DataFile {
            bytes: self.read(path, "base.csv")?.into_bytes(),
            name: path.to_owned(),
        })
    }
}

#[test]
fn pages_show_what_they_say() {
    for page in pages()
        .into_iter()
        .filter(|page| page.code.starts_with(['N', 'F', 'A']))
    {
        let mut loader = Base(page.base);
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
