//! Parts: tables within a table.

use std::collections::HashSet;
use std::sync::Arc;

use super::{Name, Setting, Table};
use crate::source::{Span, Spanned};

/// `"left": (file: "tank.ron", case: "wide", set: {"A": 2})`
#[derive(Clone, Debug)]
pub struct Part {
    /// Its name; `cell[1 .. N]` or `cell[j]` of many.
    pub name: Name,
    /// Name and value.
    pub span: Span,
    /// Path of its table, relative to the one that it stands in; `None` where a table that is extended says it.
    pub file: Option<Spanned<String>>,
    /// One of the cases of its table.
    pub case: Option<Spanned<String>>,
    /// Constants, starts and inputs that get other values; these are expressions over the names outside.
    pub set: Vec<Setting>,
    /// Its description.
    pub about: Option<Spanned<String>>,
    /// Its table and all that this extends, base first; empty until they are loaded, or if they cannot be.
    pub tables: Arc<Vec<Table>>,
}

/// The tables, those of their parts and so on, each once.
pub fn with_parts(tables: &[Table]) -> Vec<&Table> {
    let mut all: Vec<&Table> = Vec::new();
    let mut seen: HashSet<*const Vec<Table>> = HashSet::new();
    let mut left: Vec<&[Table]> = vec![tables];
    while let Some(tables) = left.pop() {
        all.extend(tables);
        let parts = tables.iter().flat_map(|table| &table.parts);
        let new = parts.filter(|part| seen.insert(Arc::as_ptr(&part.tables)));
        left.extend(new.map(|part| part.tables.as_slice()));
    }
    all
}
