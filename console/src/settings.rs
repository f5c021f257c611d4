//! What changes a table besides its text, and what `set` knows besides names of the model: the settings of the clock,
//! from the engine's table. Help, the reference, completion and the messages about mistakes come from it.

use situ_engine::model::{Clock, ClockKind, ClockSetting, ClockValue};
use situ_engine::sim::{EventConfig, RunConfig};
use situ_rules::diag::{InWords, meant};
use situ_words::{Phrase, phrase, say};

use super::Console;
use super::reply::CommandError;

/// Settings that change a version besides its text.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Choices {
    /// The case that is applied.
    pub(super) case: Option<String>,
    /// `NAME = VALUE`, as they were set; each name once.
    pub(super) settings: Vec<(String, String)>,
    /// What replaces the table's clock: numbers and words.
    pub(super) clock: Clock,
    /// What replaces expressions and conditions of the table's clock: names of settings with texts; each name once.
    pub(super) formulas: Vec<(&'static str, String)>,
}

/// A short name for `step`.
const SHORT: &str = "dt";

/// What a table's clock has and `set` does not change, with how it is said otherwise.
const ELSEWHERE: [(&str, Phrase); 2] = [
    ("every", phrase!("console-not-by-set.every")),
    ("start", phrase!("console-not-by-set.start")),
];

/// The end of a run whose table says nothing, in ticks: so far that nobody gets there.
const ENDLESS_TICKS: f64 = 1e15;

/// The settings that `set` changes, by their names.
pub(super) fn settings() -> impl Iterator<Item = (&'static str, &'static ClockSetting)> {
    let all = Clock::SETTINGS
        .iter()
        .map(|setting| (setting.name, setting));
    let all = all.filter(|(name, _)| ELSEWHERE.iter().all(|(other, _)| other != name));
    let short = Clock::SETTINGS
        .iter()
        .filter(|row| row.others.contains(&SHORT));
    short.map(|setting| (SHORT, setting)).chain(all)
}

/// The setting of that name.
pub(super) fn setting(name: &str) -> Option<&'static ClockSetting> {
    let found = settings().find(|(known, _)| *known == name);
    found.map(|(_, setting)| setting)
}

/// Advice on a setting of a table's clock that `set` cannot change; `None` if the clock has nothing of that name.
pub(super) fn elsewhere(name: &str) -> Option<CommandError> {
    let (name, help) = ELSEWHERE.iter().find(|(known, _)| *known == name)?;
    let message = say!("console-not-by-set", name);
    Some(CommandError::new(message).with_help(help.to_string()))
}

/// What a setting is, one line without a full stop.
pub(super) fn about(setting: &ClockSetting) -> String {
    let id = format!("clock-{}", setting.name);
    situ_words::prose(&id).unwrap_or_else(|| setting.about().to_owned())
}

/// The settings with what they are, a line each.
pub(super) fn described() -> Vec<(&'static str, String)> {
    let described = settings().map(|(name, setting)| {
        let about = match name {
            SHORT => say!("console-same-as", name = setting.name),
            _ => about(setting),
        };
        let words: Vec<&str> = setting.kind.words().iter().map(|(word, _)| *word).collect();
        match words[..] {
            [] => (name, about),
            _ => (name, format!("{about}: {}", words.join(", "))),
        }
    });
    described.collect()
}

/// What the value of a setting is.
fn kind_name(kind: ClockKind) -> String {
    match kind {
        ClockKind::Positive | ClockKind::Count => say!("console-value-positive"),
        ClockKind::NotNegative => say!("console-value-not-negative"),
        ClockKind::Word(_) => say!("console-value-word"),
        ClockKind::Expression => say!("console-value-expression"),
        ClockKind::Condition => say!("console-value-condition"),
    }
}

/// States the value of a setting.
pub(super) fn choose(
    console: &mut Console,
    (name, setting): (&str, &'static ClockSetting),
    value: &str,
    choices: &mut Choices,
) -> Result<(), CommandError> {
    let kind = setting.kind;
    let value = match kind {
        ClockKind::Positive | ClockKind::NotNegative | ClockKind::Count => {
            let number = console.number(value)?;
            if !kind.allows(number) {
                return Err(CommandError::new(say!(
                    "console-setting-kind",
                    name,
                    kind = kind_name(kind)
                )));
            }
            ClockValue::Number(number)
        }
        ClockKind::Word(words) => ClockValue::Word(word(name, &words(), value)?),
        ClockKind::Expression | ClockKind::Condition => {
            choices.formulas.retain(|(known, _)| *known != setting.name);
            let value = value.trim_matches('"').to_owned();
            choices.formulas.push((setting.name, value));
            return Ok(());
        }
    };
    setting
        .set(&mut choices.clock, value)
        .map_err(|error| CommandError::new(error.to_string()))
}

fn word(
    name: &str,
    words: &[(&'static str, &'static str)],
    value: &str,
) -> Result<&'static str, CommandError> {
    let value = value.trim_matches('"');
    let known: Vec<&'static str> = words.iter().map(|(word, _)| *word).collect();
    let found = known.iter().copied().find(|word| *word == value);
    found.ok_or_else(|| {
        let trouble = CommandError::new(say!("console-setting-value", name, value));
        trouble.with_help(match meant(value, &known) {
            Some(near) => say!("report-did-you-mean", near),
            None => say!("console-one-of", words = known.join(", ")),
        })
    })
}

/// What a run at the prompt is made with.
///
/// # Errors
///
/// No run can be made with it.
pub(super) fn config(clock: &Clock) -> Result<RunConfig, CommandError> {
    let step = clock.step.unwrap_or(0.001);
    let endless = step * ENDLESS_TICKS;
    let clock = Clock {
        step: Some(step),
        stop: clock.stop.or(Some(endless)),
        every: None,
        ..clock.clone()
    };
    let config =
        RunConfig::from_clock(&clock).map_err(|error| CommandError::new(error.in_words()))?;
    Ok(match config {
        // Where one looks is decided at the prompt.
        RunConfig::Events(events) => RunConfig::Events(EventConfig {
            every: None,
            ..events
        }),
        ticks => ticks,
    })
}
