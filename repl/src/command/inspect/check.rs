//! `situ check TABLE`: says what is wrong or suspicious in a table, without running it.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use situ_rules::check::{Budget, LEFT_OPEN, begins};
use situ_rules::diag::{Style, render};
use situ_rules::{Choices, Diagnostic, Severity};
use situ_views::text::number::counted;
use situ_words::say;

use crate::command::io::failure::Status;
use crate::command::io::files::{self, quoted};
use crate::command::table::{Opened, is_stdin, print_json, read_as};
use crate::command::{Failure, Outcome, Streams, settings};

/// Check a table without running it
///
/// Reports mistakes, what keeps a run from beginning, and rows that contradict each other, values that go stale, situations that
/// cannot hold, names that nothing uses, rows whose order matters.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  situ check table.ron
  situ check table.ron --set N=800
  situ check table.ron --deny warnings --json
  situ check table.ron --fix")]
pub(in crate::command) struct Check {
    /// The table; `-` reads standard input
    table: PathBuf,
    /// Use a case of the table
    #[arg(long, value_name = "NAME")]
    case: Option<String>,
    /// Change a constant, a start value or a switch; may be repeated
    #[arg(long, value_name = "NAME=VALUE")]
    set: Vec<String>,
    /// End with status 2 if there are warnings
    #[arg(long, value_name = "WHAT")]
    deny: Option<Deny>,
    /// Answer hard questions too, however long it takes
    #[arg(long)]
    thorough: bool,
    /// Print the reports as JSON
    #[arg(long)]
    json: bool,
    /// Write factors into rows whose units differ by one, and check what comes of it
    #[arg(long)]
    fix: bool,
}

/// Reports that make a command fail.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(in crate::command) enum Deny {
    /// Warnings and errors
    Warnings,
}

pub(in crate::command) fn run(command: &Check, streams: &mut Streams) -> Outcome {
    let choices = command.choices();
    let mut loaded = read_as(&command.table, &choices, streams)?;
    if command.fix && is_stdin(&command.table) {
        let wrong = say!("cli-run.fix-changes-file");
        return Err(Failure::Wrong(wrong.to_owned()));
    }
    if command.fix
        && let Some(text) = loaded.with_unit_factors()
    {
        files::write(&command.table, &text)
            .map_err(|error| Failure::writing(&quoted(&command.table), &error))?;
        let before = loaded.tables.last().map(|table| table.source_id);
        let before = before.map_or("", |source| &loaded.sources.get(source).text);
        for said in command.written(before, &text) {
            streams.remark(&said);
        }
        loaded = read_as(&command.table, &choices, streams)?;
    }
    let (found, sources) = match Opened::of(loaded) {
        Ok(mut opened) => (command.look(&mut opened, streams)?, opened.sources),
        Err(loaded) => (loaded.diagnostics, loaded.sources),
    };
    if command.json {
        print_json(&found, &sources, streams)?;
    } else {
        streams.print_drawn(&render(&found, &sources, Style::Coloured))?;
        let gap = if found.is_empty() { "" } else { "\n" };
        streams.talk(&format!(
            "{gap}{}: {}\n",
            command.table.display(),
            counts(&found)
        ));
    }
    let worst = found.iter().map(|report| report.severity).max();
    match (worst, command.deny) {
        (Some(Severity::Error), _) => Err(Failure::Said(Status::of(&found))),
        (Some(Severity::Warning), Some(Deny::Warnings)) => Err(Failure::Said(Status::Wrong)),
        _ => Ok(()),
    }
}

impl Check {
    /// The lines of the table that `--fix` changed, as they stand now.
    fn written(&self, before: &str, after: &str) -> Vec<String> {
        let lines = before.lines().zip(after.lines()).zip(1..);
        let changed = lines.filter(|((old, new), _)| old != new);
        let said = changed.map(|((_, new), line): (_, u32)| {
            let table = self.table.display().to_string();
            say!(
                "cli-run.fix-wrote",
                table,
                line = line.to_string(),
                text = new.trim()
            )
        });
        said.collect()
    }

    fn choices(&self) -> Choices {
        Choices {
            case: self.case.clone(),
            set: self.set.clone(),
        }
    }

    /// All that is found in a table that has a model, with the case and the values that are asked for.
    ///
    /// # Errors
    ///
    /// There is no such case.
    fn look(&self, opened: &mut Opened, streams: &mut Streams) -> Result<Vec<Diagnostic>, Failure> {
        let choices = self.choices();
        if let Err(found) = opened.resize(&choices) {
            return Ok(found);
        }
        let (undone, wrong) = settings::with_values(&choices, opened)?;
        for line in undone {
            streams.remark(&line);
        }
        let mut found = std::mem::take(&mut opened.diagnostics);
        found.extend(wrong);
        let budget = if self.thorough {
            Budget::UNLIMITED
        } else {
            Budget::default()
        };
        found.extend(begins(&opened.model, &opened.origins));
        found.extend(opened.check(budget));
        if let (Some(last), false) = (found.last_mut(), self.thorough)
            && last.code == LEFT_OPEN
        {
            last.help = Some(say!("cli-run.thorough-answers-them"));
        }
        Ok(found)
    }
}

/// `2 errors, 1 warning`
fn counts(found: &[Diagnostic]) -> String {
    let of = |severity| {
        found
            .iter()
            .filter(|report| report.severity == severity)
            .count() as u64
    };
    let counts: Vec<String> = [
        (Severity::Error, "error"),
        (Severity::Warning, "warning"),
        (Severity::Note, "note"),
    ]
    .into_iter()
    .filter(|(severity, _)| of(*severity) > 0)
    .map(|(severity, noun)| counted(of(severity), noun))
    .collect();
    if counts.is_empty() {
        say!("cli-counts.nothing-found")
    } else {
        counts.join(", ")
    }
}
