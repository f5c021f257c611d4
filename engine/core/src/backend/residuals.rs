//! Equations by their residuals; one of them between bounds -> a change of its sign, and its root there.

use smallvec::{SmallVec, smallvec};

use super::factors::{Factors, Numbers};

/// A bracket of one unknown is halved at most so often: through all numbers of a sign.
const MAX_BISECTIONS: usize = 2200;

/// Pieces of an interval between two bounds in which a change of sign is looked for.
pub(crate) const PIECES: u32 = 64;

/// A root beyond a bound by no larger part of the distance of both bounds is at the bound: the instants at which a solution
/// reaches it are found with rounding errors.
const BESIDE: f64 = 1e-9;

/// Equations in as many unknowns.
pub(crate) trait Equations {
    /// The residuals.
    ///
    /// Shapes: `x`, `residuals`: one entry per unknown. Values that are not finite are allowed.
    fn residuals(&mut self, x: &[f64], residuals: &mut [f64]);

    /// The derivatives of all residuals by all unknowns, row by row. `x` is where residuals were asked for last.
    fn jacobian(&mut self, x: &[f64], matrix: &mut [f64]);

    /// Factors of the matrix of these derivatives; `None` if it is singular up to rounding.
    fn factors(&mut self, x: &[f64]) -> Option<Factors> {
        self.dense_factors(x)
    }

    /// The same of the whole matrix, zeros included.
    fn dense_factors(&mut self, x: &[f64]) -> Option<Factors> {
        let mut matrix: Numbers = smallvec![0.0; x.len() * x.len()];
        self.jacobian(x, &mut matrix);
        Factors::of(matrix, x.len())
    }

    /// True if the residuals at `x`, asked for last, are rounding errors of their computation.
    fn is_rounding(&mut self, x: &[f64]) -> bool;

    /// True if there are kinks in the residuals, so that they are smooth on pieces only.
    fn has_kinks(&self) -> bool {
        false
    }

    /// True if residuals at two places are on the same piece.
    fn are_on_one_piece(&mut self, _: [&[f64]; 2]) -> bool {
        true
    }
}

/// Why no solution was found.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Unsolved {
    /// The derivatives by the unknowns are a singular matrix, or not finite.
    Singular,
    /// No step leads nearer, or too many were taken.
    NotFound,
    /// The residuals are not finite where the search begins.
    NotFinite,
    /// The residual has one sign between the bounds: its values at the lower and at the upper one.
    NoneBetween([f64; 2]),
}

/// The residual of one equation; infinite ones have a sign.
fn residual(equations: &mut impl Equations, x: f64) -> f64 {
    let mut value = [0.0];
    equations.residuals(&[x], &mut value);
    value[0]
}

/// The nearest places around `from` between which the residual of one unknown changes its sign.
fn sign_change(
    equations: &mut impl Equations,
    from: f64,
    [low, high]: [f64; 2],
) -> Result<[(f64, f64); 2], Unsolved> {
    let width = high - low;
    let mut places: SmallVec<[f64; 64]> = (0..=PIECES)
        .map(|piece| low + width * (f64::from(piece) / f64::from(PIECES)))
        .collect();
    places.push(from);
    // Near a bound at which there is no value there may be one.
    for power in 4..30 {
        let inward = width * 2.0_f64.powi(-2 * power);
        places.extend([low + inward, high - inward]);
    }
    places.retain(|place| (low..=high).contains(place));
    places.sort_unstable_by(f64::total_cmp);
    places.dedup();
    let values: SmallVec<[(f64, f64); 64]> = places
        .iter()
        .map(|&place| (place, residual(equations, place)))
        .filter(|(_, value)| !value.is_nan())
        .collect();
    let changes = values
        .windows(2)
        .filter(|pair| (pair[0].1 > 0.0) != (pair[1].1 > 0.0) || pair[1].1 == 0.0);
    let away = |pair: &&[(f64, f64)]| (pair[0].0 - from).max(from - pair[1].0);
    match changes.min_by(|a, b| away(a).total_cmp(&away(b))) {
        Some(pair) => Ok([pair[0], pair[1]]),
        None => {
            let beside = [(low, low - BESIDE * width), (high, high + BESIDE * width)];
            for (bound, beyond) in beside {
                let at = [bound, beyond].map(|x| residual(equations, x));
                let [least, most] = [at[0].min(at[1]), at[0].max(at[1])];
                if at[0].is_finite() && at[1].is_finite() && least <= 0.0 && most >= 0.0 {
                    return Ok([(bound, 0.0); 2]);
                }
            }
            let ends = [values.first(), values.last()].map(|end| end.map_or(f64::NAN, |(_, v)| *v));
            Err(Unsolved::NoneBetween(ends))
        }
    }
}

/// A root of one equation between bounds, by Newton steps where they stay in the bracket and by halving elsewhere.
pub(super) fn bracket(
    equations: &mut impl Equations,
    from: f64,
    bounds: [f64; 2],
) -> Result<f64, Unsolved> {
    let [mut left, mut right] = sign_change(equations, from, bounds)?;
    if left.1 == 0.0 {
        return Ok(left.0);
    }
    let mut x = 0.5 * (left.0 + right.0);
    let mut width = right.0 - left.0;
    for _ in 0..MAX_BISECTIONS {
        let value = residual(equations, x);
        if value == 0.0 || value.is_nan() {
            break;
        }
        let mut slope = [0.0];
        equations.jacobian(&[x], &mut slope);
        if (value > 0.0) == (left.1 > 0.0) {
            left = (x, value);
        } else {
            right = (x, value);
        }
        let next = x - value / slope[0];
        let inside = left.0 < next && next < right.0;
        let shrinks = right.0 - left.0 <= 0.5 * width;
        if inside && (next - x).abs() <= 4.0 * f64::EPSILON * x.abs() {
            return Ok(x);
        }
        width = right.0 - left.0;
        let middle = 0.5 * (left.0 + right.0);
        if middle <= left.0 || middle >= right.0 {
            break;
        }
        x = if inside && shrinks { next } else { middle };
    }
    let value = residual(equations, x);
    if value == 0.0 || equations.is_rounding(&[x]) {
        return Ok(x);
    }
    // A change of sign across neighbours is a root only if the residual does not jump there.
    let jumps = left.1.abs().min(right.1.abs()) > 1e-3 * left.1.abs().max(right.1.abs());
    let finite = left.1.is_finite() && right.1.is_finite();
    if finite && !(jumps && left.1.abs().min(right.1.abs()) > 1e-6) {
        Ok(x)
    } else {
        Err(Unsolved::NotFound)
    }
}
