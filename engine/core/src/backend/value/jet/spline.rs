//! Series of splines.

use super::{Jet, Scalar, order};
use crate::backend::value::Value;
use crate::tape::Code;
use situ_solve::lookup;

impl<const N: usize, S: Scalar> Jet<N, S> {
    /// A spline of it: the powers of its distance from where it is, weighted with the derivatives there.
    pub(super) fn spline(self, named: Self) -> Self {
        let value = |handle: f64| S::of(Code::Spline, self.0[0], self.0[0], S::number(handle));
        let Some(mut handle) = named.0[0].exactly() else {
            return Self([S::unknown(); N]);
        };
        let way = self.with_value(S::number(0.0));
        let mut power = Self::constant(1.0);
        let mut series = Self::constant(0.0);
        for k in 1..N.min(4) {
            handle = match lookup::Spline::of(handle) {
                Some(spline) => spline.derivative(),
                None => f64::NAN,
            };
            power = power.mul(way);
            // Divided by k!, for k up to 3.
            let weight = value(handle).over(order(if k == 3 { 6 } else { k }));
            series = series.add(Self(power.0.map(|c| weight.times(c))));
        }
        series.with_value(S::of(Code::Spline, self.0[0], self.0[0], named.0[0]))
    }
}
