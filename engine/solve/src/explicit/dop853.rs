//! Dormand and Prince's explicit method of order 8 with error estimates of order 5 and 3, twelve
//! stages, and a dense output of order 7 that costs three more.

use super::dop853_numbers::{
    A2, A3, A4, A5, A6, A7, A8, A9, A10, A11, A12, A14, A15, A16, B, C, C_DENSE, DENSE, E3, E5,
};
use super::tableau::{At, MOST_ESTIMATES, MOST_LEVELS, Rows, SumKind, Sums, Tableau};
use crate::about::{About, Steps};
use crate::method::Method;
use crate::step::Failure;
use crate::step::control::{ControllerKind, StepController};

#[derive(Clone, Debug, Default)]
pub(crate) struct Dop853;

impl Tableau for Dop853 {
    const METHOD: Method = Method::Dop853;
    const ABOUT: About = About {
        name: "dop853",
        about: "explicit method of order 8 by Dormand and Prince, for tight tolerances",
        order: 8,
        dense_order: 7,
        dense_degree: 7,
        steps: Steps::Adaptive,
        stiff: false,
        source: "E. Hairer, S. P. Nørsett, G. Wanner, Solving Ordinary Differential Equations I, 1993, II.5",
        others: &[],
    };
    // Chosen on the problems named in `tsit5` and three more (Kepler's with eccentricity 0.5, Volterra's,
    // six driven oscillators) by evaluations for the same error: 0.966 of those with the estimates joined
    // in each component and alpha 0.0875, beta 0.05 in the geometric mean (0.87 to 1.05). With the law of
    // the program DOP853 (no integral part, safety 0.9) a fifth of all trials is rejected, with this one
    // one in thirty.
    const CONTROLLER: Option<StepController> = Some(StepController {
        power: 8.0,
        kind: ControllerKind::Pi {
            alpha: 0.1,
            beta: 0.06,
        },
        safety: 0.85,
        grow: 6.0,
        shrink: 0.333,
        first: 2e5,
    });
    const STAGES: usize = 12;
    const MORE_STAGES: usize = 3;
    const ESTIMATES: usize = 2;
    const LEVELS: usize = 4;
    const STABLE: Option<f64> = Some(6.1);

    #[inline(always)]
    fn stages<R: Rows>(rows: &mut R) -> Result<(), Failure> {
        rows.stage(2, At::Part(C[0]), &A2, [1])?;
        rows.stage(3, At::Part(C[1]), &A3, [1, 2])?;
        rows.stage(4, At::Part(C[2]), &A4, [1, 3])?;
        rows.stage(5, At::Part(C[3]), &A5, [1, 3, 4])?;
        rows.stage(6, At::Part(C[4]), &A6, [1, 4, 5])?;
        rows.stage(7, At::Part(C[5]), &A7, [1, 4, 5, 6])?;
        rows.stage(8, At::Part(C[6]), &A8, [1, 4, 5, 6, 7])?;
        rows.stage(9, At::Part(C[7]), &A9, [1, 4, 5, 6, 7, 8])?;
        rows.stage(10, At::Part(C[8]), &A10, [1, 4, 5, 6, 7, 8, 9])?;
        rows.stage(11, At::Part(C[9]), &A11, [1, 4, 5, 6, 7, 8, 9, 10])?;
        rows.stage(12, At::End, &A12, [1, 4, 5, 6, 7, 8, 9, 10, 11])
    }

    #[inline(always)]
    fn end<S: Sums>(sums: &mut S) {
        sums.sum(0, SumKind::State, &B, [1, 6, 7, 8, 9, 10, 11, 12]);
    }

    #[inline(always)]
    fn estimates<S: Sums>(sums: &mut S) {
        sums.sum(0, SumKind::PerLength, &E5, [1, 6, 7, 8, 9, 10, 11, 12]);
        sums.sum(1, SumKind::PerLength, &E3, [1, 6, 7, 8, 9, 10, 11, 12]);
    }

    #[inline(always)]
    fn error(h: f64, [five, three]: [f64; MOST_ESTIMATES]) -> f64 {
        error_of(h, five, three)
    }

    #[inline(always)]
    fn more_stages<R: Rows>(rows: &mut R) -> Result<(), Failure> {
        let [c14, c15, c16] = C_DENSE.map(At::Part);
        rows.stage(14, c14, &A14, [1, 7, 8, 9, 10, 11, 12, 13])?;
        rows.stage(15, c15, &A15, [1, 6, 7, 8, 11, 12, 13, 14])?;
        rows.stage(16, c16, &A16, [1, 6, 7, 8, 9, 13, 14, 15])
    }

    #[inline(always)]
    fn levels<S: Sums>(sums: &mut S) {
        for (number, weights) in DENSE.iter().enumerate() {
            let stages = [1, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16];
            sums.sum(number, SumKind::Whole, weights, stages);
        }
    }

    #[inline(always)]
    fn polynomial(
        h: f64,
        [y0, k1, y1, k13]: [f64; 4],
        levels: [f64; MOST_LEVELS],
        into: &mut [f64],
    ) {
        into.copy_from_slice(&powers(h, [y0, y1], [k1, k13], levels));
    }
}

/// The error of a step from the largest estimates of order 5 and 3, in units of their tolerances and per
/// step length.
/// The norms are joined, not the components, where one estimate that passes 0 would rule: that takes 0.83 of the
/// evaluations on the scenarios.
#[inline(always)]
fn error_of(h: f64, largest_5: f64, largest_3: f64) -> f64 {
    // The estimate of order 5, made smaller where that of order 3 is much larger still.
    let size = (largest_5 * largest_5 + 0.01 * largest_3 * largest_3).sqrt();
    if size > 0.0 && size.is_finite() {
        h * largest_5 * largest_5 / size
    } else {
        h * size
    }
}

/// The polynomial of one component, from its values and rates at both ends and `q3` to `q6`.
#[inline(always)]
fn powers(h: f64, [y0, y1]: [f64; 2], [k1, k13]: [f64; 2], [q3, q4, q5, q6]: [f64; 4]) -> [f64; 8] {
    let rise = y1 - y0;
    let levels = [
        rise,
        h * k1 - rise,
        2.0 * rise - h * (k1 + k13),
        q3,
        q4,
        q5,
        q6,
    ];
    let mut powers = [0.0; 8];
    for (level, q) in levels.iter().enumerate().rev() {
        powers[0] += q;
        // Times x on even levels, times 1 - x on odd ones.
        for power in (1..8).rev() {
            let carried = powers[power - 1];
            powers[power] = if level % 2 == 0 {
                carried
            } else {
                powers[power] - carried
            };
        }
        if level % 2 == 0 {
            powers[0] = 0.0;
        }
    }
    powers[0] += y0;
    powers
}

/// Weights of the error estimate of order 5 by stage.
#[cfg(test)]
pub(crate) fn error_weights_5() -> [f64; 16] {
    spread(&E5)
}

/// Weights of the error estimate of order 3 by stage.
#[cfg(test)]
pub(crate) fn error_weights_3() -> [f64; 16] {
    spread(&E3)
}

#[cfg(test)]
fn spread(weights: &[f64; 8]) -> [f64; 16] {
    let mut by_stage = [0.0; 16];
    for (weight, stage) in weights.iter().zip([0, 5, 6, 7, 8, 9, 10, 11]) {
        by_stage[stage] = *weight;
    }
    by_stage
}
