//! What the loop asks of a method, and the choice of one.

use super::control::{Law, norm};
use super::dense::Dense;
use super::dop853::Dop853;
use super::euler::Euler;
use super::gauss::Gauss;
use super::method::Method;
use super::rk4::Rk4;
use super::rodas5p::Rodas5p;
use super::step::{Counted, Failure, Outcome, Span, Start};
use super::system::System;
use super::taylor::{self, Taylor};
use super::tsit5::{self, Tsit5};

/// A one-step method with its workspace.
///
/// A trial depends on the start of the step and its length only, not on earlier steps: the start is
/// all that a saved run has to hold.
pub(super) trait Formula {
    /// How steps are chosen; `None` for methods of fixed step.
    const LAW: Option<Law> = None;

    /// Whether a trial leaves the derivative at its end in `Outcome::f`; otherwise the loop
    /// evaluates it for steps that pass the error test.
    const ENDS_WITH_DERIVATIVE: bool = false;

    /// Makes room for a system.
    fn resize<S: System>(&mut self, _system: &mut S) {}

    /// The start of the step is another point than in the last trial.
    fn moved(&mut self) {}

    /// The longest step that meets the tolerances, of a method that knows it before the trial.
    fn plan<S: System>(&mut self, _system: &mut Counted<'_, S>, _start: &Start<'_>) -> Option<f64> {
        None
    }

    /// Computes the state at the end of the step and the error estimate.
    fn trial<S: System>(
        &mut self,
        system: &mut Counted<'_, S>,
        span: &Span,
        start: &Start<'_>,
        out: &mut Outcome,
    ) -> Result<(), Failure>;

    /// The error of the last trial in units of its tolerance, and the component that limits the step.
    /// NaN if any estimate is not a number.
    #[inline]
    fn error(&self, _h: f64, start: &Start<'_>, out: &Outcome) -> (f64, usize) {
        norm(&out.error, start, &out.y)
    }

    /// The error of the dense output of the last trial, whose own error was small enough, in units of the tolerance,
    /// and the component that limits the step; `out` is complete. Methods whose dense output is as good as their ends
    /// have none.
    fn inside<S: System>(
        &mut self,
        _system: &mut Counted<'_, S>,
        _span: &Span,
        _start: &Start<'_>,
        _out: &Outcome,
    ) -> (f64, usize) {
        (0.0, 0)
    }

    /// Writes the dense output of the last trial, `out` being complete.
    fn dense<S: System>(
        &mut self,
        system: &mut Counted<'_, S>,
        span: &Span,
        start: &Start<'_>,
        out: &Outcome,
        dense: &mut Dense,
    ) -> Result<(), Failure>;
}

/// The method in use.
#[derive(Clone, Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "a run has one, and it is not moved"
)]
pub(super) enum Engine {
    Euler(Euler),
    Rk4(Rk4),
    Tsit5(Tsit5),
    Dop853(Dop853),
    Gauss(Gauss),
    Rodas5p(Rodas5p),
    /// Where the system knows its series, whatever its rates, and elsewhere.
    Taylor(Taylor, Dop853),
    /// The methods of `auto`: explicit where the rates are affine, and elsewhere, and implicit; the caller says
    /// which.
    Auto(Taylor, Tsit5, Rodas5p),
}

/// Calls `$body` with the formula in use as `$formula`.
macro_rules! with_formula {
    ($engine:expr, $implicit:expr, $formula:ident => $body:expr) => {
        match $engine {
            Engine::Euler($formula) => $body,
            Engine::Rk4($formula) => $body,
            Engine::Tsit5($formula) => $body,
            Engine::Dop853($formula) => $body,
            Engine::Gauss($formula) => $body,
            Engine::Rodas5p($formula) => $body,
            Engine::Taylor($formula, _) if $formula.applies() => $body,
            Engine::Taylor(_, $formula) => $body,
            Engine::Auto(.., $formula) if $implicit => $body,
            Engine::Auto($formula, ..) if $formula.applies() => $body,
            Engine::Auto(_, $formula, _) => $body,
        }
    };
}

impl Engine {
    pub(super) fn new(method: Method) -> Self {
        match method {
            Method::Euler => Self::Euler(Euler),
            Method::Rk4 => Self::Rk4(Rk4::default()),
            Method::Tsit5 => Self::Tsit5(Tsit5::default()),
            Method::Dop853 => Self::Dop853(Dop853::default()),
            Method::Gauss => Self::Gauss(Gauss::default()),
            Method::Rodas5p => Self::Rodas5p(Rodas5p::default()),
            Method::Taylor => Self::Taylor(Taylor::new(false), Dop853::default()),
            Method::Auto => Self::Auto(Taylor::new(true), Tsit5::default(), Rodas5p::default()),
        }
    }

    /// How steps are chosen; `None` for methods of fixed step.
    #[inline]
    pub(super) fn law(&self, implicit: bool) -> Option<Law> {
        fn law<F: Formula>(_: &F) -> Option<Law> {
            F::LAW
        }
        with_formula!(self, implicit, formula => law(formula))
    }

    pub(super) fn resize<S: System>(&mut self, system: &mut S) {
        match self {
            Self::Auto(series, explicit, implicit) => {
                series.resize(system);
                explicit.resize(system);
                implicit.resize(system);
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

    /// The start of the step is another point than in the last trial.
    #[inline]
    pub(super) fn moved(&mut self) {
        match self {
            Self::Auto(series, _, implicit) => {
                series.moved();
                implicit.moved();
            }
            Self::Taylor(series, _) => series.moved(),
            _ => with_formula!(self, false, formula => formula.moved()),
        }
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
        span: &Span,
        start: &Start<'_>,
        out: &mut Outcome,
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
        out: &Outcome,
    ) -> (f64, usize) {
        fn error<F: Formula>(
            formula: &F,
            h: f64,
            start: &Start<'_>,
            out: &Outcome,
        ) -> (f64, usize) {
            if F::LAW.is_some() {
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
        span: &Span,
        start: &Start<'_>,
        out: &Outcome,
    ) -> (f64, usize) {
        with_formula!(self, implicit, formula => formula.inside(system, span, start, out))
    }

    /// Whether [`Engine::trial`] leaves the derivative at its end.
    #[inline]
    pub(super) fn ends_with_derivative(&self, implicit: bool) -> bool {
        fn ends<F: Formula>(_: &F) -> bool {
            F::ENDS_WITH_DERIVATIVE
        }
        with_formula!(self, implicit, formula => ends(formula))
    }

    pub(super) fn dense<S: System>(
        &mut self,
        implicit: bool,
        system: &mut Counted<'_, S>,
        span: &Span,
        start: &Start<'_>,
        out: &Outcome,
        dense: &mut Dense,
    ) -> Result<(), Failure> {
        with_formula!(self, implicit, formula => formula.dense(system, span, start, out, dense))
    }

    /// Estimate of h times the largest eigenvalue's absolute value, as a part of what the explicit method
    /// can do; `None` if nobody will ask.
    #[inline]
    pub(super) fn stiffness(
        &mut self,
        implicit: bool,
        span: &Span,
        start: &Start<'_>,
        out: &Outcome,
    ) -> Option<f64> {
        match self {
            Self::Auto(series, _, rodas) if implicit => {
                let stable = if series.applies() {
                    taylor::STABLE
                } else {
                    tsit5::STABLE
                };
                Some(span.h * rodas.spectral_radius(|i| start.scale(i)) / stable)
            }
            Self::Auto(series, _, rodas) if rodas.has_room() && series.applies() => {
                Some(series.stiffness(span.h, start) / taylor::STABLE)
            }
            Self::Auto(_, tsit, rodas) if rodas.has_room() => {
                Some(tsit.stiffness(span, out, |i| start.scale(i)) / tsit5::STABLE)
            }
            _ => None,
        }
    }
}
