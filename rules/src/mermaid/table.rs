//! Diagrams become a rule table, with the quantities that their lines name.

use std::fmt::Write as _;

use indexmap::IndexSet;
use situ_engine::procedure::{ParamKind, ProcedureId};

use super::Diagram;
use crate::source::SourceMap;
use crate::tree::{AnyRow, Condition, Expr, ExprKind, Guard, List, Literal, LiteralKind, Value};
use crate::{parse, print};

/// A table of machines. What their lines write is declared as a real that begins at 0, what they only read as a
/// constant 1, and conditions that are neither states nor transitions as switches that begin false: whoever goes on with
/// it sets the values. A condition named as one state alone, of whichever machine, is that state.
///
/// Result: the text, which may have mistakes that stood in the labels.
pub fn table(name: &str, diagrams: &[Diagram]) -> String {
    let mut named = Named::default();
    let mut sources = SourceMap::default();
    for diagram in diagrams {
        let rows = diagram.states.iter().flat_map(|(_, rows)| rows);
        for row in rows {
            let id = sources.add("<row>", row.clone());
            let (row, _) = parse::line(&sources, sources.span(id), Some(List::Relations));
            if let Some(AnyRow::Relation(row)) = row {
                let targets = row.body.targets.iter();
                named.written.extend(targets.map(|name| name.value.clone()));
                if let Value::Exprs(values) = &row.body.value {
                    values.iter().for_each(|value| named.expression(value));
                }
                match &row.body.guard {
                    Guard::When(condition) => named.condition(condition),
                    Guard::Each(all) => all.iter().for_each(|one| named.condition(one)),
                    Guard::Always | Guard::Otherwise(_) => {}
                }
            }
        }
        for transition in &diagram.transitions {
            let id = sources.add("<transition>", line(transition));
            let (row, _) = parse::transition(&sources, sources.span(id));
            let Some(row) = row else { continue };
            named.condition(&row.body.when);
            for (target, value) in &row.body.set {
                named.written.insert(target.value.clone());
                named.expression(value);
            }
        }
    }
    let Named {
        written,
        read,
        conditions,
    } = &named;
    let constants = read.iter().filter(|name| !written.contains(*name));
    let switches = conditions.iter().filter(|condition| {
        let of_machine = |diagram: &Diagram| {
            let inside = condition.strip_prefix(called(diagram, name));
            inside.is_some_and(|inside| inside.starts_with('.'))
        };
        let is_number = written.contains(*condition) || read.contains(*condition);
        !is_number && !diagrams.iter().any(of_machine)
    });
    let state_named = |condition: &String| {
        let mut all = diagrams.iter().filter(|diagram| {
            let mut states = diagram.states.iter();
            states.any(|(state, _)| state == condition)
        });
        let one = all.next().filter(|_| all.next().is_none())?;
        Some(format!("{}.{condition}", called(one, name)))
    };
    let (mut situations, mut left) = (Vec::new(), Vec::new());
    for condition in switches {
        match state_named(condition) {
            Some(state) => {
                let row = [condition, &state].map(|name| print::name(name));
                situations.push(print::string(&row.join(": ")));
            }
            None => left.push(condition),
        }
    }
    let mut text = format!("(\n    format: 1,\n    name: {},\n", print::string(name));
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
    quantities(&mut text, "switches", "false", left);
    if !situations.is_empty() {
        let _ = writeln!(text, "    situations: [{}],", situations.join(", "));
    }
    text.push_str("    machines: {\n");
    for diagram in diagrams {
        machine(&mut text, diagram, name);
    }
    text.push_str("    },\n)\n");
    text
}

fn machine(text: &mut String, diagram: &Diagram, table: &str) {
    let string = |text: &str| print::string(text);
    let name = string(&print::name(called(diagram, table)));
    let _ = writeln!(text, "        {name}: (");
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

/// The name of a machine: of a diagram without one it is that of the table.
fn called<'a>(diagram: &'a Diagram, table: &'a str) -> &'a str {
    match diagram.name.as_str() {
        "" => table,
        name => name,
    }
}

/// The names in the lines of diagrams.
#[derive(Default)]
struct Named {
    written: IndexSet<String>,
    /// Read as numbers.
    read: IndexSet<String>,
    /// Read as conditions.
    conditions: IndexSet<String>,
}

impl Named {
    fn condition(&mut self, condition: &Condition) {
        condition.literals.iter().for_each(|one| self.literal(one));
    }

    fn literal(&mut self, literal: &Literal) {
        match &literal.kind {
            LiteralKind::Name(name) => _ = self.conditions.insert(name.clone()),
            LiteralKind::Comparison(comparison) => {
                self.expression(&comparison.left);
                self.expression(&comparison.right);
            }
            LiteralKind::Every(args) => args.iter().for_each(|arg| self.expression(arg)),
            LiteralKind::Element(_)
            | LiteralKind::Reduction(_)
            | LiteralKind::Start
            | LiteralKind::Error => {}
        }
    }

    fn expression(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Name(name) => _ = self.read.insert(name.clone()),
            ExprKind::Paren(inner) | ExprKind::Neg(inner) => self.expression(inner),
            ExprKind::Binary(_, left, right) => {
                self.expression(left);
                self.expression(right);
            }
            ExprKind::Boolean(literal) => self.literal(literal),
            ExprKind::Call(name, args) => {
                let procedure = ProcedureId::named(&name.value);
                let params = procedure.map_or(&[][..], |procedure| procedure.get().params);
                for (at, arg) in args.iter().enumerate() {
                    let kind = params.get(at).map(|param| param.kind);
                    match &arg.kind {
                        ExprKind::Name(name) if kind == Some(ParamKind::Boolean) => {
                            self.conditions.insert(name.clone());
                        }
                        _ => self.expression(arg),
                    }
                }
            }
            _ => {}
        }
    }
}
