//! Rows that count become rows for single elements, and parts become rows: a merged table with both, one without.
//!
//! ```text
//! Merged --values, counters, parts--> families --check--> rows of elements --parts--> Table
//! ```
//!
//! The shape follows from constants: ends of ranges and indices are computed here, nothing else is.
//! What is wrong is found from the formulas of the indices ([`check`]), before an element is made, and
//! the number of elements is known before memory is taken. Elements carry the places of the row that
//! the author wrote. A row that reads what it writes at another index becomes one row of many targets,
//! `u[1], u[2] = e1, e2`, which reads all before it stores; any other becomes a row for each element.

mod check;
mod composition;
mod cover;
mod coverage;
mod declared;
mod elements;
mod families;
mod index;
mod names;
mod needed;
mod parts;
mod quantities;
mod reduce;
mod report;
mod rows;
mod scene;
mod values;

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use situ_engine::model::{Counter, element};

use self::composition::Instance;
pub(crate) use self::composition::settle;
pub use self::elements::{Flat, flat};
pub(super) use self::elements::{Parts, with_elements};
use self::families::{Block, Env, Extent, Families, Family, Kind, Scope, each_env, size};
use self::index::form;
pub(super) use self::needed::condition as has_elements;
use self::values::Values;
use super::merged::Merged;
use crate::diag::{Diagnostic, has_errors};
use crate::source::Span;
use crate::tree::{Clock, Each, Expr, IndexItem, Name, Table};

/// Most nodes of expressions that a table may have when it is written out. A model takes 50 to 200 bytes for each, with
/// all that belongs to its row: a million cells are some gigabytes.
const MAX_NODES: u64 = 80_000_000;

/// A table written out.
#[derive(Debug)]
pub(super) struct Expanded {
    pub(super) table: Table,
    pub(super) clocks: Vec<Clock>,
    /// The cases that have another number of elements, if it is written out to be read: they are not in the table.
    left_out: Vec<String>,
    /// The constants that decided its shape, with the values that they had.
    pub(super) shape: Vec<(String, f64)>,
    /// The inputs of each of its parts.
    pub(super) part_inputs: Vec<Vec<String>>,
    /// Its counters.
    pub(super) counters: Vec<Counter>,
    /// All of its families.
    pub(super) declared: Vec<situ_engine::model::Family>,
}

/// True if a table has families or parts to write out.
pub(crate) fn has_families(tables: &[Table]) -> bool {
    tables.iter().any(needed::has_families)
}

/// Writes a table with families out.
///
/// Result: `None` if it has none; `Err` after a report.
pub(super) fn expand<'a>(
    tables: &'a [Table],
    merged: &Merged<'a>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Result<Expanded, ()>> {
    if !has_families(tables) {
        return None;
    }
    let expander = Expander::default().with_patterns(merged);
    let expanded = written_out(expander, tables, merged, diagnostics);
    Some(expanded.map(|(expanded, _)| expanded))
}

/// Writes any table out; gives its families too.
///
/// # Errors
///
/// Mistakes, after a report.
fn written_out<'a>(
    mut expander: Expander<'a>,
    tables: &'a [Table],
    merged: &Merged<'a>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Result<(Expanded, Vec<(String, Family)>), ()> {
    expander.constants(merged);
    expander.counters(tables, merged);
    expander.instances(merged);
    expander.declare(merged);
    let is_shaped = !expander.unread && !has_errors(&expander.diagnostics);
    if is_shaped {
        expander.check(merged);
        let own = tables.last().map_or(&[][..], |table| &table.expect);
        expander.check_expectations(own);
    }
    let sound = is_shaped && !has_errors(&expander.diagnostics);
    diagnostics.append(&mut expander.diagnostics);
    if !sound {
        return Err(());
    }
    let expanded = expander.write_out(tables, merged);
    diagnostics.append(&mut expander.diagnostics);
    if has_errors(diagnostics) {
        return Err(());
    }
    let families = expander.families.by_name.into_iter();
    let mut families: Vec<(String, Family)> = families
        .map(|(name, family)| (name.into_owned(), family))
        .collect();
    families.sort_by(|(a, _), (b, _)| a.cmp(b));
    Ok((expanded, families))
}

/// What is known of a table while it is written out.
#[derive(Default)]
struct Expander<'a> {
    values: Values<'a>,
    counters: Scope<'a>,
    families: Families<'a>,
    diagnostics: Vec<Diagnostic>,
    /// True if a value that is needed could not be read, which has been reported.
    unread: bool,
    /// Nodes of expressions that the table will have.
    n_nodes: u64,
    /// Events among the situations without indices.
    events: HashSet<Cow<'a, str>>,
    /// Switches, by themselves or families, while conditions of relations are written out: these read switches as the
    /// assignments have left them.
    switches: HashSet<&'a str>,
    parts: reduce::Parts,
    patterns: elements::Patterns,
    /// The tables within this one.
    instances: Vec<Instance<'a>>,
    lookups: Vec<&'a Name>,
    /// Values that what stands around the table gives to constants of its parts.
    numbers: Vec<(String, f64)>,
    /// True if the table is written out to be read: with the texts about its runs, which are bound to a model as they are.
    for_people: bool,
}

impl<'a> Expander<'a> {
    fn report(&mut self, report: Diagnostic) {
        self.diagnostics.push(report);
    }

    /// The result, or nothing after its report.
    fn or_report<T>(&mut self, result: Result<T, values::Refusal>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(report) => {
                self.unread |= report.is_none();
                self.diagnostics.extend(report.map(|report| *report));
                None
            }
        }
    }

    fn constants(&mut self, merged: &Merged<'a>) {
        for constant in &merged.constants {
            let Some(start) = constant.start else {
                continue;
            };
            let Some(index) = &constant.name.index else {
                self.values.plain(&constant.name.value, start);
                continue;
            };
            self.values.family(&index.base, &index.items, start);
        }
    }

    fn counters(&mut self, tables: &'a [Table], merged: &Merged<'a>) {
        self.lookups = merged.lookups.iter().map(|one| &one.name).collect();
        let mut taken: HashMap<&str, Span> = HashMap::new();
        let quantities = merged.constants.iter().chain(&merged.reals);
        let names = quantities
            .map(|quantity| quantity.name)
            .chain(merged.switches.iter().map(|switch| switch.name))
            .chain(merged.lookups.iter().map(|lookup| &lookup.name))
            .chain(merged.ranges.iter().map(|entry| &entry.row.body.name))
            .chain(merged.situations.names.iter().copied());
        for name in names {
            taken.entry(name.base()).or_insert(name.span);
        }
        let mut latest: indexmap::IndexMap<&str, &crate::tree::Counter> = indexmap::IndexMap::new();
        for counter in tables.iter().flat_map(|table| &table.counters) {
            if let Some(first) = taken.get(&*counter.name.value) {
                self.report(report::counter_hides(&counter.name, *first));
            }
            latest.insert(&counter.name.value, counter);
        }
        for (name, counter) in latest {
            match self.extent(&counter.from, &counter.to, name) {
                Some(extent) => self.counters.push((name, extent)),
                None => self.values.break_counter(name),
            }
        }
        self.values.counters.clone_from(&self.counters);
    }

    /// From where to where the range of a counter or family goes.
    fn extent(&mut self, from: &'a Expr, to: &'a Expr, of: &str) -> Option<Extent> {
        if let Some(end) = [from, to]
            .into_iter()
            .find(|end| index::mentions(end, &self.counters))
        {
            self.report(report::counter_in_range(end));
            return None;
        }
        let begin = self
            .values
            .whole(from, &Env::new(), report::Whole::Begin(of));
        let begin = self.or_report(begin);
        let end = self.values.whole(to, &Env::new(), report::Whole::End(of));
        let (from_value, to_value) = (begin?, self.or_report(end)?);
        if to_value < from_value.saturating_sub(1) {
            let asked: Vec<_> = self.values.asked().collect();
            let span = from.span.to(to.span);
            self.report(report::turned_round(of, from_value, to_value, span, &asked));
        }
        Some(Extent {
            from: from_value,
            to: to_value,
        })
    }

    /// Collects the families of all kinds.
    fn declare(&mut self, merged: &Merged<'a>) {
        let constants = merged
            .constants
            .iter()
            .map(|one| (one.name, Kind::Constant));
        let reals = merged.reals.iter().map(|one| (one.name, Kind::Real));
        let switches = merged.switches.iter().map(|one| (one.name, Kind::Switch));
        let mut all: Vec<_> = constants.chain(reals).chain(switches).collect();
        all.sort_by_cached_key(|(name, _)| self.n_fixed(name));
        for by_range in [true, false] {
            for (name, kind) in &all {
                self.declare_quantity(name, *kind, by_range);
            }
        }
        for (name, _) in &all {
            if name.index.is_none()
                && let Some(family) = self.families.get(&name.value)
            {
                let span = family.span;
                self.report(report::family_and_single(name, span));
            }
        }
        for entry in &merged.ranges {
            let row = entry.row;
            self.declare_condition(&row.body.name, row.each.as_deref(), Kind::Range);
        }
        for entry in &merged.situations.rows {
            let row = entry.row;
            let kind = match row.body.event {
                true => Kind::Event,
                false => Kind::Situation,
            };
            if row.body.event {
                self.events.insert(Cow::Borrowed(&row.body.name.value));
            }
            self.declare_condition(&row.body.name, row.each.as_deref(), kind);
        }
    }

    /// Declares a family, first those with a range. What is declared of a family after that are starts of some of its
    /// elements.
    fn declare_quantity(&mut self, name: &'a Name, kind: Kind, by_range: bool) {
        let Some(index) = &name.index else { return };
        let is_range = |item: &IndexItem| matches!(item, IndexItem::Range(..));
        if index.items.iter().any(is_range) != by_range {
            return;
        }
        if let Some(first) = self.families.get(&index.base) {
            if by_range || first.kind != kind {
                let first = first.span;
                self.report(report::declared_twice(name, first));
            }
            return;
        }
        let Some(block) = self.declared_block(name) else {
            return;
        };
        let family = Family {
            kind,
            span: name.span,
            blocks: vec![block],
        };
        self.families
            .by_name
            .insert(Cow::Borrowed(&index.base), family);
    }

    fn declare_condition(&mut self, name: &'a Name, each: Option<&'a Each>, kind: Kind) {
        let (base, block) = match &name.index {
            Some(index) => {
                let Some(scope) = self.row_scope(&[name], each, false) else {
                    return;
                };
                let Some(block) = self.target_block(name, &scope) else {
                    return;
                };
                (index.base.as_str(), block)
            }
            None => {
                let Some((base, indices)) = element(&name.value) else {
                    if let Some(family) = self.families.get(&name.value) {
                        let span = family.span;
                        self.report(report::family_and_single(name, span));
                    }
                    return;
                };
                (base, indices.iter().map(|at| Extent::one(*at)).collect())
            }
        };
        match self.families.by_name.get_mut(base) {
            None => {
                let family = Family {
                    kind,
                    span: name.span,
                    blocks: vec![block],
                };
                self.families.by_name.insert(Cow::Borrowed(base), family);
            }
            Some(family) if family.kind != kind || family.n_indices() != block.len() => {
                let span = family.span;
                self.report(report::declared_twice(name, span));
            }
            Some(family) => {
                if !family.blocks.contains(&block) {
                    family.blocks.push(block);
                }
            }
        }
    }

    /// The counters of a row, in the order of the indices of its first target, with their ranges.
    /// `reported`: whether mistakes are told here.
    fn row_scope(
        &mut self,
        targets: &[&'a Name],
        each: Option<&'a Each>,
        reported: bool,
    ) -> Option<Scope<'a>> {
        let before = self.diagnostics.len();
        let mut narrowed: Scope<'a> = Vec::new();
        let mut complete = true;
        for over in each.iter().flat_map(|each| &each.over) {
            let name = over.counter.value.as_str();
            let extent = match &over.range {
                Some((from, to)) => self.extent(from, to, name),
                None => self.counter(&over.counter),
            };
            if narrowed.iter().any(|(known, _)| *known == name) {
                complete = false;
                self.report(report::counted_twice(&over.counter));
            }
            complete &= extent.is_some();
            narrowed.extend(extent.map(|extent| (name, extent)));
        }
        let mut scope: Scope<'a> = Vec::new();
        for target in targets {
            index::each_index_name(target, &mut |name| {
                let known = narrowed.iter().chain(&self.counters);
                let mut known = known.filter(|(counter, _)| *counter == name);
                if !scope.iter().any(|(counter, _)| *counter == name)
                    && let Some(counter) = known.next()
                {
                    scope.push(*counter);
                }
                complete &= !self.values.is_broken(name);
            });
        }
        for over in each.iter().flat_map(|each| &each.over) {
            let name = over.counter.value.as_str();
            if !scope.iter().any(|(counter, _)| *counter == name) {
                complete = false;
                let target = targets.first().map_or("", |target| &target.value);
                self.report(report::target_lacks(name, over.counter.span, target));
            }
        }
        for target in targets {
            let mut lacks = scope.iter().filter(|(counter, _)| {
                let mut found = false;
                index::each_index_name(target, &mut |name| found |= name == *counter);
                !found
            });
            if let Some((counter, _)) = lacks.next() {
                complete = false;
                let counter = *counter;
                self.report(report::target_lacks(counter, target.span, &target.value));
            }
        }
        if !reported {
            self.diagnostics.truncate(before);
        }
        complete.then_some(scope)
    }

    /// The range of a counter of the table.
    fn counter(&mut self, name: &Name) -> Option<Extent> {
        let found = self
            .counters
            .iter()
            .find(|(counter, _)| *counter == name.value);
        let found = found.map(|(_, extent)| *extent);
        if found.is_none() && !self.values.is_broken(&name.value) {
            let known: Vec<&str> = self.counters.iter().map(|(name, _)| *name).collect();
            let report = report::no_counter(name, &known);
            self.report(report);
        }
        found
    }

    /// The elements that a target stands for.
    fn target_block(&mut self, name: &'a Name, scope: &Scope<'a>) -> Option<Block> {
        let index = name.index.as_deref()?;
        let mut block = Block::new();
        for item in &index.items {
            let IndexItem::At(at) = item else {
                self.report(report::range_as_index(name.span));
                return None;
            };
            let form = form(at, scope, &mut self.values);
            match self.or_report(form)?.extent() {
                Some(extent) => block.push(extent),
                None => {
                    self.report(report::network_target(at.span));
                    return None;
                }
            }
        }
        Some(block)
    }
}
