//! How long, how fine, in which manner: the settings of one run.

use crate::lower::TickOptions;
use crate::model::{Clock, Stepping};

/// The settings of a tick run, checked.
#[derive(Clone, PartialEq, Debug)]
pub struct RunConfig {
    /// Length of a tick [units of `time`].
    pub step: f64,
    /// Number of ticks of the run.
    pub ticks: u64,
    /// Ticks from one row of the trajectory to the next.
    pub every: u64,
    /// Order of the scan and formula of the integral.
    pub options: TickOptions,
}

/// Settings that do not make a run.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum ConfigError {
    /// No length of a tick.
    NoStep,
    /// No end.
    NoStop,
    /// A value that must be positive and finite is not.
    NotPositive {
        /// Name of the setting.
        setting: &'static str,
        /// Its value.
        value: f64,
    },
    /// `every` is not a multiple of `step`.
    EveryNotMultiple {
        /// Distance of rows asked for [units of `time`].
        every: f64,
        /// Length of a tick [units of `time`].
        step: f64,
    },
    /// More ticks than can be counted exactly (2^53).
    TooManyTicks {
        /// End of the run [units of `time`].
        stop: f64,
        /// Length of a tick [units of `time`].
        step: f64,
    },
    /// The stepping asked for is not a tick run.
    NotTick,
}

impl std::fmt::Display for ConfigError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NoStep => f.write_str("the length of a tick is not given"),
            Self::NoStop => f.write_str("the end of the run is not given"),
            Self::NotPositive { setting, value } => {
                write!(f, "`{setting}` must be positive, not {value}")
            }
            Self::EveryNotMultiple { every, step } => {
                write!(f, "`every` ({every}) is not a multiple of `step` ({step})")
            }
            Self::TooManyTicks { stop, step } => {
                write!(f, "a run to {stop} in steps of {step} has too many ticks")
            }
            Self::NotTick => f.write_str("the table asks for event stepping"),
        }
    }
}

impl std::error::Error for ConfigError {}

/// Relative distance from a whole number of ticks that counts as whole.
const WHOLE: f64 = 1e-9;

impl RunConfig {
    /// The settings that a clock states; `every` is one tick if it says nothing.
    ///
    /// The stop is rounded up to a whole number of ticks: see [`RunConfig::stop`].
    ///
    /// Errors: [`ConfigError`], if a setting is missing or makes no sense.
    pub fn from_clock(clock: &Clock) -> Result<Self, ConfigError> {
        if clock.stepping == Some(Stepping::Events) {
            return Err(ConfigError::NotTick);
        }
        let positive = |setting, value: f64| {
            let good = value > 0.0 && value.is_finite();
            if good {
                Ok(value)
            } else {
                Err(ConfigError::NotPositive { setting, value })
            }
        };
        let step = positive("step", clock.step.ok_or(ConfigError::NoStep)?)?;
        let stop = positive("stop", clock.stop.ok_or(ConfigError::NoStop)?)?;
        let ticks = whole(stop / step).unwrap_or((stop / step).ceil());
        if ticks >= 2_f64.powi(53) {
            return Err(ConfigError::TooManyTicks { stop, step });
        }
        let every = match clock.every {
            None => 1.0,
            Some(every) => {
                let every = positive("every", every)?;
                whole(every / step)
                    .filter(|&ticks| ticks >= 1.0)
                    .ok_or(ConfigError::EveryNotMultiple { every, step })?
            }
        };
        Ok(Self {
            step,
            ticks: count(ticks),
            every: count(every),
            options: TickOptions {
                scan: clock.scan.unwrap_or_default(),
                integral: clock.integral.unwrap_or_default(),
            },
        })
    }

    /// Time of the last tick [units of `time`].
    #[expect(clippy::cast_precision_loss, reason = "ticks are fewer than 2^53")]
    pub fn stop(&self) -> f64 {
        self.ticks as f64 * self.step
    }
}

fn whole(ratio: f64) -> Option<f64> {
    let nearest = ratio.round();
    ((ratio - nearest).abs() <= WHOLE * nearest.max(1.0)).then_some(nearest)
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a whole positive number; the cast saturates"
)]
fn count(ticks: f64) -> u64 {
    ticks as u64
}
