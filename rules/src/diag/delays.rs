//! Delays that read the future.

use situ_engine::ids::RelationId;
use situ_engine::model::Model;
use situ_words::say;

use super::{Diagnostic, Severity, numbers};
use crate::source::Origins;

/// A delay whose length is below zero.
pub(super) fn negative(
    model: &Model,
    origins: &Origins,
    time: f64,
    relation: RelationId,
    tau: f64,
) -> Diagnostic {
    let row = &model.relations[relation.index()];
    let name = &model.reals[row.targets[0].index()].name;
    let [tau, time] = [tau, time].map(|time| numbers::time(model, time));
    let message = say!("run-negative", name, tau, time);
    let report = Diagnostic::new("R013", Severity::Error, message);
    let report = match origins.get(row.origin) {
        Some(span) => report.at(span, ""),
        None => report,
    };
    report.with_help(say!("run-negative.help"))
}
