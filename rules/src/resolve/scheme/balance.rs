//! The balance of stages: each element goes in as often as it comes out.

use std::collections::{BTreeMap, HashSet};

use indexmap::IndexMap;

use super::formula::{self, Composition};
use crate::diag::Diagnostic;
use crate::resolve::merged::{Entry, Merged};
use crate::resolve::report;
use crate::source::Span;
use crate::tree::{Amount, Reaction, Term};

/// Balances of stages differ by less than this where numbers of molecules are no whole numbers.
const TOLERANCE: f64 = 1e-9;

/// Reports the stages that are not balanced, if the tables ask for it.
pub(super) fn check(merged: &Merged<'_>, diagnostics: &mut Vec<Diagnostic>) {
    let Some(formulas) = &merged.scheme.formulas else {
        return;
    };
    // Those of parts were balanced with their own tables.
    let parts: HashSet<&str> = merged.parts.iter().map(|part| &*part.name.value).collect();
    let is_own = |entry: &&Entry<'_, Reaction>| {
        let part = entry.id.rsplit_once('.').map(|(part, _)| part);
        part.is_none_or(|part| !parts.contains(part))
    };
    let own = || merged.scheme.reactions.iter().filter(is_own);
    let bodies = own().map(|entry| &entry.row.body);
    let terms = bodies.flat_map(|body| body.left.iter().chain(&body.right));
    let mut species: IndexMap<&str, (Span, usize)> = IndexMap::new();
    for term in terms {
        let known = species.entry(&term.species.value);
        known.or_insert((term.species.span, 0)).1 += 1;
    }
    for (name, written) in formulas {
        if !species.contains_key(name) {
            diagnostics.push(report::formula_of_no_species(
                &written.species,
                species.keys().copied(),
            ));
        }
    }
    let mut compositions: BTreeMap<&str, Composition> = BTreeMap::new();
    for (name, (span, _)) in &species {
        let read = match formulas.get(name) {
            Some(written) => formula::read(&written.text.value)
                .map_err(|why| report::bad_formula(&written.text, &why)),
            None => formula::read(name).map_err(|_| report::no_formula(name, *span)),
        };
        match read {
            Ok(composition) => _ = compositions.insert(name, composition),
            Err(report) => diagnostics.push(report),
        }
    }
    for entry in own() {
        if let Some(differences) = differences(&entry.row.body, &compositions) {
            let report = report::not_balanced(&entry.id, &entry.row.body, &differences);
            diagnostics.push(report);
        }
    }
}

/// Elements with what stands left and right, of a stage that is not balanced. A source and a sink have no balance, nor
/// has a stage with a species of which the formula is not known.
fn differences<'e>(
    body: &Reaction,
    compositions: &BTreeMap<&str, Composition>,
) -> Option<Vec<(&'e str, f64, f64)>> {
    if body.left.is_empty() || body.right.is_empty() {
        return None;
    }
    let mut sums: BTreeMap<&str, (f64, f64)> = BTreeMap::new();
    for (terms, is_left) in [(&body.left, true), (&body.right, false)] {
        for Term { amount, species } in terms {
            let times = match amount {
                Amount::One => 1.0,
                Amount::Number(number) => number.value,
                Amount::Constant(_) => return None,
            };
            for (element, count) in compositions.get(&*species.value)? {
                let (left, right) = sums.entry(element).or_default();
                let side = if is_left { left } else { right };
                *side += times * *count as f64;
            }
        }
    }
    let uneven = sums.into_iter().filter(|(_, (left, right))| {
        (left - right).abs() > TOLERANCE * left.abs().max(right.abs())
    });
    let uneven: Vec<_> = uneven
        .map(|(element, (left, right))| (element, left, right))
        .collect();
    (!uneven.is_empty()).then_some(uneven)
}
