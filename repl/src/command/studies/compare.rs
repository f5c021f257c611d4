//! `situ compare TABLE`: two runs of one table held against each other.

use std::sync::Arc;

use clap::Args;
use situ_engine::model::{Order, Stepping};
use situ_engine::sim::{EndReason, Run, RunConfig};
use situ_rules::Diagnostic;
use situ_rules::diag::fault;
use situ_rules::resolve;
use situ_views::comparison::contact_intervals::ContactIntervals;
use situ_views::comparison::observed::Observed;
use situ_views::comparison::{Comparison, RunOf};
use situ_views::run::steps::Steps;
use situ_words::say;

use crate::command::io::failure::Status;
use crate::command::io::progress::Watch;
use crate::command::settings::Settings;
use crate::command::table::{self, Opened};
use crate::command::{Failure, Manner, Outcome, Streams};

/// Run a table in two ways and tell where the results differ
///
/// The first run is as the table and the options say. The second differs in what --against says; without it the
/// other stepping is taken, ticks against events. With order=reversed, what happens at one time happens in reverse
/// order: assignments and rows of events from the last to the first, borders crossed together one after the other. A
/// difference shows that the order matters, perhaps where none was meant.
#[derive(Debug, Args)]
#[command(
    after_help = "Settings for --against: `stepping=tick|events`, `order=written|reversed`, any option above by its name
(step, locate, method, rtol, engine, ...), and any constant, start value or switch.

Values between the two times of a change that both runs have are not compared, nor are those at the
start where one run ticks and the other does not: no row has computed anything before the first tick.

Examples:
  situ compare table.ron
  situ compare table.ron --against step=0.0005
  situ compare table.ron --against order=reversed
  situ compare table.ron --events --against locate=none --each
  situ compare table.ron --events --against method=rodas5p --against rtol=1e-9
  situ compare table.ron --case light --against case=heavy"
)]
pub(in crate::command) struct Compare {
    #[command(flatten)]
    settings: Settings,
    /// What is different in the second run; may be repeated
    #[arg(long, value_name = "NAME=VALUE")]
    against: Vec<String>,
    /// Print every change with its time in either run
    #[arg(long)]
    each: bool,
    /// Print as JSON
    #[arg(long)]
    json: bool,
}

pub(in crate::command) fn run(command: &Compare, streams: &mut Streams) -> Outcome {
    streams.manner = Manner::Quiet;
    let source = table::open_as(
        &command.settings.table,
        &command.settings.choices(),
        streams,
    )?;
    let first = command.settings.prepare_opened(source.clone(), streams)?;
    let settings = command.second(first.1.clone())?;
    command.check(&settings, first.0.clone(), streams)?;
    let second = settings.prepare_opened(source, streams)?;
    streams.manner = Manner::Plain;
    let stop = first.1.stop().min(second.1.stop());
    let mut watch = Watch::begin(streams)?;
    let runs = [(first, &command.settings), (second, &settings)];
    let [a, b] = runs.map(|((opened, config), settings)| {
        observe(opened, config, settings, stop, &mut watch, streams)
    });
    watch.end();
    let ((opened, a_of, a, contacts_of_a), (other, b_of, b, contacts_of_b)) = (a?, b?);
    let runs = [(a_of, &a, &contacts_of_a), (b_of, &b, &contacts_of_b)];
    let comparison = Comparison::of([&opened.model, &other.model], runs, &loops(&opened));
    let text = if command.json {
        serde_json::to_string_pretty(&comparison).expect("a comparison has only texts and numbers")
            + "\n"
    } else {
        comparison.text(streams.width(), command.each)
    };
    streams.print(&text)?;
    match comparison.is_whole() {
        true => Ok(()),
        false => Err(Failure::Said(Status::Failed)),
    }
}

impl Compare {
    /// The settings of the second run.
    fn second(&self, first: RunConfig) -> Result<Settings, Failure> {
        let mut settings = self.settings.clone();
        if self.against.is_empty() {
            settings.clock.clock.stepping = Some(match first {
                RunConfig::Ticks(_) => Stepping::Events,
                RunConfig::Events(_) => Stepping::Tick,
            });
        }
        for text in &self.against {
            settings.change(text)?;
        }
        Ok(settings)
    }

    /// Refuses what is wrong with the values that the second run has besides those of the first.
    fn check(
        &self,
        second: &Settings,
        mut opened: Opened,
        streams: &mut Streams,
    ) -> Result<(), Failure> {
        let Opened {
            model,
            origins,
            sources,
            ..
        } = &mut opened;
        for text in &second.set[self.settings.set.len()..] {
            let model = Arc::make_mut(model);
            if let Err(wrong) = resolve::setting(model, origins, sources, "<--against>", text) {
                return Err(table::refuse(&wrong, sources, streams));
            }
        }
        Ok(())
    }
}

/// Runs to a time and keeps what is compared.
fn observe(
    opened: Opened,
    config: RunConfig,
    settings: &Settings,
    stop: f64,
    watch: &mut Watch,
    streams: &mut Streams,
) -> Result<(Opened, RunOf, Observed, ContactIntervals), Failure> {
    let mut observed = Observed::new(&opened.model, stop);
    let reversed = config.order() == Order::Reversed;
    let stepping = match config {
        RunConfig::Ticks(_) => "tick",
        RunConfig::Events(_) => "events",
    };
    let config = config.with_rows(observed.distance());
    let mut run = Run::new(opened.model.clone(), config, &[])
        .map_err(|error| opened.refuse_run(&error, streams))?;
    settings.plug_in(&mut run)?;
    let mut contacts = ContactIntervals::new(&opened.model);
    let mut observing = observed.recorder(&opened.model, watch);
    let ended = run.run_to(stop, &mut contacts.recorder(&opened.model, &mut observing));
    let mut how = Steps::of(&run).text(opened.model.clock.time_unit());
    if reversed {
        how += &say!("compare-runs.reversed");
    }
    let fault = match ended {
        Ok(EndReason::Recorder) => return Err(Failure::Interrupted),
        Ok(_) => None,
        Err(why) => Some(fault(&why, &opened.model, &opened.origins).message),
    };
    let run = RunOf {
        stepping,
        how,
        fault,
    };
    Ok((opened, run, observed, contacts))
}

/// A loop that ticks go round once a tick may diverge where event stepping solves it.
fn loops(opened: &Opened) -> String {
    let is_loop = |report: &&Diagnostic| report.code == LOOP;
    match opened.look().iter().find(is_loop) {
        Some(report) => say!("compare-loop", message = &report.message),
        None => String::new(),
    }
}

/// The code of the check's report of an algebraic loop.
const LOOP: &str = "C050";
