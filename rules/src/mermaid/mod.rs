//! Machines as Mermaid state diagrams, and back.
//!
//! ```text
//! ---
//! title: pendulum
//! ---
//! stateDiagram-v2
//!     state "flies" as s2
//!     [*] --> s1
//!     s1 : om = integral(-g / l * sin(ang))
//!     s1 --> s2 : ang >= ang_max: px := l * sin(ang)
//! ```
//!
//! [`draw`] writes machines, several of them as composite states; [`read`] takes such a diagram apart again. Labels are
//! the lines of the language, with signs that mean something to Mermaid as `#59;`; a state's lines are its rows. What is
//! drawn and read again is the same machine. [`table`] makes a rule table of what was read.

mod read;
mod table;

use std::fmt::Write as _;

use indexmap::IndexMap;
use situ_engine::model::Model;

use crate::print;
use crate::tree::{AnyRow, Machine, Part, Table};

pub use read::read;
pub use table::table;

/// A machine as texts.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Diagram {
    /// Its name; empty if the diagram has none.
    pub name: String,
    /// The state in which it begins.
    pub start: Option<String>,
    /// States with their rows, as lines.
    pub states: Vec<(String, Vec<String>)>,
    /// Transitions: from, to, label.
    pub transitions: Vec<(String, String, String)>,
}

impl Diagram {
    /// Begins in the state in which the model begins: a case, or what uses a part, may set another than the machine says.
    pub fn begin_as(&mut self, model: &Model) {
        let begun = self.states.iter().find(|(state, _)| {
            let name = format!("{}.{state}", self.name);
            let mut switches = model.switches.iter();
            switches.any(|switch| switch.start && switch.name == name)
        });
        if let Some((state, _)) = begun {
            self.start = Some(state.clone());
        }
    }
}

/// The machines of tables, base first, as texts; behind them those of their parts, by the names of both, with rows and
/// transitions in the words of the part.
pub fn diagrams(tables: &[Table]) -> Vec<Diagram> {
    let machines = crate::resolve::machines::machines(tables);
    let mut diagrams: Vec<Diagram> = machines.into_iter().map(diagram).collect();
    let parts: IndexMap<&str, &Part> = tables
        .iter()
        .flat_map(|table| &table.parts)
        .filter(|part| !part.tables.is_empty())
        .map(|part| (part.name.value.as_str(), part))
        .collect();
    for (name, part) in parts {
        let inside = self::diagrams(&part.tables);
        diagrams.extend(inside.into_iter().map(|diagram| Diagram {
            name: format!("{name}.{}", diagram.name),
            ..diagram
        }));
    }
    diagrams
}

fn diagram(machine: &Machine) -> Diagram {
    let states = machine.states.iter().map(|state| {
        let rows = state.rows.iter();
        let rows = rows.map(|row| print::row(&AnyRow::Relation(row.clone())));
        (state.name.value.clone(), rows.collect())
    });
    let transitions = machine.transitions.iter().map(|row| {
        let (from, to) = (row.body.from.value.clone(), row.body.to.value.clone());
        let mut label = String::new();
        if let Some(id) = &row.id {
            let _ = write!(label, "[{}] ", id.value);
        }
        label.push_str(&print::condition(&row.body.when));
        for (index, (target, value)) in row.body.set.iter().enumerate() {
            let sign = if index == 0 { ":" } else { ";" };
            let (target, value) = (print::name(&target.value), print::expression(value));
            let _ = write!(label, "{sign} {target} := {value}");
        }
        if let Some(note) = &row.note {
            let _ = write!(label, "   # {}", note.value.replace('\n', " "));
        }
        (from, to, label)
    });
    Diagram {
        name: machine.name.value.clone(),
        start: crate::resolve::machines::first_state(machine).map(str::to_owned),
        states: states.collect(),
        transitions: transitions.collect(),
    }
}

/// Machines as a Mermaid state diagram.
pub fn draw(diagrams: &[Diagram]) -> String {
    let mut text = String::new();
    if let [one] = diagrams {
        let _ = writeln!(text, "---\ntitle: {}\n---", one.name);
    }
    text.push_str("stateDiagram-v2\n");
    for (number, diagram) in diagrams.iter().enumerate() {
        let (indent, prefix) = match diagrams.len() {
            1 => ("    ", "s".to_owned()),
            _ => {
                let _ = writeln!(
                    text,
                    "    state {} as m{} {{",
                    quoted(&diagram.name),
                    number + 1
                );
                ("        ", format!("m{}s", number + 1))
            }
        };
        draw_states(&mut text, diagram, indent, &prefix);
        if diagrams.len() > 1 {
            text.push_str("    }\n");
        }
    }
    text
}

fn draw_states(text: &mut String, diagram: &Diagram, indent: &str, prefix: &str) {
    let key = |name: &str| {
        let at = diagram.states.iter().position(|(known, _)| known == name);
        format!("{prefix}{}", at.map_or(0, |at| at + 1))
    };
    for (name, _) in &diagram.states {
        let _ = writeln!(text, "{indent}state {} as {}", quoted(name), key(name));
    }
    if let Some(start) = &diagram.start {
        let _ = writeln!(text, "{indent}[*] --> {}", key(start));
    }
    for (name, rows) in &diagram.states {
        for row in rows {
            let _ = writeln!(text, "{indent}{} : {}", key(name), escaped(row));
        }
    }
    for (from, to, label) in &diagram.transitions {
        let (from, to) = (key(from), key(to));
        let _ = writeln!(text, "{indent}{from} --> {to} : {}", escaped(label));
    }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", escaped(text))
}

/// The text with the signs that Mermaid or its pictures would take for their own as numbers.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '"' | '#' | ';' | '<' | '>' | '&' | '`' | '{' | '}' | '%' => {
                let _ = write!(escaped, "#{};", u32::from(c));
            }
            c if c.is_control() => escaped.push(' '),
            c => escaped.push(c),
        }
    }
    escaped
}
