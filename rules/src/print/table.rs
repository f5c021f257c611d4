//! A whole table from its tree: what `situ show --expand` prints.

use super::{Printer, observed, string, written};
use crate::source::Spanned;
use crate::tree::{
    AnyRow, Axis, Clock, ClockEntry, Expr, Lookup, Quantity, Row, Scene, SettingValue, Switch,
    Table,
};

/// The table as text: one row a line, everything in its own spelling.
///
/// It reads back to the same tree, but for places and comments. What it extends, replaces and drops is not
/// written.
pub fn table(table: &Table) -> String {
    let mut lines = Lines::default();
    lines.out.push_str("(\n    format: 1,\n");
    let texts = [
        ("name", &table.name),
        ("about", &table.about),
        ("source", &table.source),
    ];
    for (field, text) in texts {
        if let Some(text) = text {
            lines.field(field, &string(&text.value));
        }
    }
    if let Some(clock) = &table.clock {
        lines.field("clock", &clock_text(clock));
    }
    let quantities = |all: &[Quantity]| all.iter().map(quantity).collect::<Vec<String>>();
    lines.group("constants", '{', '}', quantities(&table.constants));
    let counters = table.counters.iter().map(|counter| {
        let mut printer = Printer::default();
        printer.ends(&counter.from, &counter.to);
        format!(
            "{}: {}",
            string(&written(&counter.name)),
            string(&printer.out)
        )
    });
    lines.group("counters", '{', '}', counters.collect());
    lines.group("reals", '{', '}', quantities(&table.reals));
    let lookups = table.lookups.iter().map(lookup).collect();
    lines.group("lookups", '{', '}', lookups);
    let switches = table.switches.iter().map(switch).collect();
    lines.group("switches", '{', '}', switches);
    lines.rows("ranges", &table.ranges, AnyRow::Range);
    lines.rows("situations", &table.situations, AnyRow::Situation);
    lines.rows("assignments", &table.assignments, AnyRow::Assignment);
    lines.rows("relations", &table.relations, AnyRow::Relation);
    let invariants = table.invariants.iter();
    let invariants =
        invariants.map(|one| format!("{}: {}", string(&written(&one.name)), value(&one.value)));
    lines.group("invariants", '{', '}', invariants.collect());
    let expect = table.expect.iter().map(|one| string(&one.text));
    lines.group("expect", '[', ']', expect.collect());
    let cases = table.cases.iter().map(|case| {
        let set = case.set.iter().map(|setting| {
            let value = match &setting.value {
                SettingValue::Bool(truth) => truth.value.to_string(),
                SettingValue::Expr(expr) => value(expr),
            };
            format!("{}: {value}", string(&written(&setting.name)))
        });
        let set: Vec<String> = set.collect();
        let mut fields = vec![format!("set: {{{}}}", set.join(", "))];
        fields.extend(
            case.clock
                .as_ref()
                .map(|clock| format!("clock: {}", clock_text(clock))),
        );
        let about = case.about.as_ref();
        fields.extend(about.map(|about| format!("about: {}", string(&about.value))));
        format!("{}: ({})", string(&case.name.value), fields.join(", "))
    });
    lines.group("cases", '{', '}', cases.collect());
    if let Some(scene) = &table.scene {
        lines.scene(scene);
    }
    if let Some(lab) = &table.lab {
        lines.out.push_str("    lab: (\n");
        for (field, text) in observed::lab(lab) {
            lines.out.push_str(&format!("        {field}: {text},\n"));
        }
        lines.out.push_str("    ),\n");
    }
    lines.out.push_str(")\n");
    lines.out
}

#[derive(Default)]
struct Lines {
    out: String,
}

impl Lines {
    fn field(&mut self, field: &str, value: &str) {
        self.out.push_str(&format!("    {field}: {value},\n"));
    }

    fn group(&mut self, field: &str, open: char, close: char, entries: Vec<String>) {
        if entries.is_empty() {
            return;
        }
        self.out.push_str(&format!("    {field}: {open}\n"));
        for entry in entries {
            self.out.push_str(&format!("        {entry},\n"));
        }
        self.out.push_str(&format!("    {close},\n"));
    }

    fn scene(&mut self, scene: &Scene) {
        self.out.push_str("    scene: (\n");
        if let Some(view) = &scene.view {
            let sides: Vec<String> = view.iter().map(value).collect();
            self.out
                .push_str(&format!("        view: ({}),\n", sides.join(", ")));
        }
        self.out.push_str("        rows: [\n");
        for row in &scene.rows {
            let row = string(&super::row(&AnyRow::Shape(row.clone())));
            self.out.push_str(&format!("            {row},\n"));
        }
        self.out.push_str("        ],\n    ),\n");
    }

    fn rows<T: Clone>(&mut self, field: &str, rows: &[Row<T>], any: fn(Row<T>) -> AnyRow) {
        let rows = rows.iter().map(|row| {
            let is_line = row.form == crate::tree::Form::Line;
            let text = super::row(&any(row.clone()));
            if is_line { string(&text) } else { text }
        });
        self.group(field, '[', ']', rows.collect());
    }
}

/// An expression as a value: a number, or a string.
fn value(expr: &Expr) -> String {
    Printer::default().argument(expr)
}

fn quantity(quantity: &Quantity) -> String {
    let name = string(&written(&quantity.name));
    let start = quantity.start.as_ref().map(value);
    let before = quantity.before.as_ref();
    let mut fields: Vec<String> = before
        .map(|before| format!("before: {}", value(before)))
        .into_iter()
        .collect();
    let texts = [("unit", &quantity.unit), ("about", &quantity.about)];
    for (field, text) in texts {
        fields.extend(
            text.as_ref()
                .map(|text| format!("{field}: {}", string(&text.value))),
        );
    }
    let output = quantity.output.as_ref();
    fields.extend(output.map(|output| format!("output: {}", output.value)));
    let nominal = quantity.nominal.as_ref();
    fields.extend(nominal.map(|nominal| format!("nominal: {}", super::number(nominal.value))));
    let range = quantity.range.as_ref();
    fields.extend(range.map(|range| {
        let [low, high] = range.value.map(super::number);
        format!("range: ({low}, {high})")
    }));
    if quantity.auxiliary {
        fields.push("auxiliary: true".to_owned());
    }
    match start {
        Some(start) if fields.is_empty() => format!("{name}: {start}"),
        start => {
            let start = start.map(|start| format!("start: {start}"));
            let fields: Vec<String> = start.into_iter().chain(fields).collect();
            format!("{name}: ({})", fields.join(", "))
        }
    }
}

fn switch(switch: &Switch) -> String {
    let name = string(&written(&switch.name));
    let start = switch.start.as_ref().is_some_and(|start| start.value);
    match &switch.about {
        None => format!("{name}: {start}"),
        Some(about) => format!("{name}: (start: {start}, about: {})", string(&about.value)),
    }
}

fn lookup(lookup: &Lookup) -> String {
    let text = |field: &str, text: &Option<Spanned<String>>| {
        let text = text.as_ref();
        text.map(|text| format!("{field}: {}", string(&text.value)))
    };
    let word =
        |field: &str, word: Option<&'static str>| word.map(|word| format!("{field}: {word}"));
    let axis = |field: &str, axis: &Option<Axis>| {
        let axis = match axis.as_ref()? {
            Axis::Column(name) => string(&name.value),
            Axis::Numbers { values, rows, .. } => numbers(values, *rows),
        };
        Some(format!("{field}: {axis}"))
    };
    let units = lookup.units.iter().map(|unit| string(&unit.value));
    let units: Vec<String> = units.collect();
    let fields = [
        text("file", &lookup.file),
        text("sheet", &lookup.sheet),
        axis("x", &lookup.x),
        axis("y", &lookup.y),
        axis("z", &lookup.z),
        word("kind", lookup.kind.as_ref().map(|kind| kind.value.name())),
        word(
            "outside",
            lookup.outside.as_ref().map(|outside| outside.value.name()),
        ),
        (!units.is_empty()).then(|| format!("units: [{}]", units.join(", "))),
        text("about", &lookup.about),
    ];
    let fields: Vec<String> = fields.into_iter().flatten().collect();
    format!(
        "{}: ({})",
        string(&written(&lookup.name)),
        fields.join(", ")
    )
}

/// A list of numbers, or a list of rows of them.
fn numbers(values: &[Spanned<f64>], rows: Option<usize>) -> String {
    let list = |values: &[Spanned<f64>]| {
        let values = values.iter().map(|value| super::number(value.value));
        format!("[{}]", values.collect::<Vec<_>>().join(", "))
    };
    match rows.filter(|length| *length > 0) {
        None => list(values),
        Some(length) => {
            let rows = values.chunks(length).map(list);
            format!("[{}]", rows.collect::<Vec<_>>().join(", "))
        }
    }
}

fn clock_text(clock: &Clock) -> String {
    let mut fields = Vec::new();
    fields.extend(
        clock
            .start
            .as_ref()
            .map(|start| format!("start: {}", start.value.name())),
    );
    for (setting, entry) in &clock.settings {
        let value = match entry {
            ClockEntry::Number(number) => super::number(number.value),
            ClockEntry::Word(word) => word.value.to_owned(),
            ClockEntry::Expression(expr) => value(expr),
            ClockEntry::Condition(condition) => string(&super::condition(condition)),
        };
        fields.push(format!("{}: {value}", setting.name));
    }
    format!("({})", fields.join(", "))
}
