//! Conditions on every run before its first tick or step: start values that are numbers, periods that
//! are positive, time constants that are not negative.

use crate::backend::history::Before;
use crate::ids::Origin;
use crate::model::{Model, Schedule, StartValues};
use crate::procedure::{Body, Memory};
use crate::sim::SetupError;

/// A smoothing with the time constant 0 has a value in a tick, and no rate in exact time.
///
/// # Errors
///
/// A start value is not finite, or makes another model; a time constant is negative, or 0 in exact time.
pub(in crate::sim) fn check_start(
    model: &Model,
    values: &StartValues,
    is_exact: bool,
) -> Result<(), SetupError> {
    model.keeps_shape(values).map_err(SetupError::Start)?;
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
    for relation in &model.relations {
        let Body::Memory(Memory::Smoothing) = relation.procedure.get().body else {
            continue;
        };
        let constant = relation.coef.value(&values.constants);
        if constant < 0.0 || is_exact && constant == 0.0 {
            return Err(SetupError::BadInterval {
                what: "smoothing",
                value: constant,
                origin: relation.origin,
            });
        }
    }
    Ok(())
}

/// Shapes: `span`: how far back it is read [units of `time`].
///
/// # Errors
///
/// What a delay took in before the start is not finite.
pub(in crate::sim) fn check_past(
    before: &Before,
    span: f64,
    origin: Origin,
) -> Result<(), SetupError> {
    let function = before.function();
    match function.and_then(|function| function.undefined(-span, 0.0)) {
        None => Ok(()),
        Some(time) => Err(SetupError::PastNotFinite { time, origin }),
    }
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
