//! `situ coverage TABLE`: which rules a run fired, which combinations of situations it visited.

use clap::Args;
use situ_engine::sim::Run;
use situ_views::run::covered::Covered;

use crate::command::io::progress::Watch;
use crate::command::run::ending::End;
use crate::command::settings::Settings;
use crate::command::{Manner, Outcome, Streams};

/// Run a table and tell which rules fired and which situations it visited
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  situ coverage table.ron
  situ coverage table.ron --case main --stop 100")]
pub(in crate::command) struct Coverage {
    #[command(flatten)]
    settings: Settings,
    /// Print as JSON
    #[arg(long)]
    json: bool,
}

pub(in crate::command) fn run(command: &Coverage, streams: &mut Streams) -> Outcome {
    // What a check would say of the rules is not the subject.
    streams.manner = Manner::Quiet;
    let (opened, config) = command.settings.prepare(streams)?;
    streams.manner = Manner::Plain;
    let mut run = Run::new(opened.model.clone(), config, &[])
        .map_err(|error| opened.refuse_run(&error, streams))?;
    command.settings.plug_in(&mut run)?;
    let mut watch = Watch::begin(streams)?;
    let end = End::of(run.run(&mut watch));
    watch.end();
    let covered = Covered::of(&run);
    let text = if command.json {
        serde_json::to_string_pretty(&covered).expect("coverage has only texts and numbers") + "\n"
    } else {
        covered.text(streams.width())
    };
    streams.print(&text)?;
    end.conclude(&run, &opened, streams)
}
