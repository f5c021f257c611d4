//! Faults of a run become reports: the row underlined, with the values that it met.

use situ_engine::model::Model;
use situ_engine::sim::{RunFault, SetupError};

use super::{Diagnostic, Severity};
use crate::source::Origins;

/// Says why a run cannot start.
pub fn setup_error(error: &SetupError, origins: &Origins) -> Diagnostic {
    let report = Diagnostic::new("R002", Severity::Error, error.to_string());
    let span = error.origin().and_then(|origin| origins.get(origin));
    let report = match span {
        Some(span) => report.at(span, ""),
        None => report,
    };
    match error {
        SetupError::Start(_) => report,
        SetupError::StartNotFinite { .. } => {
            report.with_help("look at the constants and starts that it is computed from")
        }
        SetupError::BadInterval { what: "every", .. } => report.with_help("a period is above zero"),
        SetupError::BadInterval { .. } => report.with_help("a delay is zero or above"),
        SetupError::DelayTooLong { .. } => {
            report.with_help("each tick of a delay is kept in memory: use a longer `step`")
        }
    }
}

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
            let time = number(rounded(*time));
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
                .map(|(name, value)| format!("`{name}` = {}", number(*value)))
                .collect();
            if !read.is_empty() {
                report = report.with_note(format!("it read {}", read.join(", ")));
            }
            report
        }
    }
}

/// The shortest decimal that reads back to the same bits; very large and very small numbers with
/// an exponent.
fn number(value: f64) -> String {
    let plain = value == 0.0 || !value.is_finite() || (1e-5..1e16).contains(&value.abs());
    if plain {
        format!("{value}")
    } else {
        format!("{value:e}")
    }
}

/// Without the last digits, in which `tick * step` may be off.
fn rounded(time: f64) -> f64 {
    format!("{time:.11e}")
        .parse()
        .expect("a formatted number reads back")
}
