//! Rows in columns.

use super::expression::is_number;
use super::{Printer, bracketed, quoted_name, string};
use crate::tree::{
    Assignment, Comparison, Condition, Each, Expr, ExprKind, Guard, Place, Range, Row, Side,
    Situation,
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
        self.each_columns(row.each.as_deref());
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
        if situation.behind {
            self.field("behind", "true");
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
            Guard::Each(_) => unreachable!("columns have one condition"),
            Guard::Otherwise(_) => self.field("otherwise", "true"),
        }
    }

    /// `for: "j in 2 .. N", one_after_another: true`
    fn each_columns(&mut self, each: Option<&Each>) {
        let Some(each) = each else { return };
        if !each.over.is_empty() {
            let mut printer = self.another();
            printer.counters(&each.over);
            self.field("for", &string(&printer.out));
        }
        if each.one_after_another.is_some() {
            self.field("one_after_another", "true");
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
