//! Faults of a run become reports: the row underlined, with the values that it met.

use situ_engine::model::{Argument, Model};
use situ_engine::procedure::{Body, Memory};
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

/// Warns of every delay that is not a whole number of ticks and is rounded to one.
///
/// Shapes: `step`, the length of a tick [units of `time`].
pub fn rounded_delays(model: &Model, origins: &Origins, step: f64) -> Vec<Diagnostic> {
    /// Relative distance from a whole number of ticks that is rounding of numbers only.
    const WHOLE: f64 = 1e-9;
    let mut found = Vec::new();
    let Ok(starts) = model.start_values() else {
        return found;
    };
    for row in &model.relations {
        let is_delay = matches!(row.procedure.get().body, Body::Memory(Memory::Delay));
        let (true, Some(Argument::Real(tau))) = (is_delay, row.args.get(1)) else {
            continue;
        };
        let tau = model.evaluate(*tau, &starts);
        let ticks = tau / step;
        let whole = ticks.round();
        if ticks.is_finite() && (ticks - whole).abs() > WHOLE * whole.abs().max(1.0) {
            let used = number(rounded(whole * step));
            let message = format!("the delay of {} is rounded to {used}", number(tau));
            let report = Diagnostic::new("R003", Severity::Warning, message);
            let report = match origins.get(row.origin) {
                Some(span) => report.at(span, format!("lasts whole ticks of {}", number(step))),
                None => report,
            };
            found.push(report.with_help("choose a `step` that divides it"));
        }
    }
    found
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
