//! Machines and parts: which switches and events are states and transitions, and what parts read from outside.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use situ_engine::ids::{SituationId, SwitchId};
use situ_engine::model::{self, Inputs};

use super::{Builder, build, owned};
use crate::diag::{Diagnostic, has_errors};
use crate::lookups::Data;
use crate::resolve::expand::Expanded;
use crate::resolve::machines::{machines, transition_id};
use crate::resolve::merged::Entry;
use crate::resolve::report;
use crate::resolve::symbol::{Symbol, UnknownName};
use crate::source::{SourceMap, Span};
use crate::tree::{self, Name, Table, Value};

/// Resolves the table of each part by itself: its mistakes are told in its own words, and once; false if it has some.
pub(super) fn resolve_parts(
    tables: &[Table],
    sources: &SourceMap,
    data: &Data,
    diagnostics: &mut Vec<Diagnostic>,
) -> bool {
    let mut seen: HashSet<*const Vec<Table>> = HashSet::new();
    let mut sound = true;
    for part in tables.iter().flat_map(|table| &table.parts) {
        if part.tables.is_empty() || !seen.insert(Arc::as_ptr(&part.tables)) {
            continue;
        }
        let resolved = build(&part.tables, sources, data);
        sound &= !has_errors(&resolved.diagnostics);
        diagnostics.extend(resolved.diagnostics);
    }
    sound
}

/// The report of a name with a point in it that leads nowhere, in a table with parts.
pub(super) fn lost<'k>(
    unknown: &UnknownName,
    parts: &[&str],
    known: impl Iterator<Item = (Cow<'k, str>, Span, Symbol)>,
) -> Option<Diagnostic> {
    let name = unknown.name.as_str();
    let (first, _) = name.split_once('.').filter(|_| !parts.is_empty())?;
    let ends = name.match_indices('.').map(|(at, _)| at);
    let part = ends.rev().find(|at| parts.contains(&&name[..*at]));
    let Some(at) = part else {
        if let Some(one) = parts.iter().find(|part| is_one_of(part, first)) {
            return Some(report::part_without_index(first, one, unknown.span));
        }
        return Some(report::no_part(first, unknown.span, parts.iter().copied()));
    };
    let (part, behind) = (&name[..at], &name[at + 1..]);
    let known = known.filter_map(|(name, ..)| {
        let inside = name.strip_prefix(part)?;
        inside.strip_prefix('.').map(str::to_owned)
    });
    let known: Vec<String> = known.collect();
    let known = known.iter().map(String::as_str);
    Some(report::lost_name(part, behind, unknown.span, known))
}

/// True if a part is one of many of this name.
fn is_one_of(part: &str, name: &str) -> bool {
    model::element(part).is_some_and(|(base, _)| base == name)
}

impl Builder<'_, '_> {
    /// Notes machines, parts and inputs, and reports rows that write inputs of their own table.
    pub(super) fn structure(&mut self, expanded: Option<&Expanded>) {
        let of_parts = expanded.map_or(&[][..], |expanded| &expanded.table.machines);
        for machine in machines(self.tables).into_iter().chain(of_parts) {
            if let Some(machine) = self.machine(machine) {
                self.model().structure.machines.push(machine);
            }
        }
        let own = self.merged.inputs.iter().map(|name| &*name.value);
        self.model().structure.inputs = self.inputs(own);
        self.inputs_written();
        let inputs = expanded.map_or(&[][..], |expanded| &expanded.part_inputs);
        for (part, inputs) in self.merged.parts.iter().zip(inputs) {
            let inputs = self.inputs(inputs.iter().map(String::as_str));
            let part = model::Part {
                name: part.name.value.clone(),
                file: part.file.map(|file| file.value.clone()).unwrap_or_default(),
                about: owned(part.about),
                inputs,
                origin: self.origin(part.name.span),
            };
            self.model().structure.parts.push(part);
        }
        if let Some(expanded) = expanded {
            let structure = &mut self.model().structure;
            structure.counters.clone_from(&expanded.counters);
            structure.families.clone_from(&expanded.declared);
        }
    }

    fn inputs<'n>(&self, names: impl Iterator<Item = &'n str>) -> Inputs {
        let mut inputs = Inputs::default();
        for name in names {
            match self.binder.scope.get(name).map(|known| known.symbol) {
                Some(Symbol::Real(id)) => inputs.reals.push(id),
                Some(Symbol::Switch(id)) => inputs.switches.push(id),
                _ => {}
            }
        }
        inputs
    }

    fn inputs_written(&mut self) {
        if self.merged.inputs.is_empty() {
            return;
        }
        let inputs = self.merged.inputs.iter();
        let inputs: HashMap<&str, &Name> = inputs.map(|name| (&*name.value, *name)).collect();
        let mut written: Vec<Name> = Vec::new();
        let mut note = |name: &str, span| {
            if inputs.contains_key(name) {
                written.push(Name::new(name.to_owned(), span));
            }
        };
        for Entry { row, .. } in &self.merged.relations {
            for target in &row.body.targets {
                match &row.body.value {
                    Value::Family(family) => tree::each_element(&family.block, |at| {
                        note(&family.target(target, at), target.span);
                    }),
                    _ => note(&target.value, target.span),
                }
            }
        }
        for Entry { row, .. } in &self.merged.assignments {
            for (name, _) in &row.body.set {
                note(&name.value, name.span);
            }
        }
        for name in &written {
            self.report(report::input_written_inside(name, inputs[&*name.value]));
        }
    }

    fn machine(&mut self, machine: &tree::Machine) -> Option<model::Machine> {
        let name = &machine.name.value;
        let symbol = |part: &str| {
            let known = self.binder.scope.get(&format!("{name}.{part}"));
            known.map(|known| known.symbol)
        };
        let mut states: HashMap<&str, SwitchId> = HashMap::new();
        let mut ids = Vec::new();
        for state in &machine.states {
            let Some(Symbol::Switch(id)) = symbol(&state.name.value) else {
                return None;
            };
            states.insert(&state.name.value, id);
            ids.push(id);
        }
        let mut found: Vec<(String, SwitchId, SituationId)> = Vec::new();
        for (index, row) in machine.transitions.iter().enumerate() {
            let id = transition_id(row, index);
            let Some(Symbol::Situation(event)) = symbol(&id) else {
                return None;
            };
            found.push((id, *states.get(&*row.body.from.value)?, event));
        }
        let mut transitions = Vec::new();
        for ((id, from, event), row) in found.into_iter().zip(&machine.transitions) {
            let origin = self.origin(row.span);
            transitions.push(model::Transition {
                id,
                from,
                event,
                origin,
            });
        }
        Some(model::Machine {
            name: name.clone(),
            states: ids,
            transitions,
        })
    }
}
