//! Heat conduction in many cells: what bounds the steps of explicit methods there is stability.

use std::f64::consts::PI;

use crate::system::{Refusal, System};
use crate::{Method, Settings, Stats, Stepper};

/// `u_j' = (N + 1)^2 (u_(j-1) - 2 u_j + u_(j+1))`, `u_0 = u_(N+1) = 0`, the first and seventh mode at the start.
struct Heat(usize);

impl Heat {
    /// Rate at which a mode of the discretised equations decays.
    fn rate(&self, mode: usize) -> f64 {
        let cells = (self.0 + 1) as f64;
        let sine = libm::sin(PI * mode as f64 / (2.0 * cells));
        4.0 * cells * cells * sine * sine
    }

    fn exact(&self, t: f64) -> Vec<f64> {
        let cells = (self.0 + 1) as f64;
        let share = [1, 7].map(|mode| libm::exp(-self.rate(mode) * t));
        let at = |j: usize| {
            let x = PI * j as f64 / cells;
            share[0] * libm::sin(x) + 0.5 * share[1] * libm::sin(7.0 * x)
        };
        (1..=self.0).map(at).collect()
    }
}

impl System for Heat {
    fn dim(&self) -> usize {
        self.0
    }

    fn rhs(&mut self, _t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), Refusal> {
        let cells = (self.0 + 1) as f64;
        let at = |j: Option<usize>| j.and_then(|j| y.get(j)).copied().unwrap_or(0.0);
        for (j, dy) in dy.iter_mut().enumerate() {
            *dy = cells * cells * (at(j.checked_sub(1)) - 2.0 * y[j] + at(Some(j + 1)));
        }
        Ok(())
    }
}

/// The largest error at the end and in the middle of steps, and the work.
fn conduct(method: Method, cells: usize, end: f64, rtol: f64) -> ([f64; 2], Stats) {
    let system = &mut Heat(cells);
    let settings = Settings {
        method,
        rtol,
        ..Settings::default()
    };
    let mut stepper = Stepper::new(settings).unwrap();
    let atol = vec![1e-3 * rtol; cells];
    stepper
        .enter(system, 0.0, &system.exact(0.0), &atol)
        .unwrap();
    let off = |y: &[f64], exact: &[f64]| {
        let off = y.iter().zip(exact).map(|(y, exact)| (y - exact).abs());
        off.fold(0.0, f64::max)
    };
    let (mut inside, mut middle) = (0.0, vec![0.0; cells]);
    while stepper.t() < end {
        let candidate = stepper.attempt(system, end).unwrap();
        // Some of the steps: the others are like them.
        if stepper.stats().steps % 16 == 3 {
            let work = *stepper.stats();
            stepper.dense(system).unwrap().eval(0.5, &mut middle);
            assert!(stepper.stats().rhs - work.rhs <= 1);
            let exact = system.exact(0.5 * (candidate.t0 + candidate.t1));
            inside = f64::max(inside, off(&middle, &exact));
        }
        stepper.accept();
    }
    let at_end = off(stepper.y(), &system.exact(end));
    ([at_end, inside], *stepper.stats())
}

/// Length of the interval of stability of Merson's method, from its polynomial.
fn stable_interval() -> f64 {
    let polynomial = [1.0, 1.0, 1.0 / 2.0, 1.0 / 6.0, 1.0 / 24.0, 1.0 / 144.0];
    let (mut stable, mut unstable) = (3.0, 4.0);
    while unstable - stable > 1e-9 {
        let middle = 0.5 * (stable + unstable);
        if crate::dense::horner(&polynomial, -middle).abs() <= 1.0 {
            stable = middle;
        } else {
            unstable = middle;
        }
    }
    stable
}

/// Evaluations of Merson's method with the longest constant step that is stable in 1000 cells: five a step.
fn of_stable_steps(end: f64) -> f64 {
    5.0 * (end * Heat(1000).rate(1000) / stable_interval()).ceil()
}

#[test]
fn rock_takes_the_root_of_the_evaluations() {
    for (rtol, most) in [(1e-4, 0.05), (1e-6, 0.1), (1e-8, 0.4)] {
        let (errors, stats) = conduct(Method::Rock, 1000, 0.01, rtol);
        let share = stats.rhs as f64 / of_stable_steps(0.01);
        assert!(share < most, "{share} of the evaluations at {rtol:e}");
        for error in errors {
            assert!(error < 20.0 * rtol, "{errors:?} at {rtol:e}");
        }
    }
}

/// What is as rough as it can be at the start: modes of all rates, damped as they should be, in the middle of steps too.
#[test]
fn rock_damps_what_is_rough() {
    let n = 100;
    let rough: Vec<f64> = (0..n).map(|j| (j as f64 * 0.618).fract() - 0.5).collect();
    let run = |method: Method, rtol: f64| {
        let system = &mut Heat(n);
        let settings = Settings {
            method,
            rtol,
            ..Settings::default()
        };
        let mut stepper = Stepper::new(settings).unwrap();
        stepper
            .enter(system, 0.0, &rough, &vec![1e-2 * rtol; n])
            .unwrap();
        let times: Vec<f64> = (1..40).map(|k| 1e-5 * f64::from(k * k)).collect();
        let (mut states, mut next) = (Vec::new(), 0);
        let mut y = vec![0.0; n];
        while next < times.len() {
            let candidate = stepper.attempt(system, f64::INFINITY).unwrap();
            while next < times.len() && times[next] <= candidate.t1 {
                let dense = stepper.dense(system).unwrap();
                dense.eval(dense.theta(times[next]), &mut y);
                states.push(y.clone());
                next += 1;
            }
            stepper.accept();
        }
        (states, *stepper.stats())
    };
    let (known, _) = run(Method::Dop853, 1e-11);
    for rtol in [1e-3, 1e-5] {
        let (found, _) = run(Method::Rock, rtol);
        let off = found.iter().zip(&known).flat_map(|(a, b)| a.iter().zip(b));
        let off = off.fold(0.0, |most, (a, b)| f64::max(most, (a - b).abs()));
        assert!(off < 3.0 * rtol, "{off:e} at {rtol:e}");
    }
}

#[test]
fn merson_takes_the_steps_that_stability_allows() {
    assert!((stable_interval() - 3.55).abs() < 0.01);
    for rtol in [1e-4, 1e-6, 1e-8] {
        let (errors, stats) = conduct(Method::Merson, 1000, 0.002, rtol);
        let share = stats.rhs as f64 / of_stable_steps(0.002);
        assert!(share < 1.1, "{share} of the evaluations at {rtol:e}");
        assert!(200 * stats.rejected() < stats.steps, "{stats:?}");
        for error in errors {
            assert!(error < 10.0 * rtol, "{errors:?} at {rtol:e}");
        }
    }
}
