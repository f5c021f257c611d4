//! The tree of a table as text, one node a line, each behind its place: what was read, before any
//! name is looked up.
//!
//! ```text
//! 12:10..37  relation (line)
//! 12:10..13    id 2
//! 12:14..17    target Fel
//! 12:20..37    value *
//! 12:20..29      name K_braking
//! ```
//!
//! Places are line and column of the first character and of the one behind the last (`12:10..37`, or
//! `3:5..7:6` over several lines), counted from 1.

use std::fmt::Display;

use situ_rules::SourceMap;
use situ_rules::print::{name, number};
use situ_rules::source::{Span, Spanned};
use situ_rules::tree::{
    BinaryOp, Case, Clock, ClockEntry, Comparison, Condition, Expr, ExprKind, Form, Guard,
    IndexItem, Literal, LiteralKind, Name, Over, Place, Quantity, Reduction, Relation, Row,
    SettingValue, Shape, Side, Switch, Table, Value,
};

/// The tree of a table as text.
pub fn text(table: &Table, sources: &SourceMap) -> String {
    let source = sources.get(table.source_id);
    let mut nodes = Nodes::default();
    nodes.table(table, &source.name);
    let spans = nodes.lines.iter().map(|node| node.span);
    let places = Places::of(&source.text, spans);
    let places: Vec<String> = nodes
        .lines
        .iter()
        .map(|node| places.text(node.span))
        .collect();
    let width = places.iter().map(String::len).max().unwrap_or(0);
    let lines = nodes.lines.iter().zip(places);
    lines
        .map(|(node, place)| {
            let indent = "  ".repeat(node.depth + 1);
            format!("{place:width$}{indent}{}\n", node.text)
        })
        .collect()
}

/// Lines and columns of the ends of spans, found in one pass: a table may stand on one long line.
struct Places {
    /// Bytes in their order, each with its line and column.
    known: Vec<(u32, usize, usize)>,
}

impl Places {
    fn of(text: &str, spans: impl Iterator<Item = Span>) -> Self {
        let mut bytes: Vec<u32> = spans.flat_map(|span| [span.start, span.end]).collect();
        bytes.sort_unstable();
        bytes.dedup();
        let (mut byte, mut line, mut column) = (0, 1, 1);
        let mut known = Vec::with_capacity(bytes.len());
        for end in bytes {
            for c in text[byte..end as usize].chars() {
                (line, column) = if c == '\n' {
                    (line + 1, 1)
                } else {
                    (line, column + 1)
                };
            }
            byte = end as usize;
            known.push((end, line, column));
        }
        Self { known }
    }

    fn text(&self, span: Span) -> String {
        let [(line, column), (end_line, end_column)] = [span.start, span.end].map(|byte| {
            let index = self.known.partition_point(|(known, ..)| *known < byte);
            let (_, line, column) = self.known[index];
            (line, column)
        });
        if line == end_line {
            format!("{line}:{column}..{end_column}")
        } else {
            format!("{line}:{column}..{end_line}:{end_column}")
        }
    }
}

/// One line of the text.
struct Node {
    span: Span,
    depth: usize,
    text: String,
}

/// The lines so far, and how deep the next one stands.
#[derive(Default)]
struct Nodes {
    lines: Vec<Node>,
    depth: usize,
}

impl Nodes {
    fn node(&mut self, span: Span, text: impl Into<String>) {
        let (depth, text) = (self.depth, text.into());
        self.lines.push(Node { span, depth, text });
    }

    /// A node, and below it what `children` adds.
    fn parent(&mut self, span: Span, text: impl Into<String>, children: impl FnOnce(&mut Self)) {
        self.node(span, text);
        self.depth += 1;
        children(self);
        self.depth -= 1;
    }

    fn text(&mut self, label: &str, text: Option<&Spanned<String>>) {
        if let Some(text) = text {
            self.node(text.span, format!("{label} {:?}", text.value));
        }
    }

    fn value<T, W: Display>(
        &mut self,
        label: &str,
        value: Option<&Spanned<T>>,
        word: impl Fn(&T) -> W,
    ) {
        if let Some(value) = value {
            self.node(value.span, format!("{label} {}", word(&value.value)));
        }
    }

    fn number(&mut self, label: &str, value: Option<&Spanned<f64>>) {
        self.value(label, value, |value| number(*value));
    }

    fn table(&mut self, table: &Table, file: &str) {
        self.parent(table.span, format!("table {file:?}"), |nodes| {
            nodes.number("format", table.format.as_ref());
            nodes.text("name", table.name.as_ref());
            nodes.text("about", table.about.as_ref());
            nodes.text("source", table.source.as_ref());
            nodes.clock(table.clock.as_ref());
            nodes.text("extends", table.extends.as_ref());
            for (label, ids) in [("replace", &table.replace), ("drop", &table.drop)] {
                for id in ids {
                    nodes.node(id.span, format!("{label} {}", id.value));
                }
            }
            for counter in &table.counters {
                let text = named("counter", &counter.name.value);
                nodes.parent(counter.span, text, |nodes| {
                    nodes.expr("from", &counter.from);
                    nodes.expr("to", &counter.to);
                });
            }
            for (label, quantities) in [("constant", &table.constants), ("real", &table.reals)] {
                for quantity in quantities {
                    nodes.quantity(label, quantity);
                }
            }
            for switch in &table.switches {
                nodes.switch(switch);
            }
            for row in &table.ranges {
                nodes.row("range", row, |nodes| {
                    nodes.node(row.body.name.span, named("name", &row.body.name.value));
                    nodes.value("mark", row.body.mark.as_ref(), |mark| mark.name());
                    row.body
                        .all
                        .iter()
                        .for_each(|all| nodes.comparison("", all));
                });
            }
            for row in &table.situations {
                let kind = if row.body.event { "event" } else { "situation" };
                nodes.row(kind, row, |nodes| {
                    nodes.node(row.body.name.span, named("name", &row.body.name.value));
                    nodes.condition("all", &row.body.all);
                });
            }
            for row in &table.assignments {
                nodes.row("assignment", row, |nodes| {
                    nodes.condition("when", &row.body.when);
                    for (switch, value) in &row.body.set {
                        let label = if *value { "set" } else { "clear" };
                        nodes.node(switch.span, named(label, &switch.value));
                    }
                });
            }
            for row in &table.relations {
                nodes.row("relation", row, |nodes| nodes.relation(&row.body));
            }
            for invariant in &table.invariants {
                let text = named("invariant", &invariant.name.value);
                nodes.parent(invariant.span, text, |nodes| {
                    nodes.expr("value", &invariant.value);
                });
            }
            for case in &table.cases {
                nodes.case(case);
            }
            for row in table.shapes() {
                nodes.row(row.body.kind.value.name(), row, |nodes| {
                    nodes.shape(&row.body)
                });
            }
            for span in &table.unread {
                nodes.node(*span, UNREADABLE);
            }
        });
    }

    fn shape(&mut self, shape: &Shape) {
        for (label, name) in [("name", &shape.name), ("group", &shape.group)] {
            if let Some(name) = name {
                self.node(name.span, named(label, &name.value));
            }
        }
        for attribute in &shape.attributes {
            let word = attribute.kind.name();
            let text = if word.is_empty() { "value" } else { word };
            self.parent(attribute.span, text, |nodes| {
                for (expr, over) in attribute.exprs() {
                    nodes.expr("number", expr);
                    nodes.counters(over);
                }
                if let Some(when) = &attribute.when {
                    nodes.condition("when", when);
                }
            });
        }
    }

    fn clock(&mut self, clock: Option<&Clock>) {
        let Some((clock, span)) = clock.and_then(|clock| Some((clock, clock.span?))) else {
            return;
        };
        self.parent(span, "clock", |nodes| {
            nodes.value("start", clock.start.as_ref(), |start| start.name());
            for (setting, entry) in &clock.settings {
                let name = setting.name;
                match entry {
                    ClockEntry::Number(value) => {
                        nodes.node(value.span, format!("{name} {}", number(value.value)));
                    }
                    ClockEntry::Word(word) => {
                        nodes.node(word.span, format!("{name} {}", word.value));
                    }
                    ClockEntry::Expression(formula) => nodes.expr(name, formula),
                    ClockEntry::Condition(condition) => nodes.condition(name, condition),
                }
            }
        });
    }

    fn quantity(&mut self, label: &str, quantity: &Quantity) {
        self.parent(quantity.span, named(label, &quantity.name.value), |nodes| {
            if let Some(start) = &quantity.start {
                nodes.expr("start", start);
            }
            if let Some(before) = &quantity.before {
                nodes.expr("before", before);
            }
            nodes.text("unit", quantity.unit.as_deref());
            nodes.text("about", quantity.about.as_deref());
            nodes.value("output", quantity.output.as_ref(), |output| *output);
            nodes.number("nominal", quantity.nominal.as_deref());
            nodes.value("range", quantity.range.as_deref(), |[low, high]| {
                format!("{} .. {}", number(*low), number(*high))
            });
        });
    }

    fn switch(&mut self, switch: &Switch) {
        self.parent(switch.span, named("switch", &switch.name.value), |nodes| {
            nodes.value("start", switch.start.as_ref(), |start| *start);
            nodes.text("about", switch.about.as_ref());
        });
    }

    /// A row of a list: what all rows have, and below it its body.
    fn row<T>(&mut self, kind: &str, row: &Row<T>, body: impl FnOnce(&mut Self)) {
        let form = match row.form {
            Form::Columns => "columns",
            Form::Line => "line",
        };
        self.parent(row.span, format!("{kind} ({form})"), |nodes| {
            nodes.value("id", row.id.as_ref(), String::clone);
            if let Some(Place { side, id }) = row.place.as_deref() {
                let side = match side {
                    Side::After => "after",
                    Side::Before => "before",
                };
                nodes.node(id.span, format!("{side} {}", id.value));
            }
            body(nodes);
            if let Some(each) = &row.each {
                nodes.counters(&each.over);
                if let Some(span) = each.one_after_another {
                    nodes.node(span, "one after another");
                }
            }
            nodes.text("note", row.note.as_ref());
        });
    }

    fn relation(&mut self, relation: &Relation) {
        for target in &relation.targets {
            self.node(target.span, named("target", &target.value));
        }
        if relation.once {
            self.node(relation.once_span, "once");
        }
        match &relation.value {
            Value::Exprs(exprs) => exprs.iter().for_each(|expr| self.expr("value", expr)),
            Value::Family(family) => self.expr("value", family.expr()),
            Value::Solve { equations, bounds } => {
                for equation in equations {
                    self.expr("left", &equation.left);
                    self.expr("right", &equation.right);
                }
                let bounds = bounds.iter().flat_map(|bounds| bounds.iter());
                bounds.for_each(|bound| self.expr("bound", bound));
            }
            Value::Columns {
                procedure,
                coef,
                args,
                coef2,
            } => {
                self.node(procedure.span, format!("procedure {}", procedure.value));
                coef.iter().for_each(|coef| self.expr("coef", coef));
                args.iter().for_each(|arg| self.expr("arg", arg));
                coef2.iter().for_each(|coef| self.expr("coef2", coef));
            }
        }
        match &relation.guard {
            Guard::Always => {}
            Guard::When(condition) => self.condition("when", condition),
            Guard::Each(all) => all.iter().for_each(|one| self.condition("when", one)),
            Guard::Otherwise(span) => self.node(*span, "otherwise"),
        }
    }

    fn condition(&mut self, label: &str, condition: &Condition) {
        self.parent(condition.span, label, |nodes| {
            condition
                .literals
                .iter()
                .for_each(|literal| nodes.literal(literal));
        });
    }

    fn literal(&mut self, literal: &Literal) {
        let not = if literal.negated { "not " } else { "" };
        match &literal.kind {
            LiteralKind::Name(text) => self.node(literal.span, named(&format!("{not}name"), text)),
            LiteralKind::Element(name) => {
                self.indexed(literal.span, format!("{not}element"), name);
            }
            LiteralKind::Reduction(reduction) => {
                self.reduction(literal.span, not, reduction);
            }
            LiteralKind::Start => self.node(literal.span, format!("{not}start")),
            LiteralKind::Every(args) => self.parent(literal.span, format!("{not}every"), |nodes| {
                args.iter().for_each(|arg| nodes.expr("", arg));
            }),
            LiteralKind::Comparison(comparison) => self.comparison(not, comparison),
            LiteralKind::Error => self.node(literal.span, UNREADABLE),
        }
    }

    fn comparison(&mut self, not: &str, comparison: &Comparison) {
        let text = format!("{not}{}", comparison.op.symbol());
        self.parent(comparison.span, text, |nodes| {
            nodes.expr("", &comparison.left);
            nodes.expr("", &comparison.right);
        });
    }

    fn expr(&mut self, label: &str, expr: &Expr) {
        let gap = if label.is_empty() { "" } else { " " };
        let text = |what: &str| format!("{label}{gap}{what}");
        match &expr.kind {
            ExprKind::Number(value) => self.node(expr.span, text(&number(*value))),
            ExprKind::Name(value) => self.node(expr.span, text(&named("name", value))),
            ExprKind::Element(name) => self.indexed(expr.span, text("element"), name),
            ExprKind::Reduction(reduction) => self.reduction(expr.span, &text(""), reduction),
            ExprKind::Time => self.node(expr.span, text("time")),
            ExprKind::Pi => self.node(expr.span, text("pi")),
            ExprKind::Error => self.node(expr.span, text(UNREADABLE)),
            ExprKind::Paren(inner) => {
                self.parent(expr.span, text("parentheses"), |nodes| {
                    nodes.expr("", inner)
                });
            }
            ExprKind::Neg(inner) => {
                self.parent(expr.span, text("minus"), |nodes| nodes.expr("", inner));
            }
            ExprKind::Binary(op, left, right) => {
                self.parent(expr.span, text(sign(*op)), |nodes| {
                    nodes.expr("", left);
                    nodes.expr("", right);
                });
            }
            ExprKind::Call(procedure, args) => {
                self.parent(expr.span, text(&named("call", &procedure.value)), |nodes| {
                    args.iter().for_each(|arg| nodes.expr("", arg));
                });
            }
            ExprKind::Counted(counted) => self.expr(label, &counted.written_out()),
            ExprKind::Terms(terms) => self.expr(label, &terms.combined(expr.span)),
            ExprKind::Boolean(literal) => {
                self.parent(expr.span, text("condition"), |nodes| nodes.literal(literal));
            }
        }
    }

    /// A name with its indices.
    fn indexed(&mut self, span: Span, label: String, name: &Name) {
        self.parent(span, named(&label, name.base()), |nodes| {
            for item in name.index.iter().flat_map(|index| &index.items) {
                match item {
                    IndexItem::At(at) => nodes.expr("at", at),
                    IndexItem::Range(from, to) => {
                        nodes.expr("from", from);
                        nodes.expr("to", to);
                    }
                }
            }
        });
    }

    fn reduction(&mut self, span: Span, label: &str, reduction: &Reduction) {
        let text = format!("{label}{}", reduction.kind.word());
        self.parent(span, text, |nodes| {
            nodes.expr("", &reduction.body);
            nodes.counters(&reduction.over);
            if let Some(when) = &reduction.when {
                nodes.condition("when", when);
            }
        });
    }

    fn counters(&mut self, over: &[Over]) {
        for over in over {
            let counter = &over.counter;
            self.parent(counter.span, named("for", &counter.value), |nodes| {
                if let Some((from, to)) = &over.range {
                    nodes.expr("from", from);
                    nodes.expr("to", to);
                }
            });
        }
    }

    fn case(&mut self, case: &Case) {
        self.parent(case.span, named("case", &case.name.value), |nodes| {
            for setting in &case.set {
                let label = named("set", &setting.name.value);
                match &setting.value {
                    SettingValue::Bool(value) => {
                        nodes.node(value.span, format!("{label} {}", value.value));
                    }
                    SettingValue::Expr(value) => nodes.expr(&label, value),
                }
            }
            nodes.clock(case.clock.as_ref());
            nodes.text("about", case.about.as_ref());
        });
    }
}

/// Stands for what could not be read; the mistake is reported elsewhere.
const UNREADABLE: &str = "(unreadable)";

fn named(label: &str, text: &str) -> String {
    if text.is_empty() {
        format!("{label} {UNREADABLE}")
    } else {
        format!("{label} {}", name(text))
    }
}

fn sign(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Add => "+",
        BinaryOp::Sub => "-",
        BinaryOp::Mul => "*",
        BinaryOp::Div => "/",
        BinaryOp::Pow => "^",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use situ_rules::parse;

    #[test]
    fn every_kind_of_row() {
        let mut sources = SourceMap::default();
        let source = sources.add("falls.ron", include_str!("snapshots/falls.ron"));
        let (table, _) = parse::table(&sources, source);
        insta::assert_snapshot!(text(&table.unwrap(), &sources));
    }

    #[test]
    fn places_are_counted_in_characters() {
        let text = "\u{3b1}b\n\n\u{3b2}c";
        let mut sources = SourceMap::default();
        let source = sources.add("x", text);
        let check = |start, end, expected: &str| {
            let span = Span::new(source, start, end);
            assert_eq!(Places::of(text, [span].into_iter()).text(span), expected);
        };
        check(0, 2, "1:1..2");
        check(2, 8, "1:2..3:3");
        check(5, 7, "3:1..2");
        check(8, 8, "3:3..3");
    }
}
