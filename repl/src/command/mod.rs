//! The command line: one file per command and, in `commands!`, the list of them.
//!
//! `inspect` has the commands that run nothing, `studies` those that run a table to learn of it, `io` what goes in and
//! out.
//!
//! A command is a struct that clap fills and a function `run` that gets it and the `Streams`. It
//! ends well, or with a `Failure` that says what to print and which status to end with.

mod family;
mod inspect;
pub(crate) mod io;
mod measure;
mod open;
mod plot;
mod refused;
mod repl;
mod report;
mod run;
mod settings;
mod studies;
pub(crate) mod table;
mod usage;

pub use studies::{Identity, Results, ResultsFile, Swept, columns, varied};

use std::ffi::OsString;
use std::process::ExitCode;

use anstream::ColorChoice;
use clap::builder::styling::{AnsiColor, Styles};
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};
use situ_words::{Language, say};

use io::failure::{self, Failure, Outcome};
use io::files::{MaxSize, limit_tables};
use io::log;
use io::streams::{Manner, Streams};

/// Declares the commands: a module, a variant of [`Command`], and its place in the help.
macro_rules! commands {
    ($($($module:ident)::+: $variant:ident,)*) => {
        /// What the program can do.
        #[derive(Debug, Subcommand)]
        enum Command {
            $($variant($($module)::+::$variant),)*
        }

        impl Command {
            fn run(&self, streams: &mut Streams) -> Outcome {
                match self {
                    $(Self::$variant(command) => $($module)::+::run(command, streams),)*
                }
            }
        }
    };
}

commands! {
    run: Run,
    repl: Repl,
    open: Open,
    inspect::check: Check,
    inspect::fmt: Fmt,
    plot: Plot,
    report: Report,
    inspect::show: Show,
    inspect::graph: Graph,
    studies::coverage: Coverage,
    studies::profile: Profile,
    studies::compare: Compare,
    studies::converge: Converge,
    studies::sweep: Sweep,
    studies::test: Test,
    studies::lab: Lab,
    inspect::emit: Emit,
    inspect::procedures: Procedures,
    inspect::explain: Explain,
    inspect::new: New,
    inspect::import: Import,
    inspect::completions: Completions,
}

/// Runs, checks, formats and plots rule tables.
#[derive(Debug, Parser)]
#[command(
    name = "situ",
    bin_name = "situ",
    version,
    styles = STYLES,
    after_help = "Exit status: 0 done, 1 the run failed, 2 the command line or the table is wrong, \
                  3 not supported, 4 a run did not come to what `test` expects of it, 130 interrupted."
)]
struct CommandLine {
    /// Log what the program does: a level, or `situ::rules=debug` for rule firings
    #[arg(
        long,
        global = true,
        env = "RUST_LOG",
        value_name = "FILTER",
        hide_env = true,
        display_order = 1000
    )]
    log: Option<String>,
    /// Longest table that is read [bytes, default: 1G]
    #[arg(long, global = true, value_name = "SIZE", display_order = 1001)]
    max_table: Option<MaxSize>,
    /// Whether reports and pictures have colours
    #[arg(
        long,
        global = true,
        value_name = "WHEN",
        default_value = "auto",
        display_order = 1002
    )]
    color: Colour,
    /// Language of what is printed [default: the one of the environment, `LANG`]
    #[arg(long, global = true, value_name = "LANGUAGE", display_order = 1003)]
    lang: Option<LanguageArg>,
    #[command(subcommand)]
    command: Option<Command>,
}

/// When there are colours.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum Colour {
    /// In a terminal, unless `NO_COLOR` is set
    #[default]
    Auto,
    Always,
    Never,
}

/// A language that situ speaks.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum LanguageArg {
    /// English
    En,
    /// Russian
    Ru,
}

impl From<LanguageArg> for Language {
    fn from(argument: LanguageArg) -> Self {
        match argument {
            LanguageArg::En => Self::English,
            LanguageArg::Ru => Self::Russian,
        }
    }
}

/// The language in which a command line is refused or explained, before it is read.
fn language(words: &[OsString]) -> Language {
    let named = words.iter().enumerate().find_map(|(at, word)| {
        let word = word.to_str()?;
        match word.strip_prefix("--lang")? {
            "" => words.get(at + 1)?.to_str(),
            value => value.strip_prefix('='),
        }
    });
    let asked = Language::ALL
        .into_iter()
        .find(|language| named == Some(language.code()));
    asked.unwrap_or_else(|| Language::of_environment(|name| std::env::var(name).ok()))
}

const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Green.on_default().bold())
    .usage(AnsiColor::Green.on_default().bold())
    .literal(AnsiColor::Cyan.on_default().bold())
    .placeholder(AnsiColor::Cyan.on_default());

/// Applies the options that all commands have.
fn begin(line: &CommandLine, streams: &mut Streams) -> Outcome {
    let choice = match line.color {
        Colour::Auto => ColorChoice::Auto,
        Colour::Always => ColorChoice::Always,
        Colour::Never => ColorChoice::Never,
    };
    choice.write_global();
    *streams = Streams::standard();
    if let Some(language) = line.lang {
        Language::from(language).set_for_process();
    }
    if let Some(most) = line.max_table {
        limit_tables(most);
    }
    log::start(line.log.as_deref())
}

/// The complaint about `situ house.ron`, which names a table and no command.
fn table_alone(words: &[OsString]) -> Option<Failure> {
    let table = std::path::Path::new(words.get(1)?);
    let is_table = table.extension().is_some_and(|ending| ending == "ron");
    is_table.then(|| {
        let table = table.display();
        Failure::Wrong(say!("cli-table-alone.table-no-command", table))
    })
}

/// Reads the command line, does what it says, reports, and gives the exit status.
pub fn main() -> ExitCode {
    ExitCode::from(main_with(std::env::args_os()))
}

/// The command line in the language of the reader.
fn command_line() -> clap::Command {
    usage::told(with_negative_numbers(CommandLine::command()))
}

/// A command in which a negative number behind an option is its value.
fn with_negative_numbers(command: clap::Command) -> clap::Command {
    let command = command.mut_args(|arg| {
        let is_option = !arg.is_positional() && arg.get_action().takes_values();
        arg.allow_negative_numbers(is_option)
    });
    command.mut_subcommands(with_negative_numbers)
}

/// Does what a command line says, whose first word is the program's name; as [`main`], with the status as a number.
pub fn main_with(words: impl IntoIterator<Item = OsString>) -> u8 {
    let mut streams = Streams::standard();
    let words: Vec<OsString> = words.into_iter().collect();
    language(&words).set_for_process();
    let parsed = command_line().try_get_matches_from(&words);
    let parsed = parsed.and_then(|matches| CommandLine::from_arg_matches(&matches));
    let outcome = match parsed {
        Ok(line) => begin(&line, &mut streams).and_then(|()| match &line.command {
            Some(command) => command.run(&mut streams),
            None => repl::run(&repl::Repl::default(), &mut streams),
        }),
        Err(error) => Err(table_alone(&words).unwrap_or(Failure::CommandLine(error))),
    };
    failure::report(outcome, &mut streams)
}
