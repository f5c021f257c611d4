//! Whole tables: the fields that each part has, in the order of the tree.
//!
//! A field that is missing or of the wrong type is reported and left out (or becomes an error node, where
//! that keeps later stages from reporting what follows from it), so that all mistakes of a file show
//! at once. Strings are read by the grammar of the lines.

mod columns;
mod lab;
mod lookups;
mod machines;
mod parts;
mod rows;

use situ_engine::model::{self, ClockKind, ClockSetting};
use situ_words::phrase;

use super::fields::{Field, Reader, Shape};
use super::foreign;
use super::report;
use super::ron::{self, Kind, Value as Ron};
use super::tokens::Parser;
use super::values::unread;
use crate::diag::Diagnostic;
use crate::source::{SourceId, SourceMap, Span, Spanned};
use crate::tree::{
    AnyRow, CLOCK_FIELDS, Case, Clock, ClockEntry, Counter, Expectation, FIELDS, Invariant, List,
    Name, Quantity, Scheme, Setting, SettingValue, SpeciesFormula, Start, Switch, Table,
};

/// Reads a table.
pub(in crate::parse) fn read(
    sources: &SourceMap,
    source: SourceId,
) -> (Option<Table>, Vec<Diagnostic>) {
    let root = match ron::check(sources, source) {
        Ok(root) => root,
        Err(report) => return (None, vec![*report]),
    };
    let mut reader = Reader::default();
    let table = reader.table(root);
    if let Some(table) = &table {
        foreign::products(table, sources, &mut reader.diagnostics);
    }
    let place = |report: &Diagnostic| report.primary.as_ref().map(|label| label.span.start);
    reader.diagnostics.sort_by_key(place);
    (table, reader.diagnostics)
}

/// Reads the value at a place as a row.
pub(in crate::parse) fn row(
    sources: &SourceMap,
    span: Span,
    list: List,
) -> (Option<AnyRow>, Vec<Diagnostic>) {
    let mut reader = Reader::default();
    let row = reader.row(list, ron::Value::at(sources, span));
    (row, reader.diagnostics)
}

const TABLE: Shape = Shape {
    called: phrase!("phrase-table"),
    type_name: "Table",
};
const CLOCK: Shape = Shape {
    called: phrase!("phrase-clock"),
    type_name: "Clock",
};
const QUANTITY: Shape = Shape {
    called: phrase!("phrase-quantity"),
    type_name: "Quantity",
};
const SWITCH: Shape = Shape {
    called: phrase!("phrase-switch"),
    type_name: "Switch",
};
const CASE: Shape = Shape {
    called: phrase!("phrase-case"),
    type_name: "Case",
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
            counters,
            inputs,
            reals,
            species,
            lookups,
            switches,
            parts,
            ranges,
            situations,
            assignments,
            relations,
            reactions,
            formulas,
            machines,
            invariants,
            expect,
            cases,
            scene,
            lab,
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
            counters: counters.map_or_else(Vec::new, |field| self.counters(field)),
            inputs: Vec::new(),
            reals: reals.map_or_else(Vec::new, |field| self.quantities(field, true)),
            lookups: lookups.map_or_else(Vec::new, |field| self.lookups(field)),
            switches: switches.map_or_else(Vec::new, |field| self.switches(field)),
            parts: parts.map_or_else(Vec::new, |field| self.tables_within(field)),
            ranges: Vec::new(),
            situations: Vec::new(),
            assignments: Vec::new(),
            relations: Vec::new(),
            scheme: Scheme {
                reactions: Vec::new(),
                formulas: formulas.map(|field| self.formulas(field)),
            },
            machines: machines.map_or_else(Vec::new, |field| self.machines(field)),
            invariants: invariants.map_or_else(Vec::new, |field| self.invariants(field)),
            expect: expect.map_or_else(Vec::new, |field| self.expectations(field)),
            cases: cases.map_or_else(Vec::new, |field| self.cases(field)),
            scene: scene.and_then(|field| self.scene(field)),
            lab: lab.and_then(|field| self.lab(field)),
            unread: Vec::new(),
        };
        let species = species.map_or_else(Vec::new, |field| self.quantities(field, true));
        table.reals.extend(species);
        if let Some(inputs) = inputs {
            self.inputs(inputs, &mut table);
        }
        let lists = [ranges, situations, assignments, relations, reactions];
        for (list, field) in List::ALL.into_iter().zip(lists) {
            let Some(field) = field else { continue };
            let Some(rows) = self.list(field, phrase!("phrase-list-rows")) else {
                self.unread.push(field.value.span());
                continue;
            };
            for row in rows {
                // What stands in a wrong list has been reported; it is no row of the list that it fits.
                match self.row(list, row).filter(|row| row.list() == list) {
                    Some(AnyRow::Range(row)) => table.ranges.push(row),
                    Some(AnyRow::Situation(row)) => table.situations.push(row),
                    Some(AnyRow::Assignment(row)) => table.assignments.push(row),
                    Some(AnyRow::Relation(row)) => table.relations.push(row),
                    Some(AnyRow::Reaction(row)) => table.scheme.reactions.push(row),
                    Some(AnyRow::Shape(_)) | None => self.unread.push(row.span()),
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
        let mut fields = settings.iter().flatten();
        let unit = fields.find(|field| field.name == "unit");
        // A time without a unit is in seconds, as far as one can tell.
        let unit = unit.map_or("s", |unit| unit.value.written().trim_matches('"'));
        self.unit = Some(unit.to_owned());
        let settings = model::Clock::SETTINGS.iter().zip(settings);
        let settings = settings
            .filter_map(|(setting, field)| Some((setting, self.clock_entry(setting, field?)?)))
            .collect();
        self.unit = None;
        Some(Clock {
            span: Some(value.span()),
            start,
            settings,
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
        let named = self.named(field).into_iter();
        named
            .map(|(name, value)| self.quantity(name, value, reals))
            .collect()
    }

    fn quantity(&mut self, name: Name, value: Ron<'_>, reals: bool) -> Quantity {
        let span = name.span.to(value.span());
        let mut quantity = Quantity::new(name, span, None);
        if value.kind() == Kind::Struct {
            let fields = if reals {
                let names = [
                    "start",
                    "before",
                    "unit",
                    "about",
                    "output",
                    "nominal",
                    "range",
                    "auxiliary",
                ];
                self.fields(value, QUANTITY, names)
            } else {
                let names = ["start", "unit", "about", "output", "range"];
                let fields = self.fields(value, QUANTITY, names);
                fields.map(|[start, unit, about, output, range]| {
                    [start, None, unit, about, output, None, range, None]
                })
            };
            if let Some(
                [
                    start,
                    before,
                    unit,
                    about,
                    output,
                    nominal,
                    range,
                    auxiliary,
                ],
            ) = fields
            {
                let auxiliary = auxiliary.and_then(|field| self.boolean(field));
                quantity.auxiliary = auxiliary.is_some_and(|auxiliary| auxiliary.value);
                quantity.range = range.and_then(|field| self.range_of(field)).map(Box::new);
                quantity.nominal = self.positive(nominal).map(Box::new);
                quantity.start = start.map(|field| self.expression(field));
                quantity.before = before.map(|field| Box::new(self.expression(field)));
                quantity.unit = self.optional_text(unit).map(Box::new);
                quantity.about = self.optional_text(about).map(Box::new);
                quantity.output = output.and_then(|field| self.boolean(field));
            }
        } else {
            let what = phrase!("phrase-number-expression-start");
            let called = format!("`{}`", quantity.name.value);
            quantity.start = Some(self.value(&called, value, what));
        }
        quantity
    }

    fn counters(&mut self, field: Field<'_>) -> Vec<Counter> {
        let mut counters = Vec::new();
        for (name, value) in self.named(field) {
            let span = name.span.to(value.span());
            let text = match value.kind() {
                Kind::String => self.string(value),
                found => {
                    let called = format!("`{}`", name.value);
                    let expected = phrase!("phrase-range-whole-numbers");
                    self.wrong_type(&called, expected, found, value);
                    None
                }
            };
            let (from, to) = match text {
                Some(text) => self.parse(&text, |parser| parser.whole(Parser::counter_range)),
                None => (unread(value.span()), unread(value.span())),
            };
            counters.push(Counter {
                name,
                span,
                from,
                to,
            });
        }
        counters
    }

    fn formulas(&mut self, field: Field<'_>) -> Vec<SpeciesFormula> {
        let mut formulas = Vec::new();
        for (species, value) in self.named(field) {
            let span = species.span.to(value.span());
            let name = "formulas";
            if let Some(text) = self.text(Field { name, value }) {
                formulas.push(SpeciesFormula {
                    species,
                    span,
                    text,
                });
            }
        }
        formulas
    }

    fn invariants(&mut self, field: Field<'_>) -> Vec<Invariant> {
        let mut invariants = Vec::new();
        for (name, value) in self.named(field) {
            let span = name.span.to(value.span());
            let called = format!("`{}`", name.value);
            let value = self.value(&called, value, phrase!("phrase-number-expression"));
            invariants.push(Invariant { name, span, value });
        }
        invariants
    }

    fn expectations(&mut self, field: Field<'_>) -> Vec<Expectation> {
        let values = self.list(field, phrase!("phrase-list-lines-quotes"));
        let values: Vec<Ron<'_>> = values.into_iter().flatten().collect();
        let mut expectations = Vec::new();
        for value in values {
            if value.kind() != Kind::String {
                let example = phrase!("phrase-line-quotes-such");
                self.wrong_type(phrase!("phrase-expectation"), example, value.kind(), value);
                continue;
            }
            if let Some(text) = self.string(value) {
                let what = self.parse(&text, |parser| parser.expectation_line());
                expectations.push(Expectation {
                    span: text.whole(),
                    text: text.text.trim().to_owned(),
                    what,
                });
            }
        }
        expectations
    }

    fn switches(&mut self, field: Field<'_>) -> Vec<Switch> {
        let named = self.named(field).into_iter();
        named
            .map(|(name, value)| self.switch(name, value))
            .collect()
    }

    fn switch(&mut self, name: Name, value: Ron<'_>) -> Switch {
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
        switch
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
                aside: false,
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
                    let what = phrase!("phrase-number-expression-true");
                    let called = format!("`{}`", name.value);
                    Some(SettingValue::Expr(self.value(&called, value, what)))
                }
            };
            settings.extend(value.map(|value| Setting { name, value }));
        }
        settings
    }
}
