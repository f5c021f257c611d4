//! Machines become switches, events, assignments and rows.
//!
//! ```text
//! "pendulum", state "flies"      switch pendulum.flies
//! [1] swings -> flies when far   event pendulum.1: pendulum.swings & far
//!                                when pendulum.1: !pendulum.swings, pendulum.flies
//!     : px := l * sin(ang)       px := l * sin(ang) when pendulum.1
//! a row of "flies"               the same row when pendulum.flies
//! ```
//!
//! They make a table of their own behind the others. A transition fires when its condition arises or holds on entry:
//! both are the rise of its event, whose condition names the state; one that could fire together with an earlier one of
//! the same state waits, as its condition excludes the event of that one. What transitions write stands above the rows
//! of the states, which act from then on.

use std::collections::HashMap;

use super::report;
use crate::diag::Diagnostic;
use crate::source::{Span, Spanned};
use crate::tree::{
    Assignment, Condition, Form, Guard, Literal, LiteralKind, Machine, Name, Relation, Row,
    Situation, Switch, Table, Value,
};

/// The tables with one more, in which machines are written out; `None` if they have none.
pub(super) fn expand(tables: &[Table], diagnostics: &mut Vec<Diagnostic>) -> Option<Vec<Table>> {
    let machines = machines(tables);
    let own = tables.last()?;
    if machines.is_empty() {
        return None;
    }
    let mut table = Table::empty(own);
    table.format = Some(Spanned::new(1.0, own.span));
    // Runs are checked for what the last table expects.
    table.expect.clone_from(&own.expect);
    table.lab.clone_from(&own.lab);
    states_assigned(tables, &machines, diagnostics);
    for machine in machines {
        if sound(machine, diagnostics) {
            Writer {
                machine,
                table: &mut table,
            }
            .write();
        }
    }
    let mut all = tables.to_vec();
    all.push(table);
    Some(all)
}

/// Reports states that are declared as switches, and assignments that write them: only transitions do.
fn states_assigned(tables: &[Table], machines: &[&Machine], diagnostics: &mut Vec<Diagnostic>) {
    let states = machines
        .iter()
        .flat_map(|machine| states_of(machine).map(|state| (state, &machine.name)));
    let states: HashMap<String, &Name> = states.collect();
    for switch in tables.iter().flat_map(|table| &table.switches) {
        if let Some(machine) = states.get(&switch.name.value) {
            diagnostics.push(report::state_declared(&switch.name, machine));
        }
    }
    for row in tables.iter().flat_map(|table| &table.assignments) {
        for (name, _) in &row.body.set {
            if let Some(machine) = states.get(&name.value) {
                diagnostics.push(report::state_assigned(name, machine));
            }
        }
    }
}

/// The states of a machine as switches.
pub(crate) fn states_of(machine: &Machine) -> impl Iterator<Item = String> + '_ {
    let states = machine.states.iter();
    states.map(|state| full_name(&machine.name.value, &state.name.value))
}

/// `pendulum.flies`
fn full_name(machine: &str, name: &str) -> String {
    format!("{machine}.{name}")
}

/// The id of a row made from names: names between backticks may hold blanks and brackets, ids hold none.
fn id_of(names: &str) -> String {
    let is_held = |c: char| !(c.is_whitespace() || matches!(c, '[' | ']'));
    let each = names.chars();
    each.map(|c| if is_held(c) { c } else { '-' }).collect()
}

/// The machines of tables, each as the last table has it.
pub(crate) fn machines(tables: &[Table]) -> Vec<&Machine> {
    let all = tables.iter().flat_map(|table| &table.machines);
    let by_name: indexmap::IndexMap<&str, &Machine> =
        all.map(|one| (&*one.name.value, one)).collect();
    by_name.into_values().collect()
}

/// The state in which a machine begins.
pub(crate) fn first_state(machine: &Machine) -> Option<&str> {
    let first = machine.states.first().map(|state| &*state.name.value);
    machine.start.as_ref().map(|name| &*name.value).or(first)
}

/// Reports what is wrong with a machine whatever its conditions mean; false if it cannot be written out.
fn sound(machine: &Machine, diagnostics: &mut Vec<Diagnostic>) -> bool {
    let before = diagnostics.len();
    let states = machine.states.iter().map(|state| &state.name);
    for name in std::iter::once(&machine.name).chain(states) {
        if name.index.is_some() {
            diagnostics.push(report::family_of_machines(name));
        }
    }
    if machine.states.is_empty() {
        diagnostics.push(report::machine_without_states(&machine.name));
        return false;
    }
    let states: HashMap<&str, Span> = machine
        .states
        .iter()
        .map(|state| (&*state.name.value, state.name.span))
        .collect();
    let rows = &machine.transitions;
    let ends = rows.iter().flat_map(|row| [&row.body.from, &row.body.to]);
    for name in machine.start.iter().chain(ends) {
        if !states.contains_key(&*name.value) {
            let known = states.keys().copied();
            diagnostics.push(report::no_such_state(name, &machine.name.value, known));
        }
    }
    for state in &machine.states {
        for row in &state.rows {
            if let Guard::Otherwise(span) = row.body.guard {
                diagnostics.push(report::otherwise_in_state(span));
            }
            if let Some(place) = &row.place {
                diagnostics.push(report::place_in_state(place.id.span));
            }
        }
    }
    let mut ids: HashMap<String, Span> = HashMap::new();
    for (index, row) in rows.iter().enumerate() {
        let id = transition_id(row, index);
        if let Some(first) = ids.insert(id.clone(), row.span) {
            diagnostics.push(report::transition_id_twice(&id, row.span, first));
        }
        if states.contains_key(&*id) {
            diagnostics.push(report::transition_named_as_state(&id, row.span));
        }
        for (at, (name, _)) in row.body.set.iter().enumerate() {
            let mut earlier = row.body.set[..at].iter();
            if let Some((first, _)) = earlier.find(|(other, _)| other.value == name.value) {
                diagnostics.push(report::written_twice(name, first.span));
            }
        }
    }
    if diagnostics.len() > before {
        return false;
    }
    let first = first_state(machine);
    for state in &machine.states {
        let name = &*state.name.value;
        let mut into = rows.iter().filter(|row| row.body.from.value != name);
        if first != Some(name) && !into.any(|row| row.body.to.value == name) {
            diagnostics.push(report::state_without_a_way_in(&state.name));
        }
    }
    true
}

/// Id of a transition: its number if it has none.
pub(crate) fn transition_id<T>(row: &Row<T>, index: usize) -> String {
    let own = row.id.as_ref().map(|id| id.value.clone());
    own.unwrap_or_else(|| (index + 1).to_string())
}

struct Writer<'t, 'a> {
    machine: &'a Machine,
    table: &'t mut Table,
}

impl Writer<'_, '_> {
    fn write(&mut self) {
        let machine = self.machine;
        let first = first_state(machine);
        for state in &machine.states {
            let span = state.name.span;
            self.table.switches.push(Switch {
                name: self.name(&state.name.value, span),
                span,
                start: Some(Spanned::new(first == Some(&*state.name.value), span)),
                about: None,
            });
        }
        for (index, row) in machine.transitions.iter().enumerate() {
            self.event(row, index);
        }
        for (index, row) in machine.transitions.iter().enumerate() {
            if !row.body.set.is_empty() {
                let event = self.full(&transition_id(row, index));
                let (targets, values) = row.body.set.iter().cloned().unzip();
                let body = Relation {
                    targets,
                    once: true,
                    once_span: row.span,
                    value: Value::Exprs(values),
                    guard: Guard::When(condition(vec![named(&event, row.span)], row.span)),
                };
                let id = id_of(&event);
                self.relation(id, row.span, row, body);
            }
        }
        for state in &machine.states {
            for (index, row) in state.rows.iter().enumerate() {
                let own = transition_id(row, index);
                let id = id_of(&self.full(&format!("{}.{own}", state.name.value)));
                let mut body = row.body.clone();
                let span = state.name.span;
                let mut literals = vec![named(&self.full(&state.name.value), span)];
                if let Guard::When(when) = &row.body.guard {
                    literals.extend(when.literals.iter().cloned());
                }
                body.guard = Guard::When(condition(literals, span));
                self.relation(id, row.span, row, body);
            }
        }
    }

    /// The event of a transition, and the switches that it sets.
    fn event(&mut self, row: &Row<crate::tree::Transition>, index: usize) {
        let machine = self.machine;
        let (span, body) = (row.span, &row.body);
        let id = transition_id(row, index);
        let event = self.full(&id);
        let mut literals = vec![named(&self.full(&body.from.value), body.from.span)];
        literals.extend(body.when.literals.iter().cloned());
        for (earlier, other) in machine.transitions[..index].iter().enumerate() {
            if other.body.from.value == body.from.value {
                let other = self.full(&transition_id(other, earlier));
                literals.push(Literal {
                    negated: true,
                    ..named(&other, span)
                });
            }
        }
        // It fires at the start of the run too, if its condition holds there.
        let mut at_start = literals.clone();
        at_start.push(Literal {
            span,
            negated: false,
            kind: LiteralKind::Start,
        });
        for (id, literals) in [
            (id_of(&event), literals),
            (id_of(&format!("{event}-start")), at_start),
        ] {
            self.table.situations.push(Row {
                form: Form::Line,
                span,
                id: Some(Spanned::new(id, span)),
                place: None,
                each: None,
                note: row.note.clone(),
                body: Situation {
                    name: Name::new(event.clone(), span),
                    event: true,
                    behind: false,
                    all: condition(literals, body.when.span),
                },
            });
        }
        if body.from.value != body.to.value {
            let set = vec![
                (self.name(&body.from.value, body.from.span), false),
                (self.name(&body.to.value, body.to.span), true),
            ];
            self.table.assignments.push(Row {
                form: Form::Line,
                span,
                id: Some(Spanned::new(id_of(&event), span)),
                place: None,
                each: None,
                note: row.note.clone(),
                body: Assignment {
                    when: condition(vec![named(&event, span)], span),
                    set,
                },
            });
        }
    }

    fn relation<T>(&mut self, id: String, span: Span, row: &Row<T>, body: Relation) {
        self.table.relations.push(Row {
            form: row.form,
            span,
            id: Some(Spanned::new(id, span)),
            place: None,
            each: row.each.clone(),
            note: row.note.clone(),
            body,
        });
    }

    fn full(&self, name: &str) -> String {
        full_name(&self.machine.name.value, name)
    }

    fn name(&self, name: &str, span: Span) -> Name {
        Name::new(self.full(name), span)
    }
}

fn named(name: &str, span: Span) -> Literal {
    Literal {
        span,
        negated: false,
        kind: LiteralKind::Name(name.to_owned()),
    }
}

fn condition(literals: Vec<Literal>, span: Span) -> Condition {
    Condition { span, literals }
}
