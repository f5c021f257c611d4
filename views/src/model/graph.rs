//! Graphs: what depends on what in a model, for Graphviz (DOT) and for Mermaid.
//!
//! [`rules`] shows which rule reads and writes which real, [`situations`] how reals become ranges, situations and
//! switches, [`reactions`] which stage takes and gives which species, [`systems`] which rows are solved together. Constants stand in the texts of the rules.

use std::collections::{HashMap, HashSet};
use std::fmt::Write;

use serde_json::json;
use situ_engine::ids::{ExprId, RealId, RelationId};
use situ_engine::model::{Argument, Boolean, Expr, Guard, Literal, Model};

use situ_rules::print::{self, ModelText};

use super::part_names::Outermost;

/// Nodes with edges between them.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Graph {
    name: String,
    nodes: Vec<Node>,
    known: HashSet<String>,
    edges: Vec<Edge>,
    /// Boxes around nodes: a label, and the keys of the nodes.
    boxes: Vec<(String, Vec<String>)>,
}

#[derive(Clone, PartialEq, Debug)]
struct Node {
    key: String,
    label: String,
    shape: Shape,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Shape {
    Real,
    Rule,
    Range,
    Situation,
    Event,
    Switch,
}

#[derive(Clone, PartialEq, Debug)]
struct Edge {
    from: String,
    to: String,
    negated: bool,
}

/// Reals and the relations between them.
pub fn rules(model: &Model) -> Graph {
    let words = ModelText::of(model);
    let mut graph = Graph {
        name: model.name.clone(),
        ..Graph::default()
    };
    for (index, real) in model.reals.iter().enumerate() {
        graph.node(
            real_key(RealId::new(index)),
            with_unit(&real.name, &real.unit),
            Shape::Real,
        );
    }
    for (index, relation) in model.relations.iter().enumerate() {
        let key = format!("row{index}");
        let line = words.relation(RelationId::new(index));
        graph.node(
            key.clone(),
            format!("[{}] {line}", relation.id),
            Shape::Rule,
        );
        let read = relation.args.iter().filter_map(|argument| match argument {
            Argument::Real(expr) => Some(*expr),
            Argument::Boolean(_) => None,
        });
        for real in reals_read(model, read) {
            graph.edge(real_key(real), key.clone(), false);
        }
        for real in &relation.targets {
            graph.edge(key.clone(), real_key(*real), false);
        }
    }
    graph.boxes = boxes(model);
    graph
}

/// The reals and rows of each part.
fn boxes(model: &Model) -> Vec<(String, Vec<String>)> {
    let outermost = Outermost::of(model);
    let parts = model.structure.parts.iter().map(|part| &*part.name);
    let parts = parts.filter(|part| outermost.is_outermost(part));
    let mut boxes: Vec<(&str, Vec<String>)> = parts.map(|part| (part, Vec::new())).collect();
    let numbers: HashMap<&str, usize> = boxes
        .iter()
        .enumerate()
        .map(|(number, (part, _))| (*part, number))
        .collect();
    let reals = model.reals.iter().enumerate();
    let reals = reals.map(|(index, real)| (&*real.name, real_key(RealId::new(index))));
    let rows = model.relations.iter().enumerate();
    let rows = rows.map(|(index, row)| (&*row.id, format!("row{index}")));
    for (name, key) in reals.chain(rows) {
        let number = outermost
            .split(name)
            .and_then(|(part, _)| numbers.get(part));
        if let Some(number) = number {
            boxes[*number].1.push(key);
        }
    }
    let boxes = boxes.into_iter();
    boxes
        .map(|(part, keys)| (print::name(part), keys))
        .collect()
}

/// Species and the stages of reactions that take and give them.
pub fn reactions(model: &Model) -> Graph {
    let mut graph = Graph {
        name: model.name.clone(),
        ..Graph::default()
    };
    for (index, stage) in model.scheme.stages.iter().enumerate() {
        for (_, species) in stage.left.iter().chain(&stage.right) {
            let quantity = &model.reals[species.index()];
            let label = with_unit(&quantity.name, &quantity.unit);
            graph.node(real_key(*species), label, Shape::Real);
        }
        let key = format!("stage{index}");
        let label = match stage.back {
            false => format!("[{}] {}", stage.id, stage.text),
            true => format!("[{}]", stage.id),
        };
        graph.node(key.clone(), label, Shape::Rule);
        for (_, species) in &stage.left {
            graph.edge(real_key(*species), key.clone(), false);
        }
        for (_, species) in &stage.right {
            graph.edge(key.clone(), real_key(*species), false);
        }
    }
    graph
}

/// Systems of rows that are solved together: what they find, and which follows from which.
pub fn systems(model: &Model) -> Graph {
    let words = ModelText::of(model);
    let mut graph = Graph {
        name: model.name.clone(),
        ..Graph::default()
    };
    for (at, system) in model.systems().iter().enumerate() {
        let key = format!("system{at}");
        let rows = system.rows.iter().map(|&row| {
            let id = &model.relations[row.index()].id;
            format!("[{id}] {}", words.relation(row))
        });
        let rows: Vec<String> = rows.collect();
        graph.node(
            key.clone(),
            format!("{}: {}", at + 1, rows.join("; ")),
            Shape::Rule,
        );
        for other in &system.after {
            graph.edge(format!("system{other}"), key.clone(), false);
        }
        for real in &system.unknowns {
            let quantity = &model.reals[real.index()];
            let label = with_unit(&quantity.name, &quantity.unit);
            graph.node(real_key(*real), label, Shape::Real);
            graph.edge(key.clone(), real_key(*real), false);
        }
    }
    graph
}

/// Ranges, situations, switches, the reals they are read from and the rows they activate.
pub fn situations(model: &Model) -> Graph {
    let words = ModelText::of(model);
    let mut graph = Graph {
        name: model.name.clone(),
        ..Graph::default()
    };
    for (index, range) in model.ranges.iter().enumerate() {
        let key = format!("range{index}");
        let condition = words.comparisons(&range.all);
        let label = if range.anonymous {
            condition
        } else {
            format!("{}: {condition}", print::name(&range.name))
        };
        graph.node(key.clone(), label, Shape::Range);
        for real in reals_read(
            model,
            range.all.iter().flat_map(|item| [item.left, item.right]),
        ) {
            let quantity = &model.reals[real.index()];
            graph.node(
                real_key(real),
                with_unit(&quantity.name, &quantity.unit),
                Shape::Real,
            );
            graph.edge(real_key(real), key.clone(), false);
        }
    }
    for (index, situation) in model.situations.iter().enumerate() {
        let shape = if situation.event {
            Shape::Event
        } else {
            Shape::Situation
        };
        graph.node(
            format!("situation{index}"),
            print::name(&situation.name),
            shape,
        );
    }
    for (index, switch) in model.switches.iter().enumerate() {
        graph.node(
            format!("switch{index}"),
            print::name(&switch.name),
            Shape::Switch,
        );
    }
    for row in &model.situation_rows {
        graph.condition(
            &words,
            &row.all,
            &format!("situation{}", row.situation.index()),
        );
    }
    for (index, row) in model.assignments.iter().enumerate() {
        let key = format!("assignment{index}");
        let set = words.switches_set(&row.set);
        graph.node(key.clone(), format!("[{}] {set}", row.id), Shape::Rule);
        graph.condition(&words, &row.when, &key);
        for (switch, value) in &row.set {
            graph.edge(key.clone(), format!("switch{}", switch.index()), !value);
        }
    }
    let guards = guards(model);
    for (index, relation) in model.relations.iter().enumerate() {
        let arguments = relation.args.iter().filter_map(|argument| match argument {
            Argument::Boolean(literal) => Some(*literal),
            Argument::Real(_) => None,
        });
        let mut read: Vec<Literal> = match &relation.guard {
            Guard::Always => Vec::new(),
            Guard::When(all) => all.to_vec(),
            // It acts where the others do not.
            Guard::Otherwise => (relation.targets.iter())
                .filter_map(|target| guards.get(target))
                .flatten()
                .map(|literal| Literal {
                    negated: !literal.negated,
                    ..*literal
                })
                .collect(),
        };
        read.extend(arguments);
        if read.is_empty() {
            continue;
        }
        let key = format!("row{index}");
        let targets = words.targets(relation);
        let label = format!("[{}] {targets}", relation.id);
        graph.node(key.clone(), label, Shape::Rule);
        graph.condition(&words, &read, &key);
    }
    graph
}

/// What stands in the conditions of the rows of each real, each once.
fn guards(model: &Model) -> HashMap<RealId, Vec<Literal>> {
    let mut guards: HashMap<RealId, Vec<Literal>> = HashMap::new();
    for relation in &model.relations {
        let Guard::When(all) = &relation.guard else {
            continue;
        };
        for target in &relation.targets {
            let known = guards.entry(*target).or_default();
            let new = all.iter().filter(|literal| !known.contains(literal));
            let new: Vec<Literal> = new.copied().collect();
            known.extend(new);
        }
    }
    guards
}

impl Graph {
    /// For Graphviz.
    pub fn dot(&self) -> String {
        let mut text = format!("digraph {} {{\n", quoted(&self.name));
        text.push_str("  rankdir=LR\n  node [fontname=\"sans-serif\", fontsize=11]\n");
        for Node { key, label, shape } in &self.nodes {
            let shape = match shape {
                Shape::Real => "shape=ellipse",
                Shape::Rule => "shape=box",
                Shape::Range => "shape=box, style=dashed",
                Shape::Situation => "shape=box, style=rounded",
                Shape::Event => "shape=box, style=rounded, peripheries=2",
                Shape::Switch => "shape=hexagon",
            };
            let _ = writeln!(text, "  {key} [label={}, {shape}]", quoted(label));
        }
        for (number, (label, keys)) in self.boxes.iter().enumerate() {
            let keys = keys.join("; ");
            let label = quoted(label);
            let _ = writeln!(
                text,
                "  subgraph cluster{number} {{ label={label}; {keys} }}"
            );
        }
        for Edge { from, to, negated } in &self.edges {
            let style = if *negated {
                " [style=dashed, arrowhead=onormal]"
            } else {
                ""
            };
            let _ = writeln!(text, "  {from} -> {to}{style}");
        }
        text.push_str("}\n");
        text
    }

    /// For programs: nodes with their kinds, and edges between their keys.
    pub fn json(&self) -> serde_json::Value {
        let kind = |shape: Shape| match shape {
            Shape::Real => "real",
            Shape::Rule => "rule",
            Shape::Range => "range",
            Shape::Situation => "situation",
            Shape::Event => "event",
            Shape::Switch => "switch",
        };
        let nodes = self.nodes.iter();
        let nodes: Vec<_> = nodes
            .map(|node| json!({ "key": node.key, "kind": kind(node.shape), "label": node.label }))
            .collect();
        let edges = self.edges.iter();
        let edges: Vec<_> = edges
            .map(|edge| json!({ "from": edge.from, "to": edge.to, "negated": edge.negated }))
            .collect();
        json!({ "name": self.name, "nodes": nodes, "edges": edges })
    }

    /// For Mermaid, as it stands in Markdown documents.
    pub fn mermaid(&self) -> String {
        let mut text = "flowchart LR\n".to_owned();
        for (number, (label, keys)) in self.boxes.iter().enumerate() {
            let label = mermaid_escaped(label);
            let _ = writeln!(text, "    subgraph part{number} [\"{label}\"]");
            keys.iter()
                .for_each(|key| _ = writeln!(text, "        {key}"));
            text.push_str("    end\n");
        }
        for Node { key, label, shape } in &self.nodes {
            let (open, close) = match shape {
                Shape::Real => ("([", "])"),
                Shape::Rule => ("[", "]"),
                Shape::Range => ("[/", "/]"),
                Shape::Situation => ("(", ")"),
                Shape::Event => ("((", "))"),
                Shape::Switch => ("{{", "}}"),
            };
            let _ = writeln!(text, "    {key}{open}\"{}\"{close}", mermaid_escaped(label));
        }
        for Edge { from, to, negated } in &self.edges {
            let arrow = if *negated { "-.->" } else { "-->" };
            let _ = writeln!(text, "    {from} {arrow} {to}");
        }
        text
    }

    /// Adds a node that is not there yet.
    fn node(&mut self, key: String, label: String, shape: Shape) {
        if self.known.insert(key.clone()) {
            self.nodes.push(Node { key, label, shape });
        }
    }

    fn edge(&mut self, from: String, to: String, negated: bool) {
        self.edges.push(Edge { from, to, negated });
    }

    /// Edges from the booleans of a condition; dashed ones where it is negated.
    fn condition(&mut self, words: &ModelText<'_>, all: &[Literal], to: &str) {
        for literal in all {
            let from = match literal.what {
                Boolean::Switch(id) => format!("switch{}", id.index()),
                Boolean::Range(id) => format!("range{}", id.index()),
                Boolean::Situation(id) => format!("situation{}", id.index()),
                Boolean::Schedule(id) => format!("schedule{}", id.index()),
                Boolean::Start => "start_of_run".to_owned(),
            };
            if matches!(literal.what, Boolean::Schedule(_) | Boolean::Start) {
                self.node(
                    from.clone(),
                    words.literal(Literal {
                        negated: false,
                        ..*literal
                    }),
                    Shape::Event,
                );
            }
            self.edge(from, to.to_owned(), literal.negated);
        }
    }
}

fn real_key(real: RealId) -> String {
    format!("real{}", real.index())
}

fn with_unit(name: &str, unit: &str) -> String {
    let name = print::name(name);
    if unit.is_empty() {
        name
    } else {
        format!("{name} ({unit})")
    }
}

/// The reals that stand in some expressions, in order, each once.
pub(super) fn reals_read(model: &Model, exprs: impl IntoIterator<Item = ExprId>) -> Vec<RealId> {
    let mut known = HashSet::new();
    let mut read = Vec::new();
    for root in exprs {
        model.exprs.visit(root, |_, node| {
            if let Expr::Real(id) = node
                && known.insert(*id)
            {
                read.push(*id);
            }
        });
    }
    read
}

/// A text of the DOT language.
pub(super) fn quoted(text: &str) -> String {
    let escaped = text
        .replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace(['\n', '\r'], " ");
    format!("\"{escaped}\"")
}

/// A text of the Mermaid language, to stand between quotes.
pub(super) fn mermaid_escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '"' | '#' | '<' | '>' | '&' | '`' => {
                let _ = write!(escaped, "#{};", u32::from(c));
            }
            c if c.is_control() => escaped.push(' '),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use situ_engine::model::{CompareOp, Given, ModelBuilder};

    use super::*;

    fn cart() -> Model {
        let mut table = ModelBuilder::new("a \"cart\"");
        let a = table.constant("a", 2.0);
        let [x, v] = ["x", "v"].map(|name| table.real(name, 0.0));
        let motor = table.switch("motor", true);
        let right = table.range("right", [(x.into(), CompareOp::Greater, 1.0.into())]);
        let hit = table.event("hit", [right.into(), motor.into()]);
        let drive = table.situation("drive", [motor.into(), !right]);
        table.assign([hit.into()], [(motor, false)]);
        table.relation(v, "integral", [a]).when([drive.into()]);
        table
            .relation(v, "proportional", [v])
            .coef(-0.5)
            .when([hit.into()])
            .once();
        table.relation(x, "integral", [v]);
        table.build().unwrap()
    }

    #[test]
    fn rules_as_dot_and_mermaid() {
        let graph = rules(&cart());
        insta::assert_snapshot!(format!("{}\n{}", graph.dot(), graph.mermaid()));
    }

    #[test]
    fn situations_have_rows_without_a_condition_of_their_own() {
        let mut table = ModelBuilder::new("held");
        let [x, y, z] = ["x", "y", "z"].map(|name| table.real(name, 0.0));
        let high = table.range("high", [(x.into(), CompareOp::Greater, 1.0.into())]);
        let busy = table.switch("busy", false);
        table
            .relation(y, "assignment", [1.0])
            .when([high.into(), !busy]);
        table.relation(y, "assignment", [x]).otherwise();
        let args: [Given; 2] = [x.into(), (!high).into()];
        table.relation(z, "sample_and_hold", args);
        let dot = situations(&table.build().unwrap()).dot();
        let negated = " [style=dashed, arrowhead=onormal]";
        for edge in [
            "range0 -> row0".to_owned(),
            format!("switch0 -> row0{negated}"),
            // The row of `otherwise` acts where its sibling does not.
            format!("range0 -> row1{negated}"),
            "switch0 -> row1".to_owned(),
            format!("range0 -> row2{negated}"),
        ] {
            assert!(dot.lines().any(|line| line.trim() == edge), "{edge}: {dot}");
        }
    }

    #[test]
    fn situations_as_dot_and_mermaid() {
        let graph = situations(&cart());
        insta::assert_snapshot!(format!("{}\n{}", graph.dot(), graph.mermaid()));
    }
}
