//! Dormand and Prince's explicit method of order 8 with error estimates of order 5 and 3, twelve
//! stages, and a dense output of order 7 that costs three more.

mod tableau;

use super::combine::{Rates, advance_by, sum_of, with_width};
use super::control::{Law, LawKind};
use super::dense::Dense;
use super::engine::Formula;
use super::method::{About, Steps};
use super::step::{Counted, Failure, Outcome, Span, Start};
use super::system::System;

pub(super) static ABOUT: About = About {
    name: "dop853",
    about: "explicit method of order 8 by Dormand and Prince, for tight tolerances",
    order: 8,
    dense_order: 7,
    dense_degree: 7,
    steps: Steps::Adaptive,
    stiff: false,
    source: "E. Hairer, S. P. Nørsett, G. Wanner, Solving Ordinary Differential Equations I, 1993, II.5",
};

#[derive(Clone, Debug, Default)]
pub(super) struct Dop853 {
    /// Argument of a stage.
    u: Vec<f64>,
    /// Stages two to twelve; the first is the derivative at the start.
    k: [Vec<f64>; 11],
    /// Stages 14 to 16 of the dense output; the 13th is the derivative at the end.
    k_dense: [Vec<f64>; 3],
}

impl Dop853 {
    /// All stages, the state at the end and the error estimate of a system of `n` components.
    #[inline(always)]
    fn stages(
        &mut self,
        n: usize,
        rates: &mut Rates<'_>,
        span: &Span,
        start: &Start<'_>,
        out: &mut Outcome,
    ) -> Result<(), Failure> {
        use tableau::{A2, A3, A4, A5, A6, A7, A8, A9, A10, A11, A12, B, C, E3, E5};
        let (y, k1, u) = (&start.y[..n], &start.f[..n], &mut self.u[..n]);
        let (end, end_rates) = (&mut out.y[..n], &mut out.f[..n]);
        let h = span.h;
        let [k2, k3, k4, k5, k6, k7, k8, k9, k10, k11, k12] = &mut self.k;
        let (k2, k3, k4) = (&mut k2[..n], &mut k3[..n], &mut k4[..n]);
        let (k5, k6, k7) = (&mut k5[..n], &mut k6[..n], &mut k7[..n]);
        let (k8, k9, k10) = (&mut k8[..n], &mut k9[..n], &mut k10[..n]);
        let (k11, k12) = (&mut k11[..n], &mut k12[..n]);
        advance_by!(u, y, h, A2, [k1]);
        rates(span.at(C[0]), u, k2)?;
        advance_by!(u, y, h, A3, [k1, k2]);
        rates(span.at(C[1]), u, k3)?;
        advance_by!(u, y, h, A4, [k1, k3]);
        rates(span.at(C[2]), u, k4)?;
        advance_by!(u, y, h, A5, [k1, k3, k4]);
        rates(span.at(C[3]), u, k5)?;
        advance_by!(u, y, h, A6, [k1, k4, k5]);
        rates(span.at(C[4]), u, k6)?;
        advance_by!(u, y, h, A7, [k1, k4, k5, k6]);
        rates(span.at(C[5]), u, k7)?;
        advance_by!(u, y, h, A8, [k1, k4, k5, k6, k7]);
        rates(span.at(C[6]), u, k8)?;
        advance_by!(u, y, h, A9, [k1, k4, k5, k6, k7, k8]);
        rates(span.at(C[7]), u, k9)?;
        advance_by!(u, y, h, A10, [k1, k4, k5, k6, k7, k8, k9]);
        rates(span.at(C[8]), u, k10)?;
        advance_by!(u, y, h, A11, [k1, k4, k5, k6, k7, k8, k9, k10]);
        rates(span.at(C[9]), u, k11)?;
        advance_by!(u, y, h, A12, [k1, k4, k5, k6, k7, k8, k9, k10, k11]);
        rates(span.t1, u, k12)?;
        advance_by!(end, y, h, B, [k1, k6, k7, k8, k9, k10, k11, k12]);
        rates(span.t1, end, end_rates)?;

        let error = &mut out.error[..n];
        for i in 0..n {
            let e5 = sum_of!(i, E5, [k1, k6, k7, k8, k9, k10, k11, k12]);
            let e3 = sum_of!(i, E3, [k1, k6, k7, k8, k9, k10, k11, k12]);
            // The estimate of order 5, made smaller where that of order 3 is much larger still.
            let size = (e5 * e5 + 0.01 * e3 * e3).sqrt();
            error[i] = if size > 0.0 {
                h * e5 * e5 / size
            } else {
                h * size
            };
        }
        Ok(())
    }

    /// The three stages that only the dense output needs.
    #[inline(always)]
    fn extra_stages(
        &mut self,
        n: usize,
        rates: &mut Rates<'_>,
        span: &Span,
        start: &Start<'_>,
        out: &Outcome,
    ) -> Result<(), Failure> {
        use tableau::{A14, A15, A16, C_DENSE};
        let (y, k1, k13) = (&start.y[..n], &start.f[..n], &out.f[..n]);
        let (h, u) = (span.h, &mut self.u[..n]);
        let [_, _, _, _, k6, k7, k8, k9, k10, k11, k12] = &self.k;
        let (k6, k7, k8, k9) = (&k6[..n], &k7[..n], &k8[..n], &k9[..n]);
        let (k10, k11, k12) = (&k10[..n], &k11[..n], &k12[..n]);
        let [k14, k15, k16] = &mut self.k_dense;
        let (k14, k15, k16) = (&mut k14[..n], &mut k15[..n], &mut k16[..n]);
        advance_by!(u, y, h, A14, [k1, k7, k8, k9, k10, k11, k12, k13]);
        rates(span.at(C_DENSE[0]), u, k14)?;
        advance_by!(u, y, h, A15, [k1, k6, k7, k8, k11, k12, k13, k14]);
        rates(span.at(C_DENSE[1]), u, k15)?;
        advance_by!(u, y, h, A16, [k1, k6, k7, k8, k9, k13, k14, k15]);
        rates(span.at(C_DENSE[2]), u, k16)?;
        Ok(())
    }
}

impl Formula for Dop853 {
    // With the law of the program DOP853 (no integral part, safety 0.9) a quarter of all trials is
    // rejected; with this one, chosen on the five problems named in `tsit5`, one in fifty, and the
    // evaluations for the same error are 0.86 of those.
    const LAW: Option<Law> = Some(Law {
        power: 8.0,
        kind: LawKind::Pi {
            alpha: 0.0875,
            beta: 0.05,
        },
        safety: 0.85,
        grow: 6.0,
        shrink: 0.333,
    });
    const ENDS_WITH_DERIVATIVE: bool = true;

    fn resize<S: System>(&mut self, system: &S) {
        let stages = self.k.iter_mut().chain(&mut self.k_dense);
        for values in stages.chain([&mut self.u]) {
            values.resize(system.dim(), 0.0);
        }
    }

    fn trial<S: System>(
        &mut self,
        system: &mut Counted<'_, S>,
        span: &Span,
        start: &Start<'_>,
        out: &mut Outcome,
    ) -> Result<(), Failure> {
        let n = start.y.len();
        let rates: &mut Rates<'_> = &mut |t, y, dy| system.rhs(t, y, dy);
        with_width!(n => self.stages(n, rates, span, start, out))
    }

    fn dense<S: System>(
        &mut self,
        system: &mut Counted<'_, S>,
        span: &Span,
        start: &Start<'_>,
        out: &Outcome,
        dense: &mut Dense,
    ) -> Result<(), Failure> {
        let n = start.y.len();
        let rates: &mut Rates<'_> = &mut |t, y, dy| system.rhs(t, y, dy);
        with_width!(n => self.extra_stages(n, rates, span, start, out))?;
        let [_, _, _, _, k6, k7, k8, k9, k10, k11, k12] = &self.k;
        let ([k14, k15, k16], k1, k13) = (&self.k_dense, start.f, &out.f);
        let stages = [k1, k6, k7, k8, k9, k10, k11, k12, k13, k14, k15, k16];
        let ends = [start.y, &out.y];
        with_width!(n => interpolant(n, dense, span, ends, stages));
        Ok(())
    }
}

/// The polynomials `y0 + x (d + (1 - x) (q1 + x (q2 + (1 - x) (q3 + ...`, factors x and 1 - x in
/// turn up to `q6`, multiplied out. The stages are 1 and 6 to 16.
#[inline(always)]
fn interpolant(
    n: usize,
    dense: &mut Dense,
    span: &Span,
    [y0, y1]: [&[f64]; 2],
    stages: [&[f64]; 12],
) {
    let (h, y0) = (span.h, &y0[..n]);
    let [k1, k6, k7, k8, k9, k10, k11, k12, k13, k14, k15, k16] = stages;
    let (y1, k1, k6, k7, k8) = (&y1[..n], &k1[..n], &k6[..n], &k7[..n], &k8[..n]);
    let (k9, k10, k11, k12) = (&k9[..n], &k10[..n], &k11[..n], &k12[..n]);
    let (k13, k14, k15, k16) = (&k13[..n], &k14[..n], &k15[..n], &k16[..n]);
    for (i, out) in dense.begin(span, 7, n).enumerate() {
        let rise = y1[i] - y0[i];
        macro_rules! q {
            ($weights:expr) => {
                h * sum_of!(
                    i,
                    $weights,
                    [k1, k6, k7, k8, k9, k10, k11, k12, k13, k14, k15, k16]
                )
            };
        }
        let [w3, w4, w5, w6] = &tableau::DENSE;
        let levels = [
            rise,
            h * k1[i] - rise,
            2.0 * rise - h * (k1[i] + k13[i]),
            q!(w3),
            q!(w4),
            q!(w5),
            q!(w6),
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
        powers[0] += y0[i];
        out.copy_from_slice(&powers);
    }
}

/// Weights of the error estimate of order 5 by stage.
#[cfg(test)]
pub(super) fn error_weights_5() -> [f64; 16] {
    spread(&tableau::E5)
}

/// Weights of the error estimate of order 3 by stage.
#[cfg(test)]
pub(super) fn error_weights_3() -> [f64; 16] {
    spread(&tableau::E3)
}

#[cfg(test)]
fn spread(weights: &[f64; 8]) -> [f64; 16] {
    let mut by_stage = [0.0; 16];
    for (weight, stage) in weights.iter().zip([0, 5, 6, 7, 8, 9, 10, 11]) {
        by_stage[stage] = *weight;
    }
    by_stage
}
