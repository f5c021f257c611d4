//! What the engine says of settings, starts and native code, in the language of the reader.

use situ_engine::SettingsError;
use situ_engine::model::StartError;
use situ_engine::sim::compiled::CompileError;
use situ_engine::sim::{ConfigError, SetupError};
use situ_words::say;

/// What says in the reader's language why something cannot be done; English is what it displays.
pub trait InWords {
    /// Its words.
    fn in_words(&self) -> String;
}

impl InWords for StartError {
    fn in_words(&self) -> String {
        match self {
            Self::Circular(names) => say!("start-circular", names = names.join(" -> ")),
            Self::Shape {
                name,
                made_for,
                value,
            } => say!("start-shape", name, made_for, value),
            Self::States { machine, states } if states.is_empty() => {
                say!("start-no-state", machine)
            }
            Self::States { machine, states } => {
                say!("start-several-states", machine, states = states.join(", "))
            }
        }
    }
}

impl InWords for SetupError {
    fn in_words(&self) -> String {
        match self {
            Self::Start(error) => error.in_words(),
            Self::StartNotFinite { name, value, .. } => say!("start-not-finite", name, value),
            Self::BadInterval { what, value, .. } => say!("start-bad-interval", what, value),
            Self::DelayTooLong { ticks, .. } => {
                // Digits by the hundred say less than a power of ten.
                let ticks = match *ticks < 1e15 {
                    true => ticks.to_string(),
                    false => format!("{ticks:e}"),
                };
                say!("start-delay-too-long", ticks)
            }
            Self::PastNotFinite { time, .. } => say!("start-past-not-finite", time),
            Self::Settings(error) => error.in_words(),
            Self::Fault(fault) => fault.to_string(),
        }
    }
}

impl InWords for ConfigError {
    fn in_words(&self) -> String {
        match self {
            Self::NoStep => say!("setting-no-step"),
            Self::NoStop => say!("setting-no-stop"),
            Self::NotPositive { setting, value } => say!("setting-not-positive", setting, value),
            Self::EveryNotMultiple { every, step } => say!("setting-not-multiple", every, step),
            Self::TooManyTicks { stop, step } => {
                let [stop, step] = [stop, step].map(|time| format!("{time:?}"));
                say!("setting-too-many-ticks", stop, step)
            }
            Self::NotInTicks(way) => say!("setting-not-in-ticks", way = way.name()),
            Self::Settings(error) => error.in_words(),
        }
    }
}

impl InWords for SettingsError {
    fn in_words(&self) -> String {
        match self {
            Self::Rtol(value) => say!("setting-rtol", value = short(*value)),
            Self::Atol { value, .. } => say!("setting-atol", value = short(*value)),
            Self::NoStep(method) => say!("setting-fixed-step", method = method.name()),
            Self::H0(value) => say!("setting-h0", value = short(*value)),
            Self::Limits { hmin, hmax } => {
                say!("setting-limits", hmin = short(*hmin), hmax = short(*hmax))
            }
        }
    }
}

/// A number without the point that a whole one needs in Rust.
fn short(value: f64) -> String {
    let text = format!("{value:?}");
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}

impl InWords for CompileError {
    fn in_words(&self) -> String {
        match self {
            Self::Machine(why) => say!("native-machine", why),
            Self::TooLarge => say!("native-too-large"),
            Self::Refused(why) => say!("native-refused", why),
        }
    }
}

#[cfg(test)]
mod tests {
    use situ_engine::ids::Origin;
    use situ_engine::{Locate, Method};

    use super::*;

    #[test]
    fn in_english_they_say_what_they_display() {
        let origin = Origin::default();
        let name = || "x".to_owned();
        let setups = [
            SetupError::Start(StartError::Circular(vec![name(), "y".to_owned()])),
            SetupError::Start(StartError::Shape {
                name: name(),
                made_for: 2.0,
                value: 3.5,
            }),
            SetupError::Start(StartError::States {
                machine: "m".to_owned(),
                states: Vec::new(),
            }),
            SetupError::Start(StartError::States {
                machine: "m".to_owned(),
                states: vec!["`m.a`".to_owned(), "`m.b`".to_owned()],
            }),
            SetupError::StartNotFinite {
                name: name(),
                value: f64::NAN,
                origin,
            },
            SetupError::BadInterval {
                what: "every",
                value: -1.0,
                origin,
            },
            SetupError::DelayTooLong { ticks: 1e9, origin },
            SetupError::DelayTooLong {
                ticks: 1e20,
                origin,
            },
            SetupError::PastNotFinite { time: -2.0, origin },
        ];
        for error in setups {
            assert_eq!(error.in_words(), error.to_string());
        }
        let settings = [
            SettingsError::Rtol(2.0),
            SettingsError::Atol {
                component: 0,
                value: -1.0,
            },
            SettingsError::NoStep(Method::Auto),
            SettingsError::H0(0.0),
            SettingsError::Limits {
                hmin: 1.0,
                hmax: 0.5,
            },
        ];
        let configs = [
            ConfigError::NoStep,
            ConfigError::NoStop,
            ConfigError::NotPositive {
                setting: "step",
                value: -0.5,
            },
            ConfigError::EveryNotMultiple {
                every: 0.3,
                step: 0.2,
            },
            ConfigError::TooManyTicks {
                stop: 1e30,
                step: 1e-3,
            },
            ConfigError::NotInTicks(Locate::default()),
        ];
        let settings = settings.map(ConfigError::Settings);
        for error in settings.into_iter().chain(configs) {
            assert_eq!(error.in_words(), error.to_string());
        }
    }
}
