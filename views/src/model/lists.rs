//! Lists of a model besides its quantities and rules: lookups, constraints, invariants.

use std::fmt::Write;

use situ_rules::print::{self, ModelText};
use situ_words::say;

use crate::text::listing::{Align, Listing};

pub(super) fn lookups(text: &mut String, words: &ModelText<'_>, width: Option<u16>) {
    let mut listing = Listing::new([
        (say!("listing-column-name"), Align::Left),
        (say!("listing-column-points"), Align::Right),
        (say!("listing-column-kind"), Align::Left),
        (say!("listing-column-outside"), Align::Left),
        (say!("listing-column-from"), Align::Left),
        (say!("listing-column-about"), Align::Left),
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
    section(text, &say!("listing-lookups"), &listing, width);
}

pub(super) fn invariants(text: &mut String, words: &ModelText<'_>, width: Option<u16>) {
    let mut listing = Listing::new([
        (say!("listing-column-name"), Align::Left),
        (say!("listing-column-value"), Align::Left),
    ]);
    for invariant in &words.model().invariants {
        let value = words.expression(invariant.value);
        listing.row([print::name(&invariant.name), value]);
    }
    section(text, &say!("listing-invariants"), &listing, width);
}

/// Constraints, with what is solved after they have been differentiated.
pub(super) fn constraints(text: &mut String, words: &ModelText<'_>, width: Option<u16>) {
    let model = words.model();
    let mut listing = Listing::new([
        (say!("listing-column-row"), Align::Left),
        (say!("listing-column-equation"), Align::Left),
        (say!("listing-column-derivatives"), Align::Right),
        (say!("listing-column-solved"), Align::Left),
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
    section(text, &say!("listing-constraints"), &listing, width);
}

/// Systems of rows that are solved together, in the order in which they are.
pub(super) fn systems(text: &mut String, words: &ModelText<'_>, width: Option<u16>) {
    let model = words.model();
    let mut listing = Listing::new([
        (say!("listing-column-order"), Align::Right),
        (say!("listing-column-finds"), Align::Left),
        (say!("listing-column-from-rows"), Align::Left),
        (say!("listing-column-after"), Align::Left),
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
    section(text, &say!("listing-systems"), &listing, width);
}

/// A list under its head, if there is anything in it.
pub(super) fn section(text: &mut String, head: &str, listing: &Listing, width: Option<u16>) {
    if !listing.is_empty() {
        let _ = write!(text, "\n{head}\n{}", listing.plain(width));
    }
}
