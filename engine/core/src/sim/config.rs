//! Settings of one run: its length, its steps and how it is done.

use super::Budget;
use crate::ids::ExprId;
use crate::lower::TickOptions;
use crate::model::{Clock, Order, Stepping};
use situ_solve::{Locate, Settings, SettingsError, Steps};

/// The settings of a run, checked.
#[derive(Clone, PartialEq, Debug)]
pub enum RunConfig {
    /// Of a tick run.
    Ticks(TickConfig),
    /// Of an event-accurate run.
    Events(EventConfig),
}

impl RunConfig {
    /// The settings that a clock states.
    ///
    /// # Errors
    ///
    /// [`ConfigError`], if a setting is missing or makes no sense.
    pub fn from_clock(clock: &Clock) -> Result<Self, ConfigError> {
        match clock.stepping.unwrap_or_default() {
            Stepping::Tick => TickConfig::from_clock(clock).map(Self::Ticks),
            Stepping::Events => EventConfig::from_clock(clock).map(Self::Events),
        }
    }

    /// A clock that states all of these settings: [`RunConfig::from_clock`] makes the same settings of it, but for the
    /// order of what happens at one time and for rows beside the grid.
    pub fn clock(&self) -> Clock {
        match self {
            Self::Ticks(config) => config.clock(),
            Self::Events(config) => config.clock(),
        }
    }

    /// In which order what happens at one time is done.
    pub fn order(&self) -> Order {
        match self {
            Self::Ticks(ticks) => ticks.options.order,
            Self::Events(events) => events.order,
        }
    }

    /// The same run with what happens at one time done in another order.
    #[must_use]
    pub fn in_order(mut self, order: Order) -> Self {
        match &mut self {
            Self::Ticks(ticks) => ticks.options.order = order,
            Self::Events(events) => events.order = order,
        }
        self
    }

    /// The same with rows at this distance [units of `time`]; a tick run gives a row per tick.
    #[must_use]
    pub fn with_rows(mut self, distance: f64) -> Self {
        match &mut self {
            Self::Ticks(config) => config.every = 1,
            Self::Events(config) => config.every = Some(distance),
        }
        self
    }

    /// End of the run [units of `time`].
    pub fn stop(&self) -> f64 {
        match self {
            Self::Ticks(config) => config.stop(),
            Self::Events(config) => config.stop,
        }
    }
}

/// The settings of an event-accurate run, checked.
#[derive(Clone, PartialEq, Debug)]
pub struct EventConfig {
    /// End of the run [units of `time`].
    pub stop: f64,
    /// Distance of rows [units of `time`]; `None` gives a row per step.
    pub every: Option<f64>,
    /// True if the values before and after an event are no rows, unless it lies on the grid.
    pub grid_only: bool,
    /// Method, relative tolerance, limits of the step.
    pub settings: Settings,
    /// Absolute tolerance of every real [its unit].
    /// The default is `rtol / 1000`.
    pub atol: f64,
    /// Location of events in a step.
    pub locate: Locate,
    /// Length of each step of a method with fixed steps, read where the step begins [units of
    /// `time`]; other methods choose their steps.
    pub step_formula: Option<ExprId>,
    /// In which order what happens at one instant is done.
    pub order: Order,
    /// Budgets of the run.
    pub budget: Budget,
    /// From so many conditional rows on that are smooth and exclusive, which of them act is data, and from so many kinks and
    /// bounds of states on, on which of their branches these are: fewer than that, and each combination is a mode of its
    /// own. Results differ by rounding.
    pub gates_from: usize,
}

/// Conditional rows, or kinks, whose combinations may be modes of their own: of fewer, only some combinations are met.
/// Rods of 20 cells with thermostats meet 63 modes, those of 100 cells 314, each as large as the table.
const GATES_FROM: usize = 32;

/// Absolute tolerance of an event-accurate run whose clock does not say it, per relative tolerance
/// [the real's unit].
const ATOL_PER_RTOL: f64 = 1e-3;

/// Rows of an event-accurate run whose clock does not say how many.
const ROWS: f64 = 1000.0;

impl EventConfig {
    /// The settings that a clock states. A method of fixed step takes the clock's `step`.
    ///
    /// # Errors
    ///
    /// [`ConfigError`], if a setting is missing or makes no sense.
    pub fn from_clock(clock: &Clock) -> Result<Self, ConfigError> {
        let stop = positive("stop", clock.stop.ok_or(ConfigError::NoStop)?)?;
        let every = positive("every", clock.every.unwrap_or(stop / ROWS))?;
        let mut settings = Settings::default();
        settings.method = clock.method.unwrap_or(settings.method);
        if settings.method.about().steps == Steps::Fixed {
            settings.h0 = clock.step;
        }
        settings.h0 = clock.h0.or(settings.h0);
        settings.hmin = clock.hmin.unwrap_or(settings.hmin);
        settings.hmax = clock.hmax.unwrap_or(settings.hmax);
        settings.rtol = clock.rtol.unwrap_or(settings.rtol);
        let atol = clock.atol.unwrap_or(ATOL_PER_RTOL * settings.rtol);
        settings.check(&[atol]).map_err(ConfigError::Settings)?;
        Ok(Self {
            stop,
            every: Some(every),
            grid_only: false,
            settings,
            atol,
            locate: clock.locate.unwrap_or_default(),
            step_formula: clock.step_formula,
            order: Order::default(),
            budget: budget(clock)?,
            gates_from: GATES_FROM,
        })
    }

    /// See [`RunConfig::clock`].
    fn clock(&self) -> Clock {
        let Settings {
            method,
            rtol,
            h0,
            hmin,
            hmax,
        } = self.settings;
        Clock {
            stop: Some(self.stop),
            every: self.every,
            stepping: Some(Stepping::Events),
            method: Some(method),
            rtol: Some(rtol),
            atol: Some(self.atol),
            h0,
            hmin: Some(hmin),
            hmax: Some(hmax).filter(|hmax| hmax.is_finite()),
            max_events: Some(number(self.budget.events)),
            max_steps: Some(number(self.budget.steps)),
            max_rows: Some(number(self.budget.rows)),
            locate: Some(self.locate),
            step_formula: self.step_formula,
            ..Clock::default()
        }
    }
}

/// The budgets that a clock states, others as usual.
fn budget(clock: &Clock) -> Result<Budget, ConfigError> {
    let usual = Budget::default();
    let stated = |setting, value: Option<f64>, usual| match value {
        None => Ok(usual),
        Some(value) => positive(setting, value).map(|value| count(value.ceil())),
    };
    Ok(Budget {
        events: stated("max_events", clock.max_events, usual.events)?,
        steps: stated("max_steps", clock.max_steps, usual.steps)?,
        rows: stated("max_rows", clock.max_rows, usual.rows)?,
    })
}

fn positive(setting: &'static str, value: f64) -> Result<f64, ConfigError> {
    if value > 0.0 && value.is_finite() {
        Ok(value)
    } else {
        Err(ConfigError::NotPositive { setting, value })
    }
}

/// The settings of a tick run, checked.
#[derive(Clone, PartialEq, Debug)]
pub struct TickConfig {
    /// Length of a tick [units of `time`].
    pub step: f64,
    /// Number of ticks of the run, if each is `step` long.
    pub ticks: u64,
    /// End that the clock states [units of `time`]: a run whose ticks have lengths by a formula ends with the tick
    /// that reaches it.
    pub stated_stop: f64,
    /// Ticks from one row of the trajectory to the next.
    pub every: u64,
    /// Each tick has a row, whatever a formula says how long it is.
    pub each_tick: bool,
    /// Order of the scan and formula of the integral.
    pub options: TickOptions,
    /// End of a tick in which a range changes: `none` (at the tick's end), `linear` or `quadratic`.
    pub locate: Locate,
    /// Length of each tick, read where the tick begins [units of `time`].
    pub step_formula: Option<ExprId>,
    /// Budgets of the run.
    pub budget: Budget,
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
    /// Ticks have no such way to locate events.
    /// A tick has no dense output on which to find a root, and does not see that a range changes without having gone
    /// beyond.
    NotInTicks(Locate),
    /// A setting of the integration method cannot be used.
    Settings(SettingsError),
}

impl std::fmt::Display for ConfigError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NoStep => f.write_str("the length of a tick is not given"),
            Self::NoStop => f.write_str("the end of the run is not given"),
            Self::NotPositive { setting, value } => {
                write!(f, "`{setting}` must be positive and finite, not {value}")
            }
            Self::EveryNotMultiple { every, step } => {
                write!(f, "`every` ({every}) is not a multiple of `step` ({step})")
            }
            Self::TooManyTicks { stop, step } => {
                write!(
                    f,
                    "a run to {stop:?} in steps of {step:?} has too many ticks"
                )
            }
            Self::NotInTicks(way) => write!(
                f,
                "a tick has no states inside it on which to locate by `{}`; ticks take `none`, \
                 `linear` or `quadratic`",
                way.name()
            ),
            Self::Settings(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ConfigError {}

/// Relative distance from a whole number of ticks that counts as whole.
const WHOLE: f64 = 1e-9;

impl TickConfig {
    /// The settings that a clock states; `every` is one tick if it says nothing.
    ///
    /// The stop is rounded up to a whole number of ticks, unless a formula says how long they are: see
    /// [`TickConfig::stop`].
    ///
    /// # Errors
    ///
    /// [`ConfigError`], if a setting is missing or makes no sense.
    pub fn from_clock(clock: &Clock) -> Result<Self, ConfigError> {
        let step = positive("step", clock.step.ok_or(ConfigError::NoStep)?)?;
        let stop = positive("stop", clock.stop.ok_or(ConfigError::NoStop)?)?;
        // Time goes on: a stop within the first tick is reached in it.
        let ticks = whole(stop / step).unwrap_or((stop / step).ceil()).max(1.0);
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
        let locate = clock.locate.unwrap_or(Locate::None);
        if !locate.sees_ends_only() {
            return Err(ConfigError::NotInTicks(locate));
        }
        let is_located = locate != Locate::None;
        Ok(Self {
            step,
            ticks: count(ticks),
            stated_stop: stop,
            every: count(every),
            each_tick: clock.every.is_none() && clock.step_formula.is_some(),
            options: TickOptions {
                scan: clock.scan.unwrap_or_default(),
                integral: clock.integral.unwrap_or_default(),
                order: Order::default(),
                stands_still: is_located,
            },
            locate,
            step_formula: clock.step_formula,
            budget: budget(clock)?,
        })
    }

    /// See [`RunConfig::clock`].
    fn clock(&self) -> Clock {
        Clock {
            step: Some(self.step),
            stop: Some(self.stop()),
            every: (!self.each_tick).then(|| number(self.every) * self.step),
            stepping: Some(Stepping::Tick),
            scan: Some(self.options.scan),
            integral: Some(self.options.integral),
            max_steps: Some(number(self.budget.steps)),
            max_rows: Some(number(self.budget.rows)),
            locate: Some(self.locate),
            step_formula: self.step_formula,
            ..Clock::default()
        }
    }

    /// True if ticks may have other lengths than `step`.
    pub fn is_uneven(&self) -> bool {
        self.locate != Locate::None || self.step_formula.is_some()
    }

    /// Time that the last tick reaches [units of `time`].
    pub fn stop(&self) -> f64 {
        match self.step_formula {
            Some(_) => self.stated_stop,
            None => number(self.ticks) * self.step,
        }
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

#[expect(
    clippy::cast_precision_loss,
    reason = "ticks are fewer than 2^53; of a larger budget the last digits do not matter"
)]
fn number(count: u64) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{ClockKind, ClockValue};

    /// Clocks that state one setting each besides what a run needs.
    fn clocks() -> impl Iterator<Item = Clock> {
        [Stepping::Tick, Stepping::Events]
            .into_iter()
            .flat_map(|stepping| {
                let least = Clock {
                    step: Some(0.125),
                    stop: Some(2.0),
                    stepping: Some(stepping),
                    ..Clock::default()
                };
                let settings = Clock::SETTINGS.iter();
                let meant =
                    settings.filter(move |one| one.only.is_none_or(|only| only == stepping));
                meant.flat_map(move |setting| {
                    let values: Vec<ClockValue> = match setting.kind {
                        ClockKind::Positive | ClockKind::NotNegative | ClockKind::Count => {
                            vec![ClockValue::Number(0.25)]
                        }
                        ClockKind::Word(words) => {
                            let words = words().into_iter();
                            words.map(|(word, _)| ClockValue::Word(word)).collect()
                        }
                        ClockKind::Expression => vec![ClockValue::Expression(ExprId::new(0))],
                        ClockKind::Condition => Vec::new(),
                    };
                    let least = least.clone();
                    values.into_iter().map(move |value| {
                        let mut clock = least.clone();
                        setting.set(&mut clock, value).unwrap();
                        clock
                    })
                })
            })
    }

    #[test]
    fn settings_state_themselves_as_a_clock() {
        let mut n_runs = 0;
        for clock in clocks() {
            let Ok(config) = RunConfig::from_clock(&clock) else {
                continue;
            };
            n_runs += 1;
            let stated = config.clock();
            assert_eq!(RunConfig::from_clock(&stated), Ok(config), "{clock:?}");
        }
        assert!(n_runs > 20, "{n_runs}");
    }
}
