//! Newton's method on the transformed stages.

use super::{KEEP, Radau};
use crate::implicit::polynomials::{POINTS, Weights, at};
use crate::span::StepSpan;
use crate::step::control::{norm, power};
use crate::step::{Counted, Failure, Rejection, Start};
use crate::system::System;

/// The step before, in steps, from which the stages are guessed.
const SHORT: f64 = 0.1;
/// Rounding: no correction gets smaller than this relative to the state.
const ROUNDING: f64 = 50.0 * f64::EPSILON;
/// What Newton's method may leave of the error, as a part of the tolerance.
const LEFT: f64 = 0.03;

impl<const S: usize, const P: usize> Radau<S, P> {
    /// Iterations before the method is given up.
    const ITERATIONS: usize = 7 + (S - 3) * 5 / 2;

    /// Puts the stages on the start.
    fn rest(&mut self) {
        for stages in [&mut self.z, &mut self.w] {
            for stage in stages {
                stage.fill(0.0);
            }
        }
    }

    /// Puts the stages on the polynomial of the step before. False if there is none: they are on the start.
    fn predict(&mut self, start: &Start<'_>) -> bool {
        self.rest();
        let before = start.history.point(S - 1).map(|(t, _)| start.t - t);
        // A step much shorter says nothing: rounding is all that the difference of its stages shows.
        let before = before.filter(|before| *before > SHORT * self.h);
        if let Some(before) = before {
            // Its last stage is the present start, and its start the last of the points.
            let mut places: Weights = [0.0; POINTS + 1];
            let behind = self.tableau.c[..S - 1].iter().rev().chain(&[0.0]);
            for (place, c) in places[1..=S].iter_mut().zip(behind) {
                *place = (c - 1.0) * before / self.h;
            }
            let weights = self.tableau.c.map(|c| at(&places[..=S], c));
            for number in 0..S {
                let Some((_, row)) = start.history.point(number) else {
                    continue;
                };
                for (z, weights) in self.z.iter_mut().zip(&weights) {
                    let weight = weights[number + 1];
                    for ((z, y), row) in z.iter_mut().zip(start.y).zip(row) {
                        *z += weight * (row - y);
                    }
                }
            }
        }
        transform(&self.tableau.inverse, &self.z, &mut self.w);
        before.is_some()
    }

    /// Solves for the stages.
    pub(super) fn newton<Y: System>(
        &mut self,
        system: &mut Counted<'_, Y>,
        span: &StepSpan,
        start: &Start<'_>,
        shift: f64,
    ) -> Result<(), Failure> {
        let is_predicted = self.predict(start);
        let solved = self.iterate(system, span, start, shift);
        match solved {
            // Behind the edge of a root's domain, extrapolated rounding can lead out of it.
            Err(Failure::Retry(Rejection::NotFinite | Rejection::Outside)) if is_predicted => {
                self.rest();
                self.iterate(system, span, start, shift)
            }
            _ => solved,
        }
    }

    /// Newton's iteration from the stages as they are.
    fn iterate<Y: System>(
        &mut self,
        system: &mut Counted<'_, Y>,
        span: &StepSpan,
        start: &Start<'_>,
        shift: f64,
    ) -> Result<(), Failure> {
        let enough = (ROUNDING / start.rtol).max(LEFT.min(start.rtol.sqrt()));
        // What the steps before say of the first correction is worth less from step to step.
        let carried = start.history.course.rest;
        let mut rest = if carried > 0.0 {
            power(carried.max(f64::EPSILON), 0.8)
        } else {
            1.0
        };
        let (mut last, mut last_ratio) = (0.0, 0.0);
        for iteration in 0..Self::ITERATIONS {
            for stage in 0..S {
                for ((u, y), z) in self.u.iter_mut().zip(start.y).zip(&self.z[stage]) {
                    *u = y + z;
                }
                let t = if stage + 1 == S {
                    span.t1
                } else {
                    span.at(self.tableau.c[stage])
                };
                system.rhs(t, &self.u, &mut self.f[stage])?;
            }
            self.correct(shift);
            let mut size = 0.0_f64;
            for correction in &self.f {
                let (most, _) = norm(correction, start, start.y);
                if !most.is_finite() {
                    return Err(Failure::Retry(Rejection::NotFinite));
                }
                size = size.max(most);
            }
            if iteration > 0 {
                let ratio = size / last;
                let contraction = if iteration == 1 {
                    ratio
                } else {
                    (ratio * last_ratio).sqrt()
                };
                self.course.contraction = contraction;
                if contraction >= 0.99 {
                    return Err(Failure::Retry(Rejection::NotConverged));
                }
                last_ratio = ratio;
                rest = contraction / (1.0 - contraction);
                let mut at_last = rest * size / enough;
                for _ in iteration + 1..Self::ITERATIONS {
                    at_last *= contraction;
                }
                if at_last >= 1.0 {
                    return Err(Failure::Retry(Rejection::NotConverged));
                }
            }
            last = size.max(f64::MIN_POSITIVE);
            for (w, correction) in self.w.iter_mut().zip(&self.f) {
                for (w, correction) in w.iter_mut().zip(correction) {
                    *w += correction;
                }
            }
            transform(&self.tableau.t, &self.w, &mut self.z);
            if rest * size <= enough {
                if iteration == 0 {
                    self.course.contraction = self.course.contraction.min(KEEP);
                }
                self.course.rest = rest.max(f64::EPSILON);
                return Ok(());
            }
        }
        Err(Failure::Retry(Rejection::NotConverged))
    }

    /// Turns rates at the stages into corrections of the transformed stages.
    fn correct(&mut self, shift: f64) {
        let n = self.u.len();
        let inverse = &self.tableau.inverse;
        for i in 0..n {
            let rates: [f64; S] = std::array::from_fn(|stage| self.f[stage][i]);
            for (row, f) in inverse.iter().zip(&mut self.f) {
                f[i] = row.iter().zip(rates).map(|(a, rate)| a * rate).sum();
            }
        }
        let real = self.tableau.real * shift;
        for (f, w) in self.f[0].iter_mut().zip(&self.w[0]) {
            *f -= real * w;
        }
        self.real.solve(&mut self.f[0]);
        for (pair, matrix) in self.complex.iter_mut().enumerate() {
            let [alpha, beta] = self.tableau.pairs[pair].map(|part| part * shift);
            let (a, b) = (1 + 2 * pair, 2 + 2 * pair);
            for (i, both) in self.pair.chunks_exact_mut(2).enumerate() {
                let (wa, wb) = (self.w[a][i], self.w[b][i]);
                both[0] = self.f[a][i] - alpha * wa - beta * wb;
                both[1] = self.f[b][i] + beta * wa - alpha * wb;
            }
            matrix.solve(&mut self.pair);
            for (i, both) in self.pair.chunks_exact(2).enumerate() {
                (self.f[a][i], self.f[b][i]) = (both[0], both[1]);
            }
        }
    }
}

/// Writes a matrix times stages.
fn transform<const S: usize>(matrix: &[[f64; S]; S], from: &[Vec<f64>; S], to: &mut [Vec<f64>; S]) {
    for (row, to) in matrix.iter().zip(to) {
        for (i, to) in to.iter_mut().enumerate() {
            *to = row.iter().zip(from).map(|(a, stage)| a * stage[i]).sum();
        }
    }
}
