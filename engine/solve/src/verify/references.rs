//! Runs against published or independently computed end values, with the work they took.

use insta::assert_snapshot;

use super::problems::{Driven, Hires, Known, Pendulum, Robertson, VanDerPol};
use crate::system::System;
use crate::{Method, Settings, Stats, Stepper};

/// Runs to `end` and returns the state there.
fn run<S: System>(
    method: Method,
    system: &mut S,
    y0: &[f64],
    end: f64,
    (rtol, atol): (f64, f64),
) -> (Vec<f64>, Stats) {
    let settings = Settings {
        method,
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
    assert_eq!(stepper.t(), end);
    (stepper.y().to_vec(), *stepper.stats())
}

fn work(stats: &Stats) -> String {
    format!(
        "steps {} rejected {} rhs {} jacobians {} factorisations {} switches {}",
        stats.steps,
        stats.rejected(),
        stats.rhs,
        stats.jacobians,
        stats.factorisations,
        stats.switches
    )
}

/// Angle at 100 s from (1.5, 0).
const PENDULUM: f64 = 1.2371075322;

#[test]
fn pendulum_after_100_seconds() {
    let swing = |method, tol| {
        let (y, stats) = run(method, &mut Pendulum, &[1.5, 0.0], 100.0, (tol, tol));
        ((y[0] - PENDULUM).abs(), work(&stats))
    };
    let (error, work) = swing(Method::Tsit5, 1e-8);
    assert!(error < 3e-5, "{error:e}");
    assert_snapshot!(work, @"steps 3097 rejected 1 rhs 18591 jacobians 0 factorisations 0 switches 0");
    let (error, work) = swing(Method::Dop853, 1e-8);
    assert!(error < 3e-5, "{error:e}");
    assert_snapshot!(work, @"steps 1027 rejected 1 rhs 12339 jacobians 0 factorisations 0 switches 0");
    let (error, _) = swing(Method::Dop853, 1e-12);
    assert!(error < 2e-9, "{error:e}");
    let (error, work) = swing(Method::Rodas5p, 1e-8);
    assert!(error < 1e-4, "{error:e}");
    assert_snapshot!(work, @"steps 4290 rejected 130 rhs 56683 jacobians 4290 factorisations 4420 switches 0");
    let (error, work) = swing(Method::Auto, 1e-8);
    assert!(error < 3e-5, "{error:e}");
    assert_snapshot!(work, @"steps 3097 rejected 1 rhs 18591 jacobians 0 factorisations 0 switches 0");
}

#[test]
fn steps_of_a_series_are_planned_and_never_rejected() {
    let works = [1e-4, 1e-7, 1e-10].map(|tol| {
        let start = Driven::exact(0.0);
        let (y, stats) = run(Method::Taylor, &mut Driven, &start, 100.0, (tol, tol));
        for (y, exact) in y.iter().zip(Driven::exact(100.0)) {
            let error = (y - exact).abs();
            assert!(error < 100.0 * tol, "{tol:e}: {error:e}");
        }
        work(&stats)
    });
    assert_snapshot!(works.join("\n"), @r#"
    steps 50 rejected 0 rhs 601 jacobians 0 factorisations 0 switches 0
    steps 88 rejected 0 rhs 1057 jacobians 0 factorisations 0 switches 0
    steps 160 rejected 0 rhs 1921 jacobians 0 factorisations 0 switches 0
    "#);
}

/// Robertson's y1 at 4e10.
const ROBERTSON: f64 = 5.2083451768e-8;

#[test]
fn robertson_up_to_4e10() {
    let solve = |method, mut system: Robertson| {
        let (y, stats) = run(method, &mut system, &[1.0, 0.0, 0.0], 4e10, (1e-6, 1e-14));
        let error = (y[0] / ROBERTSON - 1.0).abs();
        assert!(error < 1e-5, "{error:e}");
        (y, work(&stats))
    };
    let dense = solve(Method::Rodas5p, Robertson::default());
    assert_snapshot!(dense.1, @"steps 294 rejected 5 rhs 3119 jacobians 294 factorisations 299 switches 0");
    assert_eq!(dense, solve(Method::Rodas5p, Robertson::sparse()));
    for method in [Method::Bdf, Method::Radau] {
        let found = solve(method, Robertson::default());
        assert_eq!(found, solve(method, Robertson::sparse()));
    }
    assert_snapshot!(solve(Method::Auto, Robertson::default()).1, @"steps 311 rejected 0 rhs 3028 jacobians 261 factorisations 261 switches 1");
}

#[test]
fn van_der_pol_at_2() {
    let reference = [1.706167732170483, -0.8928097010247975];
    for (method, tol) in [
        (Method::Rodas5p, 1e-8),
        (Method::Auto, 1e-8),
        (Method::Bdf, 1e-9),
        (Method::Radau, 1e-4),
        (Method::Radau, 1e-10),
    ] {
        let mut system = VanDerPol { epsilon: 1e-6 };
        let (y, stats) = run(method, &mut system, &[2.0, 0.0], 2.0, (tol, tol));
        for (y, reference) in y.iter().zip(reference) {
            let allowed = if tol > 1e-5 { 1e-5 } else { 1e-6 };
            assert!((y / reference - 1.0).abs() < allowed, "{y} for {reference}");
        }
        match method {
            Method::Auto => {
                assert_snapshot!(work(&stats), @"steps 883 rejected 38 rhs 10543 jacobians 115 factorisations 540 switches 7");
            }
            Method::Bdf => {
                assert_snapshot!(work(&stats), @"steps 4370 rejected 104 rhs 10185 jacobians 91 factorisations 424 switches 0");
            }
            Method::Radau if tol > 1e-5 => {
                assert_snapshot!(work(&stats), @"steps 311 rejected 27 rhs 3354 jacobians 208 factorisations 594 switches 0");
            }
            Method::Radau => {
                assert_snapshot!(work(&stats), @"steps 980 rejected 48 rhs 19701 jacobians 403 factorisations 2409 switches 0");
            }
            _ => {
                assert_snapshot!(work(&stats), @"steps 2170 rejected 10 rhs 22322 jacobians 2170 factorisations 2180 switches 0");
            }
        }
    }
}

#[test]
fn hires_with_derivatives_by_differences() {
    let reference = [
        0.000737131257332553,
        0.00014424857263161574,
        5.888729740967323e-05,
        0.0011756513432831228,
        0.002386356198830939,
        0.006238968252741614,
        0.002849998395185474,
        0.002850001604814525,
    ];
    let y0 = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0057];
    let (y, stats) = run(Method::Rodas5p, &mut Hires, &y0, 321.8122, (1e-8, 1e-12));
    for (y, reference) in y.iter().zip(reference) {
        assert!((y / reference - 1.0).abs() < 1e-6, "{y} for {reference}");
    }
    assert_snapshot!(work(&stats), @"steps 1051 rejected 10 rhs 20042 jacobians 1051 factorisations 1061 switches 0");
}
