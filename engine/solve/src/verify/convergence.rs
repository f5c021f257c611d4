//! Measured orders: of the end of steps, and of the dense output inside one step.

use super::problems::{Driven, Known, Smooth};
use crate::explicit::rock::Rock;
use crate::explicit::taylor::Taylor;
use crate::explicit::{Dop853, Euler, Merson, Rk4, RungeKutta, Tsit5};
use crate::implicit::gauss::Gauss;
use crate::implicit::mk21::Mk21;
use crate::implicit::radau::{Radau5, Radau9};
use crate::implicit::rodas5p::Rodas5p;
use crate::integration_method::IntegrationMethod;
use crate::span::StepSpan;
use crate::step::history::History;
use crate::step::{Counted, Start, Stats, StepResult};
use crate::{Dense, Method};

/// Steps of equal length over [0.3, 20.3] without any step control.
struct Fixed<F, S> {
    formula: F,
    system: S,
    out: StepResult,
    stats: Stats,
}

const T0: f64 = 0.3;
const LENGTH: f64 = 20.0;

impl<F: IntegrationMethod + Default, S: Known> Fixed<F, S> {
    fn new(mut system: S) -> Self {
        let mut formula = F::default();
        formula.resize(&mut system);
        let mut out = StepResult::default();
        out.resize(2);
        Self {
            formula,
            system,
            out,
            stats: Stats::default(),
        }
    }

    /// One step; the state at its end is left in `out`.
    fn step(&mut self, t: f64, h: f64, y: &[f64], dense: Option<&mut Dense>) {
        let mut f = vec![0.0; 2];
        self.system.rhs(t, y, &mut f).unwrap();
        let span = StepSpan {
            t0: t,
            t1: t + h,
            h,
        };
        let start = Start {
            t,
            y,
            f: &f,
            atol: &[1e-12; 2],
            history: &History::default(),
            rtol: 1e-12,
        };
        self.formula.restarted();
        let mut counted = Counted {
            system: &mut self.system,
            stats: &mut self.stats,
        };
        self.formula
            .trial(&mut counted, &span, &start, &mut self.out)
            .unwrap();
        counted.rhs(span.t1, &self.out.y, &mut self.out.f).unwrap();
        if let Some(dense) = dense {
            self.formula
                .dense(&mut counted, &span, &start, &self.out, dense)
                .unwrap();
        }
    }

    /// Largest error at the end of `n` steps.
    fn error_at_end(&mut self, n: usize) -> f64 {
        let h = LENGTH / n as f64;
        let mut y = S::exact(T0).to_vec();
        for step in 0..n {
            self.step(T0 + step as f64 * h, h, &y, None);
            y.copy_from_slice(&self.out.y);
        }
        distance::<S>(&y, T0 + LENGTH)
    }

    /// Largest error of the dense output in one step of length `h` from the exact solution.
    fn error_inside(&mut self, h: f64) -> f64 {
        let mut dense = Dense::default();
        self.step(T0, h, &S::exact(T0), Some(&mut dense));
        let mut y = [0.0; 2];
        let mut largest = 0.0;
        for k in 1..20 {
            let theta = f64::from(k) / 20.0;
            dense.eval(theta, &mut y);
            largest = f64::max(largest, distance::<S>(&y, T0 + theta * h));
        }
        largest
    }
}

fn distance<S: Known>(y: &[f64], t: f64) -> f64 {
    let exact = S::exact(t);
    y.iter()
        .zip(exact)
        .map(|(y, exact)| (y - exact).abs())
        .fold(0.0, f64::max)
}

fn slope(coarse: f64, fine: f64, ratio: f64) -> f64 {
    (coarse / fine).ln() / ratio.ln()
}

/// Measures with `n` and `2 n` steps, and with steps of `h` and `h / 2` inside.
fn check<F: IntegrationMethod + Default>(method: Method, system: &impl Known, n: usize, h: f64) {
    let about = method.about();
    let orders = [about.order, about.dense_order];
    check_orders::<F>(about.name, orders, system, n, h);
}

fn check_orders<F: IntegrationMethod + Default>(
    name: &str,
    stated: [u32; 2],
    system: &impl Known,
    n: usize,
    h: f64,
) {
    let mut fixed = Fixed::<F, _>::new(system.clone());
    let order = slope(fixed.error_at_end(n), fixed.error_at_end(2 * n), 2.0);
    assert!(
        (order - f64::from(stated[0])).abs() < 0.2,
        "{name}: order {order}"
    );
    let local = slope(fixed.error_inside(h), fixed.error_inside(h / 2.0), 2.0);
    let dense_order = local - 1.0;
    assert!(
        (dense_order - f64::from(stated[1])).abs() < 0.2,
        "{name}: dense order {dense_order}"
    );
}

#[test]
fn measured_orders_are_the_stated_ones() {
    let exact = Smooth::default();
    check::<RungeKutta<Euler>>(Method::Euler, &exact, 20000, 0.01);
    check::<RungeKutta<Rk4>>(Method::Rk4, &exact, 800, 0.02);
    check::<RungeKutta<Tsit5>>(Method::Tsit5, &exact, 500, 0.05);
    check::<RungeKutta<Merson>>(Method::Merson, &exact, 500, 0.05);
    check::<RungeKutta<Dop853>>(Method::Dop853, &exact, 90, 0.2);
    check::<Gauss>(Method::Gauss, &exact, 500, 0.02);
    check::<Rodas5p>(Method::Rodas5p, &exact, 500, 0.05);
    check::<Radau5>(Method::Radau, &exact, 200, 0.05);
    check_orders::<Radau9>("radau", [9, 5], &exact, 40, 0.1);
    check::<Mk21>(Method::Mk21, &exact, 800, 0.02);
    check::<Rock>(Method::Rock, &exact, 800, 0.02);
    check::<Taylor>(Method::Taylor, &Driven, 18, 1.2);
}

#[test]
fn differences_instead_of_derivatives_keep_the_order() {
    let hidden = Smooth {
        by_differences: true,
    };
    check::<Rodas5p>(Method::Rodas5p, &hidden, 300, 0.1);
}
