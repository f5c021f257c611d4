//! Whole tables: RON values become the tree, field by field, strings by the grammar of the lines.
//!
//! Every struct is read by [`Reader::fields`], which reports unknown and repeated fields and hands
//! back the known ones; what is missing or of the wrong type is reported and left out, so that all
//! mistakes of a file show at once.

use std::borrow::Cow;
use std::collections::HashMap;

use situ_engine::model::{CompareOp, IntegralRule, Scan, Stepping};

use super::line::{Parser, Text};
use super::ron::{self, Kind, Value as Ron};
use crate::diag::Diagnostic;
use crate::diag::codes::parse as report;
use crate::lex::{KEYWORDS, Lexeme, foreign_sign, is_plain_name, normalised};
use crate::source::{SourceId, SourceMap, Span, Spanned};
use crate::tree::{
    AnyRow, Assignment, Case, Clock, Comparison, Condition, Expr, ExprKind, Form, Guard, List,
    Literal, LiteralKind, Name, Place, Quantity, Range, Relation, Row, Setting, SettingValue, Side,
    Situation, Switch, Table, Value,
};

/// Reads a table.
pub(super) fn read(sources: &SourceMap, source: SourceId) -> (Option<Table>, Vec<Diagnostic>) {
    let root = match ron::check(sources, source) {
        Ok(root) => root,
        Err(report) => return (None, vec![*report]),
    };
    let mut reader = Reader {
        source,
        diagnostics: Vec::new(),
        lexemes: Vec::new(),
        unread: Vec::new(),
    };
    let table = reader.table(root);
    let place = |report: &Diagnostic| report.primary.as_ref().map(|label| label.span.start);
    reader.diagnostics.sort_by_key(place);
    (table, reader.diagnostics)
}

/// Reads the value at a place as a row.
pub(super) fn row(
    sources: &SourceMap,
    span: Span,
    list: List,
) -> (Option<AnyRow>, Vec<Diagnostic>) {
    let mut reader = Reader {
        source: span.source,
        diagnostics: Vec::new(),
        lexemes: Vec::new(),
        unread: Vec::new(),
    };
    let row = reader.row(list, ron::Value::at(sources, span));
    (row, reader.diagnostics)
}

/// What a struct is called in messages, and the name that may stand in front of its bracket.
#[derive(Clone, Copy)]
struct Shape {
    called: &'static str,
    type_name: &'static str,
}

const TABLE: Shape = Shape {
    called: "a table",
    type_name: "Table",
};
const CLOCK: Shape = Shape {
    called: "the clock",
    type_name: "Clock",
};
const QUANTITY: Shape = Shape {
    called: "a quantity",
    type_name: "Quantity",
};
const SWITCH: Shape = Shape {
    called: "a switch",
    type_name: "Switch",
};
const CASE: Shape = Shape {
    called: "a case",
    type_name: "Case",
};
const RANGE: Shape = Shape {
    called: "a range",
    type_name: "Range",
};
const SITUATION: Shape = Shape {
    called: "a situation",
    type_name: "Situation",
};
const ASSIGNMENT: Shape = Shape {
    called: "an assignment",
    type_name: "Assignment",
};
const RELATION: Shape = Shape {
    called: "a relation",
    type_name: "Relation",
};

struct Reader {
    source: SourceId,
    diagnostics: Vec<Diagnostic>,
    lexemes: Vec<Lexeme>,
    /// Places of what is left out, see [`Table::unread`].
    unread: Vec<Span>,
}

/// A field that was found: its name and its value.
#[derive(Clone, Copy)]
struct Field<'a> {
    name: &'static str,
    value: Ron<'a>,
}

impl Reader {
    fn table(&mut self, root: Ron<'_>) -> Option<Table> {
        let [
            format,
            name,
            about,
            source,
            clock,
            extends,
            replace,
            drop,
            constants,
            reals,
            switches,
            ranges,
            situations,
            assignments,
            relations,
            cases,
        ] = self.fields(
            root,
            TABLE,
            [
                "format",
                "name",
                "about",
                "source",
                "clock",
                "extends",
                "replace",
                "drop",
                "constants",
                "reals",
                "switches",
                "ranges",
                "situations",
                "assignments",
                "relations",
                "cases",
            ],
        )?;
        let mut table = Table {
            source_id: self.source,
            span: root.span(),
            format: format.map(|field| self.format(field)),
            name: self.optional_text(name),
            about: self.optional_text(about),
            source: self.optional_text(source),
            clock: clock.and_then(|field| self.clock(field.value)),
            extends: self.optional_text(extends),
            replace: replace.map_or_else(Vec::new, |field| self.ids(field)),
            drop: drop.map_or_else(Vec::new, |field| self.ids(field)),
            constants: constants.map_or_else(Vec::new, |field| self.quantities(field)),
            reals: reals.map_or_else(Vec::new, |field| self.quantities(field)),
            switches: switches.map_or_else(Vec::new, |field| self.switches(field)),
            ranges: Vec::new(),
            situations: Vec::new(),
            assignments: Vec::new(),
            relations: Vec::new(),
            cases: cases.map_or_else(Vec::new, |field| self.cases(field)),
            unread: Vec::new(),
        };
        let lists = [ranges, situations, assignments, relations];
        for (list, field) in List::ALL.into_iter().zip(lists) {
            let Some(field) = field else { continue };
            let Some(rows) = self.list(field, "a list of rows") else {
                self.unread.push(field.value.span());
                continue;
            };
            for row in rows {
                match self.row(list, row) {
                    Some(AnyRow::Range(row)) => table.ranges.push(row),
                    Some(AnyRow::Situation(row)) => table.situations.push(row),
                    Some(AnyRow::Assignment(row)) => table.assignments.push(row),
                    Some(AnyRow::Relation(row)) => table.relations.push(row),
                    None => self.unread.push(row.span()),
                }
            }
        }
        table.unread = std::mem::take(&mut self.unread);
        Some(table)
    }

    /// The format; if it cannot be read it is taken for the present one, after the report.
    fn format(&mut self, field: Field<'_>) -> Spanned<f64> {
        let Some(format) = self.number(field) else {
            return Spanned::new(1.0, field.value.span());
        };
        if format.value != 1.0 {
            self.report(report::unknown_format(format.value, format.span));
        }
        format
    }

    fn clock(&mut self, value: Ron<'_>) -> Option<Clock> {
        let [
            step,
            stop,
            every,
            stepping,
            scan,
            integral,
            method,
            rtol,
            atol,
            stop_when,
        ] = self.fields(
            value,
            CLOCK,
            [
                "step",
                "stop",
                "every",
                "stepping",
                "scan",
                "integral",
                "method",
                "rtol",
                "atol",
                "stop_when",
            ],
        )?;
        Some(Clock {
            span: Some(value.span()),
            step: self.positive(step),
            stop: self.not_negative(stop),
            every: self.positive(every),
            stepping: self.word(
                stepping,
                &[("tick", Stepping::Tick), ("events", Stepping::Events)],
            ),
            scan: self.word(
                scan,
                &[
                    ("sequential", Scan::Sequential),
                    ("simultaneous", Scan::Simultaneous),
                ],
            ),
            integral: self.word(
                integral,
                &[
                    ("rectangle", IntegralRule::Rectangle),
                    ("trapezoid", IntegralRule::Trapezoid),
                ],
            ),
            method: method.and_then(|field| match field.value.kind() {
                Kind::Word => {
                    let word = field.value.written().to_owned();
                    Some(Spanned::new(word, field.value.span()))
                }
                _ => self.text(field),
            }),
            rtol: self.positive(rtol),
            atol: self.not_negative(atol),
            stop_when: stop_when.map(|field| self.condition(field)),
        })
    }

    fn quantities(&mut self, field: Field<'_>) -> Vec<Quantity> {
        let mut quantities = Vec::new();
        for (name, value) in self.named(field) {
            let span = name.span.to(value.span());
            let mut quantity = Quantity {
                name,
                span,
                start: None,
                unit: None,
                about: None,
                output: None,
            };
            if value.kind() == Kind::Struct {
                let fields = self.fields(value, QUANTITY, ["start", "unit", "about", "output"]);
                if let Some([start, unit, about, output]) = fields {
                    quantity.start = start.map(|field| self.expression(field));
                    quantity.unit = self.optional_text(unit);
                    quantity.about = self.optional_text(about);
                    quantity.output = output.and_then(|field| self.boolean(field));
                }
            } else {
                let what = "a number, an expression or `(start: .., unit: ..)`";
                let called = format!("`{}`", quantity.name.value);
                quantity.start = Some(self.value(&called, value, what));
            }
            quantities.push(quantity);
        }
        quantities
    }

    fn switches(&mut self, field: Field<'_>) -> Vec<Switch> {
        let mut switches = Vec::new();
        for (name, value) in self.named(field) {
            let span = name.span.to(value.span());
            let mut switch = Switch {
                name,
                span,
                start: None,
                about: None,
            };
            if value.kind() == Kind::Struct {
                if let Some([start, about]) = self.fields(value, SWITCH, ["start", "about"]) {
                    switch.start = start.and_then(|field| self.boolean(field));
                    switch.about = self.optional_text(about);
                }
            } else {
                switch.start = self.truth(&switch.name.value.clone(), value);
            }
            switches.push(switch);
        }
        switches
    }

    fn cases(&mut self, field: Field<'_>) -> Vec<Case> {
        let mut cases = Vec::new();
        for (name, value) in self.entries(field, Reader::case_name) {
            let span = name.span.to(value.span());
            let Some([set, clock, about]) = self.fields(value, CASE, ["set", "clock", "about"])
            else {
                continue;
            };
            cases.push(Case {
                name,
                span,
                set: set.map_or_else(Vec::new, |field| self.settings(field)),
                clock: clock.and_then(|field| self.clock(field.value)),
                about: self.optional_text(about),
            });
        }
        cases
    }

    fn settings(&mut self, field: Field<'_>) -> Vec<Setting> {
        let mut settings = Vec::new();
        for (name, value) in self.named(field) {
            let value = match value.kind() {
                Kind::Bool => self.truth(&name.value, value).map(SettingValue::Bool),
                _ => {
                    let what = "a number, an expression, `true` or `false`";
                    let called = format!("`{}`", name.value);
                    Some(SettingValue::Expr(self.value(&called, value, what)))
                }
            };
            settings.extend(value.map(|value| Setting { name, value }));
        }
        settings
    }

    // Rows.

    fn row(&mut self, list: List, value: Ron<'_>) -> Option<AnyRow> {
        match value.kind() {
            Kind::String => {
                let text = self.string(value)?;
                self.parse(&text, |parser| parser.line(Some(list)))
            }
            Kind::Struct | Kind::Map => match list {
                List::Ranges => self.range(value).map(AnyRow::Range),
                List::Situations => self.situation(value).map(AnyRow::Situation),
                List::Assignments => self.assignment(value).map(AnyRow::Assignment),
                List::Relations => self.relation(value).map(AnyRow::Relation),
            },
            found => {
                let what = format!("a row of `{}`", list.name());
                let expected = "a line in quotes or columns such as `(id: \"1\", ..)`";
                self.wrong_type(&what, expected, found, value);
                None
            }
        }
    }

    fn range(&mut self, value: Ron<'_>) -> Option<Row<Range>> {
        let names = ["id", "after", "before", "note", "name", "all"];
        let [id, after, before, note, name, all] = self.fields(value, RANGE, names)?;
        let [name, all] = self.required(value, RANGE, [("name", name), ("all", all)]);
        let name = name.and_then(|field| self.name(field));
        let all = all.map_or_else(Vec::new, |field| self.comparisons(field));
        let body = Range { name: name?, all };
        Some(self.columns(value, [id, after, before, note], body))
    }

    fn situation(&mut self, value: Ron<'_>) -> Option<Row<Situation>> {
        let names = ["id", "after", "before", "note", "name", "all", "event"];
        let [id, after, before, note, name, all, event] = self.fields(value, SITUATION, names)?;
        let [name, all] = self.required(value, SITUATION, [("name", name), ("all", all)]);
        let name = name.and_then(|field| self.name(field));
        let all = self.condition_of(all, value);
        let event = event
            .and_then(|field| self.boolean(field))
            .is_some_and(|event| event.value);
        let body = Situation {
            name: name?,
            event,
            all,
        };
        Some(self.columns(value, [id, after, before, note], body))
    }

    fn assignment(&mut self, value: Ron<'_>) -> Option<Row<Assignment>> {
        let names = ["id", "after", "before", "note", "when", "set"];
        let [id, after, before, note, when, set] = self.fields(value, ASSIGNMENT, names)?;
        let [when, set] = self.required(value, ASSIGNMENT, [("when", when), ("set", set)]);
        let when = self.condition_of(when, value);
        let set = set.map_or_else(Vec::new, |field| self.switches_to_set(field));
        let body = Assignment { when, set };
        Some(self.columns(value, [id, after, before, note], body))
    }

    fn relation(&mut self, value: Ron<'_>) -> Option<Row<Relation>> {
        let names = [
            "id",
            "after",
            "before",
            "note",
            "real",
            "procedure",
            "coef",
            "args",
            "coef2",
            "when",
            "otherwise",
            "once",
        ];
        let [
            id,
            after,
            before,
            note,
            real,
            procedure,
            coef,
            args,
            coef2,
            when,
            otherwise,
            once,
        ] = self.fields(value, RELATION, names)?;
        let [real, procedure] =
            self.required(value, RELATION, [("real", real), ("procedure", procedure)]);
        let targets = real.and_then(|field| self.targets(field));
        let procedure = procedure.and_then(|field| self.text(field));
        let coef = coef.map(|field| self.expression(field));
        let args = args.map_or(Some(Vec::new()), |field| self.arguments(field));
        let coef2 = coef2.map(|field| self.expression(field));
        let guard = self.guard(when, otherwise);
        let once_span = once.map_or(value.span(), |field| field.value.span());
        let once = once
            .and_then(|field| self.boolean(field))
            .is_some_and(|once| once.value);
        let targets = targets?;
        if targets.len() > 1 && !once {
            self.report(report::several_targets(once_span).with_help(
                "give `once: true` and a `when` that is an event, or one row for each real",
            ));
        }
        let columns = match (procedure, args) {
            (Some(procedure), Some(args)) => Value::Columns {
                procedure,
                coef,
                args,
                coef2,
            },
            _ => Value::Exprs(vec![unread(value.span()); targets.len()]),
        };
        let body = Relation {
            targets,
            once,
            once_span,
            value: columns,
            guard,
        };
        Some(self.columns(value, [id, after, before, note], body))
    }

    /// A row with the columns that rows of all lists share: id, after, before, note.
    fn columns<T>(&mut self, value: Ron<'_>, common: [Option<Field<'_>>; 4], body: T) -> Row<T> {
        let [id, after, before, note] = common;
        if let (Some(after), Some(before)) = (after, before) {
            self.contradiction(after, before);
        }
        let place = match (after, before) {
            (Some(field), _) => self.id(field).map(|id| Place {
                side: Side::After,
                id,
            }),
            (None, Some(field)) => self.id(field).map(|id| Place {
                side: Side::Before,
                id,
            }),
            (None, None) => None,
        };
        Row {
            form: Form::Columns,
            span: value.span(),
            id: id.and_then(|field| self.id(field)),
            place,
            note: self.optional_text(note),
            body,
        }
    }

    fn guard(&mut self, when: Option<Field<'_>>, otherwise: Option<Field<'_>>) -> Guard {
        let is_otherwise = otherwise
            .and_then(|field| self.boolean(field))
            .is_some_and(|otherwise| otherwise.value);
        match (when, otherwise.filter(|_| is_otherwise)) {
            (Some(when), otherwise) => {
                if let Some(otherwise) = otherwise {
                    self.contradiction(when, otherwise);
                }
                Guard::When(self.condition(when))
            }
            (None, Some(otherwise)) => Guard::Otherwise(otherwise.value.span()),
            (None, None) => Guard::Always,
        }
    }

    /// `["v1", "v2"]` or `"v"`
    fn targets(&mut self, field: Field<'_>) -> Option<Vec<Name>> {
        match field.value.kind() {
            Kind::List => {
                let names: Option<Vec<Name>> = field
                    .value
                    .items()
                    .map(|value| self.name(Field { value, ..field }))
                    .collect();
                if names.as_ref().is_some_and(Vec::is_empty) {
                    let help = "name the real that the row writes";
                    self.report(report::empty_list("real", help, field.value.span()));
                    return None;
                }
                names
            }
            _ => self.name(field).map(|name| vec![name]),
        }
    }

    /// The arguments; those that cannot be read are there too, so that their number is right.
    fn arguments(&mut self, field: Field<'_>) -> Option<Vec<Expr>> {
        let values = self.list(field, "a list of names, numbers and expressions")?;
        let what = "a name, a number or an expression";
        let args = values
            .map(|value| {
                let read = match value.kind() {
                    Kind::String => self
                        .string(value)
                        .map(|text| self.parse(&text, |parser| parser.whole(Parser::argument))),
                    _ => Some(self.value("an argument", value, what)),
                };
                read.unwrap_or_else(|| unread(value.span()))
            })
            .collect();
        Some(args)
    }

    /// `[("h", "<", "R")]` or `["h < R"]`
    fn comparisons(&mut self, field: Field<'_>) -> Vec<Comparison> {
        let expected = "a list of comparisons such as `(\"h\", \"<\", \"R\")`";
        let Some(values) = self.list(field, expected) else {
            return Vec::new();
        };
        let mut comparisons = Vec::new();
        let mut count = 0;
        for value in values {
            count += 1;
            match value.kind() {
                Kind::Tuple => comparisons.extend(self.comparison(value)),
                Kind::String => {
                    let Some(text) = self.string(value) else {
                        continue;
                    };
                    let condition = self.parse(&text, |parser| parser.whole(Parser::condition));
                    for literal in condition.literals {
                        comparisons.extend(self.only_comparison(literal));
                    }
                }
                found => {
                    let expected = "three values such as `(\"h\", \"<\", \"R\")`";
                    self.wrong_type("a comparison", expected, found, value);
                }
            }
        }
        if count == 0 {
            let help = "a range has at least one comparison";
            self.report(report::empty_list(field.name, help, field.value.span()));
        }
        comparisons
    }

    fn only_comparison(&mut self, literal: Literal) -> Option<Comparison> {
        match literal.kind {
            LiteralKind::Comparison(comparison) => Some(*comparison),
            LiteralKind::Error => None,
            _ => {
                self.report(report::wrong_list(
                    List::Situations,
                    List::Ranges,
                    literal.span,
                ));
                None
            }
        }
    }

    fn comparison(&mut self, value: Ron<'_>) -> Option<Comparison> {
        let values: Vec<Ron<'_>> = value.items().take(4).collect();
        let [left, op, right] = values[..] else {
            let expected = "three values such as `(\"h\", \"<\", \"R\")`";
            let found = if values.len() > 3 {
                "more".to_owned()
            } else {
                values.len().to_string()
            };
            self.report(report::wrong_type(
                "a comparison",
                expected,
                &found,
                value.span(),
            ));
            return None;
        };
        let what = "a name, a number or an expression";
        let left = self.value("the left side", left, what);
        let right = self.value("the right side", right, what);
        let op = self.operator(op);
        Some(Comparison {
            span: value.span(),
            left,
            op: op?,
            right,
        })
    }

    /// `"<"` and the like.
    fn operator(&mut self, value: Ron<'_>) -> Option<CompareOp> {
        const ALL: [CompareOp; 4] = [
            CompareOp::Less,
            CompareOp::LessEqual,
            CompareOp::Greater,
            CompareOp::GreaterEqual,
        ];
        let symbols = ALL.map(CompareOp::symbol);
        let text = match value.kind() {
            Kind::String => self.string(value)?,
            found => {
                self.wrong_type("a comparison", "its sign in quotes", found, value);
                return None;
            }
        };
        let written = &*text.text;
        if let Some(op) = ALL.into_iter().find(|op| op.symbol() == written) {
            return Some(op);
        }
        let meant = foreign_sign(written).replacement;
        self.report(match written {
            "=" | "==" | "!=" | "<>" | "≠" => report::equality(written, text.whole()),
            _ if symbols.contains(&meant) => report::foreign(written, meant, "", text.whole()),
            _ => report::unknown_word(
                "the sign of a comparison",
                written,
                &symbols,
                text.whole(),
                "",
            ),
        });
        ALL.into_iter().find(|op| op.symbol() == meant)
    }

    /// The condition in a field that a row must have; the report about a missing one stands already.
    fn condition_of(&mut self, field: Option<Field<'_>>, row: Ron<'_>) -> Condition {
        let unread = Condition {
            span: row.span(),
            literals: vec![unread_literal(row.span())],
        };
        field.map_or(unread, |field| self.condition(field))
    }

    /// `["contact", "!V_neg"]` or `"contact & !V_neg"`
    fn condition(&mut self, field: Field<'_>) -> Condition {
        let span = field.value.span();
        let mut literals = Vec::new();
        match field.value.kind() {
            Kind::String => match self.string(field.value) {
                Some(text) => return self.parse(&text, |parser| parser.whole(Parser::condition)),
                None => literals.push(unread_literal(span)),
            },
            Kind::List => {
                for value in field.value.items() {
                    let text = match value.kind() {
                        Kind::String => self.string(value),
                        found => {
                            let expected = "a name or comparison in quotes";
                            self.wrong_type("a literal", expected, found, value);
                            None
                        }
                    };
                    match text {
                        Some(text) => {
                            let part = self.parse(&text, |parser| parser.whole(Parser::condition));
                            literals.extend(part.literals);
                        }
                        None => literals.push(unread_literal(value.span())),
                    }
                }
                if literals.is_empty() {
                    let help = "name at least one range, situation or switch, or leave it out";
                    self.report(report::empty_list(field.name, help, span));
                    literals.push(unread_literal(span));
                }
            }
            found => {
                let what = format!("`{}`", field.name);
                let expected = "a condition such as `[\"contact\", \"!V_neg\"]`";
                self.wrong_type(&what, expected, found, field.value);
                literals.push(unread_literal(span));
            }
        }
        Condition { span, literals }
    }

    /// `["together", "!apart"]`
    fn switches_to_set(&mut self, field: Field<'_>) -> Vec<(Name, bool)> {
        let Some(values) = self.list(
            field,
            "a list of switches such as `[\"together\", \"!apart\"]`",
        ) else {
            return Vec::new();
        };
        let mut set = Vec::new();
        let mut count = 0;
        for value in values {
            count += 1;
            let text = match value.kind() {
                Kind::String => self.string(value),
                found => {
                    self.wrong_type("a switch", "its name in quotes", found, value);
                    None
                }
            };
            set.extend(text.map(|text| self.parse(&text, |parser| parser.whole(Parser::switch))));
        }
        if count == 0 {
            let help = "name the switches that the row sets";
            self.report(report::empty_list(field.name, help, field.value.span()));
        }
        set
    }

    fn ids(&mut self, field: Field<'_>) -> Vec<Spanned<String>> {
        let values = self.list(field, "a list of ids");
        let values: Vec<Ron<'_>> = values.into_iter().flatten().collect();
        values
            .into_iter()
            .filter_map(|value| self.id(Field { value, ..field }))
            .collect()
    }

    /// A row's id: one word, or a number.
    fn id(&mut self, field: Field<'_>) -> Option<Spanned<String>> {
        let value = field.value;
        let text = match value.kind() {
            Kind::Number => Spanned::new(value.written().to_owned(), value.span()),
            Kind::String => self.text(field)?,
            found => {
                self.wrong_type(
                    &format!("`{}`", field.name),
                    "an id in quotes",
                    found,
                    value,
                );
                return None;
            }
        };
        let bad = |c: char| c.is_whitespace() || c.is_control() || c == '[' || c == ']';
        let message = match &*text.value {
            "" => Some("this id is empty"),
            "after" | "before" => Some("`after` and `before` cannot be ids"),
            word if word.contains(bad) => Some("an id holds no blanks and no brackets"),
            _ => None,
        };
        if let Some(message) = message {
            self.report(report::bad_id(message, value.span()));
            return None;
        }
        Some(Spanned::new(
            normalised(&text.value).into_owned(),
            text.span,
        ))
    }

    // Fields.

    /// The fields of a struct in the order of `names`; unknown and repeated ones are reported.
    /// `None` after a report, if it is no struct.
    fn fields<'a, const N: usize>(
        &mut self,
        value: Ron<'a>,
        shape: Shape,
        names: [&'static str; N],
    ) -> Option<[Option<Field<'a>>; N]> {
        let kind = value.kind();
        if !matches!(kind, Kind::Struct | Kind::Map) {
            let expected = "fields in parentheses such as `(name: ..)`";
            self.wrong_type(shape.called, expected, kind, value);
            return None;
        }
        if kind == Kind::Map {
            let brace = Span {
                end: value.span().start + 1,
                ..value.span()
            };
            self.report(
                report::wrong_type(shape.called, "parentheses", "braces", brace)
                    .with_help("write `(name: ..)`, field names without quotes"),
            );
        }
        if let Some(name) = value.type_name()
            && name.written() != shape.type_name
        {
            let what = format!("`{}`", name.written());
            self.report(
                report::expected(shape.called, &what, name.span()).with_edit(
                    "leave it out",
                    name.span(),
                    "",
                ),
            );
        }
        let mut found: [Option<Field<'a>>; N] = [None; N];
        let mut keys: [Option<Span>; N] = [None; N];
        let mut misspelt: Vec<(usize, Ron<'a>)> = Vec::new();
        for (key, value) in value.entries() {
            let Some(key) = key else { continue };
            let written = key.written().trim_matches('"');
            let Some(index) = names.iter().position(|name| *name == written) else {
                self.report(report::unknown_field(
                    shape.called,
                    written,
                    &names,
                    key.span(),
                ));
                let near = report::field_meant(written, &names);
                match names.iter().position(|name| near == Some(*name)) {
                    Some(index) => misspelt.push((index, value)),
                    None => self.unread.push(value.span()),
                }
                continue;
            };
            if let Some(first) = keys[index] {
                self.report(report::repeated_key(written, first, key.span()));
                continue;
            }
            keys[index] = Some(key.span());
            found[index] = Some(Field {
                name: names[index],
                value,
            });
        }
        // Read as what they are most likely meant to be, so that nothing is reported as missing.
        for (index, value) in misspelt {
            found[index].get_or_insert(Field {
                name: names[index],
                value,
            });
        }
        Some(found)
    }

    /// The fields; those that are absent are reported.
    fn required<'a, const N: usize>(
        &mut self,
        value: Ron<'a>,
        shape: Shape,
        fields: [(&'static str, Option<Field<'a>>); N],
    ) -> [Option<Field<'a>>; N] {
        fields.map(|(name, field)| {
            if field.is_none() {
                self.report(report::missing_field(shape.called, name, value.span()));
            }
            field
        })
    }

    /// Names and values; a name given twice is reported and left out.
    fn named<'a>(&mut self, field: Field<'a>) -> Vec<(Name, Ron<'a>)> {
        self.entries(field, Reader::key_name)
    }

    fn entries<'a>(
        &mut self,
        field: Field<'a>,
        name: impl Fn(&mut Reader, Ron<'a>) -> Option<Name>,
    ) -> Vec<(Name, Ron<'a>)> {
        let value = field.value;
        match value.kind() {
            Kind::Map => {}
            Kind::Struct => self.report(
                report::wrong_type(
                    &format!("`{}`", field.name),
                    "braces",
                    "parentheses",
                    value.span(),
                )
                .with_help("write `{\"name\": value}`"),
            ),
            found => {
                let expected = "names and values such as `{\"name\": 1.0}`";
                self.wrong_type(&format!("`{}`", field.name), expected, found, value);
                self.unread.push(value.span());
                return Vec::new();
            }
        }
        let is_map = value.kind() == Kind::Map;
        let mut entries: Vec<(Name, Ron<'a>)> = Vec::new();
        for (key, value) in value.entries() {
            let Some(key) = key else { continue };
            let key_name = match key.kind() {
                Kind::String => name(self, key),
                Kind::Word => {
                    if is_map {
                        let quoted = format!("\"{}\"", key.written());
                        let what = format!("the bare word `{}`", key.written());
                        self.report(
                            report::expected("a name in quotes", &what, key.span()).with_edit(
                                "write it in quotes",
                                key.span(),
                                quoted,
                            ),
                        );
                    }
                    let text = normalised(key.written()).into_owned();
                    Some(Name::new(text, key.span()))
                }
                found => {
                    self.wrong_type("a name", "a string", found, key);
                    None
                }
            };
            match key_name {
                Some(name) => entries.push((name, value)),
                None => self.unread.push(key.span().to(value.span())),
            }
        }
        self.without_repetitions(entries)
    }

    fn without_repetitions<'a>(&mut self, entries: Vec<(Name, Ron<'a>)>) -> Vec<(Name, Ron<'a>)> {
        let mut first: HashMap<&str, Span> = HashMap::with_capacity(entries.len());
        let mut repeated = Vec::new();
        for (index, (name, _)) in entries.iter().enumerate() {
            match first.entry(&name.value) {
                std::collections::hash_map::Entry::Vacant(entry) => {
                    entry.insert(name.span);
                }
                std::collections::hash_map::Entry::Occupied(entry) => {
                    repeated.push(index);
                    self.diagnostics.push(report::repeated_key(
                        &name.value,
                        *entry.get(),
                        name.span,
                    ));
                }
            }
        }
        if repeated.is_empty() {
            return entries;
        }
        let mut repeated = repeated.into_iter().peekable();
        let kept = entries.into_iter().enumerate();
        kept.filter(|(index, _)| repeated.next_if_eq(index).is_none())
            .map(|(_, entry)| entry)
            .collect()
    }

    fn contradiction(&mut self, first: Field<'_>, second: Field<'_>) {
        let spans = (first.value.span(), second.value.span());
        self.report(report::contradiction(
            first.name,
            second.name,
            spans.1,
            spans.0,
        ));
    }

    // Values.

    /// The name that a key of a map spells, by the rules of the lines.
    fn key_name(&mut self, key: Ron<'_>) -> Option<Name> {
        if let Some((text, _)) = key.string()
            && KEYWORDS.contains(&&*text)
        {
            // What is declared under it is not reported as unknown as well.
            self.report(report::keyword(&text, key.span()));
            return Some(Name::new(text.into_owned(), key.span()));
        }
        let field = Field {
            name: "name",
            value: key,
        };
        self.name(field)
    }

    /// The name of a case: any text.
    fn case_name(&mut self, key: Ron<'_>) -> Option<Name> {
        let text = self.text(Field {
            name: "name",
            value: key,
        })?;
        let name = text.value.trim();
        if name.is_empty() {
            self.report(report::empty_name(text.span));
            return None;
        }
        if name.contains(char::is_control) {
            let shown = name.escape_debug().to_string();
            self.report(report::bad_name(
                &shown,
                "it holds an invisible character",
                text.span,
            ));
            return None;
        }
        Some(Name::new(normalised(name).into_owned(), text.span))
    }

    fn name(&mut self, field: Field<'_>) -> Option<Name> {
        let value = field.value;
        if value.kind() != Kind::String {
            self.wrong_type(
                &format!("`{}`", field.name),
                "a name in quotes",
                value.kind(),
                value,
            );
            return None;
        }
        let text = self.string(value)?;
        if is_plain_name(&text.text) {
            return Some(Name::new(normalised(&text.text).into_owned(), text.whole()));
        }
        let reports = self.diagnostics.len();
        let name = self.parse(&text, |parser| parser.whole(Parser::name));
        if self.diagnostics.len() == reports {
            return Some(name);
        }
        let written = text.text.trim();
        if KEYWORDS.contains(&written) || written.contains(['`', '\n']) {
            return None;
        }
        self.diagnostics.truncate(reports);
        if written.is_empty() {
            self.report(report::empty_name(value.span()));
            return None;
        }
        let why = "names consist of letters, digits and `_`";
        let help = "write any other name between backticks";
        let report = report::bad_name(&written.escape_debug().to_string(), why, text.whole());
        let report = match text.start {
            Some(_) => report.with_edit(help, text.whole(), format!("`{written}`")),
            None => report.with_help(help),
        };
        self.report(report);
        // Taken as it stands, so that its uses are not reported as well.
        Some(Name::new(normalised(written).into_owned(), text.whole()))
    }

    /// A number, or a string by the grammar of the lines.
    fn expression(&mut self, field: Field<'_>) -> Expr {
        self.value(
            &format!("`{}`", field.name),
            field.value,
            "a number or an expression in quotes",
        )
    }

    fn value(&mut self, what: &str, value: Ron<'_>, expected: &str) -> Expr {
        let span = value.span();
        let read = match value.kind() {
            Kind::Number => self.finite(value).map(|number| Expr {
                span,
                kind: ExprKind::Number(number),
            }),
            Kind::String => self
                .string(value)
                .map(|text| self.parse(&text, |parser| parser.whole(Parser::expression))),
            found => {
                self.wrong_type(what, expected, found, value);
                None
            }
        };
        read.unwrap_or_else(|| unread(span))
    }

    fn number(&mut self, field: Field<'_>) -> Option<Spanned<f64>> {
        let value = field.value;
        match value.kind() {
            Kind::Number => self
                .finite(value)
                .map(|number| Spanned::new(number, value.span())),
            found => {
                self.wrong_type(&format!("`{}`", field.name), "a number", found, value);
                None
            }
        }
    }

    fn finite(&mut self, value: Ron<'_>) -> Option<f64> {
        let number = value.number().filter(|number| number.is_finite());
        if number.is_none() {
            let why = "it is not a finite decimal number";
            self.report(report::bad_number(value.written(), why, value.span()));
        }
        number
    }

    fn positive(&mut self, field: Option<Field<'_>>) -> Option<Spanned<f64>> {
        self.bounded(field, "above zero", |number| number > 0.0)
    }

    fn not_negative(&mut self, field: Option<Field<'_>>) -> Option<Spanned<f64>> {
        self.bounded(field, "zero or above", |number| number >= 0.0)
    }

    fn bounded(
        &mut self,
        field: Option<Field<'_>>,
        expected: &str,
        fits: fn(f64) -> bool,
    ) -> Option<Spanned<f64>> {
        let field = field?;
        let number = self.number(field)?;
        if !fits(number.value) {
            self.report(report::out_of_range(field.name, expected, number.span));
            return None;
        }
        Some(number)
    }

    /// One of some words, in quotes or bare.
    fn word<T: Copy>(
        &mut self,
        field: Option<Field<'_>>,
        words: &[(&'static str, T)],
    ) -> Option<Spanned<T>> {
        let field = field?;
        let value = field.value;
        let (written, quote) = match value.kind() {
            Kind::Word => (Cow::Borrowed(value.written()), ""),
            Kind::String => (self.string(value)?.text, "\""),
            found => {
                let known: Vec<String> =
                    words.iter().map(|(word, _)| format!("`{word}`")).collect();
                let expected = known.join(" or ");
                self.wrong_type(&format!("`{}`", field.name), &expected, found, value);
                return None;
            }
        };
        let found = words.iter().find(|(word, _)| *word == written);
        if found.is_none() {
            let known: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
            self.report(report::unknown_word(
                &format!("`{}`", field.name),
                &written,
                &known,
                value.span(),
                quote,
            ));
        }
        found.map(|(_, word)| Spanned::new(*word, value.span()))
    }

    fn boolean(&mut self, field: Field<'_>) -> Option<Spanned<bool>> {
        self.truth(field.name, field.value)
    }

    fn truth(&mut self, name: &str, value: Ron<'_>) -> Option<Spanned<bool>> {
        match value.kind() {
            Kind::Bool => Some(Spanned::new(value.written() == "true", value.span())),
            found => {
                self.wrong_type(&format!("`{name}`"), "`true` or `false`", found, value);
                None
            }
        }
    }

    fn optional_text(&mut self, field: Option<Field<'_>>) -> Option<Spanned<String>> {
        field.and_then(|field| self.text(field))
    }

    /// A string; its place is that of the value, quotes included.
    fn text(&mut self, field: Field<'_>) -> Option<Spanned<String>> {
        let value = field.value;
        if value.kind() != Kind::String {
            self.wrong_type(
                &format!("`{}`", field.name),
                "a string",
                value.kind(),
                value,
            );
            return None;
        }
        let text = self.string(value)?;
        Some(Spanned::new(text.text.into_owned(), value.span()))
    }

    fn list<'a>(
        &mut self,
        field: Field<'a>,
        expected: &str,
    ) -> Option<impl Iterator<Item = Ron<'a>> + use<'a>> {
        let value = field.value;
        if value.kind() != Kind::List {
            self.wrong_type(&format!("`{}`", field.name), expected, value.kind(), value);
            return None;
        }
        Some(value.items())
    }

    fn string<'a>(&mut self, value: Ron<'a>) -> Option<Written<'a>> {
        let Some((text, start)) = value.string() else {
            self.wrong_type("it", "a string of text", Kind::Other, value);
            return None;
        };
        Some(Written {
            text,
            start,
            span: value.span(),
        })
    }

    fn parse<T>(&mut self, text: &Written<'_>, read: impl FnOnce(&mut Parser<'_>) -> T) -> T {
        read(&mut Parser::new(
            text.places(),
            &mut self.lexemes,
            &mut self.diagnostics,
        ))
    }

    fn wrong_type(&mut self, what: &str, expected: &str, found: Kind, value: Ron<'_>) {
        let mut report = report::wrong_type(what, expected, found.describe(), value.span());
        if found == Kind::Word
            && ["string", "quotes", "name", "expression"]
                .iter()
                .any(|word| expected.contains(word))
        {
            let quoted = format!("\"{}\"", value.written());
            report = report.with_edit("write it in quotes", value.span(), quoted);
        }
        self.report(report);
    }

    fn report(&mut self, report: Diagnostic) {
        self.diagnostics.push(report);
    }
}

/// An expression that could not be read.
fn unread(span: Span) -> Expr {
    Expr {
        span,
        kind: ExprKind::Error,
    }
}

/// A literal that could not be read.
fn unread_literal(span: Span) -> Literal {
    Literal {
        span,
        negated: false,
        kind: LiteralKind::Error,
    }
}

/// The text of a string and where it stands.
struct Written<'a> {
    text: Cow<'a, str>,
    /// Its first byte in the source, unless it was written with escapes.
    start: Option<usize>,
    /// The string with its quotes.
    span: Span,
}

impl Written<'_> {
    fn places(&self) -> Text<'_> {
        match self.start {
            Some(start) => {
                let start = u32::try_from(start).expect("a source has fewer than 2^32 bytes");
                Text::exact(&self.text, self.span.source, start)
            }
            None => Text::within(&self.text, self.span),
        }
    }

    fn whole(&self) -> Span {
        self.places().whole()
    }
}
