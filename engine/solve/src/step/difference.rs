//! Derivatives of a system that has none of its own, by forward differences.

use super::{Counted, Linearisation, Start, all_finite};
use crate::system::{Refusal, System};

/// Fills Jacobian and time derivative by differences of the right-hand side.
///
/// The increment is sqrt(eps) of the component's size, and its sign is turned where the system
/// refuses the first choice.
///
/// # Errors
///
/// [`Refusal`] if both signs are refused.
/// Cost: one evaluation for each component and one for the time; no allocation.
pub(crate) fn linearise<S: System>(
    system: &mut Counted<'_, S>,
    t: f64,
    start: &Start<'_>,
    into: &mut Linearisation,
) -> Result<(), Refusal> {
    let increment = |column: usize| {
        let size = start.y[column]
            .abs()
            .max(start.atol[column])
            .max(f64::MIN_POSITIVE);
        f64::EPSILON.sqrt() * size
    };
    linearise_by(system, t, start, into, increment)
}

/// The same with increments of the size of the tolerances: slopes where the exact ones are infinite, at the edge of a
/// root, are those of what a tolerance more or less makes of the state.
///
/// Errors, cost: as there.
pub(crate) fn linearise_coarsely<S: System>(
    system: &mut Counted<'_, S>,
    t: f64,
    start: &Start<'_>,
    into: &mut Linearisation,
) -> Result<(), Refusal> {
    linearise_by(system, t, start, into, |column| start.scale(column))
}

fn linearise_by<S: System>(
    system: &mut Counted<'_, S>,
    t: f64,
    start: &Start<'_>,
    into: &mut Linearisation,
    increment: impl Fn(usize) -> f64,
) -> Result<(), Refusal> {
    let n = start.y.len();
    let (shifted, quotient) = into.scratch.split_at_mut(n);
    shifted.copy_from_slice(start.y);
    for column in 0..n {
        with_either_sign(increment(column), |increment| {
            shifted[column] = start.y[column] + increment;
            let exact_increment = shifted[column] - start.y[column];
            system.rhs(t, shifted, quotient)?;
            if !all_finite(quotient) {
                return Err(Refusal::Outside);
            }
            for (q, f) in quotient.iter_mut().zip(start.f) {
                *q = (*q - f) / exact_increment;
            }
            Ok(())
        })?;
        shifted[column] = start.y[column];
        match &into.pattern {
            None => {
                for row in 0..n {
                    into.jacobian[row * n + column] = quotient[row];
                }
            }
            Some(pattern) => {
                for row in 0..n {
                    if let Some((entry, _)) = pattern.row(row).find(|&(_, c)| c == column) {
                        into.jacobian[entry] = quotient[row];
                    }
                }
            }
        }
    }
    with_either_sign(f64::EPSILON.sqrt() * t.abs().max(1e-3), |increment| {
        let later = t + increment;
        system.rhs(later, start.y, quotient)?;
        for ((out, q), f) in into.df_dt.iter_mut().zip(quotient.iter()).zip(start.f) {
            *out = (q - f) / (later - t);
        }
        Ok(())
    })
}

fn with_either_sign(
    increment: f64,
    mut try_with: impl FnMut(f64) -> Result<(), Refusal>,
) -> Result<(), Refusal> {
    match try_with(increment) {
        Err(Refusal::Outside) => try_with(-increment),
        done => done,
    }
}
