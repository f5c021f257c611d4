//! The parts of a table, and which of their connections lie a tick back.

use std::collections::HashMap;
use std::fmt::Write;

use situ_engine::ids::RealId;
use situ_engine::model::{Argument, Inputs, Model};
use situ_rules::print::{self, ModelText};
use situ_words::say;

use super::graph::reals_read;
use super::lists::section;
use super::part_names::Outermost;
use crate::text::listing::{Align, Listing};

/// At most so many parts and connections are listed.
const MAX_LISTED: usize = 50;

/// Adds inputs, parts and late connections to a text.
pub(super) fn parts(text: &mut String, words: &ModelText<'_>, width: Option<u16>) {
    let model = words.model();
    let own = names(model, &model.structure.inputs);
    if !own.is_empty() {
        let own = own.join(", ");
        let _ = writeln!(text, "\n{}", say!("listing-own-inputs", names = own));
    }
    let parts = &model.structure.parts;
    if parts.is_empty() {
        return;
    }
    let mut listing = Listing::new([
        (say!("listing-column-name"), Align::Left),
        (say!("listing-column-table"), Align::Left),
        (say!("listing-column-inputs"), Align::Left),
        (say!("listing-column-about"), Align::Left),
    ]);
    for part in parts.iter().take(MAX_LISTED) {
        let prefix = format!("{}.", part.name);
        let inputs = names(model, &part.inputs);
        let inputs: Vec<&str> = inputs
            .iter()
            .map(|name| name.strip_prefix(&prefix).unwrap_or(name))
            .collect();
        listing.row([
            print::name(&part.name),
            part.file.clone(),
            inputs.join(", "),
            part.about.clone(),
        ]);
    }
    section(text, &say!("listing-parts"), &listing, width);
    rest(text, parts.len());
    let late = late(model);
    if !late.is_empty() {
        let _ = writeln!(text, "\n{}", say!("listing-late"));
        for row in late.iter().take(MAX_LISTED) {
            let relation = &model.relations[*row];
            let line = words.relation(situ_engine::ids::RelationId::new(*row));
            let _ = writeln!(text, "  [{}] {line}", relation.id);
        }
        rest(text, late.len());
    }
}

fn rest(text: &mut String, n: usize) {
    if n > MAX_LISTED {
        let more = say!("listing-more", n = n - MAX_LISTED);
        let _ = writeln!(text, "  {more}");
    }
}

fn names(model: &Model, inputs: &Inputs) -> Vec<String> {
    let reals = inputs.reals.iter().map(|id| &model.reals[id.index()].name);
    let switches = inputs
        .switches
        .iter()
        .map(|id| &model.switches[id.index()].name);
    reals
        .chain(switches)
        .map(|name| print::name(name))
        .collect()
}

/// The rows that feed a part and read what stands in a part behind them: they close a circle of parts.
fn late(model: &Model) -> Vec<usize> {
    let outermost = Outermost::of(model);
    let mut first_writer: HashMap<RealId, usize> = HashMap::new();
    for (index, row) in model.relations.iter().enumerate() {
        for target in &row.targets {
            first_writer.entry(*target).or_insert(index);
        }
    }
    let in_part = |real: &RealId| outermost.split(&model.reals[real.index()].name).is_some();
    let rows = model.relations.iter().enumerate().filter(|(index, row)| {
        if outermost.split(&row.id).is_some() || !row.targets.iter().any(in_part) {
            return false;
        }
        let args = row.args.iter().filter_map(|argument| match argument {
            Argument::Real(expr) => Some(*expr),
            Argument::Boolean(_) => None,
        });
        let read = reals_read(model, args);
        let mut parts = read.iter().filter(|real| in_part(real));
        parts.any(|real| first_writer.get(real).is_some_and(|writer| writer > index))
    });
    rows.map(|(index, _)| index).collect()
}
