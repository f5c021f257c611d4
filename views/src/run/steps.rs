//! Work of a run: the steps or ticks that took it to its end, in words and as JSON.

use serde::Serialize;
use situ_engine::sim::{EventConfig, Run, RunConfig, RunStats};
use situ_words::say;

use crate::run::manifest::{engine_used, located};
use crate::text::number::{counted, in_unit, time};

/// Work that a run has done to get to its end.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(untagged)]
pub enum Steps {
    /// Ticks.
    Ticks {
        /// Ticks done.
        ticks: u64,
        /// Length of a tick, unless a formula says it [units of `time`].
        #[serde(skip_serializing_if = "Option::is_none")]
        step: Option<f64>,
        /// Location of events, if they were located.
        #[serde(skip_serializing_if = "Option::is_none")]
        locate: Option<&'static str>,
        /// Who did them: `native` if native code did any, else `interpreter`.
        engine: &'static str,
    },
    /// Steps of a method, cut where something happens.
    Events {
        /// The method.
        method: &'static str,
        /// Relative tolerance, if the method chooses its steps.
        #[serde(skip_serializing_if = "Option::is_none")]
        rtol: Option<f64>,
        /// Length of its steps, if they are all equal but for what happens in them [units of `time`].
        #[serde(skip_serializing_if = "Option::is_none")]
        step: Option<f64>,
        /// Steps taken.
        steps: u64,
        /// Trials of steps that were not taken.
        rejected: u64,
        /// Evaluations of all rates.
        evaluations: u64,
        /// Evaluations of the Jacobian.
        jacobians: u64,
        /// Times at which something happened.
        instants: u64,
        /// Sets of active relations met.
        modes: usize,
        /// Who computed them: `native` if native code did some of it, else `interpreter`.
        engine: &'static str,
    },
}

impl Steps {
    /// Of a run.
    pub fn of(run: &Run) -> Self {
        match (run.work(), run.config()) {
            (RunStats::Events(stats), RunConfig::Events(config)) => Self::Events {
                method: config.settings.method.name(),
                rtol: (!is_fixed(&config)).then_some(config.settings.rtol),
                step: config
                    .settings
                    .h0
                    .filter(|_| is_fixed(&config) && config.step_formula.is_none()),
                steps: stats.method.steps,
                rejected: stats.method.rejected(),
                evaluations: stats.method.rhs,
                jacobians: stats.method.jacobians,
                instants: stats.instants,
                modes: stats.modes,
                engine: engine_used(run),
            },
            (RunStats::Ticks(ticks), RunConfig::Ticks(config)) => Self::Ticks {
                ticks,
                step: config.step_formula.is_none().then_some(config.step),
                locate: located(config.locate),
                engine: engine_used(run),
            },
            _ => unreachable!("a run has the settings of its stepping"),
        }
    }
}

fn is_fixed(config: &EventConfig) -> bool {
    config.settings.method.about().steps == situ_engine::Steps::Fixed
}

impl Steps {
    /// In words, with lengths of time in a unit, which may be empty.
    pub fn text(&self, unit: &str) -> String {
        let mut text = String::new();
        let long = |step: f64| in_unit(time(step), unit);
        match *self {
            Self::Ticks {
                ticks,
                step,
                locate,
                engine,
            } => {
                let ticks = counted(ticks, "tick");
                text.push_str(&match step {
                    Some(step) => say!("summary-ticks", ticks, step = long(step)),
                    None => say!("summary-ticks.by-formula", ticks),
                });
                if let Some(way) = locate {
                    text.push_str(&say!("summary-ticks.located", way));
                }
                if engine == "native" {
                    text.push_str(&say!("summary-ticks.native"));
                }
            }
            Self::Events {
                method,
                rtol,
                step,
                steps,
                rejected,
                evaluations,
                instants,
                modes,
                engine,
                ..
            } => {
                let steps = counted(steps, "step");
                text.push_str(&match (rtol, step) {
                    (Some(rtol), _) => {
                        let rtol = format!("{rtol:e}");
                        say!("summary-steps", steps, method, rtol, rejected)
                    }
                    (None, Some(step)) => {
                        say!("summary-steps.fixed", steps, method, step = long(step))
                    }
                    (None, None) => say!("summary-steps.by-formula", steps, method),
                });
                text.push_str(&say!(
                    "summary-steps.work",
                    evaluations = counted(evaluations, "evaluation"),
                    instants = say!("summary-instants", n = instants),
                    modes = counted(modes as u64, "mode")
                ));
                if engine == "native" {
                    text.push_str(&say!("summary-steps.native"));
                }
            }
        }
        text
    }
}
