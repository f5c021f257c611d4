//! The loop around a step: what callers may rely on.

use super::problems::{Pendulum, Robertson, Smooth, VanDerPol};
use crate::system::{Derivatives, Refusal, System};
use crate::{
    EnterError, Method, Rejection, Settings, SettingsError, Snapshot, StepError, Stepper, Steps,
};

fn stepper<S: System>(method: Method, system: &mut S, y0: &[f64], h0: Option<f64>) -> Stepper {
    let mut stepper = Stepper::new(Settings {
        method,
        h0,
        ..Settings::default()
    })
    .unwrap();
    stepper
        .enter(system, 0.0, y0, &vec![1e-8; y0.len()])
        .unwrap();
    stepper
}

/// A system given by a function.
struct Given<F>(usize, F);

impl<F: FnMut(f64, &[f64], &mut [f64]) -> Result<(), Refusal>> System for Given<F> {
    fn dim(&self) -> usize {
        self.0
    }

    fn rhs(&mut self, t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), Refusal> {
        (self.1)(t, y, dy)
    }
}

#[test]
fn the_same_candidate_is_found_again() {
    for method in Method::ALL {
        let system = &mut Smooth::default();
        let mut stepper = stepper(method, system, &[1.0, 0.3], Some(0.01));
        for _ in 0..20 {
            let first = stepper.attempt(system, f64::INFINITY).unwrap();
            let y = stepper.y_end().to_vec();
            stepper.attempt(system, first.t0 + 0.3 * first.h).unwrap();
            assert_eq!(stepper.attempt(system, f64::INFINITY).unwrap(), first);
            assert_eq!(stepper.y_end(), y);
            stepper.accept();
        }
    }
}

#[test]
fn a_clipped_step_ends_at_the_limit_and_leaves_the_next_one_alone() {
    for method in Method::ALL {
        let system = &mut Smooth::default();
        let mut stepper = stepper(method, system, &[1.0, 0.3], Some(0.01));
        stepper.attempt(system, f64::INFINITY).unwrap();
        stepper.accept();
        let h = stepper.save().progress.h;
        let limit = stepper.t() + 0.1 * h;
        let candidate = stepper.attempt(system, limit).unwrap();
        assert!(candidate.clipped);
        assert_eq!(candidate.t1, limit);
        stepper.accept();
        assert_eq!(stepper.t(), limit);
        assert_eq!(stepper.save().progress.h, h);
    }
}

#[test]
fn a_limit_just_beyond_the_step_is_reached_at_once() {
    let system = &mut Smooth::default();
    let mut stepper = stepper(Method::Rk4, system, &[1.0, 0.3], Some(0.25));
    let candidate = stepper.attempt(system, 0.25 + 1e-12).unwrap();
    assert_eq!((candidate.t1, candidate.clipped), (0.25 + 1e-12, false));
}

#[test]
fn times_of_fixed_steps_are_products() {
    let system = &mut Smooth::default();
    let mut stepper = stepper(Method::Euler, system, &[1.0, 0.3], Some(0.1));
    for step in 1..=1000 {
        stepper.attempt(system, f64::INFINITY).unwrap();
        stepper.accept();
        assert_eq!(stepper.t(), f64::from(step) * 0.1);
    }
    stepper.restart(system, 100.03, &[1.0, 0.3]).unwrap();
    stepper.attempt(system, f64::INFINITY).unwrap();
    assert_eq!(
        stepper.attempt(system, f64::INFINITY).unwrap().t1,
        100.03 + 0.1
    );
}

#[test]
fn a_resumed_run_has_the_same_bits() {
    fn check<S: System + Clone>(method: Method, system: &S, y0: &[f64], n: usize, at: usize) {
        let mut whole_system = system.clone();
        let mut whole = stepper(method, &mut whole_system, y0, Some(1e-3));
        let mut saved: Option<Snapshot> = None;
        let mut end_of_whole = Vec::new();
        for step in 0..n {
            whole.attempt(&mut whole_system, f64::INFINITY).unwrap();
            if step == at {
                // With a candidate pending: a stop inside the step.
                saved = Some(whole.save().clone());
            }
            whole.accept();
            end_of_whole = whole.y().to_vec();
        }
        let saved = saved.unwrap();
        let mut resumed = Stepper::new(whole.settings().clone()).unwrap();
        resumed
            .resume(&mut system.clone(), &saved, &vec![1e-8; y0.len()])
            .unwrap();
        for _ in at..n {
            resumed.attempt(&mut system.clone(), f64::INFINITY).unwrap();
            resumed.accept();
        }
        assert_eq!(resumed.y(), end_of_whole, "{method:?}");
        assert_eq!(resumed.save(), whole.save(), "{method:?}");
    }
    for method in Method::ALL {
        check(method, &Smooth::default(), &[1.0, 0.3], 60, 23);
    }
    for at in [3, 200, 700, 1100] {
        check(
            Method::Auto,
            &VanDerPol { epsilon: 1e-6 },
            &[2.0, 0.0],
            1500,
            at,
        );
    }
}

#[test]
fn after_a_restart_the_step_is_not_longer_than_before() {
    for method in [Method::Tsit5, Method::Dop853, Method::Rodas5p, Method::Auto] {
        let system = &mut Pendulum;
        let mut stepper = stepper(method, system, &[1.5, 0.0], None);
        for _ in 0..30 {
            stepper.attempt(system, f64::INFINITY).unwrap();
            stepper.accept();
        }
        let candidate = stepper.attempt(system, f64::INFINITY).unwrap();
        let mut y = [0.0; 2];
        stepper.dense(system).unwrap().eval(0.3, &mut y);
        let t = candidate.t0 + 0.3 * candidate.h;
        stepper.restart(system, t, &y).unwrap();
        assert_eq!((stepper.t(), stepper.y()), (t, &y[..]));
        let after = stepper.save().progress.h;
        assert!(
            after <= candidate.h && after > 0.05 * candidate.h,
            "{after} {}",
            candidate.h
        );
    }
}

#[test]
fn another_system_can_be_entered_in_the_middle_of_a_run() {
    let mut stepper = stepper(Method::Auto, &mut Pendulum, &[1.5, 0.0], None);
    stepper.attempt(&mut Pendulum, f64::INFINITY).unwrap();
    stepper.accept();
    let (t, steps) = (stepper.t(), stepper.stats().steps);
    let system = &mut Robertson::sparse();
    stepper
        .enter(system, t, &[1.0, 0.0, 0.0], &[1e-10; 3])
        .unwrap();
    while stepper.t() < 10.0 {
        stepper.attempt(system, 10.0).unwrap();
        stepper.accept();
    }
    assert!((stepper.y().iter().sum::<f64>() - 1.0).abs() < 1e-9);
    assert!(stepper.stats().steps > steps);
}

#[test]
fn what_is_kept_over_steps_outlives_a_correction() {
    for method in Method::ALL {
        let earliest = std::cell::Cell::new(0.0);
        let system = &mut Given(1, |t: f64, y: &[f64], dy: &mut [f64]| {
            assert!(t >= earliest.get(), "{method:?} goes back to {t}");
            dy[0] = -50.0 * (y[0] - t.cos());
            Ok(())
        });
        let mut stepper = stepper(method, system, &[1.0], Some(0.001));
        for _ in 0..40 {
            stepper.attempt(system, f64::INFINITY).unwrap();
            stepper.accept();
            earliest.set(stepper.t());
            let y = [stepper.y()[0] + 1e-12];
            stepper.correct(system, &y).unwrap();
        }
    }
}

#[test]
fn a_refused_point_shortens_the_step_and_is_named_at_last() {
    // The state falls at speed 1 and is not defined below 0.
    for method in Method::ALL {
        let mut lowest = f64::INFINITY;
        let mut evaluations_below = 0;
        let mut system = Given(1, |_t, y: &[f64], dy: &mut [f64]| {
            dy[0] = -1.0;
            if y[0] < 0.0 {
                evaluations_below += 1;
                return Err(Refusal::Outside);
            }
            lowest = f64::min(lowest, y[0]);
            Ok(())
        });
        let mut stepper = stepper(method, &mut system, &[1.0], Some(0.1));
        let error = loop {
            match stepper.attempt(&mut system, f64::INFINITY) {
                Ok(_) => stepper.accept(),
                Err(error) => break error,
            }
        };
        let StepError::TooShort { t, reason, .. } = error else {
            panic!("{error:?}")
        };
        assert_eq!(reason, Rejection::Outside);
        assert!((t - 1.0).abs() < 1e-9, "{method:?}: {t}");
        assert_eq!(stepper.t(), t);
        assert!(stepper.y()[0] >= 0.0 && stepper.stats().rejected_outside > 10);
        assert!(evaluations_below > 10 && lowest >= 0.0);
    }
}

#[test]
fn what_is_not_finite_is_rejected_and_named() {
    // Finite time blow-up at t = 1, and a second component that is sound.
    for method in Method::ALL {
        let mut system = Given(2, |_t, y: &[f64], dy: &mut [f64]| {
            dy[0] = 0.0;
            dy[1] = y[1] * y[1];
            Ok(())
        });
        let mut stepper = stepper(method, &mut system, &[1.0, 1.0], Some(0.01));
        let error = loop {
            match stepper.attempt(&mut system, f64::INFINITY) {
                Ok(_) => stepper.accept(),
                Err(error) => break error,
            }
        };
        let StepError::TooShort { component, .. } = error else {
            panic!("{error:?}")
        };
        // What is not a number spreads through the matrix of an implicit method.
        assert!(
            component == Some(1) || method.about().stiff,
            "{method:?}: {error:?}"
        );
    }
    let mut nan = Given(2, |_t, _: &[f64], dy: &mut [f64]| {
        dy.copy_from_slice(&[0.0, f64::NAN]);
        Ok(())
    });
    let mut stepper = Stepper::new(Settings::default()).unwrap();
    assert_eq!(
        stepper.enter(&mut nan, 2.0, &[1.0, 1.0], &[1e-6; 2]),
        Err(EnterError::Step(StepError::Start {
            t: 2.0,
            component: Some(1)
        }))
    );
}

#[test]
fn the_component_with_the_largest_error_is_counted() {
    let mut system = Given(2, |t: f64, _: &[f64], dy: &mut [f64]| {
        dy.copy_from_slice(&[1.0, (20.0 * t).sin().signum()]);
        Ok(())
    });
    let mut stepper = stepper(Method::Tsit5, &mut system, &[0.0, 0.0], None);
    while stepper.t() < 1.0 {
        stepper.attempt(&mut system, 1.0).unwrap();
        stepper.accept();
    }
    let mut limiting = Vec::new();
    stepper.take_limiting(|component, times| limiting.push((component, times)));
    assert_eq!(limiting, [(1, stepper.stats().rejected_error)]);
    assert!(limiting[0].1 > 10);
    stepper.take_limiting(|component, times| panic!("{component} {times}"));
}

#[test]
fn a_system_can_stop_the_run() {
    let mut calls = 0;
    let mut system = Given(1, |_t, _: &[f64], dy: &mut [f64]| {
        calls += 1;
        dy[0] = 1.0;
        if calls > 10 {
            Err(Refusal::Stop)
        } else {
            Ok(())
        }
    });
    let mut stepper = stepper(Method::Rk4, &mut system, &[0.0], Some(0.5));
    let error = loop {
        match stepper.attempt(&mut system, f64::INFINITY) {
            Ok(_) => stepper.accept(),
            Err(error) => break error,
        }
    };
    assert_eq!(error, StepError::Stopped { t: 1.0 });
    assert_eq!(stepper.stats().rejected(), 0);
}

/// y' = y / (gamma h) for one h: the matrix of that step is zero.
struct SingularOnce(f64);

impl System for SingularOnce {
    fn dim(&self) -> usize {
        1
    }

    fn rhs(&mut self, _t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), Refusal> {
        dy[0] = self.0 * y[0];
        Ok(())
    }

    fn linearise(
        &mut self,
        _t: f64,
        _y: &[f64],
        jacobian: &mut [f64],
        df_dt: &mut [f64],
    ) -> Result<Derivatives, Refusal> {
        (jacobian[0], df_dt[0]) = (self.0, 0.0);
        Ok(Derivatives::Exact)
    }
}

#[test]
fn a_singular_matrix_shortens_the_step() {
    let h = 0.5;
    let mut system = SingularOnce(1.0 / (0.21193756319429014 * h));
    let mut stepper = stepper(Method::Rodas5p, &mut system, &[1.0], Some(h));
    let candidate = stepper.attempt(&mut system, f64::INFINITY).unwrap();
    assert_eq!(stepper.stats().rejected_implicit, 1);
    assert_eq!(
        stepper.stats().jacobians,
        1,
        "the Jacobian is kept for the shorter trial"
    );
    assert!(candidate.h < h);
}

#[test]
fn gauss_keeps_energy_and_takes_stiff_steps() {
    let system = &mut Pendulum;
    let mut swing = stepper(Method::Gauss, system, &[1.5, 0.0], Some(0.02));
    let energy = Pendulum::energy(swing.y());
    let mut drift: f64 = 0.0;
    for _ in 0..5000 {
        swing.attempt(system, f64::INFINITY).unwrap();
        swing.accept();
        drift = drift.max((Pendulum::energy(swing.y()) - energy).abs());
    }
    assert!(drift < 1e-5, "{drift:e}");
    assert_eq!(swing.stats().jacobians, 0, "substitution converges");

    // y' = -1e6 (y - cos t) with a step of thousands of time constants.
    let mut stiff = SingularOnce(-1e6);
    let mut decay = stepper(Method::Gauss, &mut stiff, &[1.0], Some(0.01));
    for _ in 0..100 {
        decay.attempt(&mut stiff, f64::INFINITY).unwrap();
        decay.accept();
    }
    assert_eq!(decay.stats().jacobians, 100);
    assert_eq!(decay.stats().rejected(), 0);
    assert!(decay.y()[0].abs() < 1.0);
}

#[test]
fn dense_output_joins_the_ends() {
    for method in Method::ALL {
        let system = &mut Smooth::default();
        let mut stepper = stepper(method, system, &[1.0, 0.3], Some(0.05));
        for _ in 0..20 {
            stepper.attempt(system, f64::INFINITY).unwrap();
            let dense = stepper.dense(system).unwrap().clone();
            assert!(dense.degree() <= method.about().dense_degree);
            for i in 0..2 {
                assert_eq!(dense.value(i, 0.0), stepper.y()[i]);
                assert!((dense.value(i, 1.0) - stepper.y_end()[i]).abs() < 1e-14);
                if method.about().steps == Steps::Adaptive {
                    let slope = dense.slope(i, 1.0) / dense.h();
                    // Points have no slopes, and steps begin with two of them.
                    let rough = if method == Method::Bdf { 1e-2 } else { 1e-4 };
                    assert!((slope - stepper.dy_end()[i]).abs() < rough, "{method:?}");
                }
            }
            stepper.accept();
        }
    }
}

#[test]
fn settings_are_checked() {
    let with = |change: fn(&mut Settings)| {
        let mut settings = Settings::default();
        change(&mut settings);
        Stepper::new(settings).err()
    };
    assert_eq!(with(|_| {}), None);
    assert_eq!(with(|s| s.rtol = 0.0), Some(SettingsError::Rtol(0.0)));
    assert!(matches!(
        with(|s| s.rtol = f64::NAN),
        Some(SettingsError::Rtol(_))
    ));
    assert_eq!(
        with(|s| s.method = Method::Rk4),
        Some(SettingsError::NoStep(Method::Rk4))
    );
    assert_eq!(with(|s| s.h0 = Some(-1.0)), Some(SettingsError::H0(-1.0)));
    let limits = SettingsError::Limits {
        hmin: 2.0,
        hmax: 1.0,
    };
    assert_eq!(with(|s| (s.hmin, s.hmax) = (2.0, 1.0)), Some(limits));
    let mut stepper = Stepper::new(Settings::default()).unwrap();
    let error = stepper
        .enter(&mut Pendulum, 0.0, &[1.0, 0.0], &[1e-6, -1.0])
        .unwrap_err();
    assert_eq!(
        error,
        EnterError::Settings(SettingsError::Atol {
            component: 1,
            value: -1.0
        })
    );
    assert_eq!(
        error.to_string(),
        "the absolute tolerance `atol` = -1 must be 0 or positive, and finite"
    );
}

/// Twelve thousand equations of which nobody says that they have nothing to do with each other.
struct Many;

impl System for Many {
    fn dim(&self) -> usize {
        12_000
    }

    fn rhs(&mut self, _t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), Refusal> {
        dy.iter_mut().zip(y).for_each(|(dy, y)| *dy = -1e3 * y);
        Ok(())
    }
}

#[test]
fn a_jacobian_without_room_is_refused_and_auto_stays_explicit() {
    let start = vec![1.0; 12_000];
    let atol = vec![1e-6; 12_000];
    for method in [Method::Rodas5p, Method::Auto] {
        let settings = Settings {
            method,
            rtol: 1e-3,
            ..Settings::default()
        };
        let mut stepper = Stepper::new(settings).unwrap();
        stepper.enter(&mut Many, 0.0, &start, &atol).unwrap();
        for _ in 0..40 {
            match (method, stepper.attempt(&mut Many, 1.0)) {
                (Method::Auto, attempt) => {
                    attempt.unwrap();
                    stepper.accept();
                }
                (_, Err(StepError::TooShort { reason, .. })) => {
                    assert_eq!(reason, Rejection::TooLarge);
                    break;
                }
                (_, other) => panic!("{other:?}"),
            }
        }
        assert_eq!(stepper.stats().jacobians, 0);
        assert_eq!(stepper.stats().switches, 0);
    }
}
