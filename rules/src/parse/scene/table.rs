//! The field `scene` of a table.

use situ_words::phrase;

use super::report;
use crate::parse::fields::{Field, Reader, Shape};
use crate::parse::ron::{Kind, Value as Ron};
use crate::tree::{AnyRow, Expr, List, Scene};

const SCENE: Shape = Shape {
    called: phrase!("phrase-scene"),
    type_name: "Scene",
};

impl Reader {
    /// Reads `(view: (..), rows: [..])`.
    pub(in crate::parse) fn scene(&mut self, field: Field<'_>) -> Option<Scene> {
        let value = field.value;
        let Some([view, rows]) = self.fields(value, SCENE, ["view", "rows"]) else {
            self.unread.push(value.span());
            return None;
        };
        let mut scene = Scene {
            span: value.span(),
            view: view.and_then(|field| self.view(field.value)),
            rows: Vec::new(),
        };
        let rows = rows.and_then(|field| {
            let rows = self.list(field, phrase!("phrase-list-rows"));
            if rows.is_none() {
                self.unread.push(field.value.span());
            }
            rows
        });
        for row in rows.into_iter().flatten() {
            match self.row(List::Scene, row) {
                Some(AnyRow::Shape(row)) => scene.rows.push(row),
                _ => self.unread.push(row.span()),
            }
        }
        Some(scene)
    }

    fn view(&mut self, value: Ron<'_>) -> Option<[Expr; 4]> {
        if !matches!(value.kind(), Kind::Tuple | Kind::List) {
            self.report(report::view(value.kind().describe(), value.span()));
            self.unread.push(value.span());
            return None;
        }
        let sides: Vec<Ron<'_>> = value.items().collect();
        let n = sides.len();
        let sides = sides.into_iter().map(|side| {
            let what = phrase!("phrase-number-expression-quotes");
            self.value(phrase!("phrase-border-view"), side, what)
        });
        let sides: Vec<Expr> = sides.collect();
        match <[Expr; 4]>::try_from(sides) {
            Ok(sides) => Some(sides),
            Err(_) => {
                self.report(report::view(n.to_string(), value.span()));
                self.unread.push(value.span());
                None
            }
        }
    }
}
