//! Settings of a run: the options that say what is run and how; shared by all commands that run.

use std::ffi::OsStr;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::sync::Arc;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::error::{ContextKind, ContextValue};
use clap::{Arg, Args, Command, FromArgMatches, ValueEnum};
use situ_engine::model::{Clock, IntegralRule, Order, Scan, Stepping};
use situ_engine::sim::{ConfigError, Run, RunConfig};
use situ_engine::solve::{Locate, Method};
use situ_rules::Diagnostic;
use situ_rules::diag::{dense_schedules, meant, nearest, rounded_delays};
use situ_rules::resolve;

use super::table::{self, Opened};
use super::{Failure, Manner, Outcome, Streams};
use crate::engine::EngineArgs;
use situ_rules::print::rewritten;
use situ_views::run::manifest::Options;
use situ_views::text::number::exact;

/// Up to here every whole number is a double.
const MOST_WHOLE: f64 = 9_007_199_254_740_992.0;

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
    /// End of the run [units of time]
    #[arg(long, value_name = "T", allow_hyphen_values = true, value_parser = number)]
    pub(super) stop: Option<f64>,
    /// Locate every event instead of ticking: exact in time, see `--method` and `--rtol`
    #[arg(long, conflicts_with = "ticks")]
    pub(super) events: bool,
    /// Tick, also if the table asks for events
    #[arg(long)]
    pub(super) ticks: bool,
    /// Length of a tick, and of a step of a method with fixed steps [units of time]
    #[arg(long, value_name = "DT", allow_hyphen_values = true, value_parser = number)]
    pub(super) step: Option<f64>,
    /// Distance of output rows [units of time]; a multiple of the step
    #[arg(long, value_name = "DT", allow_hyphen_values = true, value_parser = number)]
    pub(super) every: Option<f64>,
    /// End after the first row in which this holds, e.g. `h < R & Vy > 0`
    #[arg(long, value_name = "COND", allow_hyphen_values = true)]
    pub(super) until: Option<String>,
    /// Which values the rows of a tick see: those of this tick, or all of the one before
    #[arg(long, value_name = "ORDER")]
    pub(super) scan: Option<ScanArg>,
    /// Formula of the procedure `integral`
    #[arg(long, value_name = "FORMULA")]
    pub(super) integral: Option<IntegralArg>,
    /// Integration method between events [default: auto]
    #[arg(long, value_name = "NAME", value_parser = method_names(), help_heading = "Event stepping")]
    pub(super) method: Option<Method>,
    /// Relative tolerance of a step [default: 1e-6]
    #[arg(
        long,
        value_name = "NUMBER",
        allow_hyphen_values = true, value_parser = number,
        help_heading = "Event stepping"
    )]
    pub(super) rtol: Option<f64>,
    /// Absolute tolerance of a step, in the unit of each real [default: rtol / 1000]
    #[arg(
        long,
        value_name = "NUMBER",
        allow_hyphen_values = true, value_parser = number,
        help_heading = "Event stepping"
    )]
    pub(super) atol: Option<f64>,
    /// First step, and the step of a method with fixed steps [units of time]
    #[arg(
        long,
        value_name = "DT",
        allow_hyphen_values = true, value_parser = number,
        help_heading = "Event stepping"
    )]
    pub(super) h0: Option<f64>,
    /// Shortest step [units of time]
    #[arg(
        long,
        value_name = "DT",
        allow_hyphen_values = true, value_parser = number,
        help_heading = "Event stepping"
    )]
    pub(super) hmin: Option<f64>,
    /// Longest step [units of time]
    #[arg(
        long,
        value_name = "DT",
        allow_hyphen_values = true, value_parser = number,
        help_heading = "Event stepping"
    )]
    pub(super) hmax: Option<f64>,
    /// End the run with an error after so many event instants [default: 1e7]
    #[arg(long, value_name = "N", value_parser = whole::<u64>(1..=u64::MAX), help_heading = "Event stepping")]
    pub(super) max_events: Option<u64>,
    /// End the run with an error after so many ticks or steps [default: 1e9]
    #[arg(long, value_name = "N", value_parser = whole::<u64>(1..=u64::MAX))]
    pub(super) max_steps: Option<u64>,
    /// End the run with an error after so many rows [default: 1e10]
    #[arg(long, value_name = "N", value_parser = whole::<u64>(1..=u64::MAX))]
    pub(super) max_rows: Option<u64>,
    /// How an event is located in a step or a tick [default: root; of ticks, none]
    #[arg(long, value_name = "WAY", value_parser = way_names())]
    pub(super) locate: Option<Locate>,
    /// Length of each tick, or step of a method with fixed steps, read where it begins, e.g. `min(h, 1) * 0.01`
    #[arg(long, value_name = "EXPR", allow_hyphen_values = true)]
    pub(super) step_formula: Option<String>,
    #[command(flatten)]
    pub(super) engine: EngineArgs,
}

/// Reads a number with its sign. Whether it may be negative is for the run's settings to say, in words:
/// what begins with a minus would else be taken for an option.
pub(super) fn number(text: &str) -> Result<f64, String> {
    text.parse()
        .map_err(|_| "a number is needed, like 0.5 or 1e-3".to_owned())
}

/// Reads whole numbers of a range, in any spelling: `1000`, `1e3`.
pub(super) fn whole<T: TryFrom<u64>>(
    range: RangeInclusive<u64>,
) -> impl Fn(&str) -> Result<T, String> + Clone {
    move |text| {
        let spelt = || {
            let number = text.parse::<f64>().ok()?;
            let is_whole = number.fract() == 0.0 && (0.0..=MOST_WHOLE).contains(&number);
            is_whole.then(|| format!("{number:.0}").parse().ok())?
        };
        text.parse()
            .ok()
            .or_else(spelt)
            .filter(|number| range.contains(number))
            .and_then(|number| T::try_from(number).ok())
            .ok_or_else(|| {
                let from = range.start();
                match *range.end() {
                    u64::MAX => format!("a whole number from {from} on is needed, like 16 or 1e3"),
                    to => format!("a whole number from {from} to {to} is needed"),
                }
            })
    }
}

/// A budget as a setting of the clock; where a double has no room for all digits a few more or less do not matter.
#[expect(clippy::cast_precision_loss, reason = "see above")]
fn as_number(count: u64) -> f64 {
    count as f64
}

/// What the command line says of an argument, without usage: the mistake, and what may be meant.
fn in_one_line(error: &clap::Error) -> String {
    let text = error.to_string();
    let line = text.lines().next().unwrap_or_default();
    let line = line.trim_start_matches("error: ");
    let words = |kind| match error.get(kind) {
        Some(ContextValue::String(word)) => vec![word.as_str()],
        Some(ContextValue::Strings(words)) => words.iter().map(String::as_str).collect(),
        _ => Vec::new(),
    };
    match words(ContextKind::SuggestedValue).first() {
        Some(near) => format!("{line}; did you mean `{near}`?"),
        None => match words(ContextKind::ValidValue) {
            known if known.is_empty() => line.to_owned(),
            known => format!("{line}; it is one of {}", known.join(", ")),
        },
    }
}

/// The ways to locate events with what they do, for help and completion.
fn way_names() -> impl TypedValueParser<Value = Locate> {
    let names = Locate::ALL.map(|way| PossibleValue::new(way.name()).help(way.about()));
    PossibleValuesParser::new(names)
        .map(|name| Locate::by_name(&name).expect("only names of ways are possible"))
}

/// The methods with what they are, for help and completion.
fn method_names() -> impl TypedValueParser<Value = Method> {
    let names =
        Method::ALL.map(|method| PossibleValue::new(method.name()).help(method.about().about));
    MethodNames(PossibleValuesParser::new(names))
}

/// Reads names of methods; for those of other programs it names ours.
#[derive(Clone, Debug)]
struct MethodNames(PossibleValuesParser);

impl TypedValueParser for MethodNames {
    type Value = Method;

    fn parse_ref(
        &self,
        command: &Command,
        argument: Option<&Arg>,
        value: &OsStr,
    ) -> Result<Method, clap::Error> {
        match self.0.parse_ref(command, argument, value) {
            Ok(name) => Ok(Method::by_name(&name).expect("only names of methods are possible")),
            Err(mut error) => {
                let known = Method::ALL.map(Method::name);
                if let Some(ours) = value.to_str().and_then(|value| meant(value, &known)) {
                    let ours = ContextValue::String(ours.to_owned());
                    error.insert(ContextKind::SuggestedValue, ours);
                }
                Err(error)
            }
        }
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        self.0.possible_values()
    }
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum ScanArg {
    /// Each result is stored at once and seen by the rows below
    Sequential,
    /// All rows see the values before the tick
    Simultaneous,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum IntegralArg {
    /// y + c*a*dt
    Rectangle,
    /// y + c*(a before + a now)/2*dt
    Trapezoid,
}

impl Settings {
    /// Reads the table and applies the options.
    ///
    /// Errors: the table or an option is wrong, and that has been shown; or what is asked for is
    /// not supported.
    pub(super) fn prepare(&self, streams: &mut Streams) -> Result<(Opened, RunConfig), Failure> {
        let opened = table::open(&self.table, streams)?;
        self.prepare_opened(opened, streams)
    }

    /// Applies the options to a table that has been read.
    ///
    /// Errors: as [`Settings::prepare`].
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
    /// Errors: the value is none of the option.
    pub(super) fn change(&mut self, text: &str) -> Result<(), Failure> {
        let Some((name, value)) = text.split_once('=') else {
            return Err(Failure::Wrong(format!("`{text}` is not NAME=VALUE")));
        };
        let (name, value) = (name.trim(), value.trim());
        if name == "order" {
            self.order = match value {
                "written" => Order::Written,
                "reversed" => Order::Reversed,
                _ => {
                    return Err(Failure::Wrong(format!(
                        "`order` is `written` or `reversed`, not `{value}`"
                    )));
                }
            };
            return Ok(());
        }
        if name == "stepping" {
            (self.events, self.ticks) = match value {
                "events" => (true, false),
                "tick" | "ticks" => (false, true),
                _ => {
                    return Err(Failure::Wrong(format!(
                        "`stepping` is `tick` or `events`, not `{value}`"
                    )));
                }
            };
            return Ok(());
        }
        let is_option = Self::command()
            .get_arguments()
            .any(|argument| argument.get_long() == Some(name) && name != "set");
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
        let changed = matches.map_err(|error| Failure::Wrong(in_one_line(&error)))?;
        let before = self.clone();
        self.update_from_arg_matches(&changed)
            .expect("what was matched fits the options");
        // What has a default is set in any case.
        (self.table, self.set) = (before.table, before.set);
        (self.events, self.ticks) = (before.events, before.ticks);
        self.engine.fast_math = before.engine.fast_math;
        Ok(())
    }

    /// Sees to it that a run has the engine asked for.
    ///
    /// Errors: there is no native code for the run, and it was asked for.
    pub(super) fn plug_in(&self, run: &mut Run) -> Outcome {
        Ok(self.engine.plug_in(run)?)
    }

    fn command() -> clap::Command {
        Self::augment_args(clap::Command::new("against").no_binary_name(false))
    }

    /// The options that change a result, as they were given.
    pub(super) fn options(&self) -> Options {
        Options {
            case: self.case.clone(),
            set: self.set.clone(),
            until: self.until.clone(),
            step_formula: self.step_formula.clone(),
        }
    }

    /// What the run is called in a legend.
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

    fn apply(&self, opened: &mut Opened, streams: &mut Streams) -> Result<(), Failure> {
        if let Some(name) = &self.case {
            let case = opened
                .model
                .cases
                .iter()
                .position(|case| case.name == *name);
            let case = case.ok_or_else(|| unknown_case(name, opened))?;
            Arc::make_mut(&mut opened.model).apply_case(case);
        }
        let mut wrong: Vec<Diagnostic> = Vec::new();
        let Opened {
            model,
            origins,
            sources,
            ..
        } = opened;
        let model = Arc::make_mut(model);
        let mut undone = Vec::new();
        for text in &self.set {
            match resolve::setting(model, origins, sources, "<--set>", text) {
                Ok(setting) => {
                    if let situ_engine::model::Setting::Real(id, _) = setting {
                        undone.extend(rewritten(model, id));
                    }
                    model.apply(&[setting]);
                }
                Err(reports) => wrong.extend(reports),
            }
        }
        let mut over = Clock {
            step: self.step,
            stop: self.stop,
            every: self.every,
            stepping: match (self.events, self.ticks) {
                (true, _) => Some(Stepping::Events),
                (_, true) => Some(Stepping::Tick),
                _ => None,
            },
            method: self.method,
            rtol: self.rtol,
            atol: self.atol,
            h0: self.h0,
            hmin: self.hmin,
            hmax: self.hmax,
            max_events: self.max_events.map(as_number),
            max_steps: self.max_steps.map(as_number),
            max_rows: self.max_rows.map(as_number),
            locate: self.locate,
            scan: self.scan.map(|scan| match scan {
                ScanArg::Sequential => Scan::Sequential,
                ScanArg::Simultaneous => Scan::Simultaneous,
            }),
            integral: self.integral.map(|integral| match integral {
                IntegralArg::Rectangle => IntegralRule::Rectangle,
                IntegralArg::Trapezoid => IntegralRule::Trapezoid,
            }),
            ..Clock::default()
        };
        if let Some(text) = &self.until {
            match resolve::condition(model, origins, sources, "<--until>", text) {
                Ok(watch) => over.stop_when = Some(watch),
                Err(reports) => wrong.extend(reports),
            }
        }
        if let Some(text) = &self.step_formula {
            match resolve::expression(model, origins, sources, "<--step-formula>", text) {
                Ok(formula) => over.step_formula = Some(formula),
                Err(reports) => wrong.extend(reports),
            }
        }
        if !wrong.is_empty() {
            return Err(table::refuse(&wrong, sources, streams));
        }
        model.clock = model.clock.overridden_by(&over);
        for line in undone {
            streams.remark(&line);
        }
        Ok(())
    }
}

/// Adds what is suspicious in a table and in how it is going to be run.
pub(super) fn look(opened: &mut Opened, config: &RunConfig) {
    let found = opened.check();
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
        streams.remark(&format!(
            "the run ends at {end}: {stop} is not a multiple of the step {step}"
        ));
    }
}

fn unknown_case(name: &str, opened: &Opened) -> Failure {
    let cases = || opened.model.cases.iter().map(|case| case.name.as_str());
    let hint = match nearest(name, cases()) {
        Some(near) => format!("did you mean `{near}`?"),
        None if opened.model.cases.is_empty() => "it has no cases".to_owned(),
        None => format!(
            "it has {}",
            cases()
                .map(|case| format!("`{case}`"))
                .collect::<Vec<_>>()
                .join(", ")
        ),
    };
    Failure::Wrong(format!("the table has no case `{name}`; {hint}"))
}

fn refused(error: ConfigError) -> Failure {
    match error {
        ConfigError::NoStep => {
            Failure::Wrong("the table has no `step`; give one with --step".to_owned())
        }
        ConfigError::NoStop => {
            Failure::Wrong("the table has no `stop`; give one with --stop".to_owned())
        }
        error => Failure::Wrong(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_are_read_in_any_spelling() {
        let read = whole::<u16>(1..=1024);
        assert_eq!(read("16"), Ok(16));
        assert_eq!(read("1e3"), Ok(1000));
        for wrong in ["0", "1025", "1.5", "-1", "1e4", "nan", "inf", "x", ""] {
            let said = read(wrong).unwrap_err();
            assert_eq!(said, "a whole number from 1 to 1024 is needed", "{wrong}");
        }
        let read = whole::<u64>(0..=u64::MAX);
        assert_eq!(read("18446744073709551615"), Ok(u64::MAX));
        assert!(read("1e20").is_err());
    }
}
