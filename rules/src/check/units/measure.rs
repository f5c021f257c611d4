//! What the value of an expression is in: a unit, a number, or anything.

use super::monomial::Monomial;
use super::unit::read;

/// What an expression is in.
#[derive(Clone, Debug)]
pub(super) enum Measure {
    /// Zero, which fits everything.
    Any,
    /// A number of the table.
    Number(f64),
    /// A unit, times numbers of the table.
    Unit(Monomial, f64),
}

/// A unit as it is stated; none fits everything.
pub(super) fn stated(text: &str) -> Measure {
    read(text).map_or(Measure::Any, |read| Measure::Unit(read.unit, 1.0))
}

/// `left * right ^ power`, where the power is 1 or -1.
pub(super) fn times(left: Measure, right: Measure, power: f64) -> Measure {
    match (left, right) {
        (Measure::Any, _) | (_, Measure::Any) => Measure::Any,
        (Measure::Number(a), Measure::Number(b)) => Measure::Number(a * b.powf(power)),
        (Measure::Number(a), Measure::Unit(unit, factor)) => {
            Measure::Unit(unit.to_the(power), a * factor.powf(power))
        }
        (Measure::Unit(unit, factor), Measure::Number(b)) => {
            Measure::Unit(unit, factor * b.powf(power))
        }
        (Measure::Unit(a, x), Measure::Unit(b, y)) => {
            Measure::Unit(a.times(&b, power), x * y.powf(power))
        }
    }
}
