//! Lists of a model besides its quantities and rules: lookups, constraints, invariants.

use std::fmt::Write;

use situ_rules::print::{self, ModelText};

use crate::text::listing::{Align, Listing};

pub(super) fn lookups(text: &mut String, words: &ModelText<'_>, width: Option<u16>) {
    let mut listing = Listing::new([
        ("name", Align::Left),
        ("points", Align::Right),
        ("kind", Align::Left),
        ("outside", Align::Left),
        ("from", Align::Left),
        ("about", Align::Left),
    ]);
    for lookup in &words.model().lookups {
        let interpolation = &lookup.interpolation;
        let lengths = interpolation.points().axes().into_iter();
        let lengths: Vec<String> = lengths.map(|axis| axis.len().to_string()).collect();
        listing.row([
            print::name(&lookup.name),
            lengths.join(" x "),
            interpolation.kind().name().to_owned(),
            interpolation.outside().name().to_owned(),
            lookup
                .file
                .as_ref()
                .map_or_else(String::new, |file| file.name.clone()),
            lookup.about.clone(),
        ]);
    }
    section(text, "lookups", &listing, width);
}

pub(super) fn invariants(text: &mut String, words: &ModelText<'_>, width: Option<u16>) {
    let mut listing = Listing::new([("name", Align::Left), ("value", Align::Left)]);
    for invariant in &words.model().invariants {
        let value = words.expression(invariant.value);
        listing.row([print::name(&invariant.name), value]);
    }
    section(text, "invariants", &listing, width);
}

/// Constraints, with what is solved after they have been differentiated.
pub(super) fn constraints(text: &mut String, words: &ModelText<'_>, width: Option<u16>) {
    let model = words.model();
    let mut listing = Listing::new([
        ("row", Align::Left),
        ("equation", Align::Left),
        ("derivatives", Align::Right),
        ("solved", Align::Left),
    ]);
    for constraint in &model.constraints {
        let solved = constraint.solved(model);
        listing.row([
            model.relations[constraint.relation.index()].id.clone(),
            words.equation(constraint.kept(model)),
            constraint.levels.len().to_string(),
            solved.map_or_else(String::new, |residual| words.equation(residual)),
        ]);
    }
    section(text, "constraints", &listing, width);
}

/// Systems of rows that are solved together, in the order in which they are.
pub(super) fn systems(text: &mut String, words: &ModelText<'_>, width: Option<u16>) {
    let model = words.model();
    let mut listing = Listing::new([
        ("order", Align::Right),
        ("finds", Align::Left),
        ("from rows", Align::Left),
        ("after", Align::Left),
    ]);
    for (at, system) in model.systems().iter().enumerate() {
        let unknowns = system.unknowns.iter();
        let rows = system.rows.iter();
        let after: Vec<String> = system.after.iter().map(|at| (at + 1).to_string()).collect();
        listing.row([
            (at + 1).to_string(),
            unknowns
                .map(|real| print::name(&model.reals[real.index()].name))
                .collect::<Vec<_>>()
                .join(", "),
            rows.map(|row| model.relations[row.index()].id.clone())
                .collect::<Vec<_>>()
                .join(", "),
            after.join(", "),
        ]);
    }
    section(text, "systems", &listing, width);
}

/// A list under its head, if there is anything in it.
pub(super) fn section(text: &mut String, head: &str, listing: &Listing, width: Option<u16>) {
    if !listing.is_empty() {
        let _ = write!(text, "\n{head}\n{}", listing.plain(width));
    }
}
