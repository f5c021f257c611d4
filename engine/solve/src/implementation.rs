//! The method in use, behind one interface.

use super::auto::{Implicit, Terms};
use super::dense::Dense;
use super::explicit::rock::Rock;
use super::explicit::taylor::{self, Taylor};
use super::explicit::{self, Dop853, RungeKutta, Tableau, Tsit5};
use super::implicit::bdf::Bdf;
use super::implicit::gauss::Gauss;
use super::implicit::mk21::Mk21;
use super::implicit::radau::{self, Radau5, Radau9};
use super::implicit::rodas5p::Rodas5p;
use super::integration_method::IntegrationMethod;
use super::method::{Method, for_methods};
use super::span::StepSpan;
use super::step::control::StepController;
use super::step::history::History;
use super::step::{Counted, Failure, Start, StepResult};
use super::system::System;

macro_rules! define_implementation {
    (
        []
        explicit { $($(#[$about:meta])* $tableau:ident,)* }
        others { $($(#[$other_about:meta])* $other:ident = $module:ident,)* }
    ) => {
        /// The method in use; a run has one, and it is not moved.
        #[derive(Clone, Debug)]
        pub(super) enum MethodImpl {
            $($tableau(RungeKutta<explicit::$tableau>),)*
            Gauss(Gauss),
            Rodas5p(Rodas5p),
            Bdf(Bdf),
            Radau(Radau5),
            /// The same with more stages, for tight tolerances.
            Radau9(Radau9),
            Mk21(Mk21),
            Rock(Rock),
            /// The methods for systems that know their series, whatever their rates, and for others.
            Taylor(Taylor, RungeKutta<Dop853>),
            /// The methods of `auto`: explicit where the rates are affine, and elsewhere, and implicit; the caller
            /// says which.
            Auto(Taylor, RungeKutta<Tsit5>, Implicit),
        }

        impl MethodImpl {
            pub(super) fn new(method: Method, rtol: f64) -> Self {
                match method {
                    $(Method::$tableau => Self::$tableau(RungeKutta::default()),)*
                    Method::Gauss => Self::Gauss(Gauss::default()),
                    Method::Rodas5p => Self::Rodas5p(Rodas5p::default()),
                    Method::Bdf => Self::Bdf(Bdf::default()),
                    Method::Radau if rtol < radau::TIGHT => Self::Radau9(Radau9::default()),
                    Method::Radau => Self::Radau(Radau5::default()),
                    Method::Mk21 => Self::Mk21(Mk21::default()),
                    Method::Rock => Self::Rock(Rock::default()),
                    Method::Taylor => Self::Taylor(Taylor::new(false), RungeKutta::default()),
                    Method::Auto => {
                        let implicit = Implicit::new(rtol, [0, 0]);
                        Self::Auto(Taylor::new(true), RungeKutta::default(), implicit)
                    }
                }
            }
        }
    };
}
for_methods!(define_implementation);

/// Calls `$body` with the method in use as `$formula`.
macro_rules! with_formula {
    ($method:expr, $implicit:expr, $formula:ident => $body:expr) => {
        for_methods!(match_formula $method, $implicit, $formula => $body)
    };
}

macro_rules! match_formula {
    (
        [$method:expr, $implicit:expr, $formula:ident => $body:expr]
        explicit { $($(#[$about:meta])* $tableau:ident,)* }
        others { $($rest:tt)* }
    ) => {
        match $method {
            $(MethodImpl::$tableau($formula) => $body,)*
            MethodImpl::Gauss($formula) => $body,
            MethodImpl::Rodas5p($formula) => $body,
            MethodImpl::Bdf($formula) => $body,
            MethodImpl::Radau($formula) => $body,
            MethodImpl::Radau9($formula) => $body,
            MethodImpl::Mk21($formula) => $body,
            MethodImpl::Rock($formula) => $body,
            MethodImpl::Taylor($formula, _) if $formula.applies() => $body,
            MethodImpl::Taylor(_, $formula) => $body,
            MethodImpl::Auto(.., Implicit::Rodas5p($formula)) if $implicit => $body,
            MethodImpl::Auto(.., Implicit::Radau($formula)) if $implicit => $body,
            MethodImpl::Auto(.., Implicit::Bdf($formula)) if $implicit => $body,
            MethodImpl::Auto($formula, ..) if $formula.applies() => $body,
            MethodImpl::Auto(_, $formula, _) => $body,
        }
    };
}

impl MethodImpl {
    /// Step size controller; `None` for methods of fixed step.
    #[inline]
    pub(super) fn law(&self, implicit: bool) -> Option<&'static StepController> {
        fn law<F: IntegrationMethod>(_: &F) -> Option<&'static StepController> {
            let controller: &'static Option<StepController> = &F::CONTROLLER;
            controller.as_ref()
        }
        with_formula!(self, implicit, formula => law(formula))
    }

    pub(super) fn resize<S: System>(&mut self, system: &mut S, rtol: f64) {
        match self {
            Self::Auto(series, explicit, implicit) => {
                series.resize(system);
                explicit.resize(system);
                implicit.resize(system, rtol);
            }
            Self::Taylor(series, explicit) => {
                series.resize(system);
                explicit.resize(system);
            }
            _ => with_formula!(self, false, formula => formula.resize(system)),
        }
    }

    /// False for `auto` where the Jacobian has no room.
    #[inline]
    pub(super) fn may_turn_implicit(&self) -> bool {
        match self {
            Self::Auto(.., implicit) => implicit.has_room(),
            _ => true,
        }
    }

    /// True for an explicit method that bounds its steps where it meets stiffness.
    #[inline]
    pub(super) fn is_explicit(&self) -> bool {
        matches!(self, Self::Taylor(..) | Self::Dop853(_) | Self::Tsit5(_))
    }

    /// True for the backward differentiation formulas.
    #[inline]
    pub(super) fn is_bdf(&self, implicit: bool) -> bool {
        match self {
            Self::Bdf(_) => true,
            Self::Auto(.., Implicit::Bdf(_)) => implicit,
            _ => false,
        }
    }

    /// Makes room in the history.
    pub(super) fn reserve(&self, implicit: bool, history: &mut History, n: usize) {
        history.clear();
        if let Self::Auto(.., implicit) = self {
            implicit.reserve(history, n);
        } else {
            with_formula!(self, implicit, formula => formula.reserve(history, n));
        }
    }

    /// The next trial is the first one of its step.
    #[inline]
    pub(super) fn begin(&mut self, implicit: bool) {
        with_formula!(self, implicit, formula => formula.begin());
    }

    /// The step of the last trial has been taken; it began at this time, state and rates.
    #[inline]
    pub(super) fn accepted(
        &mut self,
        implicit: bool,
        start: (f64, &[f64], &[f64]),
        history: &mut History,
    ) {
        match self {
            Self::Auto(.., formula) if implicit => formula.accepted(start, history),
            Self::Auto(series, ..) => series.accepted(start, history),
            Self::Taylor(series, _) => series.accepted(start, history),
            _ => with_formula!(self, false, formula => formula.accepted(start, history)),
        }
    }

    /// The next trial begins at a point that no step led to.
    #[inline]
    pub(super) fn restarted(&mut self) {
        match self {
            Self::Auto(series, _, implicit) => {
                series.restarted();
                implicit.restarted();
            }
            Self::Taylor(series, _) => series.restarted(),
            _ => with_formula!(self, false, formula => formula.restarted()),
        }
    }

    /// The end of the step that was taken last is put elsewhere, by less than its errors.
    pub(super) fn corrected(&mut self) {
        match self {
            Self::Auto(series, _, implicit) => {
                series.corrected();
                implicit.corrected();
            }
            Self::Taylor(series, _) => series.corrected(),
            _ => with_formula!(self, false, formula => formula.corrected()),
        }
    }

    /// The length of the next trial after one whose error was too large.
    pub(super) fn shorter(&mut self, implicit: bool, error: f64, h: f64) -> f64 {
        let own = with_formula!(self, implicit, formula => formula.shorter(error, h));
        own.unwrap_or_else(|| {
            let law = self.law(implicit);
            let law = law.expect("only methods with a step control estimate errors");
            law.rejected(error, h)
        })
    }

    /// The length of the step after that of the last trial.
    #[inline]
    pub(super) fn next_step(
        &mut self,
        implicit: bool,
        span: &StepSpan,
        start: &Start<'_>,
        out: &StepResult,
        clipped: bool,
        proposed: f64,
    ) -> f64 {
        with_formula!(
            self, implicit, formula => formula.next_step(span, start, out, clipped, proposed)
        )
    }

    /// The longest step that meets the tolerances, if the method knows it before the trial.
    pub(super) fn plan<S: System>(
        &mut self,
        implicit: bool,
        system: &mut Counted<'_, S>,
        start: &Start<'_>,
    ) -> Option<f64> {
        with_formula!(self, implicit, formula => formula.plan(system, start))
    }

    #[inline]
    pub(super) fn trial<S: System>(
        &mut self,
        implicit: bool,
        system: &mut Counted<'_, S>,
        span: &StepSpan,
        start: &Start<'_>,
        out: &mut StepResult,
    ) -> Result<(), Failure> {
        with_formula!(self, implicit, formula => formula.trial(system, span, start, out))
    }

    /// The error of the last trial in units of its tolerance, and its component; 0 for methods of fixed
    /// step.
    #[inline]
    pub(super) fn error(
        &self,
        implicit: bool,
        h: f64,
        start: &Start<'_>,
        out: &StepResult,
    ) -> (f64, usize) {
        fn error<F: IntegrationMethod>(
            formula: &F,
            h: f64,
            start: &Start<'_>,
            out: &StepResult,
        ) -> (f64, usize) {
            if F::CONTROLLER.is_some() {
                formula.error(h, start, out)
            } else {
                (0.0, 0)
            }
        }
        with_formula!(self, implicit, formula => error(formula, h, start, out))
    }

    /// The error of the dense output of the last trial, and its component.
    pub(super) fn inside<S: System>(
        &mut self,
        implicit: bool,
        system: &mut Counted<'_, S>,
        span: &StepSpan,
        start: &Start<'_>,
        out: &StepResult,
    ) -> (f64, usize) {
        with_formula!(self, implicit, formula => formula.inside(system, span, start, out))
    }

    /// Whether the Jacobian of the last trial has slopes that hold for a part of a tolerance alone.
    #[inline]
    pub(super) fn is_at_edge(&self, implicit: bool) -> bool {
        with_formula!(self, implicit, formula => formula.is_at_edge())
    }

    /// Whether [`MethodImpl::trial`] leaves the derivative at its end.
    #[inline]
    pub(super) fn ends_with_derivative(&self, implicit: bool) -> bool {
        fn ends<F: IntegrationMethod>(_: &F) -> bool {
            F::ENDS_WITH_DERIVATIVE
        }
        with_formula!(self, implicit, formula => ends(formula))
    }

    pub(super) fn dense<S: System>(
        &mut self,
        implicit: bool,
        system: &mut Counted<'_, S>,
        span: &StepSpan,
        start: &Start<'_>,
        out: &StepResult,
        dense: &mut Dense,
    ) -> Result<(), Failure> {
        with_formula!(self, implicit, formula => formula.dense(system, span, start, out, dense))
    }

    /// Terms on which the implicit method is tried.
    #[inline]
    pub(super) fn terms(&self, rtol: f64) -> Terms {
        match self {
            Self::Auto(series, _, implicit) if !series.applies() => implicit.terms(rtol),
            _ => Terms::NO_TRIAL,
        }
    }

    /// Estimate of h times the largest eigenvalue's absolute value, as a part of what the explicit method
    /// can do; `None` if nobody will ask.
    #[inline]
    pub(super) fn stiffness(
        &mut self,
        implicit: bool,
        span: &StepSpan,
        start: &Start<'_>,
        out: &StepResult,
    ) -> Option<f64> {
        match self {
            Self::Auto(series, _, method) if implicit => {
                let stable = match Tsit5::STABLE {
                    Some(stable) if !series.applies() => stable,
                    _ => taylor::STABLE,
                };
                let radius = method.spectral_radius(|i| start.scale(i))?;
                Some(span.h * radius / stable)
            }
            Self::Auto(series, _, method) if method.has_room() && series.applies() => {
                Some(series.stiffness(span.h, start) / taylor::STABLE)
            }
            Self::Auto(_, explicit, method) if method.has_room() => {
                Some(explicit.stiffness(span, out, |i| start.scale(i)))
            }
            // Near a singularity the last coefficients tell its distance, unless the rates are affine.
            Self::Taylor(series, _) if series.applies() && !series.is_affine() => None,
            Self::Taylor(series, _) if series.applies() => {
                Some(series.stiffness(span.h, start) / taylor::STABLE)
            }
            Self::Taylor(_, explicit) | Self::Dop853(explicit) => {
                Some(explicit.stiffness(span, out, |i| start.scale(i)))
            }
            Self::Tsit5(explicit) => Some(explicit.stiffness(span, out, |i| start.scale(i))),
            _ => None,
        }
    }
}
