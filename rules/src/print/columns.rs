//! Rows in columns.

use super::expression::is_number;
use super::{Printer, bracketed, quoted_name, string};
use crate::tree::{
    Assignment, Comparison, Condition, Expr, ExprKind, Guard, Place, Range, Row, Side, Situation,
};

impl Printer<'_> {
    /// `(id: "3a", after: "3", .., note: "..")`
    pub(super) fn columns<T>(&mut self, row: &Row<T>, body: impl FnOnce(&mut Self)) {
        self.out.push('(');
        if let Some(id) = &row.id {
            self.field("id", &string(&id.value));
        }
        if let Some(Place { side, id }) = row.place.as_deref() {
            let side = match side {
                Side::After => "after",
                Side::Before => "before",
            };
            self.field(side, &string(&id.value));
        }
        body(self);
        if let Some(note) = &row.note {
            self.field("note", &string(&note.value));
        }
        self.out.push(')');
    }

    pub(super) fn range_columns(&mut self, range: &Range) {
        self.field("name", &quoted_name(&range.name));
        let sides = |comparison: &Comparison| {
            let [left, right] =
                [&comparison.left, &comparison.right].map(|side| self.argument(side));
            format!("({left}, \"{}\", {right})", comparison.op.symbol())
        };
        let all: Vec<String> = range.all.iter().map(sides).collect();
        self.field("all", &bracketed(&all));
        if let Some(mark) = &range.mark {
            self.field("mark", mark.value.name());
        }
    }

    pub(super) fn situation_columns(&mut self, situation: &Situation) {
        self.field("name", &quoted_name(&situation.name));
        self.condition_column("all", &situation.all);
        if situation.event {
            self.field("event", "true");
        }
    }

    pub(super) fn assignment_columns(&mut self, assignment: &Assignment) {
        self.condition_column("when", &assignment.when);
        let set = assignment.set.iter().map(|switch| {
            let mut printer = Printer::default();
            printer.switch(switch);
            string(&printer.out)
        });
        self.field("set", &bracketed(&set.collect::<Vec<_>>()));
    }

    pub(super) fn guard_columns(&mut self, guard: &Guard) {
        match guard {
            Guard::Always => {}
            Guard::When(condition) => self.condition_column("when", condition),
            Guard::Otherwise(_) => self.field("otherwise", "true"),
        }
    }

    fn condition_column(&mut self, field: &str, condition: &Condition) {
        let literals = condition.literals.iter().map(|literal| {
            let mut printer = self.another();
            printer.literal(literal);
            string(&printer.out)
        });
        let literals = literals.collect::<Vec<_>>();
        self.field(field, &bracketed(&literals));
    }

    /// An expression as a value of RON: a number, or a string.
    pub(super) fn argument(&self, expr: &Expr) -> String {
        let mut expr = expr;
        while let ExprKind::Paren(inner) = &expr.kind {
            expr = inner;
        }
        let mut printer = self.another();
        printer.expr(expr, 0);
        if is_number(expr) {
            printer.out
        } else {
            string(&printer.out)
        }
    }

    pub(super) fn field(&mut self, name: &str, value: &str) {
        if !self.out.ends_with('(') {
            self.out.push_str(", ");
        }
        self.out.push_str(&format!("{name}: {value}"));
    }

    /// A printer for a part that is put into quotes later.
    pub(super) fn another(&self) -> Self {
        Printer {
            out: String::new(),
            sources: self.sources,
        }
    }
}
