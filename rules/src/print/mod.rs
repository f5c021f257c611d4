//! Writes trees back as text: expressions, conditions and rows, in either spelling.
//!
//! The printed text reads back to the same tree: parentheses stand where they are needed (and where
//! the author wrote some, because a factor in parentheses is never a coefficient), names in
//! backticks only where they have to be, numbers as the shortest decimals that read back to the
//! same bits. [`relation_line`] and [`relation_columns`] turn the two spellings of a relation into
//! each other; [`crate::layout`] lays out a whole table. [`ModelText`] writes the parts of a model, which has no text.
//!
//! Knows no meaning of names beyond what it is told.

mod columns;
mod expression;
mod family;
mod model_text;
mod observed;
mod reaction;
mod relation;
mod scene;
mod solve;
mod table;
#[cfg(test)]
mod tests;

pub use model_text::{ModelText, rewritten};
pub(crate) use observed::expected;
pub use relation::{Columns, relation_columns, relation_line};
pub use table::table;

use crate::lex::is_plain_name;
use crate::source::SourceMap;
use crate::tree::{
    AnyRow, Assignment, Comparison, Condition, Expr, Form, Guard, IndexItem, Name, Place, Range,
    Relation, Row, Side, Situation, Value, open_brackets, real_of_rate,
};

/// A spelling that all rows are to have.
#[derive(Clone, Copy)]
pub struct Spelling<'a> {
    /// The spelling.
    pub form: Form,
    /// The columns of a relation in either spelling (`resolve::columns`); without them the row
    /// stays as it is.
    pub columns: &'a dyn Fn(&Relation) -> Option<Columns>,
    /// True if a name is one of the model's constants.
    pub is_constant: &'a dyn Fn(&str) -> bool,
}

/// The row in its own spelling.
pub fn row(row: &AnyRow) -> String {
    Printer::default().row(row, None).unwrap_or_default()
}

/// The expression.
pub fn expression(expr: &Expr) -> String {
    let mut printer = Printer::default();
    printer.expr(expr, 0);
    printer.out
}

/// The condition as it stands in a line.
pub fn condition(condition: &Condition) -> String {
    let mut printer = Printer::default();
    printer.condition(condition);
    printer.out
}

/// The comparison, with one blank around its operators whatever the author wrote.
pub fn comparison(comparison: &Comparison) -> String {
    let mut printer = Printer::default();
    printer.comparison(comparison);
    printer.out
}

/// The name, in backticks if it needs them; those of an element stand before its indices.
pub fn name(name: &str) -> String {
    if is_plain_name(name) {
        return name.to_owned();
    }
    if let Some(real) = real_of_rate(name).filter(|real| !real.contains(['`', '('])) {
        return format!("rate({})", self::name(real));
    }
    if is_plain_path(name) {
        return name.to_owned();
    }
    match situ_engine::model::element(name) {
        Some((base, _)) if !base.contains('[') => format!("`{base}`{}", &name[base.len()..]),
        _ => format!("`{name}`"),
    }
}

/// True if a name is plain but for indices: `u[3]`, `cell[3].u[2,4]`.
fn is_plain_path(name: &str) -> bool {
    let (mut plain, mut rest) = (String::new(), name);
    while let Some((base, behind)) = rest.split_once('[') {
        let Some((indices, behind)) = behind.split_once(']') else {
            return false;
        };
        let indexed = format!("u[{indices}]");
        let joined = behind.is_empty() || behind.starts_with('.');
        if !joined || situ_engine::model::element(&indexed).is_none() {
            return false;
        }
        plain.push_str(base);
        rest = behind;
    }
    plain.push_str(rest);
    is_plain_name(&plain)
}

/// The name as it is written, with its indices.
pub fn written(text: &Name) -> String {
    match text.index {
        Some(_) => text.value.clone(),
        None => name(&text.value),
    }
}

/// A name with indices: `u[j + 1]`, `c[0 .. N, k]`, `cell[i].T`.
pub fn indexed(base: &str, items: &[IndexItem]) -> String {
    let mut printer = Printer::default();
    let (mut done, mut rest) = (0, items);
    for (place, n) in open_brackets(base) {
        let (here, behind) = rest.split_at(n.min(rest.len()));
        printer.segment(&base[done..place.start]);
        printer.indices(here);
        (done, rest) = (place.end, behind);
    }
    printer.segment(&base[done..]);
    if !rest.is_empty() {
        printer.indices(rest);
    }
    printer.out
}

/// The fewest digits that read back to the same bits; with an exponent below 1e-4 and from 1e16 on.
pub fn number(value: f64) -> String {
    let magnitude = value.abs();
    if magnitude == 0.0 || (1e-4..1e16).contains(&magnitude) {
        format!("{value}")
    } else {
        format!("{value:e}")
    }
}

/// The text as a RON string: plain if it can be, else raw, so that its bytes stay what they are.
pub fn string(text: &str) -> String {
    if !text.contains(['"', '\\']) {
        return format!("\"{text}\"");
    }
    let hashes = text
        .split('"')
        .skip(1)
        .map(|rest| rest.bytes().take_while(|byte| *byte == b'#').count() + 1);
    let hashes = "#".repeat(hashes.max().unwrap_or(0));
    format!("r{hashes}\"{text}\"{hashes}")
}

/// Output of the printer, and the spelling of numbers.
#[derive(Default)]
pub(crate) struct Printer<'a> {
    out: String,
    /// Numbers are spelt as they are here; without it as the shortest decimals.
    sources: Option<&'a SourceMap>,
}

impl<'a> Printer<'a> {
    /// A printer that spells numbers as they are in their texts.
    pub(crate) fn spelling_as(sources: &'a SourceMap) -> Self {
        Self {
            out: String::new(),
            sources: Some(sources),
        }
    }
}

impl Printer<'_> {
    /// What has been printed.
    pub(crate) fn text(self) -> String {
        self.out
    }

    /// The row in its own spelling, or as `to` says; `None` if that takes columns that are not
    /// known.
    pub(crate) fn row(mut self, row: &AnyRow, to: Option<&Spelling<'_>>) -> Option<String> {
        let form = to.map(|spelling| spelling.form);
        match row {
            AnyRow::Range(row) => self.spell(row, form, Printer::range, Printer::range_columns),
            AnyRow::Situation(row) => {
                // No line says where it is scanned.
                let form = if row.body.behind { None } else { form };
                self.spell(row, form, Printer::situation, Printer::situation_columns);
            }
            AnyRow::Assignment(row) => {
                self.spell(row, form, Printer::assignment, Printer::assignment_columns);
            }
            AnyRow::Relation(row) => self.relation_row(row, to)?,
            AnyRow::Reaction(row) => {
                self.spell(row, form, Printer::reaction, Printer::reaction_columns);
            }
            AnyRow::Shape(row) => {
                self.head(row);
                self.shape(&row.body);
                self.each(row.each.as_deref());
                self.remark(row);
            }
        }
        Some(self.out)
    }

    fn spell<T>(
        &mut self,
        row: &Row<T>,
        form: Option<Form>,
        line: fn(&mut Self, &T),
        columns: fn(&mut Self, &T),
    ) {
        match form.unwrap_or(row.form) {
            Form::Line => {
                self.head(row);
                line(self, &row.body);
                self.each(row.each.as_deref());
                self.remark(row);
            }
            Form::Columns => self.columns(row, |printer| columns(printer, &row.body)),
        }
    }

    fn relation_row(&mut self, row: &Row<Relation>, to: Option<&Spelling<'_>>) -> Option<()> {
        match (
            to.map_or(row.form, |spelling| spelling.form),
            &row.body.value,
        ) {
            (Form::Line, Value::Exprs(values)) => {
                self.head(row);
                self.targets(&row.body.targets, row.body.once);
                self.list(values, |printer, value| printer.expr(value, 0));
                self.each(row.each.as_deref());
                self.guard(&row.body.guard);
                self.remark(row);
            }
            (Form::Line, Value::Solve { equations, bounds }) => {
                self.head(row);
                let bounds = bounds.as_deref();
                let sides = equations.iter().map(|one| (&one.left, &one.right));
                self.solve_line(&row.body.targets, &sides.collect::<Vec<_>>(), bounds);
                self.each(row.each.as_deref());
                self.guard(&row.body.guard);
                self.remark(row);
            }
            (Form::Line, Value::Columns { .. }) => {
                let spelling = to?;
                let columns = (spelling.columns)(&row.body)?;
                self.head(row);
                self.relation_line(&columns, row.each.as_deref(), spelling.is_constant)?;
                self.remark(row);
            }
            (
                Form::Columns,
                Value::Columns {
                    procedure,
                    coef,
                    args,
                    coef2,
                },
            ) => {
                let parts = relation::Parts {
                    targets: &row.body.targets,
                    once: row.body.once,
                    procedure: &procedure.value,
                    coef: coef.as_deref(),
                    args,
                    coef2: coef2.as_deref(),
                    guard: &row.body.guard,
                };
                self.columns(row, |printer| printer.relation_columns(parts));
            }
            (Form::Columns, Value::Solve { equations, bounds }) => {
                let bounds = bounds.as_deref();
                let sides: Vec<_> = equations
                    .iter()
                    .map(|one| (&one.left, &one.right))
                    .collect();
                self.columns(row, |printer| {
                    printer.solve_columns(&row.body.targets, &sides, bounds);
                    printer.guard_columns(&row.body.guard);
                });
            }
            (_, Value::Family(_)) => return None,
            (Form::Columns, Value::Exprs(_)) => {
                let columns = (to?.columns)(&row.body)?;
                self.columns(row, |printer| printer.relation_columns(columns.parts()));
            }
        }
        Some(())
    }

    // The spelling in one line.

    /// `[3a after 3] `
    fn head<T>(&mut self, row: &Row<T>) {
        if row.id.is_none() && row.place.is_none() {
            return;
        }
        self.out.push('[');
        if let Some(id) = &row.id {
            self.out.push_str(&id.value);
        }
        if let Some(Place { side, id }) = row.place.as_deref() {
            let gap = if row.id.is_some() { " " } else { "" };
            let side = match side {
                Side::After => "after",
                Side::Before => "before",
            };
            self.out.push_str(&format!("{gap}{side} {}", id.value));
        }
        self.out.push_str("] ");
    }

    /// `    # note`
    fn remark<T>(&mut self, row: &Row<T>) {
        if let Some(note) = &row.note {
            // A line has no lines; blanks at the ends are not read back.
            let lines = note
                .value
                .lines()
                .map(str::trim)
                .filter(|line| !line.is_empty());
            let note = lines.collect::<Vec<_>>().join(" ");
            if note.is_empty() {
                return;
            }
            let width = self.out.chars().count();
            let gap = REMARK_COLUMN.saturating_sub(width).max(REMARK_GAP);
            self.out.extend(std::iter::repeat_n(' ', gap));
            self.out.push_str("# ");
            self.out.push_str(&note);
        }
    }

    fn range(&mut self, range: &Range) {
        if let Some(mark) = &range.mark {
            self.out.push_str(mark.value.name());
            self.out.push(' ');
        }
        self.written(&range.name);
        self.out.push_str(": ");
        for (index, comparison) in range.all.iter().enumerate() {
            if index > 0 {
                self.out.push_str(" & ");
            }
            self.comparison(comparison);
        }
    }

    fn situation(&mut self, situation: &Situation) {
        if situation.event {
            self.out.push_str("event ");
        }
        self.written(&situation.name);
        self.out.push_str(": ");
        self.condition(&situation.all);
    }

    fn assignment(&mut self, assignment: &Assignment) {
        self.out.push_str("when ");
        self.condition(&assignment.when);
        self.out.push_str(": ");
        self.list(&assignment.set, Printer::switch);
    }

    pub(crate) fn switch(&mut self, (name, value): &(Name, bool)) {
        if !value {
            self.out.push('!');
        }
        self.written(name);
    }

    /// `v1, v2 := `
    fn targets(&mut self, targets: &[Name], once: bool) {
        self.list(targets, Printer::written);
        self.out.push_str(if once { " := " } else { " = " });
    }

    fn guard(&mut self, guard: &Guard) {
        match guard {
            Guard::Always => {}
            Guard::When(condition) => {
                self.out.push_str(" when ");
                self.condition(condition);
            }
            Guard::Each(conditions) => {
                self.out.push_str(" when ");
                self.list(conditions, Printer::condition);
            }
            Guard::Otherwise(_) => self.out.push_str(" otherwise"),
        }
    }

    fn list<T>(&mut self, items: &[T], print: impl Fn(&mut Self, &T)) {
        for (index, item) in items.iter().enumerate() {
            if index > 0 {
                self.out.push_str(", ");
            }
            print(self, item);
        }
    }
}

/// Remarks begin so many characters behind the start of their row, so that they stand below each
/// other..
const REMARK_COLUMN: usize = 32;

/// .. or so many behind the end of a longer one.
const REMARK_GAP: usize = 3;

fn quoted_name(text: &Name) -> String {
    string(&written(text))
}

fn bracketed(items: &[String]) -> String {
    format!("[{}]", items.join(", "))
}
