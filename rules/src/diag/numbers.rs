//! Numbers and times as reports show them.

use situ_engine::model::Model;

/// The shortest decimal that reads back to the same bits; very large and very small numbers with
/// an exponent.
pub(super) fn number(value: f64) -> String {
    let plain = value == 0.0 || !value.is_finite() || (1e-5..1e16).contains(&value.abs());
    if plain {
        format!("{value}")
    } else {
        format!("{value:e}")
    }
}

/// A time or a length of time of a model's run, with its unit if the clock states one.
pub(super) fn time(model: &Model, time: f64) -> String {
    let shown = number(rounded(time));
    match model.clock.time_unit() {
        "" => shown,
        unit => format!("{shown} {unit}"),
    }
}

/// Without the last digits, in which `tick * step` may be off.
pub(super) fn rounded(time: f64) -> f64 {
    format!("{time:.11e}")
        .parse()
        .expect("a formatted number reads back")
}
