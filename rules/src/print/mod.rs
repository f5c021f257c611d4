//! Writes trees back as text: expressions, conditions and rows, in either spelling.
//!
//! The printed text reads back to the same tree: parentheses stand where they are needed (and where
//! the author wrote some, because a factor in parentheses is never a coefficient), names in
//! backticks only where they have to be, numbers as the shortest decimals that read back to the
//! same bits. [`relation_line`] and [`relation_columns`] turn the two spellings of a relation into
//! each other; [`format`](format()) lays out a whole table. [`ModelText`] writes the parts of a model, which has no text.
//!
//! Knows no meaning of names beyond what it is told.

mod columns;
mod expression;
mod format;
mod model_text;
mod relation;
#[cfg(test)]
mod tests;

pub use format::{Spelling, format};
pub use model_text::{ModelText, rewritten};
pub use relation::{Columns, relation_columns, relation_line};

use crate::lex::is_plain_name;
use crate::source::SourceMap;
use crate::tree::{
    AnyRow, Assignment, Comparison, Condition, Expr, Form, Guard, Name, Place, Range, Relation,
    Row, Side, Situation, Value,
};

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

/// The name, in backticks if it needs them.
pub fn name(name: &str) -> String {
    if is_plain_name(name) {
        name.to_owned()
    } else {
        format!("`{name}`")
    }
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
struct Printer<'a> {
    out: String,
    /// Numbers are spelt as they are here; without it as the shortest decimals.
    sources: Option<&'a SourceMap>,
}

impl Printer<'_> {
    /// The row in its own spelling, or as `to` says; `None` if that takes columns that are not
    /// known.
    fn row(mut self, row: &AnyRow, to: Option<&Spelling<'_>>) -> Option<String> {
        let form = to.map(|spelling| spelling.form);
        match row {
            AnyRow::Range(row) => self.spell(row, form, Printer::range, Printer::range_columns),
            AnyRow::Situation(row) => {
                self.spell(row, form, Printer::situation, Printer::situation_columns);
            }
            AnyRow::Assignment(row) => {
                self.spell(row, form, Printer::assignment, Printer::assignment_columns);
            }
            AnyRow::Relation(row) => self.relation_row(row, to)?,
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
                self.guard(&row.body.guard);
                self.remark(row);
            }
            (Form::Line, Value::Columns { .. }) => {
                let spelling = to?;
                let columns = (spelling.columns)(&row.body)?;
                self.head(row);
                self.relation_line(&columns, spelling.is_constant)?;
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
        self.name(&range.name.value);
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
        self.name(&situation.name.value);
        self.out.push_str(": ");
        self.condition(&situation.all);
    }

    fn assignment(&mut self, assignment: &Assignment) {
        self.out.push_str("when ");
        self.condition(&assignment.when);
        self.out.push_str(": ");
        self.list(&assignment.set, Printer::switch);
    }

    fn switch(&mut self, (name, value): &(Name, bool)) {
        if !value {
            self.out.push('!');
        }
        self.name(&name.value);
    }

    /// `v1, v2 := `
    fn targets(&mut self, targets: &[Name], once: bool) {
        self.list(targets, |printer, name| printer.name(&name.value));
        self.out.push_str(if once { " := " } else { " = " });
    }

    fn guard(&mut self, guard: &Guard) {
        match guard {
            Guard::Always => {}
            Guard::When(condition) => {
                self.out.push_str(" when ");
                self.condition(condition);
            }
            Guard::Otherwise(_) => self.out.push_str(" otherwise"),
        }
    }

    // The spelling in columns.

    // Conditions and expressions.

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
    string(&name(&text.value))
}

fn bracketed(items: &[String]) -> String {
    format!("[{}]", items.join(", "))
}
