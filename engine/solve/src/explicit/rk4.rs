//! The classical Runge-Kutta method with a Hermite cubic as dense output.

use super::tableau::{At, MOST_LEVELS, Rows, SumKind, Sums, Tableau};
use crate::about::{About, Steps};
use crate::dense::cubic;
use crate::method::Method;
use crate::step::Failure;

#[derive(Clone, Debug, Default)]
pub(crate) struct Rk4;

/// Weights of the stages.
const B: [f64; 4] = [1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0];

impl Tableau for Rk4 {
    const METHOD: Method = Method::Rk4;
    const ABOUT: About = About {
        name: "rk4",
        about: "the classical Runge-Kutta method",
        order: 4,
        dense_order: 3,
        dense_degree: 3,
        steps: Steps::Fixed,
        stiff: false,
        source: "W. Kutta, Zeitschrift fuer Mathematik und Physik 46 (1901) 435",
        others: &[],
    };
    const STAGES: usize = 4;
    const ESTIMATES: usize = 0;
    const FROM_ZERO: bool = true;

    #[inline(always)]
    fn stages<R: Rows>(rows: &mut R) -> Result<(), Failure> {
        rows.stage(2, At::Part(0.5), &[0.5], [1])?;
        rows.stage(3, At::Part(0.5), &[0.5], [2])?;
        rows.stage(4, At::End, &[1.0], [3])
    }

    #[inline(always)]
    fn end<S: Sums>(sums: &mut S) {
        sums.sum(0, SumKind::State, &B, [1, 2, 3, 4]);
    }

    #[inline(always)]
    fn polynomial(h: f64, ends: [f64; 4], _: [f64; MOST_LEVELS], into: &mut [f64]) {
        into.copy_from_slice(&cubic(h, ends));
    }
}
