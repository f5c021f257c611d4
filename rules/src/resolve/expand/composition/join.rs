//! The rows of parts and those of the table around them become one table.

use std::collections::HashMap;

use super::Instance;
use super::counts::before_readers;
use super::flat::{Unsettled, settle};
use super::order::{Places, joined};
use super::rename::Renamer;
use crate::diag::Diagnostic;
use crate::resolve::expand::Expander;
use crate::resolve::merged::{Merged, MergedPart};
use crate::resolve::report as reports;
use crate::source::{Span, Spanned};
use crate::tree::{Assignment, Name, Part, Relation, Row, Setting, SettingValue, Table};

/// What of the parts can be written from outside, and what has been.
struct Inputs<'i> {
    /// The input, and the number of its part.
    parts: HashMap<&'i str, usize>,
    /// The first row that writes a real.
    written: HashMap<String, Span>,
    names: HashMap<&'i str, usize>,
    reports: Vec<Diagnostic>,
}

impl<'a> Expander<'a> {
    /// The table with the rows of its parts, and the inputs of each part that then stands in it.
    pub(in crate::resolve::expand) fn composed(
        &mut self,
        merged: &Merged<'a>,
        mut own: Table,
    ) -> (Table, Vec<Vec<String>>) {
        let instances = std::mem::take(&mut self.instances);
        let (mut parts, mut part_inputs) = (Vec::with_capacity(instances.len()), Vec::new());
        for instance in &instances {
            let part = &merged.parts[instance.part];
            let table = self.renamed(instance, part);
            part_inputs.extend(instance.flat.part_inputs.iter().map(|inputs| {
                let names = inputs
                    .iter()
                    .map(|name| format!("{}.{name}", instance.name));
                names.collect::<Vec<String>>()
            }));
            part_inputs.push(table.inputs.iter().map(|name| name.value.clone()).collect());
            parts.push(table);
        }
        let (mut places, mut names) = (Places::default(), HashMap::new());
        for (number, instance) in instances.iter().enumerate() {
            let base = merged.parts[instance.part].name.base();
            places.add(&instance.name, number);
            if base != instance.name {
                places.add(base, number);
            }
            names.insert(&*instance.name, number);
        }
        let all: Vec<Vec<Name>> = parts
            .iter_mut()
            .map(|part| std::mem::take(&mut part.inputs))
            .collect();
        let mut inputs = Inputs {
            parts: HashMap::new(),
            written: HashMap::new(),
            names,
            reports: Vec::new(),
        };
        for (number, names) in all.iter().enumerate() {
            inputs
                .parts
                .extend(names.iter().map(|name| (&*name.value, number)));
        }
        for row in &own.relations {
            inputs.relation(row, &instances);
        }
        for row in &own.assignments {
            inputs.assignment(row, &instances);
        }
        inputs.misplaced(&own, &places, &instances);
        if inputs.reports.is_empty() {
            self.unconnected(merged, &instances, &all, &parts, &inputs);
        }
        self.diagnostics.append(&mut inputs.reports);
        join(&mut own, parts, &places, &inputs);
        own.relations = before_readers(own.relations, &self.parts.counts);
        (own, part_inputs)
    }

    /// The table of a part with the names and the values that it has outside.
    fn renamed(&mut self, instance: &Instance<'a>, part: &MergedPart<'a>) -> Table {
        let flat = &instance.flat.table;
        let renamer = Renamer::new(&instance.name, &instance.flat);
        let mut table = renamer.table(flat);
        for setting in &part.set {
            let value = match &setting.value {
                SettingValue::Bool(value) => SettingValue::Bool(value.clone()),
                SettingValue::Expr(value) => {
                    SettingValue::Expr(self.expression(value, &instance.env))
                }
            };
            let name = renamer.text(&setting.name.value);
            if let Err(why) = settle(&mut table, &name, &value) {
                self.diagnostics.push(unsettled(setting, part, flat, why));
            }
        }
        table.parts.push(Part {
            name: Name::new(instance.name.clone(), part.name.span),
            span: part.name.span,
            file: part.file.cloned(),
            case: None,
            set: Vec::new(),
            about: part
                .about
                .map(|about| Spanned::new(about.to_owned(), part.name.span))
                .or_else(|| flat.about.clone()),
            tables: std::sync::Arc::default(),
        });
        table
    }

    /// Notes inputs that no row connects and that are given no value.
    fn unconnected(
        &mut self,
        merged: &Merged<'a>,
        instances: &[Instance<'a>],
        all: &[Vec<Name>],
        parts: &[Table],
        inputs: &Inputs<'_>,
    ) {
        for ((instance, names), table) in instances.iter().zip(all).zip(parts) {
            let part = &merged.parts[instance.part];
            let left: Vec<&str> = names
                .iter()
                .filter_map(|name| {
                    let bare = name
                        .value
                        .strip_prefix(&*instance.name)?
                        .strip_prefix('.')?;
                    let is_set = part.set.iter().any(|setting| setting.name.value == bare);
                    let is_written = inputs.written.contains_key(&name.value);
                    let is_real = table.reals.iter().any(|real| real.name.value == name.value);
                    (is_real && !is_set && !is_written).then_some(bare)
                })
                .collect();
            if !left.is_empty() {
                let report = reports::unconnected(&instance.name, &left, part.name.span);
                self.diagnostics.push(report);
            }
        }
    }
}

impl Inputs<'_> {
    fn relation(&mut self, row: &Row<Relation>, parts: &[Instance<'_>]) {
        for target in &row.body.targets {
            if self.parts.contains_key(&*target.value) {
                let first = self.written.get(&target.value).copied();
                match first {
                    Some(first) => self
                        .reports
                        .push(reports::input_written_twice(target, row.span, first)),
                    None => _ = self.written.insert(target.value.clone(), row.span),
                }
            } else {
                self.refuse(target, parts);
            }
        }
    }

    fn assignment(&mut self, row: &Row<Assignment>, parts: &[Instance<'_>]) {
        for (target, _) in &row.body.set {
            if !self.parts.contains_key(&*target.value) {
                self.refuse(target, parts);
            }
        }
    }

    /// Reports a row that writes something of a part which is no input of it.
    fn refuse(&mut self, target: &Name, parts: &[Instance<'_>]) {
        let ends = target.value.match_indices('.').map(|(at, _)| at);
        for at in ends {
            let (part, inside) = (&target.value[..at], &target.value[at + 1..]);
            let Some(number) = self.names.get(part) else {
                continue;
            };
            let table = &parts[*number].flat.table;
            let quantities = table.reals.iter().map(|one| &one.name);
            let mut all = quantities.chain(table.switches.iter().map(|one| &one.name));
            // What does not exist is reported as an unknown name.
            if let Some(declared) = all.find(|name| name.value == inside) {
                let inputs = table.inputs.iter().map(|name| &*name.value);
                let inputs: Vec<&str> = inputs.collect();
                self.reports.push(reports::written_from_outside(
                    target, part, declared, &inputs,
                ));
            }
            return;
        }
    }

    /// Reports rows that are to stand beside a part which does not exist.
    fn misplaced(&mut self, own: &Table, places: &Places, parts: &[Instance<'_>]) {
        fn places_of<T>(rows: &[Row<T>]) -> impl Iterator<Item = &Spanned<String>> {
            let places = rows.iter().filter_map(|row| row.place.as_deref());
            places.map(|place| &place.id)
        }
        let all = places_of(&own.ranges)
            .chain(places_of(&own.situations))
            .chain(places_of(&own.assignments))
            .chain(places_of(&own.relations));
        for id in all {
            if places.lacks(&id.value) {
                let names = parts.iter().map(|part| &*part.name);
                self.reports
                    .push(reports::no_part(&id.value, id.span, names));
            }
        }
    }

    /// The first of the parts that a row feeds.
    fn first<'n>(&self, targets: impl Iterator<Item = &'n Name>) -> Option<usize> {
        let parts = targets.filter_map(|name| self.parts.get(&*name.value));
        parts.min().copied()
    }
}

/// Puts the lists of the parts and those of the outer table together.
fn join(own: &mut Table, parts: Vec<Table>, places: &Places, inputs: &Inputs<'_>) {
    let (mut ranges, mut situations) = (Vec::new(), Vec::new());
    let (mut assignments, mut relations) = (Vec::new(), Vec::new());
    let mut reactions = Vec::new();
    for part in parts {
        own.constants.extend(part.constants);
        own.reals.extend(part.reals);
        own.lookups.extend(part.lookups);
        own.switches.extend(part.switches);
        own.parts.extend(part.parts);
        own.machines.extend(part.machines);
        own.invariants.extend(part.invariants);
        reactions.extend(part.scheme.reactions);
        ranges.push(part.ranges);
        situations.push(part.situations);
        assignments.push(part.assignments);
        relations.push(part.relations);
    }
    own.ranges = joined(ranges, std::mem::take(&mut own.ranges), places, |_| None);
    let written = std::mem::take(&mut own.situations);
    own.situations = joined(situations, written, places, |_| None);
    let written = std::mem::take(&mut own.assignments);
    own.assignments = joined(assignments, written, places, |row: &Assignment| {
        inputs.first(row.set.iter().map(|(name, _)| name))
    });
    let written = std::mem::take(&mut own.relations);
    own.relations = joined(relations, written, places, |row: &Relation| {
        inputs.first(row.targets.iter())
    });
    reactions.append(&mut own.scheme.reactions);
    own.scheme.reactions = reactions;
}

fn unsettled(
    setting: &Setting,
    part: &MergedPart<'_>,
    table: &Table,
    why: Unsettled,
) -> Diagnostic {
    let quantities = table.constants.iter().chain(&table.reals);
    let settable = quantities
        .map(|one| &*one.name.value)
        .chain(table.switches.iter().map(|one| &*one.name.value));
    let conditions = table.ranges.iter().map(|row| &*row.body.name.value);
    let mut conditions = conditions.chain(table.situations.iter().map(|row| &*row.body.name.value));
    let follows = conditions.any(|name| name == setting.name.value);
    match why {
        Unsettled::Unknown if follows => reports::set_of_condition(&setting.name, part.name),
        Unsettled::Unknown => reports::nothing_to_set(&setting.name, part.name, settable),
        Unsettled::WantsNumber => reports::set_of_wrong_kind(&setting.name, true),
        Unsettled::WantsTruth => reports::set_of_wrong_kind(&setting.name, false),
    }
}
