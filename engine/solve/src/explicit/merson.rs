//! Merson's explicit method of order 4 with stability control, as in STEKS of the system ISMA: the step is bounded by
//! the error and by `h |lambda| <= 3.5`, with an estimate of the largest eigenvalue from the stages.
//!
//! Where stability and not the error limits the step, an explicit method without this control goes on by rejected
//! steps: their error estimates see the eigenvalue only when it has already spoilt the solution. The bound limits the
//! growth of a step and never shortens one, since estimates are rough (E. A. Novikov, Explicit methods for stiff
//! systems, 1997).
//!
//! The estimate compares the derivatives at two points at the end of the step, the state and the argument of the last
//! stage. Their difference is what the fourth power of the Jacobian does to the solution, so that the stiffest
//! components prevail in it. Against the quotient of the first stages, `6 max |(k3 - k2) / (k2 - k1)|` component by
//! component, on heat conduction in 1000 cells up to t = 0.005, in a loop of its own at tolerances 1e-4 to 1e-8: 0 or 1
//! rejected steps for 158 to 317, as many evaluations. On Van der Pol's oscillator and HIRES the evaluations differ by
//! less than 6 percent, in either direction.
//!
//! The stability polynomial `1 + z + z^2/2 + z^3/6 + z^4/24 + z^5/144` is bounded by 1 on the real axis down to -3.55.
//! The error estimate is of order 5 where rates are linear, else of order 4. No combination of the stages is a dense
//! output of order 4 (what is left over is theta^2 (1 - theta)^2 / 24 times two differentials): one further stage on the cubic
//! through both ends gives it.

use super::tableau::{At, MOST_LEVELS, Rows, SumKind, Sums, Tableau};
use crate::about::{About, Steps};
use crate::dense::hermite_with_bow_at;
use crate::method::Method;
use crate::step::Failure;
use crate::step::control::{ControllerKind, StepController};

#[derive(Clone, Debug, Default)]
pub(crate) struct Merson;

impl Tableau for Merson {
    const METHOD: Method = Method::Merson;
    const ABOUT: About = About {
        name: "merson",
        about: "explicit method of order 4 by Merson with stability control, for mildly stiff problems",
        order: 4,
        dense_order: 4,
        dense_degree: 4,
        steps: Steps::Adaptive,
        stiff: false,
        source: "R. H. Merson, Proc. Symp. Data Processing, Salisbury, 1957; control: E. A. Novikov, 1997",
        others: &["steks"],
    };
    const CONTROLLER: Option<StepController> = Some(StepController {
        power: 4.0,
        kind: ControllerKind::Pi {
            alpha: 0.175,
            beta: 0.1,
        },
        safety: 0.9,
        grow: 5.0,
        shrink: 0.2,
        first: 300.0,
    });
    const STAGES: usize = 5;
    const MORE_STAGES: usize = 1;
    const LEVELS: usize = 1;
    /// A little shortened.
    const STABLE: Option<f64> = Some(3.5);
    const CONTROLS_STABILITY: bool = true;

    #[inline(always)]
    fn stages<R: Rows>(rows: &mut R) -> Result<(), Failure> {
        rows.stage(2, At::Part(1.0 / 3.0), &[1.0 / 3.0], [1])?;
        rows.stage(3, At::Part(1.0 / 3.0), &[1.0 / 6.0, 1.0 / 6.0], [1, 2])?;
        rows.stage(4, At::Part(0.5), &[0.125, 0.375], [1, 3])?;
        rows.stage(5, At::End, &[0.5, -1.5, 2.0], [1, 3, 4])
    }

    #[inline(always)]
    fn end<S: Sums>(sums: &mut S) {
        sums.sum(0, SumKind::State, &B, [1, 4, 5]);
    }

    #[inline(always)]
    fn estimates<S: Sums>(sums: &mut S) {
        const E: [f64; 4] = [1.0 / 15.0, -0.3, 4.0 / 15.0, -1.0 / 30.0];
        sums.sum(0, SumKind::Whole, &E, [1, 3, 4, 5]);
    }

    #[inline(always)]
    fn more_stages<R: Rows>(rows: &mut R) -> Result<(), Failure> {
        rows.stage(7, At::Part(INSIDE), &CUBIC, [1, 4, 5, 6])
    }

    #[inline(always)]
    fn levels<S: Sums>(sums: &mut S) {
        sums.sum(0, SumKind::LessFirst, &BOW, [4, 5, 6, 7]);
    }

    #[inline(always)]
    fn polynomial(h: f64, ends: [f64; 4], [bow, ..]: [f64; MOST_LEVELS], into: &mut [f64]) {
        into.copy_from_slice(&hermite_with_bow_at(h, ends, bow));
    }
}

/// Weights of the end.
const B: [f64; 3] = [1.0 / 6.0, 2.0 / 3.0, 1.0 / 6.0];

/// Place of the stage of the dense output: (1 - 1 / sqrt 3) / 2, where the derivative of theta^2 (1 - theta)^2 is largest.
const INSIDE: f64 = 0.211_324_865_405_187_13;

/// The cubic through both ends there: weights of the stages 1, 4, 5 and of the derivative at the end.
const CUBIC: [f64; 4] = {
    let (theta, rest) = (INSIDE, 1.0 - INSIDE);
    let rise = theta * theta * (3.0 - 2.0 * theta);
    [
        theta * rest * rest + rise * B[0],
        rise * B[1],
        rise * B[2],
        -theta * theta * rest,
    ]
};

/// Weights of the stages 4, 5, 6 and 7, each less the first, in the coefficient of theta^2 (1 - theta)^2: the derivative
/// inside less that of the cubic.
const BOW: [f64; 4] = {
    let (theta, rest) = (INSIDE, 1.0 - INSIDE);
    let rise = 6.0 * theta * rest;
    let slope = 2.0 * theta * rest * (1.0 - 2.0 * theta);
    [
        -rise * B[1] / slope,
        -rise * B[2] / slope,
        theta * (2.0 - 3.0 * theta) / slope,
        1.0 / slope,
    ]
};
