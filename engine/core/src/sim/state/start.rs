//! Conditions on every run before its first tick or step: start values that are numbers, periods that
//! are positive.

use crate::model::{Model, Schedule, StartValues};
use crate::sim::SetupError;

///
/// # Errors
///
/// A start value is not finite.
pub(in crate::sim) fn check_start(model: &Model, values: &StartValues) -> Result<(), SetupError> {
    let named = model.constants.iter().zip(&values.constants);
    for (quantity, &value) in named.chain(model.reals.iter().zip(&values.reals)) {
        if !value.is_finite() {
            return Err(SetupError::StartNotFinite {
                name: quantity.name.clone(),
                value,
                origin: quantity.origin,
            });
        }
    }
    Ok(())
}

///
/// # Errors
///
/// The period is not positive, or there is no first time.
pub(in crate::sim) fn check_period(
    length: f64,
    first: f64,
    schedule: &Schedule,
) -> Result<(), SetupError> {
    if length > 0.0 && length.is_finite() && first.is_finite() {
        return Ok(());
    }
    Err(SetupError::BadInterval {
        what: "every",
        value: length,
        origin: schedule.origin,
    })
}
