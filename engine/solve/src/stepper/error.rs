//! Why a system cannot be entered, and why there is no next step: what the stepper found, in words.

use std::fmt;

use crate::settings::SettingsError;
use crate::step::Rejection;

/// Why there is no next step.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum StepError {
    /// Steps were rejected down to the shortest one. The last one:
    TooShort {
        /// Its start.
        t: f64,
        /// Its length.
        h: f64,
        /// Why it was rejected.
        reason: Rejection,
        /// The shortest step that the settings allow, if they forbid a shorter one.
        hmin: Option<f64>,
        /// The component with the largest error, or the first that is not finite.
        component: Option<usize>,
    },
    /// The derivative at the start is missing or not finite.
    Start {
        /// The time.
        t: f64,
        /// The first component that is not finite; `None` if the system refused the point.
        component: Option<usize>,
    },
    /// The system asked to stop ([`Refusal::Stop`](crate::Refusal::Stop)).
    Stopped {
        /// The committed time.
        t: f64,
    },
    /// The limit does not lie after the committed time.
    NoRoom {
        /// The committed time.
        t: f64,
        /// The limit.
        until: f64,
    },
}

impl fmt::Display for StepError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooShort {
                t,
                h,
                reason,
                hmin,
                component,
            } => {
                let reason = match reason {
                    Rejection::Error => "the error stays above the tolerance",
                    Rejection::Outside => "the system is not defined beyond",
                    Rejection::NotFinite => "a result is not finite",
                    Rejection::NotConverged => "the implicit stages do not converge",
                    Rejection::Singular => "the matrix of the implicit stages is singular",
                    Rejection::TooLarge => {
                        "its Jacobian has too many entries for an implicit method; take an explicit one"
                    }
                };
                let limit = if hmin.is_some() {
                    ", the shortest allowed"
                } else {
                    ""
                };
                write!(
                    f,
                    "no step from t = {t} succeeds, down to {h:e}{limit}: {reason}"
                )?;
                match component {
                    Some(component) => write!(f, " (component {component})"),
                    None => Ok(()),
                }
            }
            Self::Start { t, component: None } => {
                write!(f, "the system is not defined at t = {t}")
            }
            Self::Start {
                t,
                component: Some(component),
            } => {
                write!(
                    f,
                    "the derivative of component {component} is not finite at t = {t}"
                )
            }
            Self::Stopped { t } => write!(f, "stopped at t = {t}"),
            Self::NoRoom { t, until } => write!(f, "no step leads from t = {t} to {until}"),
        }
    }
}

impl std::error::Error for StepError {}

/// Why a system cannot be entered.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum EnterError {
    /// A setting or an absolute tolerance.
    Settings(SettingsError),
    /// There is no first step.
    Step(StepError),
}

impl From<SettingsError> for EnterError {
    fn from(error: SettingsError) -> Self {
        Self::Settings(error)
    }
}

impl From<StepError> for EnterError {
    fn from(error: StepError) -> Self {
        Self::Step(error)
    }
}

impl fmt::Display for EnterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Settings(error) => error.fmt(f),
            Self::Step(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for EnterError {}
