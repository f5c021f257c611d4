//! Settings of a run: the options that say what is run and how; shared by all commands that run.

mod clock;
mod number;

use std::path::PathBuf;
use std::sync::Arc;

use clap::{Args, FromArgMatches};
use situ_engine::model::{Order, Stepping};
use situ_engine::sim::{ConfigError, Run, RunConfig};
use situ_rules::diag::{InWords, dense_schedules, first_error, nearest, rounded_delays};
use situ_rules::{Choices, Diagnostic, resolve};

use self::clock::ClockOptions;
pub(super) use self::number::{number, whole};
use super::table::{self, Opened};
use super::{Failure, Manner, Outcome, Streams, refused};
use crate::engine::EngineArgs;
use situ_rules::print::rewritten;
use situ_views::run::manifest::Options;
use situ_views::text::number::exact;
use situ_words::say;

/// What is run, and how.
#[derive(Clone, Debug, Args)]
pub(super) struct Settings {
    /// The table; `-` reads standard input
    pub(super) table: PathBuf,
    /// Use a case of the table
    #[arg(long, value_name = "NAME")]
    pub(super) case: Option<String>,
    /// Change a constant, a start value or a switch; may be repeated
    #[arg(long, value_name = "NAME=VALUE")]
    pub(super) set: Vec<String>,
    /// In which order what happens at one time is done; for comparisons.
    #[arg(skip)]
    pub(super) order: Order,
    #[command(flatten)]
    pub(super) clock: ClockOptions,
    #[command(flatten)]
    pub(super) engine: EngineArgs,
}

impl Settings {
    /// Of a table as its clock says.
    pub(super) fn of_table(table: PathBuf) -> Self {
        Self {
            table,
            case: None,
            set: Vec::new(),
            order: Order::default(),
            clock: ClockOptions::default(),
            engine: EngineArgs::default(),
        }
    }

    /// Reads the table and applies the options.
    ///
    /// # Errors
    ///
    /// The table or an option is wrong, and that has been shown; or what is asked for is
    /// not supported.
    pub(super) fn prepare(&self, streams: &mut Streams) -> Result<(Opened, RunConfig), Failure> {
        let opened = table::open_as(&self.table, &self.choices(), streams)?;
        self.prepare_opened(opened, streams)
    }

    /// Applies the options to a table that has been read.
    ///
    /// # Errors
    ///
    /// As [`Settings::prepare`].
    pub(super) fn prepare_opened(
        &self,
        mut opened: Opened,
        streams: &mut Streams,
    ) -> Result<(Opened, RunConfig), Failure> {
        self.apply(&mut opened, streams)?;
        let config = RunConfig::from_clock(&opened.model.clock).map_err(refused)?;
        Ok((opened, config.in_order(self.order)))
    }

    /// Changes one of the options by its name, `step=0.001`; any other name is a quantity of the model.
    ///
    /// # Errors
    ///
    /// The value is none of the option.
    pub(super) fn change(&mut self, text: &str) -> Result<(), Failure> {
        let Some((name, value)) = text.split_once('=') else {
            return Err(Failure::Wrong(say!("cli-change.not-name-value", text)));
        };
        let (name, value) = (name.trim(), value.trim());
        if name == "order" {
            self.order = match value {
                "written" => Order::Written,
                "reversed" => Order::Reversed,
                _ => {
                    return Err(Failure::Wrong(say!(
                        "cli-change.order-written-reversed",
                        value
                    )));
                }
            };
            return Ok(());
        }
        if name == "stepping" {
            self.clock.clock.stepping = Some(match value {
                "events" => Stepping::Events,
                "tick" | "ticks" => Stepping::Tick,
                _ => {
                    return Err(Failure::Wrong(say!(
                        "cli-change.stepping-tick-events",
                        value
                    )));
                }
            });
            return Ok(());
        }
        let name = match name {
            "stop_when" => "until".to_owned(),
            name => name.replace('_', "-"),
        };
        let is_option = Self::command()
            .get_arguments()
            .any(|argument| argument.get_long() == Some(&name) && name != "set");
        if !is_option {
            self.set.push(text.to_owned());
            return Ok(());
        }
        let arguments = [
            "against".to_owned(),
            format!("--{name}={value}"),
            "table".to_owned(),
        ];
        let matches = Self::command().try_get_matches_from(arguments);
        let changed = matches.map_err(|error| Failure::Wrong(refused::in_one_line(&error)))?;
        let before = self.clone();
        self.update_from_arg_matches(&changed)
            .expect("what was matched fits the options");
        // What has a default is set in any case.
        (self.table, self.set) = (before.table, before.set);
        self.engine.fast_math = before.engine.fast_math;
        Ok(())
    }

    /// Sees to it that a run has the engine asked for.
    ///
    /// # Errors
    ///
    /// There is no native code for the run, and it was asked for.
    pub(super) fn plug_in(&self, run: &mut Run) -> Outcome {
        Ok(self.engine.plug_in(run)?)
    }

    fn command() -> clap::Command {
        Self::augment_args(clap::Command::new("against").no_binary_name(false))
    }

    /// The options that change the table, as they were given.
    pub(super) fn options(&self) -> Options {
        Options {
            case: self.case.clone(),
            set: self.set.clone(),
        }
    }

    /// Name of the run in a legend.
    pub(super) fn label(&self, opened: &Opened) -> String {
        let mut label = self
            .case
            .clone()
            .unwrap_or_else(|| opened.model.name.clone());
        for setting in &self.set {
            label.push_str(if label.is_empty() { "" } else { ", " });
            label.push_str(setting);
        }
        label
    }

    /// The options that give families their size.
    pub(super) fn choices(&self) -> Choices {
        Choices {
            case: self.case.clone(),
            set: self.set.clone(),
        }
    }

    fn apply(&self, opened: &mut Opened, streams: &mut Streams) -> Result<(), Failure> {
        let (undone, mut wrong) = choose(&self.choices(), opened, streams)?;
        wrong.extend(self.set_clock(opened));
        if !wrong.is_empty() {
            return Err(table::refuse(&wrong, &opened.sources, streams));
        }
        for line in undone {
            streams.remark(&line);
        }
        let stepping = opened.model.clock.stepping.unwrap_or(Stepping::Tick);
        for option in self.clock.unused(stepping) {
            streams.remark(&match stepping {
                Stepping::Tick => say!("cli-option-unused.in-ticks", option),
                Stepping::Events => say!("cli-option-unused.in-events", option),
            });
        }
        Ok(())
    }

    /// Gives the model the clock that the options ask for. Result: what is wrong with them.
    fn set_clock(&self, opened: &mut Opened) -> Vec<Diagnostic> {
        let Opened {
            model,
            origins,
            sources,
            ..
        } = opened;
        let model = Arc::make_mut(model);
        match self.clock.over(model, origins, sources) {
            Ok(over) => {
                let clock = model.clock.overridden_by(&over);
                let own = std::mem::replace(&mut model.clock, clock).stop_when;
                opened.own_stop = own;
                Vec::new()
            }
            Err(reports) => reports,
        }
    }

    /// A table as it was read, with these settings and further ones, which give its families another size; and how it is run.
    ///
    /// # Errors
    ///
    /// What is wrong with the table or the values then.
    pub(super) fn resized(
        &self,
        read: &Opened,
        more: &[String],
    ) -> Result<(Opened, RunConfig), String> {
        let mut opened = read.clone();
        let mut choices = self.choices();
        choices.set.extend_from_slice(more);
        opened
            .resize(&choices)
            .map_err(|wrong| first_error(&wrong))?;
        let (_, mut wrong) = set_values(&choices, &mut opened);
        wrong.extend(self.set_clock(&mut opened));
        if !wrong.is_empty() {
            return Err(first_error(&wrong));
        }
        let config =
            RunConfig::from_clock(&opened.model.clock).map_err(|error| error.in_words())?;
        Ok((opened, config.in_order(self.order)))
    }
}

/// Gives a table the case and the values that are chosen. Result: what rows undo, and what is wrong with the values.
///
/// # Errors
///
/// There is no such case, or the table has errors with these values, which have been shown.
pub(in crate::command) fn choose(
    choices: &Choices,
    opened: &mut Opened,
    streams: &mut Streams,
) -> Result<(Vec<String>, Vec<Diagnostic>), Failure> {
    opened.reshape(choices, streams)?;
    with_values(choices, opened)
}

/// The same for a table whose families have their size.
///
/// # Errors
///
/// There is no such case.
pub(in crate::command) fn with_values(
    choices: &Choices,
    opened: &mut Opened,
) -> Result<(Vec<String>, Vec<Diagnostic>), Failure> {
    if let Some(name) = &choices.case
        && !opened.model.cases.iter().any(|case| case.name == *name)
    {
        return Err(unknown_case(name, opened));
    }
    Ok(set_values(choices, opened))
}

/// Gives a model the case and the values that are chosen. Result: what rows undo, and what is wrong with the values.
fn set_values(choices: &Choices, opened: &mut Opened) -> (Vec<String>, Vec<Diagnostic>) {
    let mut cases = opened.model.cases.iter();
    if let Some(case) = cases.position(|case| Some(&case.name) == choices.case.as_ref()) {
        Arc::make_mut(&mut opened.model).apply_case(case);
    }
    let Opened {
        model,
        origins,
        sources,
        ..
    } = opened;
    let model = Arc::make_mut(model);
    let (mut undone, mut settings, mut wrong) = (Vec::new(), Vec::new(), Vec::new());
    for text in &choices.set {
        match resolve::setting(model, origins, sources, "<--set>", text) {
            Ok(setting) => {
                if let situ_engine::model::Setting::Real(id, _) = setting {
                    undone.extend(rewritten(model, id));
                }
                settings.push(setting);
            }
            Err(reports) => wrong.extend(reports),
        }
    }
    model.apply(&settings);
    (undone, wrong)
}

/// Adds what is suspicious in a table and in how it is going to be run.
pub(super) fn look(opened: &mut Opened, config: &RunConfig) {
    let found = opened.look();
    opened.diagnostics.extend(found);
    if let RunConfig::Ticks(config) = config
        && !config.is_uneven()
    {
        let (model, origins, step) = (&opened.model, &opened.origins, config.step);
        let mut found = rounded_delays(model, origins, step);
        found.extend(dense_schedules(model, origins, step));
        opened.diagnostics.extend(found);
    }
}

/// Shows what is suspicious in a table and its run.
pub(super) fn warn(opened: &mut Opened, config: &RunConfig, streams: &mut Streams) {
    if streams.manner == Manner::Quiet {
        return;
    }
    look(opened, config);
    table::show(&opened.diagnostics, &opened.sources, streams);
    if let (RunConfig::Ticks(config), Some(stop)) = (config, opened.model.clock.stop)
        && (config.stop() - stop).abs() > 1e-9 * stop
        && !config.is_uneven()
    {
        let (end, stop, step) = (exact(config.stop()), exact(stop), exact(config.step));
        streams.remark(&say!("cli-warn.run-ends-not", end, stop, step));
    }
}

fn unknown_case(name: &str, opened: &Opened) -> Failure {
    let cases = || opened.model.cases.iter().map(|case| case.name.as_str());
    let hint = match nearest(name, cases()) {
        Some(near) => say!("report-did-you-mean", near),
        None if opened.model.cases.is_empty() => say!("cli-unknown-case.no-cases"),
        None => say!(
            "cli-unknown-case.it-has",
            x = cases()
                .map(|case| format!("`{case}`"))
                .collect::<Vec<_>>()
                .join(", ")
        ),
    };
    Failure::Wrong(say!("cli-unknown-case.table-no-case", name, hint))
}

fn refused(error: ConfigError) -> Failure {
    match error {
        ConfigError::NoStep => Failure::Wrong(say!("cli-refused.table-no-step")),
        ConfigError::NoStop => Failure::Wrong(say!("cli-refused.table-no-stop")),
        error => Failure::Wrong(error.in_words()),
    }
}
