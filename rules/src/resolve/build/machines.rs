//! Machines: which switches and events are their states and transitions.

use std::collections::HashMap;

use situ_engine::ids::{SituationId, SwitchId};
use situ_engine::model;

use super::Builder;
use crate::resolve::machines::{machines, transition_id};
use crate::resolve::names::Symbol;
use crate::tree;

impl Builder<'_, '_> {
    /// Notes the machines.
    pub(super) fn machines(&mut self) {
        for machine in machines(self.tables) {
            if let Some(machine) = self.machine(machine) {
                self.model().machines.push(machine);
            }
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
