//! Diagrams become a rule table, with the quantities that their lines name.

use std::fmt::Write as _;

use indexmap::IndexSet;

use super::Diagram;
use crate::source::SourceMap;
use crate::tree::{AnyRow, Expr, ExprKind, List, LiteralKind, Value};
use crate::{parse, print};

/// A table of machines. What their lines write is declared as a real that begins at 0, what they only read as a
/// constant 1: whoever goes on with it sets the values.
///
/// Result: the text, which may have mistakes that stood in the labels.
pub fn table(name: &str, diagrams: &[Diagram]) -> String {
    let mut written: IndexSet<String> = IndexSet::new();
    let mut read: IndexSet<String> = IndexSet::new();
    let mut sources = SourceMap::default();
    for diagram in diagrams {
        let rows = diagram.states.iter().flat_map(|(_, rows)| rows);
        for row in rows {
            let id = sources.add("<row>", row.clone());
            let (row, _) = parse::line(&sources, sources.span(id), Some(List::Relations));
            if let Some(AnyRow::Relation(row)) = row {
                written.extend(row.body.targets.iter().map(|name| name.value.clone()));
                if let Value::Exprs(values) = &row.body.value {
                    values.iter().for_each(|value| names(value, &mut read));
                }
            }
        }
        for transition in &diagram.transitions {
            let id = sources.add("<transition>", line(transition));
            let (row, _) = parse::transition(&sources, sources.span(id));
            let Some(row) = row else { continue };
            for literal in &row.body.when.literals {
                if let LiteralKind::Comparison(comparison) = &literal.kind {
                    names(&comparison.left, &mut read);
                    names(&comparison.right, &mut read);
                }
            }
            for (target, value) in &row.body.set {
                written.insert(target.value.clone());
                names(value, &mut read);
            }
        }
    }
    let mut text = format!("(\n    format: 1,\n    name: {},\n", print::string(name));
    let constants = read.iter().filter(|name| !written.contains(*name));
    let quantities = |text: &mut String, field: &str, value: &str, names: Vec<&String>| {
        if names.is_empty() {
            return;
        }
        let _ = writeln!(text, "    {field}: {{");
        for name in names {
            let _ = writeln!(
                text,
                "        {}: {value},",
                print::string(&print::name(name))
            );
        }
        text.push_str("    },\n");
    };
    quantities(&mut text, "constants", "1", constants.collect());
    quantities(&mut text, "reals", "0", written.iter().collect());
    text.push_str("    machines: {\n");
    for diagram in diagrams {
        machine(&mut text, diagram, name);
    }
    text.push_str("    },\n)\n");
    text
}

fn machine(text: &mut String, diagram: &Diagram, table: &str) {
    let string = |text: &str| print::string(text);
    let name = if diagram.name.is_empty() {
        table
    } else {
        &diagram.name
    };
    let _ = writeln!(text, "        {}: (", string(&print::name(name)));
    if let Some(start) = &diagram.start {
        let _ = writeln!(text, "            start: {},", string(&print::name(start)));
    }
    text.push_str("            states: {\n");
    for (state, rows) in &diagram.states {
        let rows: Vec<String> = rows.iter().map(|row| string(row)).collect();
        let state = string(&print::name(state));
        let _ = match rows.len() {
            0 => writeln!(text, "                {state}: [],"),
            _ => {
                let rows = rows.join(",\n                    ");
                writeln!(
                    text,
                    "                {state}: [\n                    {rows},\n                ],"
                )
            }
        };
    }
    text.push_str("            },\n            transitions: [\n");
    for transition in &diagram.transitions {
        let _ = writeln!(text, "                {},", string(&line(transition)));
    }
    text.push_str("            ],\n        ),\n");
}

/// `[id] a -> b when label`
fn line((from, to, label): &(String, String, String)) -> String {
    let (id, rest) = match label.split_once(']') {
        Some((id, rest)) if id.starts_with('[') => (format!("{id}] "), rest.trim_start()),
        _ => (String::new(), label.as_str()),
    };
    let rest = rest.strip_prefix("when ").unwrap_or(rest);
    format!(
        "{id}{} -> {} when {rest}",
        print::name(from),
        print::name(to)
    )
}

fn names(expr: &Expr, into: &mut IndexSet<String>) {
    match &expr.kind {
        ExprKind::Name(name) => _ = into.insert(name.clone()),
        ExprKind::Paren(inner) | ExprKind::Neg(inner) => names(inner, into),
        ExprKind::Binary(_, left, right) => {
            names(left, into);
            names(right, into);
        }
        ExprKind::Call(_, args) => args.iter().for_each(|arg| names(arg, into)),
        _ => {}
    }
}
