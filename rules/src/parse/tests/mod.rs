//! Lines and tables in, trees or reports out.

mod expressions;
mod lines;
mod tables;

use super::{expression, line, table};
use crate::diag::{Diagnostic, Style, pages, render};
use crate::load::{load, standalone};
use crate::print;
use crate::source::{SourceMap, Span};
use crate::tree::{AnyRow, Expr, ExprKind, Guard, List, Literal, LiteralKind, Row, Side, Value};

/// An expression with all its structure.
fn shape(expr: &Expr) -> String {
    match &expr.kind {
        ExprKind::Number(value) => print::number(*value),
        ExprKind::Name(name) => print::name(name),
        ExprKind::Element(_)
        | ExprKind::Reduction(_)
        | ExprKind::Counted(_)
        | ExprKind::Terms(_) => print::expression(expr),
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
        LiteralKind::Element(name) => print::written(name),
        LiteralKind::Reduction(reduction) => format!("{:?}", reduction.kind),
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
        AnyRow::Reaction(_) => format!("reaction {}", crate::print::row(row)),
        AnyRow::Shape(_) => format!("shape {}", crate::print::row(row)),
        AnyRow::Relation(row) => {
            let targets: Vec<&str> = row.body.targets.iter().map(|name| &*name.value).collect();
            let once = if row.body.once { " once" } else { "" };
            let value = match &row.body.value {
                Value::Exprs(exprs) => exprs.iter().map(shape).collect::<Vec<_>>().join("; "),
                Value::Solve { .. } | Value::Family(_) => {
                    let exprs = row.body.value.exprs().into_iter().map(shape);
                    format!("solve {}", exprs.collect::<Vec<_>>().join("; "))
                }
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
                Guard::Each(all) => {
                    let all = all.iter().map(|all| literals(&all.literals));
                    format!(" when {}", all.collect::<Vec<_>>().join(", "))
                }
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

/// Each line as it is read.
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
    let tests = [
        include_str!("expressions.rs"),
        include_str!("lines.rs"),
        include_str!("tables.rs"),
    ];
    for page in pages()
        .into_iter()
        .filter(|page| page.code.starts_with('P'))
    {
        let shown = format!("    {} `", page.code);
        assert!(
            tests.iter().any(|text| text.contains(&shown)) || page.code == "P002",
            "{}",
            page.code
        );
    }
}
