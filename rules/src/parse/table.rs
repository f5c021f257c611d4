//! Whole tables: the fields that each part has, in the order of the tree.
//!
//! What is missing or of the wrong type is reported and left out (or becomes an error node, where
//! that keeps later stages from reporting what follows from it), so that all mistakes of a file show
//! at once. Strings are read by the grammar of the lines.

use situ_engine::model::{self, ClockKind, ClockSetting, CompareOp, Mark};

use super::fields::{Field, Reader, Shape, unread, unread_literal};
use super::report;
use super::ron::{self, Kind, Value as Ron};
use super::tokens::Parser;
use crate::diag::Diagnostic;
use crate::lex::{foreign_sign, normalised};
use crate::source::{SourceId, SourceMap, Span, Spanned};
use crate::tree::{
    AnyRow, Assignment, CLOCK_FIELDS, Case, Clock, ClockEntry, Comparison, Condition, Expr, FIELDS,
    Form, Guard, Invariant, List, Literal, LiteralKind, Name, Place, Quantity, Range, Relation,
    Row, Setting, SettingValue, Side, Situation, Start, Switch, Table, Value,
};

/// Reads a table.
pub(super) fn read(sources: &SourceMap, source: SourceId) -> (Option<Table>, Vec<Diagnostic>) {
    let root = match ron::check(sources, source) {
        Ok(root) => root,
        Err(report) => return (None, vec![*report]),
    };
    let mut reader = Reader::default();
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
    let mut reader = Reader::default();
    let row = reader.row(list, ron::Value::at(sources, span));
    (row, reader.diagnostics)
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
            invariants,
            cases,
        ] = self.fields(root, TABLE, FIELDS)?;
        let mut table = Table {
            source_id: root.span().source,
            span: root.span(),
            format: format.map(|field| self.format(field)),
            name: self.optional_text(name),
            about: self.optional_text(about),
            source: self.optional_text(source),
            clock: clock.and_then(|field| self.clock(field.value)),
            extends: self.optional_text(extends),
            replace: replace.map_or_else(Vec::new, |field| self.ids(field)),
            drop: drop.map_or_else(Vec::new, |field| self.ids(field)),
            constants: constants.map_or_else(Vec::new, |field| self.quantities(field, false)),
            reals: reals.map_or_else(Vec::new, |field| self.quantities(field, true)),
            switches: switches.map_or_else(Vec::new, |field| self.switches(field)),
            ranges: Vec::new(),
            situations: Vec::new(),
            assignments: Vec::new(),
            relations: Vec::new(),
            invariants: invariants.map_or_else(Vec::new, |field| self.invariants(field)),
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
        let [start, settings @ ..] = self.fields(value, CLOCK, CLOCK_FIELDS)?;
        let start = self.word(start, &Start::ALL.map(|start| (start.name(), start)));
        let settings = model::Clock::SETTINGS.iter().zip(settings);
        let settings = settings
            .filter_map(|(setting, field)| Some((setting, self.clock_entry(setting, field?)?)));
        Some(Clock {
            span: Some(value.span()),
            start,
            settings: settings.collect(),
        })
    }

    fn clock_entry(&mut self, setting: &ClockSetting, field: Field<'_>) -> Option<ClockEntry> {
        Some(match setting.kind {
            ClockKind::Positive | ClockKind::Count => {
                ClockEntry::Number(self.positive(Some(field))?)
            }
            ClockKind::NotNegative => ClockEntry::Number(self.not_negative(Some(field))?),
            ClockKind::Word(words) => {
                let words: Vec<_> = words().into_iter().map(|(word, _)| (word, word)).collect();
                ClockEntry::Word(self.word(Some(field), &words)?)
            }
            ClockKind::Expression => ClockEntry::Expression(self.expression(field)),
            ClockKind::Condition => ClockEntry::Condition(self.condition(field)),
        })
    }

    fn quantities(&mut self, field: Field<'_>, reals: bool) -> Vec<Quantity> {
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
                nominal: None,
            };
            if value.kind() == Kind::Struct {
                let fields = if reals {
                    let names = ["start", "unit", "about", "output", "nominal"];
                    self.fields(value, QUANTITY, names)
                } else {
                    let names = ["start", "unit", "about", "output"];
                    let fields = self.fields(value, QUANTITY, names);
                    fields.map(|[start, unit, about, output]| [start, unit, about, output, None])
                };
                if let Some([start, unit, about, output, nominal]) = fields {
                    quantity.nominal = self.positive(nominal);
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

    fn invariants(&mut self, field: Field<'_>) -> Vec<Invariant> {
        let mut invariants = Vec::new();
        for (name, value) in self.named(field) {
            let span = name.span.to(value.span());
            let called = format!("`{}`", name.value);
            let value = self.value(&called, value, "a number or an expression");
            invariants.push(Invariant { name, span, value });
        }
        invariants
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
        let names = ["id", "after", "before", "note", "name", "all", "mark"];
        let [id, after, before, note, name, all, mark] = self.fields(value, RANGE, names)?;
        let [name, all] = self.required(value, RANGE, [("name", name), ("all", all)]);
        let name = name.and_then(|field| self.name(field));
        let all = all.map_or_else(Vec::new, |field| self.comparisons(field));
        let mark = self.word(mark, &Mark::ALL.map(|mark| (mark.name(), mark)));
        let body = Range {
            name: name?,
            all,
            mark,
        };
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
                coef: coef.map(Box::new),
                args,
                coef2: coef2.map(Box::new),
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
            place: place.map(Box::new),
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
}
