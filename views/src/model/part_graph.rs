//! Parts as boxes, and the connections between them, for Graphviz, for Mermaid and as JSON.
//!
//! Of many parts under one name there is one box. Reals of the table itself that stand between parts are shown too.

use std::collections::{HashMap, HashSet};
use std::fmt::Write;

use serde_json::json;
use situ_engine::ids::RealId;
use situ_engine::model::{Argument, Model, element};
use situ_words::say;

use super::graph::{mermaid_escaped, quoted, reals_read};
use super::part_names::Outermost;

/// Boxes, and what goes from one to another.
#[derive(Default)]
struct Drawing {
    /// Keys with their labels, and whether they are parts.
    nodes: Vec<(String, String, bool)>,
    by_name: HashMap<String, usize>,
    /// From, to, label.
    edges: Vec<(usize, usize, String)>,
}

/// The parts of a model in the DOT language.
pub fn dot(model: &Model) -> String {
    let drawing = Drawing::of(model);
    let mut text = format!("digraph {} {{\n", quoted(&model.name));
    text.push_str("  rankdir=LR\n  node [fontname=\"sans-serif\", fontsize=11]\n");
    text.push_str("  edge [fontname=\"sans-serif\", fontsize=10]\n");
    for (key, label, is_part) in &drawing.nodes {
        let shape = if *is_part { "box" } else { "ellipse" };
        let _ = writeln!(text, "  {key} [label={}, shape={shape}]", quoted(label));
    }
    for (from, to, label) in &drawing.edges {
        let [from, to] = [from, to].map(|at| &drawing.nodes[*at].0);
        let _ = writeln!(text, "  {from} -> {to} [label={}]", quoted(label));
    }
    text.push_str("}\n");
    text
}

/// The parts of a model for Mermaid, as they stand in Markdown documents.
pub fn mermaid(model: &Model) -> String {
    let drawing = Drawing::of(model);
    let mut text = "flowchart LR\n".to_owned();
    for (key, label, is_part) in &drawing.nodes {
        let (open, close) = if *is_part { ("[", "]") } else { ("([", "])") };
        let _ = writeln!(text, "    {key}{open}\"{}\"{close}", mermaid_escaped(label));
    }
    for (from, to, label) in &drawing.edges {
        let [from, to] = [from, to].map(|at| &drawing.nodes[*at].0);
        let _ = writeln!(text, "    {from} -->|\"{}\"| {to}", mermaid_escaped(label));
    }
    text
}

/// The parts of a model: nodes, each a part or a real of the table itself, and what goes from one to another.
pub fn json(model: &Model) -> serde_json::Value {
    let drawing = Drawing::of(model);
    let nodes = drawing.nodes.iter().map(|(key, label, is_part)| {
        json!({ "key": key, "kind": if *is_part { "part" } else { "real" }, "label": label })
    });
    let edges = drawing.edges.iter().map(|(from, to, label)| {
        let [from, to] = [from, to].map(|at| &drawing.nodes[*at].0);
        json!({ "from": from, "to": to, "label": label })
    });
    json!({
        "name": model.name,
        "nodes": nodes.collect::<Vec<_>>(),
        "edges": edges.collect::<Vec<_>>(),
    })
}

impl Drawing {
    fn of(model: &Model) -> Self {
        let outermost = Outermost::of(model);
        let mut drawing = Self::default();
        let mut counts: HashMap<&str, usize> = HashMap::new();
        for part in &model.structure.parts {
            if outermost.is_outermost(&part.name) {
                *counts.entry(group(&part.name)).or_default() += 1;
            }
        }
        for part in &model.structure.parts {
            let name = group(&part.name);
            let Some(n) = counts.remove(name) else {
                continue;
            };
            let label = match (n, name == part.name) {
                (1, true) => format!("{name}: {}", part.file),
                _ => say!("listing-parts-of", n, name, file = &part.file),
            };
            drawing.node(name, label, true);
        }
        let mut known: HashSet<(usize, usize, String)> = HashSet::new();
        for row in &model.relations {
            if outermost.split(&row.id).is_some() {
                continue;
            }
            let args = row.args.iter().filter_map(|argument| match argument {
                Argument::Real(expr) => Some(*expr),
                Argument::Boolean(_) => None,
            });
            let read = reals_read(model, args);
            let all = read.iter().chain(&row.targets);
            let mut names = all.map(|real| &*model.reals[real.index()].name);
            if !names.any(|name| outermost.split(name).is_some()) {
                continue;
            }
            for to in &row.targets {
                let (to, into) = drawing.end(model, &outermost, *to);
                for from in &read {
                    let (from, out) = drawing.end(model, &outermost, *from);
                    let label = match (out.is_empty(), into.is_empty()) {
                        (false, false) => format!("{out} → {into}"),
                        _ => format!("{out}{into}"),
                    };
                    if from != to || !label.is_empty() {
                        let edge = (from, to, label);
                        if known.insert(edge.clone()) {
                            drawing.edges.push(edge);
                        }
                    }
                }
            }
        }
        drawing
    }

    fn node(&mut self, name: &str, label: String, is_part: bool) -> usize {
        let next = self.nodes.len();
        let at = *self.by_name.entry(name.to_owned()).or_insert(next);
        if at == next {
            self.nodes.push((format!("n{next}"), label, is_part));
        }
        at
    }

    /// The box of a real, and its name within it.
    fn end(&mut self, model: &Model, outermost: &Outermost<'_>, real: RealId) -> (usize, String) {
        let name = &*model.reals[real.index()].name;
        match outermost.split(name) {
            Some((part, inside)) => {
                let part = group(part);
                (self.node(part, part.to_owned(), true), inside.to_owned())
            }
            None => (self.node(name, name.to_owned(), false), String::new()),
        }
    }
}

/// The name under which a part stands in the picture.
fn group(part: &str) -> &str {
    element(part).map_or(part, |(base, _)| base)
}
