//! Numbers with a running bound of their rounding error.

use super::jet::unary;
use super::{Jet, Scalar, Value};
use crate::tape::{Code, Op, Shape};
use situ_solve::lookup::{Handle, Pieces, Spline};

/// A series with a bound of the rounding error of each coefficient, to first order.
///
/// Source: running error analysis, N. Higham, Accuracy and Stability of Numerical Algorithms, 3.3;
/// the share that operands contribute is found by moving them by their bounds.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct RunningError<const N: usize, S = f64> {
    pub(crate) series: Jet<N, S>,
    pub(crate) bound: [S; N],
}

/// Executes ops on numbers with rounding bounds.
pub(crate) fn run_bounded(ops: &[Op], slots: &mut [RunningError<1>]) {
    for op in ops {
        let [old, a, b] = [op.out, op.a, op.b].map(|slot| slots[slot as usize]);
        slots[op.out as usize] = RunningError::apply(op.code, old, a, b);
    }
}

fn size<S: Scalar>(a: S) -> S {
    unary(Code::Abs, a)
}

/// The spline of the sizes of the terms of which a lookup is a sum.
fn terms(code: Code, lookup: impl Value) -> Option<Handle> {
    match code {
        Code::Lookup => lookup.number().and_then(Pieces::of).map(Pieces::sizes),
        Code::Spline => lookup.number().and_then(Spline::of).map(Spline::sizes),
        _ => None,
    }
}

impl<const N: usize, S: Scalar> RunningError<N, S> {
    /// A series known up to the rounding of its coefficients.
    pub(crate) fn rounded(series: Jet<N, S>) -> Self {
        Self {
            series,
            bound: series.0.map(|c| size(c).times(S::number(f64::EPSILON))),
        }
    }

    fn moved(self) -> Jet<N, S> {
        Jet(std::array::from_fn(|k| {
            self.series.0[k].plus(self.bound[k])
        }))
    }
}

impl<const N: usize, S: Scalar> Value for RunningError<N, S> {
    fn constant(value: f64) -> Self {
        Self::rounded(Jet::constant(value))
    }

    fn number(self) -> Option<f64> {
        self.series.number()
    }

    fn apply(code: Code, old: Self, a: Self, b: Self) -> Self {
        let series = Jet::apply(code, old.series, a.series, b.series);
        let far_from =
            |moved: Jet<N, S>, from: Jet<N, S>| moved.zip(from, |moved, c| size(moved.minus(c)));
        let far = |moved| far_from(moved, series);
        let shape = code.shape();
        let mut bound = far(Jet::apply(code, old.series, a.moved(), b.series));
        if shape == Shape::Update {
            bound = far(Jet::apply(code, old.moved(), a.series, b.series)).add(bound);
        }
        if code == Code::Pow {
            // A negative base has whole exponents: moved, they would give no number.
            let base = a.series.upright();
            let power = |exponent| Jet::apply(code, old.series, base, exponent);
            let by_exponent = far_from(power(b.moved()), power(b.series));
            bound = match b.series.multiplied() {
                // The slopes of a product have no exponents.
                Some(_) => bound.add(Jet::constant(0.0).with_value(by_exponent.0[0])),
                None => bound.add(by_exponent),
            };
        } else if shape != Shape::Unary && !code.names_lookup() && code != Code::PowerBase {
            bound = bound.add(far(Jet::apply(code, old.series, a.series, b.moved())));
        }
        let Jet(mut bound) = bound.add(Jet(Self::rounded(series).bound));
        // The terms of a lookup may be far larger than their sum.
        if let Some(sizes) = terms(code, b) {
            let terms = S::of(Code::Spline, a.series.0[0], a.series.0[0], S::number(sizes));
            bound[0] = bound[0].plus(size(terms).times(S::number(f64::EPSILON)));
        }
        Self { series, bound }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bound_of_power(base: [f64; 3], exponent: f64) -> [f64; 3] {
        let [base, exponent] = [Jet(base), Jet::constant(exponent)].map(RunningError::rounded);
        RunningError::apply(Code::Pow, base, base, exponent).bound
    }

    #[test]
    fn powers_of_what_moves_have_rounding_bounds() {
        for (base, exponent) in [
            (3.0, 2.0),
            (-3.0, 3.0),
            (0.0, 2.0),
            (3.0, 2.5),
            (-3.0, -1.0),
        ] {
            let bounds = bound_of_power([base, -0.8, 0.1], exponent);
            let fits = |bound: &f64| (0.0..1e-12).contains(bound);
            assert!(bounds.iter().all(fits), "{base}^{exponent}: {bounds:?}");
        }
    }

    #[test]
    fn a_root_that_begins_has_no_rounding_bound() {
        let [_, slope, _] = bound_of_power([0.0, 1.0, 0.0], 0.5);
        assert!(!slope.is_finite());
    }
}
