//! Studies of the table as it stands: runs from its start that leave the session where it is.

use std::ops::ControlFlow;
use std::sync::Arc;

use serde_json::json;
use situ_engine::model::Clock;
use situ_engine::sim::{EndReason, Run, RunConfig, RunFault};
use situ_engine::trace::{Recorder, Row};
use situ_explain::Interrupted;
use situ_rules::diag::{fault, findings, gaps, in_one_line};
use situ_rules::resolve::{self, MeasureError};
use situ_views::comparison::convergence::{Convergence, Refinement};
use situ_views::comparison::observed::Observed;
use situ_views::run::outcome::OutcomeSummary;
use situ_views::run::summary::{Start, Summary};
use situ_words::say;

use crate::command::{Argument, Command, Example, Group};
use crate::document::Version;
use crate::reply::{CommandError, CommandOutput, Outcome};
use crate::settings::config;
use crate::{Console, ProgressSink};

use super::{HOOP, split_commas};

/// The commands of this file, in the order of the help.
pub(in crate::commands) const COMMANDS: &[Command] = &[SUMMARY, CONVERGE];

const SUMMARY: Command = Command {
    name: "summary",
    short: &[],
    group: Group::Look,
    usage: "[MEASURE, ..]",
    takes: &[Argument::Expression],
    examples: &[
        Example {
            given: HOOP,
            line: "summary max(h), count(contact)",
            shows: "max(h) = 400",
        },
        Example {
            given: &["load scenarios/pendulum/table.ron", "run for 1"],
            line: "summary",
            shows: "angular speed",
        },
    ],
    undoable: false,
    repeats: false,
    run: summary,
};

fn summary(console: &mut Console, args: &str, progress: &mut dyn ProgressSink) -> Outcome {
    let version = console.version();
    let (mut model, mut origins) = ((*version.model).clone(), version.origins.clone());
    let mut sources = version.sources.clone();
    let (mut texts, mut measures) = (Vec::new(), Vec::new());
    for text in split_commas(args)
        .into_iter()
        .filter(|text| !text.is_empty())
    {
        let read = resolve::measure(&mut model, &mut origins, &mut sources, "<line>", text);
        measures.push(read.map_err(|error| match error {
            MeasureError::Inside(reports) => {
                CommandError::reports(&reports, &sources, console.look.style)
            }
            error => CommandError::new(error.to_string()),
        })?);
        texts.push(text.to_owned());
    }
    for (text, measure) in resolve::invariant_measures(&version.model) {
        texts.push(text);
        measures.push(measure);
    }
    for expectation in &version.expectations {
        measures.extend(expectation.measures());
    }
    let config = whole(&version, console.time())?;
    let model = Arc::new(model);
    let mut run = Run::new(Arc::clone(&model), config, &measures)
        .map_err(|error| console.setup_trouble(&error, &version))?;
    let start = Start::of(&run);
    let ended = match run.run(&mut Polled(progress)) {
        Ok(EndReason::Stop) => "stop",
        Ok(EndReason::Condition) => "condition",
        Ok(EndReason::Recorder) => return Err(Interrupted.into()),
        Err(why) => return Err(failed(&why, &version, console)),
    };
    let mut found = findings(&run.findings(), &model, &version.origins);
    let asked = texts.iter().map(|text| (&**text, None));
    let readings = asked.chain(resolve::written_measures(&version.expectations));
    found.extend(gaps(&run.gaps(), readings, &model));
    let notes = found.iter().map(in_one_line).collect();
    let mut summary = Summary::of(&run, &start, ended, &texts).with_notes(notes);
    let measured = &run.measured()[texts.len()..];
    let outcomes = resolve::outcomes(&version.expectations, &model, measured).into_iter();
    let outcomes = outcomes.map(|outcome| OutcomeSummary::of(outcome, summary.time_unit));
    summary.outcomes = outcomes.collect();
    let data = serde_json::to_value(&summary).unwrap_or_default();
    Ok(CommandOutput::new(summary.text(console.look.width), data))
}

const CONVERGE: Command = Command {
    name: "converge",
    short: &[],
    group: Group::Look,
    usage: "[N]",
    takes: &[],
    examples: &[Example {
        given: &["load scenarios/pendulum/table.ron"],
        line: "converge 3",
        shows: "0.00025",
    }],
    undoable: false,
    repeats: false,
    run: converge,
};

/// Runs of a study of convergence.
const RUNS: std::ops::RangeInclusive<u8> = 3..=20;

fn converge(console: &mut Console, args: &str, progress: &mut dyn ProgressSink) -> Outcome {
    let runs = match args {
        "" => 4,
        _ => crate::commands::run::count(args, "converge")?,
    };
    let runs = u8::try_from(runs).ok().filter(|runs| RUNS.contains(runs));
    let Some(runs) = runs else {
        let (least, most) = (u64::from(*RUNS.start()), u64::from(*RUNS.end()));
        return Err(CommandError::new(say!(
            "console-converge-runs",
            least,
            most
        )));
    };
    let version = console.version();
    let config = whole(&version, console.time())?;
    let refinement = Refinement::of(&config);
    let mut observed = Vec::new();
    for index in 0..runs {
        let mut one = Observed::new(&version.model, config.stop());
        let (value, finer) = (refinement.config(&config, index)).map_err(CommandError::new)?;
        let mut run = Run::new(
            Arc::clone(&version.model),
            finer.with_rows(one.distance()),
            &[],
        )
        .map_err(|error| console.setup_trouble(&error, &version))?;
        let mut polled = Polled(progress);
        match run.run(&mut one.recorder(&version.model, &mut polled)) {
            Ok(EndReason::Recorder) => return Err(Interrupted.into()),
            Ok(EndReason::Stop | EndReason::Condition) => {}
            Err(why) => return Err(failed(&why, &version, console)),
        }
        observed.push((value, one));
    }
    let convergence = Convergence::of(&version.model, &refinement, &observed);
    let data = json!(convergence);
    Ok(CommandOutput::new(
        convergence.text(console.look.width),
        data,
    ))
}

/// The settings of a run of the whole table: to its stop, or, where it has none, to the present time.
fn whole(version: &Version, now: f64) -> Result<RunConfig, CommandError> {
    let stop = version.stop().unwrap_or(now);
    config(&Clock {
        stop: Some(stop),
        ..version.model.clock.clone()
    })
}

/// The report of a run that failed.
fn failed(why: &RunFault, version: &Version, console: &Console) -> CommandError {
    let report = fault(why, &version.model, &version.origins);
    CommandError::reports(&[report], &version.sources, console.look.style)
}

/// A recorder that tells how far the run is, and ends it where that is wanted.
struct Polled<'p>(&'p mut dyn ProgressSink);

impl Recorder for Polled<'_> {
    fn row(&mut self, _: &Row<'_>) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn poll(&mut self, done: u64, all: u64) -> ControlFlow<()> {
        self.0.poll(done, all)
    }
}
