//! Rows that are solved, where no solution was found, become reports.

use situ_engine::ids::RelationId;
use situ_engine::model::Model;

use super::numbers::{number, rounded};
use super::{Diagnostic, Severity};
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
    let at = number(rounded(time));
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
