//! Merged tables become a model, list by list in the order in which a tick scans them.

mod groups;
mod lookups;
mod rules;
mod scene;
mod settings;
mod solved;
mod stages;
mod steady;
mod structure;

use std::collections::HashSet;

use situ_engine::ids::{ConstantId, Origin, SituationId};
use situ_engine::model::{self, Boolean, Conjunction, Model, SituationRow};

use super::binder::Binder;
use super::expand::expand;
use super::extends::{Override as _, merge};
use super::merged::{Entry, Merged, MergedQuantity, n_elements};
use super::names::{Scope, Suggestions, UnparsedRows, symbols};
use super::starts::circular_starts;
use super::symbol::{Known, Symbol, UnknownName};
use super::{Resolved, confusables, report, scheme, texts};
use crate::diag::{Diagnostic, MAX_PER_CODE, has_errors, once_for_each_place};
use crate::lookups::Data;
use crate::source::{Origins, SourceMap, Span, Spanned};
use crate::tree::{self, Name, Table};

/// For so many mistakes of one kind a change of the text is offered; each may cost as much as reading
/// the text once.
const MAX_OFFERS: usize = 50;

/// Turns tables into a model, see [`crate::resolve::resolve`].
pub(in crate::resolve) fn build(tables: &[Table], sources: &SourceMap, data: &Data) -> Resolved {
    let mut diagnostics = Vec::new();
    for table in tables {
        if table.format.is_none() {
            diagnostics.push(report::no_format(table));
        }
    }
    if !structure::resolve_parts(tables, sources, data, &mut diagnostics) {
        return broken(diagnostics);
    }
    let with_machines = crate::resolve::machines::expand(tables, &mut diagnostics);
    let tables = with_machines.as_deref().unwrap_or(tables);
    let mut merged = merge(tables, &mut diagnostics);
    let expanded = expand(tables, &merged, &mut diagnostics);
    if let Some(Err(())) = expanded {
        return broken(diagnostics);
    }
    let expanded = expanded.and_then(Result::ok);
    if let Some(expanded) = &expanded {
        // The rows that stand in it have been merged.
        merged = merge(std::slice::from_ref(&expanded.table), &mut diagnostics);
        merged.clocks = expanded.clocks.iter().collect();
    }
    let own = tables.last();
    let stages = own.and_then(|own| scheme::expand(&merged, own, &mut diagnostics));
    if let Some(stages) = &stages {
        merged.join(&stages.table, &mut diagnostics);
    }
    let unread = UnparsedRows::of(tables, sources);
    let scope = Scope::of(&merged, &mut diagnostics);
    if scope.has_letters_beyond_ascii {
        let names = symbols(&merged);
        let names: Vec<Name> = names
            .map(|(name, span, _)| Name::new(name.into_owned(), span))
            .collect();
        confusables::report(names.iter(), &mut diagnostics);
    }

    let mut model = with_capacity(&merged);
    let mut origins = Origins::default();
    let mut builder = Builder {
        merged: &merged,
        tables,
        sources,
        binder: Binder::new(&scope, &mut model, &mut origins, sources),
        unread: &unread,
        constants_written: HashSet::new(),
        watched: settings::Watched::default(),
    };
    builder.lookups(data);
    builder.quantities();
    builder.ranges();
    builder.situations();
    builder.assignments();
    builder.binder.reads_rates = false;
    builder.relations();
    builder.binder.reads_rates = true;
    builder.invariants();
    if let Some(stages) = &stages {
        builder.stages(stages);
    }
    builder.steady();
    builder.structure(expanded.as_ref());
    builder.settings();
    builder.scene();
    let watched = builder.watched;
    let (unknown, found, complete) = builder.binder.finish();
    if let Some(expanded) = &expanded {
        model.shape = shape(&scope, &expanded.shape);
    }
    diagnostics.extend(found);
    if complete && unknown.is_empty() && !has_errors(&diagnostics) {
        let unreached = model.constrain();
        solved::check(&model, &unreached, &origins, &mut diagnostics);
        if let Some(stages) = &stages {
            stages::negative_amounts(&model, stages, &mut diagnostics);
        }
    }
    let complete = complete && unknown.is_empty() && unread.is_empty() && !scope.has_unnamed;
    let unknown = unknown
        .into_iter()
        .filter(|name| !unread.may_define(name))
        .collect();
    unknown_names(unknown, &merged, tables, sources, &mut diagnostics);
    circular_starts(&model, &merged, &mut diagnostics);
    if has_errors(&diagnostics) {
        // What is not connected may be what the mistakes are about.
        diagnostics.retain(|found| found.code != report::UNCONNECTED);
    }
    if expanded.is_some() || stages.is_some() || with_machines.is_some() {
        once_for_each_place(&mut diagnostics, |_| true);
    }
    let (mut expectations, mut lab) = (Vec::new(), None);
    if complete && !has_errors(&diagnostics) {
        watched.bind((&mut model, &mut origins), sources, &mut diagnostics);
        let written = tables.last().map_or(&[][..], |table| &table.expect);
        expectations =
            texts::expectations(&mut model, &mut origins, sources, written, &mut diagnostics);
        let written = tables.iter().rev().find_map(|table| table.lab.as_ref());
        lab = written.map(|written| {
            texts::lab(&mut model, &mut origins, sources, written, &mut diagnostics)
        });
    }
    crate::resolve::sort(&mut diagnostics);
    model.exprs.shrink();
    let sound = complete && !has_errors(&diagnostics);
    if sound {
        debug_assert_eq!(
            model::verify(&model),
            Ok(()),
            "a model without errors is sound"
        );
    }
    Resolved {
        model: sound.then_some(model),
        origins,
        expectations,
        lab,
        diagnostics,
    }
}

/// The result for tables with mistakes that leave nothing to build.
fn broken(mut diagnostics: Vec<Diagnostic>) -> Resolved {
    once_for_each_place(&mut diagnostics, |_| true);
    crate::resolve::sort(&mut diagnostics);
    Resolved {
        diagnostics,
        ..Resolved::default()
    }
}

/// The constants that decided the shape of a table.
fn shape(scope: &Scope<'_>, values: &[(String, f64)]) -> Vec<(ConstantId, f64)> {
    let known = values
        .iter()
        .filter_map(|(name, value)| match scope.get(name)?.symbol {
            Symbol::Constant(id) => Some((id, *value)),
            _ => None,
        });
    known.collect()
}

/// An empty model with room for what the tables hold.
fn with_capacity(merged: &Merged) -> Model {
    Model {
        constants: Vec::with_capacity(n_elements(&merged.constants)),
        reals: Vec::with_capacity(n_elements(&merged.reals)),
        switches: Vec::with_capacity(merged.switches.len()),
        ranges: Vec::with_capacity(merged.ranges.len()),
        situations: Vec::with_capacity(merged.situations.names.len()),
        situation_rows: Vec::with_capacity(merged.situations.rows.len()),
        assignments: Vec::with_capacity(merged.assignments.len()),
        relations: Vec::with_capacity(groups::n_relations(&merged.relations)),
        ..Model::default()
    }
}

struct Builder<'s, 'a> {
    merged: &'s Merged<'a>,
    tables: &'a [Table],
    sources: &'s SourceMap,
    binder: Binder<'s>,
    unread: &'s UnparsedRows<'s>,
    /// Constants that are written and reported already.
    constants_written: HashSet<ConstantId>,
    watched: settings::Watched<'a>,
}

fn owned(text: Option<&str>) -> String {
    text.unwrap_or_default().to_owned()
}

fn note(note: &Option<Spanned<String>>) -> String {
    note.as_ref()
        .map(|note| note.value.clone())
        .unwrap_or_default()
}

impl<'a> Builder<'_, 'a> {
    fn model(&mut self) -> &mut Model {
        self.binder.model
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        self.binder.diagnostics.push(diagnostic);
    }

    fn origin(&mut self, span: Span) -> Origin {
        self.binder.origins.add(span)
    }

    fn quantities(&mut self) {
        let Merged {
            name,
            about,
            source,
            ..
        } = self.merged;
        let model = self.model();
        model.name = owned(*name);
        model.about = owned(*about);
        model.source = owned(*source);
        for constant in &self.merged.constants {
            self.each_element(constant, |builder, constant| {
                if constant.start.is_none() {
                    builder.report(report::constant_without_value(constant.name));
                }
                let quantity = builder.quantity(constant, false);
                builder.model().constants.push(quantity);
            });
        }
        for real in &self.merged.reals {
            self.each_element(real, |builder, real| {
                let quantity = builder.quantity(real, true);
                builder.model().reals.push(quantity);
            });
        }
        for switch in &self.merged.switches {
            let switch = model::Switch {
                name: switch.name.value.clone(),
                start: switch.start.unwrap_or(false),
                about: owned(switch.about),
                origin: self.origin(switch.span),
            };
            self.model().switches.push(switch);
        }
    }

    /// Calls `each` with a quantity, or with all elements of a family.
    fn each_element(
        &mut self,
        written: &MergedQuantity<'a>,
        mut each: impl FnMut(&mut Self, &MergedQuantity<'_>),
    ) {
        match written.family {
            Some(family) => {
                for element in family.each_element() {
                    each(self, &MergedQuantity::of(&element));
                }
            }
            None => each(self, written),
        }
    }

    fn quantity(&mut self, written: &MergedQuantity<'_>, output: bool) -> model::Quantity {
        let (start, steady) = self.start_of(written, output);
        let before = written
            .before
            .map(|before| self.binder.expr(before, Known::InPast));
        let origin = self.origin(written.span);
        if let Some(start) = written.start {
            self.binder.origins.add_start(origin, start.span);
        }
        model::Quantity {
            name: written.name.value.clone(),
            start,
            steady,
            before,
            unit: owned(written.unit),
            about: owned(written.about),
            output: written.output.unwrap_or(output),
            nominal: written.nominal.copied(),
            range: written.range.copied(),
            auxiliary: written.auxiliary || tree::real_of_rate(&written.name.value).is_some(),
            observed: false,
            origin,
        }
    }

    fn ranges(&mut self) {
        for Entry { id, row } in &self.merged.ranges {
            self.binder.wants_some(&row.body.all);
            let comparisons = row.body.all.iter();
            let range = model::Range {
                id: id.clone().into_owned(),
                name: row.body.name.value.clone(),
                anonymous: false,
                all: comparisons
                    .map(|comparison| self.binder.comparison(comparison))
                    .collect(),
                mark: row.body.mark.as_ref().map(|mark| mark.value),
                note: note(&row.note),
                origin: self.origin(row.span),
            };
            self.model().ranges.push(range);
        }
    }

    fn situations(&mut self) {
        let n_names = self.merged.situations.names.len();
        let mut first_rows: Vec<Option<usize>> = vec![None; n_names];
        let mut last_rows = vec![0; n_names];
        let mut mixed = vec![false; n_names];
        for (index, (&name, entry)) in self
            .merged
            .situations
            .defines
            .iter()
            .zip(&self.merged.situations.rows)
            .enumerate()
        {
            last_rows[name] = index;
            let body = &entry.row.body;
            match first_rows[name] {
                None => {
                    first_rows[name] = Some(index);
                    let situation = model::Situation {
                        name: body.name.value.clone(),
                        event: body.event,
                        behind: body.behind,
                        observed: false,
                        origin: self.origin(entry.row.span),
                    };
                    self.model().situations.push(situation);
                }
                Some(first) => {
                    let first = &self.merged.situations.rows[first].row.body;
                    if first.event != body.event && !mixed[name] {
                        mixed[name] = true;
                        self.report(report::event_and_level(
                            &body.name,
                            body.event,
                            first.name.span,
                        ));
                    }
                }
            }
        }
        for (index, (&name, Entry { id, row })) in self
            .merged
            .situations
            .defines
            .iter()
            .zip(&self.merged.situations.rows)
            .enumerate()
        {
            self.binder.wants_some(&row.body.all.literals);
            let mut all = Conjunction::new();
            for written in &row.body.all.literals {
                let Some(literal) = self.binder.literal(written) else {
                    continue;
                };
                if let Boolean::Situation(used) = literal.what
                    && last_rows[used.index()] >= index
                {
                    let text = &self.merged.situations.names[used.index()].value;
                    let below = self.merged.situations.rows[last_rows[used.index()]]
                        .row
                        .span;
                    self.report(if used.index() == name {
                        report::self_reference(written.span, text)
                    } else {
                        report::forward_reference(written.span, text, below)
                    });
                }
                all.push(literal);
            }
            let situation_row = SituationRow {
                id: id.clone().into_owned(),
                situation: SituationId::new(name),
                all,
                note: note(&row.note),
                origin: self.origin(row.span),
            };
            self.model().situation_rows.push(situation_row);
        }
    }

    fn invariants(&mut self) {
        for written in &self.merged.invariants {
            let invariant = model::Invariant {
                name: written.name.value.clone(),
                value: self.binder.expr(&written.value, Known::Running),
                origin: self.origin(written.span),
            };
            self.model().invariants.push(invariant);
        }
    }
}

/// Reports names that nothing declares, each with the known name nearest to it.
fn unknown_names(
    unknown: Vec<UnknownName>,
    merged: &Merged,
    tables: &[Table],
    sources: &SourceMap,
    diagnostics: &mut Vec<Diagnostic>,
) {
    if unknown.is_empty() {
        return;
    }
    let parts: Vec<&str> = merged.parts.iter().map(|part| &*part.name.value).collect();
    let known = symbols(merged).map(|(name, _, symbol)| (name, symbol));
    let mut suggestions = Suggestions::new(known);
    for (index, name) in unknown.into_iter().enumerate() {
        if let Some(report) = structure::lost(&name, &parts, symbols(merged)) {
            diagnostics.push(report);
            continue;
        }
        if let Some(procedure) = suggestions.runs_into(&name, sources) {
            diagnostics.push(report::missing_open(procedure, name.span));
            continue;
        }
        // Of those that are not shown nobody needs to know what was meant.
        let near = (index < MAX_PER_CODE).then(|| suggestions.nearest(&name));
        let near = near.flatten();
        let table = tables
            .iter()
            .find(|table| table.source_id == name.span.source && index < MAX_OFFERS);
        diagnostics.push(report::unknown_name(&name, near, sources, table));
    }
}
