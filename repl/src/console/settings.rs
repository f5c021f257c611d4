//! What `set` knows besides names of the model: the settings of a run, one entry each. Help, the
//! reference, completion and the messages about mistakes come from this list.

use situ_engine::model::{Clock, IntegralRule, Scan, Stepping};
use situ_engine::solve::{Locate, Method};
use situ_rules::diag::meant;

use super::Console;
use super::reply::Trouble;

/// A setting of the clock.
pub(super) struct Setting {
    pub(super) name: &'static str,
    /// What it is, a few words.
    pub(super) about: &'static str,
    takes: Takes,
}

/// What a setting can be.
enum Takes {
    /// A number, above zero unless it may vanish.
    Number {
        place: fn(&mut Clock) -> &mut Option<f64>,
        may_vanish: bool,
    },
    Word {
        /// The words, each with what it means.
        words: fn() -> Vec<(&'static str, &'static str)>,
        /// Sets the one with this position.
        set: fn(&mut Clock, usize),
    },
}

const fn number(
    name: &'static str,
    about: &'static str,
    may_vanish: bool,
    place: fn(&mut Clock) -> &mut Option<f64>,
) -> Setting {
    Setting {
        name,
        about,
        takes: Takes::Number { place, may_vanish },
    }
}

const fn word(
    name: &'static str,
    about: &'static str,
    words: fn() -> Vec<(&'static str, &'static str)>,
    set: fn(&mut Clock, usize),
) -> Setting {
    Setting {
        name,
        about,
        takes: Takes::Word { words, set },
    }
}

/// All settings.
pub(super) const SETTINGS: [Setting; 16] = [
    number("dt", "length of a tick", false, |clock| &mut clock.step),
    number("step", "length of a tick", false, |clock| &mut clock.step),
    number("stop", "end of the run", true, |clock| &mut clock.stop),
    word(
        "stepping",
        "how the table is run",
        || {
            vec![
                ("tick", "all lists are scanned once a tick"),
                ("events", "continuous, with events located"),
            ]
        },
        |clock, at| clock.stepping = Some([Stepping::Tick, Stepping::Events][at]),
    ),
    word(
        "scan",
        "what the rows of a tick see of each other",
        || {
            vec![
                ("sequential", "each result is stored at once"),
                ("simultaneous", "all rows read the state before the tick"),
            ]
        },
        |clock, at| clock.scan = Some([Scan::Sequential, Scan::Simultaneous][at]),
    ),
    word(
        "integral",
        "formula of an integral in a tick",
        || {
            vec![
                ("rectangle", "the rate of this tick"),
                (
                    "trapezoid",
                    "the mean of this tick's rate and the last one's",
                ),
            ]
        },
        |clock, at| clock.integral = Some([IntegralRule::Rectangle, IntegralRule::Trapezoid][at]),
    ),
    word(
        "method",
        "integration method of event stepping",
        || {
            let all = Method::ALL.into_iter();
            all.map(|method| (method.name(), method.about().about))
                .collect()
        },
        |clock, at| clock.method = Some(Method::ALL[at]),
    ),
    number("rtol", "relative tolerance", false, |clock| &mut clock.rtol),
    number("atol", "absolute tolerance", true, |clock| &mut clock.atol),
    number("h0", "first step, or the fixed one", false, |clock| {
        &mut clock.h0
    }),
    number("hmin", "shortest step", true, |clock| &mut clock.hmin),
    number("hmax", "longest step", false, |clock| &mut clock.hmax),
    number("max_events", "most event instants", false, |clock| {
        &mut clock.max_events
    }),
    number("max_steps", "most ticks or steps", false, |clock| {
        &mut clock.max_steps
    }),
    number("max_rows", "most rows", false, |clock| &mut clock.max_rows),
    word(
        "locate",
        "how events are located in a step or tick",
        || {
            let all = Locate::ALL.into_iter();
            all.map(|way| (way.name(), way.about())).collect()
        },
        |clock, at| clock.locate = Some(Locate::ALL[at]),
    ),
];

/// The setting of that name.
pub(super) fn setting(name: &str) -> Option<&'static Setting> {
    SETTINGS.iter().find(|setting| setting.name == name)
}

/// What a table's clock has besides these, with how it is said otherwise at the prompt.
const OF_THE_CLOCK: [(&str, &str); 4] = [
    (
        "every",
        "the prompt keeps every step; `every` in the table's `clock` or `situ run --every` thins out rows that are written",
    ),
    (
        "step_formula",
        "write it into the table's `clock`, or give `situ run --step-formula`; `set step` sets a length",
    ),
    ("stop_when", "say `run until COND` or `break COND`"),
    ("start", "write it into the table's `clock`"),
];

/// How to change what `set` cannot, but the clock of a table has; `None` if it has nothing of that name.
pub(super) fn elsewhere(name: &str) -> Option<Trouble> {
    let (name, help) = OF_THE_CLOCK.iter().find(|(known, _)| *known == name)?;
    let message = format!("`{name}` is a setting of the clock that `set` does not change");
    Some(Trouble::new(message).with_help(*help))
}

/// The settings as sentences: names with what they are.
pub(super) fn described() -> String {
    let all = SETTINGS.iter();
    let all: Vec<String> = all
        .map(|setting| format!("{} ({})", setting.name, setting.about))
        .collect();
    format!("Settings: {}.", all.join(", "))
}

impl Setting {
    /// The words that it can be, each with what it means; none if it is a number.
    pub(super) fn words(&self) -> Vec<(&'static str, &'static str)> {
        match self.takes {
            Takes::Number { .. } => Vec::new(),
            Takes::Word { words, .. } => words(),
        }
    }

    /// Writes a value into a clock.
    pub(super) fn write(
        &self,
        console: &mut Console,
        value: &str,
        clock: &mut Clock,
    ) -> Result<(), Trouble> {
        match self.takes {
            Takes::Number { place, may_vanish } => {
                let number = console.number(value)?;
                if number < 0.0 || (number == 0.0 && !may_vanish) {
                    let least = if may_vanish { "not below" } else { "above" };
                    let message = format!("`{}` is a number {least} zero", self.name);
                    return Err(Trouble::new(message));
                }
                *place(clock) = Some(number);
            }
            Takes::Word { words, set } => {
                let value = value.trim_matches('"');
                let known = words();
                let at = known.iter().position(|(word, _)| *word == value);
                set(clock, at.ok_or_else(|| self.no_such_word(value, &known))?);
            }
        }
        Ok(())
    }

    fn no_such_word(&self, value: &str, known: &[(&'static str, &'static str)]) -> Trouble {
        let words: Vec<&str> = known.iter().map(|(word, _)| *word).collect();
        let trouble = Trouble::new(format!("`{}` cannot be `{value}`", self.name));
        trouble.with_help(match meant(value, &words) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("it is one of {}", words.join(", ")),
        })
    }
}
