//! Constraints that cannot be differentiated until what they are solved for occurs.

use situ_engine::ids::RelationId;
use situ_engine::model::{MAX_DERIVATIVES, Model, Obstacle, Unreached};

use super::{MAX_PLACES, error};
use crate::diag::Diagnostic;
use crate::source::Origins;

/// An equation of which no derivative has a target in it; `None` where the row has no place.
pub(in crate::resolve) fn unreached(
    model: &Model,
    one: &Unreached,
    origins: &Origins,
) -> Option<Diagnostic> {
    let row = &model.relations[one.relation.index()];
    let place = origins.get(row.origin)?;
    let targets = row.targets.iter();
    let names: Vec<String> = targets
        .map(|real| format!("`{}`", model.reals[real.index()].name))
        .collect();
    let names = names.join(", ");
    let code = match one.why {
        Obstacle::Still => "N072",
        _ => "N073",
    };
    let message = format!("{names} cannot be found from what row `{}` says", row.id);
    let what = match row.targets.len() {
        1 => "does not depend on it".to_owned(),
        _ => format!("its equation {} depends on none of them", one.equation + 1),
    };
    let and = match one.why {
        Obstacle::Still => "and no row moves what stands in it",
        _ => "nor does a derivative that can be formed",
    };
    let mut report = error(code, message, place).at(place, format!("{what}, {and}"));
    let id = |row: RelationId| format!("`{}`", model.relations[row.index()].id);
    let chain: Vec<String> = one.rows.iter().map(|row| id(*row)).collect();
    if !chain.is_empty() {
        report = report.with_note(format!("differentiated through {}", chain.join(", ")));
    }
    let also = |report: Diagnostic, row: RelationId, label: &str| match origins
        .get(model.relations[row.index()].origin)
    {
        Some(span) => report.also(span, label),
        None => report,
    };
    Some(match &one.why {
        Obstacle::Still => report.with_help(
            "let what moves depend on it: an equation is differentiated along the integrals of what it reads",
        ),
        Obstacle::TooMany => {
            for row in one.rows.iter().take(MAX_PLACES) {
                report = also(report, *row, "on the way");
            }
            report.with_help(format!(
                "{MAX_DERIVATIVES} derivatives are formed at most: let it act on a rate nearer to what the equation says"
            ))
        }
        Obstacle::TooLarge => report.with_help(
            "its derivative gets too long: give parts of it to reals that are integrated, or write the derivative",
        ),
        Obstacle::Sometimes(other) => {
            also(report, *other, "acts for a part of the time only").with_help(format!(
                "give row {} the condition of row {}, or let it act always",
                id(*other),
                id(one.relation)
            ))
        }
        Obstacle::Several(other) => {
            also(report, *other, "computes the same real again").with_help(
                "let one row compute it, or give each step of the computation a real of its own",
            )
        }
        Obstacle::Memory(other) => also(report, *other, "has a memory, and no derivative")
            .with_help("an equation is differentiated through values, integrals and smoothings"),
        Obstacle::Solved(other) if *other == one.relation => {
            report.with_help("write each equation into a row of its own, with the real that it gives")
        }
        Obstacle::Solved(other) => also(report, *other, "solves for what it reads").with_help(
            "write the equations of both rows into one: `solve a, b: .., ..`",
        ),
        Obstacle::Clamped(other) => also(report, *other, "fixes what others integrate")
            .with_help("a real that is integrated between limits has no derivative at them"),
        Obstacle::Circle(other) => also(report, *other, "is read in a circle")
            .with_help("values that follow from each other have no derivative that can be written"),
        Obstacle::Kink(name) => report.with_help(format!(
            "`{name}` has no derivative everywhere: write what holds without it"
        )),
    })
}
