//! Explicit Euler with its polygon as dense output.

use super::tableau::{MOST_LEVELS, Rows, SumKind, Sums, Tableau};
use crate::about::{About, Steps};
use crate::method::Method;
use crate::step::Failure;

#[derive(Clone, Debug, Default)]
pub(crate) struct Euler;

impl Tableau for Euler {
    const METHOD: Method = Method::Euler;
    const ABOUT: About = About {
        name: "euler",
        about: "explicit Euler, the limit case that the tick run resembles",
        order: 1,
        dense_order: 1,
        dense_degree: 1,
        steps: Steps::Fixed,
        stiff: false,
        source: "L. Euler, Institutiones calculi integralis, 1768",
        others: &[],
    };
    const STAGES: usize = 1;
    const ESTIMATES: usize = 0;
    const FROM_ZERO: bool = true;

    #[inline(always)]
    fn stages<R: Rows>(_rows: &mut R) -> Result<(), Failure> {
        Ok(())
    }

    #[inline(always)]
    fn end<S: Sums>(sums: &mut S) {
        sums.sum(0, SumKind::State, &[1.0], [1]);
    }

    #[inline(always)]
    fn polynomial(h: f64, [y0, f0, ..]: [f64; 4], _: [f64; MOST_LEVELS], into: &mut [f64]) {
        into.copy_from_slice(&[y0, h * f0]);
    }
}
