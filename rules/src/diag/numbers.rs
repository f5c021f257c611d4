//! Numbers as reports show them.

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

/// Without the last digits, in which `tick * step` may be off.
pub(super) fn rounded(time: f64) -> f64 {
    format!("{time:.11e}")
        .parse()
        .expect("a formatted number reads back")
}
