//! Inputs, `{"inflow": (start: 0, unit: "m^3/s"), "open": true}`, and parts,
//! `{"left": (file: "tank.ron", case: "wide", set: {"A": 2})}`.

use std::sync::Arc;

use situ_words::phrase;

use crate::parse::fields::{Field, Reader, Shape};
use crate::parse::ron::{Kind, Value as Ron};
use crate::source::Spanned;
use crate::tree::{Part, Table};

const PART: Shape = Shape {
    called: phrase!("phrase-part"),
    type_name: "Part",
};

impl Reader {
    /// Reads inputs: those with a truth value are switches, all others reals.
    pub(super) fn inputs(&mut self, field: Field<'_>, table: &mut Table) {
        for (name, value) in self.named(field) {
            table.inputs.push(name.clone());
            match is_truth(value) {
                true => table.switches.push(self.switch(name, value)),
                false => table.reals.push(self.quantity(name, value, true)),
            }
        }
    }

    pub(super) fn tables_within(&mut self, field: Field<'_>) -> Vec<Part> {
        let mut parts = Vec::new();
        for (name, value) in self.named(field) {
            let span = name.span.to(value.span());
            let names = ["file", "case", "set", "about"];
            let Some([file, case, set, about]) = self.fields(value, PART, names) else {
                self.unread.push(span);
                continue;
            };
            parts.push(Part {
                name,
                span,
                file: file.map(|file| self.path(file)),
                case: self.optional_text(case),
                set: set.map_or_else(Vec::new, |field| self.settings(field)),
                about: self.optional_text(about),
                tables: Arc::default(),
            });
        }
        parts
    }

    /// The path of a table; empty after a report.
    fn path(&mut self, field: Field<'_>) -> Spanned<String> {
        let span = field.value.span();
        let text = self.text(field);
        text.unwrap_or_else(|| Spanned::new(String::new(), span))
    }
}

/// True if a value, or the start in its fields, is `true` or `false`.
fn is_truth(value: Ron<'_>) -> bool {
    match value.kind() {
        Kind::Bool => true,
        Kind::Struct => value.entries().any(|(key, value)| {
            key.is_some_and(|key| key.written() == "start") && value.kind() == Kind::Bool
        }),
        _ => false,
    }
}
