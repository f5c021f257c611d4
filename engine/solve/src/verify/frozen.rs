//! The semi-implicit method with a frozen Jacobian: order, stability, work.

use super::problems::{Known, Robertson, Smooth, VanDerPol};
use crate::dense::Dense;
use crate::implicit::mk21::Mk21;
use crate::integration_method::IntegrationMethod;
use crate::span::StepSpan;
use crate::step::history::History;
use crate::step::{Counted, Start, Stats, StepResult};
use crate::system::{Derivatives, Refusal, System};
use crate::{Method, Settings, Stepper};

/// Steps of equal length with one Jacobian for twenty of them; the error at the end, and the number of Jacobians.
fn frozen(n: usize) -> (f64, u64) {
    let (mut system, mut method) = (Smooth::default(), Mk21::default());
    method.resize(&mut system);
    let (mut out, mut stats) = (StepResult::default(), Stats::default());
    out.resize(2);
    let mut history = History::default();
    method.reserve(&mut history, 2);
    let (mut y, mut f) = (Smooth::exact(0.3), [0.0; 2]);
    let h = 2.0 / n as f64;
    for step in 0..n {
        let t = 0.3 + step as f64 * h;
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
            // No error is too large, so that no Jacobian is evaluated for one.
            atol: &[1e3; 2],
            history: &history,
            rtol: 1e-9,
        };
        let mut counted = Counted {
            system: &mut system,
            stats: &mut stats,
        };
        method.begin();
        method.trial(&mut counted, &span, &start, &mut out).unwrap();
        method.accepted((t, &y, &f), &mut history);
        y.copy_from_slice(&out.y);
    }
    let exact = Smooth::exact(0.3 + n as f64 * h);
    let errors = y.iter().zip(exact).map(|(y, exact)| (y - exact).abs());
    (errors.fold(0.0, f64::max), stats.jacobians)
}

#[test]
fn a_frozen_jacobian_keeps_the_order() {
    let [coarse, fine] = [2000, 4000].map(frozen);
    let order = (coarse.0 / fine.0).log2();
    assert!((order - 2.0).abs() < 0.2, "{order}");
    assert_eq!([coarse.1, fine.1], [100, 200]);
}

/// y' = z y in the complex plane.
#[derive(Clone)]
struct Complex([f64; 2]);

impl System for Complex {
    fn dim(&self) -> usize {
        2
    }

    fn rhs(&mut self, _t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), Refusal> {
        let [re, im] = self.0;
        dy.copy_from_slice(&[re * y[0] - im * y[1], im * y[0] + re * y[1]]);
        Ok(())
    }

    fn linearise(
        &mut self,
        _t: f64,
        _y: &[f64],
        jacobian: &mut [f64],
        df_dt: &mut [f64],
    ) -> Result<Derivatives, Refusal> {
        let [re, im] = self.0;
        jacobian.copy_from_slice(&[re, -im, im, re]);
        df_dt.fill(0.0);
        Ok(Derivatives::Exact)
    }
}

/// Size of what a step of length 1 leaves of 1.
fn left(z: [f64; 2]) -> f64 {
    let (mut system, mut method) = (Complex(z), Mk21::default());
    method.resize(&mut system);
    let (mut out, mut stats, mut f) = (StepResult::default(), Stats::default(), [0.0; 2]);
    out.resize(2);
    system.rhs(0.0, &[1.0, 0.0], &mut f).unwrap();
    let span = StepSpan {
        t0: 0.0,
        t1: 1.0,
        h: 1.0,
    };
    let start = Start {
        t: 0.0,
        y: &[1.0, 0.0],
        f: &f,
        atol: &[1.0; 2],
        history: &History::default(),
        rtol: 1.0,
    };
    let mut counted = Counted {
        system: &mut system,
        stats: &mut stats,
    };
    method.trial(&mut counted, &span, &start, &mut out).unwrap();
    let mut dense = Dense::default();
    method.inside(&mut counted, &span, &start, &out);
    method
        .dense(&mut counted, &span, &start, &out, &mut dense)
        .unwrap();
    let inside = (1..10).map(|k| dense.value(0, f64::from(k) / 10.0).abs());
    assert!(inside.fold(0.0, f64::max) < 1.5, "inside for {z:?}");
    out.y[0].hypot(out.y[1])
}

#[test]
fn it_is_l_stable() {
    for exponent in -8..=24 {
        let size = 10.0_f64.powf(f64::from(exponent) / 4.0);
        for angle in [0.5, 0.6, 0.75, 0.9, 1.0] {
            let (sin, cos) = (angle * std::f64::consts::PI).sin_cos();
            let left = left([size * cos, size * sin]);
            assert!(left <= 1.0 + 1e-12, "{left} for {size} at {angle}");
            assert!(size < 1e3 || left < 10.0 / size, "{left} for {size}");
        }
    }
}

fn run<S: System>(system: &mut S, y0: &[f64], end: f64, [rtol, atol]: [f64; 2]) -> Stepper {
    let settings = Settings {
        method: Method::Mk21,
        rtol,
        ..Settings::default()
    };
    let mut stepper = Stepper::new(settings).unwrap();
    stepper
        .enter(system, 0.0, y0, &vec![atol; y0.len()])
        .unwrap();
    while stepper.t() < end {
        stepper.attempt(system, end).unwrap();
        stepper.accept();
    }
    stepper
}

#[test]
fn jacobians_serve_for_several_steps() {
    let run_1 = run(
        &mut Robertson::default(),
        &[1.0, 0.0, 0.0],
        4e10,
        [1e-5, 1e-13],
    );
    let error = (run_1.y()[0] / 5.2083451768e-8 - 1.0).abs();
    assert!(error < 1e-2, "{error:e}");
    let stats = run_1.stats();
    assert!(2 * stats.jacobians < stats.steps, "{stats:?}");
    let run_2 = run(
        &mut VanDerPol { epsilon: 1e-6 },
        &[2.0, 0.0],
        2.0,
        [1e-5, 1e-8],
    );
    let error = (run_2.y()[0] / 1.706167732170483 - 1.0).abs();
    assert!(error < 1e-3, "{error:e}");
}

/// y' = -1e6 (y - cos t): the steps are longer than 10^5 time constants.
struct Follower;

impl System for Follower {
    fn dim(&self) -> usize {
        1
    }

    fn rhs(&mut self, t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), Refusal> {
        dy[0] = -1e6 * (y[0] - t.cos());
        Ok(())
    }
}

/// At the start the derivative with respect to time is 0; there the rates do depend on it.
#[test]
fn what_follows_an_equilibrium_is_on_it_inside_of_steps_too() {
    for rtol in [1e-3, 1e-5] {
        let settings = Settings {
            method: Method::Mk21,
            rtol,
            ..Settings::default()
        };
        let mut stepper = Stepper::new(settings).unwrap();
        stepper.enter(&mut Follower, 0.0, &[1.0], &[rtol]).unwrap();
        let mut largest: f64 = 0.0;
        while stepper.t() < 10.0 {
            stepper.attempt(&mut Follower, 10.0).unwrap();
            let dense = stepper.dense(&mut Follower).unwrap();
            for k in 1..=10 {
                let theta = f64::from(k) / 10.0;
                let off = dense.value(0, theta) - dense.time(theta).cos();
                largest = largest.max(off.abs());
            }
            stepper.accept();
        }
        assert!(largest < 3.0 * rtol, "{largest:e}");
        assert!(stepper.stats().steps < 400, "{:?}", stepper.stats());
    }
}
