//! Delays that read the future, and delays that no step is as short as.

use situ_engine::ids::RelationId;
use situ_engine::model::Model;
use situ_words::say;

use super::{Diagnostic, Severity, numbers};
use crate::source::Origins;

/// A length that is nearer to zero than so much of the time has been found where it falls below.
const LOCATED: f64 = 1e-9;

/// A delay whose length is below zero.
pub(super) fn negative(
    model: &Model,
    origins: &Origins,
    time: f64,
    relation: RelationId,
    tau: f64,
) -> Diagnostic {
    let name = name(model, relation);
    let is_located = -tau < LOCATED * time.abs();
    let [tau, time] = [tau, time].map(|time| numbers::time(model, time));
    let message = match is_located {
        true => say!("run-negative-from", name, time),
        false => say!("run-negative", name, tau, time),
    };
    at_row(model, origins, relation, ("R013", message)).with_help(say!("run-negative.help"))
}

/// A delay whose length is below the resolution of the time.
pub(super) fn short(
    model: &Model,
    origins: &Origins,
    time: f64,
    relation: RelationId,
    tau: f64,
) -> Diagnostic {
    let [tau, time] = [tau, time].map(|time| numbers::time(model, time));
    let message = say!("run-short-delay", name = name(model, relation), tau, time);
    at_row(model, origins, relation, ("R010", message)).with_help(say!("run-short-delay.help"))
}

fn name(model: &Model, relation: RelationId) -> &str {
    let row = &model.relations[relation.index()];
    &model.reals[row.targets[0].index()].name
}

fn at_row(
    model: &Model,
    origins: &Origins,
    relation: RelationId,
    (code, message): (&'static str, String),
) -> Diagnostic {
    let report = Diagnostic::new(code, Severity::Error, message);
    match origins.get(model.relations[relation.index()].origin) {
        Some(span) => report.at(span, ""),
        None => report,
    }
}
