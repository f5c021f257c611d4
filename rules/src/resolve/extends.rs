//! A chain of tables, base first, becomes one list of each kind.
//!
//! Every table after the first adds rows at the end or beside a row named by id, replaces and drops
//! rows by id, and overrides starts, clock, cases and the model's name. Rows are borrowed from the
//! trees; nothing is bound to names yet.

use std::collections::{HashMap, HashSet};

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use super::merged::{Entry, Merged, MergedPart, MergedQuantity, MergedSwitch};
use super::rows::{Fates, add_rows, fates};
use crate::diag::Diagnostic;
use crate::source::Spanned;
use crate::tree::{
    Case, Invariant, Lookup, Name, Part, Quantity, Relation, Switch, Table, Value, real_of_rate,
};

/// Merges the tables, base first.
pub(super) fn merge<'a>(tables: &'a [Table], diagnostics: &mut Vec<Diagnostic>) -> Merged<'a> {
    let mut merged = Merged {
        parts: overridden(tables.iter().map(|table| table.parts.as_slice())),
        ..Merged::default()
    };
    let mut inputs: IndexMap<&str, &Name> = IndexMap::new();
    for input in tables.iter().flat_map(|table| &table.inputs) {
        inputs.entry(&input.value).or_insert(input);
    }
    merged.inputs = inputs.into_values().collect();
    for table in tables {
        let text = |text: &'a Option<Spanned<String>>| text.as_ref().map(|text| &*text.value);
        merged.name = text(&table.name).or(merged.name);
        merged.about = text(&table.about).or(merged.about);
        merged.source = text(&table.source).or(merged.source);
        merged.clocks.extend(&table.clock);
        let view = table.scene.as_ref().and_then(|scene| scene.view.as_ref());
        merged.scene.view = view.or(merged.scene.view);
        add_table(&mut merged, table, diagnostics);
    }
    merged.constants = overridden(tables.iter().map(|table| table.constants.as_slice()));
    merged.reals = overridden(tables.iter().map(|table| table.reals.as_slice()));
    add_rates(&mut merged);
    merged.switches = overridden(tables.iter().map(|table| table.switches.as_slice()));
    let cases = tables.iter().flat_map(|table| &table.cases);
    let by_name: IndexMap<&str, &Case> = cases.map(|case| (&*case.name.value, case)).collect();
    merged.cases = by_name.into_values().collect();
    let invariants = tables.iter().flat_map(|table| &table.invariants);
    let by_name: IndexMap<&str, &Invariant> =
        invariants.map(|one| (&*one.name.value, one)).collect();
    merged.invariants = by_name.into_values().collect();
    let lookups = tables.iter().flat_map(|table| &table.lookups);
    let by_name: IndexMap<&str, &Lookup> = lookups.map(|one| (&*one.name.value, one)).collect();
    merged.lookups = by_name.into_values().collect();

    for formulas in tables
        .iter()
        .filter_map(|table| table.scheme.formulas.as_ref())
    {
        let known = merged.scheme.formulas.get_or_insert_default();
        known.extend(formulas.iter().map(|one| (&*one.species.value, one)));
    }

    let n_rows = merged.situations.rows.len();
    let mut names = IndexMap::with_capacity_and_hasher(n_rows, FxBuildHasher);
    merged
        .situations
        .defines
        .reserve(merged.situations.rows.len());
    for entry in &merged.situations.rows {
        let name = &entry.row.body.name;
        let definition = names.entry(&*name.value);
        merged.situations.defines.push(definition.index());
        definition.or_insert(name);
    }
    merged.situations.names = names.into_values().collect();
    merged
}

impl<'a> Merged<'a> {
    /// Adds a table that was made from these: it has names and rows of its own only.
    pub(super) fn join(&mut self, table: &'a Table, diagnostics: &mut Vec<Diagnostic>) {
        self.reals.extend(table.reals.iter().map(Override::of));
        self.switches
            .extend(table.switches.iter().map(Override::of));
        add_table(self, table, diagnostics);
    }
}

/// The rates for which rows solve are reals, declared or not.
fn add_rates<'a>(merged: &mut Merged<'a>) {
    let solves = |entry: &&Entry<'a, Relation>| matches!(entry.row.body.value, Value::Solve { .. });
    let targets = merged
        .relations
        .iter()
        .filter(solves)
        .flat_map(|entry| &entry.row.body.targets);
    let rates: Vec<&'a Name> = targets
        .filter(|name| real_of_rate(&name.value).is_some())
        .collect();
    if rates.is_empty() {
        return;
    }
    let mut known: HashSet<&str> = merged.reals.iter().map(|real| &*real.name.value).collect();
    for name in rates {
        if known.insert(&name.value) {
            merged.reals.push(MergedQuantity {
                name,
                span: name.span,
                start: None,
                before: None,
                unit: None,
                about: None,
                output: Some(false),
                nominal: None,
                range: None,
                auxiliary: true,
                family: None,
            });
        }
    }
}

/// Part of a table that a later table may override.
pub(super) trait Override<'a>: Sized {
    type Written;
    fn of(written: &'a Self::Written) -> Self;
    fn name(&self) -> &'a str;
    fn override_by(&mut self, later: Self);
}

impl<'a> Override<'a> for MergedQuantity<'a> {
    type Written = Quantity;

    fn of(written: &'a Self::Written) -> Self {
        Self {
            name: &written.name,
            span: written.span,
            start: written.start.as_ref(),
            before: written.before.as_deref(),
            unit: written.unit.as_ref().map(|unit| &*unit.value),
            about: written.about.as_ref().map(|about| &*about.value),
            output: written.output.as_ref().map(|output| output.value),
            nominal: written.nominal.as_ref().map(|nominal| &nominal.value),
            range: written.range.as_ref().map(|range| &range.value),
            auxiliary: written.auxiliary,
            family: written.elements.is_some().then_some(written),
        }
    }

    fn name(&self) -> &'a str {
        &self.name.value
    }

    fn override_by(&mut self, later: Self) {
        *self = Self {
            start: later.start.or(self.start),
            before: later.before.or(self.before),
            unit: later.unit.or(self.unit),
            about: later.about.or(self.about),
            output: later.output.or(self.output),
            nominal: later.nominal.or(self.nominal),
            range: later.range.or(self.range),
            auxiliary: later.auxiliary || self.auxiliary,
            ..later
        };
    }
}

impl<'a> Override<'a> for MergedSwitch<'a> {
    type Written = Switch;

    fn of(written: &'a Self::Written) -> Self {
        Self {
            name: &written.name,
            span: written.span,
            start: written.start.as_ref().map(|start| start.value),
            about: written.about.as_ref().map(|about| &*about.value),
        }
    }

    fn name(&self) -> &'a str {
        &self.name.value
    }

    fn override_by(&mut self, later: Self) {
        *self = Self {
            start: later.start.or(self.start),
            about: later.about.or(self.about),
            ..later
        };
    }
}

impl<'a> Override<'a> for MergedPart<'a> {
    type Written = Part;

    fn of(written: &'a Self::Written) -> Self {
        Self {
            name: &written.name,
            file: written.file.as_ref(),
            case: written.case.as_ref(),
            set: written.set.iter().collect(),
            about: written.about.as_ref().map(|about| &*about.value),
            tables: &written.tables,
        }
    }

    fn name(&self) -> &'a str {
        self.name.base()
    }

    fn override_by(&mut self, later: Self) {
        self.set.extend(later.set);
        self.case = later.case.or(self.case);
        self.about = later.about.or(self.about);
        if later.file.is_some() {
            (self.file, self.tables) = (later.file, later.tables);
        }
        if later.name.index.is_some() {
            self.name = later.name;
        }
    }
}

/// The quantities of all tables in the order in which they first stand. A name that stands twice in
/// one table is kept twice, for the collecting of names to report.
fn overridden<'a, T>(tables: impl ExactSizeIterator<Item = &'a [T::Written]>) -> Vec<T>
where
    T: Override<'a>,
    T::Written: 'a,
{
    let n_tables = tables.len();
    let mut all: Vec<T> = Vec::new();
    let mut known: HashMap<&'a str, usize> = HashMap::new();
    for (level, table) in tables.enumerate() {
        let n_base = all.len();
        all.reserve(table.len());
        for written in table {
            let quantity = T::of(written);
            match known.get(quantity.name()) {
                Some(&index) => all[index].override_by(quantity),
                None => all.push(quantity),
            }
        }
        if level + 1 < n_tables {
            let new = all.iter().enumerate().skip(n_base);
            known.extend(new.map(|(index, quantity)| (quantity.name(), index)));
        }
    }
    all
}

/// Adds the rows of a table to the lists.
fn add_table<'a>(merged: &mut Merged<'a>, table: &'a Table, diagnostics: &mut Vec<Diagnostic>) {
    let Fates {
        ranges,
        situations,
        assignments,
        relations,
        reactions,
        shapes,
    } = fates(merged, table, diagnostics);
    let parts = merged.parts.iter().map(|part| part.name.base()).collect();
    let parts = &parts;
    add_rows(&mut merged.ranges, table, parts, ranges, diagnostics);
    add_rows(
        &mut merged.situations.rows,
        table,
        parts,
        situations,
        diagnostics,
    );
    add_rows(
        &mut merged.assignments,
        table,
        parts,
        assignments,
        diagnostics,
    );
    add_rows(&mut merged.relations, table, parts, relations, diagnostics);
    add_rows(
        &mut merged.scheme.reactions,
        table,
        parts,
        reactions,
        diagnostics,
    );
    add_rows(&mut merged.scene.shapes, table, parts, shapes, diagnostics);
}
