//! The list of lookups: files, columns and numbers in place.

use situ_engine::procedure::lookup::{Kind as Between, Outside};
use situ_words::{phrase, say};

use crate::parse::fields::{Field, Reader, Shape};
use crate::parse::ron::{Kind, Value as Ron};
use crate::source::Spanned;
use crate::tree::{Axis, Lookup};

const LOOKUP: Shape = Shape {
    called: phrase!("phrase-lookup"),
    type_name: "Lookup",
};

const FIELDS: [&str; 9] = [
    "file", "sheet", "x", "y", "z", "kind", "outside", "units", "about",
];

impl Reader {
    pub(super) fn lookups(&mut self, field: Field<'_>) -> Vec<Lookup> {
        let mut lookups = Vec::new();
        for (name, value) in self.named(field) {
            let span = name.span.to(value.span());
            let reports = self.diagnostics.len();
            let Some([file, sheet, x, y, z, kind, outside, units, about]) =
                self.fields(value, LOOKUP, FIELDS)
            else {
                self.unread.push(span);
                continue;
            };
            let [x, y, z] = [x, y, z].map(|field| field.and_then(|field| self.axis(field)));
            let mut lookup = Lookup {
                file: self.optional_text(file),
                sheet: self.optional_text(sheet),
                x,
                y,
                z,
                kind: self.word(kind, &Between::NAMES),
                outside: self.word(outside, &Outside::NAMES),
                units: units.map_or_else(Vec::new, |field| self.texts(field)),
                about: self.optional_text(about),
                name,
                span,
                is_broken: false,
            };
            lookup.is_broken = self.diagnostics.len() > reports;
            lookups.push(lookup);
        }
        lookups
    }

    fn axis(&mut self, field: Field<'_>) -> Option<Axis> {
        let value = field.value;
        if value.kind() == Kind::String {
            return self.text(field).map(Axis::Column);
        }
        let items: Vec<Ron<'_>> = (self.list(field, phrase!("phrase-name-column-list"))?).collect();
        let mut values = Vec::with_capacity(items.len());
        let nested = items.first().is_some_and(|item| item.kind() == Kind::List);
        let mut per_row = None;
        for item in items {
            let item_field = Field {
                value: item,
                ..field
            };
            if !nested {
                values.push(self.number(item_field)?);
                continue;
            }
            let row: Vec<Ron<'_>> = self
                .list(item_field, phrase!("phrase-list-numbers"))?
                .collect();
            if *per_row.get_or_insert(row.len()) != row.len() {
                let found = say!("parse-axis.numbers", n = row.len());
                let expected = say!(
                    "parse-axis.rows-above",
                    per_row = per_row.unwrap_or_default()
                );
                self.report(crate::parse::report::expected(
                    &expected,
                    &found,
                    item.span(),
                ));
                return None;
            }
            for number in row {
                values.push(self.number(Field {
                    value: number,
                    ..field
                })?);
            }
        }
        Some(Axis::Numbers {
            values,
            rows: per_row,
            span: value.span(),
        })
    }

    fn texts(&mut self, field: Field<'_>) -> Vec<Spanned<String>> {
        let Some(items) = self.list(field, phrase!("phrase-list-units")) else {
            return Vec::new();
        };
        let items: Vec<Ron<'_>> = items.collect();
        let texts = items
            .into_iter()
            .filter_map(|value| self.text(Field { value, ..field }));
        texts.collect()
    }
}
