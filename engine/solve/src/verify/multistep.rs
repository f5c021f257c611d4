//! The contract of methods holds for multistep methods too: Adams-Bashforth of two steps, with the history that a
//! stepper keeps for it.

use super::problems::{Known, Smooth};
use crate::dense::{Dense, hermite};
use crate::history::History;
use crate::implementation::IntegrationMethod;
use crate::step::{Counted, Failure, Start, Stats, StepResult, StepSpan};
use crate::sums::advance;
use crate::system::System;

/// `y + h ((1 + r / 2) f - r / 2 f_last)` with the ratio `r` of both steps; Heun's method where there is no last step.
#[derive(Default)]
struct AdamsBashforth {
    u: Vec<f64>,
    f: Vec<f64>,
}

impl IntegrationMethod for AdamsBashforth {
    const HISTORY: usize = 1;

    fn resize<S: System>(&mut self, system: &mut S) {
        self.u.resize(system.dim(), 0.0);
        self.f.resize(system.dim(), 0.0);
    }

    fn trial<S: System>(
        &mut self,
        system: &mut Counted<'_, S>,
        span: &StepSpan,
        start: &Start<'_>,
        out: &mut StepResult,
    ) -> Result<(), Failure> {
        let h = span.h;
        match start.history.point(0) {
            Some((t, before)) => {
                let half = 0.5 * h / (span.t0 - t);
                let weights = [1.0 + half, -half];
                advance(&mut out.y, start.y, h, &weights, [start.f, before]);
            }
            None => {
                advance(&mut self.u, start.y, h, &[1.0], [start.f]);
                system.rhs(span.t1, &self.u, &mut self.f)?;
                advance(&mut out.y, start.y, h, &[0.5, 0.5], [start.f, &self.f]);
            }
        }
        Ok(())
    }

    fn dense<S: System>(
        &mut self,
        _system: &mut Counted<'_, S>,
        span: &StepSpan,
        start: &Start<'_>,
        out: &StepResult,
        dense: &mut Dense,
    ) -> Result<(), Failure> {
        hermite(dense, span, [start.y, start.f, &out.y, &out.f]);
        Ok(())
    }
}

/// The error after `n` steps whose lengths are in turn `ratio` to one, over 2 s.
fn error(n: usize, ratio: f64) -> f64 {
    let (mut system, mut method) = (Smooth::default(), AdamsBashforth::default());
    method.resize(&mut system);
    let (mut out, mut stats) = (StepResult::default(), Stats::default());
    out.resize(2);
    let mut history = History::default();
    history.reserve(AdamsBashforth::HISTORY, 2);
    let (mut t, mut y, mut f) = (0.3, Smooth::exact(0.3).to_vec(), vec![0.0; 2]);
    for step in 0..n {
        let share = if step % 2 == 0 { ratio } else { 1.0 };
        let h = 2.0 / n as f64 * 2.0 * share / (1.0 + ratio);
        system.rhs(t, &y, &mut f).unwrap();
        let span = StepSpan {
            t0: t,
            t1: t + h,
            h,
        };
        let start = Start {
            t,
            y: &y,
            f: &f,
            atol: &[1e-9; 2],
            history: &history,
            rtol: 1e-9,
        };
        let mut counted = Counted {
            system: &mut system,
            stats: &mut stats,
        };
        method.trial(&mut counted, &span, &start, &mut out).unwrap();
        method.accepted();
        history.remember(AdamsBashforth::HISTORY, t, &f);
        t += h;
        y.copy_from_slice(&out.y);
    }
    let exact = Smooth::exact(t);
    let errors = y.iter().zip(exact).map(|(y, exact)| (y - exact).abs());
    errors.fold(0.0, f64::max)
}

#[test]
fn two_steps_have_order_2_with_equal_and_with_changing_lengths() {
    for ratio in [1.0, 2.0] {
        let order = (error(400, ratio) / error(800, ratio)).log2();
        assert!((order - 2.0).abs() < 0.2, "{order} with {ratio}");
    }
}
