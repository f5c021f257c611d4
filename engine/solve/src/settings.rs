//! Settings of steps that the user may choose.

use std::fmt;

use super::Method;
use super::about::Steps;

/// Method, tolerances and limits of the step.
///
/// Absolute tolerances belong to components and are given with them ([`super::Stepper::new`]).
#[derive(Clone, PartialEq, Debug)]
pub struct Settings {
    /// The method.
    pub method: Method,
    /// Relative tolerance per step.
    pub rtol: f64,
    /// First step; the step of a method of fixed step, which needs it [model time].
    pub h0: Option<f64>,
    /// Shortest step; 0 leaves only the limit of what time can resolve [model time].
    pub hmin: f64,
    /// Longest step [model time].
    pub hmax: f64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            method: Method::Auto,
            rtol: 1e-6,
            h0: None,
            hmin: 0.0,
            hmax: f64::INFINITY,
        }
    }
}

/// A setting that cannot be used.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum SettingsError {
    /// The relative tolerance is not positive and finite, or below what doubles can hold.
    Rtol(f64),
    /// An absolute tolerance is negative, infinite or not a number.
    Atol {
        /// Its component.
        component: usize,
        /// The tolerance.
        value: f64,
    },
    /// A method of fixed step was chosen without a step.
    NoStep(Method),
    /// The first step is not positive and finite.
    H0(f64),
    /// The limits contradict each other or are not positive.
    Limits {
        /// Shortest step.
        hmin: f64,
        /// Longest step.
        hmax: f64,
    },
}

impl fmt::Display for SettingsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rtol(value) => {
                write!(
                    f,
                    "the relative tolerance {} is not between {MIN_RTOL:.1e} and 1",
                    short(*value)
                )
            }
            Self::Atol { value, .. } => {
                write!(
                    f,
                    "the absolute tolerance `atol` = {} must be 0 or positive, and finite",
                    short(*value)
                )
            }
            Self::NoStep(method) => {
                write!(
                    f,
                    "method `{}` has a fixed step, and none is given: set `step` or `h0` (`--step`, `--h0`)",
                    method.name()
                )
            }
            Self::H0(value) => write!(
                f,
                "the step `h0` = {} must be positive and finite",
                short(*value)
            ),
            Self::Limits { hmin, hmax } => {
                write!(
                    f,
                    "`hmin` = {} and `hmax` = {}: the shortest step must be 0 or positive, and finite, the longest \
                     positive and no shorter",
                    short(*hmin),
                    short(*hmax)
                )
            }
        }
    }
}

impl std::error::Error for SettingsError {}

/// A number as one writes it: `0`, `-0.5`, `1e-9`.
fn short(value: f64) -> String {
    let text = format!("{value:?}");
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}

/// Below it the error test sees rounding only.
const MIN_RTOL: f64 = 10.0 * f64::EPSILON;

impl Settings {
    /// Checks the settings with the absolute tolerances of all components.
    ///
    /// # Errors
    ///
    /// The first thing that is wrong.
    pub fn check(&self, atol: &[f64]) -> Result<(), SettingsError> {
        if !(self.rtol >= MIN_RTOL && self.rtol <= 1.0) {
            return Err(SettingsError::Rtol(self.rtol));
        }
        for (component, &value) in atol.iter().enumerate() {
            if !(value >= 0.0 && value.is_finite()) {
                return Err(SettingsError::Atol { component, value });
            }
        }
        match self.h0 {
            None if self.method.about().steps == Steps::Fixed => {
                return Err(SettingsError::NoStep(self.method));
            }
            Some(h0) if !(h0 > 0.0 && h0.is_finite()) => return Err(SettingsError::H0(h0)),
            _ => {}
        }
        let (hmin, hmax) = (self.hmin, self.hmax);
        if !(hmin >= 0.0 && hmin.is_finite() && hmax > 0.0 && hmin <= hmax) {
            return Err(SettingsError::Limits { hmin, hmax });
        }
        Ok(())
    }
}
