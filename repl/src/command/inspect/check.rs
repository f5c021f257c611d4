//! `situ check TABLE`: says what is wrong or suspicious in a table, without running it.

use std::path::PathBuf;
use std::sync::Arc;

use clap::{Args, ValueEnum};
use situ_rules::check::{Budget, LEFT_OPEN, begins, check_with};
use situ_rules::diag::{Style, render};
use situ_rules::{Diagnostic, Severity};
use situ_views::text::number::counted;
use situ_words::say;

use crate::command::io::failure::Status;
use crate::command::io::files::{self, quoted};
use crate::command::table::{is_stdin, print_json, read};
use crate::command::{Failure, Outcome, Streams};

/// Check a table without running it
///
/// Reports mistakes, what keeps a run from beginning, and rows that contradict each other, values that go stale, situations that
/// cannot hold, names that nothing uses, rows whose order matters.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  situ check table.ron
  situ check table.ron --deny warnings --json
  situ check table.ron --fix")]
pub(in crate::command) struct Check {
    /// The table; `-` reads standard input
    table: PathBuf,
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
    let mut loaded = read(&command.table, streams)?;
    if command.fix && is_stdin(&command.table) {
        let wrong = say!("cli-run.fix-changes-file");
        return Err(Failure::Wrong(wrong.to_owned()));
    }
    if command.fix
        && let Some(text) = loaded.with_unit_factors()
    {
        files::write(&command.table, &text)
            .map_err(|error| Failure::writing(&quoted(&command.table), &error))?;
        loaded = read(&command.table, streams)?;
    }
    let mut found = std::mem::take(&mut loaded.diagnostics);
    if let Some(model) = loaded.model.take().map(Arc::new) {
        let budget = if command.thorough {
            Budget::UNLIMITED
        } else {
            Budget::default()
        };
        found.extend(begins(&model, &loaded.origins));
        found.extend(check_with(
            &model,
            &loaded.origins,
            loaded.watchers(),
            budget,
        ));
        if let (Some(last), false) = (found.last_mut(), command.thorough)
            && last.code == LEFT_OPEN
        {
            last.help = Some(say!("cli-run.thorough-answers-them"));
        }
    }
    if command.json {
        print_json(&found, &loaded.sources, streams)?;
    } else {
        streams.print_drawn(&render(&found, &loaded.sources, Style::Coloured))?;
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
