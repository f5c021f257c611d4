//! Rows that are solved, where no solution was found or where a constraint does not hold, become reports.

use situ_engine::ids::{RealId, RelationId};
use situ_engine::model::Model;

use super::numbers::{self, number};
use super::{Diagnostic, Severity};
use crate::print::ModelText;
use crate::source::Origins;

/// Says which rows have no solution at a time.
pub(super) fn unsolved(
    model: &Model,
    origins: &Origins,
    time: f64,
    rows: &[RelationId],
    singular: bool,
) -> Diagnostic {
    let all = || rows.iter().map(|row| &model.relations[row.index()]);
    let targets = all()
        .filter(|row| row.procedure.solves())
        .flat_map(|row| &row.targets);
    let names: Vec<String> = targets
        .map(|real| format!("`{}`", model.reals[real.index()].name))
        .collect();
    let what = match singular {
        true => "no single solution",
        false => "no solution that was found",
    };
    let at = numbers::time(model, time);
    let message = format!(
        "the equations for {} have {what} at time {at}",
        names.join(", ")
    );
    let mut report = Diagnostic::new("R012", Severity::Error, message);
    for (number, row) in all().enumerate() {
        if let Some(span) = origins.get(row.origin) {
            let label = match row.procedure.solves() {
                true => "must hold",
                false => "is in the loop",
            };
            report = match number {
                0 => report.at(span, label),
                _ => report.also(span, label),
            };
        }
    }
    let bounded = all().any(|row| row.bounds().is_some());
    report.with_help(match bounded {
        true => "between the bounds it has one sign: move them, or let a range on what is solved for switch to another row",
        false => {
            "give another start value, bounds (`solve x from 0 to 10: ..`), or a range on what is solved for that \
             switches to another row before"
        }
    })
}

/// Names of the derivatives of an equation.
const ORDERS: [&str; 4] = [
    "",
    "its derivative",
    "its second derivative",
    "its third derivative",
];

/// Says which constraints do not hold at a time.
///
/// `residuals`: rows and equations, with what each of them and its derivatives are off by; `moves`: values that would
/// satisfy them.
pub(super) fn off_constraint<'a>(
    model: &Model,
    origins: &Origins,
    time: f64,
    residuals: impl Iterator<Item = (RelationId, usize, &'a [f64])>,
    moves: &[(RealId, f64)],
) -> Diagnostic {
    let words = ModelText::of(model);
    let at = numbers::time(model, time);
    let mut report = Diagnostic::new("R014", Severity::Error, String::new());
    let mut rows: Vec<RelationId> = Vec::new();
    for (row, equation, residuals) in residuals {
        let Some(constraint) = model.constraint(row, equation) else {
            continue;
        };
        let off = residuals.iter().enumerate().map(|(order, residual)| {
            let what = match order {
                0 => format!("`{}`", words.equation(constraint.kept(model))),
                _ => ORDERS[order.min(ORDERS.len() - 1)].to_owned(),
            };
            format!("{what} is off by {}", number(shortened(*residual)))
        });
        report = report.with_note(off.collect::<Vec<_>>().join(", "));
        if !rows.contains(&row) {
            rows.push(row);
            if let Some(span) = origins.get(model.relations[row.index()].origin) {
                report = match rows.len() {
                    1 => report.at(span, "must hold, and its derivatives as well"),
                    _ => report.also(span, "must hold as well"),
                };
            }
        }
    }
    let ids: Vec<String> = (rows.iter())
        .map(|row| format!("`{}`", model.relations[row.index()].id))
        .collect();
    report.message = match ids.as_slice() {
        [id] => format!("the state is off the constraint of row {id} at time {at}"),
        ids => format!(
            "the state is off the constraints of rows {} at time {at}",
            ids.join(", ")
        ),
    };
    if !moves.is_empty() {
        let values = moves.iter().map(|(real, value)| {
            format!(
                "`{}` = {}",
                model.reals[real.index()].name,
                number(shortened(*value))
            )
        });
        report = report.with_note(format!(
            "it would hold with {}",
            values.collect::<Vec<_>>().join(", ")
        ));
    }
    report.with_help(match time == 0.0 {
        true => "let start values satisfy it: compute one of them from the others, as in `\"y\": \"-sqrt(L^2 - x^2)\"`",
        false => {
            "an event that changes the state must leave it on the constraint: solve for the impulse that does it, \
             `solve J: .. when hit`"
        }
    })
}

/// A number with as many digits as matter to a reader.
fn shortened(value: f64) -> f64 {
    format!("{value:.6e}").parse().unwrap_or(value)
}
