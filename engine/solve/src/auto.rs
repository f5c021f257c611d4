//! The automatic method: while the problem is not stiff its Taylor series where that is known, else Tsit5;
//! while it is, Rodas5P for few unknowns, Radau IIA of order 9 where their tolerances are tight, and backward
//! differentiation formulas for many, whose matrices cost more than short steps, and for algebraic components.
//!
//! Stiffness is measured, not guessed: on an explicit step from two stages at the same time or the
//! last coefficients of the series, on an implicit one from the Jacobian. Several steps in a row have to
//! agree before the method changes. An explicit method without an implicit one beside it then bounds its steps
//! instead: at the border of stability what should have died down goes on at the size of the tolerance, and is taken
//! for events.

use super::about::{About, Steps};
use super::explicit::taylor;
use super::implicit::bdf::Bdf;
use super::implicit::radau::Radau9;
use super::implicit::rodas5p::Rodas5p;
use super::integration_method::IntegrationMethod;
use super::linear::FEW;
use super::step::control::power;
use super::step::history::History;
use super::system::System;
use serde::{Deserialize, Serialize};

pub(super) static ABOUT: About = About {
    name: "auto",
    about: "taylor where the rates are affine, else tsit5; where the problem is measured to be stiff rodas5p, radau at tight tolerances, bdf with many unknowns",
    order: 5,
    dense_order: 4,
    dense_degree: taylor::ABOUT.dense_degree,
    steps: Steps::Adaptive,
    stiff: true,
    source: "stiffness test: E. Hairer, G. Wanner, Solving Ordinary Differential Equations II, 1996, IV.2",
    others: &["lsoda", "cvode"],
};

/// Relative tolerances below this are met in stiff problems by Radau IIA of order 9: with errors of 1e-9 small problems of
/// the test sets (ROBER, HIRES, POLLU) take a third to a half of the time of Rodas5P, with 1e-11 an eighth to a quarter.
const TIGHT: f64 = 3e-7;

/// Steps of Tsit5 that take as long as one of the backward differentiation formulas, whose factors are kept.
const STEPS_FOR_ONE: f64 = 4.0;

/// The implicit method is tried once explicit steps are longer than [`STIFF`] / `LEAD` of the stable length: errors of
/// stiff unknowns keep explicit steps short already below the border of stability...
const LEAD: f64 = 4.0;
/// ...and below this tolerance the shorter, the tighter it is. (At 1e-10 the pyrolysis of ethane takes explicit steps for
/// sixty times as long as implicit ones, at a tenth of the stable length and less.)
const LEAD_TO: f64 = 1e-6;
/// What is left of the lead after a trial that did not pay, and after how many there is none.
const LESS_LEAD: f64 = 0.25;
const LAST_FAILURE: u32 = 2;
/// Explicit steps after which one such trial is forgotten: what is smooth at first may be stiff later.
const FORGOTTEN: u32 = 2000;

/// Terms on which the implicit method is tried.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Terms {
    /// How much earlier than at the border of stability; 1 if only there.
    pub(super) lead: f64,
    /// It stays if within so many of its steps...
    pub(super) steps: u32,
    /// ...one is as long as so many explicit ones, about what it costs; where the solution alone keeps steps short, it is
    /// shorter.
    pub(super) pays: f64,
}

impl Terms {
    /// The implicit method is only taken where stability bounds the steps of the explicit one.
    pub(super) const NO_TRIAL: Self = Self {
        lead: 1.0,
        steps: 0,
        pays: 0.0,
    };
}

/// The implicit method of `auto`.
#[derive(Clone, Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "a run has one, and it is not moved"
)]
pub(super) enum Implicit {
    /// For few unknowns.
    Rodas5p(Rodas5p),
    /// For these at tight tolerances.
    Radau(Radau9),
    /// For many.
    Bdf(Bdf),
}

/// Calls `$body` with the method as `$formula`.
macro_rules! with_implicit {
    ($method:expr, $formula:ident => $body:expr) => {
        match $method {
            Implicit::Rodas5p($formula) => $body,
            Implicit::Radau($formula) => $body,
            Implicit::Bdf($formula) => $body,
        }
    };
}

impl Implicit {
    /// For so many unknowns, and so many algebraic ones among them, which only one method takes.
    pub(super) fn new(rtol: f64, [n, n_algebraic]: [usize; 2]) -> Self {
        match (n > FEW || n_algebraic > 0, rtol < TIGHT) {
            (true, _) => Self::Bdf(Bdf::default()),
            (false, true) => Self::Radau(Radau9::default()),
            (false, false) => Self::Rodas5p(Rodas5p::default()),
        }
    }

    /// Makes room for a system; of another size it may be another method.
    pub(super) fn resize<S: System>(&mut self, system: &mut S, rtol: f64) {
        let fitting = Self::new(rtol, [system.dim(), system.n_algebraic()]);
        if std::mem::discriminant(self) != std::mem::discriminant(&fitting) {
            *self = fitting;
        }
        with_implicit!(self, formula => formula.resize(system));
    }

    /// True if the system's Jacobian has room.
    #[inline]
    pub(super) fn has_room(&self) -> bool {
        with_implicit!(self, formula => formula.has_room())
    }

    pub(super) fn reserve(&self, history: &mut History, n: usize) {
        with_implicit!(self, formula => formula.reserve(history, n));
    }

    #[inline]
    pub(super) fn accepted(&mut self, start: (f64, &[f64], &[f64]), history: &mut History) {
        with_implicit!(self, formula => formula.accepted(start, history));
    }

    #[inline]
    pub(super) fn restarted(&mut self) {
        with_implicit!(self, formula => formula.restarted());
    }

    /// Terms on which this method is tried.
    pub(super) fn terms(&self, rtol: f64) -> Terms {
        let tighter = (LEAD_TO / rtol).clamp(1.0, 1e6);
        let (steps, pays) = match self {
            Self::Rodas5p(_) => (20, 4.0),
            Self::Radau(_) => (20, 10.0),
            // It begins with its lowest order.
            Self::Bdf(_) => (60, 2.0),
        };
        Terms {
            lead: LEAD * power(tighter, 1.0 / f64::from(ABOUT.order)),
            steps,
            pays,
        }
    }

    /// The Jacobian's spectral radius in the last trial, estimated, times the steps of the explicit method that take as long
    /// as one of this; `None` if it is that of an earlier step.
    pub(super) fn spectral_radius(&mut self, scale: impl Fn(usize) -> f64) -> Option<f64> {
        match self {
            Self::Rodas5p(rodas) => Some(rodas.spectral_radius(scale)),
            Self::Radau(radau) => Some(radau.spectral_radius(scale)),
            Self::Bdf(bdf) => bdf
                .new_spectral_radius(scale)
                .map(|radius| STEPS_FOR_ONE * radius),
        }
    }
}

/// Stiffness detection: evidence from the steps so far.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct StiffnessDetector {
    /// True if the implicit method is in use, or if stability bounds the steps of an explicit one that has none beside it.
    #[serde(alias = "implicit")]
    pub stiff: bool,
    /// Steps that spoke for the other method.
    pub hints: u32,
    /// Steps in a row that spoke against it since.
    pub doubts: u32,
    /// The implicit method on trial, before stability bounds the steps of the explicit one.
    #[serde(default)]
    pub trial: Trial,
}

/// A trial of the implicit method.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Trial {
    /// Length of the explicit step after which it began; 0 if there is none at present.
    pub explicit_h: f64,
    /// Its steps so far; explicit steps since the last one, if there is none at present.
    pub steps: u32,
    /// Trials that did not pay and are not forgotten.
    pub failed: u32,
}

/// Explicit steps at the border of stability before the implicit method takes over.
const HINTS_STIFF: u32 = 12;
/// Implicit steps short enough for the explicit method before it takes over.
const HINTS_CALM: u32 = 6;
/// Steps in a row against the hints that make them void.
const DOUBTS: u32 = 3;
/// Steps above this part of the explicit method's stable length are limited by stability. On
/// y' = -1000 (y - cos t) the step control of tsit5 settles at 0.84 of it...
pub(super) const STIFF: f64 = 0.75;
/// ...and those below this part would not be.
const CALM: f64 = 0.6;
/// The part of the stable length up to which steps go that stability bounds: there every explicit method damps...
const BOUND: f64 = 0.6;
/// ...and steps below this part of it are short for other reasons.
const UNBOUND: f64 = 0.45;

impl StiffnessDetector {
    /// Nothing has been met.
    pub(super) const FRESH: Self = Self {
        stiff: false,
        hints: 0,
        doubts: 0,
        trial: Trial {
            explicit_h: 0.0,
            steps: 0,
            failed: 0,
        },
    };

    /// The implicit method is in use.
    pub(super) const STIFF: Self = Self {
        stiff: true,
        ..Self::FRESH
    };

    /// True if nothing so far speaks for the other method, and steps that do not either are not counted.
    #[inline]
    pub(super) fn is_calm(self) -> bool {
        self.hints == 0 && self.trial.failed == 0
    }

    /// After a step with `stiffness`, h times the largest eigenvalue's absolute value, as a part of the
    /// explicit method's stable length.
    #[inline]
    pub(super) fn after(self, stiffness: f64) -> Self {
        self.counted(stiffness, CALM)
    }

    /// The same after a step of length `h` of a method whose implicit one is tried on these terms.
    ///
    /// Shapes: `stiffness`: none where it is that of an earlier step.
    pub(super) fn after_auto(self, h: f64, stiffness: Option<f64>, terms: Terms) -> Self {
        if !self.stiff {
            let Some(stiffness) = stiffness else {
                return self;
            };
            let Trial { steps, failed, .. } = self.trial;
            let lead = terms.lead * LESS_LEAD.powi(failed.min(LAST_FAILURE) as i32);
            let mut next = self.after(lead.max(1.0) * stiffness);
            if next.stiff && stiffness < STIFF {
                (next.trial.explicit_h, next.trial.steps) = (h, 0);
            } else if failed > 0 {
                (next.trial.steps, next.trial.failed) = match steps + 1 {
                    FORGOTTEN => (0, failed - 1),
                    steps => (steps, failed),
                };
            }
            return next;
        }
        let mut next = stiffness.map_or(self, |stiffness| self.after(stiffness));
        let trial = &mut next.trial;
        if trial.explicit_h > 0.0 {
            trial.steps += 1;
            if h >= terms.pays * trial.explicit_h {
                trial.explicit_h = 0.0;
            } else if trial.steps >= terms.steps {
                let failed = trial.failed.saturating_add(1);
                next = Self::FRESH;
                next.trial.failed = failed;
            }
        }
        if !next.stiff {
            next.trial.explicit_h = 0.0;
        }
        next
    }

    /// The same for an explicit method without an implicit one beside it.
    #[inline]
    pub(super) fn after_explicit(self, stiffness: f64) -> Self {
        self.counted(stiffness, UNBOUND)
    }

    /// The longest step that an explicit method takes after one of this length and stiffness.
    #[inline]
    pub(super) fn bound(self, h: f64, stiffness: f64) -> f64 {
        match self.stiff {
            true => h * (BOUND / stiffness),
            false => f64::INFINITY,
        }
    }

    #[inline]
    fn counted(mut self, stiffness: f64, calm: f64) -> Self {
        let (for_change, needed) = if self.stiff {
            (stiffness < calm, HINTS_CALM)
        } else {
            (stiffness > STIFF, HINTS_STIFF)
        };
        if for_change {
            self.hints += 1;
            self.doubts = 0;
        } else if self.hints > 0 {
            self.doubts += 1;
            if self.doubts >= DOUBTS {
                (self.hints, self.doubts) = (0, 0);
            }
        }
        if self.hints >= needed {
            self = Self {
                stiff: !self.stiff,
                hints: 0,
                doubts: 0,
                trial: self.trial,
            };
        }
        self
    }
}

#[cfg(test)]
mod tests {
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
        let [loose, tight] = [1e-6, 1e-10]
            .map(|rtol| [Method::Auto, Method::Rodas5p].map(|method| run(method, rtol)));
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
        let begun = explicit(StiffnessDetector::FRESH, early, HINTS_STIFF);
        assert!(begun.stiff && begun.trial.explicit_h == 0.1);
        let pays = begun.after_auto(0.3, None, terms);
        assert!(pays.stiff && pays.trial.explicit_h == 0.0);
        let short = (0..terms.steps).fold(begun, |watch, _| watch.after_auto(0.15, None, terms));
        assert!(!short.stiff && short.trial.failed == 1);
        assert!(!explicit(short, early, HINTS_STIFF).stiff);
        // Bounded by stability it is no trial.
        let bounded = explicit(short, 0.9, HINTS_STIFF);
        assert!(bounded.stiff && bounded.trial.explicit_h == 0.0);
        let later = explicit(short, 0.1 * early, FORGOTTEN);
        assert!(explicit(later, early, HINTS_STIFF).stiff);
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
}
