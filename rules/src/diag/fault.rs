//! Faults of a run become reports: the row underlined, with the values that it met.

use situ_engine::model::Model;
use situ_engine::sim::RunFault;

use super::{Diagnostic, Severity};
use crate::source::Origins;

/// Says why a run stopped before its end.
pub fn fault(fault: &RunFault, model: &Model, origins: &Origins) -> Diagnostic {
    match fault {
        RunFault::NotFinite {
            tick,
            time,
            relation,
            real,
            value,
            reals,
            constants,
        } => {
            let row = &model.relations[relation.index()];
            let name = &model.reals[real.index()].name;
            let became = if value.is_nan() {
                "no number"
            } else {
                "infinite"
            };
            let message = format!("`{name}` becomes {became} in tick {tick}, at time {time}");
            let mut report = Diagnostic::new("R001", Severity::Error, message);
            if let Some(span) = origins.get(row.origin) {
                report = report.at(span, format!("gives {value}"));
            }
            let reals = reals
                .iter()
                .map(|(id, value)| (&model.reals[id.index()].name, value));
            let constants = constants
                .iter()
                .map(|(id, value)| (&model.constants[id.index()].name, value));
            let read: Vec<String> = reals
                .chain(constants)
                .map(|(name, value)| format!("`{name}` = {value}"))
                .collect();
            if !read.is_empty() {
                report = report.with_note(format!("it read {}", read.join(", ")));
            }
            report
        }
    }
}
