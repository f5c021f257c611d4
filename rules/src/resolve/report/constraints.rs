//! Constraints that cannot be differentiated until what they are solved for occurs.

use situ_engine::ids::RelationId;
use situ_engine::model::{MAX_DERIVATIVES, Model, Obstacle, Unreached};
use situ_words::{phrase, say};

use super::{MAX_PLACES, error};
use crate::diag::Diagnostic;
use crate::source::{Origins, Span};

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
    let message = say!("equation-unreached", names, id = row.id);
    let what = match row.targets.len() {
        1 => say!("equation-unreached.what-does-not"),
        _ => say!(
            "equation-unreached.what-equation-depends",
            equation = one.equation + 1
        ),
    };
    let and = match one.why {
        Obstacle::Still => phrase!("equation-unreached.no-row-moves"),
        _ => phrase!("equation-unreached.nor-does-derivative"),
    };
    let mut report = error(code, message, place).at(place, format!("{what}, {and}"));
    let id = |row: RelationId| format!("`{}`", model.relations[row.index()].id);
    let chain: Vec<String> = one.rows.iter().map(|row| id(*row)).collect();
    if !chain.is_empty() {
        report = report.with_note(say!("equation-unreached.note", chain = chain.join(", ")));
    }
    let also = |report: Diagnostic, row: RelationId, label: String| match origins
        .get(model.relations[row.index()].origin)
    {
        Some(span) => report.also(span, label),
        None => report,
    };
    Some(match &one.why {
        Obstacle::Still => report.with_help(say!("equation-unreached.help-let-what")),
        Obstacle::TooMany => {
            for row in one.rows.iter().take(MAX_PLACES) {
                report = also(report, *row, say!("equation-unreached.also-way"));
            }
            report.with_help(say!(
                "equation-unreached.help-derivatives-formed",
                MAX_DERIVATIVES
            ))
        }
        Obstacle::TooLarge => report.with_help(say!("equation-unreached.help-derivative-gets")),
        Obstacle::Sometimes(other) => {
            also(report, *other, say!("equation-unreached.also-acts-part")).with_help(say!(
                "equation-unreached.help-give-row",
                other = id(*other),
                relation = id(one.relation)
            ))
        }
        Obstacle::Several(other) => also(
            report,
            *other,
            say!("equation-unreached.also-computes-same"),
        )
        .with_help(say!("equation-unreached.help-let-row")),
        Obstacle::Memory(other) => also(report, *other, say!("equation-unreached.also-memory-no"))
            .with_help(say!("equation-unreached.help-equation-differentiated")),
        Obstacle::Solved(other) if *other == one.relation => {
            report.with_help(say!("equation-unreached.help-write-each"))
        }
        Obstacle::Solved(other) => {
            also(report, *other, say!("equation-unreached.also-solves-what"))
                .with_help(say!("equation-unreached.help-write-equations"))
        }
        Obstacle::Clamped(other) => {
            also(report, *other, say!("equation-unreached.also-fixes-what"))
                .with_help(say!("equation-unreached.help-real-integrated"))
        }
        Obstacle::Circle(other) => {
            also(report, *other, say!("equation-unreached.also-read-circle"))
                .with_help(say!("equation-unreached.help-values-follow"))
        }
        Obstacle::Kink(name) => {
            report.with_help(say!("equation-unreached.help-no-derivative", name))
        }
    })
}

/// Bounds of which the lower one is above the other.
pub(in crate::resolve) fn turned_bounds([low, high]: [f64; 2], place: Span) -> Diagnostic {
    let message = say!("equation-turned-bounds", low, high);
    error("P030", message, place).with_help(say!("equation-turned-bounds.help"))
}
