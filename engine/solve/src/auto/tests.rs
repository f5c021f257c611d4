//! When the automatic method changes, and what its runs come to.

use super::*;
use crate::{Method, Refusal, Settings, Stepper, System};

fn after(steps: &[(f64, u32)]) -> StiffnessDetector {
    let mut watch = StiffnessDetector::default();
    for &(stiffness, times) in steps {
        for _ in 0..times {
            watch = watch.after(stiffness);
        }
    }
    watch
}

#[test]
fn lasting_stiffness_changes_the_method_and_calm_changes_it_back() {
    assert!(!after(&[(1.2, HINTS_STIFF - 1)]).stiff);
    assert!(after(&[(1.2, HINTS_STIFF)]).stiff);
    assert!(after(&[(1.2, HINTS_STIFF), (30.0, 50)]).stiff);
    assert!(!after(&[(1.2, HINTS_STIFF), (0.03, HINTS_CALM)]).stiff);
}

/// y' = -rate (y - cos t): stiff after a moment.
struct Follower(f64);

impl System for Follower {
    fn dim(&self) -> usize {
        1
    }

    fn rhs(&mut self, t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), Refusal> {
        dy[0] = -self.0 * (y[0] - t.cos());
        Ok(())
    }
}

#[test]
fn the_dense_output_joins_the_ends_of_each_step_of_either_method() {
    let settings = Settings {
        method: Method::Auto,
        ..Settings::default()
    };
    let mut stepper = Stepper::new(settings).unwrap();
    stepper
        .enter(&mut Follower(1e3), 0.0, &[0.0], &[1e-9])
        .unwrap();
    let mut implicit = 0;
    while stepper.t() < 10.0 {
        implicit += u32::from(stepper.save().progress.watch.stiff);
        stepper.attempt(&mut Follower(1e3), 10.0).unwrap();
        let (start, end) = (stepper.y()[0], stepper.y_end()[0]);
        let dense = stepper.dense(&mut Follower(1e3)).unwrap();
        assert!((dense.value(0, 0.0) - start).abs() < 1e-14);
        assert!((dense.value(0, 1.0) - end).abs() < 1e-12);
        stepper.accept();
    }
    assert!(implicit > 5, "{implicit}");
}

#[test]
fn tight_tolerances_are_met_by_a_method_of_high_order() {
    let run = |method, rtol| {
        let settings = Settings {
            method,
            rtol,
            ..Settings::default()
        };
        let mut stepper = Stepper::new(settings).unwrap();
        stepper
            .enter(&mut Follower(1e6), 0.0, &[0.0], &[rtol])
            .unwrap();
        while stepper.t() < 20.0 {
            stepper.attempt(&mut Follower(1e6), 20.0).unwrap();
            stepper.accept();
        }
        let exact = (1e12 * 20.0_f64.cos() + 1e6 * 20.0_f64.sin()) / (1e12 + 1.0);
        let error = (stepper.y()[0] - exact).abs();
        assert!(error < 10.0 * rtol, "{method:?} at {rtol}: {error}");
        stepper.stats().steps
    };
    let [loose, tight] =
        [1e-6, 1e-10].map(|rtol| [Method::Auto, Method::Rodas5p].map(|method| run(method, rtol)));
    assert!(loose[0] > loose[1], "{loose:?}");
    assert!(tight[0] < tight[1], "{tight:?}");
}

/// y1' = -1000 (y1 - y2), y2' = -y2, which knows its series: stiff after a moment.
struct Affine;

impl System for Affine {
    fn dim(&self) -> usize {
        2
    }

    fn rhs(&mut self, _t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), Refusal> {
        dy.copy_from_slice(&[-1000.0 * (y[0] - y[1]), -y[1]]);
        Ok(())
    }

    fn has_series(&mut self, _affine: bool) -> bool {
        true
    }

    fn series(&mut self, _t: f64, last: usize, coefficients: &mut [f64]) -> usize {
        for order in 2..=last {
            let [a, b] = [0, 1].map(|i| coefficients[2 * (order - 1) + i] / order as f64);
            coefficients[2 * order] = -1000.0 * (a - b);
            coefficients[2 * order + 1] = -b;
        }
        last
    }
}

#[test]
fn a_stiff_series_is_left_for_the_implicit_method() {
    let run = |method| {
        let settings = Settings {
            method,
            ..Settings::default()
        };
        let mut stepper = Stepper::new(settings).unwrap();
        stepper
            .enter(&mut Affine, 0.0, &[0.0, 1.0], &[1e-9; 2])
            .unwrap();
        while stepper.t() < 20.0 {
            stepper.attempt(&mut Affine, 20.0).unwrap();
            stepper.accept();
        }
        let exact = 1000.0 / 999.0 * libm::exp(-20.0);
        assert!((stepper.y()[0] - exact).abs() < 1e-9, "{}", stepper.y()[0]);
        *stepper.stats()
    };
    let (series, auto) = (run(Method::Taylor), run(Method::Auto));
    assert!(series.steps > 2500, "{series:?}");
    assert!(auto.steps < 200 && auto.switches == 1, "{auto:?}");
    assert_eq!(auto.rejected_error, 0);
}

#[test]
fn a_few_calm_steps_void_the_hints() {
    assert!(after(&[(1.2, 6), (0.3, DOUBTS - 1), (1.2, HINTS_STIFF - 6)]).stiff);
    assert!(!after(&[(1.2, 6), (0.3, DOUBTS), (1.2, HINTS_STIFF - 6)]).stiff);
}

#[test]
fn a_trial_stays_if_it_pays_and_is_less_likely_if_it_does_not() {
    let terms = Implicit::Bdf(Bdf::default()).terms(1e-3);
    let early = 1.2 / terms.lead;
    let explicit = |from: StiffnessDetector, stiffness, steps| {
        (0..steps).fold(from, |watch, _| {
            watch.after_auto(0.1, Some(stiffness), terms)
        })
    };
    let begun = explicit(StiffnessDetector::FRESH, early, terms.hints);
    assert!(begun.stiff && begun.trial.explicit_h == 0.1);
    let pays = begun.after_auto(0.3, None, terms);
    assert!(pays.stiff && pays.trial.explicit_h == 0.0);
    let short = (0..terms.steps).fold(begun, |watch, _| watch.after_auto(0.15, None, terms));
    assert!(!short.stiff && short.trial.failed == 1);
    assert!(!explicit(short, early, terms.hints).stiff);
    // Bounded by stability it is no trial.
    let bounded = explicit(short, 0.9, HINTS_STIFF);
    assert!(bounded.stiff && bounded.trial.explicit_h == 0.0);
    let later = explicit(short, 0.1 * early, FORGOTTEN);
    assert!(explicit(later, early, terms.hints).stiff);
}

#[test]
fn what_stages_do_not_show_is_tried_in_the_end() {
    let explicit = |method: Implicit, steps| {
        let terms = method.terms(1e-10);
        (0..steps).fold(StiffnessDetector::FRESH, |watch, _| {
            watch.after_auto(0.1, Some(1e-3), terms)
        })
    };
    let bdf = || Implicit::Bdf(Bdf::default());
    assert!(!explicit(bdf(), UNTRIED - 1).stiff);
    let begun = explicit(bdf(), UNTRIED);
    assert!(begun.stiff && begun.trial.explicit_h == 0.1);
    assert!(!explicit(Implicit::Radau(Radau9::default()), 2 * UNTRIED).stiff);
}

#[test]
fn a_trial_without_a_sign_ends_at_a_jacobian_that_shows_none_and_the_next_comes_later() {
    let terms = Implicit::Bdf(Bdf::default()).terms(1e-10);
    let explicit = |from, steps| {
        (0..steps).fold(from, |watch: StiffnessDetector, _| {
            watch.after_auto(0.1, Some(1e-3), terms)
        })
    };
    let begun = explicit(StiffnessDetector::FRESH, UNTRIED);
    // A step of a fourth of the length, by which the part of the stable length is measured.
    let first = |part: f64| begun.after_auto(0.025, Some(0.25 * PARTS * part), terms);
    assert!(first(1.1 * HIDDEN).stiff);
    let ended = first(0.9 * HIDDEN);
    assert!(!ended.stiff && ended.trial.failed == 0);
    assert!(!explicit(ended, 2 * UNTRIED - 1).stiff);
    let again = explicit(ended, 2 * UNTRIED);
    assert!(again.stiff);
    let pays = again.after_auto(0.3, None, terms);
    assert!(pays.stiff && pays.trial.in_vain == 0);
}

#[test]
fn stiffness_is_measured_in_few_steps_while_the_implicit_method_stays() {
    let terms = Implicit::Rodas5p(Rodas5p::default()).terms(1e-3);
    let mut watch = StiffnessDetector::STIFF;
    let mut measured = 0;
    for _ in 0..40 {
        let stiffness = watch.is_measured().then_some(10.0);
        measured += u32::from(watch.is_measured());
        watch = watch.after_auto(0.1, stiffness, terms);
    }
    assert_eq!(measured, 40 / (UNMEASURED + 1));
    let calm = (0..UNMEASURED + HINTS_CALM).fold(watch, |watch, _| {
        let stiffness = watch.is_measured().then_some(0.1);
        watch.after_auto(0.1, stiffness, terms)
    });
    assert!(!calm.stiff);
}

/// A chain of points: heat that spreads, or a wave that runs.
struct Chain {
    is_wave: bool,
    points: usize,
}

impl System for Chain {
    fn dim(&self) -> usize {
        self.points
    }

    fn rhs(&mut self, _t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), Refusal> {
        let n = self.points / 2;
        if self.is_wave {
            for j in 0..n {
                let [left, right] = [(j + n - 1) % n, (j + 1) % n].map(|j| y[j]);
                dy[j] = y[n + j];
                dy[n + j] = left - 2.0 * y[j] + right - 0.1 * y[j] * y[j] * y[j];
            }
        } else {
            let last = self.points - 1;
            for j in 0..=last {
                let left = if j > 0 { y[j - 1] } else { 0.0 };
                let right = if j < last { y[j + 1] } else { 0.0 };
                dy[j] = 1e4 * (left - 2.0 * y[j] + right) - y[j] * y[j];
            }
        }
        Ok(())
    }
}

#[test]
fn unknowns_are_given_to_the_method_whose_steps_are_worth_it() {
    let run = |is_wave, points: usize, method, rtol| {
        let settings = Settings {
            method,
            rtol,
            ..Settings::default()
        };
        let mut stepper = Stepper::new(settings).unwrap();
        let mut system = Chain { is_wave, points };
        let place = |j: usize| std::f64::consts::PI * (j + 1) as f64 / (points + 1) as f64;
        let begin: Vec<f64> = (0..points).map(|j| place(j).sin()).collect();
        stepper
            .enter(&mut system, 0.0, &begin, &vec![rtol; points])
            .unwrap();
        let end = if is_wave { 30.0 } else { 1.0 };
        while stepper.t() < end {
            stepper.attempt(&mut system, end).unwrap();
            stepper.accept();
        }
        *stepper.stats()
    };
    for (points, rtol) in [120, 10]
        .into_iter()
        .flat_map(|points| [1e-5, 1e-8, 1e-10].map(|rtol| (points, rtol)))
    {
        let implicit = Implicit::new(rtol, [points, 0]);
        let trial = implicit.terms(rtol).steps;
        let [auto, explicit] =
            [Method::Auto, Method::Tsit5].map(|method| run(true, points, method, rtol));
        let most = explicit.steps + 2 * u64::from(trial);
        assert!(auto.steps <= most, "wave at {rtol}: {auto:?} {explicit:?}");
        let method = match implicit {
            Implicit::Rodas5p(_) => Method::Rodas5p,
            Implicit::Radau(_) => Method::Radau,
            Implicit::Bdf(_) => Method::Bdf,
        };
        let [auto, implicit] =
            [Method::Auto, method].map(|method| run(false, points, method, rtol));
        let most = 2 * implicit.rhs;
        assert!(auto.rhs <= most, "heat at {rtol}: {auto:?} {implicit:?}");
    }
}
