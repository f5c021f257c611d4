//! Tsitouras' explicit 5(4) pair: seven stages of which the last is the first of the next step,
//! free dense output of order 4, and a free measure of stiffness.
//!
//! Chosen against Dormand and Prince's 5(4) pair in the same loop: over five problems (pendulum,
//! Brusselator, Arenstorf's orbit, Lorenz, a forced linear one) at tolerances 1e-4 to 1e-10 it took
//! 0.79 of the evaluations for the same error in the geometric mean (0.53 to 1.34).
//!
//! The numbers are given to double precision. The last digits of a54, a65, b1 and b2 are chosen such that the
//! row sums and the conditions of order 1 and 2 hold in doubles: with the printed digits the energy of a bouncing ball drifts by
//! 3e-14 a step. A test holds the order conditions of the method, its error estimate and its dense
//! output.

use super::tableau::{At, MOST_LEVELS, Rows, SumKind, Sums, Tableau};
use crate::about::{About, Steps};
use crate::dense::hermite_with_bow_at;
use crate::method::Method;
use crate::step::Failure;
use crate::step::control::{ControllerKind, StepController};

#[derive(Clone, Debug, Default)]
pub(crate) struct Tsit5;

impl Tableau for Tsit5 {
    const METHOD: Method = Method::Tsit5;
    const ABOUT: About = About {
        name: "tsit5",
        about: "explicit 5(4) pair by Tsitouras, for problems that are not stiff",
        order: 5,
        dense_order: 4,
        dense_degree: 4,
        steps: Steps::Adaptive,
        stiff: false,
        source: "C. Tsitouras, Computers and Mathematics with Applications 62 (2011) 770",
        others: &["rk45", "ode45", "dopri5"],
    };
    const CONTROLLER: Option<StepController> = Some(StepController {
        power: 5.0,
        kind: ControllerKind::Pi {
            alpha: 0.14,
            beta: 0.08,
        },
        safety: 0.9,
        grow: 10.0,
        shrink: 0.2,
        first: 100.0,
    });
    const STAGES: usize = 6;
    const LEVELS: usize = 1;
    /// A little shortened.
    const STABLE: Option<f64> = Some(3.3);

    #[inline(always)]
    fn stages<R: Rows>(rows: &mut R) -> Result<(), Failure> {
        rows.stage(2, At::Part(C[0]), &A2, [1])?;
        rows.stage(3, At::Part(C[1]), &A3, [1, 2])?;
        rows.stage(4, At::Part(C[2]), &A4, [1, 2, 3])?;
        rows.stage(5, At::Part(C[3]), &A5, [1, 2, 3, 4])?;
        rows.stage(6, At::End, &A6, [1, 2, 3, 4, 5])
    }

    #[inline(always)]
    fn end<S: Sums>(sums: &mut S) {
        sums.sum(0, SumKind::State, &B, [1, 2, 3, 4, 5, 6]);
    }

    #[inline(always)]
    fn estimates<S: Sums>(sums: &mut S) {
        sums.sum(0, SumKind::Whole, &E, [1, 2, 3, 4, 5, 6, 7]);
    }

    #[inline(always)]
    fn levels<S: Sums>(sums: &mut S) {
        sums.sum(0, SumKind::LessFirst, &DENSE, [2, 3, 4, 5, 6, 7]);
    }

    #[inline(always)]
    fn polynomial(h: f64, ends: [f64; 4], [bow, ..]: [f64; MOST_LEVELS], into: &mut [f64]) {
        into.copy_from_slice(&hermite_with_bow_at(h, ends, bow));
    }
}

const C: [f64; 4] = [0.161, 0.327, 0.9, 0.9800255409045097];

const A2: [f64; 1] = [0.161];
const A3: [f64; 2] = [-0.008480655492356989, 0.335480655492357];
const A4: [f64; 3] = [2.8971530571054935, -6.359448489975075, 4.3622954328695815];
const A5: [f64; 4] = [
    5.325864828439257,
    -11.748883564062828,
    7.4955393428898365,
    -0.09249506636175597,
];
const A6: [f64; 5] = [
    5.86145544294642,
    -12.92096931784711,
    8.159367898576159,
    -0.071584973281401,
    -0.028269050394068254,
];

/// Weights of the end, of order 5; also the row of the seventh stage.
const B: [f64; 6] = [
    0.09646076681806355,
    0.010000000000001934,
    0.4798896504144996,
    1.379008574103742,
    -3.290069515436081,
    2.324710524099774,
];

/// Weights of the end minus those of the embedded method of order 4.
const E: [f64; 7] = [
    0.001780011052225777,
    0.0008164344596567469,
    -0.007880878010261995,
    0.1447110071732629,
    -0.5823571654525552,
    0.45808210592918697,
    -0.015151515151515152,
];

/// Weights of stages two to seven, each less the first, in the coefficient of theta^4 of the dense
/// output. The rest of that polynomial follows from both ends.
const DENSE: [f64; 6] = [
    0.1017,
    2.490627285651253,
    -16.548102889244902,
    47.37952196281928,
    -34.87065786149661,
    2.5,
];
