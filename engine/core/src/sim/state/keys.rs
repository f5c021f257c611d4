//! Keys under which a run hands on what its rows remember: names of the model, and the texts of what rows do.

use crate::ids::RelationId;
use crate::model::{Argument, Boolean, Conjunction, Literal, Model, SituationRow};
use crate::procedure::{Body, Memory};
use crate::sim::state::recent::located;

pub(in crate::sim) fn rows_remembered<'a>(
    model: &'a Model,
    bits: &'a [Option<u32>],
) -> impl Iterator<Item = (String, u32)> {
    let rows = model.situation_rows.iter().zip(bits);
    rows.filter_map(|(row, bit)| {
        let bit = (*bit)?;
        Some((row_key(model, row), bit))
    })
}

pub(in crate::sim) fn row_key(model: &Model, row: &SituationRow) -> String {
    let name = &model.situations[row.situation.index()].name;
    format!("{name}: {}", conjunction_key(model, &row.all))
}

pub(in crate::sim) fn is_counter(model: &Model, id: RelationId) -> bool {
    let body = model.relations[id.index()].procedure.get().body;
    matches!(body, Body::Memory(Memory::Counter))
}

fn conjunction_key(model: &Model, all: &Conjunction) -> String {
    let literals: Vec<String> = all
        .iter()
        .map(|literal| literal_key(model, *literal))
        .collect();
    literals.join(" & ")
}

fn literal_key(model: &Model, literal: Literal) -> String {
    let sign = if literal.negated { "!" } else { "" };
    let kind = match literal.what {
        Boolean::Switch(_) => "switch",
        Boolean::Range(_) => "range",
        Boolean::Situation(_) => "situation",
        Boolean::Schedule(_) | Boolean::Start => "instant",
    };
    format!("{sign}{kind} {}", model.boolean_name(literal.what))
}

/// The comparisons that ticks of changing length locate.
pub(in crate::sim) fn comparison_keys(model: &Model) -> impl Iterator<Item = String> {
    located(model)
        .flat_map(|range| (0..range.all.len()).map(move |place| format!("{} {place}", range.name)))
}

pub(in crate::sim) fn counter_key(model: &Model, id: RelationId) -> String {
    let row = &model.relations[id.index()];
    let counted = row.args.iter().find_map(|argument| match argument {
        Argument::Boolean(literal) => Some(literal_key(model, *literal)),
        Argument::Real(_) => None,
    });
    let target = &model.reals[row.targets[0].index()].name;
    format!("{target} counts {}", counted.unwrap_or_default())
}

pub(in crate::sim) fn delay_key(model: &Model, id: RelationId) -> String {
    memory_key(model, id, "delays")
}

pub(in crate::sim) fn derivative_key(model: &Model, id: RelationId) -> String {
    memory_key(model, id, "derives")
}

/// The name of what a row remembers: its target, what it does, the text of its argument.
fn memory_key(model: &Model, id: RelationId, does: &str) -> String {
    let row = &model.relations[id.index()];
    let argument = match row.args.first() {
        Some(Argument::Real(expr)) => model.expr_text(*expr),
        _ => String::new(),
    };
    let target = &model.reals[row.targets[0].index()].name;
    format!("{target} {does} {argument}")
}
