//! Time per step of each method, measured without a harness:
//! `cargo run --release -p situ-solve --example solver_timing`.
//!
//! Two problems small enough that the solver's own work shows: the pendulum (100 s from rest at
//! 1.5) and Robertson's reactions up to 4e10. For each method and tolerance: steps, evaluations,
//! error at the end, time for the run and for one step (the best of several repetitions).

#![expect(clippy::print_stdout, reason = "a program that prints its results")]

use std::time::Instant;

use situ_solve::{Derivatives, EnterError, Method, Refusal, Settings, Stepper, System};

struct Pendulum;

impl System for Pendulum {
    fn dim(&self) -> usize {
        2
    }

    fn rhs(&mut self, _t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), Refusal> {
        dy[0] = y[1];
        dy[1] = -9.81 * y[0].sin();
        Ok(())
    }
}

struct Robertson;

impl System for Robertson {
    fn dim(&self) -> usize {
        3
    }

    fn rhs(&mut self, _t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), Refusal> {
        let (slow, fast) = (0.04 * y[0] - 1e4 * y[1] * y[2], 3e7 * y[1] * y[1]);
        dy[0] = -slow;
        dy[1] = slow - fast;
        dy[2] = fast;
        Ok(())
    }

    fn linearise(
        &mut self,
        _t: f64,
        y: &[f64],
        jacobian: &mut [f64],
        df_dt: &mut [f64],
    ) -> Result<Derivatives, Refusal> {
        df_dt.fill(0.0);
        let (a, b, c) = (1e4 * y[2], 1e4 * y[1], 6e7 * y[1]);
        jacobian.copy_from_slice(&[-0.04, a, b, 0.04, -a - c, -b, 0.0, c, 0.0]);
        Ok(Derivatives::Exact)
    }
}

/// Runs often enough to be timed and prints one line.
fn time<S: System>(
    name: &str,
    system: &mut S,
    (y0, end, reference): (&[f64], f64, f64),
    (method, rtol, atol): (Method, f64, f64),
    dense: bool,
) -> Result<(), EnterError> {
    let settings = Settings {
        method,
        rtol,
        ..Settings::default()
    };
    let mut stepper = Stepper::new(settings.clone())?;
    let atol = vec![atol; y0.len()];
    let mut best = f64::INFINITY;
    let (mut steps, mut stats) = (0, *stepper.stats());
    for _ in 0..20 {
        stepper = Stepper::new(settings.clone())?;
        let clock = Instant::now();
        stepper.enter(system, 0.0, y0, &atol)?;
        while stepper.t() < end {
            stepper.attempt(system, end)?;
            if dense {
                std::hint::black_box(stepper.dense(system).is_ok());
            }
            stepper.accept();
        }
        best = best.min(clock.elapsed().as_secs_f64());
        stats = *stepper.stats();
        steps = stats.steps;
    }
    let error = (stepper.y()[0] / reference - 1.0).abs();
    println!(
        "{name:10} {:8} {rtol:7.0e} dense {dense:5} steps {steps:6} rejected {:4} rhs {:7} error {error:8.1e} \
         run {:9.1} us step {:7.1} ns",
        method.name(),
        stats.rejected(),
        stats.rhs,
        best * 1e6,
        best / steps as f64 * 1e9,
    );
    Ok(())
}

fn main() -> Result<(), EnterError> {
    for dense in [false, true] {
        for method in [Method::Tsit5, Method::Dop853, Method::Rodas5p, Method::Auto] {
            for tol in [1e-4, 1e-6, 1e-8, 1e-10] {
                let problem = (&[1.5, 0.0][..], 100.0, 1.2371075322);
                time(
                    "pendulum",
                    &mut Pendulum,
                    problem,
                    (method, tol, tol),
                    dense,
                )?;
            }
        }
        for method in [Method::Rodas5p, Method::Auto] {
            for tol in [1e-4, 1e-6, 1e-8] {
                let problem = (&[1.0, 0.0, 0.0][..], 4e10, 5.2083451768e-8);
                time(
                    "robertson",
                    &mut Robertson,
                    problem,
                    (method, tol, tol * 1e-8),
                    dense,
                )?;
            }
        }
    }
    Ok(())
}
