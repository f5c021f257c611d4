//! A model as it is understood, for programs: what `situ show --json` prints.

use serde_json::{Value, json};
use situ_engine::ids::RelationId;
use situ_engine::model::{Model, Quantity};
use situ_rules::print::ModelText;

/// The model with its quantities and its rows as lines, list by list.
///
/// Shapes: `chain`, the names of the tables it was read from, base first.
pub fn model(model: &Model, chain: &[&str]) -> Value {
    let words = ModelText::of(model);
    let starts = model.start_values().unwrap_or_default();
    let quantities = |all: &[Quantity], values: &[f64]| -> Vec<Value> {
        let values = values.iter().map(Some).chain(std::iter::repeat(None));
        let described = |(quantity, start): (&Quantity, Option<&f64>)| {
            let mut described = json!({
                "name": quantity.name,
                "start": start,
                "unit": quantity.unit,
                "about": quantity.about,
            });
            if quantity.steady {
                described["start"] = json!("steady");
                described["guess"] = json!(start);
            }
            described
        };
        all.iter().zip(values).map(described).collect()
    };
    let row = |id: &str, line: String, note: &str| json!({ "id": id, "line": line, "note": note });
    let switches = model.switches.iter();
    let switches: Vec<Value> = switches
        .map(|switch| json!({ "name": switch.name, "start": switch.start, "about": switch.about }))
        .collect();
    let ranges = model.ranges.iter().filter(|range| !range.anonymous);
    let ranges: Vec<Value> = ranges
        .map(|range| json!({ "name": range.name, "line": words.comparisons(&range.all) }))
        .collect();
    let situations = model.situation_rows.iter();
    let situations: Vec<Value> = situations
        .map(|written| {
            let situation = &model.situations[written.situation.index()];
            json!({
                "id": written.id,
                "name": situation.name,
                "event": situation.event,
                "line": words.conjunction(&written.all),
                "note": written.note,
            })
        })
        .collect();
    let assignments = model.assignments.iter().enumerate();
    let assignments: Vec<Value> = assignments
        .map(|(index, assignment)| row(&assignment.id, words.assignment(index), &assignment.note))
        .collect();
    let relations = model.relations[..model.written_relations()].iter();
    let relations: Vec<Value> = relations
        .enumerate()
        .map(|(index, relation)| {
            let (id, line) = words.row(RelationId::new(index));
            row(&id, line, &relation.note)
        })
        .collect();
    let invariants = model.invariants.iter();
    let invariants: Vec<Value> = invariants
        .map(|one| json!({ "name": one.name, "value": words.expression(one.value) }))
        .collect();
    let cases = model.cases.iter();
    let cases: Vec<Value> = cases
        .map(|case| json!({ "name": case.name, "about": case.about }))
        .collect();
    json!({
        "name": model.name,
        "about": model.about,
        "source": model.source,
        "tables": chain,
        "constants": quantities(&model.constants, &starts.constants),
        "reals": quantities(&model.reals, &starts.reals),
        "switches": switches,
        "ranges": ranges,
        "situations": situations,
        "assignments": assignments,
        "relations": relations,
        "invariants": invariants,
        "cases": cases,
    })
}
