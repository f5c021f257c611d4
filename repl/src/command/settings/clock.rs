//! The options of the clock, made from the engine's table of settings: one option each, `--max-steps` for `max_steps`.
//!
//! Two settings are spelt otherwise here: `stepping` is the pair `--events` and `--ticks`, `stop_when` is `--until`.
//! Numbers and words are read at once, expressions and conditions when the model is known.

use std::ffi::OsStr;
use std::sync::LazyLock;

use clap::builder::{PossibleValue, PossibleValuesParser, StringValueParser, TypedValueParser};
use clap::error::{ContextKind, ContextValue};
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use situ_engine::model::{Clock, ClockKind, ClockSetting, ClockValue, Model, Stepping};
use situ_rules::diag::meant;
use situ_rules::source::{Origins, SourceMap};
use situ_rules::{Diagnostic, resolve};

use super::number::{as_number, number, whole};

/// What the command line says of the clock.
#[derive(Clone, Debug, Default)]
pub(in crate::command) struct ClockOptions {
    /// Numbers and words.
    pub(in crate::command) clock: Clock,
    /// Expressions and conditions.
    formulas: Vec<ClockFormula>,
    /// The settings that were given, with their options.
    given: Vec<(&'static ClockSetting, &'static str)>,
}

/// A setting whose value depends on the model, with its option and its text.
type ClockFormula = (&'static ClockSetting, &'static str, String);

/// The value of an option.
#[derive(Clone, Debug)]
enum Given {
    Value(ClockValue),
    Formula(String),
}

/// The settings, each with the long name of its option.
fn named() -> impl Iterator<Item = (&'static ClockSetting, &'static str)> {
    static NAMES: LazyLock<Vec<String>> = LazyLock::new(|| {
        let names = Clock::SETTINGS.iter().map(|setting| match setting.name {
            "stop_when" => "until".to_owned(),
            name => name.replace('_', "-"),
        });
        names.collect()
    });
    Clock::SETTINGS.iter().zip(NAMES.iter().map(String::as_str))
}

/// The option of a setting: of `stepping` the two flags.
fn options((setting, long): (&'static ClockSetting, &'static str)) -> Vec<Arg> {
    if setting.name == "stepping" {
        let events =
            "Locate every event instead of ticking: exact in time, see `--method` and `--rtol`";
        let ticks = "Tick, also if the table asks for events";
        let flag = |name, help| {
            Arg::new(name)
                .long(name)
                .action(ArgAction::SetTrue)
                .help(help)
        };
        return vec![
            flag("events", events).conflicts_with("ticks"),
            flag("ticks", ticks),
        ];
    }
    let (about, default) = (setting.about(), setting.default);
    let help = match default.starts_with("none") {
        true => about.to_owned(),
        false => format!("{about} [default: {default}]"),
    };
    let option = Arg::new(setting.name)
        .long(long)
        .value_name(setting.placeholder)
        .allow_hyphen_values(!matches!(
            setting.kind,
            ClockKind::Count | ClockKind::Word(_)
        ))
        .value_parser(Reader(setting))
        .help(help);
    vec![match setting.only {
        Some(Stepping::Events) => option.help_heading("Event stepping"),
        _ => option,
    }]
}

impl Args for ClockOptions {
    fn augment_args(command: Command) -> Command {
        command.args(named().flat_map(options))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for ClockOptions {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut options = Self::default();
        options.update_from_arg_matches(matches)?;
        Ok(options)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        for (setting, long) in named() {
            if setting.name == "stepping" {
                for (flag, stepping) in [("ticks", Stepping::Tick), ("events", Stepping::Events)] {
                    if matches.get_flag(flag) {
                        self.clock.stepping = Some(stepping);
                    }
                }
                continue;
            }
            if matches.get_one::<Given>(setting.name).is_some() {
                self.given.push((setting, long));
            }
            match matches.get_one(setting.name).cloned() {
                Some(Given::Value(value)) => setting
                    .set(&mut self.clock, value)
                    .expect("a value was read as its setting's kind"),
                Some(Given::Formula(text)) => {
                    self.formulas.retain(|(_, other, _)| *other != long);
                    self.formulas.push((setting, long, text));
                }
                None => {}
            }
        }
        Ok(())
    }
}

impl ClockOptions {
    /// The options that a run of this stepping does not look at.
    pub(super) fn unused(&self, stepping: Stepping) -> impl Iterator<Item = &'static str> {
        let given = self.given.iter();
        let unused =
            given.filter(move |(setting, _)| setting.only.is_some_and(|only| only != stepping));
        unused.map(|(_, long)| *long)
    }

    /// The clock that the options state over a model.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with expressions and conditions.
    pub(super) fn over(
        &self,
        model: &mut Model,
        origins: &mut Origins,
        sources: &mut SourceMap,
    ) -> Result<Clock, Vec<Diagnostic>> {
        let mut clock = self.clock.clone();
        let mut wrong = Vec::new();
        for (setting, long, text) in &self.formulas {
            let shown_as = format!("<--{long}>");
            match resolve::clock_formula(model, origins, sources, &shown_as, setting, text) {
                Ok(value) => setting
                    .set(&mut clock, value)
                    .expect("a formula is read as its setting's kind"),
                Err(reports) => wrong.extend(reports),
            }
        }
        match wrong.is_empty() {
            true => Ok(clock),
            false => Err(wrong),
        }
    }
}

/// Reads the value of a setting.
#[derive(Clone, Copy, Debug)]
struct Reader(&'static ClockSetting);

impl TypedValueParser for Reader {
    type Value = Given;

    fn parse_ref(
        &self,
        command: &Command,
        option: Option<&Arg>,
        value: &OsStr,
    ) -> Result<Given, clap::Error> {
        let number = match self.0.kind {
            ClockKind::Positive | ClockKind::NotNegative => {
                number.parse_ref(command, option, value)?
            }
            ClockKind::Count => {
                as_number(whole::<u64>(1..=u64::MAX).parse_ref(command, option, value)?)
            }
            ClockKind::Word(words) => return word(&words(), command, option, value),
            ClockKind::Expression | ClockKind::Condition => {
                let text = StringValueParser::new().parse_ref(command, option, value)?;
                return Ok(Given::Formula(text));
            }
        };
        Ok(Given::Value(ClockValue::Number(number)))
    }

    /// The words with what they mean, for help and completion.
    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue>>> {
        let ClockKind::Word(words) = self.0.kind else {
            return None;
        };
        let words = words().into_iter();
        Some(Box::new(
            words.map(|(word, about)| PossibleValue::new(word).help(about)),
        ))
    }
}

/// Reads one of some words; for those of other programs it names ours.
fn word(
    words: &[(&'static str, &'static str)],
    command: &Command,
    option: Option<&Arg>,
    value: &OsStr,
) -> Result<Given, clap::Error> {
    if let Some((word, _)) = words.iter().find(|(word, _)| *word == value) {
        return Ok(Given::Value(ClockValue::Word(word)));
    }
    let known: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
    let refused = PossibleValuesParser::new(known.iter().copied());
    let mut error = match refused.parse_ref(command, option, value) {
        Ok(_) => clap::Error::new(clap::error::ErrorKind::InvalidValue),
        Err(error) => error,
    };
    if let Some(ours) = value.to_str().and_then(|value| meant(value, &known)) {
        let ours = ContextValue::String(ours.to_owned());
        error.insert(ContextKind::SuggestedValue, ours);
    }
    Err(error)
}
