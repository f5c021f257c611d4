//! Multistep methods: the contract of methods carries another one than those in use, Adams-Bashforth of two steps, and
//! the backward differentiation formulas have the orders that are stated.

use super::problems::{Known, Smooth, WithAlgebraic};
use crate::dense::{Dense, hermite};
use crate::implicit::bdf::Bdf;
use crate::integration_method::IntegrationMethod;
use crate::method::Method;
use crate::settings::Settings;
use crate::span::StepSpan;
use crate::step::history::{Course, History};
use crate::step::sums::advance;
use crate::step::{Counted, Failure, Start, Stats, StepResult};
use crate::stepper::Stepper;
use crate::system::System;

/// `y + h ((1 + r / 2) f - r / 2 f_last)` with the ratio `r` of both steps; Heun's method where there is no last step.
#[derive(Default)]
struct AdamsBashforth {
    u: Vec<f64>,
    f: Vec<f64>,
}

impl IntegrationMethod for AdamsBashforth {
    fn resize<S: System>(&mut self, system: &mut S) {
        self.u.resize(system.dim(), 0.0);
        self.f.resize(system.dim(), 0.0);
    }

    fn reserve(&self, history: &mut History, n: usize) {
        history.reserve(1, n);
    }

    fn accepted(&mut self, (t, _, f): (f64, &[f64], &[f64]), history: &mut History) {
        history.remember(1, t, f);
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

/// The error of two-step Adams-Bashforth after `n` steps whose lengths are in turn `ratio` to one, over 2 s.
fn error(n: usize, ratio: f64) -> f64 {
    let (mut system, mut method) = (Smooth::default(), AdamsBashforth::default());
    method.resize(&mut system);
    let (mut out, mut stats) = (StepResult::default(), Stats::default());
    out.resize(2);
    let mut history = History::default();
    method.reserve(&mut history, 2);
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
        method.accepted((t, &y, &f), &mut history);
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

/// Steps of a formula of one order, from points of the exact solution.
struct FixedOrder<S> {
    order: u32,
    method: Bdf,
    history: History,
    system: S,
    out: StepResult,
    stats: Stats,
}

const T0: f64 = 0.3;

impl<S: Known + Default> FixedOrder<S> {
    /// The points before the start are `h` apart.
    fn new(order: u32, h: f64) -> Self {
        let mut system = S::default();
        let mut method = Bdf::default();
        method.resize(&mut system);
        let mut history = History::default();
        method.reserve(&mut history, 2);
        for back in (1..=order).rev() {
            let t = T0 - f64::from(back) * h;
            history.remember(5, t, &S::exact(t));
        }
        let mut out = StepResult::default();
        out.resize(2);
        Self {
            order,
            method,
            history,
            system,
            out,
            stats: Stats::default(),
        }
    }

    fn step(&mut self, t: f64, t1: f64, y: &[f64], dense: Option<&mut Dense>) {
        self.history.course = Course {
            order: self.order,
            is_chosen: true,
            contraction: self.history.course.contraction,
            ..Course::default()
        };
        let span = StepSpan {
            t0: t,
            t1,
            h: t1 - t,
        };
        let start = Start {
            t,
            y,
            f: &[0.0; 2],
            atol: &[1e-12; 2],
            history: &self.history,
            rtol: 1e-12,
        };
        let mut counted = Counted {
            system: &mut self.system,
            stats: &mut self.stats,
        };
        let (method, out) = (&mut self.method, &mut self.out);
        method.trial(&mut counted, &span, &start, out).unwrap();
        if let Some(dense) = dense {
            method
                .dense(&mut counted, &span, &start, out, dense)
                .unwrap();
        }
        method.accepted((t, y, &[0.0; 2]), &mut self.history);
    }
}

fn distance(y: &[f64], t: f64) -> f64 {
    let errors = y
        .iter()
        .zip(Smooth::exact(t))
        .map(|(y, exact)| (y - exact).abs());
    errors.fold(0.0, f64::max)
}

/// The error of a formula after `n` steps over 4 s, whose lengths grow and shrink again by half if they are not equal.
fn error_of_order<S: Known + Default>(order: u32, n: usize, equal: bool) -> f64 {
    let h = 4.0 / n as f64;
    let mut steps = FixedOrder::<S>::new(order, h);
    let time = |step: usize| {
        let x = step as f64 / n as f64;
        let bend = if equal {
            0.0
        } else {
            0.25 / std::f64::consts::PI * (2.0 * std::f64::consts::PI * x).sin()
        };
        T0 + 4.0 * (x + bend)
    };
    let mut y = Smooth::exact(T0).to_vec();
    for step in 0..n {
        steps.step(time(step), time(step + 1), &y, None);
        y.copy_from_slice(&steps.out.y);
    }
    distance(&y, T0 + 4.0)
}

#[test]
fn formulas_of_each_order_have_it_with_equal_and_with_changing_lengths() {
    for order in 1..=5 {
        let n = [0, 3000, 1500, 800, 500, 400][order as usize];
        for equal in [true, false] {
            let plain = [n, 2 * n].map(|n| error_of_order::<Smooth>(order, n, equal));
            // The errors of residuals are farther apart from step to step.
            let algebraic =
                [n / 2, 2 * n].map(|n| error_of_order::<WithAlgebraic>(order, n, equal));
            for (errors, halvings) in [(plain, 1.0), (algebraic, 2.0)] {
                let found = (errors[0] / errors[1]).log2() / halvings;
                assert!(
                    (found - f64::from(order)).abs() < 0.2,
                    "{found} of order {order}, equal {equal}: {errors:?}"
                );
            }
        }
    }
}

/// A run from a start on the solution keeps to the tolerance, and all components have the same errors.
#[test]
fn an_algebraic_component_is_as_exact_as_the_tolerance_asks() {
    for rtol in [1e-4, 1e-6, 1e-8] {
        let settings = Settings {
            method: Method::Bdf,
            rtol,
            ..Settings::default()
        };
        let mut stepper = Stepper::new(settings).unwrap();
        let mut system = WithAlgebraic;
        let atol = [rtol * 1e-2; 2];
        stepper
            .enter(&mut system, T0, &Smooth::exact(T0), &atol)
            .unwrap();
        let mut y = [0.0; 2];
        while stepper.t() < T0 + 4.0 {
            stepper.attempt(&mut system, T0 + 4.0).unwrap();
            let dense = stepper.dense(&mut system).unwrap();
            let t = dense.time(0.5);
            dense.eval(0.5, &mut y);
            assert!(distance(&y, t) < 100.0 * rtol, "{y:?} at {t}");
            stepper.accept();
            assert!(distance(stepper.y(), stepper.t()) < 100.0 * rtol);
        }
        assert!(stepper.stats().steps < 400, "{:?}", stepper.stats());
    }
}

#[test]
fn the_dense_output_of_each_order_has_it() {
    let error_inside = |order: u32, h: f64| {
        let (mut dense, mut y) = (Dense::default(), [0.0; 2]);
        let mut step = FixedOrder::<Smooth>::new(order, h);
        step.step(T0, T0 + h, &Smooth::exact(T0), Some(&mut dense));
        let mut largest = 0.0_f64;
        for theta in [0.2, 0.4, 0.6, 0.8] {
            dense.eval(theta, &mut y);
            largest = largest.max(distance(&y, T0 + theta * h));
        }
        largest
    };
    for order in 1..=5 {
        let h = [0.0, 1e-4, 1e-3, 4e-3, 1e-2, 2e-2][order as usize];
        let local = (error_inside(order, h) / error_inside(order, 0.5 * h)).log2();
        assert!(
            (local - 1.0 - f64::from(order)).abs() < 0.2,
            "{local} of order {order}"
        );
    }
}
