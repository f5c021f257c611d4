//! `situ test PATH..`: tables are run and held against what they expect, session scripts are done.

use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;
use situ_engine::model::Stepping;
use situ_engine::sim;
use situ_rules::diag::{gaps, in_one_line};
use situ_rules::resolve::{Expectation, written_measures};
use situ_views::run::outcome::OutcomeSummary;
use situ_views::text::plain;
use situ_words::say;

use crate::command::io::failure::Status;
use crate::command::io::files::read_text;
use crate::command::io::progress::Watch;
use crate::command::run::ending::End;
use crate::command::settings::Settings;
use crate::command::{Failure, Manner, Outcome, Streams};

/// Run tables and hold them against their `expect`, and do session scripts
///
/// A folder stands for all tables (`.ron`) and session scripts (`.situ`) in it; tables that expect nothing are not run.
/// Each table is run as its clock says. A script fails if one of its commands does; `expect COND` is one.
#[derive(Debug, Args)]
#[command(
    after_help = "Exit status 4: a run did not come to what is expected of it. A table or script that cannot be run \
counts as one that failed. Exit status 2: there is nothing to test.

Examples:
  situ test table.ron
  situ test models/ --json"
)]
pub(in crate::command) struct Test {
    /// Tables, session scripts and folders
    #[arg(required = true)]
    paths: Vec<PathBuf>,
    /// Print as JSON
    #[arg(long)]
    json: bool,
}

/// What came of one file.
#[derive(Debug, Serialize)]
struct Tested {
    path: PathBuf,
    passed: bool,
    /// What its table expects, and what came of it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    expect: Vec<OutcomeSummary>,
    /// Number of expectations that could not be checked, as the run failed.
    #[serde(skip_serializing_if = "is_zero")]
    unchecked: usize,
    /// Number of `expect` commands of a script that were done.
    #[serde(skip_serializing_if = "is_zero")]
    commands: usize,
    /// Why what was not met did not hold, and why the file could not be run.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    because: Vec<String>,
}

pub(in crate::command) fn run(command: &Test, streams: &mut Streams) -> Outcome {
    let mut watch = Watch::begin(streams)?;
    let mut tested = Vec::new();
    for path in &command.paths {
        let is_folder = path.is_dir();
        for file in files(path)? {
            let result = if file.extension().is_some_and(|ending| ending == "situ") {
                script(&file, &mut watch)?
            } else {
                match table(&file, is_folder, &mut watch, streams)? {
                    Some(tested) => tested,
                    None => continue,
                }
            };
            if !command.json {
                streams.print(&result.text())?;
            }
            tested.push(result);
        }
    }
    if command.json {
        let text = serde_json::to_string_pretty(&tested).expect("there are only texts and numbers");
        streams.print(&(text + "\n"))?;
    } else if !tested.is_empty() {
        streams.print(&in_short(&tested))?;
    }
    if tested.is_empty() {
        return Err(Failure::Wrong(say!("cli-test.nothing")));
    }
    match tested.iter().all(|tested| tested.passed) {
        true => Ok(()),
        false => Err(Failure::Said(Status::Unmet)),
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
fn is_zero(n: &usize) -> bool {
    *n == 0
}

/// A file itself, or the tables and scripts of a folder, in the order of their names.
fn files(path: &Path) -> Result<Vec<PathBuf>, Failure> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let entries = std::fs::read_dir(path).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let entries = entries.map_err(|error| Failure::reading(&plain_name(path), &error))?;
    let mut inside: Vec<PathBuf> = entries.iter().map(std::fs::DirEntry::path).collect();
    inside.sort();
    let mut all = Vec::new();
    for path in inside {
        let is_link = path.is_symlink();
        let is_one = |path: &Path| {
            (path.extension()).is_some_and(|ending| ending == "ron" || ending == "situ")
        };
        if path.is_dir() && !is_link {
            all.extend(files(&path)?);
        } else if path.is_file() && is_one(&path) {
            all.push(path);
        }
    }
    Ok(all)
}

fn plain_name(path: &Path) -> String {
    format!("`{}`", path.display())
}

/// Runs a table as its clock says; `None` if it expects nothing and that may be so.
fn table(
    path: &Path,
    may_be_silent: bool,
    watch: &mut Watch,
    streams: &mut Streams,
) -> Result<Option<Tested>, Failure> {
    let failed = |because: String| Tested {
        path: path.to_owned(),
        passed: false,
        expect: Vec::new(),
        unchecked: 0,
        commands: 0,
        because: vec![because],
    };
    streams.manner = Manner::Quiet;
    let prepared = Settings::of_table(path.to_owned()).prepare(streams);
    streams.manner = Manner::Plain;
    let (opened, config) = match prepared {
        Ok(prepared) => prepared,
        Err(Failure::Said(_)) => return Ok(Some(failed(say!("cli-test.cannot-run")))),
        Err(Failure::Wrong(why) | Failure::Run(why) | Failure::Unsupported(why)) => {
            return Ok(Some(failed(why)));
        }
        Err(failure) => return Err(failure),
    };
    if opened.expectations.is_empty() {
        return Ok((!may_be_silent).then(|| failed(say!("cli-test.expects-nothing"))));
    }
    let measures: Vec<_> = (opened.expectations.iter())
        .flat_map(Expectation::measures)
        .collect();
    let events = opened.model.clock.stepping == Some(Stepping::Events);
    let mut run = sim::Run::new(opened.model.clone(), config, &measures)
        .map_err(|error| opened.refuse_run(&error, streams))?;
    let ended = run.run(watch);
    watch.end();
    let end = End::of(ended);
    if matches!(end, End::Interrupted) {
        return Err(Failure::Interrupted);
    }
    if let Some(report) = end.report(&run, &opened) {
        let unchecked = opened.expectations.len();
        let mut failed = failed(report.message);
        failed
            .because
            .push(say!("cli-test.unchecked", n = unchecked));
        return Ok(Some(Tested {
            unchecked,
            ..failed
        }));
    }
    let readings = written_measures(&opened.expectations);
    for warning in gaps(&run.gaps(), readings, &opened.model) {
        streams.talk(&(in_one_line(&warning) + "\n"));
    }
    let outcomes = opened.outcomes(&run.measured());
    let mut because = Vec::new();
    for outcome in &outcomes {
        let (false, true, Some(time)) = (outcome.met, outcome.throughout, outcome.found) else {
            continue;
        };
        because.extend(reasons(path, events, &outcome.text, time)?);
    }
    let unit = opened.model.clock.time_unit();
    let outcomes = outcomes.into_iter();
    let expect: Vec<OutcomeSummary> = outcomes
        .map(|outcome| OutcomeSummary::of(outcome, unit))
        .collect();
    Ok(Some(Tested {
        path: path.to_owned(),
        passed: expect.iter().all(|outcome| outcome.met),
        expect,
        unchecked: 0,
        commands: 0,
        because,
    }))
}

/// Why a condition does not hold at a time, as the prompt tells it.
fn reasons(path: &Path, events: bool, condition: &str, time: f64) -> Result<Vec<String>, Failure> {
    let mut console = crate::console(None)?;
    let stepping = if events { "events" } else { "tick" };
    let lines = [
        format!("load \"{}\"", path.display()),
        format!("set stepping = {stepping}"),
        format!("run to {time:?}"),
    ];
    for line in lines {
        if console.execute(&line, &mut ()).failed {
            return Ok(Vec::new());
        }
    }
    let why = console.execute(&format!("expect {condition}"), &mut ());
    Ok(match why.failed {
        true => why.text.lines().skip(1).map(str::to_owned).collect(),
        false => Vec::new(),
    })
}

/// Does the lines of a session script until one fails.
fn script(path: &Path, watch: &mut Watch) -> Result<Tested, Failure> {
    let text = read_text(path).map_err(|error| {
        Failure::Wrong(say!(
            "cli-reading.cannot-read",
            name = plain_name(path),
            error = plain(&error)
        ))
    })?;
    let mut console = crate::console(None)?;
    let (mut commands, mut because) = (0, Vec::new());
    for (number, line) in text.lines().enumerate() {
        if line.trim().is_empty() {
            continue;
        }
        commands += usize::from(line.split_whitespace().next() == Some("expect"));
        let reply = console.execute(line, watch);
        watch.end();
        if reply.interrupted {
            return Err(Failure::Interrupted);
        }
        if reply.failed {
            let line = line.trim();
            because.push(say!("cli-test.line", n = number + 1, line));
            because.extend(reply.text.lines().map(str::to_owned));
            break;
        }
        if reply.quit {
            break;
        }
    }
    Ok(Tested {
        path: path.to_owned(),
        passed: because.is_empty(),
        expect: Vec::new(),
        unchecked: 0,
        commands,
        because,
    })
}

impl Tested {
    fn text(&self) -> String {
        let mut text = match self.passed {
            true => say!("cli-test.ok", path = self.path.display()),
            false => say!("cli-test.failed", path = self.path.display()),
        };
        text.push('\n');
        for outcome in self.expect.iter().filter(|outcome| !outcome.met) {
            text += &format!("        {}\n", outcome.line());
        }
        for line in &self.because {
            text += &format!("        {line}\n");
        }
        text
    }
}

fn in_short(tested: &[Tested]) -> String {
    let n_failed = tested.iter().filter(|tested| !tested.passed).count();
    let n_expected = tested
        .iter()
        .map(|tested| tested.expect.len() + tested.unchecked + tested.commands);
    let n_expected: usize = n_expected.sum();
    let files = say!("cli-test.files", n = tested.len());
    let expectations = say!("cli-test.expectations", n = n_expected);
    let result = match n_failed {
        0 => say!("cli-test.all-passed"),
        n => say!("cli-test.n-failed", n),
    };
    format!("{files}, {expectations}: {result}\n")
}
