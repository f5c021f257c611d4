//! Machines for Graphviz: a box for each machine, its states with their rows, its transitions with their labels.

use std::fmt::Write;

use serde_json::json;
use situ_rules::mermaid::Diagram;

use super::graph::quoted;

/// The machines of a model in the DOT language.
pub fn dot(name: &str, machines: &[Diagram]) -> String {
    let mut text = format!("digraph {} {{\n", quoted(name));
    text.push_str("  node [fontname=\"sans-serif\", fontsize=11, shape=box, style=rounded]\n");
    text.push_str("  edge [fontname=\"sans-serif\", fontsize=10]\n");
    for (number, machine) in machines.iter().enumerate() {
        let _ = writeln!(text, "  subgraph cluster{number} {{");
        let _ = writeln!(text, "    label={}", quoted(&machine.name));
        let key = |state: &str| {
            let at = machine.states.iter().position(|(known, _)| known == state);
            format!("m{number}s{}", at.unwrap_or_default())
        };
        for (state, rows) in &machine.states {
            let mut lines = vec![state.as_str()];
            lines.extend(rows.iter().map(String::as_str));
            let label: Vec<String> = lines.iter().map(|line| inside(line)).collect();
            let _ = writeln!(text, "    {} [label=\"{}\"]", key(state), label.join("\\n"));
        }
        if let Some(start) = &machine.start {
            let _ = writeln!(text, "    m{number}begin [label=\"\", shape=point]");
            let _ = writeln!(text, "    m{number}begin -> {}", key(start));
        }
        for (from, to, label) in &machine.transitions {
            let _ = writeln!(
                text,
                "    {} -> {} [label={}]",
                key(from),
                key(to),
                quoted(label)
            );
        }
        text.push_str("  }\n");
    }
    text.push_str("}\n");
    text
}

/// The machines of a model for programs: states with their rows, transitions with their labels.
pub fn json(name: &str, machines: &[Diagram]) -> serde_json::Value {
    let machine = |machine: &Diagram| {
        let states = machine.states.iter();
        let states: Vec<_> = states
            .map(|(name, rows)| json!({ "name": name, "rows": rows }))
            .collect();
        let transitions = machine.transitions.iter();
        let transitions: Vec<_> = transitions
            .map(|(from, to, label)| json!({ "from": from, "to": to, "label": label }))
            .collect();
        json!({
            "name": machine.name,
            "start": machine.start,
            "states": states,
            "transitions": transitions,
        })
    };
    json!({ "name": name, "machines": machines.iter().map(machine).collect::<Vec<_>>() })
}

/// The text as it stands inside the quotes of the DOT language.
fn inside(text: &str) -> String {
    let quoted = quoted(text);
    quoted[1..quoted.len() - 1].to_owned()
}
