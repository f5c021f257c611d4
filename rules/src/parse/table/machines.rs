//! Machines: `"name": (start: "a", states: {"a": [rows], ..}, transitions: [lines])`.

use situ_words::phrase;

use crate::parse::fields::{Field, Reader, Shape};
use crate::parse::ron::{Kind, Value as Ron};
use crate::tree::{AnyRow, List, Machine, Relation, Row, State, Transition};

const MACHINE: Shape = Shape {
    called: phrase!("phrase-machine"),
    type_name: "Machine",
};

impl Reader {
    pub(super) fn machines(&mut self, field: Field<'_>) -> Vec<Machine> {
        let mut machines = Vec::new();
        for (name, value) in self.named(field) {
            let span = name.span.to(value.span());
            let names = ["start", "states", "transitions"];
            let Some([start, states, transitions]) = self.fields(value, MACHINE, names) else {
                continue;
            };
            let [states] = self.required(value, MACHINE, [("states", states)]);
            machines.push(Machine {
                name,
                span,
                start: start.and_then(|field| self.name(field)),
                states: states.map_or_else(Vec::new, |field| self.states(field)),
                transitions: transitions.map_or_else(Vec::new, |field| self.transitions(field)),
            });
        }
        machines
    }

    fn states(&mut self, field: Field<'_>) -> Vec<State> {
        let mut states = Vec::new();
        for (name, value) in self.named(field) {
            let called = Field {
                name: "states",
                value,
            };
            let rows = self.list(called, phrase!("phrase-list-rows"));
            let rows: Vec<Ron<'_>> = rows.into_iter().flatten().collect();
            let rows = rows.into_iter().filter_map(|row| self.row_of_state(row));
            states.push(State {
                name,
                rows: rows.collect(),
            });
        }
        states
    }

    fn row_of_state(&mut self, value: Ron<'_>) -> Option<Row<Relation>> {
        match self.row(List::Relations, value) {
            Some(AnyRow::Relation(row)) => Some(row),
            _ => {
                self.unread.push(value.span());
                None
            }
        }
    }

    fn transitions(&mut self, field: Field<'_>) -> Vec<Row<Transition>> {
        let values = self.list(field, phrase!("phrase-list-transitions"));
        let values: Vec<Ron<'_>> = values.into_iter().flatten().collect();
        let mut transitions = Vec::new();
        for value in values {
            let row = match value.kind() {
                Kind::String => self
                    .string(value)
                    .and_then(|text| self.parse(&text, |parser| parser.transition())),
                found => {
                    self.wrong_type(
                        phrase!("phrase-transition"),
                        phrase!("phrase-line-quotes"),
                        found,
                        value,
                    );
                    None
                }
            };
            match row {
                Some(row) => transitions.push(row),
                None => self.unread.push(value.span()),
            }
        }
        transitions
    }
}
